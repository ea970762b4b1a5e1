//! Repairs that need no guessing: what the file says stays, how it says it changes.
//!
//! A repaired file is written anew from its document: canonical order and spelling, Doom 3's reading of every
//! number. What is at fault beyond that (an index that names nothing, a rate of 0) is left as it is.

mod anim;
mod joints;
mod mesh;

use super::codes::{self, Rule, anim as anim_rules, mesh as mesh_rules, pair, shared};
use super::profiles::{PROFILES, Profile};
use super::unit::{FileReport, Input, Kind, Validation};
use super::{Options, check};
use bindpose_core::budget::Budget;
use bindpose_parsers::Span;
use bindpose_parsers::md5::{self, AnimFile, Int, MeshFile, Text};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::path::{Component, Path, PathBuf};

/// A repaired file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// Index into [`Validation::files`].
    pub file: usize,
    /// Where it is, once it is written.
    pub path: Option<PathBuf>,
    /// The new content.
    pub bytes: Vec<u8>,
    /// What was done, one sentence each.
    pub done: Vec<String>,
}

/// What writing a file anew mends: spelling, order and counts.
const BY_WRITING: [Rule; 22] = [
    shared::COMMANDLINE_MISSING,
    shared::COMMANDLINE_VALUE,
    shared::KEYWORD_ORDER,
    shared::GLUED,
    shared::LINE_BREAK,
    shared::LEADING_ZERO,
    shared::COMMENT,
    shared::UNQUOTED_NAME,
    shared::NUMBER_SPELLING,
    shared::LONG_LINE,
    shared::CHARACTER,
    shared::NOT_ASCII,
    shared::CR_ONLY,
    shared::KEYWORD_SPELLING,
    shared::JOINED_STRINGS,
    shared::OTHER_BASE,
    shared::FRACTION_DROPPED,
    shared::REPEATED_LINE,
    shared::TRAILING_TEXT,
    shared::BLOCK_COUNT,
    mesh_rules::RECORD_COUNT,
    anim_rules::FRAME_MISSING,
];
/// What boxes computed anew mend.
const BOXES: [Rule; 5] = [
    anim_rules::BLOCK_MISSING,
    anim_rules::BOUNDS_COUNT,
    anim_rules::BOUNDS_INVERTED,
    pair::BOUNDS_SMALL,
    pair::BOUNDS_LARGE,
];

/// How often repaired files are checked again after others went back.
const ROUNDS: usize = 3;

/// What came of repairing files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repairs {
    /// What is better than it was.
    pub fixed: Vec<Fixed>,
    /// Files that are left as they are because an engine would take the repaired one worse: the index into
    /// [`Validation::files`], and the engine.
    pub given_up: Vec<(usize, &'static Profile)>,
}

/// Repairs the files of a report; files without repairs are left out.
///
/// The repaired files are checked in the place of the old ones: nothing is kept that cannot be read again, or that an
/// engine takes worse than the old file.
pub fn fix(report: &Validation, options: &Options) -> Repairs {
    let mut fixed = repair_all(report, options);
    let mut given_up = Vec::new();
    // A file that goes back changes what is found in its partners; where that takes no end, all go back.
    for round in 0..=ROUNDS {
        let after = recheck(report, &fixed, options);
        let worse: HashMap<usize, &'static Profile> =
            fixed.iter().filter_map(|fixed| Some((fixed.file, worse_for(report, &after, fixed.file)?))).collect();
        let Some(&engine) = worse.values().next() else { break };
        let (kept, back): (Vec<Fixed>, Vec<Fixed>) =
            fixed.into_iter().partition(|fixed| round < ROUNDS && !worse.contains_key(&fixed.file));
        fixed = kept;
        given_up.extend(back.iter().map(|back| (back.file, worse.get(&back.file).copied().unwrap_or(engine))));
    }
    Repairs { fixed, given_up }
}

