//! The state of the whole page and the one place that changes it.

use std::rc::Rc;

use podscope_protocol::{
    Completion, ConsoleLine, Detail, Guarantee, LessonInfo, LineKind, Micros, Opened, PodView, Problem, Remedy,
    SubjectRef, Update,
};
use yew::{Reducible, TargetCast};

use super::{Console, Model, Screen, Shared};
use crate::pure::actions::Action;
use crate::pure::course::Course;
use crate::pure::explain::{self, Why};
use crate::pure::find::Filter;
use crate::pure::overview::{NODES_IN_DOM, PODS_IN_DOM};
use crate::pure::pin::Asked;
use crate::pure::route::{Panels, Theme, View};
use crate::pure::scale::Span;

/// A tab of the inspector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tab {
    #[default]
    Why,
    Life,
    Events,
    Yaml,
}

/// What covers the page.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Dialog {
    #[default]
    None,
    Lessons,
    Shortcuts,
    /// What the bar has no room for.
    More,
    /// The way in for whoever has a cluster with a pending pod.
    Pending,
    Share,
    Files,
    Editor,
    Notices,
    Refused,
    /// A dangerous command that waits for a yes.
    Confirm(Action),
    /// Actions on something, at a place on the page.
    Menu(Menu),
    /// The marks of one lane as a list.
    Lane(podscope_protocol::Lane),
    /// The spread of what is selected as a list.
    Spread,
    /// The terms that lessons explain.
    Glossary,
}

impl Dialog {
    /// Whether it means the same when another session takes the place of the one it was opened over.
    fn outlives_session(&self) -> bool {
        matches!(self, Self::Lessons | Self::Shortcuts | Self::Share | Self::Files)
    }
}

/// A list of actions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Menu {
    pub(crate) title: String,
    pub(crate) actions: Vec<Action>,
    pub(crate) at: (i32, i32),
}

/// A menu beside what was clicked.
pub(crate) fn menu(title: String, actions: Vec<Action>, event: &web_sys::MouseEvent) -> Menu {
    let at = match (
        event.client_x(),
        event.client_y(),
        event.target_dyn_into::<web_sys::Element>(),
    ) {
        // From the keyboard: no place of its own.
        (0, 0, Some(target)) => {
            let rect = target.get_bounding_client_rect();
            (rect.left() as i32, rect.bottom() as i32)
        }
        (x, y, _) => (x, y),
    };
    Menu { title, actions, at }
}

/// What lies over the cluster where the page is too narrow for columns; on a phone the story is one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Sheet {
    #[default]
    None,
    Story,
    Side,
    Timeline,
    Console,
}

/// Whose picture the cards draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Truth {
    /// What the API server believes, and beside it where machines differ.
    #[default]
    Both,
    /// Only what the API server believes.
    Api,
    /// Only what runs.
    Machine,
}

/// Presenting to a room, and what is shown over the page meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Present {
    pub(crate) on: bool,
    pub(crate) spotlight: bool,
    /// The QR code of this instant.
    pub(crate) code: bool,
}

/// Remedies for a pending pod.
#[derive(Debug, Clone, Default)]
pub(crate) struct HelpView {
    pub(crate) pod: String,
    pub(crate) remedies: Vec<Remedy>,
    pub(crate) per_mille: u32,
    pub(crate) done: bool,
}

/// What the engine says of the editor's text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Checked {
    pub(crate) revision: u64,
    pub(crate) problems: Vec<Problem>,
    pub(crate) advice: Vec<Problem>,
}

/// The present link.
#[derive(Debug, Clone, Default)]
pub(crate) struct LinkView {
    pub(crate) fragment: String,
    /// What the session is kept by, where that is more.
    pub(crate) whole: Option<String>,
    pub(crate) revision: u64,
    pub(crate) notices: Vec<String>,
}

