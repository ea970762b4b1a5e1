//! Exports the images of materials for formats and engines that need separate image files.

use super::lmp::FIRST_BRIGHT;
use super::{ImageSource, Located, Palette, Texture, TextureFinder, missing_image};
use bindpose_core::budget::MemoryLimit;
use bindpose_core::image_search::{ImageChoices, ImageFinder, ImageRole, ImageRule, ModelImages, SurfaceNames};
use bindpose_core::left_out::LeftOut;
use bindpose_core::load::Loaded;
use bindpose_core::model::surface::Stage;
use bindpose_core::model::{Material, Mesh, Model};
use bindpose_export::baked::Skin;
use bindpose_export::gltf::{self, ImageFile, Layers, MaterialImages};
use bindpose_export::{NamedFile, file_name};
use bindpose_parsers::quake::{Skins, VertexModel};
use image::imageops::{self, FilterType};
use image::{Rgba, RgbaImage};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

/// Image search for the export of a model.
pub struct ExportImages<'a> {
    model: &'a Model,
    directories: &'a [PathBuf],
    wanted: &'a ImageChoices,
    memory: MemoryLimit,
    embedded: Vec<(&'a str, &'a [u8])>,
    listed: Arc<ImageFinder>,
}

impl<'a> ExportImages<'a> {
    /// Creates the search for a model. Images in `wanted`, which the user names, replace those of the model. Searches with
    /// the same `listed` share the listings of folders.
    pub fn new(loaded: &'a Loaded, wanted: &'a ImageChoices, memory: MemoryLimit, listed: Arc<ImageFinder>) -> Self {
        let Loaded { model, directories, images, .. } = loaded;
        let embedded = images.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        Self { model, directories, wanted, memory, embedded, listed }
    }

    /// Returns a finder with the same settings as in `render`.
    fn finder(&self) -> TextureFinder<'_> {
        let searched = ModelImages { stem: &self.model.name, folders: self.directories, choices: self.wanted };
        let finder = TextureFinder::new(self.directories, &self.embedded).with_memory(self.memory);
        TextureFinder { images: Arc::clone(&self.listed), ..finder }.of_model(searched)
    }

    /// Returns the images of each material. Notes images that no file names, and adds those that are not found or cannot
    /// be read to `left_out`.
    pub fn of_materials(
        &self,
        with_specular: bool,
        notes: &mut Vec<String>,
        left_out: &mut Vec<LeftOut>,
    ) -> Vec<MaterialImages> {
        let finder = self.finder();
        let mut sources = Sources::new(&finder, notes, left_out);
        let mut made = Made::default();
        let images = self.materials().map(|(slot, (material, known_as))| {
            let surface = SurfaceNames::of(material, &known_as, slot);
            let base = sources.base(material, &surface).and_then(|place| made.image(&mut sources, place, Kind::Base));
            let layers = material.surface.as_ref().map(Layers::of).unwrap_or_default();
            let green_is_up = material.surface.as_ref().is_some_and(|surface| surface.bump_green_is_up);
            let normal = if green_is_up { Kind::Normal } else { Kind::FlippedNormal };
            let mut layer = |role, stage, kind| {
                let over = made.over(&mut sources, material, &surface, role);
                over.or_else(|| made.layer(&mut sources, stage, kind))
            };
            let normal = layer(ImageRole::Normal, layers.normal, normal);
            let specular = with_specular.then(|| layer(ImageRole::Specular, layers.specular, Kind::Specular)).flatten();
            MaterialImages { base, normal, specular, glow: made.layer(&mut sources, layers.glow, Kind::Glow) }
        });
        images.collect()
    }

    /// Returns the colour image of each material.
    fn find(&self, notes: &mut Vec<String>, left_out: &mut Vec<LeftOut>) -> Vec<Option<Found>> {
        let finder = self.finder();
        let mut sources = Sources::new(&finder, notes, left_out);
        let base = |(slot, (material, known_as)): (usize, (&Material, Vec<&str>))| {
            let place = sources.base(material, &SurfaceNames::of(material, &known_as, slot))?;
            sources.read(&place)
        };
        self.materials().map(base).collect()
    }

    /// Returns the materials, each with its index and the names of its surfaces.
    fn materials(&self) -> impl Iterator<Item = (usize, (&Material, Vec<&str>))> {
        self.model.materials.iter().zip(self.model.names_of_surfaces()).enumerate()
    }

    /// Returns `SHADER_00_00.png` (`.lmp` if there is a palette) for each shader whose image is found. Skins of the old
    /// model without an image are noted.
    pub fn quake_skins(
        &self,
        shaders: &[String],
        old: Option<&VertexModel>,
        palette: Option<&Palette>,
        notes: &mut Vec<String>,
        left_out: &mut Vec<LeftOut>,
    ) -> Vec<NamedFile> {
        let mut skins: Vec<NamedFile> = Vec::new();
        for (found, shader) in self.find(notes, left_out).into_iter().zip(shaders) {
            let name = format!("{shader}_00_00.{}", if palette.is_some() { "lmp" } else { "png" });
            let Some(found) = found.filter(|_| !skins.iter().any(|known| known.name == name)) else { continue };
            match palette {
                Some(palette) => skins.push(NamedFile { name, bytes: palette.encode(&found.image) }),
                None => skins.extend(as_png(&found, name, left_out)),
            }
        }
        if let (Some(VertexModel { skins: Skins::Numbered(counts), .. }), Some(shader)) = (old, shaders.first()) {
            let all = counts.iter().zip(0..).flat_map(|(&count, skin)| (0..count).map(move |frame| (skin, frame)));
            let names = all.skip(1).map(|(skin, frame)| format!("{shader}_{skin:02}_{frame:02}"));
            notes.extend(missing(names.collect()));
        }
        skins
    }

    /// Returns the first skin that the old model names, as a PNG file beside the mesh. Engines look for it in the
    /// folder `md5`. The other skins are noted.
    pub fn quake2_skins(
        &self,
        old: Option<&VertexModel>,
        notes: &mut Vec<String>,
        left_out: &mut Vec<LeftOut>,
    ) -> Vec<NamedFile> {
        let Some(VertexModel { skins: Skins::Named(paths), .. }) = old else { return Vec::new() };
        let stem = |path: &String| {
            let file = path.rsplit('/').next().unwrap_or(path);
            file_name(file.rsplit_once('.').map_or(file, |(stem, _)| stem))
        };
        let Some((first, others)) = paths.split_first() else { return Vec::new() };
        let found = self.find(notes, left_out).into_iter().flatten().next();
        notes.extend(missing(others.iter().map(stem).collect()));
        found.and_then(|found| as_png(&found, format!("{}.png", stem(first)), left_out)).into_iter().collect()
    }
}

