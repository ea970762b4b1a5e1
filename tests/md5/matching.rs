//! Matching of an animation's channels with a mesh's joints, and reports of differences.

use bindpose::budget::Budget;
use bindpose::import::md5::{Difference, ImportedClip, ImportedMesh, import_clip, import_mesh};
use bindpose::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose_parsers::md5::{parse_anim, parse_mesh};
use glam::DVec3;

/// Creates a mesh file with joints only: name, parent and position in model space, without rotation.
fn mesh(joints: &[(&str, i32, [f64; 3])]) -> ImportedMesh {
    let lines: String = joints
        .iter()
        .map(|(name, parent, [x, y, z])| format!("\"{name}\" {parent} ( {x} {y} {z} ) ( 0 0 0 )\n"))
        .collect();
    let text =
        format!("MD5Version 10\ncommandline \"\"\nnumJoints {}\nnumMeshes 0\njoints {{\n{lines}}}\n", joints.len());
    import_mesh(&parse_mesh(text.as_bytes()).unwrap().document, false, &Budget::default()).unwrap()
}

/// Creates an animation of one frame that puts each joint at a position relative to its parent.
fn clip(joints: &[(&str, i32, [f64; 3])], onto: &ImportedMesh) -> ImportedClip {
    let (mut hierarchy, mut baseframe) = (String::new(), String::new());
    for (name, parent, [x, y, z]) in joints {
        hierarchy += &format!("\"{name}\" {parent} 0 0\n");
        baseframe += &format!("( {x} {y} {z} ) ( 0 0 0 )\n");
    }
    let text = format!(
        "MD5Version 10\ncommandline \"\"\nnumFrames 1\nnumJoints {}\nframeRate 24\nnumAnimatedComponents 0\n\
         hierarchy {{\n{hierarchy}}}\nbounds {{\n( 0 0 0 ) ( 1 1 1 )\n}}\nbaseframe {{\n{baseframe}}}\nframe 0 {{\n}}\n",
        joints.len()
    );
    let document = parse_anim(text.as_bytes()).unwrap().document;
    import_clip(&document, "clip", &onto.model.skeleton, &onto.joints, &Budget::default()).unwrap()
}

/// Returns the model-space positions of all joints in the clip's first frame.
fn positions(onto: &ImportedMesh, imported: &ImportedClip) -> Vec<DVec3> {
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    sample(&onto.model.skeleton, imported.clip.as_ref().unwrap(), 0.0, &mut local);
    local_to_model(&onto.model.skeleton, &local, &mut model);
    model.0.iter().map(|joint| joint.translation).collect()
}

const ORIGIN: (&str, i32, [f64; 3]) = ("origin", -1, [0.0, 0.0, 0.0]);

#[test]
fn equal_hierarchies_have_no_difference() {
    let onto = mesh(&[ORIGIN, ("bone", 0, [0.0, 0.0, 1.0])]);
    let imported = clip(&[ORIGIN, ("bone", 0, [0.0, 0.0, 5.0])], &onto);
    assert_eq!(imported.differences, []);
    assert_eq!(positions(&onto, &imported)[1], DVec3::new(0.0, 0.0, 5.0));
}

/// Case P10: Doom 3 refuses a renamed joint. We match by position and report it.
#[test]
fn p10_a_renamed_joint_is_matched_by_position() {
    let onto = mesh(&[ORIGIN, ("bone", 0, [0.0, 0.0, 1.0])]);
    let imported = clip(&[ORIGIN, ("Bone", 0, [0.0, 0.0, 5.0])], &onto);
    assert_eq!(imported.differences, [Difference::Renamed { channel: 1, joint: onto.joints[1] }]);
    assert!(imported.warnings[0].message.contains("'Bone' here and 'bone' in the mesh"), "{:?}", imported.warnings);
    assert_eq!(positions(&onto, &imported)[1], DVec3::new(0.0, 0.0, 5.0));
}

/// Case P11: a different order does not matter if names agree.
#[test]
fn p11_joints_in_another_order_are_matched_by_name() {
    let onto = mesh(&[ORIGIN, ("left", 0, [0.0, 1.0, 0.0]), ("right", 0, [0.0, -1.0, 0.0])]);
    let imported = clip(&[ORIGIN, ("right", 0, [0.0, -7.0, 0.0]), ("left", 0, [0.0, 7.0, 0.0])], &onto);
    assert_eq!(imported.differences, [Difference::OtherOrder { channel: 1 }]);
    assert_eq!(positions(&onto, &imported)[1..], [DVec3::new(0.0, 7.0, 0.0), DVec3::new(0.0, -7.0, 0.0)]);
}

/// Case P12: an additional joint moves nothing. A joint that only the mesh has keeps its rest pose.
#[test]
fn p12_joints_of_one_side_only_are_reported() {
    let onto = mesh(&[ORIGIN, ("bone", 0, [0.0, 0.0, 1.0]), ("tip", 1, [0.0, 0.0, 3.0])]);
    let imported = clip(&[ORIGIN, ("bone", 0, [0.0, 0.0, 5.0]), ("tail", 0, [9.0, 0.0, 0.0])], &onto);
    let expected = [Difference::OnlyInClip { channel: 2 }, Difference::OnlyInMesh { joint: onto.joints[2] }];
    assert_eq!(imported.differences, expected);
    assert_eq!(positions(&onto, &imported)[2], DVec3::new(0.0, 0.0, 7.0), "two units above its parent, as at rest");
}

/// A joint that only the mesh has is between two joints of the clip. Joints below it have the clip's positions.
#[test]
fn an_additional_joint_does_not_move_its_descendants() {
    let onto = mesh(&[ORIGIN, ("twist", 0, [0.0, 0.0, 1.0]), ("hand", 1, [0.0, 0.0, 4.0])]);
    let imported = clip(&[ORIGIN, ("hand", 0, [0.0, 2.0, 6.0])], &onto);
    assert!(imported.differences.contains(&Difference::OtherParent { channel: 1, joint: onto.joints[2] }));
    assert_eq!(positions(&onto, &imported)[1..], [DVec3::new(0.0, 0.0, 1.0), DVec3::new(0.0, 2.0, 6.0)]);
}

#[test]
fn nothing_in_common_is_no_clip() {
    let onto = mesh(&[ORIGIN, ("bone", 0, [0.0, 0.0, 1.0])]);
    let imported = clip(&[("a", -1, [0.0; 3])], &onto);
    assert!(imported.clip.is_none());
    assert_eq!(imported.warnings.last().unwrap().code, "MD5I010");
}

/// Case M09: a joint whose parent comes later is put after it. A joint that is its own parent becomes a root.
#[test]
fn m09_joints_out_of_order_are_sorted_and_circles_cut() {
    let onto = mesh(&[("hand", 1, [0.0, 0.0, 4.0]), ("arm", -1, [0.0, 0.0, 1.0]), ("loop", 2, [0.0; 3])]);
    let names: Vec<&str> = onto.model.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["arm", "hand", "loop"]);
    let codes: Vec<&str> = onto.warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(codes, ["MD5I003", "MD5I002"]);
    assert_eq!(onto.model.skeleton[onto.joints[0]].rest_local.translation, DVec3::new(0.0, 0.0, 3.0));
}
