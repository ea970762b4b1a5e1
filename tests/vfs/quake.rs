//! Quake's search path: files of one model in several archives and folders of a game and its mod.
//!
//! The trees are those of reports on replacements of models (vkQuake #840, Ironwail #166 and #252, Quakespasm #101).

use super::command::{pak, run};
use bindpose::budget::Budget;
use bindpose::engines::Engine;
use bindpose::images::Palette;
use bindpose::load::{LoadOptions, load};
use bindpose::vfs::{Vfs, folders_of};
use std::fs;

const MESH: &str = include_str!("../cases/md5/base.md5mesh");
const ANIM: &[u8] = include_bytes!("../cases/md5/base.md5anim");
const NAMES: [&str; 4] = ["progs/knight.md5mesh", "progs/knight.md5anim", "progs/knight.mdl", "progs/knight_00_00.png"];

/// Returns a model's file by its name in [`NAMES`]. The `.mdl` has a skin and five frames, the clip has three.
pub fn file(name: &str) -> Vec<u8> {
    match name.rsplit_once('.').unwrap().1 {
        "md5mesh" => MESH.replace("models/test", "knight").into_bytes(),
        "md5anim" => ANIM.to_vec(),
        "mdl" => {
            let mut header = [0_u32; 21];
            (header[0], header[1], header[12], header[17]) = (u32::from_le_bytes(*b"IDPO"), 6, 1, 5);
            header.map(u32::to_le_bytes).concat()
        }
        _ => Vec::new(),
    }
}

/// A folder or a pak, and indices of its files into [`NAMES`].
type Place<'p> = (&'p str, &'p [usize]);

/// Creates a tree.
fn tree(places: &[Place]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (place, names) in places {
        let path = root.path().join(place);
        let names: Vec<&str> = names.iter().map(|&name| NAMES[name]).collect();
        if place.ends_with(".pak") {
            let files: Vec<_> = names.iter().map(|name| (*name, file(name))).collect();
            let files: Vec<_> = files.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, pak(&files)).unwrap();
            continue;
        }
        fs::create_dir_all(path.join("progs")).unwrap();
        names.iter().for_each(|name| fs::write(path.join(name), file(name)).unwrap());
    }
    root
}

/// Returns the findings with some codes, one a line.
fn findings(root: &tempfile::TempDir, codes: &str, arguments: &[&str]) -> String {
    let (code, out, err) =
        run(root.path(), &[&["validate", "--format", "short", "-vv", "--only", codes], arguments].concat());
    assert_ne!(code, Some(2), "{err}");
    out
}

#[test]
fn skins_lie_anywhere_in_the_meshs_game() {
    let cases: [(&[Place], &str, &str); 2] = [
        (&[("id1/pak0.pak", &[2, 3]), ("id1/pak1.pak", &[0, 1])], "id1/pak1.pak", "id1/pak0.pak"),
        (&[("id1/pak0.pak", &[0, 1, 2]), ("id1", &[3])], "id1/pak0.pak", "id1"),
    ];
    for (places, mesh, skin) in cases {
        let root = tree(places);
        let mesh = format!("{mesh}:progs/knight.md5mesh");
        for arguments in [&["--base", "id1", "progs/knight.md5mesh"][..], &[&mesh], &["id1"]] {
            assert_eq!(findings(&root, "TEX,MD5P006", arguments), "", "{arguments:?}");
        }
        let skin = if skin.ends_with(".pak") { format!("{skin}:{}", NAMES[3]) } else { format!("{skin}/{}", NAMES[3]) };
        let (_, out, err) = run(root.path(), &["info", "--base", "id1", "progs/knight.md5mesh"]);
        assert!(out.contains(&skin), "{out}{err}");
        // Every image search uses these folders.
        let loaded = load(&[root.path().join(&mesh)], &LoadOptions::default()).unwrap();
        let folders = |path: &std::path::PathBuf| path.strip_prefix(root.path()).unwrap().to_owned();
        let folders: Vec<_> = loaded.directories.iter().map(folders).collect();
        assert!(folders.contains(&skin.strip_suffix("/knight_00_00.png").unwrap().into()), "{folders:?}");
    }
}

