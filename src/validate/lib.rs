//! Validation of MD5 and `.x` files, and verdicts of the engines that load them.
//!
//! ```
//! # mod bindpose { pub use bindpose_validate as validate; }
//! use bindpose::validate;
//!
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/md5");
//! # let files = ["cylinder.md5mesh", "cylinder_bend.md5anim"].map(|name| format!("{folder}/{name}"));
//! let checked = validate::paths(&files, "doom3,vkquake")?; // files, folders, archives, patterns
//! for found in checked.findings() {
//!     println!("{found}"); // body.md5mesh:14:2: error[MD5M014]: …
//! }
//! assert_eq!(checked.summary().at_fault, 0);
//! # Ok::<(), validate::PathsError>(())
//! ```
//!
//! [`check`] checks bytes instead of paths.

#![forbid(unsafe_code)]

mod c;
mod checked;
mod checks;
pub mod codes;
mod contract;
mod decls;
#[doc(hidden)]
pub mod docs;
#[doc(hidden)]
pub mod doom3;
#[doc(hidden)]
pub mod draw;

mod equal;
pub mod finding;
pub mod fix;
mod follow;
pub mod inputs;
mod judge;
#[doc(hidden)]
pub mod loaders;

mod md5;
mod motion;
mod neighbours;
mod own_loader;
mod pairs;
mod paths;
pub mod profiles;
#[doc(hidden)]
pub mod quake;
pub mod report;
mod taint;
mod unit;
mod verdict;
mod x;
#[doc(hidden)]
pub mod x_loaders;

pub use contract::{Contract, ContractError, Thresholds};
pub use equal::EqualFiles;
pub use motion::{MotionCurve, MotionReport};
pub use own_loader::{leaves_out, loads, reads_x};
pub use paths::{LocatedFinding, PathsError, PathsReport, paths};
pub use verdict::{EngineFault, File, Outcome, Verdict};

pub use unit::{EffectSource, FileReport, Input, Judgement, Kind, PairReport, Validation};

use bindpose_core::budget::{Budget, MemoryLimit};
use bindpose_core::engines::{EngineId, Profile};
use bindpose_core::game::Decls;
use bindpose_core::image_search::ImageFinder;
use bindpose_core::import::{Contents, Format};
use bindpose_core::read::ReadError;
use bindpose_parsers::Span;
use bindpose_parsers::x::Fault;
use finding::Findings;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Settings of a check.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// True if the user named these files together: a single mesh is then paired with every clip, regardless of names.
    pub together: bool,
    /// Memory that checking may use. A finding reports checks that would need more.
    pub memory: MemoryLimit,
    /// Thresholds for the motion of clips. `None` disables the checks of motion.
    pub motion: Option<Arc<Contract>>,
    /// Engines chosen by the user; empty for all. Only their loaders are followed and only they judge files.
    pub profiles: Vec<&'static Profile>,
    /// Listings of folders. Checks that share them list each folder once.
    pub folders: Arc<ImageFinder>,
}

impl Options {
    /// True if an engine judges files.
    fn contains(&self, profile: &Profile) -> bool {
        self.profiles.is_empty() || self.profiles.contains(&profile)
    }
}

/// Checks files that belong together: those of a folder, or those named by a user.
///
/// Meshes and clips are paired, and each followed loader loads every pair. Reports contain all findings. A
/// [`Selection`](report::Selection) assigns severities.
pub fn check(inputs: Vec<Input>, options: &Options) -> Validation {
    check_in(inputs, options, None)
}

/// Checks files as [`check`] does, and also looks up their names in the decls of their game.
pub fn check_in(inputs: Vec<Input>, options: &Options, game: Option<&Decls>) -> Validation {
    let files = game.map(|game| &**game.game());
    let game = game.filter(|game| !game.is_empty());
    let budget = Budget::new(options.memory);
    let Opened { mut report, unreadable, heads } = open(inputs, options.memory, &budget);
    check_md5(&mut report, &checked::CheckContext { options, images: &options.folders, files, game }, &budget);
    let sets = check_x(&mut report, &heads, options);
    if let Some(contract) = &options.motion {
        motion::check_models(&mut report, &sets, contract, &budget);
    }
    check_decls(&mut report, game, options, &budget);
    for file in report.files.iter_mut().filter(|file| file.kind == Kind::Archive) {
        file.findings = decls::check_archive(&file.path, files);
    }
    for (file, error) in report.files.iter_mut().zip(unreadable) {
        check_file(file, error, options.motion.is_some());
        if let Some(game) = files.filter(|_| file.kind != Kind::Archive) {
            file.findings.extend(decls::hidden(&file.path, game));
        }
    }
    report
}

