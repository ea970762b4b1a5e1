//! A method at work on a model: programs, batches, and bringing them to a pose.

use super::hierarchy::{self, Hierarchy, VertexTexture};
use super::joint_uniforms::{self, FlippingTexture, PaletteTexture, TexelFormat, UniformArray};
use super::pipeline_key::{PipelineKey, Purpose, capacity, compile, is_instanced, unavailable};
use super::programs::ShaderFiles;
use super::renderer::Instance;
use super::vertex_layout::{self, Copies, Finished, TwoFrames, Vertices};
use super::{Error, GlLimits};
use bindpose_core::model::{Clip, Mesh, Model};
use bindpose_core::skin::{
    self, Data, Example, JointData, JointSets, Limits, Method, MethodId, Prepared, SkinningStage, VertexLayout,
};
use glam::{Affine3A, DAffine3};
use glium::backend::Context;
use glium::index::{IndexBuffer, PrimitiveType};
use glium::program::Program;
use glium::uniforms::UniformValue;
use glium::vertex::{MultiVerticesSource, TransformFeedbackSession, VertexBuffer, VertexBufferAny, VerticesSource};
use glium::{DrawParameters, Surface};
use std::collections::BTreeMap;
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
}

/// A method at work on one model.
pub(super) struct MethodPipeline {
    method: &'static Method,
    context: Rc<Context>,
    shaders: ShaderFiles,
    /// Joints that the programs have room for.
    capacity: usize,
    texels: TexelFormat,
    texture_size: u32,
    /// Whether several copies are drawn at once.
    instanced: bool,
    /// By purpose and, where the method asks for it, influence count.
    programs: BTreeMap<(Purpose, usize), Program>,
    /// One per batch.
    pub batches: Vec<GpuBatch>,
    /// One per mesh of the model: what the reference needs.
    pub prepared: Vec<Prepared>,
    /// What the method's limits cost.
    pub loss: Loss,
    hierarchy: Option<Hierarchy>,
    copies: Option<VertexBuffer<Copies>>,
    staged_copies: Vec<Copies>,
    /// Bytes of the last upload.
    pub uploaded: u64,
}

/// One draw call's worth of a mesh.
pub(super) struct GpuBatch {
    /// Index into the model's meshes.
    pub mesh_index: usize,
    /// The batch as a mesh: its vertices, its palette as bind joints, influences as the method sees them.
    pub mesh: Mesh,
    /// For each vertex its number in the model's mesh.
    pub source: Vec<u32>,
    /// Place of each bind joint's parent among the bind joints.
    parents: Vec<Option<usize>>,
    /// The most that a vertex has; at least 1.
    influences: usize,
    surface: VertexBufferAny,
    vertices: Vertices,
    /// What only some methods have per vertex.
    extra: Option<VertexBufferAny>,
    /// Triangles.
    pub indices: IndexBuffer<u32>,
    arrays: Vec<UniformArray>,
    own: Own,
}

/// What only one method has per batch.
enum Own {
    Nothing,
    /// `bone-texture`.
    Palette(Box<PaletteTexture>),
    /// `sbs`: the sets of the whole mesh, a texel each.
    Sets(Box<Sets>),
    /// `sjbbe`: which of the mesh's corrected joints this batch has.
    Examples(Vec<u32>),
    /// `cpu`.
    Finished(Vec<Finished>),
    /// `morph`.
    Frames {
        shown: Option<(usize, usize)>,
        staged: Vec<TwoFrames>,
        share: f32,
    },
    /// `gpu-hierarchy`.
    Vertices(Box<VertexTexture>),
}

/// The joint sets of `sbs` and their centres in the pose.
struct Sets {
    sets: JointSets,
    centres: FlippingTexture,
    staged: Vec<[f32; 4]>,
}

