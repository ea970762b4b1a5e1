//! Materials of a game as surfaces: from the words of a decl, or from a name without a decl.

use crate::model::surface::{
    Coverage, Expression, ImageProgram, Lighting, Map, Sides, Sort, Stage, Surface, Table, TexGen, TextureTransform,
    Wrap,
};
use bindpose_parsers::Span;
use bindpose_parsers::decl::{self, BlendFactor, Deform};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Converts a material to the surface that an engine draws. `table` looks up the tables of its game.
///
/// Missing stages are added (a flat bump map, a white diffuse map), and all stages are sorted.
pub fn surface(material: decl::Material, mut table: impl FnMut(&str) -> Option<Arc<Table>>) -> Surface {
    let is_drawn = !material.stages.is_empty() || material.gui.is_some();
    let is_decal = material.polygon_offset.is_some();
    let is_halo = matches!(material.deform, Some(Deform::Sprite | Deform::Tube | Deform::Flare(_)));
    let mut surface = Surface {
        sides: match () {
            () if material.two_sided || is_halo => Sides::Both,
            () if material.back_sided => Sides::Back,
            () => Sides::Front,
        },
        polygon_offset: material.polygon_offset.unwrap_or(0.0),
        is_drawn,
        is_unsmoothed: material.unsmoothed_tangents,
        left_out: left_out(&material),
        stages: material.stages,
        ..Surface::default()
    };
    for stage in surface.stages.iter_mut().filter(|stage| stage.map.is_none() && stage.special.is_none()) {
        stage.map = Some(Map::Image(ImageProgram::Image("_default".to_owned())));
    }
    // Images are filtered unless a stage says otherwise, however small they are.
    surface.stages.iter_mut().for_each(|stage| stage.nearest = Some(stage.nearest.unwrap_or(false)));
    add_implied(&mut surface.stages);
    sort_groups(&mut surface.stages);
    let coverage = material.coverage.unwrap_or_else(|| coverage_of(&surface.stages));
    (surface.coverage, surface.sort) = match material.sort {
        Some(sort) => (coverage, sort),
        None if is_decal => (coverage, Sort::DECAL),
        None if coverage == Coverage::Translucent => (coverage, Sort::MEDIUM),
        None => (coverage, Sort::OPAQUE),
    };
    // It shows the finished frame behind it.
    if surface.stages.iter().any(shows_the_screen) && surface.sort != Sort::PORTAL_SKY {
        surface.coverage = Coverage::Translucent;
        surface.sort = Sort::POST_PROCESS;
    }
    let names = surface.stages.iter().flat_map(tables_of);
    surface.tables = names.filter_map(|name| Some((name.clone(), table(&name)?))).collect::<BTreeMap<_, _>>();
    surface
}

/// Returns the words outside the stages whose effect only a running game has.
fn left_out(material: &decl::Material) -> Vec<String> {
    let deform = material.deform.as_ref().map(|deform| match deform {
        Deform::Sprite => "deform sprite",
        Deform::Tube => "deform tube",
        Deform::Flare(_) => "deform flare",
        Deform::Expand(_) => "deform expand",
        Deform::Move(_) => "deform move",
        Deform::Turbulent(..) => "deform turbulent",
        Deform::EyeBall => "deform eyeBall",
        Deform::Particle(_) => "deform particle",
    });
    let screen = material.gui.is_some().then_some("guisurf");
    let mirror = material.others.iter().any(|word| word.text == "mirror").then_some("mirror");
    [deform, screen, mirror].into_iter().flatten().map(str::to_owned).collect()
}

/// Returns the surface of a material without a decl but with an image of its name: that image, unlit and clamped.
pub(crate) fn implicit(name: &str) -> Surface {
    let parms = [0, 1, 2, 3].map(|parm| Some(Expression::Parm(parm)));
    let blend = decl::Blend { source: BlendFactor::SrcAlpha, destination: BlendFactor::OneMinusSrcAlpha };
    // The engine puts the name in quotes and then reads it as a program.
    let program = decl::parse_image_program(name.as_bytes());
    let program = program.map_or_else(|_| ImageProgram::Image(name.to_owned()), |parsed| parsed.decl);
    let map = Some(Map::Image(program));
    let stage = Stage { blend, map, color: parms, wrap: Some(Wrap::Clamp), ..Stage::new(Span::default()) };
    Surface { stages: vec![stage], coverage: Coverage::Translucent, sort: Sort::MEDIUM, ..Surface::default() }
}

/// Returns the surface of a material that is not found: a conspicuous pattern.
pub(crate) fn default_surface() -> Surface {
    Surface { sort: Sort::OPAQUE, coverage: Coverage::Opaque, ..implicit("_default") }
}

