//! The bar at the bottom: where the clip stands, and how it is played.

use super::{Panel, World, act_if, ask_if, button};
use crate::commands::play::window::request::{Command, Request};
use crate::commands::play::window::save::Save;
use crate::commands::record::MediaFormat;
use bindpose::play::Repeat;
use bindpose::player::{Action, Clock, Player, edit};
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{Align2, Color32, FontId, PopupCloseBehavior, Pos2, Rect, Sense, Stroke, Ui, pos2, vec2};

/// Points between two marks of the scale, at least.
const APART: f32 = 7.0;
/// Points between two numbers of the scale, at least.
const NUMBERS_APART: f32 = 46.0;
/// Points that a number takes, at most.
const NUMBER_WIDTH: f32 = 24.0;
/// Points that the word at the end of a loop takes.
const WRAPS_WIDTH: f32 = 32.0;
/// What a game does at a frame.
const EVENT: Color32 = Color32::from_rgb(110, 200, 160);

impl Panel {
    pub(super) fn timeline(
        &mut self,
        ui: &mut Ui,
        player: &mut Player,
        world: &World<'_>,
        commands: &mut Vec<Command>,
    ) {
        ui.add_space(4.0);
        self.scale(ui, player, commands);
        ui.horizontal_wrapped(|ui| self.transport(ui, player, world, commands));
        ui.add_space(2.0);
    }

    /// The scale with frames, keys, range and the present moment; a drag goes to where it is.
    fn scale(&mut self, ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
        let (response, painter) = ui.allocate_painter(vec2(ui.available_width(), 40.0), Sense::click_and_drag());
        let rect = response.rect.shrink2(vec2(8.0, 0.0));
        let visuals = ui.visuals();
        let track = Rect::from_min_max(pos2(rect.left(), rect.top() + 14.0), pos2(rect.right(), rect.bottom() - 6.0));
        painter.rect_filled(track.expand2(vec2(4.0, 0.0)), 3.0, visuals.extreme_bg_color);
        let playback = &player.state.playback;
        let Some(clip) = player.current_clip().filter(|_| playback.duration() > 0.0) else {
            let text = if player.current_clip().is_some() { "a clip of one frame" } else { "no clip: the rest pose" };
            painter.text(
                track.center(),
                Align2::CENTER_CENTER,
                text,
                FontId::proportional(12.0),
                visuals.weak_text_color(),
            );
            return;
        };
        let (duration, rate) = (playback.duration(), playback.frame_rate());
        let x_of = |time: f64| track.left() + track.width() * (time / duration) as f32;
        // The part that is played.
        let (start, end) = playback.range();
        if playback.has_range() {
            let part = Rect::from_min_max(pos2(x_of(start), track.top()), pos2(x_of(end), track.bottom()));
            painter.rect_filled(part, 2.0, visuals.selection.bg_fill.gamma_multiply(0.5));
            for (time, name) in [(start, "A"), (end, "B")] {
                let x = x_of(time);
                painter.vline(x, track.y_range(), Stroke::new(1.5, visuals.selection.stroke.color));
                painter.text(
                    pos2(x, rect.top()),
                    Align2::CENTER_TOP,
                    name,
                    FontId::proportional(11.0),
                    visuals.strong_text_color(),
                );
            }
        }
        // Frames.
        let frames = playback.last_frame().max(1);
        let width = track.width() / frames as f32;
        let step = |apart: f32| {
            let steps = [1_u64, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000];
            steps.into_iter().find(|&step| step as f32 * width >= apart).unwrap_or(1_000_000)
        };
        let (marks, numbers) = (step(APART), step(NUMBERS_APART));
        for frame in (0..=frames).step_by(marks as usize) {
            let x = x_of(frame as f64 / rate);
            let is_numbered = frame % numbers == 0;
            let top = if is_numbered { track.top() + 2.0 } else { track.bottom() - 6.0 };
            painter.vline(x, top..=track.bottom(), Stroke::new(1.0, visuals.weak_text_color().gamma_multiply(0.5)));
            if is_numbered {
                // The last one has no room behind its mark.
                let (behind, align) = match x + 2.0 + NUMBER_WIDTH > track.right() {
                    true => (-2.0, Align2::RIGHT_TOP),
                    false => (2.0, Align2::LEFT_TOP),
                };
                let place = pos2(x + behind, track.top() + 1.0);
                painter.text(place, align, frame, FontId::proportional(9.0), visuals.weak_text_color());
            }
        }
        // Keys of the selected joint, or of all: only where they are not simply every frame.
        let keys = edit::key_times(clip, player.state.joint);
        let is_every_frame = keys.len() as u64 == frames + 1 && player.state.joint.is_none();
        if !is_every_frame && (keys.len() as f32) < track.width() {
            for key in keys {
                let place = pos2(x_of(key), track.bottom() - 3.0);
                painter.circle_filled(place, 2.0, Color32::from_rgb(230, 170, 60));
            }
        }
        // What the game does at frames: a line, and its words where they have room; all of them where the pointer is.
        let mut free = track.left();
        let mut pointed = Vec::new();
        for (frame, text) in player.state.events_of(clip).into_iter().filter(|(frame, _)| *frame <= frames) {
            let x = x_of(frame as f64 / rate);
            painter.vline(x, track.y_range(), Stroke::new(1.5, EVENT));
            let words = painter.layout_no_wrap(text.clone(), FontId::proportional(9.0), EVENT);
            let end = x + 3.0 + words.size().x;
            if x >= free && end <= track.right() - WRAPS_WIDTH {
                painter.galley(pos2(x + 3.0, rect.top() + 1.0), words, EVENT);
                free = end + 6.0;
            }
            if response.hover_pos().is_some_and(|pointer| (pointer.x - x).abs() <= APART / 2.0) {
                pointed.push(format!("frame {frame}: {text}"));
            }
        }
        if !pointed.is_empty() {
            response.clone().on_hover_text_at_pointer(pointed.join("\n"));
        }
        // The last frame of a loop is the moment at which it begins again.
        if playback.repeat == Repeat::Loop {
            // Beside the letter that ends a range.
            let aside = if playback.has_range() { 8.0 } else { 0.0 };
            let place = pos2(x_of(end) - aside, rect.top() + 1.0);
            painter.text(place, Align2::RIGHT_TOP, "wraps", FontId::proportional(9.0), visuals.weak_text_color());
        }
        let x = x_of(playback.time());
        painter.vline(x, track.y_range(), Stroke::new(2.0, Color32::from_rgb(255, 120, 80)));
        let handle = vec![pos2(x - 5.0, rect.top() + 5.0), pos2(x + 5.0, rect.top() + 5.0), pos2(x, track.top())];
        painter.add(egui::Shape::convex_polygon(handle, Color32::from_rgb(255, 120, 80), Stroke::NONE));
        // Dragging pauses, letting go plays on.
        if let Some(Pos2 { x, .. }) = response.interact_pointer_pos() {
            if response.drag_started() || response.clicked() {
                self.scrubbing.get_or_insert(!playback.paused);
                commands.push(Command::Act(Action::Pause(true)));
            }
            let time = f64::from((x - track.left()) / track.width()).clamp(0.0, 1.0) * duration;
            commands.push(Command::Act(Action::Seek(time)));
        }
        if response.drag_stopped() || response.clicked() {
            act_if(self.scrubbing.take() == Some(true), commands, Action::Pause(false));
        }
    }

