//! Checks of the motion of clips: broken loops, sliding feet, flipping and jittering joints. Games show these faults,
//! but no loader tests for them.

mod checks;
mod clip;
mod curve;
mod report;

pub use report::{MotionCurve, MotionReport};

use crate::codes::{Group, file, import};
use crate::contract::Contract;
use crate::finding::Findings;
use crate::unit::{Kind, Validation};
use bindpose_core::budget::Budget;
use bindpose_core::import::{Format, ImportFailure, ImportJob, ImportOptions, InputFile, Loaded};
use bindpose_core::model::Model;
use bindpose_parsers::Span;
use bindpose_parsers::md5::AnimFile;
pub(super) use checks::soles;
use clip::Motion;
use rayon::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

/// Findings of motion, with a report on each.
pub(super) struct MotionFindings {
    pub findings: Findings,
    pub reports: Vec<MotionReport>,
}

impl MotionFindings {
    fn new() -> Self {
        Self { findings: Findings::new(Group::Motion), reports: Vec::new() }
    }
}

/// Checks the clip of an MD5 file. `soles` are those of its mesh, if it has one.
pub(super) fn check_anim(
    file: &AnimFile,
    name: &str,
    soles: Option<&HashSet<String>>,
    contract: &Contract,
    budget: &Budget,
) -> MotionFindings {
    let mut out = MotionFindings::new();
    if let Some(motion) = Motion::of_anim(file, name, budget, &mut out) {
        checks::check(&motion, soles, true, contract, &mut out);
    }
    out
}

/// Names and spans of a `.x` file's animation sets.
pub(super) type Sets = Vec<(Option<String>, Span)>;

/// Checks the clips of `.x` and glTF files; `sets` are the animation sets of each file. A `.x` file with only clips is
/// imported together with its model.
pub(super) fn check_models(report: &mut Validation, sets: &[Sets], contract: &Contract, budget: &Budget) {
    let files: Vec<usize> = (0..report.files.len()).collect();
    let check = |&index: &usize| {
        let format = report.files.get(index)?.kind.format()?;
        let sets = match format {
            Format::X => sets.get(index)?.as_slice(),
            Format::Gltf => &[],
            // Checked with their meshes, or not at all.
            Format::Md5(_) | Format::Vertices => return None,
        };
        let mut out = MotionFindings::new();
        match import_clips(report, index, budget) {
            Ok((model, first)) => {
                let soles = soles(&model);
                for clip in model.clips.iter().skip(first) {
                    // One finding for each clip, even within one file.
                    let mut of_clip = MotionFindings::new();
                    if let Some(motion) =
                        Motion::of_clip(&model, clip, location(sets, &clip.name), budget, &mut of_clip)
                    {
                        checks::check(&motion, Some(&soles), clip.looping, contract, &mut of_clip);
                    }
                    out.findings.extend(of_clip.findings.finish(index));
                    out.reports.extend(of_clip.reports);
                }
            }
            // Faults of a .x file are found without importing it.
            Err(_) if format == Format::X => {}
            Err(failure) => {
                let (rule, message) = match failure {
                    ImportFailure::File(fault) => (import::GLTF_REFUSED, fault.message),
                    ImportFailure::Read(error) => (file::UNREADABLE, error.to_string()),
                    ImportFailure::Mismatch(mismatch) => (file::UNREADABLE, mismatch.to_string()),
                };
                out.findings.add(rule, Span::default(), || message);
            }
        }
        Some((index, out))
    };
    let found: Vec<(usize, MotionFindings)> = files.par_iter().filter_map(check).collect();
    for (index, out) in found {
        if let Some(file) = report.files.get_mut(index) {
            file.findings.extend(out.findings.finish(index));
            file.motion = out.reports;
        }
    }
}

/// Imports the model with a file's clips. Returns it with the index of the first of these.
fn import_clips(report: &Validation, file: usize, budget: &Budget) -> Result<(Arc<Model>, usize), ImportFailure> {
    let mesh = report.pairs.iter().find(|pair| pair.anim == file).map(|pair| pair.mesh);
    let options = ImportOptions::default();
    let job = ImportJob { reads_named_files: true, ..ImportJob::new(&options, budget) };
    let (mut loaded, mut inputs) = (Loaded::default(), Vec::new());
    for file in mesh.into_iter().chain([file]).filter_map(|file| report.files.get(file)) {
        let Kind::Format(importer) = file.kind else { continue };
        let bytes = report.sources.get(file.source).bytes.clone();
        let name = file.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        inputs.push(InputFile { source: loaded.sources.add(&file.path, bytes), importer, name });
    }
    let Some(first) = inputs.first() else { return Ok((loaded.model, 0)) };
    (first.importer.import)(&inputs, &job, &mut loaded)?;
    Ok((loaded.model, if mesh.is_some() { loaded.own_clips } else { 0 }))
}

/// Returns the location of a clip: the animation set with its name, else the first without a name.
fn location(sets: &[(Option<String>, Span)], clip: &str) -> Span {
    let named = sets.iter().find(|(name, _)| name.as_deref() == Some(clip));
    named.or_else(|| sets.iter().find(|(name, _)| name.is_none())).map_or(Span::default(), |&(_, span)| span)
}
