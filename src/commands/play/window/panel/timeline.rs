//! The timeline: time, range, playback, recording.

use super::{Panel, PanelInput, ask_if, button, change_if, choose_label, label, slider};
use crate::commands::play::window::request::{Command, Request};
use crate::commands::play::window::save::Save;
use crate::commands::play::window::theme::Colours;
use crate::commands::record::MediaFormat;
use bindpose::model::Clip;
use bindpose::play::{Playback, Repeat};
use bindpose_player::{Change, Player, State, edit};
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{
    Align2, Color32, CursorIcon, DragValue, FontId, Id, Painter, PopupCloseBehavior, Rect, Response, Sense, Stroke, Ui,
    Visuals, pos2, vec2,
};

/// Smallest distance between two marks of the scale, in points.
const MARK_DISTANCE: f32 = 7.0;
/// Smallest distance between two numbers of the scale, in points.
const NUMBER_DISTANCE: f32 = 46.0;
/// Width of a number, in points.
const NUMBER_WIDTH: f32 = 24.0;
/// Width of the word at the end of a loop, in points.
const WRAPS_WIDTH: f32 = 32.0;

/// The scale of a clip while it is being drawn.
struct Scale<'a> {
    painter: Painter,
    visuals: &'a Visuals,
    colours: Colours,
    response: &'a Response,
    /// Rectangle of the track, with numbers and letters above it.
    track: Rect,
    top: f32,
    state: &'a State,
    playback: &'a Playback,
    clip: &'a Clip,
}

