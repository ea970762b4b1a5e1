//! The page of files: a folder's models, what was shown before, and what is shown now.

use super::{Panel, World, ask_if, button};
use crate::commands::play::window::request::{Command, Request};
use crate::commands::play::window::watch::folder_of;
use bindpose::load::Format;
use egui::text::{CCursor, CCursorRange};
use egui::{ColorImage, TextureHandle, Ui, vec2};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Side of a thumbnail, pixels.
pub const THUMBNAIL: u32 = 128;
/// Entries of a folder that are listed.
const MOST_ENTRIES: usize = 2000;

/// Files that are shown whose names are listed.
const MOST_FILES: usize = 6;

/// A folder with its models and their pictures.
pub struct Browser {
    folder: PathBuf,
    entries: Option<Vec<Entry>>,
    filter: String,
    path: String,
    /// Whether the next key is part of the path.
    is_asking: bool,
    /// `None` while there is no picture yet, or never will be.
    thumbnails: HashMap<PathBuf, Option<TextureHandle>>,
    /// Models in sight that have no picture yet, from above.
    wanted: Vec<PathBuf>,
    /// The model of which one is being made.
    pictured: Option<PathBuf>,
}

struct Entry {
    path: PathBuf,
    name: String,
    is_folder: bool,
}

impl Default for Browser {
    fn default() -> Self {
        let folder = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        Self {
            path: folder.display().to_string(),
            folder,
            entries: None,
            is_asking: false,
            filter: String::new(),
            thumbnails: HashMap::new(),
            wanted: Vec::new(),
            pictured: None,
        }
    }
}

impl Browser {
    /// Goes to a folder.
    pub fn go_to(&mut self, folder: &Path) {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        self.path = folder.display().to_string();
        self.folder = folder;
        self.entries = None;
        self.filter.clear();
        self.wanted.clear();
    }

    /// Lets a path be typed.
    pub fn ask_for_path(&mut self) {
        self.is_asking = true;
    }

    /// Nothing is in sight any more.
    pub(super) fn forget_wanted(&mut self) {
        self.wanted.clear();
    }

    /// A model in sight of which a picture is wanted, unless one is being made.
    pub fn next_wanted(&mut self) -> Option<PathBuf> {
        if self.pictured.is_some() || self.wanted.is_empty() {
            return None;
        }
        self.pictured = Some(self.wanted.remove(0));
        self.pictured.clone()
    }

    /// Takes the picture of the model that was wanted; `None` if there can be none.
    pub fn add_thumbnail(&mut self, ctx: &egui::Context, model: PathBuf, picture: Option<&image::RgbaImage>) {
        let texture = picture.map(|picture| {
            let size = [picture.width() as usize, picture.height() as usize];
            let picture = ColorImage::from_rgba_unmultiplied(size, picture);
            ctx.load_texture(model.display().to_string(), picture, egui::TextureOptions::LINEAR)
        });
        self.pictured = None;
        self.thumbnails.insert(model, texture);
    }

    /// The files that the folder was last listed with.
    pub fn files(&self) -> Vec<&Path> {
        let files = self.entries.iter().flatten().filter(|entry| !entry.is_folder);
        files.map(|entry| entry.path.as_path()).collect()
    }

    fn want(&mut self, model: &Path) {
        if self.pictured.as_deref() != Some(model) && !self.wanted.iter().any(|wanted| wanted == model) {
            self.wanted.push(model.to_owned());
        }
    }

    pub(super) fn list(&mut self) {
        self.entries.get_or_insert_with(|| list(&self.folder));
    }
}

/// Folders, and files that can be opened, by name; folders first.
fn list(folder: &Path) -> Vec<Entry> {
    let found = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<Entry> = found
        .filter_map(|entry| {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_folder = path.is_dir();
            // A camera alone shows nothing.
            let can_open = Format::of_path(&path).is_some_and(|format| format != Format::Md5Camera);
            let is_shown = !name.starts_with('.') && (is_folder || can_open);
            is_shown.then_some(Entry { path, name, is_folder })
        })
        .take(MOST_ENTRIES)
        .collect();
    entries
        .sort_by(|a, b| b.is_folder.cmp(&a.is_folder).then_with(|| a.name.to_lowercase().cmp(&b.name.to_lowercase())));
    entries
}

/// The first of some files, and how many there are more.
fn names(ui: &mut Ui, files: &[PathBuf]) {
    let (listed, more) = files.split_at(files.len().min(MOST_FILES));
    for file in listed {
        ui.label(file.display().to_string());
    }
    if !more.is_empty() {
        ui.weak(format!("and {} more", more.len()));
    }
}

