//! Doom 3's verdicts, case by case. The ids are those of the parsers' cases, the expected messages come from its
//! loaders, and the lines from counting in the changed base file
//! (docs/formats/md5.md "What Doom 3 checks in a mesh file").

use bindpose::engines::EngineId;
use bindpose::import::Contents;
use bindpose::validate::doom3::{Loaded, check_pair, load};
use bindpose::validate::profiles::Effect;
use bindpose::validate::{Input, Options, Outcome, Verdict};

const MESH: &str = include_str!("../cases/validate/base.md5mesh");
const ANIM: &str = include_str!("../cases/validate/base.md5anim");
const CAMERA: &str = include_str!("../cases/validate/base.md5camera");

enum Expected {
    /// Loads without a message.
    Loads,
    /// Loads with these warnings.
    Warns(&'static [(&'static str, u32)]),
    /// Loads, but with undefined behaviour.
    Undefined,
    /// Refused with this message at this line.
    Refuses(&'static str, u32),
    /// Refused as with `Refuses`, but after undefined behaviour: the process may have crashed by then.
    RefusesUndefined(&'static str, u32),
    /// Refused as with `Refuses`, after these warnings.
    RefusesAfter(&'static str, u32, &'static [(&'static str, u32)]),
    /// Refused with this message, without a line.
    RefusesSomewhere(&'static str),
    /// Terminates the process.
    Dies,
}
use Expected::*;

/// A case: its id, the replacements (each must occur in the base) and the engine's reaction.
type Case = (&'static str, &'static [(&'static str, &'static str)], Expected);

fn change(base: &str, id: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(base.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{id}: the base has no {from:?}");
        text.replacen(from, to, 1)
    })
}

fn mesh(bytes: &[u8]) -> Loaded<'_> {
    load(EngineId::Doom3, Contents::Model, bytes)
}

fn anim(bytes: &[u8]) -> Loaded<'_> {
    load(EngineId::Doom3, Contents::Clip, bytes)
}

fn camera(bytes: &[u8]) -> Loaded<'_> {
    load(EngineId::Doom3, Contents::Camera, bytes)
}

fn check(id: &str, verdict: &Verdict, expected: &Expected) {
    let refusal = verdict.refusal.as_ref().map(|refusal| (refusal.message.as_str(), refusal.line));
    let warnings: Vec<_> =
        verdict.warnings.iter().map(|warning| (warning.message.as_str(), warning.line.unwrap_or(0))).collect();
    let (outcome, said, warned, undefined) = match *expected {
        Loads => (Outcome::Loads, None, &[][..], false),
        Warns(warned) => (Outcome::Loads, None, warned, false),
        Undefined => (Outcome::Loads, None, &[][..], true),
        Refuses(message, line) => (Outcome::Drops, Some((message, Some(line))), &[][..], false),
        RefusesUndefined(message, line) => (Outcome::Drops, Some((message, Some(line))), &[][..], true),
        RefusesAfter(message, line, warned) => (Outcome::Drops, Some((message, Some(line))), warned, false),
        RefusesSomewhere(message) => (Outcome::Drops, Some((message, None)), &[][..], false),
        Dies => (Outcome::Exits, Some(("integer division by zero", None)), &[][..], false),
    };
    assert_eq!(verdict.outcome, outcome, "{id}: {verdict:?}");
    assert_eq!(refusal, said, "{id}");
    // If the loader reads outside an array, its warning is part of the same case.
    if !undefined {
        assert_eq!(warnings, warned, "{id}");
    }
    assert_eq!(!verdict.undefined.is_empty(), undefined, "{id}: {:?}", verdict.undefined);
}

/// Replaces the position in the `bone` line, for cases of numbers.
macro_rules! position {
    ($text:literal) => {
        &[("( 0 0 10 )", $text)]
    };
}

const MESH_CASES: &[Case] = &[
    ("M01", &[], Loads),
    ("M02", &[("MD5Version 10", "MD5Version 11")], Refuses("Invalid version 11.  Should be version 10", 1)),
    ("M02 12", &[("MD5Version 10", "MD5Version 12")], Refuses("Invalid version 12.  Should be version 10", 1)),
    ("M02 6", &[("MD5Version 10", "MD5Version 6")], Refuses("Invalid version 6.  Should be version 10", 1)),
    ("M02b 10.0", &[("MD5Version 10", "MD5Version 10.0")], Loads),
    ("M02b 10.9", &[("MD5Version 10", "MD5Version 10.9")], Loads),
    ("M02b 0xA", &[("MD5Version 10", "MD5Version 0xA")], Loads),
    ("M02b 0XA", &[("MD5Version 10", "MD5Version 0XA")], Loads),
    ("M02b 012", &[("MD5Version 10", "MD5Version 012")], Loads),
    ("M02b 0b1010", &[("MD5Version 10", "MD5Version 0b1010")], Loads),
    ("M02b 10u", &[("MD5Version 10", "MD5Version 10u")], Loads),
    ("M02b 10L", &[("MD5Version 10", "MD5Version 10L")], Loads),
    ("M02b 10uL", &[("MD5Version 10", "MD5Version 10uL")], Loads),
    ("M02b wraps", &[("MD5Version 10", "MD5Version 4294967306")], Loads),
    ("M02e", &[("MD5Version 10", "MD5Version 10f")], Refuses("expected 'commandline' but found 'f'", 1)),
    ("version +10", &[("MD5Version 10", "MD5Version +10")], Refuses("expected integer value, found '+'", 1)),
    ("version quoted", &[("MD5Version 10", "MD5Version \"10\"")], Refuses("expected integer value, found '10'", 1)),
    (
        "version minus",
        &[("MD5Version 10", "MD5Version - 10")],
        Refuses("Invalid version -10.  Should be version 10", 1),
    ),
    ("M03", &[("commandline \"x\"\n", "")], Refuses("expected 'commandline' but found 'numJoints'", 3)),
    ("M04", &[("commandline \"x\"", "commandline x")], Loads),
    ("M05", &[("commandline \"x\"", "commandline mesh foo")], Refuses("expected 'numJoints' but found 'foo'", 2)),
    ("M05b", &[("commandline \"x\"", "commandline \"x\" \"y\"")], Loads),
    ("M05b lines", &[("commandline \"x\"", "commandline \"x\"\n\"y\"")], Loads),
    (
        "M08",
        &[
            ("numJoints 2", "numJoints 0"),
            ("numMeshes 1", "numMeshes 0"),
            ("\t\"origin\"\t-1 ( 0 0 0 ) ( 0 0 0 )\t\t// \n", ""),
            ("\t\"bone\"\t0 ( 0 0 10 ) ( 0 0 0.7071067691 )\t\t// origin\n", ""),
        ],
        Loads,
    ),
    ("M35", &[("( -8 0 -10 )\n}\n", "( -8 0 -10 )\n}\n@ \"unterminated")], Loads),
    ("M44b", position!("( 0 0 /*/ 10 )"), Loads),
    ("M47", &[("MD5Version", "\u{feff}MD5Version")], Loads),
    ("M56", &[("mesh {", "\0mesh {")], Refuses("couldn't find expected 'mesh'", 12)),
    ("M57", position!("( 0\u{1}0\u{b}10 )"), Loads),
    ("M60", &[("joints {", "\"joints\" {")], Loads),
    ("M63", &[("// meshes: m", "// } meshes { m")], Loads),
    ("M65", &[("numMeshes 1", "numMeshes 1;")], Refuses("expected 'joints' but found ';'", 5)),
    ("M66", &[("( -8 0 -10 )\n}\n", "( -8 0 -10 )\n")], Refuses("couldn't find expected '}'", 32)),
    ("M74", position!("( 0 @ 10 )"), Refuses("unknown punctuation @", 9)),
    ("back tick", position!("( 0 ` 10 )"), Refuses("unknown punctuation `", 9)),
    // White space, comments and strings.
    (
        "swallowed digit",
        &[("numJoints 2", "numJoints /* two */2")],
        Refuses("expected integer value, found 'numMeshes'", 5),
    ),
    (
        "swallowed line end",
        &[("\"x\"", "\"x\" /* */"), ("( 0 0 10 )", "( 0 0 nan )")],
        Refuses("expected float value, found 'nan'", 8),
    ),
    ("unclosed comment", &[("// meshes: m", "/* meshes: m")], Refuses("couldn't find expected 'shader'", 33)),
    ("nested comment", &[("numtris 2", "/* a /* b */ numtris 2")], Warns(&[("nested comment", 22)])),
    // Searching for `name` reads the comment, and putting the token back reads it again.
    (
        "nested comment twice",
        &[("// meshes: m", "/* a /* b */ ")],
        Warns(&[("nested comment", 13), ("nested comment", 13)]),
    ),
    (
        "nested after a string",
        &[("\"x\"", "\"x\" /* a /* b */ ")],
        Warns(&[("nested comment", 2), ("nested comment", 2)]),
    ),
    ("hash", &[("// meshes: m", "# meshes")], Refuses("expected 'shader' but found '#'", 13)),
    ("newline in string", &[("\"models/test\"", "\"models/test")], Refuses("newline inside string", 14)),
    ("backslash in string", &[("\"models/test\"", "\"models\\test\\\"")], Loads),
    ("empty string", &[("\"x\"", "\"\"")], Loads),
    ("comment at the very end", &[("( -8 0 -10 )\n}\n", "( -8 0 -10 )\n}\n// end")], Loads),
    ("Latin-1 junk", &[("// meshes: m", "\u{e9}")], Loads),
    ("keyword in capitals", &[("joints {", "Joints {")], Refuses("expected 'joints' but found 'Joints'", 7)),
    ("nothing but white space", &[(MESH, " \n\n")], Refuses("couldn't find expected 'MD5Version'", 3)),
    ("empty", &[(MESH, "")], Refuses("couldn't find expected 'MD5Version'", 1)),
    // Numbers.
    ("M18", position!("( 0 0 nan )"), Refuses("expected float value, found 'nan'", 9)),
    ("M18b", position!("( 0 0 -nan )"), Refuses("expected a number but found 'nan'", 9)),
    ("M18c", position!("( 0 0 inf )"), Refuses("expected float value, found 'inf'", 9)),
    ("1.#IND", position!("( 0 0 1.#IND )"), Refuses("parsed 1.#IND", 9)),
    ("-1.#IND00", position!("( 0 0 -1.#IND00 )"), Refuses("parsed 1.#IND00", 9)),
    ("1.#INF", position!("( 0 0 1.#INF )"), Refuses("parsed 1.#INF", 9)),
    ("M19c", position!("( 0 0 1.#QNAN )"), Refuses("parsed 1.#QNA", 9)),
    ("M20 1e1", position!("( 0 0 1e1 )"), Loads),
    ("M20 1.0e+01", position!("( 0 0 1.0e+01 )"), Loads),
    ("M20 1E5", position!("( 0 0 1E5 )"), Refuses("expected ')' but found 'E5'", 9)),
    ("M20e", position!("( 0 0e0 10 )"), Refuses("expected float value, found 'e0'", 9)),
    ("M20f", position!("( -0 -0.0 10 )"), Loads),
    ("M20g", position!("( .5 5. -.5 )"), Loads),
    ("M20h", position!("( 0 0 0.5f )"), Loads),
    ("M20h F", position!("( 1.0F 1.0l 10 )"), Loads),
    ("M20i", position!("( 0,5 0 10 )"), Refuses("expected float value, found ','", 9)),
    ("M20j", position!("( 00.5 0 10 )"), Refuses("expected ')' but found '10'", 9)),
    ("M20 1e39", position!("( 0 0 1e39 )"), Loads),
    ("M20 1e400", position!("( 0 0 1e400 )"), Loads),
    ("M21", position!("( 0 0 +10 )"), Refuses("expected float value, found '+'", 9)),
    ("M22", position!("( 0, 0, 10 )"), Refuses("expected float value, found ','", 9)),
    ("M22c", position!("(0 0 10)"), Loads),
    ("no parenthesis", position!("0 0 10"), Refuses("expected '(' but found '0'", 9)),
    ("M49", &[("numverts 4", "numverts 04")], Loads),
    ("M49b", &[("numverts 4", "numverts 08")], Refuses("expected 'numtris' but found '8'", 16)),
    ("M49 010", &[("numverts 4", "numverts 010")], Refuses("expected 'vert' but found 'numtris'", 22)),
    ("M50", &[("numverts 4", "numverts 0x4")], Loads),
    ("M51", &[("numJoints 2", "numJoints 2.9")], Loads),
    (
        "negative float as int",
        &[("\"origin\"\t-1", "\"origin\"\t-1.0")],
        Refuses("expected integer but found '1.0'", 8),
    ),
    ("minus apart", &[("\"origin\"\t-1", "\"origin\"\t- /* one */ 1")], Loads),
    ("M53", &[("numverts 4", "numverts 4294967300")], Loads),
    ("M59b", &[("\"origin\"\t-1", "\"origin\"\t--1")], Refuses("expected integer value, found '--'", 8)),
    ("M67", position!("( 0 0 1.2.3 )"), Refuses("more than one dot in number", 9)),
    ("M67 ends", &[("numJoints 2", "numJoints 2..")], Refuses("more than one dot in number", 4)),
    ("minus equals", position!("( 0 0 -= )"), Refuses("expected float value, found '-='", 9)),
    ("minus and a brace", position!("( 0 0 - )"), Refuses("expected a number but found ')'", 9)),
    // Joints and names.
    (
        "M09 self",
        &[("\t\"bone\"", "\t\"a\" 1 ( 0 0 0 ) ( 0 0 0 )\n\t\"bone\""), ("numJoints 2", "numJoints 3")],
        Undefined,
    ),
    (
        "M09 forward",
        &[
            ("\"origin\"\t-1", "\"origin\"\t1"),
            ("\t\"bone\"", "\t\"a\" 0 ( 0 0 0 ) ( 0 0 0 )\n\t\"bone\""),
            ("numJoints 2", "numJoints 3"),
        ],
        Undefined,
    ),
    ("M10", &[("\"origin\"\t-1", "\"origin\"\t0")], Undefined),
    ("M11", &[("\"origin\"\t-1", "\"origin\"\t1")], Refuses("Invalid parent for joint 'origin'", 8)),
    ("M11 last is a parent", &[("\"bone\"\t0", "\"bone\"\t1")], Refuses("Invalid parent for joint 'bone'", 9)),
    (
        "one joint, its own parent",
        &[("numJoints 2", "numJoints 1"), ("\"origin\"\t-1", "\"origin\"\t0")],
        Refuses("Invalid parent for joint 'origin'", 8),
    ),
    ("two roots", &[("\"bone\"\t0", "\"bone\"\t-1")], Undefined),
    ("M14", &[("\"bone\"", "\"origin\"")], Loads),
    ("M39", &[("\"bone\"", "\"bo\" \"ne\"")], Loads),
    ("M39b", &[("\"bone\"", "bone")], Loads),
    ("M39c", &[("\"bone\"", "Bip01.L/Arm")], Loads),
    ("name with a minus", &[("\"bone\"", "te-st")], Refuses("expected a number but found 'st'", 9)),
    ("name of two words", &[("\"bone\"", "Bip01 L")], Refuses("expected integer value, found 'L'", 9)),
    ("name with two dots", &[("\"bone\"", "..")], Loads),
    ("name is a number", &[("\"bone\"", "12")], Loads),
    ("M39f", &[("\"bone\"", "'bone'")], Warns(&[("literal is not one character long", 9)])),
    ("M39f one character", &[("\"bone\"", "'b'")], Loads),
    ("too few joints", &[("numJoints 2", "numJoints 3")], Refuses("expected integer value, found 'mesh'", 12)),
    ("too many joints", &[("numJoints 2", "numJoints 1")], Refuses("expected '}' but found 'bone'", 9)),
    // Geometry.
    ("M24", &[("vert 0 ( 0 0 ) 0 1", "vert 0 ( 0 0 ) 0 0")], Refuses("Vertex without any joint weights.", 17)),
    ("M24b", &[("vert 0 ( 0 0 ) 0 1", "vert 0 ( 0 0 ) 0 -1")], Undefined),
    ("M26", &[("( 0 1 ) 3 2", "( 0 1 ) 3 3")], Undefined),
    ("first below 0", &[("vert 0 ( 0 0 ) 0 1", "vert 0 ( 0 0 ) -1 1")], Undefined),
    ("M27", &[("weight 4 1 0.5", "weight 4 1 0")], Loads),
    ("M28", &[("weight 3 0 0.5", "weight 3 0 1.5"), ("weight 4 1 0.5", "weight 4 1 -0.5")], Loads),
    ("M29", &[("tri 0 0 2 1", "tri 0 0 2 4")], RefusesSomewhere("R_RangeCheckIndexes: index out of range")),
    ("M30", &[("tri 0 0 2 1", "tri 0 0 2 -1")], RefusesSomewhere("R_RangeCheckIndexes: index out of range")),
    (
        "M29 after a syntax error",
        &[("tri 0 0 2 1", "tri 0 0 2 4"), ("( -8 0 -10 )\n}", "( -8 0 -10 )\n]")],
        Refuses("expected '}' but found ']'", 32),
    ),
    ("M32", &[("weight 4 1", "weight 4 -1")], Refuses("Joint Index out of range(2): -1", 31)),
    ("M32 2", &[("weight 4 1", "weight 4 2")], Refuses("Joint Index out of range(2): 2", 31)),
    ("M33", &[("numMeshes 1", "numMeshes 2")], Refuses("couldn't find expected 'mesh'", 33)),
    ("M36", &[("\tshader", "\tname \"foo\"\n\tshader")], Loads),
    ("M36b", &[("\tshader", "\tflags { }\n\tshader")], Refuses("expected 'shader' but found 'flags'", 14)),
    ("M37c", &[("\"models/test\"", "\"\"")], Loads),
    ("M38", &[("\tshader \"models/test\"\n", "")], Refuses("expected 'shader' but found 'numverts'", 15)),
    ("M54", &[("numverts 4", "numverts -1")], Refuses("Invalid size: models/test", 16)),
    ("M54b", &[("numtris 2", "numtris -1")], Refuses("Invalid size: -1", 22)),
    ("M54c", &[("numMeshes 1", "numMeshes -1")], Refuses("Invalid size: -1", 5)),
    ("numweights -1", &[("numweights 5", "numweights -1")], Refuses("Invalid size: -1", 26)),
    ("M68", &[("numverts 4", "numverts 5")], Refuses("expected 'vert' but found 'numtris'", 22)),
    ("M69", &[("numverts 4", "numverts 3")], Refuses("expected 'numtris' but found 'vert'", 20)),
    (
        "M70",
        &[("weight 1 0 1 ( 8 0 0 )\n\tweight 2 0 1 ( 8 8 0 )", "weight 2 0 1 ( 8 8 0 )\n\tweight 1 0 1 ( 8 0 0 )")],
        Loads,
    ),
    (
        "huge count",
        &[("numverts 4", "numverts 2000000000")],
        RefusesUndefined("expected 'vert' but found 'numtris'", 22),
    ),
    // With three corners per triangle, the size of the array overflows to a negative number.
    (
        "corners wrap",
        &[("numtris 2", "numtris 1215752191")],
        RefusesUndefined("expected 'tri' but found 'numweights'", 26),
    ),
    // The end of the range overflows too, and the check against the number of weights passes without a warning.
    ("range wraps", &[("vert 0 ( 0 0 ) 0 1", "vert 0 ( 0 0 ) 2147483647 1")], Undefined),
    ("count wraps", &[("vert 3 ( 0 1 ) 3 2", "vert 3 ( 0 1 ) 3 2147483647")], Undefined),
    ("M55", &[("numJoints 2", "numJoints -1")], RefusesUndefined("expected '}' but found 'origin'", 8)),
    (
        "many joints",
        &[("numJoints 2", "numJoints 200000")],
        RefusesUndefined("expected integer value, found 'mesh'", 12),
    ),
    ("v12 body", &[("vert 0 ( 0 0 ) 0 1", "( 0 0 ) 0 1")], Refuses("expected 'vert' but found '('", 17)),
    (
        "v12 vertex",
        &[("vert 0 ( 0 0 ) 0 1", "vert 0 ( 0 0 ) ( 0 0 1 ) 0 1")],
        Refuses("expected integer value, found '('", 17),
    ),
    // Observed with the engine's lexer.
    ("exponent without digits", position!("( 0 0 1e )"), Loads),
    ("exponent twice", position!("( 0 0 1e1e1 )"), Refuses("expected ')' but found 'e1'", 9)),
    ("two dots and an exponent", position!("( 0 0 1.2.3e4 )"), Refuses("more than one dot in number", 9)),
    ("address", position!("( 0 0 1.2.3.4 )"), Refuses("more than one dot in number", 9)),
    ("port", position!("( 0 0 12:30 )"), Refuses("expected ')' but found ':'", 9)),
    (
        "hexadecimal without digits",
        &[("numverts 4", "numverts 0x")],
        Refuses("expected 'numtris' but found 'vert'", 17),
    ),
    ("third suffix", &[("numverts 4", "numverts 4lul")], Refuses("expected 'vert' but found 'l'", 16)),
    ("minus on the next line", &[("\"origin\"\t-1", "\"origin\"\t-\n1")], Loads),
    ("arrow", position!("( 0 0 -> )"), Refuses("expected float value, found '->'", 9)),
    ("parentheses", position!("(( 0 0 10 )"), Refuses("expected float value, found '('", 9)),
    ("colons", &[("\"bone\"", "::")], Loads),
    ("glued", &[("mesh {", "mesh{")], Loads),
    ("star and slash", &[("mesh {", "*/ mesh {")], Refuses("expected 'mesh' but found '*'", 12)),
    ("slash and equals", &[("mesh {", "/= mesh {")], Refuses("expected 'mesh' but found '/'", 12)),
    ("cut infinity", position!("( 0 0 1.#INF )"), Refuses("parsed 1.#INF", 9)),
    ("quoted brace joins the name", &[("joints {", "joints \"{\"")], Refuses("expected '{' but found '{origin'", 8)),
    ("name in capitals", &[("joints {", "Joints {")], Refuses("expected 'joints' but found 'Joints'", 7)),
    ("blank lines", &[("numMeshes 1\n", "\n\nnumMeshes -1\n")], Refuses("Invalid size: -1", 7)),
    (
        "line behind the culprit",
        &[("vert 1 ( 1 0 ) 1 1", "vert 1 ( 1 0 ) 1")],
        Refuses("expected integer value, found 'vert'", 19),
    ),
    ("DEL", position!("( 0 \u{7f} 10 )"), Refuses("unknown punctuation \u{7f}", 9)),
    (
        "name without a string",
        &[("\tshader \"models/test\"", "\tname shader \"models/test\"")],
        Refuses("expected 'shader' but found 'models/test'", 14),
    ),
    (
        "literals are put back",
        &[("\tshader", "\t'ab' shader")],
        RefusesAfter("expected 'shader' but found 'ab'", 14, &[("literal is not one character long", 14); 2]),
    ),
    ("v6 body", &[("numJoints 2", "numbones 2")], Refuses("expected 'numJoints' but found 'numbones'", 4)),
];

const ANIM_CASES: &[Case] = &[
    ("A01", &[], Loads),
    ("A02", &[("frameRate 24", "frameRate 0")], Dies),
    (
        "A02 and a fault",
        &[("frameRate 24", "frameRate 0"), ("frame 2 {", "frame 3 {")],
        Refuses("Expected frame number 2", 35),
    ),
    ("A02b", &[("frameRate 24", "frameRate -24")], Refuses("Invalid frame rate: -24", 6)),
    ("A02c", &[("frameRate 24", "frameRate 29.97")], Loads),
    ("A02 0.5", &[("frameRate 24", "frameRate 0.5")], Dies),
    ("A03", &[("numFrames 3", "numFrames 0")], Refuses("Invalid number of frames: 0", 4)),
    ("A04", &[("numJoints 2", "numJoints 0")], Refuses("Invalid number of joints: 0", 5)),
    (
        "A05",
        &[("numAnimatedComponents 3", "numAnimatedComponents 13")],
        Refuses("Invalid number of animated components: 13", 7),
    ),
    (
        "A05 -1",
        &[("numAnimatedComponents 3", "numAnimatedComponents -1")],
        Refuses("Invalid number of animated components: -1", 7),
    ),
    ("A06", &[("\"bone\"\t0 36 1", "\"bone\"\t1 36 1")], Refuses("Invalid parent num: 1", 11)),
    ("A06 origin", &[("\"origin\"\t-1 1 0", "\"origin\"\t0 1 0")], Refuses("Invalid parent num: 0", 10)),
    ("A07", &[("\"bone\"\t0 36 1", "\"bone\"\t-1 36 1")], Refuses("Animations may have only one root joint", 11)),
    ("A08", &[("\"bone\"\t0 36 1", "\"bone\"\t0 64 1")], Refuses("Invalid anim bits: 64", 11)),
    ("A08 -1", &[("\"bone\"\t0 36 1", "\"bone\"\t0 -1 1")], Refuses("Invalid anim bits: -1", 11)),
    ("A09", &[("\"bone\"\t0 36 1", "\"bone\"\t0 0 3")], Refuses("Invalid first component: 3", 11)),
    ("A09b", &[("\"bone\"\t0 36 1", "\"bone\"\t0 0 0")], Loads),
    ("A09 below 0", &[("\"bone\"\t0 36 1", "\"bone\"\t0 0 -1")], Refuses("Invalid first component: -1", 11)),
    ("A10", &[("\"bone\"\t0 36 1", "\"bone\"\t0 36 2")], Undefined),
    (
        "A11",
        &[
            ("numAnimatedComponents 3", "numAnimatedComponents 0"),
            ("-1 1 0", "-1 0 99"),
            ("0 36 1", "0 0 -3"),
            ("\t5\n\t10 0\n", ""),
            ("\t15\n\t12 0.5\n", ""),
            ("\t25\n\t14 -0.5\n", ""),
        ],
        Loads,
    ),
    (
        "A11b",
        &[
            ("numAnimatedComponents 3", "numAnimatedComponents 0"),
            ("-1 1 0", "-1 1 99"),
            ("0 36 1", "0 36 -3"),
            ("\t5\n\t10 0\n", ""),
            ("\t15\n\t12 0.5\n", ""),
            ("\t25\n\t14 -0.5\n", ""),
        ],
        Undefined,
    ),
    ("A12", &[("frame 1 {", "frame 2 {")], Refuses("Expected frame number 1", 30)),
    ("A12 from 1", &[("frame 0 {", "frame 1 {")], Refuses("Expected frame number 0", 25)),
    ("A13", &[("\t10 0\n", "\t10\n")], Refuses("expected float value, found '}'", 28)),
    ("one value too many", &[("\t10 0\n", "\t10 0 0\n")], Refuses("expected '}' but found '0'", 27)),
    ("A15c", &[("( -1 -1 -1 ) ( 1 1 1 )", "( 1 1 1 ) ( -1 -1 -1 )")], Loads),
    ("A19", &[("\"bone\"", "\"bo\" \"ne\"")], Refuses("expected integer value, found 'ne'", 11)),
    ("A20", &[("\t( 0 0 10 ) ( 0 0 0 )\n", "")], Refuses("expected '(' but found '}'", 22)),
    ("A22", &[("commandline \"\"\n", "")], Refuses("expected 'commandline' but found 'numFrames'", 3)),
    ("A23", &[("frame 1 {", "frame 1{")], Loads),
    ("A24", &[("\t5\n\t10 0\n", "5 10 0 ")], Loads),
    ("A25", &[("\t15\n", "\t1.5e1\n")], Loads),
    ("A27", &[("-1 1 0", "-1 0 0")], Loads),
    ("M05b", &[("commandline \"\"", "commandline \"x\" \"y\"")], Refuses("expected 'numFrames' but found 'y'", 2)),
    (
        "no bounds",
        &[("bounds {\n\t( -1 -1 -1 ) ( 1 1 1 )\n\t( -2 -2 -2 ) ( 2 2 2 )\n\t( -3 -3 -3 ) ( 3 3 3 )\n}\n\n", "")],
        Refuses("expected 'bounds' but found 'baseframe'", 14),
    ),
    ("bounds short", &[("\t( -3 -3 -3 ) ( 3 3 3 )\n", "")], Refuses("expected '(' but found '}'", 17)),
    (
        "bounds long",
        &[("\t( -3 -3 -3 ) ( 3 3 3 )\n", "\t( -3 -3 -3 ) ( 3 3 3 )\n\t( 0 0 0 ) ( 0 0 0 )\n")],
        Refuses("expected '}' but found '('", 18),
    ),
    (
        "fewer frames",
        &[
            ("numFrames 3", "numFrames 4"),
            ("\t( -3 -3 -3 ) ( 3 3 3 )\n", "\t( -3 -3 -3 ) ( 3 3 3 )\n\t( 0 0 0 ) ( 0 0 0 )\n"),
        ],
        Refuses("couldn't find expected 'frame'", 40),
    ),
    ("more frames", &[("numFrames 3", "numFrames 2"), ("\t( -3 -3 -3 ) ( 3 3 3 )\n", "")], Loads),
    ("huge frames", &[("numFrames 3", "numFrames 2000000000")], RefusesUndefined("expected '(' but found '}'", 18)),
    ("frame over the last line", &[("\t14 -0.5\n}\n", "\t14 -0.5\n")], Refuses("couldn't find expected '}'", 38)),
    ("literal", &[("\"bone\"", "'bone'")], Warns(&[("literal is not one character long", 11)])),
    (
        "backslash joins nothing",
        &[("commandline \"\"", "commandline \"a\" \\\n\"b\"")],
        Refuses("expected 'numFrames' but found '\\'", 2),
    ),
    (
        "joints by 6 wrap",
        &[("numJoints 2", "numJoints 715827883")],
        Refuses("Invalid number of animated components: 3", 7),
    ),
    ("rate missing", &[("frameRate 24\n", "")], Refuses("expected 'frameRate' but found 'numAnimatedComponents'", 6)),
];

const CAMERA_CASES: &[Case] = &[
    ("camera", &[], Loads),
    ("C01", &[("numFrames 4", "numFrames 0")], Refuses("Invalid number of frames: 0", 4)),
    ("C02", &[("frameRate 24", "frameRate 0")], Refuses("Invalid framerate: 0", 5)),
    ("C02 -1", &[("frameRate 24", "frameRate -1")], Refuses("Invalid framerate: -1", 5)),
    ("cuts over frames", &[("numCuts 1", "numCuts 5")], Refuses("Invalid number of camera cuts: 5", 6)),
    ("cuts below 0", &[("numCuts 1", "numCuts -1")], Refuses("Invalid number of camera cuts: -1", 6)),
    ("C04 0", &[("\t2\n", "\t0\n")], Refuses("Invalid camera cut", 9)),
    ("C04 = numFrames", &[("\t2\n", "\t4\n")], Refuses("Invalid camera cut", 9)),
    ("C05", &[("numCuts 1", "numCuts 2")], Refuses("expected integer value, found '}'", 10)),
    ("C06", &[("numFrames 4", "numFrames 5")], Refuses("expected '(' but found '}'", 17)),
    ("C07", &[("( 0 0 0 ) 90", "( 0 0 0 )")], Refuses("expected float value, found '('", 14)),
    ("huge frames", &[("numFrames 4", "numFrames 2000000000")], RefusesUndefined("expected '(' but found '}'", 17)),
    ("C08", &[("numCuts 1", "numCuts 2"), ("\t2\n", "\t2\n\t2\n")], Loads),
];

#[test]
fn meshes_are_judged_as_by_the_engine() {
    for (id, edits, expected) in MESH_CASES {
        check(id, &mesh(change(MESH, id, edits).as_bytes()).verdict, expected);
    }
}

#[test]
fn anims_are_judged_as_by_the_engine() {
    for (id, edits, expected) in ANIM_CASES {
        check(id, &anim(change(ANIM, id, edits).as_bytes()).verdict, expected);
    }
}

#[test]
fn cameras_are_judged_as_by_the_engine() {
    for (id, edits, expected) in CAMERA_CASES {
        check(id, &camera(change(CAMERA, id, edits).as_bytes()).verdict, expected);
    }
}

#[test]
fn line_ends_do_not_matter_but_for_comments() {
    let windows = MESH.replace('\n', "\r\n");
    check("CRLF", &mesh(windows.as_bytes()).verdict, &Loads);
    let bare = MESH.replace('\n', "\r");
    check("M48b", &mesh(bare.as_bytes()).verdict, &Refuses("couldn't read expected integer", 1));
    let without_comments = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    let lines: Vec<_> = MESH.lines().map(without_comments).collect();
    check("M48c", &mesh(lines.join("\r").as_bytes()).verdict, &Loads);
    check("M48d", &mesh(lines.join(" ").as_bytes()).verdict, &Loads);
    let cut = MESH.split_at(MESH.find("els/test").expect("in the base")).0;
    check("M41", &mesh(cut.as_bytes()).verdict, &Refuses("missing trailing quote", 14));
}

#[test]
fn a_warning_lists_the_missing_weights() {
    let text = change(MESH, "M26", &[("( 0 1 ) 3 2", "( 0 1 ) 3 3")]);
    let verdict = mesh(text.as_bytes()).verdict;
    let warnings: Vec<_> =
        verdict.warnings.iter().map(|warning| (warning.message.as_str(), warning.line.unwrap_or(0))).collect();
    assert_eq!(warnings, [("Vertices reference out of range weights in model (6 of 5 weights).", 26)], "M26");
}

#[test]
fn pairs_are_compared_in_the_engines_order() {
    const COUNT: &str = "Model 'm' has different # of joints than anim 'a'";
    const NAMES: &str = "Model 'm''s joint names don't match anim 'a''s";
    const PARENTS: &str = "Model 'm' has different joint hierarchy than anim 'a'";
    let on = mesh(MESH.as_bytes());
    // RBDOOM-3-BFG continues after a different count, and does not compare roots.
    type Case =
        (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str], &'static [&'static str]);
    let cases: &[Case] = &[
        ("same", &[], &[], &[]),
        ("P10", &[("\"bone\"", "\"Bone\"")], &[NAMES], &[NAMES]),
        ("P11", &[("\"origin\"", "\"bone\""), ("\t\"bone\"\t0", "\t\"origin\"\t0")], &[NAMES], &[NAMES]),
        ("P12", &[("numJoints 2", "numJoints 1"), ("\t\"bone\"\t0 36 1", "")], &[COUNT], &[COUNT]),
        (
            "P12 and a name",
            &[("numJoints 2", "numJoints 1"), ("\t\"bone\"\t0 36 1", ""), ("\"origin\"", "\"Origin\"")],
            &[COUNT],
            &[COUNT, NAMES],
        ),
        ("more joints", &[("numJoints 2", "numJoints 3"), ("0 36 1\t", "0 36 1\n\"c\" 1 0 0\t")], &[COUNT], &[COUNT]),
        ("root -7", &[("\"origin\"\t-1", "\"origin\"\t-7")], &[PARENTS], &[]),
    ];
    for (id, edits, original, rbdoom) in cases {
        let text = change(ANIM, id, edits);
        let clip = anim(text.as_bytes());
        for (engine, expected) in
            [(EngineId::Doom3, original), (EngineId::Tdm, original), (EngineId::Rbdoom3Bfg, rbdoom)]
        {
            let found = check_pair(engine, &on.joints, &clip.joints, "m", "a");
            let said: Vec<_> = found.iter().map(|mismatch| mismatch.message.as_str()).collect();
            assert_eq!(said, **expected, "{id}, {engine:?}");
            let outside = engine == EngineId::Rbdoom3Bfg && *id == "more joints";
            assert_eq!(found.iter().any(|mismatch| mismatch.reads_outside), outside, "{id}, {engine:?}");
        }
    }
}

