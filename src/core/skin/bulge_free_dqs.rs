//! Dual quaternions without bulging (Kim and Han 2014).
//!
//! From the paper: if dual quaternions move a vertex farther from its bone than in the bind pose, it is moved back
//! towards the nearest point of the bone, to its distance in the bind pose. Ours: the choice of the bone
//! ([`VertexBones`]), and normals rotated as by dual quaternions.

use super::cost::Reduced;
use super::dqs;
use super::joined::Joined;
use super::pivot::heaviest_first;
use super::rotation::rotation;
use super::skinned::Skinned;
use super::unavailable::{MAX_BONE_DISTANCES, Unavailable};
use crate::model::{Mesh, Skeleton};
use crate::pose::bind_pose;
use glam::{DAffine3, DVec3};

/// Bone of every vertex: a line segment in the bind pose's model space that moves with the vertex' first influence.
///
/// A joint's bones run from its origin to those of its children. The vertex uses the nearest. A joint without children
/// continues its parent's direction beyond the mesh's end, or is a point if there is no direction. Joints at the same
/// position have no bone between them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VertexBones {
    /// Start and end of the bone of each vertex.
    pub of_vertices: Vec<[DVec3; 2]>,
}

impl VertexBones {
    fn new(of_joints: &[Vec<[DVec3; 2]>], mesh: &Mesh) -> Result<Self, Unavailable> {
        let of_slot = |slot: u32| of_joints[mesh.bind[slot as usize].joint.index()].as_slice();
        let firsts = (0..mesh.vertex_count()).filter_map(|vertex| mesh.influences_of(vertex).first());
        let distances: u64 = firsts.map(|first| of_slot(first.slot).len() as u64).sum();
        if distances > MAX_BONE_DISTANCES {
            return Err(Unavailable::TooManyDistances);
        }
        let bone = |vertex: usize| {
            let position = mesh.positions[vertex].as_dvec3();
            let first = mesh.influences_of(vertex).first();
            let bones = first.map_or(&[][..], |first| of_slot(first.slot));
            let distance = |bone: &[DVec3; 2]| position.distance(nearest_point(*bone, position));
            let nearest = bones.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
            nearest.copied().unwrap_or_default()
        };
        Ok(Self { of_vertices: (0..mesh.vertex_count()).map(bone).collect() })
    }
}

/// Returns the bones of every joint; at least one each.
fn bones_of_joints(skeleton: &Skeleton, mesh: &Mesh) -> Result<Vec<Vec<[DVec3; 2]>>, Unavailable> {
    let (min, max) = mesh.bounds().unwrap_or_default();
    let (min, max) = (min.as_dvec3(), max.as_dvec3());
    let same_place = 1e-5 * min.distance(max);
    let bind = bind_pose(skeleton, &mesh.bind).0;
    let parent = |joint: usize| skeleton.joints()[joint].parent.map(|parent| parent.index());
    let origin = |joint: usize| bind[joint].translation;
    let mut bones = vec![Vec::new(); skeleton.len()];
    for joint in 0..skeleton.len() {
        if let Some(parent) = parent(joint).filter(|&parent| origin(parent).distance(origin(joint)) > same_place) {
            bones[parent].push([origin(parent), origin(joint)]);
        }
    }
    let mut left = MAX_BONE_DISTANCES;
    for (joint, bones) in bones.iter_mut().enumerate().filter(|(_, bones)| bones.is_empty()) {
        let start = origin(joint);
        let mut above = parent(joint);
        let mut before = None;
        while let Some(origin) = above.map(origin).filter(|_| before.is_none()) {
            left = left.checked_sub(1).ok_or(Unavailable::TooManyDistances)?;
            before = Some(origin).filter(|origin| origin.distance(start) > same_place);
            above = above.and_then(parent);
        }
        let reach = (start - min).abs().max((start - max).abs()).length();
        let along = before.map_or(DVec3::ZERO, |before| (start - before).normalize_or_zero());
        bones.push([start, start + along * reach]);
    }
    Ok(bones)
}

/// Returns the point of a segment nearest to `point`.
fn nearest_point([start, end]: [DVec3; 2], point: DVec3) -> DVec3 {
    let along = end - start;
    let share = (point - start).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
    start + along * share.clamp(0.0, 1.0)
}

