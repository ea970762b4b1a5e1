//! Doom 3's loaders for .md5mesh, .md5anim and .md5camera, step by step, with the same checks in the same order, the
//! same messages and the same line numbers (docs/formats/md5.md "What Doom 3 checks in a mesh file"; dhewm3 as of
//! 2026-04).
//!
//! The Dark Mod, Quake 4 and RBDOOM-3-BFG share this grammar. The Dark Mod does not swallow the character after a block
//! comment. For Quake 4, bytes from 0x80 are not white space. RBDOOM-3-BFG only warns about a different number of
//! joints.

mod anim;
mod camera;
mod lexer;
mod mesh;
mod pair;

pub use pair::{Mismatch, check_pair};

use super::verdict::{Fallible, Stop, Verdict, with_rule};
use crate::codes::{Rule, shared};
use bindpose_core::engines::EngineId;
use bindpose_core::import::Contents;
use bindpose_parsers::Span;
use lexer::Lexer;
use std::borrow::Cow;

/// A joint, as needed for matching a clip to a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joint<'a> {
    /// Name as bytes.
    pub name: Cow<'a, [u8]>,
    /// Index of the parent. Negative for a root.
    pub parent: i32,
    /// Span from the name to the last number read.
    pub span: Span,
}

/// Result of loading a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded<'a> {
    /// Verdict on the file.
    pub verdict: Verdict,
    /// Joints read so far. Empty for a camera.
    pub joints: Vec<Joint<'a>>,
    swallowed: bool,
    high_space: Option<Span>,
}

impl Loaded<'_> {
    /// True if another engine of this family may judge the same file differently.
    pub fn differs_in(&self, engine: EngineId) -> bool {
        match engine {
            EngineId::Tdm => self.swallowed,
            EngineId::Quake4 => self.high_space.is_some(),
            _ => false,
        }
    }
}

/// Runs an engine's loader on a file.
pub fn load<'a>(engine: EngineId, kind: Contents, bytes: &'a [u8]) -> Loaded<'a> {
    let mut loaded = match kind {
        Contents::Model => mesh::load(Lexer::new(engine, bytes, true)),
        Contents::Clip => anim::load(Lexer::new(engine, bytes, false)),
        Contents::Camera => camera::load(Lexer::new(engine, bytes, false)),
    };
    if let (EngineId::Quake4, Some(span)) = (engine, loaded.high_space) {
        loaded.verdict.add_undefined(shared::NOT_ASCII, span, || {
            "a byte from 0x80 outside of strings is looked up before the table of punctuation".to_owned()
        });
    }
    loaded
}

/// Size of the buffer in which the engine composes a message, including the closing zero. It does not check the bound.
const MESSAGE_BUFFER: usize = 1024;

/// Runs a loader's steps and converts a refusal to a verdict.
fn judge<'a>(
    mut lexer: Lexer<'a>,
    steps: impl FnOnce(&mut Lexer<'a>, &mut Verdict, &mut Vec<Joint<'a>>) -> Fallible<()>,
) -> Loaded<'a> {
    let mut verdict = Verdict::loads();
    let mut joints = Vec::new();
    if let Err(Stop::Refusal(refusal)) = steps(&mut lexer, &mut verdict, &mut joints) {
        let (outcome, refusal) = *refusal;
        verdict.outcome = outcome;
        if refusal.line.is_some() && refusal.message.len() >= MESSAGE_BUFFER {
            verdict.add_undefined(shared::LONG_STRING, refusal.span, || {
                format!("the message has {} bytes, and {MESSAGE_BUFFER} are kept for it", refusal.message.len() + 1)
            });
        }
        verdict.refusal = Some(refusal);
    }
    verdict.warnings = std::mem::take(&mut lexer.warnings);
    Loaded { verdict, joints, swallowed: lexer.swallowed, high_space: lexer.high_space }
}

/// Largest single allocation: 2 GiB fail in all 32-bit builds, and in most others.
const MOST_IN_ONE_PIECE: i64 = 1 << 31;

/// Reports an array that the loader allocates before reading its content.
fn check_memory(verdict: &mut Verdict, count: i64, bytes_each: i64, span: Span) {
    let bytes = count.saturating_mul(bytes_each);
    if bytes > MOST_IN_ONE_PIECE {
        verdict.add_undefined(shared::COUNT, span, || format!("{count} of them take {bytes} bytes at once"));
    }
}

/// Reads the header, which all three kinds share.
fn read_header(lexer: &mut Lexer) -> Fallible<()> {
    lexer.require("MD5Version")?;
    let version = lexer.integer()?;
    if version != 10 {
        let message = format!("Invalid version {version}.  Should be version 10");
        return lexer.fail(shared::VERSION, lexer.last_span, message);
    }
    lexer.require_as("commandline", shared::COMMANDLINE_MISSING)?;
    lexer.any()?;
    Ok(())
}

/// Reads `keyword count`. Also returns the span of the count. `missing` is the rule for another word than the keyword:
/// after the command line, that had two words; after records, one is too many.
fn read_count(lexer: &mut Lexer, keyword: &str, missing: Rule) -> Fallible<(i32, Span)> {
    lexer.expect_keyword(keyword, missing)?;
    let count = lexer.integer()?;
    Ok((count, lexer.last_span))
}

/// Reads a count as [`read_count`] does, for an array whose size must not be negative.
fn read_size(lexer: &mut Lexer, keyword: &str, missing: Rule) -> Fallible<(i32, Span)> {
    let (count, span) = read_count(lexer, keyword, missing)?;
    match count {
        0.. => Ok((count, span)),
        _ => lexer.fail(shared::COUNT, span, format!("Invalid size: {count}")),
    }
}

/// Reads the number of frames of a clip or camera.
fn read_frame_count(lexer: &mut Lexer) -> Fallible<(i32, Span)> {
    let (frames, span) = read_count(lexer, "numFrames", shared::COMMANDLINE_VALUE)?;
    match frames {
        1.. => Ok((frames, span)),
        _ => lexer.fail(shared::COUNT, span, format!("Invalid number of frames: {frames}")),
    }
}

/// Reads the beginning of a joint's row. Also returns the span of the name. A brace instead of the name ends a block that
/// is too short.
fn read_name_and_parent<'a>(lexer: &mut Lexer<'a>) -> Fallible<(Cow<'a, [u8]>, i32, Span)> {
    let name = lexer.any()?;
    let span = lexer.last_span;
    let rule = if name.as_ref() == b"}" { shared::BLOCK_COUNT } else { shared::SYNTAX };
    Ok((name, with_rule(lexer.integer(), rule)?, span))
}
