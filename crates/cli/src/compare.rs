//! `podscope compare`: two clusters, or one workload under several configurations of the scheduler.

use std::process::ExitCode;

use podscope_session::compare::{self, MOST_CONFIGURATIONS};
use podscope_session::scenario;

use crate::{args, interrupt};

#[derive(Clone, Copy, PartialEq)]
enum Output {
    Text,
    Json,
    Markdown,
}

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
            lexopt::Arg::Short('o') | lexopt::Arg::Long("output") => match &*parser.value()?.to_string_lossy() {
                "text" => output = Output::Text,
                "json" => output = Output::Json,
                "markdown" => output = Output::Markdown,
                other => return Err(format!("-o is text, json or markdown, not {other:?}").into()),
            },
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::help(crate::HELP)),
            other => return Err(other.unexpected()),
        }
    }
    let done = match (is_configuration, names.as_slice()) {
        (false, [one, other]) => clusters(one, other, output),
        (false, _) => return Err("compare takes two files, or a workload and --configs".into()),
        (true, []) => return Err("compare --configs needs a workload before it".into()),
        (true, _) if !(2..=MOST_CONFIGURATIONS).contains(&configurations.len()) => {
            return Err(format!("--configs takes two to {MOST_CONFIGURATIONS} files").into());
        }
        (true, workload) => under(workload, &configurations, output),
    };
    Ok(done.unwrap_or_else(|status| status))
}

fn clusters(one: &str, other: &str, output: Output) -> Result<ExitCode, ExitCode> {
    let load = |name: &str| {
        let files = args::files(&[name.to_owned()])?;
        scenario::load(&files).map_err(|problems| args::complain(&problems))
    };
    let difference = compare::clusters(load(one)?, load(other)?).map_err(|problems| args::complain(&problems))?;
    match output {
        Output::Text => args::out(&compare::difference_text(&difference)),
        Output::Markdown => args::out(&compare::difference_markdown(&difference)),
        Output::Json => args::data(&format!("{:#}\n", serde_json::json!(difference))),
    }
    Ok(ExitCode::SUCCESS)
}

fn under(workload: &[String], configurations: &[String], output: Output) -> Result<ExitCode, ExitCode> {
    let (workload, configurations) = (args::files(workload)?, args::files(configurations)?);
    let compared = compare::configurations(&workload, &configurations, interrupt::came);
    let comparison = compared.map_err(|problems| args::complain(&problems))?;
    match output {
        Output::Text => args::out(&compare::comparison_text(&comparison)),
        Output::Markdown => args::out(&compare::comparison_markdown(&comparison)),
        Output::Json => args::data(&format!("{:#}\n", serde_json::json!(comparison))),
    }
    Ok(ExitCode::SUCCESS)
}
