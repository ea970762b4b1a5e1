//! Verdicts of Hexenwail's loader. Its own functions, built with stubs, gave the same verdicts.

use super::cases::{ANIM, MESH, change};
use bindpose::engines::EngineId;
use bindpose::validate::loaders::{load_anim, load_mesh};
use bindpose::validate::{File, Outcome, Verdict};

/// Texts of a file, each with the one that replaces it.
type Edits = &'static [(&'static str, &'static str)];

/// Returns the verdict on a mesh, and on a clip if the mesh loads.
fn judge(mesh: &str, anim: &str) -> (Verdict, Option<Verdict>) {
    let mesh = load_mesh(EngineId::Hexenwail, File { bytes: mesh.as_bytes(), name: "m" }).unwrap();
    let anim = File { bytes: anim.as_bytes(), name: "a" };
    let clip = mesh.skeleton.map(|skeleton| load_anim(EngineId::Hexenwail, Some(&skeleton), "m", anim));
    (mesh.verdict, clip)
}

/// Changes to the mesh, and the message and code of the refusal. Empty for a mesh that loads.
#[test]
fn meshes_are_refused_silently() {
    let failed = "MD5_LoadMesh: parse failed for m";
    let cases: [(&str, Edits, &str); 14] = [
        ("base", &[], ""),
        ("no version", &[("MD5Version 10\n", "")], ""),
        ("unknown word", &[("\tshader", "\tname \"n\"\n\tshader")], ""),
        ("several roots", &[("\"bone\"\t0", "\"bone\"\t-1")], ""),
        ("no name", &[("\"bone\"\t0", "0")], ""),
        ("comment", &[("joints {", "joints { // two")], failed),
        ("long name", &[("\"bone\"", "\"abcdefghijklmnopqrstuvwxyz123456\"")], failed),
        ("no joints", &[("numJoints 2", "numJoints 0")], failed),
        ("too many joints", &[("numJoints 2", "numJoints 129")], failed),
        ("version 6", &[("numJoints", "numbones")], failed),
        ("late parent", &[("\"bone\"\t0", "\"bone\"\t1")], "MD5_LoadMesh: bad parent index in m (bone 1 parent 1)"),
        ("corner", &[("tri 0 0 2 1", "tri 0 0 2 9")], failed),
        ("no triangles", &[("numtris 2", "numtris 0")], failed),
        ("unclaimed weight", &[("vert 3 ( 0 1 ) 3 2", "vert 3 ( 0 1 ) 3 1")], failed),
    ];
    for (id, edits, message) in cases {
        let (verdict, clip) = judge(&change(MESH, id, edits), ANIM);
        assert_eq!(verdict.refusal.map(|refusal| refusal.message).unwrap_or_default(), message, "{id}");
        let loads = verdict.outcome == Outcome::Loads;
        assert_eq!((loads, clip.is_some()), (message.is_empty(), message.is_empty()), "{id}");
    }
    let crlf = MESH.replace('\n', "\r\n");
    assert_eq!(judge(&crlf, ANIM).0.outcome, Outcome::Refuses);
}

/// A refused clip leaves the rest pose, with a message on the console.
#[test]
fn clips_are_compared_by_parents_only() {
    let cases: [(&str, Edits, bool); 9] = [
        ("base", &[], true),
        ("other names", &[("\"bone\"", "\"horn\"")], true),
        ("no bounds", &[("bounds {", "boxes {")], true),
        ("another parent", &[("\"bone\"\t0", "\"bone\"\t-1")], false),
        ("fewer joints", &[("numJoints 2", "numJoints 1")], false),
        ("no base frame", &[("baseframe", "basis")], false),
        ("frame order", &[("frame 1 {", "frame 2 {")], false),
        ("too few values", &[("numAnimatedComponents 3", "numAnimatedComponents 4")], false),
        ("no frames", &[("numFrames 3", "numFrames 0")], false),
    ];
    for (id, edits, loads) in cases {
        let clip = judge(MESH, &change(ANIM, id, edits)).1.unwrap();
        let message = clip.refusal.map(|refusal| refusal.message).unwrap_or_default();
        let expected = if loads { "" } else { "MD5: a failed to parse; using rest pose" };
        assert_eq!((clip.outcome == Outcome::Loads, &*message), (loads, expected), "{id}");
    }
}

/// The numbers of vertices are ignored.
#[test]
fn what_hexenwail_reads_otherwise_is_named() {
    let misread = |edits: &[(&str, &str)]| judge(&change(MESH, "", edits), ANIM).0.misread.len();
    assert_eq!(misread(&[]), 0);
    assert_eq!(misread(&[("vert 0 ", "vert 1 "), ("vert 1 ( 1 0", "vert 0 ( 1 0")]), 1);
}
