//! Content of a `.md5anim`.

use super::{Int, Text};
use crate::Span;

/// Content of a whole `.md5anim` file.
#[derive(Debug, Clone, PartialEq)]
pub struct AnimFile<'a> {
    /// Value of `MD5Version`; `None` if the line is missing.
    pub version: Option<Int>,
    /// Value of `commandline`; `None` if the line is missing.
    pub command_line: Option<Text<'a>>,
    /// Declared frame count.
    pub num_frames: Int,
    /// Declared joint count.
    pub num_joints: Int,
    /// Frames per second. Fractions and 0 occur.
    pub frame_rate: f64,
    /// Position of the rate.
    pub frame_rate_span: Span,
    /// Number of components in every frame: as declared, or as found if all frames agree on another number.
    pub num_animated_components: Int,
    /// `hierarchy { … }` in file order.
    pub hierarchy: Vec<Channel<'a>>,
    /// Boxes from `bounds { … }`, one per frame if the file is complete.
    pub bounds: Vec<Bounds>,
    /// Poses from `baseframe { … }`, exactly one per joint, relative to its parent.
    pub baseframe: Vec<JointPose>,
    /// Heads of `frame N { … }` in the order of N without gaps, or in order of appearance if an N is repeated.
    pub frames: Vec<Frame>,
    /// Components of all frames, frame by frame. Each frame has `num_animated_components` values.
    pub components: Vec<f64>,
}

/// Line of `hierarchy { … }`: the components of a joint that each frame stores.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel<'a> {
    /// Name of the joint.
    pub name: Text<'a>,
    /// Index of the parent, below the number of joints. Negative for a root. The order is not checked.
    pub parent: Int,
    /// Flags: bits 0-2 for translation x, y, z, bits 3-5 for rotation x, y, z.
    pub flags: Int,
    /// Index of the joint's first component in every frame. Components can be outside the frame. Missing ones keep the
    /// base frame's value.
    pub first_component: Int,
    /// The whole record.
    pub span: Span,
}

/// Entry of `bounds { … }`: the model-space box of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Corner with the smallest coordinates.
    pub min: [f64; 3],
    /// Corner with the largest coordinates.
    pub max: [f64; 3],
    /// The whole entry.
    pub span: Span,
}

/// Entry of `baseframe { … }`: a joint relative to its parent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointPose {
    /// Translation in file units.
    pub position: [f64; 3],
    /// x, y, z of the file's (conjugated) unit quaternion.
    pub rotation: [f64; 3],
    /// The whole entry.
    pub span: Span,
}

/// Head of a `frame N { … }` block. Its components are in [`AnimFile::components`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Frame number as written.
    pub number: Int,
    /// The whole block.
    pub span: Span,
}
