//! Keys of entityDefs that the game reads when it spawns the entity: joints, anims and models without which it stops.

use super::{Checker, KnownMesh};
use crate::codes::{Group, Rule, def};
use crate::finding::EngineReport;
use crate::profiles::Profile;
use crate::verdict::Outcome;
use bindpose_core::game::entity::{EntityKeys, ModelDef, appearance_of_model, nearest_name};
use bindpose_core::suggest;
use bindpose_parsers::counted;
use bindpose_parsers::decl::{Decl, DeclKind, EntityDef, KeyValue, Ragdoll, Word};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

/// Anim from which legs take their length, for inverse kinematics.
const LEGS: &str = "ik_pose";
/// Anim in whose first frame the bodies of a ragdoll are placed.
pub(super) const POSE: &str = "af_pose";
/// Most legs that the game places.
const MOST_LEGS: u32 = 8;
/// Most entityDefs that are read to find a key that one of them passes on.
const MOST_PARENTS: usize = 16;
/// Sides of vehicles with four wheels and with six, in the order in which the game looks up their keys.
const FOUR_SIDES: [&str; 4] = ["FrontLeft", "FrontRight", "RearLeft", "RearRight"];
const SIX_SIDES: [&str; 6] = ["FrontLeft", "FrontRight", "MiddleLeft", "MiddleRight", "RearLeft", "RearRight"];

/// A row of `spawn.tsv`.
pub(crate) struct Row {
    key: &'static str,
    classes: &'static str,
    value: &'static str,
    pub rule: Rule,
    outcome: Outcome,
    pub engines: Vec<&'static Profile>,
    /// The engines' own message, with braces around variable parts. Empty if they print nothing.
    pub says: &'static str,
}

/// Rows of `spawn.tsv`.
pub(crate) static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let rows = include_str!("spawn.tsv").lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.filter_map(row).collect()
});

fn row(line: &'static str) -> Option<Row> {
    let [key, classes, value, code, effect, engines, says] = line.split('\t').collect::<Vec<_>>()[..] else {
        return None;
    };
    let rules = [
        def::ENTITY_JOINT,
        def::ENTITY_BONE,
        def::ENTITY_ANIM,
        def::ENTITY_GIB,
        def::ENTITY_ATTACH,
        def::ENTITY_CAMERA,
        def::ENTITY_PART,
    ];
    Some(Row {
        key,
        classes,
        value,
        rule: rules.into_iter().find(|rule| rule.code(Group::Def).id == code)?,
        outcome: if effect == "drops" { Outcome::Drops } else { Outcome::Misreads },
        engines: engines.split(',').filter_map(Profile::find).collect(),
        says,
    })
}

impl Row {
    /// Returns the part of a key, in lower case, that is in place of the row's `*`.
    fn rest<'k>(&self, key: &'k str) -> Option<&'k str> {
        match self.key.strip_suffix('*') {
            Some(start) => key.strip_prefix(start),
            None => (key == self.key).then_some(""),
        }
    }

    /// True if the game reads the key for entities of a class.
    fn is_for(&self, class: Option<&str>) -> bool {
        let class = class.map(str::to_ascii_lowercase).filter(|class| class.starts_with("id"));
        let listed = self.classes.trim_start_matches(['!', '=']);
        let Some(class) = class else { return !self.classes.starts_with('=') };
        let is_listed = listed.is_empty() || listed.split(',').any(|start| class.starts_with(start));
        is_listed != self.classes.starts_with('!')
    }
}

/// An entity with what its keys refer to.
struct Spawned<'e> {
    entity: &'e EntityDef,
    keys: &'e EntityKeys,
    model: Option<Arc<ModelDef>>,
    mesh: Option<Rc<KnownMesh>>,
    head: Option<(Arc<ModelDef>, Option<Rc<KnownMesh>>)>,
    is_inherited: bool,
}

