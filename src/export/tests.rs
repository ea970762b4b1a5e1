//! Round trips: a model that was written and read again moves as before.

use crate::{Front, Loss, md5, x};
use bindpose_core::load::{LoadOptions, load, load_bytes};
use bindpose_core::model::{Mesh, Model};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, sample};
use glam::DVec3;
use std::path::{Path, PathBuf};

/// The samples of the repository, and what stands in the corpus where that is there.
fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("BINDPOSE_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let mut open = vec![root.join("data"), shared.join("corpus")];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
            if path.is_dir() {
                open.push(path);
            } else if extension.is_some_and(|extension| extension == "md5mesh" || extension == "x") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The model of a file; `None` where it is damaged, or has nothing to compare.
fn read(path: &Path) -> Option<Model> {
    let mut model = load(&[path], &LoadOptions { find_clips: true, ..LoadOptions::default() }).ok()?.model;
    // Enough to find any mistake, in reasonable time.
    model.clips.truncate(3);
    (!model.meshes.is_empty()).then_some(model)
}

fn front_of(path: &Path) -> Front {
    if path.extension().is_some_and(|extension| extension == "md5mesh") { Front::PositiveX } else { Front::NegativeY }
}

fn read_md5(output: &crate::Output) -> Model {
    let mut files = vec![(PathBuf::from("model.md5mesh"), output.bytes.clone())];
    files.extend(output.beside.iter().map(|file| (PathBuf::from(&file.name), file.bytes.clone())));
    load_bytes(files, &LoadOptions::default()).unwrap().model
}

/// Positions of all vertices in a clip, mesh by mesh, by our formula and nothing else.
fn positions(model: &Model, clip: usize, time: f64) -> Vec<Vec<DVec3>> {
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    sample(&model.skeleton, &model.clips[clip], time, &mut local);
    local_to_model(&model.skeleton, &local, &mut pose);
    let of_mesh = |mesh: &Mesh| {
        let vertex = |vertex| {
            let influences = mesh.influences_of(vertex).iter();
            let pulled = influences.map(|influence| {
                let joint = &pose.0[mesh.bind[influence.slot as usize].joint.index()];
                joint.transform_point3(influence.offset.as_dvec3()) * f64::from(influence.weight)
            });
            pulled.sum()
        };
        (0..mesh.vertex_count()).map(vertex).collect()
    };
    model.meshes.iter().map(of_mesh).collect()
}

/// The corners of all triangles, which are the same however vertices are counted.
fn corners(model: &Model, clip: usize, time: f64) -> Vec<DVec3> {
    let positions = positions(model, clip, time);
    let meshes = model.meshes.iter().zip(&positions);
    meshes.flat_map(|(mesh, places)| mesh.triangles.iter().flatten().map(|&corner| places[corner as usize])).collect()
}

/// The largest distance between corners at keys and half-way between them, as a share of the size.
fn difference(a: &Model, b: &Model, clip: usize) -> f64 {
    let times = a.clips[clip].timelines.iter().flat_map(|timeline| timeline.times().to_vec());
    let mut times: Vec<f64> = times.filter(|time| *time >= 0.0).chain([0.0]).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times =
        times.windows(2).flat_map(|pair| [pair[0], (pair[0] + pair[1]) / 2.0]).chain(times.last().copied()).collect();
    let few = times.iter().step_by((times.len() / 40).max(1));
    let mut most = 0.0_f64;
    for &time in few {
        let (a, b) = (corners(a, clip, time), corners(b, clip, time));
        assert_eq!(a.len(), b.len());
        most = a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(most, f64::max);
    }
    most / crate::loss::size_of(a)
}

/// The distance that the losses of a clip and of all meshes allow, as a share of the size.
fn allowed(losses: &[Loss], clip: &str) -> f64 {
    let of = |loss: &Loss| match loss {
        Loss::Motion { clip: other, moved } if other == clip => moved.of_size,
        Loss::DroppedWeight { moved, .. } | Loss::WeightSum { moved, .. } | Loss::BindResidual { moved, .. } => {
            moved.of_size
        }
        _ => 0.0,
    };
    losses.iter().map(of).sum::<f64>() * 1.1 + 1e-5
}

#[test]
fn models_come_back_from_md5() {
    let mut written = 0;
    for path in models() {
        let Some(model) = read(&path) else { continue };
        // The front is kept, so that what comes back can be compared as it is.
        let options = md5::Options { front: Front::PositiveX, ..md5::Options::default() };
        let output = md5::write(&model, &options).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut back = read_md5(&output);
        back.clips
            .sort_by_key(|clip| output.beside.iter().position(|file| file.name == format!("{}.md5anim", clip.name)));
        let mut kept = model.clone();
        kept.meshes.retain(|mesh| !mesh.triangles.is_empty());
        for (number, clip) in model.clips.iter().enumerate() {
            let far = difference(&kept, &back, number);
            let most = allowed(&output.losses, &clip.name);
            assert!(far <= most, "{} '{}': {far:e} instead of {most:e}", path.display(), clip.name);
        }
        written += 1;
    }
    println!("{written} models came back from MD5");
    assert!(written > 0);
}

fn read_x(bytes: Vec<u8>) -> Model {
    load_bytes(vec![(PathBuf::from("model.x"), bytes)], &LoadOptions::default()).unwrap().model
}

#[test]
fn models_come_back_from_x_and_go_on_to_md5() {
    let (mut written, mut went_on) = (0, 0);
    for (number, path) in models().into_iter().enumerate() {
        let Some(mut model) = read(&path) else { continue };
        model.meshes.retain(|mesh| !mesh.triangles.is_empty());
        let binary = x::Encoding { float_size: x::FloatSize::F64, ..x::Encoding::BINARY };
        let encodings = [x::Encoding::TEXT, x::Encoding::TEXT.compressed(), binary, binary.compressed()];
        let (encoding, front) = (encodings[number % 4], front_of(&path));
        let Ok(output) = x::write(&model, &x::Options { encoding, front, scale: 1.0 }) else { continue };
        let back = read_x(output.bytes);
        // The way back turns the model to its own front again.
        let turned = crate::turn::turned(&back, Front::NegativeY, front, 1.0);
        assert_eq!(back.clips.len(), model.clips.len(), "{}", path.display());
        assert_eq!(back.skeleton.len(), model.skeleton.len(), "{}", path.display());
        for (number, clip) in model.clips.iter().enumerate() {
            let far = difference(&model, &turned, number);
            let most = allowed(&output.losses, &clip.name);
            assert!(far <= most, "{} '{}': {far:e} instead of {most:e}", path.display(), clip.name);
            let lasts = back.clips[number].duration;
            assert!((lasts - clip.duration).abs() < 1e-3, "{}: {lasts} s, not {}", path.display(), clip.duration);
            assert_eq!(back.clips[number].looping, clip.looping, "{}", path.display());
        }
        written += 1;
        let on = md5::write(&back, &md5::Options { front: Front::NegativeY, ..md5::Options::default() });
        if let (Front::PositiveX, Ok(on)) = (front, on) {
            let mut end = read_md5(&on);
            end.clips
                .sort_by_key(|clip| on.beside.iter().position(|file| file.name == format!("{}.md5anim", clip.name)));
            for (number, clip) in model.clips.iter().enumerate() {
                let far = difference(&model, &end, number);
                let most = allowed(&output.losses, &clip.name) + allowed(&on.losses, &back.clips[number].name);
                assert!(far <= most, "{} '{}': {far:e} instead of {most:e}", path.display(), clip.name);
            }
            went_on += 1;
        }
    }
    println!("{written} models came back from .x, {went_on} of them by way of MD5");
    assert!(written > 0 && went_on > 0);
}
