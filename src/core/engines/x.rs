//! Converts `.x` files to the form that an engine keeps. The document is changed, then imported as usual.

mod irrlicht;
mod openbve;
mod panda;
mod reading;

pub use reading::{ReadsX, XEnd, XLists, XReading};

use super::KeptWeights;
use bindpose_parsers::Span;
use bindpose_parsers::x::{Animation, AnimationKey, AnimationSet, Document, Frame, KeyKind, Matrix, Mesh, Target};
use glam::{DMat3, DMat4, DQuat, DVec3};
use std::collections::{HashMap, HashSet};

/// Treatment of animation sets and keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XKeys {
    /// One timeline for all sets. Keys replace the matrix of their frame.
    OneTimeline,
    /// Each key is a sample. Samples are spaced by the mean distance of keys.
    Samples,
    /// No keys: nothing moves.
    None,
}

/// Treatment of the matrices of the frames around a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XFrames {
    /// All count.
    All,
    /// The outermost and the innermost count.
    Ends,
    /// The outer ones are forgotten after the first child of their frame.
    FirstChild,
}

/// Playback rules of `.x` files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct XPlayback {
    /// Frames per second. One frame is one tick.
    pub rate: u32,
    /// True if the file's `AnimTicksPerSecond` replaces that rate.
    pub uses_file_rate: bool,
    /// Weights kept of each vertex, divided by their sum.
    pub kept: KeptWeights,
    /// Treatment of keys.
    pub keys: XKeys,
    /// Treatment of the matrices of frames.
    pub frames: XFrames,
    /// True if a mesh without `XSkinMeshHeader` is shown without its skin.
    pub needs_skin_header: bool,
    /// True if a bone whose offset is the identity gets the inverse of its frame's matrix at rest.
    pub computes_offsets: bool,
}

const IDENTITY: Matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// A key: time in ticks, and values.
type Key<const N: usize> = (f64, [f64; N]);

/// Keys of a joint in file order.
#[derive(Default)]
struct Channels {
    rotation: Vec<Key<4>>,
    scale: Vec<Key<3>>,
    position: Vec<Key<3>>,
}

impl XPlayback {
    /// Reduces a document to the parts that the engine keeps.
    pub fn hold(&self, document: &mut Document<'_>) {
        for mesh in &mut document.meshes {
            if self.kept == KeptWeights::None || self.needs_skin_header && mesh.skin_header.is_none() {
                (mesh.skin_weights, mesh.skin_header) = (Vec::new(), None);
            }
            self.keep_weights(mesh.skin_weights.iter_mut().map(|skin| &mut skin.weights).collect());
        }
        match self.keys {
            XKeys::OneTimeline => {
                merge_sets(document);
                share_offsets(document);
                if self.computes_offsets {
                    irrlicht::compute_offsets(document);
                }
                document.meshes.iter_mut().for_each(irrlicht::copy_shared_vertices);
                leave_loose_vertices(document);
            }
            XKeys::Samples => panda::hold(document),
            XKeys::None => {
                document.animation_sets.clear();
                document.loose_animations.clear();
            }
        }
        match self.frames {
            XFrames::All => {}
            XFrames::Ends => openbve::keep_ends(document),
            XFrames::FirstChild => openbve::forget_matrices(document),
        }
    }

    /// Ticks per second at which the engine plays.
    pub fn ticks_per_second(&self, document: &Document<'_>) -> f64 {
        let written = document.ticks_per_second.last().filter(|rate| self.uses_file_rate && rate.value > 0);
        written.map_or(f64::from(self.rate), |rate| rate.value as f64)
    }

    /// Drops non-positive weights and all but the strongest of a vertex, and divides the others by their sum.
    fn keep_weights(&self, mut bones: Vec<&mut Vec<(u32, f64)>>) {
        let mut by_vertex: HashMap<u32, Vec<(usize, usize, f64)>> = HashMap::new();
        for (bone, weights) in bones.iter_mut().enumerate() {
            weights.retain(|&(_, weight)| weight > 0.0);
            for (place, &(vertex, weight)) in weights.iter().enumerate() {
                by_vertex.entry(vertex).or_default().push((bone, place, weight));
            }
        }
        for weights in by_vertex.values() {
            let kept = self.strongest(weights);
            let sum: f64 = kept.iter().map(|&(.., weight)| weight).sum();
            for &(bone, place, weight) in weights {
                let is_kept = kept.iter().any(|&(known, at, _)| (known, at) == (bone, place));
                let slot = bones.get_mut(bone).and_then(|weights| weights.get_mut(place));
                if let Some((_, kept)) = slot {
                    *kept = if is_kept { weight / sum } else { 0.0 };
                }
            }
        }
        bones.iter_mut().for_each(|weights| weights.retain(|&(_, weight)| weight > 0.0));
    }

