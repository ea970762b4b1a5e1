//! APNG: every pixel as it was drawn, and of each picture only what changed.

use super::{Draw, Film, changed, cut, parallel};
use image::RgbaImage;
use std::io::{self, Write};
use std::sync::Arc;

/// How a part is put over what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blend {
    /// In its place.
    Source = 0,
    /// Over it: clear pixels leave it.
    Over = 1,
}

/// A part of a picture, packed.
struct Part {
    place: [u32; 4],
    blend: Blend,
    packed: Vec<u8>,
}

/// Draws, encodes and writes.
///
/// The crate `png` packs one picture after the other; here parts are packed on other threads, each as a picture of its
/// own whose data is then put into this one's.
pub fn write(file: &mut dyn Write, film: Film, draw: &mut Draw<'_>) -> anyhow::Result<()> {
    let (width, height) = film.size;
    file.write_all(b"\x89PNG\r\n\x1a\n")?;
    // Eight bits a channel, RGBA, no interlacing.
    chunk(file, *b"IHDR", &[&width.to_be_bytes(), &height.to_be_bytes(), &[8, 6, 0, 0, 0]])?;
    let plays: u32 = if film.is_endless { 0 } else { 1 };
    chunk(file, *b"acTL", &[&film.frames.to_be_bytes(), &plays.to_be_bytes()])?;
    let delay = delay(film.rate);
    let mut before: Option<Arc<RgbaImage>> = None;
    let make = |number| {
        let picture = Arc::new(draw(number)?);
        Ok((before.replace(Arc::clone(&picture)), picture))
    };
    let work = |_, (before, picture): (Option<Arc<RgbaImage>>, Arc<RgbaImage>)| part(before.as_deref(), &picture);
    let mut sequence = 0_u32;
    parallel::in_order(film.frames, film.bytes(), make, work, |part| {
        let [left, top, width, height] = part.place.map(u32::to_be_bytes);
        let [numerator, denominator] = delay.map(u16::to_be_bytes);
        let is_first = sequence == 0;
        let blend = [0, part.blend as u8];
        let control = [&sequence.to_be_bytes()[..], &width, &height, &left, &top, &numerator, &denominator, &blend];
        chunk(file, *b"fcTL", &control)?;
        sequence += 1;
        if is_first {
            return Ok(chunk(file, *b"IDAT", &[&part.packed])?);
        }
        chunk(file, *b"fdAT", &[&sequence.to_be_bytes(), &part.packed])?;
        sequence += 1;
        Ok(())
    })?;
    Ok(chunk(file, *b"IEND", &[])?)
}

/// Seconds that a frame stays, as a fraction.
fn delay(rate: f64) -> [u16; 2] {
    match rate {
        whole if whole.fract() == 0.0 && whole <= 65_535.0 => [1, whole as u16],
        _ if rate < 1.0 => [(100.0 / rate).round().min(65_535.0) as u16, 100],
        _ => [100, (100.0 * rate).round().min(65_535.0) as u16],
    }
}

fn part(before: Option<&RgbaImage>, picture: &RgbaImage) -> anyhow::Result<Part> {
    let whole = [0, 0, picture.width(), picture.height()];
    let Some(before) = before else {
        return Ok(Part { place: whole, blend: Blend::Source, packed: packed(picture.as_raw(), whole)? });
    };
    let place = changed(before, picture).unwrap_or([0, 0, 1, 1]);
    let pairs = || cut(before, place).zip(cut(picture, place));
    // What is clear or half so cannot be put over something else.
    if pairs().any(|(before, pixel)| before != pixel && pixel[3] != 255) {
        let bytes: Vec<u8> = cut(picture, place).flatten().collect();
        return Ok(Part { place, blend: Blend::Source, packed: packed(&bytes, place)? });
    }
    let bytes: Vec<u8> = pairs().flat_map(|(before, pixel)| if before == pixel { [0; 4] } else { pixel }).collect();
    Ok(Part { place, blend: Blend::Over, packed: packed(&bytes, place)? })
}

/// Filtered and deflated rows of RGBA.
fn packed(rgba: &[u8], [_, _, width, height]: [u32; 4]) -> anyhow::Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgba)?;
    writer.finish()?;
    Ok(image_data(&file))
}

/// The bytes of all `IDAT` chunks of a PNG file.
fn image_data(file: &[u8]) -> Vec<u8> {
    let mut data = Vec::with_capacity(file.len());
    let mut rest = file.get(8..).unwrap_or_default();
    while let Some((head, behind)) = rest.split_first_chunk::<8>() {
        let [a, b, c, d, name @ ..] = *head;
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        let Some(content) = behind.get(..length) else { break };
        if name == *b"IDAT" {
            data.extend(content);
        }
        rest = behind.get(length + 4..).unwrap_or_default();
    }
    data
}

fn chunk(file: &mut dyn Write, name: [u8; 4], parts: &[&[u8]]) -> io::Result<()> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let length = u32::try_from(length).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    let mut sum = crc32fast::Hasher::new();
    file.write_all(&length.to_be_bytes())?;
    for part in [&name[..]].iter().chain(parts) {
        sum.update(part);
        file.write_all(part)?;
    }
    file.write_all(&sum.finalize().to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::AnimationDecoder;

    #[test]
    fn differences_add_up_to_the_pictures() {
        for background in [[7, 8, 9, 255], [0; 4]] {
            let picture = |number: u32| {
                RgbaImage::from_fn(40, 30, |x, y| match (5 + 3 * number..15 + 3 * number).contains(&x) && y < 9 {
                    true => image::Rgba([200, y as u8, x as u8, 255]),
                    false => image::Rgba(background),
                })
            };
            // The third is like the second.
            let number_of = |number: u32| if number == 2 { 1 } else { number };
            let film = Film { size: (40, 30), frames: 5, rate: 12.5, is_endless: false };
            let mut bytes = Vec::new();
            write(&mut bytes, film, &mut |number| Ok(picture(number_of(number)))).unwrap();
            let decoder = image::codecs::png::PngDecoder::new(io::Cursor::new(bytes)).unwrap();
            let frames = decoder.apng().unwrap().into_frames().collect_frames().unwrap();
            assert_eq!(frames.len(), 5);
            for (number, frame) in (0..).zip(frames) {
                assert_eq!(frame.delay().numer_denom_ms(), (80, 1));
                assert_eq!(frame.into_buffer(), picture(number_of(number)), "{background:?} {number}");
            }
        }
    }

    #[test]
    fn delays_are_fractions_of_a_second() {
        assert_eq!([delay(24.0), delay(12.5), delay(0.5)], [[1, 24], [100, 1250], [200, 100]]);
    }
}
