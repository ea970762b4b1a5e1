//! `bindpose play`

#[cfg(feature = "window")]
mod keys;
#[cfg(feature = "window")]
mod window;

use super::Outcome;
use super::render::write_still;
use super::scene::{Opened, SceneArgs};
use crate::commands::output::tell;
use anyhow::Context;
use bindpose::play::Repeat;
use bindpose::player::{Player, Scene};
use bindpose::render::{Gpu, RenderTarget, headless};
use std::path::PathBuf;

/// Play a model in a window
///
/// Shows the model with its first clip; without a display, draws one picture to a file instead. `bindpose FILES` is
/// short for `bindpose play FILES`.
#[derive(Debug, clap::Args)]
#[cfg_attr(feature = "window", command(after_help = keys::help()))]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// What happens at a clip's end, whatever a .x file says of it (games and D3DX loop every clip)
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    repeat: RepeatArg,
}

/// `--repeat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum RepeatArg {
    /// It starts again.
    #[default]
    Loop,
    /// It stays at its end.
    Once,
    /// It runs back, and so on.
    PingPong,
}

impl From<RepeatArg> for Repeat {
    fn from(arg: RepeatArg) -> Self {
        match arg {
            RepeatArg::Loop => Self::Loop,
            RepeatArg::Once => Self::Clamp,
            RepeatArg::PingPong => Self::PingPong,
        }
    }
}

impl Args {
    fn player(&self, gpu: &Gpu, scene: &Scene) -> anyhow::Result<Player> {
        let mut player = self.scene.player(gpu, scene)?;
        player.playback.repeat = self.repeat.into();
        Ok(player)
    }
}

/// Plays until the window is closed.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let scene = match args.scene.open()? {
        Opened::Scene(scene) => scene,
        Opened::Failed(outcome) => return Ok(outcome),
    };
    // A name that no clip has should not open a window first.
    args.scene.choose_clip(&scene.model)?;
    match show(&scene, args)? {
        #[cfg(feature = "window")]
        Shown::Played => Ok(Outcome::Fine),
        Shown::NoWindow(reason) => draw_instead(&scene, args, &reason),
    }
}

/// What became of the wish for a window.
enum Shown {
    /// It was opened and closed again.
    #[cfg(feature = "window")]
    Played,
    /// There is none, for this reason.
    NoWindow(String),
}

#[cfg(feature = "window")]
fn show(scene: &Scene, args: &Args) -> anyhow::Result<Shown> {
    window::show(scene, args)
}

#[cfg(not(feature = "window"))]
fn show(_: &Scene, _: &Args) -> anyhow::Result<Shown> {
    Ok(Shown::NoWindow("this bindpose was built without the feature 'window'".into()))
}

/// Without a window: one picture, a third into the clip, to a file of the current folder.
fn draw_instead(scene: &Scene, args: &Args, reason: &str) -> anyhow::Result<Outcome> {
    tell!("no window: {reason}");
    let gpu = headless().context("there is no OpenGL without a window either; `bindpose doctor` tells more")?;
    let frame = RenderTarget::new(&gpu, 800, 800)?;
    let mut player = args.player(&gpu, scene)?;
    player.playback.seek(player.playback.duration() / 3.0);
    let name = match player.current_clip() {
        Some(clip) => format!("{}-{}.png", scene.model.name, clip.name),
        None => format!("{}.png", scene.model.name),
    };
    let path = PathBuf::from(file_name(&name));
    write_still(&path, &frame, &mut player)?;
    tell!("drew {} instead; `bindpose render` draws other moments, pictures and animations", path.display());
    tell!("for a window, run on a desktop (with DISPLAY or WAYLAND_DISPLAY set), or under xvfb-run");
    Ok(Outcome::Fine)
}

/// A name without anything that leads out of the folder.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' }).collect()
}