#[test]
fn vkquake_takes_no_skin_from_below_the_meshs_game() {
    let root = tree(&[("id1", &[2, 3]), ("mod", &[0, 1, 2])]);
    let of = |profiles| {
        findings(&root, "TEX", &["--base", "id1", "--game", "mod", "--profile", profiles, "progs/knight.md5mesh"])
    };
    let expected = "TEX001]: 'knight' is found only below the mesh's own game: id1/progs/knight_00_00.png";
    assert!(of("vkquake").contains(&format!("warning[{expected}")), "{}", of("vkquake"));
    assert!(of("ironwail,qss,fteqw").contains(&format!("hint[{expected}")), "{}", of("ironwail,qss,fteqw"));
}

#[test]
fn frames_are_those_of_the_mdl_in_any_pak() {
    let root = tree(&[("id1/pak0.pak", &[2, 3]), ("id1/pak2.pak", &[0, 1])]);
    for arguments in [&["id1"][..], &["--base", "id1", "progs/knight.md5mesh", "progs/knight.md5anim"]] {
        let found = findings(&root, "MD5P005", arguments);
        assert!(found.contains("the clip has 3 frames, but knight.mdl has 5"), "{arguments:?}: {found}");
    }
}

#[test]
fn a_loose_file_below_a_pak_is_not_taken() {
    let root = tree(&[("id1/pak0.pak", &[0, 1, 2, 3]), ("id1", &[0, 1, 2])]);
    for arguments in [&["id1/progs/knight.md5mesh"][..], &["id1"]] {
        let found = findings(&root, "PAK005", arguments);
        let expected = "id1/progs/knight.md5mesh:1:1: info[PAK005]: the game takes id1/pak0.pak:progs/knight.md5mesh";
        assert!(found.contains(expected), "{arguments:?}: {found}");
    }
    let alone = tree(&[("id1/pak0.pak", &[3]), ("id1", &[0, 1, 2])]);
    assert_eq!(findings(&alone, "PAK005", &["id1"]), "");
}

/// vkQuake and Ironwail read paks first, QSS-M and FTEQW loose files (case R07: a pak and a folder of one game).
#[test]
fn each_engine_takes_files_in_its_own_order() {
    let root = tree(&[("id1/pak0.pak", &[0, 1, 2, 3]), ("id1", &[0, 1])]);
    let (loose, packed) = ("id1/progs/knight.md5mesh", "id1/pak0.pak:progs/knight.md5mesh");
    let of = |profile: &[&str], path| findings(&root, "PAK005", &[&["--profile"], profile, &[path]].concat());
    let hidden = format!("{loose}:1:1: info[PAK005]: the game takes {packed} instead, QSS-M and FTEQW this one\n");
    assert_eq!(of(&["vkquake"], loose), hidden);
    assert_eq!(of(&["vkquake"], packed), format!("{packed}:1:1: info[PAK005]: QSS-M and FTEQW take {loose} instead\n"));
    // The archive's other files are checked, but not the one that these engines do not take.
    let whole = of(&["qss,fteqw"], "id1/pak0.pak");
    assert!(!whole.contains(&format!("{packed}:1:1")), "{whole}");
    for (engine, taken) in [("ironwail", packed), ("fteqw", loose)] {
        let (_, out, _) = run(root.path(), &["ls", "--json", "--profile", engine, "id1"]);
        let listed: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
        let mesh = listed.iter().find(|file| file["name"] == NAMES[0]).unwrap();
        let hidden = if taken == packed { loose } else { packed };
        assert_eq!((&mesh["path"], &mesh["shadows"]), (&taken.into(), &[hidden].into()), "{engine}");
    }
    // What belongs to a file is found in the same order.
    for (engine, taken) in [("ironwail", "pak0.pak:progs"), ("fteqw", "id1/progs")] {
        let mut options = LoadOptions::with_clips();
        options.playback.engine = Some(Engine::find(engine).unwrap());
        let game = Vfs::open(&root.path().join("id1"), &[]).unwrap();
        for files in [None, Some(game.into())] {
            options.game.files = files;
            let loaded = load(&[root.path().join(packed)], &options).unwrap();
            let clip = loaded.files().nth(1).unwrap().to_string_lossy().replace('\\', "/");
            assert!(clip.ends_with(&format!("{taken}/knight.md5anim")), "{engine}: {clip}");
        }
    }
}

