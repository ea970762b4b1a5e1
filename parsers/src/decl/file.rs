//! Splits files into decls: kinds, names and positions.

use super::fault::{Fault, FaultKind};
use super::lex::{Lexer, TokenKind};
use crate::Span;

/// Kind of a decl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeclKind {
    /// Numbers that materials look up.
    Table,
    /// Look of a surface.
    Material,
    /// Replacements of materials.
    Skin,
    /// Mesh with its anims and channels.
    Model,
    /// Keys of an entity.
    EntityDef,
    /// Bodies of a ragdoll.
    Ragdoll,
    /// All other kinds, which are not read: sounds, effects, particles and more.
    Other,
}

impl DeclKind {
    /// Returns the kind of decls without a type word in files of a folder: `materials`, `skins`, `def` and others.
    pub fn of_folder(folder: &str) -> Option<Self> {
        match folder {
            "materials" => Some(Self::Material),
            "skins" => Some(Self::Skin),
            "def" => Some(Self::EntityDef),
            "af" => Some(Self::Ragdoll),
            "sound" | "fx" | "particles" | "newpdas" => Some(Self::Other),
            _ => None,
        }
    }

    /// Returns the kind for a type word. `export` blocks are instructions for another program.
    fn of_word(word: &str, folder: Self) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "table" => Self::Table,
            "material" => Self::Material,
            "skin" => Self::Skin,
            "entitydef" => Self::EntityDef,
            "articulatedfigure" => Self::Ragdoll,
            // The engine knows them only after it has read materials and skins.
            "model" if folder != Self::Material && folder != Self::Skin => Self::Model,
            "export" if folder != Self::Material && folder != Self::Skin => Self::Other,
            "sound" | "mapdef" | "fx" | "particle" | "pda" | "email" | "video" | "audio" => Self::Other,
            _ => return None,
        })
    }

    /// Returns the noun for the kind in messages.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Material => "material",
            Self::Skin => "skin",
            Self::Model => "model",
            Self::EntityDef => "entityDef",
            Self::Ragdoll => "articulatedFigure",
            Self::Other => "decl",
        }
    }
}

/// Decl in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decl {
    /// Kind, from the type word or the folder.
    pub kind: DeclKind,
    /// Canonical name ([`canonical_name`]).
    pub name: String,
    /// Position of the written name.
    pub name_span: Span,
    /// Block including its braces. The closing brace is missing if the file ends first.
    pub body: Span,
}

/// Decls of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeclFile {
    /// Decls in file order.
    pub decls: Vec<Decl>,
    /// Faults that prevent the engine from reading the whole file.
    pub faults: Vec<Fault>,
}

/// Returns the name as the engine compares it: lower case, `/` for `\`, and without the last dot and everything after
/// it.
pub fn canonical_name(name: &str) -> String {
    let name = name.replace('\\', "/").to_ascii_lowercase();
    name.rsplit_once('.').map_or_else(|| name.clone(), |(stem, _)| stem.to_owned())
}

// file ::= { [type] name '{' balanced braces '}' }
/// Splits a file into its decls. Those without a type word are of kind `folder` ([`DeclKind::of_folder`]).
pub fn parse_file(bytes: &[u8], folder: DeclKind) -> DeclFile {
    let mut lexer = Lexer::new(bytes, Span::new(0, bytes.len()));
    let mut decls = Vec::new();
    // True after an unreadable word has ended a decl. Everything up to the next decl is then a consequence.
    let mut is_recovering = false;
    // True right after a name without a block.
    let mut has_lost_name = false;
    while let Some(first) = lexer.next() {
        let is_without_name = std::mem::take(&mut has_lost_name);
        // The engine takes a word in quotes for a type, too.
        let kind = DeclKind::of_word(&first.to_text(), folder);
        let is_export = first.is("export");
        let name = match kind {
            Some(_) => match lexer.next() {
                Some(name) => name,
                None => {
                    lexer.add(FaultKind::NoDefinition { word: first.to_text() }, first.span);
                    break;
                }
            },
            None => first,
        };
        if name.is_exactly("{") {
            if !is_recovering && !is_without_name {
                lexer.add(FaultKind::MissingName, name.span);
            }
            lexer.skip_braces();
            continue;
        }
        let Some(brace) = lexer.next() else {
            lexer.add(FaultKind::NoDefinition { word: name.to_text() }, name.span);
            break;
        };
        if !brace.is_exactly("{") {
            if name.is_exactly("}") && !is_recovering {
                lexer.add(FaultKind::StrayBrace { swallowed: brace.to_text() }, name.span);
                if lexer.eat("{") {
                    lexer.skip_braces();
                }
                continue;
            }
            if !is_recovering {
                let fault = FaultKind::MissingBlock { name: name.to_text(), found: brace.to_text() };
                lexer.add(fault, name.span.to(brace.span));
                has_lost_name = true;
            }
            continue;
        }
        let nested = lexer.faults.len();
        let is_closed = lexer.skip_braces();
        // An unreadable word ends the block. It is the cause.
        let is_cause = |fault: &Fault| fault.span.start >= brace.span.start && fault.kind != FaultKind::NestedComment;
        is_recovering = !is_closed && lexer.faults.iter().skip(nested).any(is_cause);
        if !is_closed && !is_recovering {
            let hidden = hidden_decl(bytes, brace.span.to(lexer.end_point()), folder);
            lexer.add(FaultKind::OpenBlock { name: name.to_text(), hidden }, name.span);
        }
        if !is_export {
            let body = brace.span.to(lexer.end_point());
            let name_span = name.span;
            let name = canonical_name(&name.to_text());
            decls.push(Decl { kind: kind.unwrap_or(folder), name, name_span, body });
        }
    }
    DeclFile { decls, faults: lexer.faults }
}

