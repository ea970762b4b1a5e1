//! Model decls, skins and entities, from their files to a loaded model.

use super::{MESH, game};
use bindpose::game::Decls;
use bindpose::game::entity::{AppearanceError, ModelDef, appearance_of_entity, appearance_of_model};
use bindpose::load::{GameRequest, LoadError, LoadOptions, Loaded, Mismatch, Subject, load};
use bindpose::vfs::Vfs;
use bindpose_parsers::decl::DeclKind;
use glam::DVec3;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

fn of_game(game: GameRequest) -> LoadOptions {
    LoadOptions { game, ..LoadOptions::default() }
}

fn options(root: &TempDir) -> LoadOptions {
    let game = Vfs::open(&root.path().join("base"), &[]).unwrap();
    of_game(GameRequest { files: Some(Arc::new(game)), ..GameRequest::default() })
}

fn decls(root: &TempDir) -> Decls {
    Decls::read(options(root).game.files.unwrap(), &Default::default())
}

fn loaded(root: &TempDir, subject: Subject, skin: Option<&str>) -> Result<Loaded, LoadError> {
    let mut options = options(root);
    (options.game.subject, options.game.skin) = (Some(subject), skin.map(str::to_owned));
    load(&[] as &[PathBuf], &options)
}

fn model(root: &TempDir, name: &str) -> Loaded {
    loaded(root, Subject::Model(name.into()), None).unwrap()
}

fn clips(loaded: &Loaded) -> Vec<&str> {
    loaded.model.clips.iter().map(|clip| clip.name.as_str()).collect()
}

fn material(loaded: &Loaded) -> (&str, Option<&str>, bool) {
    let material = &loaded.model.materials[0];
    let is_drawn = material.surface.as_ref().is_none_or(|surface| surface.is_drawn);
    (&material.name, material.texture.as_deref(), is_drawn)
}

#[test]
fn a01_anims_are_clips_under_their_names() {
    let def = "model imp { mesh models/imp.md5mesh anim walk1 models/a.md5anim anim walk2 models/b.md5anim anim idle models/a.md5anim }";
    let root = game(&[("def/imp.def", def)]);
    assert_eq!(clips(&model(&root, "imp")), ["walk1", "walk2", "idle"]);
    // The .def file alone gives the same.
    let file = root.path().join("base/def/imp.def");
    assert_eq!(clips(&load(&[file], &LoadOptions::default()).unwrap()), ["walk1", "walk2", "idle"]);
    assert_eq!(clips(&model(&root, "models/imp.md5mesh")), [""; 0]);
}

#[test]
fn an_added_clip_follows_the_anims_and_moves_with_the_offset() {
    let def = "model imp { mesh models/imp.md5mesh offset ( 0 0 8 ) anim walk models/a.md5anim }";
    let root = game(&[("def/imp.def", def)]);
    let clip = root.path().join("own.md5anim");
    std::fs::copy(root.path().join("base/models/b.md5anim"), &clip).unwrap();
    let subject = Some(Subject::Model("imp".into()));
    let mut options = options(&root);
    (options.game.subject, options.clips.added) = (subject, vec![clip]);
    let found = load(&[] as &[PathBuf], &options).unwrap();
    assert_eq!(clips(&found), ["walk", "own"]);
    // Both files have the same content.
    assert_eq!(found.model.clips[0].joints, found.model.clips[1].joints);
}

