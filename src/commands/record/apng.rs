//! APNG: lossless, with only the changed rectangle of each frame.

use super::{Animation, Draw};
use bindpose_images::animation::{changed, crop};
use image::RgbaImage;
use png::{BitDepth, BlendOp, ColorType, Encoder};
use std::io::Write;

/// Draws and writes an animation frame by frame.
pub fn write(file: &mut dyn Write, animation: Animation, draw: &mut Draw<'_>) -> anyhow::Result<()> {
    let mut encoder = Encoder::new(file, animation.size.0, animation.size.1);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_animated(animation.frames, u32::from(!animation.is_endless))?;
    let [numerator, denominator] = delay(animation.rate);
    encoder.set_frame_delay(numerator, denominator)?;
    let mut writer = encoder.write_header()?;
    let mut previous = None;
    for number in 0..animation.frames {
        let image = draw(number)?;
        if let Some(previous) = &previous {
            let rectangle = changed(previous, &image).unwrap_or([0, 0, 1, 1]);
            let (blend, pixels) = update(previous, &image, rectangle);
            let [left, top, width, height] = rectangle;
            writer.reset_frame_position()?;
            writer.set_frame_dimension(width, height)?;
            writer.set_frame_position(left, top)?;
            writer.set_blend_op(blend)?;
            writer.write_image_data(&pixels)?;
        } else {
            writer.write_image_data(image.as_raw())?;
        }
        previous = Some(image);
    }
    Ok(writer.finish()?)
}

/// Returns the duration of a frame in seconds, as a fraction.
fn delay(rate: f64) -> [u16; 2] {
    match rate {
        whole if whole.fract() == 0.0 && whole <= 65_535.0 => [1, whole as u16],
        _ if rate < 1.0 => [(100.0 / rate).round().min(65_535.0) as u16, 100],
        _ => [100, (100.0 * rate).round().min(65_535.0) as u16],
    }
}

/// Returns the pixels that turn a rectangle of one frame into the next. Unchanged pixels are transparent, which
/// compresses better, unless changed pixels are translucent and must replace the previous ones.
fn update(previous: &RgbaImage, image: &RgbaImage, rectangle: [u32; 4]) -> (BlendOp, Vec<u8>) {
    let pairs = || crop(previous, rectangle).zip(crop(image, rectangle));
    if pairs().any(|(before, pixel)| before != pixel && pixel[3] != 255) {
        return (BlendOp::Source, crop(image, rectangle).flatten().collect());
    }
    (BlendOp::Over, pairs().flat_map(|(before, pixel)| if before == pixel { [0; 4] } else { pixel }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::record::Quality;
    use image::AnimationDecoder;

    #[test]
    fn frames_are_restored_from_their_changes() {
        for background in [[7, 8, 9, 255], [0; 4]] {
            let image_of = |number: u32| {
                RgbaImage::from_fn(40, 30, |x, y| match (5 + 3 * number..15 + 3 * number).contains(&x) && y < 9 {
                    true => image::Rgba([200, y as u8, x as u8, 255]),
                    false => image::Rgba(background),
                })
            };
            // The third frame equals the second.
            let number_of = |number: u32| if number == 2 { 1 } else { number };
            let animation =
                Animation { size: (40, 30), frames: 5, rate: 12.5, is_endless: false, quality: Quality::High };
            let mut bytes = Vec::new();
            write(&mut bytes, animation, &mut |number| Ok(image_of(number_of(number)))).unwrap();
            let decoder = image::codecs::png::PngDecoder::new(std::io::Cursor::new(bytes)).unwrap();
            let frames = decoder.apng().unwrap().into_frames().collect_frames().unwrap();
            assert_eq!(frames.len(), 5);
            for (number, frame) in (0..).zip(frames) {
                assert_eq!(frame.delay().numer_denom_ms(), (80, 1));
                assert_eq!(frame.into_buffer(), image_of(number_of(number)), "{background:?} {number}");
            }
        }
    }

    #[test]
    fn delays_are_fractions_of_a_second() {
        assert_eq!([delay(24.0), delay(12.5), delay(0.5)], [[1, 24], [100, 1250], [200, 100]]);
    }
}
