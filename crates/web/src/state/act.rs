//! The actions that change the page's state: user input and updates of the engine. Only this file changes the state.

use std::rc::Rc;

use podscope_protocol::{
    ConsoleLine, CourseUpdate, Frame, GUIDED_START, LineKind, Micros, Opened, SubjectRef, Task, TextKind, Update,
};
use yew::Reducible;

use super::{
    Checked, Dialog, HelpView, LinkView, Page, Present, Screen, Shared, Sheet, SiteScenario, StudyAct, Tab, TriageView,
    Truth,
};
use crate::pure::attempts::Way;
use crate::pure::course::Course;
use crate::pure::explain;
use crate::pure::find::Filter;
use crate::pure::route::{Theme, View};
use crate::pure::scale::Span;

/// A change of the page's state.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Update(Box<Update>),
    Trapped(String),
    Select(Option<SubjectRef>),
    /// Selects a found pod or node without opening a sheet, which would cover other results.
    SelectFound(SubjectRef),
    Tab(Tab),
    Dialog(Dialog),
    /// Opens the legend of the marks, or closes it; clears the selection.
    Legend,
    Theme(Theme),
    /// The page's language was loaded; texts are made again.
    Language(String),
    View(View),
    Group(String),
    Zone(Option<String>),
    Span(Option<Span>),
    SeekStarted(Micros),
    /// Sets the pin that answers a question for a time, or removes it.
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
    /// The lesson of this name was finished in this way.
    Finished(String, Way),
    /// A change of what is studied: a practice task, a course, an exam.
    Study(StudyAct),
    /// Replaces the whole progress in the course.
    Course(Course),
    /// Shows the introduction with the ways in, or closes it.
    Start(bool),
    /// Opens the introduction with the ways in over an open session.
    RequestStart,
    /// The session's notices have been read.
    NoticesRead,
    /// Whether links and exports have the names of objects replaced.
    Anonymise(bool),
    /// Opens the filter with this text, or closes it.
    Find(Option<String>),
    Truth(Truth),
    Present(Present),
    /// Requests a lesson for a guarantee: the guarantee is selected when the lesson opens.
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
        page.acts += u64::from(!is_frame);
        match act {
            Act::Update(update) => page.apply_update(*update),
            Act::Trapped(message) => page.crash(message),
            Act::Select(subject) => page.select(subject),
            Act::SelectFound(subject) => {
                let sheet = page.sheet;
                page.select(Some(subject));
                page.sheet = sheet;
            }
            Act::Tab(tab) => page.tab = tab,
            Act::Dialog(dialog) => page.open_dialog(dialog),
            Act::Legend => {
                let is_open = page.is_legend_open();
                page.select(None);
                page.sheet = if is_open { Sheet::None } else { Sheet::Side };
            }
            Act::Theme(theme) => page.theme = theme,
            Act::Language(code) => page.language = code,
            Act::View(view) => page.view = view,
            Act::Group(key) => {
                page.group = key;
                page.zone = None;
            }
            Act::Zone(zone) => page.zone = zone,
            Act::Span(span) => page.span = span,
            Act::SeekStarted(at) => page.pending_seek = Some((at, page.frames)),
            Act::Pin(at) => page.pin = at,
            Act::Record(on) => page.record = on.then(Shared::default),
            Act::Speed(per_mille) => page.model.change(|m| m.speed = per_mille),
            Act::ConsoleOpen(open) => page.console_open = open,
            Act::Typed(line) => {
                page.command_frame = Some(page.frames);
                // A user who gives a command does not need the introduction any more.
                page.start = false;
                // Toasts about the previous command are obsolete.
                page.toasts.change(Vec::clear);
                page.console.change(|c| {
                    c.remember(&line);
                    c.completions = None;
                });
            }
            Act::ClearConsole => page.console.change(super::Console::clear),
            Act::Toast(text) => page.toast(text),
            Act::ToastGone(id) => page.toasts.change(|all| all.retain(|(i, _)| *i != id)),
            Act::ForgetCompletions => page.console.change(|c| c.completions = None),
            Act::NewVersion => page.has_new_version = true,
            Act::Finished(name, way) => page.course.change(|c| c.finish(&name, way, js_sys::Date::now())),
            Act::Study(act) => page.study(act),
            Act::Course(course) => page.course = Shared::new(course),
            Act::Start(start) => (page.start, page.start_requested) = (start, false),
            Act::RequestStart => (page.start, page.start_requested) = (true, true),
            Act::NoticesRead => page.has_unread_notices = false,
            Act::Anonymise(renames) => page.anonymises = renames,
            Act::Find(text) => {
                page.filter = text.as_deref().and_then(Filter::read).map(Shared::new);
                // A sheet would cover the results.
                if text.is_some() {
                    page.sheet = Sheet::None;
                }
                page.find = text;
            }
            Act::Truth(truth) => page.truth = truth,
            Act::Present(present) => page.present = present,
            Act::OpenGuarantee { name, lesson } => page.pending_guarantee = Some((name, lesson)),
            Act::SiteScenario(path) => page.site_scenario = Some(SiteScenario { path, session: None }),
            Act::SideEditor(text) => {
                page.dialog = Dialog::None;
                page.side_editor = text;
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
                self.version = Some(version);
                self.lessons = Shared::new(lessons);
                self.guarantees = Shared::new(guarantees);
            }
            Update::Progress { task, per_mille } => {
                self.progress = (per_mille < 1000).then_some((task, per_mille));
                if (task, per_mille) == (Task::Open, 0) {
                    self.coming_triage = None;
                }
            }
            Update::Opened(opened) => {
                let was_recorded = std::mem::take(&mut self.recorded);
                // The recording showed the same session: it continues with everything that the user did meanwhile.
                if was_recorded && self.opened.as_deref() == Some(&*opened) {
                    return;
                }
                if was_recorded {
                    self.opened = None;
                }
                // Recorded goals belong to the previous session.
                self.record = self.record.as_ref().map(|_| Shared::default());
                self.open(*opened);
            }
            Update::Refused { problems } => {
                self.progress = None;
                self.coming_triage = None;
                if self.dialog != Dialog::Editor {
                    self.dialog = Dialog::Refused;
                }
                self.problems = Shared::new(problems);
            }
            Update::Frame(frame) => self.frame(*frame),
            Update::Detail(detail) => self.detail = self.selected.is_some().then(|| Shared::new(*detail)),
            Update::Explanation {
                pod,
                uid,
                attempts,
                attempt,
                explanation,
            } => {
                let why = explain::read(pod, uid, attempts, attempt, explanation.map(|explanation| *explanation));
                self.why = Some(Shared::new(why));
            }
            Update::Help {
                pod,
                remedies,
                groups,
                per_mille,
                done,
            } => {
                self.help = Some(Shared::new(HelpView {
                    pod,
                    remedies,
                    groups,
                    per_mille,
                    done,
                }));
            }
            Update::Console { lines } => {
                self.answer(&lines);
                self.console.change(|c| c.print(lines));
            }
            Update::Completions { line, replace, choices } => {
                self.console.change(|c| c.completions = Some((line, replace, choices)));
            }
            Update::Fields { choices, revision } => self.fields = Some(Shared::new((revision, choices))),
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
                    &mut self.anonymised_link
                } else {
                    &mut self.link
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
                let was = self.checked.as_ref().map_or(kind, |checked| checked.kind);
                self.checked = Some(Shared::new(Checked {
                    revision,
                    kind: if kind == TextKind::Broken { was } else { kind },
                    problems,
                    advice,
                }));
            }
            Update::Recognised { text, kind } => self.console.change(|c| c.recognised = Some((text, kind))),
            Update::Pasted { opens } => {
                if !opens {
                    self.progress = None;
                }
            }
            Update::WhatIf(answer) => {
                self.progress = None;
                self.what_if = Some(Shared::new(*answer));
            }
            // Engines of a search answer to its dialog.
            Update::Search(_) => {}
            Update::Film(film) => {
                self.progress = None;
                self.film = Some(Shared::new(film));
            }
            Update::Recorded { goals } => {
                if let Some(record) = &mut self.record {
                    *record = Shared::new(goals);
                }
            }
            Update::Triage {
                findings,
                at,
                is_early: true,
                ..
            } => self.coming_triage = Some(Shared::new(TriageView { findings, at })),
            Update::Triage {
                findings,
                at,
                anonymised,
                ..
            } => {
                // The triage list of a dump that has just opened is marked as unread.
                self.has_unread_notices |= !anonymised && self.triage.is_none() && !findings.is_empty();
                let triage = Some(Shared::new(TriageView { findings, at }));
                *(if anonymised {
                    &mut self.anonymised_triage
                } else {
                    &mut self.triage
                }) = triage;
            }
            Update::Course(update) => {
                if matches!(*update, CourseUpdate::Course(_)) {
                    self.dialog = Dialog::Course;
                }
                self.study.change(|study| study.update(*update));
            }
            Update::Crashed { message } => self.crash(message),
            // `connection.rs` handles it.
            Update::Settled { .. } => {}
        }
    }

    /// Starts the page with a recording of a first visit's first updates: the engine, the largest download, later sends
    /// the same ones. Requests made meanwhile are queued for it.
    pub(crate) fn with_recording(mut self) -> Page {
        let Ok(updates) = podscope_protocol::unpack::<Vec<Update>>(FIRST_VISIT) else {
            debug_assert!(
                false,
                "the recording is of another protocol: `cargo xtask bless first_visit`"
            );
            return self;
        };
        for update in updates {
            self.apply_update(update);
        }
        self.recorded = true;
        self
    }

    fn frame(&mut self, mut frame: Frame) {
        self.frames += 1;
        // A frame from before the seek may still arrive.
        self.pending_seek = (self.pending_seek).filter(|(at, asked_at)| *at != frame.now && self.frames < asked_at + 3);
        // A what-if question is answered while time goes on.
        self.progress = self.progress.filter(|(task, _)| *task == Task::WhatIf);
        let other = frame.other.take();
        let question_before = self.model.story.question;
        self.model.change(|m| m.apply(frame));
        if self.model.story.question != question_before {
            // The pin belonged to the previous question.
            self.pin = None;
            if self.time_question().is_some() {
                self.span = None;
            }
        }
        match other {
            Some(other) => self
                .other
                .get_or_insert_with(Shared::default)
                .change(|m| m.apply(*other)),
            // During a comparison every frame holds both runs.
            None => self.other = None,
        }
    }

    fn open(&mut self, mut opened: Opened) {
        self.study.change(|study| study.opened(&mut opened));
        // An earlier requested session may open first: the guarantee waits for its own lesson.
        let is_its_own = |(_, lesson): &mut (String, String)| opened.lesson.as_ref() == Some(lesson);
        let promise = self.pending_guarantee.take_if(is_its_own);
        // The guided start goes on with the nodes and pods of the first visit.
        let selected = self
            .selected
            .take()
            .filter(|_| opened.lesson.as_deref() == Some(GUIDED_START));
        self.console.change(|console| console.begin(&opened.title));
        let mut site_scenario = self.site_scenario.take();
        if let Some(scenario) = site_scenario.as_mut().filter(|scenario| scenario.session.is_none()) {
            scenario.session = Some((opened.text.clone(), opened.seed));
        }
        *self = Page {
            site_scenario,
            pending_guarantee: self.pending_guarantee.take(),
            version: self.version.take(),
            lessons: self.lessons.clone(),
            guarantees: self.guarantees.clone(),
            course: self.course.clone(),
            study: self.study.clone(),
            console: self.console.clone(),
            console_open: self.console_open,
            embedded: self.embedded,
            panels: self.panels,
            frames: self.frames,
            acts: self.acts,
            has_new_version: self.has_new_version,
            toasts: self.toasts.clone(),
            // The introduction belongs to the first visit's cluster, not to one that runs elsewhere.
            start: self.start && self.opened.is_none() && !opened.is_joined,
            start_requested: self.start_requested,
            truth: self.truth,
            present: self.present,
            side_editor: self.side_editor.clone(),
            record: self.record.clone(),
            // The first session opens without a request from the user, so it closes no dialog, least of all the one
            // that says why a link cannot be opened. Later sessions close the dialogs about the previous one.
            dialog: if self.opened.is_none() || self.dialog.outlives_session() {
                self.dialog.clone()
            } else {
                Dialog::None
            },
            problems: self.problems.clone(),
            triage: self.coming_triage.take().filter(|_| opened.is_dump),
            selected,
            ..Page::new(None, self.theme, self.view)
        };
        if let Some(screen) = opened.screen.as_deref().and_then(Screen::read) {
            self.group = screen.group;
            self.tab = screen.tab;
            self.selected = screen.selected;
            self.span = screen.span;
            self.console_open = screen.console;
        }
        if let Some((name, _)) = promise {
            self.selected = Some(SubjectRef::Invariant { name });
            self.tab = Tab::Life;
        }
        if self.selected.is_some() {
            self.sheet = Sheet::Side;
        }
        let has_problems = self.triage.as_ref().is_some_and(|triage| !triage.findings.is_empty());
        self.has_unread_notices = has_problems || !opened.notices.is_empty() && opened.lesson.is_none();
        self.opened = Some(Shared::new(opened));
    }

    fn select(&mut self, subject: Option<SubjectRef>) {
        if self.selected == subject {
            if subject.is_some() {
                self.sheet = Sheet::Side;
            }
            return;
        }
        self.detail = None;
        if self
            .help
            .as_ref()
            .is_some_and(|h| !matches!(&subject, Some(SubjectRef::Pod { key, .. }) if *key == h.pod))
        {
            self.help = None;
        }
        self.sheet = if subject.is_some() { Sheet::Side } else { Sheet::None };
        let is_pod = matches!(subject, Some(SubjectRef::Pod { .. }));
        if matches!(subject, Some(SubjectRef::FailedRequests { .. })) {
            self.tab = Tab::Life;
        } else if self.record.is_some() {
            // While recording, the user looks for fields.
            self.tab = Tab::Yaml;
        } else if !is_pod && self.tab == Tab::Why {
            self.tab = Tab::Life;
        } else if is_pod && self.selected_pod().is_none() {
            self.tab = Tab::Why;
        }
        self.selected = subject;
    }

    /// Shows refusals and hints as toasts while the console is closed.
    fn answer(&mut self, lines: &[ConsoleLine]) {
        let is_recent = self
            .command_frame
            .is_some_and(|asked_at| self.frames <= asked_at + ANSWER_FRAMES);
        if self.console_open {
            return;
        }
        // kubectl's warnings were already shown for confirmation. An error without a command answers a button.
        let is_shown = |l: &&ConsoleLine| {
            let is_error = l.kind == LineKind::Error;
            is_recent && l.kind == LineKind::Notice || is_error && (is_recent || l.command.is_none())
        };
        for line in lines.iter().filter(is_shown) {
            self.toast(line.text.to_string());
        }
    }

    fn toast(&mut self, text: String) {
        let id = self.toasts.last().map_or(0, |(id, _)| id + 1);
        self.toasts.change(|all| {
            all.retain(|(_, t)| *t != text);
            all.push((id, text));
            let excess = all.len().saturating_sub(3);
            all.drain(..excess);
        });
    }
}

