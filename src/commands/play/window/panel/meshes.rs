//! The page of meshes: what is shown of them, and what they are made of.

use super::{Panel, act_if, choose, name_label, overlays};
use crate::commands::play::window::request::Command;
use bindpose::model::{Influence, Mesh};
use bindpose::player::{Action, Colouring, Overlay, Player};
use bindpose::render::{Shading, Specular, Surfaces, TextureFilter};
use egui::{Color32, Rect, Sense, Stroke, Ui, pos2, vec2};

/// Triangles that the view of texture coordinates draws at most.
const MOST_TRIANGLES: usize = 20_000;
/// Points that the box before a mesh's name, and figures and warning behind it, take.
const FIGURES_WIDTH: f32 = 214.0;

impl Panel {
    pub(super) fn meshes(&mut self, ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
        let model = player.model();
        ui.horizontal(|ui| {
            for surfaces in Surfaces::ALL {
                let is_chosen = player.state.settings.surfaces == surfaces;
                let chosen = ui.selectable_label(is_chosen, surfaces.name()).on_hover_text("w").clicked();
                act_if(chosen, commands, Action::Surfaces(surfaces));
            }
        });
        ui.horizontal_wrapped(|ui| {
            let bounds = "white: the box around the figure at this moment; orange: the one that the .md5anim has for the \
                          frame (shift b)";
            let offered = [
                (Overlay::Normals, "normals", "shift n"),
                (Overlay::Tangents, "tangents", "towards +u of the image (shift t)"),
                (Overlay::Bounds, "bounds", bounds),
            ];
            overlays(ui, player, commands, &offered);
        });
        let (state, settings) = (&player.state, &player.state.settings);
        ui.horizontal(|ui| {
            ui.label("light").on_hover_text("what of it is shown (v), and the shape of highlights (shift i)");
            let shading = choose(ui, "shading", &Shading::ALL, settings.shading, Shading::name);
            let specular = choose(ui, "specular", &Specular::ALL, settings.specular, Specular::name);
            let chosen = [shading.map(Action::Shading), specular.map(Action::Specular)];
            commands.extend(chosen.into_iter().flatten().map(Command::Act));
        });
        ui.horizontal(|ui| {
            ui.label("colours").on_hover_text("what they say (shift s)");
            let chosen = choose(ui, "colouring", &Colouring::ALL, state.colouring, Colouring::name);
            commands.extend(chosen.map(Action::Colouring).map(Command::Act));
        });
        ui.horizontal(|ui| {
            ui.label("images").on_hover_text("how they are enlarged (i)");
            let chosen = choose(ui, "filter", &TextureFilter::ALL, settings.filter, TextureFilter::name);
            commands.extend(chosen.map(Action::Filter).map(Command::Act));
        });
        let legend = match player.state.colouring {
            Colouring::Material => None,
            Colouring::Support if player.state.joint.is_none() => Some("Select a joint to see what it moves."),
            Colouring::Support => Some("Blue vertices follow the joint a little, red ones wholly, grey ones not."),
            Colouring::Batches => Some("Each batch of the method has a colour of its own."),
            Colouring::Dropped => Some(
                "Grey vertices keep their weights; green to red ones lose some to the method; pink ones have none.",
            ),
            Colouring::Difference if player.state.split.is_none() => {
                Some("Split the view on the page of methods or clips to see a difference.")
            }
            Colouring::Difference => {
                Some("On the right: red vertices are the farthest from where the left side has them.")
            }
        };
        if let Some(legend) = legend {
            ui.weak(legend);
        }
        ui.separator();
        let name_width = (ui.available_width() - FIGURES_WIDTH).max(60.0);
        for (number, mesh) in model.meshes.iter().enumerate() {
            let mut is_shown = !player.state.hidden.contains(&number);
            ui.horizontal(|ui| {
                act_if(ui.checkbox(&mut is_shown, "").clicked(), commands, Action::ToggleMesh(number));
                let open = self.uv_mesh == Some(number);
                let name = name_label(ui, name_width, open, &mesh.name);
                if name.on_hover_text("click for its material, image and texture coordinates").clicked() {
                    self.uv_mesh = if open { None } else { Some(number) };
                }
                ui.weak(format!("{} triangles, {} vertices", mesh.triangles.len(), mesh.vertex_count()));
                if let Some(missing) = missing_image(player, mesh) {
                    ui.colored_label(ui.visuals().warn_fg_color, "⚠").on_hover_text(missing);
                }
            });
            if self.uv_mesh == Some(number) {
                ui.indent(number, |ui| one_mesh(ui, player, mesh));
            }
        }
        if !player.state.hidden.is_empty() {
            act_if(ui.button("show all").on_hover_text("ctrl h").clicked(), commands, Action::ShowMeshes);
        }
        one_vertex(ui, player, commands);
    }
}

