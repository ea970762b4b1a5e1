//! Palette of a GIF: 255 colours and transparent, with ordered dithering.

use super::Quality;
use image::RgbaImage;

/// Number of pixels of a frame from which the palette is computed.
const SAMPLED_PIXELS: usize = 1 << 16;

/// Colours of an animation. The index after the last one is transparent.
pub struct GifPalette {
    /// At most 255 colours.
    colours: Vec<[u8; 3]>,
    dithers: bool,
}

/// Histogram of colours.
pub struct PaletteBuilder(quantizr::Histogram);

impl PaletteBuilder {
    pub fn new() -> Self {
        Self(quantizr::Histogram::new())
    }

    /// Adds the colours of a frame. For a large frame, adds those of evenly spread pixels.
    pub fn add(&mut self, image: &RgbaImage) {
        // With an odd step, each row contributes different columns.
        let step = (image.pixels().len() / SAMPLED_PIXELS) | 1;
        let seen = image.pixels().step_by(step).filter(|pixel| is_seen(pixel.0));
        let bytes: Vec<u8> = seen.flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect();
        if let Ok(image) = quantizr::Image::new(&bytes, bytes.len() / 4, 1) {
            self.0.add_image(&image);
        }
    }

    /// Computes the palette.
    pub fn finish(self, quality: Quality) -> GifPalette {
        let mut options = quantizr::Options::default();
        // One index of 8 or 6 bits remains for transparent.
        let most = if quality == Quality::High { 255 } else { 63 };
        // Fails outside of 2 to 256 alone.
        let _ = options.set_max_colors(most);
        let found = quantizr::QuantizeResult::quantize_histogram(&self.0, &options);
        let found = found.get_palette();
        let colours = found.entries.iter().take(found.count as usize).map(|entry| [entry.r, entry.g, entry.b]);
        GifPalette { colours: colours.collect(), dithers: quality == Quality::High }
    }
}

/// True if a pixel is opaque in a GIF, which has no translucency.
pub fn is_seen(pixel: [u8; 4]) -> bool {
    pixel[3] >= 128
}

/// Largest invisible difference between two colours: 1.5 of 255 levels, squared.
const NEAR: f32 = 2.25;

impl GifPalette {
    /// Creates a palette from at most 255 colours.
    #[cfg(test)]
    pub fn of(colours: Vec<[u8; 3]>) -> Self {
        Self { colours, dithers: true }
    }

    /// Returns the index of transparent.
    pub fn clear(&self) -> u8 {
        self.colours.len() as u8
    }

    /// Returns RGB triples, including one for transparent.
    pub fn bytes(&self) -> Vec<u8> {
        self.colours.iter().flatten().copied().chain([0; 3]).collect()
    }

    /// True if the colour of an index is visually equal to a pixel.
    pub fn is_near(&self, index: u8, pixel: [u8; 4]) -> bool {
        let Some(colour) = self.colours.get(usize::from(index)) else { return !is_seen(pixel) };
        let apart: [f32; 3] = std::array::from_fn(|channel| f32::from(colour[channel]) - f32::from(pixel[channel]));
        is_seen(pixel) && dot(apart, apart) <= NEAR
    }

    /// Creates a mapper with an empty cache.
    pub fn mapper(&self) -> PaletteMapper<'_> {
        PaletteMapper { palette: self, known: vec![None; 1 << 14] }
    }
}

/// Two palette entries that dithering mixes to a colour.
#[derive(Debug, Clone, Copy)]
struct Mix {
    colour: [u8; 3],
    /// Nearest entry, and one on the other side of the colour.
    pair: [u8; 2],
    /// Share of the second entry, 0 to 0.5.
    share: f32,
}

/// Maps pixels to palette indices. Dithering depends only on the position, so that static areas do not flicker.
pub struct PaletteMapper<'a> {
    palette: &'a GifPalette,
    known: Vec<Option<Mix>>,
}

impl PaletteMapper<'_> {
    /// Returns the index for a pixel at a position.
    pub fn index(&mut self, pixel: [u8; 4], x: u32, y: u32) -> u8 {
        if !is_seen(pixel) {
            return self.palette.clear();
        }
        let colour = [pixel[0], pixel[1], pixel[2]];
        let key = u32::from_be_bytes([0, colour[0], colour[1], colour[2]]).wrapping_mul(0x9e37_79b1) >> 18;
        let slot = &mut self.known[key as usize];
        let mix = match *slot {
            Some(mix) if mix.colour == colour => mix,
            _ => *slot.insert(mix(&self.palette.colours, colour)),
        };
        mix.pair[usize::from(self.palette.dithers && mix.share > threshold(x, y))]
    }
}

