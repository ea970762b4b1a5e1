//! What the game that is open has to show: its figures and their skins.

use super::{Panel, World};
use crate::commands::play::window::asked::Asked;
use crate::commands::play::window::request::{Command, Request};
use bindpose::budget::{Budget, MemoryLimit};
use bindpose::game::Decls;
use bindpose::game::entity::{cast_entity, cast_model};
use bindpose::load::Subject;
use bindpose::vfs::Vfs;
use bindpose_parsers::decl::DeclKind;
use egui::{ScrollArea, Ui};
use std::sync::Arc;

/// What a game has to show.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Entities with a model of bones, then models.
    figures: Vec<(Subject, String)>,
    skins: Vec<String>,
}

impl Figures {
    /// Reads a game's decls.
    pub fn of(game: Arc<Vfs>, memory: MemoryLimit) -> Self {
        let decls = Decls::read(game, &Budget::new(memory));
        let names = |kind| decls.names(kind).map(str::to_owned);
        let has_bones = |name: &String| cast_entity(&decls, name).is_ok_and(|cast| cast.model.mesh.is_some());
        let entities = names(DeclKind::EntityDef).filter(has_bones);
        let entities = entities.map(|name| (Subject::Entity(name.clone()), name));
        let has_mesh = |name: &String| cast_model(&decls, name).is_ok_and(|cast| cast.model.mesh.is_some());
        let models = names(DeclKind::Model).filter(has_mesh);
        let models = models.map(|name| (Subject::Model(name.clone()), format!("{name} (model)")));
        Self { figures: entities.chain(models).collect(), skins: names(DeclKind::Skin).collect() }
    }

    /// Entities with a model of bones, then models, each with what it is called for people.
    pub fn figures(&self) -> &[(Subject, String)] {
        &self.figures
    }

    /// What figures may wear.
    pub fn skins(&self) -> &[String] {
        &self.skins
    }
}

impl Panel {
    /// The list of figures, and the skins that the present one may wear.
    pub(super) fn figures(&mut self, ui: &mut Ui, world: &World<'_>, commands: &mut Vec<Command>) {
        let Some(known) = world.figures.filter(|known| **known != Figures::default()) else { return };
        ui.separator();
        ui.strong("the game's figures");
        if !known.skins.is_empty() && !world.asked.is_sample() {
            ui.horizontal(|ui| {
                ui.label("skin");
                let worn = &world.asked.skin;
                egui::ComboBox::from_id_salt("skin").selected_text(worn.as_deref().unwrap_or("its own")).show_ui(
                    ui,
                    |ui| {
                        let all = std::iter::once(None).chain(known.skins.iter().cloned().map(Some));
                        for skin in all {
                            let name = skin.as_deref().unwrap_or("its own");
                            if ui.selectable_label(*worn == skin, name).clicked() {
                                commands.push(Command::Ask(Request::Wear(skin)));
                            }
                        }
                    },
                );
            });
        }
        ui.add(egui::TextEdit::singleline(&mut self.figure_filter).hint_text("filter").desired_width(f32::INFINITY));
        let filter = self.figure_filter.to_lowercase();
        let shown: Vec<_> = known.figures.iter().filter(|(_, name)| name.to_lowercase().contains(&filter)).collect();
        let height = ui.text_style_height(&egui::TextStyle::Body) + 4.0;
        ScrollArea::vertical().id_salt("figures").max_height(180.0).show_rows(ui, height, shown.len(), |ui, rows| {
            for (subject, name) in &shown[rows] {
                if ui.selectable_label(world.asked.subject.as_ref() == Some(subject), name).clicked() {
                    let asked = Asked { subject: Some(subject.clone()), ..Asked::default() };
                    commands.push(Command::Ask(Request::Open(asked)));
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_and_models_with_bones_are_listed() {
        let game = tempfile::tempdir().unwrap();
        let def = "model imp { mesh models/imp.md5mesh } model box { }\n\
                   entityDef guard { \"model\" \"imp\" } entityDef crate { \"model\" \"box\" } entityDef light { }\n";
        for (folder, file, text) in [("def", "a.def", def), ("skins", "a.skin", "skin red { a b }")] {
            std::fs::create_dir(game.path().join(folder)).unwrap();
            std::fs::write(game.path().join(folder).join(file), text).unwrap();
        }
        let figures = Figures::of(Arc::new(Vfs::open(game.path(), &[]).unwrap()), MemoryLimit::default());
        let names: Vec<&str> = figures.figures.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!((names, figures.skins), (vec!["guard", "imp (model)"], vec!["red".to_owned()]));
    }
}
