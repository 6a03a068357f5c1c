//! Handover of a host to another build of the engine.
//!
//! The engine is built twice. The first build, which a first visit loads, lacks rarely used capabilities
//! (`podscope_cluster::beyond`); the whole engine (feature `whole`) has all of them. When the first build needs a
//! capability that it lacks, its host exports its state ([`Host::hand_over`]), and a host of the whole engine continues
//! from it ([`Host::take_over`]): it opens the same scenario, replays the same commands up to the same position of the
//! trace, and then sends the page one frame that replaces everything. Both engines compute the same trace up to that
//! position, so console, undo, branches and links continue without a visible change.

use podscope_cluster::SimTime;
use podscope_kubectl::command;
use podscope_messages::sentence;
use podscope_protocol::{Caption, ConsoleText, Notice, OwnerView, Problem, Request, SubjectRef, Task, Update};
use serde::{Deserialize, Serialize};

use super::director::continues_run;
use super::lines::Lines;
use super::open::Opening;
use super::record::RecordedGoals;
use super::{ClockMillis, EVENTS_PER_PIECE, Host, Job, PageSession, answers::Share, further};
use crate::IS_WHOLE;
use crate::lessons;
use crate::link::Link;
use crate::timeline::{Session, Slice};
use crate::view::Owners;

/// Number of events per piece of work while a handed-over session is replayed.
const EVENTS_PER_REPLAY_PIECE: u64 = 20 * EVENTS_PER_PIECE;

/// Maximum number of machines of a session that the first build of the engine simulates. A handover replays the
/// session, which takes as long as the first run did. For a large cluster, the user would wait that long at the first
/// request that needs the whole engine, so the whole engine simulates large clusters from the start.
const MAX_MACHINES: usize = 200;

/// Returns whether a serialized request of this length in bytes needs the whole engine, because it contains a large
/// file or a long text.
#[must_use]
pub const fn is_for_whole_engine(length: usize) -> bool {
    !IS_WHOLE && length > super::open::LARGE_SOURCE_BYTES
}

/// The state of a host, from which a host in another engine continues.
#[derive(Debug, Serialize, Deserialize)]
pub struct Handover {
    /// Names and texts of the lessons, if the other engine has loaded them.
    lessons: Vec<(String, String)>,
    session: Option<HandedSession>,
    is_playing: bool,
    speed_per_mille: u64,
    group_by: String,
    subject: Option<SubjectRef>,
    caption: Option<Caption>,
    is_pause_noticed: bool,
    stored_screen: Option<String>,
    shares: Vec<Share>,
    lines: Lines,
    /// Requests that the host had received but not handled, in order.
    requests: Vec<Request>,
}

impl Handover {
    /// Returns the number of requests that the host had received but not handled.
    #[must_use]
    pub fn n_requests(&self) -> u64 {
        self.requests.len() as u64
    }

    /// Serializes the state.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("the state has no keys that JSON cannot hold")
    }

    /// Deserializes the result of [`Handover::to_bytes`].
    ///
    /// # Errors
    /// The bytes were made by an engine of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Handover, String> {
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }
}

/// A session in a handover, with the state that the page has already received.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HandedSession {
    /// Link with the scenario and the commands of all branches.
    link: Link,
    lesson: Option<String>,
    place: TracePosition,
    /// The latest computed instant of the current branch.
    horizon: SimTime,
    /// The host's job in progress, which the host in the other engine continues.
    job: Option<Job>,
    /// The link that the job is opening. When the job ends, the reader's answers and the comparison are restored from
    /// this link.
    linked: Option<Link>,
    needs_triage: bool,
    plays_after_answer: bool,
    console_seen: usize,
    console_branch: usize,
    owners: (Vec<OwnerView>, Vec<(String, usize)>),
    recorded: RecordedGoals,
    /// The other session of a comparison.
    other: Option<Link>,
}

/// A position in the trace of a branch. An instant is not enough, because several events can occur at one instant.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct TracePosition {
    at: SimTime,
    /// Number of records up to the position.
    records: usize,
    /// Number of commands up to the position.
    commands: u32,
    /// Number of steps that the story has shown. A step is shown after the last event of its instant, and is not
    /// recorded in the trace.
    shown: usize,
}

impl TracePosition {
    fn of(session: &Session) -> TracePosition {
        TracePosition {
            at: session.now(),
            records: session.trace().len(),
            commands: session.last_command_number(),
            shown: session.progress().story().shown().len(),
        }
    }

    fn is_reached(self, session: &Session) -> bool {
        let now = TracePosition::of(session);
        now.at >= self.at && now.records >= self.records && now.commands >= self.commands && now.shown >= self.shown
    }
}

