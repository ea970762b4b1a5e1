//! Whole files: line ends, encodings, sizes.

use super::super::verdict;
use super::MESH;
use bindpose_parsers::md5::{WarningKind, parse_anim, parse_mesh};

/// Changes that affect the whole base text.
#[test]
fn mesh_line_ends_and_bytes() {
    let read = |bytes: &[u8]| verdict(bytes, &parse_mesh(bytes));
    let none: Result<Vec<String>, String> = Ok(Vec::new());
    let commented = "lines end in CR alone, so that for Doom 3 this comment goes on to the end; write LF or CRLF";
    let cr = MESH.replace('\n', "\r");
    let positions = ["8:35", "9:44", "13:2"].map(|position| format!("{position} {commented}"));
    assert_eq!(read(cr.as_bytes()), Ok(positions.to_vec()), "M48b");
    let lines = MESH.lines().map(|line| line.split("//").next().unwrap_or_default());
    let plain: Vec<&str> = lines.collect();
    assert_eq!(read(plain.join("\r").as_bytes()), none, "M48c");
    assert_eq!(read(plain.join(" ").as_bytes()), none, "M48d");
    assert_eq!(read(MESH.replace('\n', "\r\n").as_bytes()), none, "CRLF");
    assert_eq!(read(MESH.trim_end().as_bytes()), none, "no final newline");
    let stray_cr = MESH.replace("meshes: m", "meshes: m\r}");
    assert_eq!(read(stray_cr.as_bytes()), none, "a CR in a comment of a file with LF ends no line");

    // A Latin-1 byte in a name is unchanged.
    let (before, after) = MESH.split_once("bone").unwrap();
    let latin = [before.as_bytes(), b"b\xf6ne", after.as_bytes()].concat();
    let document = parse_mesh(&latin).unwrap().document;
    assert_eq!(document.joints[1].name.bytes.as_ref(), b"b\xf6ne");
    assert_eq!(document.joints[1].name.to_name(), "böne");

    let utf16: Vec<u8> = MESH.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let refused = |bytes: &[u8]| read(bytes).unwrap_err();
    let wide = "1:1 the text is UTF-16, expected one byte per character; save it as plain ASCII or UTF-8";
    assert_eq!(refused(&utf16), wide);
    assert_eq!(refused(&[b"\xff\xfe".as_slice(), &utf16].concat()), wide);
    assert_eq!(refused(b""), "1:1 the file is empty, expected 'MD5Version 10'");
    assert_eq!(refused(b" // nothing\n"), "2:1 the file is empty, expected 'MD5Version 10'");
    assert_eq!(refused(b"{"), "1:1 not a .md5mesh: expected 'MD5Version', found '{'");
    assert_eq!(refused(b"xof 0303txt 0032"), "1:1 not a .md5mesh: expected 'MD5Version', found 'xof'");
    assert_eq!(
        refused(b"BMD\x65"),
        "1:1 this is a binary animation of Doom 3 BFG, expected the text format; look for the text file it was made from"
    );
    assert_eq!(
        refused(b"MD5RVersion 1"),
        "1:1 this is a compiled mesh of Quake 4 (MD5R), expected the text format; look for the text file it was made from"
    );
    assert_eq!(
        refused(b"// lamp\nnumbones 1"),
        "2:1 version 6 is the layout of the Doom 3 alpha (numbones, channel); only the layout of version 10 is read, so export the file again"
    );
}

/// Input that is designed to need much time or memory ends quickly, with an error or with a readable number of
/// warnings.
#[test]
fn hostile_sizes_end_quickly() {
    let braces = vec![b'{'; 100 << 20];
    assert_eq!(
        verdict(&braces, &parse_mesh(&braces)),
        Err("1:1 not a .md5mesh: expected 'MD5Version', found '{'".into())
    );
    let word = vec![b'x'; 10 << 20];
    let error = parse_anim(&word).unwrap_err().to_string();
    assert_eq!(error, format!("not a .md5anim: expected 'MD5Version', found '{}…'", "x".repeat(40)));
    for filler in [",", "/**/a", "/*", "(", "\"", "\u{a0} ", "\0"] {
        let text = MESH.replacen("vert 0", &(filler.repeat(1 << 20) + " vert 0"), 1);
        if let Ok(parsed) = parse_mesh(text.as_bytes()) {
            assert_eq!(parsed.warnings.len(), 1001, "{filler:?}");
            let last = &parsed.warnings[1000];
            assert!(matches!(last.kind, WarningKind::Repeated { .. }), "{filler:?}: {}", last.kind);
        }
    }
    // The file, and not the count, limits the memory.
    let text = MESH.replace("numweights 5", "numweights 59");
    let document = parse_mesh(text.as_bytes()).unwrap().document;
    assert!(document.meshes[0].weights.capacity() <= text.len() / 8);
}
