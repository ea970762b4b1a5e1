//! Output formats.

use bindpose_core::engines::{EngineId, FormatFamily, Profile};
use bindpose_export::md5;
use serde::Serialize;
use std::path::Path;

/// Format of the written files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// glTF 2.0 in one file.
    Glb,
    /// glTF 2.0 with separate data.
    Gltf,
    /// `.md5mesh`, with a `.md5anim` for each clip.
    Md5,
    /// DirectX `.x`.
    X,
    /// Inter-Quake Model.
    Iqm,
    /// Wavefront OBJ of one pose.
    Obj,
    /// Quake's model: vertices of each frame.
    Mdl,
    /// Quake III's model: vertices of each frame, and tags.
    Md3,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 8] = [Self::Glb, Self::Gltf, Self::Md5, Self::X, Self::Iqm, Self::Obj, Self::Mdl, Self::Md3];

    /// Returns the format with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Returns the format of files with the extension of `path`, ignoring case.
    pub fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_string_lossy().to_lowercase();
        Self::ALL.into_iter().find(|format| format.extension() == extension)
    }

    /// Returns the name in options and reports.
    pub fn name(self) -> &'static str {
        if self == Self::Md5 { "md5" } else { self.extension() }
    }

    /// Returns a description of a few words.
    pub fn title(self) -> &'static str {
        self.texts().1
    }

    /// Returns the extension of the main file, without the dot.
    pub fn extension(self) -> &'static str {
        self.texts().0
    }

    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Glb => ("glb", "glTF 2.0 in one file"),
            Self::Gltf => ("gltf", "glTF 2.0 with separate data"),
            Self::Md5 => ("md5mesh", ".md5mesh, with a .md5anim for each clip"),
            Self::X => ("x", "DirectX .x"),
            Self::Iqm => ("iqm", "Inter-Quake Model"),
            Self::Obj => ("obj", "Wavefront OBJ of one pose"),
            Self::Mdl => ("mdl", "Quake's model: vertices of each frame"),
            Self::Md3 => ("md3", "Quake III's model: vertices of each frame"),
        }
    }

    /// True if a file has the vertices of each frame instead of joints.
    pub fn is_baked(self) -> bool {
        matches!(self, Self::Mdl | Self::Md3)
    }

    /// True if an engine is known to read the format.
    pub fn is_read_by(self, engine: &Profile) -> bool {
        match self {
            Self::Mdl | Self::Md3 => game_of(engine) == md5::Game::Quake,
            Self::Glb | Self::Gltf => matches!(engine.id, EngineId::Luanti | EngineId::Luanti516),
            _ => self.family().is_some_and(|family| engine.reads(family)),
        }
    }

    /// Returns the family of formats that engines are known to read; `None` if the validator does not support it.
    pub fn family(self) -> Option<FormatFamily> {
        match self {
            Self::Md5 => Some(FormatFamily::Md5),
            Self::X => Some(FormatFamily::X),
            Self::Glb | Self::Gltf | Self::Iqm | Self::Obj | Self::Mdl | Self::Md3 => None,
        }
    }
}

/// Returns the game whose files an engine reads.
pub fn game_of(profile: &Profile) -> md5::Game {
    match profile.id {
        EngineId::VkQuake135
        | EngineId::VkQuake
        | EngineId::Ironwail081
        | EngineId::Ironwail
        | EngineId::Qss
        | EngineId::Fteqw
        | EngineId::Kex => md5::Game::Quake,
        EngineId::Q2pro | EngineId::Q2repro | EngineId::Yquake2 => md5::Game::Quake2,
        _ => md5::Game::Doom3,
    }
}
