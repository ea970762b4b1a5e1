//! Loaders that read a mesh to its end before they look at a clip, step by step: Q2PRO, FTEQW, yquake2remaster, Daemon,
//! ET:Legacy, Cube 2 and assimp (docs/formats/engines.md "Words and order").
//!
//! What they check, in which order, and in which words they refuse it was read in their sources: Q2PRO 3aa0d40b,
//! FTEQW 93257c1a, yquake2remaster e98451aa, Daemon b276137b, ET:Legacy a8e5f856, Red Eclipse
//! faf378d1, assimp 6.0.5 and 21bea12f.

mod assimp;
mod cube2;
mod daemon;
mod fteqw;
mod numbers;
mod q2pro;
mod rules;
mod words;
mod yquake2;

use super::verdict::{Outcome, Refusal, Verdict};
use crate::codes::{Rule, pair, shared};
use crate::outline::Outline;
use assimp::Version;
use bindpose_parsers::Span;
use daemon::Branch;
use std::collections::BTreeMap;

/// One of the engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Q2PRO and q2repro, which holds the same parser.
    Q2pro,
    /// FTEQW.
    Fteqw,
    /// yquake2remaster.
    Yquake2,
    /// Daemon.
    Daemon,
    /// ET:Legacy's second renderer.
    EtLegacy,
    /// Red Eclipse, and what else is made of Cube 2.
    Cube2,
    /// assimp after 6.0.5.
    Assimp,
    /// assimp up to 6.0.5.
    Assimp605,
}

/// All engines.
pub const ENGINES: [Engine; 8] = [
    Engine::Q2pro,
    Engine::Fteqw,
    Engine::Yquake2,
    Engine::Daemon,
    Engine::EtLegacy,
    Engine::Cube2,
    Engine::Assimp,
    Engine::Assimp605,
];

/// A file and the name that messages show.
#[derive(Debug, Clone, Copy)]
pub struct File<'a, 'o> {
    /// What was found in it for all engines.
    pub outline: &'o Outline<'a>,
    /// Path as the engine would print it.
    pub name: &'o str,
}

/// A joint as clips are compared with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Joint<'a> {
    /// As much as the engine keeps.
    name: &'a [u8],
    /// Index of the parent as it was read; the bounds were not necessarily checked.
    parent: i32,
}

/// What a clip is compared with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skeleton<'a> {
    joints: Vec<Joint<'a>>,
    /// One more than the largest joint that a weight names.
    used: usize,
}

/// What an engine made of a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedMesh<'a> {
    /// How loading ends.
    pub verdict: Verdict,
    /// Its joints, where the mesh loads.
    pub skeleton: Option<Skeleton<'a>>,
}

/// Follows an engine's loader through a mesh.
pub fn load_mesh<'a>(engine: Engine, file: File<'a, '_>) -> LoadedMesh<'a> {
    let mut steps = Verdict::loads();
    let result = match engine {
        Engine::Q2pro => q2pro::read_mesh(&mut steps, file),
        Engine::Fteqw => fteqw::read_mesh(&mut steps, file),
        Engine::Yquake2 => yquake2::read_mesh(&mut steps, file),
        Engine::Daemon => daemon::read_mesh(Branch::Daemon, &mut steps, file),
        Engine::EtLegacy => daemon::read_mesh(Branch::EtLegacy, &mut steps, file),
        Engine::Cube2 => cube2::read_mesh(&mut steps, file),
        Engine::Assimp => assimp::read_mesh(Version::Later, &mut steps, file),
        Engine::Assimp605 => assimp::read_mesh(Version::Release, &mut steps, file),
    };
    match result {
        Ok(skeleton) => LoadedMesh { verdict: steps, skeleton: Some(skeleton) },
        Err(stop) => LoadedMesh { verdict: finish(steps, Err(stop)), skeleton: None },
    }
}

