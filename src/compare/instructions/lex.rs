//! GLSL as words, numbers and signs, after its preprocessor; walking through them.

use super::{Counter, Type, Uncounted};

/// A piece of source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Word(&'a str),
    Number(&'a str),
    Sign(&'a str),
}

impl<'a> Token<'a> {
    pub fn text(self) -> &'a str {
        match self {
            Self::Word(text) | Self::Number(text) | Self::Sign(text) => text,
        }
    }
}

/// The pieces of what the preprocessor leaves: `#ifdef`, `#if NAME == NUMBER`, `#elif`, `#else`, `#endif`, and numbers that have
/// names. The source's own `#define` are looked up as `defines` are.
pub(super) fn tokens<'a>(source: &'a str, defines: &[(&'a str, u32)]) -> Vec<Token<'a>> {
    let mut found = Vec::new();
    let mut named: Vec<(&str, Token<'_>)> = Vec::new();
    // For each #if whether its lines count, and whether those of an earlier branch did.
    let mut open: Vec<(bool, bool)> = Vec::new();
    for line in source.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let Some(directive) = line.strip_prefix('#') else {
            if open.iter().all(|&(counts, _)| counts) {
                let pieces = pieces(line).map(|piece| {
                    let known = named.iter().find(|(name, _)| piece == Token::Word(name));
                    known.map_or(piece, |&(_, value)| value)
                });
                found.extend(pieces);
            }
            continue;
        };
        let words: Vec<&str> = directive.split_whitespace().collect();
        let word = |place: usize| words.get(place).copied().unwrap_or_default();
        let (kind, name) = (word(0), word(1));
        let is_equal = || word(3).parse().is_ok_and(|number: u32| defines.contains(&(name, number)));
        match kind {
            "define" => named.extend(pieces(word(2)).next().map(|value| (name, value))),
            "ifdef" => {
                let is = defines.iter().any(|(known, _)| *known == name);
                open.push((is, is));
            }
            "if" => {
                let is = is_equal();
                open.push((is, is));
            }
            "elif" | "else" => {
                if let Some((counts, was)) = open.last_mut() {
                    *counts = !*was && (kind == "else" || is_equal());
                    *was |= *counts;
                }
            }
            "endif" => {
                open.pop();
            }
            _ => {}
        }
    }
    found
}

fn pieces(line: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let is_number = first.is_ascii_digit();
        let length = if is_number {
            let exponent = rest.find("e-").filter(|&e| rest[..e].chars().all(|c| c.is_ascii_digit() || c == '.'));
            let from = exponent.map_or(0, |e| e + 2);
            from + rest[from..].find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len() - from)
        } else if first.is_ascii_alphabetic() || first == '_' {
            rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else {
            let double = ["+=", "-=", "*=", "/=", "++", "<=", ">=", "==", "!=", "&&", "||"];
            if double.iter().any(|sign| rest.starts_with(sign)) { 2 } else { first.len_utf8() }
        };
        let text = &rest[..length];
        rest = &rest[length..];
        Some(match first {
            _ if is_number => Token::Number(text),
            c if c.is_ascii_alphabetic() || c == '_' => Token::Word(text),
            _ => Token::Sign(text),
        })
    })
}

impl<'a> Counter<'a> {
    pub(super) fn next(&mut self) -> Result<Token<'a>, Uncounted> {
        let token = self.tokens.get(self.place).copied().ok_or_else(|| Uncounted("it ends too early".into()))?;
        self.place += 1;
        Ok(token)
    }

    pub(super) fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.place).map(|token| token.text())
    }

    pub(super) fn peek_after(&self) -> Option<&'a str> {
        self.tokens.get(self.place + 1).map(|token| token.text())
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let is = self.peek() == Some(text);
        self.place += usize::from(is);
        is
    }

    pub(super) fn take_any(&mut self, texts: &[&str]) -> Option<&'a str> {
        let found = self.peek().filter(|text| texts.contains(text))?;
        self.place += 1;
        Some(found)
    }

    pub(super) fn expect(&mut self, text: &str) -> Result<(), Uncounted> {
        let place = self.peek().unwrap_or("the end");
        if self.take(text) { Ok(()) } else { Err(Uncounted(format!("'{text}' is expected, there is '{place}'"))) }
    }

    pub(super) fn name(&mut self) -> Result<&'a str, Uncounted> {
        match self.next()? {
            Token::Word(name) => Ok(name),
            other => Err(Uncounted(format!("a name is expected, there is '{}'", other.text()))),
        }
    }

    pub(super) fn kind(&mut self) -> Result<Type, Uncounted> {
        let name = self.name()?;
        Type::named(name).ok_or_else(|| Uncounted(format!("what type is {name}?")))
    }

    /// Goes behind the bracket that closes those that are open.
    pub(super) fn skip_to_end_of_brackets(&mut self) -> Result<(), Uncounted> {
        let mut open = 1;
        while open > 0 {
            match self.next()?.text() {
                "(" | "{" => open += 1,
                ")" | "}" => open -= 1,
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn skip_block(&mut self) -> Result<(), Uncounted> {
        self.expect("{")?;
        self.skip_to_end_of_brackets()
    }

    /// Goes behind a statement, a block or one that ends with a semicolon.
    pub(super) fn skip_statement(&mut self) -> Result<(), Uncounted> {
        if self.peek() == Some("{") {
            return self.skip_block();
        }
        while !self.take(";") {
            self.next()?;
        }
        Ok(())
    }
}
