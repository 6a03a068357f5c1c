//! The thread that owns the session: it advances time, sends API calls, and publishes changes.
//!
//! Other threads send it jobs: closures that it runs one after another. It works in small slices and runs the waiting
//! jobs in between, so that a long run does not block other requests.
//!
//! The engine also does the work of the pages that show the session (`pages`), because there is one session and one
//! clock. Pause and play on the leading page set the speed; a paused session has manual time.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use podscope_cluster::{Answer, Change, SimTime, Span, World};
use podscope_kubectl::rest::ApiCall;
use podscope_protocol::Request;
use podscope_session::host::Rate;
use podscope_session::scenario::AwaitedCondition;
use podscope_session::shell::Shell;
use podscope_session::timeline::{MAX_RUNNING_COMMANDS, SentCall, Session, Slice};
use tokio::sync::oneshot;

use crate::Speed;
use crate::board::{Snapshot, SnapshotBoard};
use crate::derived_objects::DerivedObjects;
use crate::pages::{PageEffects, PageId, Pages};
use crate::record::Recorder;

/// Maximum number of events in one slice of work. Invariant: the store's log has room for their changes.
const MAX_EVENTS_PER_SLICE: u64 = 100;
/// Maximum real time by which the published simulated time lags behind.
const PUBLISH_INTERVAL: Duration = Duration::from_millis(50);
/// Maximum lag of simulated time behind real time. If it is exceeded, the lag is dropped: real time counts from now.
const MAX_CLOCK_LAG: Duration = Duration::from_millis(500);
/// Maximum simulated time until a call is answered: its timeout and the latency.
const ANSWER_TIMEOUT: Span = Span::seconds(30);

type Job = Box<dyn FnOnce(&mut Engine) + Send>;
/// The answers to a call, or a message about the limit that prevented it.
pub(crate) type CallResult = Result<CallAnswers, String>;

/// The answers to a call, one for each of its requests.
#[derive(Debug)]
pub(crate) struct CallAnswers {
    pub(crate) answers: Vec<Answer>,
    pub(crate) warnings: Vec<String>,
}

/// A handle to the engine's thread.
#[derive(Clone)]
pub(crate) struct EngineHandle {
    jobs: Sender<Job>,
    pub(crate) board: Arc<SnapshotBoard>,
    running: std::sync::Weak<()>,
    /// Whether a client has sent a request.
    has_received_request: Arc<AtomicBool>,
}

impl std::fmt::Debug for EngineHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EngineHandle")
    }
}

/// Error: the engine's thread has ended.
#[derive(Debug)]
pub(crate) struct EngineStopped;

impl EngineHandle {
    /// Runs a job on the engine's thread and returns its result.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Engine) -> T + Send + 'static,
    ) -> Result<T, EngineStopped> {
        let (sender, receiver) = oneshot::channel();
        let job: Job = Box::new(move |engine| drop(sender.send(job(engine))));
        self.jobs.send(job).map_err(|_| EngineStopped)?;
        receiver.await.map_err(|_| EngineStopped)
    }

    /// Sends a call and waits for the API server's answers.
    pub(crate) async fn call(&self, call: ApiCall) -> Result<CallResult, EngineStopped> {
        let (sender, receiver) = oneshot::channel();
        let job: Job = Box::new(move |engine| engine.calls.push_back((call, sender)));
        self.jobs.send(job).map_err(|_| EngineStopped)?;
        receiver.await.map_err(|_| EngineStopped)
    }

    /// Advances time by `by`, or until a condition is met. Returns the simulated time afterwards.
    pub(crate) async fn advance(
        &self,
        by: Span,
        condition: Option<AwaitedCondition>,
    ) -> Result<SimTime, EngineStopped> {
        let (sender, receiver) = oneshot::channel();
        let job: Job = Box::new(move |engine| {
            let until = engine.session().now() + by;
            engine.advances.push_back(AdvanceRequest {
                until,
                condition,
                sender,
            });
        });
        self.jobs.send(job).map_err(|_| EngineStopped)?;
        receiver.await.map_err(|_| EngineStopped)
    }

    /// Notes that a client has sent a request.
    pub(crate) fn note_request(&self) {
        self.has_received_request.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_received_request(&self) -> bool {
        self.has_received_request.load(Ordering::Relaxed)
    }

    pub(crate) fn is_running(&self) -> bool {
        self.running.strong_count() > 0
    }

    pub(crate) fn stop(&self) {
        // Sending fails if the thread has already ended.
        let _ = self.jobs.send(Box::new(|engine| engine.has_ended = true));
    }
}

