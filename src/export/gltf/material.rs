//! Materials and their images.

use super::buffer::{Buffer, Target};
use super::layers::{Layers, image, mixes};
use super::{ImagePlacement, Options};
use crate::unique::Unique;
use crate::{Error, Loss, NamedFile, file_name};
use bindpose_core::model::surface::{Coverage, Inputs, Lighting, Sides, Stage, Wrap};
use bindpose_core::model::{Material, MaterialId, Model, NamedImage};
use bindpose_core::uri;
use glam::{Vec3, Vec4};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// An image file in PNG or JPEG, the formats that glTF allows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ImageFile {
    /// Name without folder and extension.
    pub name: String,
    bytes: Vec<u8>,
    is_png: bool,
    /// Use of the alpha channel.
    pub alpha: NamedImage,
    /// True for pixel art. Its texels are not smoothed.
    pub is_pixel_art: bool,
}

/// An image that is neither PNG nor JPEG.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("glTF holds PNG and JPEG images, and '{0}' is neither")]
pub struct ImageFileError(String);

impl ImageFile {
    /// Wraps a PNG or JPEG file.
    ///
    /// # Errors
    ///
    /// [`ImageFileError`]: the bytes begin like another format, which has to be converted first.
    pub fn new(name: impl Into<String>, bytes: Vec<u8>, alpha: NamedImage) -> Result<Self, ImageFileError> {
        let name = name.into();
        let is_png = bytes.starts_with(b"\x89PNG\r\n\x1a\n");
        if !is_png && !bytes.starts_with(b"\xff\xd8\xff") {
            return Err(ImageFileError(name));
        }
        Ok(Self { name, bytes, is_png, alpha, is_pixel_art: false })
    }
}

/// Images of a material, one for each layer. An image that several materials use is written once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MaterialImages {
    /// Colour and, if the surface uses it, alpha.
    pub base: Option<Arc<ImageFile>>,
    /// Normals. Green points up the image.
    pub normal: Option<Arc<ImageFile>>,
    /// Specular colour.
    pub specular: Option<Arc<ImageFile>>,
    /// Emitted light.
    pub glow: Option<Arc<ImageFile>>,
}

/// The material part of a file.
#[derive(Debug, Default)]
pub(super) struct Materials {
    pub(super) materials: Vec<Value>,
    pub(super) textures: Vec<Value>,
    pub(super) samplers: Vec<Value>,
    pub(super) images: Vec<Value>,
    pub(super) beside: Vec<NamedFile>,
    /// Names of the extensions that the materials use.
    pub(super) extensions: Vec<&'static str>,
}

/// Name of the extension for specular colours.
const SPECULAR: &str = "KHR_materials_specular";

/// Writes the materials in `used`, in that order.
pub(super) fn write(
    model: &Model,
    used: &[MaterialId],
    options: &Options,
    buffer: &mut Buffer<'_>,
    losses: &mut Vec<Loss>,
) -> Result<Materials, Error> {
    let names = match options.placement {
        ImagePlacement::Beside => Unique::of_files(),
        ImagePlacement::Embedded | ImagePlacement::Without => Unique::default(),
    };
    let (out, known) = (Materials::default(), Known::default());
    let mut writer = Writer { options, buffer, out, known, names };
    let mut missed = Missed::default();
    for material in used.iter().filter_map(|material| Some((material, model.materials.get(material.index())?))) {
        let (id, material) = material;
        let images = options.images.get(id.index());
        let images = images.filter(|_| options.placement != ImagePlacement::Without && !options.luanti);
        writer.buffer.spend(MATERIAL_MEMORY, "the materials of the glTF file")?;
        let json = writer.material(material, images, &mut missed)?;
        writer.out.materials.push(json);
    }
    losses.extend(missed.losses());
    Ok(writer.out)
}

/// Memory for a material, its textures, and their JSON.
const MATERIAL_MEMORY: u128 = 4096;

/// Counts of materials with content that was not written.
#[derive(Default)]
struct Missed {
    /// First material that was made opaque, its alpha, and the number of such materials.
    opaque: Option<(String, f32, usize)>,
    highlights: usize,
    stages: usize,
    moving: usize,
    transformed: usize,
    blends: usize,
    backs: usize,
}

impl Missed {
    fn losses(self) -> Vec<Loss> {
        let of = |count: usize, what: &str, behind: &str| {
            let materials = if count == 1 { "material" } else { "materials" };
            let what = format!("{what} of {count} {materials}{behind}");
            (count > 0).then_some(Loss::NotCarried { what })
        };
        let opaque = self.opaque.map(|(material, alpha, materials)| Loss::MadeOpaque { material, alpha, materials });
        let others = [
            of(self.highlights, "the specular highlights", ", except as an extension (--specular)"),
            of(self.stages, "the stages beside colour, normals, highlight and glow", ""),
            of(self.moving, "the changing colours", "; they stay as they are at the start"),
            of(self.transformed, "the moved or scaled texture coordinates", ""),
            of(self.blends, "the blending", "; alpha replaces it"),
            of(self.backs, "the back side alone", "; both sides are shown"),
        ];
        opaque.into_iter().chain(others.into_iter().flatten()).collect()
    }
}

