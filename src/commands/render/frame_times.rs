//! Times and turntable angles of the frames to draw.

use super::Args;
use crate::commands::record::{Animation, MediaOutput, Quality};
use anyhow::bail;
use bindpose::play::{Playback, Repeat};
use bindpose_player::Change;
use std::str::FromStr;

/// Largest number of frames: five minutes at 30 frames per second.
const MOST_FRAMES: f64 = 10_000.0;

/// Duration of a turn of the turntable, in seconds.
const TURN: f64 = 4.0;

/// Part of a clip, or one time of it.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Clip and time")]
pub struct MomentArgs {
    /// Time to show, in seconds, or auto for one that shows the model well, as a thumbnail does
    #[arg(long, value_name = "SECONDS|auto", group = "moment")]
    time: Option<TimeArg>,
    /// Frame of the clip to show, counted from 0
    #[arg(long, value_name = "N", group = "moment")]
    frame: Option<u64>,
    /// Part of the clip to show, both ends included: frames (10..25) or seconds (0.4s..1s)
    #[arg(long, value_name = "A..B", group = "moment")]
    range: Option<RangeArg>,
}

impl MomentArgs {
    /// Returns the time of `--time` or `--frame` in seconds.
    ///
    /// # Errors
    ///
    /// It is outside of the clip.
    fn time(self, playback: &Playback) -> anyhow::Result<Option<f64>> {
        let duration = playback.duration();
        Ok(match (self.time, self.frame) {
            (Some(TimeArg::Auto), _) => Some(duration / 4.0),
            (Some(_), _) if duration == 0.0 => bail!("--time needs a clip, and nothing moves here"),
            (_, Some(_)) if duration == 0.0 => bail!("--frame needs a clip, and nothing moves here"),
            (Some(TimeArg::Seconds(time)), _) if !(0.0..=duration).contains(&time) => {
                bail!("--time {time} is outside of the clip, which lasts {duration:.3} s")
            }
            (Some(TimeArg::Seconds(time)), _) => Some(time),
            (None, Some(frame)) => {
                let last = playback.last_frame();
                if frame > last {
                    bail!("--frame {frame} is outside of the clip, whose last frame is {last}");
                }
                Some((frame as f64 / playback.frame_rate()).min(duration))
            }
            (None, None) => None,
        })
    }

    /// Returns what a player does to show the part, or to rest at the time.
    ///
    /// # Errors
    ///
    /// It is outside of the clip.
    pub fn changes(self, playback: &Playback) -> anyhow::Result<Vec<Change>> {
        let range = self.range.map(|range| range.within(playback)).transpose()?;
        let range = range.map(|[start, end]| vec![Change::Range(Some((start, end))), Change::Seek(start)]);
        let time = self.time(playback)?.map(|time| vec![Change::Seek(time), Change::Pause(true)]);
        Ok(range.or(time).unwrap_or_default())
    }
}

/// Value of `--time`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimeArg {
    /// A quarter of the clip's length, when most clips have left their first pose; 0 without a clip.
    Auto,
    /// Time from the clip's start, in seconds.
    Seconds(f64),
}

impl FromStr for TimeArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "auto" => Ok(Self::Auto),
            _ => text.parse().map(Self::Seconds).map_err(|_| "expected seconds such as 0.4, or auto"),
        }
    }
}

/// Value of `--range`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RangeArg {
    start: Option<ClipTime>,
    end: Option<ClipTime>,
}

/// Time in a clip as the user specified it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ClipTime {
    Frame(f64),
    Seconds(f64),
}

impl FromStr for RangeArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str =
            "expected frames such as 10..25, or seconds such as 0.4s..1s; either end may be left out";
        let time_of = |text: &str| match text.trim() {
            "" => Some(None),
            text => match text.strip_suffix('s') {
                Some(seconds) => {
                    seconds.parse().ok().filter(|time: &f64| *time >= 0.0 && time.is_finite()).map(ClipTime::Seconds)
                }
                None => text.parse::<u32>().ok().map(|frame| ClipTime::Frame(frame.into())),
            }
            .map(Some),
        };
        let (start, end) = text.split_once("..").ok_or(EXPECTED)?;
        match (time_of(start).ok_or(EXPECTED)?, time_of(end).ok_or(EXPECTED)?) {
            (None, None) => Err(EXPECTED),
            (start, end) => Ok(Self { start, end }),
        }
    }
}

