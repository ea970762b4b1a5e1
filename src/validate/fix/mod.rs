//! Repairs without guessing: the meaning of the file stays, its spelling changes.
//!
//! A repaired MD5 file is written from its document, in canonical order and spelling, with Doom 3's reading of every
//! number. A repaired .x file keeps its text except for the faulty words. Unknown values are not invented: they stay as
//! written, their findings stay, and the log says why. The repaired files are checked, and the repairs are reported by
//! comparing findings.

mod anim;
mod joints;
mod mesh;
mod unknown;
mod x;

use super::codes::{
    Code, Group, Rule, anim as anim_rules, file as file_rules, mesh as mesh_rules, shared, x as x_rules,
};
use super::finding::{Finding, Promise};
use super::profiles::{Effect, FormatFamily, PROFILES, Profile, follows};
use super::unit::{FileReport, Input, Validation};
use super::{Options, check};
use bindpose_core::budget::Budget;
use bindpose_core::diagnostic::Severity;
use bindpose_core::import::{Contents, Format};
use bindpose_core::write;
use bindpose_parsers::Span;
use bindpose_parsers::md5::{self, AnimFile, CameraFile, Int, MeshFile, Text, Warning, WarningKind};
use bindpose_vfs::{disk, member};
use memchr::memmem;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Component, Path, PathBuf};
use unknown::Numbers;

/// A repaired file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// Index into [`Validation::files`].
    pub file: usize,
    /// Path of the repaired file, once it is written.
    pub path: Option<PathBuf>,
    /// The new content.
    pub bytes: Vec<u8>,
    /// Repairs, each as a code and a sentence.
    pub done: Vec<String>,
}

/// Total size in bytes of files up to which repairs are tried before the user requests them.
const LARGEST_TRIED: usize = 16 << 20;

/// Marks the findings that [`fix`] removes where this needs no guess, and those that a conversion removes. Repairs
/// nothing.
pub fn mark_fixable(report: &mut Validation) {
    for file in &mut report.files {
        let is_sound = is_sound(file);
        for finding in &mut file.findings {
            finding.promise = match convertible_for(finding).filter(|_| is_sound) {
                Some(program) => Promise::Converted(program),
                None if finding.code.can_fix => Promise::WithoutGuess,
                None => Promise::None,
            };
        }
    }
}

/// Tries the repairs of [`fix`] and marks the findings that they remove, if `is_shown` is true for any that might be
/// one. Marks as [`mark_fixable`] does if the files have more than 16 MiB in total.
pub fn mark_tried(report: &mut Validation, options: &Options, is_shown: impl Fn(&Finding) -> bool) {
    let size: usize = (0..report.files.len()).map(|file| bytes_of(report, file).len()).sum();
    mark_fixable(report);
    let mut findings = report.files.iter().flat_map(|file| &file.findings);
    let is_due = findings.any(|finding| finding.promise == Promise::WithoutGuess && is_shown(finding));
    if size > LARGEST_TRIED || !is_due {
        return;
    }
    let options = Options { motion: None, ..options.clone() };
    let fixed = fix(report, &options).fixed;
    let after = recheck(report, &fixed, &options);
    for (file, before) in report.files.iter_mut().enumerate() {
        let after = after.files.get(file).filter(|_| fixed.iter().any(|fixed| fixed.file == file));
        for finding in before.findings.iter_mut().filter(|finding| finding.promise == Promise::WithoutGuess) {
            let is_removed = after.is_some_and(|after| after.findings.iter().all(|left| left.code != finding.code));
            finding.promise = if is_removed { Promise::Tried } else { Promise::None };
        }
    }
}

/// Rules about the boxes of a clip.
const BOXES: [Rule; 5] = [
    anim_rules::BLOCK_MISSING,
    anim_rules::BOUNDS_COUNT,
    anim_rules::BOUNDS_INVERTED,
    super::codes::pair::BOUNDS_SMALL,
    super::codes::pair::BOUNDS_LARGE,
];
/// Rules that no repair satisfies. If a finding of one disappears from a file, the repair has hidden a fault.
const NEVER_FIXED: [Rule; 9] = [
    shared::NOT_FINITE,
    x_rules::NOT_FINITE,
    shared::INTEGER_WRAPS,
    shared::RATE_ZERO,
    shared::PARENT_RANGE,
    mesh_rules::NO_WEIGHTS,
    anim_rules::BASEFRAME_COUNT,
    anim_rules::COMPONENT_RANGE,
    anim_rules::FRAME_MISSING,
];

