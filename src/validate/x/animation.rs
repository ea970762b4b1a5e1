//! Checks of keys and of the rate of clips.

use super::spans::{head_of, place_of_key};
use crate::codes::x as rules;
use crate::finding::{Findings, PLACES_KEPT};
use crate::taint::Part;
use bindpose_parsers::Span;
use bindpose_parsers::x::{self, Document, KeyKind, Matrix};
use glam::DVec3;

/// Largest deviation of rotation keys from unit length. Exporters print six decimals.
const UNIT: f64 = 1e-3;

/// Cosine between axes of a matrix from which it counts as sheared.
const ORTHOGONAL: f64 = 1e-3;

pub(super) fn check(bytes: &[u8], format: x::BodyFormat, document: &Document, findings: &mut Findings) {
    let sets = document.animation_sets.iter().flat_map(|set| &set.animations).chain(&document.loose_animations);
    let mut moving = None;
    for animation in sets {
        let name = animation.target.as_ref().map_or_else(String::new, |target| target.name.to_name());
        for keys in &animation.keys {
            if keys.times.iter().any(|&time| time > 0.0) {
                moving.get_or_insert(animation.span);
            }
            match keys.kind {
                _ if findings.broken.within(&[Part::Records], keys.span) => {}
                KeyKind::Rotation => {
                    check_rotations(keys, &name, |key| place_of_key(bytes, format, keys, key), findings)
                }
                KeyKind::Matrix => check_matrices(keys, &name, |key| place_of_key(bytes, format, keys, key), findings),
                KeyKind::Scale | KeyKind::Position => {}
            }
        }
    }
    let first = document.animation_sets.first().map(|set| head_of(set.span, "AnimationSet"));
    let first = first.or(moving.map(|span| head_of(span, "Animation")));
    if let (Some(span), Some(_), []) = (first, moving, &document.ticks_per_second[..]) {
        let longest = document.animation_sets.iter().map(x::AnimationSet::period).fold(0.0, f64::max);
        let added = findings.add(rules::TICKS_MISSING, span, || {
            format!(
                "no AnimTicksPerSecond: {longest} ticks take {:.3} seconds at Direct3D's rate of 4800",
                longest / 4800.0
            )
        });
        added.note(format_args!("at 24 ticks per second they would take {:.1} seconds", longest / 24.0));
    }
}

fn check_rotations(keys: &x::AnimationKey, name: &str, place: impl Fn(usize) -> Span, findings: &mut Findings) {
    let length = |key: [f64; 4]| key.iter().map(|part| part * part).sum::<f64>().sqrt();
    let lengths = keys.values.vectors();
    let off = |length: f64| (length - 1.0).abs();
    let mut odd: Vec<(usize, f64)> = lengths.iter().map(length).enumerate().filter(|key| off(key.1) > UNIT).collect();
    odd.reverse();
    odd.sort_by(|(_, a), (_, b)| off(*b).total_cmp(&off(*a)));
    let worst = odd.into_iter().take(PLACES_KEPT).find(|&(key, _)| is_known(place(key), place(key + 1), findings));
    if let Some((key, length)) = worst {
        findings.add_at(rules::QUATERNION_LENGTH, place(key), format_args!("key[{key}]"), || {
            format!("rotation key {key} of '{name}' has length {length:.4}")
        });
    }
}

fn check_matrices(keys: &x::AnimationKey, name: &str, place: impl Fn(usize) -> Span, findings: &mut Findings) {
    let sheared = |matrix: Matrix| shear(&matrix) > ORTHOGONAL;
    let matrices = keys.values.vectors();
    let odd = matrices.iter().enumerate().filter(|(_, matrix)| sheared(*matrix)).map(|(key, _)| key);
    let mut odd = odd.take(PLACES_KEPT);
    let known = odd.find(|&key| is_known(place(key), place(key + 1), findings));
    if let Some(key) = known {
        findings.add_at(rules::SHEAR, place(key), format_args!("key[{key}]"), || {
            format!("matrix key {key} of '{name}' shears: its axes are not at right angles")
        });
    }
}

/// True if all numbers of a key are known. The key after it begins at `next`, if there is one.
fn is_known(key: Span, next: Span, findings: &Findings) -> bool {
    !findings.broken.within(&[Part::Number], Span { start: key.start, end: next.start.max(key.end) })
}

/// Returns the largest cosine between two axes of a matrix.
fn shear(matrix: &Matrix) -> f64 {
    let [a0, a1, a2, _, b0, b1, b2, _, c0, c1, c2, ..] = *matrix;
    let axes = [DVec3::new(a0, a1, a2), DVec3::new(b0, b1, b2), DVec3::new(c0, c1, c2)].map(DVec3::normalize_or_zero);
    let [a, b, c] = axes;
    a.dot(b).abs().max(b.dot(c).abs()).max(c.dot(a).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_angles_do_not_shear() {
        let scaled = [2.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 5.0, 6.0, 7.0, 1.0];
        assert_eq!(shear(&scaled), 0.0);
        let mut sheared = scaled;
        sheared[1] = 2.0;
        assert!((shear(&sheared) - 0.5f64.sqrt()).abs() < 1e-12);
    }
}
