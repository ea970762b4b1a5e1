//! Values of options about clips.

use super::super::positive;
use std::str::FromStr;

/// Value of `--clips NAME=[CLIP:]A..B`.
#[derive(Debug, Clone)]
pub struct FrameRange {
    pub name: String,
    /// The clip to cut; `None` for the only clip.
    pub clip: Option<String>,
    pub first: usize,
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
        if name.is_empty() || first > last {
            Err(EXPECTED)
        } else {
            Ok(Self { name: name.to_owned(), clip, first, last })
        }
    }
}

/// Value of `--join-clips NAME=A,B`.
#[derive(Debug, Clone)]
pub struct Joined {
    pub name: String,
    pub clips: Vec<String>,
}

impl FromStr for Joined {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, clips) = text.split_once('=').ok_or("expected NAME=CLIP,CLIP")?;
        let clips: Vec<String> = clips.split(',').map(str::to_owned).collect();
        if name.is_empty() || clips.iter().any(String::is_empty) {
            return Err("expected NAME=CLIP,CLIP");
        }
        Ok(Self { name: name.to_owned(), clips })
    }
}

/// Checks the words in braces of `--clip-names`.
pub fn clip_names(text: &str) -> Result<String, &'static str> {
    if text.replace("{clip}", "").replace("{model}", "").contains(['{', '}']) {
        return Err("the only words in braces are {clip} and {model}");
    }
    Ok(text.to_owned())
}

/// Parses `CLIP=N`, frames per second.
pub fn rate(text: &str) -> Result<(String, f64), &'static str> {
    let (clip, rate) = text.rsplit_once('=').ok_or("expected CLIP=N")?;
    Ok((clip.to_owned(), positive(rate)?))
}

/// Parses `GROUP=CLIP`.
pub fn group(text: &str) -> Result<(String, String), &'static str> {
    let (group, clip) = text.split_once('=').ok_or("expected GROUP=CLIP")?;
    Ok((group.to_owned(), clip.to_owned()))
}
