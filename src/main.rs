//! The command line of bindpose.

mod commands;

#[cfg(not(feature = "render"))]
use clap::CommandFactory;
use clap::{Parser, Subcommand};
use commands::Outcome;
use std::process::ExitCode;

/// Player, validator and skinning laboratory for MD5 and DirectX .x
#[derive(Debug, Parser)]
#[command(
    version,
    about,
    after_help = "Exit codes: 0 fine, 1 a file is at fault or differs, 2 usage, I/O, or no OpenGL"
)]
#[command(args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// `bindpose FILES` is `bindpose play FILES`.
    #[cfg(feature = "render")]
    #[command(flatten)]
    play: commands::play::Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[cfg(feature = "render")]
    Play(commands::play::Args),
    #[cfg(feature = "render")]
    Render(commands::render::Args),
    Methods(commands::methods::Args),
    #[cfg(feature = "render")]
    Compare(commands::compare::Args),
    #[cfg(feature = "render")]
    Bench(commands::bench::Args),
    Info(commands::info::Args),
    Validate(commands::validate::Args),
    Explain(commands::explain::Args),
    Dump(commands::dump::Args),
    Snapshot(commands::snapshot::Args),
    #[cfg(feature = "render")]
    Doctor(commands::doctor::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    #[cfg(feature = "render")]
    let command = cli.command.unwrap_or(Command::Play(cli.play));
    #[cfg(not(feature = "render"))]
    let Some(command) = cli.command else {
        return match Cli::command().print_help() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(2),
        };
    };
    let outcome = match command {
        #[cfg(feature = "render")]
        Command::Play(args) => commands::play::run(&args),
        #[cfg(feature = "render")]
        Command::Render(args) => commands::render::run(&args),
        Command::Methods(args) => commands::methods::run(&args),
        #[cfg(feature = "render")]
        Command::Compare(args) => commands::compare::run(&args),
        #[cfg(feature = "render")]
        Command::Bench(args) => commands::bench::run(&args),
        Command::Info(args) => commands::info::run(&args),
        Command::Validate(args) => commands::validate::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Dump(args) => commands::dump::run(&args),
        Command::Snapshot(args) => commands::snapshot::run(&args),
        #[cfg(feature = "render")]
        Command::Doctor(args) => commands::doctor::run(&args),
    };
    match outcome {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::AtFault) => ExitCode::from(1),
        Err(error) => {
            eprintln!("bindpose: {error:#}");
            ExitCode::from(2)
        }
    }
}
