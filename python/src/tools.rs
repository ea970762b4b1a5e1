//! Validation and snapshots.

use crate::errors;
use crate::model::Paths;
use crate::threads::detached;
use bindpose::budget::MemoryLimit;
use bindpose::load::{LoadOptions, load};
use bindpose::snapshot::{self, Check, Snapshot};
use bindpose::validate::inputs::InputError;
use bindpose::validate::profiles::{Effect, PROFILES};
use bindpose::validate::{self, PathsError, PathsReport};
use pyo3::exceptions::{PyFileNotFoundError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::path::PathBuf;

/// Findings, and by file the verdicts by engine.
type Checked<'py> = (Bound<'py, PyList>, Bound<'py, PyDict>);

/// Check files for engines. Use `bindpose.validate`.
#[pyfunction]
pub fn check<'py>(py: Python<'py>, paths: Paths, engines: Vec<String>) -> PyResult<Checked<'py>> {
    let paths = paths.list();
    let checked = detached(py, || validate::paths(&paths, &engines.join(","))).map_err(|error| match &error {
        PathsError::Input(InputError::Missing(path)) => errors::system(path, &std::io::ErrorKind::NotFound.into()),
        PathsError::Input(InputError::NoMatch(_)) => PyFileNotFoundError::new_err(error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    })?;
    Ok((findings(py, &checked)?, verdicts(py, &checked)?))
}

fn findings<'py>(py: Python<'py>, checked: &PathsReport) -> PyResult<Bound<'py, PyList>> {
    let (location, finding) = (errors::class(py, "Location")?, errors::class(py, "Finding")?);
    let list = PyList::empty(py);
    for found in checked.findings() {
        let (path, at) = (errors::text_of(&found.file.path), found.position);
        let object = found.finding.first.path.as_deref();
        let fields = PyDict::new(py);
        fields.set_item("code", found.finding.code.id)?;
        fields.set_item("severity", found.severity.to_string())?;
        fields.set_item("message", &found.finding.message)?;
        fields.set_item("location", location.call1((path, at.line, at.column, object))?)?;
        fields.set_item("notes", &found.finding.notes)?;
        fields.set_item("count", found.finding.count)?;
        fields.set_item("help", found.finding.help().as_ref())?;
        list.append(finding.call((), Some(&fields))?)?;
    }
    Ok(list)
}

fn verdicts<'py>(py: Python<'py>, checked: &PathsReport) -> PyResult<Bound<'py, PyDict>> {
    let (verdicts, verdict) = (PyDict::new(py), errors::class(py, "Verdict")?);
    for file in checked.groups.iter().flat_map(|group| &group.files) {
        let of_file = PyDict::new(py);
        for judged in &file.judgements {
            let fields = (name_of(judged.effect), judged.message.as_deref(), judged.line, judged.code);
            of_file.set_item(judged.profile.name, verdict.call1(fields)?)?;
        }
        verdicts.set_item(errors::text_of(&file.path), of_file)?;
    }
    Ok(verdicts)
}

fn name_of(effect: Effect) -> &'static str {
    match effect {
        Effect::Fine => "fine",
        Effect::Note => "note",
        Effect::Wrong => "wrong",
        Effect::Unused => "unused",
        Effect::Refuses => "refuses",
        Effect::Drops => "drops",
        Effect::Exits => "exits",
    }
}

/// The names of the engines and programs that `validate` knows.
#[pyfunction]
pub fn engines() -> Vec<&'static str> {
    PROFILES.iter().map(|profile| profile.name).collect()
}

fn take(py: Python<'_>, paths: Paths) -> PyResult<Snapshot> {
    let paths = paths.list();
    let taken = detached(py, || load(&paths, &LoadOptions::with_clips()).map(|loaded| Snapshot::from(&loaded)));
    taken.map_err(|error| errors::load(py, &error))
}

/// Write a snapshot of every frame, over an older one. Return the number of clips.
///
/// A lone `.md5mesh` gets the fitting clips of its folder. `bindpose snapshot` reads the same files.
#[pyfunction]
#[pyo3(text_signature = "(paths, snapshot)")]
pub fn record(py: Python<'_>, paths: Paths, snapshot: PathBuf) -> PyResult<usize> {
    let taken = take(py, paths)?;
    std::fs::write(&snapshot, taken.to_bytes()).map_err(|error| errors::system(&snapshot, &error))?;
    Ok(taken.clips.len())
}

/// Compare every frame with a snapshot. Return what differs as text, with frame, joint and distance; empty if nothing does.
///
/// Raise `SnapshotError` if the snapshot is damaged.
#[pyfunction]
#[pyo3(text_signature = "(paths, snapshot)")]
pub fn verify(py: Python<'_>, paths: Paths, snapshot: PathBuf) -> PyResult<String> {
    let read = detached(py, || snapshot::read(&snapshot, MemoryLimit::default()));
    let recorded = read.map_err(|error| errors::snapshot(py, &error))?;
    let now = take(py, paths)?;
    let comparison = detached(py, || recorded.compare(&now, &Check::default()));
    Ok(if comparison.is_same() { String::new() } else { comparison.to_string() })
}