impl Scale<'_> {
    fn x_of(&self, time: f64) -> f32 {
        self.track.left() + self.track.width() * (time / self.playback.duration()) as f32
    }

    fn x_of_frame(&self, frame: u64) -> f32 {
        self.x_of(frame as f64 / self.playback.frame_rate())
    }

    fn frames(&self) -> u64 {
        self.playback.last_frame().max(1)
    }

    fn draw_range(&self) {
        let (start, end) = self.playback.range();
        if self.playback.has_range() {
            let (left, right) = (pos2(self.x_of(start), self.track.top()), pos2(self.x_of(end), self.track.bottom()));
            let fill = self.visuals.selection.bg_fill.gamma_multiply(0.5);
            self.painter.rect_filled(Rect::from_min_max(left, right), 2.0, fill);
            for (time, name) in [(start, "A"), (end, "B")] {
                let (at, font) = (pos2(self.x_of(time), self.top), FontId::proportional(11.0));
                self.painter.vline(at.x, self.track.y_range(), Stroke::new(1.5, self.visuals.selection.stroke.color));
                self.painter.text(at, Align2::CENTER_TOP, name, font, self.visuals.strong_text_color());
            }
        } else {
            // Without a range, draggable handles at the ends of the clip.
            for (time, side) in [(start, 1.0), (end, -1.0)] {
                let (x, y) = (self.x_of(time), self.top + 3.0);
                let corners = vec![pos2(x, y), pos2(x + 6.0 * side, y), pos2(x, y + 9.0)];
                let fill = self.visuals.weak_text_color();
                self.painter.add(egui::Shape::convex_polygon(corners, fill, Stroke::NONE));
            }
        }
        // The last frame of a loop equals its first.
        if self.playback.repeat == Repeat::Loop {
            let beside_letter = 9.0;
            let (at, font) = (pos2(self.x_of(end) - beside_letter, self.top + 1.0), FontId::proportional(9.0));
            self.painter.text(at, Align2::RIGHT_TOP, "wraps", font, self.visuals.weak_text_color());
        }
    }

    fn draw_frames(&self) {
        let (frames, track, weak) = (self.frames(), self.track, self.visuals.weak_text_color());
        let width = track.width() / frames as f32;
        let step = |distance: f32| {
            let steps = [1_u64, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000];
            steps.into_iter().find(|&step| step as f32 * width >= distance).unwrap_or(1_000_000)
        };
        let (marks, numbers) = (step(MARK_DISTANCE), step(NUMBER_DISTANCE));
        for frame in (0..=frames).step_by(marks as usize) {
            let x = self.x_of_frame(frame);
            let is_numbered = frame % numbers == 0;
            let top = if is_numbered { track.top() + 2.0 } else { track.bottom() - 6.0 };
            self.painter.vline(x, top..=track.bottom(), Stroke::new(1.0, weak.gamma_multiply(0.5)));
            if is_numbered {
                // The last number is left of its mark, all others are right of theirs.
                let (offset, align) = match x + 2.0 + NUMBER_WIDTH > track.right() {
                    true => (-2.0, Align2::RIGHT_TOP),
                    false => (2.0, Align2::LEFT_TOP),
                };
                let at = pos2(x + offset, track.top() + 1.0);
                self.painter.text(at, align, frame, FontId::proportional(9.0), weak);
            }
        }
    }

    /// Draws the keys of the selected joint, or of all joints unless every frame has a key.
    fn draw_keys(&self) {
        let keys = edit::key_times(self.clip, self.state.joint);
        let is_every_frame = keys.len() as u64 == self.frames() + 1 && self.state.joint.is_none();
        if !is_every_frame && (keys.len() as f32) < self.track.width() {
            for key in keys {
                self.painter.circle_filled(pos2(self.x_of(key), self.track.bottom() - 3.0), 2.0, self.colours.key);
            }
        }
    }

    /// Draws frame commands as lines, with their words where they fit. The tooltip has all words.
    fn draw_events(&self) {
        let (mut free, mut pointed) = (self.track.left(), Vec::new());
        let event = self.colours.event;
        let frames = self.frames();
        for (frame, text) in self.state.events_of(self.clip).into_iter().filter(|(frame, _)| *frame <= frames) {
            let x = self.x_of_frame(frame);
            self.painter.vline(x, self.track.y_range(), Stroke::new(1.5, event));
            let words = self.painter.layout_no_wrap(text.clone(), FontId::proportional(9.0), event);
            let end = x + 3.0 + words.size().x;
            if x >= free && end <= self.track.right() - WRAPS_WIDTH {
                self.painter.galley(pos2(x + 3.0, self.top + 1.0), words, event);
                free = end + 6.0;
            }
            if self.response.hover_pos().is_some_and(|pointer| (pointer.x - x).abs() <= MARK_DISTANCE / 2.0) {
                pointed.push(format!("frame {frame}: {text}"));
            }
        }
        if !pointed.is_empty() {
            self.response.clone().on_hover_text_at_pointer(pointed.join("\n"));
        }
    }

    fn draw_time(&self) {
        let (x, y) = (self.x_of(self.playback.time()), self.top + 5.0);
        self.painter.vline(x, self.track.y_range(), Stroke::new(2.0, self.colours.now));
        let handle = vec![pos2(x - 5.0, y), pos2(x + 5.0, y), pos2(x, self.track.top())];
        self.painter.add(egui::Shape::convex_polygon(handle, self.colours.now, Stroke::NONE));
    }

    /// Returns the end of the range, 0 or 1, whose handle is at a point.
    fn end_at(&self, at: egui::Pos2) -> Option<usize> {
        /// Largest distance from a handle, in points.
        const REACH: f32 = 6.0;
        let (start, end) = self.playback.range();
        let is_letter = at.y < self.track.top();
        let distance = |time: f64| (self.x_of(time) - at.x).abs();
        let near = (0..2).filter(|&number| distance([start, end][number]) <= REACH);
        near.min_by(|&a, &b| distance([start, end][a]).total_cmp(&distance([start, end][b]))).filter(|_| is_letter)
    }

    /// Moves an end of the range to the nearest frame.
    fn drag_end(&self, end: usize, x: f32, commands: &mut Vec<Command>) {
        let share = f64::from((x - self.track.left()) / self.track.width()).clamp(0.0, 1.0);
        let rate = self.playback.frame_rate();
        let time = ((share * self.playback.duration() * rate).round() / rate).min(self.playback.duration());
        let (start, last) = self.playback.range();
        let range = if end == 0 { (time.min(last - 1.0 / rate), last) } else { (start, time.max(start + 1.0 / rate)) };
        commands.push(Command::Change(Change::Range(Some(range))));
    }

    /// Goes to the time under the pointer and pauses during the drag, or moves an end of the range.
    fn drag(&self, scrubbing: &mut Option<bool>, dragged_end: &mut Option<usize>, commands: &mut Vec<Command>) {
        let response = self.response;
        let end = dragged_end.or_else(|| self.end_at(response.hover_pos()?));
        if end.is_some() {
            response.ctx.set_cursor_icon(CursorIcon::ResizeHorizontal);
        }
        if response.drag_started() {
            let pressed = response.ctx.input(|input| input.pointer.press_origin());
            *dragged_end = pressed.and_then(|at| self.end_at(at));
        }
        if let (Some(end), Some(at)) = (*dragged_end, response.interact_pointer_pos()) {
            self.drag_end(end, at.x, commands);
            if response.drag_stopped() {
                *dragged_end = None;
            }
            return;
        }
        if let Some(at) = response.interact_pointer_pos() {
            if response.drag_started() || response.clicked() {
                scrubbing.get_or_insert(!self.playback.paused);
                commands.push(Command::Change(Change::Pause(true)));
            }
            let share = f64::from((at.x - self.track.left()) / self.track.width()).clamp(0.0, 1.0);
            commands.push(Command::Change(Change::Seek(share * self.playback.duration())));
        }
        if response.drag_stopped() || response.clicked() {
            change_if(scrubbing.take() == Some(true), commands, Change::Pause(false));
        }
    }
}

