//! Findings about decls, by code: a tree that just triggers each.

use bindpose::game::Decls;
use bindpose::validate::finding::Finding;
use bindpose::validate::{Input, Options, check_in};
use bindpose::vfs::Vfs;
use std::fs;
use std::sync::Arc;

const MESH: &str = include_str!("../cases/md5/base.md5mesh");
const ANIM: &str = include_str!("../cases/md5/base.md5anim");
const TABLES: &str = "table sinTable { { 0, 1 } } table cosTable { { 1, 0 } }\n";

/// Returns the codes found in `path`, each with its line, in a game with these files and a mesh with a clip.
fn codes(files: &[(&str, &str)], path: &str) -> Vec<(String, u32)> {
    found(files, path).into_iter().map(|(code, line, _)| (code, line)).collect()
}

fn found(files: &[(&str, &str)], path: &str) -> Vec<(String, u32, String)> {
    let finding = |finding: &Finding, line| (finding.code.id.to_owned(), line, finding.message.clone());
    each(files, path, finding)
}

/// Returns the notes of all findings in `path`.
fn notes(files: &[(&str, &str)], path: &str) -> Vec<String> {
    each(files, path, |finding, _| finding.notes.clone()).concat()
}

fn each<T>(files: &[(&str, &str)], path: &str, read: impl Fn(&Finding, u32) -> T) -> Vec<T> {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in [("models/imp.md5mesh", MESH), ("models/a.md5anim", ANIM)].iter().chain(files) {
        let file = root.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let game = Decls::read(Arc::new(Vfs::open(root.path(), &[]).unwrap()), &Default::default());
    let file = root.path().join(path);
    let input = Input { path: file.clone(), bytes: Ok(fs::read(&file).unwrap()) };
    let report = check_in(vec![input], &Options::default(), Some(&game));
    let file = &report.files[0];
    let line = |finding: &Finding| report.sources.get(file.source).position(finding.first.span.start).line;
    file.findings.iter().map(|finding| read(finding, line(finding))).collect()
}

fn one(files: &[(&str, &str)], path: &str) -> (String, u32) {
    let codes = codes(files, path);
    assert_eq!(codes.len(), 1, "{codes:?}");
    codes[0].clone()
}

fn at(code: &str, line: u32) -> (String, u32) {
    (code.to_owned(), line)
}

#[test]
fn decl_codes_of_files() {
    let of = |text: &str| one(&[("materials/x.mtr", text)], "materials/x.mtr");
    assert_eq!(of("a { }\n{ diffusemap _white }\nb { }"), at("DECL001", 2));
    assert_eq!(of("a { }\n\nb { { }"), at("DECL001", 3));
    assert_eq!(of("\nmodels/foo-bar { }"), at("DECL003", 2));
    let (_, _, message) = found(&[("materials/x.mtr", "a { } } b { } c { }")], "materials/x.mtr").remove(0);
    assert_eq!(message, "one '}' too many; it is read as a name, and 'b' behind it is lost");
    assert_eq!(of("a { } } b { } c { }"), at("DECL001", 1));
    assert_eq!(of("/* a /* b */ a { }"), at("DECL004", 1));
    assert_eq!(of("a { \"x\n } b { }"), at("DECL005", 1));
    assert_eq!(of("table t { { 0, x } }"), at("DECL006", 1));
    // Case D03.
    let files = [("materials/a.mtr", "foo { }"), ("materials/b.mtr", "\nFOO { }")];
    assert!(codes(&files, "materials/a.mtr").is_empty());
    let (code, line, message) = found(&files, "materials/b.mtr").remove(0);
    assert_eq!((code.as_str(), line), ("DECL002", 2));
    assert!(message.ends_with("a.mtr:1:1 already, which counts"), "{message}");
}

#[test]
fn material_codes() {
    let of = |text: &str| one(&[("materials/x.mtr", text)], "materials/x.mtr");
    let (code, line, message) = found(&[("materials/x.mtr", "a {\n nosuchword }")], "materials/x.mtr").remove(0);
    assert_eq!((code.as_str(), line), ("MTR001", 2));
    assert_eq!(message, "'nosuchword' is not a keyword of a material; the engine ignores the material 'a'");
    assert_eq!(of("a { { blend add } }"), at("MTR002", 1));
    assert_eq!(of("a {\n diffusemap textures/none }"), at("MTR003", 2));
    let rotates = format!("{TABLES}a {{ {{ map _white rotate time }} }}");
    assert!(codes(&[("materials/x.mtr", &rotates)], "materials/x.mtr").is_empty());
    assert_eq!(of("a { { map _white-b } }"), at("MTR006", 1));
    assert_eq!(of("a { { map textures/b-c.tga } }"), at("MTR006", 1));
    assert_eq!(of("a { diffusemap textures/b-1.tga }"), at("MTR006", 1));
    assert_eq!(of("a { {\n blend diffusemapp\n map _white } }"), at("MTR001", 2));
    assert_eq!(of("a { {\n map _white\n rotate time } }"), at("MTR005", 3));
    assert_eq!(of("a { { map addnormals( _white _flat ) } }").0, "IMG001");
    assert_eq!(of("a { sort soon }"), at("MTR007", 1));
    assert!(codes(&[("materials/x.mtr", "a { sort \"-2\" }")], "materials/x.mtr").is_empty());
    assert_eq!(of("a { bumpmap heightmap( _white 4 ) twoSided }").0, "IMG001");
    assert_eq!(of("a { diffusemap scale( _white, 2, 1, 1, 1 ) }").0, "IMG005");
    // An image of 3 by 4 texels: the header of a TGA file.
    let mut tga = vec![0_u8; 18 + 36];
    (tga[2], tga[12], tga[14], tga[16]) = (2, 3, 4, 24);
    let tga = String::from_utf8(tga).unwrap();
    let files = [("materials/x.mtr", "a { { map b } }"), ("b.tga", &tga)];
    assert_eq!(one(&files, "materials/x.mtr"), at("MTR004", 1));
}

/// By the engines' loaders: dhewm3's has no PNG, The Dark Mod's only by its extension.
#[test]
fn images_in_formats_that_an_engine_does_not_read() {
    let engines = |name: &str, files: &[&str]| -> Vec<&'static str> {
        let root = tempfile::tempdir().unwrap();
        for file in files.iter().chain(&["materials/x.mtr"]) {
            fs::create_dir_all(root.path().join(file).parent().unwrap()).unwrap();
            // A texel of a TGA file, or the material.
            let tga = [&[0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0][..], &[0; 3]].concat();
            let material = format!("a {{ diffusemap {name} }}").into_bytes();
            fs::write(root.path().join(file), if file.ends_with(".tga") { tga } else { material }).unwrap();
        }
        let game = Decls::read(Arc::new(Vfs::open(root.path(), &[]).unwrap()), &Default::default());
        let path = root.path().join("materials/x.mtr");
        let input = Input { bytes: Ok(fs::read(&path).unwrap()), path };
        let findings = check_in(vec![input], &Options::default(), Some(&game)).files.remove(0).findings;
        assert!(findings.iter().all(|finding| finding.code.id == "MTR012"), "{findings:?}");
        let only = findings.into_iter().flat_map(|finding| finding.only.unwrap_or_default());
        only.map(|profile| profile.name).collect()
    };
    assert_eq!(engines("t/a", &["t/a.png"]), ["doom3", "tdm", "quake4"]);
    assert_eq!(engines("t/a.tga", &["t/a.png"]), ["doom3", "tdm", "quake4"]);
    assert_eq!(engines("t/a.png", &["t/a.png"]), ["doom3", "quake4"]);
    assert_eq!(engines("t/a.bmp", &["t/a.bmp"]), ["rbdoom3bfg"]);
    assert_eq!(engines("t/a", &["t/a.png", "t/a.jpg"]), [""; 0]);
    assert_eq!(engines("t/a", &["t/a.png", "dds/t/a.dds"]), [""; 0]);
    assert_eq!(engines("t/a", &["t/a.tga"]), [""; 0]);
}

