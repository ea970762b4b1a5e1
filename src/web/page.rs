//! Functions of the page that the module imports.

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    fn shift_jis(bytes: *const u8, length: usize, text: *mut u8) -> isize;
}

/// Decodes Shift-JIS by the browser's tables.
pub fn decode_shift_jis(bytes: &[u8]) -> Option<String> {
    // Half-width kana take one byte in Shift-JIS and three in UTF-8, which is the most.
    let mut text = vec![0; bytes.len() * 3];
    // SAFETY: the page reads `length` bytes and writes at most three for each.
    let length = unsafe { shift_jis(bytes.as_ptr(), bytes.len(), text.as_mut_ptr()) };
    text.truncate(usize::try_from(length).ok()?);
    String::from_utf8(text).ok()
}
