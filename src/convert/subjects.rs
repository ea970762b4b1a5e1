//! Subjects of the validator's findings: joint, clip, mesh, vertex and frame, by their names in the source.

use bindpose_core::model::Model;
use bindpose_export::NewName;
use bindpose_parsers::md5;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Names in the written files, and their origin in the source.
pub(crate) struct Subjects<'a> {
    model: &'a Model,
    /// Changed names, in the order of the changes.
    names: &'a [NewName],
    /// Joints of the written .md5mesh; empty for other formats.
    joints: Vec<String>,
}

impl<'a> Subjects<'a> {
    /// Creates the subjects in the written files of a model.
    pub(crate) fn new(model: &'a Model, names: &'a [NewName], written: &[(PathBuf, Vec<u8>)]) -> Self {
        let joints = written.iter().find_map(|(path, bytes)| joints_of(path, bytes)).unwrap_or_default();
        Self { model, names, joints }
    }

    /// Adds the subjects to a report of the validator.
    pub(crate) fn add_to(&self, report: &mut Value) {
        let files = report.get_mut("files").and_then(Value::as_array_mut).into_iter().flatten();
        for file in files {
            let path = file.get("path").and_then(Value::as_str).map(PathBuf::from).unwrap_or_default();
            let findings = file.get_mut("findings").and_then(Value::as_array_mut).into_iter().flatten();
            for finding in findings.filter_map(Value::as_object_mut) {
                finding.extend(self.of_finding(&path, finding.get("path").and_then(Value::as_str).unwrap_or_default()));
            }
        }
    }

    /// Returns the fields for a finding in a file at a path such as `mesh[0].vert[12]`.
    fn of_finding(&self, file: &Path, place: &str) -> serde_json::Map<String, Value> {
        let mut fields = serde_json::Map::new();
        for (kind, index) in place.split('.').filter_map(indexed) {
            match kind {
                "joint" | "baseframe" | "hierarchy" => {
                    let name = self.joints.get(index).map(|name| self.source_of(name));
                    fields.extend(name.map(|name| ("joint".to_owned(), json!(name))));
                }
                "mesh" => {
                    let written = self.model.meshes.iter().filter(|mesh| !mesh.triangles.is_empty()).nth(index);
                    fields.extend(written.map(|mesh| ("mesh".to_owned(), json!(mesh.name))));
                }
                "vert" | "vertex" => fields.extend([("vertex".to_owned(), json!(index))]),
                "frame" | "bounds" => fields.extend([("frame".to_owned(), json!(index))]),
                _ => {}
            }
        }
        fields.extend(self.clip_of(file).map(|name| ("clip".to_owned(), json!(name))));
        fields
    }

    /// Returns the clip of a written .md5anim.
    fn clip_of(&self, file: &Path) -> Option<String> {
        let is_clip = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md5anim"));
        let stem = file.file_stem().filter(|_| is_clip)?.to_string_lossy();
        let clips = &self.model.clips;
        let is_named = clips.iter().any(|clip| clip.name == stem) || self.names.iter().any(|change| change.to == stem);
        match clips.as_slice() {
            _ if is_named => Some(self.source_of(&stem).to_owned()),
            // Quake's engines need a single clip with the mesh's name.
            [only] => Some(self.source_of(&only.name).to_owned()),
            _ => None,
        }
    }

    /// Returns the source's name of an item that is now called `written`.
    fn source_of<'b>(&'b self, written: &'b str) -> &'b str {
        let changes = self.names.iter().rev();
        changes.fold(written, |name, change| if change.to == name { &change.from } else { name })
    }
}

/// Splits `joint[6]` into its kind and index.
fn indexed(part: &str) -> Option<(&str, usize)> {
    let (kind, rest) = part.split_once('[')?;
    Some((kind, rest.strip_suffix(']')?.parse().ok()?))
}

fn joints_of(path: &Path, bytes: &[u8]) -> Option<Vec<String>> {
    let is_mesh = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md5mesh"));
    let parsed = md5::parse_mesh(bytes).ok().filter(|_| is_mesh)?;
    Some(parsed.document.joints.iter().map(|joint| joint.name.to_name()).collect())
}
