//! Manual posing of joints: bind pose, subtrees, Euler angles, MD5 frame values.

use bindpose_core::model::{Clip, Interpolation, JointId, JointTracks, Model, Skeleton, Timeline, TimelineId, Track};
use bindpose_core::pose::{LocalPose, model_to_local};
use glam::{DAffine3, DQuat, EulerRot};
use std::fmt::Write as _;

/// Computes the pose in which the meshes were bound. Joints without a binding keep their rest pose relative to their
/// parents.
///
/// If meshes were bound in different poses, the first mesh with the joint counts.
pub fn bind_pose(model: &Model, local: &mut LocalPose) {
    let skeleton = &model.skeleton;
    let mut bound: Vec<Option<DAffine3>> = vec![None; skeleton.len()];
    for joint in model.meshes.iter().flat_map(|mesh| &mesh.bind) {
        bound[joint.joint.index()].get_or_insert_with(|| joint.inverse_bind.inverse());
    }
    local.0.clear();
    let mut posed: Vec<DAffine3> = Vec::with_capacity(skeleton.len());
    for (joint, bound) in skeleton.joints().iter().zip(bound) {
        let parent = joint.parent.map(|parent| posed[parent.index()]);
        let rest = || parent.unwrap_or(DAffine3::IDENTITY) * joint.rest_local.to_affine();
        // A joint with a scale of zero has no inverse.
        let bound = bound.filter(|bound| bound.is_finite());
        local.0.push(if bound.is_some() {
            model_to_local(parent, bound.unwrap_or_default())
        } else {
            joint.rest_local
        });
        posed.push(bound.unwrap_or_else(rest));
    }
}

/// For each joint, returns 1 if it is `top` or one of its descendants, otherwise 0.
pub fn below(skeleton: &Skeleton, top: JointId) -> Vec<f64> {
    let mut shares: Vec<f64> = Vec::with_capacity(skeleton.len());
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let of_parent = joint.parent.map_or(0.0, |parent| shares[parent.index()]);
        shares.push(if index == top.index() { 1.0 } else { of_parent });
    }
    shares
}

/// Returns all joints in depth-first order.
pub fn tree_order(model: &Model) -> Vec<JointId> {
    let skeleton = &model.skeleton;
    let mut children: Vec<Vec<JointId>> = vec![Vec::new(); skeleton.len()];
    let mut open: Vec<JointId> = Vec::new();
    for joint in skeleton.ids() {
        match skeleton[joint].parent {
            Some(parent) => children[parent.index()].push(joint),
            None => open.push(joint),
        }
    }
    open.reverse();
    let mut order = Vec::with_capacity(skeleton.len());
    while let Some(joint) = open.pop() {
        order.push(joint);
        open.extend(children[joint.index()].iter().rev());
    }
    order
}

/// Converts a rotation to degrees about x, then y, then z, from -180 to 180. Of the two triples for it, returns the one
/// with the smaller angles.
pub fn degrees_of(turn: DQuat) -> [f64; 3] {
    let (z, y, x) = turn.to_euler(EulerRot::ZYX);
    let first = [x, y, z].map(f64::to_degrees);
    let opposite = |angle: f64| angle - 180.0_f64.copysign(angle);
    let second = [opposite(first[0]), 180.0_f64.copysign(first[1]) - first[1], opposite(first[2])];
    let size = |degrees: [f64; 3]| degrees.iter().map(|angle| angle.abs()).sum::<f64>();
    let smaller = if size(second) < size(first) - 1e-6 { second } else { first };
    // Minus zero becomes zero.
    smaller.map(|angle| angle + 0.0)
}

/// Converts degrees about x, then y, then z to a rotation.
pub fn turn_of([x, y, z]: [f64; 3]) -> DQuat {
    DQuat::from_euler(EulerRot::ZYX, z.to_radians(), y.to_radians(), x.to_radians())
}

