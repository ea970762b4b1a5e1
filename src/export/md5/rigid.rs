//! Rigid joints: their scale is baked into the vertices.

use crate::frames::Frames;
use crate::influences::inverse_or_identity;
use crate::{Error, Loss};
use bindpose_core::model::{Joint, Model, Skeleton, Transform};
use bindpose_core::pose::{LocalPose, ModelPose, bind_pose, local_to_model};
use glam::{DAffine3, DQuat, DVec3};

/// Largest deviation of a joint's scale from its scale at rest, as a share of it.
const SCALE_TOLERANCE: f64 = 0.01;

/// A model with rigid joints whose rest pose is the bind pose.
pub(super) struct Rigid {
    pub(super) model: Model,
    /// Scale and shear of each joint at rest, in model space. They are baked into the offsets.
    stretches: Vec<Transform>,
}

/// Bakes the scale that joints have at rest into the vertices. The given model keeps its meshes only if it has clips.
pub(super) fn baked(model: &mut Model) -> Result<Rigid, Error> {
    let rest = LocalPose::rest(&model.skeleton).to_model(&model.skeleton);
    let stretches: Vec<Transform> = rest.0.into_iter().map(stretch_of).collect();
    if let Some((joint, _)) = model.skeleton.joints().iter().zip(&stretches).find(|(_, stretch)| stretch.scale.x < 0.0)
    {
        return Err(Error::Unsupported(format!("joint '{}' is mirrored at rest, which MD5 cannot hold", joint.name)));
    }
    let bind = bind_pose(&model.skeleton, model.meshes.iter().flat_map(|mesh| &mesh.bind)).0;
    let rigid: Vec<DAffine3> = bind
        .iter()
        .zip(&stretches)
        .map(|(bind, stretch)| rigid_part(&(*bind * inverse_or_identity(&stretch.to_affine()))))
        .collect();
    let meshes = if model.clips.is_empty() { std::mem::take(&mut model.meshes) } else { model.meshes.clone() };
    let (name, skeleton, front) = (model.name.clone(), model.skeleton.clone(), model.front);
    let mut made = Rigid {
        model: Model { name, skeleton, meshes, materials: model.materials.clone(), clips: Vec::new(), front },
        stretches,
    };
    for joint in model.skeleton.ids() {
        let parent = model.skeleton[joint].parent.map(|parent| rigid[parent.index()]);
        let local = parent.map_or(rigid[joint.index()], |parent| parent.inverse() * rigid[joint.index()]);
        made.model.skeleton.set_rest_local(joint, rigid_transform(&local));
    }
    for mesh in &mut made.model.meshes {
        for influence in &mut mesh.influences {
            let stretch = &made.stretches[mesh.bind[influence.slot as usize].joint.index()];
            influence.offset = stretch.to_affine().transform_point3(influence.offset.as_dvec3()).as_vec3();
        }
        mesh.bind.iter_mut().for_each(|bound| bound.inverse_bind = rigid[bound.joint.index()].inverse());
    }
    Ok(made)
}

