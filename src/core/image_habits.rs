//! Where games keep the image of a model whose file leads to none, and what a user wants instead.

#[cfg(test)]
mod tests;

use crate::image_search::{
    ANCESTORS, EXTENSIONS, Entry, FoundAs, ImageFinder, ImageSearch, Listing, above, folders_from,
};
use crate::read;
use crate::shader_scripts::{LARGEST_SCRIPT, Shader, shader_of_skin, skin_rows};
use bindpose_vfs::member;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Images that a user wants instead of those that the files name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Files, and whose they are.
    pub files: Vec<WantedFile>,
    /// Folders that are searched before all others.
    pub folders: Vec<PathBuf>,
    /// The `.skin` of Quake III's family that a model wears, where one of this name lies beside it: [`skin_beside`].
    pub skin: Option<String>,
}

/// An image that a user wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedFile {
    /// The mesh or material whose surfaces show it; `None` for all that no other names.
    pub surface: Option<String>,
    /// As what they show it.
    pub role: Role,
    /// Where it is.
    pub path: PathBuf,
}

/// What an image is on a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// What the surface looks like.
    Picture,
    /// Its normals.
    Normal,
    /// How bright its highlights are.
    Specular,
    /// What shines by itself.
    Glow,
}

impl Role {
    /// Those beside the picture.
    pub const LAYERS: [Self; 3] = [Self::Normal, Self::Specular, Self::Glow];

    /// For people, and for options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Picture => "picture",
            Self::Normal => "normal",
            Self::Specular => "specular",
            Self::Glow => "glow",
        }
    }
}

/// An image that a surface has beside its picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// Where it is.
    pub path: PathBuf,
    /// Why it is that one.
    pub rule: ImageRule,
    /// Whether its red channel alone is meant, as in Cube 2's masks, whose green is a glow and whose blue are reflections.
    pub is_mask: bool,
    /// Of normals, whether green grows where the surface leans up the image, as in glTF; else down the image, as in id Tech 4,
    /// Cube 2 and Daemon.
    pub green_is_up: bool,
}

/// Why an image is a surface's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageRule {
    /// The user says so.
    Wanted,
    /// The file names it.
    Named(FoundAs),
    /// Cube 2's `md5.cfg` does.
    Cube2(PathBuf),
    /// A shader of Daemon's or Quake III's family does, which the file names or a `.skin` beside it.
    Shader {
        /// Its name.
        name: String,
        /// The script that has it; none has, where its name is that of an image.
        script: Option<PathBuf>,
        /// What names it, but for the file.
        skin: Option<PathBuf>,
    },
    /// It is called like the model, with the number of a skin.
    Quake,
    /// It is the first of the skins that the `.md2` beside the model's folder lists.
    Quake2(PathBuf),
    /// It lies in a `textures` folder beside the model's and is called like the model, as in Luanti's mods.
    Luanti,
    /// It is called like the model and lies beside it.
    LikeModel,
    /// It is called as the image of a folder's only model often is.
    Usual,
}

impl fmt::Display for ImageRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wanted => out.write_str("as asked for"),
            Self::Named(FoundAs::Written) => out.write_str("named in the file"),
            Self::Named(FoundAs::OtherExtension) => out.write_str("named in the file, but for its extension"),
            Self::Named(FoundAs::QuakeSkin) => out.write_str("a Quake skin of the name in the file"),
            Self::Named(FoundAs::Loosely) => out.write_str("much like the name in the file"),
            Self::Cube2(config) => write!(out, "named in {}", config.display()),
            Self::Shader { name, script, skin } => {
                write!(out, "shader {name}")?;
                if let Some(script) = script {
                    write!(out, " of {}", script.display())?;
                }
                skin.iter().try_for_each(|skin| write!(out, ", which {} names", skin.display()))
            }
            Self::Quake => out.write_str("a Quake skin of the model"),
            Self::Quake2(list) => write!(out, "the first skin of {}", list.display()),
            Self::Luanti => out.write_str("Luanti: called like the model, in ../textures"),
            Self::LikeModel => out.write_str("called like the model"),
            Self::Usual => out.write_str("the usual name of an image beside a model"),
        }
    }
}

/// A surface, as far as its file describes it.
#[derive(Debug, Clone, Copy)]
pub struct Surface<'a> {
    /// What the file calls its image; `None` where it names none.
    pub name: Option<&'a str>,
    /// The names of its material and meshes.
    pub known_as: &'a [&'a str],
    /// Whether the file gives it no colour of its own either.
    pub is_plain: bool,
}

