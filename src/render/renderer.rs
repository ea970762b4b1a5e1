//! Figures, ground, backdrop and skeleton into a frame: a draw takes all its state as arguments.

use super::camera::{Bounds, Camera};
use super::gpu_model::{GpuMaterial, GpuModel};
use super::instance::Instance;
use super::method_pipeline::{GpuBatch, MethodPipeline};
use super::overlay::{Flat, Shapes, grid_cell, ground_height};
use super::passes::{Kind, Layer as ImageLayer, Pass, REPLACE, Shading, Specular, passes};
use super::pipeline_key::Purpose;
use super::programs::{Recipe, ShaderFiles};
use super::square::Square;
use super::{Error, Gpu, RenderTarget};
use bindpose_core::model::surface::{self, BlendFactor, Coverage, Inputs, Lighting, Sides, Stage, VertexColor, Wrap};
use bindpose_core::skin::MethodId;
use glam::{Mat4, Vec2, Vec3, Vec4};
use glium::backend::{Context, Facade};
use glium::draw_parameters::PolygonOffset;
use glium::framebuffer::SimpleFrameBuffer;
use glium::index::NoIndices;
use glium::index::PrimitiveType::TrianglesList;
use glium::program::Program;
use glium::texture::{MipmapsOption, RawImage2d, Texture2d, UncompressedFloatFormat};
use glium::uniforms::{
    MagnifySamplerFilter, MinifySamplerFilter, Sampler, SamplerBehavior, SamplerWrapFunction, UniformValue, Uniforms,
};
use glium::vertex::{Vertex as _, VertexBuffer};
use glium::{
    BackfaceCullingMode, Blend, BlendingFunction, DepthTest, DrawParameters, LinearBlendingFactor, PolygonMode, Surface,
};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What is shown besides the instances, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RenderSettings {
    /// Behind everything.
    pub background: Background,
    /// Bones drawn over the figures.
    pub skeleton: bool,
    /// What figures are drawn as.
    pub surfaces: Surfaces,
    /// Lines on the ground.
    pub grid: bool,
    /// What of surfaces is shown.
    pub shading: Shading,
    /// How bright highlights are around their middle.
    pub specular: Specular,
    /// How images are enlarged.
    pub filter: TextureFilter,
    /// Moment at which materials that change are shown, seconds.
    pub time: f64,
}

impl RenderSettings {
    /// Surfaces in light on a ground with a grid.
    pub const DEFAULT: Self = Self {
        background: Background::Gradient,
        skeleton: false,
        surfaces: Surfaces::Filled,
        grid: true,
        shading: Shading::Lit,
        specular: Specular::BlinnPhong,
        filter: TextureFilter::BySize,
        time: 0.0,
    };
}

impl Default for RenderSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How images are enlarged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextureFilter {
    /// As their material says; without a word of it small images by their texels, others smoothly.
    #[default]
    BySize,
    /// Colours run into each other.
    Smooth,
    /// Each texel can be seen; bumps stay smooth.
    Texels,
}

impl TextureFilter {
    /// All, in the order in which a key goes through them.
    pub const ALL: [Self; 3] = [Self::BySize, Self::Smooth, Self::Texels];

    /// For people, and for options.
    pub fn name(self) -> &'static str {
        match self {
            Self::BySize => "auto",
            Self::Smooth => "smooth",
            Self::Texels => "texels",
        }
    }

    fn shows_texels(self, texture: &Texture2d, stage: &Stage) -> bool {
        let is_bump = stage.lighting == Lighting::Bump;
        match self {
            Self::BySize => stage.nearest.unwrap_or_else(|| !is_bump && is_pixel_art(texture)),
            Self::Smooth => false,
            Self::Texels => !is_bump,
        }
    }
}

/// What figures are drawn as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Surfaces {
    /// Surfaces with light and images.
    #[default]
    Filled,
    /// Edges, before dark surfaces that hide those behind.
    Edges,
    /// Surfaces with their edges.
    Both,
}

impl Surfaces {
    /// All, in the order in which a key goes through them.
    pub const ALL: [Self; 3] = [Self::Filled, Self::Edges, Self::Both];

    /// Whether edges are drawn.
    pub fn has_edges(self) -> bool {
        self != Self::Filled
    }

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Filled => "surfaces",
            Self::Edges => "edges",
            Self::Both => "surfaces and edges",
        }
    }
}

