//! `cargo xtask translate`: the translations of lessons, glossary and messages (crates/translate).

use crate::run::{Fallible, Run};
use std::ffi::OsStr;
use std::path::Path;

fn translate_program() -> Run {
    Run::cargo().args(["run", "--quiet", "-p", "podscope-translate", "--"])
}

/// Without arguments, compares all languages with English. With a language, adds the texts that it lacks.
pub(crate) fn translate(args: &[String]) -> Fallible {
    match args {
        [] => translate_program().args(["check"]).status(),
        [language] => translate_program().args(["new", language]).status(),
        _ => Err("usage: cargo xtask translate [LANGUAGE]".into()),
    }
}

/// Writes the language files that the page loads.
pub(crate) fn write_language_files(folder: &Path) -> Fallible {
    translate_program()
        .args([OsStr::new("site"), folder.as_os_str()])
        .status()
}
