//! Converts meshes to the form in which an engine stores them.

use super::{Division, Engine, KeptWeights, Positions, Vertex, Weights};
use crate::model::{Influence, JointId, Mesh};
use glam::{DAffine3, DVec3, Vec3};
use std::collections::HashSet;

/// Weight used instead of 0 where only translations use byte weights. The joint's translation counts a billionth, and
/// the rotated offset counts fully.
const NEXT_TO_NOTHING: f32 = 1e-9;

/// Joints and sets of weights that fit on the graphics card in Cube 2: `maxskelanimdata` is 192 vectors, two each.
const CUBE2_ROOM: usize = 96;

impl Engine {
    /// Converts a model's meshes to those that the engine skins.
    ///
    /// The engine puts a vertex at the weighted sum `sum w_i model[j_i] offset_i` over the converted influences. With
    /// [`Vertex::DualQuaternions`] it uses the method `dqs` on the converted bind positions and weights.
    pub fn hold_meshes(&self, meshes: &mut [Mesh]) {
        meshes.iter_mut().for_each(|mesh| self.keep(mesh));
        let most = if self.weights == Weights::RoundedBytesToFull { most_on_card(meshes) } else { usize::MAX };
        let greatest = meshes.iter().flat_map(|mesh| &mesh.positions).map(|position| position.abs().max_element());
        let greatest = greatest.fold(0.0, f32::max);
        meshes.iter_mut().for_each(|mesh| self.store(mesh, most, greatest));
    }

    /// Computes the bind positions if the engine stores one per vertex, then drops the weights that it does not keep.
    fn keep(&self, mesh: &mut Mesh) {
        if self.vertex != Vertex::Offsets {
            let bind_from_joint: Vec<DAffine3> = mesh.bind.iter().map(|bound| bound.inverse_bind.inverse()).collect();
            let summed = |vertex| {
                let placed = mesh.influences_of(vertex).iter().map(|influence| {
                    let map = &bind_from_joint[influence.slot as usize];
                    map.transform_point3(influence.offset.as_dvec3()) * f64::from(influence.weight)
                });
                placed.sum::<DVec3>().as_vec3()
            };
            mesh.positions = (0..mesh.vertex_count()).map(summed).collect();
        }
        let mut influences = Vec::with_capacity(mesh.influences.len());
        let mut starts = Vec::with_capacity(mesh.influence_starts.len());
        starts.push(0);
        for vertex in 0..mesh.vertex_count() {
            let mut kept = kept(self.kept, mesh.influences_of(vertex));
            match self.division {
                Division::Quotient => scale(&mut kept, |weight, sum| weight / sum),
                Division::Reciprocal => scale(&mut kept, |weight, sum| weight * (1.0 / sum)),
                Division::None | Division::ReciprocalOfBytes => {}
            }
            influences.extend(kept);
            starts.push(influences.len() as u32);
        }
        (mesh.influences, mesh.influence_starts) = (influences, starts);
    }

    /// Rounds weights and bind positions to the engine's number formats. Vertices with more than `most` weights keep
    /// their floats, and all do if `most` is 0. `greatest` is the largest absolute coordinate of the whole model.
    fn store(&self, mesh: &mut Mesh, most: usize, greatest: f32) {
        let is_one_position = self.vertex != Vertex::Offsets;
        if is_one_position && most > 0 {
            for position in &mut mesh.positions {
                *position = stored_position(self.positions, *position, greatest);
            }
        }
        for vertex in 0..mesh.vertex_count() {
            let [start, end] = [mesh.influence_starts[vertex], mesh.influence_starts[vertex + 1]];
            let influences = &mut mesh.influences[start as usize..end as usize];
            if influences.len() <= most {
                store_weights(self.weights, self.division, influences);
            }
            if is_one_position {
                let position = mesh.positions[vertex].as_dvec3();
                for influence in influences {
                    let inverse_bind = &mesh.bind[influence.slot as usize].inverse_bind;
                    influence.offset = inverse_bind.transform_point3(position).as_vec3();
                }
            }
        }
    }
}

/// Returns the largest number of weights per vertex that Cube 2 leaves to the graphics card, as bytes. It blends the
/// joints of larger sets in advance, with float weights, while all sets of that size fit. Returns 0 if the joints alone
/// do not fit: Cube 2 then moves all vertices itself.
fn most_on_card(meshes: &[Mesh]) -> usize {
    let mut joints: HashSet<JointId> = HashSet::new();
    let mut sets: [HashSet<Vec<(JointId, u32)>>; 5] = Default::default();
    for mesh in meshes {
        for vertex in 0..mesh.vertex_count() {
            let influences = mesh.influences_of(vertex).iter();
            let set: Vec<(JointId, u32)> = influences
                .map(|influence| (mesh.bind[influence.slot as usize].joint, influence.weight.to_bits()))
                .collect();
            joints.extend(set.iter().map(|(joint, _)| joint));
            if let Some(sets) = sets.get_mut(set.len()) {
                sets.insert(set);
            }
        }
    }
    let Some(mut room) = CUBE2_ROOM.checked_sub(joints.len()) else { return 0 };
    let mut most = sets.len() - 1;
    while most > 1
        && let Some(left) = room.checked_sub(sets[most].len())
    {
        room = left;
        most -= 1;
    }
    most
}

