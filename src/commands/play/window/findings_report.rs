//! Findings of `validate` about the current files, prepared for the Findings page.

use bindpose::budget::MemoryLimit;
use bindpose::diagnostic::{Diagnostic, Severity, Source};
use bindpose::import::{self, identify};
use bindpose::validate::finding::Finding;
use bindpose::validate::inputs::{self, Group};
use bindpose::validate::profiles::{Effect, PROFILES, Profile};
use bindpose::validate::report::{Selection, said_by_engines};
use bindpose::validate::{self, FileReport, Options, Validation, draw};
use bindpose_parsers::{md5, x};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;

/// Largest number of positions in a file whose vertices are looked up.
const MOST_PATHS: usize = 2000;

pub struct FindingsReport {
    pub validation: Validation,
    /// For each file, a map from paths of weights and `.x` faces to the paths of their vertices.
    pub vertices: Vec<HashMap<String, String>>,
    /// Notes on all affected engines for each finding, by file.
    engines: Vec<Vec<Vec<String>>>,
    /// Worst severity of the findings with the default profiles, from a warning on.
    pub worst: Option<Severity>,
}

impl FindingsReport {
    /// Validates files together. Of glTF files, only motion is ever checked.
    pub fn of(mut paths: Vec<PathBuf>, memory: MemoryLimit) -> Self {
        paths.retain(|path| import::by_extension(path) != Some(&import::gltf::GLTF_FILE));
        let group = Group { paths, together: true, game: None };
        let options = Options { together: true, memory, ..Options::default() };
        let validation = validate::check(inputs::read(&group, memory), &options);
        let usual = Selection::default();
        let findings = validation.files.iter().flat_map(|file| &file.findings);
        let severities: Vec<_> = findings.filter_map(|finding| usual.severity(finding)).collect();
        let worst = [Severity::Error, Severity::Warning].into_iter().find(|severity| severities.contains(severity));
        let vertices = validation.files.iter().map(|file| {
            let paths =
                file.findings.iter().flat_map(Finding::places).take(MOST_PATHS).filter_map(|place| place.path.clone());
            vertices_of(validation.sources.get(file.source), paths, memory)
        });
        let vertices = vertices.collect();
        let engines = validation.files.iter().map(|file| said_of(file, PROFILES.iter().collect())).collect();
        Self { vertices, engines, validation, worst }
    }
}

/// Returns notes on the chosen engines for each finding of a file.
fn said_of(file: &FileReport, profiles: Vec<&'static Profile>) -> Vec<Vec<String>> {
    let selection = Selection { profiles, ..Selection::default() };
    file.findings.iter().map(|finding| said_by_engines(&selection, file, finding, Effect::Wrong)).collect()
}

impl FindingsReport {
    /// Returns notes on affected engines for each finding of a file: on all engines, or on one.
    pub fn engines(&self, file: usize, profile: Option<&'static Profile>) -> Cow<'_, [Vec<String>]> {
        match profile {
            Some(profile) => said_of(&self.validation.files[file], vec![profile]).into(),
            None => (&*self.engines[file]).into(),
        }
    }

    /// Returns the first error with the default profiles, and its source line.
    pub fn first_error(&self) -> Option<String> {
        let usual = Selection::default();
        let is_error = |finding: &&Finding| usual.severity(finding) == Some(Severity::Error);
        let of_file = |file: &FileReport| Some((file.source, file.findings.iter().find(is_error)?.clone()));
        let (source, finding) = self.validation.files.iter().find_map(of_file)?;
        let found =
            Diagnostic::new(finding.code.id, Severity::Error, finding.message.clone(), source, finding.first.span);
        Some(draw::text(&found, &self.validation.sources).trim_end().to_owned())
    }
}

/// Splits a path such as `mesh[0].vert[12]` into names and indices.
pub fn parts(path: &str) -> Vec<(&str, usize)> {
    let part = |part: &'_ str| -> Option<(usize, usize)> {
        let open = part.find('[')?;
        Some((open, part[open + 1..].split_once(']')?.0.parse().ok()?))
    };
    path.split('.').filter_map(|text| part(text).map(|(open, number)| (&text[..open], number))).collect()
}

