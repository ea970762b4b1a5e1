//! Headers and compressed blocks.

use super::super::XFile;
use super::super::openbve::header as header_of_openbve;
use super::super::openbve::thrown::{Thrown, Try, throw};
use super::{HEADER, Parser, Version};
use crate::codes::x as rules;
use crate::verdict::Fallible;
use bindpose_parsers::x::FloatSize;

/// Size from which assimp takes a block for a broken one.
const BLOCK: usize = 32_786;

/// Returns a parser at the beginning of a file's content.
pub(super) fn parser(version: Version, file: XFile) -> Fallible<Result<Parser, Thrown>> {
    let float_size = if version == Version::Port { Some(header_of_openbve(file)?) } else { None };
    Ok(read(version, file, float_size))
}

fn read(version: Version, file: XFile, float_size: Option<FloatSize>) -> Try<Parser> {
    let is_port = version == Version::Port;
    let mark = if !is_port && file.disk.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    if file.disk.len() < HEADER {
        let rule = if file.disk.is_empty() { rules::EMPTY } else { rules::HEADER_CUT };
        return throw(rule, 0, "XFile is too small.");
    }
    let header = file.disk.get(mark..).unwrap_or_default();
    if !header.starts_with(b"xof ") {
        return throw(rules::NOT_X, 0, "Header mismatch, file is not an XFile.");
    }
    let (is_text, is_packed) = encoding(version, header)?;
    let float_size = float_size.map_or_else(|| read_float_size(header, is_text), Ok)?;
    if is_packed && !is_port {
        check_blocks(file.disk)?;
    }
    if let Some(rule) = if is_packed { file.damage() } else { None } {
        let message = match version {
            Version::Port => "The compressed block's signature is incorrect.",
            Version::Release | Version::Later => "X: Failed to decompress MSZIP-compressed data",
        };
        return throw(rule, HEADER, message);
    }
    let mut parser = Parser {
        version,
        bytes: file.bytes,
        at: HEADER + mark,
        is_text,
        float_size,
        numbers: 0,
        line: 0,
        lost: None,
        frames: Vec::new(),
        meshes: Vec::new(),
        sets: Vec::new(),
        is_too_deep: false,
    };
    if is_text && !is_packed {
        parser.skip_line();
        parser.look_for_lost(HEADER + mark);
    }
    Ok(parser)
}

/// Returns true for text, and true for a compressed file.
fn encoding(version: Version, header: &[u8]) -> Try<(bool, bool)> {
    Ok(match header.get(8..12).unwrap_or_default() {
        b"txt " => (true, false),
        b"bin " => (false, false),
        b"tzip" => (true, true),
        b"bzip" => (false, true),
        kind => {
            let kind = kind.escape_ascii();
            let message = match version {
                Version::Port => format!("Unsupported xfile format '{kind}'"),
                Version::Release | Version::Later => format!("Line 0: Unsupported x-file format '{kind}'"),
            };
            return throw(rules::ENCODING, 8, message);
        }
    })
}

fn read_float_size(header: &[u8], is_text: bool) -> Try<FloatSize> {
    let digits = header.get(12..HEADER).unwrap_or_default().iter();
    let bits = digits
        .fold(0_u32, |bits, &digit| bits.wrapping_mul(10).wrapping_add(u32::from(digit).wrapping_sub(u32::from(b'0'))));
    match bits {
        32 => Ok(FloatSize::F32),
        64 => Ok(FloatSize::F64),
        _ => {
            let line = if is_text { "Line 0: " } else { "" };
            let message = format!("{line}Unknown float size {bits} specified in x-file header.");
            throw(rules::FLOAT_SIZE, 12, message)
        }
    }
}

/// Checks the sizes of compressed blocks, which are counted before any is unpacked.
fn check_blocks(disk: &[u8]) -> Try {
    // The file's total size and the first block's unpacked size come before the block's size.
    let mut at = HEADER + 6;
    while at + 3 < disk.len() {
        let size = disk
            .get(at..at + 2)
            .map_or(0, |size| size.iter().rev().fold(0, |size, &byte| size << 8 | usize::from(byte)));
        if size >= BLOCK {
            return throw(rules::BLOCK_SIZE_LIMIT, HEADER, "X: Invalid offset to next MSZIP compressed block");
        }
        if disk.get(at + 2..at + 4) != Some(b"CK") {
            let message = "X: Unsupported compressed format, expected MSZIP header";
            return throw(rules::BLOCK_SIGNATURE, HEADER, message);
        }
        at += 4 + size;
    }
    if at > disk.len() + 2 {
        return throw(rules::BLOCK_CUT, HEADER, "X: Unexpected EOF in compressed chunk");
    }
    Ok(())
}
