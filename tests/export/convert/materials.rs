//! Materials and images of converted models.

use super::*;

/// In Luanti, an image next to the model is the surface's, whatever the file names. A user's image takes precedence.
#[test]
fn images_are_found_as_in_render() {
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
    let run = convert(folder.path(), &["models/cow.x", "-o", "cow.glb", "--force", "--texture", "cw=other.png"]);
    let printed = text(&run.stdout);
    assert!(printed.contains("--texture: no mesh or material is called 'cw'; "), "{printed}");
}

/// Three materials name one image, two of them in different ways. The file contains it once.
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

/// Texels of blue, green and red, bottom row first, in Targa format.
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
    let gltf::image::Source::View { view, mime_type } = image.source() else { panic!("a separate image") };
    assert_eq!(mime_type, "image/png");
    let png = image::load_from_memory(&file.binary[view.offset()..][..view.length()]).unwrap();
    assert_eq!(png.to_rgb8().into_raw(), [6, 5, 4, 3, 2, 1]);
}

/// Returns the first material of a glTF file, with images in place of texture numbers, and the images' texels.
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
        let gltf::image::Source::View { view, .. } = image.source() else { panic!("a separate image") };
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

/// A game's model with its material's stages. Heights become normals whose green points up the image.
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
    // A texel is level if its height equals that of its neighbours. Most texels are, and all face outwards.
    let level = texels[1].chunks(4).filter(|texel| texel[..2] == [128, 127]).count();
    assert!(level > size / 16, "{level}");
    assert!(texels[1].chunks(4).all(|texel| texel[2] > 128));
    let json = File::new(&std::fs::read(folder.path().join("a.glb")).unwrap()).document.into_json();
    let walk = json.animations.iter().find(|animation| animation.name.as_deref() == Some("walk")).unwrap();
    let extras: Value = serde_json::from_str(walk.extras.as_ref().unwrap().get()).unwrap();
    // Frames of the decl count from 1, and the clip has 30 per second.
    let step = |frame: u32, command: &str| json!({"frame": frame, "time": f64::from(frame - 1) / 30.0, "command": command, "arguments": []});
    assert_eq!(extras["bindpose"]["frameCommands"], json!([step(9, "leftfoot"), step(25, "rightfoot")]));
    validate(folder.path());
}

/// Formats with a single image name the first image of a program. MD5 has the name of the game's material.
#[test]
fn image_programs_are_not_file_names() {
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

/// Creates a triangle in the space of `root`, with a material with this alpha.
fn with_alpha(alpha: &str, texture: &str) -> String {
    format!(
        "xof 0303txt 0032 Frame root {{ FrameTransformMatrix {{ 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1;; }}
        Mesh {{ 3; 1;2;3;, 0;0;0;, 4;0;0;; 1; 3;0,1,2;; MeshMaterialList {{ 1; 1; 0;
        Material paint {{ 1;0;0;{alpha};; 0; 0;0;0;; 0;0;0;; {texture} }} }} }} }}"
    )
}

#[test]
fn no_model_is_invisible() {
    let folder = tempfile::tempdir().unwrap();
    let skin = "TextureFilename { \"skin.png\"; }";
    for (alpha, texture, is_opaque) in [("0", "", true), ("0.8", skin, true), ("0.8", "", false)] {
        std::fs::write(folder.path().join("mob.x"), with_alpha(alpha, texture)).unwrap();
        for (keep, is_opaque) in [(&["--force"][..], is_opaque), (&["--force", "--alpha", "keep"], false)] {
            let run = convert(folder.path(), &[&["mob.x", "-o", "mob.gltf", "--json"][..], keep].concat());
            let file: Value = serde_json::from_slice(&std::fs::read(folder.path().join("mob.gltf")).unwrap()).unwrap();
            let mode = &file["materials"][0]["alphaMode"];
            assert_eq!(*mode, if is_opaque { Value::Null } else { "BLEND".into() }, "{alpha} {keep:?}");
            let losses = json_of(&run)["losses"].clone();
            let made = losses.as_array().unwrap().iter().any(|loss| loss["loss"] == "made-opaque");
            assert_eq!(made, is_opaque, "{losses}");
        }
    }
}
