//! Methods of `--shaders DIR`: vertex shaders with new names that get the input of an existing method.

use bindpose::budget::{Budget, MemoryLimit};
use bindpose::read::{self, ReadError};
use bindpose::skin::MethodId;
use bindpose::vfs::disk;
use bindpose_core::suggest;
use bindpose_shaders as shaders;
use std::path::{Path, PathBuf};

/// Comment that names the existing method.
const LIKE: &str = "like:";

/// Reason why a file is no method.
#[derive(Debug, thiserror::Error)]
pub enum OwnMethodError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file is invalid.
    #[error("{path}:{line}: {message}", path = .path.display())]
    Fault {
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        message: String,
    },
}

/// Reads the methods of a folder. Each is a `NAME.vert` that does not replace a built-in file and has a line such as
/// `// like: dqs`. They have that method's input, limits and reference.
///
/// # Errors
///
/// [`OwnMethodError`]: no such line, no such method, or GLSL files that do not replace built-in ones.
pub fn own_methods(folder: &Path, memory: MemoryLimit) -> Result<Vec<MethodId>, OwnMethodError> {
    let unreadable = |error| ReadError::Io { path: folder.to_owned(), error };
    let mut names: Vec<String> =
        disk::list(folder).map_err(unreadable)?.into_iter().filter_map(|item| item.name.into_string().ok()).collect();
    names.retain(|name| shaders::built_in(name).is_none());
    names.sort();
    let mut methods = Vec::new();
    for name in names {
        let path = folder.join(&name);
        let fault = |line, message: String| OwnMethodError::Fault { path: path.clone(), line, message };
        let Some(stem) = name.strip_suffix(".vert") else {
            if name.ends_with(".frag") || name.ends_with(".glsl") {
                let near = suggest::nearest(&name, shaders::names());
                let near = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
                return Err(fault(1, format!("no built-in file has this name{near}")));
            }
            continue;
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if stem == "auto" || !stem.chars().all(is_plain) {
            return Err(fault(
                1,
                "the name of a method has letters, digits, '-', '_' and '.', and is not 'auto'".into(),
            ));
        }
        let text = read::text(&path, &Budget::new(memory))?;
        let named = |line: &'_ str| Some(line.trim().strip_prefix("//")?.trim().strip_prefix(LIKE)?.trim().to_owned());
        let found = text.lines().zip(1..).find_map(|(line, number)| Some((named(line)?, number)));
        let missing = "a line such as '// like: dqs' has to name the method whose input the shader takes";
        let (like, line) = found.ok_or_else(|| fault(1, missing.to_owned()))?;
        let like: MethodId = like.parse().map_err(|error| fault(line, format!("{error}")))?;
        methods.push(like.variant(stem.to_owned()));
    }
    Ok(methods)
}
