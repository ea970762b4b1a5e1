//! Loaders that read a mesh completely before a clip, step by step: Q2PRO, FTEQW, yquake2remaster, Daemon, ET:Legacy,
//! Cube 2, Hexenwail and assimp (docs/formats/engines.md "Words and order").
//!
//! Checks, their order and their messages are those of the sources: Q2PRO 3aa0d40b, FTEQW 93257c1a, yquake2remaster
//! e98451aa, Daemon b276137b, ET:Legacy a8e5f856, Red Eclipse faf378d1, Hexenwail 85b99fe1, assimp 6.0.5 and 21bea12f.

mod assimp;
pub(crate) mod com_parse;
mod cube2;
mod daemon;
mod fteqw;
mod hexenwail;
mod q2pro;
pub(crate) mod rules;
mod yquake2;

use super::verdict::{Fallible, File, Outcome, Stop, Verdict, refuse};
use crate::codes::{anim, mesh, pair, shared};
use assimp::Version;
use bindpose_core::engines::EngineId;
use bindpose_parsers::Span;
use std::collections::BTreeMap;
use std::fmt::Display;

/// A joint, as compared with clips.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Joint<'a> {
    /// Name, as far as the engine stores it.
    name: &'a [u8],
    /// Index of the parent as read. Not necessarily in range.
    parent: i32,
}

/// Joints of a mesh, with which a clip is compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skeleton<'a> {
    joints: Vec<Joint<'a>>,
    /// One more than the largest joint index in a weight.
    used: usize,
}

/// Result of loading a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedMesh<'a> {
    /// Verdict on the mesh.
    pub verdict: Verdict,
    /// Joints, if the mesh loads.
    pub skeleton: Option<Skeleton<'a>>,
}

/// Runs an engine's loader on a mesh. `None` for an engine that does not read meshes and clips one after the other.
pub fn load_mesh<'a>(engine: EngineId, file: File<'a>) -> Option<LoadedMesh<'a>> {
    let mut verdict = Verdict::loads();
    let result = match engine {
        EngineId::Q2pro | EngineId::Q2repro => q2pro::read_mesh(&mut verdict, file),
        EngineId::Fteqw => fteqw::read_mesh(&mut verdict, file),
        EngineId::Yquake2 => yquake2::read_mesh(&mut verdict, file),
        EngineId::Daemon | EngineId::EtLegacy => daemon::read_mesh(engine, &mut verdict, file),
        EngineId::Cube2 => cube2::read_mesh(&mut verdict, file),
        EngineId::Hexenwail => hexenwail::read_mesh(&mut verdict, file),
        EngineId::Assimp => assimp::read_mesh(Version::Later, &mut verdict, file),
        EngineId::Assimp605 => assimp::read_mesh(Version::Release, &mut verdict, file),
        _ => return None,
    };
    Some(match result {
        Ok(skeleton) => LoadedMesh { verdict, skeleton: Some(skeleton) },
        Err(stop) => LoadedMesh { verdict: verdict.stopped(Err(stop)), skeleton: None },
    })
}

/// Runs an engine's loader on a clip and compares it with a mesh's joints. Without a mesh, nothing is compared. For
/// engines of other families than those of [`load_mesh`], every clip loads.
pub fn load_anim(engine: EngineId, skeleton: Option<&Skeleton>, mesh_name: &str, file: File) -> Verdict {
    let mut verdict = Verdict::loads();
    let result = match engine {
        EngineId::Q2pro | EngineId::Q2repro => q2pro::read_anim(&mut verdict, skeleton, file),
        EngineId::Fteqw => fteqw::read_anim(&mut verdict, skeleton, file),
        EngineId::Yquake2 => yquake2::read_anim(&mut verdict, skeleton, file),
        EngineId::Daemon | EngineId::EtLegacy => daemon::read_anim(engine, &mut verdict, skeleton, mesh_name, file),
        EngineId::Cube2 => cube2::read_anim(&mut verdict, skeleton, file),
        EngineId::Hexenwail => hexenwail::read_anim(skeleton, file),
        EngineId::Assimp | EngineId::Assimp605 => assimp::read_anim(&mut verdict, skeleton, file),
        _ => Ok(()),
    };
    verdict.stopped(result)
}

