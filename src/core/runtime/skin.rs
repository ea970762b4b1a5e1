//! Skinned positions and normals of one mesh.

use super::matrix::RuntimeMatrix;
use super::simd::{Kernel, Registers, Simd, run};
use crate::model::{Influence, Mesh};
use glam::{DAffine3, Vec3};

/// Largest disagreement between a vertex' influences at which it is skinned from one bind position, as a fraction of
/// the mesh' size: the rounding error of decimals, far below a pixel.
const AGREEMENT: f64 = 4e-6;

/// Smallest length of a normal relative to the size of its matrix. Below this, `f32` would lose its direction by a
/// tenth of a degree. The reference uses the same limit.
const LEAST_NORMAL: f32 = 1e-4;

/// Number of vertices from which several threads are used. Fewer take no longer than waking a thread.
const PARALLEL_FROM: usize = 16_384;

/// Number of vertices grouped together: their output fits into a core's cache.
const BLOCK: usize = 4_096;

/// A mesh prepared for the linear method of [`crate::skin::linear`], with all its influences.
///
/// Vertices are grouped by kind of influences within blocks of a few thousand. If the influences of a vertex agree
/// about the bind position, one blended matrix moves it. Otherwise, as for some MD5 vertices, it is the sum of its
/// moved offsets.
#[derive(Debug, Clone)]
pub struct RuntimeMesh {
    /// Joint and inverse bind matrix of each slot.
    bind: Vec<(u32, RuntimeMatrix)>,
    /// Groups of each block of [`BLOCK`] vertices.
    blocks: Vec<Vec<Group>>,
    /// Largest sum of a vertex' weights without their signs.
    most_weight: f32,
    vertices: usize,
}

/// Kinds of influences that need different code.
#[derive(Clone, Copy)]
enum Kind {
    /// No influences.
    Loose,
    /// Full weight on one slot.
    Rigid(u32),
    /// Up to four influences that agree about the bind position.
    Shared(usize),
    /// Any number of influences, each with a separate offset.
    Apart(usize),
}

impl Kind {
    /// Returns a number of 32 bits that only this kind has. Slots and influences are less than 2³⁰.
    fn number(self) -> u64 {
        match self {
            Self::Loose => 0,
            Self::Rigid(slot) => 1 << 30 | u64::from(slot),
            Self::Shared(influences) => 2 << 30 | influences as u64,
            Self::Apart(influences) => 3 << 30 | influences as u64,
        }
    }
}

/// Returns the vertex of an entry of a block's order: the kind's number and the vertex, in 32 bits each.
fn vertex_of(entry: u64) -> usize {
    entry as u32 as usize
}

/// Vertices of a block with the same [`Kind`].
#[derive(Debug, Clone)]
enum Group {
    /// Indices in the block.
    Loose(Vec<u32>),
    /// Slot and vertices.
    Rigid(u32, Vec<Pack>),
    SharedOne(Vec<Quad<Shared<1>>>),
    SharedTwo(Vec<Quad<Shared<2>>>),
    SharedThree(Vec<Quad<Shared<3>>>),
    SharedFour(Vec<Quad<Shared<4>>>),
    ApartTwo(Vec<Quad<[[Pull; 2]; 4]>>),
    ApartThree(Vec<Quad<[[Pull; 3]; 4]>>),
    ApartFour(Vec<Quad<[[Pull; 4]; 4]>>),
    Apart(Vec<Quad<[Box<[Pull]>; 4]>>),
}

/// Data of four vertices processed together. The last vertex of a group may be repeated.
#[derive(Debug, Clone)]
struct Quad<I> {
    /// Bind normals. The fourth number is padding.
    normals: [[f32; 4]; 4],
    /// Indices in the block.
    places: [u32; 4],
    influences: I,
}

/// Sixteen vertices of one slot. The last vertex of a group may be repeated.
#[derive(Debug, Clone)]
struct Pack {
    /// Bind positions: x of all vertices, then y and z.
    positions: [[[f32; 4]; 4]; 3],
    /// Bind normals likewise.
    normals: [[[f32; 4]; 4]; 3],
    /// Indices in the block: of the vertices 0, 4, 8 and 12, then 1, 5, 9 and 13, and so on.
    places: [[u32; 4]; 4],
}

