//! Turned joints, and the thickness that a method keeps there.

use bindpose_core::model::{
    Clip, Interpolation, JointId, JointTracks, Mesh, Model, Skeleton, Timeline, TimelineId, Track,
};
use bindpose_core::pose::{LocalPose, ModelPose, Turn};
use bindpose_player::{VertexRef, paint};
use glam::{DVec3, Vec3};

/// Returns "twisting" for a turn about the bone, "bending" for one across it, otherwise "turning".
pub fn verb(turn: &Turn, skeleton: &Skeleton) -> &'static str {
    let along = skeleton.bone(turn.joint).map_or(0.5, |bone| bone.dot(turn.axis).abs());
    if along > 0.85 {
        "twisting"
    } else if along < 0.35 {
        "bending"
    } else {
        "turning"
    }
}

/// Creates a clip with a pose every `interval` seconds. All poses have the same joints.
pub fn clip_of(name: &str, poses: &[LocalPose], interval: f64) -> Clip {
    let joints = poses.first().map_or(0, |pose| pose.0.len());
    let track = |joint: usize| JointTracks::Whole {
        keys: Track { timeline: TimelineId(0), values: poses.iter().map(|pose| pose.0[joint]).collect() },
        between: Interpolation::Parts,
    };
    let times: Vec<f64> = (0..poses.len()).map(|number| number as f64 * interval).collect();
    Clip {
        name: name.to_owned(),
        duration: times.last().copied().unwrap_or(0.0),
        frame_rate: Some(interval.recip()),
        timelines: Timeline::new(times).into_iter().collect(),
        joints: (0..joints).map(track).collect(),
        ..Clip::default()
    }
}

/// Surface between turned and other joints, with its measurements before the turn.
///
/// A rigid motion keeps the distances of a vertex from the axis and from the vertex across the bone. A method that
/// shortens both has lost thickness to blending. One distance alone is not enough: an elbow bent like a pipe may come
/// nearer to the axis at full thickness, and two vertices with different weights come nearer to each other on a twisted
/// limb of full thickness.
#[derive(Debug, Clone, PartialEq)]
pub struct Seam {
    /// The turned joint's origin, a point of the axis in model space.
    origin: DVec3,
    /// Unit vector in model space.
    axis: DVec3,
    vertices: Vec<SeamVertex>,
    /// Mesh and corners of the triangles that no joint moves rigidly.
    triangles: Vec<(usize, [u32; 3])>,
    /// Volume between these triangles and the origin before the turn, in cubic model units.
    volume: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct SeamVertex {
    vertex: VertexRef,
    /// Distance before the turn, in model units.
    from_axis: f64,
    /// Vertex across the bone and its distance before the turn, in model units. `None` if there is no such vertex.
    across: Option<(VertexRef, f64)>,
}

/// A vertex blended between turned and other joints.
#[derive(Clone, Copy)]
struct Blended {
    vertex: VertexRef,
    /// Position relative to the turned joint.
    position: DVec3,
    /// Share of the turned joints.
    share: f32,
}

/// Smallest weight of the turned joints, and of the other joints, on a vertex of the seam.
const BLENDED: f32 = 0.05;
/// Share up to which a vertex moves too little to affect the volume.
const RIGID: f32 = 1e-3;
/// Largest difference between the shares of two vertices across the bone, if there are such vertices.
const ALIKE: f32 = 0.1;
/// Vertices nearer to the axis than this share of the largest distance are left out.
const NEAR_THE_AXIS: f64 = 0.25;
/// Largest volume of a flat seam, as a share of its extent's cube. The volume of flat seams is not reported.
const LEAST_VOLUME: f64 = 1e-3;
/// Largest number of vertices of a seam. From a larger seam, evenly spread vertices are used.
const MOST_VERTICES: usize = 4000;

impl Seam {
    /// Creates the seam of a turn from the pose `before`. Returns `None` if no vertex is blended between turned and
    /// other joints.
    ///
    /// The vertex across the bone is the one nearest to the vertex turned by 180 degrees about the bone. Vertices with
    /// similar weights are preferred.
    pub fn new(model: &Model, before: &ModelPose, turn: &Turn) -> Option<Self> {
        let joint = before.0.get(turn.joint.index())?;
        let (origin, axis) = (joint.translation, joint.transform_vector3(turn.axis).try_normalize()?);
        let along = model.skeleton.bone(turn.joint).and_then(|bone| joint.transform_vector3(bone).try_normalize());
        let positions = paint::linear_positions(model, before);
        let shares = turned_shares(model, &below(&model.skeleton, turn.joint));
        let is_blended = |share: f32| (BLENDED..=1.0 - BLENDED).contains(&share);
        let vertices = shares.iter().enumerate().flat_map(|(mesh, shares)| {
            shares.iter().enumerate().map(move |(vertex, &share)| (VertexRef { mesh, vertex }, share))
        });
        let blended: Vec<Blended> = vertices
            .filter(|&(_, share)| is_blended(share))
            .map(|(vertex, share)| {
                let position = positions[vertex.mesh][vertex.vertex].as_dvec3() - origin;
                Blended { vertex, position, share }
            })
            .collect();
        let one_of = blended.len().div_ceil(MOST_VERTICES).max(1);
        let blended: Vec<Blended> = blended.into_iter().step_by(one_of).collect();
        let from_axis = |position: DVec3| position.reject_from_normalized(axis).length();
        let farthest = blended.iter().map(|it| from_axis(it.position)).fold(0.0, f64::max);
        let far = blended.iter().filter(|it| from_axis(it.position) > NEAR_THE_AXIS * farthest);
        let vertices: Vec<SeamVertex> = far
            .map(|it| {
                let across = along.and_then(|along| across(it, &blended, along));
                SeamVertex { vertex: it.vertex, from_axis: from_axis(it.position), across }
            })
            .collect();
        let mut seam = Self { origin, axis, vertices, triangles: Vec::new(), volume: 0.0 };
        for (number, mesh) in model.meshes.iter().enumerate() {
            let moves_rigidly = |corners: &&[u32; 3]| {
                let shares = corners.map(|corner| shares[number].get(corner as usize).copied().unwrap_or(0.0));
                shares.iter().all(|&share| share < RIGID) || shares.iter().all(|&share| share > 1.0 - RIGID)
            };
            let blended = mesh.triangles.iter().filter(|corners| !moves_rigidly(corners));
            seam.triangles.extend(blended.map(|&corners| (number, corners)));
        }
        seam.volume = seam.volume_at(&positions);
        (!seam.vertices.is_empty()).then_some(seam)
    }