    fn transport(&mut self, ui: &mut Ui, player: &Player, world: &World<'_>, commands: &mut Vec<Command>) {
        let playback = &player.state.playback;
        let play = if playback.paused { "▶" } else { "⏸" };
        act_if(button(ui, "⏮", "first frame (home)"), commands, Action::First);
        act_if(button(ui, "⏪", "previous frame (left)"), commands, Action::Step(-1));
        let size = vec2(34.0, ui.spacing().interact_size.y);
        let pressed = ui.add_sized(size, egui::Button::new(play)).on_hover_text("play, pause (space)").clicked();
        act_if(pressed, commands, Action::TogglePause);
        act_if(button(ui, "⏩", "next frame (right)"), commands, Action::Step(1));
        act_if(button(ui, "⏭", "last frame (end)"), commands, Action::Last);
        ui.separator();
        let mut frame = playback.time() * playback.frame_rate();
        let last = playback.last_frame();
        let field =
            egui::DragValue::new(&mut frame).range(0.0..=last as f64).max_decimals(2).speed(0.2).prefix("frame ");
        let field = field.custom_formatter(|frame, _| format!("{:.2}", Trimmed(frame)));
        // As wide as it may become: what stands behind it would move while the clip plays.
        let edited = ui
            .add_sized(vec2(as_wide_as(ui, &format!("frame {last}.00")), size.y), field)
            .on_hover_text("the frame that is shown: drag, or type a number");
        act_if(edited.changed(), commands, Action::Seek(frame / playback.frame_rate()));
        ui.label(format!("of {last}"));
        let mut time = playback.time();
        let duration = playback.duration();
        let field = egui::DragValue::new(&mut time).range(0.0..=duration).fixed_decimals(3).speed(0.005).suffix(" s");
        let edited = ui
            .add_sized(vec2(as_wide_as(ui, &format!("{duration:.3} s")), size.y), field)
            .on_hover_text("the moment that is shown, seconds");
        act_if(edited.changed(), commands, Action::Seek(time));
        ui.label(format!("of {:.3} s at {:.4} fps", playback.duration(), Trimmed(playback.frame_rate())));
        ui.separator();
        for repeat in Repeat::ALL {
            let label = ui.selectable_label(playback.repeat == repeat, repeat.name());
            let chosen = label.on_hover_text(format!("{} (l)", repeat.about())).clicked();
            act_if(chosen, commands, Action::Repeat(repeat));
        }
        ui.separator();
        let mut speed = playback.speed.abs();
        let sign = if playback.speed < 0.0 { -1.0 } else { 1.0 };
        ui.spacing_mut().slider_width = 80.0;
        let slider = egui::Slider::new(&mut speed, 0.05..=4.0).logarithmic(true).max_decimals(2).suffix("x");
        let moved = ui.add(slider).on_hover_text("speed ([ and ])").changed();
        act_if(moved, commands, Action::Speed(sign * speed));
        act_if(button(ui, "1x", "the clip's own speed"), commands, Action::Speed(sign));
        let backwards = ui.selectable_label(sign < 0.0, "reverse").on_hover_text("backwards (backspace)").clicked();
        act_if(backwards, commands, Action::Backwards);
        ui.separator();
        self.ranges(ui, player, commands);
        Self::record(ui, world, commands);
        ui.separator();
        let clock = player.state.clock;
        ui.menu_button(format!("clock: {}", clock.name()), |ui| {
            for offered in Clock::ALL {
                let chosen = ui.selectable_label(clock == offered, offered.name()).on_hover_text(offered.about());
                act_if(chosen.clicked(), commands, Action::Clock(offered));
            }
        })
        .response
        .on_hover_text("which moments of the clip are shown (shift l)");
    }

