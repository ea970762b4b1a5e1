//! Materials and their images.

use super::buffer::{Buffer, Target};
use super::layers::{Layers, image, mixes};
use super::{Images, Options, escaped_uri};
use crate::unique::Unique;
use crate::{Loss, NamedFile, file_name};
use bindpose_core::model::surface::{Coverage, Inputs, Lighting, Sides, Stage, Wrap};
use bindpose_core::model::{Material, MaterialId, Model};
use glam::{Vec3, Vec4};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// An image file, PNG or JPEG: what glTF allows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Picture {
    /// What it is called, without folder and extension.
    pub name: String,
    /// The whole file.
    bytes: Vec<u8>,
    is_png: bool,
    /// What its alpha channel says.
    pub alpha: Alpha,
}

/// What the alpha channel of an image says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Alpha {
    /// Nothing: all texels are opaque.
    #[default]
    Opaque,
    /// Which texels exist.
    CutOut,
    /// Something else.
    Other,
}

/// Why bytes are no [`Picture`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("glTF holds PNG and JPEG images, and '{0}' is neither")]
pub struct PictureError(String);

impl Picture {
    /// Takes a PNG or JPEG file.
    ///
    /// # Errors
    ///
    /// [`PictureError`]: it is something else, which has to be encoded anew first.
    pub fn new(name: impl Into<String>, bytes: Vec<u8>, alpha: Alpha) -> Result<Self, PictureError> {
        let name = name.into();
        let is_png = bytes.starts_with(b"\x89PNG\r\n\x1a\n");
        if !is_png && !bytes.starts_with(b"\xff\xd8\xff") {
            return Err(PictureError(name));
        }
        Ok(Self { name, bytes, is_png, alpha })
    }
}

/// The images of a material, each for its layer. What materials share is written once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pictures {
    /// Colour and, where the surface asks for it, alpha.
    pub base: Option<Arc<Picture>>,
    /// Normals, with green growing up the image.
    pub normal: Option<Arc<Picture>>,
    /// The colour of highlights.
    pub specular: Option<Arc<Picture>>,
    /// What shines by itself.
    pub glow: Option<Arc<Picture>>,
}

/// The parts of a file about materials.
#[derive(Debug, Default)]
pub(super) struct Materials {
    pub(super) materials: Vec<Value>,
    pub(super) textures: Vec<Value>,
    pub(super) samplers: Vec<Value>,
    pub(super) images: Vec<Value>,
    pub(super) beside: Vec<NamedFile>,
    /// Names of the extensions that materials use.
    pub(super) extensions: Vec<Value>,
}

/// The extension for colours of highlights.
const SPECULAR: &str = "KHR_materials_specular";

/// Writes the materials that `used` lists, in that order.
pub(super) fn write(
    model: &Model,
    used: &[MaterialId],
    options: &Options,
    buffer: &mut Buffer,
    losses: &mut Vec<Loss>,
) -> Materials {
    let (out, known, names) = (Materials::default(), Known::default(), Unique::default());
    let mut writer = Writer { options, buffer, out, known, names };
    let mut missed = Missed::default();
    for material in used.iter().filter_map(|material| Some((material, model.materials.get(material.index())?))) {
        let (id, material) = material;
        let pictures = options.pictures.get(id.index());
        let pictures = pictures.filter(|_| options.images != Images::Without && !options.luanti);
        let json = writer.material(material, pictures, &mut missed);
        writer.out.materials.push(json);
    }
    losses.extend(missed.losses());
    writer.out
}

