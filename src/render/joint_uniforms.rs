//! What a method's program reads per joint: arrays of uniforms, or texels.

use super::Error;
use super::vertex_layout::rigid_frame;
use bindpose_core::model::Mesh;
use bindpose_core::pose::ModelPose;
use bindpose_core::skin::{self, DualQuat, JointData};
use glam::{DAffine3, DQuat, DVec3};
use glium::backend::Context;
use glium::texture::{ClientFormat, MipmapsOption, RawImage2d, Texture2d, UncompressedFloatFormat};
use glium::uniforms::{
    MagnifySamplerFilter, MinifySamplerFilter, Sampler, SamplerBehavior, SamplerWrapFunction, UniformValue,
};
use std::borrow::Cow;
use std::rc::Rc;

/// A uniform array.
///
/// glium sets arrays element by element under the names `palette[0]`, `palette[1]`, …, so the names are made once.
#[derive(Debug, Clone, Default)]
pub(super) struct UniformArray {
    names: Vec<String>,
    values: Elements,
}

#[derive(Debug, Clone)]
enum Elements {
    Float(Vec<f32>),
    Vec4(Vec<[f32; 4]>),
    Mat4(Vec<[[f32; 4]; 4]>),
}

impl Default for Elements {
    fn default() -> Self {
        Self::Vec4(Vec::new())
    }
}

impl UniformArray {
    fn new(name: &str, length: usize, values: Elements) -> Self {
        Self { names: (0..length).map(|index| format!("{name}[{index}]")).collect(), values }
    }

    fn vec4(name: &str, length: usize) -> Self {
        Self::new(name, length, Elements::default())
    }

    fn clear(&mut self) {
        match &mut self.values {
            Elements::Float(values) => values.clear(),
            Elements::Vec4(values) => values.clear(),
            Elements::Mat4(values) => values.clear(),
        }
    }

    fn push(&mut self, value: [f32; 4]) {
        match &mut self.values {
            Elements::Float(values) => values.extend(value),
            Elements::Vec4(values) => values.push(value),
            Elements::Mat4(values) => values.push([value; 4]),
        }
    }

    /// Hands each element to glium.
    pub fn visit<'v>(&self, output: &mut impl FnMut(&str, UniformValue<'v>)) {
        match &self.values {
            Elements::Float(values) => {
                self.names.iter().zip(values).for_each(|(name, &value)| output(name, UniformValue::Float(value)));
            }
            Elements::Vec4(values) => {
                self.names.iter().zip(values).for_each(|(name, &value)| output(name, UniformValue::Vec4(value)));
            }
            Elements::Mat4(values) => {
                self.names.iter().zip(values).for_each(|(name, &value)| output(name, UniformValue::Mat4(value)));
            }
        }
    }

    /// What it takes to set all elements.
    pub fn bytes(&self) -> u64 {
        match &self.values {
            Elements::Float(values) => 4 * values.len() as u64,
            Elements::Vec4(values) => 16 * values.len() as u64,
            Elements::Mat4(values) => 64 * values.len() as u64,
        }
    }
}

/// Arrays for `joints` joints, to be filled for each draw.
pub(super) fn arrays(data: JointData, joints: usize) -> Vec<UniformArray> {
    let vec4 = UniformArray::vec4;
    match data {
        JointData::None | JointData::QuaternionTexels | JointData::LocalTexels => Vec::new(),
        JointData::Rows => vec![vec4("palette", 3 * joints)],
        JointData::Matrices => vec![UniformArray::new("palette", joints, Elements::Mat4(Vec::new()))],
        JointData::SevenFloats => vec![UniformArray::new("bones", 7 * joints, Elements::Float(Vec::new()))],
        JointData::PoseQuaternions | JointData::Quaternions | JointData::Pivots => {
            vec![vec4("boneQuat", joints), vec4("bonePos", joints)]
        }
        JointData::PivotsAndExamples => {
            vec![vec4("boneQuat", joints), vec4("bonePos", joints), vec4("exampleWeights", joints)]
        }
        JointData::DualQuaternions => vec![vec4("boneReal", joints), vec4("boneDual", joints)],
        JointData::RowsAndQuaternions => vec![vec4("palette", 3 * joints), vec4("boneQuat", joints)],
    }
}

