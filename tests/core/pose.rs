//! Sampling, hierarchy, blending and root motion on a small hand-made skeleton.
//!
//! ```text
//! root ── arm ── hand
//!     └── tail
//! ```

use bindpose_core::model::{Clip, Interpolation, JointTracks, Skeleton, Timeline, TimelineId, Track, Transform};
use bindpose_core::pose::{
    LocalPose, ModelPose, RootMotion, apply_root_motion, blend, local_to_model, model_to_local, rest, sample,
};
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;

fn skeleton() -> Skeleton {
    let mut skeleton = Skeleton::new();
    let at = |x, y, z| Transform::from_rotation_translation(DQuat::IDENTITY, DVec3::new(x, y, z));
    let root = skeleton.push("root", None, at(0.0, 0.0, 1.0));
    let arm = skeleton.push("arm", Some(root), at(2.0, 0.0, 0.0));
    skeleton.push("hand", Some(arm), at(3.0, 0.0, 0.0));
    skeleton.push("tail", Some(root), at(-1.0, 0.0, 0.0));
    skeleton
}

/// Creates a clip in which the arm turns by a quarter about z from 1 s to 2 s. The root moves 10 units along x in 4 s,
/// at its own key times.
fn clip() -> Clip {
    let turn = Track { timeline: TimelineId(0), values: vec![DQuat::IDENTITY, DQuat::from_rotation_z(FRAC_PI_2)] };
    let walk = Track { timeline: TimelineId(1), values: vec![DVec3::Z, DVec3::new(10.0, 0.0, 1.0)] };
    let mut joints = vec![JointTracks::default(); 4];
    joints[0] = JointTracks::Parts { translation: Some(walk), rotation: None, scale: None };
    joints[1] = JointTracks::Parts { translation: None, rotation: Some(turn), scale: None };
    let timelines = [vec![1.0, 2.0], vec![0.0, 4.0]].map(|times| Timeline::new(times).unwrap());
    Clip { duration: 4.0, timelines: timelines.to_vec(), joints, ..Clip::default() }
}

fn posed(time: f64) -> LocalPose {
    let mut local = LocalPose::default();
    sample(&skeleton(), &clip(), time, &mut local);
    local
}

fn in_model_space(local: &LocalPose) -> Vec<DVec3> {
    let mut model = ModelPose::default();
    local_to_model(&skeleton(), local, &mut model);
    model.0.iter().map(|joint| joint.translation).collect()
}

fn assert_near(found: DVec3, expected: DVec3) {
    assert!(found.distance(expected) < 1e-12, "{found} instead of {expected}");
}

#[test]
fn rest_pose_multiplies_down_the_parents() {
    let mut local = LocalPose::default();
    rest(&skeleton(), &mut local);
    let joints = in_model_space(&local);
    assert_eq!(joints[2], DVec3::new(5.0, 0.0, 1.0));
    assert_eq!(joints[3], DVec3::new(-1.0, 0.0, 1.0));
}

#[test]
fn each_track_has_its_own_times_and_holds_at_its_ends() {
    // The arm holds before its first key, while the root moves.
    assert_near(in_model_space(&posed(0.5))[2], DVec3::new(1.25 + 5.0, 0.0, 1.0));
    // Half-way, the turn is an eighth of a full turn.
    let half = FRAC_PI_2 / 2.0;
    let hand = DVec3::new(3.75 + 2.0 + 3.0 * half.cos(), 3.0 * half.sin(), 1.0);
    assert_near(in_model_space(&posed(1.5))[2], hand);
    // Everything holds after the last keys.
    assert_near(in_model_space(&posed(99.0))[2], DVec3::new(12.0, 3.0, 1.0));
    assert_near(in_model_space(&posed(-1.0))[2], DVec3::new(5.0, 0.0, 1.0));
}

#[test]
fn a_joint_without_keys_keeps_its_rest_pose() {
    assert_eq!(posed(2.0).0[3], skeleton().joints()[3].rest_local);
}

