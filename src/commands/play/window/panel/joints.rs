//! The page of joints: the tree, one joint's numbers, and turning it by hand.

use super::{Panel, act_if, ask_if, overlays};
use crate::commands::play::window::request::{Command, Request};
use crate::commands::play::window::save::Save;
use bindpose::model::{JointId, Model, Transform};
use bindpose::player::{Action, BasePose, Colouring, Overlay, Player, edit};
use bindpose::pose::LocalPose;
use bindpose::skin::Example;
use egui::{RichText, ScrollArea, Ui};
use glam::DQuat;

/// Points that the tree takes at least.
const TREE_HEIGHT: f32 = 160.0;
/// Points that what stands below it takes, without and with a joint.
const BELOW_TREE: [f32; 2] = [130.0, 400.0];

impl Panel {
    pub(super) fn joints(&mut self, ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
        ui.horizontal_wrapped(|ui| {
            let tips = "draw joints without children to where the vertices that they move end (shift k)";
            let offered = [
                (Overlay::Skeleton, "bones", "draw the bones (k)"),
                (Overlay::Names, "names", "write the joints' names (n)"),
                (Overlay::Axes, "axes", "draw the joints' axes, x red, y green, z blue (x)"),
                (Overlay::Tips, "tips", tips),
            ];
            overlays(ui, player, commands, &offered);
            let is_heat = player.state.colouring == Colouring::Support;
            let chosen = ui.selectable_label(is_heat, "support").on_hover_text(
                "colour the vertices by how much the selected joint moves them: blue little, red all (s)",
            );
            act_if(chosen.clicked(), commands, Action::ToggleColouring(Colouring::Support));
        });
        ui.horizontal(|ui| {
            ui.label("pose").on_hover_text("p goes through them");
            for pose in BasePose::ALL {
                let chosen = ui.selectable_label(player.state.base_pose == pose, pose.name()).clicked();
                act_if(chosen, commands, Action::BasePose(pose));
            }
        });
        ui.add(egui::TextEdit::singleline(&mut self.joint_filter).hint_text("filter").desired_width(f32::INFINITY));
        self.tree(ui, player, commands);
        ui.separator();
        match player.state.joint {
            Some(joint) => {
                one_joint(ui, player, joint, commands);
                self.apart(ui, player, joint, commands);
            }
            None => {
                ui.weak("Click a joint in the tree or in the picture.");
            }
        }
        super::meshes::one_vertex(ui, player, commands);
        if !player.state.turns.is_empty() {
            ui.separator();
            ui.horizontal(|ui| {
                let count = player.state.turns.len();
                ui.label(format!("{count} {} turned by hand", if count == 1 { "joint is" } else { "joints are" }));
                let reset = ui.button("take all back").on_hover_text("shift p");
                act_if(reset.clicked(), commands, Action::ResetJoints);
            });
        }
        ui.horizontal_wrapped(|ui| {
            let copy = ui.button("copy as MD5 frame values").on_hover_text(
                "six numbers a joint, as in a frame of an .md5anim whose channels are all animated: of the selected \
                 joint, or of all (ctrl c)",
            );
            ask_if(copy.clicked(), commands, Request::Save(Save::FrameValues));
            let save = ui.button("save as .md5anim").on_hover_text("writes the pose as a clip of one frame (ctrl s)");
            ask_if(save.clicked(), commands, Request::Save(Save::Still));
            let save =
                ui.button("save as .obj").on_hover_text("writes the figure in this pose, with its .mtl (ctrl shift s)");
            ask_if(save.clicked(), commands, Request::Save(Save::Obj));
        });
        examples(ui, player, commands);
    }

