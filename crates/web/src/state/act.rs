//! The actions that change the page's state: user input and updates of the engine. `page.rs` replaces the session when
//! another one opens.

use std::rc::Rc;

use podscope_protocol::{ConsoleLine, CourseUpdate, Frame, LineKind, Micros, SubjectRef, Task, TextKind, Update};
use yew::Reducible;

use super::{
    CheckedText, Dialog, LinkView, MenuSubject, Page, Present, RemediesView, Shared, Sheet, SiteScenario, StateView,
    StudyAct, Tab, TriageView,
};
use crate::pure::attempts::HowSolved;
use crate::pure::course::CourseProgress;
use crate::pure::explain;
use crate::pure::find::Filter;
use crate::pure::route::{Theme, View};
use crate::pure::scale::Span;

/// A change of the page's state. It is not `Clone`: that would add the code that clones an [`Update`] to the wasm.
#[derive(Debug)]
pub(crate) enum Act {
    Update(Box<Update>),
    Trapped(String),
    Select(Option<SubjectRef>),
    /// Selects a pod or node that the filter found. No sheet opens, because it would cover other results.
    SelectFound(SubjectRef),
    Tab(Tab),
    Dialog(Dialog),
    /// Opens the menu about a subject at a position on the page, in CSS pixels.
    Menu(MenuSubject, (i32, i32)),
    /// Opens or closes the legend (what the pod icons mean); clears the selection.
    Legend,
    Theme(Theme),
    /// The page's language was loaded; all texts are rendered again.
    Language(String),
    View(View),
    Group(String),
    Zone(Option<String>),
    Span(Option<Span>),
    SeekStarted(Micros),
    /// Sets or removes the pin on the timeline with which the user answers a question that asks for an instant.
    Pin(Option<Micros>),
    /// Starts or stops recording a lesson.
    Record(bool),
    Speed(u64),
    ConsoleOpen(bool),
    Typed(String),
    ClearConsole,
    Toast(String),
    ToastGone(u64),
    ForgetCompletions,
    NewVersion,
    /// A lesson was finished: its name, and how it was solved.
    Finished(String, HowSolved),
    /// A change in practice, in the course or in the exam.
    Study(StudyAct),
    /// Replaces the whole progress in the course.
    Course(CourseProgress),
    /// Opens (`true`) or closes the introduction with its entry points.
    Start(bool),
    /// Opens the introduction over an open session.
    RequestStart,
    /// The session's notices have been read.
    NoticesRead,
    /// Sets whether links and exports have the names of objects replaced.
    Anonymise(bool),
    /// Opens the filter with this text, or closes it.
    Find(Option<String>),
    StateView(StateView),
    Present(Present),
    /// Opens the lesson about a guarantee; the guarantee is selected when the lesson opens.
    OpenGuarantee {
        name: String,
        lesson: String,
    },
    /// The next session to open is the scenario file of this site with this path.
    SiteScenario(String),
    /// Opens the editor beside the cluster with a text, or closes it.
    SideEditor(Option<String>),
}

impl Reducible for Page {
    type Action = Act;

