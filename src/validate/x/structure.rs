//! Where a text file's own separators disagree with its counts, and its braces with its indentation.
//!
//! A reader that trusts a wrong count stumbles long after it, and one that misses a brace only at the end of the
//! file. Exporters' separators and indentation tell the place; where they tell nothing clear, nothing is said.

use bindpose_parsers::Span;
use bindpose_parsers::x::{Lexeme, Lexemes, MAX_DEPTH};

/// What a data object of known type is made of, in the words of its separators.
enum Step {
    /// A single value.
    Value,
    /// A number of entries, for the steps that follow.
    Count,
    /// `1,2,3;`
    List,
    /// `1.0;2.0;3.0;,` up to `;;`.
    Records {
        /// How many separators end one entry.
        ends: usize,
        /// How many values it has.
        values: Values,
    },
}

/// How many values an entry has.
#[derive(Clone, Copy)]
enum Values {
    Fixed(usize),
    /// As many as its value of this number says, and those up to there.
    Counted(usize),
}

/// Types whose arrays are counted.
fn layout(kind: &[u8]) -> Option<&'static [Step]> {
    use Step::{Count, List, Records, Value};
    const VECTORS: Step = Records { ends: 1, values: Values::Fixed(3) };
    const FACES: Step = Records { ends: 1, values: Values::Counted(0) };
    match kind {
        b"Mesh" | b"MeshNormals" => Some(&[Count, VECTORS, Count, FACES]),
        b"MeshTextureCoords" => Some(&[Count, Records { ends: 1, values: Values::Fixed(2) }]),
        b"MeshVertexColors" => Some(&[Count, Records { ends: 2, values: Values::Fixed(5) }]),
        b"MeshMaterialList" => Some(&[Value, Count, List]),
        b"SkinWeights" => Some(&[Value, Count, List, List]),
        b"AnimationKey" => Some(&[Value, Count, Records { ends: 2, values: Values::Counted(1) }]),
        b"VertexDuplicationIndices" => Some(&[Count, Value, List]),
        _ => None,
    }
}

/// What separators tell that counts do not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Slip {
    Count(WrongCount),
    Entry(WrongEntry),
}

/// An entry with too many or too few values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WrongEntry {
    /// The object's type.
    pub kind: String,
    /// The whole object as far as its braces tell.
    pub object: Span,
    /// The entry's values.
    pub span: Span,
    /// How many there should be.
    pub expected: usize,
    /// How many there are.
    pub found: usize,
}

/// An announced number that the entries contradict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WrongCount {
    /// The object's type.
    pub kind: String,
    /// The whole object as far as its braces tell.
    pub object: Span,
    /// The count.
    pub span: Span,
    /// As written.
    pub announced: u64,
    /// Entries that are there.
    pub found: u64,
    /// The last of them.
    pub last: Span,
}

/// A brace that seems to be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unclosed {
    /// The object that is left open: its opening brace.
    pub open: Span,
    /// The brace that closes it instead, further left than the object begins.
    pub closed: Span,
}

/// What separators end.
enum Ending {
    Part,
    Entry,
    Array,
}

/// The separators from here to the next other lexeme, which stays.
fn separators(lexemes: &mut Lexemes) -> Vec<Lexeme> {
    let mut found = Vec::new();
    while let Some((separator @ (Lexeme::Semicolon | Lexeme::Comma), _)) = lexemes.peek() {
        if found.len() == 8 {
            break;
        }
        found.push(separator);
        lexemes.next();
    }
    found
}

fn word(lexemes: &mut Lexemes) -> Option<Span> {
    let (lexeme, span) = lexemes.next()?;
    (lexeme == Lexeme::Word).then_some(span)
}

/// Passes over entries, and gives how many there were, the last word of them, and the only one that has not as many
/// values as `values` says.
fn entries(
    lexemes: &mut Lexemes,
    values: impl Fn(&[Span]) -> usize,
    ending: impl Fn(&[Lexeme]) -> Option<Ending>,
) -> Option<(u64, Span, Option<Odd>)> {
    let mut entries = 0;
    let mut odd: Vec<Odd> = Vec::new();
    let mut words: Vec<Span> = Vec::new();
    loop {
        let last = word(lexemes)?;
        words.push(last);
        let ending = ending(&separators(lexemes))?;
        if matches!(ending, Ending::Part) {
            continue;
        }
        entries += 1;
        let (expected, found) = (values(&words), words.len());
        if expected != found && odd.len() < 2 {
            odd.push(Odd { span: words.first().map_or(last, |first| first.to(last)), expected, found });
        }
        words.clear();
        if matches!(ending, Ending::Array) {
            // Where several are odd the file has separators of its own.
            let odd = if odd.len() == 1 { odd.pop() } else { None };
            return Some((entries, last, odd));
        }
    }
}

