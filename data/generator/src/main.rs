//! Writes the sample models: `cargo run -p bindpose-samples -- [OUTDIR]`, by default into `data/`.

use anyhow::{Context, Result};
use std::path::PathBuf;

fn main() -> Result<()> {
    let out = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("data"), PathBuf::from);
    for (path, bytes) in bindpose_samples::generate()? {
        let path = out.join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        std::fs::write(&path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{} {}", path.display(), bytes.len());
    }
    Ok(())
}
