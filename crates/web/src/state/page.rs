//! The state of the whole page. `act.rs` changes it.

use podscope_protocol::{
    Completion, Detail, FilmRefusal, Guarantee, LessonCondition, LessonInfo, Micros, Opened, PodMark, PodView, Problem,
    SubjectRef, Task, WhatIfAnswer,
};

use super::{
    Checked, Console, Dialog, HelpView, LinkView, Model, Present, Shared, Sheet, Study, StudyAct, Tab, TriageView,
    Truth,
};
use crate::pure::course::Course;
use crate::pure::explain::Why;
use crate::pure::find::Filter;
use crate::pure::overview::{NODES_IN_DOM, PODS_IN_DOM};
use crate::pure::pin::TimeQuestion;
use crate::pure::route::{Panels, Theme, View};
use crate::pure::scale::Span;
use crate::pure::waits;

/// The state of the page.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) model: Shared<Model>,
    pub(crate) other: Option<Shared<Model>>,
    /// Number of frames so far. The next frame is requested when this one is drawn.
    pub(crate) frames: u64,
    /// Number of changes so far that were not frames: they are drawn at once, also in a big cluster.
    pub(crate) acts: u64,
    pub(crate) version: Option<String>,
    pub(crate) lessons: Shared<Vec<LessonInfo>>,
    /// The guarantees of a pod's life, which the invariants check (E-04).
    pub(crate) guarantees: Shared<Vec<Guarantee>>,
    pub(crate) course: Shared<Course>,
    pub(crate) study: Shared<Study>,
    pub(crate) opened: Option<Shared<Opened>>,
    /// The page shows the recording of a first visit: the engine has not opened the session yet.
    pub(crate) recorded: bool,
    pub(crate) problems: Shared<Vec<Problem>>,
    pub(crate) checked: Option<Shared<Checked>>,
    /// Fields that fit at the editor's cursor, with the revision of their request.
    pub(crate) fields: Option<Shared<(u64, Vec<Completion>)>>,
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
    /// Code of the page's language.
    pub(crate) language: String,
    /// The lesson lacks translated texts. Set in the copy that is drawn.
    pub(crate) is_partly_translated: bool,
    pub(crate) panels: Panels,
    pub(crate) embedded: bool,
    pub(crate) view: View,
    pub(crate) group: String,
    /// The zone, or other group, that is shown alone.
    pub(crate) zone: Option<String>,
    pub(crate) span: Option<Span>,
    pub(crate) link: Option<Shared<LinkView>>,
    /// The link with replaced names, if it was requested.
    pub(crate) anonymised_link: Option<Shared<LinkView>>,
    /// Links and exports have the names of objects replaced.
    pub(crate) anonymises: bool,
    /// Problems in the cluster, once the engine has listed them.
    pub(crate) triage: Option<Shared<TriageView>>,
    /// Problems in a large dump that is still being opened.
    pub(crate) coming_triage: Option<Shared<TriageView>>,
    /// The same with replaced names.
    pub(crate) anonymised_triage: Option<Shared<TriageView>>,
    /// The last answer to a what-if question.
    pub(crate) what_if: Option<Shared<WhatIfAnswer>>,
    /// The film that was requested last, or why there is none.
    pub(crate) film: Option<Shared<Result<String, FilmRefusal>>>,
    pub(crate) present: Present,
    /// The editor is open beside the cluster; holds its initial text.
    pub(crate) side_editor: Option<String>,
    /// The scenario file of this site that the address named.
    pub(crate) site_scenario: Option<SiteScenario>,
    /// The guarantee to select when its lesson opens, and the name of the lesson.
    pub(crate) pending_guarantee: Option<(String, String)>,
    pub(crate) toasts: Shared<Vec<(u64, String)>>,
    pub(crate) crashed: Option<String>,
    pub(crate) has_new_version: bool,
    /// The introduction with the ways in is shown.
    pub(crate) start: bool,
    /// The user requested the introduction; else it came with the first visit's cluster.
    pub(crate) start_requested: bool,
    /// The session has notices that the user has not read.
    pub(crate) has_unread_notices: bool,
    /// Text of the filter; `None` while it is closed.
    pub(crate) find: Option<String>,
    /// The parsed filter.
    pub(crate) filter: Option<Shared<Filter>>,
    pub(crate) truth: Truth,
    /// Value of `frames` when the last command was given.
    pub(crate) command_frame: Option<u64>,
    /// Target of a pending seek, and the value of `frames` when it was requested.
    pub(crate) pending_seek: Option<(Micros, u64)>,
    /// The pin that answers a question for a time.
    pub(crate) pin: Option<Micros>,
    /// Goals of the lesson that is being recorded; `None` if none is recorded.
    pub(crate) record: Option<Shared<Vec<LessonCondition>>>,
}

/// A scenario file of this site that the address named.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SiteScenario {
    pub(crate) path: String,
    /// Text and seed of the session that it opened; `None` until then.
    pub(crate) session: Option<(String, u64)>,
}

impl SiteScenario {
    /// Returns whether a session is what the file opens.
    pub(crate) fn is(&self, opened: &Opened) -> bool {
        let session = self.session.as_ref();
        session.is_some_and(|(text, seed)| opened.lesson.is_none() && *text == opened.text && *seed == opened.seed)
    }
}

