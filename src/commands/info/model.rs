//! The model imported from a file.

use super::size::Size;
use super::{Content, Description, plural, short_table, shown};
use bindpose::budget::MemoryLimit;
use bindpose::diagnostic::{Diagnostic, Severity, Sources};
use bindpose::import::{self, ImportOptions};
use bindpose::left_out::LeftOut;
use bindpose::load::{self, LoadError, LoadOptions};
use bindpose::model::Model;
use bindpose_parsers::counted;
use serde::Serialize;
use std::path::Path;

/// A model as it is played.
#[derive(Debug, Serialize)]
pub struct ModelInfo {
    /// Name of the format as used in sentences.
    #[serde(skip)]
    format: &'static str,
    joints: Vec<JointInfo>,
    meshes: Vec<MeshInfo>,
    materials: usize,
    animations: Vec<AnimationInfo>,
    #[serde(skip)]
    pub size: Option<Size>,
    /// See [`Loaded::left_out`](bindpose::load::Loaded::left_out).
    #[serde(skip)]
    pub left_out: Vec<LeftOut>,
}

#[derive(Debug, Serialize)]
struct JointInfo {
    name: String,
    parent: Option<usize>,
}

#[derive(Debug, Serialize)]
struct MeshInfo {
    name: String,
    material: Option<String>,
    vertices: usize,
    triangles: usize,
    most_influences: usize,
}

#[derive(Debug, Serialize)]
struct AnimationInfo {
    name: String,
    seconds: f64,
    /// Frame rate at which all keys are on frames.
    frame_rate: Option<f64>,
}

/// Loads a file and the files that it names. They replace `sources`.
pub fn describe(path: &Path, bytes: Vec<u8>, memory: MemoryLimit, sources: &mut Sources) -> Description {
    // The file is read again with the others.
    drop(bytes);
    let import = ImportOptions { without_tangents: true, ..ImportOptions::default() };
    let options = LoadOptions { memory, import, ..LoadOptions::default() };
    match load::load(&[path], &options) {
        Ok(loaded) => {
            let format = import::by_extension(path).map_or("model", |importer| importer.title);
            *sources = loaded.sources;
            let info = ModelInfo { left_out: loaded.left_out, ..ModelInfo::new(&loaded.model, format) };
            Ok((Content::Model(info), loaded.diagnostics))
        }
        Err(LoadError::File { sources: of_error, mut diagnostics }) if !diagnostics.is_empty() => {
            *sources = of_error;
            Err(Box::new(diagnostics.swap_remove(diagnostics.len() - 1)))
        }
        Err(error) => {
            let source = sources.add(path, Vec::new());
            Err(Box::new(Diagnostic::new("IO001", Severity::Error, error.to_string(), source, Default::default())))
        }
    }
}

impl ModelInfo {
    fn new(model: &Model, format: &'static str) -> Self {
        let joints = model.skeleton.joints().iter();
        Self {
            format,
            size: Size::of_model(model),
            left_out: Vec::new(),
            joints: joints
                .map(|joint| JointInfo { name: joint.name.clone(), parent: joint.parent.map(|parent| parent.index()) })
                .collect(),
            meshes: model
                .meshes
                .iter()
                .map(|mesh| MeshInfo {
                    name: mesh.name.clone(),
                    material: model.materials.get(mesh.material.index()).map(|material| material.name.clone()),
                    vertices: mesh.vertex_count(),
                    triangles: mesh.triangles.len(),
                    most_influences: (0..mesh.vertex_count())
                        .map(|vertex| mesh.influences_of(vertex).len())
                        .max()
                        .unwrap_or(0),
                })
                .collect(),
            materials: model.materials.len(),
            animations: model
                .clips
                .iter()
                .map(|clip| AnimationInfo {
                    name: clip.name.clone(),
                    seconds: clip.duration,
                    frame_rate: clip.frame_rate,
                })
                .collect(),
        }
    }

    /// Formats the model as text that begins with the file's name.
    pub fn to_text(&self, file: &str) -> String {
        let counts = [
            plural(self.joints.len(), "joint"),
            counted(self.meshes.len(), "mesh", "meshes"),
            counted(self.meshes.iter().map(|mesh| mesh.vertices).sum(), "vertex", "vertices"),
            plural(self.materials, "material"),
            plural(self.animations.len(), "animation"),
        ];
        let mut text = format!("{file}: {}\n  {}\n", self.format, counts.join(", "));
        if !self.meshes.is_empty() {
            let rows = self.meshes.iter().map(|mesh| {
                let material = mesh.material.as_deref().map_or_else(|| "-".to_owned(), shown);
                let counts = [mesh.vertices, mesh.triangles, mesh.most_influences].map(|count| count.to_string());
                [vec![shown(&mesh.name)], counts.to_vec(), vec![material]].concat()
            });
            text += &short_table(&["mesh", "vertices", "triangles", "most weights", "material"], rows);
        }
        if !self.animations.is_empty() {
            let rows = self.animations.iter().map(|animation| {
                let rate = animation.frame_rate.map_or_else(|| "-".to_owned(), |rate| rate.to_string());
                vec![shown(&animation.name), format!("{:.3}", animation.seconds), rate]
            });
            text += &short_table(&["animation", "seconds", "frames/s"], rows);
        }
        text
    }
}
