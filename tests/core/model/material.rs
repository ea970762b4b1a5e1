//! Surfaces of materials without a decl.

use bindpose_core::game::material;
use bindpose_core::model::surface::{Coverage, Inputs, Sides};
use bindpose_core::model::{Material, NamedImage};
use bindpose_parsers::Span;
use bindpose_parsers::decl::parse_material;
use glam::Vec4;

#[test]
fn of_an_image_program_the_first_image_stands_for_it() {
    let of = |text: &str| {
        let decl = parse_material(text.as_bytes(), Span::new(0, text.len())).decl;
        let surface = Some(material::surface(decl, |_| None));
        let material = Material { texture: Some("program".into()), surface, ..Material::neutral("a") };
        material.image_file().map(str::to_owned)
    };
    assert_eq!(of("{ diffusemap add( a/b.tga, c ) }").as_deref(), Some("a/b.tga"));
    assert_eq!(of("{ bumpmap n }"), None, "its diffuse map is plain white");
    let plain = Material { texture: Some("skin.png".into()), ..Material::neutral("a") };
    assert_eq!(plain.image_file(), Some("skin.png"));
}

#[test]
fn alpha_hides_no_skin() {
    use NamedImage::{CutOut, Missing, Mixed, Solid};
    // Alpha, image, displayed alpha without a texture and with one.
    let cases = [
        (0.0, Missing, 1.0, 1.0),
        (0.0, Mixed, 1.0, 1.0),
        (0.8, Missing, 0.8, 1.0),
        (0.8, Solid, 1.0, 1.0),
        (0.8, CutOut, 0.8, 0.8),
        (0.8, Mixed, 0.8, 0.8),
        (f32::NAN, Missing, 1.0, 1.0),
        (1.5, Missing, 1.0, 1.0),
    ];
    for (alpha, image, bare, skin) in cases {
        let material = Material { diffuse: Vec4::new(0.2, 0.4, 0.6, alpha), ..Material::neutral("m") };
        let textured = Material { texture: Some("skin.png".into()), ..material.clone() };
        assert_eq!((material.shown_alpha(image), textured.shown_alpha(image)), (bare, skin), "{alpha} {image:?}");
    }
}

#[test]
fn plain_materials_become_stages() {
    let glass = Material { diffuse: Vec4::new(0.5, 0.0, 1.0, 0.25), ..Material::neutral("glass") };
    let surface = glass.plain_surface(0, NamedImage::Missing);
    assert_eq!((surface.coverage, surface.sides), (Coverage::Translucent, Sides::Both));
    // 0.5 ^ (1 / 2.2)
    let colour = surface.color(&surface.stages[0], &Inputs::default());
    assert!(colour.distance(Vec4::new(0.729_740, 0.0, 1.0, 0.25)) < 1e-5, "{colour}");
    let leaf = Material::neutral("leaf").plain_surface(0, NamedImage::CutOut);
    assert_eq!(leaf.coverage, Coverage::Perforated);
    assert_eq!(leaf.alpha_threshold(&leaf.stages[0], &Inputs::default()), Some(0.5));
}
