//! glTF that is written: what the Khronos validator says of it, and what an independent reader sees in it.

use super::reader::File;
use crate::support;
use bindpose::export::gltf::{Container, Options, write};
use bindpose::export::{Front, Loss};
use bindpose::load::{LoadOptions, load, load_bytes};
use bindpose::model::{Mesh, Model};
use bindpose::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use glam::DVec3;
use std::path::{Path, PathBuf};
use std::process::Command;

fn load_model(path: &Path) -> Option<Model> {
    load(&[path], &LoadOptions { find_clips: true, ..LoadOptions::default() }).ok().map(|loaded| loaded.model)
}

fn front_of(path: &Path) -> Option<Front> {
    let is_x = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("x"));
    Some(if is_x { Front::NegativeY } else { Front::PositiveX })
}

/// Samples and, where it is there, the corpus.
fn models() -> Vec<PathBuf> {
    let mut paths = support::files_with(Path::new("data"), &["md5mesh", "md5anim", "x"]);
    if let Some(shared) = support::shared() {
        paths.extend(support::files_with(&shared.join("corpus"), &["md5mesh", "x"]));
    }
    paths
}

/// Runs the validator over a folder; `None` where there is no node, or it has no `gltf-validator`.
fn validator_report(folder: &Path) -> Option<Vec<String>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export/validator.js");
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/node_modules");
    let modules = std::env::var_os("NODE_PATH").unwrap_or_else(|| modules.into_os_string());
    let run = Command::new("node").arg(script).arg(folder).env("NODE_PATH", modules).output().ok()?;
    if !run.status.success() {
        let reason =
            String::from_utf8_lossy(&run.stderr).lines().find(|line| line.contains("Error")).map(str::to_owned);
        eprintln!("the glTF validator did not run: {}", reason.unwrap_or_default());
        return None;
    }
    Some(String::from_utf8_lossy(&run.stdout).lines().map(str::to_owned).collect())
}

#[test]
fn the_khronos_validator_has_nothing_to_say() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = 0;
    for (number, path) in models().iter().enumerate() {
        let Some(model) = load_model(path) else { continue };
        let stem = format!("{number} {}", model.name);
        let container = if number % 2 == 0 { Container::Glb } else { Container::Gltf };
        let options = Options { stem: stem.clone(), front: front_of(path), container, ..Options::default() };
        let output = write(&model, &options).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let extension = if container == Container::Glb { "glb" } else { "gltf" };
        std::fs::write(folder.path().join(format!("{stem}.{extension}")), &output.bytes).unwrap();
        for file in &output.beside {
            std::fs::write(folder.path().join(&file.name), &file.bytes).unwrap();
        }
        written += 1;
    }
    let Some(report) = validator_report(folder.path()) else { return };
    let (last, issues) = report.split_last().unwrap();
    assert_eq!(*last, format!("validated {written}"));
    eprintln!("the glTF validator read {written} files");
    // Texture coordinates stay where no image was found, and joints that only a clip moves are joints all the same.
    let is_fine = |issue: &&String| {
        issue.contains("info NODE_EMPTY /nodes/")
            || issue.contains("info UNUSED_OBJECT ") && issue.contains("/attributes/TEXCOORD_0 ")
    };
    let faults: Vec<&String> = issues.iter().filter(|issue| !is_fine(issue)).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Where a pose puts all vertices that triangles use, mesh by mesh.
fn placed(model: &Model, clip: Option<(usize, f64)>) -> Vec<Vec<DVec3>> {
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    match clip {
        Some((clip, time)) => sample(&model.skeleton, &model.clips[clip], time, &mut local),
        None => rest(&model.skeleton, &mut local),
    }
    local_to_model(&model.skeleton, &local, &mut pose);
    let place = |mesh: &Mesh, vertex: usize| -> DVec3 {
        let pulled = mesh.influences_of(vertex).iter().map(|influence| {
            let joint = mesh.bind[influence.slot as usize].joint;
            pose.0[joint.index()].transform_point3(influence.offset.as_dvec3()) * f64::from(influence.weight)
        });
        pulled.sum()
    };
    let used = |mesh: &Mesh| {
        let whole = mesh.triangles.iter().filter(|[a, b, c]| a != b && b != c && c != a);
        let mut vertices: Vec<usize> = whole.flatten().map(|&corner| corner as usize).collect();
        vertices.sort_unstable();
        vertices.dedup();
        vertices
    };
    let of_mesh = |mesh| -> Vec<DVec3> { used(mesh).into_iter().map(|vertex| place(mesh, vertex)).collect() };
    model.meshes.iter().map(of_mesh).filter(|places| !places.is_empty()).collect()
}

/// Some key times of a clip and moments half-way between them.
fn moments(model: &Model, clip: usize) -> Vec<f64> {
    let mut keys: Vec<f64> =
        model.clips[clip].timelines.iter().flat_map(|timeline| timeline.times()).copied().collect();
    keys.push(0.0);
    keys.retain(|key| *key >= 0.0);
    keys.sort_by(f64::total_cmp);
    keys.dedup();
    let halves: Vec<f64> = keys.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0).collect();
    let all: Vec<f64> = keys.into_iter().chain(halves).collect();
    let step = if support::everything() { 1 } else { all.len().div_ceil(20) };
    all.into_iter().step_by(step.max(1)).collect()
}

