//! MD5 files as one model: a mesh, the given clips, and clips from the mesh's folder.

use super::camera::import_camera;
use super::clip::{ImportedClip, import_clip, import_skeleton};
use super::mesh::{ImportedMesh, import_mesh};
use crate::diagnostic::{Diagnostic, Severity, SourceId};
use crate::engines::{Engine, FormatFamily, Unplayed};
use crate::image_search::{Anim, ImageFinder};
use crate::import::error::{self, ImportError, Mismatch};
use crate::import::importer::{
    Contents, Format, ImportFailure, ImportJob, Importer, InputFile, contains, second_model,
};
use crate::import::loaded::{Loaded, Md5Files};
use crate::left_out::Part;
use crate::model::{JointId, Model, Skeleton};
use crate::pairing::{Candidate, NO_MESH, Pairing, no_mesh};
use crate::read::{self, ReadError};
use bindpose_parsers::Span;
use bindpose_parsers::md5::{self, AnimFile, Error, Parsed, Warning};
use bindpose_vfs::{home_of, unhidden};
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Doom 3 mesh.
pub static MESH_FILE: Importer = Importer {
    format: Format::Md5(Contents::Model),
    name: "md5mesh",
    title: "an MD5 mesh",
    family: "MD5",
    extensions: &["md5mesh"],
    mime: Some("model/x-md5mesh"),
    contents: Contents::Model,
    sniff: |head| contains(head, b"numMeshes"),
    import: import_files,
};

/// Doom 3 animation.
pub static ANIM_FILE: Importer = Importer {
    format: Format::Md5(Contents::Clip),
    name: "md5anim",
    title: "an MD5 animation",
    family: "MD5",
    extensions: &["md5anim"],
    mime: Some("model/x-md5anim"),
    contents: Contents::Clip,
    sniff: |head| contains(head, b"numAnimatedComponents"),
    import: import_files,
};

/// Doom 3 camera.
pub static CAMERA_FILE: Importer = Importer {
    format: Format::Md5(Contents::Camera),
    name: "md5camera",
    title: "an MD5 camera",
    family: "MD5",
    extensions: &["md5camera"],
    mime: None,
    contents: Contents::Camera,
    sniff: |head| contains(head, b"numCuts"),
    import: import_camera_file,
};

/// Number of candidate clips in memory at once. Most may not fit the mesh.
const CLIPS_AT_ONCE: usize = 32;

/// Converts the error of an MD5 file that cannot be parsed.
pub fn parse_error(error: &Error, file: Contents, source: SourceId) -> Diagnostic {
    Diagnostic::new(error.kind.code(file.md5()), Severity::Error, error.to_string(), source, error.span)
}

/// Converts a warning about a repair that the parser made.
pub fn repair_warning(warning: &Warning, file: Contents, source: SourceId) -> Diagnostic {
    repair(warning, file).into_diagnostic(source)
}

fn repair(warning: &Warning, file: Contents) -> error::Warning {
    let found = error::Warning::new(warning.kind.code(file.md5()), warning.kind.to_string(), warning.span);
    if warning.kind.is_loss() { found.leaving_out(Part::Unread, "") } else { found }
}

/// Imports the mesh, or without one the skeleton of the first clip, and then the clips.
fn import_files(files: &[InputFile], job: &ImportJob<'_>, loaded: &mut Loaded) -> Result<(), ImportFailure> {
    let (meshes, clips): (Vec<_>, Vec<_>) = files.iter().partition(|file| *file.importer == MESH_FILE);
    if let Some(second) = meshes.get(1) {
        return Err(second_model(&loaded.sources, second.source));
    }
    let mut read = Vec::new();
    match (meshes.first(), clips.first()) {
        (Some(mesh), _) => read_mesh(mesh, job, loaded)?,
        (None, Some(first)) => read.push(Ok(Ok(read_skeleton(first, job, loaded)?))),
        (None, None) => return Ok(()),
    }
    let (mesh, joints) = (meshes.first().map(|mesh| mesh.source), joints(loaded));
    let read_clip = |clip: &&InputFile| -> FoundClip {
        let bytes = &loaded.sources.get(clip.source).bytes;
        let parsed = md5::parse_anim(bytes).map_err(unparsed)?;
        let mesh = mesh.map(|mesh| &*loaded.sources.get(mesh).bytes);
        Ok(read_clip(parsed, bytes, (&clip.name, None), mesh, (&loaded.model.skeleton, joints), job))
    };
    read.par_extend(clips[read.len()..].par_iter().map(read_clip));
    for (clip, read) in clips.iter().zip(read) {
        attach(clip.source, (&clip.name, None), read, loaded)?;
    }
    if let (Some(folders), Some(mesh), true) = (job.finds_clips, mesh, clips.is_empty()) {
        attach_clips_of_folder(mesh, folders, job, loaded)?;
    }
    job.playback.md5_engine().map_or(Ok(()), |engine| play_as(engine, loaded))
}

