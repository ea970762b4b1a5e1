//! One model in five files: MD5 and the four encodings of .x load into the same model and pose the same vertices. The
//! direction that is +X in MD5 is -Y in the .x file.

use bindpose::load::{LoadOptions, Loaded, load};
use bindpose::model::{JointTracks, Model};
use bindpose::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose::skin::{Skinned, linear};
use glam::{DMat3, DQuat, DVec3};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Share of the model's extent: the error of six printed decimals after a chain of nine joints.
const TOLERANCE: f64 = 1e-5;

const SAMPLES: [(&str, &[&str]); 2] =
    [("mannequin_light", &["idle", "walk", "run", "wave", "jump"]), ("cylinder", &["cylinder_bend", "cylinder_twist"])];

fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(path)
}

fn open(paths: &[PathBuf]) -> Loaded {
    let loaded = load(paths, &LoadOptions::default()).unwrap_or_else(|error| panic!("{paths:?}: {error:?}"));
    assert!(loaded.diagnostics.is_empty(), "{paths:?}: {:?}", loaded.diagnostics);
    loaded
}

/// Returns the MD5 model and its four .x variants.
fn five(name: &str, clips: &[&str]) -> (Arc<Model>, Vec<(String, Arc<Model>)>) {
    let mut md5 = vec![data(&format!("md5/{name}.md5mesh"))];
    md5.extend(clips.iter().map(|clip| data(&format!("md5/{clip}.md5anim"))));
    let twin = |suffix: &str| {
        let path = format!("x/{name}{suffix}.x");
        let model = open(&[data(&path)]).model;
        (path, model)
    };
    (open(&md5).model, ["", "_bin", "_tzip", "_bzip"].map(twin).into())
}

/// Rotation from MD5's front to that of .x files.
const TURN: DMat3 = DMat3::from_cols(DVec3::NEG_Y, DVec3::X, DVec3::Z);

fn extent(model: &Model) -> f64 {
    let (min, max) = model.meshes[0].bounds().expect("there are vertices");
    f64::from((max - min).length())
}

#[test]
fn the_five_files_have_the_same_model() {
    for (name, clips) in SAMPLES {
        let (md5, twins) = five(name, clips);
        let near = TOLERANCE * extent(&md5);
        for (path, twin) in twins {
            assert_eq!(twin.skeleton.len(), md5.skeleton.len(), "{path}");
            for (ours, theirs) in md5.skeleton.joints().iter().zip(twin.skeleton.joints()) {
                assert_eq!((&ours.name, ours.parent), (&theirs.name, theirs.parent), "{path}");
                let [a, b] = [ours.rest_local, theirs.rest_local];
                let turn = if ours.parent.is_none() { TURN } else { DMat3::IDENTITY };
                assert!((turn * a.translation).distance(b.translation) < near, "{path}: {}", ours.name);
                let rotation = DQuat::from_mat3(&(turn * DMat3::from_quat(a.rotation)));
                assert!(rotation.dot(b.rotation).abs() > 1.0 - 1e-12, "{path}: {}", ours.name);
            }
            let ([ours], [theirs]) = (&md5.meshes[..], &twin.meshes[..]) else { panic!("{path}: one mesh") };
            // Everything: same vertices in the same order, same triangles, same texture coordinates.
            assert_eq!(ours.triangles, theirs.triangles, "{path}");
            assert_eq!(ours.source_vertices, theirs.source_vertices, "{path}");
            for (vertex, (a, b)) in ours.uvs.iter().zip(&theirs.uvs).enumerate() {
                assert!(a.distance(*b) < 1e-6, "{path}: vertex {vertex} is at {a} and {b} of the texture");
            }
            for (vertex, (a, b)) in ours.positions.iter().zip(&theirs.positions).enumerate() {
                let a = TURN * a.as_dvec3();
                assert!(a.distance(b.as_dvec3()) < near, "{path}: vertex {vertex} stands at {a} and {b}");
            }
            for (vertex, (a, b)) in ours.normals.iter().zip(&theirs.normals).enumerate() {
                let a = TURN * a.as_dvec3();
                assert!(a.dot(b.as_dvec3()) > 1.0 - 1e-5, "{path}: vertex {vertex} faces {a} and {b}");
            }
            for vertex in 0..ours.vertex_count() {
                let sorted = |mesh: &bindpose::model::Mesh| {
                    let mut all: Vec<_> = mesh
                        .influences_of(vertex)
                        .iter()
                        .map(|influence| (mesh.bind[influence.slot as usize].joint, influence.weight, influence.offset))
                        .collect();
                    all.sort_by_key(|&(joint, ..)| joint);
                    all
                };
                let (a, b) = (sorted(ours), sorted(theirs));
                assert_eq!(a.len(), b.len(), "{path}: influences of vertex {vertex}");
                for (a, b) in a.into_iter().zip(b) {
                    assert_eq!(a.0, b.0, "{path}: joints of vertex {vertex}");
                    assert!((a.1 - b.1).abs() < 1e-6, "{path}: weights of vertex {vertex}: {} and {}", a.1, b.1);
                    assert!(f64::from(a.2.distance(b.2)) < near, "{path}: offsets of vertex {vertex}");
                }
            }
            let textures = |model: &Model| model.materials.len();
            assert_eq!(textures(&md5), textures(&twin), "{path}");
            assert_eq!(md5.clips.len(), twin.clips.len(), "{path}");
            for (ours, theirs) in md5.clips.iter().zip(&twin.clips) {
                assert_eq!((&ours.name, ours.looping), (&theirs.name, theirs.looping), "{path}");
                assert_eq!(ours.frame_rate, theirs.frame_rate, "{path}: {}", ours.name);
                assert!((ours.duration - theirs.duration).abs() < 1e-9, "{path}: {}", ours.name);
                let in_parts = |tracks: &JointTracks| matches!(tracks, JointTracks::Parts { .. });
                assert!(theirs.joints.iter().all(in_parts), "{path}: {}", ours.name);
            }
        }
    }
}

/// Returns the vertices of a clip at a time.
fn vertices(model: &Model, clip: usize, time: f64) -> Skinned {
    let (mut local, mut joints) = (LocalPose::default(), ModelPose::default());
    let mut skinned = Skinned::default();
    sample(&model.skeleton, &model.clips[clip], time, &mut local);
    local_to_model(&model.skeleton, &local, &mut joints);
    linear(&model.meshes[0], &joints, &mut skinned);
    skinned
}

#[test]
fn the_five_files_pose_the_same_vertices() {
    for (name, clips) in SAMPLES {
        let (md5, twins) = five(name, clips);
        let near = TOLERANCE * extent(&md5);
        for (path, twin) in twins {
            for (number, clip) in md5.clips.iter().enumerate() {
                // The first time, a middle one, one between frames, and the last one.
                for share in [0.0, 0.25, 0.507, 0.83, 1.0] {
                    let time = clip.duration * share;
                    let (ours, theirs) = (vertices(&md5, number, time), vertices(&twin, number, time));
                    for (vertex, (a, b)) in ours.positions.iter().zip(&theirs.positions).enumerate() {
                        let distance = (TURN * *a).distance(*b);
                        assert!(
                            distance < near,
                            "{path}: {} at {time}: vertex {vertex} is off by {distance}",
                            clip.name
                        );
                    }
                    for (vertex, (a, b)) in ours.normals.iter().zip(&theirs.normals).enumerate() {
                        let a = TURN * *a;
                        assert!(a.dot(*b) > 1.0 - 1e-5, "{path}: {} at {time}: normal of {vertex}", clip.name);
                    }
                }
            }
        }
    }
}
