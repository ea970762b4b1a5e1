//! Output of the program: results to standard output, everything else to standard error.

use bindpose::diagnostic::{EscapedLines, cut};
use bindpose_core::escape::is_plain;
use codespan_reporting::term::termcolor::{Ansi, ColorChoice, ColorSpec, StandardStream, WriteColor};
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::OnceLock;

/// Value of `--color`.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
pub enum Colours {
    /// On terminals that support it, unless NO_COLOR is set
    #[default]
    Auto,
    /// Also in pipes and files, for `less -R` and logs
    Always,
    /// Never
    Never,
}

static COLOURS: OnceLock<Colours> = OnceLock::new();

impl Colours {
    /// Sets the colours of the run, before anything is printed.
    pub fn set(self) {
        // The first value stays.
        let _ = COLOURS.set(self);
    }

    /// Returns the choice for a stream.
    pub fn of(stream: &impl IsTerminal) -> ColorChoice {
        match COLOURS.get() {
            Some(Self::Always) => ColorChoice::AlwaysAnsi,
            Some(Self::Never) => ColorChoice::Never,
            _ if stream.is_terminal() => ColorChoice::Auto,
            _ => ColorChoice::Never,
        }
    }
}

/// Creates a progress bar of `count` items on standard error, which is drawn on a terminal only.
pub fn progress(count: usize, items: &str) -> ProgressBar {
    let template = format!("{{bar:30}} {{pos}} of {{len}} {items}, {{eta}} left  {{msg}}");
    let style = ProgressStyle::with_template(&template).unwrap_or(ProgressStyle::default_bar());
    ProgressBar::new(count as u64).with_style(style)
}

/// Standard output, locked and buffered, for the single running command.
///
/// Printed text cannot affect a terminal: control characters are written as `\u001b`, which is equivalent in JSON
/// strings. Colours go through [`WriteColor`].
pub struct Output {
    out: BufWriter<Box<dyn Write>>,
    /// True for a terminal. It is flushed line by line, so that lines of both streams appear in order.
    is_terminal: bool,
    has_colours: bool,
    is_closed: bool,
    /// True at the start of a line and after its leading spaces.
    starts_line: bool,
    allows_workflow_commands: bool,
}

impl Output {
    /// Opens standard output, with the [`Colours`] of the run.
    pub fn stdout() -> Self {
        let is_terminal = io::stdout().is_terminal();
        // Links need escape sequences. Consoles before Windows 10 support colours only by other means.
        let has_colours = StandardStream::stdout(Colours::of(&io::stdout())).supports_hyperlinks();
        Self { is_terminal, has_colours, ..Self::new(Box::new(io::stdout().lock())) }
    }

    fn new(out: Box<dyn Write>) -> Self {
        Self {
            out: BufWriter::new(out),
            is_terminal: false,
            has_colours: false,
            is_closed: false,
            starts_line: true,
            allows_workflow_commands: false,
        }
    }

    /// True if the reader, such as `head`, has closed the pipe.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Allows lines to start with `::`, which GitHub Actions executes. By default they are escaped, because a file's
    /// name could forge them.
    pub fn allow_workflow_commands(&mut self) {
        self.allows_workflow_commands = true;
    }