    fn record(ui: &mut Ui, world: &World<'_>, commands: &mut Vec<Command>) {
        if world.recording.is_some() {
            ask_if(
                button(ui, "stop recording", "shift f12; nothing is written"),
                commands,
                Request::Record(MediaFormat::Gif),
            );
            return;
        }
        ui.menu_button("record", |ui| {
            for (format, about) in [
                (MediaFormat::Gif, "256 colours, shown everywhere (shift f12)"),
                (MediaFormat::Png, "a new folder with a picture of each frame (shift f9)"),
                (MediaFormat::Apng, "all colours (f9)"),
                (MediaFormat::Mp4, "H.264, by an installed ffmpeg (f10)"),
                (MediaFormat::Webm, "VP9, by an installed ffmpeg (shift f10)"),
            ] {
                let chosen = button(ui, &format!(".{}", format.extension()), about);
                ask_if(chosen, commands, Request::Record(format));
            }
        })
        .response
        .on_hover_text("writes what is played, from A to B if these are chosen, to a file of the current folder");
    }

    fn ranges(&mut self, ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
        act_if(button(ui, "A", "the range begins here (a)"), commands, Action::RangeStart);
        act_if(button(ui, "B", "the range ends here (b)"), commands, Action::RangeEnd);
        let has_range = player.state.playback.has_range();
        let whole =
            ui.add_enabled(has_range, egui::Button::new("whole")).on_hover_text("play the whole clip (shift a)");
        act_if(whole.clicked(), commands, Action::Range(None));
        // A click into the field for the name is none beside the menu.
        let stays = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        MenuButton::new("ranges").config(stays).ui(ui, |ui| {
            ui.horizontal(|ui| {
                let field = egui::TextEdit::singleline(&mut self.range_name).hint_text("name").desired_width(120.0);
                let field = ui.add(field);
                let can_save = has_range && !self.range_name.trim().is_empty();
                let about =
                    "gives the present range this name and saves it beside the model; choose a range with A and B first";
                let saved = ui.add_enabled(can_save, egui::Button::new("save"));
                let saved = saved.on_hover_text(about).on_disabled_hover_text(about);
                let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
                if saved.clicked() || is_entered && can_save {
                    commands.push(Command::Act(Action::NameRange(std::mem::take(&mut self.range_name))));
                    commands.push(Command::Ask(Request::Save(Save::Ranges)));
                }
            });
            named_ranges(ui, player, commands);
        });
    }
}

/// The ranges that have names: a click plays one.
pub(super) fn named_ranges(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    for (number, range) in player.state.ranges.iter().enumerate() {
        ui.horizontal(|ui| {
            let is_played = player.state.plays_range(number, player.model());
            let is_there = player.model().clips.iter().any(|clip| clip.name == range.clip);
            let label = egui::Button::selectable(is_played, &range.name);
            let picked = ui.add_enabled(is_there, label).on_hover_text("click to play it");
            let picked = picked.on_disabled_hover_text("its clip is not among those that are shown");
            act_if(picked.clicked(), commands, Action::PickRange(number));
            ui.weak(format!("{}, {:.2} to {:.2} s", range.clip, range.start, range.end));
            if button(ui, "🗑", "forget this range") {
                commands.push(Command::Act(Action::RemoveRange(number)));
                commands.push(Command::Ask(Request::Save(Save::Ranges)));
            }
        });
    }
}

/// How wide a button with a text is, points; digits are as wide as each other.
fn as_wide_as(ui: &Ui, text: &str) -> f32 {
    let font = egui::TextStyle::Button.resolve(ui.style());
    let galley = ui.painter().layout_no_wrap(text.to_owned(), font, Color32::PLACEHOLDER);
    galley.size().x + 2.0 * ui.spacing().button_padding.x
}

/// A number without zeros at its end.
struct Trimmed(f64);

impl std::fmt::Display for Trimmed {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.*}", out.precision().unwrap_or(3), self.0);
        out.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}