/// The largest distance between vertices of two models, as a share of the first one's size, and when.
fn largest_distance(a: &Model, b: &Model) -> (f64, String) {
    let bounds =
        a.meshes.iter().filter_map(Mesh::bounds).reduce(|(min, max), (low, high)| (min.min(low), max.max(high)));
    let size = bounds.map_or(1.0, |(min, max)| f64::from((max - min).max_element()));
    let mut worst = (0.0, "at rest".to_owned());
    let mut compare = |clip: Option<(usize, f64)>, what: &dyn Fn() -> String| {
        let (of_a, of_b) = (placed(a, clip), placed(b, clip));
        assert_eq!(of_a.iter().map(Vec::len).collect::<Vec<_>>(), of_b.iter().map(Vec::len).collect::<Vec<_>>());
        for (p, q) in of_a.iter().flatten().zip(of_b.iter().flatten()) {
            let far = p.distance(*q) / size;
            if far > worst.0 || far.is_nan() {
                worst = (far, what());
            }
        }
    };
    compare(None, &|| "at rest".into());
    assert_eq!(a.clips.len(), b.clips.len());
    for clip in 0..a.clips.len() {
        for time in moments(a, clip) {
            compare(Some((clip, time)), &|| format!("{} at {time}", a.clips[clip].name));
        }
    }
    worst
}

/// The largest distance of what the independent reader sees from the model, as a share of its size, and when.
fn largest_distance_in_file(model: &Model, file: &File, front: Front) -> (f64, String) {
    let bounds =
        model.meshes.iter().filter_map(Mesh::bounds).reduce(|(min, max), (low, high)| (min.min(low), max.max(high)));
    let size = bounds.map_or(1.0, |(min, max)| f64::from((max - min).max_element()));
    // The axes of the table: left, up, front.
    let turned = |p: DVec3| match front {
        Front::PositiveX => DVec3::new(p.y, p.z, p.x),
        Front::NegativeY => DVec3::new(p.x, p.z, -p.y),
        _ => panic!("no format faces {front:?}"),
    };
    let moments =
        (0..model.clips.len()).flat_map(|clip| moments(model, clip).into_iter().map(move |time| (clip, time)));
    let mut worst = (0.0, String::new());
    for moment in std::iter::once(None).chain(moments.map(Some)) {
        // Meshes that share no skin stand behind others: compared are the vertices in order of their places.
        let sorted = |places: Vec<Vec<DVec3>>| {
            let mut all: Vec<Vec<DVec3>> = places;
            all.sort_by_key(Vec::len);
            all.concat()
        };
        let expected: Vec<DVec3> = sorted(placed(model, moment)).into_iter().map(turned).collect();
        let seen = sorted(file.placed(moment));
        assert_eq!(expected.len(), seen.len());
        for (p, q) in expected.iter().zip(&seen) {
            let far = p.distance(*q) / size;
            if far > worst.0 || far.is_nan() {
                worst = (far, format!("{moment:?}"));
            }
        }
    }
    worst
}

/// What the losses of an output allow, beside 1e-5: no more than they say.
fn reported(losses: &[Loss]) -> f64 {
    let of_size = |loss: &Loss| match loss {
        Loss::DroppedWeight { moved, .. }
        | Loss::WeightSum { moved, .. }
        | Loss::BindResidual { moved, .. }
        | Loss::Motion { moved, .. } => moved.of_size,
        Loss::Shear { clip: None, .. } => f64::INFINITY,
        _ => 0.0,
    };
    losses.iter().map(of_size).sum()
}

#[test]
fn models_come_back_vertex_by_vertex() {
    let mut compared = 0;
    let mut faults = Vec::new();
    for path in models() {
        let Some(model) = load_model(&path) else { continue };
        let front = front_of(&path);
        for influences in [Some(4), None] {
            let output = write(&model, &Options { front, influences, ..Options::default() }).unwrap();
            let options = LoadOptions { front: front.unwrap(), ..LoadOptions::default() };
            let back = match load_bytes(vec![("back.glb".into(), output.bytes)], &options) {
                Ok(back) => back.model,
                Err(error) => panic!("{}: {error}", path.display()),
            };
            if model.meshes.is_empty() {
                continue;
            }
            let (far, when) = largest_distance(&model, &back);
            let allowed = 1e-5 + 1.01 * reported(&output.losses);
            if far > allowed || far.is_nan() {
                faults.push(format!("{}: {far:.2e} {when}, {allowed:.2e} allowed", path.display()));
            }
            if model.skeleton.len() == back.skeleton.len() {
                let names =
                    |model: &Model| model.skeleton.joints().iter().map(|joint| joint.parent).collect::<Vec<_>>();
                assert_eq!(names(&model), names(&back), "{}", path.display());
            }
            compared += 1;
        }
    }
    eprintln!("{compared} times a model went to glTF and back");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn an_independent_reader_sees_the_same_vertices() {
    let mut compared = 0;
    let mut faults = Vec::new();
    for path in models() {
        let Some(model) = load_model(&path).filter(|model| !model.meshes.is_empty()) else { continue };
        let front = front_of(&path);
        let output = write(&model, &Options { front, ..Options::default() }).unwrap();
        let (far, when) = largest_distance_in_file(&model, &File::new(&output.bytes), front.unwrap());
        let allowed = 1e-5 + 1.01 * reported(&output.losses);
        if far > allowed || far.is_nan() {
            faults.push(format!("{}: {far:.2e} {when}, {allowed:.2e} allowed", path.display()));
        }
        compared += 1;
    }
    eprintln!("an independent reader saw {compared} models");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
