//! The most important problem of a node, in a few words.

use podscope_api::ConditionStatus;
use podscope_messages::t;
use serde::{Deserialize, Serialize};

use crate::NodeView;

impl NodeView {
    /// Returns the most important problem of the node or its machine.
    #[must_use]
    pub fn trouble(&self) -> Option<NodeTrouble> {
        let machine = &self.machine;
        if machine.exists && !machine.powered {
            Some(NodeTrouble::Off)
        } else if machine.lost_directions() == (true, true) {
            Some(NodeTrouble::CutOff)
        } else if !machine.cuts.is_empty() {
            Some(NodeTrouble::LinksCut)
        } else if self.ready != ConditionStatus::True {
            Some(NodeTrouble::NotReady)
        } else {
            self.cordoned.then_some(NodeTrouble::Cordoned)
        }
    }
}

/// Problem of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeTrouble {
    /// The machine has no Node object.
    NoObject,
    /// The machine has no power.
    Off,
    /// The machine is cut off from the control plane in both directions.
    CutOff,
    /// A link other than that to the control plane is cut, or only one direction of it.
    LinksCut,
    /// The Ready condition is not True.
    NotReady,
    /// The node is cordoned.
    Cordoned,
}

impl NodeTrouble {
    /// Describes the problem in a few words of the current language.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::NoObject => t!(trouble::no_object),
            Self::Off => t!(trouble::off),
            Self::CutOff => t!(trouble::cut_off),
            Self::LinksCut => t!(trouble::links_cut),
            Self::NotReady => t!(trouble::not_ready),
            Self::Cordoned => t!(trouble::cordoned),
        }
    }

    /// Like [`Self::text`], but shorter, for small displays.
    #[must_use]
    pub fn short_text(self) -> String {
        match self {
            Self::Off => t!(trouble::off_short),
            other => other.text(),
        }
    }
}
