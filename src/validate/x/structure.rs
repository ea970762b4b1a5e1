//! Detection of counts that disagree with a text file's own separators, and of braces that disagree with its
//! indentation.
//!
//! A reader that trusts a wrong count fails long after it, and one that misses a brace only at the end of the file.
//! Exporters' separators and indentation reveal the position. If they are ambiguous, nothing is reported.

use crate::finding::on_one_line;
use bindpose_parsers::x::{Lexeme, Lexemes, MAX_DEPTH};
use bindpose_parsers::{Span, counted, decode_name};
use std::ops::Range;

/// Word that begins a template.
pub(super) const TEMPLATE: &[u8] = b"template";

/// A part of a data object of known type, by its separators.
enum Step {
    /// A single value, called by this noun.
    Value(&'static str),
    /// A number of entries for the following steps. Nouns for one entry and for several.
    Count(&'static str, &'static str),
    /// `1,2,3;`
    List,
    /// `1.0;2.0;3.0;,` up to `;;`.
    Records {
        /// Number of separators that end an entry.
        ends: usize,
        values: Values,
    },
    /// Fixed number of numbers up to the end of the object.
    Numbers(usize),
    /// Groups of numbers that each end in `;;`, with their nouns.
    Groups(&'static [(&'static str, usize)]),
}

/// Number of values in an entry.
#[derive(Clone, Copy)]
enum Values {
    Fixed(usize),
    /// Given by the value with this index, plus the values up to it.
    Counted(usize),
}

/// Returns the layout of a type with counted arrays.
fn layout(kind: &[u8]) -> Option<&'static [Step]> {
    use Step::{Count, Groups, List, Numbers, Records, Value};
    const BONE: Step = Value("bone");
    const KEY_TYPE: Step = Value("key type");
    const VECTORS: Step = Records { ends: 1, values: Values::Fixed(3) };
    const FACES: Step = Records { ends: 1, values: Values::Counted(0) };
    const COORDS: Step = Records { ends: 1, values: Values::Fixed(2) };
    const COLORS: Step = Records { ends: 2, values: Values::Fixed(5) };
    const KEYS: Step = Records { ends: 2, values: Values::Counted(1) };
    const COLOURS: Step = Groups(&[("face colour", 4), ("power and specular colour", 4), ("emissive colour", 3)]);
    match kind {
        b"Material" => Some(&[COLOURS]),
        b"Mesh" => Some(&[Count("vertex", "vertices"), VECTORS, Count("face", "faces"), FACES]),
        b"MeshNormals" => Some(&[Count("normal", "normals"), VECTORS, Count("face", "faces"), FACES]),
        b"MeshTextureCoords" => Some(&[Count("pair", "pairs"), COORDS]),
        b"MeshVertexColors" => Some(&[Count("colour", "colours"), COLORS]),
        b"MeshMaterialList" => Some(&[Value("number of materials"), Count("index", "indices"), List]),
        b"SkinWeights" => Some(&[BONE, Count("weight", "weights"), List, List, Numbers(16)]),
        b"FrameTransformMatrix" => Some(&[Numbers(16)]),
        b"AnimationKey" => Some(&[KEY_TYPE, Count("key", "keys"), KEYS]),
        b"VertexDuplicationIndices" => Some(&[Count("index", "indices"), Value("number of vertices"), List]),
        _ => None,
    }
}

/// Mistakes that separators reveal and counts do not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Slip {
    Count(WrongCount),
    Entry(WrongEntry),
    /// Key type and count in each other's place.
    Swapped(WrongNumber),
    /// A key type that does not suit the keys.
    KeyType(WrongNumber),
}

impl Slip {
    /// Returns the span to correct.
    pub fn span(&self) -> Span {
        match self {
            Self::Count(wrong) => wrong.span,
            Self::Entry(wrong) => wrong.span,
            Self::Swapped(wrong) | Self::KeyType(wrong) => wrong.span,
        }
    }

