//! `bindpose render`

use super::Outcome;
use super::scene::{Opened, SceneArgs};
use crate::commands::output::tell;
use anyhow::{Context, bail};
use bindpose::play::Playback;
use bindpose::player::Player;
use bindpose::render::{RenderTarget, headless};
use image::RgbaImage;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Draw a model to pictures, without a window
///
/// The name says what is written: out.png one picture, out.gif and out.apng the whole clip, frames/%04d.png one
/// picture per frame of the clip, counted from 0. Needs OpenGL through EGL, but no display.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// What to write: a .png, .gif or .apng, or a name with %04d for one .png per frame
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Moment to show, in seconds
    #[arg(long, value_name = "SECONDS", group = "moment")]
    time: Option<f64>,
    /// Frame to show, counted from 0
    #[arg(long, value_name = "N", group = "moment")]
    frame: Option<u64>,
    /// Show every frame (.gif, .apng and %04d do so unless a moment is given)
    #[arg(long, group = "moment")]
    all_frames: bool,
    /// Frames per second, if not the clip's own
    #[arg(long, value_name = "RATE")]
    fps: Option<f64>,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "640x640")]
    size: Size,
}

/// `--size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

impl FromStr for Size {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = |text: &str| text.parse::<u32>().ok().filter(|&side| (1..=16384).contains(&side));
        let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
        match (read(width), read(height)) {
            (Some(width), Some(height)) => Ok(Self { width, height }),
            _ => Err("expected width and height of 1 to 16384 pixels, such as 800x600"),
        }
    }
}

/// Draws and writes.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let target = Target::of(&args.output)?;
    if args.fps.is_some_and(|fps| !(0.01..=1000.0).contains(&fps)) {
        bail!("--fps takes 0.01 to 1000 frames per second");
    }
    let scene = match args.scene.open()? {
        Opened::Scene(scene) => scene,
        Opened::Failed(outcome) => return Ok(outcome),
    };
    let gpu = headless().context("a picture needs OpenGL; `bindpose doctor` tells more")?;
    let frame = RenderTarget::new(&gpu, args.size.width, args.size.height)?;
    let mut player = args.scene.player(&gpu, &scene)?;
    let moments = args.moments(&target, &player.state.playback)?;
    write_pictures(&target, &args.output, moments, args.rate(&player.state.playback), &frame, &mut player)?;
    Ok(Outcome::Fine)
}

/// Draws a player's present moment to a PNG file.
pub fn write_still(path: &Path, frame: &RenderTarget, player: &mut Player) -> anyhow::Result<()> {
    player.draw(frame)?;
    write_whole(path, |file| write_png(file, &frame.read()))
}

impl Args {
    fn rate(&self, playback: &Playback) -> f64 {
        self.fps.unwrap_or(playback.frame_rate())
    }

    /// The moments to draw.
    fn moments(&self, target: &Target, playback: &Playback) -> anyhow::Result<Moments> {
        let (duration, rate) = (playback.duration(), self.rate(playback));
        if let Some(time) = self.time {
            if !(0.0..=duration).contains(&time) {
                bail!("--time {time} is outside of the clip, which lasts {duration:.3} s");
            }
            return Ok(Moments::One(time));
        }
        if let Some(frame) = self.frame {
            let last = (duration * rate + 1e-6).floor() as u64;
            if frame > last {
                bail!("--frame {frame} is outside of the clip, whose last frame is {last}");
            }
            return Ok(Moments::One((frame as f64 / rate).min(duration)));
        }
        match target {
            Target::Png if self.all_frames => {
                bail!("a .png holds one frame; --all-frames wants a name such as frames/%04d.png, or .gif or .apng")
            }
            Target::Png => Ok(Moments::One(0.0)),
            // A loop's end is its start; showing both would stutter.
            Target::Gif | Target::Apng => Moments::every_frame(duration, rate, false),
            Target::Numbered { .. } => Moments::every_frame(duration, rate, true),
        }
    }
}

/// Frames that are drawn at most: more than an hour of film.
const MOST_FRAMES: f64 = 100_000.0;

/// The moments that are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Moments {
    /// One, in seconds.
    One(f64),
    /// So many frames of a clip.
    Frames { count: u32, rate: f64, duration: f64 },
}

