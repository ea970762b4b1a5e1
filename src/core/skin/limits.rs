//! Budgets of constant registers, and the number of joints that fit in one batch.

use super::method::{Capacity, Method};
use std::fmt;
use std::str::FromStr;

/// Registers that the camera, the light and the material use in every budget. `velocity` needs more for itself.
///
/// The DirectX 9 skinning sample reserves nine of the 96 of vertex shader 1.1, which leaves 29 matrices. Ours need no
/// more: four each for the camera and the model's placement.
pub const RESERVED_REGISTERS: u32 = 9;

/// Register budget that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Limits {
    /// Vertex shader 1.1 of DirectX 8: 96 constant registers.
    Vs11,
    /// Vertex shader 2.0 of DirectX 9, used by article 000: 256 constant registers.
    Vs20,
    /// Registers of the context, within the articles' array sizes.
    #[default]
    Gl2,
    /// Registers of the context, without the articles' array sizes.
    None,
}

/// All budgets.
pub const LIMITS: [Limits; 4] = [Limits::Vs11, Limits::Vs20, Limits::Gl2, Limits::None];

impl Limits {
    /// Returns the value of `--limits`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vs11 => "vs11",
            Self::Vs20 => "vs20",
            Self::Gl2 => "gl2",
            Self::None => "none",
        }
    }

    /// Returns the number of constant registers (vec4 uniforms) in the budget, at most the `context`'s own.
    pub fn registers(self, context: u32) -> u32 {
        match self {
            Self::Vs11 => context.min(96),
            Self::Vs20 => context.min(256),
            Self::Gl2 | Self::None => context,
        }
    }

    /// Returns the reason why the budget's machine cannot run `method`: vertex shaders have loops from 2.0, and read
    /// textures from 3.0.
    pub fn refusal(self, method: &Method) -> Option<&'static str> {
        match self {
            Self::Vs11 | Self::Vs20 if method.needs.vertex_textures > 0 => {
                Some("vertex shaders before 3.0 read no textures")
            }
            Self::Vs11 if method.needs.loops => Some("vertex shaders before 2.0 have no loops"),
            _ => None,
        }
    }

    /// Returns the largest number of joints in one batch of `method`. Returns `None` for any number, 0 if not even one
    /// fits.
    ///
    /// `context` is the number of vec4 uniforms of the context's vertex shaders (`GL_MAX_VERTEX_UNIFORM_COMPONENTS /
    /// 4`); use [`GL2_REGISTERS`] if there is no context.
    pub fn capacity(self, method: &Method, context: u32) -> Option<u32> {
        let article = match method.capacity {
            Capacity::Any => None,
            Capacity::Always(matrices) => Some(matrices),
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
#[error("no limits are called '{name}'; there are vs11, vs20, gl2, none")]
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

#[cfg(test)]
mod tests {
    use super::super::methods::MethodId;
    use super::*;

    /// Article 000, section 3.3: loops from vertex shader 2.0, textures from 3.0.
    #[test]
    fn older_shaders_lack_loops_and_textures() {
        let lacking = |limits: Limits| {
            let refused = MethodId::all().filter(|id| limits.refusal(id.method()).is_some());
            refused.map(|id| id.to_string()).collect::<Vec<_>>()
        };
        let textures = ["bone-texture", "mwe", "sbs", "ddm", "velocity", "gpu-hierarchy"].map(str::to_owned);
        assert_eq!(lacking(Limits::Vs20), textures);
        assert_eq!(lacking(Limits::Vs11), [&["matrix-loop".to_owned()], &textures[..]].concat());
        assert!(lacking(Limits::Gl2).is_empty() && lacking(Limits::None).is_empty());
    }

    /// A context with 1024 registers. The DirectX 9 sample has 29 matrices for vertex shader 1.1. The others are
    /// (registers - 9) / registers per joint, at most the article's array size; velocity needs six more.
    #[test]
    fn joints_per_batch() {
        let expected = [
            (MethodId::Cpu, [None, None, None, None]),
            (MethodId::Ffp, [Some(4), Some(4), Some(4), Some(4)]),
            (MethodId::FfpIndexed, [Some(29), Some(57), Some(57), Some(338)]),
            (MethodId::MatrixBlend, [Some(29), Some(82), Some(338), Some(338)]),
            (MethodId::Gradient, [Some(21), Some(32), Some(32), Some(253)]),
            (MethodId::JointOffsets, [Some(43), Some(100), Some(100), Some(507)]),
            (MethodId::QuatArray, [Some(12), Some(18), Some(18), Some(145)]),
            (MethodId::BoneTexture, [Some(256), Some(256), Some(256), None]),
            (MethodId::Dqs, [Some(43), Some(123), Some(507), Some(507)]),
            (MethodId::DqsScale, [Some(17), Some(49), Some(203), Some(203)]),
            (MethodId::Velocity, [Some(27), Some(80), Some(336), Some(336)]),
            (MethodId::Morph, [None, None, None, None]),
        ];
        for (id, joints) in expected {
            assert_eq!(LIMITS.map(|limits| limits.capacity(id.method(), 1024)), joints, "{id}");
        }
    }

    #[test]
    fn a_small_context_bounds_every_budget() {
        let matrix_blend = MethodId::MatrixBlend.method();
        assert_eq!(LIMITS.map(|limits| limits.capacity(matrix_blend, GL2_REGISTERS)), [29, 39, 39, 39].map(Some));
        assert_eq!(LIMITS.map(|limits| limits.capacity(matrix_blend, 8)), [Some(0); 4]);
    }
}
