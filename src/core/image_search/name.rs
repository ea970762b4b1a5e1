//! Names of images in files.

use super::listing::EXTENSIONS;

/// Number of tails tried of a long path, besides the whole path: exported paths start with the exporter's own folders.
const TAILS: usize = 6;

/// Longest name that can be a path, in bytes.
const LONGEST_NAME: usize = 4096;

/// Difference between an image's path and the name in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundAs {
    /// No difference.
    Written,
    /// Another extension, which Doom 3 and the Quake engines choose themselves.
    OtherExtension,
    /// The Quake engines' first skin of that name: `NAME_00_00`.
    QuakeSkin,
    /// Letter case, folders, or one of Doom 3's suffixes.
    Loosely,
}

/// A name split into its parts.
pub(super) struct ImageName {
    /// Folders before the file, then shorter and shorter tails of them, finally none.
    pub tails: Vec<Vec<String>>,
    pub is_absolute: bool,
    /// File name as written.
    pub file: String,
    /// File name without its image extension.
    pub stem: String,
    /// File name without any extension, in lower case.
    pub file_stem: String,
    /// File names to try, without extension, in lower case, most likely first, and the difference of each from the
    /// name.
    pub stems: Vec<(String, FoundAs)>,
}

impl ImageName {
    /// Splits a name. Returns `None` if it contains no file name.
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
        // Tails never start before a `..`, which means another folder elsewhere.
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
        let mut file_stem = file.to_lowercase();
        file_stem.truncate(file_stem.rfind('.').unwrap_or(file_stem.len()));
        // `x_local` is the normal map of `x`; a material with that name still means `x`.
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

    /// Returns the paths tried below a folder, for a report.
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

/// Returns the part of a name that is the surface's image: `base.bmp` of `base.bmp*env.sph`, where MikuMikuDance's sphere
/// map follows.
pub(super) fn image_of(name: &str) -> Option<&str> {
    let extension = |part: &str| part.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let is_sphere_map = |part: &str| matches!(extension(part).as_deref(), Some("sph" | "spa"));
    let parts = Some(name).filter(|name| name.len() <= LONGEST_NAME)?.split('*').map(str::trim);
    parts.filter(|part| !part.is_empty()).find(|part| !is_sphere_map(part))
}
