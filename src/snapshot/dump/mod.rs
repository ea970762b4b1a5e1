//! Every stage from a file to vertices as text for line-by-line comparison.
//!
//! The same input gives the same bytes on every machine: numbers have nine decimals and are never -0, quaternions have
//! positive w, joints are named, and lines end in a line feed.

mod document;
mod stages;

pub use crate::records::TextFormat;

use crate::records::Writer;
use bindpose_core::budget::MemoryLimit;
use bindpose_core::engines::Engine;
use bindpose_core::import::{Contents, Format, Importer};
use bindpose_core::model::Model;
use bindpose_core::play::OutsideClip;
use bindpose_core::skin::{MethodId, Skinning, Unavailable};
use bindpose_parsers::md5;
use bindpose_parsers::x;
use std::io::{self, Write};
use std::ops::RangeInclusive;

/// Version of the text. It grows when a field's name, position or precision changes.
const VERSION: u32 = 1;

/// Stage of a model to dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DumpStage {
    /// The model as imported: skeleton, materials, meshes, clips with their keys.
    Model,
    /// Each joint in its parent's space.
    Local,
    /// Each joint in model space.
    ModelPose,
    /// Skinning matrices of each mesh, from model space of the bind pose to model space of the pose.
    Palette,
    /// Skinned positions and normals in model space, by the reference method.
    Vertices,
}

impl DumpStage {
    fn name(self) -> &'static str {
        match self {
            DumpStage::Model => "model",
            DumpStage::Local => "local",
            DumpStage::ModelPose => "model-pose",
            DumpStage::Palette => "palette",
            DumpStage::Vertices => "vertices",
        }
    }

    fn space(self) -> &'static str {
        match self {
            DumpStage::Model => "rest pose and keys in the parent's space, meshes in bind space",
            DumpStage::Local => "joints in their parent's space",
            DumpStage::ModelPose | DumpStage::Vertices => "model space",
            DumpStage::Palette => "model space of the pose from model space of the bind pose, by columns",
        }
    }
}

/// Frames of a clip to dump.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum FrameSelection {
    /// Every key time; for MD5, every frame.
    #[default]
    All,
    /// Key times by number, from 0.
    Frames(Vec<RangeInclusive<usize>>),
    /// One time in seconds, within each clip. It may be between keys.
    Time(f64),
}

impl FrameSelection {
    fn shows(&self, frame: usize) -> bool {
        match self {
            FrameSelection::Frames(ranges) => ranges.iter().any(|range| range.contains(&frame)),
            FrameSelection::All | FrameSelection::Time(_) => true,
        }
    }
}

/// Settings of a dump.
#[derive(Debug, Clone, PartialEq)]
pub struct DumpOptions {
    /// The stage.
    pub stage: DumpStage,
    /// Only the clip with this name.
    pub clip: Option<String>,
    /// Only these frames of each clip.
    pub frames: FrameSelection,
    /// Engine whose playback the model shows, to be named in the header.
    pub engine: Option<&'static Engine>,
    /// Method of [`DumpStage::Vertices`], and turned joints.
    pub skinning: Skinning,
    /// Text or JSON.
    pub format: TextFormat,
}

