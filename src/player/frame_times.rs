//! Times and turntable angles of the frames of a recording.

use bindpose_core::play::{Playback, Repeat};
use bindpose_images::animation::{Animation, Quality};

/// Largest number of frames: five minutes at 30 frames per second.
const MOST_FRAMES: f64 = 10_000.0;

/// Duration of a turn of the turntable, in seconds.
const TURN: f64 = 4.0;

/// Number of frames that is too large to be drawn.
#[derive(Debug, thiserror::Error)]
#[error(
    "the clip lasts {seconds} s, which makes {count} frames at {rate} per second; at most {MOST_FRAMES} are drawn: choose \
     one with --time or --frame, a part with --range, or a lower --fps"
)]
pub struct TooManyFrames {
    seconds: String,
    count: String,
    rate: f64,
}

/// Frames to draw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameTimes {
    /// Number of frames.
    pub count: u32,
    /// Frames per second.
    pub rate: f64,
    /// Clip time of the first frame, in seconds.
    start: f64,
    /// Seconds until the clip repeats or reverses.
    length: f64,
    /// Clip seconds per second. Negative plays backwards.
    speed: f64,
    repeat: Repeat,
    /// True if the model turns around once.
    turns: bool,
}

/// Clip time and turn of one frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameTime {
    /// Time in the clip, in seconds.
    pub time: f64,
    /// Share of a full turn.
    pub turn: f64,
}

impl FrameTimes {
    /// Returns the frames of the range that a player plays at its speed, with a turn of its turntable, at `rate` frames
    /// per second or the clip's.
    ///
    /// # Errors
    ///
    /// More than 10,000 frames.
    pub fn of_playback(playback: &Playback, turns: bool, rate: Option<f64>) -> Result<Self, TooManyFrames> {
        let ((start, end), repeat) = (playback.range(), playback.repeat);
        let rate = rate.unwrap_or(playback.frame_rate());
        let speed = playback.speed;
        let (start, length) = match speed {
            0.0 => (playback.time(), 0.0),
            _ => (if speed < 0.0 { end } else { start }, (end - start) / speed.abs()),
        };
        let times = match turns {
            true => Self::turntable(start, length, rate, repeat)?,
            false => Self::of_part([start, start + length], rate, repeat, playback.has_range())?,
        };
        Ok(Self { speed, ..times })
    }

    /// Returns one frame, at a time in seconds.
    pub fn one(time: f64, rate: f64) -> Self {
        Self { count: 1, rate, start: time, length: 0.0, speed: 1.0, repeat: Repeat::Clamp, turns: false }
    }

    /// Returns the frames of a part of a clip, in seconds. `is_part` includes the end of a range that is not a whole
    /// loop.
    pub fn of_part([start, end]: [f64; 2], rate: f64, repeat: Repeat, is_part: bool) -> Result<Self, TooManyFrames> {
        let length = end - start;
        let with_end = match repeat {
            Repeat::Clamp => true,
            // The end of a loop equals its start, so showing both would stutter. Numbered images show all frames.
            Repeat::Loop => is_part,
            Repeat::PingPong => false,
        };
        let shown = if repeat == Repeat::PingPong { 2.0 * length } else { length };
        Ok(Self { count: frames(shown, rate, with_end)?, rate, start, length, speed: 1.0, repeat, turns: false })
    }

    /// Returns the frames of one turn. The clip repeats so often that both end where they began.
    pub fn turntable(start: f64, length: f64, rate: f64, repeat: Repeat) -> Result<Self, TooManyFrames> {
        let round = if repeat == Repeat::PingPong { 2.0 * length } else { length };
        let seconds = if round > 0.0 { round * (TURN / round).round().max(1.0) } else { TURN };
        Ok(Self { count: frames(seconds, rate, false)?, rate, start, length, speed: 1.0, repeat, turns: true })
    }

    /// Returns the animation that has a frame at each of these times.
    pub fn animation(&self, size: (u32, u32), quality: Quality) -> Animation {
        Animation { size, frames: self.count, rate: self.rate, is_endless: self.is_endless(), quality }
    }

    /// True if viewers should repeat the animation.
    fn is_endless(&self) -> bool {
        self.repeat != Repeat::Clamp || self.turns
    }

    /// Returns the clip time and turn of the frame with this number.
    pub fn at(&self, number: u32) -> FrameTime {
        let passed = f64::from(number) / self.rate;
        let length = self.length;
        let within = match self.repeat {
            _ if length == 0.0 => 0.0,
            Repeat::PingPong => length - (passed.rem_euclid(2.0 * length) - length).abs(),
            Repeat::Loop if self.turns => (passed + 1e-9).rem_euclid(length),
            Repeat::Loop | Repeat::Clamp => passed.min(length),
        };
        let turn = if self.turns { f64::from(number) / f64::from(self.count) } else { 0.0 };
        FrameTime { time: self.start + self.speed * within, turn }
    }
}

