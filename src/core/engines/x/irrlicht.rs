//! Irrlicht's and Luanti's skins: vertices of two materials are copied without weights. Irrlicht computes missing
//! offsets.

use super::{IDENTITY, times};
use bindpose_parsers::x::{Document, Faces, Matrix, Mesh};
use glam::DMat4;
use std::collections::HashMap;

/// Largest deviation from the identity of an offset that counts as missing.
const EXACT: f64 = 1e-6;

/// Replaces offsets that are the identity by the inverse of their frame's matrix at rest.
pub(super) fn compute_offsets(document: &mut Document<'_>) {
    let is_missing = |offset: &Matrix| offset.iter().zip(IDENTITY).all(|(a, b)| (a - b).abs() <= EXACT);
    let frames = &document.frames;
    for skin in document.meshes.iter_mut().flat_map(|mesh| &mut mesh.skin_weights) {
        let (mut model_from_bone, mut next) = (IDENTITY, skin.frame.filter(|_| is_missing(&skin.matrix_offset)));
        while let Some(frame) = next.and_then(|frame| frames.get(frame)) {
            model_from_bone = times(&model_from_bone, frame.matrix().unwrap_or(&IDENTITY));
            next = frame.parent;
        }
        let inverse = DMat4::from_cols_array(&model_from_bone).inverse();
        if is_missing(&skin.matrix_offset) && inverse.is_finite() {
            skin.matrix_offset = inverse.to_cols_array();
        }
    }
}

/// Copies the vertices of a skinned mesh that faces of several materials use. The first material's faces keep the
/// vertex with its weights.
pub(super) fn copy_shared_vertices(mesh: &mut Mesh<'_>) {
    let Some(list) = mesh.material_list.as_ref().filter(|_| !mesh.skin_weights.is_empty()) else { return };
    let mut owners: HashMap<u32, u32> = HashMap::new();
    let mut copies: HashMap<(u32, u32), u32> = HashMap::new();
    let (mut faces, mut originals) = (Faces::default(), Vec::new());
    let count = mesh.vertices.len();
    for (corners, &material) in mesh.faces.iter().zip(&list.face_materials) {
        let mut copied = |&corner: &u32| {
            // Read on their own, numbers may name vertices that the mesh lacks.
            if corner as usize >= count || *owners.entry(corner).or_insert(material) == material {
                return corner;
            }
            *copies.entry((corner, material)).or_insert_with(|| {
                originals.push(corner as usize);
                (count + originals.len() - 1) as u32
            })
        };
        faces.push(&corners.iter().map(&mut copied).collect::<Vec<u32>>());
    }
    if originals.is_empty() || faces.len() != mesh.faces.len() {
        return;
    }
    mesh.faces = faces;
    append(mesh, count, &originals);
}

/// Appends copies of vertices, with all their data but weights.
fn append(mesh: &mut Mesh<'_>, count: usize, originals: &[usize]) {
    let vertices = originals.iter().filter_map(|&vertex| mesh.vertices.get(vertex));
    mesh.vertices = mesh.vertices.iter().chain(vertices).collect();
    if let Some(texture) = mesh.texture_coords.as_mut().filter(|texture| texture.coords.len() == count) {
        let coords = originals.iter().filter_map(|&vertex| texture.coords.get(vertex));
        texture.coords = texture.coords.iter().chain(coords).collect();
    }
    if let Some(known) = &mut mesh.vertex_colors {
        let colors: HashMap<usize, [f64; 4]> =
            known.colors.iter().map(|&(vertex, color)| (vertex as usize, color)).collect();
        let of_copies = (count..).zip(originals);
        known.colors.extend(of_copies.filter_map(|(copy, vertex)| Some((copy as u32, *colors.get(vertex)?))));
    }
    let words = mesh.decl_data.iter_mut().map(|data| &mut data.data);
    for words in words.chain(mesh.fvf_data.iter_mut().map(|data| &mut data.data)) {
        let size = words.len() / count;
        for &vertex in originals {
            words.extend_from_within(vertex * size..(vertex + 1) * size);
        }
    }
    mesh.duplication = None;
}
