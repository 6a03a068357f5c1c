//! What is wrong with a text that is no YAML, in the words and with the line of the parser that kubectl has.

use crate::json::TextError;

/// The line, from 1, or 0 where none is told, and the words. `piece` is the document, `before` the lines before it.
pub(crate) fn in_go_words(error: TextError, piece: &str, before: u32) -> (u32, String) {
    // The problem alone, without what was being read.
    let problem = match error.message.split_once(", ") {
        Some((context, problem)) if context.starts_with("while ") => problem,
        _ => &error.message,
    };
    let line_of = |index: usize| before + u32::try_from(index).unwrap_or(u32::MAX - before) + 1;
    let at = usize::try_from(error.line.saturating_sub(before + 1)).unwrap_or(0);
    let line = piece.lines().nth(at).unwrap_or_default();
    if problem.contains("tab character") {
        // A tab cannot begin anything; behind a text it ends what might go on.
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
    if problem == "found unknown anchor" {
        let column = usize::try_from(error.column.saturating_sub(1)).unwrap_or(0);
        let name: String = line
            .chars()
            .skip(column)
            .skip_while(|letter| *letter != '*')
            .skip(1)
            .take_while(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
            .collect();
        return (0, format!("unknown anchor '{name}' referenced"));
    }
    if problem.starts_with("unsupported map key")
        && let Some(key) = braced(line)
    {
        let key = crate::validate::quoted(key);
        return (
            0,
            format!("invalid map key: map[interface {{}}]interface {{}}{{{key}:interface {{}}(nil)}}"),
        );
    }
    if problem.starts_with("unexpected character") {
        return (error.line, "found character that cannot start any token".to_owned());
    }
    // What its parser misses it tells with the line before, what its scanner finds with the line itself.
    let is_parsers = problem.starts_with("did not find expected");
    let line = if is_parsers {
        error.line.saturating_sub(1)
    } else {
        error.line
    };
    (line, problem.to_owned())
}

/// The text in two braces, as templates have them: to YAML a map whose key is a map with that one key.
fn braced(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("{{")?;
    let (key, _) = rest.split_once("}}")?;
    let key = key.trim();
    (!key.is_empty() && !key.contains([',', ':', '{', '"', '\'', '['])).then_some(key)
}
