//! Linear blending: `p = sum_i w_i * model[j_i] * offset_i`.

use super::skinned::{Skinned, palette};
use crate::model::{Influence, Mesh, cofactors};
use crate::pose::ModelPose;
use glam::{Affine3A, DAffine3, DMat3, DQuat, DVec3, Vec3, Vec3A};

/// Skins a mesh: positions over all influences in f64, with weights and order as in the file.
///
/// `pose` comes from [`local_to_model`](crate::pose::local_to_model); `out` gets one entry per vertex of the mesh.
///
/// Normals and tangents follow article 001 section 3.4, from the blended `G = sum_i w_i * palette[i]`: `N =
/// normalize(transpose(inverse(G)) n)` (through cofactors, so that a singular G still gives a direction), `T =
/// normalize(G t)`, then `T = normalize(T - (T.N) N)`.
///
/// # Panics
///
/// If `pose` lacks a joint of the mesh.
pub fn linear(mesh: &Mesh, pose: &ModelPose, out: &mut Skinned) {
    let mut entries = Vec::new();
    palette(mesh, pose, &mut entries);
    by_palette(mesh, pose, &entries, out);
}

impl Skinned {
    /// Skins a mesh as [`linear`] does.
    pub fn linear(mesh: &Mesh, pose: &ModelPose) -> Self {
        let mut out = Self::default();
        linear(mesh, pose, &mut out);
        out
    }
}

/// Skins as [`linear`], with a given [`palette`] of `mesh` and `pose`.
pub(super) fn by_palette(mesh: &Mesh, pose: &ModelPose, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    for vertex in 0..mesh.vertex_count() {
        let mut position = DVec3::ZERO;
        let mut blended = DMat3::ZERO;
        for influence in mesh.influences_of(vertex) {
            let slot = influence.slot as usize;
            let model = &pose.0[mesh.bind[slot].joint.index()];
            let weight = f64::from(influence.weight);
            position += model.transform_point3(influence.offset.as_dvec3()) * weight;
            blended += palette[slot].matrix3 * weight;
        }
        let normal = moved_normal(&blended, mesh.normals[vertex].as_dvec3());
        push_frame(out, position, normal, blended * mesh.tangent(vertex).truncate().as_dvec3());
    }
}

/// Skins as [`linear`], but with article 002's normals: each joint rotates the normal, and the results are summed by
/// weight.
///
/// The result is equal to that of [`linear`] for one influence, and close for several.
///
/// # Panics
///
/// If `pose` lacks a joint of the mesh.
pub fn linear_joint_normals(mesh: &Mesh, pose: &ModelPose, out: &mut Skinned) {
    let mut entries = Vec::new();
    palette(mesh, pose, &mut entries);
    joint_normals_by_palette(mesh, pose, &entries, out);
}

/// Skins as [`linear_joint_normals`], with a given [`palette`] of `mesh` and `pose`.
pub(super) fn joint_normals_by_palette(mesh: &Mesh, pose: &ModelPose, palette: &[DAffine3], out: &mut Skinned) {
    by_palette(mesh, pose, palette, out);
    for vertex in 0..mesh.vertex_count() {
        let turned = |bind: Vec3| -> DVec3 {
            let by_joint = mesh.influences_of(vertex).iter().map(|influence| {
                palette[influence.slot as usize].matrix3 * bind.as_dvec3() * f64::from(influence.weight)
            });
            by_joint.sum()
        };
        let lengths = mesh.influences_of(vertex).iter().map(|influence| {
            let turned = palette[influence.slot as usize].matrix3 * mesh.normals[vertex].as_dvec3();
            turned.length() * f64::from(influence.weight).abs()
        });
        let normal = unit_normal(turned(mesh.normals[vertex]), lengths.sum());
        out.normals[vertex] = normal;
        out.tangents[vertex] =
            turned(mesh.tangent(vertex).truncate()).reject_from_normalized(normal).normalize_or_zero();
    }
}

/// Returns the sum of the squares of all elements, which is the scale of a matrix's cofactors.
fn squared_size(matrix: &DMat3) -> f64 {
    matrix.x_axis.length_squared() + matrix.y_axis.length_squared() + matrix.z_axis.length_squared()
}

