//! Every vertex as the GPU computes it against the f64 reference.
#![cfg(feature = "render")]

mod support;

use bindpose::model::Model;
use bindpose::render::{Error, ShaderFiles, Subject, TextureFinder, as_seen_by, read_back};
use bindpose::skin::{self, Limits, MethodId, Skinned};
use std::rc::Rc;

/// Positions, as a share of the model's extent: half of six printed decimals on a model of ten units.
const POSITION: f64 = 1e-5;
/// Normals, degrees.
const NORMAL: f64 = 0.1;

const METHODS: [MethodId; 3] = [MethodId::Cpu, MethodId::MatrixBlend, MethodId::JointOffsets];

/// The farthest that a method is from its reference.
#[derive(Debug, Default)]
struct Worst {
    position: f64,
    normal: f64,
    vertices: usize,
    batches: usize,
}

/// Reads a model back at some times of a clip; `Err` for a method that is not available.
fn compare(
    gpu: &bindpose::render::Gpu,
    model: &Rc<Model>,
    clip: usize,
    times: &[f64],
    id: MethodId,
    limits: Limits,
) -> Result<Worst, Error> {
    let mut finder = TextureFinder::new(&[], &[]);
    let mut subject = Subject::new(gpu, Rc::clone(model), &mut finder, &ShaderFiles::default(), limits)?;
    let mut worst = Worst { batches: subject.prepare(id)?.batches, ..Worst::default() };
    let seen: Vec<_> = model.meshes.iter().map(|mesh| as_seen_by(id.method(), mesh).mesh).collect();
    for &time in times {
        let pose = support::pose_at(model, clip, time);
        let references: Vec<Skinned> = seen
            .iter()
            .map(|mesh| {
                let (mut palette, mut reference) = (Vec::new(), Skinned::default());
                skin::palette(mesh, &pose, &mut palette);
                match id {
                    MethodId::JointOffsets => skin::linear_joint_normals(mesh, &pose, &palette, &mut reference),
                    _ => skin::linear(mesh, &pose, &palette, &mut reference),
                }
                reference
            })
            .collect();
        let all = references.iter().flat_map(|reference| &reference.positions);
        let (min, max) = all.fold((glam::DVec3::MAX, glam::DVec3::MIN), |(min, max), &p| (min.min(p), max.max(p)));
        let extent = min.distance(max);
        for batch in read_back(gpu, &mut subject, id, &pose)? {
            let (mesh, reference) = (&seen[batch.mesh_index], &references[batch.mesh_index]);
            // A method that turns one bind position cannot follow influences that disagree about it.
            let disagreement = match id {
                MethodId::MatrixBlend => mesh.bind_residual().map_or(0.0, |(_, distance)| distance),
                _ => 0.0,
            };
            for (place, &source) in batch.source.iter().enumerate() {
                let source = source as usize;
                let distance = batch.positions[place].as_dvec3().distance(reference.positions[source]);
                let normal = reference.normals[source];
                worst.vertices += 1;
                worst.position = worst.position.max((distance - disagreement) / extent);
                // A blended normal that nearly vanishes has no direction to compare.
                if normal.length() > 0.5 && mesh.normals[source].length() > 0.5 {
                    let angle = batch.normals[place].as_dvec3().angle_between(normal).to_degrees();
                    assert!(!angle.is_nan(), "vertex {source} of mesh {}: no normal", batch.mesh_index);
                    worst.normal = worst.normal.max(angle);
                }
            }
        }
    }
    Ok(worst)
}

fn check(what: &str, worst: &Worst) {
    assert!(worst.vertices > 0, "{what}: nothing was compared");
    assert!(worst.position <= POSITION, "{what}: {worst:?}");
    assert!(worst.normal <= NORMAL, "{what}: {worst:?}");
}

#[test]
fn gpu_methods_agree_with_the_reference_on_a_tube() {
    let Some(gpu) = support::gpu().filter(|gpu| gpu.has_transform_feedback()) else { return };
    for (joints, influences) in [(1, 1), (2, 2), (5, 4), (12, 9)] {
        let model = Rc::new(support::tube(joints, influences));
        for id in METHODS {
            let worst = compare(&gpu, &model, 0, &[0.0, 0.5, 0.97, 2.0], id, Limits::Gl2).unwrap();
            check(&format!("{id}, {joints} joints, {influences} influences"), &worst);
        }
    }
}

/// 120 joints do not fit into the 29 matrices or 43 quaternions of 96 registers.
#[test]
fn more_joints_than_a_palette_holds_are_drawn_in_batches() {
    let Some(gpu) = support::gpu().filter(|gpu| gpu.has_transform_feedback()) else { return };
    let model = Rc::new(support::tube(120, 4));
    for (id, least) in [(MethodId::Cpu, 1), (MethodId::MatrixBlend, 5), (MethodId::JointOffsets, 3)] {
        let worst = compare(&gpu, &model, 0, &[0.3, 1.1], id, Limits::Vs11).unwrap();
        check(&format!("{id} in batches"), &worst);
        assert!(worst.batches >= least, "{id}: {} batches", worst.batches);
    }
}

#[test]
fn scaled_joints_are_refused_by_quaternions_and_drawn_by_matrices() {
    let Some(gpu) = support::gpu().filter(|gpu| gpu.has_transform_feedback()) else { return };
    let mut model = support::tube(4, 4);
    let joint = model.skeleton.id(2).unwrap();
    let mut local = model.skeleton[joint].rest_local;
    local.scale = glam::DVec3::new(1.5, 0.5, 1.0);
    model.skeleton.set_rest_local(joint, local);
    let model = Rc::new(model);
    let refused = compare(&gpu, &model, 0, &[0.5], MethodId::JointOffsets, Limits::Gl2).unwrap_err().to_string();
    assert_eq!(
        refused,
        "method joint-offsets is not available: joint 'joint2' is scaled by 1.5000 0.5000 1.0000 at rest, and its \
         joints may only turn and move"
    );
    for id in [MethodId::Cpu, MethodId::MatrixBlend] {
        check(id.method().name, &compare(&gpu, &model, 0, &[0.0, 0.7], id, Limits::Gl2).unwrap());
    }
}