#[test]
fn a_material_without_smooth_tangents_gives_each_vertex_one_triangles_normal() {
    let mesh = include_str!("../../data/md5/mannequin_light.md5mesh");
    let load = |words: &str| {
        let material = format!("mannequin {{ {words} diffusemap _white }}");
        let root = game(&[("models/figure.md5mesh", mesh), ("materials/a.mtr", &material)]);
        model(&root, "models/figure.md5mesh").model.meshes[0].clone()
    };
    // Counts vertices whose normal equals that of one of their triangles.
    let faceted = |mesh: &bindpose::model::Mesh| {
        let mut has = vec![false; mesh.vertex_count()];
        for corners in &mesh.triangles {
            let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            for corner in corners.map(|corner| corner as usize) {
                has[corner] |= mesh.normals[corner].distance(normal) < 1e-4;
            }
        }
        has.iter().filter(|&&has| has).count()
    };
    let (smooth, unsmoothed) = (load(""), load("unsmoothedTangents"));
    assert_eq!(faceted(&unsmoothed), unsmoothed.vertex_count());
    assert!(faceted(&smooth) * 2 < smooth.vertex_count(), "{}", faceted(&smooth));
    assert_eq!(smooth.positions, unsmoothed.positions);
    let upright = |(normal, tangent): (&glam::Vec3, &glam::Vec4)| normal.dot(tangent.truncate()).abs() < 1e-3;
    assert!(unsmoothed.normals.iter().zip(&unsmoothed.tangents).all(upright));
}

#[test]
fn a_missing_anim_is_left_out_and_reported() {
    let def = "model imp { mesh models/imp.md5mesh anim walk models/none.md5anim anim idle models/a.md5anim }";
    let found = model(&game(&[("def/imp.def", def)]), "imp");
    assert_eq!((clips(&found), found.left_out.len()), (vec!["idle"], 1));
    let said = found.left_out[0].to_string();
    assert!(said.starts_with("clip 'walk' is left out: cannot read models/none.md5anim"), "{said}");
}

/// Names and first files of a model's anims.
fn anims(model: &ModelDef) -> Vec<(&str, &str)> {
    model.anims().into_iter().map(|anim| (anim.name.text.as_str(), anim.files[0].text.as_str())).collect()
}

#[test]
fn a05_a20_anims_are_inherited_and_removed() {
    let root = game(&[(
        "def/imp.def",
        "model base { mesh models/imp.md5mesh offset ( 0 0 8 ) skin red channel torso ( *bone ) anim idle1 a anim idle2 a anim walk a }
         model imp { inherit base remove idle anim walk b { frame 1 footstep
         } anim run a }
         model a { inherit b } model b { inherit a }",
    )]);
    let decls = decls(&root);
    let imp = decls.model_def("imp").unwrap();
    assert_eq!(anims(&imp), [("walk", "b"), ("run", "a")]);
    assert_eq!((imp.offset(), imp.skin(), imp.channels().count()), ([0.0, 0.0, 8.0], Some("red"), 1));
    assert_eq!(["walk", "idle", "idle1", "run"].map(|name| imp.has_anims_called(name)), [true, false, false, true]);
    for name in ["a", "b"] {
        let circle = AppearanceError::Circle { kind: DeclKind::Model, name: name.to_owned() };
        assert_eq!(decls.model_def(name), Err(circle));
    }
    assert!(matches!(appearance_of_model(&decls, "nobody"), Err(AppearanceError::Missing { .. })));
}

/// Two lines to each decl's parent would be 2^40 visits if each were followed.
#[test]
fn parents_that_are_named_repeatedly_are_read_once() {
    let line = |number: usize| {
        let next = number + 1;
        format!(
            "entityDef e{number} {{ \"inherit\" \"e{next}\" \"inherit2\" \"e{next}\" }}\n\
             model m{number} {{ inherit m{next} inherit m{next} anim a{number} x }}\n"
        )
    };
    let last = "entityDef e40 { \"model\" \"m0\" } model m40 { inherit nobody mesh x }";
    let root = game(&[("def/deep.def", &((0..40).map(line).collect::<String>() + last))]);
    let decls = decls(&root);
    assert_eq!(decls.entity_keys("e0").unwrap().model(), Some("m0"));
    let model = decls.model_def("m0").unwrap();
    assert_eq!((model.mesh(), model.anims().len()), (Some("x"), 40));
}

