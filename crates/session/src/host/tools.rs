//! Requests of the page's tools: comparisons, checks and completions of the editor, pasted texts, remedies, what-if
//! questions, searches, triage, films, exports, and the recording of lessons.

use podscope_cluster::SimTime;
use podscope_protocol::{ExportKind, Notice, Request, SubjectRef, Update};

use super::anonymised::AnonymisedRequest;
use super::console::error;
use super::{ClockMillis, Host, answers, fields, search};
use crate::film::Film;

impl Host {
    /// Handles a request for one of the page's tools. Returns the updates for the page.
    pub(super) fn handle_tool_request(&mut self, request: Request, clock: ClockMillis) -> Vec<Update> {
        let answer = match request {
            Request::Compare { other } => return self.compare(other),
            Request::CompareBranch { branch } => {
                return self.do_without_answer(|host| host.compare_branch(branch as usize));
            }
            Request::Check { text, revision } => {
                let running = self.active.as_ref().map(|active| &active.session);
                Some(answers::check_text(&text, revision, running))
            }
            Request::Fields {
                before,
                after,
                revision,
            } => Some(Update::Fields {
                choices: fields::completions_at_cursor(&before, &after),
                revision,
            }),
            Request::Paste { name, text } => return self.paste((name, text), clock),
            Request::CheckLesson { text, revision } => Some(answers::check_lesson(text, revision)),
            Request::CancelHelp => return self.do_without_answer(|host| host.help = None),
            Request::TryRemedy { index } => self.try_remedy(index, clock),
            Request::WhatWouldHelp { pod } => self.start_remedy_search(pod),
            Request::Film { .. } | Request::Export { .. } | Request::Triage { .. } => {
                return self.handle_output_request(request);
            }
            Request::RecordGoal { subject, line } => self.record_goal(&subject, line),
            Request::ForgetGoal { index } => self.active.is_some().then(|| {
                self.recorded.remove_goal(index);
                self.recorded.update()
            }),
            Request::WhatIf(change) => return self.what_if(change),
            Request::Search(search) => {
                self.search = Some(search::SeedSearch::start(*search));
                return Vec::new();
            }
            // `podscope_course::page` handles this request.
            Request::Course(_) => None,
            other => unreachable!("`act_now` handles {other:?}"),
        };
        answer.into_iter().collect()
    }

    /// Handles a request for output: a film, a file, or a list of the cluster's problems.
    fn handle_output_request(&mut self, request: Request) -> Vec<Update> {
        match request {
            Request::Film {
                from,
                to,
                seconds,
                anonymise,
            } => {
                let (from, to) = (SimTime(from), SimTime(to));
                if anonymise {
                    return self.start_anonymised(AnonymisedRequest::Film { from, to, seconds });
                }
                self.start_film(from, to, seconds).into_iter().collect()
            }
            // The table of names is never anonymised: it lists the real names with their replacements.
            Request::Export { what, anonymise } if anonymise && what != ExportKind::Names => {
                self.start_anonymised(AnonymisedRequest::Export(what))
            }
            Request::Export { what, .. } => self.export_file(what).into_iter().collect(),
            Request::Triage { anonymise: true } => self.start_anonymised(AnonymisedRequest::Triage),
            Request::Triage { anonymise: false } => {
                self.do_without_answer(|host| host.needs_triage = host.active.is_some())
            }
            other => unreachable!("not a request for output: {other:?}"),
        }
    }

    /// Applies a suggested remedy for a pending pod on a new branch.
    fn try_remedy(&mut self, index: usize, clock: ClockMillis) -> Option<Update> {
        let line = self.help.as_ref().and_then(|help| help.remedy_command(index))?;
        let active = self.active.as_mut()?;
        match active.session.fork() {
            Err(limit) => {
                self.dirty = true;
                Some(error(active, limit))
            }
            Ok(_) => self.run_command(&line, clock),
        }
    }

    fn start_remedy_search(&mut self, pod: String) -> Option<Update> {
        let active = self.active.as_ref()?;
        self.help = answers::RemedySearch::start(&active.session, &pod);
        self.help.is_none().then(|| Update::Help {
            pod,
            remedies: Vec::new(),
            groups: Vec::new(),
            per_mille: 1000,
            done: true,
        })
    }

    fn start_film(&mut self, from: SimTime, to: SimTime, seconds: u32) -> Option<Update> {
        match Film::start(&self.active.as_ref()?.session, from, to, seconds) {
            Ok(film) => {
                self.film = Some(film);
                None
            }
            Err(why) => Some(Update::Film(Err(why))),
        }
    }

    fn export_file(&self, what: ExportKind) -> Option<Update> {
        let session = &self.active.as_ref()?.session;
        Some(match what {
            ExportKind::Lesson => {
                let lesson = crate::export::lesson_draft(session, self.recorded.goals());
                answers::download_update(what, lesson)
            }
            _ => answers::export(session, what),
        })
    }

    fn record_goal(&mut self, subject: &SubjectRef, manifest_line: u32) -> Option<Update> {
        let active = self.active.as_ref()?;
        Some(
            match self.recorded.pick_goal_field(&active.session, subject, manifest_line) {
                Ok(()) => self.recorded.update(),
                Err(why) => error(active, Notice::GoalRefusal(why)),
            },
        )
    }
}
