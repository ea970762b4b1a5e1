//! Names and references.

use super::super::support::{T, bin, txt};
use super::{OK, case, check};
use T::{Close, Name, Open};

#[test]
fn names_and_references() {
    check(vec![
        case("C91 hyphen", txt("Frame W-Hip {}"), "ok", OK).tree("Frame W-Hip()"),
        case(
            "C91 digit",
            txt("Frame 3ds {}"),
            "ok",
            Ok(&["2:7 the name '3ds' begins with a digit, which Microsoft's grammar does not allow"]),
        )
        .tree("Frame 3ds()"),
        case(
            "C91 blanks",
            txt("Frame Left  Upper Arm {}"),
            "D3DXFERR_PARSEERROR 2:7",
            Ok(&["2:7 'Left Upper Arm' is not a proper name: use letters, digits, '_' and '-', and no reserved word"]),
        )
        .tree("Frame Left Upper Arm()"),
        case(
            "names with dots, bars and brackets",
            txt("Frame ns:a|b.c(1) { Frame Box[2] {} }"),
            "D3DXFERR_PARSEERROR 2:7",
            Ok(&[
                "2:7 'ns:a|b.c(1)' is not a proper name: use letters, digits, '_' and '-', and no reserved word",
                "2:27 'Box[2]' is not a proper name: use letters, digits, '_' and '-', and no reserved word",
            ]),
        )
        .tree("Frame ns:a|b.c(1)(){Frame Box[2]()}"),
        case(
            "a name in quotes",
            txt("Frame \"my bone\" {}"),
            "D3DXFERR_PARSEERROR 2:7",
            Ok(&["2:7 'my bone' is not a proper name: use letters, digits, '_' and '-', and no reserved word"]),
        )
        .tree("Frame my bone()"),
        case("names of binary files hold anything", bin(&[Name("Frame"), Name("my: bone"), Open, Close]), "ok", OK)
            .tree("Frame my: bone()"),
        case("empty names of binary files", bin(&[Name("Frame"), Name(""), Open, Close]), "ok", OK).tree("Frame()"),
        case(
            "a reserved word as a name",
            txt("Frame Array {}"),
            "D3DXFERR_PARSEERROR 2:7",
            Ok(&["2:7 'Array' is not a proper name: use letters, digits, '_' and '-', and no reserved word"]),
        )
        .tree("Frame Array()"),
        case(
            "C35 before the keys",
            txt("Frame A {}\nAnimationSet { Animation { {A} AnimationKey { 2; 1; 0;3; 1,2,3;;; } } }"),
            "ok",
            OK,
        )
        .tree("Frame A() AnimationSet(){Animation(){<A> AnimationKey(2 1 0 3 1.0 2.0 3.0)}}"),
        case(
            "C35 after the keys",
            txt("Frame A {}\nAnimationSet { Animation { AnimationKey { 2; 1; 0;3; 1,2,3;;; } {A} } }"),
            "ok",
            OK,
        )
        .tree("Frame A() AnimationSet(){Animation(){AnimationKey(2 1 0 3 1.0 2.0 3.0) <A>}}"),
        case(
            "a reference to something further down",
            txt("AnimationSet { Animation { {A} } }\nFrame A {}"),
            "D3DXFERR_PARSEERROR 2:28",
            Ok(&["2:28 'A' is defined further down, and D3DX knows only what comes before"]),
        ),
        case(
            "a reference to nothing",
            txt("AnimationSet { Animation { {B} } }"),
            "D3DXFERR_PARSEERROR 2:28",
            Ok(&["2:28 no object is named 'B'"]),
        ),
        case(
            "references by identifier",
            txt("Material M { <12345678-1234-1234-1234-123456789ABC> 1;1;1;1;; 0; 0;0;0;; 0;0;0;; }\n\
                 Mesh { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; MeshMaterialList { 1; 1; 0; \
                 {<12345678-1234-1234-1234-123456789abc>} } }"),
            "ok",
            OK,
        ),
        case(
            "a reference with name and identifier",
            txt("Frame A {}\nFrame B { {A <12345678-1234-1234-1234-123456789ABC>} }"),
            "ok",
            Ok(&["3:11 the reference to 'A' has no meaning here and is ignored"]),
        )
        .tree("Frame A() Frame B(){<A 12345678-1234-1234-1234-123456789ABC>}"),
        case("a reference with blanks", txt("Frame A {}\nAnimationSet { Animation { { A } } }"), "ok", OK),
        case(
            "a reference at top level",
            txt("Frame A {}\n{A}"),
            "D3DXFERR_PARSEERROR 3:1",
            Ok(&["3:1 a reference outside of any object is ignored"]),
        ),
        case(
            "an identifier with blanks",
            txt("Frame A { < 12345678-1234-1234-1234-123456789ABC > }"),
            "D3DXFERR_PARSEERROR 2:11",
            Ok(&["2:11 spaces inside a GUID"]),
        )
        .tree("Frame A()"),
        case(
            "an identifier that is none",
            txt("Frame A { <12345678> }"),
            "D3DXFERR_PARSEERROR 2:11",
            Ok(&["2:11 '12345678' is not a GUID, expected <00000000-0000-0000-0000-000000000000>"]),
        ),
    ]);
}
