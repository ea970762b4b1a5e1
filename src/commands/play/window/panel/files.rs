//! Files page: current files, a folder's models with thumbnails, recent files.

use super::{Panel, PanelInput, Problem, ask_if, button, filter_field};
use crate::commands::play::window::folder::{Entry, FolderList};
use crate::commands::play::window::fonts;
use crate::commands::play::window::open_request::is_among;
use crate::commands::play::window::palette::is_image;
use crate::commands::play::window::request::{Command, Pick, Request};
use crate::commands::play::window::watch::folder_of;
use bindpose::vfs::member::is_archive;
use bindpose_player::{Attachment, edit};
use egui::text::{CCursor, CCursorRange};
use egui::{ColorImage, DragValue, TextureHandle, Ui, vec2};
use glam::DAffine3;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Side length of a thumbnail, in pixels.
pub const THUMBNAIL: u32 = 128;
/// Smallest side length of a thumbnail in the list, in points.
const TILE: f32 = 92.0;
/// Largest number of listed current files.
const MOST_FILES: usize = 6;

/// A folder with its models and their thumbnails.
pub struct Browser {
    folder: PathBuf,
    /// Content of the folder. `None` until it is listed.
    list: Option<FolderList>,
    /// True once the list is needed.
    needs_list: bool,
    /// True if the folder may have changed since it was listed.
    is_stale: bool,
    /// Folder that is being listed.
    listing: Option<PathBuf>,
    filter: String,
    path: String,
    /// True if the path field gets the focus in the next frame.
    is_asking: bool,
    /// Thumbnails, or reasons why a model cannot be drawn.
    thumbnails: HashMap<PathBuf, Result<TextureHandle, String>>,
    /// Visible models without a thumbnail, from top to bottom.
    wanted: Vec<PathBuf>,
    /// Model whose thumbnail is being drawn.
    pending: Option<PathBuf>,
}

impl Default for Browser {
    fn default() -> Self {
        let folder = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        Self {
            path: folder.display().to_string(),
            folder,
            list: None,
            needs_list: false,
            is_stale: false,
            listing: None,
            is_asking: false,
            filter: String::new(),
            thumbnails: HashMap::new(),
            wanted: Vec::new(),
            pending: None,
        }
    }
}

impl Browser {
    pub fn go_to(&mut self, folder: &Path) {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        self.path = folder.display().to_string();
        self.folder = folder;
        self.list = None;
        self.filter.clear();
        self.wanted.clear();
    }

    /// Puts the cursor into the path field.
    pub fn ask_for_path(&mut self) {
        self.is_asking = true;
    }

    /// Clears the visible models of the last frame.
    pub(super) fn forget_wanted(&mut self) {
        self.wanted.clear();
    }

    /// Returns the next visible model without a thumbnail, unless one is being drawn.
    pub fn next_wanted(&mut self) -> Option<PathBuf> {
        if self.pending.is_some() || self.wanted.is_empty() {
            return None;
        }
        self.pending = Some(self.wanted.remove(0));
        self.pending.clone()
    }

    /// Stores the thumbnail of the pending model, or the reason why it cannot be drawn.
    pub fn add_thumbnail(&mut self, ctx: &egui::Context, model: PathBuf, image: Result<image::RgbaImage, String>) {
        let texture = image.map(|image| {
            let size = [image.width() as usize, image.height() as usize];
            let image = ColorImage::from_rgba_unmultiplied(size, &image);
            ctx.load_texture(model.display().to_string(), image, egui::TextureOptions::LINEAR)
        });
        self.pending = None;
        self.thumbnails.insert(model, texture);
    }

    /// Returns the files of the folder when it was last listed.
    pub fn files(&self) -> Vec<&Path> {
        let files = self.list.iter().flat_map(|list| &list.entries).filter(|entry| !entry.is_folder);
        files.map(|entry| entry.path.as_path()).collect()
    }

    fn want(&mut self, model: &Path) {
        if self.pending.as_deref() != Some(model) && !self.wanted.iter().any(|wanted| wanted == model) {
            self.wanted.push(model.to_owned());
        }
    }

    /// Requests the list of the folder.
    pub(super) fn list(&mut self) {
        self.needs_list = true;
    }

    /// Lists the folder again if `changed` is in it; `None` stands for any file. The old list is shown until then.
    pub fn refresh(&mut self, changed: Option<&Path>) {
        self.is_stale |= changed.is_none_or(|path| path == self.folder || path.parent() == Some(&self.folder));
    }

    /// Returns the folder if it must be listed.
    pub fn next_list(&mut self) -> Option<PathBuf> {
        let is_waiting = self.listing.as_ref() == Some(&self.folder);
        if !self.needs_list || self.list.is_some() && !self.is_stale || is_waiting {
            return None;
        }
        self.is_stale = false;
        self.listing = Some(self.folder.clone());
        self.listing.clone()
    }

