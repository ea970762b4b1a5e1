//! The Quake engines' verdicts on a mesh and its clip. The ids are those of `engines.rs`, and the expected messages
//! come from reading the loaders.

use super::cases::{ANIM, Case, MESH, change};
use bindpose::engines::EngineId;
use bindpose::validate::quake::{load, load_mesh_alone};
use bindpose::validate::{File, Outcome};

/// Engines in the order of [`Case::said`]: `-` loads, messages that begin with `!` terminate the program, and all
/// others are refusals.
const ALL: [EngineId; 5] =
    [EngineId::VkQuake135, EngineId::VkQuake, EngineId::Ironwail081, EngineId::Ironwail, EngineId::Qss];

fn judge(engine: EngineId, mesh: &str, anim: Option<&str>) -> String {
    let anim = anim.map(|anim| File { bytes: anim.as_bytes(), name: "a" });
    let verdict = load(engine, File { bytes: mesh.as_bytes(), name: "m" }, anim).verdict;
    let message = verdict.refusal.map(|refusal| refusal.message).unwrap_or_default();
    match verdict.outcome {
        Outcome::Loads => "-".to_owned(),
        Outcome::Refuses => message,
        Outcome::Exits => format!("!{message}"),
        Outcome::Unused | Outcome::Misreads | Outcome::LeavesOut | Outcome::Drops => {
            panic!("{engine:?} knows no such end")
        }
    }
}

/// The messages of the four engines that print `Expected` without the text they found.
macro_rules! expected {
    ($file:literal, $wanted:literal, $found:literal) => {
        [
            concat!("!Mod_LoadMD5MeshModel(", $file, "): Expected \"", $wanted, "\""),
            concat!("Mod_LoadMD5MeshModel(", $file, "): expected \"", $wanted, "\", found \"", $found, "\""),
            concat!("!Mod_LoadMD5MeshModel(", $file, "): Expected \"", $wanted, "\""),
            concat!("Mod_LoadMD5MeshModel(", $file, "): expected \"", $wanted, "\", found \"", $found, "\""),
            concat!("!Mod_LoadMD5MeshModel(", $file, "): Expected \"", $wanted, "\""),
        ]
    };
}

const LOADS: [&str; 5] = ["-"; 5];
const LONG_NAME: &str = "abcdefghijklmnopqrstuvwxyz123456";

