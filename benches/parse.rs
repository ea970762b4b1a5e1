//! Measures the speed of reading MD5 text relative to a floor. The floor splits the same bytes at white space and
//! converts every number with the same float parser, but keeps and checks nothing.
//!
//! `cargo bench -p bindpose-benches --bench parse` prints divan's table and then the ratios, all from one run.

use bindpose_parsers::md5::{parse_anim, parse_mesh};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use std::fmt::Write;
use std::time::{Duration, Instant};

fn main() {
    divan::main();
    if std::env::args().any(|argument| argument == "--bench") {
        ratio("md5mesh", &mesh_text(), |bytes| parse_mesh(bytes).is_ok_and(|parsed| parsed.warnings.is_empty()));
        ratio("md5anim", &anim_text(), |bytes| parse_anim(bytes).is_ok_and(|parsed| parsed.warnings.is_empty()));
    }
}

#[divan::bench]
fn mesh(bencher: Bencher<'_, '_>) {
    let text = mesh_text();
    bencher.counter(BytesCount::of_str(&text)).bench(|| parse_mesh(black_box(text.as_bytes())));
}

#[divan::bench]
fn mesh_floor(bencher: Bencher<'_, '_>) {
    let text = mesh_text();
    bencher.counter(BytesCount::of_str(&text)).bench(|| floor(black_box(text.as_bytes())));
}

#[divan::bench]
fn anim(bencher: Bencher<'_, '_>) {
    let text = anim_text();
    bencher.counter(BytesCount::of_str(&text)).bench(|| parse_anim(black_box(text.as_bytes())));
}

#[divan::bench]
fn anim_floor(bencher: Bencher<'_, '_>) {
    let text = anim_text();
    bencher.counter(BytesCount::of_str(&text)).bench(|| floor(black_box(text.as_bytes())));
}

/// Returns the floor: the sum of all numbers.
fn floor(bytes: &[u8]) -> f64 {
    let words = bytes.split(u8::is_ascii_whitespace);
    let numbers = words.filter(|word| matches!(word.first(), Some(b'-' | b'.' | b'0'..=b'9')));
    numbers.filter_map(|word| fast_float2::parse::<f64, _>(word).ok()).sum()
}

/// Prints the best result of alternating runs of the parser and the floor.
fn ratio(name: &str, text: &str, parse: impl Fn(&[u8]) -> bool) {
    let mut best = [Duration::MAX; 2];
    for _ in 0..15 {
        let start = Instant::now();
        assert!(parse(black_box(text.as_bytes())), "the generated text is fine");
        best[0] = best[0].min(start.elapsed());
        let start = Instant::now();
        black_box(floor(black_box(text.as_bytes())));
        best[1] = best[1].min(start.elapsed());
    }
    let [parsed, floor] = best.map(|time| text.len() as f64 / time.as_secs_f64() / 1e6);
    println!("{name}: {parsed:.0} MB/s, floor {floor:.0} MB/s, ratio {:.2}", parsed / floor);
}

/// Random numbers in the form of id's exporter: ten decimals, without zeros at the end.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, range: f64) -> String {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let unit = (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        let text = format!("{:.10}", (unit * 2.0 - 1.0) * range);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

/// Returns a mesh file of about 8 MB.
fn mesh_text() -> String {
    let mut numbers = Numbers(1);
    let mut text = String::from("MD5Version 10\ncommandline \"\"\n\nnumJoints 64\nnumMeshes 1\n\njoints {\n");
    for joint in 0..64 {
        let mut next = || numbers.next(0.5);
        let (x, y, z, a, b, c) = (next(), next(), next(), next(), next(), next());
        writeln!(text, "\t\"joint{joint}\"\t{} ( {x} {y} {z} ) ( {a} {b} {c} )\t\t// parent", joint - 1).unwrap();
    }
    let (verts, tris, weights) = (40_000, 60_000, 80_000);
    writeln!(text, "}}\n\nmesh {{\n\tshader \"models/bench\"\n\n\tnumverts {verts}").unwrap();
    for vert in 0..verts {
        let (s, t) = (numbers.next(1.0), numbers.next(1.0));
        writeln!(text, "\tvert {vert} ( {s} {t} ) {} 2", vert * 2).unwrap();
    }
    writeln!(text, "\n\tnumtris {tris}").unwrap();
    for tri in 0..tris {
        let corner = |step: usize| (tri * step) % verts;
        writeln!(text, "\ttri {tri} {} {} {}", corner(1), corner(3), corner(7)).unwrap();
    }
    writeln!(text, "\n\tnumweights {weights}").unwrap();
    for weight in 0..weights {
        let mut next = || numbers.next(40.0);
        let (x, y, z) = (next(), next(), next());
        writeln!(text, "\tweight {weight} {} 0.5 ( {x} {y} {z} )", weight % 64).unwrap();
    }
    text + "}\n"
}

/// Returns an animation file of about 5 MB.
fn anim_text() -> String {
    let (joints, frames) = (64, 1000);
    let mut numbers = Numbers(2);
    let mut text = format!("MD5Version 10\ncommandline \"\"\n\nnumFrames {frames}\nnumJoints {joints}\nframeRate 24\n");
    writeln!(text, "numAnimatedComponents {}\n\nhierarchy {{", joints * 6).unwrap();
    for joint in 0..joints {
        writeln!(text, "\t\"joint{joint}\"\t{} 63 {}", joint as i64 - 1, joint * 6).unwrap();
    }
    text += "}\n\nbounds {\n";
    for _ in 0..frames {
        text += "\t( -32.5 -32.5 0.25 ) ( 32.5 32.5 80.125 )\n";
    }
    text += "}\n\nbaseframe {\n";
    for _ in 0..joints {
        text += "\t( 0 0 8.5 ) ( 0 0.25 0 )\n";
    }
    text += "}\n";
    for frame in 0..frames {
        writeln!(text, "\nframe {frame} {{").unwrap();
        for _ in 0..joints {
            let mut next = |range| numbers.next(range);
            let (x, y, z, a, b, c) = (next(20.0), next(20.0), next(20.0), next(0.5), next(0.5), next(0.5));
            writeln!(text, "\t{x} {y} {z} {a} {b} {c}").unwrap();
        }
        text += "}\n";
    }
    text
}
