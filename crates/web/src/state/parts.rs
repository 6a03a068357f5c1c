//! Parts of the page's state: tabs, dialogs, menus, sheets, views.

use podscope_api::Danger;
use podscope_messages::Sentence;
use podscope_protocol::triage::Finding;
use podscope_protocol::{LinkLength, Micros, OpenedSession, Problem, Remedy, TextKind};

use super::Menu;

/// A tab of the inspector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tab {
    #[default]
    Why,
    Life,
    Events,
    Yaml,
}

/// A dialog over the page.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Dialog {
    #[default]
    None,
    Lessons,
    Shortcuts,
    /// The controls for which the bar at the top of the page has no space.
    More,
    /// The entry point for users whose own cluster has a pending pod.
    Pending,
    Share,
    Files,
    Editor,
    Notices,
    /// The list of problems in the cluster (triage).
    Triage,
    Refused,
    /// Command lines that wait for confirmation, because one of them is dangerous.
    Confirm {
        lines: Vec<String>,
        danger: Danger,
    },
    /// A menu of actions on a subject.
    Menu(Menu),
    /// The events of one lane (row of the timeline) as a list.
    Lane(podscope_protocol::Lane),
    /// The topology spread of the selection as a list.
    Spread,
    /// The terms that lessons explain.
    Glossary,
    /// Practice tasks.
    Practise,
    /// The open course.
    Course,
    /// The replayed runs that a class handed in.
    Class,
    /// A what-if question.
    WhatIf(podscope_protocol::WhatIf),
    /// The search for a run that breaks a guarantee.
    Search,
    /// The open lesson as a worksheet for printing.
    Worksheet,
}

impl Dialog {
    /// Returns whether the dialog blocks keys and pointer for the rest of the page.
    pub(crate) fn is_modal(&self) -> bool {
        !matches!(self, Self::None | Self::WhatIf(_))
    }

    /// Returns the sheet to show when `next` replaces this dialog; `None` if the sheet does not change. The details are
    /// closed while the answer to a what-if question is open, because the answer would cover them.
    pub(super) fn sheet_when_replaced_by(&self, next: &Self, is_selected: bool) -> Option<Sheet> {
        match (self, next) {
            (_, Self::WhatIf(_)) => Some(Sheet::None),
            (Self::WhatIf(_), Self::None) if is_selected => Some(Sheet::Side),
            _ => None,
        }
    }

    /// Returns whether the dialog stays open when another session opens.
    pub(super) fn outlives_session(&self) -> bool {
        matches!(self, Self::Lessons | Self::Shortcuts | Self::Share | Self::Files)
    }
}

/// A scenario file of this site that the address named.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SiteScenario {
    pub(crate) path: String,
    /// Text and seed of the session that the file opened; `None` until then.
    pub(crate) session: Option<(String, u64)>,
}

impl SiteScenario {
    /// Returns whether the session was opened from the file.
    pub(crate) fn is_source_of(&self, opened: &OpenedSession) -> bool {
        let session = self.session.as_ref();
        session.is_some_and(|(text, seed)| opened.lesson.is_none() && *text == opened.text && *seed == opened.seed)
    }
}

/// The sheet over the stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Sheet {
    #[default]
    None,
    /// The details of the selection; without a selection, the legend.
    Side,
}

/// Whose state the cards show: the API server's, the machines', or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum StateView {
    /// The API server's state, and beside it the machines' state where the two differ.
    #[default]
    Both,
    /// Only the API server's state.
    Api,
    /// Only the processes that really run.
    Machine,
}

/// The mode for presenting to an audience: large type, and optional overlays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Present {
    pub(crate) on: bool,
    pub(crate) spotlight: bool,
    /// The QR code of a link to the current instant is shown.
    pub(crate) qr_code: bool,
    pub(crate) console: bool,
    pub(crate) timeline: bool,
    /// A timer is shown; it counts from the moment at which it appeared.
    pub(crate) timer: bool,
    /// The open question is shown in large type, for the class to answer aloud.
    pub(crate) question: bool,
}

impl Present {
    /// Returns the flag of the overlay that a key shows or hides; `None` for other keys.
    pub(crate) fn overlay_of_key(&mut self, key: &str) -> Option<&mut bool> {
        Some(match key {
            "x" => &mut self.spotlight,
            "q" => &mut self.qr_code,
            "`" => &mut self.console,
            "v" => &mut self.timeline,
            "z" => &mut self.timer,
            _ => return None,
        })
    }
}

/// Remedies for a pending pod, as far as the engine has found them.
#[derive(Debug, Clone, Default)]
pub(crate) struct RemediesView {
    pub(crate) pod: String,
    pub(crate) remedies: Vec<Remedy>,
    /// For each node group, one line about the effect of one more node.
    pub(crate) groups: Vec<Sentence>,
    pub(crate) per_mille: u32,
    pub(crate) done: bool,
}

/// The engine's check of the editor's text.
#[derive(Debug, Clone, Default)]
pub(crate) struct CheckedText {
    pub(crate) revision: u64,
    /// Kind of the text; while it cannot be parsed, its last known kind.
    pub(crate) kind: TextKind,
    pub(crate) problems: Vec<Problem>,
    pub(crate) advice: Vec<Problem>,
}

/// Problems in the cluster at an instant.
#[derive(Debug, Clone, Default)]
pub(crate) struct TriageView {
    pub(crate) findings: Vec<Finding>,
    pub(crate) at: Micros,
}

/// The link of the session at the shown instant.
#[derive(Debug, Clone, Default)]
pub(crate) struct LinkView {
    pub(crate) fragment: String,
    /// The link that the browser stores for the session, if it differs from `fragment`: it also contains the commands
    /// after the shown instant and the other branches.
    pub(crate) whole: Option<String>,
    pub(crate) revision: u64,
    pub(crate) length: Option<LinkLength>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_protocol::WhatIf;

    /// Shows: P-14
    #[test]
    fn details_return_when_what_if_answer_is_closed() {
        let ask = || Dialog::WhatIf(WhatIf::LoseZone("a".into()));
        for (from, to, is_selected, sheet) in [
            (Dialog::None, ask(), true, Some(Sheet::None)),
            (ask(), Dialog::None, true, Some(Sheet::Side)),
            (ask(), Dialog::None, false, None),
            (ask(), Dialog::Share, true, None),
            (Dialog::Share, Dialog::None, true, None),
        ] {
            assert_eq!(
                from.sheet_when_replaced_by(&to, is_selected),
                sheet,
                "{from:?} to {to:?}"
            );
        }
    }
}
