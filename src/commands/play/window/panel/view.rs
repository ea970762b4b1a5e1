//! The picture: what the mouse does in it, and what is written over it.

use super::meshes::by_weight;
use super::{Panel, World};
use crate::commands::play::window::request::Command;
use bindpose::model::Influence;
use bindpose::player::{Action, Gizmo, Player, Split, Viewport, edit};
use egui::{Align2, Color32, FontId, PointerButton, Pos2, Rect, Sense, Stroke, Ui, pos2, vec2};
use glam::{DQuat, Vec2};

/// Names of joints that are written at most.
const MOST_NAMES: usize = 400;

impl Panel {
    pub(super) fn view(&mut self, ui: &mut Ui, player: &mut Player, world: &World<'_>, commands: &mut Vec<Command>) {
        let rect = ui.max_rect();
        let response = ui.interact(rect, ui.id().with("view"), Sense::click_and_drag());
        let scale = ui.ctx().pixels_per_point();
        // Of a split view each half is a picture of its own; the mouse works in the left one.
        let half = if player.state.split.is_some() { vec2(rect.width() * 0.5, rect.height()) } else { rect.size() };
        let size = Vec2::new(half.x, half.y) * scale;
        let in_picture = |at: Pos2| {
            let across = (at.x - rect.left()).rem_euclid(half.x.max(1.0));
            Vec2::new(across, at.y - rect.top()) * scale
        };
        if rect.is_positive() {
            self.mouse(&response, player, size, in_picture, commands);
        }
        let painter = ui.painter().with_clip_rect(rect);
        if player.state.overlays.names {
            names(&painter, player, rect.min, size, scale);
        }
        if let Some(split) = player.state.split {
            let middle = rect.left() + half.x;
            painter.vline(middle, rect.y_range(), Stroke::new(1.0, Color32::from_gray(160)));
            let right = match split {
                Split::Method(method) => method.method().name.to_owned(),
                Split::Clip(clip) => player.model().clips.get(clip).map_or(String::new(), |clip| clip.name.clone()),
                Split::File => player.other().map_or(String::new(), |other| other.name.clone()),
            };
            let left = match split {
                Split::Method(_) => player.state.method.method().name.to_owned(),
                Split::Clip(_) => player.current_clip().map_or(String::new(), |clip| clip.name.clone()),
                Split::File => player.model().name.clone(),
            };
            text(&painter, pos2(middle - 8.0, rect.top() + 8.0), Align2::RIGHT_TOP, &left, 13.0, Color32::WHITE);
            text(&painter, pos2(middle + 8.0, rect.top() + 8.0), Align2::LEFT_TOP, &right, 13.0, Color32::WHITE);
        }
        // In a window the title says it.
        if world.is_fullscreen || player.state.has_panel {
            let line = player.title(world.rate);
            text(&painter, rect.min + vec2(8.0, 6.0), Align2::LEFT_TOP, &line, 12.0, Color32::from_gray(225));
        }
        let mut below_title = rect.top() + 28.0;
        if let Some(line) = selected(player) {
            let at = pos2(rect.left() + 8.0, below_title);
            let drawn = text(&painter, at, Align2::LEFT_TOP, &line, 12.0, Color32::from_rgb(120, 235, 255));
            below_title = drawn.bottom() + 6.0;
        }
        if let Some(names) = world.loading {
            let middle = rect.center_top() + vec2(0.0, 40.0);
            text(&painter, middle, Align2::CENTER_TOP, &format!("reading {names}…"), 14.0, Color32::WHITE);
        }
        if let Some(recording) = &world.recording {
            let middle = rect.center_top() + vec2(0.0, 66.0);
            text(&painter, middle, Align2::CENTER_TOP, recording, 14.0, Color32::from_rgb(255, 205, 120));
        }
        let mut y = rect.bottom() - 10.0;
        for (_, note) in self.notes.iter().rev().take(6) {
            let drawn = text(&painter, pos2(rect.left() + 10.0, y), Align2::LEFT_BOTTOM, note, 12.5, Color32::WHITE);
            y = drawn.top() - 4.0;
        }
        let mut y = below_title;
        for trouble in self.troubles.values() {
            let color = Color32::from_rgb(255, 150, 140);
            let drawn = text(&painter, pos2(rect.left() + 8.0, y), Align2::LEFT_TOP, trouble, 12.5, color);
            y = drawn.bottom() + 6.0;
        }
    }