/// What a method's limits took away from the file's influences, and what else is worth telling about it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Loss {
    /// Draw calls.
    pub batches: usize,
    /// Influences over the method's limit per vertex, or too light for it, or dropped from triangles.
    pub dropped_influences: usize,
    /// Vertices that lost some to the limit per vertex.
    pub reduced_vertices: usize,
    /// The largest share of a vertex' weight that was lost so.
    pub most_dropped: f32,
    /// Vertices whose weights did not sum to one and were divided.
    pub divided_vertices: usize,
    /// Vertices that break the condition under which `sjb` and `sjbbe` are exact.
    pub broken_conditions: usize,
    /// Triangles that lost influences because they use more joints than a batch may.
    pub trimmed_triangles: usize,
    /// Memory besides uniforms: vertices, indices, palettes in textures, stored frames.
    pub fixed_bytes: u64,
}

impl MethodPipeline {
    /// Prepares, splits and uploads all meshes.
    pub fn new(id: MethodId, build: &BuildContext<'_>) -> Result<Self, Error> {
        let method = id.method();
        let refuse = |reason: String| unavailable(method, reason);
        let capacity = capacity(build.context, method, build.limits, build.gl)?;
        let mut loss = Loss::default();
        let mut prepared = Vec::new();
        let mut split = Vec::new();
        for (mesh_index, mesh) in build.model.meshes.iter().enumerate() {
            let ready = Prepared::new(id, &build.model.skeleton, mesh, build.examples, build.clip)
                .map_err(|error| refuse(error.to_string()))?;
            let parted = skin::split(&ready.mesh, capacity.map(|joints| joints as usize));
            loss.add(&ready.cost, &parted);
            for batch in parted.batches {
                split.push((mesh_index, batch.to_mesh(&ready.mesh), batch.vertices));
            }
            prepared.push(ready);
        }
        loss.batches = split.len();
        let meshes: Vec<&Mesh> = split.iter().map(|(_, mesh, _)| mesh).collect();
        // As many as the fullest batch needs; glium cannot take uniform arrays of one element.
        let fullest = meshes.iter().map(|mesh| mesh.bind.len()).max().unwrap_or(0).max(2);
        let padded = hierarchy::influences_of(&meshes);
        let hierarchy = match method.stage {
            SkinningStage::FragmentPasses => {
                let skeleton = &build.model.skeleton;
                if 2 * skeleton.len() > build.gl.texture_size as usize {
                    return Err(refuse("its skeleton is wider than the driver's textures".into()));
                }
                Some(Hierarchy::new(build.context, build.shaders, skeleton, padded)?)
            }
            _ => None,
        };
        let mut pipeline = Self {
            method,
            context: Rc::clone(build.context),
            shaders: build.shaders.clone(),
            capacity: fullest,
            texels: build.texels,
            texture_size: build.gl.texture_size,
            instanced: is_instanced(method, build.context),
            programs: BTreeMap::new(),
            batches: Vec::new(),
            prepared,
            loss,
            hierarchy,
            copies: None,
            staged_copies: Vec::new(),
            uploaded: 0,
        };
        for (mesh_index, mesh, source) in split {
            let batch = pipeline.batch(build, mesh_index, mesh, source, padded)?;
            pipeline.loss.fixed_bytes += batch.fixed_bytes();
            pipeline.batches.push(batch);
        }
        pipeline.loss.fixed_bytes += pipeline.prepared.iter().map(frame_bytes).sum::<u64>();
        Ok(pipeline)
    }

