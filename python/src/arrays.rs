//! Arrays of numpy, over memory of Rust or in it.

use bindpose::glam::DAffine3;
use numpy::ndarray::{ArrayView, Dimension};
use numpy::{Element, IntoPyArray, PyArray, PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;

/// Returns a read-only array over memory that `owner` keeps alive and never changes.
///
/// # Safety
///
/// `view` must point into memory that lives as long as `owner` and is never written.
pub unsafe fn view<'py, T: Element, D: Dimension>(
    owner: Bound<'py, PyAny>,
    view: ArrayView<'_, T, D>,
) -> PyResult<Bound<'py, PyArray<T, D>>> {
    // SAFETY: by the caller.
    let array = unsafe { PyArray::borrow_from_array(&view, owner) };
    drop(array.readwrite().make_nonwriteable());
    Ok(array)
}

/// Returns a read-only array of numbers that are stored in another form.
pub fn fixed<T: Element>(py: Python<'_>, numbers: impl Iterator<Item = T>) -> Bound<'_, PyArray1<T>> {
    let array = numbers.collect::<Vec<_>>().into_pyarray(py);
    drop(array.readwrite().make_nonwriteable());
    array
}

/// Hands numbers over as an array of this shape.
pub fn shaped<T: Element>(py: Python<'_>, numbers: Vec<T>, shape: Vec<usize>) -> PyResult<Bound<'_, PyArrayDyn<T>>> {
    numbers.into_pyarray(py).reshape(shape)
}

/// Writes a 4x4 matrix, row by row: `matrix @ column`.
pub fn put_matrix(out: &mut [f64], affine: &DAffine3) {
    let (m, t) = (affine.matrix3, affine.translation);
    out.copy_from_slice(&[
        m.x_axis.x, m.y_axis.x, m.z_axis.x, t.x, //
        m.x_axis.y, m.y_axis.y, m.z_axis.y, t.y, //
        m.x_axis.z, m.y_axis.z, m.z_axis.z, t.z, //
        0.0, 0.0, 0.0, 1.0,
    ]);
}
