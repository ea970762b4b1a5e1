//! What a name asks to be written.

use anyhow::bail;
use std::path::{Path, PathBuf};

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// One picture
    Png,
    /// 256 colours; plays everywhere
    Gif,
    /// All colours
    Apng,
    /// H.264, made by ffmpeg
    Mp4,
    /// VP9, made by ffmpeg
    Webm,
}

impl Format {
    const ALL: [(&'static str, Self); 5] =
        [("png", Self::Png), ("gif", Self::Gif), ("apng", Self::Apng), ("mp4", Self::Mp4), ("webm", Self::Webm)];

    /// How names of such files end.
    pub fn extension(self) -> &'static str {
        Self::ALL.into_iter().find(|&(_, format)| format == self).map_or("", |(name, _)| name)
    }

    fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_string_lossy().to_lowercase();
        Self::ALL.into_iter().find(|&(name, _)| name == extension).map(|(_, format)| format)
    }
}

/// Where pictures go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Standard output.
    Stdout(Format),
    /// One file.
    File(PathBuf, Format),
    /// A PNG file for each picture.
    Numbered {
        /// What stands before the number.
        before: String,
        /// How many digits it has at least.
        digits: usize,
        /// What stands behind it.
        after: String,
    },
}

impl Output {
    /// Whether it holds one picture only.
    pub fn is_still(&self) -> bool {
        matches!(self, Self::Stdout(Format::Png) | Self::File(_, Format::Png))
    }

    /// What a name asks for; `-` is standard output.
    ///
    /// # Errors
    ///
    /// A name that asks for nothing that can be written.
    pub fn of(path: &Path, format: Option<Format>) -> anyhow::Result<Self> {
        let name = path.to_string_lossy();
        if name == "-" {
            return Ok(Self::Stdout(format.unwrap_or(Format::Png)));
        }
        let of_name = format.or(Format::of_extension(path));
        match (of_name, numbered(&name)?) {
            (Some(Format::Png), Some(numbered)) => Ok(numbered),
            (Some(format), None) => Ok(Self::File(path.to_owned(), format)),
            (None, None) if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("obj")) => {
                bail!("{name}: `bindpose convert MODEL --clip NAME --time SECONDS -o {name}` writes a pose as .obj")
            }
            (_, Some(_)) => bail!("{name}: numbered frames are .png files"),
            (None, None) => bail!("{name}: the name must end in .png, .gif, .apng, .mp4 or .webm"),
        }
    }
}

/// Reads `%d`, `%4d` or `%04d` in a name; `None` without a `%`.
fn numbered(name: &str) -> anyhow::Result<Option<Output>> {
    let Some((before, rest)) = name.split_once('%') else { return Ok(None) };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (width, after) = rest.split_at(digits);
    match (after.strip_prefix('d'), width.parse().unwrap_or(1)) {
        (Some(after), digits @ 0..=12) if !after.contains('%') => {
            Ok(Some(Output::Numbered { before: before.into(), digits, after: after.into() }))
        }
        _ => bail!("{name}: a frame number is written %d or %04d, once"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_written() {
        let numbered =
            |before: &str, digits, after: &str| Output::Numbered { before: before.into(), digits, after: after.into() };
        let file = |name: &str, format| Some(Output::File(name.into(), format));
        let cases = [
            ("a.png", file("a.png", Format::Png)),
            ("A.PNG", file("A.PNG", Format::Png)),
            ("x/a.gif", file("x/a.gif", Format::Gif)),
            ("a.apng", file("a.apng", Format::Apng)),
            ("a.mp4", file("a.mp4", Format::Mp4)),
            ("frames/%04d.png", Some(numbered("frames/", 4, ".png"))),
            ("f%d.png", Some(numbered("f", 1, ".png"))),
            ("%3dx.png", Some(numbered("", 3, "x.png"))),
            ("-", Some(Output::Stdout(Format::Png))),
            ("a.jpg", None),
            ("a", None),
            ("%d.gif", None),
            ("%d%d.png", None),
            ("100%.png", None),
            ("%99999999d.png", None),
            ("%04x.png", None),
        ];
        for (name, output) in cases {
            assert_eq!(Output::of(Path::new(name), None).ok(), output, "{name}");
        }
        assert_eq!(Output::of(Path::new("-"), Some(Format::Gif)).unwrap(), Output::Stdout(Format::Gif));
        assert_eq!(Output::of(Path::new("a"), Some(Format::Gif)).ok(), file("a", Format::Gif));
    }
}
