//! Inheritance of model decls and entities: each decl is read once, and shares what it inherits.

use crate::budget::{Budget, Exceeded};
use crate::diagnostic::SourceId;
use crate::model::{JointId, Skeleton};
use bindpose_parsers::decl::{
    AnimDecl, ChannelJoint, DeclKind, EntityDef, Fault, Impact, ModelDecl, ModelItem, Parsed, Word, canonical_name,
    group_of,
};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Most model decls that inherit from one another.
const MOST_LEVELS: usize = 64;
/// Estimated bytes of an entry in a hash map, besides the text of its key.
const ENTRY_SIZE: usize = 64;

/// Reason why an entity or a model cannot be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppearanceError {
    /// There is no decl of that name.
    #[error("the game has no {} '{name}'{}", kind.noun(), suggestion(nearest))]
    Missing {
        /// Kind of the decl.
        kind: DeclKind,
        /// Name of the decl.
        name: String,
        /// Most similar name.
        nearest: Option<String>,
    },
    /// A decl inherits from itself, directly or through others.
    #[error("the {} '{name}' inherits from itself", kind.noun())]
    Circle {
        /// Kind of the decl.
        kind: DeclKind,
        /// Name of the decl.
        name: String,
    },
    /// A model decl inherits through too many others.
    #[error("the model '{0}' inherits through more than {MOST_LEVELS} decls")]
    TooDeep(String),
    /// A decl does not fit the memory of the game's decls.
    #[error("{0}")]
    Memory(Exceeded),
    /// An entity without a model.
    #[error("the entityDef '{0}' has no key \"model\"")]
    NoModel(String),
    /// A model without joints, of another format.
    #[error("the model '{0}' is no .md5mesh and no model decl")]
    OtherModel(String),
    /// A decl without a mesh.
    #[error("the model decl '{0}' has no mesh")]
    NoMesh(String),
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!("; did you mean '{name}'?"))
}

/// Decls of a kind that are resolved so far.
#[derive(Debug)]
pub(super) struct Resolved<T>(Mutex<HashMap<String, Result<Arc<T>, AppearanceError>>>);

impl<T> Default for Resolved<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// A decl that can inherit from others of its kind.
pub(super) trait Inherit: Sized {
    /// The decl's own part.
    type Own;
    /// Kind of the decls.
    const KIND: DeclKind;

    /// Adds what a decl inherits to its own part. The first parent takes precedence.
    fn join(name: &str, own: Self::Own, parents: &[Arc<Self>]) -> Result<Self, AppearanceError>;

    /// Estimated memory in bytes, without that of the parents.
    fn size(&self) -> usize;
}

/// A decl whose parents are being resolved.
struct Waiting<O> {
    name: String,
    own: O,
    parents: Vec<String>,
    /// Number of parents visited.
    visited: usize,
}

impl<T: Inherit> Resolved<T> {
    /// Resolves a decl after those that it inherits from. `read` returns a decl's own part and the canonical names of its
    /// parents, all of which exist. Memory that is kept is charged to `budget`.
    pub fn get(
        &self,
        name: &str,
        read: impl Fn(&str) -> Option<(T::Own, Vec<String>)>,
        budget: &Budget,
    ) -> Result<Arc<T>, AppearanceError> {
        let missing = || Err(AppearanceError::Missing { kind: T::KIND, name: name.to_owned(), nearest: None });
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut on_line = HashSet::new();
        let mut line: Vec<Waiting<T::Own>> = Vec::new();
        let mut next = Some(canonical_name(name));
        loop {
            if let Some(name) = next.take().filter(|name| !known.contains_key(name)) {
                if on_line.contains(&name) {
                    known.extend(circle::<T>(line, &name));
                    break;
                }
                let Some((own, parents)) = read(&name) else { return missing() };
                on_line.insert(name.clone());
                line.push(Waiting { name, own, parents, visited: 0 });
            }
            let Some(last) = line.last_mut() else { break };
            if let Some(parent) = last.parents.get(last.visited) {
                next = Some(parent.clone());
                last.visited += 1;
            } else if let Some(Waiting { name, own, parents, .. }) = line.pop() {
                let parents: Result<Vec<_>, _> = parents.iter().filter_map(|name| known.get(name).cloned()).collect();
                let joined = parents.and_then(|parents| T::join(&name, own, &parents)).and_then(|joined| {
                    let what = || "the models and entities of the game".to_owned();
                    let size = joined.size() + 2 * name.len() + ENTRY_SIZE;
                    budget.spend(size as u128, what).map_err(AppearanceError::Memory)?;
                    Ok(Arc::new(joined))
                });
                on_line.remove(&name);
                known.insert(name, joined);
            }
        }
        known.get(&canonical_name(name)).cloned().unwrap_or_else(missing)
    }
}

