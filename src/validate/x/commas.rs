//! Decimal commas, as written by programs that format numbers in the user's language: `0,5;`.
//!
//! A comma also separates values. It counts as a decimal point only in a word with a single comma between digits, and
//! only in a file without any decimal point. If the file can be read with points instead, it is checked that way.

use super::faults::said;
use crate::codes::x as rules;
use crate::finding::Findings;
use bindpose_parsers::x::{self, D3dxError, Fault, Parsed, Reading, Unpacked};
use bindpose_parsers::{Span, counted};
use std::borrow::Cow;

/// Smallest number of decimal commas. Fewer may be accidental.
const FEWEST: usize = 3;

/// Decimal commas of a text file.
pub(crate) struct Commas {
    /// The file with points instead of the commas.
    pub points: Vec<u8>,
    first: Span,
    count: usize,
}

/// Finds the decimal commas after the header. `None` if the file has a decimal point or fewer than three commas.
pub(crate) fn find(bytes: &[u8], body: usize) -> Option<Commas> {
    let text = bytes.get(body..)?;
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let is_between = |at: usize| at > 0 && is_digit(at - 1) && is_digit(at + 1);
    if memchr::memchr_iter(b'.', text).any(is_between) {
        return None;
    }
    let is_part = |at: usize| text.get(at).is_some_and(|byte| byte.is_ascii_digit() || *byte == b',');
    let is_single = |&at: &usize| {
        let end = (at + 1..).find(|&at| !is_digit(at)).unwrap_or(at);
        let start = (0..at).rev().find(|&at| !is_digit(at)).map_or(0, |before| before + 1);
        // Another comma may follow, as in `0,5, 0,5`, but no digit directly after it.
        let goes_on = text.get(end) == Some(&b',') && is_part(end + 1);
        let begins_before = start.checked_sub(1).is_some_and(|before| text.get(before) == Some(&b','));
        is_between(at) && !goes_on && !begins_before
    };
    let commas: Vec<usize> = memchr::memchr_iter(b',', text).filter(is_single).collect();
    let first = body + commas.first().filter(|_| commas.len() >= FEWEST)?;
    let mut points = bytes.to_vec();
    for at in &commas {
        points[body + at] = b'.';
    }
    let word = |&at: &usize| points.get(at).is_some_and(|byte| byte.is_ascii_digit() || b".-".contains(byte));
    let start = (0..first).rev().take_while(word).last().unwrap_or(first);
    let end = (first..points.len()).take_while(word).last().unwrap_or(first) + 1;
    Some(Commas { first: Span::new(start, end), count: commas.len(), points })
}

impl Commas {
    /// True if the file with points can be read without a fault that a comma could explain.
    pub fn are_decimal(&self, file: &Unpacked) -> bool {
        let file = Unpacked { bytes: Cow::Borrowed(&self.points), warnings: Vec::new(), ..file.clone() };
        let read = x::parse(&file, Reading::Lenient);
        read.is_ok_and(|Parsed { warnings, .. }| warnings.iter().all(|warning| !is_misread(&warning.kind)))
    }

    /// Reports the commas.
    pub fn report(&self, bytes: &[u8], findings: &mut Findings) {
        let word = String::from_utf8_lossy(bytes.get(self.first.range()).unwrap_or_default());
        let numbers = counted(self.count, "number has a decimal comma", "numbers have decimal commas");
        let added = findings.add(rules::DECIMAL_COMMA, self.first, || format!("{numbers}, such as '{word}'"));
        if let Some(finding) = added.0 {
            finding.said.extend(said(D3dxError::ParseError));
        }
    }
}

/// True for a fault at which Direct3D stops and which a comma can cause, if it is read as a separator.
pub(super) fn is_misread(fault: &Fault) -> bool {
    let is_other = matches!(fault, Fault::UnresolvedReference { .. } | Fault::OddName { .. } | Fault::CommentAtEnd);
    fault.d3dx() == Some(D3dxError::ParseError) && !is_other
}

/// True for a fault of values, which cannot be known if commas are in doubt.
pub(super) fn is_of_values(fault: &Fault) -> bool {
    let is_name = matches!(fault, Fault::BoneMissing { .. } | Fault::DuplicateFrame { .. });
    is_misread(fault) || ("XF070"..="XF118").contains(&fault.code()) && !is_name
}

#[cfg(test)]
mod tests {
    use super::find;

    fn points(text: &str) -> Option<String> {
        find(text.as_bytes(), 0).map(|commas| String::from_utf8(commas.points).unwrap())
    }

    #[test]
    fn only_single_commas_between_digits_are_decimal() {
        assert_eq!(points("1,5;-0,25;2,0;,\n3;0,1,2;").as_deref(), Some("1.5;-0.25;2.0;,\n3;0,1,2;"));
        assert_eq!(points("1,5, 2,5, 3,5;;").as_deref(), Some("1.5, 2.5, 3.5;;"));
        assert_eq!(points("1,5,2,5,3,5;;"), None);
        assert_eq!(points("0,1;2,3;4,5;0.5;"), None);
        assert_eq!(points("0,1;2,3;"), None);
    }
}