/// Everything that the page shows.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) model: Shared<Model>,
    pub(crate) other: Option<Shared<Model>>,
    /// Frames so far: the next one is asked for when one has been drawn.
    pub(crate) frames: u64,
    /// Changes so far that are no frames: what a person does is seen at once.
    pub(crate) acts: u64,
    pub(crate) version: Option<String>,
    pub(crate) lessons: Shared<Vec<LessonInfo>>,
    /// What is promised of a pod's life (E-04).
    pub(crate) guarantees: Shared<Vec<Guarantee>>,
    pub(crate) course: Shared<Course>,
    pub(crate) opened: Option<Shared<Opened>>,
    pub(crate) problems: Shared<Vec<Problem>>,
    pub(crate) checked: Option<Shared<Checked>>,
    /// What fits where the editor asked last.
    pub(crate) fields: Option<Shared<Vec<Completion>>>,
    pub(crate) progress: Option<(String, u32)>,
    pub(crate) selected: Option<SubjectRef>,
    pub(crate) detail: Option<Shared<Detail>>,
    pub(crate) why: Option<Shared<Why>>,
    pub(crate) help: Option<Shared<HelpView>>,
    pub(crate) tab: Tab,
    pub(crate) console: Shared<Console>,
    pub(crate) console_open: bool,
    pub(crate) dialog: Dialog,
    pub(crate) sheet: Sheet,
    pub(crate) theme: Theme,
    pub(crate) panels: Panels,
    pub(crate) embedded: bool,
    pub(crate) view: View,
    pub(crate) group: String,
    /// Grouping follows the selected pod's constraint.
    pub(crate) zone: Option<String>,
    pub(crate) span: Option<Span>,
    pub(crate) link: Option<Shared<LinkView>>,
    /// The link of the same without names, once it was asked for.
    pub(crate) nameless: Option<Shared<LinkView>>,
    /// The film that was asked for last, or why there is none.
    pub(crate) film: Option<Shared<Result<String, String>>>,
    pub(crate) present: Present,
    /// The editor stands beside the cluster; what it began with.
    pub(crate) code: Option<String>,
    /// The promise that the session is opened for.
    pub(crate) promise: Option<String>,
    pub(crate) toasts: Shared<Vec<(u64, String)>>,
    /// What just happened, for the live region.
    pub(crate) heard: Shared<Vec<String>>,
    pub(crate) crashed: Option<String>,
    pub(crate) newer: bool,
    /// What this is, and the ways in.
    pub(crate) start: bool,
    /// What is to be said of the session has not been read yet.
    pub(crate) unread: bool,
    /// What is typed into the filter; none while it is closed.
    pub(crate) find: Option<String>,
    /// What that leaves.
    pub(crate) filter: Option<Shared<Filter>>,
    pub(crate) truth: Truth,
    /// The count of frames when the last command was given.
    pub(crate) asked: Option<u64>,
    /// Where the clock was sent, until the engine has had the time to follow; and the count of frames then.
    pub(crate) aim: Option<(Micros, u64)>,
    /// The pin that is to answer a question for a time.
    pub(crate) pin: Option<Micros>,
    /// Goals of the lesson that is being recorded; none: nothing is recorded.
    pub(crate) record: Option<Shared<Vec<String>>>,
}

impl Page {
    /// The page before the engine has spoken.
    pub(crate) fn new(panels: Option<Panels>, theme: Theme, view: View) -> Page {
        Page {
            model: Shared::default(),
            other: None,
            frames: 0,
            acts: 0,
            version: None,
            lessons: Shared::default(),
            guarantees: Shared::default(),
            course: Shared::default(),
            opened: None,
            problems: Shared::default(),
            checked: None,
            fields: None,
            progress: None,
            selected: None,
            detail: None,
            why: None,
            help: None,
            tab: Tab::default(),
            console: Shared::default(),
            console_open: false,
            dialog: Dialog::None,
            sheet: Sheet::None,
            theme,
            embedded: panels.is_some(),
            panels: panels.unwrap_or(Panels::ALL),
            view,
            group: String::new(),
            zone: None,
            span: None,
            link: None,
            nameless: None,
            film: None,
            present: Present::default(),
            code: None,
            promise: None,
            toasts: Shared::default(),
            heard: Shared::default(),
            crashed: None,
            newer: false,
            start: false,
            unread: false,
            find: None,
            filter: None,
            truth: Truth::default(),
            asked: None,
            aim: None,
            pin: None,
            record: None,
        }
    }

    /// Whether it is so much that a third of the frames of a running clock is enough to follow it.
    pub(crate) fn is_big(&self) -> bool {
        self.model.nodes.size() > NODES_IN_DOM || self.model.pods.size() > PODS_IN_DOM
    }

    /// The clock, or where it was just sent: quick steps add up.
    pub(crate) fn at(&self) -> Micros {
        self.aim.map_or(self.model.now, |(at, _)| at)
    }

    /// The question for a time that waits for its answer.
    pub(crate) fn asked(&self) -> Option<Asked> {
        Asked::of(self.opened.as_ref()?, &self.model.story)
    }

    /// The stretch of time that the timeline shows: as it was chosen, as a question needs it, or everything.
    pub(crate) fn seen(&self) -> Span {
        let asked = || self.asked().map(|asked| asked.span());
        let whole = || Span::whole(self.model.now, self.model.horizon);
        self.span.or_else(asked).unwrap_or_else(whole)
    }

    /// Key and UID of the selected pod.
    pub(crate) fn selected_pod(&self) -> Option<(&str, &str)> {
        match &self.selected {
            Some(SubjectRef::Pod { key, uid }) => Some((key, uid)),
            _ => None,
        }
    }

    /// The selected pod.
    pub(crate) fn pod(&self) -> Option<&Shared<PodView>> {
        match &self.selected {
            Some(SubjectRef::Pod { key, uid }) => self.model.pod(key, uid),
            _ => None,
        }
    }

    /// The decision on the selected pod. Not its successor's: who was chosen by UID keeps it.
    pub(crate) fn decision(&self) -> Option<&Shared<Why>> {
        match &self.selected {
            Some(SubjectRef::Pod { key, uid }) => {
                (self.why.as_ref()).filter(|w| w.pod == *key && (uid.is_empty() || w.uid == *uid))
            }
            _ => None,
        }
    }

