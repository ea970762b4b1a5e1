//! What can be asked for besides the figures and their poses.

use super::passes::{Shading, Specular};
use glam::{Vec3, Vec4};
use std::collections::BTreeSet;

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
