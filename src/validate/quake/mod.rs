//! Loaders of the Quake engines, step by step. vkQuake, Ironwail and Quakespasm-Spiked share one ancestor and differ in
//! their checks (docs/formats/engines.md "Joints and clips"; Quake/gl_model.c, gl_mesh.c).
//!
//! They load a mesh together with the clip of the same name, so a fault in the clip is a fault of the model. They print
//! no line numbers.

mod anim;
mod mesh;
mod token;

use super::verdict::{Fallible, File, Outcome, Stop, Verdict, refuse, with_rule};
use crate::codes::{Rule, shared};
use bindpose_core::engines::EngineId;
use bindpose_parsers::Span;
use mesh::Extent;
use token::TokenReader;

/// True if a fault ends the program (`Sys_Error`), instead of only the model.
fn exits(engine: EngineId) -> bool {
    !matches!(engine, EngineId::VkQuake | EngineId::Ironwail)
}

/// Returns the number of characters that fit in the token buffer.
fn token_limit(engine: EngineId) -> usize {
    if matches!(engine, EngineId::VkQuake | EngineId::VkQuake135) { 4095 } else { SHORTEST_TOKEN_BUFFER }
}

/// Returns the word for a joint in messages.
fn joint_word(engine: EngineId) -> &'static str {
    if matches!(engine, EngineId::VkQuake | EngineId::VkQuake135) { "joint" } else { "bone" }
}

/// The file of a model that contains the fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelFile {
    /// The .md5mesh.
    Mesh,
    /// The .md5anim of the same name.
    Anim,
}

/// Result of loading a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelVerdict {
    /// Verdict on the model.
    pub verdict: Verdict,
    /// File to which the spans belong.
    pub file: ModelFile,
}

/// Runs an engine's loader on a mesh and the clip of the same name.
pub fn load(engine: EngineId, mesh: File, anim: Option<File>) -> ModelVerdict {
    load_part(engine, mesh, anim, Extent::Whole)
}

/// Runs the loader as [`load`] does, for a mesh whose clip of the same name exists but is not available.
pub fn load_mesh_alone(engine: EngineId, mesh: File) -> ModelVerdict {
    load_part(engine, mesh, None, Extent::Alone)
}

/// Runs the loader as [`load`] does, until the clip has been read: for clips that share a mesh.
pub(crate) fn load_clip(engine: EngineId, mesh: File, anim: File) -> ModelVerdict {
    load_part(engine, mesh, Some(anim), Extent::Joints)
}

fn load_part(engine: EngineId, mesh: File, anim: Option<File>, extent: Extent) -> ModelVerdict {
    let mut loader = ModelLoader { engine, file: ModelFile::Mesh, verdict: Verdict::loads() };
    let result = mesh::load(&mut loader, mesh, anim, extent);
    ModelVerdict { verdict: loader.verdict.stopped(result), file: loader.file }
}

/// Runs an engine's loader on a clip without its mesh. The clip's own hierarchy replaces the mesh's.
pub(crate) fn load_anim_alone(engine: EngineId, anim: File) -> Verdict {
    let mut loader = ModelLoader { engine, file: ModelFile::Anim, verdict: Verdict::loads() };
    let result = anim::load_alone(&mut loader, anim);
    loader.verdict.stopped(result)
}

/// A joint of the mesh, as compared with the clip.
struct Joint<'a> {
    /// Name, cut to 31 bytes.
    name: &'a [u8],
    parent: i64,
    span: Span,
}

/// Largest number of bytes kept of a joint's name.
const NAME_KEPT: usize = 31;

/// State shared by all steps.
struct ModelLoader {
    engine: EngineId,
    file: ModelFile,
    verdict: Verdict,
}

impl ModelLoader {
    /// Refuses the file with the engine's message.
    fn fail<T>(&self, rule: Rule, span: Span, message: String) -> Fallible<T> {
        let outcome = if exits(self.engine) { Outcome::Exits } else { Outcome::Refuses };
        refuse(outcome, rule, span, message)
    }

    /// Ends the program: the engine crashes, regardless of how it treats faults.
    fn die<T>(&self, rule: Rule, span: Span, message: impl Into<String>) -> Fallible<T> {
        refuse(Outcome::Exits, rule, span, message)
    }