/// A removal takes what is declared before it in place of an inherited anim, but not what is declared after it.
#[test]
fn removals_take_what_comes_before_them() {
    let root = game(&[(
        "def/imp.def",
        "model base { mesh x anim walk1 a anim walk2 a anim run a }
         model imp { inherit base anim walk1 b remove walk1 anim walk1 c remove walk anim stay d }
         model last { inherit imp anim walk3 e remove run }",
    )]);
    let decls = decls(&root);
    let [imp, last] = ["imp", "last"].map(|name| decls.model_def(name).unwrap());
    assert_eq!(anims(&imp), [("run", "a"), ("walk1", "c"), ("stay", "d")]);
    assert_eq!(anims(&last), [("walk1", "c"), ("stay", "d"), ("walk3", "e")]);
}

/// Each is resolved once, whatever names it first.
#[test]
fn decls_inherit_through_many_others() {
    let models = |number: usize| format!("model m{number} {{ inherit m{} anim a{number} x }}\n", number + 1);
    let entities = |number: usize| format!("entityDef e{number} {{ \"inherit\" \"e{}\" }}\n", number + 1);
    let last = "model m65 { mesh x } entityDef e50000 { \"model\" \"m2\" }";
    let text = (0..65).map(models).chain((0..50_000).map(entities)).chain([last.to_owned()]).collect::<String>();
    let decls = decls(&game(&[("def/deep.def", &text)]));
    assert!(matches!(decls.model_def("m0"), Err(AppearanceError::TooDeep(name)) if name == "m1"));
    assert_eq!(decls.model_def("m2").unwrap().anims().len(), 63);
    assert_eq!(appearance_of_entity(&decls, "e0").unwrap().model.mesh(), Some("x"));
}

/// Searching each anim among all previous ones would take minutes.
#[test]
fn many_anims_are_inherited_and_removed_at_once() {
    const COUNT: usize = 50_000;
    let lines = |line: fn(usize) -> String| (0..COUNT).map(line).collect::<String>();
    let base = lines(|anim| format!("anim walk{anim}_ a anim stay{anim}_ a\n"));
    let imp = lines(|anim| format!("remove walk{anim}_ anim stay{anim}_ b anim run{anim}_ b\n"));
    let root = game(&[("def/imp.def", &format!("model base {{ mesh x {base} }} model imp {{ inherit base {imp} }}"))]);
    let model = decls(&root).model_def("imp").unwrap();
    let anims = anims(&model);
    assert_eq!((anims.len(), anims[0], anims[COUNT]), (2 * COUNT, ("stay0_", "b"), ("run0_", "b")));
}

/// The last `inherit` replaces the file's previous content; everything after it is kept.
#[test]
fn the_last_parent_replaces_earlier_content() {
    let root = game(&[(
        "def/imp.def",
        "model one { mesh one anim walk a } model two { mesh two anim run b }
         model imp { offset ( 1 2 3 ) inherit one anim idle c inherit two anim jump d inherit nobody anim fly e }",
    )]);
    let imp = decls(&root).model_def("imp").unwrap();
    assert_eq!((imp.mesh(), imp.offset()), (Some("two"), [0.0; 3]));
    assert_eq!(anims(&imp), [("run", "b"), ("jump", "d"), ("fly", "e")]);
}

