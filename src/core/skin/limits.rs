//! Budgets of older machines: constant registers, instruction slots and abilities, and the number of joints that fit in one
//! batch.

use super::method::{Capacity, Method, SkinningStage};
use std::fmt;
use std::str::FromStr;

/// Registers that the camera, the light and the material use in every budget. `velocity` needs more for itself.
///
/// The DirectX 9 skinning sample reserves nine of the 96 of vertex shader 1.1, which leaves 29 matrices. Ours need no
/// more: four each for the camera and the model's placement.
pub const RESERVED_REGISTERS: u32 = 9;

/// Budget that applies: that of a machine of articles 000 and 003, or the context's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Limits {
    /// Fixed function of a GeForce 256: two matrices a draw, no programs.
    Ffp2,
    /// Vertex shader 1.1 of DirectX 8: 96 constant registers, 128 instructions, no loops.
    Vs11,
    /// Vertex shader 2.0 of DirectX 9, used by article 000: 256 constant registers, 256 instructions.
    Vs20,
    /// Vertex shader 3.0 of DirectX 9.0c: as 2.0 with 512 instructions, textures, and flow control by vertices.
    Vs30,
    /// Registers of the context, within the articles' array sizes.
    #[default]
    Gl2,
    /// Registers of the context, without the articles' array sizes.
    None,
}

/// All budgets.
pub const LIMITS: [Limits; 6] = [Limits::Ffp2, Limits::Vs11, Limits::Vs20, Limits::Vs30, Limits::Gl2, Limits::None];

/// Input registers of vertex shaders 1.1 to 3.0.
const INPUTS: u32 = 16;

impl Limits {
    /// Returns the value of `--limits`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ffp2 => "ffp2",
            Self::Vs11 => "vs11",
            Self::Vs20 => "vs20",
            Self::Vs30 => "vs30",
            Self::Gl2 => "gl2",
            Self::None => "none",
        }
    }

    /// Returns the number of constant registers (vec4 uniforms) in the budget, at most the `context`'s own.
    pub fn registers(self, context: u32) -> u32 {
        match self {
            Self::Vs11 => context.min(96),
            Self::Vs20 | Self::Vs30 => context.min(256),
            Self::Ffp2 | Self::Gl2 | Self::None => context,
        }
    }

    /// Returns the number of instruction slots. Vertex shader 3.0 has at least these; `None` without a limit.
    pub fn slots(self) -> Option<u32> {
        match self {
            Self::Vs11 => Some(128),
            Self::Vs20 => Some(256),
            Self::Vs30 => Some(512),
            Self::Ffp2 | Self::Gl2 | Self::None => None,
        }
    }

    /// Returns the reason why the budget's machine cannot run `method`, whose program has this number of instructions and
    /// of inputs; 0 if they are unknown.
    pub fn refusal(self, method: &Method, [instructions, inputs]: [u32; 2]) -> Option<String> {
        let needs = method.needs;
        let lacking = match self {
            Self::Ffp2 if method.stage != SkinningStage::Cpu && !matches!(method.capacity, Capacity::Always(_)) => {
                Some("the fixed function of a GeForce 256 has two matrices, no indices and no programs")
            }
            Self::Vs11 | Self::Vs20 if needs.vertex_loops => {
                Some("vertex shaders before 3.0 read no textures and have no loops as long as a vertex says")
            }
            Self::Vs11 | Self::Vs20 if needs.vertex_textures > 0 => Some("vertex shaders before 3.0 read no textures"),
            Self::Vs11 if needs.loops => Some("vertex shaders before 2.0 have no loops"),
            _ => None,
        };
        let slots = self.slots().filter(|&slots| instructions > slots);
        let too_long = slots.map(|slots| format!("{instructions} instructions, {slots} slots"));
        let too_wide =
            (self.slots().is_some() && inputs > INPUTS).then(|| format!("{inputs} inputs, {INPUTS} registers"));
        lacking.map(str::to_owned).or(too_long).or(too_wide)
    }

    /// Returns the largest number of joints in one batch of `method`. Returns `None` for any number, 0 if not even one
    /// fits.
    ///
    /// `context` is the number of vec4 uniforms of the context's vertex shaders (`GL_MAX_VERTEX_UNIFORM_COMPONENTS /
    /// 4`); use [`GL2_REGISTERS`] if there is no context.
    pub fn capacity(self, method: &Method, context: u32) -> Option<u32> {
        let article = match method.capacity {
            Capacity::Any => None,
            Capacity::Always(matrices) => Some(if self == Self::Ffp2 { matrices.min(2) } else { matrices }),
            Capacity::Budget(article) => article.filter(|_| self != Self::None),
        };
        let reserved = RESERVED_REGISTERS + method.joint_data.shared_registers();
        let room = self.registers(context).saturating_sub(reserved).checked_div(method.joint_data.registers());
        match (article, room) {
            (Some(article), Some(room)) => Some(article.min(room)),
            (article, room) => article.or(room),
        }
    }
}

/// Smallest number of vec4 uniforms of any OpenGL 2 context (512 components).
pub const GL2_REGISTERS: u32 = 128;

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Error of parsing [`Limits`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no limits are called '{name}'; there are ffp2, vs11, vs20, vs30, gl2, none")]
pub struct UnknownLimits {
    /// The unknown name.
    pub name: String,
}

impl FromStr for Limits {
    type Err = UnknownLimits;

    fn from_str(name: &str) -> Result<Self, UnknownLimits> {
        let found = LIMITS.into_iter().find(|limits| limits.name() == name);
        found.ok_or_else(|| UnknownLimits { name: name.to_owned() })
    }
}
