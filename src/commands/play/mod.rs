//! `bindpose play`

#[cfg(feature = "window")]
mod window;

use super::load_args::locate;
use super::render::moment::MomentArgs;
use super::scene::{RepeatArg, SceneArgs};
#[cfg(feature = "window")]
use super::view::ViewArgs;
use super::{Outcome, record};
use crate::commands::output::tell;
use anyhow::Context;
use bindpose::render::{Gpu, RenderTarget, headless};
use bindpose::skin::MethodId;
#[cfg(feature = "window")]
use bindpose::vfs::{Vfs, member};
#[cfg(feature = "window")]
use bindpose::{budget::MemoryLimit, load::Subject};
use bindpose_core::write;
#[cfg(feature = "window")]
use bindpose_player::GameModels;
use bindpose_player::{Change, Player, Scene};
use std::path::{Path, PathBuf};
#[cfg(feature = "window")]
use std::sync::Arc;
#[cfg(feature = "window")]
use std::time::Duration;

/// Examples at the beginning of the help, whose end lists the window's keys.
pub const EXAMPLES: &str = "Examples:\n  \
    bindpose play body.md5mesh\n  \
    bindpose play body.md5mesh run.md5anim --speed 0.5 --range 10..20\n  \
    bindpose play walker.x --as luanti\n  \
    bindpose play body.md5mesh --attach hand_r=gun.md5mesh\n  \
    bindpose play doom3/base/pak000.pk4";

/// Play a model in a window
///
/// Shows the model with its first clip; without a display, draws one image to a file instead. `bindpose FILES` is
/// short for `bindpose play FILES`.
#[derive(Debug, clap::Args)]
#[cfg_attr(feature = "window", command(after_help = window::help()))]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Behaviour at a clip's end, whatever a .x file says (games and D3DX loop every clip)
    #[arg(long, help_heading = "Clip and time", value_name = "HOW", value_enum, default_value_t)]
    repeat: RepeatArg,
    #[command(flatten)]
    moment: MomentArgs,
    /// Speed of the clip, -4 to 4; negative plays backwards
    #[arg(long, help_heading = "Clip and time", value_name = "FACTOR", value_parser = speed, default_value = "1", allow_negative_numbers = true)]
    speed: f64,
    /// Reset the remembered settings: window size, panel, theme, recent files
    #[cfg(feature = "window")]
    #[arg(long)]
    reset_settings: bool,
    /// Print where the time until the first frame was spent
    #[cfg(feature = "window")]
    #[arg(long)]
    timing: bool,
    /// Print the state to standard error after each change; for tests
    #[cfg(feature = "window")]
    #[arg(long, hide = true)]
    trace_events: bool,
}

/// Parses the value of `--speed`.
fn speed(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|speed| (-4.0..=4.0).contains(speed)).ok_or("expected a number from -4 to 4")
}

impl Args {
    /// Creates a player for a scene read from `files`.
    fn player(&self, gpu: &Gpu, scene: Scene, methods: &[MethodId], files: &[PathBuf]) -> anyhow::Result<Player> {
        let scene_args = SceneArgs { files: files.to_vec(), ..self.scene.clone() };
        let mut player = scene_args.player(gpu, scene, methods)?;
        player.state.playback.repeat = self.repeat.into();
        scene_args.tell_images(&player);
        player.apply(&Change::LookThrough(true));
        player.apply(&Change::Speed(self.speed));
        self.moment.changes(&player.state.playback)?.iter().for_each(|change| player.apply(change));
        Ok(player)
    }

    /// Creates a player for files opened later. Options about the first files do not apply.
    #[cfg(feature = "window")]
    fn player_of(&self, gpu: &Gpu, scene: Scene, methods: &[MethodId], files: &[PathBuf]) -> anyhow::Result<Player> {
        let scene_args =
            SceneArgs { files: files.to_vec(), clip: None, view: ViewArgs::default(), ..self.scene.clone() };
        let mut player = scene_args.player(gpu, scene, methods)?;
        player.state.playback.repeat = self.repeat.into();
        player.apply(&Change::LookThrough(true));
        Ok(player)
    }

