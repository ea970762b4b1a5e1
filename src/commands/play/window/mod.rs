//! The player's window: events in, pictures out.

mod asked;
mod jobs;
mod keys;
mod listing;
mod loading;
mod palette;
mod panel;
mod recording;
mod request;
mod running;
mod save;
mod settings;
mod times;
mod trace;
mod watch;

pub use asked::Asked;
pub use jobs::{Done, How, Jobs, Purpose};
pub use keys::help;
pub use loading::Loading;
pub use panel::THUMBNAIL;
pub use times::Times;

use super::{Args, Shown};
use crate::commands::output::tell;
use anyhow::Context;
use bindpose::image_habits::Wanted;
use bindpose::player::Scene;
use bindpose::render::Error;
use jobs::Wake;
use running::Running;
use std::path::PathBuf;
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::window::WindowId;

/// What is shown first.
pub struct First {
    /// Files, or a figure of the game.
    pub asked: Asked,
    /// What they are, if they are read already.
    pub scene: Option<Scene>,
    /// What is being read, if they are not.
    pub loading: Loading,
    /// A folder that is to be looked through.
    pub folder: Option<PathBuf>,
    /// What was done until now.
    pub times: Times,
}

/// Opens a window and plays files until it is closed. If they are not read yet, `jobs` is reading them.
pub fn show(first: First, jobs: Jobs, args: &Args) -> anyhow::Result<Shown> {
    let event_loop = match EventLoop::<Wake>::with_user_event().build() {
        Ok(event_loop) => event_loop,
        Err(error) => {
            // winit says first where in its own source it noticed.
            let text = error.to_string();
            let reason = text.rsplit(": ").next().unwrap_or(&text).to_owned();
            return Ok(Shown::NoWindow { reason, scene: first.scene.map(Box::new) });
        }
    };
    #[cfg(all(unix, not(target_os = "macos")))]
    bindpose::render::when_display_is_lost(end_without_display);
    let proxy = event_loop.create_proxy();
    jobs.wakes(move || {
        // A loop that has ended is woken by nothing.
        let _ = proxy.send_event(Wake);
    });
    let mut app = App { first, args, jobs: Some(jobs), running: None, ended: None };
    event_loop.run_app(&mut app).context("the window ended")?;
    match app.ended {
        Some(Ended::NoWindow(reason)) => Ok(Shown::NoWindow { reason, scene: app.first.scene.map(Box::new) }),
        Some(Ended::Failed(error)) => Err(error),
        Some(Ended::AtFault) => Ok(Shown::AtFault),
        None => Ok(Shown::Played),
    }
}

/// Whether there may be a screen; why not, otherwise.
pub fn has_display() -> Result<(), String> {
    #[cfg(all(unix, not(target_os = "macos")))]
    {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if !["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].into_iter().any(set) {
            return Err("neither DISPLAY nor WAYLAND_DISPLAY is set".into());
        }
    }
    Ok(())
}

#[cfg(all(unix, not(target_os = "macos")))]
fn end_without_display() -> ! {
    tell!("bindpose: the window is gone: the connection to the display was lost (its server ended, or was ended)");
    std::process::exit(2)
}

/// What winit drives.
struct App<'a> {
    /// Its scene is taken when it is shown.
    first: First,
    args: &'a Args,
    /// Until the window has them.
    jobs: Option<Jobs>,
    running: Option<Running<'a>>,
    ended: Option<Ended>,
}

/// Why the player stopped, other than by wish.
enum Ended {
    NoWindow(String),
    Failed(anyhow::Error),
    AtFault,
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Self::Failed(error.into())
    }
}

impl ApplicationHandler<Wake> for App<'_> {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.running.is_some() {
            return;
        }
        let jobs = self.jobs.take().unwrap_or_else(|| Jobs::new(Wanted::default()));
        match Running::begin(event_loop, self.args, &mut self.first, jobs) {
            Ok(running) => self.running = Some(running),
            Err(ended) => return self.end(event_loop, ended),
        }
        // Something may have been finished before the window could be woken.
        self.user_event(event_loop, Wake);
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, _: Wake) {
        let Some(running) = &mut self.running else { return };
        if let Err(ended) = running.take_done() {
            self.end(event_loop, ended);
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(running) = &mut self.running else { return };
        if let Err(ended) = running.event(event_loop, event) {
            self.end(event_loop, ended);
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let Some(running) = &mut self.running else { return };
        event_loop.set_control_flow(running.rest());
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        if let Some(running) = &mut self.running {
            running.remember();
            running.end_jobs();
        }
        // While the display is still connected.
        self.running = None;
    }
}

impl App<'_> {
    fn end(&mut self, event_loop: &ActiveEventLoop, ended: Ended) {
        self.ended = Some(ended);
        event_loop.exit();
    }
}
