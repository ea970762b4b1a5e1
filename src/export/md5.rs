//! `.md5mesh` and `.md5anim` files.
//!
//! Mesh and clips have the same joints in the same order. The mesh's joints are the bind pose. Every clip stores all
//! six components of every joint in every frame, so that engines which ignore the base frame play the same. Decimals
//! are chosen so that biases sum to one, and so that quaternions, whose w is not in the file, round-trip.

mod names;
mod replacement;
mod rigid;
mod scale;
mod weights;

pub(crate) use replacement::arranged;

use crate::frames::{Frames, points, sampled};
use crate::influences::report;
use crate::loss::{Loss, size_of};
use crate::measure::moved_by_clip;
use crate::prepare::{motion_loss, prepare};
use crate::unique::Unique;
use crate::{Error, Front, NamedFile, Output, file_name};
use bindpose_core::model::{Influence, Material, Mesh, Model, Transform, bounds_of};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model};
use bindpose_parsers::Span;
use bindpose_parsers::md5::{
    self, AnimFile, Bounds, Channel, Frame, Int, Joint, JointPose, MeshFile, Text, Tri, Vert, Weight,
};
use bindpose_parsers::quake::VertexModel;
use glam::{DQuat, DVec3, Vec4};
use std::collections::HashMap;

/// Settings of MD5 files.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Direction that the model faces; it becomes +X in the file. `None` keeps all axes as they are.
    pub front: Option<Front>,
    /// Factor of all lengths, positive.
    pub scale: f64,
    /// Largest number of weights per vertex; the smallest are dropped. `None` keeps all.
    pub influences: Option<usize>,
    /// Longest name of a joint, in bytes; `None` for no limit.
    pub name_bytes: Option<usize>,
    /// Name of a joint to add above all others.
    pub root: Option<String>,
    /// Adds a joint `origin` above several roots.
    pub one_root: bool,
    /// Frames per second of all clips; `None` keeps each clip's own.
    pub frame_rate: Option<f64>,
    /// Drops the last frame of a repeating clip if it equals the first. The Quake engines interpolate from the last
    /// frame to the first by themselves.
    pub open_loops: bool,
    /// Game whose naming rules apply.
    pub game: Game,
    /// Writes changing scales of joints to a `.md5scale` next to the clip; otherwise they are an error.
    pub scales: bool,
    /// Model to replace. The clips are joined into one with its frames.
    pub replaces: Option<VertexModel>,
    /// Frame groups of the old model, such as `attackb`, with the clip for each, where their names differ.
    pub groups: Vec<(String, String)>,
    /// Merges vertices with equal texture coordinates and weights: MD5 has no normals that could differ.
    pub weld: bool,
    /// Name of the files without extension.
    pub stem: String,
}

/// Rules for names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Game {
    /// Any number of clips. A mesh's shader is a material, a path without extension.
    #[default]
    Doom3,
    /// A single clip has the mesh's name. Shaders are the model's own name, or with several materials the textures'
    /// names without folders: the engines look for `progs/SHADER_00_00`.
    Quake,
    /// A single clip has the mesh's name. Engines use the skins of the `.md2`.
    Quake2,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            front: Some(Front::default()),
            scale: 1.0,
            influences: None,
            name_bytes: None,
            root: None,
            one_root: true,
            frame_rate: None,
            open_loops: false,
            game: Game::default(),
            scales: false,
            replaces: None,
            groups: Vec::new(),
            weld: false,
            stem: "model".into(),
        }
    }
}

/// Direction that models face in this format.
const FRONT: Front = Front::PositiveX;

