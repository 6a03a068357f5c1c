//! `podscope completions` and `podscope man`: completions for shells, and manual pages.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::{Podscope, args};

/// Print completions for a shell
///
/// Bash: `source <(podscope completions bash)`. The other shells load a file, e.g. of fish:
/// `podscope completions fish > ~/.config/fish/completions/podscope.fish`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    shell: Shell,
}

/// Write manual pages, one for each command
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Existing folder for the pages, such as ~/.local/share/man/man1. Without it, the page of podscope(1) is printed
    dir: Option<PathBuf>,
}

pub(crate) fn completions(given: &CompletionsArgs) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(given.shell, &mut Podscope::command(), "podscope", &mut script);
    args::print_data(&String::from_utf8_lossy(&script));
    ExitCode::SUCCESS
}

pub(crate) fn man(given: &ManArgs) -> ExitCode {
    let command = Podscope::command();
    let mut page = Vec::new();
    let written = match &given.dir {
        Some(dir) => clap_mangen::generate_to(command, dir),
        None => clap_mangen::Man::new(command).render(&mut page),
    };
    match written {
        Ok(()) => args::print_data(&String::from_utf8_lossy(&page)),
        Err(error) => {
            let dir = given.dir.as_deref().unwrap_or_else(|| "podscope.1".as_ref());
            args::print_error(format_args!("{}: {error}", dir.display()));
            return ExitCode::from(args::BAD_INPUT_STATUS);
        }
    }
    ExitCode::SUCCESS
}
