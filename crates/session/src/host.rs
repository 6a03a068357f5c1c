//! The engine's side of the protocol: requests in, updates out, work in small pieces.
//!
//! It runs the same in a worker and in-process. The clock of the machine it runs on is an
//! argument: only the pace of [`Request::Play`] and of frames looks at it.

mod answers;
mod console;
mod director;
mod fields;
mod moments;
mod open;
mod reader;
mod record;

use podscope_cluster::{SimTime, Span};

use self::console::{STANDS_STILL, complain, console_line, new_output, notice, run_line};
use self::reader::Reader;
pub(crate) use self::record::Picked;
use crate::film::Film;
use crate::story::Story;
use crate::timeline::{END_OF_TIME, Session, Slice};
use crate::view::{self, Marks, Owners, Picture, Spread};
use podscope_kubectl::command;
use podscope_protocol::{
    Caption, Completion, Director, ExportKind, Frame, LineKind, MarkKind, Request, StoryState, SubjectRef, Update,
};

/// Milliseconds of a clock that only goes forward; its zero means nothing.
pub type ClockMillis = f64;

/// Time between frames of a session that plays.
const FRAME: ClockMillis = 33.0;
/// A page that does not answer a frame gets the next one after this long.
const PATIENCE: ClockMillis = 1000.0;
/// A session that falls behind by more than this lets the difference go: its achieved speed is lower.
const LAG: ClockMillis = 250.0;
/// Events in one piece of work.
const PIECE: u64 = 60;
/// How far a session that stands still follows a command to its answer.
const ANSWER: Span = Span::millis(100);

/// Said when time is to run while a question waits.
const WAITS: &str = "Time waits for your answer: choose one in the story, or skip the question.";

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

/// A session that is shown: what the page knows of it.
#[derive(Debug)]
struct Show {
    session: Session,
    picture: Picture,
    owners: Owners,
    marks: Marks,
    spread: Spread,
    /// Output lines of the branch that the console has shown.
    console_seen: usize,
    console_branch: usize,
    director: Director,
}

/// Whether the live region says that it happened.
fn is_announced(kind: MarkKind) -> bool {
    use MarkKind::{Broken, Cut, Fault, Fenced, Healed, Refused};
    matches!(kind, Cut | Fault | Healed | Broken | Fenced | Refused)
}

impl Show {
    fn new(session: Session) -> Show {
        Show {
            session,
            picture: Picture::default(),
            owners: Owners::default(),
            marks: Marks::default(),
            spread: Spread::default(),
            console_seen: 0,
            console_branch: 0,
            director: Director::default(),
        }
    }
    fn frame(&mut self, group_by: &str, story: StoryState) -> Frame {
        let mut frame = (self.picture).follow(&self.session, group_by, &mut self.owners, story);
        if frame.reset {
            self.marks = Marks::default();
            self.spread = Spread::default();
        }
        let (marks, gone) = view::new_marks(&mut self.marks, &self.session);
        frame.announcements = marks
            .iter()
            .filter(|mark| !frame.reset && is_announced(mark.kind))
            .take(5)
            .map(|mark| mark.label.clone())
            .collect();
        frame.marks = marks;
        frame.marks_gone = gone;
        frame.now = self.session.now().0;
        frame.horizon = self.session.horizon().0;
        frame
    }
}

/// An engine with its session.
#[derive(Debug, Default)]
pub struct Host {
    show: Option<Show>,
    /// A large source on its way.
    opening: Option<open::Opening>,
    other: Option<Show>,
    /// The other run of a comparison has not reached the cursor yet.
    other_late: bool,
    lesson: Option<String>,
    playing: bool,
    speed_per_mille: u64,
    achieved_per_mille: u64,
    /// Clock and cursor from which the pace counts.
    origin: (ClockMillis, SimTime),
    /// Clock and cursor of the last measurement of the achieved speed.
    measured: (ClockMillis, SimTime),
    behind: bool,
    job: Option<Job>,
    /// What runs fast, as long as the job says so; how the last such run ended, until something else happens.
    fast: Option<director::Fast>,
    caption: Option<Caption>,
    group_by: String,
    subject: Option<SubjectRef>,
    detail: Option<podscope_protocol::Detail>,
    reader: Reader,
    /// The pictures of the end.
    moments: moments::Moments,
    /// What was made a goal of the lesson being recorded.
    recorded: record::Recorded,
    last_frame: ClockMillis,
    /// What the last frame cost: the simulation gets as much time before the next one.
    frame_cost: ClockMillis,
    frame_open: bool,
    dirty: bool,
    help: Option<answers::Help>,
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
            speed_per_mille: 1000,
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

