//! Poses and skinned vertices of real MD5 files against an independent f64 computation.

use crate::support;
use bindpose::budget::{Budget, MemoryLimit};
use bindpose::import::md5::{ImportedMesh, import_clip, import_mesh, import_skeleton};
use bindpose::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use bindpose::skin::{Skinned, linear};
use bindpose_parsers::md5::{parse_anim, parse_mesh};
use glam::{DAffine3, DQuat, DVec3};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Largest difference of positions, as a share of the model's size; the reader restores w in f64.
const POSITION: f64 = 5e-6;
/// Largest difference of joints, in radians.
const ANGLE: f64 = 1e-5;

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// Compares rows `[index, px, py, pz, qx, qy, qz, qw]` with joints in file order.
fn check_joints(what: &str, rows: &Value, joints: &[DAffine3], size: f64) {
    let size = joints.iter().map(|joint| joint.translation.abs().max_element()).fold(size, f64::max);
    for row in rows.as_array().unwrap() {
        let row = numbers(row);
        let joint = &joints[row[0] as usize];
        let position = DVec3::new(row[1], row[2], row[3]);
        let distance = joint.translation.distance(position);
        assert!(distance <= POSITION * size, "{what}: joint {} is {distance} off", row[0]);
        let expected = DQuat::from_xyzw(row[4], row[5], row[6], row[7]).normalize();
        let angle = bindpose::pose::rotation_of(joint).angle_between(expected);
        assert!(angle <= ANGLE, "{what}: joint {} is turned by {angle}", row[0]);
    }
}

/// Compares the golden boxes and sampled vertices of every mesh.
fn check_meshes(what: &str, meshes: &Value, imported: &ImportedMesh, pose: &ModelPose, size: f64) {
    let mut skinned = Skinned::default();
    for (mesh, expected) in imported.model.meshes.iter().zip(meshes.as_array().unwrap()) {
        linear(mesh, pose, &mut skinned);
        if skinned.positions.is_empty() {
            continue;
        }
        for row in expected["verts"].as_array().unwrap() {
            let row = numbers(row);
            let distance = skinned.positions[row[0] as usize].distance(DVec3::new(row[1], row[2], row[3]));
            assert!(distance <= POSITION * size, "{what}: {} vertex {} is {distance} off", mesh.name, row[0]);
        }
        let (min, max) = (numbers(&expected["bbox"][0]), numbers(&expected["bbox"][1]));
        let real_min = skinned.positions.iter().fold(DVec3::INFINITY, |a, &b| a.min(b));
        let real_max = skinned.positions.iter().fold(DVec3::NEG_INFINITY, |a, &b| a.max(b));
        let off = (real_min - DVec3::from_slice(&min)).abs().max((real_max - DVec3::from_slice(&max)).abs());
        assert!(off.max_element() <= POSITION * size, "{what}: box of {} is {off} off", mesh.name);
    }
}

fn in_file_order(pose: &ModelPose, imported: &ImportedMesh) -> Vec<DAffine3> {
    imported.joints.iter().map(|joint| pose.0[joint.index()]).collect()
}

/// The script still computes the same numbers. It was broken on purpose to see that this fails.
#[test]
fn the_numbers_of_the_samples_are_those_of_the_script() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/make.py");
    let Ok(output) = std::process::Command::new("python3").arg(script).arg("--check").output() else {
        return support::skip("computed no poses again: python3 is not installed");
    };
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && text == "13 samples\n", "{text}{errors}");
}

#[test]
fn bind_poses_and_frames_agree_with_the_independent_ones() {
    let (mut meshes, mut clips, mut pairs) = (0, 0, 0);
    let of = |[files, results]: [PathBuf; 2]| {
        support::files_with(&results, &["json"]).into_iter().map(move |path| (files.clone(), path))
    };
    for (files, path) in support::goldens().into_iter().flat_map(of) {
        let expected = json(&path);
        let file = expected["file"].as_str().unwrap();
        let read = |name: &str| std::fs::read(files.join(name)).unwrap();
        match expected["kind"].as_str().unwrap() {
            "md5mesh" => {
                let bytes = read(file);
                let document = parse_mesh(&bytes).unwrap_or_else(|error| panic!("{file}: {error}")).document;
                let imported = import_mesh(&document, false, &Budget::new(MemoryLimit::NONE)).unwrap();
                let size = expected["scale"].as_f64().unwrap_or(1.0);
                let mut local = LocalPose::default();
                let mut pose = ModelPose::default();
                rest(&imported.model.skeleton, &mut local);
                local_to_model(&imported.model.skeleton, &local, &mut pose);
                check_joints(file, &expected["bind"]["joints"], &in_file_order(&pose, &imported), size);
                check_meshes(file, &expected["bind"]["meshes"], &imported, &pose, size);
                meshes += 1;
            }
            "md5anim" => {
                let bytes = read(file);
                let document = parse_anim(&bytes).unwrap_or_else(|error| panic!("{file}: {error}")).document;
                let alone = import_skeleton(&document);
                check_frames(file, &expected["frames"], None, &document, &alone, 0.0);
                for pair in expected["skinned"].as_array().unwrap() {
                    let mesh_bytes = read(pair["mesh"].as_str().unwrap());
                    let mesh =
                        import_mesh(&parse_mesh(&mesh_bytes).unwrap().document, false, &Budget::new(MemoryLimit::NONE))
                            .unwrap();
                    let size = pair["scale"].as_f64().unwrap();
                    check_frames(file, &expected["frames"], Some(&pair["frames"]), &document, &mesh, size);
                    pairs += 1;
                }
                clips += 1;
            }
            _ => {}
        }
    }
    println!("{meshes} meshes, {clips} animations and {pairs} pairs compared with the independent poses");
    // Those of the samples.
    assert!(meshes >= 3 && clips >= 8 && pairs >= 8);
}

/// Poses `document` on `onto` at the golden frames. Checks joints in the animation's order, and vertices if `skinned`
/// is given.
fn check_frames(
    what: &str,
    joints: &Value,
    skinned: Option<&Value>,
    document: &bindpose_parsers::md5::AnimFile<'_>,
    onto: &ImportedMesh,
    size: f64,
) {
    let skeleton = &onto.model.skeleton;
    let clip =
        import_clip(document, "clip", skeleton, &onto.joints, &Budget::new(MemoryLimit::NONE)).unwrap().clip.unwrap();
    let rate = clip.frame_rate.unwrap();
    let mut local = LocalPose::default();
    let mut pose = ModelPose::default();
    for (index, frame) in joints.as_array().unwrap().iter().enumerate() {
        let number = frame["frame"].as_f64().unwrap();
        sample(skeleton, &clip, number / rate, &mut local);
        local_to_model(skeleton, &local, &mut pose);
        let what = format!("{what} frame {number}");
        check_joints(&what, &frame["joints"], &in_file_order(&pose, onto), size);
        if let Some(skinned) = skinned {
            check_meshes(&what, &skinned[index]["meshes"], onto, &pose, size);
        }
    }
}
