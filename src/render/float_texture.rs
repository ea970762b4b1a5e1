//! Textures of floats: palettes, local poses and vertices that shaders read texel by texel.

use super::Error;
use glium::backend::Context;
use glium::texture::{ClientFormat, MipmapsOption, RawImage2d, Texture2d, UncompressedFloatFormat};
use glium::uniforms::{
    MagnifySamplerFilter, MinifySamplerFilter, Sampler, SamplerBehavior, SamplerWrapFunction, UniformValue,
};
use half::f16;
use std::borrow::Cow;
use std::rc::Rc;

/// Precision of the texels of a palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TexelFormat {
    /// 32 bits per component.
    #[default]
    Float,
    /// 16 bits: half the memory, 11 bits of mantissa.
    Half,
}

/// Float texture in two copies that are written alternately, so that writing never waits for a draw call that still
/// reads (article 003's flipping texture).
pub(super) struct FlippingTexture {
    copies: [Texture2d; 2],
    current: usize,
    format: TexelFormat,
    /// Scratch memory for 16-bit texels.
    halves: Vec<u16>,
    /// Texels in a row.
    pub width: u32,
    /// Rows of one copy.
    pub height: u32,
}

impl FlippingTexture {
    pub fn new(context: &Rc<Context>, format: TexelFormat, width: u32, height: u32) -> Result<Self, Error> {
        let texture = || float_texture(context, format, width, height);
        Ok(Self { copies: [texture()?, texture()?], current: 0, format, halves: Vec::new(), width, height })
    }

    /// Switches to the other copy and writes its first rows. Returns the number of bytes written. Texels beyond its
    /// size are ignored.
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
                self.halves.extend(data.iter().map(|&value| half_bits(value)));
                let format = ClientFormat::F16F16F16F16;
                let image = RawImage2d { data: Cow::Borrowed(self.halves.as_slice()), width, height, format };
                self.copies[self.current].write(rect, image);
                size_of_val(self.halves.as_slice()) as u64
            }
        }
    }

    /// Returns the copy written last.
    pub fn texture(&self) -> &Texture2d {
        &self.copies[self.current]
    }

    /// Returns the other copy.
    #[cfg(test)]
    pub fn other_texture(&self) -> &Texture2d {
        &self.copies[1 - self.current]
    }

    /// Returns the memory of both copies, in bytes.
    pub fn bytes(&self) -> u64 {
        let texel = match self.format {
            TexelFormat::Float => 16,
            TexelFormat::Half => 8,
        };
        2 * texel * u64::from(self.width) * u64::from(self.height)
    }

    /// Returns width and height.
    pub fn texels(&self) -> [f32; 2] {
        [self.width as f32, self.height as f32]
    }
}

/// Rounds to binary16. Numbers beyond its range become the largest number.
fn half_bits(value: f32) -> u16 {
    f16::from_f32(value.clamp(f16::MIN.to_f32(), f16::MAX.to_f32())).to_bits()
}

/// Creates an RGBA float texture without mipmaps.
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

/// Creates a float texture that is written once; `texels` row by row.
pub(super) fn fixed_texture(
    context: &Rc<Context>,
    texels: &[[f32; 4]],
    width: u32,
    height: u32,
) -> Result<Texture2d, Error> {
    let texture = float_texture(context, TexelFormat::Float, width, height)?;
    let format = ClientFormat::F32F32F32F32;
    let image = RawImage2d { data: Cow::Borrowed(texels.as_flattened()), width, height, format };
    texture.write(glium::Rect { left: 0, bottom: 0, width, height }, image);
    Ok(texture)
}

/// Samples the nearest texel, clamped: most hardware of the articles' time could not filter float textures.
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

#[cfg(test)]
mod tests {
    use super::half_bits;

    /// Exact values from IEEE 754 binary16 (sign, 5 bits of exponent, 10 of fraction), except for numbers beyond its
    /// range.
    #[test]
    fn halves() {
        let cases: [(f32, u16); 8] = [
            (-0.0, 0x8000),
            (1.0, 0x3C00),
            (-2.0, 0xC000),
            (0.1, 0x2E66),
            (65504.0, 0x7BFF),
            (1e9, 0x7BFF),
            (-1e9, 0xFBFF),
            (5.960_464_5e-8, 0x0001),
        ];
        for (value, bits) in cases {
            assert_eq!(half_bits(value), bits, "{value}: {:#06x}", half_bits(value));
        }
    }
}
