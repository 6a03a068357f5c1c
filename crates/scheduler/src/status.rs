//! What a plugin answers: a code, and reasons in the scheduler's words. Texts are made only when read.

use podscope_api::ordered::StableSort as _;
use std::fmt::Write as _;

use podscope_api::Str;

use crate::plugins::{Plugin, TABLE};
use crate::symbols::{Symbol, Symbols};

/// The code of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Code {
    /// Preemption may help.
    Unschedulable,
    /// Nothing the scheduler can do helps.
    UnschedulableAndUnresolvable,
    /// An internal error: the cycle failed.
    Error,
}

impl Code {
    /// Kubernetes' name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unschedulable => "Unschedulable",
            Self::UnschedulableAndUnresolvable => "UnschedulableAndUnresolvable",
            Self::Error => "Error",
        }
    }
}

/// One reason, not yet a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// A fixed text.
    Fixed(&'static str),
    /// `Insufficient <resource>`.
    Insufficient(Symbol),
    /// Any other text.
    Text(Str),
}

impl Reason {
    pub fn text(&self, symbols: &Symbols) -> String {
        match self {
            Self::Fixed(text) => (*text).to_owned(),
            Self::Insufficient(resource) => format!("Insufficient {}", symbols.text(*resource)),
            Self::Text(text) => text.to_string(),
        }
    }

    /// The reason in two or three words, for a card or a row that has no room for more.
    pub fn short(&self, symbols: &Symbols) -> String {
        match self {
            Self::Fixed(text) => short(text).to_owned(),
            Self::Insufficient(_) | Self::Text(_) => self.text(symbols),
        }
    }
}

/// A plugin's fixed reason in two or three words.
fn short(reason: &'static str) -> &'static str {
    let known = TABLE.iter().flat_map(|row| row.short);
    let mut found = known.filter(|(long, _)| *long == reason).map(|(_, short)| *short);
    found.next().unwrap_or(reason)
}

/// Why no node took a pod at its last attempt: how many nodes there were, and the causes with the nodes of each, most
/// frequent first. A node that refused for two reasons counts for both.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refusal {
    /// Nodes that there were.
    pub nodes: usize,
    /// Causes as [`Reason::short`] puts them.
    pub causes: Vec<(String, usize)>,
}

/// Reasons of one status; one is by far the most common number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reasons {
    One(Reason),
    /// None, or several in order.
    Many(Vec<Reason>),
}

impl Reasons {
    /// The reasons in order.
    pub fn as_slice(&self) -> &[Reason] {
        match self {
            Self::One(reason) => std::slice::from_ref(reason),
            Self::Many(reasons) => reasons,
        }
    }
}

/// A refusal by a plugin (or by none, for what the framework says itself).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    pub plugin: Option<Plugin>,
    /// What kind.
    pub code: Code,
    pub reasons: Reasons,
}

impl Status {
    /// One fixed reason.
    pub fn fixed(plugin: Plugin, code: Code, reason: &'static str) -> Self {
        Self {
            plugin: Some(plugin),
            code,
            reasons: Reasons::One(Reason::Fixed(reason)),
        }
    }

    /// One reason made for the occasion.
    pub fn text(plugin: Plugin, code: Code, reason: impl Into<Str>) -> Self {
        Self {
            plugin: Some(plugin),
            code,
            reasons: Reasons::One(Reason::Text(reason.into())),
        }
    }

    /// `Unschedulable`.
    pub fn unschedulable(plugin: Plugin, reason: &'static str) -> Self {
        Self::fixed(plugin, Code::Unschedulable, reason)
    }

    /// `UnschedulableAndUnresolvable`.
    pub fn unresolvable(plugin: Plugin, reason: &'static str) -> Self {
        Self::fixed(plugin, Code::UnschedulableAndUnresolvable, reason)
    }

    /// The reasons joined with `, `.
    pub fn message(&self, symbols: &Symbols) -> String {
        let texts: Vec<String> = self
            .reasons
            .as_slice()
            .iter()
            .map(|reason| reason.text(symbols))
            .collect();
        texts.join(", ")
    }
}

/// `0/N nodes are available:` and what follows (SCH-026, SCH-027).
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    entries: Vec<(Reason, usize)>,
}

impl Histogram {
    pub(crate) fn add(&mut self, status: &Status, times: usize) {
        for reason in status.reasons.as_slice() {
            match self.entries.iter_mut().find(|(known, _)| known == reason) {
                Some((_, count)) => *count += times,
                None => self.entries.push((reason.clone(), times)),
            }
        }
    }

    /// How often each text stands there: different reasons may say the same.
    fn by_text(&self, say: impl Fn(&Reason) -> String) -> Vec<(String, usize)> {
        let mut by_text: Vec<(String, usize)> = Vec::new();
        for (reason, count) in &self.entries {
            let text = say(reason);
            match by_text.iter_mut().find(|(known, _)| *known == text) {
                Some((_, sum)) => *sum += count,
                None => by_text.push((text, *count)),
            }
        }
        by_text
    }

    /// The causes with their counts, most frequent first, then by name.
    pub(crate) fn causes(&self, symbols: &Symbols) -> Vec<(String, usize)> {
        let mut causes = self.by_text(|reason| reason.short(symbols));
        causes.stable_sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        causes
    }

    /// ` 1 a, 2 b.` with entries sorted as byte strings; empty without entries.
    pub(crate) fn text(&self, symbols: &Symbols) -> String {
        let by_text = self.by_text(|reason| reason.text(symbols));
        let mut entries: Vec<String> = by_text
            .into_iter()
            .map(|(text, count)| format!("{count} {text}"))
            .collect();
        entries.stable_sort();
        let mut out = String::new();
        if !entries.is_empty() {
            let _ = write!(out, " {}.", entries.join(", "));
        }
        out
    }
}
