//! Stages of a surface that a glTF material can represent.

use bindpose_core::model::surface::{
    Blend, BlendFactor, Coverage, Expression, ImageProgram, Inputs, Lighting, Map, Stage, Surface, TexGen,
};
use glam::Vec4;

/// Stages of a surface that glTF can represent, at time 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layers<'a> {
    pub(super) surface: Option<&'a Surface>,
    /// Base colour: the first diffuse stage, or the first unlit stage if there is none.
    pub base: Option<&'a Stage>,
    /// The first bump map.
    pub normal: Option<&'a Stage>,
    /// The first specular map.
    pub specular: Option<&'a Stage>,
    /// The first stage that is added without lighting.
    pub glow: Option<&'a Stage>,
    /// Number of stages that are not represented.
    pub(super) others: usize,
}

impl<'a> Layers<'a> {
    /// Assigns the stages of a surface to layers.
    pub fn of(surface: &'a Surface) -> Self {
        let mut layers = Self { surface: Some(surface), ..Self::default() };
        let is_lit = surface.stages.iter().any(|stage| stage.lighting == Lighting::Diffuse && is_image(stage));
        for stage in surface.stages.iter().filter(|stage| surface.is_on(stage, &Inputs::default())) {
            let layer = match stage.lighting {
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
            if layer.is_none() && is_image(stage) {
                *layer = Some(stage);
            } else {
                layers.others += 1;
            }
        }
        let is_visible =
            |stage: &&Stage, nothing: &str| image(Some(stage)).is_none_or(|image| !is_called(image, nothing));
        layers.normal = layers.normal.filter(|stage| is_visible(stage, "_flat"));
        layers.specular = layers.specular.filter(|stage| is_visible(stage, "_black"));
        layers.glow = layers.glow.filter(|stage| is_visible(stage, "_black"));
        layers
    }

    /// Returns all layers that are present.
    fn all(self) -> impl Iterator<Item = &'a Stage> {
        [self.base, self.normal, self.specular, self.glow].into_iter().flatten()
    }

    /// Returns the factor of a layer's image at time 0.
    pub(super) fn colour_of(self, stage: &Stage) -> Vec4 {
        self.surface.map_or(Vec4::ONE, |surface| surface.color(stage, &Inputs::default()))
    }

    /// True if colours change with time, or layers appear and disappear.
    pub(super) fn change(self) -> bool {
        self.all().flat_map(|stage| stage.color.iter().flatten().chain(&stage.condition)).any(changes)
    }

    /// True if images are moved, turned or scaled on the surface.
    pub(super) fn are_transformed(self) -> bool {
        self.all().any(|stage| !stage.transforms.is_empty())
    }

    /// True if the first image uses a blend mode that glTF does not have.
    pub(super) fn blend_is_other(self) -> bool {
        let is_translucent = self.surface.is_some_and(|surface| surface.coverage == Coverage::Translucent);
        is_translucent && self.base.is_some_and(|base| base.lighting == Lighting::Ambient && !mixes(base))
    }
}

/// Returns the image of a stage; `None` if it is plain white.
pub fn image(stage: Option<&Stage>) -> Option<&ImageProgram> {
    let program = stage?.map.as_ref()?.program();
    (!is_called(program, "_white")).then_some(program)
}

fn is_called(program: &ImageProgram, name: &str) -> bool {
    matches!(program, ImageProgram::Image(image) if image.eq_ignore_ascii_case(name))
}

/// True if a stage is an image with the mesh's texture coordinates.
fn is_image(stage: &Stage) -> bool {
    stage.special.is_none() && matches!(stage.map, Some(Map::Image(_))) && stage.texture_coordinates == TexGen::Mesh
}

fn adds(stage: &Stage) -> bool {
    stage.blend == Blend { source: BlendFactor::One, destination: BlendFactor::One }
}

/// True if a stage is blended by its own alpha.
pub(super) fn mixes(stage: &Stage) -> bool {
    stage.blend == Blend { source: BlendFactor::SrcAlpha, destination: BlendFactor::OneMinusSrcAlpha }
}

/// True if a value changes with time.
fn changes(expression: &Expression) -> bool {
    match expression {
        Expression::Time | Expression::Sound => true,
        Expression::Number(_) | Expression::Parm(_) | Expression::Global(_) | Expression::FragmentPrograms => false,
        Expression::Table(_, index) => changes(index),
        Expression::Binary(_, a, b) => changes(a) || changes(b),
    }
}
