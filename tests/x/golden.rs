//! Structure, poses and skinned vertices of real .x files against an independent f64 computation.

use crate::support;
use bindpose::budget::{Budget, MemoryLimit};
use bindpose::import::x::{XImportOptions, import};
use bindpose::model::Model;
use bindpose::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose::skin::{Skinned, linear};
use bindpose_parsers::x::{self, Document, KeyKind, Mesh, Reading};
use glam::{DAffine3, DMat3, DVec3};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;

/// Largest difference of results, as a share of the largest coordinate, and of the largest matrix element if it exceeds
/// 1.
const TOLERANCE: f64 = 5e-6;

/// Swaps y and z, from the model's axes to the file's.
const SWAP: DMat3 = DMat3::from_cols(DVec3::X, DVec3::Z, DVec3::Y);

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn file_matrix(numbers: &[f64]) -> DAffine3 {
    let column = |start: usize| DVec3::from_slice(&numbers[start..start + 3]);
    DAffine3 { matrix3: DMat3::from_cols(column(0), column(4), column(8)), translation: column(12) }
}

/// Returns a document in the terms of the expectations.
fn structure(document: &Document<'_>) -> Value {
    let frame_of = |index: usize| document.mesh_uses[index].frame.map_or(-1, |frame| frame as i64);
    let meshes: Vec<(usize, &Mesh<'_>)> =
        document.mesh_uses.iter().enumerate().map(|(index, used)| (index, &document.meshes[used.mesh])).collect();
    let mut bones: Vec<&[u8]> = Vec::new();
    for bone in meshes.iter().flat_map(|(_, mesh)| &mesh.skin_weights) {
        if !bones.contains(&&*bone.bone.bytes) {
            bones.push(&bone.bone.bytes);
        }
    }
    json!({
        "frame_count": document.frames.len(),
        "root_frames": document.frames.iter().filter(|frame| frame.parent.is_none()).count(),
        "mesh_count": meshes.len(),
        "vertex_count": meshes.iter().map(|(_, mesh)| mesh.vertices.len()).sum::<usize>(),
        "face_count": meshes.iter().map(|(_, mesh)| mesh.faces.len()).sum::<usize>(),
        "ticks_per_second": document.ticks_per_second.last().map(|ticks| ticks.value),
        "skin_bone_count": bones.len(),
        "meshes": meshes.iter().map(|&(index, mesh)| mesh_structure(document, mesh, index, frame_of(index))).collect::<Vec<_>>(),
        "sets": document.animation_sets.iter().map(set_structure).collect::<Vec<_>>(),
    })
}

fn mesh_structure(document: &Document<'_>, mesh: &Mesh<'_>, index: usize, frame: i64) -> Value {
    let mut corners: HashMap<String, usize> = HashMap::new();
    mesh.faces.iter().for_each(|face| *corners.entry(face.len().to_string()).or_default() += 1);
    let list = mesh.material_list.as_ref();
    let materials = list.iter().flat_map(|list| &list.materials).map(|&material| {
        let material = &document.materials[material];
        let textures: Vec<String> = material.textures.iter().map(|texture| texture.filename.to_name()).collect();
        json!({ "name": material.name.as_ref().map(x::Text::to_name), "textures": textures, "diffuse": material.face_color })
    });
    let mut counts = vec![0; mesh.vertices.len()];
    for &(vertex, _) in mesh.skin_weights.iter().flat_map(|bone| &bone.weights).filter(|(_, weight)| *weight != 0.0) {
        counts[vertex as usize] += 1;
    }
    json!({
        "mesh": index,
        "name": mesh.name.as_ref().map_or(String::new(), x::Text::to_name),
        "frame": frame,
        "verts": mesh.vertices.len(),
        "faces": mesh.faces.len(),
        "corners_per_face": corners,
        "normals": mesh.normals.as_ref().map_or(0, |normals| normals.normals.len()),
        "uvs": mesh.texture_coords.as_ref().map_or(0, |list| list.coords.len()),
        "materials": materials.collect::<Vec<_>>(),
        "skinned": counts.iter().any(|&count| count > 0),
        "bones": mesh.skin_weights.len(),
        "bone_names": mesh.skin_weights.iter().map(|bone| bone.bone.to_name()).collect::<Vec<_>>(),
        "skin_header": mesh.skin_header.map(|header| {
            [header.max_weights_per_vertex.value, header.max_weights_per_face.value, header.bones.value]
        }),
        "max_influences": counts.iter().max().copied().unwrap_or(0),
        "verts_without_weights": counts.iter().filter(|&&count| count == 0).count(),
    })
}

fn set_structure(set: &x::AnimationSet<'_>) -> Value {
    let kinds = [
        ("rotation", KeyKind::Rotation),
        ("scale", KeyKind::Scale),
        ("position", KeyKind::Position),
        ("matrix", KeyKind::Matrix),
    ];
    let lists =
        |kind| set.animations.iter().flat_map(|animation| &animation.keys).filter(move |keys| keys.kind == kind);
    let present: Vec<_> = kinds.into_iter().filter(|&(_, kind)| lists(kind).next().is_some()).collect();
    json!({
        "name": set.name.as_ref().map_or(String::new(), x::Text::to_name),
        "animations": set.animations.len(),
        "key_lists": present.iter().map(|&(name, kind)| (name.to_owned(), lists(kind).count().into())).collect::<serde_json::Map<_, _>>(),
        "keys": present.iter().map(|&(name, kind)| (name.to_owned(), lists(kind).map(|keys| keys.times.len()).sum::<usize>().into())).collect::<serde_json::Map<_, _>>(),
        "period_ticks": set.period(),
    })
}

/// Checks that every value that the expectation also has is the same; numbers to 9 digits.
fn assert_contains(what: &str, ours: &Value, expected: &Value) {
    match (ours, expected) {
        (Value::Object(ours), Value::Object(expected)) => {
            for (key, value) in ours {
                if let Some(expected) = expected.get(key) {
                    assert_contains(&format!("{what}.{key}"), value, expected);
                }
            }
        }
        (Value::Array(ours), Value::Array(expected)) => {
            assert_eq!(ours.len(), expected.len(), "{what}");
            for (place, (ours, expected)) in ours.iter().zip(expected).enumerate() {
                assert_contains(&format!("{what}[{place}]"), ours, expected);
            }
        }
        (Value::Number(ours), Value::Number(expected)) => {
            let (ours, expected) = (ours.as_f64().unwrap(), expected.as_f64().unwrap());
            assert!((ours - expected).abs() <= 1e-8 * expected.abs(), "{what}: {ours}, expected {expected}");
        }
        _ => assert_eq!(ours, expected, "{what}"),
    }
}

/// A posed model that is compared with expectations.
struct Check<'a> {
    document: &'a Document<'a>,
    model: &'a Model,
    /// For each frame, true if its world transform mirrors at rest, computed by multiplying the file's matrices.
    mirrored: Vec<bool>,
    scale: f64,
    frames: usize,
    vertices: usize,
}

