//! [`Registers`] of x86: AVX2 and AVX-512.

use super::{Kernel, Lanes, Registers, Rows, RuntimeMatrix};
use std::arch::x86_64::*;

#[target_feature(enable = "avx2,fma")]
pub fn avx2(kernel: impl Kernel) {
    kernel.run(Avx2(()));
}

#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
pub fn avx512(kernel: impl Kernel) {
    kernel.run(Avx512(()));
}

/// AVX2 and FMA. Made only by [`avx2`], which requires them.
#[derive(Clone, Copy)]
pub struct Avx2(());

/// AVX-512 F, VL, DQ and BW. Made only by [`avx512`], which requires them.
#[derive(Clone, Copy)]
pub struct Avx512(());

// SAFETY, for all of it: an `Avx2` exists only on machines with AVX2 and FMA, which these intrinsics require.
// Pointers point to arrays of at least the numbers read or written, aligned where required.
impl Registers for Avx2 {
    /// Two registers of two vertices each.
    type Fours = [__m256; 2];
    /// The columns x and y in one register, z and the translation in the other.
    type Columns = [__m256; 2];
    const HOLDS_SEVERAL: bool = true;

    #[inline(always)]
    fn fused(self, a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn transpose(self, elements: &[Lanes; 12], rows: &mut [Rows; 4]) {
        for row in 0..3 {
            let columns = [&elements[row], &elements[row + 3], &elements[row + 6], &elements[row + 9]];
            for half in 0..2 {
                let fours =
                    unsafe { transposed256(columns.map(|lanes| _mm256_load_ps(lanes.0[8 * half..][..8].as_ptr()))) };
                for (rows, fours) in rows.iter_mut().zip(fours) {
                    unsafe { _mm256_store_ps(rows.0[row][2 * half..][..2].as_mut_ptr().cast(), fours) };
                }
            }
        }
    }

    #[inline(always)]
    fn product(self, RuntimeMatrix([x, y, z, t]): &RuntimeMatrix, [a, b, c]: [&[f32; 4]; 3]) -> RuntimeMatrix {
        unsafe {
            let (x, y, z) = (_mm_load_ps(x.as_ptr()), _mm_load_ps(y.as_ptr()), _mm_load_ps(z.as_ptr()));
            let (x, y, z) = (_mm256_set_m128(x, x), _mm256_set_m128(y, y), _mm256_set_m128(z, z));
            let (a, b, c) = (_mm_loadu_ps(a.as_ptr()), _mm_loadu_ps(b.as_ptr()), _mm_loadu_ps(c.as_ptr()));
            let (a, b, c) = (_mm256_set_m128(a, a), _mm256_set_m128(b, b), _mm256_set_m128(c, c));
            let t = _mm256_set_m128(_mm_load_ps(t.as_ptr()), _mm_setzero_ps());
            // One element of each row for the columns x and y, then z and the translation.
            let xy = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
            let zt = _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3);
            let first = _mm256_mul_ps(z, _mm256_permutevar_ps(c, xy));
            let first = _mm256_fmadd_ps(y, _mm256_permutevar_ps(b, xy), first);
            let first = _mm256_fmadd_ps(x, _mm256_permutevar_ps(a, xy), first);
            let second = _mm256_fmadd_ps(z, _mm256_permutevar_ps(c, zt), t);
            let second = _mm256_fmadd_ps(y, _mm256_permutevar_ps(b, zt), second);
            let second = _mm256_fmadd_ps(x, _mm256_permutevar_ps(a, zt), second);
            let mut model = RuntimeMatrix::IDENTITY;
            _mm256_store_ps(model.0[..2].as_mut_ptr().cast(), first);
            _mm256_store_ps(model.0[2..].as_mut_ptr().cast(), second);
            model
        }
    }

    #[inline(always)]
    fn stream(self, matrix: RuntimeMatrix, to: &mut RuntimeMatrix) {
        let [xy, zt] = halves(&matrix);
        unsafe {
            _mm256_stream_ps(to.0[..2].as_mut_ptr().cast(), _mm256_loadu_ps(xy));
            _mm256_stream_ps(to.0[2..].as_mut_ptr().cast(), _mm256_loadu_ps(zt));
        }
    }

