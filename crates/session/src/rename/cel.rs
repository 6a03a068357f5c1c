//! Anonymises names in CEL expressions about devices. Quoted texts and attribute names get the same new names as in the
//! devices themselves; functions and CEL keywords are kept.

use super::names::{NameDictionary, TextRole};

/// Fields of the CEL variable `device`, which are kept.
const FIELDS_OF_DEVICE: [&str; 4] = ["driver", "attributes", "capacity", "allowMultipleAllocations"];
/// Variables, keywords and operators of CEL that are kept.
const CEL_WORDS: [&str; 5] = ["device", "true", "false", "null", "in"];

/// Renames the names in an expression. Each quoted text is renamed as a whole, including its escapes.
pub(super) fn rename_expression(expression: &str, names: &mut NameDictionary) -> String {
    let mut out = String::new();
    let mut rest = expression;
    while let Some(first) = rest.chars().next() {
        let end = if matches!(first, '\'' | '"') {
            quoted_text_length(rest, first)
        } else if first.is_alphabetic() || first == '_' {
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            rest.find(|c| !is_name(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (piece, after) = rest.split_at(end);
        if matches!(first, '\'' | '"') {
            out.push_str(&rename_quoted_text(piece, first, names));
        } else if first.is_alphabetic() && !is_cel_word(&out, piece, after) {
            out.push_str(&names.rename_text(TextRole::Name, piece));
        } else {
            out.push_str(piece);
        }
        rest = after;
    }
    out
}

/// Returns the length of the quoted text at the beginning of `rest`.
fn quoted_text_length(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Renames the content of a quoted text. Quantities and versions are kept.
fn rename_quoted_text(quoted: &str, quote: char, names: &mut NameDictionary) -> String {
    let inner = quoted.trim_matches(quote);
    if is_number_with_unit(inner) {
        return quoted.to_owned();
    }
    format!("{quote}{}{quote}", names.rename_text(TextRole::Name, inner))
}

/// Returns whether the text is a number with a short unit or a version, like `40Gi` or `12.4.0`.
pub(super) fn is_number_with_unit(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    unit.len() < text.len() && unit.len() <= 2 && unit.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Returns whether a name is kept, because it is a function, a keyword of CEL, or a field of `device`. `before` and
/// `after` are the texts around the name.
fn is_cel_word(before: &str, name: &str, after: &str) -> bool {
    let is_function = after.trim_start().starts_with('(');
    let is_field_of_device = before.ends_with("device.") && FIELDS_OF_DEVICE.contains(&name);
    is_function || is_field_of_device || !before.ends_with('.') && CEL_WORDS.contains(&name)
}