/// vkQuake and Ironwail read no pak after a missing number.
#[test]
fn a_pak_after_a_missing_one_hides_a_file_from_other_engines() {
    let root = tree(&[("id1/pak0.pak", &[0, 1, 2, 3]), ("id1/pak2.pak", &[0, 1])]);
    let [first, last] = [0, 2].map(|number| format!("id1/pak{number}.pak:progs/knight.md5mesh"));
    let said = |path: &str| findings(&root, "PAK005", &[path]);
    let hidden = format!("{first}:1:1: info[PAK005]: the game takes {last} instead, vkQuake and Ironwail this one\n");
    assert_eq!(said(&first), hidden);
    assert_eq!(said(&last), format!("{last}:1:1: info[PAK005]: vkQuake and Ironwail take {first} instead\n"));
    let sequence = tree(&[("id1/pak0.pak", &[0, 1, 2, 3]), ("id1/pak1.pak", &[0, 1])]);
    let [first, last] = [0, 1].map(|number| format!("id1/pak{number}.pak:progs/knight.md5mesh"));
    let hidden = format!("{first}:1:1: info[PAK005]: the game takes {last} instead\n");
    assert_eq!(findings(&sequence, "PAK005", &[&first]), hidden);
}

/// Both groups of engines take another file than the game: one reads no pak after a missing number, one loose files first.
#[test]
fn a_file_is_hidden_from_each_engine_by_another_file() {
    let root = tree(&[("id1/pak0.pak", &[0, 1, 2, 3]), ("id1/pak2.pak", &[0, 1]), ("id1", &[0, 1])]);
    let [first, last] = [0, 2].map(|number| format!("id1/pak{number}.pak:progs/knight.md5mesh"));
    let loose = "id1/progs/knight.md5mesh".to_owned();
    let cases = [
        (&loose, format!("the game takes {last} instead, vkQuake and Ironwail {first}, QSS-M and FTEQW this one")),
        (&first, format!("the game takes {last} instead, vkQuake and Ironwail this one, QSS-M and FTEQW {loose}")),
        (&last, format!("vkQuake and Ironwail take {first} instead, QSS-M and FTEQW take {loose} instead")),
    ];
    for (path, sentence) in cases {
        assert_eq!(findings(&root, "PAK005", &[path]), format!("{path}:1:1: info[PAK005]: {sentence}\n"));
    }
}

/// The loose mesh is twice as large, and so is what the engine makes of it.
#[cfg(feature = "render")]
#[test]
fn compare_takes_files_in_the_order_of_the_engine() {
    let root = tree(&[("id1/pak0.pak", &[0, 1, 2, 3]), ("id1", &[0, 1])]);
    let large =
        MESH.replace("models/test", "knight").replace("( 0 8 0 )", "( 0 16 0 )").replace("-8 0 -10", "-16 0 -10");
    fs::write(root.path().join("id1/progs/knight.md5mesh"), large).unwrap();
    let distance = |files: &[&str], engine: &str| {
        let (_, out, err) = run(root.path(), &[&["compare", "--json", "--as", engine], files].concat());
        let report: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
        report["clips"][0]["between_frames"]["distance"].as_f64().unwrap()
    };
    let loose = ["id1/progs/knight.md5mesh", "id1/progs/knight.md5anim"];
    let packed = ["id1/pak0.pak:progs/knight.md5mesh", "id1/pak0.pak:progs/knight.md5anim"];
    for (engine, taken, other) in [("fteqw", loose, packed), ("ironwail", packed, loose)] {
        let found = distance(&["--base", "id1", NAMES[0], NAMES[1]], engine);
        assert_eq!(found, distance(&taken, engine), "{engine}");
        assert_ne!(found, distance(&other, engine), "{engine}");
    }
}

