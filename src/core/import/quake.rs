//! Quake's vertex models, to compare them with the models of joints from which they were made.
//!
//! Each vertex becomes a joint: its translation is the position in each frame, its rotation turns the normal of the
//! first frame into that of the frame. Frames whose names differ only in their numbers are a clip of ten frames a
//! second. No search finds these files; the user names them.

use super::importer::{Contents, Format, ImportFailure, ImportJob, Importer, InputFile, second_model};
use super::loaded::Loaded;
use super::shading;
use crate::budget::{Exceeded, product};
use crate::diagnostic::{Diagnostic, Severity};
use crate::model::{
    BindJoint, Clip, Influence, JointId, JointTracks, Material, Mesh, Model, Skeleton, Timeline, TimelineId, Track,
    Transform,
};
use bindpose_parsers::Span;
use bindpose_parsers::quake::{Surface, VertexFrame, VertexModel, is_vertex_model, parse};
use glam::{DAffine3, DQuat, DVec3, Vec2, Vec3};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Importer for `.mdl`, `.md2` and `.md3`.
pub static VERTEX_FILE: Importer = Importer {
    format: Format::Vertices,
    name: "vertices",
    title: "a Quake model",
    family: "Quake",
    extensions: &[],
    mime: None,
    contents: Contents::Model,
    sniff: is_vertex_model,
    import: import_files,
};

/// Frames per second.
const RATE: f64 = 10.0;
/// Memory for a vertex of a frame: as it is read, and its keys.
const FRAME_BYTES: usize = 128;
/// Memory for a vertex: its joint and what the mesh stores.
const VERTEX_BYTES: usize = 512;

fn import_files(files: &[InputFile], job: &ImportJob<'_>, loaded: &mut Loaded) -> Result<(), ImportFailure> {
    if let Some(second) = files.get(1) {
        return Err(second_model(&loaded.sources, second.source));
    }
    let Some(InputFile { source, name, .. }) = files.first() else { return Ok(()) };
    let refuse = |code: &'static str, message: String| -> ImportFailure {
        Diagnostic::new(code, Severity::Error, message, *source, Span::default()).into()
    };
    let bytes = &loaded.sources.get(*source).bytes;
    // A vertex of a frame has at least four bytes in the file.
    let needs = product([bytes.len() / 4, FRAME_BYTES]);
    let over = |error: Exceeded| refuse("IO005", error.to_string());
    job.budget.check(needs, || "a Quake model".to_owned()).map_err(over)?;
    let file = parse(bytes).map_err(|error| refuse("IO002", error.to_string()))?;
    let vertices = file.frames[0].vertices.len();
    let needs = product([vertices, file.frames.len(), FRAME_BYTES]) + product([vertices, VERTEX_BYTES]);
    job.budget.spend(needs, || format!("{vertices} vertices in {} frames", file.frames.len())).map_err(over)?;
    let corners = || file.surfaces.iter().flat_map(|surface| surface.triangles.iter().flatten());
    if let Some((corner, _)) = corners().find(|(vertex, _)| *vertex >= vertices) {
        return Err(refuse("IO002", format!("a triangle names vertex {corner}, and the model has {vertices}")));
    }
    if file.frames.iter().any(|frame| frame.vertices.iter().flatten().flatten().any(|part| !part.is_finite())) {
        return Err(refuse("IO002", "the model has positions that are not finite numbers".to_owned()));
    }
    loaded.images.extend(file.image.as_ref().map(|(width, height, texels)| {
        let head = [width.to_le_bytes(), height.to_le_bytes()].concat();
        (image_name(name), [head, texels.clone()].concat())
    }));
    loaded.model = Arc::new(model(name, &file));
    loaded.own_clips = loaded.model.clips.len();
    Ok(())
}

fn image_name(model: &str) -> String {
    format!("{model}.lmp")
}

