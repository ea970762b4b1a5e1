//! GIF: one palette for the whole animation, with only the visible changes of each frame.

use super::gif_palette::{GifPalette, PaletteBuilder, PaletteMapper, is_seen};
use super::{Animation, Error, changed, crop, parallel};
use ::gif::{DisposalMethod, Encoder, Frame, Repeat};
use image::RgbaImage;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;

/// Number of frames from which the palette is computed.
const SAMPLED_FRAMES: u32 = 16;
/// Memory limit for keeping those frames, in bytes. Beyond it, they are drawn twice.
const MOST_KEPT: u64 = 64 << 20;

/// Draws, encodes and writes an animation. `draw` returns a frame by its number, top row first, without premultiplied alpha;
/// some frames are drawn earlier, too, to compute the palette.
///
/// # Errors
///
/// A side of more than 65,535 pixels, and errors of drawing and writing.
pub fn write<E: Send + From<Error>>(
    file: &mut dyn Write,
    animation: Animation,
    draw: &mut dyn FnMut(u32) -> Result<RgbaImage, E>,
) -> Result<(), E> {
    let (width, height) = animation.size;
    let (Ok(screen_width), Ok(screen_height)) = (u16::try_from(width), u16::try_from(height)) else {
        return Err(Error::TooLarge.into());
    };
    let mut builder = PaletteBuilder::new();
    let mut kept = BTreeMap::new();
    let sampled = animation.frames.min(SAMPLED_FRAMES);
    let mut has_clear = false;
    for sample in 0..sampled {
        let number = (u64::from(sample) * u64::from(animation.frames) / u64::from(sampled)) as u32;
        let image = draw(number)?;
        builder.add(&image);
        has_clear |= !image.pixels().all(|pixel| is_seen(pixel.0));
        if (u64::from(sample) + 1) * animation.bytes() <= MOST_KEPT {
            kept.insert(number, image);
        }
    }
    let palette = builder.finish(animation.quality);
    let mut encoder = Encoder::new(file, screen_width, screen_height, &palette.bytes()).map_err(Error::from)?;
    let repeat = if animation.is_endless { Repeat::Infinite } else { Repeat::Finite(0) };
    encoder.set_repeat(repeat).map_err(Error::from)?;
    let mut canvas = Canvas::new(&palette);
    let make = |number| {
        let image = kept.remove(&number).map_or_else(|| draw(number), Ok)?;
        Ok(if has_clear { FrameContent::Whole(image) } else { canvas.update(image) })
    };
    let encode = |number, content| {
        let mut frame = match content {
            FrameContent::Whole(image) => whole(&image, &palette),
            FrameContent::Changes(frame) => Frame { transparent: Some(palette.clear()), ..frame },
        };
        frame.delay = delay(number, animation.rate);
        frame.make_lzw_pre_encoded();
        Ok(frame)
    };
    let write = |frame| encoder.write_lzw_pre_encoded_frame(&frame).map_err(|error| E::from(Error::from(error)));
    parallel::in_order(animation.frames, animation.bytes(), make, encode, write)
}

/// Returns a frame that is removed before the next one. Only this makes a pixel transparent again.
fn whole(image: &RgbaImage, palette: &GifPalette) -> Frame<'static> {
    let nothing = RgbaImage::new(image.width(), image.height());
    let rectangle = changed(&nothing, image).unwrap_or([0, 0, 1, 1]);
    let mut mapper = palette.mapper();
    let indices = positions(rectangle).zip(crop(image, rectangle)).map(|((x, y), pixel)| mapper.index(pixel, x, y));
    let frame = frame(rectangle, indices.collect());
    Frame { dispose: DisposalMethod::Background, transparent: Some(palette.clear()), ..frame }
}

enum FrameContent {
    Whole(RgbaImage),
    /// Pixels drawn over the previous frame. Unchanged ones are transparent.
    Changes(Frame<'static>),
}

/// Pixels that a viewer shows after each frame.
struct Canvas<'a> {
    palette: &'a GifPalette,
    mapper: PaletteMapper<'a>,
    /// The last frame as drawn, and its palette indices as shown.
    last: Option<(RgbaImage, Vec<u8>)>,
}

impl<'a> Canvas<'a> {
    fn new(palette: &'a GifPalette) -> Self {
        Self { palette, mapper: palette.mapper(), last: None }
    }

    /// Returns the visible changes from the last frame to this one.
    fn update(&mut self, image: RgbaImage) -> FrameContent {
        let (width, height) = image.dimensions();
        let Some((before, mut shown)) = self.last.take() else {
            let pixels = image.enumerate_pixels().map(|(x, y, pixel)| self.mapper.index(pixel.0, x, y));
            let indices: Vec<u8> = pixels.collect();
            self.last = Some((image, indices.clone()));
            return FrameContent::Changes(frame([0, 0, width, height], indices));
        };
        let rectangle = changed(&before, &image).unwrap_or([0, 0, 1, 1]);
        let pixels = crop(&before, rectangle).zip(crop(&image, rectangle));
        let indices = positions(rectangle).zip(pixels).map(|((x, y), (before, pixel))| {
            let shown = &mut shown[(y * width + x) as usize];
            if before == pixel || self.palette.is_near(*shown, pixel) {
                return self.palette.clear();
            }
            let index = self.mapper.index(pixel, x, y);
            if std::mem::replace(shown, index) == index { self.palette.clear() } else { index }
        });
        let indices = indices.collect();
        self.last = Some((image, shown));
        FrameContent::Changes(frame(rectangle, indices))
    }
}

