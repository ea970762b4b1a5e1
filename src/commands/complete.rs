//! Shell completion of names: methods, limits, engines, codes, clips of the files on the command line.

use bindpose::engines::{ENGINES, X_ENGINES};
use bindpose::load::{self, LoadOptions};
use bindpose::skin::LIMITS;
use bindpose::validate::codes;
use bindpose::validate::profiles::PROFILES;
use clap_complete::CompletionCandidate;
use std::path::PathBuf;

/// Environment variable with which the scripts of `generate completions` call the program.
pub const VARIABLE: &str = "BINDPOSE_COMPLETE";

fn candidate(name: impl Into<std::ffi::OsString>, help: impl Into<clap::builder::StyledStr>) -> CompletionCandidate {
    CompletionCandidate::new(name).help(Some(help.into()))
}

/// Completes skinning methods.
pub fn methods() -> Vec<CompletionCandidate> {
    bindpose::skin::METHODS.iter().map(|method| candidate(method.name, method.about)).collect()
}

/// Completes skinning methods and `auto`.
#[cfg(feature = "render")]
pub fn methods_or_auto() -> Vec<CompletionCandidate> {
    let auto = candidate("auto", "the fastest here that shows the model exactly");
    [auto].into_iter().chain(methods()).collect()
}

/// Completes limits of uniform registers.
pub fn limits() -> Vec<CompletionCandidate> {
    LIMITS.iter().map(|limits| CompletionCandidate::new(limits.name())).collect()
}

/// Completes engines.
pub fn profiles() -> Vec<CompletionCandidate> {
    PROFILES.iter().map(|profile| candidate(profile.name, profile.title)).collect()
}

/// Completes engines and `all`.
pub fn profiles_or_all() -> Vec<CompletionCandidate> {
    let all = candidate("all", "every engine");
    [all].into_iter().chain(profiles()).collect()
}

/// Completes engines whose playback is known.
pub fn engines() -> Vec<CompletionCandidate> {
    ENGINES.iter().chain(&X_ENGINES).map(|engine| candidate(engine.name(), engine.title())).collect()
}

/// Completes codes of `validate`.
pub fn codes() -> Vec<CompletionCandidate> {
    codes::all().iter().map(|code| candidate(code.id, code.title)).collect()
}

/// Completes clips of the files on the command line that is being completed.
pub fn clips() -> Vec<CompletionCandidate> {
    // The shell's script calls `bindpose -- bindpose WORDS…`.
    let words = std::env::args_os().skip_while(|word| word != "--").skip(2);
    let files: Vec<PathBuf> = words.map(PathBuf::from).filter(|path| path.is_file()).collect();
    let options = LoadOptions::with_clips();
    // An error would be invisible here.
    let Ok(loaded) = load::load(&files, &options) else { return Vec::new() };
    loaded.model.clips.iter().map(|clip| CompletionCandidate::new(&clip.name)).collect()
}
