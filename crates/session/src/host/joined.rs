//! Hosts that join a session of their caller, so that several pages show one session (`podscope serve --site`).
//!
//! The caller owns the session and its clock. Each page has a host of its own, with its own selection, grouping and
//! console. For the duration of a call the session is moved into the host ([`Host::with_session`]); between two calls
//! the host holds a placeholder. One host leads: it handles the requests that change the run
//! ([`Host::changes_run`]). The caller lets time pass by [`Host::play_to`] of that host, which stops at the questions of
//! a lesson, and gives its pace to the others.

use podscope_cluster::SimTime;
use podscope_kubectl::command::{self, Command};
use podscope_protocol::{ConsoleText, Limit, LineKind, Opened, Request, Update};

use super::console::{error, line_at};
use super::frames::PageSession;
use super::{ClockMillis, Host, Job, open};
use crate::link::Reading;
use crate::scenario;
use crate::timeline::{MAX_RECORDS, Session, Slice};
use crate::view::{Threads, ViewState};

/// Scenario of the session that a joined host holds between two calls: the smallest cluster.
const PLACEHOLDER: &str = "apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: placeholder}
spec: {cluster: {zones: [a], nodesPerZone: 1}}
";

/// How the clock of a session runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub is_playing: bool,
    /// Simulated time per real time in thousandths, while the session plays.
    pub per_mille: u64,
}

fn placeholder() -> Session {
    let file = ("placeholder.yaml".to_owned(), PLACEHOLDER.to_owned());
    let loaded = scenario::load(&[file]).expect("the placeholder is a valid scenario");
    Session::new(loaded).expect("the placeholder is admitted")
}

impl Host {
    /// Joins the caller's session at its cursor, in place of any session that this host had. `lesson` is the name of
    /// the lesson that is open. Returns the updates that show the session on the page.
    pub fn join(&mut self, session: &mut Session, lesson: Option<String>, clock: ClockMillis) -> Vec<Update> {
        let opened = Opened {
            is_joined: true,
            ..open::opened(session.loaded(), lesson.clone())
        };
        let mut pace = std::mem::take(&mut self.pace);
        pace.count_from(clock, session.now());
        *self = Host {
            active: Some(PageSession::new(placeholder())),
            is_joined: true,
            lesson,
            needs_triage: session.loaded().is_dump(),
            group_by: std::mem::take(&mut self.group_by),
            pace,
            ..Host::default()
        };
        let mut updates = vec![Update::Opened(Box::new(opened))];
        updates.extend(self.with_session(session, |host| {
            if let Some(active) = &host.active {
                host.reader.mark_all_seen(&active.session);
            }
            host.frame(clock)
        }));
        updates
    }

    /// Whether this host has joined a session of its caller.
    #[must_use]
    pub fn is_joined(&self) -> bool {
        self.is_joined
    }

    /// Calls `act` with the caller's session in place of the placeholder. A session that `act` opens replaces the
    /// caller's.
    ///
    /// # Panics
    /// If the host has not joined a session.
    pub fn with_session<T>(&mut self, session: &mut Session, act: impl FnOnce(&mut Host) -> T) -> T {
        self.exchange(session);
        let result = act(self);
        self.exchange(session);
        result
    }

    fn exchange(&mut self, session: &mut Session) {
        let active = self.active.as_mut().expect("a joined host has a session");
        std::mem::swap(&mut active.session, session);
    }

    /// Name of the lesson that is open.
    #[must_use]
    pub fn lesson(&self) -> Option<&str> {
        self.lesson.as_deref()
    }

    /// How the clock runs, as far as this host knows: a request or a question may have changed it.
    #[must_use]
    pub fn rate(&self) -> Rate {
        Rate {
            is_playing: self.pace.playing,
            per_mille: self.pace.speed_per_mille,
        }
    }

    /// Tells the host how the caller's clock runs.
    pub fn set_rate(&mut self, rate: Rate, clock: ClockMillis, now: SimTime) {
        if self.rate() != rate {
            self.pace.playing = rate.is_playing;
            self.pace.speed_per_mille = rate.per_mille;
            self.pace.count_from(clock, now);
            self.dirty = true;
        }
    }

    /// Whether the host is moving the session's time itself, e.g. for a seek. The caller's clock waits meanwhile.
    #[must_use]
    pub fn is_moving_time(&self) -> bool {
        self.job.is_some()
    }

    /// Whether the host is on its way to another instant, where API calls must wait for its arrival.
    #[must_use]
    pub fn is_travelling(&self) -> bool {
        matches!(self.job, Some(Job::Seek { .. } | Job::Fast))
    }

