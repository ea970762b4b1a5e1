//! What takes time: reading files and checking them, each on a thread of its own. Results wake the window.

use super::asked::Asked;
use super::panel::{Figures, Report};
use crate::commands::record::{self, Animation, MediaFormat, MediaOutput};
use crate::commands::{engine, load_options, memory, scene};
use anyhow::{Context, anyhow};
use bindpose::engines::Engine;
use bindpose::image_habits::Wanted;
use bindpose::load::{self, LoadError, LoadOptions};
use bindpose::player::Scene;
use bindpose::vfs::Vfs;
use image::RgbaImage;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, ThreadId};
use std::time::Duration;

/// Wakes the window: there is a [`Done`].
#[derive(Debug, Clone, Copy)]
pub struct Wake;

/// What a scene is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be shown instead of the present one.
    Open,
    /// To be shown in the right half.
    Beside,
    /// The present files again.
    Reload,
    /// The present files and others that were added to them.
    Add,
    /// Files that were dropped on the window: to be shown instead, or clips for what is shown.
    Dropped,
    /// The present files as an engine plays them, or as they mean it.
    PlayAs,
}

/// How files are read.
#[derive(Debug, Clone, Copy, Default)]
pub struct How {
    /// Instead of what a `.x` file says.
    pub ticks_per_second: Option<f64>,
    /// Whose playback is shown.
    pub engine: Option<&'static Engine>,
    /// Whether it is known that the engine takes the files.
    pub is_judged: bool,
}

/// Something that is finished.
pub enum Done {
    /// Something was read.
    Read {
        /// Which of the reads.
        number: u64,
        /// What for.
        purpose: Purpose,
        /// What.
        asked: Asked,
        /// What it is.
        scene: Box<Result<scene::ReadScene, LoadError>>,
        /// What the engine does not take of it.
        notes: Vec<String>,
    },
    /// A model whose picture the list of files wants was read.
    Pictured(PathBuf, Box<Result<scene::ReadScene, LoadError>>),
    /// A file beside those that are shown was written, made or removed.
    Changed(PathBuf),
    /// What a game has to show, and which of the lists it is.
    Listed(u64, Figures),
    /// A film was written by a thread, or not.
    Recorded(ThreadId, PathBuf, anyhow::Result<()>),
    /// Files were checked; which of the checks it was.
    Checked(u64, Box<Report>),
}

/// Threads and what they send.
pub struct Jobs {
    /// Images instead of those that the files name.
    images: Wanted,
    sender: Sender<Done>,
    receiver: Receiver<Done>,
    bell: Bell,
}

/// What wakes the window: known to all threads, those that were begun before there was one, too.
#[derive(Clone, Default)]
struct Bell(Arc<Mutex<Option<Wakes>>>);

type Wakes = Box<dyn Fn() + Send>;

impl Bell {
    fn ring(&self) {
        // Nothing that holds it can panic.
        if let Some(wake) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            wake();
        }
    }
}

impl Jobs {
    /// Without any.
    pub fn new(images: Wanted) -> Self {
        let (sender, receiver) = channel();
        Self { images, sender, receiver, bell: Bell::default() }
    }

