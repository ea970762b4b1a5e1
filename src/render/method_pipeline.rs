//! A method at work on a model: programs, batches, and bringing them to a pose.

use super::float_texture::TexelFormat;
use super::hierarchy::{self, Hierarchy};
use super::instance::Instance;
use super::joint_uniforms::UniformSink;
use super::pipeline_key::{PipelineKey, Purpose, capacity, compile, is_instanced};
use super::programs::ShaderFiles;
use super::upload::{self, BatchMesh, Posing, Upload, UploadContext};
use super::vertex_layout::{self, Copies, Surface};
use super::{Error, GlLimits};
use bindpose_core::model::{Clip, MaterialId, Mesh, Model};
use bindpose_core::skin::{self, Cost, Data, Example, Limits, Method, MethodId, Prepared, SkinningStage};
use glam::{DAffine3, Vec4};
use glium::DrawParameters;
use glium::backend::Context;
use glium::index::{IndexBuffer, PrimitiveType};
use glium::program::Program;
use glium::uniforms::UniformValue;
use glium::vertex::{MultiVerticesSource, TransformFeedbackSession, VertexBuffer, VertexBufferAny, VerticesSource};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// What a method's pipeline is made with.
pub(super) struct BuildContext<'a> {
    pub context: &'a Rc<Context>,
    pub shaders: &'a ShaderFiles,
    pub gl: &'a GlLimits,
    pub limits: Limits,
    pub texels: TexelFormat,
    pub model: &'a Model,
    pub examples: &'a [Example],
    /// What `morph` stores the frames of.
    pub clip: Option<&'a Clip>,
    /// Materials with a bump map.
    pub bumped: &'a [MaterialId],
}

/// A method at work on one model.
pub(super) struct MethodPipeline {
    method: &'static Method,
    context: Rc<Context>,
    shaders: ShaderFiles,
    /// Joints that the programs have room for.
    capacity: usize,
    texture_size: u32,
    /// Whether several copies are drawn at once.
    instanced: bool,
    /// By purpose and, where the method asks for it, influence count.
    programs: BTreeMap<(Purpose, usize), Program>,
    /// Where the vertices of all batches lie on images, and their colours; one after the other.
    surfaces: VertexBuffer<Surface>,
    /// The same with other colours.
    painted: Option<VertexBuffer<Surface>>,
    /// The triangles of all batches, by the numbers that vertices have in theirs.
    indices: IndexBuffer<u32>,
    /// One per batch.
    pub batches: Vec<GpuBatch>,
    /// One per mesh of the model: what the reference needs.
    pub prepared: Vec<Prepared>,
    /// What it takes.
    pub stats: PipelineStats,
    hierarchy: Option<Hierarchy>,
    copies: Option<VertexBuffer<Copies>>,
    staged_copies: Vec<Copies>,
    /// Space for palettes.
    palette: Vec<DAffine3>,
    /// Bytes of the last upload.
    pub uploaded: u64,
}

/// One draw call's worth of a mesh.
pub(super) struct GpuBatch {
    /// What it draws.
    pub shape: BatchMesh,
    /// The most influences that a vertex has; at least 1.
    influences: usize,
    /// Its share of the pipeline's surfaces.
    surfaces: Range<usize>,
    /// Its share of the pipeline's indices.
    indices: Range<usize>,
    /// Whether its vertices have other colours than their own.
    pub is_painted: bool,
    /// Vertices that no pose changes, but for those that the upload has.
    vertices: Option<VertexBufferAny>,
    /// What the method brings to every pose.
    upload: Box<dyn Upload>,
}

/// What a method takes to draw a model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PipelineStats {
    /// Draw calls.
    pub batches: usize,
    /// What its limits cost.
    pub cost: Cost,
    /// Memory besides uniforms: vertices, indices, palettes in textures, stored frames.
    pub fixed_bytes: u64,
}

