//! Paths in addresses, as RFC 3986 encodes them.

/// Encodes a path with `/` as a relative address, byte by byte.
pub fn encoded(path: &[u8]) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.iter()
        .map(|&byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Decodes a relative address; `None` for text that is none.
pub fn decoded(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        bytes.push((16 * digit()? + digit()?) as u8);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_paths_are_decoded() {
        assert_eq!(encoded("a b/ü-1.x".as_bytes()), "a%20b/%C3%BC-1.x");
        assert_eq!(decoded("a%20b/%C3%BC-1.x").as_deref(), Some("a b/ü-1.x"));
        for wrong in ["%zz", "%2", "%ff"] {
            assert_eq!(decoded(wrong), None, "{wrong}");
        }
    }
}
