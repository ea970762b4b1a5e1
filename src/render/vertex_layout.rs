//! Vertex formats of the methods.
//!
//! A method that uses one of these formats needs no code here: its row in [`bindpose_core::skin::METHODS`] selects the
//! format.

use super::Error;
use bindpose_core::model::Mesh;
use bindpose_core::skin::{self, VertexLayout};
use glam::{DAffine3, DVec3, Vec3, Vec4};
use glium::backend::Context;
use glium::implement_vertex;
use glium::vertex::{Vertex as _, VertexBuffer, VertexBufferAny, VertexFormat};
use std::rc::Rc;

/// Texture coordinates and colour, for every method.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surface {
    uv: [f32; 2],
    colour: [f32; 4],
}
implement_vertex!(Surface, uv, colour);

/// A bind-space vertex with four influences, the last weight implied.
#[derive(Debug, Clone, Copy)]
struct LastImplied {
    position: [f32; 3],
    normal: [f32; 3],
    tangent: [f32; 4],
    weights: [f32; 3],
    joints: [f32; 4],
}
implement_vertex!(LastImplied, position, normal, tangent, weights, joints);

/// A bind-space vertex with the weights of the batch's matrices in order, the last weight implied.
#[derive(Debug, Clone, Copy)]
struct InOrder {
    position: [f32; 3],
    normal: [f32; 3],
    tangent: [f32; 4],
    weights: [f32; 3],
}
implement_vertex!(InOrder, position, normal, tangent, weights);

/// A bind-space vertex with four influences.
#[derive(Debug, Clone, Copy)]
struct Four {
    position: [f32; 3],
    normal: [f32; 3],
    tangent: [f32; 4],
    weights: [f32; 4],
    joints: [f32; 4],
}
implement_vertex!(Four, position, normal, tangent, weights, joints);

/// A bind-space vertex.
#[derive(Debug, Clone, Copy)]
struct Bind {
    position: [f32; 3],
    normal: [f32; 3],
    tangent: [f32; 4],
}
implement_vertex!(Bind, position, normal, tangent);

/// A bind-space vertex with one joint.
#[derive(Debug, Clone, Copy)]
struct One {
    position: [f32; 3],
    normal: [f32; 3],
    tangent: [f32; 4],
    joint: f32,
}
implement_vertex!(One, position, normal, tangent, joint);

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

/// Position in the texture of vertices, for `gpu-hierarchy`.
#[derive(Debug, Clone, Copy)]
struct Texel {
    vertex_texel: [f32; 2],
}
implement_vertex!(Texel, vertex_texel);

/// Position and texture row of a copy in an instanced draw call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Copies {
    pub copy: [f32; 4],
}
implement_vertex!(Copies, copy);

pub(super) fn format(layout: VertexLayout) -> VertexFormat {
    match layout {
        VertexLayout::Finished | VertexLayout::TwoFrames => VertexFormat::default(),
        VertexLayout::LastImplied => LastImplied::build_bindings(),
        VertexLayout::InOrder => InOrder::build_bindings(),
        VertexLayout::Four | VertexLayout::FourRaised | VertexLayout::FromPivot => Four::build_bindings(),
        VertexLayout::Bind => Bind::build_bindings(),
        VertexLayout::One => One::build_bindings(),
        VertexLayout::Offsets => Offsets::build_bindings(),
        VertexLayout::Texel => Texel::build_bindings(),
    }
}

/// True if a method rotates tangents together with the normals. Methods with vertices in joint space or in textures
/// leave them to figure.frag.
pub(super) fn turns_tangents(layout: VertexLayout) -> bool {
    match layout {
        VertexLayout::Offsets | VertexLayout::Texel | VertexLayout::TwoFrames => false,
        VertexLayout::Finished
        | VertexLayout::LastImplied
        | VertexLayout::InOrder
        | VertexLayout::Four
        | VertexLayout::FourRaised
        | VertexLayout::FromPivot
        | VertexLayout::Bind
        | VertexLayout::One => true,
    }
}

/// Creates the buffer of a batch's mesh; `None` if the method writes its vertices for every pose.
///
/// Layouts of four support at most four influences per vertex. `per_row` is the number of vertices in a row of their
/// texture.
pub(super) fn vertex_buffer(
    layout: VertexLayout,
    context: &Rc<Context>,
    mesh: &Mesh,
    per_row: usize,
) -> Result<Option<VertexBufferAny>, Error> {
    match layout {
        VertexLayout::Finished | VertexLayout::TwoFrames => return Ok(None),
        VertexLayout::LastImplied => immutable(context, mesh, last_implied),
        VertexLayout::InOrder => immutable(context, mesh, in_order),
        VertexLayout::Four => immutable(context, mesh, four),
        VertexLayout::FourRaised => immutable(context, mesh, |mesh, vertex| {
            let plain = four(mesh, vertex);
            Four { joints: plain.joints.map(|joint| joint + 0.2), ..plain }
        }),
        VertexLayout::FromPivot => immutable(context, mesh, from_pivot),
        VertexLayout::Bind => immutable(context, mesh, bind),
        VertexLayout::One => immutable(context, mesh, |mesh, vertex| {
            let Bind { position, normal, tangent } = bind(mesh, vertex);
            let joint = mesh.influences_of(vertex).first().map_or(0.0, |influence| influence.slot as f32);
            One { position, normal, tangent, joint }
        }),
        VertexLayout::Offsets => immutable(context, mesh, offsets),
        VertexLayout::Texel => immutable(context, mesh, |_, vertex| Texel {
            vertex_texel: [(vertex % per_row) as f32, (vertex / per_row) as f32],
        }),
    }
    .map(Some)
}

