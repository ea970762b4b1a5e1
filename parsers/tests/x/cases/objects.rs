//! Objects and their values.

use super::super::support::{T, bin, tokens, txt};
use super::{OK, case, check};
use T::{Close, Doubles, Floats, Int, Ints, Name, Open, Other, Semi, Text};

#[test]
fn objects_and_values() {
    check(vec![
        case("W2", txt("Header Object { 1; 2; 3; }"), "ok", OK).tree("Header Object(1 2 3)"),
        case("W13 named", txt("Header Object { 1; 2; 3; }"), "ok", OK).tree("Header Object(1 2 3)"),
        case("W13 unnamed", txt("Header { 1; 2; 3; }"), "ok", OK).tree("Header(1 2 3)"),
        case("W15", txt("TextureFilename { \"foobar\"; }"), "ok", OK).tree("TextureFilename('foobar')"),
        case("W15, C20", txt("TextureFilename { \"foo;bar, {//#\"; }"), "ok", OK)
            .tree("TextureFilename('foo;bar, {//#')"),
        case("W16", bin(&[Name("TextureFilename"), Open, Text("foobar"), Semi, Close]), "ok", OK)
            .tree("TextureFilename('foobar')"),
        case(
            "W29",
            txt("Mesh M { 3;;;,\n0.0;;;, 0.0;;;, 0.0;;;, 1.0;;;, 0.0;;;, 0.0;;;, 0.0;;;, 1.0;;;, 0.0;;;,\n1;;;, 3;;;, 0;;;, 1;;;, 2;;;, }"),
            "ok",
            OK,
        )
        .tree("Mesh M(3 0.0 0.0 0.0 1.0 0.0 0.0 0.0 1.0 0.0 1 3 0 1 2)"),
        case("zero-length arrays", txt("Mesh { 0;;0;; MeshNormals { 0;;0;; } }"), "ok", OK)
            .tree("Mesh(0 0){MeshNormals(0 0)}"),
        case("C22", b"xof 0303txt 0032\n\0Frame\0A\0{\0}\0\0\0".to_vec(), "ok", OK).tree("Frame A()"),
        case("C23", txt("FRAME A { frametransformMATRIX { 1;0;0;0; 0;1;0;0; 0;0;1;0; 0;0;0;1;; } }"), "ok", OK)
            .tree("FRAME A(){frametransformMATRIX(1.0 0.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 0.0 1.0)}"),
        case("C23 TextureFileName", txt("TextureFileName { \"a.bmp\"; }"), "ok", OK).tree("TextureFileName('a.bmp')"),
        case("C89", [txt("TextureFilename { \"").as_slice(), b"\x83\x5C\x83\x7B.bmp", b"\"; }"].concat(), "ok", OK)
            .tree(r"TextureFilename('\x83\\\x83{.bmp')"),
        case(
            "C30",
            txt("Frame A {}\n}\nFrame B {}"),
            "D3DXFERR_PARSEERROR 3:1",
            Ok(&["3:1 one '}' too many"]),
        )
        .tree("Frame A() Frame B()"),
        case(
            "C31",
            txt("Frame A {\nMesh B { 3; 0;0;0;, 1;0;"),
            "D3DXFERR_PARSEERROR 3:25",
            Err("3:25 the file ends here, inside 'Mesh': 2 of 3 records are missing; export or download it again"),
        ),
        case(
            "cut off in a face",
            txt("Mesh B { 3; 0;0;0;,1;0;0;,0;1;0;; 3; 3;0,1,2;, 3;0,"),
            "D3DXFERR_PARSEERROR 2:52",
            Err("2:52 the file ends here, inside 'Mesh': 2 of 3 records are missing; export or download it again"),
        ),
        case(
            "C31 behind the values",
            txt("Frame A {\nFrame B {"),
            "D3DXFERR_PARSEERROR 3:10",
            Err("3:10 the file ends here, inside 'Frame': a '}' or the rest of the file is missing"),
        ),
        case(
            "C32 token 4",
            bin(&[Name("Frame"), Name("A"), Open, Other(4)]),
            "D3DXFERR_PARSEERROR @36",
            Err("@36 4 is not a token"),
        ),
        case(
            "C32 token 99",
            bin(&[Other(99)]),
            "D3DXFERR_PARSEERROR @16",
            Err("@16 99 is not a token"),
        ),
        case(
            "C33",
            [bin(&[Name("Mesh"), Open]), vec![6, 0, 255, 255, 255, 255, 1, 0, 0, 0]].concat(),
            "D3DXFERR_PARSEERROR @28",
            Err("@28 the file ends here: an integer list needs 17179869180 bytes, but only 4 bytes are left; export or \
                 download it again"),
        ),
        case(
            "a count that the file cannot hold",
            txt("Mesh { 2000000000; 0;0;0; }"),
            "D3DXFERR_PARSEERROR 2:8",
            Err("2:8 the count says 2000000000, but only 8 bytes are left in the file"),
        ),
        case(
            "a negative count",
            txt("Mesh { -1; 0; }"),
            "D3DXFERR_PARSEERROR 2:8",
            Err("2:8 the count is -1, expected 0 or more"),
        ),
        case(
            "C94",
            bin(&[
                Name("Frame"), Name("Root"), Open,
                Name("FrameTransformMatrix"), Open,
                Floats(&[1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.]), Close,
                Name("Mesh"), Name("Tri"), Open,
                Ints(&[3]), Floats(&[0., 0., 0., 1., 0., 0., 0., 1., 0.]), Ints(&[1]), Ints(&[3, 0, 1, 2]), Close,
                Close,
            ]),
            "ok",
            OK,
        )
        .tree(
            "Frame Root(){FrameTransformMatrix(1.0 0.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 0.0 1.0) \
             Mesh Tri(3 0.0 0.0 0.0 1.0 0.0 0.0 0.0 1.0 0.0 1 3 0 1 2)}",
        ),
        case(
            "C95",
            bin(&[
                Name("Mesh"), Open, Int(4), Semi,
                Floats(&[0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.]),
                Ints(&[2, 3, 0, 1, 2, 3, 0, 2, 3]), Close,
            ]),
            "ok",
            OK,
        )
        .tree("Mesh(4 0.0 0.0 0.0 1.0 0.0 0.0 1.0 1.0 0.0 0.0 1.0 0.0 2 3 0 1 2 3 0 2 3)"),
        case(
            "64-bit floats",
            [b"xof 0303bin 0064".to_vec(), tokens(&[Name("Vector"), Open, Doubles(&[0.1, 0.2, 0.3]), Close])].concat(),
            "ok",
            OK,
        )
        .tree("Vector(0.1 0.2 0.3)"),
        case("integers as floats", txt("Coords2d { 1, 0, }"), "ok", OK).tree("Coords2d(1.0 0.0)"),
        case(
            "exponents and plus signs",
            txt("Coords2d { 1e-008; +2.5; }"),
            "ok",
            Ok(&["2:12 '1e-008' has an exponent or a plus sign, which not every version of Direct3D may read (2 times)"]),
        )
        .tree("Coords2d(1e-8 2.5)"),
        case(
            "a number that is none without a separator",
            txt("Coords2d { 1; nan }\nCoords2d { 1; 2 }"),
            "D3DXFERR_PARSEERROR 2:15",
            Ok(&["2:15 'nan' is not a finite number; 0 is used instead", "3:16 no ';' or ',' after a value"]),
        )
        .tree("Coords2d(1.0 0.0) Coords2d(1.0 2.0)"),
        case(
            "numbers that are none",
            txt("Vector { -1.#IND00; 1.#QNAN0; nan; }\nVector { -nan(ind); inf; 1.#INF; }"),
            "D3DXFERR_PARSEERROR 2:10",
            Ok(&[
                "2:10 '-1.#IND00' is not a finite number; 0 is used instead (3 times)",
                "3:10 '-nan(ind)' is not a finite number; 0 is used instead (3 times)",
            ]),
        )
        .tree("Vector(0.0 0.0 0.0) Vector(0.0 0.0 0.0)"),
        case(
            "fractions for integers",
            txt("AnimTicksPerSecond { 24.0; }"),
            "D3DXFERR_PARSEERROR 2:22",
            Ok(&["2:22 '24.0', expected an integer"]),
        )
        .tree("AnimTicksPerSecond(24)"),
        case(
            "integers out of range",
            txt("XSkinMeshHeader { 70000; -1; 0; }"),
            "D3DXFERR_PARSEERROR 2:19",
            Ok(&["2:19 70000 does not fit the type WORD (2 times)"]),
        )
        .tree("XSkinMeshHeader(70000 -1 0)"),
        case(
            "a word for a number",
            txt("Coords2d { one; 2; }"),
            "D3DXFERR_PARSEERROR 2:12",
            Ok(&["2:12 'Coords2d' does not follow its template and is skipped: expected a number, found 'one'"]),
        )
        .tree("Coords2d?"),
        case(
            "a string without quotes",
            txt("TextureFilename { wood.bmp; }"),
            "D3DXFERR_PARSEERROR 2:19",
            Ok(&["2:19 expected a string in double quotes, found 'wood.bmp'"]),
        )
        .tree("TextureFilename('wood.bmp')"),
        case(
            "the byte that ends files under DOS",
            txt("Frame A {}\n\x1A"),
            "D3DXFERR_PARSEERROR 3:1",
            Ok(&["3:1 the file ends here, inside '\\u{1a}': export or download it again"]),
        )
        .tree("Frame A()"),
        case(
            "a matrix with 15 numbers",
            txt("Frame { FrameTransformMatrix { 1;0;0;0; 0;1;0;0; 0;0;1;0; 0;0;0;; } }"),
            "D3DXFERR_PARSEERROR 2:32",
            Err("2:32 frameMatrix of 'FrameTransformMatrix' has 15 values, expected 16"),
        ),
        case(
            "a matrix with 17 numbers",
            txt("Frame { FrameTransformMatrix { 1;0;0;0; 0;1;0;0; 0;0;1;0; 0;0;0;1; 9; } }"),
            "D3DXFERR_PARSEERROR 2:68",
            Ok(&["2:32 frameMatrix of 'FrameTransformMatrix' has 17 values, expected 16"]),
        ),
        case(
            "a string without end",
            txt("TextureFilename { \"a.bmp; }"),
            "D3DXFERR_PARSEERROR 2:28",
            Err("2:28 the file ends here, inside 'TextureFilename': export or download it again"),
        ),
        case("comments", txt("# one\nFrame A { // two {\n}\n"), "ok", OK).tree("Frame A()"),
        case(
            "a comment that the file ends in",
            txt("Frame A {}\n// end"),
            "D3DXFERR_PARSEERROR 3:1",
            Ok(&["3:1 the last line is a comment without a newline, on which old readers fail; add one"]),
        )
        .tree("Frame A()"),
        case(
            "comments in a file with CR alone",
            b"xof 0303txt 0032\rFrame A {} // one\rFrame B {} // two\r".to_vec(),
            "D3DXFERR_PARSEERROR 2:12",
            Ok(&["2:12 the last line is a comment without a newline, on which old readers fail; add one"]),
        )
        .tree("Frame A() Frame B()"),
        case("a lone slash", txt("Frame A { / }"), "D3DXFERR_PARSEERROR 2:11", Err("2:11 a lone '/', expected '//'")),
        case(
            "a trailing byte of a token stream",
            [bin(&[Name("Frame"), Open, Close]), vec![7]].concat(),
            "ok",
            OK,
        )
        .tree("Frame()"),
        case(
            "a binary name that runs past the end",
            [b"xof 0303bin 0032".to_vec(), vec![1, 0, 200, 0, 0, 0, b'A']].concat(),
            "D3DXFERR_PARSEERROR @22",
            Err("@22 the file ends here: a name needs 200 bytes, but only 1 byte is left; export or download it again"),
        ),
    ]);
}
