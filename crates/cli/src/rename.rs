//! `podscope rename`: prints the same objects with every private name replaced.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use clap::Args;
use podscope_session::rename::{RenamedFiles, rename, table_text};
use podscope_session::scenario::{self, File};

use crate::args;

/// Print the same objects with every private name replaced
///
/// What is not known to be public is renamed; equal names stay equal, and decisions stay the same.
#[derive(Debug, Args)]
pub(crate) struct RenameArgs {
    /// Files or folders; `-`, the default, is standard input
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// File for the renamed objects, instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<OsString>,
    /// File for the old and the new names side by side, which stays with the owner
    #[arg(long, value_name = "FILE")]
    table: Option<OsString>,
}

pub(crate) fn run(given: &RenameArgs) -> ExitCode {
    rename_files(given).map_or_else(|status| status, |()| ExitCode::SUCCESS)
}

fn rename_files(given: &RenameArgs) -> Result<(), ExitCode> {
    let files = args::read_files(&args::names_or_stdin(&given.files))?;
    let text = renamed_objects_yaml(&files, given.table.as_deref())?;
    match &given.output {
        Some(file) => write(file, &text)?,
        None => args::print_data(&text),
    }
    Ok(())
}

/// Returns the objects of the files as YAML, with private names replaced. Writes the old and new names to the file
/// `table`.
pub(crate) fn renamed_objects_yaml(files: &[File], table: Option<&OsStr>) -> Result<String, ExitCode> {
    // Reports unreadable input, which would otherwise be silently missing in the output.
    scenario::load(files).map_err(|problems| args::print_problems(&problems))?;
    let RenamedFiles { text, table: rows } = rename(files);
    if let Some(file) = table {
        write(file, &table_text(&rows))?;
    }
    Ok(text)
}

pub(crate) fn write(file: &OsStr, text: &str) -> Result<(), ExitCode> {
    std::fs::write(file, text).map_err(|error| {
        args::print_error(format_args!("{}: {error}", file.to_string_lossy()));
        ExitCode::from(args::BAD_INPUT_STATUS)
    })
}
