//! Facing directions of models, for formats with other axes.

use glam::{DVec3, Quat, Vec3};

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

    /// Returns front and up as directions in model space, where +Z is up if none is given.
    ///
    /// With a different up axis and no front, the model's front is kept, or rotated together with the up axis.
    ///
    /// # Errors
    ///
    /// [`OneAxis`] if the two are parallel.
    pub fn with_up(self, front: Option<Vec3>, up: Option<Vec3>) -> Result<(Vec3, Vec3), OneAxis> {
        let up = up.unwrap_or(Vec3::Z);
        let own = self.direction().as_vec3();
        let front = front.unwrap_or(if own.dot(up) == 0.0 { own } else { Quat::from_rotation_arc(Vec3::Z, up) * own });
        if front.dot(up).abs() > 0.5 { Err(OneAxis) } else { Ok((front, up)) }
    }

    /// Returns its name: x, -x, y or -y.
    pub fn name(self) -> &'static str {
        match self {
            Self::PositiveX => "x",
            Self::NegativeX => "-x",
            Self::PositiveY => "y",
            Self::NegativeY => "-y",
        }
    }
}

/// Returns the unit vector along an axis: x, -x, y, -y, z or -z.
///
/// # Errors
///
/// Any other text.
pub fn axis_named(text: &str) -> Result<Vec3, &'static str> {
    let (sign, name) = match text.strip_prefix('-') {
        Some(name) => (-1.0, name),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let axis = match name {
        "x" | "X" => Vec3::X,
        "y" | "Y" => Vec3::Y,
        "z" | "Z" => Vec3::Z,
        _ => return Err("expected x, -x, y, -y, z or -z"),
    };
    Ok(sign * axis)
}

/// Front and up axis are one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("front and up axis must not be parallel")]
pub struct OneAxis;
