//! The model: skeleton, meshes and clips of a set of files, its poses and its vertices.

use crate::arrays::{fixed, put_matrix, shaped};
use crate::clip::{Clip, ClipArg};
use crate::errors;
use crate::mesh::{Mesh, MeshArg};
use crate::threads::detached;
use bindpose::budget::{Budget, Exceeded};
use bindpose::load::{LoadOptions, Loaded};
use bindpose::model;
use bindpose::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use bindpose::runtime::{RuntimeClip, RuntimeMesh, RuntimePose, RuntimeSkeleton, Simd, SkinnedVertex};
use bindpose::skin::{METHODS, MethodId, Prepared, Skinned, TimedPose, Unavailable, checked_reference, linear};
use numpy::{PyArray1, PyArrayDyn, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// State that all objects of a model share. Two are equal if they are of the same model.
#[derive(Clone)]
pub struct Shared(Arc<Inner>);

struct Inner {
    loaded: Loaded,
    /// Forms for `fast`, made on first use.
    fast: OnceLock<(RuntimeSkeleton, Vec<RuntimeMesh>)>,
    clips: Vec<OnceLock<Result<RuntimeClip, Exceeded>>>,
}

impl Shared {
    pub fn model(&self) -> &model::Model {
        &self.0.loaded.model
    }
}

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Shared {}

impl Hash for Shared {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

/// A path, or a sequence of paths.
#[derive(FromPyObject)]
pub enum Paths {
    One(PathBuf),
    Many(Vec<PathBuf>),
}

impl Paths {
    pub fn list(self) -> Vec<PathBuf> {
        match self {
            Self::One(path) => vec![path],
            Self::Many(paths) => paths,
        }
    }
}

/// A time or times, seconds.
#[derive(FromPyObject)]
enum Times<'py> {
    One(f64),
    Array(PyReadonlyArray1<'py, f64>),
    Many(Vec<f64>),
}

impl Times<'_> {
    /// Returns the times, and true if there is an axis for them.
    fn list(&self) -> PyResult<(Vec<f64>, bool)> {
        let (list, many) = match self {
            Self::One(time) => (vec![*time], false),
            Self::Array(times) => (times.as_array().to_vec(), true),
            Self::Many(times) => (times.clone(), true),
        };
        match list.iter().all(|time| time.is_finite()) {
            true => Ok((list, many)),
            false => Err(PyValueError::new_err("a time is not finite")),
        }
    }
}

/// A skeleton with its meshes and clips, as `load` reads it. It does not change.
///
/// Model space is right-handed with +Z up, in the file's units. Matrices are row-major, for `matrix @ column`. Times
/// are seconds.
#[pyclass(frozen, eq, hash, module = "bindpose")]
#[derive(PartialEq, Eq, Hash)]
pub struct Model {
    shared: Shared,
}

/// Read a model and its clips: MD5 (`.md5mesh`, `.md5anim`), DirectX `.x` or glTF.
///
/// `paths` is a path or a sequence of paths, which may lead into archives (`pak000.pk4:models/imp.md5mesh`). With
/// `find_clips`, a lone `.md5mesh` gets the fitting clips of its folder.
///
/// Raise `ParseError` with its `location` if a file breaks its format, `MismatchError` if the files do not belong
/// together, `OSError` if one cannot be read, `MemoryLimitError` if one asks for too much memory.
#[pyfunction]
#[pyo3(signature = (paths, *, find_clips = false))]
pub fn load(py: Python<'_>, paths: Paths, find_clips: bool) -> PyResult<Model> {
    let paths = paths.list();
    let options = if find_clips { LoadOptions::with_clips() } else { LoadOptions::default() };
    let loaded = detached(py, || bindpose::load::load(&paths, &options)).map_err(|error| errors::load(py, &error))?;
    let clips = loaded.model.clips.iter().map(|_| OnceLock::new()).collect();
    Ok(Model { shared: Shared(Arc::new(Inner { loaded, fast: OnceLock::new(), clips })) })
}

/// The skinning methods: name and a sentence about each.
#[pyfunction]
pub fn methods() -> Vec<(&'static str, &'static str)> {
    METHODS.iter().map(|method| (method.name, method.about)).collect()
}

/// Computes the pose of a clip, or the rest pose.
fn pose_at(model: &model::Model, clip: Option<usize>, time: f64, local: &mut LocalPose, pose: &mut ModelPose) {
    match clip.and_then(|clip| model.clips.get(clip)) {
        Some(clip) => sample(&model.skeleton, clip, time, local),
        None => rest(&model.skeleton, local),
    }
    local_to_model(&model.skeleton, local, pose);
}

/// Prepends the axis of times to a shape.
fn shape(times: usize, many: bool, rest: &[usize]) -> Vec<usize> {
    many.then_some(times).into_iter().chain(rest.iter().copied()).collect()
}

#[pymethods]
impl Model {
    /// Name of the first file, without folder and extension.
    #[getter]
    fn name(&self) -> &str {
        &self.shared.model().name
    }

    /// Names of the joints, parents first. Names may repeat.
    #[getter]
    fn joint_names(&self) -> Vec<&str> {
        self.shared.model().skeleton.joints().iter().map(|joint| joint.name.as_str()).collect()
    }

    /// Index of each joint's parent, int32 (J,); -1 for roots. A parent comes before its children.
    #[getter]
    fn parents<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        let joints = self.shared.model().skeleton.joints().iter();
        fixed(py, joints.map(|joint| joint.parent.map_or(-1, |parent| parent.index() as i32)))
    }

    /// The meshes, in the order of the file.
    #[getter]
    fn meshes(&self) -> Vec<Mesh> {
        (0..self.shared.model().meshes.len()).map(|index| Mesh { shared: self.shared.clone(), index }).collect()
    }

    /// The clips, in the order of their files.
    #[getter]
    fn clips(&self) -> Vec<Clip> {
        (0..self.shared.model().clips.len()).map(|index| Clip { shared: self.shared.clone(), index }).collect()
    }

    /// The first clip of this name. Raise `KeyError` with the names that there are.
    fn clip(&self, py: Python<'_>, name: String) -> PyResult<Clip> {
        let index = ClipArg::Name(name).index(py, &self.shared)?;
        Ok(Clip { shared: self.shared.clone(), index })
    }

    /// Repairs and contradictions found while loading, as `Diagnostic`s.
    #[getter]
    fn diagnostics<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let Loaded { diagnostics, sources, .. } = &self.shared.0.loaded;
        diagnostics.iter().map(|found| errors::diagnostic(py, sources, found)).collect()
    }

    /// Parts that the files contain or name, but the model lacks, as `LeftOut`s.
    #[getter]
    fn left_out<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let Loaded { left_out, sources, .. } = &self.shared.0.loaded;
        left_out.iter().map(|left| errors::left_out(py, sources, left)).collect()
    }

    /// Joints in model space, float64 (J, 4, 4), or (T, J, 4, 4) for a sequence of times.
    ///
    /// `clip` is a name, an index or a `Clip`; `None` is the rest pose. Times are seconds, clamped to the clip. With
    /// `local`, each joint is in its parent's space.
    #[pyo3(signature = (clip = None, time = Times::One(0.0), *, local = false),
           text_signature = "($self, clip=None, time=0.0, *, local=False)")]
    fn pose<'py>(
        &self,
        py: Python<'py>,
        clip: Option<ClipArg>,
        time: Times<'py>,
        local: bool,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let clip = clip.map(|clip| clip.index(py, &self.shared)).transpose()?;
        let (times, many) = time.list()?;
        let model = self.shared.model();
        let joints = model.skeleton.len();
        let numbers = py.detach(|| {
            let (mut in_parent, mut pose) = (LocalPose::default(), ModelPose::default());
            let mut numbers = vec![0.0; times.len() * joints * 16];
            for (&time, out) in times.iter().zip(numbers.chunks_exact_mut((joints * 16).max(1))) {
                pose_at(model, clip, time, &mut in_parent, &mut pose);
                for (joint, out) in out.chunks_exact_mut(16).enumerate() {
                    put_matrix(out, &if local { in_parent.0[joint].to_affine() } else { pose.0[joint] });
                }
            }
            numbers
        });
        shaped(py, numbers, shape(times.len(), many, &[joints, 4, 4]))
    }

    /// Skinned positions in model space, float64 (V, 3), or (T, V, 3) for a sequence of times.
    ///
    /// `mesh` is an index or a `Mesh`; `None` is all meshes, one after the other. `method` is one of `methods()`, or
    /// `linear` for the weighted sum of all influences. `fast` computes `linear` with vector instructions and returns
    /// float32. Raise `MethodError` if the method cannot show the model.
    #[pyo3(signature = (clip = None, time = Times::One(0.0), *, method = "linear", mesh = None, fast = false),
           text_signature = "($self, clip=None, time=0.0, *, method='linear', mesh=None, fast=False)")]
    fn vertices<'py>(
        &self,
        py: Python<'py>,
        clip: Option<ClipArg>,
        time: Times<'py>,
        method: &str,
        mesh: Option<MeshArg>,
        fast: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let clip = clip.map(|clip| clip.index(py, &self.shared)).transpose()?;
        let (times, many) = time.list()?;
        let meshes = &self.shared.model().meshes;
        let chosen = match mesh.map(|mesh| mesh.index(py, &self.shared)).transpose()? {
            None => 0..meshes.len(),
            Some(index) => index..index + 1,
        };
        let vertices: usize = meshes[chosen.clone()].iter().map(model::Mesh::vertex_count).sum();
        let shape = shape(times.len(), many, &[vertices, 3]);
        if fast {
            if method != "linear" {
                return Err(PyValueError::new_err("only method='linear' has a fast form"));
            }
            let Some(clip) = clip else { return Err(PyValueError::new_err("the fast form needs a clip")) };
            let numbers = detached(py, || self.fast(clip, &times, chosen, vertices));
            let numbers = numbers.map_err(|error| errors::plain(py, "MemoryLimitError", error))?;
            return Ok(shaped(py, numbers, shape)?.into_any());
        }
        let method = match method {
            "linear" => None,
            name => Some(name.parse::<MethodId>().map_err(|error| PyValueError::new_err(error.to_string()))?),
        };
        let numbers = detached(py, || self.skinned(clip, &times, method, chosen, vertices));
        let numbers = numbers.map_err(|error| errors::plain(py, "MethodError", error))?;
        Ok(shaped(py, numbers, shape)?.into_any())
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// Does nothing: a model is freed with its last reference.
    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: Bound<'_, PyAny>) {}

    fn __repr__(&self) -> String {
        let model::Model { name, skeleton, meshes, clips, .. } = self.shared.model();
        let vertices: usize = meshes.iter().map(model::Mesh::vertex_count).sum();
        format!(
            "<bindpose.Model '{name}': {} joints, {} meshes, {vertices} vertices, {} clips>",
            skeleton.len(),
            meshes.len(),
            clips.len()
        )
    }
}

