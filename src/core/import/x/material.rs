//! Materials of `.x` files.

use crate::model::Material;
use bindpose_parsers::x::{self, EffectValue};
use glam::{Vec3, Vec4};

/// Converts a material. A material without a name is named after its index.
pub(super) fn material(file: &x::Material<'_>, index: usize) -> Material {
    let name = file.name.as_ref().map_or_else(|| format!("material {index}"), x::Text::to_name);
    Material {
        diffuse: Vec4::from_array(file.face_color.map(|part| part as f32)),
        specular: Vec3::from_array(file.specular.map(|part| part as f32)),
        specular_power: file.power as f32,
        emissive: Vec3::from_array(file.emissive.map(|part| part as f32)),
        texture: texture(file).map(|name| path(&name)),
        ..Material::neutral(name)
    }
}

/// Returns the first texture, else the first image named by the effect.
fn texture(file: &x::Material<'_>) -> Option<String> {
    let plain = file.textures.iter().find(|texture| texture.kind.bytes.eq_ignore_ascii_case(b"TextureFilename"));
    if let Some(texture) = plain.filter(|texture| !texture.filename.bytes.is_empty()) {
        return Some(texture.filename.to_name());
    }
    file.effect.iter().flat_map(|effect| &effect.parameters).find_map(|parameter| match &parameter.value {
        EffectValue::Text(value) => Some(value.to_name()).filter(|name| is_image(name)),
        EffectValue::Floats(_) | EffectValue::Dword(_) => None,
    })
}

fn is_image(name: &str) -> bool {
    const EXTENSIONS: [&str; 8] = ["dds", "tga", "png", "jpg", "jpeg", "bmp", "gif", "tif"];
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// Replaces backslashes, also doubled ones, by single slashes (docs/formats/x.md "Materials").
fn path(name: &str) -> String {
    name.replace("\\\\", "\\").replace('\\', "/")
}

/// Returns the grey material that D3DX uses for meshes without material (docs/formats/x.md "Materials").
pub(super) fn default_material() -> Material {
    Material { diffuse: Vec4::new(0.5, 0.5, 0.5, 1.0), ..Material::neutral("default") }
}
