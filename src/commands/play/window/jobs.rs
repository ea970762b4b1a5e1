//! Background jobs: reading and validating files, and recording. Each has its own thread. Results wake the window.

use super::findings_report::FindingsReport;
use super::folder::{self, FolderList};
use super::open_request::OpenRequest;
use super::request::Pick;
use crate::commands::record::{self, Animation, MediaFormat, MediaOutput};
use crate::commands::scene::SceneArgs;
use crate::commands::{convert, engine};
use anyhow::{Context, anyhow};
use bindpose::budget::MemoryLimit;
use bindpose::convert::Helpers;
use bindpose::engines::Engine;
use bindpose::image_search::{ChosenImage, EXTENSIONS, ImageChoices};
use bindpose::import::{IMPORTERS, by_extension, md5};
use bindpose::load::{self, LoadError, LoadOptions, Loaded};
use bindpose::model::Model;
use bindpose::skin::MethodId;
use bindpose::vfs::{Vfs, member};
use bindpose_compare::helpers::{HelperReport, half_a_turn};
use bindpose_player::{Attachment, GameModels, Scene};
use image::RgbaImage;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant};
use std::{iter, slice};

/// Wakes the window for a [`JobResult`].
#[derive(Debug, Clone, Copy)]
pub struct Wake;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Replaces the current model.
    Open,
    /// Opens a model in the right half.
    Beside,
    /// Reads the current files again.
    Reload,
    /// Reads the current files with additions.
    Add,
    /// Opens dropped files: a model that replaces the current one, or clips for it.
    Dropped,
    /// Plays the current files as an engine does, or unchanged.
    PlayAs,
    /// Reads the current files with other attached models.
    Attach,
    /// Opens an archive or a folder as a game, whose models are listed.
    Game,
}

#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Ticks per second that replace those of `.x` files.
    pub ticks_per_second: Option<f64>,
    pub engine: Option<&'static Engine>,
    /// Game of an entity or a model that is opened by its name.
    pub game: Option<Arc<Vfs>>,
}

pub enum JobResult {
    Read {
        number: u64,
        purpose: Purpose,
        request: OpenRequest,
        scene: Box<Result<Scene, LoadError>>,
        /// Notes on parts that the engine ignores.
        notes: Vec<String>,
    },
    /// Files with helper joints were read. The number identifies the read.
    Helped(u64, anyhow::Result<Box<Helped>>),
    Thumbnail(PathBuf, Box<Result<Scene, LoadError>>),
    /// A file next to the current ones was created, changed or removed.
    Changed(PathBuf),
    /// Models of a game, and the number of the list.
    Listed(u64, GameModels),
    /// An archive or a folder was opened as a game, or is none. The number identifies the read.
    Game(u64, PathBuf, Result<Option<Vfs>, String>),
    /// A folder was listed.
    Folder(FolderList),
    /// The system's file dialog was closed. The duration is the time it was open.
    Picked(Pick, Vec<PathBuf>, Duration),
    /// The recording of a thread ended.
    Recorded(ThreadId, PathBuf, anyhow::Result<()>),
    /// A conversion ended: its report, or the reason why there is none.
    Converted(Box<anyhow::Result<convert::FormReport>>),
    /// Files were validated. The number identifies the check.
    Checked(u64, Box<FindingsReport>),
}

/// A model with helper joints.
pub struct Helped {
    pub scene: Scene,
    pub report: HelperReport,
    pub notes: Vec<String>,
}

pub struct Jobs {
    /// Options of the command line, which apply to everything that is loaded.
    options: LoadOptions,
    /// Images that replace those named by the files.
    images: ImageChoices,
    sender: Sender<JobResult>,
    receiver: Receiver<JobResult>,
    bell: Bell,
}

/// Wakes the window. It is shared with threads that started before the window existed.
#[derive(Clone, Default)]
struct Bell(Arc<Mutex<Option<Wakes>>>);

type Wakes = Box<dyn Fn() + Send>;

