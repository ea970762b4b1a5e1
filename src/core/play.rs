//! Conversion of wall time to clip time: looping, speed, pausing and stepping, without a clock of its own.

use crate::model::{Clip, Skeleton};
use crate::pose::{self, LocalPose, ModelPose, RootMotion};

/// Frames per second for stepping if the clip has no rate.
pub const DEFAULT_FRAME_RATE: f64 = 30.0;

/// Behaviour at a clip's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Repeat {
    /// Restarts.
    #[default]
    Loop,
    /// Stays at the end.
    Clamp,
    /// Runs back to the start, then forward again.
    PingPong,
}

impl Repeat {
    /// All modes, in display order.
    pub const ALL: [Self; 3] = [Self::Loop, Self::Clamp, Self::PingPong];

    /// Returns the name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loop => "loop",
            Self::Clamp => "once",
            Self::PingPong => "ping-pong",
        }
    }

    /// Returns the description for people.
    pub fn about(self) -> &'static str {
        match self {
            Self::Loop => "from the start again",
            Self::Clamp => "stays at the end",
            Self::PingPong => "back to the start in reverse",
        }
    }
}

/// A time that a clip does not have.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("--time {time} is outside of the clip, which lasts {duration:.3} s")]
pub struct OutsideClip {
    time: f64,
    duration: f64,
}

impl OutsideClip {
    /// Checks that a time is in a clip that lasts `duration`; both in seconds. The end may be rounded to nine decimals, as a
    /// dump prints it.
    ///
    /// # Errors
    ///
    /// It is not, or is no number.
    pub fn check(time: f64, duration: f64) -> Result<f64, Self> {
        if (0.0..=duration + 5e-10).contains(&time) { Ok(time.min(duration)) } else { Err(Self { time, duration }) }
    }
}

/// Playback state of a clip.
///
/// `0 <= time() <= duration`. In a loop, the end is the start of the next loop. Only stepping and seeking stop at the
/// end itself, to show the last frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Playback {
    duration: f64,
    frame_rate: f64,
    time: f64,
    /// Loops completed. Negative when playing backwards.
    loops: i64,
    /// True while a ping-pong runs backwards.
    returning: bool,
    /// Clip seconds per second. Negative plays backwards.
    pub speed: f64,
    /// True if [`Playback::advance`] does nothing.
    pub paused: bool,
    /// Behaviour at the ends.
    pub repeat: Repeat,
    /// Treatment of the roots' translation.
    pub root_motion: RootMotion,
    /// Start and end of the played range, seconds. `None` for the whole clip.
    range: Option<(f64, f64)>,
}

impl Playback {
    /// Starts a clip at speed 1. `None` stays in the rest pose.
    pub fn new(clip: Option<&Clip>) -> Self {
        let mut playback = Self {
            duration: 0.0,
            frame_rate: DEFAULT_FRAME_RATE,
            time: 0.0,
            loops: 0,
            returning: false,
            speed: 1.0,
            paused: false,
            repeat: Repeat::Loop,
            root_motion: RootMotion::Keep,
            range: None,
        };
        playback.change_clip(clip);
        playback
    }

    /// Starts another clip and resets the range. Speed, pause and modes stay the same.
    pub fn change_clip(&mut self, clip: Option<&Clip>) {
        let usable = |value: f64| (value.is_finite() && value > 0.0).then_some(value);
        self.duration = clip.and_then(|clip| usable(clip.duration)).unwrap_or(0.0);
        self.frame_rate = clip.and_then(|clip| clip.frame_rate).and_then(usable).unwrap_or(DEFAULT_FRAME_RATE);
        (self.time, self.loops, self.returning, self.range) = (0.0, 0, false, None);
    }

    /// Restricts playback to a range in seconds, with the ends in any order. `None`, or an empty range, plays the whole
    /// clip. A time outside the range moves to its start.
    pub fn set_range(&mut self, range: Option<(f64, f64)>) {
        let clip = |time: f64| time.clamp(0.0, self.duration);
        self.range = range
            .filter(|(start, end)| start.is_finite() && end.is_finite())
            .map(|(start, end)| (clip(start.min(end)), clip(start.max(end))))
            .filter(|&(start, end)| end > start && (start, end) != (0.0, self.duration));
        let (start, end) = self.range();
        if !(start..=end).contains(&self.time) {
            self.time = start;
        }
        (self.loops, self.returning) = (0, false);
    }

    /// Returns the start and end of the played range, seconds.
    pub fn range(&self) -> (f64, f64) {
        self.range.unwrap_or((0.0, self.duration))
    }

    /// True if less than the whole clip is played.
    pub fn has_range(&self) -> bool {
        self.range.is_some()
    }

    /// True if [`Playback::advance`] would change the time.
    pub fn is_moving(&self) -> bool {
        let (start, end) = self.range();
        let is_over = self.repeat == Repeat::Clamp && self.time == if self.speed < 0.0 { start } else { end };
        !self.paused && self.duration > 0.0 && self.speed != 0.0 && !is_over
    }