    fn batch(
        &self,
        build: &BuildContext<'_>,
        mesh_index: usize,
        mesh: Mesh,
        source: Vec<u32>,
        padded: usize,
    ) -> Result<GpuBatch, Error> {
        let context = &self.context;
        let skeleton = &build.model.skeleton;
        let place = |joint| mesh.bind.iter().position(|bound| bound.joint == joint);
        let indices: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
        let per_row = hierarchy::vertices_per_row(padded, self.texture_size);
        let of_source = |vertex: usize| source[vertex] as usize;
        let mut extra = None;
        let own = match &self.prepared[mesh_index].data {
            Data::Sets(sets) => {
                let set_of: Vec<u32> = (0..source.len()).map(|vertex| sets.set_of[of_source(vertex)]).collect();
                extra = Some(vertex_layout::joint_set_buffer(context, &mesh, &set_of)?);
                let width = (sets.sets.len() as u32).clamp(1, 64);
                let height = (sets.sets.len() as u32).div_ceil(width).max(1);
                let centres = FlippingTexture::new(context, TexelFormat::Float, width, height)?;
                Own::Sets(Box::new(Sets { sets: sets.clone(), centres, staged: Vec::new() }))
            }
            Data::Centres(centres) => {
                let of_batch: Vec<_> = (0..source.len()).map(|vertex| centres[of_source(vertex)]).collect();
                extra = Some(vertex_layout::centre_buffer(context, &mesh, &of_batch)?);
                Own::Nothing
            }
            Data::Corrections(corrections) => {
                let mut joints: Vec<u32> =
                    (0..source.len()).filter_map(|vertex| corrections.support[of_source(vertex)]).collect();
                joints.sort_unstable();
                joints.dedup();
                if joints.len() > self.capacity {
                    let reason = "more joints with examples than joints in a batch".to_owned();
                    return Err(unavailable(self.method, reason));
                }
                extra = Some(vertex_layout::example_buffer(context, &mesh, |vertex| {
                    let vertex = of_source(vertex);
                    let joint = corrections.support[vertex].and_then(|joint| joints.binary_search(&joint).ok());
                    let (offsets, normals) = (corrections.offsets[vertex], corrections.normal_offsets[vertex]);
                    (joint.unwrap_or(0) as u32, offsets, normals)
                })?);
                Own::Examples(joints)
            }
            Data::Frames(_) => Own::Frames { shown: None, staged: Vec::new(), share: 0.0 },
            Data::None => match (self.method.vertex, self.method.joint_data) {
                (VertexLayout::Finished, _) => Own::Finished(Vec::new()),
                (VertexLayout::Texel, _) => {
                    Own::Vertices(Box::new(VertexTexture::new(context, &mesh, padded, per_row, self.texture_size)?))
                }
                (_, JointData::QuaternionTexels) => {
                    Own::Palette(Box::new(PaletteTexture::new(context, self.texels, mesh.bind.len() as u32, 1)?))
                }
                _ => Own::Nothing,
            },
        };
        let influences = (0..mesh.vertex_count()).map(|vertex| mesh.influences_of(vertex).len()).max().unwrap_or(0);
        // Without indices there is room for four matrices, whatever a batch uses.
        let joints = if self.method.vertex == VertexLayout::InOrder { 4 } else { mesh.bind.len() };
        Ok(GpuBatch {
            mesh_index,
            source,
            parents: mesh.bind.iter().map(|bound| skeleton[bound.joint].parent.and_then(place)).collect(),
            influences: influences.max(1),
            surface: vertex_layout::surface_buffer(context, &mesh)?,
            vertices: vertex_layout::vertex_buffer(self.method.vertex, context, &mesh, per_row)?,
            extra,
            indices: IndexBuffer::immutable(context, PrimitiveType::TrianglesList, &indices)
                .map_err(Error::resource("index buffer"))?,
            arrays: joint_uniforms::arrays(self.method.joint_data, joints),
            own,
            mesh,
        })
    }

