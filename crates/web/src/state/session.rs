//! The part of the page's state that belongs to one session.

use podscope_protocol::{
    Completion, FilmRefusal, InspectorContent, LessonCondition, Micros, OpenedSession, PodMark, PodView, SubjectRef,
    Task, WhatIfAnswer,
};

use super::shell::StateKeptForSession;
use super::{CheckedText, LinkView, Model, RemediesView, Screen, Shared, Sheet, Tab, TriageView};
use crate::pure::explain::DecisionView;
use crate::pure::find::Filter;
use crate::pure::overview::needs_picture;
use crate::pure::pin::TimeQuestion;
use crate::pure::scale::Span;
use crate::pure::waits;

/// The open session: what the engine has sent about it, and the user's view of it. The default of every field is its
/// value when a session begins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Session {
    /// `None` until the first session opens.
    pub(crate) opened: Option<Shared<OpenedSession>>,
    /// True while the page shows the recording of a first visit, until the engine opens the session.
    pub(crate) recorded: bool,
    pub(crate) model: Shared<Model>,
    /// The other run of a comparison.
    pub(crate) other: Option<Shared<Model>>,
    /// Message of the engine's crash, if it crashed.
    pub(crate) crashed: Option<String>,
    pub(crate) progress: Option<(Task, u32)>,
    /// Value of `Shell::frames` when the last command was given.
    pub(crate) command_frame: Option<u64>,
    /// Target of a pending seek, and the value of `Shell::frames` when it was requested.
    pub(crate) pending_seek: Option<(Micros, u64)>,
    /// The session has notices that the user has not read.
    pub(crate) has_unread_notices: bool,
    /// Some texts of the lesson have no translation. Set only in the translated copy that is drawn.
    pub(crate) is_partly_translated: bool,

    pub(crate) selected: Option<SubjectRef>,
    pub(crate) detail: Option<Shared<InspectorContent>>,
    pub(crate) why: Option<Shared<DecisionView>>,
    pub(crate) help: Option<Shared<RemediesView>>,
    pub(crate) tab: Tab,
    pub(crate) sheet: Sheet,
    /// Label key by which nodes are grouped; empty for the zone.
    pub(crate) group: String,
    /// The zone, or other group, that is shown alone.
    pub(crate) zone: Option<String>,
    pub(crate) span: Option<Span>,
    /// Text of the filter; `None` while it is closed.
    pub(crate) find: Option<String>,
    /// The parsed filter.
    pub(crate) filter: Option<Shared<Filter>>,
    /// The pin on the timeline with which the user answers a question that asks for an instant.
    pub(crate) pin: Option<Micros>,

    /// The engine's check of the text in the editor.
    pub(crate) checked: Option<Shared<CheckedText>>,
    /// Fields that fit at the editor's cursor, with the revision of their request.
    pub(crate) fields: Option<Shared<(u64, Vec<Completion>)>>,
    /// Goals of the lesson that is being recorded.
    pub(crate) goals: Shared<Vec<LessonCondition>>,
    /// The last answer to a what-if question.
    pub(crate) what_if: Option<Shared<WhatIfAnswer>>,
    /// Problems in the cluster, once the engine has listed them.
    pub(crate) triage: Option<Shared<TriageView>>,
    /// The problems of `triage` with the names of objects replaced.
    pub(crate) anonymised_triage: Option<Shared<TriageView>>,
    pub(crate) link: Option<Shared<LinkView>>,
    /// The link with replaced names, if it was requested.
    pub(crate) anonymised_link: Option<Shared<LinkView>>,
    /// Links and exports have the names of objects replaced.
    pub(crate) anonymises: bool,
    /// The film that was requested last, or why there is none.
    pub(crate) film: Option<Shared<Result<String, FilmRefusal>>>,
}

