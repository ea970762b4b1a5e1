//! The page of clips: all with their lengths, fading, mixing, root motion.

use super::timeline::named_ranges;
use super::{Panel, World, act_if, name_label};
use crate::commands::play::window::request::{Command, Request};
use bindpose::load::Format;
use bindpose::model::Clip;
use bindpose::player::{Action, Blend, Mask, Player, Split, edit};
use bindpose::pose::RootMotion;
use egui::{Color32, Ui};

/// What is told of a clip besides its name, and what it means.
const FIGURES: [(&str, &str); 4] = [
    ("length", "seconds"),
    ("frames", "how many"),
    ("rate", "frames a second"),
    ("moves", "joints that it moves, of those that the model has"),
];

impl Panel {
    pub(super) fn clips(&mut self, ui: &mut Ui, player: &Player, world: &World<'_>, commands: &mut Vec<Command>) {
        let model = player.model();
        if model.clips.is_empty() {
            ui.label("There are no clips. Drop .md5anim files, or .x files with animations, on the window.");
            return;
        }
        ui.add(egui::TextEdit::singleline(&mut self.clip_filter).hint_text("filter").desired_width(f32::INFINITY));
        let filter = self.clip_filter.to_lowercase();
        let rows = model.clips.iter().enumerate().filter(|(_, clip)| clip.name.to_lowercase().contains(&filter));
        let rows: Vec<_> = rows.map(|(number, clip)| (number, figures(clip, model.skeleton.len()))).collect();
        let name_width = (ui.available_width() - width_of(ui, &rows)).max(60.0);
        egui::Grid::new("clips").striped(true).num_columns(5).show(ui, |ui| {
            ui.weak("clip").on_hover_text("click to show it");
            for (text, about) in FIGURES {
                ui.weak(text).on_hover_text(about);
            }
            ui.end_row();
            for (number, figures) in &rows {
                let (is_shown, clip) = (player.state.clip == Some(*number), &model.clips[*number]);
                let chosen = name_label(ui, name_width, is_shown, &clip.name).clicked();
                act_if(chosen, commands, Action::ShowClip(*number));
                let [.., moves] = figures.each_ref().map(|figure| ui.label(figure));
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
        if world.asked.files.iter().any(|file| Format::of_path(file) == Some(Format::X)) {
            ticks(ui, world, commands);
        }
        ui.separator();
        ui.horizontal(|ui| {
            let mut seconds = player.state.fade_seconds;
            ui.label("fade to the next clip in").on_hover_text("shift f");
            let field = egui::DragValue::new(&mut seconds).range(0.0..=5.0).speed(0.01).max_decimals(2).suffix(" s");
            act_if(ui.add(field).changed(), commands, Action::FadeSeconds(seconds));
        });
        // Where no joint hangs on another there is no root, and `--root-motion` is refused as well.
        let has_root = player.engine().is_none_or(|engine| !engine.flattens());
        ui.add_enabled_ui(has_root, |ui| {
            ui.horizontal(|ui| {
                ui.label("root motion");
                for motion in RootMotion::ALL {
                    let label = ui.selectable_label(player.state.playback.root_motion == motion, motion.name());
                    let chosen = label.on_hover_text(format!("{} (o)", motion.about())).clicked();
                    act_if(chosen, commands, Action::RootMotion(motion));
                }
            })
        });
        if let Some(engine) = player.engine().filter(|_| !has_root) {
            ui.weak(format!("none: {} has no joints under others between frames", engine.title()));
        }
        blend(ui, player, commands);
    }
}

/// What stands behind a clip's name, as [`FIGURES`] call it.
fn figures(clip: &Clip, joints: usize) -> [String; 4] {
    let of_rate = |tell: &dyn Fn(f64) -> String| clip.frame_rate.map_or("-".into(), tell);
    [
        format!("{:.2} s", clip.duration),
        of_rate(&|rate| format!("{:.0}", (clip.duration * rate).round() + 1.0)),
        of_rate(&|rate| format!("{rate:.4}").trim_end_matches('0').trim_end_matches('.').into()),
        format!("{} of {joints}", edit::moved_joints(clip).1),
    ]
}

/// How many points what stands behind the names takes: all the others are theirs.
fn width_of(ui: &Ui, rows: &[(usize, [String; 4])]) -> f32 {
    let font = egui::TextStyle::Body.resolve(ui.style());
    let width = |text: &str| ui.painter().layout_no_wrap(text.to_owned(), font.clone(), Color32::PLACEHOLDER).size().x;
    let spacing = ui.spacing();
    let column = |(number, (heading, _)): (usize, (&str, &str))| {
        let widest = rows.iter().map(|(_, figures)| width(&figures[number])).fold(width(heading), f32::max);
        widest.max(spacing.interact_size.x) + spacing.item_spacing.x
    };
    FIGURES.into_iter().enumerate().map(column).sum()
}

/// What a second of a `.x` clip is.
fn ticks(ui: &mut Ui, world: &World<'_>, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.label("ticks a second");
        let mut ticks = world.ticks_per_second.unwrap_or(0.0);
        let field = egui::DragValue::new(&mut ticks)
            .range(0.0..=1e6)
            .speed(10.0)
            .update_while_editing(false)
            .custom_formatter(|ticks, _| if ticks == 0.0 { "as in the file".into() } else { format!("{ticks}") })
            .custom_parser(|text| text.parse().ok().or(Some(0.0)));
        let field = ui.add(field).on_hover_text("of .x clips, where the file is wrong; 0 takes the file's");
        if field.drag_stopped() || field.lost_focus() {
            commands.push(Command::Ask(Request::TicksPerSecond(Some(ticks).filter(|&ticks| ticks > 0.0))));
        }
    });
}

/// A second clip that is mixed in: how much, and from which joint down.
fn blend(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    let model = player.model();
    ui.separator();
    let present = player.state.blend;
    let name = |clip: usize| model.clips.get(clip).map_or("", |clip| clip.name.as_str());
    let others = || (0..model.clips.len()).filter(|&clip| player.state.clip != Some(clip));
    ui.horizontal(|ui| {
        ui.label("mix in").on_hover_text(
            "another clip, at the same share of its length: 'walk' and 'walk (2)' are files of one anim, which a game \
             mixes like this (j)",
        );
        let shown = present.map_or("nothing", |blend| name(blend.clip));
        egui::ComboBox::from_id_salt("blend").selected_text(shown).show_ui(ui, |ui| {
            act_if(ui.selectable_label(present.is_none(), "nothing").clicked(), commands, Action::Blend(None));
            for clip in others() {
                let chosen = ui.selectable_label(present.is_some_and(|blend| blend.clip == clip), name(clip)).clicked();
                act_if(chosen, commands, Action::Blend(Some(player.state.blend_with(clip))));
            }
        });
    });
    if let Some(blend) = present {
        let mut share = blend.share;
        let moved = ui.add(egui::Slider::new(&mut share, 0.0..=1.0).text("share").max_decimals(2)).changed();
        act_if(moved, commands, Action::Blend(Some(Blend { share, ..blend })));
        ui.horizontal(|ui| {
            ui.label("moving");
            let channels = &player.state.channels;
            let name = |mask: Option<Mask>| {
                mask.map_or("all joints".to_owned(), |mask| player.state.mask_in_words(mask, model))
            };
            egui::ComboBox::from_id_salt("mask").selected_text(name(blend.mask)).show_ui(ui, |ui| {
                let offered = (0..channels.len()).map(Mask::Channel).chain(model.skeleton.ids().map(Mask::Below));
                for mask in std::iter::once(None).chain(offered.map(Some)) {
                    let chosen = ui.selectable_label(blend.mask == mask, name(mask)).clicked();
                    act_if(chosen, commands, Action::Blend(Some(Blend { mask, ..blend })));
                }
            });
        });
    }
    ui.horizontal(|ui| {
        ui.label("show beside it").on_hover_text("another clip in the right half (shift c)");
        let split = match player.state.split {
            Some(Split::Clip(clip)) => Some(clip),
            _ => None,
        };
        egui::ComboBox::from_id_salt("split clip").selected_text(split.map_or("nothing", name)).show_ui(ui, |ui| {
            act_if(ui.selectable_label(split.is_none(), "nothing").clicked(), commands, Action::Split(None));
            for clip in others() {
                let chosen = ui.selectable_label(split == Some(clip), name(clip)).clicked();
                act_if(chosen, commands, Action::Split(Some(Split::Clip(clip))));
            }
        });
    });
}
