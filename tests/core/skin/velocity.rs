//! Parts that lag behind and stretch as they move.

use bindpose_core::cylinder::{Cylinder, Shape};
use bindpose_core::model::{Clip, JointTracks, Model, Timeline, TimelineId, Track};
use bindpose_core::pose::LocalPose;
use bindpose_core::skin::{DRAG, MethodId, Prepared, SQUASH, Skinned, TimedPose};
use glam::{DQuat, DVec3};

/// The cylinder's far half, along x from its joint at x = 2, rotates about z by 1 radian per second, and the whole
/// moves along y by 3 units per second. Written out for a vertex of each joint by the formulas of docs/methods.md.
#[test]
fn parts_lag_behind_and_stretch() {
    let Cylinder { skeleton, mesh, .. } = Cylinder::new(Shape::USUAL);
    let timelines = vec![Timeline::new(vec![0.0, 1.0]).unwrap()];
    let track = |values: [DVec3; 2]| Track { timeline: TimelineId(0), values: values.to_vec() };
    let turned = Track { timeline: TimelineId(0), values: vec![DQuat::IDENTITY, DQuat::from_rotation_z(1.0)] };
    let moved = Some(track([DVec3::ZERO, DVec3::Y * 3.0]));
    let joints = vec![
        JointTracks::Parts { translation: moved, rotation: None, scale: None },
        JointTracks::Parts { translation: None, rotation: Some(turned), scale: None },
    ];
    let clip = Clip { timelines, joints, duration: 1.0, frame_rate: Some(24.0), ..Clip::default() };
    let prepared = Prepared::new(MethodId::Velocity, &skeleton, &mesh, &[], Some(&clip)).unwrap();
    let model = Model { skeleton, meshes: vec![mesh], clips: vec![clip], ..Model::default() };
    let pose = LocalPose::of_clip(&model.skeleton, model.clips.first(), 0.5).to_model(&model.skeleton);
    let found = Skinned::reference(&prepared, TimedPose { pose: &pose, time: 0.5 });

    // The size of the skeleton is 2. The near joint, at (0, 1.5, 0), moves all of it, around the far joint at (2,
    // 1.5, 0).
    let (drag, squash) = (DRAG, SQUASH);
    let growth = 1.0 + squash * 3.0 / 2.0;
    let by_root = |[x, y, z]: [f64; 3]| {
        let narrow = 1.0 / growth.sqrt() - 1.0;
        [(x - 2.0) * narrow, (y - 1.5) * (growth - 1.0) - drag * 3.0, z * narrow]
    };
    // The far joint has no joints below it. Its centre is half a bone beyond, at (3, 1.5, 0), so it stretches along
    // -y.
    let by_far = |[x, y, _]: [f64; 3]| {
        let (x, y) = (x - 2.0, y - 1.5);
        let rate = x.hypot(y) / 2.0;
        let (sin, cos) = (drag * rate).sin_cos();
        let growth = squash * rate;
        [x * cos + y * sin - x, y * cos - x * sin - y + y * growth, 0.0]
    };
    let (sin, cos) = 0.5_f64.sin_cos();
    for vertex in [0, 5, model.meshes[0].vertex_count() - 3, model.meshes[0].vertex_count() - 30] {
        let [x, y, z] = model.meshes[0].positions[vertex].as_dvec3().to_array();
        let is_far = x > 2.0;
        let at = if is_far {
            [(x - 2.0) * cos - y * sin + 2.0, (x - 2.0) * sin + y * cos + 1.5, z]
        } else {
            [x, y + 1.5, z]
        };
        let parts = [by_root(at), if is_far { by_far(at) } else { [0.0; 3] }];
        let mut expected = DVec3::from(at) + DVec3::from(parts[0]) + DVec3::from(parts[1]);
        if is_far {
            // Squeezed along z, perpendicular to the bone and the direction of stretch.
            let rate = (at[0] - 2.0).hypot(at[1] - 1.5) / 2.0;
            expected.z += z * (1.0 / (1.0 + squash * rate) - 1.0);
        }
        assert!(found.positions[vertex].distance(expected) < 1e-6, "{vertex}: {} {expected}", found.positions[vertex]);
    }
}

