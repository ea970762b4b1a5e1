//! The laboratory: what methods do to shapes, measured and drawn.

pub mod cylinder;
pub mod figures;
pub mod plot;
pub mod table;