impl Panel {
    pub(super) fn files(&mut self, ui: &mut Ui, world: &World<'_>, commands: &mut Vec<Command>) {
        if world.asked.is_sample() {
            ui.label("The bundled sample is shown. Drop files on the window, or choose one below.");
            names(ui, &world.asked.added);
        } else {
            if world.asked.subject.is_some() {
                ui.label(world.asked.name());
            }
            let files = if world.asked.files.is_empty() { &world.asked.added } else { &world.asked.files };
            names(ui, files);
            ask_if(
                button(ui, "read again", "ctrl r; files that change are read again by themselves"),
                commands,
                Request::Reload,
            );
        }
        if !world.recent.is_empty() {
            ui.menu_button("shown before", |ui| {
                for file in world.recent {
                    ask_if(
                        ui.button(file.display().to_string()).clicked(),
                        commands,
                        Request::Open(vec![file.clone()].into()),
                    );
                }
            });
        }
        self.figures(ui, world, commands);
        ui.separator();
        let browser = &mut self.browser;
        ui.horizontal(|ui| {
            if button(ui, "⬆", "the folder above")
                && let Some(above) = browser.folder.parent().map(Path::to_owned)
            {
                browser.go_to(&above);
            }
            let width = ui.available_width();
            let mut field = egui::TextEdit::singleline(&mut browser.path).desired_width(width).show(ui);
            if std::mem::take(&mut browser.is_asking) {
                field.response.request_focus();
                // What is typed goes on behind the folder.
                let end = CCursorRange::one(CCursor::new(browser.path.chars().count()));
                field.state.cursor.set_char_range(Some(end));
                field.state.store(ui.ctx(), field.response.id);
            }
            let field = field.response;
            if field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) {
                let path = PathBuf::from(&browser.path);
                if path.is_dir() {
                    browser.go_to(&path);
                } else {
                    if path.is_file() {
                        browser.go_to(&folder_of(&path));
                    }
                    // As if it were dropped.
                    let is_part = Format::of_path(&path).is_some_and(|format| !format.is_model());
                    let request = if is_part { Request::Add(vec![path]) } else { Request::Open(vec![path].into()) };
                    commands.push(Command::Ask(request));
                }
            }
        });
        ui.add(egui::TextEdit::singleline(&mut browser.filter).hint_text("filter").desired_width(f32::INFINITY));
        let filter = browser.filter.to_lowercase();
        let mut folder = None;
        browser.list();
        let entries = browser.entries.take().unwrap_or_default();
        let shown: Vec<&Entry> = entries.iter().filter(|entry| entry.name.to_lowercase().contains(&filter)).collect();
        let (folders, models): (Vec<&Entry>, Vec<&Entry>) = shown.into_iter().partition(|entry| entry.is_folder);
        for entry in folders {
            if ui.selectable_label(false, format!("🗀 {}", entry.name)).clicked() {
                folder = Some(entry.path.clone());
            }
        }
        ui.horizontal_wrapped(|ui| {
            for entry in models {
                let tile = browser.tile(ui, entry);
                ask_if(tile.clicked(), commands, Request::Open(vec![entry.path.clone()].into()));
                tile.context_menu(|ui| {
                    ask_if(ui.button("show").clicked(), commands, Request::Open(vec![entry.path.clone()].into()));
                    let beside = ui.button("show beside the present one").clicked();
                    ask_if(beside, commands, Request::OpenBeside(vec![entry.path.clone()].into()));
                    let added = ui.button("add to the present files").clicked();
                    ask_if(added, commands, Request::Add(vec![entry.path.clone()]));
                });
            }
        });
        browser.entries = Some(entries);
        if let Some(folder) = folder {
            browser.go_to(&folder);
        }
    }
}

impl Browser {
    /// A model's picture and name, to be clicked.
    fn tile(&mut self, ui: &mut Ui, entry: &Entry) -> egui::Response {
        let side = 92.0;
        let (rect, response) = ui.allocate_exact_size(vec2(side, side + 16.0), egui::Sense::click());
        if !ui.is_rect_visible(rect) {
            return response;
        }
        let visuals = ui.style().interact(&response);
        let square = egui::Rect::from_min_size(rect.min, vec2(side, side));
        ui.painter().rect_filled(square, 4.0, ui.visuals().extreme_bg_color);
        match self.thumbnails.get(&entry.path) {
            Some(Some(texture)) => {
                let whole = egui::Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
                ui.painter().image(texture.id(), square, whole, egui::Color32::WHITE);
            }
            Some(None) => {}
            None => self.want(&entry.path),
        }
        if response.hovered() {
            ui.painter().rect_stroke(square, 4.0, visuals.fg_stroke, egui::StrokeKind::Inside);
        }
        let mut name = entry.name.clone();
        if name.chars().count() > 16 {
            name = name.chars().take(15).chain(['…']).collect();
        }
        let font = egui::FontId::proportional(10.5);
        ui.painter().text(rect.center_bottom(), egui::Align2::CENTER_BOTTOM, name, font, visuals.text_color());
        response.on_hover_text(&entry.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_picture_is_made_at_a_time_of_what_is_in_sight() {
        let (ctx, mut browser) = (egui::Context::default(), Browser::default());
        let [a, b, c] = ["a.x", "b.x", "c.x"].map(PathBuf::from);
        [&a, &b, &a].into_iter().for_each(|model| browser.want(model));
        assert_eq!(browser.next_wanted(), Some(a.clone()));
        assert_eq!(browser.next_wanted(), None, "the first is being made");
        // Scrolled on: of what is out of sight none is made.
        browser.forget_wanted();
        browser.want(&c);
        browser.add_thumbnail(&ctx, a.clone(), None);
        assert_eq!((browser.next_wanted(), browser.next_wanted()), (Some(c), None));
        assert!(browser.thumbnails.contains_key(&a) && !browser.thumbnails.contains_key(&b));
    }
}
