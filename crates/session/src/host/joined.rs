//! Hosts that show a session of their caller, so that several pages show the same session (`podscope serve --site`).
//!
//! The caller owns the session and its clock. Each page has its own host, with its own selection, grouping and console.
//! During a call the session is moved into the host ([`Host::with_session`]); between calls the host contains a
//! placeholder session. One host leads: it handles the requests that change the run ([`Host::changes_run`]). The caller
//! advances time with [`Host::play_to`] of that host, which stops at the questions of a lesson, and sets the same pace
//! in the other hosts.

use podscope_cluster::SimTime;
use podscope_kubectl::command::{self, Command};
use podscope_protocol::{ConsoleText, LineKind, OpenedSession, Request, SessionLimit, Update};

use super::console::{console_line_at, error};
use super::frames::PageSession;
use super::{ClockMillis, Host, Job, open};
use crate::link::ReaderState;
use crate::scenario;
use crate::timeline::{MAX_RECORDS, Session, Slice};
use crate::view::{ThreadTracker, ViewState};

/// Scenario of the placeholder session that a joined host contains between calls: a minimal cluster.
const PLACEHOLDER_SCENARIO: &str = "apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: placeholder}
spec: {cluster: {zones: [a], nodesPerZone: 1}}
";

/// Whether and how fast the clock of a session runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub is_playing: bool,
    /// Simulated time divided by real time, in thousandths, while the session plays.
    pub per_mille: u64,
}

fn placeholder_session() -> Session {
    let file = ("placeholder.yaml".to_owned(), PLACEHOLDER_SCENARIO.to_owned());
    let loaded = scenario::load(&[file]).expect("the placeholder is a valid scenario");
    Session::new(loaded).expect("the placeholder is admitted")
}

