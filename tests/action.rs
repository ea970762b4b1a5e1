//! `action.yml` and `.pre-commit-hooks.yaml`: their own commands, first in a folder with good models, then with bad
//! ones.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5");

/// Returns the script of a step by its name.
fn script(step: &str) -> String {
    let action = include_str!("../action.yml");
    let from = action.split(&format!("- name: {step}\n")).nth(1).unwrap();
    let lines = from.split("      run: |\n").nth(1).unwrap().lines();
    lines.map_while(|line| line.strip_prefix("        ")).collect::<Vec<_>>().join("\n")
}

/// A runner's folders: a checkout, temporary files, and programs that replace others.
struct Runner {
    folder: TempDir,
    /// Folders of the search path before those of the system.
    path: Vec<PathBuf>,
    variables: Vec<(&'static str, String)>,
}

impl Runner {
    /// Creates a runner without bindpose.
    fn bare() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["checkout", "temp", "programs"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let path = vec![folder.path().join("programs")];
        Self { folder, path, variables: Vec::new() }
    }

    /// Creates a runner with this build of bindpose on its path.
    fn new() -> Self {
        let mut runner = Self::bare();
        runner.path.push(Path::new(env!("CARGO_BIN_EXE_bindpose")).parent().unwrap().to_owned());
        runner
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    fn checkout(&self) -> PathBuf {
        self.folder.path().join("checkout")
    }

    /// Adds a program that runs these lines of shell.
    fn add_program(&self, name: &str, lines: &str) {
        write_program(&self.folder.path().join("programs").join(name), lines);
    }

    /// Copies a test case to a folder of the checkout.
    fn copy(&self, name: &str, folder: &str) -> PathBuf {
        let folder = self.checkout().join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::copy(Path::new(CASES).join(name), folder.join(name)).unwrap();
        folder.join(name)
    }

    /// Runs a script as a GitHub runner does.
    fn run(&self, script: &str) -> Output {
        let root = self.folder.path();
        let folders = self.path.iter().map(|folder| folder.display().to_string());
        let path = folders.chain(["/usr/bin".into(), "/bin".into()]).collect::<Vec<_>>().join(":");
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).current_dir(self.checkout());
        command.env("PATH", path).env("RUNNER_TEMP", root.join("temp")).env("RUNNER_OS", "Linux");
        command.env("RUNNER_ARCH", "X64").env("PATHS", "models").env("PROFILE", "doom3,vkquake");
        command.env("FAIL_ON", "error").env("SARIF", "found.sarif").env("SNAPSHOTS", "shots").env("REPORT", "report");
        command.env("DOCS", "https://host/team/bindpose/blob/v1/docs/diagnostics.md");
        for file in ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_PATH"] {
            command.env(file, root.join("temp").join(file));
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.output().unwrap()
    }

