//! The command line of bindpose.

mod commands;

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
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[cfg(feature = "render")]
    Play(commands::play::Args),
    Info(commands::info::Args),
    Validate(commands::validate::Args),
    Explain(commands::explain::Args),
    #[cfg(feature = "render")]
    Doctor(commands::doctor::Args),
    #[cfg(feature = "render")]
    Render(commands::render::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Info(args) => commands::info::run(&args),
        Command::Validate(args) => commands::validate::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        #[cfg(feature = "render")]
        Command::Play(args) => commands::play::run(&args),
        #[cfg(feature = "render")]
        Command::Doctor(args) => commands::doctor::run(&args),
        #[cfg(feature = "render")]
        Command::Render(args) => commands::render::run(&args),
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
