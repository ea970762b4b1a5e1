//! How a surface is drawn: stages over stages, whose values change with time.

use super::Material;
use bindpose_parsers::Span;
use bindpose_parsers::decl::parse_image_program;
use glam::{DAffine2, DMat2, DVec2, Vec3, Vec4};
use std::collections::BTreeMap;
use std::sync::Arc;

pub use bindpose_parsers::decl::{
    Blend, BlendFactor, Coverage, CubeSides, Expression, ImageProgram, Lighting, Map, Sort, Stage, Table, TexGen,
    TextureTransform, VertexColor, Wrap,
};

/// How a surface is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// In the order of drawing: of each group its bump, diffuse and specular stages, the ambient ones before them.
    pub stages: Vec<Stage>,
    /// Which sides are drawn.
    pub sides: Sides,
    /// What can be seen through it.
    pub coverage: Coverage,
    /// When it is drawn.
    pub sort: Sort,
    /// How far it is moved towards the viewer, in OpenGL's units; 0 is not at all.
    pub polygon_offset: f64,
    /// Whether it is drawn at all.
    pub is_drawn: bool,
    /// Whether green of its bump maps grows where the surface leans up the image, as in glTF. Else it grows where the
    /// surface leans down the image, to +v, as in id Tech 4, whose `heightmap` makes it so.
    pub bump_green_is_up: bool,
    /// The tables that its expressions name, by name in lower case.
    pub tables: BTreeMap<String, Arc<Table>>,
    /// Linear RGB that joins the light before images colour both, as in Direct3D 9.
    pub emissive: Vec3,
    /// How narrow highlights are: the exponent of Blinn's and Phong's formula.
    pub shininess: f32,
    /// Whether each vertex takes normal and tangent of its largest triangle alone.
    pub is_unsmoothed: bool,
    /// Words of a game's material that change what is seen there and that nothing is done for here.
    pub left_out: Vec<String>,
}

/// What is known of the one image that a material without a game names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedImage {
    /// It has none, or it was not found.
    Missing,
    /// It is there.
    Solid,
    /// It is there, and its alpha says which texels exist.
    CutOut,
}

/// Alpha from here on is no wish to see through: the last step of 8 bits.
const OPAQUE: f32 = 254.5 / 255.0;

/// Which sides of a surface are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sides {
    /// The one from which its triangles run counter-clockwise.
    #[default]
    Front,
    /// The other one.
    Back,
    /// Both.
    Both,
}

/// What expressions are worked out from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inputs {
    /// Seconds.
    pub time: f64,
    /// What an entity sets; the first four are its colour.
    pub parms: [f64; 12],
    /// What a game sets for all entities.
    pub globals: [f64; 8],
}

impl Default for Inputs {
    /// Time 0, a white entity, nothing else set.
    fn default() -> Self {
        let mut parms = [0.0; 12];
        parms[..4].fill(1.0);
        Self { time: 0.0, parms, globals: [0.0; 8] }
    }
}