/// By dhewm3's LoadTGA.
#[test]
fn images_at_which_an_engine_stops() {
    // 2 by 1 texels of 24 bits.
    let mut tga = vec![0_u8; 18 + 6];
    (tga[2], tga[12], tga[14], tga[16]) = (2, 2, 1, 24);
    let changed = |at: usize, to: u8| {
        let mut tga = tga.clone();
        tga[at] = to;
        tga
    };
    let wrong = [
        (changed(12, 4), "incomplete file"),
        (changed(2, 9), "Only type 2 (RGB), 3 (gray), and 10 (RGB) TGA images supported"),
        (changed(1, 1), "colormaps not supported"),
        (changed(16, 16), "Only 32 or 24 bit images supported (no colormaps)"),
        (Vec::new(), "the file ends in its header"),
    ];
    let of = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        found(&[("materials/x.mtr", "a { diffusemap b }"), ("b.tga", &text)], "materials/x.mtr")
    };
    assert_eq!(of(&tga), []);
    for (bytes, words) in wrong {
        assert_eq!(of(&bytes), [("MTR014".to_owned(), 1, format!("the engine stops at 'b': {words}"))]);
    }
}

#[test]
fn a_slip_in_a_material_is_one_finding() {
    let tables = "table sinTable { { 0, 1 } }\n";
    for (text, code, line, message) in [
        ("a {\n bumpmap heightmp( _white, 4 )\n}", "MTR001", 3, "'heightmp' is not an image program"),
        ("a {\n bumpmap heightmap( _white 4 )\n diffusemap _white\n}", "IMG001", 3, "expected ','"),
        ("a {\n bumpmap heightmap( _white, 4\n diffusemap _white\n}", "IMG001", 3, "expected ')'"),
        ("a { {\n map _white\n rgb sinTabel[ time ]\n} }", "MTR001", 4, "'sintabel' is not a term"),
        ("a { {\n map _white\n rgb sinTable[ time\n} }", "MTR001", 4, "expected ']'"),
        ("a {\n<<<<<<< HEAD\n twoSided\n=======\n>>>>>>> b\n}", "MTR001", 3, "'<<'"),
    ] {
        let found = found(&[("materials/x.mtr", &format!("{tables}{text}"))], "materials/x.mtr");
        let [(found, at, says)] = &found[..] else { panic!("{text}: {found:?}") };
        assert_eq!((found.as_str(), *at), (code, line), "{text}: {says}");
        assert!(says.starts_with(message), "{says}");
    }
    let model = "model m {\n msh models/imp.md5mesh\n channel legs ( origin )\n anim idle models/a.md5anim\n}";
    assert_eq!(one(&[("def/x.def", model)], "def/x.def"), at("DEF001", 2));
}