/// A request to advance time.
struct AdvanceRequest {
    until: SimTime,
    /// Condition at which time stops before `until`.
    condition: Option<AwaitedCondition>,
    sender: oneshot::Sender<SimTime>,
}

/// The session and the work in progress.
pub(crate) struct Engine {
    shell: Shell,
    board: Arc<SnapshotBoard>,
    speed: Speed,
    /// A pair of real time and simulated time, from which the current simulated time is computed.
    anchor: (Instant, SimTime),
    /// Calls that have not been sent yet.
    calls: VecDeque<(ApiCall, oneshot::Sender<CallResult>)>,
    /// Calls without an answer yet.
    waiting: Vec<(SentCall, oneshot::Sender<CallResult>)>,
    /// Requests to advance time, in order of arrival.
    advances: VecDeque<AdvanceRequest>,
    last: Option<Arc<Change>>,
    /// The revision up to which all changes are published.
    published: u64,
    was_up: bool,
    derived: DerivedObjects,
    /// Stored checkpoints (`/podscope/v1/checkpoint`).
    pub(crate) checkpoints: Vec<Session>,
    /// Number of old checkpoints that were dropped to make room.
    pub(crate) dropped_checkpoints: usize,
    pub(crate) pages: Pages,
    recorder: Option<Recorder>,
    /// Whether the recording must be rewritten, because the session was replaced or went back in time.
    has_new_history: bool,
    has_ended: bool,
}

fn snapshot(world: &World, derived: &DerivedObjects) -> Snapshot {
    Snapshot {
        objects: world.objects().clone(),
        derived: derived.clone(),
        revision: world.revision(),
        now: world.wall_time(),
        at: world.now(),
        control_plane: world.api_server_runs_and_reaches_etcd(),
        heartbeats: world.heartbeats().clone(),
    }
}

/// Returns the rate that pages show for this speed.
fn displayed_rate(speed: Speed) -> Rate {
    match speed {
        Speed::Manual => Rate {
            is_playing: false,
            per_mille: 1000,
        },
        Speed::Times(times) => Rate {
            is_playing: true,
            per_mille: ((times * 1000.0).round() as u64).max(1),
        },
    }
}

/// Starts the engine thread.
pub(crate) fn start(session: Session, speed: Speed, recorder: Option<Recorder>) -> io::Result<EngineHandle> {
    let derived = DerivedObjects::of(session.world().objects());
    let board = Arc::new(SnapshotBoard::new(snapshot(session.world(), &derived)));
    let (jobs, inbox) = mpsc::channel();
    let running = Arc::new(());
    let engine = EngineHandle {
        jobs,
        board: board.clone(),
        running: Arc::downgrade(&running),
        has_received_request: Arc::default(),
    };
    std::thread::Builder::new().name("engine".to_owned()).spawn(move || {
        let mut engine = Engine {
            anchor: (Instant::now(), session.now()),
            last: session.world().last_write().cloned(),
            published: session.world().revision(),
            was_up: session.world().api_server_runs_and_reaches_etcd().0,
            derived,
            shell: Shell::new(session),
            board,
            speed,
            calls: VecDeque::new(),
            waiting: Vec::new(),
            advances: VecDeque::new(),
            checkpoints: Vec::new(),
            dropped_checkpoints: 0,
            pages: Pages::new(displayed_rate(speed)),
            recorder,
            has_new_history: false,
            has_ended: false,
        };
        engine.run(&inbox);
        drop(running);
    })?;
    Ok(engine)
}

