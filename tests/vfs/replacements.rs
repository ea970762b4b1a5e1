//! Models that Quake's engines show when the game asks for a `.mdl`: cases R01 to R14 of reading vkQuake 46e5e6dd,
//! Ironwail 7ff4ec57, QSS-M 46a47195 and FTEQW 93257c1a.

use super::command::{pak, run};
use super::quake::file;
use std::fs;

const ENGINES: [&str; 4] = ["vkquake", "ironwail", "qss", "fteqw"];

/// Files of a game, those of a pak separated by blanks; the mesh that is checked; for each engine `.`, or why it shows
/// another model.
type Case = (&'static str, &'static [(&'static str, &'static str)], &'static str, [&'static str; 4]);

const MESH: &str = "knight.md5mesh knight.md5anim knight_00_00.png";
const BELOW: &str = "id1's MD5 is below mod/progs/knight.mdl";
const MD3: &str = "id1/progs/knight.md3 comes before the MD5";
const MODS_MD3: &str = "mod/progs/knight.md3 comes before the MD5";

#[rustfmt::skip]
const CASES: [Case; 12] = [
    ("R01 paks have one rank", &[("id1/pak0.pak", "knight.mdl"), ("id1/pak1.pak", MESH)], "id1/pak1.pak:", [".", ".", ".", "."]),
    ("R02 a mod's .mdl", &[("id1", MESH), ("mod", "knight.mdl")], "id1/", [BELOW; 4]),
    ("R03 a mod's MD5", &[("id1", "knight.mdl"), ("mod", MESH)], "mod/", [".", ".", ".", "."]),
    ("R04 .md3 in the same game", &[("id1", "knight.mdl knight.md3"), ("id1/pak0.pak", MESH)], "id1/pak0.pak:", [MD3, MD3, ".", MD3]),
    ("R05 .md3 below the MD5", &[("id1", "knight.mdl knight.md3"), ("mod", MESH)], "mod/", [".", MD3, ".", MD3]),
    ("R06 .md3 above the MD5", &[("id1", MESH), ("mod", "knight.mdl knight.md3")], "id1/", [MODS_MD3; 4]),
    ("R10 no skin", &[("id1", "knight.mdl knight.md5mesh knight.md5anim")], "id1/", ["no image is found for 'knight'", ".", ".", "."]),
    ("R11 a skin below the MD5", &[("id1", "knight.mdl knight_00_00.png"), ("mod", "knight.md5mesh knight.md5anim")], "mod/",
        ["'knight' is found only below the mesh's own game: id1/progs/knight_00_00.png", ".", ".", "."]),
    ("R14 the mission pack's .mdl", &[("id1/pak0.pak", "knight.mdl"), ("id1", MESH), ("mod/pak0.pak", "knight.mdl")], "id1/",
        ["id1's MD5 is below mod/pak0.pak:progs/knight.mdl"; 4]),
    ("only QSS-M reads .iqm", &[("id1", "knight.mdl knight.iqm"), ("mod", MESH)], "mod/",
        [".", ".", "id1/progs/knight.iqm comes before the MD5", "."]),
    ("only FTEQW reads .md2", &[("id1", "knight.mdl"), ("mod", "knight.md2"), ("mod/pak1.pak", MESH)], "mod/pak1.pak:",
        ["mod/pak1.pak comes after a missing pak", "mod/pak1.pak comes after a missing pak", ".", "mod/progs/knight.md2 comes before the MD5"]),
    ("R08 only an MD5", &[("id1", MESH)], "id1/", [".", "X", ".", "."]),
];