    /// Gives the lead to another host: ends what this one was doing to the session.
    pub fn stop_leading(&mut self) {
        self.job = None;
        self.fast = None;
        self.linked = None;
        self.opening = None;
        self.pasted = None;
        self.solution = None;
        self.waiting = Default::default();
        self.lines = Default::default();
        self.dirty = true;
    }

    /// The session has changed: the next frame is due.
    pub fn session_changed(&mut self) {
        self.dirty = true;
    }

    /// The session is at another instant or on another branch: the next frame replaces everything.
    pub fn redraw(&mut self) {
        if let Some(active) = &mut self.active {
            active.view_state = ViewState::default();
            active.threads = Threads::default();
        }
        self.detail = None;
        self.dirty = true;
    }

    /// The reader's place in the story and the answers.
    #[must_use]
    pub fn reading(&self) -> Reading {
        self.reader.saved()
    }

    /// Takes over the place and the answers of another host's reader.
    pub fn set_reading(&mut self, reading: Reading) {
        if let Some(active) = &self.active {
            self.reader.restore(reading, &active.session);
            self.dirty = true;
        }
    }

    /// Lets time pass up to `target`, a few events at most. Stops at a question of the story, and at the limit of records;
    /// the clock is then paused.
    pub fn play_to(&mut self, target: SimTime) -> (Slice, Vec<Update>) {
        let mut updates = Vec::new();
        let slice = self.play_slice(target);
        if slice == Slice::Limit {
            self.pace.playing = false;
            updates.extend((self.active.as_ref()).map(|active| error(active, Limit::Records(MAX_RECORDS))));
        }
        self.dirty = true;
        updates.extend(self.run_next_lines());
        (slice, updates)
    }

    /// Whether a request changes the run that all pages show. A command that only reads does not.
    #[must_use]
    pub fn changes_run(&self, request: &Request) -> bool {
        match request {
            Request::Command { .. } | Request::Commands { .. } => {
                request.command_lines().iter().any(|line| self.writes(line))
            }
            // The question whether dangerous lines may run changes nothing.
            Request::RunUnlessDangerous { lines } => {
                lines.iter().any(|line| self.writes(line)) && self.danger(lines).is_none()
            }
            Request::Open { .. }
            | Request::Paste { .. }
            | Request::Play
            | Request::Pause
            | Request::Speed { .. }
            | Request::Step
            | Request::NextDecision
            | Request::SkipAhead { .. }
            | Request::SkipToStory
            | Request::Seek { .. }
            | Request::Fork
            | Request::Branch { .. }
            | Request::Undo
            | Request::TryRemedy { .. }
            | Request::Predict { .. }
            | Request::ShowMe => true,
            // Practice opens sessions.
            Request::Course(_) => true,
            Request::Inspect { .. }
            | Request::Explain { .. }
            | Request::WhatWouldHelp { .. }
            | Request::CancelHelp
            | Request::GroupBy { .. }
            | Request::StoryStep { .. }
            | Request::Share { .. }
            | Request::Export { .. }
            | Request::Complete { .. }
            | Request::Fields { .. }
            | Request::Check { .. }
            | Request::CheckLesson { .. }
            | Request::Compare { .. }
            | Request::CompareBranch { .. }
            | Request::FrameDone
            | Request::PrepareToOpen
            | Request::RecordGoal { .. }
            | Request::ForgetGoal { .. }
            | Request::Film { .. }
            | Request::Recognise { .. }
            | Request::Triage { .. }
            | Request::WhatIf(_)
            | Request::Search(_) => false,
        }
    }

    /// Whether a command line does more than print. A line that cannot be parsed prints its error.
    fn writes(&self, line: &str) -> bool {
        let Some(active) = &self.active else { return false };
        match command::parse_piped(line, None) {
            Err(_) | Ok((Command::Help(_), _)) => false,
            Ok((Command::Kubectl { action: kubectl, .. }, pipe)) => {
                pipe.has_next() || active.session.ask(&kubectl).is_none()
            }
            Ok(_) => true,
        }
    }

    /// Refuses a request in the console. The next frame puts back what the page expected of the request.
    pub fn refuse(&mut self, request: &Request, why: ConsoleText) -> Vec<Update> {
        self.dirty = true;
        let at = self.active.as_ref().map_or(0, |active| active.session.now().0);
        let typed = request.command_lines().iter();
        let typed = typed.map(|line| (LineKind::Input, line.as_str().into()));
        let lines = typed.chain([(LineKind::Error, why)]);
        vec![Update::Console {
            lines: lines.map(|(kind, text)| line_at(at, kind, text)).collect(),
        }]
    }
}
