//! Result of loading.

use crate::diagnostic::{Diagnostic, Sources};
use crate::engines::{Engine, FormatFamily, LeftOut};
use crate::import::importer::Md5Files;
use crate::model::{CameraPath, JointId, Model};
use bindpose_parsers::decl::FrameCommand;
use bindpose_vfs::Vfs;
use glam::DVec3;
use std::path::PathBuf;
use std::sync::Arc;

/// A model with its clips, and what its files and its game say beyond them.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The model with all clips.
    pub model: Model,
    /// The files, for diagnostics.
    pub sources: Sources,
    /// Repairs and contradictions.
    pub diagnostics: Vec<Diagnostic>,
    /// Folders to search for textures, in order, without repeats.
    pub directories: Vec<PathBuf>,
    /// Joints of each channel of a game's model, by name; anims on a channel move only these.
    pub channels: Vec<(String, Vec<JointId>)>,
    /// Frame commands of a game's anims, by the clip's name.
    pub frame_commands: Vec<(String, Vec<FrameCommand>)>,
    /// Images inside the files, by the names that materials use.
    pub images: Vec<(String, Vec<u8>)>,
    /// Ticks per second of `.x` clips before they were converted to seconds.
    pub ticks_per_second: Option<f64>,
    /// The animated camera among the files.
    pub camera: Option<CameraPath>,
    /// Smallest and largest corner of the box of each frame, per MD5 clip; model space.
    pub frame_boxes: Vec<Vec<[DVec3; 2]>>,
    /// The game whose materials the model has: the one named, or the one around the files.
    pub game: Option<Arc<Vfs>>,
    /// The engine whose playback the model shows.
    pub engine: Option<&'static Engine>,
    /// Clips that this engine does not load; the bind pose replaces them.
    pub left_out: Vec<LeftOut>,
    /// Format of the model's files, if engines play it.
    pub format: Option<FormatFamily>,
    /// See [`ImportedFiles::has_own_skins`](crate::import::ImportedFiles::has_own_skins).
    pub(super) has_own_skins: bool,
    /// The files for [`Loaded::as_played_by`]; `None` for a game's decls, whose offsets and heads are in no MD5 file.
    pub(super) md5: Option<Md5Files>,
}
