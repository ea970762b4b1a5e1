//! Multi-weight enveloping (Wang and Phillips 2002): a weight for every element of every joint's matrix, fitted to
//! examples by least squares.
//!
//! Ours: matrices relative to the vertex' heaviest joint, about its bind position, so that the result moves with the
//! model; an exact bind pose; and a ridge that keeps the weights near those of the file, instead of principal components.

use super::corrections::{Preparation, Used};
use super::linear::{moved_normal, push_frame};
use super::rbf::solve;
use super::rotation::bind_origin;
use super::skinned::Skinned;
use crate::model::Mesh;
use glam::{DAffine3, DMat3, DVec3};
use rayon::prelude::*;

/// Weight of the distance from the file's weights, relative to the square of the vertex' distance from its joint.
const RIDGE: f64 = 1e-4;

/// Elements of three rows of a matrix.
type Rows = [[f64; 4]; 3];

/// Weights of one mesh.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MultiWeights {
    /// Weights of three rows of four elements, for each influence of the mesh.
    pub of_influences: Vec<[[f32; 4]; 3]>,
}

/// Fits the weights of a mesh, whose influences are sorted by weight, to examples. Returns also the largest distance from
/// one of them.
pub(super) fn fit(input: &Preparation<'_>, mesh: &Mesh, used: &[Used<'_>]) -> (MultiWeights, f64) {
    let palettes: Vec<Vec<DAffine3>> = used.iter().map(|it| input.example_palette(mesh, it)).collect();
    let fitted = |vertex: usize| {
        let shape = |it: &Used<'_>| it.shape(mesh, vertex).map(|[position, _]| position);
        let poses: Vec<(Frame, DVec3)> = palettes
            .iter()
            .zip(used)
            .filter_map(|(palette, it)| Some((Frame::new(mesh, palette, vertex)?, shape(it)?)))
            .collect();
        fit_vertex(mesh, vertex, &poses)
    };
    let fitted: Vec<(Vec<[[f32; 4]; 3]>, f64)> = (0..mesh.vertex_count()).into_par_iter().map(fitted).collect();
    let error = fitted.iter().map(|(_, error)| *error).fold(0.0, f64::max);
    (MultiWeights { of_influences: fitted.into_iter().flat_map(|(weights, _)| weights).collect() }, error)
}

/// Matrices of a vertex' influences, relative to the first.
struct Frame {
    /// Map of the first influence.
    head: DAffine3,
    /// Bind position of its joint.
    pivot: DVec3,
    relative: Vec<Rows>,
}

impl Frame {
    fn new(mesh: &Mesh, palette: &[DAffine3], vertex: usize) -> Option<Self> {
        let influences = mesh.influences_of(vertex);
        let slot = influences.first()?.slot as usize;
        let (head, pivot) = (palette[slot], bind_origin(&mesh.bind[slot]));
        let (back, away) = (head.inverse(), DAffine3::from_translation(-pivot));
        let rows = |map: DAffine3| {
            let columns = [map.matrix3.x_axis, map.matrix3.y_axis, map.matrix3.z_axis, map.translation];
            std::array::from_fn(|row| columns.map(|column| column[row]))
        };
        let relative = influences.iter().map(|it| rows(away * back * palette[it.slot as usize] * away.inverse()));
        Some(Self { relative: relative.collect(), head, pivot })
    }

    /// Returns the map of the vertex, with the weights of its influences.
    fn map(&self, weights: &[[[f32; 4]; 3]]) -> DAffine3 {
        let sum: Rows = std::array::from_fn(|row| {
            std::array::from_fn(|column| {
                self.relative.iter().zip(weights).map(|(m, w)| m[row][column] * f64::from(w[row][column])).sum()
            })
        });
        let column = |column: usize| DVec3::new(sum[0][column], sum[1][column], sum[2][column]);
        let local = DAffine3::from_mat3_translation(DMat3::from_cols(column(0), column(1), column(2)), column(3));
        self.head * DAffine3::from_translation(self.pivot) * local * DAffine3::from_translation(-self.pivot)
    }
}

/// Fits the weights of one vertex' influences to its positions in poses.
fn fit_vertex(mesh: &Mesh, vertex: usize, poses: &[(Frame, DVec3)]) -> (Vec<[[f32; 4]; 3]>, f64) {
    let influences = mesh.influences_of(vertex);
    let mut weights: Vec<[[f32; 4]; 3]> = influences.iter().map(|it| [[it.weight; 4]; 3]).collect();
    let Some((first, _)) = poses.first() else { return (weights, 0.0) };
    let at = mesh.positions[vertex].as_dvec3() - first.pivot;
    let point = [at.x, at.y, at.z, 1.0];
    let unknowns = 4 * influences.len();
    for row in 0..3 {
        let mut equations = vec![vec![0.0; unknowns + 1]; unknowns];
        for (number, equation) in equations.iter_mut().enumerate() {
            equation[number] = RIDGE * at.length_squared().max(1e-12);
        }
        for (frame, shown) in poses {
            let mut terms: Vec<f64> =
                frame.relative.iter().flat_map(|m| (0..4).map(|column| m[row][column] * point[column])).collect();
            let blended: f64 =
                terms.iter().zip(influences.iter().flat_map(|it| [it.weight; 4])).map(|(t, w)| t * f64::from(w)).sum();
            let left = (frame.head.inverse().transform_point3(*shown) - frame.pivot)[row] - blended;
            // In the bind pose only the elements of the diagonal count. Changes of their weights cancel out.
            let mean = terms.iter().skip(row).step_by(4).sum::<f64>() / influences.len() as f64;
            terms.iter_mut().skip(row).step_by(4).for_each(|term| *term -= mean);
            for (equation, own) in equations.iter_mut().zip(&terms) {
                equation.iter_mut().zip(terms.iter().chain([&left])).for_each(|(sum, other)| *sum += own * other);
            }
        }
        for (number, change) in solve(equations).into_iter().flatten().enumerate() {
            weights[number / 4][row][number % 4] += change as f32;
        }
    }
    let position = mesh.positions[vertex].as_dvec3();
    let apart = |(frame, shown): &(Frame, DVec3)| frame.map(&weights).transform_point3(position).distance(*shown);
    let error = poses.iter().map(apart).fold(0.0, f64::max);
    (weights, error)
}

/// Computes `p = M_h (sum_i W_i * (inverse(M_h) M_i)) v`, with products of elements, about the bind position of the
/// heaviest joint `h`. `mesh` must be sorted by weight.
pub(super) fn skin(mesh: &Mesh, weights: &MultiWeights, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    for vertex in 0..mesh.vertex_count() {
        let Some(frame) = Frame::new(mesh, palette, vertex) else {
            push_frame(out, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
            continue;
        };
        let [start, end] = [vertex, vertex + 1].map(|index| mesh.influence_starts[index] as usize);
        let map = frame.map(&weights.of_influences[start..end]);
        let tangent = map.matrix3 * mesh.tangent(vertex).truncate().as_dvec3();
        let normal = moved_normal(&map.matrix3, mesh.normals[vertex].as_dvec3());
        push_frame(out, map.transform_point3(mesh.positions[vertex].as_dvec3()), normal, tangent);
    }
}
