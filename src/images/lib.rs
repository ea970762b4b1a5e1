//! Images of materials: search, decoding and encoding.

#![forbid(unsafe_code)]

mod ahead;
#[cfg(feature = "animation")]
pub mod animation;
mod blocks;
mod dds;
mod environment;
#[cfg(feature = "export")]
mod export;
mod lmp;
mod memory;

pub use ahead::ReadAhead;
pub use dds::DdsError;
#[cfg(feature = "export")]
pub use export::ExportImages;
pub use lmp::{LmpError, Palette};

use bindpose_core::budget::{Bytes, MemoryLimit};
use bindpose_core::diagnostic::{Diagnostic, Severity};
use bindpose_core::game::images::precompressed_name;
use bindpose_core::game::program::{self, Notes, Pixels, ProgramError};
use bindpose_core::image_search::{
    ImageFinder, ImageRole, ImageRule, ImageSearch, Layer, ModelImages, Shader, SurfaceNames,
};
use bindpose_core::left_out::{FoundBy, LeftOut, Part};
use bindpose_core::model::NamedImage;
use bindpose_core::model::surface::CubeSides;
use bindpose_core::read::{self, ReadError};
use bindpose_parsers::decl::{ImageProgram, Parsed, parse_image_program};
use bindpose_vfs::{home_of, member};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageDecoder, ImageEncoder, ImageReader, RgbaImage};
use memory::ImageMemory;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Bytes that an image may unpack beside its texels, as may 32 for each byte of its file.
const PROFILE_BYTES: u64 = 16 << 20;
/// Memory limit of a decoder in bytes, in addition to the texels.
const MOST_BYTES: u64 = 512 << 20;

/// Result of loading an image.
#[derive(Debug)]
pub enum Texture {
    /// An image was found and read.
    Found {
        /// Path of the image.
        path: PathBuf,
        /// Texels, top row first.
        image: RgbaImage,
        /// Unchanged bytes of the file. Empty if an image program made the image.
        file: Vec<u8>,
        /// Width and height in the file in texels, if the image was reduced for drawing.
        reduced_from: Option<(u32, u32)>,
    },
    /// An image that cannot be read.
    Broken {
        /// Path of the image.
        path: PathBuf,
        /// Reason why it cannot be read.
        error: TextureError,
    },
    /// No image was found. These paths were tried in each folder.
    Missing {
        /// Paths relative to the folders.
        tried: Vec<String>,
    },
    /// The name is not an image of the surface, for example a sphere map of MikuMikuDance.
    NoImage,
}

impl Texture {
    /// Returns an image whose texels differ from those of a file.
    fn made(path: PathBuf, image: RgbaImage) -> Self {
        Self::Found { path, image, file: Vec::new(), reduced_from: None }
    }
}

/// Source of an image, unique within a [`TextureFinder`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ImageSource {
    /// Path of an image file.
    File(PathBuf),
    /// Red channel of a file.
    Red(PathBuf),
    /// Index of an image embedded in the model's file.
    Embedded(usize),
    /// Image program of id Tech 4.
    Made(String),
    /// Six files with this common beginning of their names, combined into one image by an unfolded octahedron.
    Cube(String, CubeSides),
}

impl From<&Layer> for ImageSource {
    fn from(layer: &Layer) -> Self {
        let path = layer.path.clone();
        if layer.is_mask { Self::Red(path) } else { Self::File(path) }
    }
}

/// Result of searching for an image, before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Located {
    /// Source of the image, with the rule that found it, if any. The file can still be broken.
    At(ImageSource, Option<ImageRule>),
    /// No image was found. These paths were tried in each folder.
    Missing {
        /// Paths relative to the folders.
        tried: Vec<String>,
    },
    /// The name is not an image of the surface, for example a sphere map of MikuMikuDance.
    NoImage,
}

