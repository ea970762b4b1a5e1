//! Embeds the application manifest of Windows: UTF-8 as the code page, paths of any length, sharp on every screen.

fn main() -> std::io::Result<()> {
    #[cfg(feature = "cli")]
    if std::env::var_os("CARGO_CFG_WINDOWS").is_some() {
        embed_manifest::embed_manifest(embed_manifest::new_manifest("bindpose"))?;
    }
    Ok(())
}
