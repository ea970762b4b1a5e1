//! `bindpose render`

pub mod moments;

use super::Outcome;
use super::play::RepeatArg;
use super::record::{self, Film, Format, Output};
use super::scene::{Opened, SceneArgs};
use crate::commands::output::tell;
use anyhow::{Context, bail};
use bindpose::player::{Colouring, MethodChoice, Player, playback_of};
use bindpose::render::{RenderTarget, headless};
use image::RgbaImage;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use moments::{Moments, Range, Time};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Draw a model to pictures or a film, without a window
///
/// The name says what is written: out.png one picture, out.gif, out.apng, out.mp4 and out.webm the whole clip,
/// frames/%04d.png one picture per frame of the clip, counted from 0. Needs OpenGL through EGL, but no display; .mp4
/// and .webm need ffmpeg.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    bindpose render body.md5mesh --clip walk -o walk.gif\n  \
    bindpose render body.md5mesh --clip walk --frame 7 --view side -o stride.png\n  \
    bindpose render body.md5mesh --clip walk --as ironwail -o walk.gif\n  \
    bindpose render body.x --range 12..40 --repeat ping-pong -o wave.apng\n  \
    bindpose render body.md5mesh --turntable --size 1280x720 -o body.mp4\n  \
    bindpose render body.md5mesh -o - | display\n\n\
    A pose as a mesh: bindpose convert body.md5mesh --clip walk --time 0.4 -o pose.obj")]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// What to write: a .png, .gif, .apng, .mp4 or .webm, a name with %04d for one .png per frame, or - for standard
    /// output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Kind of file, instead of what the name says; on standard output png if left out
    #[arg(long, value_name = "KIND", value_enum)]
    format: Option<Format>,
    /// Moment to show, in seconds; auto is one that shows the model well, as for a thumbnail
    #[arg(long, value_name = "SECONDS|auto", group = "moment")]
    time: Option<Time>,
    /// Frame of the clip to show, counted from 0
    #[arg(long, value_name = "N", group = "moment")]
    frame: Option<u64>,
    /// Show every frame (films and %04d do so unless a moment is given)
    #[arg(long, group = "moment")]
    all_frames: bool,
    /// Part of the clip to show, both ends included: frames (10..25) or seconds (0.4s..1s)
    #[arg(long, value_name = "A..B", group = "moment")]
    range: Option<Range>,
    /// What a film does at the clip's end
    #[arg(long, value_name = "HOW", value_enum)]
    repeat: Option<RepeatArg>,
    /// Turn the figure around once; clips go on playing, unless --time or --frame says which moment to show
    #[arg(long)]
    turntable: bool,
    /// Frames per second, if not the clip's own
    #[arg(long, value_name = "RATE")]
    fps: Option<f64>,
    /// Width and height in pixels; one number is both
    #[arg(long, value_name = "WxH", default_value = "640x640")]
    size: Size,
    /// What the colours of surfaces say: materials, batches (which triangles the method draws together), or dropped (which vertices lost
    /// influences to its limit)
    #[arg(long, value_name = "WHAT", value_parser = colouring, default_value = "materials", hide_default_value = true)]
    colours: Colouring,
    /// Print how long each part took
    #[arg(long)]
    timing: bool,
}