/// A model, as far as its images are looked for.
#[derive(Debug, Clone, Copy)]
pub struct Searched<'a> {
    /// The model's file, without its extension.
    pub stem: &'a str,
    /// The folders of the files that it came from.
    pub folders: &'a [PathBuf],
    /// What a user wants.
    pub wanted: &'a Wanted,
}

/// What came of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// An image, and why it is the one.
    Image(PathBuf, ImageRule),
    /// None; these paths were looked for below the folders, the likeliest first.
    Missing {
        /// Relative, with `/`.
        tried: Vec<String>,
    },
    /// The surface has no image.
    NoImage,
}

/// What normal maps beside a picture of a usual name are called.
const USUAL_NORMALS: [&str; 5] = ["normal", "normals", "norm", "normalmap", "normal_map"];
/// What specular maps are.
const USUAL_SPECULARS: [&str; 3] = ["specular", "spec", "specularmap"];
/// What Cube 2's masks are.
const USUAL_MASKS: [&str; 2] = ["mask", "masks"];

/// Names that an image beside a model has where nothing but the folder says whose it is.
const USUAL: [&str; 8] = ["diffuse", "skin", "albedo", "basecolor", "base_color", "color", "colour", "texture"];

impl Searched<'_> {
    /// The image of a surface.
    pub fn find(&self, finder: &ImageFinder, surface: &Surface<'_>) -> Found {
        if let Some((path, rule)) = self.wanted(finder, surface) {
            return Found::Image(path, rule);
        }
        let tried = match surface.name.map(|name| finder.find(self.folders, name)) {
            Some(ImageSearch::Found(found)) => return Found::Image(found.path, ImageRule::Named(found.found_as)),
            Some(ImageSearch::NoImage) => return Found::NoImage,
            Some(ImageSearch::Missing { tried }) => Some(tried),
            None => None,
        };
        match (self.by_habit(finder, surface), tried) {
            (Some((path, rule)), _) => Found::Image(path, rule),
            (None, Some(tried)) => Found::Missing { tried },
            (None, None) => Found::NoImage,
        }
    }

    /// The image that a user wants for a surface: one that is named, one of a wanted folder, one of a wanted skin.
    pub fn wanted(&self, finder: &ImageFinder, surface: &Surface<'_>) -> Option<(PathBuf, ImageRule)> {
        let named = self.wanted_file(surface, Role::Picture).or_else(|| self.wanted_in_folders(finder, surface));
        named.map(|path| (path, ImageRule::Wanted)).or_else(|| {
            let name = self.wanted.skin.as_deref()?;
            let of_skin = |folder: &PathBuf| {
                let beside = Folder::of(finder, folder);
                beside.skin_named(self.stem, name)?;
                Some(self.shader(finder, &beside, surface, Role::Picture)?.0)
            };
            self.folders.iter().find_map(of_skin)
        })
    }

    /// The picture of a surface in the folders that a user wants.
    fn wanted_in_folders(&self, finder: &ImageFinder, surface: &Surface<'_>) -> Option<PathBuf> {
        let folders = &self.wanted.folders;
        let named = surface.name.and_then(|name| finder.path_of(folders, name));
        named.or_else(|| folders.iter().find_map(|folder| Folder::of(finder, folder).like(self.stem)))
    }

    fn wanted_file(&self, surface: &Surface<'_>, role: Role) -> Option<PathBuf> {
        let is_for = |name: &str| surface.known_as.iter().any(|known| known.eq_ignore_ascii_case(name));
        let in_role = || self.wanted.files.iter().filter(|wanted| wanted.role == role);
        let named = in_role().find(|wanted| wanted.surface.as_deref().is_some_and(is_for));
        let found = named.or_else(|| in_role().find(|wanted| wanted.surface.is_none()));
        found.map(|wanted| wanted.path.clone())
    }

    /// The image that a user wants for a surface beside its picture: one that is named, or one of a wanted folder that is called
    /// like the picture there and ends as such images do.
    pub fn wanted_layer(&self, finder: &ImageFinder, surface: &Surface<'_>, role: Role) -> Option<Layer> {
        let layer = |path, is_mask, green_is_up| Layer { path, rule: ImageRule::Wanted, is_mask, green_is_up };
        if let Some(path) = self.wanted_file(surface, role) {
            return Some(layer(path, false, true));
        }
        let picture = self.wanted_in_folders(finder, surface)?;
        let folder = read::folder_of(&picture);
        let beside = Folder::of(finder, &folder);
        let stem = picture.file_stem()?.to_string_lossy().to_lowercase();
        let base = ["_d", "_diffuse", "_00_00"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(&stem);
        let ends: &[&str] = match role {
            Role::Picture => return None,
            Role::Normal => &["_normal", "_normalmap", "_normals", "_norm", "_nm", "_n", "_local"],
            Role::Specular => &["_specular", "_spec", "_s", "_mask"],
            Role::Glow => &["_glow", "_luma"],
        };
        ends.iter().find_map(|end| {
            let path = beside.named(&format!("{base}{end}"))?;
            // Doom 3's own are called so.
            Some(layer(path, *end == "_mask", *end != "_local"))
        })
    }

    /// The image that a surface has beside its picture, where a game's script says so or the folder holds one of a usual name.
    pub fn layer_by_habit(&self, finder: &ImageFinder, surface: &Surface<'_>, role: Role) -> Option<Layer> {
        let layer = |(path, rule), is_mask| Layer { path, rule, is_mask, green_is_up: false };
        let scripted = self.folders.iter().find_map(|folder| {
            let beside = Folder::of(finder, folder);
            let cube2 = self.cube2(finder, &beside, surface, role).map(|found| layer(found, role == Role::Specular));
            cube2.or_else(|| {
                let (found, green_is_up) = self.shader(finder, &beside, surface, role)?;
                Some(Layer { green_is_up, ..layer(found, false) })
            })
        });
        scripted.or_else(|| {
            let (folder, found) = self.folders.iter().find_map(|folder| {
                let beside = Folder::of(finder, folder);
                let named =
                    |names: &[&str]| Some((names.iter().find_map(|name| beside.named(name))?, ImageRule::Usual));
                let found = match role {
                    Role::Picture | Role::Glow => None,
                    Role::Normal => named(&USUAL_NORMALS).map(|found| layer(found, false)),
                    Role::Specular => named(&USUAL_SPECULARS)
                        .map(|found| layer(found, false))
                        .or_else(|| named(&USUAL_MASKS).map(|found| layer(found, true))),
                };
                Some((folder, found?))
            })?;
            // Beside a picture of a usual name alone. To look for that is dear, so it comes last.
            let picture = self.find(finder, surface);
            matches!(picture, Found::Image(path, ImageRule::Usual) if read::folder_of(&path) == *folder)
                .then_some(found)
        })
    }

    /// The image of a surface whose file leads to none.
    ///
    /// One that has a colour and no name may well have no image: only skins, scripts and Luanti's folders say otherwise.
    pub fn by_habit(&self, finder: &ImageFinder, surface: &Surface<'_>) -> Option<(PathBuf, ImageRule)> {
        let wants_one = surface.is_plain || surface.name.is_some();
        self.folders.iter().find_map(|folder| {
            let beside = Folder::of(finder, folder);
            let skin = || Some((beside.named(&format!("{}_00_00", self.stem))?, ImageRule::Quake));
            let like_model = || Some((beside.like(self.stem)?, ImageRule::LikeModel));
            let usual = || Some((USUAL.iter().find_map(|usual| beside.named(usual))?, ImageRule::Usual));
            self.cube2(finder, &beside, surface, Role::Picture)
                .or_else(|| Some(self.shader(finder, &beside, surface, Role::Picture)?.0))
                .or_else(skin)
                .or_else(|| quake2(finder, &beside, self.stem))
                .or_else(|| luanti(finder, folder, self.stem))
                .or_else(|| like_model().or_else(usual).filter(|_| wants_one))
        })
    }

    /// The image that a script of Cube 2's gives to a surface.
    fn cube2(
        &self,
        finder: &ImageFinder,
        beside: &Folder<'_>,
        surface: &Surface<'_>,
        role: Role,
    ) -> Option<(PathBuf, ImageRule)> {
        let scripts = finder.cube2_scripts(beside.path);
        crate::cube2_scripts::of_model(&scripts, self.stem).find_map(|script| {
            let image = script.image(surface.known_as, role)?;
            Some((image, ImageRule::Cube2(script.path.clone())))
        })
    }

    /// The shader of Quake III's family that a surface has, where a script of its game declares it.
    pub fn shader_of(&self, finder: &ImageFinder, surface: &Surface<'_>) -> Option<Shader> {
        self.folders.iter().find_map(|folder| {
            let beside = Folder::of(finder, folder);
            let (name, _) = self.shader_name(&beside, surface)?;
            let games = folders_from(folder).take(1 + ANCESTORS);
            games.into_iter().find_map(|game| finder.scripts(&game).get(&name).map(|(_, shader)| shader.clone()))
        })
    }

    /// The shader of a surface by name, and the `.skin` that names it, if one does.
    fn shader_name(&self, beside: &Folder<'_>, surface: &Surface<'_>) -> Option<(String, Option<PathBuf>)> {
        let wanted = self.wanted.skin.as_deref().and_then(|name| beside.skin_named(self.stem, name));
        let skin = wanted.or_else(|| beside.skin(self.stem));
        let of_skin = skin.and_then(|skin| Some((shader_of_skin(&skin, surface.known_as)?, Some(skin))));
        of_skin.or_else(|| Some((surface.name?.to_owned(), None)))
    }

    /// The image that a shader gives to a surface: the one that a `.skin` beside the model names, else the one that the file does;
    /// of normals, whether green grows up the image.
    fn shader(
        &self,
        finder: &ImageFinder,
        beside: &Folder<'_>,
        surface: &Surface<'_>,
        role: Role,
    ) -> Option<((PathBuf, ImageRule), bool)> {
        let (name, skin) = self.shader_name(beside, surface)?;
        let image = |game: &Path, name: &str| finder.path_of(&[game.to_owned()], name);
        let of_script = folders_from(beside.path).take(1 + ANCESTORS).find_map(|game| {
            let scripts = finder.scripts(&game);
            let (script, shader) = scripts.get(&name)?;
            Some((image(&game, shader.image(role)?)?, Some(script.to_owned()), shader.green_is_up))
        });
        // A shader without a script is the image of its name.
        let has_image = skin.is_some() && role == Role::Picture;
        let plain = || if has_image { Some((image(beside.path, &name)?, None, false)) } else { None };
        let (path, script, green_is_up) = of_script.or_else(plain)?;
        Some(((path, ImageRule::Shader { name, script, skin }), green_is_up))
    }
}

