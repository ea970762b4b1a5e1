//! Draw passes of a surface: its stages at one time, grouped as an engine groups them.

use super::material_images::GpuMaterial;
use bindpose_core::model::surface::{
    Blend, BlendFactor, Coverage, Inputs, Lighting, Stage, Surface, TexGen, VertexColor,
};
use glam::{DAffine2, Vec4};

/// Shading of surfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shading {
    /// Full lighting.
    #[default]
    Lit,
    /// Diffuse light only.
    Diffuse,
    /// Normals in world space, including bump maps: red is +X, green +Y, blue +Z.
    Normals,
    /// Specular highlights only.
    Specular,
    /// Unlit images.
    Unlit,
}

impl Shading {
    /// All values, in the order in which the key selects them.
    pub const ALL: [Self; 5] = [Self::Lit, Self::Diffuse, Self::Normals, Self::Specular, Self::Unlit];

    /// Returns the name in options and panels.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lit => "lit",
            Self::Diffuse => "diffuse",
            Self::Normals => "normals",
            Self::Specular => "specular",
            Self::Unlit => "unlit",
        }
    }
}

/// A draw of a surface over the previous ones.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pass {
    pub kind: Kind,
    pub bump: Option<Layer>,
    pub diffuse: Option<Layer>,
    pub specular: Option<Layer>,
    /// Largest alpha at which texels of the diffuse layer are discarded.
    pub threshold: Option<f32>,
    pub blend: Blend,
    /// Channels of the frame that are not written: red, green, blue, alpha.
    pub mask: [bool; 4],
    /// Use of vertex colours.
    pub vertex_color: VertexColor,
    /// True if the pass is drawn only on pixels of earlier passes.
    pub only_where_drawn: bool,
}

/// Kind of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Lit layers.
    Lit,
    /// Unlit diffuse layer.
    Plain,
    /// Normals.
    Normals,
    /// Highlights only.
    Highlights,
    /// Black base of additive passes.
    Black,
}

/// Image of a pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layer {
    /// Index of its stage in the surface.
    pub stage: usize,
    /// Transform of texture coordinates.
    pub image_from_mesh: DAffine2,
    /// RGBA factor in the image's colour encoding.
    pub colour: Vec4,
}

/// Images of a pass. Each combination has a program of its own, because software OpenGL executes both sides of every
/// branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PassImages {
    pub diffuse: bool,
    pub bump: bool,
    pub specular: bool,
    /// Coordinates on the diffuse image, by their number in shaders/figure.frag.
    pub lookup: usize,
}

impl PassImages {
    /// Returns the images of a pass of a material.
    pub fn of(material: &GpuMaterial, pass: &Pass) -> Self {
        let is_image = |layer: Option<Layer>| {
            layer.is_some_and(|layer| material.images.get(layer.stage).is_some_and(Option::is_some))
        };
        let diffuse = pass.diffuse.and_then(|layer| material.surface.stages.get(layer.stage));
        Self {
            diffuse: is_image(pass.diffuse),
            bump: is_image(pass.bump),
            specular: is_image(pass.specular),
            lookup: match diffuse.map(|stage| &stage.texture_coordinates) {
                None | Some(TexGen::Mesh | TexGen::WobbleSky(_)) => 0,
                Some(TexGen::Reflect) => 1,
                Some(TexGen::Normal) => 2,
                Some(TexGen::Skybox) => 3,
            },
        }
    }

    /// Returns the images of the first pass of a material in full light.
    pub fn of_first_pass(material: &GpuMaterial) -> Self {
        let passes = passes(&material.surface, &Inputs::default(), Shading::Lit);
        passes.first().map(|pass| Self::of(material, pass)).unwrap_or_default()
    }
}

/// Replaces the frame.
pub(super) const REPLACE: Blend = Blend { source: BlendFactor::One, destination: BlendFactor::Zero };
const ADD: Blend = Blend { source: BlendFactor::One, destination: BlendFactor::One };

impl Pass {
    fn new(kind: Kind, blend: Blend) -> Self {
        Self {
            kind,
            bump: None,
            diffuse: None,
            specular: None,
            threshold: None,
            blend,
            mask: [false; 4],
            vertex_color: VertexColor::Ignored,
            only_where_drawn: false,
        }
    }
}

