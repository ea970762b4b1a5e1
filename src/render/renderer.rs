//! Drawing of models, ground, background and skeletons. A draw depends only on its arguments.

use super::camera::Camera;
use super::gpu_model::GpuModel;
use super::gpu_timer::GpuTimer;
use super::material_images::GpuMaterial;
use super::method_pipeline::{GpuBatch, MethodPipeline};
use super::overlay::{Flat, Shapes};
use super::pass_uniforms::{BareUniforms, BatchDraw, PassUniforms, ShadowUniforms, View, blend, offset, over};
use super::passes::{Pass, PassImages, passes};
use super::pipeline_key::Purpose;
use super::programs::{Recipe, ShaderFiles};
use super::settings::{Background, FrameInput, Instance, Marks, RenderSettings, Surfaces};
use super::square::Square;
use super::{Error, Gpu, RenderTarget};
use bindpose_core::model::surface::{Inputs, Sides};
use bindpose_core::skin::MethodId;
use glam::{Mat4, Vec2, Vec4};
use glium::backend::{Context, Facade};
use glium::framebuffer::SimpleFrameBuffer;
use glium::index::NoIndices;
use glium::index::PrimitiveType::TrianglesList;
use glium::program::Program;
use glium::texture::{MipmapsOption, RawImage2d, Texture2d, UncompressedFloatFormat};
use glium::uniforms::{MagnifySamplerFilter, MinifySamplerFilter, Sampler, SamplerWrapFunction};
use glium::vertex::{Vertex as _, VertexBuffer};
use glium::{BackfaceCullingMode, Blend, BlendingFunction, DepthTest, DrawParameters, PolygonMode, Surface};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Side length of the shadow texture, in texels. It is blurred.
const SHADOW_SIZE: u32 = 256;
/// Radius of the blur, as a share of this side length.
const SHADOW_BLUR: f32 = 0.08;
/// Largest number of instances with shadows, each of which needs a second draw.
const SHADOWED_INSTANCES: usize = 16;

/// CPU work for a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FrameCost {
    /// Time to compute palettes, or vertices for methods of the CPU.
    pub palette: Duration,
    /// Time to upload textures and vertex buffers.
    pub upload: Duration,
    /// Time of draw calls with their uniforms.
    pub driver: Duration,
    /// Bytes uploaded.
    pub bytes: u64,
    /// Vertices drawn, over all batches and copies.
    pub vertices: u64,
}

/// A model that is drawn once for each copy of the frame's model.
pub struct Attached<'a> {
    /// The model.
    pub gpu_model: &'a mut GpuModel,
    /// Skinning method.
    pub method: MethodId,
    /// Its pose. The position is zero.
    pub instance: Instance<'a>,
    /// Transforms from its model space to the model space of the frame's model, one for each copy.
    pub placements: Vec<Mat4>,
}

/// Draws frames. It contains the programs that all models share.
pub struct Renderer {
    context: Rc<Context>,
    overlay: Program,
    ground: Program,
    blur: Program,
    square: Square,
    white: Texture2d,
    /// Shadow on the ground seen from above, sharp and blurred.
    shadow: Texture2d,
    soft_shadow: Texture2d,
}

impl Renderer {
    /// Compiles the shared programs.
    pub fn new(gpu: &Gpu, shaders: &ShaderFiles) -> Result<Self, Error> {
        let build = |vertex: &str, fragment: &str, format| {
            let recipe = Recipe { vertex: &[vertex], fragment: &[fragment], defines: &[], feedback: &[] };
            recipe.build(gpu, shaders, &[format])
        };
        let shadow = |side| {
            let format = UncompressedFloatFormat::U8U8U8U8;
            Texture2d::empty_with_format(gpu, format, MipmapsOption::NoMipmap, side, side)
                .map_err(Error::resource("shadow"))
        };
        let white = RawImage2d::from_raw_rgba(vec![255_u8; 4], (1, 1));
        Ok(Self {
            context: Rc::clone(gpu.get_context()),
            overlay: build("overlay.vert", "overlay.frag", Flat::build_bindings())?,
            ground: build("ground.vert", "ground.frag", Square::format())?,
            blur: build("blur.vert", "blur.frag", Square::format())?,
            square: Square::new(gpu)?,
            white: Texture2d::new(gpu, white).map_err(Error::resource("texture"))?,
            shadow: shadow(SHADOW_SIZE)?,
            soft_shadow: shadow(SHADOW_SIZE / 4)?,
        })
    }

