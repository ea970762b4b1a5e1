//! The image of a surface: chosen by the user, named by the file, or found by the rules of games.

use super::choices::{ImageChoices, ImageRole};
use super::finder::{ImageFinder, ImageSearch};
use super::listing::{Folder, game_folders};
use super::name::FoundAs;
use super::shaders::{Shader, shader_of_skin};
use super::skins::{default_skin, skin_named};
use crate::model::Material;
use crate::read;
use bindpose_vfs::member;
use std::fmt;
use std::path::{Path, PathBuf};

/// Image of a surface in a role other than [`ImageRole::Base`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// Path of the image file.
    pub path: PathBuf,
    /// Reason for choosing this file.
    pub rule: ImageRule,
    /// True if only the red channel counts, as in Cube 2's masks, whose green is glow and whose blue is reflection.
    pub is_mask: bool,
    /// For normals: true if green grows towards the top of the image, as in glTF. False if towards the bottom, as in id
    /// Tech 4, Cube 2 and Daemon.
    pub green_is_up: bool,
}

/// Reason why an image belongs to a surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageRule {
    /// The user chose it.
    Chosen,
    /// The file names it.
    Named(FoundAs),
    /// This script names it: an `md5.cfg` of Cube 2, or one of a Luanti mod.
    Script(PathBuf),
    /// A shader of Daemon or Quake III's family.
    Shader {
        /// Name of the shader.
        name: String,
        /// Script of the shader. `None` if the name is that of an image.
        script: Option<PathBuf>,
        /// The `.skin` that names the shader; `None` if the model file does.
        skin: Option<PathBuf>,
    },
    /// Named after the model, with a skin number.
    Quake,
    /// First skin of this `.md2`, which is next to the model's folder.
    Quake2(PathBuf),
    /// Named after the model, in a `textures` folder next to the model's folder, as in Luanti's mods.
    Luanti,
    /// Named after the model, in the same folder.
    LikeModel,
    /// Common name for the image of a folder's only model.
    Usual,
}

impl fmt::Display for ImageRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chosen => out.write_str("chosen"),
            Self::Named(FoundAs::Written) => out.write_str("named in the file"),
            Self::Named(FoundAs::OtherExtension) => out.write_str("named in the file, but for its extension"),
            Self::Named(FoundAs::QuakeSkin) => out.write_str("a Quake skin of the name in the file"),
            Self::Named(FoundAs::Loosely) => out.write_str("similar to the name in the file"),
            Self::Script(script) => write!(out, "named in {}", script.display()),
            Self::Shader { name, script, skin } => {
                write!(out, "shader {name}")?;
                if let Some(script) = script {
                    write!(out, " of {}", script.display())?;
                }
                skin.iter().try_for_each(|skin| write!(out, ", which {} names", skin.display()))
            }
            Self::Quake => out.write_str("a Quake skin of the model"),
            Self::Quake2(list) => write!(out, "the first skin of {}", list.display()),
            Self::Luanti => out.write_str("Luanti: named after the model, in ../textures"),
            Self::LikeModel => out.write_str("named after the model"),
            Self::Usual => out.write_str("the usual name of an image next to a model"),
        }
    }
}

/// Names of a surface.
#[derive(Debug, Clone, Copy)]
pub struct SurfaceNames<'a> {
    /// Name of its image in the file.
    pub name: Option<&'a str>,
    /// Names of its material and meshes.
    pub known_as: &'a [&'a str],
    /// Index of its material in the file, by which Luanti's scripts give it an image.
    pub slot: usize,
    /// True if the file gives the surface no colour either.
    pub is_plain: bool,
}

impl<'a> SurfaceNames<'a> {
    /// Returns the names of the surfaces of a material, given their names and the material's index.
    pub fn of(material: &'a Material, known_as: &'a [&'a str], slot: usize) -> Self {
        Self { name: material.texture.as_deref(), known_as, slot, is_plain: material.has_no_colour() }
    }
}

/// Result of [`ModelImages::find`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SurfaceImage {
    /// An image, and the reason for it.
    Found(PathBuf, ImageRule),
    /// The image that the file names is missing.
    Missing {
        /// Paths tried below the folders, most likely first; relative, with `/`.
        tried: Vec<String>,
    },
    /// The surface has no image.
    NoImage,
}

/// A model whose images are searched.
#[derive(Debug, Clone, Copy)]
pub struct ModelImages<'a> {
    /// Name of the model's file without extension.
    pub stem: &'a str,
    /// Folders of the model's files.
    pub folders: &'a [PathBuf],
    /// The user's choices.
    pub choices: &'a ImageChoices,
}

