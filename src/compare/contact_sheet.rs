//! Contact sheets, frames of sweeps, and differences between images.

use super::method_report::{ImageDifference, PIXEL_THRESHOLD};
use super::text::{self, width_of};
use image::{Rgb, RgbImage, Rgba, RgbaImage};

/// Measures the difference between two images of equal size over the pixels that differ from `background` in at least
/// one.
pub fn difference(image: &RgbaImage, expected: &RgbaImage, background: Rgba<u8>) -> ImageDifference {
    let (mut max, mut sum, mut over, mut pixels) = (0, 0_u64, 0_usize, 0_usize);
    for (a, b) in image.pixels().zip(expected.pixels()) {
        if *a == background && *b == background {
            continue;
        }
        let channels = [0, 1, 2].map(|channel| a[channel].abs_diff(b[channel]));
        let most = channels.into_iter().max().unwrap_or(0);
        max = max.max(most);
        sum += channels.into_iter().map(u64::from).sum::<u64>();
        over += usize::from(most > PIXEL_THRESHOLD);
        pixels += 1;
    }
    let count = pixels.max(1) as f64;
    // The crate's score is a mean over the whole image. Background pixels are equal and lower only the mean of the
    // difference, so the difference is scaled to the model's pixels. The call fails only on images of different sizes.
    let lacking = image_compare::rgb_hybrid_compare(&opaque(image), &opaque(expected)).map_or(1.0, |it| 1.0 - it.score);
    let lacking_of_model = lacking * f64::from(image.width() * image.height()) / count;
    ImageDifference {
        max,
        mean: sum as f64 / (3.0 * count),
        share: over as f64 / count,
        similarity: (1.0 - lacking_of_model).clamp(0.0, 1.0),
    }
}

/// Copies an image without its alpha channel.
pub fn opaque(image: &RgbaImage) -> RgbImage {
    RgbImage::from_fn(image.width(), image.height(), |x, y| {
        let [r, g, b, _] = image.get_pixel(x, y).0;
        Rgb([r, g, b])
    })
}

/// Row of a contact sheet.
#[derive(Debug, Clone, Default)]
pub struct SheetRow {
    /// Text next to the images.
    pub lines: Vec<String>,
    /// An image or an empty cell for each column; no cells for a method that was left out.
    pub tiles: Vec<Option<RgbImage>>,
}

/// Images of a test's curves.
#[derive(Debug, Clone, Default)]
pub struct CylinderImages {
    /// Labels of the angles.
    pub angles: Vec<String>,
    /// Name of each curve, and one image per angle. No images if the method cannot be drawn.
    pub curves: Vec<(String, Vec<RgbImage>)>,
}

/// Colour scale of distances.
#[derive(Debug, Clone, Default)]
pub struct Scale {
    /// Colours from 0 to the largest value.
    pub colours: Vec<Rgb<u8>>,
    /// Label of the largest value.
    pub most: String,
}

/// Width of the column of texts, in pixels.
const LABELS: u32 = 200;
/// Font size of a heading.
const HEADING_SIZE: f32 = 15.0;
/// Height of the colour scale and the headings.
const HEADING: u32 = 64;
/// Height of a line of text above images.
const LINE: u32 = 24;
/// Space between images.
const GAP: u32 = 4;
/// Width and height of the colour scale.
const BAR: (u32, u32) = (200, 14);

/// Draws rows of images under their headings. The colour scale is above them, unless it has no colours. `tile` is the
/// size of an image.
pub fn contact_sheet(headings: &[String], tile: (u32, u32), rows: &[SheetRow], scale: &Scale) -> RgbImage {
    let widest = headings.iter().map(|text| width_of(text, HEADING_SIZE) + GAP).max().unwrap_or(0);
    let (columns, column) = (headings.len() as u32, tile.0.max(widest) + GAP);
    let left_out = |row: &SheetRow| row.tiles.is_empty();
    let height_of = |row: &SheetRow| if left_out(row) { 30 } else { tile.1.max(18 * row.lines.len() as u32) + GAP };
    let has_scale = !scale.colours.is_empty();
    let width = LABELS + (columns * column).max(if has_scale { BAR.0 + 300 } else { 0 });
    let heading = if has_scale { HEADING } else { LINE + 8 };
    let height = heading + rows.iter().map(height_of).sum::<u32>();
    let mut sheet = RgbImage::from_pixel(width, height, Rgb([244, 244, 244]));
    for (number, heading_text) in headings.iter().enumerate() {
        let left = (LABELS + number as u32 * column) as i32;
        text::draw(&mut sheet, heading_text, HEADING_SIZE, (left, heading as i32 - 14));
    }
    if has_scale {
        for x in 0..BAR.0 {
            let colour = scale.colours[x as usize * scale.colours.len() / BAR.0 as usize];
            (0..BAR.1).for_each(|y| sheet.put_pixel(LABELS + 12 + x, 8 + y, colour));
        }
        text::draw(&mut sheet, "distance 0", 13.0, (138, 15));
        text::draw(&mut sheet, &scale.most, 13.0, ((LABELS + 20 + BAR.0) as i32, 15));
    }
    let mut y = heading;
    for row in rows {
        for (number, line) in row.lines.iter().enumerate() {
            let size = if number == 0 { 16.0 } else { 13.0 };
            // The reason for leaving a method out is next to its name.
            let (left, down) = match (left_out(row), number) {
                (false, number) => (8, 18 * number as i32),
                (true, 0) => (8, 0),
                (true, _) => (LABELS as i32, 0),
            };
            text::draw(&mut sheet, line, size, (left, y as i32 + down + 4 + (size / 2.0) as i32));
        }
        for (number, tile) in row.tiles.iter().enumerate() {
            if let Some(tile) = tile {
                let left = LABELS + number as u32 * column;
                image::imageops::replace(&mut sheet, tile, i64::from(left), i64::from(y));
            }
        }
        y += height_of(row);
    }
    sheet
}

