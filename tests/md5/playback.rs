//! The base files of the parsers' cases, posed and skinned: cases M01, M27, A01, A09b, A10, A27. Expectations come from
//! docs/formats/md5.md "Time and looping" and docs/formats/md5.md "The root joint".

use bindpose::budget::Budget;
use bindpose::engines::Engine;
use bindpose::import::md5::{ImportedMesh, import_clip, import_mesh};
use bindpose::model::Clip;
use bindpose::pose::{LocalPose, sample};
use bindpose::skin::{Skinned, linear};
use bindpose_parsers::md5::{parse_anim, parse_mesh};
use glam::DVec3;

const MESH: &str = include_str!("../cases/md5/base.md5mesh");
const ANIM: &str = include_str!("../cases/md5/base.md5anim");

fn mesh(text: &str) -> ImportedMesh {
    import_mesh(&parse_mesh(text.as_bytes()).unwrap().document, false, &Budget::default()).unwrap()
}

fn clip(text: &str) -> (ImportedMesh, Clip) {
    let onto = mesh(MESH);
    let document = parse_anim(text.as_bytes()).unwrap().document;
    let imported = import_clip(&document, "base", &onto.model.skeleton, &onto.joints, &Budget::default()).unwrap();
    (onto, imported.clip.unwrap())
}

/// Returns the clip as Doom 3 plays it.
fn doom3_clip(text: &str) -> (ImportedMesh, Clip) {
    let onto = mesh(MESH);
    let document = parse_anim(text.as_bytes()).unwrap().document;
    let (engine, skeleton) = (Engine::find("doom3").unwrap(), &onto.model.skeleton);
    let clip = engine.hold_clip(&document, "base", None, skeleton, &onto.joints, &Budget::default()).unwrap();
    (onto, clip)
}

fn posed(onto: &ImportedMesh, clip: &Clip, time: f64) -> LocalPose {
    let mut local = LocalPose::default();
    sample(&onto.model.skeleton, clip, time, &mut local);
    local
}

fn skin_at_rest(imported: &ImportedMesh) -> Skinned {
    let pose = LocalPose::rest(&imported.model.skeleton).to_model(&imported.model.skeleton);
    let mesh = &imported.model.meshes[0];
    let mut skinned = Skinned::default();
    linear(mesh, &pose, &mut skinned);
    skinned
}

/// Case M01.
#[test]
fn m01_the_base_mesh_has_the_engines_positions() {
    let skinned = skin_at_rest(&mesh(MESH));
    let corners = [[0., 0., 0.], [8., 0., 0.], [8., 8., 0.], [0., 8., 0.]].map(DVec3::from_array);
    for (position, corner) in skinned.positions.iter().zip(corners) {
        assert!(position.distance(corner) < 1e-6, "{position} instead of {corner}");
    }
    assert!(skinned.normals.iter().all(|normal| normal.distance(DVec3::Z) < 1e-12));
    assert!(skinned.tangents.iter().all(|tangent| tangent.distance(DVec3::X) < 1e-12));
}

/// Case M27: a weight sum of one half pulls the vertex half-way to the model's origin.
#[test]
fn m27_weights_are_not_normalised() {
    let text = MESH.replace("weight 2 0 1 ( 8 8 0 )", "weight 2 0 0.5 ( 4 4 4 )");
    assert_eq!(skin_at_rest(&mesh(&text)).positions[2], DVec3::splat(2.0));
}

/// Values according to docs/formats/md5.md "Time and looping", played once: milliseconds, root x, joint 1 z, and joint
/// 1 q (z, w) of the file.
#[test]
fn a01_poses_between_frames_are_the_engines() {
    let rows = [
        (0.0, 0.0, 10.0, (0.0, 1.0)),
        (41.0, 9.84, 11.968, (0.4927274, 0.8701838)),
        (42.0, 10.08, 12.016, (0.4927274, 0.8701838)),
        (83.0, 19.92, 13.984, (-0.4927274, 0.8701837)),
        (84.0, 20.0, 14.0, (-0.5, 0.8660254)),
        (200.0, 20.0, 14.0, (-0.5, 0.8660254)),
    ];
    let (onto, clip) = doom3_clip(ANIM);
    assert!((clip.duration - 2.0 / 24.0).abs() < 1e-15);
    for (milliseconds, root_x, bone_z, (z, w)) in rows {
        let local = posed(&onto, &clip, milliseconds / 1000.0);
        assert!(local.0[0].translation.distance(DVec3::new(root_x, 0.0, 0.0)) < 1e-9, "at {milliseconds}");
        assert!((local.0[1].translation.z - bone_z).abs() < 1e-9, "at {milliseconds}");
        // The file's quaternion is the conjugate of the quaternion for column vectors.
        let turned = local.0[1].rotation;
        let (turned_z, turned_w) = (-turned.z * turned.w.signum(), turned.w.abs());
        assert!((turned_z - z).abs() < 1e-6 && (turned_w - w).abs() < 1e-6, "at {milliseconds}: {turned}");
    }
}

#[test]
fn root_translation_is_the_files() {
    let (onto, clip) = clip(ANIM);
    assert_eq!(posed(&onto, &clip, 0.0).0[0].translation, DVec3::new(5.0, 6.0, 7.0));
    assert_eq!(posed(&onto, &clip, 1.0 / 24.0).0[0].translation, DVec3::new(15.0, 6.0, 7.0));
}

/// Case A27: a root without flags plays at the origin in the engine, and at its base frame according to the file.
#[test]
fn a27_the_engine_drops_a_static_root_offset() {
    let text = ANIM.replace("\"origin\"\t-1 1 0", "\"origin\"\t-1 0 0");
    let (onto, engine) = doom3_clip(&text);
    assert_eq!(posed(&onto, &engine, 0.0).0[0].translation, DVec3::ZERO);
    let (onto, file) = clip(&text);
    assert_eq!(posed(&onto, &file, 0.0).0[0].translation, DVec3::new(5.0, 6.0, 7.0));
}

/// Case A09b: a joint without flags stays at its base frame.
#[test]
fn a09b_without_flags_the_base_frame_shows() {
    let text = ANIM.replace("\"bone\"\t0 36 1", "\"bone\"\t0 0 0");
    let (onto, clip) = clip(&text);
    let local = posed(&onto, &clip, 1.0 / 24.0);
    assert_eq!(local.0[1].translation, DVec3::new(0.0, 0.0, 10.0));
}

/// Case A10: components that would be read from the next frame keep the base frame's value.
#[test]
fn a10_components_outside_the_frame_are_not_read() {
    let text = ANIM.replace("\"bone\"\t0 36 1", "\"bone\"\t0 36 2");
    let (onto, clip) = clip(&text);
    let local = posed(&onto, &clip, 0.0);
    assert_eq!(local.0[1].translation.z, 0.0, "the first component is frame 0's third value");
    assert_eq!(local.0[1].rotation.z, 0.0);
}

/// One frame is a still of length 0.
#[test]
fn a_clip_of_one_frame_holds_it() {
    let text = &ANIM[..ANIM.find("frame 1 {").unwrap()];
    let text =
        text.replace("numFrames 3", "numFrames 1").replace("\t( -2 -2 -2 ) ( 2 2 2 )\n\t( -3 -3 -3 ) ( 3 3 3 )\n", "");
    let (onto, clip) = clip(&text);
    assert_eq!(clip.duration, 0.0);
    assert_eq!(posed(&onto, &clip, 7.0).0[0].translation.x, 5.0);
}