/// What moves a vertex, the most first.
pub(super) fn by_weight(mesh: &Mesh, vertex: usize) -> Vec<&Influence> {
    let mut influences: Vec<_> = mesh.influences_of(vertex).iter().collect();
    influences.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    influences
}

/// The selected vertex: the joints that move it, and where they put it.
pub(super) fn one_vertex(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    let (model, Some(vertex)) = (player.model(), player.state.vertex) else { return };
    let Some(mesh) = model.meshes.get(vertex.mesh) else { return };
    ui.separator();
    let source = mesh.source_vertices.get(vertex.vertex).copied().unwrap_or(vertex.vertex as u32);
    ui.label(format!("vertex {source} of mesh '{}'", mesh.name));
    let influences = by_weight(mesh, vertex.vertex);
    if influences.is_empty() {
        ui.weak("No joint moves it.");
    }
    for influence in influences {
        let joint = mesh.bind.get(influence.slot as usize).map(|bound| bound.joint);
        ui.horizontal(|ui| {
            ui.monospace(format!("{:.4}", influence.weight));
            let name = joint.map_or("", |joint| model.skeleton[joint].name.as_str());
            let link = ui.link(name).on_hover_text("the joint, and how much of the vertex follows it");
            act_if(link.clicked(), commands, Action::SelectJoint(joint));
            let offset = influence.offset;
            ui.weak(format!("{:.3} {:.3} {:.3} from it", offset.x, offset.y, offset.z));
        });
    }
}

/// Why an image that the mesh's material names is not shown.
fn missing_image<'a>(player: &'a Player, mesh: &Mesh) -> Option<&'a str> {
    let mut images = player.gpu_model.images_of(mesh.material.index()).iter();
    images.find(|about| about.is_missing).map(|about| about.line.as_str())
}

fn one_mesh(ui: &mut Ui, player: &Player, mesh: &Mesh) {
    let model = player.model();
    if let Some(material) = model.materials.get(mesh.material.index()) {
        ui.label(format!("material {}", material.name));
        for about in player.gpu_model.images_of(mesh.material.index()) {
            ui.label(&about.line);
        }
    }
    let most = (0..mesh.vertex_count()).map(|vertex| mesh.influences_of(vertex).len()).max().unwrap_or(0);
    let weightless =
        (0..mesh.vertex_count()).filter(|&v| mesh.influences_of(v).iter().all(|i| i.weight == 0.0)).count();
    ui.label(format!(
        "{} influences, at most {most} a vertex; bound to {} joints; {weightless} vertices without weights",
        mesh.influences.len(),
        mesh.bind.len()
    ));
    uv_view(ui, mesh);
}

/// The mesh's triangles in the image's square.
fn uv_view(ui: &mut Ui, mesh: &Mesh) {
    let side = ui.available_width().min(300.0);
    let (response, painter) = ui.allocate_painter(vec2(side, side), Sense::hover());
    let square = response.rect.shrink(2.0);
    painter.rect_filled(square, 0.0, ui.visuals().extreme_bg_color);
    painter.rect_stroke(square, 0.0, Stroke::new(1.0, ui.visuals().weak_text_color()), egui::StrokeKind::Inside);
    let place = |corner: u32| {
        let uv = mesh.uvs.get(corner as usize).copied().unwrap_or_default();
        pos2(square.left() + uv.x * square.width(), square.top() + uv.y * square.height())
    };
    let painter = painter.with_clip_rect(Rect::from_min_max(square.min, square.max));
    for &[a, b, c] in mesh.triangles.iter().take(MOST_TRIANGLES) {
        let stroke = Stroke::new(0.7, Color32::from_rgb(130, 180, 230));
        for (from, to) in [(a, b), (b, c), (c, a)] {
            painter.line_segment([place(from), place(to)], stroke);
        }
    }
}
