//! Meshes and their binding to the skeleton.

use super::{JointId, MaterialId};
use glam::{DAffine3, DVec3, Vec2, Vec3, Vec4};

/// A triangle mesh in its bind pose, bound to joints.
///
/// `positions`, `normals`, `uvs`, `source_vertices` and (unless empty) `tangents` and `colors` have one entry
/// per vertex.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    /// Name of the mesh in the file, else its number.
    pub name: String,
    /// Index into [`super::Model::materials`].
    pub material: MaterialId,
    /// Number of the mesh in its file. Shared by the parts of a mesh that was split by material.
    pub source_mesh: usize,
    /// Index of each vertex in the file's mesh. A vertex split for shading appears more than once.
    pub source_vertices: Vec<u32>,
    /// Positions in the bind pose, the weighted means of the influences' offsets, in model units.
    pub positions: Vec<Vec3>,
    /// Unit normals in bind space.
    pub normals: Vec<Vec3>,
    /// Unit tangents in bind space (xyz, towards +u, perpendicular to the normal) and the sign of the bitangent (w):
    /// `bitangent = w * cross(normal, tangent)` points towards +v, down the image. Empty in a model imported
    /// [without them](crate::import::ImportOptions::without_tangents).
    pub tangents: Vec<Vec4>,
    /// Texture coordinates. (0, 0) is the left end of the image's top row.
    pub uvs: Vec<Vec2>,
    /// Linear RGBA per vertex. Empty if the file has none.
    pub colors: Vec<Vec4>,
    /// Vertex indices, counter-clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
    /// Joints of this mesh, indexed by [`Influence::slot`].
    pub bind: Vec<BindJoint>,
    /// Influences of all vertices, vertex by vertex, in file order.
    pub influences: Vec<Influence>,
    /// Start of each vertex' influences in `influences`. One more entry than vertices.
    pub influence_starts: Vec<u32>,
}

/// A joint of a mesh, with its bind transform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BindJoint {
    /// Joint to which the mesh is bound.
    pub joint: JointId,
    /// Transform from model to joint space in the bind pose. For .x this is the file's matrixOffset.
    pub inverse_bind: DAffine3,
}

/// Influence of one joint on one vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Influence {
    /// Index into [`Mesh::bind`].
    pub slot: u32,
    /// Weight as in the file. Well-formed files have sums of 1, but nothing here relies on that.
    pub weight: f32,
    /// Vertex position in the joint's space, in model units. MD5 stores it. For .x it is `inverse_bind * position`. It
    /// counts wherever a file's influences disagree about the bind position.
    pub offset: Vec3,
}

impl Mesh {
    /// Influences of one vertex, in file order.
    ///
    /// # Panics
    ///
    /// If `vertex` is not less than [`Self::vertex_count`].
    pub fn influences_of(&self, vertex: usize) -> &[Influence] {
        let [start, end] = [self.influence_starts[vertex], self.influence_starts[vertex + 1]];
        &self.influences[start as usize..end as usize]
    }

    /// Returns the tangent of a vertex, and the sign of its bitangent. Zero in a mesh without tangents.
    pub fn tangent(&self, vertex: usize) -> Vec4 {
        self.tangents.get(vertex).copied().unwrap_or_default()
    }

    /// Returns the influence with the largest weight (the first among equals), and its joint. Returns `None` for a
    /// vertex without influences or out of range, and if the influence's slot is out of range.
    pub fn heaviest(&self, vertex: usize) -> Option<(&Influence, JointId)> {
        let influences = if vertex < self.vertex_count() { self.influences_of(vertex) } else { &[] };
        let heaviest = influences.iter().reduce(|most, other| if other.weight > most.weight { other } else { most })?;
        Some((heaviest, self.bind.get(heaviest.slot as usize)?.joint))
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// Returns the smallest and largest corner of the bind-space positions. Returns `None` without vertices.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let points = self.positions.iter().map(|&point| (point, point));
        points.reduce(|(min, max), (point, _)| (min.min(point), max.max(point)))
    }

    /// Returns the vertex whose influences disagree most about its bind position, and the largest distance of
    /// `inverse(inverse_bind) * offset` from [`Self::positions`], in model units. Returns `None` without influences.
    ///
    /// Rounding of decimals alone gives about 4e-6 of a model's size. Larger distances look different in engines that
    /// skin one bind position and in engines that sum the offsets (vkQuake #718).
    pub fn bind_residual(&self) -> Option<(usize, f64)> {
        let bind: Vec<DAffine3> = self.bind.iter().map(|bound| bound.inverse_bind.inverse()).collect();
        let mut worst: Option<(usize, f64)> = None;
        for vertex in 0..self.vertex_count() {
            let position: DVec3 = self.positions[vertex].as_dvec3();
            for influence in self.influences_of(vertex).iter().filter(|influence| influence.weight != 0.0) {
                let placed = bind[influence.slot as usize].transform_point3(influence.offset.as_dvec3());
                let distance = placed.distance(position);
                if worst.is_none_or(|(_, most)| distance > most) {
                    worst = Some((vertex, distance));
                }
            }
        }
        worst
    }
}

/// Returns the smallest and largest corner of the box around points. Returns `None` without points.
pub fn bounds_of(points: impl IntoIterator<Item = DVec3>) -> Option<(DVec3, DVec3)> {
    let boxes = points.into_iter().map(|point| (point, point));
    boxes.reduce(|(min, max), (point, _)| (min.min(point), max.max(point)))
}
