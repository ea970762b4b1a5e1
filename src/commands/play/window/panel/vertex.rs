//! The selected vertex and its joints, on the Joints and Meshes pages and over the view.

use super::change_if;
use crate::commands::play::window::request::Command;
use bindpose::model::{Influence, JointId, Mesh, Model};
use bindpose_player::{Change, Player, VertexRef};
use egui::Ui;

/// Largest number of joints that [`describe`] lists.
const MOST_JOINTS: usize = 4;

/// Returns the influences of a vertex with their joints, sorted by decreasing weight.
fn by_weight(mesh: &Mesh, vertex: usize) -> Vec<(&Influence, Option<JointId>)> {
    let joint = |influence: &Influence| mesh.bind.get(influence.slot as usize).map(|bound| bound.joint);
    let mut influences: Vec<_> = mesh.influences_of(vertex).iter().map(|it| (it, joint(it))).collect();
    influences.sort_by(|(a, _), (b, _)| b.weight.total_cmp(&a.weight));
    influences
}

/// Returns the number of a vertex in the file.
fn source_vertex(mesh: &Mesh, vertex: usize) -> u32 {
    mesh.source_vertices.get(vertex).copied().unwrap_or(vertex as u32)
}

fn joint_name(model: &Model, joint: Option<JointId>) -> &str {
    joint.map_or("", |joint| model.skeleton[joint].name.as_str())
}

/// Describes a vertex with its largest weights in one line.
pub(super) fn describe(model: &Model, vertex: VertexRef) -> Option<String> {
    let mesh = model.meshes.get(vertex.mesh)?;
    let influences = by_weight(mesh, vertex.vertex);
    let more = if influences.len() > MOST_JOINTS { " and others" } else { "" };
    let listed = influences.iter().take(MOST_JOINTS);
    let weights: Vec<String> =
        listed.map(|(moved, joint)| format!("{} {:.2}", joint_name(model, *joint), moved.weight)).collect();
    let weights = if weights.is_empty() { "none".into() } else { weights.join(", ") };
    Some(format!("vertex {} of '{}', weights: {weights}{more}", source_vertex(mesh, vertex.vertex), mesh.name))
}

/// Draws the selected vertex with all its weights.
pub(super) fn selected_vertex(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    let (model, Some(vertex)) = (player.model(), player.state.vertex) else { return };
    let Some(mesh) = model.meshes.get(vertex.mesh) else { return };
    ui.separator();
    ui.label(format!("vertex {} of mesh '{}'", source_vertex(mesh, vertex.vertex), mesh.name));
    let influences = by_weight(mesh, vertex.vertex);
    if influences.is_empty() {
        ui.weak("No joint moves it.");
    }
    for (influence, joint) in influences {
        ui.horizontal(|ui| {
            ui.monospace(format!("{:.4}", influence.weight));
            let link =
                ui.link(joint_name(model, joint)).on_hover_text("joint, with its weight and the vertex's offset");
            change_if(link.clicked(), commands, Change::SelectJoint(joint));
            let offset = influence.offset;
            ui.weak(format!("at {:.3} {:.3} {:.3} from it", offset.x, offset.y, offset.z));
        });
    }
}
