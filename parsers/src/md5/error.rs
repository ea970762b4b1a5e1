//! Errors of the three formats.

use crate::{Span, counted, is_same};
use std::borrow::Cow;

/// Codes of all errors and warnings in reports of validation, for example `MD5M008`.
pub const CODES: [&str; 102] = [
    "MD5M001", "MD5A001", "MD5C001", "MD5M002", "MD5A002", "MD5C002", "MD5M003", "MD5A003", "MD5C003", "MD5M005",
    "MD5A005", "MD5C005", "MD5M007", "MD5A007", "MD5C007", "MD5M008", "MD5A008", "MD5C008", "MD5M011", "MD5A011",
    "MD5C011", "MD5M012", "MD5A012", "MD5C012", "MD5M013", "MD5A013", "MD5C013", "MD5M014", "MD5A014", "MD5C014",
    "MD5M015", "MD5A015", "MD5C015", "MD5M017", "MD5A017", "MD5C017", "MD5M018", "MD5A018", "MD5C018", "MD5M019",
    "MD5A019", "MD5C019", "MD5M020", "MD5A020", "MD5C020", "MD5M021", "MD5A021", "MD5C021", "MD5M022", "MD5A022",
    "MD5C022", "MD5M023", "MD5A023", "MD5C023", "MD5M024", "MD5A024", "MD5C024", "MD5M025", "MD5A025", "MD5C025",
    "MD5M026", "MD5A026", "MD5C026", "MD5M027", "MD5A027", "MD5C027", "MD5M028", "MD5A028", "MD5C028", "MD5M029",
    "MD5A029", "MD5C029", "MD5M030", "MD5A030", "MD5C030", "MD5M032", "MD5A032", "MD5C032", "MD5M033", "MD5A033",
    "MD5M034", "MD5A034", "MD5C034", "MD5M108", "MD5A108", "MD5A201", "MD5A202", "MD5C202", "MD5M203", "MD5A204",
    "MD5A205", "MD5A206", "MD5A207", "MD5A208", "MD5A209", "MD5M210", "MD5A210", "MD5A211", "MD5M212", "MD5A212",
    "MD5A214", "MD5C230",
];

/// Codes of one defect in meshes, animations and cameras, all of which are among [`CODES`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Codes([&'static str; 3]);

impl Codes {
    pub(super) const fn listed(codes: [&'static str; 3]) -> Self {
        let (mut at, mut kind) = (0, 0);
        while kind < 3 {
            assert!(at < CODES.len(), "a code is missing in CODES");
            (at, kind) = if is_same(CODES[at], codes[kind]) { (0, kind + 1) } else { (at + 1, kind) };
        }
        Self(codes)
    }

    pub(super) fn of(self, file: FileKind) -> &'static str {
        file.choose(self.0)
    }
}

/// Gives the codes of one number, one code for all three kinds of files, or three codes.
macro_rules! codes {
    ($number:literal) => {
        codes!(concat!("MD5M", $number), concat!("MD5A", $number), concat!("MD5C", $number))
    };
    (only $code:literal) => {
        codes!($code, $code, $code)
    };
    ($($code:expr),*) => {
        const { super::error::Codes::listed([$($code),*]) }
    };
}
pub(super) use codes;

/// An unreadable file: the reason and its position.
///
/// Displays without the position: the caller has the path and a [`LineIndex`](crate::LineIndex).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct Error {
    /// Kind of the error.
    pub kind: ErrorKind,
    /// Bytes at fault. For something missing, the point where it was expected.
    pub span: Span,
}

/// Text format of the family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// `.md5mesh`
    Mesh,
    /// `.md5anim`
    Anim,
    /// `.md5camera`
    Camera,
}

impl FileKind {
    /// Returns the item of this kind.
    pub(super) fn choose<T>(self, [mesh, anim, camera]: [T; 3]) -> T {
        match self {
            Self::Mesh => mesh,
            Self::Anim => anim,
            Self::Camera => camera,
        }
    }
}

impl std::fmt::Display for FileKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Mesh => ".md5mesh",
            Self::Anim => ".md5anim",
            Self::Camera => ".md5camera",
        })
    }
}

/// Records that are missing in a truncated file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{missing} of {declared} {what} are missing")]
pub struct MissingRecords {
    /// Plural noun for the records.
    pub what: &'static str,
    /// Number of records that were not found, or are incomplete.
    pub missing: i64,
    /// Declared number of records.
    pub declared: i64,
}

/// Formats a range of numbers with its verb: "7 is", "7 to 9 are".
fn are(first: i64, last: i64) -> String {
    if first == last { format!("{first} is") } else { format!("{first} to {last} are") }
}

