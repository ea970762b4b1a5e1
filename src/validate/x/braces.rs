//! Missing and surplus braces, located by the indentation of a text file.

use crate::codes::x as rules;
use crate::finding::{Findings, OWN_FILE};
use bindpose_parsers::Span;
use bindpose_parsers::x::{Lexeme, Lexemes, MAX_DEPTH};

/// Word that begins a template.
const TEMPLATE: &[u8] = b"template";

const MESH: &[u8] = b"Mesh";

/// A brace that seems to be missing.
struct Unclosed {
    /// Opening brace of the unclosed object.
    open: Span,
    /// Brace that closes it instead, further left than the start of the object, or a template or mesh inside it.
    closed: Span,
}

/// Names the object that seems to lack its closing brace if the file ends inside one, or the surplus brace if one is
/// left over.
pub(super) fn place(bytes: &[u8], body: usize, findings: &mut Findings) {
    if let Some(finding) = findings.get_mut(rules::END_INSIDE)
        && let Some(unclosed) = unclosed(bytes, body)
    {
        let end = std::mem::replace(&mut finding.first.span, unclosed.open);
        let (by, seen) = match bytes.get(unclosed.closed.range()) {
            Some(TEMPLATE) => ("", "no template can be inside another object"),
            Some(word) if word.eq_ignore_ascii_case(MESH) => ("", "this Mesh begins inside another Mesh"),
            _ => ("going by the indentation, ", "this one closes what is around it"),
        };
        finding.message = format!("{by}the brace that opens here is not closed: {}", finding.message);
        finding.related(OWN_FILE, unclosed.closed, seen);
        finding.related(OWN_FILE, end, "here the file ends");
    }
    if let Some(finding) = findings.get_mut(rules::BRACE_STRAY)
        && let Some(surplus) = surplus(bytes, body).filter(|&surplus| surplus != finding.first.span)
    {
        let last = std::mem::replace(&mut finding.first.span, surplus);
        finding.message = "going by the indentation, this closing brace is one too many".to_owned();
        finding.related(OWN_FILE, last, "here one is left over");
    }
}

/// Returns the first object that is closed by a brace further left. Without one, returns the first that a mesh begins
/// in, inside another mesh.
fn unclosed(bytes: &[u8], body: usize) -> Option<Unclosed> {
    let mut open: Vec<(Span, &[u8], bool)> = Vec::new();
    let mut lines = Lines::new(bytes, body);
    let mut nested = None;
    // First word since the last sign: before a brace, the type.
    let mut first: Option<Span> = None;
    for (lexeme, span) in Lexemes::new(bytes, body) {
        let kind = if lexeme == Lexeme::Word {
            first.get_or_insert(span);
            None
        } else {
            first.take()
        };
        match lexeme {
            Lexeme::Open if open.len() > MAX_DEPTH => return None,
            Lexeme::Open => {
                let of = |kind: &Span| bytes.get(kind.range()).is_some_and(|kind| kind.eq_ignore_ascii_case(MESH));
                let mesh = kind.filter(of);
                if let (Some(closed), Some(&(brace, ..)), true) =
                    (mesh, open.last(), open.iter().any(|(.., mesh)| *mesh))
                {
                    nested.get_or_insert(Unclosed { open: brace, closed });
                }
                open.push((span, lines.indentation(span).0, mesh.is_some()));
            }
            Lexeme::Close => {
                let Some((brace, indent, _)) = open.pop() else { return nested };
                let (own, begins_line) = lines.indentation(span);
                if begins_line && own.len() < indent.len() && indent.starts_with(own) {
                    return Some(Unclosed { open: brace, closed: span });
                }
            }
            Lexeme::Word if !open.is_empty() && bytes.get(span.range()) == Some(TEMPLATE) => {
                return open.last().map(|&(open, ..)| Unclosed { open, closed: span });
            }
            Lexeme::Word | Lexeme::Guid | Lexeme::Semicolon | Lexeme::Comma => {}
        }
    }
    nested
}

/// Returns the first brace on its own line that is further right than the object that it closes.
fn surplus(bytes: &[u8], body: usize) -> Option<Span> {
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