#[test]
fn names_in_an_unclosed_block_are_not_missing_elsewhere() {
    let skin = ("skins/x.skin", "skin s { models/test shiny }");
    let of = |material: &str| codes(&[("materials/x.mtr", material), skin], "skins/x.skin");
    assert_eq!(of("dull { twoSided }"), [at("MTR011", 1)]);
    assert_eq!(of("dull { twoSided\nshiny { twoSided }"), []);
    assert_eq!(of("dull { twoSided }\n/* shiny { twoSided }"), []);
    assert_eq!(of("dull { twoSided\nmatt { twoSided }"), [at("MTR011", 1)]);
}

#[test]
fn decl_files_of_other_content_are_named() {
    for (content, words) in [("version https://git-lfs", "a pointer of Git LFS"), ("<!DOCTYPE html>", "a web page")] {
        let found = found(&[("materials/x.mtr", content)], "materials/x.mtr");
        assert!(matches!(&found[..], [(code, 1, says)] if code == "DECL001" && says.contains(words)), "{found:?}");
    }
}

/// A flat normal is the texel (128, 128, 255), which TGA stores from blue to red.
#[test]
fn entities_name_their_ragdolls() {
    let of = |ragdoll: &str, anim: &str| {
        let def = format!(
            "model m {{ mesh models/imp.md5mesh anim {anim} models/a.md5anim }}\n\
             entityDef e {{ \"model\" \"m\"\n\"ragdoll\" \"{ragdoll}\" }}"
        );
        codes(&[("def/x.def", &def), ("af/x.af", "f { settings { model \"\" } }")], "def/x.def")
    };
    assert_eq!(of("f", "af_pose"), []);
    assert_eq!(of("g", "af_pose"), [at("DEF028", 3)]);
    assert_eq!(of("f", "idle"), [at("DEF029", 3)]);
}

#[test]
fn each_fault_of_a_decl_has_its_own_message() {
    let found = found(
        &[("materials/x.mtr", "a { lost }\nb { gone }\nc { diffusemap one specularmap two }")],
        "materials/x.mtr",
    );
    let told: Vec<_> = found.iter().map(|(code, line, message)| (&**code, *line, &**message)).collect();
    let expected = [
        ("MTR001", 1, "'lost' is not a keyword of a material; the engine ignores the material 'a'"),
        ("MTR001", 2, "'gone' is not a keyword of a material; the engine ignores the material 'b'"),
        ("MTR003", 3, "no image is found for 'one'"),
        ("MTR003", 3, "no image is found for 'two'"),
    ];
    assert_eq!(told, expected);
}

