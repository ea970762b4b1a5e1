//! Animations and cameras (docs/formats/md5.md "The animation file").

use super::Expected::{Fails, Same, Says};
use super::{SAME, run_anim, run_camera};

#[test]
fn anims() {
    run_anim(&[
        ("A01", &[], SAME),
        (
            "A02",
            &[("frameRate 24", "frameRate 0")],
            Says("frameRate 0\n", &["6:11 frameRate 0, by which Doom 3 divides"]),
        ),
        (
            "A02b",
            &[("frameRate 24", "frameRate -24")],
            Says("frameRate -24\n", &["6:11 frameRate -24, which Doom 3 refuses"]),
        ),
        (
            "A02c",
            &[("frameRate 24", "frameRate 29.97")],
            Says("frameRate 29.97\n", &["6:11 frameRate 29.97, which Doom 3 cuts to an integer"]),
        ),
        (
            "frame rate under a locale",
            &[("frameRate 24", "frameRate 24,0")],
            Same(&["6:11 the comma in '24,0' is read as a decimal point; export with a point"]),
        ),
        ("no frame rate", &[("frameRate 24\n", "")], Same(&["6:1 there is no 'frameRate'"])),
        ("A03", &[("numFrames 3", "numFrames 0")], Says("numFrames 0\n", &["4:11 numFrames says 0, but 3 follow"])),
        (
            "no frames",
            &[("numFrames 3", "numFrames 0"), ("frame 0…", "")],
            Fails("4:11 the file has no frames, expected at least one"),
        ),
        ("A04", &[("numJoints 2", "numJoints 0")], Says("numJoints 0\n", &["5:11 numJoints says 0, but 2 follow"])),
        ("no joints", &[("\"origin\"…}", "}")], Fails("9:1 the hierarchy has no joints, expected at least one")),
        ("A05 13", &[("Components 3", "Components 13")], Same(&["7:23 numAnimatedComponents says 13, but 3 follow"])),
        ("A05 -1", &[("Components 3", "Components -1")], Same(&["7:23 numAnimatedComponents says -1, but 3 follow"])),
        ("A06 self", &[("\"bone\"\t0", "\"bone\"\t1")], Says("\"bone\"\t1 36 1", &[])),
        ("A06 origin", &[("-1 1 0", "0 1 0")], Says("\"origin\"\t0 1 0", &[])),
        (
            "parent beyond",
            &[("\"bone\"\t0", "\"bone\"\t2")],
            Fails("11:9 joint 'bone' names parent 2, but the file has 2 joints"),
        ),
        ("A07", &[("\"bone\"\t0", "\"bone\"\t-1")], Says("\"bone\"\t-1 36 1", &[])),
        (
            "A08 64",
            &[("-1 1 0", "-1 65 0")],
            Says("\"origin\"\t-1 65 0", &["10:14 flags 65, expected 0 to 63; other bits are ignored"]),
        ),
        (
            "A08 -1",
            &[("-1 1 0", "-1 -1 0")],
            Says(
                "\"origin\"\t-1 -1 0",
                &[
                    "10:14 flags -1, expected 0 to 63; other bits are ignored",
                    "10:17 components 0 to 5 of 3: those that are missing keep the base frame's values",
                ],
            ),
        ),
        (
            "A09",
            &[("36 1", "0 3")],
            Says("\"bone\"\t0 0 3", &["11:13 first component 3 of 3, expected 0 for a joint without components"]),
        ),
        ("A09b", &[("36 1", "0 0")], Says("\"bone\"\t0 0 0", &[])),
        (
            "A10",
            &[("36 1", "36 2")],
            Says(
                "\"bone\"\t0 36 2",
                &["11:14 components 2 to 3 of 3: those that are missing keep the base frame's values"],
            ),
        ),
        (
            "A11",
            &[
                ("Components 3", "Components 0"),
                ("1 0\t//", "0 99\t//"),
                ("36 1", "0 -3"),
                ("\t5\n\t10 0\n", ""),
                ("\t15\n\t12 0.5\n", ""),
                ("\t25\n\t14 -0.5\n", ""),
            ],
            Says("\"bone\"\t0 0 -3", &[]),
        ),
        (
            "A11b",
            &[
                ("Components 3", "Components 0"),
                ("36 1", "0 0"),
                ("\t5\n\t10 0\n", ""),
                ("\t15\n\t12 0.5\n", ""),
                ("\t25\n\t14 -0.5\n", ""),
            ],
            Says(
                "numAnimatedComponents 0\n",
                &["10:16 components 0 to 0 of 0: those that are missing keep the base frame's values"],
            ),
        ),
        (
            "A12 gap",
            &[("frame 1", "frame 2"), ("frame 2 {\n\t25", "frame 3 {\n\t25")],
            Says("frame 2 {\n\t15", &["30:7 frame number 2, expected 1"]),
        ),
        (
            "A12 from 1",
            &[("frame 2", "frame 3"), ("frame 1", "frame 2"), ("frame 0", "frame 1")],
            Says("frame 1 {\n\t5", &["25:7 frame number 1, expected 0"]),
        ),
        (
            "out of order",
            &[("frame 0", "frame 2"), ("frame 2 {\n\t25", "frame 0 {\n\t25")],
            Says(
                "frame 0 {\n\t25\t14\t-0.5\n}\n\nframe 1 {\n\t15\t12\t0.5\n}\n\nframe 2 {\n\t5\t10\t0\n}",
                &["25:7 frame number 2, expected 0", "35:7 frame number 0, expected 2"],
            ),
        ),
        (
            "all frames 0",
            &[("frame 1", "frame 0"), ("frame 2", "frame 0")],
            Says(
                "frame 0 {\n\t5\t10\t0\n}\n\nframe 0 {\n\t15\t12\t0.5\n}\n\nframe 0 {\n\t25",
                &["30:7 frame number 0, expected 1", "35:7 frame number 0, expected 1"],
            ),
        ),
        ("A13", &[("10 0\n", "10\n")], Fails("28:1 frame 0 holds 2 components, expected 3")),
        ("value missing later", &[("12 0.5\n", "12\n")], Fails("32:2 frame 1 holds 2 components, expected 3")),
        ("value too many", &[("12 0.5\n", "12 0.5 7 8\n")], Fails("32:2 frame 1 holds 5 components, expected 3")),
        (
            "value too many everywhere",
            &[("10 0\n", "10 0 7\n"), ("12 0.5\n", "12 0.5 7\n"), ("14 -0.5\n", "14 -0.5 7\n")],
            Says("numAnimatedComponents 4\n", &["7:23 numAnimatedComponents says 3, but 4 follow"]),
        ),
        (
            "value missing everywhere",
            &[("10 0\n", "10\n"), ("12 0.5\n", "12\n"), ("14 -0.5\n", "14\n")],
            Fails("28:1 frame 0 holds 2 components, expected 3"),
        ),
        ("A15c", &[("( -1 -1 -1 ) ( 1 1 1 )", "( 1 1 1 ) ( -1 -1 -1 )")], Says("( 1 1 1 ) ( -1 -1 -1 )\n", &[])),
        ("A19", &[("\"bone\"", "\"bo\" \"ne\"")], Same(&["11:2 adjacent strings are read as one"])),
        ("A20", &[("\t( 0 0 10 ) ( 0 0 0 )\n", "")], Fails("22:1 baseframe holds 1 pose, expected 2, one per joint")),
        (
            "base frame never used",
            &[("\t( 0 0 10 ) ( 0 0 0 )\n", ""), ("36 1", "63 0")],
            Says(
                "\t( 0 0 0 ) ( 0 0 0 )\n}\n\nframe",
                &[
                    "11:14 components 0 to 5 of 3: those that are missing keep the base frame's values",
                    "22:1 baseframe holds 1 poses for 2 joints; the frames replace those that are missing",
                ],
            ),
        ),
        (
            "pose too many",
            &[("( 0 0 10 ) ( 0 0 0 )\n", "( 0 0 10 ) ( 0 0 0 ) ( 1 1 1 ) ( 0 0 0 )\n")],
            Same(&["20:1 baseframe holds 3 poses for 2 joints; the surplus is dropped"]),
        ),
        ("A22", &[("commandline \"\"\n", "")], Says("MD5Version 10\n\nnumFrames", &["3:1 there is no 'commandline'"])),
        ("A23", &[("frame 1 {", "frame 1{")], SAME),
        ("A24", &[("\t10 0\n", "\n10\n\n\t0\n"), ("\t15\n\t12 0.5", "15 12 0.5")], SAME),
        ("A25", &[("\t15\n", "\t1.5e1\n")], SAME),
        ("A27", &[("-1 1 0", "-1 0 0")], Says("\"origin\"\t-1 0 0", &[])),
        ("no bounds", &[("bounds {…}\n\n", "")], Says("bounds {\n}\n", &["14:1 there is no 'bounds'"])),
        (
            "bounds short",
            &[("\t( -3 -3 -3 ) ( 3 3 3 )\n", "")],
            Says("( 2 2 2 )\n}\n", &["14:1 bounds holds 2 boxes for 3 frames"]),
        ),
        ("bounds not closed", &[("}\n\nbaseframe", "baseframe")], Same(&["18:1 'bounds' has no closing '}'"])),
        ("hierarchy not closed", &[("}\n\nbounds", "bounds")], Same(&["12:1 'hierarchy' has no closing '}'"])),
        ("frame not closed", &[("}\n\nframe 1", "frame 1")], Same(&["28:1 'frame' has no closing '}'"])),
        ("last brace missing", &[("-0.5\n}", "-0.5\n")], Same(&["37:9 'frame' has no closing '}'"])),
        (
            "one frame too few",
            &[("frame 2…", "")],
            Says("numFrames 3\n", &["33:2 the file ends here: 1 of 3 frames are missing; export or download it again"]),
        ),
        (
            "cut off",
            &[("-0.5\n}", "")],
            Fails("37:4 the file ends here: 1 of 3 frames are missing; export or download it again"),
        ),
        ("trailing text", &[("-0.5\n}", "-0.5\n}\nnonsense")], Same(&["39:1 text after the last block is not read"])),
        (
            "broken frame behind the last",
            &[("-0.5\n}", "-0.5\n}\nframe 3 { 1 2")],
            Same(&["39:1 text after the last block is not read"]),
        ),
        (
            "frames under a locale",
            &[("12 0.5", "12 0,5")],
            Same(&["32:5 the comma in '0,5' is read as a decimal point; export with a point"]),
        ),
        (
            "commas between values",
            &[("12 0.5", "12, 0.5")],
            Same(&["32:4 ',' is read as white space, but Doom 3 refuses it; remove it"]),
        ),
        (
            "word that begins a line in a frame",
            &[("\t12 0.5", "\tx 0.5")],
            Fails("32:2 expected a number or '}', found 'x'"),
        ),
        ("flags missing", &[("36 1\t", "")], Fails("11:10 expected the joint's flags, found the end of the line")),
        ("word in a frame", &[("12 0.5", "12 x")], Fails("32:5 expected a number or '}', found 'x'")),
        ("no hierarchy", &[("hierarchy {…}\n\n", "")], Fails("9:1 there is no 'hierarchy { … }' block")),
        (
            "no base frame",
            &[("baseframe {…}\n\n", "")],
            Fails("20:1 baseframe holds 0 poses, expected 2, one per joint"),
        ),
        (
            "impossible count in a file that is cut off",
            &[("numFrames 3", "numFrames 2000000000"), ("bounds {…", "bounds {")],
            Fails("14:9 the file ends here: 2000000000 of 2000000000 frames are missing; export or download it again"),
        ),
        (
            "too much to be true",
            &[("numFrames 3", "numFrames 2000000000")],
            Fails("4:11 numFrames says 2000000000, but a file of 392 bytes holds fewer than 50"),
        ),
        ("a mesh", &[("numFrames 3", "numMeshes 3")], Fails("4:1 this is a .md5mesh, expected a .md5anim")),
        (
            "the alpha's anim",
            &[("MD5Version 10\n", ""), ("numFrames", "numchannels")],
            Fails(
                "3:1 version 6 is the layout of the Doom 3 alpha (numbones, channel); only the layout of version 10 is read, so export the file again",
            ),
        ),
    ]);
}

