//! Tests docs/formats/x.md "Compressed files", cases C12 and C14, W11 and W12, and wrong sizes.
//!
//! The blocks were made with zlib, not with this project's writer.

use super::support::{lenient, strict, tree};
use bindpose_parsers::x::{self, Reading};

/// A tzip file of three blocks. The second and third block refer back to the block before.
const WINDOW: &[u8] = include_bytes!("../cases/x/window.tzip.x");

/// Returns the source of [`WINDOW`].
fn window_text() -> Vec<u8> {
    let mut text = b"xof 0302txt 0032\n".to_vec();
    text[7] = b'3';
    for i in 0..900 {
        let [x, y, z] = [i * 7 % 13, i * i % 101, i * 31 % 29];
        let frame =
            format!("Frame Joint_{i:04} {{ FrameTransformMatrix {{ 1,0,0,0, 0,1,0,0, 0,0,1,0, {x},{y},{z},1;; }} }}\n");
        text.extend(frame.into_bytes());
    }
    text
}

fn hex(digits: &str) -> Vec<u8> {
    digits
        .as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// W11: only the template of Header.
const TEMPLATE: &str = "786f662030333032747a6970303036347000000060005900434b2b49cd2dc8492c4955f0484d4c492d52a856b03176b1307\
    2743231d635337271d435347476d3757432b6d4353030327074333774353136b65308f70f7251c84dccca2fb286b233f3406c1730272d2731bd\
    d85aa1960b00";
/// W12: `Header Object { 1; 2; 3; }`.
const OBJECT: &str = "786f662030333032627a6970303036343e0000002e002700434b636460636060f0484d4c492d6204b3fd93b252934bb8806c\
    66208f1188998018c4e6660000";

#[test]
fn blocks_refer_back_over_their_borders() {
    let file = x::unpack(WINDOW, Reading::Strict).unwrap();
    assert!(*file.bytes == window_text());
    assert_eq!(x::parse(&file, Reading::Strict).unwrap().document.frames.len(), 900);
    assert_eq!(tree(&hex(TEMPLATE)), "");
    assert_eq!(strict(&hex(TEMPLATE)), "ok");
    assert_eq!(tree(&hex(OBJECT)), "Header Object(1 2 3)");
    assert_eq!(strict(&hex(OBJECT)), "ok");
}

/// Returns a file with some bytes replaced or cut off.
fn damaged(damage: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = WINDOW.to_vec();
    damage(&mut bytes);
    bytes
}

#[test]
fn damaged_blocks_and_lies_about_sizes_end_in_errors() {
    let cases = [
        ("cut inside a block", damaged(|b| b.truncate(100)), "@24 the file ends here, inside a block, "),
        (
            "cut inside a block header",
            damaged(|b| b.truncate(22)),
            "@20 the file ends here, inside a block header, at least 2 bytes are missing; export or download it again",
        ),
        (
            "cut before the total",
            damaged(|b| b.truncate(18)),
            "@16 the file ends here, inside the total size, at least 2 bytes are missing; export or download it again",
        ),
        ("another signature", damaged(|b| b[24] = b'X'), "@24 a compressed block begins with 'XK', expected 'CK'"),
        (
            "a block of 65535 bytes",
            damaged(|b| b[20..22].fill(255)),
            "@20 a compressed block claims to hold 65535 bytes, but at most 32768 are possible",
        ),
        ("a damaged stream", damaged(|b| b[26..40].fill(255)), "@24 block 0 is not a valid deflate stream"),
    ];
    for (what, file, expected) in cases {
        let error = lenient(&file).expect_err(what);
        assert!(error.starts_with(expected), "{what}: {error}");
        assert!(strict(&file).starts_with("DXFILEERR_BADALLOC"), "{what}: {}", strict(&file));
    }
    // One byte less than the stream contains, then one more.
    let more = damaged(|b| b[20..22].copy_from_slice(&32767_u16.to_le_bytes()));
    assert_eq!(lenient(&more).unwrap_err(), "@24 block 0 inflates to more than 32767 bytes, but its header says 32767");
    let mut less = hex(OBJECT);
    less[16] += 1;
    less[20] += 1;
    assert_eq!(lenient(&less).unwrap_err(), "@24 block 0 inflates to 46 bytes, but its header says 47");
}

#[test]
fn what_follows_the_last_block_is_ignored() {
    let padded = [hex(OBJECT), vec![0; 3]].concat();
    assert_eq!(lenient(&padded).unwrap(), ["@63 3 bytes left over after the last compressed block; they are not read"]);
    let header_only = [hex(OBJECT), vec![0, 128, 100, 0]].concat();
    assert_eq!(
        lenient(&header_only).unwrap(),
        ["@63 4 bytes left over after the last compressed block; they are not read"]
    );
}

/// D3DX's readers only log the difference. The content of the blocks counts.
#[test]
fn a_total_that_lies_is_a_warning() {
    for (total, says) in [(76334, "76334"), (76336, "76336"), (3, "3")] {
        let file = damaged(|b| b[16..20].copy_from_slice(&u32::to_le_bytes(total)));
        let warning = format!(
            "@16 the file declares that it unpacks to {says} bytes, but its blocks contain 76335; the blocks count"
        );
        assert_eq!(lenient(&file).unwrap(), [warning]);
        assert_eq!(strict(&file), "ok");
    }
    // Without the second block its objects are lost. The rest is read, and ends too early.
    let second = 20 + 4 + usize::from(u16::from_le_bytes([WINDOW[22], WINDOW[23]]));
    assert!(lenient(&damaged(|b| b.truncate(second))).unwrap_err().contains("the file ends here, inside"));
    assert!(strict(&damaged(|b| b.truncate(second))).starts_with("D3DXFERR_PARSEERROR"));
}

/// The limit is ours. D3DX's reaction to such a file is not known.
#[test]
fn a_total_of_gigabytes_is_not_unpacked() {
    let error = lenient(&damaged(|b| b[16..20].fill(255))).unwrap_err();
    assert_eq!(error, "@16 the file unpacks to 4294967295 bytes, but at most 67108864 are read");
}

/// A block of 32 KiB of zeros takes 46 bytes, so unpacked data is at most 1000 times as large as its file.
#[test]
fn a_small_file_cannot_claim_gigabytes() {
    let mut bomb = b"xof 0303tzip0032".to_vec();
    bomb.extend((64_u32 << 20).to_le_bytes());
    for _ in 0..200 {
        // A block of one stored zero that is declared as 32768 bytes.
        bomb.extend([0, 128, 8, 0, b'C', b'K', 3, 0, 0, 0, 0, 0]);
    }
    assert_eq!(lenient(&bomb).unwrap_err(), "@24 block 0 inflates to 0 bytes, but its header says 32768");
}

#[test]
fn the_caller_says_how_long_a_file_may_become() {
    let exact = x::unpack_within(WINDOW, Reading::Strict, 76335).expect("just long enough");
    assert_eq!(exact.bytes.len(), 76335);
    let error = x::unpack_within(WINDOW, Reading::Lenient, 76334).expect_err("a byte too many");
    assert_eq!(error.kind, x::Fault::UnpackedTooLong { declared: 76335, limit: 76334 });
    assert_eq!(error.span.range(), 16..20);
    // Memory does not exceed the declared size either.
    let lies = damaged(|b| b[16..20].fill(0));
    let error = x::unpack_within(&lies, Reading::Lenient, 76334).expect_err("a byte too many");
    assert_eq!(error.kind, x::Fault::UnpackedTooLong { declared: 76335, limit: 76334 });
}
