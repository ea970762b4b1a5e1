//! Images of what differs between two images.

use image::{Rgba, RgbaImage};

/// Returns the second image in faint grey, with differences from the first in red, and the number of differing pixels.
///
/// A pixel differs if a channel does by more than `tolerance`, of 255.
pub fn difference(before: &RgbaImage, after: &RgbaImage, tolerance: u8) -> (RgbaImage, usize) {
    let mut pixels = 0;
    let image = RgbaImage::from_fn(after.width(), after.height(), |x, y| {
        let (was, is) = (before.get_pixel(x, y).0, after.get_pixel(x, y).0);
        let most = was.iter().zip(is).map(|(was, is)| was.abs_diff(is)).max().unwrap_or(0);
        let grey = (is[..3].iter().map(|&part| u32::from(part)).sum::<u32>() / 9) as u8;
        if most <= tolerance {
            return Rgba([grey, grey, grey, 255]);
        }
        pixels += 1;
        Rgba([most.saturating_mul(4).max(96), grey / 2, grey / 2, 255])
    });
    (image, pixels)
}