    #[inline(always)]
    fn end_stream(self) {
        unsafe { _mm_sfence() };
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
    fn splat(self, number: f32) -> [__m256; 2] {
        unsafe { [_mm256_set1_ps(number); 2] }
    }

    #[inline(always)]
    fn load(self, vertices: &[[f32; 4]; 4]) -> [__m256; 2] {
        unsafe { [_mm256_loadu_ps(vertices[..2].as_ptr().cast()), _mm256_loadu_ps(vertices[2..].as_ptr().cast())] }
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
    fn sums(self, [ab, cd]: [__m256; 2]) -> [__m256; 2] {
        unsafe {
            let ab = _mm256_add_ps(ab, _mm256_permute_ps::<0b01_00_11_10>(ab));
            let cd = _mm256_add_ps(cd, _mm256_permute_ps::<0b01_00_11_10>(cd));
            [
                _mm256_add_ps(ab, _mm256_permute_ps::<0b10_11_00_01>(ab)),
                _mm256_add_ps(cd, _mm256_permute_ps::<0b10_11_00_01>(cd)),
            ]
        }
    }

    #[inline(always)]
    fn all_greater(self, a: [__m256; 2], b: [__m256; 2]) -> bool {
        unsafe {
            let (first, second) = (_mm256_cmp_ps::<_CMP_GT_OQ>(a[0], b[0]), _mm256_cmp_ps::<_CMP_GT_OQ>(a[1], b[1]));
            _mm256_movemask_ps(_mm256_and_ps(first, second)) == 0xff
        }
    }

    #[inline(always)]
    fn normalized(self, vectors: [__m256; 2], squares: [__m256; 2], limits: [__m256; 2]) -> [__m256; 2] {
        let [mut ab, mut cd] = vectors;
        for (number, vectors) in [&mut ab, &mut cd].into_iter().enumerate() {
            let square = squares[number];
            unsafe {
                let is_long = _mm256_cmp_ps::<_CMP_GT_OQ>(square, limits[number]);
                // One Newton step doubles the estimate's 12 bits.
                let estimate = _mm256_rsqrt_ps(square);
                let half = _mm256_mul_ps(estimate, _mm256_set1_ps(0.5));
                let error = _mm256_fnmadd_ps(_mm256_mul_ps(square, estimate), half, _mm256_set1_ps(1.5));
                let unit = _mm256_mul_ps(_mm256_mul_ps(*vectors, estimate), error);
                *vectors = _mm256_and_ps(unit, is_long);
            }
        }
        [ab, cd]
    }

    #[inline(always)]
    fn interleave(self, positions: [__m256; 2], normals: [__m256; 2]) -> ([[f32; 4]; 4], [[f32; 4]; 4]) {
        unsafe {
            // Put x of the normal second.
            let xs = [_mm256_permute_ps::<0x55>(normals[0]), _mm256_permute_ps::<0x55>(normals[1])];
            let heads = [
                _mm256_blend_ps::<0b1000_1000>(positions[0], xs[0]),
                _mm256_blend_ps::<0b1000_1000>(positions[1], xs[1]),
            ];
            let tails = [_mm256_permute_ps::<0b00_10>(normals[0]), _mm256_permute_ps::<0b00_10>(normals[1])];
            (self.arrays(heads), self.arrays(tails))
        }
    }

    #[inline(always)]
    fn transposed(self, [x, y, z, w]: [[__m256; 2]; 4]) -> [[__m256; 2]; 4] {
        let low = unsafe { transposed256([x[0], y[0], z[0], w[0]]) };
        let high = unsafe { transposed256([x[1], y[1], z[1], w[1]]) };
        [[low[0], high[0]], [low[1], high[1]], [low[2], high[2]], [low[3], high[3]]]
    }

    #[inline(always)]
    fn arrays(self, vertices: [__m256; 2]) -> [[f32; 4]; 4] {
        unsafe { std::mem::transmute::<[__m256; 2], [[f32; 4]; 4]>(vertices) }
    }
}

// SAFETY, for all of it: an `Avx512` exists only on machines with AVX-512 F, VL, DQ and BW, which these intrinsics
// require. Pointers point to arrays of at least the numbers read or written, aligned where required.
impl Registers for Avx512 {
    /// All four vertices.
    type Fours = __m512;
    /// All four columns.
    type Columns = __m512;
    const HOLDS_SEVERAL: bool = true;

    #[inline(always)]
    fn fused(self, a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }

    #[inline(always)]
    fn transpose(self, elements: &[Lanes; 12], rows: &mut [Rows; 4]) {
        for row in 0..3 {
            let columns = [&elements[row], &elements[row + 3], &elements[row + 6], &elements[row + 9]];
            let fours = unsafe { transposed512(columns.map(|lanes| _mm512_load_ps(lanes.0.as_ptr()))) };
            for (rows, fours) in rows.iter_mut().zip(fours) {
                unsafe { _mm512_store_ps(rows.0[row].as_mut_ptr().cast(), fours) };
            }
        }
    }

    #[inline(always)]
    fn product(self, RuntimeMatrix([x, y, z, t]): &RuntimeMatrix, [a, b, c]: [&[f32; 4]; 3]) -> RuntimeMatrix {
        unsafe {
            let (x, y) = (_mm_load_ps(x.as_ptr()), _mm_load_ps(y.as_ptr()));
            let (z, t) = (_mm_load_ps(z.as_ptr()), _mm_load_ps(t.as_ptr()));
            let (a, b, c) = (_mm_loadu_ps(a.as_ptr()), _mm_loadu_ps(b.as_ptr()), _mm_loadu_ps(c.as_ptr()));
            // One element of each row for every column.
            let columns = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
            let a = _mm512_permutexvar_ps(columns, _mm512_castps128_ps512(a));
            let b = _mm512_permutexvar_ps(columns, _mm512_castps128_ps512(b));
            let c = _mm512_permutexvar_ps(columns, _mm512_castps128_ps512(c));
            let sum = _mm512_maskz_broadcast_f32x4(0xf000, t);
            let sum = _mm512_fmadd_ps(_mm512_broadcast_f32x4(z), c, sum);
            let rest = _mm512_mul_ps(_mm512_broadcast_f32x4(y), b);
            let rest = _mm512_fmadd_ps(_mm512_broadcast_f32x4(x), a, rest);
            let mut model = RuntimeMatrix::IDENTITY;
            _mm512_store_ps(model.0.as_mut_ptr().cast(), _mm512_add_ps(sum, rest));
            model
        }
    }

    #[inline(always)]
    fn stream(self, matrix: RuntimeMatrix, to: &mut RuntimeMatrix) {
        unsafe { _mm512_stream_ps(to.0.as_mut_ptr().cast(), load512(&matrix)) };
    }

    #[inline(always)]
    fn end_stream(self) {
        unsafe { _mm_sfence() };
    }

    #[inline(always)]
    fn scaled(self, matrix: &RuntimeMatrix, weight: f32) -> __m512 {
        unsafe { _mm512_mul_ps(load512(matrix), _mm512_set1_ps(weight)) }
    }

    #[inline(always)]
    fn add_scaled(self, matrix: &RuntimeMatrix, weight: f32, sum: __m512) -> __m512 {
        unsafe { _mm512_fmadd_ps(load512(matrix), _mm512_set1_ps(weight), sum) }
    }

    #[inline(always)]
    fn add_products(self, matrix: &RuntimeMatrix, parts: &[f32; 4], sum: __m512) -> __m512 {
        unsafe {
            let parts = _mm512_castps128_ps512(_mm_loadu_ps(parts.as_ptr()));
            let index = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
            _mm512_fmadd_ps(load512(matrix), _mm512_permutexvar_ps(index, parts), sum)
        }
    }

    #[inline(always)]
    fn columns(self, [a, b, c, d]: [__m512; 4]) -> [__m512; 4] {
        unsafe {
            let (ab, ab_high) =
                (_mm512_shuffle_f32x4::<0b01_00_01_00>(a, b), _mm512_shuffle_f32x4::<0b11_10_11_10>(a, b));
            let (cd, cd_high) =
                (_mm512_shuffle_f32x4::<0b01_00_01_00>(c, d), _mm512_shuffle_f32x4::<0b11_10_11_10>(c, d));
            [
                _mm512_shuffle_f32x4::<0b10_00_10_00>(ab, cd),
                _mm512_shuffle_f32x4::<0b11_01_11_01>(ab, cd),
                _mm512_shuffle_f32x4::<0b10_00_10_00>(ab_high, cd_high),
                _mm512_shuffle_f32x4::<0b11_01_11_01>(ab_high, cd_high),
            ]
        }
    }

    #[inline(always)]
    fn splat(self, number: f32) -> __m512 {
        unsafe { _mm512_set1_ps(number) }
    }

    #[inline(always)]
    fn load(self, vertices: &[[f32; 4]; 4]) -> __m512 {
        unsafe { _mm512_loadu_ps(vertices.as_ptr().cast()) }
    }

    #[inline(always)]
    fn part<const PART: i32>(self, vertices: __m512) -> __m512 {
        unsafe {
            match PART {
                0 => _mm512_permute_ps::<0x00>(vertices),
                1 => _mm512_permute_ps::<0x55>(vertices),
                2 => _mm512_permute_ps::<0xaa>(vertices),
                _ => _mm512_permute_ps::<0xff>(vertices),
            }
        }
    }

    #[inline(always)]
    fn yzx(self, vertices: __m512) -> __m512 {
        unsafe { _mm512_permute_ps::<0b11_00_10_01>(vertices) }
    }

    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_add_ps(a, b) }
    }

    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        unsafe { _mm512_mul_ps(a, b) }
    }

    #[inline(always)]
    fn mul_add(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }

    #[inline(always)]
    fn mul_sub(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        unsafe { _mm512_fmsub_ps(a, b, c) }
    }

    #[inline(always)]
    fn sums(self, vertices: __m512) -> __m512 {
        unsafe {
            let halves = _mm512_add_ps(vertices, _mm512_permute_ps::<0b01_00_11_10>(vertices));
            _mm512_add_ps(halves, _mm512_permute_ps::<0b10_11_00_01>(halves))
        }
    }

    #[inline(always)]
    fn all_greater(self, a: __m512, b: __m512) -> bool {
        unsafe { _mm512_cmp_ps_mask::<_CMP_GT_OQ>(a, b) == 0xffff }
    }

    #[inline(always)]
    fn normalized(self, vectors: __m512, squares: __m512, limits: __m512) -> __m512 {
        unsafe {
            let is_long = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(squares, limits);
            // One Newton step doubles the estimate's 14 bits. The mask comes last, so that nothing waits for it.
            let estimate = _mm512_rsqrt14_ps(squares);
            let half = _mm512_mul_ps(estimate, _mm512_set1_ps(0.5));
            let error = _mm512_fnmadd_ps(_mm512_mul_ps(squares, estimate), half, _mm512_set1_ps(1.5));
            _mm512_maskz_mul_ps(is_long, _mm512_mul_ps(vectors, estimate), error)
        }
    }

    #[inline(always)]
    fn interleave(self, positions: __m512, normals: __m512) -> ([[f32; 4]; 4], [[f32; 4]; 4]) {
        unsafe {
            // Put x of the normal second.
            let heads = _mm512_mask_permute_ps::<0x55>(positions, 0x8888, normals);
            (self.arrays(heads), self.arrays(_mm512_permute_ps::<0b00_10>(normals)))
        }
    }

    #[inline(always)]
    fn transposed(self, components: [__m512; 4]) -> [__m512; 4] {
        unsafe { transposed512(components) }
    }

    #[inline(always)]
    fn arrays(self, vertices: __m512) -> [[f32; 4]; 4] {
        unsafe { std::mem::transmute::<__m512, [[f32; 4]; 4]>(vertices) }
    }
}