const CASES: &[Case<5>] = &[
    Case { id: "base", mesh: &[], anim: &[], said: LOADS },
    Case { id: "V01", mesh: &[("MD5Version 10", "MD5Version 11")], anim: &[], said: expected!("m", "10", "11") },
    Case {
        id: "V01 10.0",
        mesh: &[],
        anim: &[("MD5Version 10", "MD5Version 10.0")],
        said: expected!("a", "10", "10.0"),
    },
    Case { id: "V02", mesh: &[("commandline \"x\"\n", "")], anim: &[("commandline \"\"\n", "")], said: LOADS },
    Case {
        id: "V03",
        mesh: &[("commandline \"x\"", "commandline mesh foo")],
        anim: &[],
        said: expected!("m", "numJoints", "foo"),
    },
    Case {
        id: "V05",
        mesh: &[("numJoints 2\nnumMeshes 1", "numMeshes 1\nnumJoints 2")],
        anim: &[],
        said: expected!("m", "numJoints", "numMeshes"),
    },
    Case {
        id: "V06",
        mesh: &[("\tshader", "\tname \"n\"\n\tshader")],
        anim: &[],
        said: expected!("m", "shader", "name"),
    },
    Case {
        id: "V07 joints",
        mesh: &[("numJoints 2", "numJoints 0")],
        anim: &[],
        said: ["!m has no joints", "m has no joints", "!m has no bones", "m has no bones", "!m has no bones"],
    },
    Case {
        id: "V07 meshes",
        mesh: &[("numMeshes 1", "numMeshes 0")],
        anim: &[],
        said: ["!m has no meshes", "m has no meshes", "!m has no meshes", "m has no meshes", "!m has no meshes"],
    },
    Case {
        id: "V07 frames",
        mesh: &[],
        anim: &[("numFrames 3", "numFrames 0")],
        said: ["!a has no poses", "a has no poses", "!a has no poses", "a has no poses", "!a has no poses"],
    },
    Case { id: "T01", mesh: &[("( 0 0 10 )", "(0 0 10)")], anim: &[("frame 1 {", "frame 1{")], said: LOADS },
    Case { id: "T02", mesh: &[("joints {", "joints\n{")], anim: &[], said: LOADS },
    Case { id: "T03", mesh: &[("numverts 4", "numverts 04")], anim: &[], said: LOADS },
    Case { id: "T04", mesh: &[("( 0 0 10 )", "( 0 nan 1.#IND )")], anim: &[], said: LOADS },
    Case { id: "T05", mesh: &[], anim: &[("frameRate 24", "frameRate 29.97")], said: LOADS },
    Case { id: "T06", mesh: &[], anim: &[("frameRate 24", "frameRate 0")], said: LOADS },
    Case { id: "T08", mesh: &[("// meshes: m", "/* meshes */")], anim: &[], said: LOADS },
    Case { id: "T10", mesh: &[("( 0 0 10 )", "( 0 0 1x )")], anim: &[], said: LOADS },
    Case {
        id: "J01",
        mesh: &[("\"bone\"", "\"abcdefghijklmnopqrstuvwxyz123456\"")],
        anim: &[("\"bone\"", "\"abcdefghijklmnopqrstuvwxyz123456\"")],
        said: [
            "!a: joint was renamed",
            "-",
            "!a: bone was renamed",
            "a: bone abcdefghijklmnopqrstuvwxyz12345 was renamed",
            "!a: bone was renamed",
        ],
    },
    Case {
        id: "J05",
        mesh: &[("\"origin\"\t-1", "\"origin\"\t1"), ("\"bone\"\t0", "\"bone\"\t-1")],
        anim: &[("\t\"origin\"\t-1 1 0\t// ( Tx )\n\t\"bone\"\t0 36 1", "\t\"bone\"\t-1 1 0\n\t\"origin\"\t0 36 1")],
        said: [
            "!a: joint was renamed",
            "m: joint has bad pose parent order",
            "!a: bone was renamed",
            "a: bone origin was renamed",
            "!a: bone was renamed",
        ],
    },
    Case { id: "J06", mesh: &[("\"bone\"\t0", "\"bone\"\t-1")], anim: &[("\"bone\"\t0", "\"bone\"\t-1")], said: LOADS },
    Case {
        id: "J07",
        mesh: &[("\"bone\"", "\"origin\"")],
        anim: &[("\"bone\"", "\"origin\"")],
        said: ["-", "a: duplicate joint \"origin\"", "-", "-", "-"],
    },
    Case {
        id: "J08",
        mesh: &[("\"bone\"\t0", "\"bone\"\t2")],
        anim: &[("\"bone\"\t0", "\"bone\"\t2")],
        said: ["-", "m: joint index out of bounds", "-", "m: bone index 2 out of bounds (max=2)", "-"],
    },
    Case {
        id: "J08 -2",
        mesh: &[("\"origin\"\t-1", "\"origin\"\t-2")],
        anim: &[("\"origin\"\t-1", "\"origin\"\t-2")],
        said: [
            "-",
            "m: joint index out of bounds",
            "-",
            "m: bone index -2 out of bounds (max=2)",
            "!bone index out of bounds",
        ],
    },
    Case {
        id: "A01",
        mesh: &[],
        anim: &[
            ("numJoints 2", "numJoints 1"),
            ("\t\"bone\"\t0 36 1\t// origin ( Tz Qz )\n", ""),
            ("\t( 0 0 10 ) ( 0 0 0 )\n", ""),
        ],
        said: [
            "!a has incorrect joint count",
            "-",
            "!a has incorrect bone count",
            "a has incorrect bone count (expected 2, found 1)",
            "!a has incorrect bone count",
        ],
    },
    Case {
        id: "A02",
        mesh: &[],
        anim: &[("\"bone\"", "\"other\"")],
        said: [
            "!a: joint was renamed",
            "-",
            "!a: bone was renamed",
            "a: bone bone was renamed",
            "!a: bone was renamed",
        ],
    },
    Case {
        id: "A03",
        mesh: &[],
        anim: &[("\"bone\"\t0", "\"bone\"\t-1")],
        said: [
            "!a: joint has wrong parent",
            "a: joint \"bone\" has wrong parent",
            "!a: bone has wrong parent",
            "a: bone bone has wrong parent",
            "!a: bone has wrong parent",
        ],
    },
    Case {
        id: "A04",
        mesh: &[],
        anim: &[("\"origin\"", "\"other\"")],
        said: [
            "!a: joint was renamed",
            "a: joint \"bone\" has unmapped parent",
            "!a: bone was renamed",
            "a: bone origin was renamed",
            "!a: bone was renamed",
        ],
    },
    Case {
        id: "A06",
        mesh: &[],
        anim: &[("0 36 1", "0 64 1")],
        said: [
            "!a: joint has unsupported flags",
            "a: joint has unsupported flags",
            "!a: bone has unsupported flags",
            "a: bone bone has unsupported flags",
            "!a: bone has unsupported flags",
        ],
    },
    Case { id: "A07", mesh: &[], anim: &[("0 36 1", "0 36 2")], said: ["-", "a: joint has bad offset", "-", "-", "-"] },
    Case {
        id: "A07 far",
        mesh: &[],
        anim: &[("0 36 1", "0 36 10")],
        said: [
            "!a: joint has bad offset",
            "a: joint has bad offset",
            "!a: bone has bad offset",
            "a: bone bone has bad offset",
            "!a: bone has bad offset",
        ],
    },
    Case { id: "A08", mesh: &[], anim: &[("0 36 1", "0 0 3")], said: LOADS },
    Case {
        id: "A09",
        mesh: &[],
        anim: &[("bounds {\n\t( -1 -1 -1 ) ( 1 1 1 )\n\t( -2 -2 -2 ) ( 2 2 2 )\n\t( -3 -3 -3 ) ( 3 3 3 )\n}\n\n", "")],
        said: expected!("a", "bounds", "baseframe"),
    },
    Case { id: "A10", mesh: &[], anim: &[("\t( -3 -3 -3 ) ( 3 3 3 )\n", "")], said: LOADS },
    Case {
        id: "A11",
        mesh: &[],
        anim: &[("\t( 0 0 10 ) ( 0 0 0 )\n", "")],
        said: ["-", "Mod_LoadMD5MeshModel(a): expected \"(\", found \"}\"", "-", "-", "-"],
    },
    Case { id: "A12", mesh: &[], anim: &[("frame 1 {\n\t15\n\t12 0.5\n}\n", "")], said: LOADS },
    Case {
        id: "A13",
        mesh: &[],
        anim: &[("frame 0", "frame 9"), ("frame 1", "frame 0"), ("frame 9", "frame 1")],
        said: LOADS,
    },
    Case {
        id: "A14 index",
        mesh: &[],
        anim: &[("frame 2", "frame 3")],
        said: [
            "!a: invalid pose index",
            "a: invalid pose index",
            "!a: invalid pose index",
            "a: invalid pose index 3 (max=3)",
            "!a: invalid pose index",
        ],
    },
    Case { id: "A14 values", mesh: &[], anim: &[("\t10 0\n", "\t10 0 0\n")], said: expected!("a", "}", "0") },
    Case { id: "A14 short", mesh: &[], anim: &[("\t10 0\n", "\t10\n")], said: expected!("a", "}", "frame") },
    Case { id: "M03", mesh: &[("vert 0 ( 0 0 ) 0 1", "vert 0 ( 0 0 ) 0 0")], anim: &[], said: LOADS },
    Case {
        id: "M10 corner",
        mesh: &[("tri 0 0 2 1", "tri 0 0 2 5")],
        anim: &[],
        said: [
            "!vertex index out of bounds",
            "m: vertex index out of bounds",
            "!vertex index out of bounds",
            "m: vertex index 5 out of bounds (max=4)",
            "!vertex index out of bounds",
        ],
    },
    Case {
        id: "M10 corner one past the end",
        mesh: &[("tri 0 0 2 1", "tri 0 0 2 4")],
        anim: &[],
        said: [
            "-",
            "m: vertex index out of bounds",
            "!vertex index out of bounds",
            "m: vertex index 4 out of bounds (max=4)",
            "-",
        ],
    },
    Case {
        id: "M10 joint",
        mesh: &[("weight 4 1", "weight 4 2")],
        anim: &[],
        said: [
            "!joint index out of bounds",
            "m: joint index out of bounds",
            "!bone index out of bounds",
            "m: bone index 2 out of bounds (max=2)",
            "!bone index out of bounds",
        ],
    },
    Case {
        id: "M10 range",
        mesh: &[("( 0 1 ) 3 2", "( 0 1 ) 3 3")],
        anim: &[],
        said: [
            "!m: weight index out of bounds",
            "m: weight index out of bounds",
            "!m: weight index out of bounds",
            "m: weight index out of bounds",
            "!m: weight index out of bounds",
        ],
    },
    Case {
        id: "M10 record",
        mesh: &[("vert 3 (", "vert 4 (")],
        anim: &[],
        said: [
            "!vertex index out of bounds",
            "m: vertex index out of bounds",
            "!vertex index out of bounds",
            "m: vertex index 4 out of bounds (max=4)",
            "!vertex index out of bounds",
        ],
    },
    Case { id: "M12 fewer", mesh: &[("\tvert 2 ( 1 1 ) 2 1\n", "")], anim: &[], said: LOADS },
    Case {
        id: "M12 more",
        mesh: &[("numtris 2", "numtris 1")],
        anim: &[],
        said: [
            "!triangle index out of bounds",
            "m: triangle index out of bounds",
            "!triangle index out of bounds",
            "m: triangle index 1 out of bounds (max=1)",
            "!triangle index out of bounds",
        ],
    },
    Case {
        id: "clip ends after its rate",
        mesh: &[],
        anim: &[("numAnimatedComponents", "\0")],
        said: ["!poses are read through a null pointer"; 5],
    },
];

