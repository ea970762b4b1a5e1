//! Dock with curves over the clip, above the timeline.

use super::{Panel, button, change_if, choose, short};
use crate::commands::play::window::request::Command;
use crate::commands::play::window::theme::Colours;
use bindpose::model::{JointId, Model};
use bindpose::skin::MethodId;
use bindpose_player::curves::{self, Curve};
use bindpose_player::{Change, Player, Split, VertexRef};
use egui::{Color32, Context, Grid, Id, Label, RichText, ScrollArea, TopBottomPanel, Ui};
use egui_plot::{Line, Plot, PlotPoint, PlotPoints, Points, VLine};
use glam::DQuat;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// Initial and smallest height of the dock, in points.
const HEIGHT: (f32, f32) = (190.0, 130.0);
/// Width of the table of extremes, in points.
const TABLE: f32 = 250.0;
/// Largest number of joints in addition to the selected one.
const MOST_KEPT: usize = 5;
/// Time per frame for measuring differences.
const MEASURED: Duration = Duration::from_millis(20);

#[derive(Default)]
pub struct CurvesState {
    /// Joints whose curves stay visible when another joint is selected.
    kept: Vec<JointId>,
    /// Model of these joints.
    model: Weak<Model>,
    measured: Vec<(Key, Vec<Vec<f64>>)>,
    scan: Option<Scan>,
}

/// Clip, joint and quantity of a measurement.
type Key = (usize, JointId, Curve);

/// Differences of the halves, measured a few frames at a time.
struct Scan {
    subject: Subject,
    distances: Vec<f64>,
    /// Vertex and joint with the largest difference in each frame.
    places: Vec<(Option<VertexRef>, Option<JointId>)>,
    /// True if the halves cannot be compared.
    has_failed: bool,
}

/// Subject of a measurement of differences.
#[derive(PartialEq)]
struct Subject {
    /// Addresses of both models.
    models: (usize, usize),
    clip: Option<usize>,
    split: Option<Split>,
    method: MethodId,
    turns: BTreeMap<JointId, DQuat>,
}

impl Subject {
    fn of(player: &Player) -> Self {
        let state = &player.state;
        let address = |model: &Model| std::ptr::from_ref(model) as usize;
        Self {
            models: (address(player.model()), player.other().map_or(0, address)),
            clip: state.clip,
            split: state.split,
            method: state.method,
            turns: state.turns.clone(),
        }
    }
}

/// A curve to draw.
struct Series<'a> {
    name: String,
    color: Color32,
    values: &'a [f64],
}

impl Panel {
    pub(super) fn curves_dock(&mut self, ctx: &Context, player: &mut Player, commands: &mut Vec<Command>) {
        let Some(curve) = player.state.curves else { return };
        let most = (ctx.content_rect().height() * 0.6).max(HEIGHT.1);
        let dock = TopBottomPanel::bottom("curves").resizable(true).default_height(HEIGHT.0);
        dock.height_range(HEIGHT.1..=most).show(ctx, |ui| {
            self.curves_head(ui, player, curve, commands);
            match (player.current_clip().is_some(), curve) {
                (false, _) => drop(ui.weak("Curves need a clip.")),
                (true, Curve::Difference) => self.difference_curve(ui, player, commands),
                (true, _) => self.joint_curves(ui, player, curve, commands),
            }
        });
    }

