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

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that files and archives can have, with their forms in a terminal, markup, Markdown and annotations.
    #[test]
    fn hostile_names_are_text_in_every_target() {
        let names = [
            ("left_arm 2", ["left_arm 2"; 5]),
            ("é関節🦴", ["é関節🦴"; 5]),
            ("a\u{1b}[31mb", [r"a\u001b[31mb", r"a\u001b[31mb", r"a\\u001b\[31mb", r"a\\u001b\[31mb", r"a\u001b[31mb"]),
            (
                "\u{9b}0m\u{7f}",
                [r"\u009b0m\u007f", r"\u009b0m\u007f", r"\\u009b0m\\u007f", r"\\u009b0m\\u007f", r"\u009b0m\u007f"],
            ),
            ("\u{202e}fdp.x", [r"\u202efdp.x", r"\u202efdp.x", r"\\u202efdp.x", r"\\u202efdp.x", r"\u202efdp.x"]),
            ("a\u{2028}b", [r"a\u2028b", r"a\u2028b", r"a\\u2028b", r"a\\u2028b", r"a\u2028b"]),
            ("a\u{ffff}", [r"a\uffff", r"a\uffff", r"a\\uffff", r"a\\uffff", r"a\uffff"]),
            ("\u{fffe}", [r"\ufffe", r"\ufffe", r"\\ufffe", r"\\ufffe", r"\ufffe"]),
            ("a\0b", [r"a\u0000b", r"a\u0000b", r"a\\u0000b", r"a\\u0000b", r"a\u0000b"]),
            ("a\rb", [r"a\u000db", r"a\u000db", r"a\\u000db", r"a\\u000db", r"a\u000db"]),
            ("a\n\n# b", [r"a\u000a\u000a# b", "a\n\n# b", "a  # b", "a  # b", "a%0A%0A# b"]),
            (
                "\n::error::b",
                [r"\u000a::error::b", "\n::error::b", " ::error::b", "::error::b", "%0A%3A%3Aerror%3A%3Ab"],
            ),
            ("a\tb", [r"a\u0009b", "a\tb", "a b", "a b", "a\tb"]),
            ("100%0A", ["100%0A", "100%0A", "100%0A", "100%0A", "100%250A"]),
            ("C:\\a,b", [r"C:\a,b", r"C:\a,b", r"C:\\a,b", r"C:\\a,b", r"C%3A\a%2Cb"]),
            ("<b>", ["<b>", "&lt;b&gt;", "&lt;b&gt;", "&lt;b&gt;", "<b>"]),
            ("\"onload='x", ["\"onload='x", "&quot;onload='x", "&quot;onload='x", "&quot;onload='x", "\"onload='x"]),
            (
                "</pre>&amp;",
                [
                    "</pre>&amp;",
                    "&lt;/pre&gt;&amp;amp;",
                    "&lt;/pre&gt;&amp;amp;",
                    "&lt;/pre&gt;&amp;amp;",
                    "</pre>&amp;",
                ],
            ),
            ("[a](b)", ["[a](b)", "[a](b)", r"\[a\](b)", r"\[a\](b)", "[a](b)"]),
            ("![a](b)", ["![a](b)", "![a](b)", r"!\[a\](b)", r"!\[a\](b)", "![a](b)"]),
            ("http://a", ["http://a", "http://a", r"http\://a", r"http\://a", "http%3A//a"]),
            ("www.a", ["www.a", "www.a", r"www\.a", r"www\.a", "www.a"]),
            ("@a", ["@a", "@a", "&#64;a", "&#64;a", "@a"]),
            ("`a`|*b*", ["`a`|*b*", "`a`|*b*", r"\`a\`\|\*b\*", r"\`a\`\|\*b\*", "`a`|*b*"]),
            ("_a_~b~", ["_a_~b~", "_a_~b~", r"\_a\_\~b\~", r"\_a\_\~b\~", "_a_~b~"]),
            (" # a", [" # a", " # a", " # a", r"\# a", " # a"]),
            ("---", ["---", "---", "---", r"\---", "---"]),
            ("1. a", ["1. a", "1. a", "1. a", r"1\. a", "1. a"]),
        ];
        for (name, expected) in names {
            let found = [
                Escaped(name).to_string(),
                markup(name),
                markdown(name),
                markdown_line(name),
                annotation_property(name),
            ];
            assert_eq!(found, expected, "{name:?}");
        }
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(EscapedLines("a\tb\r\nc\u{1b}").to_string(), "a\tb\\u000d\nc\\u001b");
        assert_eq!(annotation("50%: a,\nb"), "50%25: a,%0Ab");
    }
}
