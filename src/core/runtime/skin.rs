//! Skinned positions and normals of one mesh.

use super::matrix::RuntimeMatrix;
use super::simd::{Kernel, Registers, Simd, run};
use crate::model::{Influence, Mesh};
use glam::DAffine3;
use rayon::prelude::*;

/// Largest disagreement of a vertex' influences, as a share of the mesh' size, for skinning from one bind position: the
/// error of printed decimals, far below a pixel.
const AGREEMENT: f64 = 4e-6;

/// Least length of a normal, as a share of its matrix' size: below, `f32` would lose its direction by a tenth of a degree.
/// The reference uses the same.
const LEAST_NORMAL: f32 = 1e-4;

/// Least number of vertices for several threads; fewer take no longer than waking one.
const PARALLEL_FROM: usize = 16_384;

/// Vertices that one thread skins at a time.
const BLOCK: usize = 4_096;

/// A mesh laid out for skinning by the linear method of [`crate::skin::linear`], with all its influences.
///
/// Vertices are grouped by number of influences within blocks of a few thousand. Those whose influences agree about the
/// bind position move by one blended matrix; MD5 vertices whose offsets disagree, by the sum of their offsets.
#[derive(Debug, Clone)]
pub struct RuntimeMesh {
    /// Joint and inverse bind matrix of each slot.
    bind: Vec<(u32, RuntimeMatrix)>,
    /// The groups of each [`BLOCK`] vertices.
    blocks: Vec<Vec<Group>>,
    vertices: usize,
}

/// Vertices of a block that are skinned by the same code.
#[derive(Debug, Clone)]
enum Group {
    /// Vertices without influences: their indices in the block.
    Loose(Vec<u32>),
    One(Vertices<1>),
    Two(Vertices<2>),
    Three(Vertices<3>),
    Four(Vertices<4>),
    More(Vec<Quad<Box<[Pull]>>>),
}

/// Vertices with `COUNT` influences each.
#[derive(Debug, Clone)]
enum Vertices<const COUNT: usize> {
    /// The influences agree about the bind position.
    Shared(Vec<Quad<Shared<COUNT>>>),
    Apart(Vec<Quad<[Pull; COUNT]>>),
}

/// Data of four vertices side by side; the last of a group may be repeated.
#[derive(Debug, Clone)]
struct Quad<I> {
    /// Bind normal of each; the fourth number is padding.
    normals: [[f32; 4]; 4],
    /// Index of each in the block.
    places: [u32; 4],
    influences: [I; 4],
}

/// Influences that move one point.
#[derive(Debug, Clone)]
struct Shared<const COUNT: usize> {
    /// Bind position; the fourth number is padding.
    position: [f32; 4],
    slots: [u32; COUNT],
    weights: [f32; COUNT],
}

/// An influence with a point of its own.
#[derive(Debug, Clone, Copy)]
struct Pull {
    /// The offset in the joint's space times the weight, and the weight.
    offset: [f32; 4],
    slot: u32,
}

impl Pull {
    fn new(influence: &Influence) -> Self {
        let weight = influence.weight;
        Self { slot: influence.slot, offset: (influence.offset * weight).extend(weight).to_array() }
    }
}

/// A skinned vertex, model space.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
pub struct SkinnedVertex {
    /// Model units.
    pub position: [f32; 3],
    /// Unit length, or zero where a pose leaves no direction.
    pub normal: [f32; 3],
}

