//! Helper joints: siblings of a joint with a share of its rotation, so that linear blending loses less volume.
//!
//! Formulas and sources are in docs/methods.md "Helper joints".

use super::{BindJoint, Influence, JointId, JointTracks, Mesh, Model, Track, Transform, slerp};
use crate::pose::LocalPose;
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Largest number of helpers per joint: half a turn in steps of 20 degrees, each of which loses 1.5 % of the thickness.
pub const MOST_HELPERS: usize = 8;
/// Largest distance of a helper from its bone, as a fraction of the bone's length.
const ON_BONE: f64 = 0.05;

/// Reason why a joint gets no helpers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HelperError {
    /// The joint is a root.
    #[error("'{0}' has no parent to share its rotation with")]
    Root(String),
    /// Helpers would move no vertex.
    #[error("no vertex is blended between '{joint}' and its parent '{parent}', so helpers would move nothing")]
    NoSeam {
        /// Name of the joint.
        joint: String,
        /// Name of the joint's parent.
        parent: String,
    },
    /// The name of a helper is taken.
    #[error("there is a joint '{0}' already")]
    Taken(String),
}

/// Adds up to `count` helpers, at most [`MOST_HELPERS`], before a joint. They are children of its parent, with a share
/// of its rotation in every clip and of the weights of vertices that both joints move. Returns the number of these
/// vertices.
///
/// # Errors
///
/// [`HelperError`]. The model is unchanged.
pub fn add_helpers(model: &mut Model, joint: JointId, count: usize) -> Result<usize, HelperError> {
    let skeleton = &model.skeleton;
    let name = &skeleton[joint].name;
    let parent = skeleton[joint].parent.ok_or_else(|| HelperError::Root(name.clone()))?;
    let names: Vec<String> = names(name).take(count).collect();
    if let Some(taken) = names.iter().find(|name| skeleton.find(name).is_some()) {
        return Err(HelperError::Taken(taken.clone()));
    }
    let rotation = SharedRotation::new(model, parent, joint);
    let rest = skeleton[joint].rest_local;
    let (joints, steps) = (skeleton.len(), (names.len() + 1) as f64);
    let shares = (1..=names.len()).map(|number| number as f64 / steps);
    let mut helped = model.clone();
    // A clip may have fewer tracks than the skeleton has joints.
    helped.clips.iter_mut().for_each(|clip| clip.joints.resize(joints, JointTracks::default()));
    for (share, name) in shares.zip(names) {
        let rest_local = Transform { rotation: rotation.shared(share, &[rest.rotation])[0], ..rest };
        helped.skeleton.push(name, Some(parent), rest_local);
        for clip in &mut helped.clips {
            clip.joints.push(rotation.tracks(share, &clip.joints[joint.index()]));
        }
    }
    let helpers: Vec<JointId> = helped.skeleton.ids().skip(joints).collect();
    let vertices = helped.meshes.iter_mut().map(|mesh| redistribute(mesh, parent, joint, &helpers)).sum();
    if vertices == 0 {
        let parent = skeleton[parent].name.clone();
        return Err(HelperError::NoSeam { joint: name.clone(), parent });
    }
    let order = skeleton.ids().flat_map(|id| {
        let before: &[JointId] = if id == joint { &helpers } else { &[] };
        before.iter().copied().chain([id])
    });
    helped.reorder_joints(&order.collect::<Vec<_>>());
    *model = helped;
    Ok(vertices)
}

/// Returns the names of a joint's helpers.
fn names(joint: &str) -> impl Iterator<Item = String> {
    (1..=MOST_HELPERS).map(move |number| format!("{joint}_helper{number}"))
}

