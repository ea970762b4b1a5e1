//! Slips of hand editors and exporters: counts, separators, braces, strings and names, located by the rest of the file.

use super::*;

/// The line to correct is that of the entry or the string, and its consequences are not reported.
#[test]
fn errors_inside_lists_are_found_by_the_files_own_separators() {
    let matrix = "0.0,0.0,0.0,0.0,1.0;;\n }\n Frame Tip";
    let cases: [(&str, Vec<u8>, u32, &str, &str); 16] = [
        (
            "vertex cut",
            base("1.0;4.0;0.0;,", "1.0;4.0;,"),
            19,
            "XF045",
            "vertices[2] of 'Mesh' has 2 values, expected 3",
        ),
        (
            "vertex long",
            base("1.0;4.0;0.0;,", "1.0;4.0;0.0;2.0;,"),
            19,
            "XF046",
            "vertices[2] of 'Mesh' has 4 values, expected 3",
        ),
        (
            "decimal commas",
            base("1.0;4.0;0.0;,", "1,0;4,0;0,0;,"),
            19,
            "XF046",
            "vertices[2] of 'Mesh' has 6 values, expected 3",
        ),
        (
            "face cut",
            base("3;0,1,2;,\n   3;0,2", "3;0,1;,\n   3;0,2"),
            22,
            "XF045",
            "faces[0] of 'Mesh' has 2 values, expected 3",
        ),
        (
            "normal cut",
            base("0.0;0.0;1.0;;", "0.0;1.0;;"),
            26,
            "XF045",
            "normals[0] of 'MeshNormals' has 2 values, expected 3",
        ),
        (
            "coordinate cut",
            base("    1.0;1.0;,\n", "    1.0;,\n"),
            34,
            "XF045",
            "textureCoords[1] of 'MeshTextureCoords' has 1 value, expected 2",
        ),
        (
            "coordinate lost",
            base("    1.0;0.0;,\n    0.0;0.0;;\n", "    1.0;0.0;;\n"),
            32,
            "XF048",
            "'MeshTextureCoords' announces 4 textureCoords, found 3",
        ),
        (
            "key's own count",
            base("12;4;0.707", "12;3;0.707"),
            90,
            "XF046",
            "keys[1] of 'AnimationKey' has 4 values, expected 3",
        ),
        (
            "vertices",
            base("   4;\n   0.0;0.0;0.0;,", "   5;\n   0.0;0.0;0.0;,"),
            16,
            "XF048",
            "'Mesh' announces 5 vertices, found 4",
        ),
        (
            "matrix cut",
            base(matrix, &matrix.replacen("0.0,", "", 1)),
            4,
            "XF045",
            "frameMatrix of 'FrameTransformMatrix' has 15 values, expected 16",
        ),
        (
            "matrix long",
            base(matrix, &matrix.replacen("0.0,", "0.0,0.0,", 1)),
            4,
            "XF046",
            "frameMatrix of 'FrameTransformMatrix' has 17 values, expected 16",
        ),
        (
            "matrix of four lines",
            base(
                "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0;;",
                "1.0,0.0,0.0,0.0,\n  0.0,1.0,0.0,0.0,\n  0.0,0.0,0.0,\n  0.0,0.0,0.0,1.0;;",
            ),
            6,
            "XF045",
            "frameMatrix of 'FrameTransformMatrix' has 15 values, expected 16",
        ),
        (
            "bone's matrix",
            base("0.0,-2.0,0.0,1.0;;", "0.0,-2.0,1.0;;"),
            75,
            "XF045",
            "matrixOffset of 'SkinWeights' has 15 values, expected 16",
        ),
        (
            "matrix key",
            base("0;16;1.0,0.0,", "0;16;1.0,"),
            100,
            "XF045",
            "keys[0] of 'AnimationKey' has 15 values, expected 16",
        ),
        (
            "colour of three numbers",
            base("1.0;1.0;1.0;1.0;;", "1.0;1.0;1.0;;"),
            44,
            "XF045",
            "faceColor of 'Material' has 3 values, expected 4",
        ),
        ("string", base("\"Root\";", "\"Root;"), 56, "XF023", "a string goes on over the end of its line"),
    ];
    for (name, bytes, line, code, message) in cases {
        let report = report(&bytes);
        let own: Vec<_> = report.files[0].findings.iter().filter(|finding| !finding.by_engine).collect();
        let [finding] = own[..] else { panic!("{name}: {:?}", codes(&report)) };
        let at = report.sources.get(report.files[0].source).position(finding.first.span.start).line;
        assert_eq!((at, finding.code.id, finding.message.as_str()), (line, code, message), "{name}");
    }
}

