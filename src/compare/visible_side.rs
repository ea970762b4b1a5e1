//! Side of a model from which given vertices are visible.

use bindpose_core::model::Model;
use bindpose_player::{VertexRef, View, ViewAngles, pick};
use bindpose_render::Camera;
use glam::Vec3;

/// Angles by which a camera may be turned about the vertical axis, in degrees, the smallest first.
const TURNS: [f32; 6] = [0.0, 60.0, -60.0, 120.0, -120.0, 180.0];
/// Largest number of vertices to check. From a longer list, evenly spread vertices are used.
const MOST_VERTICES: usize = 64;
/// The camera keeps its side if it shows at least this share of the vertices that the best side shows.
const GOOD_ENOUGH: f32 = 0.7;

/// Turns a camera to the side from which most of the given vertices are visible, unless the view was chosen.
/// `positions` by mesh and vertex, in model space.
pub(super) fn face(camera: &mut Camera, view: &View, model: &Model, positions: &[Vec<Vec3>], vertices: &[VertexRef]) {
    let usual = ViewAngles::default();
    if (view.angles.yaw, view.angles.pitch) != (usual.yaw, usual.pitch) {
        return;
    }
    let step = vertices.len().div_ceil(MOST_VERTICES).max(1);
    let points: Vec<Vec3> = vertices.iter().step_by(step).map(|at| positions[at.mesh][at.vertex]).collect();
    let visible = |turn: f32| {
        let turned = Camera { yaw: camera.yaw + turn.to_radians(), ..*camera };
        let to_viewer = camera.world_from_model.inverse() * turned.axes()[2];
        points.iter().filter(|&&point| !pick::is_hidden(&model.meshes, positions, point, to_viewer)).count() as f32
    };
    let sides = TURNS.map(|turn| (turn, visible(turn)));
    let most = sides.iter().map(|&(_, visible)| visible).fold(0.0, f32::max);
    if let Some((turn, _)) = sides.into_iter().find(|&(_, visible)| visible >= GOOD_ENOUGH * most) {
        camera.yaw += turn.to_radians();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::model::Mesh;
    use bindpose_render::Bounds;

    /// A wall, and a point close to its front or its back.
    #[test]
    fn the_camera_turns_to_the_side_of_the_vertices() {
        let wall = [[-9.0, -9.0], [9.0, -9.0], [9.0, 9.0], [-9.0, 9.0]].map(|[y, z]| Vec3::new(0.0, y, z));
        let meshes = vec![Mesh { triangles: vec![[0, 1, 2], [0, 2, 3]], ..Mesh::default() }];
        let model = Model { meshes, ..Model::default() };
        for (x, turned) in [(1.0, 0.0), (-1.0, 120.0)] {
            let positions = [wall.into_iter().chain([Vec3::new(x, 0.0, 0.0)]).collect::<Vec<_>>()];
            let bounds = Bounds::around(positions[0].iter().map(|at| at.as_dvec3())).unwrap();
            let mut camera = Camera { yaw: 0.0, ..Camera::framing(bounds) };
            let chosen = View { angles: ViewAngles { yaw: 1.0, ..ViewAngles::default() }, ..View::default() };
            face(&mut camera, &chosen, &model, &positions, &[VertexRef { mesh: 0, vertex: 4 }]);
            assert_eq!(camera.yaw, 0.0);
            face(&mut camera, &View::default(), &model, &positions, &[VertexRef { mesh: 0, vertex: 4 }]);
            assert!((camera.yaw - f32::to_radians(turned)).abs() < 1e-6, "{x}: {}", camera.yaw);
        }
    }
}
