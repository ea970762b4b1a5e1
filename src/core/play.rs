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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_that_has_ended_is_played_again() {
        // mode, speed, elapsed seconds, time and pause after the toggle
        let cases = [
            (Repeat::Clamp, 1.0, 3.0, 0.0, false),
            (Repeat::Clamp, -1.0, 3.0, 2.0, false),
            (Repeat::Clamp, 1.0, 0.5, 0.5, true),
            (Repeat::Loop, 1.0, 2.0, 0.0, true),
        ];
        for (repeat, speed, seconds, time, paused) in cases {
            let mut playback = Playback { repeat, speed, ..playback() };
            playback.advance(seconds);
            playback.toggle();
            assert_eq!((playback.time(), playback.paused), (time, paused), "{repeat:?} x{speed} {seconds}");
        }
    }

    /// Returns a playback of two seconds: eleven frames at five per second.
    fn playback() -> Playback {
        let clip = Clip { duration: 2.0, frame_rate: Some(5.0), ..Clip::default() };
        Playback::new(Some(&clip))
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn time_passes_by_speed_and_mode() {
        use Repeat::{Clamp, Loop, PingPong};
        // mode, speed, successive elapsed seconds, clip time, loops
        let cases: &[(Repeat, f64, &[f64], f64, u64)] = &[
            (Loop, 1.0, &[0.5], 0.5, 0),
            (Loop, 1.0, &[2.0], 0.0, 1),
            (Loop, 1.0, &[0.9, 1.4], 0.3, 1),
            (Loop, 2.5, &[2.0], 1.0, 2),
            (Loop, -1.0, &[0.5], 1.5, 0),
            (Loop, 1.0, &[1e9], 0.0, 500_000_000),
            (Clamp, 1.0, &[5.0], 2.0, 0),
            (Clamp, -1.0, &[5.0], 0.0, 0),
            (Clamp, 1.0, &[5.0, -0.5], 1.5, 0),
            (PingPong, 1.0, &[1.5], 1.5, 0),
            (PingPong, 1.0, &[2.5], 1.5, 0),
            (PingPong, 1.0, &[2.5, 1.0], 0.5, 0),
            (PingPong, 1.0, &[4.5], 0.5, 0),
            (PingPong, 1.0, &[2.5, 2.0, 1.0], 1.5, 0),
            (PingPong, -1.0, &[0.5], 0.5, 0),
            (Loop, 1.0, &[f64::NAN], 0.0, 0),
        ];
        for &(repeat, speed, passing, time, loops) in cases {
            let mut playback = Playback { repeat, speed, ..playback() };
            passing.iter().for_each(|&seconds| playback.advance(seconds));
            assert!(close(playback.time(), time), "{repeat:?} x{speed} {passing:?}: {}", playback.time());
            assert_eq!(playback.loops(), loops, "{repeat:?} x{speed} {passing:?}");
        }
    }

    #[test]
    fn a_pause_holds_the_time() {
        let mut playback = playback();
        playback.advance(0.7);
        playback.paused = true;
        playback.advance(0.7);
        assert!(close(playback.time(), 0.7));
    }

    #[test]
    fn steps_go_to_whole_frames_and_around() {
        // start, repeat, step, frame reached
        let cases = [
            (0.0, Repeat::Loop, 1, 1),
            (0.0, Repeat::Loop, -1, 10),
            (2.0, Repeat::Loop, 1, 0),
            (1.8, Repeat::Loop, 1, 10),
            (0.5, Repeat::Loop, 1, 3),
            (0.5, Repeat::Loop, -1, 2),
            (0.6, Repeat::Loop, 1, 4),
            (0.6, Repeat::Loop, -1, 2),
            (2.0, Repeat::Clamp, 1, 10),
            (0.0, Repeat::Clamp, -3, 0),
            (0.0, Repeat::Loop, 25, 3),
        ];
        for (start, repeat, frames, reached) in cases {
            let mut playback = Playback { repeat, ..playback() };
            playback.seek(start);
            playback.step(frames);
            assert!(playback.paused);
            assert_eq!(playback.frame(), reached, "from {start} by {frames}");
            assert!(close(playback.time(), reached as f64 / 5.0), "from {start} by {frames}");
        }
    }

    #[test]
    fn the_last_frame_is_counted_from_the_duration() {
        assert_eq!(playback().last_frame(), 10);
        for rate in [24.0, 30.0, 60.0, 29.97] {
            for frames in [1_u64, 2, 25, 1000] {
                let clip = Clip { duration: (frames - 1) as f64 / rate, frame_rate: Some(rate), ..Clip::default() };
                assert_eq!(Playback::new(Some(&clip)).last_frame(), frames - 1, "{frames} at {rate}");
            }
        }
    }

    #[test]
    fn a_range_is_all_that_is_played() {
        use Repeat::{Clamp, Loop, PingPong};
        // mode, speed, elapsed seconds, clip time, loops. The range is 0.4 to 1.4
        let cases = [
            (Loop, 1.0, 0.5, 0.9, 0),
            (Loop, 1.0, 1.25, 0.65, 1),
            (Loop, -1.0, 0.25, 1.15, 0),
            (Clamp, 1.0, 5.0, 1.4, 0),
            (Clamp, -1.0, 5.0, 0.4, 0),
            (PingPong, 1.0, 1.25, 1.15, 0),
        ];
        for (repeat, speed, seconds, time, loops) in cases {
            let mut playback = Playback { repeat, speed, ..playback() };
            playback.set_range(Some((1.4, 0.4)));
            assert!(close(playback.time(), 0.4), "the range's start is shown");
            playback.advance(seconds);
            assert!(close(playback.time(), time), "{repeat:?} x{speed} {seconds}: {}", playback.time());
            assert_eq!(playback.loops(), loops, "{repeat:?} x{speed} {seconds}");
        }
        let mut playback = playback();
        playback.set_range(Some((0.4, 1.4)));
        let frames: Vec<u64> = (0..7)
            .map(|_| {
                playback.step(1);
                playback.frame()
            })
            .collect();
        assert_eq!(frames, [3, 4, 5, 6, 7, 2, 3]);
        for whole in [None, Some((1.0, 1.0)), Some((f64::NAN, 1.0)), Some((-1.0, 9.0))] {
            playback.set_range(whole);
            assert_eq!((playback.range(), playback.has_range()), ((0.0, 2.0), false), "{whole:?}");
        }
    }

    #[test]
    fn only_what_changes_is_moving() {
        let mut playback = playback();
        assert!(playback.is_moving());
        playback.repeat = Repeat::Clamp;
        playback.advance(9.0);
        assert!(!playback.is_moving(), "it has ended");
        playback.repeat = Repeat::Loop;
        playback.speed = 0.0;
        assert!(!playback.is_moving());
        assert!(!Playback::new(None).is_moving());
    }

    #[test]
    fn without_a_clip_nothing_moves() {
        let mut playback = Playback::new(None);
        playback.advance(1.0);
        playback.step(1);
        playback.seek(3.0);
        assert_eq!((playback.time(), playback.frame(), playback.last_frame()), (0.0, 0, 0));
        let broken = Clip { duration: f64::INFINITY, frame_rate: Some(-1.0), ..Clip::default() };
        assert_eq!(Playback::new(Some(&broken)).duration(), 0.0);
    }
}