/// Reasons to refuse a file, one variant each.
///
/// Texts are shortened pieces of the file. Counts are as declared or found. Indices count from 0.
#[expect(missing_docs, reason = "the messages describe variants and fields")]
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    #[error("the file is empty, expected 'MD5Version 10'")]
    Empty,
    /// The file is too long for offsets of 32 bits.
    #[error("the file has {bytes} bytes, at most 4294967295 can be read")]
    TooLong { bytes: usize },
    /// Every second byte is 0, or the text begins with a UTF-16 byte order mark.
    #[error("the text is UTF-16, expected one byte per character; save it as plain ASCII or UTF-8")]
    Utf16,
    /// The file has a compiled format of a later engine.
    #[error("this is {format}, expected the text format; look for the text file it was made from")]
    Binary { format: &'static str },
    #[error("this is a {found}, expected a {expected}")]
    WrongKind { found: FileKind, expected: FileKind },
    #[error("not a {expected}: expected 'MD5Version', found '{found}'")]
    NotMd5 { expected: FileKind, found: String },
    /// The layout of the file's version differs too much.
    #[error("version {version} is {layout}; only the layout of version 10 is read, so export the file again")]
    UnsupportedVersion { version: i64, layout: &'static str },
    #[error("expected {expected}, found '{found}'")]
    Expected { expected: Cow<'static, str>, found: String },
    #[error("expected {expected}, found the end of the line")]
    UnexpectedLineEnd { expected: Cow<'static, str>, next: String },
    #[error("the file ends here: {}; export or download it again", missing.as_ref().map_or_else(|| format!("expected {expected}"), ToString::to_string))]
    UnexpectedEnd { expected: Cow<'static, str>, missing: Option<MissingRecords> },
    /// The file continues after a 0 byte, which ends it for Doom 3 and every reader in C.
    #[error("a 0 byte ends the file here, expected {expected}")]
    NulByte { expected: Cow<'static, str> },
    #[error("this comment has no end, expected {expected}")]
    OpenComment { expected: Cow<'static, str> },
    #[error("'{text}' is not a number, expected {expected}")]
    BadNumber { text: String, expected: Cow<'static, str> },
    #[error("the string has no closing quote on its line")]
    NewlineInString,
    #[error("the string has no closing quote before the end of the file")]
    UnclosedString,
    #[error("{keyword} says {declared}, but a file of {bytes} bytes holds fewer than {limit}")]
    CountImpossible { keyword: &'static str, declared: i64, bytes: usize, limit: usize },
    /// A block is missing without which the rest has no meaning.
    #[error("there is no '{keyword} {{ … }}' block")]
    MissingBlock { keyword: &'static str },
    #[error("a second '{keyword} {{ … }}' block, expected one; remove the one that does not belong here")]
    RepeatedBlock { keyword: &'static str },
    /// The animation has no joints.
    #[error("the hierarchy has no joints, expected at least one")]
    NoJoints,
    #[error("the file has no frames, expected at least one")]
    NoFrames,
    #[error("baseframe holds {}, expected {joints}, one per joint", counted(*.found, "pose", "poses"))]
    ShortBaseframe { found: usize, joints: usize },
    #[error("joint '{joint}' names parent {parent}, but the file has {}", counted(*.joints, "joint", "joints"))]
    ParentOutOfRange { joint: String, parent: i64, joints: usize },
    #[error("weight {weight} names joint {joint}, but the file has {}", counted(*.joints, "joint", "joints"))]
    JointOutOfRange { weight: usize, joint: i64, joints: usize },
    #[error("tri {tri} names vertex {vertex}, but the mesh has {}", counted(*.verts, "vertex", "vertices"))]
    VertexOutOfRange { tri: usize, vertex: i64, verts: usize },
    #[error("vert {vert} takes {count} from weight {first} on, but the mesh has {}", counted(*.weights, "weight", "weights"))]
    WeightsOutOfRange { vert: usize, first: i64, count: i64, weights: usize },
    /// Records `first` to `last` of a list that its count announces are not there, and indices into the list show it.
    #[error("{record} {} missing: {keyword} says {declared}, but {found} follow", are(*.first, *.last))]
    MissingRecord { record: &'static str, first: i64, last: i64, keyword: &'static str, declared: i64, found: usize },
    #[error("frame {frame} holds {}, expected {expected}", counted(*.found, "component", "components"))]
    ComponentCount { frame: i64, found: usize, expected: usize },
}

impl ErrorKind {
    /// Returns the code in validation reports for a file of that kind, for example `MD5M008`.
    pub fn code(&self, file: FileKind) -> &'static str {
        self.codes().of(file)
    }

    /// Returns the codes in meshes, animations and cameras. An error that exists for only one kind has the same code
    /// three times.
    fn codes(&self) -> Codes {
        match self {
            Self::UnsupportedVersion { .. } => codes!("001"),
            Self::NewlineInString | Self::UnclosedString => codes!("017"),
            Self::NulByte { .. } => codes!("020"),
            Self::OpenComment { .. } => codes!("013"),
            Self::CountImpossible { keyword: "numverts" | "numtris" | "numweights", .. }
            | Self::MissingRecord { .. } => codes!(only "MD5M212"),
            Self::CountImpossible { keyword: "numAnimatedComponents", .. } => codes!(only "MD5A214"),
            Self::CountImpossible { .. } | Self::NoJoints | Self::NoFrames => codes!("007"),
            Self::MissingBlock { keyword: "baseframe" } => codes!(only "MD5A207"),
            Self::RepeatedBlock { .. } => codes!("027"),
            Self::ShortBaseframe { .. } => codes!(only "MD5A209"),
            Self::ParentOutOfRange { .. } => codes!("MD5M108", "MD5A108", "MD5A108"),
            Self::JointOutOfRange { .. } | Self::VertexOutOfRange { .. } | Self::WeightsOutOfRange { .. } => {
                codes!(only "MD5M210")
            }
            Self::ComponentCount { .. } => codes!("MD5M008", "MD5A212", "MD5C008"),
            // No reader knows a word that begins so.
            Self::Expected { found, .. } if found.starts_with(['@', '`', '\u{7f}']) => codes!("018"),
            Self::Empty
            | Self::TooLong { .. }
            | Self::Utf16
            | Self::Binary { .. }
            | Self::WrongKind { .. }
            | Self::NotMd5 { .. }
            | Self::Expected { .. }
            | Self::BadNumber { .. }
            | Self::UnexpectedLineEnd { .. }
            | Self::UnexpectedEnd { .. }
            | Self::MissingBlock { .. } => codes!("008"),
        }
    }
}