#[test]
fn clips_lie_anywhere_in_the_meshs_game() {
    let trees: [(&[Place], &str, &str); 3] = [
        (&[("id1/pak0.pak", &[1]), ("id1/pak1.pak", &[0])], "id1/pak1.pak:progs/knight.md5mesh", "pak0.pak:progs"),
        (&[("id1/pak0.pak", &[0]), ("id1", &[1])], "id1/pak0.pak:progs/knight.md5mesh", "id1/progs"),
        (&[("id1/pak0.pak", &[1, 2]), ("id1", &[0, 1])], "id1/progs/knight.md5mesh", "pak0.pak:progs"),
    ];
    for (places, mesh, clips) in trees {
        let root = tree(places);
        let loaded = load(&[root.path().join(mesh)], &LoadOptions::with_clips()).unwrap();
        let names: Vec<&str> = loaded.model.clips.iter().map(|clip| clip.name.as_str()).collect();
        assert_eq!(names, ["knight"], "{mesh}");
        let found = loaded.files().nth(1).unwrap().to_string_lossy().replace('\\', "/");
        assert!(found.ends_with(&format!("{clips}/knight.md5anim")), "{found}");
        // The command that lists neighbours checks the same pair.
        let (_, out, err) = run(root.path(), &["validate", "--neighbours", "--format", "json", mesh]);
        assert!(out.contains(&format!("{clips}/knight.md5anim")), "{out}{err}");
        let (_, out, err) = run(root.path(), &["convert", "--json", "-o", "knight.glb", mesh]);
        assert!(out.contains("\"name\": \"knight\""), "{out}{err}");
    }
}

/// A clip that differs from the mesh is named, wherever it lies.
#[test]
fn a_clip_in_another_pak_that_does_not_fit_is_named() {
    let root = tree(&[("id1/pak1.pak", &[0])]);
    let anim = String::from_utf8(ANIM.to_vec()).unwrap().replacen("\"origin\"", "\"hips\"", 1);
    fs::write(root.path().join("id1/pak0.pak"), pak(&[(NAMES[1], anim.as_bytes())])).unwrap();
    let mesh = root.path().join("id1/pak1.pak:progs/knight.md5mesh");
    let loaded = load(&[mesh], &LoadOptions::with_clips()).unwrap();
    assert!(loaded.model.clips.is_empty());
    let left: Vec<_> = loaded.left_out.iter().map(|left| (&*left.name, left.reason.code)).collect();
    assert_eq!(left, [("knight", "MD5P002")]);
}

/// The `.md2`, the MD5 model that replaces it, and its skins may lie in different paks.
#[test]
fn a_md2_is_found_in_any_pak() {
    let root = tempfile::tempdir().unwrap();
    let mut md2 = b"IDP2".to_vec();
    md2.resize(68, 0);
    // One skin, the names after the header, five frames.
    (md2[20], md2[44], md2[40]) = (1, 68, 5);
    md2.extend(b"players/male/grunt.pcx");
    md2.resize(68 + 64, 0);
    let write = |path: &str, files: &[(&str, &[u8])]| {
        fs::create_dir_all(root.path().join("baseq2")).unwrap();
        fs::write(root.path().join(path), pak(files)).unwrap();
    };
    write("baseq2/pak0.pak", &[("players/male/tris.md2", &md2)]);
    let (mesh, clip) = ("players/male/md5/tris.md5mesh", "players/male/md5/tris.md5anim");
    write("baseq2/pak1.pak", &[(mesh, MESH.as_bytes()), (clip, ANIM)]);
    let found = || findings(&root, "MD5P005,TEX", &["--base", "baseq2", "--profile", "q2pro", mesh, clip]);
    assert!(found().contains("the clip has 3 frames, but tris.md2 has 5"), "{}", found());
    assert!(found().contains("no image is found for 'players/male/md5/grunt.pcx'"), "{}", found());
    let info = || run(root.path(), &["info", "--base", "baseq2", mesh]).1;
    assert!(!info().contains("grunt"), "{}", info());
    write("baseq2/pak2.pak", &[("players/male/md5/grunt.png", b"")]);
    assert!(!found().contains("grunt"), "{}", found());
    assert!(info().contains("baseq2/pak2.pak:players/male/md5/grunt.png"), "{}", info());
}

