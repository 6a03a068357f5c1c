//! Dispatches requests of the page to the functions that handle them. Requests that need a session have no effect
//! without one.

use podscope_api::well_known::label;
use podscope_cluster::SimTime;
use podscope_kubectl::command;
use podscope_protocol::{Completion, LineKind, Notice, Request, SubjectRef, UpcomingEvent, Update};

use super::console::{console_line, error, run_line};
use super::{ANSWER_TIMEOUT, ClockMillis, Host, Job, answers, director, lines};
use crate::scenario;
use crate::timeline::END_OF_TIME;
use crate::view::ViewState;

impl Host {
    /// Handles a request of the page. Returns quickly and leaves long work to [`Host::work`].
    pub fn handle(&mut self, request: Request, clock: ClockMillis) -> Vec<Update> {
        if request == Request::FrameDone {
            self.last_frame.is_unacknowledged = false;
            return Vec::new();
        }
        // During a seek, command lines wait for the end of the seek. They are checked for danger when they run.
        let request = match self.must_wait(&request) {
            true => request,
            false => match self.unless_dangerous(request) {
                Ok(request) => request,
                Err(question) => return vec![question],
            },
        };
        if director::clears_caption(&request) {
            self.caption = None;
        }
        if director::is_user_action(&request) {
            self.solution = None;
        }
        let drops_lines = (self.active.as_ref()).is_some_and(|active| lines::drops_waiting_lines(&request, active));
        let mut updates = self.handle_now_or_queue(request, clock);
        updates.extend(drops_lines.then(|| self.drop_pasted_lines()).flatten());
        updates.extend(self.run_next_pasted_lines());
        // The page must get the link before the frame that shows the effect of a command.
        updates.extend(self.finished_links());
        if self.dirty && self.job.is_none() {
            updates.extend(self.frame(clock));
        }
        updates
    }

    fn handle_now_or_queue(&mut self, request: Request, clock: ClockMillis) -> Vec<Update> {
        match self.queue_if_must_wait(request) {
            Ok(updates) => updates,
            Err(request) => self.handle_now(request, clock),
        }
    }

    /// Handles a request immediately, without waiting for the end of a seek.
    pub(super) fn handle_now(&mut self, request: Request, clock: ClockMillis) -> Vec<Update> {
        let request = match self.unless_dangerous(request) {
            Ok(request) => request,
            Err(question) => return vec![question],
        };
        let answer = match request {
            Request::Open { source } => return self.open(source, clock),
            Request::ShowMe => return self.show_me(clock),
            Request::Recognise { text } => Some(Update::Recognised {
                kind: scenario::recognise(&text),
                text,
            }),
            Request::FrameDone | Request::PrepareToOpen => None,
            Request::Speed { per_mille } => return self.do_without_answer(|host| host.set_speed(per_mille, clock)),
            Request::GroupBy { key } => return self.do_without_answer(|host| host.set_group_by(key)),
            Request::StoryStep { step } => return self.do_without_answer(|host| host.show_story_step(step)),
            Request::Inspect { subject } => return self.do_without_answer(|host| host.select_subject(subject)),
            Request::Predict { step, answer } => {
                return self.do_without_answer(|host| host.answer_question(step, answer, clock));
            }
            Request::Pause => {
                let updates = self.drop_waiting_requests();
                self.pause();
                return updates;
            }
            Request::Play => self.do_unless_question_is_open(|host| host.play(clock)),
            Request::Step => self.do_unless_question_is_open(Host::step_to_next_event),
            Request::SkipToStory => self.do_unless_question_is_open(|host| host.skip_to_story_step(clock)),
            Request::NextDecision => self.do_unless_question_is_open(Host::run_to_next_decision),
            Request::SkipAhead { to } => self.do_unless_question_is_open(|host| host.skip_ahead(to.as_deref(), clock)),
            Request::Seek { at } => return self.do_without_answer(|host| host.seek(SimTime(at))),
            Request::Fork => self.fork_branch(),
            Request::Branch { branch } => return self.do_without_answer(|host| host.switch_branch(branch as usize)),
            Request::Undo => self.undo(),
            Request::Command { line } => self.run_command(&line, clock),
            Request::Commands { lines } => self.queue_pasted_lines(lines),
            Request::Explain { pod, uid, attempt } => {
                let active = self.active.as_ref();
                active.and_then(|active| answers::explain(&active.session, pod, uid, attempt))
            }
            Request::Share {
                screen,
                anonymise,
                revision,
            } => {
                return self.do_without_answer(|host| {
                    host.queue_link(answers::RequestedLink {
                        screen,
                        anonymise,
                        revision,
                    });
                });
            }
            Request::Complete { line, cursor } => self.complete_command_line(line, cursor),
            of_tool => return self.handle_tool_request(of_tool, clock),
        };
        answer.into_iter().collect()
    }

