//! The model to which all formats are converted: skeleton, meshes, materials, clips.
//!
//! It depends on neither format nor GPU. Its constructors establish what every consumer relies on (parents before
//! children, indices in range, keys sorted), so that no consumer checks again.

mod camera_path;
mod clip;
mod front;
mod helpers;
mod material;
mod mesh;
mod scale;
mod skeleton;
pub mod surface;
mod transform;

pub use camera_path::{CameraFrame, CameraPath};
pub use clip::{Clip, Interpolation, JointTracks, Timeline, TimelineId, Timelines, Track};
pub use front::{Front, OneAxis, axis_named};
pub use helpers::{HelperError, MOST_HELPERS, add_helpers, existing_helpers, pose_helpers};
pub use material::{Material, MaterialId, NamedImage};
pub use mesh::{BindJoint, Influence, Mesh, bounds_of};
pub use scale::bake_scale;
pub use skeleton::{Joint, JointId, Skeleton, UnknownJoint};
pub use transform::{Transform, cofactors, slerp};

/// A skeleton with its meshes, materials and clips.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// Stem of the file's name.
    pub name: String,
    /// Joints with their rest pose.
    pub skeleton: Skeleton,
    /// The meshes, each with its own binding to the skeleton.
    pub meshes: Vec<Mesh>,
    /// The materials; a mesh has `materials[mesh.material.index()]`.
    pub materials: Vec<Material>,
    /// The clips, each with tracks for every joint of the skeleton.
    pub clips: Vec<Clip>,
    /// Facing direction by the format's convention.
    pub front: Front,
}

impl Model {
    /// Returns the first clip with this name; case-sensitive.
    pub fn clip(&self, name: &str) -> Option<&Clip> {
        self.clips.iter().find(|clip| clip.name == name)
    }

    /// Returns the names of each material's surfaces: its own name, then those of its meshes.
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

    /// Reorders the joints. `order` contains each joint once, with parents before their children.
    pub fn reorder_joints(&mut self, order: &[JointId]) {
        let mut skeleton = Skeleton::new();
        let mut ids: Vec<Option<JointId>> = vec![None; self.skeleton.len()];
        for &joint in order {
            let Joint { name, parent, rest_local } = &self.skeleton[joint];
            let parent = parent.and_then(|parent| ids[parent.index()]);
            ids[joint.index()] = Some(skeleton.push(name.clone(), parent, *rest_local));
        }
        for clip in &mut self.clips {
            let mut old = std::mem::take(&mut clip.joints);
            let tracks = |joint: &JointId| old.get_mut(joint.index()).map(std::mem::take).unwrap_or_default();
            clip.joints = order.iter().map(tracks).collect();
        }
        for bound in self.meshes.iter_mut().flat_map(|mesh| &mut mesh.bind) {
            bound.joint = ids[bound.joint.index()].unwrap_or(bound.joint);
        }
        self.skeleton = skeleton;
    }

    /// Appends a material.
    pub fn push_material(&mut self, material: Material) -> MaterialId {
        let id = MaterialId(self.materials.len() as u32);
        self.materials.push(material);
        id
    }
}
