//! A file's bytes walked once for all engines: which of its blocks are written as every exporter writes them, so that
//! no loader reads them differently from another.
//!
//! A block counts if whoever reads words, lines or numbers sees the same records in it: one on a line, blanks on both
//! sides of every bracket, plain decimal numbers, numbered 0, 1, 2, …, as many as are announced, every index within its
//! array, no comment but `// words` behind blanks at the end of a line. A loader that comes to such a block knows from its
//! counts how it goes on, and need not read it; what breaks one of these rules is read word by word, by each loader in its
//! own way.

use bindpose_parsers::Span;

/// A file and its plain blocks.
#[derive(Debug)]
pub struct Outline<'a> {
    bytes: &'a [u8],
    /// Up to the first NUL.
    text: &'a [u8],
    /// Sorted by their places.
    blocks: Vec<Block>,
}

/// One plain block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// Offset of its first word.
    pub start: usize,
    /// Offset of what follows it: its closing brace, or what stands behind the last frame's.
    pub end: usize,
    /// Line breaks in it.
    pub lines: u32,
    /// Whether the closing brace is the first character of its line.
    pub is_brace_first: bool,
    /// Whether there are comments in it.
    pub has_comments: bool,
    content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Surface(Surface),
    Rows(u32),
    Frames { count: u32, components: u32 },
}

/// From `numverts` to the brace that closes the mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Surface {
    pub num_verts: u32,
    pub num_tris: u32,
    pub num_weights: u32,
    /// One more than the largest joint that a weight names.
    pub joints: u32,
    /// The most weights that a vertex has.
    pub most_weights: u32,
    /// The last vertex that has so many, from its number on.
    pub crowded: Span,
    /// How many vertices triangles name.
    pub used_verts: u32,
    /// The word `numverts`.
    pub span: Span,
}

/// Cube 2 reads 511 bytes of a line.
const LONGEST_LINE: usize = 500;

impl<'a> Outline<'a> {
    /// Walks a file.
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut outline = Self::without_blocks(bytes);
        outline.blocks = blocks(outline.text);
        outline
    }

    /// A file of which every loader reads every word.
    pub fn without_blocks(bytes: &'a [u8]) -> Self {
        // `contains` is much faster than looking for the place.
        let length = if bytes.contains(&0) { bytes.iter().position(|&byte| byte == 0) } else { None };
        let text = bytes.get(..length.unwrap_or(bytes.len())).unwrap_or_default();
        Self { bytes, text, blocks: Vec::new() }
    }

    /// How many blocks are plain.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// The whole file.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The file up to the first NUL, where it ends for all that take it for one string of C's.
    pub(super) fn text(&self) -> &'a [u8] {
        self.text
    }

    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    fn at(&self, start: usize) -> Option<&Block> {
        let at = self.blocks.binary_search_by_key(&start, |block| block.start).ok()?;
        self.blocks.get(at)
    }

    /// The plain mesh whose `numverts` stands there.
    pub(super) fn surface_at(&self, start: usize) -> Option<(&Block, &Surface)> {
        match self.at(start)? {
            block @ Block { content: Content::Surface(surface), .. } => Some((block, surface)),
            _ => None,
        }
    }

    /// The plain rows that begin there, and how many they are.
    pub(super) fn rows_from(&self, start: usize) -> Option<(&Block, u32)> {
        match self.at(start)? {
            block @ Block { content: Content::Rows(rows), .. } => Some((block, *rows)),
            _ => None,
        }
    }

    /// The plain frames that begin there, how many they are, and how many numbers each has.
    pub(super) fn frames_from(&self, start: usize) -> Option<(&Block, u32, u32)> {
        match self.at(start)? {
            block @ Block { content: Content::Frames { count, components }, .. } => Some((block, *count, *components)),
            _ => None,
        }
    }

    /// The plain rows of two vectors each, the first of which begins there, if there are so many.
    pub(super) fn rows_at(&self, start: usize, count: u64) -> Option<&Block> {
        self.at(start).filter(|block| matches!(block.content, Content::Rows(rows) if u64::from(rows) == count))
    }

    /// The plain frames, the first of which begins there, if there are so many of so many numbers.
    pub(super) fn frames_at(&self, start: usize, count: u64, components: u64) -> Option<&Block> {
        self.at(start).filter(|block| match block.content {
            Content::Frames { count: frames, components: width } => {
                u64::from(frames) == count && u64::from(width) == components
            }
            _ => false,
        })
    }
}

