//! The `podscope` command line: reads arguments and files, and prints results. The simulation itself is in the other
//! crates.
//!
//! Each command has a struct of arguments (`…Args`) and a function that takes it. The struct's doc comments are the
//! command's help: [`clap`] generates the help, the completions and the man pages from them.
//!
//! Sentences for people are in the language of `--lang` ([`language`]).
//!
//! Exit status: 0 success; 1 an expectation failed, or an invariant was violated with `cause: bug`; 2 bad input or
//! usage, or output that cannot be written; 130 interrupted.

mod args;
mod bench;
mod compare;
mod course;
mod explain;
mod explain_cases;
mod explain_text;
mod grade;
mod interrupt;
mod language;
mod link;
mod manual;
mod msgpack;
mod plugin;
mod practice;
mod progress;
mod rename;
mod run;
mod search;
mod serve;
mod shell;
mod whatif;
mod why;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches as _, Parser, Subcommand};

use crate::args::UsageError;
use crate::language::LanguageOption;

/// A simulated Kubernetes cluster on the command line
#[derive(Debug, Parser)]
#[command(name = "podscope", version, args_override_self = true, max_term_width = 110, after_help = EXIT_STATUS_HELP)]
pub(crate) struct Podscope {
    #[command(flatten)]
    language: LanguageOption,
    #[command(subcommand)]
    command: Command,
}

const EXIT_STATUS_HELP: &str = "\
Errors go to stderr as FILE:LINE:COL: field.path: message; stdout holds only what was asked for.

Exit status:
  0    success
  1    an expectation failed, or an invariant broke because of a bug of the engine
  2    bad input or usage, or output that cannot be written
  130  interrupted by Ctrl-C, with the results so far";

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::RunArgs),
    Check(run::CheckArgs),
    Why(why::WhyArgs),
    #[command(name = "whatif")]
    WhatIf(whatif::WhatIfArgs),
    Compare(compare::CompareArgs),
    Explain(explain::ExplainArgs),
    Search(search::SearchArgs),
    Merge(search::MergeArgs),
    Rename(rename::RenameArgs),
    Practice(practice::PracticeArgs),
    Course(course::CourseArgs),
    Scorm(course::ScormArgs),
    Grade(grade::GradeArgs),
    Link(link::LinkArgs),
    Shell(shell::ShellArgs),
    Serve(serve::ServeArgs),
    Bench(bench::BenchArgs),
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

fn main() -> ExitCode {
    interrupt::install_handler();
    if plugin::is_invoked_as_plugin() {
        return match plugin::PluginArgs::try_parse() {
            Ok(given) => {
                given.language.set_language(given.options.is_machine_readable());
                finish::<plugin::PluginArgs>(plugin::run(&given), &[])
            }
            Err(error) => args::print_usage(&error),
        };
    }
    let (name, Podscope { language, command }) = match parse() {
        Ok(parsed) => parsed,
        Err(error) => return args::print_usage(&error),
    };
    language.set_language(command.is_machine_readable());
    let result = match command {
        Command::Run(given) => run::run(given),
        Command::Check(given) => Ok(run::check(&given)),
        Command::Why(given) => Ok(why::run(&given)),
        Command::WhatIf(given) => whatif::run(given),
        Command::Compare(given) => compare::run(&given),
        Command::Explain(given) => Ok(explain::run(&given)),
        Command::Search(given) => Ok(search::run(&given)),
        Command::Merge(given) => Ok(search::merge(&given)),
        Command::Rename(given) => Ok(rename::run(&given)),
        Command::Practice(given) => Ok(practice::run(given)),
        Command::Course(given) => Ok(course::run(&given)),
        Command::Scorm(given) => Ok(course::scorm(&given)),
        Command::Grade(given) => grade::run(&given),
        Command::Link(given) => Ok(link::run(given)),
        Command::Shell(given) => Ok(shell::run(&given)),
        Command::Serve(given) => Ok(serve::run(given)),
        Command::Bench(given) => bench::run(&given),
        Command::Completions(given) => Ok(manual::completions(&given)),
        Command::Man(given) => Ok(manual::man(&given)),
    };
    finish::<Podscope>(result, &[&name])
}

impl Command {
    /// Returns whether the output is for programs. Such output, and the messages on stderr, are English in every
    /// language.
    fn is_machine_readable(&self) -> bool {
        match self {
            Command::Run(given) => given.is_machine_readable(),
            Command::Why(given) => given.options.is_machine_readable(),
            Command::WhatIf(given) => given.is_machine_readable(),
            Command::Compare(given) => given.is_machine_readable(),
            Command::Explain(given) => given.is_machine_readable(),
            Command::Search(given) => given.is_machine_readable(),
            Command::Practice(given) => given.is_machine_readable(),
            Command::Grade(given) => given.is_machine_readable(),
            Command::Shell(given) => given.is_machine_readable(),
            Command::Serve(_) | Command::Bench(_) => true,
            Command::Check(_)
            | Command::Merge(_)
            | Command::Rename(_)
            | Command::Course(_)
            | Command::Scorm(_)
            | Command::Link(_)
            | Command::Completions(_)
            | Command::Man(_) => false,
        }
    }
}

/// Parses the command line. Returns the name of the command and its arguments.
fn parse() -> Result<(String, Podscope), clap::Error> {
    let matches = Podscope::command().try_get_matches()?;
    let name = matches.subcommand_name().unwrap_or_default().to_owned();
    Ok((name, Podscope::from_arg_matches(&matches)?))
}

/// Returns the exit status of a command. Prints a usage error as clap prints conflicting arguments, with the usage of
/// the command at `path`.
fn finish<C: CommandFactory>(result: Result<ExitCode, UsageError>, path: &[&str]) -> ExitCode {
    result.unwrap_or_else(|UsageError(message)| {
        let mut command = C::command();
        command.build();
        let command = path.iter().fold(&mut command, |command, name| {
            command
                .find_subcommand_mut(name)
                .expect("the command has just been parsed by its name")
        });
        args::print_usage(&command.error(clap::error::ErrorKind::ArgumentConflict, message))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// clap checks the definitions of all arguments.
    #[test]
    fn argument_definitions_are_consistent() {
        Podscope::command().debug_assert();
        plugin::PluginArgs::command().debug_assert();
    }
}
