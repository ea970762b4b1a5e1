//! Animations: their properties, GIF, and frames that several threads encode.

pub mod gif;
mod gif_palette;
pub mod parallel;

use ::gif::EncodingError;
use image::RgbaImage;
use std::io;

/// Reason why an animation is not written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The image has more pixels along a side than the format can say.
    #[error("a GIF has at most 65535 pixels along a side")]
    TooLarge,
    /// The file cannot be written.
    #[error(transparent)]
    Io(io::Error),
    /// The encoder refuses the frames.
    #[error(transparent)]
    Gif(EncodingError),
    /// A thread stopped at this frame.
    #[error("encoding frame {0} failed")]
    Panicked(u32),
}

impl From<EncodingError> for Error {
    /// Takes an I/O error out of the encoder's, which would print it twice.
    fn from(error: EncodingError) -> Self {
        match error {
            EncodingError::Io(error) => Self::Io(error),
            error => Self::Gif(error),
        }
    }
}

/// Properties of an animation, without its frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Animation {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Number of frames.
    pub frames: u32,
    /// Frames per second.
    pub rate: f64,
    /// True if viewers repeat it.
    pub is_endless: bool,
    /// Quality of its frames.
    pub quality: Quality,
}

/// Quality of a GIF or a video. Other formats are lossless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quality {
    /// As many colours as the format has, with dithering.
    #[default]
    High,
    /// A smaller file: fewer colours without dithering, or stronger compression.
    Small,
}

impl Animation {
    /// Returns the size of a frame in memory, in bytes.
    pub fn bytes(&self) -> u64 {
        4 * u64::from(self.size.0) * u64::from(self.size.1)
    }
}

/// Returns the bounds of the pixels that differ between two images of equal size: left, top, width, height. `None` if
/// none differ.
pub fn changed(before: &RgbaImage, after: &RgbaImage) -> Option<[u32; 4]> {
    let width = after.width() as usize;
    let rows = || before.as_raw().chunks_exact(4 * width).zip(after.as_raw().chunks_exact(4 * width)).enumerate();
    let mut differing = rows().filter(|(_, (a, b))| a != b);
    let (top, _) = differing.next()?;
    let bottom = differing.next_back().map_or(top, |(row, _)| row);
    let (mut left, mut right) = (width, 0);
    for (_, (a, b)) in rows().skip(top).take(bottom + 1 - top) {
        let pixels = || a.chunks_exact(4).zip(b.chunks_exact(4));
        left = pixels().take(left).position(|(a, b)| a != b).unwrap_or(left);
        right = pixels().rposition(|(a, b)| a != b).map_or(right, |last| right.max(last));
    }
    Some([left, top, right + 1 - left, bottom + 1 - top].map(|number| number as u32))
}

/// Returns the pixels of a rectangle, row by row.
pub fn crop(image: &RgbaImage, [left, top, width, height]: [u32; 4]) -> impl Iterator<Item = [u8; 4]> {
    (top..top + height).flat_map(move |y| (left..left + width).map(move |x| image.get_pixel(x, y).0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_bounded_by_a_rectangle() {
        let before = RgbaImage::new(7, 5);
        let mut after = before.clone();
        assert_eq!(changed(&before, &after), None);
        after.put_pixel(4, 1, image::Rgba([1, 0, 0, 0]));
        assert_eq!(changed(&before, &after), Some([4, 1, 1, 1]));
        after.put_pixel(2, 3, image::Rgba([0, 0, 0, 1]));
        assert_eq!(changed(&before, &after), Some([2, 1, 3, 3]));
        assert_eq!(
            crop(&after, [2, 1, 3, 3]).map(|pixel| pixel[0] + pixel[3]).collect::<Vec<_>>(),
            [0, 0, 1, 0, 0, 0, 1, 0, 0]
        );
    }
}
