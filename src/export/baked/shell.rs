//! Triangles of a mesh in a file's order.

use bindpose_core::model::Mesh;
use glam::{IVec2, Vec2};
use std::collections::BTreeMap;

/// Vertices and triangles of a mesh without unused vertices.
pub(super) struct Shell {
    /// Vertices of the mesh, in its order; one occurs again for each image it is moved to.
    pub(super) vertices: Vec<u32>,
    /// Texture coordinates of these vertices.
    pub(super) uvs: Vec<Vec2>,
    /// Indices into `vertices`, clockwise seen from the front.
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Shell {
    /// Lists the triangles of a mesh. `moved` returns by how many images the texture coordinates of a triangle are moved.
    pub(super) fn new(mesh: &Mesh, moved: impl Fn([Vec2; 3]) -> IVec2) -> Self {
        let uv = |vertex: u32| mesh.uvs.get(vertex as usize).copied().unwrap_or_default();
        let moved: Vec<IVec2> = mesh.triangles.iter().map(|corners| moved(corners.map(uv))).collect();
        let keys = |(corners, by): (&[u32; 3], &IVec2)| corners.map(|corner| (corner, by.x, by.y));
        let corners = mesh.triangles.iter().zip(&moved).flat_map(keys);
        let mut places: BTreeMap<(u32, i32, i32), u32> = corners.map(|key| (key, 0)).collect();
        places.values_mut().zip(0..).for_each(|(place, index)| *place = index);
        let placed = places.keys().map(|&(vertex, x, y)| (vertex, uv(vertex) + IVec2::new(x, y).as_vec2()));
        let (vertices, uvs) = placed.unzip();
        let triangle = |triangle: (&[u32; 3], &IVec2)| {
            let [a, b, c] = keys(triangle).map(|key| places[&key]);
            [a, c, b]
        };
        Self { vertices, uvs, triangles: mesh.triangles.iter().zip(&moved).map(triangle).collect() }
    }

    /// Returns the number of vertices that no triangle of the mesh uses.
    pub(super) fn unused(&self, mesh: &Mesh) -> usize {
        mesh.vertex_count() - self.vertices.chunk_by(|a, b| a == b).count()
    }
}
