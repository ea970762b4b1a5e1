//! Reads block-compressed DDS images (4 by 4 texels) that the `image` crate does not support: BC4, BC5, BC7, Doom 3's
//! normal maps (`RXGB`), and every block format with a DirectX 10 header.

use super::dds::DdsError;
use image::{Rgba, RgbaImage};

/// Bytes before the blocks: the signature and the header. `MORE_HEAD` is the additional header of `DX10` files.
const HEAD: usize = 128;
const MORE_HEAD: usize = 20;

/// Compression of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    Bc1,
    Bc2,
    Bc3,
    /// BC3 with red in alpha, where it has more bits.
    Rxgb,
    Bc4,
    Bc5,
    Bc7,
}

impl Packing {
    /// Returns the compression for the four letters in the header, or `None` if another decoder reads it.
    fn of_letters(letters: &[u8]) -> Option<Self> {
        match letters {
            b"RXGB" => Some(Self::Rxgb),
            b"ATI1" | b"BC4U" => Some(Self::Bc4),
            b"ATI2" | b"BC5U" => Some(Self::Bc5),
            _ => None,
        }
    }

    /// Returns the compression for a DXGI format number. sRGB and linear formats have the same compression.
    fn of_format(format: u32) -> Option<Self> {
        match format {
            70..=72 => Some(Self::Bc1),
            73..=75 => Some(Self::Bc2),
            76..=78 => Some(Self::Bc3),
            79 | 80 => Some(Self::Bc4),
            82 | 83 => Some(Self::Bc5),
            97..=99 => Some(Self::Bc7),
            _ => None,
        }
    }

    fn bytes(self) -> usize {
        if matches!(self, Self::Bc1 | Self::Bc4) { 8 } else { 16 }
    }

    /// Decodes a block to 16 RGBA texels, row by row.
    fn texels(self, block: &[u8]) -> [[u8; 4]; 16] {
        let mut rgba = [[0; 4]; 16];
        let (mut one, mut two) = ([0; 16], [0; 32]);
        match self {
            Self::Bc1 => bcdec_rs::bc1(block, rgba.as_flattened_mut(), 16),
            Self::Bc2 => bcdec_rs::bc2(block, rgba.as_flattened_mut(), 16),
            Self::Bc3 | Self::Rxgb => bcdec_rs::bc3(block, rgba.as_flattened_mut(), 16),
            Self::Bc4 => bcdec_rs::bc4(block, &mut one, 4, false),
            Self::Bc5 => bcdec_rs::bc5(block, &mut two, 8, false),
            Self::Bc7 => bcdec_rs::bc7(block, rgba.as_flattened_mut(), 16),
        }
        match self {
            Self::Rxgb => rgba.map(|[_, g, b, x]| [x, g, b, 255]),
            Self::Bc4 => one.map(|grey| [grey, grey, grey, 255]),
            Self::Bc5 => {
                let (pairs, _) = two.as_chunks::<2>();
                std::array::from_fn(|texel| pairs.get(texel).map_or([0; 4], |&pair| normal(pair)))
            }
            _ => rgba,
        }
    }
}

/// Returns a unit normal as RGBA, with z calculated from x and y.
fn normal([x, y]: [u8; 2]) -> [u8; 4] {
    let part = |byte: u8| (f32::from(byte) - 128.0) / 127.0;
    let z = (1.0 - part(x).powi(2) - part(y).powi(2)).max(0.0).sqrt();
    [x, y, (z * 127.0 + 128.0) as u8, 255]
}

/// DDS image in blocks with its header parsed.
#[derive(Debug)]
pub struct Blocks<'a> {
    width: u32,
    height: u32,
    packing: Packing,
    blocks: &'a [u8],
}

impl<'a> Blocks<'a> {
    /// Parses the header. Returns `None` for other files and for files that the `image` crate reads.
    pub fn of(bytes: &'a [u8]) -> Option<Self> {
        const FOUR_CC: u32 = 0x4;
        let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        if !bytes.starts_with(b"DDS ") || number(80)? & FOUR_CC == 0 {
            return None;
        }
        let letters = bytes.get(84..88)?;
        let (packing, start) = match letters {
            b"DX10" => (Packing::of_format(number(HEAD)?)?, HEAD + MORE_HEAD),
            _ => (Packing::of_letters(letters)?, HEAD),
        };
        Some(Self { width: number(16)?, height: number(12)?, packing, blocks: bytes.get(start..)? })
    }

