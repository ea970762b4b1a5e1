//! `bindpose info` on entities, models and files of decls.

use super::game;
use serde_json::{Value, json};
use std::process::Command;
use tempfile::TempDir;

const DEF: &str = "model imp {
 mesh models/imp.md5mesh skin red offset ( 0 0 8 ) channel Torso ( *bone ) channel legs ( nobody )
 anim walk models/a.md5anim { random_cycle_start frame 2 sound_body snd_step
 frame 3 footstep }
 anim run models/b.md5anim, models/a.md5anim
}
model eyes { mesh models/imp.md5mesh }

entityDef monster { \"model\" \"imp\" }
entityDef imp_boss { \"inherit\" \"monster\" \"skin\" \"blue\" \"def_head\" \"eyes\" \"head_joint\" \"bone\" }
entityDef light { \"texture\" \"round\" }
entityDef lost { \"model\" \"gone\" }
";
const SKINS: &str = "skin red { models/test models/red }\nskin blue { * models/blue }";

fn tree() -> TempDir {
    game(&[
        ("def/imp.def", DEF),
        (
            "def/gone.def",
            "model gone { mesh models/gone.md5mesh channel torso ( *bone ) anim idle models/gone.md5anim }",
        ),
        ("skins/imp.skin", SKINS),
    ])
}

fn info(root: &TempDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    let output = command.current_dir(root.path()).arg("info").args(arguments).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.code(), out, err)
}

fn json(root: &TempDir, arguments: &[&str]) -> Value {
    let (_, out, err) = info(root, &[arguments, &["--json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"))
}

#[test]
fn an_entity_is_described_with_all_its_parts() {
    let root = tree();
    let found = &json(&root, &["--base", "base", "--entity", "imp_boss"])[0];
    assert_eq!((&found["kind"], &found["name"]), (&json!("entity"), &json!("imp_boss")));
    assert_eq!((&found["declared_at"], &found["inherits"]), (&json!("base/def/imp.def:10"), &json!(["monster"])));
    let model = &found["model"];
    assert_eq!((&model["declared_at"], &model["offset"]), (&json!("base/def/imp.def:1"), &json!([0.0, 0.0, 8.0])));
    assert_eq!((&model["path"], &model["joints"]), (&json!("base/models/imp.md5mesh"), &json!(2)));
    let skin = json!({"name": "blue", "declared_at": "base/skins/imp.skin:2", "replaces": [["*", "models/blue"]]});
    assert_eq!(found["skin"], skin);
    assert_eq!((&found["head"]["name"], &found["head"]["joint"]), (&json!("eyes"), &json!("bone")));
    let channels = json!([{"name": "torso", "joints": ["bone"]}, {"name": "legs", "joints": []}]);
    assert_eq!(found["channels"], channels);
    let walk = &found["anims"][0];
    // The clip has 3 frames at 24 per second.
    let file = json!({"name": "models/a.md5anim", "path": "base/models/a.md5anim", "frames": 3, "frame_rate": 24.0, "seconds": 2.0 / 24.0});
    assert_eq!((&walk["files"][0], &walk["flags"]), (&file, &json!(["random_cycle_start"])));
    let commands = json!([{"frame": 2, "text": "sound_body snd_step"}, {"frame": 3, "text": "footstep"}]);
    assert_eq!(walk["commands"], commands);
    assert_eq!(found["anims"][1]["files"].as_array().map(Vec::len), Some(2));

    let (code, out, _) = info(&root, &["--base", "base", "--entity", "imp_boss"]);
    assert_eq!(code, Some(0));
    for line in [
        "entity imp_boss at base/def/imp.def:10, inherits monster",
        "  mesh base/models/imp.md5mesh: 2 joints, moved by (0, 0, 8)",
        "    * -> models/blue",
        "  head eyes at base/def/imp.def:7, on the joint bone",
        "  channel torso: 1 joint: bone",
        "  channel legs: no joints",
        "  walk       3    24    0.083  base/models/a.md5anim  random_cycle_start",
        "  run        3    24    0.083  base/models/a.md5anim  at once with the first",
        "  walk      2  sound_body snd_step",
    ] {
        assert!(out.lines().any(|found| found == line), "{line}: {out}");
    }
}

#[test]
fn a_file_of_decls_is_described_model_by_model() {
    let root = tree();
    let found = json(&root, &["base/def/imp.def"]);
    let names: Vec<_> = found.as_array().unwrap().iter().map(|figure| figure["name"].as_str().unwrap()).collect();
    // A light is no model, and the mesh of the last entity is missing.
    assert_eq!(names, ["imp", "eyes", "monster", "imp_boss", "lost"]);
    assert_eq!(found[2]["skin"]["name"], "red");
    let (code, out, _) = info(&root, &["base/def/gone.def"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("  mesh models/gone.md5mesh: not found\n  channel torso\n"), "{out}");
    assert!(out.contains("models/gone.md5anim: not found"), "{out}");
    let (code, _, err) = info(&root, &["base/skins/imp.skin"]);
    assert_eq!((code, err.contains("unrecognised format")), (Some(1), true), "{err}");
}

#[test]
fn a_texture_for_a_missing_surface_is_reported() {
    let root = tree();
    std::fs::write(root.path().join("a.png"), "no picture").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    let arguments = ["render", "base/models/imp.md5mesh", "--texture", "hed=a.png", "-o", "out.png", "--size", "16x16"];
    let output = command.current_dir(root.path()).args(arguments).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.contains("note: --texture: no mesh or material is called 'hed'; there are "), "{err}");
}

#[test]
fn what_is_not_there_is_said() {
    let root = tree();
    for (arguments, told) in [
        (
            &["--base", "base", "--entity", "imp_bos"][..],
            "the game has no entityDef 'imp_bos'; did you mean 'imp_boss'?",
        ),
        (&["--base", "base", "--entity", "light"], "the entityDef 'light' has no key \"model\""),
        (&["--base", "base", "--model", "imp", "--skin", "rad"], "the game has no skin 'rad'; did you mean 'red'?"),
        (&["base/models/imp.md5mesh", "--skin", "rad"], "the game has no skin 'rad'; did you mean 'red'?"),
    ] {
        let (code, out, err) = info(&root, arguments);
        assert_eq!((code, out.as_str(), err), (Some(2), "", format!("bindpose: {told}\n")));
    }
    // A file of the game determines the game. Without one, outside the game's folder, the game is unknown.
    let below = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
        let output = command.current_dir(root.path().join("base/def")).arg("info").args(arguments).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (out, err) = below(&["imp.def", "--entity", "imp_boss"]);
    assert!(out.starts_with("entity imp_boss at "), "{out}{err}");
    let missing = "bindpose: an entity or model needs its game: give --base\n";
    assert_eq!(below(&["--entity", "imp_boss"]), (String::new(), missing.to_owned()));
    let found = &json(&root, &["--base", "base", "--model", "imp", "--skin", "blue"])[0];
    assert_eq!((&found["kind"], &found["skin"]["name"]), (&json!("model"), &json!("blue")));
}