/// Returns the errors of decls each of which inherits from the next one, and the last one from `first`.
fn circle<T: Inherit>(
    line: Vec<Waiting<T::Own>>,
    first: &str,
) -> impl Iterator<Item = (String, Result<Arc<T>, AppearanceError>)> {
    let mut is_on_circle = false;
    line.into_iter().map(move |Waiting { name, .. }| {
        is_on_circle |= name == first;
        let own = if is_on_circle { name.clone() } else { first.to_owned() };
        (name, Err(AppearanceError::Circle { kind: T::KIND, name: own }))
    })
}

/// Keys of an entity that select its models, its class and its attachment, own or inherited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityKeys([Option<Arc<str>>; Self::NAMES.len()]);

impl EntityKeys {
    /// Keys in the order of the values.
    const NAMES: [&str; 9] = [
        "model",
        "skin",
        "def_head",
        "head_joint",
        "spawnclass",
        "ik_numlegs",
        "joint",
        "bindtojoint",
        "articulatedfigure",
    ];

    /// Returns the own values, and the parents.
    pub(super) fn own(entity: &EntityDef) -> (Self, Vec<String>) {
        let parents = entity.parents().map(|parent| canonical_name(&parent.text)).collect();
        (Self(Self::NAMES.map(|key| entity.get(key).map(|value| Arc::from(value.text.as_str())))), parents)
    }

    fn get(&self, key: usize) -> Option<&str> {
        self.0.get(key)?.as_deref().filter(|value| !value.is_empty())
    }

    /// Returns the model decl or `.md5mesh`. An empty value counts as missing.
    pub fn model(&self) -> Option<&str> {
        self.get(0)
    }

    /// Returns the skin that replaces the model's own.
    pub fn skin(&self) -> Option<&str> {
        self.get(1)
    }

    /// Returns the model decl of the head.
    pub fn head_model(&self) -> Option<&str> {
        self.get(2)
    }

    /// Returns the model decl of the head, and the joint of the body to which it is attached.
    pub fn head(&self) -> Option<(&str, &str)> {
        Some((self.head_model()?, self.0[3].as_deref()?))
    }

    /// Returns the class of the game code that the entity is an object of.
    pub fn class(&self) -> Option<&str> {
        self.get(4)
    }

    /// Returns the number of legs that inverse kinematics place.
    pub fn legs(&self) -> u32 {
        self.get(5).and_then(|number| number.parse().ok()).unwrap_or(0)
    }

    /// Returns the joint to which the entity is attached.
    pub fn joint(&self) -> Option<&str> {
        self.get(6)
    }

    /// Returns the joint to which the entity is bound.
    pub fn bound_joint(&self) -> Option<&str> {
        self.get(7)
    }

    /// Returns the ragdoll that moves the entity from the start, as that of a vehicle.
    pub fn ragdoll(&self) -> Option<&str> {
        self.get(8)
    }
}

impl Inherit for EntityKeys {
    type Own = Self;
    const KIND: DeclKind = DeclKind::EntityDef;