    /// Takes a request. Returns quickly: long work is left for [`Host::work`].
    pub fn handle(&mut self, request: Request, clock: ClockMillis) -> Vec<Update> {
        let mut updates = Vec::new();
        if director::takes_the_caption(&request) {
            self.caption = None;
        }
        match request {
            Request::Open { source } => updates.extend(self.open(source, clock)),
            Request::Check { text, revision } => {
                let running = self.show.as_ref().map(|show| &show.session);
                updates.push(answers::check(&text, revision, running));
            }
            Request::Fields { before, after } => {
                let choices = fields::at(&before, &after);
                updates.push(Update::Fields { choices });
            }
            Request::CheckLesson { text, revision } => updates.push(answers::check_lesson(text, revision)),
            Request::FrameDone => {
                self.frame_open = false;
                return updates;
            }
            Request::Speed { per_mille } => {
                self.speed_per_mille = per_mille.clamp(1, 1_000_000_000);
                self.pace_from(clock);
                self.dirty = true;
            }
            Request::GroupBy { key } => {
                self.group_by = if key.is_empty() { view::ZONE.to_owned() } else { key };
                self.dirty = true;
            }
            Request::StoryStep { step } => {
                self.reader.turn_to(step);
                self.dirty = true;
            }
            Request::Inspect { subject } => {
                // What would help is asked of the pod that is looked at.
                let same =
                    |help: &answers::Help| matches!(&subject, Some(SubjectRef::Pod { key, .. }) if key == help.pod());
                self.help = self.help.take().filter(same);
                self.subject = subject;
                self.detail = None;
                self.dirty = true;
            }
            Request::Predict { step, answer } => {
                self.reader.answer(step, answer);
                self.playing |= std::mem::take(&mut self.reader.goes_on);
                self.pace_from(clock);
                self.dirty = true;
            }
            Request::ShowMe => updates.extend(self.show_me(clock)),
            Request::CancelHelp => self.help = None,
            Request::Compare { other } => updates.extend(self.compare(other)),
            Request::CompareBranch { branch } => self.compare_branch(branch as usize),
            request => {
                let Some(show) = &mut self.show else {
                    return updates;
                };
                match request {
                    Request::Command { line } => {
                        updates.push(self.command(&line));
                        self.pace_from(clock);
                        self.dirty = true;
                    }
                    Request::Play | Request::Step | Request::NextDecision | Request::SkipAhead
                        if self.reader.question(&show.session).is_some() =>
                    {
                        updates.push(complain(show, WAITS.into()));
                    }
                    Request::Play => {
                        self.playing = true;
                        self.still_said = false;
                        self.job = None;
                        self.pace_from(clock);
                        self.dirty = true;
                    }
                    Request::Pause => {
                        self.playing = false;
                        self.job = None;
                        self.dirty = true;
                    }
                    Request::Step => {
                        self.playing = false;
                        show.session.step();
                        self.dirty = true;
                    }
                    Request::NextDecision => {
                        self.playing = false;
                        self.fast = Some(director::decision(&show.session));
                        self.job = Some(Job::Fast);
                        self.dirty = true;
                    }
                    Request::SkipAhead => {
                        self.playing = false;
                        match director::skip(&show.session, clock) {
                            Some(fast) => {
                                self.fast = Some(fast);
                                self.job = Some(Job::Fast);
                            }
                            None => self.caption = Some(Caption::NothingDue),
                        }
                        self.dirty = true;
                    }
                    Request::Seek { at }
                        if at > show.session.horizon().0 && self.reader.question(&show.session).is_some() =>
                    {
                        // Nobody looks ahead; the place is the page's to take for an answer.
                        self.dirty = true;
                    }
                    Request::Seek { at } => {
                        let target = SimTime(at).clamp(SimTime::ZERO, END_OF_TIME);
                        show.session.seek(target);
                        self.job = Some(Job::Seek {
                            from: show.session.now(),
                            target,
                        });
                    }
                    Request::Fork => {
                        if let Err(message) = show.session.fork() {
                            updates.push(complain(show, message));
                        }
                        self.dirty = true;
                    }
                    Request::Branch { branch } => {
                        if let Some(target) = show.session.switch(branch as usize) {
                            self.job = Some(Job::Seek {
                                from: show.session.now(),
                                target,
                            });
                        }
                        self.dirty = true;
                    }
                    Request::Undo => match show.session.undo() {
                        Some(target) => {
                            show.picture = Picture::default();
                            self.job = Some(Job::Seek {
                                from: show.session.now(),
                                target,
                            });
                        }
                        None => updates.push(complain(show, "there is no command to take back on this branch".into())),
                    },
                    Request::Explain { pod, uid, attempt } => {
                        updates.extend(answers::explain(&show.session, pod, uid, attempt));
                    }
                    Request::WhatWouldHelp { pod } => {
                        self.help = answers::Help::start(&show.session, &pod);
                        if self.help.is_none() {
                            updates.push(Update::Help {
                                pod,
                                remedies: Vec::new(),
                                per_mille: 1000,
                                done: true,
                            });
                        }
                    }
                    Request::TryRemedy { index } => {
                        let command = self.help.as_ref().and_then(|help| help.command(index));
                        if let Some(line) = command {
                            if let Err(message) = show.session.fork() {
                                updates.push(complain(show, message));
                            } else {
                                updates.push(self.command(&line));
                            }
                            self.pace_from(clock);
                            self.dirty = true;
                        }
                    }
                    Request::Share {
                        screen,
                        anonymise,
                        revision,
                    } => {
                        self.shares.retain(|waiting| waiting.anonymise != anonymise);
                        self.shares.push(answers::Share {
                            screen,
                            anonymise,
                            revision,
                        });
                    }
                    Request::Film { from, to, seconds } => {
                        match Film::start(&show.session, SimTime(from), SimTime(to), seconds) {
                            Ok(film) => self.film = Some(film),
                            Err(message) => updates.push(Update::Film(Err(message))),
                        }
                    }
                    Request::Export {
                        what: ExportKind::Lesson,
                    } => {
                        updates.push(answers::file(
                            ExportKind::Lesson,
                            crate::export::lesson(&show.session, self.recorded.goals()),
                        ));
                    }
                    Request::Export { what } => updates.push(answers::export(&show.session, what)),
                    Request::RecordGoal { subject, line } => {
                        updates.push(match self.recorded.pick(&show.session, &subject, line) {
                            Ok(()) => self.recorded.told(),
                            Err(message) => complain(show, message),
                        });
                    }
                    Request::ForgetGoal { index } => {
                        self.recorded.forget(index);
                        updates.push(self.recorded.told());
                    }
                    Request::Complete { line, cursor } => {
                        let (replace, choices) = command::complete(&line, cursor, show.session.world().objects());
                        let choices = choices.into_iter().map(|choice| Completion {
                            text: choice.text,
                            hint: choice.hint,
                        });
                        let choices = choices.collect();
                        updates.push(Update::Completions { line, replace, choices });
                    }
                    _ => {}
                }
            }
        }
        // What was done is kept before it is seen.
        updates.extend(self.share());
        if self.dirty && self.job.is_none() {
            updates.extend(self.frame(clock));
        }
        updates
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
            let link = share.answer(&show.session, lesson);
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
        if self.opening.is_some()
            || self.job.is_some()
            || self.other_late
            || self.film.is_some()
            || self.help.as_ref().is_some_and(|help| !help.is_done())
            || (self.playing && self.behind)
        {
            Wants::Now
        } else if self.playing || self.dirty {
            Wants::At(
                self.last_frame
                    + if self.frame_open {
                        PATIENCE.min(4.0 * FRAME)
                    } else {
                        self.pause()
                    },
            )
        } else {
            Wants::Rest
        }
    }