/// Normalises a normal. Zero if less than 1e-4 of `whole` is left, because f32 would lose its direction by a tenth of a
/// degree (as for the ring of a cylinder collapsed by a twist).
pub(super) fn unit_normal(normal: DVec3, whole: f64) -> DVec3 {
    if normal.length() > 1e-4 * whole { normal.normalize_or_zero() } else { DVec3::ZERO }
}

/// Returns the unit normal of a surface that `map` moves; zero if the map is singular along it.
pub(super) fn moved_normal(map: &DMat3, normal: DVec3) -> DVec3 {
    unit_normal(cofactors(map) * normal, squared_size(map))
}

/// Returns the blended map of every vertex.
pub(super) fn maps(mesh: &Mesh, palette: &[DAffine3]) -> Vec<DAffine3> {
    (0..mesh.vertex_count()).map(|vertex| weighted_sum(palette, mesh.influences_of(vertex))).collect()
}

/// `sum_i w_i * maps[slot_i]`. Zero without influences.
pub(super) fn weighted_sum(maps: &[DAffine3], influences: &[Influence]) -> DAffine3 {
    let mut sum = DAffine3 { matrix3: DMat3::ZERO, translation: DVec3::ZERO };
    for influence in influences {
        let (map, weight) = (&maps[influence.slot as usize], f64::from(influence.weight));
        sum.matrix3 += map.matrix3 * weight;
        sum.translation += map.translation * weight;
    }
    sum
}

/// Appends one vertex. `normal` has unit length or is zero. The tangent is made perpendicular to it.
pub(super) fn push_frame(out: &mut Skinned, position: DVec3, normal: DVec3, tangent: DVec3) {
    out.positions.push(position);
    out.normals.push(normal);
    out.tangents.push(tangent.reject_from_normalized(normal).normalize_or_zero());
}

/// Appends a vertex of the mesh at `position`, with its normal and tangent rotated.
pub(super) fn push_turned(out: &mut Skinned, mesh: &Mesh, vertex: usize, position: DVec3, rotation: DQuat) {
    let normal = (rotation * mesh.normals[vertex].as_dvec3()).normalize_or_zero();
    push_frame(out, position, normal, rotation * mesh.tangent(vertex).truncate().as_dvec3());
}

/// Returns the position of one vertex by [`linear`], in model space.
///
/// # Panics
///
/// If the mesh lacks the vertex, or `pose` lacks one of its joints.
pub fn linear_position(mesh: &Mesh, pose: &ModelPose, vertex: usize) -> DVec3 {
    let placed = mesh.influences_of(vertex).iter().map(|influence| {
        let model = &pose.0[mesh.bind[influence.slot as usize].joint.index()];
        model.transform_point3(influence.offset.as_dvec3()) * f64::from(influence.weight)
    });
    placed.sum()
}

/// Computes positions as [`linear`] does, but in f32, for a few evaluations of a mesh; [`crate::runtime`] is faster for
/// many.
///
/// `emit` gets each vertex index and its position in model space.
///
/// # Panics
///
/// If `pose` lacks a joint of the mesh.
pub fn linear_positions(mesh: &Mesh, pose: &ModelPose, mut emit: impl FnMut(usize, Vec3)) {
    let model: Vec<Affine3A> = mesh.bind.iter().map(|bound| pose.0[bound.joint.index()].as_affine3a()).collect();
    for vertex in 0..mesh.vertex_count() {
        let placed = mesh.influences_of(vertex).iter().map(|influence| {
            model[influence.slot as usize].transform_point3a(influence.offset.into()) * influence.weight
        });
        emit(vertex, placed.sum::<Vec3A>().into());
    }
}

/// Returns the smallest and largest corner of the bounding box of meshes in a pose, in model space and f32. Returns
/// `None` without vertices. Vertices that are not finite are ignored.
///
/// # Panics
///
/// If `pose` lacks a joint of a mesh.
pub fn posed_bounds(meshes: &[Mesh], pose: &ModelPose) -> Option<(Vec3, Vec3)> {
    let mut bounds: Option<(Vec3, Vec3)> = None;
    for mesh in meshes {
        linear_positions(mesh, pose, |_, position| {
            if position.is_finite() {
                let (min, max) = bounds.unwrap_or((position, position));
                bounds = Some((min.min(position), max.max(position)));
            }
        });
    }
    bounds
}
