//! Normals and tangents for files that lack them.

use foldhash::{HashMap, HashMapExt};
use glam::{Vec2, Vec3, Vec4};

/// Computes unit vertex normals from counter-clockwise triangles: unit face normals summed without weights, merged over
/// bit-identical positions.
///
/// A vertex without a non-degenerate face gets +Z.
pub fn normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| positions[corner as usize]);
        let face = (b - a).cross(c - a).normalize_or_zero();
        corners.iter().for_each(|&corner| normals[corner as usize] += face);
    }
    let first = first_of_place(positions);
    for vertex in 0..normals.len() {
        if first[vertex] != vertex {
            let normal = normals[vertex];
            normals[first[vertex]] += normal;
        }
    }
    for vertex in 0..normals.len() {
        normals[vertex] = normals[first[vertex]];
    }
    normals.into_iter().map(|normal| normal.try_normalize().unwrap_or(Vec3::Z)).collect()
}

/// Returns the first vertex at exactly the same position, for each vertex; possibly itself.
fn first_of_place(positions: &[Vec3]) -> Vec<usize> {
    let mut places = HashMap::with_capacity(positions.len());
    let key = |position: Vec3| {
        // Adding zero turns -0 into 0, which compares equal as a float.
        let [x, y, z] = (position + Vec3::ZERO).to_array().map(f32::to_bits);
        (u64::from(x) | u64::from(y) << 32, z)
    };
    positions.iter().enumerate().map(|(vertex, &position)| *places.entry(key(position)).or_insert(vertex)).collect()
}

/// True if a triangle's texture is not mirrored, or if it has no area in texture space.
fn polarity(uvs: [Vec2; 3]) -> bool {
    let area = (uvs[1] - uvs[0]).perp_dot(uvs[2] - uvs[0]);
    // Triangles are counter-clockwise and v points down, so an unmirrored texture has a negative area.
    area <= 1e-20
}

/// Splits vertices that triangles of both texture polarities use, so that each side gets its own tangent.
///
/// Returns the original of each vertex to append. `triangles` then use these copies
/// (docs/formats/md5.md "Normals and tangents", step 1).
pub(crate) fn split_mirrored(uvs: &[Vec2], triangles: &mut [[u32; 3]]) -> Vec<u32> {
    let mut seen: Vec<Option<bool>> = vec![None; uvs.len()];
    let mut copies: HashMap<u32, u32> = HashMap::default();
    let mut copied = Vec::new();
    for corners in triangles {
        let side = polarity(corners.map(|corner| uvs[corner as usize]));
        for corner in corners {
            let first = *seen[*corner as usize].get_or_insert(side);
            if first != side {
                *corner = *copies.entry(*corner).or_insert_with(|| {
                    copied.push(*corner);
                    (uvs.len() + copied.len() - 1) as u32
                });
            }
        }
    }
    copied
}

/// Computes unit tangents towards +u, perpendicular to `normals`, with the sign of the bitangent in w: `bitangent = w *
/// cross(normal, tangent)` points towards +v.
///
/// Tangents are unweighted sums of the faces' unit tangents (docs/formats/md5.md "Normals and tangents"). If the
/// texture coordinates give none, any perpendicular direction is used.
pub fn tangents(positions: &[Vec3], normals: &[Vec3], uvs: &[Vec2], triangles: &[[u32; 3]]) -> Vec<Vec4> {
    let mut along_u = vec![Vec3::ZERO; positions.len()];
    let mut along_v = vec![Vec3::ZERO; positions.len()];
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| positions[corner as usize]);
        let [uv_a, uv_b, uv_c] = corners.map(|corner| uvs[corner as usize]);
        let (edge_1, edge_2, uv_1, uv_2) = (b - a, c - a, uv_b - uv_a, uv_c - uv_a);
        let sign = uv_1.perp_dot(uv_2).signum();
        let tangent = ((edge_1 * uv_2.y - edge_2 * uv_1.y) * sign).normalize_or_zero();
        let bitangent = ((edge_2 * uv_1.x - edge_1 * uv_2.x) * sign).normalize_or_zero();
        for &corner in corners {
            along_u[corner as usize] += tangent;
            along_v[corner as usize] += bitangent;
        }
    }
    let vertex_tangent = |vertex: usize| {
        let normal = normals[vertex];
        let tangent = along_u[vertex].reject_from_normalized(normal).try_normalize();
        let tangent = tangent.unwrap_or_else(|| normal.any_orthonormal_vector());
        let sign = if normal.cross(tangent).dot(along_v[vertex]) < 0.0 { -1.0 } else { 1.0 };
        tangent.extend(sign)
    };
    (0..positions.len()).map(vertex_tangent).collect()
}

