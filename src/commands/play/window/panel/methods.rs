//! Methods page: engine, skinning method, copies, cost.

use super::{Panel, PanelInput, ask_if, change_if, label, short, slider};
use crate::commands::play::window::request::{Command, Request};
use bindpose::budget::grouped;
use bindpose::engines::Engine;
use bindpose::skin::MethodId;
use bindpose_player::curves::Curve;
use bindpose_player::{Change, Colouring, MOST_COPIES, Player, Split};
use egui::{Color32, Sense, Stroke, Ui, vec2};

impl Panel {
    pub(super) fn methods(
        &mut self,
        ui: &mut Ui,
        player: &mut Player,
        input: &PanelInput<'_>,
        commands: &mut Vec<Command>,
    ) {
        engines(ui, player, commands);
        ui.separator();
        methods(ui, player, commands);
        ui.separator();
        ui.horizontal_wrapped(|ui| {
            ui.label("copies").on_hover_text("copies of the model side by side (d, shift+d)");
            let mut copies = player.state.copies;
            let slider = slider(&mut copies, 1..=MOST_COPIES).logarithmic(true);
            change_if(ui.add(slider).changed(), commands, Change::Copies(copies));
        });
        ui.separator();
        self.cost(ui, player, input);
        difference(ui, player, commands);
        self.frame_graph(ui);
    }

    fn cost(&self, ui: &mut Ui, player: &mut Player, input: &PanelInput<'_>) {
        let stats = player.stats().unwrap_or_default();
        let milliseconds = self.frame_times.last().copied().unwrap_or(0.0);
        egui::Grid::new("costs").num_columns(2).show(ui, |ui| {
            let mut row = |name: &str, value: String| {
                ui.weak(name);
                ui.label(value);
                ui.end_row();
            };
            row("batches", stats.batches.to_string());
            row("bytes per frame", grouped(player.uploaded() as usize).to_string());
            row("memory", format!("{} bytes", grouped(stats.fixed_bytes as usize)));
            row("time per frame", format!("{milliseconds:.2} ms, {:.0} fps", input.frames_per_second));
            if stats.cost.reduced_vertices > 0 {
                let most = 100.0 * stats.cost.most_dropped;
                row("dropped weights", format!("{} vertices, at most {most:.1} %", stats.cost.reduced_vertices));
            }
        });
    }

    fn frame_graph(&self, ui: &mut Ui) {
        let (response, painter) = ui.allocate_painter(vec2(ui.available_width(), 60.0), Sense::hover());
        let rect = response.rect;
        painter.rect_filled(rect, 2.0, ui.visuals().extreme_bg_color);
        let most = self.frame_times.iter().copied().fold(20.0_f32, f32::max);
        let height = |time: f32| rect.bottom() - time / most * (rect.height() - 12.0);
        for (number, &time) in self.frame_times.iter().enumerate() {
            let x = rect.left() + (number as f32 + 0.5) / 120.0 * rect.width();
            painter.vline(x, height(time)..=rect.bottom(), Stroke::new(1.5, Color32::from_rgb(110, 180, 120)));
        }
        let weak = ui.visuals().weak_text_color();
        painter.hline(rect.x_range(), height(1000.0 / 60.0), Stroke::new(0.5, weak));
        let text = format!("times of the last frames, up to {most:.1} ms; the line is 60 fps");
        let at = rect.left_top() + vec2(4.0, 1.0);
        painter.text(at, egui::Align2::LEFT_TOP, text, egui::FontId::proportional(10.0), weak);
    }
}

