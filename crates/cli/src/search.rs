//! `podscope search`: seeds tried on all processors, the shortest violating run printed. `--shard I/N` tries every Nth seed
//! from the Ith on, so that machines divide a search; `podscope merge` puts what they found together.

mod outcome;
mod swarm;

use std::process::ExitCode;

use podscope_cluster::BreakCause;

use podscope_kubectl::command;
use podscope_protocol::Problem;
use podscope_session::link::Link;
use podscope_session::search::{Found, Goal, Source, shrink};
use podscope_session::{export, scenario};

use crate::args;
pub(crate) use outcome::merge;
use outcome::{Outcome, Shortest};
use swarm::Seeds;

/// Of the runs that were found, this many of the smallest are made smaller still.
const SHRUNK: usize = 8;

/// What is asked for.
struct Asked {
    names: Vec<String>,
    history: Vec<String>,
    first: Option<u64>,
    seeds: u64,
    shard: Shard,
    goal: Goal,
    is_json: bool,
}

/// A part of the seeds: every `of`th one, from the `index`th on. Invariant: `1 <= index <= of`.
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
    /// Its seeds among so many from the first on.
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
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::help(crate::HELP)),
            other => return Err(other.unexpected()),
        }
    }
    let Some(seeds) = seeds else {
        return Err("search needs --seeds N".into());
    };
    if !names.is_empty() && !history.is_empty() {
        return Err("--history is for drawn runs; a file names its switches in spec.components.history".into());
    }
    // What is drawn is no user's experiment: only a bug is worth showing, unless an invariant is asked for.
    goal.only_bugs = names.is_empty() && (goal.invariant.is_none() || !history.is_empty());
    let asked = Asked {
        names,
        history,
        first,
        seeds,
        shard,
        goal,
        is_json,
    };
    Ok(try_seeds(asked).unwrap_or_else(|status| status))
}

fn try_seeds(asked: Asked) -> Result<ExitCode, ExitCode> {
    let complain = |problems: Vec<Problem>| args::complain(&problems);
    let (source, first) = if asked.names.is_empty() {
        let history = asked.history;
        (Source::Drawn { history }, asked.first.unwrap_or(0))
    } else {
        let files = args::files(&asked.names)?;
        let own = scenario::load(&files).map_err(complain)?.setup.seed;
        (Source::Files(files), asked.first.unwrap_or(own))
    };
    let seeds = asked.shard.seeds(first, asked.seeds);
    let tried = swarm::try_all(&source, &asked.goal, &seeds, SHRUNK).map_err(complain)?;
    let is_whole = tried.seeds == seeds.count;
    if !is_whole {
        args::say("podscope: interrupted: this is what there is");
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
            .map(shortest),
        wanted: asked.goal.invariant.unwrap_or_else(|| {
            let what = if asked.goal.only_bugs { "bug" } else { "violation" };
            what.to_owned()
        }),
    };
    if asked.is_json {
        args::data(&format!("{:#}\n", serde_json::json!(outcome)));
    }
    Ok(outcome.tell(is_whole, !asked.is_json))
}

/// A found run as it is printed.
fn shortest(mut found: Found) -> Shortest {
    let violation = found.record.violation().expect("a search finds violations").clone();
    let (parts, acts, at, seed) = found.size();
    let said = format!(
        "invariant {} broken at {at} with seed {seed} (cause: {}, {}): {}",
        violation.invariant,
        violation.cause.as_str(),
        violation.by,
        violation.seen,
    );
    // `podscope run` goes on for a minute after the last command: with a look at the pods when it broke, it gets there.
    if let Ok(look) = command::parse("kubectl get pods -A -o wide") {
        let _ = found.session.command(look);
    }
    Shortest {
        size: (parts, acts, at.0, seed),
        said,
        is_bug: violation.cause == BreakCause::Bug,
        link: Link::of(&found.session, None, String::new()).encode(),
        scenario: export::scenario(&found.session),
    }
}