    fn join(_: &str, mut own: Self, parents: &[Arc<Self>]) -> Result<Self, AppearanceError> {
        for parent in parents {
            for (own, inherited) in own.0.iter_mut().zip(&parent.0).filter(|(own, _)| own.is_none()) {
                own.clone_from(inherited);
            }
        }
        Ok(own)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.0.iter().flatten().map(|value| value.len()).sum::<usize>()
    }
}

/// A model decl with everything that it inherits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelDef {
    /// The decl's name, or the mesh file's if there is no decl.
    pub name: String,
    parent: Option<Arc<ModelDef>>,
    /// Number of decls from which it inherits.
    level: usize,
    mesh: Option<String>,
    skin: Option<String>,
    offset: Option<[f64; 3]>,
    channels: Vec<(String, Vec<ChannelJoint>)>,
    /// Number of its own channels before the mesh, which frees the joints of all channels.
    channels_before_mesh: usize,
    anims: Vec<AnimDecl>,
    /// Indices of its own anims by name.
    by_name: HashMap<String, usize>,
    /// Names and groups of inherited anims that it removes.
    removed: HashSet<String>,
    /// Numbers of anims, inherited ones included, of the groups in which it changes them.
    of_group: HashMap<String, usize>,
    /// Number of anims, inherited ones included.
    count: usize,
    faults: Option<(SourceId, Vec<Fault>)>,
}

/// A model decl's items after the last decl that it inherits from, and its faults.
pub(super) type OwnModel = (Vec<ModelItem>, Option<(SourceId, Vec<Fault>)>);

impl ModelDef {
    /// Returns the decl's own part, and its parent. A parent erases everything before it, including other parents. For a
    /// missing parent the engine only warns.
    pub(super) fn own(
        source: SourceId,
        parsed: Parsed<ModelDecl>,
        exists: impl Fn(&str) -> bool,
    ) -> (OwnModel, Vec<String>) {
        let Parsed { decl: ModelDecl { mut items }, faults } = parsed;
        let parent = |item: &ModelItem| match item {
            ModelItem::Inherit(parent) if exists(&parent.text) => Some(canonical_name(&parent.text)),
            _ => None,
        };
        let last = items.iter().enumerate().rev().find_map(|(at, item)| Some((at, parent(item)?)));
        let parent = last.map(|(at, parent)| {
            items.drain(..=at);
            parent
        });
        ((items, (!faults.is_empty()).then_some((source, faults))), parent.into_iter().collect())
    }

    /// Returns the model of a mesh without a decl.
    pub(super) fn of_mesh(mesh: &str) -> Self {
        Self { name: mesh.to_owned(), mesh: Some(mesh.to_owned()), ..Self::default() }
    }

