//! Example poses for `sjbbe`, `sbe`, `psd`, `eigenskin` and `mwe`: a small TOML file next to the model.
//!
//! ```toml
//! # arm.examples.toml, next to arm.md5mesh
//! [[example]]
//! joint = "forearm"                                   # as the model names it
//! rotation = { axis = [0, 0, 1], degrees = 90 }       # out of the bind pose, in its parent's axes
//! mesh = "arm_bent.md5mesh"                           # the same mesh in that pose; in this file's folder or below
//! sigma = 1.0                                         # reach in radians; 1 by default
//! others = [{ joint = "arm", rotation = [0, 0, 0, 1] }]  # joints that turn too; only for `psd` and `mwe`
//! ```
//!
//! `rotation` may be a unit quaternion `[x, y, z, w]` instead; either way `local = rotation * bind_local`.
//!
//! The first `sigma` of a joint applies to all its examples. Each example is modelled with the skeleton in the bind
//! pose except for one joint (article 000 section 5.3) and `others`. A joint has at most 16 examples; only `eigenskin` and
//! `mwe` use more than four.

use crate::budget::{Budget, MemoryLimit};
use crate::diagnostic::{Diagnostic, Severity, Sources};
use crate::import::is_model_file;
use crate::load::{LoadError, LoadOptions, Loaded, load};
use crate::model::{JointId, Model, Skeleton};
use crate::read;
use crate::skin::{Example, ExampleMesh, MOST_COMPRESSED, SIGMA};
use bindpose_parsers::Span;
use glam::{DQuat, DVec3, Vec3};
use serde::Deserialize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// Returns the path of a model's examples: `arm.examples.toml` for `arm.md5mesh`.
pub fn path_beside(model: &Path) -> PathBuf {
    model.with_extension("examples.toml")
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    example: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    joint: Spanned<String>,
    rotation: Spanned<Rotation>,
    mesh: Spanned<String>,
    sigma: Option<Spanned<f64>>,
    #[serde(default)]
    others: Vec<Other>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Other {
    joint: Spanned<String>,
    rotation: Spanned<Rotation>,
}

/// Range of `sigma`, in radians, in which examples are distinct from their neighbours and reach beyond their own pose.
const SIGMAS: std::ops::RangeInclusive<f64> = 0.05..=3.0;

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a quaternion [x, y, z, w] or a turn such as { axis = [0, 0, 1], degrees = 90 }"
)]
enum Rotation {
    Quaternion([f64; 4]),
    Turn(Turn),
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    axis: [f64; 3],
    degrees: f64,
}

impl Rotation {
    /// Returns the unit quaternion, or an error message.
    fn quaternion(self) -> Result<DQuat, String> {
        match self {
            Self::Quaternion(parts) => {
                let quaternion = DQuat::from_array(parts);
                // With six printed decimals, the length is 1 within 1e-6. This tolerance is generous.
                if (quaternion.length() - 1.0).abs() < 1e-3 {
                    Ok(quaternion.normalize())
                } else {
                    Err(format!("the quaternion {parts:?} has length {}, expected 1", quaternion.length()))
                }
            }
            Self::Turn(Turn { axis, degrees }) => {
                let direction = DVec3::from_array(axis).try_normalize().filter(|_| degrees.is_finite());
                let Some(direction) = direction else {
                    return Err(format!("the axis {axis:?} has no direction, or the angle {degrees} is no number"));
                };
                Ok(DQuat::from_axis_angle(direction, degrees.to_radians()))
            }
        }
    }
}

/// Code, message and location of an error, in bytes.
type Fault = (&'static str, String, Range<usize>);

/// Reads an example file, and the meshes that it names. Links out of its folder are refused, since nobody named these files.
///
/// # Errors
///
/// [`LoadError`]: a file cannot be read, is invalid, or needs more memory than `memory` allows.
pub fn read(path: &Path, skeleton: &Skeleton, memory: MemoryLimit) -> Result<Vec<Example>, LoadError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let bytes = read::found(path, &[folder], &Budget::new(memory))?;
    let options = LoadOptions { memory, ..LoadOptions::default() };
    read_with(path, &bytes, skeleton, |mesh| {
        let mesh = folder.join(mesh);
        read::check_inside(&mesh, &[folder])?;
        load(&[mesh], &options)
    })
}

