//! Reads uncompressed DDS images with 24 or 32 bits per pixel, which the `image` crate does not support.
//!
//! Microsoft's "Programming Guide for DDS" describes the layout: `DDS `, a header of 124 bytes, then rows from top to
//! bottom without padding.

use image::RgbaImage;

/// Reason why an uncompressed DDS file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DdsError {
    /// The number of bits per pixel is not supported, or the pixels have no colour.
    #[error("the DDS image has {bits} bits a pixel; compressed ones and those of 24 or 32 bits are read")]
    Layout {
        /// Bits per pixel.
        bits: u32,
    },
    /// The file ends before its pixels do.
    #[error("the DDS image ends after {found} of {expected} bytes of pixels")]
    Cut {
        /// Bytes of pixels present in the file.
        found: usize,
        /// Bytes of pixels that the header implies.
        expected: usize,
    },
}

/// Bytes before the pixels: the signature and the header.
const HEAD: usize = 128;
/// Flags of the pixel format.
const ALPHA: u32 = 0x1;
const FOUR_CC: u32 = 0x4;
const RGB: u32 = 0x40;

/// Image with its header parsed.
#[derive(Debug)]
pub struct Uncompressed<'a> {
    width: u32,
    height: u32,
    bytes_per_pixel: usize,
    /// Bit masks of red, green, blue and alpha.
    masks: [u32; 4],
    pixels: &'a [u8],
}

impl<'a> Uncompressed<'a> {
    /// Parses the header. Returns `None` for other files and for compressed DDS images.
    ///
    /// # Errors
    ///
    /// Returns [`DdsError::Layout`] if the pixel format is not supported.
    pub fn of(bytes: &'a [u8]) -> Result<Option<Self>, DdsError> {
        let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let header = || {
            let masks = [number(92)?, number(96)?, number(100)?, number(104)?];
            Some((number(12)?, number(16)?, number(80)?, number(88)?, masks, bytes.get(HEAD..)?))
        };
        let Some((height, width, flags, bits, mut masks, pixels)) = header().filter(|_| bytes.starts_with(b"DDS "))
        else {
            return Ok(None);
        };
        if flags & FOUR_CC != 0 {
            return Ok(None);
        }
        if flags & RGB == 0 || !matches!(bits, 24 | 32) {
            return Err(DdsError::Layout { bits });
        }
        if flags & ALPHA == 0 {
            masks[3] = 0;
        }
        Ok(Some(Self { width, height, bytes_per_pixel: bits as usize / 8, masks, pixels }))
    }

    /// Returns width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Decodes the pixels. The caller must have checked their number.
    ///
    /// # Errors
    ///
    /// Returns [`DdsError::Cut`] if the file is too short.
    pub fn decode(&self) -> Result<RgbaImage, DdsError> {
        let expected = (self.width as usize).saturating_mul(self.height as usize).saturating_mul(self.bytes_per_pixel);
        let cut = DdsError::Cut { found: self.pixels.len(), expected };
        let pixels = self.pixels.get(..expected).ok_or(cut.clone())?;
        let rgba = pixels.chunks_exact(self.bytes_per_pixel).flat_map(|pixel| {
            let mut word = [0; 4];
            word[..pixel.len()].copy_from_slice(pixel);
            let word = u32::from_le_bytes(word);
            let [red, green, blue, alpha] = self.masks.map(|mask| channel(word, mask));
            [red.unwrap_or(0), green.unwrap_or(0), blue.unwrap_or(0), alpha.unwrap_or(255)]
        });
        RgbaImage::from_raw(self.width, self.height, rgba.collect()).ok_or(cut)
    }
}

/// Returns the channel that a mask selects, scaled to 8 bits. Returns `None` for an empty mask.
fn channel(word: u32, mask: u32) -> Option<u8> {
    let shift = mask.trailing_zeros();
    let most = mask.checked_shr(shift)?;
    let value = (word & mask) >> shift;
    Some((u64::from(value) * 255 / u64::from(most)) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(flags: u32, bits: u32, masks: [u32; 4], size: (u32, u32), pixels: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; HEAD];
        bytes[..4].copy_from_slice(b"DDS ");
        let numbers = [(4, 124), (12, size.1), (16, size.0), (76, 32), (80, flags), (88, bits)];
        let masks = (92..).step_by(4).zip(masks);
        for (at, number) in numbers.into_iter().chain(masks) {
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        bytes.extend(pixels);
        bytes
    }

    #[test]
    fn pixels_are_read_by_their_masks() {
        let bgra = [0xff_0000, 0xff00, 0xff, 0xff00_0000];
        let rgba = [0xff, 0xff00, 0xff_0000, 0xff00_0000];
        let pixels = [1, 2, 3, 4, 5, 6, 7, 8];
        let decode = |bytes: &[u8]| Uncompressed::of(bytes).unwrap().unwrap().decode().map(RgbaImage::into_raw);
        assert_eq!(decode(&file(RGB | ALPHA, 32, bgra, (1, 2), &pixels)).unwrap(), [3, 2, 1, 4, 7, 6, 5, 8]);
        assert_eq!(decode(&file(RGB, 32, rgba, (2, 1), &pixels)).unwrap(), [1, 2, 3, 255, 5, 6, 7, 255]);
        assert_eq!(decode(&file(RGB, 24, bgra, (2, 1), &pixels)).unwrap(), [3, 2, 1, 255, 6, 5, 4, 255]);
        // Ten bits of green in the middle of a word, all set.
        let ten = [0x3ff, 0xf_fc00, 0x3ff0_0000, 0xc000_0000];
        assert_eq!(
            decode(&file(RGB | ALPHA, 32, ten, (1, 1), &0x400f_fc00_u32.to_le_bytes())).unwrap(),
            [0, 255, 0, 85]
        );
        let cut = DdsError::Cut { found: 8, expected: 12 };
        assert_eq!(decode(&file(RGB, 24, bgra, (4, 1), &pixels)), Err(cut));
    }

    #[test]
    fn other_files_are_refused() {
        assert!(Uncompressed::of(&file(FOUR_CC, 0, [0; 4], (4, 4), &[])).unwrap().is_none());
        assert!(Uncompressed::of(b"DDS ").unwrap().is_none());
        assert!(Uncompressed::of(&[0; 200]).unwrap().is_none());
        let error = Uncompressed::of(&file(RGB, 16, [0; 4], (4, 4), &[])).unwrap_err();
        assert_eq!(error, DdsError::Layout { bits: 16 });
    }
}
