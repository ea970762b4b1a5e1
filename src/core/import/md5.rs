//! MD5 documents into the model: the only place that knows MD5's conventions.
//!
//! - A file quaternion (x, y, z) stands for the ordinary column-vector rotation `(x, y, z, -w)` with
//!   `w = sqrt(max(0, 1 - x² - y² - z²))`, then brought to unit length
//!   (docs/formats/md5.md "Quaternions").
//! - Mesh joints are in model space, animation joints in their parent's.
//! - Triangles are clockwise: corners (a, b, c) become (a, c, b).
//! - Axes, units and texture coordinates are the model's own: right-handed, +Z up, t down.

mod camera;
mod clip;
mod mesh;
pub mod rows;

pub use camera::import_camera;
pub use clip::{Difference, ImportedClip, MatchedBy, import_clip, import_skeleton, played_rate};
pub use mesh::{ImportedMesh, import_mesh, placed, summed};

use super::shading::NormalMerge;
use glam::DQuat;

/// Choices that MD5 files leave open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Normals of coincident vertices.
    pub normals: NormalMerge,
    /// Translation of root joints in clips.
    pub root: RootTranslation,
}

/// What an animation's root translation means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RootTranslation {
    /// As the file says.
    #[default]
    File,
    /// As Doom 3 plays it: animated axes of joint 0 relative to the base frame, others 0
    /// (docs/formats/md5.md "The root joint").
    Engine,
}

/// The column-vector rotation of a file quaternion, and by how much x² + y² + z² exceeds 1.
pub fn rotation(xyz: [f64; 3]) -> (DQuat, f64) {
    let [x, y, z] = xyz;
    let left = 1.0 - (x * x + y * y + z * z);
    let quaternion = DQuat::from_xyzw(x, y, z, -left.max(0.0).sqrt());
    // Only a quaternion with parts that overflow has no length; it cannot turn anything.
    let unit = if quaternion.is_finite() { quaternion.normalize() } else { DQuat::IDENTITY };
    (if unit.is_finite() { unit } else { DQuat::IDENTITY }, (-left).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    /// The table in docs/formats/md5.md "Quaternions", the third row with w as 0 instead of the
    /// engine's sqrt(abs).
    #[test]
    fn file_quaternions_turn_the_axes_as_the_engine_does() {
        let turned = |xyz, axis: DVec3| rotation(xyz).0 * axis;
        let half = [0.0, 0.0, 0.7071067691];
        assert!(turned(half, DVec3::X).distance(DVec3::NEG_Y) < 1e-7);
        assert!(turned(half, DVec3::Y).distance(DVec3::X) < 1e-7);
        let thirds = [0.5, 0.5, 0.5];
        assert!(turned(thirds, DVec3::X).distance(DVec3::Z) < 1e-12);
        assert!(turned(thirds, DVec3::Y).distance(DVec3::X) < 1e-12);
        assert!(turned(thirds, DVec3::Z).distance(DVec3::Y) < 1e-12);
        let (over, excess) = rotation([1.1, 0.0, 0.0]);
        assert_eq!(over, DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0));
        assert!((excess - 0.21).abs() < 1e-12);
    }
}
