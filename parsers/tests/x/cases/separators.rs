//! Separators between values.

use super::super::support::{T, bin, tokens, txt};
use super::{OK, case, check};
use T::{Close, Comma, Guid, Int, Ints, Name, Open, Other, Semi};

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
