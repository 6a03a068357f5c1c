//! `podscope search … -- COMMAND`: a search with a client of another project, such as an operator.
//!
//! 1. Each seed has a cluster of its own: the files, the faults that `spec.search` draws for the seed, and a server as of
//!    `podscope serve --speed N`.
//! 2. The command is started with `KUBECONFIG`, `PODSCOPE_URL` and `PODSCOPE_SEED` in its environment. Time begins with its
//!    first request.
//! 3. The run lasts until half a minute after the last fault, or a minute after the last entry of the timeline and the
//!    last expectation, if it has not failed before. Then the command is killed with the processes that it has started.
//! 4. A run has failed if an expectation of the files does not hold, or, with `--invariant`, if this invariant is broken.
//!    A command that ends with another status than 0 ends the search.
//! 5. The first run that has failed ends the search. Its faults are left out one after another: see
//!    [`ClientSearch::shrink`].
//! 6. The run is printed as a scenario and a link that hold the faults and what the command wrote to the API. Both replay it
//!    without the command, to the same trace.
//!
//! A seed always has the same faults. The command is no part of the simulation: its requests come when they come, so that
//! another try of the seed can end otherwise.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use podscope_cluster::{Happening, SimTime, Span};
use podscope_messages::t;
use podscope_protocol::Problem;
use podscope_serve::{Options, Server, Speed};
use podscope_session::scenario::{self, File as SourceFile};
use podscope_session::search::{Goal, Part, Run, Source};
use podscope_session::timeline::Session;

use super::outcome::{Outcome, Shortest, ViolationCounts};
use super::processes::Processes;
use super::swarm::Seeds;
use crate::progress::Progress;
use crate::{args, interrupt, serve};

/// Quiet time after the last fault, in which the client can recover.
const RECOVERY: Span = Span::seconds(30);
/// Interval between two looks at a run, in real time.
const INTERVAL: Duration = Duration::from_millis(20);
/// Number of intervals after which time begins although the command has sent no request.
const MAX_WAIT: u32 = 1500;
/// Number of lines of a failed command's output that are shown.
const SHOWN_LINES: usize = 20;

/// A search with a client.
pub(super) struct ClientSearch<'a> {
    pub(super) files: Vec<SourceFile>,
    /// The program and its arguments.
    pub(super) command: &'a [String],
    /// How many times as fast as real time the cluster runs.
    pub(super) speed: f64,
    pub(super) goal: Goal,
    /// Number of repetitions that must all fail before a fault is left out; 0 leaves out none.
    pub(super) repetitions: u32,
}

/// How a run ended.
enum Ended {
    Failed,
    Passed,
    Interrupted,
    /// The command has failed itself.
    ClientFailed(String),
}

/// A run that has failed.
struct Failed {
    run: Run,
    until: SimTime,
    /// The session when the run failed.
    session: Session,
    /// Index of the expectation that failed; None if an invariant is broken.
    expectation: Option<usize>,
}