/// What materials have beyond what was written, each as a number of materials.
#[derive(Default)]
struct Missed {
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
        [
            of(self.highlights, "the specular highlights", ", except as an extension (--specular)"),
            of(self.stages, "the stages beside colour, normals, highlight and glow", ""),
            of(self.moving, "the changing colours", "; they stay as they are at the start"),
            of(self.transformed, "the moved or scaled texture coordinates", ""),
            of(self.blends, "the way of blending", "; alpha stands for it"),
            of(self.backs, "the back side alone", "; both sides are shown"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

struct Writer<'a> {
    options: &'a Options,
    buffer: &'a mut Buffer,
    out: Materials,
    known: Known,
    names: Unique,
}

/// What was written, with its place in the file.
#[derive(Default)]
struct Known {
    images: HashMap<*const Picture, usize>,
    samplers: HashMap<Sampler, usize>,
    textures: HashMap<(usize, Sampler), usize>,
}

/// How an image is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Sampler {
    clamps: bool,
    is_nearest: bool,
}

impl<'a> Writer<'a> {
    fn material(&mut self, material: &Material, pictures: Option<&'a Pictures>, missed: &mut Missed) -> Value {
        let layers = material.surface.as_ref().map(Layers::of).unwrap_or_default();
        let options = self.options;
        let mut layer = |picture: fn(&Pictures) -> &Option<Arc<Picture>>, stage: Option<&Stage>| {
            let picture = pictures.and_then(|pictures| picture(pictures).as_ref())?;
            Some(json!({"index": self.texture(picture, stage)}))
        };
        let base = layer(|pictures| &pictures.base, layers.base);
        let normal = layer(|pictures| &pictures.normal, layers.normal);
        let glow = layer(|pictures| &pictures.glow, layers.glow);
        let highlights = options.specular.then(|| layer(|pictures| &pictures.specular, layers.specular)).flatten();
        let base = base.or_else(|| {
            // Luanti numbers its texture slots by the textures of a file, one for each mesh.
            options.luanti.then(|| {
                self.out.textures.push(json!({"name": material.name}));
                json!({"index": self.out.textures.len() - 1})
            })
        });
        let colour = base_colour(material, base.is_some(), layers);
        let mut json = json!({"name": material.name, "pbrMetallicRoughness": {
            "baseColorFactor": colour.to_array().map(f64::from), "metallicFactor": 0.0, "roughnessFactor": 1.0
        }});
        if let Some(base) = base {
            json["pbrMetallicRoughness"]["baseColorTexture"] = base;
        }
        set_alpha(layers, pictures.and_then(|pictures| pictures.base.as_deref()), colour.w, &mut json);
        let sides = layers.surface.map_or(Sides::Front, |surface| surface.sides);
        if sides != Sides::Front {
            json["doubleSided"] = true.into();
        }
        if let Some(normal) = normal {
            json["normalTexture"] = normal;
        }
        // What has an image that is not there does not shine all over instead.
        let glowing = layers.glow.filter(|stage| glow.is_some() || image(Some(stage)).is_none());
        let emissive = glowing.map_or(material.emissive, |stage| layers.colour_of(stage).truncate());
        let emissive = emissive.clamp(Vec3::ZERO, Vec3::ONE);
        if emissive != Vec3::ZERO {
            json["emissiveFactor"] = emissive.to_array().map(f64::from).to_vec().into();
            if let Some(glow) = glow {
                json["emissiveTexture"] = glow;
            }
        }
        let shining = layers.specular.filter(|stage| highlights.is_some() || image(Some(stage)).is_none());
        // An image that no stage names is meant as it is.
        let colour = shining.map(|stage| layers.colour_of(stage).truncate());
        let colour = colour.or(highlights.as_ref().map(|_| Vec3::ONE));
        if options.specular && (shines(material) || colour.is_some()) {
            highlight(material, colour, highlights, &mut json);
            self.out.extensions = vec![SPECULAR.into()];
        }
        missed.highlights += usize::from(!options.specular && (shines(material) || layers.specular.is_some()));
        missed.stages += usize::from(layers.others > 0);
        missed.moving += usize::from(layers.change());
        missed.transformed += usize::from(layers.are_transformed());
        missed.blends += usize::from(layers.blend_is_other());
        missed.backs += usize::from(sides == Sides::Back);
        json
    }

