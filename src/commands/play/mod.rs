//! `bindpose play`

#[cfg(feature = "window")]
mod window;

use super::Outcome;
use super::record;
use super::scene::{Opened, RepeatArg, SceneArgs};
#[cfg(feature = "window")]
use super::view::ViewArgs;
use crate::commands::output::tell;
use anyhow::Context;
#[cfg(feature = "window")]
use bindpose::load::Format;
#[cfg(feature = "window")]
use bindpose::player::MethodChoice;
use bindpose::player::{Action, Player, Scene};
use bindpose::render::{Gpu, RenderTarget, headless};
#[cfg(feature = "window")]
use bindpose::skin::MethodId;
#[cfg(feature = "window")]
use std::path::Path;
use std::path::PathBuf;
#[cfg(feature = "window")]
use std::time::Duration;

/// Play a model in a window
///
/// Shows the model with its first clip; without a display, draws one picture to a file instead. `bindpose FILES` is
/// short for `bindpose play FILES`.
#[derive(Debug, clap::Args)]
#[cfg_attr(feature = "window", command(after_help = window::help()))]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// What happens at a clip's end, whatever a .x file says of it (games and D3DX loop every clip)
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    repeat: RepeatArg,
    /// Forget the settings of earlier runs: window size, panel, colours, files that were shown
    #[cfg(feature = "window")]
    #[arg(long)]
    reset_settings: bool,
    /// Tell how the time until the first picture was spent
    #[cfg(feature = "window")]
    #[arg(long)]
    timing: bool,
    /// Tell on standard error what is shown whenever it changes; for tests
    #[cfg(feature = "window")]
    #[arg(long, hide = true)]
    trace_events: bool,
}

impl Args {
    /// The player of a scene that was read from `files`.
    fn player(&self, gpu: &Gpu, scene: &Scene, files: &[PathBuf]) -> anyhow::Result<Player> {
        let scene_args = SceneArgs { files: files.to_vec(), ..self.scene.clone() };
        let mut player = scene_args.player(gpu, scene)?;
        player.state.playback.repeat = self.repeat.into();
        scene_args.tell_images(&player);
        player.apply(&Action::LookThrough(true));
        Ok(player)
    }

    /// As [`Args::player`], of files that were opened later: nothing that was said of the first ones holds.
    #[cfg(feature = "window")]
    fn player_of(&self, gpu: &Gpu, scene: &Scene, files: &[PathBuf]) -> anyhow::Result<Player> {
        let scene_args =
            SceneArgs { files: files.to_vec(), clip: None, view: ViewArgs::default(), ..self.scene.clone() };
        let mut player = scene_args.player(gpu, scene)?;
        player.state.playback.repeat = self.repeat.into();
        player.apply(&Action::LookThrough(true));
        Ok(player)
    }

    /// A small picture of a model, a third into its first clip.
    #[cfg(feature = "window")]
    fn thumbnail(&self, gpu: &Gpu, scene: &Scene, file: &Path) -> anyhow::Result<image::RgbaImage> {
        let frame = RenderTarget::new(gpu, window::THUMBNAIL, window::THUMBNAIL)?;
        let files = [file.to_owned()];
        let scene_args = SceneArgs {
            copies: 1,
            view: ViewArgs::default(),
            no_grid: true,
            method: MethodChoice::Only(MethodId::Cpu),
            files: files.to_vec(),
            clip: None,
            ..self.scene.clone()
        };
        let mut player = scene_args.player(gpu, scene)?;
        player.state.playback.seek(player.state.playback.duration() / 3.0);
        player.draw(&frame)?;
        Ok(frame.read())
    }
}

/// Plays until the window is closed.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.scene.refuses()? {
        return Ok(Outcome::AtFault);
    }
    let (reason, scene) = match show(args)? {
        #[cfg(feature = "window")]
        Shown::Played => return Ok(Outcome::Fine),
        #[cfg(feature = "window")]
        Shown::AtFault => return Ok(Outcome::AtFault),
        Shown::NoWindow { reason, scene } => (reason, scene),
    };
    let scene = match scene {
        Some(scene) => scene,
        None => match args.scene.open()? {
            Opened::Scene(scene) => scene,
            Opened::Failed(outcome) => return Ok(outcome),
        },
    };
    draw_instead(&scene, args, &reason)
}

