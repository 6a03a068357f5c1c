//! Objects that are missing from a dump, so that a question cannot be answered (P-09).

use std::fmt;

use podscope_messages::t;
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
        f.write_str(&match self {
            Self::Nodes => t!(missing_objects::nodes),
            Self::Claims(names) => t!(missing_objects::claims, count = names.len(), names = names.join(", ")),
            Self::Volumes(names) => t!(missing_objects::volumes, count = names.len(), names = names.join(", ")),
        })
    }
}
