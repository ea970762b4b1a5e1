//! `bindpose convert` as a user calls it.

mod folders;
mod materials;
mod names;

use super::gltf::run_node;
use super::reader::File;
use crate::support;
use bindpose::convert::{Edits, Format, Options};
use bindpose::export::x;
use bindpose::glam::Vec3;
use bindpose::load::{LoadOptions, load};
use bindpose::model::{JointId, Model, add_helpers};
use bindpose::pose::{self, LocalPose, ModelPose, local_to_model};
use bindpose::skin;
use bindpose::validate::profiles::{FormatFamily, PROFILES, Profile};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

fn convert(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    command.arg("convert").args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn sample(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name).display().to_string()
}

#[test]
fn files_are_replaced_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = sample("md5/mannequin_light.md5mesh");
    let first = convert(folder.path(), &[&mesh, "-o", "out.x"]);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let before = std::fs::read(folder.path().join("out.x")).unwrap();
    let second = convert(folder.path(), &[&mesh, "-o", "out.x", "--encoding", "binary"]);
    assert_eq!(second.status.code(), Some(2));
    assert!(text(&second.stderr).contains("out.x; --force replaces it"), "{}", text(&second.stderr));
    assert_eq!(std::fs::read(folder.path().join("out.x")).unwrap(), before);
    let third = convert(folder.path(), &[&mesh, "-o", "out.x", "--encoding", "binary", "--force", "--json"]);
    assert_eq!(third.status.code(), Some(0), "{}", text(&third.stderr));
    assert!(std::fs::read(folder.path().join("out.x")).unwrap().starts_with(b"xof 0303bin 0032"));
    let report: Value = serde_json::from_slice(&third.stdout).unwrap();
    assert_eq!(report["files"][0]["path"], "out.x");
    assert_eq!(report["findings"]["errors"], 0);
}

#[test]
fn the_library_writes_the_programs_files() {
    let quake = Options {
        profile: Profile::find("vkquake"),
        edits: Edits { scale: Some(2.0), rest_clip: true, ..Edits::default() },
        ..Options::default()
    };
    let luanti = Options {
        profile: Profile::find("luanti"),
        edits: Edits { up: Some(Vec3::NEG_Y), ..Edits::default() },
        ..Options::default()
    };
    let packed = Options { encoding: Some(x::Encoding::TEXT.compressed()), ..Options::default() };
    let (mannequin, cylinder) = ("md5/mannequin_light.md5mesh", "x/cylinder.x");
    let cases: [(&str, Format, &[&str], Options); 8] = [
        (mannequin, Format::Glb, &[], Options::default()),
        (mannequin, Format::Gltf, &[], Options::default()),
        (mannequin, Format::X, &[], Options::default()),
        (mannequin, Format::Iqm, &[], Options::default()),
        (mannequin, Format::Obj, &[], Options::default()),
        (cylinder, Format::Md5, &["--profile", "vkquake", "--scale", "2", "--rest-clip"], quake),
        (cylinder, Format::X, &["--profile", "luanti", "--up=-y"], luanti),
        (cylinder, Format::X, &["--encoding", "tzip"], packed),
    ];
    for (model, format, arguments, mut options) in cases {
        let folder = tempfile::tempdir().unwrap();
        let run = convert(folder.path(), &[&[&*sample(model), "-o", ".", "--to", format.name()], arguments].concat());
        assert!(run.stderr.is_empty(), "{}", text(&run.stderr));
        options.load = LoadOptions::with_clips();
        let ours = bindpose::convert::convert(&[sample(model).into()], folder.path(), format, &options).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), ours.files.len());
        for (path, bytes) in &ours.files {
            assert!(std::fs::read(path).unwrap() == *bytes, "{} {arguments:?}", path.display());
        }
        // A second time, nothing is replaced unless that is asked for.
        assert_eq!(ours.write(false).unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
        ours.write(true).unwrap();
    }
}

#[test]
fn every_format_is_written_by_its_extension() {
    let folder = tempfile::tempdir().unwrap();
    for (name, head) in [
        ("a.glb", b"glTF".as_slice()),
        ("b.gltf", b"{"),
        ("c.md5mesh", b"MD5Version 10"),
        ("d.x", b"xof 0303txt 0032"),
        ("e.iqm", b"INTERQUAKEMODEL\0"),
        ("f.obj", b"mtllib f.mtl"),
    ] {
        let run = convert(folder.path(), &[&sample("x/cylinder.x"), "-o", name]);
        assert_eq!(run.status.code(), Some(0), "{name}: {}", text(&run.stderr));
        assert!(std::fs::read(folder.path().join(name)).unwrap().starts_with(head), "{name}");
    }
    assert_eq!(convert(folder.path(), &[&sample("x/cylinder.x"), "-o", "a.fbx"]).status.code(), Some(2));
    let wrong = convert(folder.path(), &[&sample("x/cylinder.x"), "-o", "g.iqm", "--specular"]);
    assert!(wrong.stdout.is_empty());
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("--specular has no meaning for .iqm files"), "{}", text(&wrong.stderr));
    let named = convert(folder.path(), &[&sample("x/cylinder.x"), "--to", "iqm", "-o", "folder"]);
    assert_eq!(named.status.code(), Some(0), "{}", text(&named.stderr));
    assert!(folder.path().join("folder/cylinder.iqm").exists());
    // The name of a file does not become a folder.
    let other = convert(folder.path(), &[&sample("x/cylinder.x"), "--to", "glb", "-o", "h.GLTF"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("h.GLTF is the name of a .gltf file"), "{}", text(&other.stderr));
    assert!(!folder.path().join("h.GLTF").exists());
}