/// Reason why the game stops, or does without a part, and names for its message.
#[derive(Default)]
struct Missing {
    message: String,
    meant: Option<String>,
    /// Values of the placeholders in [`Row::says`].
    values: Vec<(&'static str, String)>,
}

impl Checker<'_, '_> {
    /// Reports keys of an entity that make the game stop when it spawns the entity, or do without a part.
    pub(super) fn spawn(&mut self, decl: &Decl, entity: &EntityDef) {
        let Some(game) = self.game else { return };
        let is_read = |pair: &KeyValue| {
            let key = pair.key.text.to_ascii_lowercase();
            ROWS.iter().any(|row| row.rest(&key).is_some())
        };
        if !entity.keys.iter().any(is_read) {
            return;
        }
        let Ok(keys) = game.entity_keys(&decl.name) else { return };
        let model = keys.model().and_then(|name| self.model_of(name));
        let mesh = model.as_ref().and_then(|model| self.mesh(model.mesh()?));
        let head = keys.head_model().map(|name| {
            let head = self.model_of(name).unwrap_or_default();
            let mesh = head.mesh().and_then(|mesh| self.mesh(mesh));
            (head, mesh)
        });
        let is_inherited = game.is_inherited(&decl.name);
        let spawned = Spawned { entity, keys: &keys, model, mesh, head, is_inherited };
        for pair in &entity.keys {
            let key = pair.key.text.to_ascii_lowercase();
            let mut found: Option<(&Row, Missing)> = None;
            let mut said = Vec::new();
            for row in ROWS.iter().filter(|row| row.is_for(keys.class())) {
                let Some(rest) = row.rest(&key) else { continue };
                let Some(missing) = self.missing_at_spawn(row, rest, pair, &spawned) else { continue };
                let words = row.words(pair, rest, &missing.values);
                said.extend(row.engines.iter().map(|profile| EngineReport::new(profile, row.outcome, &*words)));
                found.get_or_insert((row, missing));
            }
            let Some((row, Missing { message, meant, .. })) = found else { continue };
            if let Some(finding) = self.missing_part(row.rule, &pair.value, || message, || meant.as_deref()) {
                finding.only = Some(row.engines.clone());
                finding.said = said;
            }
        }
    }

    /// Returns a model decl, or a mesh as a model.
    fn model_of(&self, name: &str) -> Option<Arc<ModelDef>> {
        Some(appearance_of_model(self.game?, name).ok()?.model)
    }

    /// Returns what is missing for a key, if the row's condition holds.
    fn missing_at_spawn(&mut self, row: &Row, rest: &str, pair: &KeyValue, spawned: &Spawned) -> Option<Missing> {
        let Spawned { entity, keys, model, mesh, .. } = spawned;
        let value = pair.value.text.as_str();
        if row.value == "camera" {
            return self.missing_camera(value, entity);
        }
        let model = model.as_ref()?;
        match row.value {
            "legs" => (keys.legs() > 0 && !model.has_anims_called(LEGS) && !model.has_no_anims()).then(|| Missing {
                message: format!(
                    "the model '{}' has no anim '{LEGS}', so its feet do not follow the ground",
                    model.name
                ),
                ..Missing::default()
            }),
            "anim" if !value.is_empty() && !model.has_anims_called(value) => Some(Missing {
                message: format!("the model '{}' has no anim '{value}'", model.name),
                meant: suggest::nearest(value, model.anims().iter().map(|anim| anim.name.text.as_str()))
                    .map(str::to_owned),
                ..Missing::default()
            }),
            // An entity from which others inherit may leave keys to them.
            "all legs" | "wheels" if spawned.is_inherited => None,
            "all legs" if model.has_anims_called(LEGS) => self.missing_leg_key(entity, keys),
            "wheels" => self.missing_wheel_key(row, entity, keys),
            "bodies" if model.has_anims_called(POSE) => self.misplaced_body(value, &model.name, mesh.as_ref()?),
            part @ ("body" | "hinge") if !value.is_empty() => self.missing_ragdoll_part(part, value, keys.ragdoll()?),
            "gib" if !value.is_empty() => self.differing_gib(value, spawned),
            "attached" => self.unattached(value, spawned),
            "attached or bound" => {
                let bound = self.game?.entity_keys(value).ok()?.bound_joint().unwrap_or_default().to_owned();
                let is_bound = mesh.as_ref().is_some_and(|mesh| mesh.has_joint(&bound));
                let mut missing = self.unattached(value, spawned).filter(|_| !is_bound)?;
                missing.values.push(("bound", bound));
                Some(missing)
            }
            "bound" => {
                let master = entity.get("bind").filter(|master| !master.text.is_empty())?;
                let keys = self.game?.entity_keys(&master.text).ok()?;
                let model = self.model_of(keys.model()?)?;
                let mesh = self.mesh(model.mesh()?)?;
                mesh.lacks(&model.name, value)
            }
            kind => missing_joint(kind, rest, value, spawned),
        }
    }