/// The line to correct is that of the count, not the one where a reader fails.
#[test]
fn wrong_counts_are_found_by_the_files_own_separators() {
    let keys = "   0;\n   4;\n   0;4";
    let cases: [(&str, Vec<u8>, u32, &str); 10] = [
        (
            "more than the file can hold",
            base("   4;\n   0.0;0.0;0.0;,", "   4000000;\n   0.0;0.0;0.0;,"),
            16,
            "'Mesh' announces 4000000 vertices, found 4",
        ),
        (
            "vertices",
            base("   4;\n   0.0;0.0;0.0;,", "   7;\n   0.0;0.0;0.0;,"),
            16,
            "'Mesh' announces 7 vertices, found 4",
        ),
        (
            "fewer",
            base("   4;\n   0.0;0.0;0.0;,", "   3;\n   0.0;0.0;0.0;,"),
            16,
            "'Mesh' announces 3 vertices, found 4",
        ),
        ("faces", base("   2;\n   3;0,1,2", "   1;\n   3;0,1,2"), 21, "'Mesh' announces 1 faces, found 2"),
        (
            "normals",
            base("    1;\n    0.0;0.0;1.0", "    2;\n    0.0;0.0;1.0"),
            25,
            "'MeshNormals' announces 2 normals, found 1",
        ),
        (
            "coordinates",
            base("    4;\n    0.0;1.0;,", "    5;\n    0.0;1.0;,"),
            32,
            "'MeshTextureCoords' announces 5 textureCoords, found 4",
        ),
        (
            "weights",
            base("    2;\n    2,\n", "    3;\n    2,\n"),
            70,
            "'SkinWeights' announces 3 vertexIndices, found 2",
        ),
        (
            "fewer weights",
            base("    4;\n    0,\n", "    3;\n    0,\n"),
            57,
            "'SkinWeights' announces 3 vertexIndices, found 4",
        ),
        ("keys", base(keys, "   0;\n   6;\n   0;4"), 88, "'AnimationKey' announces 6 keys, found 4"),
        ("fewer keys", base(keys, "   0;\n   2;\n   0;4"), 88, "'AnimationKey' announces 2 keys, found 4"),
    ];
    for (name, bytes, line, message) in cases {
        let report = report(&bytes);
        let finding = report.files[0].findings.iter().find(|finding| finding.code.id == "XF048");
        let finding = finding.unwrap_or_else(|| panic!("{name}: {:?}", codes(&report)));
        let at = report.sources.get(report.files[0].source).position(finding.first.span.start).line;
        assert_eq!((at, finding.message.as_str()), (line, message), "{name}");
        assert!(refuses(&report), "{name}");
    }
}

/// Each wrong count is reported on its line, without its consequences.
#[test]
fn several_wrong_counts_are_all_found() {
    let once = |text: Vec<u8>, from: &str, to: &str| {
        let text = String::from_utf8(text).expect("ASCII");
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1).into_bytes()
    };
    let bytes = base("   2;\n   3;0,1,2", "   1;\n   3;0,1,2");
    let bytes = once(bytes, "    1;\n    0.0;0.0;1.0", "    2;\n    0.0;0.0;1.0");
    let bytes = once(bytes, "    4;\n    0,\n", "    3;\n    0,\n");
    let bytes = once(bytes, "   0;\n   4;\n   0;4", "   0;\n   2;\n   0;4");
    let found = codes(&report(&bytes));
    assert_eq!(found, [21, 25, 57, 88].map(|line| ("XF048".to_owned(), line)));
}