/// Returns the passes of a surface in order.
pub(super) fn passes(surface: &Surface, inputs: &Inputs, shading: Shading) -> Vec<Pass> {
    let is_opaque = surface.coverage != Coverage::Translucent;
    let stages = || surface.stages.iter().enumerate().filter(|(_, stage)| surface.is_on(stage, inputs));
    let layer = |(number, stage): (usize, &Stage)| Layer {
        stage: number,
        image_from_mesh: surface.image_from_mesh(stage, inputs),
        // Engines clamp colours too.
        colour: surface.color(stage, inputs).clamp(Vec4::ZERO, Vec4::ONE),
    };
    let mut lit = groups(stages(), &layer, shading);
    for (number, pass) in lit.iter_mut().enumerate() {
        let own = pass.diffuse.and_then(|diffuse| surface.stages.get(diffuse.stage)).map(|stage| stage.blend);
        pass.blend = match own {
            Some(own) if own != REPLACE => own,
            _ if is_opaque && number == 0 => REPLACE,
            _ => ADD,
        };
    }
    let shows_ambient = match shading {
        Shading::Lit | Shading::Unlit => true,
        Shading::Diffuse => lit.is_empty(),
        Shading::Normals | Shading::Specular => false,
    };
    let ambient = stages().filter(|(_, stage)| stage.lighting == Lighting::Ambient && shows_ambient);
    let nothing = Blend { source: BlendFactor::Zero, destination: BlendFactor::One };
    // Reflections use the surface's first bump map.
    let bump = stages().find(|(_, stage)| stage.lighting == Lighting::Bump).map(&layer);
    let mut passes = lit;
    passes.extend(ambient.filter(|(_, stage)| stage.blend != nothing).map(|(number, stage)| Pass {
        bump: bump.filter(|_| stage.texture_coordinates == TexGen::Reflect),
        diffuse: Some(layer((number, stage))),
        threshold: surface.alpha_threshold(stage, inputs).map(|threshold| threshold as f32),
        mask: stage.mask,
        vertex_color: stage.vertex_color,
        ..Pass::new(Kind::Plain, stage.blend)
    }));
    if passes.is_empty() && matches!(shading, Shading::Normals | Shading::Specular) && stages().next().is_some() {
        let kind = if shading == Shading::Normals { Kind::Normals } else { Kind::Black };
        passes.push(Pass::new(kind, if is_opaque { REPLACE } else { ADD }));
    }
    if is_opaque {
        filled(surface, inputs, &mut passes, &layer);
    }
    passes
}

/// Groups lit stages as an engine does. A bump map begins a group. A second diffuse or specular image begins the next
/// pass, which keeps the rest of the group. The last stage of a pass decides about vertex colours.
fn groups<'a>(
    stages: impl Iterator<Item = (usize, &'a Stage)>,
    layer: &impl Fn((usize, &Stage)) -> Layer,
    shading: Shading,
) -> Vec<Pass> {
    let kind = match shading {
        Shading::Lit | Shading::Diffuse => Kind::Lit,
        Shading::Unlit => Kind::Plain,
        Shading::Normals => Kind::Normals,
        Shading::Specular => Kind::Highlights,
    };
    let mut passes: Vec<Pass> = Vec::new();
    let mut present = Pass::new(kind, ADD);
    let mut finish = |present: &Pass| {
        let counts = match kind {
            Kind::Lit => present.diffuse.is_some() || present.specular.is_some(),
            Kind::Plain => present.diffuse.is_some(),
            Kind::Highlights | Kind::Normals | Kind::Black => passes.is_empty() || present.specular.is_some(),
        };
        if counts && (present.bump.is_some() || present.diffuse.is_some() || present.specular.is_some()) {
            passes.push(present.clone());
        }
    };
    for (number, stage) in stages {
        let next = Some(layer((number, stage)));
        match stage.lighting {
            Lighting::Ambient => {}
            Lighting::Bump => {
                finish(&present);
                present = Pass { bump: next, ..Pass::new(kind, ADD) };
            }
            Lighting::Diffuse => {
                if present.diffuse.is_some() {
                    finish(&present);
                }
                (present.diffuse, present.vertex_color) = (next, stage.vertex_color);
            }
            Lighting::Specular if shading == Shading::Diffuse => {}
            Lighting::Specular => {
                if present.specular.is_some() {
                    finish(&present);
                }
                (present.specular, present.vertex_color) = (next, stage.vertex_color);
            }
        }
    }
    finish(&present);
    if kind == Kind::Normals {
        passes.truncate(1);
    }
    passes
}

