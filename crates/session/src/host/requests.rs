//! What each request does. Those that need a session do nothing without one.

use podscope_cluster::SimTime;
use podscope_kubectl::command;
use podscope_protocol::{Completion, ExportKind, LineKind, Notice, Request, SubjectRef, Update};

use super::console::{complain, console_line, run_line};
use super::nameless::Asked;
use super::{ANSWER, ClockMillis, Host, Job, answers, director, fields, lines};
use crate::film::Film;
use crate::scenario;
use crate::timeline::END_OF_TIME;
use crate::view::{self, Picture};

impl Host {
    /// Takes a request. Returns quickly: long work is left for [`Host::work`].
    pub fn handle(&mut self, request: Request, clock: ClockMillis) -> Vec<Update> {
        if request == Request::FrameDone {
            self.last_frame.is_open = false;
            return Vec::new();
        }
        if director::takes_the_caption(&request) {
            self.caption = None;
        }
        self.shows &= !director::acts(&request);
        let drops = (self.show.as_ref()).is_some_and(|show| lines::leaves(&request, show));
        let mut updates = self.act(request, clock);
        updates.extend(drops.then(|| self.drop_lines()).flatten());
        updates.extend(self.go_on_with_lines());
        // What was done is kept before it is seen.
        updates.extend(self.share());
        if self.dirty && self.job.is_none() {
            updates.extend(self.frame(clock));
        }
        updates
    }

    fn act(&mut self, request: Request, clock: ClockMillis) -> Vec<Update> {
        match self.wait(request) {
            Ok(updates) => updates,
            Err(request) => self.act_now(request, clock),
        }
    }

    /// Does what was asked for, wherever the cursor is.
    pub(super) fn act_now(&mut self, request: Request, clock: ClockMillis) -> Vec<Update> {
        let answer = match request {
            Request::Open { source } => return self.open(source, clock),
            Request::ShowMe => return self.show_me(clock),
            Request::Compare { other } => return self.compare(other),
            Request::CompareBranch { branch } => return self.do_only(|host| host.compare_branch(branch as usize)),
            Request::Check { text, revision } => {
                let running = self.show.as_ref().map(|show| &show.session);
                Some(answers::check(&text, revision, running))
            }
            Request::Fields { before, after } => Some(Update::Fields {
                choices: fields::at(&before, &after),
            }),
            Request::Recognise { text } => Some(Update::Recognised {
                kind: scenario::recognise(&text),
                text,
            }),
            Request::Paste { name, text } => return self.paste((name, text), clock),
            Request::CheckLesson { text, revision } => Some(answers::check_lesson(text, revision)),
            Request::FrameDone => None,
            Request::Speed { per_mille } => return self.do_only(|host| host.speed(per_mille, clock)),
            Request::GroupBy { key } => return self.do_only(|host| host.group_by(key)),
            Request::StoryStep { step } => return self.do_only(|host| host.story_step(step)),
            Request::Inspect { subject } => return self.do_only(|host| host.inspect(subject)),
            Request::Predict { step, answer } => return self.do_only(|host| host.predict(step, answer, clock)),
            Request::CancelHelp => return self.do_only(|host| host.help = None),
            Request::Pause => {
                let told = self.forget_waiting();
                self.pause();
                return told;
            }
            Request::Play => self.unless_asked(|host| host.play(clock)),
            Request::Step => self.unless_asked(Host::step),
            Request::SkipToStory => self.unless_asked(|host| host.skip_to_story(clock)),
            Request::NextDecision => self.unless_asked(Host::next_decision),
            Request::SkipAhead => self.unless_asked(|host| host.skip_ahead(clock)),
            Request::Seek { at } => return self.do_only(|host| host.seek(SimTime(at))),
            Request::Fork => self.fork(),
            Request::Branch { branch } => return self.do_only(|host| host.switch(branch as usize)),
            Request::Undo => self.undo(),
            Request::Command { line } => self.given(&line, clock),
            Request::Commands { lines } => self.take_lines(lines),
            Request::TryRemedy { index } => self.try_remedy(index, clock),
            Request::Explain { pod, uid, attempt } => {
                let show = self.show.as_ref();
                show.and_then(|show| answers::explain(&show.session, pod, uid, attempt))
            }
            Request::WhatWouldHelp { pod } => self.what_would_help(pod),
            Request::Share { .. } | Request::Film { .. } | Request::Export { .. } | Request::Triage { .. } => {
                return self.hand_out(request);
            }
            Request::RecordGoal { subject, line } => self.record_goal(&subject, line),
            Request::ForgetGoal { index } => self.show.is_some().then(|| {
                self.recorded.forget(index);
                self.recorded.told()
            }),
            Request::Complete { line, cursor } => self.complete(line, cursor),
        };
        answer.into_iter().collect()
    }

