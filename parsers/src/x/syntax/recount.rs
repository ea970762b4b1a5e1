//! Finds wrong counts and entries of an object by the separators of a text file.
//!
//! A reader that trusts a wrong count fails long after it. Exporters' separators reveal the position. If they are
//! ambiguous, nothing is found.

use crate::Span;
use crate::x::fault::Fault;
use crate::x::layout::{Item, ItemKind, Length, Templates, fewest_elements};
use crate::x::lexeme::{Lexeme, Lexemes};
use crate::x::report::{Error, quote};
use crate::x::stream::Tokens;
use crate::x::tree::Object;

/// Number of values of a key by its type: rotation, scale, position, matrix, matrix.
const KEY_WIDTHS: [usize; 5] = [4, 3, 3, 16, 16];

/// Member of an object, by the separators after its values.
#[derive(Clone, Copy)]
enum Shape {
    Value,
    /// Number of entries of the lists that follow.
    Count,
    /// Fixed number of values that end in `;;`.
    Group(usize),
    List(Entry),
}

/// Entry of a list: `1.0;2.0;3.0;,` up to `;;`.
#[derive(Clone, Copy)]
struct Entry {
    /// Number of `;` that end an entry.
    ends: usize,
    /// Number of values, without those that the last of them counts.
    values: usize,
    is_counted: bool,
}

/// End marked by separators.
enum Ending {
    Value,
    Entry,
    List,
}

/// Entries of a list that was skipped.
struct List {
    found: u64,
    /// Last word.
    last: Span,
    /// Number of words of the last entry.
    width: usize,
    /// The only entry with a wrong number of values.
    odd: Option<OddEntry>,
}

/// Entry with a wrong number of values.
struct OddEntry {
    index: u64,
    span: Span,
    expected: usize,
    found: usize,
}

/// Words of a text file, up to the next brace.
#[derive(Clone)]
struct Words<'a> {
    bytes: &'a [u8],
    lexemes: Lexemes<'a>,
}

impl Words<'_> {
    fn next(&mut self) -> Option<Span> {
        let (lexeme, span) = self.lexemes.next()?;
        (lexeme == Lexeme::Word).then_some(span)
    }

    /// Reads the separators up to the next other lexeme.
    fn separators(&mut self) -> Vec<Lexeme> {
        const MOST: usize = 8;
        let mut found = Vec::new();
        while let Some((separator @ (Lexeme::Semicolon | Lexeme::Comma), _)) = self.lexemes.peek() {
            if found.len() == MOST {
                break;
            }
            found.push(separator);
            self.lexemes.next();
        }
        found
    }

    /// Returns the end that the next separators mark in a list. `None` if they make no sense.
    fn ending(&mut self, Entry { ends, .. }: Entry) -> Option<Ending> {
        match &self.separators()[..] {
            [] => None,
            [Lexeme::Comma, _, ..] if ends == 0 => None,
            [before @ .., Lexeme::Comma] if before.len() >= ends && (ends > 0 || before.is_empty()) => {
                Some(Ending::Entry)
            }
            separators if separators.len() > ends => Some(Ending::List),
            _ => Some(Ending::Value),
        }
    }

    /// Returns a word as a whole number.
    fn number(&self, word: Span) -> Option<u64> {
        std::str::from_utf8(self.bytes.get(word.range())?).ok()?.parse().ok()
    }

    /// Returns the number of values that an entry of these words should have.
    fn expected(&self, words: &[Span], entry: Entry) -> usize {
        match words.get(entry.values - 1).filter(|_| entry.is_counted) {
            // If the number of values is none, a word is missing before it.
            Some(&word) => {
                let counted = self.number(word).and_then(|counted| usize::try_from(counted).ok());
                counted.map_or(words.len() + 1, |counted| counted.saturating_add(entry.values))
            }
            None if entry.is_counted => words.len(),
            None => entry.values,
        }
    }

    /// Skips a list.
    fn list(&mut self, entry: Entry) -> Option<List> {
        let mut found = 0;
        let mut odd: Vec<OddEntry> = Vec::new();
        let mut words: Vec<Span> = Vec::new();
        loop {
            let last = self.next()?;
            words.push(last);
            let ending = self.ending(entry)?;
            if matches!(ending, Ending::Value) {
                continue;
            }
            let expected = self.expected(&words, entry);
            if let (true, Some(first)) = (expected != words.len() && odd.len() < 2, words.first()) {
                odd.push(OddEntry { index: found, span: first.to(last), expected, found: words.len() });
            }
            found += 1;
            let width = words.len();
            words.clear();
            if matches!(ending, Ending::List) {
                // If several entries are odd, the file uses separators of its own.
                let odd = if odd.len() == 1 { odd.pop() } else { None };
                return Some(List { found, last, width, odd });
            }
        }
    }

    /// True if a list begins here, in the place of its count.
    fn begin_list(mut self, entry: Entry) -> bool {
        let mut words: Vec<Span> = Vec::new();
        while let Some(word) = self.next() {
            words.push(word);
            match self.ending(entry) {
                Some(Ending::Value) => {}
                Some(ending) if entry.ends == 0 => return matches!(ending, Ending::Entry),
                // A count has a line of its own, or more values follow than an entry has.
                Some(_) => {
                    let [first, second, ..] = words[..] else { return false };
                    let between = self.bytes.get(first.end as usize..second.start as usize).unwrap_or_default();
                    return !between.contains(&b'\n') && self.expected(&words, entry) == words.len();
                }
                None => return false,
            }
        }
        false
    }
}