impl Moments {
    /// All frames of a clip of `duration` seconds, `rate` of them a second; its end too, or only if it is no frame.
    fn every_frame(duration: f64, rate: f64, with_end: bool) -> anyhow::Result<Self> {
        let whole = (duration * rate + 1e-6).floor();
        let at_end = (whole / rate - duration).abs() < 1e-6;
        let count = if with_end || !at_end || whole == 0.0 { whole + 1.0 } else { whole };
        if !(1.0..=MOST_FRAMES).contains(&count) {
            let [shown_count, shown_duration] = [count, duration].map(|number| match number < 1e15 {
                true => number.round().to_string(),
                false => format!("{number:.1e}"),
            });
            bail!(
                "the clip lasts {shown_duration} s, which makes {shown_count} frames at {rate} per second; at most \
                 {MOST_FRAMES} are drawn: choose a moment with --time or --frame, or a lower --fps"
            );
        }
        Ok(Self::Frames { count: count as u32, rate, duration })
    }

    fn count(self) -> u32 {
        match self {
            Self::One(_) => 1,
            Self::Frames { count, .. } => count,
        }
    }

    /// Each in seconds.
    fn times(self) -> impl Iterator<Item = f64> {
        (0..self.count()).map(move |frame| match self {
            Self::One(time) => time,
            Self::Frames { rate, duration, .. } => (f64::from(frame) / rate).min(duration),
        })
    }
}

/// What kind of file a name asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    Png,
    Gif,
    Apng,
    /// One PNG per frame: what stands before and after the number, and how many digits it has at least.
    Numbered {
        before: String,
        digits: usize,
        after: String,
    },
}

impl Target {
    fn of(path: &Path) -> anyhow::Result<Self> {
        let name = path.to_string_lossy();
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let numbered = numbered(&name)?;
        match (extension.as_deref(), numbered) {
            (Some("png"), Some(numbered)) => Ok(numbered),
            (Some("png"), None) => Ok(Self::Png),
            (Some("gif"), None) => Ok(Self::Gif),
            (Some("apng"), None) => Ok(Self::Apng),
            (_, Some(_)) => bail!("{name}: numbered frames are .png files"),
            _ => bail!("{name}: the name must end in .png, .gif or .apng"),
        }
    }
}

/// Reads `%d`, `%4d` or `%04d` in a name; `None` without a `%`.
fn numbered(name: &str) -> anyhow::Result<Option<Target>> {
    let Some((before, rest)) = name.split_once('%') else { return Ok(None) };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (width, after) = rest.split_at(digits);
    match (after.strip_prefix('d'), width.parse().unwrap_or(1)) {
        (Some(after), digits @ 0..=12) if !after.contains('%') => {
            Ok(Some(Target::Numbered { before: before.into(), digits, after: after.into() }))
        }
        _ => bail!("{name}: a frame number is written %d or %04d, once"),
    }
}

fn write_pictures(
    target: &Target,
    output: &Path,
    moments: Moments,
    rate: f64,
    frame: &RenderTarget,
    player: &mut Player,
) -> anyhow::Result<()> {
    let progress = Progress::new(moments.count().into());
    let mut draw = |time: f64| -> anyhow::Result<RgbaImage> {
        player.state.playback.seek(time);
        player.draw(frame)?;
        progress.step();
        Ok(frame.read())
    };
    match target {
        Target::Numbered { before, digits, after } => {
            for (number, time) in moments.times().enumerate() {
                let picture = draw(time)?;
                let path = PathBuf::from(format!("{before}{number:0digits$}{after}"));
                write_whole(&path, |file| write_png(file, &picture))?;
            }
        }
        Target::Png => {
            for time in moments.times() {
                let picture = draw(time)?;
                write_whole(output, |file| write_png(file, &picture))?;
            }
        }
        Target::Gif => write_whole(output, |file| write_gif(file, moments, rate, &mut draw))?,
        Target::Apng => write_whole(output, |file| write_apng(file, frame.size(), moments, rate, &mut draw))?,
    }
    progress.finish();
    let (width, height) = frame.size();
    let frames = match moments.count() {
        1 => "1 frame".to_owned(),
        many => format!("{many} frames"),
    };
    tell!("wrote {}: {frames}, {width}x{height}, {}", output.display(), player.state.method);
    Ok(())
}