/// The clip bends the second joint. A helper bends by half of it, precedes it in the file, and influences no vertex
/// that follows a single joint.
#[test]
fn helpers_are_written_into_mesh_and_clips() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = [sample("md5/cylinder.md5mesh"), sample("md5/cylinder_bend.md5anim")];
    let [mesh, bend] = [&*inputs[0], &*inputs[1]];
    let run = |more: &[&str]| {
        let output =
            convert(folder.path(), &[&[mesh, bend, "-o", "out.md5mesh", "--helpers", "upper=1"], more].concat());
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    let (code, printed) = run(&["--profile", "doom3"]);
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.contains("1 helper joint moves"), "{printed}");
    let read = |files: [&Path; 2]| load(&files, &LoadOptions::default()).unwrap().model;
    let [before, after] = [
        read([Path::new(mesh), Path::new(bend)]),
        read([&folder.path().join("out.md5mesh"), &folder.path().join("cylinder_bend.md5anim")]),
    ];
    let names: Vec<&str> = after.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["lower", "upper_helper1", "upper", "end"]);
    let (mut local, mut pose, mut own) = (LocalPose::default(), ModelPose::default(), ModelPose::default());
    for frame in [0.0, 20.0, 72.0] {
        pose::sample(&after.skeleton, &after.clips[0], frame / 24.0, &mut local);
        local_to_model(&after.skeleton, &local, &mut pose);
        // The cylinder's joints have one direction, and the clip turns about one axis.
        let [half, whole] = [1, 2].map(|joint: usize| local.0[joint].rotation);
        assert!((half * half).dot(whole).abs() > 1.0 - 1e-9, "{frame}: {half} {whole}");
        pose::sample(&before.skeleton, &before.clips[0], frame / 24.0, &mut local);
        local_to_model(&before.skeleton, &local, &mut own);
        for vertex in (0..before.meshes[0].vertex_count()).filter(|&it| before.meshes[0].influences_of(it).len() == 1) {
            let place = |model: &Model, pose| skin::linear_position(&model.meshes[0], pose, vertex);
            let moved = place(&before, &own).distance(place(&after, &pose));
            assert!(moved < 1e-3, "{frame} {vertex}: {moved}");
        }
    }
    // Eight helpers for each of the mannequin's 22 suitable joints exceed ET: Legacy's 128 joints.
    let mannequin = sample("md5/mannequin_light.md5mesh");
    let model = load(&[&mannequin], &LoadOptions::default()).unwrap().model;
    let has_seam = |joint: &JointId| add_helpers(&mut Model::clone(&model), *joint, 8).is_ok();
    let many = model.skeleton.ids().filter(has_seam).map(|joint| format!("--helpers={}=8", model.skeleton[joint].name));
    let many: Vec<String> = many.collect();
    let mut arguments = vec![mannequin.as_str(), "-o", "many.md5mesh", "--no-clips", "--profile", "etlegacy"];
    arguments.extend(many.iter().map(String::as_str));
    let refused = convert(folder.path(), &arguments);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("the engine takes 128"), "{}", text(&refused.stderr));
    assert!(!folder.path().join("many.md5mesh").exists());
}

