//! Turned joints, and the thickness and volume that a method keeps there.

use super::section::{Section, sections};
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
#[derive(Debug, Clone, PartialEq)]
pub struct Seam {
    /// The turned joint's origin in model space.
    origin: DVec3,
    vertices: Vec<VertexRef>,
    /// Cuts across the bone.
    sections: Vec<Section>,
    /// Mesh and corners of the triangles that no joint moves rigidly.
    triangles: Vec<(usize, [u32; 3])>,
    /// Volume between these triangles and the origin before the turn, in cubic model units.
    volume: f64,
}

/// Smallest weight of the turned joints, and of the other joints, on a vertex of the seam.
const BLENDED: f32 = 0.05;
/// Share up to which a vertex moves too little to affect the volume.
const RIGID: f32 = 1e-3;
/// Sections narrower than this share of the widest are left out.
const NARROW: f64 = 0.25;
/// Largest volume of a flat seam, as a share of its widest section's cube. The volume of flat seams is not reported.
const LEAST_VOLUME: f64 = 1e-3;

impl Seam {
    /// Creates the seam of a turn from the pose `before`. Returns `None` if no vertex is blended between turned and
    /// other joints, or no plane across the bone cuts such a surface.
    pub fn new(model: &Model, before: &ModelPose, turn: &Turn) -> Option<Self> {
        let joint = before.0.get(turn.joint.index())?;
        let (origin, axis) = (joint.translation, joint.transform_vector3(turn.axis).try_normalize()?);
        let along = model.skeleton.bone(turn.joint).and_then(|bone| joint.transform_vector3(bone).try_normalize());
        let positions = paint::linear_positions(model, before);
        let shares = turned_shares(model, &below(&model.skeleton, turn.joint));
        let mut seam = Self { origin, vertices: Vec::new(), sections: Vec::new(), triangles: Vec::new(), volume: 0.0 };
        for (number, mesh) in model.meshes.iter().enumerate() {
            let blended = |&vertex: &usize| (BLENDED..=1.0 - BLENDED).contains(&shares[number][vertex]);
            let blended = (0..mesh.vertex_count()).filter(blended);
            seam.vertices.extend(blended.map(|vertex| VertexRef { mesh: number, vertex }));
            let moves_rigidly = |corners: &&[u32; 3]| {
                let shares = corners.map(|corner| shares[number].get(corner as usize).copied().unwrap_or(0.0));
                shares.iter().all(|&share| share < RIGID) || shares.iter().all(|&share| share > 1.0 - RIGID)
            };
            let blended = mesh.triangles.iter().filter(|corners| !moves_rigidly(corners));
            seam.triangles.extend(blended.map(|&corners| (number, corners)));
        }
        let sections = sections(&model.meshes, &positions, (origin, along.unwrap_or(axis), axis), &seam.triangles);
        let widest = sections.iter().map(Section::width).fold(0.0, f64::max);
        seam.sections = sections.into_iter().filter(|section| section.width() > NARROW * widest).collect();
        seam.volume = seam.volume_at(&positions);
        (!seam.vertices.is_empty() && !seam.sections.is_empty()).then_some(seam)
    }

    /// Returns the vertices of the seam.
    pub fn vertices(&self) -> &[VertexRef] {
        &self.vertices
    }

    /// Returns the volume between the seam and the joint's origin, divided by the volume before the turn; `None` if
    /// there was none. Parts that move rigidly with a joint at this origin keep their volume, so a closed model gains
    /// or loses exactly as much. `positions` by mesh and vertex, in model space.
    pub fn volume_left(&self, positions: &[Vec<Vec3>]) -> Option<f64> {
        let reach = self.sections.iter().map(Section::width).fold(0.0, f64::max);
        (self.volume > LEAST_VOLUME * reach.powi(3)).then(|| self.volume_at(positions) / self.volume)
    }

    fn volume_at(&self, positions: &[Vec<Vec3>]) -> f64 {
        let six = self.triangles.iter().map(|&(mesh, corners)| {
            let [a, b, c] = corners.map(|corner| positions[mesh][corner as usize].as_dvec3() - self.origin);
            a.dot(b.cross(c))
        });
        six.sum::<f64>() / 6.0
    }

