//! Programs and batches of a method for one model.

use super::hierarchy::{self, Hierarchy};
use super::joint_uniforms::UniformSink;
use super::material_images::GpuMaterial;
use super::passes::PassImages;
use super::pipeline_key::{PipelineKey, Purpose, capacity, compile, is_instanced, program_size};
use super::programs::ShaderFiles;
use super::settings::Instance;
use super::upload::{self, BatchMesh, Posing, Scratch, Upload, UploadContext};
use super::vertex_layout::{self, Copies, Surface};
use super::{Error, Gpu};
use bindpose_core::budget::{Bytes, product};
use bindpose_core::model::{Clip, MaterialId, Mesh, Model};
use bindpose_core::skin::{self, Cost, Data, Example, JointData, Limits, Method, MethodId, Prepared, SkinningStage};
use bindpose_parsers::counted;
use bindpose_shaders::ProgramSize;
use glam::Vec4;
use glium::DrawParameters;
use glium::backend::Facade;
use glium::index::{IndexBuffer, PrimitiveType};
use glium::program::Program;
use glium::uniforms::UniformValue;
use glium::vertex::{MultiVerticesSource, VertexBuffer, VertexBufferAny, VerticesSource};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Most memory that a method may keep for all meshes, besides their vertices.
const MOST_BYTES: u128 = 1 << 30;
/// Memory of a joint's motion for a mesh: its texels twice and a copy of them, and its part of skeleton and clip.
const MOTION_BYTES: usize = 512;
/// Memory of a texture into which a fragment pass draws, measured with Mesa.
const TARGET_BYTES: usize = 352 << 10;

/// Input of [`MethodPipeline::new`].
pub(super) struct BuildContext<'a> {
    pub gpu: &'a Gpu,
    pub shaders: &'a ShaderFiles,
    pub limits: Limits,
    pub model: &'a Model,
    pub examples: &'a [Example],
    /// Clip whose frames `morph` stores.
    pub clip: Option<&'a Clip>,
    /// Materials with a bump map.
    pub bumped: &'a [MaterialId],
}

/// Programs and batches of a method for one model.
pub(super) struct MethodPipeline {
    method: &'static Method,
    gpu: Gpu,
    shaders: ShaderFiles,
    /// Joints that the programs support.
    capacity: usize,
    texture_size: u32,
    /// True if several copies are drawn at once.
    instanced: bool,
    /// Programs by purpose and, if the method is unrolled, number of influences.
    programs: RefCell<BTreeMap<(Purpose, usize), Rc<Program>>>,
    /// Texture coordinates and colours of all batches, concatenated.
    surfaces: VertexBuffer<Surface>,
    /// Texture coordinates with replaced colours.
    painted: Option<VertexBuffer<Surface>>,
    /// Triangles of all batches, with indices relative to their batch.
    indices: IndexBuffer<u32>,
    /// One per batch.
    pub batches: Vec<GpuBatch>,
    /// Data of the reference, one per mesh of the model.
    pub prepared: Vec<Prepared>,
    /// Batches, cost and memory.
    pub stats: PipelineStats,
    hierarchy: Option<Hierarchy>,
    /// Not one of glium's dynamic buffers: NVIDIA's driver keeps those in the system's memory, and every vertex would read
    /// its copy over the bus.
    copies: Option<VertexBuffer<Copies>>,
    staged_copies: Vec<Copies>,
    scratch: Scratch,
    /// Bytes of the last upload.
    pub uploaded: u64,
}

/// A draw call.
pub(super) struct GpuBatch {
    /// Its part of a mesh.
    pub shape: BatchMesh,
    /// Largest number of influences of a vertex; at least 1.
    influences: usize,
    /// Range in the pipeline's surfaces.
    surfaces: Range<usize>,
    /// Range in the pipeline's indices.
    indices: Range<usize>,
    /// True if its colours are replaced.
    pub is_painted: bool,
    /// Vertices that do not depend on the pose, except those of `upload`.
    vertices: Option<VertexBufferAny>,
    /// Data of the current pose.
    upload: Box<dyn Upload>,
}

/// Batches, cost and memory of a method for a model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PipelineStats {
    /// Draw calls.
    pub batches: usize,
    /// Cost of its limits.
    pub cost: Cost,
    /// Memory in addition to uniforms: vertices, indices, palettes in textures, stored frames.
    pub fixed_bytes: u64,
    /// Size of its program; `None` for own GLSL that the counter does not know.
    pub program: Option<ProgramSize>,
}