    /// True if neither an entity nor one whose keys it gets has a key with a value. False if that is unknown.
    fn lacks_key(&self, entity: &EntityDef, key: &str) -> bool {
        let Some(game) = self.game else { return false };
        let has = |entity: &EntityDef| entity.get(key).is_some_and(|value| !value.text.is_empty());
        let mut parents: Vec<String> = entity.parents().map(|parent| parent.text.clone()).collect();
        let (mut found, mut read) = (has(entity), 0);
        while let Some(parent) = parents.pop().filter(|_| !found) {
            let Some((_, parent)) = game.entity(&parent).filter(|_| read < MOST_PARENTS) else { return false };
            found = has(&parent.decl);
            read += 1;
            parents.extend(parent.decl.parents().map(|parent| parent.text.clone()));
        }
        !found
    }

    /// Looks for the keys of each leg.
    fn missing_leg_key(&self, entity: &EntityDef, keys: &EntityKeys) -> Option<Missing> {
        let parts = ["foot", "ankle", "knee", "hip"];
        let legs = 1..=keys.legs().min(MOST_LEGS);
        let legs = legs.flat_map(|leg| parts.map(|part| (part, format!("ik_{part}{leg}"))));
        let mut all = legs.chain([("waist", "ik_waist".to_owned())]).filter(|_| keys.legs() > 0);
        let (part, key) = all.find(|(_, key)| self.lacks_key(entity, key))?;
        Some(no_key(&key, format!("idIK_Walk::Init: invalid {part} joint ''")))
    }

    /// Looks for the keys of a vehicle's wheels and hinges.
    fn missing_wheel_key(&self, row: &Row, entity: &EntityDef, keys: &EntityKeys) -> Option<Missing> {
        let (sides, hinges, has_bodies): (&[&str], &[&str], _) = match row.classes {
            "=idafentity_vehiclesimple" => (&FOUR_SIDES, &[], false),
            "=idafentity_vehiclefourwheels" => (&FOUR_SIDES, &FOUR_SIDES[..2], true),
            _ => (&SIX_SIDES, &FOUR_SIDES, true),
        };
        let wheel = |side: &&str| {
            let body = has_bodies.then(|| format!("wheelBody{side}"));
            body.into_iter().chain([format!("wheelJoint{side}")])
        };
        let hinges = hinges.iter().map(|side| format!("steeringHinge{side}"));
        let key = sides.iter().flat_map(wheel).chain(hinges).find(|key| self.lacks_key(entity, key))?;
        Some(no_key(&key, format!("{} '…' no '{key}' specified", keys.class()?)))
    }

    /// Returns a ragdoll that the engine accepts.
    fn ragdoll(&self, name: &str) -> Option<Ragdoll> {
        let (_, ragdoll) = self.game?.ragdoll(name).filter(|(_, ragdoll)| !ragdoll.is_rejected())?;
        Some(ragdoll.decl)
    }

