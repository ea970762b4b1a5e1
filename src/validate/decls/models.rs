//! Checks of model decls: channels, anims and frame commands, compared with the mesh and the clips that they name.

use super::{Checker, KnownMesh};
use crate::codes::{Group, Rule, def, file};
use crate::finding::Findings;
use bindpose_core::game::entity::{AppearanceError, ModelDef};
use bindpose_core::suggest;
use bindpose_parsers::decl::{
    AnimDecl, ChannelJoint, Decl, DeclKind, FrameCommand, ModelDecl, ModelItem, Word, canonical_name, parse_model,
};
use bindpose_parsers::{Span, counted, md5};
use bindpose_vfs::name;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;
use std::sync::{Arc, LazyLock, PoisonError};

/// Events of Doom 3's game code by name, with the types of their arguments.
static EVENTS: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    let rows = include_str!("events.tsv").lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| row.split_once('\t').unwrap_or((row, ""))).collect()
});

/// Length and joints of a clip.
pub(super) struct KnownClip {
    frames: u64,
    /// Length in milliseconds, rounded as in the engine.
    milliseconds: u64,
    joints: Vec<(String, i64)>,
}

/// Rules about faults for which the engine ignores a model decl.
const LOST_FOR: [Rule; 9] = [
    def::DECL_LOST,
    def::FRAME_RANGE,
    def::ANIM_MISSING,
    def::SYNCED_LENGTHS,
    def::ANIM_DUPLICATE,
    def::MESH_MISSING,
    def::COMMAND_JOINT,
    def::COMMAND_ENTITY,
    def::COMMAND_EVENT,
];

impl Checker<'_, '_> {
    pub(super) fn model(&mut self, decl: &Decl) {
        let parsed = parse_model(self.bytes, decl.body);
        // Their messages say what follows.
        self.faults(decl, &parsed);
        let first = self.findings.len();
        match self.game.map(|game| game.model_def(&decl.name)) {
            Some(Err(error @ AppearanceError::Circle { .. })) => {
                self.findings.add(def::INHERITS_ITSELF, decl.name_span, || error.to_string());
            }
            Some(Err(error @ AppearanceError::Memory(_))) => {
                self.findings.add(file::TOO_MUCH_MEMORY, decl.name_span, || error.to_string());
            }
            _ => {
                self.named_by(&parsed.decl, &decl.name);
                let lost = format!("; the engine ignores the model '{}' with all its anims", decl.name);
                self.findings.say_what_follows(first, &LOST_FOR, &lost);
            }
        }
    }

    /// True if the engine ignores a model decl of the game for its faults or those of a parent. False for a decl that is
    /// in a circle or inherits through too many others.
    pub(super) fn is_ignored(&mut self, name: &str) -> bool {
        let Some(game) = self.game else { return false };
        if matches!(game.model_def(name), Err(AppearanceError::Circle { .. } | AppearanceError::TooDeep(_))) {
            return false;
        }
        let known = self
            .around
            .ignored
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(canonical_name(name))
            .or_default()
            .clone();
        *known.get_or_init(|| {
            let Some((_, parsed)) = game.model(name) else { return false };
            let own = std::mem::replace(self.findings, Findings::new(Group::Decl));
            self.named_by(&parsed.decl, name);
            let found = std::mem::replace(self.findings, own);
            parsed.is_rejected()
                || LOST_FOR.iter().chain([&def::ANIM_JOINTS]).any(|&rule| found.get(rule).is_some())
                || parents(&parsed.decl).any(|parent| self.is_ignored(&parent.text))
        })
    }

