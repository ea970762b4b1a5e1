//! Text on images. The font is part of the program, so every machine draws the same.

use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};
use image::{RgbImage, Rgba, RgbaImage};
use std::sync::LazyLock;

static FONT: LazyLock<Option<FontRef<'static>>> =
    LazyLock::new(|| FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).ok());

/// Returns the width of a text in pixels. `size` is the font's ascent minus descent.
pub fn width_of(text: &str, size: f32) -> u32 {
    layout(text, size).1.ceil() as u32
}

/// Draws black text whose baseline starts at `(left, baseline)`. Parts outside the image are cut off.
pub(super) fn draw(image: &mut RgbImage, text: &str, size: f32, (left, baseline): (i32, i32)) {
    each_pixel(text, size, (left, baseline), |x, y, ink| blend(image, x, y, [0; 3], ink));
}

/// Draws white text on a dark background, with its top left corner at `(left, top)`. Parts outside the image are cut
/// off.
pub fn label(image: &mut RgbaImage, text: &str, size: f32, (left, top): (i32, i32)) {
    let margin = (0.25 * size) as i32;
    let (right, bottom) = (left + width_of(text, size) as i32 + margin, top + size as i32 + margin / 2);
    let mut mix = |x: u32, y: u32, level: u8, alpha: f32| {
        if let Some(Rgba([r, g, b, a])) = image.get_pixel_mut_checked(x, y) {
            let mixed =
                |old: u8, new: u8| (f32::from(old) + (f32::from(new) - f32::from(old)) * alpha.min(1.0)).round() as u8;
            (*r, *g, *b, *a) = (mixed(*r, level), mixed(*g, level), mixed(*b, level), mixed(*a, 255));
        }
    };
    let from_edge = |edge: i32| u32::try_from(edge).unwrap_or(0);
    for y in from_edge(top - margin / 2)..from_edge(bottom) {
        (from_edge(left - margin)..from_edge(right)).for_each(|x| mix(x, y, 0, 0.75));
    }
    each_pixel(text, size, (left, top + (0.8 * size) as i32), |x, y, ink| mix(x, y, 255, ink));
}

/// Calls `each` with every pixel of a text whose baseline starts at `(left, baseline)`, and its coverage from 0 to 1.
fn each_pixel(text: &str, size: f32, (left, baseline): (i32, i32), mut each: impl FnMut(u32, u32, f32)) {
    let Some(font) = &*FONT else { return };
    for glyph in layout(text, size).0.into_iter().filter_map(|glyph| font.outline_glyph(glyph)) {
        let corner = glyph.px_bounds().min;
        glyph.draw(|x, y, ink| {
            let (x, y) = (left + corner.x as i32 + x as i32, baseline + corner.y as i32 + y as i32);
            if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) {
                each(x, y, ink);
            }
        });
    }
}

/// Mixes a colour into a pixel. Pixels outside the image are ignored.
pub(super) fn blend(image: &mut RgbImage, x: u32, y: u32, colour: [u8; 3], alpha: f32) {
    if let Some(pixel) = image.get_pixel_mut_checked(x, y) {
        let mixed = |old: u8, new: u8| (f32::from(old) + (f32::from(new) - f32::from(old)) * alpha.min(1.0)).round();
        pixel.0 = std::array::from_fn(|channel| mixed(pixel.0[channel], colour[channel]) as u8);
    }
}

/// Places the glyphs from the origin on, with kerning. Returns them and the width of the text.
fn layout(text: &str, size: f32) -> (Vec<Glyph>, f32) {
    let Some(font) = &*FONT else { return (Vec::new(), 0.0) };
    let font = font.as_scaled(PxScale::from(size));
    let mut glyphs = Vec::new();
    let (mut end, mut last) = (0.0, None);
    for letter in text.chars() {
        let id = font.glyph_id(letter);
        end += last.map_or(0.0, |last| font.kern(last, id));
        glyphs.push(id.with_scale_and_position(font.scale(), point(end, 0.0)));
        end += font.h_advance(id);
        last = Some(id);
    }
    (glyphs, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    /// At half the height of small letters, s, j and b have one, one and two strokes, with gaps between them.
    #[test]
    fn letters_do_not_overlap() {
        let mut image = RgbImage::from_pixel(100, 60, Rgb([255; 3]));
        draw(&mut image, "sjb", 40.0, (10, 30));
        let strokes = |row: u32| {
            let dark: Vec<bool> = (0..100).map(|x| image.get_pixel(x, row)[0] < 140).collect();
            dark.windows(2).filter(|pair| !pair[0] && pair[1]).count()
        };
        let rows: Vec<usize> = (0..60).map(strokes).collect();
        assert!(rows.windows(4).any(|rows| rows == [4; 4]), "{rows:?}");
    }

    #[test]
    fn text_outside_of_the_image_is_cut_off() {
        let mut image = RgbImage::from_pixel(10, 10, Rgb([255; 3]));
        draw(&mut image, "M", 20.0, (-5, 3));
        draw(&mut image, "M", 20.0, (50, 50));
        assert!(image.pixels().any(|pixel| pixel[0] < 100));
    }
}
