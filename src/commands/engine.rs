//! `--as ENGINE`: files as an engine plays them.

use super::complete;
use super::output::tell;
use bindpose::budget::MemoryLimit;
use bindpose::diagnostic::{Diagnostic, Severity, Sources};
use bindpose::engines::{Engine, EngineId};
use bindpose::import::Format;
use bindpose::load::Loaded;
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

/// Finding for which an engine does not load a file, with the engine's behaviour as a note, and the files of it.
pub type Refusal = (Sources, Diagnostic);

/// Works like [`judge`] for the engine of a loaded model. Prints the reason and the lines. Returns true if the engine
/// does not load the files.
pub fn refuses(loaded: &Loaded, files: &[PathBuf], memory: MemoryLimit) -> bool {
    let judged = loaded.engine.map(|engine| judge(engine, &loaded.sources, files, memory));
    let (refusal, notes) = judged.unwrap_or_default();
    notes.iter().for_each(|note| tell!("note: {note}"));
    refusal.is_some_and(|(sources, diagnostic)| {
        super::print_diagnostics(&[diagnostic], &sources);
        true
    })
}

/// Returns the reason why an engine does not load the files of a model, the given ones and the clips next to them, and
/// lines about clips next to them that it does not load. All engines load the bundled sample, which has no files.
pub fn judge(
    engine: &'static Engine,
    sources: &Sources,
    files: &[PathBuf],
    memory: MemoryLimit,
) -> (Option<Refusal>, Vec<String>) {
    let Some(profile) = engine.id.map(EngineId::profile).filter(|_| !files.is_empty()) else {
        return Default::default();
    };
    let file = |id| (sources.path(id).to_owned(), sources.get(id).file_bytes().to_vec());
    let all: Vec<(PathBuf, Vec<u8>)> = sources.ids().map(file).collect();
    let of = |format| all.iter().filter(move |(path, bytes)| Kind::of(path, bytes).format() == Some(format));
    let model = of(Format::X).next().or_else(|| of(Format::Md5(FileKind::Mesh)).next());
    let Some(mesh) = model else { return Default::default() };
    let clips: Vec<_> = of(Format::Md5(FileKind::Anim)).collect();
    if clips.is_empty() {
        return (first_refusal(profile, &[mesh], memory), Vec::new());
    }
    let (mut taken, mut notes, mut first) = (0, Vec::new(), None);
    for clip in &clips {
        let is_named = files.contains(&clip.0);
        match first_refusal(profile, &[mesh, clip], memory) {
            None => taken += 1,
            Some(refusal) if !is_named && clips.len() > 1 => {
                let (title, path) = (profile.title, clip.0.display());
                notes.push(format!("{title} does not load {path}: {}", refusal.1.code));
                first.get_or_insert(refusal);
            }
            refusal => return (refusal, notes),
        }
    }
    (first.filter(|_| taken == 0), notes)
}

/// A mesh, and possibly a clip.
type Pair<'f> = [&'f (PathBuf, Vec<u8>)];

/// Returns the first finding for which an engine does not load a pair. Games look for the clip under the mesh's name, so
/// the clip is renamed.
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
    Some((sources, found.files.iter().find_map(|file| refusal(profile, file))?))
}

/// Returns the finding for which an engine refuses a file, with the engine's behaviour as a note.
fn refusal(profile: &'static Profile, file: &FileReport) -> Option<Diagnostic> {
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
    let found = Diagnostic::new(finding.code.id, Severity::Error, message, file.source, finding.first.span);
    Some(found.with_note(words))
}
