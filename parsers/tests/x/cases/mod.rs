//! Numbered cases of reading, each with both verdicts. W… are from the tests of Wine that were run on Windows, C… from
//! docs/formats/x.md.
//!
//! D3DX's verdicts are those of the specification. Positions are counted by hand. The importer's tests contain the
//! cases about the look of a model.

mod envelopes;
mod names;
mod objects;
mod separators;
mod templates;

use super::support::{lenient, strict, tree};

/// File and the expected results.
struct Case {
    id: &'static str,
    file: Vec<u8>,
    /// `ok`, or D3DX's error with line and column.
    strict: &'static str,
    /// Warnings, or the error.
    lenient: Result<&'static [&'static str], &'static str>,
    /// The objects, if the case is about them.
    tree: Option<&'static str>,
}

fn case(
    id: &'static str,
    file: Vec<u8>,
    strict: &'static str,
    lenient: Result<&'static [&'static str], &'static str>,
) -> Case {
    Case { id, file, strict, lenient, tree: None }
}

impl Case {
    fn tree(self, tree: &'static str) -> Self {
        Self { tree: Some(tree), ..self }
    }
}

fn check(cases: Vec<Case>) {
    let mut failures = Vec::new();
    for case in cases {
        let found = lenient(&case.file);
        let expected =
            case.lenient.map(|warnings| warnings.iter().map(|&w| w.to_owned()).collect()).map_err(str::to_owned);
        if found != expected {
            failures.push(format!("{} lenient\n   found    {found:?}\n   expected {expected:?}", case.id));
        }
        let found = strict(&case.file);
        if found != case.strict {
            failures.push(format!("{} strict\n   found    {found}\n   expected {}", case.id, case.strict));
        }
        if let Some(expected) = case.tree
            && lenient(&case.file).is_ok()
        {
            let found = tree(&case.file);
            if found != expected {
                failures.push(format!("{} tree\n   found    {found}\n   expected {expected}", case.id));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

const OK: Result<&[&str], &str> = Ok(&[]);