    fn noticed<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            self.is_closed |= error.kind() == io::ErrorKind::BrokenPipe;
            io::Error::new(error.kind(), format!("cannot write to standard output: {error}"))
        })
    }

    /// Writes a line or a part of one. A colon at its start is escaped, also after spaces.
    fn write_line(&mut self, line: &[u8]) -> io::Result<()> {
        let blanks = line.iter().position(|byte| !b" \t".contains(byte)).unwrap_or(line.len());
        let is_command = self.starts_line && !self.allows_workflow_commands && line.get(blanks) == Some(&b':');
        self.starts_line = line.ends_with(b"\n") || self.starts_line && blanks == line.len();
        if !is_command {
            return self.write_escaped(line);
        }
        self.out.write_all(&line[..blanks])?;
        self.out.write_all(ESCAPED_COLON)?;
        self.write_escaped(&line[blanks + 1..])
    }

    fn write_escaped(&mut self, bytes: &[u8]) -> io::Result<()> {
        if is_plain(bytes.strip_suffix(b"\n").unwrap_or(bytes)) {
            return self.out.write_all(bytes);
        }
        for chunk in bytes.utf8_chunks() {
            write!(self.out, "{}", EscapedLines(chunk.valid()))?;
            if !chunk.invalid().is_empty() {
                write!(self.out, "{}", char::REPLACEMENT_CHARACTER)?;
            }
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.starts_line && is_plain(bytes) {
            let written = self.out.write_all(bytes);
            return self.noticed(written).map(|()| bytes.len());
        }
        let written = bytes.split_inclusive(|&byte| byte == b'\n').try_for_each(|line| self.write_line(line));
        self.noticed(written)?;
        if self.is_terminal && bytes.contains(&b'\n') {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.noticed(flushed)
    }
}

impl WriteColor for Output {
    fn supports_color(&self) -> bool {
        self.has_colours
    }

    fn set_color(&mut self, colour: &ColorSpec) -> io::Result<()> {
        if !self.has_colours {
            return Ok(());
        }
        let set = Ansi::new(&mut self.out).set_color(colour);
        self.noticed(set)
    }

    fn reset(&mut self) -> io::Result<()> {
        if !self.has_colours {
            return Ok(());
        }
        let reset = Ansi::new(&mut self.out).reset();
        self.noticed(reset)
    }
}

/// A colon in escaped form.
const ESCAPED_COLON: &[u8] = br"\u003a";

/// Writes lines to standard error like `eprintln!`, but escapes control characters and does not panic.
macro_rules! tell {
    ($($text:tt)*) => { $crate::commands::output::tell_lines(format_args!($($text)*)) };
}
pub(crate) use tell;

/// Longest line on standard error, in bytes. A file may contain names of any length.
const LONGEST_LINE: usize = 2_000;

/// Writes lines to standard error. Long lines are cut, and control characters escaped. Ignores a closed stream.
pub fn tell_lines(text: impl Display) {
    let text = text.to_string();
    let mut out = io::stderr().lock();
    for line in text.lines() {
        // Quoted source lines may contain tabs.
        let line = cut(EscapedLines(line).to_string(), LONGEST_LINE);
        let line = match line.trim_start().strip_prefix("::") {
            Some(rest) => format!(r"\u003a:{rest}"),
            None => line,
        };
        if writeln!(out, "{line}").is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn written(bytes: &[u8]) -> String {
        let kept = Kept::default();
        let mut out = Output::new(Box::new(kept.clone()));
        out.write_all(bytes).unwrap();
        out.flush().unwrap();
        let bytes = kept.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn only_lines_tabs_and_harmless_characters_pass() {
        assert_eq!(written("a\tb\né 関節\n".as_bytes()), "a\tb\né 関節\n");
        assert_eq!(written("a\u{1b}[31mb\r\u{9b}0m\u{202e}".as_bytes()), r"a\u001b[31mb\u000d\u009b0m\u202e");
        assert_eq!(written(b"a\x9bb\xc2"), "a\u{fffd}b\u{fffd}");
        let json = serde_json::to_string("\u{1b}\u{7f}\u{9b}").unwrap();
        let read: String = serde_json::from_str(&written(json.as_bytes())).unwrap();
        assert_eq!(read, "\u{1b}\u{7f}\u{9b}");
    }

    /// A name such as `a<newline>::error::forged`, written at once or in parts.
    #[test]
    fn no_line_starts_a_workflow_command() {
        assert_eq!(written(b"a\n::error::b\n:: c"), "a\n\\u003a:error::b\n\\u003a: c");
        assert_eq!(written(b" \t::b"), " \t\\u003a:b");
        assert_eq!(written(b"a ::b"), "a ::b");
        let kept = Kept::default();
        let mut out = Output::new(Box::new(kept.clone()));
        out.allow_workflow_commands();
        out.write_all(b"::error::b").unwrap();
        out.flush().unwrap();
        assert_eq!(*kept.0.lock().unwrap(), b"::error::b");
    }

    #[test]
    fn a_write_error_is_described_and_a_closed_pipe_is_remembered() {
        struct Fails(io::ErrorKind);
        impl Write for Fails {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for (kind, is_closed) in [(io::ErrorKind::BrokenPipe, true), (io::ErrorKind::StorageFull, false)] {
            let mut out = Output::new(Box::new(Fails(kind)));
            let error = out.write_all(b"text").and_then(|()| out.flush()).unwrap_err();
            assert!(error.to_string().starts_with("cannot write to standard output: "), "{error}");
            assert_eq!((error.kind(), out.is_closed()), (kind, is_closed));
            // The rest of the buffer fails again when it is dropped, silently.
        }
    }
}
