//! `cargo xtask translate`: the translations of lessons, glossary and messages (crates/translate).

use crate::run::{Fallible, Run};
use std::ffi::OsStr;
use std::path::Path;

fn tool() -> Run {
    Run::cargo().args(["run", "--quiet", "-p", "podscope-translate", "--"])
}

/// Without arguments, compares all languages with English. With a language, adds the texts that it lacks.
pub(crate) fn translate(args: &[String]) -> Fallible {
    match args {
        [] => tool().args(["check"]).status(),
        [language] => tool().args(["new", language]).status(),
        _ => Err("usage: cargo xtask translate [LANGUAGE]".into()),
    }
}

/// Writes the language files that the page loads.
pub(crate) fn site(folder: &Path) -> Fallible {
    tool().args([OsStr::new("site"), folder.as_os_str()]).status()
}
