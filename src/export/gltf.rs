//! glTF 2.0, as `.glb` or `.gltf`.
//!
//! Node 0 is the armature, named after the model; below it stands a node for each joint, with the joint's rest pose as
//! translation, rotation and scale. Meshes that agree about the bind pose share a skin, whose joints are all joints in
//! the skeleton's order, and a node at the top of the scene, with a primitive for each mesh. Each clip is an animation
//! of its name. docs/convert.md says what a reader may rely on.

mod buffer;
mod clip;
mod layers;
mod material;
mod scene;

pub use layers::{Layers, image};
pub use material::{Alpha, Picture, PictureError, Pictures};

use crate::axes::Axes;
use crate::{EachClip, Error, NamedFile, Output, file_name};
use bindpose_core::model::{Front, Model};
use bindpose_parsers::decl::FrameCommand;

/// Choices.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// One file, or several.
    pub container: Container,
    /// What the names of files beside the file begin with: its own name without extension.
    pub stem: String,
    /// How many influences a vertex may have; the lightest are dropped. `None` keeps all.
    pub influences: Option<usize>,
    /// Which way the model faces, so that it faces +Z in the file; `None` keeps all axes as they are.
    pub front: Option<Front>,
    /// What all lengths are multiplied by: glTF's unit is the metre.
    pub scale: f64,
    /// For Luanti: times are frame numbers, textures are slots without images.
    pub luanti: bool,
    /// What Luanti counts as frames where the clips come from a `.x` file: its ticks. Elsewhere a clip's own frames.
    pub ticks_per_second: Option<f64>,
    /// For clips, by name, what a game does at their frames.
    pub frame_commands: Vec<(String, Vec<FrameCommand>)>,
    /// Specular colours as the extension `KHR_materials_specular`.
    pub specular: bool,
    /// Where images go.
    pub images: Images,
    /// For each material its images.
    pub pictures: Vec<Pictures>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            container: Container::default(),
            stem: "model".into(),
            influences: Some(4),
            front: Some(Front::default()),
            scale: 1.0,
            luanti: false,
            ticks_per_second: None,
            frame_commands: Vec::new(),
            specular: false,
            images: Images::default(),
            pictures: Vec::new(),
        }
    }
}

/// The two forms of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Container {
    /// `.glb`: everything in one file.
    #[default]
    Glb,
    /// `.gltf`: JSON, with the numbers in a `.bin` beside it.
    Gltf,
}

/// Where images go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Images {
    /// Into the file, or for `.gltf` into the `.bin`.
    #[default]
    Embedded,
    /// Files of their own.
    Beside,
    /// Nowhere.
    Without,
}

/// Writes a model.
///
/// # Errors
///
/// [`Error`]: nothing to write, numbers that are not finite in 32 bits, or more than the format can count.
pub fn write(model: &Model, options: &Options) -> Result<Output, Error> {
    write_telling(model, options, &mut || {})
}

/// As [`write()`]; `each_clip` is called whenever another clip is done.
///
/// # Errors
///
/// As [`write()`].
pub fn write_telling(model: &Model, options: &Options, each_clip: &mut EachClip<'_>) -> Result<Output, Error> {
    if !(options.scale > 0.0 && options.scale.is_finite()) {
        return Err(Error(format!("the scale is {}; it must be a positive number", options.scale)));
    }
    let axes = Axes::to_gltf(options.front, options.scale);
    let scene::Written { mut json, buffer, mut beside, losses } = scene::write(model, options, &axes, each_clip)?;
    if u32::try_from(buffer.len()).is_err() {
        return Err(Error(format!("{} bytes of data; a glTF file holds up to 4 GiB", buffer.len())));
    }
    let bytes = match options.container {
        Container::Glb => glb(&mut json, &buffer)?,
        Container::Gltf => {
            if !buffer.is_empty() {
                let name = format!("{}.bin", file_name(&options.stem));
                json["buffers"] = serde_json::json!([{"byteLength": buffer.len(), "uri": escaped_uri(&name)}]);
                beside.insert(0, NamedFile { name, bytes: buffer });
            }
            let mut text = serde_json::to_vec_pretty(&json).map_err(|error| Error(error.to_string()))?;
            text.push(b'\n');
            text
        }
    };
    Ok(Output { bytes, beside, losses })
}

/// The header and two chunks.
fn glb(json: &mut serde_json::Value, buffer: &[u8]) -> Result<Vec<u8>, Error> {
    if !buffer.is_empty() {
        json["buffers"] = serde_json::json!([{"byteLength": buffer.len()}]);
    }
    let mut text = serde_json::to_vec(json).map_err(|error| Error(error.to_string()))?;
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut chunks: Vec<(&[u8; 4], &[u8])> = vec![(b"JSON", &text)];
    if !buffer.is_empty() {
        chunks.push((b"BIN\0", buffer));
    }
    let total = 12 + chunks.iter().map(|(_, bytes)| 8 + bytes.len()).sum::<usize>();
    let too_large = || Error(format!("{total} bytes; a .glb file holds up to 4 GiB"));
    let mut file = Vec::with_capacity(total);
    file.extend_from_slice(b"glTF");
    file.extend_from_slice(&2_u32.to_le_bytes());
    file.extend_from_slice(&u32::try_from(total).map_err(|_| too_large())?.to_le_bytes());
    for (kind, bytes) in chunks {
        file.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        file.extend_from_slice(kind);
        file.extend_from_slice(bytes);
    }
    Ok(file)
}

/// A file's name as a relative URI.
fn escaped_uri(name: &str) -> String {
    let mut uri = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
