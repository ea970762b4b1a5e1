//! Choices that .x files leave open.

/// Choices for [`import`](super::import) and [`import_clips`](super::import_clips).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct XImportOptions {
    /// Name of the model and of animation sets without one: the file's stem.
    pub name: String,
    /// Ticks per second, which replace those of the file.
    pub ticks_per_second: Option<f64>,
    /// See [`ImportOptions::without_tangents`](crate::import::ImportOptions::without_tangents).
    pub without_tangents: bool,
}