    /// Creates a player for an empty scene, shown while files cannot be read.
    #[cfg(feature = "window")]
    fn stand_in(&self, gpu: &Gpu, scene: Scene, methods: &[MethodId]) -> anyhow::Result<Player> {
        self.plain(Vec::new()).player(gpu, scene, methods)
    }

    /// Returns the arguments for one model as files describe it, skinned on the CPU.
    #[cfg(feature = "window")]
    fn plain(&self, files: Vec<PathBuf>) -> SceneArgs {
        let method = MethodId::Cpu.to_string();
        SceneArgs { copies: 1, view: ViewArgs::default(), method, files, clip: None, ..self.scene.clone() }
    }

    /// Draws a thumbnail of a model, at a third of its first clip.
    #[cfg(feature = "window")]
    fn thumbnail(
        &self,
        gpu: &Gpu,
        scene: Scene,
        methods: &[MethodId],
        file: &Path,
    ) -> anyhow::Result<image::RgbaImage> {
        let frame = RenderTarget::new(gpu, window::THUMBNAIL, window::THUMBNAIL)?;
        let scene_args = SceneArgs { no_grid: true, ..self.plain(vec![file.to_owned()]) };
        let mut player = scene_args.player(gpu, scene, methods)?;
        player.state.playback.seek(player.state.playback.duration() / 3.0);
        player.draw(&frame)?;
        Ok(frame.read())
    }
}

/// Plays until the window is closed.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let methods = args.scene.methods()?;
    let (reason, scene) = match show(args, &methods)? {
        #[cfg(feature = "window")]
        WindowOutcome::Played => return Ok(Outcome::Fine),
        #[cfg(feature = "window")]
        WindowOutcome::AtFault => return Ok(Outcome::AtFault),
        WindowOutcome::NoWindow { reason, scene } => (reason, scene),
    };
    // Windows always has a display, so the reason prevents drawing an image as well.
    anyhow::ensure!(!cfg!(windows), "no window: {reason}");
    let scene = match scene {
        Some(scene) => Some(scene),
        None => args.scene.open()?.map(Box::new),
    };
    let Some(scene) = scene else { return Ok(Outcome::AtFault) };
    draw_instead(*scene, args, &methods, &reason)
}

/// Outcome of opening a window.
enum WindowOutcome {
    /// The window was opened and closed.
    #[cfg(feature = "window")]
    Played,
    /// A file is at fault; the error was printed.
    #[cfg(feature = "window")]
    AtFault,
    /// No window could be opened.
    NoWindow {
        reason: String,
        /// The scene, if it was read.
        scene: Option<Box<Scene>>,
    },
}

/// Time for reading files before the window opens, so that errors appear before it.
#[cfg(feature = "window")]
const READ_FIRST: Duration = Duration::from_millis(200);