fn blocks(text: &[u8]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut scan = Scan { text, at: 0, line: 0, lines: 0, has_comments: false };
    while scan.at < text.len() {
        scan.line = scan.at;
        (scan.lines, scan.has_comments) = (0, false);
        scan.skip_blanks();
        let start = scan.at;
        let found = match scan.byte() {
            b'n' if scan.is_at(b"numverts") => scan.surface().map(Content::Surface),
            b'(' => scan.rows().map(Content::Rows),
            b'f' if scan.is_at(b"frame ") => scan.frames(),
            _ => None,
        };
        match found {
            Some(content) => {
                let is_brace_first = scan.at == scan.line;
                let Scan { lines, has_comments, .. } = scan;
                blocks.push(Block { start, end: scan.at, lines, is_brace_first, has_comments, content });
            }
            // What broke off may hold another block, but a run of rows or records holds none that begins inside it.
            None => scan.at = start.max(scan.line),
        }
        scan.skip_line();
    }
    blocks
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    /// Where the line begins.
    line: usize,
    /// Line breaks so far.
    lines: u32,
    /// Whether a comment was stepped over.
    has_comments: bool,
}

impl Scan<'_> {
    /// The byte that comes next; 0, which is not in the text, at the end.
    fn byte(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn is_at(&self, word: &[u8]) -> bool {
        self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word))
    }

    fn skip_line(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |length| length + 1);
    }

    fn skip_blanks(&mut self) {
        while matches!(self.byte(), b' ' | b'\t') {
            self.at += 1;
        }
    }

    fn blanks(&mut self) -> Option<()> {
        let before = self.at;
        self.skip_blanks();
        (self.at > before).then_some(())
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.is_at(word).then(|| self.at += word.len())?;
        self.blanks()
    }

    fn digits(&mut self) -> usize {
        let before = self.at;
        while self.byte().is_ascii_digit() {
            self.at += 1;
        }
        self.at - before
    }

    /// Up to nine digits, the first of several no 0.
    fn integer(&mut self) -> Option<u32> {
        let start = self.at;
        let mut value = 0;
        while let digit @ b'0'..=b'9' = self.byte() {
            // Nine digits do not overflow, and more are none.
            value = u32::wrapping_add(u32::wrapping_mul(value, 10), u32::from(digit - b'0'));
            self.at += 1;
        }
        let length = self.at - start;
        let is_octal = length > 1 && self.text.get(start) == Some(&b'0');
        ((1..=9).contains(&length) && !is_octal).then_some(value)
    }

    /// `-12.5`, `0.5e-05`: nothing that could be another number or none to anybody, and nothing too large for 32 bits.
    fn float(&mut self) -> Option<()> {
        if self.byte() == b'-' {
            self.at += 1;
        }
        self.integer()?;
        if self.byte() == b'.' {
            self.at += 1;
            if !(1..=40).contains(&self.digits()) {
                return None;
            }
            if self.is_at(b"e-") {
                self.at += 2;
                if !(1..=3).contains(&self.digits()) {
                    return None;
                }
            }
        }
        Some(())
    }

    /// `( … )` with so many numbers.
    fn vector(&mut self, count: usize) -> Option<()> {
        self.word(b"(")?;
        for _ in 0..count {
            self.float()?;
            self.blanks()?;
        }
        (self.byte() == b')').then(|| self.at += 1)
    }

    fn end_line(&mut self) -> Option<()> {
        self.skip_blanks();
        self.skip_comment()?;
        if self.byte() == b'\r' {
            self.at += 1;
        }
        if self.byte() != b'\n' || self.at - self.line > LONGEST_LINE {
            return None;
        }
        self.at += 1;
        self.line = self.at;
        self.lines += 1;
        Some(())
    }

    /// Past `// words`, which every loader steps over; `None` where the words hold anything that one of them may take for
    /// more, or a number ends in the slashes.
    fn skip_comment(&mut self) -> Option<()> {
        if !self.is_at(b"//") {
            return Some(());
        }
        let before = self.text.get(self.line..self.at).unwrap_or_default();
        if !matches!(before.last(), None | Some(b' ' | b'\t')) {
            return None;
        }
        self.has_comments = true;
        let start = self.at;
        self.at += 2;
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b" \t_-.,:|".contains(&byte);
        while is_word(self.byte()) {
            self.at += 1;
        }
        let words = self.text.get(start..self.at).unwrap_or_default();
        let holds = |part: &[u8]| words.windows(part.len()).any(|words| words == part);
        // Cube 2 takes nothing of a line on which these stand.
        let hides = [b"meshes:".as_slice(), b"shader"].into_iter().any(holds) && !before.trim_ascii().is_empty();
        if hides || !matches!(self.byte(), b'\r' | b'\n') {
            // What stands in the comment is not taken for what follows.
            self.at = start;
            return None;
        }
        Some(())
    }

    /// Past empty lines, those that hold a comment alone, and the next one's blanks.
    fn skip_empty(&mut self) {
        self.skip_blanks();
        while matches!(self.byte(), b'\r' | b'\n' | b'/') && self.end_line().is_some() {
            self.skip_blanks();
        }
    }

    /// A closing brace with nothing behind it on its line, which is not stepped over.
    fn brace(&self) -> Option<()> {
        let behind = self.text.get(self.at + 1).copied().unwrap_or(b'\n');
        (self.byte() == b'}' && matches!(behind, b' ' | b'\t' | b'\r' | b'\n')).then_some(())
    }

    /// `keyword count`
    fn count(&mut self, keyword: &[u8]) -> Option<u32> {
        self.skip_empty();
        self.word(keyword)?;
        let count = self.integer()?;
        self.end_line()?;
        Some(count)
    }

    /// `keyword number `, numbered as it should be.
    fn record(&mut self, keyword: &[u8], number: u32) -> Option<()> {
        self.skip_empty();
        self.word(keyword)?;
        (self.integer()? == number).then_some(())?;
        self.blanks()
    }

    fn surface(&mut self) -> Option<Surface> {
        let span = Span::new(self.at, self.at + "numverts".len());
        let num_verts = self.count(b"numverts")?;
        let (mut needed, mut most_weights, mut crowded) = (0, 0, Span::default());
        for number in 0..num_verts {
            self.record(b"vert", number)?;
            let start = self.at;
            self.vector(2)?;
            self.blanks()?;
            let first = self.integer()?;
            self.blanks()?;
            let count = self.integer()?;
            if count == 0 {
                return None;
            }
            needed = needed.max(u64::from(first) + u64::from(count));
            if count >= most_weights {
                most_weights = count;
                crowded = Span::new(start, self.at);
            }
            self.end_line()?;
        }
        let num_tris = self.count(b"numtris")?;
        let mut is_used = vec![false; num_verts as usize];
        for number in 0..num_tris {
            self.record(b"tri", number)?;
            for corner in 0..3 {
                if corner > 0 {
                    self.blanks()?;
                }
                *is_used.get_mut(self.integer()? as usize)? = true;
            }
            self.end_line()?;
        }
        let num_weights = self.count(b"numweights")?;
        let mut joints = 0;
        for number in 0..num_weights {
            self.record(b"weight", number)?;
            joints = joints.max(self.integer()? + 1);
            self.blanks()?;
            self.float()?;
            self.blanks()?;
            self.vector(3)?;
            self.end_line()?;
        }
        self.skip_empty();
        self.brace()?;
        let crowded = number_before(self.text, crowded);
        let used_verts = is_used.iter().map(|&used| u32::from(used)).sum();
        let surface = Surface { num_verts, num_tris, num_weights, joints, most_weights, crowded, used_verts, span };
        (needed <= u64::from(num_weights)).then_some(surface)
    }

    /// Rows of two vectors, up to the brace.
    fn rows(&mut self) -> Option<u32> {
        let mut rows = 0;
        while self.byte() == b'(' {
            self.vector(3)?;
            self.blanks()?;
            self.vector(3)?;
            self.end_line()?;
            self.skip_empty();
            rows += 1;
        }
        self.brace()?;
        Some(rows)
    }

    /// All frames from the first one on, as long as they are alike.
    fn frames(&mut self) -> Option<Content> {
        let components = self.frame(0)?;
        let mut end = (self.at, self.line, self.lines);
        let mut count = 1;
        loop {
            let is_more = self.end_line().is_some() && {
                self.skip_empty();
                self.is_at(b"frame ") && self.frame(count) == Some(components)
            };
            if !is_more {
                break;
            }
            count += 1;
            end = (self.at, self.line, self.lines);
        }
        (self.at, self.line, self.lines) = end;
        Some(Content::Frames { count, components })
    }

    /// One frame, its brace stepped over; gives how many numbers it has.
    fn frame(&mut self, number: u32) -> Option<u32> {
        self.word(b"frame")?;
        (self.integer()? == number).then_some(())?;
        self.blanks()?;
        (self.byte() == b'{').then(|| self.at += 1)?;
        self.end_line()?;
        let mut components = 0;
        loop {
            self.skip_empty();
            if self.byte() == b'}' {
                break;
            }
            loop {
                self.float()?;
                components += 1;
                if self.blanks().is_none() || matches!(self.byte(), b'\r' | b'\n' | b'/') {
                    break;
                }
            }
            self.end_line()?;
        }
        self.brace()?;
        // Where a line-based reader looks for it.
        (self.at == self.line).then_some(())?;
        self.at += 1;
        Some(components)
    }
}

/// A vertex's record from its number on.
fn number_before(text: &[u8], record: Span) -> Span {
    let before = text.get(..record.start as usize).unwrap_or_default().trim_ascii_end();
    let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    Span::new(before.len() - digits, record.end as usize)
}
