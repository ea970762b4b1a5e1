//! Helper joints of the selected joint, on the Joints page.

use super::{Panel, button};
use crate::commands::play::window::request::{Command, Request};
use bindpose::model::{JointId, MOST_HELPERS};
use bindpose_compare::helpers::HelperReport;
use bindpose_player::{BasePose, Change, Player};
use egui::{DragValue, Grid, Ui};
use glam::DQuat;

pub struct HelpersState {
    count: usize,
    /// Measurement of the helpers in the right half.
    pub report: Option<HelperReport>,
}

impl Default for HelpersState {
    fn default() -> Self {
        Self { count: 2, report: None }
    }
}

impl Panel {
    /// Offers a number of helpers, and shows the thickness that those in the right half keep in a twist.
    pub(super) fn helpers(&mut self, ui: &mut Ui, player: &Player, joint: JointId, commands: &mut Vec<Command>) {
        let skeleton = &player.model().skeleton;
        let HelpersState { count, report } = &mut self.helpers;
        ui.horizontal(|ui| {
            ui.label("helper joints").on_hover_text(
                "joints beside this one, each with a share of its rotation, so that linear blending loses less; `bindpose \
                 convert --helpers` adds them to the files",
            );
            ui.add(DragValue::new(count).range(1..=MOST_HELPERS).speed(0.05));
            let about = "shows the model with them in the right half, and measures what they keep of a twist (shift+e)";
            if button(ui, "compare", about) {
                commands.push(Command::Request(Request::Helpers(*count)));
            }
        });
        let Some(report) = report.as_ref().filter(|report| report.turn.joint == skeleton[joint].name) else { return };
        ui.label(&report.finding);
        if let Some(bone) = skeleton.bone(joint)
            && button(ui, &format!("twist by {}°", report.degrees), "in the rest pose; reset shows the clip again")
        {
            let turn = DQuat::from_axis_angle(bone, report.degrees.to_radians());
            let changes = [Change::BasePose(BasePose::Rest), Change::Turn(joint, turn), Change::EndTurn];
            commands.extend(changes.map(Command::Change));
        }
        ui.collapsing("by engine and method", |ui| {
            Grid::new("helpers").striped(true).show(ui, |ui| {
                let table = report.table();
                for row in std::iter::once(&table.headings).chain(&table.rows) {
                    row.iter().for_each(|cell| drop(ui.label(cell)));
                    ui.end_row();
                }
            });
        });
    }
}
