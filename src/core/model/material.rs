//! Materials as files describe them, and the plain surfaces derived from them.

use super::surface::{
    Blend, BlendFactor, Coverage, Expression, ImageProgram, Lighting, Map, Sides, Sort, Stage, Surface, VertexColor,
    encoded, quiet_colour,
};
use bindpose_parsers::Span;
use bindpose_parsers::decl::parse_image_program;
use glam::{Vec3, Vec4};

/// Index into [`super::Model::materials`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct MaterialId(pub u32);

impl MaterialId {
    /// Returns the index into [`super::Model::materials`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A surface as its file describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// MD5's shader name, the .x material's name, or a generated one.
    pub name: String,
    /// Diffuse RGBA, linear, as in the file. Multiplied with the colours of the surface's stages, if there is a
    /// surface.
    pub diffuse: Vec4,
    /// Specular RGB.
    pub specular: Vec3,
    /// Specular exponent. 0 means no highlight.
    pub specular_power: f32,
    /// Emissive RGB.
    pub emissive: Vec3,
    /// Texture as named in the file. For MD5, the shader name, which may resolve to an image, or the image program of
    /// its material.
    pub texture: Option<String>,
    /// Sides that are drawn without a surface: the front for engines that cull.
    pub sides: Sides,
    /// Drawing rules from a game or a glTF material. `None` if only the fields above describe the material; then use
    /// [`Self::plain_surface`].
    pub surface: Option<Surface>,
}

impl Material {
    /// Creates a neutral light grey material.
    pub fn neutral(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            diffuse: Vec4::new(0.8, 0.8, 0.8, 1.0),
            specular: Vec3::ZERO,
            specular_power: 0.0,
            emissive: Vec3::ZERO,
            texture: None,
            sides: Sides::Both,
            surface: None,
        }
    }

    /// Returns the image file, for formats that support only one; the first image of an image program.
    pub fn image_file(&self) -> Option<&str> {
        let program = self.surface.as_ref().and_then(Surface::main_image);
        // The engine itself generates images whose names begin with an underscore.
        let of_program = program.map(|program| program.images().first().copied().filter(|name| !name.starts_with('_')));
        of_program.unwrap_or(self.texture.as_deref()).filter(|name| !name.is_empty())
    }

    /// True if the file gives no colour.
    pub fn has_no_colour(&self) -> bool {
        self.diffuse == Self::neutral("").diffuse
    }

    /// True if the colour does not tint an image: none, an exporter's black, or the grey of a material that names no image.
    pub fn leaves_images(&self) -> bool {
        // An emissive material may otherwise be black.
        let is_black = self.diffuse.truncate().max_element() < 0.05 && self.emissive.max_element() < 0.05;
        self.has_no_colour() || is_black || self.texture.is_none() && is_grey(self.diffuse)
    }

    /// Returns the surface of a material without a game's description: image and colour, lit, two-sided, with a slight
    /// sheen.
    ///
    /// `number` is the material's index in the model and selects a colour if the material has none. The file's
    /// highlights are ignored, as in Direct3D 9 by default: most exporters write them without being asked.
    pub fn plain_surface(&self, number: usize, image: NamedImage) -> Surface {
        /// Fraction of the light in the highlight, and the exponent.
        const SHEEN: (f32, f32) = (0.06, 32.0);
        let colour = self.resolved_colour(number, image);
        let map = |name: &str| {
            let program = match parse_image_program(name.as_bytes()) {
                Ok(parsed) if parsed.faults.is_empty() && parsed.decl.to_string() == name => parsed.decl,
                _ => ImageProgram::Image(name.to_owned()),
            };
            Some(Map::Image(program))
        };
        let is_translucent = colour.w < OPAQUE;
        let mix = Blend { source: BlendFactor::SrcAlpha, destination: BlendFactor::OneMinusSrcAlpha };
        let [red, green, blue] = colour.truncate().to_array().map(encoded);
        let plain = Stage { vertex_color: VertexColor::Multiplied, ..Stage::new(Span::default()) };
        let diffuse = Stage {
            lighting: Lighting::Diffuse,
            blend: if is_translucent { mix } else { plain.blend },
            map: map(self.texture.as_deref().unwrap_or("_white")),
            color: [red, green, blue, Some(Expression::Number(colour.w.into()))],
            alpha_test: (image == NamedImage::CutOut).then_some(Expression::Number(0.5)),
            ..plain.clone()
        };
        let sheen = encoded(SHEEN.0);
        let highlight = Stage {
            lighting: Lighting::Specular,
            map: map("_white"),
            color: [sheen.clone(), sheen.clone(), sheen, None],
            ..plain
        };
        let (coverage, sort) = match () {
            () if is_translucent => (Coverage::Translucent, Sort::MEDIUM),
            () if diffuse.alpha_test.is_some() => (Coverage::Perforated, Sort::OPAQUE),
            () => (Coverage::Opaque, Sort::OPAQUE),
        };
        Surface {
            stages: vec![diffuse, highlight],
            sides: self.sides,
            coverage,
            sort,
            emissive: self.emissive,
            shininess: SHEEN.1,
            ..Surface::default()
        }
    }

    /// Returns the displayed alpha, 0 to 1. Exporters write 0, or less than 1 with an opaque texture, without meaning
    /// it. Such materials are opaque. Positive alpha counts without a texture, or with one that has alpha itself.
    pub fn shown_alpha(&self, image: NamedImage) -> f32 {
        let is_skin = match image {
            NamedImage::Missing => self.texture.is_some(),
            NamedImage::Solid => true,
            NamedImage::CutOut | NamedImage::Mixed => false,
        };
        // NaN does not count as alpha either.
        if self.diffuse.w > 0.0 && !is_skin { self.diffuse.w.min(1.0) } else { 1.0 }
    }

    /// Returns the displayed colour, linear RGBA.
    fn resolved_colour(&self, number: usize, image: NamedImage) -> Vec4 {
        let is_plain = self.has_no_colour();
        let is_white = self.diffuse.truncate().min_element() > 0.95;
        let colour = match image {
            NamedImage::Solid | NamedImage::CutOut | NamedImage::Mixed if self.leaves_images() => Vec4::ONE,
            // Grey with a missing image says nothing about the surface. Nor does white in a file without images, on
            // which shading would be invisible.
            NamedImage::Missing if is_plain || is_white || (self.texture.is_some() && is_grey(self.diffuse)) => {
                quiet_colour(number).extend(1.0)
            }
            _ => self.diffuse,
        };
        colour.with_w(self.shown_alpha(image))
    }
}

