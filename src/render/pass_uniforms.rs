//! Uniforms and draw parameters of surfaces.

use super::camera::{Bounds, Camera, Light};
use super::material_images::GpuMaterial;
use super::method_pipeline::GpuBatch;
use super::overlay::{grid_cell, ground_height};
use super::passes::{Kind, Layer as ImageLayer, Pass, REPLACE};
use super::settings::{RenderSettings, Surfaces, TextureFilter};
use bindpose_core::model::surface::{self, BlendFactor, Lighting, Stage, TexGen, VertexColor, Wrap};
use bindpose_images as images;
use glam::{Mat4, Vec3, Vec4};
use glium::draw_parameters::PolygonOffset;
use glium::texture::Texture2d;
use glium::uniforms::{
    MagnifySamplerFilter, MinifySamplerFilter, SamplerBehavior, SamplerWrapFunction, UniformValue, Uniforms,
};
use glium::{Blend, BlendingFunction, LinearBlendingFactor};

/// Camera in the units that the shaders use.
pub(super) struct View {
    pub clip_from_world: Mat4,
    pub eye: Vec3,
    /// Unit length, world space.
    pub right: Vec3,
    /// Unit length, world space.
    pub up: Vec3,
    pub key_direction: Vec3,
    /// 1 if two lights are added to the key light, else 0.
    pub more_lights: f32,
    /// Transform of a model at the origin.
    pub world_from_model: Mat4,
    pub ground: Ground,
}

impl View {
    /// Creates the view for a frame whose width divided by its height is `aspect`.
    pub fn new(camera: &Camera, aspect: f32) -> Self {
        let [right, up, _] = camera.axes();
        Self {
            clip_from_world: camera.clip_from_world(aspect),
            eye: camera.eye(aspect),
            right,
            up,
            key_direction: camera.key_direction(),
            more_lights: if camera.light == Light::ThreePoint { 1.0 } else { 0.0 },
            world_from_model: Mat4::from_quat(camera.world_from_model),
            ground: Ground::under(&camera.framed, camera.ground),
        }
    }
}

/// Square below the models.
pub(super) struct Ground {
    pub centre: Vec3,
    /// Half the side length, in world units.
    pub reach: f32,
    /// Half the side length of the shadowed square in the middle, in world units.
    pub shadow_reach: f32,
    /// Distance between grid lines, in world units.
    pub cell: f32,
    /// Height up to which surfaces cast shadows.
    pub shadow_height: f32,
}

impl Ground {
    pub fn under(framed: &Bounds, height: Option<f32>) -> Self {
        let extent = framed.extent();
        let mut centre = framed.centre();
        centre.z = height.unwrap_or_else(|| ground_height(framed.min, framed.max));
        let size = framed.max - framed.min;
        Self {
            centre,
            reach: 1.5 * extent,
            // The margin is for the blur.
            shadow_reach: 0.5 * size.x.max(size.y) + 0.1 * extent,
            cell: grid_cell(extent),
            shadow_height: 0.35 * size.z.min(2.0 * size.x.max(size.y)).max(f32::MIN_POSITIVE),
        }
    }

    /// Maps x and y of the shadowed square to clip space, and all heights to depths between near and far.
    pub fn clip_from_world(&self) -> Mat4 {
        let scale = 1.0 / self.shadow_reach;
        Mat4::from_scale(Vec3::new(scale, scale, 0.0)) * Mat4::from_translation(-self.centre)
    }
}

/// Uniforms of [`super::pipeline_key::Purpose::Shadow`].
pub(super) struct ShadowUniforms<'a> {
    pub ground: &'a Ground,
    pub world_from_model: Mat4,
    pub batch: &'a GpuBatch,
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

/// Uniforms of [`super::pipeline_key::Purpose::Bare`].
pub(super) struct BareUniforms<'a> {
    pub clip_from_world: Mat4,
    pub world_from_model: Mat4,
    pub batch: &'a GpuBatch,
}

impl Uniforms for BareUniforms<'_> {
    fn visit_values<'v, F: FnMut(&str, UniformValue<'v>)>(&'v self, mut output: F) {
        output("clip_from_world", UniformValue::Mat4(self.clip_from_world.to_cols_array_2d()));
        output("world_from_model", UniformValue::Mat4(self.world_from_model.to_cols_array_2d()));
        self.batch.visit(&mut output);
    }
}

/// A batch, and the state that its passes share.
#[derive(Clone, Copy)]
pub(super) struct BatchDraw<'a> {
    pub view: &'a View,
    pub world_from_model: Mat4,
    /// Image used in place of missing ones.
    pub white: &'a Texture2d,
    pub batch: &'a GpuBatch,
}

/// Image of a pass and its texture coordinates.
#[derive(Clone, Copy)]
struct ImageUniforms<'a> {
    texture: Option<(&'a Texture2d, SamplerBehavior)>,
    /// Rows of the transform from the mesh's texture coordinates to the image's.
    rows: [[f32; 3]; 2],
}

