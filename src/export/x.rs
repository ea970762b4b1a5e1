//! DirectX `.x`: text or binary, plain or compressed.
//!
//! The file has a frame for each joint, in the skeleton's order. A mesh that follows one joint with all its weight is
//! in that joint's frame. The others are skinned and are in the first root's frame, so that no frame is added. File
//! space is left-handed with +Y up: `P`, which swaps y and z, maps model space to it, and each joint's own space
//! likewise, so a frame's matrix is `P * local * P` (docs/formats/x.md has the conventions, `import` the reverse
//! conversion).

mod programs;

use crate::influences::simplified_meshes;
use crate::loss::{Loss, NewName, size_of};
use crate::measure::moved_by_clip;
use crate::prepare::{motion_loss, prepare};
use crate::unique::Unique;
use crate::{Error, Front, Output};
use bindpose_core::budget::{Budget, MemoryLimit, grouped};
use bindpose_core::engines::EngineId;
use bindpose_core::import::x::{XImportOptions, import};
use bindpose_core::model::{Clip, JointId, JointTracks, Material, Mesh, Model, Skeleton, Timeline, Track, Transform};
use bindpose_parsers::Span;
use bindpose_parsers::x::{
    self, Animation, AnimationKey, AnimationOptions, AnimationSet, Document, Faces, Frame, KeyKind, Matrix,
    MeshMaterialList, MeshNormals, MeshTextureCoords, MeshUse, MeshVertexColors, Object, Reading, SkinWeights, Target,
    Text, Texture, Tree, XSkinMeshHeader,
};
use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use programs::Needs;
use std::collections::{BTreeMap, HashSet};

pub use bindpose_parsers::x::{BodyFormat, Encoding, FloatSize};
pub use programs::has_one_timeline;

/// Settings of a .x file.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Text or binary, plain or compressed.
    pub encoding: Encoding,
    /// Direction that the model faces; it becomes -Z in the file. `None` keeps all axes as they are.
    pub front: Option<Front>,
    /// Factor of all lengths, positive.
    pub scale: f64,
    /// Ticks per second; `None` chooses a rate with all keys on whole ticks.
    pub ticks_per_second: Option<u32>,
    /// Program that will read the file. Content that it does not read is dropped or an error, and parts that it needs
    /// are added.
    pub engine: Option<EngineId>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            encoding: Encoding::TEXT,
            front: Some(Front::default()),
            scale: 1.0,
            ticks_per_second: None,
            engine: None,
        }
    }
}

/// Direction that models face in this format: -Z in the file.
const FRONT: Front = Front::NegativeY;
/// Tick rates to try until all keys are on whole ticks. D3DX's default comes first.
const TICK_RATES: [u32; 3] = [4800, 705_600, 1_000_000];
/// Largest depth of nested frames; a mesh and its parts need the remaining levels.
const DEEPEST: u32 = x::MAX_DEPTH as u32 - 4;
/// Largest distance of a key from a whole tick, in ticks.
const TICK_TOLERANCE: f64 = 1e-4;

/// `P`: swaps y and z.
const SWAP: DMat3 = DMat3::from_cols(DVec3::X, DVec3::Z, DVec3::Y);

/// Writes a model.
///
/// # Errors
///
/// [`Error`]: neither joints nor triangles, numbers that are not finite, or content that the program does not read.
pub fn write(model: &Model, options: &Options) -> Result<Output, Error> {
    let mut losses = Vec::new();
    let mut model = prepare(model, options.front, FRONT, options.scale, &mut losses)?;
    let depth = model.skeleton.depths().into_iter().max().unwrap_or(0);
    if depth >= DEEPEST {
        return Err(Error::Limit(format!("joints stand {depth} deep; a .x file supports {DEEPEST} levels")));
    }
    // Each joint is a frame with a matrix, each mesh has normals and texture coordinates.
    let objects = 2 * model.skeleton.len() + 3 * model.meshes.len();
    if objects > x::MAX_OBJECTS {
        let counts = [objects, x::MAX_OBJECTS].map(grouped);
        return Err(Error::Limit(format!("at least {} objects; a .x file supports {}", counts[0], counts[1])));
    }
    let size = size_of(&model);
    let simplified = simplified_meshes(&model, None, size, &mut losses);
    let meshes = simplified.into_iter().map(|simplified| simplified.mesh).collect();
    // Only clips are measured.
    let before = Some(std::mem::replace(&mut model.meshes, meshes)).filter(|_| !model.clips.is_empty());
    let needs = Needs::of(options.engine);
    needs.meet(&mut model, options.encoding, &mut losses)?;
    let names = Names::new(&model, needs, &mut losses);
    let ticks = options.ticks_per_second.unwrap_or_else(|| ticks_per_second(&model));
    let document = document(&model, &names, ticks)?;
    let mut bytes = x::write(&document, options.encoding);
    if let Some(before) = before {
        model.meshes = before;
        report_motion(&model, document, size, &mut losses);
    }
    needs.finish(options.encoding, &mut bytes);
    Ok(Output { bytes, beside: Vec::new(), losses })
}