    /// How many copies one draw can show.
    pub fn copies_at_once(&self) -> usize {
        if !self.instanced {
            return 1;
        }
        let rows = |batch: &GpuBatch| match &batch.own {
            Own::Vertices(vertices) => vertices.most_copies(self.texture_size),
            _ => self.texture_size as usize,
        };
        self.batches.iter().map(rows).min().unwrap_or(1)
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
        let mut scratch = Scratch::default();
        for batch in &mut self.batches {
            batch.fill(self.method.joint_data, &self.prepared, instances, &mut scratch);
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
            bytes += batch.upload(&self.context, self.texels, self.staged_copies.len() as u32)?;
        }
        if let Some(hierarchy) = &mut self.hierarchy {
            bytes += hierarchy.upload()?;
            hierarchy.run(self.batches.iter_mut().filter_map(|batch| match &mut batch.own {
                Own::Vertices(vertices) => Some(&mut **vertices),
                _ => None,
            }))?;
        }
        self.uploaded = bytes;
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
        surface: &mut impl Surface,
        batch: &GpuBatch,
        purpose: Purpose,
        uniforms: &impl glium::uniforms::Uniforms,
        parameters: &DrawParameters<'_>,
    ) -> Result<(), Error> {
        let Some(program) = self.programs.get(&(purpose, self.program_key(batch))) else {
            return Err(unavailable(self.method, "its program was not compiled".into()));
        };
        let sources = self.sources(batch)?;
        let drawn = match purpose {
            Purpose::Feedback => {
                let points = glium::index::NoIndices(PrimitiveType::Points);
                surface.draw(sources, points, program, uniforms, parameters)
            }
            _ => surface.draw(sources, &batch.indices, program, uniforms, parameters),
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
            return Err(unavailable(self.method, "its program was not compiled".into()));
        };
        TransformFeedbackSession::new(&self.context, program, captured).map_err(Error::resource("readback"))
    }

