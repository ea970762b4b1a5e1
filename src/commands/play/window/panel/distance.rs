//! Distance of the selected joint from another joint: now, and at each frame of the clip.

use super::{Panel, choose};
use crate::commands::play::window::request::Command;
use bindpose::model::{JointId, Model};
use bindpose_player::{Change, Player, edit};
use egui::{Align2, Color32, FontId, Sense, Stroke, Ui, pos2, vec2};
use std::sync::{Arc, Weak};

/// Height of the text above the curve, in points.
const TEXT_HEIGHT: f32 = 14.0;

/// The other joint, and the last measured distances.
#[derive(Default)]
pub struct DistanceState {
    other: Option<JointId>,
    measured: Option<(Key, Vec<f64>)>,
}

/// Model, clip and joints of a measurement.
struct Key(Weak<Model>, usize, [JointId; 2]);

impl Key {
    fn is(&self, model: &Arc<Model>, clip: usize, joints: [JointId; 2]) -> bool {
        Weak::ptr_eq(&self.0, &Arc::downgrade(model)) && (self.1, self.2) == (clip, joints)
    }
}

impl Panel {
    pub(super) fn distance(&mut self, ui: &mut Ui, player: &Player, joint: JointId, commands: &mut Vec<Command>) {
        let model = player.model();
        let state = &mut self.distance;
        // Another model may have fewer joints.
        state.other = state.other.filter(|other| other.index() < model.skeleton.len());
        ui.horizontal(|ui| {
            ui.label("distance from");
            let all = std::iter::once(None).chain(model.skeleton.ids().map(Some));
            let name = |joint: Option<JointId>| joint.map_or("no joint".into(), |it| model.skeleton[it].name.clone());
            state.other = choose(ui, "distance", all, state.other, name).unwrap_or(state.other);
            let position = |joint: JointId| Some(player.pose()?.1.0.get(joint.index())?.translation);
            if let Some((a, b)) = position(joint).zip(state.other.and_then(position)) {
                ui.label(format!("{:.4} units", a.distance(b)));
            }
        });
        let (Some(other), Some(number), Some(clip)) = (state.other, player.state.clip, player.current_clip()) else {
            return;
        };
        let joints = [joint, other];
        if state.measured.as_ref().is_none_or(|(key, _)| !key.is(model, number, joints)) {
            let key = Key(Arc::downgrade(model), number, joints);
            state.measured = Some((key, edit::distances(model, clip, joints)));
        }
        if let Some((_, distances)) = &state.measured {
            curve(ui, player, distances, commands);
        }
    }
}

/// Draws the curve over the clip's frames. A click goes to a frame.
fn curve(ui: &mut Ui, player: &Player, distances: &[f64], commands: &mut Vec<Command>) {
    let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let most = distances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if distances.len() < 2 || !(most - least).is_finite() {
        return;
    }
    let (response, painter) = ui.allocate_painter(vec2(ui.available_width(), 60.0), Sense::click_and_drag());
    let rect = response.rect;
    painter.rect_filled(rect, 2.0, ui.visuals().extreme_bg_color);
    let (last, playback) = ((distances.len() - 1) as f64, &player.state.playback);
    // A constant distance is drawn in the middle.
    let share = |distance: f64| if most > least { (distance - least) / (most - least) } else { 0.5 };
    let x_of = |frame: f64| rect.left() + rect.width() * (frame / last) as f32;
    let point = |(frame, &distance): (usize, &f64)| {
        pos2(x_of(frame as f64), rect.bottom() - 4.0 - share(distance) as f32 * (rect.height() - TEXT_HEIGHT - 6.0))
    };
    let points = distances.iter().enumerate().map(point).collect();
    painter.add(egui::Shape::line(points, Stroke::new(1.5, Color32::from_rgb(120, 190, 240))));
    let x = x_of(playback.time() * playback.frame_rate());
    painter.vline(x, rect.top() + TEXT_HEIGHT..=rect.bottom(), Stroke::new(1.5, Color32::from_rgb(255, 120, 80)));
    let text = format!("{least:.4} to {most:.4} units over the clip; click to go to a frame");
    let font = FontId::proportional(10.0);
    painter.text(rect.left_top() + vec2(4.0, 1.0), Align2::LEFT_TOP, text, font, ui.visuals().weak_text_color());
    if let Some(at) = response.interact_pointer_pos() {
        let frame = (f64::from((at.x - rect.left()) / rect.width()).clamp(0.0, 1.0) * last).round();
        commands.push(Command::Change(Change::Pause(true)));
        commands.push(Command::Change(Change::Seek(frame / playback.frame_rate())));
    }
}
