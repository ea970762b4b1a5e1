//! Embeds the application manifest of Windows: UTF-8 as the code page, paths of any length, sharp on every screen.

use embed_manifest::{embed_manifest, new_manifest};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_CFG_WINDOWS").is_some() {
        embed_manifest(new_manifest("bindpose-player"))?;
    }
    Ok(())
}