impl Check<'_> {
    fn pose(&mut self, what: &str, pose: &ModelPose, expected: &Value) {
        for row in expected["frames"].as_array().unwrap() {
            let row = numbers(row);
            let frame = row[0] as usize;
            let expected = file_matrix(&row[1..]);
            // model = P * world * G, where G is P unless the frame's world mirrors.
            let joint_side = if self.mirrored[frame] { DMat3::IDENTITY } else { SWAP };
            let found = DAffine3::from_mat3(SWAP) * pose.0[frame] * DAffine3::from_mat3(joint_side);
            let largest = row[1..].iter().fold(1.0_f64, |largest, part| largest.max(part.abs()));
            let off = found.to_cols_array().into_iter().zip(expected.to_cols_array()).map(|(a, b)| (a - b).abs());
            let off = off.fold(0.0, f64::max);
            assert!(off <= TOLERANCE * largest, "{what}: frame {frame} is {off} off\n{found:?}\n{expected:?}");
            self.frames += 1;
        }
        for expected in expected["meshes"].as_array().unwrap() {
            self.mesh(what, pose, expected);
        }
    }

    /// Returns the file's vertices of one mesh in file space; `None` if two copies of a vertex disagree or none exists.
    fn file_vertices(&self, source_mesh: usize, pose: &ModelPose) -> Vec<Option<DVec3>> {
        let file = &self.document.meshes[self.document.mesh_uses[source_mesh].mesh];
        let mut vertices: Vec<Option<DVec3>> = vec![None; file.vertices.len()];
        let mut skinned = Skinned::default();
        for mesh in self.model.meshes.iter().filter(|mesh| mesh.source_mesh == source_mesh) {
            linear(mesh, pose, &mut skinned);
            for (&source, &position) in mesh.source_vertices.iter().zip(&skinned.positions) {
                let known = vertices[source as usize].replace(SWAP * position);
                assert!(known.is_none_or(|known| known == SWAP * position), "copies of vertex {source} disagree");
            }
        }
        vertices
    }

    fn mesh(&mut self, what: &str, pose: &ModelPose, expected: &Value) {
        let source_mesh = expected["mesh"].as_u64().unwrap() as usize;
        let vertices = self.file_vertices(source_mesh, pose);
        for row in expected["verts"].as_array().unwrap() {
            let row = numbers(row);
            let found = vertices[row[0] as usize].unwrap();
            let off = (found - DVec3::from_slice(&row[1..])).abs().max_element();
            assert!(off <= TOLERANCE * self.scale, "{what}: vertex {} of mesh {source_mesh} is {off} off", row[0]);
            self.vertices += 1;
        }
        let specified = specified(&self.document.meshes[self.document.mesh_uses[source_mesh].mesh]);
        let inside =
            vertices.iter().zip(specified).filter(|(_, specified)| *specified).map(|(vertex, _)| vertex.unwrap());
        let (min, max) = inside.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), v| (min.min(v), max.max(v)));
        let [expected_min, expected_max] = [0, 1].map(|end| DVec3::from_slice(&numbers(&expected["bbox"][end])));
        let off = (min - expected_min).abs().max((max - expected_max).abs()).max_element();
        assert!(off <= TOLERANCE * self.scale, "{what}: the box of mesh {source_mesh} is {off} off");
    }
}