/// Sorts the influences of every vertex by weight, heaviest first (ties in file order), and finds its bone.
///
/// The bones are those of all meshes. Meshes whose bind poses differ have their own.
pub(super) fn prepare(skeleton: &Skeleton, meshes: &mut [Reduced]) -> Result<Vec<VertexBones>, Unavailable> {
    let joined = Joined::new(meshes);
    let shared = joined.has_one_bind_pose().then(|| bones_of_joints(skeleton, &joined.mesh)).transpose()?;
    let bones = |Reduced { mesh, .. }: &mut Reduced| {
        heaviest_first(mesh);
        match &shared {
            Some(shared) => VertexBones::new(shared, mesh),
            None => VertexBones::new(&bones_of_joints(skeleton, mesh)?, mesh),
        }
    };
    meshes.iter_mut().map(bones).collect()
}

/// Skins by `dqs`, then limits every vertex to its distance from the bone in the bind pose.
pub(super) fn skin(mesh: &Mesh, bones: &VertexBones, palette: &[DAffine3], out: &mut Skinned) {
    dqs::skin(mesh, palette, out);
    // Rigid, as in dual quaternions.
    let rigid = |entry: &DAffine3| DAffine3::from_rotation_translation(rotation(entry), entry.translation);
    let joints: Vec<[DAffine3; 2]> = palette.iter().map(rigid).map(|joint| [joint, joint.inverse()]).collect();
    for (vertex, &bone) in bones.of_vertices.iter().enumerate() {
        let Some(first) = mesh.influences_of(vertex).first() else { continue };
        let [joint, back] = &joints[first.slot as usize];
        let at_rest = mesh.positions[vertex].as_dvec3();
        let distance = at_rest.distance(nearest_point(bone, at_rest));
        let now = back.transform_point3(out.positions[vertex]);
        let foot = nearest_point(bone, now);
        if now.distance(foot) > distance {
            out.positions[vertex] = joint.transform_point3(foot + (now - foot) * (distance / now.distance(foot)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BindJoint, Influence, Transform};
    use crate::pose::LocalPose;
    use glam::Vec3;

    #[test]
    fn bones_lead_to_children_on_from_leaves_and_skip_joints_at_one_place() {
        let mut skeleton = Skeleton::new();
        // 1 and 2 start on 0; 3 coincides with 2; 4 is alone.
        for (parent, x, y) in
            [(None, 0.0, 0.0), (Some(0), 4.0, 0.0), (Some(0), 0.0, 3.0), (Some(2), 0.0, 0.0), (None, 9.0, 9.0)]
        {
            let rest_local = Transform { translation: DVec3::new(x, y, 0.0), ..Transform::IDENTITY };
            skeleton.push("", parent.and_then(|parent| skeleton.id(parent)), rest_local);
        }
        let bind = LocalPose::rest(&skeleton).to_model(&skeleton).0;
        let pull = |slot| Influence { slot, weight: 1.0, offset: Vec3::ZERO };
        let mesh = Mesh {
            positions: vec![Vec3::ZERO, Vec3::Y * 8.0],
            bind: skeleton
                .ids()
                .zip(&bind)
                .map(|(joint, bind)| BindJoint { joint, inverse_bind: bind.inverse() })
                .collect(),
            influences: vec![pull(0), pull(3)],
            influence_starts: vec![0, 1, 2],
            ..Mesh::default()
        };
        let bones = bones_of_joints(&skeleton, &mesh).unwrap();
        assert_eq!(bones[0], [[DVec3::ZERO, DVec3::X * 4.0], [DVec3::ZERO, DVec3::Y * 3.0]]);
        // The farthest corner of the box is 5 from (0, 3), and the root of 80 from (4, 0).
        assert_eq!(bones[2], [[DVec3::Y * 3.0, DVec3::Y * 8.0]]);
        assert_eq!(bones[3], bones[2]);
        assert!(bones[1][0][1].distance(DVec3::X * (4.0 + 80_f64.sqrt())) < 1e-12);
        assert_eq!(bones[4], [[DVec3::new(9.0, 9.0, 0.0); 2]]);
        // Joints without vertices are children, too.
        let mut less = mesh.clone();
        less.bind.truncate(1);
        assert_eq!(bones_of_joints(&skeleton, &less).unwrap(), bones);
        // A vertex of joint 0 uses the nearest of its bones.
        let mut above = mesh.clone();
        above.positions[0] = Vec3::new(0.5, 2.0, 0.0);
        let of_joints = bones_of_joints(&skeleton, &above).unwrap();
        assert_eq!(VertexBones::new(&of_joints, &above).unwrap().of_vertices[0][1], DVec3::Y * 3.0);
    }
}
