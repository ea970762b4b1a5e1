//! Labels over the view: names of joints, colour legend, the model's axes.

use super::short;
use crate::commands::play::window::request::Command;
use crate::commands::play::window::theme;
use bindpose_player::{Change, Colouring, Player, Viewport, edit, paint};
use egui::{Align2, Color32, FontId, Id, Painter, Pos2, Rect, Sense, Stroke, Ui, pos2, vec2};
use glam::{Vec2, Vec3};

/// Largest number of joint names.
const MOST_NAMES: usize = 400;
/// Offsets between a name and its joint to try in turn, and the corner of the name at that position.
const OFFSETS: [((f32, f32), Align2); 4] = [
    ((6.0, -2.0), Align2::LEFT_BOTTOM),
    ((-6.0, -2.0), Align2::RIGHT_BOTTOM),
    ((6.0, 4.0), Align2::LEFT_TOP),
    ((-6.0, 4.0), Align2::RIGHT_TOP),
];
/// Length of the axes, and their distance from the view's corner, in points.
const AXIS: f32 = 26.0;
pub(super) const AXES_AT: f32 = 44.0;
/// Colours of x, y and z in the view.
const AXIS_COLOURS: [Color32; 3] =
    [Color32::from_rgb(242, 77, 71), Color32::from_rgb(115, 217, 77), Color32::from_rgb(89, 140, 255)];

/// The left half of a split view, or a whole single view.
pub(super) struct Half {
    pub rect: Rect,
    /// Size in points.
    pub size: Vec2,
}

impl Half {
    /// Returns a position within the half that contains it, in points.
    pub(super) fn place(&self, at: Pos2) -> Vec2 {
        let across = (at.x - self.rect.left()).rem_euclid(self.rect.width().max(1.0));
        Vec2::new(across, at.y - self.rect.top())
    }
}

/// Projects a position in world space to the screen.
fn place(view: &Viewport, half: &Half, at: Vec3) -> Option<Pos2> {
    let seen = view.project(at)?;
    Some(half.rect.min + vec2(seen.x, seen.y))
}

/// Draws text on a dark background and returns its rectangle.
pub(super) fn text(painter: &Painter, at: Pos2, align: Align2, text: &str, size: f32, color: Color32) -> Rect {
    let width = (painter.clip_rect().width() - 24.0).max(60.0);
    // Source lines have carets below them, which must align.
    let font = if text.contains('\n') { FontId::monospace(size) } else { FontId::proportional(size) };
    let galley = painter.layout(text.to_owned(), font, color, width);
    let rect = align.anchor_size(at, galley.size());
    painter.rect_filled(rect.expand2(vec2(4.0, 2.0)), 3.0, theme::GROUND);
    painter.galley(rect.min, galley, color);
    rect
}

/// Draws names next to their joints, the selection's first. A name without space is left out.
pub(super) fn names(painter: &Painter, player: &Player, half: &Half) {
    let view = Viewport::new(&player.state.camera, half.size);
    let model = player.model();
    let below = player.state.joint.map(|joint| edit::below(&model.skeleton, joint));
    let is_marked = |joint: bindpose::model::JointId| below.as_ref().is_some_and(|below| below[joint.index()] > 0.0);
    let mut joints: Vec<_> = model.skeleton.ids().take(MOST_NAMES).collect();
    joints.sort_by_key(|&joint| (player.state.joint != Some(joint), !is_marked(joint)));
    let mut taken: Vec<Rect> = Vec::new();
    for joint in joints {
        let seen = player.joint_in_world(joint).and_then(|at| place(&view, half, at.translation.as_vec3()));
        let Some(at) = seen.filter(|at| half.rect.contains(*at)) else { continue };
        let color = if is_marked(joint) { theme::SELECTED } else { theme::PLAIN };
        let name = model.skeleton[joint].name.clone();
        let galley = painter.layout_no_wrap(name, FontId::proportional(10.5), color);
        let rects = OFFSETS.map(|((x, y), align)| align.anchor_size(at + vec2(x, y), galley.size()));
        let free = rects.into_iter().find(|rect| !taken.iter().any(|taken| taken.intersects(*rect)));
        let Some(rect) = free.or((player.state.joint == Some(joint)).then_some(rects[0])) else { continue };
        taken.push(rect);
        painter.rect_filled(rect.expand2(vec2(2.0, 0.0)), 2.0, theme::GROUND);
        painter.galley(rect.min, galley, color);
    }
}

