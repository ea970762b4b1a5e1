//! Numbered cases of reading, each with both verdicts. W… are from the tests of Wine that were run on Windows, C… from
//! docs/formats/x.md.
//!
//! D3DX's verdicts are those of the specification. Positions are counted by hand. The importer's tests contain the
//! cases about the look of a model.

use super::support::{T, bin, lenient, strict, tokens, tree, txt};
use T::{Close, Comma, Doubles, Floats, Guid, Int, Ints, Name, Open, Other, Semi, Text};

/// File and the expected results.
struct Case {
    id: &'static str,
    file: Vec<u8>,
    /// `ok`, or D3DX's error with line and column.
    strict: &'static str,
    /// Warnings, or the error.
    lenient: Result<&'static [&'static str], &'static str>,
    /// The objects, if the case is about them.
    tree: Option<&'static str>,
}

fn case(
    id: &'static str,
    file: Vec<u8>,
    strict: &'static str,
    lenient: Result<&'static [&'static str], &'static str>,
) -> Case {
    Case { id, file, strict, lenient, tree: None }
}

impl Case {
    fn tree(self, tree: &'static str) -> Self {
        Self { tree: Some(tree), ..self }
    }
}

fn check(cases: Vec<Case>) {
    let mut failures = Vec::new();
    for case in cases {
        let found = lenient(&case.file);
        let expected =
            case.lenient.map(|warnings| warnings.iter().map(|&w| w.to_owned()).collect()).map_err(str::to_owned);
        if found != expected {
            failures.push(format!("{} lenient\n   found    {found:?}\n   expected {expected:?}", case.id));
        }
        let found = strict(&case.file);
        if found != case.strict {
            failures.push(format!("{} strict\n   found    {found}\n   expected {}", case.id, case.strict));
        }
        if let Some(expected) = case.tree
            && lenient(&case.file).is_ok()
        {
            let found = tree(&case.file);
            if found != expected {
                failures.push(format!("{} tree\n   found    {found}\n   expected {expected}", case.id));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

const OK: Result<&[&str], &str> = Ok(&[]);

/// The template of W10 to W25.
const BUFFER: &str = "template Buffer { <026A0D1D-2C35-4A5C-8F6B-5A1D3B8A2C11> DWORD num_elem; \
                      array DWORD value[num_elem]; DWORD dummy; }\n";

fn buffer(values: &str) -> Vec<u8> {
    txt(&format!("{BUFFER}Buffer B {{ {values} }}\n"))
}

fn binary_buffer(values: &[T]) -> Vec<u8> {
    // The same template as tokens.
    let declaration = [
        Other(31),
        Name("Buffer"),
        Open,
        Guid([0x1D; 16]),
        Other(41),
        Name("num_elem"),
        Semi,
        Other(52),
        Other(41),
        Name("value"),
        Other(14),
        Name("num_elem"),
        Other(15),
        Semi,
        Other(41),
        Name("dummy"),
        Semi,
        Close,
        Name("Buffer"),
        Name("B"),
        Open,
    ];
    [bin(&declaration), tokens(values), tokens(&[Close])].concat()
}

#[test]
fn envelopes() {
    check(vec![
        case("W4 txt", b"xof 0302txt 0064".to_vec(), "ok", OK).tree(""),
        case("W4 bin", b"xof 0302bin 0064".to_vec(), "ok", OK).tree(""),
        case("W4 tzip", b"xof 0302tzip0064\x10\0\0\0".to_vec(), "ok", OK).tree(""),
        case("W4 bzip", b"xof 0302bzip0064\x10\0\0\0".to_vec(), "ok", OK).tree(""),
        case("W4 one byte as tzip", b"xof 0302tzip0064\x11\0\0\0\x01\0\x05\0CK\xE3\x02\0".to_vec(), "ok", OK).tree(""),
        case("W4 one byte as bzip", b"xof 0302bzip0064\x11\0\0\0\x01\0\x05\0CK\xE3\x02\0".to_vec(), "ok", OK).tree(""),
        case(
            "W5 cmp, C05",
            b"xof 0302cmp 0064".to_vec(),
            "D3DXFERR_BADFILETYPE 1:9",
            Err("1:9 format 'cmp ', expected 'txt ', 'bin ', 'tzip' or 'bzip'"),
        ),
        case(
            "W5 xxxx",
            b"xof 0302xxxx0064".to_vec(),
            "D3DXFERR_BADFILETYPE 1:9",
            Err("1:9 format 'xxxx', expected 'txt ', 'bin ', 'tzip' or 'bzip'"),
        ),
        case(
            "W6",
            b"xOf 0302txt 0064".to_vec(),
            "D3DXFERR_BADFILETYPE 1:1",
            Err("1:1 not a .x file: it begins with 'xOf ', expected 'xof '"),
        ),
        case(
            "W7",
            b"xof 0102txt 0064".to_vec(),
            "D3DXFERR_BADFILEVERSION 1:5",
            Ok(&["1:5 version '0102', expected 0302 or 0303"]),
        ),
        case(
            "W8",
            b"xof 0302foo 0064".to_vec(),
            "D3DXFERR_BADFILETYPE 1:9",
            Err("1:9 format 'foo ', expected 'txt ', 'bin ', 'tzip' or 'bzip'"),
        ),
        case(
            "W9, C06",
            b"xof 0302txt 0050".to_vec(),
            "D3DXFERR_BADFILEFLOATSIZE 1:13",
            Err("1:13 float size '0050', expected 0032 or 0064"),
        ),
        case(
            "W10",
            b"xof 0302txt 0064foobar;".to_vec(),
            "D3DXFERR_PARSEERROR 1:23",
            Err("1:23 expected '{', found ';'"),
        ),
        case(
            "C01",
            Vec::new(),
            "D3DXFERR_BADFILE 1:1",
            Err("1:1 the file is empty, expected 'xof 0303txt 0032' or the like"),
        ),
        case(
            "C02",
            b"Mesh { 3; }".to_vec(),
            "D3DXFERR_BADFILETYPE 1:1",
            Err("1:1 not a .x file: it begins with 'Mesh', expected 'xof '"),
        ),
        case(
            "C04",
            b"xof 9999txt 0032Frame A {}".to_vec(),
            "D3DXFERR_BADFILEVERSION 1:5",
            Ok(&["1:5 version '9999', expected 0302 or 0303"]),
        )
        .tree("Frame A()"),
        case("C07", b"xof 0303txt 0032".to_vec(), "ok", OK).tree(""),
        case("C08", b"xof 0303txt 0032Mesh T { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; }".to_vec(), "ok", OK)
            .tree("Mesh T(3 0.0 0.0 0.0 1.0 0.0 0.0 0.0 1.0 0.0 1 3 0 1 2)"),
        case("C09", b"xof 0303txt 0064\nFrame A {}".to_vec(), "ok", OK).tree("Frame A()"),
        case(
            "a header that is cut off",
            b"xof 0303txt".to_vec(),
            "D3DXFERR_BADFILETYPE 1:1",
            Err("1:1 the header ends after 11 bytes, expected 16"),
        ),
        case(
            "a byte order mark",
            b"\xEF\xBB\xBFxof 0303txt 0032Frame A {}".to_vec(),
            "D3DXFERR_BADFILETYPE 1:1",
            Ok(&["1:1 a byte order mark before 'xof '; save the file without it"]),
        )
        .tree("Frame A()"),
    ]);
}

#[test]
fn separators() {
    let all = "Buffer B(3 0 1 2 5)";
    check(vec![
        case("W14", buffer("0; 1234;"), "ok", OK).tree("Buffer B(0 1234)"),
        case("W17", buffer("3; 0; 1; 2; 5;"), "ok", OK).tree(all),
        case("W18", buffer("3, 0, 1, 2, 5,"), "ok", OK).tree(all),
        case("W19", buffer("3;;;;; 0;;;;; 1;;;;; 2;;;;; 5;;;;;"), "ok", OK).tree(all),
        case(
            "W20",
            buffer("3,, 0,, 1,, 2,, 5,,"),
            "D3DXFERR_PARSEERROR 3:14",
            Ok(&["3:14 one separator too many: after a value any number of ';' and then at most one ',' may stand (5 times)"]),
        )
        .tree(all),
        case("W21", buffer("3;;;;;, 0;;;;;, 1;;;;;, 2;;;;;, 5;;;;;,"), "ok", OK).tree(all),
        case(
            "W22",
            buffer("3,; 0,; 1,; 2,; 5,;"),
            "D3DXFERR_PARSEERROR 3:14",
            Ok(&["3:14 one separator too many: after a value any number of ';' and then at most one ',' may stand (5 times)"]),
        )
        .tree(all),
        case(
            "W23",
            buffer("3; 0; 1; 2; 5 "),
            "D3DXFERR_PARSEERROR 3:25",
            Ok(&["3:25 no ';' or ',' after a value"]),
        )
        .tree(all),
        case(
            "W24",
            buffer("3; 0 1 2; 5;"),
            "D3DXFERR_PARSEERROR 3:16",
            Ok(&["3:16 no ';' or ',' after a value (2 times)"]),
        )
        .tree(all),
        case("W17 binary", binary_buffer(&[Int(3), Semi, Int(0), Semi, Int(1), Semi, Int(2), Semi, Int(5), Semi]), "ok", OK)
            .tree(all),
        case(
            "W18 binary",
            binary_buffer(&[Int(3), Comma, Int(0), Comma, Int(1), Comma, Int(2), Comma, Int(5), Comma]),
            "ok",
            OK,
        )
        .tree(all),
        case(
            "W20 binary",
            binary_buffer(&[Int(3), Comma, Comma, Ints(&[0, 1, 2, 5])]),
            "D3DXFERR_PARSEERROR @149",
            Ok(&["@149 one separator too many: after a value any number of ';' and then at most one ',' may stand"]),
        )
        .tree(all),
        case("W25, C18", binary_buffer(&[Int(3), Semi, Ints(&[0, 1, 2]), Int(5), Semi]), "ok", OK).tree(all),
        case("W26, C18", binary_buffer(&[Ints(&[3, 0, 1, 2, 5])]), "ok", OK).tree(all),
        case(
            "W27, C18",
            binary_buffer(&[Ints(&[3, 0, 1, 2, 5]), Semi]),
            "D3DXFERR_PARSEERROR @167",
            Ok(&["@167 one separator too many: after a value any number of ';' and then at most one ',' may stand"]),
        )
        .tree(all),
        case(
            "W28, C18",
            binary_buffer(&[Ints(&[3, 0, 1, 2, 5]), Comma]),
            "D3DXFERR_PARSEERROR @167",
            Ok(&["@167 one separator too many: after a value any number of ';' and then at most one ',' may stand"]),
        )
        .tree(all),
        case(
            "binary integers without separators",
            binary_buffer(&[Int(3), Int(0), Int(1), Int(2), Int(5)]),
            "D3DXFERR_PARSEERROR @147",
            Ok(&["@147 no ';' or ',' after a value (5 times)"]),
        )
        .tree(all),
        case(
            "a separator behind an object",
            txt("Frame A {};\nFrame B { Frame C {}; }"),
            "D3DXFERR_PARSEERROR 2:11",
            Ok(&["2:11 a separator where none belongs", "3:21 a separator where none belongs"]),
        )
        .tree("Frame A() Frame B(){Frame C()}"),
    ]);
}

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
            Err("2:8 the count says -1, but only 4 bytes are left in the file"),
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
