//! GIF: one palette for all pictures, and of each only what changed enough to be seen.

use super::packer::Packer;
use super::palette::{Mapper, Palette, PaletteMaker, is_seen};
use super::{Draw, Film, changed, cut, parallel};
use ::gif::{DisposalMethod, Encoder, Frame, Repeat};
use anyhow::bail;
use image::RgbaImage;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;

/// Pictures that the palette is chosen by.
const LOOKED_AT: u32 = 16;
/// Bytes of those that are kept, so that they need not be drawn again.
const KEPT: u64 = 64 << 20;

/// Draws, encodes and writes.
pub fn write(file: &mut dyn Write, film: Film, draw: &mut Draw<'_>) -> anyhow::Result<()> {
    let (width, height) = film.size;
    let (Ok(screen_width), Ok(screen_height)) = (u16::try_from(width), u16::try_from(height)) else {
        bail!("a GIF has 65535 pixels along a side at most");
    };
    let mut maker = PaletteMaker::new();
    let mut kept = BTreeMap::new();
    let looked_at = film.frames.min(LOOKED_AT);
    let mut has_clear = false;
    for place in 0..looked_at {
        let number = (u64::from(place) * u64::from(film.frames) / u64::from(looked_at)) as u32;
        let picture = draw(number)?;
        maker.add(&picture);
        has_clear |= !picture.pixels().all(|pixel| is_seen(pixel.0));
        if (u64::from(place) + 1) * film.bytes() <= KEPT {
            kept.insert(number, picture);
        }
    }
    let palette = maker.finish()?;
    let mut encoder = Encoder::new(file, screen_width, screen_height, &palette.bytes())?;
    encoder.set_repeat(if film.is_endless { Repeat::Infinite } else { Repeat::Finite(0) })?;
    let mut shown = Shown::new(&palette);
    let make = |number| {
        let picture = kept.remove(&number).map_or_else(|| draw(number), Ok)?;
        Ok(if has_clear { Drawn::Alone(picture) } else { shown.follow(picture) })
    };
    let work = |number, drawn| {
        let mut frame = match drawn {
            Drawn::Alone(picture) => alone(&picture, &palette),
            Drawn::Over(place, pixels) => over(place, &pixels, palette.clear()),
        };
        frame.delay = delay(number, film.rate);
        frame.make_lzw_pre_encoded();
        Ok(frame)
    };
    parallel::in_order(film.frames, film.bytes(), make, work, |frame| Ok(encoder.write_lzw_pre_encoded_frame(&frame)?))
}

/// A picture over whatever was there, which is taken away before the next: where a pixel may become clear again,
/// nothing else can say so.
fn alone(picture: &RgbaImage, palette: &Palette) -> Frame<'static> {
    let nothing = RgbaImage::new(picture.width(), picture.height());
    let place = changed(&nothing, picture).unwrap_or([0, 0, 1, 1]);
    let mut mapper = palette.mapper();
    let frame = frame(place, cut(picture, place), |pixel, x, y| mapper.index(pixel, x, y));
    Frame { dispose: DisposalMethod::Background, transparent: Some(palette.clear()), ..frame }
}

/// A picture on its way into the file.
enum Drawn {
    /// To be shown alone.
    Alone(RgbaImage),
    /// To be laid over the one before: a rectangle, left, top, width and height, and its pixels.
    Over([u32; 4], Vec<Pixel>),
}

/// A pixel's number in the palette.
#[derive(Debug, Clone, Copy)]
struct Pixel {
    index: u8,
    /// Whether that is what is shown there already.
    stays: bool,
}

/// What is shown after each picture.
struct Shown<'a> {
    palette: &'a Palette,
    mapper: Mapper<'a>,
    /// The last picture as it was drawn, and its numbers.
    last: Option<(RgbaImage, Vec<u8>)>,
}

impl<'a> Shown<'a> {
    fn new(palette: &'a Palette) -> Self {
        Self { palette, mapper: palette.mapper(), last: None }
    }

    /// What is to be laid over the last picture so that this one is shown.
    fn follow(&mut self, picture: RgbaImage) -> Drawn {
        let width = picture.width();
        let Some((before, mut indices)) = self.last.take() else {
            let pixels = picture.enumerate_pixels().map(|(x, y, pixel)| self.mapper.index(pixel.0, x, y));
            let indices: Vec<u8> = pixels.collect();
            let pixels = indices.iter().map(|&index| Pixel { index, stays: false }).collect();
            let place = [0, 0, width, picture.height()];
            self.last = Some((picture, indices));
            return Drawn::Over(place, pixels);
        };
        let place @ [left, top, across, down] = changed(&before, &picture).unwrap_or([0, 0, 1, 1]);
        let places = (top..top + down).flat_map(|y| (left..left + across).map(move |x| (x, y)));
        let pairs = cut(&before, place).zip(cut(&picture, place));
        let pixels = places.zip(pairs).map(|((x, y), (before, pixel))| {
            let shown = &mut indices[(y * width + x) as usize];
            let stays = before == pixel || self.palette.is_near(*shown, pixel);
            let index = if stays { *shown } else { self.mapper.index(pixel, x, y) };
            let stays = stays || index == *shown;
            *shown = index;
            Pixel { index, stays }
        });
        let pixels = pixels.collect();
        self.last = Some((picture, indices));
        Drawn::Over(place, pixels)
    }
}

