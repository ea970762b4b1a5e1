//! Errors of rendering.

use bindpose_core::read::ReadError;
use bindpose_core::skin::Method;

/// Error of rendering.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No OpenGL context.
    #[error("no OpenGL context: {0}")]
    NoContext(String),
    /// Unreadable GLSL file of `--shaders DIR`.
    #[error(transparent)]
    ShaderFile(ReadError),
    /// The driver rejects a program. The log names files and lines.
    #[error("{files}: the driver rejects it:\n{log}")]
    Program {
        /// The shader files that the program was made of.
        files: String,
        /// The driver's message, with file names.
        log: String,
    },
    /// A shader has an input that the renderer does not provide.
    #[error("{files}: {message}")]
    Interface {
        /// The shader files that the program was made of.
        files: String,
        /// Attribute or uniform, and the provided ones.
        message: String,
    },
    /// A skinning method cannot run on this machine or with this model.
    #[error("method {method} is not available: {reason}")]
    Unavailable {
        /// Name of the method.
        method: String,
        /// Explanation.
        reason: String,
    },
    /// OpenGL refuses a buffer, texture or draw call.
    #[error("{what}: {reason}")]
    Resource {
        /// Kind of resource.
        what: &'static str,
        /// Message of the driver or of glium.
        reason: String,
    },
}

impl Error {
    /// Creates [`Error::Unavailable`].
    pub(super) fn unavailable(method: &Method, reason: String) -> Self {
        Self::Unavailable { method: method.name.to_owned(), reason }
    }

    /// Converts errors of glium to [`Error::Resource`].
    pub(crate) fn resource<E: std::fmt::Display>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |error| Self::Resource { what, reason: error.to_string() }
    }
}