    /// Requires the current word to be `wanted`.
    fn require(&mut self, cursor: &mut TokenReader, wanted: &str) -> Fallible<()> {
        if cursor.check(wanted) {
            return Ok(());
        }
        if let (EngineId::Qss, Some(span)) = (self.engine, cursor.overlong()) {
            self.verdict.add_undefined(shared::LONG_STRING, span, || {
                format!("a word of {} characters is written into {SHORTEST_TOKEN_BUFFER}", span.range().len())
            });
            return Err(Stop::Lost);
        }
        // After an overlong word, all words are empty.
        let rule = if cursor.is_lost() { shared::LONG_STRING } else { shared::SYNTAX };
        let rule = if wanted == "10" { shared::VERSION } else { rule };
        self.fail(rule, cursor.span(), self.expected(cursor, wanted))
    }

    /// Requires a word, with a more specific rule than syntax.
    fn require_as(&mut self, cursor: &mut TokenReader, wanted: &str, rule: Rule) -> Fallible<()> {
        with_rule(self.require(cursor, wanted), rule)
    }

    fn expected(&self, cursor: &TokenReader, wanted: &str) -> String {
        if exits(self.engine) {
            return format!("Mod_LoadMD5MeshModel({}): Expected \"{wanted}\"", cursor.name);
        }
        format!("Mod_LoadMD5MeshModel({}): expected \"{wanted}\", found \"{}\"", cursor.name, cursor.printed())
    }

    /// Returns the message as in [`Self::expected`]. Ironwail does not print the word found here.
    fn expected_alone(&self, cursor: &TokenReader, wanted: &str) -> String {
        match self.engine {
            EngineId::Ironwail => format!("Mod_LoadMD5MeshModel({}): Expected \"{wanted}\"", cursor.name),
            _ => self.expected(cursor, wanted),
        }
    }

    /// Reads `( … )` with `length` numbers, which may be any words.
    fn vector(&mut self, cursor: &mut TokenReader, length: u64) -> Fallible<()> {
        self.require(cursor, "(")?;
        cursor.skip(length);
        self.require(cursor, ")")
    }

    /// Reads a count as [`Self::count`] does, of which the engine keeps 32 bits.
    fn narrow_count(&self, cursor: &mut TokenReader, keyword: &str) -> Fallible<u64> {
        let span = cursor.span();
        let count = cursor.unsigned() as i32;
        match u64::try_from(count) {
            Ok(count) if count <= MOST_ELEMENTS => Ok(count),
            _ => self.fail_to_allocate(span, keyword, i64::from(count)),
        }
    }

    /// Reads a count that determines an array's size. If it exceeds any memory, the program ends.
    fn count(&self, cursor: &mut TokenReader, keyword: &str) -> Fallible<(u64, Span)> {
        let (count, span) = cursor.number();
        if count > MOST_ELEMENTS {
            return self.fail_to_allocate(span, keyword, count as i64);
        }
        Ok((count, span))
    }

    /// Ends the program. The newest vkQuake prints nothing: its allocator returns a null pointer, through which it
    /// writes.
    fn fail_to_allocate<T>(&self, span: Span, keyword: &str, count: i64) -> Fallible<T> {
        let message = match self.engine {
            EngineId::VkQuake => String::new(),
            _ => format!("Hunk_Alloc: failed on … bytes ({keyword} {count})"),
        };
        self.die(shared::COUNT, span, message)
    }
}

/// Returns the rule for a wrong word after the command line: another keyword means a wrong order. Any other word means
/// that the command line has two words.
fn behind_command_line(cursor: &TokenReader) -> Rule {
    let is_keyword = cursor.text().starts_with(b"num") || cursor.text() == b"frameRate";
    if is_keyword { shared::KEYWORD_ORDER } else { shared::COMMANDLINE_VALUE }
}

/// Number of characters in the shortest token buffer of the family.
pub(super) const SHORTEST_TOKEN_BUFFER: usize = 1023;

/// Number of elements (a dozen bytes or more each) from which the allocation of an array is assumed to fail.
const MOST_ELEMENTS: u64 = 1 << 28;