/// A rectangle in which pixels that stay may be clear, which packs well.
fn over(place: [u32; 4], pixels: &[Pixel], clear: u8) -> Frame<'static> {
    let mut packer = Packer::new(clear);
    let frame = frame(place, pixels.iter(), |pixel, _, _| packer.choose(pixel.index, pixel.stays));
    Frame { transparent: Some(clear), ..frame }
}

fn frame<P>(
    [left, top, width, height]: [u32; 4],
    pixels: impl Iterator<Item = P>,
    mut index: impl FnMut(P, u32, u32) -> u8,
) -> Frame<'static> {
    let places = (top..top + height).flat_map(|y| (left..left + width).map(move |x| (x, y)));
    let indices = places.zip(pixels).map(|((x, y), pixel)| index(pixel, x, y)).collect();
    let [left, top, width, height] = [left, top, width, height].map(|number| number as u16);
    Frame { left, top, width, height, dispose: DisposalMethod::Keep, buffer: Cow::Owned(indices), ..Frame::default() }
}

/// How long frame `number` stays, in hundredths of a second, which is all that a GIF can say.
///
/// Rounded so that the frames together keep time. Viewers slow delays under 2 down to 10.
fn delay(number: u32, rate: f64) -> u16 {
    let end = |number: u32| (100.0 * f64::from(number) / rate).round();
    (end(number + 1) - end(number)).clamp(2.0, 65_535.0) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_together_keep_time() {
        for rate in [24.0, 30.0, 12.5, 25.0] {
            let frames = 3 * rate as u32;
            let total: u32 = (0..frames).map(|number| u32::from(delay(number, rate))).sum();
            assert!((f64::from(total) - 100.0 * f64::from(frames) / rate).abs() <= 1.0, "{rate}: {total}");
        }
    }

    /// A square that moves over a gradient, decoded by the crate `image`.
    fn decoded(clear: bool) -> (Vec<RgbaImage>, Vec<RgbaImage>) {
        let picture = |number: u32| {
            RgbaImage::from_fn(40, 30, |x, y| {
                let is_square = (5 + 3 * number..15 + 3 * number).contains(&x) && (10..20).contains(&y);
                match is_square {
                    true => image::Rgba([200, 60, 30, 255]),
                    false if clear => image::Rgba([0; 4]),
                    false => image::Rgba([4 * y as u8, 4 * y as u8, 128, 255]),
                }
            })
        };
        let film = Film { size: (40, 30), frames: 6, rate: 25.0, is_endless: true };
        let mut bytes = Vec::new();
        write(&mut bytes, film, &mut |number| Ok(picture(number))).unwrap();
        let decoder = image::codecs::gif::GifDecoder::new(std::io::Cursor::new(bytes)).unwrap();
        let frames = image::AnimationDecoder::into_frames(decoder).collect_frames().unwrap();
        ((0..6).map(picture).collect(), frames.into_iter().map(image::Frame::into_buffer).collect())
    }

    /// Grey that grows lighter by half a level with each picture, in a palette of every third grey.
    #[test]
    fn what_is_shown_never_drifts_away_from_what_was_drawn() {
        let palette = Palette::of((0..85).map(|grey| [3 * grey; 3]).collect());
        let mut shown = Shown::new(&palette);
        let (mut changes, mut shows) = (0, vec![0; 64]);
        for number in 0..200 {
            let level = number / 2;
            let picture = RgbaImage::from_pixel(8, 8, image::Rgba([level, level, level, 255]));
            let Drawn::Over([left, top, width, _], pixels) = shown.follow(picture) else { panic!() };
            for (place, pixel) in (0..).zip(&pixels) {
                let at = (left + place % width) + 8 * (top + place / width);
                changes += u32::from(!pixel.stays);
                shows[at as usize] = pixel.index;
            }
            let off = shows.iter().map(|&index| (3 * i32::from(index) - i32::from(level)).abs()).max().unwrap();
            assert!(off <= 2, "picture {number} is off by {off}");
        }
        // 100 levels are 34 greys of the palette.
        assert!(changes <= 64 * 34, "{changes}");
    }

    #[test]
    fn differences_add_up_to_the_pictures() {
        for clear in [false, true] {
            let (drawn, read) = decoded(clear);
            assert_eq!(drawn.len(), read.len());
            for (drawn, read) in drawn.iter().zip(&read) {
                let same = drawn.pixels().zip(read.pixels()).all(|(a, b)| a == b || (a[3] == 0 && b[3] == 0));
                assert!(same, "clear: {clear}");
            }
        }
    }
}