/// Rounds a bind position to its stored format.
fn stored_position(stored: Positions, position: Vec3, greatest: f32) -> Vec3 {
    const STEPS: f32 = i16::MAX as f32;
    match stored {
        Positions::CutHalf => position.map(cut_half),
        Positions::Fraction16 if greatest > 0.0 => {
            (position * greatest.recip()).map(|part| (part * STEPS).round_ties_even() / STEPS) * greatest
        }
        Positions::Fraction16 | Positions::Float => position,
    }
}

/// Truncates a number to the ten mantissa bits of a half float. Numbers beyond a half float's range stay as they are.
fn cut_half(number: f32) -> f32 {
    /// The smallest number with a full mantissa is 2^-14. Below it the step is 2^-24.
    const STEPS: f32 = (1 << 24) as f32;
    if number.abs() < (1 << 10) as f32 / STEPS {
        return (number * STEPS).trunc() / STEPS;
    }
    f32::from_bits(number.to_bits() & !0x1fff)
}

/// Returns the influences that an engine keeps.
fn kept(rule: KeptWeights, all: &[Influence]) -> Vec<Influence> {
    match rule {
        KeptWeights::All => all.to_vec(),
        KeptWeights::None => Vec::new(),
        KeptWeights::Slots(count) => {
            let (first, further) = all.split_at(count.min(all.len()));
            let mut slots = first.to_vec();
            for influence in further {
                let lightest =
                    slots.iter_mut().reduce(|least, slot| if slot.weight < least.weight { slot } else { least });
                if let Some(lightest) = lightest.filter(|lightest| lightest.weight < influence.weight) {
                    *lightest = *influence;
                }
            }
            slots
        }
        KeptWeights::HeaviestFour => heaviest_four(all.to_vec()),
        KeptWeights::HeaviestFourOverThousandth => {
            heaviest_four(all.iter().filter(|influence| influence.weight > 1e-3).copied().collect())
        }
    }
}

fn heaviest_four(mut influences: Vec<Influence>) -> Vec<Influence> {
    influences.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    influences.truncate(4);
    influences
}

fn sum(influences: &[Influence]) -> f32 {
    influences.iter().map(|influence| influence.weight).sum()
}

/// Replaces weights by `scaled(weight, sum)` if their sum is positive.
fn scale(influences: &mut [Influence], scaled: impl Fn(f32, f32) -> f32) {
    let sum = sum(influences);
    if sum > 0.0 {
        influences.iter_mut().for_each(|influence| influence.weight = scaled(influence.weight, sum));
    }
}

/// Rounds weights to their stored format.
fn store_weights(stored: Weights, division: Division, influences: &mut [Influence]) {
    let cut = |influence: &Influence| (influence.weight.clamp(0.0, 1.0) * 255.0) as u8;
    if division == Division::ReciprocalOfBytes {
        return scale(influences, |weight, sum| f32::from((weight * (255.0 / sum)) as u8) / 255.0);
    }
    let rounded = |influence: &Influence| (influence.weight.clamp(0.0, 1.0) * 255.0).round_ties_even() as u8;
    let halves_up = |influence: &Influence| (influence.weight.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
    let bytes: Vec<u8> = match stored {
        Weights::Float => return,
        Weights::FloatWithByteTranslation => return store_byte_translation(influences),
        Weights::CutBytes => influences.iter().map(cut).collect(),
        Weights::RoundedBytes => influences.iter().map(rounded).collect(),
        Weights::CutBytesRestToHeaviest => rest_to_heaviest(influences.iter().map(cut).collect(), 0),
        Weights::RoundedBytesRestToHeaviest => rest_to_heaviest(influences.iter().map(halves_up).collect(), -255),
        Weights::RoundedBytesToFull => to_full(influences.iter().map(halves_up).collect()),
    };
    for (influence, byte) in influences.iter_mut().zip(bytes) {
        influence.weight = f32::from(byte) / 255.0;
    }
}

/// Adds what is missing to 255, and at least `least`, to the first of the largest bytes.
fn rest_to_heaviest(mut bytes: Vec<u8>, least: i32) -> Vec<u8> {
    let rest = 255 - bytes.iter().map(|&byte| i32::from(byte)).sum::<i32>();
    if let Some(heaviest) = bytes.iter_mut().reduce(|most, byte| if *byte > *most { byte } else { most }) {
        *heaviest = (i32::from(*heaviest) + rest.max(least)).clamp(0, 255) as u8;
    }
    bytes
}

/// Adds or subtracts one from each byte in turn until they sum to 255.
fn to_full(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.is_empty() {
        return bytes;
    }
    let mut missing = 255 - bytes.iter().map(|&byte| i64::from(byte)).sum::<i64>();
    while missing != 0 {
        for byte in &mut bytes {
            let changed = if missing > 0 { byte.checked_add(1) } else { byte.checked_sub(1) };
            if let Some(changed) = changed.filter(|_| missing != 0) {
                (*byte, missing) = (changed, missing - missing.signum());
            }
        }
    }
    bytes
}

/// Rewrites `sum w_i R_i o_i + sum b_i t_i / sum b`, with weights w and bytes b, as a sum with one weight per joint.
/// The weight becomes the joint's share of the bytes, and the offset is scaled to compensate.
fn store_byte_translation(influences: &mut [Influence]) {
    let byte = |influence: &Influence| f32::from((influence.weight.clamp(0.0, 1.0) * 255.0) as u8);
    let sum: f32 = influences.iter().map(byte).sum();
    if sum == 0.0 {
        return;
    }
    for influence in influences {
        let share = (byte(influence) / sum).max(NEXT_TO_NOTHING);
        influence.offset *= influence.weight / share;
        influence.weight = share;
    }
}