    /// Answers with what leaves the page: a link, a film, a file, a list of what is wrong.
    fn hand_out(&mut self, request: Request) -> Vec<Update> {
        match request {
            Request::Share {
                screen,
                anonymise,
                revision,
            } => self.do_only(|host| {
                host.will_share(answers::Share {
                    screen,
                    anonymise,
                    revision,
                });
            }),
            Request::Film {
                from,
                to,
                seconds,
                anonymise,
            } => {
                let (from, to) = (SimTime(from), SimTime(to));
                if anonymise {
                    return self.renamed(Asked::Film { from, to, seconds });
                }
                self.film(from, to, seconds).into_iter().collect()
            }
            // Its names are those of what leaves.
            Request::Export { what, anonymise } if anonymise && what != ExportKind::Names => {
                self.renamed(Asked::Export(what))
            }
            Request::Export { what, .. } => self.export(what).into_iter().collect(),
            Request::Triage { anonymise: true } => self.renamed(Asked::Triage),
            Request::Triage { anonymise: false } => self.do_only(|host| host.triages = host.show.is_some()),
            other => unreachable!("handed to `act_now`: {other:?}"),
        }
    }

    /// Acts without an answer of its own.
    fn do_only(&mut self, act: impl FnOnce(&mut Host)) -> Vec<Update> {
        act(self);
        Vec::new()
    }

    /// Lets time run, unless a question waits.
    fn unless_asked(&mut self, act: impl FnOnce(&mut Host)) -> Option<Update> {
        let show = self.show.as_ref()?;
        if self.reader.question(&show.session).is_some() {
            return Some(complain(show, Notice::WaitsForAnswer));
        }
        act(self);
        self.dirty = true;
        None
    }

    fn play(&mut self, clock: ClockMillis) {
        self.pace.playing = true;
        self.still_said = false;
        self.job = None;
        self.pace_from(clock);
    }

    pub(super) fn pause(&mut self) {
        if self.show.is_some() {
            self.pace.playing = false;
            self.job = None;
            self.dirty = true;
        }
    }

    fn step(&mut self) {
        self.pace.playing = false;
        if let Some(show) = &mut self.show {
            self.caption = Some(director::step(&mut show.session));
        }
    }

    fn next_decision(&mut self) {
        self.pace.playing = false;
        self.fast = self.show.as_ref().map(|show| director::decision(&show.session));
        self.job = Some(Job::Fast);
    }

    fn skip_ahead(&mut self, clock: ClockMillis) {
        let fast = self.show.as_ref().and_then(|show| director::skip(&show.session, clock));
        self.run_fast(fast);
    }

    fn skip_to_story(&mut self, clock: ClockMillis) {
        let fast = (self.show.as_ref()).and_then(|show| director::to_story(&show.session, clock));
        self.run_fast(fast);
    }

    pub(super) fn run_fast(&mut self, fast: Option<director::Fast>) {
        self.pace.playing = false;
        match fast {
            Some(fast) => {
                self.fast = Some(fast);
                self.job = Some(Job::Fast);
            }
            None => self.caption = Some(podscope_protocol::Caption::NothingDue),
        }
    }

    fn seek(&mut self, at: SimTime) {
        let Some(show) = &mut self.show else { return };
        if at > show.session.horizon() && self.reader.question(&show.session).is_some() {
            // Nobody looks ahead; the place is the page's to take for an answer.
            self.dirty = true;
            return;
        }
        let target = at.clamp(SimTime::ZERO, END_OF_TIME);
        show.session.seek(target);
        self.go_to(target);
    }

    /// Goes on from where the session stands to an instant.
    fn go_to(&mut self, target: SimTime) {
        let from = self.show.as_ref().map_or(SimTime::ZERO, |show| show.session.now());
        self.job = Some(Job::Seek { from, target });
    }

    fn fork(&mut self) -> Option<Update> {
        let show = self.show.as_mut()?;
        self.dirty = true;
        let refused = show.session.fork().err()?;
        Some(complain(show, refused))
    }

    fn switch(&mut self, branch: usize) {
        let Some(show) = &mut self.show else { return };
        self.dirty = true;
        if let Some(target) = show.session.switch(branch) {
            self.go_to(target);
        }
    }

    fn undo(&mut self) -> Option<Update> {
        let show = self.show.as_mut()?;
        let Some(target) = show.session.undo() else {
            return Some(complain(show, Notice::NothingToUndo));
        };
        show.picture = Picture::default();
        let commands = show.session.commands().len();
        self.go_to(target);
        self.recorded.undo(commands)
    }

