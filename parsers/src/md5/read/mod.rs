//! Grammars of the three formats, one function per rule.

mod anim;
mod camera;
mod frames;
mod mesh;

pub use anim::{parse_anim, parse_hierarchy, read_anim};
pub use camera::parse_camera;
pub(super) use mesh::COMMENT_NAME;
pub use mesh::{parse_joints, parse_mesh, read_mesh};

use super::error::{Error, ErrorKind, FileKind};
use super::lex::{Lexer, shorten};
use super::warning::WarningKind;
use super::{Int, Text};
use crate::Span;

/// Length in bytes of the shortest record in any of the formats, including the blank after it.
///
/// A count beyond file length / 8 is therefore impossible. It is checked against the whole file, not against the rest,
/// so that a truncated file is reported where it ends.
const SHORTEST_RECORD: usize = 8;

/// Parts of one format that [`Sections::collect`] fills.
trait Blocks<'a> {
    /// Block that may occur too often. An error in it after the file is complete counts as trailing text.
    const SURPLUS: Option<&'static str>;

    /// True if Doom 3 would stop reading.
    fn complete(&self) -> bool;

    /// Reads the section after `keyword`, which is at `at`.
    fn section(&mut self, lexer: &mut Lexer<'a>, keyword: &'static str, at: Span) -> Result<(), Error>;
}

/// Lines that the three headers share, and the sections read so far.
struct Sections<'a, const N: usize> {
    kind: FileKind,
    /// Keywords in the order required by Doom 3. The first two are `MD5Version` and `commandline`.
    keywords: [&'static str; N],
    /// Position of the first occurrence of each section.
    met: [Option<Span>; N],
    /// Offset of the first later section, where a missing one should be.
    passed: [Option<u32>; N],
    version: Option<Int>,
    command_line: Option<Text<'a>>,
}

const VERSION: &str = "MD5Version";
const COMMAND_LINE: &str = "commandline";