/// Files before they are checked.
struct Opened {
    report: Validation,
    /// For each file, the error if it could not be read.
    unreadable: Vec<Option<ReadError>>,
    /// For each file, the header if it is a `.x` file.
    heads: Vec<Option<Result<x::Head, (Fault, Span)>>>,
}

/// Adds files to a report and determines their kinds. Decompresses `.x` files.
fn open(inputs: Vec<Input>, memory: MemoryLimit, budget: &Budget) -> Opened {
    let mut opened = Opened { report: Validation::default(), unreadable: Vec::new(), heads: Vec::new() };
    for Input { path, bytes } in inputs {
        let (bytes, error) = match bytes {
            Ok(bytes) if u32::try_from(bytes.len()).is_ok() => (bytes, None),
            Ok(bytes) => {
                let (size, limit) = (bytes.len() as u64, u32::MAX.into());
                (Vec::new(), Some(ReadError::TooLarge { path: path.clone(), size, limit }))
            }
            Err(error) => (Vec::new(), Some(error)),
        };
        budget.add_input(bytes.len());
        let kind = if error.is_some() { Kind::Unknown } else { Kind::of(&path, &bytes) };
        let (bytes, head) = match kind.format() {
            Some(Format::X) => {
                let unpacked = x::open(bytes, memory);
                (unpacked.bytes, Some(unpacked.head))
            }
            Some(Format::Md5(_) | Format::Gltf | Format::Vertices) | None => (bytes, None),
        };
        let is_unpacked = head.as_ref().is_some_and(|head| head.as_ref().is_ok_and(x::Head::is_unpacked));
        let source = opened.report.sources.add(path.clone(), bytes);
        opened.report.files.push(FileReport {
            path,
            kind,
            source,
            is_unpacked,
            findings: Vec::new(),
            motion: Vec::new(),
            mesh_refused_by: Vec::new(),
            judgements: Vec::new(),
        });
        opened.unreadable.push(error);
        opened.heads.push(head);
    }
    opened
}

/// Checks MD5 files.
fn check_md5(report: &mut Validation, around: &checked::CheckContext, budget: &Budget) {
    let files = report.files.iter().enumerate().filter_map(|(file, known)| {
        let Some(Format::Md5(kind)) = known.kind.format() else { return None };
        Some(checked::Bytes { file, path: &known.path, kind, bytes: &report.sources.get(known.source).bytes })
    });
    let (outcomes, pairs) = md5::check(&files.collect::<Vec<_>>(), around, budget);
    report.pairs = pairs;
    for outcome in outcomes {
        if let Some(file) = report.files.get_mut(outcome.file) {
            file.findings = outcome.findings;
            file.motion = outcome.motion;
            file.judgements = outcome.judgements;
        }
    }
    mark_refused_meshes(report);
}

/// Records at each clip the engines that refuse all meshes with which it was compared.
fn mark_refused_meshes(report: &mut Validation) {
    let mut refused: BTreeMap<usize, Vec<EngineId>> = BTreeMap::new();
    for pair in &report.pairs {
        let judgements = report.files.get(pair.mesh).map_or(&[][..], |mesh| &mesh.judgements);
        let by: Vec<EngineId> = judgements
            .iter()
            .filter(|judgement| judgement.effect > profiles::Effect::Wrong)
            .map(|judgement| judgement.profile.id)
            .collect();
        refused.entry(pair.anim).and_modify(|known| known.retain(|id| by.contains(id))).or_insert(by);
    }
    for (anim, by) in refused {
        if let Some(file) = report.files.get_mut(anim) {
            file.mesh_refused_by = by;
        }
    }
}

/// Checks decl files, and clips that decls might name.
fn check_decls(report: &mut Validation, game: Option<&Decls>, options: &Options, budget: &Budget) {
    let sources = &report.sources;
    let around = decls::DeclContext::new(game, &options.folders);
    report.files.par_iter_mut().for_each(|file| {
        if let Some(folder) = decls::folder_kind(&file.path).filter(|_| file.kind == Kind::Decl) {
            let bytes = &sources.get(file.source).bytes;
            file.findings = decls::check(&file.path, bytes, folder, &around, budget);
            let reads = |profile: &&Profile| profile.reads(profiles::FormatFamily::Decl) && options.contains(profile);
            let readers = profiles::PROFILES.iter().filter(reads);
            let path = file.path.display().to_string();
            file.judgements = readers.map(|profile| Judgement::new(profile, &path, None, &file.findings)).collect();
        }
        if let (Some(Format::Md5(Contents::Clip)), Some(game)) = (file.kind.format(), game) {
            file.findings.extend(decls::check_anim(&file.path, game));
        }
    });
}