#[cfg(feature = "window")]
fn show(args: &Args, methods: &[MethodId]) -> anyhow::Result<WindowOutcome> {
    if let Err(reason) = window::has_display() {
        return Ok(WindowOutcome::NoWindow { reason, scene: None });
    }
    let options = args.scene.load_options()?;
    let game = options.game_files();
    let in_game = match &args.scene.files[..] {
        [file] => first_in_game(file, options.memory)?,
        _ => None,
    };
    let jobs = window::Jobs::new(args.scene.images.wanted(args.scene.load.skin.clone())?, options);
    let mut times = window::StartupTimes::default();
    let (files, folder) = match &args.scene.files[..] {
        [file] if in_game.is_some() => {
            (Vec::new(), Some(if file.is_dir() { file.clone() } else { member::folder_of(file) }))
        }
        [folder] if folder.is_dir() => {
            std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
            let first = window::models_in(folder).into_iter().next();
            (vec![first.unwrap_or_else(|| folder.clone())], Some(folder.clone()))
        }
        files => (locate(files, game.as_deref()), None),
    };
    let load = &args.scene.load;
    let (game_of_subject, first) = in_game.unzip();
    let (subject, skin) = (load.subject().or(first), load.skin.clone());
    let attachments = args.scene.attachments(game.as_deref());
    let request = window::OpenRequest { files, subject, skin, attachments, ..window::OpenRequest::default() };
    let mut loading = window::Loading::default();
    let number = loading.begin(window::Purpose::Open, request.name());
    let engine = args.scene.engine.engine;
    let options = window::ReadOptions { ticks_per_second: args.scene.ticks_per_second, engine, game: game_of_subject };
    jobs.read(number, window::Purpose::Open, request.clone(), options, Vec::new());
    let mut failure = None;
    let scene = match jobs.wait(READ_FIRST) {
        Some(window::JobResult::Read { number, scene, notes, .. }) => match *scene {
            Ok(scene) => {
                loading.finish(number);
                notes.iter().for_each(|note| tell!("note: {note}"));
                super::scene::tell(&scene, args.scene.verbose);
                Some(scene)
            }
            Err(error) => {
                loading.finish(number);
                failure = Some(window::failure(&error));
                super::load_failed(error)?;
                Some(Scene::empty(&request.name(), request.files.clone()))
            }
        },
        _ => None,
    };
    if let Some(scene) = scene.as_ref().filter(|_| failure.is_none()) {
        args.scene.choose_clip(scene)?;
    }
    times.mark("reading");
    window::show(window::Startup { request, scene, failure, loading, folder, times }, jobs, args, methods)
}

/// Returns the game of an archive or a folder, and its first entity or model, beside which the window lists the others.
/// `None` for another file or folder.
#[cfg(feature = "window")]
fn first_in_game(path: &Path, memory: MemoryLimit) -> anyhow::Result<Option<(Arc<Vfs>, Subject)>> {
    let Some(game) = window::game_in(path).map_err(anyhow::Error::msg)? else { return Ok(None) };
    let game = Arc::new(game);
    let first = GameModels::or_meshes(Arc::clone(&game), memory).models.into_iter().next();
    let (subject, _) = first.with_context(|| format!("{} has no MD5 model", path.display()))?;
    Ok(Some((game, subject)))
}

#[cfg(not(feature = "window"))]
fn show(_: &Args, _: &[MethodId]) -> anyhow::Result<WindowOutcome> {
    Ok(WindowOutcome::NoWindow { reason: "this bindpose was built without the feature 'window'".into(), scene: None })
}

/// Draws one image at a third of the clip to a file.
fn draw_instead(scene: Scene, args: &Args, methods: &[MethodId], reason: &str) -> anyhow::Result<Outcome> {
    tell!("no window: {reason}");
    let gpu = headless().context("OpenGL without a window failed as well; `bindpose doctor` shows why")?;
    let frame = RenderTarget::new(&gpu, 800, 800)?;
    let mut player = args.player(&gpu, scene, methods, &args.scene.files)?;
    if !player.state.playback.paused {
        player.state.playback.seek(player.state.playback.duration() / 3.0);
    }
    let name = match player.current_clip() {
        Some(clip) => format!("{}-{}.png", player.model().name, clip.name),
        None => format!("{}.png", player.model().name),
    };
    let path = write::free_path(&folder_of_image().join(file_name(&name)));
    player.draw(&frame)?;
    record::write_still(&path, &frame.read())?;
    tell!("drew {} instead; `bindpose render` draws other times, images and animations", path.display());
    tell!("for a window, run on a desktop (with DISPLAY or WAYLAND_DISPLAY set), or under xvfb-run");
    Ok(Outcome::of(player.left_out()))
}

/// Returns the current folder, or the program's own folder if it is below, as with `cargo run`, so that the image is not
/// among the sources.
fn folder_of_image() -> PathBuf {
    let (program, current) = (std::env::current_exe(), std::env::current_dir());
    let below = program.ok().zip(current.ok()).and_then(|(program, current)| {
        program.strip_prefix(current).ok().and_then(Path::parent).map(Path::to_path_buf)
    });
    below.unwrap_or_default()
}

/// Makes a file name without separators and other special characters.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '_' }).collect()
}