/// Adds the stages that a lit material lacks: a flat bump map, and white for missing diffuse and specular maps.
fn add_implied(stages: &mut Vec<Stage>) {
    let has = |stages: &[Stage], lighting| stages.iter().any(|stage| stage.lighting == lighting);
    if stages.iter().all(|stage| stage.lighting == Lighting::Ambient) {
        return;
    }
    let implied = |lighting, name: &str| {
        let map = Some(Map::Image(ImageProgram::Image(name.to_owned())));
        Stage { lighting, map, ..Stage::new(Span::default()) }
    };
    if !has(stages, Lighting::Bump) {
        stages.push(implied(Lighting::Bump, "_flat"));
    }
    let mirrors = stages.iter().any(|stage| stage.texture_coordinates == TexGen::Reflect);
    if !has(stages, Lighting::Diffuse) && !has(stages, Lighting::Specular) && !mirrors {
        stages.push(implied(Lighting::Diffuse, "_white"));
    }
}

/// Sorts each group of stages. A group begins with a bump map. If the first stage is not one, all stages form one
/// group.
fn sort_groups(stages: &mut [Stage]) {
    let mut rest = stages;
    while let Some((first, others)) = rest.split_first() {
        let end = match first.lighting {
            Lighting::Bump => others.iter().position(|stage| stage.lighting == Lighting::Bump),
            Lighting::Ambient | Lighting::Diffuse | Lighting::Specular => None,
        };
        let end = end.map_or(rest.len(), |before| before + 1);
        let (group, after) = rest.split_at_mut(end);
        group.sort_by_key(|stage| stage.lighting);
        rest = after;
    }
}

/// Derives the coverage from the stages.
fn coverage_of(stages: &[Stage]) -> Coverage {
    use BlendFactor::{DstAlpha, DstColor, OneMinusDstAlpha, OneMinusDstColor};
    let is_lit = stages.iter().any(|stage| stage.lighting != Lighting::Ambient);
    match stages.first() {
        None => Coverage::Translucent,
        Some(_) if is_lit => Coverage::Opaque,
        Some(first) => {
            let mixes = first.blend.destination != BlendFactor::Zero
                || matches!(first.blend.source, DstColor | OneMinusDstColor | DstAlpha | OneMinusDstAlpha);
            if mixes { Coverage::Translucent } else { Coverage::Opaque }
        }
    }
}

fn shows_the_screen(stage: &Stage) -> bool {
    let programs = stage.map.iter().map(|map| map.program()).chain(&stage.fragment_maps);
    programs.flat_map(ImageProgram::images).any(|name| name.eq_ignore_ascii_case("_currentRender"))
}

/// Returns the names of the tables that a stage uses.
fn tables_of(stage: &Stage) -> Vec<String> {
    let mut names = Vec::new();
    let mut add = |expression: &Expression| collect(expression, &mut names);
    stage.color.iter().flatten().chain(&stage.condition).chain(&stage.alpha_test).for_each(&mut add);
    let mut rotates = false;
    for transform in &stage.transforms {
        match transform {
            TextureTransform::Translate(x, y)
            | TextureTransform::Scale(x, y)
            | TextureTransform::CenterScale(x, y)
            | TextureTransform::Shear(x, y) => [x, y].into_iter().for_each(&mut add),
            TextureTransform::Rotate(turns) => {
                add(turns);
                rotates = true;
            }
        }
    }
    if let TexGen::WobbleSky(turns) = &stage.texture_coordinates {
        turns.iter().for_each(&mut add);
    }
    if rotates {
        names.extend([crate::model::surface::SINE, crate::model::surface::COSINE].map(str::to_owned));
    }
    names
}

fn collect(expression: &Expression, names: &mut Vec<String>) {
    match expression {
        Expression::Table(name, index) => {
            names.push(name.clone());
            collect(index, names);
        }
        Expression::Binary(_, a, b) => [a, b].into_iter().for_each(|side| collect(side, names)),
        _ => {}
    }
}

/// Returns the names of the tables that a material uses, in lower case, including `sintable` and `costable` for its
/// rotations.
pub(crate) fn tables_named(material: &decl::Material) -> Vec<String> {
    let mut names: Vec<String> = material.stages.iter().flat_map(tables_of).collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m23_a_material_without_a_decl_shows_its_image_unlit() {
        let surface = implicit("models/imp/skin");
        assert_eq!(surface.main_image(), Some(&ImageProgram::Image("models/imp/skin".into())));
        assert_eq!((surface.stages[0].lighting, surface.stages[0].wrap), (Lighting::Ambient, Some(Wrap::Clamp)));
        // The lexer cuts the name at the minus, as the engine does.
        assert_eq!(implicit("a-b").main_image(), Some(&ImageProgram::Image("a".into())));
        assert_eq!(default_surface().main_image(), Some(&ImageProgram::Image("_default".into())));
    }

    #[test]
    fn m28_tables_are_those_of_expressions_and_rotations() {
        let material = decl::parse_material(b"{ { map x rotate ramp[time] } }", Span::new(0, 31)).decl;
        assert_eq!(tables_named(&material), ["costable", "ramp", "sintable"]);
    }
}
