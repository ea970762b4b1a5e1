//! Joints and vertices under the pointer.

use super::{VertexRef, Viewport};
use bindpose_core::model::Mesh;
use bindpose_core::pose::ModelPose;
use glam::{Vec2, Vec3};
use std::collections::BTreeSet;

/// Returns the joint nearest to a pixel, at most `reach` pixels away. Of several at one position, returns the last.
pub fn joint_at(viewport: &Viewport, posed: &ModelPose, pixel: Vec2, reach: f32) -> Option<usize> {
    let seen = posed.0.iter().enumerate().filter_map(|(joint, transform)| {
        let distance = viewport.project(transform.translation.as_vec3())?.distance(pixel);
        (distance <= reach).then_some((joint, distance))
    });
    seen.min_by(|(a, near), (b, far)| near.total_cmp(far).then(b.cmp(a))).map(|(joint, _)| joint)
}

/// Returns the vertex nearest to a pixel on the foremost triangle there. If there is no triangle, uses one with an edge
/// at most `reach` pixels away, because the tip of a spike can be thinner than a pixel.
///
/// `positions` are the vertices of all meshes in world space. `hidden` meshes are skipped.
pub fn vertex_at(
    viewport: &Viewport,
    meshes: &[Mesh],
    positions: &[Vec<Vec3>],
    hidden: &BTreeSet<usize>,
    pixel: Vec2,
    reach: f32,
) -> Option<VertexRef> {
    let (origin, direction) = viewport.ray(pixel);
    let hit_corner = |corners: [Vec3; 3]| {
        let distance = hit(origin, direction, corners)?;
        let point = origin + direction * distance;
        Some((distance, nearest(corners.map(|corner| corner.distance(point)))))
    };
    let near_corner = |corners: [Vec3; 3]| {
        let [a, b, c] = corners.map(|corner| viewport.project(corner));
        let [a, b, c] = [a?, b?, c?];
        let edges = [(a, b), (b, c), (c, a)].map(|(a, b)| from_segment(pixel, a, b));
        let distance = edges.into_iter().fold(f32::INFINITY, f32::min);
        (distance <= reach).then(|| (distance, nearest([a, b, c].map(|corner| corner.distance(pixel)))))
    };
    let best = |corner: &dyn Fn([Vec3; 3]) -> Option<(f32, usize)>| {
        let mut best: Option<(f32, VertexRef)> = None;
        for (number, (mesh, positions)) in meshes.iter().zip(positions).enumerate() {
            for corners in mesh.triangles.iter().filter(|_| !hidden.contains(&number)) {
                let points = corners.map(|corner| positions.get(corner as usize).copied().unwrap_or(Vec3::NAN));
                let Some((distance, corner)) = corner(points) else { continue };
                if best.is_none_or(|(known, _)| distance < known) {
                    best = Some((distance, VertexRef { mesh: number, vertex: corners[corner] as usize }));
                }
            }
        }
        best.map(|(_, vertex)| vertex)
    };
    best(&hit_corner).or_else(|| best(&near_corner))
}

/// Returns the index of the smallest distance.
fn nearest(distances: [f32; 3]) -> usize {
    (0..3).min_by(|&a, &b| distances[a].total_cmp(&distances[b])).unwrap_or(0)
}

/// Returns the distance of a pixel from the line segment between two others.
pub(super) fn from_segment(pixel: Vec2, a: Vec2, b: Vec2) -> f32 {
    let along = (pixel - a).dot(b - a) / (b - a).length_squared().max(f32::MIN_POSITIVE);
    pixel.distance(a.lerp(b, along.clamp(0.0, 1.0)))
}

/// True if a triangle hides a point from a viewer far away in a direction. Triangles that touch the point are ignored.
///
/// `positions` are the vertices of all meshes, in the space of point and direction.
pub fn is_hidden(meshes: &[Mesh], positions: &[Vec<Vec3>], point: Vec3, to_viewer: Vec3) -> bool {
    let mut triangles = meshes.iter().zip(positions).flat_map(|(mesh, positions)| {
        let point_of = |corner: u32| positions.get(corner as usize).copied().unwrap_or(Vec3::NAN);
        mesh.triangles.iter().map(move |corners| corners.map(point_of))
    });
    triangles.any(|corners| !corners.contains(&point) && hit(point, to_viewer, corners).is_some())
}