impl Page {
    /// The text that the editor begins with. During a task of an exam the Scenario is left out: it holds the solution and
    /// the reasons.
    pub(crate) fn text_to_edit(&self) -> String {
        let text = self.opened.as_ref().map_or("", |opened| opened.text.as_str());
        let is_shown = |document: &&str| !self.study.holds_back() || !document.contains("kind: Scenario");
        let documents: Vec<&str> = text.split("\n---\n").filter(is_shown).collect();
        documents.join("\n---\n")
    }

    /// Opens a dialog, or closes the open one with `Dialog::None`.
    pub(super) fn open_dialog(&mut self, dialog: Dialog) {
        // Each question is answered anew.
        if matches!(dialog, Dialog::WhatIf(_)) {
            self.what_if = None;
        }
        self.sheet = (self.dialog.sheet_beside(&dialog, self.selected.is_some())).unwrap_or(self.sheet);
        self.dialog = dialog;
    }

    /// Changes what is studied. A session that turns out to be a task of the course gets the task's title.
    pub(super) fn study(&mut self, act: StudyAct) {
        self.study.change(|study| study.act(act));
        let title = self.study.task_title().map(str::to_owned);
        if let Some((title, opened)) = title.zip(self.opened.as_mut())
            && title != opened.title
        {
            opened.change(|opened| opened.title = title);
        }
    }

    /// The page before the engine's first update.
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
            study: Shared::default(),
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
            language: podscope_messages::code(),
            is_partly_translated: false,
            embedded: panels.is_some(),
            panels: panels.unwrap_or(Panels::ALL),
            view,
            group: String::new(),
            zone: None,
            span: None,
            link: None,
            anonymised_link: None,
            anonymises: false,
            triage: None,
            coming_triage: None,
            anonymised_triage: None,
            what_if: None,
            film: None,
            present: Present::default(),
            side_editor: None,
            site_scenario: None,
            pending_guarantee: None,
            toasts: Shared::default(),
            crashed: None,
            has_new_version: false,
            start: false,
            start_requested: false,
            has_unread_notices: false,
            find: None,
            filter: None,
            truth: Truth::default(),
            command_frame: None,
            pending_seek: None,
            pin: None,
            record: None,
        }
    }

    /// Returns whether the cluster is so large that every third frame of a running clock is enough.
    pub(crate) fn is_big(&self) -> bool {
        self.model.nodes.size() > NODES_IN_DOM || self.model.pods.size() > PODS_IN_DOM
    }

    /// The engine has ended. Only the first message tells why; later ones only repeat that it ended.
    pub(crate) fn crash(&mut self, message: String) {
        self.crashed.get_or_insert(message);
    }

    /// The answer to the what-if question that is open. The stage shows it too.
    pub(crate) fn open_answer(&self) -> Option<&Shared<WhatIfAnswer>> {
        let Dialog::WhatIf(change) = &self.dialog else {
            return None;
        };
        self.what_if.as_ref().filter(|answer| answer.change == *change)
    }

    /// The clock, or the target of a pending seek, so that quick steps add up.
    pub(crate) fn at(&self) -> Micros {
        self.pending_seek.map_or(self.model.now, |(at, _)| at)
    }

    /// Returns whether the legend is open: the details sheet without a selection shows it.
    pub(crate) fn is_legend_open(&self) -> bool {
        self.sheet == Sheet::Side && self.selected.is_none()
    }

    /// The open question for a time.
    pub(crate) fn time_question(&self) -> Option<TimeQuestion> {
        TimeQuestion::of(self.opened.as_ref()?, &self.model.story)
    }

    /// The span that the timeline shows: the chosen one, else that of an open question, else everything.
    pub(crate) fn visible_span(&self) -> Span {
        let of_question = || self.time_question().map(|question| question.span());
        let whole = || Span::whole(self.model.now, self.model.horizon);
        self.span.or_else(of_question).unwrap_or_else(whole)
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

    /// The decision on the selected pod. A pod selected by UID keeps its decision when a successor takes its name.
    pub(crate) fn decision(&self) -> Option<&Shared<Why>> {
        match &self.selected {
            Some(SubjectRef::Pod { key, uid }) => {
                (self.why.as_ref()).filter(|w| w.pod == *key && (uid.is_empty() || w.uid == *uid))
            }
            _ => None,
        }
    }

    /// The decision while its tab is open: it highlights or dims nodes. With the instant of the decision if the pod has
    /// been placed since. None for a pod that is gone.
    pub(crate) fn shown_decision(&self) -> Option<(&Shared<Why>, Option<Micros>)> {
        // A held pod's verdicts are hypothetical.
        let pod = self
            .pod()
            .filter(|pod| pod.mark != PodMark::Ghost && waits::missing_from_files(pod).is_none())?;
        let why = self
            .decision()
            .filter(|_| self.tab == Tab::Why && self.model.story.question.is_none())?;
        let attempt = why.attempts.iter().find(|attempt| attempt.id == why.attempt);
        let decided = attempt.filter(|_| !pod.node.is_empty()).map(|attempt| attempt.at);
        Some((why, decided))
    }
}
