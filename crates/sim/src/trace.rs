//! The trace: everything that happened, in order. Components emit records, and the driver of the world collects them.
//! This module defines the JSON line of a record.

use std::sync::Arc;

use podscope_api::{CausedBy, Kind, ObjectKey, Str, Uid};
use serde_json::Value;

use crate::{Actor, Happening, SimTime, Violation, What};

/// The object that a trace record is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    pub kind: Kind,
    /// Namespace and name.
    pub key: ObjectKey,
    /// UID; empty if unknown.
    pub uid: Uid,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub at: SimTime,
    /// Position in the trace, from 0.
    pub seq: u64,
    /// The earlier record that led to this one.
    pub caused_by: CausedBy,
    /// The process that acted.
    pub actor: Actor,
    pub happening: Happening,
    /// The API object that the record is about, if any.
    pub object: Option<Arc<Subject>>,
    /// The container, for records about containers, hooks, signals and probes.
    pub container: Option<Str>,
}

impl Record {
    /// Returns what kind of thing happened.
    pub fn what(&self) -> What {
        self.happening.what()
    }

    /// Returns the violation, if the record reports one.
    pub fn violation(&self) -> Option<&Violation> {
        match &self.happening {
            Happening::InvariantViolated { violation } => Some(violation),
            _ => None,
        }
    }

    /// Returns a field of the record's JSON line, for tests and tools that know only the trace format.
    pub fn field(&self, name: &str) -> Option<Value> {
        let fields = self.happening.fields().into_iter();
        fields
            .filter(|(field, _)| *field == name)
            .map(|(_, value)| value)
            .next()
    }

    /// Formats the record as one JSON line, without a newline. `t` is in seconds, exact to the microsecond; `causedBy`
    /// is the `seq` of the record that led to this one, or null.
    pub fn to_json_line(&self) -> String {
        self.format_json_line(TraceLineForm::Whole)
    }

    /// Returns the line from which a fingerprint of the trace is computed.
    pub fn fingerprint_line(&self, form: Fingerprint) -> String {
        self.format_json_line(match form {
            Fingerprint::WholeLines => TraceLineForm::WithoutCause,
            Fingerprint::Facts => TraceLineForm::Facts,
        })
    }

    /// Formats the record as a JSON line of this form.
    fn format_json_line(&self, form: TraceLineForm) -> String {
        use std::fmt::Write;
        let mut line = String::with_capacity(176);
        let (seconds, micros) = (self.at.0.div_euclid(1_000_000), self.at.0.rem_euclid(1_000_000));
        let _ = write!(line, "{{\"t\":{seconds}");
        if micros != 0 {
            let fraction = format!("{micros:06}");
            let _ = write!(line, ".{}", fraction.trim_end_matches('0'));
        }
        let _ = write!(
            line,
            ",\"seq\":{},\"actor\":{},\"what\":\"{}\"",
            self.seq,
            Value::from(self.actor.to_string()),
            self.what().as_str()
        );
        if let Some(subject) = &self.object {
            let _ = write!(line, ",\"object\":{{\"kind\":\"{}\"", subject.kind.name());
            if !subject.key.namespace.is_empty() {
                let _ = write!(line, ",\"namespace\":{}", Value::from(&*subject.key.namespace));
            }
            let _ = write!(line, ",\"name\":{}", Value::from(&*subject.key.name));
            if !subject.uid.is_empty() {
                let _ = write!(line, ",\"uid\":{}", Value::from(&*subject.uid.0));
            }
            line.push('}');
        }
        if let Some(container) = &self.container {
            let _ = write!(line, ",\"container\":{}", Value::from(&**container));
        }
        for (name, value) in self.happening.fields() {
            match (form, self.what().fact_form(name)) {
                (TraceLineForm::Facts, FactFieldForm::Omitted) => {}
                (TraceLineForm::Facts, FactFieldForm::OnlyPresence) => {
                    let _ = write!(line, ",\"{name}\":true");
                }
                _ => {
                    let _ = write!(line, ",\"{name}\":{value}");
                }
            }
        }
        if form == TraceLineForm::Whole {
            match self.caused_by.seq() {
                Some(seq) => {
                    let _ = write!(line, ",\"causedBy\":{seq}");
                }
                None => line.push_str(",\"causedBy\":null"),
            }
        }
        line.push('}');
        line
    }
}

/// Returns the seconds since t = 0, exact to the microsecond, as in the field `t`.
pub fn seconds(micros: i64) -> Value {
    if micros % 1_000_000 == 0 {
        return Value::from(micros / 1_000_000);
    }
    let text = format!("{}.{:06}", micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
    serde_json::from_str(text.trim_end_matches('0')).unwrap_or(Value::Null)
}

/// The content of a trace that its fingerprint covers. A link states which form it uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fingerprint {
    /// Lines without `causedBy`, for links that are older than this field.
    WholeLines,
    /// Lines without `causedBy` and without Podscope's own sentences, so that rewording or translating a sentence keeps
    /// the fingerprint.
    Facts,
}

/// The form of a record's JSON line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TraceLineForm {
    Whole,
    WithoutCause,
    Facts,
}

/// How a field appears in a line of [`Fingerprint::Facts`].
enum FactFieldForm {
    /// A fact or Kubernetes' own text, which appears as it is.
    AsIs,
    /// A sentence of Podscope's own, which is left out.
    Omitted,
    /// A sentence of Podscope's own whose presence is a fact; `true` replaces the text.
    OnlyPresence,
}

impl What {
    fn fact_form(self, field: &str) -> FactFieldForm {
        match (self, field) {
            (What::InvariantViolated, "by" | "message")
            | (What::VolumeCorrupted, "message")
            | (What::Expectation, "expect" | "found") => FactFieldForm::Omitted,
            (What::Command, "error") => FactFieldForm::OnlyPresence,
            _ => FactFieldForm::AsIs,
        }
    }
}

/// The kind of a printed line, set where the line is made, so that no reader has to guess it from the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputKind {
    /// Requested output, on standard output.
    Output,
    /// A warning on standard error; the command continues.
    Warning,
    /// A message on standard error that reports no error, e.g. `No resources found`.
    Remark,
    /// Any other line on standard error.
    Error,
}

impl OutputKind {
    /// Returns whether the line belongs on standard error.
    #[must_use]
    pub fn is_stderr(self) -> bool {
        self != OutputKind::Output
    }
}

/// A line that a command printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputLine {
    pub at: SimTime,
    /// Number of the command that printed the line.
    pub command: u32,
    pub kind: OutputKind,
    /// The text, without a newline.
    pub text: String,
}

/// Receiver of a world's output. The world itself keeps no trace, so that checkpoints stay small.
pub trait Sink {
    /// Receives a record of the trace.
    fn record(&mut self, record: Record);
    /// Receives a line that a command printed.
    fn output(&mut self, line: OutputLine);
    /// Receives the exit status of a command whose client ended.
    fn finished(&mut self, command: u32, at: SimTime, status: u8);
    /// Receives the answers to all requests of a client that speaks HTTP, in order. The client ends with them.
    fn answered(&mut self, _command: u32, _answers: Vec<crate::Answer>) {}
}
