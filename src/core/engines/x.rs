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

#[cfg(test)]
mod tests {
    use crate::engines::{Engine, Shown};
    use crate::load::{LoadOptions, Loaded, PlaybackRequest, load_bytes};
    use crate::model::surface::Sides;
    use crate::model::{Clip, JointTracks, Model, NamedImage};
    use glam::DVec3;
    use std::sync::Arc;

    const MESH: &str = "Mesh m { 3; 0.0;0.0;0.0;, 1.0;0.0;0.0;, 0.0;1.0;0.0;; 1; 3;0,1,2;; }";

    /// Returns a frame at (0, 2, 0) with a triangle whose vertex 1 is at (1, 0, 0), and the given animation sets.
    fn moved(sets: &str) -> String {
        let matrix = "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,2.0,0.0,1.0";
        format!("xof 0303txt 0032\nFrame f {{ FrameTransformMatrix {{ {matrix};; }} {MESH} }}\n{sets}")
    }

    fn set(keys: &str) -> String {
        format!("AnimationSet {{ Animation {{ {{f}} {keys} }} }}\n")
    }

    fn load(engine: &str, text: &str) -> Loaded {
        let playback = PlaybackRequest { engine: Some(Engine::find(engine).unwrap()), ..PlaybackRequest::default() };
        let options = LoadOptions { playback, ..LoadOptions::default() };
        load_bytes(vec![("a.x".into(), text.as_bytes().to_vec())], &options).unwrap()
    }

    /// Returns the position of vertex 1 at a tick, in the axes of the file.
    fn at(engine: &str, text: &str, tick: f64) -> DVec3 {
        vertex_1(&load(engine, text).model, tick)
    }

    /// Works as [`at`], for ticks shorter than a frame.
    fn at_ticks(engine: &str, text: &str, tick: f64, rate: f64) -> DVec3 {
        let mut model = Arc::unwrap_or_clone(load(engine, text).model);
        model.clips[0].frame_rate = Some(rate);
        vertex_1(&model, tick)
    }

    fn vertex_1(model: &Model, frame: f64) -> DVec3 {
        each_vertex_1(model, frame)[0]
    }

    /// Vertex 1 of each mesh, in the axes of the file.
    fn each_vertex_1(model: &Model, frame: f64) -> Vec<DVec3> {
        let mut shown = Shown::new(model, &model.clips[0], None).unwrap();
        let mut positions = Vec::new();
        shown.positions(frame, &mut positions);
        let sources = model.meshes.iter().flat_map(|mesh| &mesh.source_vertices);
        let wanted = sources.zip(positions).filter(|&(&vertex, _)| vertex == 1);
        wanted.map(|(_, DVec3 { x, y, z })| DVec3::new(x, z, y)).collect()
    }

    /// Compares with positions at ticks 0, 5, 10, 15 and 20, as recorded from the running programs.
    fn assert_path(text: &str, expected: [(f64, f64, f64); 5]) {
        for engine in ["luanti", "luanti-5.16", "irrlicht"] {
            for (tick, (x, y, z)) in [0.0, 5.0, 10.0, 15.0, 20.0].into_iter().zip(expected) {
                let found = at(engine, text, tick);
                assert!(found.distance(DVec3::new(x, y, z)) < 1e-3, "{engine} at {tick}: {found}");
            }
        }
    }

    const TO_FOUR: &str = "AnimationKey { 2;2; 0;3;0.0,0.0,0.0;;, 20;3;4.0,0.0,0.0;;; }";

    /// Luanti's entities, Irrlicht, Direct3D, OpenBVE and Panda3D cull the backs of triangles by default.
    #[test]
    fn backs_of_triangles_are_culled_for_engines_only() {
        let sides = |loaded: Loaded| loaded.model.materials[0].plain_surface(0, NamedImage::Missing).sides;
        for engine in ["luanti", "luanti-5.16", "irrlicht", "openbve", "openbve-assimp", "wine-d3dx9", "panda3d"] {
            assert_eq!(sides(load(engine, &moved(""))), Sides::Front, "{engine}");
        }
        let bytes = moved("").into_bytes();
        let plain = load_bytes(vec![("a.x".into(), bytes)], &LoadOptions::default()).unwrap();
        assert_eq!(sides(plain), Sides::Both);
    }

