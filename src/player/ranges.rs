//! Named ranges of clips, in a TOML file next to the model.
//!
//! ```toml
//! # dwarf.ranges.toml, next to dwarf.x
//! [[range]]
//! name = "walk"
//! clip = "anim"           # as the model names it
//! seconds = [0.2, 1.4]
//! ```

use bindpose_core::budget::{Budget, MemoryLimit};
use bindpose_core::load::LoadError;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Named range of a clip.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedRange {
    /// Name of the range.
    pub name: String,
    /// The clip's name.
    pub clip: String,
    /// Start, in seconds.
    pub start: f64,
    /// End, in seconds.
    pub end: f64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, rename = "range")]
    ranges: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    clip: String,
    seconds: [f64; 2],
}

/// Returns the path of a model's ranges: `dwarf.ranges.toml` for `dwarf.x`.
pub fn path_beside(model: &Path) -> PathBuf {
    model.with_extension("ranges.toml")
}

/// Reads a file of ranges.
///
/// # Errors
///
/// [`LoadError`]: a file that cannot be read or understood, or a link that leads out of its folder.
pub fn read(path: &Path, memory: MemoryLimit) -> Result<Vec<NamedRange>, LoadError> {
    bindpose_core::read::check_inside(path, &[path.parent().unwrap_or(Path::new(""))])?;
    let text = bindpose_core::read::text(path, &Budget::new(memory))?;
    parse(&text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        LoadError::Other(format!("{}:{line}: {}", path.display(), error.message()).into())
    })
}

fn parse(text: &str) -> Result<Vec<NamedRange>, toml::de::Error> {
    let file: File = toml::from_str(text)?;
    let ranges = file.ranges.into_iter();
    Ok(ranges.map(|Entry { name, clip, seconds: [start, end] }| NamedRange { name, clip, start, end }).collect())
}

/// Returns the content of a file of ranges. Times are rounded to a microsecond.
pub fn write(ranges: &[NamedRange]) -> String {
    let entry = |range: &NamedRange| Entry {
        name: range.name.clone(),
        clip: range.clip.clone(),
        seconds: [range.start, range.end].map(|time| (time * 1e6).round() / 1e6),
    };
    let file = File { ranges: ranges.iter().map(entry).collect() };
    toml::to_string(&file).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_round_trip() {
        let range = |name: &str, start, end| NamedRange { name: name.into(), clip: "all \"moves\"".into(), start, end };
        let ranges = vec![range("walk", 0.0, 1.25), range("歩く", 1.25, 2.5)];
        assert_eq!(parse(&write(&ranges)).unwrap(), ranges);
        assert!(parse("").unwrap().is_empty());
    }

    #[test]
    fn the_documented_file_is_read() {
        let text = "# by hand\n[[range]]\nname = \"walk\"\nclip = \"anim\"\nseconds = [0.2, 1.4]\n";
        let expected = NamedRange { name: "walk".into(), clip: "anim".into(), start: 0.2, end: 1.4 };
        assert_eq!(parse(text).unwrap(), [expected]);
        assert!(parse("[[range]]\nname = 3\n").is_err());
    }
}
