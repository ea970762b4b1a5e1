//! The running window: its state, events and timing.

mod files;
mod frames;
mod requests;

pub use files::failure;

use super::findings_report::FindingsReport;
use super::game_list::GameList;
use super::jobs::Jobs;
use super::loading::{Latest, Loading};
use super::open_request::OpenRequest;
use super::panel::Panel;
use super::recording::Recording;
use super::settings::Settings;
use super::times::{FrameRate, StartupTimes};
use super::watch::Changes;
use super::{Ended, Startup, actions, theme};
use crate::commands::output::tell;
use crate::commands::play::Args;
use bindpose::engines::Engine;
use bindpose::model::JointId;
use bindpose::render::{Camera, Error, Gui, RenderTarget, Window};
use bindpose::skin::MethodId;
use bindpose_player::Player;
use glam::DQuat;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::keyboard::ModifiersState;

/// Shortest reading time that is reported.
const NOTICED: Duration = Duration::from_millis(150);
/// Height of title bar and desktop panel, in logical pixels.
const FRAME: u32 = 64;
/// Longest time between the clicks of a double click, in seconds. Two frames are drawn in it.
const DOUBLE_CLICK: f64 = 0.5;

/// The window and everything that it shows.
pub(super) struct Running<'a> {
    args: &'a Args,
    /// Built-in methods and those of `--shaders`.
    methods: &'a [MethodId],
    // These are dropped before the window's context.
    player: Option<Player>,
    /// Model that was left with unsaved rotations, and its files.
    left: Option<(OpenRequest, Player)>,
    /// Model from which an undo came back to [`Self::left`].
    undone: Option<(OpenRequest, Player)>,
    frame: Option<RenderTarget>,
    gui: Gui,
    window: Window,
    panel: Panel,
    settings: Settings,
    session: Session,
    input: Input,
    background: Background,
    schedule: Schedule,
    title: Title,
}

/// Open files, and the choices for them.
#[derive(Default)]
struct Session {
    /// Files or game model that are open.
    current: OpenRequest,
    ticks_per_second: Option<f64>,
    /// Engine that was chosen last; [`Player::engine`] is the one that is shown.
    engine: Option<&'static Engine>,
    /// The user's method, to be restored after an engine's.
    method_before: Option<MethodId>,
    report: Option<FindingsReport>,
    game_list: GameList,
    starts_at_files: bool,
    /// Error of the first files while an empty scene is shown instead.
    failure: Option<String>,
    /// True if the next reload is announced, because the user asked for it or a file in use changed.
    announces_reload: bool,
    /// Manual rotations when the pose was last saved.
    saved_turns: BTreeMap<JointId, DQuat>,
}

impl Session {
    /// Returns the number of joints rotated by hand, or 0 if the pose is saved.
    fn unsaved_turns(&self, player: &Player) -> usize {
        let turns = &player.state.turns;
        if *turns == self.saved_turns { 0 } else { turns.len() }
    }
}

/// Input that waits for a frame or for more input.
#[derive(Default)]
struct Input {
    modifiers: ModifiersState,
    unseen: Unseen,
    /// Dropped files. There is an event for each.
    dropped: Vec<PathBuf>,
    /// True if a command ran after the panel was last laid out.
    was_commanded: bool,
    /// True if the file dialog is open.
    is_picking: bool,
}

/// Input since the last frame.
#[derive(Default)]
struct Unseen {
    button: bool,
    motion: bool,
    text: bool,
}

/// Work in other threads.
struct Background {
    jobs: Jobs,
    loading: Loading,
    checks: Latest,
    recording: Option<Recording>,
    changes: Changes,
}

/// Times of frames.
struct Schedule {
    drawn_at: Instant,
    /// Time of the next frame if no event comes.
    due: Option<Instant>,
    is_covered: bool,
    /// True if it was invisible when it should have been drawn. The next event resets this.
    is_out_of_sight: bool,
    /// Times until the first frame.
    times: Option<StartupTimes>,
    /// True if the first frame of many copies was announced.
    has_announced: bool,
    /// Camera of the last frame.
    last_camera: Option<Camera>,
}