/// An entry with another number of values than it should have.
struct Odd {
    span: Span,
    expected: usize,
    found: usize,
}

/// The innermost object around a byte: its type, its opening brace, and the end of its closing one.
fn object_around(bytes: &[u8], body: usize, at: usize) -> Option<(Span, Span, usize)> {
    let mut open: Vec<(Span, Span)> = Vec::new();
    // `Type name {` or `Type {`: the first word since the last brace or separator.
    let mut kind: Option<Span> = None;
    for (lexeme, span) in Lexemes::new(bytes, body) {
        match lexeme {
            Lexeme::Word => {
                kind.get_or_insert(span);
            }
            // The parser reads nothing that is nested deeper.
            Lexeme::Open if open.len() > MAX_DEPTH => return None,
            Lexeme::Open => open.push((kind.take().unwrap_or(span), span)),
            Lexeme::Close => {
                let (kind_of_object, brace) = open.pop()?;
                // A fault may be reported at the closing brace itself.
                if brace.start as usize <= at && at < span.end as usize {
                    return Some((kind_of_object, brace, span.end as usize));
                }
                kind = None;
            }
            Lexeme::Semicolon | Lexeme::Comma | Lexeme::Guid => kind = None,
        }
    }
    None
}

/// The count or the entry that made a reader stumble at `at`, if the separators around it are unmistakable.
pub(super) fn slip(bytes: &[u8], body: usize, at: usize) -> Option<Slip> {
    let (kind, brace, end) = object_around(bytes, body, at)?;
    let kind_bytes = bytes.get(kind.range())?;
    let steps = layout(kind_bytes)?;
    let name = || String::from_utf8_lossy(kind_bytes).into_owned();
    let object = kind.to(Span::new(end, end));
    let number = |word: Span| std::str::from_utf8(bytes.get(word.range())?).ok()?.parse::<u64>().ok();
    let mut lexemes = Lexemes::new(bytes.get(..end)?, brace.end as usize);
    let mut count: Option<(Span, u64)> = None;
    for step in steps {
        let (found, last, odd) = match *step {
            Step::Value => {
                word(&mut lexemes)?;
                separators(&mut lexemes);
                continue;
            }
            Step::Count => {
                let span = word(&mut lexemes)?;
                separators(&mut lexemes);
                count = Some((span, number(span)?));
                continue;
            }
            Step::List => entries(&mut lexemes, <[Span]>::len, |separators| match separators {
                [Lexeme::Comma] => Some(Ending::Entry),
                [Lexeme::Semicolon, ..] => Some(Ending::Array),
                _ => None,
            })?,
            Step::Records { ends, values } => {
                let values = |words: &[Span]| match values {
                    Values::Fixed(values) => values,
                    Values::Counted(place) => {
                        let counted = words.get(place).and_then(|&word| usize::try_from(number(word)?).ok());
                        counted.map_or(words.len(), |counted| counted.saturating_add(place + 1))
                    }
                };
                entries(&mut lexemes, values, |separators| match separators {
                    [] => None,
                    [parts @ .., Lexeme::Comma] if parts.len() >= ends => Some(Ending::Entry),
                    _ if separators.len() > ends => Some(Ending::Array),
                    _ => Some(Ending::Part),
                })?
            }
        };
        let (span, announced) = count?;
        // A lone entry where there should be several may be all of them, without what separates them.
        if let Some(Odd { span, expected, found: values }) = odd.filter(|_| found > 1 || announced == 1) {
            return Some(Slip::Entry(WrongEntry { kind: name(), object, span, expected, found: values }));
        }
        if found != announced {
            return Some(Slip::Count(WrongCount { kind: name(), object, span, announced, found, last }));
        }
    }
    None
}

/// The mesh that an object belongs to, or the object itself where it is in none.
pub(super) fn mesh_around(bytes: &[u8], body: usize, object: Span) -> Span {
    match object_around(bytes, body, object.start as usize) {
        Some((kind, _, end)) if bytes.get(kind.range()) == Some(b"Mesh") => kind.to(Span::new(end, end)),
        _ => object,
    }
}

