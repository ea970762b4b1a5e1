//! `dqs`, `dqs-scale`, `bulge-free-dqs`: the palette as dual quaternions.

use super::{BatchMesh, Error, Posing, UniformSink, Upload, UploadContext, inconsistent};
use crate::render::joint_uniforms::{Pair, UniformArray, rows};
use crate::render::vertex_layout::immutable;
use bindpose_core::skin::{Data, DualQuat, Method, ScaledDualQuat};
use glium::implement_vertex;
use glium::vertex::{Vertex as _, VertexBufferAny, VertexFormat, VerticesSource};

pub(super) struct DualQuaternions(Pair);

impl DualQuaternions {
    pub fn new(joints: usize) -> Self {
        Self(Pair::new(["boneReal", "boneDual"], joints))
    }

    fn set(&mut self, duals: impl Iterator<Item = DualQuat>) {
        self.0.set(duals.map(|entry| [entry.real, entry.dual].map(|part| part.as_quat().to_array())));
    }
}

impl Upload for DualQuaternions {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        self.set(posing.palette().iter().map(DualQuat::from_affine));
    }

    fn upload(&mut self) -> Result<u64, Error> {
        Ok(self.0.bytes())
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.0.visit(output);
    }
}

/// Dual quaternions with the three rows of each joint's scale.
pub(super) struct WithScale {
    rigid: DualQuaternions,
    scales: UniformArray<[f32; 4]>,
}

impl WithScale {
    pub fn new(joints: usize) -> Self {
        Self { rigid: DualQuaternions::new(joints), scales: UniformArray::new("scale", 3 * joints) }
    }
}

impl Upload for WithScale {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        let bind = &posing.batch.mesh.bind;
        let joints: Vec<ScaledDualQuat> =
            bind.iter().zip(posing.palette()).map(|(bound, entry)| ScaledDualQuat::new(bound, entry)).collect();
        self.scales.set(joints.iter().flat_map(|joint| rows(&joint.scale)));
        self.rigid.set(joints.iter().map(|joint| joint.rigid));
    }

    fn upload(&mut self) -> Result<u64, Error> {
        Ok(self.rigid.upload()? + self.scales.bytes())
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.rigid.visit(output);
        self.scales.visit(output);
    }
}

/// Bone to which a vertex keeps its distance.
#[derive(Debug, Clone, Copy)]
struct Bone {
    bone_start: [f32; 3],
    bone_end: [f32; 3],
}
implement_vertex!(Bone, bone_start, bone_end);

/// Returns the format of the additional vertices.
pub(super) fn format() -> VertexFormat {
    Bone::build_bindings()
}

/// Dual quaternions with the bone of each vertex.
pub(super) struct WithBones {
    palette: DualQuaternions,
    bones: VertexBufferAny,
}

impl WithBones {
    pub fn new(method: &Method, input: &UploadContext<'_>) -> Result<Self, Error> {
        let Data::Bones(bones) = &input.prepared.data else {
            return Err(inconsistent(method, "bones that were not prepared"));
        };
        let BatchMesh { mesh, source, .. } = input.batch;
        let bone = |_: &_, vertex: usize| {
            let [bone_start, bone_end] = bones.of_vertices[source[vertex] as usize].map(|end| end.as_vec3().to_array());
            Bone { bone_start, bone_end }
        };
        Ok(Self { palette: DualQuaternions::new(input.joints()), bones: immutable(input.context, mesh, bone)? })
    }
}

impl Upload for WithBones {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        self.palette.fill(posing);
    }

    fn upload(&mut self) -> Result<u64, Error> {
        self.palette.upload()
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.palette.visit(output);
    }

    fn add_sources<'a>(&'a self, sources: &mut Vec<VerticesSource<'a>>) {
        sources.push((&self.bones).into());
    }

    fn fixed_bytes(&self) -> u64 {
        self.bones.get_size() as u64
    }
}