/// Runs an engine's loader on a camera. Returns `None` for engines that read none.
pub(crate) fn load_camera(engine: EngineId, file: File) -> Option<Verdict> {
    let version = match engine {
        EngineId::Assimp => Version::Later,
        EngineId::Assimp605 => Version::Release,
        _ => return None,
    };
    let mut verdict = Verdict::loads();
    let result = assimp::read_camera(version, &mut verdict, file);
    Some(verdict.stopped(result))
}

/// Returns the verdict on a mesh that loads, but has no clip of the same name next to it.
pub fn without_clip(engine: EngineId) -> Verdict {
    let verdict = Verdict::loads();
    // These engines search for the clip first, and without it silently show the .md2.
    if matches!(engine, EngineId::Q2pro | EngineId::Q2repro | EngineId::Yquake2) {
        let refused = refuse(Outcome::Refuses, pair::NO_CLIP, Span::default(), "");
        return verdict.stopped(refused);
    }
    verdict
}

/// True if a mesh and the clip of the same name form one model, so that a fault of the clip concerns the mesh.
pub(super) fn loads_clip_of_same_name(engine: EngineId) -> bool {
    !matches!(engine, EngineId::Daemon | EngineId::EtLegacy)
}

/// True if a clip is never compared with a mesh of another name.
pub(super) fn loads_clips_alone(engine: EngineId) -> bool {
    matches!(engine, EngineId::Assimp | EngineId::Assimp605)
}

/// Stops at a string without an end: the engine reads on in the memory after the file.
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

/// Reports an element that is read outside of its array.
fn read_outside(verdict: &mut Verdict, span: Span, what: &str, index: impl Display, length: impl Display) {
    verdict.add_undefined(mesh::INDEX_RANGE, span, || {
        format!("{what} {index} of {length} is read from outside the array")
    });
}

/// Reports weights of a vertex that are read outside of their array.
fn check_range(verdict: &mut Verdict, range: &Range, num_weights: i64) {
    if range.first < 0 || range.first + range.count > num_weights {
        read_outside(verdict, range.span, "weight", range.first + range.count - 1, num_weights);
    }
}

/// Reports corners of triangles that are read outside of the array of vertices.
fn check_corners(verdict: &mut Verdict, corners: impl IntoIterator<Item = (i64, Span)>, num_verts: i64) {
    for (corner, span) in corners.into_iter().filter(|(corner, _)| !(0..num_verts).contains(corner)) {
        read_outside(verdict, span, "vertex", corner, num_verts);
    }
}

/// Reports a joint that reads values which a frame lacks.
fn check_channel(verdict: &mut Verdict, joint: impl Display, flags: i32, first: i64, components: i64, span: Span) {
    let count = i64::from((flags & 63).count_ones());
    if count > 0 && (first < 0 || first.saturating_add(count) > components) {
        verdict.add_undefined(anim::COMPONENT_RANGE, span, || {
            format!("joint {joint} reads outside the frame's {components} values")
        });
    }
}

/// Records by slot. Sparse, because a declared count is only a number in the file and must not allocate memory here.
type Slots<T> = BTreeMap<i64, T>;

/// Returns the span of the record before the first one that is missing.
fn before_gap<T>(slots: &Slots<T>, span: impl Fn(&T) -> Span) -> Option<Span> {
    let whole = slots.iter().zip(0..).take_while(|((slot, _), at)| *slot == at);
    whole.last().map(|((_, record), _)| span(record))
}

/// Records of a mesh with a declared count.
struct List<T> {
    declared: i64,
    /// Span of the count.
    span: Span,
    records: Slots<T>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::new(0, Span::default())
    }
}

impl<T> List<T> {
    fn new(declared: i64, span: Span) -> Self {
        Self { declared, span, records: Slots::new() }
    }

    /// Stores a record in its slot, if the slot is in the declared range.
    fn set(&mut self, slot: impl Into<i64>, record: T) {
        let slot = slot.into();
        if (0..self.declared).contains(&slot) {
            self.records.insert(slot, record);
        }
    }

    /// Reports records that the count declares, but that were not read, at the one before the first of them.
    fn check(&self, verdict: &mut Verdict, what: &str, span: impl Fn(&T) -> Span) {
        let (declared, read) = (self.declared, self.records.len());
        if (read as i64) < declared {
            let span = before_gap(&self.records, span).unwrap_or(self.span);
            verdict.add_undefined(mesh::RECORD_COUNT, span, || {
                format!("{declared} {what} are used, and {read} were read")
            });
        }
    }
}