impl Bell {
    fn ring(&self) {
        if let Some(wake) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            wake();
        }
    }
}

impl Jobs {
    pub fn new(images: ImageChoices, options: LoadOptions) -> Self {
        let (sender, receiver) = channel();
        Self { options, images, sender, receiver, bell: Bell::default() }
    }

    /// Sets the function that wakes the window. Earlier results wait until they are fetched.
    pub fn wakes(&self, wake: impl Fn() + Send + 'static) {
        *self.bell.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(wake));
    }

    pub fn done(&self) -> Option<JobResult> {
        self.receiver.try_recv().ok()
    }

    pub fn wait(&self, most: Duration) -> Option<JobResult> {
        self.receiver.recv_timeout(most).ok()
    }

    /// Returns a function that reports changed files.
    pub fn reporter(&self) -> impl Fn(PathBuf) + Send + 'static {
        let (sender, bell) = (self.sender.clone(), self.bell.clone());
        move |path| {
            // The window may already be closed.
            let _ = sender.send(JobResult::Changed(path));
            bell.ring();
        }
    }

    /// Reads files or a game's model. For a reload, `shown` are the files of the current model.
    pub fn read(&self, number: u64, purpose: Purpose, request: OpenRequest, options: ReadOptions, shown: Vec<PathBuf>) {
        let (images, load) = (self.images.clone(), self.options.clone());
        self.spawn(move || {
            let (memory, mut notes) = (load.memory, Vec::new());
            let scene = read(&request, options.clone(), &images, load).and_then(|mut scene| {
                if let Some(broken) = broken_clip(&scene, &shown, memory) {
                    return Err(broken);
                }
                let attached = scene.attached.iter_mut().zip(&request.attachments);
                let attached =
                    attached.map(|(it, Attachment { file, .. })| (&mut it.scene.loaded, slice::from_ref(file)));
                for (Loaded { sources, .. }, files) in iter::once((&mut scene.loaded, &*request.files)).chain(attached)
                {
                    let judged = options.engine.map(|engine| engine::judge(engine, sources, files, memory));
                    let (refusal, of_clips) = judged.unwrap_or_default();
                    notes.extend(of_clips);
                    if let Some(refusal) = refusal {
                        return Err(LoadError::File { sources: std::mem::take(sources), diagnostics: vec![refusal] });
                    }
                }
                Ok(scene)
            });
            JobResult::Read { number, purpose, request, scene: Box::new(scene), notes }
        });
    }

    /// Reads files, adds helpers, and measures the thickness that these keep in a twist.
    pub fn read_helped(&self, number: u64, request: OpenRequest, options: ReadOptions, helpers: Helpers) {
        let (images, load) = (self.images.clone(), self.options.clone());
        self.spawn(move || {
            let read = read(&request, options, &images, load).map_err(Into::into);
            JobResult::Helped(number, read.and_then(|scene| with_helpers(scene, &helpers)).map(Box::new))
        });
    }

    pub fn thumbnail(&self, model: PathBuf) {
        let (images, load) = (self.images.clone(), self.options.clone());
        self.spawn(move || {
            let scene = Box::new(read(&vec![model.clone()].into(), ReadOptions::default(), &images, load));
            JobResult::Thumbnail(model, scene)
        });
    }

    /// Adds an image that replaces one of the files' images.
    pub fn choose_image(&mut self, chosen: ChosenImage) {
        self.images.choose(chosen);
    }

    /// Opens the system's file dialog at a folder.
    pub fn pick(&self, pick: Pick, folder: PathBuf) {
        self.spawn(move || {
            let (since, dialog) = (Instant::now(), rfd::FileDialog::new().set_directory(folder));
            let models = IMPORTERS.iter().flat_map(|row| row.extensions).chain(&member::EXTENSIONS);
            let models: Vec<&str> = models.copied().collect();
            let one = |path: Option<PathBuf>| path.into_iter().collect();
            let picked = match pick {
                Pick::Open => {
                    dialog.add_filter("models, clips, cameras, games", &models).pick_files().unwrap_or_default()
                }
                Pick::Image(_) => one(dialog.add_filter("images", &EXTENSIONS).pick_file()),
                Pick::Folder => one(dialog.pick_folder()),
            };
            JobResult::Picked(pick, picked, since.elapsed())
        });
    }

    /// Converts the files of `arguments`, read with the options of `like`.
    pub fn convert(&self, arguments: Vec<OsString>, like: SceneArgs) {
        self.spawn(move || JobResult::Converted(Box::new(convert::described(arguments, like))));
    }

    pub fn check(&self, number: u64, files: Vec<PathBuf>) {
        let memory = self.options.memory;
        self.spawn(move || JobResult::Checked(number, Box::new(FindingsReport::of(files, memory))));
    }

    pub fn list(&self, number: u64, game: Arc<Vfs>) {
        let memory = self.options.memory;
        self.spawn(move || JobResult::Listed(number, GameModels::or_meshes(game, memory)));
    }

    /// Opens an archive or a folder as a game.
    pub fn open_game(&self, number: u64, path: PathBuf) {
        self.spawn(move || {
            let game = folder::game(&path);
            JobResult::Game(number, path, game)
        });
    }

    pub fn list_folder(&self, folder: PathBuf) {
        self.spawn(move || JobResult::Folder(FolderList::read(&folder)));
    }

    /// Encodes and writes a video. Frames are requested by number and received. For PNG, it creates a folder with a
    /// file per frame. A recording that is stopped leaves no file.
    pub fn record(
        &self,
        path: PathBuf,
        format: MediaFormat,
        animation: Animation,
    ) -> (JoinHandle<()>, Receiver<u32>, SyncSender<RgbaImage>) {
        let (numbers, wanted) = sync_channel(1);
        let (frames, drawn) = sync_channel(1);
        let bell = self.bell.clone();
        let thread = self.spawn(move || {
            let mut draw = |number| {
                let stopped = || anyhow!("the recording was stopped");
                numbers.send(number).map_err(|_| stopped())?;
                bell.ring();
                drawn.recv().map_err(|_| stopped())
            };
            let written = match format {
                MediaFormat::Png => in_folder(&path, |output| record::write(output, animation, &mut draw)),
                _ => record::write(&MediaOutput::File(path.clone(), format), animation, &mut draw),
            };
            JobResult::Recorded(std::thread::current().id(), path, written)
        });
        (thread, wanted, frames)
    }

    fn spawn(&self, work: impl FnOnce() -> JobResult + Send + 'static) -> JoinHandle<()> {
        let (sender, bell) = (self.sender.clone(), self.bell.clone());
        std::thread::spawn(move || {
            // The window may already be closed.
            let _ = sender.send(work());
            bell.ring();
        })
    }
}

