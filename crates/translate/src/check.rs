//! Compares translations with their originals.

use crate::file::{self, TranslatedText};
use crate::original::Original;
use crate::terms::ApprovedTerms;
use podscope_protocol::glossary;
use podscope_protocol::template::variables;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The translation status of one language.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Texts without a translation, as file and key.
    pub(crate) missing: Vec<String>,
    /// Faults: translations whose original was changed or removed, or whose code, links or paragraphs differ from it.
    pub(crate) faults: Vec<String>,
    pub(crate) n_translated: usize,
}

/// Compares all files of a language with the originals.
pub(crate) fn compare_language(lessons: &Path, language: &str, originals: &[Original]) -> Result<Report, String> {
    let mut report = Report::default();
    let terms = ApprovedTerms::read(language)?;
    let mut translations: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for original in originals {
        let path = file::path(lessons, language, &original.name);
        let texts = file::read(&path)?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        compare_texts(name, original, &texts, &terms, &mut report);
        for text in texts.into_iter().filter(|text| !text.text.is_empty()) {
            if let Some((_, english)) = original.texts.iter().find(|(key, _)| *key == text.key) {
                translations.entry(english).or_default().insert(text.text);
            }
        }
    }
    report.faults.extend(ambiguous_translations(language, translations));
    for entry in std::fs::read_dir(lessons.join(language))
        .into_iter()
        .flatten()
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        let lesson = name.strip_suffix(&format!(".{language}.yaml"));
        if !originals.iter().any(|original| Some(original.name.as_str()) == lesson) {
            report
                .faults
                .push(format!("{language}/{name}: there is no such lesson"));
        }
    }
    Ok(report)
}

/// Reports English texts with several translations. The page finds a translation by its English text, so there must be
/// only one.
fn ambiguous_translations(
    language: &str,
    translations: BTreeMap<&str, BTreeSet<String>>,
) -> impl Iterator<Item = String> {
    let several = translations
        .into_iter()
        .filter(|(_, translations)| translations.len() > 1);
    several.map(move |(english, translations)| {
        format!("{language}: {english:?} has several translations: {translations:?}")
    })
}

/// Compares the translations in one file with their originals, and adds missing texts and faults to the report.
fn compare_texts(
    file: &str,
    original: &Original,
    texts: &[TranslatedText],
    terms: &ApprovedTerms,
    report: &mut Report,
) {
    for (key, english) in &original.texts {
        let found = texts.iter().find(|text| text.key == *key && !text.text.is_empty());
        let Some(translation) = found else {
            report.missing.push(format!("{file}: {key}"));
            continue;
        };
        report.n_translated += 1;
        let digest = file::digest(english);
        if translation.of != digest {
            let fault = format!("the English text has changed since it was translated; its digest is now {digest}");
            report.faults.push(format!("{file}: {key}: {fault}"));
        }
        let faults = markup_differences(english, &translation.text).into_iter();
        for fault in faults.chain(terms.links_with_unapproved_words(english, &translation.text)) {
            report.faults.push(format!("{file}: {key}: {fault}"));
        }
    }
    for text in texts {
        if original.texts.iter().all(|(key, _)| *key != text.key) {
            report
                .faults
                .push(format!("{file}: {}: the lesson has no such text", text.key));
        }
    }
}

/// Reports where a translation differs from its original in code, links, variables or the number of paragraphs.
pub(crate) fn markup_differences(english: &str, translation: &str) -> Vec<String> {
    let mut found = Vec::new();
    if count_items(code_spans(english)) != count_items(code_spans(translation)) {
        found.push(format!(
            "code differs: {:?}, not {:?}",
            code_spans(translation),
            code_spans(english)
        ));
    }
    if count_items(lower_case_terms(english)) != count_items(lower_case_terms(translation)) {
        found.push(format!(
            "links differ: {:?}, not {:?}",
            lower_case_terms(translation),
            lower_case_terms(english)
        ));
    }
    let names = |text| variables(text).map(str::to_owned).collect::<BTreeSet<String>>();
    if names(english) != names(translation) {
        found.push(format!(
            "variables differ: {:?}, not {:?}",
            names(translation),
            names(english)
        ));
    }
    if english.matches("\n\n").count() != translation.matches("\n\n").count() {
        found.push("the number of paragraphs differs".to_owned());
    }
    found
}

/// Returns the code spans and code blocks of a text.
fn code_spans(text: &str) -> Vec<String> {
    let mut spans = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('`') {
        let fence = if rest[at..].starts_with("```") { "```" } else { "`" };
        let body = &rest[at + fence.len()..];
        let Some(end) = body.find(fence) else { break };
        spans.push(body[..end].to_owned());
        rest = &body[end + fence.len()..];
    }
    spans
}

/// Returns the glossary terms that a text links, in lower case.
fn lower_case_terms(text: &str) -> Vec<String> {
    glossary::linked_terms(text)
        .map(|(term, _)| term.to_lowercase())
        .collect()
}

fn count_items(items: Vec<String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_report_lost_code_links_variables_and_paragraphs() {
        let english = "Run `kubectl get pods` in a [[zone]].\n\nThen wait.";
        assert!(markup_differences(english, "Ejecuta `kubectl get pods` en una [[zone|zona]].\n\nEspera.").is_empty());
        let found = markup_differences(english, "Ejecuta `kubectl get pod` en una zona. Espera.");
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(markup_differences("${n} nodes, ${n} pods", "Nodos: ${m}").len(), 1);
        assert!(markup_differences("${n} pods of ${m}", "${m}: ${n} Pods, sí, ${n}").is_empty());
    }
}
