//! Every fuzz target on a bounded number of changed seeds, the same on every machine. `BINDPOSE_TESTS=all` tries 150
//! times as many.

#[path = "fuzz-targets/targets.rs"]
mod targets;

use crate::support;
use bindpose::export::baked::{FRAME_RATE, Kind, Options, Skin};
use bindpose::load::{LoadOptions, load_bytes};
use bindpose::skin::Skinning;
use bindpose::snapshot::Snapshot;
use bindpose_parsers::x::{self, Encoding, Reading};

const MESH: &[u8] = include_bytes!("cases/md5/base.md5mesh");
const ANIM: &[u8] = include_bytes!("cases/md5/base.md5anim");
const CAMERA: &[u8] = include_bytes!("cases/validate/base.md5camera");
const X: &[u8] = include_bytes!("cases/validate/base.x");
const DECLS: &[u8] = b"table t { snap { 0, 1, -.5 } }\nskin s { model a.md5mesh a b * c }\n\
    a/b.tga { twoSided polygonOffset 1\n diffusemap add(a, scale(b, 1, .5, 2, 1)) { blend gl_one, gl_zero map x\n\
    scroll time * 0.1, t[ parm3 + 010 ] rotate .25 if ( parm7 == 0 && time > 2 ) alphaTest 0.5 rgb 8 - 4 % 3 } }\n";
const MODELS: &[u8] = b"model m { inherit n mesh a.md5mesh offset ( 0 -1 2 ) channel torso ( *a -b )\n\
    anim walk1 a.md5anim, b.md5anim { random_cycle_start frame 1 sound x\n frame 2 footstep\n } remove idle }\n\
    entityDef e { \"inherit\" \"f\" \"model\" \"m\" }\n";
const PROGRAM: &[u8] = b"addnormals(smoothnormals(a.tga), heightmap(add(b, makeAlpha(scale(c, 1, 2, .5, 1))), 4))";
const SHADERS: &[u8] = b"// a script\nModels\\A /* a\n note */\n{\n cull none\n { map $lightmap }\n { animMap 5 a/one.tga b\n blendFunc add }\n}\n\
    b{ {diffuseMap b/b\nnormalMap b/b_n specularMap \"b/b s\"\n} normalFormat X Y Z }\n";
const SKIN: &[u8] = b"0, models/shell // back\r\n\"body\",\"models/body\",x\ntag_head,\n3,\n";
/// Bytes of a `.x` file's header.
const HEADER: usize = 16;

/// Keywords of the formats, and numbers outside their range.
const WORDS: [&str; 36] = [
    "numJoints",
    "numverts",
    "numweights",
    "numFrames",
    "numAnimatedComponents",
    "hierarchy",
    "bounds",
    "baseframe",
    "frame",
    "mesh",
    "joints",
    "vert",
    "weight",
    "(",
    ")",
    "{",
    "}",
    "\"",
    "//",
    "Frame ",
    "Mesh ",
    "AnimationKey ",
    "SkinWeights ",
    "template ",
    ";",
    ",",
    "[",
    "0",
    "1",
    "-1",
    "255",
    "65536",
    "4294967295",
    "1e39",
    "nan",
    "\u{9b}\u{1b}",
];

/// Random numbers by Marsaglia's xorshift, so that a failure is the same on every machine.
struct Random(u64);

impl Random {
    /// Returns a number below `end`, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    /// Applies one to eight changes: a byte or bit is changed, a piece removed, doubled or moved, a word inserted or a
    /// number replaced.
    fn change(&mut self, seed: &[u8]) -> Vec<u8> {
        let mut bytes = seed.to_vec();
        for _ in 0..=self.below(8) {
            if bytes.is_empty() {
                break;
            }
            let at = self.below(bytes.len());
            let end = (at + 1 + self.below(30)).min(bytes.len());
            let word = WORDS[self.below(WORDS.len())].bytes();
            match self.below(8) {
                0 => bytes[at] = self.below(256) as u8,
                1 => bytes[at] ^= 1 << self.below(8),
                2 => drop(bytes.drain(at..end)),
                3 if self.below(4) == 0 => bytes.truncate(at),
                3 | 4 => {
                    let piece = bytes[at..end].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, piece);
                }
                5 => drop(bytes.splice(at..at, word)),
                _ => {
                    let is_digit = |byte: &u8| byte.is_ascii_digit();
                    let start = bytes[at..].iter().position(is_digit).map_or(at, |found| at + found);
                    let digits = bytes[start..].iter().take_while(|byte| is_digit(byte)).count();
                    drop(bytes.splice(start..start + digits, word));
                }
            }
        }
        bytes
    }
}