    /// Returns the description of the fault.
    pub fn says(&self) -> String {
        match self {
            Self::Count(wrong) => wrong.says.clone(),
            Self::Entry(wrong) => wrong.says.clone(),
            Self::Swapped(wrong) | Self::KeyType(wrong) => wrong.says.clone(),
        }
    }
}

/// A data object, delimited by its braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    kind: Span,
    open: Span,
    /// Span from its type to its closing brace.
    pub span: Span,
}

impl Block {
    /// Returns the bytes of its type.
    pub fn kind(&self) -> Range<usize> {
        self.kind.range()
    }

    /// True if a span is inside.
    pub fn holds(&self, place: Span) -> bool {
        self.span.start <= place.start && place.end <= self.span.end
    }
}

/// An entry with too many or too few values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WrongEntry {
    /// Description of the fault.
    pub says: String,
    /// Span of the entry's values.
    pub span: Span,
    /// Expected number of values.
    pub expected: usize,
    /// Number of values found.
    pub found: usize,
}

/// A number at the beginning of an object that contradicts what follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WrongNumber {
    /// Description of the fault.
    pub says: String,
    /// Span of the number.
    pub span: Span,
}

/// A declared count that contradicts the entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WrongCount {
    /// Description of the fault.
    pub says: String,
    /// Span of the count.
    pub span: Span,
    /// Count as written.
    pub announced: u64,
    /// Number of entries found.
    pub found: u64,
    /// Span of the last entry.
    pub last: Span,
}

/// A brace that seems to be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unclosed {
    /// Opening brace of the unclosed object.
    pub open: Span,
    /// Brace that closes it instead, further left than the start of the object, or a template inside it.
    pub closed: Span,
}

/// End marked by separators.
enum Ending {
    Part,
    Entry,
    Array,
}

/// Reads the separators up to the next other lexeme, which stays unread.
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

/// Entries that were skipped.
struct Entries {
    found: u64,
    /// Last word of the skipped entries.
    last: Span,
    /// The only entry with a wrong number of values.
    odd: Option<Odd>,
}

/// Skips entries that should have the number of values that `values` returns.
fn entries(
    lexemes: &mut Lexemes,
    values: impl Fn(&[Span]) -> usize,
    ending: impl Fn(&[Lexeme]) -> Option<Ending>,
) -> Option<Entries> {
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
            let span = words.first().map_or(last, |first| first.to(last));
            odd.push(Odd { number: entries - 1, span, expected, found });
        }
        words.clear();
        if matches!(ending, Ending::Array) {
            // If several entries are odd, the file uses separators of its own.
            let odd = if odd.len() == 1 { odd.pop() } else { None };
            return Some(Entries { found: entries, last, odd });
        }
    }
}

/// An entry with a wrong number of values.
struct Odd {
    /// Index of the entry, from 0.
    number: u64,
    span: Span,
    expected: usize,
    found: usize,
}

impl Odd {
    /// Returns the description of the mistake in an object called `of`.
    fn says(&self, what: &str, values: Values, of: &str) -> String {
        let number = self.number;
        // The count does not include the values up to it.
        match values {
            Values::Fixed(expected) => {
                format!("{what} {number} of {of} has {}, expected {expected}", counted(self.found, "value", "values"))
            }
            Values::Counted(place) => {
                let [found, expected] = [self.found, self.expected].map(|values| values.saturating_sub(place + 1));
                let (one, many) = if what == "face" { ("corner", "corners") } else { ("value", "values") };
                format!("{what} {number} of {of} has {}, but announces {expected}", counted(found, one, many))
            }
        }
    }
}

