//! A text as a QR code: the squares of one path, for a screen that somebody points a telephone at.

use std::fmt::Write as _;

use qrcodegen::{QrCode, QrCodeEcc};

/// Light squares around it, without which readers do not find it.
const QUIET: i32 = 4;

/// How many squares wide a code is, its margin included, and its dark squares as a path; none for a text that no code holds.
pub(crate) fn code(text: &str) -> Option<(i32, String)> {
    let code = QrCode::encode_text(text, QrCodeEcc::Low).ok()?;
    let mut path = String::new();
    for y in 0..code.size() {
        let mut x = 0;
        while x < code.size() {
            let from = x;
            while x < code.size() && code.get_module(x, y) {
                x += 1;
            }
            if x > from {
                let _ = write!(path, "M{} {}h{}v1H{}z", from + QUIET, y + QUIET, x - from, from + QUIET);
            }
            x += 1;
        }
    }
    Some((code.size() + 2 * QUIET, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_a_code_until_it_is_too_long() {
        let (size, path) = code("https://example.org/#s1:AbC").expect("a short text");
        assert_eq!(size, 25 + 8, "27 bytes take version 2");
        // The finder in the corner: seven dark squares in a row.
        assert!(path.starts_with("M4 4h7v1H4z"), "{path}");
        assert!(code(&"x".repeat(2_900)).is_some());
        assert!(code(&"x".repeat(3_000)).is_none());
    }
}
