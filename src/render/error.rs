//! Why there is no picture.

use bindpose_core::read::ReadError;
use bindpose_core::skin::Method;

/// What can go wrong between a model and its picture.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The machine gives no OpenGL context.
    #[error("no OpenGL context: {0}")]
    NoContext(String),
    /// A GLSL file of `--shaders DIR` cannot be read.
    #[error(transparent)]
    ShaderFile(ReadError),
    /// The driver refuses a program; the log names files and lines.
    #[error("{files}: the driver refuses it:\n{log}")]
    Program {
        /// The shader files that the program was made of.
        files: String,
        /// The driver's words, source numbers replaced by file names.
        log: String,
    },
    /// A shader asks for something that the renderer does not provide.
    #[error("{files}: {message}")]
    Interface {
        /// The shader files that the program was made of.
        files: String,
        /// Which attribute or uniform, and what is provided.
        message: String,
    },
    /// A skinning method cannot run on this machine or with this model.
    #[error("method {method} is not available: {reason}")]
    Unavailable {
        /// The method's id.
        method: String,
        /// Why, for people.
        reason: String,
    },
    /// OpenGL has no memory or no format for what was asked.
    #[error("{what}: {reason}")]
    Resource {
        /// Buffer, texture or frame.
        what: &'static str,
        /// The driver's or glium's words.
        reason: String,
    },
}

impl Error {
    /// A method that cannot run here, or not with this model.
    pub(super) fn unavailable(method: &Method, reason: String) -> Self {
        Self::Unavailable { method: method.name.to_owned(), reason }
    }

    /// For glium's many creation errors.
    pub(crate) fn resource<E: std::fmt::Display>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |error| Self::Resource { what, reason: error.to_string() }
    }
}