/// Influences of four vertices with one bind position each.
#[derive(Debug, Clone)]
struct Shared<const COUNT: usize> {
    /// Bind positions. The fourth number is padding.
    positions: [[f32; 4]; 4],
    slots: [[u32; COUNT]; 4],
    weights: [[f32; COUNT]; 4],
}

/// An influence with a separate offset.
#[derive(Debug, Clone, Copy)]
struct Pull {
    /// Weight times offset in the joint's space, and the weight.
    offset: [f32; 4],
    slot: u32,
}

impl Pull {
    fn new(influence: &Influence) -> Self {
        let weight = influence.weight;
        Self { slot: influence.slot, offset: (influence.offset * weight).extend(weight).to_array() }
    }
}

/// A skinned vertex in model space.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
pub struct SkinnedVertex {
    /// Position in model units.
    pub position: [f32; 3],
    /// Unit normal. Zero if the pose leaves no direction.
    pub normal: [f32; 3],
}

impl RuntimeMesh {
    /// Groups the vertices of `mesh`.
    pub fn new(mesh: &Mesh) -> Self {
        let model_from_joint: Vec<DAffine3> = mesh.bind.iter().map(|bound| bound.inverse_bind.inverse()).collect();
        let size = mesh.bounds().map_or(0.0, |(min, max)| f64::from(min.distance(max)));
        let limit = (AGREEMENT * size).powi(2);
        let disagrees = |vertex: usize| {
            let position = mesh.positions[vertex].as_dvec3();
            mesh.influences_of(vertex).iter().any(|influence| {
                let placed = model_from_joint[influence.slot as usize].transform_point3(influence.offset.as_dvec3());
                placed.distance_squared(position) > limit
            })
        };
        let kind = |vertex: usize| match mesh.influences_of(vertex) {
            [] => Kind::Loose,
            influences if influences.len() > 4 || disagrees(vertex) => Kind::Apart(influences.len()),
            [Influence { slot, weight: 1.0, .. }] => Kind::Rigid(*slot),
            influences => Kind::Shared(influences.len()),
        };
        let vertices = mesh.vertex_count();
        let blocks = (0..vertices).step_by(BLOCK).map(|start| {
            let end = vertices.min(start + BLOCK);
            // Numbers sort several times as fast as kinds.
            let mut order: Vec<u64> = (start..end).map(|vertex| kind(vertex).number() << 32 | vertex as u64).collect();
            order.sort_unstable();
            let grouped = order.chunk_by(|a, b| a >> 32 == b >> 32);
            grouped.map(|same| Group::new(mesh, start, kind(vertex_of(same[0])), same)).collect()
        });
        let bind = mesh.bind.iter().map(|bound| (bound.joint.index() as u32, RuntimeMatrix::from(&bound.inverse_bind)));
        let weight = |vertex: usize| mesh.influences_of(vertex).iter().map(|influence| influence.weight.abs()).sum();
        let most_weight = (0..vertices).map(weight).fold(0.0, f32::max);
        Self { bind: bind.collect(), blocks: blocks.collect(), most_weight, vertices }
    }

    /// Returns the number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Writes `model[bind[s].joint] * inverse_bind[s]` for every slot, then `model[bind[s].joint]` for every slot.
    ///
    /// `model` has one matrix per joint of the skeleton. Panics if it has fewer.
    pub fn palette(&self, model: &[RuntimeMatrix], palette: &mut Vec<RuntimeMatrix>) {
        palette.clear();
        palette.extend(
            self.bind
                .iter()
                .map(|(joint, bind)| RuntimeMatrix::from(model[*joint as usize].to_affine() * bind.to_affine())),
        );
        palette.extend(self.bind.iter().map(|(joint, _)| model[*joint as usize]));
    }