    /// Returns the decl and those that it inherits from, itself first.
    fn line(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |def| def.parent.as_deref())
    }

    /// Returns the decls that it inherits from and itself, itself last.
    fn top_down(&self) -> impl Iterator<Item = &Self> {
        self.line().collect::<Vec<_>>().into_iter().rev()
    }

    /// Returns the `.md5mesh`, as the game names it.
    pub fn mesh(&self) -> Option<&str> {
        self.line().find_map(|def| def.mesh.as_deref())
    }

    /// Returns the name of the default skin.
    pub fn skin(&self) -> Option<&str> {
        self.line().find_map(|def| def.skin.as_deref())
    }

    /// Returns the translation that is added to the root joint's.
    pub fn offset(&self) -> [f64; 3] {
        self.line().find_map(|def| def.offset).unwrap_or_default()
    }

    /// Returns channels by lower-case name with their joint lists, inherited ones first.
    pub fn channels(&self) -> impl Iterator<Item = &(String, Vec<ChannelJoint>)> {
        self.top_down().flat_map(|def| &def.channels)
    }

    /// Returns the faults of decls, in the file of each, inherited ones first.
    pub fn faults(&self) -> impl Iterator<Item = &(SourceId, Vec<Fault>)> {
        self.top_down().filter_map(|def| def.faults.as_ref())
    }

    /// True if the engine ignores the decl for a fault of its own.
    pub fn is_rejected(&self) -> bool {
        self.faults.iter().flat_map(|(_, faults)| faults).any(|fault| fault.kind.impact() == Impact::Decl)
    }

    /// True if the decl has no anims.
    pub fn has_no_anims(&self) -> bool {
        self.count == 0
    }

    /// True if it removes an inherited anim of this name.
    fn removes(&self, anim: &str) -> bool {
        self.removed.contains(anim) || self.removed.contains(group_of(anim))
    }

    /// True if the decl has an anim of this name.
    pub fn has_anim(&self, name: &str) -> bool {
        let known =
            |def: &Self| if def.by_name.contains_key(name) { Some(true) } else { def.removes(name).then_some(false) };
        self.line().find_map(known).unwrap_or(false)
    }

    /// Number of anims with this name without the number of their variant.
    fn in_group(&self, group: &str) -> usize {
        self.line().find_map(|def| def.of_group.get(group).copied()).unwrap_or(0)
    }

    /// True if the decl has an anim of this name, or a variant of it.
    pub fn has_anims_called(&self, name: &str) -> bool {
        self.has_anim(name) || self.in_group(name) > 0
    }

    /// Returns the anims in file order, inherited ones first. An inherited anim that is declared again keeps its place.
    pub fn anims(&self) -> Vec<&AnimDecl> {
        let mut anims: Vec<&AnimDecl> = Vec::new();
        for def in self.top_down() {
            let mut is_new = vec![true; def.anims.len()];
            anims.retain(|anim| !def.removes(&anim.name.text));
            for anim in &mut anims {
                if let Some(&at) = def.by_name.get(&anim.name.text) {
                    (*anim, is_new[at]) = (&def.anims[at], false);
                }
            }
            anims.extend(def.anims.iter().zip(is_new).filter_map(|(anim, is_new)| is_new.then_some(anim)));
        }
        anims
    }

    /// Takes anims, and removals of inherited ones. A removal also takes what was declared before it in place of an
    /// inherited anim.
    fn set_anims(&mut self, items: Vec<ModelItem>, inherited: &Self) {
        let mut removed_at: HashMap<String, usize> = HashMap::new();
        for (at, item) in items.iter().enumerate() {
            if let ModelItem::Remove(name) = item {
                removed_at.entry(name.text.clone()).or_insert(at);
            }
        }
        let groups = |group: &str| inherited.in_group(group);
        self.count = inherited.count;
        for name in removed_at.keys() {
            let group = group_of(name);
            self.count -= groups(name);
            self.of_group.insert(name.clone(), 0);
            if !removed_at.contains_key(group) && inherited.has_anim(name) {
                self.count -= 1;
                *self.of_group.entry(group.to_owned()).or_insert_with(|| groups(group)) -= 1;
            }
        }
        for (at, item) in items.into_iter().enumerate() {
            let ModelItem::Anim(anim) = item else { continue };
            let (name, group) = (anim.name.text.as_str(), anim.group());
            let removed = [name, group].iter().filter_map(|name| removed_at.get(*name)).min();
            let is_inherited = inherited.has_anim(name);
            if is_inherited && removed.is_some_and(|&removed| at < removed) {
                continue;
            }
            if let Some(&known) = self.by_name.get(name) {
                self.anims[known] = anim;
                continue;
            }
            if !is_inherited || removed.is_some() {
                self.count += 1;
                *self.of_group.entry(group.to_owned()).or_insert_with(|| groups(group)) += 1;
            }
            self.by_name.insert(name.to_owned(), self.anims.len());
            self.anims.push(anim);
        }
        self.removed = removed_at.into_keys().collect();
    }

    /// Returns the joints of each channel, by the channel's name: an anim on the channel moves these. Each joint
    /// belongs to the first channel that takes it. A channel that is declared again has its last joints only. Joints of
    /// no channel move with `all` only.
    ///
    /// `*joint` means the joint and the run of joints after it whose parents are not before it, as in the engine. In
    /// depth-first order these are exactly its descendants. `-joint` removes joints that were added before it.
    pub fn channel_joints(&self, skeleton: &Skeleton) -> Vec<(String, Vec<JointId>)> {
        let names = skeleton.ids().map(|joint| (skeleton[joint].name.to_ascii_lowercase(), joint));
        // Of equal names, the first joint is inserted last.
        let by_name: HashMap<String, JointId> = names.collect::<Vec<_>>().into_iter().rev().collect();
        let mut taken = vec![false; skeleton.len()];
        let mut channels: Vec<(String, Vec<JointId>)> = Vec::new();
        for def in self.top_down() {
            let frees_joints = |number| def.mesh.is_some() && number == def.channels_before_mesh;
            for (number, (name, items)) in def.channels.iter().enumerate() {
                if frees_joints(number) {
                    taken.fill(false);
                }
                let mut joints = chosen_joints(skeleton, &by_name, items);
                joints.retain(|joint| !taken[joint.index()]);
                joints.iter().for_each(|joint| taken[joint.index()] = true);
                match channels.iter_mut().find(|(known, _)| known == name) {
                    Some((_, known)) => *known = joints,
                    None => channels.push((name.clone(), joints)),
                }
            }
            if frees_joints(def.channels.len()) {
                taken.fill(false);
            }
        }
        channels
    }
}

