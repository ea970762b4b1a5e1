//! Direct delta mush (Le and Lewis 2019): the smoothing of delta mush, computed once.
//!
//! From the paper: every vertex rotates with the surface around it, about that surface's centre. Smoothing matrices
//! over the mesh define the surface and each joint's share of it. Everything that does not depend on the pose is summed
//! in advance into one symmetric 4x4 matrix per vertex and joint. Ours: smoothing in explicit steps over vertices that
//! share an edge (all with equal weight, as in delta mush, Mancewicz et al. 2014); vertices with equal position and
//! weights are welded, so that seams stay closed; and a small ball for each vertex ([`BALL`]).

use super::cost::Reduced;
use super::joined::Joined;
use super::linear::push_turned;
use super::polar::nearest_rotation;
use super::skinned::Skinned;
use super::unavailable::{MAX_MUSH_BYTES, MAX_MUSH_PARTS, Unavailable};
use crate::model::{Influence, Mesh};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of smoothing steps: the paper's `p`.
pub(super) const ITERATIONS: usize = 30;
/// Share of the neighbours in each smoothing step, for the surface that determines the rotation.
pub(super) const LAMBDA: f64 = 0.9;
/// Share of the neighbours for the weights that move the centre. Less than [`LAMBDA`].
pub(super) const KAPPA: f64 = 0.5;
/// Share of the centre moved by smoothed weights. The smoothed surface moves the rest.
pub(super) const ALPHA: f64 = 0.5;
/// Radius of the ball that replaces every vertex, as a fraction of the mesh's extent. It gives planes, lines and single
/// vertices a rotation.
pub(super) const BALL: f64 = 1e-3;

/// Half of a symmetric 4x4 matrix: sums of `u u^T` for homogeneous bind positions `u`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Moments {
    /// Elements xx, xy, xz, yy, yz, zz.
    square: [f64; 6],
    /// Elements x, y, z.
    first: DVec3,
    /// Sum of the shares.
    weight: f64,
}

impl Moments {
    fn of_ball(centre: DVec3, radius: f64) -> Self {
        let DVec3 { x, y, z } = centre;
        let own = radius * radius;
        Self { square: [x * x + own, x * y, x * z, y * y + own, y * z, z * z + own], first: centre, weight: 1.0 }
    }

    /// Converts the sums to another origin.
    fn about(&self, slot: u32, origin: DVec3) -> MushPart {
        let [xx, xy, xz, yy, yz, zz] = self.square;
        let DVec3 { x, y, z } = origin;
        let (f, w) = (self.first, self.weight);
        let square = [
            xx - 2.0 * x * f.x + w * x * x,
            xy - x * f.y - y * f.x + w * x * y,
            xz - x * f.z - z * f.x + w * x * z,
            yy - 2.0 * y * f.y + w * y * y,
            yz - y * f.z - z * f.y + w * y * z,
            zz - 2.0 * z * f.z + w * z * z,
        ];
        MushPart { slot, square, first: f - w * origin, weight: w }
    }

    fn square(&self) -> DMat3 {
        let [xx, xy, xz, yy, yz, zz] = self.square;
        DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
    }
}

/// A quantity that can be smoothed.
trait Smooth: Copy + Default + Send + Sync {
    fn add(&mut self, other: &Self, share: f64);
}

impl Smooth for f64 {
    fn add(&mut self, other: &Self, share: f64) {
        *self += other * share;
    }
}

impl Smooth for Moments {
    fn add(&mut self, other: &Self, share: f64) {
        for (own, other) in self.square.iter_mut().zip(other.square) {
            *own += other * share;
        }
        self.first += other.first * share;
        self.weight += other.weight * share;
    }
}

/// Parts of one vertex, sorted by slot.
type Row<T> = Vec<(u32, T)>;

/// Data that direct delta mush computes for a mesh, once per model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeltaMush {
    /// Row in `rows` of each vertex.
    row_of: Vec<u32>,
    rows: Vec<Arc<MushRow>>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct MushRow {
    /// The paper's omega for each joint. The weights sum to one.
    parts: Row<Moments>,
    /// Centre of the surface around the vertex, in the bind pose's model space.
    centre: DVec3,
}

/// Smooths the surface of all meshes, so that seams stay closed. Every mesh gets the joints of all, since joints of
/// another mesh may move the surface around a vertex.
pub(super) fn prepare(meshes: &mut [Reduced]) -> Result<Vec<DeltaMush>, Unavailable> {
    let Joined { mesh, vertices } = Joined::new(meshes);
    let mush = DeltaMush::new(&mesh)?;
    let part = |(own, vertices): (&mut Reduced, Range<usize>)| {
        let [start, end] = [vertices.start, vertices.end].map(|vertex| mesh.influence_starts[vertex] as usize);
        own.mesh.influences = mesh.influences[start..end].to_vec();
        own.mesh.bind.clone_from(&mesh.bind);
        mush.of_vertices(vertices)
    };
    Ok(meshes.iter_mut().zip(vertices).map(part).collect())
}

