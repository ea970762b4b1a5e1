//! Meshes.

use crate::arrays::{fixed, put_matrix, shaped, view};
use crate::clip::at;
use crate::model::Shared;
use bindpose::glam::{Vec2, Vec3};
use bindpose::model;
use bindpose::skin::reduce_influences;
use numpy::ndarray::{ArrayView1, ArrayView2};
use numpy::{PyArray1, PyArray2, PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A triangle mesh in its bind pose. Arrays are read-only; copy what you want to change.
#[pyclass(frozen, eq, hash, module = "bindpose")]
#[derive(PartialEq, Eq, Hash)]
pub struct Mesh {
    pub shared: Shared,
    pub index: usize,
}

impl Mesh {
    fn mesh(&self) -> &model::Mesh {
        &self.shared.model().meshes[self.index]
    }
}

fn rows3(list: &[Vec3]) -> ArrayView2<'_, f32> {
    // SAFETY: `Vec3` is `repr(C)` with three floats.
    let numbers = unsafe { std::slice::from_raw_parts(list.as_ptr().cast::<f32>(), list.len() * 3) };
    ArrayView2::from_shape((list.len(), 3), numbers).expect("three numbers a row")
}

fn rows2(list: &[Vec2]) -> ArrayView2<'_, f32> {
    // SAFETY: `Vec2` is `repr(C)` with two floats.
    let numbers = unsafe { std::slice::from_raw_parts(list.as_ptr().cast::<f32>(), list.len() * 2) };
    ArrayView2::from_shape((list.len(), 2), numbers).expect("two numbers a row")
}

/// Heaviest influences of each vertex: their joints and weights.
type Padded<'py> = (Bound<'py, PyArrayDyn<u16>>, Bound<'py, PyArrayDyn<f32>>);

#[pymethods]
impl Mesh {
    /// Name of the mesh in the file, else its number.
    #[getter]
    fn name(&self) -> &str {
        &self.mesh().name
    }

    /// Name of the material: MD5's shader.
    #[getter]
    fn material(&self) -> Option<&str> {
        self.shared.model().materials.get(self.mesh().material.index()).map(|material| material.name.as_str())
    }

    /// Positions in the bind pose, float32 (V, 3), model space and units.
    #[getter]
    fn positions<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        // SAFETY: a model does not change, and `slf` owns it.
        unsafe { view(slf.clone().into_any(), rows3(&slf.get().mesh().positions)) }
    }

    /// Unit normals in the bind pose, float32 (V, 3), model space.
    #[getter]
    fn normals<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        // SAFETY: as above.
        unsafe { view(slf.clone().into_any(), rows3(&slf.get().mesh().normals)) }
    }

    /// Texture coordinates, float32 (V, 2). (0, 0) is the left end of the image's top row.
    #[getter]
    fn uvs<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        // SAFETY: as above.
        unsafe { view(slf.clone().into_any(), rows2(&slf.get().mesh().uvs)) }
    }

    /// Vertex indices of the triangles, uint32 (F, 3), counter-clockwise seen from the front.
    #[getter]
    fn triangles<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let list = &slf.get().mesh().triangles;
        let rows = ArrayView2::from_shape((list.len(), 3), list.as_flattened()).expect("three numbers a row");
        // SAFETY: as above.
        unsafe { view(slf.clone().into_any(), rows) }
    }

    /// Joint of each bind matrix, int32 (B,), into `Model.joint_names`.
    #[getter]
    fn bind_joints<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        fixed(py, self.mesh().bind.iter().map(|bound| bound.joint.index() as i32))
    }

    /// Matrices from model to joint space in the bind pose, float64 (B, 4, 4), for `matrix @ column`.
    ///
    /// They belong to the mesh, because `.x` may bind each mesh in another pose. `pose[bind_joints] @ inverse_bind` is
    /// the palette, from the bind pose to the pose.
    #[getter]
    fn inverse_bind<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let bind = &self.mesh().bind;
        let mut numbers = vec![0.0; bind.len() * 16];
        for (bound, out) in bind.iter().zip(numbers.chunks_exact_mut(16)) {
            put_matrix(out, &bound.inverse_bind);
        }
        let matrices = shaped(py, numbers, vec![bind.len(), 4, 4])?;
        drop(matrices.readwrite().make_nonwriteable());
        Ok(matrices)
    }

    /// Start of each vertex' influences, uint32 (V + 1,): the `indptr` of a scipy CSR matrix of shape (V, B).
    #[getter]
    fn influence_starts<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        // SAFETY: as above.
        unsafe { view(slf.clone().into_any(), ArrayView1::from(&slf.get().mesh().influence_starts[..])) }
    }

    /// Index of each influence into `bind_joints`, int32 (N,): the `indices` of a scipy CSR matrix.
    #[getter]
    fn influence_slots<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        fixed(py, self.mesh().influences.iter().map(|influence| influence.slot as i32))
    }

    /// Weight of each influence as in the file, float32 (N,): the `data` of a scipy CSR matrix.
    #[getter]
    fn influence_weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        fixed(py, self.mesh().influences.iter().map(|influence| influence.weight))
    }

    /// Position of each influence in its joint's space, float32 (N, 3), as MD5 stores it; model units.
    #[getter]
    fn influence_offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let list = &self.mesh().influences;
        fixed(py, list.iter().flat_map(|influence| influence.offset.to_array())).reshape([list.len(), 3])
    }

    /// The heaviest influences of each vertex: `(joints, weights)`, uint16 and float32, both (V, count).
    ///
    /// Joints index `bind_joints`, as glTF's JOINTS_0. Weights that are dropped are shared among the others, and rows
    /// with fewer influences end in zeros.
    #[pyo3(signature = (count = 4))]
    fn padded_influences<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Padded<'py>> {
        if count == 0 || count > usize::from(u16::MAX) {
            return Err(PyValueError::new_err("count is between 1 and 65535"));
        }
        let reduced = reduce_influences(self.mesh(), count).mesh;
        let vertices = reduced.vertex_count();
        let (mut joints, mut weights) = (vec![0_u16; vertices * count], vec![0.0_f32; vertices * count]);
        for vertex in 0..vertices {
            for (number, influence) in reduced.influences_of(vertex).iter().enumerate() {
                joints[vertex * count + number] = influence.slot.try_into()?;
                weights[vertex * count + number] = influence.weight;
            }
        }
        let shape = vec![vertices, count];
        Ok((shaped(py, joints, shape.clone())?, shaped(py, weights, shape)?))
    }

    fn __repr__(&self) -> String {
        let mesh = self.mesh();
        format!("<bindpose.Mesh '{}': {} vertices, {} triangles>", mesh.name, mesh.vertex_count(), mesh.triangles.len())
    }
}

/// A mesh by index, or the object itself.
#[derive(FromPyObject)]
pub enum MeshArg {
    Index(isize),
    Mesh(Py<Mesh>),
}

impl MeshArg {
    /// Returns the index of the mesh in a model.
    pub fn index(self, py: Python<'_>, shared: &Shared) -> PyResult<usize> {
        match self {
            Self::Index(index) => at(index, shared.model().meshes.len(), "mesh"),
            Self::Mesh(mesh) => {
                let mesh = mesh.bind(py).get();
                let is_own = mesh.shared == *shared;
                is_own.then_some(mesh.index).ok_or_else(|| PyValueError::new_err("a mesh of another model"))
            }
        }
    }
}