/// What is drawn on and over the figures to say something about them.
#[derive(Debug, Default)]
pub struct Marks<'a> {
    /// Meshes of the model that are left out.
    pub hidden: Option<&'a BTreeSet<usize>>,
    /// Every batch in a colour of its own (linear RGBA by number of batch), instead of materials.
    pub batch_colour: Option<fn(usize) -> Vec4>,
    /// Lines over everything.
    pub lines: Vec<Line>,
}

/// A line over everything.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Both ends, world space.
    pub ends: [Vec3; 2],
    /// sRGB with alpha, 0 to 1.
    pub rgba: [f32; 4],
    /// Width in pixels.
    pub width: f32,
}

/// What is behind the figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Background {
    /// Grey, a little lighter above.
    Gradient,
    /// One colour: sRGB with alpha, 0 to 1.
    Flat([f32; 4]),
}

/// Side of the picture of the shadows, texels; it is blurred anyway.
const SHADOW_SIZE: u32 = 256;
/// Radius of the blur, as a share of that side.
const SHADOW_BLUR: f32 = 0.08;
/// With more instances than this, their shadows are not worth drawing everything twice.
const SHADOWED_INSTANCES: usize = 16;

/// What the CPU did for a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FrameCost {
    /// Making palettes of poses, or vertices where the CPU makes them.
    pub palette: Duration,
    /// Handing them over, and asking for the draws.
    pub upload: Duration,
    /// Bytes handed over.
    pub bytes: u64,
    /// Vertices drawn, those of all batches and copies.
    pub vertices: u64,
}

/// Draws frames; holds what all models share.
pub struct Renderer {
    context: Rc<Context>,
    overlay: Program,
    ground: Program,
    blur: Program,
    square: Square,
    white: Texture2d,
    /// Darkness on the ground seen from above, sharp and blurred.
    shadow: Texture2d,
    soft_shadow: Texture2d,
}

