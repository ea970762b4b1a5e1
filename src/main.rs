//! The command line of bindpose.

#![forbid(unsafe_code)]

mod commands;

use bindpose::diagnostic::is_harmless;
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::CompleteEnv;
use commands::Outcome;
use commands::mistakes;
use commands::output::{Colours, Output, tell};
use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

/// Player, validator and skinning laboratory for MD5 and DirectX .x
#[derive(Debug, Parser)]
#[command(
    version,
    about,
    after_help = "`bindpose FILES` is short for `bindpose play FILES`, and takes its options\n\n\
    Exit codes: 0 fine, 1 a file is at fault or differs, 2 usage, I/O, or no OpenGL"
)]
#[command(override_usage = "bindpose [OPTIONS] [FILES]...\n       bindpose <COMMAND>")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Colours in the terminal
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        alias = "colour",
        display_order = 950
    )]
    color: Colours,
    /// `bindpose FILES` is `bindpose play FILES`.
    #[cfg(feature = "render")]
    #[command(flatten)]
    play: commands::play::Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[cfg(feature = "render")]
    #[command(before_help = commands::play::EXAMPLES)]
    Play(commands::play::Args),
    #[cfg(feature = "render")]
    Render(commands::render::Args),
    Methods(commands::methods::Args),
    #[cfg(feature = "render")]
    Compare(commands::compare::Args),
    #[cfg(feature = "render")]
    Bench(commands::bench::Args),
    Convert(Box<commands::convert::Args>),
    Info(commands::info::Args),
    Ls(commands::ls::Args),
    Validate(commands::validate::Args),
    Explain(commands::explain::Args),
    Dump(commands::dump::Args),
    Conformance(commands::conformance::Args),
    Snapshot(commands::snapshot::Args),
    #[cfg(feature = "render")]
    Doctor(commands::doctor::Args),
    Generate(commands::generate::Args),
}

/// Returns the command line. Help begins with examples where there are some, and only that of `play` lists the options
/// that files without a command take.
fn command_line() -> clap::Command {
    let without_options = |arg: clap::Arg| {
        let is_of_play = !arg.is_positional() && !arg.is_global_set();
        arg.hide_short_help(is_of_play).hide_long_help(is_of_play)
    };
    let examples_first = |command: clap::Command| {
        let after = command.get_after_help().map(ToString::to_string);
        let rest = match after.filter(|help| help.starts_with("Examples")) {
            Some(_) => "{after-help}\n\n{all-args}",
            None if command.get_before_help().is_some() => "\n\n{before-help}{all-args}{after-help}",
            None => return command,
        };
        command.help_template(format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}{rest}"))
    };
    Cli::command().mut_args(without_options).mut_subcommands(examples_first)
}

fn main() -> ExitCode {
    // Answers a shell that requests completions, and exits.
    let completion = CompleteEnv::with_factory(command_line).var(commands::complete::VARIABLE);
    completion.shells(commands::complete::shells()).complete();
    if let Err(error) = commands::signals::clean_up_on_signals() {
        tell!("bindpose: signals are not handled: {error}");
    }
    let command = command_line();
    let names = command.get_subcommands().map(clap::Command::get_name).chain(["help"]);
    let first = std::env::args_os().nth(1);
    if let Some((word, near)) = first.and_then(|first| mistakes::misspelt_command(&first, names)) {
        tell!("bindpose: there is no file or command '{word}'; did you mean `bindpose {near}`?");
        return ExitCode::from(2);
    }
    let cli = match parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    cli.color.set();
    let mut out = Output::stdout();
    let outcome = run(cli, &mut out).and_then(|outcome| Ok(out.flush().map(|()| outcome)?));
    match outcome {
        // The reader has closed the pipe.
        _ if out.is_closed() => ExitCode::SUCCESS,
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::AtFault) => ExitCode::from(1),
        Err(error) => {
            commands::tell_error(&error);
            ExitCode::from(2)
        }
    }
}

/// Parses the arguments. Options before a command belong to `play`, so they are an error.
fn parse() -> Result<Cli, clap::Error> {
    let mut cli = command_line();
    let matches = cli.try_get_matches_from_mut(std::env::args_os())?;
    let is_given =
        |argument: &&clap::Arg| matches.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine);
    let stray =
        cli.get_arguments().filter(|argument| !argument.is_global_set()).find(is_given).map(clap::Arg::to_string);
    if let (Some(name), Some(stray)) = (matches.subcommand_name(), stray) {
        let message = format!("'{stray}' cannot stand before '{name}': options of a command follow its name");
        return Err(cli.error(clap::error::ErrorKind::ArgumentConflict, message));
    }
    Cli::from_arg_matches(&matches)
}

/// Prints help or a usage error.
fn usage(error: &clap::Error) -> ExitCode {
    let printed = match std::env::args_os().any(|argument| argument.to_string_lossy().contains(|c| !is_harmless(c))) {
        // The message may quote the argument.
        true if error.use_stderr() => {
            tell!("{}", error.render());
            Ok(())
        }
        _ => error.print(),
    };
    match printed {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            tell!("bindpose: cannot write to standard output: {error}");
            ExitCode::from(2)
        }
        _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
    }
}

fn run(cli: Cli, out: &mut Output) -> anyhow::Result<Outcome> {
    #[cfg(feature = "render")]
    let command = cli.command.unwrap_or(Command::Play(cli.play));
    #[cfg(not(feature = "render"))]
    let Some(command) = cli.command else {
        write!(out, "{}", command_line().render_help())?;
        return Ok(Outcome::Fine);
    };
    match command {
        #[cfg(feature = "render")]
        Command::Play(args) => commands::play::run(&args),
        #[cfg(feature = "render")]
        Command::Render(args) => commands::render::run(&args),
        Command::Methods(args) => commands::methods::run(&args, out),
        #[cfg(feature = "render")]
        Command::Compare(args) => commands::compare::run(&args, out),
        #[cfg(feature = "render")]
        Command::Bench(args) => commands::bench::run(&args, out),
        Command::Convert(args) => commands::convert::run(&args, out),
        Command::Info(args) => commands::info::run(&args, out),
        Command::Ls(args) => commands::ls::run(&args, out),
        Command::Validate(args) => commands::validate::run(&args, out),
        Command::Explain(args) => commands::explain::run(&args, out),
        Command::Dump(args) => commands::dump::run(&args, out),
        Command::Conformance(args) => commands::conformance::run(&args, out),
        Command::Snapshot(args) => commands::snapshot::run(&args, out),
        #[cfg(feature = "render")]
        Command::Doctor(args) => commands::doctor::run(&args, out),
        Command::Generate(args) => commands::generate::run(&args, command_line(), out),
    }
}
