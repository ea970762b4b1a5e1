//! Which engine will load a file, and what is wrong with it.

mod checks;
pub mod codes;
mod contract;
mod decls;
pub mod docs;
pub mod doom3;
pub mod draw;

pub mod finding;
pub mod fix;
pub mod inputs;
mod left_out;
pub mod loaders;

mod md5;
mod neighbours;
pub mod outline;
mod pairs;
mod pattern;
pub mod profiles;
pub mod quake;
pub mod report;
mod unit;
mod verdict;
mod x;

pub use contract::{Contract, ContractError, Thresholds};
pub use left_out::leaves_out;
pub use verdict::{EngineWarning, Outcome, Refusal, Undefined, Verdict};

pub use unit::{FileReport, Input, Judgement, Kind, PairReport, Validation};

use bindpose_core::budget::{Budget, MemoryLimit};
use bindpose_core::engines::Engine;
use bindpose_core::game::Decls;
use bindpose_core::image_search::ImageFinder;
use bindpose_core::read::ReadError;
use bindpose_parsers::Span;
use bindpose_parsers::x::Fault;
use finding::Findings;
use rayon::prelude::*;
use std::sync::Arc;

/// How files are checked.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The user named these files together: a single mesh takes every clip, whatever it is called.
    pub together: bool,
    /// The memory that checking may use; what would take more is not checked, and a finding says so.
    pub memory: MemoryLimit,
    /// The engine whose picture of every clip is held against what the files mean.
    pub engine: Option<&'static Engine>,
    /// What the motion of clips is held against; without it, how joints move is not looked at further.
    pub motion: Option<Arc<Contract>>,
}

/// Checks files that stand together: a folder's, or those that a user named.
pub fn check(inputs: Vec<Input>, options: &Options) -> Validation {
    check_in(inputs, options, None)
}

/// As [`check`], with the decls of the game that the files are of: what they name is looked for in it, if it has any.
pub fn check_in(inputs: Vec<Input>, options: &Options, game: Option<&Decls>) -> Validation {
    let files = game.map(|game| &**game.game());
    let game = game.filter(|game| !game.is_empty());
    let budget = Budget::new(options.memory);
    let mut report = Validation::default();
    let mut unreadable: Vec<Option<ReadError>> = Vec::new();
    let mut heads = Vec::new();
    for input in inputs {
        let (bytes, error) = match input.bytes {
            Ok(bytes) if u32::try_from(bytes.len()).is_ok() => (bytes, None),
            Ok(bytes) => {
                let (size, limit) = (bytes.len() as u64, u32::MAX.into());
                (Vec::new(), Some(ReadError::TooLarge { path: input.path.clone(), size, limit }))
            }
            Err(error) => (Vec::new(), Some(error)),
        };
        budget.add_input(bytes.len());
        let kind = if error.is_some() { Kind::Unknown } else { Kind::of(&input.path, &bytes) };
        let (bytes, head) = match kind {
            Kind::X => {
                let opened = x::open(bytes, options.memory);
                (opened.bytes, Some(opened.head))
            }
            _ => (bytes, None),
        };
        let is_unpacked = head.as_ref().is_some_and(|head| head.as_ref().is_ok_and(x::Head::is_unpacked));
        heads.push(head);
        let source = report.sources.add(input.path.clone(), bytes);
        report.files.push(FileReport {
            path: input.path,
            kind,
            source,
            is_unpacked,
            findings: Vec::new(),
            judgements: Vec::new(),
        });
        unreadable.push(error);
    }
    let images = ImageFinder::default();
    let md5: Vec<md5::Bytes> = report
        .files
        .iter()
        .enumerate()
        .filter_map(|(file, known)| {
            let kind = known.kind.md5()?;
            Some(md5::Bytes { file, path: &known.path, kind, bytes: &report.sources.get(known.source).bytes })
        })
        .collect();
    let (outcomes, pairs) = md5::check(&md5, &md5::Around { options, images: &images, game }, &budget);
    report.pairs = pairs;
    for outcome in outcomes {
        if let Some(file) = report.files.get_mut(outcome.file) {
            file.findings = outcome.findings;
            file.judgements = outcome.judgements;
        }
    }
    check_x(&mut report, heads, &images);
    check_decls(&mut report, game, &images, &budget);
    for file in report.files.iter_mut().filter(|file| file.kind == Kind::Archive) {
        file.findings = decls::check_archive(&file.path, files);
    }
    for (file, error) in report.files.iter_mut().zip(unreadable) {
        check_file(file, error);
    }
    report
}