    /// From now on the window is woken, by what is under way already, too. What was finished before is there to be taken.
    pub fn wakes(&self, wake: impl Fn() + Send + 'static) {
        *self.bell.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(wake));
    }

    /// What is finished, if anything is.
    pub fn done(&self) -> Option<Done> {
        self.receiver.try_recv().ok()
    }

    /// Waits for something to be finished, not longer than a while.
    pub fn wait(&self, most: Duration) -> Option<Done> {
        self.receiver.recv_timeout(most).ok()
    }

    /// Tells of files that change.
    pub fn reporter(&self) -> impl Fn(PathBuf) + Send + 'static {
        let (sender, bell) = (self.sender.clone(), self.bell.clone());
        move |path| {
            // A window that is closed wants nothing any more.
            let _ = sender.send(Done::Changed(path));
            bell.ring();
        }
    }

    /// Reads files, or a figure of the game. `shown` are the files of what is shown, where the same is read again.
    pub fn read(&self, number: u64, purpose: Purpose, asked: Asked, how: How, shown: Vec<PathBuf>) {
        let images = self.images.clone();
        self.spawn(move || {
            let mut notes = Vec::new();
            let judged = match how.engine.filter(|_| !how.is_judged) {
                Some(engine) => judge(engine, &asked, &mut notes),
                None => Ok(()),
            };
            let scene = judged.and_then(|()| read(&asked, how, &images));
            let scene = Box::new(scene.and_then(|read| match broken_clip(&read.scene, &shown) {
                Some(error) => Err(error),
                None => Ok(read),
            }));
            Done::Read { number, purpose, asked, scene, notes }
        });
    }

    /// Reads a model of which a picture is wanted.
    pub fn picture(&self, model: PathBuf) {
        let images = self.images.clone();
        self.spawn(move || {
            let scene = Box::new(read(&vec![model.clone()].into(), How::default(), &images));
            Done::Pictured(model, scene)
        });
    }

    /// Checks files.
    pub fn check(&self, number: u64, files: Vec<PathBuf>) {
        self.spawn(move || Done::Checked(number, Box::new(Report::of(files, memory()))));
    }

    /// Lists what a game has to show.
    pub fn list(&self, number: u64, game: Arc<Vfs>) {
        self.spawn(move || Done::Listed(number, Figures::of(game, memory())));
    }

    /// Encodes and writes a film whose pictures come from elsewhere: what is sent first are their numbers, what is to be sent
    /// back the pictures. As PNG it becomes a folder with a file for each. Of one that was stopped nothing is left.
    pub fn record(
        &self,
        path: PathBuf,
        format: MediaFormat,
        film: Animation,
    ) -> (JoinHandle<()>, Receiver<u32>, SyncSender<RgbaImage>) {
        let (numbers, wanted) = sync_channel(1);
        let (pictures, drawn) = sync_channel(1);
        let bell = self.bell.clone();
        let thread = self.spawn(move || {
            let mut draw = |number| {
                let stopped = || anyhow!("the recording was stopped");
                numbers.send(number).map_err(|_| stopped())?;
                bell.ring();
                drawn.recv().map_err(|_| stopped())
            };
            let written = match format {
                MediaFormat::Png => in_folder(&path, |output| record::write(output, film, &mut draw)),
                _ => record::write(&MediaOutput::File(path.clone(), format), film, &mut draw),
            };
            Done::Recorded(std::thread::current().id(), path, written)
        });
        (thread, wanted, pictures)
    }

    fn spawn(&self, work: impl FnOnce() -> Done + Send + 'static) -> JoinHandle<()> {
        let (sender, bell) = (self.sender.clone(), self.bell.clone());
        std::thread::spawn(move || {
            // A window that is closed wants nothing any more.
            let _ = sender.send(work());
            bell.ring();
        })
    }
}

/// Makes a folder for numbered pictures; without all of them it goes again.
fn in_folder(path: &Path, write: impl FnOnce(&MediaOutput) -> anyhow::Result<()>) -> anyhow::Result<()> {
    std::fs::create_dir(path).with_context(|| format!("cannot make the folder {}", path.display()))?;
    let before = path.join("").to_string_lossy().into_owned();
    let written = write(&MediaOutput::Numbered { before, digits: 4, after: ".png".into() });
    if written.is_err() {
        // What made it fail is told.
        let _ = std::fs::remove_dir_all(path);
    }
    written
}

/// Why a clip that is shown is not among those of the same scene any more, if that is because its file is broken: one that only does
/// not fit the mesh any more goes.
fn broken_clip(scene: &Scene, shown: &[PathBuf]) -> Option<LoadError> {
    let is_lost = |file: &&PathBuf| {
        load::Format::of_path(file) == Some(load::Format::Md5Anim) && file.is_file() && !scene.files.contains(file)
    };
    let options = LoadOptions { memory: memory(), ..LoadOptions::default() };
    let why_not = |file: &PathBuf| load::load(std::slice::from_ref(file), &options).err();
    shown.iter().filter(is_lost).find_map(why_not)
}

/// Whether an engine takes files; of what it does not take beside them a note.
fn judge(engine: &'static Engine, asked: &Asked, notes: &mut Vec<String>) -> Result<(), LoadError> {
    let judged = engine::judge(engine, &asked.files).map_err(|error| LoadError::Usage(format!("{error:#}")))?;
    *notes = judged.notes;
    judged.refusal.map_or(Ok(()), |refusal| Err(LoadError::Usage(refusal.in_a_line())))
}

fn read(asked: &Asked, how: How, images: &Wanted) -> Result<scene::ReadScene, LoadError> {
    let options = load_options().map_err(|error| LoadError::Usage(format!("{error:#}")))?;
    let How { ticks_per_second, engine, .. } = how;
    let Asked { files, subject, skin, added } = asked.clone();
    let (mut scene, sources, diagnostics) =
        Scene::load(&files, LoadOptions { ticks_per_second, engine, subject, skin, added, ..options })?;
    scene.read_images(memory(), images);
    Ok((scene, sources, diagnostics).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_pictures_that_are_not_all_there_none_is_left() {
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
        assert!(write(true).is_err() && path.join("0000.png").is_file(), "it was there before");
    }

    #[test]
    fn what_was_begun_before_there_is_a_window_wakes_it() {
        let jobs = Jobs::new(Wanted::default());
        let (go, may_go) = channel();
        let thread = jobs.spawn(move || {
            may_go.recv().unwrap();
            Done::Changed("a".into())
        });
        let (woken, wakes) = channel();
        jobs.wakes(move || woken.send(()).unwrap());
        go.send(()).unwrap();
        thread.join().unwrap();
        assert!(wakes.try_recv().is_ok() && jobs.done().is_some());
    }
}
