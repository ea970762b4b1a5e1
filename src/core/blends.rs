//! Factors of the method `blend`, in a TOML file next to the model.
//!
//! ```toml
//! # arm.blend.toml, next to arm.md5mesh
//! factor = 0.5                # of all vertices: 0 is linear blending, 1 dual quaternions; 0.5 by default
//! [joints]                    # of vertices that a joint moves; several joints: the mean by their weights
//! forearm = 1.0
//! [[mesh]]                    # of single vertices
//! number = 0                  # in the file
//! factors = [0.0, 0.25, 1.0]  # one for each vertex of the file's mesh
//! ```

use crate::budget::{Budget, MemoryLimit};
use crate::load::LoadError;
use crate::model::{Mesh, Model};
use crate::read;
use crate::skin::BLEND;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Factors of a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlendFactors {
    /// Factor of vertices that none of `joints` moves; [`BLEND`] by default.
    pub factor: Option<f32>,
    /// By the joints' names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub joints: BTreeMap<String, f32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    mesh: Vec<OfMesh>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfMesh {
    number: usize,
    factors: Vec<f32>,
}

/// Returns the path of a model's factors: `arm.blend.toml` for `arm.md5mesh`.
pub fn path_beside(model: &Path) -> PathBuf {
    model.with_extension("blend.toml")
}

/// Sets the factors of a model's meshes from the files next to `files`, and returns them.
///
/// # Errors
///
/// [`LoadError`]: a file that cannot be read, or that does not fit the model.
pub fn apply(files: &[PathBuf], model: &mut Model, memory: MemoryLimit) -> Result<BlendFactors, LoadError> {
    let mut factors = BlendFactors::default();
    for path in files.iter().map(|file| path_beside(file)).filter(|path| bindpose_vfs::disk::is_file(path)) {
        read::check_inside(&path, &[&read::folder_of(&path)])?;
        let text = read::text(&path, &Budget::new(memory))?;
        factors = apply_text(&text, model)
            .map_err(|error| LoadError::Other(format!("{}: {error}", path.display()).into()))?;
    }
    Ok(factors)
}

fn apply_text(text: &str, model: &mut Model) -> Result<BlendFactors, String> {
    let factors: BlendFactors = toml::from_str(text).map_err(|error| error.to_string())?;
    apply_factors(&factors, model)?;
    Ok(factors)
}

/// Sets the factors of a model's meshes.
///
/// # Errors
///
/// The reason why the factors do not fit the model.
pub fn apply_factors(factors: &BlendFactors, model: &mut Model) -> Result<(), String> {
    let of_vertices = factors.mesh.iter().flat_map(|mesh| &mesh.factors);
    let all = of_vertices.chain(factors.joints.values()).chain(&factors.factor);
    if let Some(factor) = all.copied().find(|factor| !(0.0..=1.0).contains(factor)) {
        return Err(format!("the factor {factor} is not between 0 and 1"));
    }
    let factor = factors.factor.unwrap_or(BLEND);
    let mut of_joints = vec![factor; model.skeleton.len()];
    for (name, factor) in &factors.joints {
        let joint = model.skeleton.find(name).ok_or_else(|| format!("the model has no joint '{name}'"))?;
        of_joints[joint.index()] = *factor;
    }
    for mesh in &mut model.meshes {
        let of_vertex = |vertex| {
            let influences = mesh.influences_of(vertex);
            let whole: f32 = influences.iter().map(|influence| influence.weight).sum();
            let of_joint = |slot: u32| of_joints[mesh.bind[slot as usize].joint.index()];
            let sum: f32 = influences.iter().map(|influence| influence.weight * of_joint(influence.slot)).sum();
            if whole == 0.0 { factor } else { (sum / whole).clamp(0.0, 1.0) }
        };
        mesh.blend = (0..mesh.vertex_count()).map(of_vertex).collect();
    }
    for OfMesh { number, factors } in &factors.mesh {
        let parts: Vec<&mut Mesh> = model.meshes.iter_mut().filter(|mesh| mesh.source_mesh == *number).collect();
        let vertices = parts.iter().flat_map(|mesh| &mesh.source_vertices).map(|&vertex| vertex as usize + 1).max();
        if vertices != Some(factors.len()) {
            let (given, vertices) = (factors.len(), vertices.unwrap_or(0));
            return Err(format!("{given} factors are given for mesh {number}, which has {vertices} vertices"));
        }
        for mesh in parts {
            mesh.blend = mesh.source_vertices.iter().map(|&vertex| factors[vertex as usize]).collect();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cylinder::{Cylinder, Shape};

    fn blended(text: &str) -> Result<Vec<f32>, String> {
        let Cylinder { skeleton, mesh, .. } = Cylinder::new(Shape { segments: 4, sides: 3, ..Shape::USUAL });
        let mut model = Model { skeleton, meshes: vec![mesh], ..Model::default() };
        apply_text(text, &mut model).map(|_| std::mem::take(&mut model.meshes[0].blend))
    }

    #[test]
    fn factors_apply_by_model_joint_and_vertex() {
        assert_eq!(blended("factor = 0.25").unwrap(), [0.25; 17]);
        let joints = blended("factor = 0.25\n[joints]\nfar = 1.0").unwrap();
        // The first ring follows the near joint, the last the far one, and the middle both equally.
        assert_eq!([joints[0], joints[6], joints[12]], [0.25, 0.625, 1.0]);
        let numbers: Vec<String> = (0..17).map(|vertex| format!("{}", f64::from(vertex) / 16.0)).collect();
        let text = format!("[[mesh]]\nnumber = 0\nfactors = [{}]", numbers.join(", "));
        assert_eq!(blended(&text).unwrap()[8], 0.5);
        for (text, error) in [
            ("factor = 2.0", "the factor 2 is not between 0 and 1"),
            ("[joints]\nelbow = 1.0", "the model has no joint 'elbow'"),
            ("[[mesh]]\nnumber = 0\nfactors = [1.0]", "1 factors are given for mesh 0, which has 17 vertices"),
            ("factors = 1.0", "unknown field"),
        ] {
            let found = blended(text).unwrap_err();
            assert!(found.contains(error), "{found}");
        }
    }
}
