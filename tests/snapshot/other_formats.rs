//! Edits of cameras and `.x` files, with expectations as in [`super::edits`].

use super::edits::{compare, lines, take};
use bindpose::budget::MemoryLimit;
use bindpose::snapshot::Snapshot;
use std::path::PathBuf;

const CAMERA: &str = "MD5Version 10\ncommandline \"\"\nnumFrames 4\nframeRate 24\nnumCuts 1\ncuts {\n\t2\n}\ncamera {
( 1 2 3 ) ( 0 0 0 ) 90\n( 2 2 3 ) ( 0 0 0 ) 90\n( 8 2 3 ) ( 0 0 0.5 ) 60\n( 9 2 3 ) ( 0 0 0.5 ) 60\n}\n";

#[test]
fn frames_of_a_camera_are_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.md5camera");
    let take = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Snapshot::of_camera(&path, MemoryLimit::default()).unwrap().unwrap()
    };
    for (from, to, expected) in [
        ("cuts", "cuts", &[][..]),
        ("( 2 2 3 )", "( 2 2 3.001 )", &["scene: joints differ in 1 of 4 frames [local] 1: camera"]),
        ("0.5 ) 60\n}", "0.5001 ) 60\n}", &["scene: joints differ in 1 of 4 frames [local] 3: camera"]),
        ("0 ) 90\n( 2", "0 ) 91\n( 2", &["scene: fields of view differ in 1 of 4 frames [numbers] 0: field of view"]),
        ("\t2\n", "\t3\n", &["scene: list of cuts is [3], was [2] [document]"]),
        ("frameRate 24", "frameRate 30", &["scene: frame rate is 30, was 24 [document]"]),
    ] {
        assert!(CAMERA.contains(from), "{from}");
        let comparison = compare(take(CAMERA), &take(&CAMERA.replacen(from, to, 1)));
        assert_eq!(lines(&comparison), expected, "{to}: {comparison}");
    }
}

const X: &str = "xof 0303txt 0032\nAnimTicksPerSecond { 30; }
Frame arm { FrameTransformMatrix { 1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1;; } }
AnimationSet lift { Animation { {arm} AnimationKey { 2; 4;\n0;3;5,6,7;;,\n10;3;5,6,8;;,\n20;3;5,6,9;;,\n30;3;5,6,7;;; } } }
";

#[test]
fn edits_of_an_x_file_are_listed() {
    let take = |text: &str| take(vec![(PathBuf::from("crane.x"), text.as_bytes().to_vec())]);
    for (edits, expected) in [
        (&[("5,6,8", "5,6.5,8")][..], &["lift: joints differ in 1 of 4 frames [local] 1: arm"][..]),
        (
            &[("\n10;", "\n12;")],
            // The rate is that of the densest keys.
            &[
                "lift: frame rate is 15, was 3 [document]",
                "lift: times of 1 frames differ: frame 1 is at 0.400000 s, was at 0.333333 s [document]",
            ],
        ),
        (
            &[("AnimTicksPerSecond { 30; }", "AnimTicksPerSecond { 24; }")],
            &["ticks per second are 24, were 30 [document]"],
        ),
        (&[("AnimationSet lift", "AnimationSet raise")], &["clip 'raise' was 'lift' [document]"]),
        (
            &[("AnimationSet lift", "AnimationSet raise"), ("5,6,9", "5,6,9.25")],
            &["clip 'raise' was 'lift' [document]", "raise: joints differ in 1 of 4 frames [local] 2: arm"],
        ),
        (&[("5,6,7,1", "5,6,7.5,1")], &["joints of the rest pose differ [skeleton] 0: arm"]),
    ] {
        let edited = edits.iter().fold(X.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        });
        let comparison = compare(take(X), &take(&edited));
        assert_eq!(lines(&comparison), expected, "{edits:?}: {comparison}");
    }
}
