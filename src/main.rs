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
    Info(commands::info::Args),
    Methods(commands::methods::Args),
    #[cfg(feature = "render")]
    Render(commands::render::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Info(args) => commands::info::run(&args),
        Command::Methods(args) => commands::methods::run(&args),
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
