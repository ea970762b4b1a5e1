//! Cube 2's `md5.cfg`: which images a model's surfaces show, and which clips it has.
//!
//! A script is a list of commands, a line each: words, quoted ones whole, `//` to the end of a line is a comment. Paths are relative to
//! its folder. Known here are `md5load FILE`, `md5skin MESH|* DIFFUSE [MASK …]`, `md5bumpmap MESH|* NORMAL` and
//! `md5anim NAME FILE [FRAMES-PER-SECOND …]`; `<dds>` stands before a path for which a .dds file may stand.

use crate::image_habits::{Folder, Role};
use crate::image_search::{ImageFinder, above};
use crate::read;
use crate::shader_scripts::LARGEST_SCRIPT;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Clips that are made of one file: a short script could ask for thousands of a long one.
const MOST_NAMES: usize = 64;

/// A script.
pub(crate) struct Script {
    /// Where it is.
    pub path: PathBuf,
    /// The words of each command.
    commands: Vec<Vec<String>>,
}

/// A clip that a script names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Anim {
    /// What the game calls it.
    pub name: String,
    /// Its file, which may not be there.
    pub path: PathBuf,
    /// Frames per second; the file's own pace where the script gives none.
    pub rate: Option<f64>,
}

/// The scripts that load a model: in its folder, in those right below it, and in the one above.
pub(crate) fn scripts_of<'f>(
    finder: &'f ImageFinder,
    beside: &Folder<'_>,
    stem: &'f str,
) -> impl Iterator<Item = Script> + use<'f> {
    let below = beside.listing.entries().iter().filter(|entry| entry.extension().is_empty());
    let mut folders = vec![beside.path.to_owned()];
    folders.extend(below.map(|entry| beside.path.join(&entry.name)));
    folders.extend(above(beside.path));
    // Looked up in what was listed once: a model may have thousands of surfaces.
    let config = |folder: PathBuf| Folder::of(finder, &folder).with_extension("md5", &["cfg"]);
    folders.into_iter().filter_map(config).filter_map(Script::read).filter(move |script| script.loads(stem))
}

/// The clips that the first script which has any gives to the model of a file.
pub(crate) fn anims_of(mesh: &Path) -> Vec<Anim> {
    let (finder, folder) = (ImageFinder::default(), read::folder_of(mesh));
    let beside = Folder::of(&finder, &folder);
    let stem = mesh.file_stem().unwrap_or_default().to_string_lossy();
    scripts_of(&finder, &beside, &stem).map(|script| script.anims()).find(|anims| !anims.is_empty()).unwrap_or_default()
}

impl Script {
    fn read(path: PathBuf) -> Option<Self> {
        let bytes = read::up_to(&path, LARGEST_SCRIPT).ok()?;
        let commands = String::from_utf8_lossy(&bytes).lines().map(words).collect();
        Some(Self { path, commands })
    }

    /// The words behind each command of a name.
    fn all(&self, command: &str) -> impl Iterator<Item = &[String]> {
        self.commands
            .iter()
            .filter_map(move |words| words.split_first().filter(|(first, _)| *first == command))
            .map(|(_, rest)| rest)
    }

    fn loads(&self, stem: &str) -> bool {
        self.all("md5load").filter_map(|rest| rest.first()).any(|file| {
            Path::new(file).file_stem().is_some_and(|name| name.to_string_lossy().eq_ignore_ascii_case(stem))
        })
    }

    /// The image of the first of some surfaces that the script names, else of all.
    pub fn image(&self, surfaces: &[&str], role: Role) -> Option<PathBuf> {
        let (command, place) = match role {
            Role::Picture => ("md5skin", 0),
            Role::Normal => ("md5bumpmap", 0),
            Role::Specular => ("md5skin", 1),
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

    fn anims(&self) -> Vec<Anim> {
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

    /// A path from the script's folder on, its `..` undone where that can be seen.
    fn inside(&self, path: &str) -> PathBuf {
        let mut place = read::folder_of(&self.path);
        for part in path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".") {
            match part {
                ".." => place = above(&place).unwrap_or(place),
                part => place.push(part),
            }
        }
        place
    }
}

/// The words of a line.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() && !rest.starts_with("//") {
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
    fn a_script_names_clips_and_their_pace() {
        let text = "md5load ../gun.md5mesh\nmd5anim \"gun fire\" \"../shoot.md5anim\" 40 // quick\nmd5anim idle idle.md5anim\nmd5anim x y 0\nmd5anim lonely\n";
        let script = Script { path: "w/hwep/md5.cfg".into(), commands: text.lines().map(words).collect() };
        assert!(script.loads("Gun") && !script.loads("gunner"));
        let anim = |name: &str, path: &str, rate| Anim { name: name.into(), path: path.into(), rate };
        let expected = [
            anim("gun fire", "w/shoot.md5anim", Some(40.0)),
            anim("idle", "w/hwep/idle.md5anim", None),
            anim("x", "w/hwep/y", None),
        ];
        assert_eq!(script.anims(), expected);
        let many: String = (0..100).map(|number| format!("md5anim n{number} a\n")).collect();
        let script = Script { path: "md5.cfg".into(), commands: (many + "md5anim m b").lines().map(words).collect() };
        assert_eq!(script.anims().len(), MOST_NAMES + 1);
    }
}
