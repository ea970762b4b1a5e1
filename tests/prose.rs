//! Rules of prose that a program can check, for doc comments, messages, help and docs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Words that must not begin a doc comment, which begins with a noun or a verb.
const BEGINNINGS: [&str; 9] = ["What", "How", "Whether", "Which", "That", "Of", "Tell", "Tells", "Say"];

/// Words that have a plainer alternative.
const WORDS: [(&str, &str); 17] = [
    ("anew", "again"),
    ("figure", "model, chart or number"),
    ("figures", "models, charts or numbers"),
    ("mend", "fix"),
    ("mended", "fixed"),
    ("mending", "fixing"),
    ("mends", "fixes"),
    ("moment", "time"),
    ("moments", "times"),
    ("picture", "image, frame or screenshot"),
    ("pictures", "images, frames or screenshots"),
    ("thence", "from there"),
    ("thereof", "of it"),
    ("told", "reported"),
    ("whence", "from where"),
    ("wherein", "in which"),
    ("thus", "so"),
];

/// Phrases that may contain such a word: names of files, codes and HTML elements, and the figures of the articles.
const ALLOWED: [&str; 11] = [
    "pictures/",
    "figure.frag",
    "article 000's figure",
    "its figures",
    "is figure 21",
    "figures 18 and 22",
    "articulated figures",
    "engine-picture",
    "figure>",
    "figure {",
    ".poses figure",
];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    DocStart,
    Doc,
    Text,
}

/// One line of prose and its location.
struct Prose {
    line: usize,
    kind: Kind,
    text: String,
}

/// Returns the doc comments of Rust code and, outside its tests, the string literals that contain a space.
fn of_rust(source: &str, with_messages: bool) -> Vec<Prose> {
    let mut found = Vec::new();
    let mut was_doc = false;
    for (number, line) in source.lines().enumerate() {
        let doc = line.trim_start().strip_prefix("///").or_else(|| line.trim_start().strip_prefix("//!"));
        if let Some(text) = doc {
            let kind = if was_doc { Kind::Doc } else { Kind::DocStart };
            found.push(Prose { line: number + 1, kind, text: text.trim().to_owned() });
        }
        was_doc = doc.is_some();
    }
    if with_messages {
        let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        found.extend(literals(code).into_iter().filter(|(_, text)| text.contains(' ')).map(|(line, text)| Prose {
            line,
            kind: Kind::Text,
            text,
        }));
    }
    found
}