/// Number of times that repaired files are checked again after others were given up.
const ROUNDS: usize = 3;

/// Result of repairing files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Repaired files.
    pub fixed: Vec<Fixed>,
    /// Files that are left unchanged: index into [`Validation::files`] and a reason as a phrase.
    pub given_up: BTreeMap<usize, String>,
    /// Reason why a finding with this code remains in a file, if a repair was tried.
    tried: HashMap<(usize, &'static str), String>,
}

impl Repairs {
    /// Returns the reason why a finding remains in a file, as a phrase, and the command that writes a file for a `.x`
    /// program that does not load it.
    pub fn why_left(&self, file: usize, known: &FileReport, finding: &Finding) -> String {
        let tried = self.tried.get(&(file, finding.code.id)).or_else(|| self.given_up.get(&file));
        let why = tried.map_or_else(|| why_never(finding.code), String::as_str);
        let Some(program) = convertible_for(finding).filter(|_| is_sound(known)) else { return why.to_owned() };
        let command = format!("convert --profile {} writes a file for it", program.name);
        if why == GUESS { command } else { format!("{why}; {command}") }
    }
}

/// Reason why a finding is not repaired if there is no better one.
const GUESS: &str = "fixing it would be a guess";

/// True if only single programs find an error in a file. A conversion would hide the others.
fn is_sound(known: &FileReport) -> bool {
    !known.findings.iter().any(|finding| !finding.by_engine && finding.code.severity == Severity::Error)
}

/// Rules of what `.x` programs do not show of a file, but of one that is written for them.
const SHOWN_CONVERTED: [Rule; 3] = [x_rules::ONE_TIMELINE, x_rules::FRAME_IGNORED, x_rules::FRAME_MATRIX_LOST];

/// Returns the `.x` program that has a finding, which it does not have in files that are written for it.
fn convertible_for(finding: &Finding) -> Option<&'static Profile> {
    let is_lost = SHOWN_CONVERTED.iter().any(|rule| rule.has(finding.code));
    let said = finding.said.iter().filter(|said| finding.by_engine && (is_lost || said.outcome.stops()));
    said.map(|said| said.profile).find(|program| finding.code.group == Group::X && follows(program, finding.code))
}

/// Returns the reason why a finding of a code is never repaired.
fn why_never(code: &Code) -> &'static str {
    let is = |rules: &[Rule]| rules.iter().any(|rule| rule.has(code));
    if is(&[shared::NOT_FINITE, shared::INTEGER_WRAPS, x_rules::NOT_FINITE]) {
        "the number that was meant is not in the file"
    } else if is(&[anim_rules::BASEFRAME_COUNT]) {
        "nobody knows which rows are missing or too much"
    } else if is(&[shared::UNQUOTED_NAME]) {
        "a name without its spaces would be another name"
    } else if is(&[x_rules::CLIPS_IGNORED]) {
        "the program plays no clips"
    } else if code.group == Group::Pair {
        "mesh and clip disagree, and nobody knows which of them is right"
    } else if matches!(code.group, Group::Texture | Group::File) || is(&[x_rules::CLIPS_BY_ASSIMP]) {
        "it is not in the file's text"
    } else {
        GUESS
    }
}

