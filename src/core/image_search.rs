//! Where the image lies that a file names: one search for all that shows a model and all that checks one.

use crate::shader_scripts::Scripts;
use crate::{cube2_scripts, read};
use bindpose_parsers::decode_name;
use bindpose_vfs::{member, name};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Extensions that are tried, in this order: first those that the player reads, then those that engines do.
pub const EXTENSIONS: [&str; 10] = ["tga", "png", "jpg", "jpeg", "dds", "bmp", "webp", "pcx", "lmp", "crn"];

/// How many folders above a model's own are tried: Doom 3's shader names start at the game's base folder.
pub const ANCESTORS: usize = 6;

/// A folder of this name, in a model's own or beside it, is searched for bare file names: Luanti keeps `models/` and
/// `textures/` side by side.
const TEXTURES: &str = "textures";

/// Ends of a long path that are tried besides the whole: an exporter's own folders stand before them.
const TAILS: usize = 6;

/// Longer names are no paths.
const LONGEST_NAME: usize = 4096;

/// What came of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageSearch {
    /// An image, or at least a file of its name.
    Found(FoundImage),
    /// None; these paths were looked for below the folders, the likeliest first.
    Missing {
        /// Relative, with `/`.
        tried: Vec<String>,
    },
    /// The name stands for no image of the surface: it is empty, longer than a path, or MikuMikuDance's sphere map
    /// alone.
    NoImage,
}

/// Where an image is, and how its place differs from the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundImage {
    /// Its path, beginning with a folder that was searched or one above.
    pub path: PathBuf,
    /// How it was found.
    pub found_as: FoundAs,
    /// How many folders above the one that was given the name begins.
    pub above: usize,
}

/// How the file's place differs from the name that was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundAs {
    /// Not at all.
    Written,
    /// By its extension, which Doom 3 and the Quake engines choose themselves.
    OtherExtension,
    /// It is the first skin of that name in the Quake engines: `NAME_00_00`.
    QuakeSkin,
    /// Upper and lower case, folders, or one of Doom 3's suffixes.
    Loosely,
}

/// Searches folders, each of which is read once.
#[derive(Debug, Default)]
pub struct ImageFinder {
    listings: Mutex<HashMap<PathBuf, Arc<Listing>>>,
    /// The shaders of scripts, by a game's folder.
    scripts: Mutex<HashMap<PathBuf, Arc<Scripts>>>,
    /// Cube 2's scripts, by the folder of the models that they may load.
    cube2_scripts: Mutex<HashMap<PathBuf, Arc<[cube2_scripts::Script]>>>,
}

/// What is known of a folder; read when it is first asked for.
fn known_of<T: ?Sized>(
    known: &Mutex<HashMap<PathBuf, Arc<T>>>,
    folder: &Path,
    read: impl FnOnce() -> Arc<T>,
) -> Arc<T> {
    let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
    let found = lock().get(folder).cloned();
    found.unwrap_or_else(|| {
        let read = read();
        Arc::clone(lock().entry(folder.to_owned()).or_insert(read))
    })
}

impl ImageFinder {
    /// Looks for the image of a name as a file gives it: a path, a Doom 3 shader name, or a bare file name.
    ///
    /// A relative path may begin in each of the folders or in one of the [`ANCESTORS`] above it. Of an absolute path,
    /// and of one that leads nowhere, shorter and shorter ends are tried, the bare file name only in the folders
    /// themselves and in a folder `textures` in them or beside them. `\` counts as `/`, upper and lower case do not matter, and of `base.bmp*env.sph` the part counts that
    /// is no sphere map.
    pub fn find(&self, folders: &[PathBuf], name: &str) -> ImageSearch {
        self.find_part(folders, surface_of(name))
    }

    /// As [`Self::find`], where nobody asks which names were tried: what is missing then costs a fraction.
    pub(crate) fn path_of(&self, folders: &[PathBuf], name: &str) -> Option<PathBuf> {
        let wanted = surface_of(name).filter(|_| !folders.is_empty()).and_then(Wanted::new)?;
        Some(self.search(folders, &wanted)?.path)
    }

