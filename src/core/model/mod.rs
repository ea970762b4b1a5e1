//! The one model that both formats become: skeleton, meshes, materials, clips.
//!
//! Knows neither format nor GPU. The constructors establish what every consumer relies on (parents before
//! children, indices in range, keys sorted), so that nobody checks again.

mod clip;
mod film;
mod front;
mod mesh;
mod scale;
mod skeleton;
pub mod surface;
mod transform;

pub use clip::{Clip, Interpolation, JointTracks, Timeline, TimelineId, Track};
pub use film::{CameraFrame, Film};
pub use front::{Front, UnknownFront};
pub use mesh::{BindJoint, Influence, Material, MaterialId, Mesh};
pub use scale::bake_scale;
pub use skeleton::{Joint, JointId, Skeleton};
pub use transform::{Transform, cofactors, slerp};

/// A skeleton with what hangs on it and how it moves.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// Where it came from, for people: the file's stem.
    pub name: String,
    /// The joints.
    pub skeleton: Skeleton,
    /// The meshes, each with its own binding to the skeleton.
    pub meshes: Vec<Mesh>,
    /// What [`Mesh::material`] indexes.
    pub materials: Vec<Material>,
    /// The clips, each with tracks for every joint of the skeleton.
    pub clips: Vec<Clip>,
    /// Which way it faces: what its format's axes say, whatever its maker did.
    pub front: Front,
}

impl Model {
    /// For each material the names under which its surfaces are known: its own, and those of the meshes that have it.
    pub fn names_of_surfaces(&self) -> Vec<Vec<&str>> {
        let mut names: Vec<Vec<&str>> = self.materials.iter().map(|material| vec![material.name.as_str()]).collect();
        for mesh in &self.meshes {
            names.get_mut(mesh.material.index()).into_iter().for_each(|names| names.push(&mesh.name));
        }
        names
    }

    /// Leaves out the triangles that a game's materials keep from being drawn: hulls for shadows and collisions, what a skin hides.
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
