//! The result of a plugin: a status code, and reasons in kube-scheduler's words. The texts are formatted only on
//! demand.

pub use podscope_api::explained::Code;

use podscope_api::explained::RefusalCause;
use podscope_api::ordered::StableSort as _;
use podscope_messages::Message;
use std::fmt::Write as _;

use podscope_api::Str;

use crate::plugins::{Plugin, TABLE};
use crate::symbols::{Symbol, Symbols};

/// One reason of a status, formatted on demand.
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

    /// Returns the reason in two or three words, for displays with little space.
    pub fn short(&self, symbols: &Symbols) -> String {
        match self {
            Self::Fixed(text) => short_form(text).to_owned(),
            Self::Insufficient(_) | Self::Text(_) => self.text(symbols),
        }
    }
}

/// Returns the short form of a plugin's fixed reason, or the reason itself if it has no short form.
fn short_form(reason: &'static str) -> &'static str {
    let known = TABLE.iter().flat_map(|row| row.short);
    let mut found = known.filter(|(long, _)| *long == reason).map(|(_, short)| *short);
    found.next().map_or(reason, Message::english)
}

/// The reasons of one status. A single reason, the common case, needs no allocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reasons {
    One(Reason),
    /// No reason, or several reasons in order.
    Many(Vec<Reason>),
}

impl Reasons {
    pub fn as_slice(&self) -> &[Reason] {
        match self {
            Self::One(reason) => std::slice::from_ref(reason),
            Self::Many(reasons) => reasons,
        }
    }
}

/// A rejection by a plugin, or by the framework itself if `plugin` is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    pub plugin: Option<Plugin>,
    pub code: Code,
    pub reasons: Reasons,
}

impl Status {
    /// Creates a status with one fixed reason.
    pub fn fixed(plugin: Plugin, code: Code, reason: &'static str) -> Self {
        Self {
            plugin: Some(plugin),
            code,
            reasons: Reasons::One(Reason::Fixed(reason)),
        }
    }

    /// Creates a status with one formatted reason.
    pub fn text(plugin: Plugin, code: Code, reason: impl Into<Str>) -> Self {
        Self {
            plugin: Some(plugin),
            code,
            reasons: Reasons::One(Reason::Text(reason.into())),
        }
    }

    /// Creates a status with the code `Unschedulable`.
    pub fn unschedulable(plugin: Plugin, reason: &'static str) -> Self {
        Self::fixed(plugin, Code::Unschedulable, reason)
    }

    /// Creates a status with the code `UnschedulableAndUnresolvable`.
    pub fn unresolvable(plugin: Plugin, reason: &'static str) -> Self {
        Self::fixed(plugin, Code::UnschedulableAndUnresolvable, reason)
    }

    /// Returns the reasons joined with `, `.
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

/// Counts how many nodes have each reason, for the list after `0/N nodes are available:` (SCH-026, SCH-027).
#[derive(Debug, Default)]
pub(crate) struct ReasonHistogram {
    entries: Vec<(Reason, usize)>,
}

impl ReasonHistogram {
    pub(crate) fn add(&mut self, status: &Status, times: usize) {
        for reason in status.reasons.as_slice() {
            match self.entries.iter_mut().find(|(known, _)| known == reason) {
                Some((_, count)) => *count += times,
                None => self.entries.push((reason.clone(), times)),
            }
        }
    }

    /// Returns the counts by text, because different reasons may have the same text.
    fn by_text(&self, to_text: impl Fn(&Reason) -> String) -> Vec<(String, usize)> {
        let mut by_text: Vec<(String, usize)> = Vec::new();
        for (reason, count) in &self.entries {
            let text = to_text(reason);
            match by_text.iter_mut().find(|(known, _)| *known == text) {
                Some((_, sum)) => *sum += count,
                None => by_text.push((text, *count)),
            }
        }
        by_text
    }

    /// Returns the reasons in short form with their counts, the most frequent first, then by name.
    pub(crate) fn causes(&self, symbols: &Symbols) -> Vec<RefusalCause> {
        let mut causes = self.by_text(|reason| reason.short(symbols));
        causes.stable_sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        causes
            .into_iter()
            .map(|(text, nodes)| RefusalCause { nodes, text })
            .collect()
    }

    /// Returns ` 1 a, 2 b.`, with the entries sorted as byte strings; empty without entries.
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
