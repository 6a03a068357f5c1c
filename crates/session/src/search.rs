//! Seed search: plays one random run per seed until an invariant is violated, then shrinks that run. In a run, either
//! the user's files are played with the faults that `spec.search` lists, or everything is generated: cluster,
//! workloads, commands and faults. Every fault is repaired, and a quiet period follows, so that liveness invariants can
//! be checked.
//!
//! A run has a list of parts, which shrinking removes individually: an object, or a fault or command together with its
//! repair.

mod devices;
mod faults;
mod shrink;
mod workloads;

use std::sync::Arc;

use podscope_api::fault::ViolationCause;
use podscope_api::ordered::StableSort as _;
use podscope_cluster::{Record, Rng, SimTime, Span};
use podscope_kubectl::command;

use crate::scenario::{self, File, Loaded, Timed};
use crate::timeline::{Session, Slice};
use podscope_protocol::Problem;
pub use shrink::shrink;

/// Where the cluster, workloads and faults of a run come from.
#[derive(Debug, Clone)]
pub enum RunSource {
    /// The user's files. Faults are generated according to `spec.search`.
    Files(Vec<File>),
    /// Everything is generated. `history` lists the history switches that are on: each turns on a behavior of older
    /// Kubernetes versions (F-20).
    Generated { history: Vec<String> },
}

/// Which violations of invariants end a seed search.
#[derive(Debug, Clone, Default)]
pub struct SearchGoal {
    /// Name of the invariant whose violation ends the search. None: any invariant.
    pub invariant: Option<String>,
    /// Whether to ignore violations that are attributed to a command or a fault.
    pub only_bugs: bool,
}

impl SearchGoal {
    /// Returns whether a record is a violation that ends the search according to this goal.
    pub fn is_met_by(&self, record: &Record) -> bool {
        record.violation().is_some_and(|violation| {
            let is_named = |name: &String| *violation.invariant == **name;
            self.invariant.as_ref().is_none_or(is_named) && (!self.only_bugs || violation.cause == ViolationCause::Bug)
        })
    }
}

/// A generated part of a run, which shrinking can remove.
#[derive(Debug, Clone, PartialEq)]
pub enum RunPart {
    /// Kubernetes objects, as a separate file.
    Objects(File),
    /// A fault or command, followed by the command that reverts it.
    Commands(Vec<Timed>),
}

/// What a run consists of: initial objects and scheduled commands.
#[derive(Debug, Clone)]
pub struct Run {
    pub seed: u64,
    /// The generated parts of the run, in addition to `files`.
    pub parts: Vec<RunPart>,
    files: Vec<File>,
    until: SimTime,
}

/// A run with a violation that meets the goal.
#[derive(Debug, Clone)]
pub struct FoundViolation {
    pub run: Run,
    /// The first violation that meets the goal.
    pub record: Arc<Record>,
    /// The session at the instant of the violation.
    pub session: Box<Session>,
}

impl FoundViolation {
    /// Returns faults and commands of the run, ordered by time.
    pub fn schedule(&self) -> Vec<Timed> {
        self.run.schedule()
    }

    /// Returns a sentence with the violated invariant, its time and its cause.
    pub fn violation_sentence(&self) -> String {
        let Some(violation) = self.record.violation() else {
            return String::new();
        };
        format!(
            "invariant {} broken at {} with seed {} (cause: {}, {}): {}",
            violation.invariant,
            self.record.at,
            self.run.seed,
            violation.cause.as_str(),
            violation.by.sentence(),
            violation.seen,
        )
    }

    /// Returns the session with a final command `get pods`, to be exported as a scenario. `podscope run` continues for
    /// a minute after the last command; without `get pods` at the time of the violation, the exported scenario might
    /// end before the violation.
    pub fn into_session(self) -> Session {
        let mut session = *self.session;
        if let Ok(get_pods) = command::parse("kubectl get pods -A -o wide") {
            // If the session accepts no more commands, it is returned without `get pods`.
            let _ = session.command(get_pods);
        }
        session
    }

