//! The image that a material means: found beside the model, or the list of places where it was not.

use bindpose_core::budget::{Budget, MemoryLimit};
use bindpose_core::read::{self, ReadError};
use image::{ImageDecoder, ImageReader, RgbaImage};
use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Extensions that are tried, in this order.
const EXTENSIONS: [&str; 6] = ["tga", "png", "jpg", "jpeg", "dds", "bmp"];

/// Images with more texels are refused before they are decoded: 512 MiB of RGBA.
const MOST_TEXELS: u64 = 128 << 20;

/// What a decoder may use beside the texels, bytes.
const MOST_BYTES: u64 = 512 << 20;

/// How many folders above a model's own are tried: Doom 3's shader names start at the game's base folder.
const ANCESTORS: usize = 6;

/// What became of a texture name.
#[derive(Debug)]
pub enum Texture {
    /// An image.
    Found {
        /// Where.
        path: PathBuf,
        /// Its texels, top row first.
        image: RgbaImage,
    },
    /// An image that cannot be read.
    Broken {
        /// Where.
        path: PathBuf,
        /// Why.
        error: TextureError,
    },
    /// No image; these were looked for, each in the folders given.
    Missing {
        /// File names without their folder.
        tried: Vec<String>,
    },
}

/// Why an image cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TextureError {
    /// Its file cannot be read.
    #[error("{}", .0.reason())]
    Read(#[from] ReadError),
    /// It has more texels than are decoded.
    #[error("the image has {width}x{height} pixels; images up to {MOST_TEXELS} pixels are read")]
    TooLarge {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// It has no texels.
    #[error("the image is empty")]
    Empty,
    /// The bytes are no image of a format that is read.
    #[error(transparent)]
    Decode(#[from] image::ImageError),
}

/// Looks for images in folders and among embedded files.
#[derive(Debug, Default)]
pub struct TextureFinder<'a> {
    directories: &'a [PathBuf],
    embedded: &'a [(&'a str, &'a [u8])],
    /// Folder to its file names; read once.
    listings: HashMap<PathBuf, Vec<String>>,
    memory: MemoryLimit,
}

impl<'a> TextureFinder<'a> {
    /// Searches `directories` in order, then `embedded` (file name and bytes).
    pub fn new(directories: &'a [PathBuf], embedded: &'a [(&'a str, &'a [u8])]) -> Self {
        Self { directories, embedded, ..Self::default() }
    }

    /// With another limit for the size of a file.
    pub fn with_memory(self, memory: MemoryLimit) -> Self {
        Self { memory, ..self }
    }

    /// The image of a name as a file gives it: a path, a Doom 3 shader name, or a bare file name.
    ///
    /// Upper and lower case do not matter, backslashes separate folders, an absolute path counts for its last part
    /// only.
    pub fn find(&mut self, name: &str) -> Texture {
        let wanted = candidates(name);
        for directory in self.directories {
            // The name as written may start at any folder above the model; a bare name lies beside it.
            for (relative, depth) in [(&wanted.as_written, ANCESTORS), (&wanted.bare, 0)] {
                for folder in directory.ancestors().take(1 + depth) {
                    for candidate in relative {
                        if let Some(path) = self.existing(folder, candidate) {
                            return open(path, self.memory);
                        }
                    }
                }
            }
        }
        for candidate in &wanted.bare {
            if let Some((name, bytes)) = self.embedded.iter().find(|(name, _)| name.eq_ignore_ascii_case(candidate)) {
                return decode(PathBuf::from(name), bytes);
            }
        }
        let mut tried = wanted.as_written;
        tried.extend(wanted.bare);
        tried.dedup();
        Texture::Missing { tried }
    }

    /// The path of `relative` under `folder`, whatever its case.
    fn existing(&mut self, folder: &Path, relative: &str) -> Option<PathBuf> {
        let mut path = folder.to_path_buf();
        let mut parts = relative.split('/').peekable();
        while let Some(part) = parts.next() {
            if part == ".." {
                path.push("..");
                continue;
            }
            let names = self.listings.entry(path.clone()).or_insert_with(|| list(&path));
            let name = names.iter().find(|name| name.as_str() == part);
            let name = name.or_else(|| names.iter().find(|name| name.eq_ignore_ascii_case(part)))?;
            path.push(name);
            if parts.peek().is_none() {
                return path.is_file().then_some(path);
            }
        }
        None
    }
}

fn list(folder: &Path) -> Vec<String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    // The order of a folder is the file system's; pictures should not depend on it.
    names.sort();
    names
}

