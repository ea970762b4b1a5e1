//! Content of a `.md5camera`.

use super::{Int, Text};
use crate::Span;

/// Content of a whole `.md5camera` file.
#[derive(Debug, Clone, PartialEq)]
pub struct CameraFile<'a> {
    /// Value of `MD5Version`; `None` if the line is missing.
    pub version: Option<Int>,
    /// Value of `commandline`; `None` if the line is missing.
    pub command_line: Option<Text<'a>>,
    /// Declared frame count.
    pub num_frames: Int,
    /// Frames per second. Fractions and 0 occur.
    pub frame_rate: f64,
    /// Position of the rate.
    pub frame_rate_span: Span,
    /// Declared number of cuts.
    pub num_cuts: Int,
    /// Frame numbers at which the camera jumps.
    pub cuts: Vec<Int>,
    /// Frames in file order, including one duplicate per cut.
    pub frames: Vec<CameraFrame>,
}

/// Frame of a camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CameraFrame {
    /// Position in file units.
    pub position: [f64; 3],
    /// x, y, z of the file's (conjugated) unit quaternion.
    pub rotation: [f64; 3],
    /// Horizontal field of view at 4:3, in degrees.
    pub fov: f64,
    /// The whole entry.
    pub span: Span,
}