/// Codes of faults that hide a part of a file: its objects are not all that it has.
const HIDING: [&str; 8] = ["XF025", "XF035", "XF042", "XF044", "XF045", "XF046", "XF048", "XF056"];

/// Writes all objects of a file in another encoding, known or not, with their names, references and templates.
///
/// # Errors
///
/// The code of a fault for which the objects cannot all be read.
pub fn encode(bytes: &[u8], encoding: Encoding) -> Result<Output, &'static str> {
    let file = x::unpack(bytes, Reading::Lenient).map_err(|error| error.kind.code())?;
    let parsed = x::parse(&file, Reading::Lenient).map_err(|error| error.kind.code())?;
    if let Some(code) = parsed.warnings.iter().map(|warning| warning.kind.code()).find(|code| HIDING.contains(code)) {
        return Err(code);
    }
    let bytes = x::write_tree(&parsed.tree, Encoding { float_size: file.encoding.float_size, ..encoding });
    let losses = new_names(&parsed.tree, &bytes);
    Ok(Output { bytes, beside: Vec::new(), losses })
}

/// Returns the objects of a `.x` file that are lost if `model`, read from it, is written.
pub fn object_losses(bytes: &[u8], model: &Model) -> Vec<Loss> {
    let Ok(file) = x::unpack(bytes, Reading::Lenient) else { return Vec::new() };
    let Ok(x::Parsed { mut document, tree, .. }) = x::parse(&file, Reading::Lenient) else { return Vec::new() };
    // Models have no effects.
    document.materials.iter_mut().for_each(|material| material.effect = None);
    let type_of = |object: &Object<'_>| object.type_name.bytes.to_ascii_lowercase();
    let carried: HashSet<Vec<u8>> = document.to_tree().all_objects().map(type_of).collect();
    let mut types: BTreeMap<String, usize> = BTreeMap::new();
    for object in tree.all_objects().filter(|object| !carried.contains(&type_of(object))) {
        *types.entry(object.type_name.to_name()).or_default() += 1;
    }
    let types: Vec<String> = types.into_iter().map(|(name, count)| format!("{count} {name}")).collect();
    let lost = (!types.is_empty()).then(|| format!("not written: {}", types.join(", ")));
    let (before, after) = (document.mesh_uses.len(), model.meshes.len());
    let split = (after > before).then(|| {
        let meshes = if before == 1 { "1 mesh is".to_owned() } else { format!("{before} meshes are") };
        format!("{meshes} written as {after}, one for each material")
    });
    lost.into_iter().chain(split).map(|what| Loss::Objects { what }).collect()
}

/// Returns the names that text cannot hold, and their replacements in a written file.
fn new_names(tree: &Tree<'_>, written: &[u8]) -> Vec<Loss> {
    let Ok(file) = x::unpack(written, Reading::Lenient) else { return Vec::new() };
    let Ok(again) = x::parse(&file, Reading::Lenient) else { return Vec::new() };
    let mut changed: BTreeMap<&str, Vec<NewName>> = BTreeMap::new();
    for (before, after) in tree.all_objects().zip(again.tree.all_objects()) {
        let names = [before, after].map(|object| object.name.as_ref().map(Text::to_name));
        let what = match &before.type_name.bytes.to_ascii_lowercase()[..] {
            b"frame" => "joint",
            b"animationset" => "clip",
            _ => "object",
        };
        if let [Some(from), Some(to)] = names
            && from != to
        {
            changed.entry(what).or_default().push(NewName { from, to });
        }
    }
    changed.into_iter().map(|(what, names)| Loss::Renamed { what, names }).collect()
}

