//! The loaders of the Quake engines, step by step: vkQuake, Ironwail and Quakespasm-Spiked share one ancestor
//! and differ in what they check (docs/formats/engines.md "Joints and clips"; Quake/gl_model.c, gl_mesh.c).
//!
//! They load a mesh and the clip of the same name in one go: a fault in the clip is a fault of the model. There
//! are no line numbers.

mod anim;
mod mesh;
mod token;

use super::verdict::{Fallible, File, Outcome, Stop, Verdict, refuse};
use crate::codes::{Rule, shared};
use bindpose_core::engines::EngineId;
use bindpose_parsers::Span;
use token::TokenReader;

/// True if a fault ends the program (`Sys_Error`), not only the model.
fn exits(engine: EngineId) -> bool {
    !matches!(engine, EngineId::VkQuake | EngineId::Ironwail)
}

/// Characters that fit into the token buffer.
fn token_limit(engine: EngineId) -> usize {
    if matches!(engine, EngineId::VkQuake | EngineId::VkQuake135) { 4095 } else { SHORTEST_TOKEN_BUFFER }
}

/// Name of a joint in messages.
fn joint_word(engine: EngineId) -> &'static str {
    if matches!(engine, EngineId::VkQuake | EngineId::VkQuake135) { "joint" } else { "bone" }
}

/// The file of a model that is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelFile {
    /// The .md5mesh.
    Mesh,
    /// The .md5anim of the same name.
    Anim,
}

/// Result of loading a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelVerdict {
    /// Verdict on the model.
    pub verdict: Verdict,
    /// File that the spans belong to.
    pub file: ModelFile,
}

/// Follows an engine's loader through a mesh and the clip of the same name.
pub fn load(engine: EngineId, mesh: File, anim: Option<File>) -> ModelVerdict {
    let mut loader = ModelLoader { engine, file: ModelFile::Mesh, verdict: Verdict::loads() };
    let result = mesh::load(&mut loader, mesh, anim, mesh::Extent::Whole);
    loader.finish(result)
}

/// As [`load`], for a mesh that has a clip of its name which is not at hand.
pub fn load_mesh_alone(engine: EngineId, mesh: File) -> ModelVerdict {
    let mut loader = ModelLoader { engine, file: ModelFile::Mesh, verdict: Verdict::loads() };
    let result = mesh::load(&mut loader, mesh, None, mesh::Extent::Alone);
    loader.finish(result)
}

/// As [`load`], up to where the clip has been read: for clips that share a mesh.
pub(crate) fn load_clip(engine: EngineId, mesh: File, anim: File) -> ModelVerdict {
    let mut loader = ModelLoader { engine, file: ModelFile::Mesh, verdict: Verdict::loads() };
    let result = mesh::load(&mut loader, mesh, Some(anim), mesh::Extent::Joints);
    loader.finish(result)
}

/// Follows an engine's loader through a clip whose mesh is not at hand: its own hierarchy stands for the mesh's.
pub(crate) fn load_anim_alone(engine: EngineId, anim: File) -> Verdict {
    let mut loader = ModelLoader { engine, file: ModelFile::Anim, verdict: Verdict::loads() };
    let result = anim::load_alone(&mut loader, anim);
    loader.finish(result).verdict
}

/// The steps' common state.
struct ModelLoader {
    engine: EngineId,
    file: ModelFile,
    verdict: Verdict,
}

impl ModelLoader {
    fn finish(self, result: Fallible<()>) -> ModelVerdict {
        ModelVerdict { verdict: self.verdict.stopped(result), file: self.file }
    }

    /// The engine gives up in its own words.
    fn fail<T>(&self, rule: Rule, span: Span, message: String) -> Fallible<T> {
        let outcome = if exits(self.engine) { Outcome::Exits } else { Outcome::Refuses };
        refuse(outcome, rule, span, message)
    }

    /// The engine dies whatever it does with faults.
    fn die<T>(&self, rule: Rule, span: Span, message: impl Into<String>) -> Fallible<T> {
        refuse(Outcome::Exits, rule, span, message)
    }

