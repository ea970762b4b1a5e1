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

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::super::{MethodId, Prepared, TimedPose};
    use super::*;
    use crate::pose::ModelPose;
    use glam::Vec3;

    fn run(skeleton: &crate::model::Skeleton, mesh: &Mesh, pose: &ModelPose) -> Skinned {
        let prepared = Prepared::new(MethodId::Ddm, skeleton, mesh, &[], None).unwrap();
        Skinned::reference(&prepared, TimedPose { pose, time: 0.0 })
    }

    /// Returns the smoothing matrix of all steps, element by element.
    fn smoothing(mesh: &Mesh, step: f64) -> Vec<Vec<f64>> {
        let count = mesh.vertex_count();
        let joined = |a: usize, b: usize| {
            a != b && mesh.triangles.iter().any(|it| it.contains(&(a as u32)) && it.contains(&(b as u32)))
        };
        let once: Vec<Vec<f64>> = (0..count)
            .map(|a| {
                let degree = (0..count).filter(|&b| joined(a, b)).count() as f64;
                let share = |b: usize| if joined(a, b) { step / degree } else { 0.0 };
                (0..count).map(|b| if a == b { 1.0 - step } else { share(b) }).collect()
            })
            .collect();
        let mut all: Vec<Vec<f64>> =
            (0..count).map(|a| (0..count).map(|b| f64::from(u8::from(a == b))).collect()).collect();
        for _ in 0..ITERATIONS {
            let row = |row: &Vec<f64>| (0..count).map(|b| (0..count).map(|k| row[k] * once[k][b]).sum()).collect();
            all = all.iter().map(row).collect();
        }
        all
    }

    /// Delta mush without precomputed sums: the skinned surface is smoothed, and each vertex rotates with its
    /// surroundings, whose rotation Newton's iteration finds (Higham 1986).
    #[test]
    fn agrees_with_sums_over_the_surface() {
        let (skeleton, _, tube) = testing::tube(2.0, 1.0, 6, 5);
        let pose = testing::turned(
            &skeleton,
            &[(0, DQuat::from_rotation_y(0.4)), (1, DQuat::from_scaled_axis(DVec3::new(0.7, 0.2, 1.1)))],
        );
        let palette = testing::palette_of(&tube, &pose);
        let out = run(&skeleton, &tube, &pose);
        let [surface, weights] = [LAMBDA, KAPPA].map(|step| smoothing(&tube, step));
        let at_rest: Vec<DVec3> = tube.positions.iter().map(|position| position.as_dvec3()).collect();
        let extent = tube.bounds().map_or(0.0, |(min, max)| f64::from(min.distance(max)));
        let blended = |vertex: usize| {
            let parts = tube.influences_of(vertex).iter().map(|it| (palette[it.slot as usize], f64::from(it.weight)));
            parts.collect::<Vec<_>>()
        };
        let skin = |vertex: usize, point: DVec3| {
            blended(vertex).iter().map(|(entry, weight)| entry.transform_point3(point) * *weight).sum::<DVec3>()
        };
        for vertex in 0..tube.vertex_count() {
            let shares = &surface[vertex];
            let around =
                |point: &dyn Fn(usize) -> DVec3| (0..at_rest.len()).map(|k| point(k) * shares[k]).sum::<DVec3>();
            let centre = around(&|k| at_rest[k]);
            let smoothed = around(&|k| skin(k, at_rest[k]));
            let mut spread = DMat3::ZERO;
            for (k, share) in shares.iter().enumerate() {
                let (from, to) = (at_rest[k] - centre, (skin(k, at_rest[k]) - smoothed) * *share);
                spread += DMat3::from_cols(to * from.x, to * from.y, to * from.z);
                let ball = (BALL * extent).powi(2) * share;
                blended(k).iter().for_each(|(entry, weight)| spread += entry.matrix3 * (ball * weight));
            }
            for _ in 0..60 {
                spread = (spread + spread.inverse().transpose()) * 0.5;
            }
            let by_weights: DVec3 = weights[vertex].iter().enumerate().map(|(k, share)| skin(k, centre) * *share).sum();
            let moved = smoothed * (1.0 - ALPHA) + by_weights * ALPHA;
            let expected = spread * (at_rest[vertex] - centre) + moved;
            assert!(out.positions[vertex].distance(expected) < 1e-6, "{} instead of {expected}", out.positions[vertex]);
            let normal = spread * tube.normals[vertex].as_dvec3();
            assert!(out.normals[vertex].distance(normal) < 1e-6, "{} instead of {normal}", out.normals[vertex]);
        }
    }

    /// A seam is two rows of vertices at the same positions. Both sides move together.
    #[test]
    fn seams_stay_closed() {
        let (skeleton, _, tube) = testing::tube(2.0, 1.0, 6, 5);
        let mut split = tube.clone();
        let count = tube.vertex_count() as u32;
        for vertex in 0..tube.vertex_count() {
            split.positions.push(tube.positions[vertex]);
            split.normals.push(-tube.normals[vertex]);
            split.tangents.push(tube.tangents[vertex]);
            split.uvs.push(tube.uvs[vertex]);
            split.source_vertices.push(vertex as u32);
            split.influences.extend(tube.influences_of(vertex));
            split.influence_starts.push(split.influences.len() as u32);
        }
        for corners in split.triangles.iter_mut().step_by(2) {
            *corners = corners.map(|corner| corner + count);
        }
        let pose = testing::turned(&skeleton, &[(1, DQuat::from_rotation_z(1.3))]);
        let (whole, split) = (run(&skeleton, &tube, &pose), run(&skeleton, &split, &pose));
        for vertex in 0..tube.vertex_count() {
            assert_eq!(split.positions[vertex], whole.positions[vertex]);
            assert_eq!(split.positions[vertex + count as usize], whole.positions[vertex]);
        }
    }

    /// A fan of triangles with one joint per rim vertex. After one step its hub has all joints, after two every vertex.
    /// The second step reads 2.5e7 parts for 5000 joints. For 4000 it reads 1.6e7, but creates as many, of 88 bytes
    /// each.
    #[test]
    fn meshes_that_need_minutes_or_gigabytes_are_refused() {
        let refused = |rim: usize| {
            let (skeleton, bind) = testing::skeleton(&vec![(None, crate::model::Transform::IDENTITY); rim]);
            let weights: Vec<[(u32, f32); 1]> = (0..rim as u32).map(|joint| [(joint, 1.0)]).collect();
            let place = |k: usize| Vec3::new((k as f32).cos(), (k as f32).sin(), k as f32);
            let mut vertices: Vec<_> =
                weights.iter().enumerate().map(|(k, weights)| (place(k), &weights[..])).collect();
            vertices.push((Vec3::ZERO, &[(0, 1.0)]));
            let triangles = (1..rim as u32).map(|k| [rim as u32, k - 1, k]).collect();
            let mesh = testing::mesh(&skeleton, &bind, &vertices, triangles);
            Prepared::new(MethodId::Ddm, &skeleton, &mesh, &[], None).unwrap_err().to_string()
        };
        let refusal = refused(5000);
        assert!(refusal.ends_with("weights, more than the limit of 16777216"), "{refusal}");
        assert_eq!(refused(4000), "delta mush needs more than 256 MiB for this model");
    }
}
