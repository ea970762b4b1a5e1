//! Names that a format cannot hold.

use super::{TURNING, convert, json_of, text};
use serde_json::json;

#[test]
fn names_are_legal_in_x_files_and_their_changes_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mob.x"), TURNING).unwrap();
    let rename = ["--rename", "root=Sword", "--rename", "tu*=re*"];
    let run = convert(folder.path(), &[&["mob.x", "-o", "out.x", "--json"][..], &rename].concat());
    let report = json_of(&run);
    let names =
        json!([{"from": "root", "to": "Sword"}, {"from": "turn", "to": "rern"}, {"from": "Sword", "to": "_Sword"}]);
    assert_eq!(report["names"], names);
    assert_eq!(report["clips"][0], json!({"name": "rern", "fps": 15.0, "frames": 3, "source_fps": 15.0}));
    let written = std::fs::read_to_string(folder.path().join("out.x")).unwrap();
    assert_eq!(written.matches("_Sword").count(), 2, "{written}");
}

/// Joint, mesh and clip become underscores and numbers, and the shader's slashes underscores.
#[test]
fn names_that_had_to_change_come_back_by_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| convert(folder.path(), arguments);
    let named = TURNING.replace("root", "体").replace("turn", "歩").replacen("Mesh {", "Mesh 表 {", 1);
    std::fs::write(folder.path().join("mob.x"), named).unwrap();
    let there = run(&["mob.x", "-o", "out.x", "--json"]);
    std::fs::write(folder.path().join("out.json"), &there.stdout).unwrap();
    assert!(json_of(&run(&["out.x", "-o", "out.gltf", "--json"]))["joints"] == json!(["_"]));
    let back = json_of(&run(&["out.x", "-o", "back.gltf", "--rename", "out.json", "--json"]));
    assert_eq!((&back["joints"], &back["clips"][0]["name"]), (&json!(["体"]), &json!("歩")));
    assert_eq!(run(&["out.x", "-o", "back.obj", "--rename", "out.json"]).status.code(), Some(0));
    let back = std::fs::read_to_string(folder.path().join("back.obj")).unwrap();
    assert!(back.contains("\no 表\n"), "{back}");

    let mesh = include_str!("../../cases/md5/base.md5mesh");
    let start = mesh.find("shader \"").unwrap() + "shader \"".len();
    let end = start + mesh[start..].find('"').unwrap();
    std::fs::write(folder.path().join("imp.md5mesh"), format!("{}models/imp{}", &mesh[..start], &mesh[end..])).unwrap();
    let there = run(&["imp.md5mesh", "-o", "imp.x", "--json"]);
    std::fs::write(folder.path().join("imp.json"), &there.stdout).unwrap();
    assert_eq!(run(&["imp.x", "-o", "back.md5mesh", "--rename", "imp.json"]).status.code(), Some(0));
    let back = std::fs::read_to_string(folder.path().join("back.md5mesh")).unwrap();
    assert!(back.contains("shader \"models/imp\""), "{back}");

    let wrong = run(&["out.x", "-o", "wrong.glb", "--rename", "out.x"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("out.x is not a report that convert --json printed"));
}