/// Adds helpers to a scene, and measures the thickness that they keep in a twist by up to half a turn.
fn with_helpers(mut scene: Scene, helpers: &Helpers) -> anyhow::Result<Helped> {
    let mut model = Model::clone(&scene.loaded.model);
    let joint = model.skeleton.named(&helpers.joint)?;
    let plan = half_a_turn(&mut model, joint).context("the joint has no bone to twist")?;
    let (mut helped, mut notes) = (model.clone(), Vec::new());
    helpers.add_to(&mut helped, &mut notes)?;
    let methods: Vec<MethodId> = MethodId::all().collect();
    let report = HelperReport::new([&model, &helped], &plan, &methods, helpers.to_string());
    let report = report.context("no vertex is blended between the joint and its parent")?;
    // The measured twist is no clip of the files.
    helped.clips.pop();
    helped.name = format!("{} with {helpers}", model.name);
    scene.loaded.model = Arc::new(helped);
    Ok(Helped { scene, report, notes })
}

/// Creates a folder for numbered images. It is removed if writing fails.
fn in_folder(path: &Path, write: impl FnOnce(&MediaOutput) -> anyhow::Result<()>) -> anyhow::Result<()> {
    std::fs::create_dir(path).with_context(|| format!("cannot create the folder {}", path.display()))?;
    let before = path.join("").to_string_lossy().into_owned();
    let written = write(&MediaOutput::Numbered { before, digits: 4, after: ".png".into() });
    if written.is_err() {
        // The write error is the one to report.
        let _ = std::fs::remove_dir_all(path);
    }
    written
}