/// Returns columns and rows of a rectangle, row by row.
fn positions([left, top, width, height]: [u32; 4]) -> impl Iterator<Item = (u32, u32)> {
    (top..top + height).flat_map(move |y| (left..left + width).map(move |x| (x, y)))
}

fn frame(rectangle: [u32; 4], indices: Vec<u8>) -> Frame<'static> {
    let [left, top, width, height] = rectangle.map(|number| number as u16);
    Frame { left, top, width, height, dispose: DisposalMethod::Keep, buffer: Cow::Owned(indices), ..Frame::default() }
}

/// Returns the delay of a frame in hundredths of a second, the unit of GIF.
///
/// Delays are rounded so that the total duration is correct. Viewers slow delays below 2 down to 10.
fn delay(number: u32, rate: f64) -> u16 {
    let end = |number: u32| (100.0 * f64::from(number) / rate).round();
    (end(number + 1) - end(number)).clamp(2.0, 65_535.0) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::animation::Quality;
    use std::io;

    #[test]
    fn an_error_of_the_file_is_printed_once() {
        /// A disk with some bytes left.
        struct Disk(usize);
        impl Write for Disk {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                let left = self.0.min(bytes.len());
                self.0 -= left;
                if left == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(left) }
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for left in [0, 10, 40] {
            let animation = Animation { size: (8, 8), frames: 3, rate: 10.0, is_endless: true, quality: Quality::High };
            let draw = &mut |number| Ok(RgbaImage::from_pixel(8, 8, image::Rgba([number as u8, 0, 0, 255])));
            let error = write::<Error>(&mut Disk(left), animation, draw).unwrap_err();
            assert_eq!(format!("{error:#}"), "no storage space", "{left}");
        }
    }

    #[test]
    fn delays_of_all_frames_sum_to_the_duration() {
        for rate in [24.0, 30.0, 12.5, 25.0] {
            let frames = 3 * rate as u32;
            let total: u32 = (0..frames).map(|number| u32::from(delay(number, rate))).sum();
            assert!((f64::from(total) - 100.0 * f64::from(frames) / rate).abs() <= 1.0, "{rate}: {total}");
        }
    }

    /// Creates a square that moves over a gradient, decoded by the crate `image`.
    fn decoded(clear: bool) -> (Vec<RgbaImage>, Vec<RgbaImage>) {
        let image_of = |number: u32| {
            RgbaImage::from_fn(40, 30, |x, y| {
                let is_square = (5 + 3 * number..15 + 3 * number).contains(&x) && (10..20).contains(&y);
                match is_square {
                    true => image::Rgba([200, 60, 30, 255]),
                    false if clear => image::Rgba([0; 4]),
                    false => image::Rgba([4 * y as u8, 4 * y as u8, 128, 255]),
                }
            })
        };
        let animation = Animation { size: (40, 30), frames: 6, rate: 25.0, is_endless: true, quality: Quality::High };
        let mut bytes = Vec::new();
        write::<Error>(&mut bytes, animation, &mut |number| Ok(image_of(number))).unwrap();
        let decoder = image::codecs::gif::GifDecoder::new(std::io::Cursor::new(bytes)).unwrap();
        let frames = image::AnimationDecoder::into_frames(decoder).collect_frames().unwrap();
        ((0..6).map(image_of).collect(), frames.into_iter().map(image::Frame::into_buffer).collect())
    }

    /// Grey that gets lighter by half a level per frame, in a palette with every third grey.
    #[test]
    fn shown_colours_stay_near_the_drawn_ones() {
        let palette = GifPalette::of((0..85).map(|grey| [3 * grey; 3]).collect());
        let mut canvas = Canvas::new(&palette);
        let (mut changes, mut shown) = (0, vec![0; 64]);
        for number in 0..200 {
            let level = number / 2;
            let image = RgbaImage::from_pixel(8, 8, image::Rgba([level, level, level, 255]));
            let FrameContent::Changes(frame) = canvas.update(image) else { panic!() };
            let rectangle = [frame.left, frame.top, frame.width, frame.height].map(u32::from);
            for ((x, y), &index) in positions(rectangle).zip(&*frame.buffer) {
                if index != palette.clear() {
                    changes += 1;
                    shown[(x + 8 * y) as usize] = index;
                }
            }
            let off = shown.iter().map(|&index| (3 * i32::from(index) - i32::from(level)).abs()).max().unwrap();
            assert!(off <= 2, "frame {number} is off by {off}");
        }
        // 100 levels cover 34 greys of the palette.
        assert!(changes <= 64 * 34, "{changes}");
    }

    #[test]
    fn frames_are_restored_from_their_changes() {
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
