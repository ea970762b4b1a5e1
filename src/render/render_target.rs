//! Render target: a texture with depth, antialiased by several samples per pixel.
//!
//! Windows are filled from it too, because reading a window after a swap gives black with some drivers.

use super::{Error, Gpu};
use glium::backend::Facade;
use glium::framebuffer::{DepthRenderBuffer, RenderBuffer, SimpleFrameBuffer};
use glium::texture::{DepthFormat, MipmapsOption, Texture2d, Texture2dDataSink, UncompressedFloatFormat};
use glium::uniforms::MagnifySamplerFilter;
use glium::{BlitTarget, Rect, Surface};
use std::borrow::Cow;
use std::rc::Rc;

/// Target with a fixed size.
pub struct RenderTarget {
    context: Rc<glium::backend::Context>,
    size: (u32, u32),
    samples: u32,
    image: Texture2d,
    drawn: Drawn,
}

/// Surface that is drawn to and then resolved into the texture.
enum Drawn {
    /// Several samples per pixel.
    Multisampled { colour: RenderBuffer, depth: DepthRenderBuffer },
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
        Ok(Self { context: Rc::clone(gpu.get_context()), size: (width, height), samples, image, drawn: drawn? })
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
                (SimpleFrameBuffer::with_depth_buffer(&self.context, colour, depth), 1.0)
            }
            Drawn::Twice { colour, depth } => (SimpleFrameBuffer::with_depth_buffer(&self.context, colour, depth), 2.0),
            Drawn::Plain { depth } => (SimpleFrameBuffer::with_depth_buffer(&self.context, &self.image, depth), 1.0),
        };
        let mut surface = surface.map_err(Error::resource("frame"))?;
        draw(&mut surface, pixel)?;
        if !matches!(self.drawn, Drawn::Plain { .. }) {
            let frame = SimpleFrameBuffer::new(&self.context, &self.image).map_err(Error::resource("frame"))?;
            let filter = if pixel > 1.0 { MagnifySamplerFilter::Linear } else { MagnifySamplerFilter::Nearest };
            surface.fill(&frame, filter);
        }
        Ok(())
    }

    /// Reads the image: sRGB, top row first, alpha not premultiplied.
    pub fn read(&self) -> image::RgbaImage {
        let TopDown(image) = self.image.read();
        image
    }

    /// Copies the image to a page's canvas of the same size.
    #[cfg(target_family = "wasm")]
    pub fn present(&self) -> Result<(), Error> {
        let canvas = glium::Frame::new(Rc::clone(&self.context), self.size);
        self.blit_to(&canvas, (0, 0))?;
        canvas.finish().map_err(Error::resource("canvas"))
    }

    /// Copies another target of the same height into this one at column `left`.
    pub fn paste(&self, other: &Self, left: u32) -> Result<(), Error> {
        let frame = SimpleFrameBuffer::new(&self.context, &self.image).map_err(Error::resource("frame"))?;
        other.blit_to(&frame, (left, 0))
    }

    /// Copies the image into `target` at a position in pixels from its lower left corner.
    pub fn blit_to(&self, target: &impl Surface, (left, bottom): (u32, u32)) -> Result<(), Error> {
        let frame = SimpleFrameBuffer::new(&self.context, &self.image).map_err(Error::resource("frame"))?;
        let (width, height) = self.size;
        let source = Rect { left: 0, bottom: 0, width, height };
        let area = BlitTarget { left, bottom, width: width as i32, height: height as i32 };
        target.blit_from_simple_framebuffer(&frame, &source, &area, MagnifySamplerFilter::Nearest);
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
    Texture2d::empty_with_format(gpu, UncompressedFloatFormat::U8U8U8U8, MipmapsOption::NoMipmap, width, height)
        .map_err(Error::resource("image"))
}

fn multisampled(gpu: &Gpu, width: u32, height: u32, samples: u32) -> Result<Drawn, Error> {
    let samples = samples.min(gpu.limits().samples);
    if samples < 2 {
        return Err(Error::Resource { what: "frame", reason: "the driver has no multisampling".into() });
    }
    let format = UncompressedFloatFormat::U8U8U8U8;
    let colour =
        RenderBuffer::new_multisample(gpu, format, width, height, samples).map_err(Error::resource("frame"))?;
    let depth = DepthRenderBuffer::new_multisample(gpu, DepthFormat::I24, width, height, samples)
        .map_err(Error::resource("frame"))?;
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
