//! What is not as usual about a node, in a few words.

use podscope_api::ConditionStatus;
use serde::{Deserialize, Serialize};

use crate::NodeView;

impl NodeView {
    /// What is not as usual about it and its machine.
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

/// What is not as usual about a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeTrouble {
    /// There is a machine, but no Node object.
    NoObject,
    /// Its machine is off.
    Off,
    /// Its machine and the control plane do not hear each other.
    CutOff,
    /// Its machine is cut from something else, or one way.
    LinksCut,
    /// The API server does not take it for ready.
    NotReady,
    /// It takes no new pods.
    Cordoned,
}

impl NodeTrouble {
    /// In a few words.
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

    /// The same where there is less room.
    #[must_use]
    pub const fn short(self) -> &'static str {
        match self {
            Self::Off => "off",
            other => other.words(),
        }
    }
}