/// Gives the helpers of a joint their shares of its rotation; a joint that the skeleton or the pose lacks has none.
pub fn pose_helpers(model: &Model, joint: JointId, LocalPose(local): &mut LocalPose) {
    let skeleton = &model.skeleton;
    if local.len() != skeleton.len() || joint.index() >= skeleton.len() {
        return;
    }
    let helpers: Vec<JointId> = names(&skeleton[joint].name).map_while(|name| skeleton.find(&name)).collect();
    let Some(parent) = skeleton[joint].parent.filter(|_| !helpers.is_empty()) else { return };
    let (rotation, own) = (SharedRotation::new(model, parent, joint), local[joint.index()].rotation);
    for (number, helper) in helpers.iter().enumerate() {
        let share = (number + 1) as f64 / (helpers.len() + 1) as f64;
        local[helper.index()].rotation = rotation.shared(share, &[own])[0];
    }
}

/// Rotation of a joint, split into swing and twist.
struct SharedRotation {
    /// Direction of the bone in the joint's space.
    axis: DVec3,
    /// Rotation in the parent's space in the bind pose.
    bind: DQuat,
}

impl SharedRotation {
    /// Uses the bind pose of the first mesh that binds both joints, else the rest pose.
    fn new(model: &Model, parent: JointId, joint: JointId) -> Self {
        let bind = model.meshes.iter().find_map(|mesh| {
            let [above, own] = slots(mesh, parent, joint)?.map(|slot| mesh.bind[slot as usize].inverse_bind);
            Some(Transform::from_affine(above * own.inverse()).rotation)
        });
        let rest = model.skeleton[joint].rest_local.rotation;
        Self { axis: model.skeleton.bone(joint).unwrap_or(DVec3::X), bind: bind.unwrap_or(rest) }
    }

    /// Returns `bind * swing^share * twist^share` for rotations `bind * swing * twist` in the parent's space, with the
    /// twist about the bone.
    ///
    /// The swing takes the shorter arc. The first twist is at most half a turn, and each following one is within half a
    /// turn of its predecessor.
    fn shared(&self, share: f64, rotations: &[DQuat]) -> Vec<DQuat> {
        let mut twist = 0.0;
        let shared = rotations.iter().map(|&rotation| {
            let turn = self.bind.inverse() * rotation;
            let along = turn.xyz().dot(self.axis);
            // After a swing of half a turn, the twist is ambiguous.
            if libm::hypot(along, turn.w) > 1e-9 {
                twist += libm::remainder(2.0 * libm::atan2(along, turn.w) - twist, TAU);
            }
            let swing = turn * about(self.axis, -twist);
            (self.bind * slerp(DQuat::IDENTITY, swing, share) * about(self.axis, share * twist)).normalize()
        });
        shared.collect()
    }

    /// Returns the keys with [shared](Self::shared) rotations.
    fn tracks(&self, share: f64, of: &JointTracks) -> JointTracks {
        match of {
            JointTracks::Parts { translation, rotation, scale } => {
                let shared =
                    |keys: &Track<DQuat>| Track { timeline: keys.timeline, values: self.shared(share, &keys.values) };
                let (translation, scale) = (translation.clone(), scale.clone());
                JointTracks::Parts { translation, rotation: rotation.as_ref().map(shared), scale }
            }
            JointTracks::Whole { keys, between } => {
                let rotations: Vec<DQuat> = keys.values.iter().map(|key| key.rotation).collect();
                let shared = keys.values.iter().zip(self.shared(share, &rotations));
                let values = shared.map(|(key, rotation)| Transform { rotation, ..*key }).collect();
                JointTracks::Whole { keys: Track { timeline: keys.timeline, values }, between: *between }
            }
        }
    }
}

/// Returns the rotation by radians about a unit axis.
fn about(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(0.5 * angle);
    DQuat::from_vec4((axis * sin).extend(cos))
}

/// Slots of two joints in a mesh. `None` if it does not bind both.
fn slots(mesh: &Mesh, parent: JointId, joint: JointId) -> Option<[u32; 2]> {
    let slot = |joint| mesh.bind.iter().position(|bound| bound.joint == joint).map(|slot| slot as u32);
    Some([slot(parent)?, slot(joint)?])
}