/// Returns the vertices that the expectations cover: in a skinned mesh, only those with weights on existing bones.
fn specified(mesh: &Mesh<'_>) -> Vec<bool> {
    let mut weighted = vec![false; mesh.vertices.len()];
    let mut lost = vec![false; mesh.vertices.len()];
    for bone in &mesh.skin_weights {
        for &(vertex, _) in bone.weights.iter().filter(|(_, weight)| *weight != 0.0) {
            weighted[vertex as usize] = true;
            lost[vertex as usize] |= bone.frame.is_none();
        }
    }
    let skinned = weighted.contains(&true);
    weighted.iter().zip(lost).map(|(&weighted, lost)| !skinned || weighted && !lost).collect()
}

fn mirrored_frames(document: &Document<'_>) -> Vec<bool> {
    let mut worlds: Vec<DAffine3> = Vec::new();
    for frame in &document.frames {
        let local = frame.matrix().map_or(DAffine3::IDENTITY, |matrix| file_matrix(matrix));
        worlds.push(frame.parent.map_or(local, |parent| worlds[parent] * local));
    }
    worlds.iter().map(|world| world.matrix3.determinant() < 0.0).collect()
}

#[test]
fn structures_and_poses_agree_with_the_independent_ones() {
    let (mut files, mut poses, mut frames, mut vertices) = (0, 0, 0, 0);
    let of = |[files, results]: [PathBuf; 2]| {
        support::files_with(&results, &["json"]).into_iter().map(move |path| (files.clone(), path))
    };
    for (folder, path) in support::goldens().into_iter().flat_map(of) {
        let expected: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        if expected["kind"] != "x" {
            continue;
        }
        let name = expected["file"].as_str().unwrap();
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let file = x::unpack(&bytes, Reading::Lenient).unwrap();
        let document = x::parse(&file, Reading::Lenient).unwrap().document;
        assert_contains(name, &structure(&document), &expected);

        // At one tick per second, times are ticks.
        let ticks_per_second = Some(1.0);
        let options = XImportOptions { name: "model".to_owned(), ticks_per_second, ..XImportOptions::default() };
        let model = import(document.clone(), &options, &Budget::new(MemoryLimit::NONE)).unwrap().model;
        assert_eq!(
            model.skeleton.len(),
            document.frames.len() + document.mesh_uses.iter().filter(|m| m.frame.is_none()).count()
        );
        let scale = expected["scale"].as_f64().unwrap();
        let mirrored = mirrored_frames(&document);
        let mut check = Check { document: &document, model: &model, mirrored, scale, frames: 0, vertices: 0 };
        let mut local = LocalPose::rest(&model.skeleton);
        let mut pose = local.to_model(&model.skeleton);
        check.pose(&format!("{name} at rest"), &pose, &expected["rest"]);
        let sets = expected["sets"].as_array().unwrap();
        assert_eq!(sets.len(), model.clips.len(), "{name}");
        for (set, clip) in sets.iter().zip(&model.clips) {
            assert_eq!(clip.duration, set["period_ticks"].as_f64().unwrap(), "{name}");
            for expected in set["poses"].as_array().unwrap() {
                let tick = expected["tick"].as_f64().unwrap();
                sample(&model.skeleton, clip, tick, &mut local);
                local_to_model(&model.skeleton, &local, &mut pose);
                check.pose(&format!("{name} '{}' at tick {tick}", clip.name), &pose, expected);
                poses += 1;
            }
        }
        files += 1;
        frames += check.frames;
        vertices += check.vertices;
    }
    // Those of the samples: five clips with five poses each, and one clip.
    assert!(files >= 2 && poses >= 30, "{files} files, {poses} poses");
    println!("compared {files} files, {poses} animated poses, {frames} frames, {vertices} vertices");
}
