//! Choice of a skinning method for a machine, a model and a number of copies.

use super::Player;
use crate::model::Model;
use crate::render::{Error, Gpu};
use crate::skin::{MethodId, UnknownMethod};
use std::fmt;
use std::str::FromStr;

/// Value of `--method`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MethodChoice {
    /// The fastest method on this machine that shows the model exactly.
    #[default]
    Auto,
    /// A given method.
    Only(MethodId),
}

impl FromStr for MethodChoice {
    type Err = UnknownMethod;

    fn from_str(text: &str) -> Result<Self, UnknownMethod> {
        if text == "auto" { Ok(Self::Auto) } else { text.parse().map(Self::Only) }
    }
}

impl fmt::Display for MethodChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => out.write_str("auto"),
            Self::Only(method) => write!(out, "{method}"),
        }
    }
}

impl Player {
    /// Chooses the skinning method.
    ///
    /// With software drivers, `Auto` selects `cpu`, which is among the fastest there, is exact, and has one short
    /// program to compile. With other drivers, it selects a lossless method of vertex shaders, or `cpu` if there is
    /// none.
    ///
    /// # Errors
    ///
    /// [`Error`] if the method cannot show this model here.
    pub fn choose_method(&mut self, gpu: &Gpu, choice: MethodChoice) -> Result<(), Error> {
        let suitable: &[MethodId] = match choice {
            MethodChoice::Only(method) => return self.show_method(method),
            MethodChoice::Auto if gpu.is_software() => &[],
            // The fastest methods store one bind position per vertex, while MD5 has one per influence.
            MethodChoice::Auto if !has_one_bind_position(self.gpu_model.model()) => &[MethodId::JointOffsets],
            MethodChoice::Auto if self.state.copies > 1 => &[MethodId::BoneTexture, MethodId::MatrixBlend],
            MethodChoice::Auto => &[MethodId::MatrixBlend],
        };
        for &method in suitable {
            if self.gpu_model.prepare(method, self.state.clip).is_ok_and(|stats| stats.cost.is_none()) {
                return self.show_method(method);
            }
        }
        self.show_method(MethodId::Cpu)
    }
}

/// True if all influences of every vertex agree on its bind position, within a ten thousandth of the mesh's size.
fn has_one_bind_position(model: &Model) -> bool {
    model.meshes.iter().all(|mesh| {
        let size = mesh.bounds().map_or(0.0, |(min, max)| min.distance(max));
        mesh.bind_residual().is_none_or(|(_, apart)| apart <= 1e-4 * f64::from(size))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_round_trip_as_text() {
        for text in ["auto", "cpu", "dqs"] {
            assert_eq!(text.parse::<MethodChoice>().unwrap().to_string(), text);
        }
        assert_eq!("autp".parse::<MethodChoice>().unwrap_err().name, "autp");
    }
}