/// Updates that the engine sends when it opens a first visit's cluster (`tests/tests/all/first_visit.rs`).
const FIRST_VISIT: &[u8] = include_bytes!("../../first-visit.bin");

/// Number of frames after a command in which console lines count as its answer.
const ANSWER_FRAMES: u64 = 15;

#[cfg(test)]
mod tests {
    use podscope_protocol::Problem;

    use super::*;

    fn page() -> Rc<Page> {
        Rc::new(Page::new(None, Theme::System, View::Playground))
    }

    fn opened() -> Act {
        Act::Update(Box::new(Update::Opened(Box::new(Opened {
            title: "x".into(),
            ..Opened::default()
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
            assert_eq!(after.dialog == dialog, stays, "{dialog:?}");
        }
    }

    /// A lesson that is opened while a large dump is being opened does not inherit the dump's problems.
    #[test]
    fn early_problems_belong_to_the_dump_alone() {
        let triage = || {
            Act::Update(Box::new(Update::Triage {
                findings: Vec::new(),
                at: 0,
                anonymised: false,
                is_early: true,
            }))
        };
        let open = |is_dump| {
            Act::Update(Box::new(Update::Opened(Box::new(Opened {
                is_dump,
                ..Opened::default()
            }))))
        };
        for is_dump in [false, true] {
            let page = page().reduce(triage());
            assert!(page.coming_triage.is_some() && page.triage.is_none());
            let page = page.reduce(open(is_dump));
            assert_eq!((page.triage.is_some(), page.coming_triage.is_some()), (is_dump, false));
        }
    }

    /// The recorded first visit is shown before the engine is loaded, and keeps the user's changes when the engine
    /// opens it.
    /// Shows: U-10
    #[test]
    fn recorded_first_visit_keeps_selection_when_engine_opens_it() {
        let recorded =
            Rc::new(Page::new(None, Theme::System, View::Playground).with_recording()).reduce(Act::Start(true));
        assert!(recorded.recorded && recorded.start);
        assert_eq!(recorded.model.nodes.size(), 6, "the recording holds the whole cluster");
        let selected_node = SubjectRef::Node { name: "c-2".into() };
        let selected_node = recorded.reduce(Act::Select(Some(selected_node)));
        let updates =
            podscope_protocol::unpack::<Vec<Update>>(FIRST_VISIT).expect("the recording matches the protocol");
        let after_opening = (updates.iter()).fold(selected_node.clone(), |page, update| {
            page.reduce(Act::Update(Box::new(update.clone())))
        });
        assert!(!after_opening.recorded && after_opening.start);
        assert_eq!(after_opening.selected, selected_node.selected);
        // Another session replaces the recording.
        let other = selected_node.reduce(opened());
        assert!(!other.recorded && other.start && other.selected.is_none());
    }

    #[test]
    fn refused_input_keeps_session_and_opens_refusal_dialog() {
        let page = page().reduce(opened());
        let page = page.reduce(Act::Update(Box::new(Update::Refused {
            problems: vec![Problem::of("", "no")],
        })));
        assert_eq!(page.dialog, Dialog::Refused);
        assert_eq!(page.opened.as_ref().map(|o| o.title.as_str()), Some("x"));
    }

    #[test]
    fn selected_node_shows_life_tab_and_toasts_are_limited() {
        let page = page().reduce(Act::Select(Some(SubjectRef::Node { name: "a-1".into() })));
        assert_eq!(page.tab, Tab::Life);
        let mut page = page;
        for i in 0..9 {
            page = page.reduce(Act::Toast(format!("t{i}")));
        }
        assert_eq!(page.toasts.len(), 3);
    }
}