#[test]
fn cameras() {
    run_camera(&[
        ("C00", &[], SAME),
        ("C01", &[("numFrames 4", "numFrames 0")], Says("numFrames 0\n", &["4:11 numFrames says 0, but 4 follow"])),
        ("no frames", &[("( 0 0 64 )…", "}")], Fails("4:11 the file has no frames, expected at least one")),
        (
            "C02 0",
            &[("frameRate 24", "frameRate 0")],
            Says("frameRate 0\n", &["5:11 frameRate 0, by which Doom 3 divides"]),
        ),
        (
            "C02 -1",
            &[("frameRate 24", "frameRate -1")],
            Says("frameRate -1\n", &["5:11 frameRate -1, which Doom 3 refuses"]),
        ),
        ("C04 0", &[("\t2\n", "\t0\n")], Says("cuts {\n\t0\n", &["9:2 no cut can be at frame 0; the last frame is 3"])),
        ("C04 4", &[("\t2\n", "\t4\n")], Says("cuts {\n\t4\n", &["9:2 no cut can be at frame 4; the last frame is 3"])),
        ("C05", &[("\t2\n", "")], Says("cuts {\n}\n", &["6:9 numCuts says 1, but 0 follow"])),
        (
            "C06",
            &[("\t( 0 8 64 ) ( 0 0 0.5 ) 60.5\n", "")],
            Says("( 0 0 0 ) 90\n}\n", &["4:11 numFrames says 4, but 3 follow"]),
        ),
        ("C07", &[(") 90\n", ")\n")], Fails("13:22 expected a number, found the end of the line")),
        ("word among the cuts", &[("\t2\n", "\tx\n")], Fails("9:2 expected a frame number or '}', found 'x'")),
        ("C08", &[("numCuts 1", "numCuts 3"), ("\t2\n", "\t3\n\t2\n\t2\n")], Says("cuts {\n\t3\n\t2\n\t2\n}", &[])),
        (
            "no cuts",
            &[("cuts {…}\n\n", "")],
            Says("cuts {\n}\n", &["6:9 numCuts says 1, but 0 follow", "8:1 there is no 'cuts'"]),
        ),
        ("cuts not closed", &[("}\n\ncamera", "camera")], Same(&["10:1 'cuts' has no closing '}'"])),
        ("trailing text", &[("60.5\n}", "60.5\n}\n(")], Same(&["18:1 text after the last block is not read"])),
        (
            "cut off",
            &[("( 0 8 64 )…", "")],
            Fails("15:25 the file ends here: 1 of 4 frames are missing; export or download it again"),
        ),
        ("camera not closed", &[("60.5\n}", "60.5\n")], Same(&["16:29 'camera' has no closing '}'"])),
        ("an anim", &[("numCuts", "numJoints")], Fails("6:1 this is a .md5anim, expected a .md5camera")),
    ]);
}
