//! Repair of meshes whose normals point to the back of their triangles: a closed mesh shows which of the two are wrong.

use super::{Edit, Text};
use crate::codes::import::NORMALS_INSIDE_OUT;
use crate::fix::Log;
use crate::x::spans::words_of;
use bindpose_core::import::x::{inside_out, is_mirrored};
use bindpose_parsers::x::{Faces, Mesh};
use bindpose_parsers::{Span, counted};
use glam::DVec3;
use std::collections::HashMap;

/// Smallest volume of a mesh, as a fraction of the sum of its parts', that is not due to rounding.
const ROUNDING: f64 = 1e-9;

/// Turns the faces of closed meshes over that face inwards, and the normals of those that face outwards.
pub(super) fn turn(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some((document, _)) = text.read else { return Vec::new() };
    let mut edits = Vec::new();
    for (index, mesh) in document.meshes.iter().enumerate() {
        let mut uses = document.mesh_uses.iter().filter(|used| used.mesh == index);
        let (Some(used), Some(normals)) = (uses.next(), &mesh.normals) else { continue };
        let Some((backward, triangles)) = inside_out(document, used) else { continue };
        let is_mirrored_here = is_mirrored(document, used);
        if backward < triangles {
            log.left(NORMALS_INSIDE_OUT, "only part of its triangles differ from their normals");
            continue;
        }
        if uses.any(|used| is_mirrored(document, used) != is_mirrored_here) {
            log.left(NORMALS_INSIDE_OUT, "one of the frames that use the mesh mirrors it, and another does not");
            continue;
        }
        let Some(volume) = volume(mesh) else {
            log.left(NORMALS_INSIDE_OUT, "the mesh is not closed, so its faces or its normals may be wrong");
            continue;
        };
        let [of_mesh, of_normals] =
            [mesh.span, normals.span].map(|span| words_of(text.bytes, span).collect::<Vec<_>>());
        let faces = (mesh.faces.ends == normals.faces.ends).then_some([
            (of_mesh.get(2 + 3 * mesh.vertices.len()..), &mesh.faces),
            (of_normals.get(2 + 3 * normals.normals.len()..), &normals.faces),
        ]);
        let faces = faces.map(|lists| lists.map(|(words, faces)| turned(text, words?, faces)));
        let Some([Some(faces), Some(normal_faces)]) = faces else {
            log.left(NORMALS_INSIDE_OUT, "not all of the mesh can be read");
            continue;
        };
        let counted = counted(triangles, "triangle", "triangles");
        if (volume < 0.0) != is_mirrored_here {
            edits.extend(faces.into_iter().chain(normal_faces));
            log.done(NORMALS_INSIDE_OUT, format!("the faces of mesh {index} are turned over ({counted})"));
        } else {
            let numbers = of_normals.iter().skip(1).take(3 * normals.normals.len());
            edits.extend(numbers.map(|&word| (word, negated(text.word(word)))));
            log.done(NORMALS_INSIDE_OUT, format!("the normals of mesh {index} are turned round ({counted})"));
        }
    }
    edits
}

/// Returns the volume that a mesh encloses, negative if its triangles face inwards. Returns `None` for a mesh that is
/// not closed: an edge does not have as many faces on one side as on the other.
fn volume(mesh: &Mesh) -> Option<f64> {
    let place = |corner: u32| mesh.vertices.get(corner as usize).map(DVec3::from_array);
    // Vertices are copied where normals or texture coordinates differ. Adding 0 makes -0 equal to 0.
    let key = |place: DVec3| (place + 0.0).to_array().map(f64::to_bits);
    let mut edges: HashMap<_, i32> = HashMap::new();
    let (mut volume, mut size) = (0.0, 0.0);
    for corners in mesh.faces.iter() {
        let places = corners.iter().map(|&corner| place(corner)).collect::<Option<Vec<_>>>()?;
        for (&from, &to) in places.iter().zip(places.iter().cycle().skip(1)) {
            let (from, to) = (key(from), key(to));
            *edges.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
        }
        for pair in places.get(1..).unwrap_or_default().windows(2) {
            let part = places[0].dot(pair[0].cross(pair[1]));
            (volume, size) = (volume + part, size + part.abs());
        }
    }
    let is_closed = edges.iter().all(|((from, to), sides)| *sides == 0 || from == to);
    Some(volume).filter(|volume| is_closed && volume.abs() > ROUNDING * size)
}

/// Returns the edits that reverse all faces but for their first corner, given the words after their number. Returns
/// `None` if the words are not those of these faces.
fn turned(text: &Text, mut words: &[Span], faces: &Faces) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    for corners in faces.iter() {
        let (face, rest) = words.split_at_checked(1 + corners.len())?;
        let numbers = std::iter::once(corners.len() as u32).chain(corners.iter().copied());
        if !face.iter().zip(numbers).all(|(&word, number)| text.word(word).parse() == Ok(number)) {
            return None;
        }
        let others = face.get(2..)?;
        edits.extend(others.iter().zip(others.iter().rev()).map(|(&to, &from)| (to, text.word(from).to_owned())));
        words = rest;
    }
    Some(edits)
}

/// Returns a number with the other sign. Zero stays as it is.
fn negated(number: &str) -> String {
    match number.strip_prefix('-') {
        _ if number.parse().is_ok_and(|value: f64| value == 0.0) => number.to_owned(),
        Some(positive) => positive.to_owned(),
        None => format!("-{}", number.trim_start_matches('+')),
    }
}
