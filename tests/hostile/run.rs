//! Runs one command on hostile files and measures its resources and faults.

use crate::support::skip;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;
use wait4::Wait4;

/// Limits of a command.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub cpu: Duration,
    /// Bytes resident at the same time.
    pub memory: u64,
    /// Bytes of both streams, in text formats.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { cpu: Duration::from_secs(10), memory: 2 << 30, output: 2 << 20 }
    }
}

/// Limits of the kernel for a command far beyond the other limits: 4 times the CPU time, 3 times the memory (address
/// space, which is larger than resident memory), files over 256 MiB, and ten minutes, which a busy machine may need.
const STOP: &str = "ulimit -t 40; ulimit -v 6291456; ulimit -f 524288; exec timeout -k 1 600 \"$@\"";

/// Result of a command.
pub struct Outcome {
    /// The command line, with `FILE` in place of long lists.
    pub command: String,
    /// Exit code; `None` after a signal.
    pub code: Option<u8>,
    /// Faults, each with the command.
    pub faults: Vec<String>,
    /// Bytes resident at the same time.
    pub memory: u64,
}

/// A folder for hostile files and the output of commands. It is removed when dropped.
pub struct Room {
    folder: PathBuf,
    files: PathBuf,
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Room {
    pub fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join(name.replace(' ', "-"));
        let _ = fs::remove_dir_all(&folder);
        let files = folder.join("files");
        fs::create_dir_all(&files).unwrap();
        Self { folder, files }
    }

    /// Returns the folder of the files, in which commands run.
    pub fn files(&self) -> &Path {
        &self.files
    }

    /// Returns the names of all files, folders and links, sorted. Images, and pipes that other files name, are left
    /// out.
    pub fn list(&self) -> Vec<PathBuf> {
        let names = fs::read_dir(&self.files).unwrap().map(|entry| PathBuf::from(entry.unwrap().file_name()));
        let is_picture =
            |name: &PathBuf| name.extension().is_some_and(|end| ["png", "tga", "bmp"].iter().any(|e| end == *e));
        let mut names: Vec<PathBuf> = names.filter(|name| !is_picture(name)).collect();
        names.sort();
        names
    }

    /// Returns the recorded snapshots, sorted.
    pub fn taken(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.join("out")).into_iter().flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut taken: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|end| end == "snapshot")).collect();
        taken.sort();
        taken
    }

    /// Runs the program. In the arguments, `FILE` and `FILES` are replaced by `files`, `OUT` by a path outside their
    /// folder, and `MESH`, `ANIM` and `X` by small valid files.
    pub fn run(&self, arguments: &[&str], files: &[&Path], limits: Limits) -> Outcome {
        const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5/base");
        let out = self.folder.join("out");
        let mut command = Command::new("sh");
        command.args(["-c", STOP, "sh", env!("CARGO_BIN_EXE_bindpose")]);
        for argument in arguments {
            match argument.strip_prefix("OUT") {
                Some(end) => command.arg(format!("{}{end}", out.display())),
                None if ["FILE", "FILES"].contains(argument) => command.args(files),
                None if *argument == "MESH" => command.arg(format!("{CASES}.md5mesh")),
                None if *argument == "X" => command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/data/x/cylinder.x")),
                None if *argument == "ANIM" => command.arg(format!("{CASES}.md5anim")),
                None => command.arg(argument),
            };
        }
        let streams = ["stdout", "stderr"].map(|name| self.folder.join(name));
        let [stdout, stderr] = streams.each_ref().map(|path| Stdio::from(File::create(path).unwrap()));
        let child = command.current_dir(&self.files).stdin(Stdio::null()).stdout(stdout).stderr(stderr);
        let ended = child.spawn().unwrap().wait4().unwrap();
        let mut faults = Vec::new();
        // The shell ends with the signal of the program that it ran; `timeout` exits with 124.
        let code = ended.status.code();
        match (ended.status.signal(), code) {
            (Some(signal), _) => faults.push(format!("ended by signal {signal}")),
            (_, Some(124)) => faults.push("did not end".to_owned()),
            (_, Some(code @ (101 | 125..))) => faults.push(format!("exit code {code}")),
            _ => {}
        }
        let cpu = ended.rusage.utime + ended.rusage.stime;
        if cpu > limits.cpu {
            faults.push(format!("{:.1} s of CPU time", cpu.as_secs_f64()));
        }
        if ended.rusage.maxrss > limits.memory {
            faults.push(format!("{} MiB of memory", ended.rusage.maxrss >> 20));
        }
        let is_for_people = !arguments.iter().any(|word| ["--json", "json", "sarif", "dump"].contains(word));
        for (path, name) in streams.iter().zip(["stdout", "stderr"]) {
            let bytes = fs::read(path).unwrap();
            if is_for_people && bytes.len() > limits.output {
                faults.push(format!("{} bytes on {name}", bytes.len()));
            }
            faults.extend(fault_of_text(&bytes).map(|fault| format!("{name} {fault}")));
        }
        let names: Vec<String> = files.iter().take(1).map(|file| format!("{file:?}")).collect();
        let command =
            arguments.iter().map(|word| if word.starts_with("FILE") { names.concat() } else { format!("{word:?}") });
        let code = code.and_then(|code| u8::try_from(code).ok()).filter(|&code| code < 100);
        let command = command.collect::<Vec<_>>().join(" ").replace('"', "");
        for fault in &mut faults {
            *fault = format!("{command}: {fault}");
            println!("{fault}");
        }
        Outcome { command, code, faults, memory: ended.rusage.maxrss }
    }
}

/// Returns a description of forbidden content in a stream.
fn fault_of_text(bytes: &[u8]) -> Option<String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Some("is not UTF-8".to_owned()) };
    if let Some(at) = text.find(|c: char| c.is_control() && c != '\n' && c != '\t') {
        let around: String = text[at..].chars().take(12).collect();
        return Some(format!("holds a control character at byte {at}: {around:?}"));
    }
    let words = ["panicked at", "RUST_BACKTRACE", "memory allocation of", "overflowed its stack"];
    words.into_iter().find(|word| text.contains(word)).map(|word| format!("says '{word}'"))
}

/// True if this machine can draw. If not, the running test does less.
pub fn draws() -> bool {
    static DRAWS: OnceLock<bool> = OnceLock::new();
    let draws = *DRAWS.get_or_init(|| {
        let doctor = Command::new(env!("CARGO_BIN_EXE_bindpose")).arg("doctor").output();
        cfg!(feature = "render") && doctor.is_ok_and(|output| output.status.success())
    });
    if !draws {
        skip("ran no command that draws: no OpenGL");
    }
    draws
}

#[test]
fn what_must_not_be_written_is_seen() {
    assert_eq!(fault_of_text("a\tb\nc é".as_bytes()), None);
    for bytes in [&b"\x1b[31m"[..], b"\xff", "\u{9b}".as_bytes(), b"a\rb", b"thread 'main' panicked at x", b"\x7f"] {
        assert!(fault_of_text(bytes).is_some(), "{bytes:?}");
    }
}

#[test]
fn a_command_beyond_its_limits_is_detected() {
    let room = Room::new("limits");
    let none = Limits { cpu: Duration::ZERO, memory: 0, output: 0 };
    let faults = room.run(&["methods"], &[], none).faults.join("; ");
    for fault in ["of CPU time", "of memory", "bytes on stdout"] {
        assert!(faults.contains(fault), "{fault}: {faults}");
    }
}
