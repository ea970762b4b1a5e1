//! Pictures side by side: differences, the contact sheet, frames of films.

use super::letters::{Lettered, width_of};
use super::report::{PIXEL_THRESHOLD, PictureDifference};
use image::{Rgb, RgbImage, Rgba, RgbaImage};
use plotters::prelude::*;

/// How far apart two pictures of one size are, over the pixels of either that are not `background`.
pub fn difference(shown: &RgbaImage, expected: &RgbaImage, background: Rgba<u8>) -> PictureDifference {
    let (mut max, mut sum, mut over, mut pixels) = (0, 0_u64, 0_usize, 0_usize);
    for (a, b) in shown.pixels().zip(expected.pixels()) {
        if *a == background && *b == background {
            continue;
        }
        let apart = [0, 1, 2].map(|channel| a[channel].abs_diff(b[channel]));
        let most = apart.into_iter().max().unwrap_or(0);
        max = max.max(most);
        sum += apart.into_iter().map(u64::from).sum::<u64>();
        over += usize::from(most > PIXEL_THRESHOLD);
        pixels += 1;
    }
    let count = pixels.max(1) as f64;
    // The two are of one size, which is all that the crate could object to. Its score is a mean over the whole picture;
    // what is missing to 1 is missing at the figure.
    let alike = image_compare::rgb_hybrid_compare(&opaque(shown), &opaque(expected));
    let missing = alike.map_or(1.0, |similarity| 1.0 - similarity.score);
    let of_figure = missing * f64::from(shown.width() * shown.height()) / count;
    PictureDifference {
        max,
        mean: sum as f64 / (3.0 * count),
        share: over as f64 / count,
        similarity: (1.0 - of_figure).clamp(0.0, 1.0),
    }
}

/// A picture without its alpha channel.
pub(super) fn opaque(picture: &RgbaImage) -> RgbImage {
    RgbImage::from_fn(picture.width(), picture.height(), |x, y| {
        let [r, g, b, _] = picture.get_pixel(x, y).0;
        Rgb([r, g, b])
    })
}

/// One row of the contact sheet.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// Beside the pictures, from above.
    pub lines: Vec<String>,
    /// A picture for each column; empty for a method that was left out. Where there is none the place stays empty.
    pub tiles: Vec<Option<RgbImage>>,
}

/// What the lines of a figure look like.
#[derive(Debug, Clone, Default)]
pub struct Shapes {
    /// Angles, for people.
    pub angles: Vec<String>,
    /// Of each line its name and a picture of each angle; none where nothing can be drawn.
    pub drawn: Vec<(String, Vec<RgbImage>)>,
}

/// A scale of colours, the largest value last.
#[derive(Debug, Clone, Default)]
pub struct Scale {
    /// From 0 to the largest value.
    pub colours: Vec<Rgb<u8>>,
    /// The largest value, for people.
    pub most: String,
}

/// Width of the column with the lines.
const LABELS: u32 = 200;
/// Size of the letters of a heading.
const LETTERS: u16 = 15;
/// Height of the scale and of the line above the pictures.
const HEADING: u32 = 64;
/// Height of a line above pictures.
const LINE: u32 = 24;
/// Between tiles.
const GAP: u32 = 4;
/// Width and height of the scale.
const BAR: (u32, u32) = (200, 14);

/// The contact sheet: a row for the reference and each group of methods, pictures side by side under their headings.
pub fn contact_sheet(headings: &[String], tile: (u32, u32), rows: &[Row], scale: &Scale) -> RgbImage {
    // A heading that is wider than its pictures has room all the same.
    let widest = headings.iter().map(|text| width_of(text, f32::from(LETTERS)) + GAP).max().unwrap_or(0);
    let (columns, column) = (headings.len() as u32, tile.0.max(widest) + GAP);
    let left_out = |row: &Row| row.tiles.is_empty();
    // A method without pictures needs room for its reason only.
    let height_of = |row: &Row| if left_out(row) { 30 } else { tile.1.max(18 * row.lines.len() as u32) + GAP };
    let has_scale = !scale.colours.is_empty();
    let width = LABELS + (columns * column).max(if has_scale { BAR.0 + 300 } else { 0 });
    let heading = if has_scale { HEADING } else { LINE + 8 };
    let height = heading + rows.iter().map(height_of).sum::<u32>();
    let mut sheet = RgbImage::from_pixel(width, height, Rgb([244, 244, 244]));
    let mut texts: Vec<(String, i32, i32, i32)> = Vec::new();
    for (number, text) in headings.iter().enumerate() {
        texts.push((text.clone(), i32::from(LETTERS), (LABELS + number as u32 * column) as i32, heading as i32 - 22));
    }
    if has_scale {
        for x in 0..BAR.0 {
            let colour = scale.colours[x as usize * scale.colours.len() / BAR.0 as usize];
            (0..BAR.1).for_each(|y| sheet.put_pixel(LABELS + 12 + x, 8 + y, colour));
        }
        texts.push(("apart 0".to_owned(), 13, 138, 8));
        texts.push((scale.most.clone(), 13, (LABELS + 20 + BAR.0) as i32, 8));
    }
    let mut y = heading;
    for row in rows {
        for (number, line) in row.lines.iter().enumerate() {
            let size = if number == 0 { 16 } else { 13 };
            let x = if left_out(row) && number > 0 { LABELS as i32 } else { 8 };
            let down = if left_out(row) { 4 } else { 18 * number as i32 + 4 };
            texts.push((line.clone(), size, x, y as i32 + down));
        }
        for (number, picture) in row.tiles.iter().enumerate() {
            let x = LABELS + number as u32 * column;
            if let Some(picture) = picture {
                image::imageops::replace(&mut sheet, picture, i64::from(x), i64::from(y));
            }
        }
        y += height_of(row);
    }
    write_texts(sheet, &texts)
}

