//! Helper joints that share the rotation of a joint.

use bindpose_core::cylinder::{Cylinder, Shape};
use bindpose_core::model::{
    BindJoint, Clip, JointId, JointTracks, Model, Timeline, TimelineId, Track, Transform, add_helpers, existing_helpers,
};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose_core::skin::linear_position;
use glam::{DQuat, DVec3};

/// Returns the cylinder with a clip of the second joint's rotations, one second apart.
fn tube(rotations: &[DQuat]) -> (Model, JointId) {
    let Cylinder { skeleton, mesh, .. } = Cylinder::new(Shape::USUAL);
    let far = skeleton.find("far").unwrap();
    let keys = Track { timeline: TimelineId(0), values: rotations.to_vec() };
    let turned = JointTracks::Parts { translation: None, rotation: Some(keys), scale: None };
    let timelines = vec![Timeline::new((0..rotations.len()).map(|key| key as f64).collect()).unwrap()];
    let clip = Clip { timelines, joints: vec![JointTracks::default(), turned], ..Clip::default() };
    (Model { skeleton, meshes: vec![mesh], clips: vec![clip], ..Model::default() }, far)
}

fn local(model: &Model, time: f64) -> LocalPose {
    let mut local = LocalPose::default();
    sample(&model.skeleton, &model.clips[0], time, &mut local);
    local
}

/// Calculated by hand: each link of the chain turns by its share of the twist about x, then of the bend about z,
/// around the joint at x = 2. A vertex is the mean of two neighbouring links, weighted by its distance from them.
#[test]
fn a_tube_follows_its_links() {
    for (twist, bend, count) in [(175.0, 0.0, 2), (0.0, 120.0, 1), (100.0, -70.0, 3), (-179.0, 175.0, 8)] {
        let [twist, bend] = [twist, bend].map(f64::to_radians);
        let (mut model, far) = tube(&[DQuat::from_rotation_z(bend) * DQuat::from_rotation_x(twist)]);
        let before = model.meshes[0].clone();
        add_helpers(&mut model, far, count).unwrap();
        let mut pose = ModelPose::default();
        local_to_model(&model.skeleton, &local(&model, 0.0), &mut pose);
        let link = |number: usize, [x, y, z]: [f64; 3]| {
            let share = number as f64 / (count + 1) as f64;
            let ((sin, cos), (sine, cosine)) = ((share * twist).sin_cos(), (share * bend).sin_cos());
            let (x, y, z) = (x - 2.0, y * cos - z * sin, y * sin + z * cos);
            DVec3::new(x * cosine - y * sine + 2.0, x * sine + y * cosine, z)
        };
        for vertex in 0..before.vertex_count() {
            let of_far = before.influences_of(vertex).iter().find(|influence| influence.slot == 1);
            let place = of_far.map_or(0.0, |influence| f64::from(influence.weight)) * (count + 1) as f64;
            let first = place.floor().min(count as f64);
            let at = before.positions[vertex].as_dvec3().to_array();
            let expected = link(first as usize, at).lerp(link(first as usize + 1, at), place - first);
            let found = linear_position(&model.meshes[0], &pose, vertex);
            assert!(found.distance(expected) < 1e-6, "{twist} {bend} {count} {vertex}: {found}, not {expected}");
            assert!(model.meshes[0].influences_of(vertex).len() <= 2);
        }
    }
}

#[test]
fn a_twist_beyond_half_a_turn_goes_on() {
    let keys = [0.0, 120.0, 240.0, 300.0_f64, 400.0];
    let (mut model, far) = tube(&keys.map(|degrees| DQuat::from_rotation_x(degrees.to_radians())));
    add_helpers(&mut model, far, 1).unwrap();
    for (time, degrees) in keys.iter().enumerate() {
        let half = DQuat::from_rotation_x(0.5 * degrees.to_radians());
        assert!(local(&model, time as f64).0[1].rotation.dot(half).abs() > 1.0 - 1e-12, "{degrees}");
    }
}

/// A rest pose that differs from the bind pose is shared like any other rotation.
#[test]
fn shares_are_those_of_the_bind_pose() {
    let (mut model, far) = tube(&[]);
    let quarter = Transform { rotation: DQuat::from_rotation_x(1.5), ..model.skeleton[far].rest_local };
    model.skeleton.set_rest_local(far, quarter);
    add_helpers(&mut model, far, 2).unwrap();
    let joints = model.skeleton.joints();
    let names: Vec<&str> = joints.iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["near", "far_helper1", "far_helper2", "far"]);
    for (joint, angle) in joints[1..].iter().zip([0.5, 1.0, 1.5]) {
        assert_eq!(joint.parent, model.skeleton.id(0));
        assert!(joint.rest_local.rotation.angle_between(DQuat::from_rotation_x(angle)) < 1e-7, "{}", joint.name);
        assert_eq!(joint.rest_local.translation, quarter.translation);
    }
}

#[test]
fn joints_without_a_seam_get_no_helpers() {
    let (mut model, far) = tube(&[]);
    let near = model.skeleton.find("near").unwrap();
    let tip = model.skeleton.push("tip", Some(far), Transform::IDENTITY);
    let error = |model: &mut Model, joint| add_helpers(model, joint, 1).unwrap_err().to_string();
    assert_eq!(error(&mut model, near), "'near' has no parent to share its rotation with");
    let none = "no vertex is blended between 'tip' and its parent 'far', so helpers would move nothing";
    assert_eq!(error(&mut model, tip), none);
    assert_eq!(existing_helpers(&model, far), []);
    assert!(add_helpers(&mut model, far, 1).unwrap() > 0);
    let far = model.skeleton.find("far").unwrap();
    assert_eq!(existing_helpers(&model, far), [model.skeleton.find("far_helper1").unwrap()]);
    assert_eq!(error(&mut model, far), "there is a joint 'far_helper1' already");
}

/// A forearm with a roll joint half way to the hand, and a joint off that line.
#[test]
fn leaves_on_the_bone_look_like_helpers() {
    let (mut model, far) = tube(&[]);
    let moved = |x, y| Transform { translation: DVec3::new(x, y, 0.0), ..Transform::IDENTITY };
    let hand = model.skeleton.push("hand", Some(far), moved(2.0, 0.0));
    model.skeleton.push("fingers", Some(hand), moved(1.0, 0.0));
    let roll = model.skeleton.push("roll", Some(far), moved(1.0, 0.05));
    let shield = model.skeleton.push("shield", Some(far), moved(1.0, 1.0));
    for (number, joint) in [roll, shield].into_iter().enumerate() {
        let bound = BindJoint { joint, ..model.meshes[0].bind[1] };
        model.meshes[0].bind.push(bound);
        model.meshes[0].influences[number].slot = 2 + number as u32;
    }
    assert_eq!(existing_helpers(&model, far), [roll]);
}