/// Checks files of decls, and clips that decls might name.
fn check_decls(report: &mut Validation, game: Option<&Decls>, images: &ImageFinder, budget: &Budget) {
    let sources = &report.sources;
    let around = decls::Around::new(images);
    report.files.par_iter_mut().for_each(|file| {
        if let Some(folder) = decls::folder_kind(&file.path).filter(|_| file.kind == Kind::Decl) {
            let bytes = &sources.get(file.source).bytes;
            file.findings = decls::check(&file.path, bytes, folder, game, &around, budget);
            let readers = profiles::PROFILES.iter().filter(|profile| profile.reads(profiles::FormatFamily::Decl));
            let path = file.path.display().to_string();
            file.judgements = readers.map(|profile| Judgement::new(profile, &path, None, &file.findings)).collect();
        }
        if let (Kind::Md5Anim, Some(game)) = (file.kind, game) {
            file.findings.extend(decls::check_anim(&file.path, game));
        }
    });
}

/// Checks the .x files, those that hold clips alone with the model that they move.
fn check_x(report: &mut Validation, heads: Vec<Option<Result<x::Head, (Fault, Span)>>>, images: &ImageFinder) {
    let check = |(index, head): (usize, &Option<Result<x::Head, _>>), model| {
        let file = report.files.get(index)?;
        let bytes = &report.sources.get(file.source).bytes;
        Some(x::check(index, &file.path, bytes, images, head.clone()?, model))
    };
    let mut checked: Vec<Option<x::Checked>> = heads.par_iter().enumerate().map(|file| check(file, None)).collect();
    let names = checked.iter().zip(&report.files).enumerate();
    let names: Vec<_> =
        names.filter_map(|(index, (checked, file))| Some((index, &*file.path, &checked.as_ref()?.names))).collect();
    let pairs = x::models_of(&names);
    let again: Vec<_> = pairs
        .par_iter()
        .filter_map(|&(model, clip)| {
            let (_, path, names) = *names.iter().find(|(index, ..)| *index == model)?;
            Some((clip, check((clip, heads.get(clip)?), Some(x::Model { path, names }))))
        })
        .collect();
    for (clip, with_model) in again {
        if let Some(known) = checked.get_mut(clip) {
            *known = with_model;
        }
    }
    for (file, checked) in report.files.iter_mut().zip(checked) {
        if let Some(checked) = checked {
            (file.findings, file.judgements) = (checked.findings, checked.judgements);
        }
    }
    report.pairs.extend(pairs.into_iter().map(|(mesh, anim)| PairReport { mesh, anim }));
}

/// What has nothing to do with the content.
fn check_file(file: &mut FileReport, error: Option<ReadError>) {
    let mut findings = Findings::new(codes::Group::File);
    let start = Span::new(0, 0);
    match (error, file.kind) {
        (Some(error), _) => {
            let too_large = matches!(error, ReadError::TooLarge { .. });
            let rule = if too_large { codes::file::TOO_LONG } else { codes::file::UNREADABLE };
            findings.add(rule, start, || format!("the file cannot be read: {}", error.reason()));
        }
        (None, Kind::Unknown) => {
            findings.add(codes::file::UNKNOWN_KIND, start, || "neither an MD5 file nor a .x file".to_owned());
        }
        (None, kind) => {
            let extension = file.path.extension().map(|extension| extension.to_string_lossy().into_owned());
            if let (Some(found), Some(due)) = (extension, kind.extension())
                && !found.eq_ignore_ascii_case(due)
            {
                findings.add(codes::file::WRONG_EXTENSION, start, || {
                    format!("the extension is '{found}', expected '{due}'")
                });
            }
        }
    }
    file.findings.extend(findings.finish(0));
}