    /// Checks everything that a model decl names.
    fn named_by(&mut self, model: &ModelDecl, model_name: &str) {
        let mesh = self.mesh_of(model).and_then(|file| {
            let found = self.mesh(&file.text);
            if found.is_none()
                && self.is_missing(&file.text)
                && let Some(finding) = self.missing_file(def::MESH_MISSING, &file, "mesh")
            {
                finding.value("words", format!("Model '{}' defaulted", file.text));
            }
            found
        });
        let parent = self.parent_of(model);
        self.repeated_anims(model, parent.as_deref());
        let mut channels = Channels::of(model, mesh.as_deref(), parent.as_deref());
        for item in &model.items {
            match item {
                ModelItem::Anim(anim) => self.anim(anim, mesh.as_deref()),
                ModelItem::Channel { name, joints } => {
                    let Some(mesh) = &mesh else { continue };
                    if let Some((message, twice)) = channels.add(&name.text, joints, mesh) {
                        let printed = twice.map(|joint| format!("Joint '{joint}' assigned to multiple channels"));
                        let added = self.findings.add(def::JOINT_TWICE, name.span, || message);
                        added.value("words", printed.unwrap_or_default());
                    }
                    for item in joints {
                        self.joint(def::JOINT_UNKNOWN, &item.joint, mesh);
                    }
                    if joints.iter().any(|item| item.with_descendants) && !mesh.is_depth_first {
                        let span = joints.first().map_or(Span::new(0, 0), |item| item.joint.span);
                        self.findings.add(def::CHANNEL_ORDER, span, || {
                            "the mesh's joints are not in depth-first order, so '*' takes others than those below"
                                .to_owned()
                        });
                    }
                }
                ModelItem::Skin(skin) => self.skin_of_model(skin),
                ModelItem::Inherit(parent) => {
                    // Without the mesh of the parent, the first anim or channel is an error.
                    let is_first = |item: &ModelItem| matches!(item, ModelItem::Anim(_) | ModelItem::Channel { .. });
                    let own = model.items.iter().position(|item| matches!(item, ModelItem::Mesh(_)));
                    let needs_mesh = model.items.iter().position(is_first);
                    let is_lost = needs_mesh.is_some_and(|first| own.is_none_or(|own| own > first));
                    self.parent(DeclKind::Model, parent, model_name, is_lost);
                }
                ModelItem::Remove(name) => {
                    if parent.as_ref().is_some_and(|parent| !parent.has_anims_called(&name.text)) {
                        let message = || format!("no inherited anim is called '{}'", name.text);
                        self.findings
                            .add(def::DECL_LOST, name.span, message)
                            .value("words", format_args!("Couldn't find anim '{}' to remove", name.text));
                    }
                }
                ModelItem::Mesh(_) | ModelItem::Offset(_) => {}
            }
        }
    }

    /// Reports anims declared twice in a decl that inherits. Only inherited anims may be declared again. Without
    /// inheritance, the parser reports this.
    fn repeated_anims(&mut self, model: &ModelDecl, parent: Option<&ModelDef>) {
        let Some(parent) = parent else { return };
        let mut seen = HashSet::new();
        let anims =
            model.items.iter().filter_map(|item| if let ModelItem::Anim(anim) = item { Some(anim) } else { None });
        for AnimDecl { name, .. } in anims {
            if !seen.insert(&name.text) && !parent.has_anim(&name.text) {
                self.findings
                    .add(def::ANIM_DUPLICATE, name.span, || format!("the anim '{}' is declared twice", name.text))
                    .value("words", format_args!("Duplicate anim '{}'", name.text));
            }
        }
    }

    /// Returns the mesh of a model decl, its own or an inherited one.
    fn mesh_of(&self, model: &ModelDecl) -> Option<Word> {
        let own =
            model.items.iter().rev().find_map(|item| if let ModelItem::Mesh(file) = item { Some(file) } else { None });
        own.cloned().or_else(|| {
            let span = parents(model).next_back()?.span;
            Some(Word { text: self.parent_of(model)?.mesh()?.to_owned(), span })
        })
    }

    /// Returns the model that a model decl inherits from. `None` if unknown.
    fn parent_of(&self, model: &ModelDecl) -> Option<Arc<ModelDef>> {
        self.game?.model_def(&parents(model).next_back()?.text).ok()
    }

    fn clip(&mut self, file: &str) -> Option<Rc<KnownClip>> {
        let key = name::fold(file);
        if let Some(known) = self.clips.get(&key) {
            return known.clone();
        }
        let known = self.read(file).and_then(|bytes| {
            let clip = md5::parse_anim(&bytes).ok()?.document;
            let count = clip.frames.len() as u64;
            // Rounded up.
            let length = (count.saturating_sub(1) as f64 * 1000.0 / clip.frame_rate).ceil() as u64;
            let joints = clip.hierarchy.iter().map(|joint| (joint.name.to_name(), joint.parent.value)).collect();
            Some(Rc::new(KnownClip { frames: count, milliseconds: length, joints }))
        });
        self.clips.insert(key, known.clone());
        known
    }

