//! `bindpose generate`

use super::{Outcome, complete};
use anyhow::Context;
use bindpose_core::write;
use clap::Command;
use clap_complete::env::Shells;
use clap_mangen::Man;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write man pages, or a shell's completions
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Write a man page for every command
    Man {
        /// Folder for the pages
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Print the script by which a shell completes what is typed
    ///
    /// It completes commands, options, files, methods, engines, codes, and the clips of the named files. For one user, for example: bindpose generate completions bash > ~/.local/share/bash-completion/completions/bindpose
    Completions {
        /// The shell
        #[arg(value_parser = ["bash", "elvish", "fish", "powershell", "zsh"])]
        shell: String,
    },
}

/// Writes what was asked for; `command` is the whole command line's definition.
pub fn run(args: &Args, command: Command, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    match &args.what {
        What::Man { folder } => man(folder, command)?,
        What::Completions { shell } => completions(shell, out)?,
    }
    Ok(Outcome::Fine)
}

/// A page for the command and for each below it: `bindpose.1`, `bindpose-snapshot-verify.1`.
fn man(folder: &Path, command: Command) -> anyhow::Result<()> {
    let mut command = command.disable_help_subcommand(true);
    // Gives those below their whole names and the options that every command has.
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
    let shell = shells.completer(shell).context("this shell is not known")?;
    shell.write_registration(complete::VARIABLE, "bindpose", "bindpose", "bindpose", out)?;
    Ok(())
}
