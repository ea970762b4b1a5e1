//! Conversion of glTF 2.0 to the model. Only this module knows glTF's conventions.
//!
//! # Axes
//!
//! glTF is right-handed with +Y up, +Z to the front and +X to the left. The model has +Z up, and its front is +X, or
//! that of the model that our own writer turned. `C` converts one to the other. It only swaps and negates coordinates,
//! so it is exact. Joint spaces are converted as well: `local = C * node * C^-1`, `joint_from_bind = C * inverseBindMatrix
//! * C^-1`. Triangles are counter-clockwise and texture coordinates start at the top left, as in the model.
//!
//! # Joints
//!
//! Joints are the joints of all skins in the scene, and animated nodes above a joint or a mesh. Other nodes do not
//! move. Their transforms are merged into the joints below them, and so is a constant scale ([`bake_scale`]). A mesh
//! without a skin follows the nearest joint above it, else a joint called `origin`.
//!
//! # Interpolation
//!
//! A step becomes two keys at one time, of which the later counts. A cubic spline is approximated by line segments,
//! within 1e-6 of its values.

use super::accessor::Accessors;
use super::buffers::{self, Buffers};
use super::context::Context;
use super::error::{Error, SPECULAR, Warn, oddity, unread};
use super::pointer::{self, Places};
use super::{clip, material, mesh, nodes};
use crate::budget::Budget;
use crate::import::error::Warning;
use crate::left_out::Part;
use crate::model::{Front, Model, bake_scale};
use bindpose_parsers::{Span, counted};
use glam::{DMat3, DVec3};
use gltf_json::{Path, Root, validation};
use serde_json::Value;

/// Supported extensions that a file may require.
const REQUIRED_AND_READ: [&str; 2] = ["KHR_mesh_quantization", "KHR_texture_transform"];
/// Extension for lights.
const LIGHTS: &str = "KHR_lights_punctual";
/// Prefixes of extensions that only change the appearance of surfaces, or add lights.
const HARMLESS: [&str; 2] = ["KHR_materials_", LIGHTS];

/// Unsupported compressions of meshes and buffers.
const COMPRESSIONS: [&str; 3] = ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];
const UNCOMPRESSED: &str = "export it without compression, or remove that with `gltf-transform cp IN.glb OUT.glb`";

/// Choices for [`import`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GltfImportOptions {
    /// Name of the model and of animations without one: the file's stem.
    pub name: String,
    /// Name or number of the skin whose meshes are imported. `None` imports all.
    pub skin: Option<String>,
    /// See [`ImportOptions::without_tangents`](crate::import::ImportOptions::without_tangents).
    pub without_tangents: bool,
}

/// Result of [`import`].
#[derive(Debug)]
pub struct Imported {
    /// Skeleton, meshes, materials, clips.
    pub model: Model,
    /// Images inside the file, by the names that materials use.
    pub images: Vec<(String, Vec<u8>)>,
    /// Oddities, and parts that the model lacks.
    pub warnings: Vec<Warning>,
}

/// Imports a `.glb` or `.gltf` file. `read` provides the files that it names, by relative path with `/`. Its message
/// becomes part of the error.
///
/// # Errors
///
/// [`Error`]: the file breaks a rule of the format, needs an unsupported extension, or requests more memory than
/// `budget` has.
pub fn import(
    file: &[u8],
    options: &GltfImportOptions,
    read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    budget: &Budget,
) -> Result<Imported, Error> {
    let container = buffers::Container::new(file)?;
    let imported = parse(&container).and_then(|(root, without_node)| {
        import_root(&root, without_node, &container, options, read, budget).map_err(|error| compressed(&root, error))
    });
    imported.map_err(|error| Error {
        span: Places::new(container.json)
            .map_or(error.span, |mut places| container.in_file(places.span(&error.pointer))),
        ..error
    })
}

