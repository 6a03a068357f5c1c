//! What is wrong in a cluster at an instant: the rows of the list, and the list as text for a terminal and for an incident
//! channel.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::{Micros, SubjectRef};

/// What kind of thing is wrong, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Problem {
    /// The control plane does not hear a node, or the node says that it is not ready.
    NodeNotReady,
    /// A container ends again and again.
    CrashLoop,
    /// No node takes a pod.
    Pending,
    /// An image cannot be pulled.
    ImagePull,
    /// A container cannot be created as its pod asks for.
    ConfigError,
    /// A volume cannot be attached, mounted or detached.
    VolumeStuck,
    /// An object is to be gone and is not.
    Terminating,
    /// A rollout stands still.
    RolloutStuck,
    /// Containers run and do not get ready, or do not start.
    NotReady,
    /// A node is short of something.
    NodePressure,
    /// A pod was evicted.
    Evicted,
    /// A pod or Job failed.
    Failed,
    /// A claim has no volume.
    ClaimPending,
    /// An autoscaler cannot act.
    AutoscalerUnable,
    /// A budget allows no disruption.
    BudgetBlocks,
    /// Somebody holds a pod back.
    Gated,
}

impl Problem {
    /// Its name in `podscope why -o json`.
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

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The first object that it concerns: `Pod shop/cart-0`, `Node n1`.
    pub object: String,
    pub problem: Problem,
    pub reason: String,
    /// Since when, as far as the objects say; before t = 0 where a dump says so.
    pub since: Option<Micros>,
    /// What would help, the smallest change first; each was tried where the scheduler can try it.
    pub help: Vec<String>,
    /// How many objects.
    pub count: usize,
    /// Whose they are: `Deployment shop/cart`.
    pub owner: Option<String>,
    /// Namespace of the objects; empty for those of the cluster.
    pub namespace: String,
}

impl Finding {
    /// What a row is about: its first object, how many more, whose they are and for how long.
    #[must_use]
    pub fn heading(&self, now: Micros) -> String {
        let mut text = self.object.clone();
        if self.count > 1 {
            let _ = write!(text, " and {} more", self.count - 1);
        }
        let of = self.owner.as_deref().map(|owner| format!("of {owner}"));
        let since = age(self.since, now).map(|age| format!("for {age}"));
        let more: Vec<String> = of.into_iter().chain(since).collect();
        if !more.is_empty() {
            let _ = write!(text, " ({})", more.join(", "));
        }
        text
    }

    /// The first object, for the inspector.
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

/// What to say where nothing is wrong.
const NOTHING: &str = "nothing is wrong that the objects show";

/// How long ago, as `kubectl get` prints ages.
fn age(since: Option<Micros>, now: Micros) -> Option<String> {
    let seconds = (now - since?).max(0) / 1_000_000;
    Some(match seconds {
        0..120 => format!("{seconds}s"),
        120..7200 => format!("{}m", seconds / 60),
        7200..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    })
}

/// The list for a terminal.
#[must_use]
pub fn plain(findings: &[Finding], now: Micros) -> String {
    if findings.is_empty() {
        return format!("{NOTHING}\n");
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

/// The list in Markdown: names and reasons as code, so that nothing in them is taken for markup.
#[must_use]
pub fn markdown(findings: &[Finding], now: Micros) -> String {
    if findings.is_empty() {
        return format!("{NOTHING}\n");
    }
    // A span of code may hold anything but a backtick and a line break.
    let code = |text: &str| format!("`{}`", text.replace('`', "'").replace(['\n', '\r'], " "));
    let mut out = String::new();
    for found in findings {
        let _ = writeln!(
            out,
            "- **{}** {}: {}",
            found.problem.name(),
            code(&found.heading(now)),
            code(&found.reason)
        );
        for help in &found.help {
            let _ = writeln!(out, "  - {}", code(help));
        }
    }
    out
}