/// The lines as dhewm3's sources print them.
#[test]
fn faults_have_the_engines_own_lines() {
    let of = |name: &str, text: &str| -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in [("models/imp.md5mesh", MESH), ("models/a.md5anim", ANIM), (name, text)] {
            let file = root.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let game = Decls::read(Arc::new(Vfs::open(root.path(), &[]).unwrap()), &Default::default());
        let path = root.path().join(name);
        let input = Input { bytes: Ok(fs::read(&path).unwrap()), path };
        let report = check_in(vec![input], &Options::default(), Some(&game));
        let doom3 = bindpose::validate::profiles::PROFILES.iter().find(|profile| profile.name == "doom3").unwrap();
        let words: Vec<_> =
            report.files[0].findings.iter().filter_map(|finding| finding.words_of(doom3, name)).collect();
        // `explain` knows each of them.
        for words in &words {
            let known = bindpose::validate::docs::messages_with(words);
            assert!(known.iter().any(|message| !message.codes.is_empty()), "{words}");
        }
        words
    };
    let material = |text: &str| of("materials/x.mtr", text);
    assert_eq!(material("a { { blend nosuch\n map _white } }"), ["unknown blend mode 'nosuch' in material 'a'"]);
    assert_eq!(material("a { { map _white nosuch } }"), ["unknown token 'nosuch' in material 'a'"]);
    assert_eq!(material("a { diffusemap \"b-c\" }"), ["unknown token '-' in material 'a'"]);
    assert!(material("a { { map \"b-c\" } }").is_empty());
    assert_eq!(material("a { deform nosuch }"), ["Bad deform type 'nosuch'"]);
    assert!(material("\"material\" a { }").is_empty());
    assert_eq!(material("table t { 1, 0 }"), ["unknown token '1'"]);
    assert_eq!(material("table t { { 1 0 } }"), ["expected comma or brace"]);
    assert_eq!(material("table t { { 1, x } }"), ["expected float value, found 'x'"]);
    let def = |text: &str| of("def/x.def", text);
    let model = |text: &str| def(&format!("model m {{ mesh models/imp.md5mesh\n{text} }}"));
    assert_eq!(model("channel all ( bone )"), ["Unknown channel 'all'"]);
    assert_eq!(model("channel legs ( bone ) channel head ( bone )"), ["Joint 'bone' assigned to multiple channels"]);
    assert_eq!(model("anim run models/a.md5anim {\n frame 1 step }"), ["Unknown command 'step'"]);
    assert_eq!(model("inherit nobody"), ["Unknown model definition 'nobody'"]);
    assert_eq!(def("entityDef e { \"inherit\" \"f\" }"), ["Unknown entityDef 'f' inherited by 'e'"]);
    assert_eq!(def("entityDef e { model \"m\" }"), ["Expected quoted string, but found 'model'"]);
    assert_eq!(def("model m { mesh models/none.md5mesh }"), ["Model 'models/none.md5mesh' defaulted"]);
    // An entity without its model gets the default one, without a word.
    assert!(def("entityDef e { \"model\" \"none\" }").is_empty());
    assert!(def("entityDef e { \"model\" \"models/none.md5mesh\" }").is_empty());
    let entity =
        |keys: &str| def(&format!("model m {{ mesh models/imp.md5mesh }} entityDef e {{ \"model\" \"m\" {keys} }}"));
    let animated = "\"spawnclass\" \"idAnimated\" \"anim\" \"walk\"";
    assert_eq!(entity(animated), ["idAnimated '…' at (…): cannot find anim 'walk'"]);
    // Other classes read no such key.
    assert!(entity("\"anim\" \"walk\"").is_empty());
    // Only the model's anim has this name.
    assert!(entity("\"ik_pose\" \"walk\"").is_empty());
}

/// Case M31: quotes around an image's name do not work.
#[test]
fn a_quoted_image_name_is_read_again_without_its_quotes() {
    let files = [("materials/x.mtr", "a { { map \"b-c.tga\" } }\nb { diffusemap \"b-c\" }"), ("b-c.tga", "x")];
    let told: Vec<_> = found(&files, "materials/x.mtr").into_iter().map(|(code, line, _)| (code, line)).collect();
    assert_eq!(told, [at("MTR006", 1), at("MTR006", 2)]);
}

