//! Objects that are missing from a dump, so that a question cannot be answered (P-09).

use std::fmt;

use serde::{Deserialize, Serialize};

/// Objects that no file of a dump contains, so that the reason why a pod waits is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum MissingObjectsView {
    /// There is no Node object.
    Nodes,
    /// Names of the pod's claims that are missing.
    Claims(Vec<String>),
    /// Names of the pod's claims whose volumes are missing.
    Volumes(Vec<String>),
}

impl fmt::Display for MissingObjectsView {
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