    /// Skins all vertices with a palette from [`Self::palette`], on several threads if there are many.
    ///
    /// `out` has one entry per vertex of the mesh, of any type that converts from a [`SkinnedVertex`].
    ///
    /// # Panics
    ///
    /// If `out` does not have one entry per vertex, or `palette` two per slot.
    pub fn skin<V: From<SkinnedVertex> + Send>(&self, simd: Simd, palette: &[RuntimeMatrix], out: &mut [V]) {
        assert_eq!(out.len(), self.vertices, "one output for each vertex");
        assert_eq!(palette.len(), 2 * self.bind.len(), "a palette of this mesh");
        let palette = palette.split_at(self.bind.len());
        let size =
            |matrix: &RuntimeMatrix| matrix.0[..3].iter().flatten().map(|element| element * element).sum::<f32>();
        let most_size = palette.0.iter().map(size).fold(0.0, f32::max) * self.most_weight.powi(2);
        let most_limit = (1.001 * LEAST_NORMAL * most_size).powi(2);
        let skin = |blocks: &[Vec<Group>], out: &mut [V]| {
            for (groups, out) in blocks.iter().zip(out.chunks_mut(BLOCK)) {
                groups.iter().for_each(|group| group.skin(simd, palette, most_limit, out));
            }
        };
        let threads = if self.vertices < PARALLEL_FROM { 1 } else { rayon::current_num_threads() };
        let share = self.blocks.len().div_ceil(threads).max(1);
        let mut shares = self.blocks.chunks(share).zip(out.chunks_mut(share * BLOCK));
        let Some((own, own_out)) = shares.next() else { return };
        if threads == 1 {
            return skin(own, own_out);
        }
        // The calling thread works too: waking another thread takes as long as skinning a few thousand vertices.
        rayon::in_place_scope(|scope| {
            for (blocks, out) in shares {
                scope.spawn(move |_| skin(blocks, out));
            }
            skin(own, own_out);
        });
    }
}

impl Group {
    /// Groups the vertices of `same`, all of one kind; `start` is the first vertex of the block.
    fn new(mesh: &Mesh, start: usize, kind: Kind, same: &[u64]) -> Self {
        match kind {
            Kind::Loose => Self::Loose(same.iter().map(|&entry| (vertex_of(entry) - start) as u32).collect()),
            Kind::Rigid(slot) => Self::Rigid(slot, same.chunks(16).map(|some| Pack::new(mesh, start, some)).collect()),
            Kind::Shared(1) => Self::SharedOne(shared(mesh, start, same)),
            Kind::Shared(2) => Self::SharedTwo(shared(mesh, start, same)),
            Kind::Shared(3) => Self::SharedThree(shared(mesh, start, same)),
            Kind::Shared(_) => Self::SharedFour(shared(mesh, start, same)),
            Kind::Apart(2) => Self::ApartTwo(apart(mesh, start, same)),
            Kind::Apart(3) => Self::ApartThree(apart(mesh, start, same)),
            Kind::Apart(4) => Self::ApartFour(apart(mesh, start, same)),
            Kind::Apart(_) => Self::Apart(quads(mesh, start, same, |four| {
                four.map(|vertex| mesh.influences_of(vertex).iter().map(Pull::new).collect())
            })),
        }
    }

    /// Skins the vertices of a group. `palette` and `model` have one entry per slot of the mesh.
    fn skin<V: From<SkinnedVertex>>(
        &self,
        simd: Simd,
        (palette, model): (&[RuntimeMatrix], &[RuntimeMatrix]),
        most_limit: f32,
        out: &mut [V],
    ) {
        match self {
            Self::Loose(places) => {
                places.iter().for_each(|&place| out[place as usize] = SkinnedVertex::default().into())
            }
            Self::Rigid(slot, packs) => run(simd, SkinRigid { packs, matrix: &palette[*slot as usize], out }),
            Self::SharedOne(quads) => run(simd, SkinVertices { quads, palette, model, most_limit, out }),
            Self::SharedTwo(quads) => run(simd, SkinVertices { quads, palette, model, most_limit, out }),
            Self::SharedThree(quads) => run(simd, SkinVertices { quads, palette, model, most_limit, out }),
            Self::SharedFour(quads) => run(simd, SkinVertices { quads, palette, model, most_limit, out }),
            Self::ApartTwo(quads) => run(simd, SkinVertices { quads, palette, model, most_limit, out }),
            Self::ApartThree(quads) => run(simd, SkinVertices { quads, palette, model, most_limit, out }),
            Self::ApartFour(quads) => run(simd, SkinVertices { quads, palette, model, most_limit, out }),
            Self::Apart(quads) => run(simd, SkinVertices { quads, palette, model, most_limit, out }),
        }
    }
}

