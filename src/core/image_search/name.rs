//! Names of images in files.

use super::listing::{EXTENSIONS, stem_of};

/// Number of tails of a long path that are tried besides the whole: they start with an exporter's own folders.
const TAILS: usize = 6;

/// Longest name that can be a path, in bytes.
const LONGEST_NAME: usize = 4096;

/// Difference between an image's path and the name in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundAs {
    /// None.
    Written,
    /// The extension, which Doom 3 and the Quake engines choose themselves.
    OtherExtension,
    /// The first skin of that name in the Quake engines: `NAME_00_00`.
    QuakeSkin,
    /// Upper and lower case, folders, or one of Doom 3's suffixes.
    Loosely,
}

/// A name in its parts.
pub(super) struct ImageName {
    /// The folders before the file, then shorter and shorter tails of them, at last none.
    pub tails: Vec<Vec<String>>,
    pub is_absolute: bool,
    /// File name as written.
    pub file: String,
    /// File name without its image extension.
    pub stem: String,
    /// File name without any extension, in lower case.
    pub file_stem: String,
    /// File names to try, without extension and in lower case, the most likely first, with their difference from the name.
    pub stems: Vec<(String, FoundAs)>,
}

impl ImageName {
    /// `None` for a name without a file.
    pub fn new(name: &str) -> Option<Self> {
        let slashes = name.replace('\\', "/");
        let drive = slashes.as_bytes().get(1) == Some(&b':');
        let is_absolute = slashes.starts_with('/') || drive;
        let path = if drive { slashes.get(2..)? } else { &slashes };
        let mut parts: Vec<String> =
            path.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect();
        let file = parts.pop().filter(|file| file != "..")?;
        let mut tails: Vec<Vec<String>> = Vec::new();
        if !is_absolute {
            tails.push(parts.clone());
        }
        // From another folder `..` is not found.
        let fixed = parts.iter().rposition(|part| part == "..").map_or(0, |up| up + 1);
        let ends = parts.len().saturating_sub(TAILS).max(fixed)..=parts.len();
        tails.extend(ends.filter_map(|start| parts.get(start..)).map(<[String]>::to_vec));
        tails.dedup();
        let is_image = |extension: &str| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension));
        let stem = match file.rsplit_once('.') {
            Some((stem, extension)) if is_image(extension) => stem.to_owned(),
            _ => file.clone(),
        };
        let folded = stem.to_lowercase();
        let file_stem = stem_of(&file.to_lowercase()).to_owned();
        // `x_local` is the normal map of `x`; a material named after it still means `x`.
        let base = folded.strip_suffix("_local").unwrap_or(&folded);
        let mut stems = Vec::new();
        if base != folded {
            stems.push((base.to_owned(), FoundAs::Loosely));
        }
        stems.push((folded.clone(), FoundAs::OtherExtension));
        stems.push((format!("{folded}_00_00"), FoundAs::QuakeSkin));
        stems.extend(["_d", "_diffuse"].map(|suffix| (format!("{base}{suffix}"), FoundAs::Loosely)));
        Some(Self { tails, is_absolute, file, stem, file_stem, stems })
    }

    /// Paths below a folder that are tried, for a report.
    pub fn tried(&self) -> Vec<String> {
        let mut names = vec![self.file.clone()];
        names.extend(EXTENSIONS.iter().map(|extension| format!("{}.{extension}", self.stem)));
        for suffix in ["_00_00", "_d", "_diffuse"] {
            names.extend(EXTENSIONS.iter().map(|extension| format!("{}{suffix}.{extension}", self.stem)));
        }
        let bare: &[Vec<String>] = &[Vec::new()];
        let written = self.tails.first().filter(|tail| !tail.is_empty());
        let folders = written.into_iter().chain(bare);
        let path = |tail: &Vec<String>, name: &String| match tail.is_empty() {
            true => name.clone(),
            false => format!("{}/{name}", tail.join("/")),
        };
        let mut tried: Vec<String> = folders.flat_map(|tail| names.iter().map(move |name| path(tail, name))).collect();
        let mut seen = std::collections::HashSet::new();
        tried.retain(|path| seen.insert(path.clone()));
        tried
    }
}

/// Blending of a sphere map with the image below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SphereBlend {
    /// Multiplied: `.sph`.
    Multiplied,
    /// Added: `.spa`.
    Added,
}

/// The parts of a name as MikuMikuDance writes it, `base.bmp*env.sph` for an image and a sphere map, the latter with its
/// blending.
fn parts_of(name: &str) -> impl Iterator<Item = (&str, Option<SphereBlend>)> {
    let parts = Some(name).filter(|name| name.len() <= LONGEST_NAME).into_iter().flat_map(|name| name.split('*'));
    parts.map(str::trim).filter(|part| !part.is_empty()).map(|part| {
        let extension = part.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is = |kind: &str| extension.eq_ignore_ascii_case(kind);
        let multiplied = is("sph").then_some(SphereBlend::Multiplied);
        (part, multiplied.or_else(|| is("spa").then_some(SphereBlend::Added)))
    })
}

/// The part of a name that is the surface's image.
pub(super) fn image_of(name: &str) -> Option<&str> {
    parts_of(name).find_map(|(part, sphere)| sphere.is_none().then_some(part))
}

/// The part of a name that is a sphere map.
pub(super) fn sphere_of(name: &str) -> Option<(&str, SphereBlend)> {
    parts_of(name).find_map(|(part, sphere)| Some((part, sphere?)))
}
