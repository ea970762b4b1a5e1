//! Entities and model decls: their mesh, anims, skin and head.

use super::decls::{Decls, Place};
use crate::model::{JointId, Skeleton};
use crate::suggest;
use bindpose_parsers::decl::{AnimDecl, ChannelJoint, DeclKind, Fault, ModelItem, canonical_name};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Longest chain of decls that inherit from one another.
const LONGEST_LINE: usize = 64;

/// A model decl with everything that it inherits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelDef {
    /// The decl's name, or the mesh file's if there is no decl.
    pub name: String,
    /// The `.md5mesh`, as the game names it.
    pub mesh: Option<String>,
    /// Anims in file order, inherited ones first.
    pub anims: Vec<AnimDecl>,
    /// Channels by lower-case name with their joint lists, inherited ones first.
    pub channels: Vec<(String, Vec<ChannelJoint>)>,
    /// Number of channels declared before the mesh, which frees their joints.
    pub channels_before_mesh: usize,
    /// Added to the root joint's translation.
    pub offset: [f64; 3],
    /// Name of the default skin.
    pub skin: Option<String>,
    /// Decls with faults, in reading order.
    pub faults: Vec<(Place, Vec<Fault>)>,
}

impl ModelDef {
    /// Adds the items of a decl to what it inherits.
    fn add(&mut self, items: Vec<ModelItem>) {
        let mut anims = Anims::inherited(std::mem::take(&mut self.anims));
        for item in items {
            match item {
                ModelItem::Inherit(_) => {}
                ModelItem::Mesh(file) => {
                    (self.mesh, self.channels_before_mesh) = (Some(file.text), self.channels.len());
                }
                ModelItem::Skin(skin) => self.skin = Some(skin.text),
                ModelItem::Offset(offset) => self.offset = offset,
                ModelItem::Channel { name, joints } => self.channels.push((name.text.to_ascii_lowercase(), joints)),
                ModelItem::Anim(anim) => anims.set(anim),
                ModelItem::Remove(name) => anims.remove(&name.text),
            }
        }
        self.anims = anims.in_order.into_iter().flatten().collect();
    }

    /// Returns the joints of each channel, by the channel's name: an anim on the channel moves these. Each joint
    /// belongs to the first channel that takes it. A channel that is declared again has its last joints only. Joints of
    /// no channel move with `all` only.
    ///
    /// `*joint` means the joint and the run of joints after it whose parents are not before it, as in the engine. In
    /// depth-first order these are exactly its descendants. `-joint` removes joints that were added before it.
    pub fn channel_joints(&self, skeleton: &Skeleton) -> Vec<(String, Vec<JointId>)> {
        let mut taken = vec![false; skeleton.len()];
        let mut channels: Vec<(String, Vec<JointId>)> = Vec::new();
        for (number, (name, items)) in self.channels.iter().enumerate() {
            if number == self.channels_before_mesh {
                taken.fill(false);
            }
            let mut chosen = vec![false; skeleton.len()];
            for item in items {
                let named = |joint: &JointId| skeleton[*joint].name.eq_ignore_ascii_case(&item.joint.text);
                let Some(joint) = skeleton.ids().find(named) else { continue };
                let is_below = |other: &JointId| skeleton[*other].parent.is_some_and(|parent| parent >= joint);
                let below = skeleton.ids().skip(joint.index() + 1).take_while(is_below);
                let below = below.take(if item.with_descendants { usize::MAX } else { 0 });
                for joint in std::iter::once(joint).chain(below) {
                    chosen[joint.index()] = !item.removed;
                }
            }
            let joints =
                skeleton.ids().filter(|joint| chosen[joint.index()] && !taken[joint.index()]).collect::<Vec<_>>();
            joints.iter().for_each(|joint| taken[joint.index()] = true);
            match channels.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = joints,
                None => channels.push((name.clone(), joints)),
            }
        }
        channels
    }
}

