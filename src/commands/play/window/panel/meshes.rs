//! Meshes page: drawing of surfaces, the list of meshes, materials and texture coordinates.

use super::vertex::selected_vertex;
use super::{Panel, ask_if, button, change_if, choose_label, choose_row, name_label, overlays};
use crate::commands::play::window::request::{Command, Pick, Request};
use bindpose::model::Mesh;
use bindpose::render::{GpuImage, Shading, Surfaces, TextureFilter};
use bindpose_player::{Change, Colouring, Overlay, Player, State};
use egui::{
    Color32, ColorImage, Label, Pos2, Rect, RichText, Sense, Stroke, TextureId, TextureOptions, Ui, pos2, vec2,
};
use image::imageops::thumbnail;

/// Largest number of triangles in the view of texture coordinates.
const MOST_TRIANGLES: usize = 20_000;
/// Largest side length of the view of texture coordinates, in points.
const UV_SIDE: f32 = 300.0;
/// Tint that dims the image below texture coordinates, so that lines are visible on a white image.
const IMAGE_TINT: Color32 = Color32::from_gray(150);
/// Width of a mesh's row without its name, in points.
const ROW_WIDTH: f32 = 214.0;

impl Panel {
    /// Returns the name of the mesh that a dropped image is for: the one open on the Meshes page, otherwise that of the
    /// selected vertex.
    pub fn image_target(&self, player: &Player) -> Option<String> {
        let mesh = self.uv_mesh.or(player.state.vertex.map(|vertex| vertex.mesh))?;
        Some(player.model().meshes.get(mesh)?.name.clone()).filter(|name| !name.is_empty())
    }

    pub(super) fn meshes(&mut self, ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
        drawing(ui, player, commands);
        ui.separator();
        let name_width = (ui.available_width() - ROW_WIDTH).max(60.0);
        for (number, mesh) in player.model().meshes.iter().enumerate() {
            let mut is_shown = !player.state.hidden.contains(&number);
            ui.horizontal(|ui| {
                change_if(ui.checkbox(&mut is_shown, "").clicked(), commands, Change::ToggleMesh(number));
                let open = self.uv_mesh == Some(number);
                let name = name_label(ui, name_width, open, &mesh.name);
                if name.on_hover_text("click for its material, images and texture coordinates").clicked() {
                    self.uv_mesh = if open { None } else { Some(number) };
                }
                ui.weak(format!("{} triangles, {} vertices", mesh.triangles.len(), mesh.vertex_count()));
            });
            if self.uv_mesh == Some(number) {
                ui.indent(number, |ui| {
                    one_mesh(ui, player, mesh, commands);
                    self.uv_view(ui, player, mesh);
                });
            } else if let Some(missing) = missing_image(player, mesh) {
                ui.horizontal(|ui| {
                    ui.add_space(ui.spacing().indent);
                    if choose_image(ui, player, mesh, commands) {
                        self.uv_mesh = Some(number);
                    }
                    let reason = RichText::new(format!("⚠ {missing}")).color(ui.visuals().warn_fg_color);
                    ui.add(Label::new(reason).truncate());
                });
            }
        }
        if !player.state.hidden.is_empty() {
            change_if(button(ui, "show all", "ctrl+h"), commands, Change::ShowMeshes);
        }
        selected_vertex(ui, player, commands);
    }

    /// Draws the mesh's triangles in texture space, on the material's image.
    fn uv_view(&mut self, ui: &mut Ui, player: &Player, mesh: &Mesh) {
        let side = ui.available_width().min(UV_SIDE);
        let (response, painter) = ui.allocate_painter(vec2(side, side), Sense::hover());
        let square = response.rect.shrink(2.0);
        painter.rect_filled(square, 0.0, ui.visuals().extreme_bg_color);
        if let Some(image) = player.gpu_model.main_image(mesh.material.index()) {
            let all = Rect::from_min_max(Pos2::ZERO, pos2(1.0, 1.0));
            painter.image(self.uv_texture(ui, image), square, all, IMAGE_TINT);
        }
        painter.rect_stroke(square, 0.0, Stroke::new(1.0, ui.visuals().weak_text_color()), egui::StrokeKind::Inside);
        let point = |corner: u32| {
            let uv = mesh.uvs.get(corner as usize).copied().unwrap_or_default();
            pos2(square.left() + uv.x * square.width(), square.top() + uv.y * square.height())
        };
        let painter = painter.with_clip_rect(square);
        for &[a, b, c] in mesh.triangles.iter().take(MOST_TRIANGLES) {
            let stroke = Stroke::new(0.7, Color32::from_rgb(130, 180, 230));
            for (from, to) in [(a, b), (b, c), (c, a)] {
                painter.line_segment([point(from), point(to)], stroke);
            }
        }
    }

    /// Returns a small copy of an image for egui. It is only created again for another image.
    fn uv_texture(&mut self, ui: &Ui, image: GpuImage) -> TextureId {
        if let Some((_, copy)) = self.uv_image.as_ref().filter(|(known, _)| *known == image) {
            return copy.id();
        }
        let texels = image.read();
        let side = (UV_SIDE * ui.pixels_per_point()) as u32;
        let size = texels.dimensions();
        let mut small = if size.0.max(size.1) > side { thumbnail(&texels, side, side) } else { texels };
        // Alpha may contain other data than opacity.
        small.pixels_mut().for_each(|texel| texel[3] = u8::MAX);
        let size = [small.width() as usize, small.height() as usize];
        let copy =
            ui.ctx().load_texture("uv", ColorImage::from_rgba_unmultiplied(size, &small), TextureOptions::LINEAR);
        let id = copy.id();
        self.uv_image = Some((image, copy));
        id
    }
}

