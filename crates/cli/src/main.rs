//! The `podscope` command line: reads arguments and files, and prints results. The simulation itself is in the other
//! crates.
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
mod link;
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

const HELP: &str = include_str!("help.txt");

fn main() -> ExitCode {
    interrupt::listen();
    let mut parser = lexopt::Parser::from_env();
    if plugin::is_invoked() {
        return plugin::run(parser).unwrap_or_else(args::usage_error);
    }
    let command = match parser.next() {
        Ok(Some(lexopt::Arg::Value(value))) => value.to_string_lossy().into_owned(),
        Ok(Some(lexopt::Arg::Long("help") | lexopt::Arg::Short('h'))) => {
            args::print_text(HELP);
            return ExitCode::SUCCESS;
        }
        Ok(Some(lexopt::Arg::Long("version") | lexopt::Arg::Short('V'))) => {
            args::print_text(concat!("podscope ", env!("CARGO_PKG_VERSION"), "\n"));
            return ExitCode::SUCCESS;
        }
        Ok(Some(other)) => return args::usage_error(other.unexpected()),
        Ok(None) => return args::usage_error("a command is missing"),
        Err(error) => return args::usage_error(error),
    };
    let result = match command.as_str() {
        "run" => run::run(parser),
        "check" => run::check(parser),
        "bench" => bench::run(parser),
        "link" => link::link(parser),
        "search" => search::run(parser),
        "merge" => search::merge(parser),
        "serve" => serve::run(parser),
        "shell" => shell::run(parser),
        "explain" => explain(parser),
        "whatif" => whatif::run(parser),
        "compare" => compare::run(parser),
        "why" => why::run(parser),
        "rename" => rename::run(parser),
        "course" => course::run(parser),
        "scorm" => course::scorm(parser),
        "grade" => grade::run(parser),
        "practice" => practice::run(parser),
        "help" => {
            args::print_text(HELP);
            Ok(ExitCode::SUCCESS)
        }
        other => Err(format!("there is no command {other:?}").into()),
    };
    result.unwrap_or_else(args::usage_error)
}

fn explain(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let (mut cases, mut check) = (None, false);
    let (mut cluster, mut pod, mut json) = (Vec::new(), None, false);
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Long("cases") => cases = Some(parser.value()?.to_string_lossy().into_owned()),
            lexopt::Arg::Long("check") => check = true,
            lexopt::Arg::Long("cluster") => cluster.push(parser.value()?.to_string_lossy().into_owned()),
            // Several files may follow one flag, because a shell expands a glob pattern to several words.
            lexopt::Arg::Value(value) if !cluster.is_empty() => cluster.push(value.to_string_lossy().into_owned()),
            lexopt::Arg::Long("pod") => pod = Some(parser.value()?.to_string_lossy().into_owned()),
            lexopt::Arg::Short('o') => match &*parser.value()?.to_string_lossy() {
                "text" => json = false,
                "json" => json = true,
                other => return Err(format!("-o is text or json, not {other:?}").into()),
            },
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::print_help(HELP)),
            other => return Err(other.unexpected()),
        }
    }
    match (cases, cluster.as_slice(), pod) {
        (Some(file), [], None) => Ok(explain_cases::run(&file, check)),
        (None, [_, ..], Some(pod)) => Ok(explain::run(&cluster, &pod, json)),
        _ => Err("explain needs --cases FILE, or --cluster FILE and --pod NS/NAME".into()),
    }
}
