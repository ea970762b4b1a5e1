//! `gpu-hierarchy`: fragment passes compute vertices from local poses. The CPU multiplies no transforms.

use super::float_texture::{FlippingTexture, fixed_texture, float_texture, nearest};
use super::joint_uniforms::UniformSink;
use super::programs::{Recipe, ShaderFiles};
use super::square::Square;
use super::vertex_layout::in_joint_space;
use super::{Error, Gpu};
use bindpose_core::model::{Mesh, Skeleton};
use bindpose_core::pose::LocalPose;
use glium::backend::{Context, Facade};
use glium::draw_parameters::DrawParameters;
use glium::framebuffer::SimpleFrameBuffer;
use glium::program::Program;
use glium::texture::Texture2d;
use glium::uniforms::UniformValue;
use std::rc::Rc;

/// Largest number of texels of a texture of vertices (16 bytes each). More copies need several draws.
const MOST_TEXELS: usize = 1 << 22;

/// Fragment passes of one model.
pub(super) struct Hierarchy {
    context: Rc<Context>,
    joint_pass: Program,
    vertex_pass: Program,
    square: Square,
    /// Index of each joint's parent; -1 for roots.
    parents: Vec<f32>,
    /// Number of rounds until the deepest joint has reached its root.
    rounds: u32,
    staged: Vec<[f32; 4]>,
    instances: u32,
    /// Textures for the largest number of copies so far.
    textures: Option<JointTextures>,
}

struct JointTextures {
    local: FlippingTexture,
    /// Targets of even and odd rounds.
    rounds: [Texture2d; 2],
}

/// Vertices of one mesh as texels.
pub(super) struct VertexTexture {
    /// Influences of each vertex. They do not change.
    influences: Texture2d,
    influence_texels: [f32; 2],
    per_row: u32,
    /// Rows per copy.
    rows: u32,
    /// Positions and normals, for the largest number of copies so far.
    target: Option<Target>,
}

struct Target {
    texture: Texture2d,
    texels: [f32; 2],
    copies: u32,
}

/// Returns the number of influences per vertex, padded to the same number in all meshes.
pub(super) fn padded_influences<'a>(meshes: impl Iterator<Item = &'a Mesh>) -> usize {
    let most = |mesh: &Mesh| mesh.influence_starts.windows(2).map(|range| (range[1] - range[0]) as usize).max();
    meshes.filter_map(most).max().unwrap_or(0).max(4)
}

/// Returns the number of vertices in a row of texels.
pub(super) fn vertices_per_row(influences: usize, texture_size: u32) -> usize {
    (texture_size as usize / (2 * influences)).clamp(1, 512)
}

impl VertexTexture {
    /// Creates the texture for a batch of a whole mesh, whose slots are the indices of its bind joints.
    pub fn new(
        context: &Rc<Context>,
        mesh: &Mesh,
        influences: usize,
        per_row: usize,
        texture_size: u32,
    ) -> Result<Self, Error> {
        let rows = mesh.vertex_count().div_ceil(per_row).max(1);
        let width = 2 * influences * per_row;
        if rows > texture_size as usize || width > texture_size as usize {
            let reason = format!("{width}x{rows} texels are needed, the driver has {texture_size}x{texture_size}");
            return Err(Error::Resource { what: "texture of influences", reason });
        }
        let mut texels = vec![[0.0_f32; 4]; width * rows];
        for vertex in 0..mesh.vertex_count() {
            let start = vertex / per_row * width + vertex % per_row * 2 * influences;
            for (place, influence) in mesh.influences_of(vertex).iter().enumerate() {
                let joint = mesh.bind[influence.slot as usize].joint.index();
                let (offset, normal) = in_joint_space(mesh, vertex, influence);
                texels[start + 2 * place] = offset.extend(joint as f32).to_array();
                texels[start + 2 * place + 1] = normal.extend(influence.weight).to_array();
            }
        }
        let size = (width as u32, rows as u32);
        Ok(Self {
            influences: fixed_texture(context, &texels, size.0, size.1)?,
            influence_texels: [size.0 as f32, size.1 as f32],
            per_row: per_row as u32,
            rows: rows as u32,
            target: None,
        })
    }

    /// Returns the number of copies that fit at once.
    pub fn most_copies(&self, texture_size: u32) -> usize {
        let by_memory = MOST_TEXELS / (2 * self.per_row * self.rows) as usize;
        by_memory.min((texture_size / self.rows) as usize).max(1)
    }

    /// Returns the memory of the influences, in bytes.
    pub fn fixed_bytes(&self) -> u64 {
        16 * (self.influence_texels[0] * self.influence_texels[1]) as u64
    }

    fn grow(&mut self, context: &Rc<Context>, copies: u32) -> Result<&Target, Error> {
        let target = match self.target.take().filter(|target| target.copies >= copies) {
            Some(target) => target,
            None => {
                let (width, height) = (2 * self.per_row, self.rows * copies);
                let texture = float_texture(context, width, height)?;
                Target { texture, texels: [width as f32, height as f32], copies }
            }
        };
        Ok(self.target.insert(target))
    }

