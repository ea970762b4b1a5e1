//! Cube 2's `md5.cfg`: images of a model's surfaces, its clips, scale and tags.
//!
//! A script is a list of commands, one per line. Quotes join words, and `//` starts a comment. Paths are relative to
//! its folder. Supported are `md5load FILE`, `md5skin MESH|* DIFFUSE [MASK …]`, `md5bumpmap MESH|* NORMAL`, `md5anim
//! NAME FILE [FRAMES-PER-SECOND …]`, `mdlscale PERCENT` and, for `info` only, `md5tag JOINT TAG`. The prefix `<dds>`
//! allows a .dds file instead.

use super::choices::ImageRole;
use super::listing::Folder;
use crate::read;
use bindpose_vfs::{Listings, member};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Supported commands.
const COMMANDS: [&str; 6] = ["md5load", "md5skin", "md5bumpmap", "md5anim", "md5tag", "mdlscale"];
/// Largest number of words kept of a command.
const MOST_WORDS: usize = 4;
/// Largest number of bytes read of all scripts around a folder.
const LARGEST_SCRIPTS: u64 = 4 << 20;

/// Largest number of clips per file: a short script could name a long file thousands of times.
const MOST_NAMES: usize = 64;

/// A script.
#[derive(Debug)]
pub(super) struct Cube2Script {
    pub path: PathBuf,
    /// Words of each command.
    commands: Vec<Vec<String>>,
}

/// A clip that a script names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Anim {
    /// Name in the game.
    pub name: String,
    /// Its file, which may be missing.
    pub path: PathBuf,
    /// Frames per second. `None` for the file's own.
    pub rate: Option<f64>,
}

/// Reads the scripts that may load the models of a folder: those in it, in its subfolders and in its parent.
pub(super) fn around(listings: &Listings, folder: &Path) -> Vec<Cube2Script> {
    let listing = listings.of(folder);
    let below = listing.of_extension("").map(|entry| folder.join(&entry.name));
    let folders = std::iter::once(folder.to_owned()).chain(below).chain(member::above(folder));
    let mut left = LARGEST_SCRIPTS;
    let script =
        |folder: PathBuf| Cube2Script::read(Folder::of(listings, &folder).with_extension("md5", &["cfg"])?, &mut left);
    folders.filter_map(script).collect()
}

/// Scripts that load a model.
pub(super) fn of_model<'s>(scripts: &'s [Cube2Script], stem: &'s str) -> impl Iterator<Item = &'s Cube2Script> {
    scripts.iter().filter(move |script| script.loads(stem))
}

impl Cube2Script {
    fn read(path: PathBuf, left: &mut u64) -> Option<Self> {
        let bytes = read::up_to(&path, *left).ok()?;
        *left -= bytes.len() as u64;
        Some(Self::parse(path, &String::from_utf8_lossy(&bytes)))
    }

    fn parse(path: PathBuf, text: &str) -> Self {
        let is_known = |words: &Vec<String>| words.first().is_some_and(|first| COMMANDS.contains(&first.as_str()));
        Self { path, commands: text.lines().map(words).filter(is_known).collect() }
    }

    /// Returns the arguments of each command with this name.
    fn all(&self, command: &str) -> impl Iterator<Item = &[String]> {
        self.commands
            .iter()
            .filter_map(move |words| words.split_first().filter(|(first, _)| *first == command))
            .map(|(_, rest)| rest)
    }

    /// True if the script loads this model.
    fn loads(&self, stem: &str) -> bool {
        self.all("md5load").filter_map(|rest| rest.first()).any(|file| {
            Path::new(file).file_stem().is_some_and(|name| name.to_string_lossy().eq_ignore_ascii_case(stem))
        })
    }

    /// Returns the image of a surface known by any of the names, else the image for all surfaces. Returns `None` if the
    /// file is missing.
    pub fn image(&self, surfaces: &[&str], role: ImageRole) -> Option<PathBuf> {
        let (command, place) = match role {
            ImageRole::Base => ("md5skin", 0),
            ImageRole::Normal => ("md5bumpmap", 0),
            ImageRole::Specular => ("md5skin", 1),
            // Green of a mask is the glow. No separate image has it.
            ImageRole::Glow => return None,
        };
        let of = |is_its: &dyn Fn(&str) -> bool| {
            self.all(command).find_map(|words| {
                let (mesh, images) = words.split_first()?;
                images.get(place).filter(|_| is_its(mesh))
            })
        };
        let named = of(&|mesh| surfaces.iter().any(|surface| surface.eq_ignore_ascii_case(mesh)));
        let image = named.or_else(|| of(&|mesh| mesh == "*"))?;
        let (image, prefers_dds) = image.strip_prefix("<dds>").map_or((&image[..], false), |image| (image, true));
        let written = self.inside(image);
        let dds = written.with_extension("dds");
        let found = if prefers_dds && read::is_file(&dds) { dds } else { written };
        Some(found).filter(|found| read::is_file(found))
    }