    /// Draws a frame.
    ///
    /// # Errors
    ///
    /// [`Error`] if the method cannot show the model here, or of OpenGL.
    pub fn draw(&self, target: &RenderTarget, gpu_model: &mut GpuModel, input: &FrameInput<'_>) -> Result<(), Error> {
        self.draw_with(target, gpu_model, input, Vec::new())
    }

    /// Draws a frame with models that are attached to the copies of its model.
    ///
    /// # Errors
    ///
    /// As [`draw`](Self::draw), also of an attached model.
    pub fn draw_with(
        &self,
        target: &RenderTarget,
        gpu_model: &mut GpuModel,
        input: &FrameInput<'_>,
        mut attached: Vec<Attached<'_>>,
    ) -> Result<(), Error> {
        let FrameInput { method, camera, settings, instances, marks } = *input;
        let (width, height) = target.size();
        let view = View::new(camera, width as f32 / height as f32);
        let instances = &in_model_space(instances, camera);
        let copies = groups(gpu_model, method, instances)?.into_iter().map(|group| (group, view.world_from_model));
        let mut models = vec![Drawn { gpu_model, method, copies: copies.collect(), hidden: marks.hidden }];
        for Attached { gpu_model, method, instance, placements } in &mut attached {
            let placed = |placement: &Mat4| (std::slice::from_ref(&*instance), view.world_from_model * *placement);
            models.push(Drawn {
                gpu_model,
                method: *method,
                copies: placements.iter().map(placed).collect(),
                hidden: None,
            });
        }
        let looks: Vec<_> =
            models.iter().map(|drawn| FrameLook::new(&view, settings, marks, drawn.gpu_model)).collect();
        let has_shadows = settings.grid && instances.len() <= SHADOWED_INSTANCES;
        let mut shadow = self.framebuffer(&self.shadow)?;
        shadow.clear_color(0.0, 0.0, 0.0, 0.0);
        target.draw(|surface, pixel| {
            self.draw_background(surface, settings.background)?;
            for (drawn, look) in models.iter_mut().zip(&looks) {
                for copy in 0..drawn.copies.len() {
                    let posed = drawn.posed(copy, true)?;
                    if has_shadows {
                        draw_shadow(&mut shadow, &posed, &view)?;
                    }
                    self.draw_layer(surface, &posed, look, Translucency::Opaque)?;
                }
            }
            if settings.grid {
                self.soften_shadows(has_shadows)?;
                self.draw_ground(surface, &view)?;
            }
            for (drawn, look) in models.iter_mut().zip(&looks) {
                if settings.surfaces != Surfaces::Filled
                    || !drawn.gpu_model.materials.iter().any(GpuMaterial::is_translucent)
                {
                    continue;
                }
                for copy in 0..drawn.copies.len() {
                    // A single group is still posed.
                    let posed = drawn.posed(copy, drawn.copies.len() > 1)?;
                    self.draw_layer(surface, &posed, look, Translucency::Translucent)?;
                }
            }
            let (size, point) = (Vec2::new(width as f32, height as f32) * pixel, settings.scale * pixel);
            let mut shapes = Shapes::default();
            for drawn in models.iter().filter(|_| settings.skeleton) {
                drawn.add_bones(&mut shapes, view.clip_from_world, size, point);
            }
            for line in &marks.lines {
                shapes.line(line, view.clip_from_world, size, point);
            }
            self.draw_shapes(surface, &shapes, over())
        })
    }