    fn reduce(self: Rc<Self>, act: Act) -> Rc<Self> {
        let mut page = Rc::try_unwrap(self).unwrap_or_else(|rc| (*rc).clone());
        let is_frame = matches!(&act, Act::Update(update) if matches!(**update, Update::Frame(_)));
        page.shell.acts += u64::from(!is_frame);
        match act {
            Act::Update(update) => page.apply_update(*update),
            Act::Trapped(message) => page.session.crash(message),
            Act::Select(subject) => page.select(subject),
            Act::SelectFound(subject) => {
                let sheet = page.session.sheet;
                page.select(Some(subject));
                page.session.sheet = sheet;
            }
            Act::Tab(tab) => page.session.tab = tab,
            Act::Dialog(dialog) => page.open_dialog(dialog),
            Act::Menu(subject, at) => page.open_menu(subject, at),
            Act::Legend => {
                let is_open = page.session.is_legend_open();
                page.select(None);
                page.session.sheet = if is_open { Sheet::None } else { Sheet::Side };
            }
            Act::Theme(theme) => page.shell.theme = theme,
            Act::Language(code) => page.shell.language = code,
            Act::View(view) => page.shell.view = view,
            Act::Group(key) => {
                page.session.group = key;
                page.session.zone = None;
            }
            Act::Zone(zone) => page.session.zone = zone,
            Act::Span(span) => page.session.span = span,
            Act::SeekStarted(at) => page.session.pending_seek = Some((at, page.shell.frames)),
            Act::Pin(at) => page.session.pin = at,
            Act::Record(on) => {
                page.shell.records_lesson = on;
                page.session.goals = Shared::default();
            }
            Act::Speed(per_mille) => page.session.model.change(|model| model.speed = per_mille),
            Act::ConsoleOpen(open) => page.shell.console_open = open,
            Act::Typed(line) => {
                page.session.command_frame = Some(page.shell.frames);
                // A user who runs a command no longer needs the introduction.
                page.shell.start = false;
                // The toasts are about the previous command.
                page.shell.toasts.change(Vec::clear);
                page.shell.console.change(|console| {
                    console.remember(&line);
                    console.completions = None;
                });
            }
            Act::ClearConsole => page.shell.console.change(super::Console::clear),
            Act::Toast(text) => page.shell.toast(text),
            Act::ToastGone(id) => page.shell.toasts.change(|all| all.retain(|(toast, _)| *toast != id)),
            Act::ForgetCompletions => page.shell.console.change(|console| console.completions = None),
            Act::NewVersion => page.shell.has_new_version = true,
            Act::Finished(name, way) => page
                .shell
                .course
                .change(|course| course.finish(&name, way, js_sys::Date::now())),
            Act::Study(act) => page.apply_study_act(act),
            Act::Course(course) => page.shell.course = Shared::new(course),
            Act::Start(start) => (page.shell.start, page.shell.start_requested) = (start, false),
            Act::RequestStart => (page.shell.start, page.shell.start_requested) = (true, true),
            Act::NoticesRead => page.session.has_unread_notices = false,
            Act::Anonymise(renames) => page.session.anonymises = renames,
            Act::Find(text) => {
                page.session.filter = text.as_deref().and_then(Filter::read).map(Shared::new);
                // An open sheet would cover the results of the filter.
                if text.is_some() {
                    page.session.sheet = Sheet::None;
                }
                page.session.find = text;
            }
            Act::StateView(truth) => page.shell.truth = truth,
            Act::Present(present) => page.shell.present = present,
            Act::OpenGuarantee { name, lesson } => page.shell.pending_guarantee = Some((name, lesson)),
            Act::SiteScenario(path) => page.shell.site_scenario = Some(SiteScenario { path, session: None }),
            Act::SideEditor(text) => {
                page.shell.dialog = Dialog::None;
                page.shell.side_editor = text;
            }
        }
        Rc::new(page)
    }
}