fn import_root(
    root: &Root,
    without_node: usize,
    container: &buffers::Container<'_>,
    options: &GltfImportOptions,
    read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    budget: &Budget,
) -> Result<Imported, Error> {
    let (mut warnings, mut places) = (Vec::new(), None);
    let mut warn = |pointer: &str, found: Warning| {
        let places = places.get_or_insert_with(|| Places::new(container.json));
        let span = places.as_mut().map_or(Span::default(), |places| container.in_file(places.span(pointer)));
        warnings.push(Warning { span, ..found });
    };
    check(root)?;
    name_unread(root, &mut warn);
    if without_node > 0 {
        let message = counted(without_node, "animation channel names no node", "animation channels name no node");
        warn("/animations", unread(Part::Track, "", message));
    }
    let buffers = Buffers::read(root, container, read, budget)?;
    let model_front = front_before(root);
    let front = model_front.direction();
    let turn = DMat3::from_cols(DVec3::Z.cross(front), DVec3::Z, front);
    let accessors = Accessors { root, buffers: &buffers, budget };
    let context = Context { root, accessors, budget, turn, without_tangents: options.without_tangents };
    let nodes = nodes::Nodes::new(root, &mut warn)?;
    let shown = nodes::Shown::new(&nodes, options.skin.as_deref(), &mut warn)?;
    let mut model = Model { name: options.name.clone(), front: model_front, ..Model::default() };
    let joints = nodes::Joints::new(&nodes, &shown, turn, &mut model.skeleton);
    let images = material::import(root, &buffers, &mut model, &mut warn)?;
    mesh::import(&context, &shown, &joints, &mut model, &mut warn)?;
    clip::import(&context, &joints, &options.name, &mut model, &mut warn)?;
    if model.skeleton.is_empty() {
        warn("", oddity("GLI005", "neither a mesh of triangles nor a joint, there is nothing to show"));
    }
    bake_scale(&mut model);
    Ok(Imported { model, images, warnings })
}

/// Returns the front that the model had before our own writer turned it to +Z; +X for other writers.
fn front_before(root: &Root) -> Front {
    let written = root.asset.extras.as_ref().and_then(|extras| serde_json::from_str::<Value>(extras.get()).ok());
    let front = written.as_ref().and_then(|extras| extras["bindpose"]["front"].as_str());
    let fronts = [Front::PositiveX, Front::NegativeX, Front::PositiveY, Front::NegativeY];
    fronts.into_iter().find(|known| front == Some(known.name())).unwrap_or_default()
}

/// Returns the unsupported compression that a file uses.
fn compression(root: &Root) -> Option<&String> {
    root.extensions_used.iter().find(|name| COMPRESSIONS.contains(&name.as_str()))
}

/// Mentions unsupported compression in an error, if the file uses one.
fn compressed(root: &Root, error: Error) -> Error {
    match compression(root).filter(|name| !error.is_memory && !error.message.contains(name.as_str())) {
        Some(name) => {
            let message = format!("{}; its data is compressed with {name}: {UNCOMPRESSED}", error.message);
            Error { message, ..error }
        }
        None => error,
    }
}

/// Parses the document. Returns it with the number of channels without a node. The format says to ignore such channels,
/// but the crate requires a node.
fn parse(container: &buffers::Container<'_>) -> Result<(Root, usize), Error> {
    let error = match serde_json::from_slice(container.json) {
        Ok(root) => return Ok((root, 0)),
        Err(error) => error,
    };
    let mut without_node = 0;
    let mut whole = serde_json::from_slice::<Value>(container.json).unwrap_or_default();
    // Version 1 has objects by name where later versions have lists.
    let version = whole["asset"]["version"].as_str().unwrap_or(if whole["nodes"].is_object() { "1.0" } else { "2.0" });
    check_version(version)?;
    for animation in whole.get_mut("animations").and_then(Value::as_array_mut).into_iter().flatten() {
        let channels = animation.get_mut("channels").and_then(Value::as_array_mut);
        if let Some(channels) = channels {
            let before = channels.len();
            channels.retain(|channel| !channel["target"].is_object() || channel["target"].get("node").is_some());
            without_node += before - channels.len();
        }
    }
    if without_node > 0
        // Not `from_str`: all types of the format would be compiled for it again.
        && let Ok(root) = serde_json::from_slice(whole.to_string().as_bytes())
    {
        return Ok((root, without_node));
    }
    // The crate reports line and column. In a .glb they count from the start of the JSON.
    let text = error.to_string();
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    let line_start = match error.line().checked_sub(2) {
        Some(breaks) => {
            let mut ends = container.json.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            ends.nth(breaks).map_or(0, |(at, _)| at + 1)
        }
        None => 0,
    };
    let at = (line_start + error.column().saturating_sub(1)).min(container.json.len());
    Err(Error { span: container.in_file(Span::new(at, at)), ..Error::new("", format!("the JSON is wrong: {message}")) })
}

