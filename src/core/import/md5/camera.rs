//! Conversion of `.md5camera` to a camera path.

use super::rows::rotation;
use crate::model::{CameraFrame, CameraPath};
use bindpose_parsers::md5::CameraFile;
use glam::DVec3;

/// Converts a camera file. `None` without frames or a positive rate, which Doom 3 refuses too.
pub fn import_camera(file: &CameraFile<'_>) -> Option<CameraPath> {
    let frames = file.frames.iter().map(|frame| CameraFrame {
        position: DVec3::from_array(frame.position),
        rotation: rotation(frame.rotation).0,
        horizontal_angle: frame.fov.clamp(1.0, 179.0).to_radians(),
    });
    let cuts = file.cuts.iter().filter_map(|cut| usize::try_from(cut.value).ok());
    CameraPath::new(frames.collect(), file.frame_rate, cuts.collect())
}
