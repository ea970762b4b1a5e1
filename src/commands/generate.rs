//! `bindpose generate`

use super::{Outcome, complete};
use anyhow::Context;
use bindpose_core::write;
use clap::Command;
use clap_complete::env::Shells;
use clap_mangen::Man;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write man pages or shell completions
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
}

/// Writes man pages or completions; `command` is the definition of the whole command line.
pub fn run(args: &Args, command: Command, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    match &args.target {
        Target::Man { folder } => man(folder, command)?,
        Target::Completions { shell } => completions(shell, out)?,
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
