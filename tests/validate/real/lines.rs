//! Text of a file as lines to damage.

/// The lines of a file, of which each byte is a letter.
#[derive(Clone)]
pub struct Lines(pub Vec<String>);

impl Lines {
    pub fn read(bytes: &[u8]) -> Self {
        Self(bytes.split(|&byte| byte == b'\n').map(|line| line.iter().copied().map(char::from).collect()).collect())
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.0.join("\n").chars().map(|letter| letter as u8).collect()
    }

    /// The line that begins with this word for the time `nth`, counted from 0, not before line `from`.
    pub fn find(&self, word: &str, nth: usize, from: usize) -> Option<usize> {
        let begins = |line: &str| {
            let rest = line.trim_start().strip_prefix(word);
            rest.is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric()))
        };
        (from..self.0.len()).filter(|&at| begins(&self.0[at])).nth(nth)
    }

    /// The next line that is neither blank nor a comment.
    pub fn next(&self, line: usize) -> Option<usize> {
        let says = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
        (line + 1..self.0.len()).find(|&at| says(&self.0[at]))
    }

    pub fn skip(&self, line: usize, count: usize) -> Option<usize> {
        (0..count).try_fold(line, |line, _| self.next(line))
    }

    /// Writes `to` in the place of the first `from` of a line.
    pub fn set(&mut self, line: usize, from: &str, to: &str) -> Option<usize> {
        let at = self.0[line].find(from)?;
        self.0[line].replace_range(at..at + from.len(), to);
        Some(line + 1)
    }

    /// Writes `to` in the place of a word, counted from 0.
    pub fn word(&mut self, line: usize, number: usize, to: &str) -> Option<usize> {
        let text = &self.0[line];
        let is_start = |&at: &usize| {
            !text[at..].starts_with(char::is_whitespace) && (at == 0 || text[..at].ends_with(char::is_whitespace))
        };
        let at = text.char_indices().map(|(at, _)| at).filter(is_start).nth(number)?;
        let end = text[at..].find(char::is_whitespace).map_or(text.len(), |length| at + length);
        self.0[line].replace_range(at..end, to);
        Some(line + 1)
    }

    /// Writes `to` in the place of the first number of a line.
    pub fn number(&mut self, line: usize, to: &str) -> Option<usize> {
        let is_part = |letter: char| letter.is_ascii_digit() || letter == '-' || letter == '.';
        let at = self.0[line].find(is_part)?;
        let end = self.0[line][at..].find(|letter| !is_part(letter)).map_or(self.0[line].len(), |length| at + length);
        self.0[line].replace_range(at..end, to);
        Some(line + 1)
    }

    /// Adds to the whole number that stands first in a line.
    pub fn add(&mut self, line: usize, by: i64) -> Option<usize> {
        let digits: String =
            self.0[line].chars().skip_while(|l| !l.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
        let count: i64 = digits.parse().ok()?;
        self.set(line, &digits, &(count + by).to_string())
    }

    /// Swaps the words behind two keywords, and returns the first line.
    pub fn swap(&mut self, one: &str, other: &str) -> Option<usize> {
        let (first, second) = (self.find(one, 0, 0)?, self.find(other, 0, 0)?);
        let (a, b) = (self.count(one)?, self.count(other)?);
        self.word(second, 1, &a)?;
        self.word(first, 1, &b)
    }

    pub fn remove(&mut self, line: usize) -> String {
        self.0.remove(line)
    }

    /// Ends the file in a line, behind so many of its bytes.
    pub fn cut(&mut self, line: usize, length: usize) -> Option<usize> {
        self.0.truncate(line + 1);
        self.0[line].truncate(length);
        Some(line + 1)
    }

    /// The name in quotes in a line.
    pub fn name(&self, line: usize) -> Option<String> {
        self.0[line].split('"').nth(1).map(str::to_owned)
    }

    // Places of MD5 files.

    pub fn joint(&self, number: usize) -> Option<usize> {
        Some(self.find("joints", 0, 0)? + 1 + number)
    }

    pub fn channel(&self, number: usize) -> Option<usize> {
        Some(self.find("hierarchy", 0, 0)? + 1 + number)
    }

    pub fn record(&self, keyword: &str, number: usize) -> Option<usize> {
        self.find(keyword, number, 0)
    }

    /// The first row of a frame.
    pub fn frame(&self, number: usize) -> Option<usize> {
        self.find("frame", number, 0)
    }

    pub fn end_of_block(&self, from: usize) -> Option<usize> {
        self.find("}", 0, from)
    }

    /// The written count behind a keyword.
    pub fn count(&self, keyword: &str) -> Option<String> {
        self.0[self.find(keyword, 0, 0)?].split_whitespace().nth(1).map(str::to_owned)
    }

    // Places of .x files.

    /// Line of a data object of this type, and those below it.
    pub fn object(&self, kind: &str, nth: usize, below: usize) -> Option<usize> {
        self.skip(self.find(kind, nth, 0)?, below)
    }

    /// Removes a line below an object, and returns the line that is there then.
    pub fn lose(&mut self, kind: &str, below: usize) -> Option<usize> {
        let line = self.object(kind, 0, below)?;
        self.remove(line);
        Some(line + 1)
    }

    /// Line of the number of faces.
    pub fn faces(&self) -> Option<usize> {
        let vertices = self.object("Mesh", 0, 1)?;
        let count: usize = self.0[vertices].trim().trim_end_matches(';').parse().ok()?;
        self.skip(vertices, count + 1)
    }
}
