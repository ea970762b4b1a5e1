//! Verdicts of loaders that read a mesh before its clip. The expected messages were printed by the engines' own
//! functions, built with stubs under an address sanitizer, which also reported undefined behaviour. In A07, M10, M12
//! and the case of 10001 vertices, they read memory that the sanitizer does not watch.

use super::cases::{ANIM, Case, MESH, change};
use bindpose::engines::EngineId;
use bindpose::validate::loaders::{load_anim, load_mesh, without_clip};
use bindpose::validate::{File, Outcome};

const ENGINES: [EngineId; 8] = [
    EngineId::Q2pro,
    EngineId::Fteqw,
    EngineId::Yquake2,
    EngineId::Daemon,
    EngineId::EtLegacy,
    EngineId::Cube2,
    EngineId::Assimp,
    EngineId::Assimp605,
];

fn judge(engine: EngineId, mesh: &str, anim: &str) -> String {
    let mesh = load_mesh(engine, File { bytes: mesh.as_bytes(), name: "m" }).expect("a loader");
    let verdict = match &mesh.skeleton {
        Some(skeleton) => load_anim(engine, Some(skeleton), "m", File { bytes: anim.as_bytes(), name: "a" }),
        None => mesh.verdict.clone(),
    };
    if !mesh.verdict.undefined.is_empty() || !verdict.undefined.is_empty() {
        return "undefined".to_owned();
    }
    let message = verdict.refusal.map(|refusal| refusal.message).unwrap_or_default();
    let said = match verdict.outcome {
        Outcome::Loads => "-".to_owned(),
        Outcome::Unused | Outcome::Misreads | Outcome::LeavesOut => format!("W {message}"),
        Outcome::Refuses => format!("E {message}"),
        Outcome::Drops => format!("D {message}"),
        Outcome::Exits => format!("X {message}"),
    };
    said.trim_end().to_owned()
}

#[test]
fn models_are_judged_as_by_the_engines() {
    for case in CASES {
        let (mesh, anim) = (change(MESH, case.id, case.mesh), change(ANIM, case.id, case.anim));
        for (engine, said) in ENGINES.into_iter().zip(case.said) {
            assert_eq!(judge(engine, &mesh, &anim), said, "{} {engine:?}", case.id);
        }
    }
}

#[test]
fn an_unterminated_string_is_undefined_and_ends_the_report() {
    let open = MESH.replace("\"models/test\"", "\"models/test");
    for engine in [EngineId::Q2pro, EngineId::Fteqw, EngineId::Yquake2, EngineId::Daemon] {
        let mesh = load_mesh(engine, File { bytes: open.as_bytes(), name: "m" });
        let verdict = mesh.expect("a loader").verdict;
        assert_eq!((verdict.outcome, verdict.undefined.len()), (Outcome::Loads, 1), "{engine:?}");
    }
}

#[test]
fn two_engines_ignore_a_mesh_without_a_clip() {
    let refuses: Vec<_> =
        ENGINES.into_iter().filter(|&engine| without_clip(engine).outcome == Outcome::Refuses).collect();
    assert_eq!(refuses, [EngineId::Q2pro, EngineId::Yquake2]);
}

/// `Hunk_Alloc(int)` rounds up to 32. -12 bytes for a triangle become 0 and pass, so that the next word is an
/// unexpected one. -112 for a vertex become -96, which are cleared.
#[test]
fn daemon_rounds_sizes_before_it_checks_them() {
    let judge = |from: &str, to: &str| judge(EngineId::Daemon, &MESH.replace(from, to), ANIM);
    let wanted = "E R_LoadMD5: expected 'tri' found 'numweights' in model 'm'";
    assert_eq!(judge("numtris 2", "numtris -1"), wanted);
    assert_eq!(judge("numverts 4", "numverts -1"), "undefined");
}

