//! `podscope search`: tries seeds on all processors and prints the shortest run that violates an invariant. `--shard
//! I/N` tries every Nth seed starting with the Ith, so that several machines can share a search; `podscope merge`
//! combines their results.

mod client;
mod outcome;
mod processes;
mod swarm;

use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;
use podscope_api::fault::ViolationCause;

use podscope_protocol::Problem;
use podscope_session::link::Link;
use podscope_session::search::{FoundViolation, RunSource, SearchGoal, shrink};
use podscope_session::{export, scenario};

use crate::args::TextOrJson;
use crate::{args, serve};
use client::ClientSearch;
use outcome::{Outcome, ShortestRun};
use swarm::Seeds;

/// Maximum number of violating runs that are shrunk; the search selects the smallest ones.
const MAX_SHRUNK_RUNS: usize = 8;

/// Try seeds, and print the shortest run that breaks an invariant
///
/// With files, faults are drawn as their spec.search says; without, a cluster, workloads, commands and faults are all
/// drawn, and only bugs of the engine count unless an invariant is named. Prints the run as a scenario, with its link
/// in the last line; what broke how often goes to stderr. All processors share the seeds.
///
/// With a command after `--`, each seed has a server as of `podscope serve`, and the command runs against it, with its
/// address in KUBECONFIG and PODSCOPE_URL, one seed at a time. At the end of a run the command is killed with all processes
/// of its group. The first run in which an expectation of the files fails, or the named invariant breaks, ends the search.
/// Its faults are left out as far as the same failure comes again without them in each repetition (--repetitions), since
/// the command is a process that can do otherwise each time. The run is printed with what the command wrote to the API.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Files or folders; `-` is standard input
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// Number of seeds
    #[arg(long, value_name = "N")]
    seeds: u64,
    /// First seed, by default the scenario's, or else 0
    #[arg(long, value_name = "SEED", value_parser = args::parse_seed)]
    from: Option<u64>,
    /// Try every Nth seed from the Ith on, so that machines divide them; see `podscope merge`
    #[arg(long, value_name = "I/N", default_value = "1/1", value_parser = Shard::parse)]
    shard: Shard,
    /// Count only violations of this invariant
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = invariant_name_parser())]
    invariant: Option<String>,
    /// Turn a switch of the history on in drawn runs, to see the checks find what it breaks
    #[arg(long, value_name = "SWITCH", hide_possible_values = true, value_parser = switch_name_parser())]
    #[arg(conflicts_with = "files")]
    history: Vec<String>,
    /// Output format; `podscope merge` reads json
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: TextOrJson,
    /// How many times as fast as real time the cluster of a command runs
    #[arg(long, value_name = "N", default_value = "10", value_parser = serve::speed_factor, requires = "command")]
    speed: f64,
    /// A fault is removed from the failed run of a command if K more runs without it all fail in the same way; 0 keeps
    /// every fault
    #[arg(long, value_name = "K", default_value = "3", requires = "command")]
    repetitions: u32,
    /// Command to run against the cluster of each seed, such as an operator
    #[arg(last = true, value_name = "COMMAND", requires = "files")]
    command: Vec<String>,
}

impl SearchArgs {
    pub(crate) fn is_machine_readable(&self) -> bool {
        self.output == TextOrJson::Json
    }
}

/// Combine the outputs of `podscope search --shard I/N -o json` to the result of one search
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// What the shards printed
    #[arg(value_name = "FILE.json", required = true)]
    files: Vec<String>,
}

fn invariant_name_parser() -> PossibleValuesParser {
    podscope_cluster::INVARIANTS
        .iter()
        .map(|known| known.name)
        .collect::<Vec<_>>()
        .into()
}

fn switch_name_parser() -> PossibleValuesParser {
    podscope_cluster::Switches::NAMES.to_vec().into()
}

/// A part of the seeds: every `of`th seed, starting with the `index`th. Invariant: `1 <= index <= of`.
#[derive(Debug, Clone, Copy)]
struct Shard {
    index: u64,
    of: u64,
}

