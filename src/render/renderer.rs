//! Figures, ground, backdrop and skeleton into a frame: a draw takes all its state as arguments.

use super::camera::{Bounds, Camera};
use super::form::{Form, Part, Purpose};
use super::overlay::{Flat, Shapes, grid_cell, ground_height};
use super::programs::{Recipe, ShaderFiles};
use super::subject::{GpuMaterial, Subject};
use super::{Error, Frame, Gpu};
use crate::pose::{LocalPose, ModelPose};
use crate::skin::MethodId;
use glam::{Mat4, Vec2, Vec3};
use glium::backend::{Context, Facade};
use glium::framebuffer::SimpleFrameBuffer;
use glium::index::NoIndices;
use glium::index::PrimitiveType::TrianglesList;
use glium::program::Program;
use glium::texture::{RawImage2d, Texture2d};
use glium::uniforms::{
    MagnifySamplerFilter, MinifySamplerFilter, Sampler, SamplerWrapFunction, UniformValue, Uniforms,
};
use glium::vertex::{Vertex as _, VertexBuffer};
use glium::{Blend, BlendingFunction, DepthTest, DrawParameters, LinearBlendingFactor, PolygonMode, Surface};
use std::rc::Rc;

/// What is shown besides the figures, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Behind everything.
    pub background: Background,
    /// Bones drawn over the figures.
    pub skeleton: bool,
    /// Edges instead of surfaces.
    pub wireframe: bool,
    /// Lines on the ground.
    pub grid: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { background: Background::Gradient, skeleton: false, wireframe: false, grid: true }
    }
}

/// What is behind the figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Background {
    /// Grey, a little lighter above.
    Gradient,
    /// One colour: sRGB with alpha, 0 to 1.
    Flat([f32; 4]),
}

/// A moment of a model, as the methods need it.
#[derive(Debug, Clone, Copy)]
pub struct Posed<'a> {
    /// The joints in model space.
    pub model: &'a ModelPose,
    /// The joints in their parents' spaces, for `gpu-hierarchy`.
    pub local: &'a LocalPose,
    /// Which of the model's clips it is a moment of, for `morph`.
    pub clip: Option<usize>,
    /// Seconds into the clip, for `morph`.
    pub time: f64,
}

/// One copy of the model.
#[derive(Debug, Clone, Copy)]
pub struct Figure<'a> {
    /// Its pose.
    pub posed: Posed<'a>,
    /// Where it stands.
    pub position: Vec3,
}

/// Draws frames; holds what all models share.
pub struct Renderer {
    context: Rc<Context>,
    overlay: Program,
    ground: Program,
    ground_square: VertexBuffer<Corner>,
    white: Texture2d,
}

#[derive(Debug, Clone, Copy)]
struct Corner {
    corner: [f32; 2],
}
glium::implement_vertex!(Corner, corner);

impl Renderer {
    /// Compiles what all models share.
    pub fn new(gpu: &Gpu, shaders: &ShaderFiles) -> Result<Self, Error> {
        let build = |vertex: &str, fragment: &str, format| {
            let recipe = Recipe { vertex: &[vertex], fragment: &[fragment], defines: &[], feedback: &[] };
            recipe.build(gpu, shaders, &[format])
        };
        let square = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let white = RawImage2d::from_raw_rgba(vec![255_u8; 4], (1, 1));
        Ok(Self {
            context: Rc::clone(gpu.get_context()),
            overlay: build("overlay.vert", "overlay.frag", Flat::build_bindings())?,
            ground: build("ground.vert", "ground.frag", Corner::build_bindings())?,
            ground_square: VertexBuffer::new(gpu, &square.map(|corner| Corner { corner }))
                .map_err(Error::resource("vertex buffer"))?,
            white: Texture2d::new(gpu, white).map_err(Error::resource("texture"))?,
        })
    }

