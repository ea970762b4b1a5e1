//! The page of skinning methods: which one, under which limits, beside which other, and what it costs.

use super::{Panel, World, act_if, ask_if};
use crate::commands::play::window::request::{Command, Request};
use bindpose::engines::{ENGINES, Engine};
use bindpose::player::{Action, Colouring, MOST_COPIES, Player, Split};
use bindpose::skin::{LIMITS, MethodId};
use egui::{Color32, Sense, Stroke, Ui, pos2, vec2};

/// Whose playback is shown.
fn engines(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    let (present, reason) = (player.engine(), player.why_no_engine());
    ui.add_enabled_ui(reason.is_none(), |ui| {
        ui.horizontal(|ui| {
            ui.label("play as").on_hover_text("shows what an engine makes of the files, by its own rules (y)");
            let name = |engine: Option<&'static Engine>| engine.map_or("what the files mean", |engine| engine.title());
            egui::ComboBox::from_id_salt("engine").width(220.0).selected_text(name(present)).show_ui(ui, |ui| {
                for engine in std::iter::once(None).chain(ENGINES.iter().map(Some)) {
                    let about = engine.map_or("as no engine changes it (shift y)", |engine| engine.name());
                    let chosen = ui.selectable_label(present == engine, name(engine)).on_hover_text(about).clicked();
                    ask_if(chosen, commands, Request::PlayAs(engine));
                }
            });
        });
    });
    if let Some(reason) = reason {
        ui.weak(reason);
    }
    ui.separator();
}

impl Panel {
    pub(super) fn methods(&mut self, ui: &mut Ui, player: &mut Player, world: &World<'_>, commands: &mut Vec<Command>) {
        let split = match player.state.split {
            Some(Split::Method(method)) => Some(method),
            _ => None,
        };
        engines(ui, player, commands);
        egui::Grid::new("methods").striped(true).num_columns(3).show(ui, |ui| {
            ui.weak("method");
            ui.weak("beside").on_hover_text("shows this method in the right half");
            ui.weak("takes");
            ui.end_row();
            for id in MethodId::all() {
                let method = id.method();
                let is_shown = player.state.method == id;
                let chosen = ui.selectable_label(is_shown, method.name).on_hover_text(method.about).clicked();
                act_if(chosen, commands, Action::Method(id));
                let is_beside = split == Some(id);
                let beside = ui.radio(is_beside, "").on_hover_text("in the right half").clicked();
                act_if(beside, commands, Action::Split(if is_beside { None } else { Some(Split::Method(id)) }));
                let influences = method.influences.map_or("all".into(), |influences| influences.to_string());
                let registers = method.joint_data.registers();
                let unit = if method.influences == Some(1) { "influence" } else { "influences" };
                ui.weak(format!("{influences} {unit}, {registers} registers"))
                    .on_hover_text("influences a vertex; registers a joint");
                ui.end_row();
            }
        });
        ui.separator();
        ui.horizontal(|ui| {
            ui.label("registers")
                .on_hover_text("which machine's limits to keep to: vs11 96, vs20 256, gl2 this one's (shift m)");
            for limits in LIMITS {
                let chosen = ui.selectable_label(player.state.limits == limits, limits.name()).clicked();
                act_if(chosen, commands, Action::Limits(limits));
            }
        });
        ui.horizontal(|ui| {
            ui.label("copies").on_hover_text("figures side by side (d, shift d)");
            let mut copies = player.state.copies;
            let slider = egui::Slider::new(&mut copies, 1..=MOST_COPIES).logarithmic(true);
            act_if(ui.add(slider).changed(), commands, Action::Copies(copies));
            let mut all = player.state.all_clips;
            let ticked =
                ui.checkbox(&mut all, "all clips").on_hover_text("copies play all clips in turn (ctrl d)").changed();
            act_if(ticked, commands, Action::AllClips(all));
        });
        ui.separator();
        self.numbers(ui, player, world, commands);
    }

    /// What the present method costs, live.
    fn numbers(&mut self, ui: &mut Ui, player: &mut Player, world: &World<'_>, commands: &mut Vec<Command>) {
        let stats = player.stats().unwrap_or_default();
        let milliseconds = self.frame_times.last().copied().unwrap_or(0.0);
        egui::Grid::new("costs").num_columns(2).show(ui, |ui| {
            let mut row = |name: &str, value: String| {
                ui.weak(name);
                ui.label(value);
                ui.end_row();
            };
            row("batches", stats.batches.to_string());
            row("bytes a frame", bindpose::budget::grouped(player.uploaded() as usize).to_string());
            row("memory", format!("{} bytes", bindpose::budget::grouped(stats.fixed_bytes as usize)));
            row("a frame takes", format!("{milliseconds:.2} ms, {:.0} fps", world.rate));
            if stats.cost.reduced_vertices > 0 {
                let most = 100.0 * stats.cost.most_dropped;
                row("lost weights", format!("{} vertices, at most {most:.1} %", stats.cost.reduced_vertices));
            }
        });
        let what = if player.state.split.is_some() { "the halves are apart by" } else { "off the file's blending by" };
        if let Some((distance, vertex, joint)) = player.worst_difference() {
            ui.horizontal_wrapped(|ui| {
                ui.weak(what);
                let size = player.state.camera.framed.extent().max(f32::MIN_POSITIVE);
                ui.label(format!("{distance:.4} units, {:.3} % of the figure", 100.0 * distance / size));
                if let Some(joint) = joint {
                    ui.weak("at");
                    let link = ui
                        .link(&player.model().skeleton[joint].name)
                        .on_hover_text("the joint that moves the worst vertex most");
                    act_if(link.clicked(), commands, Action::SelectVertex(vertex));
                }
            });
        }
        if player.state.split.is_some() {
            let is_chosen = player.state.colouring == Colouring::Difference;
            let chosen = ui.selectable_label(is_chosen, "colour the difference").clicked();
            act_if(chosen, commands, Action::ToggleColouring(Colouring::Difference));
        }
        self.frame_graph(ui);
    }

    fn frame_graph(&self, ui: &mut Ui) {
        let (response, painter) = ui.allocate_painter(vec2(ui.available_width(), 60.0), Sense::hover());
        let rect = response.rect;
        painter.rect_filled(rect, 2.0, ui.visuals().extreme_bg_color);
        let most = self.frame_times.iter().copied().fold(20.0_f32, f32::max);
        for (number, &time) in self.frame_times.iter().enumerate() {
            let x = rect.left() + (number as f32 + 0.5) / 120.0 * rect.width();
            let y = rect.bottom() - time / most * (rect.height() - 12.0);
            painter
                .line_segment([pos2(x, rect.bottom()), pos2(x, y)], Stroke::new(1.5, Color32::from_rgb(110, 180, 120)));
        }
        let y = rect.bottom() - 1000.0 / 60.0 / most * (rect.height() - 12.0);
        painter.hline(rect.x_range(), y, Stroke::new(0.5, ui.visuals().weak_text_color()));
        let font = egui::FontId::proportional(10.0);
        let place = rect.left_top() + vec2(4.0, 1.0);
        let text = format!("time of each of the last pictures, up to {most:.1} ms; the line is 60 a second");
        painter.text(place, egui::Align2::LEFT_TOP, text, font, ui.visuals().weak_text_color());
    }
}
