//! The thread that owns the session: it moves time, sends calls, publishes what happened.
//!
//! It is asked by jobs, closures that run on it one after another. Between two pieces of work it looks for jobs, so that
//! a long run keeps nobody waiting.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use podscope_api::Time;
use podscope_cluster::{Answer, Change, SimTime, Span, World};
use podscope_kubectl::rest::ApiCall;
use podscope_session::scenario::Until;
use podscope_session::shell::Shell;
use podscope_session::timeline::{MAX_RUNNING, SentCall, Session, Slice};
use tokio::sync::oneshot;

use crate::Speed;
use crate::board::{Board, Snapshot};

/// Events in one piece of work. Invariant: what they change fits into the log that the store keeps.
const PIECE: u64 = 100;
/// The clock that who reads sees is at most so much behind.
const TICK: Duration = Duration::from_millis(50);
/// Time that could not be simulated in time is given up beyond this.
const LATE: Duration = Duration::from_millis(500);
/// A call is answered after this at the latest: its time-out, and the way.
const ANSWERED: Span = Span::seconds(30);

type Job = Box<dyn FnOnce(&mut Engine) + Send>;
/// What a call came to, or the limit that keeps it from being made.
pub(crate) type Answers = Result<Answered, String>;

/// The answers to a call, one for each request that it came to.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) answers: Vec<Answer>,
    pub(crate) warnings: Vec<String>,
}

/// The way to the engine's thread.
#[derive(Clone)]
pub(crate) struct Door {
    jobs: Sender<Job>,
    pub(crate) board: Arc<Board>,
    running: std::sync::Weak<()>,
}

impl std::fmt::Debug for Door {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Door")
    }
}

/// The engine's thread has ended.
#[derive(Debug)]
pub(crate) struct Gone;

impl Door {
    /// Does something on the engine's thread.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Engine) -> T + Send + 'static,
    ) -> Result<T, Gone> {
        let (tell, told) = oneshot::channel();
        let job: Job = Box::new(move |engine| drop(tell.send(what(engine))));
        self.jobs.send(job).map_err(|_| Gone)?;
        told.await.map_err(|_| Gone)
    }

    /// Sends a call; its answers come when the API server has given them.
    pub(crate) async fn call(&self, call: ApiCall) -> Result<Answers, Gone> {
        let (tell, told) = oneshot::channel();
        let job: Job = Box::new(move |engine| engine.calls.push_back((call, tell)));
        self.jobs.send(job).map_err(|_| Gone)?;
        told.await.map_err(|_| Gone)
    }

    /// Lets time run to an instant that is so far away, or to where a condition is met; where it is then.
    pub(crate) async fn advance(&self, by: Span, condition: Option<Until>) -> Result<SimTime, Gone> {
        let (tell, told) = oneshot::channel();
        let job: Job = Box::new(move |engine| {
            let until = engine.session().now() + by;
            engine.runs.push_back(Run { until, condition, tell });
        });
        self.jobs.send(job).map_err(|_| Gone)?;
        told.await.map_err(|_| Gone)
    }

    pub(crate) fn is_running(&self) -> bool {
        self.running.strong_count() > 0
    }

    pub(crate) fn stop(&self) {
        // It may have ended by itself.
        let _ = self.jobs.send(Box::new(|engine| engine.has_ended = true));
    }
}

/// Time that somebody waits for.
struct Run {
    until: SimTime,
    /// Where it is met, nothing more is waited for.
    condition: Option<Until>,
    tell: oneshot::Sender<SimTime>,
}

/// The session and what is under way.
pub(crate) struct Engine {
    shell: Shell,
    board: Arc<Board>,
    speed: Speed,
    /// Real time, and the instant that it was then.
    anchor: (Instant, SimTime),
    /// What has not been sent yet.
    calls: VecDeque<(ApiCall, oneshot::Sender<Answers>)>,
    /// What is on its way.
    waiting: Vec<(SentCall, oneshot::Sender<Answers>)>,
    /// Instants that somebody waits for.
    runs: VecDeque<Run>,
    last: Option<Arc<Change>>,
    /// The revision up to which all is published.
    published: u64,
    was_up: bool,
    /// Worlds that were put aside (`/podscope/v1/checkpoint`).
    pub(crate) checkpoints: Vec<Session>,
    /// How many of them had to go for others.
    pub(crate) forgotten: usize,
    has_ended: bool,
}

