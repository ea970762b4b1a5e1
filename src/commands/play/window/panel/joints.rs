//! Joints page: the tree, the selected joint's numbers, manual rotation, example poses.

use super::vertex::selected_vertex;
use super::{Panel, ask_if, button, change_if, choose_label, filter_field, label, overlays, slider};
use crate::commands::play::window::palette::show_example;
use crate::commands::play::window::request::{Command, Request};
use crate::commands::play::window::save::Save;
use bindpose::model::{JointId, Model, Transform};
use bindpose::skin::Example;
use bindpose_player::curves::Curve;
use bindpose_player::{BasePose, Change, Colouring, Overlay, Player, edit};
use egui::{RichText, ScrollArea, Ui};
use glam::DQuat;

/// Smallest height of the tree, in points.
const TREE_HEIGHT: f32 = 160.0;
/// Height of the page below the tree in points, without and with a selected joint.
const BELOW_TREE: [f32; 2] = [130.0, 400.0];

impl Panel {
    pub(super) fn joints(&mut self, ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
        drawing(ui, player, commands);
        ui.horizontal_wrapped(|ui| {
            ui.label("pose").on_hover_text("p");
            let text = |pose: BasePose| (pose.name(), "p".to_owned());
            let chosen = choose_label(ui, &BasePose::ALL, player.state.base_pose, text);
            commands.extend(chosen.map(Change::BasePose).map(Command::Change));
        });
        filter_field(ui, &mut self.joint_filter);
        self.tree(ui, player, commands);
        ui.separator();
        match player.state.joint {
            Some(joint) => {
                one_joint(ui, player, joint, commands);
                self.rotation(ui, player, joint, commands);
                self.helpers(ui, player, joint, commands);
            }
            None => {
                ui.weak("Click a joint in the tree or in the view.");
            }
        }
        selected_vertex(ui, player, commands);
        if !player.state.turns.is_empty() {
            ui.separator();
            ui.horizontal(|ui| {
                let count = player.state.turns.len();
                ui.label(format!("{count} {} rotated by hand", if count == 1 { "joint is" } else { "joints are" }));
                change_if(button(ui, "reset all", "shift+p"), commands, Change::ResetJoints);
            });
        }
        ui.horizontal_wrapped(|ui| {
            let copy = "six numbers per joint, as in a frame of an .md5anim whose channels are all animated: of the \
                        selected joint, or of all joints (ctrl+c)";
            let clicked = button(ui, "copy as MD5 frame values", copy);
            ask_if(clicked, commands, Request::Save(Save::FrameValues));
            let clicked = button(ui, "save as .md5anim", "writes the pose as a clip of one frame (ctrl+s)");
            ask_if(clicked, commands, Request::Save(Save::Still));
            let clicked = button(ui, "export as .obj", "writes the posed model with its .mtl (ctrl+shift+s)");
            ask_if(clicked, commands, Request::Save(Save::Obj));
        });
        examples(ui, player, commands);
    }

