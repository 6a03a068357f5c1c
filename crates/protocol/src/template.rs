//! Texts with variables, `${name}`, as in the files of practice families. A translation has the same variables as its
//! original, so it can be filled with the values of any generated task.

use podscope_messages::{is_english, translated};
use serde::{Deserialize, Serialize};

/// Name and value of a variable. The value may refer to variables that precede this one in the list.
pub type Variable = (String, String);

/// Characters that replace the braces of a variable while the text is parsed as YAML, where `{` would begin a mapping.
const HIDDEN_BRACES: [char; 2] = ['\u{e000}', '\u{e001}'];

/// Replaces the variables of a text by their values.
#[must_use]
pub fn fill(template: &str, values: &[Variable]) -> String {
    let replace = |text: String, (name, value): &Variable| text.replace(&format!("${{{name}}}"), value);
    values.iter().rev().fold(template.to_owned(), replace)
}

/// Returns the names of the variables in a text, in order.
pub fn variables(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split("${").skip(1);
    let names = parts.filter_map(|part| Some(part.split_once('}')?.0));
    names.filter(|name| name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_'))
}

/// Replaces the braces of variables, so that YAML parses them as parts of scalars.
#[must_use]
pub fn hide_variables(text: &str) -> String {
    let [open, close] = HIDDEN_BRACES;
    variables(text).fold(text.to_owned(), |text, name| {
        text.replace(&format!("${{{name}}}"), &format!("${open}{name}{close}"))
    })
}

/// Restores the braces that [`hide_variables`] replaced.
#[must_use]
pub fn show_variables(text: &str) -> String {
    text.replace(HIDDEN_BRACES[0], "{").replace(HIDDEN_BRACES[1], "}")
}

/// Texts in which the same variables were filled with the same values.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FilledTexts {
    pub templates: Vec<String>,
    pub values: Vec<Variable>,
}

impl FilledTexts {
    /// Translates a filled text: translates its template, and fills in the values. Values that have a translation are
    /// translated too. `None` if the text is not one of `templates`, or if the current language has no translation of
    /// its template.
    #[must_use]
    pub fn translated(&self, english: &str) -> Option<String> {
        if is_english() {
            return None;
        }
        let is_template = |template: &&String| fill(template, &self.values).trim() == english.trim();
        let template = translated(self.templates.iter().find(is_template)?)?;
        let values: Vec<Variable> = (self.values.iter())
            .map(|(name, value)| (name.clone(), translated_value(value)))
            .collect();
        Some(fill(&template, &values))
    }
}

/// Translates a value and keeps its leading and trailing spaces; returns the value itself if it has no translation.
fn translated_value(value: &str) -> String {
    match translated(value) {
        Some(translation) => value.replace(value.trim(), &translation),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use podscope_messages::{Locale, N_MESSAGES, Plural, digest, set};

    fn new_variable(name: &str, value: &str) -> Variable {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn show_variables_restores_hidden_variables() {
        let text = "${words}A pod asks for ${cpu} of `${node_1}`; $5, ${not a name} and ${ stay.";
        assert_eq!(variables(text).collect::<Vec<_>>(), ["words", "cpu", "node_1"]);
        let hidden = hide_variables(text);
        assert!(variables(&hidden).next().is_none(), "{hidden}");
        assert_eq!(show_variables(&hidden), text);
    }

    #[test]
    fn filled_text_is_translated_by_its_template() {
        let texts = FilledTexts {
            templates: vec!["${n} nodes. ${words}A pod waits.\n".to_owned()],
            values: vec![
                new_variable("n", "3"),
                new_variable("other", "b-1"),
                new_variable("words", "`${other}` is cordoned. "),
            ],
        };
        let english = "3 nodes. `b-1` is cordoned. A pod waits.\n";
        assert_eq!(fill(&texts.templates[0], &texts.values), english);
        let mut translations = [
            (
                "${n} nodes. ${words}A pod waits.",
                "Nodos: ${n}. ${words}Un Pod espera.",
            ),
            ("`${other}` is cordoned.", "`${other}` está acordonado."),
        ];
        translations.sort_unstable_by_key(|(english, _)| digest(english));
        let mut file = "\0".repeat(N_MESSAGES);
        for (english, translation) in translations {
            file.push_str(&format!("{:016x}\0{translation}\0", digest(english)));
        }
        set(Locale::new("es", file, Plural::english));
        let found = [english, "A pod runs."].map(|text| texts.translated(text));
        set(None);
        assert_eq!(
            found,
            [Some("Nodos: 3. `b-1` está acordonado. Un Pod espera.".to_owned()), None]
        );
    }
}
