//! Conversion of an implicit surface to triangles by marching tetrahedra, for the left half, closed at y = 0.

use glam::DVec3;
use std::collections::BTreeMap;

/// Triangles over positions, counter-clockwise seen from outside.
#[derive(Debug, Clone, Default)]
pub struct Surface {
    /// Vertex positions.
    pub positions: Vec<DVec3>,
    /// Vertex indices.
    pub triangles: Vec<[u32; 3]>,
}

/// Returns the part of `distance(p) = 0` inside the box from `low` to `high`, on a grid of cubes of `size`.
///
/// Each cube is six tetrahedra around its diagonal, so adjacent cubes match. The surface ends in a clean edge where it
/// leaves the box.
pub fn polygonise(low: DVec3, high: DVec3, size: f64, distance: impl Fn(DVec3) -> f64) -> Surface {
    let cells = ((high - low) / size).ceil();
    let [nx, ny, nz] = [cells.x as usize + 1, cells.y as usize + 1, cells.z as usize + 1];
    let corner = |i: usize| {
        let (x, y, z) = (i % nx, i / nx % ny, i / (nx * ny));
        low + DVec3::new(x as f64, y as f64, z as f64) * size
    };
    let values: Vec<f64> = (0..nx * ny * nz).map(|i| distance(corner(i))).collect();
    let mut surface = Surface::default();
    let mut on_edge: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    let mut cut = |a: usize, b: usize, surface: &mut Surface| {
        *on_edge.entry((a.min(b), a.max(b))).or_insert_with(|| {
            let share = values[a] / (values[a] - values[b]);
            surface.positions.push(corner(a).lerp(corner(b), share.clamp(0.02, 0.98)));
            surface.positions.len() as u32 - 1
        })
    };
    // Paths along x, y, z in every order: six paths from a cube's first corner to its last.
    let (dx, dy, dz) = (1, nx, nx * ny);
    let paths = [[dx, dy, dz], [dy, dz, dx], [dz, dx, dy], [dy, dx, dz], [dx, dz, dy], [dz, dy, dx]];
    for first in (0..nx * ny * nz).filter(|i| i % nx + 1 < nx && i / nx % ny + 1 < ny && i / (nx * ny) + 1 < nz) {
        let cube = [0, dx, dy, dx + dy, dz, dx + dz, dy + dz, dx + dy + dz];
        let inside = cube.iter().filter(|&&step| values[first + step] < 0.0).count();
        if inside == 0 || inside == 8 {
            continue;
        }
        for (number, path) in paths.iter().enumerate() {
            let tetrahedron = [first, first + path[0], first + path[0] + path[1], first + path[0] + path[1] + path[2]];
            // The first three paths are even permutations of the axes, the others odd: their tetrahedra are mirrored.
            let turned = number >= 3;
            let (within, without): (Vec<usize>, Vec<usize>) = (0..4).partition(|&n| values[tetrahedron[n]] < 0.0);
            let mut emit = |corners: [(usize, usize); 3], flip: bool| {
                let [a, b, c] = corners.map(|(from, to)| cut(tetrahedron[from], tetrahedron[to], &mut surface));
                surface.triangles.push(if flip != turned { [a, c, b] } else { [a, b, c] });
            };
            match (&within[..], &without[..]) {
                (&[a], &[b, c, d]) => emit([(a, b), (a, c), (a, d)], a % 2 == 1),
                (&[b, c, d], &[a]) => emit([(a, b), (a, c), (a, d)], a % 2 == 0),
                (&[a, b], &[c, d]) => {
                    let odd = odd_permutation([a, b, c, d]);
                    emit([(a, c), (b, c), (b, d)], !odd);
                    emit([(a, c), (b, d), (a, d)], !odd);
                }
                _ => {}
            }
        }
    }
    surface
}

fn odd_permutation(order: [usize; 4]) -> bool {
    let mut swaps = 0;
    for i in 0..4 {
        for j in i + 1..4 {
            swaps += usize::from(order[i] > order[j]);
        }
    }
    swaps % 2 == 1
}

/// Adds the mirror image at y = 0 to a half whose edge is there.
pub fn mirror(half: &Surface) -> Surface {
    let mut whole = half.clone();
    let image: Vec<u32> = (0..half.positions.len())
        .map(|vertex| {
            let position = half.positions[vertex];
            if position.y == 0.0 {
                return vertex as u32;
            }
            whole.positions.push(DVec3::new(position.x, -position.y, position.z));
            whole.positions.len() as u32 - 1
        })
        .collect();
    whole.triangles.extend(half.triangles.iter().map(|&[a, b, c]| [a, c, b].map(|vertex| image[vertex as usize])));
    whole
}