struct Writer<'a, 'b> {
    options: &'a Options,
    buffer: &'a mut Buffer<'b>,
    out: Materials,
    known: Known<'a>,
    names: Unique,
}

/// Indices of parts already written.
#[derive(Default)]
struct Known<'a> {
    images: HashMap<&'a ImageFile, usize>,
    samplers: HashMap<Sampler, usize>,
    textures: HashMap<(usize, Sampler), usize>,
}

/// Sampling mode of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Sampler {
    clamps: bool,
    is_nearest: bool,
}

impl<'a> Writer<'a, '_> {
    fn material(
        &mut self,
        material: &Material,
        images: Option<&'a MaterialImages>,
        missed: &mut Missed,
    ) -> Result<Value, Error> {
        let layers = material.surface.as_ref().map(Layers::of).unwrap_or_default();
        let options = self.options;
        let mut layer = |image: fn(&MaterialImages) -> &Option<Arc<ImageFile>>, stage: Option<&Stage>| {
            let Some(image) = images.and_then(|images| image(images).as_ref()) else { return Ok(None) };
            Ok::<_, Error>(Some(json!({"index": self.texture(image, stage)?})))
        };
        let mut base = layer(|images| &images.base, layers.base)?;
        let normal = layer(|images| &images.normal, layers.normal)?;
        let glow = layer(|images| &images.glow, layers.glow)?;
        let highlights = if options.specular { layer(|images| &images.specular, layers.specular)? } else { None };
        if base.is_none() && options.luanti {
            // Luanti numbers its texture slots by the textures of a file, one per mesh.
            self.out.textures.push(json!({"name": material.name}));
            base = Some(json!({"index": self.out.textures.len() - 1}));
        }
        let mut colour = base_colour(material, base.is_some(), layers);
        let base_image = images.and_then(|images| images.base.as_deref());
        if layers.surface.is_none() && !options.keep_alpha {
            let shown = material.shown_alpha(base_image.map_or(NamedImage::Missing, |image| image.alpha));
            if shown != colour.w {
                let first = missed.opaque.get_or_insert_with(|| (material.name.clone(), material.diffuse.w, 0));
                first.2 += 1;
                colour.w = shown;
            }
        }
        let mut json = json!({"name": material.name, "pbrMetallicRoughness": {
            "baseColorFactor": colour.to_array().map(f64::from), "metallicFactor": 0.0, "roughnessFactor": 1.0
        }});
        if let Some(base) = base {
            json["pbrMetallicRoughness"]["baseColorTexture"] = base;
        }
        set_alpha(layers, base_image, colour.w, &mut json);
        let sides = layers.surface.map_or(Sides::Front, |surface| surface.sides);
        if sides != Sides::Front {
            json["doubleSided"] = true.into();
        }
        if let Some(normal) = normal {
            json["normalTexture"] = normal;
        }
        set_glow(material, layers, glow, &mut json);
        let shining = layers.specular.filter(|stage| highlights.is_some() || image(Some(stage)).is_none());
        // A specular image that no stage uses has the factor 1.
        let colour = shining.map(|stage| layers.colour_of(stage).truncate());
        let colour = colour.or(highlights.as_ref().map(|_| Vec3::ONE));
        if options.specular && (shines(material) || colour.is_some()) {
            highlight(material, colour, highlights, &mut json);
            self.out.extensions = vec![SPECULAR];
        }
        missed.highlights += usize::from(!options.specular && (shines(material) || layers.specular.is_some()));
        missed.stages += usize::from(layers.others > 0);
        missed.moving += usize::from(layers.change());
        missed.transformed += usize::from(layers.are_transformed());
        missed.blends += usize::from(layers.blend_is_other());
        missed.backs += usize::from(sides == Sides::Back);
        Ok(json)
    }

    /// Returns the index of a texture. Each image and sampler is written once.
    fn texture(&mut self, image: &'a ImageFile, stage: Option<&Stage>) -> Result<usize, Error> {
        // Bump maps stay smooth.
        let is_pixel_art = image.is_pixel_art && stage.is_none_or(|stage| stage.lighting != Lighting::Bump);
        let image = match self.known.images.get(image) {
            Some(&index) => index,
            None => {
                let index = self.add_image(image)?;
                self.known.images.insert(image, index);
                index
            }
        };
        let sampler = Sampler {
            clamps: stage.and_then(|stage| stage.wrap).is_some_and(|wrap| wrap != Wrap::Repeat),
            is_nearest: stage.and_then(|stage| stage.nearest).unwrap_or(is_pixel_art),
        };
        let Materials { samplers, textures, .. } = &mut self.out;
        let number = *self.known.samplers.entry(sampler).or_insert_with(|| {
            let (magnify, minify) = if sampler.is_nearest { (9728, 9984) } else { (9729, 9987) };
            let wrap = if sampler.clamps { 33071 } else { 10497 };
            samplers.push(json!({"magFilter": magnify, "minFilter": minify, "wrapS": wrap, "wrapT": wrap}));
            samplers.len() - 1
        });
        Ok(*self.known.textures.entry((image, sampler)).or_insert_with(|| {
            textures.push(json!({"sampler": number, "source": image}));
            textures.len() - 1
        }))
    }

    /// Adds an image and returns its index.
    fn add_image(&mut self, image: &ImageFile) -> Result<usize, Error> {
        let (mime, extension) = if image.is_png { ("image/png", "png") } else { ("image/jpeg", "jpg") };
        let json = match self.options.placement {
            ImagePlacement::Beside => {
                let name = self.names.add(&file_name(&image.name));
                let file = format!("{name}.{extension}");
                let uri = uri::encoded(file.as_bytes());
                self.out.beside.push(NamedFile { name: file, bytes: image.bytes.clone() });
                json!({"name": image.name, "uri": uri})
            }
            ImagePlacement::Embedded | ImagePlacement::Without => {
                let view = self.buffer.add_view(&image.bytes, Target::None)?;
                json!({"name": self.names.add(&image.name), "bufferView": view, "mimeType": mime})
            }
        };
        self.out.images.push(json);
        Ok(self.out.images.len() - 1)
    }
}

