//! Materials, and the images inside the file.

use super::buffers::{self, Buffers};
use super::error::{self, Error, Warn, oddity};
use crate::left_out::Part;
use crate::model::surface::{
    Blend, BlendFactor, Coverage, Expression, ImageProgram, Lighting, Map, Sides, Sort, Stage, Surface, VertexColor,
    Wrap,
};
use crate::model::{Material, MaterialId, Model};
use bindpose_parsers::Span;
use glam::{Vec3, Vec4};
use gltf_json::material::AlphaMode;
use gltf_json::texture::{MagFilter, WrappingMode};
use gltf_json::validation::Checked;
use gltf_json::{Index, Root};
use std::collections::HashSet;

/// Exponent of the widest highlight that is drawn. Wider ones become fainter in glTF, but not in Phong's formula.
const LEAST_SHININESS: f32 = 1.0;

/// Adds all materials. Returns the images inside the file with their names.
pub(super) fn import(
    root: &Root,
    buffers: &Buffers<'_>,
    model: &mut Model,
    warn: &mut Warn<'_>,
) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut images: Vec<(String, Vec<u8>)> = Vec::new();
    // Images are found by name. External images keep their names. Embedded ones get unused names.
    let outside: Vec<Option<String>> =
        root.images.iter().enumerate().map(|(number, image)| outside_name(number, image, warn)).collect();
    let mut known: HashSet<String> = outside.iter().flatten().map(|name| name.to_lowercase()).collect();
    let mut names: Vec<String> = Vec::with_capacity(root.images.len());
    for ((number, image), outside) in root.images.iter().enumerate().zip(outside) {
        let pointer = || format!("/images/{number}");
        let inside = match (outside, &image.buffer_view, &image.uri) {
            (Some(name), ..) => {
                names.push(name);
                continue;
            }
            (None, Some(view), _) => buffers.view(root, view.value(), &pointer())?.to_vec(),
            (None, None, uri) => {
                let uri = uri.as_deref().unwrap_or_default();
                buffers::data_uri(uri, &format!("{}/uri", pointer()))?
            }
        };
        let name = own_name(number, image);
        let is_png = image.mime_type.as_ref().is_none_or(|mime| mime.0 != "image/jpeg");
        let extension = if is_png { "png" } else { "jpg" };
        let has_extension = name.to_lowercase().ends_with(extension);
        let mut name = if has_extension { name } else { format!("{name}.{extension}") };
        while !known.insert(name.to_lowercase()) {
            name = format!("{number} {name}");
        }
        images.push((name.clone(), inside));
        names.push(name);
    }
    for (number, file) in root.materials.iter().enumerate() {
        let material = Reader { root, names: &names, number, file }.material(warn);
        model.push_material(material);
    }
    Ok(images)
}

fn own_name(number: usize, image: &gltf_json::Image) -> String {
    image.name.clone().unwrap_or_else(|| format!("image {number}"))
}

/// Returns the path of an image outside the file. Returns `None` for one inside it.
fn outside_name(number: usize, image: &gltf_json::Image, warn: &mut Warn<'_>) -> Option<String> {
    let name = own_name(number, image);
    match (&image.buffer_view, &image.uri) {
        (Some(_), _) => None,
        (None, Some(uri)) if uri.starts_with("data:") => None,
        (None, Some(uri)) => Some(buffers::local_path(uri).unwrap_or_else(|| {
            let message = format!("the image '{name}' is no file beside the model and is not read");
            warn(&format!("/images/{number}/uri"), oddity("GLI001", message));
            name
        })),
        (None, None) => Some(name),
    }
}

/// Reader of one material.
struct Reader<'a> {
    root: &'a Root,
    names: &'a [String],
    number: usize,
    file: &'a gltf_json::Material,
}