#[test]
fn blending_goes_part_of_the_way_where_the_mask_lets_it() {
    let mut pose = posed(0.0);
    let other = posed(4.0);
    blend(&mut pose, &other, 0.5, Some(&[0.0, 1.0, 1.0, 1.0]));
    assert_eq!(pose.0[0].translation, DVec3::Z, "the root is masked out");
    assert!(pose.0[1].rotation.angle_between(DQuat::from_rotation_z(FRAC_PI_2 / 2.0)) < 1e-7);
    blend(&mut pose, &other, 1.0, None);
    assert_eq!(pose, other);
}

#[test]
fn root_motion_is_kept_or_removed() {
    let root_after = |motion, start| {
        let mut pose = posed(1.0);
        apply_root_motion(&skeleton(), &clip(), start, motion, &mut pose);
        pose.0[0].translation
    };
    assert_near(root_after(RootMotion::Keep, 0.0), DVec3::new(2.5, 0.0, 1.0));
    assert_near(root_after(RootMotion::Remove, 0.0), DVec3::new(0.0, 0.0, 1.0));
    assert_near(root_after(RootMotion::Remove, 0.5), DVec3::new(1.25, 0.0, 1.0));
}

#[test]
fn a_model_space_joint_becomes_local_and_back() {
    let parent =
        Transform::from_rotation_translation(DQuat::from_rotation_x(0.4), DVec3::new(1.0, 2.0, 3.0)).to_affine();
    let model =
        Transform::from_rotation_translation(DQuat::from_rotation_z(1.1), DVec3::new(-4.0, 0.5, 9.0)).to_affine();
    let back = parent * model_to_local(Some(parent), model).to_affine();
    assert!(back.abs_diff_eq(model, 1e-12));
}

/// Samples a joint between two whole keys.
fn between(from: Transform, to: Transform, share: f64, between: Interpolation) -> Transform {
    let keys = Track { timeline: TimelineId(0), values: vec![from, to] };
    let mut clip = Clip { timelines: vec![Timeline::new(vec![0.0, 1.0]).unwrap()], ..Clip::default() };
    clip.joints = vec![JointTracks::Whole { keys, between }];
    let mut skeleton = Skeleton::new();
    skeleton.push("only", None, Transform::IDENTITY);
    let mut local = LocalPose::default();
    sample(&skeleton, &clip, share, &mut local);
    local.0[0]
}

#[test]
fn sheared_keys_meet_in_elements() {
    let sheared = Transform { shear: DVec3::new(0.8, 0.0, 0.0), ..Transform::IDENTITY };
    let turned = Transform::from_rotation_translation(DQuat::from_rotation_z(0.5), DVec3::X);
    let found = between(sheared, turned, 0.25, Interpolation::Elements).to_affine().to_cols_array();
    let (from, to) = (sheared.to_affine().to_cols_array(), turned.to_affine().to_cols_array());
    for ((found, from), to) in found.iter().zip(from).zip(to) {
        assert!((found - (0.75 * from + 0.25 * to)).abs() < 1e-12);
    }
}

/// By Chasles' theorem, a blend of two dual quaternions rotates about the axis of the screw motion between them. A
/// rotation about an axis that both keys leave in place leaves it in place throughout.
#[test]
fn dual_quaternions_turn_about_the_screw_s_axis() {
    let about = DVec3::new(3.0, -1.0, 0.0);
    let turned = |degrees: f64| {
        let rotation = DQuat::from_rotation_z(degrees.to_radians());
        Transform::from_rotation_translation(rotation, about - rotation * about)
    };
    let mixed = |to, share| between(turned(0.0), to, share, Interpolation::DualQuaternions);
    for (share, degrees) in
        [(0.5, 60.0), (0.25, (0.25 * 60.0_f64.to_radians().sin()).atan2(0.75 + 0.25 * 0.5).to_degrees() * 2.0)]
    {
        // Half angles: q = (0, 0, sin, cos) of 0 and 60 degrees, mixed linearly and normalised.
        let found = mixed(turned(120.0), share);
        assert!(found.to_affine().transform_point3(about).distance(about) < 1e-12, "{share}");
        assert!(found.rotation.angle_between(turned(degrees).rotation) < 1e-7, "{share}");
    }
    let opposite = Transform { rotation: -turned(120.0).rotation, ..turned(120.0) };
    assert_eq!(mixed(opposite, 0.5).rotation, mixed(turned(120.0), 0.5).rotation);
}
