//! Exceptions with their location. The classes are written in Python (`bindpose/_types.py`).

use bindpose::diagnostic::{Diagnostic, Label, Sources};
use bindpose::left_out::LeftOut;
use bindpose::load::LoadError;
use bindpose::read::ReadError;
use bindpose::snapshot::StoreError;
use pyo3::exceptions::{PyIsADirectoryError, PyOSError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::io;
use std::path::Path;

/// The system's number for a missing file, which makes an `OSError` a `FileNotFoundError`.
const NO_ENTRY: i32 = 2;

/// The system's number for a folder in place of a file.
const IS_FOLDER: i32 = 21;

/// Returns a class of `bindpose._types`.
pub fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("bindpose._types")?.getattr(name)
}

/// Creates an exception of `bindpose._types` with a message only.
pub fn plain(py: Python<'_>, name: &str, message: impl ToString) -> PyErr {
    class(py, name).and_then(|class| class.call1((message.to_string(),))).map_or_else(|error| error, PyErr::from_value)
}

/// Returns a path as text; bytes that are not text are replaced.
pub fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn location<'py>(
    py: Python<'py>,
    sources: &Sources,
    label: Option<&Label>,
    object: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(label) = label else { return Ok(py.None().into_bound(py)) };
    let source = sources.get(label.source);
    let at = source.position(label.span.start);
    class(py, "Location")?.call1((text_of(&source.path), at.line, at.column, object))
}

/// Returns a `bindpose.Diagnostic`.
pub fn diagnostic<'py>(py: Python<'py>, sources: &Sources, found: &Diagnostic) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    fields.set_item("code", found.code)?;
    fields.set_item("severity", found.severity.to_string())?;
    fields.set_item("message", &found.message)?;
    fields.set_item("location", location(py, sources, found.primary.as_ref(), found.path.as_deref())?)?;
    fields.set_item("notes", &found.notes)?;
    class(py, "Diagnostic")?.call((), Some(&fields))
}

/// Returns a `bindpose.LeftOut`.
pub fn left_out<'py>(py: Python<'py>, sources: &Sources, left: &LeftOut) -> PyResult<Bound<'py, PyAny>> {
    let reason = diagnostic(py, sources, &left.reason)?;
    class(py, "LeftOut")?.call1((left.kind.noun(), &left.name, reason, left.to_string()))
}

/// Creates an `OSError` with `errno` and `filename`, which Python turns into `FileNotFoundError` and its like.
pub fn system(path: &Path, error: &io::Error) -> PyErr {
    let missing = (error.kind() == io::ErrorKind::NotFound).then_some(NO_ENTRY);
    match error.raw_os_error().or(missing) {
        Some(number) => PyOSError::new_err((number, error.to_string(), text_of(path))),
        None => PyOSError::new_err(format!("{}: {error}", path.display())),
    }
}

fn read(py: Python<'_>, error: &ReadError) -> PyErr {
    match error {
        ReadError::Io { path, error } => system(path, error),
        ReadError::NotAFile { path, kind: "a folder" } => {
            PyIsADirectoryError::new_err((IS_FOLDER, error.reason(), text_of(path)))
        }
        ReadError::Memory { .. } | ReadError::TooLarge { .. } => plain(py, "MemoryLimitError", error),
        error if error.is_missing() => PyOSError::new_err((NO_ENTRY, error.reason(), text_of(error.path()))),
        error => PyOSError::new_err(error.to_string()),
    }
}

/// Creates the exception for files that became no model.
pub fn load(py: Python<'_>, error: &LoadError) -> PyErr {
    match error {
        LoadError::Read(error) => read(py, error),
        LoadError::File { sources, diagnostics } => {
            let list: PyResult<Vec<_>> = diagnostics.iter().map(|found| diagnostic(py, sources, found)).collect();
            let error = list.and_then(|list| class(py, "ParseError")?.call1((list,)));
            error.map_or_else(|error| error, PyErr::from_value)
        }
        other => plain(py, "MismatchError", other),
    }
}

/// Creates the exception for a snapshot that cannot be read.
pub fn snapshot(py: Python<'_>, error: &StoreError) -> PyErr {
    match error {
        StoreError::Io { path, error } => system(path, error),
        StoreError::File(error) => read(py, error),
        other => plain(py, "SnapshotError", other),
    }
}
