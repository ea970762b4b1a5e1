//! MP4 and WebM, which an installed ffmpeg makes of raw pictures that go down a pipe.

use super::parallel::at_most;
use super::{Draw, Film, Format};
use anyhow::{Context, bail};
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

/// Pictures that wait for ffmpeg at most.
const WAITING: u32 = 8;

/// Draws, has ffmpeg encode, and writes.
pub fn write(file: &mut dyn Write, format: Format, film: Film, draw: &mut Draw<'_>) -> anyhow::Result<()> {
    // MP4 is finished at its beginning, which a pipe cannot; ffmpeg writes where it can go back.
    let made = tempfile::Builder::new().prefix("bindpose-").suffix(".part").tempfile()?;
    let mut ffmpeg = start(format, film, made.path())?;
    let (Some(mut input), Some(mut errors)) = (ffmpeg.stdin.take(), ffmpeg.stderr.take()) else {
        bail!("ffmpeg has no pipes");
    };
    let (send, receive) = mpsc::sync_channel::<image::RgbaImage>(at_most(WAITING, film.bytes()) as usize);
    let (drawn, written, log) = std::thread::scope(|scope| {
        let log = scope.spawn(move || {
            let mut log = Vec::new();
            // What was read before it failed may still tell why.
            let _ = errors.read_to_end(&mut log);
            String::from_utf8_lossy(&log).into_owned()
        });
        let writer = scope.spawn(move || receive.iter().try_for_each(|picture| input.write_all(picture.as_raw())));
        let mut drawn = Ok(true);
        for number in 0..film.frames {
            drawn = draw(number).map(|picture| send.send(picture).is_ok());
            // The writer says below why it has gone.
            if !matches!(drawn, Ok(true)) {
                break;
            }
        }
        drop(send);
        let written = writer.join().unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into()));
        (drawn, written, log.join().unwrap_or_default())
    });
    if drawn.is_err() {
        // Without all pictures there is nothing to keep.
        let _ = ffmpeg.kill();
    }
    let status = ffmpeg.wait().context("ffmpeg")?;
    drawn?;
    if !status.success() {
        bail!("ffmpeg failed ({status}): {}", log.trim());
    }
    written.context("ffmpeg took not all of the pictures")?;
    io::copy(&mut made.reopen()?, file)?;
    Ok(())
}

fn start(format: Format, film: Film, to: &std::path::Path) -> anyhow::Result<Child> {
    let (width, height) = film.size;
    let mut command = Command::new("ffmpeg");
    command.args(["-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba"]);
    command.args(["-s", &format!("{width}x{height}"), "-r", &film.rate.to_string(), "-i", "-"]);
    match format {
        Format::Webm => {
            command.args(["-c:v", "libvpx-vp9", "-crf", "28", "-b:v", "0", "-pix_fmt", "yuva420p", "-f", "webm"]);
        }
        _ => {
            // H.264 has even sides.
            command.args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "18"]);
            command.args(["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"]);
        }
    }
    command.arg(to).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => anyhow::anyhow!(
            "MP4 and WebM are made by ffmpeg, which is not installed; install it (Debian and Ubuntu: apt install ffmpeg, \
             macOS: brew install ffmpeg, Windows: winget install ffmpeg), or write a .gif, .apng or %04d.png"
        ),
        _ => anyhow::Error::new(error).context("cannot start ffmpeg"),
    })
}