    fn curves_head(&mut self, ui: &mut Ui, player: &Player, curve: Curve, commands: &mut Vec<Command>) {
        let state = &mut self.curves;
        if !Weak::ptr_eq(&state.model, &Arc::downgrade(player.model())) {
            *state = CurvesState { model: Arc::downgrade(player.model()), ..CurvesState::default() };
        }
        ui.horizontal(|ui| {
            ui.strong("curves");
            let chosen = choose(ui, "curve", Curve::ALL, curve, |curve| curve.name().to_owned());
            commands.extend(chosen.map(|curve| Command::Change(Change::Curves(Some(curve)))));
            if curve != Curve::Difference {
                let name = |joint: JointId| player.model().skeleton[joint].name.as_str();
                let selected = player.state.joint.filter(|joint| !state.kept.contains(joint));
                state
                    .kept
                    .retain(|&joint| !ui.small_button(format!("{} ✖", name(joint))).on_hover_text("remove").clicked());
                if let Some(joint) = selected.filter(|_| state.kept.len() < MOST_KEPT)
                    && button(ui, &format!("keep {}", name(joint)), "keep its curves when another joint is selected")
                {
                    state.kept.push(joint);
                }
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                change_if(button(ui, "✖", "close (ctrl+g)"), commands, Change::Curves(None));
                let gestures = "click goes there · wheel zooms in time, with shift in height · double click shows all";
                ui.add(Label::new(RichText::new(gestures).weak()).truncate());
            });
        });
    }

    fn joint_curves(&mut self, ui: &mut Ui, player: &Player, curve: Curve, commands: &mut Vec<Command>) {
        let (Some(number), Some(clip)) = (player.state.clip, player.current_clip()) else { return };
        let state = &mut self.curves;
        let selected = player.state.joint.filter(|joint| !state.kept.contains(joint));
        let joints: Vec<JointId> = state.kept.iter().copied().chain(selected).collect();
        if joints.is_empty() {
            ui.weak("Select a joint, in the view or on the Joints page.");
            return;
        }
        state.measured.retain(|(key, _)| (key.0, key.2) == (number, curve) && joints.contains(&key.1));
        for &joint in &joints {
            let key = (number, joint, curve);
            if state.measured.iter().all(|(known, _)| *known != key) {
                state.measured.push((key, curves::of_joint(player.model(), clip, joint, curve)));
            }
        }
        let colours = Colours::of(ui.visuals());
        let mut series = Vec::new();
        for (place, &joint) in joints.iter().enumerate() {
            let Some((_, parts)) = state.measured.iter().find(|(key, _)| key.1 == joint) else { continue };
            let alone = [colours.curve, colours.event, colours.key, colours.now, colours.axes[0], colours.axes[2]];
            for (part, (values, name)) in parts.iter().zip(curve.parts()).enumerate() {
                let color = if parts.len() == 1 { alone[place % alone.len()] } else { colours.axes[part % 3] };
                // Further joints are fainter.
                let color =
                    if parts.len() == 1 { color } else { color.gamma_multiply(1.0 / (1.0 + 0.4 * place as f32)) };
                let name = format!("{} {name}", player.model().skeleton[joint].name);
                series.push(Series { name, color, values });
            }
        }
        draw(ui, player, &series, curve, commands);
    }

    fn difference_curve(&mut self, ui: &mut Ui, player: &mut Player, commands: &mut Vec<Command>) {
        let frames = player.current_clip().map_or(0, curves::frames_of) as usize;
        let subject = Subject::of(player);
        let new = |subject| Scan { subject, distances: Vec::new(), places: Vec::new(), has_failed: false };
        let scan = match self.curves.scan.take().filter(|scan| scan.subject == subject) {
            Some(scan) => self.curves.scan.insert(scan),
            None => self.curves.scan.insert(new(subject)),
        };
        let (started, rate) = (Instant::now(), player.state.playback.frame_rate());
        while scan.distances.len() < frames && !scan.has_failed && started.elapsed() < MEASURED {
            match player.difference_at(scan.distances.len() as f64 / rate) {
                Some((distance, vertex, joint)) => {
                    scan.distances.push(distance.into());
                    scan.places.push((vertex, joint));
                }
                None => scan.has_failed = true,
            }
        }
        if scan.has_failed {
            ui.weak("The halves cannot be compared: they have neither the same vertices nor joints of the same names.");
            return;
        }
        if scan.distances.len() < frames {
            ui.ctx().request_repaint();
        }
        ui.horizontal(|ui| {
            let of = if player.state.split.is_some() { "between the halves" } else { "from the linear reference" };
            if let Some([_, (frame, most)]) = curves::extremes(&scan.distances) {
                ui.label(format!("largest distance {of}: {} units", short(most)));
                let (vertex, joint) = scan.places[frame];
                let joint_name = joint.map_or("", |joint| player.model().skeleton[joint].name.as_str());
                if ui.link(format!("at frame {frame}, {joint_name}")).on_hover_text("show it").clicked() {
                    go_to(frame as f64, rate, commands);
                    let place = vertex.map(Change::SelectVertex).unwrap_or(Change::SelectJoint(joint));
                    commands.push(Command::Change(place));
                }
            }
            if player.state.split.is_none() {
                ui.weak("Split the view to compare methods, clips or files.");
            }
            if scan.distances.len() < frames {
                ui.weak(format!("measured {} of {frames} frames", scan.distances.len()));
            }
        });
        let color = Colours::of(ui.visuals()).curve;
        let series = [Series { name: "distance".into(), color, values: &scan.distances }];
        draw(ui, player, &series, Curve::Difference, commands);
    }
}

fn go_to(frame: f64, rate: f64, commands: &mut Vec<Command>) {
    commands.push(Command::Change(Change::Pause(true)));
    commands.push(Command::Change(Change::Seek(frame / rate)));
}