    /// Updates with a frame in them have been sent: a big cluster's takes longer than the time between
    /// two frames, and the simulation must not starve for it. A host that is not told takes frames for free.
    pub fn sent(&mut self, clock: ClockMillis) {
        self.frame_cost = (clock - self.last_frame).clamp(0.0, PATIENCE);
        self.last_frame = clock;
    }

    /// From a frame that has been sent to the next one: frames begin every [`FRAME`], but the simulation
    /// gets as much time between two as the last one took.
    fn pause(&self) -> ClockMillis {
        (FRAME - self.frame_cost).max(self.frame_cost)
    }

    /// Does a small piece of work (about a millisecond).
    pub fn work(&mut self, clock: ClockMillis) -> Vec<Update> {
        let mut updates = Vec::new();
        if self.opening.is_some() {
            return self.go_on_opening(clock);
        }
        if let Some(help) = &mut self.help
            && !help.is_done()
        {
            updates.extend(help.work());
        }
        updates.extend(self.go_on_filming());
        let Some(show) = &mut self.show else {
            return updates;
        };
        match self.job {
            Some(Job::Seek { from, target }) => {
                // What has been played is gone through as it was; beyond, a question stops it.
                let beyond = self.linked.is_none() && target > show.session.horizon();
                let (reader, loaded) = (&self.reader, show.session.loaded().clone());
                let waits = |step, story: &Story| beyond && reader.waits_at(&loaded.scenario, story, step);
                if show.session.advance_story(target, PIECE, waits) == Slice::More {
                    let done = (show.session.now() - from).0.max(0);
                    let all = (target - from).0.max(1);
                    if clock - self.last_frame >= 100.0 {
                        self.last_frame = clock;
                        updates.push(Update::Progress {
                            what: "seek".into(),
                            per_mille: u32::try_from(done.saturating_mul(1000) / all).unwrap_or(1000).min(1000),
                        });
                    }
                } else if let Some(link) = self.linked.as_ref().filter(|link| link.cursor_at() < target) {
                    // A kept session that stood before its last command: back to where it stood.
                    let target = link.cursor_at();
                    show.session.seek(target);
                    let from = show.session.now();
                    self.job = Some(Job::Seek { from, target });
                } else {
                    if self.linked.is_some() {
                        self.reader.has_seen_all(&show.session);
                    }
                    if let Some(text) = self.linked.take().and_then(|link| link.difference(&show.session)) {
                        updates.push(notice(show, text));
                    }
                    self.job = None;
                    self.pace_from(clock);
                    self.dirty = true;
                }
            }
            Some(Job::Fast) => {
                let run = self.fast.as_ref();
                let caption = run.map(|fast| director::go_on(show, fast, clock));
                if !matches!(caption, Some(None)) {
                    (self.job, self.fast, self.caption) = (None, None, caption.flatten());
                    self.pace_from(clock);
                    self.dirty = true;
                } else if clock - self.last_frame >= FRAME {
                    updates.extend(self.frame(clock));
                }
            }
            Some(Job::Answer { until, clients }) => {
                let more = show
                    .session
                    .advance_while(until, PIECE, |world| world.clients() > clients);
                if more != Slice::More {
                    self.job = None;
                    self.dirty = true;
                }
            }
            None if self.playing => {
                let (since, from) = self.origin;
                let elapsed = (clock - since).max(0.0);
                let simulated = elapsed * 1000.0 * self.speed_per_mille as f64 / 1000.0;
                let target = SimTime(from.0.saturating_add(simulated as i64)).min(END_OF_TIME);
                let (reader, loaded) = (&self.reader, show.session.loaded().clone());
                let waits = |step, story: &Story| reader.waits_at(&loaded.scenario, story, step);
                match show.session.advance_story(target, PIECE, waits) {
                    Slice::Done if self.reader.question(&show.session).is_some() => {
                        // Time waits for the answer.
                        self.playing = false;
                        self.reader.goes_on = true;
                        self.behind = false;
                    }
                    Slice::More => {
                        let missing = (target - show.session.now()).0 as f64;
                        let late = missing / 1000.0 * 1000.0 / self.speed_per_mille as f64;
                        self.behind = true;
                        if late > LAG {
                            self.pace_from(clock);
                            self.behind = true;
                        }
                    }
                    Slice::Done => self.behind = false,
                    Slice::Limit => {
                        self.playing = false;
                        updates.push(complain(
                            show,
                            format!(
                                "the run holds at most {} records: it stops here",
                                crate::timeline::MAX_RECORDS
                            ),
                        ));
                    }
                }
                self.dirty = true;
            }
            None => {}
        }
        if let Some(show) = &mut self.show
            && let Some(other) = &mut self.other
            && other.session.advance(show.session.now(), PIECE) != Slice::More
            && std::mem::take(&mut self.other_late)
        {
            self.dirty = true;
        }
        let waited = clock - self.last_frame;
        let ready = self.job.is_none() && waited >= self.pause() && (!self.frame_open || waited >= PATIENCE);
        if self.dirty && (ready || (!self.playing && self.job.is_none())) {
            updates.extend(self.frame(clock));
        }
        updates.extend(self.share());
        updates
    }

