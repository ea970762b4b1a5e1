//! Content of a snapshot.

use super::figure::{figure, turn};
use bindpose::model::{Clip, Model};
use bindpose::snapshot::{FrameRef, Input, Sample, Snapshot, assert_unchanged};
use glam::{DQuat, DVec3};

fn joint(snapshot: &Snapshot, name: &str) -> usize {
    snapshot.joints.iter().position(|joint| joint.name == name).unwrap()
}

#[test]
fn a_snapshot_has_names_counts_and_hierarchy() {
    let snapshot = Snapshot::take(&figure(), vec![Input::new("figure.md5mesh", b"a")]);
    let parents: Vec<_> = snapshot.joints.iter().map(|joint| joint.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(2), Some(0)]);
    let counts: Vec<_> =
        snapshot.meshes.iter().map(|mesh| (mesh.vertices, mesh.triangles.count, mesh.influences)).collect();
    assert_eq!(counts, [(6, 4, 12), (4, 2, 8)]);
    let clips: Vec<_> = snapshot.clips.iter().map(|clip| (clip.name.as_str(), clip.frame_rate)).collect();
    assert_eq!(clips, [("wave", Some(24.0)), ("stretch", None)]);
    // The published digest of the letter "a" (XXH3, 128 bits).
    assert_eq!(snapshot.inputs[0].xxh128, "a96faf705af16834e6c632b61e964e1f");
}

/// Every frame, and times between frames. The values are those of the model's description.
#[test]
fn a_snapshot_has_every_frame_in_model_space() {
    let snapshot = Snapshot::take(&figure(), Vec::new());
    let wave = &snapshot.clips[0].frames;
    let keys: Vec<_> = wave.samples.iter().filter(|sample| !sample.frame.is_between).collect();
    assert_eq!(keys.len(), 12);
    assert_eq!(wave.samples.len(), 16);
    for (frame, sample) in keys.iter().enumerate() {
        assert_eq!(sample.frame, FrameRef::at(frame as u32));
        assert!((sample.time - frame as f64 / 24.0).abs() < 1e-9);
        let pose = sample.model_pose(&snapshot.skeleton());
        let root = DVec3::new(0.0625 * frame as f64, 0.0, 1.0);
        assert!(pose.0[joint(&snapshot, "root")].translation.distance(root) < 4e-9);
        let tail = pose.0[joint(&snapshot, "tail")];
        assert!(tail.translation.distance(root - DVec3::X * 0.25) < 4e-9);
        let local = sample.joints[joint(&snapshot, "tail")];
        let expected = turn(DVec3::Y, 0.3 - 0.05 * frame as f64);
        assert!((local.rotation.dot(expected).abs() - 1.0).abs() < 4e-9);
    }
    let rest = &snapshot.rest.samples;
    assert_eq!(rest.len(), 1);
    assert!(rest[0].joints[0].rotation.dot(DQuat::IDENTITY).abs() > 1.0 - 1e-12);
}

/// Digests of the frames of `wave`, and numbers of frame 7, all computed by the Python program beside this test.
#[test]
fn a_snapshot_has_the_numbers_of_an_independent_program() {
    let snapshot = Snapshot::take(&figure(), Vec::new());
    let frames = snapshot.clips[0].frames.samples.iter().filter(|sample| !sample.frame.is_between);
    let (digests, frames): (Vec<u32>, Vec<&Sample>) = frames.map(|sample| (sample.digests.local, sample)).unzip();
    assert_eq!(digests, LOCAL_DIGESTS);
    let (min, max) = frames[7].bounds.unwrap();
    let found = [frames[7].joint_sums, [min, max], frames[7].position_sums].concat();
    for (found, expected) in found.into_iter().zip(FRAME_7) {
        assert!((found - DVec3::from_array(expected)).abs().max_element() < 8e-9, "{found} {expected:?}");
    }
}

const LOCAL_DIGESTS: [u32; 12] = [
    4179544220, 2594417851, 1772065657, 831022897, 1660079895, 282972267, 2485443314, 1700890287, 2045867586,
    2461354146, 4021798454, 913868374,
];

/// Two sums of joints, lowest and highest corner of the vertices, two sums of their positions.
const FRAME_7: [[f64; 3]; 6] = [
    [0.43074324, -0.70254066, 0.40115999],
    [-0.99663005, 0.20860755, 3.13396022],
    [0.32336741, -0.30337422, 0.99394582],
    [0.91673895, 0.72519684, 2.02197952],
    [-1.09850513, 1.29143103, 0.06713413],
    [0.60196475, -0.56441117, 2.09493325],
];

#[test]
fn a_snapshot_does_not_depend_on_the_number_of_threads() {
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Snapshot::take(&figure(), Vec::new()).to_bytes())
    };
    assert_eq!(with(1), with(7));
}

#[test]
fn empty_models_have_a_snapshot() {
    for model in [Model::default(), Model { clips: vec![Clip::default()], ..Model::default() }] {
        let snapshot = Snapshot::take(&model, Vec::new());
        assert_eq!(snapshot.size, 1.0);
        let read = Snapshot::from_bytes(&snapshot.to_bytes()).unwrap();
        assert_eq!(read, snapshot);
    }
}

/// The example of the documentation, which is all that a project's test needs.
#[test]
fn a_test_can_verify_a_model() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshot/figure-5.snapshot");
    assert_unchanged(path, &figure());
}