/// A session that is being replayed after another engine has handed it over.
#[derive(Debug)]
pub(super) struct Resuming {
    handed: HandedSession,
    is_playing: bool,
    /// Whether the replay has reached the horizon (the latest computed instant), and now seeks back to the position.
    has_reached_horizon: bool,
}

/// Returns whether a request gives a command or advances time, so that a missing capability could change the run.
fn lets_time_pass(request: &Request) -> bool {
    continues_run(request) || matches!(request, Request::ShowMe | Request::TryRemedy { .. })
}

/// Returns the update that reports the progress of loading the whole engine.
const fn loading_progress(per_mille: u32) -> Update {
    let task = Task::Load;
    Update::Progress { task, per_mille }
}

/// Creates a session at t = 0 in which all commands of a link are scheduled.
fn session_at_start(link: &Link) -> Result<Session, Vec<Problem>> {
    let mut session = Session::new(link.load()?)?;
    link.replay(&mut session);
    Ok(session)
}

/// Returns the link of a session with all branches. It contains the session's files, even for a lesson.
fn whole_link(session: &Session) -> Link {
    let link = Link::until(session, None, String::new(), session.now());
    link.whole(session).unwrap_or(link)
}

impl HandedSession {
    fn of(host: &mut Host, active: PageSession) -> HandedSession {
        let session = &active.session;
        let job = match host.job {
            // A fast-forward cannot continue in another host, so it ends here.
            Some(Job::Fast) | None => None,
            Some(job) => Some(job),
        };
        HandedSession {
            link: Link {
                reading: Some(host.reader.saved()),
                ..whole_link(session)
            },
            lesson: host.lesson.take(),
            place: TracePosition::of(session),
            horizon: session.horizon(),
            job,
            linked: host.linked.take(),
            needs_triage: host.needs_triage,
            plays_after_answer: host.reader.plays_after_answer,
            console_seen: active.console_seen,
            console_branch: active.console_branch,
            owners: active.owners.saved(),
            recorded: std::mem::take(&mut host.recorded),
            other: host.other.take().map(|other| whole_link(&other.session)),
        }
    }
}

impl Host {
    /// Moves the state out of this host. The host is empty afterwards.
    #[must_use]
    pub fn hand_over(&mut self) -> Handover {
        let mut requests = Vec::new();
        requests.extend(self.whole_engine_source.take().map(|source| Request::Open { source }));
        match self.opening.take() {
            Some(Opening::Unread(source)) => requests.push(Request::Open { source }),
            Some(Opening::Read(read) | Opening::Listed(read)) => requests.push(Request::Open {
                source: read.into_source(),
            }),
            None => {}
        }
        let pasted = self.pasted.take().map(|(name, text)| Request::Paste { name, text });
        requests.extend(pasted);
        requests.extend(std::mem::take(&mut self.waiting).into_requests());
        let active = self.active.take();
        let handover = Handover {
            lessons: lessons::provided(),
            session: active.map(|active| HandedSession::of(self, active)),
            is_playing: self.pace.playing,
            speed_per_mille: self.pace.speed_per_mille,
            group_by: std::mem::take(&mut self.group_by),
            subject: self.subject.take(),
            caption: self.caption.take(),
            is_pause_noticed: self.is_pause_noticed,
            stored_screen: self.stored_screen.take(),
            shares: std::mem::take(&mut self.shares),
            lines: std::mem::take(&mut self.lines),
            requests,
        };
        *self = Host::new();
        handover
    }

    /// Creates a host that continues from a handover. [`Host::work`] replays its session; until the replay is finished,
    /// [`Host::is_resuming`] is true and requests must wait. Also returns the requests that the previous host had
    /// received but not handled.
    ///
    /// # Errors
    /// The scenario cannot be opened. This does not happen if the previous host had opened it.
    pub fn take_over(handover: Handover) -> Result<(Host, Vec<Request>), Vec<Problem>> {
        if !handover.lessons.is_empty() {
            lessons::provide_texts(handover.lessons);
        }
        let mut host = Host {
            group_by: handover.group_by,
            subject: handover.subject,
            caption: handover.caption,
            is_pause_noticed: handover.is_pause_noticed,
            stored_screen: handover.stored_screen,
            shares: handover.shares,
            lines: handover.lines,
            ..Host::default()
        };
        host.pace.speed_per_mille = handover.speed_per_mille;
        if let Some(handed) = handover.session {
            let mut active = PageSession::new(session_at_start(&handed.link)?);
            active.owners = Owners::restored(&handed.owners);
            host.active = Some(active);
            host.resuming = Some(Box::new(Resuming {
                handed,
                is_playing: handover.is_playing,
                has_reached_horizon: false,
            }));
        }
        Ok((host, handover.requests))
    }