impl Page {
    #[expect(clippy::too_many_lines, reason = "a table: one arm for each update of the engine")]
    fn apply_update(&mut self, update: Update) {
        match update {
            Update::Hello {
                version,
                lessons,
                guarantees,
            } => {
                self.shell.version = Some(version);
                self.shell.lessons = Shared::new(lessons);
                self.shell.guarantees = Shared::new(guarantees);
            }
            Update::Progress { task, per_mille } => {
                self.session.progress = (per_mille < 1000).then_some((task, per_mille));
                if (task, per_mille) == (Task::Open, 0) {
                    self.shell.coming_triage = None;
                }
            }
            Update::Opened(opened) => {
                // The engine has opened the session that the recording showed. It replaces the recording, and what the
                // user did meanwhile is kept.
                if self.session.recorded && self.session.opened.as_deref() == Some(&*opened) {
                    self.session.recorded = false;
                    return;
                }
                self.open(*opened);
            }
            Update::Refused { problems } => {
                self.session.progress = None;
                self.shell.coming_triage = None;
                if self.shell.dialog != Dialog::Editor {
                    self.shell.dialog = Dialog::Refused;
                }
                self.shell.problems = Shared::new(problems);
            }
            Update::Frame(frame) => self.apply_frame(*frame),
            Update::Detail(detail) => {
                self.session.detail = self.session.selected.is_some().then(|| Shared::new(*detail))
            }
            Update::Explanation {
                pod,
                uid,
                attempts,
                attempt,
                explanation,
                devices,
            } => {
                let explanation = explanation.map(|explanation| *explanation);
                let why = explain::build_decision_view(pod, uid, attempts, attempt, explanation, devices);
                self.session.why = Some(Shared::new(why));
            }
            Update::Help {
                pod,
                remedies,
                groups,
                per_mille,
                done,
            } => {
                self.session.help = Some(Shared::new(RemediesView {
                    pod,
                    remedies,
                    groups,
                    per_mille,
                    done,
                }));
            }
            Update::Console { lines } => {
                self.show_answer_as_toasts(&lines);
                self.shell.console.change(|console| console.print(lines));
            }
            Update::Dangerous { lines, danger } => self.ask_to_confirm(lines, danger),
            Update::Completions { line, replace, choices } => {
                self.shell
                    .console
                    .change(|console| console.completions = Some((line, replace, choices)));
            }
            Update::Fields { choices, revision } => self.session.fields = Some(Shared::new((revision, choices))),
            Update::Link {
                fragment,
                whole,
                revision,
                length,
                anonymised,
            } => {
                let link = Some(Shared::new(LinkView {
                    fragment,
                    whole,
                    revision,
                    length,
                }));
                *(if anonymised {
                    &mut self.session.anonymised_link
                } else {
                    &mut self.session.link
                }) = link;
            }
            // `connection.rs` saves the file.
            Update::File { .. } => {}
            Update::Checked {
                revision,
                kind,
                problems,
                advice,
            } => {
                let was = self.session.checked.as_ref().map_or(kind, |checked| checked.kind);
                self.session.checked = Some(Shared::new(CheckedText {
                    revision,
                    kind: if kind == TextKind::Broken { was } else { kind },
                    problems,
                    advice,
                }));
            }
            Update::Recognised { text, kind } => self
                .shell
                .console
                .change(|console| console.recognised = Some((text, kind))),
            Update::Pasted { opens } => {
                if !opens {
                    self.session.progress = None;
                }
            }
            Update::WhatIf(answer) => {
                self.session.progress = None;
                self.session.what_if = Some(Shared::new(*answer));
            }
            // The dialog of the search runs its own engines and handles their updates.
            Update::Search(_) => {}
            Update::Film(film) => {
                self.session.progress = None;
                self.session.film = Some(Shared::new(film));
            }
            Update::Recorded { goals } => {
                if self.shell.records_lesson {
                    self.session.goals = Shared::new(goals);
                }
            }
            Update::Triage {
                findings,
                at,
                is_early: true,
                ..
            } => self.shell.coming_triage = Some(Shared::new(TriageView { findings, at })),
            Update::Triage {
                findings,
                at,
                anonymised,
                ..
            } => {
                // The triage list of a dump that has just opened is marked as unread.
                self.session.has_unread_notices |= !anonymised && self.session.triage.is_none() && !findings.is_empty();
                let triage = Some(Shared::new(TriageView { findings, at }));
                *(if anonymised {
                    &mut self.session.anonymised_triage
                } else {
                    &mut self.session.triage
                }) = triage;
            }
            Update::Course(update) => {
                if matches!(*update, CourseUpdate::Course(_)) {
                    self.shell.dialog = Dialog::Course;
                }
                self.shell.study.change(|study| study.apply_update(*update));
            }
            Update::Crashed { message } => self.session.crash(message),
            // `connection.rs` handles this update.
            Update::Settled { .. } => {}
        }
    }

    /// Shows a recording of the first updates of a first visit, while the engine (the largest download) loads. The
    /// user's requests are queued until the engine sends the same updates.
    pub(crate) fn with_recording(mut self) -> Page {
        let Ok(updates) = podscope_protocol::unpack::<Vec<Update>>(FIRST_VISIT_UPDATES) else {
            debug_assert!(
                false,
                "the recording is of another protocol: `cargo xtask bless first_visit`"
            );
            return self;
        };
        for update in updates {
            self.apply_update(update);
        }
        self.session.recorded = true;
        self
    }

