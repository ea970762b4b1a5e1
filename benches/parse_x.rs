//! Measures the speed of reading .x relative to floors that store and check nothing. For text, the floor splits the
//! same bytes at blanks and separators and converts every number with the same float parser. For tokens, it reads every
//! list element as a number.
//!
//! `cargo bench -p bindpose-benches --bench parse_x` prints divan's table and then the ratios, all from one run.

use bindpose_parsers::Span;
use bindpose_parsers::x::{
    self, Animation, AnimationKey, AnimationSet, Document, Encoding, Frame, KeyKind, Mesh, MeshNormals,
    MeshTextureCoords, MeshUse, Reading, SkinWeights, Target, XSkinMeshHeader,
};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use std::time::{Duration, Instant};

fn main() {
    divan::main();
    if std::env::args().any(|argument| argument == "--bench") {
        ratio("text", &file(Encoding::TEXT), text_floor);
        ratio("binary", &file(Encoding::BINARY), token_floor);
        ratio("tzip", &file(Encoding::TEXT.compressed()), inflate_floor);
    }
}

#[divan::bench]
fn text(bencher: Bencher<'_, '_>) {
    run(bencher, Encoding::TEXT, parse);
}

#[divan::bench]
fn text_bare_scan(bencher: Bencher<'_, '_>) {
    run(bencher, Encoding::TEXT, text_floor);
}

#[divan::bench]
fn binary(bencher: Bencher<'_, '_>) {
    run(bencher, Encoding::BINARY, parse);
}

#[divan::bench]
fn binary_bare_scan(bencher: Bencher<'_, '_>) {
    run(bencher, Encoding::BINARY, token_floor);
}

#[divan::bench]
fn tzip(bencher: Bencher<'_, '_>) {
    run(bencher, Encoding::TEXT.compressed(), parse);
}

fn run(bencher: Bencher<'_, '_>, encoding: Encoding, work: fn(&[u8]) -> f64) {
    let bytes = file(encoding);
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| work(black_box(&bytes)));
}

/// Reads everything that a player needs from a file. Returns the number of meshes.
fn parse(bytes: &[u8]) -> f64 {
    let file = x::unpack(bytes, Reading::Lenient).expect("the generated file is sound");
    let parsed = x::parse(&file, Reading::Lenient).expect("the generated file is sound");
    assert!(parsed.warnings.is_empty(), "{:?}", parsed.warnings);
    parsed.document.meshes.len() as f64
}

/// Returns the sum of all numbers of a text file.
fn text_floor(bytes: &[u8]) -> f64 {
    let words = bytes.split(|byte| matches!(byte, b' ' | b'\n' | b';' | b',' | b'{' | b'}'));
    let numbers = words.filter(|word| matches!(word.first(), Some(b'-' | b'.' | b'0'..=b'9')));
    numbers.filter_map(|word| fast_float2::parse::<f64, _>(word).ok()).sum()
}

/// Returns the sum of all list elements of a token stream.
fn token_floor(bytes: &[u8]) -> f64 {
    let mut sum = 0.0;
    let mut at = 16;
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    while at + 2 <= bytes.len() {
        let token = u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        at += 2;
        match token {
            1 | 2 => at += 4 + word(at) as usize,
            3 => at += 4,
            5 => at += 16,
            6 | 7 => {
                let end = at + 4 + 4 * word(at) as usize;
                while at < end {
                    at += 4;
                    sum += if token == 6 { f64::from(word(at - 4)) } else { f64::from(f32::from_bits(word(at - 4))) };
                }
            }
            _ => {}
        }
    }
    sum
}

/// Measures inflating alone.
fn inflate_floor(bytes: &[u8]) -> f64 {
    x::unpack(bytes, Reading::Lenient).expect("the generated file is sound").bytes.len() as f64
}

/// Prints the best result of alternating runs of the reader and the floor.
fn ratio(name: &str, bytes: &[u8], floor: fn(&[u8]) -> f64) {
    let mut best = [Duration::MAX; 2];
    for _ in 0..15 {
        for (work, best) in [parse as fn(&[u8]) -> f64, floor].into_iter().zip(&mut best) {
            let start = Instant::now();
            black_box(work(black_box(bytes)));
            *best = (*best).min(start.elapsed());
        }
    }
    let [parsed, floor] = best.map(|time| bytes.len() as f64 / time.as_secs_f64() / 1e6);
    println!("{name}: {parsed:.0} MB/s, floor {floor:.0} MB/s, ratio {:.2}", parsed / floor);
}

/// Random numbers as exporters print them: six decimals.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, range: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let unit = (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        ((unit * 2.0 - 1.0) * range * 1e6).round() / 1e6
    }

    fn many<const N: usize>(&mut self, range: f64) -> [f64; N] {
        std::array::from_fn(|_| self.next(range))
    }
}

/// Returns a skinned mesh of 40,000 vertices, 64 bones and 200 keys each: about 8 MB as text.
fn file(encoding: Encoding) -> Vec<u8> {
    let mut numbers = Numbers(3);
    let (vertices, bones) = (40_000_usize, 64);
    let names: Vec<String> = (0..bones).map(|bone| format!("Bone_{bone}")).collect();
    let span = Span::default();
    let mut document = Document::default();
    let mut set = AnimationSet::default();
    for (bone, name) in names.iter().enumerate() {
        let matrices = vec![numbers.many(1.0)];
        document.frames.push(Frame { name: Some(name.as_str().into()), parent: bone.checked_sub(1), matrices, span });
        let times: Vec<f64> = (0..200).map(f64::from).collect();
        let lists = [KeyKind::Rotation, KeyKind::Scale, KeyKind::Position].map(|kind| AnimationKey {
            kind,
            values: (0..times.len() * kind.width()).map(|_| numbers.next(1.0)).collect::<Vec<_>>().into(),
            times: times.clone(),
            span,
        });
        let target = Some(Target { name: name.as_str().into(), frame: Some(bone) });
        set.animations.push(Animation { target, keys: lists.into(), ..Animation::default() });
    }
    let mut mesh = Mesh { vertices: (0..vertices).map(|_| numbers.many(40.0)).collect(), ..Mesh::default() };
    for face in 0..60_000 {
        mesh.faces.push(&[1, 3, 7].map(|step| ((face * step + step) % vertices) as u32));
    }
    let normals = (0..vertices).map(|_| numbers.many(1.0)).collect();
    mesh.normals = Some(MeshNormals { normals, faces: mesh.faces.clone(), span });
    let coords = (0..vertices).map(|_| numbers.many(1.0)).collect();
    mesh.texture_coords = Some(MeshTextureCoords { coords, span });
    mesh.skin_header = Some(XSkinMeshHeader {
        max_weights_per_vertex: 2.into(),
        max_weights_per_face: 6.into(),
        bones: (bones as u32).into(),
        span,
    });
    mesh.skin_weights = (0..bones)
        .map(|bone| SkinWeights {
            bone: names[bone].as_str().into(),
            frame: Some(bone),
            weights: (0..vertices)
                .filter(|vertex| vertex % bones == bone || (vertex + 1) % bones == bone)
                .map(|vertex| (vertex as u32, 0.5))
                .collect(),
            matrix_offset: numbers.many(1.0),
            span,
        })
        .collect();
    document.meshes.push(mesh);
    document.mesh_uses.push(MeshUse { mesh: 0, frame: Some(0), span });
    document.animation_sets.push(set);
    x::write(&document, encoding)
}
