//! The one model that both formats become: skeleton, meshes, materials, clips.
//!
//! Knows neither format nor GPU. The constructors establish what every consumer relies on (parents before
//! children, indices in range, keys sorted), so that no consumer checks again.

mod camera_path;
mod clip;
mod front;
mod material;
mod mesh;
mod scale;
mod skeleton;
pub mod surface;
mod transform;

pub use camera_path::{CameraFrame, CameraPath};
pub use clip::{Clip, Interpolation, JointTracks, Timeline, TimelineId, Track};
pub use front::{Front, UnknownFront};
pub use material::{Material, MaterialId, NamedImage};
pub use mesh::{BindJoint, Influence, Mesh};
pub use scale::bake_scale;
pub use skeleton::{Joint, JointId, Skeleton};
pub use transform::{Transform, cofactors, slerp};

/// A skeleton with its meshes, materials and clips.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// The file's stem.
    pub name: String,
    /// The joints.
    pub skeleton: Skeleton,
    /// The meshes, each with its own binding to the skeleton.
    pub meshes: Vec<Mesh>,
    /// The materials, indexed by [`Mesh::material`].
    pub materials: Vec<Material>,
    /// The clips, each with tracks for every joint of the skeleton.
    pub clips: Vec<Clip>,
    /// Facing direction by the format's convention.
    pub front: Front,
}

impl Model {
    /// Names of each material's surfaces: its own, then those of its meshes.
    pub fn names_of_surfaces(&self) -> Vec<Vec<&str>> {
        let mut names: Vec<Vec<&str>> = self.materials.iter().map(|material| vec![material.name.as_str()]).collect();
        for mesh in &self.meshes {
            names.get_mut(mesh.material.index()).into_iter().for_each(|names| names.push(&mesh.name));
        }
        names
    }

    /// Removes triangles whose game material is not drawn: hulls for shadows and collisions, parts hidden by a skin.
    pub fn drop_undrawn(&mut self) {
        for mesh in &mut self.meshes {
            let surface = self.materials.get(mesh.material.index()).and_then(|material| material.surface.as_ref());
            if surface.is_some_and(|surface| !surface.is_drawn) {
                mesh.triangles.clear();
            }
        }
    }

    /// Appends a material.
    pub fn push_material(&mut self, material: Material) -> MaterialId {
        let id = MaterialId(self.materials.len() as u32);
        self.materials.push(material);
        id
    }
}
