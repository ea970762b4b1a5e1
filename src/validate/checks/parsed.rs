//! Warnings and errors of the parsers, under our codes.

use super::text::other_content;
use crate::codes::{self, Group, shared};
use crate::finding::Findings;
use crate::taint::{Broken, Part};
use bindpose_core::import::Contents;
use bindpose_parsers::Span;
use bindpose_parsers::md5::{Error, ErrorKind, Warning, WarningKind};

/// Adds the parser's repairs, except those that other checks find in the document.
pub fn warnings<T>(
    bytes: &[u8],
    (result, warnings): &(Result<T, Error>, Vec<Warning>),
    kind_of_file: Contents,
    findings: &mut Findings,
) {
    let mut missing = None;
    // Before an error, only counts matter. It may name one itself.
    let is_told = |warning: &&Warning| match result {
        Ok(_) => true,
        Err(Error { kind: ErrorKind::MissingRecord { .. }, .. }) => false,
        Err(_) => matches!(warning.kind, WarningKind::CountMismatch { .. }),
    };
    let warnings: Vec<&Warning> = warnings.iter().filter(is_told).collect();
    warnings.iter().for_each(|warning| findings.broken.mark_all(breaks(&warning.kind), warning.span));
    for warning in &warnings {
        let (kind, times) = match &warning.kind {
            WarningKind::Repeated { times, first } => (first.as_ref(), *times),
            kind => (kind, 1),
        };
        if is_in_document(kind) || is_doubtful(kind, warning.span, &findings.broken) {
            continue;
        }
        let rule = codes::of_md5(kind.code(kind_of_file.md5()));
        let is_missing = matches!(kind, WarningKind::Missing { .. }) && shared::SYNTAX.has(rule.code(Group::Mesh));
        if is_missing && missing.replace(warning.span) == Some(warning.span) {
            // Content that a cut-off block lacks at the same position becomes a note.
            if let Some(finding) = findings.last_mut() {
                finding.note(kind.to_string());
            }
            continue;
        }
        let added = findings.add(rule, where_due(bytes, warning.span), || kind.to_string());
        let found = match added.0 {
            Some(finding) => {
                if let WarningKind::CountMismatch { keyword, .. } = kind {
                    finding.subject = Some(keyword);
                }
                finding.remedy = match kind {
                    WarningKind::UnclosedComment => Some(END_OF_COMMENT),
                    WarningKind::OtherMinus => Some("write the minus sign of ASCII, `-`"),
                    WarningKind::NonAscii if is_quote(bytes, warning.span) => Some("write straight quotes, `\"`"),
                    WarningKind::NonAscii => Some("replace it by a character of ASCII"),
                    _ => None,
                };
                Some(finding)
            }
            None => findings.get_mut(rule),
        };
        if let Some(finding) = found {
            finding.count += times - 1;
        }
    }
}

/// Advice about a comment without an end.
const END_OF_COMMENT: &str = "end the comment with `*/`, or begin each of its lines with `//`";

/// True for a typographic quote.
fn is_quote(bytes: &[u8], span: Span) -> bool {
    let quotes = ['\u{201c}', '\u{201d}', '\u{201e}', '\u{2018}', '\u{2019}'];
    let at = bytes.get(span.start as usize..).unwrap_or_default();
    quotes.iter().any(|quote| at.starts_with(quote.to_string().as_bytes()))
}

/// Returns what a repair leaves unreliable.
fn breaks(kind: &WarningKind) -> &'static [Part] {
    use WarningKind as Kind;
    match kind {
        Kind::UnclosedComment => &[Part::Text],
        Kind::NonAscii => &[Part::Bytes],
        Kind::CountMismatch { keyword: "numJoints", .. } => &[Part::Count, Part::Joints],
        Kind::CountMismatch { keyword: "numAnimatedComponents", .. } => &[Part::Count, Part::Width],
        Kind::CountMismatch { keyword: "numFrames", .. } | Kind::CutOff { .. } => &[Part::Count, Part::FrameCount],
        Kind::CountMismatch { keyword: "numweights", .. } => &[Part::Count, Part::Weights],
        Kind::CountMismatch { keyword: "numverts" | "numtris", .. } => &[Part::Count, Part::Records],
        Kind::CountMismatch { .. } => &[Part::Count],
        Kind::FrameNumber { .. } => &[Part::FrameOrder],
        Kind::BoundsCount { .. } => &[Part::Boxes],
        Kind::Missing { keyword: "baseframe" } => &[Part::Base],
        Kind::NotFinite { .. } | Kind::TooLarge { .. } | Kind::IntegerWraps { .. } => &[Part::Value, Part::Number],
        _ => &[],
    }
}