#[test]
fn models_are_judged_as_by_the_engines() {
    assert_eq!(LONG_NAME.len(), 32);
    for case in CASES {
        let mesh = change(MESH, case.id, case.mesh);
        let anim = change(ANIM, case.id, case.anim);
        for (engine, said) in ALL.into_iter().zip(case.said) {
            assert_eq!(judge(engine, &mesh, Some(&anim)), said, "{} {engine:?}", case.id);
        }
    }
}

#[test]
fn a_mesh_without_a_clip_loads_in_the_newest_vkquake_and_in_quakespasm_spiked() {
    let said: Vec<_> = ALL.iter().map(|&engine| judge(engine, MESH, None)).collect();
    assert_eq!(said, ["!m has no poses", "-", "!MD5 anim m has no poses", "m has no poses", "-"]);
}

#[test]
fn an_unavailable_clip_is_not_reported() {
    for engine in ALL {
        let verdict = load_mesh_alone(engine, File { bytes: MESH.as_bytes(), name: "m" }).verdict;
        assert_eq!(verdict.outcome, Outcome::Loads, "{engine:?}");
    }
}

#[test]
fn strings_longer_than_the_token_buffer_lose_the_rest_of_the_file() {
    let with = |length: usize| MESH.replace("\"x\"", &format!("\"{}\"", "x".repeat(length)));
    let lost = "Mod_LoadMD5MeshModel(m): expected \"numJoints\", found \"\"";
    let cases = [
        (EngineId::Ironwail, 1023, "-"),
        (EngineId::Ironwail, 1024, lost),
        (EngineId::VkQuake, 1024, "-"),
        (EngineId::VkQuake, 4095, "-"),
        (EngineId::VkQuake, 4096, lost),
    ];
    for (engine, length, said) in cases {
        assert_eq!(judge(engine, &with(length), Some(ANIM)), said, "{engine:?} {length}");
    }
}

