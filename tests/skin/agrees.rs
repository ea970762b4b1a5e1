//! Every vertex computed by the GPU, compared with the f64 reference.

use crate::support;
use bindpose::images::TextureFinder;
use bindpose::load::LoadOptions;
use bindpose::model::Model;
use bindpose::render::{Error, GpuModel, Instance, ShaderFiles, read_back};
use bindpose::skin::{LIMITS, Limits, MethodId, Skinned, Skinning, TimedPose, split};
use bindpose_compare::measure::{Truth, measure};
use bindpose_shaders::{ProgramSize, built_in};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// Largest difference of positions, as a share of the model's extent: half of six printed decimals on a model of ten
/// units.
const POSITION: f64 = 1e-5;
/// Largest difference of normals, in degrees.
const NORMAL: f64 = 0.1;

/// Returns all methods in the full run, otherwise one of `step`, others for the next model.
fn sampled_methods(model: usize, step: usize) -> impl Iterator<Item = MethodId> {
    MethodId::all().enumerate().filter(move |(method, _)| support::is_sampled(*method, model, step)).map(|(_, id)| id)
}

/// Largest deviations of a method from its reference.
#[derive(Debug, Default)]
struct Worst {
    position: f64,
    normal: f64,
    /// Distance of a linear method from the sum over the file's own influences, beyond the amount that their
    /// disagreement about the bind position explains; 0 if the method's limits dropped or divided any.
    linear: f64,
    batches: usize,
}

/// Reads a model back at some times of a clip. Returns `Err` for a method that is not available.
fn compare(
    gpu: &bindpose::render::Gpu,
    model: &Arc<Model>,
    clip: usize,
    times: &[f64],
    id: MethodId,
    limits: Limits,
) -> Result<Worst, Error> {
    compare_with(gpu, model, clip, times, id, limits, &ShaderFiles::default())
}

fn compare_with(
    gpu: &bindpose::render::Gpu,
    model: &Arc<Model>,
    clip: usize,
    times: &[f64],
    id: MethodId,
    limits: Limits,
    shaders: &ShaderFiles,
) -> Result<Worst, Error> {
    let finder = TextureFinder::new(&[], &[]);
    let mut subject = GpuModel::new(gpu, Arc::clone(model), &finder, shaders, limits)?;
    let clip = (clip < model.clips.len()).then_some(clip);
    let loss = subject.prepare(id, clip)?;
    let mut worst = Worst { batches: loss.batches, ..Worst::default() };
    let whole = loss.cost.dropped_influences == 0 && loss.cost.divided_vertices == 0;
    let residuals = model.meshes.iter().filter_map(|mesh| mesh.bind_residual());
    let residual = residuals.map(|(_, distance)| distance).fold(0.0, f64::max);
    for &time in times {
        let (local, pose) = support::pose_at(model, clip.unwrap_or(usize::MAX), time);
        let posed = Instance { model: &pose, local: &local, clip, time, position: glam::Vec3::ZERO };
        let measured = measure(gpu, model, &mut subject, id, posed, &Truth::new(model, &pose))?;
        worst.position = worst.position.max(measured.own.max_of_extent);
        worst.normal = worst.normal.max(measured.own.normal_degrees);
        if whole && id.method().is_linear && measured.linear.max > 0.0 {
            let extent = measured.linear.max / measured.linear.max_of_extent;
            worst.linear = worst.linear.max((measured.linear.max - residual) / extent);
        }
    }
    Ok(worst)
}

fn check(what: &str, worst: &Worst) {
    assert!(worst.position <= POSITION, "{what}: {worst:?}");
    assert!(worst.linear <= POSITION, "{what}: {worst:?}");
    assert!(worst.normal <= NORMAL, "{what}: {worst:?}");
}