/// Checks the .x files, those of clips together with the model that they move. Returns the animation sets of each file.
fn check_x(
    report: &mut Validation,
    heads: &[Option<Result<x::Head, (Fault, Span)>>],
    options: &Options,
) -> Vec<motion::Sets> {
    let opened = report.files.iter().zip(heads).enumerate();
    let opened = opened.filter_map(|(file, (known, head))| Some((file, known, head.as_ref()?)));
    let inputs: Vec<_> = opened
        .map(|(file, FileReport { path, source, .. }, head)| x::XInput {
            file,
            path,
            bytes: &report.sources.get(*source).bytes,
            head,
        })
        .collect();
    let (findings, names): (Vec<Findings>, Vec<x::Names>) =
        inputs.par_iter().map(|input| x::read(input, &options.folders)).unzip();
    let models = x::models_of(&names);
    let finish = |(((input, findings), own), model): (((&x::XInput, _), _), &Option<usize>)| {
        let model = model.and_then(|at| Some(x::Model { path: inputs.get(at)?.path, names: names.get(at)? }));
        x::finish(input, findings, own, model, options)
    };
    let checked: Vec<_> = inputs.par_iter().zip(findings).zip(&names).zip(&models).map(finish).collect();
    let files: Vec<usize> = inputs.iter().map(|input| input.file).collect();
    let pair = |(&anim, model): (&usize, &Option<usize>)| Some(PairReport { mesh: *files.get((*model)?)?, anim });
    report.pairs.extend(files.iter().zip(&models).filter_map(pair));
    let mut sets = vec![motion::Sets::new(); report.files.len()];
    for ((at, names), (findings, judgements)) in files.into_iter().zip(names).zip(checked) {
        if let Some((file, sets)) = report.files.get_mut(at).zip(sets.get_mut(at)) {
            (file.findings, file.judgements, *sets) = (findings, judgements, names.sets);
        }
    }
    sets
}

/// Returns the advice for a file that the system has read.
fn remedy(error: &ReadError) -> Option<&'static str> {
    match error {
        ReadError::Memory { .. } => Some("raise the limit with `--max-memory`, or check fewer files at once"),
        ReadError::Archive { .. } => Some("pack the archive again, or get it again"),
        _ => None,
    }
}

/// Checks a file in general, apart from its content.
fn check_file(file: &mut FileReport, error: Option<ReadError>, has_motion: bool) {
    let mut findings = Findings::new(codes::Group::File);
    let start = Span::new(0, 0);
    match (error, file.kind) {
        (Some(error), _) => {
            let too_large = matches!(error, ReadError::TooLarge { .. });
            let rule = if too_large { codes::file::TOO_LONG } else { codes::file::UNREADABLE };
            let added = findings.add(rule, start, || format!("the file cannot be read: {}", error.reason()));
            if let (Some(finding), Some(remedy)) = (added.0, remedy(&error)) {
                finding.remedy = Some(remedy);
            }
        }
        (None, Kind::Format(importer)) if importer.format == Format::Vertices => {
            findings
                .add(codes::file::UNKNOWN_KIND, start, || "a Quake model of vertices, not checked".into())
                .remedy("`render`, `play` and `convert --frames-from` read it");
        }
        (None, Kind::Unknown) => {
            findings.add(codes::file::UNKNOWN_KIND, start, || "neither an MD5 file nor a .x file".to_owned());
        }
        (None, Kind::Format(importer)) if importer.format == Format::Gltf && !has_motion => {
            findings
                .add(codes::file::UNKNOWN_KIND, start, || "a glTF file, not checked".to_owned())
                .remedy("give --motion: of glTF files only the motion is checked");
        }
        (None, Kind::Decl | Kind::Archive) => {}
        (None, Kind::Format(importer)) => {
            let extension = file.path.extension().map(|extension| extension.to_string_lossy().into_owned());
            if let Some(found) = extension
                && !importer.extensions.iter().any(|due| found.eq_ignore_ascii_case(due))
            {
                let due = importer.extensions.join(" or ");
                findings.add(codes::file::WRONG_EXTENSION, start, || {
                    format!("the extension is '{found}', expected '{due}'")
                });
            }
        }
    }
    file.findings.extend(findings.finish(0));
}
