//! Models and skins of the open game.

use super::{Panel, PanelInput, ask_if, choose, filter_field};
use crate::commands::play::window::open_request::OpenRequest;
use crate::commands::play::window::request::{Command, Request};
use bindpose_player::GameModels;
use egui::{ScrollArea, Ui};

impl Panel {
    pub(super) fn game_models(&mut self, ui: &mut Ui, input: &PanelInput<'_>, commands: &mut Vec<Command>) {
        let Some(known) = input.game_models.filter(|known| **known != GameModels::default()) else { return };
        ui.separator();
        ui.strong("models of the game");
        if !known.skins.is_empty() && !input.current.is_sample() {
            ui.horizontal(|ui| {
                ui.label("skin");
                let all = std::iter::once(None).chain(known.skins.iter().map(|skin| Some(skin.as_str())));
                let name = |skin: Option<&str>| skin.unwrap_or("its own").to_owned();
                if let Some(skin) = choose(ui, "skin", all, input.current.skin.as_deref(), name) {
                    ask_if(true, commands, Request::ApplySkin(skin.map(str::to_owned)));
                }
            });
        }
        filter_field(ui, &mut self.model_filter);
        let filter = self.model_filter.to_lowercase();
        let shown: Vec<_> = known.models.iter().filter(|(_, name)| name.to_lowercase().contains(&filter)).collect();
        let height = ui.text_style_height(&egui::TextStyle::Body) + 4.0;
        ScrollArea::vertical().id_salt("models").max_height(180.0).show_rows(ui, height, shown.len(), |ui, rows| {
            for (subject, name) in &shown[rows] {
                let clicked = ui.selectable_label(input.current.subject.as_ref() == Some(subject), name).clicked();
                let request = OpenRequest { subject: Some(subject.clone()), ..OpenRequest::default() };
                ask_if(clicked, commands, Request::Open(request));
            }
        });
    }
}