    /// The current word must be this one.
    fn require(&mut self, cursor: &mut TokenReader, name: &str, wanted: &str) -> Fallible<()> {
        if cursor.check(wanted) {
            return Ok(());
        }
        if let (EngineId::Qss, Some(span)) = (self.engine, cursor.overlong()) {
            self.verdict.add_undefined(shared::LONG_STRING, span, || {
                format!("a word of {} characters is written into {SHORTEST_TOKEN_BUFFER}", span.range().len())
            });
            return Err(Stop::Lost);
        }
        // After an overlong word nothing more is found.
        let rule = if cursor.is_lost() { shared::LONG_STRING } else { shared::SYNTAX };
        let rule = if wanted == "10" { shared::VERSION } else { rule };
        self.fail(rule, cursor.span(), self.expected(cursor, name, wanted))
    }

    /// As [`Self::require`], with a rule that says more than "syntax".
    fn require_as(&mut self, cursor: &mut TokenReader, name: &str, wanted: &str, rule: Rule) -> Fallible<()> {
        with_rule(self.require(cursor, name, wanted), rule)
    }

    fn expected(&self, cursor: &TokenReader, name: &str, wanted: &str) -> String {
        if exits(self.engine) {
            return format!("Mod_LoadMD5MeshModel({name}): Expected \"{wanted}\"");
        }
        format!("Mod_LoadMD5MeshModel({name}): expected \"{wanted}\", found \"{}\"", cursor.printed())
    }

    /// As [`Self::expected`], where Ironwail does not print what it found.
    fn expected_alone(&self, cursor: &TokenReader, name: &str, wanted: &str) -> String {
        match self.engine {
            EngineId::Ironwail => format!("Mod_LoadMD5MeshModel({name}): Expected \"{wanted}\""),
            _ => self.expected(cursor, name, wanted),
        }
    }

    /// `( … )` with so many numbers, which may be any words.
    fn vector(&mut self, cursor: &mut TokenReader, name: &str, length: u64) -> Fallible<()> {
        self.require(cursor, name, "(")?;
        cursor.skip(length);
        self.require(cursor, name, ")")
    }

    /// As [`Self::count`], where the engine keeps 32 bits of it.
    fn narrow_count(&self, cursor: &mut TokenReader, keyword: &str) -> Fallible<u64> {
        let span = cursor.span();
        let count = cursor.unsigned() as i32;
        match u64::try_from(count) {
            Ok(count) if count <= MOST_ELEMENTS => Ok(count),
            _ => self.fail_to_allocate(span, keyword, i64::from(count)),
        }
    }

    /// A count that sizes an array; what no memory holds ends the program.
    fn count(&self, cursor: &mut TokenReader, keyword: &str) -> Fallible<(u64, Span)> {
        let span = cursor.span();
        let count = cursor.unsigned();
        if count > MOST_ELEMENTS {
            return self.fail_to_allocate(span, keyword, count as i64);
        }
        Ok((count, span))
    }

    /// The newest vkQuake prints nothing: its allocator returns a null pointer, through which it writes.
    fn fail_to_allocate<T>(&self, span: Span, keyword: &str, count: i64) -> Fallible<T> {
        let message = match self.engine {
            EngineId::VkQuake => String::new(),
            _ => format!("Hunk_Alloc: failed on … bytes ({keyword} {count})"),
        };
        self.die(shared::COUNT, span, message)
    }
}

/// Gives a refusal for the wrong word a rule that says more.
fn with_rule<T>(result: Fallible<T>, rule: Rule) -> Fallible<T> {
    result.map_err(|mut stop| {
        if let Stop::Refusal(refusal) = &mut stop
            && refusal.1.rule == shared::SYNTAX
        {
            refusal.1.rule = rule;
        }
        stop
    })
}

/// The count right behind the command line is another keyword where the order is wrong, else the command line
/// has two words.
fn behind_command_line(cursor: &TokenReader) -> Rule {
    let is_keyword = cursor.text().starts_with(b"num") || cursor.text() == b"frameRate";
    if is_keyword { shared::KEYWORD_ORDER } else { shared::COMMANDLINE_VALUE }
}

/// The shortest token buffer of the family holds this many characters.
pub(super) const SHORTEST_TOKEN_BUFFER: usize = 1023;

/// Arrays beyond this many elements of a dozen bytes or more are taken to fail.
const MOST_ELEMENTS: u64 = 1 << 28;
