//! Pictures side by side: differences, heat maps, the contact sheet.

use super::report::{PIXEL_THRESHOLD, PictureDifference};
use image::{Rgb, RgbImage, RgbaImage};
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use std::sync::Once;

/// How far apart two pictures of one size are.
pub fn difference(shown: &RgbaImage, expected: &RgbaImage) -> PictureDifference {
    let (mut max, mut sum, mut over) = (0, 0_u64, 0_usize);
    for (a, b) in shown.pixels().zip(expected.pixels()) {
        let apart = [0, 1, 2].map(|channel| a[channel].abs_diff(b[channel]));
        let most = apart.into_iter().max().unwrap_or(0);
        max = max.max(most);
        sum += apart.into_iter().map(u64::from).sum::<u64>();
        over += usize::from(most > PIXEL_THRESHOLD);
    }
    let pixels = f64::from(shown.width() * shown.height()).max(1.0);
    PictureDifference {
        max,
        mean: sum as f64 / (3.0 * pixels),
        share: over as f64 / pixels,
        // The two are of one size, which is all that the crate could object to.
        similarity: image_compare::rgb_hybrid_compare(&opaque(shown), &opaque(expected))
            .map_or(0.0, |similarity| similarity.score),
    }
}

fn opaque(picture: &RgbaImage) -> RgbImage {
    RgbImage::from_fn(picture.width(), picture.height(), |x, y| {
        let [r, g, b, _] = picture.get_pixel(x, y).0;
        Rgb([r, g, b])
    })
}

/// Difference of a channel, of 255, that a heat map shows in its brightest colour.
pub const HOTTEST: u8 = 64;

/// The largest difference of each pixel's channels as a colour: black, violet, red, yellow, white at [`HOTTEST`].
pub fn heat_map(shown: &RgbaImage, expected: &RgbaImage) -> RgbImage {
    RgbImage::from_fn(shown.width(), shown.height(), |x, y| {
        let (a, b) = (shown.get_pixel(x, y), expected.get_pixel(x, y));
        let most = [0, 1, 2].map(|channel| a[channel].abs_diff(b[channel])).into_iter().max().unwrap_or(0);
        heat(f32::from(most) / f32::from(HOTTEST))
    })
}

/// Colour of a share between 0 and 1.
fn heat(share: f32) -> Rgb<u8> {
    const STOPS: [[f32; 3]; 5] =
        [[0.0, 0.0, 0.0], [85.0, 15.0, 110.0], [205.0, 50.0, 60.0], [250.0, 180.0, 20.0], [255.0, 255.0, 230.0]];
    let place = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f32;
    let before = (place as usize).min(STOPS.len() - 2);
    let part = place - before as f32;
    let mix = |channel: usize| STOPS[before][channel] * (1.0 - part) + STOPS[before + 1][channel] * part;
    Rgb([0, 1, 2].map(|channel| mix(channel).round() as u8))
}

/// One row of the contact sheet.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// Beside the pictures, from above.
    pub lines: Vec<String>,
    /// For each time the picture and its heat map; empty for a method that was left out.
    pub tiles: Vec<(RgbImage, Option<RgbImage>)>,
}

/// Width of the column with the lines.
const LABELS: u32 = 200;
/// Height of the line above the pictures.
const HEADING: u32 = 34;
/// Between tiles.
const GAP: u32 = 4;

