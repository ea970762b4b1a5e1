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
    Contents, ImportFailure, ImportJob, ImportedFiles, Importer, InputFile, Md5Files, contains, second_model,
};
use crate::model::{JointId, Model, Skeleton};
use crate::read;
use bindpose_parsers::md5::{self, AnimFile, Error, FileKind, Parsed, Warning};
use glam::DVec3;
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::Path;

/// Doom 3 mesh.
pub static MESH_FILE: Importer = Importer {
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
        let path = job.sources.path(mesh.source).to_owned();
        attach_clips_of_folder(&mut imported, &path, folders, job)?;
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

/// Attaches the `.md5anim` files that have exactly the mesh's joints. First come those in Cube 2's script, with its
/// names and rates, then those of the mesh's folder, by file name.
fn attach_clips_of_folder(
    imported: &mut ImportedFiles,
    mesh: &Path,
    folders: &ImageFinder,
    job: &mut ImportJob<'_>,
) -> Result<(), ImportFailure> {
    for anims in candidates(mesh, folders).chunks(CLIPS_AT_ONCE) {
        // All files are read before any uses memory, so that the budget does not depend on the order of threads.
        let files: Vec<(&Anim, Vec<u8>)> =
            anims.par_iter().filter_map(|anim| Some((anim, read::file(&anim.path, job.budget).ok()?))).collect();
        let fitting: Vec<(&Anim, Vec<u8>, ClipFile)> = files
            .into_par_iter()
            .filter_map(|(anim, bytes)| fitting_clip(anim, &bytes, imported, job).map(|clip| (anim, bytes, clip)))
            .collect();
        for (anim, bytes, clip) in fitting {
            let source = job.sources.add(anim.path.clone(), bytes);
            attach(imported, source, clip, anim.rate, job)?;
        }
    }
    Ok(())
}

fn candidates(mesh: &Path, folders: &ImageFinder) -> Vec<Anim> {
    let mut anims = folders.cube2_anims(mesh);
    let scripted: HashSet<_> = anims.iter().map(|anim| anim.path.clone()).collect();
    let folder = read::folder_of(mesh);
    let others = folders.anims_in(&folder).into_iter().filter(|path| !scripted.contains(path));
    anims.extend(others.map(|path| Anim { name: read::stem_of(&path), path, rate: None }));
    // A link or a script may point to a file anywhere.
    let home = home_of(&folder);
    anims.retain(|anim| read::check_inside(&anim.path, &[&home]).is_ok());
    anims
}

/// Imports a file if it is a clip with exactly the mesh's joints.
fn fitting_clip(anim: &Anim, bytes: &[u8], imported: &ImportedFiles, job: &ImportJob<'_>) -> Option<ClipFile> {
    let mut parsed = md5::parse_anim(bytes).ok()?;
    parsed.document.frame_rate = anim.rate.unwrap_or(parsed.document.frame_rate);
    let (skeleton, joints) = (&imported.model.skeleton, joints(imported));
    let names = joints.iter().map(|&joint| &skeleton[joint].name);
    let fits = parsed.document.hierarchy.iter().map(|channel| channel.name.to_name()).eq(names.cloned());
    fits.then(|| ClipFile::new(parsed, &anim.name, skeleton, joints, job))
}