impl Renderer {
    /// Compiles what all models share.
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
            soft_shadow: shadow(SHADOW_SIZE / 2)?,
        })
    }

    /// Draws copies of a model with one method.
    #[expect(clippy::too_many_arguments, reason = "a draw takes all its state as arguments")]
    pub fn draw(
        &self,
        target: &RenderTarget,
        gpu_model: &mut GpuModel,
        method: MethodId,
        camera: &Camera,
        settings: &RenderSettings,
        instances: &[Instance<'_>],
        marks: &Marks<'_>,
    ) -> Result<(), Error> {
        let (width, height) = target.size();
        let aspect = width as f32 / height as f32;
        let view = View {
            clip_from_world: camera.clip_from_world(aspect),
            eye: camera.eye(aspect),
            key_direction: camera.key_direction(),
            world_from_model: Mat4::from_quat(camera.world_from_model),
            ground: Ground::under(&camera.framed),
        };
        let instances = &in_model_space(instances, camera);
        let groups = groups(gpu_model, method, instances)?;
        let figures = Figures::new(&view, settings, marks, gpu_model);
        let has_shadows = settings.grid && instances.len() <= SHADOWED_INSTANCES;
        let mut shadow = self.framebuffer(&self.shadow)?;
        shadow.clear_color(0.0, 0.0, 0.0, 0.0);
        target.draw(|surface, pixel| {
            self.draw_background(surface, settings.background)?;
            for group in &groups {
                bring_to_pose(gpu_model, method, group, has_shadows)?;
                let posed = Posed::new(gpu_model, method, group, marks.hidden)?;
                if has_shadows {
                    draw_shadow(&mut shadow, &posed, &view)?;
                }
                self.draw_layer(surface, &posed, &figures, Layer::Solid)?;
            }
            if settings.grid {
                self.soften_shadows(has_shadows)?;
                self.draw_ground(surface, &view)?;
            }
            if settings.surfaces == Surfaces::Filled && gpu_model.materials.iter().any(GpuMaterial::is_translucent) {
                for group in &groups {
                    // The only group is still in its pose.
                    if groups.len() > 1 {
                        bring_to_pose(gpu_model, method, group, false)?;
                    }
                    let posed = Posed::new(gpu_model, method, group, marks.hidden)?;
                    self.draw_layer(surface, &posed, &figures, Layer::Translucent)?;
                }
            }
            let size = Vec2::new(width as f32, height as f32) * pixel;
            if settings.skeleton {
                let mut shapes = Shapes::default();
                let skeleton = &gpu_model.model().skeleton;
                for instance in instances {
                    let clip_from_model = view.clip_from_world * view.place(instance.position);
                    shapes.skeleton(skeleton, instance.pose.model, clip_from_model, size, pixel);
                }
                self.draw_shapes(surface, &shapes)?;
            }
            let mut shapes = Shapes::default();
            for line in &marks.lines {
                shapes.line(line, view.clip_from_world, size, pixel);
            }
            self.draw_shapes(surface, &shapes)
        })
    }

    /// Draws copies with as little else as can be, and tells what the CPU did; for timing.
    ///
    /// Returns when everything is asked for; [`Gpu::finish`] waits until it is drawn.
    pub fn draw_bare(
        &self,
        target: &RenderTarget,
        gpu_model: &mut GpuModel,
        method: MethodId,
        camera: &Camera,
        instances: &[Instance<'_>],
    ) -> Result<FrameCost, Error> {
        let (width, height) = target.size();
        let clip_from_world = camera.clip_from_world(width as f32 / height as f32);
        let turn = Mat4::from_quat(camera.world_from_model);
        let instances = in_model_space(instances, camera);
        let mut cost = FrameCost::default();
        target.draw(|surface, _| {
            surface.clear_color_and_depth((0.0, 0.0, 0.0, 1.0), 1.0);
            let parameters = DrawParameters { depth: depth(true), ..DrawParameters::default() };
            let clip = |instance: &Instance<'_>| GpuModel::clip_of(method, instance.pose.clip);
            for instances in instances.chunk_by(|a, b| clip(a) == clip(b)) {
                let (pipeline, _) = gpu_model.pipeline(method, instances.first().and_then(clip))?;
                pipeline.compile(Purpose::Bare)?;
                for instances in instances.chunks(pipeline.copies_at_once()) {
                    let start = Instant::now();
                    pipeline.fill(instances);
                    let filled = Instant::now();
                    pipeline.upload()?;
                    let world_from_model = turn * Mat4::from_translation(pipeline.place_of(instances));
                    for batch in &pipeline.batches {
                        let uniforms = BareUniforms { clip_from_world, world_from_model, batch };
                        pipeline.draw(surface, batch, Purpose::Bare, &uniforms, &parameters)?;
                        cost.vertices += (batch.shape.mesh.vertex_count() * instances.len()) as u64;
                    }
                    cost.palette += filled - start;
                    cost.upload += filled.elapsed();
                    cost.bytes += pipeline.uploaded;
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
                self.draw_shapes(surface, &shapes)?;
            }
        }
        Ok(())
    }

    /// Draws the surfaces of one layer; edges are drawn of all of them with the solid ones.
    fn draw_layer(
        &self,
        surface: &mut SimpleFrameBuffer<'_>,
        posed: &Posed<'_>,
        figures: &Figures<'_>,
        layer: Layer,
    ) -> Result<(), Error> {
        let Figures { view, settings, marks, passes } = figures;
        let style = settings.surfaces;
        let (pipeline, world_from_model) = (posed.pipeline, view.place(posed.place));
        for &number in &posed.order {
            let batch = &pipeline.batches[number];
            let material = posed.material(number);
            let marked = match marks.batch_colour {
                Some(colour) => Some(colour(number)),
                None => batch.is_painted().then_some(Vec4::ONE),
            };
            // One colour instead of the material.
            let colour = if style == Surfaces::Edges { Some(Vec4::new(0.09, 0.10, 0.12, 1.0)) } else { marked };
            let is_translucent = style == Surfaces::Filled
                && colour.is_none()
                && material.is_some_and(|(_, material)| material.is_translucent());
            if is_translucent != (layer == Layer::Translucent) {
                continue;
            }
            let canvas = Canvas { view, world_from_model, white: &self.white, batch };
            let (number, material) = match (colour, material) {
                (None, Some(material)) => material,
                (colour, _) => {
                    let colour = colour.unwrap_or(Vec4::new(0.5, 0.5, 0.5, 1.0));
                    let uniforms = PassUniforms::in_one_colour(canvas, colour, 0.0);
                    let parameters = DrawParameters {
                        depth: depth(true),
                        polygon_offset: offset(0.0, style),
                        ..DrawParameters::default()
                    };
                    pipeline.draw(surface, batch, Purpose::Shown, &uniforms, &parameters)?;
                    self.draw_edges(surface, pipeline, canvas, style)?;
                    continue;
                }
            };
            let surface_now = &material.surface;
            let culled: &[BackfaceCullingMode] = match surface_now.sides {
                Sides::Front => &[BackfaceCullingMode::CullClockwise],
                Sides::Back => &[BackfaceCullingMode::CullCounterClockwise],
                // The far side of glass before its near side, and neither hides the other.
                Sides::Both if is_translucent => {
                    &[BackfaceCullingMode::CullCounterClockwise, BackfaceCullingMode::CullClockwise]
                }
                Sides::Both => &[BackfaceCullingMode::CullingDisabled],
            };
            for &culled in culled {
                for pass in passes.get(number).into_iter().flatten() {
                    let is_opaque = surface_now.coverage != Coverage::Translucent;
                    let [red, green, blue, alpha] = pass.mask.map(|kept| !kept);
                    let parameters = DrawParameters {
                        depth: glium::Depth {
                            test: if pass.only_where_drawn { DepthTest::IfEqual } else { DepthTest::IfLessOrEqual },
                            write: is_opaque && !pass.only_where_drawn,
                            ..glium::Depth::default()
                        },
                        blend: blend(pass.blend),
                        color_mask: (red, green, blue, alpha),
                        backface_culling: culled,
                        polygon_offset: offset(surface_now.polygon_offset, style),
                        ..DrawParameters::default()
                    };
                    let uniforms = PassUniforms::of(canvas, material, pass, settings);
                    pipeline.draw(surface, batch, Purpose::Shown, &uniforms, &parameters)?;
                }
            }
            self.draw_edges(surface, pipeline, canvas, style)?;
        }
        Ok(())
    }

    /// Draws the edges of one batch, where edges are shown.
    fn draw_edges(
        &self,
        surface: &mut SimpleFrameBuffer<'_>,
        pipeline: &MethodPipeline,
        canvas: Canvas<'_>,
        style: Surfaces,
    ) -> Result<(), Error> {
        if !style.has_edges() {
            return Ok(());
        }
        let uniforms = PassUniforms::in_one_colour(canvas, Vec4::new(0.35, 0.55, 0.85, 0.5), 0.6);
        let parameters = DrawParameters {
            polygon_mode: PolygonMode::Line,
            depth: depth(true),
            blend: over(),
            ..DrawParameters::default()
        };
        pipeline.draw(surface, canvas.batch, Purpose::Shown, &uniforms, &parameters)
    }

    /// Makes what the ground is darkened with of what [`draw_shadow`] drew, or of nothing.
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

    fn draw_shapes(&self, surface: &mut SimpleFrameBuffer<'_>, shapes: &Shapes) -> Result<(), Error> {
        if shapes.corners.is_empty() {
            return Ok(());
        }
        let corners = VertexBuffer::new(&self.context, &shapes.corners).map_err(Error::resource("vertex buffer"))?;
        let parameters = DrawParameters { blend: over(), ..DrawParameters::default() };
        surface
            .draw(&corners, NoIndices(TrianglesList), &self.overlay, &glium::uniforms::EmptyUniforms, &parameters)
            .map_err(Error::resource("overlay"))
    }
}

/// Looks down on some copies and writes how much of the sky they hide from the ground.
fn draw_shadow(surface: &mut SimpleFrameBuffer<'_>, posed: &Posed<'_>, view: &View) -> Result<(), Error> {
    let darkest = BlendingFunction::Max;
    let blend = Blend { color: darkest, alpha: darkest, ..Blend::default() };
    let parameters = DrawParameters { blend, ..DrawParameters::default() };
    let world_from_model = view.place(posed.place);
    for &number in &posed.order {
        let batch = &posed.pipeline.batches[number];
        let uniforms = ShadowUniforms { ground: &view.ground, world_from_model, batch };
        posed.pipeline.draw(surface, batch, Purpose::Shadow, &uniforms, &parameters)?;
    }
    Ok(())
}

/// How the figures of a picture are shown, whatever their pose.
struct Figures<'a> {
    view: &'a View,
    settings: &'a RenderSettings,
    marks: &'a Marks<'a>,
    /// Of each material.
    passes: Vec<Vec<Pass>>,
}

impl<'a> Figures<'a> {
    fn new(view: &'a View, settings: &'a RenderSettings, marks: &'a Marks<'a>, gpu_model: &GpuModel) -> Self {
        let inputs = Inputs { time: settings.time, ..Inputs::default() };
        let of_material = |material: &GpuMaterial| passes(&material.surface, &inputs, settings.shading);
        Self { view, settings, marks, passes: gpu_model.materials.iter().map(of_material).collect() }
    }
}

/// What is drawn in one go: what can be seen through comes after all that stands behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layer {
    Solid,
    Translucent,
}

/// What the camera gives to the shaders.
struct View {
    clip_from_world: Mat4,
    eye: Vec3,
    key_direction: Vec3,
    /// For a model at the origin.
    world_from_model: Mat4,
    ground: Ground,
}

impl View {
    /// World from model space for a copy that stands at a place of model space.
    fn place(&self, place: Vec3) -> Mat4 {
        self.world_from_model * Mat4::from_translation(place)
    }
}

/// The same copies with their places in model space: methods that draw many at once add them there.
fn in_model_space<'a>(instances: &[Instance<'a>], camera: &Camera) -> Vec<Instance<'a>> {
    let model_from_world = camera.world_from_model.inverse();
    instances.iter().map(|instance| Instance { position: model_from_world * instance.position, ..*instance }).collect()
}

