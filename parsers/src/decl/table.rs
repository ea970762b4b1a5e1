//! Reads tables: numbers that materials look up.

use super::fault::{Fault, FaultKind};
use super::lex::{Lexer, TokenKind};
use super::{Fallible, Parsed, body, float, word};
use crate::Span;

/// Numbers over one cycle, 0 to 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Evenly spaced values.
    pub values: Vec<f64>,
    /// True if values change in steps instead of being interpolated.
    pub snap: bool,
    /// True if positions beyond the ends keep the end values instead of wrapping around.
    pub clamp: bool,
}

impl Table {
    /// Returns the value at a position in cycles, linear between the values and from the last one back to the first. A
    /// table of fewer than two values gives 1.
    pub fn look_up(&self, turns: f64) -> f64 {
        let count = self.values.len();
        if count < 2 {
            return 1.0;
        }
        let at = |index: usize| self.values.get(index % count).copied().unwrap_or(0.0);
        let position = match self.clamp {
            true => {
                let position = turns * (count - 1) as f64;
                if position >= (count - 1) as f64 {
                    return at(count - 1);
                }
                position.max(0.0)
            }
            false => (turns * count as f64).rem_euclid(count as f64),
        };
        // NaN becomes index 0.
        let index = position as usize;
        let part = if self.snap { 0.0 } else { position - position.floor() };
        at(index) * (1.0 - part) + at(index + 1) * part
    }
}

// table ::= '{' { 'snap' | 'clamp' | '{' number { ',' number } '}' } '}'
/// Reads a table. A broken one becomes `{ 0 }`, which gives 1 everywhere.
pub fn parse_table(bytes: &[u8], decl: Span) -> Parsed<Table> {
    let mut lexer = body(bytes, decl);
    let mut table = Table::default();
    if let Err(fault) = read(&mut lexer, &mut table) {
        table = Table { values: vec![0.0], ..Table::default() };
        lexer.add(FaultKind::BrokenTable { why: Box::new(fault.kind) }, fault.span);
    }
    Parsed { decl: table, faults: lexer.faults }
}

fn read(lexer: &mut Lexer<'_>, table: &mut Table) -> Fallible<()> {
    loop {
        let token = word(lexer, "'}'")?;
        match () {
            () if token.is("}") => return Ok(()),
            () if token.is("snap") => table.snap = true,
            () if token.is("clamp") => table.clamp = true,
            () if token.kind == TokenKind::Punctuation && token.is("{") => loop {
                table.values.push(float(lexer)?);
                let token = word(lexer, "'}' or ','")?;
                match () {
                    () if token.is("}") => break,
                    () if token.is(",") => {}
                    () => {
                        let kind = FaultKind::Expected { expected: "'}' or ','", found: token.to_text() };
                        return Err(Fault { kind, span: token.span });
                    }
                }
            },
            () => {
                let kind = FaultKind::Expected { expected: "snap, clamp or '{'", found: token.to_text() };
                return Err(Fault { kind, span: token.span });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Parsed<Table> {
        parse_table(text.as_bytes(), Span::new(0, text.len()))
    }

    #[test]
    fn d10_values_go_round_or_hold() {
        let wrap = table("{ { 0, 1 } }").decl;
        assert_eq!(wrap.values, [0.0, 1.0]);
        // Values half way to 1, at 1, and half way back to 0. 1.25 cycles equal a quarter.
        for (turns, value) in [(0.25, 0.5), (0.5, 1.0), (0.75, 0.5), (1.25, 0.5), (-0.25, 0.5)] {
            assert_eq!(wrap.look_up(turns), value, "{turns}");
        }
        let clamp = table("{ clamp { 0, 10, -20 } }").decl;
        for (turns, value) in [(-1.0, 0.0), (0.25, 5.0), (0.75, -5.0), (1.0, -20.0), (7.0, -20.0)] {
            assert_eq!(clamp.look_up(turns), value, "{turns}");
        }
        assert_eq!(table("{ snap { 0, 1 } }").decl.look_up(0.49), 0.0);
        assert_eq!(table("{ { 5 } }").decl.look_up(0.3), 1.0);
        assert!(wrap.look_up(f64::NAN).is_nan() && wrap.look_up(f64::INFINITY).is_nan());
        assert_eq!((clamp.look_up(f64::NEG_INFINITY), clamp.look_up(f64::INFINITY)), (0.0, -20.0));
    }

    #[test]
    fn broken_tables_are_constant() {
        for text in ["{ { 0, x } }", "{ { 0 1 } }", "{ wrap { 0, 1 } }", "{ { 0, 1 }"] {
            let parsed = table(text);
            assert!(matches!(parsed.faults[..], [Fault { kind: FaultKind::BrokenTable { .. }, .. }]), "{text}");
            assert_eq!(parsed.decl.look_up(0.5), 1.0);
            assert!(!parsed.is_rejected(), "materials that use it are kept");
        }
    }
}