    /// Draws the sliders of manual rotation. They keep typed or dragged angles as long as the rotation equals them.
    fn rotation(&mut self, ui: &mut Ui, player: &Player, joint: JointId, commands: &mut Vec<Command>) {
        let state = &player.state;
        let turn = state.turns.get(&joint).copied().unwrap_or(DQuat::IDENTITY);
        let is_same = |known: &(JointId, DQuat, [f64; 3])| known.0 == joint && known.1.angle_between(turn) < 1e-6;
        let mut degrees = self.angles.filter(is_same).map_or_else(|| edit::degrees_of(turn), |(_, _, degrees)| degrees);
        let mut is_done = false;
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let slider = slider(&mut degrees[axis], -180.0..=180.0).text(name).suffix("°").max_decimals(1);
            let slider = ui.add(slider);
            if slider.changed() {
                let turn = edit::turn_of(degrees);
                self.angles = Some((joint, turn, degrees));
                commands.push(Command::Change(Change::Turn(joint, turn)));
            }
            is_done |= slider.drag_stopped() || slider.lost_focus();
        }
        change_if(is_done, commands, Change::EndTurn);
        ui.horizontal(|ui| {
            let mut offer = |can: bool, text: &str, about: &str, change: Change| {
                let clicked = ui.add_enabled(can, egui::Button::new(text)).on_hover_text(about).clicked();
                change_if(clicked, commands, change);
            };
            offer(state.history.can_undo(), "undo", "ctrl+z", Change::Undo);
            offer(state.history.can_redo(), "redo", "ctrl+y", Change::Redo);
            offer(state.turns.contains_key(&joint), "reset", "delete", Change::Turn(joint, DQuat::IDENTITY));
        });
    }

    /// Draws the joints that match the filter, in depth-first order.
    fn tree(&mut self, ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
        let model = player.model();
        let filter = self.joint_filter.to_lowercase();
        let depths = model.skeleton.depths();
        let is_shown = |&joint: &JointId| model.skeleton[joint].name.to_lowercase().contains(&filter);
        let rows: Vec<JointId> = edit::tree_order(model).into_iter().filter(is_shown).collect();
        let below = BELOW_TREE[usize::from(player.state.joint.is_some())];
        let above = ui.cursor().top() - ui.max_rect().top();
        let tree_height = (ui.clip_rect().height() - above - below).max(TREE_HEIGHT);
        let height = ui.text_style_height(&egui::TextStyle::Body) + 4.0;
        let row_height = height + ui.spacing().item_spacing.y;
        let mut area = ScrollArea::vertical().id_salt("tree").max_height(tree_height).auto_shrink([false, true]);
        // A new selection is scrolled into view, and leaves less space for the tree.
        if player.state.joint != self.joint_in_tree {
            self.joint_in_tree = player.state.joint;
            if let Some(row) = rows.iter().position(|&joint| player.state.joint == Some(joint)) {
                let top = row as f32 * row_height;
                let is_seen = (self.tree_offset..=self.tree_offset + tree_height - row_height).contains(&top);
                if !is_seen {
                    area = area.vertical_scroll_offset((top - tree_height / 2.0).max(0.0));
                }
            }
        }
        let tree = area.show_rows(ui, height, rows.len(), |ui, shown| {
            for &joint in rows.get(shown).unwrap_or_default() {
                let indent = if filter.is_empty() { 10.0 * depths[joint.index()].min(16) as f32 } else { 0.0 };
                ui.horizontal(|ui| {
                    ui.add_space(indent);
                    tree_row(ui, player, joint, commands);
                });
            }
        });
        self.tree_offset = tree.state.offset.y;
    }
}

fn drawing(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    ui.horizontal_wrapped(|ui| {
        let offered = [
            (Overlay::Skeleton, "bones", "draw the bones (k)"),
            (Overlay::Names, "names", "draw the names of the joints (n)"),
            (Overlay::Axes, "axes", "draw the joints' axes: x red, y green, z blue (x)"),
            (Overlay::Trail, "trail", "path of the selected joint over the clip (shift+x)"),
            (Overlay::Onion, "onion skin", "bones before, blue, and after, orange (ctrl+k)"),
        ];
        overlays(ui, player, commands, &offered);
        let is_shown = player.state.colouring == Colouring::Weights;
        let about = "colour vertices by the weight of the selected joint, from blue (0) to red (1) (s)";
        let other = if is_shown { Colouring::Material } else { Colouring::Weights };
        change_if(label(ui, is_shown, "weights", about), commands, Change::Colouring(other));
    });
}

fn tree_row(ui: &mut Ui, player: &Player, joint: JointId, commands: &mut Vec<Command>) {
    let mut name = RichText::new(&player.model().skeleton[joint].name);
    if player.state.turns.contains_key(&joint) {
        name = name.italics().strong();
    }
    let is_selected = player.state.joint == Some(joint);
    let row = ui.selectable_label(is_selected, name);
    if row.double_clicked() {
        commands.push(Command::Change(Change::SelectJoint(Some(joint))));
        commands.push(Command::Player(Player::focus_on_joint));
    } else if row.clicked() {
        commands.push(Command::Change(Change::SelectJoint(Some(joint).filter(|_| !is_selected))));
    }
}

fn one_joint(ui: &mut Ui, player: &Player, joint: JointId, commands: &mut Vec<Command>) {
    let model = player.model();
    let Some((local, posed)) = player.pose() else { return };
    let known = &model.skeleton[joint];
    ui.horizontal(|ui| {
        ui.strong(&known.name);
        ui.weak(format!("joint {}", joint.index()));
        if let Some(parent) = known.parent {
            ui.weak("below");
            let link = ui.link(&model.skeleton[parent].name);
            change_if(link.clicked(), commands, Change::SelectJoint(Some(parent)));
        }
    });
    ui.horizontal(|ui| {
        let vertices = moved_vertices(model, joint);
        ui.label(format!("moves {vertices} {}", if vertices == 1 { "vertex" } else { "vertices" }));
        let is_shown = player.state.curves.is_some_and(|curve| curve != Curve::Difference);
        let clicked = label(ui, is_shown, "curves", "its position, rotation, scale and speed over the clip (ctrl+g)");
        change_if(clicked, commands, player.state.toggle_joint_curves());
    });
    if let (Some(local), Some(posed)) = (local.0.get(joint.index()), posed.0.get(joint.index())) {
        transform(ui, "in its parent's space", local);
        transform(ui, "in model space", &Transform::from_affine(*posed));
    }
}