    /// Draws copies without textures, light and ground, for timing. `timer` measures uploads and draw calls.
    ///
    /// Returns after the last draw call; [`Gpu::finish`] waits until everything is drawn.
    ///
    /// # Errors
    ///
    /// As [`draw`](Self::draw).
    pub fn draw_bare(
        &self,
        target: &RenderTarget,
        gpu_model: &mut GpuModel,
        method: MethodId,
        camera: &Camera,
        instances: &[Instance<'_>],
        mut timer: Option<&mut GpuTimer>,
    ) -> Result<FrameCost, Error> {
        let (width, height) = target.size();
        let clip_from_world = camera.clip_from_world(width as f32 / height as f32);
        let turn = Mat4::from_quat(camera.world_from_model);
        let instances = in_model_space(instances, camera);
        let mut cost = FrameCost::default();
        target.draw(|surface, _| {
            surface.clear_color_and_depth((0.0, 0.0, 0.0, 1.0), 1.0);
            let parameters = DrawParameters { depth: depth(true), ..DrawParameters::default() };
            for group in groups(gpu_model, method, &instances)? {
                let (pipeline, _) = gpu_model.pipeline(method, clip_of(method, group))?;
                pipeline.compile(Purpose::Bare)?;
                let start = Instant::now();
                pipeline.fill(group);
                let filled = Instant::now();
                cost.palette += filled - start;
                let mut submit = || {
                    pipeline.upload()?;
                    let uploaded = Instant::now();
                    let world_from_model = turn * Mat4::from_translation(pipeline.position_of(group));
                    for batch in &pipeline.batches {
                        let uniforms = BareUniforms { clip_from_world, world_from_model, batch };
                        pipeline.draw(surface, batch, Purpose::Bare, &uniforms, &parameters)?;
                        cost.vertices += (batch.shape.mesh.vertex_count() * group.len()) as u64;
                    }
                    cost.upload += uploaded - filled;
                    cost.driver += uploaded.elapsed();
                    cost.bytes += pipeline.uploaded;
                    Ok::<(), Error>(())
                };
                match &mut timer {
                    Some(timer) => timer.time(submit)?,
                    None => submit()?,
                }
            }
            Ok(())
        })?;
        Ok(cost)
    }

    fn draw_background(&self, surface: &mut SimpleFrameBuffer<'_>, background: Background) -> Result<(), Error> {
        match background {
            Background::Flat([r, g, b, a]) => surface.clear_color_and_depth((r, g, b, a), 1.0),
            Background::Gradient => {
                surface.clear_color_and_depth((0.0, 0.0, 0.0, 1.0), 1.0);
                let mut shapes = Shapes::default();
                shapes.backdrop([0.37, 0.40, 0.44, 1.0], [0.21, 0.225, 0.245, 1.0]);
                self.draw_shapes(surface, &shapes, Blend::default())?;
            }
        }
        Ok(())
    }

    /// Draws opaque or translucent surfaces. Edges of all batches are drawn together with the opaque surfaces.
    fn draw_layer(
        &self,
        surface: &mut SimpleFrameBuffer<'_>,
        posed: &Posed<'_>,
        look: &FrameLook<'_>,
        layer: Translucency,
    ) -> Result<(), Error> {
        let style = look.settings.surfaces;
        let world_from_model = posed.world_from_model;
        for &number in &posed.order {
            let batch = &posed.pipeline.batches[number];
            let material = posed.material(number);
            let colour = look.colour(number, batch);
            let is_translucent = style == Surfaces::Filled
                && colour.is_none()
                && material.is_some_and(|(_, material)| material.is_translucent());
            if is_translucent != (layer == Translucency::Translucent) {
                continue;
            }
            let draw = BatchDraw { view: look.view, world_from_model, white: &self.white, batch };
            match (colour, material) {
                (None, Some((number, material))) => {
                    let passes = look.passes.get(number).map_or(&[][..], Vec::as_slice);
                    draw_passes(surface, posed.pipeline, draw, material, passes, look.settings)?;
                }
                (colour, _) => {
                    let colour = colour.unwrap_or(Vec4::new(0.5, 0.5, 0.5, 1.0));
                    let uniforms = PassUniforms::in_one_colour(draw, colour, 0.0);
                    let polygon_offset = offset(0.0, style);
                    let parameters = DrawParameters { depth: depth(true), polygon_offset, ..Default::default() };
                    let purpose = Purpose::Shown(PassImages::default());
                    posed.pipeline.draw(surface, batch, purpose, &uniforms, &parameters)?;
                }
            }
            self.draw_edges(surface, posed.pipeline, draw, style)?;
        }
        Ok(())
    }

    /// Draws the edges of a batch if edges are shown.
    fn draw_edges(
        &self,
        surface: &mut SimpleFrameBuffer<'_>,
        pipeline: &MethodPipeline,
        draw: BatchDraw<'_>,
        style: Surfaces,
    ) -> Result<(), Error> {
        if !style.has_edges() {
            return Ok(());
        }
        let uniforms = PassUniforms::in_one_colour(draw, Vec4::new(0.35, 0.55, 0.85, 0.5), 0.6);
        let parameters = DrawParameters {
            polygon_mode: PolygonMode::Line,
            depth: depth(true),
            blend: over(),
            ..DrawParameters::default()
        };
        pipeline.draw(surface, draw.batch, Purpose::Shown(PassImages::default()), &uniforms, &parameters)
    }

    /// Blurs the result of [`draw_shadow`], or clears the shadows.
    fn soften_shadows(&self, has_shadows: bool) -> Result<(), Error> {
        let mut soft = self.framebuffer(&self.soft_shadow)?;
        if !has_shadows {
            soft.clear_color(0.0, 0.0, 0.0, 0.0);
            return Ok(());
        }
        let uniforms = glium::uniform! { picture: smooth(&self.shadow), radius: SHADOW_BLUR };
        self.square.draw(&mut soft, &self.blur, &uniforms, &DrawParameters::default(), "shadow")
    }

    fn framebuffer<'a>(&'a self, texture: &'a Texture2d) -> Result<SimpleFrameBuffer<'a>, Error> {
        SimpleFrameBuffer::new(&self.context, texture).map_err(Error::resource("shadow"))
    }

    fn draw_ground(&self, surface: &mut SimpleFrameBuffer<'_>, view: &View) -> Result<(), Error> {
        let ground = &view.ground;
        let uniforms = glium::uniform! {
            centre: ground.centre.to_array(),
            reach: ground.reach,
            shadow_reach: ground.shadow_reach,
            cell: ground.cell,
            rgba: [0.80_f32, 0.84, 0.90, 0.42],
            shadow: smooth(&self.soft_shadow),
            clip_from_world: view.clip_from_world.to_cols_array_2d(),
        };
        let parameters = DrawParameters { depth: depth(false), blend: over(), ..DrawParameters::default() };
        self.square.draw(surface, &self.ground, &uniforms, &parameters, "ground")
    }

    fn draw_shapes(&self, surface: &mut SimpleFrameBuffer<'_>, shapes: &Shapes, blend: Blend) -> Result<(), Error> {
        if shapes.corners.is_empty() {
            return Ok(());
        }
        let corners = VertexBuffer::new(&self.context, &shapes.corners).map_err(Error::resource("vertex buffer"))?;
        let parameters = DrawParameters { blend, ..DrawParameters::default() };
        surface
            .draw(&corners, NoIndices(TrianglesList), &self.overlay, &glium::uniforms::EmptyUniforms, &parameters)
            .map_err(Error::resource("overlay"))
    }
}

/// Splits copies into groups that are drawn at once.
fn groups<'i, 'a>(
    gpu_model: &mut GpuModel,
    method: MethodId,
    instances: &'i [Instance<'a>],
) -> Result<Vec<&'i [Instance<'a>]>, Error> {
    let clip = |instance: &Instance<'_>| GpuModel::clip_of(method, instance.clip);
    let mut groups = Vec::new();
    for alike in instances.chunk_by(|a, b| clip(a) == clip(b)) {
        let (pipeline, _) = gpu_model.pipeline(method, clip_of(method, alike))?;
        groups.extend(alike.chunks(pipeline.copies_at_once()));
    }
    Ok(groups)
}