impl ExportImages<'_> {
    /// Returns the image of a `.mdl`: those of all materials that meshes use, side by side, in colours of the palette,
    /// or a plain one without a palette. Fullbright colours are used only if asked for.
    pub fn mdl_skin(
        &self,
        palette: Option<&Palette>,
        is_bright: bool,
        notes: &mut Vec<String>,
        left_out: &mut Vec<LeftOut>,
    ) -> Skin {
        let Some(palette) = palette else {
            return Skin { width: PLAIN, height: PLAIN, texels: vec![LIGHT_GREY; 16], places: Vec::new() };
        };
        let mut known: HashMap<PathBuf, [u32; 3]> = HashMap::new();
        let (mut images, mut skin) = (Vec::new(), Skin::default());
        for (slot, found) in self.find(notes, left_out).into_iter().enumerate() {
            let is_used = self.model.meshes.iter().any(|mesh| mesh.material.index() == slot);
            let path = found.as_ref().map(|found| found.path.clone());
            let place = path.as_ref().and_then(|path| known.get(path)).copied();
            let place = place.or_else(|| (!is_used).then_some([0; 3])).unwrap_or_else(|| {
                let colour = self.model.materials[slot].diffuse.to_array().map(|part| (part * 255.0).round() as u8);
                let plain = || RgbaImage::from_pixel(PLAIN, PLAIN, Rgba(colour));
                let image = found.map_or_else(plain, |found| fitted(found, notes));
                let place = [skin.width, image.width(), image.height()];
                (skin.width, skin.height) = (skin.width + image.width(), skin.height.max(image.height()));
                known.extend(path.map(|path| (path, place)));
                images.push((image, place[0]));
                place
            });
            skin.places.push(place);
        }
        skin.width = skin.width.max(1).next_multiple_of(4);
        let mut whole = RgbaImage::new(skin.width, skin.height.max(1));
        images.iter().for_each(|(image, left)| imageops::replace(&mut whole, image, i64::from(*left), 0));
        skin.height = whole.height();
        skin.texels = palette.indices(&whole, if is_bright { 256 } else { FIRST_BRIGHT });
        skin
    }

    /// Returns `SURFACE.png` for each mesh with triangles whose image is found; `surfaces` are their names.
    pub fn surface_images(
        &self,
        surfaces: &[String],
        notes: &mut Vec<String>,
        left_out: &mut Vec<LeftOut>,
    ) -> Vec<NamedFile> {
        let found = self.find(notes, left_out);
        let meshes = self.model.meshes.iter().filter(|mesh| !mesh.triangles.is_empty());
        let image = |(mesh, surface): (&Mesh, &String)| {
            let found = found.get(mesh.material.index())?.as_ref()?;
            as_png(found, format!("{}.png", file_name(surface)), left_out)
        };
        meshes.zip(surfaces).filter_map(image).collect()
    }
}