    #[test]
    fn keys_replace_the_matrix_of_their_frame() {
        let along = [1.0, 2.0, 3.0, 4.0, 5.0].map(|x| (x, 0.0, 0.0));
        assert_path(&moved(&set(TO_FOUR)), along);
        // A quarter turn about z, in the file's convention: cosine and sine of the angle, without the translation.
        let turned = "AnimationKey { 0;2; 0;4;1.0,0.0,0.0,0.0;;, 20;4;0.707107,0.0,0.0,0.707107;;; }";
        let angle = |share: f64| (share * std::f64::consts::FRAC_PI_2).sin_cos();
        let circle = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (angle(share).1, -angle(share).0, 0.0));
        assert_path(&moved(&set(turned)), circle);
    }

    #[test]
    fn matrix_keys_lose_their_scale() {
        let keys = "AnimationKey { 4;2; 0;16;1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,2.0,0.0,1.0;;, \
                    20;16;2.0,0.0,0.0,0.0,0.0,2.0,0.0,0.0,0.0,0.0,2.0,0.0,4.0,2.0,0.0,1.0;;; }";
        assert_path(&moved(&set(keys)), [1.0, 2.0, 3.0, 4.0, 5.0].map(|x| (x, 2.0, 0.0)));
        let turned = keys.replace(
            "2.0,0.0,0.0,0.0,0.0,2.0,0.0,0.0,0.0,0.0,2.0,0.0,4.0",
            "0.0,1.0,0.0,0.0,-1.0,0.0,0.0,0.0,0.0,0.0,1.0,0.0,4.0",
        );
        let path = [(0.0, 0.0), (1.0, 0.25), (2.0, 0.5), (3.0, 0.75), (4.0, 1.0)].map(|(x, share): (f64, f64)| {
            let (sine, cosine) = (share * std::f64::consts::FRAC_PI_2).sin_cos();
            (x + cosine, 2.0 + sine, 0.0)
        });
        assert_path(&moved(&set(&turned)), path);
    }

    #[test]
    fn sets_share_one_timeline() {
        let run = "AnimationKey { 2;2; 0;3;0.0,0.0,0.0;;, 20;3;0.0,0.0,8.0;;; }";
        let both = moved(&(set(TO_FOUR) + &set(run)));
        assert_path(&both, [1.0, 2.0, 3.0, 4.0, 5.0].map(|x| (x, 0.0, 0.0)));
        assert_eq!(load("luanti", &both).model.clips.len(), 1);
        // A key that is not later is dropped.
        let unsorted = "AnimationKey { 2;3; 0;3;0.0,0.0,0.0;;, 20;3;4.0,0.0,0.0;;, 10;3;1.0,0.0,0.0;;; }";
        assert_path(&moved(&set(unsorted)), [1.0, 2.0, 3.0, 4.0, 5.0].map(|x| (x, 0.0, 0.0)));
        // The last key holds.
        assert!(at("luanti", &both, 40.0).distance(DVec3::new(5.0, 0.0, 0.0)) < 1e-3);
    }

    #[test]
    fn the_file_s_rate_is_irrlicht_s_alone() {
        let text = moved(&("AnimTicksPerSecond { 10; }\n".to_owned() + &set(TO_FOUR)));
        let seconds = |engine| load(engine, &text).model.clips[0].duration;
        assert!((seconds("luanti") - 20.0 / 15.0).abs() < 1e-9);
        assert!((seconds("irrlicht") - 2.0).abs() < 1e-9);
    }

    /// Returns the bones at 0, 1, 2, ... along x, all but the last in their bind pose. Their weights are 5, 4, 3, 2 and
    /// 1.
    fn five_bones(offset: &str) -> String {
        let identity = "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0";
        let frames: String = (0..5).map(|bone| format!("Frame b{bone} {{ }} ")).collect();
        let skin = |bone: i32| format!("SkinWeights {{ \"b{bone}\"; 1; 1; {}.0; {identity};; }} ", 5 - bone);
        let skins: String = (0..5).map(skin).collect();
        let mesh = MESH.trim_end_matches('}');
        let again = mesh.replace("Mesh m", "Mesh n");
        let last = format!("SkinWeights {{ \"b0\"; 1; 1; 1.0; {offset};; }} ");
        let keys = "AnimationSet { Animation { {b4} AnimationKey { 2;1; 0;3;100.0,0.0,0.0;;; } } \
                    Animation { {b3} AnimationKey { 2;1; 0;3;14.0,0.0,0.0;;; } } }";
        format!(
            "xof 0303txt 0032\nFrame root {{ {frames} {mesh} XSkinMeshHeader {{ 5; 5; 5; }} {skins} }} \
             {again} XSkinMeshHeader {{ 1; 1; 1; }} {last} }} }}\n{keys}"
        )
    }

    #[test]
    fn the_strongest_weights_are_divided_by_their_sum() {
        let text = five_bones("1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0");
        // Out of 5 + 4 + 3 + 2, the bone with 2 moves by 14. Irrlicht keeps all 15, and the last bone moves by 100.
        assert!(at("luanti", &text, 0.0).distance(DVec3::new(1.0 + 14.0 * 2.0 / 14.0, 0.0, 0.0)) < 1e-3);
        let all = 1.0 + (14.0 * 2.0 + 100.0) / 15.0;
        assert!(at("irrlicht", &text, 0.0).distance(DVec3::new(all, 0.0, 0.0)) < 1e-3);
    }

    #[test]
    fn a_bone_has_one_offset() {
        let text = five_bones("1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,7.0,0.0,0.0,1.0");
        // The first mesh's bone 0 also gets the second one's offset: 5 of 14 parts move by 7.
        let x = 1.0 + 14.0 * 2.0 / 14.0 + 7.0 * 5.0 / 14.0;
        assert!(at("luanti", &text, 0.0).distance(DVec3::new(x, 0.0, 0.0)) < 1e-3);
    }

    /// Returns the position of vertex 1 of a model without clips, in the axes of the file.
    fn still(engine: &str, text: &str) -> DVec3 {
        each_still(engine, text)[0]
    }

    /// As [`still`], for each mesh.
    fn each_still(engine: &str, text: &str) -> Vec<DVec3> {
        let mut model = Arc::unwrap_or_clone(load(engine, text).model);
        assert!(model.clips.is_empty(), "{engine}");
        model.clips.push(Clip { joints: vec![JointTracks::default(); model.skeleton.len()], ..Clip::default() });
        each_vertex_1(&model, 0.0)
    }

    #[test]
    fn programs_without_clips_show_the_frames_at_rest() {
        for engine in ["openbve", "openbve-assimp", "wine-d3dx9"] {
            assert!(still(engine, &moved(&set(TO_FOUR))).distance(DVec3::new(1.0, 2.0, 0.0)) < 1e-6, "{engine}");
        }
        // The skin is ignored, so the frame of the mesh counts. In Wine the bones' positions count.
        let skinned = five_bones("1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,7.0,0.0,0.0,1.0");
        assert!(still("openbve", &skinned).distance(DVec3::X) < 1e-6);
        assert!(still("wine-d3dx9", &skinned).distance(DVec3::X) < 1e-6);
    }

    #[test]
    fn openbve_leaves_out_frames() {
        let frame = |x: i32, inner: &str| {
            let matrix = format!("1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,{x}.0,0.0,0.0,1.0");
            format!("Frame {{ FrameTransformMatrix {{ {matrix};; }} {inner} }} ")
        };
        let nested = frame(10, &frame(100, &frame(1000, MESH)));
        let after_a_frame = frame(10, &frame(100, &(frame(5, "") + &frame(1000, MESH))));
        let after_a_mesh = frame(10, &(frame(100, MESH) + &frame(1000, MESH)));
        let two_roots = frame(10, MESH) + &frame(100, &frame(1000, MESH));
        for (text, own, assimp) in [
            (nested, vec![1111.0], vec![1011.0]),
            (after_a_frame, vec![1011.0], vec![1011.0]),
            (after_a_mesh, vec![111.0, 1001.0], vec![111.0, 1011.0]),
            (two_roots, vec![11.0, 1101.0], vec![11.0, 1001.0]),
        ] {
            for (engine, expected) in [("openbve", own), ("openbve-assimp", assimp)] {
                let found = each_still(engine, &format!("xof 0303txt 0032\n{text}"));
                let found: Vec<f64> = found.into_iter().map(|vertex| vertex.x.round()).collect();
                assert_eq!(found, expected, "{engine} {text}");
            }
        }
    }

    #[test]
    fn wine_s_skins_need_a_header() {
        let skin =
            "SkinWeights { \"b\"; 1; 1; 1.0; 1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,7.0,0.0,0.0,1.0;; } }";
        let mesh = MESH.trim_end_matches('}');
        for (header, x) in [("XSkinMeshHeader { 1; 1; 1; }", 8.0), ("", 1.0)] {
            let found = still("wine-d3dx9", &format!("xof 0303txt 0032\nFrame b {{ }} {mesh} {header} {skin}"));
            assert!(found.distance(DVec3::new(x, 0.0, 0.0)) < 1e-6, "{header} {found}");
        }
    }

    /// Keys 0, 4 and 1 at the ticks 0, 20 and 10 become samples 5 ticks apart, the mean of 20 and -10.
    #[test]
    fn panda_s_keys_are_samples() {
        let unsorted = "AnimationKey { 2;3; 0;3;0.0,0.0,0.0;;, 20;3;4.0,0.0,0.0;;, 10;3;1.0,0.0,0.0;;; }";
        let text = moved(&set(unsorted));
        for (tick, x) in [(0.0, 1.0), (5.0, 5.0), (10.0, 2.0)] {
            assert!(at_ticks("panda3d", &text, tick, 4800.0).distance(DVec3::new(x, 0.0, 0.0)) < 1e-6, "{tick}");
        }
        // Three rotations and two positions: the last position is 0.
        let turns = "AnimationKey { 0;3; 0;4;1.0,0.0,0.0,0.0;;, 10;4;1.0,0.0,0.0,0.0;;, 20;4;1.0,0.0,0.0,0.0;;; }";
        let text = moved(&set(&format!("{turns} {TO_FOUR}")));
        // Mean of 10, 10 and 20 ticks.
        let step = 40.0 / 3.0;
        for (sample, x) in [(0.0, 1.0), (1.0, 5.0), (2.0, 1.0)] {
            let found = at_ticks("panda3d", &text, sample * step, 4800.0);
            assert!(found.distance(DVec3::new(x, 0.0, 0.0)) < 1e-6, "{sample} {found}");
        }
    }

    /// Returns a mesh of two faces in a frame at (0, 2, 0). Vertex 1, at the origin of the mesh, has no weight.
    fn half_bound() -> String {
        let identity = "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0";
        let skin = format!("SkinWeights {{ \"b\"; 3; 0,2,3; 1.0,1.0,1.0; {identity};; }} }}");
        let mesh = MESH.replace("3; 0.0", "4; 5.0;5.0;5.0;, 0.0").replace("1; 3;0,1,2;;", "2; 3;0,1,2;, 3;0,2,3;;");
        let text = moved("").replace(MESH, &(mesh.trim_end_matches('}').to_owned() + &skin));
        text.replace("Frame f {", "Frame b { } Frame f {")
    }

    #[test]
    fn vertices_without_weights() {
        // The mesh's frame moves it only in Direct3D and Panda3D.
        for engine in ["wine-d3dx9", "panda3d"] {
            assert!(still(engine, &half_bound()).distance(DVec3::new(0.0, 2.0, 0.0)) < 1e-6, "{engine}");
        }
        for engine in ["luanti", "luanti-5.16", "irrlicht"] {
            assert!(still(engine, &half_bound()).distance(DVec3::ZERO) < 1e-6, "{engine}");
        }
    }

    /// Irrlicht 1.9 leaves a bone at (0, 2, 0) where it is if its offset is the identity, and moves it by 2 - 3 with
    /// an offset of -3 (run). Luanti always uses the offset.
    #[test]
    fn irrlicht_computes_offsets_that_are_the_identity() {
        let skin = |y: f64| {
            let offset = format!("1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,{y:.1},0.0,1.0");
            format!("{} SkinWeights {{ \"f\"; 3; 0,1,2; 1.0,1.0,1.0; {offset};; }} }}", MESH.trim_end_matches('}'))
        };
        for (engine, offset, y) in [("irrlicht", 0.0, 0.0), ("irrlicht", -3.0, -1.0), ("luanti", 0.0, 2.0)] {
            let text = moved("").replace(MESH, &skin(offset));
            assert!(still(engine, &text).distance(DVec3::new(1.0, y, 0.0)) < 1e-6, "{engine} {offset}");
        }
    }

    /// The second material's face gets copies of vertices 0 and 2, which stay where the mesh is (run, as the others).
    #[test]
    fn vertices_of_two_materials_lose_weights() {
        let identity = "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0";
        let skin = format!("SkinWeights {{ \"f\"; 4; 0,1,2,3; 1.0,1.0,1.0,1.0; {identity};; }} }}");
        let faces = MESH.replace("3; 0.0", "4; 5.0;5.0;5.0;, 0.0").replace("1; 3;0,1,2;;", "2; 3;0,1,2;, 3;0,2,3;;");
        let material = "Material { 1.0;0.0;0.0;1.0;; 0.0; 0.0;0.0;0.0;; 0.0;0.0;0.0;; }";
        let list = format!("MeshMaterialList {{ 2; 2; 0,1;; {material} {material} }}");
        let text = moved("").replace(MESH, &(faces.trim_end_matches('}').to_owned() + &list + &skin));
        let heights = |engine| -> Vec<f32> {
            let mut model = Arc::unwrap_or_clone(load(engine, &text).model);
            model.clips.push(Clip { joints: vec![JointTracks::default(); model.skeleton.len()], ..Clip::default() });
            let mut shown = Shown::new(&model, &model.clips[0], None).unwrap();
            let mut positions = Vec::new();
            shown.positions(0.0, &mut positions);
            let mut heights: Vec<f32> = positions.iter().map(|position| position.z as f32).collect();
            heights.sort_by(f32::total_cmp);
            heights
        };
        assert_eq!(heights("luanti"), [0.0, 2.0, 2.0, 3.0, 5.0, 7.0]);
    }

    #[test]
    fn a_negative_time_is_a_late_one() {
        let early = "AnimationKey { 2;3; -10;3;1.0,0.0,0.0;;, 0;3;2.0,0.0,0.0;;, 10;3;3.0,0.0,0.0;;; }";
        for tick in [0.0, 10.0] {
            assert!(at("luanti", &moved(&set(early)), tick).distance(DVec3::new(2.0, 0.0, 0.0)) < 1e-6, "{tick}");
        }
    }

    #[test]
    fn other_files_are_not_played() {
        let playback = PlaybackRequest { engine: Some(Engine::find("luanti").unwrap()), ..PlaybackRequest::default() };
        let options = LoadOptions { playback, ..LoadOptions::default() };
        let mesh = include_bytes!("../../../tests/cases/md5/base.md5mesh").to_vec();
        let error = load_bytes(vec![("a.md5mesh".into(), mesh)], &options).unwrap_err();
        assert!(error.to_string().contains("plays .x files"), "{error}");
    }
}
