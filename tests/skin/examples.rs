//! The bundled example poses: `sjbbe` reproduces each on its vertices.

use crate::support;
use bindpose::budget::MemoryLimit;
use bindpose::load::{LoadOptions, load};
use bindpose::model::JointId;
use bindpose::pose::{LocalPose, ModelPose, local_to_model, rest};
use bindpose::skin::{Data, MethodId, Prepared, Skinned, TimedPose, reference};
use std::path::Path;
use std::process::Command;

/// Largest distance of `sjbbe` from an example, as a share of the model's extent: six printed decimals of the example
/// and f32 offsets.
const MET: f64 = 1e-6;

/// Returns the rest pose with one joint turned in its parent's axes.
fn turned(skeleton: &bindpose::model::Skeleton, joint: JointId, turn: glam::DQuat) -> ModelPose {
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    rest(skeleton, &mut local);
    let rotation = &mut local.0[joint.index()].rotation;
    *rotation = turn * *rotation;
    local_to_model(skeleton, &local, &mut pose);
    pose
}

/// Files that are found unasked stay in the model's folder, and nothing of others is quoted.
#[test]
#[cfg(unix)]
fn examples_behind_links_out_of_the_folder_are_refused() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(other.path().join("secret"), "root:x:0\n").unwrap();
    let link = |name: &str| {
        let link = folder.path().join(name);
        std::os::unix::fs::symlink(other.path().join("secret"), &link).unwrap();
        link
    };
    let (model, limit) = (bindpose::model::Model::default(), MemoryLimit::default());
    let error = bindpose::examples::read(&link("m.examples.toml"), &model.skeleton, limit).unwrap_err();
    let error = format!("{error:?}");
    assert!(error.contains("Outside") && !error.contains("root:x"), "{error}");
}

/// A script computes the vertices of all methods of examples again, from the formulas in docs/methods.md.
#[test]
fn another_program_computes_the_same_vertices() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let script = Command::new("python3")
        .arg(root.join("tests/skin/corrections.py"))
        .args([Path::new(env!("CARGO_BIN_EXE_bindpose")), &root.join("data/md5"), folder.path()])
        .output();
    let Ok(script) = script else { return support::skip("computed no corrections again: python3 is not installed") };
    assert!(script.status.success(), "{}", String::from_utf8_lossy(&script.stderr));
    let text = String::from_utf8(script.stdout).unwrap();
    let rows: Vec<[&str; 5]> = text.lines().map(|it| it.split(' ').collect::<Vec<_>>().try_into().unwrap()).collect();
    let of = |name: &str| rows.iter().filter(|[_, method, ..]| *method == name).count();
    let methods = ["sjbbe", "sbe", "psd", "eigenskin", "mwe", "sjbbe-article"];
    assert_eq!(methods.map(of), [2, 2, 2, 3, 2, 2], "{text}");
    for [model, method, pose, apart, _] in &rows {
        assert!(apart.parse::<f64>().unwrap() < 2e-7, "{model}, {method}, {pose}: {apart}");
    }
    // Six examples are three components, four of other joints one each.
    assert_eq!((rows[3][4], rows[12][4]), ("1", "3"), "{text}");
}

#[test]
fn bundled_examples_are_met() {
    for (name, count) in [("cylinder", 2), ("mannequin_light", 4)] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/md5").join(format!("{name}.md5mesh"));
        let model = load(&[&path], &LoadOptions::default()).unwrap().model;
        let examples =
            bindpose::examples::read(&bindpose::examples::path_beside(&path), &model.skeleton, MemoryLimit::default())
                .unwrap();
        assert_eq!(examples.len(), count, "{name}");
        let mesh = &model.meshes[0];
        let (min, max) = mesh.bounds().unwrap();
        let extent = f64::from(min.distance(max));
        let prepared = Prepared::new(MethodId::Sjbbe, &model.skeleton, mesh, &examples, None).unwrap();
        let plain = Prepared::new(MethodId::Sjb, &model.skeleton, mesh, &[], None).unwrap();
        let Data::Corrections(corrections) = &prepared.data else { panic!("{name} has no corrections") };
        assert_eq!(*corrections.left_out, [], "{name}");
        for example in &examples {
            let pose = turned(&model.skeleton, example.joint, example.turn);
            let moment = TimedPose { pose: &pose, time: 0.0 };
            let (mut with, mut without) = (Skinned::default(), Skinned::default());
            reference(&prepared, moment, &mut with);
            reference(&plain, moment, &mut without);
            let (mut met, mut moved): (usize, f64) = (0, 0.0);
            for vertex in 0..mesh.vertex_count() {
                let joint = corrections.support[vertex].map(|place| corrections.joints[place as usize].joint);
                if joint == Some(example.joint) {
                    let shape = example.meshes[0].positions[mesh.source_vertices[vertex] as usize].as_dvec3();
                    let apart = with.positions[vertex].distance(shape);
                    assert!(apart <= MET * extent, "{}: vertex {vertex} is {apart} off", example.name);
                    moved = moved.max(without.positions[vertex].distance(shape));
                    met += 1;
                } else {
                    // Examples of other joints have no effect, up to rounding.
                    let apart = with.positions[vertex].distance(without.positions[vertex]);
                    assert!(apart <= 1e-12 * extent, "{}: vertex {vertex} is {apart} off", example.name);
                }
            }
            assert!(met > 20, "{}: {met} vertices", example.name);
            assert!(moved > 0.005 * extent, "{}: nothing to correct ({moved})", example.name);
        }
    }
}
