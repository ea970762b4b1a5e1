//! The model and all that comes with it, from the first file to the screen.

use super::error::Warning;
use crate::budget::{Budget, Exceeded};
use crate::diagnostic::{Diagnostic, SourceId, Sources};
use crate::engines::{Engine, FormatFamily, Unplayed};
use crate::left_out::{FoundBy, LeftOut, Part};
use crate::model::{CameraPath, Clip, JointId, Model};
use bindpose_parsers::decl::FrameCommand;
use bindpose_parsers::md5::parse_anim;
use bindpose_vfs::Vfs;
use glam::DVec3;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model with its clips, and further data from its files and its game.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The model with all clips.
    pub model: Arc<Model>,
    /// Number of clips of the file that has the model; those of other files follow.
    pub own_clips: usize,
    /// Files, for diagnostics.
    pub sources: Sources,
    /// Repairs and contradictions.
    pub diagnostics: Vec<Diagnostic>,
    /// Parts that the files contain or name, but the model lacks. Their reasons are not among the diagnostics.
    pub left_out: Vec<LeftOut>,
    /// Folders to search for textures, in order, without repeats.
    pub directories: Vec<PathBuf>,
    /// Joints of each channel of a game's model, by name. Anims on a channel move only these.
    pub channels: Vec<(String, Vec<JointId>)>,
    /// Frame commands of a game's anims, by the clip's name.
    pub frame_commands: Vec<(String, Vec<FrameCommand>)>,
    /// Images inside the files, by the names that materials use.
    pub images: Vec<(String, Vec<u8>)>,
    /// Ticks per second of `.x` clips before conversion to seconds.
    pub ticks_per_second: Option<f64>,
    /// Animated camera, if there is one among the files.
    pub camera: Option<CameraPath>,
    /// Smallest and largest corner of the box of each frame, for each MD5 clip; model space.
    pub frame_boxes: Vec<Vec<[DVec3; 2]>>,
    /// Flags of each joint, for each MD5 clip: the components that its frames have. 0 for a joint that the clip lacks.
    pub clip_flags: Vec<Vec<i64>>,
    /// Game that provides the materials: the requested one, or the one around the files.
    pub game: Option<Arc<Vfs>>,
    /// Engine whose playback the model shows.
    pub engine: Option<&'static Engine>,
    /// Clips that this engine does not play, replaced by the bind pose.
    pub unplayed: Vec<Unplayed>,
    /// Format of the model's files, if engines play it.
    pub format: Option<FormatFamily>,
    /// True if a requested skin was applied already.
    pub(crate) has_own_skins: bool,
    /// MD5 files for [`Loaded::as_played_by`]; `None` for a game's decls, whose offsets and heads are in no MD5 file.
    pub(crate) md5: Option<Md5Files>,
}

/// MD5 files from which a model and its clips were made.
#[derive(Debug, Clone)]
pub(crate) struct Md5Files {
    /// Joints in the order of the mesh's file.
    pub joints: Vec<JointId>,
    /// File of each clip, and the frame rate set by a script.
    pub clips: Vec<(SourceId, Option<f64>)>,
}

impl Loaded {
    /// Returns the files of which the model is made: all but the clips that are left out.
    pub fn inputs(&self) -> impl Iterator<Item = SourceId> + '_ {
        let beside = self.left_out.iter().filter(|left| left.found_by == FoundBy::ClipSearch);
        let beside: HashSet<SourceId> = beside.filter_map(|left| Some(left.reason.primary.as_ref()?.source)).collect();
        self.sources.ids().filter(move |id| !beside.contains(id))
    }

    /// Returns the paths of [`Loaded::inputs`].
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.inputs().map(|id| self.sources.path(id))
    }

    /// Adds what an importer found in a file: parts that the model lacks, and everything else.
    pub(crate) fn warn(&mut self, warnings: Vec<Warning>, source: SourceId) {
        for mut warning in warnings {
            let lost = warning.left_out.take();
            let found = warning.into_diagnostic(source);
            match lost {
                Some((part, name)) => {
                    self.left_out.push(LeftOut::new(part, name, found, FoundBy::Importer, &self.sources));
                }
                None => self.diagnostics.push(found),
            }
        }
    }

    /// Names a clip that the model lacks because of its file.
    pub(crate) fn leave_out_clip(&mut self, name: &str, reason: Diagnostic) {
        self.left_out.push(LeftOut::new(Part::Clip, name, reason, FoundBy::ClipSearch, &self.sources));
    }

    /// Returns the model with only one clip, both as an engine plays them. The model must be loaded without an engine.
    /// `None` for a clip out of range, for formats other than MD5, and for a game's decls.
    ///
    /// # Errors
    ///
    /// [`Exceeded`], as [`Engine::hold_clip`].
    pub fn as_played_by(&self, engine: &Engine, clip: usize, budget: &Budget) -> Result<Option<Model>, Exceeded> {
        let (Some(files), Some(Clip { name, .. })) = (&self.md5, self.model.clips.get(clip)) else { return Ok(None) };
        let Some(&(source, script_rate)) = files.clips.get(clip) else { return Ok(None) };
        let Ok(parsed) = parse_anim(&self.sources.get(source).bytes) else { return Ok(None) };
        let clip =
            engine.hold_clip(&parsed.document, name, script_rate, &self.model.skeleton, &files.joints, budget)?;
        let Model { name, skeleton, meshes, materials, front, .. } = &*self.model;
        let mut meshes = meshes.clone();
        engine.hold_meshes(&mut meshes);
        Ok(Some(Model {
            name: name.clone(),
            skeleton: engine.hold_skeleton(skeleton),
            meshes,
            materials: materials.clone(),
            clips: vec![clip],
            front: *front,
        }))
    }
}