impl Surface {
    /// What is drawn for a material that no game describes: its image and its colour, lit, from both sides, with a little
    /// sheen. `number` is its place in the model, which chooses a colour where it has none.
    ///
    /// Highlights that a file asks for are left out, as Direct3D 9 leaves them out unless a program turns them on: most
    /// exporters write them without anybody's wish.
    pub fn of_words(material: &Material, number: usize, image: NamedImage) -> Self {
        /// Share of the light that comes back as a highlight, and the exponent.
        const SHEEN: (f32, f32) = (0.06, 32.0);
        let colour = resolved_colour(material, number, image);
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
        let plain = Stage::new(Span::default());
        let diffuse = Stage {
            lighting: Lighting::Diffuse,
            blend: if is_translucent { mix } else { plain.blend },
            map: map(material.texture.as_deref().unwrap_or("_white")),
            color: [red, green, blue, Some(Expression::Number(colour.w.into()))],
            alpha_test: (image == NamedImage::CutOut).then_some(Expression::Number(0.5)),
            vertex_color: VertexColor::Multiplied,
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
        Self {
            stages: vec![diffuse, highlight],
            sides: Sides::Both,
            coverage,
            sort,
            emissive: material.emissive,
            shininess: SHEEN.1,
            ..Self::default()
        }
    }

    /// Shows a stage without its image, which is not to be had, in a quiet colour that `number` chooses.
    pub fn forget_image(&mut self, stage: usize, number: usize) {
        let Some(stage) = self.stages.get_mut(stage) else { return };
        let [red, green, blue] = quiet_colour(number).to_array().map(encoded);
        stage.map = Some(Map::Image(ImageProgram::Image("_white".to_owned())));
        (stage.color, stage.alpha_test) = ([red, green, blue, None], None);
    }

    /// The image that tells most of what the surface looks like: the first diffuse stage's, else that of the first
    /// stage that is no bump or highlight.
    pub fn main_image(&self) -> Option<&ImageProgram> {
        let of = |wanted: Lighting| {
            let mut stages = self.stages.iter().filter(move |stage| stage.lighting == wanted);
            stages.find_map(|stage| if let Some(Map::Image(program)) = &stage.map { Some(program) } else { None })
        };
        of(Lighting::Diffuse).or_else(|| of(Lighting::Ambient))
    }

    /// The word of a stage for which it is not drawn here: what only a running game shows, and images that are looked up otherwise.
    pub fn undrawn_word(stage: &Stage) -> Option<&str> {
        let around = [TexGen::Reflect, TexGen::Normal, TexGen::Skybox];
        match (&stage.map, &stage.special) {
            (_, Some(word)) => Some(&word.text),
            (Some(Map::Image(_)), None) if stage.texture_coordinates == TexGen::Mesh => None,
            (Some(Map::Cube(..)), None)
                if stage.lighting == Lighting::Ambient && around.contains(&stage.texture_coordinates) =>
            {
                None
            }
            (Some(Map::Cube(..)), None) => Some("cubeMap"),
            (Some(Map::Image(_)) | None, None) => Some("texGen"),
        }
    }

    /// The value of an expression. Truth is 1 and 0; a table that is not there gives 1.
    pub fn value(&self, expression: &Expression, inputs: &Inputs) -> f64 {
        match expression {
            Expression::Number(value) => *value,
            Expression::Time => inputs.time,
            Expression::Parm(number) => inputs.parms.get(usize::from(*number)).copied().unwrap_or(0.0),
            Expression::Global(number) => inputs.globals.get(usize::from(*number)).copied().unwrap_or(0.0),
            Expression::Sound => 0.0,
            Expression::FragmentPrograms => 1.0,
            Expression::Table(name, index) => {
                let index = self.value(index, inputs);
                self.tables.get(name).map_or(1.0, |table| table.look_up(index))
            }
            Expression::Binary(operator, a, b) => operator.apply(self.value(a, inputs), self.value(b, inputs)),
        }
    }

    /// Whether it may look another way at another time.
    pub fn changes_with_time(&self) -> bool {
        fn has_time(expression: &Expression) -> bool {
            match expression {
                Expression::Time => true,
                Expression::Table(_, index) => has_time(index),
                Expression::Binary(_, a, b) => has_time(a) || has_time(b),
                _ => false,
            }
        }
        let moves = |step: &TextureTransform| match step {
            TextureTransform::Translate(x, y)
            | TextureTransform::Scale(x, y)
            | TextureTransform::CenterScale(x, y)
            | TextureTransform::Shear(x, y) => has_time(x) || has_time(y),
            TextureTransform::Rotate(turns) => has_time(turns),
        };
        self.stages.iter().any(|stage| {
            let values = stage.color.iter().flatten().chain(&stage.condition).chain(&stage.alpha_test);
            values.into_iter().any(has_time) || stage.transforms.iter().any(moves)
        })
    }

    /// Whether a stage is drawn now.
    pub fn is_on(&self, stage: &Stage, inputs: &Inputs) -> bool {
        stage.condition.as_ref().is_none_or(|condition| self.value(condition, inputs) != 0.0)
    }

    /// Red, green, blue and alpha that a stage's image is multiplied with, encoded as the image is.
    pub fn color(&self, stage: &Stage, inputs: &Inputs) -> Vec4 {
        let channel = |expression: &Option<Expression>| {
            expression.as_ref().map_or(1.0, |expression| self.value(expression, inputs)) as f32
        };
        Vec4::from_array(stage.color.each_ref().map(channel))
    }

    /// The alpha that a stage's texels have to exceed, if it is tested.
    pub fn alpha_threshold(&self, stage: &Stage, inputs: &Inputs) -> Option<f64> {
        stage.alpha_test.as_ref().map(|expression| self.value(expression, inputs))
    }

    /// Texture coordinates of a stage's image from those of the mesh.
    pub fn image_from_mesh(&self, stage: &Stage, inputs: &Inputs) -> DAffine2 {
        stage.transforms.iter().fold(DAffine2::IDENTITY, |old, step| old * self.step(step, inputs))
    }

    fn step(&self, step: &TextureTransform, inputs: &Inputs) -> DAffine2 {
        let pair = |x: &Expression, y: &Expression| DVec2::new(self.value(x, inputs), self.value(y, inputs));
        let about_the_middle = |matrix: DMat2| {
            let middle = DVec2::splat(0.5);
            DAffine2::from_mat2_translation(matrix, middle - matrix * middle)
        };
        match step {
            TextureTransform::Translate(x, y) => DAffine2::from_translation(pair(x, y)),
            TextureTransform::Scale(x, y) => DAffine2::from_scale(pair(x, y)),
            TextureTransform::CenterScale(x, y) => about_the_middle(DMat2::from_diagonal(pair(x, y))),
            TextureTransform::Shear(x, y) => {
                let by = pair(x, y);
                about_the_middle(DMat2::from_cols(DVec2::new(1.0, by.y), DVec2::new(by.x, 1.0)))
            }
            TextureTransform::Rotate(turns) => {
                let turns = self.value(turns, inputs);
                let from_table = |name: &str| self.tables.get(name).map(|table| table.look_up(turns));
                let angle = turns * std::f64::consts::TAU;
                let sine = from_table(SINE).unwrap_or_else(|| libm::sin(angle));
                let cosine = from_table(COSINE).unwrap_or_else(|| libm::cos(angle));
                about_the_middle(DMat2::from_cols(DVec2::new(cosine, sine), DVec2::new(-sine, cosine)))
            }
        }
    }
}

/// What to show of a material's colour, linear RGBA.
fn resolved_colour(material: &Material, number: usize, image: NamedImage) -> Vec4 {
    let is_plain = material.has_no_colour();
    // What shines by itself may well be black otherwise.
    let is_black = material.diffuse.truncate().max_element() < 0.05 && material.emissive.max_element() < 0.05;
    let colour = match image {
        // A black or grey material under an image is an exporter's default, not a wish.
        NamedImage::Solid | NamedImage::CutOut if is_plain || is_black => Vec4::ONE,
        // A grey under an image that is not there says nothing about the surface.
        NamedImage::Missing if is_plain || (material.texture.is_some() && is_grey(material.diffuse)) => {
            quiet_colour(number).extend(1.0)
        }
        _ => material.diffuse,
    };
    // Nobody makes a surface to be not seen at all: alpha 0 is an exporter's slip.
    colour.with_w(if material.diffuse.w > 0.0 { material.diffuse.w.min(1.0) } else { 1.0 })
}

fn is_grey(colour: Vec4) -> bool {
    colour.truncate().max_element() - colour.truncate().min_element() < 0.02
}

/// Quiet colours for surfaces without an image, one after the other; linear.
fn quiet_colour(number: usize) -> Vec3 {
    const SRGB: [[u8; 3]; 6] =
        [[184, 178, 168], [150, 163, 176], [176, 158, 140], [152, 170, 150], [178, 156, 160], [160, 154, 178]];
    Vec3::from_array(SRGB[number % SRGB.len()].map(|channel| (f32::from(channel) / 255.0).powf(2.2)))
}

/// A linear channel as a stage's: the colours of stages are encoded as images are.
fn encoded(linear: f32) -> Option<Expression> {
    Some(Expression::Number(libm::pow(linear.max(0.0).into(), 1.0 / 2.2)))
}

/// The table in which the engine looks sines up, in lower case.
pub const SINE: &str = "sintable";
/// The table in which the engine looks cosines up, in lower case.
pub const COSINE: &str = "costable";

impl Default for Surface {
    /// Opaque, from the front, without stages.
    fn default() -> Self {
        Self {
            stages: Vec::new(),
            sides: Sides::default(),
            coverage: Coverage::Opaque,
            sort: Sort::OPAQUE,
            polygon_offset: 0.0,
            is_drawn: true,
            bump_green_is_up: false,
            tables: BTreeMap::new(),
            emissive: Vec3::ZERO,
            shininess: 16.0,
            is_unsmoothed: false,
            left_out: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exporters_defaults_do_not_darken_images() {
        let (plain, red) = (Material::neutral("").diffuse, Vec4::new(0.8, 0.1, 0.1, 1.0));
        let (black, grey) = (Vec4::new(0.0, 0.0, 0.0, 1.0), Vec4::new(0.3, 0.3, 0.3, 1.0));
        let quiet = quiet_colour(2).extend(1.0);
        // With an image, without one that is named, without a name.
        let cases = [
            (plain, [Vec4::ONE, quiet, quiet]),
            (black, [Vec4::ONE, quiet, black]),
            (grey, [grey, quiet, grey]),
            (red, [red, red, red]),
        ];
        for (diffuse, colours) in cases {
            let named = Material { diffuse, texture: Some("skin".into()), ..Material::neutral("") };
            let unnamed = Material { texture: None, ..named.clone() };
            let colour = |material, image| resolved_colour(material, 2, image);
            let found = [
                colour(&named, NamedImage::Solid),
                colour(&named, NamedImage::Missing),
                colour(&unnamed, NamedImage::Missing),
            ];
            assert_eq!(found, colours, "{diffuse}");
        }
    }

    #[test]
    fn words_become_stages() {
        let glass = Material { diffuse: Vec4::new(0.5, 0.0, 1.0, 0.25), ..Material::neutral("glass") };
        let surface = Surface::of_words(&glass, 0, NamedImage::Missing);
        assert_eq!((surface.coverage, surface.sides), (Coverage::Translucent, Sides::Both));
        // 0.5 ^ (1 / 2.2)
        let colour = surface.color(&surface.stages[0], &Inputs::default());
        assert!(colour.distance(Vec4::new(0.729_740, 0.0, 1.0, 0.25)) < 1e-5, "{colour}");
        let leaf = Surface::of_words(&Material::neutral("leaf"), 0, NamedImage::CutOut);
        assert_eq!(leaf.coverage, Coverage::Perforated);
        assert_eq!(leaf.alpha_threshold(&leaf.stages[0], &Inputs::default()), Some(0.5));
    }
}
