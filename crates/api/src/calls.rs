//! Requests that a pod sends to Services, configured by the annotation `podscope.dev/calls: "svc=web, rate=20/s,
//! timeout=1s"`; several calls are separated by `;`.

use std::fmt;

use crate::behavior::{MAX_ERRORS, parse_micros};
use crate::{Labels, ObjectKey, Str, print_duration_short};

/// The annotation of a pod or template that lists the Services it calls.
pub const CALLS_ANNOTATION: &str = "podscope.dev/calls";

/// Maximum number of entries in a `podscope.dev/calls` annotation.
const MAX_CALLS: usize = 16;

/// A request rate; the requests are spread evenly over the period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate {
    /// Number of requests per period; at least one.
    pub requests: u32,
    /// The period in microseconds: a second, a minute or an hour.
    pub micros: i64,
}

impl Rate {
    /// Maximum number of requests per period in a rate.
    pub const MAX_REQUESTS_PER_PERIOD: u32 = 1_000_000;

    /// Parses `20/s`, `5/m` or `1/h`.
    ///
    /// # Errors
    /// A message about the malformed text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} is not a rate from 1 to {} such as 20/s, 5/m or 1/h",
                Self::MAX_REQUESTS_PER_PERIOD
            )
        };
        let (requests, unit) = text.split_once('/').ok_or_else(wrong)?;
        let micros = RATE_UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?.1;
        let is_number = requests.bytes().all(|byte| byte.is_ascii_digit());
        let requests = requests
            .parse()
            .ok()
            .filter(|n| is_number && (1..=Self::MAX_REQUESTS_PER_PERIOD).contains(n));
        Ok(Self {
            requests: requests.ok_or_else(wrong)?,
            micros,
        })
    }
}

const RATE_UNITS: [(&str, i64); 3] = [("s", 1_000_000), ("m", 60_000_000), ("h", 3_600_000_000)];

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = RATE_UNITS.iter().find(|(_, micros)| *micros == self.micros);
        write!(f, "{}/{}", self.requests, unit.map_or("s", |(name, _)| name))
    }
}

/// The requests that a client sends to one Service.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServiceCalls {
    /// The Service, or a pod by its hostname as in `db-0.db`; an empty namespace means the client's own.
    pub service: ObjectKey,
    pub rate: Rate,
    /// How long the client waits for a response, in microseconds; 1 s by default.
    pub timeout: Option<i64>,
    /// Whether the client reuses its connection for the next request.
    pub keep_alive: bool,
    /// How often the client repeats a failed request, without delay.
    pub retries: u32,
}

/// Maximum number of retries of one request.
pub const MAX_RETRIES: u32 = 10;

impl ServiceCalls {
    /// Returns how long the client waits for a response, in microseconds.
    pub fn timeout_micros(&self) -> i64 {
        self.timeout.unwrap_or(1_000_000)
    }
}

/// Parses a `podscope.dev/calls` annotation.
///
/// # Errors
/// All errors, each with its position in the text.
pub fn parse_calls(text: &str) -> Result<Vec<ServiceCalls>, Vec<String>> {
    let (mut calls, mut errors) = (Vec::new(), Vec::new());
    let mut offset = 0;
    for part in text.split(';') {
        if calls.len() == MAX_CALLS {
            errors.push(format!("more than {MAX_CALLS} calls"));
            break;
        }
        match parse_calls_to_service(part, offset, text) {
            Ok(call) => calls.push(call),
            Err(mistakes) => errors.extend(mistakes),
        }
        offset += part.len() + 1;
    }
    errors.truncate(MAX_ERRORS);
    if errors.is_empty() { Ok(calls) } else { Err(errors) }
}

