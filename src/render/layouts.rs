//! What a method's program reads: attributes per vertex, uniforms per joint.
//!
//! A method that stores its vertices or joints in one of these ways needs no code here; its row in
//! [`crate::skin::METHODS`] names them.

use super::Error;
use crate::model::{Mesh, Transform};
use crate::pose::ModelPose;
use crate::skin::{JointData, Method, Stage, Vertex, Weights};
use glam::{Affine3A, DAffine3, DMat3, DQuat, Vec4};
use glium::backend::Context;
use glium::implement_vertex;
use glium::uniforms::UniformValue;
use glium::vertex::{Vertex as _, VertexBuffer, VertexBufferAny, VertexFormat};
use std::rc::Rc;

/// What every method's vertices have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surface {
    uv: [f32; 2],
    colour: [f32; 4],
}
implement_vertex!(Surface, uv, colour);

/// Finished vertices, streamed by `cpu`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finished {
    /// Model space of the pose.
    pub position: [f32; 3],
    /// Unit length.
    pub normal: [f32; 3],
}
implement_vertex!(Finished, position, normal);

/// A bind-space vertex with four influences, the last weight implied.
#[derive(Debug, Clone, Copy)]
struct BindLastImplied {
    position: [f32; 3],
    normal: [f32; 3],
    weights: [f32; 3],
    joints: [f32; 4],
}
implement_vertex!(BindLastImplied, position, normal, weights, joints);

/// Four joint-space offsets with the joint's palette index in w, and the normal in the space of each joint.
#[derive(Debug, Clone, Copy)]
struct Offsets {
    weights: [f32; 4],
    offset0: [f32; 4],
    offset1: [f32; 4],
    offset2: [f32; 4],
    offset3: [f32; 4],
    normal0: [f32; 3],
    normal1: [f32; 3],
    normal2: [f32; 3],
    normal3: [f32; 3],
}
implement_vertex!(Offsets, weights, offset0, offset1, offset2, offset3, normal0, normal1, normal2, normal3);

/// How a method's vertices are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attributes {
    /// [`Finished`], written anew for every pose.
    Finished,
    /// [`BindLastImplied`].
    BindLastImplied,
    /// [`Offsets`].
    Offsets,
}

impl Attributes {
    /// The layout that a method's row asks for; `None` where there is none yet.
    pub fn of(method: &Method) -> Option<Self> {
        match (method.stage, method.vertex, method.weights) {
            (Stage::Cpu, ..) => Some(Self::Finished),
            (Stage::VertexShader, Vertex::BindPosition, Weights::LastImplied) => Some(Self::BindLastImplied),
            (Stage::VertexShader, Vertex::Offsets, Weights::AsWritten) => Some(Self::Offsets),
            _ => None,
        }
    }

    /// Names and types, for checking a program against them.
    pub fn format(self) -> VertexFormat {
        match self {
            Self::Finished => Finished::build_bindings(),
            Self::BindLastImplied => BindLastImplied::build_bindings(),
            Self::Offsets => Offsets::build_bindings(),
        }
    }

    /// The buffer of a mesh with at most four influences per vertex.
    pub fn buffer(self, context: &Rc<Context>, mesh: &Mesh) -> Result<Vertices, Error> {
        Ok(match self {
            Self::Finished => Vertices::Streamed(
                VertexBuffer::empty_dynamic(context, mesh.vertex_count()).map_err(Error::resource("vertex buffer"))?,
            ),
            Self::BindLastImplied => Vertices::Fixed(immutable(context, mesh, bind_last_implied)?),
            Self::Offsets => Vertices::Fixed(immutable(context, mesh, offsets)?),
        })
    }
}

/// Vertices on the GPU.
pub(super) enum Vertices {
    /// Written once.
    Fixed(VertexBufferAny),
    /// Written for every pose.
    Streamed(VertexBuffer<Finished>),
}

