//! Pose of one character: a clip at a time, as matrices in model space.

use super::clip::{Between, RuntimeClip, Stretch, rows};
use super::matrix::RuntimeMatrix;
use super::simd::{Kernel, LANES, Lanes, Registers, Rows, Simd, run};
use super::skeleton::{RuntimeSkeleton, Step};
use crate::pose::{key_before, lerp_dual_quaternions};
use glam::DAffine3;
use std::any::Any;

/// Buffers of one character, reused from frame to frame.
#[derive(Debug, Clone)]
pub struct RuntimePose {
    simd: Simd,
    /// Matrices of one group by columns. A local variable would not stay in vector lanes.
    elements: [Lanes; 12],
    /// Joints in their parents' spaces, at the places of the last clip.
    locals: Vec<Rows>,
    /// [`RuntimeClip::places`] of the last clip.
    places: Vec<u32>,
    /// The identity, then the joints in model space.
    model: Vec<RuntimeMatrix>,
}

impl Default for RuntimePose {
    fn default() -> Self {
        Self::new(Simd::best())
    }
}

impl RuntimePose {
    /// Creates empty buffers for the instructions of `simd`.
    pub fn new(simd: Simd) -> Self {
        let elements = [Lanes::default(); 12];
        Self { simd, elements, locals: Vec::new(), places: Vec::new(), model: vec![RuntimeMatrix::IDENTITY] }
    }

    /// Samples `clip` at `time` (seconds), clamped to its first and last frame. Joints are in their parents' spaces.
    ///
    /// Slerp uses a series with an error of at most 4e-6 radians, for rotations 180 degrees apart.
    pub fn sample(&mut self, clip: &RuntimeClip, time: f64) {
        let between = clip.between(time);
        self.places.clear();
        self.places.extend_from_slice(&clip.places);
        let changing = LANES / 4 * clip.groups;
        self.locals.resize(changing + clip.constants.len(), Rows::default());
        let (locals, constants) = self.locals.split_at_mut(changing);
        constants.copy_from_slice(&clip.constants);
        let (elements, locals) = (&mut self.elements, locals.as_chunks_mut().0);
        if clip.turns_little {
            run(self.simd, Sample::<NEAR> { clip, between, elements, locals });
        } else {
            run(self.simd, Sample::<FAR> { clip, between, elements, locals });
        }
        self.stretch(clip, between);
    }

    /// Applies scale and shear to stretched joints, or replaces their matrices.
    fn stretch(&mut self, clip: &RuntimeClip, Between { frame, next, share }: Between) {
        for stretched in &clip.stretched {
            let place = stretched.place as usize;
            let [first, second, third] = &mut self.locals[place / 4].0;
            let local = [&mut first[place % 4], &mut second[place % 4], &mut third[place % 4]];
            match &stretched.by {
                Stretch::Parts(parts) => {
                    let at = |frame: usize| parts[frame.min(parts.len() - 1)];
                    let (from, to) = (at(frame), at(next));
                    let [sx, sy, sz, xy, xz, yz]: [f32; 6] =
                        std::array::from_fn(|part| from[part] + (to[part] - from[part]) * share);
                    for row in local {
                        let [x, y, z, t] = *row;
                        *row = [x * sx, x * xy + y * sy, x * xz + y * yz + z * sz, t];
                    }
                }
                Stretch::Elements(elements) => {
                    for ((row, from), to) in local.into_iter().zip(&elements[frame]).zip(&elements[next]) {
                        *row = std::array::from_fn(|column| from[column] + (to[column] - from[column]) * share);
                    }
                }
                Stretch::DualQuaternions { times, keys } => {
                    let (start, end) = (clip.times[frame], clip.times[next]);
                    let (key, share) = key_before(times, start + (end - start) * f64::from(share));
                    let (from, to) = (keys[key.min(keys.len() - 1)], keys[(key + 1).min(keys.len() - 1)]);
                    let between = if share > 0.0 { lerp_dual_quaternions(from, to, share) } else { from };
                    let rigid = DAffine3::from_rotation_translation(between.rotation, between.translation);
                    for (row, to) in rows(&rigid).into_iter().zip(local) {
                        *to = row;
                    }
                }
            }
        }
    }

