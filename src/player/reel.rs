//! Where the film of an `.md5camera` stands, and whether the player looks through its camera.

use crate::model::Film;

/// A film and its moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reel {
    /// Whether the picture is what the film's camera sees.
    pub is_shown: bool,
    /// Seconds of the film.
    pub time: f64,
    /// Its length, seconds; 0 of a camera that never moves.
    pub duration: f64,
    frame_rate: f64,
}

impl Reel {
    /// A film at its start.
    pub fn new(film: &Film) -> Self {
        Self { is_shown: false, time: 0.0, duration: film.duration(), frame_rate: film.frame_rate() }
    }

    /// The same moment of another film.
    pub(super) fn of(self, film: &Film) -> Self {
        let mut reel = Self { is_shown: self.is_shown, ..Self::new(film) };
        reel.seek(self.time);
        reel
    }

    /// Goes to a moment within the film.
    pub(super) fn seek(&mut self, time: f64) {
        if time.is_finite() {
            self.time = time.clamp(0.0, self.duration);
        }
    }

    /// Goes on by seconds of the film, from its end to its start.
    pub(super) fn advance(&mut self, seconds: f64) {
        if self.duration > 0.0 && seconds.is_finite() {
            self.time = (self.time + seconds).rem_euclid(self.duration);
        }
    }

    /// Goes on by frames.
    pub(super) fn step(&mut self, frames: i64) {
        let frame = (self.time * self.frame_rate + 1e-6).floor();
        self.advance((frame + frames as f64) / self.frame_rate - self.time);
    }
}