    /// Returns width and height in texels.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Decodes the texels of the largest level. The caller must have checked their number.
    ///
    /// # Errors
    ///
    /// Returns [`DdsError::Cut`] if the file is too short.
    pub fn decode(&self) -> Result<RgbaImage, DdsError> {
        let (across, down) = (self.width.div_ceil(4), self.height.div_ceil(4));
        let expected = (across as usize).saturating_mul(down as usize).saturating_mul(self.packing.bytes());
        let cut = DdsError::Cut { found: self.blocks.len(), expected };
        let blocks = self.blocks.get(..expected).ok_or(cut)?;
        let mut image = RgbaImage::new(self.width, self.height);
        let places = (0..down).flat_map(|row| (0..across).map(move |column| (4 * column, 4 * row)));
        for ((left, top), block) in places.zip(blocks.chunks_exact(self.packing.bytes())) {
            for (number, texel) in (0_u32..).zip(self.packing.texels(block)) {
                // The last blocks can extend beyond the edges.
                if let Some(place) = image.get_pixel_mut_checked(left + number % 4, top + number / 4) {
                    *place = Rgba(texel);
                }
            }
        }
        Ok(image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(letters: &[u8; 4], format: Option<u32>, size: (u32, u32), blocks: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; HEAD];
        bytes[..4].copy_from_slice(b"DDS ");
        for (at, number) in [(4, 124), (12, size.1), (16, size.0), (76, 32), (80, 4)] {
            bytes[at..at + 4].copy_from_slice(&u32::to_le_bytes(number));
        }
        bytes[84..88].copy_from_slice(letters);
        if let Some(format) = format {
            bytes.extend(format.to_le_bytes());
            bytes.extend([0; 16]);
        }
        bytes.extend(blocks);
        bytes
    }

    fn texel(bytes: &[u8], x: u32, y: u32) -> [u8; 4] {
        Blocks::of(bytes).unwrap().decode().unwrap().get_pixel(x, y).0
    }

    /// Eight bytes of one channel: the end values 200 and 100, then three bits per texel that select an end value or
    /// one of the six values between.
    const CHANNEL: [u8; 8] = [200, 100, 0b0000_1000, 0, 0, 0, 0, 0];
    /// Eight bytes of colour: red and blue in 5, 6 and 5 bits. All texels use the first colour, red.
    const RED: [u8; 8] = [0x00, 0xf8, 0x1f, 0x00, 0, 0, 0, 0];

    #[test]
    fn blocks_of_every_packing_are_read() {
        let [grey, other] = [[200, 200, 200, 255], [100, 100, 100, 255]];
        let bc4 = file(b"ATI1", None, (4, 4), &CHANNEL);
        assert_eq!([texel(&bc4, 0, 0), texel(&bc4, 1, 0), texel(&bc4, 3, 3)], [grey, other, grey]);
        assert_eq!(texel(&file(b"DX10", Some(80), (4, 4), &CHANNEL), 0, 0), grey);
        // x is 200 and y is 128, so z is (1 - (72 / 127)^2)^0.5 = 0.8237.
        let level = [128, 128, 0, 0, 0, 0, 0, 0];
        let bc5 = file(b"ATI2", None, (4, 4), &[CHANNEL, level].concat());
        assert_eq!(texel(&bc5, 0, 0), [200, 128, 232, 255]);
        let rxgb = file(b"RXGB", None, (4, 4), &[CHANNEL, RED].concat());
        assert_eq!(texel(&rxgb, 0, 0), [200, 0, 0, 255]);
        assert_eq!(texel(&file(b"DX10", Some(71), (4, 4), &RED), 2, 2), [255, 0, 0, 255]);
        assert_eq!(texel(&file(b"DX10", Some(77), (4, 4), &[CHANNEL, RED].concat()), 1, 0), [255, 0, 0, 100]);
        // Mode 6 of BC7 (bit 6). Both ends of every channel are 0, so alpha is 0.
        let mut bc7 = [0; 16];
        bc7[0] = 0x40;
        assert_eq!(texel(&file(b"DX10", Some(98), (4, 4), &bc7), 3, 0), [0; 4]);
    }

    #[test]
    fn pictures_need_not_be_whole_blocks() {
        let blocks = [CHANNEL; 4].concat();
        let image = Blocks::of(&file(b"BC4U", None, (5, 6), &blocks)).unwrap().decode().unwrap();
        assert_eq!((image.dimensions(), image.get_pixel(4, 5).0[0]), ((5, 6), 200));
        let cut = Blocks::of(&file(b"BC4U", None, (5, 6), &blocks[..31])).unwrap().decode();
        assert_eq!(cut, Err(DdsError::Cut { found: 31, expected: 32 }));
    }

    #[test]
    fn what_others_read_is_left_to_them() {
        assert!(Blocks::of(&file(b"DXT1", None, (4, 4), &RED)).is_none());
        assert!(Blocks::of(&file(b"DX10", Some(2), (4, 4), &RED)).is_none());
        assert!(Blocks::of(b"DDS ").is_none());
    }
}