/// Replaces skeleton and meshes by those of the engine that plays the clips.
fn play_as(engine: &'static Engine, loaded: &mut Loaded) -> Result<(), ImportFailure> {
    let model = Arc::make_mut(&mut loaded.model);
    if model.meshes.is_empty() {
        return Err(Mismatch::NeedsMesh(engine.title()).into());
    }
    model.skeleton = engine.hold_skeleton(&model.skeleton);
    engine.hold_meshes(&mut model.meshes);
    loaded.engine = Some(engine);
    Ok(())
}

/// Imports the last of the camera files.
fn import_camera_file(files: &[InputFile], _: &ImportJob<'_>, loaded: &mut Loaded) -> Result<(), ImportFailure> {
    for InputFile { source, .. } in files {
        let parsed = md5::parse_camera(&loaded.sources.get(*source).bytes)
            .map_err(|error| parse_error(&error, Contents::Camera, *source))?;
        let repairs = parsed.warnings.iter().map(|warning| repair(warning, Contents::Camera)).collect();
        let (camera, span) = (import_camera(&parsed.document), parsed.document.num_frames.span);
        loaded.warn(repairs, *source);
        loaded.camera = camera;
        if loaded.camera.is_none() {
            let message = "the camera has no frame, or no frame rate";
            return Err(Diagnostic::new("MD5C007", Severity::Error, message, *source, span).into());
        }
    }
    Ok(())
}

fn read_mesh(mesh: &InputFile, job: &ImportJob<'_>, loaded: &mut Loaded) -> Result<(), ImportFailure> {
    let source = mesh.source;
    let parsed = md5::parse_mesh(&loaded.sources.get(source).bytes)
        .map_err(|error| parse_error(&error, Contents::Model, source))?;
    let mut imported = import_mesh(&parsed.document, job.options.without_tangents, job.budget)
        .map_err(|error| error.into_diagnostic(source))?;
    imported.warnings.splice(0..0, parsed.warnings.iter().map(|warning| repair(warning, Contents::Model)));
    begin(mesh, imported, loaded);
    Ok(())
}

fn read_skeleton(clip: &InputFile, job: &ImportJob<'_>, loaded: &mut Loaded) -> Result<ReadClip, ImportFailure> {
    let bytes = &loaded.sources.get(clip.source).bytes;
    let parsed = md5::parse_anim(bytes).map_err(|error| parse_error(&error, Contents::Clip, clip.source))?;
    let imported = import_skeleton(&parsed.document);
    let skeleton = (&imported.model.skeleton, &*imported.joints);
    let read = read_clip(parsed, bytes, (&clip.name, None), None, skeleton, job);
    begin(clip, imported, loaded);
    Ok(read.map_err(|error| error.into_diagnostic(clip.source))?)
}

/// Adds a model, to which clips are attached.
fn begin(file: &InputFile, imported: ImportedMesh, loaded: &mut Loaded) {
    let ImportedMesh { model, joints, warnings } = imported;
    loaded.warn(warnings, file.source);
    loaded.model = Arc::new(Model { name: file.name.clone(), ..model });
    (loaded.format, loaded.md5) = (Some(FormatFamily::Md5), Some(Md5Files { joints, clips: Vec::new() }));
}

fn joints(loaded: &Loaded) -> &[JointId] {
    loaded.md5.as_ref().map_or(&[], |md5| &md5.joints)
}

/// A clip, and a sentence if the engine that shows it does not play it.
type ReadClip = (ImportedClip, Option<String>);

/// Imports a clip for a skeleton. With the bytes of a mesh, it becomes what the engine of the job plays.
fn read_clip(
    parsed: Parsed<AnimFile<'_>>,
    bytes: &[u8],
    (name, script_rate): (&str, Option<f64>),
    mesh: Option<&[u8]>,
    (skeleton, joints): (&Skeleton, &[JointId]),
    job: &ImportJob<'_>,
) -> Result<ReadClip, ImportError> {
    let mut file = parsed.document;
    let (mut unplayed, mut played) = (None, None);
    if let (Some(engine), Some(mesh)) = (job.playback.md5_engine(), mesh) {
        let leaves_out = job.playback.leaves_out.filter(|_| engine.keeps_bind_pose);
        let words = leaves_out.and_then(|leaves_out| leaves_out(engine, mesh, bytes));
        unplayed = words.map(|words| unplayed_sentence(engine, name, &words));
        played = Some(match unplayed {
            Some(_) => engine.hold_bind_pose(&file, name, skeleton),
            None => engine
                .hold_clip(&file, name, script_rate, skeleton, joints, job.budget)
                .map_err(|error| ImportError::new(error, file.num_frames.span))?,
        });
    }
    file.frame_rate = script_rate.unwrap_or(file.frame_rate);
    let mut imported = import_clip(&file, name, skeleton, joints, job.budget)?;
    imported.warnings.splice(0..0, parsed.warnings.iter().map(|warning| repair(warning, Contents::Clip)));
    imported.clip = imported.clip.map(|meant| played.unwrap_or(meant));
    Ok((imported, unplayed))
}

