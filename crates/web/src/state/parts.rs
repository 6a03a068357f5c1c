//! Parts of the page that one chooses between: tabs, dialogs, menus, sheets, views.

use podscope_protocol::triage::Finding;
use podscope_protocol::{LinkLength, Micros, Problem, Remedy, TextKind};
use yew::TargetCast;

use crate::pure::actions::Action;

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
    /// What is wrong in the cluster.
    Triage,
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
    pub(super) fn outlives_session(&self) -> bool {
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

/// What lies over the stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Sheet {
    #[default]
    None,
    /// The details of what is selected; of nothing, the legend.
    Side,
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
    /// What the text is; while it cannot be read, what it was.
    pub(crate) kind: TextKind,
    pub(crate) problems: Vec<Problem>,
    pub(crate) advice: Vec<Problem>,
}

/// What is wrong in the cluster at an instant.
#[derive(Debug, Clone, Default)]
pub(crate) struct TriageView {
    pub(crate) findings: Vec<Finding>,
    pub(crate) at: Micros,
}

/// The present link.
#[derive(Debug, Clone, Default)]
pub(crate) struct LinkView {
    pub(crate) fragment: String,
    /// What the session is kept by, where that is more.
    pub(crate) whole: Option<String>,
    pub(crate) revision: u64,
    pub(crate) length: Option<LinkLength>,
}
