//! Images of surfaces in folders laid out like those of games.

use bindpose_core::image_search::{
    ChosenImage, ImageChoices, ImageFinder, ImageRole, ModelImages, SurfaceImage, SurfaceNames,
};
use bindpose_core::read;
use bindpose_vfs::folders_of;
use std::fs;
use std::path::PathBuf;

struct Tree(PathBuf);

impl Tree {
    fn new(name: &str, files: &[(&str, &[u8])]) -> Self {
        let root = std::env::temp_dir().join(format!("bindpose-rules-{}-{name}", std::process::id()));
        for (file, bytes) in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        Self(root)
    }

    /// Returns the image below the root, and the reason for it.
    fn find(&self, model: &str, name: Option<&str>, surface: &str, choices: &ImageChoices) -> Option<(String, String)> {
        self.find_in(0, model, name, surface, choices)
    }

    fn find_in(
        &self,
        slot: usize,
        model: &str,
        name: Option<&str>,
        surface: &str,
        choices: &ImageChoices,
    ) -> Option<(String, String)> {
        let path = self.0.join(model);
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let folders = folders_of(None, &path);
        let images = ModelImages { stem: &stem, folders: &folders, choices };
        let surface = SurfaceNames { name, known_as: &[surface], slot, is_plain: false };
        match images.find(&ImageFinder::default(), &surface) {
            SurfaceImage::Found(path, rule) => {
                let slashes = |text: &str| text.replace('\\', "/");
                let root = slashes(&format!("{}/", self.0.display()));
                let inside = |path: &str| slashes(path).replace(&root, "");
                Some((inside(&path.to_string_lossy()), inside(&rule.to_string())))
            }
            SurfaceImage::Missing { .. } | SurfaceImage::NoImage => None,
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn found(path: &str, rule: &str) -> Option<(String, String)> {
    Some((path.to_owned(), rule.to_owned()))
}

#[test]
fn luanti_keeps_images_in_a_folder_of_their_own() {
    let files = ["mobs_cow.png", "mobs_cow2.png", "mobs_sheep_inv.png", "mobs_sheep_base.png", "fur.png"];
    let paths: Vec<String> = files.iter().map(|file| format!("mod/textures/{file}")).collect();
    let files: Vec<(&str, &[u8])> =
        paths.iter().map(|path| (path.as_str(), &b""[..])).chain([("mod/models/x", &b""[..])]).collect();
    let folder = Tree::new("luanti", &files);
    let find = |model: &str, name| folder.find(&format!("mod/models/{model}.x"), name, "", &ImageChoices::default());
    let like = "Luanti: named after the model, in ../textures";
    assert_eq!(find("mobs_cow", None), found("mod/textures/mobs_cow.png", like));
    assert_eq!(find("mobs_cow", Some("hide")), found("mod/textures/mobs_cow.png", like));
    assert_eq!(find("mobs_cow", Some("lost.png")), None, "a guess would hide that the named image is missing");
    assert_eq!(find("mobs_sheep", None), found("mod/textures/mobs_sheep_base.png", like));
    let named = found("mod/textures/fur.png", "similar to the name in the file");
    assert_eq!(find("mobs_cow", Some("fur.png")), named, "a name in the file wins");
    assert_eq!(find("boat", None), None);
}

/// The scripts are not run, and other tables, comments and joined names do not count.
#[test]
fn luanti_s_scripts_name_images() {
    let script = br#"-- mesh = "bat.x", textures = {"crab1.png"}
        mobs:register_mob("demo:bat", { mesh = "bat" .. suffix, textures = {"crab1.png"} })
        mobs:register_mob("demo:crab", {
            textures = { {"crab2.png^[colorize:#f00"}, {"crab1.png"} },
            initial_properties = { mesh = 'Crab.x' },
            mesh = "crab.x", drops = { { name = "bone" } },
        })
        minetest.register_craftitem("demo:claw", { inventory_image = "eel_claw.png" })
        minetest.register_node("demo:box", { mesh = "box.obj", tiles = { { name = "crab1.png" } } })
        mobs:register_mob("demo:duo", { mesh = "duo.x", textures = {
            { "eel" .. ".png", "crab2.png^(eel_egg.png)", "bat1.png" }, { "crab1.png", "crab1.png", "crab1.png" },
        } })"#;
    let images = ["crab_claw", "crab1", "crab2", "eel_claw", "eel_egg", "eel_skin", "bat_2", "bat1", "bat_egg"];
    let paths = images.map(|image| format!("mod/textures/{image}.png"));
    let images = paths.iter().map(|path| (path.as_str(), &b""[..]));
    let folder = Tree::new("lua", &images.chain([("mod/mobs/all.lua", &script[..])]).collect::<Vec<_>>());
    let in_slot =
        |model: &str, slot| folder.find_in(slot, &format!("mod/models/{model}"), None, "", &ImageChoices::default());
    let find = |model: &str| in_slot(model, 0);
    let like = "Luanti: named after the model, in ../textures";
    let slots = [None, Some("crab2"), Some("bat1"), None]
        .map(|image| found(&format!("mod/textures/{}.png", image?), "named in mod/mobs/all.lua"));
    assert_eq!([0, 1, 2, 3].map(|slot| in_slot("duo.x", slot)), slots);
    assert_eq!(in_slot("box.x", 5), found("mod/textures/crab1.png", "named in mod/mobs/all.lua"));
    let by_script = found("mod/textures/crab2.png", "named in mod/mobs/all.lua");
    assert_eq!(find("crab.x"), by_script);
    // Luanti ignores the name in the file, and the script is no guess.
    assert_eq!(folder.find("mod/models/crab.x", Some("lost.png"), "", &ImageChoices::default()), by_script);
    assert_eq!(find("box.x"), found("mod/textures/crab1.png", "named in mod/mobs/all.lua"));
    assert_eq!(find("eel.x"), found("mod/textures/eel_skin.png", like));
    assert_eq!(find("bat.x"), found("mod/textures/bat1.png", like));
}

/// A guess would show the image of another material. A shader is not the name of an image.
#[test]
fn a_named_image_is_that_one_or_none() {
    let folder = Tree::new("guess", &[("m/crate.png", b""), ("m/skin.png", b""), ("n/skin.png", b"")]);
    let find = |model: &str, name| folder.find(model, Some(name), "", &ImageChoices::default());
    assert_eq!(find("m/crate.x", "lid"), found("m/crate.png", "named after the model"));
    assert_eq!(find("n/crate.x", "lid"), found("n/skin.png", "the usual name of an image next to a model"));
    assert_eq!(find("m/crate.x", "lid.png"), None);
    assert_eq!(find("n/crate.x", "art\\lid.png"), None);
}

#[test]
fn cube_2_names_images_in_a_script() {
    let script =
        b"md5load \"../gun.md5mesh\" // body\n\n md5skin top <dds>../a.png <dds>../mask.png 0.4\nmd5skin * ../b.png\n";
    let folder = Tree::new(
        "cube2",
        &[("w/hwep/md5.cfg", script), ("w/a.png", b""), ("w/a.dds", b""), ("w/b.png", b""), ("w/skin.jpg", b"")],
    );
    let find = |model: &str, surface: &str| folder.find(model, Some("none"), surface, &ImageChoices::default());
    assert_eq!(find("w/gun.md5mesh", "Top"), found("w/a.dds", "named in w/hwep/md5.cfg"));
    assert_eq!(find("w/gun.md5mesh", "grip"), found("w/b.png", "named in w/hwep/md5.cfg"));
    assert_eq!(find("w/other.md5mesh", "top"), found("w/skin.jpg", "the usual name of an image next to a model"));
}

#[test]
fn some_images_lie_over_others() {
    let script = b"md5load \"../gun.md5mesh\"\nmd5skin top ../a.png ../mask.png 0.4\nmd5skin * ../b.png\nmd5bumpmap * ../n.png\n";
    let tree = Tree::new(
        "layers",
        &[
            ("w/hwep/md5.cfg", script),
            ("w/a.png", b""),
            ("w/b.png", b""),
            ("w/n.png", b""),
            ("w/mask.png", b""),
            ("d/diffuse.png", b""),
            ("d/normal.png", b""),
            ("d/masks.png", b""),
            ("e/imp.png", b""),
            ("e/normal.png", b""),
        ],
    );
    let layer = |model: &str, surface: &str, role| {
        let path = tree.0.join(model);
        let (stem, folders) = (path.file_stem().unwrap().to_string_lossy().into_owned(), [read::folder_of(&path)]);
        let choices = ImageChoices::default();
        let images = ModelImages { stem: &stem, folders: &folders, choices: &choices };
        let surface = SurfaceNames { name: None, known_as: &[surface], slot: 0, is_plain: true };
        let found = images.layer_by_rules(&ImageFinder::default(), &surface, role)?;
        assert!(!found.green_is_up);
        Some((found.path.strip_prefix(&tree.0).unwrap().to_owned(), found.is_mask))
    };
    let at = |path: &str, is_mask| Some((PathBuf::from(path), is_mask));
    assert_eq!(layer("w/gun.md5mesh", "top", ImageRole::Normal), at("w/n.png", false));
    assert_eq!(layer("w/gun.md5mesh", "top", ImageRole::Specular), at("w/mask.png", true));
    assert_eq!(layer("w/gun.md5mesh", "grip", ImageRole::Specular), None);
    assert_eq!(layer("d/mesh.md5mesh", "", ImageRole::Normal), at("d/normal.png", false));
    assert_eq!(layer("d/mesh.md5mesh", "", ImageRole::Specular), at("d/masks.png", true));
    assert_eq!(layer("e/imp.md5mesh", "", ImageRole::Normal), None, "whose it is nobody says");
}

#[test]
fn daemon_names_images_in_scripts() {
    let script = b"models/p/b/shell\n{ { diffuseMap models/p/b/granger\n normalMap models/p/b/granger_n } }\nskins/beast { { diffuseMap models/p/b/alien\n normalMap models/p/b/granger_n\n normalFormat X Y Z } }";
    let tree = Tree::new(
        "daemon",
        &[
            ("scripts/b.shader", script),
            ("models/p/b/body_default.skin", b"tag_head,\n0, models/p/b/shell\n7,models/p/b/bare\n"),
            ("models/p/b/body_red.skin", b"0, skins/beast\n"),
            ("models/p/b/granger.png", b""),
            ("models/p/b/granger_n.png", b""),
            ("models/p/b/alien.png", b""),
            ("models/p/b/bare.png", b""),
        ],
    );
    let find = |model: &str, name: &str, mesh| tree.find(model, Some(name), mesh, &ImageChoices::default());
    let skin = "models/p/b/body_default.skin";
    let rule = format!("shader models/p/b/shell of scripts/b.shader, which {skin} names");
    assert_eq!(find("models/p/b/body.md5mesh", "default", "mesh 0"), found("models/p/b/granger.png", &rule));
    let rule = format!("shader models/p/b/bare, which {skin} names");
    assert_eq!(find("models/p/b/body.md5mesh", "default", "mesh 1"), found("models/p/b/bare.png", &rule));
    let alien = find("models/p/b/head.md5mesh", "skins/beast", "mesh 0");
    assert_eq!(alien, found("models/p/b/alien.png", "shader skins/beast of scripts/b.shader"));
    assert_eq!(find("models/p/b/head.md5mesh", "lost", "mesh 0"), None);
    // A requested skin takes precedence over the image named by the file.
    let red = ImageChoices { skin: Some("red".to_owned()), ..ImageChoices::default() };
    let red = |mesh| tree.find("models/p/b/body.md5mesh", Some("models/p/b/bare"), mesh, &red);
    let rule = "shader skins/beast of scripts/b.shader, which models/p/b/body_red.skin names";
    assert_eq!(red("mesh 0"), found("models/p/b/alien.png", rule));
    assert_eq!(red("mesh 1"), found("models/p/b/bare.png", "named in the file, but for its extension"));
    let normals = |model: &str, name| {
        let folders = [tree.0.join("models/p/b")];
        let choices = ImageChoices::default();
        let images = ModelImages { stem: model, folders: &folders, choices: &choices };
        let surface = SurfaceNames { name: Some(name), known_as: &["mesh 0"], slot: 0, is_plain: false };
        let found = images.layer_by_rules(&ImageFinder::default(), &surface, ImageRole::Normal)?;
        Some((found.path.ends_with("granger_n.png"), found.green_is_up))
    };
    assert_eq!(normals("body", "default"), Some((true, false)));
    assert_eq!(normals("head", "skins/beast"), Some((true, true)));
}

/// Returns a `.md2` with two skins, the first of which is missing.
fn md2() -> Vec<u8> {
    let mut list = b"IDP2".to_vec();
    list.resize(68, 0);
    list[20] = 2;
    list[44] = 68;
    for name in ["models/m/lost.pcx", "models/m/pain.pcx"] {
        let start = list.len();
        list.extend(name.bytes());
        list.resize(start + 64, 0);
    }
    list
}

#[test]
fn quake_has_numbered_skins_and_lists() {
    let tree = Tree::new(
        "quake",
        &[
            ("m/tris.md2", &md2()),
            ("m/md5/pain.png", b""),
            ("progs/ogre_00_00.png", b""),
            ("progs/ogre_01_00.png", b""),
        ],
    );
    let find = |model: &str| tree.find(model, Some("body"), "", &ImageChoices::default());
    assert_eq!(find("m/md5/tris.md5mesh"), found("m/md5/pain.png", "the first skin of m/tris.md2"));
    assert_eq!(find("progs/ogre.md5mesh"), found("progs/ogre_00_00.png", "a Quake skin of the model"));
    assert_eq!(find("progs/knight.md5mesh"), None);
}

/// Returns an archive of Quake: header, files, index.
fn pak(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut body, mut index) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let start = index.len();
        index.extend(name.bytes());
        index.resize(start + 56, 0);
        index.extend([12 + body.len() as u32, bytes.len() as u32].map(u32::to_le_bytes).as_flattened());
        body.extend(*bytes);
    }
    let sizes = [12 + body.len() as u32, index.len() as u32].map(u32::to_le_bytes);
    [b"PACK", sizes.as_flattened(), &body, &index].concat()
}

#[test]
fn rules_are_the_same_in_an_archive() {
    let script = b"md5load \"../gun.md5mesh\"\nmd5skin * ../b.png\n";
    let archive = pak(&[
        ("m/tris.md2", &md2()),
        ("m/md5/pain.png", b"1"),
        ("progs/ogre_00_00.lmp", b"2"),
        ("w/hwep/md5.cfg", script),
        ("w/b.png", b"3"),
        ("mod/textures/mobs_cow.png", b"4"),
        ("skin.jpg", b"5"),
    ]);
    let tree = Tree::new("pak", &[("a.pak", &archive)]);
    let find = |model: &str| tree.find(&format!("a.pak:{model}"), None, "", &ImageChoices::default());
    assert_eq!(find("m/md5/tris.md5mesh"), found("a.pak:m/md5/pain.png", "the first skin of a.pak:m/tris.md2"));
    assert_eq!(find("progs/ogre.md5mesh"), found("a.pak:progs/ogre_00_00.lmp", "a Quake skin of the model"));
    assert_eq!(find("w/gun.md5mesh"), found("a.pak:w/b.png", "named in a.pak:w/hwep/md5.cfg"));
    let luanti = "Luanti: named after the model, in ../textures";
    assert_eq!(find("mod/models/mobs_cow.x"), found("a.pak:mod/textures/mobs_cow.png", luanti));
    let usual = tree.find("a.pak:imp.md5mesh", Some("none"), "", &ImageChoices::default());
    assert_eq!(usual, found("a.pak:/skin.jpg", "the usual name of an image next to a model"));
}

/// Opening a pipe blocks until someone writes to it.
#[cfg(unix)]
#[test]
fn pipes_are_no_files() {
    let tree = Tree::new("pipes", &[("m/md5/skin.png", b"")]);
    for pipe in ["m/tris.md2", "m/md5/md5.cfg", "m/md5/tris_00_00.png"] {
        assert!(std::process::Command::new("mkfifo").arg(tree.0.join(pipe)).status().unwrap().success());
    }
    let image = tree.find("m/md5/tris.md5mesh", Some("body"), "", &ImageChoices::default());
    assert_eq!(image, found("m/md5/skin.png", "the usual name of an image next to a model"));
}

#[test]
fn a_wanted_folder_has_normal_and_specular_maps_too() {
    let names = ["fur_d.png", "fur_n.png", "fur_mask.png", "cow.png", "cow_local.tga", "cow_spec.png", "hen.png"];
    let paths = names.map(|name| format!("t/{name}"));
    let files: Vec<(&str, &[u8])> = paths.iter().map(|path| (path.as_str(), &b""[..])).collect();
    let tree = Tree::new("chosen-layers", &files);
    let choices = ImageChoices { files: Vec::new(), folders: vec![tree.0.join("t")], ..ImageChoices::default() };
    let layer = |stem: &str, name, role| {
        let images = ModelImages { stem, folders: &[], choices: &choices };
        let surface = SurfaceNames { name, known_as: &["body"], slot: 0, is_plain: true };
        let found = images.chosen_layer(&ImageFinder::default(), &surface, role)?;
        Some((found.path.strip_prefix(tree.0.join("t")).unwrap().to_owned(), found.is_mask, found.green_is_up))
    };
    let at = |name: &str, is_mask, green_is_up| Some((PathBuf::from(name), is_mask, green_is_up));
    assert_eq!(layer("model", Some("art/fur.tga"), ImageRole::Normal), at("fur_n.png", false, true));
    assert_eq!(layer("model", Some("art/fur.tga"), ImageRole::Specular), at("fur_mask.png", true, true));
    assert_eq!(layer("cow", None, ImageRole::Normal), at("cow_local.tga", false, false));
    assert_eq!(layer("cow", None, ImageRole::Specular), at("cow_spec.png", false, true));
    assert_eq!(layer("hen", None, ImageRole::Normal), None);
}

#[test]
fn what_a_user_wants_goes_first() {
    let folder = Tree::new("choices", &[("a/body.png", b""), ("b/body.png", b""), ("b/model.png", b"")]);
    let file = |surface: Option<&str>, role, path: &str| {
        let surface = surface.map(str::to_owned);
        ChosenImage { surface, role, path: path.into() }
    };
    let files = vec![file(Some("Head"), ImageRole::Base, "face.png"), file(None, ImageRole::Normal, "bumps.png")];
    let choices = ImageChoices { files, folders: vec![folder.0.join("b")], ..ImageChoices::default() };
    let find = |name, surface: &str| folder.find("a/model.x", name, surface, &choices);
    assert_eq!(find(Some("body"), "head"), found("face.png", "chosen"));
    assert_eq!(find(Some("body"), "chest"), found("b/body.png", "chosen"));
    assert_eq!(find(None, "chest"), found("b/model.png", "chosen"));
    let images = ModelImages { stem: "model", folders: &[], choices: &choices };
    let head = SurfaceNames { name: None, known_as: &["head"], slot: 0, is_plain: true };
    let finder = ImageFinder::default();
    let layer = |role| images.chosen_layer(&finder, &head, role).map(|layer| (layer.path, layer.green_is_up));
    assert_eq!(layer(ImageRole::Normal), Some((PathBuf::from("bumps.png"), true)));
    assert_eq!(layer(ImageRole::Specular), None);
    let all = ImageChoices { files: vec![file(None, ImageRole::Base, "all.png")], ..ImageChoices::default() };
    assert_eq!(folder.find("a/model.x", None, "", &all), found("all.png", "chosen"));
}
