//! What lies under the pointer: joints and vertices.

use super::VertexRef;
use super::Viewport;
use crate::model::Mesh;
use crate::pose::ModelPose;
use glam::{Vec2, Vec3};
use std::collections::BTreeSet;

/// The joint nearest to a pixel, at most `reach` pixels from it; of those at one place the last, which has no other
/// place to be picked at.
pub fn joint_at(viewport: &Viewport, posed: &ModelPose, pixel: Vec2, reach: f32) -> Option<usize> {
    let seen = posed.0.iter().enumerate().filter_map(|(joint, place)| {
        let distance = viewport.project(place.translation.as_vec3())?.distance(pixel);
        (distance <= reach).then_some((joint, distance))
    });
    seen.min_by(|(a, near), (b, far)| near.total_cmp(far).then(b.cmp(a))).map(|(joint, _)| joint)
}

/// The vertex of the foremost triangle at a pixel that is nearest to it.
///
/// `positions` are the vertices of all meshes in world space; those of `hidden` meshes are not there.
pub fn vertex_at(
    viewport: &Viewport,
    meshes: &[Mesh],
    positions: &[Vec<Vec3>],
    hidden: &BTreeSet<usize>,
    pixel: Vec2,
) -> Option<VertexRef> {
    let (origin, direction) = viewport.ray(pixel);
    let mut nearest: Option<(f32, VertexRef)> = None;
    for (number, (mesh, positions)) in meshes.iter().zip(positions).enumerate() {
        if hidden.contains(&number) {
            continue;
        }
        for corners in &mesh.triangles {
            let places = corners.map(|corner| positions.get(corner as usize).copied().unwrap_or(Vec3::NAN));
            let Some(distance) = hit(origin, direction, places) else { continue };
            if nearest.is_some_and(|(known, _)| known <= distance) {
                continue;
            }
            let place = origin + direction * distance;
            let by_distance = |&a: &usize, &b: &usize| places[a].distance(place).total_cmp(&places[b].distance(place));
            let corner = (0..3).min_by(by_distance).unwrap_or(0);
            nearest = Some((distance, VertexRef { mesh: number, vertex: corners[corner] as usize }));
        }
    }
    nearest.map(|(_, vertex)| vertex)
}

/// How far along a ray it meets a triangle, from either side (Möller and Trumbore, 1997).
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
    use crate::player::viewport::tests::view;
    use glam::DAffine3;

    #[test]
    fn the_nearest_joint_within_reach_is_picked() {
        let view = view();
        let at = |y: f64, z: f64| DAffine3::from_translation(glam::DVec3::new(0.0, y, z));
        let posed = ModelPose(vec![at(0.0, 0.0), at(0.0, 2.0), at(0.0, 2.0), at(0.5, 2.0)]);
        let pixel = view.project(Vec3::new(0.0, 0.0, 2.0)).unwrap();
        assert_eq!(joint_at(&view, &posed, pixel, 8.0), Some(2), "the last of two at one place");
        let pixel = view.project(Vec3::new(0.0, 0.5, 2.0)).unwrap() + Vec2::new(3.0, 3.0);
        assert_eq!(joint_at(&view, &posed, pixel, 8.0), Some(3));
        assert_eq!(joint_at(&view, &posed, pixel, 2.0), None);
    }

    #[test]
    fn the_foremost_triangle_that_is_shown_is_picked() {
        let view = view();
        let square = |x: f32| {
            let corner = |y: f32, z: f32| Vec3::new(x, y, z);
            vec![corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, 3.0), corner(-1.0, 3.0)]
        };
        let mesh = Mesh { triangles: vec![[0, 1, 2], [0, 2, 3]], ..Mesh::default() };
        let meshes = [mesh.clone(), mesh];
        let positions = [square(-1.0), square(0.5)];
        let pixel = view.project(Vec3::new(0.5, 0.8, 2.8)).unwrap();
        let picked = |hidden: &[usize]| vertex_at(&view, &meshes, &positions, &hidden.iter().copied().collect(), pixel);
        assert_eq!(picked(&[]), Some(VertexRef { mesh: 1, vertex: 2 }));
        assert_eq!(picked(&[1]), Some(VertexRef { mesh: 0, vertex: 2 }));
        assert_eq!(picked(&[0, 1]), None);
    }
}