/// One folder of a model, searched for one surface.
struct Place<'a> {
    model: &'a ModelImages<'a>,
    finder: &'a ImageFinder,
    folder: Folder<'a>,
    surface: &'a SurfaceNames<'a>,
}

/// Rule for base images, applied in a folder of the model.
type Rule = fn(&Place<'_>) -> Option<(PathBuf, ImageRule)>;

/// Rules for base images in a folder of the model, by priority. Those after the first five are guesses, and so is what
/// no script of a Luanti mod names. Guesses apply to a surface that only names a shader, or that has neither a name nor a
/// colour: a surface that names an image file has that image or none, and one with a colour may well have none, except
/// in Luanti, which shows no colours.
const RULES: [Rule; 7] = [
    |place| place.cube2(ImageRole::Base),
    |place| Some(place.shader(ImageRole::Base)?.0),
    |place| Some((place.folder.image(&format!("{}_00_00", place.model.stem))?, ImageRule::Quake)),
    |place| place.quake2(),
    |place| place.luanti(),
    |place| Some((place.folder.image_like(place.model.stem).filter(|_| place.may_be_guessed())?, ImageRule::LikeModel)),
    |place| Some((place.usual(&USUAL).filter(|_| place.may_be_guessed())?, ImageRule::Usual)),
];

/// Common names of a lone model's base image.
const USUAL: [&str; 8] = ["diffuse", "skin", "albedo", "basecolor", "base_color", "color", "colour", "texture"];

/// Common names of the layers next to such an image. True for masks.
const USUAL_LAYERS: [(ImageRole, &[&str], bool); 3] = [
    (ImageRole::Normal, &["normal", "normals", "norm", "normalmap", "normal_map"], false),
    (ImageRole::Specular, &["specular", "spec", "specularmap"], false),
    (ImageRole::Specular, &["mask", "masks"], true),
];

/// Suffixes of base images that the names of their layers lack.
const BASE_SUFFIXES: [&str; 3] = ["_d", "_diffuse", "_00_00"];

/// Suffixes of layers in a chosen folder.
const LAYER_SUFFIXES: [(ImageRole, &[&str]); 3] = [
    (ImageRole::Normal, &["_normal", "_normalmap", "_normals", "_norm", "_nm", "_n", "_local"]),
    (ImageRole::Specular, &["_specular", "_spec", "_s", "_mask"]),
    (ImageRole::Glow, &["_glow", "_luma"]),
];

impl ModelImages<'_> {
    /// Finds the base image of a surface: the chosen one, the one named by the file, or one found by the rules of
    /// games.
    pub fn find(&self, finder: &ImageFinder, surface: &SurfaceNames<'_>) -> SurfaceImage {
        if let Some((path, rule)) = self.chosen(finder, surface) {
            return SurfaceImage::Found(path, rule);
        }
        let tried = match surface.name.map(|name| finder.find(self.folders, name)) {
            Some(ImageSearch::Found(found)) => {
                return SurfaceImage::Found(found.path, ImageRule::Named(found.found_as));
            }
            Some(ImageSearch::NoImage) => return SurfaceImage::NoImage,
            Some(ImageSearch::Missing { tried }) => Some(tried),
            None => None,
        };
        match (self.by_rules(finder, surface), tried) {
            (Some((path, rule)), _) => SurfaceImage::Found(path, rule),
            (None, Some(tried)) => SurfaceImage::Missing { tried },
            (None, None) => SurfaceImage::NoImage,
        }
    }

    /// Finds the base image that the user chose: a file, an image in a chosen folder, or one of a chosen skin.
    pub fn chosen(&self, finder: &ImageFinder, surface: &SurfaceNames<'_>) -> Option<(PathBuf, ImageRule)> {
        let named = self.chosen_file(surface, ImageRole::Base).or_else(|| self.in_chosen_folders(finder, surface));
        named.map(|path| (path, ImageRule::Chosen)).or_else(|| {
            let skin = self.choices.skin.as_deref()?;
            self.places(finder, surface).find_map(|place| {
                skin_named(&place.folder, self.stem, skin)?;
                Some(place.shader(ImageRole::Base)?.0)
            })
        })
    }

    fn in_chosen_folders(&self, finder: &ImageFinder, surface: &SurfaceNames<'_>) -> Option<PathBuf> {
        let folders = &self.choices.folders;
        let named = surface.name.and_then(|name| finder.path_of(folders, name));
        named.or_else(|| folders.iter().find_map(|folder| finder.folder_at(folder).image_like(self.stem)))
    }

    fn chosen_file(&self, surface: &SurfaceNames<'_>, role: ImageRole) -> Option<PathBuf> {
        let is_its = |name: &str| surface.known_as.iter().any(|known| known.eq_ignore_ascii_case(name));
        let in_role = || self.choices.files.iter().filter(|chosen| chosen.role == role);
        let named = in_role().find(|chosen| chosen.surface.as_deref().is_some_and(is_its));
        let found = named.or_else(|| in_role().find(|chosen| chosen.surface.is_none()));
        found.map(|chosen| chosen.path.clone())
    }

    /// Finds the layer that the user chose: a file, or an image in a chosen folder that has the base image's name and a
    /// common suffix.
    pub fn chosen_layer(&self, finder: &ImageFinder, surface: &SurfaceNames<'_>, role: ImageRole) -> Option<Layer> {
        let layer = |path, is_mask, green_is_up| Layer { path, rule: ImageRule::Chosen, is_mask, green_is_up };
        if let Some(path) = self.chosen_file(surface, role) {
            return Some(layer(path, false, true));
        }
        let (_, suffixes) = LAYER_SUFFIXES.into_iter().find(|(known, _)| *known == role)?;
        let base = self.in_chosen_folders(finder, surface)?;
        let path = read::folder_of(&base);
        let folder = finder.folder_at(&path);
        let stem = base.file_stem()?.to_string_lossy().to_lowercase();
        let stem = BASE_SUFFIXES.iter().find_map(|suffix| stem.strip_suffix(suffix)).unwrap_or(&stem);
        suffixes.iter().find_map(|suffix| {
            let path = folder.image(&format!("{stem}{suffix}"))?;
            // Doom 3's own normal maps end in `_local`.
            Some(layer(path, *suffix == "_mask", *suffix != "_local"))
        })
    }

    /// Finds a layer by the script of a game, else by a common name next to a base image that has a common name.
    pub fn layer_by_rules(&self, finder: &ImageFinder, surface: &SurfaceNames<'_>, role: ImageRole) -> Option<Layer> {
        let layer = |path, rule, is_mask, green_is_up| Layer { path, rule, is_mask, green_is_up };
        let scripted = self.places(finder, surface).find_map(|place| {
            let cube2 = place.cube2(role).map(|(path, rule)| layer(path, rule, role == ImageRole::Specular, false));
            cube2.or_else(|| {
                let ((path, rule), green_is_up) = place.shader(role)?;
                Some(layer(path, rule, false, green_is_up))
            })
        });
        scripted.or_else(|| {
            let found = self.places(finder, surface).find_map(|place| {
                let mut rows = USUAL_LAYERS.into_iter().filter(|(known, ..)| *known == role);
                let found = rows.find_map(|(_, names, is_mask)| Some((place.usual(names)?, is_mask)));
                Some((place.folder.path, found?))
            });
            let (folder, (path, is_mask)) = found?;
            // This search is slow, so it comes last.
            let base = self.find(finder, surface);
            matches!(base, SurfaceImage::Found(path, ImageRule::Usual) if read::folder_of(&path) == *folder)
                .then(|| layer(path, ImageRule::Usual, is_mask, false))
        })
    }

    /// Finds the base image of a surface by the rules of games; for surfaces whose file names no existing image.
    pub fn by_rules(&self, finder: &ImageFinder, surface: &SurfaceNames<'_>) -> Option<(PathBuf, ImageRule)> {
        self.places(finder, surface).find_map(|place| RULES.iter().find_map(|rule| rule(&place)))
    }

    /// Finds the shader of a surface in the scripts of its game.
    pub fn shader_of(&self, finder: &ImageFinder, surface: &SurfaceNames<'_>) -> Option<Shader> {
        self.places(finder, surface).find_map(|place| {
            let (name, _) = place.shader_name()?;
            let mut games = game_folders(place.folder.path);
            games.find_map(|game| finder.shaders_of(&game).get(&name).map(|(_, shader)| shader.clone()))
        })
    }

    fn places<'a>(&'a self, finder: &'a ImageFinder, surface: &'a SurfaceNames<'a>) -> impl Iterator<Item = Place<'a>> {
        let place = move |folder: &'a PathBuf| Place { model: self, finder, folder: finder.folder_at(folder), surface };
        self.folders.iter().map(place)
    }
}

