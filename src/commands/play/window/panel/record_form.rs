//! The form for recordings and screenshots.

use super::{Panel, PanelInput, ask_if, button, change_if, choose};
use crate::commands::play::window::request::{Command, Pick, Request};
use crate::commands::play::window::save::Save;
use crate::commands::play::window::settings::{RecordBackground, RecordSettings};
use crate::commands::record::{MediaFormat, Quality};
use bindpose_parsers::counted;
use bindpose_player::{Change, Player};
use egui::{Checkbox, Context, DragValue, Grid, Ui};

/// Largest width of a recording, in pixels.
const MOST_WIDTH: u32 = 4096;

impl Panel {
    pub(super) fn record_form(
        &mut self,
        ctx: &Context,
        player: &Player,
        input: &PanelInput<'_>,
        commands: &mut Vec<Command>,
    ) {
        if !self.has_record_form {
            return;
        }
        let mut is_open = true;
        let window = egui::Window::new("Record").open(&mut is_open).collapsible(false).resizable(false);
        window.default_pos(egui::pos2(24.0, 60.0)).show(ctx, |ui| {
            Grid::new("record").num_columns(2).spacing([10.0, 6.0]).show(ui, |ui| {
                let settings = &mut self.record;
                format(ui, settings);
                range(ui, settings, player, commands);
                size(ui, settings, input.view_size);
                rate(ui, settings, player);
                ui.label("turntable");
                ui.checkbox(&mut settings.turntable, "the camera goes around once");
                ui.end_row();
                ui.label("background");
                let name = |background: RecordBackground| background.name().to_owned();
                let chosen = choose(ui, "record background", RecordBackground::ALL, settings.background, name);
                settings.background = chosen.unwrap_or(settings.background);
                ui.end_row();
                quality(ui, settings);
                folder(ui, settings, commands);
            });
            ui.separator();
            match &input.recording {
                Some(progress) => {
                    ui.label(progress);
                }
                None => self.preview(ui, player, input.view_size),
            }
            ui.horizontal(|ui| {
                let (text, about) = match input.recording {
                    Some(_) => ("stop", "discards the recording"),
                    None => ("record", "starts recording; you can continue working"),
                };
                ask_if(button(ui, text, about), commands, Request::Record(self.record.format));
                ui.separator();
                ask_if(button(ui, "screenshot", "this frame as .png (f12)"), commands, Request::Save(Save::Screenshot));
                let scale = &mut self.record.screenshot_scale;
                ui.add(DragValue::new(scale).range(1..=4).speed(0.02).prefix("at ").suffix(" x the view's size"));
            });
        });
        self.has_record_form = is_open;
    }

    /// Shows frames, pixels and seconds of the recording.
    fn preview(&self, ui: &mut Ui, player: &Player, view: (u32, u32)) {
        let (width, height) = self.record.size(view);
        match self.record.plan(&player.state) {
            Ok((_, times)) => {
                let seconds = f64::from(times.count) / times.rate;
                let frames = counted(times.count as usize, "frame", "frames");
                ui.label(format!("{frames} of {width} x {height} pixels, {seconds:.2} s"));
            }
            Err(error) => drop(ui.colored_label(ui.visuals().error_fg_color, format!("{error:#}"))),
        }
    }
}

fn format(ui: &mut Ui, settings: &mut RecordSettings) {
    ui.label("format");
    let about = |format: MediaFormat| match format {
        MediaFormat::Gif => "256 colours, supported everywhere",
        MediaFormat::Png => "a folder with an image of each frame",
        MediaFormat::Apng => "all colours",
        MediaFormat::Mp4 => "H.264, by an installed ffmpeg",
        MediaFormat::Webm => "VP9, by an installed ffmpeg",
    };
    let all = [MediaFormat::Gif, MediaFormat::Apng, MediaFormat::Png, MediaFormat::Mp4, MediaFormat::Webm];
    let name = |format: MediaFormat| format!(".{}: {}", format.extension(), about(format));
    let chosen = choose(ui, "record format", all, settings.format, name);
    settings.format = chosen.unwrap_or(settings.format);
    ui.end_row();
}