    /// Returns the joints with their tags, the game's names for the attachments there.
    pub fn tags(&self) -> Vec<[String; 2]> {
        self.all("md5tag").filter_map(|words| words.first_chunk::<2>().cloned()).collect()
    }

    /// Returns the scale of the model set by the last `mdlscale`, 1 for its own size. Returns `None` unless positive.
    pub fn scale(&self) -> Option<f64> {
        let percent: f64 = self.all("mdlscale").last()?.first()?.parse().ok()?;
        Some(percent / 100.0).filter(|scale| scale.is_finite() && *scale > 0.0)
    }

    /// Returns the clips that the script names.
    pub fn anims(&self) -> Vec<Anim> {
        let anim = |words: &[String]| match words {
            [name, file, rest @ ..] => Some(Anim {
                name: name.clone(),
                path: self.inside(file),
                rate: rest
                    .first()
                    .and_then(|rate| rate.parse().ok())
                    .filter(|rate: &f64| rate.is_finite() && *rate > 0.0),
            }),
            _ => None,
        };
        let mut names_of: HashMap<PathBuf, usize> = HashMap::new();
        let is_fine = |anim: &Anim| {
            let names = names_of.entry(anim.path.clone()).or_default();
            *names += 1;
            *names <= MOST_NAMES
        };
        self.all("md5anim").filter_map(anim).filter(is_fine).collect()
    }

    /// Resolves a path relative to the script's folder. `..` is resolved by name.
    fn inside(&self, path: &str) -> PathBuf {
        let mut place = read::folder_of(&self.path);
        for part in path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".") {
            match part {
                ".." => place = member::above(&place).unwrap_or(place),
                part => place.push(part),
            }
        }
        place
    }
}

/// Splits a line into words, at most [`MOST_WORDS`].
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() && !rest.starts_with("//") && words.len() < MOST_WORDS {
        let (word, behind) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        words.push(word.to_owned());
        rest = behind.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_names_the_joints_that_something_is_attached_to() {
        let folder = std::env::temp_dir().join(format!("bindpose-tags-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let text = "md5load gun.md5mesh\nmd5tag tip tag_muzzle\nmd5tag \"the grip\" tag_hand 0 -0.35\nmd5tag lonely\n";
        std::fs::write(folder.join("md5.cfg"), text).unwrap();
        let tags = |model: &str| super::super::ImageFinder::default().cube2_tags(&folder.join(model));
        let (gun, other) = (tags("gun.md5mesh"), tags("other.md5mesh"));
        std::fs::remove_dir_all(&folder).unwrap();
        let expected = [["tip", "tag_muzzle"], ["the grip", "tag_hand"]].map(|pair| pair.map(str::to_owned));
        assert_eq!((gun, other), (Some((expected.to_vec(), folder.join("md5.cfg"))), None));
    }

    #[test]
    fn a_script_names_clips_and_their_pace() {
        let text = "md5load ../gun.md5mesh\nmd5anim \"gun fire\" \"../shoot.md5anim\" 40 // quick\nmd5anim idle idle.md5anim\nmd5anim x y 0\nmd5anim lonely\n";
        let script = Cube2Script::parse("w/hwep/md5.cfg".into(), text);
        assert!(script.loads("Gun") && !script.loads("gunner"));
        let anim = |name: &str, path: &str, rate| Anim { name: name.into(), path: path.into(), rate };
        let expected = [
            anim("gun fire", "w/shoot.md5anim", Some(40.0)),
            anim("idle", "w/hwep/idle.md5anim", None),
            anim("x", "w/hwep/y", None),
        ];
        assert_eq!(script.anims(), expected);
        assert_eq!(script.scale(), None);
        let scale = |text: &str| Cube2Script::parse("md5.cfg".into(), text).scale();
        assert_eq!(scale("mdlscale 956.25\nmdlscale 125 // larger"), Some(1.25));
        assert_eq!([scale("mdlscale 0"), scale("mdlscale inf"), scale("//mdlscale 2")], [None; 3]);
        let many: String = (0..100).map(|number| format!("md5anim n{number} a\n")).collect();
        let script = Cube2Script::parse("md5.cfg".into(), &(many + "md5anim m b"));
        assert_eq!(script.anims().len(), MOST_NAMES + 1);
    }
}