impl Place<'_> {
    fn names_no_image(&self) -> bool {
        self.surface.name.is_none_or(|name| Path::new(name).extension().is_none())
    }

    fn may_be_guessed(&self) -> bool {
        self.names_no_image() && (self.surface.name.is_some() || self.surface.is_plain)
    }

    fn usual(&self, names: &[&str]) -> Option<PathBuf> {
        names.iter().find_map(|name| self.folder.image(name))
    }

    fn cube2(&self, role: ImageRole) -> Option<(PathBuf, ImageRule)> {
        let scripts = self.finder.cube2_scripts(self.folder.path);
        super::cube2::of_model(&scripts, self.model.stem).find_map(|script| {
            let image = script.image(self.surface.known_as, role)?;
            Some((image, ImageRule::Script(script.path.clone())))
        })
    }

    /// Returns the name of the shader, and the `.skin` that names it, if any.
    fn shader_name(&self) -> Option<(String, Option<PathBuf>)> {
        let stem = self.model.stem;
        let chosen = self.model.choices.skin.as_deref().and_then(|name| skin_named(&self.folder, stem, name));
        let skin = chosen.or_else(|| default_skin(&self.folder, stem));
        let of_skin = skin.and_then(|skin| Some((shader_of_skin(&skin, self.surface.known_as)?, Some(skin))));
        of_skin.or_else(|| Some((self.surface.name?.to_owned(), None)))
    }

    /// Returns the image of the shader named by a `.skin` or the file. Also true if green of its normals grows towards
    /// the top.
    fn shader(&self, role: ImageRole) -> Option<((PathBuf, ImageRule), bool)> {
        let (name, skin) = self.shader_name()?;
        let image = |game: &Path, name: &str| self.finder.path_of(&[game.to_owned()], name);
        let of_script = game_folders(self.folder.path).find_map(|game| {
            let scripts = self.finder.shaders_of(&game);
            let (script, shader) = scripts.get(&name)?;
            Some((image(&game, shader.image(role)?)?, Some(script.to_owned()), shader.green_is_up))
        });
        // A shader without a script is the image of that name.
        let has_image = skin.is_some() && role == ImageRole::Base;
        let plain = || if has_image { Some((image(self.folder.path, &name)?, None, false)) } else { None };
        let (path, script, green_is_up) = of_script.or_else(plain)?;
        Some(((path, ImageRule::Shader { name, script, skin }), green_is_up))
    }

    /// Returns the image in the folder `textures` next to a mod's `models`: the one that the mod's scripts name, else
    /// one named after the model that is not shown in the inventory.
    fn luanti(&self) -> Option<(PathBuf, ImageRule)> {
        let (_, textures) = self.finder.listings.textures_of(self.folder.path).find(|(above, _)| *above == 1)?;
        let (textures, stem) = (self.finder.folder_at(&textures), self.model.stem);
        let scripts = self.finder.lua_scripts(self.folder.path);
        let named = |image: &str| textures.image(&Path::new(image).file_stem()?.to_string_lossy());
        let mut known = scripts.iter().filter_map(|script| Some((script, script.images(stem)?)));
        if let Some((script, images)) = known.find(|(_, images)| images.iter().any(|image| named(image).is_some())) {
            let image = named(images.get(self.surface.slot)?)?;
            return Some((image, ImageRule::Script(script.path.clone())));
        }
        let is_shown = |image: &Path| !scripts.iter().any(|script| script.is_icon(image));
        Some((textures.image_of(stem, true, is_shown).filter(|_| self.names_no_image())?, ImageRule::Luanti))
    }

    /// Returns the first skin of the `.md2` that a model replaces: `DIR/NAME.md2` lists `DIR/SKIN.pcx`,
    /// `DIR/md5/NAME.md5mesh` replaces it, and `DIR/md5/SKIN.png` is the skin.
    fn quake2(&self) -> Option<(PathBuf, ImageRule)> {
        /// Length of a skin's name in bytes.
        const NAME: usize = 64;
        /// Largest `.md2` in bytes: the engine supports 4096 triangles, 2048 vertices and 512 frames.
        const LARGEST: u64 = 8 << 20;
        let (stem, folders) = (self.model.stem, self.model.folders);
        let folders = Some(folders).filter(|_| member::is_md5_folder(self.folder.path))?;
        let list = folders.iter().find_map(|folder| self.finder.folder_at(folder).with_extension(stem, &["md2"]))?;
        let bytes = read::up_to(&list, LARGEST).ok().filter(|bytes| bytes.starts_with(b"IDP2"))?;
        let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
        let (count, start) = (number(20)?, number(44)?);
        let names = bytes.get(start..)?.chunks_exact(NAME).take(count);
        let mut images = names.filter_map(|name| {
            let name = name.split(|&byte| byte == 0).next()?;
            let name = String::from_utf8_lossy(name).replace('\\', "/");
            self.folder.image(&Path::new(&name).file_stem()?.to_string_lossy())
        });
        Some((images.next()?, ImageRule::Quake2(list.clone())))
    }
}