impl Host {
    /// Joins the caller's session at its cursor, in place of this host's own session. `lesson` is the name of the open
    /// lesson. Returns the updates that show the session on the page.
    pub fn join(&mut self, session: &mut Session, lesson: Option<String>, clock: ClockMillis) -> Vec<Update> {
        let opened = OpenedSession {
            is_joined: true,
            ..open::opened(session.loaded(), lesson.clone())
        };
        let mut pace = std::mem::take(&mut self.pace);
        pace.count_from(clock, session.now());
        *self = Host {
            active: Some(PageSession::new(placeholder_session())),
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

    /// Returns whether this host has joined a session of its caller.
    #[must_use]
    pub fn is_joined(&self) -> bool {
        self.is_joined
    }

    /// Calls `act` with the caller's session in place of the placeholder. If `act` opens another session, that session
    /// replaces the caller's.
    ///
    /// # Panics
    /// If the host has not joined a session.
    pub fn with_session<T>(&mut self, session: &mut Session, act: impl FnOnce(&mut Host) -> T) -> T {
        self.swap_session(session);
        let result = act(self);
        self.swap_session(session);
        result
    }

    fn swap_session(&mut self, session: &mut Session) {
        let active = self.active.as_mut().expect("a joined host has a session");
        std::mem::swap(&mut active.session, session);
    }

    /// Returns the name of the open lesson.
    #[must_use]
    pub fn lesson(&self) -> Option<&str> {
        self.lesson.as_deref()
    }

    /// Returns whether and how fast the clock should run after this host's last request: the request, or a question of
    /// a lesson, may have changed it.
    #[must_use]
    pub fn rate(&self) -> Rate {
        Rate {
            is_playing: self.pace.playing,
            per_mille: self.pace.speed_per_mille,
        }
    }

    /// Sets the host's pace to the rate of the caller's clock.
    pub fn set_rate(&mut self, rate: Rate, clock: ClockMillis, now: SimTime) {
        if self.rate() != rate {
            self.pace.playing = rate.is_playing;
            self.pace.speed_per_mille = rate.per_mille;
            self.pace.count_from(clock, now);
            self.dirty = true;
        }
    }

    /// Returns whether the host itself is advancing the session's time, for example for a seek. The caller's clock
    /// waits meanwhile.
    #[must_use]
    pub fn is_moving_time(&self) -> bool {
        self.job.is_some()
    }

    /// Returns whether the host is seeking or fast-forwarding to another instant. API calls must wait until it has
    /// arrived.
    #[must_use]
    pub fn is_seeking_or_fast_forwarding(&self) -> bool {
        matches!(self.job, Some(Job::Seek { .. } | Job::Fast))
    }

    /// Stops all work of this host that changes the session, so that another host can lead.
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

    /// Reports that the caller has changed the session: the next frame is due.
    pub fn session_changed(&mut self) {
        self.dirty = true;
    }

    /// Reports that the session is at another instant or on another branch: the next frame replaces all that the page
    /// shows.
    pub fn redraw(&mut self) {
        if let Some(active) = &mut self.active {
            active.view_state = ViewState::default();
            active.threads = ThreadTracker::default();
        }
        self.detail = None;
        self.dirty = true;
    }

    /// Returns the current step of the story on this host's page, and the reader's answers.
    #[must_use]
    pub fn reader_state(&self) -> ReaderState {
        self.reader.saved_state()
    }

    /// Sets the current step of the story and the reader's answers to those of another host.
    pub fn set_reader_state(&mut self, state: ReaderState) {
        if let Some(active) = &self.active {
            self.reader.restore(state, &active.session);
            self.dirty = true;
        }
    }

    /// Advances time towards `target` by a limited number of events. Stops at a question of the story and at the
    /// maximum number of records; the clock is then paused.
    pub fn play_to(&mut self, target: SimTime) -> (Slice, Vec<Update>) {
        let mut updates = Vec::new();
        let slice = self.play_slice(target);
        if slice == Slice::Limit {
            self.pace.playing = false;
            updates.extend((self.active.as_ref()).map(|active| error(active, SessionLimit::Records(MAX_RECORDS))));
        }
        self.dirty = true;
        updates.extend(self.run_next_pasted_lines());
        (slice, updates)
    }

    /// Returns whether a request changes the run that all pages show. A command that only prints something does not
    /// change it.
    #[must_use]
    pub fn changes_run(&self, request: &Request) -> bool {
        match request {
            Request::Command { .. } | Request::Commands { .. } => {
                request.command_lines().iter().any(|line| self.line_changes_run(line))
            }
            // If the lines are dangerous, the request only asks the user and changes nothing.
            Request::RunUnlessDangerous { lines } => {
                lines.iter().any(|line| self.line_changes_run(line)) && self.danger_of_lines(lines).is_none()
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
            // A practice exercise opens a new session.
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

    /// Returns whether a command line does more than print. A line that cannot be parsed only prints its error.
    fn line_changes_run(&self, line: &str) -> bool {
        let Some(active) = &self.active else { return false };
        match command::parse_piped(line, None) {
            Err(_) | Ok((Command::Help(_), _)) => false,
            Ok((Command::Kubectl { action: kubectl, .. }, pipe)) => {
                pipe.has_next_command() || active.session.immediate_output(&kubectl).is_none()
            }
            Ok(_) => true,
        }
    }

    /// Refuses a request with a message in the console. The next frame restores the previous state on the page, which
    /// may already show the request's effect.
    pub fn refuse(&mut self, request: &Request, why: ConsoleText) -> Vec<Update> {
        self.dirty = true;
        let at = self.active.as_ref().map_or(0, |active| active.session.now().0);
        let typed = request.command_lines().iter();
        let typed = typed.map(|line| (LineKind::Input, line.as_str().into()));
        let lines = typed.chain([(LineKind::Error, why)]);
        vec![Update::Console {
            lines: lines.map(|(kind, text)| console_line_at(at, kind, text)).collect(),
        }]
    }
}