    /// Looks for the joints that the bodies of a ragdoll move.
    fn misplaced_body(&self, name: &str, model: &str, mesh: &KnownMesh) -> Option<Missing> {
        let bodies = self.ragdoll(name)?.bodies;
        let joints = bodies.iter().map(|body| Some((body, &*body.joint.as_ref()?.text)));
        let joints = joints.collect::<Option<Vec<_>>>()?;
        // Without a body on the origin, the game warns and loads no ragdoll.
        joints.iter().find(|(_, joint)| *joint == "origin")?;
        let (body, mut missing) =
            joints.into_iter().find_map(|(body, joint)| Some((body, mesh.lacks(model, joint)?)))?;
        missing.message += &format!(", which the body '{}' of '{name}' moves", body.name.text);
        Some(missing)
    }

    /// Looks for a body or hinge of a vehicle's ragdoll.
    fn missing_ragdoll_part(&self, part: &str, name: &str, ragdoll: &str) -> Option<Missing> {
        let Ragdoll { bodies, constraints } = self.ragdoll(ragdoll)?;
        let bodies = bodies.into_iter().map(|body| body.name);
        let names: Vec<Word> = if part == "body" { bodies.collect() } else { constraints };
        (!names.iter().any(|known| known.text.eq_ignore_ascii_case(name))).then(|| Missing {
            message: format!("the ragdoll '{ragdoll}' has no {part} '{name}'"),
            meant: suggest::nearest(name, names.iter().map(|known| &*known.text)).map(str::to_owned),
            ..Missing::default()
        })
    }

    /// Compares the numbers of joints of an entity's model and of the gib that replaces it.
    fn differing_gib(&mut self, gib: &str, spawned: &Spawned) -> Option<Missing> {
        let (game, model) = (self.game?, spawned.model.as_ref()?);
        let is_decl = game.place(DeclKind::Model, gib).is_some();
        // A decl that the engine ignores has no model to compare.
        if is_decl && self.is_ignored(gib) {
            return None;
        }
        let file = if is_decl { self.model_of(gib)?.mesh()?.to_owned() } else { gib.to_owned() };
        let joints = match file.to_ascii_lowercase().rsplit_once('.') {
            Some((_, "md5mesh")) if self.is_missing(&file) => 0,
            Some((_, "md5mesh")) => self.mesh(&file)?.joints.len(),
            Some((_, "lwo" | "ase")) => 0,
            _ => return None,
        };
        let name = &model.name;
        // The game shows its default model, which is named like the decl.
        let is_lost = game.place(DeclKind::Model, name).is_some() && self.is_ignored(name);
        let own = if is_lost { 0 } else { spawned.mesh.as_ref()?.joints.len() };
        let lost = if is_lost { ", because the engine ignores it" } else { "" };
        let shown = if is_lost { name } else { model.mesh()? };
        (own != joints).then(|| Missing {
            message: format!("'{gib}' has {}, but the model '{name}' {own}{lost}", counted(joints, "joint", "joints")),
            values: vec![("found", file), ("model", shown.to_owned())],
            ..Missing::default()
        })
    }

    /// Looks for the file of a camera's anim.
    fn missing_camera(&self, anim: &str, entity: &EntityDef) -> Option<Missing> {
        let Some(file) = entity.get(&format!("anim {anim}")) else {
            // A parent may have the key.
            return entity.parents().next().is_none().then(|| Missing {
                message: format!("the entity has no key \"anim {anim}\" with the camera's file"),
                ..Missing::default()
            });
        };
        let stem = file.text.rsplit_once('.').map_or(&*file.text, |(stem, _)| stem);
        self.is_missing(&format!("{stem}.md5camera")).then(|| Missing {
            message: format!("the game has no camera '{stem}.md5camera'"),
            values: vec![("says", format!("Unable to load '{}' on '…'", file.text))],
            ..Missing::default()
        })
    }

