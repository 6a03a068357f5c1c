//! Characters that show nothing and change how the rest shows: control sequences of terminals, marks that turn the
//! direction of writing, characters of no width. In names and texts of others they are written out, so that what is
//! shown is what is meant.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character shows nothing itself and changes what is around it.
fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Controls; soft hyphen; Arabic letter mark; spaces of no width, joiners but the one of emoji and scripts,
        // directional marks; separators of lines, embeddings and overrides; joiners of words, isolates; byte order
        // mark; annotations; what is no character, which XML forbids; tags.
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}' => true,
        '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' => true,
        '\u{e0000}'..='\u{e007f}' => true,
        _ => c.is_control(),
    }
}

/// The text with each such character as `\u001b`; line breaks and tabs stay.
///
/// ```
/// assert_eq!(podscope_api::visible("web\u{1b}[2J \u{202e}gnp.exe"), "web\\u001b[2J \\u202egnp.exe");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            let _ = write!(shown, "\\u{:04x}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: Q-04
    #[test]
    fn what_shows_nothing_is_written_out() {
        for (text, shown) in [
            ("web-0", "web-0"),
            ("a\nb\tc", "a\nb\tc"),
            ("\u{1b}[31mred\r\u{7}", "\\u001b[31mred\\u000d\\u0007"),
            ("\u{9b}2J", "\\u009b2J"),
            (
                "a\u{202e}b\u{2066}c\u{200b}d\u{feff}",
                "a\\u202eb\\u2066c\\u200bd\\ufeff",
            ),
            ("👩\u{200d}💻 שלום é", "👩\u{200d}💻 שלום é"),
        ] {
            assert_eq!(visible(text), shown);
        }
        assert!(matches!(visible("plain"), Cow::Borrowed(_)));
    }
}
