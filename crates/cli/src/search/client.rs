//! `podscope search … -- COMMAND`: a search with an external client, such as an operator.
//!
//! 1. Each seed has its own cluster: the files, the faults that `spec.search` generates for the seed, and a server as
//!    of `podscope serve --speed N`.
//! 2. The command is started with `KUBECONFIG`, `PODSCOPE_URL` and `PODSCOPE_SEED` in its environment. Simulated time
//!    starts with its first request.
//! 3. The run ends when it fails, or else half a minute after the last fault, but not before a minute after the last
//!    entry of the timeline and the last expectation. Then the command is killed with all processes of its group.
//! 4. A run fails if an expectation of the files does not hold, or, with `--invariant`, if this invariant is violated.
//!    If the command ends with a status other than 0, the search ends.
//! 5. The first failed run ends the search. Faults that it does not need are removed: see [`ClientSearch::shrink`].
//! 6. The run is printed as a scenario and a link that contain the faults and the API requests of the command. Both
//!    replay the run without the command, to the same trace.
//!
//! A seed always has the same faults. The command is not part of the simulation: the timing of its requests varies, so
//! another try of the same seed can end differently.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use podscope_cluster::{Happening, SimTime, Span};
use podscope_messages::t;
use podscope_protocol::Problem;
use podscope_serve::{Options, Server, Speed};
use podscope_session::scenario::{self, File as SourceFile};
use podscope_session::search::{Run, RunPart, RunSource, SearchGoal};
use podscope_session::timeline::Session;

use super::outcome::{Outcome, ShortestRun, ViolationCounts};
use super::processes::Processes;
use super::swarm::Seeds;
use crate::progress::Progress;
use crate::{args, interrupt, serve};

/// Simulated time that the run gives the client for its recovery after the last fault.
const RECOVERY_TIME: Span = Span::seconds(30);
/// Interval at which the state of a run is polled, in real time.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Number of polling intervals after which simulated time starts even if the command has sent no request.
const MAX_WAIT_INTERVALS: u32 = 1500;
/// Number of lines of a failed command's output that are shown.
const SHOWN_OUTPUT_LINES: usize = 20;

/// A search with a client.
pub(super) struct ClientSearch<'a> {
    pub(super) files: Vec<SourceFile>,
    /// The program and its arguments.
    pub(super) command: &'a [String],
    /// Speed of the cluster as a multiple of real time.
    pub(super) speed: f64,
    pub(super) goal: SearchGoal,
    /// Number of runs without a fault that must all fail in the same way before the fault is removed; 0 keeps every
    /// fault.
    pub(super) repetitions: u32,
}

/// How a run ended.
enum RunEnd {
    Failed,
    Passed,
    Interrupted,
    /// The command itself failed, with this message.
    ClientFailed(String),
}

/// A run that has failed.
struct FailedRun {
    run: Run,
    until: SimTime,
    /// The session at the time of the failure.
    session: Session,
    /// Index of the expectation that failed; None if an invariant is broken.
    expectation: Option<usize>,
}

