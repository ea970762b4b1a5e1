//! Cross-sections of a surface, which move with it.

use bindpose_core::model::Mesh;
use glam::{DMat3, DVec3, Vec3};
use std::collections::HashMap;

/// Largest number of planes.
const MOST_PLANES: usize = 128;
/// Directions in which widths are measured, evenly spread over half a turn.
const DIRECTIONS: u32 = 16;
/// Planes nearer to each other than this share of their range are one.
const APART: f64 = 1e-4;
/// Smallest measured width of a section, as a share of its largest: a flat one has none across it.
const FLAT: f64 = 1e-3;
/// Share below which a width is 0.
const COLLAPSED: f64 = 1e-5;
/// Smallest area of a section that encloses something, as a share of its least width's square.
const LEAST_AREA: f64 = 1e-2;

/// Point of a triangle's edge.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CutPoint {
    mesh: usize,
    corners: [u32; 2],
    /// 0 at the first corner, 1 at the second.
    share: f64,
}

impl CutPoint {
    fn at(&self, positions: &[Vec<Vec3>]) -> DVec3 {
        let [from, to] = self.corners.map(|corner| positions[self.mesh][corner as usize].as_dvec3());
        from.lerp(to, self.share)
    }
}

/// Connected cut of a surface by a plane. Its points belong to edges of triangles and move with them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Section {
    /// Ends of one segment per cut triangle, in the order of its winding.
    points: Vec<CutPoint>,
    /// The points before, relative to their mean.
    before: Vec<DVec3>,
    /// Unit vectors in the plane, and the width before in each, in model units; without those in which it is flat.
    widths: Vec<(DVec3, f64)>,
    /// Area before, in square model units.
    area: f64,
}

impl Section {
    fn new(points: Vec<CutPoint>, positions: &[Vec<Vec3>], [first, second]: [DVec3; 2]) -> Self {
        let before = relative(&points, positions);
        let all = (0..DIRECTIONS).map(|number| {
            let (sin, cos) = (std::f64::consts::PI * f64::from(number) / f64::from(DIRECTIONS)).sin_cos();
            let direction = cos * first + sin * second;
            (direction, extent(&before, direction))
        });
        let all: Vec<(DVec3, f64)> = all.collect();
        let widest = all.iter().map(|(_, width)| *width).fold(0.0, f64::max);
        let widths = all.into_iter().filter(|(_, width)| *width > FLAT * widest).collect();
        Self { widths, area: area(&before), before, points }
    }

    /// Returns the least width before, in model units.
    pub(super) fn width(&self) -> f64 {
        self.widths.iter().map(|(_, width)| *width).fold(f64::INFINITY, f64::min)
    }

    /// Returns the smallest share left of the width in any direction, and the share left of the area; without an area
    /// before, `None`.
    ///
    /// A direction turns with the section: it points to where the points are now that were far along it before.
    pub(super) fn left(&self, positions: &[Vec<Vec3>]) -> (f64, Option<f64>) {
        let now = relative(&self.points, positions);
        let column = |axis: DVec3| now.iter().zip(&self.before).map(|(now, before)| now * before.dot(axis)).sum();
        let moved = DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
        let size = self.before.iter().map(|before| before.length_squared()).sum::<f64>();
        let shares = self.widths.iter().map(|&(direction, width)| {
            let direction = moved * direction;
            // The direction of rounding errors means nothing: no width is left.
            if direction.length() < COLLAPSED * size { 0.0 } else { extent(&now, direction.normalize()) / width }
        });
        // NaN has no width.
        let width = shares.map(|share| if share.is_nan() { 0.0 } else { share }).fold(f64::INFINITY, f64::min);
        let encloses = self.area > LEAST_AREA * self.width().powi(2);
        (width, encloses.then(|| area(&now) / self.area))
    }
}

/// Cuts meshes by planes across `along` wherever the blended `triangles` have vertices, and half-way between. Returns the
/// connected cuts of which at least half belongs to these triangles; the first direction of each is that of `axis`, if
/// that is in the plane. `positions` by mesh and vertex, in model space.
pub(super) fn sections(
    meshes: &[Mesh],
    positions: &[Vec<Vec3>],
    (origin, along, axis): (DVec3, DVec3, DVec3),
    triangles: &[(usize, [u32; 3])],
) -> Vec<Section> {
    let second = along.cross(axis).try_normalize().unwrap_or_else(|| along.any_orthonormal_vector());
    let axes = [second.cross(along), second];
    let height = |mesh: usize, corner: u32| (positions[mesh][corner as usize].as_dvec3() - origin).dot(along);
    let blended: std::collections::HashSet<(usize, [u32; 3])> = triangles.iter().copied().collect();
    let welded = welded(positions);
    let heights = triangles.iter().flat_map(|&(mesh, corners)| corners.map(|corner| height(mesh, corner)));
    let mut sections = Vec::new();
    for plane in planes(heights.collect()) {
        let mut parts = Parts::default();
        for (mesh, of_mesh) in meshes.iter().enumerate() {
            for &corners in &of_mesh.triangles {
                let heights = corners.map(|corner| height(mesh, corner) - plane);
                // A vertex in the plane counts as above it.
                let Some(apex) = (0..3).find(|&one| {
                    let [one, next, last] = [0, 1, 2].map(|turn| heights[(one + turn) % 3] >= 0.0);
                    one != next && next == last
                }) else {
                    continue;
                };
                let end = |other: usize| {
                    let corners = [corners[apex], corners[other % 3]];
                    CutPoint { mesh, corners, share: heights[apex] / (heights[apex] - heights[other % 3]) }
                };
                let mut ends = [end(apex + 1), end(apex + 2)];
                if heights[apex] < 0.0 {
                    ends.reverse();
                }
                let edge = |point: CutPoint| {
                    let [a, b] = point.corners.map(|corner| welded[mesh][corner as usize]);
                    [a.min(b), a.max(b)]
                };
                parts.add(ends.map(edge), ends, blended.contains(&(mesh, corners)));
            }
        }
        sections.extend(parts.blended().map(|points| Section::new(points, positions, axes)));
    }
    sections
}