/// The square at the instances' feet.
struct Ground {
    centre: Vec3,
    /// Half its side.
    reach: f32,
    /// Half the side of the square in its middle that has shadows.
    shadow_reach: f32,
    /// Distance of the grid's lines.
    cell: f32,
    /// Up to this height things darken the ground.
    shadow_height: f32,
}

impl Ground {
    fn under(framed: &Bounds) -> Self {
        let extent = framed.extent();
        let mut centre = framed.centre();
        centre.z = ground_height(framed.min, framed.max);
        let size = framed.max - framed.min;
        Self {
            centre,
            reach: 1.5 * extent,
            // Room for the blur around what is framed.
            shadow_reach: 0.5 * size.x.max(size.y) + 0.1 * extent,
            cell: grid_cell(extent),
            shadow_height: 0.35 * size.z.min(2.0 * size.x.max(size.y)).max(f32::MIN_POSITIVE),
        }
    }

    /// From above: x and y of the shadowed square to clip space, all heights between near and far.
    fn clip_from_world(&self) -> Mat4 {
        let scale = 1.0 / self.shadow_reach;
        Mat4::from_scale(Vec3::new(scale, scale, 0.0)) * Mat4::from_translation(-self.centre)
    }
}

/// The uniforms of an instance's program when it makes shadows.
struct ShadowUniforms<'a> {
    ground: &'a Ground,
    world_from_model: Mat4,
    batch: &'a GpuBatch,
}