/// Sets the emission of a material. A stage without its image would make the whole surface glow, so it is ignored.
fn set_glow(material: &Material, layers: Layers<'_>, glow: Option<Value>, json: &mut Value) {
    let glowing = layers.glow.filter(|stage| glow.is_some() || image(Some(stage)).is_none());
    let emissive = glowing.map_or(material.emissive, |stage| layers.colour_of(stage).truncate());
    let emissive = emissive.clamp(Vec3::ZERO, Vec3::ONE);
    if emissive != Vec3::ZERO {
        json["emissiveFactor"] = emissive.to_array().map(f64::from).to_vec().into();
        if let Some(glow) = glow {
            json["emissiveTexture"] = glow;
        }
    }
}

/// True if a material has specular highlights.
fn shines(material: &Material) -> bool {
    material.specular_power > 0.0 && material.specular.max_element() > 0.0
}

/// Phong exponent of id Tech 4's highlights. They have half their intensity where the cosine between normal and half
/// vector is (3 + sqrt(1/2)) / 4, as Phong highlights with exponent 9.
const DOOM3_POWER: f32 = 9.0;

/// Converts a Phong highlight to glTF: its colour, and the roughness of the same width. `of_stage` is the colour of a
/// specular stage.
fn highlight(material: &Material, of_stage: Option<Vec3>, texture: Option<Value>, json: &mut Value) {
    let (colour, power) = match of_stage {
        Some(colour) if !shines(material) => (colour, DOOM3_POWER),
        _ => (material.specular, material.specular_power),
    };
    let mut specular = json!({"specularColorFactor": colour.max(Vec3::ZERO).to_array().map(f64::from)});
    if let Some(texture) = texture {
        specular["specularColorTexture"] = texture;
    }
    json["extensions"] = json!({SPECULAR: specular});
    let roughness = (2.0 / (f64::from(power) + 2.0)).sqrt();
    json["pbrMetallicRoughness"]["roughnessFactor"] = roughness.into();
}

/// Returns the factor of the base image, or the colour if there is no image.
fn base_colour(material: &Material, has_image: bool, layers: Layers<'_>) -> Vec4 {
    let colour = match layers.base {
        Some(stage) => material.diffuse * layers.colour_of(stage),
        None if has_image && material.leaves_images() => Vec4::ONE,
        None => material.diffuse,
    };
    colour.clamp(Vec4::ZERO, Vec4::ONE)
}

fn mask(cutoff: f64, json: &mut Value) {
    json["alphaMode"] = "MASK".into();
    json["alphaCutoff"] = cutoff.into();
}

/// Sets the alpha mode of a material whose colour has this alpha.
fn set_alpha(layers: Layers<'_>, image: Option<&ImageFile>, alpha: f32, json: &mut Value) {
    let Some(surface) = layers.surface else {
        match image {
            Some(ImageFile { alpha: NamedImage::CutOut, .. }) => mask(0.5, json),
            _ if alpha < 1.0 => json["alphaMode"] = "BLEND".into(),
            _ => {}
        }
        return;
    };
    let cutoff = layers.base.and_then(|stage| surface.alpha_threshold(stage, &Inputs::default()));
    // An image without a decl is drawn as if it had alpha.
    let is_unlit = layers.base.is_some_and(|stage| stage.lighting == Lighting::Ambient && mixes(stage));
    let is_opaque = alpha >= 1.0 && image.is_some_and(|image| image.alpha == NamedImage::Solid);
    match (surface.coverage, cutoff) {
        (Coverage::Translucent, _) if is_unlit && is_opaque => {}
        (Coverage::Translucent, _) => json["alphaMode"] = "BLEND".into(),
        (Coverage::Perforated, cutoff) => mask(cutoff.unwrap_or(0.5).max(0.0), json),
        (Coverage::Opaque, Some(cutoff)) => mask(cutoff.max(0.0), json),
        (Coverage::Opaque, None) => {}
    }
}