struct Recount<'r, 'a> {
    templates: &'r Templates,
    words: Words<'a>,
    object: String,
    slips: Vec<Error>,
}

/// Returns the wrong counts and entries among the values of an object.
#[cold]
pub(in crate::x) fn recount(templates: &Templates, object: &Object<'_>) -> Vec<Error> {
    let layout = templates.find(&object.type_name.bytes).and_then(|layout| templates.get(layout));
    let (Some(Tokens::Text(lexer)), Some(layout)) = (object.values.source(), layout) else { return Vec::new() };
    let words = Words { bytes: lexer.bytes(), lexemes: Lexemes::of(lexer) };
    let object = quote(&object.type_name.bytes);
    let mut recount = Recount { templates, words, object, slips: Vec::new() };
    // What was found before the separators stop making sense counts.
    let _ = recount.members(&layout.items);
    recount.slips
}

impl Recount<'_, '_> {
    /// Returns the shape of a member. `None` if its number of values depends on more than one count.
    fn shape(&self, item: &Item) -> Option<Shape> {
        let nested = match item.kind {
            ItemKind::Primitive(_) => None,
            ItemKind::Layout(id) => Some(self.templates.get(id)?),
        };
        let values = usize::try_from(nested.map_or(1, |nested| nested.fewest)).ok()?;
        match (&item.lengths[..], nested) {
            ([], None) if item.slot.is_some() => Some(Shape::Count),
            ([], None) => Some(Shape::Value),
            ([Length::Slot(_)], None) => Some(Shape::List(Entry { ends: 0, values, is_counted: false })),
            ([Length::Slot(_)], Some(nested)) if values > 0 => {
                let is_counted = nested.counted || nested.keyed;
                let entry = Entry { ends: nested.depth + 1, values, is_counted };
                (nested.fixed || is_counted).then_some(Shape::List(entry))
            }
            (lengths, nested) if nested.is_none_or(|nested| nested.fixed) => {
                let is_fixed = lengths.iter().all(|length| matches!(length, Length::Fixed(_)));
                let elements = usize::try_from(fewest_elements(lengths)).ok().filter(|_| is_fixed)?;
                Some(Shape::Group(elements.checked_mul(values)?))
            }
            _ => None,
        }
    }

