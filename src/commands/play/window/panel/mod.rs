//! Panel, timeline and overlay. They read the player and return commands.

mod clips;
mod convert_form;
mod curves;
mod dialogs;
mod files;
mod findings;
mod game;
mod helpers;
mod input;
mod joints;
mod labels;
mod meshes;
mod methods;
mod overlay;
mod palette;
mod record_form;
mod timeline;
mod vertex;
mod view_page;

pub use dialogs::losses;
pub use files::{Browser, THUMBNAIL};
pub use input::{PanelInput, PanelOutput};

use super::palette::Palette;
use super::request::{Command, Request};
use super::settings::{PANEL_WIDTHS, RecordSettings, Settings};
use crate::commands::output::tell;
use bindpose::diagnostic::Severity;
use bindpose::model::JointId;
use bindpose::render::GpuImage;
use bindpose_player::{Change, Overlay, Page, Player};
use egui::containers::panel::PanelState;
use egui::{Align, Button, Context, Id, Layout, Pos2, Rect, Response, RichText, TextureHandle, Ui, vec2};
use glam::DQuat;
use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Time for which a note is shown.
const NOTE_TIME: Duration = Duration::from_secs(5);
/// Width of the tabs, in points.
const TABS_WIDTH: f32 = 320.0;
/// Height of the line about a page, in points. All lines fit into the panel at its usual width.
const ABOUT_TEXT: f32 = 11.0;
/// Width of the label before a drop-down list, in points.
const LABEL_WIDTH: f32 = 96.0;
/// Largest number of messages in the log.
const MOST_MESSAGES: usize = 200;

/// State of the panel that does not belong to the player.
#[derive(Default)]
pub struct Panel {
    /// Width in points.
    pub width: f32,
    clip_filter: String,
    joint_filter: String,
    /// Selected joint when the tree was last drawn.
    joint_in_tree: Option<JointId>,
    /// Scroll offset of the tree, in points.
    tree_offset: f32,
    model_filter: String,
    pub helpers: helpers::HelpersState,
    curves: curves::CurvesState,
    /// Angles of the selected joint as typed or dragged, in degrees about x, y and z, and the rotation they stand for.
    angles: Option<(JointId, DQuat, [f64; 3])>,
    range_name: String,
    /// While the timeline is dragged: true if the clip was playing before.
    scrubbing: Option<bool>,
    /// While an end of the range is dragged: its index.
    dragged_end: Option<usize>,
    /// While a ring is dragged: its axis, and the pointer's last position.
    ring: Option<(usize, glam::Vec2)>,
    notes: Vec<(Instant, String)>,
    /// All notes so far, up to [`MOST_MESSAGES`].
    log: VecDeque<(Instant, String)>,
    /// True if all notes are shown in a window.
    pub has_messages: bool,
    pub record: RecordSettings,
    /// True if the form for recordings is shown.
    pub has_record_form: bool,
    pub convert: convert_form::ConvertForm,
    /// True if the confirmation before quitting is shown.
    pub asks_to_quit: bool,
    /// Dropped model, while a window asks whether to open it or to attach it to the selected joint.
    pub dropped: Option<PathBuf>,
    /// Problems shown until they are solved.
    pub problems: BTreeMap<Problem, String>,
    /// Durations of the last frames, in milliseconds.
    frame_times: Vec<f32>,
    uv_mesh: Option<usize>,
    /// Image below the texture coordinates, and its copy that egui draws.
    uv_image: Option<(GpuImage, TextureHandle)>,
    findings: findings::FindingsState,
    pub browser: Browser,
    /// The command palette, if it is open.
    pub palette: Option<Palette>,
    /// Texts of the rows run in the palette, the latest first.
    used: Vec<String>,
}

/// A problem that is shown longer than a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// The requested files cannot be opened; the current ones stay.
    Opening,
    Files,
    /// A changed shader cannot be compiled.
    Shaders,
    /// The frame cannot be drawn.
    Drawing,
}

impl Panel {
    pub fn new(settings: &Settings) -> Self {
        let mut panel = Self { width: settings.panel_width, record: settings.record.clone(), ..Self::default() };
        if let Some(fault) = &settings.fault {
            let note = format!("settings are neither used nor saved: {fault}");
            tell!("{note}");
            panel.note(note);
        }
        panel
    }

    pub fn note(&mut self, text: String) {
        self.notes.retain(|(_, known)| *known != text);
        self.log(text.clone());
        self.notes.push((Instant::now(), text));
    }

    /// Shows a problem until it is solved.
    pub fn trouble(&mut self, problem: Problem, text: String) {
        self.log(text.clone());
        self.problems.insert(problem, text);
    }

