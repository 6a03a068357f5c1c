//! Opening a session: files, links, lessons, the first visit.

use super::{ClockMillis, Host, Show};
use crate::lessons;
use crate::play::{self, Attempt};
use crate::scenario::{self, File, Loaded};
use crate::timeline::{Session, Slice};
use podscope_cluster::SimTime;
use podscope_protocol::{Opened, Problem, Source, Task, TextKind, Update};

/// Sources of more bytes are opened in pieces of work, with progress between them.
const LARGE: usize = 1 << 20;

/// A large source on its way; the running session goes on until it is there.
#[derive(Debug)]
pub(super) enum Opening {
    /// Not read yet.
    Unread(Source),
    /// Read, and about to start.
    Read(Box<Read>),
}

/// A source that was read.
#[derive(Debug)]
pub(super) struct Read {
    loaded: Loaded,
    lesson: Option<String>,
    linked: Option<crate::link::Link>,
    is_recap: bool,
    /// The instant that is shown first.
    begins: SimTime,
}

/// When all pods of a first visit run.
const SETTLED: SimTime = SimTime::from_seconds(10);

fn lesson_on(name: &str, seed: Option<u64>) -> Result<Loaded, Vec<Problem>> {
    lessons::load(name).map(|mut loaded| {
        loaded.setup.seed = seed.unwrap_or(loaded.setup.seed);
        loaded
    })
}

fn read(source: Source) -> Result<Read, Vec<Problem>> {
    let (mut lesson, mut linked) = (None, None);
    let is_recap = matches!(source, Source::Recap { .. });
    let begins = if matches!(source, Source::Welcome) {
        SETTLED
    } else {
        SimTime::ZERO
    };
    let loaded = match source {
        Source::Files { files } => scenario::load_own(files).map_err(|unreadable| unreadable.problems),
        Source::Welcome => scenario::load(&[lessons::welcome()]),
        Source::Free => scenario::load(&[lessons::free()]),
        Source::Lesson { name, seed } => {
            let loaded = lesson_on(&name, seed);
            lesson = Some(name);
            loaded
        }
        Source::Recap { name, seed } => {
            let loaded = lesson_on(&name, Some(seed));
            lesson = Some(name);
            loaded
        }
        Source::Link { fragment } => match crate::link::decode(&fragment) {
            Ok(link) => {
                lesson = link.story().map(str::to_owned);
                let loaded = link.load();
                linked = Some(link);
                loaded
            }
            Err(message) => Err(vec![Problem::of("", message)]),
        },
    }?;
    Ok(Read {
        loaded,
        lesson,
        linked,
        is_recap,
        begins,
    })
}

impl Host {
    /// Opens a source; the running session is replaced only if that succeeds.
    pub(super) fn open(&mut self, source: Source, clock: ClockMillis) -> Vec<Update> {
        self.opening = None;
        self.pasted = None;
        let size: usize = match &source {
            Source::Files { files } => files.iter().map(|(_, text)| text.len()).sum(),
            // Text that packs well unfolds to ten times as much.
            Source::Link { fragment } => fragment.len().saturating_mul(10),
            Source::Welcome | Source::Free | Source::Lesson { .. } | Source::Recap { .. } => 0,
        };
        if size > LARGE {
            self.opening = Some(Opening::Unread(source));
            return vec![progress(0)];
        }
        match read(source) {
            Ok(read) => self.start(read, clock),
            Err(problems) => vec![Update::Refused { problems }],
        }
    }

    /// Takes a text that was pasted on the page.
    pub(super) fn paste(&mut self, file: File, clock: ClockMillis) -> Vec<Update> {
        if file.1.len() > LARGE {
            self.pasted = Some(file);
            return vec![progress(0)];
        }
        self.open_pasted(file, clock)
    }

    /// Opens a text that was pasted if it is a scenario or manifests: what was read to see that is what opens. What runs,
    /// and what is opening, is replaced by nothing else.
    pub(super) fn open_pasted(&mut self, file: File, clock: ClockMillis) -> Vec<Update> {
        let is_large = file.1.len() > LARGE;
        let read = match scenario::load_own(vec![file]) {
            Ok(loaded) if loaded.has_scenario || !loaded.places.is_empty() || is_meant(&loaded.files) => Ok(Read {
                loaded,
                lesson: None,
                linked: None,
                is_recap: false,
                begins: SimTime::ZERO,
            }),
            Err(unreadable) if is_meant(&unreadable.files) => Err(unreadable.problems),
            _ => return vec![Update::Pasted { opens: false }],
        };
        self.opening = None;
        self.caption = None;
        let mut updates = vec![Update::Pasted { opens: true }];
        match read {
            Ok(read) if is_large => {
                self.opening = Some(Opening::Read(Box::new(read)));
                updates.push(progress(700));
            }
            Ok(read) => updates.extend(self.start(read, clock)),
            Err(problems) => updates.push(Update::Refused { problems }),
        }
        updates
    }

