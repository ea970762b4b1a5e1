//! The application bundle of macOS, made here with a stand-in for `lipo`.

use crate::support::skip;
use bindpose::import::IMPORTERS;
use std::path::Path;
use std::process::Command;

/// Prints an Info.plist as its executable, its icon and its extensions, one a line.
const READ: &str = "import plistlib, sys; p = plistlib.load(open(sys.argv[1], 'rb')); \
    print('\\n'.join([p['CFBundleExecutable'], p['CFBundleIconFile'], p['CFBundleVersion'], \
    *p['CFBundleDocumentTypes'][0]['CFBundleTypeExtensions']]))";

#[test]
fn the_bundle_of_macos_is_complete() {
    if let Some(missing) =
        ["rsvg-convert", "python3"].into_iter().find(|program| Command::new(program).arg("--version").output().is_err())
    {
        return skip(&format!("made no bundle: {missing} is not installed"));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    // `lipo -create -output FILE PROGRAM…`
    let lipo = folder.path().join("lipo");
    std::fs::write(
        &lipo,
        "#!/bin/sh\n[ \"$1 $2\" = '-create -output' ] && out=$3 && shift 3 && cat \"$@\" >\"$out\"\n",
    )
    .unwrap();
    std::fs::write(folder.path().join("arm"), "ARM").unwrap();
    std::fs::write(folder.path().join("intel"), "INTEL").unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&lipo).status().unwrap().success());
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut bundle = Command::new(root.join("dist/macos/bundle"));
    let output = bundle.args(["arm", "intel"]).current_dir(folder.path()).env("PATH", path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let contents = root.join("target/bindpose.app/Contents");
    assert_eq!(std::fs::read_to_string(contents.join("MacOS/bindpose")).unwrap(), "ARMINTEL");

    let read = Command::new("python3").args(["-c", READ]).arg(contents.join("Info.plist")).output().unwrap();
    let read = String::from_utf8(read.stdout).unwrap();
    let [executable, icon, version, extensions @ ..] = &read.lines().collect::<Vec<_>>()[..] else { panic!("{read}") };
    assert_eq!((*executable, *icon, *version), ("bindpose", "bindpose.icns", env!("CARGO_PKG_VERSION")));
    let known: Vec<&str> = IMPORTERS.iter().flat_map(|importer| importer.extensions).copied().collect();
    assert!(known.iter().all(|known| extensions.contains(known)), "{extensions:?} beside {known:?}");

    // Magic and size of "icns", then of each image, which is a PNG.
    let icon = std::fs::read(contents.join("Resources").join(icon)).unwrap();
    let size = |at: usize| u32::from_be_bytes(icon[at + 4..at + 8].try_into().unwrap()) as usize;
    assert_eq!((&icon[..4], size(0)), (&b"icns"[..], icon.len()));
    let (mut at, mut sides) = (8, Vec::new());
    while at < icon.len() {
        sides.push(image::load_from_memory(&icon[at + 8..at + size(at)]).unwrap().width());
        at += size(at);
    }
    assert_eq!(sides, [16, 32, 128, 256, 512, 1024]);
}

#[test]
fn the_hosted_workflow_makes_the_bundle_of_both_architectures() {
    let workflow = include_str!("../.github/workflows/ci.yml");
    let bundle =
        "dist/macos/bundle target/aarch64-apple-darwin/debug/bindpose target/x86_64-apple-darwin/debug/bindpose";
    for step in [bundle, "-verify_arch arm64 x86_64", "plutil -lint", "bindpose.app/Contents/MacOS/bindpose --version"]
    {
        assert!(workflow.contains(step), "{step}");
    }
}
