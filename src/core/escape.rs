//! Text from files, and names of files, made harmless in each target: terminals, HTML and XML, Markdown, and GitHub's
//! annotations.

use std::fmt::{self, Write as _};

/// Text made harmless for a terminal. Characters that [`is_harmless`] refuses are written as `\u001b`, the form that
/// JSON reads back. Newlines and tabs are escaped too, so that a name stays on its line.
#[derive(Debug, Clone, Copy)]
pub struct Escaped<T>(pub T);

impl<T: fmt::Display> fmt::Display for Escaped<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping { out, kept: &[] }, "{}", self.0)
    }
}

/// Same as [`Escaped`] for text of several lines: newlines and tabs stay. Applied to JSON, it is JSON of equal meaning.
#[derive(Debug, Clone, Copy)]
pub struct EscapedLines<T>(pub T);

impl<T: fmt::Display> fmt::Display for EscapedLines<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping { out, kept: &['\n', '\t'] }, "{}", self.0)
    }
}

/// Writer that escapes its input.
struct Escaping<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    kept: &'static [char],
}

impl fmt::Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| match is_harmless(c) || self.kept.contains(&c) {
            true => self.out.write_char(c),
            false => write!(self.out, "\\u{:04x}", u32::from(c)),
        })
    }
}

/// True if a terminal only prints the character. False for control characters (ESC, the C1 set, delete), for marks that
/// change the direction of text or end a line, and for the two that XML does not have.
pub fn is_harmless(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

/// True for printable ASCII and tabs, which need no escape in the middle of a line.
pub fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b'\t' | b' '..=b'~'))
}

/// Escapes text for HTML and XML 1.0, as content or in an attribute in double quotes. Newlines and tabs stay.
pub fn markup(text: &str) -> String {
    let mut escaped = String::new();
    for c in EscapedLines(text).to_string().chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Escapes text within a line of Markdown, such as a cell of a table: it is no link, image, emphasis, code or mention.
pub fn markdown(text: &str) -> String {
    let text = Escaped(text.replace(['\n', '\t'], " ")).to_string();
    let mut escaped = String::new();
    for (at, c) in text.char_indices() {
        let (before, after) = (&text[..at], &text[at + c.len_utf8()..]);
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '@' => escaped.push_str("&#64;"),
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' => escaped.extend(['\\', c]),
            '_' if !before.ends_with(char::is_alphanumeric) || !after.starts_with(char::is_alphanumeric) => {
                escaped.push_str("\\_");
            }
            // GitHub makes links of addresses.
            ':' if after.starts_with("//") => escaped.push_str("\\:"),
            '.' if before.ends_with("www") => escaped.push_str("\\."),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Escapes text for a line of Markdown of its own: it is no heading, list or rule either.
pub fn markdown_line(text: &str) -> String {
    let escaped = markdown(text.trim_start());
    let digits = escaped.bytes().take_while(u8::is_ascii_digit).count();
    match escaped.get(digits..).and_then(|rest| rest.chars().next()) {
        Some('#' | '+' | '-' | '=') if digits == 0 => format!("\\{escaped}"),
        Some('.' | ')') if digits > 0 => format!("{}\\{}", &escaped[..digits], &escaped[digits..]),
        _ => escaped,
    }
}

/// Escapes the message of a workflow command of GitHub Actions, such as `::error::message`.
pub fn annotation(text: &str) -> String {
    EscapedLines(text).to_string().replace('%', "%25").replace('\n', "%0A")
}

/// Escapes a property of a workflow command, where colons and commas are special, too.
pub fn annotation_property(text: &str) -> String {
    annotation(text).replace(':', "%3A").replace(',', "%2C")
}
