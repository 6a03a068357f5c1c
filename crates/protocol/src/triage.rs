//! Triage: the problems of a cluster at one time, as rows, and as text for a terminal and for an incident channel.

use std::fmt::Write as _;

use podscope_messages::{Sentence, t};
use serde::{Deserialize, Serialize};

use crate::{Micros, SubjectRef};

/// Kind of a problem in a cluster, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Problem {
    /// A node sends no heartbeats, or reports that it is not ready.
    NodeNotReady,
    /// A container exits repeatedly.
    CrashLoop,
    /// A pod cannot be scheduled.
    Pending,
    /// An image cannot be pulled.
    ImagePull,
    /// A container cannot be created with its pod's configuration.
    ConfigError,
    /// A volume cannot be attached, mounted or detached.
    VolumeStuck,
    /// The deletion of an object does not finish.
    Terminating,
    /// A rollout makes no progress.
    RolloutStuck,
    /// Containers do not start or do not become ready.
    NotReady,
    /// A node has a pressure condition.
    NodePressure,
    /// A pod was evicted.
    Evicted,
    /// A pod or Job failed.
    Failed,
    /// A claim has no volume.
    ClaimPending,
    /// An autoscaler cannot act.
    AutoscalerUnable,
    /// A PodDisruptionBudget allows no disruption.
    BudgetBlocks,
    /// A pod has scheduling gates.
    Gated,
}

impl Problem {
    /// Returns the name of the problem in `podscope why -o json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NodeNotReady => "NodeNotReady",
            Self::CrashLoop => "CrashLoop",
            Self::Pending => "Pending",
            Self::ImagePull => "ImagePull",
            Self::ConfigError => "ConfigError",
            Self::VolumeStuck => "VolumeStuck",
            Self::Terminating => "Terminating",
            Self::RolloutStuck => "RolloutStuck",
            Self::NotReady => "NotReady",
            Self::NodePressure => "NodePressure",
            Self::Evicted => "Evicted",
            Self::Failed => "Failed",
            Self::ClaimPending => "ClaimPending",
            Self::AutoscalerUnable => "AutoscalerUnable",
            Self::BudgetBlocks => "BudgetBlocks",
            Self::Gated => "Gated",
        }
    }
}

/// A problem that one or several objects have: one row of the triage list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The first affected object: `Pod shop/cart-0`, `Node n1`.
    pub object: String,
    pub problem: Problem,
    pub reason: Sentence,
    /// Time at which the problem began, if the objects show it; negative if the problem began before the session, which
    /// is possible in a dump.
    pub since: Option<Micros>,
    /// Remedies, smallest change first. Remedies for a pending pod have been verified by the scheduler.
    pub help: Vec<Sentence>,
    /// Number of affected objects.
    pub count: usize,
    /// Owner of the objects: `Deployment shop/cart`.
    pub owner: Option<String>,
    /// Namespace of the objects; empty for cluster-scoped objects.
    pub namespace: String,
}

impl Finding {
    /// Formats the heading of a row: the first object, the number of further objects, their owner, the age of the
    /// problem.
    #[must_use]
    pub fn heading(&self, now: Micros) -> String {
        let object = &self.object;
        let more = self.count.saturating_sub(1);
        match (&self.owner, age(self.since, now)) {
            (None, None) => t!(finding::heading, object = object, more = more),
            (Some(owner), None) => t!(finding::heading_of, object = object, more = more, owner = owner),
            (None, Some(age)) => t!(finding::heading_for, object = object, more = more, age = age),
            (Some(owner), Some(age)) => t!(
                finding::heading_of_for,
                object = object,
                more = more,
                owner = owner,
                age = age
            ),
        }
    }

    /// Returns the first object as a subject for the inspector.
    #[must_use]
    pub fn subject(&self) -> SubjectRef {
        let (kind, key) = self.object.split_once(' ').unwrap_or(("", &self.object));
        let key = key.to_owned();
        match kind {
            "Pod" => SubjectRef::Pod {
                key,
                uid: String::new(),
            },
            "Node" => SubjectRef::Node { name: key },
            kind => SubjectRef::Object {
                kind: kind.to_owned(),
                key,
            },
        }
    }
}

/// Formats an age like `kubectl get`.
fn age(since: Option<Micros>, now: Micros) -> Option<String> {
    let seconds = (now - since?).max(0) / 1_000_000;
    Some(match seconds {
        0..120 => format!("{seconds}s"),
        120..7200 => format!("{}m", seconds / 60),
        7200..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    })
}

/// Formats the triage list as text for a terminal, in the current language.
#[must_use]
pub fn plain_text(findings: &[Finding], now: Micros) -> String {
    if findings.is_empty() {
        return format!("{}\n", t!(finding::nothing));
    }
    let mut out = String::new();
    for found in findings {
        let _ = writeln!(out, "{}: {}", found.problem.name(), found.heading(now));
        let _ = writeln!(out, "    {}", found.reason);
        for help in &found.help {
            let _ = writeln!(out, "    - {help}");
        }
    }
    out
}

/// Formats the triage list as Markdown, in the current language. Names and reasons become code spans, so that no markup
/// in them is rendered.
#[must_use]
pub fn markdown(findings: &[Finding], now: Micros) -> String {
    if findings.is_empty() {
        return format!("{}\n", t!(finding::nothing));
    }
    // A code span cannot contain backticks and line breaks.
    let code = |text: &str| format!("`{}`", text.replace('`', "'").replace(['\n', '\r'], " "));
    let mut out = String::new();
    for found in findings {
        let _ = writeln!(
            out,
            "- **{}** {}: {}",
            found.problem.name(),
            code(&found.heading(now)),
            code(&found.reason.to_string())
        );
        for help in &found.help {
            let _ = writeln!(out, "  - {}", code(&help.to_string()));
        }
    }
    out
}
