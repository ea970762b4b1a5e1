//! Choice of a skinning method for a machine, a model and a number of copies.

use super::Player;
use bindpose_core::model::Model;
use bindpose_core::skin::{MethodId, UnknownMethod};
use bindpose_render::{Error, Gpu};

/// Value of `--method`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodChoice {
    /// The fastest method on this machine that shows the model exactly.
    Auto,
    /// A given method.
    Only(MethodId),
}

impl MethodChoice {
    /// Returns the choice of a name: `auto`, or that of a method.
    pub fn find(name: &str, methods: &[MethodId]) -> Result<Self, UnknownMethod> {
        if name == "auto" { Ok(Self::Auto) } else { MethodId::find(name, methods).map(Self::Only) }
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
    fn a_choice_is_auto_or_a_method() {
        let find = |name| MethodChoice::find(name, &[MethodId::Cpu, MethodId::Dqs]);
        assert_eq!(find("auto"), Ok(MethodChoice::Auto));
        assert_eq!(find("dqs"), Ok(MethodChoice::Only(MethodId::Dqs)));
        assert_eq!(find("autp").unwrap_err().name, "autp");
    }
}
