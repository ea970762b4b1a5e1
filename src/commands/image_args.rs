//! Images that replace those named by files.

use anyhow::bail;
use bindpose::image_search::{ChosenImage, ImageChoices, ImageRole};
use std::path::PathBuf;

/// Options `--texture` and `--textures`.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Images")]
pub struct ImageArgs {
    /// Image for all surfaces, or for those of one mesh or material; :normal, :specular or :glow after the name, or
    /// instead of it, makes it a normal map (green points up the image, as in glTF), a specular map or a glow map;
    /// repeatable
    #[arg(long, value_name = "[[MESH][:ROLE]=]FILE", value_parser = texture)]
    texture: Vec<ChosenImage>,
    /// Folder to search for images first, with normal and specular maps named after them (fur_n.png, fur_spec.png);
    /// repeatable
    #[arg(long, value_name = "DIR")]
    textures: Vec<PathBuf>,
}

impl ImageArgs {
    /// Returns the images chosen by the options; `skin` is that of `--skin`.
    ///
    /// # Errors
    ///
    /// `--textures` does not name a folder.
    pub fn wanted(&self, skin: Option<String>) -> anyhow::Result<ImageChoices> {
        if let Some(folder) = self.textures.iter().find(|folder| !folder.is_dir()) {
            bail!("--textures: {} is not a folder", folder.display());
        }
        Ok(ImageChoices { files: self.texture.clone(), folders: self.textures.clone(), skin })
    }
}

fn texture(text: &str) -> Result<ChosenImage, String> {
    let whole = PathBuf::from(text);
    let (whose, path) = match text.split_once('=') {
        Some((whose, file)) if !whole.is_file() => (whose, PathBuf::from(file)),
        _ => ("", whole),
    };
    if !path.is_file() {
        return Err(format!("there is no file {}", path.display()));
    }
    let named = ImageRole::LAYERS.into_iter().find_map(|role| {
        let (surface, name) = whose.rsplit_once(':')?;
        (name == role.name()).then_some((surface, role))
    });
    let (surface, role) = named.unwrap_or((whose, ImageRole::Base));
    Ok(ChosenImage { surface: (!surface.is_empty()).then(|| surface.to_owned()), role, path })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose::model::{Material, Model};

    #[test]
    fn a_texture_option_names_surface_and_role() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let read = |text: String| texture(&text).map(|wanted| (wanted.surface, wanted.role));
        let of = |surface: Option<&str>, role| Ok((surface.map(str::to_owned), role));
        assert_eq!(read(file.to_owned()), of(None, ImageRole::Base));
        assert_eq!(read(format!("body={file}")), of(Some("body"), ImageRole::Base));
        assert_eq!(read(format!("body:normal={file}")), of(Some("body"), ImageRole::Normal));
        assert_eq!(read(format!(":specular={file}")), of(None, ImageRole::Specular));
        let choices = ImageChoices { files: vec![texture(&format!("hed={file}")).unwrap()], ..ImageChoices::default() };
        let model = |name: &str| Model { materials: vec![Material::neutral(name)], ..Model::default() };
        assert!(choices.without_surface(&model("HED")).is_empty());
        let lost = "--texture: no mesh or material is called 'hed'; did you mean 'head'?";
        assert_eq!(choices.without_surface(&model("head")), [lost]);
        // Names of materials may contain colons.
        assert_eq!(read(format!("a:b={file}")), of(Some("a:b"), ImageRole::Base));
        assert!(read("body=nothing.png".to_owned()).is_err());
    }
}