/// The vertices of an .obj by `dqs` equal those of the library's reference in the same pose.
#[test]
fn an_obj_has_any_pose_by_any_method() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = sample("md5/cylinder.md5mesh");
    let positions = |more: &[&str]| -> Vec<f64> {
        let run = convert(
            folder.path(),
            &[&[&*mesh, "-o", "out.obj", "--force", "--keep-axes", "--pose", "upper=x,180"], more].concat(),
        );
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
        let file = std::fs::read_to_string(folder.path().join("out.obj")).unwrap();
        let axis = |line: &str| {
            let numbers: Vec<f64> = line.split(' ').skip(1).map(|number| number.parse().unwrap()).collect();
            // The cylinder's axis is z.
            numbers[0].hypot(numbers[1])
        };
        file.lines().filter(|line| line.starts_with("v ")).map(axis).collect()
    };
    // All vertices except the ends and the axis have radius 4. Dual quaternions keep it; with the weighted sum, the
    // middle collapses to a point.
    let at_rest = |radius: &&f64| **radius < 3.9;
    let [linear, dual] = [&[][..], &["--method", "dqs"]].map(positions);
    assert!(linear.iter().filter(at_rest).count() > dual.iter().filter(at_rest).count() + 24, "{linear:?}");
    for (arguments, error) in [
        (["-o", "a.glb", "--method", "dqs"], "--method has no meaning for .glb files"),
        (["-o", "a.obj", "--pose", "elbow=x,9"], "no joint is called 'elbow'"),
    ] {
        let run = convert(folder.path(), &[&[&*mesh][..], &arguments].concat());
        assert_eq!(run.status.code(), Some(2));
        assert!(text(&run.stderr).contains(error), "{}", text(&run.stderr));
    }
}

