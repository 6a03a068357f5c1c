//! Parsing and printing of the values in behaviour annotations.

use std::fmt;

use super::{ErrorShare, HookBehavior, ListenerOnStop, ProbeAnswer, ProbeBehavior, Usage};
use crate::Quantity;
use crate::duration::{parse_duration, print_duration_short};

impl ProbeBehavior {
    /// Returns the probe's result, `since_start` microseconds after container start.
    pub fn at(&self, since_start: i64) -> ProbeAnswer {
        let inside =
            self.from.is_none_or(|from| since_start >= from) && self.until.is_none_or(|until| since_start < until);
        if inside { self.answer } else { ProbeAnswer::Ok }
    }
}

impl fmt::Display for ProbeBehavior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.answer {
            ProbeAnswer::Ok => "ok",
            ProbeAnswer::Fail => "fail",
            ProbeAnswer::Unknown => "unknown",
        })?;
        write_time_window(self.from, self.until, f)
    }
}

impl Usage {
    /// Returns the usage, `since_start` microseconds after container start.
    pub fn at(&self, since_start: i64) -> Quantity {
        if since_start >= self.over {
            return self.to;
        }
        self.from.interpolate(self.to, since_start.max(0), self.over)
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.over == 0 {
            return self.to.fmt(f);
        }
        write!(f, "{}..{}@{}", self.from, self.to, print_duration_short(self.over))
    }
}

impl ErrorShare {
    /// Returns the number of errors per million requests, `since_start` microseconds after container start.
    pub fn at(&self, since_start: i64) -> u32 {
        let inside =
            self.from.is_none_or(|from| since_start >= from) && self.until.is_none_or(|until| since_start < until);
        if inside { self.per_million } else { 0 }
    }
}

impl fmt::Display for ErrorShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.per_million / 10_000, self.per_million % 10_000);
        write!(f, "{whole}")?;
        if part > 0 {
            let part = format!("{part:04}");
            write!(f, ".{}", part.trim_end_matches('0'))?;
        }
        f.write_str("%")?;
        write_time_window(self.from, self.until, f)
    }
}

impl fmt::Display for ListenerOnStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Closes => "close",
            Self::Accepts => "accept",
        })
    }
}

fn write_time_window(from: Option<i64>, until: Option<i64>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if let Some(from) = from {
        write!(f, "@{}..", print_duration_short(from))?;
    }
    if let Some(until) = until {
        f.write_str(&print_duration_short(until))?;
    }
    Ok(())
}

/// Maximum duration in an annotation, in microseconds: a hundred years, the maximum simulated time.
const MAX_DURATION_MICROS: i64 = 100 * 365 * 86_400 * 1_000_000;

pub(crate) fn parse_micros(text: &str) -> Result<i64, String> {
    match parse_duration(text) {
        Ok(micros) if micros > MAX_DURATION_MICROS => Err(format!("{text:?} is longer than a hundred years (876000h)")),
        Ok(micros) if micros >= 0 => Ok(micros),
        Ok(_) => Err(format!("{text:?} is negative")),
        Err(_) => Err(format!("{text:?} is not a length of time such as 30s or 1m30s")),
    }
}

pub(super) fn parse_hook_behavior(text: &str) -> Result<HookBehavior, String> {
    Ok(match text {
        "fail" => HookBehavior::Fails,
        "hang" => HookBehavior::Hangs,
        _ => HookBehavior::Takes(parse_micros(text)?),
    })
}

pub(super) fn parse_probe_behavior(text: &str) -> Result<ProbeBehavior, String> {
    let (word, window) = match text.split_once('@') {
        Some((word, window)) => (word, Some(window)),
        None => (text, None),
    };
    let answer = match word {
        "ok" if window.is_none() => ProbeAnswer::Ok,
        "fail" => ProbeAnswer::Fail,
        "unknown" => ProbeAnswer::Unknown,
        _ => {
            return Err(format!(
                "{text:?} is not ok, fail, unknown or a window such as fail@30s..60s"
            ));
        }
    };
    let (from, until) = match window {
        Some(window) => parse_time_window(window)?,
        None => (None, None),
    };
    Ok(ProbeBehavior { answer, from, until })
}

