//! Long work of a host in pieces of about a millisecond: seeks, fast-forwards, waiting for the answers of commands, and
//! playing.

use podscope_cluster::SimTime;
use podscope_protocol::{Caption, Notice, SessionLimit, Task, Update};

use super::console::{error, notice};
use super::pace::FRAME_INTERVAL;
use super::{ClockMillis, EVENTS_PER_PIECE, Host, Job, answers, director};
use crate::story::Story;
use crate::timeline::{MAX_RECORDS, Slice};

/// Interval between progress updates, in milliseconds.
const PROGRESS_INTERVAL: ClockMillis = 100.0;

impl Host {
    /// Does a piece of pending work, which takes about a millisecond.
    pub fn work(&mut self, clock: ClockMillis) -> Vec<Update> {
        if self.pasted.is_some() || self.opening.is_some() {
            return self.continue_opening_source(clock);
        }
        let mut updates = self.do_tool_work();
        if self.active.is_none() {
            return updates;
        }
        match self.job {
            Some(Job::Seek { from, target }) => updates.extend(self.continue_seek(from, target, clock)),
            Some(Job::Fast) => updates.extend(self.continue_fast_forward(clock)),
            Some(Job::Answer { until, clients }) => self.continue_to_answer(until, clients),
            None if self.pace.playing && !self.is_joined => updates.extend(self.continue_playing(clock)),
            None => {}
        }
        updates.extend(self.run_waiting_requests(clock));
        updates.extend(self.run_next_pasted_lines());
        self.continue_comparison();
        let is_frame_allowed = !self.pace.playing || self.last_frame.is_due(clock, self.pace.is_late());
        if self.dirty && self.job.is_none() && is_frame_allowed {
            updates.extend(self.frame(clock));
        }
        updates.extend(self.finished_links());
        updates
    }

    /// Continues opening a large source.
    fn continue_opening_source(&mut self, clock: ClockMillis) -> Vec<Update> {
        match self.pasted.take() {
            Some(file) => self.open_pasted(file, clock),
            None => self.continue_opening(clock),
        }
    }

    /// Does a piece of the work of the page's tools, such as a film, a what-if question or a seed search.
    fn do_tool_work(&mut self) -> Vec<Update> {
        let mut updates = Vec::new();
        if let Some(help) = &mut self.help
            && !help.is_done()
        {
            updates.extend(help.work());
        }
        updates.extend(self.continue_film());
        updates.extend(self.continue_what_if());
        updates.extend(self.continue_search());
        if self.job.is_none() && std::mem::take(&mut self.needs_triage) {
            let active = self.active.as_ref();
            updates.extend(active.map(|active| answers::triage(&active.session, false)));
        }
        updates.extend(self.continue_anonymised());
        updates
    }

    /// Continues a seek. A question of a lesson stops the seek only if the target is after the horizon, the latest
    /// computed instant. It never stops the seek to the instant of a link.
    fn continue_seek(&mut self, from: SimTime, target: SimTime, clock: ClockMillis) -> Vec<Update> {
        let Some(active) = &mut self.active else {
            return Vec::new();
        };
        let beyond = self.linked.is_none() && target > active.session.horizon();
        let (reader, loaded) = (&self.reader, active.session.loaded().clone());
        let is_question = |step, story: &Story| beyond && reader.is_waiting_at_step(&loaded.scenario, story, step);
        if active.session.advance_story(target, EVENTS_PER_PIECE, is_question) == Slice::More {
            if self.last_frame.age(clock) < PROGRESS_INTERVAL {
                return Vec::new();
            }
            self.last_frame.progress_sent(clock);
            let played = (active.session.now() - from).0.max(0);
            let total = (target - from).0.max(1);
            let progress = Update::Progress {
                task: Task::Seek,
                per_mille: u32::try_from(played.saturating_mul(1000) / total)
                    .unwrap_or(1000)
                    .min(1000),
            };
            return self
                .notify_of_waiting_requests()
                .into_iter()
                .chain([progress])
                .collect();
        }
        if let Some(link) = self.linked.as_ref().filter(|link| link.cursor_at() < target) {
            // The cursor of the stored session was before its last command: seek back to the cursor.
            let target = link.cursor_at();
            active.session.seek(target);
            let from = active.session.now();
            self.job = Some(Job::Seek { from, target });
            return Vec::new();
        }
        if let Some(link) = &mut self.linked {
            match link.reading.take() {
                Some(kept) => self.reader.restore(kept, &active.session),
                None => self.reader.mark_all_seen(&active.session),
            }
        }
        let linked = self.linked.take();
        let difference = linked.as_ref().and_then(|link| link.trace_difference(&active.session));
        let update = difference.map(|other| notice(active, Notice::OtherEngine(other)));
        let mut updates: Vec<Update> = update.into_iter().collect();
        if let Some(compared) = linked.and_then(|link| link.compared()) {
            updates.extend(self.compare_as_linked(compared));
        }
        self.finish_job(clock);
        updates
    }