    /// Converts the last sample to model space. Its clip must have been made for `skeleton`.
    pub fn local_to_model(&mut self, skeleton: &RuntimeSkeleton) {
        self.local_to_model_of::<RuntimeMatrix>(skeleton, &mut [], false);
    }

    /// Converts the last sample to model space, and copies the matrices to `joints` (past the caches if `past_caches`).
    pub(super) fn local_to_model_of<M: From<RuntimeMatrix> + 'static>(
        &mut self,
        skeleton: &RuntimeSkeleton,
        joints: &mut [M],
        past_caches: bool,
    ) {
        self.model.resize(skeleton.len() + 1, RuntimeMatrix::IDENTITY);
        let (places, locals, model) = (&self.places[..], &self.locals[..], &mut self.model[..]);
        run(self.simd, ToModel { steps: skeleton.steps(), places, locals, model, joints, past_caches });
    }

    /// Returns one matrix per joint, from joint to model space.
    pub fn model(&self) -> &[RuntimeMatrix] {
        &self.model[1..]
    }
}

/// Number of coefficients for rotations up to 90 degrees apart, as in nearly all clips. The error is at most 3.3e-8
/// radians, and the squared length of the result 1 to within 3.1e-7.
const NEAR: usize = 6;
/// Number of coefficients for all rotations. The error is at most 3.1e-6 radians, for rotations 180 degrees apart.
const FAR: usize = 11;
/// Correction for the omitted terms: the factors with the smallest maximum error, found numerically.
const LAST_NEAR: f32 = 1.15;
const LAST_FAR: f32 = 1.877;

/// Coefficients of `sin(share * angle) / sin(angle)` as a series in the squared distance of two rotations up to 180
/// degrees apart, which is `2 - 2 cos(angle)`.
///
/// D. Eberly, "A Fast and Accurate Algorithm for Computing SLERP" (2011): `share * (1 + f1 d (1 + f2 d (1 + …)))` with
/// `f_i = (share² - i²) / (i (2 i + 1))` and `d = cos(angle) - 1`. All joints have the same share, so a joint costs a
/// fused product and sum per coefficient, without square root or trigonometry.
#[inline(always)]
fn slerp_coefficients<const COUNT: usize>(share: f32) -> [f32; COUNT] {
    let mut coefficient = share;
    std::array::from_fn(|term| {
        if term > 0 {
            let i = term as f32;
            let last = if COUNT == FAR { LAST_FAR } else { LAST_NEAR };
            let half = if term + 1 == COUNT { 0.5 * last } else { 0.5 };
            coefficient *= half * i / (2.0 * i + 1.0) - share * share * (half / (i * (2.0 * i + 1.0)));
        }
        coefficient
    })
}

/// Interpolates a clip's moving joints.
struct Sample<'a, const COUNT: usize> {
    clip: &'a RuntimeClip,
    between: Between,
    elements: &'a mut [Lanes; 12],
    locals: &'a mut [[Rows; LANES / 4]],
}

impl<const COUNT: usize> Kernel for Sample<'_, COUNT> {
    #[inline(always)]
    fn run<R: Registers>(self, registers: R) {
        let Between { frame, next, share } = self.between;
        let (back, forth) = (slerp_coefficients::<COUNT>(1.0 - share), slerp_coefficients::<COUNT>(share));
        let ((from_rotations, from), (to_rotations, to)) = (self.clip.frame(frame), self.clip.frame(next));
        let elements = self.elements;
        for (number, rows) in self.locals.iter_mut().enumerate() {
            interpolate(registers, &from_rotations[number], &to_rotations[number], &back, &forth, elements);
            match number.checked_sub(from.len()) {
                None => interpolate_translations(registers, &from[number], &to[number], share, elements),
                Some(constant) => elements[9..].copy_from_slice(&self.clip.constant_translations[constant]),
            }
            registers.transpose(elements, rows);
        }
    }
}

