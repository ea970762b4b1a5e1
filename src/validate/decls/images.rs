//! Images of material stages: the file, the engines that read it, and its size.

use super::{Checker, tried_note};
use crate::codes::{material, pak};
use crate::profiles::{FormatFamily, PROFILES, Profile};
use bindpose_core::game::images::{GameImage, find_image, reads_image};
use bindpose_core::read;
use bindpose_parsers::Span;
use bindpose_vfs::Vfs;
use std::path::{Path, PathBuf};

/// Bytes read from the beginning of an image.
const HEAD: u64 = 32;

/// Properties of an image, read from the beginning of its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownImage {
    /// Width and height in texels.
    size: Option<(u32, u32)>,
    /// Doom 3's error for a TGA file that it cannot read.
    error: Option<&'static str>,
}

impl Checker<'_, '_> {
    /// Checks an image of the stage at `span`.
    pub(super) fn image(&mut self, game: &Vfs, name: &str, span: Span) {
        // Built-in images have no file. Some exist only while the game runs.
        if name.starts_with('_') {
            return;
        }
        match find_image(game, name) {
            GameImage::Missing { tried } => {
                let meant = self.similar_file(name, &["tga", "jpg", "png", "dds"]);
                self.findings
                    .add(material::IMAGE_MISSING, span, || format!("no image is found for '{name}'"))
                    .value("name", name)
                    .note(tried_note(&tried))
                    .suggest(meant);
            }
            GameImage::Found { path, is_in_other_case } => {
                if is_in_other_case {
                    self.findings.add(pak::OTHER_CASE, span, || {
                        format!("'{name}' leads to {}, whose folders are written otherwise", path.display())
                    });
                }
                self.image_format(game, name, &path, span);
                self.image_content(name, path, span);
            }
        }
    }

    /// Reports the engines that read none of an image's files.
    fn image_format(&mut self, game: &Vfs, name: &str, path: &Path, span: Span) {
        let without = |profile: &&Profile| profile.reads(FormatFamily::Decl) && !reads_image(game, name, profile.id);
        let without: Vec<&'static Profile> = PROFILES.iter().filter(without).collect();
        if without.is_empty() {
            return;
        }
        let added = self.findings.add(material::IMAGE_FORMAT, span, || {
            let titles: Vec<&str> = without.iter().map(|profile| profile.title).collect();
            format!("'{name}' exists only as {}, which is not read by {}", path.display(), titles.join(", "))
        });
        added.value("name", name).only(without);
    }

    /// Reports images that an engine cannot read, and sizes that are not powers of two.
    fn image_content(&mut self, name: &str, path: PathBuf, span: Span) {
        let known = *self.images.entry(path).or_insert_with_key(|path| {
            let head = read::head(path, HEAD).unwrap_or_default();
            let is_tga = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("tga"));
            let error = read::size_of(path).filter(|_| is_tga).and_then(|length| tga_error(&head, length));
            KnownImage { size: size_of(&head), error }
        });
        if let Some(error) = known.error {
            self.findings
                .add(material::IMAGE_UNREADABLE, span, || format!("the engine stops at '{name}': {error}"))
                .value("name", name)
                .value("words", error);
        } else if let Some((width, height)) = known.size.filter(|(w, h)| !w.is_power_of_two() || !h.is_power_of_two()) {
            self.findings.add(material::IMAGE_SIZE, span, || {
                format!("'{name}' has {width}x{height} texels, which the engine makes powers of two")
            });
        }
    }
}

/// Returns Doom 3's error for a TGA file of `length` bytes that begins with these.
fn tga_error(bytes: &[u8], length: u64) -> Option<&'static str> {
    let &[comment, map, kind, _, _, _, _, _, _, _, _, _, w, wide, h, high, bits, _, ..] = bytes else {
        return Some("the file ends in its header");
    };
    let size = |low, high| u64::from(u16::from_le_bytes([low, high]));
    let texels = size(w, wide) * size(h, high) * u64::from(bits >> 3);
    match kind {
        2 | 3 | 10 if map != 0 => Some("colormaps not supported"),
        2 | 10 if ![24, 32].contains(&bits) => Some("Only 32 or 24 bit images supported (no colormaps)"),
        2 | 3 if 18 + u64::from(comment) + texels > length => Some("incomplete file"),
        2 | 3 | 10 => None,
        _ => Some("Only type 2 (RGB), 3 (gray), and 10 (RGB) TGA images supported"),
    }
}

/// Returns the width and height of a PNG, DDS or TGA file.
fn size_of(bytes: &[u8]) -> Option<(u32, u32)> {
    let at = |start: usize, count: usize| bytes.get(start..start + count);
    let big = |start| at(start, 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
    let little = |start| at(start, 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
    let short =
        |start| at(start, 2).and_then(|bytes| bytes.try_into().ok()).map(|bytes| u32::from(u16::from_le_bytes(bytes)));
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some((big(16)?, big(20)?)),
        [b'D', b'D', b'S', b' ', ..] => Some((little(16)?, little(12)?)),
        // TGA types that engines read: mapped, true colour or grey, compressed or not.
        [_, 0 | 1, 1..=3 | 9..=11, ..] => Some((short(12)?, short(14)?)),
        _ => None,
    }
}