/// Draws a frame of an animation: images of equal size in rows and columns, each under its name, below a title. Returns
/// `None` without images.
pub fn tiles(title: &str, images: &[(String, &RgbImage)]) -> Option<RgbImage> {
    let (_, first) = images.first()?;
    let columns = (images.len() as f64).sqrt().ceil() as u32;
    let rows = (images.len() as u32).div_ceil(columns);
    let (wide, high) = (first.width() + GAP, first.height() + LINE + GAP);
    // Video encoders need even sides.
    let even = |length: u32| length + length % 2;
    let mut sheet = RgbImage::from_pixel(even(columns * wide), even(LINE + rows * high), Rgb([244, 244, 244]));
    text::draw(&mut sheet, title, 16.0, (6, 13));
    for (number, (name, image)) in images.iter().enumerate() {
        let (x, y) = (number as u32 % columns * wide, LINE + number as u32 / columns * high);
        text::draw(&mut sheet, name, 14.0, (x as i32 + 6, y as i32 + 12));
        image::imageops::replace(&mut sheet, *image, i64::from(x), i64::from(y + LINE));
    }
    Some(sheet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn differences_are_counted() {
        let expected = RgbaImage::from_pixel(10, 10, Rgba([100, 100, 100, 255]));
        let mut shown = expected.clone();
        let background = Rgba([0, 0, 0, 255]);
        let equal = ImageDifference { similarity: 1.0, ..Default::default() };
        assert_eq!(difference(&shown, &expected, background), equal);
        shown.put_pixel(3, 4, Rgba([100, 160, 90, 255]));
        shown.put_pixel(0, 0, Rgba([108, 100, 100, 255]));
        let found = difference(&shown, &expected, background);
        assert_eq!((found.max, found.share), (60, 0.01));
        assert!((found.mean - (60.0 + 10.0 + 8.0) / 300.0).abs() < 1e-12);
        assert!(found.similarity < 0.99, "{}", found.similarity);
    }

    /// The model has 100 pixels on a large background. The similarity ignores the background.
    #[test]
    fn the_background_does_not_raise_the_similarity() {
        let background = Rgba([40, 40, 40, 255]);
        let pixel = |colour: u8, x, y| if x < 10 && y < 10 { Rgba([colour, 90, 90, 255]) } else { background };
        let expected = RgbaImage::from_fn(100, 100, |x, y| pixel(90, x, y));
        let shown = RgbaImage::from_fn(100, 100, |x, y| pixel(if x < 5 { 240 } else { 90 }, x, y));
        let found = difference(&shown, &expected, background);
        assert_eq!((found.max, found.share, found.mean), (150, 0.5, 25.0));
        assert!(found.similarity < 0.8, "{}", found.similarity);
    }

    #[test]
    fn the_sheet_contains_every_tile_and_the_scale() {
        let image = RgbImage::from_pixel(140, 30, Rgb([10, 200, 30]));
        let rows = [
            SheetRow { lines: vec!["cpu".into()], tiles: vec![Some(image.clone()), None, Some(image)] },
            SheetRow { lines: vec!["sbs".into(), "no float textures".into()], tiles: Vec::new() },
        ];
        let scale = Scale { colours: vec![Rgb([0, 0, 255]), Rgb([255, 0, 0])], most: "3 %".into() };
        let sheet = contact_sheet(&["0 s", "error", "1 s"].map(String::from), (140, 30), &rows, &scale);
        assert_eq!(sheet.dimensions(), (LABELS + 500, HEADING + 34 + 30));
        let count = |colour: [u8; 3]| sheet.pixels().filter(|pixel| pixel.0 == colour).count() as u32;
        assert_eq!(count([10, 200, 30]), 2 * 140 * 30);
        assert_eq!([count([0, 0, 255]), count([255, 0, 0])], [BAR.0 * BAR.1 / 2; 2]);
        let dark = sheet.pixels().filter(|pixel| pixel.0[0] < 60 && pixel.0[1] < 60 && pixel.0[2] < 60).count();
        assert!(dark > 100, "no text: {dark} dark pixels");
    }

    #[test]
    fn columns_are_as_wide_as_their_headings() {
        let image = RgbImage::from_pixel(20, 30, Rgb([10, 200, 30]));
        let row = SheetRow { lines: vec!["run".into()], tiles: vec![Some(image.clone()), Some(image)] };
        let headings = ["what the files mean", "how far apart"].map(String::from);
        let sheet = contact_sheet(&headings, (20, 30), &[row], &Scale::default());
        let starts = |x: u32, y| x > 0 && sheet.get_pixel(x, y).0[0] == 10 && sheet.get_pixel(x - 1, y).0[0] != 10;
        let lefts: Vec<u32> = (0..sheet.width()).filter(|&x| starts(x, sheet.height() - 10)).collect();
        // 19 letters of size 15 are more than 100 pixels wide.
        assert!(matches!(lefts[..], [LABELS, second] if second > LABELS + 100), "{lefts:?}");
    }

    #[test]
    fn tiles_form_rows_under_their_names() {
        let image = RgbImage::from_pixel(31, 20, Rgb([10, 200, 30]));
        let images: Vec<_> = ["a", "b", "c"].map(|name| (name.to_owned(), &image)).into();
        assert_eq!(tiles("90\u{b0}", &[]), None);
        let sheet = tiles("90\u{b0}", &images).unwrap();
        assert_eq!(sheet.dimensions(), (70, 24 + 2 * 48));
        assert_eq!(sheet.pixels().filter(|pixel| pixel.0 == [10, 200, 30]).count(), 3 * 31 * 20);
    }
}
