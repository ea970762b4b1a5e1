//! Models and skins declared by a game.

use bindpose_core::budget::{Budget, MemoryLimit};
use bindpose_core::game::Decls;
use bindpose_core::game::entity::has_appearance;
use bindpose_core::load::Subject;
use bindpose_parsers::decl::DeclKind;
use bindpose_vfs::Vfs;
use std::sync::Arc;

/// Models and skins of a game.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct GameModels {
    /// Entities with an MD5 mesh, followed by models, each with its label.
    pub models: Vec<(Subject, String)>,
    /// Names of the skins.
    pub skins: Vec<String>,
}

impl GameModels {
    /// Reads a game's decls.
    pub fn of(game: Arc<Vfs>, memory: MemoryLimit) -> Self {
        let decls = Decls::read(game, &Budget::new(memory));
        let names = |kind| decls.names(kind).map(str::to_owned);
        let entities = names(DeclKind::EntityDef).filter(|name| has_appearance(&decls, name));
        let entities = entities.map(|name| (Subject::Entity(name.clone()), name));
        let has_mesh = |name: &String| decls.model_def(name).is_ok_and(|model| model.mesh().is_some());
        let models = names(DeclKind::Model).filter(has_mesh);
        let models = models.map(|name| (Subject::Model(name.clone()), format!("{name} (model)")));
        Self { models: entities.chain(models).collect(), skins: names(DeclKind::Skin).collect() }
    }

    /// Reads a game's decls, or lists its meshes if these declare no model, as in Quake.
    pub fn or_meshes(game: Arc<Vfs>, memory: MemoryLimit) -> Self {
        let mut listed = Self::of(Arc::clone(&game), memory);
        if listed.models.is_empty() {
            let meshes = game.files().into_keys().filter(|name| name.ends_with(".md5mesh"));
            listed.models = meshes.map(|name| (Subject::Model(name.clone()), name)).collect();
        }
        listed
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
        let models = GameModels::of(Arc::new(Vfs::open(game.path(), &[]).unwrap()), MemoryLimit::default());
        let names: Vec<&str> = models.models.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!((names, models.skins), (vec!["guard", "imp (model)"], vec!["red".to_owned()]));
    }

    #[test]
    fn of_a_game_without_decls_the_meshes_are_listed() {
        let game = tempfile::tempdir().unwrap();
        std::fs::create_dir(game.path().join("progs")).unwrap();
        for file in ["ogre.md5mesh", "ogre.mdl"] {
            std::fs::write(game.path().join("progs").join(file), "").unwrap();
        }
        let listed = GameModels::or_meshes(Arc::new(Vfs::open(game.path(), &[]).unwrap()), MemoryLimit::default());
        let name = "progs/ogre.md5mesh".to_owned();
        assert_eq!(listed.models, [(Subject::Model(name.clone()), name)]);
    }
}