/// Title of the window, and the line of `--trace-events`.
#[derive(Default)]
struct Title {
    rate: FrameRate,
    shown_at: Option<Instant>,
    text: String,
    traced: String,
}

impl<'a> Running<'a> {
    /// Opens the window, and takes the scene out of `first` if it is already read.
    pub(super) fn begin(
        event_loop: &ActiveEventLoop,
        args: &'a Args,
        methods: &'a [MethodId],
        first: &mut Startup,
        jobs: Jobs,
    ) -> Result<Self, Ended> {
        let settings = match args.reset_settings {
            true => Settings::default(),
            false => Settings::load(args.scene.load.limit()),
        };
        let (width, height) = within_screen(event_loop, settings.size);
        let window = Window::open(event_loop, "bindpose", width, height).map_err(|error| match error {
            Error::NoContext(reason) => Ended::NoWindow(reason),
            other => Ended::Failed(other.into()),
        })?;
        first.times.mark("window");
        let gui = Gui::new(&window, event_loop);
        theme::apply(gui.context());
        gui.context().set_theme(settings.theme);
        // Where frames take long, so do clicks and the time between two.
        gui.context().options_mut(|options| {
            options.input_options.max_click_duration = f64::INFINITY;
            options.input_options.max_double_click_delay = DOUBLE_CLICK;
        });
        let changes = Changes::new(jobs.reporter());
        let session = Session {
            current: first.request.clone(),
            ticks_per_second: args.scene.ticks_per_second,
            engine: args.scene.engine.engine,
            // A folder and the sample start on the Files page.
            // With the sample, a game's models are listed there.
            starts_at_files: first.folder.is_some() || first.request.is_sample(),
            failure: first.failure.take(),
            ..Session::default()
        };
        let loading = std::mem::take(&mut first.loading);
        let mut running = Self {
            args,
            methods,
            player: None,
            left: None,
            undone: None,
            frame: None,
            gui,
            window,
            panel: Panel::new(&settings),
            settings,
            session,
            input: Input::default(),
            background: Background { jobs, loading, checks: Latest::default(), recording: None, changes },
            schedule: Schedule {
                drawn_at: Instant::now(),
                due: None,
                is_covered: false,
                is_out_of_sight: false,
                times: Some(std::mem::take(&mut first.times)),
                has_announced: false,
                last_camera: None,
            },
            title: Title::default(),
        };
        if let Some(folder) = &first.folder {
            running.panel.browser.go_to(folder);
        }
        if let Some(scene) = first.scene.take() {
            running.show_first(scene)?;
        }
        running.window.request_redraw();
        Ok(running)
    }

    /// Processes the results of background jobs.
    pub(super) fn take_done(&mut self) -> Result<(), Ended> {
        while let Some(done) = self.background.jobs.done() {
            self.finished(done)?;
        }
        if let (Some(recording), Some(player)) = (&mut self.background.recording, &mut self.player) {
            if let Err(error) = recording.step(player) {
                self.background.recording = None;
                self.panel.note(error.to_string());
            }
            self.window.request_redraw();
        }
        Ok(())
    }

    /// Stops jobs that write files, and removes what they have not completed. Nothing can be written afterwards.
    pub(super) fn end_jobs(&mut self) {
        if let Some(recording) = self.background.recording.take() {
            recording.abandon();
        }
        // A conversion may run.
        bindpose_core::write::remove_unfinished();
    }

    /// Does due tasks. Returns the time until the next one.
    pub(super) fn rest(&mut self) -> ControlFlow {
        let is_hidden = self.schedule.is_covered || self.schedule.is_out_of_sight;
        let due = self.schedule.due.filter(|_| !is_hidden);
        if due.is_some_and(|due| due <= Instant::now()) {
            self.schedule.due = None;
            self.window.request_redraw();
        }
        self.open_dropped();
        self.reload();
        let due = self.schedule.due.filter(|_| !is_hidden);
        match due.into_iter().chain(self.background.changes.due()).min() {
            Some(due) => ControlFlow::WaitUntil(due),
            None => ControlFlow::Wait,
        }
    }

