//! Pictures and films: files of what is drawn, encoded on other threads while the next frame is drawn.

mod apng;
mod format;
mod gif;
mod packer;
mod palette;
mod parallel;
mod png;
mod video;

pub use format::{Format, Output};
pub use png::write_png;

use anyhow::{Context, bail};
use image::RgbaImage;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// What a film is, apart from its pictures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Film {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// How many pictures.
    pub frames: u32,
    /// Pictures a second.
    pub rate: f64,
    /// Whether a player begins again at the end.
    pub is_endless: bool,
}

impl Film {
    /// Bytes of a picture.
    fn bytes(&self) -> u64 {
        4 * u64::from(self.size.0) * u64::from(self.size.1)
    }
}

/// Draws a picture of a film by its number; top row first, alpha not multiplied with the colours.
pub type Draw<'a> = dyn FnMut(u32) -> anyhow::Result<RgbaImage> + 'a;

/// Draws a film's pictures in their order on this thread, encodes them on others, and writes them.
///
/// A GIF needs a few of them earlier, to choose its colours by; those are drawn out of their order and kept. A file
/// appears whole or not at all.
pub fn write(output: &Output, film: Film, draw: &mut Draw<'_>) -> anyhow::Result<()> {
    if film.bytes() == 0 || film.frames == 0 {
        bail!("there is nothing to write: {} pictures of {} x {} pixels", film.frames, film.size.0, film.size.1);
    }
    match output {
        Output::Stdout(format) => {
            if std::io::stdout().is_terminal() {
                bail!("standard output is a terminal, which shows no pictures; redirect it to a file or a program");
            }
            let mut out = Pipe { out: std::io::stdout().lock(), is_closed: false };
            let written = encode(*format, &mut out, film, draw);
            let written = written.and_then(|()| Ok(out.flush()?));
            // Whoever reads has seen enough.
            if out.is_closed { Ok(()) } else { written.context("cannot write to standard output") }
        }
        Output::File(path, format) => write_whole(path, |file| encode(*format, file, film, draw)),
        Output::Numbered { before, digits, after } => {
            let path = |number: u32| PathBuf::from(format!("{before}{number:0digits$}{after}"));
            let write =
                |number, picture: RgbaImage| write_whole(&path(number), |file| png::write_one_of_many(file, &picture));
            parallel::in_order(film.frames, film.bytes(), draw, write, |()| Ok(()))
        }
    }
}

/// Standard output, which may be closed at the other end.
struct Pipe<'a> {
    out: std::io::StdoutLock<'a>,
    is_closed: bool,
}

impl Pipe<'_> {
    fn noticed<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| self.is_closed |= error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl Write for Pipe<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.noticed(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.noticed(flushed)
    }
}

fn encode(format: Format, file: &mut dyn Write, film: Film, draw: &mut Draw<'_>) -> anyhow::Result<()> {
    match format {
        Format::Png => write_png(file, &draw(0)?),
        Format::Gif => gif::write(file, film, draw),
        Format::Apng => apng::write(file, film, draw),
        Format::Mp4 | Format::Webm => video::write(file, format, film, draw),
    }
}

/// Writes a file that appears whole or not at all; makes its folder.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let written: anyhow::Result<u64> = bindpose::write::replace(path, write);
    written.map(drop).with_context(|| format!("cannot write {}", path.display()))
}

/// The rectangle of pixels that differ between two pictures of one size: left, top, width, height.
fn changed(before: &RgbaImage, after: &RgbaImage) -> Option<[u32; 4]> {
    let width = after.width() as usize;
    let rows = || before.as_raw().chunks_exact(4 * width).zip(after.as_raw().chunks_exact(4 * width)).enumerate();
    let mut differing = rows().filter(|(_, (a, b))| a != b);
    let (top, _) = differing.next()?;
    let bottom = differing.next_back().map_or(top, |(row, _)| row);
    let (mut left, mut right) = (width, 0);
    for (_, (a, b)) in rows().skip(top).take(bottom + 1 - top) {
        let pixels = || a.chunks_exact(4).zip(b.chunks_exact(4));
        left = pixels().take(left).position(|(a, b)| a != b).unwrap_or(left);
        right = pixels().rposition(|(a, b)| a != b).map_or(right, |last| right.max(last));
    }
    Some([left, top, right + 1 - left, bottom + 1 - top].map(|number| number as u32))
}

/// A rectangle of a picture, row after row.
fn cut(picture: &RgbaImage, [left, top, width, height]: [u32; 4]) -> impl Iterator<Item = [u8; 4]> {
    (top..top + height).flat_map(move |y| (left..left + width).map(move |x| picture.get_pixel(x, y).0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_a_rectangle() {
        let before = RgbaImage::new(7, 5);
        let mut after = before.clone();
        assert_eq!(changed(&before, &after), None);
        after.put_pixel(4, 1, image::Rgba([1, 0, 0, 0]));
        assert_eq!(changed(&before, &after), Some([4, 1, 1, 1]));
        after.put_pixel(2, 3, image::Rgba([0, 0, 0, 1]));
        assert_eq!(changed(&before, &after), Some([2, 1, 3, 3]));
        assert_eq!(
            cut(&after, [2, 1, 3, 3]).map(|pixel| pixel[0] + pixel[3]).collect::<Vec<_>>(),
            [0, 0, 1, 0, 0, 0, 1, 0, 0]
        );
    }

    #[test]
    fn nothing_is_no_film() {
        let folder = std::env::temp_dir().join(format!("bindpose-no-film-{}", std::process::id()));
        for (size, frames) in [((0, 0), 2), ((4, 0), 2), ((4, 4), 0)] {
            let film = Film { size, frames, rate: 10.0, is_endless: true };
            let output = Output::of(&folder.join("film.gif"), None).unwrap();
            let error = write(&output, film, &mut |_| Ok(RgbaImage::new(size.0, size.1))).unwrap_err();
            assert!(error.to_string().starts_with("there is nothing to write: "), "{error}");
        }
        assert!(!folder.exists());
    }
}