impl Panel {
    pub(super) fn timeline(
        &mut self,
        ui: &mut Ui,
        player: &mut Player,
        input: &PanelInput<'_>,
        commands: &mut Vec<Command>,
    ) {
        ui.add_space(4.0);
        self.scale(ui, player, commands);
        ui.horizontal_wrapped(|ui| {
            // All controls have to fit in one row of a window of usual width. In a narrow one they have two rows.
            ui.spacing_mut().item_spacing.x = 4.0;
            let playback = &player.state.playback;
            let mut controls = |ui: &mut Ui| {
                transport(ui, playback, commands);
                ui.separator();
                speed(ui, playback, commands);
                ui.separator();
                self.ranges(ui, player, commands);
                ui.separator();
            };
            match playback.duration() > 0.0 {
                true => controls(ui),
                false => _ = ui.add_enabled_ui(false, controls),
            }
            let curves = player.state.curves.is_some();
            let about = "curves over the clip: of the selected joint, or of the difference in a split view (ctrl+g)";
            change_if(label(ui, curves, "curves", about), commands, player.state.toggle_curves());
            record(ui, input, commands);
            // Their width depends on the clip. After the buttons, they move none.
            if playback.duration() > 0.0 {
                ui.separator();
                time_fields(ui, playback, commands);
            }
        });
        ui.add_space(2.0);
    }

    fn scale(&mut self, ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
        let (response, painter) = ui.allocate_painter(vec2(ui.available_width(), 40.0), Sense::click_and_drag());
        let rect = response.rect.shrink2(vec2(8.0, 0.0));
        let visuals = ui.visuals();
        let track = Rect::from_min_max(pos2(rect.left(), rect.top() + 14.0), pos2(rect.right(), rect.bottom() - 6.0));
        painter.rect_filled(track.expand2(vec2(4.0, 0.0)), 3.0, visuals.extreme_bg_color);
        let (state, playback) = (&player.state, &player.state.playback);
        let Some(clip) = player.current_clip().filter(|_| playback.duration() > 0.0) else {
            let text = if player.current_clip().is_some() { "a clip of one frame" } else { "no clip: the rest pose" };
            let (font, color) = (FontId::proportional(12.0), visuals.weak_text_color());
            painter.text(track.center(), Align2::CENTER_CENTER, text, font, color);
            return;
        };
        let colours = Colours::of(visuals);
        let scale =
            Scale { painter, visuals, colours, response: &response, track, top: rect.top(), state, playback, clip };
        scale.draw_range();
        scale.draw_frames();
        scale.draw_keys();
        scale.draw_events();
        scale.draw_time();
        scale.drag(&mut self.scrubbing, &mut self.dragged_end, commands);
    }

