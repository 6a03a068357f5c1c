//! The trace: what happened, in order. Components emit records; whoever drives the world collects them. This is the
//! one place where a record becomes a line of the contract.

use std::sync::Arc;

use podscope_api::{CausedBy, Kind, ObjectKey, Str, Uid};
use serde_json::Value;

use crate::{Actor, Happening, SimTime, Violation, What};

/// The object a record is about.
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
    /// Place in the trace, from 0.
    pub seq: u64,
    /// The earlier record that led to this one.
    pub caused_by: CausedBy,
    /// Who acted.
    pub actor: Actor,
    /// What happened.
    pub happening: Happening,
    /// The API object acted on, if any.
    pub object: Option<Arc<Subject>>,
    /// The container, for container, hook, signal and probe records.
    pub container: Option<Str>,
}

impl Record {
    /// Which kind of thing happened.
    pub fn what(&self) -> What {
        self.happening.what()
    }

    /// The break of an invariant, if that is what happened.
    pub fn violation(&self) -> Option<&Violation> {
        match &self.happening {
            Happening::InvariantViolated { violation } => Some(violation),
            _ => None,
        }
    }

    /// A field of its line: for tests and tools, which know the contract alone.
    pub fn field(&self, name: &str) -> Option<Value> {
        let fields = self.happening.fields().into_iter();
        fields
            .filter(|(field, _)| *field == name)
            .map(|(_, value)| value)
            .next()
    }

    /// The record as one JSON line of the contract (no newline). `t` is in seconds, exact to the microsecond;
    /// `causedBy` is the `seq` of the record that led to this one, or null.
    pub fn to_json_line(&self) -> String {
        self.line(LineForm::Whole)
    }

    /// The line that a fingerprint of the trace is made of.
    pub fn fingerprint_line(&self, form: Fingerprint) -> String {
        self.line(match form {
            Fingerprint::WholeLines => LineForm::WithoutCause,
            Fingerprint::Facts => LineForm::Facts,
        })
    }

    fn line(&self, form: LineForm) -> String {
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
            match (form, self.what().sentence(name)) {
                (LineForm::Facts, Sentence::LeftOut) => {}
                (LineForm::Facts, Sentence::OnlyThatItIs) => {
                    let _ = write!(line, ",\"{name}\":true");
                }
                _ => {
                    let _ = write!(line, ",\"{name}\":{value}");
                }
            }
        }
        if form == LineForm::Whole {
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

/// Seconds since t = 0, exact to the microsecond, as a line's `t`.
pub fn seconds(micros: i64) -> Value {
    if micros % 1_000_000 == 0 {
        return Value::from(micros / 1_000_000);
    }
    let text = format!("{}.{:06}", micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000));
    serde_json::from_str(text.trim_end_matches('0')).unwrap_or(Value::Null)
}

/// What a fingerprint of a trace is made of. Links say which one they carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fingerprint {
    /// Lines without `causedBy`: what links carried before traces had it.
    WholeLines,
    /// Lines without `causedBy` and without the sentences of Podscope's own: better words, or another language, change
    /// no fingerprint.
    Facts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineForm {
    Whole,
    WithoutCause,
    Facts,
}

/// What becomes of a field in a line that holds facts alone.
enum Sentence {
    /// It is a fact, or the words of Kubernetes.
    No,
    /// It is a sentence of Podscope's own.
    LeftOut,
    /// Its words are Podscope's own, but whether it is there is a fact.
    OnlyThatItIs,
}

impl What {
    fn sentence(self, field: &str) -> Sentence {
        match (self, field) {
            (What::InvariantViolated, "by" | "message")
            | (What::VolumeCorrupted, "message")
            | (What::Expectation, "expect" | "found") => Sentence::LeftOut,
            (What::Command, "error") => Sentence::OnlyThatItIs,
            _ => Sentence::No,
        }
    }
}

/// What a printed line is, known where it is made: nobody reads it from the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputKind {
    /// What was asked for, on standard output.
    Output,
    /// On standard error: the command goes on all the same.
    Warning,
    /// Anything else on standard error.
    Error,
}

impl OutputKind {
    /// Whether it goes to standard error.
    #[must_use]
    pub fn is_stderr(self) -> bool {
        self != OutputKind::Output
    }
}

/// A line that a command printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputLine {
    pub at: SimTime,
    /// The command's number.
    pub command: u32,
    /// What it is.
    pub kind: OutputKind,
    /// Text without newline.
    pub text: String,
}

/// Where a world reports. The world itself keeps no trace, so that checkpoints stay small.
pub trait Sink {
    /// A record of the trace.
    fn record(&mut self, record: Record);
    /// A line a command printed.
    fn output(&mut self, line: OutputLine);
    /// A command's client ended with that exit status.
    fn finished(&mut self, command: u32, at: SimTime, status: u8);
    /// What the requests of a client that speaks HTTP were answered, in their order; it ends with that.
    fn answered(&mut self, _command: u32, _answers: Vec<crate::Answer>) {}
}