/// Writes the joints that a mesh is bound to.
///
/// `parents` gives each of them the place of its parent in the same list, if it is there; `shares` are the weights
/// of the examples.
pub(super) fn fill(
    data: JointData,
    mesh: &Mesh,
    parents: &[Option<usize>],
    pose: &ModelPose,
    palette: &[DAffine3],
    shares: &[[f64; skin::MOST_EXAMPLES]],
    arrays: &mut [UniformArray],
) {
    arrays.iter_mut().for_each(UniformArray::clear);
    let joints = mesh.bind.iter().zip(palette);
    let place = |position: DVec3| position.extend(0.0).as_vec4().to_array();
    match (data, arrays) {
        (JointData::Rows, [rows]) => palette.iter().for_each(|entry| push_rows(rows, entry)),
        (JointData::Matrices, [matrices]) => {
            if let Elements::Mat4(values) = &mut matrices.values {
                values.extend(palette.iter().map(|entry| glam::DMat4::from(*entry).as_mat4().to_cols_array_2d()));
            }
        }
        (JointData::PoseQuaternions, [rotations, positions]) => {
            for ((bound, entry), parent) in joints.zip(parents) {
                let joint = match rigid_frame(&bound.inverse_bind) {
                    None => pose.0[bound.joint.index()],
                    Some(frame) => *entry * frame,
                };
                rotations.push(skin::rotation(&joint).as_quat().to_array());
                let parent = parent.map_or(-1.0, |place| place as f32);
                positions.push(joint.translation.as_vec3().extend(parent).to_array());
            }
        }
        (JointData::SevenFloats, [bones]) => {
            if let Elements::Float(values) = &mut bones.values {
                for entry in palette {
                    values.extend(skin::rotation(entry).conjugate().as_quat().to_array());
                    values.extend(entry.translation.as_vec3().to_array());
                }
            }
        }
        (JointData::Quaternions, [rotations, positions]) => {
            for entry in palette {
                rotations.push(rotation(entry));
                positions.push(place(entry.translation));
            }
        }
        (JointData::Pivots | JointData::PivotsAndExamples, [rotations, positions, examples @ ..]) => {
            for (bound, entry) in joints {
                rotations.push(rotation(entry));
                positions.push(place(entry.transform_point3(bound.inverse_bind.inverse().translation)));
            }
            if let [examples] = examples {
                shares.iter().for_each(|share| examples.push(share.map(|share| share as f32)));
            }
        }
        (JointData::DualQuaternions, [reals, duals]) => {
            for entry in palette {
                let dual = DualQuat::from_affine(entry);
                reals.push(dual.real.as_quat().to_array());
                duals.push(dual.dual.as_quat().to_array());
            }
        }
        (JointData::RowsAndQuaternions, [rows, rotations]) => {
            for entry in palette {
                push_rows(rows, entry);
                rotations.push(rotation(entry));
            }
        }
        _ => {}
    }
}

fn rotation(entry: &DAffine3) -> [f32; 4] {
    skin::rotation(entry).as_quat().to_array()
}

fn push_rows(array: &mut UniformArray, entry: &DAffine3) {
    let rows = entry.matrix3.transpose();
    let row = |axis: DVec3, shift: f64| axis.extend(shift).as_vec4().to_array();
    array.push(row(rows.x_axis, entry.translation.x));
    array.push(row(rows.y_axis, entry.translation.y));
    array.push(row(rows.z_axis, entry.translation.z));
}

/// How exact the texels of a palette are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TexelFormat {
    /// 32 bits per component.
    #[default]
    Float,
    /// 16 bits: half the memory, 11 bits of mantissa.
    Half,
}

/// A float texture in two copies, written in turn, so that writing never waits for a draw that still reads
/// (article 003's flipping texture).
pub(super) struct FlippingTexture {
    copies: [Texture2d; 2],
    current: usize,
    format: TexelFormat,
    /// Texels in 16 bits.
    halves: Vec<u16>,
    width: u32,
    height: u32,
}

impl FlippingTexture {
    pub fn new(context: &Rc<Context>, format: TexelFormat, width: u32, height: u32) -> Result<Self, Error> {
        let texture = || float_texture(context, format, width, height);
        Ok(Self { copies: [texture()?, texture()?], current: 0, format, halves: Vec::new(), width, height })
    }