    fn anim(&mut self, anim: &AnimDecl, mesh: Option<&KnownMesh>) {
        let mut lengths: Vec<(&Word, u64)> = Vec::new();
        let mut frames = None;
        for file in &anim.files {
            if self.is_missing(&file.text) {
                self.missing_file(def::ANIM_MISSING, file, "anim");
                continue;
            }
            let Some(clip) = self.clip(&file.text) else { continue };
            frames = frames.or(Some(clip.frames));
            lengths.push((file, clip.milliseconds));
            if let Some((differs, words)) = mesh.and_then(|mesh| differing_joints(mesh, &clip.joints, &file.text)) {
                self.findings.add(def::ANIM_JOINTS, file.span, || differs).value("words", words);
            }
        }
        if let Some(((first, length), others)) = lengths.split_first()
            && let Some((other, found)) = others.iter().find(|(_, other)| other != length)
        {
            self.findings.add(def::SYNCED_LENGTHS, other.span, || {
                format!(
                    "'{}' lasts {found} ms and '{}' {length} ms; anims that play at once last as long",
                    other.text, first.text
                )
            });
        }
        for command in &anim.commands {
            self.command(command, frames, mesh);
        }
    }

    /// Checks a frame command of an anim with `frames` frames. A command that names something missing makes the engine
    /// reject the decl.
    fn command(&mut self, command: &FrameCommand, frames: Option<u64>, mesh: Option<&KnownMesh>) {
        let frame = command.frame;
        if let Some(frames) = frames.filter(|&frames| frame < 1 || frame as u64 > frames) {
            let added = self.findings.add(def::FRAME_RANGE, command.frame_span, || {
                format!("frame {frame} is out of range: the anim has frames 1 to {frames}")
            });
            added.value("found", frame);
        }
        let joint = match (command.command.text.as_str(), &command.arguments[..]) {
            // This command allows an empty joint.
            ("muzzle_flash", [joint, ..]) => Some(joint).filter(|joint| !joint.text.is_empty()),
            ("create_missile" | "launch_missile" | "fire_missile_at_target" | "trigger_fx", [joint, ..])
            | ("start_emitter", [_, joint, ..]) => Some(joint),
            ("melee" | "direct_damage" | "attack_begin" | "launch_projectile", [entity, ..]) => {
                if self.game.is_some_and(|game| game.place(DeclKind::EntityDef, &entity.text).is_none()) {
                    self.missing_decl(def::COMMAND_ENTITY, DeclKind::EntityDef, entity);
                }
                None
            }
            ("skin", [skin, ..]) if skin.text != "none" => {
                self.skin_of_model(skin);
                None
            }
            ("event", [event, ..]) => {
                self.event(event);
                None
            }
            _ => None,
        };
        if let (Some(joint), Some(mesh)) = (joint, mesh) {
            self.joint(def::COMMAND_JOINT, joint, mesh);
        }
    }

    /// Checks that a frame command can send an event: it must exist and have no arguments.
    fn event(&mut self, event: &Word) {
        let name = &event.text;
        let (fault, message) = match EVENTS.get(name.as_str()) {
            Some(&"") => return,
            Some(_) => {
                ("has arguments", format!("the event '{name}' has arguments, which a frame command cannot give"))
            }
            None => ("not found", format!("Doom 3's game code has no event '{name}'")),
        };
        let added = self.findings.add(def::COMMAND_EVENT, event.span, || message);
        let near = suggest::nearest(name, EVENTS.keys().copied()).filter(|near| near != name);
        added.value("name", name).value("fault", fault).suggest(near);
    }

    /// Reports a joint that the mesh does not have.
    fn joint(&mut self, rule: Rule, joint: &Word, mesh: &KnownMesh) {
        if !mesh.has_joint(&joint.text) {
            let message = || format!("the mesh has no joint '{}'", joint.text);
            self.missing_part(rule, joint, message, || mesh.nearest_joint(&joint.text));
        }
    }
}

/// Channels of a model decl up to some item.
struct Channels {
    /// Names in lower case.
    names: HashSet<String>,
    /// True for the joints that a channel has taken.
    taken: Vec<bool>,
}

impl Channels {
    /// Returns the inherited channels. A mesh of the decl's own frees their joints.
    fn of(model: &ModelDecl, mesh: Option<&KnownMesh>, parent: Option<&ModelDef>) -> Self {
        let joints = mesh.map_or(0, |mesh| mesh.joints.len());
        let mut channels = Self { names: HashSet::new(), taken: vec![false; joints] };
        if !model.items.iter().any(|item| matches!(item, ModelItem::Mesh(_)))
            && let (Some(mesh), Some(parent)) = (mesh, parent)
        {
            parent.channels().for_each(|(name, joints)| _ = channels.add(name, joints, mesh));
        }
        channels
    }

