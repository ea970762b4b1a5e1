//! Bindings of `bindpose` for Python, with arrays of numpy.
//!
//! Data from a file (positions, indices, …) is a view into the model in Rust, which the Python object keeps alive. Data
//! that is computed (poses, vertices) is written once, without the GIL, and handed over.

mod arrays;
mod clip;
mod convert;
mod errors;
mod mesh;
mod model;
mod threads;
mod tools;

use pyo3::prelude::*;

/// The compiled half of `bindpose`; import `bindpose`.
#[pymodule(gil_used = false)]
mod _bindpose {
    #[pymodule_export]
    use crate::clip::Clip;
    #[pymodule_export]
    use crate::convert::convert_files;
    #[pymodule_export]
    use crate::mesh::Mesh;
    #[pymodule_export]
    use crate::model::{Model, load, methods};
    #[pymodule_export]
    use crate::tools::{check, engines, record, verify};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