/// The contact sheet: rows of methods, columns of times, a heat map beside each picture.
pub fn contact_sheet(headings: &[String], tile: (u32, u32), rows: &[Row]) -> RgbImage {
    register();
    let columns = headings.len() as u32;
    let left_out = |row: &Row| row.tiles.is_empty();
    // A method without pictures needs room for its reason only.
    let height_of = |row: &Row| if left_out(row) { 30 } else { tile.1.max(18 * row.lines.len() as u32) + GAP };
    let width = LABELS + columns * 2 * (tile.0 + GAP);
    let height = HEADING + rows.iter().map(height_of).sum::<u32>();
    let mut sheet = RgbImage::from_pixel(width, height, Rgb([244, 244, 244]));
    let mut texts: Vec<(String, i32, i32, i32)> = Vec::new();
    for (column, heading) in headings.iter().enumerate() {
        let x = LABELS + column as u32 * 2 * (tile.0 + GAP);
        texts.push((heading.clone(), 18, x as i32, 10));
        texts.push((format!("difference, white at {HOTTEST}"), 12, (x + tile.0 + GAP) as i32, 14));
    }
    let mut y = HEADING;
    for row in rows {
        for (number, line) in row.lines.iter().enumerate() {
            let size = if number == 0 { 18 } else { 13 };
            let x = if left_out(row) && number > 0 { LABELS as i32 } else { 8 };
            let down = if left_out(row) { 4 } else { 18 * number as i32 + 4 };
            texts.push((line.clone(), size, x, y as i32 + down));
        }
        for (column, (picture, heat)) in row.tiles.iter().enumerate() {
            let x = LABELS + column as u32 * 2 * (tile.0 + GAP);
            image::imageops::replace(&mut sheet, picture, i64::from(x), i64::from(y));
            if let Some(heat) = heat {
                image::imageops::replace(&mut sheet, heat, i64::from(x + tile.0 + GAP), i64::from(y));
            }
        }
        y += height_of(row);
    }
    let mut pixels = sheet.into_raw();
    {
        let area = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
        for (text, size, x, y) in texts {
            let style = TextStyle::from(("sans-serif", size)).color(&BLACK);
            // Text that does not fit is cut off; nothing else can happen in memory.
            let _ = area.draw_text(&text, &style, (x, y));
        }
    }
    RgbImage::from_raw(width, height, pixels).unwrap_or_default()
}

/// Gives plotters the font that is part of the program, so that every machine draws alike.
pub(super) fn register() {
    static FONT: Once = Once::new();
    FONT.call_once(|| {
        // It refuses bytes that are no font; this one is a font.
        let _ = register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular());
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn differences_are_counted() {
        let expected = RgbaImage::from_pixel(10, 10, Rgba([100, 100, 100, 255]));
        let mut shown = expected.clone();
        assert_eq!(difference(&shown, &expected), PictureDifference { similarity: 1.0, ..Default::default() });
        shown.put_pixel(3, 4, Rgba([100, 160, 90, 255]));
        shown.put_pixel(0, 0, Rgba([108, 100, 100, 255]));
        let found = difference(&shown, &expected);
        assert_eq!((found.max, found.share), (60, 0.01));
        assert!((found.mean - (60.0 + 10.0 + 8.0) / 300.0).abs() < 1e-12);
        assert!(found.similarity < 0.99, "{}", found.similarity);
        let heat = heat_map(&shown, &expected);
        assert_eq!(heat.get_pixel(5, 5).0, [0, 0, 0]);
        assert!(heat.get_pixel(3, 4).0[0] > 200);
    }

    #[test]
    fn the_sheet_has_a_tile_for_every_time() {
        let picture = RgbImage::from_pixel(40, 30, Rgb([10, 200, 30]));
        let tiles = vec![(picture.clone(), Some(picture.clone())), (picture.clone(), None)];
        let rows = [
            Row { lines: vec!["cpu".into()], tiles },
            Row { lines: vec!["sbs".into(), "no float textures".into()], tiles: Vec::new() },
        ];
        let sheet = contact_sheet(&["0.0 s".into(), "0.5 s".into()], (40, 30), &rows);
        assert_eq!(sheet.dimensions(), (LABELS + 4 * 44, HEADING + 34 + 30));
        let green = sheet.pixels().filter(|pixel| pixel.0 == [10, 200, 30]).count();
        assert_eq!(green, 3 * 40 * 30);
        let dark = sheet.pixels().filter(|pixel| pixel.0[0] < 60 && pixel.0[1] < 60).count();
        assert!(dark > 100, "no text: {dark} dark pixels");
    }
}