/// Writes a model: the `.md5mesh`, and a `.md5anim` for each clip.
///
/// # Errors
///
/// [`Error`]: neither joints nor triangles, joints whose scale changes, too many frames, or numbers that are not
/// finite.
pub fn write(model: &Model, options: &Options) -> Result<Output, Error> {
    let mut losses = Vec::new();
    let mut model = prepare(model, options.front, FRONT, options.scale, &mut losses)?;
    let size = size_of(&model);
    names::rename(&mut model, options, &mut losses);
    let reduced = weights::reduced(&model, options.influences);
    report(&model, &reduced, size, &mut losses);
    model.meshes = reduced.into_iter().map(|reduced| reduced.mesh).collect();
    let rigid = rigid::baked(&mut model)?;
    let mut clips = Vec::new();
    for clip in &model.clips {
        let sampled = sampled(&model, clip, options.frame_rate, &clips, &mut losses)?;
        let frames = rigid.frames(&model, sampled, options.scales, &mut losses)?;
        let Model { skeleton, meshes, .. } = &rigid.model;
        let moved = moved_by_clip(&model, clip, skeleton, meshes, &frames.to_clip(skeleton), 1.0);
        losses.extend(motion_loss(&clip.name, moved, size));
        clips.push(frames);
    }
    arrange(&mut clips, &rigid.model, options, &mut losses)?;
    not_carried(&rigid.model, &mut losses);
    if !rigid.is_finite() {
        return Err(Error::Numbers("the model has numbers that are not finite".into()));
    }
    let print = Print::new(size);
    let bytes = mesh_file(&rigid.model, options, &print, &mut losses)?;
    let mut taken = Unique::of_files();
    let mut beside = Vec::new();
    for clip in &clips {
        let name = taken.add_legal(&clip.name, &file_name(&clip.name), usize::MAX);
        let bytes = anim_file(&rigid.model, clip, &print)?;
        beside.push(NamedFile { name: format!("{name}.md5anim"), bytes });
        if let Some(bytes) = scale::file(&rigid.model.skeleton, clip)? {
            beside.push(NamedFile { name: format!("{name}.md5scale"), bytes });
        }
    }
    losses.extend(taken.into_loss("clip"));
    Ok(Output { bytes, beside, losses })
}

/// Cuts, joins and names clips as the game needs them.
fn arrange(clips: &mut Vec<Frames>, model: &Model, options: &Options, losses: &mut Vec<Loss>) -> Result<(), Error> {
    if options.open_loops {
        clips.iter_mut().for_each(Frames::open_loop);
    }
    if let Some(old) = &options.replaces {
        let bind: Vec<Transform> = model.skeleton.joints().iter().map(|joint| joint.rest_local).collect();
        let (bind, taken) = (LocalPose(bind), std::mem::take(clips));
        let whole = arranged(old, taken, &bind, &options.stem, &options.groups, losses)?;
        *clips = vec![whole];
    }
    if let (Game::Quake | Game::Quake2, [only]) = (options.game, &mut clips[..]) {
        // The engines look for a clip named after the mesh.
        only.name.clone_from(&options.stem);
    }
    Ok(())
}

/// Returns the shader names of meshes, one for each of the model's materials.
pub fn shaders(model: &Model, options: &Options) -> Vec<String> {
    names::shaders(model, options)
}

/// Reports content that MD5 cannot represent.
fn not_carried(model: &Model, losses: &mut Vec<Loss>) {
    let coloured = model.meshes.iter().filter(|mesh| !mesh.colors.is_empty()).count();
    if coloured > 0 {
        losses.push(Loss::NotCarried { what: format!("the vertex colours of {coloured} of its meshes") });
    }
    let plain = Material::neutral("");
    let looks = |material: &&Material| {
        ![plain.diffuse, Vec4::ONE].contains(&material.diffuse)
            || (material.specular_power, material.emissive) != (plain.specular_power, plain.emissive)
    };
    let coloured = model.materials.iter().filter(looks).count();
    if coloured > 0 {
        let what =
            format!("the colours and highlights of {coloured} of its materials; engines take them from the shader");
        losses.push(Loss::NotCarried { what });
    }
    let mut other = 0;
    for mesh in &model.meshes {
        let computed = bindpose_core::import::shading::normals(&mesh.positions, &mesh.triangles);
        // The limit is six degrees. Smaller differences come from different ways to sum normals.
        other += mesh.normals.iter().zip(&computed).filter(|(own, made)| own.dot(**made) < 0.9945).count();
    }
    if other > 0 {
        let what = format!("normals; those of {other} vertices will be more than 6 degrees off when they are computed");
        losses.push(Loss::NotCarried { what });
    }
}

/// Format of printed numbers.
struct Print {
    decimals: i32,
}

impl Print {
    /// Chooses the decimals so that the step is a thousand-millionth of a size.
    fn new(size: f64) -> Self {
        let digits = if size > 0.0 { size.log10().floor() as i32 } else { 0 };
        Self { decimals: (9 - digits).clamp(4, 12) }
    }

    fn length(&self, value: f64) -> f64 {
        rounded(value, self.decimals)
    }

    fn lengths(&self, value: DVec3) -> [f64; 3] {
        value.to_array().map(|part| self.length(part))
    }

