//! Windows over the view: the message log, and the confirmation before quitting.

use super::{Panel, PanelInput, ask_if};
use crate::commands::play::window::request::{Command, Request};
use bindpose_player::Player;
use egui::{Align2, Context, RichText, ScrollArea, Ui, vec2};
use std::path::Path;

impl Panel {
    pub(super) fn dialogs(
        &mut self,
        ctx: &Context,
        player: &Player,
        input: &PanelInput<'_>,
        commands: &mut Vec<Command>,
    ) {
        self.messages(ctx);
        if self.asks_to_quit {
            self.question(ctx, input, commands);
        }
        self.ask_for_dropped(ctx, player, commands);
    }

    /// Closes the innermost window, or a permanent message. Returns false if there is none.
    pub fn close_window(&mut self) -> bool {
        let opening = super::Problem::Opening;
        std::mem::take(&mut self.asks_to_quit)
            || std::mem::take(&mut self.has_messages)
            || std::mem::take(&mut self.has_record_form)
            || std::mem::take(&mut self.convert.is_open)
            || self.dropped.take().is_some()
            || self.problems.remove(&opening).is_some()
    }

    fn messages(&mut self, ctx: &Context) {
        let room = ctx.content_rect().size() - vec2(60.0, 120.0);
        let window = egui::Window::new("Messages").open(&mut self.has_messages).collapsible(false);
        window.default_pos(egui::pos2(24.0, 60.0)).default_width(room.x.min(420.0)).show(ctx, |ui| {
            if self.log.is_empty() {
                ui.label("Nothing so far.");
            }
            ScrollArea::vertical().max_height(room.y.min(420.0)).auto_shrink([false, true]).show(ui, |ui| {
                for (since, text) in self.log.iter().rev() {
                    let seconds = since.elapsed().as_secs();
                    let age =
                        if seconds < 120 { format!("{seconds} s ago") } else { format!("{} min ago", seconds / 60) };
                    ui.weak(age);
                    // As over the view, source lines have carets below them.
                    let shown = RichText::new(text);
                    ui.label(if text.contains('\n') { shown.monospace() } else { shown });
                    ui.add_space(4.0);
                }
            });
        });
    }

    /// Asks before quitting, as long as something would be lost.
    fn question(&mut self, ctx: &Context, input: &PanelInput<'_>, commands: &mut Vec<Command>) {
        let turns = input.unsaved_turns;
        let losses = losses(turns, input.recording.is_some(), self.convert.running());
        self.asks_to_quit = !losses.is_empty();
        if losses.is_empty() {
            return;
        }
        show_question(ctx, "Quit?", |ui| {
            for loss in losses {
                ui.label(loss);
            }
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                let saves = turns > 0 && ui.button("save as .md5anim and quit").clicked();
                ask_if(saves, commands, Request::SaveAndQuit);
                let text = if turns > 0 { "quit without saving" } else { "quit" };
                let quits = ui.button(text).on_hover_text("ctrl+q again").clicked();
                ask_if(quits, commands, Request::QuitWithoutSaving);
                if ui.button("stay").on_hover_text("esc").clicked() {
                    self.asks_to_quit = false;
                }
            });
        });
    }

    /// Asks whether a dropped model is opened or attached to the selected joint.
    fn ask_for_dropped(&mut self, ctx: &Context, player: &Player, commands: &mut Vec<Command>) {
        let (Some(file), Some(joint)) = (self.dropped.take(), player.state.joint) else { return };
        let mut is_answered = false;
        show_question(ctx, "Open or attach?", |ui| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            ui.label(format!("{name} can take the place of the model, or follow the selected joint."));
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                let attach = format!("attach to {}", player.model().skeleton[joint].name);
                let is_attached = ui.button(attach).on_hover_text("enter").clicked();
                let is_opened = ui.button("open").clicked();
                is_answered = is_attached || is_opened || ui.button("neither").on_hover_text("esc").clicked();
                ask_if(is_attached, commands, Request::Attach(file.clone()));
                ask_if(is_opened, commands, Request::OpenDropped(file.clone()));
            });
        });
        self.dropped = Some(file).filter(|_| !is_answered);
    }
}

/// Returns what quitting would lose, a sentence each: `turns` joints rotated by hand and not saved, a recording, and the conversion
/// of a model's file.
pub fn losses(turns: usize, is_recording: bool, converted: Option<&Path>) -> Vec<String> {
    let joints = if turns == 1 { "joint is" } else { "joints are" };
    let turns = (turns > 0).then(|| format!("{turns} {joints} rotated by hand, and the pose is not saved."));
    let recording = is_recording.then(|| "A recording is running. Quitting discards it.".into());
    let converted =
        converted.map(|file| format!("{} is being converted. Quitting may leave files unwritten.", file.display()));
    turns.into_iter().chain(recording).chain(converted).collect()
}

/// Shows a window with a question in the middle of the view.
fn show_question(ctx: &Context, title: &str, content: impl FnOnce(&mut Ui)) {
    let window = egui::Window::new(title).collapsible(false).resizable(false);
    window.anchor(Align2::CENTER_CENTER, vec2(0.0, -40.0)).show(ctx, content);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quitting_tells_what_it_would_lose() {
        assert_eq!(losses(0, false, None), [""; 0]);
        assert_eq!(losses(1, false, None), ["1 joint is rotated by hand, and the pose is not saved."]);
        let all = [
            "2 joints are rotated by hand, and the pose is not saved.",
            "A recording is running. Quitting discards it.",
            "a.x is being converted. Quitting may leave files unwritten.",
        ];
        assert_eq!(losses(2, true, Some(Path::new("a.x"))), all);
    }
}
