//! `podscope rename`: prints the same objects with every private name replaced.

use std::process::ExitCode;

use podscope_session::rename::{Renamed, printed, rename};
use podscope_session::scenario::{self, File};

use crate::args;

pub(crate) fn run(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let (mut names, mut output, mut table) = (Vec::new(), None, None);
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Value(value) => names.push(value.to_string_lossy().into_owned()),
            lexopt::Arg::Short('o') | lexopt::Arg::Long("output") => output = Some(parser.value()?),
            lexopt::Arg::Long("table") => table = Some(parser.value()?),
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::print_help(crate::HELP)),
            other => return Err(other.unexpected()),
        }
    }
    if names.is_empty() {
        names.push("-".to_owned());
    }
    Ok(rename_files(&names, output, table).unwrap_or_else(|status| status))
}

fn rename_files(
    names: &[String],
    output: Option<std::ffi::OsString>,
    table: Option<std::ffi::OsString>,
) -> Result<ExitCode, ExitCode> {
    let text = renamed(&args::files(names)?, table.as_deref())?;
    match output {
        Some(file) => write(&file, &text)?,
        None => args::print_data(&text),
    }
    Ok(ExitCode::SUCCESS)
}

/// The objects of the files with private names replaced, as YAML. Writes the old and new names to `table`.
pub(crate) fn renamed(files: &[File], table: Option<&std::ffi::OsStr>) -> Result<String, ExitCode> {
    // Unreadable input is reported: `rename` would silently leave it out of its output.
    scenario::load(files).map_err(|problems| args::print_problems(&problems))?;
    let Renamed { text, table: rows } = rename(files);
    if let Some(file) = table {
        write(file, &printed(&rows))?;
    }
    Ok(text)
}

pub(crate) fn write(file: &std::ffi::OsStr, text: &str) -> Result<(), ExitCode> {
    std::fs::write(file, text).map_err(|error| {
        args::print_error(format_args!("{}: {error}", file.to_string_lossy()));
        ExitCode::from(args::BAD_INPUT)
    })
}
