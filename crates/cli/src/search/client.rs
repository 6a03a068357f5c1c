//! `podscope search … -- COMMAND`: a search with a client of another project, such as an operator.
//!
//! 1. Each seed has a cluster of its own: the files, the faults that `spec.search` draws for the seed, and a server as of
//!    `podscope serve --speed N`.
//! 2. The command is started with `KUBECONFIG`, `PODSCOPE_URL` and `PODSCOPE_SEED` in its environment. Time begins with its
//!    first request.
//! 3. The run lasts until half a minute after the last fault, or a minute after the last entry of the timeline and the
//!    last expectation, if it has not failed before. Then the command is killed.
//! 4. A run has failed if an expectation of the files does not hold, or, with `--invariant`, if this invariant is broken.
//!    A command that ends with another status than 0 ends the search.
//! 5. The first run that has failed ends the search. It is printed as a scenario and a link that hold the faults and what
//!    the command wrote to the API. Both replay it without the command, to the same trace.
//!
//! A seed always has the same faults. The command is no part of the simulation: its requests come when they come, so that
//! another try of the seed can end otherwise. Therefore the run is not shrunk.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use podscope_cluster::{Happening, SimTime, Span};
use podscope_protocol::Problem;
use podscope_serve::{Options, Server, Speed};
use podscope_session::scenario::{self, File as SourceFile};
use podscope_session::search::{Goal, Run, Source};
use podscope_session::timeline::Session;

use super::outcome::{Outcome, Shortest, ViolationCounts};
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
}

/// How a run ended.
enum Ended {
    Failed,
    Passed,
    Interrupted,
    /// The command could not be started, or has failed itself.
    ClientFailed(String),
}