    /// Stores the list of a folder, unless it is no longer shown.
    pub fn take_list(&mut self, list: FolderList) {
        if list.folder == self.folder {
            (self.list, self.listing) = (Some(list), None);
        }
    }

    fn path_field(&mut self, ui: &mut Ui, commands: &mut Vec<Command>) {
        ui.horizontal(|ui| {
            if button(ui, "⬆", "the folder above")
                && let Some(above) = self.folder.parent().map(Path::to_owned)
            {
                self.go_to(&above);
            }
            let width = ui.available_width();
            // An automatic id may be that of a field on another page, which would then have the focus.
            let field = egui::TextEdit::singleline(&mut self.path).id(egui::Id::new("path"));
            let mut field = field.desired_width(width).show(ui);
            if std::mem::take(&mut self.is_asking) {
                field.response.request_focus();
                // Typed text replaces the old path.
                let all = CCursorRange::two(CCursor::new(0), CCursor::new(self.path.chars().count()));
                field.state.cursor.set_char_range(Some(all));
                field.state.store(ui.ctx(), field.response.id);
            }
            if field.response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) {
                self.open_path(commands);
            }
        });
    }

    /// Goes to the typed folder, or opens the typed file as if it had been dropped.
    fn open_path(&mut self, commands: &mut Vec<Command>) {
        let path = PathBuf::from(&self.path);
        if path.is_file() {
            // An image is for the current model, whose folder stays listed.
            let folder = if is_image(&path) { self.folder.clone() } else { folder_of(&path) };
            self.go_to(&folder);
        }
        commands.push(Command::Request(Request::OpenTyped(path)));
    }

    /// Draws folders, and models with their thumbnails.
    fn tiles(&mut self, ui: &mut Ui, current: &[PathBuf], commands: &mut Vec<Command>) {
        let filter = self.filter.to_lowercase();
        let mut folder = None;
        self.list();
        let Some(list) = self.list.take() else {
            ui.weak("listing the folder…");
            return;
        };
        let entries = &list.entries;
        let missing = fonts::add_for(ui.ctx(), entries.iter().map(|entry| entry.name.as_str()));
        missing.into_iter().for_each(|note| _ = ui.weak(note));
        let shown =
            entries.iter().filter(|entry| !is_image(&entry.path) && entry.name.to_lowercase().contains(&filter));
        let (folders, files): (Vec<&Entry>, Vec<&Entry>) = shown.partition(|entry| entry.is_folder);
        let (archives, models): (Vec<&Entry>, Vec<&Entry>) = files.into_iter().partition(|it| is_archive(&it.path));
        let open = |path: &Path| Request::OpenTyped(path.to_owned());
        if list.is_game {
            let clicked = button(ui, "open as a game", "lists what the archives and decls of this folder declare");
            ask_if(clicked, commands, open(&self.folder));
        }
        for entry in folders {
            if ui.selectable_label(false, format!("🗀 {}", entry.name)).clicked() {
                folder = Some(entry.path.clone());
            }
        }
        for entry in archives {
            let clicked = ui.selectable_label(false, format!("🗄 {}", entry.name)).clicked();
            ask_if(clicked, commands, open(&entry.path));
        }
        ui.horizontal_wrapped(|ui| {
            for entry in models {
                let tile = self.tile(ui, entry, is_among(&entry.path, current));
                let one = || vec![entry.path.clone()];
                ask_if(tile.clicked(), commands, Request::Open(one().into()));
                tile.context_menu(|ui| {
                    ask_if(ui.button("open").clicked(), commands, Request::Open(one().into()));
                    let beside = ui.button("open in a split view").clicked();
                    ask_if(beside, commands, Request::OpenBeside(one().into()));
                    ask_if(ui.button("add to the current model").clicked(), commands, Request::Add(one()));
                });
            }
        });
        list.notes.iter().for_each(|note| _ = ui.colored_label(ui.visuals().warn_fg_color, note));
        self.list = Some(list);
        if let Some(folder) = folder {
            self.go_to(&folder);
        }
    }

    /// Draws links to recent models that still exist.
    fn recent(&mut self, ui: &mut Ui, files: &[PathBuf], commands: &mut Vec<Command>) {
        ui.horizontal_wrapped(|ui| {
            for path in files.iter().filter(|path| path.is_file()).take(MOST_FILES) {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let tile = self.tile(ui, &Entry { path: path.clone(), name, is_folder: false }, false);
                let tile = tile.on_hover_text(path.display().to_string());
                ask_if(tile.clicked(), commands, Request::Open(vec![path.clone()].into()));
            }
        });
    }

    /// Draws a model's thumbnail and name as a button.
    fn tile(&mut self, ui: &mut Ui, entry: &Entry, is_current: bool) -> egui::Response {
        // The tiles of a row are as wide as the panel.
        let (gap, width) = (ui.spacing().item_spacing.x, ui.max_rect().width());
        let columns = ((width + gap) / (TILE + gap)).floor().max(1.0);
        let side = ((width + gap) / columns - gap).floor();
        let (rect, response) = ui.allocate_exact_size(vec2(side, side + 16.0), egui::Sense::click());
        if !ui.is_rect_visible(rect) {
            return response;
        }
        let visuals = ui.style().interact(&response);
        let square = egui::Rect::from_min_size(rect.min, vec2(side, side));
        ui.painter().rect_filled(square, 4.0, ui.visuals().extreme_bg_color);
        match self.thumbnails.get(&entry.path) {
            Some(Ok(texture)) => {
                let whole = egui::Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
                ui.painter().image(texture.id(), square, whole, egui::Color32::WHITE);
            }
            Some(Err(_)) => {
                let (font, color) = (egui::FontId::proportional(30.0), ui.visuals().warn_fg_color);
                ui.painter().text(square.center(), egui::Align2::CENTER_CENTER, "⚠", font, color);
            }
            None => self.want(&entry.path),
        }
        let frame =
            if is_current { egui::Stroke::new(2.0, ui.visuals().selection.stroke.color) } else { visuals.fg_stroke };
        if response.hovered() || is_current {
            ui.painter().rect_stroke(square, 4.0, frame, egui::StrokeKind::Inside);
        }
        let font = egui::FontId::proportional(10.5);
        let name = elided(&entry.name);
        ui.painter().text(rect.center_bottom(), egui::Align2::CENTER_BOTTOM, name, font, visuals.text_color());
        match self.thumbnails.get(&entry.path) {
            Some(Err(reason)) => response.on_hover_text(format!("{}\n{reason}", entry.name)),
            _ => response.on_hover_text(&entry.name),
        }
    }
}

