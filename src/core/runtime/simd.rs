//! Code compiled for several instruction sets; the only `unsafe` of this module.
//!
//! A [`Kernel`] is plain Rust over arrays of [`LANES`] numbers that the compiler turns into vector instructions. Inlined
//! into a function that may use AVX2 or AVX-512 it becomes those, and products and sums are fused. Skinning, whose
//! vectors are shorter, names its instructions through [`Registers`].

use super::matrix::RuntimeMatrix;
use glam::{Vec4, Vec4Swizzles};

/// Numbers side by side: one register of AVX-512, two of AVX2, four of SSE2 or NEON.
pub const LANES: usize = 16;

/// [`LANES`] numbers of one kind, such as the x of sixteen joints.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C, align(64))]
pub struct Lanes(pub [f32; LANES]);

/// Instruction set, always one of this machine's.
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
    /// The architecture's baseline; products and sums are rounded separately.
    pub const PORTABLE: Self = Self(Level::Portable);

    /// The widest instruction set of this machine.
    pub fn best() -> Self {
        Self::available().next().unwrap_or(Self::PORTABLE)
    }

    /// All instruction sets of this machine, the widest first, [`Self::PORTABLE`] last.
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

    /// A short name for tables.
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

/// Work that is compiled once for each instruction set. `run` and all that it calls must be `#[inline(always)]`.
pub(super) trait Kernel {
    /// Does the work with the instructions of `registers`.
    fn run<R: Registers>(self, registers: R);
}

/// Runs a kernel with the instructions of `simd`.
#[inline]
pub(super) fn run(simd: Simd, kernel: impl Kernel) {
    match simd.0 {
        Level::Portable => kernel.run(Portable),
        // SAFETY: `Level::Avx2` is made by `Simd::available` alone, where this machine has AVX2 and FMA.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { x86::avx2(kernel) },
        // SAFETY: likewise, where it has AVX-512 F, VL, DQ and BW, AVX2 and FMA.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { x86::avx512(kernel) },
    }
}

/// Four times four numbers, such as x y z w of four vertices, and four columns of one matrix, in registers.
///
/// A value of an implementing type proves that this machine has its instructions.
pub(super) trait Registers: Copy {
    /// x y z w of four vertices.
    type Fours: Copy;
    /// The columns of one [`RuntimeMatrix`].
    type Columns: Copy;

    /// `a * b + c`, rounded once where that is one instruction.
    fn fused(self, a: f32, b: f32, c: f32) -> f32;

    /// All columns times `weight`.
    fn scaled(self, matrix: &RuntimeMatrix, weight: f32) -> Self::Columns;
    /// `sum + matrix * weight`.
    fn add_scaled(self, matrix: &RuntimeMatrix, weight: f32, sum: Self::Columns) -> Self::Columns;
    /// `sum`, to whose columns those of `matrix` are added, each times its own part.
    fn add_products(self, matrix: &RuntimeMatrix, parts: &[f32; 4], sum: Self::Columns) -> Self::Columns;
    /// The columns x of four matrices, y, z and the translations.
    fn columns(self, matrices: [Self::Columns; 4]) -> [Self::Fours; 4];

    /// Four vertices.
    fn gather(self, vertices: [&[f32; 4]; 4]) -> Self::Fours;
    /// One part of each vertex four times.
    fn part<const PART: i32>(self, vertices: Self::Fours) -> Self::Fours;
    /// y z x w of each vertex.
    fn yzx(self, vertices: Self::Fours) -> Self::Fours;
    fn add(self, a: Self::Fours, b: Self::Fours) -> Self::Fours;
    fn mul(self, a: Self::Fours, b: Self::Fours) -> Self::Fours;
    /// `a * b + c`.
    fn mul_add(self, a: Self::Fours, b: Self::Fours, c: Self::Fours) -> Self::Fours;
    /// `a * b - c`.
    fn mul_sub(self, a: Self::Fours, b: Self::Fours, c: Self::Fours) -> Self::Fours;
    /// One over the length of each vector, four times; 0 where the length is not greater than `least` times the sum of
    /// the vertex' `sizes`.
    fn inverse_lengths(self, vectors: Self::Fours, sizes: Self::Fours, least: f32) -> Self::Fours;
    /// Position and normal x of each vertex, then the rest of its normal; `normals` are in the order z x y.
    fn interleave(self, positions: Self::Fours, normals: Self::Fours) -> ([[f32; 4]; 4], [[f32; 4]; 4]);
}

/// The architecture's baseline.
#[derive(Clone, Copy)]
struct Portable;

impl Registers for Portable {
    type Fours = [Vec4; 4];
    type Columns = [Vec4; 4];

