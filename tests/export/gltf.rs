//! Written glTF files, checked by the Khronos validator and an independent reader.

use super::reader::File;
use crate::support;
use bindpose::export::gltf::{Container, Options, write};
use bindpose::export::{Front, Loss, Output, md5, x};
use bindpose::load::{LoadOptions, load, load_bytes};
use bindpose::model::{Mesh, Model};
use bindpose::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use glam::DVec3;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

fn load_model(path: &Path) -> Option<Model> {
    load(&[path], &LoadOptions::with_clips()).ok().map(|loaded| Arc::unwrap_or_clone(loaded.model))
}

fn front_of(path: &Path) -> Option<Front> {
    let is_x = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("x"));
    Some(if is_x { Front::NegativeY } else { Front::PositiveX })
}

/// Returns the samples, and the corpus if it is present: all models in the full run, otherwise every fifth from number
/// `first` on.
fn models(first: usize) -> Vec<PathBuf> {
    let paths = support::real_files(&["md5mesh", "x"]).into_iter().enumerate();
    paths.filter(|(number, _)| support::is_sampled(*number, first, 5)).map(|(_, path)| path).collect()
}

/// Runs a script on a folder. Returns `None` without node or the package.
pub(super) fn run_node(script: &str, package: &str, folder: &Path) -> Option<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let modules = std::env::var_os("NODE_PATH").map_or_else(|| root.join("target/node_modules"), PathBuf::from);
    if !modules.join(package).exists() {
        support::skip(&format!("ran no {package}"));
        return None;
    }
    let script = root.join("tests/export").join(script);
    let run = Command::new("node").arg(script).arg(folder).arg(&modules).env("NODE_PATH", &modules).output().ok()?;
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    Some(String::from_utf8_lossy(&run.stdout).lines().map(str::to_owned).collect())
}

#[test]
fn the_khronos_validator_has_nothing_to_say() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = 0;
    for (number, path) in models(0).iter().enumerate() {
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
    let Some(report) = run_node("validator.js", "gltf-validator", folder.path()) else { return };
    let (last, issues) = report.split_last().unwrap();
    assert_eq!(*last, format!("validated {written}"));
    eprintln!("the glTF validator read {written} files");
    // Texture coordinates are kept if no image was found, and joints that only a clip moves are kept as joints.
    let is_fine = |issue: &&String| {
        issue.contains("info NODE_EMPTY /nodes/")
            || issue.contains("info UNUSED_OBJECT ") && issue.contains("/attributes/TEXCOORD_0 ")
    };
    let faults: Vec<&String> = issues.iter().filter(|issue| !is_fine(issue)).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Returns the positions in a pose of all vertices that triangles use, mesh by mesh.
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
    let of_mesh = |mesh: &Mesh| -> Vec<DVec3> {
        let mut is_used = vec![false; mesh.vertex_count()];
        for corner in mesh.triangles.iter().filter(|[a, b, c]| a != b && b != c && c != a).flatten() {
            is_used[*corner as usize] = true;
        }
        (0..is_used.len()).filter(|&vertex| is_used[vertex]).map(|vertex| place(mesh, vertex)).collect()
    };
    model.meshes.iter().map(of_mesh).filter(|places| !places.is_empty()).collect()
}

/// Returns the longest side of a model's box.
fn size_of(model: &Model) -> f64 {
    let bounds =
        model.meshes.iter().filter_map(Mesh::bounds).reduce(|(min, max), (low, high)| (min.min(low), max.max(high)));
    bounds.map_or(1.0, |(min, max)| f64::from((max - min).max_element()))
}

/// Returns some key times of a clip and the times half-way between them.
fn times_of(model: &Model, clip: usize) -> Vec<f64> {
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

/// Returns the largest distance between vertices of two models, as a share of the first one's size, and its time.
fn largest_distance(a: &Model, b: &Model) -> (f64, String) {
    let size = size_of(a);
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
        for time in times_of(a, clip) {
            compare(Some((clip, time)), &|| format!("{} at {time}", a.clips[clip].name));
        }
    }
    worst
}

/// Converts from model space to glTF's left, up, front.
fn to_gltf(front: Front) -> impl Fn(DVec3) -> DVec3 {
    move |p| match front {
        Front::PositiveX => DVec3::new(p.y, p.z, p.x),
        Front::NegativeY => DVec3::new(p.x, p.z, -p.y),
        _ => panic!("no format faces {front:?}"),
    }
}

