//! Code compiled for several instruction sets. The only `unsafe` of the runtime, with that of `x86`.
//!
//! A [`Kernel`] is plain Rust over arrays of [`LANES`] numbers that the compiler turns into vector instructions.
//! Inlined into a function that may use AVX2 or AVX-512, it compiles to those instructions, and products and sums are
//! fused. Matrices have shorter vectors and use explicit instructions through [`Registers`].

#[cfg(target_arch = "x86_64")]
mod x86;

use super::matrix::RuntimeMatrix;
use glam::{Mat4, Vec4, Vec4Swizzles};

/// Numbers processed together: one AVX-512 register, two of AVX2, four of SSE2 or NEON.
pub const LANES: usize = 16;

/// [`LANES`] numbers of one kind, such as the x of sixteen joints.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C, align(64))]
pub struct Lanes(pub [f32; LANES]);

/// The first rows of four matrices, their second rows and their third.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C, align(64))]
pub struct Rows(pub [[[f32; 4]; 4]; 3]);

/// An instruction set that this machine supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simd(Level);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Simd {
    /// The architecture's baseline, where products and sums are rounded separately.
    pub const PORTABLE: Self = Self(Level::Portable);

    /// Returns the widest instruction set of this machine.
    pub fn best() -> Self {
        Self::available().next().unwrap_or(Self::PORTABLE)
    }

    /// Returns all instruction sets of this machine, widest first, [`Self::PORTABLE`] last.
    pub fn available() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let wide = {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw");
            [avx512.then_some(Self(Level::Avx512)), avx2.then_some(Self(Level::Avx2))]
        };
        #[cfg(not(target_arch = "x86_64"))]
        let wide: [Option<Self>; 0] = [];
        wide.into_iter().flatten().chain([Self::PORTABLE])
    }

    /// Returns the short name for tables.
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "AVX-512",
        }
    }
}

/// Work compiled once for each instruction set. `run` and everything that it calls must be `#[inline(always)]`.
pub(super) trait Kernel {
    /// Does the work with the instructions of `registers`.
    fn run<R: Registers>(self, registers: R);
}

/// Runs a kernel with the instructions of `simd`.
#[inline]
pub(super) fn run(simd: Simd, kernel: impl Kernel) {
    match simd.0 {
        Level::Portable => kernel.run(Portable),
        // SAFETY: only `Simd::available` makes `Level::Avx2`, and only if this machine has AVX2 and FMA.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { x86::avx2(kernel) },
        // SAFETY: likewise, only if it has AVX-512 F, VL, DQ and BW, AVX2 and FMA.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { x86::avx512(kernel) },
    }
}

/// Registers for four times four numbers, such as x y z w of four vertices, and for the four columns of one matrix.
///
/// A value of an implementing type proves that this machine supports its instructions.
pub(super) trait Registers: Copy {
    /// Four vertices of x y z w.
    type Fours: Copy;
    /// The columns of one [`RuntimeMatrix`].
    type Columns: Copy;
    /// True if the registers hold several quads at a time.
    const HOLDS_SEVERAL: bool;

    /// `a * b + c`, rounded once if a single instruction computes it.
    fn fused(self, a: f32, b: f32, c: f32) -> f32;
    /// Writes the rows of sixteen matrices, whose elements are in lanes by columns: of the matrices 0, 4, 8 and 12, then
    /// 1, 5, 9 and 13, and so on.
    fn transpose(self, elements: &[Lanes; 12], rows: &mut [Rows; 4]);
    /// `parent * local`, where `local` has three rows.
    fn product(self, parent: &RuntimeMatrix, local: [&[f32; 4]; 3]) -> RuntimeMatrix;
    /// Writes a matrix past the caches, if the machine can.
    fn stream(self, matrix: RuntimeMatrix, to: &mut RuntimeMatrix);
    /// Makes what [`Self::stream`] wrote visible to other threads.
    fn end_stream(self);

