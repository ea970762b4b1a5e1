//! Parts that a model lacks: every command names them with the reason and its place; a file at fault gives exit code 1.

use bindpose::left_out::{FoundBy, LeftOut, Part};
use bindpose::load::{LoadOptions, Loaded, load};
use serde_json::Value;
use std::process::{Command, Output};
use tempfile::TempDir;

const MESH: &str = include_str!("cases/md5/base.md5mesh");
const ANIM: &str = include_str!("cases/md5/base.md5anim");
/// The middle of the last frame.
const CUT: usize = 36;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    folder
}

/// Returns the first lines of a clip.
fn cut(lines: usize) -> String {
    ANIM.lines().take(lines).flat_map(|line| [line, "\n"]).collect()
}

fn renamed() -> String {
    ANIM.replace("\"bone\"", "\"Bone1\"")
}

fn stranger() -> String {
    ANIM.replace("\"origin\"\t-1", "\"hip\"\t-1").replace("\"bone\"\t0", "\"knee\"\t-1")
}

fn bindpose(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    command.args(arguments).current_dir(folder.path()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn loaded(folder: &TempDir, mesh: &str) -> Loaded {
    load(&[folder.path().join(mesh)], &LoadOptions::with_clips()).unwrap()
}

/// Name, code, line, and whether a file is at fault.
fn listed(loaded: &Loaded) -> Vec<(&str, &str, u32, bool)> {
    fn row<'l>(loaded: &'l Loaded, left: &'l LeftOut) -> (&'l str, &'l str, u32, bool) {
        assert_eq!((left.kind, left.found_by), (Part::Clip, FoundBy::ClipSearch));
        let label = left.reason.primary.as_ref().unwrap();
        let line = loaded.sources.get(label.source).position(label.span.start).line;
        (left.name.as_str(), left.reason.code, line, left.is_fault())
    }
    loaded.left_out.iter().map(|left| row(loaded, left)).collect()
}

#[test]
fn a_clip_beside_the_mesh_that_does_not_fit_is_listed_with_its_reason() {
    let (cut, renamed, stranger) = (cut(CUT), renamed(), stranger());
    let files = [("m.md5mesh", MESH), ("idle.md5anim", ANIM), ("run.md5anim", &renamed), ("walk.md5anim", &cut)];
    let folder = folder(&[&files[..], &[("strange.md5anim", &stranger)]].concat());
    let model = loaded(&folder, "m.md5mesh");
    assert_eq!(model.model.clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>(), ["idle"]);
    // The cut clip ends in its line 36; the others differ at their first or second joint.
    let expected = [("run", "MD5P002", 11, true), ("strange", "MD5P017", 10, false), ("walk", "MD5A008", 36, true)];
    assert_eq!(listed(&model), expected);
    let said: Vec<String> = model.left_out.iter().map(ToString::to_string).collect();
    assert!(
        said[0].starts_with("clip 'run' is left out: joint 1 is 'bone' in the mesh and 'Bone1' in the clip"),
        "{said:?}"
    );
    assert!(said[0].ends_with("run.md5anim:11:2)"), "{said:?}");
    assert!(said[1].contains("no mesh of its folder; the nearest is 'm': joint 0 is 'origin' in the mesh"), "{said:?}");
}

/// Each of several meshes of one skeleton lacks the clip, while its cause is one finding.
#[test]
fn a_clip_that_fits_no_mesh_of_a_skeleton_is_listed_for_each() {
    let renamed = renamed();
    let folder =
        folder(&[("m.md5mesh", MESH), ("head.md5mesh", MESH), ("hat.md5mesh", MESH), ("run.md5anim", &renamed)]);
    for mesh in ["m.md5mesh", "head.md5mesh", "hat.md5mesh"] {
        assert_eq!(listed(&loaded(&folder, mesh)), [("run", "MD5P002", 11, true)], "{mesh}");
    }
    let output = bindpose(&folder, &["validate", "."]);
    assert_eq!(text(&output.stdout).matches("[MD5P002]").count(), 1, "{}", text(&output.stdout));
}

/// As the engines of Quake load them, and as `validate` pairs them: a clip with the name of another mesh belongs to that
/// mesh if this one has a clip of its own name.
#[test]
fn clips_go_to_the_meshes_that_validate_pairs_them_with() {
    let cut = cut(8);
    let folder = folder(&[
        ("nail.md5mesh", MESH),
        ("nail.md5anim", ANIM),
        ("rock.md5mesh", MESH),
        ("rock.md5anim", &cut),
        ("spin.md5anim", ANIM),
        // Without joints, and named as no mesh: it might be any mesh's.
        ("lost.md5anim", &cut),
    ]);
    let names = |loaded: &Loaded| loaded.model.clips.iter().map(|clip| clip.name.clone()).collect::<Vec<_>>();
    let [nail, rock] = ["nail.md5mesh", "rock.md5mesh"].map(|mesh| loaded(&folder, mesh));
    assert_eq!((names(&nail), names(&rock)), (vec!["nail".to_owned(), "spin".to_owned()], vec!["spin".to_owned()]));
    let left = |loaded: &Loaded| loaded.left_out.iter().map(|left| left.name.clone()).collect::<Vec<_>>();
    assert_eq!((left(&nail), left(&rock)), (vec!["lost".to_owned()], vec!["lost".to_owned(), "rock".to_owned()]));
}

/// As a clip beside the mesh: the model is read without it. A file that may be the only one with a mesh is an error.
#[test]
fn a_broken_clip_that_is_named_or_declared_is_left_out() {
    let cut = cut(CUT);
    let clip = &X[..X.find("Frame").unwrap()];
    let clip = clip.to_owned() + "AnimationSet walk { Animation { {box} AnimationKey { 2; 1; 0;3;0,0";
    let folder = folder(&[
        ("m.md5mesh", MESH),
        ("clips/idle.md5anim", ANIM),
        ("clips/walk.md5anim", &cut),
        ("m.x", X),
        ("walk.x", &clip),
        ("game/models/m.md5mesh", MESH),
        ("game/models/idle.md5anim", ANIM),
        ("game/models/cut.md5anim", &cut),
        (
            "game/def/m.def",
            "model m { mesh models/m.md5mesh anim walk models/cut.md5anim anim idle models/idle.md5anim }",
        ),
    ]);
    let sets: [(&[&str], &str, &str); 3] = [
        (&["m.md5mesh", "clips/walk.md5anim", "clips/idle.md5anim"], "MD5A008 at clips/walk.md5anim:36:4)", "idle"),
        (&["walk.x", "m.x"], "XF021 at walk.x:2:", ""),
        (&["game/def/m.def"], "MD5A008 at game/models/cut.md5anim:36:4)", "idle"),
    ];
    for (files, place, clips) in sets {
        let convert = [&["convert", "-o", "out.glb", "--force", "--json"], files].concat();
        let dump = [&["dump", "--stage", "model"], files].concat();
        for command in [&convert, &dump] {
            let run = bindpose(&folder, command);
            let said = text(&run.stdout) + &text(&run.stderr);
            assert_eq!(run.status.code(), Some(1), "{command:?}: {said}");
            assert!(said.contains("clip 'walk' is left out: ") && said.contains(place), "{command:?}: {said}");
        }
        let read =
            load(&files.iter().map(|file| folder.path().join(file)).collect::<Vec<_>>(), &LoadOptions::default());
        let names: Vec<_> = read.unwrap().model.clips.iter().map(|clip| clip.name.clone()).collect();
        assert_eq!(names.join(" "), clips, "{files:?}");
    }
    let listed = bindpose(&folder, &["info", "--json", "game/models/m.md5mesh", "game/models/cut.md5anim"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed[0]["left_out"][0]["code"], "MD5A008");
    for alone in ["walk.x", "clips/walk.md5anim"] {
        let run = bindpose(&folder, &["dump", "--stage", "model", alone]);
        assert_eq!((run.status.code(), run.stdout.len()), (Some(1), 0), "{}", text(&run.stderr));
    }
}

/// A parser that reads on after a fault lacks something, or has something else.
#[test]
fn a_part_that_the_parser_could_not_read_is_a_loss_and_the_files_fault() {
    let skinned = "Frame a { } Mesh { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; \
        SkinWeights { \"a\"; 4; 0,1,2; 1,1,1; 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1;; } } }\n";
    let key = "AnimationSet { Animation { {box} AnimationKey { 9; 1; 0;3;0,0,0;;; } } }\n";
    let cases = [
        (
            "nan.md5mesh",
            MESH.replace("weight 4 1 0.5 (", "weight 4 1 nan ("),
            "'nan' is not a finite number",
            "MD5M012",
        ),
        ("nan.x", X.replace("0;1;0;;", "0;inf;0;;"), "'inf' is not a finite number", "XF042"),
        ("count.x", X.replace("Mesh {", &skinned.replace(" }\n", " Mesh {")), "'SkinWeights' announces 4", "XF048"),
        ("key.x", X.to_owned() + key, "key type 9, expected 0", "XF112"),
    ];
    for (name, content, message, code) in cases {
        let folder = folder(&[(name, &content)]);
        let run = bindpose(&folder, &["convert", name, "-o", "out.glb"]);
        let said = text(&run.stdout);
        assert_eq!(run.status.code(), Some(1), "{said}{}", text(&run.stderr));
        assert!(said.contains(&format!("  part of the file is left out: {message}")), "{said}");
        assert!(said.contains(&format!(" ({code} at {name}:")), "{said}");
        let run = bindpose(&folder, &["snapshot", "record", name, "-o", "shots"]);
        assert_eq!(run.status.code(), Some(1), "{}{}", text(&run.stdout), text(&run.stderr));
    }
}

#[test]
fn a_clip_by_itself_is_at_fault_if_a_part_cannot_be_read() {
    let folder = folder(&[("nan.md5anim", &ANIM.replace("\t15", "\tnan")), ("base.md5anim", ANIM)]);
    let run = bindpose(&folder, &["info", "nan.md5anim"]);
    let said = text(&run.stdout);
    assert_eq!(run.status.code(), Some(1), "{said}{}", text(&run.stderr));
    assert!(said.contains("part of the file is left out: 'nan' is not a finite number"), "{said}");
    assert_eq!(bindpose(&folder, &["info", "base.md5anim"]).status.code(), Some(0));
}

#[test]
fn convert_prints_the_loss_and_gives_exit_code_1() {
    let cut = cut(CUT);
    let folder = folder(&[("in/m.md5mesh", MESH), ("in/idle.md5anim", ANIM), ("in/walk.md5anim", &cut)]);
    for input in ["in", "in/m.md5mesh"] {
        let run = bindpose(&folder, &["convert", input, "-o", "out", "--to", "glb", "--force"]);
        let said = text(&run.stdout);
        assert_eq!(run.status.code(), Some(1), "{said}{}", text(&run.stderr));
        assert!(said.contains("  clip 'walk' is left out: ") && said.contains("walk.md5anim:36:4)"), "{said}");
        assert!(!said.contains("nothing was lost"), "{said}");
        assert!(folder.path().join("out/m.glb").exists());
    }
    let run = bindpose(&folder, &["convert", "in/m.md5mesh", "-o", "m.glb", "--json"]);
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    let loss = report["losses"].as_array().unwrap().iter().find(|loss| loss["kind"] == "clip").unwrap();
    assert_eq!([&loss["name"], &loss["code"], &loss["found_by"]], ["walk", "MD5A008", "clip-search"], "{loss}");
    assert_eq!(loss["fault"], true, "{loss}");
    // The shader names no image that exists, which is no fault of the model's file.
    std::fs::remove_file(folder.path().join("in/walk.md5anim")).unwrap();
    let run = bindpose(&folder, &["convert", "in/m.md5mesh", "-o", "image.glb"]);
    let said = text(&run.stdout);
    assert_eq!(run.status.code(), Some(0), "{said}");
    assert!(said.contains("  image 'models/test' is left out: ") && !said.contains("nothing was lost"), "{said}");
}

#[cfg(feature = "render")]
#[test]
fn render_says_why_there_is_no_such_clip() {
    let cut = cut(CUT);
    let folder = folder(&[("m.md5mesh", MESH), ("idle.md5anim", ANIM), ("walk.md5anim", &cut)]);
    let run = bindpose(&folder, &["render", "m.md5mesh", "--clip", "walk", "-o", "walk.png", "--size", "16x16"]);
    if text(&run.stderr).contains("rendering needs OpenGL") {
        eprintln!("nothing was drawn");
        return;
    }
    let said = text(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{said}");
    assert!(
        said.contains("error: clip 'walk' is left out: ") || said.contains("bindpose: clip 'walk' is left out: "),
        "{said}"
    );
    let run = bindpose(&folder, &["render", "m.md5mesh", "-o", "idle.png", "--size", "16x16"]);
    assert_eq!(run.status.code(), Some(1), "{}", text(&run.stderr));
    assert!(text(&run.stderr).contains("note: clip 'walk' is left out: "), "{}", text(&run.stderr));
    assert!(folder.path().join("idle.png").exists());
}

#[test]
fn a_clip_of_no_mesh_is_a_finding_at_that_clip() {
    let stranger = stranger();
    let folder = folder(&[("m.md5mesh", MESH), ("m.md5anim", ANIM), ("strange.md5anim", &stranger)]);
    let run = bindpose(&folder, &["validate", ".", "--format", "short"]);
    let said = text(&run.stdout);
    let line = said.lines().find(|line| line.contains("MD5P017")).unwrap_or_else(|| panic!("{said}"));
    assert!(line.contains("strange.md5anim:10:2: warning[MD5P017]: "), "{line}");
    assert!(line.contains("the nearest is 'm': joint 0 is 'origin' in the mesh and 'hip' in the clip"), "{line}");
    assert_eq!(said.matches("MD5P017").count(), 1, "{said}");
}

#[test]
fn an_image_that_no_file_names_is_said() {
    let folder = folder(&[("in/m.md5mesh", MESH)]);
    let image = image::RgbImage::new(2, 2);
    image.save(folder.path().join("in/m.png")).unwrap();
    let run = bindpose(&folder, &["convert", "in/m.md5mesh", "-o", "m.glb"]);
    let said = text(&run.stdout);
    assert!(
        said.contains("material 'models/test' gets in/m.png, which no file names: named after the model"),
        "{said}{}",
        text(&run.stderr)
    );
}

const X: &str = "xof 0303txt 0032\nFrame box { Mesh { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; } }\n";

#[test]
fn models_with_one_output_fail_alone_and_the_rest_is_converted() {
    let folder = folder(&[("in/a.x", X), ("in/a.md5mesh", MESH), ("in/b.x", X), ("in/c/a.x", X)]);
    let run = bindpose(&folder, &["convert", "in", "-o", "out", "--to", "glb"]);
    let said = text(&run.stdout);
    assert_eq!(run.status.code(), Some(1), "{said}{}", text(&run.stderr));
    assert!(said.contains("2 converted, 2 failed"), "{said}");
    let reason = said.lines().find(|line| line.starts_with("in/a.x failed: ")).unwrap_or_else(|| panic!("{said}"));
    assert!(reason.contains("in/a.md5mesh and in/a.x") && reason.contains("-o NAME.glb"), "{reason}");
    for (name, is_there) in [("a.glb", false), ("b.glb", true), ("c/a.glb", true)] {
        assert_eq!(folder.path().join("out").join(name).exists(), is_there, "{name}");
    }
    // What is wrong with a file counts more.
    std::fs::write(folder.path().join("in/a.x"), "xof 0303txt 0032\nMesh {").unwrap();
    let said = text(&bindpose(&folder, &["convert", "in", "-o", "again", "--to", "glb"]).stdout);
    let reason = said.lines().find(|line| line.starts_with("in/a.x failed: ")).unwrap_or_else(|| panic!("{said}"));
    assert!(
        !reason.contains("the same file") && said.contains("in/a.md5mesh failed: in/a.md5mesh and in/a.x"),
        "{said}"
    );
}

/// A link to nothing, and below a folder that cannot be listed, anything may be a model. As root, every folder can be.
#[cfg(unix)]
#[test]
fn no_search_is_silent_about_what_it_cannot_read() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let link = folder(&[("in/a.x", X)]);
    symlink("nowhere", link.path().join("in/dang.md5mesh")).unwrap();
    let closed = folder(&[("in/a.x", X), ("in/sub/b.x", X)]);
    let sub = closed.path().join("in/sub");
    std::fs::set_permissions(&sub, std::fs::Permissions::from_mode(0o000)).unwrap();
    let is_root = std::fs::read_dir(&sub).is_ok();
    let convert = ["-o", "out", "--to", "glb", "--force"];
    let commands: [&[&str]; 6] = [
        &["validate", "in"],
        &[&["convert", "in"][..], &convert].concat(),
        &[&["convert", "in/**/*"][..], &convert].concat(),
        &["snapshot", "record", "in", "-o", "shots"],
        &["snapshot", "verify", "in", "-s", "shots", "--ci"],
        &["ls", "in"],
    ];
    for command in commands {
        for (folder, reason) in [(&link, "it is a link to nowhere"), (&closed, "Permission denied")] {
            // A game's file is listed by its name alone.
            let is_fine = if reason == "Permission denied" { is_root } else { command[0] == "ls" };
            let run = bindpose(folder, command);
            let said = text(&run.stdout) + &text(&run.stderr);
            assert_eq!(run.status.code() == Some(2), !is_fine, "{command:?}: {said}");
            assert_eq!(said.contains(reason), !is_fine, "{command:?}: {said}");
            assert!(!said.contains("it is a folder"), "{command:?}: {said}");
        }
    }
    std::fs::set_permissions(&sub, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn several_models_and_patterns_are_converted_one_by_one() {
    let folder = folder(&[("in/a.x", X), ("in/b.x", X), ("in/sub/c.x", X), ("in/n.txt", "")]);
    let named = ["convert", "in/a.x", "in/b.x", "in/sub/c.x", "in/none.x", "-o", "named", "--to", "glb"];
    let run = bindpose(&folder, &named);
    assert!(text(&run.stdout).contains("3 converted, 1 failed"), "{}{}", text(&run.stdout), text(&run.stderr));
    // What cannot be read or written is no fault of a file, and counts more than one.
    assert_eq!(run.status.code(), Some(2));
    std::fs::write(folder.path().join("taken"), "").unwrap();
    let run = bindpose(&folder, &["convert", "in", "-o", "taken", "--to", "glb"]);
    assert_eq!(run.status.code(), Some(2), "{}", text(&run.stdout));
    assert!(text(&run.stdout).contains("cannot write taken/a.glb: taken is not a folder"), "{}", text(&run.stdout));
    let run = bindpose(&folder, &["convert", "in/**/*.x", "-o", "matched", "--to", "glb"]);
    assert!(text(&run.stdout).contains("3 converted, 0 failed"), "{}{}", text(&run.stdout), text(&run.stderr));
    for name in ["named/a.glb", "named/b.glb", "named/c.glb", "matched/a.glb", "matched/sub/c.glb"] {
        assert!(folder.path().join(name).exists(), "{name}");
    }
    // Two models for one file are still an error of usage.
    assert_eq!(bindpose(&folder, &["convert", "in/a.x", "in/b.x", "-o", "one.glb"]).status.code(), Some(2));
    assert_eq!(bindpose(&folder, &["convert", "in/*.md5mesh", "-o", "none", "--to", "glb"]).status.code(), Some(2));
}

/// Windows cannot have files named `con` or `a.`.
#[test]
fn models_with_reserved_names_get_legal_ones_and_the_report_says_so() {
    let folder = folder(&[("in/con.x", X), ("in/Aux.x", X), ("in/b..x", X), ("in/fine.x", X)]);
    let run = bindpose(&folder, &["convert", "in", "-o", "out", "--to", "md5"]);
    let said = text(&run.stdout);
    assert_eq!(run.status.code(), Some(0), "{said}{}", text(&run.stderr));
    for name in ["con_/con_.md5mesh", "Aux_/Aux_.md5mesh", "b_/b_.md5mesh", "fine/fine.md5mesh"] {
        assert!(folder.path().join("out").join(name).exists(), "{name}: {said}");
    }
    assert_eq!(said.matches("because Windows reserves the name").count(), 3, "{said}");
    let run = bindpose(&folder, &["convert", "in/con.x", "-o", "one", "--to", "glb"]);
    let said = text(&run.stdout);
    assert!(said.contains("the file is one/con_.glb, because Windows reserves the name 'con'"), "{said}");
    assert!(folder.path().join("one/con_.glb").exists());
}
