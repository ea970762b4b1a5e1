//! The command palette and the list of keys.

use super::{Command, Panel, PanelInput, change_if};
use crate::commands::play::window::actions;
use crate::commands::play::window::palette::{Palette, PaletteInput, Row, RowEffect, rows};
use bindpose_player::{Change, Player};
use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{
    Align2, Area, Context, CursorIcon, Frame, Id, Key, Modifiers, Order, RichText, ScrollArea, Sense, Ui, vec2,
};

/// Largest size of the palette, in points.
const SIZE: egui::Vec2 = vec2(560.0, 420.0);
/// Number of rows by which a page key moves.
const PAGE: i64 = 10;
/// Largest number of remembered rows.
const MOST_USED: usize = 20;
/// Width of a column in the list of keys, in points.
const KEYS_WIDTH: f32 = 300.0;
/// Height of text in the list of keys, in points.
const KEYS_TEXT: f32 = 11.0;
/// Largest number of columns in the list of keys.
const MOST_COLUMNS: usize = 4;

impl Panel {
    /// Draws the palette if it is open.
    pub(super) fn palette(
        &mut self,
        ctx: &Context,
        player: &Player,
        input: &PanelInput<'_>,
        commands: &mut Vec<Command>,
    ) {
        let Some(mut palette) = self.palette.take() else { return };
        self.browser.list();
        let palette_input = PaletteInput {
            state: &player.state,
            model: player.model(),
            methods: player.methods(),
            engine: player.engine(),
            engines: if player.why_no_engine().is_none() { player.engines() } else { &[] },
            examples: player.gpu_model.examples(),
            has_other: player.other().is_some(),
            files: self.browser.files(),
            panel: input,
        };
        let found = rows(&palette_input, &palette.filter, &self.used);
        let last = found.len().saturating_sub(1) as i64;
        let key = |key| ctx.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key)) as i64;
        let by = key(Key::ArrowDown) - key(Key::ArrowUp) + PAGE * (key(Key::PageDown) - key(Key::PageUp));
        let is_moved = by != 0;
        palette.chosen = (palette.chosen as i64 + by).clamp(0, last) as usize;
        let is_closed = key(Key::Escape) > 0 || ctx.input_mut(|input| input.consume_key(Modifiers::CTRL, Key::P));
        if is_closed {
            return;
        }
        let entered = (key(Key::Enter) > 0).then(|| found.get(palette.chosen)).flatten();
        // Commands close the palette before it is drawn, so that the player gets the next key.
        if let Some(row @ Row { effect: RowEffect::Run(chosen), .. }) = entered {
            commands.extend(chosen.iter().cloned());
            return self.remember_row(row);
        }
        let room = ctx.content_rect().size() - vec2(24.0, 24.0);
        let area = Area::new(Id::new("palette")).order(Order::Foreground).anchor(Align2::CENTER_TOP, vec2(0.0, 12.0));
        let shown = area.show(ctx, |ui| {
            Frame::window(ui.style()).show(ui, |ui| {
                ui.set_width(SIZE.x.min(room.x));
                field(ui, &mut palette);
                list(ui, &mut palette, &found, is_moved, SIZE.y.min(room.y - 60.0))
            })
        });
        let clicked = shown.inner.inner.and_then(|row| found.get(row));
        match clicked.or(entered).map(|row| (row, &row.effect)) {
            Some((row, RowEffect::Run(chosen))) => {
                commands.extend(chosen.iter().cloned());
                self.remember_row(row);
            }
            Some((_, RowEffect::Type(before))) => self.palette = Some(Palette::new(before)),
            None if shown.response.clicked_elsewhere() => {}
            None => self.palette = Some(palette),
        }
    }

    /// Puts a row before those of the same rank.
    fn remember_row(&mut self, row: &Row) {
        self.used.retain(|text| *text != row.text);
        self.used.insert(0, row.text.clone());
        self.used.truncate(MOST_USED);
    }
}

fn field(ui: &mut Ui, palette: &mut Palette) {
    let id = Id::new("palette's filter");
    ui.memory_mut(|memory| memory.request_focus(id));
    if std::mem::take(&mut palette.is_new) {
        let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
        state.cursor.set_char_range(Some(CCursorRange::one(CCursor::new(palette.filter.chars().count()))));
        state.store(ui.ctx(), id);
    }
    let text = egui::TextEdit::singleline(&mut palette.filter).id(id).desired_width(f32::INFINITY);
    let field = ui.add(text.hint_text("action, clip, joint, method, …"));
    if field.changed() {
        palette.chosen = 0;
        palette.offset = 0.0;
        // The rows still belong to the previous text.
        ui.ctx().request_repaint();
    }
}