/// Half of [`Registers::transposed`].
///
/// # Safety
///
/// The machine has AVX.
#[inline(always)]
unsafe fn transposed256([x, y, z, w]: [__m256; 4]) -> [__m256; 4] {
    // SAFETY: the caller's.
    unsafe {
        let (xy, xy_high) = (_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
        let (zw, zw_high) = (_mm256_unpacklo_ps(z, w), _mm256_unpackhi_ps(z, w));
        [
            _mm256_shuffle_ps::<0b01_00_01_00>(xy, zw),
            _mm256_shuffle_ps::<0b11_10_11_10>(xy, zw),
            _mm256_shuffle_ps::<0b01_00_01_00>(xy_high, zw_high),
            _mm256_shuffle_ps::<0b11_10_11_10>(xy_high, zw_high),
        ]
    }
}

/// [`Registers::transposed`].
///
/// # Safety
///
/// The machine has AVX-512 F.
#[inline(always)]
unsafe fn transposed512([x, y, z, w]: [__m512; 4]) -> [__m512; 4] {
    // SAFETY: the caller's.
    unsafe {
        let (xy, xy_high) = (_mm512_unpacklo_ps(x, y), _mm512_unpackhi_ps(x, y));
        let (zw, zw_high) = (_mm512_unpacklo_ps(z, w), _mm512_unpackhi_ps(z, w));
        [
            _mm512_shuffle_ps::<0b01_00_01_00>(xy, zw),
            _mm512_shuffle_ps::<0b11_10_11_10>(xy, zw),
            _mm512_shuffle_ps::<0b01_00_01_00>(xy_high, zw_high),
            _mm512_shuffle_ps::<0b11_10_11_10>(xy_high, zw_high),
        ]
    }
}

/// Loads a matrix.
///
/// # Safety
///
/// The machine has AVX-512 F.
#[inline(always)]
unsafe fn load512(matrix: &RuntimeMatrix) -> __m512 {
    // SAFETY: a matrix is sixteen aligned numbers.
    unsafe { _mm512_load_ps(matrix.0.as_ptr().cast()) }
}

/// Returns the columns x and y, then z and the translation: eight numbers each.
#[inline(always)]
fn halves(matrix: &RuntimeMatrix) -> [*const f32; 2] {
    [matrix.0[..2].as_ptr().cast(), matrix.0[2..].as_ptr().cast()]
}