impl<'a, const N: usize> Sections<'a, N> {
    fn new(kind: FileKind, keywords: [&'static str; N]) -> Self {
        Self { kind, keywords, met: [None; N], passed: [None; N], version: None, command_line: None }
    }

    /// Reads all sections of the file into `blocks`.
    fn collect<B: Blocks<'a>>(&mut self, lexer: &mut Lexer<'a>, blocks: &mut B) -> Result<(), Error> {
        while !lexer.at_end() {
            let start = lexer.offset();
            // Doom 3 stops reading here, so later text is no reason to refuse the file.
            let complete = blocks.complete();
            let Some((keyword, at)) = self.next(lexer)? else {
                if lexer.at_end() {
                    break;
                }
                if complete {
                    trailing_text(lexer, start);
                    break;
                }
                return Err(self.unknown(lexer));
            };
            let mark = lexer.warnings.mark();
            match blocks.section(lexer, keyword, at) {
                Ok(()) => {}
                Err(_) if complete && B::SURPLUS == Some(keyword) => {
                    lexer.warnings.rewind(mark);
                    trailing_text(lexer, start);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        if self.met.iter().all(Option::is_none) { Err(self.unknown(lexer)) } else { Ok(()) }
    }

    /// Takes the next section's keyword. Reads the two shared lines itself. Returns `None` and takes nothing if no
    /// keyword comes next.
    fn next(&mut self, lexer: &mut Lexer<'a>) -> Result<Option<(&'static str, Span)>, Error> {
        while let Some((index, span)) = lexer.keyword(&self.keywords) {
            let keyword = self.keywords.get(index).copied().unwrap_or_default();
            let too_late = self.passed.get(index).copied().flatten().is_some();
            for passed in self.passed.iter_mut().take(index) {
                passed.get_or_insert(span.start);
            }
            if let Some(met) = self.met.get_mut(index) {
                if too_late && met.is_none() {
                    lexer.warnings.push(WarningKind::SectionOrder { keyword }, span);
                }
                met.get_or_insert(span);
            }
            match keyword {
                VERSION => {
                    let version = lexer.int("the version number 10")?;
                    repeated(lexer, self.version.is_some(), VERSION, span);
                    check_version(lexer, version)?;
                    self.version = Some(version);
                }
                COMMAND_LINE => {
                    repeated(lexer, self.command_line.is_some(), COMMAND_LINE, span);
                    let keywords = self.keywords;
                    self.command_line = Some(lexer.command_line(span, &keywords));
                }
                _ => return Ok(Some((keyword, span))),
            }
        }
        Ok(None)
    }

    /// Returns the error for a word that begins no section of this format.
    fn unknown(&self, lexer: &mut Lexer<'a>) -> Error {
        let span = lexer.peek();
        let word = lexer.whole().get(span.range()).unwrap_or_default();
        let refuse = |kind| Error { kind, span };
        if let Some(layout) = old_layout(word) {
            return refuse(layout);
        }
        if let Some(found) = other_kind(word, lexer.rest())
            && found != self.kind
        {
            return refuse(ErrorKind::WrongKind { found, expected: self.kind });
        }
        if self.met.iter().all(Option::is_none) {
            return match word {
                [] => refuse(ErrorKind::Empty),
                _ => refuse(ErrorKind::NotMd5 { expected: self.kind, found: shorten(word) }),
            };
        }
        let missing = self.keywords.iter().zip(&self.met).filter(|(_, met)| met.is_none());
        let missing: Vec<String> = missing.map(|(keyword, _)| format!("'{keyword}'")).collect();
        let expected = match missing.as_slice() {
            [] => format!("'{}'", self.keywords.last().copied().unwrap_or_default()),
            missing => missing.join(" or "),
        };
        lexer.expected(expected)
    }

    /// Returns the declared count, or the number found if the line is missing. Warns if the count is wrong.
    fn count_or(&self, keyword: &'static str, count: Option<Int>, found: usize, lexer: &mut Lexer<'a>) -> Int {
        match count {
            Some(count) => {
                mismatch(lexer, keyword, count, found);
                count
            }
            None => absent(self.missing(keyword, lexer), found),
        }
    }

    /// Warns of a missing section. Returns the point where it should be.
    fn missing(&self, keyword: &'static str, lexer: &mut Lexer<'a>) -> Span {
        let at = self.expected_at(keyword, lexer);
        lexer.warnings.push(WarningKind::Missing { keyword }, at);
        at
    }

    /// Returns the first occurrence of a section.
    fn met(&self, keyword: &'static str) -> Span {
        let index = self.keywords.iter().position(|known| *known == keyword);
        index.and_then(|index| self.met.get(index).copied().flatten()).unwrap_or_default()
    }

    fn rate_or_default(&self, rate: Option<(f64, Span)>, lexer: &mut Lexer<'a>) -> (f64, Span) {
        rate.unwrap_or_else(|| (DEFAULT_FRAME_RATE, self.missing("frameRate", lexer)))
    }

    /// Returns the point where a missing section should be.
    fn expected_at(&self, keyword: &'static str, lexer: &Lexer<'a>) -> Span {
        let index = self.keywords.iter().position(|known| *known == keyword);
        let passed = index.and_then(|index| self.passed.get(index).copied().flatten());
        passed.map_or_else(|| lexer.end_point(), |at| Span { start: at, end: at })
    }

    fn missing_block(&self, keyword: &'static str, lexer: &Lexer<'a>) -> Error {
        let span = self.expected_at(keyword, lexer);
        // No later block follows: the file ends too early.
        if lexer.is_cut() || span == lexer.end_point() {
            return lexer.unexpected_end(format!("'{keyword} {{ … }}'").into());
        }
        Error { kind: ErrorKind::MissingBlock { keyword }, span }
    }

    /// Returns the two shared lines, with a warning for each that is missing.
    fn finish(&mut self, lexer: &mut Lexer<'a>) -> (Option<Int>, Option<Text<'a>>) {
        if self.version.is_none() {
            self.missing(VERSION, lexer);
        }
        if self.command_line.is_none() {
            self.missing(COMMAND_LINE, lexer);
        }
        (self.version, self.command_line.take())
    }
}

/// Refuses UTF-16 and compiled formats before any word is read.
fn open(bytes: &[u8]) -> Result<Lexer<'_>, Error> {
    let refuse = |kind, end| Err(Error { kind, span: Span::new(0, end) });
    if u32::try_from(bytes.len()).is_err() {
        return refuse(ErrorKind::TooLong { bytes: bytes.len() }, 0);
    }
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => refuse(ErrorKind::Utf16, 2),
        [b'M', 0, ..] | [0, b'M', ..] => refuse(ErrorKind::Utf16, 2),
        [0, ..] => refuse(ErrorKind::NulByte { expected: "'MD5Version 10'".into() }, 1),
        [b'B', b'M', b'D', ..] => refuse(ErrorKind::Binary { format: "a binary animation of Doom 3 BFG" }, 3),
        [b'B', b'R', b'M', ..] | [b'5', b'D', b'M', ..] | [b'M', b'D', b'5', b'B', ..] => {
            refuse(ErrorKind::Binary { format: "a binary mesh of a later id Tech 4 game" }, 3)
        }
        [b'M', b'D', b'5', b'R', ..] => refuse(ErrorKind::Binary { format: "a compiled mesh of Quake 4 (MD5R)" }, 4),
        _ => Ok(Lexer::new(bytes)),
    }
}

/// Refuses versions of another layout, and warns of versions other than 10.
fn check_version(lexer: &mut Lexer<'_>, version: Int) -> Result<(), Error> {
    let refuse = |layout| {
        Err(Error { kind: ErrorKind::UnsupportedVersion { version: version.value, layout }, span: version.span })
    };
    match version.value {
        10 => Ok(()),
        6 => refuse(ALPHA_LAYOUT),
        4843 => refuse("an exporter's own layout with 'objects' and 'materials'"),
        value => {
            lexer.warnings.push(WarningKind::OtherVersion { version: value }, version.span);
            Ok(())
        }
    }
}

const ALPHA_LAYOUT: &str = "the layout of the Doom 3 alpha (numbones, channel)";

/// Returns the error for a word that only layouts other than version 10 have.
fn old_layout(word: &[u8]) -> Option<ErrorKind> {
    match word {
        b"numbones" | b"nummeshes" | b"bone" | b"numchannels" | b"channel" => {
            Some(ErrorKind::UnsupportedVersion { version: 6, layout: ALPHA_LAYOUT })
        }
        b"MD5RVersion" => Some(ErrorKind::Binary { format: "a compiled mesh of Quake 4 (MD5R)" }),
        _ => None,
    }
}

/// Returns the format that has the section `word`, with which `rest` begins.
fn other_kind(word: &[u8], rest: &[u8]) -> Option<FileKind> {
    match word {
        b"numMeshes" | b"joints" | b"mesh" => Some(FileKind::Mesh),
        b"numAnimatedComponents" | b"hierarchy" | b"bounds" | b"baseframe" | b"frame" => Some(FileKind::Anim),
        b"numCuts" | b"cuts" | b"camera" => Some(FileKind::Camera),
        b"numFrames" | b"frameRate" => {
            let head = rest.get(..rest.len().min(1000)).unwrap_or_default();
            let camera = head.windows(7).any(|word| word == b"numCuts");
            Some(if camera { FileKind::Camera } else { FileKind::Anim })
        }
        b"numJoints" => Some(FileKind::Anim),
        _ => None,
    }
}

/// Frames per second of a file without `frameRate`: the default of Doom 3's exporter.
const DEFAULT_FRAME_RATE: f64 = 24.0;

// rate ::= number
fn frame_rate(lexer: &mut Lexer<'_>, at: Span, rate: &mut Option<(f64, Span)>) -> Result<(), Error> {
    repeated(lexer, rate.is_some(), "frameRate", at);
    lexer.skip_blanks();
    let start = lexer.offset();
    let value = lexer.single_float()?;
    if value <= 0.0 || value.fract() != 0.0 {
        lexer.warn(WarningKind::FrameRate { rate: value }, start);
    }
    *rate = Some((value, lexer.span_from(start)));
    Ok(())
}

// block ::= '{' { record } '}', where every record begins with '('
fn records<'a, T>(
    lexer: &mut Lexer<'a>,
    block: &'static str,
    keywords: &[&'static str],
    declared: Option<Int>,
    mut record: impl FnMut(&mut Lexer<'a>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    lexer.require(b'{', "'{'")?;
    let mut records = Vec::with_capacity(capacity(lexer, declared));
    let what = match block {
        "baseframe" => "base poses",
        "camera" => "frames",
        _ => block,
    };
    while !lexer.eat(b'}') {
        if !lexer.next_is(b'(') {
            let start = lexer.offset();
            let closed = (lexer.at_end() && full(declared, records.len()))
                || keywords.iter().any(|keyword| lexer.eat_keyword(keyword.as_bytes()).is_some());
            lexer.rewind(start);
            if !closed {
                let error = lexer.expected("'(' or '}'");
                return Err(lexer.ends_in_list(error, what, declared, records.len()));
            }
            missing_brace(lexer, block);
            break;
        }
        match record(lexer) {
            Ok(record) => records.push(record),
            Err(error) => return Err(lexer.ends_in_list(error, what, declared, records.len())),
        }
    }
    Ok(records)
}

/// Reads a block whose entries begin with any word. A block of `next` that begins before the brace ends it. `what` is the
/// plural noun of its entries.
fn entries<'a, T>(
    lexer: &mut Lexer<'a>,
    block: &'static str,
    what: &'static str,
    next: &[&str],
    declared: Option<Int>,
    entry: fn(&mut Lexer<'a>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    lexer.require(b'{', "'{'")?;
    let mut entries = Vec::with_capacity(capacity(lexer, declared));
    while !lexer.eat(b'}') {
        if begins_block(lexer, next) {
            missing_brace(lexer, block);
            break;
        }
        let found = entries.len();
        entries.push(entry(lexer).map_err(|error| lexer.ends_in_list(error, what, declared, found))?);
    }
    Ok(entries)
}

/// Rewords an error for the word at `start` of a list in which line ends have no meaning.
fn in_list(lexer: &mut Lexer<'_>, start: usize, error: Error, expected: &'static str) -> Error {
    if !matches!(error.kind, ErrorKind::Expected { .. } | ErrorKind::UnexpectedLineEnd { .. }) {
        return error;
    }
    lexer.rewind(start);
    lexer.expected(expected)
}

/// Returns the error for a parent that does not exist. A parent can come after its child.
fn parent_out_of_range(name: &Text<'_>, parent: Int, joints: usize) -> Option<Error> {
    let outside = usize::try_from(parent.value).is_ok_and(|parent| parent >= joints);
    outside.then(|| Error {
        kind: ErrorKind::ParentOutOfRange { joint: name.to_name(), parent: parent.value, joints },
        span: parent.span,
    })
}

/// Refuses a second block.
fn only_once(seen: bool, keyword: &'static str, at: Span) -> Result<(), Error> {
    if seen { Err(Error { kind: ErrorKind::RepeatedBlock { keyword }, span: at }) } else { Ok(()) }
}

/// Warns of a repeated line. The last one counts.
fn repeated(lexer: &mut Lexer<'_>, repeated: bool, keyword: &'static str, span: Span) {
    if repeated {
        lexer.warnings.push(WarningKind::RepeatedLine { keyword }, span);
    }
}

/// Reads the number after a count's `keyword`. Refuses a count that the file is too short for.
fn count(lexer: &mut Lexer<'_>, keyword: &'static str, at: Span, count: &mut Option<Int>) -> Result<(), Error> {
    repeated(lexer, count.is_some(), keyword, at);
    let read = lexer.int("a count")?;
    let bytes = lexer.whole().len();
    let limit = bytes / SHORTEST_RECORD + 1;
    if usize::try_from(read.value).is_ok_and(|count| count >= limit) {
        // A whole file ends with the brace of its last block.
        let whole = lexer.whole();
        let has = |block: &str| whole.split(|&byte| byte == b'\n').any(|line| line.starts_with(block.as_bytes()));
        let is_whole = whole.trim_ascii_end().ends_with(b"}") && ["mesh", "frame ", "camera"].into_iter().any(has);
        if !lexer.is_cut() && !is_whole {
            let error = lexer.unexpected_end(format!("more, as {keyword} is {}", read.value).into());
            let lines = whole.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_start);
            // The last one is incomplete.
            let found = |begin: &[u8]| lines.filter(|line| line.starts_with(begin)).count().saturating_sub(1);
            return Err(match keyword {
                "numFrames" => lexer.ends_in_list(error, "frames", Some(read), found(b"frame ")),
                "numJoints" => lexer.ends_in_list(error, "joints", Some(read), found(b"\"")),
                _ => error,
            });
        }
        let kind = ErrorKind::CountImpossible { keyword, declared: read.value, bytes, limit };
        return Err(Error { kind, span: read.span });
    }
    *count = Some(read);
    Ok(())
}

/// True if at least as many records as declared were found. False without a count.
fn full(count: Option<Int>, found: usize) -> bool {
    count.is_some_and(|count| count.value <= i64::try_from(found).unwrap_or(i64::MAX))
}

/// Warns of text from `start` on. It follows the last block, and Doom 3 never reads it.
fn trailing_text(lexer: &mut Lexer<'_>, start: usize) {
    let end = lexer.end_point();
    lexer.warnings.push(WarningKind::TrailingText, Span::new(start, start).to(end));
}

/// Warns of a block that ends here without its brace.
fn missing_brace(lexer: &mut Lexer<'_>, block: &'static str) {
    let here = if lexer.at_end() { lexer.end_point() } else { lexer.span_from(lexer.offset()) };
    lexer.warnings.push(WarningKind::MissingBrace { block }, here);
}

/// True if one of `blocks` begins here although the block before it is still open.
///
/// Only a keyword followed by '{' counts: a joint may be called "mesh".
fn begins_block(lexer: &mut Lexer<'_>, blocks: &[&str]) -> bool {
    let start = lexer.offset();
    let found = blocks.iter().any(|block| lexer.eat_keyword(block.as_bytes()).is_some()) && lexer.next_is(b'{');
    lexer.rewind(start);
    found
}

/// Returns the number of records to reserve: the declared number, limited by the bytes left.
fn capacity(lexer: &Lexer<'_>, declared: Option<Int>) -> usize {
    let declared = declared.and_then(|count| usize::try_from(count.value).ok()).unwrap_or(0);
    declared.min(lexer.rest().len() / SHORTEST_RECORD)
}

/// Returns the number found as the count for a missing line.
fn absent(at: Span, found: usize) -> Int {
    Int { value: i64::try_from(found).unwrap_or(i64::MAX), span: at }
}

fn mismatch(lexer: &mut Lexer<'_>, keyword: &'static str, count: Int, found: usize) {
    if usize::try_from(count.value) != Ok(found) {
        lexer.warnings.push(WarningKind::CountMismatch { keyword, declared: count.value, found }, count.span);
    }
}
