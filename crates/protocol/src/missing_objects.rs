//! Objects that are missing from a dump, so that a question cannot be answered (P-09).

use std::fmt;

use podscope_messages::{Sentence, sentence};
use serde::{Deserialize, Serialize};

/// The missing objects because of which a dump does not show why a pod is pending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum MissingObjectsView {
    /// The dump contains no Node object.
    Nodes,
    /// Names of missing claims of the pod.
    Claims(Vec<String>),
    /// Names of claims of the pod whose volumes are missing.
    Volumes(Vec<String>),
}

impl MissingObjectsView {
    /// Formats a sentence that names the missing objects, without a full stop.
    #[must_use]
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Nodes => sentence!(missing_objects::nodes),
            Self::Claims(names) => sentence!(missing_objects::claims, count = names.len(), names = names.clone()),
            Self::Volumes(names) => sentence!(missing_objects::volumes, count = names.len(), names = names.clone()),
        }
    }
}

impl fmt::Display for MissingObjectsView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}