/// Makes an opaque surface begin with an opaque pass, without its discarded texels.
fn filled(surface: &Surface, inputs: &Inputs, passes: &mut Vec<Pass>, layer: &impl Fn((usize, &Stage)) -> Layer) {
    let stages = surface.stages.iter().enumerate().filter(|(_, stage)| surface.is_on(stage, inputs));
    let tested: Vec<(Layer, f32)> = stages
        .filter_map(|(number, stage)| Some((layer((number, stage)), surface.alpha_threshold(stage, inputs)? as f32)))
        .collect();
    let Some(first) = passes.first_mut() else { return };
    match tested[..] {
        [] if first.blend == REPLACE => {}
        // The only pass can discard texels itself.
        [(layer, threshold)] if first.blend == REPLACE && first.diffuse.is_none_or(|own| own == layer) => {
            (first.diffuse, first.threshold) = (Some(layer), Some(threshold));
            passes.iter_mut().skip(1).for_each(|pass| pass.only_where_drawn = true);
        }
        _ => {
            passes.iter_mut().for_each(|pass| pass.only_where_drawn = true);
            let solid = Pass::new(Kind::Black, REPLACE);
            let fill = tested.iter().map(|&(layer, threshold)| Pass {
                diffuse: Some(layer),
                threshold: Some(threshold),
                ..solid.clone()
            });
            let fill: Vec<Pass> = if tested.is_empty() { vec![solid.clone()] } else { fill.collect() };
            passes.splice(..0, fill);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::game::material;
    use bindpose_core::model::Material;
    use bindpose_core::model::NamedImage;
    use bindpose_parsers::Span;
    use bindpose_parsers::decl::parse_material;

    fn of(text: &str) -> Surface {
        let parsed = parse_material(text.as_bytes(), Span::new(0, text.len()));
        assert!(parsed.faults.is_empty(), "{text}: {:?}", parsed.faults);
        material::surface(parsed.decl, |_| None)
    }

    /// Returns the kind of each pass, the stages of its bump, diffuse and specular image, and true if it replaces the
    /// frame.
    fn drawn(surface: &Surface, shading: Shading) -> Vec<(Kind, [Option<usize>; 3], bool)> {
        let stage = |layer: Option<Layer>| layer.map(|layer| layer.stage);
        let row = |pass: &Pass| (pass.kind, [pass.bump, pass.diffuse, pass.specular].map(stage), pass.blend == REPLACE);
        passes(surface, &Inputs::default(), shading).iter().map(row).collect()
    }

    #[test]
    fn stages_of_one_group_are_one_draw() {
        let surface = of("{ diffusemap d bumpmap b specularmap s { blend add map glow } }");
        let lit = [(Kind::Lit, [Some(0), Some(1), Some(2)], true), (Kind::Plain, [None, Some(3), None], false)];
        // Ambient stages keep their position; here the bump map's group comes first.
        let ambient = surface.stages.iter().position(|stage| stage.lighting == Lighting::Ambient);
        assert_eq!(ambient, Some(0), "the ambient stage is sorted to the front of its group");
        let shifted =
            |[bump, diffuse, specular]: [Option<usize>; 3]| [bump, diffuse, specular].map(|n| n.map(|n| n + 1));
        let expected = [(lit[0].0, shifted(lit[0].1), lit[0].2), (lit[1].0, [None, Some(0), None], lit[1].2)];
        assert_eq!(drawn(&surface, Shading::Lit), expected);
    }

    #[test]
    fn each_bump_map_begins_a_draw_that_adds() {
        let surface = of("{ bumpmap b diffusemap d bumpmap c diffusemap e }");
        let expected = [(Kind::Lit, [Some(0), Some(1), None], true), (Kind::Lit, [Some(2), Some(3), None], false)];
        assert_eq!(drawn(&surface, Shading::Lit), expected);
        // Without a bump map between them, the second diffuse map is a separate draw.
        let surface = of("{ bumpmap b diffusemap d diffusemap e specularmap s }");
        let expected = [(Kind::Lit, [Some(0), Some(1), None], true), (Kind::Lit, [Some(0), Some(2), Some(3)], false)];
        assert_eq!(drawn(&surface, Shading::Lit), expected);
    }

    #[test]
    fn a_second_specular_map_keeps_what_its_group_has() {
        let surface = of("{ bumpmap b diffusemap d specularmap s specularmap t }");
        let expected =
            [(Kind::Lit, [Some(0), Some(1), Some(2)], true), (Kind::Lit, [Some(0), Some(1), Some(3)], false)];
        assert_eq!(drawn(&surface, Shading::Lit), expected);
        let surface = of("{ bumpmap b diffusemap d { blend specularmap map s vertexColor } }");
        let [pass] = &passes(&surface, &Inputs::default(), Shading::Lit)[..] else { panic!("one draw") };
        assert_eq!(pass.vertex_color, VertexColor::Multiplied);
    }

    #[test]
    fn factors_of_images_are_clamped_to_0_to_1() {
        let surface = of("{ { map x red 6 green 0.25 blue 0 * 2 alpha 1.5 } }");
        let [pass] = &passes(&surface, &Inputs::default(), Shading::Lit)[..] else { panic!("one draw") };
        assert_eq!(pass.diffuse.map(|layer| layer.colour.to_array()), Some([1.0, 0.25, 0.0, 1.0]));
    }

    #[test]
    fn additive_surfaces_begin_with_black() {
        let surface = of("{ forceOpaque { blend add map glow } }");
        let expected = [(Kind::Black, [None; 3], true), (Kind::Plain, [None, Some(0), None], false)];
        assert_eq!(drawn(&surface, Shading::Lit), expected);
        let surface = of("{ { blend add map glow } }");
        assert_eq!(drawn(&surface, Shading::Lit), [(Kind::Plain, [None, Some(0), None], false)]);
    }

    #[test]
    fn texels_are_discarded_in_all_draws() {
        let surface = of("{ { blend diffusemap map leaf alphaTest 0.5 } { blend add map glow } }");
        let all = passes(&surface, &Inputs::default(), Shading::Lit);
        let row: Vec<_> = all.iter().map(|pass| (pass.threshold, pass.only_where_drawn)).collect();
        assert_eq!(row, [(Some(0.5), false), (None, true)]);
        // Two alpha tests: a texel is drawn if it passes one of them.
        let surface = of("{ { blend diffusemap map a alphaTest 0.5 } { blend diffusemap map b alphaTest 0.25 } }");
        let all = passes(&surface, &Inputs::default(), Shading::Lit);
        let row: Vec<_> = all.iter().map(|pass| (pass.kind, pass.threshold, pass.only_where_drawn)).collect();
        let black = Kind::Black;
        assert_eq!(row[..2], [(black, Some(0.5), false), (black, Some(0.25), false)]);
        assert!(row[2..].iter().all(|&(_, _, only)| only));
    }

    #[test]
    fn shadings_show_a_part_of_the_stages() {
        let surface = of("{ diffusemap d bumpmap b specularmap s { blend add map glow } }");
        assert_eq!(drawn(&surface, Shading::Diffuse), [(Kind::Lit, [Some(1), Some(2), None], true)]);
        assert_eq!(drawn(&surface, Shading::Normals).len(), 1);
        assert_eq!(drawn(&surface, Shading::Specular)[0].1[2], Some(3));
        let plain: Vec<Kind> = drawn(&surface, Shading::Unlit).iter().map(|row| row.0).collect();
        assert_eq!(plain, [Kind::Plain, Kind::Plain]);
        // A surface without such light is still drawn.
        let ambient = of("{ { map x } }");
        assert_eq!(drawn(&ambient, Shading::Normals), [(Kind::Normals, [None; 3], true)]);
        assert_eq!(drawn(&ambient, Shading::Diffuse), [(Kind::Plain, [None, Some(0), None], true)]);
    }

    #[test]
    fn a_material_without_a_game_is_one_draw() {
        let cut_out = Material::neutral("leaf").plain_surface(0, NamedImage::CutOut);
        let [pass] = &passes(&cut_out, &Inputs::default(), Shading::Lit)[..] else { panic!("one draw") };
        assert_eq!((pass.kind, pass.threshold, pass.blend), (Kind::Lit, Some(0.5), REPLACE));
        assert_eq!(pass.vertex_color, VertexColor::Multiplied);
        let glass = Material { diffuse: Vec4::new(1.0, 1.0, 1.0, 0.5), ..Material::neutral("glass") };
        let glass = glass.plain_surface(0, NamedImage::Missing);
        let [pass] = &passes(&glass, &Inputs::default(), Shading::Lit)[..] else { panic!("one draw") };
        assert_eq!((pass.kind, pass.blend.source), (Kind::Lit, BlendFactor::SrcAlpha));
    }
}
