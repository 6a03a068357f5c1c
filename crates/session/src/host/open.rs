//! Opens a session from files, a link, or a lesson, or for the first visit.

use super::{ClockMillis, Host, PageSession, answers};
use crate::lessons;
use crate::link::Compared;
use crate::play::{self, Attempt};
use crate::scenario::{self, File, Loaded};
use crate::timeline::{Session, Slice};
use podscope_cluster::SimTime;
use podscope_protocol::{FIRST_VISIT_LESSON, OpenedSession, Problem, SessionSource, Task, TextKind, Update};

/// Size of a source in bytes above which it is opened in several pieces of work, with progress between them.
const LARGE_SOURCE_BYTES: usize = 1 << 20;

/// A large source (file, link or lesson) that is being opened. The current session stays until the new one is ready.
#[derive(Debug)]
pub(super) enum Opening {
    /// The source has not been read yet.
    Unread(SessionSource),
    /// The source has been read.
    Read(Box<ReadSource>),
    /// The source is a dump, and the page already shows its problems; the session starts next.
    Listed(Box<ReadSource>),
}

/// A source that has been read.
#[derive(Debug)]
pub(super) struct ReadSource {
    loaded: Loaded,
    lesson: Option<String>,
    linked: Option<crate::link::Link>,
    is_recap: bool,
    /// The first instant of the session that the page shows.
    begins: SimTime,
}

/// Time at which all pods of the first visit's cluster are running.
const FIRST_VISIT_READY: SimTime = SimTime::from_seconds(10);
/// Latest simulated time of a first visit from which its guided start (the lesson `FIRST_VISIT_LESSON`) can continue.
/// To continue, the lesson simulates the run up to that time again, and the page cannot react meanwhile.
const LATEST_GUIDED_START: SimTime = SimTime::from_seconds(600);

fn load_lesson_with_seed(name: &str, seed: Option<u64>) -> Result<Loaded, Vec<Problem>> {
    lessons::load(name).map(|mut loaded| {
        loaded.setup.seed = seed.unwrap_or(loaded.setup.seed);
        loaded
    })
}

fn read_source(source: SessionSource) -> Result<ReadSource, Vec<Problem>> {
    let (mut lesson, mut linked) = (None, None);
    let is_recap = matches!(source, SessionSource::Recap { .. });
    let begins = match &source {
        SessionSource::Welcome => FIRST_VISIT_READY,
        SessionSource::Lesson { name, .. } if name == FIRST_VISIT_LESSON => FIRST_VISIT_READY,
        _ => SimTime::ZERO,
    };
    let loaded = match source {
        SessionSource::Files { files } => {
            scenario::load_or_return_files(files).map_err(|unreadable| unreadable.problems)
        }
        SessionSource::Welcome => scenario::load(&[lessons::first_visit_file()]),
        SessionSource::Free => scenario::load(&[lessons::free_play_file()]),
        SessionSource::Lesson { name, seed } => {
            let loaded = load_lesson_with_seed(&name, seed);
            lesson = Some(name);
            loaded
        }
        SessionSource::Recap { name, seed } => {
            let loaded = load_lesson_with_seed(&name, Some(seed));
            lesson = Some(name);
            loaded
        }
        SessionSource::Link { fragment } => match crate::link::decode(&fragment) {
            Ok(link) => {
                lesson = link.story_lesson().map(str::to_owned);
                let loaded = link.load();
                linked = Some(link);
                loaded
            }
            Err(message) => Err(vec![Problem::of_file("", message)]),
        },
    }?;
    Ok(ReadSource {
        loaded,
        lesson,
        linked,
        is_recap,
        begins,
    })
}

impl Host {
    /// Opens a source. If it cannot be opened, the current session stays.
    pub(super) fn open(&mut self, source: SessionSource, clock: ClockMillis) -> Vec<Update> {
        self.opening = None;
        self.pasted = None;
        let size: usize = match &source {
            SessionSource::Files { files } => files.iter().map(|(_, text)| text.len()).sum(),
            // The text in a link is compressed by a factor of about ten.
            SessionSource::Link { fragment } => fragment.len().saturating_mul(10),
            SessionSource::Welcome
            | SessionSource::Free
            | SessionSource::Lesson { .. }
            | SessionSource::Recap { .. } => 0,
        };
        if size > LARGE_SOURCE_BYTES {
            self.opening = Some(Opening::Unread(source));
            return vec![progress_update(0)];
        }
        match read_source(source) {
            Ok(mut read) => {
                if let Some(instant) = self.instant_of_first_visit(&read) {
                    read.begins = instant;
                }
                self.start_session(read, clock)
            }
            Err(problems) => vec![Update::Refused { problems }],
        }
    }