#[test]
fn the_dark_mod_does_not_swallow_what_follows_a_comment() {
    let text = change(MESH, "swallowed digit", &[("numJoints 2", "numJoints /* two */2")]);
    let tdm = load(EngineId::Tdm, Contents::Model, text.as_bytes());
    check("swallowed digit", &tdm.verdict, &Loads);
    assert!(mesh(text.as_bytes()).differs_in(EngineId::Tdm));
    // The line break after the comment counts.
    let text = change(MESH, "swallowed line end", &[("\"x\"", "\"x\" /* */"), ("( 0 0 10 )", "( 0 0 nan )")]);
    let refused = Refuses("expected float value, found 'nan'", 9);
    check("swallowed line end", &load(EngineId::Tdm, Contents::Model, text.as_bytes()).verdict, &refused);
    let verdicts = judgements("swallowed line end", "a.md5mesh", &text);
    assert_eq!(verdicts.map(|(_, _, line)| line), [Some(8), Some(9)], "doom3 and tdm in the report");
}

#[test]
fn a_byte_order_mark_is_no_white_space_to_quake_4() {
    let text = change(MESH, "M47", &[("MD5Version", "\u{feff}MD5Version")]);
    assert!(mesh(text.as_bytes()).differs_in(EngineId::Quake4));
    check("M47", &load(EngineId::Quake4, Contents::Model, text.as_bytes()).verdict, &Undefined);
    let named = change(MESH, "in a string", &[("\"bone\"", "\"b\u{f6}ne\"")]);
    assert!(!mesh(named.as_bytes()).differs_in(EngineId::Quake4));
}

