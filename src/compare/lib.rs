//! Comparison of skinning methods: their effect on shapes and their speed.

#![forbid(unsafe_code)]

pub mod batches;
pub mod chart;
#[cfg(feature = "render")]
pub mod comparison;
pub mod contact_sheet;
#[cfg(feature = "render")]
pub mod cylinder_images;
pub mod cylinder_report;
pub mod cylinder_test;
pub mod finding;
#[cfg(feature = "render")]
pub mod gallery;
#[cfg(feature = "render")]
pub mod helpers;
pub mod html;
#[cfg(feature = "render")]
pub mod measure;
pub mod method_report;
pub mod page;
#[cfg(feature = "render")]
pub mod plan;
pub mod report;
mod section;
#[cfg(feature = "render")]
pub mod side_by_side;
pub mod table;
pub mod tear;
pub mod text;
pub mod timing;
#[cfg(feature = "render")]
pub mod turn;
#[cfg(feature = "render")]
mod visible_side;