#[test]
fn a17_the_offset_moves_the_root_in_every_pose() {
    let def = "model imp { mesh models/imp.md5mesh offset ( 0 0 8 ) anim walk models/a.md5anim }";
    let root = game(&[
        ("def/imp.def", def),
        ("def/own.def", "model own { mesh models/imp.md5mesh anim walk models/a.md5anim }"),
    ]);
    let (shifted, own) = (model(&root, "imp"), model(&root, "own"));
    // The file's boxes move with the model.
    let [boxes, own_boxes] = [&shifted, &own].map(|loaded| &loaded.frame_boxes[0]);
    assert_eq!(own_boxes[0], [DVec3::splat(-1.0), DVec3::splat(1.0)]);
    assert_eq!(boxes[0], own_boxes[0].map(|corner| corner + DVec3::Z * 8.0));
    let (shifted, own) = (shifted.model, own.model);
    for time in [0.0, 0.05] {
        let (_, shifted) = crate::support::pose_at(&shifted, 0, time);
        let (_, own) = crate::support::pose_at(&own, 0, time);
        for (shifted, own) in shifted.0.iter().zip(&own.0) {
            assert!((shifted.translation - own.translation).distance(DVec3::Z * 8.0) < 1e-9);
        }
    }
}

#[test]
fn s01_s05_s06_skins_put_materials_in_place_of_others() {
    let root = game(&[
        ("materials/x.mtr", "models/test { diffusemap own.tga } red { diffusemap red.tga } nodraw { } hull { }"),
        ("skins/x.skin", "skin red { models/test red } skin none { * nodraw } skin all { * red }"),
        ("models/hull.md5mesh", &MESH.replace("models/test", "hull")),
        ("def/imp.def", "model imp { mesh models/imp.md5mesh skin red }"),
    ]);
    let mesh = || Subject::Model("models/imp.md5mesh".into());
    assert_eq!(material(&loaded(&root, mesh(), None).unwrap()), ("models/test", Some("own.tga"), true));
    assert_eq!(material(&loaded(&root, mesh(), Some("RED")).unwrap()), ("red", Some("red.tga"), true));
    assert_eq!(material(&model(&root, "imp")), ("red", Some("red.tga"), true));
    let mut hidden = loaded(&root, mesh(), Some("none")).unwrap();
    assert_eq!(material(&hidden), ("nodraw", None, false));
    Arc::make_mut(&mut hidden.model).drop_undrawn();
    assert!(hidden.model.meshes[0].triangles.is_empty());
    let hull = loaded(&root, Subject::Model("models/hull.md5mesh".into()), Some("all")).unwrap();
    assert_eq!(material(&hull), ("hull", None, false));
    let error = loaded(&root, mesh(), Some("blue")).unwrap_err();
    assert_eq!(error.to_string(), "the game has no skin 'blue'");
}

/// If the game has no such skin, it makes one of the material with this name, which replaces only the default material.
#[test]
fn s09_a_materials_name_is_a_skin_that_replaces_the_default() {
    let root = game(&[
        ("materials/x.mtr", "models/test { diffusemap own.tga } red { diffusemap red.tga }"),
        ("models/plain.md5mesh", &MESH.replace("models/test", "_default")),
    ]);
    let worn = |mesh: &str| {
        let loaded = loaded(&root, Subject::Model(mesh.into()), Some("red")).unwrap();
        loaded.model.materials[0].name.clone()
    };
    assert_eq!(worn("models/plain.md5mesh"), "red");
    assert_eq!(worn("models/imp.md5mesh"), "models/test");
}

/// Files of one anim play at once, mixed by the game. Each is a clip that can be viewed.
#[test]
fn anims_that_play_at_once_are_all_loaded() {
    let def = "model imp { mesh models/imp.md5mesh anim walk models/a.md5anim, models/b.md5anim, models/none.md5anim anim run models/b.md5anim }";
    let found = model(&game(&[("def/imp.def", def)]), "imp");
    assert_eq!(clips(&found), ["walk", "walk (2)", "run"]);
    let message = "clip 'walk (3)' is left out: cannot read models/none.md5anim";
    assert!(found.left_out[0].to_string().starts_with(message), "{}", found.left_out[0]);
}