    fn ranges(&mut self, ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
        change_if(button(ui, "A", "start the range here (a)"), commands, player.state.range_from_here());
        change_if(button(ui, "B", "end the range here (b)"), commands, player.state.range_to_here());
        let has_range = player.state.playback.has_range();
        let whole =
            ui.add_enabled(has_range, egui::Button::new("whole")).on_hover_text("play the whole clip (shift+a)");
        change_if(whole.clicked(), commands, Change::Range(None));
        // A click into the text field must not close the menu.
        let stays = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let menu = MenuButton::new("ranges").config(stays);
        let name = Id::new("name of the range");
        let (opener, menu) = menu.ui(ui, |ui| {
            ui.label("A range with a name can be played again. Set it by A and B, or drag the\nmarks above the scale; it is saved beside the model.");
            ui.horizontal(|ui| {
                let field = egui::TextEdit::singleline(&mut self.range_name).hint_text("name").desired_width(120.0);
                let field = ui.add(field.id(name));
                let can_save = has_range && !self.range_name.trim().is_empty();
                let about = "saves the range under this name beside the model; set the range with A and B first";
                let saved = ui.add_enabled(can_save, egui::Button::new("save"));
                let saved = saved.on_hover_text(about).on_disabled_hover_text(about);
                let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
                if saved.clicked() || is_entered && can_save {
                    commands.push(Command::Change(Change::NameRange(std::mem::take(&mut self.range_name))));
                    commands.push(Command::Request(Request::Save(Save::Ranges)));
                }
            });
            named_ranges(ui, player, commands);
        });
        if opener.clicked() && menu.is_some() && has_range {
            ui.memory_mut(|memory| memory.request_focus(name));
        }
        opener.on_hover_text("named ranges: save this one, play another (u)");
    }
}

fn transport(ui: &mut Ui, playback: &Playback, commands: &mut Vec<Command>) {
    let play = if playback.paused { "▶" } else { "⏸" };
    change_if(button(ui, "⏮", "first frame (home)"), commands, Change::First);
    change_if(button(ui, "⏪", "previous frame (left)"), commands, Change::StepFrames(-1));
    let size = vec2(34.0, ui.spacing().interact_size.y);
    let pressed = ui.add_sized(size, egui::Button::new(play)).on_hover_text("play, pause (space)").clicked();
    change_if(pressed, commands, Change::TogglePause);
    change_if(button(ui, "⏩", "next frame (right)"), commands, Change::StepFrames(1));
    change_if(button(ui, "⏭", "last frame (end)"), commands, Change::Last);
}

/// Draws frame and time as numbers to drag or type.
fn time_fields(ui: &mut Ui, playback: &Playback, commands: &mut Vec<Command>) {
    // The widest text sets the width. A varying width would move the following controls while the clip plays.
    let sized = |ui: &mut Ui, widest: &str, field: DragValue<'_>, about: &str| {
        let size = vec2(button_width(ui, widest), ui.spacing().interact_size.y);
        ui.add_sized(size, field).on_hover_text(about).changed()
    };
    let (last, duration) = (playback.last_frame(), playback.duration());
    let mut frame = playback.time() * playback.frame_rate();
    let field = DragValue::new(&mut frame).range(0.0..=last as f64).max_decimals(2).speed(0.2).prefix("frame ");
    let field = field.custom_formatter(|frame, _| format!("{:.2}", Trimmed(frame)));
    let edited = sized(ui, &format!("frame {last}.00"), field, "current frame: drag, or type a number; pauses");
    seek_if(edited, commands, frame / playback.frame_rate());
    ui.label(format!("of {last}"));
    let mut time = playback.time();
    let field = DragValue::new(&mut time).range(0.0..=duration).fixed_decimals(3).speed(0.005).suffix(" s");
    let edited = sized(ui, &format!("{duration:.3} s"), field, "current time, seconds; pauses");
    seek_if(edited, commands, time);
    ui.label(format!("of {duration:.3} s at {:.4} fps", Trimmed(playback.frame_rate())));
}

