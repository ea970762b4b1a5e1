//! Reads skins: replacements of materials.

use super::fault::FaultKind;
use super::file::canonical_name;
use super::{Parsed, Word, body};
use crate::Span;
use std::collections::HashSet;

/// Pair of materials in a skin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Material to replace. `*` matches any material.
    pub from: Word,
    /// Replacement of the material.
    pub to: Word,
}

/// Skin: replacements of materials.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skin {
    /// Models for which the skin is meant. The engine does not enforce this.
    pub models: Vec<Word>,
    /// Pairs in file order. The first match counts.
    pub pairs: Vec<Replacement>,
}

impl Skin {
    /// Returns the replacement of a material. Names are compared as in the engine. Replacements are not replaced again.
    pub fn replace(&self, material: &str) -> Option<&str> {
        let name = canonical_name(material);
        let fits = |pair: &&Replacement| pair.from.text == "*" || canonical_name(&pair.from.text) == name;
        self.pairs.iter().find(fits).map(|pair| pair.to.text.as_str())
    }
}

// skin ::= '{' { 'model' path | from to } '}'
/// Reads a skin.
pub fn parse_skin(bytes: &[u8], decl: Span) -> Parsed<Skin> {
    let mut lexer = body(bytes, decl);
    let mut skin = Skin::default();
    // Names that earlier pairs replace. `*` matches all.
    let (mut replaced, mut all_are) = (HashSet::new(), false);
    while let Some(from) = lexer.next().filter(|token| !token.is("}")) {
        let Some(to) = lexer.next() else {
            lexer.add(FaultKind::UnexpectedEnd { expected: "the second name of the pair" }, lexer.end_point());
            break;
        };
        if from.is("model") {
            skin.models.push(to.into());
            continue;
        }
        if to.is("}") {
            lexer.add(FaultKind::HalfPair { from: from.to_text() }, from.span);
        }
        if !replaced.insert(canonical_name(&from.to_text())) || all_are {
            lexer.add(FaultKind::HiddenPair { from: from.to_text() }, from.span);
        }
        all_are |= from.is_exactly("*");
        skin.pairs.push(Replacement { from: from.into(), to: to.into() });
    }
    Parsed { decl: skin, faults: lexer.faults }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skin(text: &str) -> Parsed<Skin> {
        parse_skin(text.as_bytes(), Span::new(0, text.len()))
    }

    fn replaced<'s>(skin: &'s Skin, materials: &[&str]) -> Vec<Option<&'s str>> {
        materials.iter().map(|name| skin.replace(name)).collect()
    }

    #[test]
    fn s01_s02_s07_s10_pairs_replace_once() {
        assert_eq!(replaced(&skin("{ a b }").decl, &["a", "A.tga", "c"]), [Some("b"), Some("b"), None]);
        assert_eq!(replaced(&skin("{ * n }").decl, &["a", "c"]), [Some("n"), Some("n")]);
        assert_eq!(replaced(&skin("{ A B  B C }").decl, &["a", "b"]), [Some("B"), Some("C")]);
        let skin = skin("{ model models/x.md5mesh a b }").decl;
        assert_eq!((skin.models[0].text.as_str(), skin.pairs.len()), ("models/x.md5mesh", 1));
    }

    #[test]
    fn s03_s04_a_pair_that_is_never_reached_is_a_fault() {
        let twice = skin("{ a b a c }");
        assert_eq!(replaced(&twice.decl, &["a"]), [Some("b")]);
        assert_eq!(twice.faults[0].kind, FaultKind::HiddenPair { from: "a".into() });
        let star = skin("{ * n a b }");
        assert_eq!(replaced(&star.decl, &["a"]), [Some("n")]);
        assert_eq!(star.faults.len(), 1);
    }

    /// Searching all names before each one would take minutes.
    #[test]
    fn many_pairs_are_read_at_once() {
        const COUNT: usize = 100_000;
        let pairs: String = (0..COUNT).map(|pair| format!("a{pair} b\n")).collect();
        let parsed = skin(&format!("{{ {pairs} A7.tga c }}"));
        assert_eq!(parsed.decl.pairs.len(), COUNT + 1);
        let hidden: Vec<_> = parsed.faults.iter().map(|fault| &fault.kind).collect();
        assert_eq!(hidden, [&FaultKind::HiddenPair { from: "A7.tga".into() }]);
    }

    #[test]
    fn s08_half_a_pair_takes_the_brace() {
        let half = skin("{ a }");
        assert_eq!(half.decl.replace("a"), Some("}"));
        assert_eq!(half.faults[0].kind, FaultKind::HalfPair { from: "a".into() });
        assert!(!half.is_rejected());
        assert!(skin("{ a").is_rejected());
    }
}