fn parse_calls_to_service(part: &str, offset: usize, whole: &str) -> Result<ServiceCalls, Vec<String>> {
    const CALL_KEYS: &str = "svc, rate, timeout, keepalive, retries";
    let (mut service, mut rate, mut timeout, mut keep_alive, mut retries) = (None, None, None, None, None);
    let mut errors = Vec::new();
    let mut at = offset;
    for pair in part.split(',') {
        let start = at + (pair.len() - pair.trim_start().len());
        at += pair.len() + 1;
        let position = whole.get(..start).map_or(0, |before| before.chars().count()) + 1;
        let mut wrong = |message: String| errors.push(format!("{message} (at character {position})"));
        let Some((key, value)) = pair.split_once('=') else {
            wrong(format!("expected KEY=VALUE, found {:?}", pair.trim()));
            continue;
        };
        let (key, value) = (key.trim(), value.trim());
        let stored = match key {
            "svc" => set_once(&mut service, parse_service(value)),
            "rate" => set_once(&mut rate, Rate::parse(value)),
            "timeout" => set_once(&mut timeout, parse_positive_duration(value)),
            "keepalive" => set_once(&mut keep_alive, parse_boolean(value)),
            "retries" => set_once(&mut retries, parse_number(value)),
            _ => Err(format!("no such key; the keys are {CALL_KEYS}")),
        };
        if let Err(message) = stored {
            wrong(format!("{key}: {message}"));
        }
    }
    let position = whole.get(..offset).map_or(0, |before| before.chars().count()) + 1;
    for (key, is_missing) in [("svc", service.is_none()), ("rate", rate.is_none())] {
        if is_missing && errors.is_empty() {
            errors.push(format!("{key} is missing (at character {position})"));
        }
    }
    match (service, rate) {
        (Some(service), Some(rate)) if errors.is_empty() => Ok(ServiceCalls {
            service,
            rate,
            timeout,
            keep_alive: keep_alive.unwrap_or(false),
            retries: retries.unwrap_or(0),
        }),
        _ => Err(errors),
    }
}

fn set_once<T>(slot: &mut Option<T>, value: Result<T, String>) -> Result<(), String> {
    if slot.is_some() {
        return Err("given twice".into());
    }
    *slot = Some(value?);
    Ok(())
}

/// Parses `web`, `shop/web` or, for a pod with a hostname, `db-0.db`.
fn parse_service(text: &str) -> Result<ObjectKey, String> {
    let (namespace, name) = text.split_once('/').unwrap_or(("", text));
    let is_name = |text: &str| {
        let is_label = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !text.is_empty() && text.len() <= 63 && text.bytes().all(is_label)
    };
    let is_service = is_name(name)
        || name
            .split_once('.')
            .is_some_and(|(host, name)| is_name(host) && is_name(name));
    if !is_service || !(is_name(namespace) || (namespace.is_empty() && !text.contains('/'))) {
        return Err(format!("{text:?} is not a Service: give NAME or NAMESPACE/NAME"));
    }
    Ok(ObjectKey::new(Str::from(namespace), name))
}

fn parse_positive_duration(text: &str) -> Result<i64, String> {
    match parse_micros(text)? {
        0 => Err("a client that does not wait gets no answer".into()),
        micros => Ok(micros),
    }
}

fn parse_boolean(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("{text:?} is not true or false"))
}

fn parse_number(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|n| *n <= MAX_RETRIES);
    number.ok_or_else(|| format!("{text:?} is not a number from 0 to {MAX_RETRIES}"))
}

impl fmt::Display for ServiceCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ObjectKey { namespace, name } = &self.service;
        match namespace.is_empty() {
            true => write!(f, "svc={name}")?,
            false => write!(f, "svc={namespace}/{name}")?,
        }
        write!(f, ", rate={}", self.rate)?;
        if let Some(timeout) = self.timeout {
            write!(f, ", timeout={}", print_duration_short(timeout))?;
        }
        if self.keep_alive {
            f.write_str(", keepalive=true")?;
        }
        if self.retries > 0 {
            write!(f, ", retries={}", self.retries)?;
        }
        Ok(())
    }
}

/// Returns the requests that a pod sends to Services, from its annotation; empty if the annotation is absent or
/// malformed.
pub fn calls_of(annotations: &Labels) -> Vec<ServiceCalls> {
    let text = annotations.get(CALLS_ANNOTATION);
    text.and_then(|text| parse_calls(text).ok()).unwrap_or_default()
}