/// Draws the curves on the left, and their smallest and largest values on the right.
fn draw(ui: &mut Ui, player: &Player, series: &[Series<'_>], curve: Curve, commands: &mut Vec<Command>) {
    let room = ui.available_size();
    let table = if room.x > 2.0 * TABLE { TABLE } else { 0.0 };
    ui.horizontal_top(|ui| {
        ui.vertical(|ui| {
            ui.set_width(room.x - table - ui.spacing().item_spacing.x);
            plot(ui, player, series, curve, commands);
        });
        if table > 0.0 {
            ui.vertical(|ui| extremes(ui, player, series, commands));
        }
    });
}

fn plot(ui: &mut Ui, player: &Player, series: &[Series<'_>], curve: Curve, commands: &mut Vec<Command>) {
    let playback = &player.state.playback;
    let (now, rate, last) =
        (playback.time() * playback.frame_rate(), playback.frame_rate(), playback.last_frame() as f64);
    let colours = Colours::of(ui.visuals());
    let unit = curve.unit();
    let plot = Plot::new(Id::new("curves of").with(curve.name()))
        .height(ui.available_height().max(60.0))
        .allow_drag(false)
        .allow_scroll(false)
        .allow_zoom(false)
        .allow_boxed_zoom(false)
        .show_background(true)
        .include_x(0.0)
        .include_x(last)
        .x_axis_formatter(|mark, _| if mark.value.fract() == 0.0 { format!("{}", mark.value) } else { String::new() })
        .label_formatter(move |name, at| match name {
            "" => format!("frame {:.0}", at.x),
            name => format!("{name}\n{} {unit} at frame {:.0}", short(at.y), at.x),
        });
    let plot = if matches!(curve, Curve::Difference | Curve::Speed) { plot.include_y(0.0) } else { plot };
    let shown = plot.show(ui, |plot| {
        for one in series {
            let points: Vec<[f64; 2]> =
                one.values.iter().enumerate().map(|(frame, &value)| [frame as f64, value]).collect();
            plot.line(Line::new(one.name.clone(), PlotPoints::new(points)).color(one.color).width(1.5));
            for (frame, value) in curves::extremes(one.values).into_iter().flatten() {
                let mark = Points::new("", vec![[frame as f64, value]]).radius(3.5).color(one.color);
                plot.points(mark.allow_hover(false));
            }
        }
        plot.vline(VLine::new("", now).color(colours.now).width(1.5).allow_hover(false));
        let response = plot.response().clone();
        if response.hovered() {
            let (scroll, shift) = response.ctx.input(|input| (input.raw_scroll_delta, input.modifiers.shift));
            // On some systems, shift makes the wheel scroll sideways.
            let factor = 1.15_f32.powf((scroll.x + scroll.y) / 40.0);
            let factors = if shift { egui::vec2(1.0, factor) } else { egui::vec2(factor, 1.0) };
            if factor != 1.0 {
                plot.zoom_bounds_around_hovered(factors);
            }
        }
        let is_pressed = response.clicked() || response.dragged();
        plot.pointer_coordinate().filter(|_| is_pressed)
    });
    if let Some(PlotPoint { x, .. }) = shown.inner {
        go_to(x.round().clamp(0.0, last), rate, commands);
    }
}

/// Returns the height of a curve's line at a frame, which may have a fraction.
fn value_at(values: &[f64], frame: f64) -> Option<f64> {
    let before = *values.get(frame as usize)?;
    let after = values.get(frame as usize + 1).copied().unwrap_or(before);
    Some(before + (after - before) * frame.fract())
}

/// Draws the current values, and the smallest and largest values as links to their frames.
fn extremes(ui: &mut Ui, player: &Player, series: &[Series<'_>], commands: &mut Vec<Command>) {
    let (rate, time) = (player.state.playback.frame_rate(), player.state.playback.time());
    ScrollArea::vertical().id_salt("extremes").show(ui, |ui| {
        Grid::new("extremes").num_columns(4).spacing([8.0, 2.0]).show(ui, |ui| {
            for heading in ["", "now", "smallest", "largest"] {
                ui.weak(heading);
            }
            ui.end_row();
            for one in series {
                ui.label(RichText::new(&one.name).color(one.color).small());
                ui.label(RichText::new(value_at(one.values, time * rate).map_or("-".into(), short)).small());
                for (frame, value) in curves::extremes(one.values).into_iter().flatten() {
                    let link = ui.link(RichText::new(short(value)).small());
                    if link.on_hover_text(format!("go to frame {frame}")).clicked() {
                        go_to(frame as f64, rate, commands);
                    }
                }
                ui.end_row();
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::value_at;

    #[test]
    fn a_line_has_values_between_frames() {
        let at = |frame| value_at(&[1.0, 3.0], frame);
        assert_eq!([at(0.0), at(0.25), at(1.0), at(1.5), at(2.0)], [Some(1.0), Some(1.5), Some(3.0), Some(3.0), None]);
    }
}