impl Reader<'_> {
    fn material(&self, warn: &mut Warn<'_>) -> Material {
        let base = &self.file.pbr_metallic_roughness;
        let texture = base.base_color_texture.as_ref().map(|texture| texture.index);
        let name = self.file.name.clone().unwrap_or_else(|| format!("material {}", self.number));
        let (specular, specular_power) = self.highlight();
        let glows = self.file.emissive_texture.is_some();
        Material {
            specular,
            specular_power,
            diffuse: Vec4::from_array(base.base_color_factor.0),
            emissive: if glows { Vec3::ZERO } else { Vec3::from_array(self.file.emissive_factor.0) },
            texture: texture.and_then(|texture| self.image(texture)).map(str::to_owned),
            surface: Some(self.surface(&name, warn)),
            ..Material::neutral(name)
        }
    }

    fn image(&self, texture: Index<gltf_json::Texture>) -> Option<&str> {
        let source = self.root.textures.get(texture.value())?.source.value();
        self.names.get(source).map(String::as_str)
    }

    /// Converts a texture to a stage.
    fn stage(&self, lighting: Lighting, texture: Index<gltf_json::Texture>) -> Option<Stage> {
        let map = Some(Map::Image(ImageProgram::Image(self.image(texture)?.to_owned())));
        let sampler = self.root.textures.get(texture.value()).and_then(|texture| texture.sampler);
        let sampler = sampler.and_then(|sampler| self.root.samplers.get(sampler.value()));
        let clamps = |wrap: Checked<WrappingMode>| wrap == Checked::Valid(WrappingMode::ClampToEdge);
        let is_clamped = sampler.is_some_and(|sampler| clamps(sampler.wrap_s) && clamps(sampler.wrap_t));
        let filter = sampler.and_then(|sampler| sampler.mag_filter);
        Some(Stage {
            lighting,
            map,
            wrap: is_clamped.then_some(Wrap::Clamp),
            nearest: match filter {
                Some(Checked::Valid(filter)) => Some(filter == MagFilter::Nearest),
                Some(Checked::Invalid) | None => None,
            },
            ..Stage::new(Span::default())
        })
    }

    fn surface(&self, name: &str, warn: &mut Warn<'_>) -> Surface {
        let file = self.file;
        let base_texture = file.pbr_metallic_roughness.base_color_texture.as_ref();
        let base_set = base_texture.map_or(0, |texture| texture.tex_coord);
        // All images of a surface share one set of texture coordinates.
        let mut has_others = false;
        let mut of_set = |set: u32| {
            has_others |= set != base_set;
            set == base_set
        };
        let mut stages = Vec::new();
        if let Some(texture) = file.emissive_texture.as_ref().filter(|texture| of_set(texture.tex_coord))
            && let Some(stage) = self.stage(Lighting::Ambient, texture.index)
        {
            let blend = Blend { source: BlendFactor::One, destination: BlendFactor::One };
            let [red, green, blue] = file.emissive_factor.0;
            stages.push(Stage { blend, color: colour(Vec4::new(red, green, blue, 1.0)), ..stage });
        }
        if let Some(texture) = file.normal_texture.as_ref().filter(|texture| of_set(texture.tex_coord))
            && let Some(stage) = self.stage(Lighting::Bump, texture.index)
        {
            stages.push(stage);
        }
        let base = base_texture.and_then(|texture| self.stage(Lighting::Diffuse, texture.index));
        let base = base.unwrap_or_else(|| {
            let map = Some(Map::Image(ImageProgram::Image("_white".to_owned())));
            Stage { lighting: Lighting::Diffuse, map, ..Stage::new(Span::default()) }
        });
        let mut base = Stage { vertex_color: VertexColor::Multiplied, ..base };
        let (coverage, sort) = apply_alpha_mode(file, &mut base);
        stages.push(base);
        let mut shininess = Surface::default().shininess;
        let specular = file.extensions.as_ref().and_then(|extensions| extensions.specular.as_ref());
        let texture = specular.and_then(|of| of.specular_color_texture.as_ref());
        if let Some(texture) = texture.filter(|texture| of_set(texture.tex_coord))
            && let Some(stage) = self.stage(Lighting::Specular, texture.index)
        {
            let (colour_of_highlight, power) = self.highlight();
            shininess = power.max(LEAST_SHININESS);
            let vertex_color = VertexColor::Multiplied;
            stages.push(Stage { color: colour(colour_of_highlight.extend(1.0)), vertex_color, ..stage });
        }
        let surface = &file.pbr_metallic_roughness;
        let factors = (surface.base_color_factor.0, surface.roughness_factor.0, surface.metallic_factor.0);
        // By default a material is metal, but an empty one says nothing.
        let is_metal = factors.2 > 0.0 && (factors != ([1.0; 4], 1.0, 1.0) || base_texture.is_some());
        let has_map = surface.metallic_roughness_texture.is_some();
        let unread = [
            ("metallicRoughnessTexture", has_map),
            ("metallicFactor", is_metal && !has_map),
            ("occlusionTexture", file.occlusion_texture.is_some()),
            ("specularTexture", specular.is_some_and(|of| of.specular_texture.is_some())),
            ("images with other texture coordinates than the colour's", has_others),
        ];
        let words: Vec<&str> = unread.iter().filter(|(_, has)| *has).map(|(what, _)| *what).collect();
        if !words.is_empty() {
            let message = format!("not read: {}", words.join(", "));
            warn(&format!("/materials/{}", self.number), error::unread(Part::MaterialParameter, name, message));
        }
        let sides = if file.double_sided { Sides::Both } else { Sides::Front };
        Surface { stages, sides, coverage, sort, bump_green_is_up: true, shininess, ..Surface::default() }
    }

    /// Returns the colour and exponent of the highlight from [`SPECULAR`]. Black without that extension, because glTF's
    /// default of four per cent is not an author's choice.
    fn highlight(&self) -> (Vec3, f32) {
        let Some(specular) = self.file.extensions.as_ref().and_then(|extensions| extensions.specular.as_ref()) else {
            return (Vec3::ZERO, 0.0);
        };
        let colour = Vec3::from_array(specular.specular_color_factor.0) * specular.specular_factor.0;
        let roughness = self.file.pbr_metallic_roughness.roughness_factor.0;
        // Same width as Phong's: roughness² = 2 / (exponent + 2).
        let power = 2.0 / (roughness * roughness).max(1e-6) - 2.0;
        (colour, power.max(0.0))
    }
}