impl MethodPipeline {
    /// Prepares, splits and uploads all meshes.
    ///
    /// # Errors
    ///
    /// [`Error`] if the method cannot show the model here, or of OpenGL.
    pub fn new(id: MethodId, build: &BuildContext<'_>) -> Result<Self, Error> {
        let method = id.method();
        build.check_memory(method)?;
        let program = program_size(build.shaders, method);
        let capacity = capacity(build.gpu, method, build.limits, program)?;
        let SplitModel { prepared, shapes, cost } = SplitModel::new(id, build, capacity)?;
        // The capacity is what the fullest batch needs, and at least two: glium does not support uniform arrays of one
        // element.
        let fullest = shapes.iter().map(|shape| shape.mesh.bind.len()).max().unwrap_or(0).max(2);
        let padded_influences = hierarchy::padded_influences(shapes.iter().map(|shape| &shape.mesh));
        let hierarchy = match method.stage {
            SkinningStage::FragmentPasses => Some(build.hierarchy(method, padded_influences)?),
            SkinningStage::Cpu | SkinningStage::VertexShader => None,
        };
        // All batches share one buffer: there may be tens of thousands, and each buffer costs memory and time.
        let (mut surfaces, mut indices) = (Vec::new(), Vec::new());
        let mut batches = Vec::with_capacity(shapes.len());
        for shape in shapes {
            let (first_surface, first_index) = (surfaces.len(), indices.len());
            let mesh = &shape.mesh;
            surfaces.extend((0..mesh.vertex_count()).map(|vertex| vertex_layout::surface(mesh, vertex, None)));
            indices.extend_from_slice(mesh.triangles.as_flattened());
            let ranges = (first_surface..surfaces.len(), first_index..indices.len());
            let prepared = &prepared[shape.mesh_index];
            batches.push(GpuBatch::new(method, build, shape, prepared, fullest, padded_influences, ranges)?);
        }
        let surfaces = surface_buffer(build.gpu, &surfaces)?;
        let indices = IndexBuffer::immutable(build.gpu, PrimitiveType::TrianglesList, &indices)
            .map_err(Error::resource("index buffer"))?;
        let shared = (surfaces.get_size() + indices.get_size()) as u64;
        let frames = prepared.iter().map(frame_bytes);
        let fixed_bytes = shared + batches.iter().map(GpuBatch::fixed_bytes).chain(frames).sum::<u64>();
        Ok(Self {
            method,
            gpu: build.gpu.clone(),
            shaders: build.shaders.clone(),
            capacity: fullest,
            texture_size: build.gpu.limits().texture_size,
            instanced: is_instanced(method, build.gpu.get_context()),
            programs: RefCell::default(),
            surfaces,
            painted: None,
            indices,
            stats: PipelineStats { batches: batches.len(), cost, fixed_bytes, program },
            batches,
            prepared,
            hierarchy,
            copies: None,
            staged_copies: Vec::new(),
            scratch: Scratch::default(),
            uploaded: 0,
        })
    }

    /// Returns the number of copies that one draw call can show.
    pub fn copies_at_once(&self) -> usize {
        if !self.instanced {
            return 1;
        }
        self.batches.iter().map(|batch| batch.upload.most_copies(self.texture_size)).min().unwrap_or(1)
    }