/// Pauses at a time that was typed or dragged.
fn seek_if(edited: bool, commands: &mut Vec<Command>, time: f64) {
    change_if(edited, commands, Change::Pause(true));
    change_if(edited, commands, Change::Seek(time));
}

fn speed(ui: &mut Ui, playback: &Playback, commands: &mut Vec<Command>) {
    let text = |repeat: Repeat| (repeat.name(), format!("{} (l)", repeat.about()));
    commands.extend(choose_label(ui, &Repeat::ALL, playback.repeat, text).map(Change::Repeat).map(Command::Change));
    ui.separator();
    let mut speed = playback.speed.abs();
    let sign = if playback.speed < 0.0 { -1.0 } else { 1.0 };
    ui.spacing_mut().slider_width = 80.0;
    let slider = slider(&mut speed, 0.05..=4.0).logarithmic(true).max_decimals(2).suffix("x");
    // A slider does not know its width, so it would begin in a row that is too short for it.
    let size = vec2(ui.spacing().slider_width + 8.0 + button_width(ui, "0.00x"), ui.spacing().interact_size.y);
    let moved = ui.allocate_ui(size, |ui| ui.add(slider)).inner.on_hover_text("speed ([ and ])").changed();
    change_if(moved, commands, Change::Speed(sign * speed));
    change_if(button(ui, "1x", "the clip's own speed"), commands, Change::Speed(sign));
    let clicked = label(ui, sign < 0.0, "reverse", "play backwards (backspace)");
    change_if(clicked, commands, Change::Speed(-playback.speed));
}

fn record(ui: &mut Ui, input: &PanelInput<'_>, commands: &mut Vec<Command>) {
    let (text, about, request) = match input.recording {
        Some(_) => ("stop", "discards the recording (shift+f12)", Request::Record(MediaFormat::Gif)),
        None => {
            let about = "records the clip or its range as .gif, .apng, .mp4, .webm or images (ctrl+f12)";
            ("record…", about, Request::RecordForm)
        }
    };
    let size = vec2(button_width(ui, "record…"), ui.spacing().interact_size.y);
    let clicked = ui.add_sized(size, egui::Button::new(text)).on_hover_text(about).clicked();
    ask_if(clicked, commands, request);
    ask_if(
        button(ui, "convert…", "writes the model as glTF, MD5, .x, IQM, OBJ, .mdl or .md3 (ctrl+e)"),
        commands,
        Request::ConvertForm,
    );
}

/// Draws buttons that play or delete named ranges.
pub(super) fn named_ranges(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    for (number, range) in player.state.ranges.iter().enumerate() {
        ui.horizontal(|ui| {
            let is_played = player.state.plays_range(number, player.model());
            let has_clip = player.model().clips.iter().any(|clip| clip.name == range.clip);
            let label = egui::Button::selectable(is_played, &range.name);
            let picked = ui.add_enabled(has_clip, label).on_hover_text("click to play it");
            let picked = picked.on_disabled_hover_text("its clip is not loaded");
            change_if(picked.clicked(), commands, Change::PickRange(number));
            ui.weak(format!("{}, {:.2} to {:.2} s", range.clip, range.start, range.end));
            if button(ui, "🗑", "delete this range") {
                commands.push(Command::Change(Change::RemoveRange(number)));
                commands.push(Command::Request(Request::Save(Save::Ranges)));
            }
        });
    }
}

/// Returns the width of a button with a text, in points. All digits have the same width.
fn button_width(ui: &Ui, text: &str) -> f32 {
    let font = egui::TextStyle::Button.resolve(ui.style());
    let galley = ui.painter().layout_no_wrap(text.to_owned(), font, Color32::PLACEHOLDER);
    galley.size().x + 2.0 * ui.spacing().button_padding.x
}

struct Trimmed(f64);

impl std::fmt::Display for Trimmed {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.*}", out.precision().unwrap_or(3), self.0);
        out.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}
