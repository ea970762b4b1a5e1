//! `bindpose snapshot review` on a terminal: single keys answer, and the terminal is left as it was.

use super::command::{MESH, Workshop};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

/// A pseudo-terminal: the user's side, and the program's.
struct Terminal {
    user: File,
    program: File,
}

impl Terminal {
    fn open() -> Self {
        let user = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&user).unwrap();
        unlockpt(&user).unwrap();
        let name = ptsname(&user, Vec::new()).unwrap().into_string().unwrap();
        Self { user: user.into(), program: File::options().read(true).write(true).open(name).unwrap() }
    }

    /// True while the program reads single keys.
    fn is_raw(&self) -> bool {
        !tcgetattr(&self.program).unwrap().local_modes.contains(LocalModes::ICANON)
    }

    /// Starts a review, and returns when it waits for a key.
    fn review(&self, workshop: &Workshop) -> Child {
        let stream = || Stdio::from(self.program.try_clone().unwrap());
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
        command.args(["snapshot", "review", "-s", "shots"]).current_dir(workshop.path("")).env_remove("CI");
        let mut child = command.stdin(stream()).stderr(stream()).stdout(Stdio::piped()).spawn().unwrap();
        while !self.is_raw() {
            assert_eq!(child.try_wait().unwrap(), None, "it ended before the first key");
            std::thread::yield_now();
        }
        child
    }
}

/// Two snapshots whose models are gone.
fn workshop() -> Workshop {
    let workshop = Workshop::empty();
    for name in ["one", "two", "three"] {
        workshop.write(&format!("models/{name}/{name}.md5mesh"), MESH);
    }
    workshop.run(&["record", "models", "-o", "shots"]).expect(0, &["recorded 3 models"]);
    for name in ["one", "two"] {
        std::fs::remove_file(workshop.path(&format!("models/{name}/{name}.md5mesh"))).unwrap();
    }
    workshop
}

#[test]
fn keys_answer_without_a_line_break() {
    let workshop = workshop();
    for (keys, code, summary) in [
        ("rs", 1, "0 changes accepted, 1 rejected, 1 left"),
        ("\x1b", 1, "0 changes accepted, 2 left"),
        ("\x04", 1, "0 changes accepted, 2 left"),
        ("\x03", 130, "[a/r/s/i/q]? "),
        ("x\x1b[As\r?A", 1, "1 change accepted, 1 left"),
        ("a", 0, "1 change accepted, 0 left"),
    ] {
        let mut terminal = Terminal::open();
        let mut child = terminal.review(&workshop);
        terminal.user.write_all(keys.as_bytes()).unwrap();
        let mut text = String::new();
        child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{keys:?}: {text}");
        assert!(text.trim_end_matches('\n').ends_with(summary), "{keys:?}: {text}");
        assert!(!terminal.is_raw(), "{keys:?}");
    }
}

/// True if this process was started by `nohup`: what it starts ignores SIGHUP too.
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 1 << (Signal::HUP.as_raw() - 1) != 0)
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    let workshop = workshop();
    let hang_up = (!ignores_hang_up()).then_some(Signal::HUP);
    for signal in [Signal::TERM, Signal::INT].into_iter().chain(hang_up) {
        let terminal = Terminal::open();
        let mut child = terminal.review(&workshop);
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert!(child.wait().unwrap().code() > Some(128), "{signal:?}");
        assert!(!terminal.is_raw(), "{signal:?}");
    }
}
