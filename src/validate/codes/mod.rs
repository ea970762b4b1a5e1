//! Every code with its texts: what `explain` prints, what docs/diagnostics.md is made from, and the rules of
//! SARIF reports.
//!
//! A code is never given to something else, and says nothing about how grave it is: that depends on the engine
//! (`engines.tsv`), with [`Code::severity`] as the least.

mod loading;
mod md5;
mod md5_pair;
mod md5_text;
mod other;
mod x;
mod x_text;

use bindpose_core::diagnostic::Severity;
use std::collections::HashMap;
use std::sync::OnceLock;

/// One kind of finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// Such as `MD5M105`.
    pub id: String,
    /// The same in words: `late-parent`.
    pub name: &'static str,
    /// How grave it is at least, whatever an engine makes of it.
    pub severity: Severity,
    /// One line.
    pub title: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// What to do about it; may be empty.
    pub fix: &'static str,
}

/// A code before its prefix is put on: one rule may hold for several kinds of files.
struct Rule {
    /// `MD5M`, `MD5A`, …: one code for each.
    prefixes: &'static [&'static str],
    number: u16,
    name: &'static str,
    severity: Severity,
    title: &'static str,
    why: &'static str,
    fix: &'static str,
}

/// All codes, sorted.
pub fn all() -> &'static [Code] {
    static CODES: OnceLock<Vec<Code>> = OnceLock::new();
    CODES.get_or_init(|| {
        let rules =
            [md5_text::RULES, md5::RULES, md5_pair::RULES, x_text::RULES, x::RULES, other::RULES, loading::RULES]
                .into_iter()
                .flatten();
        let mut codes: Vec<Code> = rules
            .flat_map(|rule| rule.prefixes.iter().map(move |prefix| (prefix, rule)))
            .map(|(prefix, rule)| Code {
                id: format!("{prefix}{:03}", rule.number),
                name: rule.name,
                severity: rule.severity,
                title: rule.title,
                why: rule.why,
                fix: rule.fix,
            })
            .collect();
        codes.sort_by(|a, b| a.id.cmp(&b.id));
        codes
    })
}

/// The code of that id; upper and lower case are the same.
pub fn find(id: &str) -> Option<&'static Code> {
    static BY_ID: OnceLock<HashMap<&'static str, &'static Code>> = OnceLock::new();
    let by_id = BY_ID.get_or_init(|| all().iter().map(|code| (code.id.as_str(), code)).collect());
    let upper = id.to_ascii_uppercase();
    by_id.get(upper.as_str()).copied()
}

/// The code of that id, or all of that name in words; upper and lower case are the same.
pub fn named(name: &str) -> Vec<&'static Code> {
    match find(name) {
        Some(code) => vec![code],
        None => all().iter().filter(|code| code.name.eq_ignore_ascii_case(name)).collect(),
    }
}

/// The code of a prefix and a number, for the checks of this crate.
///
/// Numbers from 300 are pairs whatever the file is.
pub(super) fn numbered(prefix: &str, number: u16) -> &'static Code {
    let id = if number >= 300 { format!("MD5P{:03}", number - 300) } else { format!("{prefix}{number:03}") };
    // A test holds every number that a check uses to this table; for a kind of file that a number was not made for,
    // the code of a syntax error is nearer to the truth than the end of the program.
    let syntax = || find(&format!("{prefix}{:03}", super::number::SYNTAX));
    find(&id).or_else(syntax).unwrap_or_else(|| panic!("no code {id}"))
}