/// True if a repair is made to something unreliable.
fn is_doubtful(kind: &WarningKind, span: Span, broken: &Broken) -> bool {
    use WarningKind as Kind;
    match kind {
        Kind::CountMismatch { keyword: "numFrames", .. } | Kind::CutOff { .. } => {
            broken.any(&[Part::Text, Part::FrameOrder]) || broken.within(&[Part::Value], span)
        }
        Kind::BoundsCount { .. } => broken.any(&[Part::Text, Part::FrameOrder, Part::FrameCount]),
        Kind::CountMismatch { .. } => broken.any(&[Part::Text]) || broken.within(&[Part::Value], span),
        Kind::Missing { .. } => broken.any(&[Part::Text]),
        Kind::MissingBrace { .. } => broken.within(&[Part::FrameCount], span),
        // The count is wrong however it is spelt.
        Kind::FractionDropped { .. } => broken.within(&[Part::Count], span),
        // Typographic quotes are no quotes.
        Kind::UnquotedText => broken.within(&[Part::Bytes], span),
        Kind::ShortBaseframe { .. } | Kind::LongBaseframe { .. } => broken.any(&[Part::Text, Part::Joints, Part::Base]),
        _ => false,
    }
}

/// True if [`super::mesh`] or [`super::anim`] reports it from the document.
fn is_in_document(kind: &WarningKind) -> bool {
    use WarningKind as Kind;
    matches!(
        kind,
        Kind::VertexWithoutWeights
            | Kind::FrameRate { .. }
            | Kind::UnknownFlags { .. }
            | Kind::UnusedFirstComponent { .. }
            | Kind::ComponentsOutOfRange { .. }
            // An impossible count is reported by itself.
            | Kind::CountMismatch { keyword: "numJoints" | "numMeshes" | "numFrames", declared: ..=0, .. }
    )
}

/// Adds the error for which a file could not be read.
pub fn error(bytes: &[u8], error: &Error, kind: Contents, findings: &mut Findings) {
    findings.broken.mark(Part::Text, error.span);
    // Indices name others.
    let parts: &[Part] = match error.kind {
        ErrorKind::JointOutOfRange { .. } | ErrorKind::ParentOutOfRange { .. } | ErrorKind::ShortBaseframe { .. } => {
            &[Part::Joints]
        }
        ErrorKind::VertexOutOfRange { .. } => &[Part::Records],
        ErrorKind::WeightsOutOfRange { .. } => &[Part::Weights],
        _ => &[],
    };
    if findings.broken.any(parts) {
        return;
    }
    let rule = codes::of_md5(error.kind.code(kind.md5()));
    let path = match &error.kind {
        ErrorKind::JointOutOfRange { weight, .. } => format!("weight[{weight}]"),
        ErrorKind::VertexOutOfRange { tri, .. } => format!("tri[{tri}]"),
        ErrorKind::WeightsOutOfRange { vert, .. } => format!("vert[{vert}]"),
        ErrorKind::ComponentCount { frame, .. } => format!("frame[{frame}]"),
        _ => String::new(),
    };
    let due = where_due(bytes, error.span);
    let added = findings.add_at(rule, due, path, || error.kind.to_string());
    if let Some(finding) = added.0 {
        if is_conflict(bytes, due) {
            finding.remedy = Some(MERGE_CONFLICT);
        }
        if let Some((what, advice)) = other_content(bytes) {
            (finding.message, finding.remedy) = (format!("the file is {what}"), Some(advice));
        }
        if let ErrorKind::OpenComment { .. } = error.kind {
            finding.remedy = Some(END_OF_COMMENT);
        }
    }
}

/// Advice about the marks of a merge conflict.
pub const MERGE_CONFLICT: &str = "resolve the merge conflict: keep one side, and remove the lines that mark it";

/// True if the line that contains the start of a span marks a merge conflict.
pub fn is_conflict(bytes: &[u8], span: Span) -> bool {
    let before = bytes.get(..span.start as usize).unwrap_or_default();
    let line = bytes.get(memchr::memrchr(b'\n', before).map_or(0, |end| end + 1)..).unwrap_or_default();
    [b"<<<<<<<", b"=======", b">>>>>>>"].into_iter().any(|mark| line.starts_with(mark))
}

/// Returns the span for something missing: at the end of a file, the line after the last word.
fn where_due(bytes: &[u8], span: Span) -> Span {
    let rest = bytes.get(span.start as usize..).unwrap_or_default();
    let newline = rest.iter().position(|&byte| byte == b'\n');
    match newline.filter(|_| span.start == span.end && rest.iter().all(u8::is_ascii_whitespace)) {
        Some(newline) => {
            let start = span.start as usize + newline + 1;
            Span::new(start, start)
        }
        None => span,
    }
}

/// Reports a record that spans several lines.
pub fn line_break(bytes: &[u8], span: Span, what: &str, findings: &mut Findings) {
    if bytes.get(span.range()).is_some_and(|record| record.contains(&b'\n')) {
        findings.add(shared::LINE_BREAK, span, || format!("this {what} spans several lines"));
    }
}