/// Imports the document and reports how far its clips deviate from the model's.
fn report_motion(model: &Model, document: Document<'_>, size: f64, losses: &mut Vec<Loss>) {
    let budget = Budget::new(MemoryLimit::NONE);
    let Ok(back) = import(document, &XImportOptions::default(), &budget) else { return };
    let back = back.model;
    for (clip, other) in model.clips.iter().zip(&back.clips) {
        let moved = moved_by_clip(model, clip, &back.skeleton, &back.meshes, other, 1.0);
        losses.extend(motion_loss(&clip.name, moved, size));
    }
}

/// Unique names that every reader accepts: animations find their frames by name.
struct Names {
    joints: Vec<String>,
    meshes: Vec<String>,
    materials: Vec<String>,
    clips: Vec<String>,
}

impl Names {
    /// Creates names of at most the given lengths in bytes.
    fn new(model: &Model, Needs { name_bytes: bytes, material_bytes, .. }: Needs, losses: &mut Vec<Loss>) -> Self {
        let mut joints = Unique::default();
        let mut clips = Unique::default();
        let give_short = |names: &mut Unique, name: &str, bytes| {
            let legal = plain(name, bytes);
            names.add_legal(if is_invented(name) { &legal } else { name }, &legal, bytes)
        };
        let give = |names: &mut Unique, name: &str| give_short(names, name, bytes);
        let joint_names: Vec<String> =
            model.skeleton.joints().iter().map(|joint| give(&mut joints, &joint.name)).collect();
        // Meshes and materials share a scope, and references look for frames there.
        let mut objects = Unique::beside(&joint_names);
        let names = Self {
            joints: joint_names,
            materials: model
                .materials
                .iter()
                .map(|material| give_short(&mut objects, &material.name, material_bytes))
                .collect(),
            meshes: model.meshes.iter().map(|mesh| give(&mut objects, &mesh.name)).collect(),
            clips: model.clips.iter().map(|clip| give(&mut clips, &clip.name)).collect(),
        };
        losses.extend(
            [joints.into_loss("joint"), objects.into_loss("object"), clips.into_loss("clip")].into_iter().flatten(),
        );
        names
    }
}

/// True for the names that importers give to meshes and materials without one, such as `mesh 0`.
fn is_invented(name: &str) -> bool {
    let number = name.strip_prefix("mesh ").or_else(|| name.strip_prefix("material "));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Makes a name valid for D3DX: ASCII letters, digits, `_` and `-`, not beginning with a digit, not a keyword, and at
/// most `bytes` long.
fn plain(name: &str, bytes: usize) -> String {
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect();
    let is_legal = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !x::is_keyword(name.as_bytes());
    let mut name = if is_legal { name } else { format!("_{name}") };
    name.truncate(bytes);
    name
}

fn document<'n>(model: &Model, names: &'n Names, ticks: u32) -> Result<Document<'n>, Error> {
    let text = |name: &'n String| Text::from(name.as_str());
    let mut document = Document::default();
    for (joint, name) in model.skeleton.joints().iter().zip(&names.joints) {
        let matrix = matrix(&swapped(&joint.rest_local.to_affine()));
        if !matrix.iter().all(|part| part.is_finite()) {
            return Err(Error::Numbers(format!(
                "the rest pose of joint '{}' has numbers that are not finite",
                joint.name
            )));
        }
        let parent = joint.parent.map(JointId::index);
        document.frames.push(Frame { name: Some(text(name)), parent, matrices: vec![matrix], span: Span::default() });
    }
    document.materials =
        model.materials.iter().zip(&names.materials).map(|(material, name)| file_material(material, name)).collect();
    let first = model.skeleton.ids().next();
    for ((mesh, name), rigid) in model.meshes.iter().zip(&names.meshes).zip(rigid_meshes(model)) {
        let frame = rigid.or(first).map(JointId::index);
        document.mesh_uses.push(MeshUse { mesh: document.meshes.len(), frame, span: Span::default() });
        document.meshes.push(file_mesh(mesh, name, rigid, model, names)?);
    }
    if !model.clips.is_empty() {
        document.ticks_per_second.push(ticks.into());
    }
    for (clip, name) in model.clips.iter().zip(&names.clips) {
        document.animation_sets.push(animation_set(clip, name, model, names, f64::from(ticks)));
    }
    Ok(document)
}

/// Returns `P * map * P`.
fn swapped(map: &DAffine3) -> DAffine3 {
    DAffine3 { matrix3: SWAP * map.matrix3 * SWAP, translation: SWAP * map.translation }
}