/// Returns the distance along a ray to a triangle, from either side (Möller and Trumbore, 1997).
fn hit(origin: Vec3, direction: Vec3, [a, b, c]: [Vec3; 3]) -> Option<f32> {
    let (ab, ac) = (b - a, c - a);
    let across = direction.cross(ac);
    let determinant = ab.dot(across);
    if determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    let from_a = (origin - a) / determinant;
    let u = from_a.dot(across);
    let q = from_a.cross(ab);
    let v = direction.dot(q);
    let distance = ac.dot(q);
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance >= 0.0).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewport::tests::view;
    use glam::DAffine3;

    #[test]
    fn the_nearest_joint_within_reach_is_picked() {
        let view = view();
        let at = |y: f64, z: f64| DAffine3::from_translation(glam::DVec3::new(0.0, y, z));
        let posed = ModelPose(vec![at(0.0, 0.0), at(0.0, 2.0), at(0.0, 2.0), at(0.5, 2.0)]);
        let pixel = view.project(Vec3::new(0.0, 0.0, 2.0)).unwrap();
        assert_eq!(joint_at(&view, &posed, pixel, 8.0), Some(2), "the last of two at one position");
        let pixel = view.project(Vec3::new(0.0, 0.5, 2.0)).unwrap() + Vec2::new(3.0, 3.0);
        assert_eq!(joint_at(&view, &posed, pixel, 8.0), Some(3));
        assert_eq!(joint_at(&view, &posed, pixel, 2.0), None);
    }

    #[test]
    fn the_foremost_visible_triangle_is_picked() {
        let view = view();
        let square = |x: f32| {
            let corner = |y: f32, z: f32| Vec3::new(x, y, z);
            vec![corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, 3.0), corner(-1.0, 3.0)]
        };
        let mesh = Mesh { triangles: vec![[0, 1, 2], [0, 2, 3]], ..Mesh::default() };
        let meshes = [mesh.clone(), mesh];
        let positions = [square(-1.0), square(0.5)];
        let pixel = view.project(Vec3::new(0.5, 0.8, 2.8)).unwrap();
        let picked =
            |hidden: &[usize]| vertex_at(&view, &meshes, &positions, &hidden.iter().copied().collect(), pixel, 0.0);
        assert_eq!(picked(&[]), Some(VertexRef { mesh: 1, vertex: 2 }));
        assert_eq!(picked(&[1]), Some(VertexRef { mesh: 0, vertex: 2 }));
        assert_eq!(picked(&[0, 1]), None);
    }

    /// A square in front of a point hides it from the front, but not from behind. It does not hide its own corners.
    #[test]
    fn a_point_behind_a_triangle_is_hidden() {
        let square = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[y, z]| Vec3::new(0.0, y, z)).to_vec();
        let meshes = [Mesh { triangles: vec![[0, 1, 2], [0, 2, 3]], ..Mesh::default() }];
        let corner = square[0];
        let hidden = |point: Vec3, side: Vec3| is_hidden(&meshes, std::slice::from_ref(&square), point, side);
        assert!(hidden(Vec3::new(-2.0, 0.5, 0.2), Vec3::X) && !hidden(Vec3::new(-2.0, 0.5, 0.2), Vec3::NEG_X));
        assert!(!hidden(Vec3::new(-2.0, 1.5, 0.2), Vec3::X) && !hidden(corner, Vec3::X));
    }

    #[test]
    fn a_tip_thinner_than_a_pixel_is_picked() {
        let view = view();
        let mesh = Mesh { triangles: vec![[0, 1, 2]], ..Mesh::default() };
        let spike = [Vec3::new(0.0, -1.0, 2.0), Vec3::new(0.0, -1.0, 2.001), Vec3::new(0.0, 1.0, 3.0)];
        let (meshes, positions) = ([mesh], [spike.to_vec()]);
        let tip = view.project(spike[2]).unwrap();
        let picked = |away: f32, hidden: &BTreeSet<usize>| {
            vertex_at(&view, &meshes, &positions, hidden, tip + Vec2::new(away, 0.0), 10.0)
        };
        assert_eq!(picked(6.0, &BTreeSet::new()), Some(VertexRef { mesh: 0, vertex: 2 }));
        assert_eq!(picked(11.0, &BTreeSet::new()), None);
        assert_eq!(picked(6.0, &BTreeSet::from([0])), None);
    }
}
