//! `bindpose generate`

use super::{Outcome, complete};
use anyhow::Context;
use bindpose::import::IMPORTERS;
use bindpose_conformance::write::write_suite;
use clap::{Arg, Command};
use clap_complete::env::Shells;
use clap_mangen::Man;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write man pages, shell completions, Windows' file associations, or files to test loaders
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
        #[arg(value_name = "DIR", value_parser = super::output_path())]
        folder: PathBuf,
    },
    /// Print a completion script for a shell
    ///
    /// Completes commands, options, files, methods, engines, codes, and the clips of the named files. For one user, for
    /// example: bindpose generate completions bash > ~/.local/share/bash-completion/completions/bindpose
    Completions {
        /// The shell
        #[arg(value_parser = ["bash", "elvish", "fish", "powershell", "zsh"])]
        shell: String,
    },
    /// Write a .reg file that adds bindpose to "Open with" of the files it reads, for the current user of Windows
    ///
    /// This needs no administrator rights, and does not change the default program of any file type. For example:
    /// bindpose generate associations bindpose.reg, then open bindpose.reg
    Associations {
        /// The .reg file
        #[arg(value_name = "FILE", value_parser = super::output_path())]
        file: PathBuf,
        /// Remove the entries again
        #[arg(long)]
        remove: bool,
        /// Program that opens the files [default: bindpose-player.exe next to this program]
        #[arg(long, value_name = "EXE", conflicts_with = "remove")]
        program: Option<PathBuf>,
    },
    /// Write small files, one for each rule of MD5 and .x, to test a loader with
    ///
    /// README.md in the folder explains them, and how `bindpose conformance` scores a loader. Existing files are kept:
    /// the command fails.
    Conformance {
        /// Folder for the files
        #[arg(value_name = "DIR", value_parser = super::output_path())]
        folder: PathBuf,
    },
}

/// Writes the requested files; `command` is the definition of the whole command line.
pub fn run(args: &Args, command: Command, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    match &args.target {
        Target::Man { folder } => man(folder, command)?,
        Target::Completions { shell } => completions(shell, out)?,
        Target::Conformance { folder } => write_suite(folder)?,
        Target::Associations { file, remove, program } => register(file, *remove, program.as_deref())?,
    }
    Ok(Outcome::Fine)
}

/// Writes a page for the command and each subcommand: `bindpose.1`, `bindpose-snapshot-verify.1`.
fn man(folder: &Path, command: Command) -> anyhow::Result<()> {
    let as_in_help = |arg: Arg| {
        let is_hidden = arg.is_hide_set() || arg.is_hide_long_help_set();
        arg.hide(is_hidden)
    };
    let mut command = command.disable_help_subcommand(true).mut_args(as_in_help);
    // Building gives subcommands their full names and the global options.
    command.build();
    let mut commands = vec![command];
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands().cloned());
        let page = Man::new(command);
        super::write_in(folder, page.get_filename(), |file| Ok(page.render(file)?))?;
    }
    Ok(())
}

fn completions(shell: &str, out: &mut dyn Write) -> anyhow::Result<()> {
    let shells = Shells::builtins();
    let shell = shells.completer(shell).context("unknown shell")?;
    shell.write_registration(complete::VARIABLE, "bindpose", "bindpose", "bindpose", out)?;
    Ok(())
}

/// Writes a .reg file as Windows exports it. Only UTF-16 supports every path in every code page.
fn register(file: &Path, remove: bool, program: Option<&Path>) -> anyhow::Result<()> {
    const BYTE_ORDER_MARK: u16 = 0xFEFF;
    let own = std::env::current_exe().context("cannot find the path of this program")?;
    let beside = own.with_file_name("bindpose-player.exe");
    let text = associations((!remove).then_some(program.unwrap_or(&beside)));
    let units = std::iter::once(BYTE_ORDER_MARK).chain(text.encode_utf16());
    let bytes: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
    super::write_whole(file, |out| Ok(out.write_all(&bytes)?))
}

/// Returns the text of a .reg file that registers a program for the extensions of all importers, or removes the
/// entries.
fn associations(program: Option<&Path>) -> String {
    const CLASSES: &str = r"HKEY_CURRENT_USER\Software\Classes";
    let mut text = "Windows Registry Editor Version 5.00\r\n".to_owned();
    let mut entry = |key: &str, value: &str| text += &format!("\r\n[{key}]\r\n{value}");
    match program {
        Some(program) => {
            // Backslashes and quotes are escaped twice: for the file, and for the command line.
            let quoted = program.display().to_string().replace('\\', r"\\");
            entry(&format!(r"{CLASSES}\bindpose.model"), "@=\"Skeletal model\"\r\n");
            let command = format!("@=\"\\\"{quoted}\\\" \\\"%1\\\"\"\r\n");
            entry(&format!(r"{CLASSES}\bindpose.model\shell\open\command"), &command);
        }
        None => entry(&format!(r"-{CLASSES}\bindpose.model"), ""),
    }
    for extension in IMPORTERS.into_iter().flat_map(|importer| importer.extensions) {
        let value = if program.is_some() { "\"\"" } else { "-" };
        let key = format!(r"{CLASSES}\.{extension}\OpenWithProgids");
        entry(&key, &format!("\"bindpose.model\"={value}\r\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::associations;
    use std::path::Path;

    #[test]
    fn associations_name_the_program_and_can_be_removed() {
        let added = associations(Some(Path::new(r"C:\my tools\bindpose-player.exe")));
        assert!(added.starts_with("Windows Registry Editor Version 5.00\r\n\r\n["), "{added}");
        let command = r#"@="\"C:\\my tools\\bindpose-player.exe\" \"%1\"""#;
        assert!(
            added.contains(&format!(
                "[HKEY_CURRENT_USER\\Software\\Classes\\bindpose.model\\shell\\open\\command]\r\n{command}\r\n"
            )),
            "{added}"
        );
        assert!(added.contains("\\.md5mesh\\OpenWithProgids]\r\n\"bindpose.model\"=\"\"\r\n"), "{added}");
        let removed = associations(None);
        assert!(removed.contains("[-HKEY_CURRENT_USER\\Software\\Classes\\bindpose.model]\r\n"), "{removed}");
        assert!(removed.contains("\"bindpose.model\"=-\r\n") && !removed.contains("command"), "{removed}");
    }
}