/// Returns the factor of a stage's image.
fn colour(factor: Vec4) -> [Option<Expression>; 4] {
    factor.to_array().map(|part| (part != 1.0).then(|| Expression::Number(part.into())))
}

/// Returns the material for primitives without one: glTF's white, which is added if no material equals it.
pub(super) fn default_material(model: &mut Model) -> MaterialId {
    let white = Material { diffuse: Vec4::ONE, ..Material::neutral("default") };
    match model.materials.iter().position(|material| *material == white) {
        Some(known) => MaterialId(known as u32),
        None => model.push_material(white),
    }
}

/// Sets the blend and alpha test of a base stage according to the alpha mode of its material. Returns the coverage and
/// sort order of the surface.
fn apply_alpha_mode(file: &gltf_json::Material, base: &mut Stage) -> (Coverage, Sort) {
    let mixes = Blend { source: BlendFactor::SrcAlpha, destination: BlendFactor::OneMinusSrcAlpha };
    match file.alpha_mode {
        Checked::Valid(AlphaMode::Mask) => {
            let cutoff = file.alpha_cutoff.map_or(0.5, |cutoff| f64::from(cutoff.0));
            base.alpha_test = Some(Expression::Number(cutoff));
            (Coverage::Perforated, Sort::OPAQUE)
        }
        Checked::Valid(AlphaMode::Blend) => {
            base.blend = mixes;
            (Coverage::Translucent, Sort::MEDIUM)
        }
        Checked::Valid(AlphaMode::Opaque) | Checked::Invalid => (Coverage::Opaque, Sort::OPAQUE),
    }
}