#[test]
fn a_program_with_a_compressed_image_needs_no_images() {
    let material = ("materials/x.mtr", "a { bumpmap heightmap( lost.tga, 4 ) }");
    assert_eq!(one(&[material], "materials/x.mtr"), at("MTR003", 1));
    assert_eq!(codes(&[material, ("dds/heightmap/lost 4.dds", "x")], "materials/x.mtr"), []);
}

#[test]
fn shader_codes() {
    let of = |files: &[(&str, &str)]| {
        let mut codes = codes(files, "models/imp.md5mesh");
        codes.retain(|(code, _)| code.starts_with("MTR") || code.starts_with("TEX"));
        codes
    };
    assert_eq!(of(&[("materials/x.mtr", "models/test { }")]), []);
    assert_eq!(of(&[("materials/x.mtr", "other { }"), ("models/test.tga", "x")]), [at("MTR010", 14)]);
    // Case M24.
    assert_eq!(of(&[("materials/x.mtr", "other { }")]), [at("MTR011", 14)]);
    // A path on disk ends in the name of a material.
    let disk = MESH.replace("models/test", "C:\\my game\\base\\models\\v\\v.tga");
    let files = [("materials/x.mtr", "v/v { } models/v/v { }"), ("models/imp.md5mesh", &*disk)];
    assert_eq!(notes(&files, "models/imp.md5mesh").last().unwrap(), "did you mean 'models/v/v'?");
    // A tree without materials is judged as before.
    assert_eq!(of(&[]), [at("TEX001", 14)]);
}

#[test]
fn skin_codes() {
    let of = |text: &str| one(&[("skins/x.skin", text)], "skins/x.skin").0;
    assert_eq!(of("skin s { a b a c }"), "SKN001");
    assert_eq!(of("skin s { model models/imp.md5mesh other b }"), "SKN002");
    assert_eq!(of("skin s { a }"), "SKN003");
    assert_eq!(of("skin s { a -b c d e }"), "DECL003");
    let material = ("materials/x.mtr", "shiny { }");
    let in_game = |text: &str| codes(&[material, ("skins/x.skin", text)], "skins/x.skin");
    assert_eq!(in_game("skin s { a shiny }"), []);
    assert_eq!(in_game("skin s { a\nshyny }"), [at("MTR011", 2)]);
    assert_eq!(of("head,models/head\nbody,models/body\n"), "SKN004");
    assert!(codes(&[("skins/x.skin", "skin s { model models/imp.md5mesh models/test b }")], "skins/x.skin").is_empty());
}

