//! Records every frame of a model, and later reports the first that changed:
//! `cargo run --example frames -- body.snapshot body.md5mesh walk.md5anim`

use bindpose::load::{LoadOptions, load};
use bindpose::snapshot::{Check, Snapshot};
use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (snapshot, files) = arguments.split_first().ok_or("usage: frames SNAPSHOT FILE…")?;
    println!("{}", record_or_verify(Path::new(snapshot), files)?);
    Ok(())
}

/// Writes the snapshot if it does not exist; else describes how the frames differ from it.
pub fn record_or_verify(path: &Path, files: &[String]) -> Result<String, Box<dyn Error>> {
    let loaded = load(files, &LoadOptions::default())?;
    // Made of what was loaded, a snapshot has digests of the files: the report tells an edited file from another reading.
    let now = Snapshot::from(&loaded);
    if !path.exists() {
        fs::write(path, now.to_bytes())?;
        return Ok(format!("recorded {} clips", now.clips.len()));
    }
    let recorded = Snapshot::from_bytes(&fs::read(path)?)?;
    let comparison = recorded.compare(&now, &Check::default());
    Ok(if comparison.is_same() { "the same".to_owned() } else { comparison.to_string() })
}
