//! Files of example poses. `tests/skin/examples.rs` tests the poses of the samples.

use bindpose_core::cylinder::{Cylinder, Shape};
use bindpose_core::diagnostic::Diagnostic;
use bindpose_core::examples::read_with;
use bindpose_core::load::{LoadError, Loaded};
use bindpose_core::model::{Model, Skeleton, Transform};
use bindpose_core::skin::Example;
use glam::DQuat;
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

fn skeleton() -> Skeleton {
    let mut skeleton = Skeleton::new();
    let root = skeleton.push("near", None, Transform::IDENTITY);
    skeleton.push("far", Some(root), Transform::IDENTITY);
    skeleton
}

/// Reads examples whose meshes are empty.
fn read(bytes: &[u8]) -> Result<Vec<Example>, LoadError> {
    read_with(Path::new("m.examples.toml"), bytes, &skeleton(), |_| Ok(Loaded::default()))
}

/// Returns the error for a faulty file, and the text at its position.
fn fault(bytes: &[u8]) -> (Diagnostic, String) {
    let Err(LoadError::File { mut diagnostics, .. }) = read(bytes) else { panic!("the file is at fault") };
    let fault = diagnostics.remove(0);
    let span = fault.primary.as_ref().unwrap().span;
    (fault, String::from_utf8_lossy(&bytes[span.start as usize..span.end as usize]).into_owned())
}

#[test]
fn examples_are_read() {
    let text = "[[example]]\njoint = \"far\"\nrotation = { axis = [0, 0, 2], degrees = 90 }\nmesh = \"bent.md5mesh\"\n";
    let examples = read(text.as_bytes()).unwrap();
    assert_eq!(examples.len(), 1);
    assert_eq!(examples[0].joint.index(), 1);
    assert!(examples[0].turn.angle_between(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2)) < 1e-7);
    assert_eq!(examples[0].name, "bent.md5mesh");
    let quaternion = text.replace("{ axis = [0, 0, 2], degrees = 90 }", "[0, 0, 0.70710678, 0.70710678]");
    let same = read(quaternion.as_bytes()).unwrap();
    assert!(same[0].turn.angle_between(examples[0].turn) < 1e-7);
    assert!(read(b"# nothing yet\n").unwrap().is_empty());
}

#[test]
fn errors_have_their_location() {
    let entry =
        |joint: &str, rotation: &str| format!("[[example]]\njoint = {joint}\nrotation = {rotation}\nmesh = \"m.x\"\n");
    let good = "{ axis = [0, 0, 1], degrees = 90 }";
    let cases: [(Vec<u8>, &str, &str, &str); 11] = [
        (b"joint = \"\xff\"".to_vec(), "EX001", "the file is not UTF-8 text", "\u{fffd}"),
        (entry("3", good).into(), "EX002", "invalid type: integer `3`, expected a string", "3"),
        (entry("\"elbow\"", good).into(), "EX003", "the model has no joint 'elbow'", "\"elbow\""),
        (
            entry("\"far\"", "{ axis = [0, 0, 0], degrees = 90 }").into(),
            "EX004",
            "the axis [0.0, 0.0, 0.0] has no direction, or the angle 90 is no number",
            "{ axis = [0, 0, 0], degrees = 90 }",
        ),
        (
            entry("\"far\"", "[0, 0, 0, 2]").into(),
            "EX004",
            "the quaternion [0.0, 0.0, 0.0, 2.0] has length 2, expected 1",
            "[0, 0, 0, 2]",
        ),
        (
            entry("\"far\"", "90").into(),
            "EX002",
            "expected a quaternion [x, y, z, w] or a turn such as { axis = [0, 0, 1], degrees = 90 }",
            "90",
        ),
        (
            entry("\"far\"", good).repeat(17).into(),
            "EX005",
            "joint 'far' has 16 examples already, the most that any method can use",
            "\"far\"",
        ),
        ((entry("\"far\"", good) + "sigma = 0\n").into(), "EX004", "sigma is 0, expected 0.05 to 3 radians", "0"),
        (
            (entry("\"far\"", good) + "others = [{ joint = \"elbow\", rotation = [0, 0, 0, 1] }]\n").into(),
            "EX003",
            "the model has no joint 'elbow'",
            "\"elbow\"",
        ),
        (
            (entry("\"far\"", good) + "others = [{ joint = 'far', rotation = [0, 0, 0, 1] }]\n").into(),
            "EX004",
            "joint 'far' is rotated twice",
            "'far'",
        ),
        (
            b"[[example]]\nangle = 3\n".to_vec(),
            "EX002",
            "unknown field `angle`, expected one of `joint`, `rotation`, `mesh`, `sigma`, `others`",
            "angle",
        ),
    ];
    for (bytes, code, message, at) in cases {
        let (found, words) = fault(&bytes);
        assert_eq!((found.code, found.message.as_str(), words.as_str()), (code, message, at));
    }
}

#[test]
fn examples_open_no_files_outside_of_their_folder() {
    let entry = |mesh: &str| {
        let text = format!("[[example]]\njoint = \"far\"\nrotation = [0, 0, 0, 1]\nmesh = '{mesh}'\n");
        text.into_bytes()
    };
    for mesh in ["bent.md5mesh", "poses/Bent.X", "a.b/c.glb"] {
        assert_eq!(read(&entry(mesh)).unwrap()[0].name, mesh);
    }
    for mesh in ["../bent.md5mesh", "a/../../b.x", "/bent.md5mesh", "./../b.x", "passwd", "notes.txt", ""] {
        let (fault, _) = fault(&entry(mesh));
        assert_eq!(fault.code, "EX006", "{mesh}");
        assert_eq!(fault.message, format!("the mesh '{mesh}' is not a model file in this file's folder or below"));
    }
}

#[test]
fn vertices_have_the_files_numbers() {
    let mut mesh = Cylinder::new(Shape::USUAL).mesh;
    // The importer has split vertex 0 in two and changed the order of the vertices.
    mesh.source_vertices = vec![2, 0, 1, 0];
    mesh.positions.truncate(4);
    mesh.normals.truncate(4);
    let expected = [mesh.positions[3], mesh.positions[2], mesh.positions[0]];
    let mut loaded = Loaded::default();
    loaded.model = Arc::new(Model { meshes: vec![mesh], ..Model::default() });
    let loaded = Cell::new(Some(loaded));
    let text = b"[[example]]\njoint = 'far'\nrotation = [0, 0, 0, 1]\nmesh = 'bent.x'\n";
    let examples = read_with(Path::new("m.examples.toml"), text, &skeleton(), |_| Ok(loaded.take().unwrap())).unwrap();
    assert_eq!(examples[0].meshes[0].positions, expected);
}
