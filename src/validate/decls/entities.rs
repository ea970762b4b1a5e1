//! Checks of entityDefs: their parents, and the models, skins, joints, anims and ragdolls that their keys name.

use super::Checker;
use crate::codes::def;
use bindpose_core::game::Decls;
use bindpose_core::game::entity::{AppearanceError, ModelDef};
use bindpose_core::suggest;
use bindpose_parsers::decl::{Decl, DeclKind, EntityDef, KeyValue, parse_entity};
use std::sync::Arc;

/// Anim in whose first frame the bodies of a ragdoll are placed.
const POSE: &str = "af_pose";
/// Keys of entities that name a ragdoll.
const KEYS: [&str; 2] = ["articulatedfigure", "ragdoll"];

impl Checker<'_, '_> {
    pub(super) fn entity(&mut self, decl: &Decl) {
        let parsed = parse_entity(self.bytes, decl.body);
        self.faults(decl, &parsed);
        let Some(game) = self.game else { return };
        for parent in parsed.decl.parents() {
            self.parent(DeclKind::EntityDef, parent, &decl.name);
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
                None => _ = self.missing_decl(def::ENTITY_MODEL, DeclKind::Model, value),
            }
        }
        if let Some(skin) = parsed.decl.get("skin").filter(|skin| !skin.text.is_empty()) {
            self.skin_of_model(skin);
        }
        self.entity_joints(decl, &parsed.decl);
        self.ragdoll_of_entity(decl, &parsed.decl);
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
            if let Some(finding) = self.findings.add(def::RAGDOLL_POSE, ragdoll.span, message) {
                finding.value("name", &ragdoll.text);
            }
        }
    }

    /// Reports joints and anims named in an entity's keys that its model or head, own or inherited, lacks.
    fn entity_joints(&mut self, decl: &Decl, entity: &EntityDef) {
        /// Keys for joints without which the engine stops.
        const NEEDED: [&str; 4] = ["head_joint", "bone_hips", "bone_chest", "bone_head"];
        /// Keys for joints of the head, if the entity has one.
        const OF_HEAD: [&str; 3] = ["bone_focus", "bone_lefteye", "bone_righteye"];
        let Some(game) = self.game else { return };
        let names_part = |key: &str| ["head_joint", "anim", "ik_pose"].contains(&key) || key.starts_with("bone_");
        if !entity.keys.iter().any(|pair| names_part(&pair.key.text.to_ascii_lowercase())) {
            return;
        }
        let Ok(keys) = game.entity_keys(&decl.name) else { return };
        let named = |name: Option<&str>| name.and_then(|name| game.model_def(name).ok());
        let Some(model) = named(keys.model()) else { return };
        let mesh = model.mesh().and_then(|mesh| self.mesh(mesh));
        let has_head = keys.head_model().is_some();
        let head = named(keys.head_model()).unwrap_or_default();
        let head_mesh = head.mesh().and_then(|mesh| self.mesh(mesh));
        for KeyValue { key, value } in entity.keys.iter().filter(|pair| !pair.value.text.is_empty()) {
            let key = key.text.to_ascii_lowercase();
            let names_joint = key.starts_with("bone_") || key == "head_joint" && has_head;
            let (owner, mesh) = match OF_HEAD.contains(&key.as_str()) && has_head {
                true => (&head, &head_mesh),
                false => (&model, &mesh),
            };
            if let Some(mesh) = mesh.as_ref().filter(|mesh| names_joint && !mesh.has_joint(&value.text)) {
                let meant = || mesh.nearest_joint(&value.text);
                let message = || format!("the mesh of '{}' has no joint '{}'", owner.name, value.text);
                let rule = if NEEDED.contains(&key.as_str()) { def::ENTITY_JOINT } else { def::ENTITY_BONE };
                if let Some(finding) = self.missing_part(rule, value, message, meant) {
                    finding.value("key", key);
                }
                continue;
            }
            if ["anim", "ik_pose"].contains(&key.as_str()) && !model.has_anims_called(&value.text) {
                let names = || model.anims().into_iter().map(|anim| anim.name.text.as_str());
                let meant = || suggest::nearest(&value.text, names());
                let message = || format!("the model '{}' has no anim '{}'", model.name, value.text);
                if let Some(finding) = self.missing_part(def::ENTITY_ANIM, value, message, meant) {
                    let is_animated = keys.class().is_some_and(|class| class.eq_ignore_ascii_case("idAnimated"));
                    let words = match key.as_str() {
                        "ik_pose" => "idIK::Init: IK for entity '…' at (…) has no modified animation.".to_owned(),
                        _ if is_animated => format!("idAnimated '…' at (…): cannot find anim '{}'", value.text),
                        _ => String::new(),
                    };
                    finding.value("words", words);
                }
            }
        }
    }
}

/// Returns the model of an entity, its own or an inherited one.
fn model_of(game: &Decls, entity: &Decl) -> Option<Arc<ModelDef>> {
    game.model_def(game.entity_keys(&entity.name).ok()?.model()?).ok()
}