fn drawing(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    let (state, settings) = (&player.state, &player.state.settings);
    let mut changes = Vec::new();
    ui.horizontal_wrapped(|ui| {
        let text = |surfaces: Surfaces| (surfaces.name(), "w".to_owned());
        changes.extend(choose_label(ui, &Surfaces::ALL, settings.surfaces, text).map(Change::Surfaces));
    });
    ui.horizontal_wrapped(|ui| {
        let bounds = "white: bounding box of this frame; orange: the box that the .md5anim has for it (shift+b)";
        let offered = [
            (Overlay::Normals, "normals", "shift+n"),
            (Overlay::Tangents, "tangents", "along +u of the texture (shift+t)"),
            (Overlay::Bounds, "bounds", bounds),
        ];
        overlays(ui, player, commands, &offered);
    });
    let about = ("shading", "parts of the shading (v)");
    let name = |shading: Shading| shading.name().to_owned();
    changes.extend(choose_row(ui, about, Shading::ALL, settings.shading, name).map(Change::Shading));
    let name = |colouring: Colouring| colouring.name().to_owned();
    let chosen = choose_row(ui, ("colour by", "shift+s"), Colouring::ALL, state.colouring, name);
    changes.extend(chosen.map(Change::Colouring));
    let about = ("texture filter", "for enlarged textures (i)");
    let name = |filter: TextureFilter| filter.name().to_owned();
    changes.extend(choose_row(ui, about, TextureFilter::ALL, settings.filter, name).map(Change::Filter));
    commands.extend(changes.into_iter().map(Command::Change));
    if let Some(legend) = legend(state) {
        ui.weak(legend);
    }
}

/// Explains the surfaces' colours.
fn legend(state: &State) -> Option<&'static str> {
    match state.colouring {
        Colouring::Material => None,
        colouring if colouring.is_of_joint() && state.joint.is_none() => Some("Select a joint to see its vertices."),
        Colouring::Weights => Some("Weight of the joint: blue little, red all, grey none."),
        Colouring::Support => {
            Some("Red: moved by the joint's parent, not by the parent's parent; corrected by its examples.")
        }
        Colouring::Batches => Some("Each batch of the method has its own colour."),
        Colouring::Dropped => Some("Weight that the method drops: grey none, green to red some. Pink: no weights."),
        Colouring::Matrices => {
            Some("Joints of a triangle: yellow more than the 2 matrices of a GeForce 256, red more than 4.")
        }
        Colouring::Difference if state.split.is_none() => {
            Some("Split the view on the Methods or Clips page to see a difference.")
        }
        Colouring::Difference => Some("Right half: distance from the left half, red the largest."),
    }
}

/// Returns the reason why an image of the mesh's material is not shown.
fn missing_image<'a>(player: &'a Player, mesh: &Mesh) -> Option<&'a str> {
    let mut images = player.gpu_model.images_of(mesh.material.index()).iter();
    images.find(|about| about.is_missing).map(|about| about.line.as_str())
}

/// Draws the button for another image. Returns true if it was clicked.
fn choose_image(ui: &mut Ui, player: &Player, mesh: &Mesh, commands: &mut Vec<Command>) -> bool {
    let material = || Some(player.model().materials.get(mesh.material.index())?.name.clone());
    let surface = Some(mesh.name.clone()).filter(|name| !name.is_empty()).or_else(material);
    let about = "an image for this mesh; or drop one on the window while the mesh is open here";
    let is_clicked = button(ui, "choose image…", about);
    ask_if(is_clicked, commands, Request::Browse(Pick::Image(surface)));
    is_clicked
}

fn one_mesh(ui: &mut Ui, player: &Player, mesh: &Mesh, commands: &mut Vec<Command>) {
    if let Some(material) = player.model().materials.get(mesh.material.index()) {
        ui.label(format!("material {}", material.name));
        for about in player.gpu_model.images_of(mesh.material.index()) {
            let color = if about.is_missing { ui.visuals().warn_fg_color } else { ui.visuals().text_color() };
            ui.colored_label(color, &about.line);
            if !about.tried.is_empty() {
                let heading = format!("all {} paths and names tried", about.tried.len());
                egui::CollapsingHeader::new(heading).id_salt((&material.name, &about.line)).show(ui, |ui| {
                    for tried in &about.tried {
                        let whole = std::path::absolute(tried).map_or(tried.clone(), |path| path.display().to_string());
                        ui.label(RichText::new(whole).small());
                    }
                });
            }
        }
        choose_image(ui, player, mesh, commands);
    }
    let vertices = || (0..mesh.vertex_count()).map(|vertex| mesh.influences_of(vertex));
    let most = vertices().map(<[_]>::len).max().unwrap_or(0);
    let weightless = vertices().filter(|influences| influences.iter().all(|i| i.weight == 0.0)).count();
    let joints = mesh.bind.len();
    ui.label(format!(
        "{} influences, at most {most} per vertex; bound to {joints} {}; {weightless} vertices without weights",
        mesh.influences.len(),
        if joints == 1 { "joint" } else { "joints" },
    ));
}
