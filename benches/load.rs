//! Loading of a model from text, compared with a floor: the same bytes split at spaces and separators, with every
//! number parsed by the same float parser, and nothing kept or checked.
//!
//! `cargo bench -p bindpose-benches --bench load`

use bindpose::load::{LoadOptions, load_bytes};
use bindpose_benches::print_ratio;
use std::path::Path;

/// Samples of the repository.
const FILES: [&str; 3] = ["md5/mannequin.md5mesh", "md5/idle.md5anim", "x/mannequin_light.x"];

fn main() {
    for name in FILES {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../data")).join(name);
        let bytes = std::fs::read(&path).expect("the sample exists");
        let options = LoadOptions::default();
        // Loading consumes its input.
        let load = || load_bytes(vec![(path.clone(), bytes.clone())], &options).expect("the sample is sound");
        let what = format!("{name} to model / its numbers alone");
        print_ratio(&what, bytes.len(), "byte", || floor(&bytes), load);
    }
}

/// Returns the sum of all numbers.
fn floor(bytes: &[u8]) -> f64 {
    let words = bytes.split(|byte| matches!(byte, 0..=b' ' | b';' | b',' | b'{' | b'}' | b'(' | b')'));
    let numbers = words.filter(|word| matches!(word.first(), Some(b'-' | b'.' | b'0'..=b'9')));
    numbers.filter_map(|word| fast_float2::parse::<f64, _>(word).ok()).sum()
}