/// Returns the matrix row by row for row vectors, which is column by column for column vectors.
fn matrix(map: &DAffine3) -> Matrix {
    let [x, y, z] = [map.matrix3.x_axis, map.matrix3.y_axis, map.matrix3.z_axis];
    let t = map.translation;
    // Adding zero turns -0 into 0.
    [x.x, x.y, x.z, 0.0, y.x, y.y, y.z, 0.0, z.x, z.y, z.z, 0.0, t.x, t.y, t.z, 1.0].map(|part| part + 0.0)
}

fn file_point(point: Vec3) -> [f64; 3] {
    let point = point.as_dvec3();
    [point.x + 0.0, point.z + 0.0, point.y + 0.0]
}

fn file_material<'n>(material: &Material, name: &'n str) -> x::Material<'n> {
    let texture = material.image_file().map(|texture| Texture {
        kind: "TextureFilename".into(),
        filename: Text { bytes: texture.as_bytes().to_vec().into(), span: Span::default() },
    });
    x::Material {
        name: Some(name.into()),
        face_color: material.diffuse.to_array().map(f64::from),
        power: material.specular_power.into(),
        specular: material.specular.to_array().map(f64::from),
        emissive: material.emissive.to_array().map(f64::from),
        textures: texture.into_iter().collect(),
        effect: None,
        span: Span::default(),
    }
}

/// For each mesh, returns the joint in whose frame it is stored without a skin. Readers visit frames depth first. A
/// mesh whose frame comes after the frame of a later mesh is skinned, to keep the order.
fn rigid_meshes(model: &Model) -> Vec<Option<JointId>> {
    let ranks = depth_first(&model.skeleton);
    let mut next = usize::MAX;
    let mut frames: Vec<Option<JointId>> = Vec::with_capacity(model.meshes.len());
    for mesh in model.meshes.iter().rev() {
        let frame = rigid_joint(mesh).filter(|joint| ranks[joint.index()] <= next);
        next = frame.map_or(0, |joint| ranks[joint.index()]);
        frames.push(frame);
    }
    frames.reverse();
    frames
}

/// Returns the position of each joint in depth-first order.
fn depth_first(skeleton: &Skeleton) -> Vec<usize> {
    // Parents precede their children: sum sizes from the back, assign positions from the front.
    let mut sizes = vec![1; skeleton.len()];
    for index in (0..skeleton.len()).rev() {
        if let Some(parent) = skeleton.joints()[index].parent {
            sizes[parent.index()] += sizes[index];
        }
    }
    let mut ranks = vec![0; skeleton.len()];
    // The position of each joint's next child.
    let mut free = vec![0; skeleton.len()];
    let mut free_root = 0;
    for joint in skeleton.ids() {
        let place = match skeleton[joint].parent {
            Some(parent) => &mut free[parent.index()],
            None => &mut free_root,
        };
        ranks[joint.index()] = *place;
        *place += sizes[joint.index()];
        free[joint.index()] = ranks[joint.index()] + 1;
    }
    ranks
}

/// Returns the joint that moves the whole mesh, if there is one.
fn rigid_joint(mesh: &Mesh) -> Option<JointId> {
    let first = mesh.influences.first()?;
    let is_whole =
        |vertex| matches!(mesh.influences_of(vertex), [only] if only.slot == first.slot && only.weight == 1.0);
    (0..mesh.vertex_count()).all(is_whole).then(|| mesh.bind[first.slot as usize].joint)
}