#[test]
fn ironwail_ends_on_65535_vertices_of_all_meshes_together() {
    let block = |count: u32| format!("mesh {{ shader s numverts {count} numtris 0 numweights 0 }}\n");
    let head = MESH.split_at(MESH.find("mesh {").expect("in the base")).0.replace("numMeshes 1", "numMeshes 2");
    let just_fits = format!("{head}{}{}", block(65_000), block(534));
    let too_many = format!("{head}{}{}", block(65_000), block(535));
    assert_eq!(judge(EngineId::Ironwail, &just_fits, Some(ANIM)), "-");
    assert_eq!(judge(EngineId::Ironwail, &too_many, Some(ANIM)), "!Model m has too many verts (65535)");
    assert_eq!(judge(EngineId::VkQuake, &too_many, Some(ANIM)), "-");
}

/// The newest vkQuake writes through the null pointer of a failed calloc; the others print the size that they could not
/// allocate.
#[test]
fn a_count_beyond_memory_ends_the_program() {
    let mesh = MESH.replace("numverts 4", "numverts -4");
    let said = ALL.map(|engine| judge(engine, &mesh, Some(ANIM)));
    let words = "!Hunk_Alloc: failed on … bytes (numverts -4)";
    assert_eq!(said, [words, "!", words, words, words]);
}