    /// Returns all columns of `matrix`, scaled by `weight`.
    fn scaled(self, matrix: &RuntimeMatrix, weight: f32) -> Self::Columns;
    /// `sum + matrix * weight`.
    fn add_scaled(self, matrix: &RuntimeMatrix, weight: f32, sum: Self::Columns) -> Self::Columns;
    /// `sum` plus the columns of `matrix`, each scaled by its element of `parts`.
    fn add_products(self, matrix: &RuntimeMatrix, parts: &[f32; 4], sum: Self::Columns) -> Self::Columns;
    /// Returns the x columns of four matrices, then their y and z columns and their translations.
    fn columns(self, matrices: [Self::Columns; 4]) -> [Self::Fours; 4];

    /// Returns a number in all components.
    fn splat(self, number: f32) -> Self::Fours;
    /// Loads four vertices.
    fn load(self, vertices: &[[f32; 4]; 4]) -> Self::Fours;
    /// Returns one component of each vertex, repeated four times.
    fn part<const PART: i32>(self, vertices: Self::Fours) -> Self::Fours;
    /// Returns the components y z x w of each vertex.
    fn yzx(self, vertices: Self::Fours) -> Self::Fours;
    fn add(self, a: Self::Fours, b: Self::Fours) -> Self::Fours;
    fn mul(self, a: Self::Fours, b: Self::Fours) -> Self::Fours;
    /// `a * b + c`.
    fn mul_add(self, a: Self::Fours, b: Self::Fours, c: Self::Fours) -> Self::Fours;
    /// `a * b - c`.
    fn mul_sub(self, a: Self::Fours, b: Self::Fours, c: Self::Fours) -> Self::Fours;
    /// Returns the sum of each vertex' components, repeated four times.
    fn sums(self, vertices: Self::Fours) -> Self::Fours;
    /// True if each component of `a` is greater than that of `b`.
    fn all_greater(self, a: Self::Fours, b: Self::Fours) -> bool;
    /// Returns the vectors with unit length, whose squared length is in `squares`. Returns 0 unless it is greater than
    /// `limits`.
    fn normalized(self, vectors: Self::Fours, squares: Self::Fours, limits: Self::Fours) -> Self::Fours;
    /// Returns the position and normal x of each vertex, then the rest of its normal. `normals` are in z x y order.
    fn interleave(self, positions: Self::Fours, normals: Self::Fours) -> ([[f32; 4]; 4], [[f32; 4]; 4]);
    /// Transposes numbers four by four: with the x of sixteen vertices, then their y, z and w, returns the vertices 0, 4,
    /// 8 and 12, then 1, 5, 9 and 13, and so on.
    fn transposed(self, components: [Self::Fours; 4]) -> [Self::Fours; 4];
    /// Returns the numbers of four vertices.
    fn arrays(self, vertices: Self::Fours) -> [[f32; 4]; 4];
}

/// The architecture's baseline.
#[derive(Clone, Copy)]
struct Portable;

impl Registers for Portable {
    type Fours = [Vec4; 4];
    type Columns = [Vec4; 4];
    const HOLDS_SEVERAL: bool = false;

    #[inline(always)]
    fn fused(self, a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }

    #[inline(always)]
    fn transpose(self, elements: &[Lanes; 12], rows: &mut [Rows; 4]) {
        for (lane, row) in (0..LANES).flat_map(|lane| (0..3).map(move |row| (lane, row))) {
            rows[lane % 4].0[row][lane / 4] = std::array::from_fn(|column| elements[3 * column + row].0[lane]);
        }
    }

    #[inline(always)]
    fn product(self, parent: &RuntimeMatrix, [first, second, third]: [&[f32; 4]; 3]) -> RuntimeMatrix {
        let [x, y, z, t] = parent.0.map(Vec4::from_array);
        let turned = |column: usize| x * first[column] + y * second[column] + z * third[column];
        RuntimeMatrix([turned(0), turned(1), turned(2), turned(3) + t].map(|column| column.to_array()))
    }

    #[inline(always)]
    fn stream(self, matrix: RuntimeMatrix, to: &mut RuntimeMatrix) {
        *to = matrix;
    }

    #[inline(always)]
    fn end_stream(self) {}

    #[inline(always)]
    fn scaled(self, matrix: &RuntimeMatrix, weight: f32) -> [Vec4; 4] {
        matrix.0.map(|column| Vec4::from_array(column) * weight)
    }

