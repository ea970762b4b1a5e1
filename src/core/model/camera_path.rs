//! Moving cameras, with cuts.

use super::slerp;
use glam::{DQuat, DVec3};

/// Doom 3's tick rate in Hz. Frames at this rate are not interpolated.
const TICKS: f64 = 60.0;

/// A camera in one frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CameraFrame {
    /// Position in model space, model units.
    pub position: DVec3,
    /// Rotation from camera to model space. In camera space the camera looks along +X with +Z up.
    pub rotation: DQuat,
    /// Horizontal angle of view on a 4:3 screen, in radians.
    pub horizontal_angle: f64,
}

impl CameraFrame {
    /// Returns the vertical angle of view in radians, the same on all screens (docs/formats/md5.md "The camera file").
    pub fn vertical_angle(&self) -> f64 {
        2.0 * (0.75 * (0.5 * self.horizontal_angle).tan()).atan()
    }
}

/// Frames of a camera with cuts.
#[derive(Debug, Clone, PartialEq)]
pub struct CameraPath {
    frames: Vec<CameraFrame>,
    frame_rate: f64,
    cuts: Vec<usize>,
}

impl CameraPath {
    /// Creates a path from frames as in a `.md5camera`, where the frame before each cut is repeated. `None` without
    /// frames or without a positive, finite rate.
    pub fn new(frames: Vec<CameraFrame>, frame_rate: f64, cuts: Vec<usize>) -> Option<Self> {
        let is_valid = !frames.is_empty() && frame_rate.is_finite() && frame_rate > 0.0;
        is_valid.then_some(Self { frames, frame_rate, cuts })
    }

    /// Returns the frames, with one repeated before each cut.
    pub fn frames(&self) -> &[CameraFrame] {
        &self.frames
    }

    /// Returns the numbers of the frames at which the camera jumps.
    pub fn cuts(&self) -> &[usize] {
        &self.cuts
    }

    /// Returns the frames per second.
    pub fn frame_rate(&self) -> f64 {
        self.frame_rate
    }

    /// Returns the length in seconds. Returns 0 for a camera that never moves.
    pub fn duration(&self) -> f64 {
        self.frames.len().saturating_sub(self.cuts.len() + 1) as f64 / self.frame_rate
    }

    /// Returns the camera at `time` (seconds), as Doom 3 moves it (docs/formats/md5.md "The camera file").
    pub fn at(&self, time: f64) -> CameraFrame {
        let position = (time * self.frame_rate).clamp(0.0, self.frames.len() as f64);
        let shown = (position + 1e-6).floor();
        let share = if self.frame_rate == TICKS { 0.0 } else { (position - shown).max(0.0) };
        let mut frame = shown as usize;
        for &cut in &self.cuts {
            if frame < cut {
                break;
            }
            frame += 1;
        }
        let at = |frame: usize| self.frames[frame.min(self.frames.len() - 1)];
        let (from, to) = (at(frame), at(frame + 1));
        let angle = to.horizontal_angle - from.horizontal_angle;
        CameraFrame {
            position: from.position.lerp(to.position, share),
            rotation: slerp(from.rotation, to.rotation, share),
            horizontal_angle: from.horizontal_angle + share * angle,
        }
    }
}