/// Prints the bytes on which a target panics.
struct Shown<'a>(&'a [u8]);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("on the bytes \"{}\"", self.0.escape_ascii());
        }
    }
}

/// Runs a target on its seeds and on changes of them, half of which are changes of changes.
fn fuzz(target: fn(&[u8]), times: usize, seeds: &[Vec<u8>]) {
    let times = if support::everything() { 150 * times } else { times };
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for seed in seeds {
        let mut bytes = seed.clone();
        for time in 0..times / seeds.len() {
            let shown = Shown(&bytes);
            target(shown.0);
            drop(shown);
            let from = if time % 2 == 0 && bytes.len() < 3 * seed.len() { &bytes } else { seed };
            bytes = random.change(from);
        }
    }
}

/// Returns the base `.x` in another encoding.
fn encoded(encoding: Encoding) -> Vec<u8> {
    let file = x::unpack(X, Reading::Lenient).unwrap();
    x::write(&x::parse(&file, Reading::Lenient).unwrap().document, encoding)
}

/// Returns the base mesh and clip as `.glb`.
fn glb() -> Vec<u8> {
    let files = vec![("m.md5mesh".into(), MESH.to_vec()), ("m.md5anim".into(), ANIM.to_vec())];
    let model = load_bytes(files, &LoadOptions::default()).unwrap().model;
    bindpose::export::gltf::write(&model, &Default::default()).unwrap().bytes
}

/// Returns a model and its clip as vertices of each frame.
fn baked(kind: Kind) -> Vec<u8> {
    let files = vec![("m.md5mesh".into(), MESH.to_vec()), ("m.md5anim".into(), ANIM.to_vec())];
    let model = load_bytes(files, &LoadOptions::default()).unwrap().model;
    let options = Options {
        front: None,
        scale: 1.0,
        frame_rate: FRAME_RATE,
        closed_loops: false,
        replaces: None,
        groups: Vec::new(),
        skinning: Skinning::default(),
        stem: "m".into(),
        kind,
    };
    bindpose::export::baked::write(&model, &options).unwrap().0.bytes
}

fn mdl() -> Vec<u8> {
    let skin = Skin { width: 4, height: 1, texels: vec![1; 4], places: Vec::new() };
    baked(Kind::Mdl { skin, grouped: true })
}

fn md3() -> Vec<u8> {
    baked(Kind::Md3 { tags: Vec::new() })
}

fn recorded() -> Vec<u8> {
    let files = vec![("m.md5mesh".into(), MESH.to_vec()), ("m.md5anim".into(), ANIM.to_vec())];
    Snapshot::take(&load_bytes(files, &LoadOptions::default()).unwrap().model, Vec::new()).to_bytes()
}

/// Returns a `.pak` with one file.
fn pak() -> Vec<u8> {
    let mut name = b"models/a.md5mesh".to_vec();
    name.resize(56, 0);
    [b"PACK\x10\0\0\0\x40\0\0\0four".as_slice(), &name, b"\x0c\0\0\0\x04\0\0\0"].concat()
}

/// Returns a zip file with one deflated entry: local header, bytes, directory, end record (APPNOTE.TXT 4.3).
fn zip() -> Vec<u8> {
    let packed = miniz_oxide::deflate::compress_to_vec(MESH, 6);
    let name = b"models/a.md5mesh";
    let crc = 0x1234_5678_u32;
    let mut common = b"\x14\0\0\0\x08\0\0\0\0\0".to_vec();
    common.extend([crc, packed.len() as u32, MESH.len() as u32].map(u32::to_le_bytes).as_flattened());
    common.extend([name.len() as u16, 0].map(u16::to_le_bytes).as_flattened());
    let local = [b"PK\x03\x04".as_slice(), &common, name, &packed].concat();
    let directory = [b"PK\x01\x02\x14\0".as_slice(), &common, &[0; 14], name].concat();
    let sizes = [directory.len() as u32, local.len() as u32].map(u32::to_le_bytes);
    [local, directory, b"PK\x05\x06\0\0\0\0\x01\0\x01\0".to_vec(), sizes.as_flattened().to_vec(), vec![0; 2]].concat()
}

