//! `--as ENGINE`: files as an engine plays them.

use super::complete;
use super::output::tell;
use bindpose::budget::MemoryLimit;
use bindpose::diagnostic::{Diagnostic, Severity, Sources};
use bindpose::engines::{Engine, EngineId};
use bindpose::import::Format;
use bindpose::load::{self, LoadError, LoadOptions, Mismatch};
use bindpose::validate::profiles::{Effect, Profile};
use bindpose::validate::{self, FileReport, Input, Kind, Options};
use bindpose_parsers::md5::FileKind;
use clap_complete::ArgValueCandidates;
use std::path::PathBuf;

/// Option `--as`.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct EngineArg {
    /// Play the files as this engine does, by its own rules, instead of by their meaning
    #[arg(long = "as", value_name = "ENGINE", value_parser = Engine::find, add = ArgValueCandidates::new(complete::engines))]
    pub engine: Option<&'static Engine>,
}

impl EngineArg {
    /// Works like [`refuses`] for the engine of the option; false without the option.
    pub fn refuses(&self, files: &[PathBuf], options: &LoadOptions) -> anyhow::Result<bool> {
        self.engine.map_or(Ok(false), |engine| refuses(engine, files, options))
    }
}

/// An engine's verdict on files.
#[derive(Default)]
pub struct Judged {
    /// Reason why the engine does not load the files.
    pub refusal: Option<Refusal>,
    /// Lines about clips next to the files that the engine does not load.
    pub notes: Vec<String>,
}

/// Reason why an engine does not load a file.
pub struct Refusal {
    sources: Sources,
    diagnostic: Diagnostic,
    /// Behaviour of the engine.
    words: String,
}

impl Refusal {
    /// Returns the file, the code of `validate`, and the engine's behaviour in one line.
    #[cfg(feature = "window")]
    pub fn in_a_line(&self) -> String {
        let Some(place) = &self.diagnostic.primary else { return format!("{}: {}", self.diagnostic.code, self.words) };
        let file = self.sources.path(place.source).file_name().unwrap_or_default().to_string_lossy();
        format!("{file}, {}: {}", self.diagnostic.code, self.words)
    }
}

/// Returns true if an engine does not load the given files, and prints the reason with the code of `validate`. Prints a
/// line for each clip found next to them that it does not load.
///
/// # Errors
///
/// Files that cannot be read, or that form no model.
pub fn refuses(engine: &'static Engine, files: &[PathBuf], options: &LoadOptions) -> anyhow::Result<bool> {
    // All engines load the bundled sample. Of a folder, the model is selected later.
    if files.is_empty() || files.iter().any(|path| path.is_dir()) {
        return Ok(false);
    }
    let mut options = options.clone().with_all_parts();
    (options.playback.engine, options.game.subject) = (None, None);
    let Judged { refusal, notes } = match load::load(files, &options) {
        Ok(loaded) => judge(engine, &loaded.sources, files, options.memory),
        // The loader reports errors that affect every program.
        Err(LoadError::File { .. } | LoadError::Mismatch(Mismatch::OtherSkeleton { .. })) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    notes.iter().for_each(|note| tell!("note: {note}"));
    let Some(Refusal { sources, diagnostic, words }) = refusal else { return Ok(false) };
    super::print_diagnostics(&[diagnostic.with_note(words)], &sources);
    Ok(true)
}

/// Checks whether an engine loads the files of a model: the given ones, and the clips next to them.
pub fn judge(engine: &'static Engine, sources: &Sources, files: &[PathBuf], memory: MemoryLimit) -> Judged {
    let Some(profile) = engine.id.map(EngineId::profile).filter(|_| !files.is_empty()) else {
        return Judged::default();
    };
    let file = |id| (sources.path(id).to_owned(), sources.get(id).file_bytes().to_vec());
    let all: Vec<(PathBuf, Vec<u8>)> = sources.ids().map(file).collect();
    let of = |format| all.iter().filter(move |(path, bytes)| Kind::of(path, bytes).format() == Some(format));
    if let Some(file) = of(Format::X).next() {
        return Judged { refusal: first_refusal(profile, &[file], memory), notes: Vec::new() };
    }
    let Some(mesh) = of(Format::Md5(FileKind::Mesh)).next() else { return Judged::default() };
    let clips: Vec<_> = of(Format::Md5(FileKind::Anim)).collect();
    if clips.is_empty() {
        return Judged { refusal: first_refusal(profile, &[mesh], memory), notes: Vec::new() };
    }
    let (mut taken, mut notes, mut first) = (0, Vec::new(), None);
    for clip in &clips {
        let is_named = files.contains(&clip.0);
        match first_refusal(profile, &[mesh, clip], memory) {
            None => taken += 1,
            Some(refusal) if !is_named && clips.len() > 1 => {
                let (title, path) = (profile.title, clip.0.display());
                notes.push(format!("{title} does not load {path}: {}", refusal.diagnostic.code));
                first.get_or_insert(refusal);
            }
            refusal => return Judged { refusal, notes },
        }
    }
    Judged { refusal: first.filter(|_| taken == 0), notes }
}

/// A mesh, and possibly a clip.
type Pair<'f> = [&'f (PathBuf, Vec<u8>)];

/// Returns the first finding for which an engine does not load a pair, and its behaviour. Games look for the clip under
/// the mesh's name, so the clip is renamed.
fn first_refusal(profile: &'static Profile, pair: &Pair<'_>, memory: MemoryLimit) -> Option<Refusal> {
    let mut sources = Sources::default();
    let mesh = pair.first().map(|(path, _)| path.clone()).unwrap_or_default();
    let inputs = pair.iter().enumerate().map(|(place, (path, bytes))| {
        sources.add(path.clone(), bytes.clone());
        let path = if place == 0 { path.clone() } else { mesh.with_extension("md5anim") };
        Input { path, bytes: Ok(bytes.clone()) }
    });
    let inputs = inputs.collect();
    let found =
        validate::check(inputs, &Options { together: true, memory, profiles: vec![profile], ..Options::default() });
    let (diagnostic, words) = found.files.iter().find_map(|file| refusal(profile, file))?;
    Some(Refusal { sources, diagnostic, words })
}

/// Returns the finding for which an engine refuses a file, and the engine's behaviour.
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
    // A message about a limit names the engine with the smallest limit.
    let message = if finding.only.is_some() { finding.code.title } else { &finding.message };
    Some((Diagnostic::new(finding.code.id, Severity::Error, message, file.source, finding.first.span), words))
}
