//! The zip of the Blender extension, made here with stand-ins for wheels.

use crate::support::skip;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

const WHEELS: [&str; 2] =
    ["bindpose-0.1.0-cp310-abi3-manylinux_2_17_x86_64.whl", "bindpose-0.1.0-cp310-abi3-win_amd64.whl"];

/// Runs `dist/blender-extension` as a user whose files get the modes of a `umask`, and returns the path of the zip.
fn made(umask: &str, zip: PathBuf, wheels: &[PathBuf]) -> PathBuf {
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask $1; shift; exec dist/blender-extension \"$@\"", "sh", umask]).arg(&zip).args(wheels);
    let shell = shell.current_dir(env!("CARGO_MANIFEST_DIR")).env("SOURCE_DATE_EPOCH", "1000000000");
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    zip
}

/// Returns the names in a zip, all of the time that was asked for, and the manifest.
fn read(zip: &Path) -> (BTreeSet<String>, toml::Table) {
    let script = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); \
        assert {one.date_time for one in z.infolist()} == {(2001, 9, 9, 1, 46, 40)}; \
        print(*z.namelist(), sep='\\n'); print('---'); print(z.read('blender_manifest.toml').decode())";
    let read = Command::new("python3").args(["-c", script]).arg(zip).output().unwrap();
    let text = String::from_utf8(read.stdout).unwrap();
    let (names, manifest) = text.split_once("---").unwrap();
    (names.lines().map(str::to_owned).collect(), manifest.parse().unwrap())
}

#[test]
fn the_same_files_make_the_same_zip() {
    if let Some(missing) =
        ["zip", "python3"].into_iter().find(|name| Command::new(name).arg("--version").output().is_err())
    {
        return skip(&format!("made no extension: {missing} is not installed"));
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Wheels at other paths, of another time, in another order.
    let wheels = |place: &str, seconds: u64| {
        let write = |name: &&str| {
            let path = folder.join(place).join(name);
            std::fs::create_dir_all(folder.join(place)).unwrap();
            std::fs::write(&path, name).unwrap();
            let file = std::fs::File::open(&path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
            path
        };
        WHEELS.iter().map(write).collect::<Vec<_>>()
    };
    let (mut one, other) = (wheels("one", 1_000_000_000), wheels("other", 1_600_000_000));
    one.reverse();
    for (one, other, expected) in [(one, other, &WHEELS[..]), (Vec::new(), Vec::new(), &[])] {
        let one = made("022", folder.join("one.zip"), &one);
        let other = made("077", folder.join("other.zip"), &other);
        assert!(std::fs::read(&one).unwrap() == std::fs::read(&other).unwrap(), "with wheels: {expected:?}");
        let (names, manifest) = read(&one);
        let listed = manifest.get("wheels").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        let listed: Vec<_> = listed.iter().filter_map(toml::Value::as_str).map(str::to_owned).collect();
        assert_eq!(listed, expected.iter().map(|name| format!("./wheels/{name}")).collect::<Vec<_>>());
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("dist/blender");
        let own = std::fs::read_dir(source).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let own = own.filter(|name| name != "__pycache__");
        let expected = own.chain(expected.iter().map(|name| format!("wheels/{name}"))).collect();
        assert_eq!(names, expected);
    }
}

#[test]
fn the_hosted_workflow_puts_every_wheel_into_the_extension() {
    let workflow = include_str!("../.github/workflows/wheels.yml");
    for system in ["ubuntu-24.04,", "ubuntu-24.04-arm,", "windows-2025,", "macos-15,", "macos-15-intel,"] {
        assert!(workflow.contains(&format!("os: {system}")), "no wheel of {system}");
    }
    assert!(workflow.contains("dist/blender-extension bindpose-blender.zip wheels/*.whl"));
}