impl Pack {
    fn new(mesh: &Mesh, start: usize, some: &[u64]) -> Self {
        let vertices: [usize; 16] = std::array::from_fn(|number| vertex_of(some[number.min(some.len() - 1)]));
        let transposed = |vectors: [Vec3; 16]| {
            std::array::from_fn(|part| {
                std::array::from_fn(|four| std::array::from_fn(|number| vectors[4 * four + number][part]))
            })
        };
        Self {
            positions: transposed(vertices.map(|vertex| mesh.positions[vertex])),
            normals: transposed(vertices.map(|vertex| mesh.normals[vertex])),
            places: std::array::from_fn(|first| {
                std::array::from_fn(|four| (vertices[4 * four + first] - start) as u32)
            }),
        }
    }
}

/// Packs vertices of one kind in fours.
fn quads<I>(mesh: &Mesh, start: usize, same: &[u64], influences: impl Fn([usize; 4]) -> I) -> Vec<Quad<I>> {
    let quad = |four: &[u64]| {
        let vertices: [usize; 4] = std::array::from_fn(|number| vertex_of(four[number.min(four.len() - 1)]));
        Quad {
            normals: vertices.map(|vertex| mesh.normals[vertex].extend(0.0).to_array()),
            places: vertices.map(|vertex| (vertex - start) as u32),
            influences: influences(vertices),
        }
    };
    same.chunks(4).map(quad).collect()
}

/// Returns the bind position of a vertex, padded.
fn position(mesh: &Mesh, vertex: usize) -> [f32; 4] {
    mesh.positions[vertex].extend(0.0).to_array()
}

fn shared<const COUNT: usize>(mesh: &Mesh, start: usize, same: &[u64]) -> Vec<Quad<Shared<COUNT>>> {
    quads(mesh, start, same, |four| {
        let influence = |vertex: usize, number: usize| &mesh.influences_of(vertex)[number];
        Shared {
            positions: four.map(|vertex| position(mesh, vertex)),
            slots: four.map(|vertex| std::array::from_fn(|number| influence(vertex, number).slot)),
            weights: four.map(|vertex| std::array::from_fn(|number| influence(vertex, number).weight)),
        }
    })
}

fn apart<const COUNT: usize>(mesh: &Mesh, start: usize, same: &[u64]) -> Vec<Quad<[[Pull; COUNT]; 4]>> {
    quads(mesh, start, same, |four| {
        four.map(|vertex| std::array::from_fn(|number| Pull::new(&mesh.influences_of(vertex)[number])))
    })
}

/// Positions of four vertices, and the x, y and z columns of the blended matrices for their normals.
type Moved<R> = (<R as Registers>::Fours, [<R as Registers>::Fours; 3]);

/// Influences of four vertices.
trait Influences: Sized {
    fn moved<R: Registers>(&self, registers: R, palette: &[RuntimeMatrix], model: &[RuntimeMatrix]) -> Moved<R>;
}

impl<const COUNT: usize> Shared<COUNT> {
    /// Returns the sum of the palette's entries, weighted for a vertex.
    #[inline(always)]
    fn blend<R: Registers>(&self, registers: R, vertex: usize, palette: &[RuntimeMatrix]) -> R::Columns {
        let (slots, weights) = (&self.slots[vertex], &self.weights[vertex]);
        let mut blended = registers.scaled(&palette[slots[0] as usize], weights[0]);
        for number in 1..COUNT {
            blended = registers.add_scaled(&palette[slots[number] as usize], weights[number], blended);
        }
        blended
    }
}

impl<const COUNT: usize> Influences for Shared<COUNT> {
    #[inline(always)]
    fn moved<R: Registers>(&self, registers: R, palette: &[RuntimeMatrix], _: &[RuntimeMatrix]) -> Moved<R> {
        let [x, y, z, t] = registers.columns([
            self.blend(registers, 0, palette),
            self.blend(registers, 1, palette),
            self.blend(registers, 2, palette),
            self.blend(registers, 3, palette),
        ]);
        (product(registers, [x, y, z], registers.load(&self.positions), t), [x, y, z])
    }
}