/// Log of a file's repair: what was done, and what remains.
pub(crate) struct Log {
    group: Group,
    done: Vec<(&'static Code, String)>,
    left: Vec<(&'static Code, String)>,
}

impl Log {
    fn new(group: Group) -> Self {
        Self { group, done: Vec::new(), left: Vec::new() }
    }

    /// Logs a repair.
    fn done(&mut self, rule: Rule, what: impl Into<String>) {
        self.done.push((rule.code(self.group), what.into()));
    }

    /// Logs why something was not repaired.
    fn left(&mut self, rule: Rule, why: impl Into<String>) {
        self.left.push((rule.code(self.group), why.into()));
    }
}

/// A repaired file before it is checked.
type Draft = (Fixed, Log);

fn draft(file: usize, bytes: Vec<u8>, log: Log) -> Draft {
    (Fixed { file, path: None, bytes, done: Vec::new() }, log)
}

/// Repairs the files of a report. Files without repairs are omitted.
///
/// The repaired files are checked in place of the old ones. A repair is discarded if the file cannot be read again, if
/// an engine's verdict gets worse, or if a fault disappears that was not repaired. Findings that a repaired fault had hidden
/// are repaired, too.
pub fn fix(report: &Validation, options: &Options) -> Repairs {
    let mut repairs = fix_found(report, options);
    for _ in 0..ROUNDS {
        let more = match &repairs.fixed[..] {
            [] => break,
            fixed => fix_found(&recheck(report, fixed, options), options),
        };
        if more.fixed.is_empty() {
            break;
        }
        repairs.tried.extend(more.tried);
        for new in more.fixed {
            match repairs.fixed.iter_mut().find(|old| old.file == new.file) {
                Some(old) => {
                    old.bytes = new.bytes;
                    old.done.extend(new.done);
                }
                None => repairs.fixed.push(new),
            }
        }
    }
    repairs
}

/// Repairs what a report has found.
fn fix_found(report: &Validation, options: &Options) -> Repairs {
    let mut given_up: BTreeMap<usize, String> = BTreeMap::new();
    // A discarded repair changes the findings of related files. If this does not converge, all repairs are discarded.
    for round in 0..=ROUNDS {
        let (drafts, unreadable) = draft_all(report, options, &given_up);
        given_up.extend(unreadable);
        if drafts.is_empty() {
            break;
        }
        let (drafted, logs): (Vec<Fixed>, Vec<Log>) = drafts.into_iter().unzip();
        let after = recheck(report, &drafted, options);
        let mut tried = HashMap::new();
        let mut fixed = Vec::new();
        let before = given_up.len();
        for (mut file, log) in drafted.into_iter().zip(logs) {
            file.done = done(report, &after, file.file, &log);
            tried.extend(log.left.into_iter().map(|(code, why)| ((file.file, code.id), why)));
            if file.done.is_empty() {
                continue;
            }
            match worse(report, &after, file.file, options) {
                Some(why) => drop(given_up.insert(file.file, why)),
                None if round == ROUNDS => drop(given_up.insert(file.file, "its repair depends on others".to_owned())),
                None => fixed.push(file),
            }
        }
        if given_up.len() == before {
            return Repairs { fixed, given_up, tried };
        }
    }
    Repairs { given_up, ..Repairs::default() }
}

/// Returns the repairs of a file: those in its log, and findings that have disappeared or have fewer positions.
fn done(before: &Validation, after: &Validation, file: usize, log: &Log) -> Vec<String> {
    let mut done: Vec<String> = Vec::new();
    for repairs in log.done.chunk_by(|one, next| one == next) {
        let Some((code, what)) = repairs.first() else { continue };
        let times = if repairs.len() > 1 { format!(" ({} times)", repairs.len()) } else { String::new() };
        done.push(format!("{}: {what}{times}", code.id));
    }
    let (Some(before), Some(after)) = (before.files.get(file), after.files.get(file)) else { return done };
    let places = |report: &FileReport, code: &Code| -> usize {
        report.findings.iter().filter(|finding| finding.code == code).map(|finding| finding.count).sum()
    };
    let mut told: Vec<&Code> = log.done.iter().map(|(code, _)| *code).collect();
    for finding in before.findings.iter().filter(|finding| !finding.by_engine) {
        let code = finding.code;
        let gone = places(before, code).saturating_sub(places(after, code));
        if gone == 0 || told.contains(&code) || code.group != log.group {
            continue;
        }
        told.push(code);
        let times = if places(before, code) > 1 {
            format!(" ({gone} of {} places)", places(before, code))
        } else {
            String::new()
        };
        done.push(format!("{}: {}{times}", code.id, finding.message));
    }
    done
}

/// Returns the reason why a repaired file is not better than the old one for the chosen engines.
fn worse(before: &Validation, after: &Validation, file: usize, options: &Options) -> Option<String> {
    let (before, after) = (before.files.get(file)?, after.files.get(file)?);
    let is_x = before.kind.format() == Some(Format::X);
    let places = |report: &FileReport, rule: &Rule| -> usize {
        let found = report.findings.iter().filter(|finding| rule.has(finding.code) && !finding.by_engine);
        found.map(|finding| finding.count).sum()
    };
    if let Some(hidden) = NEVER_FIXED.iter().find(|rule| places(after, rule) < places(before, rule)) {
        let code = hidden.codes().find(|code| before.findings.iter().any(|finding| finding.code == *code))?;
        return Some(format!("writing it again would hide {}", code.id));
    }
    let effect = |report: &FileReport, profile: &Profile| {
        let judgement = report.judgements.iter().find(|judgement| judgement.profile == profile)?;
        // A repair may make content visible that a program could not show before.
        let least = if is_x && profile.is_followed(FormatFamily::X) { Effect::Wrong } else { Effect::Fine };
        Some((judgement.effect.max(least), judgement.undefined))
    };
    let mut concerned = PROFILES.iter().filter(|profile| options.contains(profile));
    let engine = concerned.find(|profile| effect(after, profile) > effect(before, profile))?;
    Some(format!("{} would do worse with the repaired file", engine.name))
}

/// Reason why a file that cannot be read is not repaired.
const UNREADABLE: &str = "the file cannot be read to its end, and what was meant there is a guess";

/// A document, the words of its unknown numbers, and the parser's warnings.
struct Read<'a, T> {
    document: T,
    unknown: Vec<&'a [u8]>,
    warnings: Vec<Warning>,
}

/// Reads a document to repair. The error says why it cannot be written again without hiding something.
fn read<'a, T: Numbers>(
    bytes: &'a [u8],
    parsed: Result<md5::Parsed<T>, md5::Error>,
) -> Result<Read<'a, T>, &'static str> {
    let md5::Parsed { mut document, warnings } = parsed.map_err(|_| UNREADABLE)?;
    for warning in &warnings {
        let kind = match &warning.kind {
            WarningKind::Repeated { first, .. } => first.as_ref(),
            kind => kind,
        };
        match kind {
            WarningKind::FractionDropped { text, .. } if is_guessed(bytes, text, warning.span) => {
                return Err("an index is no whole number, and which was meant is not in the file");
            }
            WarningKind::IntegerWraps { .. } => {
                return Err("an integer does not fit, and which was meant is not in the file");
            }
            WarningKind::UnquotedText if memmem::find(bytes, "\u{201d}".as_bytes()).is_some() => {
                return Err("it has typographic quotes, which are part of the names that they enclose");
            }
            WarningKind::OtherMinus => {
                return Err("a minus sign is not the ASCII one, and engines read the number without it");
            }
            WarningKind::UnclosedComment => {
                return Err("a comment has no end, and the text that it hides would be lost");
            }
            WarningKind::Missing { keyword: "shader" } => {
                return Err("a mesh has no shader, and writing it again would hide that");
            }
            _ => {}
        }
    }
    let unknown = unknown::mark(bytes, &warnings, &mut document).ok_or("too many of its numbers are not known")?;
    Ok(Read { document, unknown, warnings })
}

