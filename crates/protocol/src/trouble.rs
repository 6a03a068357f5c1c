//! The most important problem of a node, in a few words.

use podscope_api::ConditionStatus;
use serde::{Deserialize, Serialize};

use crate::NodeView;

impl NodeView {
    /// The most important problem of the node or its machine.
    #[must_use]
    pub fn trouble(&self) -> Option<NodeTrouble> {
        let machine = &self.machine;
        if machine.exists && !machine.powered {
            Some(NodeTrouble::Off)
        } else if machine.lost() == (true, true) {
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
    /// Other links of the machine are cut, or only one direction.
    LinksCut,
    /// The Ready condition is not True.
    NotReady,
    /// The node is cordoned.
    Cordoned,
}

impl NodeTrouble {
    /// Text for the problem.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NoObject => "no Node object",
            Self::Off => "machine is off",
            Self::CutOff => "cut off",
            Self::LinksCut => "links cut",
            Self::NotReady => "not ready",
            Self::Cordoned => "cordoned",
        }
    }

    /// Shorter text, for displays with little room.
    #[must_use]
    pub const fn short(self) -> &'static str {
        match self {
            Self::Off => "off",
            other => other.words(),
        }
    }
}