/// Returns the clip of a group if the method depends on it.
fn clip_of(method: MethodId, group: &[Instance<'_>]) -> Option<usize> {
    group.first().and_then(|instance| GpuModel::clip_of(method, instance.clip))
}

/// A model of a frame.
struct Drawn<'a> {
    gpu_model: &'a mut GpuModel,
    method: MethodId,
    /// Groups of copies that are drawn at once, each with the transform from model space to world space.
    copies: Vec<(&'a [Instance<'a>], Mat4)>,
    /// Indices of meshes that are not drawn.
    hidden: Option<&'a BTreeSet<usize>>,
}

impl Drawn<'_> {
    /// Returns the batches of a group, after computing and uploading its poses if `brings_to_pose`.
    fn posed(&mut self, copy: usize, brings_to_pose: bool) -> Result<Posed<'_>, Error> {
        let (method, group) = (self.method, self.copies[copy]);
        if brings_to_pose {
            let (pipeline, _) = self.gpu_model.pipeline(method, clip_of(method, group.0))?;
            pipeline.fill(group.0);
            pipeline.upload()?;
        }
        Posed::new(self.gpu_model, method, group, self.hidden)
    }

    /// Adds the bones of all copies.
    fn add_bones(&self, shapes: &mut Shapes, clip_from_world: Mat4, size: Vec2, point: f32) {
        for (group, world_from_model) in &self.copies {
            for Instance { model, position, .. } in *group {
                let clip_from_model = clip_from_world * *world_from_model * Mat4::from_translation(*position);
                shapes.skeleton(&self.gpu_model.model().skeleton, model, clip_from_model, size, point);
            }
        }
    }
}

