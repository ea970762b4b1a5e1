//! The laboratory: what methods do to shapes, measured and drawn.

pub mod batches;
pub mod figures;
#[cfg(feature = "render")]
pub mod measure;
pub mod pictures;
pub mod plot;
pub mod report;
pub mod table;
pub mod timing;
