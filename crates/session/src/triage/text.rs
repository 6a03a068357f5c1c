//! The list as text, for a terminal and for an incident channel.

use std::fmt::Write as _;

use podscope_api::Time;

use super::Finding;

/// What to say where nothing is wrong.
const NOTHING: &str = "nothing is wrong that the objects show";

/// How long ago, as `kubectl get` prints ages.
fn age(since: Option<Time>, now: Time) -> Option<String> {
    let seconds = (now.0 - since?.0).max(0) / 1_000_000;
    Some(match seconds {
        0..120 => format!("{seconds}s"),
        120..7200 => format!("{}m", seconds / 60),
        7200..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    })
}

/// What a row is about: its owner where there are several, with their number and how long.
fn heading(found: &Finding, now: Time) -> String {
    let mut text = found.object.clone();
    if found.count > 1 {
        let _ = write!(text, " and {} more", found.count - 1);
    }
    let of = found.owner.as_deref().map(|owner| format!("of {owner}"));
    let since = age(found.since, now).map(|age| format!("for {age}"));
    let more: Vec<String> = of.into_iter().chain(since).collect();
    if !more.is_empty() {
        let _ = write!(text, " ({})", more.join(", "));
    }
    text
}

/// The list for a terminal.
#[must_use]
pub fn plain(findings: &[Finding], now: Time) -> String {
    if findings.is_empty() {
        return format!("{NOTHING}\n");
    }
    let mut out = String::new();
    for found in findings {
        let _ = writeln!(out, "{}: {}", found.problem.name(), heading(found, now));
        let _ = writeln!(out, "    {}", found.reason);
        for help in &found.help {
            let _ = writeln!(out, "    - {help}");
        }
    }
    out
}

/// The list in Markdown: names and reasons as code, so that nothing in them is taken for markup.
#[must_use]
pub fn markdown(findings: &[Finding], now: Time) -> String {
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
            code(&heading(found, now)),
            code(&found.reason)
        );
        for help in &found.help {
            let _ = writeln!(out, "  - {}", code(help));
        }
    }
    out
}
