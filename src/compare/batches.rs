//! Batches that each method splits each mesh into, and their cost.

use super::table::Table;
use bindpose_core::diagnostic::cut;
use bindpose_core::model::{Clip, Mesh, Model};
use bindpose_core::pose::{LocalPose, ModelPose};
use bindpose_core::skin::{self, Batch, Limits, MethodId, Skinned};
use bindpose_shaders::{ProgramSize, built_in, measure};
use serde::Serialize;
use std::borrow::Cow;

/// Longest name of a mesh in the table, in bytes.
const LONGEST_NAME: usize = 100;

/// Batches of one mesh for one method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeshBatches {
    /// Name of the mesh.
    pub mesh: String,
    /// Triangles of the mesh.
    pub triangles: usize,
    /// Joints the mesh is bound to.
    pub joints: usize,
    /// Name of the method.
    pub method: String,
    /// Largest number of joints in a batch; `None` without a limit.
    pub joints_per_batch: Option<u32>,
    /// Draw calls.
    pub batches: usize,
    /// Draw calls if triangles stay in the file's order.
    pub batches_in_file_order: usize,
    /// Copies of vertices that are in more than one batch, not counting the first.
    pub duplicated_vertices: usize,
    /// Vertices that lost influences to the limit per vertex.
    pub reduced_vertices: usize,
    /// Triangles that lost influences because they use more joints than a batch may.
    pub trimmed_triangles: usize,
    /// Largest movement of a vertex caused by trimming, in model units, over the rest pose and five times of every
    /// clip.
    pub trimmed_movement: f64,
}

/// True if a machine runs a method.
fn runs(limits: Limits, id: MethodId) -> bool {
    let program = measure(id.method().shader, 4, |name| built_in(name).map(Cow::Borrowed));
    limits.refusal(id.method(), ProgramSize::demand(program)).is_none()
}

/// Returns the names of the methods that a machine cannot run.
pub fn refused(limits: Limits) -> Vec<String> {
    MethodId::all().filter(|id| !runs(limits, *id)).map(|id| id.to_string()).collect()
}

/// Computes the batches of every mesh for every method with a limit on joints. `registers` is the number of vec4
/// uniforms of the context.
pub fn batches(model: &Model, limits: Limits, registers: u32) -> Vec<MeshBatches> {
    let mut found = Vec::new();
    let poses = poses(model);
    let methods: Vec<MethodId> = MethodId::all().filter(|id| runs(limits, *id)).collect();
    for mesh in &model.meshes {
        for id in &methods {
            let method = id.method();
            let capacity = limits.capacity(method, registers);
            let Some(joints) = capacity.filter(|&joints| joints > 0) else { continue };
            let seen = skin::as_seen_by(method, mesh);
            let split = skin::split(&seen.mesh, Some(joints as usize));
            let movement = if split.trimmed.is_empty() { 0.0 } else { movement(&seen.mesh, &split.batches, &poses) };
            found.push(MeshBatches {
                mesh: mesh.name.clone(),
                triangles: mesh.triangles.len(),
                joints: mesh.bind.len(),
                method: id.to_string(),
                joints_per_batch: capacity,
                batches: split.batches.len(),
                batches_in_file_order: skin::draws_in_file_order(&seen.mesh, joints as usize),
                duplicated_vertices: split.duplicated_vertices(),
                reduced_vertices: seen.cost.reduced_vertices,
                trimmed_triangles: split.trimmed.len(),
                trimmed_movement: movement,
            });
        }
    }
    found
}

/// Returns the rest pose and five poses of every clip.
fn poses(model: &Model) -> Vec<ModelPose> {
    let at = |clip: Option<&Clip>, time| LocalPose::of_clip(&model.skeleton, clip, time).to_model(&model.skeleton);
    let of_clip = |clip| (0..5).map(move |quarter| at(Some(clip), clip.duration * f64::from(quarter) / 4.0));
    std::iter::once(at(None, 0.0)).chain(model.clips.iter().flat_map(of_clip)).collect()
}

/// Returns the largest distance between the batches' vertices and the mesh's, in model units.
fn movement(mesh: &Mesh, batches: &[Batch], poses: &[ModelPose]) -> f64 {
    let parts: Vec<Mesh> = batches.iter().map(|batch| batch.to_mesh(mesh)).collect();
    let mut worst: f64 = 0.0;
    let (mut whole, mut part) = (Skinned::default(), Skinned::default());
    for pose in poses {
        skin::linear(mesh, pose, &mut whole);
        for (batch, of_batch) in batches.iter().zip(&parts) {
            skin::linear(of_batch, pose, &mut part);
            for (position, &source) in part.positions.iter().zip(&batch.vertices) {
                worst = worst.max(position.distance(whole.positions[source as usize]));
            }
        }
    }
    worst
}

/// Formats the batches as a table, one row per mesh and method.
pub fn table(found: &[MeshBatches]) -> Table {
    let mut table = Table::new([
        "mesh",
        "triangles",
        "joints",
        "method",
        "joints/batch",
        "batches",
        "in file order",
        "vertices twice",
        "over the limit",
        "trimmed",
        "moved by",
    ]);
    let mut last = None;
    for row in found {
        let first = last != Some((&row.mesh, row.triangles));
        last = Some((&row.mesh, row.triangles));
        let once = |text: String| if first { text } else { String::new() };
        table.push([
            once(cut(row.mesh.clone(), LONGEST_NAME)),
            once(row.triangles.to_string()),
            once(row.joints.to_string()),
            row.method.clone(),
            row.joints_per_batch.map_or("any".to_owned(), |joints| joints.to_string()),
            row.batches.to_string(),
            row.batches_in_file_order.to_string(),
            row.duplicated_vertices.to_string(),
            row.reduced_vertices.to_string(),
            row.trimmed_triangles.to_string(),
            if row.trimmed_triangles == 0 { "-".to_owned() } else { format!("{:.4}", row.trimmed_movement) },
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::cylinder::{Cylinder, Shape};
    use bindpose_core::skin::GL2_REGISTERS;

    #[test]
    fn a_mesh_of_two_joints_is_one_batch_for_every_method() {
        let Cylinder { skeleton, mesh, .. } = Cylinder::new(Shape::USUAL);
        let model = Model { skeleton, meshes: vec![mesh], ..Model::default() };
        let found = batches(&model, Limits::Vs11, GL2_REGISTERS);
        let names: Vec<&str> = found.iter().map(|row| row.method.as_str()).collect();
        // Vertex shaders of this machine read no textures.
        for (name, limited) in [("ffp", true), ("dqs", true), ("bone-texture", false), ("cpu", false), ("morph", false)]
        {
            assert_eq!(names.contains(&name), limited, "{name}");
        }
        for row in &found {
            assert_eq!((row.batches, row.batches_in_file_order), (1, 1), "{row:?}");
            assert_eq!((row.trimmed_triangles, row.duplicated_vertices), (0, 0), "{row:?}");
        }
        assert_eq!(found[0].joints_per_batch, Some(4));
        let refused = refused(Limits::Vs11);
        assert!(
            refused.contains(&"bone-texture".to_owned())
                && !names.iter().any(|name| refused.contains(&(*name).to_owned()))
        );
        assert_eq!(table(&found).text().lines().count(), 1 + found.len());
    }
}