/// Reason why a model was not dumped.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// A clip that does not exist.
    #[error("there is no clip '{name}'; {}", known(.clips))]
    NoClip {
        /// The given name or number.
        name: String,
        /// Names of the model's clips.
        clips: Vec<String>,
    },
    /// A frame that does not exist.
    #[error("clip '{clip}' has no frame {frame}; its last one is {last}")]
    NoFrame {
        /// The clip.
        clip: String,
        /// The given number.
        frame: usize,
        /// Number of its last frame.
        last: usize,
    },
    /// A time outside of a clip.
    #[error(transparent)]
    Time(#[from] OutsideClip),
    /// The method does not support the model.
    #[error(transparent)]
    Method(#[from] Unavailable),
    /// The output cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

fn known(clips: &[String]) -> String {
    let names: Vec<String> = clips.iter().map(|clip| format!("'{clip}'")).collect();
    if names.is_empty() { "there are no clips".to_owned() } else { format!("there are {}", names.join(", ")) }
}

/// Writes a stage of a model. The header names its `source`. A model without clips is written in its rest pose.
///
/// # Errors
///
/// [`DumpError`]: a clip or frame does not exist, a time is outside of a clip, or `out` cannot be written.
pub fn model(model: &Model, source: &str, options: &DumpOptions, out: &mut dyn Write) -> Result<(), DumpError> {
    let clips: Vec<_> =
        model.clips.iter().filter(|clip| options.clip.as_ref().is_none_or(|name| clip.name == *name)).collect();
    if let Some(name) = options.clip.clone().filter(|_| clips.is_empty()) {
        return Err(DumpError::NoClip { name, clips: model.clips.iter().map(|clip| clip.name.clone()).collect() });
    }
    let poses = stages::poses(&clips, &options.frames)?;
    let mut header = vec![
        ("source", source.to_owned()),
        ("stage", options.stage.name().to_owned()),
        ("space", options.stage.space().to_owned()),
        ("axes", "right-handed, +z up".to_owned()),
        ("units", "lengths as in the file, times in seconds; quaternions x y z w with w >= 0".to_owned()),
    ];
    if let Some(engine) = options.engine {
        header.insert(1, ("engine", engine.title().to_owned()));
    }
    for turn in &options.skinning.turns {
        let (joint, axis) = (&model.skeleton[turn.joint].name, turn.axis);
        header.insert(1, ("pose", format!("{joint} turned by {} degrees about its {axis}", turn.degrees)));
    }
    if options.skinning.method != MethodId::Cpu && options.engine.is_none() {
        header.insert(1, ("method", options.skinning.method.to_string()));
    }
    let mut writer = Writer::begin(out, options.format, "bindpose dump", VERSION, &header)?;
    match options.stage {
        DumpStage::Model => stages::model(model, &clips, &mut writer)?,
        stage => stages::posed(model, stage, &options.skinning, &poses, &mut writer)?,
    }
    Ok(writer.end()?)
}

/// Reason why a file was not dumped as a document.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The MD5 file is invalid.
    #[error("{1}")]
    Md5(Contents, md5::Error),
    /// The .x file is invalid. The position is in its unpacked bytes.
    #[error(transparent)]
    X(#[from] x::Error),
    /// A glTF file, whose document is JSON.
    #[error("a glTF file is JSON, or holds it: there is nothing to dump as a document; give another --stage")]
    Gltf,
    /// A Quake model, which is bytes.
    #[error("a Quake model of vertices is not dumped as a document; give another --stage")]
    Vertices,
    /// The output cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes a document as the parser read it, in the file's terms and order. Numbers have all digits.
///
/// Only [`FrameSelection::Frames`] of MD5 files select frames, because a document has no times. A compressed .x file is
/// unpacked within `memory`.
///
/// # Errors
///
/// The file is invalid, or `out` cannot be written.
pub fn document(
    bytes: &[u8],
    file: &Importer,
    source: &str,
    frames: &FrameSelection,
    format: TextFormat,
    memory: MemoryLimit,
    out: &mut dyn Write,
) -> Result<(), DocumentError> {
    let header = [
        ("source", source.to_owned()),
        ("stage", "document".to_owned()),
        ("space", "as in the file, quaternions x y z as written".to_owned()),
    ];
    let mut write = |content: &dyn Fn(&mut Writer<'_>) -> io::Result<()>| {
        let mut writer = Writer::begin(out, format, "bindpose dump", VERSION, &header)?;
        content(&mut writer)?;
        writer.end()
    };
    let shows = |frame| frames.shows(frame);
    match file.format {
        Format::Md5(kind) => {
            let fault = |error| DocumentError::Md5(kind, error);
            match kind {
                Contents::Model => {
                    let file = md5::parse_mesh(bytes).map_err(fault)?.document;
                    write(&|out| document::md5::mesh(&file, out))?;
                }
                Contents::Clip => {
                    let file = md5::parse_anim(bytes).map_err(fault)?.document;
                    write(&|out| document::md5::anim(&file, shows, out))?;
                }
                Contents::Camera => {
                    let file = md5::parse_camera(bytes).map_err(fault)?.document;
                    write(&|out| document::md5::camera(&file, shows, out))?;
                }
            }
        }
        Format::X => {
            let unpacked = memory.unpack(bytes)?;
            let file = x::parse(&unpacked, x::Reading::Lenient)?.tree;
            write(&|out| document::x::tree(&file, out))?;
        }
        Format::Gltf => return Err(DocumentError::Gltf),
        Format::Vertices => return Err(DocumentError::Vertices),
    }
    Ok(())
}