/// Batches of a method in the poses uploaded last.
struct Posed<'a> {
    pipeline: &'a MethodPipeline,
    materials: &'a [GpuMaterial],
    /// Indices of the visible batches, in the order of their materials.
    order: Vec<usize>,
    /// Transform of the copies that does not depend on the pose.
    world_from_model: Mat4,
}

impl<'a> Posed<'a> {
    fn new(
        gpu_model: &'a mut GpuModel,
        method: MethodId,
        (group, world_from_model): (&[Instance<'_>], Mat4),
        hidden: Option<&BTreeSet<usize>>,
    ) -> Result<Self, Error> {
        let (pipeline, materials) = gpu_model.pipeline(method, clip_of(method, group))?;
        // A copy that is drawn alone has no position in its vertices.
        let world_from_model = world_from_model * Mat4::from_translation(pipeline.position_of(group));
        let mut posed = Self { world_from_model, pipeline, materials, order: Vec::new() };
        let is_shown = |&number: &usize| {
            let mesh = posed.pipeline.batches[number].shape.mesh_index;
            hidden.is_none_or(|hidden| !hidden.contains(&mesh))
                && posed.material(number).is_none_or(|(_, material)| material.surface.is_drawn)
        };
        let mut order: Vec<usize> = (0..posed.pipeline.batches.len()).filter(is_shown).collect();
        let sort = |number: usize| posed.material(number).map_or(0.0, |(_, material)| material.surface.sort.0);
        order.sort_by(|&a, &b| sort(a).total_cmp(&sort(b)));
        posed.order = order;
        Ok(posed)
    }

    /// Returns index and material of a batch.
    fn material(&self, batch: usize) -> Option<(usize, &'a GpuMaterial)> {
        let number = self.pipeline.batches[batch].shape.mesh.material.index();
        Some((number, self.materials.get(number)?))
    }
}

/// Draws the shadows of some copies as seen from above.
fn draw_shadow(surface: &mut SimpleFrameBuffer<'_>, posed: &Posed<'_>, view: &View) -> Result<(), Error> {
    let darkest = BlendingFunction::Max;
    let blend = Blend { color: darkest, alpha: darkest, ..Blend::default() };
    let parameters = DrawParameters { blend, ..DrawParameters::default() };
    for &number in &posed.order {
        let batch = &posed.pipeline.batches[number];
        let uniforms = ShadowUniforms { ground: &view.ground, world_from_model: posed.world_from_model, batch };
        posed.pipeline.draw(surface, batch, Purpose::Shadow, &uniforms, &parameters)?;
    }
    Ok(())
}

/// Look of the models in a frame.
struct FrameLook<'a> {
    view: &'a View,
    settings: &'a RenderSettings,
    marks: &'a Marks<'a>,
    passes: Vec<Vec<Pass>>,
}

impl<'a> FrameLook<'a> {
    fn new(view: &'a View, settings: &'a RenderSettings, marks: &'a Marks<'a>, gpu_model: &GpuModel) -> Self {
        let inputs = Inputs { time: settings.time, ..Inputs::default() };
        let of_material = |material: &GpuMaterial| passes(&material.surface, &inputs, settings.shading);
        Self { view, settings, marks, passes: gpu_model.materials.iter().map(of_material).collect() }
    }

