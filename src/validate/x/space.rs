//! Checks of frames' matrices and of vertex positions: visible faults that no reader tests for.

use super::spans::{head_of, objects_of, words_of};
use crate::checks::outliers::{self, Spike};
use crate::codes::x as rules;
use crate::finding::Findings;
use crate::taint::Part;
use bindpose_parsers::x::{self, Document, Matrix, Text, Tree};
use glam::{DMat4, DVec3};
use std::cell::OnceCell;

/// Volume spanned by the normalised rows of a matrix below which it counts as flat.
const FLAT: f64 = 1e-6;
/// Largest deviation of the fourth column of a matrix from 0 0 0 1. Exporters print six decimals.
const AFFINE: f64 = 1e-3;
/// Smallest reported distance of a vertex from its nearest neighbour, as a multiple of the size of the rest of its
/// mesh. Cones are shorter.
const SPIKE: f64 = 20.0;
/// Number of bones from which their distances indicate a size.
const FEWEST_BONES: usize = 3;
/// Plausible distances of the middle vertex from the bones that move it, as a fraction of the skeleton's size. Outside
/// this range the units differ.
const USUAL: std::ops::RangeInclusive<f64> = 0.002..=2.0;

/// Reports matrices of frames that are flat or not affine.
pub(super) fn check_frames(document: &Document, tree: &Tree, findings: &mut Findings) {
    let objects = OnceCell::new();
    for frame in &document.frames {
        let Some(fault) = frame.matrix().and_then(matrix_fault) else { continue };
        let objects = objects.get_or_init(|| objects_of(tree, "Frame"));
        let matrices = objects.get(&frame.span.start).into_iter().flat_map(|object| object.objects());
        let matrix = matrices.filter(|object| object.is("FrameTransformMatrix")).last();
        if matrix.is_some_and(|matrix| findings.broken.within(&[Part::Records, Part::Number], matrix.span)) {
            continue;
        }
        let span = matrix.map_or(head_of(frame.span, "Frame"), |matrix| head_of(matrix.span, "FrameTransformMatrix"));
        let name = frame.name.as_ref().map_or_else(String::new, Text::to_name);
        findings.add(rules::FRAME_MATRIX, span, || format!("the matrix of frame '{name}' {fault}"));
    }
}

/// Reports offset matrices of bones that are flat or not affine.
pub(super) fn check_offsets(mesh: &x::Mesh, index: usize, findings: &mut Findings) {
    for (bone, skin) in mesh.skin_weights.iter().enumerate().filter(|(_, skin)| !skin.weights.is_empty()) {
        let is_known = !findings.broken.within(&[Part::Number], skin.span);
        let Some(fault) = matrix_fault(&skin.matrix_offset).filter(|_| is_known) else { continue };
        findings.add_at(rules::FRAME_MATRIX, skin.bone.span, format_args!("mesh[{index}].skin[{bone}]"), || {
            format!("the offset matrix of bone '{}' {fault}", skin.bone.to_name())
        });
    }
}

/// Returns the fault of a matrix, as a predicate of "the matrix".
fn matrix_fault(matrix: &Matrix) -> Option<&'static str> {
    let [a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, _, _, _, d3] = *matrix;
    let axes = [DVec3::new(a0, a1, a2), DVec3::new(b0, b1, b2), DVec3::new(c0, c1, c2)];
    let [a, b, c] = axes.map(DVec3::normalize_or_zero);
    match () {
        () if axes.contains(&DVec3::ZERO) => Some("has a row of zeros: it flattens what it moves"),
        () if a.cross(b).dot(c).abs() < FLAT => Some("has rows in one plane: it flattens what it moves"),
        () if [a3, b3, c3, d3 - 1.0].iter().any(|part| part.abs() > AFFINE) => {
            Some("is not affine: its last column is not 0, 0, 0, 1")
        }
        () => None,
    }
}

/// Reports vertices very far from the rest of their mesh.
pub(super) fn check_spikes(mesh: &x::Mesh, index: usize, bytes: &[u8], format: x::BodyFormat, findings: &mut Findings) {
    let points: Vec<DVec3> = mesh.vertices.iter().map(DVec3::from_array).collect();
    let sides = |corners: &[u32]| -> Vec<(u32, u32)> {
        corners.iter().copied().zip(corners.iter().copied().cycle().skip(1)).collect()
    };
    let edges = mesh.faces.iter().flat_map(sides);
    for Spike { vertex, distance, share } in outliers::spikes(&points, edges, 0.0) {
        if share < SPIKE {
            continue;
        }
        // The count, then three numbers for each vertex.
        let place = (format == x::BodyFormat::Text).then(|| words_of(bytes, mesh.span).nth(1 + 3 * vertex)).flatten();
        let span = place.unwrap_or(head_of(mesh.span, "Mesh"));
        findings.add_at(rules::FAR_VERTEX, span, format_args!("mesh[{index}].vertex[{vertex}]"), || {
            format!("vertex {vertex} of mesh {index} is {distance:.2} units from its nearest neighbour, {share:.0} times the size of the rest of the mesh")
        });
    }
}

/// Compares the typical distance of a vertex from its bones with the size of the skeleton, both in mesh space.
pub(super) fn check_unit(mesh: &x::Mesh, index: usize, findings: &mut Findings) {
    let bone = |skin: &x::SkinWeights| {
        let inverse = DMat4::from_cols_array(&skin.matrix_offset).inverse();
        inverse.is_finite().then(|| inverse.w_axis.truncate())
    };
    let bones: Vec<Option<DVec3>> = mesh.skin_weights.iter().map(bone).collect();
    let size = outliers::diagonal(bones.iter().flatten().copied());
    if bones.iter().flatten().count() < FEWEST_BONES || size <= 0.0 {
        return;
    }
    let point = |vertex: u32| mesh.vertices.get(vertex as usize).map(DVec3::from_array);
    let mut distances: Vec<f64> = Vec::new();
    for (skin, bone) in mesh.skin_weights.iter().zip(&bones) {
        let Some(bone) = bone else { continue };
        let used = skin.weights.iter().filter(|(_, weight)| *weight > 0.0);
        distances.extend(used.filter_map(|&(vertex, _)| Some(point(vertex)?.distance(*bone) / size)));
    }
    distances.sort_unstable_by(f64::total_cmp);
    let Some(&usual) = distances.get(distances.len() / 2).filter(|usual| !USUAL.contains(usual)) else { return };
    findings.add_at(rules::OTHER_UNIT, head_of(mesh.span, "Mesh"), format_args!("mesh[{index}]"), || {
        format!(
            "half of the vertices are at least {usual:.4} times the skeleton's size away from their bones: mesh and \
             skeleton seem to be in different units"
        )
    });
}
