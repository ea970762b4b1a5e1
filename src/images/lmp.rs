//! Reads and writes Quake images (`.lmp`): indices into 256 colours. The palette is a separate file, `gfx/palette.lmp`.
//!
//! A file contains width and height as little-endian 32-bit numbers, then one byte per texel, top row first. The
//! palette consists of 768 bytes of red, green and blue.

use bindpose_core::budget::Budget;
use bindpose_core::read::{self, ReadError};
use bindpose_vfs::{Vfs, disk};
use image::{Rgba, RgbaImage};
use std::collections::HashMap;
use std::path::Path;

/// Reason why an image or a palette cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LmpError {
    /// The length of the file differs from the length that its header implies.
    #[error("a Quake image of {width}x{height} pixels has {expected} bytes, this file has {found}")]
    Length {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Number of bytes that the header implies.
        expected: u64,
        /// Number of bytes in the file.
        found: usize,
    },
    /// The file ends inside its header.
    #[error("a Quake image begins with 8 bytes of width and height, this file has {0}")]
    Head(usize),
    /// No parent folder contains a palette.
    #[error("no gfx/palette.lmp, the palette of Quake images, in the parent folders")]
    NoPalette,
    /// The palette does not have 768 bytes.
    #[error("a palette has 768 bytes, this file has {0}")]
    Palette(usize),
    /// The palette cannot be read.
    #[error("{}", .0.reason())]
    Read(#[from] ReadError),
}

/// Bytes before the texels.
const HEAD: usize = 8;
/// First fullbright colour.
pub(super) const FIRST_BRIGHT: usize = 224;

/// Palette of Quake images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Palette(Vec<[u8; 3]>);

impl Palette {
    /// Parses a `gfx/palette.lmp`.
    ///
    /// # Errors
    ///
    /// Returns [`LmpError::Palette`] if the file does not have 768 bytes.
    pub fn new(file: &[u8]) -> Result<Self, LmpError> {
        match file.as_chunks() {
            (colours, []) if colours.len() == 256 => Ok(Self(colours.to_vec())),
            _ => Err(LmpError::Palette(file.len())),
        }
    }

    /// Reads the palette for a file: `gfx/palette.lmp` in the nearest parent folder that has one, else in its game.
    ///
    /// # Errors
    ///
    /// Returns [`LmpError`] if there is no palette, or if it cannot be read.
    pub fn above(path: &Path, budget: &Budget) -> Result<Self, LmpError> {
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let places = whole.ancestors().skip(1).map(|folder| folder.join("gfx/palette.lmp"));
        let of_game = || Some(Vfs::around(path)?.find("gfx/palette.lmp").ok()??.path);
        let found =
            places.into_iter().find(|place| disk::is_file(place)).or_else(of_game).ok_or(LmpError::NoPalette)?;
        Self::new(&read::file(&found, budget)?)
    }

    /// Encodes an image with the nearest colours that are not fullbright. Alpha is ignored.
    pub fn encode(&self, image: &RgbaImage) -> Vec<u8> {
        let (width, height) = image.dimensions();
        let mut file = [width.to_le_bytes(), height.to_le_bytes()].concat();
        file.extend(self.indices(image, FIRST_BRIGHT));
        file
    }

    /// Returns the nearest of the first `colours` colours for each texel. Alpha is ignored.
    pub(super) fn indices(&self, image: &RgbaImage, colours: usize) -> Vec<u8> {
        let mut known: HashMap<[u8; 3], u8> = HashMap::new();
        let texels = image.pixels().map(|&Rgba([red, green, blue, _])| {
            *known.entry([red, green, blue]).or_insert_with(|| self.nearest([red, green, blue], colours))
        });
        texels.collect()
    }

    fn nearest(&self, wanted: [u8; 3], colours: usize) -> u8 {
        let far = |colour: &[u8; 3]| -> u32 {
            colour.iter().zip(wanted).map(|(&a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
        };
        let colours = self.0.iter().take(colours).zip(0..=u8::MAX);
        colours.min_by_key(|(colour, _)| far(colour)).map_or(0, |(_, index)| index)
    }
}

/// Returns width and height of an image after comparing them with the file's length.
pub(super) fn size(file: &[u8]) -> Result<(u32, u32), LmpError> {
    let number = |at: usize| Some(u32::from_le_bytes(file.get(at..at + 4)?.try_into().ok()?));
    let (Some(width), Some(height)) = (number(0), number(4)) else { return Err(LmpError::Head(file.len())) };
    let expected = HEAD as u64 + u64::from(width).saturating_mul(u64::from(height));
    if expected == file.len() as u64 {
        Ok((width, height))
    } else {
        Err(LmpError::Length { width, height, expected, found: file.len() })
    }
}

/// Decodes the texels. The caller must have checked their number.
pub(super) fn decode(file: &[u8], palette: &Palette) -> Result<RgbaImage, LmpError> {
    let (width, height) = size(file)?;
    let texel = |&index: &u8| {
        let [red, green, blue] = palette.0[usize::from(index)];
        [red, green, blue, 255]
    };
    let texels: Vec<u8> = file[HEAD..].iter().flat_map(texel).collect();
    RgbaImage::from_raw(width, height, texels).ok_or(LmpError::Head(file.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a palette with grey from 0 to 223, then red, which is fullbright.
    fn palette() -> Palette {
        let colour = |index: u8| if index < 224 { [index; 3] } else { [255, 0, 0] };
        Palette::new((0..=255).flat_map(colour).collect::<Vec<u8>>().as_slice()).unwrap()
    }

    #[test]
    fn texels_are_indices_into_the_palette() {
        let file = [2, 0, 0, 0, 1, 0, 0, 0, 7, 255];
        let image = decode(&file, &palette()).unwrap();
        assert_eq!(image.as_raw(), &[7, 7, 7, 255, 255, 0, 0, 255]);
        for cut in 0..file.len() {
            assert!(decode(&file[..cut], &palette()).is_err(), "{cut} bytes");
        }
        let huge = [255; 8];
        assert!(matches!(size(&huge), Err(LmpError::Length { .. })));
    }

    /// Red is in the palette, but it is fullbright. The nearest other colour is dark grey.
    #[test]
    fn fullbright_colours_are_not_used() {
        let image = RgbaImage::from_raw(2, 1, vec![9, 9, 9, 0, 255, 0, 0, 255]).unwrap();
        let file = palette().encode(&image);
        // (255 - n)² + 2 n² has its minimum at n = 85.
        assert_eq!(file, [2, 0, 0, 0, 1, 0, 0, 0, 9, 85]);
        assert!(matches!(Palette::new(&[0; 767]), Err(LmpError::Palette(767))));
    }

    #[test]
    fn the_palette_is_in_the_games_folder() {
        let folder = std::env::temp_dir().join(format!("bindpose-palette-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("gfx")).unwrap();
        std::fs::create_dir_all(folder.join("progs")).unwrap();
        std::fs::write(folder.join("gfx/palette.lmp"), [3; 768]).unwrap();
        let found = Palette::above(&folder.join("progs/ogre_00_00.lmp"), &Budget::default());
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found.unwrap(), Palette(vec![[3; 3]; 256]));
        assert!(matches!(Palette::above(&folder, &Budget::default()), Err(LmpError::NoPalette)));
    }
}
