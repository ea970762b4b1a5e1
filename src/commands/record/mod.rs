//! Images and animations. Frames are drawn on this thread and encoded on others.

mod apng;
mod output;
mod png;
mod video;

pub use bindpose_images::animation::{Animation, Quality};
pub use output::{MediaFormat, MediaOutput};
pub use png::write_png;

use super::{write_in, write_whole};
use anyhow::{Context, bail};
use bindpose::read;
use bindpose_images::animation::{gif, parallel};
use image::RgbaImage;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Draws the frame with a number. Its top row is first, and alpha is not premultiplied.
pub type Draw<'a> = dyn FnMut(u32) -> anyhow::Result<RgbaImage> + 'a;

/// Draws frames in order on this thread, encodes them and writes them. Files are written atomically.
///
/// For a GIF, some frames are drawn earlier to compute its palette.
///
/// # Errors
///
/// No frames or no pixels, a terminal as standard output, and errors of drawing, encoding and writing.
pub fn write(output: &MediaOutput, animation: Animation, draw: &mut Draw<'_>) -> anyhow::Result<()> {
    if animation.bytes() == 0 || animation.frames == 0 {
        let (width, height) = animation.size;
        bail!("there is nothing to write: {} frames of {width} x {height} pixels", animation.frames);
    }
    match output {
        MediaOutput::Stdout(format) => {
            if std::io::stdout().is_terminal() {
                bail!("standard output is a terminal; redirect it to a file or a program");
            }
            let mut out = Pipe { out: std::io::stdout().lock(), is_closed: false };
            let written = encode(*format, &mut out, animation, draw);
            let written = written.and_then(|()| Ok(out.flush()?));
            // A pipe closed by its reader is no error.
            if out.is_closed { Ok(()) } else { written.context("cannot write to standard output") }
        }
        MediaOutput::File(path, format) => write_whole(path, |file| encode(*format, file, animation, draw)),
        MediaOutput::Numbered { before, digits, after } => {
            let path = |number: u32| PathBuf::from(format!("{before}{number:0digits$}{after}"));
            let write = |number, image: RgbaImage| {
                let path = path(number);
                let name = path.file_name().unwrap_or_default();
                write_in(&read::folder_of(&path), name, |file| png::write_one_of_many(file, &image))
            };
            parallel::in_order(animation.frames, animation.bytes(), draw, write, |()| Ok(()))
        }
    }
}

/// Standard output that records if its reader has closed it.
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

fn encode(format: MediaFormat, file: &mut dyn Write, animation: Animation, draw: &mut Draw<'_>) -> anyhow::Result<()> {
    match format {
        MediaFormat::Png => write_png(file, &draw(0)?),
        MediaFormat::Gif => gif::write(file, animation, draw),
        MediaFormat::Apng => apng::write(file, animation, draw),
        MediaFormat::Mp4 | MediaFormat::Webm => video::write(file, format, animation, draw),
    }
}

/// Writes an image as a PNG file atomically.
pub fn write_still(path: &Path, image: &RgbaImage) -> anyhow::Result<()> {
    write_whole(path, |file| write_png(file, image))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_animation_is_refused() {
        let folder = std::env::temp_dir().join(format!("bindpose-no-animation-{}", std::process::id()));
        for (size, frames) in [((0, 0), 2), ((4, 0), 2), ((4, 4), 0)] {
            let animation = Animation { size, frames, rate: 10.0, is_endless: true, quality: Quality::High };
            let output = MediaOutput::of(&folder.join("animation.gif"), None).unwrap();
            let error = write(&output, animation, &mut |_| Ok(RgbaImage::new(size.0, size.1))).unwrap_err();
            assert!(error.to_string().starts_with("there is nothing to write: "), "{error}");
        }
        assert!(!folder.exists());
    }
}
