//! `bindpose generate`

mod upstream;

use super::{Outcome, complete};
use anyhow::Context;
use bindpose::import::IMPORTERS;
use bindpose_core::write;
use clap::Command;
use clap_complete::env::Shells;
use clap_mangen::Man;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write man pages, shell completions, Windows' file associations or files for bug reports
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    target: Target,
}

#[derive(Debug, clap::Subcommand)]
enum Target {
    /// Write a man page for every command
    Man {
        /// Folder for the pages
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Print a completion script for a shell
    ///
    /// Completes commands, options, files, methods, engines, codes, and the clips of the named files. For one user, for example: bindpose generate completions bash > ~/.local/share/bash-completion/completions/bindpose
    Completions {
        /// The shell
        #[arg(value_parser = ["bash", "elvish", "fish", "powershell", "zsh"])]
        shell: String,
    },
    /// Print a .reg file that adds bindpose to "Open with" of the files it reads, for the current user of Windows
    ///
    /// Nothing needs an administrator, and no file type changes its usual program. For example:
    /// bindpose generate associations > bindpose.reg, then open bindpose.reg
    Associations {
        /// Print a .reg file that removes the entries again
        #[arg(long)]
        remove: bool,
        /// Program that opens the files [default: bindpose-player.exe next to this program]
        #[arg(long, value_name = "EXE")]
        program: Option<PathBuf>,
    },
    /// Write minimal files that show faults of other programs' loaders
    ///
    /// docs/upstream.md describes each fault in a paragraph for a bug report. Existing files are kept: the command fails.
    Upstream {
        /// Folder for the files
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// Writes what was asked for; `command` is the definition of the whole command line.
pub fn run(args: &Args, command: Command, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    match &args.target {
        Target::Man { folder } => man(folder, command)?,
        Target::Completions { shell } => completions(shell, out)?,
        Target::Upstream { folder } => upstream::write_files(folder)?,
        Target::Associations { remove: true, .. } => write!(out, "{}", associations(None))?,
        Target::Associations { program: Some(program), .. } => write!(out, "{}", associations(Some(program)))?,
        Target::Associations { program: None, .. } => {
            let own = std::env::current_exe().context("cannot find the path of this program")?;
            write!(out, "{}", associations(Some(&own.with_file_name("bindpose-player.exe"))))?;
        }
    }
    Ok(Outcome::Fine)
}

/// Writes a page for the command and each subcommand: `bindpose.1`, `bindpose-snapshot-verify.1`.
fn man(folder: &Path, command: Command) -> anyhow::Result<()> {
    let mut command = command.disable_help_subcommand(true);
    // Gives subcommands their full names and the global options.
    command.build();
    let mut commands = vec![command];
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands().cloned());
        let page = Man::new(command);
        let path = folder.join(page.get_filename());
        write::replace(&path, |file| page.render(file)).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn completions(shell: &str, out: &mut dyn Write) -> anyhow::Result<()> {
    let shells = Shells::builtins();
    let shell = shells.completer(shell).context("unknown shell")?;
    shell.write_registration(complete::VARIABLE, "bindpose", "bindpose", "bindpose", out)?;
    Ok(())
}

/// Text of a .reg file that registers a program for the extensions of all importers, or removes the entries. Windows reads LF, too.
fn associations(program: Option<&Path>) -> String {
    const CLASSES: &str = r"HKEY_CURRENT_USER\Software\Classes";
    let mut text = "Windows Registry Editor Version 5.00\n".to_owned();
    let mut entry = |key: &str, value: &str| text += &format!("\n[{key}]\n{value}");
    match program {
        Some(program) => {
            entry(&format!(r"{CLASSES}\bindpose.model"), "@=\"Skeletal model\"\n");
            let command = string_value(&format!("\"{}\" \"%1\"", program.display()));
            entry(&format!(r"{CLASSES}\bindpose.model\shell\open\command"), &format!("@={command}\n"));
        }
        None => entry(&format!(r"-{CLASSES}\bindpose.model"), ""),
    }
    for extension in IMPORTERS.into_iter().flat_map(|importer| importer.extensions) {
        let value = if program.is_some() { "\"\"" } else { "-" };
        let key = format!(r"{CLASSES}\.{extension}\OpenWithProgids");
        entry(&key, &format!("\"bindpose.model\"={value}\n"));
    }
    text
}

/// A string as a value of a .reg file. Code pages of consoles and files differ, so what is not ASCII is written as numbers: the
/// bytes of UTF-16, 0 included.
fn string_value(text: &str) -> String {
    if text.is_ascii() {
        return format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\""));
    }
    let units = text.encode_utf16().chain([0]);
    let bytes: Vec<String> = units.flat_map(u16::to_le_bytes).map(|byte| format!("{byte:02x}")).collect();
    format!("hex(1):{}", bytes.join(","))
}

#[cfg(test)]
mod tests {
    use super::{associations, string_value};
    use std::path::Path;

    #[test]
    fn associations_name_the_program_and_can_be_removed() {
        let added = associations(Some(Path::new(r"C:\my tools\bindpose-player.exe")));
        assert!(added.starts_with("Windows Registry Editor Version 5.00\n\n["), "{added}");
        let command = r#"@="\"C:\\my tools\\bindpose-player.exe\" \"%1\"""#;
        assert!(
            added.contains(&format!(
                "[HKEY_CURRENT_USER\\Software\\Classes\\bindpose.model\\shell\\open\\command]\n{command}\n"
            )),
            "{added}"
        );
        assert!(added.contains("\\.md5mesh\\OpenWithProgids]\n\"bindpose.model\"=\"\"\n"), "{added}");
        assert_eq!(string_value("\"é"), "hex(1):22,00,e9,00,00,00");
        let removed = associations(None);
        assert!(removed.contains("[-HKEY_CURRENT_USER\\Software\\Classes\\bindpose.model]\n"), "{removed}");
        assert!(removed.contains("\"bindpose.model\"=-\n") && !removed.contains("command"), "{removed}");
    }
}
