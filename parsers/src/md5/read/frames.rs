//! Reads frames of a `.md5anim`.

use super::{Sections, capacity, in_list, missing_brace};
use crate::Span;
use crate::md5::error::{Error, ErrorKind, MissingRecords};
use crate::md5::lex::{Lexer, NumberList};
use crate::md5::warning::WarningKind;
use crate::md5::{Channel, Frame, Int};

/// Frames read so far.
#[derive(Debug, Default)]
pub(super) struct FrameList {
    pub(super) heads: Vec<Frame>,
    pub(super) components: Vec<f64>,
    /// `numAnimatedComponents`
    pub(super) declared: Option<Int>,
    width: usize,
    /// Error of a first frame that disagrees with `declared`. Dropped if all frames and joints agree with the frame.
    doubtful: Option<Error>,
}

impl FrameList {
    /// Reserves memory for all frames before reading the first.
    pub(super) fn reserve(&mut self, lexer: &Lexer<'_>, num_frames: Option<Int>) {
        if self.heads.is_empty() {
            let frames = capacity(lexer, num_frames);
            self.heads.reserve(frames);
            // A number and its blank take at least two bytes. Exporters write six to twelve.
            let numbers = frames.saturating_mul(capacity(lexer, self.declared)).min(lexer.rest().len() / 6);
            self.components.reserve(numbers);
        }
    }

    // frame ::= 'frame' int '{' { number } '}'
    /// Adds the frame whose keyword is at `start`. Adds nothing on an error.
    pub(super) fn read(&mut self, lexer: &mut Lexer<'_>, start: usize) -> Result<(), Error> {
        let before = self.components.len();
        self.read_numbers(lexer, start).inspect_err(|_| self.components.truncate(before))
    }

    fn read_numbers(&mut self, lexer: &mut Lexer<'_>, start: usize) -> Result<(), Error> {
        let number = lexer.int("the frame's number")?;
        lexer.require(b'{', "'{'")?;
        let declared = self.declared.and_then(|count| usize::try_from(count.value).ok());
        let expected = if self.heads.is_empty() { declared } else { Some(self.width) };
        lexer.list = Some(NumberList { start: lexer.offset(), values: expected.unwrap_or(0), decimal_commas: None });
        let before = self.components.len();
        let mut surplus = None;
        lexer.quick_floats(expected.unwrap_or(0), &mut self.components);
        loop {
            lexer.skip_blanks();
            match lexer.rest() {
                [b'}', ..] => break,
                // Numbers never begin with this letter.
                [] | [b'f' | b'F', ..] => {
                    if expected.is_none_or(|expected| expected == self.components.len() - before) {
                        missing_brace(lexer, "frame");
                        break;
                    }
                    return Err(lexer.expected("a number or '}'"));
                }
                _ => {
                    let start = lexer.offset();
                    self.components
                        .push(lexer.float().map_err(|error| in_list(lexer, start, error, "a number or '}'"))?);
                    if surplus.is_none() && Some(self.components.len() - before - 1) == expected {
                        surplus = Some(lexer.span_from(start));
                    }
                }
            }
        }
        let found = self.components.len() - before;
        if let Some(expected) = expected
            && found != expected
        {
            let odd_row = self.heads.last().and_then(|last| odd_row(lexer, last.span, start));
            let at = odd_row.or(surplus).unwrap_or_else(|| lexer.peek());
            let kind = ErrorKind::ComponentCount { frame: number.value, found, expected };
            let error = Error { kind, span: at };
            if !self.heads.is_empty() {
                return Err(self.doubtful.take().unwrap_or(error));
            }
            self.doubtful = Some(error);
        }
        lexer.eat(b'}');
        self.width = found;
        self.heads.push(Frame { number, span: lexer.span_from(start) });
        Ok(())
    }

