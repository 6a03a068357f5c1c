//! `podscope compare`: compares two clusters, or one workload under several configurations of the scheduler.

use std::process::ExitCode;

use clap::Args;
use podscope_protocol::markdown;
use podscope_session::compare::{self, MAX_CONFIGURATIONS};

use crate::args::{self, AnswerFormat, UsageError};
use crate::interrupt;

/// Compare two clusters, or one workload under several configurations of the scheduler
///
/// Two files: objects and their fields, pods that run elsewhere, how full the nodes are, and what is wrong in one and
/// not in the other.
///
/// With --configs: the same files under each KubeSchedulerConfiguration until nothing moves: what was placed, how
/// evenly the nodes are used, the largest pod that still fits, preemptions, time to place, and the pods that differ.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Two clusters, or the files of one workload
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// Two to five KubeSchedulerConfigurations
    #[arg(long, value_name = "FILE", num_args = 1..)]
    configs: Vec<String>,
    /// Output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: AnswerFormat,
}

impl CompareArgs {
    pub(crate) fn is_machine_readable(&self) -> bool {
        self.output == AnswerFormat::Json
    }
}

pub(crate) fn run(given: &CompareArgs) -> Result<ExitCode, UsageError> {
    let (configurations, output) = (&given.configs, given.output);
    let result = match (configurations.is_empty(), given.files.as_slice()) {
        (true, [one, other]) => compare_clusters(one, other, output),
        (true, _) => return Err("compare takes two files, or a workload and --configs".into()),
        (false, _) if !(2..=MAX_CONFIGURATIONS).contains(&configurations.len()) => {
            return Err(format!("--configs takes two to {MAX_CONFIGURATIONS} files").into());
        }
        (false, workload) => compare_configurations(workload, configurations, output),
    };
    Ok(result.unwrap_or_else(|status| status))
}

fn compare_clusters(one: &str, other: &str, output: AnswerFormat) -> Result<ExitCode, ExitCode> {
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
    output: AnswerFormat,
) -> Result<ExitCode, ExitCode> {
    let (workload, configurations) = (args::read_files(workload)?, args::read_files(configurations)?);
    let compared = compare::configurations(&workload, &configurations, interrupt::is_interrupted);
    let comparison = compared.map_err(|problems| args::print_problems(&problems))?;
    output.print(
        || compare::comparison_text(&comparison),
        || markdown::print(&compare::comparison_markdown(&comparison)),
        || serde_json::json!(comparison),
    );
    Ok(ExitCode::SUCCESS)
}