/// Returns the string literals of Rust code, raw ones included, with the lines where they begin.
fn literals(code: &str) -> Vec<(usize, String)> {
    let bytes = code.as_bytes();
    let (mut found, mut line, mut at) = (Vec::new(), 1, 0);
    while at < bytes.len() {
        let rest = &code[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(quoted) = ["'\"'", "'\\\"'", "b'\"'"].into_iter().find(|quoted| rest.starts_with(quoted)) {
            at += quoted.len();
        } else if let Some((start, end)) = opening(rest) {
            let body = &rest[start..];
            let length = if end == "\"" { unescaped_quote(body) } else { body.find(end).unwrap_or(body.len()) };
            found.push((line, body[..length].to_owned()));
            line += body[..length].matches('\n').count();
            at += start + length + end.len();
        } else {
            line += usize::from(bytes[at] == b'\n');
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

/// Returns the length of a string's opening and its closing delimiter, if `rest` begins with a string.
fn opening(rest: &str) -> Option<(usize, &'static str)> {
    let forms = [("r##\"", "\"##"), ("r#\"", "\"#"), ("\"", "\"")];
    forms.into_iter().find(|(open, _)| rest.starts_with(open)).map(|(open, close)| (open.len(), close))
}

/// Returns the position of the first quote that is not escaped by a backslash.
fn unescaped_quote(body: &str) -> usize {
    let mut is_escaped = false;
    body.bytes()
        .position(|byte| {
            let ends = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            ends
        })
        .unwrap_or(body.len())
}

/// Returns the prose of a page, without code.
fn of_markdown(source: &str) -> Vec<Prose> {
    let mut is_code = false;
    let lines = source.lines().enumerate().filter_map(|(number, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        let text: String = line.split('`').step_by(2).collect::<Vec<_>>().join(" ");
        (!is_code && !is_fence).then_some(Prose { line: number + 1, kind: Kind::Text, text })
    });
    lines.collect()
}

/// Most columns of a line in Markdown.
const WIDTH: usize = 140;

/// Returns the numbers of lines that are too wide. Code, rows of tables, and lines without a blank cannot be broken.
fn wide_lines(source: &str) -> Vec<usize> {
    let mut is_code = false;
    let lines = source.lines().enumerate().filter(|(_, line)| {
        let text = line.trim();
        is_code ^= text.starts_with("```");
        !is_code && line.chars().count() > WIDTH && !text.starts_with('|') && text.contains(' ')
    });
    lines.map(|(number, _)| number + 1).collect()
}

fn faults(prose: &Prose) -> Vec<String> {
    let mut faults = Vec::new();
    let first = prose.text.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    if prose.kind == Kind::DocStart && (BEGINNINGS.contains(&first) || first == "Says") {
        faults.push(format!("begins with '{first}'"));
    }
    let mut text = prose.text.to_lowercase();
    for phrase in ALLOWED {
        text = text.replace(phrase, " ");
    }
    for word in text.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
        if let Some((word, plain)) = WORDS.iter().find(|(banned, _)| *banned == word) {
            faults.push(format!("'{word}' instead of {plain}"));
        }
    }
    faults
}

/// Collects the files below a folder whose names end in one of `extensions`.
pub fn files(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the repository").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if path.is_dir() {
            if !name.starts_with('.') && !["target", "corpus", "artifacts", "shared"].contains(&&*name) {
                files(&path, extensions, found);
            }
        } else if extensions.iter().any(|extension| name.ends_with(extension)) {
            found.push(path);
        }
    }
}

#[test]
fn prose_is_plain() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    files(root, &[".rs", ".md", "codes.tsv"], &mut paths);
    let mut report = String::new();
    for path in paths {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        if name == "tests/prose.rs" {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("text");
        let prose = match name.rsplit('.').next() {
            Some("rs") => of_rust(&source, name.starts_with("src/") || name.starts_with("parsers/src/")),
            _ => of_markdown(&source),
        };
        for line in if name.ends_with(".md") { wide_lines(&source) } else { Vec::new() } {
            writeln!(report, "{name}:{line}: more than {WIDTH} columns").expect("a string");
        }
        for prose in prose {
            for fault in faults(&prose) {
                writeln!(report, "{name}:{}: {fault}: {}", prose.line, prose.text).expect("a string");
            }
        }
    }
    assert!(report.is_empty(), "{} faults\n{report}", report.lines().count());
}

#[test]
fn wide_lines_are_found() {
    let words = "word ".repeat(28) + "end";
    let page = format!("{words}\n| {words} |\n```\n{words}\n```\n{}\n- {words}\n", "w".repeat(200));
    assert_eq!(wide_lines(&page), [1, 7]);
    assert_eq!(wide_lines(&"word ".repeat(28)), [] as [usize; 0], "140 columns");
}

#[test]
fn faults_of_prose_are_found() {
    let source = "/// What it is.\nfn a() {\n    // \"no picture\"\n    let quote = '\"';\n    print(\"one\\\" moment\", r#\"a \"told\" b\"#, \"figure\");\n}\n\
                  #[cfg(test)]\nmod tests {\n    const A: &str = \"mend it\";\n}\n";
    let found: Vec<(usize, String)> = of_rust(source, true)
        .iter()
        .flat_map(|prose| faults(prose).into_iter().map(|fault| (prose.line, fault)))
        .collect();
    let expected = [(1, "begins with 'What'"), (5, "'moment' instead of time"), (5, "'told' instead of reported")];
    assert!(found.iter().map(|(line, fault)| (*line, fault.as_str())).eq(expected), "{found:?}");
    let page = of_markdown("a picture\n```\nanew\n```\n`told` and thus\n");
    let lines: Vec<usize> = page.iter().filter(|prose| !faults(prose).is_empty()).map(|prose| prose.line).collect();
    assert_eq!(lines, [1, 5]);
}