impl ClientSearch<'_> {
    /// Tries seeds until a run fails, and shrinks that run.
    ///
    /// # Errors
    /// The files cannot be read, or the command cannot be run.
    pub(super) fn try_all(&self, seeds: &Seeds) -> Result<Outcome, ExitCode> {
        let loaded = scenario::load(&self.files).map_err(|problems| args::print_problems(&problems))?;
        if self.goal.invariant.is_none() && loaded.scenario.expect.is_empty() {
            return Err(report_bad_input(
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
            let run = Run::generate(&RunSource::Files(self.files.clone()), seed);
            let run = run.map_err(|problems| args::print_problems(&problems))?;
            let last_fault = run.schedule().last().map_or(SimTime::ZERO, |timed| timed.at);
            let until = loaded.default_until().max(last_fault + RECOVERY_TIME);
            let (ended, session) = self.play(&run, until, None).map_err(report_bad_input)?;
            match ended {
                RunEnd::Interrupted => break,
                RunEnd::ClientFailed(why) => return Err(report_bad_input(format!("seed {seed}: {why}"))),
                RunEnd::Failed | RunEnd::Passed => {}
            }
            outcome.seeds += 1;
            let violations: Vec<_> = session.violations().cloned().collect();
            let has_failed = matches!(ended, RunEnd::Failed);
            outcome.runs += u64::from(has_failed || !violations.is_empty());
            broken.add_all(&violations);
            progress.update(outcome.seeds, || "none has failed".to_owned());
            if has_failed {
                failed = Some(FailedRun {
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
        outcome.shortest = failed.map(|failed| self.to_shortest(&self.shrink(failed)));
        Ok(outcome)
    }

    /// Removes faults from a run: first half of them, down to single ones, then repairs. A smaller run is kept only if
    /// it fails in the same way in every repetition, because the command can behave differently each time. The other
    /// faults keep their times. Ctrl-C ends the shrinking with the smallest run so far.
    fn shrink(&self, found: FailedRun) -> FailedRun {
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
                    Ok((RunEnd::Failed, session)) => {
                        let is_smaller = |other: &Session| repetition_size(&session) < repetition_size(other);
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
            let is_without_repair = |part: &&RunPart| matches!(part, RunPart::Commands(acts) if acts.len() == 1);
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
        FailedRun {
            run,
            until,
            session: smaller.unwrap_or(found.session),
            expectation,
        }
    }

    /// Creates the session of a run at t = 0, with its faults in the timeline.
    fn session_of_run(&self, run: &Run) -> Result<Session, Vec<Problem>> {
        let mut loaded = scenario::load(&self.files)?;
        loaded.setup.seed = run.seed;
        // Clients compare times with their own clocks, so the simulation begins at the wall-clock time. The printed
        // scenario contains this start time.
        loaded.begin_at(serve::wall_clock_now());
        let mut session = Session::new(loaded)?;
        session.schedule(run.schedule());
        Ok(session)
    }

    /// Runs the command against the cluster of a run, and kills it at the end. Returns the final session. If the index
    /// of an expectation is given, the run ends when this expectation is evaluated.
    fn play(&self, run: &Run, until: SimTime, expectation: Option<usize>) -> Result<(RunEnd, Session), String> {
        let session = self.session_of_run(run).map_err(|problems| {
            let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
            texts.join("\n")
        })?;
        let folder = TemporaryFolder::create(run.seed).map_err(|error| format!("a temporary folder: {error}"))?;
        let options = Options {
            speed: Speed::Manual,
            kubeconfig: Some(folder.0.join("kubeconfig")),
            ..Options::default()
        };
        let server = Server::start(session, &options).map_err(|error| error.to_string())?;
        let mut client = self.start_command(run.seed, &server, &folder.0).map_err(|error| {
            let program = self.command.first().map_or("", String::as_str);
            format!("{program}: {error}")
        })?;
        self.start_simulated_time(&server, &mut client);
        let ended = self.wait_for_end(&server, until, expectation, &mut client, &folder.0.join("output"));
        drop(client);
        let session = server.ask(Session::clone);
        session
            .map(|session| (ended, session))
            .ok_or_else(|| "the simulation has ended".to_owned())
    }

    fn start_command(&self, seed: u64, server: &Server, folder: &Path) -> std::io::Result<Processes> {
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

    /// Starts simulated time when the command has sent its first request or has ended, or after
    /// [`MAX_WAIT_INTERVALS`] polls without a request.
    fn start_simulated_time(&self, server: &Server, client: &mut Processes) {
        for _ in 0..MAX_WAIT_INTERVALS {
            if server.has_received_request() || client.first_status().is_some() || interrupt::is_interrupted() {
                break;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        server.set_speed(Speed::Times(self.speed));
    }

    /// Waits until the run has ended.
    fn wait_for_end(
        &self,
        server: &Server,
        until: SimTime,
        expectation: Option<usize>,
        client: &mut Processes,
        output: &Path,
    ) -> RunEnd {
        loop {
            let goal = self.goal.clone();
            let verdict = server.ask(move |session| (session.now(), has_failed(session, &goal, expectation)));
            let Some((now, has_failed)) = verdict else {
                return RunEnd::ClientFailed("the simulation has ended".to_owned());
            };
            match has_failed {
                Some(true) => return RunEnd::Failed,
                Some(false) => return RunEnd::Passed,
                None if now >= until => return RunEnd::Passed,
                None => {}
            }
            if interrupt::is_interrupted() {
                return RunEnd::Interrupted;
            }
            if let Some(status) = client.first_status()
                && !status.success()
            {
                let text = std::fs::read_to_string(output).unwrap_or_default();
                let lines: Vec<&str> = text.lines().collect();
                let last = lines[lines.len().saturating_sub(SHOWN_OUTPUT_LINES)..].join("\n");
                return RunEnd::ClientFailed(format!("the command ended with {status}:\n{last}"));
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Returns the index of the first expectation that failed; None if the goal is an invariant.
    fn failed_expectation(&self, session: &Session) -> Option<usize> {
        let mut verdicts = session.progress().expectations().iter();
        verdicts
            .position(|verdict| *verdict == Some(false))
            .filter(|_| self.goal.invariant.is_none())
    }

    /// Converts the failed run to its printed form.
    fn to_shortest(&self, failed: &FailedRun) -> ShortestRun {
        let session = &failed.session;
        let seed = failed.run.seed;
        let (at, said) = find_failure(session, &self.goal, failed.expectation)
            .unwrap_or((session.now(), "the run has failed".to_owned()));
        let shared = podscope_serve::share_without_secrets(session);
        ShortestRun {
            size: (failed.run.parts.len(), session.command_count(), at.0, seed),
            said: format!("{said} at {at} with seed {seed}"),
            is_bug: true,
            link: shared.link,
            scenario: shared.scenario,
        }
    }
}

/// Prints an error. Returns the exit status for bad input.
fn report_bad_input(why: impl std::fmt::Display) -> ExitCode {
    args::print_error(format_args!("podscope: {why}"));
    ExitCode::from(args::BAD_INPUT_STATUS)
}

/// Returns the size of a failed repetition: number of commands, then end time. The smallest repetition is kept.
fn repetition_size(session: &Session) -> (usize, SimTime) {
    (session.command_count(), session.now())
}

/// Returns whether a run has failed; None while that is undecided. If the index of an expectation is given, only this
/// expectation counts.
fn has_failed(session: &Session, goal: &SearchGoal, expectation: Option<usize>) -> Option<bool> {
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

/// Returns the time and a description of the failure of a run.
fn find_failure(session: &Session, goal: &SearchGoal, expectation: Option<usize>) -> Option<(SimTime, String)> {
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

/// A temporary folder; it is removed with its content on drop.
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn create(seed: u64) -> std::io::Result<TemporaryFolder> {
        let path = std::env::temp_dir().join(format!("podscope-search-{}-{seed}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(TemporaryFolder(path))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Files that cannot be removed stay in the temporary directory.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