/// Defines a test for each target with the number of runs and its seeds.
macro_rules! fuzz {
    ($($name:ident $times:literal $seeds:expr;)*) => {$(
        #[test]
        fn $name() {
            fuzz(targets::$name, $times, &$seeds.map(|seed| seed.to_vec()));
        }
    )*};
}

fuzz! {
    md5mesh 7_000 [MESH];
    md5anim 7_000 [ANIM];
    md5camera 7_000 [CAMERA];
    x_text 7_000 [&X[HEADER..]];
    x_binary 7_000 [&encoded(Encoding::BINARY)[HEADER..]];
    x_compressed 7_000 [&encoded(Encoding::BINARY.compressed())[HEADER..]];
    x_writers 3_500 [X, &encoded(Encoding::BINARY)];
    gltf 1_000 [&support::armature(), &glb()];
    vertex_model 7_000 [&support::mdl(&["stand1", "stand2", "walk1"]), &support::md2(&["a/b.pcx", "c.pcx"]), &mdl(), &md3()];
    show 3_500 [MESH, ANIM, X, &encoded(Encoding::BINARY)];
    validate 170 [MESH, ANIM, CAMERA, X];
    repair 1_700 [MESH, ANIM, CAMERA];
    snapshot 7_000 [&recorded(), &recorded()[..recorded().len() - 8]];
    record 1_700 [MESH, ANIM, X];
    decls 1_000 [DECLS, MODELS];
    image_program 7_000 [PROGRAM];
    shaders 7_000 [SHADERS];
    skin_rows 1_000 [SKIN];
    archive 700 [&pak(), &zip()];
}

/// Files of settings are read by the program, one run each.
#[test]
fn settings() {
    const SETTINGS: &[u8] =
        b"[validate]\nprofile = [\"doom3\", \"vkquake\"]\nformat = \"short\"\nfail-on = \"warning\"\n\
        only = [\"MD5M\"]\nignore = [\"MD5M001\"]\nerror = [\"IO004\"]\n";
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz-settings");
    std::fs::create_dir_all(&folder).unwrap();
    let mesh = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5/base.md5mesh");
    let path = folder.join("bindpose.toml");
    let mut random = Random(7);
    let mut bytes = SETTINGS.to_vec();
    for time in 0..if support::everything() { 5_000 } else { 50 } {
        std::fs::write(&path, &bytes).unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_bindpose"));
        let output = command.args(["validate", mesh, "--config"]).arg(&path).output().unwrap();
        let code = output.status.code();
        assert!(matches!(code, Some(0..=2)), "{code:?} on \"{}\"", bytes.escape_ascii());
        bytes = random.change(if time % 2 == 0 && bytes.len() < 1000 { &bytes } else { SETTINGS });
    }
}

/// Files of example poses next to a model.
#[cfg(feature = "render")]
#[test]
fn examples() {
    const EXAMPLES: &[u8] = b"[[example]]\njoint = \"bone\"\nrotation = { axis = [0, 0, 1], degrees = 90 }\nmesh = \"bent.md5mesh\"\n\n[[example]]\njoint = \"origin\"\nrotation = [0, 0, 0, 1]\nmesh = \"bent.md5mesh\"\n";
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz-examples");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("bent.md5mesh"), MESH).unwrap();
    let files = vec![("m.md5mesh".into(), MESH.to_vec())];
    let model = load_bytes(files, &LoadOptions::default()).unwrap().model;
    let path = folder.join("m.examples.toml");
    let mut random = Random(9);
    let mut bytes = EXAMPLES.to_vec();
    for time in 0..if support::everything() { 50_000 } else { 300 } {
        std::fs::write(&path, &bytes).unwrap();
        let shown = Shown(&bytes);
        let _ = bindpose::examples::read(&path, &model.skeleton, bindpose::budget::MemoryLimit::default());
        drop(shown);
        bytes = random.change(if time % 2 == 0 && bytes.len() < 1000 { &bytes } else { EXAMPLES });
    }
}