impl ClientSearch<'_> {
    /// Tries seeds until a run has failed, and shrinks that run.
    ///
    /// # Errors
    /// The files cannot be read, or the command cannot be run.
    pub(super) fn try_all(&self, seeds: &Seeds) -> Result<Outcome, ExitCode> {
        let loaded = scenario::load(&self.files).map_err(|problems| args::print_problems(&problems))?;
        if self.goal.invariant.is_none() && loaded.scenario.expect.is_empty() {
            return Err(bad_input(
                "nothing can fail: the files have no expectations, and --invariant is not given",
            ));
        }
        let mut outcome = Outcome {
            wanted: self.goal.invariant.clone().unwrap_or_else(|| "failed run".to_owned()),
            ..Outcome::default()
        };
        let mut broken = ViolationCounts::default();
        let mut progress = Progress::of_seeds(seeds.count);
        let mut failed = None;
        while let Some(seed) = seeds.get(outcome.seeds) {
            let run = Run::draw(&Source::Files(self.files.clone()), seed);
            let run = run.map_err(|problems| args::print_problems(&problems))?;
            let last_fault = run.schedule().last().map_or(SimTime::ZERO, |timed| timed.at);
            let until = loaded.default_until().max(last_fault + RECOVERY);
            let (ended, session) = self.play(&run, until, None).map_err(bad_input)?;
            match ended {
                Ended::Interrupted => break,
                Ended::ClientFailed(why) => return Err(bad_input(format!("seed {seed}: {why}"))),
                Ended::Failed | Ended::Passed => {}
            }
            outcome.seeds += 1;
            let violations: Vec<_> = session.violations().cloned().collect();
            let has_failed = matches!(ended, Ended::Failed);
            outcome.runs += u64::from(has_failed || !violations.is_empty());
            broken.add_all(&violations);
            progress.update(outcome.seeds, || "none has failed".to_owned());
            if has_failed {
                failed = Some(Failed {
                    run,
                    until,
                    expectation: self.failed_expectation(&session),
                    session,
                });
                break;
            }
        }
        drop(progress);
        outcome.broken = broken.rows();
        outcome.shortest = failed.map(|failed| self.shortest(&self.shrink(failed)));
        Ok(outcome)
    }

    /// Leaves out faults, by halves down to single ones, then repairs. A smaller run is kept only if it fails in the same
    /// way in each repetition, because the command can do otherwise in each: a fault that it sometimes needs stays. Faults
    /// keep their times. Ctrl-C ends the shrinking with the smallest run so far.
    fn shrink(&self, found: Failed) -> Failed {
        let n_faults = found.run.parts.len();
        let (until, expectation) = (found.until, found.expectation);
        let mut progress = Progress::of_shrinking();
        let (mut plays, mut problem, mut smaller) = (0, None, None);
        let run = found.run.remove_parts(|run| {
            let mut smallest: Option<Session> = None;
            for _ in 0..self.repetitions {
                if interrupt::is_interrupted() || problem.is_some() {
                    return false;
                }
                plays += 1;
                progress.update(plays, || format!("{} of {n_faults} faults", run.parts.len()));
                match self.play(run, until, expectation) {
                    Ok((Ended::Failed, session)) => {
                        let is_smaller = |other: &Session| size(&session) < size(other);
                        if smallest.as_ref().is_none_or(is_smaller) {
                            smallest = Some(session);
                        }
                    }
                    Ok(_) => return false,
                    Err(why) => problem = Some(why),
                }
            }
            if problem.is_some() || smallest.is_none() {
                return false;
            }
            smaller = smallest;
            true
        });
        drop(progress);
        if let Some(why) = problem {
            args::print_error(format_args!("podscope: the run is not shrunk further: {why}"));
        }
        if smaller.is_some() {
            let is_without_repair = |part: &&Part| matches!(part, Part::Acts(acts) if acts.len() == 1);
            args::print_error(t!(
                cli_search::faults_left,
                left = run.parts.len(),
                faults = n_faults,
                unrepaired = run.parts.iter().filter(is_without_repair).count(),
                times = self.repetitions
            ));
        } else if n_faults > 0 && self.repetitions > 0 && !interrupt::is_interrupted() {
            args::print_error(t!(cli_search::no_fault_left_out, faults = n_faults));
        }
        Failed {
            run,
            until,
            session: smaller.unwrap_or(found.session),
            expectation,
        }
    }

    /// The session of a run at t = 0, with its faults in the timeline.
    fn session(&self, run: &Run) -> Result<Session, Vec<Problem>> {
        let mut loaded = scenario::load(&self.files)?;
        loaded.setup.seed = run.seed;
        // Clients compare times with their own clocks. The start is part of the scenario that is printed.
        loaded.begin_at(serve::wall_clock_now());
        let mut session = Session::new(loaded)?;
        session.schedule(run.schedule());
        Ok(session)
    }

    /// Runs the command against the cluster of a run, and kills it at the end. Returns the session then. With an
    /// expectation the run ends when that one is judged.
    fn play(&self, run: &Run, until: SimTime, expectation: Option<usize>) -> Result<(Ended, Session), String> {
        let session = self.session(run).map_err(|problems| {
            let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
            texts.join("\n")
        })?;
        let folder = Folder::create(run.seed).map_err(|error| format!("a temporary folder: {error}"))?;
        let options = Options {
            speed: Speed::Manual,
            kubeconfig: Some(folder.0.join("kubeconfig")),
            ..Options::default()
        };
        let server = Server::start(session, &options).map_err(|error| error.to_string())?;
        let mut client = self.start(run.seed, &server, &folder.0).map_err(|error| {
            let program = self.command.first().map_or("", String::as_str);
            format!("{program}: {error}")
        })?;
        self.begin(&server, &mut client);
        let ended = self.watch(&server, until, expectation, &mut client, &folder.0.join("output"));
        drop(client);
        let session = server.ask(Session::clone);
        session
            .map(|session| (ended, session))
            .ok_or_else(|| "the simulation has ended".to_owned())
    }

    fn start(&self, seed: u64, server: &Server, folder: &Path) -> std::io::Result<Processes> {
        let output = File::create(folder.join("output"))?;
        let (program, arguments) = self.command.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env("KUBECONFIG", folder.join("kubeconfig"))
            .env("PODSCOPE_URL", server.url())
            .env("PODSCOPE_SEED", seed.to_string())
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output);
        Processes::start(&mut command)
    }

    /// Lets time begin with the first request of the command. A command that has ended or sends none is not waited for.
    fn begin(&self, server: &Server, client: &mut Processes) {
        for _ in 0..MAX_WAIT {
            if server.was_asked() || client.first_status().is_some() || interrupt::is_interrupted() {
                break;
            }
            std::thread::sleep(INTERVAL);
        }
        server.set_speed(Speed::Times(self.speed));
    }

    /// Waits until the run has ended.
    fn watch(
        &self,
        server: &Server,
        until: SimTime,
        expectation: Option<usize>,
        client: &mut Processes,
        output: &Path,
    ) -> Ended {
        loop {
            let goal = self.goal.clone();
            let verdict = server.ask(move |session| (session.now(), has_failed(session, &goal, expectation)));
            let Some((now, has_failed)) = verdict else {
                return Ended::ClientFailed("the simulation has ended".to_owned());
            };
            match has_failed {
                Some(true) => return Ended::Failed,
                Some(false) => return Ended::Passed,
                None if now >= until => return Ended::Passed,
                None => {}
            }
            if interrupt::is_interrupted() {
                return Ended::Interrupted;
            }
            if let Some(status) = client.first_status()
                && !status.success()
            {
                let text = std::fs::read_to_string(output).unwrap_or_default();
                let lines: Vec<&str> = text.lines().collect();
                let last = lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n");
                return Ended::ClientFailed(format!("the command ended with {status}:\n{last}"));
            }
            std::thread::sleep(INTERVAL);
        }
    }

    /// The first expectation that failed; None if the goal is an invariant.
    fn failed_expectation(&self, session: &Session) -> Option<usize> {
        let mut verdicts = session.progress().expectations().iter();
        verdicts
            .position(|verdict| *verdict == Some(false))
            .filter(|_| self.goal.invariant.is_none())
    }

    /// The failed run, as it is printed.
    fn shortest(&self, failed: &Failed) -> Shortest {
        let session = &failed.session;
        let seed = failed.run.seed;
        let (at, said) = failure(session, &self.goal, failed.expectation)
            .unwrap_or((session.now(), "the run has failed".to_owned()));
        let shared = podscope_serve::shared(session);
        Shortest {
            size: (failed.run.parts.len(), session.command_count(), at.0, seed),
            said: format!("{said} at {at} with seed {seed}"),
            is_bug: true,
            link: shared.link,
            scenario: shared.scenario,
        }
    }
}

