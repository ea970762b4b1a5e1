//! Values of options, and their forms as text.

use bindpose_export::gltf::ImagePlacement;
use bindpose_export::x::Encoding;
use bindpose_export::{Normals, Pattern};
use std::path::PathBuf;
use std::str::FromStr;

/// Values by name, each with a description.
pub type Named<T, const N: usize> = [(&'static str, &'static str, T); N];

/// Corrections of normals.
pub const NORMALS: Named<Normals, 3> = [
    ("keep", "Leave them unchanged", Normals::Keep),
    ("fix", "Flip the normals of meshes where they point inwards", Normals::Fix),
    ("recompute", "Compute them from the triangles", Normals::Recompute),
];

/// Locations of images.
pub const IMAGES: Named<ImagePlacement, 3> = [
    ("embedded", "In the file", ImagePlacement::Embedded),
    ("beside", "Next to the file", ImagePlacement::Beside),
    ("none", "Leave them out", ImagePlacement::Without),
];

/// Encodings of `.x` files.
pub const ENCODINGS: Named<Encoding, 4> = [
    ("text", "Text", Encoding::TEXT),
    ("binary", "Binary", Encoding::BINARY),
    ("tzip", "Text, compressed", Encoding::TEXT.compressed()),
    ("bzip", "Binary, compressed", Encoding::BINARY.compressed()),
];

/// Frames of a clip that become a clip of their own, written `NAME=[CLIP:]FIRST..LAST`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameRange {
    /// Name of the new clip.
    pub name: String,
    /// The clip to cut; `None` for the only clip.
    pub clip: Option<String>,
    /// First frame, counted from 0.
    pub first: usize,
    /// Last frame.
    pub last: usize,
}

impl FromStr for FrameRange {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "expected NAME=FIRST..LAST, such as walk=168..187";
        let (name, range) = text.split_once('=').ok_or(EXPECTED)?;
        let (clip, range) =
            range.rsplit_once(':').map_or((None, range), |(clip, range)| (Some(clip.to_owned()), range));
        let (first, last) = range.split_once("..").ok_or(EXPECTED)?;
        let number = |text: &str| text.trim().parse().map_err(|_| EXPECTED);
        let (first, last) = (number(first)?, number(last)?);
        let range = Self { name: name.to_owned(), clip, first, last };
        if name.is_empty() || first > last { Err(EXPECTED) } else { Ok(range) }
    }
}

/// Clips that become one in this order, written `NAME=CLIP,CLIP`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedClips {
    /// Name of the new clip.
    pub name: String,
    /// Names of its parts.
    pub clips: Vec<String>,
}

impl FromStr for JoinedClips {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, clips) = text.split_once('=').ok_or("expected NAME=CLIP,CLIP")?;
        let clips: Vec<String> = clips.split(',').map(str::to_owned).collect();
        let is_whole = !name.is_empty() && !clips.iter().any(String::is_empty);
        if is_whole { Ok(Self { name: name.to_owned(), clips }) } else { Err("expected NAME=CLIP,CLIP") }
    }
}

/// New names of joints and clips, written `FROM=TO`, or the path of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Renaming {
    /// Pattern for joints and clips.
    Pattern(Pattern),
    /// Report of an earlier conversion, which `convert --json` printed.
    Report(PathBuf),
}

impl FromStr for Renaming {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains('=') { text.parse().map(Self::Pattern) } else { Ok(Self::Report(text.into())) }
    }
}
