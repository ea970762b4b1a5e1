//! Reads entityDefs: keys and values.

use super::fault::FaultKind;
use super::lex::TokenKind;
use super::{Parsed, Word, body};
use crate::Span;
use std::collections::HashSet;

/// Key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValue {
    /// Key with its position.
    pub key: Word,
    /// Value with its position.
    pub value: Word,
}

/// EntityDef as written, without inherited keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntityDef {
    /// Keys in file order. If a key is repeated, the last one counts.
    pub keys: Vec<KeyValue>,
}

impl EntityDef {
    /// Returns the value of a key. The case of the key does not matter.
    pub fn get(&self, key: &str) -> Option<&Word> {
        let found = self.keys.iter().rev().find(|known| known.key.text.eq_ignore_ascii_case(key));
        found.map(|known| &known.value)
    }

    /// Returns the names of the entityDefs whose keys complete this one: the values of all keys that begin with
    /// `inherit`.
    pub fn parents(&self) -> impl Iterator<Item = &Word> {
        let is_inherit = |key: &str| key.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("inherit"));
        self.keys.iter().filter(move |known| is_inherit(&known.key.text)).map(|known| &known.value)
    }
}

// entityDef ::= '{' { "key" "value" } '}'
/// Reads an entityDef.
pub fn parse_entity(bytes: &[u8], decl: Span) -> Parsed<EntityDef> {
    let mut lexer = body(bytes, decl);
    let mut entity = EntityDef::default();
    let mut known = HashSet::new();
    while let Some(key) = lexer.next().filter(|token| token.kind == TokenKind::String || !token.is("}")) {
        if key.kind != TokenKind::String {
            lexer.add(FaultKind::UnquotedKey { found: key.to_text() }, key.span);
            break;
        }
        let Some(value) = lexer.next() else {
            lexer.add(FaultKind::UnexpectedEnd { expected: "a value" }, lexer.end_point());
            break;
        };
        if !known.insert(key.to_text().to_ascii_lowercase()) {
            lexer.add(FaultKind::DuplicateKey { key: key.to_text() }, key.span);
        }
        entity.keys.push(KeyValue { key: key.into(), value: value.into() });
    }
    Parsed { decl: entity, faults: lexer.faults }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(text: &str) -> Parsed<EntityDef> {
        parse_entity(text.as_bytes(), Span::new(0, text.len()))
    }

    #[test]
    fn keys_have_values_and_the_last_one_counts() {
        let parsed = entity("{ \"Model\" \"a\" \"inherit\" p \"model\" \"b\" \"inherit2\" \"q\" }");
        assert_eq!(parsed.decl.get("MODEL").map(|word| word.text.as_str()), Some("b"));
        assert_eq!(parsed.decl.parents().map(|word| word.text.as_str()).collect::<Vec<_>>(), ["p", "q"]);
        assert_eq!(parsed.faults[0].kind, FaultKind::DuplicateKey { key: "model".into() });
        assert!(!parsed.is_rejected());
    }

    /// Searching all keys before each one, or copying all faults for each string, would take minutes.
    #[test]
    fn many_keys_and_faults_are_read_at_once() {
        const COUNT: usize = 300_000;
        let distinct: String = (0..COUNT).map(|key| format!("\"k{key:06}\" \"v\"\n")).collect();
        let parsed = entity(&format!("{{ {distinct} }}"));
        assert_eq!((parsed.decl.keys.len(), parsed.faults.len()), (COUNT, 0));
        let parsed = entity(&format!("{{ {} }}", "\"k\" \"v\"\n".repeat(COUNT)));
        assert_eq!((parsed.decl.keys.len(), parsed.faults.len()), (COUNT, COUNT - 1));
    }

    #[test]
    fn e05_the_engine_rejects_a_decl_with_a_key_without_quotes() {
        let parsed = entity("{ model \"a\" }");
        assert_eq!(parsed.rejected_by().map(|fault| fault.span), Some(Span::new(2, 7)));
        // `-5` is two words. The second is in the place of a key.
        assert!(entity("{ \"health\" -5 \"a\" \"b\" }").is_rejected());
        assert!(!entity("{ \"health\" 5 }").is_rejected());
    }
}
