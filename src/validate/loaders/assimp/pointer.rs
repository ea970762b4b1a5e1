//! Words and numbers of a line, and of the text after it.

use super::super::{Fallible, Stop, refuse, rules};
use super::Version;
use super::buffer::{Buffer, is_line_end, is_space};
use crate::codes::{Rule, mesh, shared};
use crate::verdict::{Outcome, Verdict};
use bindpose_parsers::Span;

/// Number of elements (a dozen bytes or more each) from which the allocation of an array is assumed to fail.
const MOST_ELEMENTS: u32 = 1 << 28;
/// Largest number of bytes kept of a name.
const LONGEST_NAME: usize = 1023;
/// Largest number of characters of a string that are repeated in a message.
const LONGEST_PRINTED: usize = 1000;

impl<'a> Buffer<'a> {
    pub(super) fn pointer<'b>(&'b self, line: Span) -> Pointer<'b, 'a> {
        let Span { start, end } = line;
        // Up to here the bytes of the file are unchanged.
        let comment = self.comments.partition_point(|comment| comment.end <= start);
        let plain = self.comments.get(comment).map_or(end, |comment| comment.start.min(end));
        Pointer { buffer: self, at: start as usize, plain: plain as usize, stop: usize::MAX, line, odd: None }
    }

    /// Creates a reader for the word after a keyword, which is copied together with the following blank.
    pub(super) fn value<'b>(&'b self, value: Span) -> Pointer<'b, 'a> {
        Pointer { stop: value.range().end + 1, ..self.pointer(value) }
    }
}

/// Reader of one line, which can run past its end.
pub(super) struct Pointer<'b, 'a> {
    buffer: &'b Buffer<'a>,
    pub(super) at: usize,
    plain: usize,
    /// End of the string, if it is not the zero after a line.
    stop: usize,
    line: Span,
    /// Invalid number of a record. It is the cause of later failures.
    odd: Option<Span>,
}

