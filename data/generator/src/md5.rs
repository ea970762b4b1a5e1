//! Samples as MD5 documents: rounding, the file's quaternions, component flags, bounds.

use crate::rig::{Joint, Pose};
use crate::sample::{Motion, Sample};
use bindpose_parsers::Span;
use bindpose_parsers::md5::{
    AnimFile, Bounds, Channel, Frame, Int, Joint as FileJoint, JointPose, Mesh, MeshFile, Text, Tri, Vert, Weight,
};
use glam::{DAffine3, DQuat, DVec3};

/// Value of `commandline`.
const COMMAND_LINE: &str = "bindpose-samples";

/// Rounds to six decimals, as exporters write, without negative zero.
fn rounded(value: f64) -> f64 {
    libm::round(value * 1e6) / 1e6 + 0.0
}

fn rounded3(value: DVec3) -> DVec3 {
    DVec3::from_array(value.to_array().map(rounded))
}

/// Returns the rotation that a reader reconstructs from x, y and z.
pub fn read_rotation(xyz: DVec3) -> DQuat {
    let w = (1.0 - xyz.length_squared()).max(0.0).sqrt();
    DQuat::from_xyzw(-xyz.x, -xyz.y, -xyz.z, w).normalize()
}

/// Returns x, y, z of the file's conjugated quaternion with w >= 0, and the rotation that a reader reconstructs from
/// them.
fn file_rotation(rotation: DQuat) -> ([f64; 3], DQuat) {
    let conjugate = if rotation.w < 0.0 { -rotation.conjugate() } else { rotation.conjugate() };
    let xyz = rounded3(DVec3::new(conjugate.x, conjugate.y, conjugate.z));
    (xyz.to_array(), read_rotation(xyz))
}

fn text(name: &'static str) -> Text<'static> {
    Text { bytes: name.as_bytes().into(), span: Span::default() }
}

fn int(value: usize) -> Int {
    Int { value: value as i64, span: Span::default() }
}

fn parent(joint: &Joint) -> Int {
    Int { value: joint.parent.map_or(-1, |parent| parent as i64), span: Span::default() }
}

/// Returns the joints as a reader of the file gets them: positions and rotations after rounding.
pub fn bind_as_written(joints: &[Joint]) -> Vec<(DVec3, DQuat)> {
    joints.iter().map(|joint| (rounded3(joint.bind.position), file_rotation(joint.bind.rotation).1)).collect()
}

/// Creates the mesh file. Offsets are computed for the joints as written, so that all influences of a vertex agree.
pub fn mesh_file(sample: &Sample) -> MeshFile<'static> {
    let span = Span::default();
    let bind = bind_as_written(&sample.joints);
    let mut mesh = Mesh {
        name: None,
        comment_name: None,
        shader: text(sample.shader),
        num_verts: int(sample.vertices.len()),
        verts: Vec::new(),
        num_tris: int(sample.triangles.len()),
        tris: Vec::new(),
        num_weights: int(0),
        weights: Vec::new(),
        span,
    };
    for (number, vertex) in sample.vertices.iter().enumerate() {
        mesh.verts.push(Vert {
            number: number as i64,
            uv: vertex.uv.to_array().map(rounded),
            first_weight: mesh.weights.len() as u32,
            weight_count: vertex.shares.len() as u32,
            span,
        });
        for &(joint, share) in &vertex.shares {
            let (position, rotation) = bind[joint];
            let offset = rounded3(rotation.conjugate() * (vertex.position - position)).to_array();
            let number = mesh.weights.len() as i64;
            mesh.weights.push(Weight { number, joint: joint as u32, bias: rounded(share), offset, span });
        }
    }
    mesh.num_weights = int(mesh.weights.len());
    // The file's front faces are clockwise.
    mesh.tris =
        (0..).zip(&sample.triangles).map(|(number, &[a, b, c])| Tri { number, corners: [a, c, b], span }).collect();
    let joints = sample.joints.iter().map(|joint| FileJoint {
        name: text(joint.name),
        parent: parent(joint),
        position: rounded3(joint.bind.position).to_array(),
        rotation: file_rotation(joint.bind.rotation).0,
        span,
    });
    MeshFile {
        version: Some(int(10)),
        command_line: Some(text(COMMAND_LINE)),
        num_joints: int(sample.joints.len()),
        num_meshes: int(1),
        joints: joints.collect(),
        meshes: vec![mesh],
    }
}

/// Components that a clip stores in its frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// Components that change.
    Changing,
    /// All six components of every joint, because Ironwail ignores the base frame.
    All,
}