#[test]
fn gpu_methods_agree_with_the_reference_on_a_tube() {
    let Some(gpu) = support::gpu().filter(|gpu| gpu.has_transform_feedback()) else { return };
    for (size, (joints, influences)) in [(1, 1), (2, 2), (5, 4), (12, 9)].into_iter().enumerate() {
        let model = Arc::new(support::tube(joints, influences));
        for id in sampled_methods(size, 2) {
            let worst = compare(&gpu, &model, 0, &[0.0, 0.5, 0.97, 2.0], id, Limits::Gl2).unwrap();
            check(&format!("{id}, {joints} joints, {influences} influences"), &worst);
        }
    }
}

/// The same vertices in two meshes, as at a material: no method sees a seam, and `ddm` gets joints of the other mesh.
#[test]
fn gpu_methods_agree_on_a_surface_of_two_meshes() {
    let Some(gpu) = support::gpu().filter(|gpu| gpu.has_transform_feedback()) else { return };
    let mut model = support::tube(5, 4);
    let mut other = model.meshes[0].clone();
    let end = other.positions.iter().map(|position| position.z).fold(0.0, f32::max);
    let is_end = |corners: &[u32; 3]| corners.iter().all(|&corner| other.positions[corner as usize].z > 0.8 * end);
    model.meshes[0].triangles.retain(|corners| !is_end(corners));
    let triangles: Vec<[u32; 3]> = other.triangles.iter().copied().filter(|corners| is_end(corners)).collect();
    other.triangles = triangles;
    model.meshes.push(split(&other, None).batches.swap_remove(0).to_mesh(&other));
    let model = Arc::new(model);
    for id in [MethodId::Cor, MethodId::Ddm, MethodId::BulgeFreeDqs] {
        let worst = compare(&gpu, &model, 0, &[0.0, 0.97, 2.0], id, Limits::Gl2).unwrap();
        check(&format!("{id}, two meshes"), &worst);
    }
}

/// Four triangles of the light mannequin have five joints. `dump` computes the vertices that `ffp` draws there too.
#[test]
fn vertices_for_export_are_those_that_fixed_function_draws() {
    let Some(gpu) = support::gpu().filter(|gpu| gpu.has_transform_feedback()) else { return };
    let sample = |name: &str| format!("{}/data/md5/{name}", env!("CARGO_MANIFEST_DIR"));
    let files = ["mannequin_light.md5mesh", "run.md5anim"].map(sample);
    let model = bindpose::load::load(&files, &LoadOptions::default()).unwrap().model;
    let skinning = Skinning { method: MethodId::Ffp, ..Skinning::default() };
    let prepared = &skinning.prepare(&model, None).unwrap()[0];
    let finder = TextureFinder::new(&[], &[]);
    let mut subject = GpuModel::new(&gpu, Arc::clone(&model), &finder, &ShaderFiles::default(), Limits::Gl2).unwrap();
    let (local, pose) = support::pose_at(&model, 0, 0.3);
    let posed = Instance { model: &pose, local: &local, clip: Some(0), time: 0.3, position: glam::Vec3::ZERO };
    subject.prepare(skinning.method, Some(0)).unwrap();
    let own = Skinned::reference(prepared, TimedPose { pose: &pose, time: 0.3 });
    let plain = Skinned::linear(&model.meshes[0], &pose);
    let (mut drawn, mut moved) = (0, HashSet::new());
    for batch in read_back(&gpu, &mut subject, skinning.method, posed).unwrap() {
        for (position, &source) in batch.positions.iter().zip(batch.source) {
            let in_file = model.meshes[0].source_vertices[source as usize];
            let forms = prepared.mesh.source_vertices.iter().zip(&own.positions).filter(|(of, _)| **of == in_file);
            let apart = |at: &glam::DVec3| at.distance(position.as_dvec3());
            assert!(forms.map(|(_, at)| apart(at)).fold(f64::INFINITY, f64::min) < 1e-3, "vertex {in_file}");
            moved.extend((apart(&plain.positions[source as usize]) > 1e-3).then_some(in_file));
            drawn += 1;
        }
    }
    assert!(drawn > model.meshes[0].vertex_count() && !moved.is_empty(), "{drawn} vertices, {moved:?}");
}