/// Returns the message for a clip that an engine does not load. `words` is the engine's own message and may be empty.
fn unplayed_sentence(engine: &Engine, clip: &str, words: &str) -> String {
    let words = if words.is_empty() { String::new() } else { format!(" ({words})") };
    format!("{} does not take the clip '{clip}'{words}, and shows the bind pose instead", engine.title())
}

/// Adds a clip to the model, or to the parts that it lacks.
fn attach(
    source: SourceId,
    (name, script_rate): (&str, Option<f64>),
    found: FoundClip,
    loaded: &mut Loaded,
) -> Result<(), ImportFailure> {
    let (mut imported, unplayed) = match found {
        Ok(read) => read.map_err(|error| error.into_diagnostic(source))?,
        Err(misfit) => {
            loaded.leave_out_clip(name, misfit(source));
            return Ok(());
        }
    };
    let Some(clip) = imported.clip else {
        // The last warning says why.
        if let Some(reason) = imported.warnings.pop() {
            let reason = Diagnostic { severity: Severity::Error, ..reason.into_diagnostic(source) };
            loaded.leave_out_clip(name, reason);
        }
        return Ok(());
    };
    let clips = &mut Arc::make_mut(&mut loaded.model).clips;
    loaded.unplayed.extend(unplayed.map(|sentence| Unplayed { clip: clips.len(), sentence }));
    clips.push(clip);
    loaded.frame_boxes.push(imported.frame_boxes);
    loaded.clip_flags.push(imported.flags);
    if let Some(md5) = &mut loaded.md5 {
        md5.clips.push((source, script_rate));
    }
    loaded.warn(imported.warnings, source);
    Ok(())
}

/// Attaches the `.md5anim` files that belong to the mesh and have its joint names. First come those in Cube 2's script,
/// with its names and rates, then those of the folders in which engines look, by file name. The others that belong to it are listed as
/// left out, and so are those that belong to no mesh, if this one is the nearest.
fn attach_clips_of_folder(
    mesh: SourceId,
    folders: &ImageFinder,
    job: &ImportJob<'_>,
    loaded: &mut Loaded,
) -> Result<(), ImportFailure> {
    let path = loaded.sources.path(mesh).to_owned();
    let anims = candidates(&path, &loaded.directories, folders);
    if anims.is_empty() {
        return Ok(());
    }
    let rigs: Vec<_> = loaded.directories.iter().map(|folder| folders.rigs_in(folder, job.budget.limit())).collect();
    let joints = md5::parse_joints(&loaded.sources.get(mesh).bytes);
    let own = Candidate::mesh(read::stem_of(&path), joints.as_ref()).into_owned();
    let mut meshes: Vec<&Candidate> = unhidden(rigs.iter().map(|rigs| rigs.iter().collect()), |rig| rig.stem.clone());
    let at = meshes.iter().position(|rig| rig.stem == own.stem).unwrap_or(meshes.len());
    match meshes.get_mut(at) {
        Some(rig) => *rig = &own,
        None => meshes.push(&own),
    }
    let stems: Vec<String> = anims.iter().map(|(anim, _)| read::stem_of(&anim.path)).collect();
    let search = ClipSearch {
        source: mesh,
        mesh: at,
        own: &own,
        pairing: Pairing::new(meshes, stems.iter().map(String::as_str)),
    };
    let homes: Vec<_> = loaded.directories.iter().map(|folder| home_of(folder)).collect();
    let homes: Vec<&Path> = homes.iter().map(PathBuf::as_path).collect();
    for anims in anims.chunks(CLIPS_AT_ONCE) {
        // All files are read before any uses memory, so that the budget does not depend on the order of threads. A link
        // or a script may point to a file anywhere.
        let files: Vec<_> =
            anims.par_iter().map(|anim| (anim, read::found(&anim.0.path, &homes, job.budget))).collect();
        let found: Vec<(&Anim, Vec<u8>, FoundClip)> = files
            .into_par_iter()
            .filter_map(|((anim, is_scripted), bytes)| match bytes {
                Ok(bytes) => {
                    let clip = search.clip(anim, *is_scripted, &bytes, job, loaded)?;
                    Some((anim, bytes, clip))
                }
                Err(error) => Some((anim, Vec::new(), Err(search.unreadable(anim, *is_scripted, &error)?))),
            })
            .collect();
        for (anim, bytes, clip) in found {
            let source = loaded.sources.add(anim.path.clone(), bytes);
            attach(source, (&anim.name, anim.rate), clip, loaded)?;
        }
    }
    Ok(())
}