/// Uvs and colours of a mesh.
pub(super) fn surface_buffer(context: &Rc<Context>, mesh: &Mesh) -> Result<VertexBufferAny, Error> {
    immutable(context, mesh, |mesh, vertex| Surface {
        uv: mesh.uvs[vertex].to_array(),
        colour: mesh.colors.get(vertex).copied().unwrap_or(Vec4::ONE).to_array(),
    })
}

pub(super) fn surface_format() -> VertexFormat {
    Surface::build_bindings()
}

fn immutable<V: glium::Vertex + Send + 'static>(
    context: &Rc<Context>,
    mesh: &Mesh,
    vertex: impl Fn(&Mesh, usize) -> V,
) -> Result<VertexBufferAny, Error> {
    let vertices: Vec<V> = (0..mesh.vertex_count()).map(|number| vertex(mesh, number)).collect();
    Ok(VertexBuffer::new(context, &vertices).map_err(Error::resource("vertex buffer"))?.into())
}

/// Weights and palette indices; unused ones repeat the last index with weight 0 (article 001).
fn four_influences(mesh: &Mesh, vertex: usize) -> ([f32; 4], [u32; 4]) {
    let influences = mesh.influences_of(vertex);
    let (mut weights, mut slots) = ([0.0; 4], [influences.last().map_or(0, |last| last.slot); 4]);
    for (place, influence) in influences.iter().take(4).enumerate() {
        (weights[place], slots[place]) = (influence.weight, influence.slot);
    }
    (weights, slots)
}

fn bind_last_implied(mesh: &Mesh, vertex: usize) -> BindLastImplied {
    let ([x, y, z, _], slots) = four_influences(mesh, vertex);
    BindLastImplied {
        position: mesh.positions[vertex].to_array(),
        normal: mesh.normals[vertex].to_array(),
        weights: [x, y, z],
        joints: slots.map(|slot| slot as f32),
    }
}

fn offsets(mesh: &Mesh, vertex: usize) -> Offsets {
    let (weights, slots) = four_influences(mesh, vertex);
    let normal = mesh.normals[vertex].as_dvec3();
    let mut offset = slots.map(|slot| [0.0, 0.0, 0.0, slot as f32]);
    let mut normals = [[0.0; 3]; 4];
    for (place, influence) in mesh.influences_of(vertex).iter().take(4).enumerate() {
        offset[place] = influence.offset.extend(influence.slot as f32).to_array();
        let inverse_bind = &mesh.bind[influence.slot as usize].inverse_bind;
        normals[place] = (inverse_bind.matrix3 * normal).as_vec3().to_array();
    }
    let [offset0, offset1, offset2, offset3] = offset;
    let [normal0, normal1, normal2, normal3] = normals;
    Offsets { weights, offset0, offset1, offset2, offset3, normal0, normal1, normal2, normal3 }
}

/// A uniform array of vec4.
///
/// glium sets arrays element by element under the names `palette[0]`, `palette[1]`, …, so the names are made once.
#[derive(Debug, Clone, Default)]
pub(super) struct UniformArray {
    names: Vec<String>,
    values: Vec<[f32; 4]>,
}

impl UniformArray {
    fn new(name: &str, length: usize) -> Self {
        Self { names: (0..length).map(|index| format!("{name}[{index}]")).collect(), values: Vec::new() }
    }

    /// Hands each element to glium.
    pub fn visit<'v>(&self, output: &mut impl FnMut(&str, UniformValue<'v>)) {
        for (name, value) in self.names.iter().zip(&self.values) {
            output(name, UniformValue::Vec4(*value));
        }
    }
}

/// How a method's joints are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joints {
    /// Nothing.
    None,
    /// `palette[3 * JOINTS]`: the rows of the palette matrices.
    Rows,
    /// `boneQuat[JOINTS]`, `bonePos[JOINTS]`: the pose, and the parents.
    PoseQuaternions,
}