/// The first engine that does worse with a file than before.
fn worse_for(before: &Validation, after: &Validation, file: usize) -> Option<&'static Profile> {
    let (before, after) = (before.files.get(file)?, after.files.get(file)?);
    let effect = |report: &FileReport, profile: &Profile| {
        let judgement = report.judgements.iter().find(|judgement| judgement.profile == profile);
        judgement.map(|judgement| (judgement.effect, judgement.undefined))
    };
    PROFILES.iter().find(|profile| effect(after, profile) > effect(before, profile))
}

fn repair_all(report: &Validation, options: &Options) -> Vec<Fixed> {
    let budget = Budget::new(options.memory);
    report.files.iter().for_each(|file| budget.add_input(report.sources.get(file.source).bytes.len()));
    let mut fixed = Vec::new();
    for (file, known) in report.files.iter().enumerate() {
        let bytes = &report.sources.get(known.source).bytes;
        let mut done = Vec::new();
        for finding in &known.findings {
            if BY_WRITING.iter().any(|rule| rule.has(finding.code)) {
                let times = if finding.count > 1 { format!(" ({} places)", finding.count) } else { String::new() };
                done.push(format!("{}: {}{times}", finding.code.id, finding.message));
            }
        }
        let mut out = Vec::new();
        let written = match known.kind {
            Kind::Md5Mesh => md5::parse_mesh(bytes).ok().map(|parsed| {
                let mut document = parsed.document;
                mesh::repair(&mut document, &budget, &mut done);
                md5::write_mesh(&document, &mut out)
            }),
            Kind::Md5Anim => md5::parse_anim(bytes).ok().map(|parsed| {
                let mut document = parsed.document;
                let mesh_bytes = partner(report, file).map(|mesh| &report.sources.get(mesh).bytes);
                let mesh = mesh_bytes.and_then(|bytes| md5::parse_mesh(bytes).ok()).map(|parsed| parsed.document);
                let wrong_boxes = known.findings.iter().any(|finding| BOXES.iter().any(|rule| rule.has(finding.code)));
                anim::repair(&mut document, mesh.as_ref().filter(|_| wrong_boxes), &budget, &mut done);
                md5::write_anim(&document, &mut out)
            }),
            Kind::Md5Camera => md5::parse_camera(bytes).ok().map(|parsed| {
                let mut document = parsed.document;
                header(&mut document.version, &mut document.command_line, &mut done);
                document.num_frames.value = document.frames.len() as i64;
                document.num_cuts.value = document.cuts.len() as i64;
                md5::write_camera(&document, &mut out)
            }),
            Kind::X | Kind::Unknown => None,
        };
        // A text that cannot be written, with a quote in it, stays as it is.
        if matches!(written, Some(Ok(()))) && !done.is_empty() {
            fixed.push(Fixed { file, path: None, bytes: out, done });
        }
    }
    fixed
}

/// The source of the mesh that a clip was compared with.
fn partner(report: &Validation, anim: usize) -> Option<bindpose_core::diagnostic::SourceId> {
    let pair = report.pairs.iter().find(|pair| pair.anim == anim)?;
    report.files.get(pair.mesh).map(|mesh| mesh.source)
}

/// Checks the repaired files together with those that needed no repair.
pub fn recheck(report: &Validation, fixed: &[Fixed], options: &Options) -> Validation {
    let inputs =
        report.files.iter().enumerate().map(|(file, known)| match fixed.iter().find(|fixed| fixed.file == file) {
            Some(fixed) => {
                Input { path: fixed.path.clone().unwrap_or_else(|| known.path.clone()), bytes: Ok(fixed.bytes.clone()) }
            }
            None => Input { path: known.path.clone(), bytes: Ok(report.sources.get(known.source).bytes.clone()) },
        });
    let mut checked = check(inputs.collect(), options);
    for (file, before) in checked.files.iter_mut().zip(&report.files) {
        // There are no bytes to check again.
        if before.findings.iter().any(|finding| codes::file::UNREADABLE.has(finding.code)) {
            file.findings.clone_from(&before.findings);
        }
    }
    checked
}

