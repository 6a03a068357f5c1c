//! Seed search: one random run a seed, until an invariant breaks; then the
//! run is made small. Runs come from a user's files, with the faults that
//! `spec.search` names, or are drawn whole: cluster, workloads, commands,
//! faults. Every fault that is drawn is repaired, and calm follows, so that
//! liveness can be judged.
//!
//! A run is a list of parts that can be left out one by one: an object, or a
//! fault or command with what takes it back.

mod faults;
mod shrink;
mod workloads;

use std::sync::Arc;

use podscope_api::ordered::StableSort as _;
use podscope_cluster::{BreakCause, Record, Rng, SimTime, Span};

use crate::scenario::{self, File, Loaded, Timed};
use crate::timeline::{Session, Slice};
use podscope_protocol::Problem;
pub use shrink::shrink;

/// Where runs come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// A user's files; faults are drawn as `spec.search` says.
    Files(Vec<File>),
    /// Everything is drawn, with these history switches on (F-20).
    Drawn {
        /// Names of the switches.
        history: Vec<String>,
    },
}

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Goal {
    /// Only this invariant.
    pub invariant: Option<String>,
    /// Only breaks that no command and no fault excuses.
    pub only_bugs: bool,
}

impl Goal {
    fn is_met_by(&self, record: &Record) -> bool {
        record.violation().is_some_and(|violation| {
            let is_named = |name: &String| *violation.invariant == **name;
            self.invariant.as_ref().is_none_or(is_named) && (!self.only_bugs || violation.cause == BreakCause::Bug)
        })
    }
}

/// Something a seed drew that can be left out.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Objects, as a file of their own.
    Objects(File),
    /// A fault or command, and what takes it back.
    Acts(Vec<Timed>),
}

/// A run: what it begins with and what happens in it.
#[derive(Debug, Clone)]
pub struct Run {
    pub seed: u64,
    /// What it consists of, beside the source's own files.
    pub parts: Vec<Part>,
    files: Vec<File>,
    until: SimTime,
}

/// The run of a seed, and where it first met the goal.
#[derive(Debug, Clone)]
pub struct Found {
    pub run: Run,
    /// The break.
    pub record: Arc<Record>,
    /// The session at that instant.
    pub session: Box<Session>,
}

impl Found {
    /// The faults and commands of the run, by time.
    pub fn schedule(&self) -> Vec<Timed> {
        self.run.schedule()
    }

    /// What makes a run short: few parts, few acts, early.
    pub fn size(&self) -> (usize, usize, SimTime, u64) {
        let run = &self.run;
        (run.parts.len(), run.schedule().len(), self.record.at, run.seed)
    }
}

impl Run {
    /// Draws the run of a seed.
    ///
    /// # Errors
    /// The files cannot be read.
    pub fn draw(source: &Source, seed: u64) -> Result<Run, Vec<Problem>> {
        match source {
            Source::Files(files) => {
                let loaded = scenario::load(files)?;
                let search = loaded.scenario.search.clone();
                let session = Session::new(loaded)?;
                let nodes: Vec<String> = session.world().machines().map(|(name, _)| name.to_string()).collect();
                let mut rng = Rng::split(seed, "search");
                let count = 1 + rng.below(u64::from(search.max));
                let parts = (0..count).filter_map(|_| faults::draw(&mut rng, &search.faults, &nodes, search.horizon));
                Ok(Run {
                    seed,
                    parts: parts.collect(),
                    files: files.clone(),
                    until: SimTime::ZERO + search.horizon,
                })
            }
            Source::Drawn { history } => Ok(workloads::draw(seed, history)),
        }
    }

    /// The faults and commands, by time.
    pub fn schedule(&self) -> Vec<Timed> {
        let acts = self.parts.iter().filter_map(|part| match part {
            Part::Acts(acts) => Some(acts),
            Part::Objects(_) => None,
        });
        let mut schedule: Vec<Timed> = acts.flatten().cloned().collect();
        schedule.stable_sort_by_key(|timed| timed.at);
        schedule
    }

    /// The files, with the objects that are left.
    fn loaded(&self) -> Result<Loaded, Vec<Problem>> {
        let mut files = self.files.clone();
        files.extend(self.parts.iter().filter_map(|part| match part {
            Part::Objects(file) => Some(file.clone()),
            Part::Acts(_) => None,
        }));
        let mut loaded = scenario::load(&files)?;
        loaded.setup.seed = self.seed;
        Ok(loaded)
    }

    /// Runs to the end, or until the goal is met: everything that broke, and where the goal was met.
    ///
    /// # Errors
    /// The API server refuses an object.
    pub fn play(&self, goal: &Goal) -> Result<Played, Vec<Problem>> {
        self.play_until(goal, self.until)
    }

    fn play_until(&self, goal: &Goal, until: SimTime) -> Result<Played, Vec<Problem>> {
        let mut session = Session::new(self.loaded()?)?;
        session.schedule(self.schedule());
        let (mut seen, mut found) = (0, None);
        loop {
            let slice = session.advance(until, BETWEEN_LOOKS);
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
        let found = found.map(|record| Found {
            run: self.clone(),
            record,
            session: Box::new(session),
        });
        Ok(Played { broken, found })
    }
}

/// Events between two looks at what broke.
const BETWEEN_LOOKS: u64 = 500;

/// How a run went.
#[derive(Debug, Clone)]
pub struct Played {
    /// Every break, excused or not, in order.
    pub broken: Vec<Arc<Record>>,
    /// Where the goal was first met.
    pub found: Option<Found>,
}

/// An instant of whole seconds: schedules are read by people.
fn at(seconds: i64) -> SimTime {
    SimTime::ZERO + Span::seconds(seconds)
}
