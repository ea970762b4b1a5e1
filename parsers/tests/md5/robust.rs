//! Checks that any input gives an error, or a document that keeps its promises, but never a panic.

use super::MD5;
use super::cases::{ANIM, CAMERA, MESH};
use crate::corpus::real_files;
use bindpose_parsers::Span;
use bindpose_parsers::md5::{
    Error, Parsed, parse_anim, parse_camera, parse_mesh, write_anim, write_camera, write_mesh,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// Words of the formats, and similar words.
const WORDS: &[&str] = &[
    "MD5Version",
    "10",
    "commandline",
    "\"\"",
    "numJoints",
    "numMeshes",
    "joints",
    "{",
    "}",
    "mesh",
    "shader",
    "name",
    "numverts",
    "vert",
    "numtris",
    "tri",
    "numweights",
    "weight",
    "(",
    ")",
    "numFrames",
    "frameRate",
    "numAnimatedComponents",
    "hierarchy",
    "bounds",
    "baseframe",
    "frame",
    "numCuts",
    "cuts",
    "camera",
    "flags",
    "0",
    "1",
    "-1",
    "2",
    "63",
    "0.5",
    "-0.25",
    "1e5",
    "08",
    "0x10",
    "nan",
    "1.#IND",
    "0,5",
    ",",
    ";",
    "\"a\"",
    "\"a\" \"b\"",
    "'a'",
    "a",
    "//",
    "/*",
    "*/",
    "/*/",
    "\n",
    "\r",
    "\0",
    "\u{feff}",
    "2000000000",
    "4294967297",
    "-",
    "--",
    "+",
    ".",
];

fn within(span: Span, bytes: &[u8]) {
    assert!(span.start <= span.end && span.end as usize <= bytes.len(), "{span:?} of {} bytes", bytes.len());
}

fn finite(numbers: &[f64]) {
    assert!(numbers.iter().all(|number| number.abs() <= f64::from(f32::MAX)), "{numbers:?}");
}

fn check<T>(bytes: &[u8], result: Result<Parsed<T>, Error>, promises: impl Fn(T)) {
    match result {
        Ok(parsed) => {
            parsed.warnings.iter().for_each(|warning| within(warning.span, bytes));
            promises(parsed.document);
        }
        Err(error) => {
            within(error.span, bytes);
            assert!(!error.to_string().is_empty());
        }
    }
}

/// Checks that a document read from `bytes` is the same after it is written, read and written again.
fn stable(bytes: &[u8], rewrite: impl Fn(&[u8]) -> Option<Vec<u8>>) {
    // A count that fits a long file can be too large for the shorter one. Then there is no second text.
    if let Some(text) = rewrite(bytes)
        && let Some(again) = rewrite(&text)
    {
        assert_eq!(String::from_utf8_lossy(&text), String::from_utf8_lossy(&again));
    }
}

/// Reads `bytes` as each of the formats and checks the promises of the readers.
fn read_all(bytes: &[u8]) {
    stable(bytes, |bytes| {
        let mut text = Vec::new();
        write_mesh(&parse_mesh(bytes).ok()?.document, &mut text).ok().map(|()| text)
    });
    stable(bytes, |bytes| {
        let mut text = Vec::new();
        write_anim(&parse_anim(bytes).ok()?.document, &mut text).ok().map(|()| text)
    });
    stable(bytes, |bytes| {
        let mut text = Vec::new();
        write_camera(&parse_camera(bytes).ok()?.document, &mut text).ok().map(|()| text)
    });
    check(bytes, parse_mesh(bytes), |file| {
        for joint in &file.joints {
            assert!(joint.parent.value < file.joints.len() as i64);
            finite(&joint.position);
            finite(&joint.rotation);
            within(joint.span, bytes);
        }
        for mesh in &file.meshes {
            within(mesh.span, bytes);
            for vert in &mesh.verts {
                assert!(vert.first_weight as usize + vert.weight_count as usize <= mesh.weights.len());
                finite(&vert.uv);
            }
            assert!(mesh.tris.iter().flat_map(|tri| tri.corners).all(|corner| (corner as usize) < mesh.verts.len()));
            for weight in &mesh.weights {
                assert!((weight.joint as usize) < file.joints.len());
                finite(&[weight.bias]);
                finite(&weight.offset);
            }
        }
    });
    check(bytes, parse_anim(bytes), |file| {
        assert!(!file.hierarchy.is_empty() && !file.frames.is_empty());
        assert!(file.hierarchy.iter().all(|channel| channel.parent.value < file.hierarchy.len() as i64));
        assert_eq!(file.baseframe.len(), file.hierarchy.len());
        assert_eq!(file.components.len() as i64, file.frames.len() as i64 * file.num_animated_components.value);
        finite(&file.components);
        finite(&[file.frame_rate]);
        file.baseframe.iter().for_each(|pose| within(pose.span, bytes));
    });
    check(bytes, parse_camera(bytes), |file| {
        assert!(!file.frames.is_empty());
        file.frames.iter().for_each(|frame| finite(&[frame.fov]));
    });
}

proptest! {
    #[test]
    fn any_bytes_never_panic(bytes in vec(any::<u8>(), 0..400)) {
        read_all(&bytes);
    }

    #[test]
    fn any_words_never_panic(words in vec(proptest::sample::select(WORDS), 0..120), blank in "[ \n]{0,1}") {
        read_all(words.join(&blank).as_bytes());
    }
}

/// Random numbers by Marsaglia's xorshift. The sequence is the same everywhere, so that failures can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// Makes one random change: changes a byte, removes, doubles or moves a piece, inserts a word, or cuts off the end.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    let end = (at + 1 + random.below(40)).min(bytes.len());
    match random.below(7) {
        0 => bytes[at] = random.below(256) as u8,
        1 => drop(bytes.drain(at..end)),
        2 => {
            let piece = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, piece);
        }
        3 => bytes.truncate(at),
        4 => {
            // Moves a whole line.
            let line_end =
                |from: usize| bytes[from..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |n| from + n);
            let start = line_end(at);
            let line: Vec<u8> = bytes.drain(start..line_end((start + 1).min(bytes.len()))).collect();
            let to = random.below(bytes.len() + 1);
            bytes.splice(to..to, line);
        }
        kind => {
            let word = WORDS[random.below(WORDS.len())].bytes();
            // The word is inserted, or replaces a word of the text.
            let end =
                if kind == 5 { at } else { bytes[at..].iter().position(|&byte| byte <= b' ').map_or(end, |n| at + n) };
            bytes.splice(at..end, word);
        }
    }
}

#[test]
fn mutated_files_never_panic() {
    let mut bases: Vec<(Vec<u8>, usize)> = [MESH, ANIM, CAMERA].map(|base| (base.into(), 3000)).into();
    let real = real_files(MD5).into_iter().map(|path| std::fs::read(path).unwrap());
    bases.extend(real.filter(|bytes| bytes.len() < 10_000).map(|bytes| (bytes, 60)));
    println!("3 base texts and {} small real files", bases.len() - 3);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for (base, times) in bases {
        for _ in 0..times {
            let mut bytes = base.clone();
            for _ in 0..=random.below(4) {
                mutate(&mut bytes, &mut random);
            }
            read_all(&bytes);
        }
    }
}
