//! `podscope search`: seeds tried one after the other, the shortest violating run printed.

use podscope_api::ordered;
use podscope_api::ordered::StableSort as _;
use podscope_cluster::BreakCause;
use std::process::ExitCode;

use podscope_kubectl::command;
use podscope_protocol::Problem;
use podscope_session::link::Link;
use podscope_session::search::{Found, Goal, Run, Source, shrink};
use podscope_session::{export, scenario};

use crate::progress::Progress;
use crate::{args, interrupt};

/// Of the runs that were found, this many of the smallest are made smaller still.
const SHRUNK: usize = 8;

pub(crate) fn run(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let (mut names, mut seeds, mut first, mut goal) = (Vec::new(), None, None, Goal::default());
    let mut history = Vec::new();
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
    Ok(try_seeds(&names, history, first, seeds, &goal).unwrap_or_else(|status| status))
}

fn try_seeds(
    names: &[String],
    history: Vec<String>,
    first: Option<u64>,
    seeds: u64,
    goal: &Goal,
) -> Result<ExitCode, ExitCode> {
    let complain = |problems: Vec<Problem>| args::complain(&problems);
    let (source, first) = if names.is_empty() {
        (Source::Drawn { history }, first.unwrap_or(0))
    } else {
        let files = args::files(names)?;
        let own = scenario::load(&files).map_err(complain)?.setup.seed;
        (Source::Files(files), first.unwrap_or(own))
    };
    let mut tally = Tally::default();
    let mut found: Vec<Found> = Vec::new();
    let mut progress = Progress::of_seeds(seeds);
    let mut tried = 0;
    for seed in (0..seeds).map(|offset| first.wrapping_add(offset)) {
        if interrupt::came() {
            break;
        }
        progress.at(tried, || format!("{} with a break", tally.runs));
        tried += 1;
        let run = Run::draw(&source, seed).map_err(complain)?;
        let played = run.play(goal).map_err(complain)?;
        tally.add(&played.broken);
        found.extend(played.found);
        found.stable_sort_by_key(Found::size);
        found.truncate(SHRUNK);
    }
    drop(progress);
    if tried < seeds {
        args::say("podscope: interrupted: this is what there is");
    }
    args::say(tally.text(tried).trim_end());
    let Some(mut found) = found.into_iter().map(shrink).min_by_key(Found::size) else {
        let what = goal
            .invariant
            .as_deref()
            .unwrap_or(if goal.only_bugs { "bug" } else { "violation" });
        args::say(format_args!("no {what} in {tried} seeds"));
        return Ok(if tried < seeds {
            interrupt::status()
        } else {
            ExitCode::SUCCESS
        });
    };
    let violation = found.record.violation().expect("a search finds violations").clone();
    args::say(format_args!(
        "invariant {} broken at {} with seed {} (cause: {}, {}): {}",
        violation.invariant,
        found.record.at,
        found.run.seed,
        violation.cause.as_str(),
        violation.by,
        violation.seen,
    ));
    // `podscope run` goes on for a minute after the last command: with a look at the pods when it broke, it gets there.
    if let Ok(look) = command::parse("kubectl get pods -A -o wide") {
        let _ = found.session.command(look);
    }
    let link = Link::of(&found.session, None, String::new()).encode();
    if let Some(warning) = podscope_session::link::warning(&link) {
        args::say(format_args!("{warning}"));
    }
    args::data(&format!("{}# link: #{link}\n", export::scenario(&found.session)));
    Ok(ExitCode::from(u8::from(violation.cause == BreakCause::Bug)))
}

/// How often each invariant broke, by cause and exception.
#[derive(Default)]
struct Tally {
    runs: u64,
    rows: ordered::Map<(String, String, String), u64>,
}

impl Tally {
    fn add(&mut self, broken: &[std::sync::Arc<podscope_cluster::Record>]) {
        self.runs += u64::from(!broken.is_empty());
        for violation in broken.iter().filter_map(|record| record.violation()) {
            let row = (
                violation.invariant.to_string(),
                violation.cause.as_str().to_owned(),
                violation
                    .by
                    .exception
                    .clone()
                    .unwrap_or_else(|| violation.by.who.to_string()),
            );
            *self.rows.entry(row).or_default() += 1;
        }
    }

    fn text(&self, seeds: u64) -> String {
        let mut text = format!("{seeds} seeds, something broke in {} of them\n", self.runs);
        for ((invariant, cause, exception), count) in &self.rows {
            text.push_str(&format!("{count:>7} × {invariant} ({cause}; {exception})\n"));
        }
        text
    }
}
