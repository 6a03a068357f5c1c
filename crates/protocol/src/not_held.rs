//! What an answer would rest on, and no file of a dump has (P-09).

use std::fmt;

use serde::{Deserialize, Serialize};

/// What no file has, so that nobody can say why a pod waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotHeld {
    /// Any Node.
    Nodes,
    /// The pod's claims of these names.
    Claims(Vec<String>),
    /// The volumes of the pod's claims of these names.
    Volumes(Vec<String>),
}

impl fmt::Display for NotHeld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes => f.write_str("no file has a Node"),
            Self::Claims(names) if names.len() == 1 => write!(f, "no file has its claim {}", names.join(", ")),
            Self::Claims(names) => write!(f, "no file has its claims {}", names.join(", ")),
            Self::Volumes(names) if names.len() == 1 => {
                write!(f, "no file has the volume of its claim {}", names.join(", "))
            }
            Self::Volumes(names) => write!(f, "no file has the volumes of its claims {}", names.join(", ")),
        }
    }
}