    /// Passes the uniforms of the vertices to glium.
    pub fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        if let Some(target) = &self.target {
            output("vertices", nearest(&target.texture));
            output("vertex_texels", UniformValue::Vec2(target.texels));
            output("rows_per_copy", UniformValue::Float(self.rows as f32));
        }
    }
}

impl Hierarchy {
    /// Compiles the passes for `influences` per vertex.
    pub fn new(gpu: &Gpu, shaders: &ShaderFiles, skeleton: &Skeleton, influences: usize) -> Result<Self, Error> {
        let build = |fragment: &str| {
            let recipe = Recipe {
                vertex: &["pass.vert"],
                fragment: &["quaternion.glsl", fragment],
                defines: &[("INFLUENCES", influences)],
                feedback: &[],
            };
            recipe.build(gpu, shaders, &[Square::format()])
        };
        let deepest = skeleton.depths().into_iter().max().unwrap_or(0);
        let parent = |joint: &bindpose_core::model::Joint| joint.parent.map_or(-1.0, |parent| parent.index() as f32);
        Ok(Self {
            context: Rc::clone(gpu.get_context()),
            joint_pass: build("gpu-hierarchy.joints.frag")?,
            vertex_pass: build("gpu-hierarchy.vertices.frag")?,
            square: Square::new(gpu)?,
            parents: skeleton.joints().iter().map(parent).collect(),
            // After n rounds a joint has visited 2^n - 1 ancestors.
            rounds: u32::BITS - deepest.leading_zeros(),
            staged: Vec::new(),
            instances: 0,
            textures: None,
        })
    }

    /// Stores the local poses of some copies.
    pub fn fill<'a>(&mut self, poses: impl Iterator<Item = &'a LocalPose>) {
        self.staged.clear();
        self.instances = 0;
        for pose in poses {
            self.instances += 1;
            for (local, parent) in pose.0.iter().zip(&self.parents) {
                self.staged.push(local.rotation.as_quat().to_array());
                self.staged.push(local.translation.as_vec3().extend(*parent).to_array());
            }
        }
    }

    /// Uploads the local poses. Returns the number of bytes sent.
    pub fn upload(&mut self) -> Result<u64, Error> {
        let width = 2 * self.parents.len() as u32;
        let instances = self.instances.max(1);
        let textures = match self.textures.take().filter(|textures| textures.local.height >= instances) {
            Some(textures) => textures,
            None => {
                let context = &self.context;
                JointTextures {
                    local: FlippingTexture::new(context, width.max(2), instances)?,
                    rounds: [
                        float_texture(context, width.max(2), instances)?,
                        float_texture(context, width.max(2), instances)?,
                    ],
                }
            }
        };
        Ok(self.textures.insert(textures).local.write(&self.staged))
    }

    /// Runs the passes to fill the vertex textures of all meshes.
    pub fn run<'a>(&self, meshes: impl Iterator<Item = &'a mut VertexTexture>) -> Result<(), Error> {
        let Some(textures) = &self.textures else { return Ok(()) };
        let texels = textures.local.texels();
        let mut joints = textures.local.texture();
        for round in 0..self.rounds as usize {
            let target = &textures.rounds[round % 2];
            let values = [("joints", nearest(joints)), ("joint_texels", UniformValue::Vec2(texels))];
            self.pass(&self.joint_pass, target, (texels[0] as u32, self.instances), &Pass(&values))?;
            joints = target;
        }
        for mesh in meshes {
            let rows = self.instances * mesh.rows;
            let influence_texels = mesh.influence_texels;
            let (per_row, rows_per_copy) = (mesh.per_row, mesh.rows as f32);
            mesh.grow(&self.context, self.instances.max(1))?;
            let Some(target) = &mesh.target else { continue };
            let values = [
                ("joints", nearest(joints)),
                ("joint_texels", UniformValue::Vec2(texels)),
                ("influences", nearest(&mesh.influences)),
                ("influence_texels", UniformValue::Vec2(influence_texels)),
                ("rows_per_copy", UniformValue::Float(rows_per_copy)),
            ];
            self.pass(&self.vertex_pass, &target.texture, (2 * per_row, rows), &Pass(&values))?;
        }
        Ok(())
    }

    fn pass(&self, program: &Program, target: &Texture2d, size: (u32, u32), uniforms: &Pass<'_>) -> Result<(), Error> {
        if size.1 == 0 {
            return Ok(());
        }
        let mut surface = SimpleFrameBuffer::new(&self.context, target).map_err(Error::resource("float target"))?;
        let viewport = Some(glium::Rect { left: 0, bottom: 0, width: size.0, height: size.1 });
        let parameters = DrawParameters { viewport, ..DrawParameters::default() };
        self.square.draw(&mut surface, program, uniforms, &parameters, "fragment pass")
    }
}

struct Pass<'a>(&'a [(&'static str, UniformValue<'a>)]);

impl glium::uniforms::Uniforms for Pass<'_> {
    fn visit_values<'v, F: FnMut(&str, UniformValue<'v>)>(&'v self, mut output: F) {
        self.0.iter().for_each(|(name, value)| output(name, *value));
    }
}
