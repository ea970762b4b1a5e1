//! What can be chosen of: colours, halves, pages, speeds.

use crate::render::{Background, direction};
use crate::skin::MethodId;
use glam::Vec3;
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, FRAC_PI_6, PI};

/// Speeds that a player goes through, in clip seconds per second.
pub const SPEEDS: [f64; 8] = [0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0];

/// The most copies that are shown.
pub const MOST_COPIES: usize = 10_000;

/// Numbers of copies that a player goes through.
pub const COPIES: [usize; 8] = [1, 2, 4, 10, 25, 100, 1000, MOST_COPIES];

/// Seconds in which a clip gives way to the next, if nobody wants others.
pub const FADE_SECONDS: f64 = 0.2;

/// Shares of a clip that is mixed in that a player goes through.
pub const BLEND_SHARES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// What may be behind the figures, by name.
pub const BACKGROUNDS: [(&str, Background); 4] = [
    ("gradient", Background::Gradient),
    ("black", Background::Flat([0.0, 0.0, 0.0, 1.0])),
    ("grey", Background::Flat([0.5, 0.5, 0.5, 1.0])),
    ("white", Background::Flat([1.0, 1.0, 1.0, 1.0])),
];

/// Where the light may come from, by name: radians to the figure's left and up; `None` is over the camera's shoulder.
pub const LIGHTS: [(&str, Option<(f32, f32)>); 6] = [
    ("over the shoulder", None),
    ("from the front and the left", Some((FRAC_PI_4, FRAC_PI_6))),
    ("from the front and the right", Some((-FRAC_PI_4, FRAC_PI_6))),
    ("from above", Some((0.0, FRAC_PI_2))),
    ("from behind", Some((PI, FRAC_PI_6))),
    ("from below", Some((0.0, -FRAC_PI_4))),
];

/// The direction of one of [`LIGHTS`], world space, unit length.
pub fn towards_light(angles: Option<(f32, f32)>) -> Option<Vec3> {
    angles.map(|(yaw, pitch)| direction(yaw, pitch))
}

/// What the colours of surfaces say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colouring {
    /// Their materials.
    #[default]
    Material,
    /// How much the selected joint moves each vertex.
    Support,
    /// Which batch of the method draws a triangle.
    Batches,
    /// Which vertices have no weights, and which lost some to the method's limit.
    Dropped,
    /// How far the two sides of a split view are apart.
    Difference,
}

impl Colouring {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 5] = [Self::Material, Self::Support, Self::Batches, Self::Dropped, Self::Difference];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Material => "materials",
            Self::Support => "the joint's support",
            Self::Batches => "batches",
            Self::Dropped => "dropped influences",
            Self::Difference => "difference of the split",
        }
    }
}

/// What the right half of a split view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// The same by another method.
    Method(MethodId),
    /// Another clip.
    Clip(usize),
    /// Another file's model.
    File,
}

/// A page of the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Page {
    /// Clips.
    #[default]
    Clips,
    /// Joints.
    Joints,
    /// Meshes.
    Meshes,
    /// Skinning methods.
    Methods,
    /// What `validate` says.
    Findings,
    /// Files.
    Files,
    /// The camera and its light.
    Camera,
}

impl Page {
    /// All, in order.
    pub const ALL: [Self; 7] =
        [Self::Clips, Self::Joints, Self::Meshes, Self::Camera, Self::Methods, Self::Findings, Self::Files];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clips => "Clips",
            Self::Joints => "Joints",
            Self::Meshes => "Meshes",
            Self::Methods => "Methods",
            Self::Findings => "Findings",
            Self::Files => "Files",
            Self::Camera => "View",
        }
    }
}

/// What one of the model's vertices is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VertexRef {
    /// Index into the model's meshes.
    pub mesh: usize,
    /// Index into the mesh's vertices.
    pub vertex: usize,
}
