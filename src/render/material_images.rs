//! Materials with their images on the GPU.

use super::{Error, Gpu};
use bindpose_core::image_search::{ImageRole, Shader, SurfaceNames};
use bindpose_core::left_out::LeftOut;
use bindpose_core::model::surface::{
    Blend, BlendFactor, Coverage, Expression, ImageProgram, Lighting, Map, Stage, Surface,
};
use bindpose_core::model::{Material, Model, NamedImage};
use bindpose_images::{self as images, ImageSource, Located, Texture, TextureFinder};
use bindpose_parsers::Span;
use glam::Vec4;
use glium::backend::Facade;
use glium::texture::{ClientFormat, MipmapsOption, RawImage2d, Texture2d};
use glium::{Api, Rect, Version};
use image::{DynamicImage, GenericImageView, RgbaImage};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

/// Note on an image of a material.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AboutImage {
    /// File, size and reason of the choice, or the reason why there is no image.
    pub line: String,
    /// The image's file, unless it is embedded or made of several.
    pub file: Option<PathBuf>,
    /// True if the image is named and was not found; the line lists the first names tried.
    pub is_missing: bool,
    /// All paths and names tried for a missing image.
    pub tried: Vec<String>,
}

impl AboutImage {
    fn new(line: impl Into<String>) -> Self {
        Self { line: line.into(), file: None, is_missing: false, tried: Vec::new() }
    }
}

/// An image of a material on the GPU. It is only equal to itself.
#[derive(Clone)]
pub struct GpuImage(Rc<Texture2d>);

impl PartialEq for GpuImage {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl GpuImage {
    /// Reads its texels, the top row first.
    pub fn read(&self) -> RgbaImage {
        let raw: RawImage2d<'_, u8> = self.0.read();
        RgbaImage::from_raw(raw.width, raw.height, raw.data.into_owned()).unwrap_or_default()
    }
}

pub(super) struct GpuMaterial {
    /// Surface without the stages that cannot be drawn.
    pub surface: Surface,
    /// Image of each stage; `None` for plain white or a flat bump map.
    pub images: Vec<Option<Rc<Texture2d>>>,
    /// Linear RGBA factor of diffuse stages.
    pub factor: Vec4,
    /// True if a lit surface uses the alpha of its images for blending.
    pub has_image_alpha: bool,
}

impl GpuMaterial {
    /// True if objects behind the surface are visible through it.
    pub fn is_translucent(&self) -> bool {
        self.surface.coverage == Coverage::Translucent
    }

    /// Returns the image with most effect on the surface's colour: of the first diffuse stage, otherwise of the first
    /// stage with an image.
    pub fn main_image(&self) -> Option<GpuImage> {
        let is_diffuse = |stage: &Stage| stage.lighting == Lighting::Diffuse;
        let with_image =
            || self.surface.stages.iter().zip(&self.images).filter_map(|(stage, image)| Some((stage, image.as_ref()?)));
        let (_, texture) = with_image().find(|(stage, _)| is_diffuse(stage)).or_else(|| with_image().next())?;
        Some(GpuImage(Rc::clone(texture)))
    }

    /// True if the material has a bump map.
    pub fn has_bump_map(&self) -> bool {
        let mut images = self.surface.stages.iter().zip(&self.images);
        images.any(|(stage, image)| stage.lighting == Lighting::Bump && image.is_some())
    }
}

/// Materials of a model, notes on their images, and the images that are missing or broken.
pub(super) struct UploadedMaterials {
    pub materials: Vec<GpuMaterial>,
    /// Notes on images by material.
    pub about_images: Vec<Vec<AboutImage>>,
    pub left_out: Vec<LeftOut>,
}

/// Uploads all materials of a model. Each image is uploaded once.
pub(super) fn upload_materials(
    gpu: &Gpu,
    model: &Model,
    textures: &TextureFinder<'_>,
) -> Result<UploadedMaterials, Error> {
    let mut images = ImageUploads { gpu, textures, known: HashMap::new(), left_out: Vec::new() };
    let (mut materials, mut about_images) = (Vec::new(), Vec::new());
    for (number, (material, known_as)) in model.materials.iter().zip(model.names_of_surfaces()).enumerate() {
        let named = SurfaceNames::of(material, &known_as, number);
        let (material, about) = images.material(number, material, &named)?;
        materials.push(material);
        about_images.push(about);
    }
    Ok(UploadedMaterials { materials, about_images, left_out: images.left_out })
}

/// Images of a model on the GPU.
struct ImageUploads<'a> {
    gpu: &'a Gpu,
    textures: &'a TextureFinder<'a>,
    /// Uploaded images with a description, or the reason why there is none.
    known: HashMap<ImageSource, (Option<Image>, String)>,
    left_out: Vec<LeftOut>,
}