/// Returns the clips that may belong to a mesh, each with true if a script names it.
fn candidates(mesh: &Path, directories: &[PathBuf], folders: &ImageFinder) -> Vec<(Anim, bool)> {
    let mut anims: Vec<_> = folders.cube2_anims(mesh).into_iter().map(|anim| (anim, true)).collect();
    let scripted: HashSet<_> = anims.iter().map(|(anim, _)| anim.path.clone()).collect();
    let found = directories.iter().map(|folder| folders.anims_in(folder));
    let others = unhidden(found, |path| read::stem_of(path)).into_iter().filter(|path| !scripted.contains(path));
    anims.extend(others.map(|path| (Anim { name: read::stem_of(&path), path, rate: None }, false)));
    anims
}

/// Reason why a clip does not fit, for the source of its file.
type Misfit = Box<dyn FnOnce(SourceId) -> Diagnostic + Send>;

fn unparsed(error: Error) -> Misfit {
    Box::new(move |source| parse_error(&error, Contents::Clip, source))
}

/// A clip of a mesh, imported or not fitting.
type FoundClip = Result<Result<ReadClip, ImportError>, Misfit>;

/// A mesh among those of its folder, for which clips are searched.
struct ClipSearch<'c> {
    source: SourceId,
    /// Index of the mesh.
    mesh: usize,
    own: &'c Candidate<'static>,
    pairing: Pairing<'c, 'static>,
}

impl ClipSearch<'_> {
    /// Imports a file if it is a clip of the mesh. `None` if it belongs to another mesh.
    fn clip(
        &self,
        anim: &Anim,
        is_scripted: bool,
        bytes: &[u8],
        job: &ImportJob<'_>,
        loaded: &Loaded,
    ) -> Option<FoundClip> {
        let stem = read::stem_of(&anim.path);
        let belongs = |clip: &Candidate| is_scripted || self.pairing.has(self.mesh, clip);
        let parsed = match md5::parse_anim(bytes) {
            Ok(parsed) => parsed,
            Err(error) => {
                let hierarchy = md5::parse_hierarchy(bytes).unwrap_or_default();
                return belongs(&Candidate::clip(stem, &hierarchy)).then(|| Err(unparsed(error)));
            }
        };
        let file = &parsed.document;
        let clip = Candidate::clip(stem, &file.hierarchy);
        let span = |joint: usize| file.hierarchy.get(joint).map_or(file.num_joints.span, |channel| channel.name.span);
        if !belongs(&clip) {
            let (_, difference) = self
                .pairing
                .nearest(&clip)
                .filter(|(nearest, _)| *nearest == self.mesh && !self.pairing.is_paired(&clip))?;
            let (span, message) = (span(difference.joint()), no_mesh(&self.own.stem, &difference));
            return Some(Err(Box::new(move |source| {
                Diagnostic::new(NO_MESH, Severity::Warning, message, source, span)
            })));
        }
        if let Some(difference) = self.own.difference(&clip) {
            let span = span(difference.joint());
            return Some(Err(Box::new(move |source| {
                Diagnostic::new(difference.code(), Severity::Error, difference.to_string(), source, span)
            })));
        }
        let mesh = Some(&*loaded.sources.get(self.source).bytes);
        let skeleton = (&loaded.model.skeleton, joints(loaded));
        Some(Ok(read_clip(parsed, bytes, (&anim.name, anim.rate), mesh, skeleton, job)))
    }

    /// Returns the reason why a file cannot be read, if it may be a clip of the mesh.
    fn unreadable(&self, anim: &Anim, is_scripted: bool, error: &ReadError) -> Option<Misfit> {
        let unknown = Candidate { stem: read::stem_of(&anim.path), ..Candidate::default() };
        let is_absent = error.is_missing() || matches!(error, ReadError::Outside { .. });
        let severity = if is_absent { Severity::Warning } else { Severity::Error };
        let message = error.to_string();
        let misfit: Misfit =
            Box::new(move |source| Diagnostic::new("IO001", severity, message, source, Span::default()));
        (is_scripted || self.pairing.has(self.mesh, &unknown)).then_some(misfit)
    }
}
