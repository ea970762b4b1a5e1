//! Stepping over plain blocks changes no verdict: every loader says the same of a file whether or not it may.

use super::consistent::damaged;
use crate::support;
use bindpose::validate::outline::Outline;
use bindpose::validate::profiles::Doom3;
use bindpose::validate::{doom3, loaders, quake};
use bindpose_parsers::md5::FileKind;
use std::fmt::Debug;

const MESH: &str = include_str!("../cases/validate/base.md5mesh");
const ANIM: &str = include_str!("../cases/validate/base.md5anim");

/// Larger files of the corpus take too long to be damaged in many ways.
const LARGEST: usize = 60_000;
/// How many damages each pair gets.
const DAMAGES: usize = 60;

const DOOM3: [Doom3; 4] = [Doom3::Original, Doom3::Tdm, Doom3::Rbdoom, Doom3::Quake4];
const QUAKE: [quake::Engine; 5] = [
    quake::Engine::VkQuake135,
    quake::Engine::VkQuake,
    quake::Engine::Ironwail081,
    quake::Engine::Ironwail,
    quake::Engine::Qss,
];

/// All that all loaders say of a mesh and a clip.
fn said(mesh: &Outline, anim: &Outline) -> Vec<String> {
    let mut said = Vec::new();
    let mut add = |who: &dyn Debug, what: &dyn Debug| said.push(format!("{who:?}: {what:?}"));
    for engine in DOOM3 {
        add(&engine, &doom3::load(engine, FileKind::Mesh, mesh).verdict);
        add(&engine, &doom3::load(engine, FileKind::Anim, anim).verdict);
    }
    let (m, a) = (quake::File { outline: mesh, name: "m" }, quake::File { outline: anim, name: "a" });
    for engine in QUAKE {
        add(&engine, &quake::load(engine, m, Some(a)));
        add(&engine, &quake::load_mesh_alone(engine, m));
        add(&engine, &quake::load_anim_alone(engine, a));
    }
    let (m, a) = (loaders::File { outline: mesh, name: "m" }, loaders::File { outline: anim, name: "a" });
    for engine in loaders::ENGINES {
        let loaded = loaders::load_mesh(engine, m);
        add(&engine, &loaders::load_anim(engine, loaded.skeleton.as_ref(), "m", a));
        add(&engine, &loaders::load_anim(engine, None, "m", a));
        add(&engine, &loaded);
    }
    said
}

fn compare(what: &str, mesh: &[u8], anim: &[u8]) -> usize {
    let outlines = [mesh, anim].map(Outline::new);
    let whole = [mesh, anim].map(Outline::without_blocks);
    let [quick, slow] = [&outlines, &whole].map(|[mesh, anim]| said(mesh, anim));
    for (quick, slow) in quick.iter().zip(&slow) {
        assert_eq!(quick, slow, "{what}");
    }
    outlines.iter().map(Outline::block_count).sum()
}

/// Meshes with a clip of the same folder, smallest first.
fn pairs() -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut pairs = vec![(MESH.into(), ANIM.into())];
    let Some(shared) = support::shared() else {
        println!("no corpus: 1 pair is compared");
        return pairs;
    };
    let read = |path| std::fs::read(path).expect("a file of the corpus");
    for mesh in support::smallest_of_each(&shared.join("corpus"), &["md5mesh"]) {
        let folder = mesh.parent().expect("a folder");
        let clips = support::files_with(folder, &["md5anim"]).into_iter().map(read);
        let Some(clip) = clips.min_by_key(Vec::len) else { continue };
        pairs.push((read(mesh), clip));
    }
    println!("{} pairs are compared", pairs.len());
    pairs
}

#[test]
fn the_base_files_are_plain() {
    // One mesh; bounds, base frame and frames.
    assert_eq!([MESH, ANIM].map(|text| Outline::new(text.as_bytes()).block_count()), [1, 3]);
}

/// A text with a comment at the end of every line, or one line more of it before each.
fn commented(text: &str, comment: &str) -> Vec<[String; 2]> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let changed = |number: usize| {
        let with = |change: &dyn Fn(&str) -> String| {
            let lines = lines.iter().enumerate();
            lines.map(|(at, line)| if at == number { change(line) } else { (*line).to_owned() }).collect::<String>()
        };
        [
            with(&|line| format!("{} {comment}\n", line.trim_end_matches('\n'))),
            with(&|line| format!("\t{comment}\n{line}")),
        ]
    };
    (0..lines.len()).map(changed).collect()
}

#[test]
fn comments_are_stepped_over_where_every_loader_does() {
    for comment in [
        "// meshes: Body_01, 2.5",
        "// shader",
        "// Body",
        "//",
        "// }",
        "// \"a",
        "// 1 /* 2",
        "/* 1 */",
        "// ( 1 2",
        "//\r",
    ] {
        let (meshes, anims) = (commented(MESH, comment), commented(ANIM, comment));
        for number in 0..meshes.len().max(anims.len()) {
            for place in 0..2 {
                let changed = |of: &[[String; 2]], plain: &str| {
                    of.get(number).map_or_else(|| plain.into(), |of| of[place].clone()).into_bytes()
                };
                let what = format!("{comment:?} at line {number}, {place}");
                compare(&what, &changed(&meshes, MESH), &changed(&anims, ANIM));
            }
        }
    }
    // What exporters write leaves all blocks what they are, wherever it stands in them.
    let blocks = |text: &str, comment: &str| {
        let of = |text: &String| Outline::new(text.as_bytes()).block_count();
        commented(text, comment).as_flattened().iter().map(of).min()
    };
    assert_eq!([MESH, ANIM].map(|text| blocks(text, "// Body_01, 2.5")), [Some(1), Some(3)]);
    assert_eq!(blocks(MESH, "// }"), Some(0));
}

#[test]
fn no_loader_says_anything_else_of_a_plain_block() {
    let pairs = pairs();
    let blocks: usize = pairs.iter().map(|(mesh, anim)| compare("whole files", mesh, anim)).sum();
    assert!(blocks >= 4, "{blocks} plain blocks");
    for (mesh, anim) in pairs.iter().filter(|(mesh, anim)| mesh.len() + anim.len() < LARGEST) {
        for number in 0..DAMAGES {
            compare(&format!("mesh, damage {number}"), &damaged(mesh, number), anim);
            compare(&format!("clip, damage {number}"), mesh, &damaged(anim, number));
        }
    }
}

/// One byte is another everywhere in the base files.
#[test]
fn no_byte_makes_a_block_seem_plain() {
    for at in 0..MESH.len().max(ANIM.len()) {
        for byte in *b"\0 \n\r/\"({}-.0e9x+,\x80" {
            let changed = |text: &str| {
                let mut text = text.as_bytes().to_vec();
                if let Some(place) = text.get_mut(at) {
                    *place = byte;
                }
                text
            };
            compare(&format!("byte {at} is {byte:#x}"), &changed(MESH), &changed(ANIM));
        }
    }
}