pub(crate) fn parse_usage(text: &str) -> Result<Usage, String> {
    let amount = |text: &str| match text.parse::<Quantity>() {
        Ok(amount) if amount.sign() >= 0 => Ok(amount),
        Ok(_) => Err(format!("{text:?} is negative")),
        Err(_) => Err(format!("{text:?} is not an amount such as 200Mi or 500m")),
    };
    let Some((from, rest)) = text.split_once("..") else {
        let to = amount(text)?;
        return Ok(Usage { from: to, to, over: 0 });
    };
    let (to, over) = rest
        .split_once('@')
        .ok_or_else(|| format!("{text:?} does not say how long the climb takes, as in 200Mi..600Mi@60s"))?;
    Ok(Usage {
        from: amount(from)?,
        to: amount(to)?,
        over: parse_micros(over)?,
    })
}

/// Parses CPU usage and the CPU time of a request: `50m`, `50m+20ms/request` or `20ms/request`.
pub(super) fn parse_cpu_and_micros_per_request(text: &str) -> Result<(Option<Usage>, Option<i64>), String> {
    let Some(before) = text.strip_suffix("/request") else {
        return Ok((Some(parse_usage(text)?), None));
    };
    let (idle, per_request) = before.rsplit_once('+').unwrap_or(("0", before));
    let per_request = parse_micros(per_request.trim()).map_err(|why| format!("{why}, as in 50m+20ms/request"))?;
    Ok((Some(parse_usage(idle.trim())?), Some(per_request)))
}

pub(super) fn is_signal_name(text: &str) -> bool {
    const SIGNAL_NAMES: [&str; 31] = [
        "ABRT", "ALRM", "BUS", "CHLD", "CONT", "FPE", "HUP", "ILL", "INT", "IO", "IOT", "KILL", "PIPE", "POLL", "PROF",
        "PWR", "QUIT", "SEGV", "STKFLT", "STOP", "SYS", "TERM", "TRAP", "TSTP", "TTIN", "TTOU", "URG", "USR1", "USR2",
        "WINCH", "XCPU",
    ];
    let Some(name) = text.strip_prefix("SIG") else {
        return false;
    };
    SIGNAL_NAMES.contains(&name)
        || matches!(name, "RTMIN" | "RTMAX" | "VTALRM" | "XFSZ" | "CLD")
        || name
            .strip_prefix("RTMIN+")
            .or(name.strip_prefix("RTMAX-"))
            .and_then(|number| number.parse::<u8>().ok())
            .is_some_and(|number| number <= 15)
}

/// Parses a time window such as `30s..60s`, or `30s..` without an end, to microseconds.
fn parse_time_window(window: &str) -> Result<(Option<i64>, Option<i64>), String> {
    let (start, end) = window
        .split_once("..")
        .ok_or_else(|| format!("{window:?} is not a window such as 30s..60s"))?;
    let from = Some(parse_micros(start)?);
    let until = match end {
        "" => None,
        end => Some(parse_micros(end)?),
    };
    if until.is_some() && until <= from {
        return Err(format!("the window {window:?} ends before it starts"));
    }
    Ok((from, until))
}

pub(super) fn parse_listener(text: &str) -> Result<ListenerOnStop, String> {
    match text {
        "close" => Ok(ListenerOnStop::Closes),
        "accept" => Ok(ListenerOnStop::Accepts),
        _ => Err(format!("{text:?} is not close or accept")),
    }
}

/// Parses an error share such as `5%` or `0.5%@30s..60s`.
pub(super) fn parse_error_share(text: &str) -> Result<ErrorShare, String> {
    let (share, span) = match text.split_once('@') {
        Some((share, span)) => (share, Some(span)),
        None => (text, None),
    };
    let per_million = share.strip_suffix('%').and_then(parse_per_million);
    let per_million = per_million.ok_or_else(|| format!("{share:?} is not a share from 0% to 100% such as 5%"))?;
    let (from, until) = match span {
        Some(span) => parse_time_window(span)?,
        None => (None, None),
    };
    Ok(ErrorShare {
        per_million,
        from,
        until,
    })
}

/// Parses a percentage with up to four decimals to parts per million.
fn parse_per_million(text: &str) -> Option<u32> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(part) || whole.len() > 3 || part.len() > 4 {
        return None;
    }
    let found = whole.parse::<u32>().ok()? * 10_000 + format!("{part:0<4}").parse::<u32>().ok()?;
    (found <= 1_000_000).then_some(found)
}
