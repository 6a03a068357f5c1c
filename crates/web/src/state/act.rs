//! Changes of the page: what a person does, and what the engine says. The one place that changes it.

use std::rc::Rc;

use podscope_protocol::{ConsoleLine, Frame, LineKind, Micros, Opened, SubjectRef, TextKind, Update};
use yew::Reducible;

use super::{Checked, Dialog, HelpView, LinkView, Page, Present, Screen, Shared, Sheet, Tab, TriageView, Truth};
use crate::pure::course::Course;
use crate::pure::explain;
use crate::pure::find::Filter;
use crate::pure::route::{Theme, View};
use crate::pure::scale::Span;

/// A change of the page.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Heard(Box<Update>),
    Trapped(String),
    Select(Option<SubjectRef>),
    /// Selects what was found; it opens nothing that would cover what else was.
    Point(SubjectRef),
    Tab(Tab),
    Dialog(Dialog),
    /// Shows what the marks mean, or takes it away: the details of nothing that is selected.
    Legend,
    Theme(Theme),
    View(View),
    Group(String),
    Zone(Option<String>),
    Span(Option<Span>),
    Aim(Micros),
    /// Sets the pin that is to answer, or takes it away.
    Pin(Option<Micros>),
    /// Begins or ends the recording of a lesson.
    Record(bool),
    Speed(u64),
    ConsoleOpen(bool),
    Typed(String),
    ClearConsole,
    Toast(String),
    ToastGone(u64),
    ForgetCompletions,
    Newer,
    /// A lesson has been finished.
    Finished(String),
    /// What was done of the course, all of it.
    Course(Course),
    /// Shows the ways in, or what they led to.
    Start(bool),
    /// Opens the ways in, whatever is open.
    AskStart,
    /// What was to be said has been read.
    Read,
    /// Whether whatever leaves the page has its objects renamed first.
    Renames(bool),
    /// Filters by this, or not at all.
    Find(Option<String>),
    Truth(Truth),
    Present(Present),
    /// The lesson that is asked for shows this promise, once it is open.
    Promise {
        name: String,
        lesson: String,
    },
    /// Puts the editor beside the cluster with a text, or takes it away.
    Code(Option<String>),
}

impl Reducible for Page {
    type Action = Act;

