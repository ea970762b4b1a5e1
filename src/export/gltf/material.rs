//! Materials and their images.

use super::buffer::{Buffer, Target};
use super::{Images, Options, escaped_uri};
use crate::unique::Unique;
use crate::{Loss, NamedFile, file_name};
use bindpose_core::model::{Material, MaterialId, Model};
use glam::Vec4;
use serde_json::{Value, json};

/// An image file, PNG or JPEG: what glTF allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// What it is called, without folder and extension.
    pub name: String,
    /// The whole file.
    bytes: Vec<u8>,
    is_png: bool,
    /// Whether its alpha says which texels exist.
    pub is_cut_out: bool,
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
    pub fn new(name: impl Into<String>, bytes: Vec<u8>, is_cut_out: bool) -> Result<Self, PictureError> {
        let name = name.into();
        let is_png = bytes.starts_with(b"\x89PNG\r\n\x1a\n");
        if !is_png && !bytes.starts_with(b"\xff\xd8\xff") {
            return Err(PictureError(name));
        }
        Ok(Self { name, bytes, is_png, is_cut_out })
    }
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
    let mut out = Materials::default();
    // Material and its texture, where another material has the same image already.
    let mut known: Vec<(&Picture, usize)> = Vec::new();
    let mut names = Unique::default();
    let mut shining = 0;
    for index in used.iter().map(|material| material.index()) {
        let Some(material) = model.materials.get(index) else { continue };
        let picture = options.pictures.get(index).and_then(Option::as_ref);
        let picture = picture.filter(|_| options.images != Images::Without && !options.luanti);
        let texture = picture.map(|picture| {
            if let Some(&(_, texture)) = known.iter().find(|(other, _)| *other == picture) {
                return texture;
            }
            out.add_image(picture, options, buffer, &mut names);
            known.push((picture, out.textures.len() - 1));
            out.textures.len() - 1
        });
        let texture = texture.or_else(|| {
            // Luanti numbers its texture slots by the textures of a file, one for each mesh.
            options.luanti.then(|| {
                out.textures.push(json!({"name": material.name}));
                out.textures.len() - 1
            })
        });
        let mut json = material_json(material, texture, picture);
        if shines(material) && options.specular {
            specular(material, &mut json);
            out.extensions = vec![SPECULAR.into()];
        } else {
            shining += usize::from(shines(material));
        }
        out.materials.push(json);
    }
    if shining > 0 {
        let materials = if shining == 1 { "material" } else { "materials" };
        let what = format!("the specular highlights of {shining} {materials}, except as an extension (--specular)");
        losses.push(Loss::NotCarried { what });
    }
    out
}

/// Whether a material has highlights.
fn shines(material: &Material) -> bool {
    material.specular_power > 0.0 && material.specular.max_element() > 0.0
}

/// A highlight of Phong's model as glTF's nearest: its colour, and the roughness that makes it as wide.
fn specular(material: &Material, json: &mut Value) {
    let colour = material.specular.max(glam::Vec3::ZERO).to_array().map(f64::from);
    json["extensions"] = json!({SPECULAR: {"specularColorFactor": colour}});
    let roughness = (2.0 / (f64::from(material.specular_power) + 2.0)).sqrt();
    json["pbrMetallicRoughness"]["roughnessFactor"] = roughness.into();
}

fn material_json(material: &Material, texture: Option<usize>, picture: Option<&Picture>) -> Value {
    let plain = Material::neutral("").diffuse;
    // A black or grey material under an image is an exporter's default, not a wish.
    let is_default = material.diffuse == plain || material.diffuse.truncate().max_element() < 0.05;
    let colour = if texture.is_some() && is_default { Vec4::ONE } else { material.diffuse };
    let colour = colour.clamp(Vec4::ZERO, Vec4::ONE);
    let mut surface = json!({
        "baseColorFactor": colour.to_array().map(f64::from), "metallicFactor": 0.0, "roughnessFactor": 1.0
    });
    if let Some(texture) = texture {
        surface["baseColorTexture"] = json!({"index": texture});
    }
    let mut json = json!({"name": material.name, "pbrMetallicRoughness": surface});
    if picture.is_some_and(|picture| picture.is_cut_out) {
        json["alphaMode"] = "MASK".into();
        json["alphaCutoff"] = 0.5.into();
    } else if colour.w < 1.0 {
        json["alphaMode"] = "BLEND".into();
    }
    let emissive = material.emissive.clamp(glam::Vec3::ZERO, glam::Vec3::ONE);
    if emissive != glam::Vec3::ZERO {
        json["emissiveFactor"] = emissive.to_array().map(f64::from).to_vec().into();
    }
    json
}

impl Materials {
    fn add_image(&mut self, picture: &Picture, options: &Options, buffer: &mut Buffer, names: &mut Unique) {
        let (mime, extension) = if picture.is_png { ("image/png", "png") } else { ("image/jpeg", "jpg") };
        let image = match options.images {
            Images::Beside => {
                let stem = file_name(&picture.name);
                let name = names.add(&stem);
                let file = format!("{name}.{extension}");
                let uri = escaped_uri(&file);
                self.beside.push(NamedFile { name: file, bytes: picture.bytes.clone() });
                json!({"name": picture.name, "uri": uri})
            }
            Images::Embedded | Images::Without => {
                let view = buffer.add_view(&picture.bytes, Target::None);
                json!({"name": picture.name, "bufferView": view, "mimeType": mime})
            }
        };
        self.images.push(image);
        if self.samplers.is_empty() {
            // Linear, with mipmaps, repeating.
            self.samplers.push(json!({"magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 10497}));
        }
        self.textures.push(json!({"sampler": 0, "source": self.images.len() - 1}));
    }
}