    fn members(&mut self, items: &[Item]) -> Option<()> {
        let mut value: Option<(&Item, Span)> = None;
        let mut count: Option<(Span, u64)> = None;
        // Number of entries of the list before, if it has the same count.
        let mut before: Option<u64> = None;
        // Values that share their last separators with a group.
        let mut joined = 0;
        let mut odd_groups: Vec<Error> = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let next = items.get(at + 1).and_then(|next| Some((next, self.shape(next)?)));
            match self.shape(item)? {
                Shape::Value if matches!(next, Some((_, Shape::Group(_)))) => joined += 1,
                Shape::Value => {
                    value = Some((item, self.words.next()?));
                    self.words.separators();
                }
                Shape::Count => {
                    if let Some((list, Shape::List(entry))) = next
                        && self.words.clone().begin_list(entry)
                    {
                        let slip = self.missing_number(list, entry, value)?;
                        self.slips.push(slip);
                        return None;
                    }
                    let span = self.words.next()?;
                    self.words.separators();
                    count = Some((span, self.words.number(span)?));
                    before = None;
                }
                Shape::Group(values) => {
                    odd_groups.extend(self.group(item, joined + values, next.is_none())?);
                    joined = 0;
                }
                Shape::List(entry) => {
                    let count = count?;
                    // Without entries, the other members follow directly.
                    let others = items.get(at + 1..)?;
                    if count.1 == 0 && entry.ends == 0 && self.left() == self.values(others, 0) {
                        continue;
                    }
                    let list = self.words.list(entry)?;
                    // The count is right if all entries end in the sign that should end the list.
                    let missing = count.1.checked_sub(list.found).filter(|_| entry.ends == 0).unwrap_or_default();
                    if missing > 0 && self.left() == missing.saturating_add(self.values(others, count.1)) {
                        return None;
                    }
                    self.compare((item, entry), list, count, value, &mut before);
                }
            }
        }
        // If several groups are odd, the file uses separators of its own.
        if let [_] = odd_groups[..] {
            self.slips.append(&mut odd_groups);
        }
        Some(())
    }

    /// True if a value comes next, not the type of an object inside this one.
    fn has_value(&self, lexemes: &Lexemes) -> bool {
        lexemes.peek().is_some_and(|(lexeme, span)| {
            let word = self.words.bytes.get(span.range()).unwrap_or_default();
            lexeme == Lexeme::Word && self.templates.find(word).is_none()
        })
    }

    /// Returns the number of values up to the end of the object, or to the first object inside it.
    fn left(&self) -> u64 {
        let mut words = self.words.clone();
        let mut left = 0;
        while self.has_value(&words.lexemes) && words.next().is_some() {
            left += 1;
            words.separators();
        }
        left
    }

    /// Returns the number of values of members if each list has this many entries.
    fn values(&self, members: &[Item], entries: u64) -> u64 {
        let values = |item: &Item| match self.shape(item) {
            Some(Shape::Group(values)) => values as u64,
            Some(Shape::Value | Shape::Count) => 1,
            Some(Shape::List(entry)) => entries.saturating_mul(entry.values as u64),
            None => 0,
        };
        members.iter().map(values).fold(0, u64::saturating_add)
    }

    /// Returns the slip of a number that is missing before the list that begins here. `before` is the value before the
    /// count.
    fn missing_number(&self, list: &Item, entry: Entry, before: Option<(&Item, Span)>) -> Option<Error> {
        let (_, first) = self.words.lexemes.peek()?;
        let found = self.words.clone().list(entry)?.found;
        let object = self.object.clone();
        // If the value before equals the count, it is the count, and the value is missing.
        Some(match before.filter(|&(_, span)| self.words.number(span) == Some(found)) {
            Some((item, span)) => {
                Error { kind: Fault::MissingMember { object, member: item.name.clone(), count: found }, span }
            }
            None => Error { kind: Fault::MissingCount { object, list: list.name.clone(), found }, span: first },
        })
    }

    /// Returns the slip of an entry or a member with a wrong number of values.
    fn odd(&self, entry: String, found: usize, expected: usize, span: Span) -> Error {
        let object = self.object.clone();
        let kind = match found < expected {
            true => Fault::ShortEntry { entry, object, found, expected },
            false => Fault::LongEntry { entry, object, found, expected },
        };
        Error { kind, span }
    }

    /// Reads the values of a member with a fixed number of them. The last member ends with the object. Returns the slip
    /// if the number is wrong.
    fn group(&mut self, item: &Item, expected: usize, is_last: bool) -> Option<Option<Error>> {
        let mut values = vec![self.words.next()?];
        loop {
            let is_end = self.words.separators().len() != 1;
            if is_end && !is_last || !self.has_value(&self.words.lexemes) {
                break;
            }
            values.push(self.words.next()?);
        }
        let (first, last) = (*values.first()?, *values.last()?);
        let span = odd_line(self.words.bytes, &values).unwrap_or(first.to(last));
        Some((values.len() != expected).then(|| self.odd(item.name.clone(), values.len(), expected, span)))
    }

    /// Compares a list with its count, which has a span, and with the list before it.
    fn compare(
        &mut self,
        (item, entry): (&Item, Entry),
        List { found, last, width, odd }: List,
        (span, announced): (Span, u64),
        value: Option<(&Item, Span)>,
        before: &mut Option<u64>,
    ) {
        // A single entry instead of several may be all of them without separators.
        if let Some(odd) = odd.filter(|_| entry.ends > 0 && (found > 1 || announced == 1)) {
            let counted = if entry.is_counted { entry.values } else { 0 };
            let [found, expected] = [odd.found, odd.expected].map(|values| values.saturating_sub(counted));
            self.slips.push(self.odd(format!("{}[{}]", item.name, odd.index), found, expected, odd.span));
        } else if let Some(before) = before.replace(found).filter(|&before| before != found) {
            // The two lists with the same count differ, and it is unknown which is right.
            let [before, found] = [before, found].map(|entries| usize::try_from(entries).unwrap_or(usize::MAX));
            self.slips.retain(|slip| slip.span != span);
            self.slips.push(self.odd(item.name.clone(), found, before, last));
        } else if found == announced || self.slips.iter().any(|slip| slip.span == span) {
        } else if let Some((member, span)) = value.filter(|_| entry.is_counted)
            && self.words.number(span) == Some(found)
            && usize::try_from(announced).ok().and_then(|kind| KEY_WIDTHS.get(kind))
                == Some(&(width.saturating_sub(entry.values)))
        {
            self.slips
                .push(Error { kind: Fault::SwappedCount { member: member.name.clone(), found, announced }, span });
        } else {
            let (object, list) = (self.object.clone(), item.name.clone());
            self.slips.push(Error { kind: Fault::Count { object, list, announced, found, last }, span });
        }
    }
}

/// Returns the only line with another number of values than all others.
fn odd_line(bytes: &[u8], values: &[Span]) -> Option<Span> {
    let is_one_line = |a: &Span, b: &Span| {
        let between = bytes.get(a.start as usize..b.start as usize).unwrap_or_default();
        !between.contains(&b'\n')
    };
    let lines: Vec<&[Span]> = values.chunk_by(is_one_line).collect();
    // With two lines, it is unclear which one is odd.
    let mut lengths = lines.iter().take(2).map(|line| line.len());
    let is_usual = |&length: &usize| lines.iter().filter(|line| line.len() == length).count() + 1 == lines.len();
    let usual = lengths.find(is_usual).filter(|_| lines.len() > 2)?;
    let odd = lines.iter().find(|line| line.len() != usual)?;
    Some(odd.first()?.to(*odd.last()?))
}
