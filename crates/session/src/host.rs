//! The engine's side of the page protocol: [`Host`] takes requests of the page, returns updates for it, and does long
//! work in small pieces.
//!
//! It runs the same in a web worker and in-process. The clock of the host machine is an argument; it only affects the
//! pace of `Request::Play` and of frames.

mod anonymised;
mod answers;
mod console;
mod danger;
mod director;
mod fields;
mod frames;
mod joined;
mod lines;
mod moments;
mod open;
mod pace;
mod reader;
mod record;
mod requests;
mod scenario_fields;
mod search;
mod shown_solution;
mod tools;
mod waiting;
mod what_if;
mod work;

use podscope_api::well_known::label;
use podscope_cluster::{SimTime, Span};

use self::frames::PageSession;
pub use self::joined::Rate;
pub(crate) use self::open::joined_text;
use self::pace::{LastFrame, Pace};
use self::reader::Reader;
pub(crate) use self::record::PickedGoal;
use crate::film::Film;
use crate::view;
use podscope_protocol::{Caption, ExportKind, SubjectRef, Update};

/// Time of a monotonic clock in milliseconds. Only differences between two times are meaningful.
pub type ClockMillis = f64;

/// Number of simulation events in one piece of work of a host.
const EVENTS_PER_PIECE: u64 = 60;
/// Maximum simulated time for which a paused session is advanced so that a command can be answered.
const ANSWER_TIMEOUT: Span = Span::millis(100);

/// Time at which the caller must call [`Host::work`] again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NextWork {
    /// Only after the next request, because there is no work.
    AfterRequest,
    /// Immediately: work is pending.
    Now,
    /// At this time of the clock, for the next frame of a playing session.
    At(ClockMillis),
}

/// The long work that a host is doing in pieces.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Job {
    Seek {
        from: SimTime,
        target: SimTime,
    },
    /// The fast-forward in [`Host::fast`].
    Fast,
    /// The session is paused, but its time advances until at most `clients` commands still wait for an answer, and
    /// at the latest until `until`.
    Answer {
        until: SimTime,
        clients: usize,
    },
}

/// An engine with the session that the page shows, and the state of its requests.
#[derive(Debug, Default)]
pub struct Host {
    active: Option<PageSession>,
    /// Whether this host shows a session of its caller, which also controls the clock (`joined.rs`).
    is_joined: bool,
    /// A large source (file, link or lesson) that is being opened in pieces.
    opening: Option<open::Opening>,
    /// A large pasted text whose format is not known yet.
    pasted: Option<crate::scenario::File>,
    other: Option<PageSession>,
    /// The comparison with the session `other`, in the form in which links store it.
    compared: Option<crate::link::Compared>,
    /// Whether the session `other` of a comparison has not reached the cursor yet.
    is_other_behind: bool,
    lesson: Option<String>,
    pace: Pace,
    job: Option<Job>,
    /// Requests that wait for the end of a seek.
    waiting: waiting::WaitingRequests,
    /// Console lines that were pasted together and have not run yet.
    lines: lines::PastedLines,
    /// The fast-forward of [`Job::Fast`].
    fast: Option<director::FastForward>,
    caption: Option<Caption>,
    /// The lesson's solution that is being shown. Showing it stops when the user does anything else.
    solution: Option<shown_solution::RemainingSolution>,
    group_by: String,
    subject: Option<SubjectRef>,
    detail: Option<podscope_protocol::InspectorContent>,
    reader: Reader,
    /// Pictures of the cluster before and after the lesson's key moment, shown at the end of the lesson.
    moments: moments::KeyMomentPictures,
    /// Fields that the user picked as goals while recording a lesson.
    recorded: record::RecordedGoals,
    last_frame: LastFrame,
    dirty: bool,
    help: Option<answers::RemedySearch>,
    /// The what-if question that is being computed.
    asked: Option<what_if::RunningQuestion>,
    /// The search for a seed whose run violates an invariant.
    search: Option<search::SeedSearch>,
    /// Whether triage must list the problems of the cluster again.
    needs_triage: bool,
    anonymised: anonymised::AnonymisedSessions,
    film: Option<Film>,
    /// Whether the console has printed the notice that time is paused, since time last ran.
    is_pause_noticed: bool,
    /// The opened link, until the cursor has reached the link's instant.
    linked: Option<crate::link::Link>,
    /// Requested links, which are created at the end of the current seek.
    shares: Vec<answers::RequestedLink>,
    /// The page's state in the last link that the page stored. None if that link was too long to be sent again after
    /// each command. If it is set, each command sends a new link to the page before the frame that shows the command's
    /// effect (T-05).
    stored_screen: Option<String>,
}

