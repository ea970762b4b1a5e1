//! Vertices that a method computes on the GPU, compared with the references.

use super::method_report::VertexDeviation;
use bindpose_core::model::{Mesh, Model, bounds_of};
use bindpose_core::pose::ModelPose;
use bindpose_core::skin::{self, MethodId, Normals, Prepared, Skinned, TimedPose};
use bindpose_render::{Error, Gpu, GpuModel, Instance, ReadBatch, read_back};
use glam::{DVec3, Vec3};

/// Measurements of one method in one pose.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Difference from the method's own reference, on the influences that it sees.
    pub own: VertexDeviation,
    /// Difference from the weighted sum over all influences of the file.
    pub linear: VertexDeviation,
    /// Largest movement of a vertex caused by influences that its triangle lost, in model units.
    pub trimmed_movement: f64,
    /// Bytes sent to the GPU.
    pub uploaded: u64,
    /// Number of stretched joints if the method does not support stretch; otherwise 0.
    pub stretched_joints: usize,
    /// Vertices computed by the GPU, by mesh, in model space. Vertices without a triangle have their position in the
    /// weighted sum.
    pub positions: Vec<Vec<Vec3>>,
    /// Normals computed by the GPU, in the same way.
    pub normals: Vec<Vec<Vec3>>,
}

/// Weighted sum over all influences of the file in one pose: the reference of every method.
#[derive(Debug, Clone)]
pub struct Truth {
    /// One per mesh, without tangents.
    meshes: Vec<Skinned>,
    /// Diagonal of the box around all vertices, in model units.
    pub extent: f64,
}

impl Truth {
    /// Computes the sum in a pose.
    pub fn new(model: &Model, pose: &ModelPose) -> Self {
        let without_tangents = |mesh: &Mesh| Skinned { tangents: Vec::new(), ..Skinned::linear(mesh, pose) };
        let meshes: Vec<Skinned> = model.meshes.iter().map(without_tangents).collect();
        Self { extent: extent(&meshes), meshes }
    }

    /// Returns the positions by mesh and vertex, in model space.
    pub fn positions(&self) -> Vec<Vec<Vec3>> {
        let of_mesh = |mesh: &Skinned| mesh.positions.iter().map(DVec3::as_vec3).collect();
        self.meshes.iter().map(of_mesh).collect()
    }

    /// Returns the distances of vertices from the sum by mesh, in model units; `positions` by mesh and vertex, in model
    /// space.
    pub fn distances(&self, positions: &[Vec<Vec3>]) -> Vec<Vec<f32>> {
        let apart = |(truth, position): (&DVec3, &Vec3)| truth.distance(position.as_dvec3()) as f32;
        let of_mesh =
            |(truth, positions): (&Skinned, &Vec<Vec3>)| truth.positions.iter().zip(positions).map(apart).collect();
        self.meshes.iter().zip(positions).map(of_mesh).collect()
    }
}

/// Reads a method's vertices back from the GPU and compares them with `truth`, which belongs to the same pose.
///
/// # Errors
///
/// [`Error`] if the method cannot run, or of OpenGL.
pub fn measure(
    gpu: &Gpu,
    model: &Model,
    subject: &mut GpuModel,
    id: MethodId,
    posed: Instance<'_>,
    truth: &Truth,
) -> Result<Measured, Error> {
    let method = id.method();
    let timed = TimedPose { pose: posed.model, time: posed.time };
    let skinned = |prepared: &Prepared| Skinned::reference(prepared, timed);
    let own: Vec<Skinned> = subject.references(id, posed.clip)?.iter().map(skinned).collect();
    let mut positions = truth.positions();
    let Truth { meshes: truth, extent } = truth;
    let as_f32 = |mesh: &Skinned| mesh.normals.iter().map(DVec3::as_vec3).collect();
    let mut normals: Vec<Vec<Vec3>> = truth.iter().map(as_f32).collect();
    let stretched = if method.needs.rigid_joints {
        model.meshes.iter().map(|mesh| skin::joints_that_are_not_rigid(mesh, posed.model)).sum()
    } else {
        0
    };
    let mut against_own = Tally::new(*extent);
    let mut against_linear = Tally::new(*extent);
    let mut trimmed_movement: f64 = 0.0;
    for batch in read_back(gpu, subject, id, posed)? {
        let whole = &own[batch.mesh_index];
        // The vertices of a triangle that lost influences differ from the mesh's. Their reference is the batch's own
        // sum.
        let of_batch = method.is_linear.then(|| match method.normals {
            Normals::PerJoint => per_joint(batch.mesh, posed.model),
            Normals::Blended | Normals::Turned => Skinned::linear(batch.mesh, posed.model),
        });
        for (number, &source) in batch.source.iter().enumerate() {
            let source = source as usize;
            let at = (batch.mesh_index, source);
            positions[batch.mesh_index][source] = batch.positions[number];
            normals[batch.mesh_index][source] = batch.normals[number];
            let (expected, of_expected) = of_batch.as_ref().map_or((whole, source), |own| (own, number));
            against_own.add(at, &batch, number, expected, of_expected);
            against_linear.add(at, &batch, number, &truth[batch.mesh_index], source);
            trimmed_movement = trimmed_movement.max(expected.positions[of_expected].distance(whole.positions[source]));
        }
    }
    Ok(Measured {
        own: against_own.finish(model),
        linear: against_linear.finish(model),
        trimmed_movement,
        uploaded: subject.uploaded(id, posed.clip),
        stretched_joints: stretched,
        positions,
        normals,
    })
}

