//! glTF 2.0, as `.glb` or `.gltf`.
//!
//! Node 0 is the armature, named after the model. Below it is a node for each joint, with the joint's rest pose as
//! translation, rotation and scale. Meshes with the same bind pose share a skin, whose joints are all joints in the
//! skeleton's order, and a node at the top of the scene, with a primitive for each mesh. Each clip is an animation of
//! the same name. docs/convert.md lists what a reader may rely on.

mod buffer;
mod clip;
mod document;
mod layers;
mod material;
mod scene;

pub use layers::{Layers, image};
pub use material::{ImageFile, ImageFileError, MaterialImages};

use crate::axes::Axes;
use crate::prepare::check_scale;
use crate::{Error, NamedFile, Output, file_name};
use bindpose_core::budget::MemoryLimit;
use bindpose_core::model::{Front, Model};
use bindpose_core::uri;
use bindpose_parsers::decl::FrameCommand;
use serde_json::json;

/// Settings of a glTF file.
#[derive(Debug, Clone)]
pub struct Options {
    /// One file or two.
    pub container: Container,
    /// Name of the file without extension. The names of files next to it begin with it.
    pub stem: String,
    /// Largest number of influences of a vertex; the smallest are dropped. `None` keeps all.
    pub influences: Option<usize>,
    /// Direction that the model faces; it becomes +Z in the file. `None` keeps all axes as they are.
    pub front: Option<Front>,
    /// Factor of all lengths, positive. glTF's unit is the metre.
    pub scale: f64,
    /// Writes for Luanti: times are frame numbers, and textures are slots without images.
    pub luanti: bool,
    /// Ticks per second of a `.x` file, which Luanti counts as frames; `None` for a clip's own frames.
    pub ticks_per_second: Option<f64>,
    /// Commands that a game runs at frames of clips, by the clip's name.
    pub frame_commands: Vec<(String, Vec<FrameCommand>)>,
    /// Writes the alpha of materials unchanged, even if it hides them; see
    /// [`shown_alpha`](bindpose_core::model::Material::shown_alpha).
    pub keep_alpha: bool,
    /// Writes specular colours as the extension `KHR_materials_specular`.
    pub specular: bool,
    /// Location of the images.
    pub placement: ImagePlacement,
    /// Images of each material, by its index. A shorter list means no images for the remaining materials.
    pub images: Vec<MaterialImages>,
    /// Memory limit for writing the file.
    pub memory: MemoryLimit,
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
            keep_alpha: false,
            specular: false,
            placement: ImagePlacement::default(),
            images: Vec::new(),
            memory: MemoryLimit::default(),
        }
    }
}

/// The two forms of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Container {
    /// `.glb`: everything in one file.
    #[default]
    Glb,
    /// `.gltf`: JSON, with the numbers in a separate `.bin`.
    Gltf,
}

/// Location of the images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImagePlacement {
    /// In the file; for `.gltf` in the `.bin`.
    #[default]
    Embedded,
    /// In separate files.
    Beside,
    /// Images are not written.
    Without,
}

/// Writes a model.
///
/// # Errors
///
/// [`Error`]: nothing to write, numbers that are not finite in 32 bits, counts beyond the format's limits, or more
/// memory than the options allow.
pub fn write(model: &Model, options: &Options) -> Result<Output, Error> {
    check_scale(options.scale)?;
    let axes = Axes::to_gltf(options.front, options.scale);
    let scene::Written { mut document, buffer, mut beside, losses } = scene::write(model, options, &axes)?;
    document.asset.extras = options.front.map(|front| json!({"bindpose": {"front": front.name()}}));
    if u32::try_from(buffer.len()).is_err() {
        return Err(Error::Limit(format!("{} bytes of data; a glTF file holds up to 4 GiB", buffer.len())));
    }
    let name = format!("{}.bin", file_name(&options.stem));
    let uri = (options.container == Container::Gltf).then(|| uri::encoded(name.as_bytes()));
    if !buffer.is_empty() {
        document.buffers.push(document::BufferFile { byte_length: buffer.len(), uri });
    }
    let bytes = match options.container {
        Container::Glb => {
            let text = serde_json::to_vec(&document).map_err(|error| Error::Writer(error.to_string()))?;
            glb(text, &buffer)?
        }
        Container::Gltf => {
            if !buffer.is_empty() {
                beside.insert(0, NamedFile { name, bytes: buffer });
            }
            let mut text = serde_json::to_vec_pretty(&document).map_err(|error| Error::Writer(error.to_string()))?;
            text.push(b'\n');
            text
        }
    };
    Ok(Output { bytes, beside, losses })
}

/// Returns a `.glb` file: header, JSON chunk and binary chunk.
fn glb(mut text: Vec<u8>, buffer: &[u8]) -> Result<Vec<u8>, Error> {
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut chunks: Vec<(&[u8; 4], &[u8])> = vec![(b"JSON", &text)];
    if !buffer.is_empty() {
        chunks.push((b"BIN\0", buffer));
    }
    let total = 12 + chunks.iter().map(|(_, bytes)| 8 + bytes.len()).sum::<usize>();
    let too_large = || Error::Limit(format!("{total} bytes; a .glb file holds up to 4 GiB"));
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
