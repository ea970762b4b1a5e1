//! Pixels: the only module that names glium.

mod context;
mod error;

pub use context::{Gpu, Limits, headless};
pub use error::Error;