fn engines(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    let (current, reason) = (player.engine(), player.why_no_engine());
    ui.add_enabled_ui(reason.is_none(), |ui| {
        ui.horizontal(|ui| {
            ui.label("play as").on_hover_text("playback of the files by an engine's own rules (y)");
            let name = |engine: Option<&'static Engine>| engine.map_or("no engine", |engine| engine.title());
            egui::ComboBox::from_id_salt("engine")
                .width(ui.available_width().min(220.0))
                .selected_text(name(current))
                .show_ui(ui, |ui| {
                    for engine in std::iter::once(None).chain(player.engines().iter().map(Some)) {
                        let about = engine.map_or("the files as they are (shift+y)", |engine| engine.name());
                        let chosen = label(ui, current == engine, name(engine), about);
                        ask_if(chosen, commands, Request::PlayAs(engine));
                    }
                });
        });
    });
    if reason.is_none() {
        let menu = ui.menu_button("compare with…", |ui| {
            for engine in std::iter::once(None).chain(player.engines().iter().map(Some)) {
                let name = engine.map_or("the files as they are", |engine| engine.title());
                ask_if(ui.button(name).clicked(), commands, Request::BesideAs(engine));
            }
        });
        menu.response.on_hover_text("shows the same files by another engine's rules in the right half");
    }
    if let Some(reason) = reason {
        ui.weak(reason);
    }
}

/// Lists the methods. Of the linear ones, which show the same, one is in the list and the others below it.
fn methods(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    let (linear, others): (Vec<MethodId>, Vec<MethodId>) =
        player.methods().iter().partition(|id| id.method().is_linear && !id.is_own());
    let shown = linear.iter().copied().find(|&id| id == player.state.method).or(linear.first().copied());
    method_rows(ui, "methods", player, shown.into_iter().chain(others), commands);
    let hidden: Vec<MethodId> = linear.into_iter().filter(|&id| Some(id) != shown).collect();
    egui::CollapsingHeader::new(format!("{} other ways to compute linear blending", hidden.len()))
        .show(ui, |ui| method_rows(ui, "linear methods", player, hidden.into_iter(), commands));
}

fn method_rows(
    ui: &mut Ui,
    name: &str,
    player: &Player,
    methods: impl Iterator<Item = MethodId>,
    commands: &mut Vec<Command>,
) {
    egui::Grid::new(name).striped(true).num_columns(2).show(ui, |ui| {
        ui.weak("split").on_hover_text("shows this method in the right half");
        ui.weak("method");
        ui.end_row();
        for id in methods {
            let method = id.method();
            let split = Some(Split::Method(id));
            let is_beside = player.state.split == split;
            let clicked = ui.radio(is_beside, "").on_hover_text("in the right half").clicked();
            change_if(clicked, commands, Change::Split(if is_beside { None } else { split }));
            let influences = method.influences.map_or("all influences".into(), |most| format!("{most} influences"));
            let registers = method.joint_data.registers();
            let about = format!("{}; {influences} per vertex, {registers} registers per joint", method.about);
            let name = format!("{} ({})", method.title, method.name);
            change_if(label(ui, player.state.method == id, &name, &about), commands, Change::Method(id));
            ui.end_row();
        }
    });
}

/// Shows the largest distance between the halves, or from linear blending.
pub(super) fn difference(ui: &mut Ui, player: &mut Player, commands: &mut Vec<Command>) {
    let is_split = player.state.split.is_some();
    if let Some((distance, vertex, joint)) = player.worst_difference() {
        ui.horizontal_wrapped(|ui| {
            ui.weak(if is_split { "largest distance of the halves" } else { "largest error" });
            let size = player.state.camera.framed.extent().max(f32::MIN_POSITIVE);
            ui.label(format!("{} units, {:.3} % of the model", short(distance.into()), 100.0 * distance / size));
            if let Some(joint) = joint.filter(|_| distance > 0.0) {
                ui.weak("at");
                let link = ui.link(&player.model().skeleton[joint].name);
                let clicked = link.on_hover_text("the joint with most weight on the worst vertex").clicked();
                change_if(clicked, commands, Change::SelectVertex(vertex));
            }
        });
    }
    if is_split {
        let is_shown = player.state.colouring == Colouring::Difference;
        let other = if is_shown { Colouring::Material } else { Colouring::Difference };
        ui.horizontal_wrapped(|ui| {
            let clicked = ui.selectable_label(is_shown, "colour by difference").clicked();
            change_if(clicked, commands, Change::Colouring(other));
            let is_shown = player.state.curves == Some(Curve::Difference);
            let about = "curve over the clip, with the frame of the largest distance (ctrl+g)";
            let curves = if is_shown { None } else { Some(Curve::Difference) };
            change_if(label(ui, is_shown, "difference over time", about), commands, Change::Curves(curves));
        });
    }
}