impl Engine {
    fn run(&mut self, inbox: &Receiver<Job>) {
        while !self.has_ended {
            match inbox.recv_timeout(self.max_sleep()) {
                Ok(job) => job(self),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            while let Ok(job) = inbox.try_recv() {
                job(self);
            }
            self.send_calls();
            self.run_due_slice();
            self.publish();
            self.write_recording();
        }
    }

    /// Writes the commands that were performed to the recording. The server ends if that fails, because its run could
    /// not be replayed.
    fn write_recording(&mut self) {
        let is_another = std::mem::take(&mut self.has_new_history);
        let Some(recorder) = &mut self.recorder else { return };
        if let Err(error) = recorder.update(self.shell.session_mut(), is_another) {
            eprintln!("podscope: the recording: {error}");
            self.has_ended = true;
        }
    }

    pub(crate) fn session(&self) -> &Session {
        self.shell.session()
    }

    /// Runs a console line, and then advances time by `wait`.
    pub(crate) fn run_console_line(
        &mut self,
        line: &str,
        stdin: Option<&str>,
        wait: Span,
    ) -> podscope_session::shell::Answer {
        self.finish_leader_seek();
        let answer = self.shell.run(line, stdin, wait);
        self.publish();
        answer
    }

    /// Replaces the session with a stored checkpoint.
    pub(crate) fn restore_checkpoint(&mut self, session: Session) {
        self.shell.replace_session(session);
        self.on_history_replaced();
        self.pages.on_session_replaced(self.shell.session_mut());
    }

    /// Drops pending calls and requests to advance time, and ends all watches, because the session was replaced, went
    /// back in time or changed its branch.
    fn on_history_replaced(&mut self) {
        self.waiting.clear();
        self.advances.clear();
        self.has_new_history = true;
        self.restart_clock_and_history();
    }

    /// Lets the session answer a request of a page, and applies what the request changes for other pages.
    pub(crate) fn handle_page_request(&mut self, id: PageId, request: Request) {
        let done = self.pages.handle(id, request, self.shell.session_mut());
        self.apply_page_effects(done);
    }

    /// Makes a page the leader.
    pub(crate) fn set_leading_page(&mut self, id: PageId) {
        self.pages.make_leader(id, self.shell.session_mut());
    }

    /// Removes a page that has disconnected.
    pub(crate) fn remove_page(&mut self, id: PageId) {
        self.pages.remove(id, self.shell.session_mut());
    }

    fn run_page_work(&mut self) {
        let done = self.pages.work(self.shell.session_mut());
        self.apply_page_effects(done);
    }

    /// Sets the speed from now on.
    pub(crate) fn set_speed(&mut self, speed: Speed) {
        self.speed = speed;
        self.reset_anchor();
    }

    fn apply_page_effects(&mut self, done: PageEffects) {
        if done.has_jumped {
            self.on_history_replaced();
        }
        if let Some(rate) = done.rate {
            self.set_speed(match rate.is_playing {
                true => Speed::Times(rate.per_mille as f64 / 1000.0),
                false => Speed::Manual,
            });
        }
    }

    /// Completes a seek or fast-forward of the leading page, so that the engine then acts at the time that the page has
    /// chosen.
    pub(crate) fn finish_leader_seek(&mut self) {
        while self.pages.is_leader_seeking() {
            self.run_page_work();
        }
    }

    /// Returns how long the engine can sleep if no job arrives.
    fn max_sleep(&self) -> Duration {
        let has_work = !self.advances.is_empty() || self.speed == Speed::Manual && !self.waiting.is_empty();
        if has_work {
            return Duration::ZERO;
        }
        let until_frame = self
            .pages
            .time_until_work()
            .map_or(Duration::MAX, |millis| Duration::from_micros((millis * 1000.0) as u64));
        let Speed::Times(speed) = self.speed else {
            return Duration::from_secs(3600).min(until_frame);
        };
        let next = self.session().world().next_at().unwrap_or(SimTime(i64::MAX));
        let micros = (next.0.saturating_sub(self.due_simulated_time(speed).0)).max(0) as f64 / speed;
        PUBLISH_INTERVAL
            .min(until_frame)
            .min(Duration::from_micros(micros.min(1e6) as u64))
    }

    /// Returns the simulated time that should be reached at the current real time.
    fn due_simulated_time(&self, speed: f64) -> SimTime {
        let (then, at) = self.anchor;
        let micros = (then.elapsed().as_micros() as f64 * speed) as i64;
        SimTime(at.0.saturating_add(micros))
    }

    /// Sets the anchor to the current real time and the current simulated time.
    pub(crate) fn reset_anchor(&mut self) {
        self.anchor = (Instant::now(), self.session().now());
    }

    fn send_calls(&mut self) {
        while !self.pages.is_leader_seeking()
            && self.session().world().client_count() < MAX_RUNNING_COMMANDS
            && let Some((call, sender)) = self.calls.pop_front()
        {
            match self.shell.session_mut().call(call) {
                Ok(called) => self.waiting.push((called, sender)),
                Err(limit) => drop(sender.send(Err(limit.to_string()))),
            }
            self.send_answers();
            if self.speed == Speed::Manual {
                self.advance_until_answered();
            }
        }
        // Calls that were sent before a page paused the clock still get their answers.
        if self.speed == Speed::Manual && !self.waiting.is_empty() && !self.pages.is_leader_seeking() {
            self.advance_until_answered();
        }
    }

    /// Used with manual time: advances time until all sent calls are answered.
    fn advance_until_answered(&mut self) {
        let until = self.session().now() + ANSWER_TIMEOUT;
        while !self.waiting.is_empty() {
            let running: Vec<u32> = self.waiting.iter().map(|(called, _)| called.client).collect();
            let is_under_way = |world: &World| running.iter().any(|client| world.is_running(*client));
            let done = self
                .shell
                .session_mut()
                .advance_while(until, MAX_EVENTS_PER_SLICE, is_under_way);
            self.publish();
            if done != Slice::More {
                break;
            }
        }
        // Calls that are still unanswered are given up.
        self.waiting.clear();
    }

    /// Does one slice of the work that is due now.
    fn run_due_slice(&mut self) {
        self.run_page_work();
        if self.pages.is_moving_time() {
            self.reset_anchor();
            return;
        }
        if let Some(request) = self.advances.pop_front() {
            let session = self.shell.session_mut();
            let slice = match &request.condition {
                None => session.advance(request.until, MAX_EVENTS_PER_SLICE),
                Some(condition) => session.advance_until(request.until, MAX_EVENTS_PER_SLICE, |session| {
                    condition.is_met(session.world())
                }),
            };
            if slice == Slice::More {
                self.advances.push_front(request);
            } else {
                self.reset_anchor();
                self.publish();
                // Sending fails if the client has disconnected.
                let _ = request.sender.send(self.session().now());
            }
            return;
        }
        let Speed::Times(speed) = self.speed else { return };
        let due = self.due_simulated_time(speed);
        let begun = Instant::now();
        while self.play_to(due) == Slice::More {
            self.publish();
            if begun.elapsed() > PUBLISH_INTERVAL {
                break;
            }
        }
        let behind = (due.0 - self.session().now().0) as f64 / speed;
        if behind > MAX_CLOCK_LAG.as_micros() as f64 {
            self.reset_anchor();
        }
    }

    /// Advances time toward `due`, by one slice at most. A question of the lesson on the leading page can pause
    /// time earlier.
    fn play_to(&mut self, due: SimTime) -> Slice {
        match self.pages.play_to(due, self.shell.session_mut()) {
            None => self.shell.session_mut().advance(due, MAX_EVENTS_PER_SLICE),
            Some((slice, done)) => {
                self.apply_page_effects(done);
                slice
            }
        }
    }

    /// Publishes the changes since the last publication.
    fn publish(&mut self) {
        let world = self.session().world();
        let is_up = world.api_server_runs_and_reaches_etcd().0;
        if self.was_up && !is_up {
            self.publish_new_history();
        } else if let Some(changes) = self.changes_since_publication() {
            self.publish_changes(changes);
        } else {
            self.restart_clock_and_history();
        }
        self.was_up = is_up;
        self.send_answers();
    }

    /// Returns the changes since the last publication in the order of their revisions; None if the log no longer has
    /// all of them.
    fn changes_since_publication(&self) -> Option<Vec<Arc<Change>>> {
        let world = self.session().world();
        if world.revision() == self.published {
            return Some(Vec::new());
        }
        let mut changes: Vec<Arc<Change>> = match &self.last {
            Some(last) => world.writes_after(last)?.cloned().collect(),
            None => Vec::new(),
        };
        changes.extend(world.unwatched_writes_after(self.published).cloned());
        changes.sort_by_key(|change| change.revision);
        Some(changes)
    }

    fn publish_changes(&mut self, changes: Vec<Arc<Change>>) {
        let changes = self.derived.with_derived_changes(changes);
        let world = self.session().world();
        self.board.publish(snapshot(world, &self.derived), changes);
        self.record_published_revision();
    }

    fn record_published_revision(&mut self) {
        let world = self.session().world();
        (self.last, self.published) = (world.last_write().cloned(), world.revision());
    }

    /// Publishes the session's state with an empty history, which ends all watches.
    fn publish_new_history(&mut self) {
        self.derived = DerivedObjects::of(self.session().world().objects());
        let world = self.session().world();
        self.board.publish_new_history(snapshot(world, &self.derived));
        self.record_published_revision();
    }

    /// Publishes an empty history and counts real time from now, after the session was replaced or moved to another
    /// time.
    pub(crate) fn restart_clock_and_history(&mut self) {
        self.publish_new_history();
        self.reset_anchor();
    }

    fn send_answers(&mut self) {
        for (client, answers) in self.shell.session_mut().take_answers() {
            if let Some(at) = self.waiting.iter().position(|(called, _)| called.client == client) {
                let (called, sender) = self.waiting.remove(at);
                // The client's next read must see the effects of its write.
                if self.session().world().revision() != self.published
                    && let Some(changes) = self.changes_since_publication()
                {
                    self.publish_changes(changes);
                }
                // Sending fails if the client has disconnected.
                let warnings = called.warnings;
                let _ = sender.send(Ok(CallAnswers { answers, warnings }));
            }
        }
    }
}
