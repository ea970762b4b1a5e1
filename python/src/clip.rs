//! Clips.

use crate::arrays::fixed;
use crate::model::Shared;
use bindpose::model;
use bindpose::snapshot::key_times;
use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyKeyError, PyValueError};
use pyo3::prelude::*;

/// An animation of a model.
#[pyclass(frozen, eq, hash, module = "bindpose")]
#[derive(PartialEq, Eq, Hash)]
pub struct Clip {
    pub shared: Shared,
    pub index: usize,
}

impl Clip {
    fn clip(&self) -> &model::Clip {
        &self.shared.model().clips[self.index]
    }
}

#[pymethods]
impl Clip {
    /// Name: the file's without its extension for MD5, the animation set's for .x.
    #[getter]
    fn name(&self) -> &str {
        &self.clip().name
    }

    /// Length in seconds: the time of the last key.
    #[getter]
    fn duration(&self) -> f64 {
        self.clip().duration
    }

    /// Frames per second; `None` if the file has no frames.
    #[getter]
    fn frame_rate(&self) -> Option<f64> {
        self.clip().frame_rate
    }

    /// True if the clip is meant to repeat.
    #[getter]
    fn looping(&self) -> bool {
        self.clip().looping
    }

    /// Times of all keys in seconds, increasing, float64 (T,): one per frame of MD5, for `Model.pose` and `Model.vertices`.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        fixed(py, key_times(self.clip()).into_iter())
    }

    fn __repr__(&self) -> String {
        let clip = self.clip();
        format!("<bindpose.Clip '{}': {:.3} s, {} frames>", clip.name, clip.duration, key_times(clip).len())
    }
}

/// A clip by name, by index, or the object itself.
#[derive(FromPyObject)]
pub enum ClipArg {
    Name(String),
    Index(isize),
    Clip(Py<Clip>),
}

impl ClipArg {
    /// Returns the index of the clip in a model.
    pub fn index(self, py: Python<'_>, shared: &Shared) -> PyResult<usize> {
        let clips = &shared.model().clips;
        match self {
            Self::Name(name) => clips.iter().position(|clip| clip.name == name).ok_or_else(|| {
                let names: Vec<&str> = clips.iter().map(|clip| clip.name.as_str()).collect();
                PyKeyError::new_err(format!("no clip '{name}'; there are: {}", names.join(", ")))
            }),
            Self::Index(index) => at(index, clips.len(), "clip"),
            Self::Clip(clip) => {
                let clip = clip.bind(py).get();
                let is_own = clip.shared == *shared;
                is_own.then_some(clip.index).ok_or_else(|| PyValueError::new_err("a clip of another model"))
            }
        }
    }
}

/// Returns an index of a list; negative ones count from its end.
pub fn at(index: isize, count: usize, what: &str) -> PyResult<usize> {
    let from_start = if index < 0 { index.checked_add_unsigned(count) } else { Some(index) };
    let found = from_start.and_then(|index| usize::try_from(index).ok()).filter(|&index| index < count);
    found.ok_or_else(|| PyIndexError::new_err(format!("no {what} {index}; there are {count}")))
}
