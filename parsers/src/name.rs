//! Text for people: names in other encodings than UTF-8, and nouns with their counts.

use std::borrow::Cow;
use std::sync::OnceLock;

/// Decodes Shift-JIS; `None` if the bytes are not.
type Decoder = fn(&[u8]) -> Option<String>;

/// Decoder of a program without the feature `shift-jis`.
static DECODER: OnceLock<Decoder> = OnceLock::new();

/// Decodes a name: UTF-8 if valid, else Shift-JIS if it looks like it (feature `shift-jis`, or [`decode_shift_jis_by`]), else
/// Windows-1252.
///
/// Old tools write names in the code page of their machine without saying which. Japanese is recognised by pairs that
/// Western names hardly contain: one that begins with 0x81 to 0x9F (punctuation, kana, most of the common kanji), or a
/// run of half-width kana. Unassigned bytes become U+FFFD. The result never contains C1 control characters.
#[must_use]
pub fn decode_name(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    if looks_japanese(bytes)
        && let Some(text) = shift_jis(bytes)
    {
        return text;
    }
    Cow::Owned(bytes.iter().map(|&byte| windows_1252(byte)).collect())
}

/// Sets the decoder of Shift-JIS in [`decode_name`] if the feature `shift-jis` is off. That feature adds tables of 128 kB, which a
/// browser already has. Later calls change nothing.
pub fn decode_shift_jis_by(decoder: fn(&[u8]) -> Option<String>) {
    DECODER.get_or_init(|| decoder);
}

#[cfg(feature = "shift-jis")]
fn shift_jis(bytes: &[u8]) -> Option<Cow<'_, str>> {
    encoding_rs::SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes)
}

#[cfg(not(feature = "shift-jis"))]
fn shift_jis(bytes: &[u8]) -> Option<Cow<'_, str>> {
    DECODER.get()?(bytes).map(Cow::Owned)
}

/// Returns a character of Windows-1252, which is Latin-1 except for these characters from 0x80 to 0x9F.
fn windows_1252(byte: u8) -> char {
    const NONE: char = char::REPLACEMENT_CHARACTER;
    const FROM_80: [char; 32] = [
        '€', NONE, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', NONE, 'Ž', NONE, //
        NONE, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', NONE, 'ž', 'Ÿ',
    ];
    let own = byte.checked_sub(0x80).and_then(|index| FROM_80.get(usize::from(index)));
    own.copied().unwrap_or(char::from(byte))
}

/// Formats a count with its noun: "1 vertex", "2 vertices".
#[must_use]
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// True if all bytes from 0x80 on form Shift-JIS pairs and half-width kana, and one of them is typical.
fn looks_japanese(bytes: &[u8]) -> bool {
    let mut speaks_for_it = false;
    // Number of consecutive half-width kana before this byte.
    let mut kana = 0;
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        rest = tail;
        match first {
            0x00..=0x7f => kana = 0,
            0xa1..=0xdf => kana += 1,
            // Above 0xEF there are only private characters.
            0x81..=0x9f | 0xe0..=0xef => {
                let [0x40..=0x7e | 0x80..=0xfc, tail @ ..] = tail else { return false };
                rest = tail;
                kana = 0;
                speaks_for_it |= *first < 0xa0;
            }
            _ => return false,
        }
        speaks_for_it |= kana == 2;
    }
    speaks_for_it
}

#[cfg(test)]
mod tests {
    use super::decode_name;

    #[test]
    #[cfg(feature = "shift-jis")]
    fn japanese_names_are_read_as_shift_jis() {
        // Tables of JIS X 0208 in Shift-JIS: hair, face, "mi ku", half-width "se n ta -".
        let cases: [(&[u8], &str); 4] = [
            (b"\x94\xaf", "髪"),
            (b"\x8a\xe7.bmp", "顔.bmp"),
            (b"\x83\x7e\x83\x4e", "ミク"),
            (b"\xbe\xdd\xc0\xb0", "ｾﾝﾀｰ"),
        ];
        for (bytes, name) in cases {
            assert_eq!(decode_name(bytes), name, "{bytes:x?}");
        }
    }

    #[test]
    #[cfg(not(feature = "shift-jis"))]
    fn japanese_names_are_read_by_the_decoder_that_is_set() {
        assert_eq!(decode_name(b"\x94\xaf"), "”¯");
        super::decode_shift_jis_by(|bytes| (bytes == b"\x94\xaf").then(|| "髪".to_owned()));
        assert_eq!(decode_name(b"\x94\xaf"), "髪");
        assert_eq!(decode_name(b"\x8a\xe7.bmp"), "Šç.bmp");
    }

    #[test]
    fn western_names_are_read_as_utf_8_or_windows_1252() {
        let cases: [(&[u8], &str); 6] = [
            ("Körper".as_bytes(), "Körper"),
            (b"K\xf6rper", "Körper"),
            (b"St\xe9phane", "Stéphane"),
            (b"a\x81", "a\u{fffd}"),
            // Characters at both ends of the Encoding Standard's table.
            (b"5 \x80", "5 €"),
            (b"\xdcber\x9f", "ÜberŸ"),
        ];
        for (bytes, name) in cases {
            assert_eq!(decode_name(bytes), name, "{bytes:x?}");
        }
        for byte in 0..=255 {
            assert!(!decode_name(&[byte, byte]).contains(|c| ('\u{80}'..='\u{9f}').contains(&c)), "{byte:x}");
        }
    }
}