impl RuntimeMesh {
    /// Lays out `mesh`.
    pub fn new(mesh: &Mesh) -> Self {
        let model_from_joint: Vec<DAffine3> = mesh.bind.iter().map(|bound| bound.inverse_bind.inverse()).collect();
        let size = mesh.bounds().map_or(0.0, |(min, max)| f64::from(min.distance(max)));
        let disagrees = |vertex: usize| {
            let position = mesh.positions[vertex].as_dvec3();
            mesh.influences_of(vertex).iter().any(|influence| {
                let placed = model_from_joint[influence.slot as usize].transform_point3(influence.offset.as_dvec3());
                placed.distance(position) > AGREEMENT * size
            })
        };
        let vertices = mesh.vertex_count();
        let blocks = (0..vertices).step_by(BLOCK).map(|start| {
            let kind = |vertex: usize| (mesh.influences_of(vertex).len(), disagrees(vertex), vertex);
            let mut order: Vec<_> = (start..vertices.min(start + BLOCK)).map(kind).collect();
            order.sort_unstable();
            let same_kind = order.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
            same_kind.map(|same| Group::new(mesh, start, same)).collect()
        });
        let bind = mesh.bind.iter().map(|bound| (bound.joint.index() as u32, RuntimeMatrix::from(&bound.inverse_bind)));
        Self { bind: bind.collect(), blocks: blocks.collect(), vertices }
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Writes `model[bind[s].joint] * inverse_bind[s]` for every slot, then `model[bind[s].joint]` for every slot.
    ///
    /// `model` has one matrix per joint of the skeleton; panics if it has fewer.
    pub fn palette(&self, model: &[RuntimeMatrix], palette: &mut Vec<RuntimeMatrix>) {
        palette.clear();
        palette.extend(
            self.bind
                .iter()
                .map(|(joint, bind)| RuntimeMatrix::from(model[*joint as usize].to_affine() * bind.to_affine())),
        );
        palette.extend(self.bind.iter().map(|(joint, _)| model[*joint as usize]));
    }

    /// Skins all vertices with a palette of [`Self::palette`], on several threads if there are many.
    ///
    /// `out` has one entry per vertex of the mesh, of any type made from a [`SkinnedVertex`].
    ///
    /// # Panics
    ///
    /// If `out` has not one entry per vertex, or `palette` not two per slot.
    pub fn skin<V: From<SkinnedVertex> + Send>(&self, simd: Simd, palette: &[RuntimeMatrix], out: &mut [V]) {
        assert_eq!(out.len(), self.vertices, "one output for each vertex");
        assert_eq!(palette.len(), 2 * self.bind.len(), "a palette of this mesh");
        let palette = palette.split_at(self.bind.len());
        let skin = |(groups, out): (&Vec<Group>, &mut [V])| {
            groups.iter().for_each(|group| group.skin(simd, palette, out));
        };
        if self.vertices < PARALLEL_FROM {
            self.blocks.iter().zip(out.chunks_mut(BLOCK)).for_each(skin);
        } else {
            self.blocks.par_iter().zip(out.par_chunks_mut(BLOCK)).for_each(skin);
        }
    }
}

impl Group {
    /// The vertices of `same`, whose numbers of influences are alike; `start` is the first vertex of the block.
    fn new(mesh: &Mesh, start: usize, same: &[(usize, bool, usize)]) -> Self {
        match same[0].0 {
            0 => Self::Loose(same.iter().map(|&(.., vertex)| (vertex - start) as u32).collect()),
            1 => Self::One(Vertices::new(mesh, start, same)),
            2 => Self::Two(Vertices::new(mesh, start, same)),
            3 => Self::Three(Vertices::new(mesh, start, same)),
            4 => Self::Four(Vertices::new(mesh, start, same)),
            _ => Self::More(quads(mesh, start, same, |_, influences| influences.iter().map(Pull::new).collect())),
        }
    }

    /// `palette` and, behind it, the pose, one entry for each slot of the mesh.
    fn skin<V: From<SkinnedVertex>>(
        &self,
        simd: Simd,
        (palette, model): (&[RuntimeMatrix], &[RuntimeMatrix]),
        out: &mut [V],
    ) {
        match self {
            Self::Loose(places) => {
                places.iter().for_each(|&place| out[place as usize] = SkinnedVertex::default().into())
            }
            Self::One(vertices) => vertices.skin(simd, (palette, model), out),
            Self::Two(vertices) => vertices.skin(simd, (palette, model), out),
            Self::Three(vertices) => vertices.skin(simd, (palette, model), out),
            Self::Four(vertices) => vertices.skin(simd, (palette, model), out),
            Self::More(vertices) => run(simd, SkinVertices { quads: vertices, palette, model, out }),
        }
    }
}

impl<const COUNT: usize> Vertices<COUNT> {
    fn new(mesh: &Mesh, start: usize, same: &[(usize, bool, usize)]) -> Self {
        if same[0].1 {
            let pull = |influences: &[Influence]| std::array::from_fn(|number| Pull::new(&influences[number]));
            return Self::Apart(quads(mesh, start, same, |_, influences| pull(influences)));
        }
        Self::Shared(quads(mesh, start, same, |vertex, influences| Shared {
            position: mesh.positions[vertex].extend(0.0).to_array(),
            slots: std::array::from_fn(|number| influences[number].slot),
            weights: std::array::from_fn(|number| influences[number].weight),
        }))
    }