    /// Looks for the sphere map of a name as MikuMikuDance writes it, as [`Self::find`] does for the image, and says what it does to
    /// the image; `None` where the name has none.
    pub fn find_sphere(&self, folders: &[PathBuf], name: &str) -> Option<(ImageSearch, SphereBlend)> {
        let (part, blend) = sphere_of(name)?;
        Some((self.find_part(folders, Some(part)), blend))
    }

    fn find_part(&self, folders: &[PathBuf], part: Option<&str>) -> ImageSearch {
        let Some(wanted) = part.and_then(Wanted::new) else { return ImageSearch::NoImage };
        match self.search(folders, &wanted) {
            Some(found) => ImageSearch::Found(found),
            None => ImageSearch::Missing { tried: wanted.tried() },
        }
    }

    fn search(&self, folders: &[PathBuf], wanted: &Wanted) -> Option<FoundImage> {
        for folder in folders {
            for (number, tail) in wanted.tails.iter().enumerate() {
                let is_written = number == 0 && !wanted.is_absolute;
                let ancestors = if tail.is_empty() && !is_written { 0 } else { ANCESTORS };
                for (above, root) in folders_from(folder).take(1 + ancestors).enumerate() {
                    let Some((inside, exact)) = self.folder(&root, tail) else { continue };
                    let Some((path, found_as)) = self.image(&inside, wanted) else { continue };
                    let found_as = if is_written && exact { found_as } else { FoundAs::Loosely };
                    return Some(FoundImage { path, found_as, above });
                }
            }
            for (above, root) in folders_from(folder).take(2).enumerate() {
                let Some((inside, _)) = self.folder(&root, &[TEXTURES.to_owned()]) else { continue };
                if let Some((path, _)) = self.image(&inside, wanted) {
                    return Some(FoundImage { path, found_as: FoundAs::Loosely, above });
                }
            }
        }
        None
    }

    /// The folder that `parts` lead to from `root`, and whether every letter is as written.
    fn folder(&self, root: &Path, parts: &[String]) -> Option<(PathBuf, bool)> {
        let mut path = root.to_owned();
        let mut exact = true;
        for part in parts {
            if part == ".." {
                path = above(&path)?;
                continue;
            }
            let listing = self.listing(&path);
            let known = listing.folder_named(part)?;
            exact &= known.text == *part;
            path.push(&known.name);
        }
        Some((path, exact))
    }

    /// The file in a folder that suits best.
    fn image(&self, folder: &Path, wanted: &Wanted) -> Option<(PathBuf, FoundAs)> {
        let listing = self.listing(folder);
        let is_file = |entry: &&&Entry| read::is_file(&folder.join(&entry.name));
        let written = listing.named(&wanted.file_stem);
        let exact = written.iter().find(|entry| entry.text == wanted.file).filter(is_file);
        let folded = || written.iter().find(|entry| entry.folded == wanted.file.to_lowercase()).filter(is_file);
        if let Some(found) = exact.or_else(folded) {
            let found_as = if found.text == wanted.file { FoundAs::Written } else { FoundAs::Loosely };
            return Some((folder.join(&found.name), found_as));
        }
        wanted.stems.iter().find_map(|(stem, found_as)| {
            let entries = listing.named(stem);
            let of = |extension: &&str| {
                let named = |entry: &&&Entry| entry.stem() == stem && entry.extension() == *extension;
                // The one in the letters of the name goes first.
                let exact = |entry: &&&Entry| entry.text.starts_with(&wanted.stem);
                let mut all = entries.iter().filter(named);
                all.clone().find(exact).or_else(|| all.next()).filter(is_file)
            };
            let found = EXTENSIONS.iter().find_map(of)?;
            let in_other_letters = !found.text.starts_with(&wanted.stem);
            Some((folder.join(&found.name), if in_other_letters { FoundAs::Loosely } else { *found_as }))
        })
    }