    /// Turns to the other copy and writes its first rows; the bytes that took.
    pub fn write(&mut self, texels: &[[f32; 4]]) -> u64 {
        self.current = 1 - self.current;
        let rows = (texels.len() as u32 / self.width.max(1)).min(self.height);
        let texels = &texels[..(rows * self.width) as usize];
        if rows == 0 {
            return 0;
        }
        let data = texels.as_flattened();
        let rect = glium::Rect { left: 0, bottom: 0, width: self.width, height: rows };
        let (width, height) = (self.width, rows);
        match self.format {
            TexelFormat::Float => {
                let format = ClientFormat::F32F32F32F32;
                let image = RawImage2d { data: Cow::Borrowed(data), width, height, format };
                self.copies[self.current].write(rect, image);
                size_of_val(data) as u64
            }
            TexelFormat::Half => {
                self.halves.clear();
                self.halves.extend(data.iter().map(|&value| half(value)));
                let format = ClientFormat::F16F16F16F16;
                let image = RawImage2d { data: Cow::Borrowed(self.halves.as_slice()), width, height, format };
                self.copies[self.current].write(rect, image);
                size_of_val(self.halves.as_slice()) as u64
            }
        }
    }

    /// The copy that was written last.
    pub fn texture(&self) -> &Texture2d {
        &self.copies[self.current]
    }

    /// Memory of both copies.
    pub fn bytes(&self) -> u64 {
        let texel = match self.format {
            TexelFormat::Float => 16,
            TexelFormat::Half => 8,
        };
        2 * texel * u64::from(self.width) * u64::from(self.height)
    }

    /// Rows that one copy has.
    pub fn rows(&self) -> u32 {
        self.height
    }

    /// Width and height.
    pub fn texels(&self) -> [f32; 2] {
        [self.width as f32, self.height as f32]
    }
}

/// The nearest number with 11 bits of mantissa and 5 of exponent, ties to even; what is too large becomes the largest.
fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = value.abs();
    if magnitude.is_nan() {
        return sign | 0x7E00;
    }
    if magnitude >= 65520.0 {
        return sign | 0x7BFF;
    }
    if magnitude < 6.103_515_6e-5 {
        // Below the smallest normal number there are whole multiples of 2^-24.
        return sign | (magnitude * 16_777_216.0).round_ties_even() as u16;
    }
    let magnitude = magnitude.to_bits();
    let exponent = (magnitude >> 23) - 112;
    let cut = magnitude & 0x1FFF;
    let kept = (exponent << 10 | magnitude >> 13 & 0x3FF) as u16;
    let up = cut > 0x1000 || (cut == 0x1000 && kept & 1 == 1);
    sign | (kept + u16::from(up))
}

/// An RGBA texture of floats without levels.
pub(super) fn float_texture(
    context: &Rc<Context>,
    format: TexelFormat,
    width: u32,
    height: u32,
) -> Result<Texture2d, Error> {
    let format = match format {
        TexelFormat::Float => UncompressedFloatFormat::F32F32F32F32,
        TexelFormat::Half => UncompressedFloatFormat::F16F16F16F16,
    };
    Texture2d::empty_with_format(context, format, MipmapsOption::NoMipmap, width, height)
        .map_err(Error::resource("float texture"))
}

/// Nearest texel, clamped: most hardware of the time could not filter floats.
pub(super) fn nearest(texture: &Texture2d) -> UniformValue<'_> {
    UniformValue::Texture2d(texture, Some(nearest_behaviour(texture)))
}

fn nearest_behaviour(texture: &Texture2d) -> SamplerBehavior {
    Sampler::new(texture)
        .wrap_function(SamplerWrapFunction::Clamp)
        .magnify_filter(MagnifySamplerFilter::Nearest)
        .minify_filter(MinifySamplerFilter::Nearest)
        .1
}

/// The palette of `bone-texture`.
pub(super) struct PaletteTexture {
    rotations: FlippingTexture,
    translations: FlippingTexture,
    staged: [Vec<[f32; 4]>; 2],
}