/// Appearance of an entity.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cast {
    /// Model of the body.
    pub model: ModelDef,
    /// The entity's own skin, else the model's.
    pub skin: Option<String>,
    /// A head, and the joint of the body to which it is attached.
    pub head: Option<(ModelDef, String)>,
    /// Missing parts. The game shows the entity without them.
    pub faults: Vec<CastError>,
}

/// Reason why an entity or a model cannot be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CastError {
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

/// Returns an entity's keys in lower case, including inherited ones.
///
/// # Errors
///
/// [`CastError`]: a name without a decl, or circular inheritance.
pub fn entity_keys(decls: &Decls, name: &str) -> Result<BTreeMap<String, String>, CastError> {
    keys(decls, name, &mut Vec::new(), &mut HashSet::new())
}

/// Returns nothing for a name in `done`: its keys are among those of an earlier parent, which take precedence.
fn keys(
    decls: &Decls,
    name: &str,
    line: &mut Vec<String>,
    done: &mut HashSet<String>,
) -> Result<BTreeMap<String, String>, CastError> {
    let kind = DeclKind::EntityDef;
    enter(kind, name, line)?;
    if !done.insert(canonical_name(name)) {
        line.pop();
        return Ok(BTreeMap::new());
    }
    let (_, parsed) = decls.entity(name).ok_or_else(|| CastError::missing(decls, kind, name))?;
    let mut found = BTreeMap::new();
    for pair in &parsed.decl.keys {
        found.insert(pair.key.text.to_ascii_lowercase(), pair.value.text.clone());
    }
    found.retain(|key, _| !key.starts_with("inherit"));
    // The first parent in file order that has a key provides it. A missing parent provides nothing.
    for parent in parsed.decl.parents().filter(|parent| decls.place(kind, &parent.text).is_some()) {
        for (key, value) in keys(decls, &parent.text, line, done)? {
            found.entry(key).or_insert(value);
        }
    }
    line.pop();
    Ok(found)
}

/// Returns a model decl with everything that it inherits.
///
/// # Errors
///
/// [`CastError`]: a name without a decl, or circular inheritance.
pub fn model_def(decls: &Decls, name: &str) -> Result<ModelDef, CastError> {
    model(decls, name, &mut Vec::new())
}

fn model(decls: &Decls, name: &str, line: &mut Vec<String>) -> Result<ModelDef, CastError> {
    let kind = DeclKind::Model;
    enter(kind, name, line)?;
    let (place, parsed) = decls.model(name).ok_or_else(|| CastError::missing(decls, kind, name))?;
    let mut found = ModelDef { name: canonical_name(name), ..ModelDef::default() };
    let mut items = parsed.decl.items;
    // A parent erases everything before it, including other parents. For a missing parent the engine only warns.
    let known_parent = |item: &ModelItem| match item {
        ModelItem::Inherit(parent) => decls.place(kind, &parent.text).map(|_| parent.text.clone()),
        _ => None,
    };
    if let Some((at, parent)) = items.iter().enumerate().rev().find_map(|(at, item)| Some((at, known_parent(item)?))) {
        items.drain(..=at);
        let of_parent = model(decls, &parent, line)?;
        found = ModelDef { name: found.name, ..of_parent };
    }
    found.add(items);
    if !parsed.faults.is_empty() {
        found.faults.push((place, parsed.faults));
    }
    line.pop();
    Ok(found)
}

/// Anims of a decl while it is being read.
#[derive(Default)]
struct Anims {
    /// Anims in file order, inherited ones first. `None` for removed anims.
    in_order: Vec<Option<AnimDecl>>,
    /// Indices by name.
    places: HashMap<String, usize>,
    /// Indices of inherited ones, by name and by group.
    inherited: HashMap<String, Vec<usize>>,
}