    fn skin<V: From<SkinnedVertex>>(
        &self,
        simd: Simd,
        (palette, model): (&[RuntimeMatrix], &[RuntimeMatrix]),
        out: &mut [V],
    ) {
        match self {
            Self::Shared(vertices) => run(simd, SkinVertices { quads: vertices, palette, model, out }),
            Self::Apart(vertices) => run(simd, SkinVertices { quads: vertices, palette, model, out }),
        }
    }
}

fn quads<I>(
    mesh: &Mesh,
    start: usize,
    same: &[(usize, bool, usize)],
    influences: impl Fn(usize, &[Influence]) -> I,
) -> Vec<Quad<I>> {
    let quad = |four: &[(usize, bool, usize)]| {
        let vertices: [usize; 4] = std::array::from_fn(|number| four[number.min(four.len() - 1)].2);
        Quad {
            normals: vertices.map(|vertex| mesh.normals[vertex].extend(0.0).to_array()),
            places: vertices.map(|vertex| (vertex - start) as u32),
            influences: vertices.map(|vertex| influences(vertex, mesh.influences_of(vertex))),
        }
    };
    same.chunks(4).map(quad).collect()
}

/// Influences of a vertex.
trait Influences: Sized {
    /// Positions of four vertices, and the x, y and z of the blended matrices that turn their normals.
    fn moved<R: Registers>(
        four: &[Self; 4],
        registers: R,
        palette: &[RuntimeMatrix],
        model: &[RuntimeMatrix],
    ) -> (R::Fours, [R::Fours; 3]);
}

impl<const COUNT: usize> Shared<COUNT> {
    /// The sum of the palette's entries by weight.
    #[inline(always)]
    fn blend<R: Registers>(&self, registers: R, palette: &[RuntimeMatrix]) -> R::Columns {
        let Self { slots, weights, .. } = self;
        let mut blended = registers.scaled(&palette[slots[0] as usize], weights[0]);
        for number in 1..COUNT {
            blended = registers.add_scaled(&palette[slots[number] as usize], weights[number], blended);
        }
        blended
    }
}

impl<const COUNT: usize> Influences for Shared<COUNT> {
    #[inline(always)]
    fn moved<R: Registers>(
        [a, b, c, d]: &[Self; 4],
        registers: R,
        palette: &[RuntimeMatrix],
        _: &[RuntimeMatrix],
    ) -> (R::Fours, [R::Fours; 3]) {
        let [x, y, z, t] = registers.columns([
            a.blend(registers, palette),
            b.blend(registers, palette),
            c.blend(registers, palette),
            d.blend(registers, palette),
        ]);
        let positions = registers.gather([&a.position, &b.position, &c.position, &d.position]);
        (product(registers, [x, y, z], positions, t), [x, y, z])
    }
}

impl<const COUNT: usize> Influences for [Pull; COUNT] {
    #[inline(always)]
    fn moved<R: Registers>(
        [a, b, c, d]: &[Self; 4],
        registers: R,
        palette: &[RuntimeMatrix],
        model: &[RuntimeMatrix],
    ) -> (R::Fours, [R::Fours; 3]) {
        sums(registers, [a, b, c, d], palette, model)
    }
}

impl Influences for Box<[Pull]> {
    #[inline(always)]
    fn moved<R: Registers>(
        [a, b, c, d]: &[Self; 4],
        registers: R,
        palette: &[RuntimeMatrix],
        model: &[RuntimeMatrix],
    ) -> (R::Fours, [R::Fours; 3]) {
        sums(registers, [a, b, c, d], palette, model)
    }
}

/// Positions of four vertices as sums of posed offsets, and their blended matrices.
#[inline(always)]
fn sums<R: Registers>(
    registers: R,
    [a, b, c, d]: [&[Pull]; 4],
    palette: &[RuntimeMatrix],
    model: &[RuntimeMatrix],
) -> (R::Fours, [R::Fours; 3]) {
    let [a, b] = [sum(registers, a, palette, model), sum(registers, b, palette, model)];
    let [c, d] = [sum(registers, c, palette, model), sum(registers, d, palette, model)];
    let [x, y, z, t] = registers.columns([a.0, b.0, c.0, d.0]);
    let position = registers.add(registers.add(x, y), registers.add(z, t));
    let [x, y, z, _] = registers.columns([a.1, b.1, c.1, d.1]);
    (position, [x, y, z])
}

/// Columns whose sum is a vertex' position, and its blended palette entry.
#[inline(always)]
fn sum<R: Registers>(
    registers: R,
    pulls: &[Pull],
    palette: &[RuntimeMatrix],
    model: &[RuntimeMatrix],
) -> (R::Columns, R::Columns) {
    let none = registers.scaled(&RuntimeMatrix::IDENTITY, 0.0);
    let (mut moved, mut blended) = (none, none);
    for Pull { slot, offset } in pulls {
        blended = registers.add_scaled(&palette[*slot as usize], offset[3], blended);
        moved = registers.add_products(&model[*slot as usize], offset, moved);
    }
    (moved, blended)
}

/// `matrix * vector + sum`.
#[inline(always)]
fn product<R: Registers>(registers: R, [x, y, z]: [R::Fours; 3], vector: R::Fours, sum: R::Fours) -> R::Fours {
    let [vx, vy, vz] = [registers.part::<0>(vector), registers.part::<1>(vector), registers.part::<2>(vector)];
    registers.mul_add(x, vx, registers.mul_add(y, vy, registers.mul_add(z, vz, sum)))
}

/// Skins vertices of one kind.
struct SkinVertices<'a, I, V> {
    quads: &'a [Quad<I>],
    palette: &'a [RuntimeMatrix],
    model: &'a [RuntimeMatrix],
    out: &'a mut [V],
}

