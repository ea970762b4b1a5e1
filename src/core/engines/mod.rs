//! Engines, and their playback of an MD5 pair: the data they keep of a mesh and a clip, and interpolation between frames.
//!
//! An engine is a row of [`ENGINES`], or of [`X_ENGINES`] if it plays `.x` files. Its rules make another model of the one that the
//! files mean: influences as its vertices hold them, keys as its frames hold them, mixed its way. So whatever takes a model can
//! show, dump and compare what an engine shows; `docs/engines-playback.md` has the rules as a table with their sources.
//!
//! Computations are in f64; an engine's intermediate rounding to f32 is not followed.

mod clip;
mod departure;
#[doc(hidden)]
pub mod docs;
mod identity;
mod mesh;
mod rules;
mod table;
#[cfg(test)]
mod tests;
mod x;

pub use departure::{Departure, Shown, departures, size};
pub use identity::{EngineId, FormatFamily, LoaderFamily, PROFILES, Profile};
pub use rules::{Due, MEANING, Rule, due_to};
pub use table::{ENGINES, X_ENGINES};
pub use x::{XKeys, XPlayback};

use crate::skin::MethodId;
use crate::suggest;

/// Playback rules of one engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Engine {
    /// Identity; `None` for [`MEANING`].
    pub id: Option<EngineId>,
    /// Representation of a vertex.
    pub vertex: Vertex,
    /// Weights of a vertex that are kept.
    pub kept: Kept,
    /// Division of the kept weights by their sum.
    pub division: Division,
    /// Number format of weights.
    pub weights: Weights,
    /// Number format of bind positions. Unused with [`Vertex::Offsets`].
    pub positions: Positions,
    /// Interpolation between two frames.
    pub between: Between,
    /// True if components missing from the frames are the base frame's; otherwise they are 0.
    pub uses_base_frame: bool,
    /// Translation of the root.
    pub root: Root,
    /// The hidden part of a quaternion.
    pub w: HiddenW,
    /// Matching of a clip's joints with the mesh's.
    pub joints: Joints,
    /// Frame rate.
    pub rate: Rate,
    /// True if the last frame is interpolated to the first; otherwise the clip ends there.
    pub wraps: bool,
    /// True if a mesh whose clip is refused is shown in its bind pose; otherwise it is not shown.
    pub keeps_bind_pose: bool,
    /// Source code of the rules.
    pub sources: Sources,
    /// Known behaviour that is not followed here; may be empty.
    pub left_out: &'static str,
    /// Playback of `.x` files; an engine that has it plays no MD5.
    pub x: Option<XPlayback>,
}

/// Source code of an engine's rules: files and functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sources {
    /// Vertices and weights.
    pub vertices: &'static str,
    /// Interpolation between frames.
    pub between: &'static str,
    /// Frames, joints and the root.
    pub frames: &'static str,
    /// Rate and end of a clip.
    pub time: &'static str,
}

/// Returns an engine's words, which may be empty, if it ignores a clip and [keeps the bind pose](Engine::keeps_bind_pose).
/// `None` if it does not. Takes the bytes of a mesh file and of a clip file.
pub type LeavesOut = fn(&Engine, mesh: &[u8], clip: &[u8]) -> Option<String>;

/// A clip that an engine leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Index into the model's clips.
    pub clip: usize,
    /// Behaviour of the engine, in a sentence.
    pub sentence: String,
}

/// Representation of a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vertex {
    /// The file's offset for each weight, each moved by its joint.
    Offsets,
    /// One position in the bind pose, the sum over all weights of the file, moved by the sum of the joints' matrices.
    BindPosition,
    /// The same position, moved by the sum of the joints' dual quaternions.
    DualQuaternions,
}

/// Weights of a vertex that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// All.
    All,
    /// The first ones; further ones are dropped.
    First(usize),
    /// The first ones; a further weight replaces the lightest, of equals the first, if it is heavier.
    Slots(usize),
    /// The heaviest four, of equals the first.
    HeaviestFour,
    /// The heaviest four of those over a thousandth, of equals the first.
    HeaviestFourOverThousandth,
}

/// Division of weights by their sum, in `f32`; near the steps of bytes the three differ by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Division {
    /// None: weights are used as in the file.
    None,
    /// `weight / sum`.
    Quotient,
    /// `weight * (1 / sum)`.
    Reciprocal,
    /// `weight * (255 / sum)`, which is the byte.
    ReciprocalOfBytes,
}