    /// Ends the current job, such as a seek. From now on, playing advances time from the cursor.
    fn finish_job(&mut self, clock: ClockMillis) {
        self.job = None;
        self.restart_pace(clock);
        self.dirty = true;
    }

    /// Continues a fast-forward, and sends frames while it runs.
    fn continue_fast_forward(&mut self, clock: ClockMillis) -> Vec<Update> {
        let (Some(active), Some(fast)) = (&mut self.active, &mut self.fast) else {
            self.finish_job(clock);
            return Vec::new();
        };
        match director::continue_fast_forward(active, fast, clock) {
            Some(caption) => {
                // While a lesson's solution is shown, time continues after each command, so that the user sees the
                // effect.
                self.pace.playing = self.solution.is_some()
                    && matches!(caption, Caption::Occurred(..) | Caption::DidNotOccur(..))
                    && self.reader.question(&active.session).is_none();
                (self.fast, self.caption) = (None, Some(caption));
                self.finish_job(clock);
                Vec::new()
            }
            None if self.last_frame.age(clock) >= FRAME_INTERVAL => self.frame(clock),
            None => Vec::new(),
        }
    }

    /// Advances time in a paused session until at most the given number of commands wait for an answer, or until the
    /// given time.
    fn continue_to_answer(&mut self, until: SimTime, max_waiting_commands: usize) {
        if let Some(active) = &mut self.active
            && (active.session).advance_while(until, EVENTS_PER_PIECE, |world| {
                world.client_count() > max_waiting_commands
            }) != Slice::More
        {
            self.job = None;
            self.dirty = true;
        }
    }

    /// Advances the session by the simulated time that corresponds to the clock time since the last call, at the
    /// selected speed.
    fn continue_playing(&mut self, clock: ClockMillis) -> Option<Update> {
        self.dirty = true;
        let target = self.pace.target(clock);
        let slice = self.play_slice(target);
        let active = self.active.as_ref()?;
        match slice {
            Slice::Done => self.pace.record_target_reached(),
            Slice::More => self.pace.record_lag(clock, active.session.now(), target),
            Slice::Limit => {
                self.pace.playing = false;
                return Some(error(active, SessionLimit::Records(MAX_RECORDS)));
            }
        }
        None
    }

    /// Advances a playing session by a limited number of events. A question of the story pauses the session.
    /// Returns [`Slice::Done`] if the session has reached `target`, or if such a question has stopped it earlier.
    pub(super) fn play_slice(&mut self, target: SimTime) -> Slice {
        let Some(active) = &mut self.active else {
            return Slice::Done;
        };
        let (reader, loaded) = (&self.reader, active.session.loaded().clone());
        let is_question = |step, story: &Story| reader.is_waiting_at_step(&loaded.scenario, story, step);
        let mut slice = Slice::More;
        for _ in 0..EVENTS_PER_PIECE {
            slice = active.session.advance_story(target, 1, is_question);
            // If the next pasted line can run, stop here, so that it runs at the instant at which the previous one
            // ends.
            if slice != Slice::More || self.lines.can_run_next_line(&active.session) {
                break;
            }
        }
        if slice == Slice::Done && self.reader.question(&active.session).is_some() {
            // Time is paused until the question is answered.
            self.pace.playing = false;
            self.reader.plays_after_answer = true;
        }
        slice
    }

    /// Advances the session with which this session is compared, towards the cursor.
    fn continue_comparison(&mut self) {
        if let (Some(active), Some(other)) = (&self.active, &mut self.other)
            && other.session.advance(active.session.now(), EVENTS_PER_PIECE) != Slice::More
            && std::mem::take(&mut self.is_other_behind)
        {
            self.dirty = true;
        }
    }

    /// Renders a piece of the film. Returns its progress, or the finished film.
    fn continue_film(&mut self) -> Option<Update> {
        let film = self.film.as_mut()?;
        let before = film.progress_per_mille();
        let made = film.work();
        let now = film.progress_per_mille();
        if let Some(film) = made.transpose() {
            self.film = None;
            return Some(Update::Film(film));
        }
        (now != before).then_some(Update::Progress {
            task: Task::Film,
            per_mille: now,
        })
    }
}