/// True if a mesh has no count of vertices, triangles or weights, and none of them either.
fn lacks_list(read: &Read<MeshFile>) -> bool {
    let is_count = |warning: &Warning| {
        matches!(warning.kind, WarningKind::Missing { keyword: "numverts" | "numtris" | "numweights" })
    };
    let is_empty = |mesh: &md5::Mesh| mesh.verts.is_empty() || mesh.tris.is_empty() || mesh.weights.is_empty();
    read.warnings.iter().any(is_count) && read.document.meshes.iter().any(is_empty)
}

/// True for an index of a record that has a fraction, or that is in the place of the weight's bias: `1.0 3` for `3 1.0`.
fn is_guessed(bytes: &[u8], index: &str, span: Span) -> bool {
    let (before, after) = bytes.split_at_checked(span.end as usize).unwrap_or_default();
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii_start();
    let is_record = ["vert", "tri", "weight"].iter().any(|keyword| line.starts_with(keyword.as_bytes()));
    let next = after.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()).unwrap_or_default();
    let next = std::str::from_utf8(next).ok().and_then(|next| next.parse::<u32>().ok());
    let is_bias = line.starts_with(b"weight") && next.is_some_and(|next| next > 1);
    is_record && (index.parse::<f64>().is_ok_and(|value| value.fract() != 0.0) || is_bias)
}