/// Returns the joints of a channel's list, those of other channels included.
fn chosen_joints(skeleton: &Skeleton, by_name: &HashMap<String, JointId>, items: &[ChannelJoint]) -> Vec<JointId> {
    let mut chosen = vec![false; skeleton.len()];
    for item in items {
        let Some(&joint) = by_name.get(&item.joint.text.to_ascii_lowercase()) else { continue };
        let is_below = |other: &JointId| skeleton[*other].parent.is_some_and(|parent| parent >= joint);
        let below = skeleton.ids().skip(joint.index() + 1).take_while(is_below);
        let below = below.take(if item.with_descendants { usize::MAX } else { 0 });
        for joint in std::iter::once(joint).chain(below) {
            chosen[joint.index()] = !item.removed;
        }
    }
    skeleton.ids().filter(|joint| chosen[joint.index()]).collect()
}

impl Inherit for ModelDef {
    type Own = OwnModel;
    const KIND: DeclKind = DeclKind::Model;

    fn join(name: &str, (mut items, faults): OwnModel, parents: &[Arc<Self>]) -> Result<Self, AppearanceError> {
        let parent = parents.first().cloned();
        let level = parent.as_ref().map_or(0, |parent| parent.level + 1);
        if level >= MOST_LEVELS {
            return Err(AppearanceError::TooDeep(name.to_owned()));
        }
        let mut def = Self { name: name.to_owned(), parent, level, faults, ..Self::default() };
        items.retain_mut(|item| {
            match item {
                ModelItem::Inherit(_) => {}
                ModelItem::Mesh(file) => {
                    (def.mesh, def.channels_before_mesh) = (Some(std::mem::take(&mut file.text)), def.channels.len());
                }
                ModelItem::Skin(skin) => def.skin = Some(std::mem::take(&mut skin.text)),
                ModelItem::Offset(offset) => def.offset = Some(*offset),
                ModelItem::Channel { name, joints } => {
                    def.channels.push((name.text.to_ascii_lowercase(), std::mem::take(joints)));
                }
                ModelItem::Anim(_) | ModelItem::Remove(_) => return true,
            }
            false
        });
        let none = Arc::default();
        def.set_anims(items, parents.first().unwrap_or(&none));
        Ok(def)
    }