#[test]
fn usage_errors_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (mesh, clip) = (&*sample("md5/cylinder.md5mesh"), &*sample("md5/cylinder_bend.md5anim"));
    let pose = ["-o", "a.obj", "--clip", "cylinder_bend", "--time", "99"];
    let cases: [(&[&str], &str); 6] = [
        (&[&[mesh, clip][..], &pose].concat(), "--time 99 is outside of the clip, which lasts "),
        (&[mesh, "-o", "a.glb", "--ticks-per-second", "9"], "--ticks-per-second sets the speed of a .x file's clips"),
        (&[clip, "-o", "w.md5anim"], "name a .md5mesh file, and give --only-clips to write no mesh"),
        (&["none/*.glb", "-o", "out", "--to", "glb"], "no .md5mesh, .x, .glb or .gltf file matches none/*.glb"),
        (&[mesh, "-o", "out", "--to", "glb", "--jobs", "0"], "expected a whole number, 1 or more"),
        (&[mesh, "-o", "a.glb", "--scale", "-1"], "expected a positive number"),
    ];
    for (arguments, error) in cases {
        let run = convert(folder.path(), arguments);
        assert_eq!(run.status.code(), Some(2), "{arguments:?}");
        assert!(text(&run.stderr).contains(error), "{arguments:?}: {}", text(&run.stderr));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// With y up, what was left of the model is below it, in every frame.
#[test]
fn a_model_that_lies_down_is_set_upright() {
    let folder = tempfile::tempdir().unwrap();
    let files = [sample("md5/mannequin_light.md5mesh"), sample("md5/walk.md5anim")];
    let positions = |more: &[&str]| -> Vec<[f64; 3]> {
        let pose = ["-o", "out.obj", "--force", "--clip", "walk", "--time", "0.3"];
        let run = convert(folder.path(), &[&[&*files[0], &files[1]][..], &pose, more].concat());
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
        let file = std::fs::read_to_string(folder.path().join("out.obj")).unwrap();
        let vertices = file.lines().filter_map(|line| line.strip_prefix("v "));
        vertices
            .map(|line| {
                let mut numbers = line.split(' ').map(|number| number.parse().unwrap());
                [(); 3].map(|()| numbers.next().unwrap())
            })
            .collect()
    };
    let [lying, upright] = [&[][..], &["--up", "y"]].map(positions);
    for ([x, y, z], turned) in lying.into_iter().zip(upright) {
        let expected = [-y, x, z];
        assert!(expected.iter().zip(turned).all(|(a, b)| (a - b).abs() < 1e-4), "{expected:?} {turned:?}");
    }
    let run = convert(folder.path(), &[&files[0], "-o", "out.glb", "--up", "-z", "--front", "z"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("--front and --up name one axis"), "{}", text(&run.stderr));
}

#[test]
fn a_quake_model_is_replaced_frame_for_frame() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["walk1", "walk2", "walk3", "wave1", "wave2", "death1"];
    std::fs::write(folder.path().join("ogre.mdl"), support::mdl(&names)).unwrap();
    let mesh = sample("md5/mannequin_light.md5mesh");
    let (walk, wave) = (sample("md5/walk.md5anim"), sample("md5/wave.md5anim"));
    let inputs = [mesh.as_str(), &walk, &wave, "-o", "progs/ogre.md5mesh", "--profile", "vkquake"];
    let run = convert(folder.path(), &[&inputs[..], &["--frames-from", "ogre.mdl", "--json"]].concat());
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    let losses = report["losses"].as_array().unwrap();
    let missing = losses.iter().find(|loss| loss["loss"] == "missing-clip").unwrap();
    let sentence = "no clip for 1 frame, 'death1' to 'death1'; the bind pose is shown";
    assert!(missing["first"] == "death1" && missing["text"] == sentence, "{losses:?}");
    let clip = std::fs::read_to_string(folder.path().join("progs/ogre.md5anim")).unwrap();
    assert!(clip.contains("numFrames 6\n") && clip.contains("frameRate 10\n"), "{}", &clip[..300]);
    let written = std::fs::read_to_string(folder.path().join("progs/ogre.md5mesh")).unwrap();
    assert!(written.contains("shader \"ogre\""));
    assert!(std::fs::read(folder.path().join("progs/ogre_00_00.png")).unwrap().starts_with(b"\x89PNG"));
    let note = "the old model has a skin that no image was given for: ogre_01_00";
    assert_eq!(report["notes"], serde_json::json!([note]));
    let fault = convert(folder.path(), &[&inputs[..], &["--force", "--frames-from", "progs/ogre.md5mesh"]].concat());
    assert_eq!(fault.status.code(), Some(2));
    assert!(text(&fault.stderr).contains("not a model of Quake, Quake II or Quake III"), "{}", text(&fault.stderr));
}

/// vkQuake 1.35 reads only one mesh of a file.
#[test]
fn the_validators_verdict_is_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = "Mesh { 3; 1;2;3;, 0;0;0;, 4;0;0;; 1; 3;0,1,2;; MeshTextureCoords { 3; 0;0;, 0;1;, 1;1;; } }\n";
    let file = format!("xof 0303txt 0032\n{mesh}{mesh}");
    std::fs::write(folder.path().join("two.x"), file).unwrap();
    let run = convert(folder.path(), &["two.x", "-o", "two.md5mesh", "--profile", "vkquake-1.35"]);
    let expected = Command::new(env!("CARGO_BIN_EXE_bindpose"))
        .args(["validate", "two.md5mesh", "--profile", "vkquake-1.35"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(run.status.code(), expected.status.code(), "{}", text(&run.stderr));
    assert_eq!(run.status.code(), Some(1), "{}", text(&run.stderr));
}

/// Converts real files with the command, by default a quarter of them to each format. There is no panic, and each run
/// ends with a file or a reason.
#[test]
fn real_files_convert_or_give_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    for (number, path) in support::real_files(&["x"]).iter().enumerate() {
        let formats = ["glb", "iqm"].into_iter().enumerate();
        for (_, extension) in formats.filter(|(format, _)| support::is_sampled(number, *format, 4)) {
            let name = format!("{number}.{extension}");
            let run = convert(folder.path(), &[&path.display().to_string(), "-o", &name]);
            let code = run.status.code();
            assert!(matches!(code, Some(0..=2)), "{}: {code:?}", path.display());
            assert_eq!(folder.path().join(&name).exists(), code == Some(0), "{}", path.display());
            assert!(code == Some(0) || !run.stderr.is_empty(), "{}", path.display());
        }
    }
}

/// KEX and FTEQW read skins as indices into the game's palette, which is in a parent folder.
#[test]
fn skins_are_lmp_files_where_the_engine_reads_them() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = [&sample("md5/cylinder.md5mesh"), "-o", "id1/progs/pipe.md5mesh", "--profile", "fteqw", "--json"];
    let without = convert(folder.path(), &inputs);
    assert!(text(&without.stdout).contains("gfx/palette.lmp is needed"), "{}", text(&without.stdout));
    assert!(folder.path().join("id1/progs/pipe_00_00.png").exists());
    std::fs::create_dir_all(folder.path().join("id1/gfx")).unwrap();
    let grey: Vec<u8> = (0..=255_u8).flat_map(|index| [index; 3]).collect();
    std::fs::write(folder.path().join("id1/gfx/palette.lmp"), grey).unwrap();
    let with = convert(folder.path(), &[&inputs[..], &["--force"]].concat());
    assert!(with.status.code().is_some_and(|code| code < 2), "{}", text(&with.stderr));
    let skin = std::fs::read(folder.path().join("id1/progs/pipe_00_00.lmp")).unwrap();
    // 192 x 384 texels; see data/README.md.
    assert_eq!((&skin[..8], skin.len()), (&[192, 0, 0, 0, 128, 1, 0, 0][..], 8 + 192 * 384));
}

#[test]
fn a_quake_2_model_gives_its_skin_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let skins = ["models/monsters/soldier/skin.pcx", "models/monsters/soldier/pain.pcx"];
    std::fs::write(folder.path().join("tris.md2"), support::md2(&skins)).unwrap();
    let mesh = sample("md5/cylinder.md5mesh");
    let run =
        convert(folder.path(), &[&mesh, "-o", "md5/tris.md5mesh", "--frames-from", "tris.md2", "--profile", "q2pro"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert!(text(&run.stdout).contains("the old model has a skin that no image was given for: pain"));
    for name in ["tris.md5mesh", "tris.md5anim", "skin.png"] {
        assert!(folder.path().join("md5").join(name).exists(), "{name}");
    }
}

/// A triangle that turns about its root, with keys at ticks 0, 320 and 640 of 4800 per second.
const TURNING: &str = "xof 0303txt 0032 Frame root { FrameTransformMatrix { 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1;; }
    Mesh { 3; 1;2;3;, 0;0;0;, 4;0;0;; 1; 3;0,1,2;; } } AnimTicksPerSecond { 4800; }
    AnimationSet turn { Animation { {root} AnimationKey { 2; 3; 0;3;0,0,0;;, 320;3;1,2,3;;, 640;3;2,1,0;;; } } }";

