//! Subjects of rules.

use serde::{Deserialize, Serialize};

/// Field of a reading that is required to judge a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// Posed triangles.
    #[default]
    Triangles,
    /// Hierarchy and transforms of joints.
    Joints,
    /// Names and lengths of clips.
    Clips,
    /// Texture coordinates.
    Uvs,
    /// Normals.
    Normals,
    /// Diffuse colours.
    Colours,
    /// Names of textures.
    Textures,
    /// The camera.
    Camera,
}

impl Subject {
    /// Returns the name of a property of triangle corners.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uvs => "texture coordinate",
            Self::Normals => "normal",
            Self::Colours => "colour",
            Self::Textures => "texture",
            Self::Triangles | Self::Joints | Self::Clips | Self::Camera => "value",
        }
    }
}
