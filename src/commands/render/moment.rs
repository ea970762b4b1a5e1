//! Options of the time to show, and the frames that they select.

use super::Args;
use crate::commands::record::MediaOutput;
use anyhow::bail;
use bindpose::play::{OutsideClip, Playback, Repeat};
use bindpose_player::{Change, FrameTimes};
use std::str::FromStr;

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
            (Some(TimeArg::Seconds(time)), _) => Some(OutsideClip::check(time, duration)?),
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

/// Returns the frames selected by the options.
///
/// # Errors
///
/// Times outside the clip, several frames for one image, or more than 10,000 frames.
pub fn times(args: &Args, output: &MediaOutput, playback: &Playback) -> anyhow::Result<FrameTimes> {
    let (duration, rate) = (playback.duration(), args.fps.unwrap_or(playback.frame_rate()));
    let one = args.moment.time(playback)?;
    if output.is_still() {
        if args.turntable || args.moment.range.is_some() {
            bail!("a .png holds one frame; several want a name such as frames/%04d.png, or .gif, .apng, .mp4 or .webm");
        }
        return Ok(FrameTimes::one(one.unwrap_or(0.0), rate));
    }
    if let (Some(time), false) = (one, args.turntable) {
        return Ok(FrameTimes::one(time, rate));
    }
    let [start, end] = match (one, args.moment.range) {
        (Some(time), _) => [time, time],
        (None, Some(range)) => range.within(playback)?,
        (None, None) => [0.0, duration],
    };
    let repeat = args.repeat.map_or(Repeat::Loop, Repeat::from);
    if args.turntable {
        return Ok(FrameTimes::turntable(start, end - start, rate, repeat)?);
    }
    let is_part = matches!(output, MediaOutput::Numbered { .. }) || args.moment.range.is_some();
    Ok(FrameTimes::of_part([start, end], rate, repeat, is_part)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose::model::Clip;

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
}