#[test]
fn model_and_entity_codes() {
    let all = |text: &str| codes(&[("def/x.def", text)], "def/x.def");
    let of = |text: &str| one(&[("def/x.def", &format!("model m {{ mesh models/imp.md5mesh\n{text} }}"))], "def/x.def");
    assert_eq!(of("Anim walk models/a.md5anim"), at("DEF001", 2));
    let walk = "anim walk models/a.md5anim";
    // Case A12; the clip has three frames.
    assert_eq!(of(&format!("{walk} {{\n frame 4 footstep\n }}")), at("DEF002", 3));
    assert_eq!(of(&format!("{walk} {{\n frame 0 footstep\n }}")), at("DEF002", 3));
    assert_eq!(all(&format!("model m {{ mesh models/imp.md5mesh {walk} {{\n frame 3 footstep\n }} }}")), []);
    assert_eq!(of("anim walk models/none.md5anim"), at("DEF003", 2));
    assert_eq!(of("channel torso ( *bone nobody )"), at("DEF005", 2));
    let with = |command: &str| format!("{walk} {{\n frame 1 {command}\n }}");
    for command in
        ["muzzle_flash nobody", "create_missile \"\"", "fire_missile_at_target nobody m", "start_emitter e nobody p"]
    {
        assert_eq!(of(&with(command)), at("DEF017", 3), "{command}");
    }
    for command in ["muzzle_flash \"\"", "launch_missile BONE", "start_emitter e bone p", "skin none", "melee hit"] {
        let text = format!("model m {{ mesh models/imp.md5mesh\n {} }} entityDef hit {{ }}", with(command));
        assert_eq!(all(&text), [], "{command}");
    }
    for command in ["melee none", "direct_damage none", "attack_begin none", "launch_projectile none"] {
        assert_eq!(of(&with(command)), at("DEF018", 3), "{command}");
    }
    for event in ["no_such_event", "allowmovement", "setSkin"] {
        assert_eq!(of(&with(&format!("event {event}"))), at("DEF023", 3), "{event}");
    }
    assert_eq!(all(&format!("model m {{ mesh models/imp.md5mesh {} }}", with("event allowDamage"))), []);
    assert_eq!(of(&with("skin nobody")), at("DEF011", 3));
    assert_eq!(of(&format!("{walk} {walk}")), at("DEF006", 2));
    assert_eq!(of(&format!("{walk} {{\n frame 1.5 footstep\n }}")), at("DEF007", 3));
    assert_eq!(all("model m { mesh models/none.md5mesh }"), [at("DEF008", 1)]);
    assert_eq!(all("entityDef e { model \"m\" }"), [at("DEF009", 1)]);
    assert_eq!(all("entityDef e { \"a\" \"1\" \"A\" \"2\" }"), [at("DEF010", 1)]);
    assert_eq!(of("skin nobody"), at("DEF011", 2));
    // Case A11: a joint that is removed again is in only one channel.
    assert_eq!(of("channel torso ( *origin )\nchannel legs ( BONE )"), at("DEF016", 3));
    assert_eq!(all("model m { mesh models/imp.md5mesh channel torso ( *origin -bone ) channel legs ( bone ) }"), []);
    // A channel that is declared again loses its joints, unless a mesh of its own frees them.
    assert_eq!(of("channel torso ( origin )\nchannel Torso ( bone )"), at("DEF016", 3));
    let torso = "model p { mesh models/imp.md5mesh channel torso ( *origin ) } model m { inherit p\n";
    assert_eq!(all(&format!("{torso} channel legs ( bone ) }}")), [at("DEF016", 2)]);
    assert_eq!(all(&format!("{torso} mesh models/imp.md5mesh channel torso ( bone ) }}")), []);
    // Case A05, and a name that no inherited anim has.
    let parent =
        format!("model p {{ mesh models/imp.md5mesh {walk} anim run2 models/a.md5anim }} model m {{ inherit p\n");
    assert_eq!(all(&format!("{parent} remove run remove walk }}")), []);
    assert_eq!(all(&format!("{parent} remove idle }}")), [at("DEF001", 2)]);
    // Cases A20 and E04, and names that are not found.
    for (text, code) in [
        ("entityDef e { \"inherit\" \"f\" } entityDef f { \"inherit\" \"e\" }", "DEF014"),
        ("model e { inherit f } model f { inherit e }", "DEF014"),
    ] {
        assert_eq!(all(text), [at(code, 1), at(code, 1)]);
    }
    // An inherited anim may be declared repeatedly, others may not.
    assert_eq!(all(&format!("{parent} {walk} {walk} }}")), []);
    assert_eq!(all(&format!("{parent} anim new models/a.md5anim anim new models/a.md5anim }}")), [at("DEF006", 2)]);
    // A decl that inherits from an ignored decl is ignored too.
    let ignored = "model p { mesh models/imp.md5mesh wrong }\nmodel m { inherit p }";
    assert_eq!(all(ignored), [at("DEF001", 1), at("DEF013", 2)]);
    // The same holds for one that is ignored for what it names, and down the line.
    let unnamed = "model p { mesh models/imp.md5mesh anim walk models/none.md5anim }\nmodel m { inherit p }\nmodel n { inherit m }";
    assert_eq!(all(unnamed), [at("DEF003", 1), at("DEF013", 2), at("DEF013", 3)]);
    assert_eq!(all("entityDef e { \"inherit\" \"nobody\" }"), [at("DEF013", 1)]);
    assert_eq!(of("inherit nobody"), at("DEF013", 2));
    let imp = "model imp { mesh models/imp.md5mesh } entityDef e";
    assert_eq!(all(&format!("{imp} {{ \"model\" \"IMP\" \"def_head\" \"models/imp.md5mesh\" }}")), []);
    assert_eq!(
        all(&format!("{imp} {{ \"model\" \"imo\"\n\"def_head\" \"head\" }}")),
        [at("DEF015", 1), at("DEF015", 2)]
    );
    assert_eq!(all(&format!("{imp} {{ \"model\" \"models/none.md5mesh\" }}")), [at("DEF008", 1)]);
    assert_eq!(all(&format!("{imp} {{ \"model\" \"models/crate.lwo\" }}")), []);
    // Keys that name parts of the model.
    let walks = format!("model imp {{ mesh models/imp.md5mesh {walk} }} entityDef e {{ \"model\" \"imp\"\n");
    assert_eq!(all(&format!("{walks} \"head_joint\" \"BONE\" \"bone_focus\" \"bone\" \"anim\" \"walk\" }}")), []);
    // The engine looks for the head's joint only if there is a head.
    assert_eq!(all(&format!("{walks} \"head_joint\" \"horn\" }}")), []);
    assert_eq!(all(&format!("{walks} \"head_joint\" \"horn\" \"def_head\" \"imp\" }}")), [at("DEF019", 2)]);
    assert_eq!(all(&format!("{walks} \"bone_hips\" \"horn\" }}")), [at("DEF019", 2)]);
    assert_eq!(all(&format!("{walks} \"bone_focus\" \"horn\" }}")), [at("DEF030", 2)]);
    let head = format!("model h {{ mesh models/head.md5mesh }} {walks} \"def_head\" \"h\"");
    let with_head = |keys: &str| {
        let mesh = MESH.replace("bone", "horn");
        codes(&[("def/x.def", &format!("{head} {keys} }}")), ("models/head.md5mesh", &mesh)], "def/x.def")
    };
    assert_eq!(with_head("\"bone_focus\" \"horn\" \"bone_orientation\" \"bone\""), []);
    assert_eq!(with_head("\"bone_focus\" \"bone\""), [at("DEF030", 2)]);
    assert_eq!(all(&format!("{walks} \"ik_numLegs\" \"2\" }}")), [at("DEF020", 2)]);
    assert_eq!(all(&format!("{walks} \"skin\" \"none_such\" }}")), [at("DEF011", 2)]);
    let skin = "skin red { a b } model m { mesh models/imp.md5mesh skin red }";
    assert_eq!(all(skin), []);
    // Case A02.
    let longer = ANIM.replace("frameRate 24", "frameRate 12");
    let files = [
        ("def/x.def", "model m { mesh models/imp.md5mesh anim walk models/a.md5anim, models/b.md5anim }"),
        ("models/b.md5anim", &longer),
    ];
    let (code, _, message) = found(&files, "def/x.def").remove(0);
    // Two steps at 24 and at 12 frames per second, in milliseconds, rounded up.
    assert_eq!((code.as_str(), message.contains("167 ms") && message.contains("84 ms")), ("DEF004", true), "{message}");
}

