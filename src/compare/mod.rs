//! Methods compared: what they do to shapes and how fast they are, measured and drawn.

pub mod batches;
pub mod figures;
pub mod finding;
#[cfg(feature = "render")]
pub mod measure;
pub mod page;
pub mod pictures;
pub mod plot;
pub mod report;
pub mod table;
pub mod timing;
#[cfg(feature = "render")]
pub mod turn;
