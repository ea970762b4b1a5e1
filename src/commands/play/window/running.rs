//! What a window shows, and what happens to it.

use super::asked::Asked;
use super::jobs::{Done, Jobs, Purpose};
use super::listing::Listing;
use super::loading::{Latest, Loading};
use super::panel::{Panel, Report, Trouble, World};
use super::recording::Recording;
use super::request::{Command, Request};
use super::save::{self, Save, Shown};
use super::settings::Settings;
use super::times::{FrameRate, Times};
use super::watch::{Changes, Watched, folder_of};
use super::{Ended, First, keys, trace};
use crate::commands::output::tell;
use crate::commands::play::Args;
use crate::commands::record;
use crate::commands::{memory, scene};
use anyhow::Context;
use bindpose::load::{Format, LoadError};
use bindpose::player::{Action, Page, Player, Scene};
use bindpose::render::{Error, Gui, RenderTarget, Window};
use bindpose::validate::draw;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use winit::event::{ElementState, KeyEvent, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow};
use winit::keyboard::ModifiersState;

/// Where the screen does not set the pace.
const SHORTEST_FRAME: Duration = Duration::from_micros(1_000_000 / 144);
/// What takes longer is told.
const NOTICED: Duration = Duration::from_millis(150);
/// Turns a minute of the turntable.
const TURNTABLE: f32 = 10.0;
/// How often figures in the title change.
const TITLE_PERIOD: Duration = Duration::from_millis(200);

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
    /// When a picture is due by itself.
    due: Option<Instant>,
    /// Whether nothing of the window can be seen.
    is_hidden: bool,
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
            panel: Panel::default(),
            jobs,
            ticks_per_second: args.scene.ticks_per_second,
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
            due: None,
            is_hidden: false,
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
        let due = self.due.filter(|_| !self.is_hidden);
        if due.is_some_and(|due| due <= Instant::now()) {
            self.due = None;
            self.window.request_redraw();
        }
        self.open_dropped();
        self.reload();
        let due = self.due.filter(|_| !self.is_hidden);
        match due.into_iter().chain(self.changes.due()).min() {
            Some(due) => ControlFlow::WaitUntil(due),
            None => ControlFlow::Wait,
        }
    }

    pub(super) fn event(&mut self, event_loop: &ActiveEventLoop, event: WindowEvent) -> Result<(), Ended> {
        if !matches!(event, WindowEvent::RedrawRequested) {
            self.is_hidden = false;
        }
        let is_key = matches!(event, WindowEvent::KeyboardInput { .. });
        if is_key && !self.gui.is_typing() {
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
            WindowEvent::Occluded(is_hidden) => self.is_hidden = is_hidden,
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
        if self.gui.on_event(&self.window, &event).repaint {
            self.window.request_redraw();
        }
        Ok(())
    }

    fn key(&mut self, event_loop: &ActiveEventLoop, event: &KeyEvent) -> Result<(), Ended> {
        if event.state != ElementState::Pressed {
            return Ok(());
        }
        let names = keys::names(event, self.modifiers);
        if let Some(command) = names.iter().find_map(|name| keys::find(name)) {
            let closes_keys = self.player.as_ref().is_some_and(|player| player.state.has_keys);
            let command = match command {
                Command::Ask(Request::Quit) if closes_keys => Command::Act(Action::ToggleKeys),
                other => other,
            };
            self.carry_out(event_loop, command);
            self.titled_at = None;
            self.window.request_redraw();
        }
        Ok(())
    }

    /// Shows the first scene as the command line wants it.
    fn show_first(&mut self, scene: &Scene) -> Result<(), Ended> {
        let mut player = self.args.player(self.window.gpu(), scene, &self.asked.files).map_err(Ended::Failed)?;
        player.state.has_panel = self.settings.panel;
        player.state.fade_seconds = self.settings.fade;
        if self.starts_at_files {
            player.apply(&Action::Page(Page::Files));
        }
        self.player = Some(player);
        if let Some(file) = self.asked.files.first().filter(|_| !self.starts_at_files) {
            self.panel.browser.go_to(&folder_of(file));
        }
        self.shown(scene);
        Ok(())
    }

    /// Something new is shown.
    fn shown(&mut self, scene: &Scene) {
        self.all_files.clone_from(&scene.files);
        self.drawn_at = Instant::now();
        self.report = None;
        if self.recording.take().is_some() {
            self.panel.note("the recording was stopped: other files are shown".into());
        }
        self.check();
        if let Some((number, game)) = self.listing.shows(scene.game.as_ref()) {
            self.jobs.list(number, game);
        }
        // The sample is part of the program.
        let on_disk: &[PathBuf] = if self.asked.is_sample() { &[] } else { &self.all_files };
        self.changes.watch(Watched::new(on_disk, scene.game.as_deref(), self.args.scene.shaders.as_deref()));
        self.panel.troubles.remove(&Trouble::Files);
        self.tell_notes();
        self.window.request_redraw();
    }

    /// Lets `validate` see the files as they are now.
    fn check(&mut self) {
        let number = self.checks.begin();
        if !self.asked.is_sample() {
            self.jobs.check(number, self.all_files.clone());
        }
    }

    fn finished(&mut self, done: Done) -> Result<(), Ended> {
        self.window.request_redraw();
        match done {
            Done::Changed(path) => self.changes.add(&path, Instant::now()),
            Done::Recorded(thread, path, written) => {
                // One that was stopped has nothing to tell.
                if self.recording.as_ref().is_some_and(|recording| recording.thread() == thread) {
                    self.recording = None;
                    self.panel.note(match written {
                        Ok(()) => format!("wrote {}", path.display()),
                        Err(error) => format!("{error:#}"),
                    });
                }
            }
            Done::Listed(number, figures) => self.listing.take(number, figures),
            Done::Checked(number, report) => {
                if self.checks.is(number) {
                    self.report = Some(*report);
                }
            }
            Done::Pictured(model, scene) => {
                // A model that cannot be read or drawn has no picture.
                let picture = scene.as_ref().as_ref().ok();
                let picture = picture.and_then(|read| self.args.thumbnail(self.window.gpu(), &read.scene, &model).ok());
                self.panel.browser.add_thumbnail(self.gui.context(), model, picture.as_ref());
            }
            // Something else was wanted meanwhile.
            Done::Read { number, .. } if !self.loading.finish(number) => {}
            Done::Read { purpose, asked, scene, .. } => match (*scene, &mut self.player) {
                (Err(error), None) => {
                    // Nothing was shown yet: as on the command line.
                    return Err(match scene::tell_failure(error) {
                        Ok(()) => Ended::AtFault,
                        Err(error) => Ended::Failed(error),
                    });
                }
                (Ok(read), None) => {
                    read.tell(self.args.scene.verbose);
                    self.asked = asked;
                    self.show_first(&read.scene)?;
                }
                (Err(error), Some(_)) => {
                    let text = failure(&error);
                    match purpose {
                        // The last good model stays.
                        Purpose::Reload => {
                            self.panel.troubles.insert(Trouble::Files, text);
                            self.check();
                        }
                        Purpose::Open | Purpose::Beside => self.panel.note(text),
                    }
                }
                (Ok(read), Some(player)) => {
                    let texels = scene::texels(self.args.scene.half_float);
                    match purpose {
                        Purpose::Reload => match player.replace_scene(&read.scene, texels) {
                            Ok(()) => {
                                self.panel.note("read again".into());
                                self.shown(&read.scene);
                            }
                            Err(error) => {
                                self.panel.troubles.insert(Trouble::Files, error.to_string());
                            }
                        },
                        Purpose::Beside => {
                            if let Err(error) = player.set_other(&read.scene, texels) {
                                self.panel.note(error.to_string());
                            }
                        }
                        Purpose::Open => self.open_instead(&read.scene, asked),
                    }
                }
            },
        }
        Ok(())
    }

    /// Shows other files; what the user chose of the look stays.
    fn open_instead(&mut self, scene: &Scene, asked: Asked) {
        let opened = self.args.player_of(self.window.gpu(), scene, &asked.files);
        match opened {
            Ok(mut player) => {
                if let Some(before) = &self.player {
                    player.state.keep_look_of(&before.state);
                    player.apply(&Action::Method(before.state.method));
                }
                self.player = Some(player);
                self.settings.remember(&asked.files);
                self.asked = asked;
                self.loading.shows_others();
                self.shown(scene);
            }
            Err(error) => self.panel.note(format!("{error:#}")),
        }
    }

    /// Shows what was dropped on the window: files together, of a folder what is in it.
    fn open_dropped(&mut self) {
        let (folders, mut files): (Vec<PathBuf>, Vec<PathBuf>) =
            std::mem::take(&mut self.dropped).into_iter().partition(|path| path.is_dir());
        if let Some(folder) = folders.first() {
            self.panel.browser.go_to(folder);
            if let Some(player) = &mut self.player {
                player.apply(&Action::Page(Page::Files));
            }
            self.window.request_redraw();
        }
        if !files.is_empty() {
            // Clips and cameras belong to the model that is shown.
            let is_part = |path: &PathBuf| Format::of_path(path).is_some_and(|format| !format.is_model());
            if files.iter().all(is_part) {
                files.splice(0..0, self.asked.files.iter().cloned());
            }
            self.open(Purpose::Open, files.into());
        }
    }

    /// Reads again what has changed.
    fn reload(&mut self) {
        let mut changed = self.changes.take(Instant::now());
        if changed.decls {
            self.listing.decls_changed();
        }
        if changed.shaders
            && let Some(player) = &mut self.player
        {
            match player.reload_shaders() {
                Ok(()) => {
                    self.panel.troubles.remove(&Trouble::Shaders);
                    self.panel.note("shaders read again".into());
                    // It may have been they that a file could not be shown with.
                    changed.files |= self.panel.troubles.contains_key(&Trouble::Files);
                }
                // The last good ones stay.
                Err(error) => drop(self.panel.troubles.insert(Trouble::Shaders, error.to_string())),
            }
            self.window.request_redraw();
        }
        if changed.files {
            self.read_again();
        }
    }

    /// Reads again what is shown; the sample for the game beside it.
    fn read_again(&mut self) {
        if !self.asked.is_sample() || self.listing.has_game() {
            self.open(Purpose::Reload, self.asked.clone());
        }
    }

    /// Writes down what the next run begins with.
    pub(super) fn remember(&mut self) {
        if let Some(player) = &self.player {
            self.settings.panel = player.state.has_panel;
            self.settings.fade = player.state.fade_seconds;
        }
        let scale = self.gui.context().pixels_per_point();
        let (width, height) = self.window.size();
        if width > 0 && height > 0 && !self.window.is_fullscreen() {
            self.settings.size = ((width as f32 / scale) as u32, (height as f32 / scale) as u32);
        }
        self.settings.remember(&self.asked.files);
        self.settings.save();
    }

    fn open(&mut self, purpose: Purpose, asked: Asked) {
        let number = self.loading.begin(purpose, asked.name());
        self.jobs.read(number, purpose, asked, self.ticks_per_second);
    }

    fn draw(&mut self, event_loop: &ActiveEventLoop) -> Result<(), Error> {
        if self.window.is_minimised() {
            self.is_hidden = true;
            return Ok(());
        }
        (self.is_button_unseen, self.is_move_unseen) = (false, false);
        let now = Instant::now();
        // After a pause of the whole program the clip should not leap.
        let passed = now.duration_since(self.drawn_at).as_secs_f64().min(0.25);
        self.drawn_at = now;
        let Some(player) = &mut self.player else { return self.draw_loading() };
        player.state.advance(passed);
        let world = World {
            asked: &self.asked,
            report: self.report.as_ref(),
            figures: self.listing.figures(),
            recent: &self.settings.recent,
            theme: self.settings.theme,
            loading: self.loading.longer_than(NOTICED).map(|(name, _)| name),
            ticks_per_second: self.ticks_per_second,
            is_fullscreen: self.window.is_fullscreen(),
            recording: self.recording.as_ref().map(Recording::progress),
            rate: self.rate.shown,
        };
        let (panel, mut laid_out) = (&mut self.panel, None);
        let pass = self.gui.run(&self.window, |ctx| laid_out = Some(panel.build(ctx, player, &world)));
        let repaint_after = pass.repaint_after;
        let scale = self.gui.context().pixels_per_point();
        let mut has_commands = false;
        let mut view = egui::Rect::ZERO;
        if let Some(laid_out) = laid_out {
            view = laid_out.view;
            for command in laid_out.commands {
                has_commands = true;
                self.carry_out(event_loop, command);
            }
        }
        let Some(player) = &mut self.player else { return Ok(()) };
        let (place, size) = pixels(view * scale, self.window.size());
        if self.frame.as_ref().is_none_or(|frame| frame.size() != size) {
            self.frame = None;
            if size.0 > 0 && size.1 > 0 {
                self.frame = Some(RenderTarget::new(self.window.gpu(), size.0, size.1)?);
            }
        }
        if let Some(frame) = &self.frame {
            let before = self.panel.troubles.remove(&Trouble::Picture);
            if let Err(error) = player.draw(frame) {
                // What cannot be drawn now may be drawn in another way.
                self.panel.troubles.insert(Trouble::Picture, error.to_string());
            }
            has_commands |= before.as_ref() != self.panel.troubles.get(&Trouble::Picture);
        }
        self.window.present(self.frame.as_ref().map(|frame| (frame, place)), &mut self.gui, pass)?;
        if let Some(mut times) = self.times.take() {
            self.window.gpu().finish();
            times.mark("first picture");
            if self.args.timing {
                tell!("{times}");
            }
        }
        self.panel.count_frame(now.elapsed().as_secs_f32() * 1000.0);
        self.rate.count();
        self.schedule(now, has_commands, repaint_after);
        self.say_state(now);
        self.next_thumbnail();
        Ok(())
    }

    /// While the first files are read.
    fn draw_loading(&mut self) -> Result<(), Error> {
        let reading = self.loading.longer_than(Duration::ZERO);
        let text =
            reading.map_or(String::new(), |(name, since)| format!("reading {name}, {:.0} s", since.as_secs_f64()));
        let pass = self.gui.run(&self.window, |ctx| {
            egui::CentralPanel::default().show(ctx, |ui| {
                ui.centered_and_justified(|ui| ui.label(&text));
            });
        });
        self.window.present(None, &mut self.gui, pass)?;
        self.due = Some(Instant::now() + Duration::from_millis(250));
        Ok(())
    }

    /// When the next picture is due, if something moves or changes by itself.
    fn schedule(&mut self, now: Instant, has_commands: bool, repaint_after: Duration) {
        let is_moving = self.player.as_ref().is_some_and(|player| player.state.is_moving());
        let by_itself = if is_moving { Some(SHORTEST_FRAME) } else { None };
        // What was done is shown at once: the panel was laid out before.
        let after = if has_commands { Some(Duration::ZERO) } else { None };
        let of_gui = Some(repaint_after).filter(|&delay| delay < Duration::from_secs(60));
        let of_loading = self.loading.is_busy().then_some(NOTICED);
        let first = [by_itself, after, of_gui, of_loading, self.panel.next_change()].into_iter().flatten().min();
        self.due = first.and_then(|delay| now.checked_add(delay));
    }

    fn say_state(&mut self, now: Instant) {
        let Some(player) = &self.player else { return };
        if self.titled_at.is_none_or(|then| then.elapsed() > TITLE_PERIOD) {
            self.titled_at = Some(now);
            let title = player.title(self.rate.shown);
            if title != self.title {
                self.window.set_title(&title);
                self.title = title;
            }
        }
        if self.args.trace_events {
            let traced = trace::line(player, &self.asked, &self.panel, self.recording.is_some());
            if traced != self.traced {
                tell!("{traced}");
                self.traced = traced;
            }
        }
    }

    /// Reads the next model whose picture the list of files wants.
    fn next_thumbnail(&mut self) {
        if let Some(model) = self.panel.browser.next_wanted() {
            self.jobs.picture(model);
        }
    }

    fn carry_out(&mut self, event_loop: &ActiveEventLoop, command: Command) {
        let request = match command {
            Command::Act(action) => {
                if let Some(player) = &mut self.player {
                    player.apply(&action);
                }
                return self.tell_notes();
            }
            Command::Ask(request) => request,
        };
        let done = match request {
            Request::Quit => {
                event_loop.exit();
                return;
            }
            Request::Fullscreen => {
                self.window.toggle_fullscreen();
                return;
            }
            Request::Turntable => {
                let turns = self.player.as_ref().map_or(0.0, |player| player.state.turntable);
                let turns = if turns == 0.0 { TURNTABLE } else { 0.0 };
                return self.carry_out(event_loop, Command::Act(Action::Turntable(turns)));
            }
            Request::Theme(theme) => {
                self.settings.theme = theme;
                self.gui.context().set_theme(theme);
                return;
            }
            Request::AskForFile => {
                self.panel.browser.ask_for_path();
                return self.carry_out(event_loop, Command::Act(Action::Page(Page::Files)));
            }
            Request::Open(asked) => return self.open(Purpose::Open, asked),
            Request::OpenBeside(asked) => return self.open(Purpose::Beside, asked),
            Request::Record(format) => match self.record(format) {
                Ok(()) => return self.window.request_redraw(),
                Err(error) => Err(error),
            },
            Request::Wear(skin) => {
                self.asked.skin = skin;
                return self.read_again();
            }
            Request::Reload => {
                self.listing.decls_changed();
                return self.read_again();
            }
            Request::TicksPerSecond(ticks) => {
                self.ticks_per_second = ticks;
                return self.read_again();
            }
            Request::Save(save) => self.save(save),
        };
        self.panel.note(done.unwrap_or_else(|error| format!("{error:#}")));
        self.window.request_redraw();
    }

    /// Begins to record what is played, or stops.
    fn record(&mut self, format: record::Format) -> anyhow::Result<()> {
        if self.recording.take().is_some() {
            self.panel.note("the recording was stopped".into());
            return Ok(());
        }
        let player = self.player.as_ref().context("nothing is shown yet")?;
        let frame = self.frame.as_ref().context("the window has no size")?;
        let clip = player.current_clip().map_or(String::new(), |clip| format!("-{}", clip.name));
        let path = save::free_path(Path::new(""), &format!("{}{clip}", player.model().name), format.extension())?;
        let begun = Recording::begin(&self.jobs, self.window.gpu(), player, frame.size(), (path, format))?;
        self.recording = Some(begun);
        Ok(())
    }

    /// Writes something; a sentence on what was done.
    fn save(&mut self, save: Save) -> anyhow::Result<String> {
        save.carry_out(Shown {
            player: self.player.as_mut().context("nothing is shown yet")?,
            frame: self.frame.as_ref(),
            file: self.asked.files.first().map(PathBuf::as_path),
            clipboard: self.gui.context(),
            changes: &mut self.changes,
        })
    }

    /// Shows what the player has noted.
    fn tell_notes(&mut self) {
        for note in self.player.iter_mut().flat_map(Player::take_notes) {
            self.panel.note(note);
        }
    }
}