/// 120 joints exceed the 29 matrices or 43 quaternions of 96 registers.
#[test]
fn more_joints_than_fit_a_palette_are_drawn_in_batches() {
    let Some(gpu) = support::gpu().filter(|gpu| gpu.has_transform_feedback()) else { return };
    let model = Arc::new(support::tube(120, 4));
    for (id, least) in [(MethodId::Cpu, 1), (MethodId::MatrixBlend, 5), (MethodId::JointOffsets, 3)] {
        let worst = compare(&gpu, &model, 0, &[0.3, 1.1], id, Limits::Vs11).unwrap();
        check(&format!("{id} in batches"), &worst);
        assert!(worst.batches >= least, "{id}: {} batches", worst.batches);
    }
}

/// [`compare`] must detect a wrong shader: the same calculation with one thing changed, by default one change of each
/// method.
#[test]
fn wrong_shaders_are_noticed() {
    let Some(gpu) = support::gpu().filter(|gpu| gpu.has_transform_feedback()) else { return };
    let model = Arc::new(support::tube(5, 4));
    // Method, file, and a change: a dropped weight, an index off by one, a conjugated quaternion, …
    let changes = [
        (MethodId::Cpu, "cpu.vert", "model_position = position", "model_position = 1.001 * position"),
        (MethodId::Ffp, "ffp.vert", "weights.z * palette[6]", "weights.z * palette[3]"),
        (MethodId::Ffp, "ffp.vert", "cross(z.xyz, x.xyz)", "cross(x.xyz, z.xyz)"),
        (MethodId::FfpIndexed, "ffp-indexed.vert", "last * palette[d]", "0.0 * palette[d]"),
        (MethodId::FfpIndexed, "ffp-indexed.vert", "3 * int(joints.x + 0.5)", "3 * int(joints.x + 1.5)"),
        (MethodId::MatrixLoop, "matrix-loop.vert", "i < influences - 1", "i < influences - 2"),
        (MethodId::MatrixLoop, "matrix-loop.vert", "n += weight", "n += (1.0 - weight)"),
        (MethodId::MatrixUnrolled, "matrix-unrolled.vert", "weights.z, joints.z", "weights.z, joints.y"),
        (MethodId::MatrixBlend, "matrix-blend.vert", "add_joint(weights.y, joints.y", "add_joint(weights.y, joints.x"),
        (MethodId::MatrixBlend, "matrix-blend.vert", "palette[row + 1]", "palette[row + 2]"),
        (MethodId::MatrixBlend, "matrix-blend.vert", "cross(y.xyz, z.xyz)", "cross(z.xyz, y.xyz)"),
        (MethodId::Gradient, "gradient.vert", "int(joints[i])", "int(joints[i] - 0.3)"),
        (MethodId::Gradient, "gradient.vert", "i < 4", "i < 3"),
        (MethodId::JointOffsets, "joint-offsets.vert", "add_joint(weights.z, offset2, normal2, p, n);", ""),
        (MethodId::JointOffsets, "quaternion.glsl", "+ q.w * v", "- q.w * v"),
        (MethodId::JointOffsets, "joint-offsets.vert", "rotate(q, joint_normal)", "joint_normal"),
        (MethodId::QuatArray, "quat-array.vert", "bones[i + 3]", "-bones[i + 3]"),
        (MethodId::QuatArray, "quat-array.vert", "joint * 7", "joint * 7 + 1"),
        (MethodId::BoneTexture, "bone-texture.vert", "joint, copy.w) + 0.5", "joint, copy.w) + 1.5"),
        (MethodId::BoneTexture, "bone-texture.vert", "q.w * two", "-q.w * two"),
        (MethodId::Sjb, "sjb.vert", "+ weights.w * lead", ""),
        (MethodId::Sjb, "sjb.vert", "bonePos[int(joints.x", "bonePos[int(joints.y"),
        (MethodId::Sjbbe, "sjbbe.vert", "+ weights.w * lead", ""),
        (MethodId::Sbe, "sbe.vert", "add_joint(weights.y, joints.y", "add_joint(weights.y, joints.x"),
        (MethodId::Psd, "sbe.vert", "cross(y.xyz, z.xyz)", "cross(z.xyz, y.xyz)"),
        (MethodId::SjbArticle, "quaternion.glsl", "mixed.z + turns.x", "mixed.z - turns.x"),
        (
            MethodId::SjbbeArticle,
            "sjbbe-article.vert",
            "- weights.z) * boneQuat[int(joints.w",
            ") * boneQuat[int(joints.w",
        ),
        (MethodId::SjbbeArticle, "sjbbe-article.vert", "correct(p, n);", ""),
        (MethodId::JointOffsetsArticle, "joint-offsets-article.vert", "turned(q, joint_normal)", "joint_normal"),
        (MethodId::Mwe, "mwe.vert", "texel + vec2(3.0, 0.0)", "texel + vec2(6.0, 0.0)"),
        (MethodId::Mwe, "mwe.vert", "a.z * u + b.z * v", "a.z * u - b.z * v"),
        (MethodId::Eigenskin, "sbe.vert", "palette[row + 1]", "palette[row + 2]"),
        (MethodId::Sbs, "sbs.vert", "rotate(q, position - centre)", "rotate(q, position)"),
        (MethodId::Sbs, "sbs.vert", "+ bonePos[index].xyz", "- bonePos[index].xyz"),
        (MethodId::Dqs, "dqs.vert", "+ cross(real.xyz, dual.xyz)", "- cross(real.xyz, dual.xyz)"),
        (MethodId::Dqs, "dqs.vert", "dual += signed_weight", "dual += weight * 0.5"),
        (MethodId::DqsScale, "dqs-scale.vert", "scale[3 * index + 1]", "scale[3 * index]"),
        (MethodId::DqsScale, "dqs-scale.vert", "cross(z.xyz, x.xyz)", "cross(x.xyz, z.xyz)"),
        (MethodId::Blend, "blend.vert", "rotate(r, position) + translation(r, d)", "rotate(r, position)"),
        (MethodId::Blend, "blend.vert", "translation(real, dual), FACTOR)", "translation(real, dual), 0.0)"),
        (MethodId::Velocity, "velocity.vert", "joint = place.w;", "joint = -1.0;"),
        (MethodId::Velocity, "velocity.vert", "+ sin(angle)", "- sin(angle)"),
        (MethodId::Velocity, "velocity.vert", "moved += stretch", "moved += squeeze"),
        (MethodId::BulgeFreeDqs, "bulge-free-dqs.vert", "apart > at_rest", "apart > 2.0 * at_rest"),
        (MethodId::BulgeFreeDqs, "bulge-free-dqs.vert", "rotate(back, model_position - move)", "model_position - move"),
        (MethodId::LogMatrix, "log-matrix.vert", "0.5 * sinc * sinc", "sinc * sinc"),
        (MethodId::LogMatrix, "log-matrix.vert", "1.0 / 6.0 -", "1.0 / 3.0 -"),
        (MethodId::Cor, "cor.vert", "vec4 from = vec4(centre, 1.0)", "vec4 from = vec4(position, 1.0)"),
        (MethodId::Cor, "quaternion.glsl", "cross(q.xyz, v) + q.w * v", "cross(q.xyz, v) - q.w * v"),
        (MethodId::Ddm, "ddm.vert", "place -= first_place;", ""),
        (MethodId::Ddm, "ddm.vert", "i < 14", "i < 2"),
        (MethodId::Ddm, "ddm.vert", "parts.x + 3.0", "parts.x + 6.0"),
        (MethodId::Rigid, "rigid.vert", "palette[row + 2]", "palette[row + 1]"),
        (MethodId::Morph, "morph.vert", "mix(position, next_position, share)", "position"),
        (MethodId::GpuHierarchy, "gpu-hierarchy.joints.frag", "vec4(place.xyz + rotate", "vec4(place.xyz - rotate"),
        (MethodId::GpuHierarchy, "gpu-hierarchy.joints.frag", "multiply(rotation, own_rotation)", "own_rotation"),
        (MethodId::GpuHierarchy, "gpu-hierarchy.vertices.frag", "i < INFLUENCES", "i < INFLUENCES - 1"),
        (MethodId::GpuHierarchy, "gpu-hierarchy.vert", "texel.x += 1.0", "texel.x += 2.0"),
    ];
    let folder = std::env::temp_dir().join(format!("bindpose-wrong-{}", std::process::id()));
    let mut tested = HashSet::new();
    for (id, name, from, to) in changes.into_iter().filter(|(id, ..)| support::everything() || tested.insert(*id)) {
        let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders").join(name);
        let text = std::fs::read_to_string(source).unwrap();
        assert!(text.contains(from), "{name} has no {from}");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), text.replacen(from, to, 1)).unwrap();
        let shaders = ShaderFiles { directory: Some(folder.clone()), ..ShaderFiles::default() };
        let worst = compare_with(&gpu, &model, 0, &[0.53], id, Limits::Gl2, &shaders).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(worst.position > POSITION || worst.normal > NORMAL, "{id}: {to} in {name} went unnoticed: {worst:?}");
    }
}