impl MethodPipeline {
    /// Prepares, splits and uploads all meshes.
    pub fn new(id: MethodId, build: &BuildContext<'_>) -> Result<Self, Error> {
        let method = id.method();
        let capacity = capacity(build.context, method, build.limits, build.gl)?;
        let mut stats = PipelineStats::default();
        let mut prepared = Vec::with_capacity(build.model.meshes.len());
        let mut shapes = Vec::new();
        for (mesh_index, mesh) in build.model.meshes.iter().enumerate() {
            let ready = Prepared::new(id, &build.model.skeleton, mesh, build.examples, build.clip)
                .map_err(|error| Error::unavailable(method, error.to_string()))?;
            let split = skin::split(&ready.mesh, capacity.map(|joints| joints as usize));
            stats.cost.add(&ready.cost);
            stats.cost.add_split(&split);
            shapes.extend(split.batches.into_iter().map(|batch| BatchMesh {
                mesh_index,
                mesh: batch.to_mesh(&ready.mesh),
                source: batch.vertices,
            }));
            prepared.push(ready);
        }
        // As many as the fullest batch needs; glium cannot take uniform arrays of one element.
        let fullest = shapes.iter().map(|shape| shape.mesh.bind.len()).max().unwrap_or(0).max(2);
        let padded_influences = hierarchy::padded_influences(shapes.iter().map(|shape| &shape.mesh));
        let hierarchy = match method.stage {
            SkinningStage::FragmentPasses => Some(build.hierarchy(method, padded_influences)?),
            SkinningStage::Cpu | SkinningStage::VertexShader => None,
        };
        let mut batches = Vec::with_capacity(shapes.len());
        // One buffer for all batches: there may be tens of thousands, and each buffer costs memory and time of its own.
        let (mut surfaces, mut indices) = (Vec::new(), Vec::new());
        for shape in shapes {
            let input = UploadContext {
                context: build.context,
                skeleton: &build.model.skeleton,
                batch: &shape,
                prepared: &prepared[shape.mesh_index],
                capacity: fullest,
                texels: build.texels,
                texture_size: build.gl.texture_size,
                padded_influences,
                has_bump_map: build.bumped.contains(&shape.mesh.material),
            };
            let upload = upload::new(method, &input)?;
            let mesh = &shape.mesh;
            let (first_surface, first_index) = (surfaces.len(), indices.len());
            surfaces.extend((0..mesh.vertex_count()).map(|vertex| vertex_layout::surface(mesh, vertex, None)));
            indices.extend_from_slice(mesh.triangles.as_flattened());
            let per_row = hierarchy::vertices_per_row(padded_influences, build.gl.texture_size);
            batches.push(GpuBatch {
                influences: most_influences(mesh).max(1),
                surfaces: first_surface..surfaces.len(),
                indices: first_index..indices.len(),
                is_painted: false,
                vertices: vertex_layout::vertex_buffer(method.vertex, build.context, mesh, per_row)?,
                upload,
                shape,
            });
        }
        let surfaces = surface_buffer(build.context, &surfaces)?;
        let indices = IndexBuffer::immutable(build.context, PrimitiveType::TrianglesList, &indices)
            .map_err(Error::resource("index buffer"))?;
        stats.batches = batches.len();
        let shared = (surfaces.get_size() + indices.get_size()) as u64;
        let frames = prepared.iter().map(frame_bytes);
        stats.fixed_bytes = shared + batches.iter().map(GpuBatch::fixed_bytes).chain(frames).sum::<u64>();
        Ok(Self {
            method,
            context: Rc::clone(build.context),
            shaders: build.shaders.clone(),
            capacity: fullest,
            texture_size: build.gl.texture_size,
            instanced: is_instanced(method, build.context),
            programs: BTreeMap::new(),
            surfaces,
            painted: None,
            indices,
            batches,
            prepared,
            stats,
            hierarchy,
            copies: None,
            staged_copies: Vec::new(),
            palette: Vec::new(),
            uploaded: 0,
        })
    }

    /// How many copies one draw can show.
    pub fn copies_at_once(&self) -> usize {
        if !self.instanced {
            return 1;
        }
        self.batches.iter().map(|batch| batch.upload.most_copies(self.texture_size)).min().unwrap_or(1)
    }