impl Host {
    /// Creates an engine without a session.
    #[must_use]
    pub fn new() -> Host {
        Host {
            group_by: label::ZONE.to_owned(),
            ..Host::default()
        }
    }

    /// Returns the first update for the page: version, list of lessons, and list of invariants.
    #[must_use]
    pub fn hello(&self) -> Update {
        Update::Hello {
            version: env!("CARGO_PKG_VERSION").to_string(),
            lessons: crate::lessons::list(),
            guarantees: view::guarantees(),
        }
    }

    /// Creates the requested links. Does nothing during a seek: the cursor is not yet at the requested instant, and the
    /// links would lack commands.
    fn finished_links(&mut self) -> Vec<Update> {
        let (Some(active), false) = (&self.active, matches!(self.job, Some(Job::Seek { .. }))) else {
            return Vec::new();
        };
        let lesson = self.lesson.as_deref();
        let mut links = Vec::new();
        for share in std::mem::take(&mut self.shares) {
            let screen = (share.revision != 0).then(|| share.screen.clone());
            let compared = self.compared.as_ref().filter(|_| self.other.is_some());
            let link = share.create_link(&active.session, lesson, &self.reader, compared);
            if let (Some(screen), Update::Link { fragment, whole, .. }) = (screen, &link) {
                let length = whole.as_ref().unwrap_or(fragment).len();
                self.stored_screen = (length <= podscope_protocol::MAX_LINK_LENGTH).then_some(screen);
            }
            links.push(link);
        }
        links
    }

    /// Returns when to call [`Host::work`].
    #[must_use]
    pub fn next_work(&self) -> NextWork {
        if self.has_work() || self.pace.is_late() {
            NextWork::Now
        } else if self.is_joined && self.pace.playing {
            // The caller advances the time of a joined session, so this host only has to send the next frame.
            NextWork::At(self.last_frame.due())
        } else if self.pace.playing || self.dirty {
            NextWork::At(self.last_frame.next_check())
        } else {
            NextWork::AfterRequest
        }
    }

    /// Returns whether all requests have been handled and a frame shows their effects. A session may still be playing.
    #[must_use]
    pub fn has_completed_requests(&self) -> bool {
        !self.has_work() && self.waiting.is_empty() && (self.pace.playing || !self.dirty)
    }

    /// Returns whether handled requests have left work to do, other than playing.
    fn has_work(&self) -> bool {
        self.opening.is_some()
            || self.pasted.is_some()
            || self.job.is_some()
            || self.is_other_behind
            || self.film.is_some()
            || self.asked.is_some()
            || self.search.is_some()
            || self.needs_triage
            || !self.anonymised.is_empty()
            || self.help.as_ref().is_some_and(|help| !help.is_done())
    }

    /// Reports that the caller has sent updates that contain a frame. Sending a frame of a large cluster can take
    /// longer than the frame interval; this time is then also granted to the simulation before the next frame. Without
    /// this call, the time for sending is not counted.
    pub fn sent(&mut self, clock: ClockMillis) {
        self.last_frame.sent(clock);
    }

    /// Queues a link that the page stores, if the last stored link was short enough to be sent after each command.
    fn queue_stored_link(&mut self) {
        let is_requested = self.shares.iter().any(|share| !share.anonymise);
        if let Some(screen) = self.stored_screen.clone().filter(|_| !is_requested) {
            self.shares.push(answers::RequestedLink {
                screen,
                anonymise: false,
                revision: 0,
            });
        }
    }

    /// Restarts the pacing of a playing session at the current cursor.
    fn restart_pace(&mut self, clock: ClockMillis) {
        let now = self
            .active
            .as_ref()
            .map_or(SimTime::ZERO, |active| active.session.now());
        self.pace.count_from(clock, now);
    }
}

/// Returns the suggested file name and the media type of an export.
pub(crate) fn export_name_and_media_type(what: ExportKind) -> (&'static str, &'static str) {
    match what {
        ExportKind::Objects => ("objects.yaml", "application/yaml"),
        ExportKind::Trace => ("trace.jsonl", "application/jsonl"),
        ExportKind::Scenario => ("scenario.yaml", "application/yaml"),
        ExportKind::Picture => ("cluster.svg", "image/svg+xml"),
        ExportKind::Image => ("cluster.png", "image/png"),
        ExportKind::Lesson => ("lesson.yaml", "application/yaml"),
        ExportKind::Names => ("names.tsv", "text/tab-separated-values"),
    }
}

#[cfg(test)]
mod tests;