/// Methods tested at the other times: one for each storage of joints.
const AT_ALL_TIMES: [MethodId; 4] =
    [MethodId::Cpu, MethodId::MatrixBlend, MethodId::JointOffsets, MethodId::BoneTexture];

/// Returns the first time, a middle one, one between frames, and the clip's end, which rounding may put before its last
/// frame.
fn times(clip: Option<&bindpose::model::Clip>) -> Vec<f64> {
    match clip {
        Some(clip) if clip.duration > 0.0 => {
            let frame = 1.0 / clip.frame_rate.unwrap_or(24.0);
            let middle = (0.5 * clip.duration / frame).round() * frame;
            vec![0.0, middle.min(clip.duration), (middle + 0.4 * frame).min(clip.duration), clip.duration]
        }
        _ => vec![0.0],
    }
}

/// Compares models by all methods in the full run, otherwise each by one method of `step`. Returns the number of models.
fn check_files(gpu: &bindpose::render::Gpu, files: &[std::path::PathBuf], step: usize) -> usize {
    let options = LoadOptions::with_clips();
    let mut checked = 0;
    for path in files {
        // Other tests check files that do not load.
        let Ok(loaded) = bindpose::load::load(&[path], &options) else { continue };
        let model = loaded.model;
        if model.meshes.iter().all(|mesh| mesh.triangles.is_empty()) {
            continue;
        }
        // One clip shows as much as many, and llvmpipe is slow.
        let all = times(model.clips.first());
        for id in sampled_methods(checked, step) {
            let between = all.len().saturating_sub(2)..all.len().saturating_sub(1).max(1);
            let times = if AT_ALL_TIMES.contains(&id) { &all[..] } else { &all[between] };
            match compare(gpu, &model, 0, times, id, Limits::Gl2) {
                Ok(worst) => check(&format!("{id} on {}", path.display()), &worst),
                Err(Error::Unavailable { .. }) => {}
                Err(error) => panic!("{id} on {}: {error}", path.display()),
            }
        }
        checked += 1;
    }
    checked
}

