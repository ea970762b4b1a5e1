//! `bindpose convert` as a user calls it.

use super::gltf::run_node;
use super::reader::File;
use crate::support;
use bindpose::load::{LoadOptions, load};
use bindpose::validate::profiles::{FormatFamily, PROFILES};
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
fn files_are_written_and_not_replaced_without_being_told() {
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
    let wrong = convert(folder.path(), &[&sample("x/cylinder.x"), "-o", "g.iqm", "--luanti"]);
    assert!(wrong.stdout.is_empty());
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("--luanti has no meaning for .iqm files"), "{}", text(&wrong.stderr));
    let named = convert(folder.path(), &[&sample("x/cylinder.x"), "--to", "iqm", "-o", "folder"]);
    assert_eq!(named.status.code(), Some(0), "{}", text(&named.stderr));
    assert!(folder.path().join("folder/cylinder.iqm").exists());
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
    assert!(losses.iter().any(|loss| loss["loss"] == "missing-clip" && loss["first"] == "death1"), "{losses:?}");
    let clip = std::fs::read_to_string(folder.path().join("progs/ogre.md5anim")).unwrap();
    assert!(clip.contains("numFrames 6\n") && clip.contains("frameRate 10\n"), "{}", &clip[..300]);
    let written = std::fs::read_to_string(folder.path().join("progs/ogre.md5mesh")).unwrap();
    assert!(written.contains("shader \"ogre\""));
    assert!(std::fs::read(folder.path().join("progs/ogre_00_00.png")).unwrap().starts_with(b"\x89PNG"));
    let note = "the old model has a skin that no image was given for: ogre_01_00";
    assert_eq!(report["notes"], serde_json::json!([note]));
    let fault = convert(folder.path(), &[&inputs[..], &["--force", "--frames-from", "progs/ogre.md5mesh"]].concat());
    assert_eq!(fault.status.code(), Some(2));
    assert!(text(&fault.stderr).contains("not a Quake or Quake II model"), "{}", text(&fault.stderr));
}

/// vkQuake 1.35 reads one mesh of a file.
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

/// The corpus through the command: no panic, and a file or a reason.
#[test]
fn real_files_convert_or_say_why_not() {
    let mut paths = Vec::new();
    if let Some(shared) = support::shared() {
        paths.extend(support::files_with(&shared.join("corpus"), &["x"]));
    }
    let folder = tempfile::tempdir().unwrap();
    for (number, path) in paths.iter().enumerate() {
        for extension in ["glb", "iqm"] {
            let name = format!("{number}.{extension}");
            let run = convert(folder.path(), &[&path.display().to_string(), "-o", &name]);
            let code = run.status.code();
            assert!(matches!(code, Some(0..=2)), "{}: {code:?}", path.display());
            assert_eq!(folder.path().join(&name).exists(), code == Some(0), "{}", path.display());
            assert!(code == Some(0) || !run.stderr.is_empty(), "{}", path.display());
        }
    }
    println!("{} files were converted", paths.len());
}

/// KEX and FTEQW read skins as indices into the game's palette, which lies in a folder above.
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
    // 192 x 384 texels, as data/README.md says.
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

/// A triangle that turns about its root, with keys on ticks 0, 320 and 640 of 4800 a second.
const TURNING: &str = "xof 0303txt 0032 Frame root { FrameTransformMatrix { 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1;; }
    Mesh { 3; 1;2;3;, 0;0;0;, 4;0;0;; 1; 3;0,1,2;; } } AnimTicksPerSecond { 4800; }
    AnimationSet turn { Animation { {root} AnimationKey { 2; 3; 0;3;0,0,0;;, 320;3;1,2,3;;, 640;3;2,1,0;;; } } }";

