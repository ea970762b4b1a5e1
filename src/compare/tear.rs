//! Tears of a posed surface: gaps between meshes, stretched triangles, and triangles that are turned over.

use super::section::welded;
use bindpose_core::model::Model;
use glam::Vec3;
use serde::Serialize;
use std::collections::HashMap;

/// A triangle with an edge of more than this multiple of its length at rest is stretched.
pub const STRETCHED: f32 = 4.0;

/// Tears of a method in a pose, or the largest of several poses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Tears {
    /// Largest distance between vertices of different meshes that have one position at rest, beyond that in the weighted
    /// sum, as a share of the model's extent.
    pub gap: f64,
    /// Triangles with an edge of more than [`STRETCHED`] times its length at rest.
    pub stretched: usize,
    /// Triangles that face against the normals of their vertices, and did not at rest.
    pub turned_over: usize,
}

impl Tears {
    /// Returns the larger of each value.
    pub fn max(self, other: Self) -> Self {
        Self {
            gap: self.gap.max(other.gap),
            stretched: self.stretched.max(other.stretched),
            turned_over: self.turned_over.max(other.turned_over),
        }
    }
}

/// A model's surface at rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Whole {
    /// Pairs of mesh and vertex with one position in different meshes.
    pairs: Vec<[(usize, usize); 2]>,
    /// Positions by mesh and vertex, in model space.
    positions: Vec<Vec<Vec3>>,
}

/// Vertices in model space, by mesh.
#[derive(Clone, Copy)]
pub struct Surface<'a> {
    /// Positions.
    pub positions: &'a [Vec<Vec3>],
    /// Normals.
    pub normals: &'a [Vec<Vec3>],
}

impl Whole {
    /// Finds the seams between meshes. `positions` are those at rest.
    pub fn new(positions: Vec<Vec<Vec3>>) -> Self {
        let mut first: HashMap<usize, (usize, usize)> = HashMap::new();
        let mut pairs = Vec::new();
        for (mesh, numbers) in welded(&positions).into_iter().enumerate() {
            for (vertex, number) in numbers.into_iter().enumerate() {
                let known = *first.entry(number).or_insert((mesh, vertex));
                if known.0 != mesh {
                    pairs.push([known, (mesh, vertex)]);
                }
            }
        }
        Self { pairs, positions }
    }

    /// Measures the tears of a posed surface. `sum` are the positions in the weighted sum of that pose, and `extent` is
    /// the model's, in model units.
    pub fn tears(&self, model: &Model, posed: Surface<'_>, sum: &[Vec<Vec3>], extent: f64) -> Tears {
        let apart = |of: &[Vec<Vec3>], [one, other]: [(usize, usize); 2]| {
            f64::from(of[one.0][one.1].distance(of[other.0][other.1]))
        };
        let gaps = self.pairs.iter().map(|&pair| apart(posed.positions, pair) - apart(sum, pair));
        let mut tears = Tears { gap: gaps.fold(0.0, f64::max) / extent.max(f64::MIN_POSITIVE), ..Tears::default() };
        for (number, mesh) in model.meshes.iter().enumerate() {
            for triangle in &mesh.triangles {
                let corners = |of: &[Vec<Vec3>]| triangle.map(|corner| of[number][corner as usize]);
                let (before, now) = (corners(&self.positions), corners(posed.positions));
                let is_long =
                    |&(a, b): &(usize, usize)| now[a].distance(now[b]) > STRETCHED * before[a].distance(before[b]);
                tears.stretched += usize::from([(0, 1), (1, 2), (2, 0)].iter().any(is_long));
                let faces = |[a, b, c]: [Vec3; 3], normals: [Vec3; 3]| {
                    (b - a).cross(c - a).normalize_or_zero().dot(normals.iter().sum::<Vec3>().normalize_or_zero())
                };
                let at_rest = faces(before, triangle.map(|corner| mesh.normals[corner as usize]));
                tears.turned_over += usize::from(at_rest > 0.0 && faces(now, corners(posed.normals)) < -FACES);
            }
        }
        tears
    }
}

/// Cosine beyond which a triangle faces against its normals: 6 degrees of tolerance.
const FACES: f32 = 0.1;

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::model::Mesh;

    /// Two triangles that meet at an edge, in a mesh each.
    fn halves() -> (Model, [Vec<Vec<Vec3>>; 2]) {
        let mesh = |corners: [[f32; 2]; 3]| Mesh {
            positions: corners.map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec(),
            normals: vec![Vec3::Z; 3],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        };
        let meshes = vec![mesh([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), mesh([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])];
        let of = |of: &dyn Fn(&Mesh) -> Vec<Vec3>| meshes.iter().map(of).collect::<Vec<_>>();
        let surface = [of(&|mesh| mesh.positions.clone()), of(&|mesh| mesh.normals.clone())];
        (Model { meshes, ..Model::default() }, surface)
    }

    #[test]
    fn gaps_stretched_and_turned_triangles_are_counted() {
        let (model, [rest, normals]) = halves();
        let whole = Whole::new(rest.clone());
        let tears = |positions: &[Vec<Vec3>], sum: &[Vec<Vec3>]| {
            whole.tears(&model, Surface { positions, normals: &normals }, sum, 10.0)
        };
        assert_eq!(tears(&rest, &rest), Tears::default());
        // One of the two common corners moves by 0.5 in one mesh: a twentieth of the size.
        let mut torn = rest.clone();
        torn[1][0].x += 0.5;
        assert_eq!(tears(&torn, &rest), Tears { gap: 0.05, ..Tears::default() });
        assert_eq!(tears(&torn, &torn).gap, 0.0);
        // A corner moves across the opposite edge: turned over, and no edge is more than four times as long.
        let mut turned = rest.clone();
        turned[1][1] = Vec3::new(-0.5, 0.5, 0.0);
        assert_eq!(tears(&turned, &rest), Tears { turned_over: 1, ..Tears::default() });
        for (length, stretched) in [(3.99, 0), (4.01, 1)] {
            let mut long = rest.clone();
            long[1][1].y = length;
            assert_eq!(tears(&long, &rest).stretched, stretched, "{length}");
        }
    }
}
