//! Positions of a mesh's vertices in the bind pose.

use bindpose_core::import::md5::{rotation, summed};
use bindpose_parsers::md5::{Mesh, MeshFile, Weight};
use glam::{DAffine3, DQuat, DVec3};

/// Returns the angle between two rotations, in degrees.
pub fn angle(a: DQuat, b: DQuat) -> f64 {
    let dot = a.dot(b).abs().min(1.0);
    (2.0 * dot.acos()).to_degrees()
}

/// Returns the transform from joint to model space for every joint of the file.
pub fn bind_maps(file: &MeshFile) -> Vec<DAffine3> {
    let map =
        |position: [f64; 3], xyz| DAffine3::from_rotation_translation(rotation(xyz).0, DVec3::from_array(position));
    file.joints.iter().map(|joint| map(joint.position, joint.rotation)).collect()
}

/// Returns the weights of a vertex. Returns an empty slice if its range is invalid.
pub fn weights_of<'m>(mesh: &'m Mesh, vertex: usize) -> &'m [Weight] {
    let range = mesh.verts.get(vertex).map(|vert| {
        let first = vert.first_weight as usize;
        first..first.saturating_add(vert.weight_count as usize)
    });
    range.and_then(|range| mesh.weights.get(range)).unwrap_or_default()
}

/// Returns the total number of weights of all vertices. A shared weight counts once per vertex.
pub fn influence_count(mesh: &Mesh) -> u64 {
    mesh.verts.iter().map(|vert| u64::from(vert.weight_count)).sum()
}

/// True for each weight that a vertex uses. Vertices with invalid ranges use none.
pub fn used_weights(mesh: &Mesh) -> Vec<bool> {
    // Difference between the number of vertices that use a weight and that of the weight before it.
    let mut steps = vec![0i64; mesh.weights.len() + 1];
    for vert in &mesh.verts {
        let (first, count) = (vert.first_weight as usize, vert.weight_count as usize);
        let end = first.saturating_add(count);
        if end <= mesh.weights.len() {
            steps[first] += 1;
            steps[end] -= 1;
        }
    }
    let mut users = 0;
    let is_used = |step: &i64| {
        users += step;
        users > 0
    };
    steps[..mesh.weights.len()].iter().map(is_used).collect()
}

/// Returns the positions of the vertices: sums over all weights, not normalised.
pub fn positions(mesh: &Mesh, maps: &[DAffine3]) -> Vec<DVec3> {
    (0..mesh.verts.len()).map(|vertex| summed(weights_of(mesh, vertex), maps)).collect()
}