    #[inline(always)]
    fn add_scaled(self, matrix: &RuntimeMatrix, weight: f32, [x, y, z, t]: [Vec4; 4]) -> [Vec4; 4] {
        let [from_x, from_y, from_z, from_t] = self.scaled(matrix, weight);
        [x + from_x, y + from_y, z + from_z, t + from_t]
    }

    #[inline(always)]
    fn add_products(
        self,
        RuntimeMatrix(columns): &RuntimeMatrix,
        parts: &[f32; 4],
        [x, y, z, t]: [Vec4; 4],
    ) -> [Vec4; 4] {
        let column = |number: usize| Vec4::from_array(columns[number]) * parts[number];
        [x + column(0), y + column(1), z + column(2), t + column(3)]
    }

    #[inline(always)]
    fn columns(self, [a, b, c, d]: [[Vec4; 4]; 4]) -> [[Vec4; 4]; 4] {
        let column = |number: usize| [a[number], b[number], c[number], d[number]];
        [column(0), column(1), column(2), column(3)]
    }

    #[inline(always)]
    fn splat(self, number: f32) -> [Vec4; 4] {
        [Vec4::splat(number); 4]
    }

    #[inline(always)]
    fn load(self, vertices: &[[f32; 4]; 4]) -> [Vec4; 4] {
        vertices.map(Vec4::from_array)
    }

    #[inline(always)]
    fn part<const PART: i32>(self, vertices: [Vec4; 4]) -> [Vec4; 4] {
        vertices.map(|vertex| Vec4::splat(vertex[PART as usize]))
    }

    #[inline(always)]
    fn yzx(self, vertices: [Vec4; 4]) -> [Vec4; 4] {
        vertices.map(|vertex| vertex.yzxw())
    }

    #[inline(always)]
    fn add(self, a: [Vec4; 4], b: [Vec4; 4]) -> [Vec4; 4] {
        [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
    }

    #[inline(always)]
    fn mul(self, a: [Vec4; 4], b: [Vec4; 4]) -> [Vec4; 4] {
        [a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]]
    }

    #[inline(always)]
    fn mul_add(self, a: [Vec4; 4], b: [Vec4; 4], c: [Vec4; 4]) -> [Vec4; 4] {
        self.add(self.mul(a, b), c)
    }

    #[inline(always)]
    fn mul_sub(self, a: [Vec4; 4], b: [Vec4; 4], c: [Vec4; 4]) -> [Vec4; 4] {
        self.add(self.mul(a, b), c.map(|vertex| -vertex))
    }

    #[inline(always)]
    fn sums(self, vertices: [Vec4; 4]) -> [Vec4; 4] {
        vertices.map(|vertex| Vec4::splat(vertex.element_sum()))
    }

    #[inline(always)]
    fn all_greater(self, a: [Vec4; 4], b: [Vec4; 4]) -> bool {
        a.iter().zip(&b).all(|(a, b)| a.cmpgt(*b).all())
    }

    #[inline(always)]
    fn normalized(self, vectors: [Vec4; 4], squares: [Vec4; 4], limits: [Vec4; 4]) -> [Vec4; 4] {
        std::array::from_fn(|number| {
            let lengths = Vec4::from_array(squares[number].to_array().map(f32::sqrt));
            Vec4::select(squares[number].cmpgt(limits[number]), vectors[number] / lengths, Vec4::ZERO)
        })
    }

    #[inline(always)]
    fn interleave(self, positions: [Vec4; 4], normals: [Vec4; 4]) -> ([[f32; 4]; 4], [[f32; 4]; 4]) {
        let head = |number: usize| positions[number].truncate().extend(normals[number].y).to_array();
        ([head(0), head(1), head(2), head(3)], normals.map(|normal| normal.zxyw().to_array()))
    }

    #[inline(always)]
    fn transposed(self, [x, y, z, w]: [[Vec4; 4]; 4]) -> [[Vec4; 4]; 4] {
        let fours = |four: usize| Mat4::from_cols(x[four], y[four], z[four], w[four]).transpose();
        let fours = [fours(0), fours(1), fours(2), fours(3)];
        std::array::from_fn(|first| fours.map(|four| four.col(first)))
    }

    #[inline(always)]
    fn arrays(self, vertices: [Vec4; 4]) -> [[f32; 4]; 4] {
        vertices.map(|vertex| vertex.to_array())
    }
}