#[test]
fn gpu_methods_agree_on_the_corpus() {
    let Some(gpu) = support::gpu().filter(|gpu| gpu.has_transform_feedback()) else { return };
    let Some(shared) = support::shared_only() else { return };
    let (corpus, extensions) = (shared.join("corpus"), ["md5mesh", "x"]);
    let files = match support::everything() {
        true => support::files_with(&corpus, &extensions),
        false => support::smallest_of_each(&corpus, &extensions),
    };
    let checked = check_files(&gpu, &files, 5);
    eprintln!("{checked} models of the corpus compared");
    assert!(checked > 10, "only {checked} of {} models were compared", files.len());
}

#[test]
fn gpu_methods_agree_on_the_samples() {
    let Some(gpu) = support::gpu().filter(|gpu| gpu.has_transform_feedback()) else { return };
    // Without the examples, which are separate meshes, and without the other encodings of the same .x.
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let mut files = vec!["md5/cylinder.md5mesh", "x/mannequin_light.x", "x/cylinder.x"];
    if support::everything() {
        files.extend(["md5/mannequin.md5mesh", "md5/mannequin_light.md5mesh"]);
    }
    let files: Vec<_> = files.iter().map(|file| folder.join(file)).collect();
    let checked = check_files(&gpu, &files, 3);
    assert_eq!(checked, files.len());
    eprintln!("{checked} samples compared");
}