/// Case A16, in the order in which the engine compares: number of joints, their names, their parents.
#[test]
fn an_anim_of_another_skeleton_is_reported() {
    let def = ("def/x.def", "model m {\n mesh models/imp.md5mesh\n anim walk models/b.md5anim }");
    let of = |anim: &str| {
        let found = found(&[def, ("models/b.md5anim", anim)], "def/x.def");
        found.into_iter().map(|(code, line, message)| (format!("{code} {line}"), message)).collect::<Vec<_>>()
    };
    let at = |message: &str| vec![("DEF012 3".to_owned(), message.to_owned())];
    assert_eq!(of(ANIM), []);
    let name = "joint 1 is 'bone' in the mesh and 'Bone' in 'models/b.md5anim'";
    assert_eq!(of(&ANIM.replace("\"bone\"", "\"Bone\"")), at(name));
    let parent = "joint 1, 'bone', has the parent 0 in the mesh and -1 in 'models/b.md5anim'";
    assert_eq!(of(&ANIM.replace("\"bone\"\t0", "\"bone\"\t-1")), at(parent));
    let one = MESH_OF_ONE_JOINT;
    let found = found(&[def, ("models/imp.md5mesh", one), ("models/b.md5anim", ANIM)], "def/x.def");
    assert_eq!(found[0].2, "the mesh has 1 joint and 'models/b.md5anim' 2");
}

const MESH_OF_ONE_JOINT: &str =
    "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 0\njoints {\n\t\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n";

