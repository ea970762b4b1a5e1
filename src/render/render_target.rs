//! Where pictures are drawn: a texture with depth, smoothed by several samples per pixel.
//!
//! Windows are filled from it as well: reading a window back after a swap gives black on some drivers.

use super::{Error, Gpu};
use glium::backend::Facade;
use glium::framebuffer::{DepthRenderBuffer, RenderBuffer, SimpleFrameBuffer};
use glium::texture::{DepthFormat, MipmapsOption, RawImage2d, Texture2d, UncompressedFloatFormat};
use glium::uniforms::MagnifySamplerFilter;
use glium::{BlitTarget, Rect, Surface};
use std::rc::Rc;

/// Samples per pixel that are asked for; drivers without multisampling draw twice the size instead.
const SAMPLES: u32 = 4;

/// A drawing surface of fixed size.
pub struct RenderTarget {
    context: Rc<glium::backend::Context>,
    size: (u32, u32),
    picture: Texture2d,
    drawn: Drawn,
}

/// What is drawn into before it becomes the picture.
enum Drawn {
    /// Several samples per pixel.
    Multisampled { colour: RenderBuffer, depth: DepthRenderBuffer },
    /// One sample per pixel of a surface twice as wide and high.
    Twice { colour: Texture2d, depth: DepthRenderBuffer },
    /// The picture itself: the driver has no room for more.
    Plain { depth: DepthRenderBuffer },
}

impl RenderTarget {
    /// A surface of `width` times `height` pixels, both at least 1.
    pub fn new(gpu: &Gpu, width: u32, height: u32) -> Result<Self, Error> {
        Self::check(gpu, width, height)?;
        let most = gpu.limits().texture_size;
        let drawn = multisampled(gpu, width, height)
            .or_else(
                |_| if width.max(height) > most / 2 { plain(gpu, width, height) } else { twice(gpu, width, height) },
            )
            .or_else(|_| plain(gpu, width, height))?;
        Self::with(gpu, width, height, drawn)
    }

    /// A surface of one sample per pixel, for timing: nothing but the drawing itself costs time.
    pub fn plain(gpu: &Gpu, width: u32, height: u32) -> Result<Self, Error> {
        Self::check(gpu, width, height)?;
        Self::with(gpu, width, height, plain(gpu, width, height)?)
    }

    fn with(gpu: &Gpu, width: u32, height: u32, drawn: Drawn) -> Result<Self, Error> {
        let picture = colour_texture(gpu, width, height)?;
        Ok(Self { context: Rc::clone(gpu.get_context()), size: (width, height), picture, drawn })
    }

    fn check(gpu: &Gpu, width: u32, height: u32) -> Result<(), Error> {
        let most = gpu.limits().texture_size;
        if width == 0 || height == 0 || width > most || height > most {
            let reason = format!("{width}x{height} pixels asked for, the driver has 1x1 to {most}x{most}");
            return Err(Error::Resource { what: "picture", reason });
        }
        Ok(())
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Lets `draw` fill the surface; `pixel` is the width of one picture pixel in drawn pixels.
    pub(super) fn draw(
        &self,
        draw: impl FnOnce(&mut SimpleFrameBuffer<'_>, f32) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (surface, pixel) = match &self.drawn {
            Drawn::Multisampled { colour, depth } => {
                (SimpleFrameBuffer::with_depth_buffer(&self.context, colour, depth), 1.0)
            }
            Drawn::Twice { colour, depth } => (SimpleFrameBuffer::with_depth_buffer(&self.context, colour, depth), 2.0),
            Drawn::Plain { depth } => (SimpleFrameBuffer::with_depth_buffer(&self.context, &self.picture, depth), 1.0),
        };
        let mut surface = surface.map_err(Error::resource("frame"))?;
        draw(&mut surface, pixel)?;
        if !matches!(self.drawn, Drawn::Plain { .. }) {
            let picture = SimpleFrameBuffer::new(&self.context, &self.picture).map_err(Error::resource("frame"))?;
            let filter = if pixel > 1.0 { MagnifySamplerFilter::Linear } else { MagnifySamplerFilter::Nearest };
            surface.fill(&picture, filter);
        }
        Ok(())
    }

    /// The picture as RGBA rows from the top, sRGB; alpha is not multiplied with the colours, as in files.
    pub fn read(&self) -> image::RgbaImage {
        let raw: RawImage2d<'_, u8> = self.picture.read();
        let (width, height) = (raw.width, raw.height);
        let mut image = image::RgbaImage::new(width, height);
        // OpenGL's first row is the bottom one.
        let rows = raw.data.chunks_exact(width as usize * 4).rev();
        for (to, from) in image.chunks_exact_mut(width as usize * 4).zip(rows) {
            to.copy_from_slice(from);
        }
        image.pixels_mut().for_each(divide);
        image
    }

    /// Copies another picture of the same height into this one, from a column on.
    pub(crate) fn paste(&self, other: &Self, left: u32) -> Result<(), Error> {
        let picture = SimpleFrameBuffer::new(&self.context, &self.picture).map_err(Error::resource("frame"))?;
        other.blit_to(&picture, (left, 0))
    }

    /// Copies the picture to a place of `target`: pixels from its lower left corner.
    pub fn blit_to(&self, target: &impl Surface, (left, bottom): (u32, u32)) -> Result<(), Error> {
        let picture = SimpleFrameBuffer::new(&self.context, &self.picture).map_err(Error::resource("frame"))?;
        let (width, height) = self.size;
        let source = Rect { left: 0, bottom: 0, width, height };
        let place = BlitTarget { left, bottom, width: width as i32, height: height as i32 };
        target.blit_from_simple_framebuffer(&picture, &source, &place, MagnifySamplerFilter::Nearest);
        Ok(())
    }
}

/// Takes alpha out of the colours, which drawing has multiplied with it.
fn divide(image::Rgba([r, g, b, a]): &mut image::Rgba<u8>) {
    if !matches!(*a, 0 | 255) {
        for colour in [r, g, b] {
            *colour = ((u32::from(*colour) * 255 + u32::from(*a) / 2) / u32::from(*a)).min(255) as u8;
        }
    }
}

fn colour_texture(gpu: &Gpu, width: u32, height: u32) -> Result<Texture2d, Error> {
    Texture2d::empty_with_format(gpu, UncompressedFloatFormat::U8U8U8U8, MipmapsOption::NoMipmap, width, height)
        .map_err(Error::resource("picture"))
}

fn multisampled(gpu: &Gpu, width: u32, height: u32) -> Result<Drawn, Error> {
    let samples = SAMPLES.min(gpu.limits().samples);
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