    /// Adds a text to the log.
    fn log(&mut self, text: String) {
        if self.log.len() >= MOST_MESSAGES {
            self.log.pop_front();
        }
        self.log.push_back((Instant::now(), text));
    }

    pub fn notes(&self) -> usize {
        self.notes.len()
    }

    /// Returns the time until the next note disappears.
    pub fn next_change(&self) -> Option<Duration> {
        self.notes.iter().map(|(since, _)| NOTE_TIME.saturating_sub(since.elapsed())).min()
    }

    /// Adds the duration of a frame to those of the last 120.
    pub fn count_frame(&mut self, milliseconds: f32) {
        if self.frame_times.len() >= 120 {
            self.frame_times.remove(0);
        }
        self.frame_times.push(milliseconds);
    }

    /// Lays out panel, timeline, overlay and palette.
    pub fn build(&mut self, ctx: &Context, player: &mut Player, input: &PanelInput<'_>) -> PanelOutput {
        let mut commands = Vec::new();
        self.notes.retain(|(since, _)| since.elapsed() < NOTE_TIME);
        self.browser.forget_wanted();
        if player.state.has_panel {
            egui::TopBottomPanel::bottom("timeline").show(ctx, |ui| self.timeline(ui, player, input, &mut commands));
            self.curves_dock(ctx, player, &mut commands);
            self.side_panel(ctx, |panel, ui| panel.pages(ui, player, input, &mut commands));
        }
        let frame = egui::Frame::NONE;
        let view = egui::CentralPanel::default().frame(frame).show(ctx, |ui| {
            self.overlay(ui, player, input, &mut commands);
            ui.max_rect()
        });
        if player.state.has_keys {
            palette::keys_window(ctx, &mut commands);
        }
        self.record_form(ctx, player, input, &mut commands);
        self.convert.show(ctx, player, input, &mut commands);
        self.dialogs(ctx, player, input, &mut commands);
        self.palette(ctx, player, input, &mut commands);
        PanelOutput { commands, view: view.inner }
    }

    /// Draws the panel on the right, at most half as wide as the window. Only dragging its edge changes the remembered
    /// width.
    fn side_panel(&mut self, ctx: &Context, contents: impl FnOnce(&mut Self, &mut Ui)) {
        let id = Id::new("panel");
        let most = PANEL_WIDTHS.end().min(ctx.content_rect().width() / 2.0);
        let least = PANEL_WIDTHS.start().min(most);
        let is_dragged = ctx.read_response(id.with("__resize")).is_some_and(|edge| edge.dragged());
        if !is_dragged {
            let rect = Rect::from_min_size(Pos2::ZERO, vec2(self.width.clamp(least, most), 0.0));
            ctx.data_mut(|data| data.insert_persisted(id, PanelState { rect }));
        }
        let side = egui::SidePanel::right(id).width_range(least..=most);
        let side = side.show(ctx, |ui| contents(self, ui));
        if is_dragged {
            self.width = side.response.rect.width();
        }
    }

    fn pages(&mut self, ui: &mut Ui, player: &mut Player, input: &PanelInput<'_>, commands: &mut Vec<Command>) {
        ui.add_space(4.0);
        ui.horizontal_wrapped(|ui| {
            // All tabs have to fit in one row.
            ui.spacing_mut().item_spacing.x = 1.0;
            if ui.available_width() < TABS_WIDTH {
                ui.spacing_mut().button_padding.x = 2.0;
            }
            for page in Page::ALL {
                let mut name = RichText::new(page.name());
                let is_current = player.state.page == page;
                let worst = match page {
                    Page::Findings => input.report.and_then(|report| report.worst),
                    Page::Meshes => player.scene().lost_images().next().map(|_| Severity::Warning),
                    _ => None,
                };
                if let Some(worst) = worst.filter(|_| !is_current) {
                    name = name.color(findings::colour(ui, worst));
                }
                change_if(ui.selectable_label(is_current, name).clicked(), commands, Change::Page(page));
            }
        });
        ui.separator();
        ui.label(RichText::new(player.state.page.about()).size(ABOUT_TEXT).weak());
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match player.state.page {
            Page::Clips => self.clips(ui, player, input, commands),
            Page::Joints => self.joints(ui, player, commands),
            Page::Meshes => self.meshes(ui, player, commands),
            Page::Methods => self.methods(ui, player, input, commands),
            Page::Findings => self.findings(ui, player, input, commands),
            Page::Files => self.files(ui, input, commands),
            Page::Camera => view_page::view_page(ui, player, input, commands),
        });
    }
}

/// Draws a selectable name, truncated to `width` points. The full name is its tooltip.
fn name_label(ui: &mut Ui, width: f32, is_chosen: bool, name: &str) -> Response {
    let label = ui.scope(|ui| {
        ui.set_max_width(width);
        ui.add(Button::selectable(is_chosen, name).truncate())
    });
    label.inner.on_hover_text(name)
}

