//! Reads animation sets and their keys (docs/formats/x.md "Animation keys").

use super::{Lower, Members, TargetKind, head, known, known_children, quote};
use crate::x::document::{Animation, AnimationKey, AnimationOptions, AnimationSet, KeyKind, Target};
use crate::x::fault::Fault;
use crate::x::numbers::Numbers;
use crate::x::report::Error;
use crate::x::tree::{Child, Object};
use std::collections::HashSet;

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
                    let keys = self.animation_key(child, object);
                    animation.keys.extend(known(keys)?.flatten());
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
        let kind = match key_type.value {
            0 => KeyKind::Rotation,
            1 => KeyKind::Scale,
            2 => KeyKind::Position,
            4 => KeyKind::Matrix,
            3 => {
                self.log.fault(Fault::KeyTypeThree, key_type.span)?;
                KeyKind::Matrix
            }
            key_type_value => {
                self.log.fault(Fault::KeyType { key_type: key_type_value }, key_type.span)?;
                return Ok(None);
            }
        };
        let count = values.count()?;
        // A key consists of a time, a number of values and the values.
        let reserve = count.min(object.values.len() / (2 + kind.width()));
        let mut keys =
            AnimationKey { kind, times: Vec::with_capacity(reserve), values: Numbers::default(), span: object.span };
        // Values of the keys that have the right number of them. `None` while all keys do.
        let mut chosen: Option<Vec<f64>> = None;
        let first = values.cursor.next_float();
        let name_of = |key: usize| format!("{} key {key}{}", word(kind), of_target(animation));
        for key in 0..count {
            // Drop keys that were cut off.
            let Ok(time) = values.whole_or_fraction() else { break };
            let place = values.cursor.at() - 1;
            let Ok(found) = values.count() else { break };
            let Some(start) = values.cursor.pass_floats(found) else { return Err(values.missing("a number")) };
            let expected = kind.width();
            if found != expected {
                chosen.get_or_insert_with(|| values.cursor.shared(first, keys.times.len() * expected).iter().collect());
                let fault = Fault::KeyValues { key: name_of(key), found, expected };
                self.log.fault(fault, values.cursor.span(place))?;
                continue;
            }
            if let Some(chosen) = &mut chosen {
                chosen.extend(values.cursor.shared(start, expected).iter());
            }
            match keys.times.last() {
                Some(&before) if time < before => {
                    let fault = Fault::KeyTimesFall { key: name_of(key), time, before };
                    self.log.fault(fault, values.cursor.span(place))?;
                }
                Some(&before) if time == before => {
                    let fault = Fault::KeyTimesEqual { key: name_of(key), time };
                    self.log.fault(fault, values.cursor.span(place))?;
                }
                _ => {}
            }
            keys.times.push(time);
        }
        keys.values = match chosen {
            Some(chosen) => chosen.into(),
            None => values.cursor.shared(first, keys.times.len() * kind.width()),
        };
        Ok(Some(keys))
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
