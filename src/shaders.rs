//! The files of `shaders/`, which are part of the program.

/// Name and text of every file; the build script lists them.
static BUILT_IN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// The text of a file.
pub(crate) fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|&&(file, _)| file == name).map(|&(_, text)| text)
}
