//! Values to choose from: colours, halves, pages, speeds.

use bindpose_core::model::JointId;
use bindpose_core::skin::MethodId;
use bindpose_render::{Background, Light, direction};
use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, FRAC_PI_6, PI};

/// Speeds to choose from by key, in clip seconds per second.
pub const SPEEDS: [f64; 8] = [0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0];

/// Largest number of copies.
pub const MOST_COPIES: usize = 10_000;

/// Numbers of copies to choose from by key.
pub const COPIES: [usize; 8] = [1, 2, 4, 10, 25, 100, 1000, MOST_COPIES];

/// Default duration of the fade from one clip to the next, in seconds.
pub const FADE_SECONDS: f64 = 0.2;

/// Shares of a blended clip to choose from by key.
pub const BLEND_SHARES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// Backgrounds by name.
pub const BACKGROUNDS: [(&str, Background); 4] = [
    ("gradient", Background::Gradient),
    ("black", Background::Flat([0.0, 0.0, 0.0, 1.0])),
    ("grey", Background::Flat([0.5, 0.5, 0.5, 1.0])),
    ("white", Background::Flat([1.0, 1.0, 1.0, 1.0])),
];

/// Lengths of a unit by name, in metres.
pub const UNITS: [(&str, Option<f32>); 5] =
    [("unknown", None), ("1 m", Some(1.0)), ("10 cm", Some(0.1)), ("1 inch", Some(0.0254)), ("1 cm", Some(0.01))];

/// Returns the name of one of [`UNITS`].
pub fn unit_name(unit: Option<f32>) -> &'static str {
    UNITS.iter().find(|(_, known)| *known == unit).map_or("another", |(name, _)| name)
}

/// Returns lights by name.
pub fn lights() -> [(&'static str, Light); 7] {
    let towards = |yaw, pitch| Light::Towards(direction(yaw, pitch));
    [
        ("over the shoulder", Light::Shoulder),
        ("three lights", Light::ThreePoint),
        ("from the front and the left", towards(FRAC_PI_4, FRAC_PI_6)),
        ("from the front and the right", towards(-FRAC_PI_4, FRAC_PI_6)),
        ("from above", towards(0.0, FRAC_PI_2)),
        ("from behind", towards(PI, FRAC_PI_6)),
        ("from below", towards(0.0, -FRAC_PI_4)),
    ]
}

/// Meaning of the surfaces' colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colouring {
    /// Materials.
    #[default]
    Material,
    /// Weight of the selected joint on each vertex.
    Weights,
    /// Support of the selected joint, the vertices that its example poses correct.
    Support,
    /// Batches of the method.
    Batches,
    /// Weights dropped by the method's limit.
    Dropped,
    /// Triangles with more joints than matrices of fixed-function hardware.
    Matrices,
    /// Distance between the halves of a split view.
    Difference,
}

impl Colouring {
    /// True for colours that depend on the selected joint.
    pub fn is_of_joint(self) -> bool {
        matches!(self, Self::Weights | Self::Support)
    }

    /// All colourings.
    pub const ALL: [Self; 7] =
        [Self::Material, Self::Weights, Self::Support, Self::Batches, Self::Dropped, Self::Matrices, Self::Difference];

    /// Returns the label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Material => "materials",
            Self::Weights => "weights of the joint",
            Self::Support => "support of the joint",
            Self::Batches => "batches",
            Self::Dropped => "dropped weights",
            Self::Matrices => "matrices of triangles",
            Self::Difference => "difference",
        }
    }
}

/// Pose before manual rotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BasePose {
    /// Pose of the clip; without a clip the rest pose.
    #[default]
    Clip,
    /// Pose in which the meshes were bound.
    Bind,
    /// Rest pose of the skeleton.
    Rest,
}

impl BasePose {
    /// All poses, in the order in which the key selects them.
    pub const ALL: [Self; 3] = [Self::Clip, Self::Bind, Self::Rest];

    /// Returns the label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clip => "clip",
            Self::Bind => "bind pose",
            Self::Rest => "rest pose",
        }
    }
}

/// A second clip that is blended in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blend {
    /// Index into the model's clips.
    pub clip: usize,
    /// Weight of this clip, 0 to 1.
    pub share: f64,
    /// Joints that the clip moves; `None` for all.
    pub mask: Option<Mask>,
}

/// Joints moved by a blended clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mask {
    /// A joint and its descendants.
    Below(JointId),
    /// Joints of one of [`State::channels`](super::State::channels).
    Channel(usize),
}

/// Drawing over the model that can be toggled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Overlay {
    /// Bones.
    Skeleton,
    /// Names of the joints.
    Names,
    /// The joints' axes.
    Axes,
    /// Path of the selected joint during the clip.
    Trail,
    /// Bones of the frames before and after.
    Onion,
    /// Vertex normals.
    Normals,
    /// Vertex tangents.
    Tangents,
    /// Bounding boxes: computed for this frame, and stored in the file.
    Bounds,
    /// Grid on the ground.
    Grid,
}

/// Content of a split view's right half.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// The same model with another method.
    Method(MethodId),
    /// Another clip.
    Clip(usize),
    /// The model of another file.
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
    /// Findings of `validate`.
    Findings,
    /// Files.
    Files,
    /// The camera and its light.
    Camera,
}

impl Page {
    /// All pages, in order.
    pub const ALL: [Self; 7] =
        [Self::Clips, Self::Joints, Self::Meshes, Self::Methods, Self::Findings, Self::Files, Self::Camera];

    /// Returns the label.
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

impl Page {
    /// Returns the purpose of the page in one sentence.
    pub fn about(self) -> &'static str {
        match self {
            Self::Clips => "Choose a clip, fade and blend clips, compare two.",
            Self::Joints => "Select joints, read and plot their numbers, rotate them.",
            Self::Meshes => "Surfaces, colours and images of each mesh.",
            Self::Methods => "Play as an engine does, choose and compare skinning methods.",
            Self::Findings => "What is wrong with the files, and for which engines.",
            Self::Files => "Open models, clips and folders, or drop them on the window.",
            Self::Camera => "Camera, axes of the model, light and background.",
        }
    }
}

/// Vertex of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VertexRef {
    /// Index into the model's meshes.
    pub mesh: usize,
    /// Index into the mesh's vertices.
    pub vertex: usize,
}