/// Converts a turn in the parent's axes (`local = turn * rotation`) to the joint's own axes (`local = rotation *
/// turn`).
pub fn in_own_axes(turn: DQuat, rotation: DQuat) -> DQuat {
    rotation.inverse() * turn * rotation
}

/// Converts a turn in a joint's own axes to its parent's: the inverse of [`in_own_axes`].
pub fn in_parents_axes(turn: DQuat, rotation: DQuat) -> DQuat {
    rotation * turn * rotation.inverse()
}

/// Returns a rotation as stored in `.md5anim`: x, y and z of the quaternion whose w is not positive
/// (docs/formats/md5.md "Quaternions").
pub fn md5_rotation(rotation: DQuat) -> [f64; 3] {
    let rotation = if rotation.w > 0.0 { -rotation } else { rotation };
    [rotation.x, rotation.y, rotation.z]
}

/// Formats joints like a frame of an `.md5anim` whose channels are all animated, one line per joint: translation and
/// rotation in the parent's space, to six decimals. Joints out of range are skipped.
pub fn frame_values(local: &LocalPose, joints: impl IntoIterator<Item = JointId>) -> String {
    let mut text = String::new();
    for joint in joints.into_iter().filter_map(|joint| local.0.get(joint.index())) {
        let numbers = joint.translation.to_array().into_iter().chain(md5_rotation(joint.rotation));
        // Minus zero becomes zero.
        let numbers: Vec<String> =
            numbers.map(|number| (number * 1e6).round() / 1e6 + 0.0).map(|n| n.to_string()).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", numbers.join(" "));
    }
    text
}

/// Creates a clip with this pose as its only frame.
pub fn still(name: &str, local: &LocalPose) -> Clip {
    let whole = |&value| JointTracks::Whole {
        keys: Track { timeline: TimelineId(0), values: vec![value] },
        between: Interpolation::Parts,
    };
    Clip {
        name: name.to_owned(),
        frame_rate: Some(24.0),
        timelines: Timeline::new(vec![0.0]).into_iter().collect(),
        joints: local.0.iter().map(whole).collect(),
        ..Clip::default()
    }
}

/// Returns the number of joints with keys, and of joints whose keys differ.
pub fn moved_joints(clip: &Clip) -> (usize, usize) {
    let mut counts = (0, 0);
    for tracks in &clip.joints {
        let (has_keys, changes) = match tracks {
            JointTracks::Parts { translation, rotation, scale } => (
                translation.is_some() || rotation.is_some() || scale.is_some(),
                translation.as_ref().is_some_and(|track| changes(&track.values))
                    || rotation.as_ref().is_some_and(|track| changes(&track.values))
                    || scale.as_ref().is_some_and(|track| changes(&track.values)),
            ),
            JointTracks::Whole { keys, .. } => (!keys.values.is_empty(), changes(&keys.values)),
        };
        counts.0 += usize::from(has_keys);
        counts.1 += usize::from(changes);
    }
    counts
}

fn changes<T: PartialEq>(values: &[T]) -> bool {
    values.windows(2).any(|pair| pair[0] != pair[1])
}