#[test]
fn engines_show_the_mdl_or_what_replaces_it() {
    for (case, places, mesh, expected) in &CASES {
        let root = tempfile::tempdir().unwrap();
        for game in ["id1/progs", "mod/progs"] {
            fs::create_dir_all(root.path().join(game)).unwrap();
        }
        for (place, names) in *places {
            let names: Vec<String> = names.split(' ').map(|name| format!("progs/{name}")).collect();
            let files: Vec<Vec<u8>> = names.iter().map(|name| file(name)).collect();
            let files: Vec<(&str, &[u8])> = names.iter().zip(&files).map(|(name, file)| (&**name, &**file)).collect();
            match place.ends_with(".pak") {
                true => fs::write(root.path().join(place), pak(&files)).unwrap(),
                false => {
                    files.iter().for_each(|(name, bytes)| fs::write(root.path().join(place).join(name), bytes).unwrap())
                }
            }
        }
        // A file by its place, the folder of the game, and the whole game.
        let mesh = format!("{mesh}progs/knight.md5mesh");
        for path in [Some(&*mesh), Some("progs"), None] {
            let game =
                ["validate", "--json", "--base", "id1", "--game", "mod", "--profile", "vkquake,ironwail,qss,fteqw"];
            let (_, out, err) = run(root.path(), &[&game[..], path.as_slice()].concat());
            let report: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{case}: {err}"));
            let file = report["files"].as_array().unwrap().iter().find(|file| file["path"] == *mesh);
            let verdicts = file.unwrap_or_else(|| panic!("{case}: {out}"))["verdicts"].as_array().unwrap();
            let found = verdicts.iter().map(|verdict| match verdict["verdict"].as_str().unwrap() {
                "unused" => verdict["message"].as_str().unwrap().trim_start_matches("not loaded: "),
                "exits" => "X",
                _ => ".",
            });
            assert_eq!(found.collect::<Vec<_>>(), expected, "{case} {path:?}");
            assert_eq!(verdicts.iter().map(|it| it["profile"].as_str().unwrap()).collect::<Vec<_>>(), ENGINES);
        }
    }
}

