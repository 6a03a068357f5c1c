//! What the page is told of a session: frames, with what the console and the inspector get besides.

use podscope_protocol::{Director, Frame, StoryState, Thread, Update};

use super::console::new_output;
use super::{ClockMillis, Host, Job, PIECE, director};
use crate::timeline::{Session, Slice};
use crate::view::{self, Marks, Owners, Picture, Spread, Threads, Travel};

/// A session that is shown: what the page knows of it.
#[derive(Debug)]
pub(super) struct Show {
    pub(super) session: Session,
    pub(super) picture: Picture,
    pub(super) owners: Owners,
    pub(super) marks: Marks,
    pub(super) spread: Spread,
    pub(super) threads: Threads,
    /// The thread that the page has.
    pub(super) thread: Thread,
    pub(super) travel: Travel,
    /// Output lines of the branch that the console has shown.
    pub(super) console_seen: usize,
    pub(super) console_branch: usize,
    pub(super) director: Director,
}

impl Show {
    pub(super) fn new(session: Session) -> Show {
        Show {
            session,
            picture: Picture::default(),
            owners: Owners::default(),
            marks: Marks::default(),
            spread: Spread::default(),
            threads: Threads::default(),
            thread: Thread::default(),
            travel: Travel::default(),
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
        frame.marks = marks;
        frame.traffic = self.travel.follow(&self.session, frame.reset);
        frame.marks_gone = gone;
        frame.now = self.session.now().0;
        frame.horizon = self.session.horizon().0;
        frame
    }
}

impl Host {
    /// The next frame, with what the console and the inspector get besides.
    pub(super) fn frame(&mut self, clock: ClockMillis) -> Vec<Update> {
        let mut updates = Vec::new();
        let Some(show) = &mut self.show else {
            return updates;
        };
        self.dirty = false;
        let mut story = self.reader.state(&show.session);
        story.moments = self.moments.of(show);
        let mut frame = show.frame(&self.group_by, story);
        frame.playing = self.pace.playing;
        frame.speed_per_mille = self.pace.speed_per_mille;
        frame.achieved_per_mille = self.pace.achieved(clock, show.session.now());
        let fast = self.fast.as_ref().filter(|_| self.job == Some(Job::Fast));
        let now = director::director(&show.session, &self.reader, fast, self.caption.as_ref());
        if frame.reset || show.director != now {
            show.director = now.clone();
            frame.director = Some(now);
        }
        frame.spread = (show.spread).follow(&show.session, self.subject.as_ref(), &self.group_by);
        let due = director::of_objects(&show.session, &self.reader, self.subject.as_ref());
        let thread = (show.threads)
            .follow(&show.session, self.subject.as_ref(), due)
            .unwrap_or_default();
        if frame.reset || show.thread != thread {
            show.thread.clone_from(&thread);
            frame.thread = Some(thread);
        }
        self.dirty = show.spread.is_late(&show.session) || show.threads.is_late(&show.session);
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
        self.last_frame.made(clock);
        updates
    }
}
