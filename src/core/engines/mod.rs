//! How engines play an MD5 pair: what they keep of a mesh and of a clip, and what they do between two frames.
//!
//! An engine is a row of [`ENGINES`]. Its rules make another model of the one that the files mean: influences as its
//! vertices hold them, keys as its frames hold them, mixed its way. So whatever takes a model can show, dump and compare
//! what an engine shows; `docs/engines-playback.md` has the rules as a table with their sources.
//!
//! What is computed is in f64; what an engine rounds in f32 on the way is not followed.

mod clip;
mod departure;
pub mod docs;
mod mesh;
mod rules;
mod table;
#[cfg(test)]
mod tests;

pub use departure::{Departure, Shown, departures, size};
pub use rules::{Due, MEANING, Rule, due_to};
pub use table::ENGINES;

use crate::skin::MethodId;
use crate::suggest;

/// How one engine plays MD5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Engine {
    /// As `validate` calls it.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// What a vertex is.
    pub vertex: Vertex,
    /// Which of a vertex' weights are kept.
    pub kept: Kept,
    /// Whether the kept weights are divided by their sum.
    pub divided: bool,
    /// What weights are stored as.
    pub weights: Weights,
    /// What bind positions are stored as; nothing where a vertex has an offset for each weight.
    pub positions: Positions,
    /// What is mixed between two frames.
    pub between: Between,
    /// Whether numbers that the frames leave out are the base frame's; else they are 0.
    pub uses_base_frame: bool,
    /// The root's translation.
    pub root: Root,
    /// The hidden part of a quaternion.
    pub w: HiddenW,
    /// How a clip's joints find the mesh's.
    pub joints: Joints,
    /// How fast frames follow each other.
    pub rate: Rate,
    /// Whether the last frame goes over to the first; else the last one is the end.
    pub wraps: bool,
    /// Whether a mesh whose clip it does not take is shown in its bind pose; else it is not shown.
    pub keeps_bind_pose: bool,
    /// What its rules were read from.
    pub sources: Sources,
    /// What is known of it and not followed here; may be empty.
    pub left_out: &'static str,
}

/// Where an engine's rules can be read: file and function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sources {
    /// Of vertices and weights.
    pub vertices: &'static str,
    /// Of what is between frames.
    pub between: &'static str,
    /// Of frames, joints and the root.
    pub frames: &'static str,
    /// Of rate and end.
    pub time: &'static str,
}

/// Says of a mesh file and a clip's whether an engine that [keeps the bind pose](Engine::keeps_bind_pose) leaves the clip out, and if so
/// in which words of its own, which may be none.
pub type LeavesOut = fn(&Engine, mesh: &[u8], clip: &[u8]) -> Option<String>;

/// A clip that an engine leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Index into the model's clips.
    pub clip: usize,
    /// What it does, in a sentence.
    pub sentence: String,
}

/// What a vertex is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vertex {
    /// The file's offset for each weight, each moved by its joint.
    Offsets,
    /// One position in the bind pose, the sum over all weights of the file, moved by the sum of the joints' matrices.
    BindPosition,
    /// The same position, moved by the sum of the joints' dual quaternions.
    DualQuaternions,
}

/// Which of a vertex' weights are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// All.
    All,
    /// The first ones; each further weight takes the place of the lightest, the first of equals, if it is heavier.
    Slots(usize),
    /// The heaviest four, of equals the first.
    HeaviestFour,
    /// The heaviest four of those over a thousandth, of equals the first.
    HeaviestFourOverThousandth,
}

/// What weights are stored as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Floating point.
    Float,
    /// Floating point for what turns; what moves (the joints' translations) has bytes, cut off, divided by their sum.
    FloatWithByteTranslation,
    /// Bytes, cut off, each divided by 255: their sum may be less than 1.
    CutBytes,
    /// Bytes, rounded, each divided by 255: their sum may be more or less than 1.
    RoundedBytes,
    /// Bytes, cut off; the heaviest gets what is left of 255.
    CutBytesRestToHeaviest,
    /// Bytes, rounded (halves up), then each in turn one more or less until they are 255 together; floats where Cube 2 has
    /// room for the sets of weights.
    RoundedBytesToFull,
}

/// What bind positions are stored as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Positions {
    /// Floating point.
    Float,
    /// Half floats, cut off.
    CutHalf,
    /// Rounded 16-bit fractions of the model's greatest coordinate.
    Fraction16,
}

/// What is mixed between two frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Between {
    /// The vertices of both frames, linearly: the same as the elements of the joints' matrices in model space.
    Vertices,
    /// Joints in model space: position linearly, rotation spherically.
    ModelSpace,
    /// Joints in their parent's space: the elements of their matrices, linearly.
    LocalMatrices,
    /// Joints in their parent's space: position linearly, rotation spherically.
    LocalSpace,
    /// Joints in their parent's space: dual quaternions, linearly, brought to unit length.
    LocalDualQuaternions,
}

/// The root's translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// As in the file.
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

/// How a clip's joints find the mesh's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joints {
    /// By name, under the clip's parents; joints without one keep the bind pose relative to their parents.
    ByName,
    /// By their place in the file, under the mesh's parents, which are the clip's in all that the engine takes.
    ByPlace,
    /// By their place in the file, under the clip's parents.
    ByPlaceClipsParents,
}

/// How fast frames follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// The file's.
    File,
    /// Ten a second, whatever the file says: the pace at which games go through frames.
    TenHertz,
    /// What the script says that loads the model, else ten a second.
    ScriptOrTenHertz,
}

impl Engine {
    /// The engine of that name, in upper or lower case.
    ///
    /// # Errors
    ///
    /// [`UnknownEngine`].
    pub fn find(name: &str) -> Result<&'static Engine, UnknownEngine> {
        let found = ENGINES.iter().find(|engine| engine.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownEngine { name: name.to_owned() })
    }

    /// The skinning method that shows a model as this engine holds it exactly as the engine does.
    pub fn method(&self) -> MethodId {
        match self.vertex {
            Vertex::Offsets | Vertex::BindPosition => MethodId::Cpu,
            Vertex::DualQuaternions => MethodId::Dqs,
        }
    }

    /// Whether its joints stand in model space, each for itself, once a file is read.
    pub fn flattens(&self) -> bool {
        matches!(self.between, Between::Vertices | Between::ModelSpace)
    }
}

/// No engine of that name whose playback is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no engine whose playback is known is called '{name}'; {}", hint(name))]
pub struct UnknownEngine {
    /// What was asked for.
    pub name: String,
}

fn hint(name: &str) -> String {
    let known = || ENGINES.iter().map(|engine| engine.name);
    match suggest::nearest(name, known()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
    }
}
