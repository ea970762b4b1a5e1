//! Materials of id Tech 4 as surfaces: stages, coverage, texture coordinates and values over time.

use bindpose_core::game::material::surface;
use bindpose_core::model::surface::{Coverage, Inputs, Sides, Sort, Stage, Surface};
use bindpose_parsers::Span;
use bindpose_parsers::decl::{Table, parse_material, parse_table};
use glam::DVec2;
use std::sync::Arc;

fn tables(name: &str) -> Option<Arc<Table>> {
    let text = match name {
        "sintable" => "{ { 0, 1, 0, -1 } }",
        "costable" => "{ { 1, 0, -1, 0 } }",
        "ramp" => "{ { 0, 1 } }",
        _ => return None,
    };
    Some(parse_table(text.as_bytes(), Span::new(0, text.len())).decl.into())
}

fn of(text: &str) -> Surface {
    let parsed = parse_material(text.as_bytes(), Span::new(0, text.len()));
    assert!(parsed.faults.is_empty(), "{text}: {:?}", parsed.faults);
    surface(parsed.decl, tables)
}

/// Describes stages by their letter (`b` for bump) and image.
fn stages(text: &str) -> String {
    let stage = |stage: &Stage| {
        let letter = ["a", "b", "d", "s"][stage.lighting as usize];
        format!("{letter}:{}", stage.map.as_ref().map_or_else(String::new, |map| map.program().to_string()))
    };
    of(text).stages.iter().map(stage).collect::<Vec<_>>().join(" ")
}

fn at(time: f64) -> Inputs {
    Inputs { time, ..Inputs::default() }
}

#[test]
fn words_of_the_head_are_followed_or_left_out() {
    let left_out = |text: &str| of(text).left_out;
    assert_eq!(left_out("{ deform expand 2 guisurf x mirror }"), ["deform expand", "guisurf", "mirror"]);
    assert_eq!(left_out("{ DEFORM EyeBall }"), ["deform eyeBall"]);
    let plain = of("{ unsmoothedTangents twoSided noShadows }");
    assert_eq!((plain.left_out.len(), plain.is_unsmoothed, of("{ twoSided }").is_unsmoothed), (0, true, false));
}

#[test]
fn m01_m02_m03_what_lacks_is_added_and_sorted() {
    assert_eq!(stages("{ diffusemap textures/x.tga }"), "b:_flat d:textures/x.tga");
    assert_eq!(stages("{ { blend diffusemap map x } { blend bumpmap map y } }"), "b:y d:x");
    assert_eq!(stages("{ bumpmap y }"), "b:y d:_white");
    assert_eq!(stages("{ bumpmap y specularmap z }"), "b:y s:z");
    // If the first stage is not a bump map, the second one belongs to the only group.
    assert_eq!(stages("{ diffusemap d1 bumpmap b1 diffusemap d2 bumpmap b2 }"), "b:b1 b:b2 d:d1 d:d2");
    assert_eq!(
        stages("{ bumpmap b1 specularmap s1 diffusemap d1 bumpmap b2 diffusemap d2 }"),
        "b:b1 d:d1 s:s1 b:b2 d:d2"
    );
    assert_eq!(stages("{ diffusemap d { blend add map glow } }"), "a:glow b:_flat d:d");
}

#[test]
fn m04_to_m12_coverage() {
    use Coverage::{Opaque, Perforated, Translucent};
    for (text, coverage) in [
        ("{ { map x } }", Opaque),
        ("{ { blend add map x } }", Translucent),
        ("{ { blend gl_one, gl_one map x } }", Translucent),
        ("{ { blend filter map x } }", Translucent),
        ("{ { blend diffusemap map x alphaTest 0.5 } }", Perforated),
        ("{ { blend diffusemap map x alphaTest 0.5 } translucent }", Translucent),
        ("{ forceOpaque { blend add map x } }", Opaque),
        ("{ diffusemap x { blend add map y } }", Opaque),
        ("{ { map _currentRender } }", Translucent),
        ("{ { fragmentProgram x.vfp fragmentMap 0 _currentRender } diffusemap y }", Translucent),
        ("{ }", Translucent),
    ] {
        assert_eq!(of(text).coverage, coverage, "{text}");
    }
    assert!(!of("{ }").is_drawn && of("{ guisurf x }").is_drawn);
    let leaf = of("{ twoSided { blend diffusemap map x alphaTest 0.5 } }");
    assert_eq!(leaf.sides, Sides::Both);
    let tested: Vec<_> = leaf.stages.iter().filter_map(|stage| leaf.alpha_threshold(stage, &at(0.0))).collect();
    assert_eq!(tested, [0.5]);
    assert_eq!(
        (of("{ polygonOffset\n diffusemap x }").sort, of("{ { blend add map x } }").sort),
        (Sort::DECAL, Sort::MEDIUM)
    );
}

#[test]
fn m25_m27_texture_coordinates_move() {
    let scroll = of("{ { blend diffusemap map a.tga scroll time * 0.1 , 0 } }");
    let uv = |surface: &Surface, stage: usize, time, uv: [f64; 2]| {
        surface.image_from_mesh(&surface.stages[stage], &at(time)).transform_point2(DVec2::from_array(uv))
    };
    // The engine's number is a 32-bit float.
    assert!(uv(&scroll, 1, 0.5, [0.0; 2]).distance(DVec2::new(0.05, 0.0)) < 1e-8);
    let turned = of("{ { map x rotate 0.25 } }");
    // s' = c s - k t + ..., t' = k s + c t + ... about the middle: (1, 0.5) maps to (0.5, 1).
    assert!(uv(&turned, 0, 0.0, [1.0, 0.5]).distance(DVec2::new(0.5, 1.0)) < 1e-12);
    // From numpy: the new matrix applies first, then the old one.
    let both = of("{ { map x scroll 0.25 , 0 centerScale 2 , 4 } }");
    assert_eq!(uv(&both, 0, 0.0, [0.0, 1.0]), DVec2::new(-0.25, 2.5));
    let other = of("{ { map x scale 2 , 4 scroll 0.25 , 1 } }");
    assert_eq!(uv(&other, 0, 0.0, [0.5, 0.5]), DVec2::new(1.5, 6.0));
    let sheared = of("{ { map x shear 0.5 , 0.25 } }");
    assert_eq!(uv(&sheared, 0, 0.0, [1.0, 0.0]), DVec2::new(0.75, 0.125));
}

#[test]
fn m28_values_follow_time_and_entity() {
    let surface = of("{ { if ( parm7 == 0 ) blend add map glow rgb ramp[ time ] * parm1 alpha 0.5 } }");
    let stage = &surface.stages[0];
    assert!(surface.is_on(stage, &at(0.0)));
    assert_eq!(surface.color(stage, &at(0.25)).to_array(), [0.5, 0.5, 0.5, 0.5]);
    let mut set = at(0.25);
    (set.parms[7], set.parms[1]) = (1.0, 2.0);
    assert!(!surface.is_on(stage, &set));
    assert_eq!(surface.color(stage, &set).x, 1.0);
}
