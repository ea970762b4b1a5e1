//! Every dialect of GLSL draws the same.

use crate::support;
use bindpose::skin::MethodId;
use std::path::Path;
use std::process::Command;

/// Creates a command of the program with these `variables`, whichever dialect the tests are run with.
fn bindpose(variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    for (name, _) in support::CORE {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    command
}

/// Draws with the files and options of `arguments`, where names with `/` are below `data`. Returns the channels.
fn draw(arguments: &[&str], variables: &[(&str, &str)]) -> Vec<u8> {
    let data = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/data"));
    let place = |argument: &&str| match argument.contains('/') {
        true => data.join(argument).into_os_string(),
        false => argument.into(),
    };
    let folder = tempfile::tempdir().unwrap();
    let mut command = bindpose(variables);
    command.args(["render", "-o", "a.png", "--size", "96x96"]).args(arguments.iter().map(place));
    let output = command.current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    image::open(folder.path().join("a.png")).unwrap().into_rgba8().into_raw()
}

#[test]
fn every_dialect_draws_the_same() {
    if support::gpu().is_none() {
        return;
    }
    let walk = ["md5/mannequin_light.md5mesh", "md5/walk.md5anim", "--time", "0.3"];
    let more: [&[&str]; 5] = [
        &["--copies", "4", "--method", "bone-texture"],
        &["--copies", "2", "--method", "gpu-hierarchy"],
        &["--method", "quat-array"],
        &["--shading", "normals"],
        &["--shading", "specular", "--no-grid"],
    ];
    let methods = MethodId::all().enumerate().filter(|(at, _)| support::is_sampled(*at, 0, 8));
    let methods = methods.map(|(_, id)| [&walk[..], &["--method", id.method().name]].concat());
    let mut cases: Vec<Vec<&str>> = methods.chain(more.map(|more| [&walk[..], more].concat())).collect();
    cases.push(vec!["quake/progs/banner.md5mesh", "--as", "vkquake"]);
    for case in cases {
        let as_written = draw(&case, &[]);
        assert!(as_written.iter().any(|&channel| channel != as_written[0]), "{case:?} shows nothing");
        // In core contexts Mesa rounds differently, whichever version it compiles.
        for (variables, most) in [(support::CORE, 2), (&[("BINDPOSE_GLSL", "300 es")][..], 0)] {
            let drawn = draw(&case, variables);
            let found = as_written.iter().zip(&drawn).map(|(a, b)| a.abs_diff(*b)).max();
            assert!(drawn.len() == as_written.len() && found <= Some(most), "{case:?} {variables:?}: {found:?}");
        }
    }
}

#[test]
fn doctor_names_the_dialect() {
    if support::gpu().is_none() {
        return;
    }
    let doctor = |variables: &[(&str, &str)]| {
        String::from_utf8(bindpose(variables).arg("doctor").output().unwrap().stdout).unwrap()
    };
    let core = doctor(support::CORE);
    assert!(core.contains("(Core Profile)") && core.contains("1.50, because this context refuses 1.20"), "{core}");
    assert!(doctor(&[]).contains("1.10 to 1.30, as written"));
    assert!(!core.contains("  no"), "{core}");
}