    /// Returns x, y and z of the file's quaternion with the fewest decimals that reproduce it.
    fn rotation(&self, rotation: DQuat) -> [f64; 3] {
        // Readers reconstruct w as negative or 0.
        let file = if rotation.w > 0.0 { -rotation } else { rotation };
        let exact = [file.x, file.y, file.z];
        let back = |xyz: [f64; 3]| bindpose_core::import::md5::rotation(xyz).0;
        let fits = |xyz: &[f64; 3]| {
            let difference = back(*xyz) - file;
            xyz.iter().map(|part| part * part).sum::<f64>() <= 1.0 && difference.length() < 3e-8
        };
        let candidates = [8, 10, 12, 14].map(|decimals| exact.map(|part| rounded(part, decimals)));
        candidates.into_iter().find(fits).unwrap_or(exact)
    }
}

fn rounded(value: f64, decimals: i32) -> f64 {
    // Parsing the text gives the f64 nearest to the decimal; adding zero turns -0 into 0.
    format!("{value:.*}", decimals.max(0) as usize).parse::<f64>().unwrap_or(value) + 0.0
}

fn count(number: usize) -> Int {
    Int { value: number as i64, span: Span::default() }
}

fn parent_number(parent: Option<bindpose_core::model::JointId>) -> Int {
    Int { value: parent.map_or(-1, |parent| parent.index() as i64), span: Span::default() }
}

/// Version of the format.
const VERSION: u32 = 10;

fn mesh_file(model: &Model, options: &Options, print: &Print, losses: &mut Vec<Loss>) -> Result<Vec<u8>, Error> {
    let bind = LocalPose::rest(&model.skeleton).to_model(&model.skeleton);
    let joints = model.skeleton.joints().iter().zip(&bind.0);
    let joints: Vec<Joint<'_>> = joints
        .map(|(joint, place)| Joint {
            name: joint.name.as_str().into(),
            parent: parent_number(joint.parent),
            position: print.lengths(place.translation),
            rotation: print.rotation(DQuat::from_mat3(&place.matrix3).normalize()),
            span: Span::default(),
        })
        .collect();
    let shaders = shaders(model, options);
    let shader = |mesh: &Mesh| shaders.get(mesh.material.index()).map_or("", String::as_str);
    let file = MeshFile {
        version: Some(VERSION.into()),
        command_line: Some("".into()),
        num_joints: count(joints.len()),
        num_meshes: count(model.meshes.len()),
        joints,
        meshes: Vec::new(),
    };
    let failed = |error: std::io::Error| Error::Writer(error.to_string());
    let mut bytes = Vec::new();
    md5::write_mesh(&file, &mut bytes).map_err(failed)?;
    // One after the other: a block takes several times the memory of its text.
    for mesh in &model.meshes {
        let block = mesh_block(mesh, shader(mesh), options.weld, print, losses);
        md5::write_block(&block, &mut bytes).map_err(failed)?;
    }
    Ok(bytes)
}

/// For each vertex, returns the first vertex that it is merged with in the file: with `weld` an equal one, otherwise
/// the vertex that import copied for shading.
fn originals(mesh: &Mesh, weld: bool) -> Vec<u32> {
    if !weld && mesh.source_vertices.is_empty() {
        return (0..mesh.vertex_count() as u32).collect();
    }
    let mut known = HashMap::new();
    (0..mesh.vertex_count())
        .map(|vertex| {
            let bits = |parts: &[f32]| -> Vec<u32> { parts.iter().map(|part| (part + 0.0).to_bits()).collect() };
            let uv = mesh.uvs.get(vertex).map_or_else(Vec::new, |uv| bits(&uv.to_array()));
            let (source, rest) = if weld {
                let influences = mesh.influences_of(vertex).iter();
                let parts = |one: &Influence| {
                    let mut parts = bits(&[one.weight, one.offset.x, one.offset.y, one.offset.z]);
                    parts.push(mesh.bind[one.slot as usize].joint.index() as u32);
                    parts
                };
                (None, influences.flat_map(parts).collect())
            } else {
                let normal = mesh.normals.get(vertex).map_or_else(Vec::new, |normal| bits(&normal.to_array()));
                (mesh.source_vertices.get(vertex).copied(), normal)
            };
            *known.entry((source, rest, uv)).or_insert(vertex as u32)
        })
        .collect()
}