#[test]
fn m08_a_missing_material_is_reported_and_shown_as_intended() {
    let root = game(&[("materials/x.mtr", "models/test\n{\n\tnosuchword\n\tdiffusemap own.tga\n}")]);
    let found = load(&[root.path().join("base/models/imp.md5mesh")], &LoadOptions::default()).unwrap();
    assert_eq!(material(&found).1, Some("own.tga"));
    let [diagnostic] = &found.diagnostics[..] else { panic!("{:?}", found.diagnostics) };
    let place = diagnostic.primary.as_ref().unwrap();
    assert_eq!(
        diagnostic.message,
        "the game ignores the material 'models/test' and draws its default: 'nosuchword' is not a keyword of a material"
    );
    assert_eq!(found.sources.get(place.source).position(place.span.start).to_string(), "3:2");
}

/// The head's files and warnings are among the body's. A file of decls is listed once, however many of them have
/// errors.
#[test]
fn missing_materials_of_body_and_head_are_reported() {
    let (joints, mesh) = MESH.split_at(MESH.find("mesh {").unwrap());
    let body = joints.replace("numMeshes 1", "numMeshes 2") + mesh + &mesh.replace("models/test", "models/other");
    let root = game(&[
        ("materials/x.mtr", "models/test { nosuchword } models/other { nosuchword } models/face { nosuchword }"),
        ("models/body.md5mesh", &body),
        ("models/heads/head.md5mesh", &MESH.replace("models/test", "models/face")),
        (
            "def/imp.def",
            r#"model head { mesh models/heads/head.md5mesh anim walk models/none.md5anim }
               model body { mesh models/body.md5mesh }
               entityDef imp { "model" "body" "def_head" "head" "head_joint" "bone" }"#,
        ),
    ]);
    let found = loaded(&root, Subject::Entity("imp".into()), None).unwrap();
    let base = root.path().join("base");
    let told =
        found.diagnostics.iter().map(|told| (told.code, found.sources.path(told.primary.as_ref().unwrap().source)));
    // No finding on the head's anim, which is not played.
    assert_eq!(told.collect::<Vec<_>>(), vec![("MTR001", base.join("materials/x.mtr").as_path()); 3]);
    let words = ["'models/test'", "'models/other'", "'models/face'"];
    assert!(found.diagnostics.iter().zip(words).all(|(told, name)| told.message.contains(name)));
    let files: Vec<_> = found.sources.ids().map(|id| found.sources.path(id).strip_prefix(&base).unwrap()).collect();
    assert_eq!(files, ["models/body.md5mesh", "materials/x.mtr", "models/heads/head.md5mesh"].map(Path::new));
    assert_eq!(found.directories, [base.clone(), base.join("models"), base.join("models/heads")]);
}

#[test]
fn e01_e02_e03_e04_keys_are_inherited() {
    let root = game(&[(
        "def/imp.def",
        r#"entityDef base { "model" "models/imp.md5mesh" "Skin" "red" "def_head" "a" }
           entityDef imp { "inherit" "base" "inherit2" "other" "skin" "blue" }
           entityDef other { "def_head" "b" "head_joint" "c" }
           entityDef a { "inherit" "b" } entityDef b { "inherit" "a" }
           entityDef ghost { "health" "1" } entityDef tower { "model" "models/tower.lwo" }"#,
    )]);
    let decls = decls(&root);
    let keys = decls.entity_keys("IMP").unwrap();
    assert_eq!((keys.model(), keys.skin()), (Some("models/imp.md5mesh"), Some("blue")));
    assert_eq!(keys.head(), Some(("a", "c")));
    let appearance = appearance_of_entity(&decls, "imp").unwrap();
    assert_eq!((appearance.model.mesh(), appearance.skin.as_deref()), (Some("models/imp.md5mesh"), Some("blue")));
    assert!(matches!(appearance_of_entity(&decls, "a"), Err(AppearanceError::Circle { .. })));
    assert_eq!(appearance_of_entity(&decls, "ghost"), Err(AppearanceError::NoModel("ghost".into())));
    assert_eq!(appearance_of_entity(&decls, "tower"), Err(AppearanceError::OtherModel("models/tower.lwo".into())));
}