/// Repairs all files except those given up. Returns the reasons for further ones that are given up.
fn draft_all(
    report: &Validation,
    options: &Options,
    given_up: &BTreeMap<usize, String>,
) -> (Vec<Draft>, BTreeMap<usize, String>) {
    let budget = Budget::new(options.memory);
    report.files.iter().for_each(|file| budget.add_input(report.sources.get(file.source).bytes.len()));
    let mut drafts = Vec::new();
    let mut unreadable = BTreeMap::new();
    let mut meshes: BTreeMap<usize, MeshFile> = BTreeMap::new();
    let format_of = |file: &usize| report.files.get(*file).and_then(|known| known.kind.format());
    // Boxes are computed from the meshes as they are written.
    for file in (0..report.files.len()).filter(|file| format_of(file) == Some(Format::Md5(Contents::Model))) {
        let bytes = bytes_of(report, file);
        let is_swapped = |finding: &Finding| finding.subject == Some("joint");
        if report.files.get(file).is_some_and(|known| known.findings.iter().any(is_swapped)) {
            unreadable.insert(file, "a weight's joint and bias seem to be swapped".to_owned());
            continue;
        }
        match read(bytes, md5::parse_mesh(bytes)) {
            Ok(read) if lacks_list(&read) => {
                drop(unreadable.insert(file, "a list is missing, and writing it again would hide that".to_owned()));
            }
            Ok(mut read) => {
                if !given_up.contains_key(&file) {
                    let clips = report.pairs.iter().filter(|pair| pair.mesh == file);
                    let clips: Vec<AnimFile> = clips
                        .filter_map(|pair| Some(md5::parse_anim(bytes_of(report, pair.anim)).ok()?.document))
                        .collect();
                    let mut log = Log::new(Group::Mesh);
                    mesh::repair(&mut read.document, &clips, &budget, &mut log);
                    match written(&mut read, |file, out| md5::write_mesh(file, out)) {
                        Ok(bytes) => drafts.push(draft(file, bytes, log)),
                        Err(why) => drop(unreadable.insert(file, why)),
                    }
                }
                meshes.insert(file, read.document);
            }
            Err(why) => drop(unreadable.insert(file, why.to_owned())),
        }
    }
    for file in (0..report.files.len()).filter(|file| !given_up.contains_key(file)) {
        let Some(known) = report.files.get(file) else { continue };
        let bytes = bytes_of(report, file);
        let drafted = match known.kind.format() {
            Some(Format::Md5(Contents::Clip)) => draft_anim(report, file, bytes, &mut meshes, &budget),
            Some(Format::Md5(Contents::Camera)) => draft_camera(file, bytes),
            Some(Format::X) => x::repair(known, bytes, options).map(|(bytes, log)| draft(file, bytes, log)),
            Some(Format::Md5(Contents::Model) | Format::Gltf | Format::Vertices) | None => continue,
        };
        match drafted {
            Ok(draft) => drafts.push(draft),
            Err(why) => drop(unreadable.insert(file, why)),
        }
    }
    drafts.sort_by_key(|(draft, _)| draft.file);
    (drafts, unreadable)
}

fn bytes_of(report: &Validation, file: usize) -> &[u8] {
    report.files.get(file).map_or(&[], |known| &report.sources.get(known.source).bytes)
}

/// Returns the text of a document, with its unknown numbers as they were.
fn written<T: Numbers>(
    read: &mut Read<T>,
    write: impl FnOnce(&T, &mut Vec<u8>) -> io::Result<()>,
) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    write(&read.document, &mut out).map_err(|error| error.to_string())?;
    Ok(unknown::put_back(out, &read.unknown, &mut read.document))
}

