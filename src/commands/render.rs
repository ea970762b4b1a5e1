//! `bindpose render`

pub mod moment;
mod reference;

use super::Outcome;
use super::record::{self, MediaFormat, MediaOutput, Quality};
use super::scene::{RepeatArg, SceneArgs};
use super::turns::PoseArg;
use crate::commands::output::{self, tell};
use anyhow::{Context, bail};
use bindpose::glam::DQuat;
use bindpose::model::JointId;
use bindpose::render::{Gpu, RenderTarget, headless};
use bindpose::skin::MethodId;
use bindpose_parsers::counted;
use bindpose_player::{Change, Colouring, MethodChoice, playback_of};
use moment::MomentArgs;
use reference::ReferenceArgs;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

/// Draw a model to images or an animation, without a window
///
/// The file name selects the format: out.png is one image, out.gif, out.apng, out.mp4 and out.webm show the whole clip,
/// and frames/%04d.png writes one image per frame of the clip, counted from 0. Needs OpenGL through EGL, but no
/// display; .mp4 and .webm need ffmpeg.
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
    /// Output file: .png, .gif, .apng, .mp4 or .webm, a name with %04d for one .png per frame, or - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Output format, if the file name does not give it [default on standard output: png]
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<MediaFormat>,
    #[command(flatten)]
    moment: MomentArgs,
    /// Playback at the clip's end
    #[arg(long, help_heading = "Clip and time", value_name = "HOW", value_enum)]
    repeat: Option<RepeatArg>,
    /// Turn the model around once while clips play on, or at one time with --time or --frame
    #[arg(long, help_heading = "Clip and time")]
    turntable: bool,
    /// Frames per second [default: the clip's]
    #[arg(long, help_heading = "Clip and time", value_name = "RATE")]
    fps: Option<f64>,
    /// Width and height in pixels; one number is both
    #[arg(long, value_name = "WxH", default_value = "640x640")]
    size: Size,
    /// Turn of a joint about one of its own axes (x, -x, y, -y, z or -z), from the pose of the clip; repeatable
    #[arg(long = "pose", help_heading = "Clip and time", value_name = "JOINT=AXIS,DEGREES")]
    poses: Vec<PoseArg>,
    /// Colours of surfaces: materials, batches (triangles that the method draws together), dropped (vertices that lost
    /// influences to the method's limit), matrices (triangles with more joints than fixed function has matrices: yellow
    /// more than two, red more than four), weights=JOINT, or support=JOINT (vertices that a joint's examples correct)
    #[arg(long, help_heading = "Look", value_name = "WHAT", default_value = "materials", hide_default_value = true)]
    colours: ColoursArg,
    #[command(flatten)]
    reference: ReferenceArgs,
}

/// Value of `--colours`.
#[derive(Debug, Clone)]
struct ColoursArg {
    colouring: Colouring,
    joint: Option<String>,
}

impl FromStr for ColoursArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (what, joint) = text.split_once('=').map_or((text, None), |(what, joint)| (what, Some(joint.to_owned())));
        let colouring = match (what, &joint) {
            ("materials", None) => Colouring::Material,
            ("batches", None) => Colouring::Batches,
            ("dropped", None) => Colouring::Dropped,
            ("matrices", None) => Colouring::Matrices,
            ("weights", Some(_)) => Colouring::Weights,
            ("support", Some(_)) => Colouring::Support,
            _ => return Err("expected materials, batches, dropped, matrices, weights=JOINT or support=JOINT"),
        };
        Ok(Self { colouring, joint })
    }
}

/// Value of `--size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

impl Size {
    /// Returns width and height in pixels.
    pub fn pixels(self) -> (u32, u32) {
        (self.width, self.height)
    }
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

/// Draws frames and writes them.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let output = MediaOutput::of(&args.output, args.format)?;
    if args.fps.is_some_and(|fps| !(0.01..=1000.0).contains(&fps)) {
        bail!("--fps takes 0.01 to 1000 frames per second");
    }
    let methods = args.scene.methods()?;
    let reference = args.reference.read(args.size.pixels(), &output, args.scene.load.limit())?;
    let Some(scene) = args.scene.open()? else { return Ok(Outcome::AtFault) };
    let gpu = headless().context("rendering needs OpenGL; `bindpose doctor` explains what is missing")?;
    let samples = args.scene.samples.unwrap_or(gpu.samples(false));
    let target = RenderTarget::with_samples(&gpu, args.size.width, args.size.height, samples)?;
    let mut player = args.scene.player(&gpu, scene, &methods)?;
    player.state.colouring = args.colours.colouring;
    player.state.marks_selection = false;
    let joint = args.colours.joint.as_deref().map(|name| player.model().skeleton.named(name));
    player.state.joint = joint.transpose().context("--colours")?;
    let mut turns: BTreeMap<JointId, DQuat> = BTreeMap::new();
    for pose in &args.poses {
        let turn = pose.turn(player.model()).context("--pose")?;
        let before = turns.entry(turn.joint).or_default();
        *before *= DQuat::from_axis_angle(turn.axis, turn.degrees.to_radians());
    }
    turns.into_iter().for_each(|(joint, turn)| player.apply(&Change::Turn(joint, turn)));
    args.scene.tell_images(&player);
    // With a camera path, the animation is as long as the path, and the clip repeats.
    let camera_path = player.scene().loaded.camera.as_ref().map(playback_of);
    let times = moment::times(args, &output, camera_path.as_ref().unwrap_or(&player.state.playback))?;
    let animation = times.animation(target.size(), Quality::High);
    let progress = output::progress(animation.frames as usize, "frames");
    let yaw = player.state.camera.yaw;
    let mut compared = None;
    let mut draw = |number: u32| {
        let frame = times.at(number);
        let duration = player.state.playback.duration();
        let repeats = camera_path.is_some() && duration > 0.0;
        player.state.playback.seek(if repeats { frame.time.rem_euclid(duration) } else { frame.time });
        player.look_through(frame.time);
        player.state.camera.yaw = yaw + (frame.turn * std::f64::consts::TAU) as f32;
        player.draw(&target)?;
        let image = target.read();
        compared = reference.as_ref().map(|_| image.clone());
        progress.inc(1);
        Ok(image)
    };
    record::write(&output, animation, &mut draw)?;
    progress.finish_and_clear();
    if matches!(output, MediaOutput::File(..) | MediaOutput::Numbered { .. }) {
        let frames = counted(animation.frames as usize, "frame", "frames");
        let (width, height) = animation.size;
        let method = match player.engine() {
            Some(engine) => format!("as {}", engine.title()),
            None => method_text(args.scene.method_choice(&methods)?, player.state.method, &gpu),
        };
        tell!("wrote {}: {frames}, {width}x{height}, {method}", args.output.display());
    }
    let outcome = Outcome::of(player.left_out());
    match reference.zip(compared) {
        Some((reference, image)) => Ok(outcome.max(reference.compare(&image)?)),
        None => Ok(outcome),
    }
}

fn method_text(choice: MethodChoice, method: MethodId, gpu: &Gpu) -> String {
    match choice {
        MethodChoice::Auto if gpu.is_software() => format!("{method} (auto: OpenGL draws on the CPU here)"),
        MethodChoice::Auto => format!("{method} (auto)"),
        MethodChoice::Only(method) => method.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed() {
        assert_eq!("800x600".parse(), Ok(Size { width: 800, height: 600 }));
        assert_eq!("64".parse(), Ok(Size { width: 64, height: 64 }));
        for text in ["", "0x10", "x", "10x", "99999x1", "-3x4", "3x4x5"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