/// File names worth looking for.
struct Candidates {
    /// With the folders of the name.
    as_written: Vec<String>,
    /// Without.
    bare: Vec<String>,
}

fn candidates(name: &str) -> Candidates {
    let slashes = name.trim().replace('\\', "/");
    let absolute = slashes.starts_with('/') || slashes.get(1..2) == Some(":");
    let parts: Vec<&str> = slashes.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let Some(last) = parts.last() else { return Candidates { as_written: Vec::new(), bare: Vec::new() } };
    let bare = file_names(last);
    let folders = &parts[..parts.len() - 1];
    let as_written = if absolute || folders.is_empty() {
        Vec::new()
    } else {
        bare.iter().map(|file| format!("{}/{file}", folders.join("/"))).collect()
    };
    Candidates { as_written, bare }
}

/// A file name as written, then its stem with every extension, then with Doom 3's suffixes for the diffuse image.
fn file_names(name: &str) -> Vec<String> {
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension)) => {
            (stem, Some(extension))
        }
        _ => (name, None),
    };
    let mut names = Vec::new();
    if extension.is_some() {
        names.push(name.to_owned());
    }
    // `x_local` is the normal map of `x`; a material named after it still means `x`.
    let base = stem.strip_suffix("_local").unwrap_or(stem);
    for stem in [base.to_owned(), format!("{base}_d"), format!("{base}_diffuse")] {
        names.extend(EXTENSIONS.iter().map(|extension| format!("{stem}.{extension}")));
    }
    if base != stem {
        names.extend(EXTENSIONS.iter().map(|extension| format!("{stem}.{extension}")));
    }
    names
}

fn open(path: PathBuf, memory: MemoryLimit) -> Texture {
    match read::file(&path, &Budget::new(memory)) {
        Ok(bytes) => decode(path, &bytes),
        Err(error) => Texture::Broken { path, error: error.into() },
    }
}

fn decode(path: PathBuf, bytes: &[u8]) -> Texture {
    match decoded(&path, bytes) {
        Ok(image) => Texture::Found { path, image },
        Err(error) => Texture::Broken { path, error },
    }
}

fn decoded(path: &Path, bytes: &[u8]) -> Result<RgbaImage, TextureError> {
    let mut reader = ImageReader::new(std::io::Cursor::new(bytes));
    // TGA has no mark at its start; what else the bytes say goes before the name.
    reader.set_format(image::guess_format(bytes).or_else(|_| image::ImageFormat::from_path(path))?);
    let mut decoder = reader.into_decoder()?;
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 {
        return Err(TextureError::Empty);
    }
    if u64::from(width) * u64::from(height) > MOST_TEXELS {
        return Err(TextureError::TooLarge { width, height });
    }
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(MOST_BYTES);
    limits.reserve(decoder.total_bytes())?;
    decoder.set_limits(limits)?;
    Ok(image::DynamicImage::from_decoder(decoder)?.into_rgba8())
}

/// Whether alpha says which texels exist: many clear, many solid, few between.
///
/// Doom 3 keeps other things in the alpha of its diffuse images, so alpha alone is no reason to leave texels out.
pub fn is_cut_out(image: &RgbaImage) -> bool {
    let texels = image.pixels().len();
    let clear = image.pixels().filter(|texel| texel[3] < 16).count();
    let solid = image.pixels().filter(|texel| texel[3] > 239).count();
    clear * 100 > texels && solid * 5 > texels && (texels - clear - solid) * 5 < texels
}

