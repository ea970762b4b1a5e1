//! Panel, timeline and what stands in the picture: reads the player, and says what is to be done.

mod apart;
mod camera;
mod clips;
mod files;
mod findings;
mod game;
mod joints;
mod meshes;
mod methods;
mod palette;
mod timeline;
mod view;

pub use files::{Browser, THUMBNAIL};
pub use findings::Report;
pub use game::Figures;
pub use joints::show_example;

use super::asked::Asked;
use super::palette::Palette;
use super::request::{Command, Request};
use super::settings::{PANEL_WIDTHS, Theme};
use bindpose::model::JointId;
use bindpose::player::{Action, Overlay, Page, Player};
use egui::{Button, Context, Response, RichText, Ui};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a note stands in the picture.
const NOTE_TIME: Duration = Duration::from_secs(5);

/// What the panel remembers that is no business of the player.
#[derive(Default)]
pub struct Panel {
    /// Points.
    pub width: f32,
    clip_filter: String,
    joint_filter: String,
    /// The selected joint when the tree was last shown.
    joint_in_tree: Option<JointId>,
    /// How far the tree is scrolled, points.
    tree_offset: f32,
    figure_filter: String,
    apart: apart::Memory,
    range_name: String,
    /// Whether the timeline is being dragged, and whether it played before.
    scrubbing: Option<bool>,
    /// Which ring is being dragged, and where the pointer was.
    ring: Option<(usize, glam::Vec2)>,
    notes: Vec<(Instant, String)>,
    /// What is wrong until it is mended.
    pub troubles: BTreeMap<Trouble, String>,
    /// Milliseconds of the last frames.
    frame_times: Vec<f32>,
    uv_mesh: Option<usize>,
    findings: findings::Memory,
    pub browser: Browser,
    /// The list of everything that can be done, while it is open.
    pub palette: Option<Palette>,
}

/// What may be wrong for longer than a note is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// A file that was saved cannot be read.
    Files,
    /// A shader that was saved cannot be compiled.
    Shaders,
    /// The picture cannot be drawn.
    Picture,
}

/// What the panel knows about the world besides the player.
pub struct World<'a> {
    /// What is shown.
    pub asked: &'a Asked,
    /// What `validate` says of them, once it has.
    pub report: Option<&'a Report>,
    /// What the game that is open has to show.
    pub figures: Option<&'a Figures>,
    /// Files that were shown before.
    pub recent: &'a [PathBuf],
    /// The speed that was asked for of `.x` clips.
    pub ticks_per_second: Option<f64>,
    /// Whether the window fills the screen.
    pub is_fullscreen: bool,
    /// Colours of panel and timeline.
    pub theme: Theme,
    /// What is being read for longer than nobody notices.
    pub loading: Option<&'a str>,
    /// How far a recording is.
    pub recording: Option<String>,
    /// Pictures a second.
    pub rate: f64,
}

/// What became of a pass.
pub struct Passed {
    /// What is to be done, in order.
    pub commands: Vec<Command>,
    /// Where the picture is, points.
    pub view: egui::Rect,
}

impl Panel {
    /// As wide as this, points.
    pub fn new(width: f32) -> Self {
        Self { width, ..Self::default() }
    }

    /// Shows a sentence for a while.
    pub fn note(&mut self, text: String) {
        self.notes.retain(|(_, known)| *known != text);
        self.notes.push((Instant::now(), text));
    }

    /// How many notes are shown.
    pub fn notes(&self) -> usize {
        self.notes.len()
    }

    /// How long until a note goes away.
    pub fn next_change(&self) -> Option<Duration> {
        self.notes.iter().map(|(since, _)| NOTE_TIME.saturating_sub(since.elapsed())).min()
    }

    /// Remembers how long a frame took.
    pub fn count_frame(&mut self, milliseconds: f32) {
        if self.frame_times.len() >= 120 {
            self.frame_times.remove(0);
        }
        self.frame_times.push(milliseconds);
    }

