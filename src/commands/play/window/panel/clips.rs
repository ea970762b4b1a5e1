//! Clips page: all clips with their lengths, fading, root motion, blending, split view.

use super::findings::colour;
use super::timeline::named_ranges;
use super::{Panel, PanelInput, change_if, choose, choose_label, choose_row, filter_field, name_label, slider};
use crate::commands::play::window::request::{Command, Request};
use bindpose::diagnostic::Severity;
use bindpose::import::{by_extension, x};
use bindpose::left_out::Part;
use bindpose::model::Clip;
use bindpose::pose::RootMotion;
use bindpose_player::{Blend, Change, Mask, Player, Split, edit};
use egui::{Color32, RichText, Ui};

/// Columns after a clip's name, with their tooltips.
const COLUMNS: [(&str, &str); 4] = [
    ("length", "seconds"),
    ("frames", "number of frames"),
    ("rate", "frames per second"),
    ("moves", "joints that the clip moves, of all joints of the model"),
];

/// Largest number of clips left out whose reasons are shown without a click.
const UNFOLDED: usize = 3;

impl Panel {
    pub(super) fn clips(
        &mut self,
        ui: &mut Ui,
        player: &mut Player,
        input: &PanelInput<'_>,
        commands: &mut Vec<Command>,
    ) {
        let model = std::sync::Arc::clone(player.model());
        left_out_clips(ui, player);
        if model.clips.is_empty() {
            ui.label("No clips. Drop .md5anim files, or .x files with animations, on the window.");
            return;
        }
        filter_field(ui, &mut self.clip_filter);
        let filter = self.clip_filter.to_lowercase();
        let rows = model.clips.iter().enumerate().filter(|(_, clip)| clip.name.to_lowercase().contains(&filter));
        let rows: Vec<_> = rows.map(|(number, clip)| (number, columns(clip, model.skeleton.len()))).collect();
        let name_width = (ui.available_width() - width_of(ui, &rows)).max(44.0);
        egui::Grid::new("clips").striped(true).num_columns(5).min_col_width(0.0).show(ui, |ui| {
            ui.weak("clip").on_hover_text("click to show it");
            for (text, about) in COLUMNS {
                ui.weak(text).on_hover_text(about);
            }
            ui.end_row();
            for (number, columns) in &rows {
                let (is_shown, clip) = (player.state.clip == Some(*number), &model.clips[*number]);
                let chosen = name_label(ui, name_width, is_shown, &clip.name).clicked();
                change_if(chosen, commands, Change::ShowClip(*number));
                let [.., moves] = columns.each_ref().map(|column| ui.label(column));
                moves.on_hover_ui(|ui| {
                    let (keyed, moved) = edit::moved_joints(clip);
                    ui.label(format!("{keyed} joints have keys, {moved} of them change"));
                });
                ui.end_row();
            }
        });
        if let Some(sentence) = player.leaves_clip_out() {
            ui.label(sentence);
        }
        if !player.state.ranges.is_empty() {
            ui.weak("ranges");
            named_ranges(ui, player, commands);
        }
        if input.current.files.iter().any(|file| by_extension(file) == Some(&x::X_FILE)) {
            ticks(ui, input, commands);
        }
        ui.separator();
        ui.horizontal(|ui| {
            let mut seconds = player.state.fade_seconds;
            ui.label("fade to the next clip").on_hover_text("shift+f");
            let field = egui::DragValue::new(&mut seconds).range(0.0..=5.0).speed(0.01).max_decimals(2).suffix(" s");
            change_if(ui.add(field).changed(), commands, Change::FadeSeconds(seconds));
        });
        root_motion(ui, player, commands);
        ui.separator();
        blend(ui, player, commands);
        split(ui, player, commands);
    }
}

/// Shows the clips that are left out. Many are folded, so that they do not hide the list of clips.
fn left_out_clips(ui: &mut Ui, player: &Player) {
    let lost: Vec<_> = player.left_out().iter().filter(|left| left.kind == Part::Clip).collect();
    let severity = |is_fault| if is_fault { Severity::Error } else { Severity::Warning };
    let list = |ui: &mut Ui| {
        for left in &lost {
            ui.colored_label(colour(ui, severity(left.is_fault())), left.to_string());
        }
    };
    if lost.len() <= UNFOLDED {
        return list(ui);
    }
    let worst = colour(ui, severity(lost.iter().any(|left| left.is_fault())));
    let title = RichText::new(format!("{} clips are left out", lost.len())).color(worst);
    egui::CollapsingHeader::new(title).id_salt("left-out clips").show(ui, list);
}

fn columns(clip: &Clip, joints: usize) -> [String; 4] {
    let of_rate = |text: &dyn Fn(f64) -> String| clip.frame_rate.map_or("-".into(), text);
    [
        format!("{:.2} s", clip.duration),
        of_rate(&|rate| format!("{:.0}", (clip.duration * rate).round() + 1.0)),
        of_rate(&|rate| format!("{rate:.4}").trim_end_matches('0').trim_end_matches('.').into()),
        format!("{} of {joints}", edit::moved_joints(clip).1),
    ]
}