#[derive(Clone)]
struct Image {
    texture: Rc<Texture2d>,
    alpha: NamedImage,
}

/// Image of a stage that is drawn: `None` for plain white or a flat bump map.
type StageImage = Option<Rc<Texture2d>>;

impl ImageUploads<'_> {
    fn material(
        &mut self,
        number: usize,
        material: &Material,
        named: &SurfaceNames<'_>,
    ) -> Result<(GpuMaterial, Vec<AboutImage>), Error> {
        let name = named.name;
        let called = name.map_or_else(|| "the image".to_owned(), |name| format!("'{name}'"));
        let (main, about) = self.image(self.textures.locate_for(named), &called, name)?;
        let mut notes = if main.is_some() || name.is_some() { vec![about] } else { Vec::new() };
        let shader = if material.surface.is_none() { self.textures.shader(named) } else { None };
        let mut surface = surface_of(number, material, main.as_ref(), shader);
        notes.extend(surface.left_out.iter().map(|word| AboutImage::new(format!("'{word}' is ignored"))));
        let (mut stages, mut images) = (Vec::new(), Vec::new());
        for stage in 0..surface.stages.len() {
            if let Some(image) = self.stage(number, material, &mut surface, stage, main.as_ref(), &mut notes)? {
                stages.push(surface.stages[stage].clone());
                images.push(image);
            }
        }
        if stages.is_empty() && surface.is_drawn {
            surface = material.plain_surface(number, NamedImage::Missing);
            images = vec![None; surface.stages.len()];
        } else {
            surface.stages = stages;
        }
        self.add_layers(material, named, &mut surface, &mut images, &mut notes)?;
        if notes.is_empty() {
            notes.push(AboutImage::new("the file names no image"));
        }
        let has_image_alpha = material.surface.is_some();
        // A surface from a file has the colour in its stages.
        let factor = if has_image_alpha { material.diffuse } else { Vec4::ONE };
        Ok((GpuMaterial { surface, images, factor, has_image_alpha }, notes))
    }

    /// Returns the image of a stage; `None` if the stage is not drawn. A diffuse stage without its image falls back to
    /// the material's colour.
    fn stage(
        &mut self,
        number: usize,
        material: &Material,
        surface: &mut Surface,
        stage: usize,
        main: Option<&Image>,
        notes: &mut Vec<AboutImage>,
    ) -> Result<Option<StageImage>, Error> {
        let present = &surface.stages[stage];
        if let Some(word) = Surface::undrawn_word(present) {
            notes.push(AboutImage::new(format!("the stage with '{word}' is not drawn")));
            return Ok(None);
        }
        let program = match &present.map {
            Some(Map::Image(program)) => program.to_string(),
            Some(Map::Cube(program, sides)) => {
                let name = program.to_string();
                let located = self.textures.locate_cube(&name, *sides);
                let (image, about) = self.image(located, &format!("the cube map '{name}'"), Some(&name))?;
                notes.push(about);
                return Ok(image.map(|image| Some(image.texture)));
            }
            None => return Ok(None),
        };
        let lighting = present.lighting;
        let is_neutral = program == if lighting == Lighting::Bump { "_flat" } else { "_white" };
        let image = if material.surface.is_none() && lighting == Lighting::Diffuse
            || !is_neutral && Some(program.as_str()) == material.texture.as_deref()
        {
            main.cloned()
        } else if is_neutral {
            None
        } else {
            let located = self.textures.locate(&program);
            let (image, about) = self.image(located, &format!("'{program}'"), Some(&program))?;
            if !notes.contains(&about) {
                notes.push(about);
            }
            if image.is_none() && lighting != Lighting::Diffuse {
                return Ok(None);
            }
            image
        };
        if image.is_none() && !program.starts_with('_') && material.surface.is_some() {
            if lighting != Lighting::Diffuse {
                return Ok(None);
            }
            surface.forget_image(stage, number);
        }
        Ok(Some(image.map(|image| image.texture)))
    }

    /// Adds normal, specular and glow maps found next to the image.
    fn add_layers(
        &mut self,
        material: &Material,
        named: &SurfaceNames<'_>,
        surface: &mut Surface,
        images: &mut Vec<StageImage>,
        notes: &mut Vec<AboutImage>,
    ) -> Result<(), Error> {
        for role in ImageRole::LAYERS {
            let Some(layer) = self.textures.layer(named, role, material.surface.is_some()) else { continue };
            let located = Located::At(ImageSource::from(&layer), Some(layer.rule));
            let (image, about) = self.image(located, &format!("the {} map", role.name()), None)?;
            notes.push(about);
            let Some(Image { texture, .. }) = image else { continue };
            match role {
                ImageRole::Normal => {
                    surface.bump_green_is_up = layer.green_is_up;
                    put(surface, images, Lighting::Bump, &texture);
                }
                ImageRole::Base | ImageRole::Specular => put(surface, images, Lighting::Specular, &texture),
                ImageRole::Glow => {
                    surface.stages.push(glow());
                    images.push(Some(texture));
                }
            }
        }
        Ok(())
    }

    /// Returns an image, uploading it if necessary, and a note on it.
    fn image(
        &mut self,
        located: Located,
        called: &str,
        name: Option<&str>,
    ) -> Result<(Option<Image>, AboutImage), Error> {
        let (source, rule) = match located {
            Located::At(source, rule) => (source, rule),
            Located::Missing { tried } => {
                let name = name.unwrap_or_default();
                let left = images::missing_image(name);
                if !self.left_out.contains(&left) {
                    self.left_out.push(left);
                }
                let line = missing(name, &tried);
                return Ok((None, AboutImage { line, file: None, is_missing: true, tried }));
            }
            Located::NoImage => return Ok((None, AboutImage::new(format!("{called} is no image of the surface")))),
        };
        let file = match &source {
            ImageSource::File(path) | ImageSource::Red(path) => Some(path.clone()),
            ImageSource::Embedded(_) | ImageSource::Made(_) | ImageSource::Cube(..) => None,
        };
        let (image, about) = match self.known.get(&source) {
            Some(known) => known.clone(),
            None => {
                // Adjacent texels of a cube may be far apart in its image.
                let has_mipmaps = !matches!(source, ImageSource::Cube(..));
                let read = self.upload(self.textures.read(&source), has_mipmaps)?;
                self.known.insert(source, read.clone());
                read
            }
        };
        let why = rule.map_or_else(String::new, |rule| format!(" ({rule})"));
        let about = if image.is_some() { format!("{called} is {about}{why}") } else { about };
        Ok((image, AboutImage { file, ..AboutImage::new(about) }))
    }

    /// Uploads an image. Returns its path and size, or the reason why there is none.
    fn upload(&mut self, read: Texture, has_mipmaps: bool) -> Result<(Option<Image>, String), Error> {
        Ok(match read {
            Texture::Found { path, image, reduced_from, .. } => {
                let drawn = image.dimensions();
                let (width, height) = reduced_from.unwrap_or(drawn);
                let reduced = reduced_from.map_or_else(String::new, |_| format!(", drawn as {}x{}", drawn.0, drawn.1));
                let about = format!("{}, {width}x{height}{reduced}", images::shown(&path).display());
                let alpha = images::alpha_of(&image);
                let texture = Rc::new(upload(self.gpu, image, has_mipmaps)?);
                (Some(Image { texture, alpha }), about)
            }
            Texture::Broken { path, error } => {
                self.left_out.push(error.leaves_out(&path));
                (None, format!("texture {}: {error}", images::shown(&path).display()))
            }
            Texture::Missing { tried } => (None, missing("", &tried)),
            Texture::NoImage => (None, "it is no image".to_owned()),
        })
    }
}