    /// Returns the current time of the first visit, if `next` is the guided start and the first visit has no commands.
    /// Up to this time both runs are the same, so the guided start can continue from it.
    fn instant_of_first_visit(&self, next: &ReadSource) -> Option<SimTime> {
        let session = &self.active.as_ref()?.session;
        let is_guided = next.begins == FIRST_VISIT_READY && next.lesson.is_some();
        let is_first_visit = session.loaded().files == [lessons::first_visit_file()] && session.commands().is_empty();
        let has_same_seed = session.world().seed() == next.loaded.setup.seed;
        let now = session.now();
        (is_guided && is_first_visit && has_same_seed && (FIRST_VISIT_READY..=LATEST_GUIDED_START).contains(&now))
            .then_some(now)
    }

    /// Opens a text that was pasted on the page.
    pub(super) fn paste(&mut self, file: File, clock: ClockMillis) -> Vec<Update> {
        if file.1.len() > LARGE_SOURCE_BYTES {
            self.pasted = Some(file);
            return vec![progress_update(0)];
        }
        self.open_pasted(file, clock)
    }

    /// Opens a pasted text if it is a scenario or manifests. Any other text changes nothing.
    pub(super) fn open_pasted(&mut self, file: File, clock: ClockMillis) -> Vec<Update> {
        let is_large = file.1.len() > LARGE_SOURCE_BYTES;
        let read = match scenario::load_or_return_files(vec![file]) {
            Ok(loaded) if loaded.has_scenario || !loaded.places.is_empty() || is_recognised(&loaded.files) => {
                Ok(ReadSource {
                    loaded,
                    lesson: None,
                    linked: None,
                    is_recap: false,
                    begins: SimTime::ZERO,
                })
            }
            Err(unreadable) if is_recognised(&unreadable.files) => Err(unreadable.problems),
            _ => return vec![Update::Pasted { opens: false }],
        };
        self.opening = None;
        self.caption = None;
        let mut updates = vec![Update::Pasted { opens: true }];
        match read {
            Ok(read) if is_large => {
                self.opening = Some(Opening::Read(Box::new(read)));
                updates.push(progress_update(700));
            }
            Ok(read) => updates.extend(self.start_session(read, clock)),
            Err(problems) => updates.push(Update::Refused { problems }),
        }
        updates
    }

    /// Continues opening a large source.
    pub(super) fn continue_opening(&mut self, clock: ClockMillis) -> Vec<Update> {
        match self.opening.take() {
            Some(Opening::Unread(source)) => match read_source(source) {
                Ok(read) => {
                    self.opening = Some(Opening::Read(Box::new(read)));
                    vec![progress_update(700)]
                }
                Err(problems) => vec![Update::Refused { problems }],
            },
            Some(Opening::Read(read)) if read.loaded.is_dump() => {
                let triage = answers::early_triage(&read.loaded);
                self.opening = Some(Opening::Listed(read));
                triage.into_iter().chain([progress_update(850)]).collect()
            }
            Some(Opening::Read(read)) => self.start_session(*read, clock),
            Some(Opening::Listed(read)) => {
                let updates = self.start_session(*read, clock);
                self.needs_triage = false;
                updates
            }
            None => Vec::new(),
        }
    }

    fn start_session(&mut self, read: ReadSource, clock: ClockMillis) -> Vec<Update> {
        let ReadSource {
            loaded,
            lesson,
            linked,
            is_recap,
            begins,
        } = read;
        let mut session = match Session::new(loaded) {
            Ok(session) => session,
            Err(problems) => return vec![Update::Refused { problems }],
        };
        // The page gets a link with the final state of the session that is replaced.
        self.queue_stored_link();
        let mut updates = self.finished_links();
        let mut opened = opened(session.loaded(), lesson.clone());
        self.shares.clear();
        self.stored_screen = None;
        if let Some(link) = &linked {
            opened.screen = Some(link.screen.clone());
            opened.notices.extend(link.replay(&mut session));
        }
        self.pace.playing = false;
        (self.other, self.compared) = (None, None);
        self.is_other_behind = false;
        let left = self.drop_waiting_requests();
        self.lines = Default::default();
        self.solution = None;
        self.job = None;
        self.help = None;
        self.asked = None;
        self.needs_triage = session.loaded().is_dump();
        self.anonymised = Default::default();
        self.film = None;
        self.subject = None;
        self.detail = None;
        self.reader = super::reader::Reader::default();
        self.moments = Default::default();
        self.recorded = Default::default();
        while session.advance(begins, u64::MAX) == Slice::More {}
        if is_recap {
            play_to_first_question(&mut session, &mut self.reader);
        }
        let session_end = session.commands().last().map_or(SimTime::ZERO, |last| last.at);
        self.linked = None;
        self.lesson = lesson;
        self.active = Some(PageSession::new(session));
        self.restart_pace(clock);
        updates.push(Update::Opened(Box::new(opened)));
        updates.extend(left);
        updates.extend(self.frame(clock));
        if let Some(link) = linked {
            self.job = Some(super::Job::Seek {
                from: SimTime::ZERO,
                // The seek first goes to the last command, so that the timeline also shows the commands after the
                // cursor.
                target: link.cursor_at().max(session_end),
            });
            self.linked = Some(link);
        }
        updates
    }

