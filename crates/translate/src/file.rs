//! A file of translations, `crates/session/lessons/LANGUAGE/NAME.LANGUAGE.yaml`:
//!
//! ```yaml
//! apiVersion: podscope.dev/v1alpha1
//! kind: Translation
//! metadata: {name: spread-by-zone, language: es}
//! texts:
//! - key: steps[0].text   # path of the text in the lesson
//!   of: 0123456789abcdef # digest of the English text that was translated
//!   text: |
//!     …
//! ```

use podscope_api::{Data, Tree};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A translated text in a file of translations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TranslatedText {
    pub(crate) key: String,
    /// Digest of the English text that was translated.
    pub(crate) of: String,
    /// Empty if it has not been translated yet.
    pub(crate) text: String,
}

/// Returns the path of a file of translations.
pub(crate) fn path(lessons: &Path, language: &str, name: &str) -> PathBuf {
    lessons.join(language).join(format!("{name}.{language}.yaml"))
}

/// Returns the digest of an English text, as it is written in the files of translations.
pub(crate) fn digest(english: &str) -> String {
    format!("{:016x}", podscope_messages::digest(english))
}

/// Reads a file of translations; returns no texts if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Vec<TranslatedText>, String> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let parsed = podscope_api::parse(&text);
    let mut translations = parsed
        .configs
        .iter()
        .filter(|config| &*config.value.kind == "Translation");
    let Some(document) = translations.next() else {
        return Err(format!("{}: no Translation", path.display()));
    };
    let Some(Data::Seq(items)) = document.value.tree.get("texts").map(|texts| &texts.data) else {
        return Err(format!("{}: texts: no list", path.display()));
    };
    let field = |item: &Tree<'_>, name: &str| item.get(name).and_then(Tree::as_str).map(|text| text.trim().to_owned());
    let text = |item: &Tree<'_>| {
        let (key, of) = (field(item, "key"), field(item, "of"));
        let text = field(item, "text").unwrap_or_default();
        let (Some(key), Some(of)) = (key, of) else {
            return Err(format!("{}:{}: a text has a key and `of`", path.display(), item.line));
        };
        Ok(TranslatedText { key, of, text })
    };
    items.iter().map(text).collect()
}

/// Writes a file of translations.
pub(crate) fn write(path: &Path, language: &str, name: &str, texts: &[TranslatedText]) -> Result<(), String> {
    let mut out = format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Translation\nmetadata: {{name: {name}, language: {language}}}\ntexts:\n"
    );
    for text in texts {
        let _ = writeln!(out, "- key: {}\n  of: \"{}\"", quoted_yaml_scalar(&text.key), text.of);
        if text.text.contains('\n') {
            out.push_str("  text: |\n");
            for line in text.text.lines() {
                let _ = writeln!(
                    out,
                    "{}",
                    if line.is_empty() {
                        String::new()
                    } else {
                        format!("    {line}")
                    }
                );
            }
        } else {
            let _ = writeln!(out, "  text: {}", quoted_yaml_scalar(&text.text));
        }
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    std::fs::write(path, out).map_err(|error| format!("{}: {error}", path.display()))
}

/// Formats a single-line text as a double-quoted YAML scalar.
fn quoted_yaml_scalar(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
