//! Render target: a texture with depth, antialiased by several samples per pixel.
//!
//! Windows are filled from it too, because reading a window after a swap gives black with some drivers.

use super::copy::CopyProgram;
use super::{Error, Gpu};
use glium::framebuffer::{DepthRenderBuffer, RenderBuffer, SimpleFrameBuffer};
use glium::texture::UncompressedFloatFormat::U8U8U8U8;
use glium::texture::{DepthFormat, MipmapsOption, Texture2d, Texture2dDataSink, Texture2dMultisample};
use glium::uniforms::MagnifySamplerFilter;
use glium::{BlitTarget, Rect, Surface};
use std::borrow::Cow;
use std::cell::OnceCell;

/// Target with a fixed size.
pub struct RenderTarget {
    gpu: Gpu,
    size: (u32, u32),
    samples: u32,
    image: Texture2d,
    drawn: Drawn,
    /// Program that copies the image to other surfaces.
    copy: OnceCell<Option<CopyProgram>>,
}

/// Surface that is drawn to and then resolved into the texture.
enum Drawn {
    /// Several samples per pixel, resolved by the driver.
    Multisampled { colour: RenderBuffer, depth: DepthRenderBuffer },
    /// Several samples per pixel, resolved by a program.
    Sampled { colour: Texture2dMultisample, depth: DepthRenderBuffer, resolve: Box<CopyProgram> },
    /// One sample per pixel on a surface twice as wide and high.
    Twice { colour: Texture2d, depth: DepthRenderBuffer },
    /// The texture itself, if the driver has no memory for more.
    Plain { depth: DepthRenderBuffer },
}

impl RenderTarget {
    /// Creates a target of `width` times `height` pixels, both at least 1, with four samples per pixel.
    ///
    /// # Errors
    ///
    /// [`Error`] for other sizes, or of OpenGL.
    pub fn new(gpu: &Gpu, width: u32, height: u32) -> Result<Self, Error> {
        Self::with_samples(gpu, width, height, gpu.samples(false))
    }

