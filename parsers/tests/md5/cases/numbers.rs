//! Spellings of numbers (docs/formats/md5.md "Numbers").

use super::Expected::{Fails, Same, Says};
use super::{MESH, SAME, run_mesh};
use bindpose_parsers::md5::{FileKind, parse_mesh};

#[test]
fn mesh_numbers() {
    run_mesh(&[
        (
            "M18",
            &[("0 0 10", "0 0 nan")],
            Says("\t0 ( 0 0 0 )", &["9:17 'nan' is not a finite number; 0 is used instead"]),
        ),
        (
            "M18b",
            &[("0 0 10", "0 0 -nan")],
            Says("\t0 ( 0 0 0 )", &["9:17 '-nan' is not a finite number; 0 is used instead"]),
        ),
        (
            "-nan(ind)",
            &[("0 0 10", "0 0 -nan(ind)")],
            Says("\t0 ( 0 0 0 )", &["9:17 '-nan(ind)' is not a finite number; 0 is used instead"]),
        ),
        (
            "M18c",
            &[("0 0 10", "0 0 inf")],
            Says("\t0 ( 0 0 0 )", &["9:17 'inf' is not a finite number; 0 is used instead"]),
        ),
        (
            "M19c",
            &[("0 0 10", "0 0 1.#QNAN")],
            Says("\t0 ( 0 0 0 )", &["9:17 '1.#QNAN' is not a finite number; 0 is used instead"]),
        ),
        (
            "1.#IND",
            &[("0 0 10", "0 0 -1.#IND00")],
            Says("\t0 ( 0 0 0 )", &["9:17 '-1.#IND00' is not a finite number; 0 is used instead"]),
        ),
        (
            "1e39",
            &[("0 0 10", "0 0 1e39")],
            Says("\t0 ( 0 0 0 )", &["9:17 '1e39' does not fit in 32 bits; engines read infinity, 0 is used instead"]),
        ),
        (
            "1e999999999",
            &[("0 0 10", "0 0 1e999999999")],
            Says(
                "\t0 ( 0 0 0 )",
                &["9:17 '1e999999999' does not fit in 32 bits; engines read infinity, 0 is used instead"],
            ),
        ),
        (
            "M20e",
            &[("0 0 10", "0 0 0e0")],
            Says(
                "\t0 ( 0 0 0 )",
                &["9:17 '0e0' begins with 0 and is read as 0; write it without the 0, which means octal in Doom 3"],
            ),
        ),
        ("M20f", &[("0 0 10", "-0 -0.0 10")], Says("\t0 ( -0 -0 10 )", &[])),
        ("M20g", &[("0 0 10", ".5 5. -.5")], Says("\t0 ( 0.5 5 -0.5 )", &[])),
        ("M20h", &[("0 0 10", "0 0 0.5f")], Says("\t0 ( 0 0 0.5 )", &["9:20 a letter after a number is ignored"])),
        (
            "M20i",
            &[("0 0 10", "0,5 0 10")],
            Says("\t0 ( 0.5 0 10 )", &["9:13 the comma in '0,5' is read as a decimal point; export with a point"]),
        ),
        (
            "decimal commas",
            &[("0 0 10", "0,5 -1,25 10,0")],
            Says(
                "\t0 ( 0.5 -1.25 10 )",
                &[
                    "9:13 the comma in '0,5' is read as a decimal point; export with a point",
                    "9:18 the comma in '1,25' is read as a decimal point; export with a point",
                    "9:23 the comma in '10,0' is read as a decimal point; export with a point",
                ],
            ),
        ),
        (
            "decimal comma in a bias",
            &[("0 0.5 (", "0 0,5 (")],
            Same(&["30:13 the comma in '0,5' is read as a decimal point; export with a point"]),
        ),
        (
            "commas for blanks",
            &[("0 0 10", "0,0,10")],
            Same(&[
                "9:14 ',' is read as white space, but Doom 3 refuses it; remove it",
                "9:16 ',' is read as white space, but Doom 3 refuses it; remove it",
            ]),
        ),
        (
            "M20j",
            &[("0 0 10", "00.5 0 10")],
            Says(
                "\t0 ( 0.5 0 10 )",
                &["9:13 '00.5' begins with 0 and is read as 0.5; write it without the 0, which means octal in Doom 3"],
            ),
        ),
        ("M21", &[("0 0 10", "0 0 +10")], Same(&["9:17 a plus sign before a number, which Doom 3 refuses"])),
        (
            "M22",
            &[("0 0 10", "0, 0, 10")],
            Same(&[
                "9:14 ',' is read as white space, but Doom 3 refuses it; remove it",
                "9:17 ',' is read as white space, but Doom 3 refuses it; remove it",
            ]),
        ),
        ("M22c", &[("( 0 0 10 )", "(0 0 10)")], SAME),
        ("exponents", &[("0 0 10", "1e1 1e-3 1.0e+01")], Says("\t0 ( 10 0.001 10 )", &[])),
        ("1E5", &[("0 0 10", "0 0 1E1")], Same(&["9:17 'E' in a number; Doom 3 reads only 'e'"])),
        (
            "minus apart",
            &[("-8 0 -10", "- 8 0 -10")],
            Same(&["31:19 a blank separates the minus sign from its number"]),
        ),
        (
            "hex float",
            &[("0 0 10", "0 0 0x0A")],
            Same(&["9:17 '0x0A' is read as 10; most readers know decimal numbers only"]),
        ),
        (
            "octal float",
            &[("0 0 10", "0 0 012")],
            Same(&["9:17 '012' begins with 0 and is read as 10; write it without the 0, which means octal in Doom 3"]),
        ),
        (
            "wide integer",
            &[("0 0 10", "0 0 4294967306")],
            Says("( 0 0 4294967306.0 )", &["9:17 '4294967306' does not fit in 32 bits; Doom 3 reads it as 10"]),
        ),
        (
            "many digits",
            &[("0 0 10", "0.1000000000000000055511151231257827 123456789.12345678 10.0000000000")],
            Says("( 0.1 123456789.12345678 10 )", &[]),
        ),
        (
            "M49",
            &[("numverts 4", "numverts 04")],
            Same(&["16:11 '04' begins with 0 and is read as 4; write it without the 0, which means octal in Doom 3"]),
        ),
        (
            "M49 010",
            &[("numverts 4", "numverts 010")],
            Says(
                "numverts 8\n",
                &[
                    "16:11 '010' begins with 0 and is read as 8; write it without the 0, which means octal in Doom 3",
                    "16:11 numverts says 8, but 4 follow",
                ],
            ),
        ),
        (
            "M49b",
            &[("numverts 4", "numverts 08")],
            Says(
                "numverts 8\n",
                &[
                    "16:11 '08' begins with 0 and is read as 8; write it without the 0, which means octal in Doom 3",
                    "16:11 numverts says 8, but 4 follow",
                ],
            ),
        ),
        (
            "M50",
            &[("numverts 4", "numverts 0x4")],
            Same(&["16:11 '0x4' is read as 4; most readers know decimal numbers only"]),
        ),
        ("M51", &[("numJoints 2", "numJoints 2.9")], Same(&["4:11 '2.9' is cut to the integer 2"])),
        (
            "M53",
            &[("\t0 ( 0 0 10", "\t4294967296 ( 0 0 10")],
            Same(&["9:9 '4294967296' does not fit in 32 bits; Doom 3 reads it as 0"]),
        ),
        (
            "M53 -1",
            &[("-1 ( 0 0 0", "4294967295 ( 0 0 0")],
            Same(&["8:11 '4294967295' does not fit in 32 bits; Doom 3 reads it as -1"]),
        ),
        (
            "M59b",
            &[("-1 ( 0 0 0", "--1 ( 0 0 0")],
            Fails("8:11 '--1' is not a number, expected the index of the joint's parent"),
        ),
        ("M67", &[("0 0 10", "0 0 1.2.3")], Fails("9:17 '1.2.3' is not a number, expected a number")),
        ("letters behind", &[("0 0 10", "0 0 10cm")], Fails("9:17 '10cm' is not a number, expected a number")),
        ("two of three", &[("0 0 10", "0 10")], Fails("9:18 expected a number, found ')'")),
        ("four of three", &[("0 0 10", "0 0 10 1")], Fails("9:20 expected ')', found '1'")),
        ("no parentheses", &[("( 0 0 10 )", "0 0 10")], Fails("9:11 expected '(', found '0'")),
        (
            "nan as an index",
            &[("\t0 ( 0 0 10", "\tnan ( 0 0 10")],
            Fails("9:9 expected the index of the joint's parent, found 'nan'"),
        ),
    ]);
}

#[test]
fn letters_in_a_number_break_the_grammar() {
    for word in ["1O", "1.2.3", "--1"] {
        let text = MESH.replacen("0 0 10", &format!("0 0 {word}"), 1);
        let error = parse_mesh(text.as_bytes()).unwrap_err();
        assert_eq!(error.kind.code(FileKind::Mesh), "MD5M008", "{word}");
    }
}
