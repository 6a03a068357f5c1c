//! The language of sentences for people: `--lang`, or else the environment variable `PODSCOPE_LANG`, or else English.
//!
//! The locale variables (`LC_ALL`, `LANG`) are ignored: scripts and CI jobs read the text output, which must not depend
//! on the machine. Machine-readable output is always English.

use std::sync::OnceLock;

use clap::Args;
use clap::builder::PossibleValue;
use intl_pluralrules::{PluralCategory, PluralRuleType, PluralRules};
use podscope_messages::{LANGUAGES, Locale, PSEUDO, Plural, set};
use unic_langid::LanguageIdentifier;

include!(concat!(env!("OUT_DIR"), "/languages.rs"));

/// Position of the option in help texts: after the options of the command.
const LANGUAGE_OPTION_ORDER: usize = 900;

/// The option of all commands.
#[derive(Debug, Args)]
pub(crate) struct LanguageOption {
    /// Language of sentences for people. Errors, help, what Kubernetes says, and output for programs are English
    #[arg(long = "lang", value_name = "LANG", default_value = "en", value_parser = accepted_languages())]
    #[arg(env = "PODSCOPE_LANG", hide_env_values = true, global = true, display_order = LANGUAGE_OPTION_ORDER)]
    code: String,
}

impl LanguageOption {
    /// Sets the language of this process; it stays English if the output is machine-readable.
    pub(crate) fn set_language(&self, is_machine_readable: bool) {
        if !is_machine_readable {
            // This function is called only once, at the start, so setting the value cannot fail.
            let _ = CHOSEN_LANGUAGE.set(self.code.clone());
            set_for_thread();
        }
    }
}

/// Returns the accepted languages. The pseudo-locale is hidden, because it is for contributors.
fn accepted_languages() -> Vec<PossibleValue> {
    let codes = LANGUAGES.iter().map(|(code, _)| match *code {
        // An empty `PODSCOPE_LANG` counts as unset.
        "en" => PossibleValue::new("en").alias(""),
        code => PossibleValue::new(code),
    });
    codes.chain([PossibleValue::new(PSEUDO).hide(true)]).collect()
}

/// Code of the chosen language; unset for machine-readable output.
static CHOSEN_LANGUAGE: OnceLock<String> = OnceLock::new();

/// Sets the chosen language for this thread. Each thread must call this before it creates sentences.
pub(crate) fn set_for_thread() {
    let file = CHOSEN_LANGUAGE
        .get()
        .and_then(|chosen| FILES.iter().find(|(code, _)| code == chosen));
    let locale = file.and_then(|(code, file)| Locale::new(code, (*file).to_owned(), plural_rule(code)));
    debug_assert_eq!(
        locale.is_some(),
        file.is_some(),
        "the build makes files of this version"
    );
    set(locale);
}

/// Returns the plural rule of a language. The pseudo-locale has the rule of English.
fn plural_rule(code: &str) -> impl Fn(u64) -> Plural + 'static {
    let language = code.split('-').next().unwrap_or_default().parse::<LanguageIdentifier>();
    let rules = language
        .ok()
        .and_then(|language| PluralRules::create(language, PluralRuleType::CARDINAL).ok());
    debug_assert!(rules.is_some(), "{code} has plural rules");
    move |n: u64| match rules.as_ref().and_then(|rules| rules.select(n).ok()) {
        Some(PluralCategory::ZERO) => Plural::Zero,
        Some(PluralCategory::ONE) => Plural::One,
        Some(PluralCategory::TWO) => Plural::Two,
        Some(PluralCategory::FEW) => Plural::Few,
        Some(PluralCategory::MANY) => Plural::Many,
        Some(PluralCategory::OTHER) | None => Plural::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_a_file_and_plural_rules() {
        let others = LANGUAGES.iter().map(|(code, _)| *code).filter(|code| *code != "en");
        for code in others.chain([PSEUDO]) {
            let file = FILES.iter().find(|(known, _)| *known == code).map(|(_, file)| *file);
            let file = file.unwrap_or_else(|| panic!("{code} has no file"));
            assert!(
                Locale::new(code, file.to_owned(), plural_rule(code)).is_some(),
                "{code}"
            );
        }
    }

    #[test]
    fn plural_rules_match_the_language() {
        let of = |code, numbers: &[u64]| numbers.iter().map(|n| plural_rule(code)(*n)).collect::<Vec<_>>();
        use Plural::{Few, Many, One, Other};
        assert_eq!(of("uk", &[1, 3, 5, 11, 21]), [One, Few, Many, Many, One]);
        assert_eq!(of("zh", &[1, 2]), [Other, Other]);
        assert_eq!(of(PSEUDO, &[1, 2]), [One, Other]);
    }
}