/// Edits the first and the last frame, which are the range of the timeline unless the whole clip is recorded.
fn range(ui: &mut Ui, settings: &mut RecordSettings, player: &Player, commands: &mut Vec<Command>) {
    let playback = &player.state.playback;
    if playback.duration() == 0.0 {
        return;
    }
    ui.label("frames");
    let rate = playback.frame_rate();
    let (start, end) = if settings.is_whole { (0.0, playback.duration()) } else { playback.range() };
    let [mut first, mut last] = [start, end].map(|time| (time * rate).round());
    ui.horizontal(|ui| {
        let most = playback.last_frame() as f64;
        let is_part = !settings.is_whole;
        let mut edit = |frame: &mut f64, least, most, name| {
            let field = DragValue::new(frame).speed(0.2).max_decimals(0).update_while_editing(false);
            ui.add_enabled(is_part, field.range(least..=most).prefix(name)).changed()
        };
        let mut is_changed = edit(&mut first, 0.0, (last - 1.0).max(0.0), "from ");
        is_changed |= edit(&mut last, first + 1.0, most, "to ");
        let range = Some((first / rate, (last / rate).min(playback.duration())));
        change_if(is_changed, commands, Change::Range(range));
        let whole = ui.add_enabled(playback.has_range(), Checkbox::new(&mut settings.is_whole, "all"));
        whole.on_hover_text("the whole clip; the timeline keeps its range");
    });
    ui.end_row();
}

fn size(ui: &mut Ui, settings: &mut RecordSettings, view: (u32, u32)) {
    ui.label("width");
    ui.horizontal(|ui| {
        let mut as_view = settings.width == 0;
        if ui.checkbox(&mut as_view, "as the view").changed() {
            settings.width = if as_view { 0 } else { view.0.min(400) };
        }
        // Typing a number selects a custom width.
        let mut width = if as_view { view.0 } else { settings.width };
        let field = DragValue::new(&mut width).range(16..=MOST_WIDTH).speed(2.0).suffix(" pixels");
        if ui.add(field.update_while_editing(false)).changed() {
            settings.width = width;
        }
    });
    ui.end_row();
}

fn rate(ui: &mut Ui, settings: &mut RecordSettings, player: &Player) {
    ui.label("rate");
    ui.horizontal(|ui| {
        let mut as_clip = settings.rate == 0.0;
        let of_clip = player.state.playback.frame_rate();
        if ui.checkbox(&mut as_clip, "the clip's").changed() {
            settings.rate = if as_clip { 0.0 } else { of_clip };
        }
        let mut rate = if as_clip { of_clip } else { settings.rate };
        if ui.add(DragValue::new(&mut rate).range(1.0..=240.0).speed(0.2).max_decimals(2).suffix(" fps")).changed() {
            settings.rate = rate;
        }
    });
    ui.end_row();
}

fn quality(ui: &mut Ui, settings: &mut RecordSettings) {
    ui.label("quality");
    if matches!(settings.format, MediaFormat::Apng | MediaFormat::Png) {
        ui.weak("lossless");
    } else {
        let name = |quality: Quality| match quality {
            Quality::High => "high".to_owned(),
            Quality::Small => "lower, for a small file".to_owned(),
        };
        let chosen = choose(ui, "record quality", [Quality::High, Quality::Small], settings.quality, name);
        settings.quality = chosen.unwrap_or(settings.quality);
    }
    ui.end_row();
}

fn folder(ui: &mut Ui, settings: &mut RecordSettings, commands: &mut Vec<Command>) {
    ui.label("folder");
    ui.horizontal(|ui| {
        let here = || std::env::current_dir().unwrap_or_default();
        let folder = settings.folder.clone().unwrap_or_else(here);
        let shown = folder.display().to_string();
        let tail: String = shown.chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
        ui.label(if tail.len() < shown.len() { format!("…{tail}") } else { tail }).on_hover_text(shown);
        ask_if(button(ui, "choose…", "another folder"), commands, Request::Browse(Pick::Folder));
        if settings.folder.is_some() && button(ui, "current", "the folder in which bindpose was started") {
            settings.folder = None;
        }
    });
    ui.end_row();
}