#[test]
fn a_key_far_too_late_is_reported_not_the_one_after_it() {
    for (from, to, line) in [("12;4;", "99;4;", 90), ("24;4;", "4;4;", 91), ("36;4;", "4;4;", 92)] {
        assert_eq!(codes(&report(&base(from, to))), [("XF115".to_owned(), line)], "{from} -> {to}");
    }
}

#[test]
fn a_missing_brace_is_located_by_indentation() {
    let report = report(&base("    0.0;0.0;;\n   }\n", "    0.0;0.0;;\n"));
    let file = &report.files[0];
    let finding = file.findings.iter().find(|finding| finding.code.id == "XF021").expect("a finding");
    let source = report.sources.get(file.source);
    let lines: Vec<u32> = finding.related.iter().map(|place| source.position(place.span.start).line).collect();
    // The brace that closes the surrounding mesh, and the end of the file.
    assert_eq!(lines, [76, 103]);
    assert_eq!(source.position(finding.first.span.start).line, 31);
}

/// Returns the message and the notes of the first file's finding with this code, and its line.
fn described(bytes: &[u8], code: &str) -> (String, u32) {
    let report = report(bytes);
    let finding = report.files[0].findings.iter().find(|finding| finding.code.id == code);
    let finding = finding.unwrap_or_else(|| panic!("no {code} in {:?}", codes(&report)));
    let line = report.sources.get(report.files[0].source).position(finding.first.span.start).line;
    (format!("{}\n{}", finding.message, finding.notes.join("\n")), line)
}

#[test]
fn suggestions_name_the_intended_word() {
    let mesh = |index| text(&format!("Mesh {{ 3; 0.0;0.0;0.0;, 1.0;0.0;0.0;, 0.0;1.0;0.0;; 1; 3;0,1,{index};; }}"));
    assert!(described(&mesh(3), "XF071").0.contains("numbers begin at 0"));
    assert!(!described(&mesh(4), "XF071").0.contains("numbers begin at 0"));

    let animated = |name| text(&format!("Frame Bip01_L_Arm {{}}\nAnimationSet {{ Animation {{ {{{name}}} }} }}"));
    let code = |bytes: &[u8]| {
        let found = codes(&report(bytes)).into_iter().map(|(code, _)| code);
        found.filter(|code| code == "XF053" || code == "XF120").collect::<Vec<_>>()
    };
    assert!(code(&animated("Bip01_L_Arm")).is_empty());
    for name in ["bip01_l_arm", "Bip01-L-Arm", "Bip01_L_Amr"] {
        let said = code(&animated(name)).iter().map(|code| described(&animated(name), code).0).collect::<String>();
        assert!(said.contains(&format!("'{name}': did you mean 'Bip01_L_Arm'?")), "{said}");
    }

    assert!(described(&text("Frme a {}\nFrame b {}\n"), "XF052").0.ends_with("did you mean 'Frame'?"));
    assert!(!described(&text("Octopus a {}\nFrame b {}\n"), "XF052").0.contains("did you mean"));

    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(BASE.bytes().flat_map(|byte| [byte, 0])).collect();
    assert!(described(&utf16, "XF003").0.contains("UTF-16"));
    let commas = BASE.replace('.', ",");
    assert!(described(commas.as_bytes(), "XF049").0.contains("numbers have decimal commas"));
}

#[test]
fn braces_are_placed_by_indentation() {
    let nested = "Frame a {\n  Frame b {\n    Frame c {\n    }\n  }\n}\n";
    let surplus = text(&nested.replacen("    }\n", "    }\n    }\n", 1));
    assert_eq!(described(&surplus, "XF034").1, 6);
    let missing = text(&nested.replacen("  }\n}", "}", 1));
    assert_eq!(described(&missing, "XF021").1, 3);
}