    /// Returns the linear RGBA colour of a batch that is drawn in one colour instead of its material.
    fn colour(&self, number: usize, batch: &GpuBatch) -> Option<Vec4> {
        match self.marks.batch_colour {
            _ if self.settings.surfaces == Surfaces::Edges => Some(Vec4::new(0.09, 0.10, 0.12, 1.0)),
            Some(colour) => Some(colour(number)),
            None => batch.is_painted.then_some(Vec4::ONE),
        }
    }
}

/// Draws the passes of a batch's material.
fn draw_passes(
    surface: &mut SimpleFrameBuffer<'_>,
    pipeline: &MethodPipeline,
    draw: BatchDraw<'_>,
    material: &GpuMaterial,
    passes: &[Pass],
    settings: &RenderSettings,
) -> Result<(), Error> {
    let is_translucent = material.is_translucent();
    let culled: &[BackfaceCullingMode] = match material.surface.sides {
        Sides::Front => &[BackfaceCullingMode::CullClockwise],
        Sides::Back => &[BackfaceCullingMode::CullCounterClockwise],
        // The far side of glass is drawn before its near side, and neither hides the other.
        Sides::Both if is_translucent && settings.surfaces == Surfaces::Filled => {
            &[BackfaceCullingMode::CullCounterClockwise, BackfaceCullingMode::CullClockwise]
        }
        Sides::Both => &[BackfaceCullingMode::CullingDisabled],
    };
    for &culled in culled {
        for pass in passes {
            let [red, green, blue, alpha] = pass.mask.map(|kept| !kept);
            let parameters = DrawParameters {
                depth: glium::Depth {
                    test: if pass.only_where_drawn { DepthTest::IfEqual } else { DepthTest::IfLessOrEqual },
                    write: !is_translucent && !pass.only_where_drawn,
                    ..glium::Depth::default()
                },
                blend: blend(pass.blend),
                color_mask: (red, green, blue, alpha),
                backface_culling: culled,
                polygon_offset: offset(material.surface.polygon_offset, settings.surfaces),
                ..DrawParameters::default()
            };
            let uniforms = PassUniforms::of(draw, material, pass, settings);
            let purpose = Purpose::Shown(PassImages::of(material, pass));
            pipeline.draw(surface, draw.batch, purpose, &uniforms, &parameters)?;
        }
    }
    Ok(())
}

/// Kind of surfaces drawn together: translucent ones come after everything behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Translucency {
    Opaque,
    Translucent,
}

/// Converts instances to positions in model space, where instanced methods add them.
fn in_model_space<'a>(instances: &[Instance<'a>], camera: &Camera) -> Vec<Instance<'a>> {
    let model_from_world = camera.world_from_model.inverse();
    instances.iter().map(|instance| Instance { position: model_from_world * instance.position, ..*instance }).collect()
}

fn smooth(texture: &Texture2d) -> Sampler<'_, Texture2d> {
    Sampler::new(texture)
        .wrap_function(SamplerWrapFunction::Clamp)
        .magnify_filter(MagnifySamplerFilter::Linear)
        .minify_filter(MinifySamplerFilter::Linear)
}

fn depth(write: bool) -> glium::Depth {
    glium::Depth { test: DepthTest::IfLessOrEqual, write, ..glium::Depth::default() }
}