/// Returns the number of vertices influenced by the joint.
fn moved_vertices(model: &Model, joint: JointId) -> usize {
    let of_mesh = |mesh: &bindpose::model::Mesh| {
        let is_joint = |slot: u32| mesh.bind.get(slot as usize).is_some_and(|bound| bound.joint == joint);
        let is_moved = |&vertex: &usize| mesh.influences_of(vertex).iter().any(|i| i.weight != 0.0 && is_joint(i.slot));
        (0..mesh.vertex_count()).filter(is_moved).count()
    };
    model.meshes.iter().map(of_mesh).sum()
}

fn transform(ui: &mut Ui, space: &str, transform: &Transform) {
    ui.weak(space);
    egui::Grid::new(space).num_columns(2).show(ui, |ui| {
        let parts: [(&str, &[f64]); 4] = [
            ("position", &transform.translation.to_array()),
            ("quaternion", &transform.rotation.to_array()),
            ("Euler angles", &edit::degrees_of(transform.rotation)),
            ("scale", &transform.scale.to_array()),
        ];
        let is_worth = |(name, numbers): &(&str, &[f64])| {
            *name != "scale" || numbers.iter().any(|number| (number - 1.0).abs() >= 1e-6)
        };
        for (name, numbers) in parts.into_iter().filter(is_worth) {
            ui.weak(name);
            let numbers: Vec<String> =
                numbers.iter().map(|number| format!("{:7.4}", (number * 1e4).round() / 1e4 + 0.0)).collect();
            ui.monospace(RichText::new(numbers.join(" ")).small());
            ui.end_row();
        }
    });
}

fn examples(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    ui.separator();
    ui.label("example poses").on_hover_text(
        "The method corrects the shape of a bent joint: the model is sculpted in an example pose, and poses near to it \
         take on that shape.",
    );
    for (number, example) in player.gpu_model.examples().iter().enumerate() {
        ui.horizontal(|ui| one_example(ui, player.model(), (number, example), commands));
    }
    let can_add = player.state.joint.is_some_and(|joint| player.state.turns.contains_key(&joint));
    let add = ui.add_enabled(can_add, egui::Button::new("make the rotated joint an example")).on_hover_text(
        "writes the posed model as a mesh to be sculpted, and adds it to the file of examples beside the model; rotate \
         the selected joint first",
    );
    ask_if(add.clicked(), commands, Request::Save(Save::Example));
}

fn one_example(ui: &mut Ui, model: &Model, (number, example): (usize, &Example), commands: &mut Vec<Command>) {
    let degrees = example.turn.to_axis_angle().1.to_degrees();
    let name = model.skeleton.joints().get(example.joint.index()).map_or("", |joint| joint.name.as_str());
    let chosen = ui.link(format!("{name}, {degrees:.0}°")).on_hover_text(format!("from {}", example.name));
    if chosen.clicked() {
        commands.extend(show_example(model, example));
    }
    let field_id = ui.id().with(("sigma", number));
    let mut sigma = ui.data(|data| data.get_temp::<f64>(field_id)).unwrap_or(example.sigma);
    let field = egui::DragValue::new(&mut sigma).range(0.05..=3.0).speed(0.01).max_decimals(2).prefix("sigma ");
    let field = ui
        .add(field.update_while_editing(false))
        .on_hover_text("range of the example, radians of the bone's direction; the first example of a joint decides");
    // The file is only written at the end of a drag.
    if field.changed() {
        ui.data_mut(|data| data.insert_temp(field_id, sigma));
    }
    if (field.drag_stopped() || field.lost_focus())
        && let Some(sigma) = ui.data_mut(|data| data.remove_temp::<f64>(field_id))
    {
        commands.push(Command::Request(Request::Save(Save::ExampleSigma(number, sigma))));
    }
    let remove = ui.small_button("🗑").on_hover_text("remove it from the file").clicked();
    ask_if(remove, commands, Request::Save(Save::RemoveExample(number)));
}
