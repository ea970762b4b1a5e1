//! Lists the files of `shaders/`, so that adding a shader means adding its file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=shaders");
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("shaders");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
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
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("shaders.rs"), table)?;
    Ok(())
}