    /// Starts a comparison of the session with another scenario text on the same seed, or ends it if there is none
    /// (T-04).
    pub(super) fn compare(&mut self, other: Option<String>) -> Vec<Update> {
        let Some(text) = other else {
            (self.other, self.compared) = (None, None);
            self.is_other_behind = false;
            self.dirty = true;
            return Vec::new();
        };
        let Some(active) = &mut self.active else {
            return Vec::new();
        };
        let loaded = scenario::load(&[("other.yaml".to_owned(), text.clone())]).map(|mut loaded| {
            loaded.setup.seed = active.session.world().seed();
            loaded
        });
        match loaded.and_then(Session::new) {
            Ok(session) => {
                self.other = Some(PageSession::new(session));
                self.compared = Some(Compared::Scenario(text));
                self.dirty = true;
                Vec::new()
            }
            Err(problems) => vec![Update::Refused { problems }],
        }
    }

    /// Starts a comparison with another branch, up to the latest instant that was computed on that branch (T-04).
    pub(super) fn compare_branch(&mut self, branch: usize) {
        if let Some(active) = &self.active {
            let mut session = active.session.clone();
            if session.switch_branch(branch).is_some() {
                self.other = Some(PageSession::new(session));
                self.compared = Some(Compared::Branch(branch));
                self.dirty = true;
            }
        }
    }

    /// Starts the comparison that a link contains, when the instant of the link has been reached.
    pub(super) fn compare_as_linked(&mut self, compared: Compared) -> Vec<Update> {
        if let Compared::Branch(branch) = compared {
            self.compare_branch(branch);
            return Vec::new();
        }
        let text = (self.active.as_ref()).and_then(|active| compared.scenario_text(&active.session));
        self.compare(text)
    }
}

/// Plays a lesson's solution up to the lesson's first question, which then waits for an answer. Does nothing if the
/// lesson has no question, or if the solution does not lead to it.
fn play_to_first_question(session: &mut Session, reader: &mut super::reader::Reader) {
    let loaded = session.loaded().clone();
    let Some(step) = loaded.scenario.steps.iter().position(|step| step.predict.is_some()) else {
        return;
    };
    let played = play::play((*loaded).clone(), Attempt::Solution, None).ok();
    let asked = played.and_then(|played| Some(played.session.progress().story().shown().get(step)?.at));
    if let Some(asked) = asked {
        session.schedule(loaded.scenario.solution.clone());
        while session.advance(asked, u64::MAX) == Slice::More {}
        reader.start_recap(step);
    }
}

/// Returns whether the text of one of the files looks like a known format, even if nothing in it could be used.
fn is_recognised(files: &[File]) -> bool {
    files
        .iter()
        .any(|(_, text)| scenario::recognise(text) != TextKind::Other || scenario::is_other_known_text(text))
}

fn progress_update(per_mille: u32) -> Update {
    Update::Progress {
        task: Task::Open,
        per_mille,
    }
}

impl Loaded {
    /// Returns the title of the session: the scenario's title or name, or the name of the first file.
    pub fn title(&self) -> String {
        [&self.scenario.title, &self.scenario.name]
            .into_iter()
            .find(|text| !text.is_empty())
            .or(self.files.first().map(|(name, _)| name))
            .cloned()
            .unwrap_or_default()
    }
}

pub(super) fn opened(loaded: &Loaded, lesson: Option<String>) -> OpenedSession {
    let scenario = &loaded.scenario;
    OpenedSession {
        title: loaded.title(),
        lesson,
        seed: loaded.setup.seed,
        story: scenario.steps.iter().map(super::reader::step_view).collect(),
        notices: loaded.notices.clone(),
        basis: loaded.basis.clone(),
        advice: loaded.advice.clone(),
        is_dump: loaded.is_dump(),
        is_joined: false,
        screen: None,
        text: joined_text(&loaded.files),
    }
}

/// Joins the texts of the files into one text with several YAML documents.
pub(crate) fn joined_text(files: &[File]) -> String {
    let mut text = String::new();
    for (_, part) in files {
        let part = &scenario::extract_manifests(part).text;
        if !text.is_empty() {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            if !part.trim_start().starts_with("---") {
                text.push_str("---\n");
            }
        }
        text.push_str(part);
    }
    text
}