    fn mouse(
        &mut self,
        response: &egui::Response,
        player: &Player,
        size: Vec2,
        in_picture: impl Fn(Pos2) -> Vec2,
        commands: &mut Vec<Command>,
    ) {
        let mut act = |action| commands.push(Command::Act(action));
        let scale = response.ctx.pixels_per_point();
        let pointer = response.interact_pointer_pos().map(&in_picture);
        let view = Viewport::new(&player.state.camera, size);
        let joint = player.state.joint.filter(|_| player.state.can_turn());
        if response.drag_started_by(PointerButton::Primary) {
            let pressed = response.ctx.input(|input| input.pointer.press_origin()).map(&in_picture);
            let gizmo = joint.and_then(|joint| Gizmo::new(&view, &player.joint_in_world(joint)?));
            self.ring = gizmo.zip(pressed).and_then(|(gizmo, at)| Some((gizmo.ring_at(&view, at)?, at)));
        }
        let drag = response.drag_delta() * scale / size.y.max(1.0);
        if response.dragged_by(PointerButton::Primary) {
            match (self.ring, joint, pointer) {
                (Some((axis, from)), Some(joint), Some(to)) => {
                    let gizmo = player.joint_in_world(joint).and_then(|place| Gizmo::new(&view, &place));
                    if let Some(gizmo) = gizmo {
                        let angle = gizmo.turned(&view, axis, from, to);
                        let axis_of = [glam::DVec3::X, glam::DVec3::Y, glam::DVec3::Z][axis.min(2)];
                        let turn = player.state.turns.get(&joint).copied().unwrap_or(DQuat::IDENTITY);
                        act(Action::Turn(joint, turn * DQuat::from_axis_angle(axis_of, angle)));
                        self.ring = Some((axis, to));
                    }
                }
                (Some(_), ..) => {}
                (None, ..) => act(Action::Rotate(drag.x, drag.y)),
            }
        } else if response.dragged_by(PointerButton::Secondary) {
            act(Action::Drag(drag.x, drag.y, size.x / size.y.max(1.0)));
        } else if response.dragged_by(PointerButton::Middle) {
            act(Action::Magnify((-3.0 * drag.y).exp()));
        }
        if response.drag_stopped() {
            self.ring = None;
        }
        if response.hovered() {
            let (scroll, zoom) = response.ctx.input(|input| (input.raw_scroll_delta.y, input.zoom_delta()));
            // egui takes a notch for 40 points.
            let notches = scroll / 40.0;
            if notches != 0.0 || zoom != 1.0 {
                act(Action::Magnify(1.15_f32.powf(notches.clamp(-20.0, 20.0)) * zoom));
            }
        }
        if response.clicked() || response.double_clicked() {
            let picked = pointer.and_then(|at| player.pick(size, at));
            let found = picked.is_some();
            act(picked.unwrap_or(Action::SelectJoint(None)));
            if response.double_clicked() && found {
                act(Action::CentreOnJoint);
            }
        }
    }
}

/// What is selected: the joint, or the vertex with the weights of the joints that move it.
fn selected(player: &Player) -> Option<String> {
    /// Joints that are named at most.
    const MOST_JOINTS: usize = 4;
    let model = player.model();
    let Some(vertex) = player.state.vertex else {
        return Some(format!("joint {}", model.skeleton[player.state.joint?].name));
    };
    let mesh = model.meshes.get(vertex.mesh)?;
    let source = mesh.source_vertices.get(vertex.vertex).copied().unwrap_or(vertex.vertex as u32);
    let influences = by_weight(mesh, vertex.vertex);
    let more = if influences.len() > MOST_JOINTS { " and others" } else { "" };
    let name = |slot: u32| mesh.bind.get(slot as usize).map_or("", |bound| &model.skeleton[bound.joint].name);
    let weight = |moved: &&Influence| format!("{} {:.2}", name(moved.slot), moved.weight);
    let weights: Vec<String> = influences.iter().take(MOST_JOINTS).map(weight).collect();
    let weights = if weights.is_empty() { "none".into() } else { weights.join(", ") };
    Some(format!("vertex {source} of '{}', weights: {weights}{more}", mesh.name))
}

fn names(painter: &egui::Painter, player: &Player, corner: Pos2, size: Vec2, scale: f32) {
    let view = Viewport::new(&player.state.camera, size);
    let model = player.model();
    let below = player.state.joint.map(|joint| edit::below(&model.skeleton, joint));
    for joint in model.skeleton.ids().take(MOST_NAMES) {
        let Some(place) = player.joint_in_world(joint) else { continue };
        let Some(seen) = view.project(place.translation.as_vec3()) else { continue };
        let is_marked = below.as_ref().is_some_and(|below| below[joint.index()] > 0.0);
        let color = if is_marked { Color32::from_rgb(120, 235, 255) } else { Color32::from_gray(220) };
        let at = corner + vec2(seen.x, seen.y) / scale + vec2(5.0, -3.0);
        let font = FontId::proportional(10.5);
        let name = &model.skeleton[joint].name;
        painter.text(at + vec2(1.0, 1.0), Align2::LEFT_BOTTOM, name, font.clone(), Color32::from_black_alpha(200));
        painter.text(at, Align2::LEFT_BOTTOM, name, font, color);
    }
}

/// Text on a dark ground that can be read over any picture; where it went.
fn text(painter: &egui::Painter, at: Pos2, align: Align2, text: &str, size: f32, color: Color32) -> Rect {
    let width = (painter.clip_rect().width() - 24.0).max(60.0);
    // Lines of a file with carets below them.
    let font = if text.contains('\n') { FontId::monospace(size) } else { FontId::proportional(size) };
    let galley = painter.layout(text.to_owned(), font, color, width);
    let rect = align.anchor_size(at, galley.size());
    painter.rect_filled(rect.expand2(vec2(4.0, 2.0)), 3.0, Color32::from_black_alpha(130));
    painter.galley(rect.min, galley, color);
    rect
}