/// Follows an engine's loader through a clip and puts it on a mesh's joints; without a mesh, nothing is compared.
pub fn load_anim(engine: Engine, skeleton: Option<&Skeleton>, mesh_name: &str, file: File) -> Verdict {
    let mut verdict = Verdict::loads();
    let result = match engine {
        Engine::Q2pro => q2pro::read_anim(&mut verdict, skeleton, file),
        Engine::Fteqw => fteqw::read_anim(&mut verdict, skeleton, file),
        Engine::Yquake2 => yquake2::read_anim(&mut verdict, skeleton, file),
        Engine::Daemon => daemon::read_anim(Branch::Daemon, &mut verdict, skeleton, mesh_name, file),
        Engine::EtLegacy => daemon::read_anim(Branch::EtLegacy, &mut verdict, skeleton, mesh_name, file),
        Engine::Cube2 => cube2::read_anim(&mut verdict, skeleton, file),
        Engine::Assimp | Engine::Assimp605 => assimp::read_anim(&mut verdict, skeleton, file),
    };
    finish(verdict, result)
}

/// Follows an engine's loader through a camera; `None` for those that read none.
pub fn load_camera(engine: Engine, file: File) -> Option<Verdict> {
    let version = match engine {
        Engine::Assimp => Version::Later,
        Engine::Assimp605 => Version::Release,
        _ => return None,
    };
    let mut verdict = Verdict::loads();
    let result = assimp::read_camera(version, &mut verdict, file);
    Some(finish(verdict, result))
}

/// What an engine makes of a mesh that loads, but that has no clip of its name beside it.
pub fn without_clip(engine: Engine) -> Verdict {
    let mut verdict = Verdict::loads();
    // Both look for the clip first, and say nothing when there is none: the .md2 is shown.
    if matches!(engine, Engine::Q2pro | Engine::Yquake2) {
        let refusal = Refusal { rule: pair::NO_CLIP, message: String::new(), line: None, span: Span::default() };
        verdict.outcome = Outcome::Refuses;
        verdict.refusal = Some(refusal);
    }
    verdict
}

impl Engine {
    /// Its place in [`ENGINES`].
    pub fn index(self) -> usize {
        ENGINES.iter().position(|&known| known == self).unwrap_or(0)
    }

    /// Whether a mesh and the clip of its name are one model, so that a fault of the clip concerns the mesh.
    pub fn loads_clip_of_same_name(self) -> bool {
        !matches!(self, Engine::Daemon | Engine::EtLegacy)
    }

    /// Whether a clip of another name than a mesh's is never put on its joints.
    pub fn loads_clips_alone(self) -> bool {
        matches!(self, Engine::Assimp | Engine::Assimp605)
    }
}

/// Why a loader goes no further.
enum Stop {
    /// It gives up in its own words. Boxed, because it is rare and every step's result carries it.
    Refusal(Box<(Outcome, Refusal)>),
    /// Nobody can say what it does next; [`Verdict::undefined`] says why.
    Lost,
}

type Fallible<T> = Result<T, Stop>;

fn finish(mut verdict: Verdict, result: Fallible<()>) -> Verdict {
    if let Err(Stop::Refusal(refusal)) = result {
        let (outcome, refusal) = *refusal;
        verdict.outcome = outcome;
        verdict.refusal = Some(refusal);
    }
    verdict
}

fn refuse<T>(outcome: Outcome, rule: Rule, span: Span, message: impl Into<String>) -> Fallible<T> {
    Err(Stop::Refusal(Box::new((outcome, Refusal { rule, message: message.into(), line: None, span }))))
}

/// A string without an end: what is behind the file's last byte is read as its next words.
fn lose<T>(verdict: &mut Verdict, span: Span) -> Fallible<T> {
    verdict.add_undefined(shared::UNCLOSED_STRING, span, || {
        "the string is not closed, and what is in memory behind the file is read on".to_owned()
    });
    Err(Stop::Lost)
}

/// A vertex's weights.
#[derive(Clone, Copy)]
struct Range {
    first: i64,
    count: i64,
    span: Span,
}

/// Whether a channel takes values that a frame does not have.
fn reads_outside(flags: i32, first: i64, components: i64) -> bool {
    let count = i64::from((flags & 63).count_ones());
    count > 0 && (first < 0 || first.saturating_add(count) > components)
}

/// Records by their slots. What an engine makes room for takes no memory here until it is read: a count is only a word
/// of the file.
type Slots<T> = BTreeMap<i64, T>;

/// Puts a record into its slot, if there are so many.
fn set<T>(slots: &mut Slots<T>, declared: i64, slot: i64, record: T) {
    if (0..declared).contains(&slot) {
        slots.insert(slot, record);
    }
}
