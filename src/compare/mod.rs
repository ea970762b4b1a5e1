//! Methods compared: what they do to shapes and how fast they are, measured and drawn.

pub mod batches;
#[cfg(feature = "render")]
pub mod comparison;
pub mod cpu;
#[cfg(feature = "render")]
pub mod figure_pictures;
pub mod figure_report;
pub mod figures;
pub mod finding;
#[cfg(feature = "render")]
pub mod gallery;
mod letters;
#[cfg(feature = "render")]
pub mod measure;
pub mod page;
pub mod pictures;
#[cfg(feature = "render")]
pub mod plan;
pub mod plot;
pub mod report;
#[cfg(feature = "render")]
pub mod side_by_side;
pub mod table;
pub mod timing;
#[cfg(feature = "render")]
pub mod turn;