    fn reduce(self: Rc<Self>, act: Act) -> Rc<Self> {
        let mut page = Rc::try_unwrap(self).unwrap_or_else(|rc| (*rc).clone());
        let is_frame = matches!(&act, Act::Heard(update) if matches!(**update, Update::Frame(_)));
        page.acts += u64::from(!is_frame);
        match act {
            Act::Heard(update) => page.hear(*update),
            Act::Trapped(message) => page.crash(message),
            Act::Select(subject) => page.select(subject),
            Act::Point(subject) => {
                let sheet = page.sheet;
                page.select(Some(subject));
                page.sheet = sheet;
            }
            Act::Tab(tab) => page.tab = tab,
            Act::Dialog(dialog) => page.dialog = dialog,
            Act::Legend => {
                let is_open = page.is_legend_open();
                page.select(None);
                page.sheet = if is_open { Sheet::None } else { Sheet::Side };
            }
            Act::Theme(theme) => page.theme = theme,
            Act::View(view) => page.view = view,
            Act::Group(key) => {
                page.group = key;
                page.zone = None;
            }
            Act::Zone(zone) => page.zone = zone,
            Act::Span(span) => page.span = span,
            Act::Aim(at) => page.aim = Some((at, page.frames)),
            Act::Pin(at) => page.pin = at,
            Act::Record(on) => page.record = on.then(Shared::default),
            Act::Speed(per_mille) => page.model.change(|m| m.speed = per_mille),
            Act::ConsoleOpen(open) => page.console_open = open,
            Act::Typed(line) => {
                page.asked = Some(page.frames);
                // Who acts has found a way in.
                page.start = false;
                // What was said to the last one is over.
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
            Act::Newer => page.newer = true,
            Act::Finished(name) => page.course.change(|c| c.finish(&name, js_sys::Date::now())),
            Act::Course(course) => page.course = Shared::new(course),
            Act::Start(start) => (page.start, page.start_asked) = (start, false),
            Act::AskStart => (page.start, page.start_asked) = (true, true),
            Act::Read => page.unread = false,
            Act::Renames(renames) => page.renames = renames,
            Act::Find(text) => {
                page.filter = text.as_deref().and_then(Filter::read).map(Shared::new);
                // What is found is seen: no sheet lies over it.
                if text.is_some() {
                    page.sheet = Sheet::None;
                }
                page.find = text;
            }
            Act::Truth(truth) => page.truth = truth,
            Act::Present(present) => page.present = present,
            Act::Promise { name, lesson } => page.promise = Some((name, lesson)),
            Act::Code(text) => {
                page.dialog = Dialog::None;
                page.code = text;
            }
        }
        Rc::new(page)
    }
}

impl Page {
    #[expect(
        clippy::too_many_lines,
        reason = "a table: each of the engine's words, and where the page keeps it"
    )]
    fn hear(&mut self, update: Update) {
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
            }
            Update::Opened(opened) => {
                let was_recorded = std::mem::take(&mut self.recorded);
                // What is shown goes on as it began, with all that was done to it.
                if was_recorded && self.opened.as_deref() == Some(&*opened) {
                    return;
                }
                if was_recorded {
                    self.opened = None;
                }
                // A lesson that is being recorded is one of this session: its goals were the other one's.
                self.record = self.record.as_ref().map(|_| Shared::default());
                self.open(*opened);
            }
            Update::Refused { problems } => {
                self.progress = None;
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
                let why = explain::read(pod, uid, attempts, attempt, explanation.map(|told| *told));
                self.why = Some(Shared::new(why));
            }
            Update::Help {
                pod,
                remedies,
                per_mille,
                done,
            } => {
                self.help = Some(Shared::new(HelpView {
                    pod,
                    remedies,
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
            Update::Fields { choices } => self.fields = Some(Shared::new(choices)),
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
                *(if anonymised { &mut self.nameless } else { &mut self.link }) = link;
            }
            // The browser's work: see `browser::files`.
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
                anonymised,
            } => {
                // Of a dump that has just opened it is to be read.
                self.unread |= !anonymised && self.triage.is_none() && !findings.is_empty();
                let triage = Some(Shared::new(TriageView { findings, at }));
                *(if anonymised {
                    &mut self.nameless_triage
                } else {
                    &mut self.triage
                }) = triage;
            }
            Update::Crashed { message } => self.crash(message),
            // Known to the wire (`crate::wire`).
            Update::Settled { .. } => {}
        }
    }

    /// Shows how a first visit begins, as it was recorded: the engine, which weighs most of what is loaded, will say the
    /// same. What is pressed meanwhile is asked of it in its turn.
    pub(crate) fn with_recording(mut self) -> Page {
        let Ok(updates) = podscope_protocol::unpack::<Vec<Update>>(FIRST_VISIT) else {
            debug_assert!(
                false,
                "the recording is of another protocol: `cargo xtask bless first_visit`"
            );
            return self;
        };
        for update in updates {
            self.hear(update);
        }
        self.recorded = true;
        self
    }

    fn frame(&mut self, mut frame: Frame) {
        self.frames += 1;
        // A frame that was under way may come before the one that was asked for.
        self.aim = (self.aim).filter(|(at, asked)| *at != frame.now && self.frames < asked + 3);
        self.progress = None;
        let other = frame.other.take();
        let asked = self.model.story.question;
        self.model.change(|m| m.apply(frame));
        if self.model.story.question != asked {
            // Another question has other places for its answer.
            self.pin = None;
            if self.asked().is_some() {
                self.span = None;
            }
        }
        match other {
            Some(other) => self
                .other
                .get_or_insert_with(Shared::default)
                .change(|m| m.apply(*other)),
            // While two runs are compared every frame brings both.
            None => self.other = None,
        }
    }

    fn open(&mut self, opened: Opened) {
        // A session that was asked for before may open first: the promise waits for its own.
        let is_its_own = |(_, lesson): &mut (String, String)| opened.lesson.as_ref() == Some(lesson);
        let promise = self.promise.take_if(is_its_own);
        *self = Page {
            promise: self.promise.take(),
            version: self.version.take(),
            lessons: self.lessons.clone(),
            guarantees: self.guarantees.clone(),
            course: self.course.clone(),
            console: self.console.clone(),
            console_open: self.console_open,
            embedded: self.embedded,
            panels: self.panels,
            frames: self.frames,
            acts: self.acts,
            newer: self.newer,
            toasts: self.toasts.clone(),
            // The first visit's cluster lives behind it.
            start: self.start && self.opened.is_none(),
            start_asked: self.start_asked,
            truth: self.truth,
            present: self.present,
            code: self.code.clone(),
            record: self.record.clone(),
            // The first session comes by itself: it closes nothing that was opened meanwhile, least of
            // all what a link could not open. Later ones close what was about the one before.
            dialog: if self.opened.is_none() || self.dialog.outlives_session() {
                self.dialog.clone()
            } else {
                Dialog::None
            },
            problems: self.problems.clone(),
            ..Page::new(None, self.theme, self.view)
        };
        if let Some(screen) = opened.screen.as_deref().and_then(Screen::read) {
            self.group = screen.group;
            self.tab = screen.tab;
            self.selected = screen.selected;
            self.span = screen.span;
            self.console_open = screen.console;
            if self.selected.is_some() {
                self.sheet = Sheet::Side;
            }
        }
        if let Some((name, _)) = promise {
            self.selected = Some(SubjectRef::Invariant { name });
            self.tab = Tab::Life;
            self.sheet = Sheet::Side;
        }
        self.unread = !opened.notices.is_empty() && opened.lesson.is_none();
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
        if self.record.is_some() {
            // Who records looks for fields.
            self.tab = Tab::Yaml;
        } else if !is_pod && self.tab == Tab::Why {
            self.tab = Tab::Life;
        } else if is_pod && self.selected_pod().is_none() {
            self.tab = Tab::Why;
        }
        self.selected = subject;
    }

    /// What is said to a command is seen also where the console is closed: refusals, hints.
    fn answer(&mut self, lines: &[ConsoleLine]) {
        let fresh = self.asked.is_some_and(|asked| self.frames <= asked + ANSWER_FRAMES);
        if self.console_open {
            return;
        }
        // What kubectl warns of has been asked before. A complaint of no command answers a button.
        let said = |l: &&ConsoleLine| {
            let is_error = l.kind == LineKind::Error;
            fresh && l.kind == LineKind::Notice || is_error && (fresh || l.command.is_none())
        };
        for line in lines.iter().filter(said) {
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

/// What the engine says when it opens a first visit's cluster (`tests/tests/all/first_visit.rs`).
const FIRST_VISIT: &[u8] = include_bytes!("../../first-visit.bin");

/// Frames after a command in which what is printed is taken for its answer.
const ANSWER_FRAMES: u64 = 15;

#[cfg(test)]
mod tests {
    use podscope_protocol::Problem;

    use super::*;

    fn page() -> Rc<Page> {
        Rc::new(Page::new(None, Theme::System, View::Playground))
    }

    fn opened() -> Act {
        Act::Heard(Box::new(Update::Opened(Box::new(Opened {
            title: "x".into(),
            ..Opened::default()
        }))))
    }

    #[test]
    fn a_session_that_opens_closes_only_what_was_about_the_one_before() {
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

    /// A first visit's cluster is there before its engine; what was done to it until then stays.
    /// Shows: U-10
    #[test]
    fn what_is_recorded_goes_on_when_the_engine_says_the_same() {
        let recorded =
            Rc::new(Page::new(None, Theme::System, View::Playground).with_recording()).reduce(Act::Start(true));
        assert!(recorded.recorded && recorded.start);
        assert_eq!(recorded.model.nodes.size(), 6, "the cluster is seen");
        let chosen = SubjectRef::Node { name: "c-2".into() };
        let chosen = recorded.reduce(Act::Select(Some(chosen)));
        let updates = podscope_protocol::unpack::<Vec<Update>>(FIRST_VISIT).expect("it is of this protocol");
        let same = (updates.iter()).fold(chosen.clone(), |page, update| {
            page.reduce(Act::Heard(Box::new(update.clone())))
        });
        assert!(!same.recorded && same.start);
        assert_eq!(same.selected, chosen.selected);
        // Another session comes as the first one does.
        let other = chosen.reduce(opened());
        assert!(!other.recorded && other.start && other.selected.is_none());
    }

    #[test]
    fn refused_input_leaves_the_session_and_says_so() {
        let page = page().reduce(opened());
        let page = page.reduce(Act::Heard(Box::new(Update::Refused {
            problems: vec![Problem::of("", "no")],
        })));
        assert_eq!(page.dialog, Dialog::Refused);
        assert_eq!(page.opened.as_ref().map(|o| o.title.as_str()), Some("x"));
    }

    #[test]
    fn a_node_has_no_decision_and_toasts_do_not_pile_up() {
        let page = page().reduce(Act::Select(Some(SubjectRef::Node { name: "a-1".into() })));
        assert_eq!(page.tab, Tab::Life);
        let mut page = page;
        for i in 0..9 {
            page = page.reduce(Act::Toast(format!("t{i}")));
        }
        assert_eq!(page.toasts.len(), 3);
    }
}
