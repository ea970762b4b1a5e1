//! Surfaces: layers of stages whose values may change with time.

use glam::{DAffine2, DMat2, DVec2, Vec3, Vec4};
use std::collections::BTreeMap;
use std::sync::Arc;

pub use bindpose_parsers::decl::{
    Blend, BlendFactor, Coverage, CubeSides, Expression, ImageProgram, Lighting, Map, Sort, Stage, Table, TexGen,
    TextureTransform, VertexColor, Wrap,
};

/// Drawing rules of a surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// Stages in drawing order: ambient, bump, diffuse and specular within each group.
    pub stages: Vec<Stage>,
    /// Sides that are drawn.
    pub sides: Sides,
    /// Transparency.
    pub coverage: Coverage,
    /// Drawing order among surfaces.
    pub sort: Sort,
    /// Offset towards the viewer, in OpenGL's units.
    pub polygon_offset: f64,
    /// False for hulls and other invisible surfaces.
    pub is_drawn: bool,
    /// True if green in its bump maps points to the image's top, as in glTF. False if to the bottom (+v), as in id Tech
    /// 4.
    pub bump_green_is_up: bool,
    /// Tables of its expressions, by name in lower case.
    pub tables: BTreeMap<String, Arc<Table>>,
    /// Linear RGB, added to the light before multiplication with images, as in Direct3D 9.
    pub emissive: Vec3,
    /// Specular exponent in Blinn's and Phong's formula.
    pub shininess: f32,
    /// True if each vertex gets the normal and tangent of its largest triangle only.
    pub is_unsmoothed: bool,
    /// Unsupported keywords of a game's material with a visible effect.
    pub left_out: Vec<String>,
}

/// Drawn sides of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sides {
    /// The side from which its triangles are counter-clockwise.
    #[default]
    Front,
    /// The other side.
    Back,
    /// Both sides are drawn.
    Both,
}

/// Inputs of expressions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inputs {
    /// Seconds since the start of the game or clip.
    pub time: f64,
    /// Parameters of the entity. The first four are its colour.
    pub parms: [f64; 12],
    /// Parameters of the game for all entities.
    pub globals: [f64; 8],
}

impl Default for Inputs {
    /// Returns time 0, a white entity, and 0 for everything else.
    fn default() -> Self {
        let mut parms = [0.0; 12];
        parms[..4].fill(1.0);
        Self { time: 0.0, parms, globals: [0.0; 8] }
    }
}

impl Surface {
    /// Replaces a stage's missing image by a muted colour chosen by `number`. Does nothing if there is no such stage.
    pub fn forget_image(&mut self, stage: usize, number: usize) {
        let Some(stage) = self.stages.get_mut(stage) else { return };
        let [red, green, blue] = quiet_colour(number).to_array().map(encoded);
        stage.map = Some(Map::Image(ImageProgram::Image("_white".to_owned())));
        (stage.color, stage.alpha_test) = ([red, green, blue, None], None);
    }

    /// Returns the image of the first diffuse stage, else of the first ambient one.
    pub fn main_image(&self) -> Option<&ImageProgram> {
        let of = |wanted: Lighting| {
            let mut stages = self.stages.iter().filter(move |stage| stage.lighting == wanted);
            stages.find_map(|stage| if let Some(Map::Image(program)) = &stage.map { Some(program) } else { None })
        };
        of(Lighting::Diffuse).or_else(|| of(Lighting::Ambient))
    }

    /// Returns the keyword for which a stage is not drawn: content of a running game, or unsupported texture
    /// coordinates.
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

    /// Evaluates an expression. True is 1, false is 0. A missing table gives 1.
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

    /// True if the appearance depends on time.
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

    /// True if a stage's condition holds.
    pub fn is_on(&self, stage: &Stage, inputs: &Inputs) -> bool {
        stage.condition.as_ref().is_none_or(|condition| self.value(condition, inputs) != 0.0)
    }

    /// Returns the RGBA factor of a stage's image, in the image's encoding.
    pub fn color(&self, stage: &Stage, inputs: &Inputs) -> Vec4 {
        let channel = |expression: &Option<Expression>| {
            expression.as_ref().map_or(1.0, |expression| self.value(expression, inputs)) as f32
        };
        Vec4::from_array(stage.color.each_ref().map(channel))
    }

    /// Returns the alpha that a stage's texels must exceed. Returns `None` without an alpha test.
    pub fn alpha_threshold(&self, stage: &Stage, inputs: &Inputs) -> Option<f64> {
        stage.alpha_test.as_ref().map(|expression| self.value(expression, inputs))
    }

    /// Returns the transform from the mesh's texture coordinates to those of a stage's image.
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

/// Returns the muted linear colour number `number` for surfaces without an image.
pub(super) fn quiet_colour(number: usize) -> Vec3 {
    const SRGB: [[u8; 3]; 6] =
        [[184, 178, 168], [150, 163, 176], [176, 158, 140], [152, 170, 150], [178, 156, 160], [160, 154, 178]];
    Vec3::from_array(SRGB[number % SRGB.len()].map(|channel| (f32::from(channel) / 255.0).powf(2.2)))
}

/// Encodes a linear channel like the colours of stages, which is the encoding of images.
pub(super) fn encoded(linear: f32) -> Option<Expression> {
    Some(Expression::Number(libm::pow(linear.max(0.0).into(), 1.0 / 2.2)))
}

/// Lower-case name of the engine's table of sines.
pub const SINE: &str = "sintable";
/// Lower-case name of the engine's table of cosines.
pub const COSINE: &str = "costable";

impl Default for Surface {
    /// Returns an opaque, front-sided surface without stages.
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
