//! `podscope search`: tries seeds on all processors and prints the shortest run that violates an invariant. `--shard
//! I/N` tries every Nth seed starting with the Ith, so that several machines can share a search; `podscope merge`
//! combines their results.

mod outcome;
mod swarm;

use std::process::ExitCode;

use podscope_cluster::ViolationCause;

use podscope_kubectl::command;
use podscope_protocol::Problem;
use podscope_session::link::Link;
use podscope_session::search::{Found, Goal, Source, shrink};
use podscope_session::{export, scenario};

use crate::args;
pub(crate) use outcome::merge;
use outcome::{Outcome, Shortest};
use swarm::Seeds;

/// Number of the smallest found runs that are shrunk further.
const SHRUNK: usize = 8;

/// Arguments of a search.
struct SearchArgs {
    names: Vec<String>,
    history: Vec<String>,
    first: Option<u64>,
    seeds: u64,
    shard: Shard,
    goal: Goal,
    is_json: bool,
}

/// A part of the seeds: every `of`th one, starting with the `index`th. Invariant: `1 <= index <= of`.
#[derive(Debug, Clone, Copy)]
struct Shard {
    index: u64,
    of: u64,
}

impl Default for Shard {
    fn default() -> Self {
        Shard { index: 1, of: 1 }
    }
}

impl Shard {
    /// The seeds of this shard among `count` seeds that start with `first`.
    fn seeds(self, first: u64, count: u64) -> Seeds {
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
        parts.ok_or_else(|| format!("--shard takes I/N, with I from 1 to N, not {text:?}"))
    }
}

pub(crate) fn run(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let (mut names, mut seeds, mut first, mut goal) = (Vec::new(), None, None, Goal::default());
    let (mut history, mut shard, mut is_json) = (Vec::new(), Shard::default(), false);
    let number = |parser: &mut lexopt::Parser, flag: &str| -> Result<u64, lexopt::Error> {
        let text = parser.value()?.to_string_lossy().into_owned();
        text.parse::<u64>()
            .map_err(|_| format!("{flag} takes a number, not {text:?}").into())
    };
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Value(value) => names.push(value.to_string_lossy().into_owned()),
            lexopt::Arg::Long("seeds") => seeds = Some(number(&mut parser, "--seeds")?),
            lexopt::Arg::Long("from") => first = Some(number(&mut parser, "--from")?),
            lexopt::Arg::Long("shard") => shard = Shard::parse(&parser.value()?.to_string_lossy())?,
            lexopt::Arg::Short('o') | lexopt::Arg::Long("output") => match &*parser.value()?.to_string_lossy() {
                "text" => is_json = false,
                "json" => is_json = true,
                other => return Err(format!("-o is text or json, not {other:?}").into()),
            },
            lexopt::Arg::Long("invariant") => {
                let name = parser.value()?.to_string_lossy().into_owned();
                if !podscope_cluster::INVARIANTS.iter().any(|known| known.name == name) {
                    return Err(format!("there is no invariant {name:?}").into());
                }
                goal.invariant = Some(name);
            }
            lexopt::Arg::Long("history") => {
                let name = parser.value()?.to_string_lossy().into_owned();
                let known = podscope_cluster::Switches::NAMES;
                if !known.contains(&name.as_str()) {
                    return Err(format!("there is no switch {name:?}; known are {}", known.join(", ")).into());
                }
                history.push(name);
            }
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::print_help(crate::HELP)),
            other => return Err(other.unexpected()),
        }
    }
    let Some(seeds) = seeds else {
        return Err("search needs --seeds N".into());
    };
    if !names.is_empty() && !history.is_empty() {
        return Err("--history is for drawn runs; a file names its switches in spec.components.history".into());
    }
    // A drawn run is nobody's experiment: only bugs are worth reporting there, unless the user asks for an invariant.
    goal.only_bugs = names.is_empty() && (goal.invariant.is_none() || !history.is_empty());
    let search = SearchArgs {
        names,
        history,
        first,
        seeds,
        shard,
        goal,
        is_json,
    };
    Ok(try_seeds(search).unwrap_or_else(|status| status))
}

fn try_seeds(search: SearchArgs) -> Result<ExitCode, ExitCode> {
    let print_problems = |problems: Vec<Problem>| args::print_problems(&problems);
    let (source, first) = if search.names.is_empty() {
        let history = search.history;
        (Source::Drawn { history }, search.first.unwrap_or(0))
    } else {
        let files = args::files(&search.names)?;
        let scenario_seed = scenario::load(&files).map_err(print_problems)?.setup.seed;
        (Source::Files(files), search.first.unwrap_or(scenario_seed))
    };
    let seeds = search.shard.seeds(first, search.seeds);
    let tried = swarm::try_all(&source, &search.goal, &seeds, SHRUNK).map_err(print_problems)?;
    let is_complete = tried.seeds == seeds.count;
    if !is_complete {
        args::print_error("podscope: interrupted: this is what there is");
    }
    let outcome = Outcome {
        seeds: tried.seeds,
        runs: tried.runs,
        broken: tried.broken.rows(),
        shortest: tried
            .found
            .into_iter()
            .map(shrink)
            .min_by_key(Found::size)
            .map(to_shortest),
        wanted: search.goal.invariant.unwrap_or_else(|| {
            let wanted = if search.goal.only_bugs { "bug" } else { "violation" };
            wanted.to_owned()
        }),
    };
    if search.is_json {
        args::print_data(&format!("{:#}\n", serde_json::json!(outcome)));
    }
    Ok(outcome.print(is_complete, !search.is_json))
}

/// Converts the shortest found run to its printed form.
fn to_shortest(mut found: Found) -> Shortest {
    let violation = found.record.violation().expect("a search finds violations").clone();
    let (parts, acts, at, seed) = found.size();
    let said = format!(
        "invariant {} broken at {at} with seed {seed} (cause: {}, {}): {}",
        violation.invariant,
        violation.cause.as_str(),
        violation.by,
        violation.seen,
    );
    // `podscope run` continues for a minute after the last command. A `get pods` at the time of the violation makes the
    // exported scenario run far enough to show it.
    if let Ok(get_pods) = command::parse("kubectl get pods -A -o wide") {
        let _ = found.session.command(get_pods);
    }
    Shortest {
        size: (parts, acts, at.0, seed),
        said,
        is_bug: violation.cause == ViolationCause::Bug,
        link: Link::of(&found.session, None, String::new()).encode(),
        scenario: export::scenario(&found.session),
    }
}