#[test]
fn a_head_sits_on_its_joint_with_the_bodys_axes() {
    let root = game(&[(
        "def/imp.def",
        r#"model head { mesh models/imp.md5mesh } model body { mesh models/imp.md5mesh anim walk models/a.md5anim }
           entityDef imp { "model" "body" "def_head" "head" "head_joint" "bone" }"#,
    )]);
    let model = loaded(&root, Subject::Entity("imp".into()), None).unwrap().model;
    assert_eq!((model.skeleton.len(), model.meshes.len(), model.clips.len()), (4, 2, 1));
    let mut local = bindpose::pose::LocalPose::default();
    let mut pose = bindpose::pose::ModelPose::default();
    bindpose::pose::rest(&model.skeleton, &mut local);
    bindpose::pose::local_to_model(&model.skeleton, &local, &mut pose);
    // The joint is at (0, 0, 10) and is turned. The head's origin is there, and its axes are the model's.
    let [_, joint, head, head_bone] = pose.0[..] else { panic!("{} joints", pose.0.len()) };
    assert!(head.abs_diff_eq(glam::DAffine3::from_translation(DVec3::Z * 10.0), 1e-9), "{head}");
    assert!((head_bone.translation - head.translation).distance(DVec3::Z * 10.0) < 1e-9 && joint.translation.z == 10.0);
    // The head moves with the joint, and every clip has tracks for it.
    let (_, moved) = crate::support::pose_at(&model, 0, 0.05);
    let relative = |pose: &bindpose::pose::ModelPose| pose.0[1].inverse() * pose.0[2];
    assert!(relative(&moved).abs_diff_eq(relative(&pose), 1e-9));
}

#[test]
fn a_def_with_several_models_asks_which() {
    let root = game(&[("def/x.def", "model a { mesh models/imp.md5mesh } model b { mesh models/imp.md5mesh }")]);
    let file = root.path().join("base/def/x.def");
    let error = load(&[&file], &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.ends_with("x.def declares several models; choose one with --model: a, b"), "{error}");
    let options = of_game(GameRequest { subject: Some(Subject::Model("b".into())), ..GameRequest::default() });
    assert_eq!(load(&[file], &options).unwrap().model.name, "b");
}

/// The game is also found above the current folder, which the path does not name.
#[test]
fn the_game_of_a_relative_path_is_found_from_any_folder_in_it() {
    let root = game(&[("materials/x.mtr", "models/test { diffusemap own.tga }")]);
    for (folder, file, material) in [
        ("", "base/models/imp.md5mesh", "base/materials/x.mtr"),
        ("base", "models/imp.md5mesh", "materials/x.mtr"),
        ("base/models", "imp.md5mesh", "../materials/x.mtr"),
        ("base/models", "../models/imp.md5mesh", "../materials/x.mtr"),
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_bindpose"));
        let output = command.current_dir(root.path().join(folder)).args(["info", file]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(&format!("material at {material}:1")), "{folder} {file}: {text}");
    }
}