fn snapshot(world: &World) -> Snapshot {
    Snapshot {
        objects: world.objects().clone(),
        revision: world.revision(),
        now: Time(world.start().0 + world.now().0),
        at: world.now(),
        control_plane: world.control_plane(),
        heartbeats: world.heartbeats().clone(),
    }
}

/// Starts the thread.
pub(crate) fn start(session: Session, speed: Speed) -> io::Result<Door> {
    let board = Arc::new(Board::new(snapshot(session.world())));
    let (jobs, inbox) = mpsc::channel();
    let running = Arc::new(());
    let door = Door {
        jobs,
        board: board.clone(),
        running: Arc::downgrade(&running),
    };
    std::thread::Builder::new().name("engine".to_owned()).spawn(move || {
        let mut engine = Engine {
            anchor: (Instant::now(), session.now()),
            last: session.world().last_write().cloned(),
            published: session.world().revision(),
            was_up: session.world().control_plane().0,
            shell: Shell::new(session),
            board,
            speed,
            calls: VecDeque::new(),
            waiting: Vec::new(),
            runs: VecDeque::new(),
            checkpoints: Vec::new(),
            forgotten: 0,
            has_ended: false,
        };
        engine.run(&inbox);
        drop(running);
    })?;
    Ok(door)
}

impl Engine {
    fn run(&mut self, inbox: &Receiver<Job>) {
        while !self.has_ended {
            match inbox.recv_timeout(self.pause()) {
                Ok(job) => job(self),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            while let Ok(job) = inbox.try_recv() {
                job(self);
            }
            self.send_calls();
            self.work();
            self.publish();
        }
    }

    pub(crate) fn session(&self) -> &Session {
        self.shell.session()
    }

    /// Runs a line of the console, and lets so much time pass.
    pub(crate) fn command(&mut self, line: &str, stdin: Option<&str>, wait: Span) -> podscope_session::shell::Answer {
        let answer = self.shell.run(line, stdin, wait);
        self.publish();
        answer
    }

    /// Goes on at a session that was put aside.
    pub(crate) fn resume(&mut self, session: Session) {
        self.shell.resume(session);
        // Who waits for an answer waits for one of another history.
        self.waiting.clear();
        self.runs.clear();
        self.restart();
    }

    /// How long nothing is to be done unless somebody asks.
    fn pause(&self) -> Duration {
        let has_work = !self.runs.is_empty() || self.speed == Speed::Manual && !self.waiting.is_empty();
        if has_work {
            return Duration::ZERO;
        }
        let Speed::Times(speed) = self.speed else {
            return Duration::from_secs(3600);
        };
        let next = self.session().world().next_at().unwrap_or(SimTime(i64::MAX));
        let micros = (next.0.saturating_sub(self.due(speed).0)).max(0) as f64 / speed;
        TICK.min(Duration::from_micros(micros.min(1e6) as u64))
    }

    /// The instant that it is by the real clock.
    fn due(&self, speed: f64) -> SimTime {
        let (then, at) = self.anchor;
        let micros = (then.elapsed().as_micros() as f64 * speed) as i64;
        SimTime(at.0.saturating_add(micros))
    }

    /// Real time counts from here.
    pub(crate) fn count_from_here(&mut self) {
        self.anchor = (Instant::now(), self.session().now());
    }

    fn send_calls(&mut self) {
        while self.session().world().clients() < MAX_RUNNING
            && let Some((call, tell)) = self.calls.pop_front()
        {
            match self.shell.session_mut().call(call) {
                Ok(called) => self.waiting.push((called, tell)),
                Err(limit) => drop(tell.send(Err(limit.to_string()))),
            }
            self.hand_out();
            if self.speed == Speed::Manual {
                self.follow();
            }
        }
    }

    /// Time stands still but for what a call takes.
    fn follow(&mut self) {
        let until = self.session().now() + ANSWERED;
        while !self.waiting.is_empty() {
            let running: Vec<u32> = self.waiting.iter().map(|(called, _)| called.client).collect();
            let is_under_way = |world: &World| running.iter().any(|client| world.is_running(*client));
            let done = self.shell.session_mut().advance_while(until, PIECE, is_under_way);
            self.publish();
            if done != Slice::More {
                break;
            }
        }
        // What was not answered by then is not waited for.
        self.waiting.clear();
    }

    /// A piece of what is to be done by now.
    fn work(&mut self) {
        if let Some(run) = self.runs.pop_front() {
            let session = self.shell.session_mut();
            let slice = match &run.condition {
                None => session.advance(run.until, PIECE),
                Some(condition) => session.advance_until(run.until, PIECE, |session| condition.is_met(session.world())),
            };
            if slice == Slice::More {
                self.runs.push_front(run);
            } else {
                self.count_from_here();
                self.publish();
                // Who asked may have gone.
                let _ = run.tell.send(self.session().now());
            }
            return;
        }
        let Speed::Times(speed) = self.speed else { return };
        let due = self.due(speed);
        let begun = Instant::now();
        while self.shell.session_mut().advance(due, PIECE) == Slice::More {
            self.publish();
            if begun.elapsed() > TICK {
                break;
            }
        }
        let behind = (due.0 - self.session().now().0) as f64 / speed;
        if behind > LATE.as_micros() as f64 {
            self.count_from_here();
        }
    }

    /// Tells what has happened since this was done last.
    fn publish(&mut self) {
        let world = self.session().world();
        let is_up = world.control_plane().0;
        if self.was_up && !is_up {
            self.board.begin_anew(snapshot(world));
            (self.last, self.published) = (world.last_write().cloned(), world.revision());
        } else if let Some(changes) = self.changes() {
            self.board.publish(snapshot(self.session().world()), changes);
        } else {
            self.restart();
        }
        self.was_up = is_up;
        let world = self.session().world();
        (self.last, self.published) = (world.last_write().cloned(), world.revision());
        self.hand_out();
    }

    /// The changes since the last publication in the order of their revisions; none if they are not known any more.
    fn changes(&self) -> Option<Vec<Arc<Change>>> {
        let world = self.session().world();
        if world.revision() == self.published {
            return Some(Vec::new());
        }
        let mut changes: Vec<Arc<Change>> = match &self.last {
            Some(last) => world.writes_after(last)?.cloned().collect(),
            None => Vec::new(),
        };
        changes.extend(world.writes_aside_after(self.published).cloned());
        changes.sort_by_key(|change| change.revision);
        Some(changes)
    }

    /// The session is at another place than what was published led to.
    pub(crate) fn restart(&mut self) {
        let world = self.session().world();
        self.board.begin_anew(snapshot(world));
        (self.last, self.published) = (world.last_write().cloned(), world.revision());
        self.count_from_here();
    }

    fn hand_out(&mut self) {
        for (client, answers) in self.shell.session_mut().take_answers() {
            if let Some(at) = self.waiting.iter().position(|(called, _)| called.client == client) {
                let (called, tell) = self.waiting.remove(at);
                // What was answered is seen by who reads next.
                let world = self.session().world();
                if world.revision() != self.published
                    && let Some(changes) = self.changes()
                {
                    self.board.publish(snapshot(world), changes);
                    let world = self.session().world();
                    (self.last, self.published) = (world.last_write().cloned(), world.revision());
                }
                // Who asked may have gone.
                let warnings = called.warnings;
                let _ = tell.send(Ok(Answered { answers, warnings }));
            }
        }
    }
}