/// The ranges and speeds in a mod's code are ticks of the .x file.
#[test]
fn luantis_frames_are_the_ticks_of_a_x_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mob.x"), TURNING).unwrap();
    let run = convert(folder.path(), &["mob.x", "-o", "mob.glb", "--luanti"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let file = File::new(&std::fs::read(folder.path().join("mob.glb")).unwrap());
    let channel = file.document.animations().next().unwrap().channels().next().unwrap();
    let times: Vec<f32> = channel.reader(|_| Some(file.binary.as_slice())).read_inputs().unwrap().collect();
    assert_eq!(times, [0.0, 320.0, 640.0]);
    let run = convert(folder.path(), &["mob.x", "-o", "again.x", "--luanti"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let again = std::fs::read_to_string(folder.path().join("again.x")).unwrap();
    assert!(again.contains("640;") && again.contains("4800;"), "{again}");
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
    // Three frames, and the first again.
    let clip = std::fs::read_to_string(folder.path().join("turn.md5anim")).unwrap();
    assert!(clip.contains("numFrames 4\n"), "{clip}");
    // y of the file is up; the root stays above its place.
    for (number, height) in [0, 2, 1, 0].iter().enumerate() {
        assert!(clip.contains(&format!("frame {number} {{\n\t0\t0\t{height}\t")), "{clip}");
    }
    let wrong = convert(folder.path(), &["mob.x", "-o", "b.obj", "--loop"]);
    assert!(text(&wrong.stderr).contains("--loop has no meaning for .obj files"));
}

/// Joints are found by name; an unknown name is reported.
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

/// An image in the folder beside the model's is the surface's in Luanti, whatever the file says; a user's goes before it.
#[test]
fn images_are_found_as_for_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["models", "textures"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    let mesh = "Mesh { 3; 1;2;3;, 0;0;0;, 4;0;0;; 1; 3;0,1,2;; MeshTextureCoords { 3; 0;0;, 0;1;, 1;1;; } }";
    std::fs::write(folder.path().join("models/cow.x"), format!("xof 0303txt 0032 {mesh}")).unwrap();
    image::RgbaImage::new(1, 1).save(folder.path().join("textures/cow.png")).unwrap();
    image::RgbaImage::new(1, 1).save(folder.path().join("other.png")).unwrap();
    for (arguments, expected) in [(&[][..], "cow"), (&["--texture", "other.png"], "other")] {
        let run = convert(folder.path(), &[&["models/cow.x", "-o", "cow.glb", "--force"], arguments].concat());
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
        let file = File::new(&std::fs::read(folder.path().join("cow.glb")).unwrap());
        assert_eq!(file.document.images().map(|image| image.name().unwrap()).collect::<Vec<_>>(), [expected]);
    }
}

/// Three materials name one image, two of them in their own way: it is in the file once.
#[test]
fn an_image_of_several_materials_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let material =
        |name: &str| format!("Material {{ 1;1;1;1;; 0; 0;0;0;; 0;0;0;; TextureFilename {{ \"{name}\"; }} }}");
    let mesh = format!(
        "Mesh {{ 3; 1;2;3;, 0;0;0;, 4;0;0;; 3; 3;0,1,2;, 3;0,1,2;, 3;0,1,2;; MeshMaterialList {{ 3; 3; 0, 1, 2; {}{}{} }} }}",
        material("skin.png"),
        material("SKIN.PNG"),
        material("skin.png")
    );
    std::fs::write(folder.path().join("mob.x"), format!("xof 0303txt 0032 {mesh}")).unwrap();
    image::RgbaImage::from_pixel(2, 2, image::Rgba([9, 8, 7, 255])).save(folder.path().join("skin.png")).unwrap();
    let run = convert(folder.path(), &["mob.x", "-o", "mob.glb"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let file = File::new(&std::fs::read(folder.path().join("mob.glb")).unwrap());
    let counts = [file.document.materials().len(), file.document.images().len(), file.document.textures().len()];
    assert_eq!(counts, [3, 1, 1]);
}

/// Armature turned and a hundred times too large, as exporters leave it: what comes out of it is right, and every engine
/// loads it.
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
            &["imp.gltf", "-o", &out, "--profile", engine.name, "--strip-prefix", "mixamorig:", "--json"],
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

/// One texel of blue, green and red, bottom row first, as Targa has it.
#[test]
fn g13_a_targa_image_is_a_png_inside() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = "Mesh { 3; 1;2;3;, 0;0;0;, 4;0;0;; 1; 3;0,1,2;; MeshMaterialList { 1; 1; 0;
        Material { 1;1;1;1;; 0; 0;0;0;; 0;0;0;; TextureFilename { \"skin.tga\"; } } } }";
    std::fs::write(folder.path().join("mob.x"), format!("xof 0303txt 0032 {mesh}")).unwrap();
    let mut targa = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 24, 0];
    targa.extend([1, 2, 3, 4, 5, 6]);
    std::fs::write(folder.path().join("skin.tga"), targa).unwrap();
    let run = convert(folder.path(), &["mob.x", "-o", "mob.glb"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let file = File::new(&std::fs::read(folder.path().join("mob.glb")).unwrap());
    let image = file.document.images().next().unwrap();
    let gltf::image::Source::View { view, mime_type } = image.source() else { panic!("beside the file") };
    assert_eq!(mime_type, "image/png");
    let png = image::load_from_memory(&file.binary[view.offset()..][..view.length()]).unwrap();
    assert_eq!(png.to_rgb8().into_raw(), [6, 5, 4, 3, 2, 1]);
}

fn validate(folder: &Path) {
    let Some(report) = run_node("validator.js", "gltf-validator", folder) else { return };
    let (last, issues) = report.split_last().unwrap();
    assert!(last.starts_with("validated ") && *last != "validated 0", "{last}");
    let faults: Vec<&String> = issues.iter().filter(|issue| !issue.contains("info NODE_EMPTY")).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The first material of a glTF file, with images in place of texture numbers, and the images' texels.
fn first_material(path: &Path) -> (Value, Vec<Vec<u8>>) {
    let file = File::new(&std::fs::read(path).unwrap());
    let json = serde_json::to_value(file.document.clone().into_json()).unwrap();
    let mut material = json["materials"][0].clone();
    let mut texels = Vec::new();
    for place in [
        "/pbrMetallicRoughness/baseColorTexture",
        "/normalTexture",
        "/emissiveTexture",
        "/extensions/KHR_materials_specular/specularColorTexture",
    ] {
        let texture = material.pointer_mut(place).unwrap();
        let source = json["textures"][texture["index"].as_u64().unwrap() as usize]["source"].as_u64().unwrap();
        *texture = json["images"][source as usize]["name"].clone();
        let image = file.document.images().nth(source as usize).unwrap();
        let gltf::image::Source::View { view, .. } = image.source() else { panic!("beside the file") };
        let image = image::load_from_memory(&file.binary[view.offset()..][..view.length()]).unwrap();
        texels.push(image.to_rgba8().into_raw());
    }
    (material, texels)
}

/// Surfaces and images are exported as they were imported.
#[test]
fn surfaces_of_gltf_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut file: Value = serde_json::from_slice(&support::armature()).unwrap();
    let names = ["skin", "bumps", "glow", "gloss"];
    let texel = |number: usize| [10 + number as u8, 40, 90, if number == 0 { 130 } else { 255 }];
    for (number, name) in names.iter().enumerate() {
        let image = image::RgbaImage::from_pixel(2, 2, image::Rgba(texel(number)));
        image.save(folder.path().join(format!("{name}.png"))).unwrap();
    }
    file["images"] = names.map(|name| json!({"uri": format!("{name}.png")})).to_vec().into();
    file["samplers"] = json!([{"magFilter": 9728, "minFilter": 9984, "wrapS": 33071, "wrapT": 33071}]);
    file["textures"] = json!([{"source": 0, "sampler": 0}, {"source": 1}, {"source": 2}, {"source": 3}]);
    file["extensionsUsed"] = json!(["KHR_materials_specular"]);
    file["meshes"][0]["primitives"][0]["material"] = 0.into();
    for (mode, cutoff) in [("MASK", json!(0.25)), ("BLEND", Value::Null), ("OPAQUE", Value::Null)] {
        file["materials"] = json!([{
            "name": "coat", "alphaMode": mode, "doubleSided": mode != "BLEND", "normalTexture": {"index": 1},
            "pbrMetallicRoughness": {
                "baseColorFactor": [0.5, 0.75, 1.0, 0.5], "baseColorTexture": {"index": 0}, "metallicFactor": 0.0,
                "roughnessFactor": 0.5,
            },
            "emissiveFactor": [0.5, 0.25, 1.0], "emissiveTexture": {"index": 2},
            "extensions": {"KHR_materials_specular": {
                "specularColorFactor": [0.5, 0.5, 0.25], "specularColorTexture": {"index": 3},
            }},
        }]);
        if !cutoff.is_null() {
            file["materials"][0]["alphaCutoff"] = cutoff.clone();
        }
        std::fs::write(folder.path().join("in.gltf"), serde_json::to_vec(&file).unwrap()).unwrap();
        let mut from = "in.gltf";
        for to in ["once.glb", "twice.glb"] {
            let run = convert(folder.path(), &[from, "-o", to, "--specular", "--force"]);
            assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
            assert!(text(&run.stdout).contains("nothing was lost"), "{}", text(&run.stdout));
            let (material, texels) = first_material(&folder.path().join(to));
            let surface = &material["pbrMetallicRoughness"];
            assert_eq!(surface["baseColorFactor"], json!([0.5, 0.75, 1.0, 0.5]));
            assert!((surface["roughnessFactor"].as_f64().unwrap() - 0.5).abs() < 1e-6, "{surface}");
            assert_eq!(surface["baseColorTexture"], "skin");
            assert_eq!([&material["normalTexture"], &material["emissiveTexture"]], ["bumps", "glow"]);
            assert_eq!((&material["alphaMode"], &material["alphaCutoff"]), (&json!(mode), &cutoff));
            assert_eq!(material["doubleSided"], json!(mode != "BLEND"));
            assert_eq!(material["emissiveFactor"], json!([0.5, 0.25, 1.0]));
            let specular = &material["extensions"]["KHR_materials_specular"];
            assert_eq!(specular["specularColorFactor"], json!([0.5, 0.5, 0.25]));
            assert_eq!(specular["specularColorTexture"], "gloss");
            for (number, image) in texels.iter().enumerate() {
                assert_eq!(image[..4], texel(number), "{}", names[number]);
            }
            from = to;
        }
    }
    std::fs::remove_file(folder.path().join("in.gltf")).unwrap();
    validate(folder.path());
}

/// The model of a game with its material's stages: heights are normals whose green is turned up the image.
#[test]
fn a_game_s_model_has_its_surface_in_gltf() {
    let folder = tempfile::tempdir().unwrap();
    let game = sample("game/mannequin.pk4");
    let run = convert(folder.path(), &["--base", &game, "--entity", "mannequin_sentry", "-o", "a.glb", "--specular"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let (material, texels) = first_material(&folder.path().join("a.glb"));
    assert_eq!(material["name"], "models/md5/mannequin/mannequin_night");
    assert_eq!(material["normalTexture"], "mannequin_h_normal");
    let size = 512 * 512 * 4;
    assert_eq!(texels[1].len(), size);
    // A texel is level where its height is that of the next ones; most are, and all face outwards.
    let level = texels[1].chunks(4).filter(|texel| texel[..2] == [128, 127]).count();
    assert!(level > size / 16, "{level}");
    assert!(texels[1].chunks(4).all(|texel| texel[2] > 128));
    let json = File::new(&std::fs::read(folder.path().join("a.glb")).unwrap()).document.into_json();
    let walk = json.animations.iter().find(|animation| animation.name.as_deref() == Some("walk")).unwrap();
    let extras: Value = serde_json::from_str(walk.extras.as_ref().unwrap().get()).unwrap();
    // Frames of the decl count from 1; the clip has 30 a second.
    let step = |frame: u32, command: &str| json!({"frame": frame, "time": f64::from(frame - 1) / 30.0, "command": command, "arguments": []});
    assert_eq!(extras["bindpose"]["frameCommands"], json!([step(9, "leftfoot"), step(25, "rightfoot")]));
    validate(folder.path());
}

/// Formats that name one image name the first of a program, and MD5 has the name of the game's material.
#[test]
fn image_programs_are_no_names_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let game = sample("game/mannequin.pk4");
    let holds = |out: &str, file: &str, part: &str| {
        let run = convert(folder.path(), &["--base", &game, "--entity", "mannequin_sentry", "--no-clips", "-o", out]);
        assert_eq!(run.status.code(), Some(0), "{out}: {}", text(&run.stderr));
        let written = text(&std::fs::read(folder.path().join(file)).unwrap());
        assert!(written.contains(part) && !written.contains("scale("), "{out}");
    };
    holds("a.md5mesh", "a.md5mesh", "shader \"models/md5/mannequin/mannequin_night\"");
    holds("a.x", "a.x", "\"models/md5/mannequin/mannequin.tga\"");
    holds("a.obj", "a.mtl", "map_Kd models/md5/mannequin/mannequin.tga");
    holds("a.iqm", "a.iqm", "models/md5/mannequin/mannequin.tga");
}

#[test]
fn help_says_what_each_format_holds() {
    let help = convert(Path::new("."), &["--help"]);
    let help = text(&help.stdout);
    assert!(help.contains("What each format holds:") && help.contains("weights of a"), "{help}");
}