    /// Handles an event other than the request of a frame.
    pub(super) fn event(&mut self, event_loop: &ActiveEventLoop, event: WindowEvent) -> Result<(), Ended> {
        (self.schedule.is_covered, self.schedule.is_out_of_sight) = (false, false);
        let is_key = matches!(event, WindowEvent::KeyboardInput { .. });
        let has_palette = self.panel.palette.is_some();
        if let WindowEvent::KeyboardInput { event, .. } = &event
            && !has_palette
            && (!(self.gui.is_typing() || egui::Popup::is_any_open(self.gui.context()))
                || actions::names(event, self.input.modifiers).iter().any(|key| actions::is_no_input(key)))
        {
            // egui would move the focus with tab and the arrow keys, as it does in an open list.
            return self.key(event_loop, event);
        }
        match event {
            WindowEvent::CloseRequested => self.quit(event_loop),
            WindowEvent::Destroyed => {
                tell!("the window was destroyed by another program");
                event_loop.exit();
            }
            WindowEvent::Resized(size) => {
                self.window.resized(size.into());
                // Draws two frames: the height of a panel is that of its content in the frame before.
                self.gui.context().request_repaint();
            }
            WindowEvent::ModifiersChanged(modifiers) => self.input.modifiers = modifiers.state(),
            WindowEvent::Occluded(is_covered) => self.schedule.is_covered = is_covered,
            WindowEvent::DroppedFile(ref path) => self.input.dropped.push(path.clone()),
            _ => {}
        }
        let is_button = matches!(event, WindowEvent::MouseInput { .. });
        let is_press = matches!(event, WindowEvent::MouseInput { state: ElementState::Pressed, .. });
        let is_motion = matches!(event, WindowEvent::CursorMoved { .. });
        // Otherwise a drag or a click between two frames would be lost. A press and its release are one click.
        let ends_drag = is_button && self.input.unseen.motion || (is_press || is_motion) && self.input.unseen.button;
        // Enter selects from the rows for the text typed before it. Letters typed after it are keys again.
        let chooses = has_palette && actions::is_command(&event);
        if ends_drag || chooses && self.input.unseen.text {
            self.draw(event_loop)?;
        }
        self.input.unseen.button |= is_button;
        self.input.unseen.motion |= is_motion;
        self.input.unseen.text |= is_key;
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
        let names = actions::names(event, self.input.modifiers);
        if self.panel.convert.is_open && names.iter().any(|name| name == "enter") {
            self.panel.convert.is_entered = true;
            self.window.request_redraw();
            return Ok(());
        }
        if let Some(file) = self.panel.dropped.take_if(|_| names.iter().any(|name| name == "enter")) {
            self.window.request_redraw();
            self.attach(file);
            return Ok(());
        }
        let Some(command) = names.iter().find_map(|name| actions::find(name)) else { return Ok(()) };
        self.window.request_redraw();
        self.carry_out(event_loop, command);
        self.title.shown_at = None;
        Ok(())
    }

    /// True if the first files could not be read and nothing else was opened.
    pub(super) fn has_failed(&self) -> bool {
        self.session.failure.is_some()
    }

    pub(super) fn remember(&mut self) {
        if let Some(player) = &self.player {
            self.settings.fade = player.state.fade_seconds;
        }
        self.settings.panel_width = self.panel.width;
        self.settings.record.clone_from(&self.panel.record);
        let scale = self.gui.context().pixels_per_point();
        let (width, height) = self.window.size();
        if width > 0 && height > 0 && !self.window.is_fullscreen() {
            self.settings.size = ((width as f32 / scale) as u32, (height as f32 / scale) as u32);
        }
        if self.session.failure.is_none() {
            self.settings.remember(&self.session.current.files);
        }
        self.settings.save();
    }
}

/// Limits a window's size to its screen, in logical pixels.
fn within_screen(event_loop: &ActiveEventLoop, (width, height): (u32, u32)) -> (u32, u32) {
    let screen = event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
    let most = screen.map(|screen| screen.size().to_logical::<u32>(screen.scale_factor()));
    // Size 0 means unknown.
    match most.filter(|most| most.width > 0 && most.height > 0) {
        Some(most) => (width.min(most.width), height.min(most.height.saturating_sub(FRAME))),
        None => (width, height),
    }
}
