//! Shell completion of names: methods, limits, engines, codes, clips of the files on the command line.

use bindpose::diagnostic::Escaped;
use bindpose::engines::{ENGINES, X_ENGINES};
use bindpose::load::{self, LoadOptions};
use bindpose::model::Clip;
use bindpose::skin::LIMITS;
use bindpose::validate::codes;
use bindpose::validate::profiles::PROFILES;
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};
use clap_complete::{CompletionCandidate, engine};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Environment variable with which the scripts of `generate completions` call the program.
pub const VARIABLE: &str = "BINDPOSE_COMPLETE";

/// Returns the shells that the program completes for.
pub fn shells() -> Shells<'static> {
    Shells(&[&Plain(&Bash), &Elvish, &Fish, &Plain(&Powershell), &Zsh])
}

/// A shell that inserts names as the program prints them. Names that need quotes are left out: if none is left, the
/// shell completes files itself. Other shells quote what they insert.
struct Plain(&'static (dyn EnvCompleter + Sync));

impl EnvCompleter for Plain {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn is(&self, name: &str) -> bool {
        self.0.is(name)
    }

    fn write_registration(&self, var: &str, name: &str, bin: &str, us: &str, out: &mut dyn Write) -> io::Result<()> {
        self.0.write_registration(var, name, bin, us, out)
    }

    fn write_complete(
        &self,
        command: &mut clap::Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        // Bash names the word; PowerShell completes the last one, and shows the help after a tab.
        let known = |name: &str| std::env::var(name).ok();
        let index =
            known("_CLAP_COMPLETE_INDEX").and_then(|index| index.parse().ok()).unwrap_or(words.len().saturating_sub(1));
        for candidate in engine::complete(command, words, index, folder)? {
            let name = candidate.get_value().to_string_lossy();
            let help = candidate.get_help().map(|help| help.to_string().lines().next().unwrap_or_default().to_owned());
            match known("_CLAP_IFS") {
                _ if !is_plain(&name) => {}
                Some(separator) => write!(out, "{name}{separator}")?,
                None => writeln!(out, "{name}\t{}", help.unwrap_or_default())?,
            }
        }
        Ok(())
    }
}

/// True for a name that has no meaning for any shell.
fn is_plain(name: &str) -> bool {
    let is_path = |c: char| "_-./,+=:@".contains(c) || cfg!(windows) && c == '\\';
    name.chars().all(|c| c.is_alphanumeric() || is_path(c))
}

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

/// Completes clips of the files on the command line that is being completed. A name that some shell would not take as
/// it is is offered by its number.
pub fn clips() -> Vec<CompletionCandidate> {
    // The shell's script calls `bindpose -- bindpose WORDS…`.
    let words = std::env::args_os().skip_while(|word| word != "--").skip(2);
    let files: Vec<PathBuf> = words.map(PathBuf::from).filter(|path| path.is_file()).collect();
    let options = LoadOptions::with_clips();
    // An error would be invisible here.
    let Ok(loaded) = load::load(&files, &options) else { return Vec::new() };
    let clips = loaded.model.clips.iter().zip(1..);
    let offer = |(clip, number): (&Clip, i32)| match is_plain(&clip.name) && !clip.name.starts_with('-') {
        true => CompletionCandidate::new(&clip.name),
        false => candidate(number.to_string(), Escaped(&clip.name).to_string()),
    };
    clips.map(offer).collect()
}
