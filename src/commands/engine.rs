//! `--as ENGINE`: what an engine shows of MD5 files instead of what they mean.

use super::complete;
use super::output::tell;
use anyhow::bail;
use bindpose::budget::Budget;
use bindpose::diagnostic::{Diagnostic, Severity};
use bindpose::engines::Engine;
use bindpose::load::{self, LoadError, LoadOptions};
use bindpose::validate::profiles::{Effect, Profile};
use bindpose::validate::{self, FileReport, Input, Kind, Options};
use clap_complete::ArgValueCandidates;
use std::path::PathBuf;

/// `--as`.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct EngineArg {
    /// Show what this engine makes of MD5 files, by its own rules, instead of what they mean
    #[arg(long = "as", value_name = "ENGINE", value_parser = Engine::find, add = ArgValueCandidates::new(complete::engines))]
    pub engine: Option<&'static Engine>,
}

/// Whether an engine takes files that the user named; draws why not, with the code that `validate` gives. On each clip
/// beside them that it refuses a line.
///
/// # Errors
///
/// Files that cannot be read, and those that make no model.
pub fn refuses(engine: &'static Engine, files: &[PathBuf]) -> anyhow::Result<bool> {
    // The bundled sample is taken by all.
    if files.is_empty() {
        return Ok(false);
    }
    let Some(profile) = Profile::find(engine.name) else { bail!("validate knows no engine '{}'", engine.name) };
    let options = LoadOptions { find_clips: true, with_film: true, ..super::load_options()? };
    let memory = options.memory;
    let sources = match load::load(files, &LoadOptions { engine: None, ..options }) {
        Ok(loaded) => loaded.sources,
        // What is wrong with it whoever shows it is told by who loads it.
        Err(LoadError::File { .. } | LoadError::OtherSkeleton(_)) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    let budget = Budget::new(memory);
    let input = |id| {
        let path = sources.path(id).to_owned();
        let bytes = bindpose::read::file(&path, &budget);
        Input { path, bytes }
    };
    let inputs = sources.ids().map(input).collect();
    let found = validate::check(inputs, &Options { together: true, memory });
    let mut refused = false;
    for file in &found.files {
        let Some((diagnostic, words)) = refusal(profile, file) else { continue };
        if file.kind == Kind::Md5Mesh || files.contains(&file.path) {
            super::print_diagnostics(&[diagnostic.with_note(words)], &found.sources);
            refused = true;
        } else {
            tell!("note: {} does not take {}: {}", profile.title, file.path.display(), diagnostic.code);
        }
    }
    Ok(refused)
}

/// The finding for which an engine refuses a file, and what the engine does.
fn refusal(profile: &'static Profile, file: &FileReport) -> Option<(Diagnostic, String)> {
    let judgement = file.judgements.iter().find(|judgement| judgement.profile == profile)?;
    if judgement.effect <= Effect::Wrong {
        return None;
    }
    let behind = |code: &str| file.findings.iter().find(|finding| finding.code.id == code);
    let of_effect = || file.findings.iter().find(|finding| finding.effect(profile) == Some(judgement.effect));
    let (title, effect) = (profile.title, judgement.effect.in_words());
    let words = match &judgement.message {
        Some(message) if !message.is_empty() => format!("{title} {effect}: {message}"),
        _ => format!("{title} {effect}, so there is nothing to show"),
    };
    let finding = judgement.code.and_then(behind).or_else(of_effect)?;
    let severity = Severity::Error;
    Some((Diagnostic::new(finding.code.id, severity, &*finding.message, file.source, finding.first.span), words))
}