/// Moves the weights of vertices bound to both joints to the two neighbours in the chain of parent, helpers and joint.
/// Returns the number of these vertices.
///
/// The joint's share of both weights is the position in the chain, from 0 to 1.
fn redistribute(mesh: &mut Mesh, parent: JointId, joint: JointId, helpers: &[JointId]) -> usize {
    let Some([above, own]) = slots(mesh, parent, joint) else { return 0 };
    let first = mesh.bind.len() as u32;
    // Helpers coincide with the joint in the bind pose.
    let inverse_bind = mesh.bind[own as usize].inverse_bind;
    mesh.bind.extend(helpers.iter().map(|&joint| BindJoint { joint, inverse_bind }));
    let mut chain = vec![above];
    chain.extend(first..first + helpers.len() as u32);
    chain.push(own);
    let (mut influences, mut starts) = (Vec::with_capacity(mesh.influences.len()), vec![0]);
    let mut vertices = 0;
    for vertex in 0..mesh.vertex_count() {
        let start = influences.len();
        influences.extend_from_slice(mesh.influences_of(vertex));
        let find = |slot| {
            (start..influences.len()).find(|&it: &usize| influences[it].slot == slot && influences[it].weight > 0.0)
        };
        if let (Some(low), Some(high)) = (find(above), find(own)) {
            vertices += 1;
            let [of_parent, of_joint]: [Influence; 2] = [influences[low], influences[high]];
            let whole = of_parent.weight + of_joint.weight;
            let place = f64::from(of_joint.weight / whole) * (helpers.len() + 1) as f64;
            let before = (place as usize).min(helpers.len());
            let after = (place - before as f64) as f32;
            let offset = if before == 0 { of_parent.offset } else { of_joint.offset };
            influences[low] = Influence { slot: chain[before], weight: whole * (1.0 - after), offset };
            influences[high] = Influence { slot: chain[before + 1], weight: whole * after, ..of_joint };
            if let Some(unused) = [low, high].into_iter().find(|&it| influences[it].weight == 0.0) {
                influences.remove(unused);
            }
        }
        starts.push(influences.len() as u32);
    }
    (mesh.influences, mesh.influence_starts) = (influences, starts);
    vertices
}

/// Returns the joints that look like helpers of a joint: leaves that move vertices and have "twist" or "helper" in
/// their names, or are on the line from the joint or its parent to a child that has children.
pub fn existing_helpers(model: &Model, joint: JointId) -> Vec<JointId> {
    let skeleton = &model.skeleton;
    let children = |parent| skeleton.ids().filter(move |&child| skeleton[child].parent == Some(parent));
    let place = |child: JointId| skeleton[child].rest_local.translation;
    let moves_vertices = |joint: JointId| {
        model.meshes.iter().any(|mesh| {
            let slot = mesh.bind.iter().position(|bound| bound.joint == joint);
            slot.is_some_and(|slot| mesh.influences.iter().any(|influence| influence.slot as usize == slot))
        })
    };
    let is_on_bone = |leaf: JointId, end: DVec3| {
        let share = place(leaf).dot(end) / end.length_squared();
        (-ON_BONE..=1.0 + ON_BONE).contains(&share) && place(leaf).distance(end * share) < ON_BONE * end.length()
    };
    let of_parent = |parent| {
        let is_helper = move |&leaf: &JointId| {
            let name = skeleton[leaf].name.to_ascii_lowercase();
            let mut ends = children(parent).filter(|&end| children(end).next().is_some());
            let is_called_so = name.contains("twist") || name.contains("helper");
            leaf != joint
                && children(leaf).next().is_none()
                && moves_vertices(leaf)
                && (is_called_so || ends.any(|end| is_on_bone(leaf, place(end))))
        };
        children(parent).filter(is_helper)
    };
    [Some(joint), skeleton[joint].parent].into_iter().flatten().flat_map(of_parent).collect()
}
