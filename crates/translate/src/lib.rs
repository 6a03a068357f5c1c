//! Translations of Podscope's lessons, glossary and messages: compares them with the English originals, and compiles
//! one file for each language. The binary is for contributors (`cargo xtask translate`) and for the site; the build
//! script of the command line compiles the same files into it.

// This tool does not run in the engine, so it may use the maps and sorts of std.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

mod check;
mod file;
mod original;
mod terms;

use crate::file::TranslatedText;
use crate::original::Original;
use podscope_messages::{COMPILED, ENGINE_MESSAGE_FILES, ENGLISH, IDS, LANGUAGES, PSEUDO};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const LESSONS_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../session/lessons");

/// Returns the codes of all languages except English.
fn translation_languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(code, _)| *code).filter(|code| *code != "en")
}

/// Adds the files and texts that a language lacks. The new texts are empty and have the digests of their originals.
/// Removes what no longer has an original, and prints what is missing.
///
/// # Errors
/// Returns an error if the language has no folder, or if a file cannot be read or written.
pub fn add_missing_texts(language: &str) -> Result<(), String> {
    if translation_languages().all(|known| known != language) {
        return Err(format!(
            "{language}: not a language of Podscope; write its name to crates/messages/locales/{language}/language.ftl"
        ));
    }
    let lessons = Path::new(LESSONS_FOLDER);
    let originals = original::all(lessons)?;
    for original in &originals {
        let path = file::path(lessons, language, &original.name);
        let known = file::read(&path)?;
        let texts: Vec<TranslatedText> = original
            .texts
            .iter()
            .map(|(key, english)| {
                let known = known
                    .iter()
                    .find(|text| text.key == *key)
                    .filter(|text| !text.text.is_empty());
                known.cloned().unwrap_or_else(|| TranslatedText {
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
    report_language(language, &originals).map(|_| ())
}

/// Compares all languages with English, and prints what is missing and what is wrong.
///
/// # Errors
/// Returns an error if there are faults, or if a file cannot be read.
pub fn check() -> Result<(), String> {
    let originals = original::all(Path::new(LESSONS_FOLDER))?;
    let mut n_faults = 0;
    for language in translation_languages() {
        n_faults += report_language(language, &originals)?;
    }
    match n_faults {
        0 => Ok(()),
        n => Err(format!("{n} faults")),
    }
}

/// Prints the state of a language; returns the number of faults.
fn report_language(language: &str, originals: &[Original]) -> Result<usize, String> {
    let report = check::compare_language(Path::new(LESSONS_FOLDER), language, originals)?;
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

/// Returns the messages without a translation in a language.
fn missing_messages(language: &str) -> Vec<String> {
    let compiled = COMPILED
        .iter()
        .find(|(code, _)| *code == language)
        .map_or("", |(_, text)| *text);
    let patterns = compiled.split('\0').zip(IDS);
    let missing = patterns.filter(|(pattern, _)| pattern.is_empty());
    missing.map(|(_, (file, id))| format!("{file}.ftl: {id}")).collect()
}

/// Returns the files and folders that [`compiled_languages`] reads. Messages are not among them: they are compiled
/// into the program.
#[must_use]
pub fn compiled_paths() -> Vec<PathBuf> {
    let lessons = Path::new(LESSONS_FOLDER);
    std::iter::once(lessons.to_owned())
        .chain(original::originals_outside_lessons(lessons))
        .collect()
}

/// Compiles the file of each language except English, and of the pseudo-locale; returns language codes and contents
/// (`podscope_messages::Locale::new` reads them). Outdated translations are left out, so these texts are shown in
/// English.
///
/// # Errors
/// Returns an error if a file of lessons or translations cannot be read.
pub fn compiled_languages() -> Result<Vec<(&'static str, String)>, String> {
    let originals = original::all(Path::new(LESSONS_FOLDER))?;
    let file = |(language, messages): &(&'static str, &str)| Ok((*language, compile(language, messages, &originals)?));
    COMPILED.iter().map(file).collect()
}

/// Compiles the file of one language: its messages, then each translated text after the digest of its original.
fn compile(language: &str, messages: &str, originals: &[Original]) -> Result<String, String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for original in originals {
        let translated = file::read(&file::path(Path::new(LESSONS_FOLDER), language, &original.name))?;
        for (key, english) in &original.texts {
            let digest = file::digest(english);
            let found = translated.iter().find(|text| text.key == *key && text.of == digest);
            let translation = match found {
                Some(found) => found.text.clone(),
                None if language == PSEUDO => pseudo_localized(english),
                None => String::new(),
            };
            if !translation.is_empty() {
                texts.entry(digest).or_insert(translation);
            }
        }
    }
    let sentences = ENGLISH.split('\0').zip(messages.split('\0')).zip(IDS);
    for ((english, translation), (file, _)) in sentences {
        if ENGINE_MESSAGE_FILES.contains(file) {
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
    Ok(format!("{messages}{texts}"))
}

/// Writes the files that the page loads.
///
/// # Errors
/// Returns an error if a file cannot be read or written.
pub fn write_site_files(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (language, text) in compiled_languages()? {
        let path = folder.join(format!("{language}.txt"));
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Translates a lesson text into the pseudo-locale: marks at both ends show that the text was looked up as a
/// translation.
fn pseudo_localized(english: &str) -> String {
    format!("ŝ {english} ŝ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every text and every message is translated, no translation is outdated, and code, links and terms are those of
    /// the original.
    /// Shows: E-16
    #[test]
    fn translations_are_complete_and_agree_with_english() {
        let originals = original::all(Path::new(LESSONS_FOLDER)).expect("the lessons are read");
        for language in translation_languages() {
            let report =
                check::compare_language(Path::new(LESSONS_FOLDER), language, &originals).expect("the texts are read");
            assert!(report.faults.is_empty(), "{language}: {:#?}", report.faults);
            assert!(report.missing.is_empty(), "{language}: {:#?}", report.missing);
            let messages = missing_messages(language);
            assert!(messages.is_empty(), "{language}: {messages:#?}");
        }
    }
}
