//! Doom 3's loaders for .md5mesh, .md5anim and .md5camera, step by step: the same checks in the same order, the
//! same words, the same line numbers (md5.md sections 2, 4.1, 6.1 and 8; dhewm3 as of 2026-04).
//!
//! The Dark Mod, Quake 4 and, but for a limit or two, RBDOOM-3-BFG share this grammar.

mod anim;
mod camera;
mod lexer;
mod mesh;
mod pair;

pub use anim::{Anim, load_anim};
pub use camera::load_camera;
pub use mesh::{Mesh, load_mesh};
pub use pair::check_pair;

use super::number;
use super::verdict::{Outcome, Verdict};
use bindpose_parsers::Span;
use lexer::{Fallible, Lexer};
use std::borrow::Cow;

/// A joint as far as matching a clip to a mesh needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joint<'a> {
    /// The name's bytes.
    pub name: Cow<'a, [u8]>,
    /// Index of the parent; negative for a root.
    pub parent: i32,
    /// From the name to the last number that was read.
    pub span: Span,
}

/// Runs a loader's steps and turns a refusal into a verdict.
fn judge<'a>(lexer: &mut Lexer<'a>, steps: impl FnOnce(&mut Lexer<'a>, &mut Verdict) -> Fallible<()>) -> Verdict {
    let mut verdict = Verdict::loads();
    if let Err(refusal) = steps(lexer, &mut verdict) {
        verdict.outcome = Outcome::Refuses;
        verdict.refusal = Some(*refusal);
    }
    verdict.warnings = std::mem::take(&mut lexer.warnings);
    verdict
}

/// What all three kinds begin with.
fn read_header(lexer: &mut Lexer) -> Fallible<()> {
    lexer.expect("MD5Version")?;
    let version = lexer.integer()?;
    if version != 10 {
        let message = format!("Invalid version {version}.  Should be version 10");
        return lexer.fail(number::VERSION, lexer.last_span, message);
    }
    lexer.expect_as("commandline", number::COMMAND_LINE_MISSING)?;
    lexer.any()?;
    Ok(())
}

/// The count right behind the command line: where it is missing the command line had two words.
fn read_first_count(lexer: &mut Lexer, keyword: &str) -> Fallible<(i32, Span)> {
    lexer.expect_keyword(keyword, number::COMMAND_LINE_VALUE)?;
    let count = lexer.integer()?;
    Ok((count, lexer.last_span))
}

/// `keyword count`, the count's own bytes with it.
fn read_count(lexer: &mut Lexer, keyword: &str) -> Fallible<(i32, Span)> {
    lexer.expect_keyword(keyword, number::SYNTAX)?;
    let count = lexer.integer()?;
    Ok((count, lexer.last_span))
}
