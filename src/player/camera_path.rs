//! Playback of the camera animation of an `.md5camera`.

use bindpose_core::model::{CameraPath, Clip};
use bindpose_core::play::Playback;

/// Playback of a [`CameraPath`], and true if the view follows it.
#[derive(Debug, Clone, PartialEq)]
pub struct CameraPlayback {
    /// True if the view looks through the animated camera.
    pub is_shown: bool,
    /// Time in the camera path. A camera without movement has a length of 0 s. Speed, pause and repeat come from the
    /// clip.
    pub playback: Playback,
}

impl CameraPlayback {
    /// Starts at the beginning of a camera path.
    pub fn new(path: &CameraPath) -> Self {
        Self { is_shown: false, playback: playback_of(path) }
    }

    /// Returns the playback at the same time of another camera path.
    pub(super) fn moved_to(&self, path: &CameraPath) -> Self {
        let mut other = Self { is_shown: self.is_shown, ..Self::new(path) };
        other.playback.seek(self.playback.time());
        other
    }

    /// Returns the camera path's playback with speed, pause and repeat of a clip.
    pub(super) fn led_by(&self, clip: &Playback) -> Playback {
        let mut path = self.playback.clone();
        (path.speed, path.paused, path.repeat) = (clip.speed, clip.paused, clip.repeat);
        path
    }
}

/// Creates the playback of a camera path without a clip.
pub fn playback_of(path: &CameraPath) -> Playback {
    let as_long = Clip { duration: path.duration(), frame_rate: Some(path.frame_rate()), ..Clip::default() };
    Playback::new(Some(&as_long))
}
