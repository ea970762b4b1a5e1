//! MP4 and WebM, encoded by an installed ffmpeg from raw frames on its standard input.

use super::{Animation, Draw, MediaFormat, Quality};
use anyhow::{Context, bail};
use bindpose_images::animation::parallel::at_most;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

/// Largest number of frames that wait for ffmpeg.
const WAITING: u32 = 8;

/// Draws frames, encodes them with ffmpeg, and writes the file.
///
/// # Errors
///
/// ffmpeg is missing, or fails with a message.
pub fn write(
    file: &mut dyn Write,
    format: MediaFormat,
    animation: Animation,
    draw: &mut Draw<'_>,
) -> anyhow::Result<()> {
    // ffmpeg completes the header of an MP4 last, for which the file must be seekable.
    let made = tempfile::Builder::new().prefix("bindpose-").suffix(".part").tempfile()?;
    let mut ffmpeg = start(format, animation, made.path())?;
    let (Some(mut input), Some(mut errors)) = (ffmpeg.stdin.take(), ffmpeg.stderr.take()) else {
        bail!("ffmpeg has no pipes");
    };
    let (send, receive) = mpsc::sync_channel::<image::RgbaImage>(at_most(WAITING, animation.bytes()) as usize);
    let (drawn, written, log) = std::thread::scope(|scope| {
        let log = scope.spawn(move || {
            let mut log = Vec::new();
            // Text read before an error may still contain the reason.
            let _ = errors.read_to_end(&mut log);
            String::from_utf8_lossy(&log).into_owned()
        });
        let writer = scope.spawn(move || receive.iter().try_for_each(|image| input.write_all(image.as_raw())));
        let mut drawn = Ok(true);
        for number in 0..animation.frames {
            drawn = draw(number).map(|image| send.send(image).is_ok());
            // The writer reports the error below.
            if !matches!(drawn, Ok(true)) {
                break;
            }
        }
        drop(send);
        let written = writer.join().unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into()));
        (drawn, written, log.join().unwrap_or_default())
    });
    if drawn.is_err() {
        // An incomplete video is discarded.
        let _ = ffmpeg.kill();
    }
    let status = ffmpeg.wait().context("ffmpeg")?;
    drawn?;
    if !status.success() {
        bail!("ffmpeg failed ({status}): {}", log.trim());
    }
    written.context("ffmpeg stopped before all frames were written")?;
    io::copy(&mut made.reopen()?, file)?;
    Ok(())
}

fn start(format: MediaFormat, animation: Animation, to: &std::path::Path) -> anyhow::Result<Child> {
    let (width, height) = animation.size;
    let mut command = Command::new("ffmpeg");
    command.args(["-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba"]);
    command.args(["-s", &format!("{width}x{height}"), "-r", &animation.rate.to_string(), "-i", "-"]);
    let is_small = animation.quality == Quality::Small;
    match format {
        MediaFormat::Webm => {
            let factor = if is_small { "40" } else { "28" };
            command.args(["-c:v", "libvpx-vp9", "-crf", factor, "-b:v", "0", "-pix_fmt", "yuva420p", "-f", "webm"]);
        }
        _ => {
            let factor = if is_small { "28" } else { "18" };
            // H.264 requires even sides.
            command.args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", factor]);
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
