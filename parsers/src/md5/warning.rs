//! Warnings: repairs, and oddities that other readers refuse.

use super::error::{Codes, FileKind, MissingRecords, codes};
use crate::Span;
use std::mem::{Discriminant, discriminant};

/// Document and the repairs needed to read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed<T> {
    /// Content of the file.
    pub document: T,
    /// Warnings in file order.
    pub warnings: Vec<Warning>,
}

/// Repair, or oddity that other readers refuse.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// Kind of repair or oddity.
    pub kind: WarningKind,
    /// Bytes concerned. For something missing, the point where it was expected.
    pub span: Span,
}

/// Repairs and oddities, one variant each. "Doom 3" in the messages is its own loader (docs/formats/md5.md).
///
/// Texts are shortened pieces of the file. Counts are as declared or found.
#[expect(missing_docs, reason = "the messages describe variants and fields")]
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WarningKind {
    #[error("{times} more of this sort: {first}")]
    Repeated { times: usize, first: Box<WarningKind> },

    #[error("a byte order mark before the first word; save the file without it")]
    ByteOrderMark,
    /// There are bytes from 0x80 on between tokens. They are white space in Doom 3 on x86, and an error on ARM.
    #[error("a byte outside ASCII between words is read as white space")]
    NonAscii,
    /// A minus sign or a dash of Unicode precedes a number.
    #[error("a minus sign outside ASCII is read as white space, so that the number is positive; write '-'")]
    OtherMinus,
    /// The file contains a control byte that is neither tab nor line end.
    #[error("control byte 0x{byte:02x} is read as white space")]
    ControlByte { byte: u8 },
    #[error("a 0 byte ends the file here; {left_out} bytes are not read")]
    Nul { left_out: usize },
    #[error("'{byte}' is read as white space, but Doom 3 refuses it; remove it", byte = char::from(*.byte))]
    Separator { byte: u8 },
    /// Lines end in `\r` alone and there are comments. For Doom 3 the first comment never ends.
    #[error("lines end in CR alone, so that for Doom 3 this comment goes on to the end; write LF or CRLF")]
    CommentBeforeCr,
    /// The byte after `*/` is part of a word. Doom 3 skips it.
    #[error("Doom 3 skips the character right after '*/'; put a blank there")]
    SwallowedByte,
    /// `/*/` is a complete comment for Doom 3, and an open one for all others.
    #[error("'/*/' is read as a whole comment, as Doom 3 does")]
    ShortComment,
    #[error("'/*' inside a comment; comments do not nest")]
    NestedComment,
    #[error("the comment has no end, so the file ends here")]
    UnclosedComment,

    #[error("'{found}' is read as '{keyword}'; Doom 3 is case-sensitive")]
    KeywordCase { found: String, keyword: &'static str },
    #[error("the keyword '{keyword}' is in quotes")]
    QuotedKeyword { keyword: &'static str },
    #[error("text without quotes")]
    UnquotedText,
    #[error("a command line without quotes")]
    UnquotedCommandLine,
    #[error("text in single quotes, expected double quotes")]
    SingleQuotes,
    /// Adjacent strings are one string in Doom 3's .md5mesh, and an error in its .md5anim and .md5camera.
    #[error("adjacent strings are read as one")]
    JoinedStrings,
    #[error("the command line has no closing quote")]
    UnclosedCommandLine,
    #[error("'commandline' is followed by no text; write commandline \"\"")]
    EmptyCommandLine,

    /// `+1`
    #[error("a plus sign before a number, which Doom 3 refuses")]
    PlusSign,
    /// `- 1`
    #[error("a blank separates the minus sign from its number")]
    MinusApart,
    /// `1E5`
    #[error("'E' in a number; Doom 3 reads only 'e'")]
    UpperCaseExponent,
    /// `0.5f`, `10u`
    #[error("a letter after a number is ignored")]
    NumberSuffix,
    /// `010` is 8 for Doom 3. `08`, `00.5` and `0e0` are two words.
    #[error("'{text}' begins with 0 and is read as {value}; write it without the 0, which means octal in Doom 3")]
    LeadingZero { text: String, value: f64 },
    /// `0x1F`, `0b101`
    #[error("'{text}' is read as {value}; most readers know decimal numbers only")]
    OtherBase { text: String, value: f64 },
    /// `0,5` was written with a locale that uses decimal commas.
    #[error("the comma in '{text}' is read as a decimal point; export with a point")]
    DecimalComma { text: String },
    /// `nan`, `inf`, `1.#IND`.
    #[error("'{text}' is not a finite number; 0 is used instead")]
    NotFinite { text: String },
    /// The number does not fit in a 32-bit float: `1e39`. Engines read infinity.
    #[error("'{text}' does not fit in 32 bits; engines read infinity, 0 is used instead")]
    TooLarge { text: String },
    #[error("'{text}' is cut to the integer {value}")]
    FractionDropped { text: String, value: i64 },
    /// An integer exceeds 32 bits. Doom 3 wraps it.
    #[error("'{text}' does not fit in 32 bits; Doom 3 reads it as {value}")]
    IntegerWraps { text: String, value: i64 },

    #[error("version {version}, expected 10; Doom 3 refuses the file")]
    OtherVersion { version: i64 },
    #[error("there is no '{keyword}'")]
    Missing { keyword: &'static str },
    #[error("'{keyword}' comes too late; Doom 3 refuses this order")]
    SectionOrder { keyword: &'static str },
    #[error("a second '{keyword}'; this one counts")]
    RepeatedLine { keyword: &'static str },
    /// A count disagrees with the number of records that follow. The latter is used.
    #[error("{keyword} says {declared}, but {found} follow")]
    CountMismatch { keyword: &'static str, declared: i64, found: usize },
    /// The last records of a list are missing, and another list of the file has the declared number.
    #[error("the file ends here: {missing}; export or download it again")]
    CutOff { missing: MissingRecords },
    #[error("bounds holds {found} boxes for {frames} frames")]
    BoundsCount { found: usize, frames: usize },
    #[error("'{block}' has no closing '}}'")]
    MissingBrace { block: &'static str },
    /// The file contains text after the last block, which Doom 3 never reads.
    #[error("text after the last block is not read")]
    TrailingText,
    #[error("'{what}' belongs to another version and is skipped")]
    SkippedExtra { what: &'static str },

    /// A vertex without weights stays at the origin. Doom 3 refuses the file.
    #[error("a vertex without weights; Doom 3 refuses the file")]
    VertexWithoutWeights,

    #[error("frameRate {rate}, {}", doom3_on_rate(*rate))]
    FrameRate { rate: f64 },
    /// Frame numbers are out of sequence. Frames are sorted by them if no number is repeated, negative, or above the
    /// number of frames.
    #[error("frame number {found}, expected {expected}")]
    FrameNumber { found: i64, expected: i64 },
    #[error("flags {flags}, expected 0 to 63; other bits are ignored")]
    UnknownFlags { flags: i64 },
    /// `firstComponent` is outside the frame for a joint that stores nothing.
    #[error("first component {first} of {components}, expected 0 for a joint without components")]
    UnusedFirstComponent { first: i64, components: i64 },
    /// The frames do not contain some components. The base frame's values are used.
    #[error("components {first} to {end} of {components}: those that are missing keep the base frame's values", end = *.first + i64::from(*.count) - 1)]
    ComponentsOutOfRange { first: i64, count: u32, components: i64 },
    #[error("baseframe holds {found} poses for {joints} joints; the frames replace those that are missing")]
    ShortBaseframe { found: usize, joints: usize },
    #[error("baseframe holds {found} poses for {joints} joints; the surplus is dropped")]
    LongBaseframe { found: usize, joints: usize },
    #[error("no cut can be at frame {cut}; the last frame is {last}")]
    CutOutOfRange { cut: i64, last: usize },
}

/// Returns what Doom 3 does with a frame rate that is not a positive integer.
fn doom3_on_rate(rate: f64) -> &'static str {
    match rate {
        ..0.0 => "which Doom 3 refuses",
        0.0 => "by which Doom 3 divides",
        ..1.0 => "which Doom 3 cuts to 0 and divides by",
        _ => "which Doom 3 cuts to an integer",
    }
}

impl WarningKind {
    /// Returns the code in validation reports for a file of that kind, for example `MD5M019`.
    pub fn code(&self, file: FileKind) -> &'static str {
        self.codes().of(file)
    }

    /// True if the document lacks something that the file holds or announces, or has 0 instead.
    pub fn is_loss(&self) -> bool {
        match self {
            Self::Repeated { first, .. } => first.is_loss(),
            Self::NotFinite { .. } | Self::TooLarge { .. } | Self::CutOff { .. } => true,
            // Surplus meshes and frames at the end are not read.
            Self::CountMismatch { keyword: "numMeshes" | "numFrames", .. } => self.is_surplus(),
            _ => false,
        }
    }

    /// True if more records follow than declared.
    fn is_surplus(&self) -> bool {
        matches!(self, Self::CountMismatch { declared, found, .. }
            if i64::try_from(*found).is_ok_and(|found| found > *declared))
    }

    /// Returns the codes in meshes, animations and cameras. A warning that exists for only one kind has the same code
    /// three times.
    fn codes(&self) -> Codes {
        match self {
            Self::Repeated { first, .. } => first.codes(),
            Self::ByteOrderMark | Self::NonAscii | Self::ControlByte { .. } => codes!("019"),
            Self::Nul { .. } => codes!("020"),
            Self::Separator { .. } | Self::OtherMinus => codes!("018"),
            Self::CommentBeforeCr => codes!("021"),
            Self::SwallowedByte => codes!("034"),
            Self::ShortComment | Self::NestedComment | Self::UnclosedComment => codes!("013"),
            Self::KeywordCase { .. } | Self::QuotedKeyword { .. } => codes!("022"),
            Self::UnquotedText | Self::SingleQuotes => codes!("014"),
            Self::UnquotedCommandLine | Self::EmptyCommandLine => codes!("003"),
            Self::JoinedStrings => codes!("023"),
            Self::UnclosedCommandLine => codes!("017"),
            Self::PlusSign
            | Self::MinusApart
            | Self::UpperCaseExponent
            | Self::NumberSuffix
            | Self::DecimalComma { .. } => codes!("015"),
            Self::LeadingZero { .. } => codes!("011"),
            Self::OtherBase { .. } => codes!("024"),
            Self::NotFinite { .. } => codes!("012"),
            Self::TooLarge { .. } => codes!("032"),
            Self::FractionDropped { .. } => codes!("025"),
            Self::IntegerWraps { .. } => codes!("026"),
            Self::OtherVersion { .. } | Self::Missing { keyword: "MD5Version" } => codes!("001"),
            Self::Missing { keyword: "commandline" } => codes!("002"),
            Self::Missing { keyword: "bounds" | "baseframe" } => codes!(only "MD5A207"),
            Self::Missing { .. } | Self::MissingBrace { .. } => codes!("008"),
            Self::SectionOrder { .. } => codes!("005"),
            Self::RepeatedLine { .. } => codes!("027"),
            Self::CountMismatch { keyword: "numverts" | "numtris" | "numweights", .. } => codes!(only "MD5M212"),
            Self::CountMismatch { keyword: "numAnimatedComponents", declared: ..0, .. } => codes!(only "MD5A214"),
            Self::CountMismatch { keyword: "numAnimatedComponents", .. } => codes!(only "MD5A212"),
            Self::CountMismatch { keyword: "numCuts", .. } | Self::CutOutOfRange { .. } => codes!(only "MD5C230"),
            // A camera's frames are rows of one block.
            Self::CountMismatch { keyword: "numFrames", declared, found }
                if i64::try_from(*found).is_ok_and(|found| found < *declared) =>
            {
                codes!("MD5M028", "MD5A210", "MD5C028")
            }
            // A surplus at the end is not read. A surplus of joints is read as something else.
            Self::CountMismatch { keyword: "numMeshes" | "numFrames", declared: 1.., .. } if self.is_surplus() => {
                codes!("MD5M033", "MD5A033", "MD5C028")
            }
            Self::CountMismatch { .. } => codes!("028"),
            Self::CutOff { .. } => codes!(only "MD5A210"),
            Self::BoundsCount { .. } => codes!(only "MD5A208"),
            Self::TrailingText => codes!("029"),
            Self::SkippedExtra { .. } => codes!("030"),
            Self::VertexWithoutWeights => codes!(only "MD5M203"),
            Self::FrameRate { rate } if *rate >= 1.0 => codes!(only "MD5A201"),
            Self::FrameRate { .. } => codes!("MD5A202", "MD5A202", "MD5C202"),
            Self::FrameNumber { .. } => codes!(only "MD5A211"),
            Self::UnknownFlags { .. } => codes!(only "MD5A204"),
            Self::UnusedFirstComponent { .. } => codes!(only "MD5A206"),
            Self::ComponentsOutOfRange { .. } => codes!(only "MD5A205"),
            Self::ShortBaseframe { .. } | Self::LongBaseframe { .. } => codes!(only "MD5A209"),
        }
    }
}

/// Maximum number of warnings of one kind that are listed.
const LISTED: usize = 1000;

/// Collects warnings, at most [`LISTED`] of each kind, so that a file of commas does not fill the memory.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    listed: Vec<Warning>,
    tally: Vec<Tally>,
}

/// State to return to with [`Warnings::rewind`].
pub(super) struct Mark {
    listed: usize,
    tally: Vec<Tally>,
}

/// Number of warnings of a kind, and the first warning that is not listed.
#[derive(Debug, Clone)]
struct Tally {
    kind: Discriminant<WarningKind>,
    times: usize,
    first_left_out: Option<Warning>,
}

impl Warnings {
    #[cold]
    pub(super) fn push(&mut self, kind: WarningKind, span: Span) {
        let key = discriminant(&kind);
        let warning = Warning { kind, span };
        match self.tally.iter_mut().find(|tally| tally.kind == key) {
            None => self.tally.push(Tally { kind: key, times: 1, first_left_out: None }),
            Some(tally) => {
                tally.times += 1;
                if tally.times > LISTED {
                    tally.first_left_out.get_or_insert(warning);
                    return;
                }
            }
        }
        self.listed.push(warning);
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { listed: self.listed.len(), tally: self.tally.clone() }
    }

    /// Removes all warnings since `mark`.
    pub(super) fn rewind(&mut self, mark: Mark) {
        self.listed.truncate(mark.listed);
        self.tally = mark.tally;
    }

    pub(super) fn finish(mut self) -> Vec<Warning> {
        for tally in self.tally {
            if let Some(Warning { kind, span }) = tally.first_left_out {
                let kind = WarningKind::Repeated { times: tally.times - LISTED, first: Box::new(kind) };
                self.listed.push(Warning { kind, span });
            }
        }
        self.listed.sort_by_key(|warning| warning.span.start);
        self.listed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_of_text_read_again_count_once() {
        let mut warnings = Warnings::default();
        let push = |warnings: &mut Warnings, times: usize| {
            (0..times).for_each(|_| warnings.push(WarningKind::EmptyCommandLine, Span::new(0, 1)));
        };
        push(&mut warnings, LISTED - 1);
        let mark = warnings.mark();
        push(&mut warnings, 5);
        warnings.rewind(mark);
        push(&mut warnings, 1);
        let found = warnings.finish();
        assert_eq!(found.len(), LISTED);
        assert!(found.iter().all(|warning| warning.kind == WarningKind::EmptyCommandLine));
    }
}