    /// The decision while its tab is seen: it lights nodes up or dims them.
    pub(crate) fn shown_decision(&self) -> Option<&Shared<Why>> {
        self.decision()
            .filter(|_| self.tab == Tab::Why && self.model.story.question.is_none())
    }
}

/// A change of the page.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Heard(Box<Update>),
    Trapped(String),
    Select(Option<SubjectRef>),
    Tab(Tab),
    Dialog(Dialog),
    Sheet(Sheet),
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
    /// What was to be said has been read.
    Read,
    /// Filters by this, or not at all.
    Find(Option<String>),
    Truth(Truth),
    Present(Present),
    /// The session that opens next shows this promise.
    Promise(String),
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
            Act::Trapped(message) => page.crashed = Some(message),
            Act::Select(subject) => page.select(subject),
            Act::Tab(tab) => page.tab = tab,
            Act::Dialog(dialog) => page.dialog = dialog,
            Act::Sheet(sheet) => page.sheet = if page.sheet == sheet { Sheet::None } else { sheet },
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
            Act::Start(start) => page.start = start,
            Act::Read => page.unread = false,
            Act::Find(text) => {
                page.filter = text.as_deref().and_then(Filter::read).map(Shared::new);
                page.find = text;
            }
            Act::Truth(truth) => page.truth = truth,
            Act::Present(present) => page.present = present,
            Act::Promise(name) => page.promise = Some(name),
            Act::Code(text) => {
                page.dialog = Dialog::None;
                page.code = text;
            }
        }
        Rc::new(page)
    }
}

impl Page {
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
            Update::Progress { what, per_mille } => {
                self.progress = (per_mille < 1000).then_some((what, per_mille));
            }
            Update::Opened(opened) => self.open(*opened),
            Update::Refused { problems } => {
                self.progress = None;
                if self.dialog != Dialog::Editor {
                    self.dialog = Dialog::Refused;
                }
                self.problems = Shared::new(problems);
            }
            Update::Frame(mut frame) => {
                self.frames += 1;
                // A frame that was under way may come before the one that was asked for.
                self.aim = (self.aim).filter(|(at, asked)| *at != frame.now && self.frames < asked + 3);
                self.progress = None;
                if !frame.announcements.is_empty() {
                    self.heard = Shared::new(std::mem::take(&mut frame.announcements));
                }
                let other = frame.other.take();
                let asked = self.model.story.question;
                self.model.change(|m| m.apply(*frame));
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
                notices,
                anonymised,
            } => {
                let link = Some(Shared::new(LinkView {
                    fragment,
                    whole,
                    revision,
                    notices,
                }));
                *(if anonymised { &mut self.nameless } else { &mut self.link }) = link;
            }
            // The browser's work: see `browser::files`.
            Update::File { .. } => {}
            Update::Checked {
                revision,
                problems,
                advice,
            } => {
                self.checked = Some(Shared::new(Checked {
                    revision,
                    problems,
                    advice,
                }));
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
            Update::Crashed { message } => self.crashed = Some(message),
        }
    }

    fn open(&mut self, opened: Opened) {
        let promise = self.promise.take();
        *self = Page {
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
            truth: self.truth,
            present: self.present,
            code: self.code.clone(),
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
        }
        if let Some(name) = promise {
            self.selected = Some(SubjectRef::Invariant { name });
            self.tab = Tab::Life;
        }
        self.unread = !opened.notices.is_empty() && opened.lesson.is_none();
        // A phone's first screen holds the sentence and its button.
        if !opened.story.is_empty() && self.selected.is_none() {
            self.sheet = Sheet::Story;
        }
        self.opened = Some(Shared::new(opened));
    }

    fn select(&mut self, subject: Option<SubjectRef>) {
        if self.selected == subject {
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
        self.sheet = match subject {
            Some(_) => Sheet::Side,
            None if self.sheet == Sheet::Side => Sheet::None,
            None => self.sheet,
        };
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
        if !fresh || self.console_open || self.sheet == Sheet::Console {
            return;
        }
        // What kubectl warns of has been asked before.
        let said = |l: &&ConsoleLine| {
            l.kind == LineKind::Notice || l.kind == LineKind::Error && !l.text.starts_with("Warning:")
        };
        for line in lines.iter().filter(said) {
            self.toast(line.text.clone());
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

/// Frames after a command in which what is printed is taken for its answer.
const ANSWER_FRAMES: u64 = 15;

#[cfg(test)]
mod tests {
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

    #[test]
    fn refused_input_leaves_the_session_and_says_so() {
        let page = page().reduce(opened());
        let page = page.reduce(Act::Heard(Box::new(Update::Refused {
            problems: vec![Problem {
                message: "no".into(),
                ..problem()
            }],
        })));
        assert_eq!(page.dialog, Dialog::Refused);
        assert_eq!(page.opened.as_ref().map(|o| o.title.as_str()), Some("x"));
    }

    fn problem() -> Problem {
        Problem::of("", "")
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
