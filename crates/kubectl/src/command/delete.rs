//! `kubectl delete` as a value.

use podscope_cluster::{Propagation, Span};

use super::kubectl::{DryRun, Target};

/// What `kubectl delete` is to delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeleteTarget {
    /// Objects of the cluster.
    Target(Target),
    /// `-f -`: the objects of a text.
    Manifest {
        text: String,
        /// Namespace, if given.
        namespace: Option<String>,
    },
}

/// `kubectl delete`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delete {
    pub what: DeleteTarget,
    /// `--grace-period`; -1 is the object's own.
    pub grace_period: i64,
    /// `--force`.
    pub force: bool,
    /// `--now`.
    pub now: bool,
    /// `--wait`; none means true.
    pub wait: Option<bool>,
    /// `--timeout`.
    pub timeout: Option<Span>,
    /// `--cascade`: `background`, `foreground`, `orphan`.
    pub cascade: Option<String>,
    /// `--ignore-not-found`.
    pub ignore_not_found: bool,
    /// `-o name`.
    pub output_name: bool,
    /// `--interactive`: what is answered to the question whether to go on.
    pub answer: Option<String>,
    /// `--dry-run`.
    pub dry_run: DryRun,
}

/// What `--cascade` asks for; words of Go's booleans are deprecated, and told of as kubectl does.
pub(crate) fn cascading(word: Option<&str>) -> (Propagation, Option<String>) {
    let deprecated = |better: &str| {
        let word = word.unwrap_or_default();
        Some(format!(
            "warning: --cascade={word} is deprecated (boolean value) and can be replaced with --cascade={better}."
        ))
    };
    match word {
        None | Some("background") => (Propagation::Background, None),
        Some("foreground") => (Propagation::Foreground, None),
        Some("orphan") => (Propagation::Orphan, None),
        Some(word) if matches!(word.as_bytes().first(), Some(b'0' | b'f' | b'F')) => {
            (Propagation::Orphan, deprecated("orphan"))
        }
        Some(_) => (Propagation::Background, deprecated("background")),
    }
}

impl Delete {
    /// Grace seconds as sent; none means the object's own (KC-081).
    pub fn grace_seconds(&self) -> Option<i64> {
        let grace = if self.now { 1 } else { self.grace_period };
        match (grace, self.force) {
            (grace, true) if grace < 0 => Some(0),
            (0, false) => Some(1),
            (grace, _) if grace < 0 => None,
            (grace, _) => Some(grace),
        }
    }
}