/// Returns the times of a joint's keys, or with `None` of all joints' keys, in seconds, increasing and without
/// repetitions.
pub fn key_times(clip: &Clip, joint: Option<JointId>) -> Vec<f64> {
    let mut times: Vec<f64> = match joint.and_then(|joint| clip.joints.get(joint.index())) {
        Some(tracks) => {
            let ids = match tracks {
                JointTracks::Parts { translation, rotation, scale } => [
                    translation.as_ref().map(|track| track.timeline),
                    rotation.as_ref().map(|track| track.timeline),
                    scale.as_ref().map(|track| track.timeline),
                ],
                JointTracks::Whole { keys, .. } => [Some(keys.timeline), None, None],
            };
            let timelines = ids.into_iter().flatten().filter_map(|id| clip.timelines.get(id.0 as usize));
            timelines.flat_map(|timeline| timeline.times().iter().copied()).collect()
        }
        None => clip.timelines.iter().flat_map(|timeline| timeline.times().iter().copied()).collect(),
    };
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::model::{BindJoint, Mesh, Transform};
    use bindpose_core::pose::{ModelPose, local_to_model};
    use glam::DVec3;

    /// Creates a chain of three joints, each 2 above its parent. The mesh is bound with the middle one rotated by 1
    /// radian.
    fn model() -> Model {
        let mut skeleton = Skeleton::new();
        let above = Transform::from_rotation_translation(DQuat::IDENTITY, DVec3::new(0.0, 0.0, 2.0));
        let low = skeleton.push("low", None, Transform::IDENTITY);
        let mid = skeleton.push("mid", Some(low), above);
        skeleton.push("top", Some(mid), above);
        let turned = DAffine3::from_rotation_translation(DQuat::from_rotation_x(1.0), DVec3::new(0.0, 0.0, 2.0));
        let bind = vec![BindJoint { joint: mid, inverse_bind: turned.inverse() }];
        Model { skeleton, meshes: vec![Mesh { bind, ..Mesh::default() }], ..Model::default() }
    }

    #[test]
    fn unbound_joints_keep_their_rest_pose_below_bound_ones() {
        let model = model();
        let (mut local, mut posed) = (LocalPose::default(), ModelPose::default());
        bind_pose(&model, &mut local);
        local_to_model(&model.skeleton, &local, &mut posed);
        assert!(posed.0[1].abs_diff_eq(model.meshes[0].bind[0].inverse_bind.inverse(), 1e-12));
        let top = DVec3::new(0.0, 0.0, 2.0) + DQuat::from_rotation_x(1.0) * DVec3::new(0.0, 0.0, 2.0);
        assert!(posed.0[2].translation.distance(top) < 1e-12);
    }

    #[test]
    fn a_mask_contains_a_joint_and_its_descendants() {
        let model = model();
        assert_eq!(below(&model.skeleton, model.skeleton.find("mid").unwrap()), [0.0, 1.0, 1.0]);
    }

    #[test]
    fn euler_angles_round_trip() {
        let beyond_a_quarter = [[0.0, 120.0, 0.0], [0.0, -170.0, 20.0], [-10.0, 100.0, 5.0]];
        for degrees in [[0.0, 0.0, 0.0], [30.0, -45.0, 170.0], [-179.0, 80.0, 5.0]].into_iter().chain(beyond_a_quarter)
        {
            let back = degrees_of(turn_of(degrees));
            assert!(back.iter().zip(degrees).all(|(a, b)| (a - b).abs() < 1e-9), "{degrees:?} became {back:?}");
        }
        // The rotation about x comes first, then z, so x goes to y.
        assert!((turn_of([90.0, 0.0, 90.0]) * DVec3::X).distance(DVec3::Y) < 1e-12);
    }

    /// The table of docs/formats/md5.md "Quaternions": a file's (0, 0, 0.7071) turns x to -y.
    #[test]
    fn frame_values_are_those_of_a_file() {
        let quarter = DQuat::from_rotation_z(-std::f64::consts::FRAC_PI_2);
        let place = Transform::from_rotation_translation(quarter, DVec3::new(1.0, -2.5, 0.0));
        let model = model();
        let text = frame_values(&LocalPose(vec![place; 3]), model.skeleton.ids().take(1));
        assert_eq!(text, "1 -2.5 0 0 0 0.707107\n");
    }

    #[test]
    fn a_still_clip_shows_its_pose() {
        let model = model();
        let pose = LocalPose(vec![Transform::from_rotation_translation(DQuat::from_rotation_y(0.3), DVec3::X); 3]);
        let mut shown = LocalPose::default();
        bindpose_core::pose::sample(&model.skeleton, &still("still", &pose), 0.0, &mut shown);
        assert_eq!(shown, pose);
    }
}
