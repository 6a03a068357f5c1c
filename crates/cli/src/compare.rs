//! `podscope compare`: compares two clusters, or one workload under several configurations of the scheduler.

use std::process::ExitCode;

use podscope_session::compare::{self, MAX_CONFIGURATIONS};

use crate::args::{self, Output};
use crate::interrupt;

pub(crate) fn run(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let (mut names, mut configurations, mut output) = (Vec::new(), Vec::new(), Output::Text);
    let mut is_configuration = false;
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Long("configs") => is_configuration = true,
            lexopt::Arg::Value(value) => {
                let name = value.to_string_lossy().into_owned();
                match is_configuration {
                    true => configurations.push(name),
                    false => names.push(name),
                }
            }
            lexopt::Arg::Short('o') | lexopt::Arg::Long("output") => output = Output::parse(&parser.value()?)?,
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::print_help(crate::HELP)),
            other => return Err(other.unexpected()),
        }
    }
    let result = match (is_configuration, names.as_slice()) {
        (false, [one, other]) => compare_clusters(one, other, output),
        (false, _) => return Err("compare takes two files, or a workload and --configs".into()),
        (true, []) => return Err("compare --configs needs a workload before it".into()),
        (true, _) if !(2..=MAX_CONFIGURATIONS).contains(&configurations.len()) => {
            return Err(format!("--configs takes two to {MAX_CONFIGURATIONS} files").into());
        }
        (true, workload) => compare_configurations(workload, &configurations, output),
    };
    Ok(result.unwrap_or_else(|status| status))
}

fn compare_clusters(one: &str, other: &str, output: Output) -> Result<ExitCode, ExitCode> {
    let load = |name: &str| args::load(&[name.to_owned()]);
    let difference = compare::clusters(load(one)?, load(other)?).map_err(|problems| args::print_problems(&problems))?;
    output.print(
        || compare::difference_text(&difference),
        || compare::difference_markdown(&difference),
        || serde_json::json!(difference),
    );
    Ok(ExitCode::SUCCESS)
}

fn compare_configurations(
    workload: &[String],
    configurations: &[String],
    output: Output,
) -> Result<ExitCode, ExitCode> {
    let (workload, configurations) = (args::files(workload)?, args::files(configurations)?);
    let compared = compare::configurations(&workload, &configurations, interrupt::is_interrupted);
    let comparison = compared.map_err(|problems| args::print_problems(&problems))?;
    output.print(
        || compare::comparison_text(&comparison),
        || compare::comparison_markdown(&comparison),
        || serde_json::json!(comparison),
    );
    Ok(ExitCode::SUCCESS)
}
