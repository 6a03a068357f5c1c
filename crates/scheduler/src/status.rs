//! What a plugin answers: a code, and reasons in the scheduler's words. Texts are made only when read.

use podscope_api::ordered::StableSort as _;
use std::fmt::Write as _;

use podscope_api::Str;

use crate::plugins::Plugin;
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
    /// The text.
    pub fn text(&self, symbols: &Symbols) -> String {
        match self {
            Self::Fixed(text) => (*text).to_owned(),
            Self::Insufficient(resource) => format!("Insufficient {}", symbols.text(*resource)),
            Self::Text(text) => text.to_string(),
        }
    }
}

/// Reasons of one status; one is by far the most common number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reasons {
    /// One.
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
    /// Whose.
    pub plugin: Option<Plugin>,
    /// What kind.
    pub code: Code,
    /// Why.
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
    /// ` 1 a, 2 b.` with entries sorted as byte strings; empty without entries.
    pub(crate) fn text(&self, symbols: &Symbols) -> String {
        // Different reasons may print the same text; they are one entry.
        let mut by_text: Vec<(String, usize)> = Vec::new();
        for (reason, count) in &self.entries {
            let text = reason.text(symbols);
            match by_text.iter_mut().find(|(known, _)| *known == text) {
                Some((_, sum)) => *sum += count,
                None => by_text.push((text, *count)),
            }
        }
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
