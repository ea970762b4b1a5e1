//! Where the film of an `.md5camera` stands, and whether the player looks through its camera.

use super::State;
use crate::model::{CameraPath, Clip};
use crate::play::Playback;
use crate::render::Camera;

/// A film and its moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Reel {
    /// Whether the picture is what the film's camera sees.
    pub is_shown: bool,
    /// Where it stands; 0 s long of a camera that never moves. Speed, pause and what happens at its end are the clip's.
    pub playback: Playback,
}

impl Reel {
    /// A film at its start.
    pub fn new(film: &CameraPath) -> Self {
        Self { is_shown: false, playback: playback_of(film) }
    }

    /// The same moment of another film.
    pub(super) fn of(&self, film: &CameraPath) -> Self {
        let mut reel = Self { is_shown: self.is_shown, ..Self::new(film) };
        reel.playback.seek(self.playback.time());
        reel
    }

    /// The film as it is played with a clip.
    pub(super) fn led_by(&self, clip: &Playback) -> Playback {
        let mut film = self.playback.clone();
        (film.speed, film.paused, film.repeat) = (clip.speed, clip.paused, clip.repeat);
        film
    }
}

/// Plays a film alone.
pub fn playback_of(film: &CameraPath) -> Playback {
    let as_long = Clip { duration: film.duration(), frame_rate: Some(film.frame_rate()), ..Clip::default() };
    Playback::new(Some(&as_long))
}

impl State {
    /// The film as it is played, if the picture is what its camera sees.
    pub fn shown_film(&self) -> Option<Playback> {
        self.reel.as_ref().filter(|reel| reel.is_shown).map(|reel| reel.led_by(&self.playback))
    }

    pub(super) fn look_through(&mut self, is_shown: bool) {
        if let Some(reel) = &mut self.reel {
            reel.is_shown = is_shown;
        }
        if !is_shown {
            self.camera.shot = None;
        }
    }

    pub(super) fn change_film(&mut self, change: impl FnOnce(&mut Playback)) {
        if let Some(reel) = &mut self.reel {
            reel.playback = reel.led_by(&self.playback);
            change(&mut reel.playback);
        }
    }

    /// Pauses or plays on. Where a film is shown it is the one that may have ended and begin anew, and the clip with it.
    pub(super) fn toggle(&mut self) {
        let Some(mut film) = self.shown_film() else { return self.playback.toggle() };
        let before = film.time();
        film.toggle();
        if film.time() != before {
            let (start, end) = self.playback.range();
            self.playback.seek(if self.playback.speed < 0.0 { end } else { start });
        }
        self.playback.paused = film.paused;
        self.change_film(|known| *known = film);
    }

    /// The camera that is moved by hand; what is moved is no film's.
    pub(super) fn moved_camera(&mut self) -> &mut Camera {
        self.look_through(false);
        &mut self.camera
    }
}