/// The `.skin` of Quake III's family that a model may wear by a name: `body_NAME.skin` or `NAME.skin` beside `body.md5mesh`.
pub fn skin_beside(model: &Path, name: &str) -> Option<PathBuf> {
    let (folder, stem) = (read::folder_of(model), model.file_stem()?.to_string_lossy());
    Folder::of(&ImageFinder::default(), &folder).skin_named(&stem, name)
}

/// The names by which [`skin_beside`] finds the skins that are called after a model.
pub fn skins_beside(model: &Path) -> Vec<String> {
    let (folder, stem) =
        (read::folder_of(model), model.file_stem().unwrap_or_default().to_string_lossy().to_lowercase());
    let beside = Folder::of(&ImageFinder::default(), &folder);
    let names = beside.skins(&stem).filter(|(path, _)| is_skin(path)).map(|(_, name)| name.to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

/// Whether a `.skin` is one of Quake III's family.
fn is_skin(path: &Path) -> bool {
    read::up_to(path, LARGEST_SCRIPT).is_ok_and(|bytes| !skin_rows(&bytes).is_empty())
}

/// Whether a game has a shader of Quake III's family, in a script or as an image of its name, seen from a model's folder; `None` where
/// no script is above it, so that nobody can say.
pub fn has_shader(finder: &ImageFinder, folder: &Path, name: &str) -> Option<bool> {
    let scripts: Vec<_> = folders_from(folder).take(1 + ANCESTORS).map(|game| finder.scripts(&game)).collect();
    if scripts.iter().all(|scripts| scripts.is_empty()) {
        return None;
    }
    let is_image = || finder.path_of(&[folder.to_owned()], name).is_some();
    Some(scripts.iter().any(|scripts| scripts.get(name).is_some()) || is_image())
}

/// The image in the folder `textures` beside a mod's `models`.
fn luanti(finder: &ImageFinder, folder: &Path, stem: &str) -> Option<(PathBuf, ImageRule)> {
    let textures = above(folder)?.join("textures");
    Some((Folder::of(finder, &textures).like(stem)?, ImageRule::Luanti))
}

/// A folder on disk or in an archive.
pub(crate) struct Folder<'f> {
    pub path: &'f Path,
    pub listing: Arc<Listing>,
}

impl<'f> Folder<'f> {
    pub fn of(finder: &ImageFinder, path: &'f Path) -> Self {
        Self { path, listing: finder.listing(path) }
    }

    /// The path of an entry that is a file.
    fn file(&self, entry: &Entry) -> Option<PathBuf> {
        Some(self.path.join(&entry.name)).filter(|path| read::is_file(path))
    }

    /// The file of that name in any case, by the order of extensions.
    pub fn with_extension(&self, stem: &str, extensions: &[&str]) -> Option<PathBuf> {
        let alike = self.listing.named(&stem.to_lowercase());
        let of = |extension: &&str| {
            alike.iter().filter(|entry| entry.extension() == *extension).find_map(|entry| self.file(entry))
        };
        extensions.iter().find_map(of)
    }

    /// The `.skin` of a model of Quake III's family: the default one, or the first.
    fn skin(&self, stem: &str) -> Option<PathBuf> {
        let stem = stem.to_lowercase();
        let own = ["", "_default"].iter().find_map(|end| self.with_extension(&format!("{stem}{end}"), &["skin"]));
        own.or_else(|| self.skins(&stem).map(|(path, _)| path).next())
    }

    /// The files `STEM_NAME.skin`, each with its name; `stem` is in lower case.
    fn skins(&self, stem: &str) -> impl Iterator<Item = (PathBuf, &str)> {
        let entries = self.listing.entries().iter().filter(|entry| entry.extension() == "skin");
        entries.filter_map(move |entry| Some((self.file(entry)?, entry.stem().strip_prefix(stem)?.strip_prefix('_')?)))
    }

    /// The `.skin` that a model may wear by a name.
    fn skin_named(&self, stem: &str, name: &str) -> Option<PathBuf> {
        let name = name.strip_suffix(".skin").unwrap_or(name);
        let named = |name: &str| self.with_extension(name, &["skin"]).filter(|path| is_skin(path));
        named(&format!("{stem}_{name}")).or_else(|| named(name))
    }

    /// The image of that name in any case.
    fn named(&self, stem: &str) -> Option<PathBuf> {
        self.with_extension(stem, &EXTENSIONS)
    }

    /// The image called like a model, else the first whose name begins so and goes on after a `_`.
    fn like(&self, stem: &str) -> Option<PathBuf> {
        let folded = stem.to_lowercase();
        let is_other = |rest: &str| !rest.starts_with('_') || is_other_map(rest);
        let begins = |entry: &&Entry| {
            EXTENSIONS.contains(&entry.extension())
                && entry.stem().strip_prefix(&folded).is_some_and(|rest| !is_other(rest))
        };
        self.named(stem).or_else(|| self.listing.entries().iter().filter(begins).find_map(|entry| self.file(entry)))
    }
}

/// Whether the end of a name says that an image is no picture of the surface.
fn is_other_map(end: &str) -> bool {
    let last = end.rsplit('_').next().unwrap_or(end);
    [
        "n",
        "nm",
        "norm",
        "normal",
        "local",
        "bump",
        "bumpmap",
        "s",
        "spec",
        "specular",
        "mask",
        "glow",
        "luma",
        "h",
        "height",
        "inv",
        "inventory",
    ]
    .contains(&last)
}

/// The first skin of the `.md2` whose replacement a model is: `DIR/NAME.md2` lists `DIR/SKIN.pcx`, `DIR/md5/NAME.md5mesh`
/// replaces it, and `DIR/md5/SKIN.png` is the skin.
fn quake2(finder: &ImageFinder, beside: &Folder<'_>, stem: &str) -> Option<(PathBuf, ImageRule)> {
    /// Bytes of a skin's name.
    const NAME: usize = 64;
    /// Bytes of a model: the engine takes 4096 triangles, 2048 vertices and 512 frames.
    const LARGEST: u64 = 8 << 20;
    let own_name = match member::split(beside.path) {
        Some((_, name)) => name.rsplit('/').next().map(AsRef::as_ref),
        None => beside.path.file_name(),
    };
    own_name.filter(|name| name.eq_ignore_ascii_case("md5"))?;
    let list = Folder::of(finder, &above(beside.path)?).with_extension(stem, &["md2"])?;
    let bytes = read::up_to(&list, LARGEST).ok().filter(|bytes| bytes.starts_with(b"IDP2"))?;
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    let (count, start) = (number(20)?, number(44)?);
    let names = bytes.get(start..)?.chunks_exact(NAME).take(count);
    let mut images = names.filter_map(|name| {
        let name = name.split(|&byte| byte == 0).next()?;
        let name = String::from_utf8_lossy(name).replace('\\', "/");
        let stem = Path::new(&name).file_stem()?.to_string_lossy().into_owned();
        beside.named(&stem)
    });
    Some((images.next()?, ImageRule::Quake2(list.clone())))
}