fn file_mesh<'n>(
    mesh: &Mesh,
    name: &'n str,
    rigid: Option<JointId>,
    model: &Model,
    names: &'n Names,
) -> Result<x::Mesh<'n>, Error> {
    // A rigid mesh is in its frame's space, so its normals are transformed by the inverse bind like its vertices.
    let normal_from_bind = match rigid {
        Some(_) => bindpose_core::model::cofactors(&mesh.bind[mesh.influences[0].slot as usize].inverse_bind.matrix3),
        None => DMat3::IDENTITY,
    };
    let vertices: Vec<[f64; 3]> = match rigid {
        Some(_) => mesh.influences.iter().map(|influence| file_point(influence.offset)).collect(),
        None => mesh.positions.iter().map(|&position| file_point(position)).collect(),
    };
    if !vertices.as_flattened().iter().all(|part| part.is_finite()) {
        return Err(Error::Numbers(format!("the positions of mesh '{}' have numbers that are not finite", mesh.name)));
    }
    let normal = |&normal: &Vec3| file_point((normal_from_bind * normal.as_dvec3()).normalize_or_zero().as_vec3());
    let mut faces = Faces::default();
    // `P` mirrors, so two corners are swapped to make the winding clockwise.
    mesh.triangles.iter().for_each(|&[a, b, c]| faces.push(&[a, c, b]));
    let face_count = mesh.triangles.len();
    let normals =
        MeshNormals { normals: mesh.normals.iter().map(normal).collect(), faces: faces.clone(), span: Span::default() };
    let coords = mesh.uvs.iter().map(|uv| uv.to_array().map(f64::from)).collect();
    let colors = (!mesh.colors.is_empty()).then(|| MeshVertexColors {
        colors: mesh.colors.iter().zip(0..).map(|(color, vertex)| (vertex, color.to_array().map(f64::from))).collect(),
        span: Span::default(),
    });
    let material_list = (mesh.material.index() < model.materials.len()).then(|| MeshMaterialList {
        declared: None,
        materials: vec![mesh.material.index()],
        face_materials: vec![0; face_count],
        span: Span::default(),
    });
    let skin_weights = if rigid.is_some() { Vec::new() } else { skin_weights(mesh, names) };
    Ok(x::Mesh {
        name: Some(name.into()),
        vertices: vertices.into(),
        faces,
        normals: (mesh.normals.len() == mesh.vertex_count()).then_some(normals),
        texture_coords: Some(MeshTextureCoords { coords, span: Span::default() }),
        vertex_colors: colors,
        material_list,
        skin_header: (!skin_weights.is_empty()).then(|| skin_header(mesh, skin_weights.len())),
        skin_weights,
        ..x::Mesh::default()
    })
}

fn skin_weights<'n>(mesh: &Mesh, names: &'n Names) -> Vec<SkinWeights<'n>> {
    let mut bones: Vec<Vec<(u32, f64)>> = vec![Vec::new(); mesh.bind.len()];
    for vertex in 0..mesh.vertex_count() {
        for influence in mesh.influences_of(vertex) {
            bones[influence.slot as usize].push((vertex as u32, influence.weight.into()));
        }
    }
    let used = mesh.bind.iter().zip(bones).filter(|(_, weights)| !weights.is_empty());
    used.map(|(bound, weights)| SkinWeights {
        bone: names.joints[bound.joint.index()].as_str().into(),
        frame: Some(bound.joint.index()),
        weights,
        matrix_offset: matrix(&swapped(&bound.inverse_bind)),
        span: Span::default(),
    })
    .collect()
}

fn skin_header(mesh: &Mesh, bones: usize) -> XSkinMeshHeader {
    let of_vertex = (0..mesh.vertex_count()).map(|vertex| mesh.influences_of(vertex).len()).max().unwrap_or(0);
    let of_face = mesh.triangles.iter().map(|corners| {
        let slots = corners.iter().flat_map(|&corner| mesh.influences_of(corner as usize)).map(|pull| pull.slot);
        slots.collect::<HashSet<u32>>().len()
    });
    let count = |count: usize| (count as u32).into();
    XSkinMeshHeader {
        max_weights_per_vertex: count(of_vertex),
        max_weights_per_face: count(of_face.max().unwrap_or(0)),
        bones: count(bones),
        span: Span::default(),
    }
}

/// Returns the first rate with all keys on whole ticks.
fn ticks_per_second(model: &Model) -> u32 {
    let is_whole = |time: &f64, rate: u32| {
        let tick = time * f64::from(rate);
        (tick - tick.round()).abs() < TICK_TOLERANCE
    };
    let times = || model.clips.iter().flat_map(|clip| &clip.timelines).flat_map(|timeline| timeline.times());
    let fits = |&rate: &u32| times().all(|time| is_whole(time, rate));
    let [own, ..] = TICK_RATES;
    // Frame rates that divide no usual rate: 4800 ticks per frame.
    let by_clip =
        model.clips.iter().filter_map(|clip| clip.frame_rate).map(|rate| (rate.round() as u32).clamp(1, 1000) * own);
    std::iter::once(own).chain(by_clip).chain(TICK_RATES).find(fits).unwrap_or(TICK_RATES[2])
}

