//! Diagnostics as text with their source lines.

use bindpose::diagnostic::{Diagnostic, Severity, Sources};
use bindpose::validate::draw::text;
use bindpose_parsers::Span;

#[test]
fn text_is_drawn_with_its_line_and_binary_with_its_offset() {
    let mut sources = Sources::default();
    let plain = sources.add("a.md5mesh", b"one\ntwo \xff three\n".to_vec());
    let binary = sources.add("b.x", b"xof 0303bin 0032\x0a\0".to_vec());
    let drawn = |source, start| {
        let found = Diagnostic::new("MD5M000", Severity::Error, "wrong word", source, Span::new(start, start + 3));
        text(&found, &sources)
    };
    let human = drawn(plain, 4);
    assert!(human.contains("a.md5mesh:2:1") && human.contains("two ? three") && human.contains("^^^"), "{human}");
    let human = drawn(binary, 16);
    assert!(human.contains("at byte 16 of b.x"), "{human}");
}

/// The mark is below the word: the letters before it are two columns wide each. A position within a letter, as of a
/// reader of bytes, marks the whole letter.
#[test]
fn letters_beyond_ascii_are_drawn_and_marked() {
    let mut sources = Sources::default();
    let line = "Material \u{4f53}\u{6b69} wrong";
    let file = sources.add("a.x", format!("{line}\n{}{line}", "\u{4f53}".repeat(100)).into_bytes());
    let drawn = |start, end| {
        let found = Diagnostic::new("XF027", Severity::Error, "word", file, Span::new(start, end));
        let drawn = text(&found, &sources);
        let lines: Vec<String> = drawn.lines().map(str::to_owned).collect();
        let at = lines.iter().position(|line| line.contains('^')).unwrap();
        (lines[at - 1].clone(), lines[at].clone())
    };
    let (shown, mark) = drawn(16, 21);
    assert!(shown.ends_with(line), "{shown}");
    let before = shown.split("wrong").next().unwrap().chars().count() + 2;
    assert_eq!(mark.chars().take_while(|&letter| letter != '^').count(), before, "{shown}\n{mark}");
    assert!(mark.ends_with(" ^^^^^"), "{mark}");
    assert!(drawn(10, 11).1.ends_with(" ^^"), "{:?}", drawn(10, 11));
    // In a piece of a long line, whose ends may be within a letter.
    for place in line.len() + 1..line.len() + 330 {
        assert!(drawn(place, place + 1).1.contains('^'), "{place}");
    }
}

#[test]
fn of_a_long_line_a_piece_is_drawn() {
    let mut sources = Sources::default();
    let line = format!("{}wrong{} far {}\nshort", "a ".repeat(500_000), " b".repeat(500_000), "c".repeat(1000));
    let file = sources.add("a.md5mesh", line.into_bytes());
    let found = Diagnostic::new("MD5M000", Severity::Error, "word", file, Span::new(1_000_000, 1_000_005))
        .with_label(file, Span::new(1_000_006, 1_000_007), "near")
        .with_label(file, Span::new(2_000_006, 2_000_009), "there");
    let drawn = text(&found, &sources);
    assert!(drawn.len() < 1500, "{} bytes", drawn.len());
    assert!(drawn.contains("a.md5mesh:1:1000001") && drawn.contains("a a wrong b b"), "{drawn}");
    assert!(drawn.contains("^^^^^ - near") && drawn.contains("at 1:2000007 of a.md5mesh: there"), "{drawn}");
    assert!(drawn.contains("line 1 has 2001011 bytes; a piece of it is shown"), "{drawn}");
}

#[test]
fn nothing_is_drawn_that_a_terminal_would_obey() {
    let mut sources = Sources::default();
    let file = sources.add("a\u{1b}[2J.md5mesh", b"one \x1b]0;title\x07 two".to_vec());
    let found = Diagnostic::new("MD5M000", Severity::Error, "'\u{9b}31m'", file, Span::new(4, 9))
        .with_note("an engine says \u{1b}[0m")
        .with_label(file, Span::new(0, 3), "\u{7}");
    let drawn = text(&found, &sources);
    assert!(!drawn.contains(|letter: char| letter.is_control() && letter != '\n'), "{drawn:?}");
    for escape in ["a\\u001b[2J", "'\\u009b31m'", "says \\u001b[0m", "\\u0007", "one ?]0;title? two"] {
        assert!(drawn.contains(escape), "{escape} in {drawn}");
    }
}