/// Skins the cylinder in the middle of a clip of one frame. Returns the positions, and those of the weighted sum.
fn in_a_frame(moved: f64, turned: f64) -> [Vec<DVec3>; 2] {
    let Cylinder { skeleton, mesh, .. } = Cylinder::new(Shape::USUAL);
    let frame = 1.0 / 24.0;
    let translation = Track { timeline: TimelineId(0), values: vec![DVec3::ZERO, DVec3::Y * moved] };
    let values = vec![DQuat::from_rotation_z(-turned / 2.0), DQuat::from_rotation_z(turned / 2.0)];
    let rotation = Track { timeline: TimelineId(0), values };
    let joints = vec![
        JointTracks::Parts { translation: Some(translation), rotation: None, scale: None },
        JointTracks::Parts { translation: None, rotation: Some(rotation), scale: None },
    ];
    let timelines = vec![Timeline::new(vec![0.0, frame]).unwrap()];
    let clip = Clip { timelines, joints, duration: frame, frame_rate: Some(24.0), ..Clip::default() };
    let pose = LocalPose::of_clip(&skeleton, Some(&clip), frame / 2.0).to_model(&skeleton);
    [MethodId::Velocity, MethodId::MatrixBlend].map(|method| {
        let prepared = Prepared::new(method, &skeleton, &mesh, &[], Some(&clip)).unwrap();
        Skinned::reference(&prepared, TimedPose { pose: &pose, time: frame / 2.0 }).positions
    })
}

/// The skeleton's size is 2. The middle of the far cap is 2 from its joint, on the bone, so only drag moves it: at 2
/// radians in a frame, 48 sizes per second, by pi/6 + (0.05 * 48 - pi/6) / 48 instead of 2.4 radians.
#[test]
fn drag_by_a_fast_rotation_is_limited() {
    let [found, _] = in_a_frame(0.0, 2.0);
    let limit = std::f64::consts::FRAC_PI_6;
    let (sin, cos) = (limit + (0.05 * 48.0 - limit) / 48.0).sin_cos();
    let expected = DVec3::new(2.0 + 2.0 * cos, -2.0 * sin, 0.0);
    assert!(found.last().unwrap().distance(expected) < 1e-6, "{:?} {expected}", found.last());
}

/// Four sizes of 2 per second are a third of a unit in a frame.
#[test]
fn a_jump_is_no_motion() {
    for (moved, is_jump) in [(0.33, false), (0.34, true), (300.0, true)] {
        let [found, sum] = in_a_frame(moved, 0.0);
        let apart = found.iter().zip(&sum).map(|(found, sum)| found.distance(*sum)).fold(0.0, f64::max);
        assert_eq!(apart < 1e-12, is_jump, "{moved}: {apart}");
    }
}

/// A clip at rest, or no clip, gives the weighted sum.
#[test]
fn nothing_moves_without_motion() {
    let cylinder = Cylinder::new(Shape::USUAL);
    let pose = cylinder.turned(DQuat::from_rotation_z(1.0));
    let run = |method, clip: Option<&Clip>| {
        let prepared = Prepared::new(method, &cylinder.skeleton, &cylinder.mesh, &[], clip).unwrap();
        Skinned::reference(&prepared, TimedPose { pose: &pose, time: 0.0 })
    };
    let still = Clip { joints: vec![JointTracks::default(); 2], ..Clip::default() };
    let sum = run(MethodId::MatrixBlend, None);
    assert_eq!(run(MethodId::Velocity, None), sum);
    assert_eq!(run(MethodId::Velocity, Some(&still)), sum);
}
