//! Translations of Podscope's lessons, glossary and messages. `cargo xtask translate` starts it.
//!
//! - `new LANGUAGE` adds the files and texts that a language lacks, empty and with the digests of their originals, removes
//!   what no longer has an original, and lists what is missing.
//! - `check` compares all languages with English; a text that is missing is listed, and a fault ends with status 1.
//! - `site FOLDER` writes the file of each language that the page loads.

// A tool for contributors may use the maps and sorts of std.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

mod check;
mod file;
mod original;
mod terms;

use crate::file::Text;
use crate::original::Original;
use podscope_messages::{COMPILED, ENGLISH, IDS, LANGUAGES, PSEUDO, SAID_BY_ENGINE};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

const LESSONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../session/lessons");

const USAGE: &str = "usage: podscope-translate new LANGUAGE | check | site FOLDER";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        ["new", language] => new(language),
        ["check"] => check(),
        ["site", folder] => site(Path::new(folder)),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Codes of the languages that are translations.
fn translations() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(code, _)| *code).filter(|code| *code != "en")
}

fn new(language: &str) -> Result<(), String> {
    if translations().all(|known| known != language) {
        return Err(format!(
            "{language}: not a language of Podscope; add it to LANGUAGES in crates/messages/src/lib.rs and crates/messages/build.rs"
        ));
    }
    let lessons = Path::new(LESSONS);
    let originals = original::all(lessons)?;
    for original in &originals {
        let path = file::path(lessons, language, &original.name);
        let known = file::read(&path)?;
        let texts: Vec<Text> = original
            .texts
            .iter()
            .map(|(key, english)| {
                let known = known
                    .iter()
                    .find(|text| text.key == *key)
                    .filter(|text| !text.text.is_empty());
                known.cloned().unwrap_or_else(|| Text {
                    key: key.clone(),
                    of: file::digest(english),
                    text: String::new(),
                })
            })
            .collect();
        if texts != known {
            file::write(&path, language, &original.name, &texts)?;
        }
    }
    report(language, &originals).map(|_| ())
}

fn check() -> Result<(), String> {
    let originals = original::all(Path::new(LESSONS))?;
    let mut n_faults = 0;
    for language in translations() {
        n_faults += report(language, &originals)?;
    }
    match n_faults {
        0 => Ok(()),
        n => Err(format!("{n} faults")),
    }
}

/// Prints the state of a language; returns the number of faults.
fn report(language: &str, originals: &[Original]) -> Result<usize, String> {
    let report = check::language(Path::new(LESSONS), language, originals)?;
    let messages = missing_messages(language);
    for missing in report.missing.iter().chain(&messages) {
        println!("missing: {missing}");
    }
    for fault in &report.faults {
        println!("fault: {fault}");
    }
    println!(
        "{language}: {} texts translated, {} missing, {} messages missing, {} faults",
        report.n_translated,
        report.missing.len(),
        messages.len(),
        report.faults.len()
    );
    Ok(report.faults.len())
}

/// The messages that a language lacks.
fn missing_messages(language: &str) -> Vec<String> {
    let compiled = COMPILED
        .iter()
        .find(|(code, _)| *code == language)
        .map_or("", |(_, text)| *text);
    let patterns = compiled.split('\0').zip(IDS);
    let missing = patterns.filter(|(pattern, _)| pattern.is_empty());
    missing.map(|(_, (file, id))| format!("{file}.ftl: {id}")).collect()
}

/// Writes the files that the page loads (`podscope_messages::Locale::new`). Outdated texts are left out, so the page
/// shows them in English.
fn site(folder: &Path) -> Result<(), String> {
    let lessons = Path::new(LESSONS);
    let originals = original::all(lessons)?;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (language, messages) in COMPILED {
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        for original in &originals {
            let translated = file::read(&file::path(lessons, language, &original.name))?;
            for (key, english) in &original.texts {
                let digest = file::digest(english);
                let found = translated.iter().find(|text| text.key == *key && text.of == digest);
                let translation = match found {
                    Some(found) => found.text.clone(),
                    None if language == PSEUDO => pseudo(english),
                    None => String::new(),
                };
                if !translation.is_empty() {
                    texts.entry(digest).or_insert(translation);
                }
            }
        }
        let sentences = ENGLISH.split('\0').zip(messages.split('\0')).zip(IDS);
        for ((english, translation), (file, _)) in sentences {
            if SAID_BY_ENGINE.contains(file) {
                texts
                    .entry(file::digest(english))
                    .or_insert_with(|| translation.to_owned());
            }
        }
        texts.retain(|_, translation| !translation.is_empty());
        let texts: String = texts
            .iter()
            .map(|(digest, text)| format!("{digest}\0{text}\0"))
            .collect();
        let path = folder.join(format!("{language}.txt"));
        std::fs::write(&path, format!("{messages}{texts}")).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// A text of a lesson in the pseudo-locale: marked at both ends, so that it shows that it came through the translation.
fn pseudo(english: &str) -> String {
    format!("ŝ {english} ŝ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every text and every message has its translation, none outlives its original, and code, links and terms agree.
    /// Shows: E-16
    #[test]
    fn translations_are_complete_and_agree_with_english() {
        let originals = original::all(Path::new(LESSONS)).expect("the lessons are read");
        for language in translations() {
            let report = check::language(Path::new(LESSONS), language, &originals).expect("the texts are read");
            assert!(report.faults.is_empty(), "{language}: {:#?}", report.faults);
            assert!(report.missing.is_empty(), "{language}: {:#?}", report.missing);
            let messages = missing_messages(language);
            assert!(messages.is_empty(), "{language}: {messages:#?}");
        }
    }
}