fn draft_anim(
    report: &Validation,
    file: usize,
    bytes: &[u8],
    meshes: &mut BTreeMap<usize, MeshFile>,
    budget: &Budget,
) -> Result<Draft, String> {
    let mut read = read(bytes, md5::parse_anim(bytes))?;
    let findings = report.files.get(file).map_or(&[][..], |known| &known.findings);
    let is_missing = |wanted: &str| {
        read.warnings
            .iter()
            .any(|warning| matches!(warning.kind, WarningKind::Missing { keyword } if keyword == wanted))
    };
    let (no_rate, no_bounds, no_baseframe) = (is_missing("frameRate"), is_missing("bounds"), is_missing("baseframe"));
    // Base frame rows are kept as written if there is not one for each joint.
    let odd_baseframe = read.warnings.iter().find_map(|warning| match warning.kind {
        WarningKind::ShortBaseframe { .. } | WarningKind::LongBaseframe { .. } => Some(warning.span),
        _ => None,
    });
    let partners = report.pairs.iter().filter(|pair| pair.anim == file);
    let mut partners: Vec<MeshFile> = partners.filter_map(|pair| meshes.get(&pair.mesh).cloned()).collect();
    let mut log = Log::new(Group::Anim);
    let mut boxes: Vec<Rule> = BOXES.to_vec();
    // If a frame is wrong, a box computed from it would hide that.
    let is_of_frame = |finding: &Finding| [Some("frame"), Some("joint")].contains(&finding.subject);
    boxes.retain(|rule| findings.iter().any(|finding| rule.has(finding.code)) && !findings.iter().any(is_of_frame));
    let needs = anim::Needs { meshes: &mut partners, boxes, has_baseframe: !no_baseframe && odd_baseframe.is_none() };
    anim::repair(&mut read.document, needs, budget, &mut log);
    let mut out = written(&mut read, |file, out| md5::write_anim(file, out))?;
    if no_rate {
        remove_line(&mut out, b"frameRate ");
    }
    if no_bounds && read.document.bounds.is_empty() {
        replace_block(&mut out, b"bounds {", b"");
    }
    if no_baseframe {
        replace_block(&mut out, b"baseframe {", b"");
    } else if let Some(span) = odd_baseframe {
        replace_block(&mut out, b"baseframe {", bytes.get(span.range()).unwrap_or_default());
    }
    Ok(draft(file, out, log))
}

fn draft_camera(file: usize, bytes: &[u8]) -> Result<Draft, String> {
    let mut read: Read<CameraFile> = read(bytes, md5::parse_camera(bytes))?;
    let missing_rate = WarningKind::Missing { keyword: "frameRate" };
    let no_rate = read.warnings.iter().any(|warning| warning.kind == missing_rate);
    let mut log = Log::new(Group::Camera);
    let camera = &mut read.document;
    header(&mut camera.version, &mut camera.command_line, &mut log);
    count_up(&mut camera.num_frames, "numFrames", camera.frames.len(), shared::BLOCK_COUNT, &mut log);
    count_up(&mut camera.num_cuts, "numCuts", camera.cuts.len(), super::codes::camera::CAMERA_CUT, &mut log);
    let mut out = written(&mut read, |file, out| md5::write_camera(file, out))?;
    if no_rate {
        remove_line(&mut out, b"frameRate ");
    }
    Ok(draft(file, out, log))
}

/// Returns the start of the line that begins with `keyword`.
fn line_with(text: &[u8], keyword: &[u8]) -> Option<usize> {
    let starts =
        std::iter::once(0).chain(text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1));
    starts.into_iter().find(|&start| text.get(start..).is_some_and(|line| line.starts_with(keyword)))
}

/// Removes a line that the writer invented.
fn remove_line(text: &mut Vec<u8>, keyword: &[u8]) {
    let Some(start) = line_with(text, keyword) else { return };
    let length = text.iter().skip(start).position(|&byte| byte == b'\n').map_or(text.len() - start, |end| end + 1);
    text.drain(start..start + length);
}

/// Replaces a block, from its keyword to its closing brace.
fn replace_block(text: &mut Vec<u8>, keyword: &[u8], with: &[u8]) {
    let Some(start) = line_with(text, keyword) else { return };
    let Some(length) = text.iter().skip(start).position(|&byte| byte == b'}') else { return };
    text.splice(start..=start + length, with.iter().copied());
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
    let mut after = check(inputs.collect(), options);
    // There are no bytes of unreadable files to check again.
    let unreadable = [file_rules::UNREADABLE, file_rules::TOO_LONG];
    for (now, known) in after.files.iter_mut().zip(&report.files) {
        if known.findings.iter().any(|finding| unreadable.iter().any(|rule| rule.has(finding.code))) {
            now.kind = known.kind;
            now.findings.clone_from(&known.findings);
            now.judgements.clone_from(&known.judgements);
        }
    }
    after
}