/// Draws the meaning of the surfaces' colours at the top right of the view.
pub(super) fn legend(painter: &Painter, player: &Player, rect: Rect) {
    const STEPS: usize = 32;
    const SIZE: egui::Vec2 = vec2(160.0, 10.0);
    let (title, ends) = match player.state.colouring {
        colouring @ (Colouring::Weights | Colouring::Support) => {
            match player.state.joint.map(|joint| &player.model().skeleton[joint].name) {
                Some(name) if colouring == Colouring::Weights => {
                    (format!("weight of {name}; grey: none"), ["0".to_owned(), "1".into()])
                }
                Some(name) => (format!("red: support of {name}"), [String::new(), String::new()]),
                None => (format!("{}: select a joint", colouring.name()), [String::new(), String::new()]),
            }
        }
        Colouring::Difference if player.state.split.is_some() => {
            ("distance from the left half, units".into(), ["0".into(), short(player.shown_difference().into())])
        }
        Colouring::Difference => ("difference: split the view".into(), [String::new(), String::new()]),
        Colouring::Dropped => ("dropped weight; grey: none, pink: no weights".into(), ["little".into(), "25 %".into()]),
        Colouring::Matrices => {
            ("matrices of a triangle; yellow: more than 2, red: more than 4".into(), [String::new(), String::new()])
        }
        Colouring::Batches => ("each batch of the method has its own colour".into(), [String::new(), String::new()]),
        Colouring::Material => return,
    };
    let right_top = rect.right_top() + vec2(-12.0, if player.state.split.is_some() { 34.0 } else { 10.0 });
    let below = text(painter, right_top, Align2::RIGHT_TOP, &title, 11.5, theme::PLAIN).bottom() + 6.0;
    if ends[1].is_empty() {
        return;
    }
    let bar = Rect::from_min_size(pos2(right_top.x - SIZE.x, below), SIZE);
    painter.rect_filled(bar.expand(2.0), 2.0, theme::GROUND);
    for step in 0..STEPS {
        let share = step as f32 / STEPS as f32;
        let [r, g, b] = paint::heat_srgb(share);
        let part = Rect::from_min_size(bar.min + vec2(share * SIZE.x, 0.0), vec2(SIZE.x / STEPS as f32 + 0.5, SIZE.y));
        painter.rect_filled(part, 0.0, Color32::from_rgb(r, g, b));
    }
    let y = bar.bottom() + 5.0;
    text(painter, pos2(bar.left(), y), Align2::LEFT_TOP, &ends[0], 10.5, theme::PLAIN);
    text(painter, pos2(bar.right(), y), Align2::RIGHT_TOP, &ends[1], 10.5, theme::PLAIN);
}

/// True if the axes fit into a view.
pub(super) fn has_axes(half: Rect) -> bool {
    half.width() >= 240.0 && half.height() >= 200.0
}

/// Draws the model's axes at the lower right. A click on an end looks from there.
pub(super) fn axes(ui: &Ui, player: &Player, half: Rect, commands: &mut Vec<Command>) {
    if !has_axes(half) {
        return;
    }
    let camera = &player.state.camera;
    let [right, up, backwards] = camera.axes();
    let centre = half.right_bottom() - vec2(AXES_AT, AXES_AT);
    let directions = (0..3).map(|axis| (axis, camera.world_from_model * Vec3::AXES[axis]));
    let mut ends: Vec<_> = directions.flat_map(|(axis, to)| [(axis, to, true), (axis, -to, false)]).collect();
    // The nearest end is drawn last.
    ends.sort_by(|a, b| a.1.dot(backwards).total_cmp(&b.1.dot(backwards)));
    let painter = ui.painter();
    for (axis, to, is_positive) in ends {
        let at = centre + AXIS * vec2(to.dot(right), -to.dot(up));
        let color = AXIS_COLOURS[axis];
        let name = ["x", "y", "z"][axis];
        let button = ui.interact(
            Rect::from_center_size(at, vec2(16.0, 16.0)),
            Id::new(("axis", axis, is_positive)),
            Sense::click(),
        );
        if is_positive {
            painter.line_segment([centre, at], Stroke::new(2.0, color));
            painter.circle_filled(at, 7.0, color);
            painter.text(at, Align2::CENTER_CENTER, name, FontId::proportional(11.0), Color32::BLACK);
        } else {
            painter.circle(at, if button.hovered() { 7.0 } else { 4.0 }, theme::GROUND, Stroke::new(1.0, color));
        }
        let sign = if is_positive { "+" } else { "-" };
        if button.on_hover_text(format!("look from {sign}{name} of the model")).clicked() {
            let pitch = to.z.clamp(-1.0, 1.0).asin();
            let yaw = if to.truncate().length() < 1e-3 { camera.yaw } else { to.y.atan2(to.x) };
            commands.push(Command::Change(Change::LookFrom(yaw, pitch)));
        }
    }
}
