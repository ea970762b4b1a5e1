//! `cpu`: finished vertices, uploaded for every pose.

use super::{Error, Posing, Scratch, UniformSink, Upload, UploadContext};
use bindpose_core::runtime::{RuntimeMesh, Simd, SkinnedVertex};
use glam::DVec3;
use glium::implement_vertex;
use glium::vertex::{Vertex as _, VertexBuffer, VertexFormat, VerticesSource};

#[derive(Debug, Clone, Copy)]
struct Finished {
    /// Posed position in model space.
    position: [f32; 3],
    /// Posed normal of unit length.
    normal: [f32; 3],
}
implement_vertex!(Finished, position, normal);

impl From<SkinnedVertex> for Finished {
    fn from(SkinnedVertex { position, normal }: SkinnedVertex) -> Self {
        Self { position, normal }
    }
}

/// Returns the formats of the vertices.
pub(super) fn formats() -> [VertexFormat; 2] {
    [Finished::build_bindings(), Tangent::build_bindings()]
}

/// Posed tangent in model space, and the sign of the bitangent.
#[derive(Debug, Clone, Copy)]
struct Tangent {
    tangent: [f32; 4],
}
implement_vertex!(Tangent, tangent);

pub(super) struct FinishedVertices {
    /// Not a dynamic buffer; see `MethodPipeline::copies`.
    vertices: VertexBuffer<Finished>,
    staged: Vec<Finished>,
    /// Tangents of the bind pose, or posed tangents if a bump map needs them.
    tangents: VertexBuffer<Tangent>,
    /// Empty unless a bump map needs them.
    staged_tangents: Vec<Tangent>,
    mesh: RuntimeMesh,
    simd: Simd,
}

impl FinishedVertices {
    pub fn new(input: &UploadContext<'_>) -> Result<Self, Error> {
        let mesh = RuntimeMesh::new(&input.batch.mesh);
        let of_bind_pose = |vertex| Tangent { tangent: input.batch.mesh.tangent(vertex).to_array() };
        let of_bind_pose: Vec<Tangent> = (0..mesh.vertices()).map(of_bind_pose).collect();
        let vertices = VertexBuffer::empty(input.context, mesh.vertices());
        Ok(Self {
            vertices: vertices.map_err(Error::resource("vertex buffer"))?,
            tangents: VertexBuffer::new(input.context, &of_bind_pose).map_err(Error::resource("vertex buffer"))?,
            staged_tangents: if input.has_bump_map { of_bind_pose } else { Vec::new() },
            staged: vec![SkinnedVertex::default().into(); mesh.vertices()],
            mesh,
            simd: Simd::best(),
        })
    }
}

impl Upload for FinishedVertices {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        let Scratch { model, matrices, .. } = &mut *posing.scratch;
        self.mesh.palette(model, matrices);
        self.mesh.skin(self.simd, matrices, &mut self.staged);
        if !self.staged_tangents.is_empty() {
            let mesh = &posing.batch.mesh;
            let palette = posing.palette();
            for (vertex, staged) in self.staged_tangents.iter_mut().enumerate() {
                let bind = mesh.tangent(vertex);
                let bind_tangent = bind.truncate().as_dvec3();
                let turned: DVec3 = mesh
                    .influences_of(vertex)
                    .iter()
                    .map(|influence| {
                        f64::from(influence.weight) * (palette[influence.slot as usize].matrix3 * bind_tangent)
                    })
                    .sum();
                staged.tangent = turned.as_vec3().extend(bind.w).to_array();
            }
        }
    }

    fn upload(&mut self) -> Result<u64, Error> {
        // A new buffer store, so that writing does not wait for a draw call that still reads the old one.
        self.vertices.invalidate();
        self.vertices.write(&self.staged);
        if !self.staged_tangents.is_empty() {
            self.tangents.invalidate();
            self.tangents.write(&self.staged_tangents);
        }
        Ok((size_of_val(self.staged.as_slice()) + size_of_val(self.staged_tangents.as_slice())) as u64)
    }

    fn visit<'v>(&'v self, _: UniformSink<'_, 'v>) {}

    fn add_sources<'a>(&'a self, sources: &mut Vec<VerticesSource<'a>>) {
        sources.push((&self.vertices).into());
        sources.push((&self.tangents).into());
    }

    fn fixed_bytes(&self) -> u64 {
        (self.vertices.get_size() + self.tangents.get_size()) as u64
    }
}