    /// The shaders that a game's folder has in `scripts` and, as ET: Legacy's, in `materials`; read when first asked for.
    pub(crate) fn scripts(&self, game: &Path) -> Arc<Scripts> {
        known_of(&self.scripts, game, || {
            let folders = ["scripts", "materials"].into_iter().filter_map(|name| self.folder(game, &[name.to_owned()]));
            let scripts = folders.flat_map(|(folder, _)| {
                let listing = self.listing(&folder);
                let is_script = |entry: &&Entry| entry.extension() == "shader";
                let paths = listing.entries().iter().filter(is_script).map(|entry| folder.join(&entry.name));
                paths.filter(|path| read::is_file(path)).collect::<Vec<_>>()
            });
            Arc::new(Scripts::read(scripts))
        })
    }

    /// Cube 2's scripts that may load the models of a folder, the nearest first; read when first asked for.
    pub(crate) fn cube2_scripts(&self, folder: &Path) -> Arc<[cube2_scripts::Script]> {
        known_of(&self.cube2_scripts, folder, || cube2_scripts::around(self, folder).into())
    }

    /// What a folder holds, which is read when it is first asked for.
    pub(crate) fn listing(&self, folder: &Path) -> Arc<Listing> {
        known_of(&self.listings, folder, || Arc::new(Listing::of(folder)))
    }
}

/// A name in a folder.
#[derive(Debug)]
pub(crate) struct Entry {
    pub name: OsString,
    /// As text; old archives unpack to names that are not UTF-8.
    pub text: String,
    /// In lower case.
    pub folded: String,
}

impl Entry {
    /// In lower case; empty where the name has no dot.
    pub fn extension(&self) -> &str {
        self.folded.rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    /// The name without its extension, in lower case.
    pub fn stem(&self) -> &str {
        stem_of(&self.folded)
    }
}

/// What a folder holds.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// By name.
    entries: Vec<Entry>,
    /// Places among them by [`Entry::stem`].
    places: HashMap<String, Vec<usize>>,
}

impl Listing {
    fn of(folder: &Path) -> Self {
        let mut listing = Self::default();
        for name in read::names_in(folder) {
            let text = decode_name(name.as_encoded_bytes()).into_owned();
            let folded = text.to_lowercase();
            let places = listing.places.entry(stem_of(&folded).to_owned()).or_default();
            places.push(listing.entries.len());
            listing.entries.push(Entry { name, text, folded });
        }
        listing
    }

    /// All that is in the folder, by name.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What is called so but for its extension; `stem` is in lower case.
    pub fn named(&self, stem: &str) -> Vec<&Entry> {
        let places = self.places.get(stem).map_or(&[][..], Vec::as_slice);
        places.iter().filter_map(|&place| self.entries.get(place)).collect()
    }

    fn folder_named(&self, part: &str) -> Option<&Entry> {
        let folded = part.to_lowercase();
        let entries = self.named(stem_of(&folded));
        let exact = entries.iter().find(|entry| entry.text == part);
        exact.or_else(|| entries.iter().find(|entry| entry.folded == folded)).copied()
    }
}

