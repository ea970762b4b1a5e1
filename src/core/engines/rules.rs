//! Rules by which two engines may show the same frame of the same files differently.

use super::{Between, Division, Engine, HiddenW, Joints, KeptWeights, Positions, Root, Vertex, Weights};

/// A rule that decides the position of a vertex at a frame or between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Representation of a vertex.
    Vertex,
    /// Kept weights, and their division by their sum.
    Kept,
    /// Number formats of weights and positions.
    Stored,
    /// Interpolation between two frames.
    Between,
    /// Source of components missing from the frames.
    LeftOut,
    /// Translation of the root.
    Root,
    /// Fourth component of a quaternion, which files omit.
    HiddenW,
    /// Matching of a clip's joints with those of the mesh.
    Joints,
}

/// The rule that causes most of the distance between two engines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Due {
    /// Rule in which the engines differ.
    pub rule: Rule,
    /// Remaining distance if the first engine followed the other's rule.
    pub left: f64,
}

/// Finds the single rule that causes most of a distance between two engines: less than half of `distance` remains if
/// `one` follows `other`'s rule. `None` if no single rule does. `left` returns the distance for an engine like `one`
/// with one rule from `other`.
///
/// # Errors
///
/// Those of `left`.
pub fn due_to<E>(
    one: &Engine,
    other: &Engine,
    distance: f64,
    mut left: impl FnMut(&Engine) -> Result<f64, E>,
) -> Result<Option<Due>, E> {
    let mut due: Option<Due> = None;
    for rule in Rule::ALL {
        let Some(changed) = one.with_rule(rule, other) else { continue };
        let left = left(&changed)?;
        if left < due.map_or(0.5 * distance, |due| due.left) {
            due = Some(Due { rule, left });
        }
    }
    Ok(due)
}

impl Rule {
    /// All rules.
    pub const ALL: [Self; 8] =
        [Self::Vertex, Self::Kept, Self::Stored, Self::Between, Self::LeftOut, Self::Root, Self::HiddenW, Self::Joints];

    /// Returns a noun phrase for use in sentences.
    pub fn subject(self) -> &'static str {
        match self {
            Self::Vertex => "the representation of vertices",
            Self::Kept => "which weights are kept",
            Self::Stored => "the number formats of weights and positions",
            Self::Between => "the interpolation between two frames",
            Self::LeftOut => "the components missing from the frames",
            Self::Root => "where the root is",
            Self::HiddenW => "the fourth component of rotations, which the files leave out",
            Self::Joints => "the matching of joints",
        }
    }
}

impl Engine {
    /// Returns this engine with one rule from another. Returns `None` if both follow the same rule already.
    pub fn with_rule(&self, rule: Rule, other: &Self) -> Option<Self> {
        let changed = match rule {
            Rule::Vertex => Self { vertex: other.vertex, ..*self },
            Rule::Kept => Self { kept: other.kept, division: other.division, ..*self },
            Rule::Stored => Self { weights: other.weights, positions: other.positions, ..*self },
            Rule::Between => Self { between: other.between, ..*self },
            Rule::LeftOut => Self { uses_base_frame: other.uses_base_frame, ..*self },
            Rule::Root => Self { root: other.root, ..*self },
            Rule::HiddenW => Self { w: other.w, ..*self },
            Rule::Joints => Self { joints: other.joints, ..*self },
        };
        (changed != *self).then_some(changed)
    }

    /// Describes one of the engine's rules.
    pub fn rule(&self, rule: Rule) -> String {
        let words = match rule {
            Rule::Vertex => match self.vertex {
                Vertex::Offsets => "one offset per weight",
                Vertex::BindPosition => "one position in the bind pose",
                Vertex::DualQuaternions => "one position in the bind pose, moved by blended dual quaternions",
            },
            Rule::Kept => return self.kept_words(),
            Rule::Stored => return self.stored_words(),
            Rule::Between => match self.between {
                Between::Vertices => "the vertices of both frames, along straight lines",
                Between::ModelSpace => "joints in model space, rotations along arcs",
                Between::LocalMatrices => "the elements of the joints' matrices in parent space",
                Between::LocalSpace => "joints in parent space, rotations along arcs",
                Between::LocalDualQuaternions => {
                    "the elements of the joints' dual quaternions in parent space, normalised"
                }
            },
            Rule::LeftOut if self.uses_base_frame => "the base frame's",
            Rule::LeftOut => "0",
            Rule::Root => match self.root {
                Root::File => "where the frames put it",
                Root::RelativeToBaseFrame => {
                    "where the frames put it, less its base frame; 0 on axes that they leave out"
                }
            },
            Rule::HiddenW => match self.w {
                HiddenW::Clamped => "`sqrt(max(0, 1 - xyz²))`",
                HiddenW::Absolute => "`sqrt(abs(1 - xyz²))`",
            },
            Rule::Joints => match self.joints {
                Joints::ByName => "by name, under the clip's parents",
                Joints::ByPlace => "by index",
                Joints::ByPlaceClipsParents => "by index, under the clip's parents",
            },
        };
        words.to_owned()
    }

    fn kept_words(&self) -> String {
        let kept = match self.kept {
            KeptWeights::All => "all".to_owned(),
            KeptWeights::None => "none".to_owned(),
            KeptWeights::Slots(count) => format!("{count}: a heavier one replaces the lightest"),
            KeptWeights::HeaviestFour => "4, the heaviest".to_owned(),
            KeptWeights::HeaviestFourOverThousandth => "4, the heaviest over 0.001".to_owned(),
        };
        kept + if self.division == Division::None { "" } else { "; divided by their sum" }
    }

    fn stored_words(&self) -> String {
        let weights = match self.weights {
            Weights::Float => "floats",
            Weights::FloatWithByteTranslation => {
                "floats; for the joints' translations bytes, cut off, divided by their sum"
            }
            Weights::CutBytes => "bytes, rounded down, not adjusted to the sum 1",
            Weights::RoundedBytes => "bytes, rounded, not adjusted to the sum 1",
            Weights::CutBytesRestToHeaviest => "bytes, cut off, the rest to the heaviest",
            Weights::RoundedBytesRestToHeaviest => "bytes, rounded, the rest to the heaviest",
            Weights::RoundedBytesToFull => "bytes that add up to 1; floats where few sets of weights differ",
        };
        let positions = match self.positions {
            Positions::Float => "",
            Positions::CutHalf => "; the position as half floats, cut off",
            Positions::Fraction16 => "; the position in 16 bits",
        };
        format!("{weights}{positions}")
    }
}