impl ClientSearch<'_> {
    /// Tries seeds until a run has failed.
    ///
    /// # Errors
    /// The files cannot be read, or the command cannot be run.
    pub(super) fn try_all(&self, seeds: &Seeds) -> Result<Outcome, ExitCode> {
        let loaded = scenario::load(&self.files).map_err(|problems| args::print_problems(&problems))?;
        if self.goal.invariant.is_none() && loaded.scenario.expect.is_empty() {
            args::print_error(
                "podscope: nothing can fail: the files have no expectations, and --invariant is not given",
            );
            return Err(ExitCode::from(args::BAD_INPUT));
        }
        let mut outcome = Outcome {
            wanted: self.goal.invariant.clone().unwrap_or_else(|| "failed run".to_owned()),
            ..Outcome::default()
        };
        let mut broken = ViolationCounts::default();
        let mut progress = Progress::of_seeds(seeds.count);
        while let Some(seed) = seeds.get(outcome.seeds) {
            let until = self.until(seed).map_err(|problems| args::print_problems(&problems))?;
            let (ended, session) = self.try_seed(seed, until)?;
            match ended {
                Ended::Interrupted => break,
                Ended::ClientFailed(why) => {
                    args::print_error(format_args!("podscope: seed {seed}: {why}"));
                    return Err(ExitCode::from(args::BAD_INPUT));
                }
                Ended::Failed | Ended::Passed => {}
            }
            outcome.seeds += 1;
            let violations: Vec<_> = session.violations().cloned().collect();
            let has_failed = matches!(ended, Ended::Failed);
            outcome.runs += u64::from(has_failed || !violations.is_empty());
            broken.add_all(&violations);
            progress.update(outcome.seeds, || "none has failed".to_owned());
            if has_failed {
                outcome.shortest = Some(self.found(&session, seed));
                break;
            }
        }
        outcome.broken = broken.rows();
        Ok(outcome)
    }

    /// The end of the run of a seed.
    fn until(&self, seed: u64) -> Result<SimTime, Vec<Problem>> {
        let schedule = Run::draw(&Source::Files(self.files.clone()), seed)?.schedule();
        let last_fault = schedule.last().map_or(SimTime::ZERO, |timed| timed.at);
        let of_files = scenario::load(&self.files)?.default_until();
        Ok(of_files.max(last_fault + RECOVERY))
    }

    /// The session of a seed at t = 0, with its faults in the timeline.
    fn session(&self, seed: u64) -> Result<Session, Vec<Problem>> {
        let mut loaded = scenario::load(&self.files)?;
        loaded.setup.seed = seed;
        // Clients compare times with their own clocks. The start is part of the scenario that is printed.
        loaded.begin_at(serve::wall_clock_now());
        let mut session = Session::new(loaded)?;
        session.schedule(Run::draw(&Source::Files(self.files.clone()), seed)?.schedule());
        Ok(session)
    }

    /// Runs the command against the cluster of a seed. Returns the session at the end.
    fn try_seed(&self, seed: u64, until: SimTime) -> Result<(Ended, Session), ExitCode> {
        let failed = |why: String| {
            args::print_error(format_args!("podscope: {why}"));
            ExitCode::from(args::BAD_INPUT)
        };
        let session = self.session(seed).map_err(|problems| args::print_problems(&problems))?;
        let folder = Folder::create(seed).map_err(|error| failed(format!("a temporary folder: {error}")))?;
        let options = Options {
            speed: Speed::Manual,
            kubeconfig: Some(folder.0.join("kubeconfig")),
            ..Options::default()
        };
        let server = Server::start(session, &options).map_err(|error| failed(error.to_string()))?;
        let mut client = self.start(seed, &server, &folder.0).map_err(|error| {
            let program = self.command.first().map_or("", String::as_str);
            failed(format!("{program}: {error}"))
        })?;
        self.begin(&server, &mut client);
        let ended = self.watch(&server, until, &mut client, &folder.0.join("output"));
        // Killing fails if the command has already ended.
        let _ = client.kill().and_then(|()| client.wait());
        let session = server.ask(Session::clone);
        session
            .map(|session| (ended, session))
            .ok_or_else(|| failed("the simulation has ended".to_owned()))
    }

    fn start(&self, seed: u64, server: &Server, folder: &Path) -> std::io::Result<Child> {
        let output = File::create(folder.join("output"))?;
        let (program, arguments) = self.command.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
        Command::new(program)
            .args(arguments)
            .env("KUBECONFIG", folder.join("kubeconfig"))
            .env("PODSCOPE_URL", server.url())
            .env("PODSCOPE_SEED", seed.to_string())
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()
    }

    /// Lets time begin with the first request of the command. A command that has ended or sends none is not waited for.
    fn begin(&self, server: &Server, client: &mut Child) {
        for _ in 0..MAX_WAIT {
            let has_ended = client.try_wait().is_ok_and(|status| status.is_some());
            if server.was_asked() || has_ended || interrupt::is_interrupted() {
                break;
            }
            std::thread::sleep(INTERVAL);
        }
        server.set_speed(Speed::Times(self.speed));
    }

    /// Waits until the run has ended.
    fn watch(&self, server: &Server, until: SimTime, client: &mut Child, output: &Path) -> Ended {
        loop {
            let goal = self.goal.clone();
            let Some((now, has_failed)) = server.ask(move |session| (session.now(), has_failed(session, &goal))) else {
                return Ended::ClientFailed("the simulation has ended".to_owned());
            };
            if has_failed {
                return Ended::Failed;
            }
            if now >= until {
                return Ended::Passed;
            }
            if interrupt::is_interrupted() {
                return Ended::Interrupted;
            }
            if let Ok(Some(status)) = client.try_wait()
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

    /// The failed run, as it is printed.
    fn found(&self, session: &Session, seed: u64) -> Shortest {
        let (at, said) = failure(session, &self.goal).unwrap_or((session.now(), "the run has failed".to_owned()));
        let shared = podscope_serve::shared(session);
        Shortest {
            size: (0, session.command_count(), at.0, seed),
            said: format!("{said} at {at} with seed {seed}"),
            is_bug: true,
            link: shared.link,
            scenario: shared.scenario,
        }
    }
}

fn has_failed(session: &Session, goal: &Goal) -> bool {
    match &goal.invariant {
        Some(_) => session.violations().any(|record| goal.is_met_by(record)),
        None => session.progress().expectations().contains(&Some(false)),
    }
}

/// When a run failed, and how.
fn failure(session: &Session, goal: &Goal) -> Option<(SimTime, String)> {
    session.trace().find_map(|record| match &record.happening {
        Happening::Expectation {
            expect,
            ok: false,
            found,
        } if goal.invariant.is_none() => Some((record.at, format!("expectation failed: {expect}: found {found}"))),
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
