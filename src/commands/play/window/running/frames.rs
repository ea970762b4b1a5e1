//! Frames. They are drawn as often as the screen allows while something moves, otherwise only after events.

use super::{NOTICED, Running, Unseen};
use crate::commands::output::tell;
use crate::commands::play::window::panel::{PanelInput, Problem};
use crate::commands::play::window::recording::Recording;
use crate::commands::play::window::trace;
use bindpose::render::{Error, RenderTarget};
use bindpose_player::State;
use std::time::{Duration, Instant};
use winit::event_loop::ActiveEventLoop;

/// Shortest frame time if the screen does not limit it.
const SHORTEST_FRAME: Duration = Duration::from_micros(1_000_000 / 144);
/// Total time of use during which a hint is shown, in seconds.
const FIRST_MINUTE: f64 = 60.0;
/// Number of copies from which on the first frame takes so long that it is announced.
const MANY_COPIES: usize = 1000;
/// Time without movement after which a frame is drawn with all samples.
const SETTLED: Duration = Duration::from_millis(100);
/// Update period of the title.
const TITLE_PERIOD: Duration = Duration::from_millis(200);

impl Running<'_> {
    pub fn draw(&mut self, event_loop: &ActiveEventLoop) -> Result<(), Error> {
        self.schedule.is_out_of_sight = self.window.is_out_of_sight();
        if self.schedule.is_out_of_sight {
            return Ok(());
        }
        self.input.unseen = Unseen::default();
        let now = Instant::now();
        let passed = now.duration_since(self.schedule.drawn_at).as_secs_f64();
        self.settings.used = (self.settings.used + passed).min(FIRST_MINUTE);
        // The clip does not jump after the program was suspended.
        let passed = passed.min(0.25);
        self.schedule.drawn_at = now;
        let copies = self.player.as_ref().map_or(0, |player| player.state.copies);
        if copies >= MANY_COPIES && !std::mem::replace(&mut self.schedule.has_announced, true) {
            self.draw_text(&format!("posing {copies} copies"))?;
            self.window.request_redraw();
            return Ok(());
        }
        let Some(player) = &mut self.player else { return self.draw_loading() };
        player.state.advance(passed);
        let input = PanelInput {
            current: &self.session.current,
            report: self.session.report.as_ref(),
            game_models: self.session.game_list.models(),
            recent: &self.settings.recent,
            theme: self.settings.theme,
            loading: self.background.loading.longer_than(NOTICED).map(|(name, _)| name),
            ticks_per_second: self.session.ticks_per_second,
            is_fullscreen: self.window.is_fullscreen(),
            view_size: self.frame.as_ref().map_or((0, 0), RenderTarget::size),
            is_new_user: self.settings.used < FIRST_MINUTE,
            unsaved_turns: self.session.unsaved_turns(player),
            recording: self.background.recording.as_ref().map(Recording::progress),
            frames_per_second: self.title.rate.shown,
        };
        let (panel, mut output) = (&mut self.panel, None);
        let pass = self.gui.run(&self.window, |ctx| output = Some(panel.build(ctx, player, &input)));
        let repaint_after = pass.repaint_after;
        let (commands, view) = output.map_or((Vec::new(), egui::Rect::ZERO), |output| (output.commands, output.view));
        // Names over the view are laid out before the view is drawn.
        let mut has_changed = !commands.is_empty() || std::mem::take(&mut self.input.was_commanded);
        commands.into_iter().for_each(|command| self.carry_out(event_loop, command));
        let scale = self.gui.context().pixels_per_point();
        let (corner, size) = pixels(view * scale, self.window.size());
        has_changed |= self.draw_view(size, scale)?;
        self.gui.present(&self.window, self.frame.as_ref().map(|frame| (frame, corner)), pass)?;
        if let Some(mut times) = self.schedule.times.take() {
            self.window.gpu().finish();
            times.mark("first frame");
            if self.args.timing {
                tell!("{times}");
            }
            self.check();
        }
        self.panel.count_frame(now.elapsed().as_secs_f32() * 1000.0);
        self.title.rate.count();
        self.schedule(now, has_changed, repaint_after);
        self.show_state(now);
        self.read_for_browser();
        Ok(())
    }

    /// Starts the jobs that the Files page waits for.
    fn read_for_browser(&mut self) {
        if let Some(model) = self.panel.browser.next_wanted() {
            self.background.jobs.thumbnail(model);
        }
        if let Some(folder) = self.panel.browser.next_list() {
            self.background.jobs.list_folder(folder);
        }
    }

    /// Draws the player into a target of `size` pixels, with lines `scale` times as wide. Returns true if a problem appeared or disappeared.
    fn draw_view(&mut self, size: (u32, u32), scale: f32) -> Result<bool, Error> {
        let samples = self.samples();
        if self.frame.as_ref().is_none_or(|frame| (frame.size(), frame.samples()) != (size, samples)) {
            self.frame = None;
            if size.0 > 0 && size.1 > 0 {
                self.frame = Some(RenderTarget::with_samples(self.window.gpu(), size.0, size.1, samples)?);
            }
        }
        let (Some(frame), Some(player)) = (&self.frame, &mut self.player) else { return Ok(false) };
        let before = self.panel.problems.remove(&Problem::Drawing);
        player.state.settings.scale = scale;
        if let Err(error) = player.draw(frame) {
            // Another method may be able to draw it.
            self.panel.problems.insert(Problem::Drawing, error.to_string());
        }
        Ok(before.as_ref() != self.panel.problems.get(&Problem::Drawing))
    }

    /// Returns the samples per pixel of the next frame.
    fn samples(&mut self) -> u32 {
        let state = self.player.as_ref().map(|player| &player.state);
        let camera = state.map(|state| state.camera);
        let is_moving = state.is_some_and(State::is_moving) || self.schedule.last_camera != camera;
        self.schedule.last_camera = camera;
        self.args.scene.samples.unwrap_or_else(|| self.window.gpu().samples(is_moving))
    }

    /// Draws a line of text while the first files are read.
    fn draw_loading(&mut self) -> Result<(), Error> {
        let reading = self.background.loading.longer_than(Duration::ZERO);
        let text =
            reading.map_or(String::new(), |(name, since)| format!("reading {name}, {:.0} s", since.as_secs_f64()));
        self.draw_text(&text)?;
        self.schedule.due = Some(Instant::now() + Duration::from_millis(250));
        Ok(())
    }

    fn draw_text(&mut self, text: &str) -> Result<(), Error> {
        let pass = self.gui.run(&self.window, |ctx| {
            egui::CentralPanel::default().show(ctx, |ui| {
                ui.centered_and_justified(|ui| ui.label(text));
            });
        });
        self.gui.present(&self.window, None, pass)
    }

    /// Schedules the next frame if something moves or changes by itself.
    fn schedule(&mut self, now: Instant, has_changed: bool, repaint_after: Duration) {
        let is_moving = self.player.as_ref().is_some_and(|player| player.state.is_moving());
        let by_itself = if is_moving { Some(SHORTEST_FRAME) } else { None };
        // The panel was laid out before the commands ran.
        let after = if has_changed { Some(Duration::ZERO) } else { None };
        // After the last movement, the frame is drawn again with all samples.
        let is_coarse = self.frame.as_ref().is_some_and(|frame| frame.samples() < self.window.gpu().samples(false));
        let at_rest = (is_coarse && self.args.scene.samples.is_none()).then_some(SETTLED);
        let of_gui = Some(repaint_after).filter(|&delay| delay < Duration::from_secs(60));
        let of_loading = self.background.loading.is_busy().then_some(NOTICED);
        let of_hint = Some(FIRST_MINUTE - self.settings.used).filter(|&left| left > 0.0);
        let of_hint = of_hint.map(Duration::from_secs_f64);
        let first = [by_itself, after, at_rest, of_gui, of_loading, of_hint, self.panel.next_change()];
        let first = first.into_iter().flatten().min();
        self.schedule.due = first.and_then(|delay| now.checked_add(delay));
    }

    /// Updates the title and the trace.
    fn show_state(&mut self, now: Instant) {
        let Some(player) = &self.player else { return };
        if self.title.shown_at.is_none_or(|then| then.elapsed() > TITLE_PERIOD) {
            self.title.shown_at = Some(now);
            let title = player.title(self.title.rate.shown);
            if title != self.title.text {
                self.window.set_title(&title);
                self.title.text = title;
            }
        }
        if self.args.trace_events {
            let has_menu = egui::Popup::is_any_open(self.gui.context());
            let flags = [self.background.recording.is_some(), has_menu, self.settings.used < FIRST_MINUTE];
            let report = self.session.report.as_ref();
            let traced = trace::line(player, &self.session.current, &self.panel, report, flags);
            if traced != self.title.traced {
                tell!("{traced}");
                self.title.traced = traced;
            }
        }
    }
}

/// Converts a rectangle in pixels from the window's top left corner. Returns its lower left corner relative to the
/// window's, and its size.
fn pixels(rect: egui::Rect, (width, height): (u32, u32)) -> ((u32, u32), (u32, u32)) {
    let clamp = |value: f32, most: u32| (value.round().max(0.0) as u32).min(most);
    let (left, right) = (clamp(rect.left(), width), clamp(rect.right(), width));
    let (top, bottom) = (clamp(rect.top(), height), clamp(rect.bottom(), height));
    ((left, height - bottom), (right.saturating_sub(left), bottom.saturating_sub(top)))
}
