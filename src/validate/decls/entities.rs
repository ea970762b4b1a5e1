//! Checks of entityDefs: their parents, and the models, skins and ragdolls that their keys name.

use super::spawn::POSE;
use super::{Checker, readers};
use crate::codes::def;
use crate::verdict::Outcome;
use bindpose_core::game::Decls;
use bindpose_core::game::entity::{AppearanceError, ModelDef};
use bindpose_parsers::decl::{Decl, DeclKind, EntityDef, Word, parse_entity};
use std::sync::Arc;

/// Keys of entities that name a ragdoll.
const KEYS: [&str; 2] = ["articulatedfigure", "ragdoll"];

impl Checker<'_, '_> {
    pub(super) fn entity(&mut self, decl: &Decl) {
        let parsed = parse_entity(self.bytes, decl.body);
        self.faults(decl, &parsed);
        let Some(game) = self.game else { return };
        for parent in parsed.decl.parents() {
            self.parent(DeclKind::EntityDef, parent, &decl.name, false);
        }
        if let Err(error @ AppearanceError::Circle { .. }) = game.entity_keys(&decl.name) {
            self.findings.add(def::INHERITS_ITSELF, decl.name_span, || error.to_string());
        }
        for key in ["model", "def_head"] {
            let Some(value) = parsed.decl.get(key).filter(|value| !value.text.is_empty()) else { continue };
            match value.text.to_ascii_lowercase().rsplit_once('.') {
                _ if game.place(DeclKind::Model, &value.text).is_some() => {}
                Some((_, "md5mesh")) if self.is_missing(&value.text) => {
                    self.missing_file(def::MESH_MISSING, value, "mesh");
                }
                Some(_) => {}
                None => self.missing_model(key, value, &parsed.decl),
            }
        }
        if let Some(skin) = parsed.decl.get("skin").filter(|skin| !skin.text.is_empty()) {
            self.skin_of_model(skin);
        }
        self.spawn(decl, &parsed.decl);
        self.ragdoll_of_entity(decl, &parsed.decl);
    }

    /// Reports a model or head that the game lacks. A gib has other joints than the default model, which has none.
    fn missing_model(&mut self, key: &str, model: &Word, entity: &EntityDef) {
        let gib = entity.get("model_gib").filter(|gib| key == "model" && !gib.text.is_empty());
        let Some(finding) = self.missing_decl(def::ENTITY_MODEL, DeclKind::Model, model) else { return };
        if let Some(gib) = gib {
            let words = format!("gib model '{}' has different number of joints than model '{}'", gib.text, model.text);
            finding.said = readers(Outcome::Drops, &words);
        }
    }

    /// Looks for the ragdoll that an entity names, and for the anim that places its bodies.
    fn ragdoll_of_entity(&mut self, decl: &Decl, entity: &EntityDef) {
        let Some(game) = self.game else { return };
        let named = KEYS.iter().filter_map(|key| entity.get(key)).find(|value| !value.text.is_empty());
        let Some(ragdoll) = named else { return };
        // Games that come without their ragdolls have none at all.
        if game.place(DeclKind::Ragdoll, &ragdoll.text).is_none() && game.names(DeclKind::Ragdoll).next().is_some() {
            self.missing_decl(def::RAGDOLL_MISSING, DeclKind::Ragdoll, ragdoll);
            return;
        }
        if let Some(model) = model_of(game, decl).filter(|model| !model.has_no_anims())
            && !model.has_anim(POSE)
        {
            let message =
                || format!("the model '{}' has no anim '{POSE}', which places the ragdoll's bodies", model.name);
            self.findings.add(def::RAGDOLL_POSE, ragdoll.span, message).value("name", &ragdoll.text);
        }
    }
}

/// Returns the model of an entity, its own or an inherited one.
fn model_of(game: &Decls, entity: &Decl) -> Option<Arc<ModelDef>> {
    game.model_def(game.entity_keys(&entity.name).ok()?.model()?).ok()
}
