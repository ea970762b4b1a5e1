//! Pictures: of what moves as often as the screen allows, of what rests none.

use super::{NOTICED, Running};
use crate::commands::output::tell;
use crate::commands::play::window::panel::{Trouble, World};
use crate::commands::play::window::recording::Recording;
use crate::commands::play::window::trace;
use bindpose::render::{Error, RenderTarget};
use std::time::{Duration, Instant};
use winit::event_loop::ActiveEventLoop;

/// Where the screen does not set the pace.
const SHORTEST_FRAME: Duration = Duration::from_micros(1_000_000 / 144);
/// How often figures in the title change.
const TITLE_PERIOD: Duration = Duration::from_millis(200);

impl Running<'_> {
    pub(super) fn draw(&mut self, event_loop: &ActiveEventLoop) -> Result<(), Error> {
        self.is_out_of_sight = self.window.is_out_of_sight();
        if self.is_out_of_sight {
            return Ok(());
        }
        (self.is_button_unseen, self.is_move_unseen, self.is_text_unseen) = (false, false, false);
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
            let has_menu = egui::Popup::is_any_open(self.gui.context());
            let flags = [self.recording.is_some(), has_menu, self.report.is_some()];
            let traced = trace::line(player, &self.asked, &self.panel, flags);
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
}

/// A rectangle from the window's top left corner as a place from its lower left corner and a size, whole pixels.
fn pixels(rect: egui::Rect, (width, height): (u32, u32)) -> ((u32, u32), (u32, u32)) {
    let clamp = |value: f32, most: u32| (value.round().max(0.0) as u32).min(most);
    let (left, right) = (clamp(rect.left(), width), clamp(rect.right(), width));
    let (top, bottom) = (clamp(rect.top(), height), clamp(rect.bottom(), height));
    ((left, height - bottom), (right.saturating_sub(left), bottom.saturating_sub(top)))
}