#[test]
fn a_camera_with_too_few_frames_has_a_short_block() {
    let text = change(CAMERA, "C06", &[("numFrames 4", "numFrames 5")]);
    let input = Input { path: "a.md5camera".into(), bytes: Ok(text.into_bytes()) };
    let report = bindpose::validate::check(vec![input], &Options::default());
    let findings = report.files.iter().flat_map(|file| &file.findings);
    let codes: Vec<_> = findings.map(|finding| finding.code.id).collect();
    assert_eq!(codes, ["MD5C028"]);
}

#[test]
fn two_syntax_errors_are_two_findings() {
    // Line 9 is a number to other readers; line 18 lacks one for every reader.
    let edits = [("( 0 0 10 )", "( 01e3 0 10 )"), ("vert 1 ( 1 0 )", "vert 1 ( 1 )")];
    let text = change(MESH, "two errors", &edits);
    let input = Input { path: "a.md5mesh".into(), bytes: Ok(text.clone().into_bytes()) };
    let report = bindpose::validate::check(vec![input], &Options::default());
    let findings = report.files.iter().flat_map(|file| &file.findings);
    let line = |start: u32| text[..start as usize].lines().count();
    let syntax = findings.filter(|finding| finding.code.id == "MD5M008");
    let found: Vec<_> = syntax.map(|it| (line(it.first.span.start), it.by_engine, it.message.as_str())).collect();
    let expected = [(9, true, "expected float value, found 'e3'"), (18, false, "expected a number, found ')'")];
    assert_eq!(found, expected);
}