/// Width and height of an image of one colour.
const PLAIN: u32 = 4;
/// A light grey of Quake's palette.
const LIGHT_GREY: u8 = 15;
/// Height of skins that all Quake engines take; ezQuake refuses higher ones.
const MOST_ROWS: u32 = 480;

/// Returns an image that is no higher than a skin may be.
fn fitted(found: Found, notes: &mut Vec<String>) -> RgbaImage {
    let (width, height) = found.image.dimensions();
    if height <= MOST_ROWS {
        return found.image;
    }
    let narrow = (width * MOST_ROWS / height).max(1);
    let path = found.path.display();
    notes.push(format!("{path} of {width}x{height} becomes {narrow}x{MOST_ROWS}: skins have at most {MOST_ROWS} rows"));
    imageops::resize(&found.image, narrow, MOST_ROWS, FilterType::Triangle)
}

fn as_png(found: &Found, name: String, left_out: &mut Vec<LeftOut>) -> Option<NamedFile> {
    let bytes = super::png(&found.image).map_err(|error| left_out.push(error.leaves_out(&found.path))).ok()?;
    Some(NamedFile { name, bytes })
}

/// Maximum number of skins that a note names.
const MOST_NAMED: usize = 12;

fn missing(names: Vec<String>) -> Option<String> {
    let more = names.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let named = names.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let skins = if names.len() == 1 { "a skin" } else { "skins" };
    (!names.is_empty()).then(|| format!("the old model has {skins} that no image was given for: {named}{more}"))
}

/// An image of a material.
struct Found {
    path: PathBuf,
    image: RgbaImage,
    /// Unchanged bytes of the file. Empty if the image was changed.
    file: Vec<u8>,
}

impl Found {
    /// Applies a function to all texels.
    fn change(&mut self, texel: impl Fn([u8; 4]) -> [u8; 4]) {
        self.image.pixels_mut().for_each(|old| old.0 = texel(old.0));
        self.file.clear();
    }

    /// Removes alpha, which the export does not use.
    fn opaque(mut self) -> Self {
        if self.image.pixels().any(|texel| texel[3] < 255) {
            self.change(|[red, green, blue, _]| [red, green, blue, 255]);
        }
        self
    }
}

/// Purpose of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Base,
    Normal,
    /// Normal map whose green channel points down the image. The export inverts it.
    FlippedNormal,
    Specular,
    Glow,
}

impl Kind {
    /// Returns the suffix for the name of a changed image.
    fn suffix(self) -> &'static str {
        match self {
            Self::Base => "",
            Self::Normal | Self::FlippedNormal => "_normal",
            Self::Specular => "_specular",
            Self::Glow => "_glow",
        }
    }
}

/// Converted images. Each image is converted once per purpose.
#[derive(Default)]
struct Made {
    /// Converted images by source and purpose. `None` if the image cannot be read.
    known: HashMap<(ImageSource, Kind), Option<Arc<ImageFile>>>,
    all: HashSet<Arc<ImageFile>>,
}

impl Made {
    /// Returns the converted image of a stage.
    fn layer(&mut self, sources: &mut Sources<'_>, stage: Option<&Stage>, kind: Kind) -> Option<Arc<ImageFile>> {
        let name = gltf::image(stage)?.to_string();
        let place = sources.place(sources.finder.locate(&name), &name)?;
        self.image(sources, place, kind)
    }

    /// Returns the converted image that overrides a stage of a material.
    fn over(
        &mut self,
        sources: &mut Sources<'_>,
        material: &Material,
        surface: &SurfaceNames<'_>,
        role: ImageRole,
    ) -> Option<Arc<ImageFile>> {
        let layer = sources.finder.layer(surface, role, material.surface.is_some())?;
        let kind = match role {
            ImageRole::Normal if layer.green_is_up => Kind::Normal,
            ImageRole::Normal => Kind::FlippedNormal,
            ImageRole::Base | ImageRole::Specular | ImageRole::Glow => Kind::Specular,
        };
        self.image(sources, ImageSource::from(&layer), kind)
    }

