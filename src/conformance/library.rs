//! Our own library as a loader: its content of a file in the file's axes and order.

use crate::reading::{Camera, Pose, Reading};
use crate::score::{FileResult, Results};
use crate::suite::Case;
use bindpose_core::engines::Engine;
use bindpose_core::left_out::Part;
use bindpose_core::load::{LoadError, LoadOptions, Loaded, load_bytes};
use bindpose_core::model::{Material, Mesh, Model};
use bindpose_core::pose::LocalPose;
use bindpose_core::skin::{Skinned, linear};
use glam::{DAffine3, DMat3, DVec3};
use std::path::PathBuf;

/// Returns the results of all files.
pub fn results(cases: &[Case]) -> Results {
    let read = |case: &Case| (case.file.clone(), read(case, case.companion(cases), None));
    Results { loader: format!("bindpose {}", env!("CARGO_PKG_VERSION")), files: cases.iter().map(read).collect() }
}

/// Loads a file and its companion, and poses the model as the suite requests. If an engine is given, plays the files as
/// it does.
pub fn read(case: &Case, companion: Option<&Case>, engine: Option<&'static Engine>) -> FileResult {
    let refused = |error| FileResult { loads: false, crashes: false, error: Some(error), reading: Reading::default() };
    match load(case, companion, engine) {
        Ok(loaded) => match loaded.left_out.iter().find(|left| left.is_fault() && left.kind == Part::Clip) {
            Some(clip) => refused(clip.reason.message.clone()),
            None => {
                let reading = reading(&loaded, case, FileAxes::new(case));
                FileResult { loads: true, crashes: false, error: None, reading }
            }
        },
        Err(error) => refused(error.to_string()),
    }
}

fn load(case: &Case, companion: Option<&Case>, engine: Option<&'static Engine>) -> Result<Loaded, LoadError> {
    let files = companion.into_iter().chain([case]);
    let files = files.map(|case| (PathBuf::from(&case.file), case.bytes.clone())).collect();
    let mut options = LoadOptions { with_camera: true, ..LoadOptions::default() };
    options.playback.engine = engine;
    load_bytes(files, &options)
}

/// The file's axes and order of corners.
#[derive(Clone, Copy)]
struct FileAxes {
    /// Rotates or mirrors the model's axes to the file's.
    from_model: DMat3,
    /// True if the corners of a triangle have another order than the model's, which is counterclockwise seen from the
    /// front.
    is_clockwise: bool,
}

impl FileAxes {
    /// `.x` files are left-handed with +Y up.
    fn new(case: &Case) -> Self {
        match case.file.ends_with(".x") {
            true => Self { from_model: DMat3::from_cols(DVec3::X, DVec3::Z, DVec3::Y), is_clockwise: true },
            false => Self { from_model: DMat3::IDENTITY, is_clockwise: true },
        }
    }

    fn corners(self, [a, b, c]: [u32; 3]) -> [u32; 3] {
        if self.is_clockwise { [a, c, b] } else { [a, b, c] }
    }
}

fn reading(loaded: &Loaded, case: &Case, axes: FileAxes) -> Reading {
    let model = &loaded.model;
    let joints = model.skeleton.joints().iter().map(|joint| {
        let parent = joint.parent.map(|parent| model.skeleton[parent].name.clone());
        (joint.name.clone(), parent)
    });
    let normal = |mesh: &Mesh, corner: u32| (axes.from_model * mesh.normals[corner as usize].as_dvec3()).to_array();
    let uv = |mesh: &Mesh, corner: u32| mesh.uvs[corner as usize].as_dvec2().to_array();
    let asked = case.meaning.iter().flat_map(|meaning| &meaning.poses);
    Reading {
        joints: Some(joints.collect()),
        clips: Some(model.clips.iter().map(|clip| (clip.name.clone(), clip.duration)).collect()),
        uvs: Some(of_triangles(model, axes, |mesh, _, corners| corners.map(|corner| uv(mesh, corner)))),
        normals: Some(of_triangles(model, axes, |mesh, _, corners| corners.map(|corner| normal(mesh, corner)))),
        colours: Some(of_triangles(model, axes, |_, material, _| material.diffuse.as_dvec4().to_array())),
        textures: Some(of_triangles(model, axes, |_, material, _| material.texture.clone().unwrap_or_default())),
        poses: asked.map(|asked| pose(loaded, asked, axes)).collect(),
    }
}

/// Returns a value for each triangle of all meshes, with its corners in the file's order.
fn of_triangles<T>(model: &Model, axes: FileAxes, value: impl Fn(&Mesh, &Material, [u32; 3]) -> T) -> Vec<T> {
    let value = &value;
    let of_mesh = |mesh: &'_ Mesh| -> Vec<T> {
        let material = &model.materials[mesh.material.index()];
        mesh.triangles.iter().map(|&corners| value(mesh, material, axes.corners(corners))).collect()
    };
    model.meshes.iter().flat_map(of_mesh).collect()
}

fn pose(loaded: &Loaded, asked: &Pose, axes: FileAxes) -> Pose {
    let model = &loaded.model;
    let is_asked = |name: &String| asked.clip.as_ref().is_none_or(|clip| clip == name);
    let clip = asked.time.and_then(|_| model.clips.iter().find(|clip| is_asked(&clip.name)));
    let joints = LocalPose::of_clip(&model.skeleton, clip, asked.time.unwrap_or(0.0)).to_model(&model.skeleton);
    let file_from_model = DAffine3::from_mat3(axes.from_model);
    let numbers = |joint: &DAffine3| {
        let file = file_from_model * *joint * file_from_model.inverse();
        let columns = [file.matrix3.x_axis, file.matrix3.y_axis, file.matrix3.z_axis, file.translation];
        let with_last = columns.into_iter().zip([0.0, 0.0, 0.0, 1.0]);
        with_last.flat_map(|(column, last)| [column.x, column.y, column.z, last]).collect()
    };
    let named = model.skeleton.joints().iter().zip(&joints.0);
    let (mut skinned, mut triangles) = (Skinned::default(), Vec::new());
    for mesh in &model.meshes {
        linear(mesh, &joints, &mut skinned);
        let corner = |corner: u32| (axes.from_model * skinned.positions[corner as usize]).to_array();
        triangles.extend(mesh.triangles.iter().map(|&corners| axes.corners(corners).map(corner)));
    }
    let camera = loaded.camera.as_ref().zip(asked.time).map(|(path, time)| path.at(time));
    Pose {
        clip: asked.clip.clone(),
        time: asked.time,
        joints: Some(named.map(|(joint, world)| (joint.name.clone(), numbers(world))).collect()),
        triangles: Some(triangles),
        camera: camera.map(|camera| Camera {
            position: camera.position.to_array(),
            forward: (camera.rotation * DVec3::X).to_array(),
            up: (camera.rotation * DVec3::Z).to_array(),
            fov: camera.horizontal_angle.to_degrees(),
        }),
    }
}