/// Returns effect, message and line in the report for `doom3` and `tdm`.
fn judgements(id: &str, name: &str, text: &str) -> [(Effect, Option<String>, Option<u32>); 2] {
    let input = Input { path: name.into(), bytes: Ok(text.as_bytes().to_vec()) };
    let report = bindpose::validate::check(vec![input], &Options::default());
    ["doom3", "tdm"].map(|profile| {
        let all = report.files.iter().flat_map(|file| &file.judgements);
        let found = all.clone().find(|judgement| judgement.profile.name == profile);
        let found = found.unwrap_or_else(|| panic!("{id}: no verdict of {profile}"));
        (found.effect, found.message.clone(), found.line)
    })
}

#[test]
fn the_report_has_the_loaders_message() {
    let tables =
        [("a.md5mesh", MESH, MESH_CASES), ("a.md5anim", ANIM, ANIM_CASES), ("a.md5camera", CAMERA, CAMERA_CASES)];
    for (name, base, cases) in tables {
        for (id, edits, expected) in cases {
            let [(effect, message, line), _] = judgements(id, name, &change(base, id, edits));
            let message = message.as_deref();
            match *expected {
                Loads | Warns(_) => {
                    assert!(effect <= Effect::Wrong && message.is_none(), "{id}: {effect:?} {message:?}")
                }
                Undefined => assert_eq!((effect, message), (Effect::Wrong, None), "{id}"),
                Refuses(words, at) | RefusesUndefined(words, at) | RefusesAfter(words, at, _) => {
                    assert_eq!((effect, message, line), (Effect::Drops, Some(words), Some(at)), "{id}");
                }
                RefusesSomewhere(words) => {
                    assert_eq!((effect, message, line), (Effect::Drops, Some(words), None), "{id}");
                }
                Dies => assert_eq!(effect, Effect::Exits, "{id}"),
            }
        }
    }
}

#[test]
fn a_message_that_is_too_long_for_its_buffer_is_not_defined() {
    for (length, is_defined) in [(900, true), (1100, false)] {
        let text = change(MESH, "long word", &[("numMeshes 1", &"y".repeat(length))]);
        let verdict = mesh(text.as_bytes()).verdict;
        assert_eq!(verdict.outcome, Outcome::Drops);
        assert_eq!(verdict.undefined.is_empty(), is_defined, "{length}");
    }
}