/// Creates the surface of a material before its images are known, except for the main one.
fn surface_of(number: usize, material: &Material, main: Option<&Image>, shader: Option<Shader>) -> Surface {
    if let Some(surface) = &material.surface {
        return Surface { emissive: material.emissive, ..surface.clone() };
    }
    let named = match (main, &shader) {
        (None, _) => NamedImage::Missing,
        (Some(_), Some(shader)) if shader.alpha_above.is_some() => NamedImage::CutOut,
        (Some(_), Some(shader)) if !shader.is_blended => NamedImage::Solid,
        (Some(image), _) => image.alpha,
    };
    let mut surface = material.plain_surface(number, named);
    if let Some(shader) = shader {
        surface.sides = shader.sides;
        surface.left_out = shader.unsupported;
        let test = surface.stages.iter_mut().find_map(|stage| stage.alpha_test.as_mut());
        if let (Some(test), Some(above)) = (test, shader.alpha_above) {
            *test = Expression::Number(f64::from(above) / 255.0);
        }
    }
    surface
}

/// Replaces all bump or all specular stages of a surface with an image, or adds such a stage.
fn put(surface: &mut Surface, images: &mut Vec<StageImage>, lighting: Lighting, texture: &Rc<Texture2d>) {
    let own = Stage { lighting, ..Stage::new(Span::default()) };
    let mut is_there = false;
    for (stage, image) in surface.stages.iter_mut().zip(&mut *images) {
        if stage.lighting == lighting {
            is_there = true;
            (*stage, *image) = (own.clone(), Some(Rc::clone(texture)));
        }
    }
    if !is_there {
        // A bump map begins a group that contains all following stages.
        let index = if lighting == Lighting::Bump { 0 } else { surface.stages.len() };
        surface.stages.insert(index, own);
        images.insert(index, Some(Rc::clone(texture)));
    }
}