    /// Converts an image for a purpose.
    fn image(&mut self, sources: &mut Sources<'_>, place: ImageSource, kind: Kind) -> Option<Arc<ImageFile>> {
        let key = (place, kind);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = sources.read(&key.0).map(|mut found| {
            if kind == Kind::FlippedNormal {
                found.change(|[red, green, blue, alpha]| [red, 255 - green, blue, alpha]);
            }
            if kind == Kind::Base { found } else { found.opaque() }
        });
        let image = found.and_then(|found| sources.encode(found, kind)).map(|image| self.share(image));
        self.known.insert(key, image.clone());
        image
    }

    /// Returns an equal image that exists already, or the image itself. One image can have several purposes.
    fn share(&mut self, image: ImageFile) -> Arc<ImageFile> {
        let image = Arc::new(image);
        match self.all.get(&image) {
            Some(known) => Arc::clone(known),
            None => {
                self.all.insert(Arc::clone(&image));
                image
            }
        }
    }
}

/// Finds images and lists those that are missing or cannot be read.
struct Sources<'a> {
    finder: &'a TextureFinder<'a>,
    notes: &'a mut Vec<String>,
    left_out: &'a mut Vec<LeftOut>,
    /// Names that are listed as missing.
    missing: HashSet<String>,
}

impl<'a> Sources<'a> {
    fn new(finder: &'a TextureFinder<'a>, notes: &'a mut Vec<String>, left_out: &'a mut Vec<LeftOut>) -> Self {
        Self { finder, notes, left_out, missing: HashSet::new() }
    }

    /// Returns the location of a material's colour image.
    fn base(&mut self, material: &Material, surface: &SurfaceNames<'_>) -> Option<ImageSource> {
        let stage = material.surface.as_ref().and_then(|surface| Layers::of(surface).base);
        let of_stage = stage.and_then(|stage| Some(stage.map.as_ref()?.program().to_string()));
        let name = material.texture.as_ref().map(|texture| of_stage.unwrap_or_else(|| texture.clone()));
        let is_plain = material.diffuse == Material::neutral("").diffuse;
        let located = self.finder.locate_for(&SurfaceNames { name: name.as_deref(), is_plain, ..*surface });
        if let Located::At(ImageSource::File(path), Some(rule)) = &located
            && matches!(rule, ImageRule::Quake | ImageRule::Luanti | ImageRule::LikeModel | ImageRule::Usual)
        {
            let (material, path) = (&material.name, path.display());
            self.notes.push(format!("material '{material}' gets {path}, which no file names: {rule}"));
        }
        let place = self.place(located, name.as_deref().unwrap_or_default())?;
        // The image `_white` is the same as no image.
        Some(place).filter(|place| *place != ImageSource::Made("_white".to_owned()))
    }

    /// Returns the location of a found image. Lists each missing name once.
    fn place(&mut self, located: Located, name: &str) -> Option<ImageSource> {
        match located {
            Located::At(place, _) => return Some(place),
            Located::Missing { .. } if self.missing.insert(name.to_owned()) => {
                self.left_out.push(missing_image(name));
            }
            Located::Missing { .. } | Located::NoImage => {}
        }
        None
    }

    fn read(&mut self, place: &ImageSource) -> Option<Found> {
        match self.finder.read(place) {
            Texture::Found { path, image, file, .. } => return Some(Found { path, image, file }),
            Texture::Broken { path, error } => self.left_out.push(error.leaves_out(&path)),
            Texture::Missing { .. } | Texture::NoImage => {}
        }
        None
    }

    /// Returns an image in a format that glTF supports.
    fn encode(&mut self, found: Found, kind: Kind) -> Option<ImageFile> {
        let Found { path, image, file } = found;
        let (alpha, is_pixel_art) = (super::alpha_of(&image), super::is_pixel_art(image.dimensions()));
        let kind = if file.is_empty() { kind.suffix() } else { "" };
        let name = format!("{}{kind}", bindpose_core::read::stem_of(&path));
        let file = if super::is_copied(&file) { Ok(file) } else { super::png(&image) };
        let file = file.map_err(|error| self.left_out.push(error.leaves_out(&path))).ok()?;
        let mut made = ImageFile::new(name, file, alpha).ok()?;
        made.is_pixel_art = is_pixel_art;
        Some(made)
    }
}
