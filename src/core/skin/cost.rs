//! Losses caused by a method's limits and conditions.

use super::batch::Split;
use crate::model::Mesh;

/// Losses of a mesh or a model caused by a method's limits and conditions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Cost {
    /// Number of influences beyond the limit per vertex, too light for the method, or dropped from triangles.
    pub dropped_influences: usize,
    /// Number of vertices that lost influences to the limit per vertex.
    pub reduced_vertices: usize,
    /// Largest share of a vertex' weight that was dropped. 0 if none.
    pub most_dropped: f32,
    /// Number of vertices whose weights did not sum to one and were divided.
    pub divided_vertices: usize,
    /// Number of triangles that lost influences because they use more joints than a batch may.
    pub trimmed_triangles: usize,
    /// Number of examples that the method ignores: too many, of the same pose, or of other vertices.
    pub left_out_examples: usize,
    /// Largest distance from an example in model units: of `eigenskin`'s components, or of `mwe`'s fit.
    pub example_error: f32,
    /// Number of vertices that violate the condition under which `sjb` and `sjbbe` are exact. 0 for other methods.
    pub broken_conditions: usize,
}

/// A mesh with reduced influences, and the losses.
#[derive(Debug, Clone)]
pub struct Reduced {
    /// The mesh. Only its influences differ.
    pub mesh: Mesh,
    /// Dropped influences and divided weights.
    pub cost: Cost,
}

impl Cost {
    /// True if nothing was dropped or changed.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Adds the losses of another mesh.
    pub fn add(&mut self, other: &Self) {
        self.dropped_influences += other.dropped_influences;
        self.reduced_vertices += other.reduced_vertices;
        self.most_dropped = self.most_dropped.max(other.most_dropped);
        self.divided_vertices += other.divided_vertices;
        self.trimmed_triangles += other.trimmed_triangles;
        // All meshes have the same examples.
        self.left_out_examples = self.left_out_examples.max(other.left_out_examples);
        self.example_error = self.example_error.max(other.example_error);
        self.broken_conditions += other.broken_conditions;
    }

    /// Adds the losses caused by splitting a mesh into batches.
    pub fn add_split(&mut self, split: &Split) {
        self.dropped_influences += split.dropped_influences;
        self.trimmed_triangles += split.trimmed.len();
    }
}
