//! The view: mouse gestures, and text over the frame.

use super::labels::{self, Half, text};
use super::{Panel, PanelInput, change_if, vertex};
use crate::commands::play::window::request::Command;
use crate::commands::play::window::theme;
use bindpose_player::{Change, Overlay, Player};
use egui::{Align2, Color32, PointerButton, Pos2, Rect, Response, Sense, Stroke, Ui, pos2, vec2};
use glam::Vec2;

/// Hint for the first minute.
const FIRST_STEPS: &str =
    "space pauses and plays · drag orbits · wheel zooms · click selects · : finds everything · f1 lists the keys";
/// Largest number of notes.
const MOST_NOTES: usize = 6;

impl Panel {
    pub(super) fn overlay(
        &mut self,
        ui: &mut Ui,
        player: &mut Player,
        input: &PanelInput<'_>,
        commands: &mut Vec<Command>,
    ) {
        let rect = ui.max_rect();
        let response = ui.interact(rect, ui.id().with("view"), Sense::click_and_drag());
        let width = if player.state.split.is_some() { rect.width() * 0.5 } else { rect.width() };
        let half = Rect::from_min_size(rect.min, vec2(width, rect.height()));
        let half = Half { rect: half, size: Vec2::new(width, rect.height()) };
        if rect.is_positive() {
            self.drag(&response, player, &half, commands);
            zoom_and_pick(&response, player, &half, commands);
        }
        let painter = ui.painter().with_clip_rect(rect);
        if player.state.has_overlay(Overlay::Names) {
            labels::names(&painter, player, &half);
        }
        if let Some(names) = player.half_names() {
            split_labels(&painter, &names, half.rect);
        }
        self.texts(&painter, player, input, rect);
        labels::legend(&painter, player, rect);
        labels::axes(ui, player, half.rect, commands);
        if player.sees_nothing(half.size) {
            let line = "the model is not visible to the animated camera at this time; shift+v shows the camera";
            text(&painter, rect.center(), Align2::CENTER_CENTER, line, 13.0, theme::HINT);
        }
    }

    /// Draws title, selection, progress, notes and problems.
    fn texts(&self, painter: &egui::Painter, player: &Player, input: &PanelInput<'_>, rect: Rect) {
        let mut y = rect.top() + 6.0;
        // Without full screen, the window's title is enough.
        let title = input.is_fullscreen.then(|| player.title(input.frames_per_second));
        if let Some(line) = title.or_else(|| Some(format!("played as {}", player.engine()?.title()))) {
            let at = pos2(rect.left() + 8.0, y);
            y = text(painter, at, Align2::LEFT_TOP, &line, 12.0, theme::PLAIN).bottom() + 6.0;
        }
        if let Some(line) = selection(player) {
            let at = pos2(rect.left() + 8.0, y);
            y = text(painter, at, Align2::LEFT_TOP, &line, 12.0, theme::SELECTED).bottom() + 6.0;
        }
        for problem in self.problems.values() {
            let at = pos2(rect.left() + 8.0, y);
            y = text(painter, at, Align2::LEFT_TOP, problem, 12.5, theme::PROBLEM).bottom() + 6.0;
        }
        if let Some(names) = input.loading {
            let at = rect.center_top() + vec2(0.0, 40.0);
            text(painter, at, Align2::CENTER_TOP, &format!("reading {names}…"), 14.0, Color32::WHITE);
        }
        if let Some(recording) = &input.recording {
            let at = rect.center_top() + vec2(0.0, 66.0);
            text(painter, at, Align2::CENTER_TOP, recording, 14.0, theme::HINT);
        }
        let half = if player.state.split.is_some() { rect.with_max_x(rect.center().x) } else { rect };
        // The axes are at the lower right of the left half.
        let room = if labels::has_axes(half) { half.with_max_x(half.right() - 2.0 * labels::AXES_AT) } else { rect };
        let painter = painter.with_clip_rect(room);
        let has_hint = input.is_new_user && player.state.has_panel && self.notes.is_empty();
        let notes = self.notes.iter().rev().take(MOST_NOTES).map(|(_, note)| (note.as_str(), Color32::WHITE));
        let mut y = rect.bottom() - 10.0;
        for (line, colour) in notes.chain(has_hint.then_some((FIRST_STEPS, theme::HINT))) {
            let at = pos2(rect.left() + 10.0, y);
            y = text(&painter, at, Align2::LEFT_BOTTOM, line, 12.5, colour).top() - 4.0;
        }
    }

