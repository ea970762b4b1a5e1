//! Older files of a model, from git or from a folder.

use anyhow::{Context, ensure};
use bindpose::budget::{Budget, MemoryLimit};
use bindpose::load::{LoadOptions, Loaded, load_bytes};
use bindpose::read;
use bindpose::snapshot::Input;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

/// Source of older files.
#[derive(Debug, Clone)]
pub enum Before {
    /// A folder that corresponds to the root of the models.
    Folder(PathBuf),
    /// A revision of the repository that contains the models.
    Revision(String),
}

impl FromStr for Before {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let folder = PathBuf::from(text);
        Ok(if folder.is_dir() { Self::Folder(folder) } else { Self::Revision(text.to_owned()) })
    }
}

impl Before {
    /// Loads the older files of a model: those listed in its snapshot, in the folder of `name`. The present path of the
    /// model is `path`.
    pub fn load(&self, name: &str, path: &Path, inputs: &[Input], memory: MemoryLimit) -> anyhow::Result<Loaded> {
        let older = |input: &Input| -> anyhow::Result<(PathBuf, Vec<u8>)> {
            // Only the name is used: a snapshot could contain a path to another folder.
            let file = Path::new(&input.file).file_name().context("the snapshot names no file")?;
            let path = path.with_file_name(file);
            let bytes = match self {
                Self::Folder(folder) => read::file(&folder.join(name).with_file_name(file), &Budget::new(memory))?,
                Self::Revision(revision) => at_revision(revision, &path)?,
            };
            Ok((path, bytes))
        };
        let files = inputs.iter().map(older).collect::<anyhow::Result<Vec<_>>>()?;
        ensure!(!files.is_empty(), "the snapshot lists no input files");
        Ok(load_bytes(files, &LoadOptions { memory, ..LoadOptions::default() })?)
    }
}

fn at_revision(revision: &str, path: &Path) -> anyhow::Result<Vec<u8>> {
    let folder = bindpose::read::folder_of(path);
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    ensure!(!revision.starts_with('-'), "'{revision}' is not a git revision");
    let output = Command::new("git").arg("-C").arg(folder).arg("show").arg(format!("{revision}:./{file}")).output();
    let output = output.context("cannot run git")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let reason = errors.trim().trim_start_matches("fatal: ").trim_end_matches('.');
    ensure!(output.status.success(), "git: {reason}");
    Ok(output.stdout)
}