    /// Returns the key by which runs are ordered: the number of parts, then the number of commands, then the time of
    /// the violation, then the seed.
    pub fn ordering_key(&self) -> (usize, usize, SimTime, u64) {
        let run = &self.run;
        (run.parts.len(), run.schedule().len(), self.record.at, run.seed)
    }
}

impl Run {
    /// Generates the run of a seed.
    ///
    /// # Errors
    /// The files cannot be read.
    pub fn generate(source: &RunSource, seed: u64) -> Result<Run, Vec<Problem>> {
        match source {
            RunSource::Files(files) => Run::generate_faults(files, seed),
            RunSource::Generated { history } => Ok(workloads::generate_run(seed, history)),
        }
    }

    /// Generates a scenario's faults for a seed, according to its `spec.search`.
    ///
    /// # Errors
    /// The files cannot be read.
    pub fn generate_faults(files: &[File], seed: u64) -> Result<Run, Vec<Problem>> {
        let loaded = scenario::load(files)?;
        let search = loaded.scenario.search.clone();
        let session = Session::new(loaded)?;
        let nodes: Vec<String> = session.world().machines().map(|(name, _)| name.to_string()).collect();
        let mut rng = Rng::split(seed, "search");
        let count = 1 + rng.below(u64::from(search.max));
        let parts = (0..count).filter_map(|_| faults::generate_fault(&mut rng, &search.faults, &nodes, search.horizon));
        Ok(Run {
            seed,
            parts: parts.collect(),
            files: files.to_vec(),
            until: SimTime::ZERO + search.horizon,
        })
    }

    /// Returns faults and commands of the run, ordered by time.
    pub fn schedule(&self) -> Vec<Timed> {
        let commands = self.parts.iter().filter_map(|part| match part {
            RunPart::Commands(commands) => Some(commands),
            RunPart::Objects(_) => None,
        });
        let mut schedule: Vec<Timed> = commands.flatten().cloned().collect();
        schedule.stable_sort_by_key(|timed| timed.at);
        schedule
    }

    /// Loads the run's files, and the objects of the parts that have not been removed.
    fn loaded(&self) -> Result<Loaded, Vec<Problem>> {
        let mut files = self.files.clone();
        files.extend(self.parts.iter().filter_map(|part| match part {
            RunPart::Objects(file) => Some(file.clone()),
            RunPart::Commands(_) => None,
        }));
        let mut loaded = scenario::load(&files)?;
        loaded.setup.seed = self.seed;
        Ok(loaded)
    }

    /// Plays the run to its end, or until the goal is met.
    ///
    /// # Errors
    /// The API server refuses an object.
    pub fn play(&self, goal: &SearchGoal) -> Result<PlayedRun, Vec<Problem>> {
        self.play_until(goal, self.until)
    }

    fn play_until(&self, goal: &SearchGoal, until: SimTime) -> Result<PlayedRun, Vec<Problem>> {
        let mut session = Session::new(self.loaded()?)?;
        session.schedule(self.schedule());
        let (mut seen, mut found) = (0, None);
        loop {
            let slice = session.advance(until, EVENTS_PER_CHECK);
            found = found.or_else(|| {
                session
                    .violations()
                    .skip(seen)
                    .find(|record| goal.is_met_by(record))
                    .cloned()
            });
            seen = session.violations().count();
            if found.is_some() || slice != Slice::More {
                break;
            }
        }
        let broken = session.violations().cloned().collect();
        let found = found.map(|record| FoundViolation {
            run: self.clone(),
            record,
            session: Box::new(session),
        });
        Ok(PlayedRun { broken, found })
    }
}

/// Number of simulation events between two checks for new violations.
const EVENTS_PER_CHECK: u64 = 500;

/// Result of playing a run.
#[derive(Debug, Clone)]
pub struct PlayedRun {
    /// All violations in the order of the trace, including those that are attributed to a command or a fault.
    pub broken: Vec<Arc<Record>>,
    /// The violation that meets the goal, if any.
    pub found: Option<FoundViolation>,
}

/// Converts whole seconds to a simulated time. Generated times are whole seconds, so that people can read them easily.
fn at(seconds: i64) -> SimTime {
    SimTime::ZERO + Span::seconds(seconds)
}