impl RangeArg {
    /// Returns start and end in seconds.
    ///
    /// # Errors
    ///
    /// The range leaves the clip, or ends before it starts.
    pub fn within(self, playback: &Playback) -> anyhow::Result<[f64; 2]> {
        let duration = playback.duration();
        let last = playback.last_frame();
        let seconds = |time: ClipTime| match time {
            ClipTime::Frame(frame) if frame > last as f64 => {
                bail!("--range: frame {frame} is outside of the clip, whose last frame is {last}")
            }
            ClipTime::Frame(frame) => Ok((frame / playback.frame_rate()).min(duration)),
            ClipTime::Seconds(time) if time > duration => {
                bail!("--range: {time} s is outside of the clip, which lasts {duration:.3} s")
            }
            ClipTime::Seconds(time) => Ok(time),
        };
        let start = self.start.map_or(Ok(0.0), seconds)?;
        let end = self.end.map_or(Ok(duration), seconds)?;
        if start > end {
            bail!("--range ends before it starts");
        }
        Ok([start, end])
    }
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
    /// Returns the frames selected by the options.
    ///
    /// # Errors
    ///
    /// Times outside the clip, several frames for one image, or more than 10,000 frames.
    pub fn new(args: &Args, output: &MediaOutput, playback: &Playback) -> anyhow::Result<Self> {
        let (duration, rate) = (playback.duration(), args.fps.unwrap_or(playback.frame_rate()));
        let one = args.moment.time(playback)?;
        let still = Self { count: 1, rate, start: 0.0, length: 0.0, repeat: Repeat::Clamp, turns: false };
        if output.is_still() {
            if args.turntable || args.moment.range.is_some() {
                bail!(
                    "a .png holds one frame; several want a name such as frames/%04d.png, or .gif, .apng, .mp4 or .webm"
                );
            }
            return Ok(Self { start: one.unwrap_or(0.0), ..still });
        }
        if let (Some(time), false) = (one, args.turntable) {
            return Ok(Self { start: time, ..still });
        }
        let [start, end] = match (one, args.moment.range) {
            (Some(time), _) => [time, time],
            (None, Some(range)) => range.within(playback)?,
            (None, None) => [0.0, duration],
        };
        let repeat = args.repeat.map_or(Repeat::Loop, Repeat::from);
        if args.turntable {
            return Self::turntable(start, end - start, rate, repeat);
        }
        Self::of_part(
            [start, end],
            rate,
            repeat,
            matches!(output, MediaOutput::Numbered { .. }) || args.moment.range.is_some(),
        )
    }

    /// Returns the frames of the range that a player plays, with a turn of its turntable, at `rate` frames per second
    /// or the clip's.
    ///
    /// # Errors
    ///
    /// More than 10,000 frames.
    pub fn of_playback(playback: &Playback, turns: bool, rate: Option<f64>) -> anyhow::Result<Self> {
        let ((start, end), repeat) = (playback.range(), playback.repeat);
        let rate = rate.unwrap_or(playback.frame_rate());
        if turns {
            return Self::turntable(start, end - start, rate, repeat);
        }
        Self::of_part([start, end], rate, repeat, playback.has_range())
    }

    /// Returns the frames of a part of a clip, in seconds. `is_part` includes the end of a range that is not a whole
    /// loop.
    fn of_part([start, end]: [f64; 2], rate: f64, repeat: Repeat, is_part: bool) -> anyhow::Result<Self> {
        let length = end - start;
        let with_end = match repeat {
            Repeat::Clamp => true,
            // The end of a loop equals its start, so showing both would stutter. Numbered images show all frames.
            Repeat::Loop => is_part,
            Repeat::PingPong => false,
        };
        let shown = if repeat == Repeat::PingPong { 2.0 * length } else { length };
        Ok(Self { count: frames(shown, rate, with_end)?, rate, start, length, repeat, turns: false })
    }

    /// Returns the frames of one turn. The clip repeats so often that both end where they began.
    fn turntable(start: f64, length: f64, rate: f64, repeat: Repeat) -> anyhow::Result<Self> {
        let round = if repeat == Repeat::PingPong { 2.0 * length } else { length };
        let seconds = if round > 0.0 { round * (TURN / round).round().max(1.0) } else { TURN };
        Ok(Self { count: frames(seconds, rate, false)?, rate, start, length, repeat, turns: true })
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
        FrameTime { time: self.start + within, turn }
    }
}

/// Returns the number of frames in a duration. Without `with_end`, a frame at the very end is left out.
fn frames(seconds: f64, rate: f64, with_end: bool) -> anyhow::Result<u32> {
    let whole = (seconds * rate + 1e-6).floor();
    let at_end = (whole / rate - seconds).abs() < 1e-6;
    let count = if with_end || !at_end || whole == 0.0 { whole + 1.0 } else { whole };
    if !(1.0..=MOST_FRAMES).contains(&count) {
        let [shown_count, shown_duration] = [count, seconds].map(|number| match number < 1e15 {
            true => number.round().to_string(),
            false => format!("{number:.1e}"),
        });
        bail!(
            "the clip lasts {shown_duration} s, which makes {shown_count} frames at {rate} per second; at most \
             {MOST_FRAMES} are drawn: choose one with --time or --frame, a part with --range, or a lower --fps"
        );
    }
    Ok(count as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose::model::Clip;

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

    #[test]
    fn ranges_are_parsed_and_checked_against_the_clip() {
        let clip = Clip { duration: 2.0, frame_rate: Some(10.0), ..Clip::default() };
        let playback = Playback::new(Some(&clip));
        let within = |text: &str| text.parse::<RangeArg>().unwrap().within(&playback);
        for (text, range) in
            [("5..10", [0.5, 1.0]), ("..3", [0.0, 0.3]), ("1.5s..", [1.5, 2.0]), ("2..0.7s", [0.2, 0.7])]
        {
            let read = within(text).unwrap();
            assert!(read.iter().zip(range).all(|(a, b)| (a - b).abs() < 1e-9), "{text}: {read:?}");
        }
        let message = |text: &str| within(text).unwrap_err().to_string();
        assert_eq!(message("0..21"), "--range: frame 21 is outside of the clip, whose last frame is 20");
        assert_eq!(message("3s.."), "--range: 3 s is outside of the clip, which lasts 2.000 s");
        assert_eq!(message("9..8"), "--range ends before it starts");
        for text in ["", "..", "3", "a..b", "-1..2", "1.5..2", "infs.."] {
            assert!(text.parse::<RangeArg>().is_err(), "{text}");
        }
    }

    /// One second at four frames per second, starting at half a second.
    #[test]
    fn animations_loop_turn_back_or_stop() {
        let of = |repeat, count, turns| FrameTimes { count, rate: 4.0, start: 0.5, length: 1.0, repeat, turns };
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