    /// A piece of the film that is made; how far it is, for each of its pictures.
    fn go_on_filming(&mut self) -> Option<Update> {
        let film = self.film.as_mut()?;
        let before = film.per_mille();
        let made = film.work();
        let now = film.per_mille();
        if let Some(done) = made.transpose() {
            self.film = None;
            return Some(Update::Film(done));
        }
        (now != before).then(|| Update::Progress {
            what: "film".into(),
            per_mille: now,
        })
    }

    /// Gives a command. It has acted when this returns, as far as it can: one that talks to the API
    /// server has only been sent. Where time stands still it is followed to its answer.
    fn command(&mut self, line: &str) -> Update {
        // Several that are given at once are followed until all have answered.
        let followed = match self.job.take() {
            Some(Job::Answer { clients, .. }) => Some(clients),
            _ => None,
        };
        let Some(show) = &mut self.show else {
            return Update::Console { lines: Vec::new() };
        };
        let clients = show.session.world().clients();
        let clients = followed.map_or(clients, |followed| followed.min(clients));
        let (mut lines, given) = run_line(show, line);
        if !self.playing && given {
            if !std::mem::replace(&mut self.still_said, true) {
                lines.push(console_line(show, LineKind::Notice, STANDS_STILL));
            }
            let waits = self.reader.question(&show.session).is_some();
            if show.session.world().clients() > clients && !waits {
                let until = show.session.now() + ANSWER;
                self.job = Some(Job::Answer { until, clients });
            }
        }
        self.keep();
        Update::Console { lines }
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

    fn pace_from(&mut self, clock: ClockMillis) {
        let now = self.show.as_ref().map_or(SimTime::ZERO, |show| show.session.now());
        self.origin = (clock, now);
        self.measured = (clock, now);
        self.behind = false;
    }

    /// The next frame, with what the console and the inspector get besides.
    fn frame(&mut self, clock: ClockMillis) -> Vec<Update> {
        let mut updates = Vec::new();
        let Some(show) = &mut self.show else {
            return updates;
        };
        self.dirty = false;
        let elapsed = clock - self.measured.0;
        if elapsed >= 500.0 {
            let simulated = (show.session.now() - self.measured.1).0.max(0) as f64;
            self.achieved_per_mille = (simulated / elapsed) as u64;
            self.measured = (clock, show.session.now());
        }
        let mut story = self.reader.state(&show.session);
        story.moments = self.moments.of(show);
        let mut frame = show.frame(&self.group_by, story);
        frame.playing = self.playing;
        frame.speed_per_mille = self.speed_per_mille;
        frame.achieved_per_mille = if self.playing { self.achieved_per_mille } else { 0 };
        let fast = self.fast.as_ref().filter(|_| self.job == Some(Job::Fast));
        let now = director::director(&show.session, &self.reader, fast, self.caption.as_ref());
        if frame.reset || show.director != now {
            show.director = now.clone();
            frame.director = Some(now);
        }
        frame.spread = (show.spread).follow(&show.session, self.subject.as_ref(), &self.group_by);
        self.dirty = show.spread.is_late(&show.session);
        if let Some(other) = &mut self.other {
            other.session.seek(show.session.now());
            self.other_late = other.session.advance(show.session.now(), 20 * PIECE) == Slice::More;
            frame.other = Some(Box::new(other.frame(&self.group_by, StoryState::default())));
        }
        let lines = new_output(show);
        if !lines.is_empty() {
            updates.push(Update::Console { lines });
        }
        if let Some(subject) = &self.subject {
            let detail = view::detail(&show.session, subject, &show.marks.all());
            if self.detail.as_ref() != Some(&detail) {
                updates.push(Update::Detail(Box::new(detail.clone())));
                self.detail = Some(detail);
            }
        }
        updates.push(Update::Frame(Box::new(frame)));
        self.last_frame = clock;
        self.frame_open = true;
        updates
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
    }
}

#[cfg(test)]
mod tests;
