//! What a window shows, and what happens to it.

mod files;
mod pictures;
mod requests;

use super::asked::Asked;
use super::jobs::Jobs;
use super::listing::Listing;
use super::loading::{Latest, Loading};
use super::panel::{Panel, Report};
use super::recording::Recording;
use super::request::{Command, Request};
use super::settings::Settings;
use super::times::{FrameRate, Times};
use super::watch::Changes;
use super::{Ended, First, keys};
use crate::commands::output::tell;
use crate::commands::play::Args;
use crate::commands::{engine, memory};
use bindpose::engines::Engine;
use bindpose::player::{Action, Player};
use bindpose::render::{Error, Gui, RenderTarget, Window};
use bindpose::skin::MethodId;
use egui::Popup;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::keyboard::ModifiersState;

/// What takes longer is told.
const NOTICED: Duration = Duration::from_millis(150);
/// What a screen has besides a window's content above one another: its title, a bar of the desktop, logical pixels.
const FRAME: u32 = 64;

/// A window with what it shows.
pub(super) struct Running<'a> {
    args: &'a Args,
    // What belongs to the context goes before it.
    player: Option<Player>,
    frame: Option<RenderTarget>,
    gui: Gui,
    window: Window,
    panel: Panel,
    jobs: Jobs,
    asked: Asked,
    /// What was read for it: files, and what was found beside them.
    all_files: Vec<PathBuf>,
    ticks_per_second: Option<f64>,
    /// The engine that was asked for last; [`Player::engine`] is the one that is shown.
    engine: Option<&'static Engine>,
    /// The method that was shown before an engine's was.
    method_before: Option<MethodId>,
    loading: Loading,
    report: Option<Report>,
    checks: Latest,
    recording: Option<Recording>,
    listing: Listing,
    settings: Settings,
    changes: Changes,
    /// Files that are being dropped, one event each.
    dropped: Vec<PathBuf>,
    modifiers: ModifiersState,
    drawn_at: Instant,
    /// Whether a mouse button was pressed or let go since the panel was laid out.
    is_button_unseen: bool,
    /// Whether the mouse was moved since then.
    is_move_unseen: bool,
    /// Whether something was typed since then.
    is_text_unseen: bool,
    /// When a picture is due by itself.
    due: Option<Instant>,
    /// Whether other windows cover all of it.
    is_covered: bool,
    /// Whether nothing of the window could be seen when it was to be drawn last; the next redraw event tells more.
    is_out_of_sight: bool,
    rate: FrameRate,
    titled_at: Option<Instant>,
    title: String,
    traced: String,
    /// What the first picture takes, until it is there.
    times: Option<Times>,
    /// Whether a folder is to be looked through.
    starts_at_files: bool,
}

impl<'a> Running<'a> {
    /// Opens the window and takes the scene of `first` if it is read already.
    pub(super) fn begin(
        event_loop: &ActiveEventLoop,
        args: &'a Args,
        first: &mut First,
        jobs: Jobs,
    ) -> Result<Self, Ended> {
        let settings = match args.reset_settings {
            true => Settings::default(),
            false => Settings::load(memory()),
        };
        let (width, height) = within_screen(event_loop, settings.size);
        let window = Window::open(event_loop, "bindpose", width, height).map_err(|error| match error {
            Error::NoContext(reason) => Ended::NoWindow(reason),
            other => Ended::Failed(other.into()),
        })?;
        first.times.mark("window");
        let gui = Gui::new(&window, event_loop);
        gui.context().set_theme(settings.theme);
        let changes = Changes::new(jobs.reporter());
        let mut running = Self {
            args,
            player: None,
            frame: None,
            gui,
            window,
            panel: Panel::new(settings.panel_width),
            jobs,
            ticks_per_second: args.scene.ticks_per_second,
            engine: engine::chosen(),
            method_before: None,
            loading: std::mem::take(&mut first.loading),
            asked: first.asked.clone(),
            all_files: Vec::new(),
            report: None,
            checks: Latest::default(),
            recording: None,
            listing: Listing::default(),
            settings,
            changes,
            dropped: Vec::new(),
            modifiers: ModifiersState::empty(),
            drawn_at: Instant::now(),
            is_button_unseen: false,
            is_move_unseen: false,
            is_text_unseen: false,
            due: None,
            is_covered: false,
            is_out_of_sight: false,
            rate: FrameRate::default(),
            titled_at: None,
            title: String::new(),
            traced: String::new(),
            times: None,
            starts_at_files: false,
        };
        if let Some(folder) = &first.folder {
            running.panel.browser.go_to(folder);
        }
        // A game without a figure is to be looked through, too.
        let names_game = crate::commands::names_game();
        running.starts_at_files = first.folder.is_some() || first.asked.is_sample() && names_game;
        if let Some(scene) = first.scene.take() {
            running.show_first(&scene)?;
        }
        running.times = Some(std::mem::take(&mut first.times));
        running.window.request_redraw();
        Ok(running)
    }

    /// Shows what background work has come to.
    pub(super) fn take_done(&mut self) -> Result<(), Ended> {
        while let Some(done) = self.jobs.done() {
            self.finished(done)?;
        }
        if let (Some(recording), Some(player)) = (&mut self.recording, &mut self.player) {
            if let Err(error) = recording.step(player) {
                self.recording = None;
                self.panel.note(error.to_string());
            }
            self.window.request_redraw();
        }
        Ok(())
    }