/// Shortens a file's name to 17 letters: the beginning and the end of its stem, and the extension.
fn elided(name: &str) -> String {
    const MOST: usize = 17;
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= MOST {
        return name.to_owned();
    }
    let dot = letters.iter().rposition(|&letter| letter == '.').unwrap_or(letters.len());
    let tail = (letters.len() - dot + 4).min(MOST / 2 + 4);
    let (head, tail) = (&letters[..MOST - 1 - tail], &letters[letters.len() - tail..]);
    head.iter().chain(&['…']).chain(tail).collect()
}

/// Lines that explain what can be dropped on the window.
const DROPPED: [&str; 4] = [
    "• a model (.md5mesh, .x, .gltf, .glb): it is shown with the clips beside it",
    "• clips (.md5anim, .x) or a camera (.md5camera): they are added",
    "• a folder, or a game's archive (.pk4, .pk3, .pak): its models are listed",
    "• an image: it is used for the mesh that is open on the Meshes page",
];

/// Draws the first of several files, and the number of the others.
fn names(ui: &mut Ui, files: &[PathBuf]) {
    let (listed, more) = files.split_at(files.len().min(MOST_FILES));
    for file in listed {
        ui.label(file.display().to_string());
    }
    if !more.is_empty() {
        ui.weak(format!("and {} more", more.len()));
    }
}

/// Draws an attached model with its joint, its offset, and a button that removes it.
fn attached(ui: &mut Ui, number: usize, attachment: &Attachment, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let removed = button(ui, "🗑", "removes this attached model (shift+delete: all)");
        ask_if(removed, commands, Request::Detach(Some(number)));
        let name = attachment.file.file_name().unwrap_or_default().to_string_lossy();
        let label = ui.label(format!("{name} on {}", attachment.joint));
        label.on_hover_text(attachment.file.display().to_string());
    });
    let (_, turn, translation) = attachment.joint_from_attached.to_scale_rotation_translation();
    let (mut offset, mut degrees) = (translation.to_array(), edit::degrees_of(turn));
    let mut is_moved = false;
    ui.horizontal_wrapped(|ui| {
        for (axis, offset) in ["x ", "y ", "z "].into_iter().zip(&mut offset) {
            let field = DragValue::new(offset).speed(0.1).max_decimals(2).prefix(axis);
            is_moved |= ui.add(field).on_hover_text("offset from the joint").changed();
        }
        for degrees in &mut degrees {
            let field = DragValue::new(degrees).speed(1.0).max_decimals(1).suffix("°");
            is_moved |= ui.add(field).on_hover_text("rotation about x, then y, then z").changed();
        }
    });
    let at = DAffine3::from_rotation_translation(edit::turn_of(degrees), offset.into());
    ask_if(is_moved, commands, Request::MoveAttached(number, at));
}