/// Sets version and command line as every engine requires them.
fn header(version: &mut Option<Int>, command_line: &mut Option<Text>, log: &mut Log) {
    match version {
        Some(known) if known.value == 10 => {}
        // Another number with the same layout: the document was read as version 10.
        _ => {
            log.done(shared::VERSION, "MD5Version is 10 now, as the layout says");
            *version = Some(Int { value: 10, span: Span::default() });
        }
    }
    let too_long = command_line.as_ref().is_some_and(|text| text.bytes.len() > LONGEST_COMMAND_LINE);
    let unwritable = command_line.as_ref().is_some_and(|text| text.bytes.iter().any(|byte| b"\"\r\n".contains(byte)));
    if too_long || unwritable {
        let rule = if too_long { shared::LONG_STRING } else { shared::COMMANDLINE_VALUE };
        log.done(rule, "the command line is empty now");
    }
    if too_long || unwritable || command_line.is_none() {
        *command_line = Some(Text { bytes: Cow::Borrowed(b""), span: Span::default() });
    }
}

/// Longest command line that fits the smallest token buffer.
const LONGEST_COMMAND_LINE: usize = 1023;

/// Raises a count to the number of items found. Returns true if all declared items are present.
///
/// A count that is too large stays, because items may be missing.
fn count_up(count: &mut Int, keyword: &str, found: usize, rule: Rule, log: &mut Log) -> bool {
    let (said, found) = (count.value, found as i64);
    if said > found {
        log.left(rule, format!("{keyword} says {said}, and {found} follow: what is missing is not in the file"));
        return false;
    }
    if said < found {
        log.done(rule, format!("{keyword} is {found} now, as many as follow; it said {said}"));
        count.value = found;
    }
    true
}

/// Returns the target of a file in `folder`: its path below one of `roots`, its name in an archive, or its bare name.
/// Never outside of `folder`: paths with `..` are not used. Returns `None` for a path without a name.
fn target(folder: &Path, path: &Path, roots: &[PathBuf]) -> Option<PathBuf> {
    let stays = |below: &&Path| below.components().all(|part| matches!(part, Component::Normal(_)));
    let below = roots.iter().filter(|root| disk::is_dir(root)).filter_map(|root| path.strip_prefix(root).ok());
    // Loose files of a game override those in its archives.
    let member = member::split(path).map(|(_, name)| Path::new(name));
    let below = member.into_iter().chain(below).filter(stays).find(|below| below.file_name().is_some());
    Some(folder.join(below.or_else(|| member.unwrap_or(path).file_name().map(Path::new))?))
}

/// Writes a repaired file to a folder, completely or not at all. Returns its path.
///
/// `roots` are the folders named by the user: files below them keep their relative paths.
///
/// # Errors
/// `AlreadyExists` if there is a file of that name, old or new; `InvalidInput` for a path without a file name, or a link
/// that leads out of the folder; other errors of the system.
pub fn write(folder: &Path, path: &Path, roots: &[PathBuf], bytes: &[u8]) -> io::Result<PathBuf> {
    let Some(target) = target(folder, path, roots) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name"));
    };
    write::check_below(&target, folder)?;
    match write::create(&target, |file| file.write_all(bytes)) {
        Ok(_) => Ok(target),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(io::Error::new(error.kind(), format!("{} is there already", target.display())))
        }
        Err(error) => Err(error),
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
        let root = tempfile::tempdir().unwrap();
        let pak = root.path().join("a.pk4");
        std::fs::write(&pak, "").unwrap();
        let inside = |name: &str| at(member::join(&pak, name).to_str().unwrap(), root.path().to_str().unwrap());
        assert_eq!(inside("models/a.md5mesh"), Some("out/models/a.md5mesh".into()));
        assert_eq!(inside("../../a.md5mesh"), Some("out/a.md5mesh".into()));
    }
}
