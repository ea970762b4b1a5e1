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

/// The vertex of the foremost triangle at a pixel that is nearest to it; where there is none, of one that is at most `reach`
/// pixels from it: what flies away from a mesh ends in a tip that no pixel lies on.
///
/// `positions` are the vertices of all meshes in world space; those of `hidden` meshes are not there.
pub fn vertex_at(
    viewport: &Viewport,
    meshes: &[Mesh],
    positions: &[Vec<Vec3>],
    hidden: &BTreeSet<usize>,
    pixel: Vec2,
    reach: f32,
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
    let thin = || corner_near(viewport, meshes, positions, hidden, pixel, reach);
    nearest.map(|(_, vertex)| vertex).or_else(thin)
}

/// The corner nearest to a pixel of the triangle with an edge nearest to it, at most `reach` pixels from it.
fn corner_near(
    viewport: &Viewport,
    meshes: &[Mesh],
    positions: &[Vec<Vec3>],
    hidden: &BTreeSet<usize>,
    pixel: Vec2,
    reach: f32,
) -> Option<VertexRef> {
    let mut nearest: Option<(f32, VertexRef)> = None;
    for (number, (mesh, positions)) in meshes.iter().zip(positions).enumerate() {
        if hidden.contains(&number) {
            continue;
        }
        for corners in &mesh.triangles {
            let seen = corners.map(|corner| positions.get(corner as usize).and_then(|&place| viewport.project(place)));
            let [Some(a), Some(b), Some(c)] = seen else { continue };
            let edges = [(a, b), (b, c), (c, a)].map(|(a, b)| from_segment(pixel, a, b));
            let distance = edges.into_iter().fold(f32::INFINITY, f32::min);
            if distance > reach || nearest.is_some_and(|(known, _)| known <= distance) {
                continue;
            }
            let from_corner = |corner: usize| [a, b, c][corner].distance(pixel);
            let corner = (0..3).min_by(|&a, &b| from_corner(a).total_cmp(&from_corner(b))).unwrap_or(0);
            nearest = Some((distance, VertexRef { mesh: number, vertex: corners[corner] as usize }));
        }
    }
    nearest.map(|(_, vertex)| vertex)
}

/// How far a pixel is from the line between two others.
fn from_segment(pixel: Vec2, a: Vec2, b: Vec2) -> f32 {
    let along = (pixel - a).dot(b - a) / (b - a).length_squared().max(f32::MIN_POSITIVE);
    pixel.distance(a.lerp(b, along.clamp(0.0, 1.0)))
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
        let picked =
            |hidden: &[usize]| vertex_at(&view, &meshes, &positions, &hidden.iter().copied().collect(), pixel, 0.0);
        assert_eq!(picked(&[]), Some(VertexRef { mesh: 1, vertex: 2 }));
        assert_eq!(picked(&[1]), Some(VertexRef { mesh: 0, vertex: 2 }));
        assert_eq!(picked(&[0, 1]), None);
    }
    #[test]
    fn the_tip_of_what_is_thinner_than_a_pixel_is_picked() {
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
