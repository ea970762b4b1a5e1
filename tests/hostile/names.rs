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
        check_decoded(name);
    }
    // Options, shells, templates, markup, references, whitespace, direction, marks.
    for name in [
        "-",
        "--config=evil.x",
        "~",
        "$(touch a)",
        "`touch a`",
        "a;b",
        "a && b",
        "a | b",
        "%s%n",
        "{{7*7}}",
        "${{ secrets.A }}",
        "<!--",
        "]]>",
        "&#0;",
        "javascript:alert(1)",
        "#1",
        "a\\",
        "a\u{b}b",
        "a\u{c}b",
        "a\u{85}b",
        "a\u{2029}b",
        "\u{2066}a\u{2069}",
        "\u{feff}a",
        "a\u{200b}b",
        "\u{1f469}\u{200d}\u{1f680}",
        "a\u{300}\u{300}",
    ] {
        check_decoded(name);
    }
}

/// Checks that each target decodes its form of a name to the name that a terminal shows, and that the form contains
/// nothing that the target would obey.
fn check_decoded(name: &str) {
    let shown = Escaped(name).to_string();
    assert!(!shown.contains(|c: char| c.is_control() || ('\u{2028}'..='\u{202e}').contains(&c)), "{shown:?}");
    let lines = EscapedLines(name).to_string();
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#64;", "@"), ("&amp;", "&")];
    let decoded = |text: &str| entities.iter().fold(text.to_owned(), |text, (form, c)| text.replace(form, c));
    let has_other_entity =
        |text: &str| entities.iter().fold(text.to_owned(), |text, (form, _)| text.replace(form, "")).contains('&');
    let marked = markup(name);
    assert!(!has_other_entity(&marked) && !has_other_entity(&markdown(name)), "{marked:?}");
    assert!(!marked.contains(['<', '>', '"']), "{marked:?}");
    assert_eq!(decoded(&marked), lines);
    let text = markdown(name);
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        plain.extend(if c == '\\' { rest.next() } else { Some(c) });
    }
    assert_eq!(decoded(&plain), Escaped(name.replace(['\n', '\t'], " ")).to_string(), "{text:?}");
    let property = annotation_property(name);
    assert!(!property.contains(['\n', ':', ',']), "{property:?}");
    let decoded = property.replace("%3A", ":").replace("%2C", ",").replace("%0A", "\n").replace("%25", "%");
    assert_eq!(decoded, lines);
    assert_eq!(serde_json::from_str::<[String; 1]>(&json::line(&[name]).unwrap()).unwrap(), [name]);
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
