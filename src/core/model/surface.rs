//! How a surface is drawn: stages over stages, whose values change with time.

use bindpose_parsers::Span;
use bindpose_parsers::decl::parse_image_program;
use glam::{DAffine2, DMat2, DVec2, Vec4};
use std::collections::BTreeMap;
use std::sync::Arc;

pub use bindpose_parsers::decl::{
    Blend, BlendFactor, Coverage, Expression, ImageProgram, Lighting, Map, Sort, Stage, Table, TexGen,
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
}

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
    /// A surface that shows one image, lit.
    pub fn of_image(name: &str) -> Self {
        let program = match parse_image_program(name.as_bytes()) {
            Ok(parsed) if parsed.faults.is_empty() && parsed.decl.to_string() == name => parsed.decl,
            _ => ImageProgram::Image(name.to_owned()),
        };
        let map = Some(Map::Image(program));
        let stage = Stage { lighting: Lighting::Diffuse, map, ..Stage::new(Span::default()) };
        Self { stages: vec![stage], ..Self::default() }
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

    /// Whether a stage is drawn now.
    pub fn is_on(&self, stage: &Stage, inputs: &Inputs) -> bool {
        stage.condition.as_ref().is_none_or(|condition| self.value(condition, inputs) != 0.0)
    }

    /// Red, green, blue and alpha that a stage's image is multiplied with.
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
        }
    }
}