/// Creates the stage of a glow map, which is added to the light.
fn glow() -> Stage {
    let map = Some(Map::Image(ImageProgram::Image("_white".to_owned())));
    let blend = Blend { source: BlendFactor::One, destination: BlendFactor::One };
    Stage { map, blend, ..Stage::new(Span::default()) }
}

fn upload(gpu: &Gpu, image: RgbaImage, has_mipmaps: bool) -> Result<Texture2d, Error> {
    let most = gpu.limits().texture_size;
    let (width, height) = image.dimensions();
    let image = if width.max(height) > most {
        let (width, height) = (width.min(most), height.min(most));
        image::imageops::resize(&image, width, height, image::imageops::FilterType::Triangle)
    } else {
        image
    };
    let mipmaps = match has_mipmaps {
        // A software driver compiles programs to make them, which takes longer than the smaller images. Before OpenGL
        // 4.2, and in browsers, glium reserves no memory for those.
        true if gpu.is_software() && gpu.get_context().get_opengl_version() >= &Version(Api::Gl, 4, 2) => {
            MipmapsOption::EmptyMipmaps
        }
        true => MipmapsOption::AutoGeneratedMipmaps,
        false => MipmapsOption::NoMipmap,
    };
    // Row 0 is the image's top row at v = 0, as in the files.
    let texture = Texture2d::with_mipmaps(gpu, raw(&image), mipmaps).map_err(Error::resource("texture"))?;
    if mipmaps == MipmapsOption::EmptyMipmaps {
        for (level, image) in (1..).zip(smaller_images(image.into())) {
            let (width, height) = image.dimensions();
            if let Some(mipmap) = texture.mipmap(level) {
                mipmap.write(Rect { left: 0, bottom: 0, width, height }, raw(&image));
            }
        }
    }
    Ok(texture)
}

fn raw(image: &RgbaImage) -> RawImage2d<'_, u8> {
    let (width, height) = image.dimensions();
    RawImage2d { data: Cow::Borrowed(image.as_raw()), width, height, format: ClientFormat::U8U8U8U8 }
}

/// Returns the image at half its size, that one at half its size, and so on to a single texel.
fn smaller_images(image: DynamicImage) -> impl Iterator<Item = RgbaImage> {
    let half = |image: &DynamicImage| {
        let (width, height) = image.dimensions();
        (width.max(height) > 1).then(|| image.thumbnail_exact((width / 2).max(1), (height / 2).max(1)))
    };
    std::iter::successors(half(&image), move |image| half(image)).map(DynamicImage::into_rgba8)
}

fn missing(name: &str, tried: &[String]) -> String {
    let shown: Vec<&str> = tried.iter().take(4).map(String::as_str).collect();
    let more = tried.len().saturating_sub(shown.len());
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("no image for '{name}': tried {}{rest}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    #[test]
    fn smaller_images_have_the_mean_colour() {
        let grey = |value: u8| Rgba([value, value, value, 255]);
        let image = RgbaImage::from_fn(8, 2, |x, y| if (x + y) % 2 == 0 { grey(0) } else { grey(200) });
        let sizes: Vec<_> = smaller_images(image.clone().into()).map(|image| image.dimensions()).collect();
        assert_eq!(sizes, [(4, 1), (2, 1), (1, 1)]);
        assert!(smaller_images(image.into()).all(|image| image.pixels().all(|pixel| *pixel == grey(100))));
        assert_eq!(smaller_images(RgbaImage::new(1, 1).into()).count(), 0);
        let odd = smaller_images(RgbaImage::from_pixel(5, 3, grey(7)).into())
            .map(|image| (image.dimensions(), image[(0, 0)]));
        assert_eq!(odd.collect::<Vec<_>>(), [((2, 1), grey(7)), ((1, 1), grey(7))]);
    }
}