    /// Computes the data of some copies' poses on the CPU, for at most [`MethodPipeline::copies_at_once`] copies.
    pub fn fill(&mut self, instances: &[Instance<'_>]) {
        self.staged_copies.clear();
        self.staged_copies.extend(instances.iter().enumerate().map(|(row, instance)| {
            // Without instancing, world_from_model moves the copy.
            let position = if self.instanced { instance.position } else { glam::Vec3::ZERO };
            Copies { copy: position.extend(row as f32).to_array() }
        }));
        if let Some(hierarchy) = &mut self.hierarchy {
            hierarchy.fill(instances.iter().map(|instance| instance.local));
            return;
        }
        let Some(&first) = instances.first() else { return };
        self.scratch.set_pose(self.method, first);
        for batch in &mut self.batches {
            batch.upload.fill(&mut Posing {
                batch: &batch.shape,
                prepared: &self.prepared[batch.shape.mesh_index],
                instances,
                first,
                scratch: &mut self.scratch,
            });
        }
    }

    /// Writes textures and vertex buffers, runs fragment passes, and counts the bytes sent, including uniforms.
    pub fn upload(&mut self) -> Result<(), Error> {
        let mut bytes = 0;
        if self.instanced {
            match self.copies.as_ref().filter(|copies| copies.len() == self.staged_copies.len()) {
                Some(copies) => copies.write(&self.staged_copies),
                None => {
                    let copies = VertexBuffer::new(&self.gpu, &self.staged_copies);
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

    /// Replaces the vertex colours (linear RGBA, by mesh and vertex); `None` restores them.
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
        self.painted = colours.is_some().then(|| surface_buffer(&self.gpu, &surfaces)).transpose()?;
        Ok(())
    }

    /// Returns the position of a copy that is drawn alone; zero for instanced copies, which have their own positions.
    pub fn position_of(&self, instances: &[Instance<'_>]) -> glam::Vec3 {
        match instances {
            [instance] if !self.instanced => instance.position,
            _ => glam::Vec3::ZERO,
        }
    }

    /// Compiles the missing programs of a purpose that does not depend on materials.
    pub fn compile(&self, purpose: Purpose) -> Result<(), Error> {
        self.batches.iter().try_for_each(|batch| self.program(batch, purpose).map(drop))
    }

    /// Compiles the programs of surfaces and shadows. Others are compiled when they are first used.
    pub fn compile_shown(&self, materials: &[GpuMaterial]) -> Result<(), Error> {
        for batch in &self.batches {
            let material = materials.get(batch.shape.mesh.material.index());
            self.program(batch, Purpose::Shown(material.map(PassImages::of_first_pass).unwrap_or_default()))?;
        }
        self.compile(Purpose::Shadow)
    }

    /// Frees the programs. Drawing compiles them again.
    pub fn forget_programs(&mut self) {
        self.programs.get_mut().clear();
    }

    /// Returns the program of a batch, compiled at its first use.
    pub fn program(&self, batch: &GpuBatch, purpose: Purpose) -> Result<Rc<Program>, Error> {
        // Methods that are not unrolled have one program for any number of influences.
        let influences = if self.method.unrolled { batch.influences } else { 0 };
        let mut programs = self.programs.borrow_mut();
        if let Some(program) = programs.get(&(purpose, influences)) {
            return Ok(Rc::clone(program));
        }
        let key = PipelineKey { purpose, capacity: self.capacity, influences, instanced: self.instanced };
        let program = Rc::new(compile(&self.gpu, &self.shaders, self.method, &key)?);
        programs.insert((purpose, influences), Rc::clone(&program));
        Ok(program)
    }

    /// Draws a batch with the data last filled and uploaded. [`Purpose::Feedback`] draws its vertices as points.
    pub fn draw(
        &self,
        surface: &mut impl glium::Surface,
        batch: &GpuBatch,
        purpose: Purpose,
        uniforms: &impl glium::uniforms::Uniforms,
        parameters: &DrawParameters<'_>,
    ) -> Result<(), Error> {
        let program = &*self.program(batch, purpose)?;
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
        drawn.map_err(Error::resource("draw call"))
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

/// Vertex buffers of a draw call.
struct Sources<'a>(Vec<VerticesSource<'a>>);

impl<'a> MultiVerticesSource<'a> for Sources<'a> {
    type Iterator = std::vec::IntoIter<VerticesSource<'a>>;

    fn iter(self) -> Self::Iterator {
        self.0.into_iter()
    }
}

/// Meshes of a model as a method sees them, split into batches.
struct SplitModel {
    prepared: Vec<Prepared>,
    shapes: Vec<BatchMesh>,
    cost: Cost,
}

impl SplitModel {
    fn new(id: MethodId, build: &BuildContext<'_>, capacity: Option<u32>) -> Result<Self, Error> {
        let mut found = Self { prepared: Vec::new(), shapes: Vec::new(), cost: Cost::default() };
        let Model { skeleton, meshes, .. } = build.model;
        let prepared = Prepared::all(id, skeleton, meshes, build.examples, build.clip)
            .map_err(|error| Error::unavailable(id.method(), error.to_string()))?;
        for (mesh_index, ready) in prepared.into_iter().enumerate() {
            let split = skin::split(&ready.mesh, capacity.map(|joints| joints as usize));
            found.cost.add(&ready.cost);
            found.cost.add_split(&split);
            found.shapes.extend(split.batches.into_iter().map(|batch| BatchMesh {
                mesh_index,
                mesh: batch.to_mesh(&ready.mesh),
                source: batch.vertices,
            }));
            found.prepared.push(ready);
        }
        Ok(found)
    }
}

impl BuildContext<'_> {
    /// Checks that the data that a method keeps for each mesh fits the memory.
    fn check_memory(&self, method: &Method) -> Result<(), Error> {
        let Model { skeleton, meshes, .. } = self.model;
        let per_mesh = match (method.joint_data, method.stage) {
            (JointData::RowsAndMotions, _) => skeleton.len().saturating_mul(MOTION_BYTES),
            (_, SkinningStage::FragmentPasses) => TARGET_BYTES,
            _ => 0,
        };
        let bytes = product([meshes.len(), per_mesh]);
        if bytes > MOST_BYTES {
            let meshes = counted(meshes.len(), "mesh", "meshes");
            return Err(Error::unavailable(method, format!("{meshes} would need {}", Bytes(bytes))));
        }
        Ok(())
    }

    fn hierarchy(&self, method: &Method, padded_influences: usize) -> Result<Hierarchy, Error> {
        let skeleton = &self.model.skeleton;
        if 2 * skeleton.len() > self.gpu.limits().texture_size as usize {
            return Err(Error::unavailable(method, "its skeleton is wider than the driver's textures".into()));
        }
        Hierarchy::new(self.gpu, self.shaders, skeleton, padded_influences)
    }
}

impl GpuBatch {
    /// Creates a batch. `ranges` are its vertices and indices in the buffers of the pipeline.
    fn new(
        method: &Method,
        build: &BuildContext<'_>,
        shape: BatchMesh,
        prepared: &Prepared,
        capacity: usize,
        padded_influences: usize,
        (surfaces, indices): (Range<usize>, Range<usize>),
    ) -> Result<Self, Error> {
        let input = UploadContext {
            context: build.gpu.get_context(),
            skeleton: &build.model.skeleton,
            batch: &shape,
            prepared,
            capacity,
            texture_size: build.gpu.limits().texture_size,
            padded_influences,
            has_bump_map: build.bumped.contains(&shape.mesh.material),
        };
        let upload = upload::new(method, &input)?;
        let per_row = hierarchy::vertices_per_row(padded_influences, build.gpu.limits().texture_size);
        Ok(Self {
            influences: most_influences(&shape.mesh).max(1),
            surfaces,
            indices,
            is_painted: false,
            vertices: vertex_layout::vertex_buffer(method.vertex, build.gpu.get_context(), &shape.mesh, per_row)?,
            upload,
            shape,
        })
    }

    /// Passes this batch's uniforms to glium.
    pub fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.upload.visit(output);
        output("influences", UniformValue::SignedInt(self.influences as i32));
        // A copy drawn alone is in the first row.
        output("copy", UniformValue::Vec4([0.0; 4]));
    }

    fn fixed_bytes(&self) -> u64 {
        let vertices = self.vertices.as_ref().map_or(0, |vertices| vertices.get_size());
        vertices as u64 + self.upload.fixed_bytes()
    }
}

/// Returns an error that cannot happen, because the ranges are computed together with the buffers.
fn outside() -> Error {
    Error::Resource { what: "draw call", reason: "a batch lies outside of its buffers".to_owned() }
}

fn surface_buffer(gpu: &Gpu, surfaces: &[Surface]) -> Result<VertexBuffer<Surface>, Error> {
    VertexBuffer::immutable(gpu, surfaces).map_err(Error::resource("vertex buffer"))
}

/// Returns the largest number of influences of a vertex.
fn most_influences(mesh: &Mesh) -> usize {
    mesh.influence_starts.windows(2).map(|range| (range[1] - range[0]) as usize).max().unwrap_or(0)
}

/// Returns the memory of `morph`'s frames, in bytes.
fn frame_bytes(prepared: &Prepared) -> u64 {
    match &prepared.data {
        Data::Frames(frames) => frames.bytes(),
        _ => 0,
    }
}