impl<P: AsRef<[Pull]>> Influences for [P; 4] {
    #[inline(always)]
    fn moved<R: Registers>(&self, registers: R, palette: &[RuntimeMatrix], model: &[RuntimeMatrix]) -> Moved<R> {
        let [a, b, c, d] = [self[0].as_ref(), self[1].as_ref(), self[2].as_ref(), self[3].as_ref()];
        let [a, b] = [sum(registers, a, palette, model), sum(registers, b, palette, model)];
        let [c, d] = [sum(registers, c, palette, model), sum(registers, d, palette, model)];
        let [x, y, z, t] = registers.columns([a.0, b.0, c.0, d.0]);
        let position = registers.add(registers.add(x, y), registers.add(z, t));
        let [x, y, z, _] = registers.columns([a.1, b.1, c.1, d.1]);
        (position, [x, y, z])
    }
}

/// Returns the columns whose sum is the vertex' position, and its blended palette entry.
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
    /// No vertex has greater [`limits`].
    most_limit: f32,
    out: &'a mut [V],
}

impl<I: Influences, V: From<SkinnedVertex>> Kernel for SkinVertices<'_, I, V> {
    #[inline(always)]
    fn run<R: Registers>(self, registers: R) {
        let most = registers.splat(self.most_limit);
        if !R::HOLDS_SEVERAL {
            for quad in self.quads {
                let moved = quad.influences.moved(registers, self.palette, self.model);
                write(registers, turned(registers, quad, moved, most), self.out);
            }
            return;
        }
        // Each step works on another quad, so that none waits for the one before it.
        let mut moved: Option<(&Quad<I>, Moved<R>)> = None;
        let mut last: Option<Turned<'_, R>> = None;
        for quad in self.quads.iter().map(Some).chain([None, None]) {
            let next_moved = match quad {
                Some(quad) => Some((quad, quad.influences.moved(registers, self.palette, self.model))),
                None => None,
            };
            let next = match moved {
                Some((quad, moved)) => Some(turned(registers, quad, moved, most)),
                None => None,
            };
            if let Some(last) = last {
                write(registers, last, self.out);
            }
            (moved, last) = (next_moved, next);
        }
    }
}

/// Skins vertices that follow one matrix, sixteen at a time: each register holds one component of all.
struct SkinRigid<'a, V> {
    packs: &'a [Pack],
    matrix: &'a RuntimeMatrix,
    out: &'a mut [V],
}

impl<V: From<SkinnedVertex>> Kernel for SkinRigid<'_, V> {
    #[inline(always)]
    fn run<R: Registers>(self, registers: R) {
        let [x, y, z, t] = self.matrix.0.map(|[x, y, z, _]| Vec3::new(x, y, z));
        let size = x.length_squared() + y.length_squared() + z.length_squared();
        let limits = registers.splat((LEAST_NORMAL * size).powi(2));
        let cofactors = [splats(registers, y.cross(z)), splats(registers, z.cross(x)), splats(registers, x.cross(y))];
        let matrix = [splats(registers, x), splats(registers, y), splats(registers, z)];
        let (translation, none) = (splats(registers, t), splats(registers, Vec3::ZERO));
        for Pack { positions, normals, places } in self.packs {
            let [px, py, pz] = transformed(registers, matrix, positions, translation);
            let [nx, ny, nz] = transformed(registers, cofactors, normals, none);
            let squares = registers.mul_add(nx, nx, registers.mul_add(ny, ny, registers.mul(nz, nz)));
            let nx = registers.normalized(nx, squares, limits);
            let ny = registers.normalized(ny, squares, limits);
            let nz = registers.normalized(nz, squares, limits);
            let heads = registers.transposed([px, py, pz, nx]);
            let tails = registers.transposed([ny, nz, ny, nz]);
            put(registers.arrays(heads[0]), registers.arrays(tails[0]), &places[0], self.out);
            put(registers.arrays(heads[1]), registers.arrays(tails[1]), &places[1], self.out);
            put(registers.arrays(heads[2]), registers.arrays(tails[2]), &places[2], self.out);
            put(registers.arrays(heads[3]), registers.arrays(tails[3]), &places[3], self.out);
        }
    }
}

/// Returns each component in all lanes.
#[inline(always)]
fn splats<R: Registers>(registers: R, vector: Vec3) -> [R::Fours; 3] {
    [registers.splat(vector.x), registers.splat(vector.y), registers.splat(vector.z)]
}