/// Reason why an image cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TextureError {
    /// The file of the image cannot be read.
    #[error("{}", .0.reason())]
    Read(#[from] ReadError),
    /// The image exceeds the limit on texels.
    #[error("the image has {width}x{height} pixels; images up to {} pixels are read", memory::MOST_TEXELS)]
    TooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The model or a game's conventions name the file, but it is not among the model's files.
    #[error(
        "it is outside {}, where the model's files are; --texture or --textures names images elsewhere",
        shown(home).display()
    )]
    Outside {
        /// Folder of the model's game, mod or other files.
        home: PathBuf,
    },
    /// Earlier images left too little memory.
    #[error(
        "the image has {width}x{height} pixels; the model's images would unpack to more than {} (--max-memory raises \
         this)",
        Bytes(u128::from(*allowed))
    )]
    TooMany {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Bytes that all images may unpack to.
        allowed: u64,
    },
    /// The image program exceeds the limit on texels.
    #[error(
        "its image program makes images of more than {} pixels in total, or leaves the model's images too little \
         memory",
        program::MOST_TEXELS
    )]
    LargeProgram,
    /// The image has no texels.
    #[error("the image is empty")]
    Empty,
    /// The file is an uncompressed DDS image with an unsupported layout, or is cut off.
    #[error(transparent)]
    Dds(#[from] DdsError),
    /// The Quake image cannot be read or has no palette.
    #[error(transparent)]
    Lmp(#[from] LmpError),
    /// The format is not supported: Crunch of Daemon's games, or PCX of Quake II.
    #[error("{0} are not read; give the image as PNG, JPEG, WebP, TGA or DDS")]
    NotRead(&'static str),
    /// The bytes are not an image of a supported format.
    #[error(transparent)]
    Decode(#[from] image::ImageError),
}

impl TextureError {
    /// Returns the entry for an image that is not shown or written. A damaged image is a file's fault; one that is too
    /// large, elsewhere or in an unsupported format is not.
    pub fn leaves_out(&self, path: &Path) -> LeftOut {
        let is_fault = matches!(self, Self::Empty | Self::Decode(_))
            && !matches!(self, Self::Decode(image::ImageError::Unsupported(_)));
        let severity = if is_fault { Severity::Error } else { Severity::Warning };
        let reason = Diagnostic { severity, ..Diagnostic::general("IO001", self.to_string()) };
        let name = path.display().to_string();
        LeftOut { kind: Part::Image, name, reason, place: None, found_by: FoundBy::ImageSearch }
    }
}

/// Returns the entry for an image that was not found.
pub fn missing_image(name: &str) -> LeftOut {
    let reason = Diagnostic::general("TEX001", "no such image was found");
    LeftOut { kind: Part::Image, name: name.to_owned(), reason, place: None, found_by: FoundBy::ImageSearch }
}

/// Searches for images in folders and among embedded files.
#[derive(Debug, Default)]
pub struct TextureFinder<'a> {
    directories: &'a [PathBuf],
    embedded: &'a [(&'a str, &'a [u8])],
    images: Arc<ImageFinder>,
    memory: ImageMemory,
    /// The model. `None` if games' conventions for images are not followed.
    model: Option<ModelImages<'a>>,
    /// Images that were read ahead.
    ahead: Option<&'a ReadAhead>,
    /// Folders whose files the model may use without the user's request.
    homes: OnceLock<Vec<PathBuf>>,
}

impl<'a> TextureFinder<'a> {
    /// Creates a finder that searches `embedded` (file names and bytes) for the exact name, then `directories` in
    /// order, then `embedded` for a similar name.
    pub fn new(directories: &'a [PathBuf], embedded: &'a [(&'a str, &'a [u8])]) -> Self {
        Self { directories, embedded, ..Self::default() }
    }

    /// Sets the size limit for each file and for all images together.
    pub fn with_memory(self, memory: MemoryLimit) -> Self {
        Self { memory: ImageMemory::new(memory), ..self }
    }

    /// Reduces large images for drawing, to 4096 texels a side or fewer if memory is short.
    pub fn for_drawing(mut self) -> Self {
        self.memory.is_for_drawing = true;
        self
    }

    /// Also searches where games keep the images of this model, and applies the user's choices.
    pub fn of_model(self, model: ModelImages<'a>) -> Self {
        Self { model: Some(model), ..self }
    }

    /// Uses images that were read ahead.
    pub fn with_read(self, ahead: &'a ReadAhead) -> Self {
        Self { ahead: Some(ahead), ..self }
    }

    /// Searches for the image of a surface.
    pub fn locate_for(&self, surface: &SurfaceNames<'_>) -> Located {
        if let Some((path, rule)) = self.model.and_then(|model| model.chosen(&self.images, surface)) {
            return Located::At(ImageSource::File(path), Some(rule));
        }
        let located = surface.name.map_or(Located::NoImage, |name| self.locate(name));
        let is_lost = matches!(located, Located::Missing { .. }) || surface.name.is_none();
        match self.model.filter(|_| is_lost).and_then(|model| model.by_rules(&self.images, surface)) {
            Some((path, rule)) => Located::At(ImageSource::File(path), Some(rule)),
            None => located,
        }
    }

    /// Returns the shader of a surface in Quake III's family, if a script of its game declares one.
    pub fn shader(&self, surface: &SurfaceNames<'_>) -> Option<Shader> {
        self.model?.shader_of(&self.images, surface)
    }

    /// Returns the additional image of a surface for a role. A surface that declares its own images (`says_itself`)
    /// gets only the user's choice.
    pub fn layer(&self, surface: &SurfaceNames<'_>, role: ImageRole, says_itself: bool) -> Option<Layer> {
        let model = self.model?;
        let by_habit = || model.layer_by_rules(&self.images, surface, role).filter(|_| !says_itself);
        model.chosen_layer(&self.images, surface, role).or_else(by_habit)
    }

    /// Searches for the image that a file names. [`ImageFinder::find`] lists the paths tried.
    ///
    /// The name can be an image program of id Tech 4, which is evaluated when the image is read. If one of its images
    /// is missing, the precompressed image of the program is used. If that is missing too, the result is that of the
    /// missing image.
    pub fn locate(&self, name: &str) -> Located {
        let made = || Located::At(ImageSource::Made(name.to_owned()), None);
        match parse_image_program(name.as_bytes()) {
            Ok(Parsed { decl: ImageProgram::Image(image), .. }) if program::built_in(&image).is_some() => made(),
            Ok(Parsed { decl: ImageProgram::Image(_), .. }) => self.locate_image(name),
            Ok(Parsed { decl, faults }) if faults.is_empty() => {
                let mut images = decl.images().into_iter().map(|image| self.locate_image(image));
                let Some(missing) = images.find(|located| !matches!(located, Located::At(..))) else { return made() };
                match self.locate_image(&precompressed_name(&decl.to_string())) {
                    compressed @ Located::At(..) => compressed,
                    _ => missing,
                }
            }
            // Image names of other formats can contain blanks, brackets and commas.
            _ => self.locate_image(name),
        }
    }

    /// Searches for the images of a cube map by the common beginning of their names. They all must exist.
    pub fn locate_cube(&self, name: &str, sides: CubeSides) -> Located {
        let mut images = sides.ends().into_iter().map(|end| self.locate_image(&format!("{name}{end}")));
        let missing = images.find(|located| !matches!(located, Located::At(..)));
        missing.unwrap_or_else(|| Located::At(ImageSource::Cube(name.to_owned(), sides), None))
    }

    /// Reads an image.
    pub fn read(&self, place: &ImageSource) -> Texture {
        if let Some(texture) = self.ahead.and_then(|ahead| ahead.take(place)) {
            return texture;
        }
        match self.read_whole(place) {
            Texture::Found { path, image, file, .. } => {
                let size = image.dimensions();
                let image = self.memory.reduced(image);
                let reduced_from = Some(size).filter(|size| *size != image.dimensions());
                Texture::Found { path, image, file, reduced_from }
            }
            other => other,
        }
    }

    /// Reads an image without reducing it.
    fn read_whole(&self, place: &ImageSource) -> Texture {
        match place {
            ImageSource::File(path) => self.open_file(path),
            ImageSource::Red(path) => match self.open_file(path) {
                Texture::Found { path, mut image, .. } => {
                    image.pixels_mut().for_each(|texel| texel.0 = [texel[0], texel[0], texel[0], 255]);
                    Texture::made(path, image)
                }
                other => other,
            },
            ImageSource::Embedded(number) => match self.embedded.get(*number) {
                Some((name, bytes)) => decode(PathBuf::from(name), bytes.to_vec(), &self.memory),
                None => Texture::NoImage,
            },
            ImageSource::Made(text) => match parse_image_program(text.as_bytes()) {
                Ok(Parsed { decl: ImageProgram::Image(name), .. }) => built_in(&name).unwrap_or(Texture::NoImage),
                Ok(Parsed { decl, .. }) => self.program(&decl),
                Err(_) => Texture::NoImage,
            },
            ImageSource::Cube(name, sides) => self.cube(name, *sides),
        }
    }

    /// Combines the images of a cube map. Returns the result of the first missing or broken image, if any.
    fn cube(&self, name: &str, sides: CubeSides) -> Texture {
        let mut images = Vec::with_capacity(6);
        let mut first = None;
        for end in sides.ends() {
            match self.open(self.locate_image(&format!("{name}{end}"))) {
                Texture::Found { path, image, .. } => {
                    first.get_or_insert(path);
                    images.push(environment::shrunk(image));
                }
                other => return other,
            }
        }
        match <[RgbaImage; 6]>::try_from(images) {
            Ok(images) => {
                let image = environment::unfold(sides, &images);
                Texture::made(first.unwrap_or_default(), image)
            }
            Err(_) => Texture::NoImage,
        }
    }

    fn open_file(&self, path: &Path) -> Texture {
        match self.check_home(path).and_then(|()| Ok(read::file(path, &self.memory.file_budget())?)) {
            Ok(bytes) => decode(path.to_owned(), bytes, &self.memory),
            Err(error) => Texture::Broken { path: path.to_owned(), error },
        }
    }

    /// Checks that a file is the user's choice or among the model's files, after resolving links and `..`.
    fn check_home(&self, path: &Path) -> Result<(), TextureError> {
        if self.model.is_some_and(|model| model.choices.names(path)) {
            return Ok(());
        }
        let homes = self.homes.get_or_init(|| self.directories.iter().map(|folder| home_of(folder)).collect());
        let folders: Vec<&Path> = homes.iter().map(PathBuf::as_path).collect();
        read::check_inside(path, &folders)
            .map_err(|_| TextureError::Outside { home: homes.first().cloned().unwrap_or_default() })
    }

    fn open(&self, located: Located) -> Texture {
        match located {
            Located::At(place, _) => self.read_whole(&place),
            Located::Missing { tried } => Texture::Missing { tried },
            Located::NoImage => Texture::NoImage,
        }
    }

    /// Evaluates an image program. Returns the result of the first missing or broken image, if any.
    fn program(&self, program: &ImageProgram) -> Texture {
        let mut first = None;
        let mut image = |name: &str| match self.open(self.locate_image(name)) {
            Texture::Found { path, image, .. } => {
                first.get_or_insert(path);
                let size = (image.width() as usize, image.height() as usize);
                Pixels::new(size.0, size.1, &image.into_raw()).ok_or(Texture::NoImage)
            }
            other => Err(other),
        };
        let left = self.memory.texels_left().min(program::MOST_TEXELS);
        let mut unused = left;
        let result = program::evaluate(program, &mut image, &mut unused, &mut Notes::default());
        self.memory.spend_texels(left - unused);
        match result {
            Ok(pixels) => match to_image(pixels) {
                Some(image) => Texture::made(first.unwrap_or_default(), image),
                None => Texture::NoImage,
            },
            Err(ProgramError::Image(texture)) => texture,
            Err(ProgramError::TooLarge) => {
                self.memory.refuse();
                Texture::Broken { path: first.unwrap_or_default(), error: TextureError::LargeProgram }
            }
        }
    }

    fn locate_image(&self, name: &str) -> Located {
        let embedded = |is_it: &dyn Fn(&str) -> bool| {
            let number = self.embedded.iter().position(|(known, _)| is_it(known))?;
            Some(Located::At(ImageSource::Embedded(number), None))
        };
        // An embedded image takes precedence over files.
        if let Some(own) = embedded(&|known| known == name) {
            return own;
        }
        let tried = match self.images.find(self.directories, name) {
            ImageSearch::Found(found) => {
                return Located::At(ImageSource::File(found.path), Some(ImageRule::Named(found.found_as)));
            }
            ImageSearch::NoImage => return Located::NoImage,
            ImageSearch::Missing { tried } => tried,
        };
        let mut alike = tried.iter().filter(|path| !path.contains('/'));
        let own = alike.find_map(|candidate| embedded(&|known| known.eq_ignore_ascii_case(candidate)));
        own.unwrap_or(Located::Missing { tried })
    }
}

/// Returns a built-in image of id Tech 4.
fn built_in(name: &str) -> Option<Texture> {
    let image = to_image(program::built_in(name)?)?;
    Some(Texture::made(PathBuf::from(name), image))
}

fn to_image(pixels: Pixels) -> Option<RgbaImage> {
    let size = (u32::try_from(pixels.width()).ok()?, u32::try_from(pixels.height()).ok()?);
    RgbaImage::from_raw(size.0, size.1, pixels.into_bytes())
}

fn decode(path: PathBuf, file: Vec<u8>, memory: &ImageMemory) -> Texture {
    match decoded(&path, &file, memory) {
        Ok(image) => Texture::Found { path, image, file, reduced_from: None },
        Err(error) => Texture::Broken { path, error },
    }
}

fn decoded(path: &Path, bytes: &[u8], memory: &ImageMemory) -> Result<RgbaImage, TextureError> {
    let is = |kind: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(kind));
    for (extension, images) in [("crn", "textures compressed by Crunch (.crn)"), ("pcx", "PCX images")] {
        if is(extension) {
            return Err(TextureError::NotRead(images));
        }
    }
    if is("lmp") {
        memory.spend(lmp::size(bytes)?, bytes.len())?;
        return Ok(lmp::decode(bytes, &Palette::above(path, &memory.file_budget())?)?);
    }
    if let Some(image) = blocks::Blocks::of(bytes) {
        memory.spend(image.size(), bytes.len())?;
        let _alone = memory.wait(image.size());
        return Ok(image.decode()?);
    }
    if let Some(image) = dds::Uncompressed::of(bytes)? {
        memory.spend(image.size(), bytes.len())?;
        let _alone = memory.wait(image.size());
        return Ok(image.decode()?);
    }
    let mut reader = ImageReader::new(std::io::Cursor::new(bytes));
    // TGA has no signature. The signatures of other formats take precedence over the name.
    reader.set_format(image::guess_format(bytes).or_else(|_| image::ImageFormat::from_path(path))?);
    // Before the size is known: colour profiles and comments, which a PNG packs a thousand to one.
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(PROFILE_BYTES + memory::PER_FILE_BYTE * bytes.len() as u64);
    reader.limits(limits);
    let mut decoder = reader.into_decoder()?;
    memory.spend(decoder.dimensions(), bytes.len())?;
    let _alone = memory.wait(decoder.dimensions());
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(MOST_BYTES);
    limits.reserve(decoder.total_bytes())?;
    decoder.set_limits(limits)?;
    Ok(image::DynamicImage::from_decoder(decoder)?.into_rgba8())
}

/// Reads an image that the user names, within a memory limit.
///
/// # Errors
///
/// [`TextureError`]: the file cannot be read, is no image, or is too large.
pub fn open(path: &Path, memory: MemoryLimit) -> Result<RgbaImage, TextureError> {
    let memory = ImageMemory::new(memory);
    decoded(path, &read::file(path, &memory.file_budget())?, &memory)
}

/// Encodes a PNG file. It has no alpha channel if all texels are opaque.
///
/// # Errors
///
/// Returns [`TextureError::Decode`] if the image has no texels.
pub fn png(image: &RgbaImage) -> Result<Vec<u8>, TextureError> {
    let mut file = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut file, CompressionType::Default, FilterType::Adaptive);
    let (width, height) = image.dimensions();
    if image.pixels().any(|texel| texel[3] < 255) {
        encoder.write_image(image, width, height, ExtendedColorType::Rgba8)?;
    } else {
        let opaque: Vec<u8> = image.pixels().flat_map(|texel| [texel[0], texel[1], texel[2]]).collect();
        encoder.write_image(&opaque, width, height, ExtendedColorType::Rgb8)?;
    }
    Ok(file)
}

