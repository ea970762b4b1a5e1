//! Lists the files of this folder, so that a new shader only needs its file.

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Writes the table of names and sources.
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=.");
    let mut files: Vec<PathBuf> = std::fs::read_dir(std::env::var("CARGO_MANIFEST_DIR")?)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, std::io::Error>>()?;
    files.retain(|path| {
        path.extension().is_some_and(|kind| ["vert", "frag", "glsl"].iter().any(|known| kind == *known))
    });
    files.sort();
    let mut table = String::from("&[\n");
    for path in &files {
        let name = path.file_name().unwrap_or_default();
        writeln!(table, "({name:?}, include_str!({path:?})),")?;
    }
    table.push_str("]\n");
    Ok(std::fs::write(PathBuf::from(std::env::var("OUT_DIR")?).join("shaders.rs"), table)?)
}