/// Pictures of one size in rows and columns, each under its name, with a line above all of them: a frame of a film.
/// `None` without a picture.
pub fn tiles(title: &str, pictures: &[(String, &RgbImage)]) -> Option<RgbImage> {
    let (_, first) = pictures.first()?;
    let columns = (pictures.len() as f64).sqrt().ceil() as u32;
    let rows = (pictures.len() as u32).div_ceil(columns);
    let (wide, high) = (first.width() + GAP, first.height() + LINE + GAP);
    // Films want even numbers of pixels.
    let even = |length: u32| length + length % 2;
    let mut sheet = RgbImage::from_pixel(even(columns * wide), even(LINE + rows * high), Rgb([244, 244, 244]));
    let mut texts = vec![(title.to_owned(), 16, 6, 5)];
    for (number, (name, picture)) in pictures.iter().enumerate() {
        let (x, y) = (number as u32 % columns * wide, LINE + number as u32 / columns * high);
        texts.push((name.clone(), 14, x as i32 + 6, y as i32 + 5));
        image::imageops::replace(&mut sheet, *picture, i64::from(x), i64::from(y + LINE));
    }
    Some(write_texts(sheet, &texts))
}

/// Writes texts: size, left, top.
fn write_texts(sheet: RgbImage, texts: &[(String, i32, i32, i32)]) -> RgbImage {
    let (width, height) = sheet.dimensions();
    let mut pixels = sheet.into_raw();
    {
        let area = Lettered::new(&mut pixels, (width, height)).into_drawing_area();
        for (text, size, x, y) in texts {
            let style = TextStyle::from(("sans-serif", *size)).color(&BLACK);
            // Text that does not fit is cut off; nothing else can happen in memory.
            let _ = area.draw_text(text, &style, (*x, *y));
        }
    }
    RgbImage::from_raw(width, height, pixels).unwrap_or_default()
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
        let equal = PictureDifference { similarity: 1.0, ..Default::default() };
        assert_eq!(difference(&shown, &expected, background), equal);
        shown.put_pixel(3, 4, Rgba([100, 160, 90, 255]));
        shown.put_pixel(0, 0, Rgba([108, 100, 100, 255]));
        let found = difference(&shown, &expected, background);
        assert_eq!((found.max, found.share), (60, 0.01));
        assert!((found.mean - (60.0 + 10.0 + 8.0) / 300.0).abs() < 1e-12);
        assert!(found.similarity < 0.99, "{}", found.similarity);
    }

    /// A figure of 100 pixels before much background: what differs counts as much as without the background.
    #[test]
    fn the_background_does_not_make_pictures_alike() {
        let background = Rgba([40, 40, 40, 255]);
        let figure = |colour: u8, x, y| if x < 10 && y < 10 { Rgba([colour, 90, 90, 255]) } else { background };
        let expected = RgbaImage::from_fn(100, 100, |x, y| figure(90, x, y));
        let shown = RgbaImage::from_fn(100, 100, |x, y| figure(if x < 5 { 240 } else { 90 }, x, y));
        let found = difference(&shown, &expected, background);
        assert_eq!((found.max, found.share, found.mean), (150, 0.5, 25.0));
        assert!(found.similarity < 0.8, "{}", found.similarity);
    }

    #[test]
    fn the_sheet_has_every_tile_and_the_scale() {
        let picture = RgbImage::from_pixel(140, 30, Rgb([10, 200, 30]));
        let rows = [
            Row { lines: vec!["cpu".into()], tiles: vec![Some(picture.clone()), None, Some(picture)] },
            Row { lines: vec!["sbs".into(), "no float textures".into()], tiles: Vec::new() },
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
    fn a_heading_wider_than_its_pictures_has_room() {
        let picture = RgbImage::from_pixel(20, 30, Rgb([10, 200, 30]));
        let row = Row { lines: vec!["run".into()], tiles: vec![Some(picture.clone()), Some(picture)] };
        let headings = ["what the files mean", "how far apart"].map(String::from);
        let sheet = contact_sheet(&headings, (20, 30), &[row], &Scale::default());
        let starts = |x: u32, y| x > 0 && sheet.get_pixel(x, y).0[0] == 10 && sheet.get_pixel(x - 1, y).0[0] != 10;
        let lefts: Vec<u32> = (0..sheet.width()).filter(|&x| starts(x, sheet.height() - 10)).collect();
        // 19 letters of size 15 take more than 100 pixels.
        assert!(matches!(lefts[..], [LABELS, second] if second > LABELS + 100), "{lefts:?}");
    }

    #[test]
    fn tiles_stand_in_rows_under_their_names() {
        let picture = RgbImage::from_pixel(31, 20, Rgb([10, 200, 30]));
        let pictures: Vec<_> = ["a", "b", "c"].map(|name| (name.to_owned(), &picture)).into();
        assert_eq!(tiles("90\u{b0}", &[]), None);
        let sheet = tiles("90\u{b0}", &pictures).unwrap();
        assert_eq!(sheet.dimensions(), (70, 24 + 2 * 48));
        assert_eq!(sheet.pixels().filter(|pixel| pixel.0 == [10, 200, 30]).count(), 3 * 31 * 20);
    }
}
