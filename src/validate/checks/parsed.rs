//! The parsers' own warnings and errors under our codes.

use crate::codes::{Rule, anim, camera, mesh, shared};
use crate::finding::Findings;
use bindpose_parsers::Span;
use bindpose_parsers::md5::{Error, ErrorKind, FileKind, Warning, WarningKind};

/// Takes over what a lenient reading repaired; what the document itself tells is left to the other checks.
///
/// `command_line` is the place of that text, to tell it from names.
pub fn warnings(
    bytes: &[u8],
    warnings: &[Warning],
    kind_of_file: FileKind,
    command_line: Option<Span>,
    findings: &mut Findings,
) {
    for warning in warnings {
        let (kind, times) = match &warning.kind {
            WarningKind::Repeated { times, first } => (first.as_ref(), *times),
            kind => (kind, 1),
        };
        let in_command_line = command_line
            .is_some_and(|text| text.start <= warning.span.start && warning.span.end <= text.end.max(text.start + 1));
        let Some(rule) = rule_of(kind, kind_of_file, in_command_line) else { continue };
        let added = findings.add(rule, where_due(bytes, warning.span), || kind.to_string());
        let found = match added {
            Some(finding) => {
                finding.value("found", found_in(kind));
                Some(finding)
            }
            None => findings.get_mut(rule),
        };
        if let Some(finding) = found {
            finding.count += times - 1;
        }
    }
}

fn found_in(kind: &WarningKind) -> String {
    match kind {
        WarningKind::OtherVersion { version } => version.to_string(),
        WarningKind::KeywordCase { found, .. } => found.clone(),
        WarningKind::LeadingZero { text, .. }
        | WarningKind::OtherBase { text, .. }
        | WarningKind::DecimalComma { text }
        | WarningKind::NotFinite { text }
        | WarningKind::FractionDropped { text, .. }
        | WarningKind::IntegerWraps { text, .. } => text.clone(),
        WarningKind::FrameNumber { found, .. } => found.to_string(),
        WarningKind::CutOutOfRange { cut, .. } => cut.to_string(),
        WarningKind::SectionOrder { keyword } => (*keyword).to_owned(),
        _ => String::new(),
    }
}

/// `None` for what [`super::mesh`], [`super::anim`] and [`super::text`] find themselves.
fn rule_of(kind: &WarningKind, kind_of_file: FileKind, in_command_line: bool) -> Option<Rule> {
    Some(match kind {
        WarningKind::ByteOrderMark | WarningKind::NonAscii | WarningKind::ControlByte { .. } => shared::NOT_ASCII,
        WarningKind::Nul { .. } => shared::NUL,
        WarningKind::Separator { .. } => shared::CHARACTER,
        WarningKind::CommentBeforeCr => shared::CR_ONLY,
        WarningKind::SwallowedByte => shared::COMMENT_SWALLOWS,
        WarningKind::ShortComment | WarningKind::NestedComment | WarningKind::UnclosedComment => shared::COMMENT,
        WarningKind::KeywordCase { .. } | WarningKind::QuotedKeyword { .. } => shared::KEYWORD_SPELLING,
        WarningKind::UnquotedText | WarningKind::SingleQuotes if in_command_line => shared::COMMANDLINE_VALUE,
        WarningKind::UnquotedText | WarningKind::SingleQuotes => shared::UNQUOTED_NAME,
        WarningKind::JoinedStrings => shared::JOINED_STRINGS,
        WarningKind::UnclosedCommandLine => shared::UNCLOSED_STRING,
        WarningKind::EmptyCommandLine => shared::COMMANDLINE_VALUE,
        WarningKind::PlusSign
        | WarningKind::MinusApart
        | WarningKind::UpperCaseExponent
        | WarningKind::NumberSuffix
        | WarningKind::DecimalComma { .. } => shared::NUMBER_SPELLING,
        WarningKind::LeadingZero { .. } => shared::LEADING_ZERO,
        WarningKind::OtherBase { .. } => shared::OTHER_BASE,
        WarningKind::NotFinite { .. } => shared::NOT_FINITE,
        WarningKind::FractionDropped { .. } => shared::FRACTION_DROPPED,
        WarningKind::IntegerWraps { .. } => shared::INTEGER_WRAPS,
        WarningKind::OtherVersion { .. } | WarningKind::Missing { keyword: "MD5Version" } => shared::VERSION,
        WarningKind::Missing { keyword: "commandline" } => shared::COMMANDLINE_MISSING,
        WarningKind::Missing { keyword: "bounds" | "baseframe" } => anim::BLOCK_MISSING,
        WarningKind::Missing { .. } | WarningKind::MissingBrace { .. } => shared::SYNTAX,
        WarningKind::SectionOrder { .. } => shared::KEYWORD_ORDER,
        WarningKind::RepeatedLine { .. } => shared::REPEATED_LINE,
        WarningKind::CountMismatch { keyword, declared, found } => {
            count_mismatch(kind_of_file, keyword, *declared, i64::try_from(*found).unwrap_or(i64::MAX))
        }
        WarningKind::BoundsCount { .. } => anim::BOUNDS_COUNT,
        WarningKind::TrailingText => shared::TRAILING_TEXT,
        WarningKind::SkippedExtra { .. } => shared::OTHER_LAYOUT,
        WarningKind::FrameNumber { .. } => anim::FRAME_ORDER,
        WarningKind::ShortBaseframe { .. } | WarningKind::LongBaseframe { .. } => anim::BASEFRAME_COUNT,
        WarningKind::CutOutOfRange { .. } => camera::CAMERA_CUT,
        // From the document.
        _ => return None,
    })
}