    fn sources<'a>(&'a self, batch: &'a GpuBatch) -> Result<Sources<'a>, Error> {
        let mut sources = vec![(&batch.surface).into()];
        sources.push(match &batch.vertices {
            Vertices::Fixed(vertices) => vertices.into(),
            Vertices::Streamed(vertices) => vertices.into(),
            Vertices::TwoFrames(vertices) => vertices.into(),
        });
        sources.extend(batch.extra.iter().map(VerticesSource::from));
        if let Some(copies) = &self.copies {
            let missing = |_| unavailable(self.method, "the driver has no instancing".into());
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

/// Space for palettes.
#[derive(Default)]
struct Scratch {
    palette: Vec<DAffine3>,
    palette_f32: Vec<Affine3A>,
    model: Vec<Affine3A>,
}

impl GpuBatch {
    fn fill(&mut self, joints: JointData, prepared: &[Prepared], instances: &[Instance<'_>], scratch: &mut Scratch) {
        let Some(instance) = instances.first() else { return };
        let pose = instance.pose.model;
        let mesh = &self.mesh;
        let whole = &prepared[self.mesh_index];
        let mut shares = Vec::new();
        match &mut self.own {
            Own::Palette(palette) => {
                palette.clear();
                for instance in instances {
                    skin::palette(mesh, instance.pose.model, &mut scratch.palette);
                    palette.push(&scratch.palette);
                }
                return;
            }
            Own::Frames { shown, staged, share } => {
                let Data::Frames(frames) = &whole.data else { return };
                let (before, after, share_of_way) = frames.between(instance.pose.time);
                *share = share_of_way as f32;
                if *shown != Some((before, after)) {
                    *shown = Some((before, after));
                    let (from, to) = (&frames.frames[before], &frames.frames[after]);
                    staged.clear();
                    staged.extend(self.source.iter().map(|&vertex| TwoFrames {
                        position: from.positions[vertex as usize].to_array(),
                        normal: from.normals[vertex as usize].to_array(),
                        next_position: to.positions[vertex as usize].to_array(),
                        next_normal: to.normals[vertex as usize].to_array(),
                    }));
                }
                return;
            }
            Own::Finished(finished) => {
                scratch.model.clear();
                scratch.model.extend(pose.0.iter().map(|joint| joint.as_affine3a()));
                skin::palette(mesh, pose, &mut scratch.palette);
                scratch.palette_f32.clear();
                scratch.palette_f32.extend(scratch.palette.iter().map(|entry| entry.as_affine3a()));
                finished.clear();
                skin::linear_f32(mesh, &scratch.model, &scratch.palette_f32, |_, position, normal| {
                    finished.push(Finished { position: position.to_array(), normal: normal.to_array() });
                });
                return;
            }
            Own::Sets(of_sets) => {
                let Sets { sets, centres, staged } = &mut **of_sets;
                skin::palette(&whole.mesh, pose, &mut scratch.palette);
                let [width, height] = centres.texels();
                staged.clear();
                let found = sets.centres(&scratch.palette);
                staged.extend(found.iter().map(|centre| centre.as_vec3().extend(0.0).to_array()));
                staged.resize((width * height) as usize, [0.0; 4]);
            }
            Own::Examples(joints) => {
                let Data::Corrections(corrections) = &whole.data else { return };
                skin::palette(&whole.mesh, pose, &mut scratch.palette);
                shares.extend(joints.iter().map(|&joint| corrections.joints[joint as usize].shares(&scratch.palette)));
            }
            Own::Nothing | Own::Vertices(_) => {}
        }
        skin::palette(mesh, pose, &mut scratch.palette);
        joint_uniforms::fill(joints, mesh, &self.parents, pose, &scratch.palette, &shares, &mut self.arrays);
    }

    fn upload(&mut self, context: &Rc<Context>, texels: TexelFormat, copies: u32) -> Result<u64, Error> {
        let uniforms: u64 = self.arrays.iter().map(UniformArray::bytes).sum();
        let written = match (&mut self.own, &self.vertices) {
            (Own::Palette(palette), _) => palette.upload(context, texels, copies)?,
            (Own::Sets(sets), _) => sets.centres.write(&sets.staged),
            (Own::Finished(finished), Vertices::Streamed(buffer)) => {
                // A fresh store, so that writing does not wait for a draw that still reads the old one.
                buffer.invalidate();
                buffer.write(finished);
                size_of_val(finished.as_slice()) as u64
            }
            (Own::Frames { staged, .. }, Vertices::TwoFrames(buffer)) if !staged.is_empty() => {
                buffer.invalidate();
                buffer.write(staged);
                let bytes = size_of_val(staged.as_slice()) as u64;
                staged.clear();
                bytes
            }
            _ => 0,
        };
        Ok(uniforms + written)
    }

    /// Hands this batch's uniforms to glium.
    pub fn visit<'v>(&'v self, output: &mut impl FnMut(&str, UniformValue<'v>)) {
        self.arrays.iter().for_each(|array| array.visit(output));
        match &self.own {
            Own::Palette(palette) => palette.visit(output),
            Own::Sets(sets) => {
                output("centres", super::joint_uniforms::nearest(sets.centres.texture()));
                output("centre_texels", UniformValue::Vec2(sets.centres.texels()));
            }
            Own::Frames { share, .. } => output("share", UniformValue::Float(*share)),
            Own::Vertices(vertices) => vertices.visit(output),
            Own::Nothing | Own::Examples(_) | Own::Finished(_) => {}
        }
        output("influences", UniformValue::SignedInt(self.influences as i32));
        // Without instancing a copy is drawn alone, in the first row.
        output("copy", UniformValue::Vec4([0.0; 4]));
    }

    fn fixed_bytes(&self) -> u64 {
        let vertices = match &self.vertices {
            Vertices::Fixed(vertices) => vertices.get_size(),
            Vertices::Streamed(vertices) => vertices.get_size(),
            Vertices::TwoFrames(vertices) => vertices.get_size(),
        };
        let extra = self.extra.as_ref().map_or(0, |extra| extra.get_size());
        let texels = match &self.own {
            Own::Vertices(vertices) => vertices.fixed_bytes(),
            Own::Palette(palette) => palette.bytes(),
            Own::Sets(sets) => sets.centres.bytes(),
            _ => 0,
        };
        (self.surface.get_size() + vertices + extra + self.indices.get_size()) as u64 + texels
    }
}

/// Memory of `morph`'s frames.
fn frame_bytes(prepared: &Prepared) -> u64 {
    match &prepared.data {
        Data::Frames(frames) => frames.bytes(),
        _ => 0,
    }
}

impl Loss {
    fn add(&mut self, cost: &skin::Cost, split: &skin::Split) {
        self.dropped_influences += cost.dropped_influences + split.dropped_influences;
        self.reduced_vertices += cost.reduced_vertices;
        self.most_dropped = self.most_dropped.max(cost.most_dropped);
        self.divided_vertices += cost.divided_vertices;
        self.broken_conditions += cost.broken_conditions;
        self.trimmed_triangles += split.trimmed.len();
    }
}