fn mesh_block<'a>(mesh: &'a Mesh, shader: &'a str, weld: bool, print: &Print, losses: &mut Vec<Loss>) -> md5::Mesh<'a> {
    let originals = originals(mesh, weld);
    let mut is_used = vec![false; mesh.vertex_count()];
    mesh.triangles.iter().flatten().for_each(|&corner| is_used[originals[corner as usize] as usize] = true);
    let unused =
        (0..mesh.vertex_count()).filter(|&vertex| originals[vertex] as usize == vertex && !is_used[vertex]).count();
    if unused > 0 {
        losses.push(Loss::UnusedVertices { mesh: mesh.name.clone(), vertices: unused });
    }
    let mut places: HashMap<u32, u32> = HashMap::new();
    let (mut verts, mut file_weights): (Vec<Vert>, Vec<Weight>) = (Vec::new(), Vec::new());
    for vertex in (0..mesh.vertex_count()).filter(|&vertex| is_used[vertex]) {
        let influences = mesh.influences_of(vertex);
        let biases = weights::printed(&influences.iter().map(|influence| influence.weight).collect::<Vec<_>>());
        let first_weight = file_weights.len() as u32;
        for (influence, bias) in influences.iter().zip(biases).filter(|(_, bias)| *bias > 0.0) {
            file_weights.push(Weight {
                number: file_weights.len() as i64,
                joint: mesh.bind[influence.slot as usize].joint.index() as u32,
                bias,
                offset: print.lengths(influence.offset.as_dvec3()),
                span: Span::default(),
            });
        }
        places.insert(vertex as u32, verts.len() as u32);
        let uv = mesh.uvs.get(vertex).map_or([0.0; 2], |uv| uv.to_array().map(|part| rounded(part.into(), 8)));
        verts.push(Vert {
            number: verts.len() as i64,
            uv,
            first_weight,
            weight_count: file_weights.len() as u32 - first_weight,
            span: Span::default(),
        });
    }
    // The file's winding is clockwise.
    let corners = |&[a, b, c]: &[u32; 3]| [a, c, b].map(|corner| places[&originals[corner as usize]]);
    let tris: Vec<Tri> = mesh
        .triangles
        .iter()
        .map(corners)
        .zip(0..)
        .map(|(corners, number)| Tri { number, corners, span: Span::default() })
        .collect();
    md5::Mesh {
        name: None,
        comment_name: has_name(mesh).then(|| mesh.name.as_str().into()),
        shader: Text::from(shader),
        num_verts: count(verts.len()),
        num_tris: count(tris.len()),
        num_weights: count(file_weights.len()),
        verts,
        tris,
        weights: file_weights,
        span: Span::default(),
    }
}

/// True if a mesh has a name that a comment can contain, not just its number.
fn has_name(mesh: &Mesh) -> bool {
    let name = &mesh.name;
    !name.is_empty() && !name.contains(char::is_control) && *name != format!("mesh {}", mesh.source_mesh)
}

fn anim_file(model: &Model, clip: &Frames, print: &Print) -> Result<Vec<u8>, Error> {
    let skeleton = &model.skeleton;
    let hierarchy = skeleton.joints().iter().enumerate().map(|(index, joint)| Channel {
        name: joint.name.as_str().into(),
        parent: parent_number(joint.parent),
        flags: count(63),
        first_component: count(6 * index),
        span: Span::default(),
    });
    let place = |local: &Transform| (print.lengths(local.translation), print.rotation(local.rotation));
    let rest = skeleton.joints().iter().map(|joint| place(&joint.rest_local));
    let baseframe = rest.map(|(position, rotation)| JointPose { position, rotation, span: Span::default() });
    let mut components = Vec::with_capacity(clip.poses.len() * skeleton.len() * 6);
    let mut bounds = Vec::with_capacity(clip.poses.len());
    let mut pose = ModelPose::default();
    for local in &clip.poses {
        let scales = scale::in_model_space(skeleton, local);
        components.extend(skeleton.joints().iter().zip(&local.0).flat_map(|(joint, local)| {
            // Joints do not inherit scale in MD5.
            let above = joint.parent.map_or(1.0, |parent| scales[parent.index()]);
            let (position, rotation) = place(&Transform { translation: local.translation * above, ..*local });
            position.into_iter().chain(rotation)
        }));
        local_to_model(skeleton, local, &mut pose);
        let (min, max) = bounds_of(points(&model.meshes, &pose)).unwrap_or_default();
        bounds.push(Bounds { min: print.lengths(min), max: print.lengths(max), span: Span::default() });
    }
    let frames = (0..clip.poses.len()).map(|number| Frame { number: count(number), span: Span::default() });
    let file = AnimFile {
        version: Some(VERSION.into()),
        command_line: Some("".into()),
        num_frames: count(clip.poses.len()),
        num_joints: count(skeleton.len()),
        frame_rate: clip.rate,
        frame_rate_span: Span::default(),
        num_animated_components: count(6 * skeleton.len()),
        hierarchy: hierarchy.collect(),
        bounds,
        baseframe: baseframe.collect(),
        frames: frames.collect(),
        components,
    };
    let mut bytes = Vec::new();
    md5::write_anim(&file, &mut bytes).map_err(|error| Error::Writer(error.to_string()))?;
    Ok(bytes)
}