/// Maps paths of weights of an `.md5mesh` and faces of a `.x` file to the paths of their vertices.
fn vertices_of(file: &Source, paths: impl Iterator<Item = String>, memory: MemoryLimit) -> HashMap<String, String> {
    let mut paths = paths.filter(|path| matches!(parts(path)[..], [("mesh", _), ("weight" | "face", _)])).peekable();
    if paths.peek().is_none() {
        return HashMap::new();
    }
    match identify(&file.path, &file.bytes) {
        Some(kind) if *kind == import::md5::MESH_FILE => {
            let Ok(parsed) = md5::parse_mesh(&file.bytes) else { return HashMap::new() };
            let vertex = |mesh: usize, weight: usize| {
                let has = |vert: &md5::Vert| {
                    weight.checked_sub(vert.first_weight as usize).is_some_and(|at| at < vert.weight_count as usize)
                };
                Some((mesh, parsed.document.meshes.get(mesh)?.verts.iter().position(has)?))
            };
            by_path(paths, vertex)
        }
        Some(kind) if *kind == import::x::X_FILE => {
            let unpacked = memory.unpack(file.file_bytes());
            let Ok(unpacked) = unpacked else { return HashMap::new() };
            let Ok(parsed) = x::parse(&unpacked, x::Reading::Lenient) else { return HashMap::new() };
            let document = parsed.document;
            let vertex = |mesh: usize, face: usize| {
                let corner = *document.meshes.get(mesh)?.faces.get(face).first()?;
                // Models number meshes by their uses.
                Some((document.mesh_uses.iter().position(|used| used.mesh == mesh)?, corner as usize))
            };
            by_path(paths, vertex)
        }
        _ => HashMap::new(),
    }
}

fn by_path(
    paths: impl Iterator<Item = String>,
    vertex: impl Fn(usize, usize) -> Option<(usize, usize)>,
) -> HashMap<String, String> {
    let found = paths.filter_map(|path| {
        let (mesh, vertex) = match parts(&path)[..] {
            [(_, mesh), (_, number)] => vertex(mesh, number)?,
            _ => return None,
        };
        Some((path, format!("mesh[{mesh}].vert[{vertex}]")))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose::diagnostic::Sources;

    #[test]
    fn weights_and_faces_are_shown_by_their_vertices() {
        let memory = MemoryLimit::default();
        let found = |name: &str, text: &str, paths: &[&str]| {
            let mut sources = Sources::default();
            let source = sources.add(name, text.as_bytes().to_vec());
            let found = vertices_of(sources.get(source), paths.iter().map(|&path| path.to_owned()), memory);
            paths.iter().map(|&path| found.get(path).cloned()).collect::<Vec<_>>()
        };
        let vertex = |path: &str| Some(path.to_owned());
        let mesh = "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {\n\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n\
                    mesh {\nshader \"s\"\nnumverts 2\nvert 0 ( 0 0 ) 2 2\nvert 1 ( 0 0 ) 0 2\nnumtris 0\nnumweights 5\n";
        let weights: String = (0..5).map(|weight| format!("weight {weight} 0 0.5 ( 0 0 0 )\n")).collect();
        assert_eq!(
            found(
                "a.md5mesh",
                &format!("{mesh}{weights}}}\n"),
                &["mesh[0].weight[1]", "mesh[0].weight[3]", "mesh[0].weight[4]"]
            ),
            [vertex("mesh[0].vert[1]"), vertex("mesh[0].vert[0]"), None]
        );
        let faces = "xof 0303txt 0032\nMesh { 4; 0;0;0;,1;0;0;,0;1;0;,1;1;0;; 2; 3;0,1,2;,3;3,2,1;; }\n";
        assert_eq!(
            found("a.x", faces, &["mesh[0].face[1]", "mesh[0].face[2]", "mesh[1].face[0]", "joint[0]"]),
            [vertex("mesh[0].vert[3]"), None, None, None]
        );
    }

    #[test]
    fn affected_engines_are_listed_with_a_finding() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md5mesh");
        let verts = "vert 0 ( 0 0 ) 0 1\nvert 1 ( 0 0 ) 1 1\nvert 2 ( 0 0 ) 2 1\n";
        let weights = "weight 0 0 2.5 ( 0 0 0 )\nweight 1 0 1 ( 1 0 0 )\nweight 2 0 1 ( 0 1 0 )\n";
        let text = format!(
            "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {{\n\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n}}\n\
             mesh {{\nshader \"s\"\nnumverts 3\n{verts}numtris 1\ntri 0 0 1 2\nnumweights 3\n{weights}}}\n"
        );
        std::fs::write(&path, text).unwrap();
        let report = FindingsReport::of(vec![path], MemoryLimit::default());
        let number = report.validation.files[0].findings.iter().position(|it| it.code.name == "weight-sum").unwrap();
        let named = |profile, engine: &str| {
            let notes = &report.engines(0, profile)[number];
            notes.iter().any(|note| note.split([' ', ',']).any(|word| word == engine))
        };
        // Doom 3 and RBDOOM-3-BFG add up weights, vkQuake divides by their sum: docs/formats/engines.md.
        assert_eq!(["doom3", "rbdoom3bfg", "vkquake"].map(|engine| named(None, engine)), [true, true, false]);
        // With a chosen engine, the others are not listed.
        let doom3 = PROFILES.iter().find(|profile| profile.name == "doom3");
        assert_eq!(["doom3", "rbdoom3bfg"].map(|engine| named(doom3, engine)), [true, false]);
    }
}
