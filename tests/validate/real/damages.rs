//! Damages of meshes, clips and `.x` files, with the line that each must be reported at, and its repair.

mod clip;
mod mesh;
mod x_file;

use super::lines::Lines;
pub use clip::ANIM;
pub use mesh::MESH;
pub use x_file::FILES;

/// Result of `--fix`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Repair {
    /// The undamaged model.
    Exact,
    /// Nothing: the text no longer says what it was.
    Silent,
    /// Values that follow from others: boxes, an order of joints.
    Computed,
}

/// Name, the change, which returns the line to report, and the repair.
pub type Damage = (&'static str, fn(&mut Lines) -> Option<usize>, Repair);
