//! Output formats.

use bindpose::validate::profiles::FormatFamily;
use clap::ValueEnum;
use serde::Serialize;
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// glTF 2.0 in one file
    Glb,
    /// glTF 2.0 with separate data
    Gltf,
    /// .md5mesh, with a .md5anim for each clip
    Md5,
    /// DirectX .x
    X,
    /// Inter-Quake Model
    Iqm,
    /// Wavefront OBJ of one pose
    Obj,
}

impl Target {
    pub fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_string_lossy().to_lowercase();
        match extension.as_str() {
            "glb" => Some(Self::Glb),
            "gltf" => Some(Self::Gltf),
            "md5mesh" => Some(Self::Md5),
            "x" => Some(Self::X),
            "iqm" => Some(Self::Iqm),
            "obj" => Some(Self::Obj),
            _ => None,
        }
    }

    pub fn extension(self) -> &'static str {
        match self {
            Self::Glb => "glb",
            Self::Gltf => "gltf",
            Self::Md5 => "md5mesh",
            Self::X => "x",
            Self::Iqm => "iqm",
            Self::Obj => "obj",
        }
    }

    pub fn family(self) -> Option<FormatFamily> {
        match self {
            Self::Md5 => Some(FormatFamily::Md5),
            Self::X => Some(FormatFamily::X),
            Self::Glb | Self::Gltf | Self::Iqm | Self::Obj => None,
        }
    }
}