/// `path` without `a/..` pairs, for people.
pub fn shown(path: &Path) -> PathBuf {
    let mut shown = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if shown.file_name().is_some() => {
                shown.pop();
            }
            other => shown.push(other),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with images of one texel, each of its own red.
    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str, files: &[(&str, u8)]) -> Self {
            let root = std::env::temp_dir().join(format!("bindpose-textures-{}-{test}", std::process::id()));
            for &(file, red) in files {
                let path = root.join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                RgbaImage::from_pixel(1, 1, image::Rgba([red, 0, 0, 255])).save(path).unwrap();
            }
            Self(root)
        }

        fn red(&self, model: &str, name: &str) -> Option<u8> {
            match TextureFinder::new(&[self.0.join(model)], &[]).find(name) {
                Texture::Found { image, .. } => Some(image.get_pixel(0, 0)[0]),
                Texture::Broken { path, error } => panic!("{}: {error}", path.display()),
                Texture::Missing { .. } => None,
            }
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn names_lead_to_images() {
        let files = [
            ("base/models/md5/imp/imp.png", 10),
            ("base/models/md5/imp/Wall.TGA", 20),
            ("base/models/md5/imp/claw_d.png", 30),
            ("base/models/monsters/imp/skin.tga", 40),
            ("base/models/md5/imp/head.bmp", 50),
        ];
        let folder = Folder::new("names", &files);
        let cases = [
            ("imp.png", Some(10)),
            ("imp", Some(10)),
            ("imp.jpg", Some(10)),
            ("C:\\art\\IMP.PNG", Some(10)),
            ("/home/someone/imp.png", Some(10)),
            ("wall", Some(20)),
            ("textures/base/wall.tga", Some(20)),
            ("models/whatever/claw", Some(30)),
            ("claw_local", Some(30)),
            ("models/monsters/imp/skin", Some(40)),
            ("..\\..\\monsters\\imp\\skin.png", Some(40)),
            ("head", Some(50)),
            ("skin", None),
            ("", None),
            ("..", None),
            ("/", None),
        ];
        for (name, red) in cases {
            assert_eq!(folder.red("base/models/md5/imp", name), red, "{name}");
        }
    }

    #[test]
    fn a_missing_image_lists_what_was_tried() {
        let Texture::Missing { tried } = TextureFinder::new(&[], &[]).find("models/imp/skin.tga") else { panic!() };
        assert_eq!(tried.first().map(String::as_str), Some("models/imp/skin.tga"));
        assert!(tried.contains(&"skin_d.png".to_owned()), "{tried:?}");
    }

    #[test]
    fn embedded_images_are_found_by_name() {
        let mut png = std::io::Cursor::new(Vec::new());
        RgbaImage::from_pixel(2, 1, image::Rgba([9, 8, 7, 255])).write_to(&mut png, image::ImageFormat::Png).unwrap();
        let embedded = [("mannequin.png", png.get_ref().as_slice())];
        let found = TextureFinder::new(&[], &embedded).find("textures/mannequin");
        assert!(matches!(found, Texture::Found { image, .. } if image.width() == 2));
    }

    #[test]
    fn a_file_that_is_no_image_is_told_from_a_missing_one() {
        let folder = Folder::new("broken", &[("a.png", 1)]);
        fs::write(folder.0.join("b.png"), b"not an image").unwrap();
        let directories = [folder.0.clone()];
        assert!(matches!(TextureFinder::new(&directories, &[]).find("b"), Texture::Broken { .. }));
    }

    /// 18 bytes of TGA that announce 60,000 times 60,000 pixels, run-length encoded.
    #[test]
    fn an_image_is_measured_before_it_is_decoded() {
        let side = 60_000_u16.to_le_bytes();
        let mut head = vec![0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        head.extend([side, side].as_flattened());
        head.extend([32, 8]);
        let embedded = [("huge.tga", head.as_slice())];
        let found = TextureFinder::new(&[], &embedded).find("huge");
        let Texture::Broken { error, .. } = found else { panic!("{found:?}") };
        assert!(matches!(error, TextureError::TooLarge { width: 60_000, height: 60_000 }), "{error}");
    }

    #[test]
    fn alpha_cuts_out_only_where_it_is_clear_or_solid() {
        let image = |alpha: fn(u32) -> u8| RgbaImage::from_fn(64, 64, |x, _| image::Rgba([0, 0, 0, alpha(x)]));
        assert!(is_cut_out(&image(|x| if x < 20 { 0 } else { 255 })));
        assert!(!is_cut_out(&image(|_| 255)));
        assert!(!is_cut_out(&image(|_| 0)));
        assert!(!is_cut_out(&image(|x| (4 * x) as u8)));
    }
}