/// Reads the bytes of an example file whose meshes `load` loads by the paths that it names. `path` names the file in errors.
///
/// # Errors
///
/// [`LoadError`]: the file is invalid, or a mesh cannot be loaded.
pub fn read_with(
    path: &Path,
    bytes: &[u8],
    skeleton: &Skeleton,
    load: impl Fn(&str) -> Result<Loaded, LoadError>,
) -> Result<Vec<Example>, LoadError> {
    let fault = |(code, message, span): Fault| {
        let mut sources = Sources::default();
        let source = sources.add(path, bytes.to_vec());
        let span = Span::new(span.start.min(bytes.len()), span.end.min(bytes.len()));
        let diagnostics = vec![Diagnostic::new(code, Severity::Error, message, source, span)];
        LoadError::File { sources, diagnostics }
    };
    let loaded = entries(bytes, skeleton).map_err(fault)?.into_iter().map(|(example, mesh)| {
        let shapes = load(&mesh)?;
        Ok(Example { name: mesh, meshes: shapes_of(&shapes.model), ..example })
    });
    loaded.collect()
}

/// Parses the examples without their meshes, each with the path of its mesh file.
fn entries(bytes: &[u8], skeleton: &Skeleton) -> Result<Vec<(Example, String)>, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        ("EX001", "the file is not UTF-8 text".to_owned(), at..at + 1)
    })?;
    let file: File = toml::from_str(text).map_err(|error| {
        // The message may have several lines; the first one describes the error.
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        ("EX002", message, error.span().unwrap_or(0..0))
    })?;
    let mut examples: Vec<(Example, String)> = Vec::new();
    for entry in file.example {
        let turned = |joint: &Spanned<String>, rotation: &Spanned<Rotation>| {
            let Some(found) = skeleton.find(joint.get_ref()) else {
                return Err(("EX003", format!("the model has no joint '{}'", joint.get_ref()), joint.span()));
            };
            let turn = rotation.get_ref().quaternion();
            Ok((found, turn.map_err(|message| ("EX004", message, rotation.span()))?))
        };
        let (joint, turn) = turned(&entry.joint, &entry.rotation)?;
        let mut others: Vec<(JointId, DQuat)> = Vec::new();
        for other in &entry.others {
            let next = turned(&other.joint, &other.rotation)?;
            if next.0 == joint || others.iter().any(|(known, _)| *known == next.0) {
                let message = format!("joint '{}' is rotated twice", other.joint.get_ref());
                return Err(("EX004", message, other.joint.span()));
            }
            others.push(next);
        }
        if examples.iter().filter(|(known, _)| known.joint == joint).count() == MOST_COMPRESSED {
            let name = entry.joint.get_ref();
            let message =
                format!("joint '{name}' has {MOST_COMPRESSED} examples already, the most that any method can use");
            return Err(("EX005", message, entry.joint.span()));
        }
        let mesh = entry.mesh.get_ref();
        if !is_mesh_below(Path::new(mesh)) {
            let message = format!("the mesh '{mesh}' is not a model file in this file's folder or below");
            return Err(("EX006", message, entry.mesh.span()));
        }
        let sigma = entry.sigma.as_ref().map_or(SIGMA, |sigma| *sigma.get_ref());
        if let Some(given) = entry.sigma.as_ref().filter(|_| !SIGMAS.contains(&sigma)) {
            let message = format!("sigma is {sigma}, expected {} to {} radians", SIGMAS.start(), SIGMAS.end());
            return Err(("EX004", message, given.span()));
        }
        let example = Example { name: String::new(), joint, turn, others, sigma, meshes: Vec::new() };
        examples.push((example, entry.mesh.into_inner()));
    }
    Ok(examples)
}

/// True for a relative path without `..` to a model file. Examples are loaded automatically, so they must not open any
/// other file.
fn is_mesh_below(path: &Path) -> bool {
    is_model_file(path) && path.components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

/// Returns the vertices of a model in the file's numbering.
fn shapes_of(model: &Model) -> Vec<ExampleMesh> {
    let mut shapes: Vec<ExampleMesh> = Vec::new();
    for mesh in &model.meshes {
        let place = shapes.iter().position(|shape| shape.source_mesh == mesh.source_mesh);
        let place = place.unwrap_or_else(|| {
            shapes.push(ExampleMesh { source_mesh: mesh.source_mesh, ..ExampleMesh::default() });
            shapes.len() - 1
        });
        let shape = &mut shapes[place];
        let count = mesh.source_vertices.iter().map(|&vertex| vertex as usize + 1).max().unwrap_or(0);
        if shape.positions.len() < count {
            shape.positions.resize(count, Vec3::ZERO);
            shape.normals.resize(count, Vec3::ZERO);
        }
        for (vertex, &source) in mesh.source_vertices.iter().enumerate() {
            shape.positions[source as usize] = mesh.positions[vertex];
            shape.normals[source as usize] = mesh.normals[vertex];
        }
    }
    shapes
}
