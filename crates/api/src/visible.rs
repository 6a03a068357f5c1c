//! Escapes characters that are invisible or change how the text around them is displayed: terminal control sequences,
//! bidirectional marks, zero-width characters, unusual blanks. Names and texts from users are escaped, so that the
//! displayed text is the real text (Q-04). `build.rs` generates the tables from Unicode's character properties.

use std::borrow::Cow;
use std::fmt::Write;

include!(concat!(env!("OUT_DIR"), "/hidden.rs"));

fn is_in_ranges(table: &[(char, char)], c: char) -> bool {
    let after = table.partition_point(|(first, _)| *first <= c);
    after
        .checked_sub(1)
        .and_then(|at| table.get(at))
        .is_some_and(|(_, last)| c <= *last)
}

/// Returns whether `c`, preceded by `before`, is invisible or changes the display of its neighbours. A joiner or
/// variation selector inside an emoji is not hidden.
pub(crate) fn is_hidden(before: Option<char>, c: char) -> bool {
    if (' '..='~').contains(&c) {
        return false;
    }
    let is_part_of_emoji = || {
        matches!(c, '\u{200d}' | '\u{fe0f}')
            && before.is_some_and(|b| !b.is_ascii() && (b == '\u{fe0f}' || is_in_ranges(PICTURES, b)))
    };
    is_in_ranges(HIDDEN, c) && !is_part_of_emoji()
}

/// Returns the text with each hidden character escaped as `\u001b`, in UTF-16 units as in JSON; line breaks and tabs
/// stay. Escaped JSON text decodes to the same value.
///
/// ```
/// assert_eq!(podscope_api::visible("web\u{1b}[2J \u{202e}gnp.exe"), "web\\u001b[2J \\u202egnp.exe");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    let mut before = None;
    let mut hidden = text.char_indices().filter(|(_, c)| {
        let found = is_hidden(before, *c);
        before = Some(*c);
        found
    });
    let Some((mut at, mut c)) = hidden.next() else {
        return Cow::Borrowed(text);
    };
    let mut shown = String::with_capacity(text.len() + 16);
    let mut from = 0;
    loop {
        shown.push_str(text.get(from..at).unwrap_or_default());
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(shown, "\\u{unit:04x}");
        }
        from = at + c.len_utf8();
        match hidden.next() {
            Some(next) => (at, c) = next,
            None => break,
        }
    }
    shown.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: Q-04.
    #[test]
    fn hidden_characters_are_escaped() {
        for (text, shown) in [
            ("web-0", "web-0"),
            ("a\nb\tc", "a\nb\tc"),
            ("\u{1b}[31mred\r\u{7}", "\\u001b[31mred\\u000d\\u0007"),
            ("\u{9b}2J", "\\u009b2J"),
            (
                "a\u{202e}b\u{2066}c\u{200b}d\u{feff}",
                "a\\u202eb\\u2066c\\u200bd\\ufeff",
            ),
            ("\u{3164}a\u{2800}b\u{34f}c\u{115f}", "\\u3164a\\u2800b\\u034fc\\u115f"),
            ("po\u{200d}d \u{fe0f}\u{e0100}", "po\\u200dd \\ufe0f\\udb40\\udd00"),
            ("a\u{2003}b\u{3000}c\u{a0}d", "a\\u2003b\u{3000}c\u{a0}d"),
            (
                "👩🏽\u{200d}💻 ⚠\u{fe0f} ❤\u{fe0f}\u{200d}🔥 שלום é 调度器 Podʼи",
                "👩🏽\u{200d}💻 ⚠\u{fe0f} ❤\u{fe0f}\u{200d}🔥 שלום é 调度器 Podʼи",
            ),
        ] {
            assert_eq!(visible(text), shown);
        }
        assert!(matches!(visible("plain"), Cow::Borrowed(_)));
    }

    /// Escaping a line of JSON does not change the value that it decodes to.
    /// Shows: Q-04.
    #[test]
    fn json_with_escaped_characters_decodes_to_the_same_value() {
        let value = serde_json::json!({"name": "a\u{202e}b\u{e0041}\u{2028}"});
        let line = value.to_string();
        let shown = visible(&line);
        assert!(shown.is_ascii(), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).ok(), Some(value));
    }
}
