//! Names of files and their parts in each target of text.

use bindpose_core::escape::{Escaped, EscapedLines, annotation, annotation_property, markdown, markdown_line, markup};
use bindpose_core::json;

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
        ("\n::error::b", [r"\u000a::error::b", "\n::error::b", " ::error::b", "::error::b", "%0A%3A%3Aerror%3A%3Ab"]),
        ("a\tb", [r"a\u0009b", "a\tb", "a b", "a b", "a\tb"]),
        ("100%0A", ["100%0A", "100%0A", "100%0A", "100%0A", "100%250A"]),
        ("C:\\a,b", [r"C:\a,b", r"C:\a,b", r"C:\\a,b", r"C:\\a,b", r"C%3A\a%2Cb"]),
        ("<b>", ["<b>", "&lt;b&gt;", "&lt;b&gt;", "&lt;b&gt;", "<b>"]),
        ("\"onload='x", ["\"onload='x", "&quot;onload='x", "&quot;onload='x", "&quot;onload='x", "\"onload='x"]),
        (
            "</pre>&amp;",
            ["</pre>&amp;", "&lt;/pre&gt;&amp;amp;", "&lt;/pre&gt;&amp;amp;", "&lt;/pre&gt;&amp;amp;", "</pre>&amp;"],
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
        let found =
            [Escaped(name).to_string(), markup(name), markdown(name), markdown_line(name), annotation_property(name)];
        assert_eq!(found, expected, "{name:?}");
    }
}

#[test]
fn lines_stay_lines() {
    assert_eq!(EscapedLines("a\tb\r\nc\u{1b}").to_string(), "a\tb\\u000d\nc\\u001b");
    assert_eq!(annotation("50%: a,\nb"), "50%25: a,%0Ab");
}

#[test]
fn json_contains_nothing_that_a_terminal_would_obey() {
    let name = "a\u{1b}\"\u{9b}\u{e9}\u{202e}\u{7f}";
    let text = json::line(&[name]).unwrap();
    assert_eq!(text, "[\"a\\u001b\\\"\\u009b\u{e9}\\u202e\\u007f\"]");
    for text in [text, json::indented(&[name]).unwrap()] {
        assert_eq!(serde_json::from_str::<[String; 1]>(&text).unwrap(), [name]);
    }
}