impl Uniforms for ShadowUniforms<'_> {
    fn visit_values<'v, F: FnMut(&str, UniformValue<'v>)>(&'v self, mut output: F) {
        output("clip_from_world", UniformValue::Mat4(self.ground.clip_from_world().to_cols_array_2d()));
        output("world_from_model", UniformValue::Mat4(self.world_from_model.to_cols_array_2d()));
        output("ground_height", UniformValue::Float(self.ground.centre.z));
        output("shadow_height", UniformValue::Float(self.ground.shadow_height));
        self.batch.visit(&mut output);
    }
}

/// The uniforms of an instance's program for timing.
struct BareUniforms<'a> {
    clip_from_world: Mat4,
    world_from_model: Mat4,
    batch: &'a GpuBatch,
}

impl Uniforms for BareUniforms<'_> {
    fn visit_values<'v, F: FnMut(&str, UniformValue<'v>)>(&'v self, mut output: F) {
        output("clip_from_world", UniformValue::Mat4(self.clip_from_world.to_cols_array_2d()));
        output("world_from_model", UniformValue::Mat4(self.world_from_model.to_cols_array_2d()));
        self.batch.visit(&mut output);
    }
}

/// Where one batch is drawn.
#[derive(Clone, Copy)]
struct Canvas<'a> {
    view: &'a View,
    world_from_model: Mat4,
    /// Stands for images that are not there.
    white: &'a Texture2d,
    batch: &'a GpuBatch,
}

/// An image of a pass and where it lies on the surface.
#[derive(Clone, Copy)]
struct ImageUniforms<'a> {
    texture: Option<(&'a Texture2d, SamplerBehavior)>,
    /// Rows of texture coordinates of the image from the mesh's.
    rows: [[f32; 3]; 2],
}

impl Default for ImageUniforms<'_> {
    fn default() -> Self {
        Self { texture: None, rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] }
    }
}

