//! Uniforms and textures that are computed from the joints for each pose.

use super::{Error, Posing, UniformSink, Upload};
use crate::float_texture::{FlippingTexture, nearest};
use crate::joint_uniforms::UniformArray;
use glium::backend::Context;
use glium::texture::Texture2d;
use glium::uniforms::UniformValue;
use glium::vertex::{VertexBufferAny, VerticesSource};
use std::rc::Rc;

type Fill<const ARRAYS: usize, const TEXTURES: usize> =
    dyn FnMut(&mut Posing<'_>, &mut [UniformArray; ARRAYS], &mut [StagedTexture; TEXTURES]);

/// Uniforms and textures that a function computes, and vertices that never change.
pub(super) struct JointUpload<const ARRAYS: usize, const TEXTURES: usize> {
    arrays: [UniformArray; ARRAYS],
    textures: [StagedTexture; TEXTURES],
    vertices: Option<VertexBufferAny>,
    fill: Box<Fill<ARRAYS, TEXTURES>>,
}

impl<const ARRAYS: usize, const TEXTURES: usize> JointUpload<ARRAYS, TEXTURES> {
    /// Creates the data without values; `fill` computes them.
    pub fn boxed(
        arrays: [UniformArray; ARRAYS],
        textures: [StagedTexture; TEXTURES],
        vertices: Option<VertexBufferAny>,
        fill: impl FnMut(&mut Posing<'_>, &mut [UniformArray; ARRAYS], &mut [StagedTexture; TEXTURES]) + 'static,
    ) -> Box<dyn Upload> {
        Box::new(Self { arrays, textures, vertices, fill: Box::new(fill) })
    }
}

impl<const ARRAYS: usize, const TEXTURES: usize> Upload for JointUpload<ARRAYS, TEXTURES> {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        (self.fill)(posing, &mut self.arrays, &mut self.textures);
    }

    fn upload(&mut self) -> Result<u64, Error> {
        let arrays: u64 = self.arrays.iter().map(UniformArray::bytes).sum();
        let textures = self.textures.iter_mut().map(|texture| texture.texture.write(&texture.texels));
        Ok(arrays + textures.sum::<u64>())
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        for array in &self.arrays {
            array.visit(output);
        }
        for StagedTexture { names: [name, texels], texture, .. } in &self.textures {
            output(name, nearest(texture.texture()));
            output(texels, UniformValue::Vec2(texture.texels()));
        }
    }

    fn add_sources<'a>(&'a self, sources: &mut Vec<VerticesSource<'a>>) {
        sources.extend(self.vertices.iter().map(VerticesSource::from));
    }

    fn fixed_bytes(&self) -> u64 {
        let vertices = self.vertices.as_ref().map_or(0, |vertices| vertices.get_size() as u64);
        vertices + self.textures.iter().map(|texture| texture.texture.bytes()).sum::<u64>()
    }
}

/// Other data, and a texture that never changes.
pub(super) struct WithTexture {
    other: Box<dyn Upload>,
    /// Uniforms of the texture, and of its width and height.
    names: [&'static str; 2],
    texture: Texture2d,
}

impl WithTexture {
    pub fn boxed(other: Box<dyn Upload>, names: [&'static str; 2], texture: Texture2d) -> Box<dyn Upload> {
        Box::new(Self { other, names, texture })
    }
}

impl Upload for WithTexture {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        self.other.fill(posing);
    }

    fn upload(&mut self) -> Result<u64, Error> {
        self.other.upload()
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.other.visit(output);
        let (width, height) = self.texture.dimensions();
        output(self.names[0], nearest(&self.texture));
        output(self.names[1], UniformValue::Vec2([width as f32, height as f32]));
    }

    fn add_sources<'a>(&'a self, sources: &mut Vec<VerticesSource<'a>>) {
        self.other.add_sources(sources);
    }

    fn fixed_bytes(&self) -> u64 {
        self.other.fixed_bytes() + 16 * u64::from(self.texture.width() * self.texture.height())
    }
}

/// A texture with its texels for the next pose.
pub(super) struct StagedTexture {
    /// Uniforms of the texture, and of its width and height.
    names: [&'static str; 2],
    texture: FlippingTexture,
    texels: Vec<[f32; 4]>,
}

impl StagedTexture {
    /// Creates a texture of the given width and height.
    pub fn new(context: &Rc<Context>, names: [&'static str; 2], size: [usize; 2]) -> Result<Self, Error> {
        let [width, height] = size.map(|size| size as u32);
        let texture = FlippingTexture::new(context, width, height)?;
        Ok(Self { names, texture, texels: Vec::new() })
    }

    /// Replaces the texels. The rest of the texture becomes 0.
    pub fn set(&mut self, texels: impl IntoIterator<Item = [f32; 4]>) {
        self.texels.clear();
        self.texels.extend(texels);
        self.texels.resize((self.texture.width * self.texture.height) as usize, [0.0; 4]);
    }
}