impl DeltaMush {
    fn new(mesh: &Mesh) -> Result<Self, Unavailable> {
        let Welded { row_of, vertices, neighbours } = Welded::new(mesh);
        let (min, max) = mesh.bounds().unwrap_or_default();
        let radius = BALL * f64::from(min.distance(max));
        let weights: Vec<Row<f64>> = vertices.iter().map(|&vertex| weights_of(mesh, vertex as usize)).collect();
        let moments = vertices.iter().zip(&weights).map(|(&vertex, weights)| {
            let ball = Moments::of_ball(mesh.positions[vertex as usize].as_dvec3(), radius);
            let part = |&(slot, weight): &(u32, f64)| {
                let mut part = Moments::default();
                part.add(&ball, weight);
                (slot, part)
            };
            weights.iter().map(part).collect()
        });
        let surface = smoothed(moments.collect(), &neighbours, LAMBDA)?;
        let weights = smoothed(weights, &neighbours, KAPPA)?;
        let rows = surface.iter().zip(&weights).map(|(parts, weights)| MushRow::new(parts, weights).into()).collect();
        Ok(Self { row_of, rows })
    }

    fn of_vertices(&self, vertices: Range<usize>) -> Self {
        let mut known: HashMap<u32, u32> = HashMap::new();
        let mut part = Self::default();
        for row in &self.row_of[vertices] {
            let next = part.rows.len() as u32;
            let own = *known.entry(*row).or_insert(next);
            if own == next {
                part.rows.push(Arc::clone(&self.rows[*row as usize]));
            }
            part.row_of.push(own);
        }
        part
    }

    /// Returns the row of a vertex of the mesh. Welded vertices share one.
    pub fn row_of(&self, vertex: usize) -> usize {
        self.row_of[vertex] as usize
    }

    /// Returns the centre of the surface in the bind pose's model space, and the parts, for each row.
    pub fn rows(&self) -> impl Iterator<Item = (DVec3, impl ExactSizeIterator<Item = MushPart>)> {
        self.rows.iter().map(|row| (row.centre, row.parts.iter().map(|(slot, part)| part.about(*slot, row.centre))))
    }
}

/// A joint's part of the surface around a vertex: sums over that surface, relative to its centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MushPart {
    /// Slot in the mesh's palette.
    pub slot: u32,
    /// Sums of products of two coordinates: xx, xy, xz, yy, yz, zz.
    pub square: [f64; 6],
    /// Sums of coordinates.
    pub first: DVec3,
    /// Sum of shares. The shares of a vertex sum to 1.
    pub weight: f64,
}

impl MushRow {
    /// Computes `(1 - ALPHA) * psi + ALPHA * w' * [p p^T, p; p^T, 1]`, with the common centre `p` of all psi.
    fn new(psi: &[(u32, Moments)], weights: &[(u32, f64)]) -> Self {
        let mut whole = Moments::default();
        psi.iter().for_each(|(_, part)| whole.add(part, 1.0));
        let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
        // Weights may cancel, and a vertex may have no influences. Then there is nothing to divide by.
        if whole.weight.abs() < 1e-12 || sum.abs() < 1e-12 {
            return Self::default();
        }
        let centre = whole.first / whole.weight;
        let at_centre = Moments::of_ball(centre, 0.0);
        let part = |&(slot, ref psi): &(u32, Moments)| {
            let mut part = Moments::default();
            part.add(psi, (1.0 - ALPHA) / whole.weight);
            if let Ok(index) = weights.binary_search_by_key(&slot, |&(slot, _)| slot) {
                part.add(&at_centre, ALPHA * weights[index].1 / sum);
            }
            (slot, part)
        };
        Self { parts: psi.iter().map(part).collect(), centre }
    }

    /// Returns the rotation and translation of a vertex. With `Q = sum M_j omega_j = [A, q; p^T, 1]`: the rotation
    /// nearest to `A - q p^T`, and the translation that then moves `p` to `q`.
    fn motion(&self, palette: &[DAffine3]) -> (DQuat, DVec3) {
        let (mut turned, mut moved) = (DMat3::ZERO, DVec3::ZERO);
        for &(slot, ref part) in &self.parts {
            let entry = &palette[slot as usize];
            let t = entry.translation;
            let outer = DMat3::from_cols(t * part.first.x, t * part.first.y, t * part.first.z);
            turned += entry.matrix3 * part.square() + outer;
            moved += entry.matrix3 * part.first + t * part.weight;
        }
        let p = self.centre;
        let rotation = nearest_rotation(&(turned - DMat3::from_cols(moved * p.x, moved * p.y, moved * p.z)));
        (rotation, moved - rotation * p)
    }
}