    fn size(&self) -> usize {
        let text = |word: &Word| size_of::<Word>() + word.text.len();
        let texts = |words: &[Word]| words.iter().map(text).sum::<usize>();
        let anim = |anim: &AnimDecl| {
            let commands = anim.commands.iter();
            let commands = commands.map(|one| size_of_val(one) + one.command.text.len() + texts(&one.arguments));
            size_of_val(anim)
                + ENTRY_SIZE
                + 2 * anim.name.text.len()
                + texts(&anim.files)
                + texts(&anim.flags)
                + commands.sum::<usize>()
        };
        let channel = |(name, joints): &(String, Vec<ChannelJoint>)| {
            ENTRY_SIZE + name.len() + joints.iter().map(|item| size_of_val(item) + item.joint.text.len()).sum::<usize>()
        };
        let names = self.removed.iter().chain(self.of_group.keys()).map(|name| ENTRY_SIZE + name.len());
        let faults = self.faults.iter().flat_map(|(_, faults)| faults).map(|_| size_of::<Fault>() + ENTRY_SIZE);
        let own = [&self.mesh, &self.skin].into_iter().flatten().map(String::len);
        size_of::<Self>()
            + own.sum::<usize>()
            + self.anims.iter().map(anim).sum::<usize>()
            + self.channels.iter().map(channel).sum::<usize>()
            + names.sum::<usize>()
            + faults.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Transform;
    use bindpose_parsers::Span;
    use bindpose_parsers::decl::parse_model;

    /// Channels of a decl on the skeleton Waist (Spine (LeftArm, RightArm (RightHand)), Leg).
    fn channels(text: &str) -> Vec<(String, Vec<String>)> {
        let mut skeleton = Skeleton::new();
        let mut push = |name: &str, parent| skeleton.push(name, parent, Transform::IDENTITY);
        let waist = push("Waist", None);
        let spine = push("Spine", Some(waist));
        push("LeftArm", Some(spine));
        let arm = push("RightArm", Some(spine));
        push("RightHand", Some(arm));
        push("Leg", Some(waist));
        let text = format!("{{ mesh a.md5mesh {text} }}");
        let items = parse_model(text.as_bytes(), Span::new(0, text.len())).decl.items;
        let def = ModelDef::join("a", (items, None), &[]).unwrap();
        let named = |joints: Vec<JointId>| joints.into_iter().map(|joint| skeleton[joint].name.clone()).collect();
        def.channel_joints(&skeleton).into_iter().map(|(name, joints)| (name, named(joints))).collect()
    }

    fn one(text: &str) -> Vec<String> {
        channels(text).remove(0).1
    }

    #[test]
    fn a09_stars_and_minuses_choose_joints() {
        assert_eq!(one("channel torso ( *Waist -*RightArm )"), ["Waist", "Spine", "LeftArm", "Leg"]);
        assert_eq!(one("channel torso ( *spine nobody )"), ["Spine", "LeftArm", "RightArm", "RightHand"]);
        // A minus before its joint is added has no effect.
        assert_eq!(one("channel torso ( -LeftArm Spine LeftArm )"), ["Spine", "LeftArm"]);
    }

    #[test]
    fn a11_a_joint_stays_in_its_first_channel() {
        let found = channels("channel torso ( *Spine ) channel legs ( *Waist )");
        assert_eq!(found[1], ("legs".to_owned(), vec!["Waist".to_owned(), "Leg".to_owned()]));
    }
    /// The engine sets the length of the channel's list to that of the new one, and leaves out joints that are taken.
    #[test]
    fn a_channel_that_is_declared_again_has_its_last_joints() {
        assert_eq!(one("channel torso ( *Spine ) channel torso ( *Waist )"), ["Waist", "Leg"]);
        assert_eq!(one("channel torso ( *Spine ) mesh b.md5mesh channel torso ( LeftArm )"), ["LeftArm"]);
    }
}