fn count_mismatch(kind: FileKind, keyword: &str, declared: i64, found: i64) -> Rule {
    match keyword {
        "numverts" | "numtris" | "numweights" => mesh::RECORD_COUNT,
        // A camera's frames are rows of one block.
        "numFrames" if kind == FileKind::Anim && found < declared => anim::FRAME_MISSING,
        "numAnimatedComponents" => anim::FRAME_VALUES,
        "numCuts" => camera::CAMERA_CUT,
        _ => shared::BLOCK_COUNT,
    }
}

/// Takes over why a file could not be read at all.
pub fn error(bytes: &[u8], error: &Error, kind: FileKind, findings: &mut Findings) {
    let (rule, path) = match &error.kind {
        ErrorKind::Utf16 | ErrorKind::Binary { .. } | ErrorKind::WrongKind { .. } | ErrorKind::NotMd5 { .. } => {
            (shared::SYNTAX, None)
        }
        ErrorKind::UnsupportedVersion { .. } => (shared::VERSION, None),
        ErrorKind::BadNumber { .. } => (shared::NUMBER_SPELLING, None),
        ErrorKind::NewlineInString | ErrorKind::UnclosedString => (shared::UNCLOSED_STRING, None),
        ErrorKind::NulByte { .. } => (shared::NUL, None),
        ErrorKind::OpenComment { .. } => (shared::COMMENT, None),
        ErrorKind::CountImpossible { keyword, .. } => (count_impossible(keyword), None),
        ErrorKind::MissingBlock { keyword: "baseframe" } => (anim::BLOCK_MISSING, None),
        ErrorKind::RepeatedBlock { .. } => (shared::REPEATED_LINE, None),
        ErrorKind::NoJoints | ErrorKind::NoFrames => (shared::COUNT, None),
        ErrorKind::ShortBaseframe { .. } => (anim::BASEFRAME_COUNT, None),
        ErrorKind::ParentOutOfRange { .. } => (shared::PARENT_RANGE, None),
        ErrorKind::JointOutOfRange { weight, .. } => (mesh::INDEX_RANGE, Some(format!("weight[{weight}]"))),
        ErrorKind::VertexOutOfRange { tri, .. } => (mesh::INDEX_RANGE, Some(format!("tri[{tri}]"))),
        ErrorKind::WeightsOutOfRange { vert, .. } => (mesh::INDEX_RANGE, Some(format!("vert[{vert}]"))),
        ErrorKind::ComponentCount { frame, .. } if kind == FileKind::Anim => {
            (anim::FRAME_VALUES, Some(format!("frame[{frame}]")))
        }
        _ => (shared::SYNTAX, None),
    };
    let due = where_due(bytes, error.span);
    findings.stop_at(rule, due);
    let added = findings.add_at(rule, due, || path, || error.kind.to_string());
    if let Some(finding) = added {
        match &error.kind {
            ErrorKind::Expected { expected, found } => {
                finding.value("expected", expected.trim_matches('\'')).value("found", found);
            }
            ErrorKind::UnsupportedVersion { version, .. } => {
                finding.value("found", version);
            }
            ErrorKind::ParentOutOfRange { joint, parent, joints } => {
                finding.value("name", joint).value("found", parent).value("n", joints).value("max", joints - 1);
            }
            ErrorKind::JointOutOfRange { joint, joints, .. } => {
                finding.value("what", "joint").value("found", joint).value("n", joints);
            }
            ErrorKind::VertexOutOfRange { vertex, verts, .. } => {
                finding.value("what", "vertex").value("found", vertex).value("n", verts);
            }
            ErrorKind::WeightsOutOfRange { first, weights, .. } => {
                finding.value("what", "weight").value("found", first).value("n", weights);
            }
            _ => {}
        }
    }
}

fn count_impossible(keyword: &str) -> Rule {
    match keyword {
        "numverts" | "numtris" | "numweights" => mesh::RECORD_COUNT,
        "numAnimatedComponents" => anim::COMPONENT_COUNT,
        _ => shared::COUNT,
    }
}

/// What is missing at the end of a file belongs on the line behind the last word.
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

/// The bytes of a record that goes over more than one line.
pub fn line_break(bytes: &[u8], span: Span, what: &str, findings: &mut Findings) {
    if bytes.get(span.range()).is_some_and(|record| record.contains(&b'\n')) {
        findings.add(shared::LINE_BREAK, span, || format!("this {what} spans several lines"));
    }
}