/// Returns `x * vectors.x + y * vectors.y + z * vectors.z + sum` by component.
#[inline(always)]
fn transformed<R: Registers>(
    registers: R,
    [x, y, z]: [[R::Fours; 3]; 3],
    vectors: &[[[f32; 4]; 4]; 3],
    [mut first, mut second, mut third]: [R::Fours; 3],
) -> [R::Fours; 3] {
    for (column, numbers) in [z, y, x].into_iter().zip(vectors.iter().rev()) {
        let numbers = registers.load(numbers);
        first = registers.mul_add(column[0], numbers, first);
        second = registers.mul_add(column[1], numbers, second);
        third = registers.mul_add(column[2], numbers, third);
    }
    [first, second, third]
}

/// Four vertices before their normals get unit length.
struct Turned<'a, R: Registers> {
    positions: R::Fours,
    /// In z x y order.
    normals: R::Fours,
    /// Squared lengths of the normals.
    squares: R::Fours,
    limits: R::Fours,
    places: &'a [u32; 4],
}

/// Turns the normals of moved vertices. No limit is greater than `most`.
#[inline(always)]
fn turned<'a, R: Registers, I>(
    registers: R,
    quad: &'a Quad<I>,
    (positions, matrices): Moved<R>,
    most: R::Fours,
) -> Turned<'a, R> {
    let normals = turn(registers, cofactors(registers, matrices), &quad.normals);
    let squares = registers.sums(registers.mul(normals, normals));
    let is_long = registers.all_greater(squares, most);
    let limits = if is_long { most } else { limits(registers, matrices) };
    Turned { positions, normals, squares, limits, places: &quad.places }
}

/// Gives the normals unit length, and writes the vertices.
#[inline(always)]
fn write<R: Registers, V: From<SkinnedVertex>>(registers: R, turned: Turned<'_, R>, out: &mut [V]) {
    let Turned { positions, normals, squares, limits, places } = turned;
    let (heads, tails) = registers.interleave(positions, registers.normalized(normals, squares, limits));
    put(heads, tails, places, out);
}

/// Writes four vertices: position and normal x, then the rest of the normal.
#[inline(always)]
fn put<V: From<SkinnedVertex>>(heads: [[f32; 4]; 4], tails: [[f32; 4]; 4], places: &[u32; 4], out: &mut [V]) {
    for number in 0..4 {
        let ([x, y, z, nx], [ny, nz, ..]) = (heads[number], tails[number]);
        out[places[number] as usize] = SkinnedVertex { position: [x, y, z], normal: [nx, ny, nz] }.into();
    }
}

/// Returns the matrices for normals: columns of the cofactors of four matrices in z x y order.
#[inline(always)]
fn cofactors<R: Registers>(registers: R, [x, y, z]: [R::Fours; 3]) -> [R::Fours; 3] {
    let [x_turned, y_turned, z_turned] = [registers.yzx(x), registers.yzx(y), registers.yzx(z)];
    // The cross product of a and b is a * b.yzx - a.yzx * b, read in z x y order.
    let yz = registers.mul_sub(y, z_turned, registers.mul(y_turned, z));
    let zx = registers.mul_sub(z, x_turned, registers.mul(z_turned, x));
    let xy = registers.mul_sub(x, y_turned, registers.mul(x_turned, y));
    [yz, zx, xy]
}

/// Returns the normals transformed by [`cofactors`], of any length, in z x y order.
#[inline(always)]
fn turn<R: Registers>(registers: R, [yz, zx, xy]: [R::Fours; 3], normals: &[[f32; 4]; 4]) -> R::Fours {
    let normals = registers.load(normals);
    let [x, y, z] = [registers.part::<0>(normals), registers.part::<1>(normals), registers.part::<2>(normals)];
    registers.mul_add(yz, x, registers.mul_add(zx, y, registers.mul(xy, z)))
}

/// Returns the squared length up to which a normal turned by each matrix has no direction.
#[inline(always)]
fn limits<R: Registers>(registers: R, [x, y, z]: [R::Fours; 3]) -> R::Fours {
    let squares = registers.mul_add(x, x, registers.mul_add(y, y, registers.mul(z, z)));
    let limits = registers.mul(registers.sums(squares), registers.splat(LEAST_NORMAL));
    registers.mul(limits, limits)
}
