//! Headers and encodings.

use super::{OK, case, check};

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