impl Joints {
    /// The layout that a method's row asks for; `None` where there is none yet.
    pub fn of(method: &Method) -> Option<Self> {
        match method.joint_data {
            JointData::None => Some(Self::None),
            JointData::Rows4x3 => Some(Self::Rows),
            JointData::PoseQuatPosition => Some(Self::PoseQuaternions),
            _ => None,
        }
    }

    /// Arrays for `joints` joints, to be filled for each draw.
    pub fn arrays(self, joints: usize) -> Vec<UniformArray> {
        match self {
            Self::None => Vec::new(),
            Self::Rows => vec![UniformArray::new("palette", 3 * joints)],
            Self::PoseQuaternions => vec![UniformArray::new("boneQuat", joints), UniformArray::new("bonePos", joints)],
        }
    }

    /// Writes the joints that a mesh is bound to.
    ///
    /// `parents` gives each of them the place of its parent in the same list, if it is there.
    pub fn fill(self, mesh: &Mesh, parents: &[Option<usize>], pose: &ModelPose, arrays: &mut [UniformArray]) {
        arrays.iter_mut().for_each(|array| array.values.clear());
        match (self, arrays) {
            (Self::Rows, [palette]) => {
                for bound in &mesh.bind {
                    let skin: DAffine3 = pose.0[bound.joint.index()] * bound.inverse_bind;
                    let rows = skin.matrix3.transpose();
                    let row = |axis: glam::DVec3, shift: f64| axis.extend(shift).as_vec4().to_array();
                    palette.values.push(row(rows.x_axis, skin.translation.x));
                    palette.values.push(row(rows.y_axis, skin.translation.y));
                    palette.values.push(row(rows.z_axis, skin.translation.z));
                }
            }
            (Self::PoseQuaternions, [rotations, positions]) => {
                for (bound, parent) in mesh.bind.iter().zip(parents) {
                    let joint = &pose.0[bound.joint.index()];
                    let rotation = DQuat::from_mat3(&joint.matrix3).normalize();
                    rotations.values.push(rotation.as_quat().to_array());
                    let parent = parent.map_or(-1.0, |place| place as f32);
                    positions.values.push(joint.translation.as_vec3().extend(parent).to_array());
                }
            }
            _ => {}
        }
    }
}

/// Runs `cpu` for one mesh into a vector; `model` is the pose in f32.
pub(super) fn finish_on_cpu(mesh: &Mesh, pose: &ModelPose, model: &[Affine3A], out: &mut Vec<Finished>) {
    let palette: Vec<Affine3A> =
        mesh.bind.iter().map(|bound| (pose.0[bound.joint.index()] * bound.inverse_bind).as_affine3a()).collect();
    out.clear();
    crate::skin::linear_f32(mesh, model, &palette, |_, position, normal| {
        out.push(Finished { position: position.to_array(), normal: normal.to_array() });
    });
}

/// How far a joint's axes may be from unit length and from each other's right angle before quaternions are refused.
///
/// Worth a hundred-thousandth of a bone's length, the tolerance of the agreement tests.
const RIGID: f64 = 1e-5;

/// Whether a map only turns and moves.
pub(super) fn is_rigid(map: &DMat3) -> bool {
    let [x, y, z] = [map.x_axis, map.y_axis, map.z_axis];
    let straight = [x.dot(y), y.dot(z), z.dot(x)].into_iter().all(|product| product.abs() < RIGID);
    let unit = [x, y, z].into_iter().all(|axis| (axis.length() - 1.0).abs() < RIGID);
    straight && unit && map.determinant() > 0.0
}

/// What keeps a joint's local transform from being rigid, for people.
pub(super) fn stretch(local: &Transform) -> String {
    let scale = local.scale;
    let mut text = format!("scaled by {:.4} {:.4} {:.4}", scale.x, scale.y, scale.z);
    if local.shear.length() > RIGID {
        text.push_str(" and sheared");
    }
    text
}