/// Daemon uses the lines of a skin in order, and ignores the names of the surfaces.
#[test]
fn quake_3s_skins_are_checked_against_mesh_and_scripts() {
    let of = |skin: &str, script: &str| {
        let files = [("models/imp_default.skin", skin), ("scripts/x.shader", script), ("models/bare.tga", "x")];
        let mut codes = codes(&files, "models/imp_default.skin");
        assert_eq!(codes.remove(0), at("SKN004", 1));
        codes
    };
    let script = "models/shell { { map x.tga } }";
    assert_eq!(of("7, Models/Shell\n", script), []);
    assert_eq!(of("0,models/bare\n1,models/shell.tga\n", script), [], "more lines than surfaces are right");
    assert_eq!(of("0,models/shell\n\n1, lost // gone\n", script), [at("SKN007", 3)]);
    assert_eq!(of("tag_head,\n", script), [at("SKN006", 1)]);
    // Without a script, the surface is unknown.
    let files = [("models/imp_default.skin", "0,lost")];
    assert_eq!(codes(&files, "models/imp_default.skin"), [at("SKN004", 1)]);
}

#[test]
fn an_unnamed_clip_is_reported_if_a_decl_names_others() {
    let def = ("def/x.def", "model m { mesh models/imp.md5mesh anim walk Models/a.md5anim }");
    let of = |files: &[(&str, &str)], path| {
        codes(files, path)
            .iter()
            .filter(|(code, _)| code.starts_with("DEF"))
            .map(|(code, _)| code.clone())
            .collect::<Vec<_>>()
    };
    let files = [def, ("models/b.md5anim", ANIM), ("models/other/b.md5anim", ANIM)];
    assert_eq!(of(&files, "models/b.md5anim"), ["DEF022"]);
    assert!(of(&files, "models/a.md5anim").is_empty() && of(&files, "models/other/b.md5anim").is_empty());
}

#[test]
fn a_channel_on_joints_out_of_order_is_reported() {
    // "b" is below "a", but comes after "c".
    let joints = "numJoints 4\nnumMeshes 0\njoints {\n\"o\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"a\" 0 ( 0 0 0 ) ( 0 0 0 )\n\"c\" 0 ( 0 0 0 ) ( 0 0 0 )\n\"b\" 1 ( 0 0 0 ) ( 0 0 0 )\n}\n";
    let mesh = format!("MD5Version 10\ncommandline \"\"\n{joints}");
    let files =
        [("def/x.def", "model m { mesh models/x.md5mesh channel torso ( *a ) }"), ("models/x.md5mesh", mesh.as_str())];
    assert_eq!(one(&files, "def/x.def"), at("DEF021", 1));
}

#[test]
fn archives_are_checked_by_their_index() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("pak000.pk4");
    fs::write(&path, "PK, and then nothing").unwrap();
    let report = check_in(vec![Input { path, bytes: Ok(Vec::new()) }], &Options::default(), None);
    let codes: Vec<&str> = report.files[0].findings.iter().map(|finding| finding.code.id).collect();
    assert_eq!(codes, ["PAK004"]);
}

#[test]
fn typing_errors_have_suggestions() {
    let root = tempfile::tempdir().unwrap();
    let texts = [
        ("models/imp.md5mesh", MESH),
        ("textures/stone.tga", "x"),
        (
            "materials/x.mtr",
            "a { difusemap textures/stone }\nb { { map textures/ston } }\nc { { mpa _white } } d { { map txtures/stone } }",
        ),
        (
            "def/x.def",
            "model m { mesh models/imp.md5mesh channel legs ( bne ) anim walk models/a.md5anim {\n frame 1 fotstep\n } }
            model n { mesh models/ipm.md5mesh skin rde } skin red { a b }",
        ),
        ("models/a.md5anim", ANIM),
    ];
    for (name, text) in texts {
        let file = root.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let game = Decls::read(Arc::new(Vfs::open(root.path(), &[]).unwrap()), &Default::default());
    let mut notes = Vec::new();
    for name in ["materials/x.mtr", "def/x.def"] {
        let path = root.path().join(name);
        let input = Input { bytes: Ok(fs::read(&path).unwrap()), path };
        let report = check_in(vec![input], &Options::default(), Some(&game));
        notes.extend(report.files[0].findings.iter().flat_map(|finding| finding.notes.clone()));
    }
    for meant in ["diffusemap", "textures/stone", "map", "footstep", "bone", "models/imp.md5mesh", "red"] {
        assert!(notes.contains(&format!("did you mean '{meant}'?")), "{meant}: {notes:?}");
    }
    assert_eq!(notes.iter().filter(|note| note.contains("textures/stone")).count(), 2, "the file and the folder");
}
