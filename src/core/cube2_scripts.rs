//! Cube 2's `md5.cfg`: which images a model's surfaces show, and which clips it has.
//!
//! A script is a list of commands, a line each: words, quoted ones whole, `//` to the end of a line is a comment. Paths are relative to
//! its folder. Known here are `md5load FILE`, `md5skin MESH|* DIFFUSE [MASK …]`, `md5bumpmap MESH|* NORMAL` and
//! `md5anim NAME FILE [FRAMES-PER-SECOND …]` and, for `info` alone, `md5tag JOINT TAG`; `<dds>` stands before a path for which a .dds file may stand.

use crate::image_habits::{Folder, Role};
use crate::image_search::{ImageFinder, above};
use crate::read;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The commands that are known here.
const COMMANDS: [&str; 6] = ["md5load", "md5skin", "md5bumpmap", "md5anim", "md5tag", "mdlscale"];
/// Words of a command that mean something here.
const MOST_WORDS: usize = 4;
/// Bytes of all scripts around a folder; more than that are left out.
const LARGEST_SCRIPTS: u64 = 4 << 20;

/// Clips that are made of one file: a short script could ask for thousands of a long one.
const MOST_NAMES: usize = 64;

/// A script.
#[derive(Debug)]
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

/// The scripts that may load the models of a folder: in it, in those right below it, and in the one above.
pub(crate) fn around(finder: &ImageFinder, folder: &Path) -> Vec<Script> {
    let listing = finder.listing(folder);
    let below = listing.entries().iter().filter(|entry| entry.extension().is_empty());
    let below = below.map(|entry| folder.join(&entry.name));
    let folders = std::iter::once(folder.to_owned()).chain(below).chain(above(folder));
    let mut left = LARGEST_SCRIPTS;
    let script =
        |folder: PathBuf| Script::read(Folder::of(finder, &folder).with_extension("md5", &["cfg"])?, &mut left);
    folders.filter_map(script).collect()
}

/// Those of some scripts that load the model of a name.
pub(crate) fn of_model<'s>(scripts: &'s [Script], stem: &'s str) -> impl Iterator<Item = &'s Script> {
    scripts.iter().filter(move |script| script.loads(stem))
}

/// The clips that the first script which has any gives to the model of a file.
pub(crate) fn anims_of(mesh: &Path) -> Vec<Anim> {
    let stem = mesh.file_stem().unwrap_or_default().to_string_lossy();
    let scripts = ImageFinder::default().cube2_scripts(&read::folder_of(mesh));
    of_model(&scripts, &stem).map(Script::anims).find(|anims| !anims.is_empty()).unwrap_or_default()
}

/// How large Cube 2 shows the model of a file, 1 for its own size, and the script that says so.
pub fn scale_of(finder: &ImageFinder, mesh: &Path) -> Option<(f64, PathBuf)> {
    let stem = mesh.file_stem()?.to_string_lossy();
    let scripts = finder.cube2_scripts(&read::folder_of(mesh));
    of_model(&scripts, &stem).find_map(|script| Some((script.scale()?, script.path.clone())))
}

/// The joints of a model to which Cube 2 attaches something, each with what the game calls the place, and the script that says so.
pub fn tags_of(finder: &ImageFinder, mesh: &Path) -> Option<(Vec<[String; 2]>, PathBuf)> {
    let stem = mesh.file_stem()?.to_string_lossy();
    let scripts = finder.cube2_scripts(&read::folder_of(mesh));
    let tags = |script: &Script| script.all("md5tag").filter_map(|words| words.first_chunk::<2>().cloned()).collect();
    let mut found = of_model(&scripts, &stem).map(|script| (tags(script), script.path.clone()));
    found.find(|(tags, _): &(Vec<_>, _)| !tags.is_empty())
}

impl Script {
    fn read(path: PathBuf, left: &mut u64) -> Option<Self> {
        let bytes = read::up_to(&path, *left).ok()?;
        *left -= bytes.len() as u64;
        Some(Self::parse(path, &String::from_utf8_lossy(&bytes)))
    }

    fn parse(path: PathBuf, text: &str) -> Self {
        let is_known = |words: &Vec<String>| words.first().is_some_and(|first| COMMANDS.contains(&first.as_str()));
        Self { path, commands: text.lines().map(words).filter(is_known).collect() }
    }

    /// The words behind each command of a name.
    fn all(&self, command: &str) -> impl Iterator<Item = &[String]> {
        self.commands
            .iter()
            .filter_map(move |words| words.split_first().filter(|(first, _)| *first == command))
            .map(|(_, rest)| rest)
    }

    /// Whether it loads the model of that name.
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
            // A mask's green, which stands for it, is not a picture by itself.
            Role::Glow => return None,
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

    /// As a share: the last one counts, and none that is not over 0.
    fn scale(&self) -> Option<f64> {
        let percent: f64 = self.all("mdlscale").last()?.first()?.parse().ok()?;
        Some(percent / 100.0).filter(|scale| scale.is_finite() && *scale > 0.0)
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

/// The words of a line, as far as they count.
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
        let tags = |model: &str| tags_of(&ImageFinder::default(), &folder.join(model));
        let (gun, other) = (tags("gun.md5mesh"), tags("other.md5mesh"));
        std::fs::remove_dir_all(&folder).unwrap();
        let expected = [["tip", "tag_muzzle"], ["the grip", "tag_hand"]].map(|pair| pair.map(str::to_owned));
        assert_eq!((gun, other), (Some((expected.to_vec(), folder.join("md5.cfg"))), None));
    }

    #[test]
    fn a_script_names_clips_and_their_pace() {
        let text = "md5load ../gun.md5mesh\nmd5anim \"gun fire\" \"../shoot.md5anim\" 40 // quick\nmd5anim idle idle.md5anim\nmd5anim x y 0\nmd5anim lonely\n";
        let script = Script::parse("w/hwep/md5.cfg".into(), text);
        assert!(script.loads("Gun") && !script.loads("gunner"));
        let anim = |name: &str, path: &str, rate| Anim { name: name.into(), path: path.into(), rate };
        let expected = [
            anim("gun fire", "w/shoot.md5anim", Some(40.0)),
            anim("idle", "w/hwep/idle.md5anim", None),
            anim("x", "w/hwep/y", None),
        ];
        assert_eq!(script.anims(), expected);
        assert_eq!(script.scale(), None);
        let scale = |text: &str| Script::parse("md5.cfg".into(), text).scale();
        assert_eq!(scale("mdlscale 956.25\nmdlscale 125 // larger"), Some(1.25));
        assert_eq!([scale("mdlscale 0"), scale("mdlscale inf"), scale("//mdlscale 2")], [None; 3]);
        let many: String = (0..100).map(|number| format!("md5anim n{number} a\n")).collect();
        let script = Script::parse("md5.cfg".into(), &(many + "md5anim m b"));
        assert_eq!(script.anims().len(), MOST_NAMES + 1);
    }
}