/// The uniforms of an instance's program for one pass; shaders/figure.frag says what they mean.
struct PassUniforms<'a> {
    canvas: Canvas<'a>,
    /// Diffuse, bump, specular.
    images: [ImageUniforms<'a>; 3],
    diffuse_colour: Vec4,
    specular_colour: Vec3,
    vertex_share: [f32; 2],
    emissive: Vec3,
    alpha_share: [f32; 2],
    threshold: f32,
    shininess: f32,
    shares: [f32; 4],
    rim: f32,
    green_side: f32,
}

impl<'a> PassUniforms<'a> {
    /// A surface of one colour (linear RGBA) with a little sheen, of which a share is shown without light.
    fn in_one_colour(canvas: Canvas<'a>, colour: Vec4, flat_share: f32) -> Self {
        let lit = 1.0 - flat_share;
        Self {
            canvas,
            images: [ImageUniforms::default(); 3],
            diffuse_colour: colour,
            specular_colour: Vec3::splat(0.06),
            vertex_share: [1.0, 0.0],
            emissive: Vec3::ZERO,
            alpha_share: [1.0, 0.0],
            threshold: -1.0,
            shininess: 32.0,
            shares: [lit, lit, flat_share, 0.0],
            rim: 1.0,
            green_side: 1.0,
        }
    }

    /// A pass of a material.
    fn of(canvas: Canvas<'a>, material: &'a GpuMaterial, pass: &Pass, settings: &RenderSettings) -> Self {
        let surface = &material.surface;
        let image = |layer: Option<ImageLayer>| {
            let Some(layer) = layer else { return ImageUniforms::default() };
            let texture = material.images.get(layer.stage).and_then(Option::as_deref);
            let stage = surface.stages.get(layer.stage);
            let texture =
                texture.zip(stage).map(|(texture, stage)| (texture, behaviour(texture, stage, settings.filter)));
            let [x, y, z] = layer.image_from_mesh.to_cols_array_2d().map(|column| column.map(|part| part as f32));
            ImageUniforms { texture, rows: [[x[0], y[0], z[0]], [x[1], y[1], z[1]]] }
        };
        let linear = |colour: Vec4| colour.truncate().max(Vec3::ZERO).powf(2.2);
        let colour = |layer: Option<ImageLayer>| layer.map_or(Vec4::ZERO.with_w(1.0), |layer| layer.colour);
        let is_mixed = pass.blend.source == BlendFactor::SrcAlpha;
        let shares = match pass.kind {
            Kind::Lit => [1.0, 1.0, 0.0, 0.0],
            Kind::Highlights => [0.0, 1.0, 0.0, 0.0],
            Kind::Plain => [0.0, 0.0, 1.0, 0.0],
            Kind::Normals => [0.0, 0.0, 0.0, 1.0],
            Kind::Black => [0.0; 4],
        };
        let diffuse = colour(pass.diffuse);
        let is_scattering = |layer: ImageLayer| {
            surface.stages.get(layer.stage).is_some_and(|stage| stage.lighting == Lighting::Diffuse)
        };
        let factor = if pass.diffuse.is_some_and(is_scattering) { material.factor } else { Vec4::ONE };
        Self {
            canvas,
            images: [image(pass.diffuse), image(pass.bump), image(pass.specular)],
            diffuse_colour: linear(diffuse).extend(diffuse.w) * factor,
            specular_colour: linear(colour(pass.specular)),
            vertex_share: match pass.vertex_color {
                VertexColor::Ignored => [0.0, 1.0],
                VertexColor::Multiplied => [1.0, 0.0],
                VertexColor::Inverted => [-1.0, 1.0],
            },
            emissive: surface.emissive,
            alpha_share: match pass.kind {
                Kind::Plain if pass.blend != REPLACE => [1.0, 1.0],
                // Where a file says nothing, what images have in their alpha is no wish to see through.
                _ if is_mixed => [1.0, if material.has_image_alpha { 1.0 } else { 0.0 }],
                _ => [0.0, 0.0],
            },
            threshold: pass.threshold.unwrap_or(-1.0),
            shininess: if settings.specular == Specular::Doom3 { 0.0 } else { surface.shininess },
            shares,
            green_side: if surface.bump_green_is_up { -1.0 } else { 1.0 },
            // What adds to something has no rim of its own.
            rim: if pass.blend == REPLACE || is_mixed { 1.0 } else { 0.0 },
        }
    }
}

