//! Which stages of a surface are what a glTF material has a place for.

use bindpose_core::model::surface::{
    Blend, BlendFactor, Coverage, Expression, ImageProgram, Inputs, Lighting, Map, Stage, Surface, TexGen,
};
use glam::Vec4;

/// The stages of a surface that glTF has a place for, as they are at the start.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layers<'a> {
    /// The surface.
    pub(super) surface: Option<&'a Surface>,
    /// Colour: the first diffuse stage; without one the first that is drawn as it is.
    pub base: Option<&'a Stage>,
    /// The first bump map.
    pub normal: Option<&'a Stage>,
    /// The first specular map.
    pub specular: Option<&'a Stage>,
    /// The first stage that is added as it is.
    pub glow: Option<&'a Stage>,
    /// How many stages are left.
    pub(super) others: usize,
}

impl<'a> Layers<'a> {
    /// The layers of a surface.
    pub fn of(surface: &'a Surface) -> Self {
        let mut layers = Self { surface: Some(surface), ..Self::default() };
        let is_lit = surface.stages.iter().any(|stage| stage.lighting == Lighting::Diffuse && is_image(stage));
        for stage in surface.stages.iter().filter(|stage| surface.is_on(stage, &Inputs::default())) {
            let place = match stage.lighting {
                Lighting::Bump => &mut layers.normal,
                Lighting::Diffuse => &mut layers.base,
                Lighting::Specular => &mut layers.specular,
                Lighting::Ambient if (is_lit || layers.base.is_some()) && adds(stage) => &mut layers.glow,
                Lighting::Ambient if is_lit || layers.base.is_some() => {
                    layers.others += 1;
                    continue;
                }
                Lighting::Ambient => &mut layers.base,
            };
            if place.is_none() && is_image(stage) {
                *place = Some(stage);
            } else {
                layers.others += 1;
            }
        }
        let says_something =
            |stage: &&Stage, nothing: &str| image(Some(stage)).is_none_or(|image| !is_called(image, nothing));
        layers.normal = layers.normal.filter(|stage| says_something(stage, "_flat"));
        layers.specular = layers.specular.filter(|stage| says_something(stage, "_black"));
        layers.glow = layers.glow.filter(|stage| says_something(stage, "_black"));
        layers
    }

    /// All that there are.
    fn all(self) -> impl Iterator<Item = &'a Stage> {
        [self.base, self.normal, self.specular, self.glow].into_iter().flatten()
    }

    /// What a layer's image is multiplied with at the start.
    pub(super) fn colour_of(self, stage: &Stage) -> Vec4 {
        self.surface.map_or(Vec4::ONE, |surface| surface.color(stage, &Inputs::default()))
    }

    /// Whether colours change with time, or layers come and go.
    pub(super) fn change(self) -> bool {
        self.all().flat_map(|stage| stage.color.iter().flatten().chain(&stage.condition)).any(changes)
    }

    /// Whether images are moved, turned or scaled on the surface.
    pub(super) fn are_transformed(self) -> bool {
        self.all().any(|stage| !stage.transforms.is_empty())
    }

    /// Whether the first image goes over what is there in another way than glTF has.
    pub(super) fn blend_is_other(self) -> bool {
        let is_translucent = self.surface.is_some_and(|surface| surface.coverage == Coverage::Translucent);
        is_translucent && self.base.is_some_and(|base| base.lighting == Lighting::Ambient && !mixes(base))
    }
}

/// The image of a stage; none where it is plain white.
pub fn image(stage: Option<&Stage>) -> Option<&ImageProgram> {
    let program = stage?.map.as_ref()?.program();
    (!is_called(program, "_white")).then_some(program)
}

fn is_called(program: &ImageProgram, name: &str) -> bool {
    matches!(program, ImageProgram::Image(image) if image.eq_ignore_ascii_case(name))
}

/// Whether a stage is an image on the surface.
fn is_image(stage: &Stage) -> bool {
    stage.special.is_none() && matches!(stage.map, Some(Map::Image(_))) && stage.texture_coordinates == TexGen::Mesh
}

fn adds(stage: &Stage) -> bool {
    stage.blend == Blend { source: BlendFactor::One, destination: BlendFactor::One }
}

/// Whether a stage goes over what is there by its alpha.
pub(super) fn mixes(stage: &Stage) -> bool {
    stage.blend == Blend { source: BlendFactor::SrcAlpha, destination: BlendFactor::OneMinusSrcAlpha }
}

/// Whether a value changes with time.
fn changes(expression: &Expression) -> bool {
    match expression {
        Expression::Time | Expression::Sound => true,
        Expression::Number(_) | Expression::Parm(_) | Expression::Global(_) | Expression::FragmentPrograms => false,
        Expression::Table(_, index) => changes(index),
        Expression::Binary(_, a, b) => changes(a) || changes(b),
    }
}