#[test]
fn the_palette_is_in_any_pak_of_the_game() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("pak0.pak"), pak(&[("gfx/palette.lmp", &[7; 768])])).unwrap();
    fs::write(root.path().join("pak1.pak"), pak(&[("progs/knight_00_00.lmp", b"")])).unwrap();
    let skin = root.path().join("pak1.pak:progs/knight_00_00.lmp");
    assert!(Palette::above(&skin, &Budget::default()).is_ok());
    fs::remove_file(root.path().join("pak0.pak")).unwrap();
    assert!(Palette::above(&skin, &Budget::default()).is_err());
}

#[test]
fn archives_and_loose_files_of_a_game_have_one_rank() {
    let root = tree(&[("id1/pak0.pak", &[2]), ("id1", &[3]), ("mod/pak0.pak", &[0]), ("mod", &[1])]);
    let game = Vfs::open(&root.path().join("id1"), &["mod".to_owned()]).unwrap();
    let found = |name: &str| game.find(name).unwrap().unwrap().path;
    assert_eq!(NAMES.map(|name| game.rank(&found(name))), [Some(1), Some(1), Some(0), Some(0)]);
    assert_eq!(game.rank(root.path()), None);
    let inside = |place: &str| root.path().join(place);
    let order = ["mod/pak0.pak:progs", "mod/progs", "id1/pak0.pak:progs", "id1/progs"].map(inside);
    assert_eq!(folders_of(Some(&game), &found(NAMES[3])), order);
    // A path is kept as it is written.
    let written = inside("mod/../id1/progs/knight_00_00.png");
    let [first, second, third, _] = order;
    assert_eq!(folders_of(Some(&game), &written), [first, second, third, inside("mod/../id1/progs")]);
    let elsewhere = inside("other/progs/knight.mdl");
    assert_eq!(folders_of(Some(&game), &elsewhere), [inside("other/progs")]);
}

/// Hexenwail takes a shader that starts with `models/` as a path, and looks for others in `textures` of the search path.
#[test]
fn hexenwail_finds_skins_along_the_search_path() {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, bytes: &[u8]| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    // True if Hexenwail lacks an image, and if Ironwail does.
    let lacking = |game: &str| {
        ["hexenwail", "ironwail"].map(|engine| {
            let mesh = format!("{game}/models/knight.md5mesh");
            let arguments = ["validate", "--json", "--base", game, "--profile", engine, "--only", "TEX001", &mesh];
            let (_, out, err) = run(root.path(), &arguments);
            let report: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
            let findings = report["files"][0]["findings"].as_array().unwrap();
            findings.iter().any(|finding| finding["engines"].as_array().is_some_and(|engines| !engines.is_empty()))
        })
    };
    let mesh = |shader: &str| MESH.replace("models/test", shader);
    // Only Hexen II's own folder is searched by Hexenwail's rules alone.
    for (game, nearby) in [("data1", [true, false]), ("id1", [false, false])] {
        write(&format!("{game}/models/knight.md5mesh"), mesh("knight/body.tga").as_bytes());
        write(&format!("{game}/models/knight.md5anim"), ANIM);
        assert_eq!(lacking(game), [true, true], "{game}");
        write(&format!("{game}/models/knight/body.tga"), b"");
        assert_eq!(lacking(game), nearby, "{game}");
        fs::remove_dir_all(root.path().join(game).join("models/knight")).unwrap();
        fs::write(root.path().join(game).join("pak0.pak"), pak(&[("textures/knight/body.pcx", b"")])).unwrap();
        assert_eq!(lacking(game), [false, true], "{game}");
        write(&format!("{game}/models/knight.md5mesh"), mesh("models/skin").as_bytes());
        fs::write(root.path().join(game).join("pak0.pak"), pak(&[("textures/models/skin.png", b"")])).unwrap();
        assert!(lacking(game)[0], "{game}");
    }
}