    /// Returns the weights that fit into the engine's slots. Each further one replaces the weakest, unless it is weaker
    /// still.
    fn strongest(&self, weights: &[(usize, usize, f64)]) -> Vec<(usize, usize, f64)> {
        let count = match self.kept {
            KeptWeights::Slots(count) => count,
            _ => return weights.to_vec(),
        };
        let mut kept: Vec<(usize, usize, f64)> = Vec::with_capacity(count);
        for &weight in weights {
            if kept.len() < count {
                kept.push(weight);
                continue;
            }
            let weakest = kept.iter_mut().reduce(|least, next| if next.2 < least.2 { next } else { least });
            if let Some(weakest) = weakest.filter(|weakest| weakest.2 <= weight.2) {
                *weakest = weight;
            }
        }
        kept
    }
}

/// Moves a use of a mesh to a frame of its own, which has a matrix.
fn place(document: &mut Document<'_>, number: usize, matrix: Matrix) {
    if let Some(used) = document.mesh_uses.get_mut(number) {
        used.frame = Some(document.frames.len());
        document.frames.push(Frame { name: None, parent: None, matrices: vec![matrix], span: Span::default() });
    }
}

/// Leaves vertices without weights of skinned meshes in mesh space: the meshes' frames do not move them.
fn leave_loose_vertices(document: &mut Document<'_>) {
    for number in 0..document.mesh_uses.len() {
        let mesh = document.mesh_uses.get(number).and_then(|used| document.meshes.get(used.mesh));
        let has_loose = |mesh: &Mesh<'_>| bound_vertices(mesh).len() < mesh.vertices.len();
        if mesh.is_some_and(|mesh| !mesh.skin_weights.is_empty() && has_loose(mesh)) {
            place(document, number, IDENTITY);
        }
    }
}

/// Returns the vertices that have weights.
fn bound_vertices(mesh: &Mesh<'_>) -> HashSet<u32> {
    mesh.skin_weights.iter().flat_map(|skin| &skin.weights).map(|&(vertex, _)| vertex).collect()
}

/// Product of two matrices: `first`, then `then` is applied to row vectors.
fn times(first: &Matrix, then: &Matrix) -> Matrix {
    // Read by columns, they are the transposes, whose product has the other order.
    (DMat4::from_cols_array(then) * DMat4::from_cols_array(first)).to_cols_array()
}

/// Gives all bones of the same name the offset of the last one.
fn share_offsets(document: &mut Document<'_>) {
    let skins = || document.meshes.iter().flat_map(|mesh| &mesh.skin_weights);
    let last: HashMap<Vec<u8>, Matrix> = skins().map(|skin| (skin.bone.bytes.to_vec(), skin.matrix_offset)).collect();
    for skin in document.meshes.iter_mut().flat_map(|mesh| &mut mesh.skin_weights) {
        if let Some(offset) = last.get(&*skin.bone.bytes) {
            skin.matrix_offset = *offset;
        }
    }
}