    /// The number of a texture, the same one where image and sampler are.
    fn texture(&mut self, picture: &'a Arc<Picture>, stage: Option<&Stage>) -> usize {
        let key = Arc::as_ptr(picture);
        let image = match self.known.images.get(&key) {
            Some(&image) => image,
            None => {
                let image = self.add_image(picture);
                self.known.images.insert(key, image);
                image
            }
        };
        let sampler = Sampler {
            clamps: stage.and_then(|stage| stage.wrap).is_some_and(|wrap| wrap != Wrap::Repeat),
            is_nearest: stage.is_some_and(|stage| stage.nearest == Some(true)),
        };
        let Materials { samplers, textures, .. } = &mut self.out;
        let number = *self.known.samplers.entry(sampler).or_insert_with(|| {
            let (magnify, minify) = if sampler.is_nearest { (9728, 9984) } else { (9729, 9987) };
            let wrap = if sampler.clamps { 33071 } else { 10497 };
            samplers.push(json!({"magFilter": magnify, "minFilter": minify, "wrapS": wrap, "wrapT": wrap}));
            samplers.len() - 1
        });
        *self.known.textures.entry((image, sampler)).or_insert_with(|| {
            textures.push(json!({"sampler": number, "source": image}));
            textures.len() - 1
        })
    }

    /// The number of an image that is new.
    fn add_image(&mut self, picture: &Picture) -> usize {
        let (mime, extension) = if picture.is_png { ("image/png", "png") } else { ("image/jpeg", "jpg") };
        let image = match self.options.images {
            Images::Beside => {
                let name = self.names.add(&file_name(&picture.name));
                let file = format!("{name}.{extension}");
                let uri = escaped_uri(&file);
                self.out.beside.push(NamedFile { name: file, bytes: picture.bytes.clone() });
                json!({"name": picture.name, "uri": uri})
            }
            Images::Embedded | Images::Without => {
                let view = self.buffer.add_view(&picture.bytes, Target::None);
                json!({"name": self.names.add(&picture.name), "bufferView": view, "mimeType": mime})
            }
        };
        self.out.images.push(image);
        self.out.images.len() - 1
    }
}

/// Whether a material has highlights.
fn shines(material: &Material) -> bool {
    material.specular_power > 0.0 && material.specular.max_element() > 0.0
}

/// id Tech 4's highlights have one width: half their light is left where the cosine between normal and half vector is
/// (3 + sqrt(1/2)) / 4, as with Phong's exponent 9.
const DOOM3_POWER: f32 = 9.0;

/// A highlight of Phong's model as glTF's nearest: its colour, and the roughness that makes it as wide. `of_stage` is the
/// colour of a stage of highlights.
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

/// What the base image is multiplied with, or the colour without one.
fn base_colour(material: &Material, has_image: bool, layers: Layers<'_>) -> Vec4 {
    let plain = Material::neutral("").diffuse;
    let colour = match layers.base {
        Some(stage) => material.diffuse * layers.colour_of(stage),
        // A black or grey material under an image is an exporter's default, not a wish.
        None if has_image && (material.diffuse == plain || material.diffuse.truncate().max_element() < 0.05) => {
            Vec4::ONE
        }
        None => material.diffuse,
    };
    colour.clamp(Vec4::ZERO, Vec4::ONE)
}

fn mask(cutoff: f64, json: &mut Value) {
    json["alphaMode"] = "MASK".into();
    json["alphaCutoff"] = cutoff.into();
}

/// Says what can be seen through a material, whose colour has this alpha.
fn set_alpha(layers: Layers<'_>, picture: Option<&Picture>, alpha: f32, json: &mut Value) {
    let Some(surface) = layers.surface else {
        match picture {
            Some(Picture { alpha: Alpha::CutOut, .. }) => mask(0.5, json),
            _ if alpha < 1.0 => json["alphaMode"] = "BLEND".into(),
            _ => {}
        }
        return;
    };
    let cutoff = layers.base.and_then(|stage| surface.alpha_threshold(stage, &Inputs::default()));
    // An image that no decl describes is drawn as if it had alpha.
    let is_unlit = layers.base.is_some_and(|stage| stage.lighting == Lighting::Ambient && mixes(stage));
    let is_opaque = alpha >= 1.0 && picture.is_some_and(|picture| picture.alpha == Alpha::Opaque);
    match (surface.coverage, cutoff) {
        (Coverage::Translucent, _) if is_unlit && is_opaque => {}
        (Coverage::Translucent, _) => json["alphaMode"] = "BLEND".into(),
        (Coverage::Perforated, cutoff) => mask(cutoff.unwrap_or(0.5).max(0.0), json),
        (Coverage::Opaque, Some(cutoff)) => mask(cutoff.max(0.0), json),
        (Coverage::Opaque, None) => {}
    }
}
