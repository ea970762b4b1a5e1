//! Numbered cases of reading, with expectations from docs/formats/md5.md. Each case is one change to a base text, and
//! its result. If the engine refuses a file that a player can show, the file loads with a warning.

mod anims;
mod files;
mod header;
mod meshes;
mod numbers;

use super::verdict;
use bindpose_parsers::md5::{
    Error, Parsed, parse_anim, parse_camera, parse_mesh, write_anim, write_camera, write_mesh,
};

/// The base `.md5mesh`.
pub const MESH: &str = include_str!("../../cases/md5/base.md5mesh");
/// The base `.md5anim`.
pub const ANIM: &str = include_str!("../../cases/md5/base.md5anim");
/// A camera of three frames with one cut.
pub const CAMERA: &str = include_str!("../../cases/md5/base.md5camera");

/// Outcome of a changed base text.
enum Expected {
    /// The content is the same as that of the base, with these warnings.
    Same(&'static [&'static str]),
    /// The rewritten file contains this text. Reading gave these warnings.
    Says(&'static str, &'static [&'static str]),
    /// The file is refused with this error.
    Fails(&'static str),
}

/// Id, pairs of text and replacement, outcome.
type Case = (&'static str, &'static [(&'static str, &'static str)], Expected);

/// Returns the base with every change applied: each replaces the first occurrence of its text. `a…b` selects from `a`
/// to the next `b`, `a…` from `a` to the end.
fn edited(id: &str, base: &str, changes: &[(&str, &str)]) -> String {
    let mut text = base.to_owned();
    for (from, to) in changes {
        let (first, last) = from.split_once('…').unwrap_or((from, ""));
        let start = text.find(first).unwrap_or_else(|| panic!("{id}: the text has no {first:?}"));
        let end = match from.split_once('…') {
            None => start + first.len(),
            Some((_, "")) => text.len(),
            Some(_) => start + text[start..].find(last).unwrap_or_else(|| panic!("{id}: no {last:?}")) + last.len(),
        };
        text.replace_range(start..end, to);
    }
    text
}

fn run<T>(
    cases: &[Case],
    base: &str,
    parse: impl Fn(&[u8]) -> Result<Parsed<T>, Error>,
    write: impl Fn(&[u8]) -> Option<String>,
) {
    let plain = write(base.as_bytes()).unwrap();
    let mut failures = Vec::new();
    for (id, changes, expected) in cases {
        let text = edited(id, base, changes);
        let found = verdict(text.as_bytes(), &parse(text.as_bytes()));
        let written = write(text.as_bytes());
        let right = match (expected, &found) {
            (Expected::Same(warnings), Ok(found)) => found == warnings && written.as_ref() == Some(&plain),
            (Expected::Says(piece, warnings), Ok(found)) => {
                found == warnings && written.as_ref().is_some_and(|text| text.contains(piece))
            }
            (Expected::Fails(error), Err(found)) => error == found,
            _ => false,
        };
        if !right {
            failures.push(format!("{id}: {found:#?}\n{}", written.filter(|text| *text != plain).unwrap_or_default()));
        }
    }
    assert!(failures.is_empty(), "{} of {} cases:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

fn run_mesh(cases: &[Case]) {
    run(
        cases,
        MESH,
        |bytes| parse_mesh(bytes).map(|parsed| Parsed { document: (), warnings: parsed.warnings }),
        |bytes| {
            let mut text = Vec::new();
            write_mesh(&parse_mesh(bytes).ok()?.document, &mut text).ok()?;
            String::from_utf8(text).ok()
        },
    );
}

fn run_anim(cases: &[Case]) {
    run(
        cases,
        ANIM,
        |bytes| parse_anim(bytes).map(|parsed| Parsed { document: (), warnings: parsed.warnings }),
        |bytes| {
            let mut text = Vec::new();
            write_anim(&parse_anim(bytes).ok()?.document, &mut text).ok()?;
            String::from_utf8(text).ok()
        },
    );
}

fn run_camera(cases: &[Case]) {
    run(
        cases,
        CAMERA,
        |bytes| parse_camera(bytes).map(|parsed| Parsed { document: (), warnings: parsed.warnings }),
        |bytes| {
            let mut text = Vec::new();
            write_camera(&parse_camera(bytes).ok()?.document, &mut text).ok()?;
            String::from_utf8(text).ok()
        },
    );
}

/// The content is the same as that of the base, without warnings.
const SAME: Expected = Expected::Same(&[]);
