//! Images of materials, for formats and engines that want them in files of their own.

use bindpose::export::NamedFile;
use bindpose::export::gltf::Picture;
use bindpose::images::{self, Texture, TextureFinder};
use bindpose::load::{self, Loaded};
use bindpose::model::Material;
use image::RgbaImage;
use std::path::PathBuf;

/// For each material its image; what cannot be found is noted.
pub fn of_materials(loaded: &Loaded, notes: &mut Vec<String>) -> Vec<Option<Picture>> {
    let found = find(loaded, notes);
    let mut picture = |found: Option<Found>| {
        let Found { path, image, file } = found?;
        let is_cut_out = images::is_cut_out(&image);
        let file = if images::is_jpeg(&file) { Ok(file) } else { images::png(&image) };
        let file = file.map_err(|error| notes.push(left_out(&path, &error))).ok()?;
        Picture::new(load::name_of(&path), file, is_cut_out).ok()
    };
    found.into_iter().map(&mut picture).collect()
}

/// `SHADER_00_00.png` for each shader, where its image is found.
pub fn skins(loaded: &Loaded, shaders: &[String], notes: &mut Vec<String>) -> Vec<NamedFile> {
    let mut skins: Vec<NamedFile> = Vec::new();
    for (found, shader) in find(loaded, notes).into_iter().zip(shaders) {
        let name = format!("{shader}_00_00.png");
        let Some(Found { path, image, .. }) = found.filter(|_| !skins.iter().any(|known| known.name == name)) else {
            continue;
        };
        match images::png(&image) {
            Ok(bytes) => skins.push(NamedFile { name, bytes }),
            Err(error) => notes.push(left_out(&path, &error)),
        }
    }
    skins
}

struct Found {
    path: PathBuf,
    image: RgbaImage,
    file: Vec<u8>,
}

/// For each material its image.
fn find(loaded: &Loaded, notes: &mut Vec<String>) -> Vec<Option<Found>> {
    let embedded: Vec<(&str, &[u8])> =
        loaded.images.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let finder = TextureFinder::new(&loaded.directories, &embedded).with_memory(super::super::memory());
    let mut of_material = |material: &Material| {
        let name = material.texture.as_deref()?;
        match finder.find(name) {
            Texture::Found { path, image, file } => Some(Found { path, image, file }),
            Texture::Broken { path, error } => {
                notes.push(left_out(&path, &error));
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

fn left_out(path: &std::path::Path, error: &images::TextureError) -> String {
    format!("the image {} is left out: {error}", path.display())
}
