//! Rotation and scale of whole models.

use crate::Front;
use bindpose_core::model::{JointTracks, Mesh, Model, OneAxis, Transform};
use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};

/// Turns the model about +Z until the side that faced `from` faces `to`, and multiplies all lengths by `scale`.
///
/// Only roots turn. The joints' own spaces stay as they are; the offsets of influences are only scaled.
pub(crate) fn turned(model: &Model, from: Front, to: Front, scale: f64) -> Model {
    let mut model = Model { front: to, ..model.clone() };
    if from != to || scale != 1.0 {
        let (from, to) = (from.direction(), to.direction());
        let (cosine, sine) = (from.dot(to), from.cross(to).z);
        let matrix = DMat3::from_cols(DVec3::new(cosine, sine, 0.0), DVec3::new(-sine, cosine, 0.0), DVec3::Z);
        Turn::new(matrix, scale).model(&mut model);
    }
    model
}

/// Turns the model until the axis `front` is +X and the axis `up` is +Z. Both are unit vectors along axes of its space.
///
/// Without one of them, it is found by [`Front::with_up`].
///
/// # Errors
///
/// [`OneAxis`] if both are one axis.
pub fn set_upright(model: &mut Model, front: Option<Vec3>, up: Option<Vec3>) -> Result<(), OneAxis> {
    let (front, up) = model.front.with_up(front, up)?;
    let (front, up) = (front.as_dvec3().round(), up.as_dvec3());
    Turn::new(DMat3::from_cols(front, up.cross(front), up).transpose(), 1.0).model(model);
    model.front = Front::PositiveX;
    Ok(())
}

struct Turn {
    /// Elements are -1, 0 or 1, so turning is exact.
    matrix: DMat3,
    rotation: DQuat,
    scale: f64,
}

impl Turn {
    fn new(matrix: DMat3, scale: f64) -> Self {
        Self { matrix, rotation: DQuat::from_mat3(&matrix).normalize(), scale }
    }

    fn model(&self, model: &mut Model) {
        for joint in model.skeleton.ids() {
            let is_root = model.skeleton[joint].parent.is_none();
            let rest = self.local(model.skeleton[joint].rest_local, is_root);
            model.skeleton.set_rest_local(joint, rest);
        }
        for clip in &mut model.clips {
            for (joint, tracks) in model.skeleton.joints().iter().zip(&mut clip.joints) {
                let is_root = joint.parent.is_none();
                match tracks {
                    JointTracks::Parts { translation, rotation, .. } => {
                        let translations = translation.iter_mut().flat_map(|track| &mut track.values);
                        translations.for_each(|value| *value = self.translation(*value, is_root));
                        let rotations = rotation.iter_mut().flat_map(|track| &mut track.values);
                        rotations.for_each(|value| *value = self.rotation(*value, is_root));
                    }
                    JointTracks::Whole { keys, .. } => {
                        keys.values.iter_mut().for_each(|value| *value = self.local(*value, is_root));
                    }
                }
            }
        }
        model.meshes.iter_mut().for_each(|mesh| self.mesh(mesh));
    }

    fn direction(&self, direction: Vec3) -> Vec3 {
        // Adding zero turns -0 into 0.
        (self.matrix * direction.as_dvec3()).as_vec3() + Vec3::ZERO
    }

    fn translation(&self, translation: DVec3, is_root: bool) -> DVec3 {
        let turned = if is_root { self.matrix * translation + DVec3::ZERO } else { translation };
        turned * self.scale
    }

    fn rotation(&self, rotation: DQuat, is_root: bool) -> DQuat {
        if is_root { (self.rotation * rotation).normalize() } else { rotation }
    }

    fn local(&self, local: Transform, is_root: bool) -> Transform {
        Transform {
            translation: self.translation(local.translation, is_root),
            rotation: self.rotation(local.rotation, is_root),
            ..local
        }
    }

    fn mesh(&self, mesh: &mut Mesh) {
        for position in &mut mesh.positions {
            *position = self.translation(position.as_dvec3(), true).as_vec3();
        }
        mesh.normals.iter_mut().for_each(|normal| *normal = self.direction(*normal));
        for tangent in &mut mesh.tangents {
            *tangent = self.direction(tangent.truncate()).extend(tangent.w);
        }
        for bound in &mut mesh.bind {
            let DAffine3 { matrix3, translation } = bound.inverse_bind;
            bound.inverse_bind =
                DAffine3 { matrix3: matrix3 * self.matrix.transpose(), translation: translation * self.scale };
        }
        for influence in &mut mesh.influences {
            influence.offset = (influence.offset.as_dvec3() * self.scale).as_vec3();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::model::{BindJoint, Influence, Skeleton};
    use bindpose_core::pose::LocalPose;

    /// A turned vertex equals the vertex skinned with the turned joints.
    #[test]
    fn skinning_and_turning_commute() {
        let mut skeleton = Skeleton::new();
        let place = |x, y, z| Transform::from_rotation_translation(DQuat::from_rotation_x(0.3), DVec3::new(x, y, z));
        let root = skeleton.push("root", None, place(1.0, 2.0, 3.0));
        let tip = skeleton.push("tip", Some(root), place(0.0, 4.0, -1.0));
        let pose = LocalPose::rest(&skeleton).to_model(&skeleton);
        let bind = BindJoint { joint: tip, inverse_bind: pose.0[tip.index()].inverse() };
        let offset = Vec3::new(5.0, 6.0, 7.0);
        let position = pose.0[tip.index()].transform_point3(offset.as_dvec3());
        let mesh = Mesh {
            positions: vec![position.as_vec3()],
            bind: vec![bind],
            influences: vec![Influence { slot: 0, weight: 1.0, offset }],
            influence_starts: vec![0, 1],
            ..Mesh::default()
        };
        let model = Model { skeleton, meshes: vec![mesh], ..Model::default() };
        // +X to -Y is a turn by -90 degrees, so (x, y) becomes (y, -x).
        let turned = turned(&model, Front::PositiveX, Front::NegativeY, 2.0);
        let expected = 2.0 * DVec3::new(position.y, -position.x, position.z);
        let pose = LocalPose::rest(&turned.skeleton).to_model(&turned.skeleton);
        let mesh = &turned.meshes[0];
        let skinned = pose.0[tip.index()].transform_point3(mesh.influences[0].offset.as_dvec3());
        assert!(skinned.distance(expected) < 1e-5, "{skinned} instead of {expected}");
        assert!(mesh.positions[0].as_dvec3().distance(expected) < 1e-5);
        let back = (pose.0[tip.index()] * mesh.bind[0].inverse_bind).transform_point3(expected);
        assert!(back.distance(expected) < 1e-5, "the palette at rest is the identity");
    }
}