impl PaletteTexture {
    /// For `joints` joints and up to `copies` copies.
    pub fn new(context: &Rc<Context>, format: TexelFormat, joints: u32, copies: u32) -> Result<Self, Error> {
        Ok(Self {
            rotations: FlippingTexture::new(context, format, joints.max(1), copies)?,
            translations: FlippingTexture::new(context, format, joints.max(1), copies)?,
            staged: Default::default(),
        })
    }

    /// Memory of all textures.
    pub fn bytes(&self) -> u64 {
        self.rotations.bytes() + self.translations.bytes()
    }

    pub fn clear(&mut self) {
        self.staged.iter_mut().for_each(Vec::clear);
    }

    /// Appends the palette of one copy.
    pub fn push(&mut self, palette: &[DAffine3]) {
        let [rotations, translations] = &mut self.staged;
        rotations.extend(palette.iter().map(rotation));
        translations.extend(palette.iter().map(|entry| entry.translation.as_vec3().extend(0.0).to_array()));
        if palette.is_empty() {
            rotations.push(DQuat::IDENTITY.as_quat().to_array());
            translations.push([0.0; 4]);
        }
    }

    /// Writes what was pushed, into larger textures if need be; the bytes that took.
    pub fn upload(&mut self, context: &Rc<Context>, format: TexelFormat, copies: u32) -> Result<u64, Error> {
        if copies > self.rotations.rows() {
            let joints = self.rotations.width;
            self.rotations = FlippingTexture::new(context, format, joints, copies)?;
            self.translations = FlippingTexture::new(context, format, joints, copies)?;
        }
        Ok(self.rotations.write(&self.staged[0]) + self.translations.write(&self.staged[1]))
    }

    /// Hands both textures to glium.
    pub fn visit<'v>(&'v self, output: &mut impl FnMut(&str, UniformValue<'v>)) {
        output("bone_rotations", nearest(self.rotations.texture()));
        output("bone_translations", nearest(self.translations.texture()));
        output("bone_texels", UniformValue::Vec2(self.rotations.texels()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use glium::backend::Facade;

    #[test]
    fn halves() {
        // Exact values from IEEE 754 binary16: sign, 5 bits exponent, 10 bits fraction.
        let cases: [(f32, u16); 14] = [
            (0.0, 0x0000),
            (-0.0, 0x8000),
            (1.0, 0x3C00),
            (-2.0, 0xC000),
            (0.1, 0x2E66),
            (0.333_251_95, 0x3555),
            (65504.0, 0x7BFF),
            (1e9, 0x7BFF),
            (6.103_515_6e-5, 0x0400),
            (5.960_464_5e-8, 0x0001),
            (2.980_232_2e-8, 0x0000),
            // Ties go to even: 1 + 2^-11 and 1 + 3 * 2^-11.
            (1.000_488_3, 0x3C00),
            (1.001_464_8, 0x3C02),
            // Rounding that carries into the exponent.
            (1.999_9, 0x4000),
        ];
        for (value, bits) in cases {
            assert_eq!(half(value), bits, "{value}: {:#06x}", half(value));
        }
    }

    /// Article 003: what a draw may still read is not what is written next.
    #[test]
    fn palettes_are_written_into_two_textures_in_turn() {
        let Ok(gpu) = crate::render::headless() else { return };
        let context = gpu.get_context();
        let mut palette = PaletteTexture::new(context, TexelFormat::Float, 1, 1).unwrap();
        type Texel = (f32, f32, f32, f32);
        // SAFETY: float pixels are what a float texture has.
        let read = |texture: &Texture2d| unsafe { texture.unchecked_read::<Vec<Vec<Texel>>, Texel>()[0][0] };
        for frame in 1..=5 {
            palette.clear();
            palette.push(&[DAffine3::from_translation(DVec3::X * f64::from(frame))]);
            assert_eq!(palette.upload(context, TexelFormat::Float, 1).unwrap(), 32);
            let flipping = &palette.translations;
            assert_eq!(read(flipping.texture()).0, frame as f32);
            let other = read(&flipping.copies[1 - flipping.current]).0;
            assert!(frame == 1 || other == (frame - 1) as f32, "frame {frame}: the other copy holds {other}");
        }
    }
}
