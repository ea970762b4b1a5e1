//! Tests the MD5 readers and writers with numbered cases, real files, random input and round trips.

mod cases;
mod corpus;
mod robust;
mod roundtrip;

use bindpose_parsers::LineIndex;
use bindpose_parsers::md5::{Error, Parsed};

/// Extensions of the MD5 family.
const MD5: &[&str] = &["md5mesh", "md5anim", "md5camera"];

/// Returns a result as text: `line:column message` for the error or for every warning.
fn verdict<T>(bytes: &[u8], result: &Result<Parsed<T>, Error>) -> Result<Vec<String>, String> {
    let lines = LineIndex::new(bytes);
    match result {
        Ok(parsed) => {
            let warnings = parsed.warnings.iter();
            Ok(warnings.map(|warning| format!("{} {}", lines.position(warning.span.start), warning.kind)).collect())
        }
        Err(error) => Err(format!("{} {error}", lines.position(error.span.start))),
    }
}
