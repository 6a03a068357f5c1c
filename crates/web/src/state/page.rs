//! The state of the whole page, in two parts. The [`Shell`] lasts as long as the page is loaded: the user's choices,
//! dialogs, the console, the course, and what waits for the session that opens next. The [`Session`] is everything
//! about the scenario, lesson or link that is open: what the engine has sent about it, and where the user looks in it.
//! When another one opens, [`Page::open`] replaces that one value; the shell closes what was about the previous session
//! and hands over what waited for this one ([`Shell::prepare_for_session`]). So a new field is kept or reset by the
//! part in which it is declared. Methods that need both parts are here; `act.rs` applies actions.

use podscope_api::Danger;
use podscope_protocol::{FIRST_VISIT_LESSON, OpenedSession, WhatIfAnswer};

use super::{Dialog, Menu, MenuSubject, Screen, Session, Shared, Shell, StudyAct};
use crate::pure::route::{Panels, Theme, View};

/// The state of the page.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) shell: Shell,
    pub(crate) session: Session,
}

impl Page {
    /// Creates the page as it is before the engine's first update.
    pub(crate) fn new(panels: Option<Panels>, theme: Theme, view: View) -> Page {
        Page {
            shell: Shell::new(panels, theme, view),
            session: Session::default(),
        }
    }

    /// Returns the initial text of the editor. During a task of an exam the Scenario is left out, because it contains
    /// the solution and the reasons.
    pub(crate) fn text_to_edit(&self) -> String {
        let text = self.session.opened.as_ref().map_or("", |opened| opened.text.as_str());
        let is_shown = |document: &&str| !self.shell.study.hides_solutions() || !document.contains("kind: Scenario");
        let documents: Vec<&str> = text.split("\n---\n").filter(is_shown).collect();
        documents.join("\n---\n")
    }

    /// Opens a dialog, or closes the open one with `Dialog::None`.
    pub(super) fn open_dialog(&mut self, dialog: Dialog) {
        // The answer to a what-if question is computed again each time that its dialog opens.
        if matches!(dialog, Dialog::WhatIf(_)) {
            self.session.what_if = None;
        }
        self.session.sheet = (self
            .shell
            .dialog
            .sheet_when_replaced_by(&dialog, self.session.selected.is_some()))
        .unwrap_or(self.session.sheet);
        self.shell.dialog = dialog;
    }

    /// Asks whether dangerous lines may run. Lines that already wait for an answer stay in the question.
    pub(super) fn ask_to_confirm(&mut self, lines: Vec<String>, danger: Danger) {
        let (lines, danger) = match &self.shell.dialog {
            Dialog::Confirm { lines: asked, danger } => ([asked.as_slice(), &lines].concat(), *danger),
            _ => (lines, danger),
        };
        self.open_dialog(Dialog::Confirm { lines, danger });
    }

    /// Opens the menu about a subject of the session.
    pub(super) fn open_menu(&mut self, subject: MenuSubject, at: (i32, i32)) {
        if let Some(menu) = Menu::of(subject, &self.session, at) {
            self.open_dialog(Dialog::Menu(menu));
        }
    }

    /// Applies a change in practice, course or exam. If the open session is a run of a practice task of the course, it
    /// gets the task's title.
    pub(super) fn apply_study_act(&mut self, act: StudyAct) {
        self.shell.study.change(|study| study.apply_act(act));
        let title = self.shell.study.task_title().map(str::to_owned);
        if let Some((title, opened)) = title.zip(self.session.opened.as_mut())
            && title != opened.title
        {
            opened.change(|opened| opened.title = title);
        }
    }

    /// Replaces the previous session by the session that opened.
    pub(super) fn open(&mut self, mut opened: OpenedSession) {
        let is_first = self.session.opened.is_none() || self.session.recorded;
        let awaited = self.shell.prepare_for_session(&mut opened, is_first);
        let screen = opened.screen.as_deref().and_then(Screen::read);
        if let Some(screen) = &screen {
            self.shell.console_open = screen.console;
        }
        // The guided start uses the nodes and pods of the first visit.
        let is_guided_start = opened.lesson.as_deref() == Some(FIRST_VISIT_LESSON);
        let still_selected = self.session.selected.take().filter(|_| is_guided_start);
        self.session = Session::begin(opened, screen, still_selected, awaited);
    }

    /// Returns the answer to the open what-if question, which the stage shows too.
    pub(crate) fn open_what_if_answer(&self) -> Option<&Shared<WhatIfAnswer>> {
        let Dialog::WhatIf(change) = &self.shell.dialog else {
            return None;
        };
        self.session.what_if.as_ref().filter(|answer| answer.change == *change)
    }
}
