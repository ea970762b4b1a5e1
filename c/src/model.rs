//! A loaded model with the arrays and texts that C reads in place.

use bindpose::glam::{DAffine3, DMat3, DVec3};
use bindpose::load::{LoadOptions, Loaded, load};
use bindpose::model::Mesh;
use bindpose::pose::{LocalPose, ModelPose};
use bindpose::skin::Skinned;
use bindpose::validate::report::{self, Style};
use bindpose::{diagnostic::Severity, validate};
use std::ffi::CString;
use std::path::PathBuf;

/// A model that does not change.
pub struct SharedModel {
    pub loaded: Loaded,
    pub left_out: CString,
    pub joint_names: Vec<CString>,
    pub parents: Vec<i32>,
    pub meshes: Vec<MeshArrays>,
    pub clip_names: Vec<CString>,
}

/// Arrays of a mesh that the library stores in another form.
pub struct MeshArrays {
    pub name: CString,
    pub material: CString,
    pub slots: Vec<u32>,
    pub weights: Vec<f32>,
    pub joints: Vec<u32>,
    /// 16 numbers for each joint, row by row.
    pub inverse_binds: Vec<f64>,
}

/// Returns a text for C, which ends at its first zero byte.
pub fn text(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default()
}

impl SharedModel {
    pub fn load(paths: &[PathBuf]) -> Result<Self, String> {
        let loaded = load(paths, &LoadOptions::with_clips()).map_err(|error| error.to_string())?;
        let model = &loaded.model;
        let joints = model.skeleton.joints();
        let left_out: Vec<String> = loaded.left_out.iter().map(ToString::to_string).collect();
        let arrays = |mesh: &Mesh| MeshArrays {
            name: text(&mesh.name),
            material: text(model.materials.get(mesh.material.index()).map_or("", |material| &material.name)),
            slots: mesh.influences.iter().map(|influence| influence.slot).collect(),
            weights: mesh.influences.iter().map(|influence| influence.weight).collect(),
            joints: mesh.bind.iter().map(|bound| bound.joint.index() as u32).collect(),
            inverse_binds: mesh.bind.iter().flat_map(|bound| rows(&bound.inverse_bind)).collect(),
        };
        Ok(Self {
            left_out: text(&left_out.join("\n")),
            joint_names: joints.iter().map(|joint| text(&joint.name)).collect(),
            parents: joints.iter().map(|joint| joint.parent.map_or(-1, |parent| parent.index() as i32)).collect(),
            meshes: model.meshes.iter().map(arrays).collect(),
            clip_names: model.clips.iter().map(|clip| text(&clip.name)).collect(),
            loaded,
        })
    }

    /// Returns the matrices of a pose. Without a clip, it is the rest pose.
    pub fn pose(&self, clip: Option<usize>, time: f64) -> Result<Vec<f64>, String> {
        let model = &self.loaded.model;
        let clip = clip.map(|clip| element(&model.clips, clip, "clip")).transpose()?;
        if !time.is_finite() {
            return Err(format!("the time {time} is not finite"));
        }
        let pose = LocalPose::of_clip(&model.skeleton, clip, time).to_model(&model.skeleton);
        Ok(pose.0.iter().flat_map(rows).collect())
    }

    /// Returns positions and normals of a mesh in a pose, three numbers each.
    pub fn skin(&self, mesh: usize, pose: &[f64]) -> Result<[Vec<f32>; 2], String> {
        let mesh = element(&self.loaded.model.meshes, mesh, "mesh")?;
        let skinned = Skinned::linear(mesh, &ModelPose(pose.chunks_exact(16).map(affine).collect()));
        Ok([skinned.positions, skinned.normals]
            .map(|list| list.iter().flat_map(|vector| vector.as_vec3().to_array()).collect()))
    }
}

/// Returns an element of a list.
pub fn element<'l, T>(list: &'l [T], index: usize, what: &str) -> Result<&'l T, String> {
    list.get(index).ok_or_else(|| format!("there is no {what} {index}: the model has {}", list.len()))
}

/// Returns the 16 numbers of a matrix, row by row.
fn rows(affine: &DAffine3) -> [f64; 16] {
    let (x, y, z, t) = (affine.x_axis, affine.y_axis, affine.z_axis, affine.translation);
    [x.x, y.x, z.x, t.x, x.y, y.y, z.y, t.y, x.z, y.z, z.z, t.z, 0.0, 0.0, 0.0, 1.0]
}

/// Reads the 16 numbers of a matrix.
fn affine(rows: &[f64]) -> DAffine3 {
    let column = |column: usize| DVec3::new(rows[column], rows[4 + column], rows[8 + column]);
    DAffine3::from_mat3_translation(DMat3::from_cols(column(0), column(1), column(2)), column(3))
}

/// Checks files for engines. Returns the validator's report as JSON.
pub fn validated(paths: &[PathBuf], engines: &str) -> Result<CString, String> {
    let checked = validate::paths(paths, engines).map_err(|error| error.to_string())?;
    let (_, json) = report::write(Style::Json, &checked.selection, Severity::Hint, &checked.groups)
        .map_err(|error| error.to_string())?;
    Ok(text(&String::from_utf8_lossy(&json)))
}