impl<I: Influences, V: From<SkinnedVertex>> Kernel for SkinVertices<'_, I, V> {
    #[inline(always)]
    fn run<R: Registers>(self, registers: R) {
        for Quad { normals: [a, b, c, d], places, influences } in self.quads {
            let (positions, matrices) = I::moved(influences, registers, self.palette, self.model);
            let normals = turn(registers, matrices, registers.gather([a, b, c, d]));
            let (heads, tails) = registers.interleave(positions, normals);
            for number in 0..4 {
                let ([x, y, z, nx], [ny, nz, ..]) = (heads[number], tails[number]);
                self.out[places[number] as usize] = SkinnedVertex { position: [x, y, z], normal: [nx, ny, nz] }.into();
            }
        }
    }
}

/// Unit normals turned by the cofactors of matrices, in the order z x y.
#[inline(always)]
fn turn<R: Registers>(registers: R, [x, y, z]: [R::Fours; 3], normals: R::Fours) -> R::Fours {
    let [x_turned, y_turned, z_turned] = [registers.yzx(x), registers.yzx(y), registers.yzx(z)];
    // The cross product of a and b is a * b.yzx - a.yzx * b, read as z x y.
    let yz = registers.mul_sub(y, z_turned, registers.mul(y_turned, z));
    let zx = registers.mul_sub(z, x_turned, registers.mul(z_turned, x));
    let xy = registers.mul_sub(x, y_turned, registers.mul(x_turned, y));
    let [nx, ny, nz] = [registers.part::<0>(normals), registers.part::<1>(normals), registers.part::<2>(normals)];
    let turned = registers.mul_add(yz, nx, registers.mul_add(zx, ny, registers.mul(xy, nz)));
    let squares = registers.mul_add(x, x, registers.mul_add(y, y, registers.mul(z, z)));
    registers.mul(turned, registers.inverse_lengths(turned, squares, LEAST_NORMAL))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BindJoint, Skeleton, Transform};
    use crate::pose::{LocalPose, ModelPose, local_to_model};
    use crate::skin::{Skinned, linear};
    use glam::{DQuat, DVec3, Vec3, Vec4};

    /// Vertices with up to six influences, some of which disagree about the bind position.
    fn mesh(vertices: usize, bind_pose: &ModelPose, joints: &[crate::model::JointId]) -> Mesh {
        let mut state = 5_u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        let bind: Vec<BindJoint> = joints
            .iter()
            .map(|&joint| BindJoint { joint, inverse_bind: bind_pose.0[joint.index()].inverse() })
            .collect();
        let mut mesh = Mesh { influence_starts: vec![0], ..Mesh::default() };
        for vertex in 0..vertices {
            let position = Vec3::new(noise(), noise(), noise()) * 3.0;
            mesh.positions.push(position);
            mesh.normals.push(Vec3::new(noise(), noise(), noise()).normalize());
            mesh.tangents.push(Vec4::X);
            let count = vertex % 7;
            for number in 0..count {
                let slot = (vertex * 3 + number) % joints.len();
                let apart = if vertex % 5 == 0 { Vec3::new(noise(), noise(), noise()) * 0.1 } else { Vec3::ZERO };
                let offset = bind[slot].inverse_bind.transform_point3((position + apart).as_dvec3()).as_vec3();
                mesh.influences.push(Influence { slot: slot as u32, weight: 1.0 / count as f32, offset });
            }
            mesh.influence_starts.push(mesh.influences.len() as u32);
        }
        mesh.bind = bind;
        mesh
    }

    #[test]
    fn vertices_are_those_of_the_reference() {
        let mut skeleton = Skeleton::new();
        let mut joints = Vec::new();
        for joint in 0..9 {
            let turn = DQuat::from_rotation_y(0.2 * f64::from(joint));
            let local = Transform::from_rotation_translation(turn, DVec3::new(0.1, 0.3, 0.5));
            joints.push(skeleton.push(format!("joint{joint}"), joints.last().copied(), local));
        }
        let pose = |turn: f64| {
            let locals = skeleton.joints().iter().enumerate().map(|(number, joint)| Transform {
                rotation: joint.rest_local.rotation * DQuat::from_rotation_x(turn),
                scale: DVec3::splat(1.0 + 0.1 * turn * number as f64),
                ..joint.rest_local
            });
            let mut model = ModelPose::default();
            local_to_model(&skeleton, &LocalPose(locals.collect()), &mut model);
            model
        };
        let mesh = mesh(2 * BLOCK + 77, &pose(0.0), &joints);
        let skin = RuntimeMesh::new(&mesh);
        let mut exact = Skinned::default();
        let (mut quick, mut quick_palette) = (vec![SkinnedVertex::default(); skin.vertices()], Vec::new());
        for turn in [0.0, 0.3, -0.7] {
            let posed = pose(turn);
            linear(&mesh, &posed, &mut exact);
            let model: Vec<RuntimeMatrix> = posed.0.iter().map(RuntimeMatrix::from).collect();
            skin.palette(&model, &mut quick_palette);
            for simd in Simd::available() {
                quick.fill(SkinnedVertex { position: [f32::NAN; 3], normal: [f32::NAN; 3] });
                skin.skin(simd, &quick_palette, &mut quick);
                for (vertex, quick) in quick.iter().enumerate() {
                    let position = DVec3::from_array(quick.position.map(f64::from));
                    let normal = DVec3::from_array(quick.normal.map(f64::from));
                    let apart = position.distance(exact.positions[vertex]);
                    assert!(apart < 4e-5, "{}: vertex {vertex} at {turn} is {apart} apart", simd.name());
                    let turned = normal.distance(exact.normals[vertex]);
                    assert!(turned < 1e-4, "{}: normal {vertex} at {turn} is {turned} apart", simd.name());
                }
            }
        }
    }
}