impl Default for ImageUniforms<'_> {
    fn default() -> Self {
        Self { texture: None, rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] }
    }
}

/// Uniforms of one pass; shaders/figure.frag explains them.
pub(super) struct PassUniforms<'a> {
    draw: BatchDraw<'a>,
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
    /// Creates a slightly shiny surface of one colour (linear RGBA); `flat_share` of it is unlit.
    pub fn in_one_colour(draw: BatchDraw<'a>, colour: Vec4, flat_share: f32) -> Self {
        let lit = 1.0 - flat_share;
        Self {
            draw,
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

    /// Creates the uniforms for a pass of a material.
    pub fn of(draw: BatchDraw<'a>, material: &'a GpuMaterial, pass: &Pass, settings: &RenderSettings) -> Self {
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
            draw,
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
                // The alpha of an image without a material does not mean translucency.
                _ if is_mixed => [1.0, if material.has_image_alpha { 1.0 } else { 0.0 }],
                _ => [0.0, 0.0],
            },
            threshold: pass.threshold.unwrap_or(-1.0),
            shininess: surface.shininess,
            shares,
            green_side: if surface.bump_green_is_up { -1.0 } else { 1.0 },
            // Additive passes have no rim.
            rim: if pass.blend == REPLACE || is_mixed { 1.0 } else { 0.0 },
        }
    }
}

impl Uniforms for PassUniforms<'_> {
    fn visit_values<'v, F: FnMut(&str, UniformValue<'v>)>(&'v self, mut output: F) {
        let BatchDraw { view, world_from_model, white, batch } = self.draw;
        output("clip_from_world", UniformValue::Mat4(view.clip_from_world.to_cols_array_2d()));
        output("world_from_model", UniformValue::Mat4(world_from_model.to_cols_array_2d()));
        output("eye", UniformValue::Vec3(view.eye.to_array()));
        output("key_direction", UniformValue::Vec3(view.key_direction.to_array()));
        output("more_lights", UniformValue::Float(view.more_lights));
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
        output("view_right", UniformValue::Vec3(view.right.to_array()));
        output("view_up", UniformValue::Vec3(view.up.to_array()));
        batch.visit(&mut output);
    }
}

/// Returns the sampler of a stage's image.
fn behaviour(texture: &Texture2d, stage: &Stage, filter: TextureFilter) -> SamplerBehavior {
    if stage.texture_coordinates != TexGen::Mesh {
        let wrap = SamplerWrapFunction::Clamp;
        return SamplerBehavior {
            wrap_function: (wrap, wrap, wrap),
            magnify_filter: MagnifySamplerFilter::Linear,
            minify_filter: MinifySamplerFilter::Linear,
            ..SamplerBehavior::default()
        };
    }
    let is_of_squares = filter.shows_texels(texture, stage);
    let wrap = match stage.wrap {
        None | Some(Wrap::Repeat) => SamplerWrapFunction::Repeat,
        Some(Wrap::Clamp) => SamplerWrapFunction::Clamp,
        // Outside the image, everything is black and transparent.
        Some(Wrap::Zero | Wrap::AlphaZero) => SamplerWrapFunction::BorderClamp,
    };
    SamplerBehavior {
        wrap_function: (wrap, wrap, wrap),
        magnify_filter: if is_of_squares { MagnifySamplerFilter::Nearest } else { MagnifySamplerFilter::Linear },
        minify_filter: MinifySamplerFilter::LinearMipmapLinear,
        ..SamplerBehavior::default()
    }
}

/// Returns the blending of a pass. Alpha accumulates under ordinary blending. Additive passes and filters do not change
/// it.
pub(super) fn blend(blend: surface::Blend) -> Blend {
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

/// Returns the depth offset: towards the viewer by the material's offset, and away if edges are drawn in front.
pub(super) fn offset(own: f64, style: Surfaces) -> PolygonOffset {
    /// Units per step of the engine's offset.
    const UNITS: f64 = -600.0;
    let away = if style.has_edges() { 1.0 } else { 0.0 };
    PolygonOffset {
        factor: away,
        units: away + (UNITS * own) as f32,
        fill: style.has_edges() || own != 0.0,
        ..PolygonOffset::default()
    }
}

impl TextureFilter {
    fn shows_texels(self, texture: &Texture2d, stage: &Stage) -> bool {
        let is_bump = stage.lighting == Lighting::Bump;
        match self {
            Self::BySize => stage.nearest.unwrap_or_else(|| !is_bump && images::is_pixel_art(texture.dimensions())),
            Self::Smooth => false,
            Self::Texels => !is_bump,
        }
    }
}

/// Returns ordinary blending. Alpha accumulates, so that a transparent background stays transparent where nothing is
/// drawn.
pub(super) fn over() -> Blend {
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