impl Panel {
    pub(super) fn files(&mut self, ui: &mut Ui, input: &PanelInput<'_>, commands: &mut Vec<Command>) {
        let current = input.current;
        if current.is_sample() {
            ui.label("This is the bundled sample. Drop on the window:");
            for line in DROPPED {
                ui.label(line);
            }
            names(ui, &current.added);
        } else {
            if current.subject.is_some() {
                ui.label(current.name());
            }
            names(ui, if current.files.is_empty() { &current.added } else { &current.files });
        }
        for (number, attachment) in current.attachments.iter().enumerate() {
            attached(ui, number, attachment, commands);
        }
        ui.horizontal_wrapped(|ui| {
            ask_if(button(ui, "open…", "with the system's dialog (ctrl+o)"), commands, Request::Browse(Pick::Open));
            ask_if(button(ui, "type a path", "ctrl+l"), commands, Request::TypePath);
            if !current.is_sample() {
                let clicked = button(ui, "reload", "changed files are reloaded automatically (ctrl+r)");
                ask_if(clicked, commands, Request::Reload);
            }
            if !input.recent.is_empty() && !current.is_sample() {
                ui.menu_button("recent files", |ui| {
                    for file in input.recent {
                        let clicked = ui.button(file.display().to_string()).clicked();
                        ask_if(clicked, commands, Request::Open(vec![file.clone()].into()));
                    }
                });
            }
        });
        if current.is_sample() && !input.recent.is_empty() {
            ui.separator();
            ui.strong("recent files");
            self.browser.recent(ui, input.recent, commands);
        }
        self.game_models(ui, input, commands);
        ui.separator();
        let folder = self.browser.folder.clone();
        self.browser.path_field(ui, commands);
        filter_field(ui, &mut self.browser.filter);
        self.browser.tiles(ui, &current.files, commands);
        if self.browser.folder != folder {
            // The path that could not be opened is given up.
            self.problems.remove(&Problem::Opening);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends_of_the_stem_and_the_extension() {
        for (name, shown) in [
            ("imp.md5mesh", "imp.md5mesh"),
            ("mannequin_light.md5mesh", "mann…ight.md5mesh"),
            ("mannequin_heavy.md5mesh", "mann…eavy.md5mesh"),
            ("a_very_long_name_of_a_pig.x", "a_very_lon…_pig.x"),
            ("a_name_without_an_extension", "a_name_witho…sion"),
        ] {
            assert_eq!(elided(name), shown);
        }
    }

    #[test]
    fn a_folder_is_listed_once_and_a_late_list_is_dropped() {
        let [a, b] = ["a", "b"].map(|name| std::env::temp_dir().join(name));
        let list = |folder: &PathBuf| FolderList { folder: folder.clone(), ..FolderList::default() };
        let mut browser = Browser::default();
        browser.go_to(&a);
        assert_eq!(browser.next_list(), None, "no page shows it");
        browser.list();
        assert_eq!((browser.next_list(), browser.next_list()), (Some(a.clone()), None));
        browser.go_to(&b);
        browser.take_list(list(&a));
        assert_eq!((browser.list.is_none(), browser.next_list()), (true, Some(b.clone())));
        browser.take_list(list(&b));
        assert_eq!((browser.list.is_some(), browser.next_list()), (true, None));
        browser.refresh(Some(&a.join("new.x")));
        assert_eq!(browser.next_list(), None, "another folder has changed");
        browser.refresh(Some(&b.join("new.x")));
        assert_eq!((browser.list.is_some(), browser.next_list(), browser.next_list()), (true, Some(b.clone()), None));
        browser.take_list(list(&b));
        browser.refresh(Some(&b));
        assert_eq!(browser.next_list(), Some(b), "the folder may be another one");
    }

    #[test]
    fn thumbnails_of_visible_models_are_drawn_one_by_one() {
        let (ctx, mut browser) = (egui::Context::default(), Browser::default());
        let [a, b, c] = ["a.x", "b.x", "c.x"].map(PathBuf::from);
        [&a, &b, &a].into_iter().for_each(|model| browser.want(model));
        assert_eq!(browser.next_wanted(), Some(a.clone()));
        assert_eq!(browser.next_wanted(), None, "the first is being drawn");
        // The models are scrolled out of view.
        browser.forget_wanted();
        browser.want(&c);
        browser.add_thumbnail(&ctx, a.clone(), Err("broken".into()));
        assert_eq!((browser.next_wanted(), browser.next_wanted()), (Some(c), None));
        assert!(browser.thumbnails.contains_key(&a) && !browser.thumbnails.contains_key(&b));
    }
}