/// Formats a number with four significant digits.
fn short(number: f64) -> String {
    match number.abs() {
        0.0 => "0".into(),
        size if size < 1e-3 => format!("{number:.1e}"),
        size if size < 10.0 => format!("{number:.4}"),
        _ => format!("{number:.2}"),
    }
}

/// Draws a button with a tooltip. Returns true if it was clicked.
fn button(ui: &mut Ui, text: &str, about: &str) -> bool {
    ui.button(text).on_hover_text(about).clicked()
}

/// Draws a label that looks like a button, with a tooltip. Returns true if it was clicked.
fn label(ui: &mut Ui, is_chosen: bool, text: &str, about: &str) -> bool {
    let button = Button::selectable(is_chosen, text).frame_when_inactive(true);
    ui.add(button).on_hover_text(about).clicked()
}

/// Creates a slider that changes its value only if the user moves it, not by rounding what it shows.
fn slider<Num: egui::emath::Numeric>(value: &mut Num, range: RangeInclusive<Num>) -> egui::Slider<'_> {
    egui::Slider::new(value, range).clamping(egui::SliderClamping::Edits)
}

/// Draws a text field for a filter over the whole width.
fn filter_field(ui: &mut Ui, filter: &mut String) {
    ui.add(egui::TextEdit::singleline(filter).hint_text("filter").desired_width(f32::INFINITY));
}

/// Draws labels that toggle overlays: overlay, name, tooltip.
fn overlays(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>, offered: &[(Overlay, &str, &str)]) {
    for &(overlay, name, about) in offered {
        change_if(label(ui, player.state.has_overlay(overlay), name, about), commands, Change::Toggle(overlay));
    }
}

/// Draws labels for `all` values with their tooltips. Returns the one that was clicked.
fn choose_label<T: Copy + PartialEq>(
    ui: &mut Ui,
    all: &[T],
    current: T,
    text: impl Fn(T) -> (&'static str, String),
) -> Option<T> {
    let mut chosen = None;
    for &one in all {
        let (name, about) = text(one);
        if label(ui, one == current, name, &about) {
            chosen = Some(one);
        }
    }
    chosen
}

/// Draws a drop-down list of `all` values. Returns the one that was chosen.
fn choose<T: Copy + PartialEq>(
    ui: &mut Ui,
    id: &str,
    all: impl IntoIterator<Item = T>,
    current: T,
    name: impl Fn(T) -> String,
) -> Option<T> {
    let list = |ui: &mut Ui| {
        let mut chosen = None;
        for one in all {
            if ui.selectable_label(one == current, name(one)).clicked() {
                chosen = Some(one);
            }
        }
        chosen
    };
    egui::ComboBox::from_id_salt(id).selected_text(name(current)).show_ui(ui, list).inner.flatten()
}

/// Draws a label with its tooltip, and a drop-down list of `all` values. Returns the value that was chosen.
fn choose_row<T: Copy + PartialEq>(
    ui: &mut Ui,
    (label, about): (&str, &str),
    all: impl IntoIterator<Item = T>,
    current: T,
    name: impl Fn(T) -> String,
) -> Option<T> {
    let row = |ui: &mut Ui| {
        // Lists of consecutive rows are aligned.
        let size = vec2(LABEL_WIDTH, ui.spacing().interact_size.y);
        let layout = Layout::left_to_right(Align::Center);
        ui.allocate_ui_with_layout(size, layout, |ui| {
            ui.set_min_width(LABEL_WIDTH);
            ui.label(label).on_hover_text(about);
        });
        choose(ui, label, all, current, name)
    };
    ui.horizontal(row).inner
}

fn change_if(clicked: bool, commands: &mut Vec<Command>, change: Change) {
    if clicked {
        commands.push(Command::Change(change));
    }
}

fn ask_if(clicked: bool, commands: &mut Vec<Command>, request: Request) {
    if clicked {
        commands.push(Command::Request(request));
    }
}

#[cfg(test)]
mod tests {
    use super::slider;

    /// egui rounds a value to the decimals that are shown, or moves it into the range.
    #[test]
    fn a_slider_that_is_only_shown_keeps_its_value() {
        for given in [2.56, 4.56] {
            let (ctx, mut value, mut is_changed) = (egui::Context::default(), given, false);
            drop(ctx.run(Default::default(), |ctx| {
                egui::CentralPanel::default().show(ctx, |ui| {
                    is_changed |= ui.add(slider(&mut value, 0.0..=4.0).max_decimals(1)).changed();
                });
            }));
            assert_eq!((value, is_changed), (given, false));
        }
    }
}