fn model(name: &str, file: &VertexModel) -> Model {
    let mut made = Model { name: name.to_owned(), ..Model::default() };
    let first = &file.frames[0];
    let joints: Vec<JointId> = (first.vertices.iter().zip(0..))
        .map(|([position, _], number)| made.skeleton.push(format!("vertex {number}"), None, placed(*position)))
        .collect();
    for (number, surface) in file.surfaces.iter().enumerate() {
        let material = if file.image.is_some() { image_name(name) } else { surface.shader.clone() };
        let texture = Some(material.clone()).filter(|name| !name.is_empty());
        let material = made.push_material(Material { texture, ..Material::neutral(material) });
        let mesh = mesh(surface, number, first, &joints);
        made.meshes.push(Mesh { material, ..mesh });
    }
    let stem = |frame: &VertexFrame| frame.name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    for frames in file.frames.chunk_by(|a, b| stem(a) == stem(b)).filter(|_| file.frames.len() > 1) {
        made.clips.push(clip(stem(&frames[0]), frames, first, &made.skeleton));
    }
    made
}

fn placed(position: [f32; 3]) -> Transform {
    Transform::from_rotation_translation(DQuat::IDENTITY, Vec3::from_array(position).as_dvec3())
}

fn mesh(surface: &Surface, number: usize, first: &VertexFrame, joints: &[JointId]) -> Mesh {
    let key = |&(vertex, uv): &(usize, [f32; 2])| (vertex, uv.map(f32::to_bits));
    let mut places: BTreeMap<(usize, [u32; 2]), u32> =
        surface.triangles.iter().flatten().map(|corner| (key(corner), 0)).collect();
    places.values_mut().zip(0..).for_each(|(place, index)| *place = index);
    let name = if surface.name.is_empty() { format!("mesh {number}") } else { surface.name.clone() };
    let mut mesh = Mesh { name, source_mesh: number, influence_starts: vec![0], ..Mesh::default() };
    for (vertex, uv) in places.keys() {
        let [position, normal] = first.vertices[*vertex].map(Vec3::from_array);
        mesh.source_vertices.push(*vertex as u32);
        mesh.positions.push(position);
        mesh.normals.push(normal.normalize_or(Vec3::Z));
        mesh.uvs.push(Vec2::from_array(uv.map(f32::from_bits)));
        let inverse_bind = DAffine3::from_translation(-position.as_dvec3());
        let bound = BindJoint { joint: joints[*vertex], inverse_bind };
        if mesh.bind.last() != Some(&bound) {
            mesh.bind.push(bound);
        }
        mesh.influences.push(Influence { slot: mesh.bind.len() as u32 - 1, weight: 1.0, offset: Vec3::ZERO });
        mesh.influence_starts.push(mesh.influences.len() as u32);
    }
    let triangle = |corners: &[(usize, [f32; 2]); 3]| {
        let [a, b, c] = corners.each_ref().map(|corner| places[&key(corner)]);
        [a, c, b]
    };
    mesh.triangles = surface.triangles.iter().map(triangle).collect();
    mesh.tangents = shading::tangents(&mesh.positions, &mesh.normals, &mesh.uvs, &mesh.triangles);
    mesh
}

/// Returns a clip of frames, which repeats. It ends with its first frame, as engines go on with it.
fn clip(name: String, frames: &[VertexFrame], first: &VertexFrame, skeleton: &Skeleton) -> Clip {
    let shown = || frames.iter().chain(&frames[..1]);
    let times: Vec<f64> = (0..=frames.len()).map(|frame| frame as f64 / RATE).collect();
    let tracks = |vertex: usize| {
        let normal = Vec3::from_array(first.vertices[vertex][1]).as_dvec3();
        let position = |frame: &VertexFrame| Vec3::from_array(frame.vertices[vertex][0]).as_dvec3();
        let turn = |frame: &VertexFrame| {
            let [from, to] =
                [normal, Vec3::from_array(frame.vertices[vertex][1]).as_dvec3()].map(DVec3::normalize_or_zero);
            if from == DVec3::ZERO || to == DVec3::ZERO { DQuat::IDENTITY } else { DQuat::from_rotation_arc(from, to) }
        };
        JointTracks::Parts {
            translation: Some(Track { timeline: TimelineId(0), values: shown().map(position).collect() }),
            rotation: Some(Track { timeline: TimelineId(0), values: shown().map(turn).collect() }),
            scale: None,
        }
    };
    Clip {
        name,
        duration: frames.len() as f64 / RATE,
        frame_rate: Some(RATE),
        looping: true,
        timelines: Timeline::new(times).into_iter().collect(),
        joints: (0..skeleton.len()).map(tracks).collect(),
    }
}