impl Uniforms for PassUniforms<'_> {
    fn visit_values<'v, F: FnMut(&str, UniformValue<'v>)>(&'v self, mut output: F) {
        let Canvas { view, world_from_model, white, batch } = self.canvas;
        output("clip_from_world", UniformValue::Mat4(view.clip_from_world.to_cols_array_2d()));
        output("world_from_model", UniformValue::Mat4(world_from_model.to_cols_array_2d()));
        output("eye", UniformValue::Vec3(view.eye.to_array()));
        output("key_direction", UniformValue::Vec3(view.key_direction.to_array()));
        let names = [
            ["diffuse_map", "diffuse_uv[0]", "diffuse_uv[1]"],
            ["bump_map", "bump_uv[0]", "bump_uv[1]"],
            ["specular_map", "specular_uv[0]", "specular_uv[1]"],
        ];
        for ([map, row_u, row_v], image) in names.into_iter().zip(&self.images) {
            let (texture, behaviour) = image.texture.unwrap_or((white, SamplerBehavior::default()));
            output(map, UniformValue::Texture2d(texture, Some(behaviour)));
            output(row_u, UniformValue::Vec3(image.rows[0]));
            output(row_v, UniformValue::Vec3(image.rows[1]));
        }
        let maps = self.images.map(|image| if image.texture.is_some() { 1.0 } else { 0.0 });
        output("maps", UniformValue::Vec3(maps));
        output("diffuse_colour", UniformValue::Vec4(self.diffuse_colour.to_array()));
        output("specular_colour", UniformValue::Vec3(self.specular_colour.to_array()));
        output("vertex_share", UniformValue::Vec2(self.vertex_share));
        output("emissive", UniformValue::Vec3(self.emissive.to_array()));
        output("alpha_share", UniformValue::Vec2(self.alpha_share));
        output("threshold", UniformValue::Float(self.threshold));
        output("shininess", UniformValue::Float(self.shininess));
        output("shares", UniformValue::Vec4(self.shares));
        output("rim", UniformValue::Float(self.rim));
        output("green_side", UniformValue::Float(self.green_side));
        batch.visit(&mut output);
    }
}

/// How an image is read for a stage.
fn behaviour(texture: &Texture2d, stage: &Stage, filter: TextureFilter) -> SamplerBehavior {
    let is_of_squares = filter.shows_texels(texture, stage);
    let wrap = match stage.wrap {
        None | Some(Wrap::Repeat) => SamplerWrapFunction::Repeat,
        Some(Wrap::Clamp) => SamplerWrapFunction::Clamp,
        // Beyond the border all is black and clear.
        Some(Wrap::Zero | Wrap::AlphaZero) => SamplerWrapFunction::BorderClamp,
    };
    SamplerBehavior {
        wrap_function: (wrap, wrap, wrap),
        magnify_filter: if is_of_squares { MagnifySamplerFilter::Nearest } else { MagnifySamplerFilter::Linear },
        minify_filter: MinifySamplerFilter::LinearMipmapLinear,
        ..SamplerBehavior::default()
    }
}

/// OpenGL's blending. Alpha adds up where a surface goes over what is there, so that a transparent background stays one, and
/// stays as it is where something is added or filtered.
fn blend(blend: surface::Blend) -> Blend {
    if blend == REPLACE {
        return Blend::default();
    }
    let factor = |factor| match factor {
        BlendFactor::Zero => LinearBlendingFactor::Zero,
        BlendFactor::One => LinearBlendingFactor::One,
        BlendFactor::SrcColor => LinearBlendingFactor::SourceColor,
        BlendFactor::OneMinusSrcColor => LinearBlendingFactor::OneMinusSourceColor,
        BlendFactor::DstColor => LinearBlendingFactor::DestinationColor,
        BlendFactor::OneMinusDstColor => LinearBlendingFactor::OneMinusDestinationColor,
        BlendFactor::SrcAlpha => LinearBlendingFactor::SourceAlpha,
        BlendFactor::OneMinusSrcAlpha => LinearBlendingFactor::OneMinusSourceAlpha,
        BlendFactor::DstAlpha => LinearBlendingFactor::DestinationAlpha,
        BlendFactor::OneMinusDstAlpha => LinearBlendingFactor::OneMinusDestinationAlpha,
        BlendFactor::SrcAlphaSaturate => LinearBlendingFactor::SourceAlphaSaturate,
    };
    let over = over();
    let is_over = blend.source == BlendFactor::SrcAlpha && blend.destination == BlendFactor::OneMinusSrcAlpha;
    let kept =
        BlendingFunction::Addition { source: LinearBlendingFactor::Zero, destination: LinearBlendingFactor::One };
    let color = BlendingFunction::Addition { source: factor(blend.source), destination: factor(blend.destination) };
    Blend { color, alpha: if is_over { over.alpha } else { kept }, ..over }
}