    /// Returns the number of components in every frame. If `numAnimatedComponents` differs, the frames are right if
    /// they contain the components of every joint.
    pub(super) fn components_per_frame<'a, const N: usize>(
        &mut self,
        lexer: &mut Lexer<'a>,
        sections: &Sections<'a, N>,
        hierarchy: &[Channel<'_>],
    ) -> Result<Int, Error> {
        let used = |channel: &Channel<'_>| match stored(channel) {
            0 => 0,
            count => channel.first_component.value.saturating_add(i64::from(count)),
        };
        let needed = hierarchy.iter().map(used).max().unwrap_or(0);
        let width = i64::try_from(self.width).unwrap_or(i64::MAX);
        if let Some(error) = self.doubtful.take()
            && needed > width
        {
            return Err(error);
        }
        let count = sections.count_or("numAnimatedComponents", self.declared, self.width, lexer);
        Ok(Int { value: width, span: count.span })
    }

    /// Warns if the last frames are missing: there are boxes for all that are declared. Returns true if so.
    pub(super) fn warn_if_cut(&self, lexer: &mut Lexer<'_>, declared: Option<Int>, boxes: usize) -> bool {
        let found = self.heads.len();
        let numbers = self.heads.iter().map(|head| head.number.value);
        let Some(Int { value: declared, .. }) = declared.filter(|count| usize::try_from(count.value) == Ok(boxes))
        else {
            return false;
        };
        let is_cut = found < boxes && numbers.eq(0..found as i64);
        if is_cut {
            let missing = MissingRecords { what: "frames", missing: declared - found as i64, declared };
            lexer.warnings.push(WarningKind::CutOff { missing }, lexer.end_point());
        }
        is_cut
    }

    /// Sorts the frames by their written numbers if no number is repeated, or far from the number of frames.
    pub(super) fn sort(&mut self, lexer: &mut Lexer<'_>) {
        let mut next = 0;
        let mut ascending = true;
        for (head, position) in self.heads.iter().zip(0..) {
            let found = head.number.value;
            // After a repeated number, the later ones are right if they equal their position.
            if found != next && found != position {
                lexer.warnings.push(WarningKind::FrameNumber { found, expected: next }, head.number.span);
            }
            ascending &= found >= next;
            next = found.saturating_add(1);
        }
        let count = self.heads.len() as i64;
        if ascending || self.heads.iter().any(|head| !(0..=count).contains(&head.number.value)) {
            return;
        }
        let mut order: Vec<usize> = (0..self.heads.len()).collect();
        let number = |&index: &usize| self.heads.get(index).map(|head| head.number.value);
        order.sort_by_key(number);
        if order.windows(2).any(|pair| pair.first().and_then(number) == pair.last().and_then(number)) {
            return;
        }
        let width = self.width;
        let frame = |&index: &usize| self.components.get(index * width..(index + 1) * width).unwrap_or_default();
        self.components = order.iter().flat_map(frame).copied().collect();
        self.heads = order.iter().filter_map(|&index| self.heads.get(index).copied()).collect();
    }
}

/// Bits that `flags` can have.
pub(super) const ALL_FLAGS: i64 = 63;

/// Returns the number of components that a joint stores in every frame, 0 to 6.
pub(super) fn stored(channel: &Channel<'_>) -> u32 {
    (channel.flags.value & ALL_FLAGS).count_ones()
}

/// The only line of the frame from `start` to here that has another number of words than the same line of the frame before it.
fn odd_row(lexer: &Lexer<'_>, before: Span, start: usize) -> Option<Span> {
    let rows = |span: Span| {
        let mut next = span.start as usize;
        let bytes = lexer.whole().get(span.range()).unwrap_or_default();
        bytes.split(|&byte| byte == b'\n').map(move |line| {
            let start = next + line.len() - line.trim_ascii_start().len();
            next += line.len() + 1;
            (start, line.trim_ascii())
        })
    };
    let words = |line: &[u8]| line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty()).count();
    // The brace that ends the frame is not read yet.
    let here = Span::new(start, lexer.offset() + 1);
    if rows(before).count() != rows(here).count() {
        return None;
    }
    let mut odd = rows(before).zip(rows(here)).filter(|((_, known), (_, row))| words(known) != words(row));
    let (_, (start, row)) = odd.next()?;
    odd.next().is_none().then(|| Span::new(start, start + row.len()))
}