/// Returns the name of what looks like the first decl in a block: `type name {`, or `folder/name {` at the beginning of a
/// line.
fn hidden_decl(bytes: &[u8], block: Span, folder: DeclKind) -> Option<String> {
    let mut lexer = Lexer::new(bytes, block);
    while let Some(first) = lexer.next() {
        let word = first.to_text();
        let is_type = DeclKind::of_word(&word, folder).is_some();
        if !first.starts_line || first.kind == TokenKind::String || !is_type && !word.contains('/') {
            continue;
        }
        let name = if is_type { lexer.next()?.to_text() } else { word };
        if lexer.peek().is_some_and(|next| next.is_exactly("{")) {
            return Some(name);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, folder: DeclKind) -> (Vec<(DeclKind, String)>, Vec<FaultKind>) {
        let file = parse_file(text.as_bytes(), folder);
        let decls = file.decls.into_iter().map(|decl| (decl.kind, decl.name)).collect();
        (decls, file.faults.into_iter().map(|fault| fault.kind).collect())
    }

    fn material(name: &str) -> (DeclKind, String) {
        (DeclKind::Material, name.to_owned())
    }

    #[test]
    fn d01_d02_d04_names_and_types() {
        use DeclKind::{EntityDef, Material, Model, Skin};
        assert_eq!(found("foo/bar { }", Material).0, [material("foo/bar")]);
        assert_eq!(found("material Foo\\Bar.tga { }", Material).0, [material("foo/bar")]);
        assert_eq!(found("skin x { } MATERIAL y { a { b } }", Material).0, [(Skin, "x".into()), material("y")]);
        assert_eq!(found("model m { } e { }", EntityDef).0, [(Model, "m".into()), (EntityDef, "e".into())]);
        // Models are not known yet, so the word is a name.
        assert_eq!(found("model { }", Material).0, [material("model")]);
        // Quotes do not make a name of a type word.
        assert_eq!(found("\"skin\" x { } \"b\" { }", Material), (vec![(Skin, "x".into()), material("b")], Vec::new()));
        assert_eq!(found("\"skin\" { } b { }", Material).1, found("skin { } b { }", Material).1);
    }

    #[test]
    fn d05_d06_d07_broken_files_are_read_on() {
        let (decls, faults) = found("{ diffusemap a } b { }", DeclKind::Material);
        assert_eq!((decls, faults), (vec![material("b")], vec![FaultKind::MissingName]));
        let (decls, faults) = found("models/foo-bar { }", DeclKind::Material);
        assert_eq!(decls, [material("bar")]);
        let kind = FaultKind::MissingBlock { name: "models/foo".into(), found: "-".into() };
        assert_eq!(faults, std::slice::from_ref(&kind));
        assert_eq!(kind.to_string(), "expected '{' after the name 'models/foo', found '-'");
        let (decls, faults) = found("a { b { } \n", DeclKind::Material);
        assert_eq!((decls.len(), faults), (1, vec![FaultKind::OpenBlock { name: "a".into(), hidden: None }]));
        let (_, faults) = found("a { { map x }\n twosided\n { map y }\n m/b {\n } c { }", DeclKind::Material);
        assert_eq!(faults, [FaultKind::OpenBlock { name: "a".into(), hidden: Some("m/b".into()) }]);
        let (_, faults) = found("model a { anim x y/z {\nmodel b { }", DeclKind::EntityDef);
        assert_eq!(faults, [FaultKind::OpenBlock { name: "a".into(), hidden: Some("b".into()) }]);
        // A stray brace becomes a name and takes the next word.
        let (decls, faults) = found("a { } } b { } c { }", DeclKind::Material);
        assert_eq!(decls, [material("a"), material("c")]);
        assert_eq!(faults, [FaultKind::StrayBrace { swallowed: "b".into() }]);
        // An open quote ends its decl at the end of the line. The engine continues and reads the brace as a name.
        let (decls, faults) = found("a { \"x\n } b { } c { }", DeclKind::Material);
        assert_eq!(decls, [material("a"), material("c")]);
        assert_eq!(faults, [FaultKind::OpenString]);
        let (decls, faults) = found("a { { map \"x\n } } b { } c d", DeclKind::Material);
        assert_eq!(decls, [material("a"), material("b")]);
        assert_eq!(faults.len(), 2, "the open string and c, which has no block: {faults:?}");
        let (_, faults) = found("material", DeclKind::Material);
        assert_eq!(faults, [FaultKind::NoDefinition { word: "material".into() }]);
    }

    #[test]
    fn d08_d09_exports_and_comments_are_skipped() {
        assert_eq!(found("export fred { a { b } } x { }", DeclKind::EntityDef).0, [(DeclKind::EntityDef, "x".into())]);
        let (decls, faults) = found("/* a /* b */ a { }", DeclKind::Material);
        assert_eq!((decls, faults), (vec![material("a")], vec![FaultKind::NestedComment]));
    }
}
