//! Last step of loading: playback by an engine.

use super::loaded::Loaded;
use super::options::PlaybackRequest;
use crate::budget::{Budget, Exceeded};
use crate::diagnostic::SourceId;
use crate::engines::{Engine, Unplayed};
use crate::import::error::{ImportError, Mismatch};
use crate::import::importer::{ImportFailure, Md5Files};
use crate::import::{identify, md5, x};
use crate::model::{Clip, Model};
use bindpose_parsers::md5::{FileKind, parse_anim};

/// Largest rate in Hz that is used as a frame rate.
const MOST_FRAMES: f64 = 240.0;

/// Replaces skeleton, meshes and clips by those of the requested engine, if any.
pub(super) fn play_as(request: PlaybackRequest, loaded: &mut Loaded, budget: &Budget) -> Result<(), ImportFailure> {
    let Some(engine) = request.engine else { return Ok(()) };
    let title = engine.title();
    let Loaded { model, sources, .. } = loaded;
    if engine.x.is_some() {
        // The import has applied the engine's rules already.
        let is_x = |id: SourceId| identify(sources.path(id), &sources.get(id).bytes) == Some(&x::X_FILE);
        if !sources.ids().any(is_x) {
            return Err(Mismatch::OtherEngine { engine: title, format: ".x", model: model.name.clone() }.into());
        }
        // A frame is a tick, unless ticks are too short to be counted as frames.
        if let Some(rate) = loaded.ticks_per_second.filter(|&rate| rate <= MOST_FRAMES) {
            model.clips.iter_mut().for_each(|clip| clip.frame_rate = Some(rate));
        }
        loaded.engine = Some(engine);
        return Ok(());
    }
    let Some(Md5Files { joints, clips: files }) = &loaded.md5 else {
        return Err(Mismatch::OtherEngine { engine: title, format: "MD5", model: model.name.clone() }.into());
    };
    if model.meshes.is_empty() {
        return Err(Mismatch::NeedsMesh(title).into());
    }
    let is_mesh = |id: &SourceId| {
        let file = sources.get(*id);
        identify(&file.path, &file.bytes) == Some(&md5::MESH_FILE)
    };
    let mesh = sources.ids().find(is_mesh).map(|id| &*sources.get(id).bytes);
    let (mut clips, mut unplayed) = (Vec::with_capacity(model.clips.len()), Vec::new());
    for (clip, &(source, script_rate)) in model.clips.iter().zip(files) {
        let bytes = &sources.get(source).bytes;
        let parsed = parse_anim(bytes).map_err(|error| md5::parse_error(&error, FileKind::Anim, source))?;
        let file = parsed.document;
        let leaves_out = request.leaves_out.filter(|_| engine.keeps_bind_pose);
        let words = leaves_out.zip(mesh).and_then(|(leaves_out, mesh)| leaves_out(engine, mesh, bytes));
        if let Some(words) = words {
            unplayed.push(Unplayed { clip: clips.len(), sentence: unplayed_sentence(title, &clip.name, &words) });
            clips.push(engine.hold_bind_pose(&file, &clip.name, &model.skeleton));
            continue;
        }
        let held = engine.hold_clip(&file, &clip.name, script_rate, &model.skeleton, joints, budget);
        clips.push(held.map_err(|error| ImportError::new(error, file.num_frames.span).into_diagnostic(source))?);
    }
    model.clips = clips;
    model.skeleton = engine.hold_skeleton(&model.skeleton);
    engine.hold_meshes(&mut model.meshes);
    (loaded.engine, loaded.unplayed) = (Some(engine), unplayed);
    Ok(())
}

/// Returns the message for a clip that an engine does not load. `words` is the engine's own message and may be empty.
fn unplayed_sentence(title: &str, clip: &str, words: &str) -> String {
    let words = if words.is_empty() { String::new() } else { format!(" ({words})") };
    format!("{title} does not take the clip '{clip}'{words}, and shows the bind pose instead")
}

impl Loaded {
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
        let Model { name, skeleton, meshes, materials, front, .. } = &self.model;
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
