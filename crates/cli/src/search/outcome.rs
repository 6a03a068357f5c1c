//! What a search came to: printed, as JSON for `podscope merge`, and put together by it.

use std::process::ExitCode;
use std::sync::Arc;

use podscope_api::ordered;
use podscope_cluster::Record;
use serde::{Deserialize, Serialize};

use crate::{args, interrupt};

/// What a search came to.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Outcome {
    /// Seeds tried, and runs in which something broke.
    pub(super) seeds: u64,
    pub(super) runs: u64,
    pub(super) broken: Vec<Broken>,
    /// The shortest run that is what was looked for.
    pub(super) shortest: Option<Shortest>,
    /// What was looked for: an invariant, `bug` or `violation`.
    pub(super) wanted: String,
}

/// How often an invariant broke.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Broken {
    pub(super) invariant: String,
    pub(super) cause: String,
    pub(super) exception: String,
    pub(super) count: u64,
}

/// How often each invariant broke, by cause and exception.
#[derive(Debug, Default)]
pub(super) struct Tally(ordered::Map<(String, String, String), u64>);

impl Tally {
    /// Counts the breaks of a run.
    pub(super) fn add_all(&mut self, broken: &[Arc<Record>]) {
        for violation in broken.iter().filter_map(|record| record.violation()) {
            let exception = violation.by.exception.clone();
            self.add(Broken {
                invariant: violation.invariant.to_string(),
                cause: violation.cause.as_str().to_owned(),
                exception: exception.unwrap_or_else(|| violation.by.who.to_string()),
                count: 1,
            });
        }
    }

    fn add(&mut self, one: Broken) {
        *self.0.entry((one.invariant, one.cause, one.exception)).or_default() += one.count;
    }

    /// The rows, by invariant, cause and exception.
    pub(super) fn rows(self) -> Vec<Broken> {
        let row = |((invariant, cause, exception), count)| Broken {
            invariant,
            cause,
            exception,
            count,
        };
        self.0.into_iter().map(row).collect()
    }
}

/// A run as it is printed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Shortest {
    /// Parts, commands and faults, microseconds until the break, seed: smaller is shorter.
    pub(super) size: (usize, usize, i64, u64),
    /// What broke, in a sentence.
    pub(super) said: String,
    pub(super) is_bug: bool,
    pub(super) link: String,
    pub(super) scenario: String,
}

impl Outcome {
    /// Prints counts to stderr and, if asked for, the run to stdout. The exit status of the search.
    pub(super) fn tell(&self, is_whole: bool, prints_run: bool) -> ExitCode {
        args::say(format_args!(
            "{} seeds, something broke in {} of them",
            self.seeds, self.runs
        ));
        for one in &self.broken {
            args::say(format_args!(
                "{:>7} × {} ({}; {})",
                one.count, one.invariant, one.cause, one.exception
            ));
        }
        let Some(shortest) = &self.shortest else {
            args::say(format_args!("no {} in {} seeds", self.wanted, self.seeds));
            return if is_whole {
                ExitCode::SUCCESS
            } else {
                interrupt::status()
            };
        };
        args::say(&shortest.said);
        if let Some(warning) = podscope_session::link::warning(&shortest.link) {
            args::say(warning);
        }
        if prints_run {
            args::data(&format!("{}# link: #{}\n", shortest.scenario, shortest.link));
        }
        ExitCode::from(u8::from(shortest.is_bug))
    }
}

/// `podscope merge FILES…`: what the shards of a search printed with `-o json`, as one search.
pub(crate) fn merge(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let mut names = Vec::new();
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Value(value) => names.push(value.to_string_lossy().into_owned()),
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::help(crate::HELP)),
            other => return Err(other.unexpected()),
        }
    }
    if names.is_empty() {
        return Err("merge needs the files that `podscope search --shard I/N -o json` printed".into());
    }
    Ok(merged(&names).map_or_else(|status| status, |outcome| outcome.tell(true, true)))
}

fn merged(names: &[String]) -> Result<Outcome, ExitCode> {
    let mut whole = Outcome::default();
    let mut broken = Tally::default();
    for (name, text) in args::files(names)? {
        let part: Outcome = serde_json::from_str(&text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            args::say(format_args!(
                "{name}:{line}:{column}: this is not what `podscope search -o json` prints"
            ));
            ExitCode::from(args::BAD)
        })?;
        whole.seeds += part.seeds;
        whole.runs += part.runs;
        for one in part.broken {
            broken.add(one);
        }
        let shortest = [whole.shortest.take(), part.shortest].into_iter().flatten();
        whole.shortest = shortest.min_by_key(|one| one.size);
        whole.wanted = part.wanted;
    }
    whole.broken = broken.rows();
    Ok(whole)
}
