//! Long work, in pieces of about a millisecond: seeks, fast runs, answers, and time that goes on by itself.

use podscope_cluster::SimTime;
use podscope_protocol::{Caption, Limit, Notice, Task, Update};

use super::console::{complain, notice};
use super::pace::FRAME;
use super::{ClockMillis, Host, Job, PIECE, answers, director};
use crate::story::Story;
use crate::timeline::{MAX_RECORDS, Slice};

/// Progress is told that often.
const TELL: ClockMillis = 100.0;

impl Host {
    /// Does a small piece of work (about a millisecond).
    pub fn work(&mut self, clock: ClockMillis) -> Vec<Update> {
        if let Some(file) = self.pasted.take() {
            return self.open_pasted(file, clock);
        }
        if self.opening.is_some() {
            return self.go_on_opening(clock);
        }
        let mut updates = Vec::new();
        if let Some(help) = &mut self.help
            && !help.is_done()
        {
            updates.extend(help.work());
        }
        updates.extend(self.go_on_filming());
        if self.job.is_none() && std::mem::take(&mut self.triages) {
            updates.extend(self.show.as_ref().map(|show| answers::triage(&show.session, false)));
        }
        updates.extend(self.go_on_renaming());
        if self.show.is_none() {
            return updates;
        }
        match self.job {
            Some(Job::Seek { from, target }) => updates.extend(self.go_on_seeking(from, target, clock)),
            Some(Job::Fast) => updates.extend(self.go_on_fast(clock)),
            Some(Job::Answer { until, clients }) => self.go_on_to_answer(until, clients),
            None if self.pace.playing => updates.extend(self.play_on(clock)),
            None => {}
        }
        updates.extend(self.go_on_with_waiting(clock));
        updates.extend(self.go_on_with_lines());
        self.go_on_comparing();
        let rests = !self.pace.playing || self.last_frame.is_due(clock, self.pace.is_late());
        if self.dirty && self.job.is_none() && rests {
            updates.extend(self.frame(clock));
        }
        updates.extend(self.share());
        updates
    }

    /// A piece of the way to an instant. What has been played is gone through as it was; beyond, a question stops it.
    fn go_on_seeking(&mut self, from: SimTime, target: SimTime, clock: ClockMillis) -> Vec<Update> {
        let Some(show) = &mut self.show else { return Vec::new() };
        let beyond = self.linked.is_none() && target > show.session.horizon();
        let (reader, loaded) = (&self.reader, show.session.loaded().clone());
        let waits = |step, story: &Story| beyond && reader.waits_at(&loaded.scenario, story, step);
        if show.session.advance_story(target, PIECE, waits) == Slice::More {
            if self.last_frame.age(clock) < TELL {
                return Vec::new();
            }
            self.last_frame.told(clock);
            let done = (show.session.now() - from).0.max(0);
            let all = (target - from).0.max(1);
            let progress = Update::Progress {
                task: Task::Seek,
                per_mille: u32::try_from(done.saturating_mul(1000) / all).unwrap_or(1000).min(1000),
            };
            return self.say_waiting().into_iter().chain([progress]).collect();
        }
        if let Some(link) = self.linked.as_ref().filter(|link| link.cursor_at() < target) {
            // A kept session that stood before its last command: back to where it stood.
            let target = link.cursor_at();
            show.session.seek(target);
            let from = show.session.now();
            self.job = Some(Job::Seek { from, target });
            return Vec::new();
        }
        if let Some(link) = &mut self.linked {
            match link.reading.take() {
                Some(kept) => self.reader.comes_back(kept, &show.session),
                None => self.reader.has_seen_all(&show.session),
            }
        }
        let difference = self.linked.take().and_then(|link| link.difference(&show.session));
        let told = difference.map(|other| notice(show, Notice::OtherEngine(other)));
        self.rest_from(clock);
        told.into_iter().collect()
    }

    /// The end of what ran by itself: the pace counts from here.
    fn rest_from(&mut self, clock: ClockMillis) {
        self.job = None;
        self.pace_from(clock);
        self.dirty = true;
    }

    /// A piece of a fast run, which is drawn on its way.
    fn go_on_fast(&mut self, clock: ClockMillis) -> Vec<Update> {
        let (Some(show), Some(fast)) = (&mut self.show, &mut self.fast) else {
            self.rest_from(clock);
            return Vec::new();
        };
        match director::go_on(show, fast, clock) {
            Some(caption) => {
                // What a solution is shown by is seen to work.
                self.pace.playing = self.shows
                    && matches!(caption, Caption::Came(..) | Caption::Gone(..))
                    && self.reader.question(&show.session).is_none();
                (self.fast, self.caption) = (None, Some(caption));
                self.rest_from(clock);
                Vec::new()
            }
            None if self.last_frame.age(clock) >= FRAME => self.frame(clock),
            None => Vec::new(),
        }
    }

    /// Time stands still, but a command is on its way to its answer.
    fn go_on_to_answer(&mut self, until: SimTime, clients: usize) {
        if let Some(show) = &mut self.show
            && (show.session).advance_while(until, PIECE, |world| world.clients() > clients) != Slice::More
        {
            self.job = None;
            self.dirty = true;
        }
    }

    /// A piece of time that goes on by itself.
    fn play_on(&mut self, clock: ClockMillis) -> Option<Update> {
        let show = self.show.as_mut()?;
        self.dirty = true;
        let target = self.pace.target(clock);
        let (reader, loaded) = (&self.reader, show.session.loaded().clone());
        let waits = |step, story: &Story| reader.waits_at(&loaded.scenario, story, step);
        let mut slice = Slice::More;
        for _ in 0..PIECE {
            slice = show.session.advance_story(target, 1, waits);
            // The next line runs at the instant at which the one before has ended.
            if slice != Slice::More || self.lines.is_next(&show.session) {
                break;
            }
        }
        match slice {
            Slice::Done => {
                if self.reader.question(&show.session).is_some() {
                    // Time waits for the answer.
                    self.pace.playing = false;
                    self.reader.goes_on = true;
                }
                self.pace.kept_up();
            }
            Slice::More => self.pace.fell_behind(clock, show.session.now(), target),
            Slice::Limit => {
                self.pace.playing = false;
                return Some(complain(show, Limit::Records(MAX_RECORDS)));
            }
        }
        None
    }

    /// A piece of the way of the other side of a comparison to where this one is.
    fn go_on_comparing(&mut self) {
        if let (Some(show), Some(other)) = (&self.show, &mut self.other)
            && other.session.advance(show.session.now(), PIECE) != Slice::More
            && std::mem::take(&mut self.other_late)
        {
            self.dirty = true;
        }
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
        (now != before).then_some(Update::Progress {
            task: Task::Film,
            per_mille: now,
        })
    }
}