    /// Advances by `seconds` of wall time. Ignores a step that is not finite.
    pub fn advance(&mut self, seconds: f64) {
        let step = seconds * self.speed;
        if self.paused || !step.is_finite() || self.duration == 0.0 {
            return;
        }
        let (start, end) = self.range();
        let length = end - start;
        let time = self.time - start;
        self.time = match self.repeat {
            Repeat::Clamp => (self.time + step).clamp(start, end),
            Repeat::Loop => {
                let loops = ((time + step) / length).floor();
                self.loops = self.loops.saturating_add(loops as i64);
                start + wrapped(time + step, length)
            }
            Repeat::PingPong => {
                let there_and_back = 2.0 * length;
                let place = if self.returning { there_and_back - time } else { time } + step;
                let place = wrapped(place, there_and_back);
                self.returning = place > length;
                start + if self.returning { there_and_back - place } else { place }
            }
        };
    }

    /// Pauses or resumes. A clip that was played once to its end restarts.
    pub fn toggle(&mut self) {
        let (start, end) = self.range();
        let (from, to) = if self.speed < 0.0 { (end, start) } else { (start, end) };
        if self.repeat == Repeat::Clamp && self.time == to {
            self.time = from;
            self.paused = false;
        } else {
            self.paused = !self.paused;
        }
    }

    /// Goes to a time in seconds, clamped to the clip. Ignores one that is not finite.
    pub fn seek(&mut self, time: f64) {
        if time.is_finite() {
            self.time = time.clamp(0.0, self.duration);
            self.returning = false;
        }
    }

    /// Steps by whole frames and pauses. Wraps at the ends if the clip repeats.
    pub fn step(&mut self, frames: i64) {
        self.paused = true;
        let (start, end) = self.range();
        let first = (start * self.frame_rate - 1e-6).ceil() as i64;
        let last = ((end * self.frame_rate + 1e-6).floor() as i64).max(first);
        let place = self.time * self.frame_rate;
        // Between two frames, one step goes to the neighbour and not past it.
        let from = if frames < 0 { (place - 1e-6).ceil() } else { (place + 1e-6).floor() } as i64;
        let to = from.saturating_add(frames);
        let to = match self.repeat {
            Repeat::Clamp => to.clamp(first, last),
            Repeat::Loop | Repeat::PingPong => first + (to - first).rem_euclid(last - first + 1),
        };
        self.time = (to as f64 / self.frame_rate).min(self.duration);
        self.returning = false;
    }

    /// Returns the seconds since the clip's start.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Returns the length of the clip in seconds.
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// Loops completed.
    pub fn loops(&self) -> u64 {
        self.loops.max(0) as u64
    }

    /// Returns the frame at or before the current time, counted from 0.
    pub fn frame(&self) -> u64 {
        (self.time * self.frame_rate + 1e-6).floor() as u64
    }

    /// Returns the last frame of the clip, counted from 0. An MD5 clip of n frames has `duration = (n - 1) /
    /// frame_rate`.
    pub fn last_frame(&self) -> u64 {
        (self.duration * self.frame_rate + 1e-6).floor() as u64
    }

    /// Returns the frames per second for stepping.
    pub fn frame_rate(&self) -> f64 {
        self.frame_rate
    }

    /// Writes the pose `phase` seconds later in the clip. Returns its clip time in seconds.
    pub fn pose(
        &self,
        skeleton: &Skeleton,
        clip: Option<&Clip>,
        phase: f64,
        local: &mut LocalPose,
        model: &mut ModelPose,
    ) -> f64 {
        let time = self.local_pose(skeleton, clip, phase, local);
        pose::local_to_model(skeleton, local, model);
        time
    }

    /// Writes the local pose as [`Playback::pose`] does, without model space.
    pub fn local_pose(&self, skeleton: &Skeleton, clip: Option<&Clip>, phase: f64, local: &mut LocalPose) -> f64 {
        let Some(clip) = clip else {
            pose::rest(skeleton, local);
            return 0.0;
        };
        let shifted = self.later(phase);
        pose::sample(skeleton, clip, shifted.time, local);
        pose::apply_root_motion(skeleton, clip, self.range().0, self.root_motion, local);
        shifted.time
    }

    /// Returns the clip time in seconds, `phase` seconds later.
    pub fn time_later(&self, phase: f64) -> f64 {
        self.later(phase).time
    }

    fn later(&self, phase: f64) -> Self {
        let mut later = Self { speed: 1.0, paused: false, ..self.clone() };
        if phase != 0.0 {
            later.advance(phase);
        }
        later
    }
}

/// `value` modulo `period`, always less than `period`.
fn wrapped(value: f64, period: f64) -> f64 {
    let rest = value.rem_euclid(period);
    if rest < period { rest } else { 0.0 }
}
