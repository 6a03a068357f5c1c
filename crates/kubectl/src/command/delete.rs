//! The parsed `kubectl delete` command.

use podscope_cluster::{Propagation, Span};

use super::kubectl::{DryRun, Target};

/// The objects that `kubectl delete` deletes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeleteTarget {
    /// Objects by name or selector.
    Target(Target),
    /// `-f -`: the objects of a manifest.
    Manifest {
        text: String,
        /// Namespace (`-n`), if given.
        namespace: Option<String>,
    },
}

/// `kubectl delete`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delete {
    pub objects: DeleteTarget,
    /// `--grace-period` in seconds; -1 uses the grace period of the object.
    pub grace_period: i64,
    /// `--force`.
    pub force: bool,
    /// `--now`.
    pub now: bool,
    /// `--wait`; `None` means true.
    pub wait: Option<bool>,
    /// `--timeout`.
    pub timeout: Option<Span>,
    /// `--cascade`: `background`, `foreground`, `orphan`.
    pub cascade: Option<String>,
    /// `--ignore-not-found`.
    pub ignore_not_found: bool,
    /// `-o name`.
    pub output_name: bool,
    /// `--interactive`: the answer to kubectl's confirmation question.
    pub answer: Option<String>,
    /// `--dry-run`.
    pub dry_run: DryRun,
}

/// Returns the propagation policy of a `--cascade` value, and kubectl's deprecation warning if the value is a boolean.
pub(crate) fn propagation_of_cascade(cascade: Option<&str>) -> (Propagation, Option<String>) {
    let deprecated = |better: &str| {
        let value = cascade.unwrap_or_default();
        Some(format!(
            "warning: --cascade={value} is deprecated (boolean value) and can be replaced with --cascade={better}."
        ))
    };
    match cascade {
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
    /// Returns the grace period of the request in seconds; `None` uses the grace period of the object (KC-081).
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
