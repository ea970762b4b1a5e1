//! The frames of a `.md5anim`, one after the other or, where exporters wrote very many, on several threads.

use super::{Sections, capacity, in_list, missing_brace};
use crate::Span;
use crate::md5::error::{Error, ErrorKind};
use crate::md5::lex::{Lexer, NumberList};
use crate::md5::number::Plain;
use crate::md5::warning::WarningKind;
use crate::md5::{Channel, Frame, Int};
use std::thread;

/// The frames while they are being read.
#[derive(Debug, Default)]
pub(super) struct FrameList {
    pub(super) heads: Vec<Frame>,
    pub(super) components: Vec<f64>,
    /// `numAnimatedComponents`
    pub(super) declared: Option<Int>,
    /// How many components the first frame has, and so all others.
    width: usize,
    /// The first frame's error if it disagrees with `declared`: forgiven if all frames and joints agree with it.
    doubtful: Option<Error>,
}

impl FrameList {
    /// Makes room for all frames, before the first.
    pub(super) fn reserve(&mut self, lexer: &Lexer<'_>, num_frames: Option<Int>) {
        if self.heads.is_empty() {
            let frames = capacity(lexer, num_frames);
            self.heads.reserve(frames);
            // A number and its blank are two bytes at least; exporters write six to twelve.
            let numbers = frames.saturating_mul(capacity(lexer, self.declared)).min(lexer.rest().len() / 6);
            self.components.reserve(numbers);
        }
    }