pub(super) fn write_png(file: &mut dyn Write, picture: &RgbaImage) -> anyhow::Result<()> {
    let mut encoder = png::Encoder::new(file, picture.width(), picture.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(picture)?;
    Ok(writer.finish()?)
}

/// A drawing function, given a time.
type Draw<'a> = dyn FnMut(f64) -> anyhow::Result<RgbaImage> + 'a;

fn write_apng(
    file: &mut dyn Write,
    (width, height): (u32, u32),
    moments: Moments,
    rate: f64,
    draw: &mut Draw<'_>,
) -> anyhow::Result<()> {
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_animated(moments.count(), 0)?;
    let (numerator, denominator) = if rate.fract() == 0.0 { (1, rate as u16) } else { (100, (100.0 * rate) as u16) };
    encoder.set_frame_delay(numerator, denominator.max(1))?;
    let mut writer = encoder.write_header()?;
    for time in moments.times() {
        writer.write_image_data(&draw(time)?)?;
    }
    Ok(writer.finish()?)
}

fn write_gif(file: &mut dyn Write, moments: Moments, rate: f64, draw: &mut Draw<'_>) -> anyhow::Result<()> {
    let mut encoder = image::codecs::gif::GifEncoder::new_with_speed(file, 10);
    encoder.set_repeat(image::codecs::gif::Repeat::Infinite)?;
    for (number, time) in moments.times().enumerate() {
        let delay = image::Delay::from_numer_denom_ms(10 * gif_delay(number, rate), 1);
        encoder.encode_frame(image::Frame::from_parts(draw(time)?, 0, 0, delay))?;
    }
    Ok(())
}

/// How long frame `number` stays, in hundredths of a second, which is all that a GIF can say.
///
/// Rounded so that the frames together keep time. Viewers slow delays under 2 down to 10.
fn gif_delay(number: usize, rate: f64) -> u32 {
    let end = |number: usize| (100.0 * number as f64 / rate).round() as u32;
    (end(number + 1) - end(number)).max(2)
}

/// Writes a file that appears whole or not at all; makes its folder.
pub(super) fn write_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let written: anyhow::Result<u64> = bindpose::write::replace(path, write);
    written.map(drop).with_context(|| format!("cannot write {}", path.display()))
}

/// A bar on a terminal, for what takes longer than a second.
struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    fn new(steps: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{bar:30} frame {pos} of {len}, {eta} left") {
            bar.set_style(style);
        }
        Self { bar, started: Instant::now() }
    }

    fn step(&self) {
        if self.bar.is_hidden() && self.started.elapsed() > Duration::from_secs(1) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(1);
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_written() {
        let numbered =
            |before: &str, digits, after: &str| Target::Numbered { before: before.into(), digits, after: after.into() };
        let cases = [
            ("a.png", Some(Target::Png)),
            ("A.PNG", Some(Target::Png)),
            ("x/a.gif", Some(Target::Gif)),
            ("a.apng", Some(Target::Apng)),
            ("frames/%04d.png", Some(numbered("frames/", 4, ".png"))),
            ("f%d.png", Some(numbered("f", 1, ".png"))),
            ("%3dx.png", Some(numbered("", 3, "x.png"))),
            ("a.jpg", None),
            ("a", None),
            ("%d.gif", None),
            ("%d%d.png", None),
            ("100%.png", None),
            ("%99999999d.png", None),
            ("%04x.png", None),
        ];
        for (name, target) in cases {
            assert_eq!(Target::of(Path::new(name)).ok(), target, "{name}");
        }
    }

    #[test]
    fn sizes_are_read() {
        assert_eq!("800x600".parse(), Ok(Size { width: 800, height: 600 }));
        assert_eq!("64".parse(), Ok(Size { width: 64, height: 64 }));
        for text in ["", "0x10", "x", "10x", "99999x1", "-3x4", "3x4x5"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }

    #[test]
    fn loops_leave_their_end_out() {
        let times = |duration, rate, with_end| -> Vec<f64> {
            Moments::every_frame(duration, rate, with_end).unwrap().times().collect()
        };
        assert_eq!(times(0.0, 24.0, false), [0.0]);
        assert_eq!(times(0.0, 24.0, true), [0.0]);
        assert_eq!(times(0.4, 10.0, true).len(), 5);
        assert_eq!(times(0.4, 10.0, false).len(), 4);
        // Not a whole number of frames: the end is no frame.
        assert_eq!(times(0.45, 10.0, false).len(), 5);
    }

    #[test]
    fn too_many_frames_are_refused_with_their_number() {
        assert_eq!(Moments::every_frame(9_999.9, 10.0, true).unwrap().count(), 100_000);
        let message = |duration, rate| Moments::every_frame(duration, rate, true).unwrap_err().to_string();
        assert!(
            message(10_000.0, 10.0).starts_with("the clip lasts 10000 s, which makes 100001 frames at 10 per second")
        );
        assert!(message(1e303, 24.0).starts_with("the clip lasts 1.0e303 s, which makes 2.4e304 frames at 24"));
        assert!(message(f64::INFINITY, 24.0).contains("inf frames"));
        assert!(Moments::every_frame(f64::NAN, 24.0, false).is_err());
    }

    #[test]
    fn gif_frames_together_keep_time() {
        for rate in [24.0, 30.0, 12.5, 25.0] {
            let frames = 3 * rate as usize;
            let total: u32 = (0..frames).map(|number| gif_delay(number, rate)).sum();
            assert!((f64::from(total) - 100.0 * frames as f64 / rate).abs() <= 1.0, "{rate}: {total}");
        }
    }
}
