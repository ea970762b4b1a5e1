//! Where the film of an `.md5camera` stands, and whether the player looks through its camera.

use crate::model::{Clip, Film};
use crate::play::Playback;

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
    pub fn new(film: &Film) -> Self {
        Self { is_shown: false, playback: playback_of(film) }
    }

    /// The same moment of another film.
    pub(super) fn of(&self, film: &Film) -> Self {
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
pub fn playback_of(film: &Film) -> Playback {
    let as_long = Clip { duration: film.duration(), frame_rate: Some(film.frame_rate()), ..Clip::default() };
    Playback::new(Some(&as_long))
}
