//! glTF that is written: what the Khronos validator says of it, and what an independent reader sees in it.

use crate::support;
use bindpose::export::Front;
use bindpose::export::gltf::{Container, Options, write};
use bindpose::load::{LoadOptions, load};
use bindpose::model::Model;
use std::path::{Path, PathBuf};
use std::process::Command;

fn load_model(path: &Path) -> Option<Model> {
    load(&[path], &LoadOptions { find_clips: true, ..LoadOptions::default() }).ok().map(|loaded| loaded.model)
}

fn front_of(path: &Path) -> Option<Front> {
    let is_x = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("x"));
    Some(if is_x { Front::NegativeY } else { Front::PositiveX })
}

/// Samples and, where it is there, the corpus.
fn models() -> Vec<PathBuf> {
    let mut paths = support::files_with(Path::new("data"), &["md5mesh", "md5anim", "x"]);
    if let Some(shared) = support::shared() {
        paths.extend(support::files_with(&shared.join("corpus"), &["md5mesh", "x"]));
    }
    paths
}

/// Runs the validator over a folder; `None` where there is no node, or it has no `gltf-validator`.
fn validator_report(folder: &Path) -> Option<Vec<String>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export/validator.js");
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/node_modules");
    let modules = std::env::var_os("NODE_PATH").unwrap_or_else(|| modules.into_os_string());
    let run = Command::new("node").arg(script).arg(folder).env("NODE_PATH", modules).output().ok()?;
    if !run.status.success() {
        let reason =
            String::from_utf8_lossy(&run.stderr).lines().find(|line| line.contains("Error")).map(str::to_owned);
        eprintln!("the glTF validator did not run: {}", reason.unwrap_or_default());
        return None;
    }
    Some(String::from_utf8_lossy(&run.stdout).lines().map(str::to_owned).collect())
}

#[test]
fn the_khronos_validator_has_nothing_to_say() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = 0;
    for (number, path) in models().iter().enumerate() {
        let Some(model) = load_model(path) else { continue };
        let stem = format!("{number} {}", model.name);
        let container = if number % 2 == 0 { Container::Glb } else { Container::Gltf };
        let options = Options { stem: stem.clone(), front: front_of(path), container, ..Options::default() };
        let output = write(&model, &options).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let extension = if container == Container::Glb { "glb" } else { "gltf" };
        std::fs::write(folder.path().join(format!("{stem}.{extension}")), &output.bytes).unwrap();
        for file in &output.beside {
            std::fs::write(folder.path().join(&file.name), &file.bytes).unwrap();
        }
        written += 1;
    }
    let Some(report) = validator_report(folder.path()) else { return };
    let (last, issues) = report.split_last().unwrap();
    assert_eq!(*last, format!("validated {written}"));
    eprintln!("the glTF validator read {written} files");
    // Texture coordinates stay where no image was found, and joints that only a clip moves are joints all the same.
    let is_fine = |issue: &&String| {
        issue.contains("info NODE_EMPTY /nodes/")
            || issue.contains("info UNUSED_OBJECT ") && issue.contains("/attributes/TEXCOORD_0 ")
    };
    let faults: Vec<&String> = issues.iter().filter(|issue| !is_fine(issue)).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}