/// Number format of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Floating point.
    Float,
    /// Floating point for rotation; truncated bytes, divided by their sum, for the joints' translations.
    FloatWithByteTranslation,
    /// Truncated bytes, each divided by 255: their sum may be less than 1.
    CutBytes,
    /// Bytes, rounded, each divided by 255: their sum may be more or less than 1.
    RoundedBytes,
    /// Truncated bytes; the heaviest gets the rest of 255.
    CutBytesRestToHeaviest,
    /// Bytes, rounded (halves up), then each in turn one more or less until they are 255 together; floats where Cube 2 has
    /// room for the sets of weights.
    RoundedBytesToFull,
}

/// Storage of bind positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Positions {
    /// Floating point.
    Float,
    /// Truncated half floats.
    CutHalf,
    /// Rounded 16-bit fractions of the model's greatest coordinate.
    Fraction16,
}

/// Interpolation between two frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Between {
    /// The vertices of both frames, linearly: the same as the elements of the joints' matrices in model space.
    Vertices,
    /// Joints in model space: position linearly, rotation spherically.
    ModelSpace,
    /// Joints in parent space: the elements of their matrices, linearly.
    LocalMatrices,
    /// Joints in parent space: position linearly, rotation spherically.
    LocalSpace,
    /// Joints in parent space: dual quaternions, linearly, then normalised.
    LocalDualQuaternions,
}

/// Translation of the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// The file's.
    File,
    /// Animated axes relative to the base frame, others 0.
    RelativeToBaseFrame,
}

/// The hidden part of a quaternion; the same for all that are none too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenW {
    /// `sqrt(max(0, 1 - xyz²))`.
    Clamped,
    /// `sqrt(abs(1 - xyz²))`.
    Absolute,
}

/// Matching of a clip's joints with the mesh's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joints {
    /// By name, under the clip's parents; joints without one keep the bind pose relative to their parents.
    ByName,
    /// By index, under the mesh's parents, which are the clip's in every pair that the engine accepts.
    ByPlace,
    /// By index, under the clip's parents.
    ByPlaceClipsParents,
}

/// Frame rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// The file's.
    File,
    /// Ten a second, whatever the file says: the pace at which games go through frames.
    TenHertz,
    /// The rate in the script that loads the model, else ten a second.
    ScriptOrTenHertz,
}

/// The engines whose playback of files of a format is known.
pub fn playing(format: FormatFamily) -> &'static [Engine] {
    match format {
        FormatFamily::Md5 => &ENGINES,
        FormatFamily::X => &X_ENGINES,
        FormatFamily::Decl => &[],
    }
}

impl Engine {
    /// Format of the files that it plays.
    pub fn format(&self) -> FormatFamily {
        if self.x.is_some() { FormatFamily::X } else { FormatFamily::Md5 }
    }

    /// Lower-case name for `--as`; empty for [`MEANING`].
    pub fn name(&self) -> &'static str {
        self.id.map_or("", |id| id.profile().name)
    }

    /// Name and versions for people.
    pub fn title(&self) -> &'static str {
        self.id.map_or("what the files mean", |id| id.profile().title)
    }

    /// Returns the engine of that name, in upper or lower case.
    ///
    /// # Errors
    ///
    /// [`UnknownEngine`].
    pub fn find(name: &str) -> Result<&'static Engine, UnknownEngine> {
        let found = Profile::find(name).and_then(|profile| profile.id.playback());
        found.ok_or_else(|| UnknownEngine { name: name.to_owned() })
    }

    /// Returns the skinning method that reproduces the engine exactly on a model from [`Engine::hold_meshes`].
    pub fn method(&self) -> MethodId {
        match self.vertex {
            Vertex::Offsets | Vertex::BindPosition => MethodId::Cpu,
            Vertex::DualQuaternions => MethodId::Dqs,
        }
    }

    /// True if the engine converts joints to model space when it reads a file, so that none has a parent.
    pub fn flattens(&self) -> bool {
        matches!(self.between, Between::Vertices | Between::ModelSpace)
    }
}

/// No engine of that name whose playback is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no engine whose playback is known is called '{name}'; {}", hint(name))]
pub struct UnknownEngine {
    /// The requested name.
    pub name: String,
}

fn hint(name: &str) -> String {
    let known = || ENGINES.iter().chain(&X_ENGINES).map(Engine::name);
    match suggest::nearest(name, known()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
    }
}