    /// Creates a target like [`new`](Self::new), with `samples` per pixel, or as many as the driver supports. Drivers
    /// without multisampling draw at twice the size instead.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_samples(gpu: &Gpu, width: u32, height: u32, samples: u32) -> Result<Self, Error> {
        let most = gpu.limits().texture_size;
        if width == 0 || height == 0 || width > most || height > most {
            let reason = format!("{width}x{height} pixels are requested, the driver supports 1x1 to {most}x{most}");
            return Err(Error::Resource { what: "image", reason });
        }
        let drawn = match samples {
            0 | 1 => plain(gpu, width, height),
            _ => multisampled(gpu, width, height, samples)
                .or_else(|error| if width.max(height) > most / 2 { Err(error) } else { twice(gpu, width, height) })
                .or_else(|_| plain(gpu, width, height)),
        };
        let image = colour_texture(gpu, width, height)?;
        Ok(Self { gpu: gpu.clone(), size: (width, height), samples, image, drawn: drawn?, copy: OnceCell::new() })
    }

    /// Returns width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Returns the number of samples per pixel that was requested.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// Calls `draw` with the surface and the width of a final pixel in pixels of this surface.
    pub(super) fn draw(
        &self,
        draw: impl FnOnce(&mut SimpleFrameBuffer<'_>, f32) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (surface, pixel) = match &self.drawn {
            Drawn::Multisampled { colour, depth } => {
                (SimpleFrameBuffer::with_depth_buffer(&self.gpu, colour, depth), 1.0)
            }
            Drawn::Sampled { colour, depth, .. } => {
                (SimpleFrameBuffer::with_depth_buffer(&self.gpu, colour, depth), 1.0)
            }
            Drawn::Twice { colour, depth } => (SimpleFrameBuffer::with_depth_buffer(&self.gpu, colour, depth), 2.0),
            Drawn::Plain { depth } => (SimpleFrameBuffer::with_depth_buffer(&self.gpu, &self.image, depth), 1.0),
        };
        let mut surface = surface.map_err(Error::resource("frame"))?;
        draw(&mut surface, pixel)?;
        match &self.drawn {
            Drawn::Multisampled { .. } => surface.fill(&self.frame()?, MagnifySamplerFilter::Nearest),
            Drawn::Sampled { colour, resolve, .. } => resolve.copy(colour, self.size, &mut self.frame()?, (0, 0))?,
            Drawn::Twice { .. } => surface.fill(&self.frame()?, MagnifySamplerFilter::Linear),
            Drawn::Plain { .. } => {}
        }
        Ok(())
    }

    /// Returns the image as a surface.
    fn frame(&self) -> Result<SimpleFrameBuffer<'_>, Error> {
        SimpleFrameBuffer::new(&self.gpu, &self.image).map_err(Error::resource("frame"))
    }

    /// Reads the image: sRGB, top row first, alpha not premultiplied.
    pub fn read(&self) -> image::RgbaImage {
        let TopDown(image) = self.image.read();
        image
    }

    /// Copies the image to a page's canvas of the same size.
    #[cfg(target_family = "wasm")]
    pub fn present(&self) -> Result<(), Error> {
        use glium::backend::Facade as _;
        let mut canvas = glium::Frame::new(self.gpu.get_context().clone(), self.size);
        self.blit_to(&mut canvas, (0, 0))?;
        canvas.finish().map_err(Error::resource("canvas"))
    }

    /// Copies another target of the same height into this one at column `left`.
    pub fn paste(&self, other: &Self, left: u32) -> Result<(), Error> {
        other.blit_to(&mut self.frame()?, (left, 0))
    }

    /// Copies the image into `target` at a position in pixels from its lower left corner.
    pub fn blit_to(&self, target: &mut impl Surface, position: (u32, u32)) -> Result<(), Error> {
        match self.copy.get_or_init(|| CopyProgram::new(&self.gpu, 1)) {
            Some(program) => program.copy(&self.image, self.size, target, position),
            None => self.blit_by_driver(target, position),
        }
    }

    fn blit_by_driver(&self, target: &mut impl Surface, (left, bottom): (u32, u32)) -> Result<(), Error> {
        let (width, height) = self.size;
        let source = Rect { left: 0, bottom: 0, width, height };
        let area = BlitTarget { left, bottom, width: width as i32, height: height as i32 };
        target.blit_from_simple_framebuffer(&self.frame()?, &source, &area, MagnifySamplerFilter::Nearest);
        Ok(())
    }
}

/// Image with its top row first, alpha not premultiplied.
struct TopDown(image::RgbaImage);

impl Texture2dDataSink<(u8, u8, u8, u8)> for TopDown {
    /// Turns the rows over, because OpenGL's first row is the bottom row.
    fn from_raw(data: Cow<'_, [(u8, u8, u8, u8)]>, width: u32, height: u32) -> Self {
        let mut image = image::RgbaImage::new(width, height);
        let rows = data.chunks_exact(width as usize).rev();
        for (to, from) in image.chunks_exact_mut(4 * width as usize).zip(rows) {
            for (to, &(r, g, b, a)) in to.chunks_exact_mut(4).zip(from) {
                to.copy_from_slice(&divided([r, g, b, a]));
            }
        }
        Self(image)
    }
}

/// Divides premultiplied colours by alpha.
fn divided([r, g, b, a]: [u8; 4]) -> [u8; 4] {
    let divide = |colour: u8| match a {
        0 | 255 => colour,
        _ => ((u32::from(colour) * 255 + u32::from(a) / 2) / u32::from(a)).min(255) as u8,
    };
    [divide(r), divide(g), divide(b), a]
}

fn colour_texture(gpu: &Gpu, width: u32, height: u32) -> Result<Texture2d, Error> {
    Texture2d::empty_with_format(gpu, U8U8U8U8, MipmapsOption::NoMipmap, width, height)
        .map_err(Error::resource("image"))
}

fn multisampled(gpu: &Gpu, width: u32, height: u32, samples: u32) -> Result<Drawn, Error> {
    let samples = samples.min(gpu.limits().samples);
    if samples < 2 {
        return Err(Error::Resource { what: "frame", reason: "the driver has no multisampling".into() });
    }
    let depth = DepthRenderBuffer::new_multisample(gpu, DepthFormat::I24, width, height, samples)
        .map_err(Error::resource("frame"))?;
    if let Some(resolve) = CopyProgram::new(gpu, samples).map(Box::new)
        && let Ok(colour) =
            Texture2dMultisample::empty_with_format(gpu, U8U8U8U8, MipmapsOption::NoMipmap, width, height, samples)
    {
        return Ok(Drawn::Sampled { colour, depth, resolve });
    }
    let colour =
        RenderBuffer::new_multisample(gpu, U8U8U8U8, width, height, samples).map_err(Error::resource("frame"))?;
    Ok(Drawn::Multisampled { colour, depth })
}