    fn apply_frame(&mut self, mut frame: Frame) {
        self.shell.frames += 1;
        // A frame that was computed before the seek may still arrive.
        self.session.pending_seek =
            (self.session.pending_seek).filter(|(at, asked_at)| *at != frame.now && self.shell.frames < asked_at + 3);
        // The answer to a what-if question is computed while time runs, so its progress stays visible after a frame.
        self.session.progress = self.session.progress.filter(|(task, _)| *task == Task::WhatIf);
        let other = frame.other.take();
        let question_before = self.session.model.story.question;
        self.session.model.change(|model| model.apply(frame));
        if self.session.model.story.question != question_before {
            // The pin on the timeline belongs to the previous question.
            self.session.pin = None;
            if self.session.time_question().is_some() {
                self.session.span = None;
            }
        }
        match other {
            Some(other) => self
                .session
                .other
                .get_or_insert_with(Shared::default)
                .change(|model| model.apply(*other)),
            // During a comparison every frame holds both runs.
            None => self.session.other = None,
        }
    }

    fn select(&mut self, subject: Option<SubjectRef>) {
        if self.session.selected == subject {
            if subject.is_some() {
                self.session.sheet = Sheet::Side;
            }
            return;
        }
        self.session.detail = None;
        if self
            .session
            .help
            .as_ref()
            .is_some_and(|help| !matches!(&subject, Some(SubjectRef::Pod { key, .. }) if *key == help.pod))
        {
            self.session.help = None;
        }
        self.session.sheet = if subject.is_some() { Sheet::Side } else { Sheet::None };
        let is_pod = matches!(subject, Some(SubjectRef::Pod { .. }));
        if matches!(subject, Some(SubjectRef::FailedRequests { .. })) {
            self.session.tab = Tab::Life;
        } else if self.shell.records_lesson {
            // The user who records a lesson chooses its goals from the fields in the YAML tab.
            self.session.tab = Tab::Yaml;
        } else if !is_pod && self.session.tab == Tab::Why {
            self.session.tab = Tab::Life;
        } else if is_pod && self.session.selected_pod().is_none() {
            self.session.tab = Tab::Why;
        }
        self.session.selected = subject;
    }

    /// Shows errors and notices of the console as toasts while the console is closed.
    fn show_answer_as_toasts(&mut self, lines: &[ConsoleLine]) {
        let is_recent = self
            .session
            .command_frame
            .is_some_and(|asked_at| self.shell.frames <= asked_at + ANSWER_FRAMES);
        if self.shell.console_open {
            return;
        }
        // kubectl's warnings are left out, because they were shown when the command was confirmed. An error without a
        // command is the answer to a button press, so it is shown too.
        let is_shown = |line: &&ConsoleLine| {
            let is_error = line.kind == LineKind::Error;
            is_recent && line.kind == LineKind::Notice || is_error && (is_recent || line.command.is_none())
        };
        for line in lines.iter().filter(is_shown) {
            self.shell.toast(line.text.to_string());
        }
    }
}

/// Updates that the engine sends when it opens a first visit's cluster (`tests/tests/all/first_visit.rs`).
const FIRST_VISIT_UPDATES: &[u8] = include_bytes!("../../first-visit.bin");

/// Number of frames after a command during which console lines count as its answer.
const ANSWER_FRAMES: u64 = 15;

#[cfg(test)]
mod tests {
    use podscope_protocol::{LessonCondition, OpenedSession, Problem};

    use super::*;
    use crate::state::Session;

    fn page() -> Rc<Page> {
        Rc::new(Page::new(None, Theme::System, View::Playground))
    }

    fn opened() -> Act {
        Act::Update(Box::new(Update::Opened(Box::new(OpenedSession {
            title: "x".into(),
            ..OpenedSession::default()
        }))))
    }

    #[test]
    fn opening_a_session_closes_only_session_dialogs() {
        let first = page().reduce(opened());
        for (dialog, stays) in [
            (Dialog::Share, true),
            (Dialog::Files, true),
            (Dialog::Editor, false),
            (Dialog::Refused, false),
        ] {
            let after = first.clone().reduce(Act::Dialog(dialog.clone())).reduce(opened());
            assert_eq!(after.shell.dialog == dialog, stays, "{dialog:?}");
        }
    }