impl Shard {
    /// Returns the seeds of this shard among `count` seeds that start with `first`.
    fn seeds(self, first: u64, count: u64) -> Seeds {
        debug_assert!((1..=self.of).contains(&self.index), "parsing checks the range");
        let before = self.index - 1;
        Seeds {
            first: first.wrapping_add(before),
            step: self.of,
            count: count.saturating_sub(before).div_ceil(self.of),
        }
    }

    fn parse(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(index, of)| {
            let (index, of) = (index.parse().ok()?, of.parse().ok()?);
            (index >= 1 && index <= of).then_some(Shard { index, of })
        });
        parts.ok_or_else(|| "not I/N, with I from 1 to N".to_owned())
    }
}

pub(crate) fn run(given: &SearchArgs) -> ExitCode {
    try_seeds(given).unwrap_or_else(|status| status)
}

pub(crate) fn merge(given: &MergeArgs) -> ExitCode {
    outcome::merge_files(&given.files).map_or_else(|status| status, |outcome| outcome.print(true, true))
}

fn try_seeds(given: &SearchArgs) -> Result<ExitCode, ExitCode> {
    let is_generated = given.files.is_empty();
    let goal = SearchGoal {
        invariant: given.invariant.clone(),
        // In generated runs only bugs are worth reporting, unless the user selects an invariant.
        only_bugs: is_generated && (given.invariant.is_none() || !given.history.is_empty()),
    };
    let print_problems = |problems: Vec<Problem>| args::print_problems(&problems);
    let (source, first) = if is_generated {
        let history = given.history.clone();
        (RunSource::Generated { history }, given.from.unwrap_or(0))
    } else {
        let files = args::read_files(&given.files)?;
        let scenario_seed = scenario::load(&files).map_err(print_problems)?.setup.seed;
        (RunSource::Files(files), given.from.unwrap_or(scenario_seed))
    };
    let seeds = given.shard.seeds(first, given.seeds);
    if !given.command.is_empty() {
        return search_with_client(given, source, goal, &seeds);
    }
    let tried = swarm::try_all(&source, &goal, &seeds, MAX_SHRUNK_RUNS).map_err(print_problems)?;
    let is_complete = tried.seeds == seeds.count;
    let outcome = Outcome {
        seeds: tried.seeds,
        runs: tried.runs,
        broken: tried.broken.rows(),
        shortest: tried
            .found
            .into_iter()
            .map(shrink)
            .min_by_key(FoundViolation::ordering_key)
            .map(to_shortest),
        wanted: goal.invariant.unwrap_or_else(|| {
            let wanted = if goal.only_bugs { "bug" } else { "violation" };
            wanted.to_owned()
        }),
    };
    Ok(print(&outcome, given.output, is_complete))
}

/// Prints an outcome in the given format. Returns the exit status.
fn print(outcome: &Outcome, format: TextOrJson, is_complete: bool) -> ExitCode {
    if !is_complete {
        args::print_error("podscope: interrupted: this is what there is");
    }
    if format == TextOrJson::Json {
        args::print_data(&format!("{:#}\n", serde_json::json!(outcome)));
    }
    outcome.print(is_complete, format == TextOrJson::Text)
}

fn search_with_client(
    given: &SearchArgs,
    source: RunSource,
    goal: SearchGoal,
    seeds: &Seeds,
) -> Result<ExitCode, ExitCode> {
    let RunSource::Files(files) = source else {
        return Err(ExitCode::from(args::BAD_INPUT_STATUS));
    };
    let search = ClientSearch {
        files,
        command: &given.command,
        speed: given.speed,
        goal,
        repetitions: given.repetitions,
    };
    let outcome = search.try_all(seeds)?;
    // A search that found a failed run is complete, although it ended early.
    let is_complete = outcome.shortest.is_some() || outcome.seeds == seeds.count;
    Ok(print(&outcome, given.output, is_complete))
}

/// Converts the shortest found run to its printed form.
fn to_shortest(found: FoundViolation) -> ShortestRun {
    let (parts, acts, at, seed) = found.ordering_key();
    let (said, cause) = (
        found.violation_sentence(),
        found.record.violation().map(|violation| violation.cause),
    );
    let session = found.into_session();
    ShortestRun {
        size: (parts, acts, at.0, seed),
        said,
        is_bug: cause == Some(ViolationCause::Bug),
        link: Link::of(&session, None, String::new()).encode(),
        scenario: export::scenario(&session),
    }
}
