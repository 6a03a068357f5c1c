//! The content of a share link as text. It must not change with the version of the engine (T-03).

use std::fmt::Write;

use podscope_api::hash::{self, fnv1a};
use podscope_cluster::What;
use podscope_protocol::Remark;
use podscope_session::link;
use podscope_session::report;
use podscope_session::timeline::{Session, Slice};

/// Returns the hash of a text as 16 hex digits.
fn hex_hash(text: &str) -> String {
    format!("{:016x}", fnv1a(hash::EMPTY, text.bytes()))
}

/// Opens a link and runs the session up to the instant that the link shows. Returns the link's content as text: files,
/// seed, shown instant, state of the page, commands with their instants, and the commands that the run's trace records.
///
/// # Errors
/// The reason why the link does not open.
pub fn link_content(text: &str) -> Result<String, String> {
    let link = link::decode(text).map_err(|why| why.english())?;
    let loaded = link.load().map_err(|problems| format!("{problems:?}"))?;
    let mut content = format!(
        "lesson {:?}\nseed {}\ncursor {}\nscreen {} bytes {}\n",
        link.lesson,
        link.seed,
        link.cursor,
        link.screen.len(),
        hex_hash(&link.screen)
    );
    for (name, text) in &link.files {
        let _ = writeln!(content, "file {name:?} {} bytes {}", text.len(), hex_hash(text));
    }
    let mut session = Session::new(loaded).map_err(|problems| format!("{problems:?}"))?;
    let notices = link.replay(&mut session);
    let unreadable = notices
        .iter()
        .find(|notice| matches!(notice, Remark::Unreadable { .. }));
    if let Some(notice) = unreadable {
        return Err(notice.to_string());
    }
    let commands: Vec<String> = session
        .commands()
        .iter()
        .map(|timed| format!("{} {}", timed.at.0, timed.command))
        .collect();
    let _ = writeln!(
        content,
        "commands {} {}",
        commands.len(),
        hex_hash(&commands.join("\n"))
    );
    content.extend(commands.iter().take(10).map(|line| format!("  {line}\n")));
    if session.advance(link.cursor_at(), u64::MAX) != Slice::Done || session.now() != link.cursor_at() {
        return Err(format!("the cursor stops at {}", session.now()));
    }
    let recorded = session.trace().filter(|record| record.what() == What::Command);
    let recorded: Vec<String> = recorded
        .map(|record| format!("{} {}", record.at.0, report::field(&record, "command")))
        .collect();
    let _ = writeln!(
        content,
        "recorded {} {}",
        recorded.len(),
        hex_hash(&recorded.join("\n"))
    );
    content.extend(recorded.iter().take(10).map(|line| format!("  {line}\n")));
    Ok(content)
}