/// Returns a threshold from 0 to 1 without a visible grid: Jimenez' interleaved gradient noise.
fn threshold(x: u32, y: u32) -> f32 {
    (52.982_918 * (0.067_110_56 * x as f32 + 0.005_837_15 * y as f32).fract()).fract()
}

fn mix(colours: &[[u8; 3]], colour: [u8; 3]) -> Mix {
    let wanted = colour.map(f32::from);
    let first = nearest(colours, wanted);
    let of = |index: usize| colours.get(index).map_or(wanted, |colour| colour.map(f32::from));
    let near = of(first);
    let error: [f32; 3] = std::array::from_fn(|channel| wanted[channel] - near[channel]);
    let whole = Mix { colour, pair: [first as u8; 2], share: 0.0 };
    if error == [0.0; 3] {
        return whole;
    }
    // The second entry is beyond the colour, unless the first one is near enough.
    let beyond = |times: f32| nearest(colours, std::array::from_fn(|channel| wanted[channel] + times * error[channel]));
    let second = [1.0, 2.0, 4.0, 8.0].into_iter().map(beyond).find(|&second| second != first).unwrap_or(first);
    let far = of(second);
    let step: [f32; 3] = std::array::from_fn(|channel| far[channel] - near[channel]);
    let length = dot(step, step);
    if length == 0.0 {
        return whole;
    }
    Mix { pair: [first as u8, second as u8], share: (dot(error, step) / length).clamp(0.0, 0.5), ..whole }
}

/// Returns the dot product, weighted by the eye's sensitivity to red, green and blue.
#[inline]
fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    0.3 * a[0] * b[0] + 0.59 * a[1] * b[1] + 0.11 * a[2] * b[2]
}

fn nearest(colours: &[[u8; 3]], wanted: [f32; 3]) -> usize {
    let away = |&[red, green, blue]: &[u8; 3]| {
        let apart = [f32::from(red) - wanted[0], f32::from(green) - wanted[1], f32::from(blue) - wanted[2]];
        dot(apart, apart)
    };
    let mut best = (f32::INFINITY, 0);
    for (index, colour) in colours.iter().enumerate() {
        let away = away(colour);
        if away < best.0 {
            best = (away, index);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn palette(colours: &[[u8; 3]]) -> GifPalette {
        GifPalette::of(colours.to_vec())
    }

    #[test]
    fn few_colours_are_kept_exactly() {
        let image = RgbaImage::from_fn(64, 4, |x, _| image::Rgba([4 * x as u8, 100, 255 - x as u8, 255]));
        let mut builder = PaletteBuilder::new();
        builder.add(&image);
        let palette = builder.finish(Quality::High);
        let mut mapper = palette.mapper();
        for (x, y, pixel) in image.enumerate_pixels() {
            let index = mapper.index(pixel.0, x, y);
            assert_eq!(palette.colours[usize::from(index)], [pixel[0], pixel[1], pixel[2]]);
        }
        assert_eq!(mapper.index([1, 2, 3, 127], 0, 0), palette.clear());
    }

    #[test]
    fn a_small_file_has_few_colours_without_dithering() {
        let image = RgbaImage::from_fn(256, 4, |x, _| image::Rgba([x as u8, 0, 0, 255]));
        let mut builder = PaletteBuilder::new();
        builder.add(&image);
        let palette = builder.finish(Quality::Small);
        assert!(palette.colours.len() <= 63, "{}", palette.colours.len());
        let mut mapper = palette.mapper();
        for x in 0..256 {
            let column = [0, 1, 2, 3].map(|y| mapper.index(image.get_pixel(x, y).0, x, y));
            assert_eq!(column, [column[0]; 4], "column {x}");
        }
    }

    /// The mean of dithering over an area is the colour. Within a sixteenth of an entry, it does not mix.
    #[test]
    fn dither_keeps_the_mean() {
        let palette = palette(&[[0; 3], [100; 3], [200; 3]]);
        let mut mapper = palette.mapper();
        for level in [0, 10, 25, 50, 70, 93, 100, 130, 160, 200] {
            let mut sum = 0;
            for y in 0..64 {
                for x in 0..64 {
                    let index = mapper.index([level, level, level, 255], x, y);
                    sum += u32::from(palette.colours[usize::from(index)][0]);
                }
            }
            let mean = f64::from(sum) / 4096.0;
            assert!((mean - f64::from(level)).abs() < 1.5, "{level}: {mean}");
        }
    }
}