    /// The next piece of the way of a large source.
    pub(super) fn go_on_opening(&mut self, clock: ClockMillis) -> Vec<Update> {
        match self.opening.take() {
            Some(Opening::Unread(source)) => match read(source) {
                Ok(read) => {
                    self.opening = Some(Opening::Read(Box::new(read)));
                    vec![progress(700)]
                }
                Err(problems) => vec![Update::Refused { problems }],
            },
            Some(Opening::Read(read)) => self.start(*read, clock),
            None => Vec::new(),
        }
    }

    fn start(&mut self, read: Read, clock: ClockMillis) -> Vec<Update> {
        let Read {
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
        let mut opened = opened(session.loaded(), lesson.clone());
        self.shares.clear();
        self.keeps = None;
        if let Some(link) = &linked {
            opened.screen = Some(link.screen.clone());
            opened.notices.extend(link.replay(&mut session));
        }
        self.pace.playing = false;
        self.other = None;
        self.other_late = false;
        let left = self.forget_waiting();
        self.lines = Default::default();
        self.shows = false;
        self.job = None;
        self.help = None;
        self.triages = session.loaded().is_dump();
        self.nameless = Default::default();
        self.film = None;
        self.subject = None;
        self.detail = None;
        self.reader = super::reader::Reader::default();
        self.moments = Default::default();
        self.recorded = Default::default();
        while session.advance(begins, u64::MAX) == Slice::More {}
        if is_recap {
            recall(&mut session, &mut self.reader);
        }
        let session_end = session.commands().last().map_or(SimTime::ZERO, |last| last.at);
        self.linked = None;
        self.lesson = lesson;
        self.show = Some(Show::new(session));
        self.pace_from(clock);
        let mut updates = vec![Update::Opened(Box::new(opened))];
        updates.extend(left);
        updates.extend(self.frame(clock));
        if let Some(link) = linked {
            self.job = Some(super::Job::Seek {
                from: SimTime::ZERO,
                // What was done after the cursor has its place on the timeline too.
                target: link.cursor_at().max(session_end),
            });
            self.linked = Some(link);
        }
        updates
    }

    /// Starts or ends a comparison: the other side runs on the same seed (T-04).
    pub(super) fn compare(&mut self, other: Option<String>) -> Vec<Update> {
        let Some(text) = other else {
            self.other = None;
            self.other_late = false;
            self.dirty = true;
            return Vec::new();
        };
        let Some(show) = &mut self.show else {
            return Vec::new();
        };
        let loaded = scenario::load(&[("other.yaml".to_owned(), text)]).map(|mut loaded| {
            loaded.setup.seed = show.session.world().seed();
            loaded
        });
        match loaded.and_then(Session::new) {
            Ok(session) => {
                self.other = Some(Show::new(session));
                self.dirty = true;
                Vec::new()
            }
            Err(problems) => vec![Update::Refused { problems }],
        }
    }

    /// Starts a comparison with another branch, as it has been played so far (T-04).
    pub(super) fn compare_branch(&mut self, branch: usize) {
        if let Some(show) = &self.show {
            let mut session = show.session.clone();
            if session.switch(branch).is_some() {
                self.other = Some(Show::new(session));
                self.dirty = true;
            }
        }
    }
}

/// Goes to the first question of a lesson by its solution, which goes on when the question is answered. Without a
/// question, or a solution that comes so far, it is the lesson as always.
fn recall(session: &mut Session, reader: &mut super::reader::Reader) {
    let loaded = session.loaded().clone();
    let Some(step) = loaded.scenario.steps.iter().position(|step| step.predict.is_some()) else {
        return;
    };
    let played = play::play((*loaded).clone(), Attempt::Solution, None).ok();
    let asked = played.and_then(|played| Some(played.session.progress().story().shown().get(step)?.at));
    if let Some(asked) = asked {
        session.schedule(loaded.scenario.solution.clone());
        while session.advance(asked, u64::MAX) == Slice::More {}
        reader.recalls(step);
    }
}

/// Whether files of which nothing could be used were meant as something.
fn is_meant(files: &[File]) -> bool {
    files
        .iter()
        .any(|(_, text)| scenario::recognise(text) != TextKind::Other || scenario::is_known_otherwise(text))
}

fn progress(per_mille: u32) -> Update {
    Update::Progress {
        task: Task::Open,
        per_mille,
    }
}

impl Loaded {
    /// What the session is called.
    pub(crate) fn title(&self) -> String {
        [&self.scenario.title, &self.scenario.name]
            .into_iter()
            .find(|text| !text.is_empty())
            .or(self.files.first().map(|(name, _)| name))
            .cloned()
            .unwrap_or_default()
    }
}

fn opened(loaded: &Loaded, lesson: Option<String>) -> Opened {
    let scenario = &loaded.scenario;
    Opened {
        title: loaded.title(),
        lesson,
        seed: loaded.setup.seed,
        story: scenario.steps.iter().map(super::reader::told).collect(),
        notices: loaded.notices.clone(),
        basis: loaded.basis.clone(),
        advice: loaded.advice.clone(),
        is_dump: loaded.is_dump(),
        screen: None,
        text: joined(&loaded.files),
    }
}

/// The files as one text.
pub(crate) fn joined(files: &[File]) -> String {
    let mut text = String::new();
    for (_, part) in files {
        let part = &scenario::readable(part).text;
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
