//! Textures of floats: palettes, local poses and vertices that shaders read texel by texel.

use super::Error;
use glium::backend::Context;
use glium::texture::{ClientFormat, MipmapsOption, RawImage2d, Texture2d, UncompressedFloatFormat};
use glium::uniforms::{
    MagnifySamplerFilter, MinifySamplerFilter, Sampler, SamplerBehavior, SamplerWrapFunction, UniformValue,
};
use std::borrow::Cow;
use std::rc::Rc;

/// Float texture in two copies that are written alternately, so that writing never waits for a draw call that still
/// reads (article 003's flipping texture).
pub(super) struct FlippingTexture {
    copies: [Texture2d; 2],
    current: usize,
    /// Texels in a row.
    pub width: u32,
    /// Rows of one copy.
    pub height: u32,
}

impl FlippingTexture {
    pub fn new(context: &Rc<Context>, width: u32, height: u32) -> Result<Self, Error> {
        let texture = || float_texture(context, width, height);
        Ok(Self { copies: [texture()?, texture()?], current: 0, width, height })
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
        let image = RawImage2d {
            data: Cow::Borrowed(data),
            width: self.width,
            height: rows,
            format: ClientFormat::F32F32F32F32,
        };
        self.copies[self.current].write(rect, image);
        size_of_val(data) as u64
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
        2 * size_of::<[f32; 4]>() as u64 * u64::from(self.width) * u64::from(self.height)
    }

    /// Returns width and height.
    pub fn texels(&self) -> [f32; 2] {
        [self.width as f32, self.height as f32]
    }
}

/// Creates an RGBA float texture without mipmaps.
pub(super) fn float_texture(context: &Rc<Context>, width: u32, height: u32) -> Result<Texture2d, Error> {
    let format = UncompressedFloatFormat::F32F32F32F32;
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
    let texture = float_texture(context, width, height)?;
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
