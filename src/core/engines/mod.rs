//! Engines and their playback of an MD5 pair: the data they keep of a mesh and a clip, and their interpolation between
//! frames.
//!
//! An engine is a row of [`ENGINES`], or of [`X_ENGINES`] if it plays `.x` files. Its rules convert the model that the
//! files mean to another model: influences as its vertices store them, keys as its frames store them, with its
//! interpolation. So all code that accepts a model can show, dump and compare the engine's playback.
//! `docs/engines-playback.md` lists the rules with their sources.
//!
//! Computations are in f64. An engine's intermediate rounding to f32 is not reproduced.

mod clip;
mod departure;
mod identity;
mod mesh;
mod rules;
mod table;
mod x;

pub use departure::{Departure, Shown, departures, size};
pub use identity::{EngineId, FormatFamily, LoaderFamily, PROFILES, Profile};
pub use rules::{Due, Rule, due_to};
pub use table::{ENGINES, MEANING, X_ENGINES};
pub use x::{ReadsX, XEnd, XFrames, XKeys, XLists, XPlayback, XReading};

use crate::skin::MethodId;
use crate::suggest;

/// Playback rules of one engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Engine {
    /// Identity. `None` for [`MEANING`].
    pub id: Option<EngineId>,
    /// Representation of a vertex.
    pub vertex: Vertex,
    /// Weights of a vertex that are kept.
    pub kept: KeptWeights,
    /// Division of the kept weights by their sum.
    pub division: Division,
    /// Number format of weights.
    pub weights: Weights,
    /// Number format of bind positions. Unused with [`Vertex::Offsets`].
    pub positions: Positions,
    /// Interpolation between two frames.
    pub between: Between,
    /// True if components missing from the frames come from the base frame. Otherwise they are 0.
    pub uses_base_frame: bool,
    /// Translation of the root.
    pub root: Root,
    /// The fourth component of a quaternion, which files omit.
    pub w: HiddenW,
    /// Matching of a clip's joints with those of the mesh.
    pub joints: Joints,
    /// Frame rate of clips.
    pub rate: Rate,
    /// True if playback interpolates from the last frame to the first. Otherwise the clip ends at the last frame.
    pub wraps: bool,
    /// True if a mesh whose clip is refused appears in its bind pose. Otherwise the mesh does not appear.
    pub keeps_bind_pose: bool,
    /// Source code of the rules.
    pub sources: Sources,
    /// Known behaviour that is not reproduced here. May be empty.
    pub left_out: &'static str,
    /// Playback rules of `.x` files. An engine with these plays no MD5.
    pub x: Option<XPlayback>,
}

/// Source files and functions of an engine's rules.
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

/// Returns the engine's message, which may be empty, if it ignores a clip and [keeps the bind
/// pose](Engine::keeps_bind_pose). Otherwise `None`. Takes the bytes of a mesh file and of a clip file.
pub type LeavesOut = fn(&Engine, mesh: &[u8], clip: &[u8]) -> Option<String>;

/// A clip that an engine does not play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unplayed {
    /// Index into the model's clips.
    pub clip: usize,
    /// Behaviour of the engine, in a sentence.
    pub sentence: String,
}

/// Representation of a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vertex {
    /// One offset per weight, as in the file, each moved by its joint.
    Offsets,
    /// One position in the bind pose, summed over all weights of the file and moved by the weighted sum of the joints'
    /// matrices.
    BindPosition,
    /// One position in the bind pose, moved by the weighted sum of the joints' dual quaternions.
    DualQuaternions,
}

/// Weights of a vertex that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptWeights {
    /// All weights.
    All,
    /// No weights.
    None,
    /// The first weights in file order. A further weight replaces the lightest kept one (the first among equals) if it
    /// is heavier.
    Slots(usize),
    /// The four heaviest weights. The first ones among equals.
    HeaviestFour,
    /// The four heaviest weights of those above 0.001. The first ones among equals.
    HeaviestFourOverThousandth,
}

/// Division of weights by their sum, in `f32`. Near rounding boundaries the three results differ by one byte step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Division {
    /// No division: weights are used as in the file.
    None,
    /// `weight / sum`
    Quotient,
    /// `weight * (1 / sum)`
    Reciprocal,
    /// `weight * (255 / sum)`, truncated to a byte.
    ReciprocalOfBytes,
}