fn twice(gpu: &Gpu, width: u32, height: u32) -> Result<Drawn, Error> {
    let colour = colour_texture(gpu, 2 * width, 2 * height)?;
    let depth =
        DepthRenderBuffer::new(gpu, DepthFormat::I24, 2 * width, 2 * height).map_err(Error::resource("frame"))?;
    Ok(Drawn::Twice { colour, depth })
}

fn plain(gpu: &Gpu, width: u32, height: u32) -> Result<Drawn, Error> {
    let depth = DepthRenderBuffer::new(gpu, DepthFormat::I24, width, height).map_err(Error::resource("frame"))?;
    Ok(Drawn::Plain { depth })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::gpu_of_tests;
    use crate::dialect::Dialect;
    use crate::overlay::{Flat, Shapes};
    use crate::programs::{Recipe, ShaderFiles};
    use glam::Vec2;
    use glium::DrawParameters;
    use glium::index::{NoIndices, PrimitiveType::TrianglesList};
    use glium::texture::RawImage2d;
    use glium::uniforms::EmptyUniforms;
    use glium::vertex::{Vertex as _, VertexBuffer};

    fn texels(texture: &Texture2d) -> Vec<u8> {
        let raw: RawImage2d<'_, u8> = texture.read();
        raw.data.into_owned()
    }

    #[test]
    fn programs_copy_texels_as_the_driver_does() {
        let Some(gpu) = gpu_of_tests() else { return };
        let recipe = Recipe { vertex: &["overlay.vert"], fragment: &["overlay.frag"], defines: &[], feedback: &[] };
        let overlay = recipe.build(&gpu, &ShaderFiles::default(), &[Flat::build_bindings()]).unwrap();
        let mut shapes = Shapes::default();
        shapes.backdrop([0.9, 0.1, 0.3, 0.8], [0.2, 0.4, 1.0, 1.0]);
        shapes.triangle([Vec2::new(-0.9, -0.7), Vec2::new(0.83, -0.31), Vec2::new(0.1, 0.77)], [0.1, 0.9, 0.2, 0.6]);
        let corners = VertexBuffer::new(&gpu, &shapes.corners).unwrap();
        let target = RenderTarget::new(&gpu, 67, 43).unwrap();
        let draw = |surface: &mut SimpleFrameBuffer<'_>, _| {
            let parameters = DrawParameters::default();
            surface.draw(&corners, NoIndices(TrianglesList), &overlay, &EmptyUniforms, &parameters).unwrap();
            Ok(())
        };
        target.draw(draw).unwrap();
        assert_eq!(matches!(target.drawn, Drawn::Sampled { .. }), gpu.is_software() && gpu.dialect() != Dialect::Es);

        let by_driver = RenderTarget::new(&gpu, 80, 50).unwrap();
        if let Drawn::Sampled { colour, depth, .. } = &target.drawn {
            let several = SimpleFrameBuffer::with_depth_buffer(&gpu, colour, depth).unwrap();
            let resolved = colour_texture(&gpu, 67, 43).unwrap();
            several.fill(&SimpleFrameBuffer::new(&gpu, &resolved).unwrap(), MagnifySamplerFilter::Nearest);
            assert!(texels(&target.image) == texels(&resolved), "resolved otherwise");
        }
        let by_program = RenderTarget::new(&gpu, 80, 50).unwrap();
        for copy in [&by_driver, &by_program] {
            copy.frame().unwrap().clear_color(0.0, 0.0, 1.0, 1.0);
        }
        target.blit_to(&mut by_program.frame().unwrap(), (13, 7)).unwrap();
        target.blit_by_driver(&mut by_driver.frame().unwrap(), (13, 7)).unwrap();
        assert!(texels(&by_program.image) == texels(&by_driver.image), "copied otherwise");
    }
}