/// Returns the error of a broken file whose clip was shown. A clip that only no longer fits the mesh is dropped.
fn broken_clip(scene: &Scene, shown: &[PathBuf], memory: MemoryLimit) -> Option<LoadError> {
    let is_lost = |file: &&PathBuf| {
        let is_read = scene.loaded.files().any(|path| path == **file);
        by_extension(file) == Some(&md5::ANIM_FILE) && file.is_file() && !is_read
    };
    let options = LoadOptions { memory, ..LoadOptions::default() };
    let why_not = |file: &PathBuf| load::load(std::slice::from_ref(file), &options).err();
    shown.iter().filter(is_lost).find_map(why_not)
}

fn read(
    request: &OpenRequest,
    options: ReadOptions,
    images: &ImageChoices,
    mut load: LoadOptions,
) -> Result<Scene, LoadError> {
    let memory = load.memory;
    let OpenRequest { files, subject, skin, added, attachments } = request.clone();
    (load.import.ticks_per_second, load.playback.engine) = (options.ticks_per_second, options.engine);
    if subject.is_some() {
        load.game.files = options.game.or(load.game.files);
    }
    (load.game.subject, load.game.skin, load.clips.added) = (subject, skin, added);
    // Decls may have changed since the last reading.
    load.game.cache = Arc::default();
    let mut scene = Scene::load(&files, load.clone())?;
    scene.attach(&attachments, &load)?;
    scene.read_images(memory, images);
    Ok(scene)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page Files lists entities of a game that was found, not named.
    #[test]
    fn an_entity_is_opened_from_the_listed_game() {
        let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/game/mannequin.pk4");
        let entity = bindpose::load::Subject::Entity("mannequin_sentry".into());
        let request = OpenRequest { subject: Some(entity), ..OpenRequest::default() };
        let opened = |game| {
            let options = ReadOptions { game, ..ReadOptions::default() };
            read(&request, options, &ImageChoices::default(), LoadOptions::with_all_parts(LoadOptions::default()))
        };
        let scene = opened(Some(Arc::new(Vfs::open(&archive, &[]).unwrap()))).map_err(|error| error.to_string());
        assert!(!scene.unwrap().loaded.model.clips.is_empty());
        assert!(opened(None).is_err_and(|error| error.to_string().contains("needs its game")));
    }

    #[test]
    fn an_incomplete_folder_of_images_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("walk.frames");
        let write = |fails: bool| {
            in_folder(&path, |output| {
                let MediaOutput::Numbered { before, .. } = output else { panic!("{output:?}") };
                std::fs::write(format!("{before}0000.png"), "a")?;
                if fails { Err(anyhow!("stopped")) } else { Ok(()) }
            })
        };
        assert!(write(true).is_err() && !path.exists());
        assert!(write(false).is_ok() && path.join("0000.png").is_file());
        assert!(write(true).is_err() && path.join("0000.png").is_file(), "it existed before");
    }

    #[test]
    fn a_job_started_before_the_window_wakes_it() {
        let jobs = Jobs::new(ImageChoices::default(), LoadOptions::default());
        let (go, may_go) = channel();
        let thread = jobs.spawn(move || {
            may_go.recv().unwrap();
            JobResult::Changed("a".into())
        });
        let (woken, wakes) = channel();
        jobs.wakes(move || woken.send(()).unwrap());
        go.send(()).unwrap();
        thread.join().unwrap();
        assert!(wakes.try_recv().is_ok() && jobs.done().is_some());
    }
}
