//! The state of the whole page; `act.rs` changes it.

use podscope_protocol::{
    Completion, Detail, Guarantee, LessonInfo, Micros, NoFilm, Opened, PodView, Problem, SubjectRef, Task, Wanted,
};

use super::{Checked, Console, Dialog, HelpView, LinkView, Model, Present, Shared, Sheet, Tab, TriageView, Truth};
use crate::pure::course::Course;
use crate::pure::explain::Why;
use crate::pure::find::Filter;
use crate::pure::overview::{NODES_IN_DOM, PODS_IN_DOM};
use crate::pure::pin::Asked;
use crate::pure::route::{Panels, Theme, View};
use crate::pure::scale::Span;
use crate::pure::waits;

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
    /// What is shown is a recording of how a first visit begins: the engine has not opened it yet.
    pub(crate) recorded: bool,
    pub(crate) problems: Shared<Vec<Problem>>,
    pub(crate) checked: Option<Shared<Checked>>,
    /// What fits where the editor asked last.
    pub(crate) fields: Option<Shared<Vec<Completion>>>,
    pub(crate) progress: Option<(Task, u32)>,
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
    /// Whatever leaves the page has its objects renamed first.
    pub(crate) renames: bool,
    /// What is wrong in the cluster, once the engine has looked.
    pub(crate) triage: Option<Shared<TriageView>>,
    /// The same without names.
    pub(crate) nameless_triage: Option<Shared<TriageView>>,
    /// The film that was asked for last, or why there is none.
    pub(crate) film: Option<Shared<Result<String, NoFilm>>>,
    pub(crate) present: Present,
    /// The editor stands beside the cluster; what it began with.
    pub(crate) code: Option<String>,
    /// The promise for which a lesson is opened, and the lesson.
    pub(crate) promise: Option<(String, String)>,
    pub(crate) toasts: Shared<Vec<(u64, String)>>,
    pub(crate) crashed: Option<String>,
    pub(crate) newer: bool,
    /// What this is, and the ways in.
    pub(crate) start: bool,
    /// Somebody asked for them, whatever is open; else they came with the first visit's cluster.
    pub(crate) start_asked: bool,
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
    pub(crate) record: Option<Shared<Vec<Wanted>>>,
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
            recorded: false,
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
            renames: false,
            triage: None,
            nameless_triage: None,
            film: None,
            present: Present::default(),
            code: None,
            promise: None,
            toasts: Shared::default(),
            crashed: None,
            newer: false,
            start: false,
            start_asked: false,
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

    /// The engine has ended: what it says first tells why, what follows only that it did.
    pub(crate) fn crash(&mut self, message: String) {
        self.crashed.get_or_insert(message);
    }

    /// The clock, or where it was just sent: quick steps add up.
    pub(crate) fn at(&self) -> Micros {
        self.aim.map_or(self.model.now, |(at, _)| at)
    }

    /// Whether the sheet of the details is open with nothing selected: it shows the legend.
    pub(crate) fn is_legend_open(&self) -> bool {
        self.sheet == Sheet::Side && self.selected.is_none()
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
            // Verdicts on what is made up are none.
            .filter(|_| self.pod().is_none_or(|pod| waits::not_held(pod).is_none()))
    }
}
