//! The player's window.

mod actions;
mod findings_report;
mod folder;
mod fonts;
mod game_list;
mod jobs;
mod loading;
mod open_request;
mod palette;
mod panel;
mod recording;
mod request;
mod running;
mod save;
mod screenshot;
mod settings;
mod theme;
mod times;
mod trace;
mod watch;

pub use actions::help;
pub use folder::{game as game_in, models as models_in};
pub use jobs::{JobResult, Jobs, Purpose, ReadOptions};
pub use loading::Loading;
pub use open_request::OpenRequest;
pub use panel::THUMBNAIL;
pub use running::failure;
pub use times::StartupTimes;

use super::{Args, WindowOutcome};
use anyhow::Context;
use bindpose::render::Error;
use bindpose::skin::MethodId;
use bindpose_player::Scene;
use jobs::Wake;
use running::Running;
use std::path::PathBuf;
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, EventLoop};
use winit::window::WindowId;

/// State at the start of the window.
pub struct Startup {
    pub request: OpenRequest,
    /// The scene, if it is already read.
    pub scene: Option<Scene>,
    /// Error of files that cannot be read. The scene is empty then.
    pub failure: Option<String>,
    /// The read in progress, if the scene is not read yet.
    pub loading: Loading,
    /// Folder to list.
    pub folder: Option<PathBuf>,
    pub times: StartupTimes,
}

/// Opens a window and runs until it is closed; `jobs` may still be reading the scene.
pub fn show(first: Startup, jobs: Jobs, args: &Args, methods: &[MethodId]) -> anyhow::Result<WindowOutcome> {
    let event_loop = match EventLoop::<Wake>::with_user_event().build() {
        Ok(event_loop) => event_loop,
        Err(error) => {
            // winit's message starts with a position in its own source.
            let text = error.to_string();
            let reason = text.rsplit(": ").next().unwrap_or(&text).to_owned();
            return Ok(WindowOutcome::NoWindow { reason, scene: first.scene.map(Box::new) });
        }
    };
    #[cfg(all(unix, not(target_os = "macos")))]
    bindpose::render::when_display_is_lost(end_without_display);
    let proxy = event_loop.create_proxy();
    jobs.wakes(move || {
        // The loop may have ended.
        let _ = proxy.send_event(Wake);
    });
    let mut app = App { first, args, methods, jobs: Some(jobs), running: None, ended: None };
    event_loop.run_app(&mut app).context(LOST)?;
    match app.ended {
        Some(Ended::NoWindow(reason)) => Ok(WindowOutcome::NoWindow { reason, scene: app.first.scene.map(Box::new) }),
        Some(Ended::Failed(error)) => Err(error),
        Some(Ended::AtFault) => Ok(WindowOutcome::AtFault),
        None => Ok(WindowOutcome::Played),
    }
}

/// Checks the environment for a display.
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

/// Message if the event loop ends by itself.
const LOST: &str = "the window is gone: the connection to the display was lost (the server was stopped or crashed)";

#[cfg(all(unix, not(target_os = "macos")))]
fn end_without_display() -> ! {
    crate::commands::output::tell!("bindpose: {LOST}");
    std::process::exit(2)
}

/// Handler of winit's events.
struct App<'a> {
    /// State at the start. The window takes the scene out of it.
    first: Startup,
    args: &'a Args,
    methods: &'a [MethodId],
    /// Jobs until the window takes them.
    jobs: Option<Jobs>,
    running: Option<Running<'a>>,
    ended: Option<Ended>,
}

/// Reason why the player stopped, unless it was closed.
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
        let Some(jobs) = self.jobs.take() else { return };
        match Running::begin(event_loop, self.args, self.methods, &mut self.first, jobs) {
            Ok(running) => self.running = Some(running),
            Err(ended) => return self.end(event_loop, ended),
        }
        // Results may have arrived before the window could be woken.
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
        let done = match event {
            WindowEvent::RedrawRequested => running.draw(event_loop).map_err(Ended::from),
            event => running.event(event_loop, event),
        };
        if let Err(ended) = done {
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
            if running.has_failed() {
                self.ended.get_or_insert(Ended::AtFault);
            }
        }
        // The window is dropped while the display is still connected.
        self.running = None;
    }
}

impl App<'_> {
    fn end(&mut self, event_loop: &ActiveEventLoop, ended: Ended) {
        self.ended = Some(ended);
        event_loop.exit();
    }
}