    #[inline(always)]
    fn fused(self, a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }

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
    fn gather(self, vertices: [&[f32; 4]; 4]) -> [Vec4; 4] {
        vertices.map(|vertex| Vec4::from_array(*vertex))
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
    fn inverse_lengths(self, vectors: [Vec4; 4], sizes: [Vec4; 4], least: f32) -> [Vec4; 4] {
        let scale = |number: usize| {
            let (length, size) = (vectors[number].length(), sizes[number].element_sum());
            Vec4::splat(if length > least * size { 1.0 / length } else { 0.0 })
        };
        [scale(0), scale(1), scale(2), scale(3)]
    }

    #[inline(always)]
    fn interleave(self, positions: [Vec4; 4], normals: [Vec4; 4]) -> ([[f32; 4]; 4], [[f32; 4]; 4]) {
        let head = |number: usize| positions[number].truncate().extend(normals[number].y).to_array();
        let tail = |number: usize| normals[number].zxyw().to_array();
        ([head(0), head(1), head(2), head(3)], [tail(0), tail(1), tail(2), tail(3)])
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Kernel, Registers, RuntimeMatrix};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2,fma")]
    pub fn avx2(kernel: impl Kernel) {
        kernel.run(Avx2(()));
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
    pub fn avx512(kernel: impl Kernel) {
        kernel.run(Avx2(()));
    }

    /// AVX2 and FMA; made only by the two functions above, which require them.
    #[derive(Clone, Copy)]
    pub struct Avx2(());

    // SAFETY, for all of it: an `Avx2` exists only on machines with AVX2 and FMA, which is all that these intrinsics
    // require; pointers are to arrays of as many numbers as are read, and need no alignment.
    impl Registers for Avx2 {
        /// Two vertices each.
        type Fours = [__m256; 2];
        /// x and y, z and the translation.
        type Columns = [__m256; 2];

        #[inline(always)]
        fn fused(self, a: f32, b: f32, c: f32) -> f32 {
            a.mul_add(b, c)
        }

        #[inline(always)]
        fn scaled(self, matrix: &RuntimeMatrix, weight: f32) -> [__m256; 2] {
            unsafe {
                let weight = _mm256_set1_ps(weight);
                let [xy, zt] = halves(matrix);
                [_mm256_mul_ps(_mm256_loadu_ps(xy), weight), _mm256_mul_ps(_mm256_loadu_ps(zt), weight)]
            }
        }

        #[inline(always)]
        fn add_scaled(self, matrix: &RuntimeMatrix, weight: f32, [xy, zt]: [__m256; 2]) -> [__m256; 2] {
            unsafe {
                let weight = _mm256_set1_ps(weight);
                let [first, second] = halves(matrix);
                let (first, second) = (_mm256_loadu_ps(first), _mm256_loadu_ps(second));
                [_mm256_fmadd_ps(first, weight, xy), _mm256_fmadd_ps(second, weight, zt)]
            }
        }

        #[inline(always)]
        fn add_products(self, matrix: &RuntimeMatrix, parts: &[f32; 4], [xy, zt]: [__m256; 2]) -> [__m256; 2] {
            unsafe {
                let four = _mm_loadu_ps(parts.as_ptr());
                let parts = _mm256_set_m128(four, four);
                let (parts_xy, parts_zt) = (
                    _mm256_permutevar_ps(parts, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1)),
                    _mm256_permutevar_ps(parts, _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3)),
                );
                let [first, second] = halves(matrix);
                let (first, second) = (_mm256_loadu_ps(first), _mm256_loadu_ps(second));
                [_mm256_fmadd_ps(first, parts_xy, xy), _mm256_fmadd_ps(second, parts_zt, zt)]
            }
        }

        #[inline(always)]
        fn columns(self, [a, b, c, d]: [[__m256; 2]; 4]) -> [[__m256; 2]; 4] {
            unsafe {
                [
                    [_mm256_permute2f128_ps::<0x20>(a[0], b[0]), _mm256_permute2f128_ps::<0x20>(c[0], d[0])],
                    [_mm256_permute2f128_ps::<0x31>(a[0], b[0]), _mm256_permute2f128_ps::<0x31>(c[0], d[0])],
                    [_mm256_permute2f128_ps::<0x20>(a[1], b[1]), _mm256_permute2f128_ps::<0x20>(c[1], d[1])],
                    [_mm256_permute2f128_ps::<0x31>(a[1], b[1]), _mm256_permute2f128_ps::<0x31>(c[1], d[1])],
                ]
            }
        }

        #[inline(always)]
        fn gather(self, [a, b, c, d]: [&[f32; 4]; 4]) -> [__m256; 2] {
            unsafe {
                [
                    _mm256_set_m128(_mm_loadu_ps(b.as_ptr()), _mm_loadu_ps(a.as_ptr())),
                    _mm256_set_m128(_mm_loadu_ps(d.as_ptr()), _mm_loadu_ps(c.as_ptr())),
                ]
            }
        }

        #[inline(always)]
        fn part<const PART: i32>(self, [ab, cd]: [__m256; 2]) -> [__m256; 2] {
            unsafe {
                match PART {
                    0 => [_mm256_permute_ps::<0x00>(ab), _mm256_permute_ps::<0x00>(cd)],
                    1 => [_mm256_permute_ps::<0x55>(ab), _mm256_permute_ps::<0x55>(cd)],
                    2 => [_mm256_permute_ps::<0xaa>(ab), _mm256_permute_ps::<0xaa>(cd)],
                    _ => [_mm256_permute_ps::<0xff>(ab), _mm256_permute_ps::<0xff>(cd)],
                }
            }
        }

        #[inline(always)]
        fn yzx(self, [ab, cd]: [__m256; 2]) -> [__m256; 2] {
            unsafe { [_mm256_permute_ps::<0b11_00_10_01>(ab), _mm256_permute_ps::<0b11_00_10_01>(cd)] }
        }

        #[inline(always)]
        fn add(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
            unsafe { [_mm256_add_ps(a[0], b[0]), _mm256_add_ps(a[1], b[1])] }
        }

        #[inline(always)]
        fn mul(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
            unsafe { [_mm256_mul_ps(a[0], b[0]), _mm256_mul_ps(a[1], b[1])] }
        }

        #[inline(always)]
        fn mul_add(self, a: [__m256; 2], b: [__m256; 2], c: [__m256; 2]) -> [__m256; 2] {
            unsafe { [_mm256_fmadd_ps(a[0], b[0], c[0]), _mm256_fmadd_ps(a[1], b[1], c[1])] }
        }

        #[inline(always)]
        fn mul_sub(self, a: [__m256; 2], b: [__m256; 2], c: [__m256; 2]) -> [__m256; 2] {
            unsafe { [_mm256_fmsub_ps(a[0], b[0], c[0]), _mm256_fmsub_ps(a[1], b[1], c[1])] }
        }

        #[inline(always)]
        fn inverse_lengths(self, vectors: [__m256; 2], sizes: [__m256; 2], least: f32) -> [__m256; 2] {
            unsafe {
                let [ab, cd] = self.mul(vectors, vectors);
                // Halves of the sums: square, size, square, size of one vertex each.
                let first = _mm256_add_ps(_mm256_unpacklo_ps(ab, sizes[0]), _mm256_unpackhi_ps(ab, sizes[0]));
                let second = _mm256_add_ps(_mm256_unpacklo_ps(cd, sizes[1]), _mm256_unpackhi_ps(cd, sizes[1]));
                // Square and size of a (and in the upper half b), square and size of c (and d).
                let sums = _mm256_add_ps(
                    _mm256_shuffle_ps::<0b01_00_01_00>(first, second),
                    _mm256_shuffle_ps::<0b11_10_11_10>(first, second),
                );
                let lengths = _mm256_sqrt_ps(_mm256_moveldup_ps(sums));
                let least = _mm256_mul_ps(_mm256_movehdup_ps(sums), _mm256_set1_ps(least));
                let is_long = _mm256_cmp_ps::<_CMP_GT_OQ>(lengths, least);
                let scales = _mm256_and_ps(_mm256_div_ps(_mm256_set1_ps(1.0), lengths), is_long);
                [_mm256_permute_ps::<0x00>(scales), _mm256_permute_ps::<0xaa>(scales)]
            }
        }

        #[inline(always)]
        fn interleave(self, positions: [__m256; 2], normals: [__m256; 2]) -> ([[f32; 4]; 4], [[f32; 4]; 4]) {
            unsafe {
                // x of the normal comes second.
                let xs = [_mm256_permute_ps::<0x55>(normals[0]), _mm256_permute_ps::<0x55>(normals[1])];
                let heads = [
                    _mm256_blend_ps::<0b1000_1000>(positions[0], xs[0]),
                    _mm256_blend_ps::<0b1000_1000>(positions[1], xs[1]),
                ];
                let tails = [_mm256_permute_ps::<0b00_10>(normals[0]), _mm256_permute_ps::<0b00_10>(normals[1])];
                let arrays = std::mem::transmute::<[__m256; 2], [[f32; 4]; 4]>;
                (arrays(heads), arrays(tails))
            }
        }
    }

    /// The columns x and y, and those of z and the translation: eight numbers each.
    #[inline(always)]
    fn halves(matrix: &RuntimeMatrix) -> [*const f32; 2] {
        [matrix.0[..2].as_ptr().cast(), matrix.0[2..].as_ptr().cast()]
    }
}
