//! GLSL of the skinning methods, one file or a few per method. The text is part of the library.

#![forbid(unsafe_code)]

mod instructions;

pub use instructions::{ProgramSize, measure};

/// Name and text of every file, listed by the build script.
static BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// Returns the text of a file; `None` for an unknown name.
pub fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|&&(file, _)| file == name).map(|&(_, text)| text)
}

/// Returns the names of all files.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|&(name, _)| name)
}
