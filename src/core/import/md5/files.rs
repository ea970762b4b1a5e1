//! MD5 files as one model: a mesh, the given clips, and clips from the mesh's folder.

use super::camera::import_camera;
use super::clip::{ImportedClip, import_clip, import_skeleton};
use super::mesh::import_mesh;
use super::options::Md5ImportOptions;
use crate::diagnostic::{Diagnostic, Severity, SourceId};
use crate::engines::FormatFamily;
use crate::image_search::{Anim, ImageFinder, home_of};
use crate::import::error::{ImportError, Mismatch};
use crate::import::importer::{
    Contents, Format, ImportFailure, ImportJob, ImportedFiles, Importer, InputFile, Md5Files, contains, second_model,
};
use crate::left_out::{FoundBy, LeftOut, Part};
use crate::model::{JointId, Model, Skeleton};
use crate::pairing::{Candidate, NO_MESH, Pairing, no_mesh};
use crate::read::{self, ReadError};
use bindpose_parsers::Span;
use bindpose_parsers::md5::{self, AnimFile, Error, FileKind, Parsed, Warning};
use glam::DVec3;
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::Path;

/// Doom 3 mesh.
pub static MESH_FILE: Importer = Importer {
    format: Format::Md5(FileKind::Mesh),
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
    format: Format::Md5(FileKind::Anim),
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
    format: Format::Md5(FileKind::Camera),
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
pub fn parse_error(error: &Error, file: FileKind, source: SourceId) -> Diagnostic {
    Diagnostic::new(error.kind.code(file), Severity::Error, error.to_string(), source, error.span)
}

/// Converts a warning about a repair that the parser made.
pub fn repair_warning(warning: &Warning, file: FileKind, source: SourceId) -> Diagnostic {
    Diagnostic::new(warning.kind.code(file), Severity::Warning, warning.kind.to_string(), source, warning.span)
}

/// Imports the mesh, or without one the skeleton of the first clip, and then the clips.
fn import_files(files: &[InputFile], job: &mut ImportJob<'_>) -> Result<ImportedFiles, ImportFailure> {
    let (meshes, clips): (Vec<_>, Vec<_>) = files.iter().partition(|file| *file.importer == MESH_FILE);
    if let Some(second) = meshes.get(1) {
        return Err(second_model(&job.sources, second.source));
    }
    let (mut imported, mut read) = match (meshes.first(), clips.first()) {
        (Some(mesh), _) => (mesh_file(mesh, job)?, Vec::new()),
        (None, Some(first)) => {
            let (imported, clip) = skeleton_of_clip(first, job)?;
            (imported, vec![Ok(clip)])
        }
        (None, None) => return Ok(ImportedFiles::default()),
    };
    let (skeleton, joints) = (&imported.model.skeleton, joints(&imported));
    let read_clip = |clip: &InputFile| {
        let parsed = md5::parse_anim(&job.sources.get(clip.source).bytes);
        parsed.map(|parsed| ClipFile::new(parsed, &clip.name, skeleton, joints, job))
    };
    read.par_extend(clips[read.len()..].par_iter().map(|clip| read_clip(clip)));
    for (clip, read) in clips.iter().zip(read) {
        let read = read.map_err(|error| parse_error(&error, FileKind::Anim, clip.source))?;
        attach(&mut imported, clip.source, read, None, job)?;
    }
    if let (Some(folders), [mesh], true) = (job.finds_clips, &meshes[..], clips.is_empty()) {
        attach_clips_of_folder(&mut imported, mesh.source, folders, job)?;
    }
    Ok(imported)
}

/// Imports the last of the camera files.
fn import_camera_file(files: &[InputFile], job: &mut ImportJob<'_>) -> Result<ImportedFiles, ImportFailure> {
    let mut camera = None;
    for InputFile { source, .. } in files {
        let parsed = md5::parse_camera(&job.sources.get(*source).bytes)
            .map_err(|error| parse_error(&error, FileKind::Camera, *source))?;
        let repairs = parsed.warnings.iter().map(|warning| repair_warning(warning, FileKind::Camera, *source));
        job.diagnostics.extend(repairs);
        camera = import_camera(&parsed.document);
        if camera.is_none() {
            let (message, span) = ("the camera has no frame, or no frame rate", parsed.document.num_frames.span);
            return Err(Diagnostic::new("MD5C007", Severity::Error, message, *source, span).into());
        }
    }
    Ok(ImportedFiles { camera, ..ImportedFiles::default() })
}

fn mesh_file(mesh: &InputFile, job: &mut ImportJob<'_>) -> Result<ImportedFiles, ImportFailure> {
    let source = mesh.source;
    let parsed =
        md5::parse_mesh(&job.sources.get(source).bytes).map_err(|error| parse_error(&error, FileKind::Mesh, source))?;
    let options = Md5ImportOptions { without_tangents: job.options.without_tangents, ..job.options.md5 };
    let imported =
        import_mesh(&parsed.document, &options, job.budget).map_err(|error| error.into_diagnostic(source))?;
    job.diagnostics.extend(parsed.warnings.iter().map(|warning| repair_warning(warning, FileKind::Mesh, source)));
    job.diagnostics.extend(imported.warnings.into_iter().map(|warning| warning.into_diagnostic(source)));
    Ok(with_joints(Model { name: mesh.name.clone(), ..imported.model }, imported.joints))
}

fn skeleton_of_clip(clip: &InputFile, job: &mut ImportJob<'_>) -> Result<(ImportedFiles, ClipFile), ImportFailure> {
    let source = clip.source;
    let parsed =
        md5::parse_anim(&job.sources.get(source).bytes).map_err(|error| parse_error(&error, FileKind::Anim, source))?;
    let skeleton = import_skeleton(&parsed.document);
    let file = ClipFile::new(parsed, &clip.name, &skeleton.model.skeleton, &skeleton.joints, job);
    job.diagnostics.extend(skeleton.warnings.into_iter().map(|warning| warning.into_diagnostic(source)));
    Ok((with_joints(Model { name: clip.name.clone(), ..skeleton.model }, skeleton.joints), file))
}

fn with_joints(model: Model, joints: Vec<JointId>) -> ImportedFiles {
    let md5 = Some(Md5Files { joints, clips: Vec::new() });
    ImportedFiles { model, md5, format: Some(FormatFamily::Md5), ..ImportedFiles::default() }
}

fn joints(imported: &ImportedFiles) -> &[JointId] {
    imported.md5.as_ref().map_or(&[], |md5| &md5.joints)
}

/// A parsed `.md5anim`, imported for a skeleton.
struct ClipFile {
    repairs: Vec<Warning>,
    imported: Result<ImportedClip, ImportError>,
    /// Boxes of the frames. See [`ImportedFiles::frame_boxes`].
    frame_boxes: Vec<[DVec3; 2]>,
}

impl ClipFile {
    fn new(
        parsed: Parsed<AnimFile<'_>>,
        name: &str,
        skeleton: &Skeleton,
        joints: &[JointId],
        job: &ImportJob<'_>,
    ) -> Self {
        let file = parsed.document;
        Self {
            repairs: parsed.warnings,
            imported: import_clip(&file, name, skeleton, joints, &job.options.md5, job.budget),
            frame_boxes: file.bounds.iter().map(|known| [known.min, known.max].map(DVec3::from_array)).collect(),
        }
    }
}

fn attach(
    imported: &mut ImportedFiles,
    source: SourceId,
    file: ClipFile,
    script_rate: Option<f64>,
    job: &mut ImportJob<'_>,
) -> Result<(), ImportFailure> {
    job.diagnostics.extend(file.repairs.iter().map(|warning| repair_warning(warning, FileKind::Anim, source)));
    let ImportedClip { clip, warnings, .. } = file.imported.map_err(|error| error.into_diagnostic(source))?;
    let Some(clip) = clip else {
        let (path, joints) = (job.sources.path(source).to_owned(), imported.model.skeleton.len());
        return Err(Mismatch::OtherSkeleton { path, joints }.into());
    };
    imported.frame_boxes.push(file.frame_boxes);
    imported.model.clips.push(clip);
    if let Some(md5) = &mut imported.md5 {
        md5.clips.push((source, script_rate));
    }
    job.diagnostics.extend(warnings.into_iter().map(|warning| warning.into_diagnostic(source)));
    Ok(())
}

/// Attaches the `.md5anim` files that belong to the mesh and have its joint names. First come those in Cube 2's script,
/// with its names and rates, then those of the mesh's folder, by file name. The others that belong to it are listed as
/// left out, and so are those that belong to no mesh, if this one is the nearest.
fn attach_clips_of_folder(
    imported: &mut ImportedFiles,
    mesh: SourceId,
    folders: &ImageFinder,
    job: &mut ImportJob<'_>,
) -> Result<(), ImportFailure> {
    let path = job.sources.path(mesh).to_owned();
    let folder = read::folder_of(&path);
    let anims = candidates(&path, folders);
    if anims.is_empty() {
        return Ok(());
    }
    let rigs = folders.rigs_in(&folder, job.budget.limit());
    let joints = md5::parse_joints(&job.sources.get(mesh).bytes);
    let own = Candidate::mesh(read::stem_of(&path), joints.as_ref()).into_owned();
    let mut meshes: Vec<&Candidate> = rigs.iter().collect();
    let at = meshes.iter().position(|rig| rig.stem == own.stem).unwrap_or(meshes.len());
    match meshes.get_mut(at) {
        Some(rig) => *rig = &own,
        None => meshes.push(&own),
    }
    let stems: Vec<String> = anims.iter().map(|(anim, _)| read::stem_of(&anim.path)).collect();
    let search = ClipSearch { mesh: at, own: &own, pairing: Pairing::new(meshes, stems.iter().map(String::as_str)) };
    let home = home_of(&folder);
    for anims in anims.chunks(CLIPS_AT_ONCE) {
        // All files are read before any uses memory, so that the budget does not depend on the order of threads. A link
        // or a script may point to a file anywhere.
        let files: Vec<_> =
            anims.par_iter().map(|anim| (anim, read::found(&anim.0.path, &[&home], job.budget))).collect();
        let found: Vec<(&Anim, Vec<u8>, Result<ClipFile, Misfit>)> = files
            .into_par_iter()
            .filter_map(|((anim, is_scripted), bytes)| match bytes {
                Ok(bytes) => {
                    let clip = search.clip(anim, *is_scripted, &bytes, imported, job)?;
                    Some((anim, bytes, clip))
                }
                Err(error) => Some((anim, Vec::new(), Err(search.unreadable(anim, *is_scripted, &error)?))),
            })
            .collect();
        for (anim, bytes, clip) in found {
            let source = job.sources.add(anim.path.clone(), bytes);
            match clip {
                Ok(clip) => attach(imported, source, clip, anim.rate, job)?,
                Err(misfit) => {
                    let reason = misfit(source);
                    job.left_out.push(LeftOut::new(Part::Clip, &*anim.name, reason, FoundBy::ClipSearch, &job.sources));
                }
            }
        }
    }
    Ok(())
}

/// Returns the clips that may belong to a mesh, each with true if a script names it.
fn candidates(mesh: &Path, folders: &ImageFinder) -> Vec<(Anim, bool)> {
    let mut anims: Vec<_> = folders.cube2_anims(mesh).into_iter().map(|anim| (anim, true)).collect();
    let scripted: HashSet<_> = anims.iter().map(|(anim, _)| anim.path.clone()).collect();
    let others = folders.anims_in(&read::folder_of(mesh)).into_iter().filter(|path| !scripted.contains(path));
    anims.extend(others.map(|path| (Anim { name: read::stem_of(&path), path, rate: None }, false)));
    anims
}

/// Reason why a clip does not fit, for the source of its file.
type Misfit = Box<dyn FnOnce(SourceId) -> Diagnostic + Send>;

/// A mesh among those of its folder, for which clips are searched.
struct ClipSearch<'c> {
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
        imported: &ImportedFiles,
        job: &ImportJob<'_>,
    ) -> Option<Result<ClipFile, Misfit>> {
        let stem = read::stem_of(&anim.path);
        let belongs = |clip: &Candidate| is_scripted || self.pairing.has(self.mesh, clip);
        let mut parsed = match md5::parse_anim(bytes) {
            Ok(parsed) => parsed,
            Err(error) => {
                let hierarchy = md5::parse_hierarchy(bytes).unwrap_or_default();
                let misfit: Misfit = Box::new(move |source| parse_error(&error, FileKind::Anim, source));
                return belongs(&Candidate::clip(stem, &hierarchy)).then_some(Err(misfit));
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
        parsed.document.frame_rate = anim.rate.unwrap_or(parsed.document.frame_rate);
        Some(Ok(ClipFile::new(parsed, &anim.name, &imported.model.skeleton, joints(imported), job)))
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