    // frame ::= 'frame' int '{' { number } '}'
    pub(super) fn read(&mut self, lexer: &mut Lexer<'_>, start: usize) -> Result<(), Error> {
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
            let at = surplus.unwrap_or_else(|| lexer.peek());
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

    /// Behind the first frame: reads the others as far as they are written as exporters write them, in pieces of the rest of
    /// the file, each on a thread; where one does not end as the next begins, the frames behind it are left. `pieces` says in
    /// how many so many bytes are read.
    pub(super) fn read_side_by_side(
        &mut self,
        lexer: &mut Lexer<'_>,
        num_frames: Option<Int>,
        pieces: impl Fn(usize) -> usize,
    ) {
        let (rest, width) = (lexer.rest(), self.width);
        let ([first], None) = (&self.heads[..], &self.doubtful) else { return };
        // Not before: to count a machine's threads takes as long as to read many frames.
        let pieces = pieces(rest.len());
        if pieces < 2 {
            return;
        }
        let total = num_frames.and_then(|count| usize::try_from(count.value).ok()).unwrap_or(0);
        // A number and its blank are two bytes at least.
        let numbers = total.checked_mul(width).filter(|&numbers| numbers <= width + rest.len() / 2);
        let Some(numbers) = numbers.filter(|&numbers| numbers > width) else { return };
        // Where a piece begins: its offset, and how many frames stand before it.
        let mut starts = vec![(0, 1)];
        for piece in 1..pieces {
            let from = rest.len() / pieces * piece;
            let Some((offset, number)) = rest.get(from..).and_then(next_frame) else { continue };
            let before = number.checked_sub(first.number.value).and_then(|before| usize::try_from(before).ok());
            let last = starts.last().map_or(1, |&(_, before)| before);
            starts.extend(
                before.filter(|before| (last + 1..total).contains(before)).map(|before| (from + offset, before)),
            );
        }
        // Zeros that nobody has touched are no memory yet.
        let mut components = vec![0.0; numbers];
        let mut left = components.as_mut_slice();
        for (to, from) in left.iter_mut().zip(&self.components) {
            *to = *from;
        }
        left = left.split_at_mut(width).1;
        let ends = starts.iter().skip(1).copied().chain([(rest.len(), total)]);
        let mut work = Vec::with_capacity(starts.len());
        for ((start, before), (end, after)) in starts.iter().copied().zip(ends) {
            let (own, others) = left.split_at_mut((after - before) * width);
            left = others;
            work.push(Piece {
                offset: lexer.offset() + start,
                text: rest.get(start..end).unwrap_or_default(),
                width,
                own,
            });
        }
        let read: Vec<Option<Read>> = thread::scope(|scope| {
            let mut work = work.into_iter();
            let first = work.next();
            let started: Vec<_> =
                work.map(|piece| thread::Builder::new().spawn_scoped(scope, || piece.read())).collect();
            let first = first.map(Piece::read);
            let others = started.into_iter().map(|thread| thread.ok().and_then(|thread| thread.join().ok()));
            std::iter::once(first).chain(others).collect()
        });
        let mut end = lexer.offset();
        for read in read.into_iter().map_while(|read| read) {
            end = read.end;
            self.heads.extend(read.heads);
            if !read.is_whole {
                break;
            }
        }
        components.truncate(self.heads.len() * width);
        self.components = components;
        lexer.rewind(end);
    }

    /// The width of all frames. Where `numAnimatedComponents` says otherwise, the frames are right if every joint
    /// finds its components in them.
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

    /// Sorts the frames by their written numbers, if each number is there once.
    pub(super) fn sort(&mut self, lexer: &mut Lexer<'_>) {
        let mut next = 0;
        let mut ascending = true;
        for head in &self.heads {
            let found = head.number.value;
            if found != next {
                lexer.warnings.push(WarningKind::FrameNumber { found, expected: next }, head.number.span);
                ascending &= found > next;
            }
            next = found.saturating_add(1);
        }
        if ascending {
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

/// How many components a joint stores in every frame.
pub(super) fn stored(channel: &Channel<'_>) -> u32 {
    (channel.flags.value & super::anim::ALL_FLAGS).count_ones()
}

/// Bytes of frames that are worth a thread.
const PIECE: usize = 1 << 19;

/// Threads for one file at most.
const MOST_PIECES: usize = 8;

/// In how many pieces so many bytes of frames are read best on this machine.
pub(super) fn pieces_of(bytes: usize) -> usize {
    let worth = (bytes / PIECE).min(MOST_PIECES);
    if worth < 2 { 1 } else { worth.min(thread::available_parallelism().map_or(1, usize::from)) }
}

/// A part of a file that holds whole frames, if it is as expected.
struct Piece<'a, 'o> {
    /// Where `text` begins in the file.
    offset: usize,
    text: &'a [u8],
    /// Components of a frame.
    width: usize,
    /// Where the components belong.
    own: &'o mut [f64],
}

/// What was read of a [`Piece`].
struct Read {
    heads: Vec<Frame>,
    /// Offset in the file behind the last frame.
    end: usize,
    /// Whether nothing of the piece is left, and no frame that should be there.
    is_whole: bool,
}

impl Piece<'_, '_> {
    fn read(self) -> Read {
        let Self { offset, text, width, own } = self;
        let frames = own.len() / width;
        let mut heads = Vec::with_capacity(frames);
        let mut words = Plain::new(text);
        let mut end = 0;
        for values in own.chunks_exact_mut(width) {
            let Some(Frame { number, span }) = plain_frame(&mut words, text, values) else { break };
            end = span.end as usize;
            let moved = |span: Span| Span::new(offset + span.start as usize, offset + span.end as usize);
            heads.push(Frame { number: Int { span: moved(number.span), ..number }, span: moved(span) });
        }
        let mut behind = Plain::new(text.get(end..).unwrap_or_default());
        Read { is_whole: heads.len() == frames && behind.at_end(), heads, end: offset + end }
    }
}

/// A frame with as many numbers as `values` holds; places are counted from the beginning of `text`, of which `words` is the
/// rest.
#[inline]
fn plain_frame(words: &mut Plain<'_>, text: &[u8], values: &mut [f64]) -> Option<Frame> {
    words.word(b"frame")?;
    let start = text.len() - words.left() - b"frame".len();
    let value = words.int()?;
    let behind = text.len() - words.left();
    let digits = text.get(..behind)?.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b'-').count();
    words.word(b"{")?;
    for number in values {
        *number = words.float()?;
    }
    words.mark(b"}")?;
    let span = |start| Span::new(start, text.len() - words.left());
    Some(Frame { number: Int { value, span: Span::new(behind - digits, behind) }, span: span(start) })
}

/// Where the next frame begins in `text`, and its number.
fn next_frame(text: &[u8]) -> Option<(usize, i64)> {
    let offset = text.windows(5).position(|word| word == b"frame")?;
    let mut words = Plain::new(text.get(offset..)?);
    words.word(b"frame")?;
    Some((offset, words.int()?))
}

#[cfg(test)]
mod tests {
    use super::super::anim::parse_anim_in;
    use crate::md5::{AnimFile, Error, Parsed};
    use std::fmt::Write;

    fn text(frames: usize, declared: usize) -> String {
        let mut text = format!(
            "MD5Version 10\ncommandline \"\"\nnumFrames {declared}\nnumJoints 1\nframeRate 24\nnumAnimatedComponents 3\n\
             hierarchy {{\n\"a\" -1 7 0\n}}\nbounds {{\n{}}}\nbaseframe {{\n( 1 2 3 ) ( 0 0 0 )\n}}\n",
            "( 0 0 0 ) ( 1 1 1 )\n".repeat(declared)
        );
        for frame in 0..frames {
            write!(text, "\nframe {frame} {{\n\t{frame}.5 -{} 0\n}}\n", 3 * frame).unwrap();
        }
        text
    }

    fn read(text: &str, pieces: usize) -> Result<Parsed<AnimFile<'_>>, Error> {
        parse_anim_in(text.as_bytes(), |_| pieces)
    }

    #[test]
    fn a_file_is_cut_at_most_once() {
        let asked = std::cell::Cell::new(0);
        let pieces = |_| {
            asked.set(asked.get() + 1);
            1
        };
        parse_anim_in(text(40, 40).as_bytes(), pieces).unwrap();
        assert_eq!(asked.get(), 1);
    }

    #[test]
    fn pieces_make_what_one_reader_makes() {
        let plain = text(40, 40);
        let mut changed =
            vec![plain.clone(), text(40, 30), text(30, 40), text(1, 1), text(2, 2), plain.replace('\n', "\r\n")];
        for frame in [1, 13, 20, 21, 27, 39] {
            let head = format!("frame {frame} {{");
            let with = |instead: &str| plain.replace(&head, instead);
            changed.extend([
                with(&format!("frame {} {{", frame + 1)),
                with("frame 3 {"),
                with(&format!("FRAME {frame} {{")),
                with(&format!("frame {frame} {{ 7")),
                with(&format!("frame {frame} {{ 1e3 //")),
                with(&format!("frame {frame} // frame {frame} {{\n{{")),
                with(&format!("/* {head}")),
                with(&format!("\0{head}")),
                with(&format!("frame {frame}")),
                with(&format!("x {head}")),
                with(&format!("numJoints 1 {head}")),
                plain.replace(&format!("{frame}.5 -"), "nan -"),
                plain.replace(&format!("{frame}.5 -"), "0,5 -"),
                plain[..plain.find(&head).unwrap() + 3].to_owned(),
                plain[..plain.find(&head).unwrap() + 12].to_owned(),
            ]);
        }
        let mut refused = 0;
        for text in &changed {
            let one = read(text, 1);
            refused += usize::from(one.is_err());
            for pieces in 2..7 {
                assert_eq!(read(text, pieces), one, "{pieces} pieces of {text}");
            }
        }
        assert!(refused > 10 && refused < changed.len() / 2, "{refused} of {} refused", changed.len());
    }

    #[test]
    fn whole_frames_are_taken_from_all_pieces() {
        let plain = text(40, 40);
        for pieces in 2..7 {
            let mut list = super::FrameList::default();
            let mut lexer = super::super::open(plain.as_bytes()).unwrap();
            lexer.rewind(plain.find("frame 0").unwrap() + 5);
            let count = super::Int { value: 40, span: super::Span::default() };
            list.read(&mut lexer, 0).unwrap();
            list.read_side_by_side(&mut lexer, Some(count), |_| pieces);
            assert_eq!((list.heads.len(), list.components.len()), (40, 120), "{pieces}");
            assert_eq!(lexer.rest(), b"\n");
        }
    }
}