impl Rigid {
    /// Samples a clip's frames for the rigid skeleton. Changing scale is an error, unless `scales` allows uniform ones.
    /// On joints that influence no vertex, it is dropped.
    pub(super) fn frames(
        &self,
        model: &Model,
        frames: Frames,
        scales: bool,
        losses: &mut Vec<Loss>,
    ) -> Result<Frames, Error> {
        let moves_vertices = joints_of_vertices(model);
        let mut idle: Vec<usize> = Vec::new();
        let mut pose = ModelPose::default();
        let mut poses = Vec::with_capacity(frames.poses.len());
        for local in &frames.poses {
            local_to_model(&model.skeleton, local, &mut pose);
            let mut factors = Vec::with_capacity(pose.0.len());
            let joints = model.skeleton.joints().iter().zip(&pose.0).zip(&self.stretches);
            for (number, ((joint, place), stretch)) in joints.enumerate() {
                let now = stretch_of(*place);
                let factor = if scales { now.scale.length() / stretch.scale.length() } else { 1.0 };
                let even = |wanted: DVec3, now: DVec3| (now - wanted * factor).abs().max_element();
                let off = even(stretch.scale, now.scale).max(even(stretch.shear, now.shear));
                let size = stretch.scale.abs().max_element();
                if off > SCALE_TOLERANCE * size && !moves_vertices[number] {
                    if !idle.contains(&number) {
                        idle.push(number);
                    }
                    factors.push(1.0);
                    continue;
                }
                if off > SCALE_TOLERANCE * size {
                    let (unevenly, has) = if scales {
                        (" unevenly", "only uniform scale can be stored next to it")
                    } else {
                        ("", "MD5 has no scale")
                    };
                    return Err(Error::Unsupported(format!(
                        "joint '{}' changes its scale{unevenly} in clip '{}', by {:.1}% of its scale at rest; {has} (bake \
                         the scale in the modelling program, or remove its keys)",
                        joint.name,
                        frames.name,
                        100.0 * off / size
                    )));
                }
                factors.push(factor);
            }
            poses.push(local_pose(&model.skeleton, &pose, &factors));
        }
        if let Some(&first) = idle.first() {
            let joint = model.skeleton.joints()[first].name.clone();
            losses.push(Loss::IdleScale { clip: frames.name.clone(), joint, joints: idle.len() });
        }
        Ok(Frames { poses, ..frames })
    }

    pub(super) fn is_finite(&self) -> bool {
        let joints = self
            .model
            .skeleton
            .joints()
            .iter()
            .all(|joint| joint.rest_local.translation.is_finite() && joint.rest_local.rotation.is_finite());
        let mut influences = self.model.meshes.iter().flat_map(|mesh| &mesh.influences);
        joints && influences.all(|influence| influence.offset.is_finite())
    }
}

/// For each joint, returns true if it influences a vertex. Without any mesh, all joints count.
fn joints_of_vertices(model: &Model) -> Vec<bool> {
    let mut moves = vec![model.meshes.is_empty(); model.skeleton.len()];
    for mesh in &model.meshes {
        for influence in mesh.influences.iter().filter(|influence| influence.weight != 0.0) {
            moves[mesh.bind[influence.slot as usize].joint.index()] = true;
        }
    }
    moves
}

/// Returns the scale and shear of a map.
fn stretch_of(map: DAffine3) -> Transform {
    let Transform { scale, shear, .. } = Transform::from_affine(map);
    Transform { scale, shear, ..Transform::IDENTITY }
}

fn rigid_transform(map: &DAffine3) -> Transform {
    let Transform { rotation, translation, .. } = Transform::from_affine(*map);
    Transform::from_rotation_translation(rotation, translation)
}

fn rigid_part(map: &DAffine3) -> DAffine3 {
    rigid_transform(map).to_affine()
}

/// Returns the joints' translations and rotations relative to their parents. `scales` are the joints' scales in model
/// space.
fn local_pose(skeleton: &Skeleton, pose: &ModelPose, scales: &[f64]) -> LocalPose {
    let places: Vec<(DQuat, DVec3)> = pose
        .0
        .iter()
        .map(|place| {
            let Transform { rotation, translation, .. } = Transform::from_affine(*place);
            (rotation, translation)
        })
        .collect();
    let local = |((joint, &(rotation, translation)), &scale): ((&Joint, &(DQuat, DVec3)), &f64)| {
        let Some(parent) = joint.parent else {
            let scale = DVec3::splat(scale);
            return Transform { scale, ..Transform::from_rotation_translation(rotation, translation) };
        };
        let (from, origin) = places[parent.index()];
        let (back, above) = (from.inverse(), scales[parent.index()]);
        let (rotation, translation) = ((back * rotation).normalize(), back * (translation - origin) / above);
        Transform { scale: DVec3::splat(scale / above), ..Transform::from_rotation_translation(rotation, translation) }
    };
    LocalPose(skeleton.joints().iter().zip(&places).zip(scales).map(local).collect())
}