    /// The joints, each below its parent, those that the filter knows.
    fn tree(&mut self, ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
        let model = player.model();
        let filter = self.joint_filter.to_lowercase();
        let depths = model.skeleton.depths();
        let rows: Vec<JointId> = edit::tree_order(model)
            .into_iter()
            .filter(|&joint| model.skeleton[joint].name.to_lowercase().contains(&filter))
            .collect();
        let below = BELOW_TREE[usize::from(player.state.joint.is_some())];
        let above = ui.cursor().top() - ui.max_rect().top();
        let tree_height = (ui.clip_rect().height() - above - below).max(TREE_HEIGHT);
        let height = ui.text_style_height(&egui::TextStyle::Body) + 4.0;
        let row_height = height + ui.spacing().item_spacing.y;
        let mut area = ScrollArea::vertical().id_salt("tree").max_height(tree_height).auto_shrink([false, true]);
        // What was selected is brought into sight; the tree has less room from then on.
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
                ui.horizontal(|ui| {
                    ui.add_space(if filter.is_empty() { 10.0 * depths[joint.index()].min(16) as f32 } else { 0.0 });
                    let mut name = RichText::new(&model.skeleton[joint].name);
                    if player.state.turns.contains_key(&joint) {
                        name = name.italics().strong();
                    }
                    let is_selected = player.state.joint == Some(joint);
                    let row = ui.selectable_label(is_selected, name);
                    if row.double_clicked() {
                        commands.push(Command::Act(Action::SelectJoint(Some(joint))));
                        commands.push(Command::Act(Action::CentreOnJoint));
                    } else if row.clicked() {
                        commands.push(Command::Act(Action::SelectJoint(Some(joint).filter(|_| !is_selected))));
                    }
                });
            }
        });
        self.tree_offset = tree.state.offset.y;
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
            act_if(link.clicked(), commands, Action::SelectJoint(Some(parent)));
        }
    });
    let moved: usize = model
        .meshes
        .iter()
        .map(|mesh| {
            let is_moved = |&vertex: &usize| {
                mesh.influences_of(vertex).iter().any(|influence| {
                    influence.weight != 0.0
                        && mesh.bind.get(influence.slot as usize).is_some_and(|bound| bound.joint == joint)
                })
            };
            (0..mesh.vertex_count()).filter(is_moved).count()
        })
        .sum();
    ui.label(format!("moves {moved} vertices"));
    if let (Some(local), Some(posed)) = (local.0.get(joint.index()), posed.0.get(joint.index())) {
        let in_model = Transform::from_affine(*posed);
        for (space, place) in [("in its parent's space", local), ("in model space", &in_model)] {
            ui.weak(space);
            egui::Grid::new(space).num_columns(2).show(ui, |ui| {
                let parts: [(&str, &[f64]); 3] = [
                    ("place", &place.translation.to_array()),
                    ("rotation", &place.rotation.to_array()),
                    ("scale", &place.scale.to_array()),
                ];
                for (name, numbers) in parts {
                    // A scale of 1 is nothing to be told.
                    if name == "scale" && numbers.iter().all(|number| (number - 1.0).abs() < 1e-6) {
                        continue;
                    }
                    ui.weak(name);
                    let numbers: Vec<String> =
                        numbers.iter().map(|number| format!("{:7.4}", (number * 1e4).round() / 1e4 + 0.0)).collect();
                    ui.monospace(RichText::new(numbers.join(" ")).small());
                    ui.end_row();
                }
            });
        }
    }
    if !player.state.can_turn() {
        ui.weak("Pause to turn the joint.");
        return;
    }
    let turn = player.state.turns.get(&joint).copied().unwrap_or(DQuat::IDENTITY);
    let mut degrees = edit::degrees_of(turn);
    let mut is_changed = false;
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let slider = egui::Slider::new(&mut degrees[axis], -180.0..=180.0).text(name).suffix("°").max_decimals(1);
        is_changed |= ui.add(slider).changed();
    }
    act_if(is_changed, commands, Action::Turn(joint, edit::turn_of(degrees)));
    if player.state.turns.contains_key(&joint) {
        act_if(ui.button("take back").on_hover_text("ctrl z").clicked(), commands, Action::ResetJoint(joint));
    }
}

/// What shows an example pose.
pub fn show_example(model: &Model, example: &Example) -> Vec<Command> {
    let mut bind = LocalPose::default();
    edit::bind_pose(model, &mut bind);
    let bind = bind.0.get(example.joint.index()).map_or(DQuat::IDENTITY, |local| local.rotation);
    let turn = Action::Turn(example.joint, edit::in_own_axes(example.turn, bind));
    let actions = [Action::BasePose(BasePose::Bind), Action::SelectJoint(Some(example.joint)), turn];
    actions.map(Command::Act).to_vec()
}

/// Example poses for `sjbbe`.
fn examples(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    ui.separator();
    ui.label("example poses for sjbbe").on_hover_text(
        "The method mends what blending does to a joint that bends: the figure is modelled in an example pose, and the \
         nearer a pose comes to it, the more of that shape is shown.",
    );
    let model = player.model();
    for (number, example) in player.gpu_model.examples().iter().enumerate() {
        ui.horizontal(|ui| {
            let degrees = example.turn.to_axis_angle().1.to_degrees();
            let name = model.skeleton.joints().get(example.joint.index()).map_or("", |joint| joint.name.as_str());
            let chosen = ui.link(format!("{name}, {degrees:.0}°")).on_hover_text(format!("from {}", example.name));
            if chosen.clicked() {
                commands.extend(show_example(model, example));
            }
            let field_id = ui.id().with(("sigma", number));
            let mut sigma = ui.data(|data| data.get_temp::<f64>(field_id)).unwrap_or(example.sigma);
            let field = egui::DragValue::new(&mut sigma).range(0.05..=3.0).speed(0.01).max_decimals(2).prefix("sigma ");
            let field = ui.add(field.update_while_editing(false)).on_hover_text(
                "how far the example reaches, radians of the bone's direction; the first one of a joint counts",
            );
            // While it is dragged only the number changes: every step would write a file.
            if field.changed() {
                ui.data_mut(|data| data.insert_temp(field_id, sigma));
            }
            if (field.drag_stopped() || field.lost_focus())
                && let Some(sigma) = ui.data_mut(|data| data.remove_temp::<f64>(field_id))
            {
                commands.push(Command::Ask(Request::Save(Save::ExampleSigma(number, sigma))));
            }
            ask_if(
                ui.small_button("🗑").on_hover_text("remove it from the file").clicked(),
                commands,
                Request::Save(Save::NoExample(number)),
            );
        });
    }
    let can_add = player.state.joint.is_some_and(|joint| player.state.turns.contains_key(&joint));
    let add = ui.add_enabled(can_add, egui::Button::new("make the turned joint an example")).on_hover_text(
        "writes the figure in this pose as a mesh to be modelled further, and adds it to the file of examples beside the \
         model; turn the selected joint first",
    );
    ask_if(add.clicked(), commands, Request::Save(Save::Example));
}
