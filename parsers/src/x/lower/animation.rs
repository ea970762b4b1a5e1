//! Reads animation sets and their keys (docs/formats/x.md "Animation keys").

use super::{Lower, Members, TargetKind, head, known, known_children, quote};
use crate::x::Int;
use crate::x::document::{Animation, AnimationKey, AnimationOptions, AnimationSet, KeyKind, Target};
use crate::x::fault::Fault;
use crate::x::numbers::Numbers;
use crate::x::report::Error;
use crate::x::tree::{Child, Object};
use crate::x::values::Cursor;
use std::collections::HashSet;

/// Key with another number of values than its type: index, this number, and position.
type OtherKey = (usize, usize, usize);

/// Key with an earlier time than the key before it: place in the list, then index and position of both.
type FallenKey = (usize, [(usize, usize); 2]);

impl<'a> Lower<'_, '_, 'a> {
    pub(super) fn animation_set(&mut self, object: &Object<'a>) -> Result<AnimationSet<'a>, Error> {
        let mut set = AnimationSet { name: object.name.clone(), animations: Vec::new(), span: object.span };
        let mut targets: HashSet<usize> = HashSet::new();
        for child in known_children(object, "Animation") {
            self.log.enter();
            let animation = self.animation(child)?;
            if let Some(target) = &animation.target
                && let Some(frame) = target.frame
                && !targets.insert(frame)
            {
                let fault = Fault::AnimatedTwice { name: quote(&target.name.bytes) };
                self.log.fault(fault, child.type_name.span)?;
            }
            set.animations.push(animation);
        }
        Ok(set)
    }

    pub(super) fn animation(&mut self, object: &Object<'a>) -> Result<Animation<'a>, Error> {
        let mut animation = Animation { name: object.name.clone(), span: object.span, ..Animation::default() };
        for child in &object.children {
            match child {
                Child::Reference(reference) => {
                    let by_name = reference.name.clone();
                    let by_guid =
                        || self.names.resolve(reference, TargetKind::Frame).and_then(|frame| frame.name.clone());
                    if let Some(name) = by_name.or_else(by_guid) {
                        let frame = self.frames.get(&*name.bytes).copied();
                        if frame.is_none() && self.names.any(reference).is_some() {
                            let fault = Fault::TargetMissing { name: quote(&name.bytes) };
                            self.log.fault(fault, reference.span)?;
                        }
                        animation.target = Some(Target { name, frame });
                    }
                }
                Child::Object(child) if child.unread.is_some() => {}
                Child::Object(child) if child.is("AnimationKey") => {
                    let keys = self.unless_slipped(&[child], |lower| known(lower.animation_key(child, object)))?;
                    animation.keys.extend(keys.flatten());
                }
                Child::Object(child) if child.is("AnimationOptions") => {
                    let mut values = Members::of(child);
                    let (open_closed, position_quality) = (values.int()?, values.int()?);
                    animation.options = Some(AnimationOptions { open_closed, position_quality });
                }
                Child::Object(child) if child.is("Frame") => {
                    self.log.fault(Fault::InlineTarget, child.type_name.span)?;
                    if let Some(name) = child.name.clone() {
                        let frame = self.frames.get(&*name.bytes).copied();
                        animation.target = Some(Target { name, frame });
                    }
                }
                Child::Object(_) => {}
            }
        }
        if animation.target.is_none() {
            self.log.fault(Fault::NoTarget, object.type_name.span)?;
        }
        self.check_lists(&animation)?;
        Ok(animation)
    }

    /// Checks the lists of one animation against each other.
    fn check_lists(&mut self, animation: &Animation<'_>) -> Result<(), Error> {
        let kinds: Vec<KeyKind> = animation.keys.iter().map(|keys| keys.kind).collect();
        for (place, keys) in animation.keys.iter().enumerate() {
            if kinds.iter().take(place).any(|&kind| kind == keys.kind) {
                let fault = Fault::RepeatedKeys { what: word(keys.kind) };
                self.log.fault(fault, head(keys.span, "AnimationKey"))?;
            }
        }
        let matrices = kinds.contains(&KeyKind::Matrix);
        if matrices && kinds.iter().any(|&kind| kind != KeyKind::Matrix) {
            self.log.fault(Fault::MixedKeys, head(animation.span, "Animation"))?;
        }
        Ok(())
    }

    /// Reads a list of keys that belongs to `animation`. Returns `None` for an unknown type.
    fn animation_key(&mut self, object: &Object<'a>, animation: &Object<'a>) -> Result<Option<AnimationKey>, Error> {
        let mut values = Members::of(object);
        let key_type = values.int()?;
        let Some(kind) = self.key_kind(key_type)? else { return Ok(None) };
        let count = values.count()?;
        // A key consists of a time, a number of values and the values.
        let reserve = count.min(object.values.len() / (2 + kind.width()));
        let mut keys =
            AnimationKey { kind, times: Vec::with_capacity(reserve), values: Numbers::default(), span: object.span };
        // Values of the keys that have the right number of them. `None` while all keys do.
        let mut chosen: Option<Vec<f64>> = None;
        let first = values.cursor.next_float();
        let name_of = |key: usize| format!("{} key {key}{}", word(kind), of_target(animation));
        let mut others: Vec<OtherKey> = Vec::new();
        let mut fallen: Vec<FallenKey> = Vec::new();
        let mut before_it = (0, 0);
        for key in 0..count {
            // Drop keys that were cut off.
            let Ok(time) = values.whole_or_fraction() else { break };
            let place = values.cursor.at() - 1;
            let Ok(found) = values.count() else { break };
            let Some(start) = values.cursor.pass_floats(found) else { return Err(values.missing("a number")) };
            let expected = kind.width();
            if found != expected {
                chosen.get_or_insert_with(|| values.cursor.shared(first, keys.times.len() * expected).iter().collect());
                others.push((key, found, place));
                continue;
            }
            if let Some(chosen) = &mut chosen {
                chosen.extend(values.cursor.shared(start, expected).iter());
            }
            match keys.times.last() {
                Some(&before) if time < before => fallen.push((keys.times.len(), [before_it, (key, place)])),
                Some(&before) if time == before => {
                    let fault = Fault::KeyTimesEqual { key: name_of(key), time };
                    self.log.fault(fault, values.cursor.span(place))?;
                }
                _ => {}
            }
            keys.times.push(time);
            before_it = (key, place);
        }
        if let [(_, found, _), ..] = others[..]
            && keys.times.is_empty()
            && others.iter().all(|&(_, other, _)| other == found)
        {
            let fault = Fault::OtherKeys { key_type: key_type.value, kind: word(kind), found, expected: kind.width() };
            self.log.fault(fault, key_type.span)?;
            return Ok(None);
        }
        self.odd_keys(&keys, name_of, &mut values.cursor, &others, &fallen)?;
        keys.values = match chosen {
            Some(chosen) => chosen.into(),
            None => values.cursor.shared(first, keys.times.len() * kind.width()),
        };
        Ok(Some(keys))
    }

    fn key_kind(&mut self, Int { value, span }: Int) -> Result<Option<KeyKind>, Error> {
        let (kind, fault) = match value {
            0 => (Some(KeyKind::Rotation), None),
            1 => (Some(KeyKind::Scale), None),
            2 => (Some(KeyKind::Position), None),
            3 => (Some(KeyKind::Matrix), Some(Fault::KeyTypeThree)),
            4 => (Some(KeyKind::Matrix), None),
            key_type => (None, Some(Fault::KeyType { key_type })),
        };
        fault.map_or(Ok(()), |fault| self.log.fault(fault, span))?;
        Ok(kind)
    }

    /// Reports keys with another number of values, and those with an earlier time than the key before them.
    fn odd_keys(
        &mut self,
        keys: &AnimationKey,
        name_of: impl Fn(usize) -> String,
        cursor: &mut Cursor<'_, 'a>,
        others: &[OtherKey],
        fallen: &[FallenKey],
    ) -> Result<(), Error> {
        for &(key, found, place) in others {
            let fault = Fault::KeyValues { key: name_of(key), found, expected: keys.kind.width() };
            self.log.fault(fault, cursor.span(place))?;
        }
        for &(at, [(late, late_place), (key, place)]) in fallen {
            let time_of = |at: usize| keys.times.get(at).copied();
            let (Some(before), Some(time)) = (time_of(at - 1), time_of(at)) else { continue };
            // Times rise without the key before, but not without this one.
            let is_late = at.checked_sub(2).and_then(time_of).is_none_or(|earlier| earlier <= time)
                && time_of(at + 1).is_some_and(|after| after < before);
            let (fault, place) = match is_late {
                true => (Fault::KeyTimeLate { key: name_of(late), time: before, after: time }, late_place),
                false => (Fault::KeyTimesFall { key: name_of(key), time, before }, place),
            };
            self.log.fault(fault, cursor.span(place))?;
        }
        Ok(())
    }
}

fn word(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Rotation => "rotation",
        KeyKind::Scale => "scale",
        KeyKind::Position => "position",
        KeyKind::Matrix => "matrix",
    }
}

/// Returns " of 'Hip'" for an animation that names its frame. The reference can follow the keys.
fn of_target(animation: &Object<'_>) -> String {
    let name = animation.children.iter().find_map(|child| match child {
        Child::Reference(reference) => reference.name.as_ref(),
        Child::Object(child) => child.name.as_ref().filter(|_| child.is("Frame")),
    });
    name.map_or_else(String::new, |name| format!(" of '{}'", quote(&name.bytes)))
}
