//! Scripts of shaders and skins, which name the images of surfaces.

use bindpose_core::image_search::{Shader, SkinRow, shaders, skin_rows};
use bindpose_core::model::surface::Sides;

fn shader(base: Option<&str>, normal: Option<&str>, specular: Option<&str>) -> Shader {
    let [base, normal, specular] = [base, normal, specular].map(|image| image.map(str::to_owned));
    Shader { base, normal, specular, ..Shader::default() }
}

#[test]
fn sides_alpha_and_glow_are_read() {
    let one = |text: &str| shaders(&format!("a {{ {text} }}")).remove(0).1;
    let daemon = one("cull none\n { diffuseMap a\n glowMap a_g\n alphaFunc ge128 } { map b\n alphaFunc GT0 }");
    assert_eq!((daemon.sides, daemon.alpha_above, daemon.glow.as_deref()), (Sides::Both, Some(127), Some("a_g")));
    assert_eq!(one("{ map a\n alphaFunc GT0 }").alpha_above, Some(0));
    let below = one("{ map a\n alphaFunc LT128 }");
    assert_eq!((below.alpha_above, below.unsupported), (None, vec!["alphaFunc lt128".to_owned()]));
    // Stages of lightmaps and of further images do not count.
    let later = one("{ map $lightmap\n alphaFunc GT0 }\n { map a\n blendFunc blend } { map b\n alphaFunc GT0 }");
    assert_eq!((later.alpha_above, later.is_blended), (None, true));
    let sides = ["cull front", "cull disable", "cull backSided", "twoSided"].map(|text| one(text).sides);
    assert_eq!(sides, [Sides::Front, Sides::Both, Sides::Back, Sides::Both]);
    assert_eq!(one("{ map a_g\n blend glowMap }").glow.as_deref(), Some("a_g"));
}

#[test]
fn scripts_are_read() {
    let text = "// one comment\nModels\\A /* and\nanother */\n{\n cull none\n { map $lightmap }\n { MAP a/one.tga\n blendFunc add }\n}\n\
        b{ {diffuseMap b/b\nnormalMap b/b_n specularMap b/none\n specularMap \"b/b s\"\n} }\n\
        c { { stage bumpMap\n map c_n } { stage diffuseMap\n map c }\n normalFormat X Y Z }\n} d { { animMap 5 d1 d2";
    let read = shaders(text);
    let up = Shader { green_is_up: true, ..shader(Some("c"), Some("c_n"), None) };
    let expected = [
        (
            "models/a".to_owned(),
            Shader { sides: Sides::Both, is_blended: true, ..shader(Some("a/one.tga"), None, None) },
        ),
        ("b".to_owned(), shader(Some("b/b"), Some("b/b_n"), Some("b/b s"))),
        ("c".to_owned(), up),
    ];
    // An unclosed shader does not count.
    assert_eq!(read, expected);
}

#[test]
fn skins_are_read() {
    let text = b"head, models/head // the face\r\n\n\"body\" ,\"models/body\",x\ntag_head,\nlegs,\nno comma";
    let rows = skin_rows(text);
    let row = |row: &SkinRow| {
        let written = &text[row.span.start as usize..row.span.end as usize];
        (row.surface.clone(), row.shader.clone(), String::from_utf8(written.to_vec()).unwrap())
    };
    let expected = [
        ("head", "models/head", "head, models/head"),
        ("body", "models/body", "\"body\" ,\"models/body\",x"),
        ("legs", "", "legs,"),
    ];
    let expected = expected.map(|(surface, shader, text)| (surface.to_owned(), shader.to_owned(), text.to_owned()));
    assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), expected);
}