fn per_joint(mesh: &Mesh, pose: &ModelPose) -> Skinned {
    let mut out = Skinned::default();
    skin::linear_joint_normals(mesh, pose, &mut out);
    out
}

/// Returns the diagonal of the box around all vertices.
fn extent(meshes: &[Skinned]) -> f64 {
    let all = meshes.iter().flat_map(|mesh| &mesh.positions).copied();
    bounds_of(all).map_or(0.0, |(min, max)| min.distance(max))
}

/// Running maxima and sums of differences.
struct Tally {
    extent: f64,
    /// Mesh and vertex with the largest distance.
    farthest: Option<(usize, usize)>,
    most_turned: Option<(usize, usize)>,
    squares: f64,
    vertices: usize,
    worst: VertexDeviation,
}

impl Tally {
    fn new(extent: f64) -> Self {
        Self { extent, farthest: None, most_turned: None, squares: 0.0, vertices: 0, worst: VertexDeviation::default() }
    }

    fn add(&mut self, at: (usize, usize), batch: &ReadBatch<'_>, vertex: usize, expected: &Skinned, number: usize) {
        let distance = batch.positions[vertex].as_dvec3().distance(expected.positions[number]);
        // NaN would not compare as larger.
        let distance = if distance.is_nan() { f64::INFINITY } else { distance };
        self.squares += distance * distance;
        self.vertices += 1;
        if distance > self.worst.max {
            self.worst.max = distance;
            self.farthest = Some(at);
        }
        let normal = expected.normals[number];
        // A blend of opposite normals has no direction.
        if normal.length() > 0.5 && batch.mesh.normals[vertex].length() > 0.5 {
            let angle = batch.normals[vertex].as_dvec3().angle_between(normal).to_degrees();
            let angle = if angle.is_nan() { f64::INFINITY } else { angle };
            if angle > self.worst.normal_degrees {
                (self.worst.normal_degrees, self.most_turned) = (angle, Some(at));
            }
        }
    }

    fn finish(self, model: &Model) -> VertexDeviation {
        let rms = if self.vertices == 0 { 0.0 } else { (self.squares / self.vertices as f64).sqrt() };
        // The extent of a single point is 0: any distance exceeds the tolerance.
        let of_extent = |distance: f64| if distance == 0.0 { 0.0 } else { distance / self.extent };
        let in_file = |(mesh, vertex): (usize, usize)| model.meshes[mesh].source_vertices[vertex];
        let joint = self.farthest.and_then(|(mesh, vertex)| model.meshes[mesh].heaviest(vertex));
        VertexDeviation {
            rms,
            max_of_extent: of_extent(self.worst.max),
            rms_of_extent: of_extent(rms),
            mesh: self.farthest.map_or(0, |(mesh, _)| mesh),
            vertex: self.farthest.map_or(0, in_file),
            joint: joint.map(|(_, joint)| model.skeleton[joint].name.clone()),
            normal_vertex: self.most_turned.map_or(0, in_file),
            ..self.worst
        }
    }
}