/// `--colours`.
fn colouring(text: &str) -> Result<Colouring, &'static str> {
    match text {
        "materials" => Ok(Colouring::Material),
        "batches" => Ok(Colouring::Batches),
        "dropped" => Ok(Colouring::Dropped),
        _ => Err("expected materials, batches or dropped"),
    }
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
    let mut timing = Timing::new(args.timing);
    let output = Output::of(&args.output, args.format)?;
    if args.fps.is_some_and(|fps| !(0.01..=1000.0).contains(&fps)) {
        bail!("--fps takes 0.01 to 1000 frames per second");
    }
    let scene = match args.scene.open()? {
        Opened::Scene(scene) => scene,
        Opened::Failed(outcome) => return Ok(outcome),
    };
    timing.part("reading files");
    let gpu = headless().context("a picture needs OpenGL; `bindpose doctor` tells more")?;
    timing.part("starting OpenGL");
    let frame = RenderTarget::new(&gpu, args.size.width, args.size.height)?;
    let mut player = args.scene.player(&gpu, &scene)?;
    player.state.colouring = args.colours;
    args.scene.tell_images(&player);
    timing.part("textures, vertices, programs");
    // A film goes on for as long as its camera does, the clip in it again and again.
    let of_film = scene.film.as_ref().map(playback_of);
    let moments = Moments::new(args, &output, of_film.as_ref().unwrap_or(&player.state.playback))?;
    let (width, height) = frame.size();
    let film =
        Film { size: (width, height), frames: moments.count, rate: moments.rate, is_endless: moments.is_endless() };
    let progress = Progress::new(film.frames.into());
    let yaw = player.state.camera.yaw;
    let mut drawing = Vec::new();
    let mut draw = |number: u32| {
        let begun = Instant::now();
        let moment = moments.at(number);
        let duration = player.state.playback.duration();
        let is_again = scene.film.is_some() && duration > 0.0;
        player.state.playback.seek(if is_again { moment.time.rem_euclid(duration) } else { moment.time });
        if let Some(film) = &scene.film {
            player.look_through(film, moment.time);
        }
        player.state.camera.yaw = yaw + (moment.turn * std::f64::consts::TAU) as f32;
        player.draw(&frame)?;
        let picture = frame.read();
        progress.step();
        drawing.push(begun.elapsed());
        Ok(picture)
    };
    record::write(&output, film, &mut draw)?;
    progress.finish();
    let frames = match film.frames {
        1 => "1 frame".to_owned(),
        many => format!("{many} frames"),
    };
    timing.frames(&drawing);
    if matches!(output, Output::File(..) | Output::Numbered { .. }) {
        let method = match (scene.engine, args.scene.method) {
            (Some(engine), _) => format!("as {}", engine.title()),
            (None, MethodChoice::Auto) if gpu.is_software() => {
                format!("{} (auto: OpenGL draws on the CPU here)", player.state.method)
            }
            (None, MethodChoice::Auto) => format!("{} (auto)", player.state.method),
            (None, MethodChoice::Only(method)) => method.to_string(),
        };
        tell!("wrote {}: {frames}, {width}x{height}, {method}", args.output.display());
    }
    Ok(Outcome::Fine)
}

/// Draws a player's present moment to a PNG file.
pub fn write_still(path: &Path, frame: &RenderTarget, player: &mut Player) -> anyhow::Result<()> {
    player.draw(frame)?;
    let picture: RgbaImage = frame.read();
    record::write_whole(path, |file| record::write_png(file, &picture))
}

/// `--timing`: what took how long.
struct Timing {
    is_wanted: bool,
    since: Instant,
}

impl Timing {
    fn new(is_wanted: bool) -> Self {
        Self { is_wanted, since: Instant::now() }
    }

    /// Tells of the part that has just ended.
    fn part(&mut self, what: &str) {
        let passed = std::mem::replace(&mut self.since, Instant::now()).elapsed();
        self.tell(what, passed);
    }

    fn tell(&self, what: &str, passed: Duration) {
        if self.is_wanted {
            tell!("{:>9.1} ms  {what}", 1e3 * passed.as_secs_f64());
        }
    }

    /// Tells of drawing and of what was left of the time since the last part: encoding that no drawing hid.
    fn frames(&mut self, drawing: &[Duration]) {
        let Some((first, others)) = drawing.split_first() else { return };
        let all: Duration = drawing.iter().sum();
        let rest = self.since.elapsed().saturating_sub(all);
        self.tell("the first frame, with what the driver compiles for it", *first);
        if !others.is_empty() {
            self.tell(&format!("{} frames more", others.len()), others.iter().sum());
        }
        self.tell("encoding and writing that drawing waited for", rest);
    }
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
    fn sizes_are_read() {
        assert_eq!("800x600".parse(), Ok(Size { width: 800, height: 600 }));
        assert_eq!("64".parse(), Ok(Size { width: 64, height: 64 }));
        for text in ["", "0x10", "x", "10x", "99999x1", "-3x4", "3x4x5"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