    /// Adds a channel. Returns what this takes away, and the first joint that an earlier channel has.
    fn add<'m>(
        &mut self,
        name: &str,
        joints: &[ChannelJoint],
        mesh: &'m KnownMesh,
    ) -> Option<(String, Option<&'m str>)> {
        let own = mesh.joints_of(joints);
        let twice = own.iter().zip(&self.taken).position(|(own, taken)| *own && *taken);
        let twice = twice.and_then(|joint| mesh.joints.get(joint)).map(|(joint, _)| joint.as_str());
        self.taken.iter_mut().zip(own).for_each(|(taken, own)| *taken |= own);
        if !self.names.insert(name.to_ascii_lowercase()) {
            let joint = twice.map_or_else(String::new, |joint| format!(", even '{joint}', which is listed again"));
            return Some((
                format!("the channel '{name}' is declared again: it loses the joints that it had{joint}"),
                twice,
            ));
        }
        twice.map(|joint| (format!("the joint '{joint}' of '{name}' is in an earlier channel already"), twice))
    }
}

/// Returns the names of the models that a model decl inherits from.
fn parents(model: &ModelDecl) -> impl DoubleEndedIterator<Item = &Word> {
    model.items.iter().filter_map(|item| if let ModelItem::Inherit(name) = item { Some(name) } else { None })
}

/// Returns the first difference between the joints of a mesh and of an anim, and what the engine prints about it.
fn differing_joints(mesh: &KnownMesh, anim: &[(String, i64)], file: &str) -> Option<(String, String)> {
    let KnownMesh { name: model, joints, .. } = mesh;
    if joints.len() != anim.len() {
        return Some((
            format!("the mesh has {} and '{file}' {}", counted(joints.len(), "joint", "joints"), anim.len()),
            format!("Model '{model}' has different # of joints than anim '{file}'"),
        ));
    }
    let (number, ((name, parent), (other, other_parent))) =
        joints.iter().zip(anim).enumerate().find(|(_, (mesh, anim))| mesh != anim)?;
    Some(match name == other {
        true => (
            format!("joint {number}, '{name}', has the parent {parent} in the mesh and {other_parent} in '{file}'"),
            format!("Model '{model}' has different joint hierarchy than anim '{file}'"),
        ),
        false => (
            format!("joint {number} is '{name}' in the mesh and '{other}' in '{file}'"),
            format!("Model '{model}''s joint names don't match anim '{file}''s"),
        ),
    })
}

impl KnownMesh {
    /// Selects a channel's joints as the engine does. Returns true for each of them.
    fn joints_of(&self, items: &[ChannelJoint]) -> Vec<bool> {
        let mut chosen = vec![false; self.joints.len()];
        for item in items {
            let Some(&top) = self.by_name.get(&item.joint.text.to_ascii_lowercase()) else { continue };
            let end = if item.with_descendants { self.ends[top] } else { top + 1 };
            chosen[top..end].fill(!item.removed);
        }
        chosen
    }
}

/// Returns for each joint the end of those that follow it up to the first whose parent is above it.
pub(super) fn ends_of_descendants(joints: &[(String, i64)]) -> Vec<usize> {
    let mut ends = vec![joints.len(); joints.len()];
    // Joints whose end is not known, ascending.
    let mut open: Vec<usize> = Vec::new();
    for (at, &(_, parent)) in joints.iter().enumerate() {
        while let Some(top) = open.pop_if(|top| *top as i64 > parent) {
            ends[top] = at;
        }
        open.push(at);
    }
    ends
}

/// True if the descendants of each joint follow it directly, as the engine assumes.
pub(super) fn is_depth_first(joints: &[(String, i64)]) -> bool {
    let parent = |at: usize| joints.get(at).map_or(-1, |(_, parent)| *parent);
    let mut line: Vec<i64> = Vec::new();
    (0..joints.len()).all(|at| {
        while line.last().is_some_and(|&last| last != parent(at)) {
            line.pop();
        }
        let fits = parent(at) < 0 || !line.is_empty();
        line.push(at as i64);
        fits
    })
}