/// What became of the wish for a window.
enum Shown {
    /// It was opened and closed again.
    #[cfg(feature = "window")]
    Played,
    /// A file is at fault, which has been told.
    #[cfg(feature = "window")]
    AtFault,
    /// There is none.
    NoWindow {
        /// Why.
        reason: String,
        /// What would have been shown, if it was read.
        scene: Option<Box<Scene>>,
    },
}

/// How long files are read before a window opens that says so: what is wrong with a command or a file should be told first.
#[cfg(feature = "window")]
const READ_FIRST: Duration = Duration::from_millis(200);

#[cfg(feature = "window")]
fn show(args: &Args) -> anyhow::Result<Shown> {
    if let Err(reason) = window::has_display() {
        return Ok(Shown::NoWindow { reason, scene: None });
    }
    let jobs = window::Jobs::new(args.scene.images.wanted()?);
    let mut times = window::Times::default();
    let (files, folder) = match &args.scene.files[..] {
        [folder] if folder.is_dir() => (first_model(folder), Some(folder.clone())),
        files => (super::locate(files)?, None),
    };
    let (subject, skin) = super::subject();
    let asked = window::Asked { files, subject, skin, ..window::Asked::default() };
    let mut loading = window::Loading::default();
    let number = loading.begin(window::Purpose::Open, asked.name());
    let engine = super::engine::chosen();
    let how = window::How { ticks_per_second: args.scene.ticks_per_second, engine, is_judged: true };
    jobs.read(number, window::Purpose::Open, asked.clone(), how, Vec::new());
    let scene = match jobs.wait(READ_FIRST) {
        Some(window::Done::Read { number, scene, .. }) => match *scene {
            Ok(read) => {
                loading.finish(number);
                read.tell(args.scene.verbose);
                Some(read.scene)
            }
            Err(error) => return super::scene::tell_failure(error).map(|()| Shown::AtFault),
        },
        _ => None,
    };
    if let Some(scene) = &scene {
        args.scene.choose_clip(&scene.model)?;
    }
    times.mark("reading");
    window::show(window::First { asked, scene, loading, folder, times }, jobs, args)
}

/// The first model of a folder by name, to have something to look at while others are chosen.
#[cfg(feature = "window")]
fn first_model(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_model = |path: &PathBuf| Format::of_path(path).is_some_and(Format::is_model) && path.is_file();
    files.filter(is_model).min().into_iter().collect()
}

#[cfg(not(feature = "window"))]
fn show(_: &Args) -> anyhow::Result<Shown> {
    Ok(Shown::NoWindow { reason: "this bindpose was built without the feature 'window'".into(), scene: None })
}

/// Without a window: one picture, a third into the clip, to a file of the current folder.
fn draw_instead(scene: &Scene, args: &Args, reason: &str) -> anyhow::Result<Outcome> {
    tell!("no window: {reason}");
    let gpu = headless().context("there is no OpenGL without a window either; `bindpose doctor` tells more")?;
    let frame = RenderTarget::new(&gpu, 800, 800)?;
    let mut player = args.player(&gpu, scene, &args.scene.files)?;
    player.state.playback.seek(player.state.playback.duration() / 3.0);
    let name = match player.current_clip() {
        Some(clip) => format!("{}-{}.png", scene.model.name, clip.name),
        None => format!("{}.png", scene.model.name),
    };
    let path = PathBuf::from(file_name(&name));
    player.draw(&frame)?;
    record::write_still(&path, &frame.read())?;
    tell!("drew {} instead; `bindpose render` draws other moments, pictures and animations", path.display());
    tell!("for a window, run on a desktop (with DISPLAY or WAYLAND_DISPLAY set), or under xvfb-run");
    Ok(Outcome::Fine)
}

/// A name without anything that leads out of the folder.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' }).collect()
}
