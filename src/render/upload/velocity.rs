//! `velocity`: palette matrices, and the motions of all joints of the skeleton in a texture.

use super::matrices::Rows;
use super::{BatchMesh, Error, Posing, UniformSink, Upload, UploadContext};
use crate::render::float_texture::{FlippingTexture, TexelFormat, nearest};
use crate::render::vertex_layout::{four_joints, immutable};
use bindpose_core::skin::{DRAG, Data, JointMotion, Method, SQUASH};
use glam::DVec3;
use glium::implement_vertex;
use glium::uniforms::UniformValue;
use glium::vertex::{Vertex as _, VertexBufferAny, VertexFormat, VerticesSource};

/// Texels per joint.
const TEXELS: usize = 6;
/// Joints per row, as in velocity.vert.
const JOINTS_A_ROW: usize = 256;

/// Joints of the skeleton that influence a vertex.
#[derive(Debug, Clone, Copy)]
struct MovedBy {
    moved_by: [f32; 4],
}
implement_vertex!(MovedBy, moved_by);

/// Returns the format of the additional vertices.
pub(super) fn format() -> VertexFormat {
    MovedBy::build_bindings()
}

pub(super) struct RowsAndMotions {
    rows: Rows,
    motions: FlippingTexture,
    staged: Vec<[f32; 4]>,
    effect: [f32; 3],
    moved_by: VertexBufferAny,
}

impl RowsAndMotions {
    pub fn new(method: &Method, input: &UploadContext<'_>) -> Result<Self, Error> {
        let joints = input.skeleton.len();
        let (columns, texture_rows) = (TEXELS * joints.clamp(1, JOINTS_A_ROW), joints.div_ceil(JOINTS_A_ROW).max(1));
        if columns.max(texture_rows) > input.texture_size as usize {
            return Err(Error::unavailable(method, "its skeleton is wider than the driver's textures".into()));
        }
        if input.skeleton.depths().into_iter().max().unwrap_or(0) >= JOINTS_A_ROW as u32 {
            return Err(Error::unavailable(method, format!("more than {JOINTS_A_ROW} joints are above each other")));
        }
        let BatchMesh { mesh, .. } = input.batch;
        let moved_by = |mesh: &bindpose_core::model::Mesh, vertex: usize| MovedBy {
            moved_by: four_joints(mesh, vertex)
                .map(|slot| mesh.bind.get(slot as usize).map_or(0.0, |bound| bound.joint.index() as f32)),
        };
        Ok(Self {
            rows: Rows::new(input.joints()),
            motions: FlippingTexture::new(input.context, TexelFormat::Float, columns as u32, texture_rows as u32)?,
            staged: Vec::new(),
            effect: [DRAG as f32, SQUASH as f32, 0.0],
            moved_by: immutable(input.context, mesh, moved_by)?,
        })
    }
}

impl Upload for RowsAndMotions {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        self.rows.fill(posing);
        self.staged.clear();
        if let Data::Motion(motion) = &posing.prepared.data {
            self.effect[2] = motion.per_size as f32;
            self.staged.extend(motion.joints(posing.pose.model, posing.pose.time).iter().flat_map(texels));
        } else {
            // Without a clip nothing moves, so no joint needs its ancestors.
            self.staged.resize(TEXELS * posing.pose.model.0.len(), [0.0, 0.0, 0.0, -1.0]);
        }
        self.staged.resize((self.motions.width() * self.motions.rows()) as usize, [0.0; 4]);
    }

    fn upload(&mut self) -> Result<u64, Error> {
        Ok(self.rows.upload()? + self.motions.write(&self.staged))
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.rows.visit(output);
        output("motions", nearest(self.motions.texture()));
        output("motion_texels", UniformValue::Vec2(self.motions.texels()));
        output("effect", UniformValue::Vec3(self.effect));
    }

    fn add_sources<'a>(&'a self, sources: &mut Vec<VerticesSource<'a>>) {
        sources.push((&self.moved_by).into());
    }

    fn fixed_bytes(&self) -> u64 {
        self.motions.bytes() + self.moved_by.get_size() as u64
    }
}

fn texels(joint: &JointMotion) -> [[f32; 4]; TEXELS] {
    let parent = joint.parent.map_or(-1.0, |parent| parent as f32);
    let texel = |vector: DVec3| vector.as_vec3().extend(0.0).to_array();
    let JointMotion { speed, turn, centre, stretch, squeeze, .. } = *joint;
    let position = joint.position.as_vec3().extend(parent).to_array();
    [position, texel(speed), texel(turn), texel(centre), texel(stretch), texel(squeeze)]
}