    /// Calls `act` and returns no updates.
    pub(super) fn do_without_answer(&mut self, act: impl FnOnce(&mut Host)) -> Vec<Update> {
        act(self);
        Vec::new()
    }

    /// Calls `act`, which advances time, unless a question waits for an answer.
    fn do_unless_question_is_open(&mut self, act: impl FnOnce(&mut Host)) -> Option<Update> {
        let active = self.active.as_ref()?;
        if self.reader.question(&active.session).is_some() {
            return Some(error(active, Notice::WaitsForAnswer));
        }
        act(self);
        self.dirty = true;
        None
    }

    fn play(&mut self, clock: ClockMillis) {
        self.pace.playing = true;
        self.is_pause_noticed = false;
        self.job = None;
        self.restart_pace(clock);
    }

    pub(super) fn pause(&mut self) {
        if self.active.is_some() {
            self.pace.playing = false;
            self.job = None;
            self.dirty = true;
        }
    }

    fn step_to_next_event(&mut self) {
        self.pace.playing = false;
        if let Some(active) = &mut self.active {
            self.caption = Some(director::step_to_recorded_event(&mut active.session));
        }
    }

    fn run_to_next_decision(&mut self) {
        self.pace.playing = false;
        self.fast = self
            .active
            .as_ref()
            .map(|active| director::start_run_to_decision(&active.session));
        self.job = Some(Job::Fast);
    }

    fn skip_ahead(&mut self, to: Option<&UpcomingEvent>, clock: ClockMillis) {
        let fast = self
            .active
            .as_ref()
            .map(|active| director::start_skip_to_pending_event(&active.session, to, clock));
        self.start_fast_forward(fast);
    }

    fn skip_to_story_step(&mut self, clock: ClockMillis) {
        let fast = (self.active.as_ref()).and_then(|active| director::start_skip_to_story_step(&active.session, clock));
        self.start_fast_forward(fast);
    }

    pub(super) fn start_fast_forward(&mut self, fast: Option<director::FastForward>) {
        self.pace.playing = false;
        match fast {
            Some(fast) => {
                self.fast = Some(fast);
                self.job = Some(Job::Fast);
            }
            None => self.caption = Some(podscope_protocol::Caption::NoUpcomingEvent),
        }
    }

    fn seek(&mut self, at: SimTime) {
        let Some(active) = &mut self.active else { return };
        if at > active.session.horizon() && self.reader.question(&active.session).is_some() {
            // The reader cannot look ahead past an unanswered question. The next frame resets the position on the
            // page's timeline.
            self.dirty = true;
            return;
        }
        let target = at.clamp(SimTime::ZERO, END_OF_TIME);
        active.session.seek(target);
        self.start_seek(target);
    }

    /// Starts the job that advances the session to `target`. `Session::seek` may already have moved the session to a
    /// checkpoint before the target.
    fn start_seek(&mut self, target: SimTime) {
        let from = self
            .active
            .as_ref()
            .map_or(SimTime::ZERO, |active| active.session.now());
        self.job = Some(Job::Seek { from, target });
    }

    fn fork_branch(&mut self) -> Option<Update> {
        let active = self.active.as_mut()?;
        self.dirty = true;
        let refused = active.session.fork().err()?;
        Some(error(active, refused))
    }

    fn switch_branch(&mut self, branch: usize) {
        let Some(active) = &mut self.active else { return };
        self.dirty = true;
        if let Some(target) = active.session.switch_branch(branch) {
            self.start_seek(target);
        }
    }