/// Number format of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Floating point.
    Float,
    /// Floating point for the rotated offsets. The joints' translations use truncated bytes divided by their sum.
    FloatWithByteTranslation,
    /// Truncated bytes, each divided by 255: their sum may be less than 1.
    CutBytes,
    /// Bytes, rounded, each divided by 255: their sum may be more or less than 1.
    RoundedBytes,
    /// Truncated bytes. The heaviest weight gets the rest to 255.
    CutBytesRestToHeaviest,
    /// Rounded bytes (halves up). The heaviest weight gets the rest to 255, which may be negative.
    RoundedBytesRestToHeaviest,
    /// Rounded bytes (halves up), then each in turn changed by one until they sum to 255. Floats where Cube 2 has room
    /// for the sets of weights.
    RoundedBytesToFull,
}

/// Storage of bind positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Positions {
    /// Floating point.
    Float,
    /// Truncated to half floats.
    CutHalf,
    /// Rounded to 16-bit fractions of the model's largest coordinate.
    Fraction16,
}

/// Interpolation between two frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Between {
    /// Linear between the vertices of both frames, which is the same as between the elements of the joints' model-space
    /// matrices.
    Vertices,
    /// Joints in model space: linear positions, spherical rotations.
    ModelSpace,
    /// Joints in parent space: linear between the elements of their matrices.
    LocalMatrices,
    /// Joints in parent space: linear positions, spherical rotations.
    LocalSpace,
    /// Joints in parent space: linear between dual quaternions, then normalised.
    LocalDualQuaternions,
}

/// Translation of the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// Translation as in the file.
    File,
    /// Animated axes are relative to the base frame. Others are 0.
    RelativeToBaseFrame,
}

/// The fourth component of a quaternion, which files omit. The variants differ only where x, y and z are longer than 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenW {
    /// `sqrt(max(0, 1 - xyz²))`.
    Clamped,
    /// `sqrt(abs(1 - xyz²))`.
    Absolute,
}

/// Matching of a clip's joints with those of the mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joints {
    /// Match by name, with the clip's parents. Joints without a channel keep the bind pose relative to their parents.
    ByName,
    /// Match by index, with the mesh's parents. They equal the clip's in every pair that the engine accepts.
    ByPlace,
    /// Match by index, with the clip's parents.
    ByPlaceClipsParents,
}

/// Frame rate of clips.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// Frame rate of the file.
    File,
    /// Ten frames per second, regardless of the file: the pace at which games step through frames.
    TenHertz,
    /// Frame rate set by the script that loads the model, else ten per second.
    ScriptOrTenHertz,
}

/// Returns the engines whose playback of a format is known.
pub fn playing(format: FormatFamily) -> &'static [Engine] {
    match format {
        FormatFamily::Md5 => &ENGINES,
        FormatFamily::X => &X_ENGINES,
        FormatFamily::Decl => &[],
    }
}

impl Engine {
    /// Returns the format of the files that the engine plays.
    pub fn format(&self) -> FormatFamily {
        if self.x.is_some() { FormatFamily::X } else { FormatFamily::Md5 }
    }

    /// Returns the lower-case name for `--as`. Returns an empty text for [`MEANING`].
    pub fn name(&self) -> &'static str {
        self.id.map_or("", |id| id.profile().name)
    }

    /// Returns the name and versions for people.
    pub fn title(&self) -> &'static str {
        self.id.map_or("what the files mean", |id| id.profile().title)
    }

    /// Returns the playback rules of an engine, if they are known.
    pub fn of(id: EngineId) -> Option<&'static Engine> {
        ENGINES.iter().chain(&X_ENGINES).find(|engine| engine.id == Some(id))
    }

    /// Returns the engine of that name, in upper or lower case.
    pub fn find(name: &str) -> Result<&'static Engine, UnknownEngine> {
        let found = Profile::find(name).and_then(|profile| Engine::of(profile.id));
        found.ok_or_else(|| UnknownEngine { name: name.to_owned() })
    }

    /// Returns the skinning method that reproduces the engine exactly on a model from [`Engine::hold_meshes`].
    pub fn method(&self) -> MethodId {
        match self.vertex {
            Vertex::Offsets | Vertex::BindPosition => MethodId::Cpu,
            Vertex::DualQuaternions => MethodId::Dqs,
        }
    }

    /// True if the engine converts joints to model space when it reads a file, so that no joint has a parent.
    pub fn flattens(&self) -> bool {
        matches!(self.between, Between::Vertices | Between::ModelSpace)
    }
}

/// Error for a name that belongs to no engine with known playback.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no engine whose playback is known is called '{name}'; {}", hint(name))]
pub struct UnknownEngine {
    /// The requested name.
    pub name: String,
}

fn hint(name: &str) -> String {
    suggest::hint(name, &ENGINES.iter().chain(&X_ENGINES).map(Engine::name).collect::<Vec<_>>())
}
