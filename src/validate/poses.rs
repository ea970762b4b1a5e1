//! Clips as transforms, frame by frame, for the checks that look at motion.

use super::checks::geometry::rotation;
use bindpose_parsers::md5::{AnimFile, Channel, MeshFile};
use glam::{Affine3A, DAffine3, DQuat, DVec3, Vec3A};

/// One joint in its parent's space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Local {
    pub translation: DVec3,
    pub rotation: DQuat,
}

impl Local {
    fn new(values: [f64; 6]) -> Self {
        let [tx, ty, tz, qx, qy, qz] = values;
        Self { translation: DVec3::new(tx, ty, tz), rotation: rotation([qx, qy, qz]) }
    }

    pub fn map(&self) -> DAffine3 {
        DAffine3::from_rotation_translation(self.rotation, self.translation)
    }

    /// By how many degrees the other one is turned.
    pub fn angle_to(&self, other: &Local) -> f64 {
        angle(self.rotation, other.rotation)
    }
}

/// The angle between two rotations, degrees.
pub fn angle(a: DQuat, b: DQuat) -> f64 {
    let dot = a.dot(b).abs().min(1.0);
    (2.0 * dot.acos()).to_degrees()
}

/// All frames of a clip, as the frames' components and the base frame make them
/// (docs/formats/md5.md "Frames and components").
#[derive(Debug, Clone)]
pub struct Frames {
    joints: usize,
    parents: Vec<Option<usize>>,
    locals: Vec<Local>,
    /// The base frame.
    pub base: Vec<Local>,
}

impl Frames {
    /// Decodes a clip; components outside the frame keep the base frame's value.
    pub fn new(file: &AnimFile) -> Self {
        let joints = file.hierarchy.len();
        let width = usize::try_from(file.num_animated_components.value).unwrap_or(0);
        let count = file.components.len().checked_div(width).unwrap_or(file.frames.len());
        let base_values: Vec<[f64; 6]> = (0..joints)
            .map(|joint| {
                file.baseframe.get(joint).map_or([0.0; 6], |pose| {
                    let ([tx, ty, tz], [qx, qy, qz]) = (pose.position, pose.rotation);
                    [tx, ty, tz, qx, qy, qz]
                })
            })
            .collect();
        let mut locals = Vec::with_capacity(count * joints);
        for frame in 0..count {
            let row = file.components.get(frame * width..(frame + 1) * width).unwrap_or_default();
            for (channel, base) in file.hierarchy.iter().zip(&base_values) {
                locals.push(Local::new(mixed(channel, *base, row)));
            }
        }
        let base = base_values.into_iter().map(Local::new).collect();
        let parents = file.hierarchy.iter().enumerate().map(|(index, channel)| parent(channel, index)).collect();
        Self { joints, parents, locals, base }
    }

    /// How many frames.
    pub fn count(&self) -> usize {
        self.locals.len().checked_div(self.joints).unwrap_or(0)
    }

    /// The joints of one frame.
    pub fn frame(&self, frame: usize) -> &[Local] {
        self.locals.get(frame * self.joints..(frame + 1) * self.joints).unwrap_or_default()
    }

    /// One joint through all frames.
    pub fn track(&self, joint: usize) -> impl Iterator<Item = &Local> {
        self.locals.iter().skip(joint).step_by(self.joints.max(1))
    }

    /// Model from joint; a joint whose parent comes later hangs under nothing.
    pub fn model(&self, locals: &[Local]) -> Vec<DAffine3> {
        let mut maps: Vec<DAffine3> = Vec::with_capacity(locals.len());
        for (local, parent) in locals.iter().zip(&self.parents) {
            let map = local.map();
            maps.push(parent.and_then(|parent| maps.get(parent)).map_or(map, |parent| *parent * map));
        }
        maps
    }
}

fn parent(channel: &Channel, index: usize) -> Option<usize> {
    usize::try_from(channel.parent.value).ok().filter(|&parent| parent < index)
}

/// The base frame with what a frame stores put over it, in the order Tx Ty Tz Qx Qy Qz.
fn mixed(channel: &Channel, mut values: [f64; 6], row: &[f64]) -> [f64; 6] {
    let mut next = usize::try_from(channel.first_component.value).unwrap_or(usize::MAX);
    for (bit, value) in values.iter_mut().enumerate() {
        if channel.flags.value & (1 << bit) != 0 {
            if let Some(&stored) = row.get(next) {
                *value = stored;
            }
            next = next.saturating_add(1);
        }
    }
    values
}

/// A mesh file's weights laid out for skinning many frames quickly, in f32.
#[derive(Debug, Clone)]
pub struct Skin {
    /// Joint, offset times bias, and the bias itself.
    weights: Vec<(u32, Vec3A, f32)>,
    /// Where each vertex' weights end.
    ends: Vec<u32>,
}

impl Skin {
    /// All vertices of all meshes of a file.
    pub fn new(file: &MeshFile) -> Self {
        Self::reduced(file, usize::MAX)
    }

    /// With at most `limit` weights per vertex: the largest, divided by their sum where any were left out.
    pub fn reduced(file: &MeshFile, limit: usize) -> Self {
        let mut skin = Skin { weights: Vec::new(), ends: Vec::new() };
        for mesh in &file.meshes {
            for vertex in 0..mesh.verts.len() {
                let all = super::checks::geometry::weights_of(mesh, vertex);
                let mut kept: Vec<_> = all.iter().collect();
                let mut share = 1.0;
                if kept.len() > limit {
                    kept.sort_by(|a, b| b.bias.total_cmp(&a.bias));
                    kept.truncate(limit);
                    let sum: f64 = kept.iter().map(|weight| weight.bias).sum();
                    share = if sum == 0.0 { 1.0 } else { 1.0 / sum };
                }
                skin.weights.extend(kept.iter().map(|weight| {
                    let bias = weight.bias * share;
                    (weight.joint, (DVec3::from_array(weight.offset) * bias).as_vec3a(), bias as f32)
                }));
                skin.ends.push(skin.weights.len() as u32);
            }
        }
        skin
    }

    /// Calls `each` with every vertex in a pose.
    pub fn pose(&self, maps: &[Affine3A], mut each: impl FnMut(usize, Vec3A)) {
        let mut start = 0;
        for (vertex, &end) in self.ends.iter().enumerate() {
            let mut point = Vec3A::ZERO;
            for &(joint, offset, bias) in self.weights.get(start..end as usize).unwrap_or_default() {
                if let Some(map) = maps.get(joint as usize) {
                    point += map.matrix3 * offset + map.translation * bias;
                }
            }
            start = end as usize;
            each(vertex, point);
        }
    }

    /// The box of a pose; `None` without vertices.
    pub fn bounds(&self, maps: &[Affine3A]) -> Option<(Vec3A, Vec3A)> {
        let (mut min, mut max) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
        self.pose(maps, |_, point| {
            min = min.min(point);
            max = max.max(point);
        });
        (!self.ends.is_empty()).then_some((min, max))
    }
}

/// In f32, for [`Skin`].
pub fn narrow(maps: &[DAffine3]) -> Vec<Affine3A> {
    maps.iter().map(|map| Affine3A::from_mat3_translation(map.matrix3.as_mat3(), map.translation.as_vec3())).collect()
}