/// Returns the texture coordinates of a vertex, with the given colour or its own.
pub(super) fn surface(mesh: &Mesh, vertex: usize, colour: Option<Vec4>) -> Surface {
    let own = || mesh.colors.get(vertex).copied().unwrap_or(Vec4::ONE);
    Surface { uv: mesh.uvs[vertex].to_array(), colour: colour.unwrap_or_else(own).to_array() }
}

/// Returns the formats shared by all methods.
pub(super) fn common_formats() -> [VertexFormat; 2] {
    [Surface::build_bindings(), Copies::build_bindings()]
}

/// Creates a constant buffer with an entry for every vertex of a mesh.
pub(super) fn immutable<V: glium::Vertex + Send + 'static>(
    context: &Rc<Context>,
    mesh: &Mesh,
    vertex: impl Fn(&Mesh, usize) -> V,
) -> Result<VertexBufferAny, Error> {
    let vertices: Vec<V> = (0..mesh.vertex_count()).map(|number| vertex(mesh, number)).collect();
    Ok(VertexBuffer::immutable(context, &vertices).map_err(Error::resource("vertex buffer"))?.into())
}

/// Returns weights and palette indices of four influences. Unused ones repeat the last index with weight 0 (article
/// 001).
fn four_influences(mesh: &Mesh, vertex: usize) -> ([f32; 4], [u32; 4]) {
    let influences = mesh.influences_of(vertex);
    let (mut weights, mut slots) = ([0.0; 4], [influences.last().map_or(0, |last| last.slot); 4]);
    for (place, influence) in influences.iter().take(4).enumerate() {
        (weights[place], slots[place]) = (influence.weight, influence.slot);
    }
    (weights, slots)
}

/// Returns the palette indices of a vertex' four influences.
pub(super) fn four_joints(mesh: &Mesh, vertex: usize) -> [u32; 4] {
    four_influences(mesh, vertex).1
}

fn bind(mesh: &Mesh, vertex: usize) -> Bind {
    Bind {
        position: mesh.positions[vertex].to_array(),
        normal: mesh.normals[vertex].to_array(),
        tangent: mesh.tangent(vertex).to_array(),
    }
}

fn last_implied(mesh: &Mesh, vertex: usize) -> LastImplied {
    let Four { position, normal, tangent, weights: [x, y, z, _], joints } = four(mesh, vertex);
    LastImplied { position, normal, tangent, weights: [x, y, z], joints }
}

fn in_order(mesh: &Mesh, vertex: usize) -> InOrder {
    let mut weights = [0.0; 4];
    for influence in mesh.influences_of(vertex) {
        if let Some(weight) = weights.get_mut(influence.slot as usize) {
            *weight += influence.weight;
        }
    }
    let [x, y, z, _] = weights;
    let Bind { position, normal, tangent } = bind(mesh, vertex);
    InOrder { position, normal, tangent, weights: [x, y, z] }
}

fn four(mesh: &Mesh, vertex: usize) -> Four {
    let (weights, slots) = four_influences(mesh, vertex);
    let Bind { position, normal, tangent } = bind(mesh, vertex);
    Four { position, normal, tangent, weights, joints: slots.map(|slot| slot as f32) }
}

fn from_pivot(mesh: &Mesh, vertex: usize) -> Four {
    let first = mesh.influences_of(vertex).first().and_then(|first| mesh.bind.get(first.slot as usize));
    let pivot = first.map_or(DVec3::ZERO, |bound| bound.inverse_bind.inverse().translation);
    let position = (mesh.positions[vertex].as_dvec3() - pivot).as_vec3().to_array();
    Four { position, ..four(mesh, vertex) }
}

/// Returns a vertex and a normal in the rigid frame of a joint (see [`rigid_frame`]).
pub(super) fn in_joint_space(mesh: &Mesh, vertex: usize, influence: &bindpose_core::model::Influence) -> (Vec3, Vec3) {
    let bound = &mesh.bind[influence.slot as usize];
    let frame = rigid_frame(&bound.inverse_bind);
    // For a rigid bind pose (every MD5 file) this is exactly the file's offset.
    let offset = match frame {
        None => influence.offset,
        Some(frame) => {
            let bind_position = bound.inverse_bind.inverse().transform_point3(influence.offset.as_dvec3());
            frame.inverse().transform_point3(bind_position).as_vec3()
        }
    };
    let to_joint = frame.map_or(bound.inverse_bind, |frame| frame.inverse());
    (offset, (to_joint.matrix3 * mesh.normals[vertex].as_dvec3()).as_vec3())
}

/// Returns the joint of the bind pose without its scale, for methods that do not store scale; `None` if it has no
/// scale.
///
/// If bind pose and pose have the same scale, the palette is rigid and the result is exact.
pub(super) fn rigid_frame(inverse_bind: &DAffine3) -> Option<DAffine3> {
    if skin::rigidity_error(inverse_bind) <= skin::RIGID {
        return None;
    }
    let bind = inverse_bind.inverse();
    Some(DAffine3::from_rotation_translation(skin::rotation(&bind), bind.translation))
}

fn offsets(mesh: &Mesh, vertex: usize) -> Offsets {
    let (weights, slots) = four_influences(mesh, vertex);
    let mut offset = slots.map(|slot| [0.0, 0.0, 0.0, slot as f32]);
    let mut normals = [[0.0; 3]; 4];
    for (place, influence) in mesh.influences_of(vertex).iter().take(4).enumerate() {
        let (position, normal) = in_joint_space(mesh, vertex, influence);
        offset[place] = position.extend(influence.slot as f32).to_array();
        normals[place] = normal.to_array();
    }
    let [offset0, offset1, offset2, offset3] = offset;
    let [normal0, normal1, normal2, normal3] = normals;
    Offsets { weights, offset0, offset1, offset2, offset3, normal0, normal1, normal2, normal3 }
}