/// Returns the weights of a vertex, sorted by slot.
fn weights_of(mesh: &Mesh, vertex: usize) -> Row<f64> {
    let row = |influence: &Influence| vec![(influence.slot, f64::from(influence.weight))];
    let rows: Vec<Row<f64>> = mesh.influences_of(vertex).iter().map(row).collect();
    sum(rows.iter().map(|row| (row, 1.0)))
}

/// Returns the weighted sum of rows.
fn sum<'a, T: Smooth + 'a>(rows: impl Iterator<Item = (&'a Row<T>, f64)> + Clone) -> Row<T> {
    let mut slots: Vec<u32> = rows.clone().flat_map(|(row, _)| row).map(|&(slot, _)| slot).collect();
    slots.sort_unstable();
    slots.dedup();
    let mut sum: Row<T> = slots.iter().map(|&slot| (slot, T::default())).collect();
    for (row, share) in rows {
        for (slot, part) in row {
            if let Ok(index) = slots.binary_search(slot) {
                sum[index].1.add(part, share);
            }
        }
    }
    sum
}

/// Applies [`ITERATIONS`] steps of `x_i = (1 - step) x_i + step * (mean of its neighbours)`.
fn smoothed<T: Smooth>(mut rows: Vec<Row<T>>, neighbours: &[Vec<u32>], step: f64) -> Result<Vec<Row<T>>, Unavailable> {
    for _ in 0..ITERATIONS {
        let read = |around: &Vec<u32>| around.iter().map(|&other| rows[other as usize].len() as u64).sum::<u64>();
        let parts: u64 = neighbours.iter().map(read).sum();
        if parts > MAX_MUSH_PARTS {
            return Err(Unavailable::TooManyParts { parts });
        }
        let bytes = AtomicU64::new(0);
        let next = (0..rows.len()).into_par_iter().map(|number| {
            let around = &neighbours[number];
            let share = step / around.len().max(1) as f64;
            let others = around.iter().map(|&other| (&rows[other as usize], share));
            let own = if around.is_empty() { 1.0 } else { 1.0 - step };
            let row = sum(others.chain([(&rows[number], own)]));
            let size = size_of_val(&row[..]) as u64;
            (bytes.fetch_add(size, Ordering::Relaxed) + size <= MAX_MUSH_BYTES).then_some(row)
        });
        rows = next.collect::<Option<_>>().ok_or(Unavailable::TooManyBytes)?;
    }
    Ok(rows)
}

/// A mesh whose vertices with equal position and weights are merged.
struct Welded {
    /// For each vertex of the mesh, its index among the welded vertices.
    row_of: Vec<u32>,
    /// For each welded vertex, one vertex of the mesh.
    vertices: Vec<u32>,
    /// For each welded vertex, the welded vertices that share an edge with it, ascending.
    neighbours: Vec<Vec<u32>>,
}

impl Welded {
    fn new(mesh: &Mesh) -> Self {
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        let (mut row_of, mut vertices) = (Vec::new(), Vec::new());
        for vertex in 0..mesh.vertex_count() {
            let mut key: Vec<u32> = mesh.positions[vertex].to_array().map(f32::to_bits).to_vec();
            let mut weights: Vec<_> =
                mesh.influences_of(vertex).iter().map(|it| [it.slot, it.weight.to_bits()]).collect();
            weights.sort_unstable();
            key.extend(weights.concat());
            let next = vertices.len() as u32;
            let row = *known.entry(key).or_insert(next);
            if row == next {
                vertices.push(vertex as u32);
            }
            row_of.push(row);
        }
        let mut neighbours = vec![Vec::new(); vertices.len()];
        for corners in &mesh.triangles {
            let [a, b, c] = corners.map(|corner| row_of[corner as usize]);
            for [from, to] in [[a, b], [b, c], [c, a]] {
                if from != to {
                    neighbours[from as usize].push(to);
                    neighbours[to as usize].push(from);
                }
            }
        }
        for around in &mut neighbours {
            around.sort_unstable();
            around.dedup();
        }
        Self { row_of, vertices, neighbours }
    }
}

/// Computes `p = R v + t`, with the rotation and translation of the surface around each vertex.
pub(super) fn skin(mesh: &Mesh, mush: &DeltaMush, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    let motions: Vec<(DQuat, DVec3)> = mush.rows.par_iter().map(|row| row.motion(palette)).collect();
    for (vertex, &row) in mush.row_of.iter().enumerate() {
        let (rotation, moved) = motions[row as usize];
        let position = rotation * mesh.positions[vertex].as_dvec3() + moved;
        push_turned(out, mesh, vertex, position, rotation);
    }
}
