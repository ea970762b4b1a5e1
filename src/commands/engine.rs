//! `--as ENGINE`: files as an engine plays them.

use super::complete;
use super::output::tell;
use bindpose::budget::MemoryLimit;
use bindpose::diagnostic::{Diagnostic, Severity, Source, SourceId, Sources};
use bindpose::engines::{Engine, EngineId};
use bindpose::import::{Contents, Format};
use bindpose::load::Loaded;
use bindpose::validate::profiles::{Effect, Profile};
use bindpose::validate::{self, FileReport, Input, Kind, Options};
use clap_complete::ArgValueCandidates;
use std::path::PathBuf;

/// Option `--as`.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct EngineArg {
    /// Play the files as this engine does, by its own rules, instead of by their meaning
    #[arg(long = "as", value_name = "ENGINE", value_parser = Engine::find, add = ArgValueCandidates::new(complete::engines))]
    pub engine: Option<&'static Engine>,
}

/// Works like [`judge`] for the engine of a loaded model. Prints the reason and the lines. Returns true if the engine
/// does not load the files.
pub fn refuses(loaded: &Loaded, files: &[PathBuf], memory: MemoryLimit) -> bool {
    let judged = loaded.engine.map(|engine| judge(engine, &loaded.sources, files, memory));
    let (refusal, notes) = judged.unwrap_or_default();
    notes.iter().for_each(|note| tell!("note: {note}"));
    refusal.is_some_and(|refusal| {
        super::print_diagnostics(&[refusal], &loaded.sources);
        true
    })
}

/// Returns the finding for which an engine does not load the files of a model, the given ones and the clips next to
/// them, and lines about clips next to them that it does not load. All engines load the bundled sample, which has no
/// files.
pub fn judge(
    engine: &'static Engine,
    sources: &Sources,
    files: &[PathBuf],
    memory: MemoryLimit,
) -> (Option<Diagnostic>, Vec<String>) {
    let Some(profile) = engine.id.map(EngineId::profile).filter(|_| !files.is_empty()) else {
        return Default::default();
    };
    let of = |format| {
        let file = move |id: &SourceId| Kind::of(sources.path(*id), sources.get(*id).file_bytes()).format();
        sources.ids().filter(move |id| file(id) == Some(format))
    };
    let Some(mesh) = of(Format::X).next().or_else(|| of(Format::Md5(Contents::Model)).next()) else {
        return Default::default();
    };
    let all: Vec<SourceId> = std::iter::once(mesh).chain(of(Format::Md5(Contents::Clip))).collect();
    let clips: Vec<&Source> = all.iter().skip(1).map(|&clip| sources.get(clip)).collect();
    let format = Kind::of(sources.path(mesh), sources.get(mesh).file_bytes()).format();
    // Most files load. All checks run only to say why one does not.
    if format.is_some_and(|format| validate::loads(profile.id, format, sources.get(mesh), &clips)) {
        return Default::default();
    }
    // Games look for one clip, under the mesh's name.
    let name =
        |place, id| if place == 1 { sources.path(mesh).with_extension("md5anim") } else { sources.path(id).into() };
    let input = |(place, &id): (usize, &SourceId)| Input {
        path: name(place, id),
        bytes: Ok(sources.get(id).file_bytes().to_vec()),
    };
    let options = Options { together: true, memory, profiles: vec![profile], ..Options::default() };
    let found = validate::check(all.iter().enumerate().map(input).collect(), &options);
    let (mut notes, mut first) = (Vec::new(), None);
    for (file, &id) in found.files.iter().zip(&all) {
        let Some(refusal) = refusal(profile, file, id) else { continue };
        let path = sources.path(id);
        if id == mesh || all.len() == 2 || files.iter().any(|file| file == path) {
            return (Some(refusal), notes);
        }
        notes.push(format!("{} does not load {}: {}", profile.title, path.display(), refusal.code));
        first.get_or_insert(refusal);
    }
    (first.filter(|_| notes.len() + 1 == all.len()), notes)
}

/// Returns the finding for which an engine refuses a file, with the engine's behaviour as a note.
fn refusal(profile: &'static Profile, file: &FileReport, source: SourceId) -> Option<Diagnostic> {
    let judgement = file.judgements.iter().find(|judgement| judgement.profile == profile)?;
    if judgement.effect <= Effect::Unused {
        return None;
    }
    let behind = |code: &str| file.findings.iter().find(|finding| finding.code.id == code);
    let of_effect = || file.findings.iter().find(|finding| finding.effect(profile) == Some(judgement.effect));
    let (title, effect) = (profile.title, judgement.effect.in_words(false));
    let words = match &judgement.message {
        Some(message) if !message.is_empty() => format!("{title} {effect}: {message}"),
        _ => format!("{title} {effect}, so there is nothing to show"),
    };
    let finding = judgement.code.and_then(behind).or_else(of_effect)?;
    // A message about a limit names the engine with the smallest limit.
    let message = if finding.only.is_some() { finding.code.title } else { &finding.message };
    let found = Diagnostic::new(finding.code.id, Severity::Error, message, source, finding.first.span);
    Some(found.with_note(words))
}
