//! Images of materials, for formats and engines that want them in files of their own.

use bindpose::export::NamedFile;
use bindpose::export::gltf::Picture;
use bindpose::load::Loaded;

/// For each material its image; what cannot be found is noted.
#[cfg(feature = "render")]
pub fn of_materials(loaded: &Loaded, notes: &mut Vec<String>) -> Vec<Option<Picture>> {
    let images = find(loaded, notes);
    let picture = |image: Option<Found>| {
        let Found { name, png, is_cut_out } = image?;
        Picture::new(name, png, is_cut_out).ok()
    };
    images.into_iter().map(picture).collect()
}

/// `SHADER_00_00.png` for each shader, where its image is found.
#[cfg(feature = "render")]
pub fn skins(loaded: &Loaded, shaders: &[String], notes: &mut Vec<String>) -> Vec<NamedFile> {
    let mut skins: Vec<NamedFile> = Vec::new();
    for (image, shader) in find(loaded, notes).into_iter().zip(shaders) {
        let name = format!("{shader}_00_00.png");
        if let Some(image) = image.filter(|_| !skins.iter().any(|known| known.name == name)) {
            skins.push(NamedFile { name, bytes: image.png });
        }
    }
    skins
}

#[cfg(feature = "render")]
struct Found {
    name: String,
    png: Vec<u8>,
    is_cut_out: bool,
}

/// For each material its image as a PNG file.
#[cfg(feature = "render")]
fn find(loaded: &Loaded, notes: &mut Vec<String>) -> Vec<Option<Found>> {
    use bindpose::render::{Texture, TextureFinder, is_cut_out};
    let embedded: Vec<(&str, &[u8])> =
        loaded.images.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let finder = TextureFinder::new(&loaded.directories, &embedded).with_memory(super::super::memory());
    let mut of_material = |material: &bindpose::model::Material| {
        let name = material.texture.as_deref()?;
        match finder.find(name) {
            Texture::Found { path, image } => {
                let mut png = std::io::Cursor::new(Vec::new());
                if let Err(error) = image.write_to(&mut png, image::ImageFormat::Png) {
                    notes.push(format!("{} cannot be written as PNG: {error}", path.display()));
                    return None;
                }
                let is_cut_out = is_cut_out(&image);
                Some(Found { name: bindpose::load::name_of(&path), png: png.into_inner(), is_cut_out })
            }
            Texture::Broken { path, error } => {
                notes.push(format!("the image {} is left out: {error}", path.display()));
                None
            }
            Texture::Missing { .. } => {
                notes.push(format!("no image '{name}' was found"));
                None
            }
            Texture::NoImage => None,
        }
    };
    loaded.model.materials.iter().map(&mut of_material).collect()
}

/// Without the renderer nothing reads images.
#[cfg(not(feature = "render"))]
pub fn of_materials(_: &Loaded, notes: &mut Vec<String>) -> Vec<Option<Picture>> {
    notes.push("images are left out: this program was built without reading images".into());
    Vec::new()
}

/// Without the renderer nothing reads images.
#[cfg(not(feature = "render"))]
pub fn skins(_: &Loaded, _: &[String], notes: &mut Vec<String>) -> Vec<NamedFile> {
    notes.push("images are left out: this program was built without reading images".into());
    Vec::new()
}