impl Anims {
    fn inherited(anims: Vec<AnimDecl>) -> Self {
        let mut all = Self::default();
        for (place, anim) in anims.into_iter().enumerate() {
            for name in [anim.name.text.as_str(), anim.group()] {
                all.inherited.entry(name.to_owned()).or_default().push(place);
            }
            all.set(anim);
        }
        all
    }

    /// Adds an anim. Replaces an earlier one of the same name.
    fn set(&mut self, anim: AnimDecl) {
        let place = *self.places.entry(anim.name.text.clone()).or_insert(self.in_order.len());
        match self.in_order.get_mut(place) {
            Some(known) => *known = Some(anim),
            None => self.in_order.push(Some(anim)),
        }
    }

    /// Removes the inherited anims with this name or group.
    fn remove(&mut self, name: &str) {
        for place in self.inherited.remove(name).unwrap_or_default() {
            if let Some(anim) = self.in_order.get_mut(place).and_then(Option::take) {
                self.places.remove(&anim.name.text);
            }
        }
    }
}

/// Adds a decl to the chain of those being resolved. Fails if the chain already contains it or is too long.
fn enter(kind: DeclKind, name: &str, line: &mut Vec<String>) -> Result<(), CastError> {
    let name = canonical_name(name);
    if line.contains(&name) || line.len() >= LONGEST_LINE {
        return Err(CastError::Circle { kind, name });
    }
    line.push(name);
    Ok(())
}

impl CastError {
    /// Returns the error for a missing name, with the most similar name of the game.
    pub fn missing(decls: &Decls, kind: DeclKind, name: &str) -> Self {
        let wanted = canonical_name(name);
        let mut alike = decls.names(kind).filter(|known| known.contains(&wanted) || wanted.contains(known));
        let nearest = suggest::nearest(&wanted, decls.names(kind)).or_else(|| alike.next());
        Self::Missing { kind, name: name.to_owned(), nearest: nearest.map(str::to_owned) }
    }
}

/// Resolves the appearance of an entity: its model with anims, skin and head.
///
/// # Errors
///
/// [`CastError`].
pub fn cast_entity(decls: &Decls, name: &str) -> Result<Cast, CastError> {
    let keys = entity_keys(decls, name)?;
    let model = keys.get("model").filter(|model| !model.is_empty());
    let cast = cast_model(decls, model.ok_or_else(|| CastError::NoModel(name.to_owned()))?)?;
    let (head, fault) = match (keys.get("def_head"), keys.get("head_joint")) {
        (Some(head), Some(joint)) if !head.is_empty() => match model_named(decls, head) {
            Ok(head) => (Some((head, joint.clone())), None),
            Err(error) => (None, Some(error)),
        },
        _ => (None, None),
    };
    let skin = keys.get("skin").filter(|skin| !skin.is_empty()).cloned().or(cast.skin);
    Ok(Cast { skin, head, faults: Vec::from_iter(fault), ..cast })
}

/// Resolves a model decl, or an `.md5mesh` file by its name in the game.
///
/// # Errors
///
/// [`CastError`].
pub fn cast_model(decls: &Decls, name: &str) -> Result<Cast, CastError> {
    let model = model_named(decls, name)?;
    if model.mesh.is_none() {
        return Err(CastError::NoMesh(model.name));
    }
    Ok(Cast { skin: model.skin.clone(), model, head: None, faults: Vec::new() })
}

fn model_named(decls: &Decls, name: &str) -> Result<ModelDef, CastError> {
    match name.to_ascii_lowercase().rsplit_once('.') {
        // Decl names end before their last dot, so `models/x.md5mesh` might be a decl.
        _ if decls.place(DeclKind::Model, name).is_some() => model_def(decls, name),
        Some((_, "md5mesh")) => {
            Ok(ModelDef { name: name.to_owned(), mesh: Some(name.to_owned()), ..ModelDef::default() })
        }
        Some(_) => Err(CastError::OtherModel(name.to_owned())),
        None => Err(CastError::missing(decls, DeclKind::Model, name)),
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
        let mut def = ModelDef::default();
        def.add(items);
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
