//! Input of a frame: copies of a model in their poses, look, marks.

use super::camera::Camera;
use super::passes::Shading;
use bindpose_core::pose::{LocalPose, ModelPose};
use bindpose_core::skin::MethodId;
use glam::{Vec3, Vec4};
use std::collections::BTreeSet;

/// Everything that determines a frame of a model.
#[derive(Clone, Copy)]
pub struct FrameInput<'a> {
    /// Skinning method.
    pub method: MethodId,
    /// View.
    pub camera: &'a Camera,
    /// Look.
    pub settings: &'a RenderSettings,
    /// Copies of the model with their poses.
    pub instances: &'a [Instance<'a>],
    /// Marks on the model.
    pub marks: &'a Marks<'a>,
}

impl<'a> FrameInput<'a> {
    /// Creates a frame without marks.
    pub fn new(
        method: MethodId,
        camera: &'a Camera,
        settings: &'a RenderSettings,
        instances: &'a [Instance<'a>],
    ) -> Self {
        static NO_MARKS: Marks<'static> = Marks { hidden: None, batch_colour: None, lines: Vec::new() };
        Self { method, camera, settings, instances, marks: &NO_MARKS }
    }
}

/// One copy of a model, with its pose in the forms that methods need.
#[derive(Debug, Clone, Copy)]
pub struct Instance<'a> {
    /// Joints in model space.
    pub model: &'a ModelPose,
    /// Joints in their parents' spaces, for `gpu-hierarchy`.
    pub local: &'a LocalPose,
    /// Index of the clip, for `morph`.
    pub clip: Option<usize>,
    /// Time in the clip in seconds, for `morph`.
    pub time: f64,
    /// Position in world space.
    pub position: Vec3,
}

/// Look of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RenderSettings {
    /// Background.
    pub background: Background,
    /// True to draw bones over the models.
    pub skeleton: bool,
    /// Surfaces, edges or both.
    pub surfaces: Surfaces,
    /// True to draw a grid on the ground.
    pub grid: bool,
    /// Shading of surfaces.
    pub shading: Shading,
    /// Filter of enlarged textures.
    pub filter: TextureFilter,
    /// Time of animated materials, in seconds.
    pub time: f64,
    /// Pixels per point, the unit of lines and bones: the scale factor of a window.
    pub scale: f32,
}

impl RenderSettings {
    /// Lit surfaces on a ground with a grid.
    pub const DEFAULT: Self = Self {
        background: Background::Gradient,
        skeleton: false,
        surfaces: Surfaces::Filled,
        grid: true,
        shading: Shading::Lit,
        filter: TextureFilter::BySize,
        time: 0.0,
        scale: 1.0,
    };
}

impl Default for RenderSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Filter of enlarged textures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextureFilter {
    /// As the material specifies; otherwise nearest texels for small images and linear for others.
    #[default]
    BySize,
    /// Linear filter.
    Smooth,
    /// Nearest texel; bump maps stay linear.
    Texels,
}

impl TextureFilter {
    /// All values, in the order in which the key selects them.
    pub const ALL: [Self; 3] = [Self::BySize, Self::Smooth, Self::Texels];

    /// Returns the name in options and panels.
    pub fn name(self) -> &'static str {
        match self {
            Self::BySize => "auto",
            Self::Smooth => "smooth",
            Self::Texels => "texels",
        }
    }
}

/// Visible parts of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Surfaces {
    /// Surfaces.
    #[default]
    Filled,
    /// Edges on dark surfaces, which hide the edges behind them.
    Edges,
    /// Surfaces and edges.
    Both,
}

impl Surfaces {
    /// All values, in the order in which the key selects them.
    pub const ALL: [Self; 3] = [Self::Filled, Self::Edges, Self::Both];

    /// True if edges are drawn.
    pub fn has_edges(self) -> bool {
        self != Self::Filled
    }

    /// Returns the name in panels.
    pub fn name(self) -> &'static str {
        match self {
            Self::Filled => "surfaces",
            Self::Edges => "edges",
            Self::Both => "surfaces and edges",
        }
    }
}

/// Marks on and over the models.
#[derive(Debug, Default)]
pub struct Marks<'a> {
    /// Indices of meshes that are not drawn.
    pub hidden: Option<&'a BTreeSet<usize>>,
    /// Colour of each batch (linear RGBA, by index) in place of materials.
    pub batch_colour: Option<fn(usize) -> Vec4>,
    /// Lines drawn over everything.
    pub lines: Vec<Line>,
}

/// A line drawn over everything.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Both ends, in world space.
    pub ends: [Vec3; 2],
    /// sRGB with alpha, 0 to 1.
    pub rgba: [f32; 4],
    /// Width in points.
    pub width: f32,
}

/// Background of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Background {
    /// Grey, slightly lighter at the top.
    Gradient,
    /// One colour: sRGB with premultiplied alpha, 0 to 1.
    Flat([f32; 4]),
}
