//! The part of the page's state that lasts across sessions.

use podscope_protocol::{Guarantee, LessonInfo, OpenedSession, Problem};

use super::{Console, Dialog, Present, Shared, SiteScenario, StateView, Study, TriageView};
use crate::pure::course::CourseProgress;
use crate::pure::route::{Panels, Theme, View};
use crate::pure::stage::StageSize;

/// State that remains when another session opens: the user's choices, what the site offers, the course, and what waits
/// for the next session.
#[derive(Debug, Clone)]
pub(crate) struct Shell {
    /// Size of the stage at the first render, before it is observed; zero if it is unknown.
    pub(crate) first_stage: StageSize,
    /// Number of frames that the engine has sent so far. The next frame is requested when the latest one has been
    /// drawn.
    pub(crate) frames: u64,
    /// Number of changes of the page's state other than frames. They are drawn at once, even in a big cluster.
    pub(crate) acts: u64,
    pub(crate) version: Option<String>,
    pub(crate) has_new_version: bool,
    pub(crate) lessons: Shared<Vec<LessonInfo>>,
    /// The guarantees about the lifecycle of pods, which the invariants check (E-04).
    pub(crate) guarantees: Shared<Vec<Guarantee>>,
    pub(crate) course: Shared<CourseProgress>,
    pub(crate) study: Shared<Study>,
    pub(crate) theme: Theme,
    /// Code of the page's language.
    pub(crate) language: String,
    pub(crate) view: View,
    pub(crate) panels: Panels,
    pub(crate) embedded: bool,
    pub(crate) truth: StateView,
    pub(crate) present: Present,
    pub(crate) console: Shared<Console>,
    pub(crate) console_open: bool,
    pub(crate) dialog: Dialog,
    /// The editor is open beside the cluster; holds its initial text.
    pub(crate) side_editor: Option<String>,
    pub(crate) toasts: Shared<Vec<(u64, String)>>,
    /// The introduction with its entry points is shown.
    pub(crate) start: bool,
    /// The user requested the introduction; otherwise it was shown with the first visit's cluster.
    pub(crate) start_requested: bool,
    /// A lesson is being recorded.
    pub(crate) records_lesson: bool,
    /// Problems of the last input that was refused.
    pub(crate) problems: Shared<Vec<Problem>>,
    /// The scenario file of this site that the address named.
    pub(crate) site_scenario: Option<SiteScenario>,
    /// The guarantee to select when its lesson opens, and the name of the lesson.
    pub(crate) pending_guarantee: Option<(String, String)>,
    /// Problems in a large dump that is still being opened.
    pub(crate) coming_triage: Option<Shared<TriageView>>,
}

/// State that the shell has kept for the session that opens now.
pub(super) struct StateKeptForSession {
    /// The guarantee to select.
    pub(super) guarantee: Option<String>,
    pub(super) triage: Option<Shared<TriageView>>,
}

impl Shell {
    /// Creates the shell of a page that has just been loaded.
    pub(super) fn new(panels: Option<Panels>, theme: Theme, view: View) -> Shell {
        Shell {
            first_stage: StageSize::default(),
            frames: 0,
            acts: 0,
            version: None,
            has_new_version: false,
            lessons: Shared::default(),
            guarantees: Shared::default(),
            course: Shared::default(),
            study: Shared::default(),
            theme,
            language: podscope_messages::language_code(),
            view,
            embedded: panels.is_some(),
            panels: panels.unwrap_or(Panels::ALL),
            truth: StateView::default(),
            present: Present::default(),
            console: Shared::default(),
            console_open: false,
            dialog: Dialog::None,
            side_editor: None,
            toasts: Shared::default(),
            start: false,
            start_requested: false,
            records_lesson: false,
            problems: Shared::default(),
            site_scenario: None,
            pending_guarantee: None,
            coming_triage: None,
        }
    }

    /// Closes what is about the previous session, and returns what was kept for this session. If this session is a
    /// practice task, it gets the task's title and its reasons for wrong answers. `is_first`: no session was open
    /// before.
    pub(super) fn prepare_for_session(&mut self, opened: &mut OpenedSession, is_first: bool) -> StateKeptForSession {
        self.study.change(|study| study.session_opened(opened));
        self.console.change(|console| console.begin_run(&opened.title));
        // The introduction belongs to the first visit's cluster, not to a session that runs on a server.
        self.start &= is_first && !opened.is_joined;
        // The first session opens without a request from the user, so it closes no dialog, in particular not the one
        // about a link that cannot be opened. Later sessions close the dialogs about the previous session.
        if !is_first && !self.dialog.outlives_session() {
            self.dialog = Dialog::None;
        }
        if let Some(scenario) = (self.site_scenario.as_mut()).filter(|scenario| scenario.session.is_none()) {
            scenario.session = Some((opened.text.clone(), opened.seed));
        }
        // A session that was requested earlier may open first: the guarantee is selected only when its own lesson
        // opens.
        let is_its_own = |(_, lesson): &mut (String, String)| opened.lesson.as_ref() == Some(lesson);
        StateKeptForSession {
            guarantee: self.pending_guarantee.take_if(is_its_own).map(|(name, _)| name),
            triage: self.coming_triage.take().filter(|_| opened.is_dump),
        }
    }

    pub(super) fn toast(&mut self, text: String) {
        let id = self.toasts.last().map_or(0, |(id, _)| id + 1);
        self.toasts.change(|all| {
            all.retain(|(_, shown)| *shown != text);
            all.push((id, text));
            let excess = all.len().saturating_sub(3);
            all.drain(..excess);
        });
    }
}