    #[test]
    fn opening_a_session_keeps_the_shell_and_nothing_else() {
        let goals = || {
            Act::Update(Box::new(Update::Recorded {
                goals: vec![LessonCondition::AuthorText("web is ready".into())],
            }))
        };
        let changes = [
            Act::StateView(StateView::Api),
            Act::Record(true),
            goals(),
            Act::ConsoleOpen(true),
            Act::Group("rack".into()),
            Act::Find(Some("web".into())),
            Act::Anonymise(true),
            Act::Select(Some(SubjectRef::Node { name: "a-1".into() })),
        ];
        let before = changes
            .into_iter()
            .fold(page().reduce(opened()), |page, act| page.reduce(act));
        assert_eq!(before.session.goals.len(), 1);
        let Page { shell, session } = &*before.reduce(opened());
        assert!(shell.truth == StateView::Api && shell.records_lesson && shell.console_open);
        let expected = Session {
            opened: session.opened.clone(),
            ..Session::default()
        };
        assert_eq!(format!("{session:?}"), format!("{expected:?}"));
    }

    /// While a large dump is being opened, its problems are shown. A lesson that is opened instead does not inherit
    /// them.
    #[test]
    fn problems_of_opening_dump_are_not_shown_for_lesson() {
        let triage = || {
            Act::Update(Box::new(Update::Triage {
                findings: Vec::new(),
                at: 0,
                anonymised: false,
                is_early: true,
            }))
        };
        let open = |is_dump| {
            Act::Update(Box::new(Update::Opened(Box::new(OpenedSession {
                is_dump,
                ..OpenedSession::default()
            }))))
        };
        for is_dump in [false, true] {
            let page = page().reduce(triage());
            assert!(page.shell.coming_triage.is_some() && page.session.triage.is_none());
            let page = page.reduce(open(is_dump));
            assert_eq!(
                (page.session.triage.is_some(), page.shell.coming_triage.is_some()),
                (is_dump, false)
            );
        }
    }

    /// The recorded first visit is shown before the engine is loaded. When the engine opens the same session, the
    /// user's changes are kept.
    /// Shows: U-10
    #[test]
    fn recorded_first_visit_keeps_selection_when_engine_opens_it() {
        let recorded =
            Rc::new(Page::new(None, Theme::System, View::Playground).with_recording()).reduce(Act::Start(true));
        assert!(recorded.session.recorded && recorded.shell.start);
        assert_eq!(
            recorded.session.model.nodes.size(),
            6,
            "the recording holds the whole cluster"
        );
        let selected_node = SubjectRef::Node { name: "c-2".into() };
        let selected_node = recorded.reduce(Act::Select(Some(selected_node)));
        let updates =
            podscope_protocol::unpack::<Vec<Update>>(FIRST_VISIT_UPDATES).expect("the recording matches the protocol");
        let after_opening = (updates.iter()).fold(selected_node.clone(), |page, update| {
            page.reduce(Act::Update(Box::new(update.clone())))
        });
        assert!(!after_opening.session.recorded && after_opening.shell.start);
        assert_eq!(after_opening.session.selected, selected_node.session.selected);
        // When another session opens, it replaces the recording.
        let other = selected_node.reduce(opened());
        assert!(!other.session.recorded && other.shell.start && other.session.selected.is_none());
    }

    #[test]
    fn refused_input_keeps_session_and_opens_refusal_dialog() {
        let page = page().reduce(opened());
        let page = page.reduce(Act::Update(Box::new(Update::Refused {
            problems: vec![Problem::of_file("", "no")],
        })));
        assert_eq!(page.shell.dialog, Dialog::Refused);
        assert_eq!(
            page.session.opened.as_ref().map(|opened| opened.title.as_str()),
            Some("x")
        );
    }

    #[test]
    fn selected_node_shows_life_tab_and_toasts_are_limited() {
        let page = page().reduce(Act::Select(Some(SubjectRef::Node { name: "a-1".into() })));
        assert_eq!(page.session.tab, Tab::Life);
        let mut page = page;
        for nth in 0..9 {
            page = page.reduce(Act::Toast(format!("t{nth}")));
        }
        assert_eq!(page.shell.toasts.len(), 3);
    }
}