/// A window's size that its screen has room for, logical pixels.
fn within_screen(event_loop: &ActiveEventLoop, (width, height): (u32, u32)) -> (u32, u32) {
    let screen = event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
    let most = screen.map(|screen| screen.size().to_logical::<u32>(screen.scale_factor()));
    // A screen of no size is one that nothing is known of.
    match most.filter(|most| most.width > 0 && most.height > 0) {
        Some(most) => (width.min(most.width), height.min(most.height)),
        None => (width, height),
    }
}

/// A rectangle from the window's top left corner as a place from its lower left corner and a size, whole pixels.
fn pixels(rect: egui::Rect, (width, height): (u32, u32)) -> ((u32, u32), (u32, u32)) {
    let clamp = |value: f32, most: u32| (value.round().max(0.0) as u32).min(most);
    let (left, right) = (clamp(rect.left(), width), clamp(rect.right(), width));
    let (top, bottom) = (clamp(rect.top(), height), clamp(rect.bottom(), height));
    ((left, height - bottom), (right.saturating_sub(left), bottom.saturating_sub(top)))
}

/// Why files cannot be shown, with the line that is at fault.
fn failure(error: &LoadError) -> String {
    match error {
        LoadError::File { sources, diagnostics } => {
            diagnostics.last().map_or_else(|| error.to_string(), |last| draw::text(last, sources).trim_end().to_owned())
        }
        error => error.to_string(),
    }
}
