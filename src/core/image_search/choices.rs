//! Images that a user chooses, and their roles.

use crate::model::Model;
use crate::suggest;
use std::path::{Path, PathBuf};

/// Largest number of surface names in a message.
const MOST_NAMES: usize = 20;

/// Images chosen by a user instead of those that the files name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImageChoices {
    /// Image files with the surfaces for which they are meant.
    pub files: Vec<ChosenImage>,
    /// Folders searched before all others.
    pub folders: Vec<PathBuf>,
    /// Name of a `.skin` of Quake III's family next to the model; see [`find_skin_file`](super::find_skin_file).
    pub skin: Option<String>,
}

impl ImageChoices {
    /// Adds an image. Replaces an earlier one for the same surface and role.
    pub fn choose(&mut self, chosen: ChosenImage) {
        self.files.retain(|known| (&known.surface, known.role) != (&chosen.surface, chosen.role));
        self.files.push(chosen);
    }

    /// Returns a line for each name of `--texture` that is no mesh or material of a model.
    pub fn without_surface(&self, model: &Model) -> Vec<String> {
        let mut names: Vec<&str> = model.names_of_surfaces().into_iter().flatten().collect();
        names.sort_unstable();
        names.dedup();
        let is_known = |name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        let lost = self.files.iter().filter_map(|wanted| wanted.surface.as_deref()).filter(|name| !is_known(name));
        let hint = |name: &str| match suggest::nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean '{near}'?"),
            None => format!("there are {}", names[..names.len().min(MOST_NAMES)].join(", ")),
        };
        lost.map(|name| format!("--texture: no mesh or material is called '{name}'; {}", hint(name))).collect()
    }

    /// True if a path is a chosen file or inside a chosen folder.
    pub fn names(&self, path: &Path) -> bool {
        self.files.iter().any(|file| file.path == path) || self.folders.iter().any(|folder| path.starts_with(folder))
    }
}

/// An image chosen for surfaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenImage {
    /// Name of the mesh or material. `None` for all surfaces without an image of their own.
    pub surface: Option<String>,
    /// Role on these surfaces.
    pub role: ImageRole,
    /// Path of the image file.
    pub path: PathBuf,
}

/// Role of an image on a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageRole {
    /// Colour image.
    Base,
    /// Normal map.
    Normal,
    /// Brightness of highlights.
    Specular,
    /// Light that the surface emits.
    Glow,
}

impl ImageRole {
    /// All roles but [`Self::Base`].
    pub const LAYERS: [Self; 3] = [Self::Normal, Self::Specular, Self::Glow];

    /// Returns the name in reports and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Base => "picture",
            Self::Normal => "normal",
            Self::Specular => "specular",
            Self::Glow => "glow",
        }
    }
}