/// Returns the number of frames in a duration. Without `with_end`, a frame at the very end is left out.
fn frames(seconds: f64, rate: f64, with_end: bool) -> Result<u32, TooManyFrames> {
    let whole = (seconds * rate + 1e-6).floor();
    let at_end = (whole / rate - seconds).abs() < 1e-6;
    let count = if with_end || !at_end || whole == 0.0 { whole + 1.0 } else { whole };
    if !(1.0..=MOST_FRAMES).contains(&count) {
        let [count, seconds] = [count, seconds].map(|number| match number < 1e15 {
            true => number.round().to_string(),
            false => format!("{number:.1e}"),
        });
        return Err(TooManyFrames { seconds, count, rate });
    }
    Ok(count as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::model::Clip;

    #[test]
    fn loops_omit_their_end() {
        assert_eq!([frames(0.0, 24.0, false).unwrap(), frames(0.0, 24.0, true).unwrap()], [1, 1]);
        assert_eq!([frames(0.4, 10.0, true).unwrap(), frames(0.4, 10.0, false).unwrap()], [5, 4]);
        // The duration is not a whole number of frames, so there is no frame at the end.
        assert_eq!(frames(0.45, 10.0, false).unwrap(), 5);
    }

    #[test]
    fn the_played_range_is_recorded() {
        let mut playback = Playback::new(Some(&Clip { duration: 2.0, frame_rate: Some(10.0), ..Clip::default() }));
        let shown = |playback: &Playback, turns| {
            let frames = FrameTimes::of_playback(playback, turns, None).unwrap();
            let at = |number| (frames.at(number).time * 1e6).round() / 1e6;
            (frames.count, at(0), at(frames.count - 1))
        };
        assert_eq!(shown(&playback, false), (20, 0.0, 1.9), "a loop without its end");
        playback.set_range(Some((0.5, 1.0)));
        assert_eq!(shown(&playback, false), (6, 0.5, 1.0));
        playback.repeat = Repeat::PingPong;
        assert_eq!(shown(&playback, false), (10, 0.5, 0.6));
        playback.repeat = Repeat::Loop;
        // Eight passes of half a second are a turn of four seconds.
        assert_eq!(shown(&playback, true), (40, 0.5, 0.9));
        assert_eq!(FrameTimes::of_playback(&playback, false, Some(4.0)).unwrap().count, 3);
        // At a quarter of the speed, backwards, and at rest.
        playback.speed = 0.25;
        assert_eq!(shown(&playback, false), (21, 0.5, 1.0));
        playback.speed = -0.25;
        assert_eq!(shown(&playback, false), (21, 1.0, 0.5));
        playback.set_range(None);
        assert_eq!(shown(&playback, false), (80, 2.0, 0.025), "a loop without its end");
        (playback.speed, playback.repeat) = (0.0, Repeat::Clamp);
        playback.seek(0.7);
        assert_eq!(shown(&playback, false), (1, 0.7, 0.7));
    }

    #[test]
    fn too_many_frames_are_refused_with_their_number() {
        assert_eq!(frames(999.9, 10.0, true).unwrap(), 10_000);
        let message = |duration, rate| frames(duration, rate, true).unwrap_err().to_string();
        assert!(message(1_000.0, 10.0).starts_with("the clip lasts 1000 s, which makes 10001 frames at 10 per second"));
        assert!(message(1e303, 24.0).starts_with("the clip lasts 1.0e303 s, which makes 2.4e304 frames at 24"));
        assert!(message(f64::INFINITY, 24.0).contains("inf frames"));
        assert!(frames(f64::NAN, 24.0, false).is_err());
    }

    /// One second at four frames per second, starting at half a second.
    #[test]
    fn animations_loop_turn_back_or_stop() {
        let of =
            |repeat, count, turns| FrameTimes { count, rate: 4.0, start: 0.5, length: 1.0, speed: 1.0, repeat, turns };
        let times = |frames: FrameTimes| (0..frames.count).map(|number| frames.at(number).time).collect::<Vec<_>>();
        assert_eq!(times(of(Repeat::Clamp, 5, false)), [0.5, 0.75, 1.0, 1.25, 1.5]);
        assert_eq!(times(of(Repeat::PingPong, 8, false)), [0.5, 0.75, 1.0, 1.25, 1.5, 1.25, 1.0, 0.75]);
        let table = FrameTimes::turntable(0.5, 1.0, 4.0, Repeat::Loop).unwrap();
        assert_eq!(table.count, 16);
        assert!((table.at(5).time - 0.75).abs() < 1e-6);
        assert_eq!([table.at(0).turn, table.at(4).turn, table.at(12).turn], [0.0, 0.25, 0.75]);
        // If nothing moves, the turn takes four seconds.
        assert_eq!(FrameTimes::turntable(0.0, 0.0, 25.0, Repeat::Loop).unwrap().count, 100);
    }
}