/// Version and command line as every engine wants them.
fn header(version: &mut Option<Int>, command_line: &mut Option<Text>, done: &mut Vec<String>) {
    match version {
        Some(known) if known.value == 10 => {}
        // Another number with the same layout: the document was read as version 10.
        _ => {
            done.push("MD5Version is 10 now, as the layout says".to_owned());
            *version = Some(Int { value: 10, span: Span::default() });
        }
    }
    let too_long = command_line.as_ref().is_some_and(|text| text.bytes.len() > LONGEST_COMMAND_LINE);
    let unwritable = command_line.as_ref().is_some_and(|text| text.bytes.iter().any(|byte| b"\"\r\n".contains(byte)));
    if too_long || unwritable {
        done.push("the command line is empty now".to_owned());
    }
    if too_long || unwritable || command_line.is_none() {
        *command_line = Some(Text { bytes: Cow::Borrowed(b""), span: Span::default() });
    }
}

/// What the smallest token buffer holds.
const LONGEST_COMMAND_LINE: usize = 1023;

/// Sets a count to what is there.
fn count(count: &mut Int, found: usize) {
    count.value = found as i64;
}

/// Where a file goes: its path below one of `roots`, or its name. Never outside of `folder`: `..` in a path leads
/// nowhere here. `None` for a path without a name.
fn target(folder: &Path, path: &Path, roots: &[PathBuf]) -> Option<PathBuf> {
    let stays = |below: &&Path| below.components().all(|part| matches!(part, Component::Normal(_)));
    let below = roots.iter().filter(|root| root.is_dir()).filter_map(|root| path.strip_prefix(root).ok());
    let below = below.filter(stays).find(|below| below.file_name().is_some());
    Some(folder.join(below.or_else(|| path.file_name().map(Path::new))?))
}

/// Writes a repaired file into a folder, in one piece; gives its path.
///
/// `roots` are the folders that the user named: what lies below one keeps its place.
///
/// # Errors
/// `AlreadyExists` where there is a file of that name, old or new; `InvalidInput` for a path without a file name; others
/// of the system.
pub fn write(folder: &Path, path: &Path, roots: &[PathBuf], bytes: &[u8]) -> io::Result<PathBuf> {
    let Some(target) = target(folder, path, roots) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name"));
    };
    match bindpose_core::write::create(&target, |file| file.write_all(bytes)) {
        Ok(_) => Ok(target),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(io::Error::new(error.kind(), format!("{} is there already", target.display())))
        }
        Err(error) => Err(error),
    }
}

/// What both kinds of files with joints need: parents and an order to put them in.
trait Joints {
    fn parents(&self) -> Vec<i64>;
}

impl Joints for MeshFile<'_> {
    fn parents(&self) -> Vec<i64> {
        self.joints.iter().map(|joint| joint.parent.value).collect()
    }
}

impl Joints for AnimFile<'_> {
    fn parents(&self) -> Vec<i64> {
        self.hierarchy.iter().map(|channel| channel.parent.value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repaired_files_stay_in_their_folder() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let at = |path: &str, root: &str| target(Path::new("out"), Path::new(path), &[PathBuf::from(root)]);
        let below = |path: &str| at(here.join(path).to_str().unwrap(), here.to_str().unwrap());
        assert_eq!(below("fix/mod.rs"), Some("out/fix/mod.rs".into()));
        assert_eq!(below("fix/../../../a.md5mesh"), Some("out/a.md5mesh".into()));
        assert_eq!(below("../a.md5mesh"), Some("out/a.md5mesh".into()));
        assert_eq!(at("/etc/a.md5mesh", "nowhere"), Some("out/a.md5mesh".into()));
        assert_eq!(at("a/..", "nowhere"), None);
    }
}