/// Result of the search for the image that a plain material names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NamedImage {
    /// No image is named, or it was not found.
    Missing,
    /// Found, opaque.
    Solid,
    /// Found. Its alpha is either clear or solid.
    CutOut,
    /// Found. Its alpha has intermediate values.
    Mixed,
}

/// Smallest alpha that counts as opaque: half an 8-bit step below 1.
const OPAQUE: f32 = 254.5 / 255.0;

fn is_grey(colour: Vec4) -> bool {
    colour.truncate().max_element() - colour.truncate().min_element() < 0.02
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_colours_of_exporters_do_not_darken_images() {
        let (plain, red) = (Material::neutral("").diffuse, Vec4::new(0.8, 0.1, 0.1, 1.0));
        let (black, grey) = (Vec4::new(0.0, 0.0, 0.0, 1.0), Vec4::new(0.3, 0.3, 0.3, 1.0));
        let quiet = quiet_colour(2).extend(1.0);
        // With an image, with a missing one, without a name, with an image that the file does not name.
        let cases = [
            (plain, [Vec4::ONE, quiet, quiet, Vec4::ONE]),
            (black, [Vec4::ONE, quiet, black, Vec4::ONE]),
            (grey, [grey, quiet, grey, Vec4::ONE]),
            (red, [red, red, red, red]),
            (Vec4::ONE, [Vec4::ONE, quiet, quiet, Vec4::ONE]),
        ];
        for (diffuse, colours) in cases {
            let named = Material { diffuse, texture: Some("skin".into()), ..Material::neutral("") };
            let unnamed = Material { texture: None, ..named.clone() };
            let colour = |material: &Material, image| material.resolved_colour(2, image);
            let found = [
                colour(&named, NamedImage::Solid),
                colour(&named, NamedImage::Missing),
                colour(&unnamed, NamedImage::Missing),
                colour(&unnamed, NamedImage::Solid),
            ];
            assert_eq!(found, colours, "{diffuse}");
        }
    }
}
