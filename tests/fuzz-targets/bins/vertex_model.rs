#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bindpose_fuzz::vertex_model(bytes));
