//! Ragdolls, held against the mesh of the model that they are made for, and the entities that name them.

use super::entities::model_of;
use super::{Checker, KnownMesh};
use crate::codes::def;
use bindpose_core::suggest;
use bindpose_parsers::Span;
use bindpose_parsers::decl::{Decl, DeclKind, EntityDef, Ragdoll, Word, parse_ragdoll};
use std::collections::HashSet;
use std::rc::Rc;

/// Joint that the first body must move.
const ORIGIN: &str = "origin";
/// Second body of a constraint that ties the first to the world.
const WORLD: &str = "world";
/// Anim in whose first frame bodies are placed.
const POSE: &str = "af_pose";
/// Keys of entities that name a ragdoll.
const KEYS: [&str; 2] = ["articulatedfigure", "ragdoll"];

impl Checker<'_, '_> {
    pub(super) fn ragdoll(&mut self, decl: &Decl) {
        let parsed = parse_ragdoll(self.bytes, decl.body);
        self.faults(decl, &parsed);
        let ragdoll = parsed.decl;
        if parsed.faults.is_empty() && !ragdoll.bodies.iter().any(|body| is_named(&body.joint, ORIGIN)) {
            let message = || format!("no body of '{}' moves the joint '{ORIGIN}'", decl.name);
            if let Some(finding) = self.findings.add(def::RAGDOLL_WITHOUT_ORIGIN, decl.name_span, message) {
                finding.value("name", &decl.name);
            }
        }
        self.ragdoll_bodies(&ragdoll);
        if let Some(mesh) = self.mesh_of_ragdoll(&ragdoll) {
            self.ragdoll_joints(&ragdoll, &mesh, &decl.name);
        }
    }

    /// The mesh of the model that a ragdoll is made for.
    fn mesh_of_ragdoll(&mut self, ragdoll: &Ragdoll) -> Option<Rc<KnownMesh>> {
        let (game, model) = (self.game?, ragdoll.model.as_ref().filter(|model| !model.text.is_empty())?);
        match game.model_def(&model.text) {
            Ok(found) => self.mesh(found.mesh()?),
            Err(_) => {
                if game.place(DeclKind::Model, &model.text).is_none() && self.is_missing(&model.text) {
                    self.missing_decl(def::RAGDOLL_MODEL, DeclKind::Model, model);
                }
                None
            }
        }
    }

    /// Looks for the bodies that constraints connect.
    fn ragdoll_bodies(&mut self, ragdoll: &Ragdoll) {
        let names: HashSet<String> = ragdoll.bodies.iter().map(|body| body.name.text.to_ascii_lowercase()).collect();
        for constraint in &ragdoll.constraints {
            for (number, body) in constraint.bodies.iter().enumerate() {
                match body {
                    Some(body) if number == 1 && body.text.eq_ignore_ascii_case(WORLD) => {}
                    Some(body) if names.contains(&body.text.to_ascii_lowercase()) => {}
                    Some(body) => {
                        let message = || format!("the ragdoll has no body '{}'", body.text);
                        let meant = || suggest::nearest(&body.text, ragdoll.bodies.iter().map(|body| &*body.name.text));
                        self.missing_part(def::RAGDOLL_BODY, body, message, meant);
                    }
                    None => {
                        let name = &constraint.name;
                        self.findings.add(def::RAGDOLL_BODY, name.span, || {
                            format!("the constraint '{}' names no body{}", name.text, number + 1)
                        });
                    }
                }
            }
        }
    }

    fn ragdoll_joints(&mut self, ragdoll: &Ragdoll, mesh: &KnownMesh, name: &str) {
        let lost = |name: &Word| !mesh.has_joint(&name.text);
        let message = |name: &Word| format!("the model has no joint '{}'", name.text);
        for body in &ragdoll.bodies {
            for joint in body.joint.iter().filter(|joint| lost(joint)) {
                self.missing_part(def::RAGDOLL_MOVES, joint, || message(joint), || mesh.nearest_joint(&joint.text));
            }
            for joint in body.contained.iter().map(|item| &item.joint).filter(|joint| lost(joint)) {
                let meant = || mesh.nearest_joint(&joint.text);
                if let Some(finding) = self.missing_part(def::RAGDOLL_JOINT, joint, || message(joint), meant) {
                    finding.value("words", format!("Unknown joint '{}' in '…' for model '…'", joint.text));
                }
            }
        }
        let measured = ragdoll.bodies.iter().flat_map(|body| &body.measured);
        let measured = measured.chain(ragdoll.constraints.iter().flat_map(|constraint| &constraint.measured));
        for joint in measured.filter(|joint| lost(joint)) {
            let function = function_before(self.bytes, joint.span);
            let meant = || mesh.nearest_joint(&joint.text);
            if let Some(finding) = self.missing_part(def::RAGDOLL_JOINT, joint, || message(joint), meant) {
                finding.value("words", format!("invalid joint {} in {function}() in '{name}'", joint.text));
            }
        }
    }

    /// Looks for the ragdoll that an entity names, and for the anim that places its bodies.
    pub(super) fn ragdoll_of_entity(&mut self, decl: &Decl, entity: &EntityDef) {
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
}

fn is_named(word: &Option<Word>, name: &str) -> bool {
    word.as_ref().is_some_and(|word| word.text == name)
}

/// Returns the word before the bracket around a function's argument.
fn function_before(bytes: &[u8], argument: Span) -> String {
    let before = bytes.get(..argument.start as usize).unwrap_or_default();
    let open = memchr::memrchr(b'(', before).unwrap_or(0);
    let words = before[..open].trim_ascii_end();
    let start = words.iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
    String::from_utf8_lossy(&words[start..]).into_owned()
}