    /// Returns the smallest share left of a cross-section's width, in any direction, and of a cross-section's area,
    /// each at most 1. The area is `None` for surfaces that enclose none. `positions` by mesh and vertex, in model space.
    pub fn left(&self, positions: &[Vec<Vec3>]) -> (f64, Option<f64>) {
        self.sections.iter().map(|section| section.left(positions)).fold((1.0, None), |(width, area), next| {
            (width.min(next.0), next.1.map(|next| area.unwrap_or(1.0).min(next)).or(area))
        })
    }

    /// Returns the smallest share left of a cross-section's width.
    pub fn thickness(&self, positions: &[Vec<Vec3>]) -> f64 {
        self.left(positions).0
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

    /// Measures the cylinder after a turn: shares left of width and area.
    fn left(degrees: f64, axis: DVec3, position: &dyn Fn(&Model, &ModelPose) -> Vec<Vec<Vec3>>) -> (f64, f64) {
        let (model, joint) = cylinder();
        let local = LocalPose::rest(&model.skeleton);
        let turn = Turn { joint, axis, degrees };
        let seam = Seam::new(&model, &local.to_model(&model.skeleton), &turn).unwrap();
        let mut turned = local.clone();
        turn.apply(&mut turned);
        let (width, area) = seam.left(&position(&model, &turned.to_model(&model.skeleton)));
        (width, area.unwrap())
    }

    /// The mean of a point and the same point turned by `a` is at cos(a/2) of its distance from the axis: a twist scales
    /// the middle cut by this in both directions, a bend in one.
    #[test]
    fn linear_blending_leaves_the_cosine_of_half_the_turn() {
        for (degrees, expected) in [(0.0, 1.0), (60.0, 0.75_f64.sqrt()), (90.0, 0.5_f64.sqrt()), (180.0, 0.0)] {
            for (axis, power) in [(DVec3::X, 2), (DVec3::Z, 1)] {
                let (width, area) = left(degrees, axis, &paint::linear_positions);
                assert!((width - expected).abs() < 1e-5, "{degrees} about {axis}: {width}, not {expected}");
                assert!((area - expected.powi(power)).abs() < 1e-5, "{degrees} about {axis}: {area}");
            }
        }
    }

    /// Vertices that keep their distance from the axis do not keep the surface between them. With `d` the angle between
    /// two rings and `s` that between two corners, the edges along the cylinder pass the axis at cos(d/2), and those
    /// across the quads at cos((d - s)/2) or cos((d + s)/2), by the side to which it is twisted; before at cos(s/2). The
    /// corners of a cut are alternately of both kinds, so its area is proportional to the product.
    #[test]
    fn the_surface_between_vertices_of_full_radius_is_a_neck() {
        let side = std::f64::consts::TAU / 32.0;
        for (degrees, sign) in [(180.0_f64, -1.0), (-180.0, 1.0), (90.0, -1.0)] {
            // Every ring is turned rigidly: at once in the middle.
            let (half, step) = (Shape::USUAL.half, degrees.to_radians());
            let turned = |at: &Vec3| {
                let share = f64::from(u8::from(f64::from(at.x) > half));
                glam::DQuat::from_rotation_x(share * step).mul_vec3(at.as_dvec3()).as_vec3()
            };
            let positions = |model: &Model, _: &ModelPose| vec![model.meshes[0].positions.iter().map(turned).collect()];
            let (width, area) = left(degrees, DVec3::X, &positions);
            let along = (step.abs() / 2.0).cos();
            let across = ((step.abs() + sign * side) / 2.0).cos() / (side / 2.0).cos();
            assert!((area - (along * across).abs()).abs() < 1e-5, "{degrees}: {area}, not {}", along * across);
            let widest = along.max(across.abs());
            assert!(width <= widest + 1e-5 && width > 0.97 * widest - 0.01, "{degrees}: {width}, not {widest}");
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
        assert!((seam.thickness(&moved) - 1.0).abs() < 1e-5, "{}", seam.thickness(&moved));
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