/// True for JPEG and PNG files, which exports copy unchanged.
pub fn is_copied(file: &[u8]) -> bool {
    file.starts_with(b"\xff\xd8\xff") || file.starts_with(b"\x89PNG\r\n\x1a\n")
}

/// True if both sides have at most 64 texels. The texels of such a small image are usually placed one by one.
pub fn is_pixel_art((width, height): (u32, u32)) -> bool {
    const LARGEST: u32 = 64;
    width.max(height) <= LARGEST
}

/// Returns the use of an image's alpha. Alpha is a mask if many texels are clear, many are solid and few are between.
///
/// The mere presence of alpha does not make a mask: Doom 3 stores other data there.
pub fn alpha_of(image: &RgbaImage) -> NamedImage {
    let texels = image.pixels().len();
    let count = |is: fn(u8) -> bool| image.pixels().filter(|texel| is(texel[3])).count();
    let (clear, solid) = (count(|alpha| alpha < 16), count(|alpha| alpha > 239));
    match () {
        () if clear * 100 > texels && solid * 5 > texels && (texels - clear - solid) * 5 < texels => NamedImage::CutOut,
        () if count(|alpha| alpha < 255) > 0 => NamedImage::Mixed,
        () => NamedImage::Solid,
    }
}

/// Returns the path for messages: without `a/..` pairs, `.` for the current folder, and `ARCHIVE:NAME` in an archive.
pub fn shown(path: &Path) -> PathBuf {
    if let Some((archive, name)) = member::split(path) {
        return member::join(archive, name.trim_start_matches('/'));
    }
    let mut shown = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if shown.file_name().is_some() => {
                shown.pop();
            }
            other => shown.push(other),
        }
    }
    if shown.as_os_str().is_empty() { PathBuf::from(".") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::image_search::ImageChoices;
    use std::fs;

    fn find(finder: &TextureFinder<'_>, name: &str) -> Texture {
        finder.open(finder.locate(name))
    }

    #[test]
    fn paths_are_normalised_for_messages() {
        assert_eq!(shown(Path::new("a/b/../../c/./d.tga")), Path::new("c/d.tga"));
        assert_eq!(shown(Path::new("../a.tga")), Path::new("../a.tga"));
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("a.pk4");
        fs::write(&archive, "").unwrap();
        // `Path::join` on the root of an archive gives this path.
        let path = member::join(&archive, "").join("models/a.tga");
        assert_eq!(shown(&path), member::join(&archive, "models/a.tga"));
    }

    #[test]
    fn embedded_images_are_found_by_name() {
        let mut png = std::io::Cursor::new(Vec::new());
        RgbaImage::from_pixel(2, 1, image::Rgba([9, 8, 7, 255])).write_to(&mut png, image::ImageFormat::Png).unwrap();
        let embedded = [("mannequin.png", png.get_ref().as_slice())];
        let found = find(&TextureFinder::new(&[], &embedded), "textures/mannequin");
        assert!(matches!(found, Texture::Found { image, .. } if image.width() == 2));
    }

    #[test]
    fn webp_is_read_and_unsupported_formats_say_so() {
        // Two by two texels, written by ImageMagick. The first is blue, the others are red.
        let webp = b"RIFF\"\0\0\0WEBPVP8L\x16\0\0\0/\x01@\0\0\x0f\x10\xf3\xbf\xff\xf3\x1f\x0e\x14\x02\x08\x80\x82&\xa2\xff\xd1";
        let image = decoded(Path::new("a.webp"), webp, &ImageMemory::default()).unwrap();
        let (red, blue) = ([255, 0, 0, 255], [0, 0, 255, 255]);
        assert_eq!(image.pixels().map(|texel| texel.0).collect::<Vec<_>>(), [blue, red, red, red]);
        let refusal =
            |name: &str| decoded(Path::new(name), &[10; 200], &ImageMemory::default()).unwrap_err().to_string();
        let instead = "are not read; give the image as PNG, JPEG, WebP, TGA or DDS";
        assert_eq!(refusal("A.CRN"), format!("textures compressed by Crunch (.crn) {instead}"));
        assert_eq!(refusal("a.pcx"), format!("PCX images {instead}"));
    }

    #[test]
    fn a_program_without_its_images_uses_the_precompressed_one() {
        let game = std::env::temp_dir().join(format!("bindpose-programs-{}", std::process::id()));
        let compressed = game.join("dds/heightmap/models/a 4.dds");
        fs::create_dir_all(compressed.parent().unwrap()).unwrap();
        fs::write(&compressed, b"DDS ").unwrap();
        let directories = [game.clone()];
        let located = TextureFinder::new(&directories, &[]).locate("heightmap( models/a.tga, 4 )");
        fs::remove_dir_all(&game).unwrap();
        assert!(matches!(&located, Located::At(ImageSource::File(path), _) if *path == compressed), "{located:?}");
    }

    #[test]
    fn broken_and_missing_images_are_distinguished() {
        let folder = std::env::temp_dir().join(format!("bindpose-textures-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("b.png"), b"not an image").unwrap();
        RgbaImage::from_pixel(1, 1, image::Rgba([7, 0, 0, 255])).save(folder.join("a.png")).unwrap();
        let directories = [folder.clone()];
        let finder = TextureFinder::new(&directories, &[]);
        let red = match find(&finder, "A.tga") {
            Texture::Found { image, .. } => Some(image.get_pixel(0, 0)[0]),
            _ => None,
        };
        let broken = find(&finder, "b");
        let mut green = std::io::Cursor::new(Vec::new());
        RgbaImage::from_pixel(1, 1, image::Rgba([0, 7, 0, 255])).write_to(&mut green, image::ImageFormat::Png).unwrap();
        let inside = [("a.png", green.get_ref().as_slice())];
        let own = find(&TextureFinder::new(&directories, &inside), "a.png");
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(red, Some(7));
        assert!(
            matches!(own, Texture::Found { image, .. } if image.get_pixel(0, 0)[0] == 0),
            "the one inside goes first"
        );
        assert!(matches!(broken, Texture::Broken { .. }), "{broken:?}");
    }

    #[test]
    fn images_outside_the_models_files_are_refused_unless_chosen() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["mod/models", "mod/textures", "lone"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        let image = RgbaImage::from_pixel(1, 1, image::Rgba([7, 0, 0, 255]));
        ["secret.png", "mod/textures/a.png"].iter().for_each(|name| image.save(at(name)).unwrap());
        #[cfg(unix)]
        std::os::unix::fs::symlink("../secret.png", at("lone/link.png")).unwrap();
        let read = |model: &str, name: &str, choices: &ImageChoices| {
            let directories = [at(model)];
            let searched = ModelImages { stem: "m", folders: &directories, choices };
            let finder = TextureFinder::new(&directories, &[]).of_model(searched);
            match finder.open(finder.locate(name)) {
                Texture::Found { .. } => "found",
                Texture::Broken { error: TextureError::Outside { .. }, .. } => "outside",
                _ => "other",
            }
        };
        let none = ImageChoices::default();
        assert_eq!(read("mod/models", "../textures/a.png", &none), "found", "a folder of the mod");
        assert_eq!(read("mod/models", "../../secret.png", &none), "outside");
        assert_eq!(read("lone", "../secret.png", &none), "outside");
        assert_eq!(read("lone", "../mod/textures/a.png", &none), "outside");
        if cfg!(unix) {
            assert_eq!(read("lone", "link.png", &none), "outside");
        }
        let chosen = ImageChoices { folders: vec![folder.path().to_owned()], ..ImageChoices::default() };
        assert_eq!(read("lone", "../secret.png", &chosen), "found");
    }

    /// 18 bytes of TGA that declare 60,000 by 60,000 pixels, run-length encoded.
    #[test]
    fn sizes_are_checked_before_decoding() {
        let side = 60_000_u16.to_le_bytes();
        let mut head = vec![0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        head.extend([side, side].as_flattened());
        head.extend([32, 8]);
        let embedded = [("huge.tga", head.as_slice())];
        let found = find(&TextureFinder::new(&[], &embedded), "huge");
        let Texture::Broken { error, .. } = found else { panic!("{found:?}") };
        assert!(matches!(error, TextureError::TooLarge { width: 60_000, height: 60_000 }), "{error}");
    }

    #[test]
    fn alpha_is_a_mask_only_if_clear_or_solid() {
        let image = |alpha: fn(u32) -> u8| RgbaImage::from_fn(64, 64, |x, _| image::Rgba([0, 0, 0, alpha(x)]));
        assert_eq!(alpha_of(&image(|x| if x < 20 { 0 } else { 255 })), NamedImage::CutOut);
        assert_eq!(alpha_of(&image(|_| 255)), NamedImage::Solid);
        assert_eq!(alpha_of(&image(|_| 0)), NamedImage::Mixed);
        assert_eq!(alpha_of(&image(|x| (4 * x) as u8)), NamedImage::Mixed);
    }
}