/// Prints an error. Returns the exit status.
fn bad_input(why: impl std::fmt::Display) -> ExitCode {
    args::print_error(format_args!("podscope: {why}"));
    ExitCode::from(args::BAD_INPUT)
}

/// Of two failed repetitions, the smaller one is printed.
fn size(session: &Session) -> (usize, SimTime) {
    (session.command_count(), session.now())
}

/// Returns whether a run has failed; None while that is undecided. With an expectation only that one counts.
fn has_failed(session: &Session, goal: &Goal, expectation: Option<usize>) -> Option<bool> {
    let verdicts = session.progress().expectations();
    match (&goal.invariant, expectation) {
        (Some(_), _) => session
            .violations()
            .any(|record| goal.is_met_by(record))
            .then_some(true),
        (None, Some(index)) => verdicts.get(index).copied().flatten().map(|holds| !holds),
        (None, None) => verdicts.contains(&Some(false)).then_some(true),
    }
}

/// When a run failed, and how.
fn failure(session: &Session, goal: &Goal, expectation: Option<usize>) -> Option<(SimTime, String)> {
    let expected = expectation.and_then(|index| session.loaded().scenario.expect.get(index));
    session.trace().find_map(|record| match &record.happening {
        Happening::Expectation {
            expect,
            ok: false,
            found,
        } if expected.is_some_and(|expected| expected.text == **expect) => {
            Some((record.at, format!("expectation failed: {expect}: found {found}")))
        }
        _ if goal.invariant.is_some() && goal.is_met_by(&record) => {
            let violation = record.violation()?;
            let (name, seen) = (&violation.invariant, &violation.seen);
            Some((record.at, format!("invariant {name} broken: {seen}")))
        }
        _ => None,
    })
}

/// A temporary folder, which is removed with its content.
struct Folder(PathBuf);

impl Folder {
    fn create(seed: u64) -> std::io::Result<Folder> {
        let path = std::env::temp_dir().join(format!("podscope-search-{}-{seed}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed stays in the temporary directory.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