impl Session {
    /// Creates the state of a session that has just opened: with the screen of its link, or with the previous session's
    /// selection.
    pub(super) fn begin(
        opened: OpenedSession,
        screen: Option<Screen>,
        still_selected: Option<SubjectRef>,
        awaited: StateKeptForSession,
    ) -> Session {
        let mut screen = screen.unwrap_or_else(|| Screen {
            selected: still_selected,
            ..Screen::default()
        });
        if let Some(name) = awaited.guarantee {
            screen.selected = Some(SubjectRef::Invariant { name });
            screen.tab = Tab::Life;
        }
        let has_problems = (awaited.triage.as_ref()).is_some_and(|triage| !triage.findings.is_empty());
        let has_notices = !opened.notices.is_empty() && opened.lesson.is_none();
        Session {
            has_unread_notices: has_problems || has_notices,
            sheet: if screen.selected.is_some() {
                Sheet::Side
            } else {
                Sheet::None
            },
            selected: screen.selected,
            tab: screen.tab,
            group: screen.group,
            span: screen.span,
            triage: awaited.triage,
            opened: Some(Shared::new(opened)),
            ..Session::default()
        }
    }

    /// Returns whether the cluster is so large that every third frame of a running clock is enough.
    pub(crate) fn draws_fewer_frames(&self) -> bool {
        needs_picture(self.model.nodes.size(), self.model.pods.size())
    }

    /// Records that the engine has crashed. The first message is kept, because only it contains the cause.
    pub(super) fn crash(&mut self, message: String) {
        self.crashed.get_or_insert(message);
    }

    /// Returns the clock, or during a seek its target, so that several quick steps add up.
    pub(crate) fn seek_target_or_now(&self) -> Micros {
        self.pending_seek.map_or(self.model.now, |(at, _)| at)
    }

    /// Returns whether the legend is open: the legend is what the details sheet shows without a selection.
    pub(crate) fn is_legend_open(&self) -> bool {
        self.sheet == Sheet::Side && self.selected.is_none()
    }

    /// Returns the open question if it asks for an instant.
    pub(crate) fn time_question(&self) -> Option<TimeQuestion> {
        TimeQuestion::of(self.opened.as_ref()?, &self.model.story)
    }

    /// Returns the span that the timeline shows: the one that the user chose, otherwise that of the open question,
    /// otherwise the whole run.
    pub(crate) fn visible_span(&self) -> Span {
        let of_question = || self.time_question().map(|question| question.span());
        let whole = || Span::whole(self.model.now, self.model.horizon);
        self.span.or_else(of_question).unwrap_or_else(whole)
    }

    /// Returns key and UID of the selected pod.
    pub(crate) fn selected_pod(&self) -> Option<(&str, &str)> {
        match &self.selected {
            Some(SubjectRef::Pod { key, uid }) => Some((key, uid)),
            _ => None,
        }
    }

    /// Returns the view of the selected pod, if the model has it.
    pub(crate) fn selected_pod_view(&self) -> Option<&Shared<PodView>> {
        match &self.selected {
            Some(SubjectRef::Pod { key, uid }) => self.model.pod(key, uid),
            _ => None,
        }
    }

    /// Returns the decision on the selected pod. If another pod with the same name has replaced a pod that was selected
    /// by UID, the decision stays that of the selected pod.
    pub(crate) fn decision(&self) -> Option<&Shared<DecisionView>> {
        match &self.selected {
            Some(SubjectRef::Pod { key, uid }) => {
                (self.why.as_ref()).filter(|why| why.pod == *key && (uid.is_empty() || why.uid == *uid))
            }
            _ => None,
        }
    }

    /// Returns the decision that highlights or dims nodes: that of the selected pod, while its tab is open. If the pod
    /// has been placed since, the instant of the decision is returned too. `None` for a deleted pod.
    pub(crate) fn shown_decision(&self) -> Option<(&Shared<DecisionView>, Option<Micros>)> {
        // If the files of a dump do not tell why the pod waits, the verdicts are hypothetical and not shown.
        let pod = self
            .selected_pod_view()
            .filter(|pod| pod.mark != PodMark::Ghost && waits::missing_dump_objects(pod).is_none())?;
        let why = self
            .decision()
            .filter(|_| self.tab == Tab::Why && self.model.story.question.is_none())?;
        let attempt = why.attempts.iter().find(|attempt| attempt.id == why.attempt);
        let decided = attempt.filter(|_| !pod.node.is_empty()).map(|attempt| attempt.at);
        Some((why, decided))
    }
}