/// Returns the width of all columns after the name, in points.
fn width_of(ui: &Ui, rows: &[(usize, [String; 4])]) -> f32 {
    let font = egui::TextStyle::Body.resolve(ui.style());
    let width = |text: &str| ui.painter().layout_no_wrap(text.to_owned(), font.clone(), Color32::PLACEHOLDER).size().x;
    let spacing = ui.spacing();
    let column = |(number, (heading, _)): (usize, (&str, &str))| {
        let widest = rows.iter().map(|(_, columns)| width(&columns[number])).fold(width(heading), f32::max);
        widest + spacing.item_spacing.x
    };
    COLUMNS.into_iter().enumerate().map(column).sum()
}

fn ticks(ui: &mut Ui, input: &PanelInput<'_>, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.label("ticks per second");
        let mut ticks = input.ticks_per_second.unwrap_or(0.0);
        let field = egui::DragValue::new(&mut ticks)
            .range(0.0..=1e6)
            .speed(10.0)
            .update_while_editing(false)
            .custom_formatter(|ticks, _| if ticks == 0.0 { "as in the file".into() } else { format!("{ticks}") })
            .custom_parser(|text| text.parse().ok().or(Some(0.0)));
        let field = ui.add(field).on_hover_text("for .x clips with a wrong value; 0 uses the file's");
        if field.drag_stopped() || field.lost_focus() {
            commands.push(Command::Request(Request::TicksPerSecond(Some(ticks).filter(|&ticks| ticks > 0.0))));
        }
    });
}

fn root_motion(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    // Without a hierarchy there is no root; `--root-motion` is an error as well.
    let flattening = player.engine().filter(|engine| engine.flattens());
    ui.add_enabled_ui(flattening.is_none(), |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.label("root motion");
            let text = |motion: RootMotion| (motion.name(), format!("{} (o)", motion.about()));
            let chosen = choose_label(ui, &RootMotion::ALL, player.state.playback.root_motion, text);
            commands.extend(chosen.map(Change::RootMotion).map(Command::Change));
        })
    });
    if let Some(engine) = flattening {
        ui.weak(format!("no root motion: {} interpolates in model space", engine.title()));
    }
}

fn clip_name(player: &Player, clip: Option<usize>) -> String {
    let clip = clip.map(|clip| player.model().clips.get(clip).map_or(String::new(), |clip| clip.name.clone()));
    clip.unwrap_or_else(|| "nothing".into())
}

/// Returns `None` and all clips other than the current one.
fn other_clips(player: &Player) -> impl Iterator<Item = Option<usize>> {
    let others = (0..player.model().clips.len()).filter(|&clip| player.state.clip != Some(clip));
    std::iter::once(None).chain(others.map(Some))
}

/// Draws the controls of a second clip: its share and its joints.
fn blend(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    let state = &player.state;
    let about = "another clip, at the same share of its length: 'walk' and 'walk (2)' are files of one anim, which a game \
                 blends like this (j)";
    let current = state.blend.map(|blend| blend.clip);
    let chosen = choose_row(ui, ("blend with", about), other_clips(player), current, |clip| clip_name(player, clip));
    let blend = chosen.map(|clip| Change::Blend(clip.map(|clip| state.blend_with(clip))));
    commands.extend(blend.map(Command::Change));
    let Some(blend) = state.blend else { return };
    let mut share = blend.share;
    let moved = ui.add(slider(&mut share, 0.0..=1.0).text("share").max_decimals(2)).changed();
    change_if(moved, commands, Change::Blend(Some(Blend { share, ..blend })));
    ui.horizontal(|ui| {
        ui.label("moving");
        let model = player.model();
        let masks = (0..state.channels.len()).map(Mask::Channel).chain(model.skeleton.ids().map(Mask::Below));
        let name = |mask: Option<Mask>| mask.map_or("all joints".into(), |mask| state.describe_mask(mask, model));
        let mask = choose(ui, "mask", std::iter::once(None).chain(masks.map(Some)), blend.mask, name);
        commands.extend(mask.map(|mask| Command::Change(Change::Blend(Some(Blend { mask, ..blend })))));
    });
}

fn split(ui: &mut Ui, player: &mut Player, commands: &mut Vec<Command>) {
    let about = ("split view with", "another clip in the right half (shift+c)");
    let current = match player.state.split {
        Some(Split::Clip(clip)) => Some(clip),
        _ => None,
    };
    let chosen = choose_row(ui, about, other_clips(player), current, |clip| clip_name(player, clip));
    commands.extend(chosen.map(|clip| Command::Change(Change::Split(clip.map(Split::Clip)))));
    if player.state.split.is_some() {
        super::methods::difference(ui, player, commands);
    }
}
