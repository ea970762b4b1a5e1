//! `bone-texture`: the palette in two textures, a row per copy.

use super::{Error, Posing, UniformSink, Upload, UploadContext};
use crate::float_texture::{FlippingTexture, nearest};
use crate::joint_uniforms::{place, rotation};
use glam::{DAffine3, DQuat};
use glium::backend::Context;
use glium::uniforms::UniformValue;
use std::rc::Rc;

pub(super) struct PaletteTexture {
    context: Rc<Context>,
    rotations: FlippingTexture,
    translations: FlippingTexture,
    staged: [Vec<[f32; 4]>; 2],
    copies: u32,
}

impl PaletteTexture {
    pub fn new(input: &UploadContext<'_>) -> Result<Self, Error> {
        Self::with_joints(input.context, input.joints() as u32)
    }

    fn with_joints(context: &Rc<Context>, joints: u32) -> Result<Self, Error> {
        let texture = || FlippingTexture::new(context, joints.max(1), 1);
        Ok(Self {
            context: Rc::clone(context),
            rotations: texture()?,
            translations: texture()?,
            staged: Default::default(),
            copies: 0,
        })
    }

    fn clear(&mut self) {
        self.staged.iter_mut().for_each(Vec::clear);
        self.copies = 0;
    }

    /// Appends the palette of one copy.
    fn push(&mut self, palette: &[DAffine3]) {
        self.copies += 1;
        let [rotations, translations] = &mut self.staged;
        rotations.extend(palette.iter().map(rotation));
        translations.extend(palette.iter().map(|entry| place(entry.translation)));
        if palette.is_empty() {
            rotations.push(DQuat::IDENTITY.as_quat().to_array());
            translations.push([0.0; 4]);
        }
    }
}

impl Upload for PaletteTexture {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        self.clear();
        for &instance in posing.instances {
            self.push(posing.palette_of(instance));
        }
    }

    /// Grows the textures if needed.
    fn upload(&mut self) -> Result<u64, Error> {
        if self.copies > self.rotations.height {
            let larger = || FlippingTexture::new(&self.context, self.rotations.width, self.copies);
            (self.rotations, self.translations) = (larger()?, larger()?);
        }
        Ok(self.rotations.write(&self.staged[0]) + self.translations.write(&self.staged[1]))
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        output("bone_rotations", nearest(self.rotations.texture()));
        output("bone_translations", nearest(self.translations.texture()));
        output("bone_texels", UniformValue::Vec2(self.rotations.texels()));
    }

    fn fixed_bytes(&self) -> u64 {
        self.rotations.bytes() + self.translations.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use glium::backend::Facade;
    use glium::texture::Texture2d;

    /// Article 003: data that a draw call may still read is not overwritten.
    #[test]
    #[allow(unsafe_code)]
    fn palettes_are_written_into_two_textures_in_turn() {
        let Some(gpu) = crate::context::gpu_of_tests() else { return };
        let mut palette = PaletteTexture::with_joints(gpu.get_context(), 1).unwrap();
        type Texel = (f32, f32, f32, f32);
        // SAFETY: a float texture has float pixels.
        let read = |texture: &Texture2d| unsafe { texture.unchecked_read::<Vec<Vec<Texel>>, Texel>()[0][0] };
        for frame in 1..=5 {
            palette.clear();
            palette.push(&[DAffine3::from_translation(DVec3::X * f64::from(frame))]);
            assert_eq!(palette.upload().unwrap(), 32);
            let flipping = &palette.translations;
            assert_eq!(read(flipping.texture()).0, frame as f32);
            let other = read(flipping.other_texture()).0;
            assert!(frame == 1 || other == (frame - 1) as f32, "frame {frame}: the other copy holds {other}");
        }
    }
}
