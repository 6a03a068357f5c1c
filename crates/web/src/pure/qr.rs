//! QR codes as SVG paths.

use std::fmt::Write as _;

use qrcodegen::{QrCode, QrCodeEcc};

/// Width of the light margin that readers require, in squares.
const MARGIN: i32 = 4;

/// Encodes a text. Returns the width in squares, including the margin, and the dark squares as a path; `None` if the
/// text is too long.
pub(crate) fn encode_qr_code(text: &str) -> Option<(i32, String)> {
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
                let _ = write!(
                    path,
                    "M{} {}h{}v1H{}z",
                    from + MARGIN,
                    y + MARGIN,
                    x - from,
                    from + MARGIN
                );
            }
            x += 1;
        }
    }
    Some((code.size() + 2 * MARGIN, path))
}

/// Renders a QR code as an SVG drawing in which each square is four units wide.
pub(crate) fn qr_code_svg(size: i32, path: &str) -> String {
    let width = 4 * size;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{width}\" viewBox=\"0 0 {size} {size}\" shape-rendering=\"crispEdges\"><rect width=\"{size}\" height=\"{size}\" fill=\"#fff\"/><path d=\"{path}\"/></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_up_to_the_size_limit_are_encoded() {
        let (size, path) = encode_qr_code("https://example.org/#s1:AbC").expect("a short text");
        assert_eq!(size, 25 + 8, "27 bytes take version 2");
        // The finder pattern in the corner begins with seven dark squares.
        assert!(path.starts_with("M4 4h7v1H4z"), "{path}");
        assert!(encode_qr_code(&"x".repeat(2_900)).is_some());
        assert!(encode_qr_code(&"x".repeat(3_000)).is_none());
    }
}
