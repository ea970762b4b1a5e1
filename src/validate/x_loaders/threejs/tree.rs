//! Objects found by their braces and semicolons, regardless of their content.

use std::borrow::Cow;
use std::ops::Range;

/// Deepest nesting that is followed.
const MAX_DEPTH: usize = 256;

/// An object of the file.
pub(super) struct Object<'a> {
    pub kind: &'a [u8],
    pub name: Cow<'a, [u8]>,
    /// Range of its values, without white space at the ends.
    pub data: Range<usize>,
    /// Offset of its opening brace.
    pub at: usize,
    /// Index of the first later object that is not inside it.
    pub end: usize,
    pub is_top_level: bool,
    /// True if more words precede the brace than a type and a name.
    pub has_junk: bool,
}

/// Reasons why there is no tree.
pub(super) enum Trouble {
    /// The script never ends.
    Hang(usize),
    /// The script restarts at the beginning of the file inside each object that it finds there.
    Overflow(usize),
    /// The nesting is too deep to follow.
    Deep,
}

pub(super) struct Tree<'a> {
    /// Objects, each before those inside it.
    pub objects: Vec<Object<'a>>,
    /// End of the examined text.
    pub end: usize,
}

struct Reader<'a> {
    bytes: &'a [u8],
    /// Offsets of `{`, `}` and `;`.
    opens: Vec<u32>,
    closes: Vec<u32>,
    semicolons: Vec<u32>,
    objects: Vec<Object<'a>>,
    top_level: usize,
}

/// Reads all objects after the header.
pub(super) fn read(bytes: &[u8]) -> Result<Tree<'_>, Trouble> {
    let offsets = |wanted: u8| memchr::memchr_iter(wanted, bytes).filter_map(|at| u32::try_from(at).ok()).collect();
    let (opens, closes, semicolons) = (offsets(b'{'), offsets(b'}'), offsets(b';'));
    let mut reader = Reader { bytes, opens, closes, semicolons, objects: Vec::new(), top_level: 0 };
    let end = reader.children(16, 0)?;
    Ok(Tree { objects: reader.objects, end })
}

/// Returns the first of the sorted offsets at or after `from`.
fn find(offsets: &[u32], from: usize) -> Option<usize> {
    offsets.get(offsets.partition_point(|&at| (at as usize) < from)).map(|&at| at as usize)
}

/// Returns the last of the sorted offsets up to `to`.
fn find_last(offsets: &[u32], to: usize) -> Option<usize> {
    offsets.get(offsets.partition_point(|&at| at as usize <= to).checked_sub(1)?).map(|&at| at as usize)
}

impl<'a> Reader<'a> {
    /// Reads the objects from an offset on. Returns the position after the closing brace.
    fn children(&mut self, from: usize, depth: usize) -> Result<usize, Trouble> {
        if depth > MAX_DEPTH {
            return Err(Trouble::Deep);
        }
        let mut at = from;
        loop {
            let open = find(&self.opens, at).map(|open| open + 1);
            let close = find(&self.closes, at);
            let (Some(open), Some(close)) = (open, close) else {
                // Without a further brace, the search restarts at the beginning of the file.
                return Ok(close.map_or(0, |close| close + 1));
            };
            if close <= open {
                return Ok(close + 1);
            }
            at = self.object(at, open, close, depth)?;
            if at <= from {
                return Err(if depth == 0 { Trouble::Hang(open - 1) } else { Trouble::Overflow(open - 1) });
            }
        }
    }

    /// Reads an object whose brace ends at `open`. Returns the position at which reading continues.
    fn object(&mut self, from: usize, open: usize, close: usize, depth: usize) -> Result<usize, Trouble> {
        let inner = find(&self.opens, open).map(|inner| inner + 1);
        let head = self.bytes.get(from..open - 1).unwrap_or_default();
        let head = read_line(head).ok_or(Trouble::Hang(from))?.trim_ascii();
        let mut words = head.split(|&byte| byte == b' ');
        let kind = words.next().unwrap_or_default();
        let name = words.next().map(Cow::Borrowed);
        let has_junk = words.next().is_some() || kind.iter().any(u8::is_ascii_whitespace);
        let name = name.unwrap_or_else(|| [kind, self.top_level.to_string().as_bytes()].concat().into());
        let number = self.objects.len();
        let is_template = kind == b"template";
        let is_animation = kind == b"Animation";
        let last = find_last(&self.semicolons, inner.map_or(close, |inner| inner.min(close)));
        let last = last.unwrap_or_default();
        let data = match is_animation {
            true => inner.unwrap_or_default()..close,
            false => open..last,
        };
        let data = trimmed(self.bytes, data);
        let is_top_level = depth == 0;
        self.objects.push(Object { kind, name, data, at: open - 1, end: 0, is_top_level, has_junk });
        let next = match (is_animation, inner) {
            (true, _) => self.children(close + 1, depth + 1)?,
            (false, Some(inner)) if inner <= close => self.children((last + 1).max(open), depth + 1)?,
            (false, _) => close + 1,
        };
        match is_template {
            true => self.objects.truncate(number),
            false => {
                self.top_level += usize::from(is_top_level);
                let end = self.objects.len();
                if let Some(object) = self.objects.get_mut(number) {
                    object.end = end;
                }
            }
        }
        Ok(next)
    }
}

fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let Some(part) = bytes.get(range.clone()) else { return range.start..range.start };
    let first = part.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(part.len());
    let last = part.iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(first, |last| last + 1);
    range.start + first..range.start + last
}

/// Skips a comment at the start of a line. Returns `None` if the script searches for its end forever.
pub(super) fn read_line(line: &[u8]) -> Option<&[u8]> {
    let search = |needle: &[u8], from: usize| {
        let rest = line.get(from..)?;
        memchr::memmem::find(rest, needle).map(|at| from + at)
    };
    let mut read = 0;
    loop {
        let begins = |read: usize| {
            // Only the first two characters matter, but the whole line is searched: `//` takes precedence over `#`.
            match search(b"//", read) {
                Some(at) => at < 2,
                None => search(b"#", read).is_some_and(|at| at < 2),
            }
        };
        if !begins(read) {
            return line.get(read..).or(Some(&[]));
        }
        let end = search(b"\r\n", read).filter(|&at| at > 0).map(|at| at + 2);
        let end = end.or_else(|| search(b"\r", read).filter(|&at| at > 0).map(|at| at + 1));
        let next = end.or_else(|| search(b"\n", read).map(|at| at + 1)).unwrap_or(0);
        if next <= read {
            return None;
        }
        read = next;
    }
}
