//! Images of materials, for formats and engines that want them in files of their own.

use bindpose::export::gltf::Picture;
use bindpose::export::md5::{OldModel, Skins};
use bindpose::export::{NamedFile, file_name};
use bindpose::images::{self, Palette, Texture, TextureError, TextureFinder};
use bindpose::load::{self, Loaded};
use bindpose::model::Material;
use image::RgbaImage;
use std::path::{Path, PathBuf};

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

/// `SHADER_00_00.png` for each shader whose image is found, `.lmp` where there is a palette; skins of the old model that
/// nobody has drawn are noted.
pub fn quake_skins(
    loaded: &Loaded,
    shaders: &[String],
    old: Option<&OldModel>,
    palette: Option<&Palette>,
    notes: &mut Vec<String>,
) -> Vec<NamedFile> {
    let mut skins: Vec<NamedFile> = Vec::new();
    for (found, shader) in find(loaded, notes).into_iter().zip(shaders) {
        let name = format!("{shader}_00_00.{}", if palette.is_some() { "lmp" } else { "png" });
        let Some(found) = found.filter(|_| !skins.iter().any(|known| known.name == name)) else { continue };
        match palette {
            Some(palette) => skins.push(NamedFile { name, bytes: palette.encode(&found.image) }),
            None => skins.extend(as_png(&found, name, notes)),
        }
    }
    if let (Some(OldModel { skins: Skins::Numbered(pictures), .. }), Some(shader)) = (old, shaders.first()) {
        let all = pictures.iter().zip(0..).flat_map(|(&pictures, skin)| (0..pictures).map(move |frame| (skin, frame)));
        let names = all.skip(1).map(|(skin, frame)| format!("{shader}_{skin:02}_{frame:02}"));
        notes.extend(missing(names.collect()));
    }
    skins
}

/// The first skin that the old model names, as a PNG beside the mesh, which engines look for in the folder `md5`; the
/// others are noted.
pub fn quake2_skins(loaded: &Loaded, old: Option<&OldModel>, notes: &mut Vec<String>) -> Vec<NamedFile> {
    let Some(OldModel { skins: Skins::Named(paths), .. }) = old else { return Vec::new() };
    let stem = |path: &String| {
        let file = path.rsplit('/').next().unwrap_or(path);
        file_name(file.rsplit_once('.').map_or(file, |(stem, _)| stem))
    };
    let Some((first, others)) = paths.split_first() else { return Vec::new() };
    let found = find(loaded, notes).into_iter().flatten().next();
    notes.extend(missing(others.iter().map(stem).collect()));
    found.and_then(|found| as_png(&found, format!("{}.png", stem(first)), notes)).into_iter().collect()
}

fn as_png(found: &Found, name: String, notes: &mut Vec<String>) -> Option<NamedFile> {
    match images::png(&found.image) {
        Ok(bytes) => Some(NamedFile { name, bytes }),
        Err(error) => {
            notes.push(left_out(&found.path, &error));
            None
        }
    }
}

/// Skins that are named at most.
const MOST_NAMED: usize = 12;

fn missing(names: Vec<String>) -> Option<String> {
    let more = names.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let named = names.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let skins = if names.len() == 1 { "a skin" } else { "skins" };
    (!names.is_empty()).then(|| format!("the old model has {skins} that no image was given for: {named}{more}"))
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

fn left_out(path: &Path, error: &TextureError) -> String {
    format!("the image {} is left out: {error}", path.display())
}
