//! Result of a search: printed as text or JSON, and combined by `podscope merge`.

use std::process::ExitCode;
use std::sync::Arc;

use podscope_api::ordered;
use podscope_cluster::Record;
use podscope_messages::t;
use serde::{Deserialize, Serialize};

use crate::{args, interrupt};

/// Result of a search, or of one shard of it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Outcome {
    /// Number of tried seeds; `runs` counts those with a violation.
    pub(super) seeds: u64,
    pub(super) runs: u64,
    pub(super) broken: Vec<ViolationCount>,
    /// The shortest run with a violation that meets the goal.
    pub(super) shortest: Option<ShortestRun>,
    /// Goal of the search: the name of an invariant, `bug` or `violation`.
    pub(super) wanted: String,
}

/// Number of violations of one invariant with the same kind of cause and the same exception. For violations without a
/// documented exception, `exception` is the command, fault or component that caused them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct ViolationCount {
    pub(super) invariant: String,
    pub(super) cause: String,
    pub(super) exception: String,
    pub(super) count: u64,
}

/// Counts violations by invariant, cause and exception.
#[derive(Debug, Default)]
pub(super) struct ViolationCounts(ordered::Map<(String, String, String), u64>);

impl ViolationCounts {
    /// Counts the violations of a run.
    pub(super) fn add_all(&mut self, violations: &[Arc<Record>]) {
        for violation in violations.iter().filter_map(|record| record.violation()) {
            let exception = violation.by.exception.clone();
            self.add(ViolationCount {
                invariant: violation.invariant.to_string(),
                cause: violation.cause.as_str().to_owned(),
                exception: exception.unwrap_or_else(|| violation.by.who.english()),
                count: 1,
            });
        }
    }

    fn add(&mut self, row: ViolationCount) {
        *self.0.entry((row.invariant, row.cause, row.exception)).or_default() += row.count;
    }

    /// Returns the counts, ordered by invariant, cause and exception.
    pub(super) fn rows(self) -> Vec<ViolationCount> {
        let row = |((invariant, cause, exception), count)| ViolationCount {
            invariant,
            cause,
            exception,
            count,
        };
        self.0.into_iter().map(row).collect()
    }
}

/// The shortest run in its printed form.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShortestRun {
    /// Sort key: number of generated parts of the run (files, commands and faults), number of scheduled commands and
    /// faults, microseconds until the violation, seed.
    pub(super) size: (usize, usize, i64, u64),
    /// The violation, with its time and seed, as a sentence.
    pub(super) said: String,
    pub(super) is_bug: bool,
    pub(super) link: String,
    pub(super) scenario: String,
}

impl Outcome {
    /// Prints the counts to stderr and, with `prints_run`, the run to stdout. Returns the exit status of the search.
    pub(super) fn print(&self, is_complete: bool, prints_run: bool) -> ExitCode {
        args::print_error(t!(cli_search::counts, seeds = self.seeds, runs = self.runs));
        for one in &self.broken {
            args::print_error(format_args!(
                "{:>7} × {} ({}; {})",
                one.count, one.invariant, one.cause, one.exception
            ));
        }
        let Some(shortest) = &self.shortest else {
            args::print_error(t!(cli_search::none, wanted = self.wanted, seeds = self.seeds));
            return if is_complete {
                ExitCode::SUCCESS
            } else {
                interrupt::interrupted_status()
            };
        };
        args::print_error(&shortest.said);
        if let Some(warning) = podscope_session::link::length_warning(&shortest.link) {
            args::print_error(warning);
        }
        if prints_run {
            args::print_data(&format!("{}# link: #{}\n", shortest.scenario, shortest.link));
        }
        ExitCode::from(u8::from(shortest.is_bug))
    }
}

/// Combines the outputs of `podscope search --shard I/N -o json` to the result of one search.
pub(super) fn merge_files(names: &[String]) -> Result<Outcome, ExitCode> {
    let mut whole = Outcome::default();
    let mut counts = ViolationCounts::default();
    for (name, text) in args::read_files(names)? {
        let part: Outcome = serde_json::from_str(&text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            args::print_error(format_args!(
                "{name}:{line}:{column}: this is not what `podscope search -o json` prints"
            ));
            ExitCode::from(args::BAD_INPUT_STATUS)
        })?;
        whole.seeds += part.seeds;
        whole.runs += part.runs;
        for one in part.broken {
            counts.add(one);
        }
        let shortest = [whole.shortest.take(), part.shortest].into_iter().flatten();
        whole.shortest = shortest.min_by_key(|one| one.size);
        whole.wanted = part.wanted;
    }
    whole.broken = counts.rows();
    Ok(whole)
}