    /// Returns the content of a file that steps append to.
    fn appended(&self, file: &str) -> String {
        fs::read_to_string(self.folder.path().join("temp").join(file)).unwrap_or_default()
    }
}

fn write_program(path: &Path, lines: &str) {
    fs::write(path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

/// Creates a release with an archive whose bindpose prints its version.
fn release(folder: &Path) -> PathBuf {
    let (release, name) = (folder.join("releases/v0.1.0"), "bindpose-0.1.0-x86_64-unknown-linux-gnu");
    fs::create_dir_all(release.join(name)).unwrap();
    write_program(&release.join(name).join("bindpose"), "echo bindpose of the release");
    let pack = format!("tar -czf {name}.tar.gz {name} && sha256sum {name}.tar.gz >SHA256SUMS");
    let packed = Command::new("sh").args(["-c", &pack]).current_dir(&release).status().unwrap();
    assert!(packed.success());
    release
}

#[test]
fn the_action_downloads_a_release_and_checks_its_sum() {
    let step = script("Download bindpose");
    let runner = Runner::bare();
    let release = release(runner.folder.path());
    let address = format!("file://{}", release.parent().unwrap().display());
    let runner = runner.with("VERSION", "0.1.0").with("RELEASES", address).with("SOURCE", env!("CARGO_MANIFEST_DIR"));
    let good = runner.run(&step);
    assert_eq!(code(&good), Some(0), "{}{}", text(&good.stdout), text(&good.stderr));
    let program = Path::new(runner.appended("GITHUB_PATH").trim()).join("bindpose");
    assert_eq!(text(&Command::new(program).output().unwrap().stdout), "bindpose of the release\n");
    assert_eq!(runner.appended("GITHUB_OUTPUT"), "", "nothing is built");

    let archive = release.join("bindpose-0.1.0-x86_64-unknown-linux-gnu.tar.gz");
    let mut bytes = fs::read(&archive).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&archive, bytes).unwrap();
    fs::remove_file(runner.folder.path().join("temp/GITHUB_PATH")).unwrap();
    let bad = runner.run(&step);
    assert_eq!((code(&bad), runner.appended("GITHUB_PATH").as_str()), (Some(1), ""));
    assert!(text(&bad.stdout).contains("::error::bindpose-0.1.0-x86_64-unknown-linux-gnu.tar.gz has another checksum"));
}

#[test]
fn the_action_builds_its_source_where_there_is_no_release() {
    let step = script("Download bindpose");
    let mut keys = Vec::new();
    for (version, arch) in [("", "X64"), ("0.1.0", "X64"), ("0.1.0", "ARM64")] {
        let runner = Runner::bare().with("VERSION", version).with("RELEASES", "file:///nowhere");
        let runner = runner.with("RUNNER_ARCH", arch).with("SOURCE", env!("CARGO_MANIFEST_DIR"));
        let found = runner.run(&step);
        assert_eq!(code(&found), Some(0), "{}{}", text(&found.stdout), text(&found.stderr));
        let output = runner.appended("GITHUB_OUTPUT");
        assert!(output.starts_with("build=true\nkey=bindpose-Linux-") && runner.appended("GITHUB_PATH").is_empty());
        keys.push(output.lines().nth(1).unwrap().to_owned());
    }
    assert_eq!(keys[0], keys[1], "the same source has the same key");

    let build = script("Build bindpose");
    for (is_cached, built) in [("", true), ("true", false)] {
        let runner = Runner::bare().with("SOURCE", "source").with("TOOLS", "tools").with("IS_CACHED", is_cached);
        runner.add_program("cargo", "echo \"$@\" >called");
        assert_eq!(code(&runner.run(&build)), Some(0));
        let called = fs::read_to_string(runner.checkout().join("called")).unwrap_or_default();
        assert_eq!(called.starts_with("install --path source --root tools --locked"), built, "{called}");
        assert_eq!(runner.appended("GITHUB_PATH"), "tools/bin\n");
    }
    let found = Runner::new().with("VERSION", "").with("RELEASES", "").with("SOURCE", "");
    assert!(text(&found.run(&step).stdout).starts_with("using "));
    assert_eq!(found.appended("GITHUB_OUTPUT"), "");
}

#[test]
fn the_action_installs_opengl_with_and_without_sudo() {
    let step = script("Install software OpenGL");
    for (user, has_sudo, does_draw, called) in
        [("0", false, false, "apt-get\napt-get\n"), ("1000", true, false, "sudo\nsudo\n"), ("0", false, true, "")]
    {
        let runner = Runner::bare();
        runner.add_program("id", &format!("echo {user}"));
        runner.add_program("apt-get", "echo apt-get >>called");
        runner.add_program("sudo", if has_sudo { "echo sudo >>called" } else { "exit 1" });
        runner.add_program("bindpose", if does_draw { "exit 0" } else { "exit 2" });
        assert_eq!(code(&runner.run(&step)), Some(0));
        assert_eq!(fs::read_to_string(runner.checkout().join("called")).unwrap_or_default(), called);
    }
    // A user who may not install packages continues without images.
    let runner = Runner::bare();
    runner.add_program("id", "echo 1000");
    runner.add_program("sudo", "exit 1");
    let output = runner.run(&step);
    assert!(code(&output) == Some(0) && text(&output.stdout).starts_with("::notice::OpenGL"));
}

/// Writes a broken copy of `base.md5mesh`.
fn break_mesh(path: &Path) {
    let broken = fs::read_to_string(path).unwrap().replace("weight 4 1 0.5", "weight 4 7 0.5");
    fs::write(path, broken).unwrap();
}

#[test]
fn the_action_annotates_and_fails_on_bad_models_only() {
    let runner = Runner::new();
    let path = runner.copy("base.md5mesh", "models");
    let good = runner.run(&script("Validate"));
    assert_eq!(code(&good), Some(0), "{}{}", text(&good.stdout), text(&good.stderr));
    assert_eq!(runner.appended("GITHUB_OUTPUT"), "errors=0\n");

    break_mesh(&path);
    let bad = runner.run(&script("Validate"));
    assert_eq!(code(&bad), Some(1), "{}", text(&bad.stderr));
    assert!(text(&bad.stdout).contains("::error file=models/base.md5mesh,line=31"), "{}", text(&bad.stdout));
    let sarif: serde_json::Value =
        serde_json::from_slice(&fs::read(runner.checkout().join("found.sarif")).unwrap()).unwrap();
    assert_eq!((&sarif["version"], &sarif["runs"][0]["results"][0]["level"]), (&"2.1.0".into(), &"error".into()));
    // Every rule links to a heading. GitHub makes anchors of headings.
    let page = include_str!("../docs/diagnostics.md");
    let headings = page.lines().filter_map(|line| line.strip_prefix("### "));
    let anchors: Vec<String> = headings.map(|heading| heading.to_lowercase().replace(' ', "-")).collect();
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(!rules.is_empty());
    for rule in rules {
        let link = rule["helpUri"].as_str().unwrap();
        let (address, anchor) = link.split_once('#').unwrap();
        assert_eq!(address, "https://host/team/bindpose/blob/v1/docs/diagnostics.md");
        assert!(anchors.iter().any(|known| known == anchor), "{link}");
    }
}

#[test]
fn the_action_shows_ten_annotations_errors_first_and_all_in_the_summary() {
    // The good models come first, and have notes.
    let runner = Runner::new().with("PATHS", "good models\nbad models\n");
    runner.copy("base.md5mesh", "good models");
    for number in 0..12 {
        break_mesh(&runner.copy("base.md5mesh", &format!("bad models/{number}, <b>")));
    }
    let output = runner.run(&script("Validate"));
    assert_eq!(code(&output), Some(1), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert_eq!(printed.lines().count(), 10, "{printed}");
    assert!(printed.lines().all(|line| line.starts_with("::error file=bad models/")), "{printed}");
    let errors: usize = runner.appended("GITHUB_OUTPUT").trim().strip_prefix("errors=").unwrap().parse().unwrap();
    let summary = runner.appended("GITHUB_STEP_SUMMARY");
    assert!(errors >= 12 && summary.matches(": error[MD5").count() == errors, "{errors} errors: {summary}");
    for number in 0..12 {
        let line = format!("\nbad models/{number}, &lt;b>/base.md5mesh:31:");
        assert!(summary.contains(&line), "{summary}");
    }
}

#[test]
fn the_action_reports_frames_that_changed() {
    let runner = Runner::new().with("PATHS", "my models");
    let path = runner.copy("base.md5mesh", "my models");
    runner.copy("base.md5anim", "my models");
    let recorded = runner.run("bindpose snapshot record 'my models' -o shots");
    assert_eq!(code(&recorded), Some(0), "{}", text(&recorded.stderr));
    let step = script("Compare frames with snapshots");
    let good = runner.run(&step);
    assert_eq!(code(&good), Some(0), "{}{}", text(&good.stdout), text(&good.stderr));

    let moved = fs::read_to_string(&path).unwrap().replace("( -8 0 -10 )", "( -8 0 -11 )");
    fs::write(&path, moved).unwrap();
    let bad = runner.run(&step);
    assert_eq!(code(&bad), Some(1), "{}{}", text(&bad.stdout), text(&bad.stderr));
    assert!(text(&bad.stdout).starts_with("::error file=my models/base.md5mesh"), "{}", text(&bad.stdout));
    let summary = runner.appended("GITHUB_STEP_SUMMARY");
    assert!(summary.contains("1 model: 1 same") && summary.contains("1 model: 1 changed"), "{summary}");
    assert_eq!(runner.appended("GITHUB_OUTPUT"), "changed=0\nreport=report\nchanged=1\nreport=report\n");
    assert!(runner.checkout().join("report/index.html").is_file());
}

/// Returns the entries of the hooks, to be run in a checkout of this repository.
fn hooks() -> [String; 2] {
    let hooks = include_str!("../.pre-commit-hooks.yaml");
    let entries: Vec<&str> = hooks.lines().filter_map(|line| line.strip_prefix("  entry: ")).collect();
    let [validate, verify] = entries[..] else { panic!("{entries:?}") };
    [validate, verify].map(|entry| format!("{}/{entry}", env!("CARGO_MANIFEST_DIR")))
}

#[test]
fn the_hooks_check_what_is_committed_with_its_neighbours() {
    let runner = Runner::new();
    let mesh = runner.copy("base.md5mesh", "models");
    let clip = runner.copy("base.md5anim", "models");
    runner.run("bindpose snapshot record models -o shots");
    let [validate, verify] = hooks();
    let code = |line: String| code(&runner.run(&line));
    let (of_clip, frames) = (format!("{validate} models/base.md5anim"), format!("{verify} models -s shots"));
    assert_eq!((code(of_clip.clone()), code(frames.clone())), (Some(0), Some(0)));
    // The error in README: the clip alone is valid, but its name for a joint differs from the mesh's.
    let text = fs::read_to_string(&clip).unwrap();
    let name = text.split('"').nth(3).unwrap();
    fs::write(&clip, text.replacen(name, "Head1", 1)).unwrap();
    fs::rename(&clip, clip.with_file_name("walk.md5anim")).unwrap();
    let output = runner.run(&format!("{validate} models/walk.md5anim"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("MD5P002"), "{output:?}");
    assert_eq!(output.status.code(), Some(1));
    fs::write(&mesh, "MD5Version 10\n").unwrap();
    assert_eq!((code(of_clip), code(frames)), (Some(2), Some(1)));
    // A committed file is no option, whatever its name is.
    fs::write(runner.checkout().join("--config=evil.x"), "[validate]\nfail-on = \"never\"\n").unwrap();
    let output = runner.run(&format!("{validate} models/base.md5mesh --config=evil.x"));
    let named = String::from_utf8_lossy(&output.stdout).contains("--config=evil.x");
    assert!(output.status.code() != Some(0) && named, "{output:?}");
}

#[test]
fn the_hooks_build_a_program_once_where_none_is_installed() {
    let runner = Runner::bare();
    let source = runner.folder.path().join("source");
    fs::create_dir_all(source.join("dist")).unwrap();
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/dist/pre-commit"), source.join("dist/pre-commit")).unwrap();
    let install = "echo \"$@\" >>called\nmkdir -p \"$6/bin\"\nprintf '#!/bin/sh\\necho ran \"$@\"\\n' >\"$6/bin/bindpose\"\n\
                   chmod +x \"$6/bin/bindpose\"";
    runner.add_program("cargo", install);
    for _ in 0..2 {
        let output = runner.run(&format!("{}/dist/pre-commit validate 'a b.x'", source.display()));
        assert_eq!(text(&output.stdout), "ran validate a b.x\n", "{}", text(&output.stderr));
    }
    let called = fs::read_to_string(runner.checkout().join("called")).unwrap();
    assert!(called.lines().count() == 1 && called.contains("--no-default-features --features cli"), "{called}");
}

#[test]
fn the_hooks_take_extensions_in_any_case() {
    for line in include_str!("../.pre-commit-hooks.yaml").lines().filter(|line| line.starts_with("  files:")) {
        assert!(line.contains("(?i)\\.(md5mesh|md5anim|"), "{line}");
    }
}