/// Returns the words up to the end of the object, if their number is wrong: all of them, or those of the only line
/// whose length differs.
fn odd_numbers(bytes: &[u8], lexemes: Lexemes, expected: usize) -> Option<Odd> {
    let inside = lexemes.take_while(|(lexeme, _)| !matches!(lexeme, Lexeme::Open | Lexeme::Close));
    let words: Vec<Span> = inside.filter(|(lexeme, _)| *lexeme == Lexeme::Word).map(|(_, span)| span).collect();
    let (first, last) = (*words.first()?, *words.last()?);
    if words.len() == expected {
        return None;
    }
    let is_one_line = |a: &Span, b: &Span| {
        let between = bytes.get(a.start as usize..b.start as usize).unwrap_or_default();
        !between.contains(&b'\n')
    };
    let lines: Vec<&[Span]> = words.chunk_by(is_one_line).collect();
    // With two lines, it is unclear which one is odd.
    let usual =
        lines.iter().take(2).map(|line| line.len()).find(|&length| {
            lines.len() > 2 && lines.iter().filter(|line| line.len() == length).count() == lines.len() - 1
        });
    let odd = usual.and_then(|usual| lines.iter().find(|line| line.len() != usual));
    let span = odd.and_then(|line| Some(line.first()?.to(*line.last()?))).unwrap_or(first.to(last));
    Some(Odd { number: 0, span, expected, found: words.len() })
}

/// Returns the frame named by the animation that contains an object, in quotes: `{ Name }`.
fn target_around(bytes: &[u8], blocks: &[Block], block: Block) -> Option<String> {
    let animation = animation_around(bytes, blocks, block)?;
    // A reference is a block without a type.
    let inside = blocks.iter().filter(|inner| animation.holds(inner.span) && inner.kind == inner.open);
    let reference = inside.min_by_key(|inner| inner.span.start)?;
    let name = bytes.get(reference.open.end as usize..reference.span.end.checked_sub(1)? as usize)?;
    Some(format!("'{}'", decode_name(name.trim_ascii())))
}

/// Returns all closed objects, in the order of their closing braces. Returns an empty list if braces do not match.
pub(super) fn blocks(bytes: &[u8], body: usize) -> Vec<Block> {
    let mut open: Vec<(Span, Span)> = Vec::new();
    let mut closed = Vec::new();
    // `Type name {` or `Type {`: the first word since the last brace or separator.
    let mut kind: Option<Span> = None;
    for (lexeme, span) in Lexemes::new(bytes, body) {
        match lexeme {
            Lexeme::Word => {
                kind.get_or_insert(span);
            }
            // The parser does not read anything nested deeper.
            Lexeme::Open if open.len() > MAX_DEPTH => return closed,
            Lexeme::Open => open.push((kind.take().unwrap_or(span), span)),
            Lexeme::Close => {
                let Some((kind_of_object, brace)) = open.pop() else { return closed };
                closed.push(Block { kind: kind_of_object, open: brace, span: kind_of_object.to(span) });
                kind = None;
            }
            Lexeme::Semicolon | Lexeme::Comma | Lexeme::Guid => kind = None,
        }
    }
    closed
}

/// Returns the innermost object that contains a position, including its closing brace.
pub(super) fn innermost(blocks: &[Block], at: Span) -> Option<Block> {
    // An object is closed before those that contain it.
    let from = blocks.partition_point(|block| block.span.end <= at.start);
    blocks.get(from..)?.iter().copied().find(|block| block.open.start <= at.start)
}

/// Returns the wrong counts and entries of an object, as far as the separators are unambiguous.
pub(super) fn slips(bytes: &[u8], blocks: &[Block], block: Block) -> Vec<Slip> {
    let mut found = Vec::new();
    // Results from before the separators stop making sense count.
    let _ = find_slips(bytes, blocks, block, &mut found);
    found
}

/// Skips a list of entries. Returns `None` for a step that is no list, and where the separators make no sense.
fn skip_list(bytes: &[u8], step: &Step, lexemes: &mut Lexemes) -> Option<Entries> {
    match *step {
        Step::List => entries(lexemes, <[Span]>::len, |separators| match separators {
            [Lexeme::Comma] => Some(Ending::Entry),
            [Lexeme::Semicolon, ..] => Some(Ending::Array),
            _ => None,
        }),
        Step::Records { ends, values } => {
            let values = |words: &[Span]| values_in(bytes, words, values);
            entries(lexemes, values, |separators| ending_of(separators, ends))
        }
        Step::Value(_) | Step::Count(..) | Step::Numbers(_) | Step::Groups(_) => None,
    }
}