    /// Lays everything out.
    pub fn build(&mut self, ctx: &Context, player: &mut Player, world: &World<'_>) -> Passed {
        let mut commands = Vec::new();
        self.notes.retain(|(since, _)| since.elapsed() < NOTE_TIME);
        self.browser.forget_wanted();
        if player.state.has_panel {
            egui::TopBottomPanel::bottom("timeline").show(ctx, |ui| self.timeline(ui, player, world, &mut commands));
            let side = egui::SidePanel::right("panel").default_width(self.width).width_range(PANEL_WIDTHS);
            let side = side.show(ctx, |ui| self.pages(ui, player, world, &mut commands));
            self.width = side.response.rect.width();
        }
        let frame = egui::Frame::NONE;
        let view = egui::CentralPanel::default().frame(frame).show(ctx, |ui| {
            self.view(ui, player, world, &mut commands);
            ui.max_rect()
        });
        if player.state.has_keys {
            palette::keys_window(ctx, &mut commands);
        }
        self.palette(ctx, player, world, &mut commands);
        Passed { commands, view: view.inner }
    }

    fn pages(&mut self, ui: &mut Ui, player: &mut Player, world: &World<'_>, commands: &mut Vec<Command>) {
        ui.add_space(4.0);
        ui.horizontal_wrapped(|ui| {
            // All in one row.
            ui.spacing_mut().item_spacing.x = 1.0;
            for page in Page::ALL {
                let mut name = RichText::new(page.name());
                if page == Page::Findings && world.report.is_some_and(|report| report.errors > 0) {
                    name = name.color(ui.visuals().error_fg_color);
                }
                if ui.selectable_label(player.state.page == page, name).clicked() {
                    commands.push(Command::Act(Action::Page(page)));
                }
            }
        });
        ui.separator();
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match player.state.page {
            Page::Clips => self.clips(ui, player, world, commands),
            Page::Joints => self.joints(ui, player, commands),
            Page::Meshes => self.meshes(ui, player, commands),
            Page::Methods => self.methods(ui, player, world, commands),
            Page::Findings => self.findings_page(ui, player, world, commands),
            Page::Files => self.files(ui, world, commands),
            Page::Camera => self.view_page(ui, player, world, commands),
        });
    }
}

/// A name to be chosen, no wider than `width` points; what does not fit is told where the pointer rests on it.
fn name_label(ui: &mut Ui, width: f32, is_chosen: bool, name: &str) -> Response {
    let label = ui.scope(|ui| {
        ui.set_max_width(width);
        ui.add(Button::selectable(is_chosen, name).truncate())
    });
    label.inner.on_hover_text(name)
}

/// A button whose tooltip says what it does.
fn button(ui: &mut Ui, text: &str, about: &str) -> bool {
    ui.button(text).on_hover_text(about).clicked()
}

/// Overlays to be shown or hidden, each with its name and what it is.
fn overlays(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>, offered: &[(Overlay, &str, &str)]) {
    for &(overlay, name, about) in offered {
        let label = ui.selectable_label(player.state.has_overlay(overlay), name).on_hover_text(about);
        act_if(label.clicked(), commands, Action::Toggle(overlay));
    }
}

/// A box with one of `all` in it; the one that was chosen.
fn choose<T: Copy + PartialEq>(ui: &mut Ui, id: &str, all: &[T], present: T, name: fn(T) -> &'static str) -> Option<T> {
    let list = |ui: &mut Ui| {
        let offer =
            |chosen, &one| if ui.selectable_label(one == present, name(one)).clicked() { Some(one) } else { chosen };
        all.iter().fold(None, offer)
    };
    egui::ComboBox::from_id_salt(id).selected_text(name(present)).show_ui(ui, list).inner.flatten()
}

/// Adds an action where something was clicked.
fn act_if(clicked: bool, commands: &mut Vec<Command>, action: Action) {
    if clicked {
        commands.push(Command::Act(action));
    }
}

/// Adds a request where something was clicked.
fn ask_if(clicked: bool, commands: &mut Vec<Command>, request: Request) {
    if clicked {
        commands.push(Command::Ask(request));
    }
}