#[test]
fn info_lists_the_images_of_all_drawn_stages() {
    let rows = |material: &str| {
        let root = game(&[("materials/x.mtr", material), ("own.tga", "x"), ("high.tga", "x")]);
        let mesh = root.path().join("base/models/imp.md5mesh");
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_bindpose")).args(["info", "--json"]).arg(mesh).output();
        let found: serde_json::Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        let row = |image: &serde_json::Value| {
            let name = |path: &str| Path::new(path).file_name().unwrap().to_str().unwrap().to_owned();
            let role = image["role"].as_str().unwrap().to_owned();
            (role, image["path"].as_str().map(name), image["rule"].as_str().unwrap().to_owned())
        };
        found[0]["images"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    let found =
        rows("models/test { bumpmap heightmap(high.tga, 4) diffusemap own.tga specularmap shine { map _white } }");
    let names: Vec<_> = found.iter().map(|(role, path, _)| (role.as_str(), path.as_deref())).collect();
    assert_eq!(names, [("picture", Some("own.tga")), ("normal", Some("high.tga")), ("specular", None)]);
    assert!(found[0].2.contains("material at ") && found[1].2.contains("'heightmap( high.tga, 4)'"), "{found:?}");
    let [(role, None, rule)] = &rows("models/test { }")[..] else { panic!("one row") };
    assert!(role == "stage" && rule.ends_with("x.mtr:1, which is not drawn"), "{rule}");
}

/// The sample's game, and the only free game data with a model decl and an MD5 mesh.
#[test]
fn free_games_are_loaded() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/game/mannequin.pk4");
    let free = crate::support::shared().map(|shared| shared.join("corpus/id4/OpenTechBFG/base"));
    for base in [Some(sample), free].into_iter().flatten() {
        let game = Some(Arc::new(Vfs::open(&base, &[]).unwrap()));
        let decls = Decls::read(game.clone().unwrap(), &Default::default());
        let entities: Vec<&str> = decls.names(DeclKind::EntityDef).collect();
        let with_model: Vec<_> = entities.iter().filter(|name| appearance_of_entity(&decls, name).is_ok()).collect();
        println!("{}: {} entities, with models of bones: {with_model:?}", base.display(), entities.len());
        assert!(!with_model.is_empty(), "{}", base.display());
        for name in with_model {
            let subject = Some(Subject::Entity((*name).to_string()));
            let options = of_game(GameRequest { files: game.clone(), subject, ..GameRequest::default() });
            load(&[] as &[PathBuf], &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

/// A table is read and kept only once, however many materials use it.
#[test]
fn materials_share_their_tables() {
    let root = game(&[(
        "materials/x.mtr",
        "table ramp.x { { 0, 1 } } one { { map x rgb Ramp[time] } } two { { map x alpha ramp[time] } }",
    )]);
    let decls = decls(&root);
    let table = |material: &str| Arc::clone(&decls.looks(material).surface.tables["ramp"]);
    assert_eq!(table("one").values, [0.0, 1.0]);
    assert!(Arc::ptr_eq(&table("one"), &table("two")));
}

/// The game shows the body of an entity whose skin or head is missing.
#[test]
fn a_missing_skin_or_head_is_a_warning() {
    let root = game(&[(
        "def/imp.def",
        r#"model body { mesh models/imp.md5mesh } model lost { mesh models/lost.md5mesh }
               entityDef none { "model" "body" "def_head" "nobody" "head_joint" "bone" "skin" "rags" }
               entityDef file { "model" "body" "def_head" "lost" "head_joint" "bone" }
               entityDef joint { "model" "body" "def_head" "body" "head_joint" "tail" }"#,
    )]);
    for (name, expected) in [
        ("none", &[("DEF015", "no model 'nobody'"), ("DEF011", "no skin 'rags'")][..]),
        ("file", &[("DEF015", "models/lost.md5mesh")]),
        ("joint", &[("DEF015", "its joint 'tail' is none of the model 'joint'")]),
    ] {
        let found = loaded(&root, Subject::Entity(name.into()), None).unwrap();
        assert_eq!(found.model.meshes.len(), 1, "{name}");
        let left_out = found.left_out.iter().map(|left| &left.reason);
        let warnings = found.diagnostics.iter().chain(left_out).filter(|warning| warning.primary.is_none());
        let warnings: Vec<_> = warnings.collect();
        assert_eq!(warnings.len(), expected.len(), "{warnings:?}");
        for (warning, (code, words)) in warnings.iter().zip(expected) {
            assert!(warning.code == *code && warning.message.contains(words), "{warning:?}");
        }
    }
    let chosen = loaded(&root, Subject::Entity("none".into()), Some("rags"));
    assert!(matches!(chosen, Err(LoadError::Mismatch(Mismatch::Appearance(_)))));
}
