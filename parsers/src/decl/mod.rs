//! Decls: what id Tech 4 declares in text files, such as materials, skins, models and entities
//! (docs/formats/id4.md).
//!
//! [`parse_file`] splits a file into its decls, as the engine does when it starts; each is read by the function of its
//! kind when it is wanted. A document keeps what is written, with places, also where the engine gives the decl up: the
//! faults say so ([`Parsed::is_lost`]).

mod entity;
mod expression;
mod fault;
mod file;
mod image;
mod lex;
mod material;
mod model;
mod skin;
mod table;

pub use entity::{EntityDef, KeyValue, parse_entity};
pub use expression::{Expression, Operator};
pub use fault::{Fault, FaultKind, Loss};
pub use file::{Decl, DeclFile, DeclKind, canonical_name, parse_file};
pub use image::{ImageProgram, parse_image_program};
pub use material::{
    Blend, BlendFactor, Coverage, CubeSides, Deform, Lighting, Map, Material, Sort, Stage, TexGen, TextureTransform,
    VertexColor, Wrap, parse_material,
};
pub use model::{AnimDecl, ChannelJoint, FrameCommand, ModelDecl, ModelItem, parse_model};
pub use skin::{Replacement, Skin, parse_skin};
pub use table::{Table, parse_table};

use crate::Span;

/// How deep expressions and image programs may be nested.
pub const MAX_DEPTH: usize = 64;

/// A decl that was read, and what is wrong with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed<T> {
    /// What is written, as far as it can be read.
    pub decl: T,
    /// In the order of the text.
    pub faults: Vec<Fault>,
}

impl<T> Parsed<T> {
    /// Why the engine gives the decl up and uses the default instead; `None` if it keeps it.
    pub fn lost_by(&self) -> Option<&Fault> {
        self.faults.iter().find(|fault| fault.kind.loss() == Loss::Decl)
    }

    /// Whether the engine uses the default instead.
    pub fn is_lost(&self) -> bool {
        self.lost_by().is_some()
    }
}

/// A word of a decl and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Without quotes.
    pub text: String,
    /// With quotes.
    pub span: Span,
}

impl From<lex::Token<'_>> for Word {
    fn from(token: lex::Token<'_>) -> Self {
        Self { text: token.to_text(), span: token.span }
    }
}

/// Ends the reading of a decl with its fault.
type Fallible<T> = Result<T, Fault>;

/// The next word of a decl, or the fault of its end.
fn word<'a>(lexer: &mut lex::Lexer<'a>, expected: &'static str) -> Fallible<lex::Token<'a>> {
    lexer.next().ok_or_else(|| Fault { kind: FaultKind::UnexpectedEnd { expected }, span: lexer.end_point() })
}

/// As [`word`], on the same line.
fn word_on_line<'a>(lexer: &mut lex::Lexer<'a>, expected: &'static str) -> Fallible<lex::Token<'a>> {
    let found = lexer.next_on_line();
    found.ok_or_else(|| Fault { kind: FaultKind::UnexpectedLineEnd { expected }, span: lexer.end_point() })
}

/// Takes a certain word; any other is the fault.
fn require(lexer: &mut lex::Lexer<'_>, expected: &'static str) -> Fallible<()> {
    let token = word(lexer, expected)?;
    match token.is_exactly(expected) {
        true => Ok(()),
        false => Err(Fault { kind: FaultKind::Expected { expected, found: token.to_text() }, span: token.span }),
    }
}

/// A number, with a minus or not.
fn float(lexer: &mut lex::Lexer<'_>) -> Fallible<f64> {
    let start = lexer.peek().map_or(lexer.end_point(), |token| token.span);
    lexer.float().map_err(|kind| Fault { kind, span: start })
}

/// A decl's body: the words between its braces.
fn body(bytes: &[u8], decl: Span) -> lex::Lexer<'_> {
    let mut lexer = lex::Lexer::new(bytes, decl);
    lexer.eat("{");
    lexer
}