/// A name without what follows its last dot.
fn stem_of(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// A name, taken apart.
struct Wanted {
    /// The folders before the file, then fewer and fewer of them, at last none.
    tails: Vec<Vec<String>>,
    is_absolute: bool,
    /// The file's name as written.
    file: String,
    /// Without its extension.
    stem: String,
    /// Of the whole file name, in lower case.
    file_stem: String,
    /// File names without extension in lower case, the likeliest first, and how they differ from what is written.
    stems: Vec<(String, FoundAs)>,
}

impl Wanted {
    fn new(name: &str) -> Option<Self> {
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
        // `..` leads nowhere from another folder.
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

    /// Paths below a folder, for people.
    fn tried(&self) -> Vec<String> {
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

/// What a sphere map does to the image below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SphereBlend {
    /// It is multiplied with it: `.sph`.
    Multiplied,
    /// It is added to it: `.spa`.
    Added,
}

/// The parts of a name as MikuMikuDance writes it, `base.bmp*env.sph` for an image and a sphere map, each with what it does as the
/// latter.
fn parts_of(name: &str) -> impl Iterator<Item = (&str, Option<SphereBlend>)> {
    let parts = Some(name).filter(|name| name.len() <= LONGEST_NAME).into_iter().flat_map(|name| name.split('*'));
    parts.map(str::trim).filter(|part| !part.is_empty()).map(|part| {
        let extension = part.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is = |kind: &str| extension.eq_ignore_ascii_case(kind);
        let multiplied = is("sph").then_some(SphereBlend::Multiplied);
        (part, multiplied.or_else(|| is("spa").then_some(SphereBlend::Added)))
    })
}

/// The part of a name that stands for the surface's image.
fn surface_of(name: &str) -> Option<&str> {
    parts_of(name).find_map(|(part, sphere)| sphere.is_none().then_some(part))
}

/// The part of a name that stands for a sphere map.
fn sphere_of(name: &str) -> Option<(&str, SphereBlend)> {
    parts_of(name).find_map(|(part, sphere)| Some((part, sphere?)))
}

/// The folder, then those above it.
pub(crate) fn folders_from(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::iter::successors(Some(folder.to_owned()), |folder| above(folder))
}

/// The folder above one, by its name alone; `None` above the root.
pub(crate) fn above(folder: &Path) -> Option<PathBuf> {
    if let Some((archive, name)) = member::split(folder) {
        return match name.trim_matches('/') {
            "" => above(archive),
            name => Some(member::join(archive, name::folder_of(name))),
        };
    }
    match folder.components().next_back() {
        Some(Component::Normal(_)) => folder.parent().map(Path::to_owned),
        None => Some(PathBuf::from("..")),
        Some(Component::CurDir) => folder.parent().map(|before| before.join("..")),
        Some(Component::ParentDir) => Some(folder.join("..")),
        Some(Component::RootDir | Component::Prefix(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A folder with empty files.
    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str, files: &[&str]) -> Self {
            let root = std::env::temp_dir().join(format!("bindpose-images-{}-{test}", std::process::id()));
            for file in files {
                let path = root.join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "").unwrap();
            }
            Self(root)
        }

        /// The file below the root, how it was found, and how far above.
        fn find(&self, model: &str, name: &str) -> Option<(String, FoundAs, usize)> {
            match ImageFinder::default().find(&[self.0.join(model)], name) {
                ImageSearch::Found(FoundImage { path, found_as, above }) => {
                    let inside = path.strip_prefix(&self.0).unwrap();
                    Some((inside.to_string_lossy().replace('\\', "/"), found_as, above))
                }
                ImageSearch::Missing { .. } | ImageSearch::NoImage => None,
            }
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn names_lead_to_images() {
        use FoundAs::{Loosely, OtherExtension, QuakeSkin, Written};
        let files = [
            "base/models/md5/imp/imp.png",
            "base/models/md5/imp/Wall.TGA",
            "base/models/md5/imp/claw_d.png",
            "base/models/md5/imp/ogre_00_00.lmp",
            "base/models/md5/imp/sub/deep.tga",
            "base/models/md5/imp/old.gif",
            "base/models/md5/imp/髪.bmp",
            "base/models/monsters/imp/skin.tga",
            "base/models/monsters/imp/skin_local.tga",
            "base/shared.png",
            "mods/pigs/Textures/pig.png",
            "mods/pigs/models/textures/spots.png",
        ];
        let folder = Folder::new("names", &files);
        let imp = "base/models/md5/imp/";
        let cases = [
            ("imp.png", Some(("imp.png", Written, 0))),
            ("imp", Some(("imp.png", OtherExtension, 0))),
            ("imp.jpg", Some(("imp.png", OtherExtension, 0))),
            ("C:\\art\\IMP.PNG", Some(("imp.png", Loosely, 0))),
            ("/home/someone/imp.png", Some(("imp.png", Loosely, 0))),
            ("wall", Some(("Wall.TGA", Loosely, 0))),
            ("Wall", Some(("Wall.TGA", OtherExtension, 0))),
            ("textures/base/wall.tga", Some(("Wall.TGA", Loosely, 0))),
            ("models/whatever/claw", Some(("claw_d.png", Loosely, 0))),
            ("ogre", Some(("ogre_00_00.lmp", QuakeSkin, 0))),
            ("sub\\deep.tga", Some(("sub/deep.tga", Written, 0))),
            // The end of an absolute path, folders and all.
            ("D:/art/Sub/deep.tga", Some(("sub/deep.tga", Loosely, 0))),
            ("old.gif", Some(("old.gif", Written, 0))),
            ("髪.bmp", Some(("髪.bmp", Written, 0))),
            ("imp.png*env.sph", Some(("imp.png", Written, 0))),
            ("env.spa*imp.png", Some(("imp.png", Written, 0))),
            ("env.sph", None),
            ("skin", None),
            ("", None),
            ("..", None),
            ("/", None),
        ];
        for (name, found) in cases {
            let found = found.map(|(path, found_as, above)| (format!("{imp}{path}"), found_as, above));
            assert_eq!(folder.find("base/models/md5/imp", name), found, "{name}");
        }
        let beside = |name| folder.find("mods/pigs/models", name);
        assert_eq!(beside("pig.png"), Some(("mods/pigs/Textures/pig.png".to_owned(), Loosely, 1)));
        assert_eq!(beside("C:\\art\\Pig.tga"), Some(("mods/pigs/Textures/pig.png".to_owned(), Loosely, 1)));
        assert_eq!(beside("spots"), Some(("mods/pigs/models/textures/spots.png".to_owned(), Loosely, 0)));
        assert_eq!(folder.find("mods/pigs", "spots.png"), None);
        let outside = [
            ("models/monsters/imp/skin", "base/models/monsters/imp/skin.tga", OtherExtension, 3),
            ("models/monsters/imp/skin_local", "base/models/monsters/imp/skin.tga", Loosely, 3),
            ("..\\..\\monsters\\imp\\skin.tga", "base/models/monsters/imp/skin.tga", Written, 0),
            ("/q4/base/models/monsters/imp/skin.tga", "base/models/monsters/imp/skin.tga", Loosely, 4),
            ("shared.png", "base/shared.png", Written, 3),
        ];
        for (name, path, found_as, above) in outside {
            let found = folder.find("base/models/md5/imp", name);
            assert_eq!(found, Some((path.to_owned(), found_as, above)), "{name}");
        }
    }

    #[test]
    fn sphere_maps_lie_beside_their_image() {
        use SphereBlend::{Added, Multiplied};
        let folder = Folder::new("spheres", &["m/base.bmp", "m/Env.sph", "m/shine.spa"]);
        let find = |name| {
            let (found, blend) = ImageFinder::default().find_sphere(&[folder.0.join("m")], name)?;
            let ImageSearch::Found(found) = found else { panic!("{found:?}") };
            Some((found.path.file_name().unwrap().to_string_lossy().into_owned(), blend))
        };
        assert_eq!(find("base.bmp*env.sph"), Some(("Env.sph".to_owned(), Multiplied)));
        assert_eq!(find("shine.SPA * base.bmp"), Some(("shine.spa".to_owned(), Added)));
        assert_eq!(find("shine.spa"), Some(("shine.spa".to_owned(), Added)));
        assert_eq!(find("base.bmp"), None);
        assert_eq!(folder.find("m", "shine.spa"), None, "it is no image of the surface");
    }

    #[test]
    fn folders_lie_above_a_relative_one() {
        let above: Vec<PathBuf> = folders_from(Path::new("a/b")).take(5).collect();
        assert_eq!(above, ["a/b", "a", "", "..", "../.."].map(PathBuf::from));
        assert_eq!(folders_from(Path::new("/a")).collect::<Vec<_>>(), ["/a", "/"].map(PathBuf::from));
    }

    #[test]
    fn a_missing_image_lists_what_was_tried() {
        let search = ImageFinder::default().find(&[], "models/imp/skin.tga");
        let ImageSearch::Missing { tried } = search else { panic!("{search:?}") };
        assert_eq!(tried.first().map(String::as_str), Some("models/imp/skin.tga"));
        assert!(tried.contains(&"skin_d.png".to_owned()), "{tried:?}");
    }
}