/// In the order of [`ENGINES`]: `-` loads, `W` ignores the clip, `E` refuses the file, `D` leaves the game, `X` crashes
/// the program.
const CASES: &[Case<8>] = &[
    Case { id: "base", mesh: &[], anim: &[], said: ["-", "-", "-", "-", "-", "-", "-", "-"] },
    Case {
        id: "V01 mesh",
        mesh: &[("MD5Version 10", "MD5Version 11")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 1: Expected \"10\", got \"11\"",
            "E MD5 model with unsupported MD5Version",
            "E ReadMD5Model: bad model version",
            "E R_LoadMD5: m has wrong version (11 should be 10)",
            "E R_LoadMD5: m has wrong version (11 should be 10)",
            "E",
            "E [MD5] Line 0: MD5 version tag is unknown (10 is expected)",
            "E [MD5] Line 0: MD5 version tag is unknown (10 is expected)",
        ],
    },
    Case {
        id: "V01 clip",
        mesh: &[],
        anim: &[("MD5Version 10", "MD5Version 11")],
        said: [
            "E Couldn't load a: Line 1: Expected \"10\", got \"11\"",
            "W MD5ANIM: expected 10",
            "W ReadMD5Anim: bad animation version",
            "E RE_RegisterAnimation: 'a' has wrong version (11 should be 10)",
            "E RE_RegisterAnimation: 'a' has wrong version (11 should be 10)",
            "E",
            "E [MD5] Line 0: MD5 version tag is unknown (10 is expected)",
            "E [MD5] Line 0: MD5 version tag is unknown (10 is expected)",
        ],
    },
    Case {
        id: "V02 mesh",
        mesh: &[("commandline \"x\"\n", "")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 3: Expected \"commandline\", got \"numJoints\"",
            "-",
            "-",
            "E R_LoadMD5: expected 'numJoints' found 'numMeshes' in model 'm'",
            "E R_LoadMD5: expected 'numJoints' found 'numMeshes' in model 'm'",
            "-",
            "-",
            "-",
        ],
    },
    Case {
        id: "V03 one word",
        mesh: &[("commandline \"x\"", "commandline x")],
        anim: &[],
        said: ["-", "E Unrecognised token in MD5 model (-1)", "-", "-", "-", "-", "-", "-"],
    },
    Case {
        id: "V03 two words",
        mesh: &[("commandline \"x\"", "commandline x y")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 2: Expected \"numJoints\", got \"y\"",
            "E Unrecognised token in MD5 model (-1)",
            "-",
            "E R_LoadMD5: expected 'numJoints' found 'y' in model 'm'",
            "E R_LoadMD5: expected 'numJoints' found 'y' in model 'm'",
            "-",
            "-",
            "-",
        ],
    },
    Case {
        id: "V05",
        mesh: &[("numJoints 2\nnumMeshes 1", "numMeshes 1\nnumJoints 2")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 4: Expected \"numJoints\", got \"numMeshes\"",
            "-",
            "-",
            "E R_LoadMD5: expected 'numJoints' found 'numMeshes' in model 'm'",
            "E R_LoadMD5: expected 'numJoints' found 'numMeshes' in model 'm'",
            "-",
            "-",
            "-",
        ],
    },
    Case {
        id: "V06",
        mesh: &[("\tshader", "\tname \"n\"\n\tshader")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 14: Expected \"shader\", got \"name\"",
            "E MD5MESH: Unrecognised token inside mesh (name)",
            "-",
            "E R_LoadMD5: expected 'shader' found 'name' in model 'm'",
            "E R_LoadMD5: expected 'shader' found 'name' in model 'm'",
            "-",
            "-",
            "-",
        ],
    },
    Case {
        id: "V07",
        mesh: &[("numJoints 2", "numJoints 0")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 4: Value out of range: 0",
            "E MD5MESH: Needs some joints",
            "E ReadMD5Model: expected joints block close",
            "E R_LoadMD5: 'm' has no bones",
            "E R_LoadMD5: 'm' has no bones",
            "E",
            "-",
            "-",
        ],
    },
    Case {
        id: "T01",
        mesh: &[("( 0 0 10 )", "(0 0 10)")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 9: Expected \"(\", got \"(0\"",
            "X MD5MESH: expected (",
            "E ParseFloatBlock: expected float block open",
            "-",
            "-",
            "-",
            "-",
            "-",
        ],
    },
    Case {
        id: "T02",
        mesh: &[("vert 1 ( 1 0 )", "vert 1\n( 1 0 )")],
        anim: &[],
        said: [
            "-",
            "-",
            "-",
            "E R_LoadMD5: expected '(' found '' in model 'm'",
            "E R_LoadMD5: expected '(' found '' in model 'm'",
            "undefined",
            "E Cannot parse string \"( 1 0 ) 1 1\" as a real number: does not start with digit or decimal point followed by digit.",
            "E Cannot parse string \"( 1 0 ) 1 1\" as a real number: does not start with digit or decimal point followed by digit.",
        ],
    },
    Case {
        id: "T04 IND",
        mesh: &[("weight 1 0 1 ( 8", "weight 1 0 1 ( 1.#IND")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 28: Expected float, got \"1.#IND\"",
            "-",
            "-",
            "E R_LoadMD5: expected ')' found '0' in model 'm'",
            "E R_LoadMD5: expected ')' found '0' in model 'm'",
            "undefined",
            "E Cannot parse string \"#IND 0 0 )\" as a real number: does not start with digit or decimal point followed by digit.",
            "E Cannot parse string \"#IND 0 0 )\" as a real number: does not start with digit or decimal point followed by digit.",
        ],
    },
    Case {
        id: "T10",
        mesh: &[("weight 1 0 1 ( 8", "weight 1 0 1 ( 8.0f")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 28: Expected float, got \"8.0f\"",
            "-",
            "-",
            "E R_LoadMD5: expected ')' found '0' in model 'm'",
            "E R_LoadMD5: expected ')' found '0' in model 'm'",
            "undefined",
            "E Cannot parse string \"f 0 0 )\" as a real number: does not start with digit or decimal point followed by digit.",
            "E Cannot parse string \"f 0 0 )\" as a real number: does not start with digit or decimal point followed by digit.",
        ],
    },
    Case {
        id: "escaped quote",
        mesh: &[("commandline \"x\"", "commandline \"C:\\x\\\"")],
        anim: &[],
        said: [
            "-",
            "-",
            "-",
            "E R_LoadMD5: expected 'numJoints' found 'origin' in model 'm'",
            "E R_LoadMD5: expected 'numJoints' found 'origin' in model 'm'",
            "-",
            "-",
            "-",
        ],
    },
    Case {
        id: "J05",
        mesh: &[("\"origin\"\t-1", "\"origin\"\t1")],
        anim: &[],
        said: ["-", "E MD5MESH: joints parent's must be lower", "-", "-", "-", "-", "-", "-"],
    },
    Case {
        id: "J06",
        mesh: &[("\"bone\"\t0", "\"bone\"\t-1")],
        anim: &[],
        said: ["-", "E MD5MESH: Only the root joint may have a negative parent", "-", "-", "-", "-", "-", "-"],
    },
    Case {
        id: "J08",
        mesh: &[("\"bone\"\t0", "\"bone\"\t2")],
        anim: &[],
        said: [
            "-",
            "E MD5MESH: joints parent's must be lower",
            "-",
            "D R_LoadMD5: 'm' has bone 'bone' with bad parent index 2 while numBones is 2",
            "D R_LoadMD5: 'm' has bone 'bone' with bad parent index 2 while numBones is 2",
            "undefined",
            "-",
            "-",
        ],
    },
    Case {
        id: "A01",
        mesh: &[],
        anim: &[("numJoints 2", "numJoints 3")],
        said: [
            "E Couldn't load a: Line 5: Bad numJoints",
            "W MD5ANIM: number of bones doesn't match",
            "undefined",
            "E RE_RegisterAnimation: expected '}' found '(' in model 'a'",
            "E RE_RegisterAnimation: expected '}' found '(' in model 'a'",
            "E",
            "-",
            "-",
        ],
    },
    Case {
        id: "A02",
        mesh: &[],
        anim: &[("\"bone\"", "\"tip\"")],
        said: ["-", "W MD5ANIM: bone name doesn't match (tip)", "-", "E", "E", "-", "-", "-"],
    },
    Case {
        id: "A03",
        mesh: &[],
        anim: &[("\"bone\"\t0", "\"bone\"\t-1")],
        said: ["-", "W MD5ANIM: bone name doesn't match (-1)", "-", "-", "-", "-", "-", "-"],
    },
    Case {
        id: "A07",
        mesh: &[],
        anim: &[("36 1", "36 2")],
        said: [
            "E Couldn't load a: Line 11: Bad joint info",
            "undefined",
            "undefined",
            "undefined",
            "undefined",
            "undefined",
            "undefined",
            "undefined",
        ],
    },
    Case {
        id: "A09",
        mesh: &[],
        anim: &[("bounds {", "box {")],
        said: [
            "E Couldn't load a: Line 14: Expected \"bounds\", got \"box\"",
            "W MD5ANIM: expected bounds",
            "-",
            "E RE_RegisterAnimation: expected 'bounds' found 'box' in model 'a'",
            "E RE_RegisterAnimation: expected 'bounds' found 'box' in model 'a'",
            "-",
            "-",
            "-",
        ],
    },
    Case {
        id: "A10",
        mesh: &[],
        anim: &[("\t( -3 -3 -3 ) ( 3 3 3 )\n", "")],
        said: [
            "E Couldn't load a: Line 20: Expected \"}\", got \"0\"",
            "W MD5ANIM: expected (",
            "W ParseFloatBlock: expected float block open; ReadMD5Anim: unexpected bounds format; ReadMD5Anim: expected block close",
            "E RE_RegisterAnimation: expected '(' found '}' in model 'a'",
            "E RE_RegisterAnimation: expected '(' found '}' in model 'a'",
            "-",
            "-",
            "-",
        ],
    },
    Case {
        id: "A11",
        mesh: &[],
        anim: &[("\t( 0 0 10 ) ( 0 0 0 )\n", "")],
        said: [
            "E Couldn't load a: Line 22: Expected \"(\", got \"}\"",
            "W MD5ANIM: expected (",
            "W ParseFloatBlock: expected float block open; ReadMD5Anim: unexpected baseframe format; ReadMD5Anim: expected baseframe block close",
            "E RE_RegisterAnimation: expected '(' found '}' in model 'a'",
            "E RE_RegisterAnimation: expected '(' found '}' in model 'a'",
            "E",
            "W MD5ANIM: No frames or animated bones loaded",
            "W MD5ANIM: No frames or animated bones loaded",
        ],
    },
    Case {
        id: "A12",
        mesh: &[],
        anim: &[("frame 2 {\n\t25\n\t14 -0.5\n}\n", "")],
        said: [
            "E Couldn't load a: Line 35: Expected \"frame\", got \"\"",
            "W MD5ANIM: expected frame",
            "-",
            "E RE_RegisterAnimation: expected 'baseframe' found '' in model 'a'",
            "E RE_RegisterAnimation: expected 'baseframe' found '' in model 'a'",
            "-",
            "-",
            "-",
        ],
    },
    Case {
        id: "A13",
        mesh: &[],
        anim: &[("frame 1", "frame 2")],
        said: [
            "-",
            "W MD5ANIM: expected frame 1",
            "-",
            "E RE_RegisterAnimation: expected '1' found '2' in model 'a'",
            "E RE_RegisterAnimation: expected '1' found '2' in model 'a'",
            "-",
            "-",
            "-",
        ],
    },
    Case {
        id: "A14",
        mesh: &[],
        anim: &[("\t15\n", "\t15 1\n")],
        said: [
            "E Couldn't load a: Line 32: Expected \"}\", got \"0.5\"",
            "W MD5ANIM: expected }",
            "W ReadMD5Anim: expected frame block close",
            "E RE_RegisterAnimation: expected '}' found '0.5' in model 'a'",
            "E RE_RegisterAnimation: expected '}' found '0.5' in model 'a'",
            "-",
            "-",
            "-",
        ],
    },
    Case {
        id: "A14 index",
        mesh: &[],
        anim: &[("frame 2", "frame 3")],
        said: [
            "E Couldn't load a: Line 35: Value out of range: 3",
            "W MD5ANIM: expected frame 2",
            "W ReadMD5Anim: unknown frame number",
            "E RE_RegisterAnimation: expected '2' found '3' in model 'a'",
            "E RE_RegisterAnimation: expected '2' found '3' in model 'a'",
            "undefined",
            "-",
            "-",
        ],
    },
    Case {
        id: "no components",
        mesh: &[],
        anim: &[
            ("numAnimatedComponents 3", "numAnimatedComponents 0"),
            ("-1 1 0", "-1 0 0"),
            ("36 1", "0 0"),
            ("\t5\n\t10 0\n", ""),
            ("\t15\n\t12 0.5\n", ""),
            ("\t25\n\t14 -0.5\n", ""),
        ],
        said: ["-", "-", "W ReadMD5Anim: unknown size of frame", "-", "-", "-", "-", "-"],
    },
    Case {
        id: "M01",
        mesh: &[("3 2\n\n\tnumtris", "0 5\n\n\tnumtris")],
        anim: &[],
        said: [
            "-",
            "-",
            "-",
            "D R_LoadMD5: vertex 3 requires more than 4 weights on surface (0) in model 'm'",
            "D R_LoadMD5: vertex 3 requires more than 4 weights on surface (0) in model 'm'",
            "-",
            "-",
            "-",
        ],
    },
    Case {
        id: "M03",
        mesh: &[("vert 3 ( 0 1 ) 3 2", "vert 3 ( 0 1 ) 3 0")],
        anim: &[],
        said: ["-", "E MD5MESH: weights not set on vertex", "-", "-", "-", "-", "-", "-"],
    },
    Case {
        id: "M10 corner",
        mesh: &[("tri 1 0 3 2", "tri 1 0 4 2")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 24: Value out of range: 4",
            "undefined",
            "undefined",
            "undefined",
            "undefined",
            "undefined",
            "E MD5MESH: Invalid vertex index",
            "undefined",
        ],
    },
    Case {
        id: "M10 joint",
        mesh: &[("weight 4 1", "weight 4 2")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 31: Value out of range: 2",
            "E MD5MESH: weight specifies bad bone",
            "E ReadMD5Model: incorrect weight joint",
            "undefined",
            "undefined",
            "undefined",
            "E MD5MESH: Invalid bone index",
            "undefined",
        ],
    },
    Case {
        id: "M10 range",
        mesh: &[("3 2\n\n\tnumtris", "4 2\n\n\tnumtris")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 32: Bad vert start/count",
            "undefined",
            "undefined",
            "undefined",
            "undefined",
            "undefined",
            "E MD5MESH: Invalid weight index",
            "undefined",
        ],
    },
    Case {
        id: "M12 too few",
        mesh: &[("\tvert 3 ( 0 1 ) 3 2\n", "")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 21: Expected \"vert\", got \"numtris\"",
            "E MD5MESH: weights not set on vertex",
            "undefined",
            "E R_LoadMD5: expected 'vert' found 'numtris' in model 'm'",
            "E R_LoadMD5: expected 'vert' found 'numtris' in model 'm'",
            "undefined",
            "-",
            "-",
        ],
    },
    Case {
        id: "M12 too many",
        mesh: &[("numverts 4", "numverts 3")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 20: Expected \"numtris\", got \"vert\"",
            "E MD5MESH: vertex out of range",
            "E ReadMD5Model: incorrect vert index",
            "E R_LoadMD5: expected 'numTris' found 'vert' in model 'm'",
            "E R_LoadMD5: expected 'numTris' found 'vert' in model 'm'",
            "undefined",
            "-",
            "-",
        ],
    },
    Case {
        id: "129 joints",
        mesh: &[
            ("numJoints 2", "numJoints 129"),
            (
                "\t\"bone\"",
                "\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"extra\"\t0 ( 0 0 0 ) ( 0 0 0 )\n\t\"bone\"",
            ),
        ],
        anim: &[],
        said: [
            "E Couldn't load a: Line 5: Bad numJoints",
            "W MD5ANIM: number of bones doesn't match",
            "-",
            "E RE_CheckSkeleton: model 'm' has different number of bones than animation 'a': 129 != 2",
            "E R_LoadMD5: 'm' has more than 128 bones (129)",
            "E",
            "-",
            "-",
        ],
    },
    Case {
        id: "no frames",
        mesh: &[],
        anim: &[
            ("numFrames 3", "numFrames 0"),
            ("\t( -1 -1 -1 ) ( 1 1 1 )\n\t( -2 -2 -2 ) ( 2 2 2 )\n\t( -3 -3 -3 ) ( 3 3 3 )\n", ""),
            ("frame 0 {\n\t5\n\t10 0\n}\n\nframe 1 {\n\t15\n\t12 0.5\n}\n\nframe 2 {\n\t25\n\t14 -0.5\n}\n", ""),
        ],
        said: [
            "E Couldn't load a: Line 4: Value out of range: 0",
            "W",
            "W Mod_LoadModel_MD5: no animation loaded.",
            "E model 'a' has animation with no frames",
            "undefined",
            "E",
            "W MD5ANIM: No frames or animated bones loaded",
            "W MD5ANIM: No frames or animated bones loaded",
        ],
    },
    Case {
        id: "10001 vertices",
        mesh: &[("numverts 4", "numverts 10001")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 16: Value out of range: 10001",
            "E MD5MESH: weights not set on vertex",
            "undefined",
            "E R_LoadMD5: expected 'vert' found 'numtris' in model 'm'",
            "D R_LoadMD5: 'm' has more than 10000 verts on a surface (10001)",
            "undefined",
            "-",
            "undefined",
        ],
    },
    Case {
        id: "unquoted name",
        mesh: &[("\"bone\"", "bone")],
        anim: &[("\"bone\"", "bone")],
        said: [
            "-",
            "-",
            "-",
            "-",
            "-",
            "-",
            "E Cannot parse string \"??mesh {??            ??shader \"models/test\"\" as a real number: does not start with digit or decimal point followed by digit.",
            "E Cannot parse string \"??mesh {??            ??shader \"models/test\"\" as a real number: does not start with digit or decimal point followed by digit.",
        ],
    },
    Case {
        id: "byte 0x80",
        mesh: &[("numMeshes", "é numMeshes")],
        anim: &[],
        said: ["-", "-", "-", "E R_LoadMD5: expected 'numMeshes' found '\u{fffd}' in model 'm'", "-", "-", "-", "-"],
    },
    Case {
        id: "T04 nan",
        mesh: &[("weight 1 0 1 ( 8", "weight 1 0 1 ( nan")],
        anim: &[],
        said: ["-", "-", "-", "-", "-", "-", "-", "-"],
    },
    Case {
        id: "T08",
        mesh: &[("( 0 0 10 )", "( /* z */ 0 0 10 )")],
        anim: &[],
        said: [
            "-",
            "-",
            "E ParseFloatBlock: expected float block close",
            "-",
            "-",
            "E",
            "E Cannot parse string \"/* z */ 0 0 10 ) ( 0 0 0.7071067691 )??         \" as a real number: does not start with digit or decimal point followed by digit.",
            "E Cannot parse string \"/* z */ 0 0 10 ) ( 0 0 0.7071067691 )??         \" as a real number: does not start with digit or decimal point followed by digit.",
        ],
    },
    Case {
        id: "1e400",
        mesh: &[("( 0 0 10 )", "( 0 0 1e400 )")],
        anim: &[],
        said: ["-", "-", "-", "-", "-", "-", "-", "-"],
    },
    Case { id: "1e39", mesh: &[], anim: &[("12 0.5", "1e39 0.5")], said: ["-", "-", "-", "-", "-", "-", "-", "-"] },
    Case {
        id: "unused vertex",
        mesh: &[("numverts 4", "numverts 5"), ("vert 3 ( 0 1 ) 3 2", "vert 3 ( 0 1 ) 3 2\n\tvert 4 ( 0 0 ) 0 1")],
        anim: &[],
        said: ["-", "-", "-", "-", "-", "-", "-", "-"],
    },
    Case {
        id: "triangle missing",
        mesh: &[("numtris 2", "numtris 3")],
        anim: &[],
        said: [
            "E Couldn't load m: Line 26: Expected \"tri\", got \"numweights\"",
            "-",
            "undefined",
            "E R_LoadMD5: expected 'tri' found 'numweights' in model 'm'",
            "E R_LoadMD5: expected 'tri' found 'numweights' in model 'm'",
            "undefined",
            "E MD5MESH: face is missing its three vertex indices",
            "undefined",
        ],
    },
];