/// Refuses other versions of the format.
fn check_version(wanted: &str) -> Result<(), Error> {
    match wanted.split('.').next() {
        Some("2") => Ok(()),
        _ => Err(Error::new("/asset", format!("glTF version {wanted}; version 2.0 is read"))),
    }
}

/// Names cameras, lights, and extensions that are not read.
fn name_unread(root: &Root, warn: &mut Warn<'_>) {
    let is_named = |name: &str| REQUIRED_AND_READ.contains(&name) || [SPECULAR, LIGHTS].contains(&name);
    for (number, name) in root.extensions_used.iter().enumerate().filter(|(_, name)| !is_named(name)) {
        warn(&format!("/extensionsUsed/{number}"), unread(Part::Extension, name, "what it adds is not read"));
    }
    for (number, camera) in root.cameras.iter().enumerate() {
        let name = camera.name.as_deref().unwrap_or_default();
        warn(&format!("/cameras/{number}"), unread(Part::Camera, name, "cameras of glTF files are not read"));
    }
    let lights = root.extensions.as_ref().and_then(|extensions| extensions.khr_lights_punctual.as_ref());
    for (number, light) in lights.iter().flat_map(|of| &of.lights).enumerate() {
        let name = light.name.as_deref().unwrap_or_default();
        let pointer = format!("/extensions/{LIGHTS}/lights/{number}");
        warn(&pointer, unread(Part::Light, name, "lights of glTF files are not read"));
    }
}

/// Checks version, required extensions and references.
fn check(root: &Root) -> Result<(), Error> {
    check_version(root.asset.min_version.as_ref().unwrap_or(&root.asset.version))?;
    let is_harmless = |name: &str| HARMLESS.iter().any(|prefix| name.starts_with(prefix));
    for (number, name) in root.extensions_required.iter().enumerate() {
        if !REQUIRED_AND_READ.contains(&name.as_str()) && !is_harmless(name) {
            let what = if COMPRESSIONS.contains(&name.as_str()) { UNCOMPRESSED } else { "export it without" };
            let message = format!("the file cannot be read without the extension {name}; {what}");
            return Err(Error::new(format!("/extensionsRequired/{number}"), message));
        }
    }
    // The crate's own check of positions assumes this.
    for (mesh, file) in root.meshes.iter().enumerate() {
        for (number, primitive) in file.primitives.iter().enumerate() {
            if primitive.attributes.values().any(|accessor| accessor.value() >= root.accessors.len()) {
                let pointer = format!("/meshes/{mesh}/primitives/{number}/attributes");
                return Err(Error::new(pointer, "an attribute without an accessor"));
            }
        }
    }
    // The crate does not check these.
    for (animation, file) in root.animations.iter().enumerate() {
        for (number, channel) in file.channels.iter().enumerate() {
            let node = channel.target.node.value();
            if node >= root.nodes.len() {
                let pointer = format!("/animations/{animation}/channels/{number}/target/node");
                return Err(Error::new(pointer, format!("there is no node {node}")));
            }
        }
    }
    let is_compressed = compression(root).is_some();
    let mut first: Option<(Path, validation::Error)> = None;
    validation::Validate::validate(root, root, Path::new, &mut |path, error| {
        let path = path();
        // Required extensions were checked above. An accessor without a buffer view has zeros, unless the data of its
        // elements is compressed.
        let is_allowed = match error {
            validation::Error::Unsupported => path.0.starts_with("extensionsRequired"),
            validation::Error::Missing => {
                !is_compressed && path.0.starts_with("accessors[") && path.0.ends_with("].bufferView")
            }
            _ => false,
        };
        if first.is_none() && !is_allowed {
            first = Some((path, error));
        }
    });
    let Some((path, error)) = first else { return Ok(()) };
    let message = match error {
        validation::Error::IndexOutOfBounds => "there is nothing of that number",
        validation::Error::Invalid => "the value is none that glTF allows",
        validation::Error::Missing => "it is required and missing",
        validation::Error::Oversize => "the number is too large",
        validation::Error::Unsupported => "it is not supported",
    };
    Err(Error::new(pointer::from_path(&path), message))
}