/// Draws the rows. Returns the one that was clicked.
fn list(ui: &mut Ui, palette: &mut Palette, found: &[Row], is_moved: bool, height: f32) -> Option<usize> {
    ui.add_space(4.0);
    if found.is_empty() {
        ui.weak("Nothing found.");
        return None;
    }
    let row_height = ui.text_style_height(&egui::TextStyle::Body) + 6.0;
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut area = ScrollArea::vertical().max_height(height).min_scrolled_height(height).auto_shrink([false, true]);
    let top = palette.chosen as f32 * row_height;
    if is_moved && !(palette.offset..=palette.offset + height - row_height).contains(&top) {
        let is_above = top < palette.offset;
        area = area.vertical_scroll_offset(if is_above { top } else { top + row_height - height });
    }
    let drawn = area.show_rows(ui, row_height, found.len(), |ui, shown| {
        let mut clicked = None;
        for number in shown {
            let Some(row) = found.get(number) else { continue };
            clicked = if one(ui, row, number == palette.chosen, row_height) { Some(number) } else { clicked };
        }
        clicked
    });
    palette.offset = drawn.state.offset.y;
    drawn.inner
}

/// Draws a row. Returns true if it was clicked.
fn one(ui: &mut Ui, row: &Row, is_chosen: bool, height: f32) -> bool {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::click());
    let visuals = ui.visuals();
    let color = match is_chosen {
        true => visuals.selection.stroke.color,
        false => visuals.text_color(),
    };
    if is_chosen {
        ui.painter().rect_filled(rect, 3.0, visuals.selection.bg_fill);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, 3.0, visuals.widgets.hovered.weak_bg_fill);
    }
    let font = egui::TextStyle::Body.resolve(ui.style());
    let parts = [row.place, &row.keys].into_iter().filter(|part| !part.is_empty());
    let key = ui.painter().layout_no_wrap(
        parts.collect::<Vec<_>>().join(" · "),
        font.clone(),
        if is_chosen { color } else { visuals.weak_text_color() },
    );
    let (mark, left) = (rect.left_center() + vec2(5.0, 0.0), rect.left_center() + vec2(16.0, 0.0));
    if row.is_current {
        ui.painter().circle_filled(mark + vec2(2.0, 0.0), 2.5, color);
    }
    let width = (rect.width() - 36.0 - key.size().x).max(20.0);
    let mut job = egui::text::LayoutJob::simple_singleline(row.text.clone(), font, color);
    job.wrap = egui::text::TextWrapping::truncate_at_width(width);
    let text = ui.painter().layout_job(job);
    let middle = |size: egui::Vec2| vec2(0.0, -size.y / 2.0);
    ui.painter().galley(left + middle(text.size()), text.clone(), color);
    let right = rect.right_center() - vec2(8.0 + key.size().x, 0.0);
    ui.painter().galley(right + middle(key.size()), key, color);
    let response = if text.elided { response.on_hover_text(&row.text) } else { response };
    response.on_hover_cursor(CursorIcon::PointingHand).clicked()
}

pub(super) fn keys_window(ctx: &Context, commands: &mut Vec<Command>) {
    let mut is_open = true;
    egui::Window::new("Keys").open(&mut is_open).collapsible(false).resizable(false).show(ctx, |ui| {
        // In a small window, the title bar with its close button stays visible.
        let room = ctx.content_rect().size() - vec2(40.0, 70.0);
        let area = ScrollArea::both().max_width(room.x).max_height(room.y);
        let area = area.min_scrolled_width(room.x).min_scrolled_height(room.y);
        let count = ((room.x / KEYS_WIDTH) as usize).clamp(1, MOST_COLUMNS);
        area.show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.horizontal_top(|ui| {
                for groups in columns(count) {
                    ui.vertical(|ui| {
                        for (name, rows) in groups {
                            ui.label(RichText::new(name).strong().size(KEYS_TEXT));
                            egui::Grid::new(("keys", name)).num_columns(2).min_row_height(0.0).show(ui, |ui| {
                                for (keys, about) in rows {
                                    ui.label(RichText::new(keys).strong().size(KEYS_TEXT));
                                    ui.label(RichText::new(about).size(KEYS_TEXT));
                                    ui.end_row();
                                }
                            });
                            ui.add_space(6.0);
                        }
                    });
                    ui.add_space(10.0);
                }
            })
        });
    });
    change_if(!is_open, commands, Change::Keys(false));
}

/// Name of a group, with keys and words of its actions.
type Rows = (&'static str, Vec<(String, &'static str)>);

/// Distributes the groups, in order, over columns of about equal height.
fn columns(count: usize) -> Vec<Vec<Rows>> {
    let height = |group: &Rows| group.1.len() + 2;
    let groups: Vec<Rows> = actions::table().collect();
    let all: usize = groups.iter().map(height).sum();
    let mut columns = vec![Vec::new(); count];
    let mut above = 0;
    for group in groups {
        // The group's centre determines its column.
        let column = (above + height(&group) / 2) * count / all.max(1);
        above += height(&group);
        columns[column.min(count - 1)].push(group);
    }
    columns
}
