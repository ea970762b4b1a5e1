//! What takes time: reading files and checking them, each on a thread of its own. Results wake the window.

use super::panel::Report;
use crate::commands::{game, memory, scene};
use bindpose::load::{LoadError, LoadOptions};
use bindpose::player::Scene;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use winit::event_loop::EventLoopProxy;

/// Wakes the window: there is a [`Done`].
#[derive(Debug, Clone, Copy)]
pub struct Wake;

/// What a scene is read for.
#[derive(Debug, Clone, PartialEq)]
pub enum Purpose {
    /// To be shown instead of the present one.
    Open,
    /// To be shown in the right half.
    Beside,
    /// The present files again.
    Reload,
    /// A picture in the list of files.
    Thumbnail,
}

/// Something that is finished.
pub enum Done {
    /// Files were read.
    Read {
        /// What for.
        purpose: Purpose,
        /// Which files.
        files: Vec<PathBuf>,
        /// What they are.
        scene: Box<Result<scene::Read, LoadError>>,
    },
    /// A file beside those that are shown was written, made or removed.
    Changed(PathBuf),
    /// The files that are shown were checked.
    Checked(Vec<PathBuf>, Box<Report>),
}

/// Threads and what they send.
pub struct Jobs {
    sender: Sender<Done>,
    receiver: Receiver<Done>,
    proxy: Option<EventLoopProxy<Wake>>,
}

impl Jobs {
    /// Without any.
    pub fn new() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver, proxy: None }
    }

    /// From now on the window is woken.
    pub fn wakes(&mut self, proxy: EventLoopProxy<Wake>) {
        self.proxy = Some(proxy);
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
        let (sender, proxy) = (self.sender.clone(), self.proxy.clone());
        move |path| {
            // A window that is closed wants nothing any more.
            let _ = sender.send(Done::Changed(path));
            if let Some(proxy) = &proxy {
                let _ = proxy.send_event(Wake);
            }
        }
    }

    /// Reads files.
    pub fn read(&self, purpose: Purpose, files: Vec<PathBuf>, ticks_per_second: Option<f64>) {
        self.spawn(move || {
            // Files that are opened in the window are no entity of a game; they may well belong to one.
            let game = game().ok().flatten();
            let options = LoadOptions { ticks_per_second, memory: memory(), game, ..LoadOptions::default() };
            let scene = Box::new(Scene::load(&files, options).map(scene::Read::from));
            Done::Read { purpose, files, scene }
        });
    }

    /// Checks files.
    pub fn check(&self, files: Vec<PathBuf>) {
        self.spawn(move || {
            let report = Report::of(files.clone(), memory());
            Done::Checked(files, Box::new(report))
        });
    }

    fn spawn(&self, work: impl FnOnce() -> Done + Send + 'static) {
        let (sender, proxy) = (self.sender.clone(), self.proxy.clone());
        std::thread::spawn(move || {
            // A window that is closed wants nothing any more.
            let _ = sender.send(work());
            if let Some(proxy) = proxy {
                let _ = proxy.send_event(Wake);
            }
        });
    }
}
