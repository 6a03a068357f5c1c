//! The approved translations of glossary terms, `crates/messages/locales/LANGUAGE/terms.tsv`. Each line has an English
//! term, a tab, and its translations separated by `|`. Where the English text links a term by its own name, the
//! translation must use one of them.

use podscope_protocol::glossary::linked_terms;
use std::collections::BTreeMap;
use std::path::Path;

const LOCALES_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../messages/locales");

/// Number of letters at the end of a long word that declension may change.
const DECLINED_ENDING_LENGTH: usize = 3;

/// Approved translations by English term, all in lower case.
#[derive(Debug, Default)]
pub(crate) struct ApprovedTerms(BTreeMap<String, Vec<String>>);

impl ApprovedTerms {
    pub(crate) fn read(language: &str) -> Result<Self, String> {
        let path = Path::new(LOCALES_FOLDER).join(language).join("terms.tsv");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let lines = text.lines().filter_map(|line| line.split_once('\t'));
        let words = |list: &str| list.split('|').map(|word| word.trim().to_lowercase()).collect();
        Ok(Self(
            lines.map(|(term, list)| (term.to_lowercase(), words(list))).collect(),
        ))
    }

    /// Reports links of a translation whose words are not an approved translation of the term. Links for which the
    /// English text uses other words than the term (`[[back-off|waits]]`) are not checked.
    pub(crate) fn links_with_unapproved_words(&self, english: &str, translation: &str) -> Vec<String> {
        let mut named: Vec<String> = linked_terms(english)
            .filter(|(_, words)| words.is_none())
            .map(|(term, _)| term.to_lowercase())
            .collect();
        let mut found = Vec::new();
        for (term, words) in linked_terms(translation) {
            let term = term.to_lowercase();
            let Some(at) = named.iter().position(|named| *named == term) else {
                continue;
            };
            named.swap_remove(at);
            let words = words.unwrap_or(&term).to_lowercase();
            match self.0.get(&term) {
                None => found.push(format!("the list of terms lacks {term:?}")),
                Some(listed) if listed.iter().any(|listed| contains_declined_term(&words, listed)) => {}
                Some(listed) => found.push(format!("{term:?} is {listed:?}, not {words:?}")),
            }
        }
        found
    }
}

/// Returns whether a text contains a listed term, possibly declined: each word is compared without its last letters.
fn contains_declined_term(words: &str, listed: &str) -> bool {
    if words.contains(listed) {
        return true;
    }
    let of_text = |text: &str| -> Vec<String> {
        let is_between = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '\'' | 'ʼ' | '’' | '-');
        text.split(is_between)
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let words = of_text(words);
    let stem = |word: &str| -> String {
        let n_letters = word.chars().count();
        word.chars()
            .take(
                n_letters
                    .saturating_sub(DECLINED_ENDING_LENGTH)
                    .max(DECLINED_ENDING_LENGTH),
            )
            .collect()
    };
    let is_ideographic = listed.chars().all(|letter| u32::from(letter) > 0x2e80);
    !is_ideographic
        && of_text(listed)
            .iter()
            .all(|word| words.iter().any(|form| form.starts_with(&stem(word))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declined_words_are_forms_of_a_listed_term() {
        let terms = ApprovedTerms([("scheduler".to_owned(), vec!["планувальник".to_owned()])].into());
        let english = "The [[scheduler]] waits.";
        assert!(
            terms
                .links_with_unapproved_words(english, "[[scheduler|Планувальника]] немає.")
                .is_empty()
        );
        assert_eq!(
            terms
                .links_with_unapproved_words(english, "[[scheduler|Розкладу]] немає.")
                .len(),
            1
        );
        assert!(
            terms
                .links_with_unapproved_words("It [[scheduler|decides]].", "Він [[scheduler|вирішує]].")
                .is_empty()
        );
    }

    #[test]
    fn chinese_words_must_match_the_whole_term() {
        assert!(contains_declined_term("容忍度", "容忍度"));
        assert!(!contains_declined_term("容忍", "容忍度"));
    }
}
