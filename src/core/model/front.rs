//! Facing directions of models, for formats with other axes.

use glam::DVec3;
use std::str::FromStr;

/// Facing direction of a model in model space, with +Z up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Front {
    /// +X, as for models from MD5.
    #[default]
    PositiveX,
    /// -X.
    NegativeX,
    /// +Y.
    PositiveY,
    /// -Y, as for models from .x files, whose front is -Z in file space.
    NegativeY,
}

impl Front {
    /// Returns the unit vector in model space.
    pub fn direction(self) -> DVec3 {
        match self {
            Self::PositiveX => DVec3::X,
            Self::NegativeX => DVec3::NEG_X,
            Self::PositiveY => DVec3::Y,
            Self::NegativeY => DVec3::NEG_Y,
        }
    }

    /// Returns the name that [`FromStr`] parses.
    pub fn name(self) -> &'static str {
        match self {
            Self::PositiveX => "x",
            Self::NegativeX => "-x",
            Self::PositiveY => "y",
            Self::NegativeY => "-y",
        }
    }
}

/// Error of parsing a [`Front`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no direction; a model faces x, -x, y or -y")]
pub struct UnknownFront(String);

impl FromStr for Front {
    type Err = UnknownFront;

    fn from_str(text: &str) -> Result<Self, UnknownFront> {
        match text {
            "x" | "+x" => Ok(Self::PositiveX),
            "-x" => Ok(Self::NegativeX),
            "y" | "+y" => Ok(Self::PositiveY),
            "-y" => Ok(Self::NegativeY),
            _ => Err(UnknownFront(text.to_owned())),
        }
    }
}