    /// Ends what runs on other threads and writes files.
    pub(super) fn end_jobs(&mut self) {
        if let Some(recording) = self.recording.take() {
            recording.abandon();
        }
    }

    /// Does what is due, and says until when nothing will be.
    pub(super) fn rest(&mut self) -> ControlFlow {
        let is_hidden = self.is_covered || self.is_out_of_sight;
        let due = self.due.filter(|_| !is_hidden);
        if due.is_some_and(|due| due <= Instant::now()) {
            self.due = None;
            self.window.request_redraw();
        }
        self.open_dropped();
        self.reload();
        let due = self.due.filter(|_| !is_hidden);
        match due.into_iter().chain(self.changes.due()).min() {
            Some(due) => ControlFlow::WaitUntil(due),
            None => ControlFlow::Wait,
        }
    }

    pub(super) fn event(&mut self, event_loop: &ActiveEventLoop, event: WindowEvent) -> Result<(), Ended> {
        if !matches!(event, WindowEvent::RedrawRequested) {
            (self.is_covered, self.is_out_of_sight) = (false, false);
        }
        let is_key = matches!(event, WindowEvent::KeyboardInput { .. });
        let has_palette = self.panel.palette.is_some();
        if is_key && !self.gui.is_typing() && !has_palette {
            // egui would go from button to button with tab and arrows.
            let WindowEvent::KeyboardInput { event, .. } = event else { return Ok(()) };
            return self.key(event_loop, &event);
        }
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::RedrawRequested => return Ok(self.draw(event_loop)?),
            WindowEvent::Destroyed => {
                tell!("the window was destroyed by another program");
                event_loop.exit();
            }
            WindowEvent::Resized(size) => {
                self.window.resized(size.into());
                self.window.request_redraw();
            }
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            WindowEvent::Occluded(is_covered) => self.is_covered = is_covered,
            WindowEvent::DroppedFile(ref path) => self.dropped.push(path.clone()),
            _ => {}
        }
        let (is_button, is_move) =
            (matches!(event, WindowEvent::MouseInput { .. }), matches!(event, WindowEvent::CursorMoved { .. }));
        let has_seen = !self.is_button_unseen && !self.is_move_unseen;
        if is_button && !has_seen || is_move && self.is_button_unseen {
            // A drag that begins and ends between two pictures would be none.
            self.draw(event_loop)?;
        }
        self.is_button_unseen |= is_button;
        self.is_move_unseen |= is_move;
        // What enter chooses in the list is what has been typed before it, and letters behind it are keys again.
        let chooses = has_palette && keys::is_command(&event);
        if chooses && self.is_text_unseen {
            self.draw(event_loop)?;
        }
        self.is_text_unseen |= is_key;
        if self.gui.on_event(&self.window, &event).repaint {
            self.window.request_redraw();
        }
        if chooses {
            self.draw(event_loop)?;
        }
        Ok(())
    }

    fn key(&mut self, event_loop: &ActiveEventLoop, event: &KeyEvent) -> Result<(), Ended> {
        if event.state != ElementState::Pressed {
            return Ok(());
        }
        let names = keys::names(event, self.modifiers);
        if let Some(command) = names.iter().find_map(|name| keys::find(name)) {
            if command == Command::Ask(Request::Leave) && Popup::is_any_open(self.gui.context()) {
                Popup::close_all(self.gui.context());
                self.window.request_redraw();
                return Ok(());
            }
            let closes_keys = self.player.as_ref().is_some_and(|player| player.state.has_keys);
            let command = match command {
                Command::Ask(Request::Leave | Request::Quit) if closes_keys => Command::Act(Action::ToggleKeys),
                other => other,
            };
            self.carry_out(event_loop, command);
            self.titled_at = None;
            self.window.request_redraw();
        }
        Ok(())
    }

    /// Writes down what the next run begins with.
    pub(super) fn remember(&mut self) {
        if let Some(player) = &self.player {
            self.settings.panel = player.state.has_panel;
            self.settings.fade = player.state.fade_seconds;
        }
        self.settings.panel_width = self.panel.width;
        let scale = self.gui.context().pixels_per_point();
        let (width, height) = self.window.size();
        if width > 0 && height > 0 && !self.window.is_fullscreen() {
            self.settings.size = ((width as f32 / scale) as u32, (height as f32 / scale) as u32);
        }
        self.settings.remember(&self.asked.files);
        self.settings.save();
    }
}

/// A window's size that its screen has room for, logical pixels.
fn within_screen(event_loop: &ActiveEventLoop, (width, height): (u32, u32)) -> (u32, u32) {
    let screen = event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
    let most = screen.map(|screen| screen.size().to_logical::<u32>(screen.scale_factor()));
    // A screen of no size is one that nothing is known of.
    match most.filter(|most| most.width > 0 && most.height > 0) {
        // What lies beyond its edge cannot be reached.
        Some(most) => (width.min(most.width), height.min(most.height.saturating_sub(FRAME))),
        None => (width, height),
    }
}