/// The ranges and speeds in a mod's code are ticks of the .x file.
#[test]
fn luantis_frames_are_the_ticks_of_a_x_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mob.x"), TURNING).unwrap();
    let run = convert(folder.path(), &["mob.x", "-o", "mob.glb", "--profile", "luanti"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let file = File::new(&std::fs::read(folder.path().join("mob.glb")).unwrap());
    let channel = file.document.animations().next().unwrap().channels().next().unwrap();
    let times: Vec<f32> = channel.reader(|_| Some(file.binary.as_slice())).read_inputs().unwrap().collect();
    assert_eq!(times, [0.0, 320.0, 640.0]);
    let run = convert(folder.path(), &["mob.x", "-o", "again.x", "--profile", "luanti"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let again = std::fs::read_to_string(folder.path().join("again.x")).unwrap();
    assert!(again.contains("640;") && again.contains("4800;"), "{again}");
}

/// Luanti plays all sets as one timeline, so they are concatenated.
#[test]
fn clips_become_frames_of_one_for_luanti() {
    let folder = tempfile::tempdir().unwrap();
    let again = TURNING.find("AnimationSet").map(|at| TURNING[at..].replace("turn", "turn_back")).unwrap();
    let slow = (TURNING.to_owned() + &again).replace("4800;", "320;");
    std::fs::write(folder.path().join("mob.x"), slow).unwrap();
    let run = convert(folder.path(), &["mob.x", "-o", "out.x", "--profile", "luanti", "--json"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let note = report["notes"][0].as_str().unwrap();
    assert!(note.starts_with("frames of 'all': turn 0..") && note.contains(", turn_back "), "{note}");
    let written = std::fs::read_to_string(folder.path().join("out.x")).unwrap();
    assert_eq!(written.matches("AnimationSet all {").count(), 1, "{written}");
}

#[test]
fn clips_are_edited_for_every_format() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mob.x"), TURNING).unwrap();
    for name in ["a.glb", "a.md5mesh", "a2.x", "a.iqm", "a.obj"] {
        let edits: &[&str] =
            if name == "a.obj" { &["--in-place", "--trim"] } else { &["--in-place", "--trim", "--loop"] };
        let run = convert(folder.path(), &[&["mob.x", "-o", name][..], edits].concat());
        assert_eq!(run.status.code(), Some(0), "{name}: {}", text(&run.stderr));
    }
    // Three frames, followed by the first one.
    let clip = std::fs::read_to_string(folder.path().join("turn.md5anim")).unwrap();
    assert!(clip.contains("numFrames 4\n"), "{clip}");
    // y of the file is up, and the root stays above its position.
    for (number, height) in [0, 2, 1, 0].iter().enumerate() {
        assert!(clip.contains(&format!("frame {number} {{\n\t0\t0\t{height}\t")), "{clip}");
    }
    let wrong = convert(folder.path(), &["mob.x", "-o", "b.obj", "--loop"]);
    assert!(text(&wrong.stderr).contains("--loop has no meaning for .obj files"));
}

/// Joints are found by name, and an unknown name is reported.
#[test]
fn a_joint_can_be_kept_in_place() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mob.x"), TURNING).unwrap();
    let run = convert(folder.path(), &["mob.x", "-o", "a.md5mesh", "--in-place=root"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let clip = std::fs::read_to_string(folder.path().join("turn.md5anim")).unwrap();
    assert!(clip.contains("frame 1 {\n\t0\t0\t2\t"), "{clip}");
    let wrong = convert(folder.path(), &["mob.x", "-o", "b.md5mesh", "--in-place=hips"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("--in-place: no joint is called 'hips'; "), "{}", text(&wrong.stderr));
}

/// An armature that is turned and a hundred times too large, as exporters often leave it. The output is right, and
/// every engine loads it.
#[test]
fn g2m03_unapplied_transforms_reach_every_engine() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("imp.gltf"), support::armature()).unwrap();
    let engines = PROFILES.iter().filter(|profile| profile.reads(FormatFamily::Md5));
    let mut converted = 0;
    for engine in engines {
        let out = format!("{}/imp.md5mesh", engine.name);
        let run = convert(
            folder.path(),
            &["imp.gltf", "-o", &out, "--profile", engine.name, "--rename", "mixamorig:*=*", "--json"],
        );
        assert_eq!(run.status.code(), Some(0), "{}: {}{}", engine.name, text(&run.stdout), text(&run.stderr));
        let paths: Vec<_> = support::files_with(&folder.path().join(engine.name), &["md5mesh", "md5anim"]);
        let model = load(&paths, &LoadOptions::default()).unwrap().model;
        assert_eq!(model.skeleton.joints()[1].name, "Spine");
        let mut seen: Vec<[i32; 3]> =
            model.meshes[0].positions.iter().map(|place| (place * 1e4).round().as_ivec3().to_array()).collect();
        seen.sort_unstable();
        assert_eq!(seen, [[0, 0, 0], [0, 10_000, 0], [10_000, 0, 0]], "{}", engine.name);
        converted += 1;
    }
    assert!(converted > 10, "{converted} engines");
}

fn validate(folder: &Path) {
    let Some(report) = run_node("validator.js", "gltf-validator", folder) else { return };
    let (last, issues) = report.split_last().unwrap();
    assert!(last.starts_with("validated ") && *last != "validated 0", "{last}");
    let faults: Vec<&String> = issues.iter().filter(|issue| !issue.contains("info NODE_EMPTY")).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn help_names_the_page_with_the_content_of_each_format() {
    let help = convert(Path::new("."), &["--help"]);
    let help = text(&help.stdout);
    assert!(help.contains("What each format holds: docs/convert.md"), "{help}");
    let page = include_str!("../../docs/convert.md");
    assert!(page.contains("## What each format holds") && page.contains("| weights of a vertex | 4"));
}

fn json_of(run: &Output) -> Value {
    serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("{}{}", text(&run.stdout), text(&run.stderr)))
}

/// A triangle, and a helper joint below its root that grows.
#[test]
fn scale_of_joints_without_vertices_is_left_out_of_md5() {
    let folder = tempfile::tempdir().unwrap();
    let helper = "Frame ik { FrameTransformMatrix { 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1;; } }";
    let grows = "Animation { {ik} AnimationKey { 1; 2; 0;3;1,1,1;;, 640;3;2,2,2;;; } }";
    let file = TURNING.replacen("Mesh {", &format!("{helper} Mesh {{"), 1);
    std::fs::write(
        folder.path().join("mob.x"),
        file.replacen("AnimationSet turn {", &format!("AnimationSet turn {{ {grows}"), 1),
    )
    .unwrap();
    let run = convert(folder.path(), &["mob.x", "-o", "mob.md5mesh", "--json"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let losses = json_of(&run)["losses"].clone();
    let sentence = "left out of clip 'turn': the scale of 1 joint without vertices, such as 'ik'";
    let scale = json!({"loss": "idle-scale", "clip": "turn", "joint": "ik", "joints": 1, "text": sentence});
    assert!(losses.as_array().unwrap().contains(&scale), "{losses}");
    let root =
        TURNING.replacen("2; 3; 0;3;0,0,0;;, 320;3;1,2,3;;, 640;3;2,1,0;;;", "1; 2; 0;3;1,1,1;;, 640;3;2,2,2;;;", 1);
    std::fs::write(folder.path().join("root.x"), root).unwrap();
    let run = convert(folder.path(), &["root.x", "-o", "root.md5mesh", "--json", "--force"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(
        json_of(&run)["errors"][0].as_str().unwrap().contains("joint 'root' changes its scale"),
        "{}",
        text(&run.stdout)
    );
}

#[test]
fn gltf_with_external_or_no_content() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mob.x"), TURNING).unwrap();
    assert_eq!(convert(folder.path(), &["mob.x", "-o", "mob.gltf"]).status.code(), Some(0));
    let mut file: Value = serde_json::from_slice(&std::fs::read(folder.path().join("mob.gltf")).unwrap()).unwrap();
    let channels = file["animations"][0]["channels"].as_array_mut().unwrap();
    let pointer = json!({"pointer": "/materials/0/emissiveFactor"});
    let target = json!({"path": "pointer", "extensions": {"KHR_animation_pointer": pointer}});
    channels.push(json!({"sampler": 0, "target": target}));
    file["extensionsUsed"] = json!(["KHR_animation_pointer"]);
    std::fs::write(folder.path().join("mob.gltf"), file.to_string()).unwrap();
    let run = convert(folder.path(), &["mob.gltf", "-o", "back.md5mesh"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert!(
        text(&run.stdout).contains("  track is left out: 1 animation channel names no node (GLI001 "),
        "{}",
        text(&run.stdout)
    );
    assert!(folder.path().join("turn.md5anim").exists());
    // A mesh whose data is only in an extension.
    file["extensionsUsed"] = json!(["KHR_draco_mesh_compression"]);
    for accessor in file["accessors"].as_array_mut().unwrap() {
        accessor.as_object_mut().unwrap().remove("bufferView");
    }
    std::fs::write(folder.path().join("small.gltf"), file.to_string()).unwrap();
    let run = convert(folder.path(), &["small.gltf", "-o", "small.md5mesh"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(
        text(&run.stderr).contains(
            "KHR_draco_mesh_compression: export it without compression, or remove that with `gltf-transform cp "
        ),
        "{}",
        text(&run.stderr)
    );
    // A mesh with points only.
    file = json!({"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0,
        "meshes": [{"primitives": [{"mode": 0, "attributes": {"POSITION": 0}}]}],
        "buffers": [{"byteLength": 12, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAA"}],
        "bufferViews": [{"buffer": 0, "byteLength": 12}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 1, "min": [0, 0, 0], "max": [0, 0, 0]}]});
    std::fs::write(folder.path().join("points.gltf"), file.to_string()).unwrap();
    let run = convert(folder.path(), &["points.gltf", "-o", "points.md5mesh"]);
    assert_eq!(run.status.code(), Some(2), "{}", text(&run.stderr));
    assert!(text(&run.stderr).contains("there is nothing to write"), "{}", text(&run.stderr));
    assert!(!folder.path().join("points.md5mesh").exists());
}

#[test]
fn clips_are_cut_joined_and_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mob.x"), TURNING).unwrap();
    let cut = ["--clips", "first=0..1", "--clips", "last=turn:1..2", "--clip-names", "{model}_{clip}"];
    let run = convert(folder.path(), &[&["mob.x", "-o", "a.md5mesh", "--json"][..], &cut].concat());
    let report = json_of(&run);
    let names: Vec<&str> =
        report["clips"].as_array().unwrap().iter().map(|clip| clip["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["mob_first", "mob_last"]);
    let frames = |name: &str| -> String {
        let clip = std::fs::read_to_string(folder.path().join(name)).unwrap();
        let line = |start: &str| clip.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
        format!("{} {}", line("numFrames"), line("frameRate"))
    };
    assert_eq!(frames("mob_last.md5anim"), "numFrames 2 frameRate 15");
    let too_long = convert(folder.path(), &["mob.x", "-o", "b.md5mesh", "--clips", "long=0..3"]);
    assert!(
        text(&too_long.stderr).contains("clip 'turn' has the frames 0 to 2, not 0 to 3"),
        "{}",
        text(&too_long.stderr)
    );
    let joined = ["--join-clips", "all=mob_first,mob_last", "--only-clips"];
    let inputs = ["a.md5mesh", "mob_first.md5anim", "mob_last.md5anim", "-o", "out/c.md5mesh"];
    let run = convert(folder.path(), &[&inputs[..], &joined].concat());
    assert!(text(&run.stdout).contains("frames of 'all': mob_first 0..1, mob_last 2..3"), "{}", text(&run.stdout));
    assert_eq!(frames("out/all.md5anim"), "numFrames 4 frameRate 15");
    assert!(!folder.path().join("out/c.md5mesh").exists());
}

/// A uniform scale moves into the vertices; an uneven one stays, and a note names its joint.
#[test]
fn scale_is_baked_where_it_is_uniform() {
    for (matrix, note, scale) in [
        ("2,0,0,0, 0,2,0,0, 0,0,2,0", None, [1.0; 3]),
        ("2,0,0,0, 0,1,0,0, 0,0,1,0", Some("joint 'root' keeps its scale"), [2.0, 1.0, 1.0]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let still = TURNING.split("AnimTicks").next().unwrap().replace("1,0,0,0, 0,1,0,0, 0,0,1,0", matrix);
        std::fs::write(folder.path().join("mob.x"), still).unwrap();
        let report = json_of(&convert(folder.path(), &["mob.x", "-o", "mob.glb", "--bake-scale", "--json"]));
        let mut notes = report["notes"].as_array().unwrap().iter().filter_map(Value::as_str);
        let found = notes.find_map(|note| note.strip_prefix("--bake-scale: "));
        assert_eq!(found.and_then(|found| found.split(':').next()), note, "{report}");
        let file = File::new(&std::fs::read(folder.path().join("mob.glb")).unwrap());
        let root = file.document.nodes().find(|node| node.name() == Some("root")).unwrap();
        assert_eq!(root.transform().decomposed().2, scale);
        let mesh = file.document.meshes().next().unwrap();
        let max = mesh.primitives().next().unwrap().bounding_box().max;
        assert_eq!(max[0], 8.0, "no vertex moves");
    }
}

#[test]
fn names_of_clips_have_known_words_in_braces() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mob.x"), TURNING).unwrap();
    let run = convert(folder.path(), &["mob.x", "-o", "mob.glb", "--clip-names", "{mesh}_{clip}"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("the only words in braces are {clip} and {model}"), "{}", text(&run.stderr));
}

#[test]
fn a_rate_resamples_unless_frames_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mob.x"), TURNING).unwrap();
    // Three frames at 15 per second last 2/15 s.
    let cases: [(&[&str], u64, f32); 4] = [
        (&["--fps", "30"], 5, 2.0 / 15.0),
        (&["--fps", "30", "--frames", "keep"], 3, 1.0 / 15.0),
        (&["--clip-fps", "turn=5"], 3, 0.4),
        (&["--clip-fps", "turn=5", "--fps", "10"], 5, 0.4),
    ];
    for (options, frames, end) in cases {
        let run = convert(folder.path(), &[&["mob.x", "-o", "mob.glb", "--force", "--json"][..], options].concat());
        assert_eq!(json_of(&run)["clips"][0]["frames"], frames, "{options:?}");
        let file = File::new(&std::fs::read(folder.path().join("mob.glb")).unwrap());
        let channel = file.document.animations().next().unwrap().channels().next().unwrap();
        let times: Vec<f32> = channel.reader(|_| Some(file.binary.as_slice())).read_inputs().unwrap().collect();
        assert_eq!(times.len() as u64, frames, "{options:?}: {times:?}");
        assert!((times.last().unwrap() - end).abs() < 1e-6, "{options:?}: {times:?}");
    }
}

/// Luanti plays one timeline, so clips are joined: each has its own rate before. Ticks count frames at the rate of the first.
#[test]
fn clips_have_their_rates_before_they_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/md5/cylinder.md5mesh");
    let last_tick = |rates: &[&str]| {
        let rates: Vec<&str> = rates.iter().flat_map(|rate| ["--clip-fps", rate]).collect();
        let mesh = mesh.to_str().unwrap();
        let run =
            convert(folder.path(), &[&[mesh, "-o", "c.x", "--profile", "luanti", "--force"][..], &rates].concat());
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
        let file = std::fs::read_to_string(folder.path().join("c.x")).unwrap();
        let keys = file.lines().filter_map(|line| line.trim().split_once(";4;")?.0.parse::<u32>().ok());
        keys.max().unwrap()
    };
    // Both have frames 0 to 72 at 24 frames per second. The second takes half the time at twice the rate.
    let bend = 72;
    assert_eq!(last_tick(&[]), bend + 1 + 72);
    assert_eq!(last_tick(&["cylinder_twist=48"]), bend + 1 + 36);
    let run = convert(folder.path(), &[mesh.to_str().unwrap(), "-o", "d.x", "--clip-fps", "run=5"]);
    assert!(
        text(&run.stderr).contains("--clip-fps: no clip is called 'run'; there are: cylinder_bend, cylinder_twist")
    );
}

#[test]
fn findings_of_the_result_name_their_subjects_as_the_source_does() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = sample("md5/cylinder.md5mesh");
    // The cut clip begins far from the bind pose, because its second joint is turned.
    let cut = ["--clip", "cylinder_bend", "--clips", "cut=40..72", "--rename", "upper=middle", "--rename", "cut=bow"];
    let run = convert(folder.path(), &[&[mesh.as_str(), "-o", "pipe.md5mesh", "--json"][..], &cut].concat());
    let report = json_of(&run);
    let files = report["validation"]["files"].as_array().unwrap();
    let findings = || files.iter().flat_map(|file| file["findings"].as_array().unwrap());
    let turned = findings().find(|found| found["code"] == "MD5A218").unwrap();
    assert!(turned["message"].as_str().unwrap().contains("'middle'"), "{turned}");
    assert_eq!([&turned["joint"], &turned["clip"]], ["upper", "cut"], "{turned}");
    let outside = findings().find(|found| found["code"] == "MD5P010").unwrap();
    assert_eq!(outside["path"], format!("frame[{}]", outside["frame"]), "{outside}");
    assert_eq!(report["front"], "x");
}

#[test]
fn engines_that_play_one_clip_get_several_joined() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = sample("md5/cylinder.md5mesh");
    let notes = |more: &[&str]| {
        let args =
            [mesh.as_str(), "-o", "pipe.md5mesh", "--profile", "vkquake", "--frames", "keep", "--json", "--force"];
        json_of(&convert(folder.path(), &[&args[..], more].concat()))["notes"].to_string()
    };
    assert!(notes(&[]).contains("--join-clips pipe=cylinder_bend,cylinder_twist"), "{}", notes(&[]));
    let joined = notes(&["--join-clips", "pipe=cylinder_bend,cylinder_twist"]);
    assert!(!joined.contains("plays pipe.md5anim only"), "{joined}");
    // Each clip has 73 frames.
    assert!(joined.contains("frames of 'pipe': cylinder_bend 0..72, cylinder_twist 73..145"), "{joined}");
    let clip = std::fs::read_to_string(folder.path().join("pipe.md5anim")).unwrap();
    assert!(clip.contains("numFrames 146"), "{}", clip.lines().nth(3).unwrap());
}
