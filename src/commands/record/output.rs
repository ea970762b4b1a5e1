//! Output files and their formats.

use anyhow::bail;
use std::path::{Path, PathBuf};

/// Format of an image or animation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MediaFormat {
    /// One image
    Png,
    /// 256 colours; plays everywhere
    Gif,
    /// Lossless
    Apng,
    /// H.264, encoded by ffmpeg
    Mp4,
    /// VP9, encoded by ffmpeg
    Webm,
}

impl MediaFormat {
    const ALL: [(&'static str, Self); 5] =
        [("png", Self::Png), ("gif", Self::Gif), ("apng", Self::Apng), ("mp4", Self::Mp4), ("webm", Self::Webm)];

    /// Returns the file name extension, without the dot.
    pub fn extension(self) -> &'static str {
        Self::ALL.into_iter().find(|&(_, format)| format == self).map_or("", |(name, _)| name)
    }

    fn from_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_string_lossy().to_lowercase();
        Self::ALL.into_iter().find(|&(name, _)| name == extension).map(|(_, format)| format)
    }
}

/// Destination of frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaOutput {
    /// Standard output.
    Stdout(MediaFormat),
    /// One file.
    File(PathBuf, MediaFormat),
    /// A PNG file for each frame: `before`, the number with at least `digits` digits, `after`.
    Numbered { before: String, digits: usize, after: String },
}

impl MediaOutput {
    /// True if the output is a single image.
    pub fn is_still(&self) -> bool {
        matches!(self, Self::Stdout(MediaFormat::Png) | Self::File(_, MediaFormat::Png))
    }

    /// Returns the destination and format for a file name; `-` is standard output.
    ///
    /// # Errors
    ///
    /// The extension is unknown, or the frame number in the name is malformed.
    pub fn of(path: &Path, format: Option<MediaFormat>) -> anyhow::Result<Self> {
        let name = path.to_string_lossy();
        if name == "-" {
            return Ok(Self::Stdout(format.unwrap_or(MediaFormat::Png)));
        }
        let format = format.or(MediaFormat::from_extension(path));
        match (format, numbered(&name)?) {
            (Some(MediaFormat::Png), Some(numbered)) => Ok(numbered),
            (Some(format), None) => Ok(Self::File(path.to_owned(), format)),
            (None, None) if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("obj")) => {
                bail!("{name}: `bindpose convert MODEL --clip NAME --time SECONDS -o {name}` writes a pose as .obj")
            }
            (_, Some(_)) => bail!("{name}: numbered frames are .png files"),
            (None, None) => bail!("{name}: the name must end in .png, .gif, .apng, .mp4 or .webm"),
        }
    }
}

/// Parses `%d`, `%4d` or `%04d` in a name. Returns `None` without a `%`.
fn numbered(name: &str) -> anyhow::Result<Option<MediaOutput>> {
    let Some((before, rest)) = name.split_once('%') else { return Ok(None) };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (width, after) = rest.split_at(digits);
    match (after.strip_prefix('d'), width.parse().unwrap_or(1)) {
        (Some(after), digits @ 0..=12) if !after.contains('%') => {
            Ok(Some(MediaOutput::Numbered { before: before.into(), digits, after: after.into() }))
        }
        _ => bail!("{name}: a frame number is written %d or %04d, once"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_determine_destination_and_format() {
        let numbered = |before: &str, digits, after: &str| MediaOutput::Numbered {
            before: before.into(),
            digits,
            after: after.into(),
        };
        let file = |name: &str, format| Some(MediaOutput::File(name.into(), format));
        let cases = [
            ("a.png", file("a.png", MediaFormat::Png)),
            ("A.PNG", file("A.PNG", MediaFormat::Png)),
            ("x/a.gif", file("x/a.gif", MediaFormat::Gif)),
            ("a.apng", file("a.apng", MediaFormat::Apng)),
            ("a.mp4", file("a.mp4", MediaFormat::Mp4)),
            ("frames/%04d.png", Some(numbered("frames/", 4, ".png"))),
            ("f%d.png", Some(numbered("f", 1, ".png"))),
            ("%3dx.png", Some(numbered("", 3, "x.png"))),
            ("-", Some(MediaOutput::Stdout(MediaFormat::Png))),
            ("a.jpg", None),
            ("a", None),
            ("%d.gif", None),
            ("%d%d.png", None),
            ("100%.png", None),
            ("%99999999d.png", None),
            ("%04x.png", None),
        ];
        for (name, output) in cases {
            assert_eq!(MediaOutput::of(Path::new(name), None).ok(), output, "{name}");
        }
        assert_eq!(
            MediaOutput::of(Path::new("-"), Some(MediaFormat::Gif)).unwrap(),
            MediaOutput::Stdout(MediaFormat::Gif)
        );
        assert_eq!(MediaOutput::of(Path::new("a"), Some(MediaFormat::Gif)).ok(), file("a", MediaFormat::Gif));
    }
}