/// Segments in connected parts.
#[derive(Default)]
struct Parts {
    /// Index of the part of each cut edge between welded vertices.
    of_edges: HashMap<[usize; 2], usize>,
    /// For each part, the one that it joined, or itself.
    joined: Vec<usize>,
    /// Part, ends, and true for a blended triangle.
    segments: Vec<(usize, [CutPoint; 2], bool)>,
}

impl Parts {
    fn add(&mut self, edges: [[usize; 2]; 2], ends: [CutPoint; 2], is_blended: bool) {
        let [one, other] = edges.map(|edge| {
            let part = *self.of_edges.entry(edge).or_insert_with(|| {
                self.joined.push(self.joined.len());
                self.joined.len() - 1
            });
            self.whole(part)
        });
        self.joined[other] = one;
        self.segments.push((one, ends, is_blended));
    }

    fn whole(&self, mut part: usize) -> usize {
        while self.joined[part] != part {
            part = self.joined[part];
        }
        part
    }

    /// Returns the points of parts that belong to blended triangles by half or more.
    fn blended(self) -> impl Iterator<Item = Vec<CutPoint>> {
        let mut parts: std::collections::BTreeMap<usize, (usize, Vec<CutPoint>)> = std::collections::BTreeMap::new();
        for &(part, ends, is_blended) in &self.segments {
            let (blended, points) = parts.entry(self.whole(part)).or_default();
            *blended += usize::from(is_blended);
            points.extend(ends);
        }
        parts.into_values().filter(|(blended, points)| 4 * blended >= points.len()).map(|(_, points)| points)
    }
}

/// Numbers positions, by mesh and vertex: equal ones, within a hundred-thousandth of the size, have the same number.
pub(super) fn welded(positions: &[Vec<Vec3>]) -> Vec<Vec<usize>> {
    let (min, max) =
        bindpose_core::model::bounds_of(positions.iter().flatten().map(Vec3::as_dvec3)).unwrap_or_default();
    let cell = (1e-5 * min.distance(max)).max(f64::MIN_POSITIVE);
    let mut known = HashMap::new();
    let mut number = |position: &Vec3| {
        let next = known.len();
        *known.entry((position.as_dvec3() / cell).round().as_i64vec3().to_array()).or_insert(next)
    };
    positions.iter().map(|positions| positions.iter().map(&mut number).collect()).collect()
}

/// Returns the heights of vertices and those half-way between, without the ends.
fn planes(mut heights: Vec<f64>) -> Vec<f64> {
    heights.sort_by(f64::total_cmp);
    let apart = heights.first().zip(heights.last()).map_or(0.0, |(first, last)| APART * (last - first));
    heights.dedup_by(|next, kept| *next - *kept <= apart);
    let between = heights.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
    let mut planes: Vec<f64> = heights.iter().copied().chain(between).collect();
    planes.sort_by(f64::total_cmp);
    let inner = planes.len().saturating_sub(1).max(1);
    planes[1.min(planes.len())..inner.min(planes.len())].iter().copied().step_by(inner.div_ceil(MOST_PLANES)).collect()
}

/// Returns points relative to their mean.
fn relative(points: &[CutPoint], positions: &[Vec<Vec3>]) -> Vec<DVec3> {
    let points: Vec<DVec3> = points.iter().map(|point| point.at(positions)).collect();
    let mean = points.iter().sum::<DVec3>() / points.len() as f64;
    points.into_iter().map(|point| point - mean).collect()
}

/// Returns the length of the points' projection on a direction.
fn extent(points: &[DVec3], direction: DVec3) -> f64 {
    let ends = points.iter().map(|point| point.dot(direction)).fold(None, |ends: Option<(f64, f64)>, at| {
        Some(ends.map_or((at, at), |(min, max)| (min.min(at), max.max(at))))
    });
    ends.map_or(0.0, |(min, max)| max - min)
}

/// Returns the area inside the segments between pairs of points: the largest of their projections on a plane.
fn area(points: &[DVec3]) -> f64 {
    points.chunks_exact(2).map(|ends| ends[0].cross(ends[1])).sum::<DVec3>().length() / 2.0
}