    /// Looks for an attached entity, and for the joint of its entityDef to which it is attached.
    fn unattached(&mut self, name: &str, spawned: &Spawned) -> Option<Missing> {
        let game = self.game?;
        if game.place(DeclKind::EntityDef, name).is_none() {
            // A game without the entities that it attaches is only a part of one.
            return (!self.around.is_swallowed(name)).then(|| Missing {
                message: format!("the game has no entityDef '{name}' to attach"),
                meant: nearest_name(game, DeclKind::EntityDef, name).map(str::to_owned),
                values: vec![("says", format!("Couldn't spawn '{name}' to attach to entity '…'"))],
            });
        }
        let keys = game.entity_keys(name).ok()?;
        let (model, mesh) = (spawned.model.as_ref()?, spawned.mesh.as_ref()?);
        let joint = keys.joint().unwrap_or_default();
        (!mesh.has_joint(joint)).then(|| Missing {
            message: match joint {
                "" => format!("the attached entityDef '{name}' has no key \"joint\""),
                _ => format!("the mesh of '{}' has no joint '{joint}', to which '{name}' is attached", model.name),
            },
            meant: mesh.nearest_joint(joint).map(str::to_owned),
            values: vec![("found", joint.to_owned())],
        })
    }
}

/// Returns the reason for a missing key, and the engines' message.
fn no_key(key: &str, says: String) -> Missing {
    Missing { message: format!("the entity has no key \"{key}\""), values: vec![("says", says)], ..Missing::default() }
}

/// Returns the joint that a key names, if the model or its head lacks it.
fn missing_joint(kind: &str, rest: &str, value: &str, spawned: &Spawned) -> Option<Missing> {
    let Spawned { keys, model, mesh, head, .. } = spawned;
    let model = model.as_ref()?;
    let of_body = |joint: &str| mesh.as_ref()?.lacks(&model.name, joint).filter(|_| !value.is_empty());
    match kind {
        "joint" => of_body(value),
        "neck" if head.is_some() => of_body(value),
        "copied" if head.is_some() => of_body(rest.trim()),
        "named" => of_body(rest.trim()),
        "zone" => value.split_whitespace().find_map(|joint| of_body(joint.trim_start_matches(['-', '*']))),
        "particle" => of_body(value.split_once('-').map_or(value, |(_, joint)| joint)),
        "head" => match head {
            Some((head, mesh)) => {
                let mut missing = mesh.as_ref()?.lacks(&head.name, value).filter(|_| !value.is_empty())?;
                missing.values.push(("head", " on head".to_owned()));
                Some(missing)
            }
            None => of_body(value),
        },
        "leg" => {
            let legs = keys.legs();
            let is_used = legs > 0 && rest.parse::<u32>().map_or(rest.is_empty(), |leg| (1..=legs).contains(&leg));
            of_body(value).filter(|_| is_used && model.has_anims_called(LEGS))
        }
        _ => None,
    }
}

impl KnownMesh {
    /// Returns the reason why a joint of a model with the mesh is missing.
    fn lacks(&self, model: &str, joint: &str) -> Option<Missing> {
        (!self.has_joint(joint)).then(|| Missing {
            message: format!("the mesh of '{model}' has no joint '{joint}'"),
            meant: self.nearest_joint(joint).map(str::to_owned),
            values: vec![("name", joint.to_owned()), ("model", model.to_owned())],
        })
    }
}

impl Row {
    /// Returns the engines' message with the known values.
    fn words(&self, pair: &KeyValue, rest: &str, values: &[(&'static str, String)]) -> String {
        let value = |name: &str| match values.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => value,
            None if name == "value" => &pair.value.text,
            None if name == "rest" => rest,
            None if name == "head" => "",
            None => "…",
        };
        if let Some((_, words)) = values.iter().find(|(known, _)| *known == "says") {
            return words.clone();
        }
        let mut parts = self.says.split(['{', '}']);
        let mut words = parts.next().unwrap_or_default().to_owned();
        while let (Some(name), Some(fixed)) = (parts.next(), parts.next()) {
            words += value(name);
            words += fixed;
        }
        words
    }
}
