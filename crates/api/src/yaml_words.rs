//! Converts YAML errors to the message and the line that kubectl's parser (go-yaml) reports.

use crate::json::{TextError, TextErrorKind};

/// Returns the line, from 1 (0 if go-yaml reports none), and the message. `piece` is the document's text.
pub(crate) fn go_yaml_message(error: TextError, piece: &str) -> (u32, String) {
    // The YAML parser's message consists of its context and the problem; only the problem is used.
    let problem = match error.message.split_once(", ") {
        Some((context, problem)) if context.starts_with("while ") => problem,
        _ => &error.message,
    };
    let line_of = |index: usize| u32::try_from(index).unwrap_or(u32::MAX - 1) + 1;
    let at = error.line.saturating_sub(1);
    let line = piece.lines().nth(at as usize).unwrap_or_default();
    if error.kind == TextErrorKind::Tab {
        // go-yaml has two messages about a tab in the indentation: after a scalar that may continue, the tab violates
        // the indentation; elsewhere, the tab cannot start a token.
        let is_indented = |line: &&str| line.trim_start_matches(' ').starts_with('\t');
        if let Some(found) = piece.lines().position(|line| is_indented(&line)) {
            let above = piece.lines().take(found).filter(|line| !line.trim().is_empty()).last();
            let opens = above.is_none_or(|above| above.trim_end().ends_with([':', '-']));
            let words = match opens {
                true => "found character that cannot start any token",
                false => "found a tab character that violates indentation",
            };
            return (line_of(found), words.to_owned());
        }
    }
    if problem == "found unexpected end of stream" {
        return (line_of(piece.matches('\n').count()), problem.to_owned());
    }
    // go-yaml reports no line for errors that occur after parsing.
    let name = || -> String {
        let column = usize::try_from(error.column.saturating_sub(1)).unwrap_or(0);
        let letters = line.chars().skip(column).skip_while(|letter| *letter != '*').skip(1);
        letters
            .take_while(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
            .collect()
    };
    match (error.kind, problem) {
        (_, "found unknown anchor") => return (0, format!("unknown anchor '{}' referenced", name())),
        (TextErrorKind::Recursion, _) => return (0, format!("anchor '{}' value contains itself", name())),
        (TextErrorKind::Meaning, _) => return (0, problem.to_owned()),
        (TextErrorKind::Key, _) => {
            if let Some(key) = template_key(line) {
                let key = crate::validate::quoted(key);
                let map = format!("map[interface {{}}]interface {{}}{{{key}:interface {{}}(nil)}}");
                return (0, format!("invalid map key: {map}"));
            }
        }
        _ => {}
    }
    let words = match problem {
        "misplaced bracket" => "did not find expected node content",
        "simple key expect ':'" => "could not find expected ':'",
        "expected ',' or ']'" => "did not find expected ',' or ']'",
        _ if problem.starts_with("invalid trailing content") => "did not find expected key",
        _ if problem.starts_with("unexpected character") => "found character that cannot start any token",
        other => other,
    };
    // go-yaml's parser reports the line before the error, its scanner the line of the error. For an error on the first
    // line, both report no line.
    let is_parser_error = words.starts_with("did not find expected");
    (if is_parser_error || at == 0 { at } else { at + 1 }, words.to_owned())
}

/// Returns the text inside double braces, as in `{{ name }}` of a template. YAML reads it as a map whose key is a map
/// with a single key.
fn template_key(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("{{")?;
    let (key, _) = rest.split_once("}}")?;
    let key = key.trim();
    (!key.is_empty() && !key.contains([',', ':', '{', '"', '\'', '['])).then_some(key)
}