/// Returns the only group with a wrong number of numbers, and its noun.
fn odd_group(lexemes: &mut Lexemes, groups: &[(&'static str, usize)]) -> Option<(&'static str, Odd)> {
    let mut odd = None;
    for (number, &(noun, expected)) in (0..).zip(groups) {
        let first = word(lexemes)?;
        let (mut last, mut found) = (first, 1);
        while separators(lexemes).len() == 1 {
            last = word(lexemes)?;
            found += 1;
        }
        if found != expected && odd.replace((noun, Odd { number, span: first.to(last), expected, found })).is_some() {
            return None;
        }
    }
    odd
}

/// Returns the number of words that an entry should have.
fn values_in(bytes: &[u8], words: &[Span], values: Values) -> usize {
    match values {
        Values::Fixed(values) => values,
        // Where a whole number should be, something else is: a word is missing before it.
        Values::Counted(place) => words.get(place).map_or(words.len(), |&word| {
            let counted = number(bytes, word).and_then(|counted| usize::try_from(counted).ok());
            counted.map_or(words.len() + 1, |counted| counted.saturating_add(place + 1))
        }),
    }
}

/// Returns the ending that separators mark in records that end with `ends` separators.
fn ending_of(separators: &[Lexeme], ends: usize) -> Option<Ending> {
    match separators {
        [] => None,
        [parts @ .., Lexeme::Comma] if parts.len() >= ends => Some(Ending::Entry),
        _ if separators.len() > ends => Some(Ending::Array),
        _ => Some(Ending::Part),
    }
}

/// Returns a word as a whole number.
fn number(bytes: &[u8], word: Span) -> Option<u64> {
    std::str::from_utf8(bytes.get(word.range())?).ok()?.parse().ok()
}

/// True if a list begins here, in the place of its count.
fn is_count_missing(bytes: &[u8], list: &Step, mut lexemes: Lexemes) -> bool {
    let mut words: Vec<Span> = Vec::new();
    while let Some(word) = word(&mut lexemes) {
        words.push(word);
        let separators = separators(&mut lexemes);
        match *list {
            Step::List => return separators == [Lexeme::Comma],
            // A count has a line of its own, or more values follow than an entry has.
            Step::Records { ends, values } => match ending_of(&separators, ends) {
                Some(Ending::Part) => {}
                Some(Ending::Entry | Ending::Array) => {
                    let (Some(first), Some(second)) = (words.first(), words.get(1)) else { return false };
                    return on_one_line(bytes, *first, *second) && values_in(bytes, &words, values) == words.len();
                }
                None => return false,
            },
            Step::Value(_) | Step::Count(..) | Step::Numbers(_) | Step::Groups(_) => return false,
        }
    }
    false
}

/// Returns the slip of a number that is missing before the entries that begin here. `before` is the value before the
/// count, with its noun.
fn missing_number(
    bytes: &[u8],
    name: &str,
    before: Option<(&str, Span)>,
    (one, many): (&str, &str),
    list: &Step,
    lexemes: &Lexemes,
) -> Option<Slip> {
    let (_, first) = lexemes.peek()?;
    let found = skip_list(bytes, list, &mut lexemes.clone())?.found;
    // The value before equals the count: it is the count, and the value is missing.
    let value = before.filter(|&(_, span)| number(bytes, span) == Some(found));
    let (says, span) = match value {
        Some((noun, span)) => (format!("'{name}' has no {noun} before its count {found}"), span),
        None => {
            let entries = counted(usize::try_from(found).unwrap_or(usize::MAX), one, many);
            (format!("'{name}' has no count before its {entries}"), first)
        }
    };
    Some(Slip::Entry(WrongEntry { says, span, expected: 1, found: 0 }))
}

/// Returns the slip of a key type that takes another number of values than the keys have.
fn wrong_key_type(bytes: &[u8], block: Block) -> Option<Slip> {
    let span = word_of(bytes, block.span, 0)?;
    // The type, the count, then time and number of values of the first key.
    let (kind, values) = (number(bytes, span)?, number(bytes, word_of(bytes, block.span, 3)?)?);
    let (noun, expected) = match kind {
        0 => ("rotation", 4),
        1 => ("scale", 3),
        2 => ("position", 3),
        3 | 4 => ("matrix", 16),
        _ => return None,
    };
    let says = format!("key type {kind}, {noun}, has {expected} values, but the keys have {values}");
    (values != expected).then_some(Slip::KeyType(WrongNumber { says, span }))
}

#[expect(clippy::too_many_lines, reason = "one kind of slip after the other")]
fn find_slips(bytes: &[u8], blocks: &[Block], block: Block, slips: &mut Vec<Slip>) -> Option<()> {
    let kind = bytes.get(block.kind.range())?;
    let name = || String::from_utf8_lossy(kind).into_owned();
    let wrong_entry = |says: String, odd: &Odd| {
        Slip::Entry(WrongEntry { says, span: odd.span, expected: odd.expected, found: odd.found })
    };
    let mut lexemes = Lexemes::new(bytes.get(..block.span.end as usize)?, block.open.end as usize);
    let mut count: Option<(Span, u64, &str, &str)> = None;
    // Number of entries in the previous list, if two lists share one count.
    let mut same_count: Option<u64> = None;
    let mut value: Option<(&str, Span)> = None;
    let steps = layout(kind)?;
    for (at, step) in steps.iter().enumerate() {
        let Entries { found, last, odd } = match *step {
            Step::Value(noun) => {
                value = Some((noun, word(&mut lexemes)?));
                separators(&mut lexemes);
                continue;
            }
            Step::Count(one, many) => {
                if let Some(list) = steps.get(at + 1)
                    && is_count_missing(bytes, list, lexemes.clone())
                {
                    slips.extend(missing_number(bytes, &name(), value, (one, many), list, &lexemes));
                    return None;
                }
                let span = word(&mut lexemes)?;
                separators(&mut lexemes);
                count = Some((span, number(bytes, span)?, one, many));
                same_count = None;
                continue;
            }
            // Without entries, the matrix follows directly in place of the list.
            Step::List if matches!(count, Some((_, 0, ..))) && words_left(&lexemes) == 16 => continue,
            Step::Numbers(expected) => {
                let odd = odd_numbers(bytes, lexemes, expected)?;
                let of = if kind == b"SkinWeights" { "the matrix of " } else { "" };
                let numbers = counted(odd.found, "number", "numbers");
                slips.push(wrong_entry(format!("{of}'{}' has {numbers}, expected {expected}", name()), &odd));
                return None;
            }
            Step::Groups(groups) => {
                let (noun, odd) = odd_group(&mut lexemes, groups)?;
                let numbers = counted(odd.found, "number", "numbers");
                slips.push(wrong_entry(
                    format!("the {noun} of '{}' has {numbers}, expected {}", name(), odd.expected),
                    &odd,
                ));
                return None;
            }
            Step::List | Step::Records { .. } => skip_list(bytes, step, &mut lexemes)?,
        };
        let (span, announced, one, many) = count?;
        // A single entry instead of several may be all of them without separators.
        if let (Some(odd), &Step::Records { values, .. }) = (odd.filter(|_| found > 1 || announced == 1), step) {
            let target = if one == "key" { target_around(bytes, blocks, block) } else { None };
            let of = target.map_or_else(|| format!("'{}'", name()), |target| format!("the {} of {target}", name()));
            slips.push(wrong_entry(odd.says(one, values, &of), &odd));
        } else if let Some(before) = same_count.replace(found).filter(|&before| before != found) {
            // The two lists with the same count differ, and it is unknown which is right.
            let [known, here] = [before, found].map(|entries| usize::try_from(entries).unwrap_or(usize::MAX));
            slips.retain(|slip| slip.span() != span);
            let says =
                format!("'{}' has {}, but {}", name(), counted(known, "index", "indices"), counted(here, one, many));
            let (expected, found) = (known, here);
            slips.push(Slip::Entry(WrongEntry { says, span: last, expected, found }));
        } else if let Some((noun @ "key type", place)) = value.filter(|_| announced != found && announced <= 4)
            && number(bytes, place) == Some(found)
        {
            let says = format!("{noun} {found} and count {announced} are in each other's place");
            slips.push(Slip::Swapped(WrongNumber { says, span: place }));
        } else if found != announced && !slips.iter().any(|slip| slip.span() == span) {
            let says = format!(
                "'{}' announces {announced} {}, found {found}",
                name(),
                if announced == 1 { one } else { many }
            );
            slips.push(Slip::Count(WrongCount { says, span, announced, found, last }));
        }
    }
    if kind == b"AnimationKey" && slips.is_empty() {
        slips.extend(wrong_key_type(bytes, block));
    }
    Some(())
}

fn words_left(lexemes: &Lexemes) -> usize {
    let inside = lexemes.clone().take_while(|(lexeme, _)| !matches!(lexeme, Lexeme::Open | Lexeme::Close));
    inside.filter(|(lexeme, _)| *lexeme == Lexeme::Word).count()
}

/// Returns the word with an index after an object's opening brace, from 0.
pub(super) fn word_of(bytes: &[u8], object: Span, number: usize) -> Option<Span> {
    let inside = Lexemes::new(bytes.get(..object.end as usize)?, object.start as usize);
    let mut inside = inside.skip_while(|(lexeme, _)| *lexeme != Lexeme::Open).skip(1);
    inside.by_ref().filter(|(lexeme, _)| *lexeme == Lexeme::Word).nth(number).map(|(_, span)| span)
}

/// Returns the mesh that contains an object, or the object itself if there is none.
pub(super) fn mesh_around(bytes: &[u8], blocks: &[Block], block: Block) -> Block {
    let around = blocks.iter().filter(|around| around.holds(block.span));
    let mesh = around.copied().find(|around| bytes.get(around.kind.range()) == Some(b"Mesh"));
    mesh.unwrap_or(block)
}

/// Returns the animation that contains an object.
pub(super) fn animation_around(bytes: &[u8], blocks: &[Block], block: Block) -> Option<Block> {
    let around = |around: &&Block| around.holds(block.span) && **around != block;
    blocks.iter().filter(around).find(|around| bytes.get(around.kind.range()) == Some(b"Animation")).copied()
}

/// Returns the key time before the falling one, if that is the wrong one: times rise without it, but not without the
/// falling one.
pub(super) fn late_time(bytes: &[u8], body: usize, fallen: Span) -> Option<Span> {
    let keys = innermost(&blocks(bytes, body), fallen)?;
    if bytes.get(keys.kind.range())? != b"AnimationKey" {
        return None;
    }
    let mut lexemes = Lexemes::new(bytes.get(..keys.span.end as usize)?, keys.open.end as usize);
    // Key type and count.
    for _ in 0..2 {
        word(&mut lexemes)?;
        separators(&mut lexemes);
    }
    // Times up to the one after the falling time.
    let mut times: Vec<(f64, Span)> = Vec::new();
    let mut starts_key = true;
    while times.last().is_none_or(|(_, span)| span.start <= fallen.start) {
        let Some(word) = word(&mut lexemes) else { break };
        if starts_key {
            times.push((std::str::from_utf8(bytes.get(word.range())?).ok()?.parse().ok()?, word));
        }
        // `;,` and `;;,` end a key. A comma alone does not.
        starts_key = matches!(&separators(&mut lexemes)[..], [Lexeme::Semicolon, .., Lexeme::Comma]);
    }
    let at = times.iter().position(|(_, span)| span.start == fallen.start)?;
    let ((now, _), (late, span)) = (times.get(at)?, times.get(at.checked_sub(1)?)?);
    let rises_without = at.checked_sub(2).and_then(|at| times.get(at)).is_none_or(|(before, _)| before <= now);
    let falls_without_fallen = times.get(at + 1).is_some_and(|(after, _)| after < late);
    (rises_without && falls_without_fallen).then_some(*span)
}

/// Returns the first line of the first string that starts at or before `at` and continues beyond its line. All later
/// text is on the wrong side of the quotes.
pub(super) fn open_string(bytes: &[u8], body: usize, at: usize) -> Option<Span> {
    let before = Lexemes::new(bytes, body).take_while(|(_, span)| span.start as usize <= at);
    let mut words = before.filter(|(lexeme, _)| *lexeme == Lexeme::Word).map(|(_, span)| span);
    let span = words
        .find(|span| bytes.get(span.range()).is_some_and(|word| word.starts_with(b"\"") && word.contains(&b'\n')))?;
    let line_end = bytes.get(span.range())?.iter().position(|byte| matches!(byte, b'\r' | b'\n'))?;
    Some(Span::new(span.start as usize, span.start as usize + line_end))
}

/// Returns the first object that is closed by a brace further left.
pub(super) fn unclosed(bytes: &[u8], body: usize) -> Option<Unclosed> {
    let mut open: Vec<(Span, &[u8])> = Vec::new();
    let mut lines = Lines::new(bytes, body);
    for (lexeme, span) in Lexemes::new(bytes, body) {
        match lexeme {
            Lexeme::Open if open.len() > MAX_DEPTH => return None,
            Lexeme::Open => open.push((span, lines.indentation(span).0)),
            Lexeme::Close => {
                let (brace, indent) = open.pop()?;
                let (own, begins_line) = lines.indentation(span);
                if begins_line && own.len() < indent.len() && indent.starts_with(own) {
                    return Some(Unclosed { open: brace, closed: span });
                }
            }
            Lexeme::Word if !open.is_empty() && bytes.get(span.range()) == Some(TEMPLATE) => {
                return open.last().map(|&(open, _)| Unclosed { open, closed: span });
            }
            Lexeme::Word | Lexeme::Guid | Lexeme::Semicolon | Lexeme::Comma => {}
        }
    }
    None
}

/// Returns the first brace on its own line that is further right than the object that it closes.
pub(super) fn surplus(bytes: &[u8], body: usize) -> Option<Span> {
    let mut open: Vec<&[u8]> = Vec::new();
    let mut lines = Lines::new(bytes, body);
    for (lexeme, span) in Lexemes::new(bytes, body) {
        match lexeme {
            Lexeme::Open if open.len() > MAX_DEPTH => return None,
            Lexeme::Open => open.push(lines.indentation(span).0),
            Lexeme::Close => {
                let (own, begins_line) = lines.indentation(span);
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

/// Lines of a file, for positions that only move forward.
struct Lines<'a> {
    bytes: &'a [u8],
    /// Start of the line of the last position.
    start: usize,
    /// End of its indentation.
    indented: usize,
    /// Offset up to which line ends were searched.
    seen: usize,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8], body: usize) -> Self {
        let mut lines = Self { bytes, start: 0, indented: 0, seen: 0 };
        lines.indentation(Span::new(body, body));
        lines
    }

    /// Returns the indentation of the line of `at`, and true if nothing else precedes `at` there.
    fn indentation(&mut self, at: Span) -> (&'a [u8], bool) {
        let at = at.start as usize;
        let new = self.bytes.get(self.seen..at).unwrap_or_default();
        if let Some(newline) = new.iter().rposition(|&byte| byte == b'\n') {
            self.start = self.seen + newline + 1;
            self.indented = self.start;
        }
        self.seen = self.seen.max(at);
        let rest = self.bytes.get(self.indented..at).unwrap_or_default();
        self.indented += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        (self.bytes.get(self.start..self.indented).unwrap_or_default(), self.indented == at)
    }
}