    /// Rotates the joint by a ring, orbits, moves or zooms.
    fn drag(&mut self, response: &Response, player: &Player, half: &Half, commands: &mut Vec<Command>) {
        if response.drag_started_by(PointerButton::Primary) {
            let pressed = response.ctx.input(|input| input.pointer.press_origin()).map(|at| half.place(at));
            self.ring = pressed.and_then(|at| Some((player.ring_at(half.size, at)?, at)));
            // A ring that moves with the clip cannot be followed.
            change_if(self.ring.is_some() && player.state.is_moving(), commands, Change::Pause(true));
        }
        let by = response.drag_delta() / half.size.y.max(1.0);
        let change = if response.dragged_by(PointerButton::Primary) {
            match self.ring {
                None => Some(Change::Rotate(by.x, by.y)),
                Some((axis, from)) => {
                    let to = response.interact_pointer_pos().map(|at| half.place(at));
                    to.and_then(|to| {
                        self.ring = Some((axis, to));
                        player.turn_by_ring(half.size, axis, [from, to])
                    })
                }
            }
        } else if response.dragged_by(PointerButton::Secondary) {
            Some(Change::Drag(by.x, by.y, half.size.x / half.size.y.max(1.0)))
        } else if response.dragged_by(PointerButton::Middle) {
            Some(Change::Magnify((-3.0 * by.y).exp()))
        } else {
            None
        };
        commands.extend(change.map(Command::Change));
        if response.drag_stopped() && self.ring.take().is_some() {
            commands.push(Command::Change(Change::EndTurn));
        }
    }
}

/// Zooms by the wheel, and selects by clicks.
fn zoom_and_pick(response: &Response, player: &Player, half: &Half, commands: &mut Vec<Command>) {
    if response.hovered() {
        let (scroll, zoom) = response.ctx.input(|input| (input.raw_scroll_delta.y, input.zoom_delta()));
        // egui counts 40 points per notch.
        let notches = scroll / 40.0;
        if notches != 0.0 || zoom != 1.0 {
            let factor = 1.15_f32.powf(notches.clamp(-20.0, 20.0)) * zoom;
            let from_centre = |at: Pos2| (half.place(at) - 0.5 * half.size) / half.size.y.max(1.0);
            let at = response.hover_pos().map_or(Vec2::ZERO, from_centre);
            commands.push(Command::Change(Change::ZoomAt(factor, at.x, at.y)));
        }
    }
    if response.clicked() || response.double_clicked() {
        let picked = response.interact_pointer_pos().and_then(|at| player.pick(half.size, half.place(at)));
        let has_picked = picked.is_some();
        commands.push(Command::Change(picked.unwrap_or(Change::SelectJoint(None))));
        if response.double_clicked() && has_picked {
            commands.push(Command::Player(Player::focus_on_joint));
        }
    }
}

/// Describes the selected vertex, otherwise the selected joint.
fn selection(player: &Player) -> Option<String> {
    let model = player.model();
    match player.state.vertex {
        Some(vertex) => vertex::describe(model, vertex),
        None => Some(format!("joint {}", model.skeleton[player.state.joint?].name)),
    }
}

/// Draws a line between the halves, and their names.
fn split_labels(painter: &egui::Painter, [left, right]: &[String; 2], half: Rect) {
    painter.vline(half.right(), half.y_range(), Stroke::new(1.0, Color32::from_gray(160)));
    text(painter, half.right_top() + vec2(-8.0, 8.0), Align2::RIGHT_TOP, left, 13.0, Color32::WHITE);
    text(painter, half.right_top() + vec2(8.0, 8.0), Align2::LEFT_TOP, right, 13.0, Color32::WHITE);
}