    /// Works out what the programs need for some copies: the CPU's share, without OpenGL.
    ///
    /// Takes at most [`MethodPipeline::copies_at_once`] copies.
    pub fn fill(&mut self, instances: &[Instance<'_>]) {
        self.staged_copies.clear();
        self.staged_copies.extend(instances.iter().enumerate().map(|(row, instance)| {
            // A lone copy is moved by world_from_model, as in every other method.
            let place = if self.instanced { instance.position } else { glam::Vec3::ZERO };
            Copies { copy: place.extend(row as f32).to_array() }
        }));
        if let Some(hierarchy) = &mut self.hierarchy {
            hierarchy.fill(instances.iter().map(|instance| instance.pose.local));
            return;
        }
        let Some(first) = instances.first() else { return };
        for batch in &mut self.batches {
            batch.upload.fill(&mut Posing {
                batch: &batch.shape,
                prepared: &self.prepared[batch.shape.mesh_index],
                instances,
                pose: first.pose,
                palette: &mut self.palette,
            });
        }
    }

    /// Writes textures and vertex buffers, and runs fragment passes; counts the bytes that go up, those of the uniforms
    /// included.
    pub fn upload(&mut self) -> Result<(), Error> {
        let mut bytes = 0;
        if self.instanced {
            match self.copies.as_ref().filter(|copies| copies.len() == self.staged_copies.len()) {
                Some(copies) => copies.write(&self.staged_copies),
                None => {
                    let copies = VertexBuffer::dynamic(&self.context, &self.staged_copies);
                    self.copies = Some(copies.map_err(Error::resource("vertex buffer"))?);
                }
            }
            bytes += size_of_val(self.staged_copies.as_slice()) as u64;
        }
        for batch in &mut self.batches {
            bytes += batch.upload.upload()?;
        }
        if let Some(hierarchy) = &mut self.hierarchy {
            bytes += hierarchy.upload()?;
            hierarchy.run(self.batches.iter_mut().filter_map(|batch| batch.upload.vertex_texture()))?;
        }
        self.uploaded = bytes;
        Ok(())
    }

    /// Gives the vertices of the model's meshes other colours (linear RGBA), or their own again.
    pub fn paint(&mut self, colours: Option<&[Vec<Vec4>]>) -> Result<(), Error> {
        let mut surfaces = Vec::new();
        for batch in &mut self.batches {
            let of_mesh = colours.and_then(|colours| colours.get(batch.shape.mesh_index));
            batch.is_painted = of_mesh.is_some();
            let source = &batch.shape.source;
            let colour = |vertex: usize| {
                let vertex = source.get(vertex).map_or(usize::MAX, |&vertex| vertex as usize);
                of_mesh.map(|colours| colours.get(vertex).copied().unwrap_or(Vec4::ONE))
            };
            if colours.is_some() {
                let mesh = &batch.shape.mesh;
                let painted = |vertex| vertex_layout::surface(mesh, vertex, colour(vertex));
                surfaces.extend((0..mesh.vertex_count()).map(painted));
            }
        }
        self.painted = colours.is_some().then(|| surface_buffer(&self.context, &surfaces)).transpose()?;
        Ok(())
    }

    /// Where one copy stands that is drawn alone; copies that are drawn together bring their places along.
    pub fn place_of(&self, instances: &[Instance<'_>]) -> glam::Vec3 {
        match instances {
            [instance] if !self.instanced => instance.position,
            _ => glam::Vec3::ZERO,
        }
    }

    /// Makes sure that the programs for a purpose exist.
    pub fn compile(&mut self, purpose: Purpose) -> Result<(), Error> {
        let keys: Vec<usize> = self.batches.iter().map(|batch| self.program_key(batch)).collect();
        for influences in keys {
            if !self.programs.contains_key(&(purpose, influences)) {
                let program = self.program(purpose, influences)?;
                self.programs.insert((purpose, influences), program);
            }
        }
        Ok(())
    }

    /// Makes sure that the programs of pictures exist.
    pub fn compile_all(&mut self) -> Result<(), Error> {
        self.compile(Purpose::Shown)?;
        self.compile(Purpose::Shadow)
    }

    /// Frees the programs; drawing compiles them anew.
    pub fn forget_programs(&mut self) {
        self.programs.clear();
    }

    /// Methods have one program, or one per influence count.
    fn program_key(&self, batch: &GpuBatch) -> usize {
        if self.method.unrolled { batch.influences } else { 0 }
    }

    fn program(&self, purpose: Purpose, influences: usize) -> Result<Program, Error> {
        let key = PipelineKey { purpose, capacity: self.capacity, influences, instanced: self.instanced };
        compile(&self.context, &self.shaders, self.method, &key)
    }

    /// Draws one batch of what was filled and uploaded last; `points` draws its vertices alone.
    pub fn draw(
        &self,
        surface: &mut impl glium::Surface,
        batch: &GpuBatch,
        purpose: Purpose,
        uniforms: &impl glium::uniforms::Uniforms,
        parameters: &DrawParameters<'_>,
    ) -> Result<(), Error> {
        let Some(program) = self.programs.get(&(purpose, self.program_key(batch))) else {
            return Err(Error::unavailable(self.method, "its program was not compiled".into()));
        };
        let sources = self.sources(batch)?;
        let drawn = match purpose {
            Purpose::Feedback => {
                let points = glium::index::NoIndices(PrimitiveType::Points);
                surface.draw(sources, points, program, uniforms, parameters)
            }
            _ => {
                let indices = self.indices.slice(batch.indices.clone()).ok_or_else(outside)?;
                surface.draw(sources, indices, program, uniforms, parameters)
            }
        };
        drawn.map_err(Error::resource("figure"))
    }

    /// A session that captures the vertices of one batch.
    pub fn capture<'a, V: glium::Vertex + Send + 'static>(
        &'a self,
        batch: &GpuBatch,
        captured: &'a mut VertexBuffer<V>,
    ) -> Result<TransformFeedbackSession<'a>, Error> {
        let Some(program) = self.programs.get(&(Purpose::Feedback, self.program_key(batch))) else {
            return Err(Error::unavailable(self.method, "its program was not compiled".into()));
        };
        TransformFeedbackSession::new(&self.context, program, captured).map_err(Error::resource("readback"))
    }

    fn sources<'a>(&'a self, batch: &'a GpuBatch) -> Result<Sources<'a>, Error> {
        let surfaces = self.painted.as_ref().unwrap_or(&self.surfaces).slice(batch.surfaces.clone());
        let mut sources = vec![surfaces.ok_or_else(outside)?.into()];
        sources.extend(batch.vertices.iter().map(VerticesSource::from));
        batch.upload.add_sources(&mut sources);
        if let Some(copies) = &self.copies {
            let missing = |_| Error::unavailable(self.method, "the driver has no instancing".into());
            sources.push(copies.per_instance().map_err(missing)?.into());
        }
        Ok(Sources(sources))
    }
}

/// Vertex buffers of a draw; how many depends on the method.
struct Sources<'a>(Vec<VerticesSource<'a>>);