/// Returns the largest distance between the model and the independent reader's result, as a share of the model's size,
/// and its time.
fn largest_distance_in_file(model: &Model, file: &File, front: Front) -> (f64, String) {
    let size = size_of(model);
    let turned = to_gltf(front);
    let times = (0..model.clips.len()).flat_map(|clip| times_of(model, clip).into_iter().map(move |time| (clip, time)));
    let mut worst = (0.0, String::new());
    for time in std::iter::once(None).chain(times.map(Some)) {
        // Meshes without a common skin come after others, so vertices are compared sorted by position.
        let sorted = |places: Vec<Vec<DVec3>>| {
            let mut all: Vec<Vec<DVec3>> = places;
            all.sort_by_key(Vec::len);
            all.concat()
        };
        let expected: Vec<DVec3> = sorted(placed(model, time)).into_iter().map(&turned).collect();
        let seen = sorted(file.placed(time));
        assert_eq!(expected.len(), seen.len());
        for (p, q) in expected.iter().zip(&seen) {
            let far = p.distance(*q) / size;
            if far > worst.0 || far.is_nan() {
                worst = (far, format!("{time:?}"));
            }
        }
    }
    worst
}

/// Returns the distance that the losses of an output allow, in addition to 1e-5.
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
    for path in models(1) {
        let Some(model) = load_model(&path) else { continue };
        let front = front_of(&path);
        for influences in [Some(4), None] {
            let output = write(&model, &Options { front, influences, ..Options::default() }).unwrap();
            let back = match load_bytes(vec![("back.glb".into(), output.bytes)], &LoadOptions::default()) {
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
    for path in models(2) {
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

/// three.js computes in 32 bits.
const THREE_TOLERANCE: f64 = 5e-5;

#[test]
fn three_js_sees_the_same_vertices() {
    let folder = tempfile::tempdir().unwrap();
    let mut allowed = Vec::new();
    for path in models(3) {
        let Some(model) = load_model(&path).filter(|model| !model.meshes.is_empty()) else { continue };
        let front = front_of(&path);
        let output = write(&model, &Options { front, ..Options::default() }).unwrap();
        let step = model.meshes.iter().map(Mesh::vertex_count).max().unwrap_or(1).div_ceil(200);
        let turned = to_gltf(front.unwrap());
        let times = (0..model.clips.len().min(3)).flat_map(|clip| {
            let all = times_of(&model, clip);
            let few = all.len().div_ceil(6).max(1);
            all.into_iter().step_by(few).map(move |time| Some((clip, time)))
        });
        let expected = |time: Option<(usize, f64)>| {
            let mut meshes = placed(&model, time);
            meshes.sort_by_key(Vec::len);
            let few = |places: &Vec<DVec3>| -> Vec<f64> {
                places.iter().step_by(step).flat_map(|&place| turned(place).to_array()).collect()
            };
            let primitives: Vec<Vec<f64>> = meshes.iter().map(few).collect();
            let (animation, time) = time.unzip();
            serde_json::json!({"animation": animation, "time": time, "primitives": primitives})
        };
        let times: Vec<serde_json::Value> = std::iter::once(None).chain(times).map(expected).collect();
        let file = folder.path().join(format!("{:03}.glb", allowed.len()));
        std::fs::write(&file, &output.bytes).unwrap();
        let expected = serde_json::json!({"step": step, "times": times});
        std::fs::write(file.with_extension("json"), serde_json::to_vec(&expected).unwrap()).unwrap();
        let most = (THREE_TOLERANCE + 1.01 * reported(&output.losses)) * size_of(&model);
        allowed.push((path, most, placed(&model, None).len()));
    }
    let Some(report) = run_node("three.mjs", "three", folder.path()) else { return };
    assert_eq!(report.len(), allowed.len());
    for (line, (path, most, meshes)) in report.iter().zip(&allowed) {
        let mut words = line.split(' ');
        let far: f64 = words.next().unwrap().parse().unwrap();
        assert!(far <= *most, "{}: {far:e} off, {most:e} allowed", path.display());
        assert_eq!(words.next().unwrap().parse(), Ok(*meshes), "{}", path.display());
    }
    eprintln!("three.js read {} files", report.len());
}

/// Returns the corners of all non-degenerate triangles. Meshes with few triangles come first.
fn corners(model: &Model, clip: Option<(usize, f64)>) -> Vec<DVec3> {
    let whole = |mesh: &Mesh| -> Vec<u32> {
        mesh.triangles.iter().filter(|[a, b, c]| a != b && b != c && c != a).flatten().copied().collect()
    };
    let meshes = model.meshes.iter().map(whole).filter(|corners| !corners.is_empty());
    let of_mesh = |(corners, places): (Vec<u32>, Vec<DVec3>)| -> Vec<DVec3> {
        let mut used = corners.clone();
        used.sort_unstable();
        used.dedup();
        corners.iter().map(|corner| places[used.binary_search(corner).unwrap()]).collect()
    };
    let mut all: Vec<Vec<DVec3>> = meshes.zip(placed(model, clip)).map(of_mesh).collect();
    all.sort_by_key(Vec::len);
    all.concat()
}

/// Loads a written file in the format of `path` with its clips.
fn read_back(path: &Path, output: Output) -> Arc<Model> {
    let clips = output.beside.into_iter().map(|file| (PathBuf::from(file.name), file.bytes));
    let name = PathBuf::from("back").with_extension(path.extension().unwrap());
    load_bytes(std::iter::once((name, output.bytes)).chain(clips).collect(), &LoadOptions::default()).unwrap().model
}

/// Converts from a format to glTF and back. Returns the distance of corners from the original, the distance that losses
/// allow, and the time.
fn through_glb(path: &Path, model: &Model) -> (f64, f64, String) {
    let front = front_of(path).unwrap();
    let glb = write(model, &Options { front: Some(front), influences: None, ..Options::default() }).unwrap();
    let between = load_bytes(vec![("between.glb".into(), glb.bytes)], &LoadOptions::default()).unwrap().model;
    if between.skeleton.is_empty() && between.meshes.iter().all(|mesh| mesh.triangles.is_empty()) {
        // Every writer rejects an empty model.
        return (0.0, 0.0, String::new());
    }
    let own = match front {
        Front::PositiveX => md5::write(&between, &md5::Options { front: Some(front), ..md5::Options::default() }),
        _ => x::write(&between, &x::Options { front: Some(front), ..x::Options::default() }),
    };
    let own = own.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let allowed = 2e-5 + 1.01 * (reported(&glb.losses) + reported(&own.losses));
    let back = read_back(path, own);
    assert_eq!(back.clips.len(), model.clips.len(), "{}", path.display());
    let mut worst = (0.0, String::new());
    let clips = (0..model.clips.len()).flat_map(|clip| {
        let all = times_of(model, clip);
        let few = if support::everything() { 1 } else { all.len().div_ceil(4) };
        all.into_iter().step_by(few.max(1)).map(move |time| (clip, time))
    });
    for (clip, time) in clips {
        let (here, there) = (corners(model, Some((clip, time))), corners(&back, Some((clip, time))));
        assert_eq!(here.len(), there.len(), "{}", path.display());
        let far = here.iter().zip(&there).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max) / size_of(model);
        if far > worst.0 || far.is_nan() {
            worst = (far, format!("'{}' at {time}", model.clips[clip].name));
        }
    }
    (worst.0, allowed, worst.1)
}

#[test]
fn formats_come_back_from_glb() {
    let mut compared = 0;
    let mut faults = Vec::new();
    for path in models(4) {
        let Some(mut model) = load_model(&path).filter(|model| !model.meshes.is_empty()) else { continue };
        if !support::everything() {
            model.clips.truncate(2);
        }
        let (far, allowed, when) = through_glb(&path, &model);
        if far > allowed || far.is_nan() {
            faults.push(format!("{}: {far:.2e} {when}, {allowed:.2e} allowed", path.display()));
        }
        compared += 1;
    }
    eprintln!("{compared} models went through glTF back to their own format");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn g2m01_the_mannequin_comes_back_to_md5() {
    let path = Path::new("data/md5/mannequin_light.md5mesh");
    let model = load_model(path).unwrap();
    assert_eq!(model.clips.len(), 5);
    let (far, ..) = through_glb(path, &model);
    assert!(far < 1e-5, "{far:e}");
}