    /// Draws copies of a model with one method.
    pub fn draw(
        &self,
        frame: &Frame,
        subject: &mut Subject,
        method: MethodId,
        camera: &Camera,
        look: &Look,
        figures: &[Figure<'_>],
    ) -> Result<(), Error> {
        let (width, height) = frame.size();
        let aspect = width as f32 / height as f32;
        let view = View {
            clip_from_world: camera.clip_from_world(aspect),
            eye: camera.eye(aspect),
            key_direction: camera.key_direction(),
        };
        frame.draw(|surface, pixel| {
            self.draw_background(surface, look.background)?;
            self.draw_figures(surface, subject, method, &view, look, figures)?;
            if look.grid {
                self.draw_ground(surface, &camera.framed, &view)?;
            }
            if look.skeleton {
                let size = Vec2::new(width as f32, height as f32) * pixel;
                let mut shapes = Shapes::default();
                let skeleton = &subject.model().skeleton;
                for figure in figures {
                    let clip_from_model = view.clip_from_world * Mat4::from_translation(figure.position);
                    shapes.skeleton(skeleton, figure.posed.model, clip_from_model, size, pixel);
                }
                self.draw_shapes(surface, &shapes)?;
            }
            Ok(())
        })
    }

    fn draw_background(&self, surface: &mut SimpleFrameBuffer<'_>, background: Background) -> Result<(), Error> {
        match background {
            Background::Flat([r, g, b, a]) => surface.clear_color_and_depth((r, g, b, a), 1.0),
            Background::Gradient => {
                surface.clear_color_and_depth((0.0, 0.0, 0.0, 1.0), 1.0);
                let mut shapes = Shapes::default();
                shapes.backdrop([0.33, 0.36, 0.40, 1.0], [0.15, 0.16, 0.18, 1.0]);
                self.draw_shapes(surface, &shapes)?;
            }
        }
        Ok(())
    }

    fn draw_figures(
        &self,
        surface: &mut SimpleFrameBuffer<'_>,
        subject: &mut Subject,
        method: MethodId,
        view: &View,
        look: &Look,
        figures: &[Figure<'_>],
    ) -> Result<(), Error> {
        for figures in runs(method, figures) {
            let clip = figures.first().and_then(|figure| figure.posed.clip);
            let (form, materials) = subject.form(method, clip)?;
            form.compile(Purpose::Shown)?;
            for figures in figures.chunks(form.copies_at_once()) {
                form.fill(figures);
                form.upload()?;
                let place = form.place_of(figures);
                self.draw_parts(surface, form, materials, view, look, place)?;
            }
        }
        Ok(())
    }

    fn draw_parts(
        &self,
        surface: &mut SimpleFrameBuffer<'_>,
        form: &Form,
        materials: &[GpuMaterial],
        view: &View,
        look: &Look,
        place: Vec3,
    ) -> Result<(), Error> {
        for part in &form.parts {
            let uniforms = FigureUniforms {
                view,
                world_from_model: Mat4::from_translation(place),
                material: materials.get(part.mesh.material),
                white: &self.white,
                part,
                wire: false,
                dimmed: look.wireframe,
            };
            let parameters = DrawParameters {
                depth: depth(true),
                // Edges lie a little before the surface that hides those behind it.
                polygon_offset: glium::draw_parameters::PolygonOffset {
                    factor: 1.0,
                    units: 1.0,
                    fill: look.wireframe,
                    ..Default::default()
                },
                ..DrawParameters::default()
            };
            form.draw(surface, part, Purpose::Shown, &uniforms, &parameters)?;
            if look.wireframe {
                let uniforms = FigureUniforms { wire: true, dimmed: false, ..uniforms };
                let parameters =
                    DrawParameters { polygon_mode: PolygonMode::Line, depth: depth(true), ..DrawParameters::default() };
                form.draw(surface, part, Purpose::Shown, &uniforms, &parameters)?;
            }
        }
        Ok(())
    }

    fn draw_ground(&self, surface: &mut SimpleFrameBuffer<'_>, framed: &Bounds, view: &View) -> Result<(), Error> {
        let extent = framed.extent();
        let mut centre = framed.centre();
        centre.z = ground_height(framed.min, framed.max);
        let uniforms = glium::uniform! {
            centre: centre.to_array(),
            reach: 1.6 * extent,
            cell: grid_cell(extent),
            rgba: [0.85_f32, 0.88, 0.92, 0.55],
            clip_from_world: view.clip_from_world.to_cols_array_2d(),
        };
        let parameters = DrawParameters { depth: depth(false), blend: over(), ..DrawParameters::default() };
        surface
            .draw(&self.ground_square, NoIndices(TrianglesList), &self.ground, &uniforms, &parameters)
            .map_err(Error::resource("ground"))
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

/// What the camera gives to the shaders.
struct View {
    clip_from_world: Mat4,
    eye: Vec3,
    key_direction: Vec3,
}

/// The uniforms of a figure's program.
#[derive(Clone, Copy)]
struct FigureUniforms<'a> {
    view: &'a View,
    world_from_model: Mat4,
    material: Option<&'a GpuMaterial>,
    white: &'a Texture2d,
    part: &'a Part,
    /// Edges: one bright colour without light.
    wire: bool,
    /// A surface that only sets off its edges.
    dimmed: bool,
}

impl Uniforms for FigureUniforms<'_> {
    fn visit_values<'v, F: FnMut(&str, UniformValue<'v>)>(&'v self, mut output: F) {
        output("clip_from_world", UniformValue::Mat4(self.view.clip_from_world.to_cols_array_2d()));
        output("world_from_model", UniformValue::Mat4(self.world_from_model.to_cols_array_2d()));
        output("eye", UniformValue::Vec3(self.view.eye.to_array()));
        output("key_direction", UniformValue::Vec3(self.view.key_direction.to_array()));
        let image = self.material.and_then(|material| material.image.as_ref()).filter(|_| !self.wire && !self.dimmed);
        let base = match self.material {
            _ if self.wire => [0.62, 0.72, 0.85, 1.0],
            _ if self.dimmed => [0.035, 0.04, 0.05, 1.0],
            Some(material) => material.base.to_array(),
            None => [0.5, 0.5, 0.5, 1.0],
        };
        output("base_colour", UniformValue::Vec4(base));
        let emissive = self.material.map_or([0.0; 3], |material| material.emissive);
        output("emissive", UniformValue::Vec3(if self.wire || self.dimmed { [0.0; 3] } else { emissive }));
        output("flat_share", UniformValue::Float(if self.wire { 0.75 } else { 0.0 }));
        output("cut_out", UniformValue::Float(self.material.map_or(0.0, |material| material.cut_out)));
        output("has_map", UniformValue::Float(if image.is_some() { 1.0 } else { 0.0 }));
        let texture = image.unwrap_or(self.white);
        let behaviour = Sampler::new(texture)
            .wrap_function(SamplerWrapFunction::Repeat)
            .magnify_filter(MagnifySamplerFilter::Linear)
            .minify_filter(MinifySamplerFilter::LinearMipmapLinear)
            .1;
        output("diffuse_map", UniformValue::Texture2d(texture, Some(behaviour)));
        self.part.visit(&mut output);
    }
}

/// Copies that one form of the method can draw, in the order given.
fn runs<'a, 'b>(method: MethodId, figures: &'a [Figure<'b>]) -> impl Iterator<Item = &'a [Figure<'b>]> {
    let clip = move |figure: &Figure<'_>| Subject::clip_of(method, figure.posed.clip);
    figures.chunk_by(move |a, b| clip(a) == clip(b))
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
