//! Panda3D's x2egg: each key is a sample of its frame, at one rate for a set.

use bindpose_parsers::Span;
use bindpose_parsers::x::{AnimationKey, AnimationSet, Document, KeyKind};

/// Reduces a document to the data that the converter keeps.
pub(super) fn hold(document: &mut Document<'_>) {
    document.loose_animations.clear();
    for set in &mut document.animation_sets {
        let step = mean_step(set);
        for animation in &mut set.animations {
            animation.keys = samples(&animation.keys, step);
        }
    }
}

/// Returns the mean distance of keys in ticks, over all lists of a set.
fn mean_step(set: &AnimationSet<'_>) -> f64 {
    let lists = set.animations.iter().flat_map(|animation| &animation.keys).map(|keys| &keys.times);
    let (total, count) = lists.fold((0.0, 0.0), |(total, count), times| match (times.first(), times.last()) {
        (Some(first), Some(last)) => (total + last - first, count + (times.len() - 1) as f64),
        _ => (total, count),
    });
    if total == 0.0 { 1.0 } else { total / count }
}

/// Returns lists of equal length and step. The frame's own matrix does not count. Shorter lists are filled up with
/// zero, scale one or no rotation.
fn samples(lists: &[AnimationKey], step: f64) -> Vec<AnimationKey> {
    let count = lists.iter().map(|keys| keys.times.len()).max().unwrap_or_default();
    let times: Vec<f64> = (0..count).map(|number| number as f64 * step).collect();
    let list = |kind: KeyKind, missing: &[f64]| {
        let mut values: Vec<f64> = missing.repeat(count);
        for keys in lists.iter().filter(|keys| keys.kind == kind) {
            values.iter_mut().zip(keys.values.iter()).for_each(|(slot, value)| *slot = value);
        }
        AnimationKey { kind, times: times.clone(), values: values.into(), span: Span::default() }
    };
    if count == 0 {
        return Vec::new();
    }
    if lists.iter().any(|keys| keys.kind == KeyKind::Matrix) {
        let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        return vec![list(KeyKind::Matrix, &identity)];
    }
    vec![
        list(KeyKind::Rotation, &[1.0, 0.0, 0.0, 0.0]),
        list(KeyKind::Scale, &[1.0; 3]),
        list(KeyKind::Position, &[0.0; 3]),
    ]
}