    /// Returns whether the session of a handover is still being replayed.
    #[must_use]
    pub fn is_resuming(&self) -> bool {
        self.resuming.is_some()
    }

    /// Replays a piece of the session of a handover.
    pub(super) fn continue_resuming(&mut self, clock: ClockMillis) -> Vec<Update> {
        let (Some(active), Some(resuming)) = (&mut self.active, &mut self.resuming) else {
            return Vec::new();
        };
        let (session, place) = (&mut active.session, resuming.handed.place);
        if !resuming.has_reached_horizon {
            if session.advance(resuming.handed.horizon, EVENTS_PER_REPLAY_PIECE) == Slice::More {
                return Vec::new();
            }
            // A checkpoint at the instant of the position may be after the position.
            session.seek(SimTime(place.at.0.saturating_sub(1).max(0)));
            resuming.has_reached_horizon = true;
        }
        let is_reached = |session: &Session| place.is_reached(session);
        if session.advance_until(place.at, EVENTS_PER_REPLAY_PIECE, is_reached) == Slice::More {
            return Vec::new();
        }
        self.finish_resuming(clock)
    }

    /// Restores the state that the page already has, and sends a frame that replaces everything.
    fn finish_resuming(&mut self, clock: ClockMillis) -> Vec<Update> {
        let (Some(active), Some(resuming)) = (&mut self.active, self.resuming.take()) else {
            return Vec::new();
        };
        let handed = resuming.handed;
        if let Some(reading) = handed.link.reading {
            self.reader.restore(reading, &active.session);
        }
        self.reader.plays_after_answer = handed.plays_after_answer;
        active.console_seen = handed.console_seen;
        active.console_branch = handed.console_branch;
        self.lesson = handed.lesson;
        self.recorded = handed.recorded;
        self.needs_triage = handed.needs_triage;
        (self.job, self.linked) = (handed.job, handed.linked);
        if let Some(Ok(other)) = handed.other.map(|link| session_at_start(&link)) {
            self.other = Some(PageSession::new(other));
            self.is_other_behind = true;
        }
        self.pace.playing = resuming.is_playing;
        self.restart_pace(clock);
        let mut updates = vec![loading_progress(1000)];
        updates.extend(self.frame(clock));
        updates
    }
}

impl Host {
    /// Returns whether the whole engine must take over: the session, or the source to be opened, needs a capability
    /// that this build lacks, or the cluster is too large for this build.
    #[must_use]
    pub fn lacks_capability(&self) -> bool {
        let is_lacking = |active: &PageSession| {
            let session = &active.session;
            let world = session.world();
            session.loaded().is_dump() || world.needs_whole_engine() || world.machines().nth(MAX_MACHINES).is_some()
        };
        !IS_WHOLE && (self.whole_engine_source.is_some() || self.active.as_ref().is_some_and(is_lacking))
    }

    /// Returns whether only the whole engine can handle the request.
    #[must_use]
    pub fn needs_whole_engine(&self, request: &Request) -> bool {
        let is_whole_engine_line = |line: &String| match command::parse_piped(line, None) {
            Ok((_, pipe)) => pipe.has_next(),
            Err(error) => error.lacks_capability,
        };
        let needs =
            || request.command_lines().iter().any(is_whole_engine_line) || further::always_needs_whole_engine(request);
        !IS_WHOLE && (needs() || self.lacks_capability() && lets_time_pass(request))
    }

    /// Returns the update that tells the page that the whole engine is being loaded.
    #[must_use]
    pub fn loading_whole_engine() -> Update {
        loading_progress(0)
    }

    /// Tells the page that the whole engine could not be loaded, and refuses the request that needs it, if there is
    /// one. When the user repeats the request, loading is tried again. A session that needs a missing capability is
    /// paused, because its result would be wrong.
    pub fn refuse_without_whole_engine(&mut self, request: Option<Request>, why: &str) -> Vec<Update> {
        self.whole_engine_source = None;
        if self.lacks_capability() {
            self.pause();
        }
        let refused = match request.filter(|request| self.active.is_some() && !request.command_lines().is_empty()) {
            Some(request) => {
                let why = why.to_owned();
                self.refuse(&request, ConsoleText::Notice(Notice::EngineNotLoaded { why }))
            }
            None => vec![Update::Refused {
                problems: vec![Problem::of("engine", sentence!(notice::engine_not_loaded, why = why))],
            }],
        };
        std::iter::once(loading_progress(1000)).chain(refused).collect()
    }
}
