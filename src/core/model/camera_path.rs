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

#[cfg(test)]
mod tests {
    use super::*;

    /// The example in docs/formats/md5.md "The camera file": two frames, a cut, two frames elsewhere.
    #[test]
    fn cuts_are_not_interpolated() {
        let frame = |x: f64, y: f64, degrees: f64| CameraFrame {
            position: DVec3::new(x, y, 64.0),
            rotation: DQuat::IDENTITY,
            horizontal_angle: degrees.to_radians(),
        };
        let frames = vec![
            frame(0.0, 0.0, 90.0),
            frame(8.0, 0.0, 90.0),
            frame(8.0, 0.0, 90.0),
            frame(0.0, 96.0, 60.0),
            frame(8.0, 96.0, 60.0),
        ];
        let path = CameraPath::new(frames, 24.0, vec![2]).unwrap();
        assert_eq!(path.duration(), 3.0 / 24.0);
        let at = |frames: f64| {
            let seen = path.at(frames / 24.0);
            [seen.position.x, seen.position.y, seen.horizontal_angle.to_degrees().round()]
        };
        let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        let cases = [
            (0.0, [0.0, 0.0, 90.0]),
            (0.5, [4.0, 0.0, 90.0]),
            (1.0, [8.0, 0.0, 90.0]),
            (1.9, [8.0, 0.0, 90.0]),
            (2.0, [0.0, 96.0, 60.0]),
            (2.25, [2.0, 96.0, 60.0]),
            (3.0, [8.0, 96.0, 60.0]),
            (99.0, [8.0, 96.0, 60.0]),
        ];
        for (frames, seen) in cases {
            assert!(near(at(frames), seen), "{frames}: {:?}", at(frames));
        }
        // tan(v/2) = 3/4 tan(45 degrees)
        assert!((path.at(0.0).vertical_angle().to_degrees() - 73.739_795).abs() < 1e-5);
        assert_eq!(CameraPath::new(Vec::new(), 24.0, Vec::new()), None);
    }
}