/// The report has one finding, with the message of the only engine that prints one.
#[test]
fn a_mods_mdl_is_one_finding_with_the_engines_words() {
    let root = tempfile::tempdir().unwrap();
    for (place, name) in [("id1", "md5mesh"), ("id1", "md5anim"), ("id1", "png"), ("mod", "mdl")] {
        fs::create_dir_all(root.path().join(place).join("progs")).unwrap();
        let name = if name == "png" { "progs/knight_00_00.png".to_owned() } else { format!("progs/knight.{name}") };
        fs::write(root.path().join(place).join(&name), file(&name)).unwrap();
    }
    let game = ["validate", "--base", "id1", "--game", "mod", "--profile", "vkquake,ironwail,qss,fteqw"];
    let (code, out, err) = run(root.path(), &[&game[..], &["progs/knight.md5mesh"]].concat());
    assert_eq!(code, Some(0), "{err}");
    for expected in [
        "warning[MD5P018]: not loaded: id1's MD5 is below mod/progs/knight.mdl",
        "= vkquake, ironwail, fteqw show another model\n",
        "= qss shows another model: Ignoring progs/knight.md5mesh from lower priority path\n",
        "o o o o  id1/progs/knight.md5mesh\n",
        "o another model is shown in its place\n",
        "1 file: 0 at fault, 1 warning\n",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    // Of a mod alone, Quake's .mdl is unknown, and its MD5 may replace that.
    fs::remove_file(root.path().join("mod/progs/knight.mdl")).unwrap();
    let alone = |base: &str| run(root.path(), &["validate", "--base", base, "--profile", "vkquake,ironwail", "-v"]).1;
    fs::rename(root.path().join("id1/progs"), root.path().join("mod/new")).unwrap();
    fs::create_dir_all(root.path().join("id1")).unwrap();
    fs::remove_dir(root.path().join("mod/progs")).unwrap();
    fs::rename(root.path().join("mod/new"), root.path().join("mod/progs")).unwrap();
    let out = alone("mod");
    assert!(out.contains("note[MD5P019]: there is no .mdl that the MD5 replaces"), "{out}");
    assert!(out.contains("if the .mdl is in another game, name that with --base"), "{out}");
}

/// Returns the verdicts of engines on a file in a check of the whole game, and the report.
fn verdicts(root: &tempfile::TempDir, profiles: &str, path: &str) -> (Vec<String>, String) {
    let game = ["validate", "--json", "--base", "id1", "--profile", profiles, "--game", "mod"];
    let (_, out, err) = run(root.path(), &game);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
    let file = report["files"].as_array().unwrap().iter().find(|file| file["path"] == path);
    let verdicts = file.unwrap_or_else(|| panic!("{out}"))["verdicts"].as_array().unwrap();
    (verdicts.iter().map(|it| it["verdict"].as_str().unwrap().to_owned()).collect(), out)
}

/// Writes the files of `places` with changes to their texts.
fn changed(places: &[(&str, &str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for folder in ["id1/progs", "mod/progs"] {
        fs::create_dir_all(root.path().join(folder)).unwrap();
    }
    for (path, from, to) in places {
        let bytes = file(path);
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains(from), "{path}");
        fs::write(root.path().join(path), text.replace(from, to)).unwrap();
    }
    root
}

/// Cases R09, R12 and R13: the MD5 replaces the `.mdl`, but is refused, lacks a skin, or gets the clip of another rig.
#[test]
fn a_faulty_md5_is_shown_otherwise_by_each_engine() {
    let (mesh, anim, mdl) = ("id1/progs/knight.md5mesh", "id1/progs/knight.md5anim", "id1/progs/knight.mdl");
    let skin = "id1/progs/knight_00_00.png";
    let engines = ENGINES.join(",");
    let of = |places: &[(&str, &str, &str)]| verdicts(&changed(places), &engines, mesh);
    let others = [(anim, "", ""), (mdl, "", ""), (skin, "", "")];

    let (r09, out) = of(&[&[(mesh, "weight 4 1", "weight 4 7")][..], &others].concat());
    assert_eq!(r09, ["refuses", "refuses", "exits", "refuses"], "{out}");

    // The header's number of skins.
    let two = [(mesh, "", ""), (anim, "", ""), (mdl, "\0\0\u{1}\0\0\0", "\0\0\u{2}\0\0\0"), (skin, "", "")];
    let (r12, out) = of(&two);
    assert!(out.contains("\"MD5P007\""), "{out}");
    assert_eq!(r12, ["wrong", "note", "note", "note"], "{out}");

    let rig = ("mod/progs/knight.md5anim", "\"bone\"\t0", "\"bone\"\t-1");
    let (r13, out) = of(&[&[(mesh, "", ""), rig][..], &others].concat());
    assert_eq!(r13, ["refuses", "refuses", "exits", "wrong"], "{out}");
    // vkQuake finds joints by name.
    let (r13, out) = of(&[&[(mesh, "", ""), (rig.0, "\"bone\"", "\"horn\"")][..], &others].concat());
    assert_eq!(r13, ["fine", "refuses", "exits", "wrong"], "{out}");
}

/// Without a `.mdl`, FTEQW shows a `.md3` even if code names the `.md5mesh`, unless that is in a game above.
#[test]
fn a_md3_beside_a_mesh_without_a_mdl() {
    let engines = ENGINES.join(",");
    let (mesh, anim) = (("id1/progs/knight.md5mesh", "", ""), ("id1/progs/knight.md5anim", "", ""));
    let skin = "id1/progs/knight_00_00.png";
    let of = |md3: &'static str, mesh: (&'static str, &'static str, &'static str)| {
        verdicts(&changed(&[mesh, anim, (skin, "", ""), (md3, "", "")]), &engines, mesh.0)
    };
    let (beside, out) = of("id1/progs/knight.md3", mesh);
    assert_eq!(beside, ["fine", "exits", "fine", "unused"], "{out}");
    assert!(out.contains("Can't load 'progs/knight.md3' directly"), "{out}");
    let (above, out) = of("mod/progs/knight.md3", mesh);
    assert_eq!(above, ["fine", "exits", "fine", "unused"], "{out}");
    let (below, out) = of("id1/progs/knight.md3", ("mod/progs/knight.md5mesh", "", ""));
    // The image is of a lower game, too.
    assert_eq!(below, ["wrong", "exits", "fine", "fine"], "{out}");
    let (iqm, out) = of("id1/progs/knight.iqm", mesh);
    assert_eq!(iqm, ["fine", "exits", "unused", "fine"], "{out}");
}

/// Without a `.mdl`, vkQuake has nothing to show for an MD5 that it refuses, and exits.
#[test]
fn a_mesh_that_only_code_can_name_ends_two_engines() {
    let root = tempfile::tempdir().unwrap();
    for folder in ["id1/progs", "mod"] {
        fs::create_dir_all(root.path().join(folder)).unwrap();
    }
    let mesh = String::from_utf8(file("progs/knight.md5mesh")).unwrap();
    let write = |mesh: &str| fs::write(root.path().join("id1/progs/prop.md5mesh"), mesh).unwrap();
    fs::write(root.path().join("id1/progs/prop.md5anim"), file("progs/knight.md5anim")).unwrap();
    let verdicts = || verdicts(&root, "vkquake,ironwail", "id1/progs/prop.md5mesh").0;
    write(&mesh);
    assert_eq!(verdicts(), ["wrong", "exits"]);
    write(&mesh.replacen("\tshader", "\tname \"Prop\"\n\tshader", 1));
    assert_eq!(verdicts(), ["exits", "exits"]);
}
