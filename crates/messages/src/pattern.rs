//! Formatting of one compiled pattern.
//!
//! A pattern is text with marks: `\u{1}` and a digit stand for an argument. `\u{2}` and a digit begin a selection by an
//! argument; variants follow, each of them a key, `\u{3}`, a pattern and `\u{4}`; `\u{5}` ends the selection. A key is
//! a number, a plural category or a word; an empty key is the default variant.

use crate::{Argument, Plural};
use std::fmt::Write as _;

/// Appends a formatted pattern to a text.
pub(crate) fn format(pattern: &str, arguments: &[Argument<'_>], plural: &dyn Fn(u64) -> Plural, into: &mut String) {
    let mut rest = pattern;
    while let Some(at) = rest.find(['\u{1}', '\u{2}']) {
        into.push_str(&rest[..at]);
        let is_selection = rest[at..].starts_with('\u{2}');
        let index = rest[at + 1..].bytes().next().unwrap_or_default().wrapping_sub(b'0');
        let argument = arguments.get(usize::from(index));
        rest = rest.get(at + 2..).unwrap_or_default();
        if is_selection {
            let (variant, after) = select_variant(rest, argument, plural);
            format(variant, arguments, plural, into);
            rest = after;
        } else if let Some(argument) = argument {
            let _ = match argument {
                Argument::Text(text) => write!(into, "{text}"),
                Argument::Number(number) => write!(into, "{}", number.display()),
            };
        }
    }
    into.push_str(rest);
}

/// Returns the pattern of the variant that an argument selects, and the text after the selection.
fn select_variant<'a>(
    variants: &'a str,
    argument: Option<&Argument<'_>>,
    plural: &dyn Fn(u64) -> Plural,
) -> (&'a str, &'a str) {
    let (exact, category) = match argument {
        Some(Argument::Text(text)) => (text.to_string(), ""),
        Some(Argument::Number(number)) => {
            let value = number.magnitude();
            (value.to_string(), plural(value).name())
        }
        None => (String::new(), ""),
    };
    let mut rest = variants;
    let (mut chosen, mut rank) = ("", 0);
    while let Some((key, after)) = rest.split_once('\u{3}').filter(|_| !rest.starts_with('\u{5}')) {
        let end = end_of_variant(after);
        let fits = if key == exact {
            3
        } else if !key.is_empty() && key == category {
            2
        } else {
            usize::from(key.is_empty())
        };
        if fits > rank {
            (chosen, rank) = (&after[..end], fits);
        }
        rest = after.get(end + 1..).unwrap_or_default();
    }
    (chosen, rest.strip_prefix('\u{5}').unwrap_or(rest))
}

/// Returns the byte index of the mark that ends a variant; selections inside the variant are skipped.
fn end_of_variant(text: &str) -> usize {
    let mut depth = 0;
    for (at, mark) in text.bytes().enumerate() {
        match mark {
            2 => depth += 1,
            5 => depth -= 1,
            4 if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats a pattern with the plural forms of English.
    fn formatted(pattern: &str, arguments: &[Argument<'_>]) -> String {
        let mut text = String::new();
        format(pattern, arguments, &Plural::english, &mut text);
        text
    }

    #[test]
    fn selection_prefers_exact_number_then_category() {
        let pattern = "\u{2}00\u{3}no pod\u{4}one\u{3}1 pod\u{4}\u{3}\u{1}0 pods\u{4}\u{5} on \u{1}1";
        let of = |n: u64| formatted(pattern, &[Argument::Number(&n), Argument::Text(&"a-1")]);
        assert_eq!(
            [of(0), of(1), of(7)],
            ["no pod on a-1", "1 pod on a-1", "7 pods on a-1"]
        );
    }

    #[test]
    fn nested_selections_are_formatted() {
        let pattern = "\u{2}0cut\u{3}\u{2}1one\u{3}link\u{4}\u{3}links\u{4}\u{5} cut\u{4}\u{3}well\u{4}\u{5}.";
        let of = |state: &str, n: u64| formatted(pattern, &[Argument::Text(&state), Argument::Number(&n)]);
        assert_eq!(
            [of("cut", 1), of("cut", 2), of("", 1)],
            ["link cut.", "links cut.", "well."]
        );
    }
}