#[test]
fn scaled_joints_are_refused_by_quaternions_and_drawn_by_matrices() {
    let Some(gpu) = support::gpu().filter(|gpu| gpu.has_transform_feedback()) else { return };
    let mut model = support::tube(4, 4);
    let joint = model.skeleton.id(2).unwrap();
    let mut local = model.skeleton[joint].rest_local;
    local.scale = glam::DVec3::new(1.5, 0.5, 1.0);
    model.skeleton.set_rest_local(joint, local);
    let model = Arc::new(model);
    let refused = compare(&gpu, &model, 0, &[0.5], MethodId::JointOffsets, Limits::Gl2).unwrap_err().to_string();
    assert_eq!(
        refused,
        "method joint-offsets is not available: joint 'joint2' is scaled by 1.5000 0.5000 1.0000 at rest; this \
         method supports rotation and translation only"
    );
    for id in [MethodId::Cpu, MethodId::MatrixBlend, MethodId::DqsScale] {
        check(id.method().name, &compare(&gpu, &model, 0, &[0.0, 0.7], id, Limits::Gl2).unwrap());
    }
}

/// 256 joints, article 003's maximum, in one batch. One more joint needs two batches.
#[test]
fn bone_texture_reads_joints_up_to_255() {
    let Some(gpu) = support::gpu().filter(|gpu| gpu.has_transform_feedback()) else { return };
    for (joints, batches) in [(256, 1), (257, 2)] {
        let model = Arc::new(support::tube(joints, 4));
        let worst = compare(&gpu, &model, 0, &[1.3], MethodId::BoneTexture, Limits::Gl2).unwrap();
        check(&format!("{joints} joints"), &worst);
        assert_eq!(worst.batches, batches, "{joints} joints");
    }
}

/// Budgets and methods with palettes in registers: all of them together in the full run, otherwise each method with one
/// budget. Trimmed triangles are compared with their own sum.
#[test]
fn every_budget_is_kept_and_agrees() {
    let Some(gpu) = support::gpu().filter(|gpu| gpu.has_transform_feedback()) else { return };
    let model = Arc::new(support::tube(90, 4));
    for (number, limits) in LIMITS.into_iter().enumerate() {
        for id in sampled_methods(number, LIMITS.len()) {
            let Some(joints) = limits.capacity(id.method(), gpu.limits().vertex_registers()) else { continue };
            let program = bindpose_shaders::measure(id.method().shader, 4, |name| built_in(name).map(Cow::Borrowed));
            if let Some(reason) = limits.refusal(id.method(), ProgramSize::demand(program)) {
                let refused = compare(&gpu, &model, 0, &[0.7], id, limits).unwrap_err().to_string();
                assert!(refused.contains(&reason), "{refused}");
                continue;
            }
            let worst = compare(&gpu, &model, 0, &[0.7], id, limits).unwrap();
            check(&format!("{id} within {limits}"), &worst);
            let least = 90_usize.div_ceil(joints as usize);
            assert!(worst.batches >= least, "{id} within {limits}: {} batches of {joints}", worst.batches);
        }
    }
}
