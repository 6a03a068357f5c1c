//! The engine's side of the protocol: requests in, updates out, work in small pieces.
//!
//! It runs the same in a worker and in-process. The clock of the machine it runs on is an
//! argument: only the pace of `Request::Play` and of frames looks at it.

mod answers;
mod console;
mod director;
mod fields;
mod frames;
mod lines;
mod moments;
mod nameless;
mod open;
mod pace;
mod reader;
mod record;
mod requests;
mod scenario_fields;
mod waiting;
mod work;

use podscope_cluster::{SimTime, Span};

use self::frames::Show;
use self::pace::{LastFrame, Pace};
use self::reader::Reader;
pub(crate) use self::record::Picked;
use crate::film::Film;
use crate::view;
use podscope_protocol::{Caption, ExportKind, SubjectRef, Update};

/// Milliseconds of a clock that only goes forward; its zero means nothing.
pub type ClockMillis = f64;

/// Events in one piece of work.
const PIECE: u64 = 60;
/// How far a session that stands still follows a command to its answer.
const ANSWER: Span = Span::millis(100);

/// When the host wants to [`Host::work`] next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wants {
    /// Nothing to do until a request comes.
    Rest,
    /// At once: work is left.
    Now,
    /// At that time of the clock: the next frame of a session that plays.
    At(ClockMillis),
}

/// Long work under way.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Job {
    Seek {
        from: SimTime,
        target: SimTime,
    },
    /// [`Host::fast`].
    Fast,
    /// Time stands still, but a command is on its way: until no more than so many are.
    Answer {
        until: SimTime,
        clients: usize,
    },
}

/// An engine with its session.
#[derive(Debug, Default)]
pub struct Host {
    show: Option<Show>,
    /// A large source on its way.
    opening: Option<open::Opening>,
    /// A large text that was pasted, of which nobody knows what it is.
    pasted: Option<crate::scenario::File>,
    other: Option<Show>,
    /// The other run of a comparison has not reached the cursor yet.
    other_late: bool,
    lesson: Option<String>,
    pace: Pace,
    job: Option<Job>,
    /// What was asked for on the way of a seek.
    waiting: waiting::Waiting,
    /// Lines that were given at once, and have not run yet.
    lines: lines::Lines,
    /// What runs fast, as long as the job says so; how the last such run ended, until something else happens.
    fast: Option<director::Fast>,
    caption: Option<Caption>,
    /// What comes is the solution, as it is shown: nobody has done anything else since.
    shows: bool,
    group_by: String,
    subject: Option<SubjectRef>,
    detail: Option<podscope_protocol::Detail>,
    reader: Reader,
    /// The pictures of the end.
    moments: moments::Moments,
    /// What was made a goal of the lesson being recorded.
    recorded: record::Recorded,
    last_frame: LastFrame,
    dirty: bool,
    help: Option<answers::Help>,
    /// What is wrong in the cluster is still to be looked for.
    triages: bool,
    nameless: nameless::Nameless,
    film: Option<Film>,
    /// That time stands still has been said since it last ran.
    still_said: bool,
    /// The link that was opened, until its cursor is reached.
    linked: Option<crate::link::Link>,
    /// Links that were asked for on the way to an instant.
    shares: Vec<answers::Share>,
    /// The screen of the last link by which the page kept the session, if that was short enough to be told with each
    /// command: what is done is kept before it is seen (T-05).
    keeps: Option<String>,
}

impl Host {
    /// An engine without a session.
    #[must_use]
    pub fn new() -> Host {
        Host {
            group_by: view::ZONE.to_owned(),
            ..Host::default()
        }
    }

    /// What the page hears first.
    #[must_use]
    pub fn hello(&self) -> Update {
        Update::Hello {
            version: env!("CARGO_PKG_VERSION").to_string(),
            lessons: crate::lessons::list(),
            guarantees: view::guarantees(),
        }
    }

    /// The links that were asked for, once the cursor stands where it was sent: on the way there are commands still
    /// to come, which a link to the cursor would leave out.
    fn share(&mut self) -> Vec<Update> {
        let (Some(show), false) = (&self.show, matches!(self.job, Some(Job::Seek { .. }))) else {
            return Vec::new();
        };
        let lesson = self.lesson.as_deref();
        let mut links = Vec::new();
        for share in std::mem::take(&mut self.shares) {
            let keeps = (share.revision != 0).then(|| share.screen.clone());
            let link = share.answer(&show.session, lesson, &self.reader);
            if let (Some(screen), Update::Link { fragment, whole, .. }) = (keeps, &link) {
                let length = whole.as_ref().unwrap_or(fragment).len();
                self.keeps = (length <= podscope_protocol::LONGEST_LINK).then_some(screen);
            }
            links.push(link);
        }
        links
    }

    /// When to call [`Host::work`].
    #[must_use]
    pub fn wants(&self) -> Wants {
        if self.has_work() || self.pace.is_late() {
            Wants::Now
        } else if self.pace.playing || self.dirty {
            Wants::At(self.last_frame.next())
        } else {
            Wants::Rest
        }
    }

    /// Whether everything that was requested is done and drawn. Time that runs by itself may go on.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        !self.has_work() && self.waiting.is_empty() && (self.pace.playing || !self.dirty)
    }

    /// Whether a request has left work that needs no time of the cluster.
    fn has_work(&self) -> bool {
        self.opening.is_some()
            || self.pasted.is_some()
            || self.job.is_some()
            || self.other_late
            || self.film.is_some()
            || self.triages
            || !self.nameless.is_empty()
            || self.help.as_ref().is_some_and(|help| !help.is_done())
    }

    /// Updates with a frame in them have been sent: a big cluster's takes longer than the time between
    /// two frames, and the simulation must not starve for it. A host that is not told takes frames for free.
    pub fn sent(&mut self, clock: ClockMillis) {
        self.last_frame.sent(clock);
    }

    /// Tells the session's link with what was just done, where the page keeps it by one that is short.
    fn keep(&mut self) {
        let is_asked = self.shares.iter().any(|share| !share.anonymise);
        if let Some(screen) = self.keeps.clone().filter(|_| !is_asked) {
            self.shares.push(answers::Share {
                screen,
                anonymise: false,
                revision: 0,
            });
        }
    }

    /// The pace counts from here.
    fn pace_from(&mut self, clock: ClockMillis) {
        let now = self.show.as_ref().map_or(SimTime::ZERO, |show| show.session.now());
        self.pace.count_from(clock, now);
    }
}

/// Suggested name and media type of an export.
pub(crate) fn file_kind(what: ExportKind) -> (&'static str, &'static str) {
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
