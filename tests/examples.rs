//! The programs in `examples/`, run on the samples.

use bindpose::load::{LoadOptions, load};
use std::fs;

/// Includes an example. Its `main` reads the command line and prints.
macro_rules! example {
    ($name:ident, $path:literal) => {
        #[allow(dead_code, reason = "main")]
        #[path = $path]
        mod $name;
    };
}

example!(bounds, "../examples/bounds.rs");
example!(check, "../examples/check.rs");
example!(frames, "../examples/frames.rs");
example!(gpu_buffers, "../examples/gpu_buffers.rs");
example!(joints, "../examples/joints.rs");

fn data(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("{}/data/{name}", env!("CARGO_MANIFEST_DIR"))).collect()
}

#[test]
fn joints_prints_a_bent_cylinder() {
    // In the middle of the clip, the upper bone of 24 inches leans by 150 degrees from +Z to +X.
    let text = joints::joints(&data(&["md5/cylinder.md5mesh", "md5/cylinder_bend.md5anim"]), 1.5).unwrap();
    let text = text.replace("-0.000", "0.000");
    let (sin, cos) = 150.0_f64.to_radians().sin_cos();
    let tip = format!("    end [{:.3}, 0.000, {:.3}]", 24.0 * sin, 24.0 + 24.0 * cos);
    assert_eq!(text, format!("lower [0.000, 0.000, 0.000]\n  upper [0.000, 0.000, 24.000]\n{tip}\n"));
}

#[test]
fn bounds_are_those_that_the_clip_states() {
    let files = data(&["md5/mannequin_light.md5mesh", "md5/jump.md5anim"]);
    let loaded = load(&files, &LoadOptions::default()).unwrap();
    let (min, max) = bounds::clip_bounds(&loaded.model, &loaded.model.clips[0]).unwrap();
    let boxes = loaded.frame_boxes[0].iter();
    let [low, high] = boxes.copied().reduce(|[a, b], [min, max]| [a.min(min), b.max(max)]).unwrap();
    // The file's boxes are those of the mannequin with all details, whose vertices are up to an inch off.
    assert!(min.as_dvec3().distance(low) < 1.0 && max.as_dvec3().distance(high) < 1.0, "{min} {low}, {max} {high}");
}

#[test]
fn check_reports_errors_for_the_engines_named() {
    let files = data(&["md5/cylinder.md5mesh"]);
    assert_eq!(check::check(&files, "doom3,vkquake").unwrap(), (String::new(), 0));
    let (report, errors) = check::check(&files, "ironwail").unwrap();
    assert!(errors == 1 && report.contains("cylinder.md5mesh:1:1: error[MD5P006]: has no poses\n    "), "{report}");
    assert_eq!(
        check::check(&files, "quake9").unwrap_err().to_string().split(';').next(),
        Some("no engine is called 'quake9'")
    );
    assert!(check::check(&data(&["nothing.x"]), "all").is_err());
}

#[test]
fn frames_finds_the_frame_that_changed() {
    let folder = tempfile::tempdir().unwrap();
    let [mesh, clip] = ["cylinder.md5mesh", "cylinder_bend.md5anim"].map(|name| {
        let copy = folder.path().join(name);
        fs::copy(&data(&[&format!("md5/{name}")])[0], &copy).unwrap();
        copy.display().to_string()
    });
    let (snapshot, files) = (folder.path().join("cylinder.snapshot"), [mesh, clip.clone()]);
    let run = || frames::record_or_verify(&snapshot, &files).unwrap();
    assert_eq!((run().as_str(), run().as_str()), ("recorded 1 clips", "the same"));
    let text = fs::read_to_string(&clip).unwrap();
    let (before, after) = text.split_once("frame 7 {\n").unwrap();
    let (first, rest) = after.split_once('\n').unwrap();
    let turned = format!("{before}frame 7 {{\n{}\n{rest}", first.replace("0.12", "0.13"));
    assert_ne!(turned, text);
    fs::write(&clip, turned).unwrap();
    let report = run();
    assert!(report.contains("cylinder_bend") && report.contains("frame 7"), "{report}");
}

#[test]
fn gpu_buffers_skin_as_the_reference_does() {
    use bindpose::pose::{LocalPose, ModelPose, local_to_model, sample};
    let model =
        load(&data(&["md5/mannequin_light.md5mesh", "md5/wave.md5anim"]), &LoadOptions::default()).unwrap().model;
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    sample(&model.skeleton, &model.clips[0], 1.0, &mut local);
    local_to_model(&model.skeleton, &local, &mut pose);
    let mesh = &model.meshes[0];
    let (vertices, palette) = (gpu_buffers::vertices(mesh).unwrap(), gpu_buffers::palette(mesh, &pose));
    assert_eq!((vertices.len(), palette.len()), (mesh.vertex_count(), mesh.bind.len()));
    assert_eq!(size_of::<gpu_buffers::Vertex>(), 56);
    // No vertex has more than four influences, so the error is rounding to 32 bits of numbers up to 72.
    let error = gpu_buffers::largest_error(mesh, &pose, &vertices, &palette);
    assert!(error > 0.0 && error < 1e-4, "{error}");
}