    fn speed(&mut self, per_mille: u64, clock: ClockMillis) {
        self.pace.speed_per_mille = per_mille.clamp(1, 1_000_000_000);
        self.pace_from(clock);
        self.dirty = true;
    }

    fn group_by(&mut self, key: String) {
        self.group_by = if key.is_empty() { view::ZONE.to_owned() } else { key };
        self.dirty = true;
    }

    fn story_step(&mut self, step: usize) {
        self.reader.turn_to(step);
        self.dirty = true;
    }

    fn inspect(&mut self, subject: Option<SubjectRef>) {
        // What would help is asked of the pod that is looked at.
        let same = |help: &answers::Help| matches!(&subject, Some(SubjectRef::Pod { key, .. }) if key == help.pod());
        self.help = self.help.take().filter(same);
        self.subject = subject;
        self.detail = None;
        self.dirty = true;
    }

    fn predict(&mut self, step: usize, answer: Option<String>, clock: ClockMillis) {
        self.reader.answer(step, answer);
        self.pace.playing |= std::mem::take(&mut self.reader.goes_on);
        self.pace_from(clock);
        self.dirty = true;
        self.keep();
    }

    /// A command, given by a person.
    fn given(&mut self, line: &str, clock: ClockMillis) -> Option<Update> {
        self.show.is_some().then(|| {
            let told = self.command(line);
            self.pace_from(clock);
            self.dirty = true;
            told
        })
    }

    /// A remedy is tried on a branch of its own.
    fn try_remedy(&mut self, index: usize, clock: ClockMillis) -> Option<Update> {
        let line = self.help.as_ref().and_then(|help| help.command(index))?;
        let show = self.show.as_mut()?;
        match show.session.fork() {
            Err(limit) => {
                self.dirty = true;
                Some(complain(show, limit))
            }
            Ok(_) => self.given(&line, clock),
        }
    }

    fn what_would_help(&mut self, pod: String) -> Option<Update> {
        let show = self.show.as_ref()?;
        self.help = answers::Help::start(&show.session, &pod);
        self.help.is_none().then(|| Update::Help {
            pod,
            remedies: Vec::new(),
            per_mille: 1000,
            done: true,
        })
    }

    fn will_share(&mut self, share: answers::Share) {
        if self.show.is_some() {
            self.shares.retain(|waiting| waiting.anonymise != share.anonymise);
            self.shares.push(share);
        }
    }

    fn film(&mut self, from: SimTime, to: SimTime, seconds: u32) -> Option<Update> {
        match Film::start(&self.show.as_ref()?.session, from, to, seconds) {
            Ok(film) => {
                self.film = Some(film);
                None
            }
            Err(why) => Some(Update::Film(Err(why))),
        }
    }

    fn export(&self, what: ExportKind) -> Option<Update> {
        let session = &self.show.as_ref()?.session;
        Some(match what {
            ExportKind::Lesson => answers::file(what, crate::export::lesson(session, self.recorded.goals())),
            _ => answers::export(session, what),
        })
    }

    fn record_goal(&mut self, subject: &SubjectRef, line: u32) -> Option<Update> {
        let show = self.show.as_ref()?;
        Some(match self.recorded.pick(&show.session, subject, line) {
            Ok(()) => self.recorded.told(),
            Err(why) => complain(show, Notice::NoGoal(why)),
        })
    }

    fn complete(&self, line: String, cursor: usize) -> Option<Update> {
        let objects = self.show.as_ref()?.session.world().objects();
        let (replace, choices) = command::complete(&line, cursor, objects);
        let choices = choices.into_iter().map(|choice| Completion {
            text: choice.text,
            hint: choice.hint,
        });
        let choices = choices.collect();
        Some(Update::Completions { line, replace, choices })
    }

    /// Gives a command. It has acted when this returns, as far as it can: one that talks to the API
    /// server has only been sent. Where time stands still it is followed to its answer.
    pub(super) fn command(&mut self, line: &str) -> Update {
        // Several that are given at once are followed until all have answered.
        let under_way = self.job.take();
        let followed = match under_way {
            Some(Job::Answer { clients, .. }) => Some(clients),
            _ => None,
        };
        let Some(show) = &mut self.show else {
            return Update::Console { lines: Vec::new() };
        };
        let clients = show.session.world().clients();
        let clients = followed.map_or(clients, |followed| followed.min(clients));
        let (mut lines, given) = run_line(show, line);
        if !given {
            // What only reads, or is no command, leaves what is under way alone.
            self.job = under_way;
        }
        if !self.pace.playing && given {
            if !std::mem::replace(&mut self.still_said, true) {
                lines.push(console_line(show, LineKind::Notice, Notice::StandsStill));
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
}