    /// Returns the vertices of the seam.
    pub fn vertices(&self) -> Vec<VertexRef> {
        self.vertices.iter().map(|it| it.vertex).collect()
    }

    /// Returns the volume between the seam and the joint's origin, divided by the volume before the turn; `None` if
    /// there was none. Parts that move rigidly with a joint at this origin keep their volume, so a closed model gains
    /// or loses exactly as much. `positions` by mesh and vertex, in model space.
    pub fn volume_left(&self, positions: &[Vec<Vec3>]) -> Option<f64> {
        let reach = self.vertices.iter().map(|it| it.from_axis).fold(0.0, f64::max);
        (self.volume > LEAST_VOLUME * reach.powi(3)).then(|| self.volume_at(positions) / self.volume)
    }

    fn volume_at(&self, positions: &[Vec<Vec3>]) -> f64 {
        let six = self.triangles.iter().map(|&(mesh, corners)| {
            let [a, b, c] = corners.map(|corner| positions[mesh][corner as usize].as_dvec3() - self.origin);
            a.dot(b.cross(c))
        });
        six.sum::<f64>() / 6.0
    }

    /// Returns the smallest share of the thickness left at a vertex, at most 1. For each vertex, the larger share of
    /// its distances from the axis and across the bone counts. `positions` by mesh and vertex, in model space.
    pub fn thickness(&self, positions: &[Vec<Vec3>]) -> f64 {
        let at = |vertex: VertexRef| positions[vertex.mesh][vertex.vertex].as_dvec3();
        let left = self.vertices.iter().map(|it| {
            let position = at(it.vertex);
            let from_axis = (position - self.origin).reject_from_normalized(self.axis).length() / it.from_axis;
            it.across.map_or(from_axis, |(other, before)| from_axis.max(position.distance(at(other)) / before))
        });
        left.fold(1.0, f64::min)
    }
}

/// Returns the share of turned joints in the weights of each vertex, by mesh.
fn turned_shares(model: &Model, turned: &[bool]) -> Vec<Vec<f32>> {
    let of_mesh = |mesh: &Mesh| {
        let is_turned = |slot: u32| mesh.bind.get(slot as usize).is_some_and(|bound| turned[bound.joint.index()]);
        let share = |vertex: usize| {
            let influences = mesh.influences_of(vertex);
            let whole: f32 = influences.iter().map(|influence| influence.weight).sum();
            let of_turned = influences.iter().filter(|influence| is_turned(influence.slot));
            of_turned.map(|influence| influence.weight).sum::<f32>() / whole
        };
        (0..mesh.vertex_count()).map(share).collect()
    };
    model.meshes.iter().map(of_mesh).collect()
}

/// Finds the vertex across the bone, and its distance.
fn across(one: &Blended, blended: &[Blended], along: DVec3) -> Option<(VertexRef, f64)> {
    let wanted = 2.0 * one.position.project_onto_normalized(along) - one.position;
    let nearest = |is_like: &dyn Fn(&Blended) -> bool| {
        let others = blended.iter().filter(|other| is_like(other));
        let distance = |other: &&Blended| other.position.distance_squared(wanted);
        let other = others.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let apart = other.position.distance(one.position);
        // A half tube has no vertex across.
        (apart > one.position.reject_from_normalized(along).length()).then_some((other.vertex, apart))
    };
    nearest(&|other| (other.share - one.share).abs() <= ALIKE).or_else(|| nearest(&|_| true))
}

/// Returns true for `top` and its descendants, by joint.
fn below(skeleton: &Skeleton, top: JointId) -> Vec<bool> {
    bindpose_player::edit::below(skeleton, top).into_iter().map(|share| share > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cylinder_test::enclosed;
    use bindpose_core::cylinder::{Cylinder, Shape};
    use bindpose_core::pose::sample;

    fn cylinder() -> (Model, JointId) {
        let cylinder = Cylinder::new(Shape::USUAL);
        let far = cylinder.skeleton.find("far").unwrap();
        (Model { skeleton: cylinder.skeleton, meshes: vec![cylinder.mesh], ..Model::default() }, far)
    }

    /// The mean of a point and the same point turned by `a` is at cos(a/2) of its distance from the axis. Two such
    /// points across the bone, in the plane of the turn, are at cos(a/2) of their distance.
    #[test]
    fn linear_blending_leaves_the_cosine_of_half_the_turn() {
        let (model, joint) = cylinder();
        let local = LocalPose::rest(&model.skeleton);
        let before = local.to_model(&model.skeleton);
        for (degrees, left) in [(0.0, 1.0), (60.0, 0.75_f64.sqrt()), (90.0, 0.5_f64.sqrt()), (180.0, 0.0)] {
            for axis in [DVec3::X, DVec3::Z] {
                let turn = Turn { joint, axis, degrees };
                let seam = Seam::new(&model, &before, &turn).unwrap();
                let mut turned = local.clone();
                turn.apply(&mut turned);
                let posed = turned.to_model(&model.skeleton);
                let found = seam.thickness(&paint::linear_positions(&model, &posed));
                assert!((found - left).abs() < 1e-6, "{degrees} about {axis}: {found}, not {left}");
            }
        }
    }

    /// The parts that move with the joint keep their volume, so the whole loses as much as the seam.
    #[test]
    fn the_seam_loses_the_volume_that_the_closed_model_loses() {
        let (model, joint) = cylinder();
        let local = LocalPose::rest(&model.skeleton);
        let before = local.to_model(&model.skeleton);
        let whole = |posed: &ModelPose| enclosed(&model, &paint::linear_positions(&model, posed));
        for (axis, degrees) in [(DVec3::X, 150.0), (DVec3::Z, 90.0)] {
            let turn = Turn { joint, axis, degrees };
            let seam = Seam::new(&model, &before, &turn).unwrap();
            let mut turned = local.clone();
            turn.apply(&mut turned);
            let posed = turned.to_model(&model.skeleton);
            let left = seam.volume_left(&paint::linear_positions(&model, &posed)).unwrap();
            let lost = whole(&before) - whole(&posed);
            assert!(left < 0.95 && (seam.volume * (1.0 - left) - lost).abs() < 1e-4, "{axis}: {left}, {lost}");
        }
        let seam = Seam::new(&model, &before, &Turn { joint, axis: DVec3::X, degrees: 1.0 }).unwrap();
        assert!((seam.volume_left(&paint::linear_positions(&model, &before)).unwrap() - 1.0).abs() < 1e-6);
    }

    /// An elbow bent about a point next to the joint, like a pipe, keeps its thickness, though its outside reaches the
    /// joint.
    #[test]
    fn a_bend_like_a_pipe_keeps_the_thickness() {
        let (model, joint) = cylinder();
        let before = LocalPose::rest(&model.skeleton).to_model(&model.skeleton);
        let seam = Seam::new(&model, &before, &Turn { joint, axis: DVec3::Z, degrees: 90.0 }).unwrap();
        let moved = paint::linear_positions(&model, &before);
        let moved: Vec<Vec<Vec3>> = moved.iter().map(|mesh| mesh.iter().map(|at| *at - Vec3::Y).collect()).collect();
        assert!((seam.thickness(&moved) - 1.0).abs() < 1e-6, "{}", seam.thickness(&moved));
    }

    #[test]
    fn a_turn_about_the_bone_twists_and_one_across_bends() {
        let (model, joint) = cylinder();
        let verb_of = |axis| verb(&Turn { joint, axis, degrees: 1.0 }, &model.skeleton);
        assert_eq!([DVec3::X, DVec3::NEG_Z, DVec3::ONE.normalize()].map(verb_of), ["twisting", "bending", "turning"]);
    }

    #[test]
    fn a_clip_contains_its_poses_in_order() {
        let (model, joint) = cylinder();
        let poses = [0.0, 40.0, -30.0].map(|degrees| {
            let mut local = LocalPose::rest(&model.skeleton);
            Turn { joint, axis: DVec3::Y, degrees }.apply(&mut local);
            local
        });
        let clip = clip_of("sweep", &poses, 0.1);
        assert_eq!((clip.duration, clip.frame_rate), (0.2, Some(10.0)));
        let mut shown = LocalPose::default();
        for (number, pose) in poses.iter().enumerate() {
            sample(&model.skeleton, &clip, number as f64 * 0.1, &mut shown);
            assert!(shown.0[1].rotation.angle_between(pose.0[1].rotation) < 1e-12, "{number}");
        }
    }
}