impl Model {
    /// Skins by a method's reference, in f64. `None` is the weighted sum.
    fn skinned(
        &self,
        clip: Option<usize>,
        times: &[f64],
        method: Option<MethodId>,
        chosen: Range<usize>,
        vertices: usize,
    ) -> Result<Vec<f64>, Unavailable> {
        let model = self.shared.model();
        let shown = clip.and_then(|clip| model.clips.get(clip));
        let prepare = |method| Prepared::all(method, &model.skeleton, &model.meshes, &[], shown);
        let prepared = method.map(prepare).transpose()?;
        let (mut local, mut pose, mut out) = (LocalPose::default(), ModelPose::default(), Skinned::default());
        let mut numbers: Vec<f64> = Vec::with_capacity(times.len() * vertices * 3);
        for &time in times {
            pose_at(model, clip, time, &mut local, &mut pose);
            for mesh in chosen.clone() {
                match &prepared {
                    None => linear(&model.meshes[mesh], &pose, &mut out),
                    Some(prepared) => checked_reference(&prepared[mesh], TimedPose { pose: &pose, time }, &mut out)?,
                }
                numbers.extend(out.positions.iter().flat_map(|position| position.to_array()));
            }
        }
        Ok(numbers)
    }

    /// Skins by the weighted sum, in f32.
    fn fast(&self, clip: usize, times: &[f64], chosen: Range<usize>, vertices: usize) -> Result<Vec<f32>, Exceeded> {
        let (model, inner) = (self.shared.model(), &*self.shared.0);
        let (skeleton, meshes) = inner.fast.get_or_init(|| {
            (RuntimeSkeleton::new(&model.skeleton), model.meshes.iter().map(RuntimeMesh::new).collect())
        });
        let make = || RuntimeClip::new(&model.skeleton, &model.clips[clip], &Budget::default());
        let clip = inner.clips[clip].get_or_init(make).as_ref().map_err(Clone::clone)?;
        let simd = Simd::best();
        let (mut pose, mut palette) = (RuntimePose::new(simd), Vec::new());
        let mut skinned = vec![SkinnedVertex::default(); meshes.iter().map(RuntimeMesh::vertices).max().unwrap_or(0)];
        let mut numbers: Vec<f32> = Vec::with_capacity(times.len() * vertices * 3);
        for &time in times {
            pose.sample(clip, time);
            pose.local_to_model(skeleton);
            for mesh in &meshes[chosen.clone()] {
                mesh.palette(pose.model(), &mut palette);
                let out = &mut skinned[..mesh.vertices()];
                mesh.skin(simd, &palette, out);
                numbers.extend(out.iter().flat_map(|vertex| vertex.position));
            }
        }
        Ok(numbers)
    }
}