/// Interpolates the rotations of one group.
#[inline(always)]
fn interpolate<R: Registers, const COUNT: usize>(
    registers: R,
    from: &[Lanes; 4],
    to: &[Lanes; 4],
    back: &[f32; COUNT],
    forth: &[f32; COUNT],
    out: &mut [Lanes; 12],
) {
    let fma = |a: f32, b: f32, c: f32| registers.fused(a, b, c);
    for lane in 0..LANES {
        let [ax, ay, az, aw] = [from[0].0[lane], from[1].0[lane], from[2].0[lane], from[3].0[lane]];
        let [bx, by, bz, bw] = [to[0].0[lane], to[1].0[lane], to[2].0[lane], to[3].0[lane]];
        // Exact for close rotations, as 1 - cos(angle) would not be.
        let [dx, dy, dz, dw] = [bx - ax, by - ay, bz - az, bw - aw];
        let distance = fma(dx, dx, dy * dy) + fma(dz, dz, dw * dw);
        let (mut a, mut b) = (back[COUNT - 1], forth[COUNT - 1]);
        for term in (0..COUNT - 1).rev() {
            a = fma(a, distance, back[term]);
            b = fma(b, distance, forth[term]);
        }
        let [x, y, z, w] = [fma(b, bx, a * ax), fma(b, by, a * ay), fma(b, bz, a * az), fma(b, bw, a * aw)];
        // The matrix of q / |q| needs no square root.
        let twice = if COUNT == FAR { 2.0 / (fma(x, x, y * y) + fma(z, z, w * w)) } else { 2.0 };
        let [xs, ys, zs] = [x * twice, y * twice, z * twice];
        let [xx, yy, zz] = [xs * x, ys * y, zs * z];
        let [xy, xz, yz] = [xs * y, xs * z, ys * z];
        let [xw, yw, zw] = [xs * w, ys * w, zs * w];
        let columns =
            [1.0 - (yy + zz), xy + zw, xz - yw, xy - zw, 1.0 - (xx + zz), yz + xw, xz + yw, yz - xw, 1.0 - (xx + yy)];
        for (out, element) in out.iter_mut().zip(columns) {
            out.0[lane] = element;
        }
    }
}

/// Interpolates the translations of one group.
#[inline(always)]
fn interpolate_translations<R: Registers>(
    registers: R,
    from: &[Lanes; 3],
    to: &[Lanes; 3],
    share: f32,
    out: &mut [Lanes; 12],
) {
    for part in 0..3 {
        for lane in 0..LANES {
            let (start, end) = (from[part].0[lane], to[part].0[lane]);
            out[9 + part].0[lane] = registers.fused(share, end - start, start);
        }
    }
}

/// Multiplication from parents to children.
struct ToModel<'a, M> {
    steps: &'a [Step],
    places: &'a [u32],
    locals: &'a [Rows],
    model: &'a mut [RuntimeMatrix],
    /// Receives copies. May be empty.
    joints: &'a mut [M],
    past_caches: bool,
}

impl<M: From<RuntimeMatrix> + 'static> Kernel for ToModel<'_, M> {
    #[inline(always)]
    fn run<R: Registers>(self, registers: R) {
        for (&Step { joint, parent }, &place) in self.steps.iter().zip(self.places) {
            let ([first, second, third], four) = (&self.locals[place as usize / 4].0, place as usize % 4);
            let local = [&first[four], &second[four], &third[four]];
            let model = registers.product(&self.model[parent as usize], local);
            self.model[joint as usize + 1] = model;
            let Some(out) = self.joints.get_mut(joint as usize) else { continue };
            match (out as &mut dyn Any).downcast_mut() {
                Some(out) if self.past_caches => registers.stream(model, out),
                _ => *out = model.into(),
            }
        }
        registers.end_stream();
    }
}