/// Creates the clip. The base frame is frame 0.
///
/// The bounds contain all models in `skins`.
pub fn anim_file(joints: &[Joint], motion: &Motion, skins: &[&Sample], stored: Stored) -> AnimFile<'static> {
    let span = Span::default();
    let frames: Vec<Vec<[f64; 6]>> = motion.frames.iter().map(|pose| components(joints, pose)).collect();
    let mut hierarchy = Vec::new();
    let mut kept: Vec<(usize, usize)> = Vec::new();
    for (index, joint) in joints.iter().enumerate() {
        let moves = |n: &usize| frames.iter().any(|frame| frame[index][*n] != frames[0][index][*n]);
        let of_joint: Vec<usize> = (0..6).filter(|n| stored == Stored::All || moves(n)).collect();
        let first_component = int(if of_joint.is_empty() { 0 } else { kept.len() });
        let flags = int(of_joint.iter().map(|n| 1 << n).sum());
        kept.extend(of_joint.iter().map(|&n| (index, n)));
        hierarchy.push(Channel { name: text(joint.name), parent: parent(joint), flags, first_component, span });
    }
    let baseframe =
        frames[0].iter().map(|&[x, y, z, qx, qy, qz]| JointPose { position: [x, y, z], rotation: [qx, qy, qz], span });
    AnimFile {
        version: Some(int(10)),
        command_line: Some(text(COMMAND_LINE)),
        num_frames: int(frames.len()),
        num_joints: int(joints.len()),
        frame_rate: f64::from(motion.rate),
        frame_rate_span: span,
        num_animated_components: int(kept.len()),
        hierarchy,
        bounds: frames.iter().map(|frame| bounds(joints, frame, skins)).collect(),
        baseframe: baseframe.collect(),
        frames: (0..frames.len()).map(|number| Frame { number: int(number), span }).collect(),
        components: frames.iter().flat_map(|frame| kept.iter().map(|&(joint, n)| frame[joint][n])).collect(),
    }
}

/// Returns every joint relative to its parent, as in the file.
fn components(joints: &[Joint], pose: &Pose) -> Vec<[f64; 6]> {
    let placed = pose.place(joints);
    let local = joints.iter().zip(&placed).map(|(joint, (here, _))| {
        let (position, rotation) = match joint.parent {
            None => (here.position, here.rotation),
            Some(parent) => {
                let above = placed[parent].0;
                let back = above.rotation.conjugate();
                (back * (here.position - above.position), (back * here.rotation).normalize())
            }
        };
        let [x, y, z] = rounded3(position).to_array();
        let ([qx, qy, qz], _) = file_rotation(rotation);
        [x, y, z, qx, qy, qz]
    });
    local.collect()
}

/// Returns the joints of a frame in model space, as a reader of the file gets them.
fn place_as_written(joints: &[Joint], frame: &[[f64; 6]]) -> Vec<(DVec3, DQuat)> {
    let mut placed: Vec<(DVec3, DQuat)> = Vec::new();
    for (joint, &[x, y, z, qx, qy, qz]) in joints.iter().zip(frame) {
        let (position, rotation) = (DVec3::new(x, y, z), read_rotation(DVec3::new(qx, qy, qz)));
        placed.push(match joint.parent {
            None => (position, rotation),
            Some(parent) => {
                let (above, turned) = placed[parent];
                (above + turned * position, turned * rotation)
            }
        });
    }
    placed
}

/// Returns the box around all vertices in a frame as a reader gets it, rounded outwards to three decimals.
fn bounds(joints: &[Joint], frame: &[[f64; 6]], skins: &[&Sample]) -> Bounds {
    let placed = place_as_written(joints, frame);
    // Transforms from model space of the bind pose to model space of the frame.
    let skin: Vec<DAffine3> = placed
        .iter()
        .zip(bind_as_written(joints))
        .map(|(&(position, rotation), (bind_position, bind_rotation))| {
            DAffine3::from_rotation_translation(rotation, position)
                * DAffine3::from_rotation_translation(bind_rotation, bind_position).inverse()
        })
        .collect();
    let (mut min, mut max) = (DVec3::MAX, DVec3::MIN);
    for vertex in skins.iter().flat_map(|skin| &skin.vertices) {
        let moved = |&(joint, share): &(usize, f64)| skin[joint].transform_point3(vertex.position) * share;
        let position: DVec3 = vertex.shares.iter().map(moved).sum();
        (min, max) = (min.min(position), max.max(position));
    }
    // Two hundred times the precision of an offset with six decimals.
    let slack = DVec3::splat(1e-4);
    let outwards = |value: DVec3| rounded3((value * 1e3).floor() / 1e3);
    Bounds {
        min: outwards(min - slack).to_array(),
        max: (-outwards(-max - slack) + 0.0).to_array(),
        span: Span::default(),
    }
}