/// Computes unit normals and tangents for a material with `unsmoothedTangents`: each vertex gets those of its largest
/// triangle, the first among equals. The sign of the bitangent is in w, as in [`tangents`].
///
/// A vertex without a non-degenerate face gets +Z (docs/formats/md5.md "Normals and tangents").
pub(crate) fn of_largest_triangles(positions: &[Vec3], uvs: &[Vec2], triangles: &[[u32; 3]]) -> (Vec<Vec3>, Vec<Vec4>) {
    // Twice the area, and the triangle.
    let mut largest: Vec<(f32, Option<[u32; 3]>)> = vec![(0.0, None); positions.len()];
    for &corners in triangles {
        let [a, b, c] = corners.map(|corner| positions[corner as usize]);
        let area = (b - a).cross(c - a).length();
        for corner in corners {
            let known = &mut largest[corner as usize];
            if area > known.0 {
                *known = (area, Some(corners));
            }
        }
    }
    let of_vertex = |(_, corners): &(f32, Option<[u32; 3]>)| {
        let Some(corners) = *corners else { return (Vec3::Z, Vec3::Z.any_orthonormal_vector().extend(1.0)) };
        let points = corners.map(|corner| positions[corner as usize]);
        let uvs = corners.map(|corner| uvs[corner as usize]);
        let normal = normals(&points, &[[0, 1, 2]])[0];
        (normal, tangents(&points, &[normal; 3], &uvs, &[[0, 1, 2]])[0])
    };
    largest.iter().map(of_vertex).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the square of the parsers' base mesh, in model winding: positions, texture coordinates, triangles.
    fn square() -> (Vec<Vec3>, Vec<Vec2>, Vec<[u32; 3]>) {
        let positions = [[0., 0.], [8., 0.], [8., 8.], [0., 8.]].map(|[x, y]| Vec3::new(x, y, 0.0));
        let uvs = [[0., 0.], [1., 0.], [1., 1.], [0., 1.]].map(|[u, v]| Vec2::new(u, v));
        (positions.to_vec(), uvs.to_vec(), vec![[0, 1, 2], [0, 2, 3]])
    }

    /// Case M01: "normals (0,0,+1), T (+1,0,0), B (0,+1,0)".
    #[test]
    fn the_base_mesh_has_the_normals_and_tangents_of_the_engine() {
        let (positions, uvs, triangles) = square();
        let normals = normals(&positions, &triangles);
        assert_eq!(normals, [Vec3::Z; 4]);
        let tangents = tangents(&positions, &normals, &uvs, &triangles);
        for tangent in tangents {
            assert_eq!(tangent.truncate(), Vec3::X);
            assert_eq!(Vec3::Z.cross(tangent.truncate()) * tangent.w, Vec3::Y);
        }
    }

    /// A cube's corner as three vertices. Doom 3 merges them by pairs, which gives not all three the diagonal.
    #[test]
    fn three_coincident_vertices_share_a_normal() {
        let corner = Vec3::ZERO;
        let positions = [corner, Vec3::X, Vec3::Y, corner, Vec3::Y, Vec3::Z, corner, Vec3::Z, Vec3::X];
        let triangles = [[0, 2, 1], [3, 5, 4], [6, 8, 7]];
        let diagonal = Vec3::splat(-1.0).normalize();
        let corrected = normals(&positions, &triangles);
        for vertex in [0, 3, 6] {
            assert!(corrected[vertex].distance(diagonal) < 1e-6);
        }
    }

    /// A roof: the first vertices belong to both slopes, and the second slope is larger.
    #[test]
    fn each_vertex_takes_the_normal_and_tangent_of_its_largest_triangle() {
        let positions = [[0., 0., 1.], [0., 1., 1.], [-1., 0., 0.], [2., 0., -1.]].map(Vec3::from_array);
        // On the larger slope u runs along +y and v down the slope.
        let uvs = [[0., 0.], [1., 0.], [0., 1.], [0., 1.]].map(Vec2::from_array);
        let (normals, tangents) = of_largest_triangles(&positions, &uvs, &[[0, 1, 2], [0, 3, 1]]);
        let (left, right) = (Vec3::new(-1.0, 0.0, 1.0).normalize(), Vec3::new(1.0, 0.0, 1.0).normalize());
        for (vertex, normal) in [right, right, left, right].into_iter().enumerate() {
            assert!(normals[vertex].distance(normal) < 1e-6, "{vertex}: {}", normals[vertex]);
            assert!(tangents[vertex].truncate().distance(Vec3::Y) < 1e-6, "{vertex}: {}", tangents[vertex]);
        }
        // Bitangents point down each slope: to the right on one, to the left on the other.
        for (vertex, side) in [1.0, 1.0, -1.0, 1.0].into_iter().enumerate() {
            let bitangent = normals[vertex].cross(tangents[vertex].truncate()) * tangents[vertex].w;
            assert!(bitangent.x * side > 0.5, "{vertex}: {bitangent}");
        }
        let alone = of_largest_triangles(&positions, &uvs, &[[0, 0, 1]]);
        assert_eq!(alone.0, [Vec3::Z; 4]);
    }

    #[test]
    fn a_vertex_on_a_mirror_seam_is_split_once() {
        let uvs = [[0., 0.], [1., 0.], [1., 1.], [0., 0.5]].map(|[u, v]| Vec2::new(u, v));
        let mut triangles = vec![[0, 1, 2], [0, 2, 1], [0, 1, 2]];
        let copies = split_mirrored(&uvs, &mut triangles);
        assert_eq!(copies, [0, 2, 1]);
        assert_eq!(triangles, [[0, 1, 2], [4, 5, 6], [0, 1, 2]]);
    }
}
