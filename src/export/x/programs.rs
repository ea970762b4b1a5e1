//! Requirements of current programs that a file has to meet to be shown completely.

use crate::Error;
use crate::loss::Loss;
use bindpose_core::budget::grouped;
use bindpose_core::engines::EngineId;
use bindpose_core::model::{BindJoint, Influence, JointTracks, Mesh, Model, Skeleton, TimelineId, Track, Transform};
use bindpose_core::pose::LocalPose;
use bindpose_core::skin;
use bindpose_parsers::x::Encoding;
use glam::DAffine3;

/// Longest name that Wine keeps, in bytes.
const WINE_NAME_BYTES: usize = 39;
/// Bytes after the last brace of a binary file. Without them, Luanti from 5.17 ignores the brace.
const LUANTI_END: [u8; 2] = [0, 0];
/// Largest number of vertices of a mesh in Luanti and Irrlicht, which count them in 16 bits.
const MOST_VERTICES: usize = 65_534;

/// Requirements of one program (docs/formats/x-engines.md has the reasons).
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    /// Luanti and Irrlicht: all animation sets are one timeline, and keys replace a frame's matrix.
    pub one_timeline: bool,
    /// OpenBVE: nested frames are misplaced, and neither skins nor clips are read.
    pub is_static: bool,
    /// Longest name, in bytes.
    pub name_bytes: usize,
    /// Longest name of a material, in bytes. Direct3D's games do not see these names, but may run under Wine.
    pub material_bytes: usize,
    /// Bytes to append to a binary file.
    end: &'static [u8],
}

/// True for programs that play all animation sets of a file as one timeline.
pub fn has_one_timeline(engine: EngineId) -> bool {
    [EngineId::Luanti, EngineId::Luanti516, EngineId::Irrlicht].contains(&engine)
}

impl Needs {
    pub fn of(engine: Option<EngineId>) -> Self {
        let is = |engines: &[EngineId]| engine.is_some_and(|engine| engines.contains(&engine));
        Self {
            one_timeline: engine.is_some_and(has_one_timeline),
            is_static: is(&[EngineId::OpenBve, EngineId::OpenBveAssimp]),
            name_bytes: if is(&[EngineId::WineD3dx9]) { WINE_NAME_BYTES } else { usize::MAX },
            material_bytes: match engine {
                None | Some(EngineId::WineD3dx9 | EngineId::D3dx9) => WINE_NAME_BYTES,
                Some(_) => usize::MAX,
            },
            end: if is(&[EngineId::Luanti]) { &LUANTI_END } else { &[] },
        }
    }

    /// Changes a model so that the program shows all of it.
    ///
    /// # Errors
    ///
    /// [`Error`]: content that the program does not read.
    pub fn meet(self, model: &mut Model, encoding: Encoding, losses: &mut Vec<Loss>) -> Result<(), Error> {
        if self.one_timeline {
            refuse_what_irrlicht_does(model, encoding)?;
            complete_tracks(model);
            model.meshes.iter_mut().for_each(leave_loose_vertices);
        }
        if self.is_static {
            make_static(model, losses);
        }
        Ok(())
    }

    /// Appends the bytes that the program needs at the end of a file.
    pub fn finish(self, encoding: Encoding, bytes: &mut Vec<u8>) {
        if encoding.format == super::BodyFormat::Binary && !encoding.compressed {
            bytes.extend(self.end);
        }
    }
}

/// Rejects what Luanti and Irrlicht do not read: compressed files, several timelines, and more vertices than 16 bits
/// can count.
fn refuse_what_irrlicht_does(model: &Model, encoding: Encoding) -> Result<(), Error> {
    if encoding.compressed {
        return Err(Error::Unsupported("Luanti and Irrlicht read no compressed .x files".into()));
    }
    if let [first, second, ..] = &model.clips[..] {
        let clips = model.clips.len();
        let (first, second) = (&first.name, &second.name);
        return Err(Error::Unsupported(format!(
            "Luanti and Irrlicht have one timeline for all animation sets of a .x file, and there are {clips} ('{first}', \
             '{second}', …); choose one, or join them"
        )));
    }
    match model.meshes.iter().find(|mesh| mesh.vertex_count() > MOST_VERTICES) {
        Some(mesh) => {
            let count = grouped(mesh.vertex_count());
            Err(Error::Limit(format!(
                "mesh '{}' has {count} vertices; Luanti and Irrlicht draw up to 65,534",
                mesh.name
            )))
        }
        None => Ok(()),
    }
}