fn animation_set<'n>(clip: &Clip, name: &'n str, model: &Model, names: &'n Names, ticks: f64) -> AnimationSet<'n> {
    let mut animations = Vec::new();
    let last = (clip.duration * ticks).round();
    let mut end = 0.0_f64;
    for (joint, (tracks, name)) in model.skeleton.ids().zip(clip.joints.iter().zip(&names.joints)) {
        let keys = Keys { timelines: &clip.timelines, ticks };
        let keys = keys.of(tracks);
        if keys.is_empty() {
            continue;
        }
        end = keys.iter().flat_map(|keys| &keys.times).copied().fold(end, f64::max);
        animations.push(animation(joint, name, keys, clip));
    }
    // One track has to last as long as the clip.
    if animations.is_empty() || end < last {
        let root = model.skeleton.ids().next();
        if let Some((root, name)) = root.zip(names.joints.first()) {
            let known = animations
                .iter_mut()
                .find(|known| known.target.as_ref().is_some_and(|target| target.frame == Some(root.index())));
            match known.and_then(|known| known.keys.first_mut()) {
                Some(keys) => {
                    let width = keys.kind.width();
                    let mut values: Vec<f64> = keys.values.iter().collect();
                    values.extend_from_within(values.len() - width..);
                    keys.times.push(last);
                    keys.values = values.into();
                }
                None => {
                    let rest = SWAP * model.skeleton[root].rest_local.translation;
                    let times = if last > 0.0 { vec![0.0, last] } else { vec![0.0] };
                    let values = times.iter().flat_map(|_| rest.to_array()).collect::<Vec<_>>().into();
                    let keys = AnimationKey { kind: KeyKind::Position, times, values, span: Span::default() };
                    animations.push(animation(root, name, vec![keys], clip));
                }
            }
        }
    }
    AnimationSet { name: Some(name.into()), animations, span: Span::default() }
}

fn animation<'n>(joint: JointId, name: &'n str, keys: Vec<AnimationKey>, clip: &Clip) -> Animation<'n> {
    let options = AnimationOptions { open_closed: u32::from(!clip.looping).into(), position_quality: 1.into() };
    Animation {
        name: None,
        target: Some(Target { name: name.into(), frame: Some(joint.index()) }),
        keys,
        options: Some(options),
        span: Span::default(),
    }
}

struct Keys<'a> {
    timelines: &'a [Timeline],
    ticks: f64,
}

impl Keys<'_> {
    fn of(&self, tracks: &JointTracks) -> Vec<AnimationKey> {
        match tracks {
            JointTracks::Parts { translation, rotation, scale } => {
                // The file has w first, and the conjugate of the rotation for column vectors.
                let rotated = |q: &DQuat| vec![q.w, q.x, q.z, q.y];
                let rotation = rotation.as_ref().and_then(|track| self.list(track, KeyKind::Rotation, rotated));
                let scaled = |scale: &DVec3| (SWAP * *scale).to_array().to_vec();
                let scale = scale.as_ref().and_then(|track| self.list(track, KeyKind::Scale, scaled));
                let translation = translation.as_ref().and_then(|track| self.list(track, KeyKind::Position, scaled));
                [rotation, scale, translation].into_iter().flatten().collect()
            }
            JointTracks::Whole { keys, .. } => {
                let whole = |key: &Transform| matrix(&swapped(&key.to_affine())).to_vec();
                self.list(keys, KeyKind::Matrix, whole).into_iter().collect()
            }
        }
    }

    /// Creates a list of keys on whole ticks. Of several keys on one tick, the last one wins.
    fn list<T>(&self, track: &Track<T>, kind: KeyKind, value: impl Fn(&T) -> Vec<f64>) -> Option<AnimationKey> {
        let list = |times, values: Vec<f64>| AnimationKey { kind, times, values: values.into(), span: Span::default() };
        if let [constant] = &track.values[..] {
            return Some(list(vec![0.0], value(constant)));
        }
        let (mut ticks, mut values) = (Vec::new(), Vec::new());
        let times = self.timelines.get(track.timeline.0 as usize)?.times();
        for (time, key) in times.iter().zip(&track.values) {
            let tick = (time * self.ticks).round().max(0.0);
            if ticks.last() == Some(&tick) {
                values.truncate(values.len() - kind.width());
                ticks.pop();
            }
            ticks.push(tick);
            values.extend(value(key).into_iter().map(|part| part + 0.0));
        }
        (!ticks.is_empty()).then(|| list(ticks, values))
    }
}
