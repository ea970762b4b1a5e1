//! Declarations ("decls") in id Tech 4's text files: materials, skins, models, entities
//! (docs/formats/id4.md).
//!
//! [`parse_file`] splits a file into its decls, as the engine does when it starts. The function for a decl's kind reads
//! it when it is needed. A document keeps the content of the decl with positions, even if the engine rejects the decl.
//! The faults show this ([`Parsed::is_rejected`]).

mod entity;
mod expression;
mod fault;
mod file;
mod image;
mod lex;
mod material;
mod model;
mod ragdoll;
mod skin;
mod table;

pub use entity::{EntityDef, KeyValue, parse_entity};
pub use expression::{Expression, Operator};
pub use fault::{Fault, FaultKind, Impact};
pub use file::{Decl, DeclFile, DeclKind, canonical_name, parse_file};
pub use image::{IMAGE_FUNCTIONS, ImageProgram, parse_image_program};
pub use material::{
    Blend, BlendFactor, Coverage, CubeSides, Deform, Lighting, Map, Material, Sort, Stage, TexGen, TextureTransform,
    VertexColor, Wrap, parse_material,
};
pub use model::{AnimDecl, ChannelJoint, FrameCommand, ModelDecl, ModelItem, group_of, parse_model};
pub use ragdoll::{Ragdoll, RagdollBody, parse_ragdoll};
pub use skin::{Replacement, Skin, parse_skin};
pub use table::{Table, parse_table};

use crate::Span;

/// Maximum nesting depth of expressions and image programs.
pub const MAX_DEPTH: usize = 64;

impl FaultKind {
    /// Returns the words that the engine knows in the place of an unknown word. Returns an empty list for other faults.
    pub fn known_words(&self) -> Vec<&'static str> {
        match self {
            Self::UnknownMaterialWord { .. } => material::read::keywords().collect(),
            Self::UnknownStageWord { .. } => material::read::stage_keywords().collect(),
            Self::UnknownModelWord { .. } => model::WORDS.to_vec(),
            Self::UnknownCommand { .. } => model::commands().collect(),
            Self::UnknownChannel { .. } => model::CHANNELS.to_vec(),
            _ => Vec::new(),
        }
    }

    /// Returns the unknown word or name that the fault is about.
    pub fn unknown_word(&self) -> Option<&str> {
        match self {
            Self::UnknownMaterialWord { word }
            | Self::UnknownStageWord { word }
            | Self::UnknownModelWord { word, .. }
            | Self::UnknownCommand { word }
            | Self::UnknownChannel { name: word } => Some(word),
            _ => None,
        }
    }
}

/// Decl and its faults.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed<T> {
    /// Content, as far as it is readable.
    pub decl: T,
    /// Faults in file order.
    pub faults: Vec<Fault>,
}

impl<T> Parsed<T> {
    /// Returns the first fault for which the engine ignores the decl and uses its default. Returns `None` if it accepts
    /// the decl.
    pub fn rejected_by(&self) -> Option<&Fault> {
        self.faults.iter().find(|fault| fault.kind.impact() == Impact::Decl)
    }

    /// True if the engine ignores the decl and uses its default.
    pub fn is_rejected(&self) -> bool {
        self.rejected_by().is_some()
    }
}

/// Word of a decl and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Text without quotes.
    pub text: String,
    /// Position including quotes.
    pub span: Span,
}

impl From<lex::Token<'_>> for Word {
    fn from(token: lex::Token<'_>) -> Self {
        Self { text: token.to_text(), span: token.span }
    }
}

/// Result of reading a part. The fault ends the decl.
type Fallible<T> = Result<T, Fault>;

/// Takes the next word of a decl. Returns a fault at the end of the decl.
fn word<'a>(lexer: &mut lex::Lexer<'a>, expected: &'static str) -> Fallible<lex::Token<'a>> {
    lexer.next().ok_or_else(|| Fault { kind: FaultKind::UnexpectedEnd { expected }, span: lexer.end_point() })
}

/// Works as [`word`], but requires the word on the same line.
fn word_on_line<'a>(lexer: &mut lex::Lexer<'a>, expected: &'static str) -> Fallible<lex::Token<'a>> {
    let found = lexer.next_on_line();
    found.ok_or_else(|| Fault { kind: FaultKind::UnexpectedLineEnd { expected }, span: lexer.end_point() })
}

/// Takes a mark, which is given with its quotes for messages (`"'('"`). Any other word is a fault.
fn require(lexer: &mut lex::Lexer<'_>, expected: &'static str) -> Fallible<()> {
    let token = word(lexer, expected)?;
    match token.is_exactly(expected.trim_matches('\'')) {
        true => Ok(()),
        false => Err(Fault { kind: FaultKind::Expected { expected, found: token.to_text() }, span: token.span }),
    }
}

/// Reads a number with an optional minus.
fn float(lexer: &mut lex::Lexer<'_>) -> Fallible<f64> {
    let start = lexer.peek().map_or(lexer.end_point(), |token| token.span);
    lexer.float().map_err(|kind| Fault { kind, span: start })
}

/// Returns a lexer that starts after the opening brace of a decl.
fn body(bytes: &[u8], decl: Span) -> lex::Lexer<'_> {
    let mut lexer = lex::Lexer::new(bytes, decl);
    lexer.eat("{");
    lexer
}
