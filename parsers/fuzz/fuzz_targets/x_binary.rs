//! Any bytes read as a binary .x file; the two readings must agree, and what loads can be written and read.
#![no_main]

use bindpose_parsers::x::{self, Encoding, Reading};

libfuzzer_sys::fuzz_target!(|body: &[u8]| {
    let bytes = [b"xof 0303bin 0032".as_slice(), body].concat();
    let strict = x::unpack(&bytes, Reading::Strict).is_ok_and(|file| x::parse(&file, Reading::Strict).is_ok());
    let lenient = x::unpack(&bytes, Reading::Lenient);
    let Ok(file) = lenient else { return assert!(!strict) };
    let Ok(parsed) = x::parse(&file, Reading::Lenient) else { return assert!(!strict) };
    let refused = parsed.warnings.iter().chain(&file.warnings).any(|warning| warning.kind.d3dx().is_some());
    assert_eq!(strict, !refused, "the readings agree about what D3DX refuses");
    let written = x::write(&parsed.document, Encoding::BINARY.compressed());
    let again = x::unpack(&written, Reading::Strict).expect("what was written can be unpacked");
    x::parse(&again, Reading::Lenient).expect("what was written can be read");
});
