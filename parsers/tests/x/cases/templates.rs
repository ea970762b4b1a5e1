//! Templates, and objects of unknown types.

use super::super::support::{T, bin, txt};
use super::{OK, case, check};
use T::{Close, Ints, Name, Open, Semi, Text};

#[test]
fn templates_and_unknown_types() {
    const USER: &str =
        "template Pair { <12345678-1234-1234-1234-123456789ABC> DWORD n; array Coords2d uv[n]; STRING s; [...] }\n";
    check(vec![
        case(
            "C24",
            txt("Strange A { 1; { x } \"}\" Inner { foo } // }\n 2 }\nFrame B {}"),
            "ok",
            Ok(&["2:1 no template defines 'Strange'; the object is skipped"]),
        )
        .tree("Strange A? Frame B()"),
        case(
            "C24 binary",
            bin(&[Name("Strange"), Open, Ints(&[1, 2]), Name("Inner"), Open, Text("}"), Semi, Close, Close, Name("Frame"), Open, Close]),
            "ok",
            Ok(&["@16 no template defines 'Strange'; the object is skipped"]),
        )
        .tree("Strange? Frame()"),
        case(
            "C25",
            txt(&format!(
                "{USER}Frame A {{ Pair {{ 1; 0.5;0.25;; \"x\"; }} Mesh {{ 0;0; Pair p {{ 0; \"y\"; Frame B {{}} }} }} }}"
            )),
            "ok",
            OK,
        )
        .tree("Frame A(){Pair(1 0.5 0.25 'x') Mesh(0 0){Pair p(0 'y'){Frame B()}}}"),
        case(
            "a template between and behind objects",
            txt("Frame A {}\ntemplate T { DWORD x; }\nT { 5; }\n"),
            "ok",
            OK,
        )
        .tree("Frame A() T(5)"),
        case("W31 indexColor", txt("template T { indexColor c; }\nT { 1; 0.5;0.5;0.5;1;; }"), "ok", OK)
            .tree("T(1 0.5 0.5 0.5 1.0)"),
        case(
            "W31 IndexColor, C27",
            txt("template T { IndexColor c; }\nT { 1; 0.5;0.5;0.5;1;; }"),
            "D3DXFERR_PARSEERROR 2:14",
            Ok(&[
                "2:14 no template above this line defines 'IndexColor'",
                "3:1 no template defines 'T'; the object is skipped",
            ]),
        )
        .tree("T?"),
        case(
            "C28",
            txt("template A { B b; }\ntemplate B { DWORD x; }\nB { 5; }"),
            "D3DXFERR_PARSEERROR 2:14",
            Ok(&["2:14 no template above this line defines 'B'"]),
        )
        .tree("B(5)"),
        case(
            "C29 later member",
            txt("template A { array DWORD x[n]; DWORD n; }"),
            "D3DXFERR_PARSEERROR 2:28",
            Ok(&["2:28 'n' is not an integer member above this line"]),
        ),
        case(
            "C29 other type",
            txt("template A { FLOAT n; array DWORD x[n]; }"),
            "D3DXFERR_PARSEERROR 2:37",
            Ok(&["2:37 'n' is not an integer member above this line"]),
        ),
        case(
            "a template that is broken",
            txt("template A { DWORD; array DWORD x; }\nFrame B {}"),
            "D3DXFERR_PARSEERROR 2:34",
            Ok(&["2:34 the template 'A' is broken and ignored: expected '[', found ';'"]),
        )
        .tree("Frame B()"),
        case(
            "a standard template declared with CSTRING, as MilkShape does",
            txt("template TextureFilename { <A42790E1-7810-11CF-8F52-0040333594A3> CSTRING name; }\nTextureFilename { \"a\"; }"),
            "ok",
            OK,
        )
        .tree("TextureFilename('a')"),
        case(
            "a standard template with another layout",
            txt("template AnimTicksPerSecond { <9E415A43-7BA6-4A73-8743-B73D47E88476> DWORD a; DWORD b; }\nAnimTicksPerSecond { 24; }"),
            "ok",
            Ok(&["2:10 the template 'AnimTicksPerSecond' differs from the standard one, which is used"]),
        )
        .tree("AnimTicksPerSecond(24)"),
        case(
            "a standard template with another identifier",
            txt("template AnimTicksPerSecond { <00000000-7BA6-4A73-8743-B73D47E88476> DWORD a; }"),
            "ok",
            Ok(&["2:10 the template 'AnimTicksPerSecond' differs from the standard one, which is used"]),
        ),
        case(
            "a template declared twice",
            txt("template A { DWORD x; }\ntemplate A { FLOAT x; }\nA { 5; }"),
            "ok",
            Ok(&["3:10 a second template 'A'; the first one counts"]),
        )
        .tree("A(5)"),
        case(
            "C90",
            txt("RightHanded { 1; }"),
            "ok",
            Ok(&["2:15 RightHanded is set, but no loader honours it"]),
        ),
        case(
            "compressed animation",
            txt("CompressedAnimationSet { 5; 4800; 0; 2; 1,2; }"),
            "ok",
            Ok(&["2:1 'CompressedAnimationSet' is not supported and is ignored"]),
        )
        .tree("CompressedAnimationSet(5 4800.0 0 2 1 2)"),
    ]);
}

/// W30: the names of the standard retained-mode set.
#[test]
fn the_standard_set_has_35_retained_mode_templates() {
    let names: Vec<String> = bindpose_parsers::x::standard_templates().iter().map(|t| t.name.to_name()).collect();
    let retained = [
        "Header",
        "Vector",
        "Coords2d",
        "Matrix4x4",
        "ColorRGBA",
        "ColorRGB",
        "IndexedColor",
        "Boolean",
        "Boolean2d",
        "MaterialWrap",
        "TextureFilename",
        "Material",
        "MeshFace",
        "MeshFaceWraps",
        "MeshTextureCoords",
        "MeshMaterialList",
        "MeshNormals",
        "MeshVertexColors",
        "Mesh",
        "FrameTransformMatrix",
        "Frame",
        "FloatKeys",
        "TimedFloatKeys",
        "AnimationKey",
        "AnimationOptions",
        "Animation",
        "AnimationSet",
        "InlineData",
        "Url",
        "ProgressiveMesh",
        "Guid",
        "StringProperty",
        "PropertyBag",
        "ExternalVisual",
        "RightHanded",
    ];
    assert_eq!(names[..35], retained);
    for extension in ["XSkinMeshHeader", "SkinWeights", "DeclData", "PMInfo", "EffectInstance", "AnimTicksPerSecond"] {
        assert!(names.iter().any(|name| name == extension), "{extension}");
    }
}
