//! The example and misuse in C, compiled and run with the library.
#![cfg(unix)]

use bindpose::load::{LoadOptions, load};
use bindpose::pose::LocalPose;
use bindpose::skin::Skinned;
use std::path::Path;
use std::process::{Command, Output};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const MESH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/md5/cylinder.md5mesh");

/// Compiles a program in C with all warnings and runs it with `runner`, such as valgrind.
fn run(runner: &[&str], source: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    let test = std::env::current_exe().unwrap();
    let library = test.parent().unwrap().display();
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-g", "-o"]).arg(&program);
    compiler.arg(format!("-I{ROOT}/include")).arg(Path::new(ROOT).join(source));
    compiler.args([format!("-L{library}"), format!("-Wl,-rpath,{library}"), "-lbindpose_c".into(), "-lm".into()]);
    let compiled = compiler.output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let program = program.to_str().unwrap();
    let command: Vec<&str> = runner.iter().copied().chain([program]).chain(arguments.iter().copied()).collect();
    Command::new(command[0]).args(&command[1..]).output().unwrap()
}

#[test]
fn the_example_prints_what_the_library_computes() {
    let output = run(&[], "example.c", &["doom3", MESH]);
    let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    let model = load(&[MESH], &LoadOptions::with_clips()).unwrap().model;
    let (clip, mesh) = (&model.clips[0], &model.meshes[0]);
    let pose = LocalPose::of_clip(&model.skeleton, Some(clip), clip.duration / 2.0).to_model(&model.skeleton);
    let positions = Skinned::linear(mesh, &pose).positions;
    let mut expected = format!("{} at {} s\n", clip.name, clip.duration / 2.0);
    for (axis, name) in ["x", "y", "z"].iter().enumerate() {
        let along = || positions.iter().map(|position| position[axis] as f32);
        let (low, high) = (along().fold(f32::INFINITY, f32::min), along().fold(f32::NEG_INFINITY, f32::max));
        expected += &format!("{} {name}: {low:.5} to {high:.5}\n", mesh.name);
    }
    let report = printed.strip_prefix(&expected).unwrap_or_else(|| panic!("{printed}\ninstead of\n{expected}"));
    assert!(report.starts_with('{') && report.contains(MESH) && report.contains("doom3"), "{report}");
}

#[test]
fn failures_have_a_text() {
    for (engine, mesh, message) in [("doom3", "nothing.md5mesh", "nothing.md5mesh"), ("doom4", MESH, "doom4")] {
        let output = run(&[], "example.c", &[engine, mesh]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains(message), "{said}");
    }
    // Errors of memory, and what is not freed.
    let valgrind =
        ["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite"];
    let is_installed = Command::new(valgrind[0]).arg("--version").output().is_ok();
    let output = run(if is_installed { &valgrind } else { &[] }, "tests/misuse.c", &[MESH]);
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
}
