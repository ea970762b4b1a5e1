//! Distances between two engines' frames of the same pair of files, or between an engine's frame and the files'
//! meaning.

use super::Engine;
use crate::model::{Clip, JointId, Mesh, Model, Skeleton};
use crate::pose::{LocalPose, ModelPose, local_to_model, sample};
use crate::skin::{MethodId, Prepared, Skinned, TimedPose, Unavailable, linear_position, reference};
use glam::DVec3;

/// A clip on a model, played by an engine or as the files mean it.
pub struct Shown<'m> {
    skeleton: &'m Skeleton,
    meshes: &'m [Mesh],
    clip: &'m Clip,
    /// Meshes prepared for a method other than the weighted sum. Otherwise empty.
    prepared: Vec<Prepared>,
    local: LocalPose,
    pose: ModelPose,
    skinned: Skinned,
}

/// Largest distance between two engines' vertices at one frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Departure {
    /// Frame of the clip, counted from 0. A half is midway between two frames.
    pub frame: f64,
    /// Index into the model's meshes.
    pub mesh: usize,
    /// Index into the mesh's vertices.
    pub vertex: usize,
    /// Joint with the largest weight on the vertex. `None` if no joint moves it.
    pub joint: Option<JointId>,
    /// Distance in model units.
    pub distance: f64,
}

impl<'m> Shown<'m> {
    /// Creates a playback of a clip that `engine` has converted; without an engine, of a clip as its files mean it.
    ///
    /// # Errors
    ///
    /// [`Unavailable`] if the engine's skinning method cannot show the model.
    pub fn new(model: &'m Model, clip: &'m Clip, engine: Option<&Engine>) -> Result<Self, Unavailable> {
        let prepared = match engine.map(Engine::method) {
            None => Vec::new(),
            Some(method) if method == MethodId::Cpu => Vec::new(),
            Some(method) => Prepared::all(method, &model.skeleton, &model.meshes, &[], None)?,
        };
        Ok(Self {
            skeleton: &model.skeleton,
            meshes: &model.meshes,
            clip,
            prepared,
            local: LocalPose::default(),
            pose: ModelPose::default(),
            skinned: Skinned::default(),
        })
    }

    /// Writes the skinned positions of all meshes, one after the other, in model space. `frame` may be between two
    /// frames.
    pub fn positions(&mut self, frame: f64, out: &mut Vec<DVec3>) {
        out.clear();
        let time = self.clip.frame_rate.map_or(0.0, |rate| frame / rate);
        sample(self.skeleton, self.clip, time, &mut self.local);
        local_to_model(self.skeleton, &self.local, &mut self.pose);
        for (number, mesh) in self.meshes.iter().enumerate() {
            if let Some(prepared) = self.prepared.get(number) {
                reference(prepared, TimedPose { pose: &self.pose, time }, &mut self.skinned);
                out.extend_from_slice(&self.skinned.positions);
                continue;
            }
            out.extend((0..mesh.vertex_count()).map(|vertex| linear_position(mesh, &self.pose, vertex)));
        }
    }
}

/// Returns, for each frame, the vertex at which two playbacks of the same meshes are farthest apart. Returns an empty
/// result if there are no vertices. Frames may be halves. Joints are those of `one`.
pub fn departures(one: &mut Shown<'_>, other: &mut Shown<'_>, frames: impl Iterator<Item = f64>) -> Vec<Departure> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut found = Vec::new();
    for frame in frames {
        one.positions(frame, &mut ours);
        other.positions(frame, &mut theirs);
        let apart = ours.iter().zip(&theirs).map(|(a, b)| a.distance(*b)).enumerate();
        let Some((place, distance)) = apart.reduce(|most, next| if next.1 > most.1 { next } else { most }) else {
            continue;
        };
        let mut vertex = place;
        for (number, mesh) in one.meshes.iter().enumerate() {
            if vertex < mesh.vertex_count() {
                let joint = mesh.heaviest(vertex).map(|(_, joint)| joint);
                found.push(Departure { frame, mesh: number, vertex, joint, distance });
                break;
            }
            vertex -= mesh.vertex_count();
        }
    }
    found
}

/// Returns the diagonal of the bounding box of all meshes in the bind pose, in model units; the reference length for
/// departures.
pub fn size(meshes: &[Mesh]) -> f64 {
    let boxes = meshes.iter().filter_map(Mesh::bounds);
    let all = boxes.reduce(|(min, max), (low, high)| (min.min(low), max.max(high)));
    all.map_or(0.0, |(min, max)| f64::from(min.distance(max)))
}