/// Moves a surface towards the viewer by its own wish, and away where its edges are drawn a little before it.
fn offset(own: f64, style: Surfaces) -> PolygonOffset {
    /// The engine's step.
    const UNITS: f64 = -600.0;
    let away = if style.has_edges() { 1.0 } else { 0.0 };
    PolygonOffset {
        factor: away,
        units: away + (UNITS * own) as f32,
        fill: style.has_edges() || own != 0.0,
        ..PolygonOffset::default()
    }
}

/// Whether a texture is so small that its maker placed each texel: a blur of them is not what was meant.
fn is_pixel_art(texture: &Texture2d) -> bool {
    const LARGEST: u32 = 64;
    texture.width().max(texture.height()) <= LARGEST
}

/// Copies that are drawn at once: many where the method can, else each by itself.
fn groups<'i, 'a>(
    gpu_model: &mut GpuModel,
    method: MethodId,
    instances: &'i [Instance<'a>],
) -> Result<Vec<&'i [Instance<'a>]>, Error> {
    let clip = |instance: &Instance<'_>| GpuModel::clip_of(method, instance.pose.clip);
    let mut groups = Vec::new();
    for alike in instances.chunk_by(|a, b| clip(a) == clip(b)) {
        let (pipeline, _) = gpu_model.pipeline(method, clip_of(method, alike))?;
        groups.extend(alike.chunks(pipeline.copies_at_once()));
    }
    Ok(groups)
}

/// The CPU's share of drawing some copies at once, and handing it over.
fn bring_to_pose(
    gpu_model: &mut GpuModel,
    method: MethodId,
    group: &[Instance<'_>],
    has_shadows: bool,
) -> Result<(), Error> {
    let (pipeline, _) = gpu_model.pipeline(method, clip_of(method, group))?;
    pipeline.compile(Purpose::Shown)?;
    if has_shadows {
        pipeline.compile(Purpose::Shadow)?;
    }
    pipeline.fill(group);
    pipeline.upload()
}

/// The clip that a method's pipeline for some copies depends on.
fn clip_of(method: MethodId, group: &[Instance<'_>]) -> Option<usize> {
    group.first().and_then(|instance| GpuModel::clip_of(method, instance.pose.clip))
}

/// A method's batches in the pose of the copies that they were brought to last.
struct Posed<'a> {
    pipeline: &'a MethodPipeline,
    materials: &'a [GpuMaterial],
    /// Numbers of the batches that are not hidden, in the order of their materials.
    order: Vec<usize>,
    /// Where the copies stand that do not know it themselves, model space.
    place: Vec3,
}

impl<'a> Posed<'a> {
    fn new(
        gpu_model: &'a mut GpuModel,
        method: MethodId,
        group: &[Instance<'_>],
        hidden: Option<&BTreeSet<usize>>,
    ) -> Result<Self, Error> {
        let (pipeline, materials) = gpu_model.pipeline(method, clip_of(method, group))?;
        let mut posed = Self { place: pipeline.place_of(group), pipeline, materials, order: Vec::new() };
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

    /// The material of a batch, and its number.
    fn material(&self, batch: usize) -> Option<(usize, &'a GpuMaterial)> {
        let number = self.pipeline.batches[batch].shape.mesh.material.index();
        Some((number, self.materials.get(number)?))
    }
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

/// Over what is there; alpha adds up, so that a transparent background stays one.
fn over() -> Blend {
    let colour = BlendingFunction::Addition {
        source: LinearBlendingFactor::SourceAlpha,
        destination: LinearBlendingFactor::OneMinusSourceAlpha,
    };
    let alpha = BlendingFunction::Addition {
        source: LinearBlendingFactor::One,
        destination: LinearBlendingFactor::OneMinusSourceAlpha,
    };
    Blend { color: colour, alpha, constant_value: (0.0, 0.0, 0.0, 0.0) }
}