/// Gives moving joints all three kinds of keys. The programs ignore a frame's matrix as soon as it has any key, and
/// read no scale from matrix keys.
fn complete_tracks(model: &mut Model) {
    for clip in &mut model.clips {
        for (tracks, joint) in clip.joints.iter_mut().zip(model.skeleton.joints()) {
            if *tracks == JointTracks::default() {
                continue;
            }
            let (translation, rotation, scale) = match std::mem::take(tracks) {
                JointTracks::Parts { translation, rotation, scale } => (translation, rotation, scale),
                JointTracks::Whole { keys, .. } => (
                    Some(part(&keys, |key| key.translation)),
                    Some(part(&keys, |key| key.rotation)),
                    Some(part(&keys, |key| key.scale)),
                ),
            };
            let rest = joint.rest_local;
            *tracks = JointTracks::Parts {
                translation: Some(translation.unwrap_or_else(|| constant(rest.translation))),
                rotation: Some(rotation.unwrap_or_else(|| constant(rest.rotation))),
                scale: Some(scale.unwrap_or_else(|| constant(rest.scale))),
            };
        }
    }
}

fn part<T>(keys: &Track<Transform>, part: impl Fn(&Transform) -> T) -> Track<T> {
    Track { timeline: keys.timeline, values: keys.values.iter().map(part).collect() }
}

fn constant<T>(value: T) -> Track<T> {
    Track { timeline: TimelineId(0), values: vec![value] }
}

/// Removes the weights of vertices that no triangle uses from a skinned mesh. Luanti crashes on them.
fn leave_loose_vertices(mesh: &mut Mesh) {
    let mut is_used = vec![false; mesh.vertex_count()];
    mesh.triangles.as_flattened().iter().for_each(|&corner| is_used[corner as usize] = true);
    if is_used.iter().all(|&used| used) || super::rigid_joint(mesh).is_some() {
        return;
    }
    let mut influences = Vec::with_capacity(mesh.influences.len());
    let mut starts = vec![0];
    for (vertex, &used) in is_used.iter().enumerate() {
        influences.extend_from_slice(if used { mesh.influences_of(vertex) } else { &[] });
        starts.push(influences.len() as u32);
    }
    (mesh.influences, mesh.influence_starts) = (influences, starts);
}

/// Moves all meshes, as they are at rest, into one frame.
fn make_static(model: &mut Model, losses: &mut Vec<Loss>) {
    let pose = LocalPose::rest(&model.skeleton).to_model(&model.skeleton);
    let mut skinned = skin::Skinned::default();
    let mut skeleton = Skeleton::new();
    let name = model.skeleton.joints().first().map_or("root", |joint| &joint.name);
    let root = skeleton.push(name, None, Transform::IDENTITY);
    let is_skinned = |mesh: &&Mesh| super::rigid_joint(mesh).is_none();
    let skins = model.meshes.iter().filter(is_skinned).count();
    for mesh in &mut model.meshes {
        skin::linear(mesh, &pose, &mut skinned);
        mesh.positions = skinned.positions.iter().map(|position| position.as_vec3()).collect();
        mesh.normals = skinned.normals.iter().map(|normal| normal.as_vec3()).collect();
        mesh.bind = vec![BindJoint { joint: root, inverse_bind: DAffine3::IDENTITY }];
        mesh.influences = mesh.positions.iter().map(|&offset| Influence { slot: 0, weight: 1.0, offset }).collect();
        mesh.influence_starts = (0..=mesh.positions.len() as u32).collect();
    }
    let counts = [
        (model.clips.len(), "clip", "clips"),
        (skins, "skin", "skins"),
        (model.skeleton.len().saturating_sub(1), "joint", "joints"),
    ];
    losses.extend(counts.into_iter().filter(|(count, ..)| *count > 0).map(|(count, one, many)| Loss::NotCarried {
        what: format!("{} for OpenBVE", bindpose_parsers::counted(count, one, many)),
    }));
    model.clips.clear();
    model.skeleton = skeleton;
}