impl<'a> MultiVerticesSource<'a> for Sources<'a> {
    type Iterator = std::vec::IntoIter<VerticesSource<'a>>;

    fn iter(self) -> Self::Iterator {
        self.0.into_iter()
    }
}

impl BuildContext<'_> {
    fn hierarchy(&self, method: &Method, padded_influences: usize) -> Result<Hierarchy, Error> {
        let skeleton = &self.model.skeleton;
        if 2 * skeleton.len() > self.gl.texture_size as usize {
            return Err(Error::unavailable(method, "its skeleton is wider than the driver's textures".into()));
        }
        Hierarchy::new(self.context, self.shaders, skeleton, padded_influences)
    }
}

impl GpuBatch {
    /// Hands this batch's uniforms to glium.
    pub fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.upload.visit(output);
        output("influences", UniformValue::SignedInt(self.influences as i32));
        // Without instancing a copy is drawn alone, in the first row.
        output("copy", UniformValue::Vec4([0.0; 4]));
    }

    fn fixed_bytes(&self) -> u64 {
        let vertices = self.vertices.as_ref().map_or(0, |vertices| vertices.get_size());
        vertices as u64 + self.upload.fixed_bytes()
    }
}

/// What cannot be, as the ranges are made with the buffers.
fn outside() -> Error {
    Error::Resource { what: "figure", reason: "a batch lies outside of its buffers".to_owned() }
}

fn surface_buffer(context: &Rc<Context>, surfaces: &[Surface]) -> Result<VertexBuffer<Surface>, Error> {
    VertexBuffer::immutable(context, surfaces).map_err(Error::resource("vertex buffer"))
}

/// The most influences that a vertex has.
fn most_influences(mesh: &Mesh) -> usize {
    mesh.influence_starts.windows(2).map(|range| (range[1] - range[0]) as usize).max().unwrap_or(0)
}

/// Memory of `morph`'s frames.
fn frame_bytes(prepared: &Prepared) -> u64 {
    match &prepared.data {
        Data::Frames(frames) => frames.bytes(),
        _ => 0,
    }
}