    fn undo(&mut self) -> Option<Update> {
        let active = self.active.as_mut()?;
        let Some(target) = active.session.undo() else {
            return Some(error(active, Notice::NothingToUndo));
        };
        active.view_state = ViewState::default();
        let commands = active.session.commands().len();
        self.start_seek(target);
        self.recorded.remove_goals_after(commands)
    }

    fn set_speed(&mut self, per_mille: u64, clock: ClockMillis) {
        self.pace.speed_per_mille = per_mille.clamp(1, 1_000_000_000);
        self.restart_pace(clock);
        self.dirty = true;
    }

    fn set_group_by(&mut self, key: String) {
        self.group_by = if key.is_empty() { label::ZONE.to_owned() } else { key };
        self.dirty = true;
    }

    fn show_story_step(&mut self, step: usize) {
        self.reader.turn_to_step(step);
        self.dirty = true;
    }

    fn select_subject(&mut self, subject: Option<SubjectRef>) {
        // A search for remedies stops when another subject is selected.
        let is_same_pod =
            |help: &answers::RemedySearch| matches!(&subject, Some(SubjectRef::Pod { key, .. }) if key == help.pod());
        self.help = self.help.take().filter(is_same_pod);
        self.subject = subject;
        self.detail = None;
        self.dirty = true;
    }

    fn answer_question(&mut self, step: usize, answer: Option<String>, clock: ClockMillis) {
        self.reader.answer(step, answer);
        self.pace.playing |= std::mem::take(&mut self.reader.plays_after_answer);
        self.restart_pace(clock);
        self.dirty = true;
        self.queue_stored_link();
    }

    /// Runs a command line that the user has entered.
    pub(super) fn run_command(&mut self, line: &str, clock: ClockMillis) -> Option<Update> {
        self.active.is_some().then(|| {
            let update = self.command(line);
            self.restart_pace(clock);
            self.dirty = true;
            update
        })
    }

    fn queue_link(&mut self, share: answers::RequestedLink) {
        if self.active.is_some() {
            self.shares.retain(|waiting| waiting.anonymise != share.anonymise);
            self.shares.push(share);
        }
    }

    fn complete_command_line(&self, line: String, cursor: usize) -> Option<Update> {
        let objects = self.active.as_ref()?.session.world().objects();
        let (replace, choices) = command::complete(&line, cursor, objects);
        let choices = choices.into_iter().map(|choice| Completion {
            text: choice.text,
            hint: choice.hint,
        });
        let choices = choices.collect();
        Some(Update::Completions { line, replace, choices })
    }

    /// Runs a command line. If the command writes, it is only sent to the simulation; while the session is paused, a
    /// job advances time until the command is answered.
    pub(super) fn command(&mut self, line: &str) -> Update {
        // If a job still waits for the answers of earlier commands, the new job also waits for these answers.
        let job_in_progress = self.job.take();
        let followed = match job_in_progress {
            Some(Job::Answer { clients, .. }) => Some(clients),
            _ => None,
        };
        let Some(active) = &mut self.active else {
            return Update::Console { lines: Vec::new() };
        };
        let clients = active.session.world().client_count();
        let clients = followed.map_or(clients, |followed| followed.min(clients));
        let (mut lines, given) = run_line(active, line);
        if !given {
            // A line that sends nothing to the simulation leaves the current job unchanged.
            self.job = job_in_progress;
        }
        if !self.pace.playing && given {
            let is_question_open = self.reader.question(&active.session).is_some();
            if is_question_open {
                lines.push(console_line(active, LineKind::Notice, Notice::CommandWaitsForAnswer));
            } else if !std::mem::replace(&mut self.is_pause_noticed, true) {
                lines.push(console_line(active, LineKind::Notice, Notice::TimeIsPaused));
            }
            if active.session.world().client_count() > clients && !is_question_open {
                let until = active.session.now() + ANSWER_TIMEOUT;
                self.job = Some(Job::Answer { until, clients });
            }
        }
        self.queue_stored_link();
        Update::Console { lines }
    }
}
