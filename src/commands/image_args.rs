//! Images that a user wants instead of those that files name.

use anyhow::bail;
use bindpose::image_habits::{Role, Wanted, WantedFile};
use std::path::PathBuf;

/// `--texture` and `--textures`.
#[derive(Debug, Clone, clap::Args)]
pub struct ImageArgs {
    /// Image for all surfaces, or for those of one mesh or material; with :normal or :specular behind the name, or in its place, a
    /// normal map (green grows up the image, as in glTF) or a specular map; may be given several times
    #[arg(long, value_name = "[[MESH][:ROLE]=]FILE", value_parser = texture)]
    texture: Vec<WantedFile>,
    /// Folder where images are looked for before all others, with normal and specular maps that are called like them (fur_n.png,
    /// fur_spec.png); may be given several times
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

fn texture(text: &str) -> Result<WantedFile, String> {
    let whole = PathBuf::from(text);
    let (whose, path) = match text.split_once('=') {
        Some((whose, file)) if !whole.is_file() => (whose, PathBuf::from(file)),
        _ => ("", whole),
    };
    if !path.is_file() {
        return Err(format!("there is no file {}", path.display()));
    }
    let named = Role::LAYERS.into_iter().find_map(|role| {
        let (surface, name) = whose.rsplit_once(':')?;
        (name == role.name()).then_some((surface, role))
    });
    let (surface, role) = named.unwrap_or((whose, Role::Picture));
    Ok(WantedFile { surface: (!surface.is_empty()).then(|| surface.to_owned()), role, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_texture_says_whose_and_what_it_is() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let read = |text: String| texture(&text).map(|wanted| (wanted.surface, wanted.role));
        let of = |surface: Option<&str>, role| Ok((surface.map(str::to_owned), role));
        assert_eq!(read(file.to_owned()), of(None, Role::Picture));
        assert_eq!(read(format!("body={file}")), of(Some("body"), Role::Picture));
        assert_eq!(read(format!("body:normal={file}")), of(Some("body"), Role::Normal));
        assert_eq!(read(format!(":specular={file}")), of(None, Role::Specular));
        // Names of materials have colons of their own.
        assert_eq!(read(format!("a:b={file}")), of(Some("a:b"), Role::Picture));
        assert!(read("body=nothing.png".to_owned()).is_err());
    }
}