/// The key time before the fallen one, if that is the odd one out: the times rise without it, and do not without
/// the fallen one.
pub(super) fn late_time(bytes: &[u8], body: usize, fallen: Span) -> Option<Span> {
    let (kind, brace, end) = object_around(bytes, body, fallen.start as usize)?;
    if bytes.get(kind.range())? != b"AnimationKey" {
        return None;
    }
    let mut lexemes = Lexemes::new(bytes.get(..end)?, brace.end as usize);
    // Key type and count.
    for _ in 0..2 {
        word(&mut lexemes)?;
        separators(&mut lexemes);
    }
    // Times up to the one behind the fallen one.
    let mut times: Vec<(f64, Span)> = Vec::new();
    let mut starts_key = true;
    while times.last().is_none_or(|(_, span)| span.start <= fallen.start) {
        let Some(word) = word(&mut lexemes) else { break };
        if starts_key {
            times.push((std::str::from_utf8(bytes.get(word.range())?).ok()?.parse().ok()?, word));
        }
        // `;,` and `;;,` end a key, a lone comma does not.
        starts_key = matches!(&separators(&mut lexemes)[..], [Lexeme::Semicolon, .., Lexeme::Comma]);
    }
    let at = times.iter().position(|(_, span)| span.start == fallen.start)?;
    let ((now, _), (late, span)) = (times.get(at)?, times.get(at.checked_sub(1)?)?);
    let rises_without = at.checked_sub(2).and_then(|at| times.get(at)).is_none_or(|(before, _)| before <= now);
    let falls_without_fallen = times.get(at + 1).is_some_and(|(after, _)| after < late);
    (rises_without && falls_without_fallen).then_some(*span)
}

/// The line's part of the first string that goes on over the end of its line and ends before `at`, or not at all: what
/// follows it stands on the wrong side of every quote.
pub(super) fn open_string(bytes: &[u8], body: usize, at: usize) -> Option<Span> {
    let mut words = Lexemes::new(bytes, body).filter(|(lexeme, _)| *lexeme == Lexeme::Word).map(|(_, span)| span);
    let span = words
        .find(|span| bytes.get(span.range()).is_some_and(|word| word.starts_with(b"\"") && word.contains(&b'\n')))?;
    let line_end = bytes.get(span.range())?.iter().position(|byte| matches!(byte, b'\r' | b'\n'))?;
    (span.start as usize <= at).then(|| Span::new(span.start as usize, span.start as usize + line_end))
}

/// The first object that a brace further left closes.
pub(super) fn unclosed(bytes: &[u8], body: usize) -> Option<Unclosed> {
    let mut open: Vec<(Span, &[u8])> = Vec::new();
    for (lexeme, span) in Lexemes::new(bytes, body) {
        match lexeme {
            Lexeme::Open if open.len() > MAX_DEPTH => return None,
            Lexeme::Open => open.push((span, indentation(bytes, span))),
            Lexeme::Close => {
                let (brace, indent) = open.pop()?;
                let own = indentation(bytes, span);
                let begins_line = span.start as usize == line_start(bytes, span) + own.len();
                if begins_line && own.len() < indent.len() && indent.starts_with(own) {
                    return Some(Unclosed { open: brace, closed: span });
                }
            }
            Lexeme::Word | Lexeme::Guid | Lexeme::Semicolon | Lexeme::Comma => {}
        }
    }
    None
}

/// The first brace on a line of its own that stands further right than the object that it closes begins.
pub(super) fn surplus(bytes: &[u8], body: usize) -> Option<Span> {
    let mut open: Vec<&[u8]> = Vec::new();
    for (lexeme, span) in Lexemes::new(bytes, body) {
        match lexeme {
            Lexeme::Open if open.len() > MAX_DEPTH => return None,
            Lexeme::Open => open.push(indentation(bytes, span)),
            Lexeme::Close => {
                let own = indentation(bytes, span);
                let begins_line = span.start as usize == line_start(bytes, span) + own.len();
                let Some(indent) = open.pop() else { return Some(span) };
                if begins_line && own.len() > indent.len() && own.starts_with(indent) {
                    return Some(span);
                }
            }
            Lexeme::Word | Lexeme::Guid | Lexeme::Semicolon | Lexeme::Comma => {}
        }
    }
    None
}

fn line_start(bytes: &[u8], at: Span) -> usize {
    let before = bytes.get(..at.start as usize).unwrap_or_default();
    before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1)
}

/// The blanks that begin the line of `at`.
fn indentation(bytes: &[u8], at: Span) -> &[u8] {
    let line = bytes.get(line_start(bytes, at)..at.start as usize).unwrap_or_default();
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    line.get(..blanks).unwrap_or_default()
}
