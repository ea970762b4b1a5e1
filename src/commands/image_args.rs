//! Images that a user wants instead of those that files name.

use anyhow::bail;
use bindpose::image_habits::Wanted;
use std::path::PathBuf;

/// `--texture` and `--textures`.
#[derive(Debug, Clone, clap::Args)]
pub struct ImageArgs {
    /// Image for all surfaces, or for those of one mesh or material; may be given several times
    #[arg(long, value_name = "[MESH=]FILE", value_parser = texture)]
    texture: Vec<(Option<String>, PathBuf)>,
    /// Folder where images are looked for before all others; may be given several times
    #[arg(long, value_name = "DIR")]
    textures: Vec<PathBuf>,
}

impl ImageArgs {
    /// What is wanted.
    ///
    /// # Errors
    ///
    /// A folder that is none.
    pub fn wanted(&self) -> anyhow::Result<Wanted> {
        if let Some(folder) = self.textures.iter().find(|folder| !folder.is_dir()) {
            bail!("--textures: {} is no folder", folder.display());
        }
        Ok(Wanted { files: self.texture.clone(), folders: self.textures.clone() })
    }
}

fn texture(text: &str) -> Result<(Option<String>, PathBuf), String> {
    let whole = PathBuf::from(text);
    let (surface, file) = match text.split_once('=') {
        Some((surface, file)) if !whole.is_file() => (Some(surface.to_owned()), PathBuf::from(file)),
        _ => (None, whole),
    };
    if file.is_file() { Ok((surface, file)) } else { Err(format!("there is no file {}", file.display())) }
}