/// Merges all keys of a frame into one animation of one set. Animations outside of sets are ignored.
fn merge_sets(document: &mut Document<'_>) {
    document.loose_animations.clear();
    let mut sets = std::mem::take(&mut document.animation_sets).into_iter();
    let Some(first) = sets.next() else { return };
    let AnimationSet { name, animations, span } = first;
    let mut frames: Vec<(Target<'_>, Channels)> = Vec::new();
    let mut known: HashMap<Vec<u8>, usize> = HashMap::new();
    for animation in animations.into_iter().chain(sets.flat_map(|set| set.animations)) {
        let Animation { target: Some(target), keys, .. } = animation else { continue };
        let place = *known.entry(target.name.bytes.to_vec()).or_insert_with(|| {
            frames.push((target, Channels::default()));
            frames.len() - 1
        });
        if let Some((_, channels)) = frames.get_mut(place) {
            keys.iter().for_each(|keys| channels.append(keys));
        }
    }
    let animations = frames.into_iter().filter_map(|(target, channels)| channels.animation(target)).collect();
    document.animation_sets = vec![AnimationSet { name, animations, span }];
}

impl Channels {
    fn append(&mut self, keys: &AnimationKey) {
        let times = keys.times.iter().copied();
        match keys.kind {
            KeyKind::Rotation => self.rotation.extend(times.zip(keys.values.vectors().iter())),
            KeyKind::Scale => self.scale.extend(times.zip(keys.values.vectors().iter())),
            KeyKind::Position => self.position.extend(times.zip(keys.values.vectors().iter())),
            KeyKind::Matrix => {
                for (time, matrix) in times.zip(keys.values.vectors::<16>().iter()) {
                    self.rotation.push((time, rotation_of(&matrix)));
                    self.position.push((time, [matrix[12], matrix[13], matrix[14]]));
                }
            }
        }
    }

    /// Converts the keys to an animation with values for every channel: 0 for channels without keys, 1 for scale.
    /// `None` if there are no keys at all.
    fn animation(self, target: Target<'_>) -> Option<Animation<'_>> {
        let Self { rotation, scale, position } = self;
        let first =
            [rotation.first().map(|key| key.0), scale.first().map(|key| key.0), position.first().map(|key| key.0)];
        let first = first.into_iter().flatten().reduce(f64::min)?.max(0.0);
        let keys = vec![
            list(KeyKind::Rotation, rotation, (first, [1.0, 0.0, 0.0, 0.0])),
            list(KeyKind::Scale, scale, (first, [1.0; 3])),
            list(KeyKind::Position, position, (first, [0.0; 3])),
        ];
        Some(Animation { name: None, target: Some(target), keys, options: None, span: Span::default() })
    }
}

/// Returns keys with rising times: a key that is not later than the one before is dropped. A negative time is read as
/// one above 4,294,000,000, so no later key is played.
fn list<const N: usize>(kind: KeyKind, keys: Vec<Key<N>>, otherwise: Key<N>) -> AnimationKey {
    let mut kept: Vec<Key<N>> = Vec::with_capacity(keys.len().max(1));
    for key in keys {
        if key.0 < 0.0 {
            if kept.is_empty() {
                kept.push((0.0, key.1));
            }
            break;
        }
        if kept.last().is_none_or(|last| key.0 > last.0) {
            kept.push(key);
        }
    }
    if kept.is_empty() {
        kept.push(otherwise);
    }
    let times = kept.iter().map(|&(time, _)| time).collect();
    let values: Vec<f64> = kept.into_iter().flat_map(|(_, values)| values).collect();
    AnimationKey { kind, times, values: values.into(), span: Span::default() }
}

/// Returns the rotation key of a matrix key: the quaternion of its elements, including scale, normalised.
fn rotation_of(matrix: &Matrix) -> [f64; 4] {
    let column = |start: usize| DVec3::new(matrix[start], matrix[start + 1], matrix[start + 2]);
    let unscaled = DMat3::from_cols(column(0), column(4), column(8));
    let DQuat { x, y, z, w } = quaternion_of_elements(&unscaled);
    // Keys store the conjugate.
    [w, -x, -y, -z]
}

/// Returns the quaternion of a rotation matrix. The formula is used unchanged for a matrix with scale.
fn quaternion_of_elements(matrix: &DMat3) -> DQuat {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let four = match () {
        () if x.x + y.y + z.z + 1.0 > 0.0 => {
            let double = (x.x + y.y + z.z + 1.0).sqrt() * 2.0;
            [(y.z - z.y) / double, (z.x - x.z) / double, (x.y - y.x) / double, double / 4.0]
        }
        () if x.x > y.y && x.x > z.z => {
            let double = (1.0 + x.x - y.y - z.z).sqrt() * 2.0;
            [double / 4.0, (x.y + y.x) / double, (z.x + x.z) / double, (y.z - z.y) / double]
        }
        () if y.y > z.z => {
            let double = (1.0 + y.y - x.x - z.z).sqrt() * 2.0;
            [(x.y + y.x) / double, double / 4.0, (y.z + z.y) / double, (z.x - x.z) / double]
        }
        () => {
            let double = (1.0 + z.z - x.x - y.y).sqrt() * 2.0;
            [(z.x + x.z) / double, (y.z + z.y) / double, double / 4.0, (x.y - y.x) / double]
        }
    };
    let unit = DQuat::from_array(four).normalize();
    if unit.is_finite() { unit } else { DQuat::IDENTITY }
}