impl<'a> Pointer<'_, 'a> {
    pub(super) fn byte(&self) -> u8 {
        self.ahead(0)
    }

    fn ahead(&self, bytes: usize) -> u8 {
        let at = self.at + bytes;
        match self.buffer.bytes.get(at) {
            _ if at >= self.stop => 0,
            Some(&byte) if at < self.plain => byte,
            _ => self.buffer.byte(at),
        }
    }

    pub(super) fn skip_spaces(&mut self) {
        while is_space(self.byte()) {
            self.at += 1;
        }
    }

    /// Reads a keyword and the blank or line end after it.
    pub(super) fn keyword(&mut self, word: &[u8]) -> bool {
        let is_word = word.iter().enumerate().all(|(at, &byte)| self.ahead(at) == byte);
        let behind = self.ahead(word.len());
        let is_found = is_word && (is_space(behind) || is_line_end(behind));
        if is_found {
            self.at += word.len() + usize::from(behind != 0);
        }
        is_found
    }

    /// Reads digits. Returns 0 if there are none.
    pub(super) fn integer(&mut self) -> u32 {
        let mut value: u32 = 0;
        while let digit @ b'0'..=b'9' = self.byte() {
            value = value.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
            self.at += 1;
        }
        value
    }

    pub(super) fn signed(&mut self) -> i32 {
        let is_negative = self.byte() == b'-';
        self.at += usize::from(matches!(self.byte(), b'-' | b'+'));
        let value = self.integer() as i32;
        if is_negative && value > i32::MIN && value < i32::MAX { -value } else { value }
    }

    pub(super) fn count(&mut self) -> Fallible<u32> {
        self.skip_spaces();
        let start = self.at;
        let count = self.integer();
        if count > MOST_ELEMENTS {
            return refuse(Outcome::Refuses, shared::COUNT, Span::new(start, self.at), "std::bad_alloc");
        }
        Ok(count)
    }

    /// Reads a record's number, up to which its array grows.
    pub(super) fn slot(&mut self, version: Version, verdict: &mut Verdict) -> Fallible<u32> {
        self.skip_spaces();
        let start = self.at;
        let slot = self.integer();
        let span = Span::new(start, self.at);
        if self.at == start {
            self.odd = Some(Span::new(start, start + self.word(start).len()));
        }
        match version {
            Version::Later if slot == u32::MAX => {
                let line = self.buffer.lines.partition_point(|line| line.start < self.line.start);
                let message = format!("[MD5] Line {line}: Index out of range");
                refuse(Outcome::Refuses, mesh::RECORD_NUMBER, span, message)
            }
            Version::Release if slot == u32::MAX => {
                verdict.add_undefined(mesh::RECORD_NUMBER, span, || {
                    format!("record {slot} is written into an array that was emptied for it")
                });
                Err(Stop::Lost)
            }
            _ if slot > MOST_ELEMENTS => refuse(Outcome::Refuses, mesh::RECORD_NUMBER, span, "std::bad_alloc"),
            _ => Ok(slot),
        }
    }

    /// Reads the text between the next two quotes. Returns an empty result if the line does not have two.
    pub(super) fn quoted(&mut self) -> &'a [u8] {
        let is_inside = |byte: u8| !matches!(byte, b'"' | 0);
        while is_inside(self.byte()) {
            self.at += 1;
        }
        if self.byte() == 0 {
            return &[];
        }
        self.at += 1;
        let start = self.at;
        while is_inside(self.byte()) {
            self.at += 1;
        }
        if self.byte() == 0 {
            return &[];
        }
        let name = self.buffer.bytes.get(start..self.at).unwrap_or_default();
        self.at += 1;
        name.get(..LONGEST_NAME).unwrap_or(name)
    }

    /// Reads three numbers, and skips one character each in place of the brackets.
    pub(super) fn triple(&mut self) -> Fallible<()> {
        self.skip_spaces();
        if self.byte() != b'(' {
            self.at += 1;
        }
        // Only here the end of the file is checked.
        if self.at >= self.buffer.bytes.len() {
            return Ok(());
        }
        self.at += 1;
        for _ in 0..3 {
            self.skip_spaces();
            self.float()?;
        }
        self.skip_spaces();
        self.at += 1;
        Ok(())
    }

    /// Skips one character, whatever it is.
    pub(super) fn step(&mut self, verdict: &mut Verdict) -> Fallible<()> {
        if self.at >= self.buffer.bytes.len() {
            verdict.add_undefined(shared::SYNTAX, self.line, || "the record goes on behind the file's end".to_owned());
            return Err(Stop::Lost);
        }
        self.at += 1;
        Ok(())
    }

    fn fail<T>(&self, from: usize, message: String) -> Fallible<T> {
        // After a missing bracket or at the end of the line, the number is taken from the next line.
        let here = Span::new(from.min(self.buffer.bytes.len()), from.min(self.buffer.bytes.len()));
        let is_behind = from >= self.line.range().end;
        let word = self.word(from);
        let text = self.buffer.bytes.get(self.line.range()).unwrap_or_default();
        let is_box_or_pose = text.starts_with(b"(") || text.contains(&b'{');
        let is_joint = !text.starts_with(b"vert") && !text.starts_with(b"weight") && !is_box_or_pose;
        if let Some(number) = self.odd {
            return refuse(Outcome::Refuses, mesh::RECORD_NUMBER, number, message);
        }
        let rule: Rule = match () {
            () if is_behind && is_joint && !text.contains(&b'"') => shared::UNQUOTED_NAME,
            () if is_behind && is_box_or_pose => shared::SYNTAX,
            () if is_behind => shared::LINE_BREAK,
            () if word.first().is_none_or(|byte| b"(){}".contains(byte)) => shared::SYNTAX,
            () => rules::number(word, false),
        };
        let span = if is_behind { self.line } else { Span::new(from, from + word.len().max(1)) };
        refuse(Outcome::Refuses, rule, if span.start > span.end { here } else { span }, message)
    }

    fn word(&self, from: usize) -> &'a [u8] {
        let rest = self.buffer.bytes.get(from..).unwrap_or_default();
        let length = rest.iter().position(|&byte| is_space(byte) || is_line_end(byte)).unwrap_or(rest.len());
        rest.get(..length).unwrap_or_default()
    }

    /// Returns the rest of the string, as shown in messages.
    fn printed(&self) -> String {
        let mut printed = String::new();
        for at in 0..LONGEST_PRINTED {
            match self.ahead(at) {
                0 => break,
                byte @ b' '..=b'~' => printed.push(char::from(byte)),
                _ => printed.push('?'),
            }
        }
        printed
    }

    /// Reads a float. `nan` and `inf` are numbers, and a comma counts as a point.
    pub(super) fn float(&mut self) -> Fallible<f64> {
        let start = self.at;
        let is_negative = self.byte() == b'-';
        self.at += usize::from(matches!(self.byte(), b'-' | b'+'));
        let sign = if is_negative { -1.0 } else { 1.0 };
        let is_word = |at: usize, word: &[u8]| {
            word.iter().enumerate().all(|(offset, byte)| self.ahead(at + offset).eq_ignore_ascii_case(byte))
        };
        if is_word(0, b"nan") {
            self.at += 3;
            return Ok(f64::NAN);
        }
        if is_word(0, b"inf") {
            self.at += if is_word(3, b"inity") { 8 } else { 3 };
            return Ok(sign * f64::INFINITY);
        }
        let is_point = |byte: u8| matches!(byte, b'.' | b',');
        let has_fraction = |pointer: &Self| is_point(pointer.byte()) && pointer.ahead(1).is_ascii_digit();
        if !self.byte().is_ascii_digit() && !has_fraction(self) {
            let text = self.printed();
            let message = format!(
                "Cannot parse string \"{text}\" as a real number: does not start with digit or decimal point followed by digit."
            );
            return self.fail(start, message);
        }
        let mut value = self.digits();
        if has_fraction(self) {
            self.at += 1;
            let before = self.at;
            let fraction = self.digits();
            value += fraction / 10_f64.powi((self.at - before) as i32);
        } else if self.byte() == b'.' {
            self.at += 1;
        }
        if matches!(self.byte(), b'e' | b'E') {
            self.at += 1;
            let is_small = self.byte() == b'-';
            self.at += usize::from(matches!(self.byte(), b'-' | b'+'));
            if !self.byte().is_ascii_digit() {
                let message = format!("The string \"{}\" cannot be converted into a value.", self.printed());
                return self.fail(start, message);
            }
            let power = self.digits();
            value *= 10_f64.powf(if is_small { -power } else { power });
        }
        Ok(sign * value)
    }

    fn digits(&mut self) -> f64 {
        let mut value = 0.0;
        while let digit @ b'0'..=b'9' = self.byte() {
            value = value * 10.0 + f64::from(digit - b'0');
            self.at += 1;
        }
        value
    }
}
