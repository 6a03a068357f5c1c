//! Decodes the bytes of a file to text, in the encodings that cluster dumps come in.

/// The error for bytes that are neither UTF-8 nor UTF-16 text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotText {
    /// Line of the first invalid byte, from 1.
    pub line: usize,
}

impl std::fmt::Display for NotText {
    /// Prints the error with its position, `LINE:COLUMN: …`; the caller prepends the name of the file.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:1: the file is neither UTF-8 nor UTF-16 text", self.line)
    }
}

/// Converts two bytes to a UTF-16 code unit: `u16::from_le_bytes` or `u16::from_be_bytes`.
type UnitDecoder = fn([u8; 2]) -> u16;

/// Decodes UTF-8 or UTF-16 bytes and drops a byte order mark. PowerShell writes redirected output as UTF-16.
///
/// # Errors
/// The line of the first invalid byte.
pub fn decode_text(bytes: Vec<u8>) -> Result<String, NotText> {
    let wide: Option<(UnitDecoder, usize)> = match bytes.as_slice() {
        [0xff, 0xfe, ..] => Some((u16::from_le_bytes, 2)),
        [0xfe, 0xff, ..] => Some((u16::from_be_bytes, 2)),
        // UTF-16 without a byte order mark: a manifest starts with ASCII characters, and the code unit of each has a
        // zero byte.
        [first, 0, _, 0, ..] if *first != 0 => Some((u16::from_le_bytes, 0)),
        [0, second, 0, _, ..] if *second != 0 => Some((u16::from_be_bytes, 0)),
        _ => None,
    };
    let Some((unit, mark)) = wide else {
        return match String::from_utf8(bytes) {
            Ok(text) => Ok(match text.strip_prefix('\u{feff}') {
                Some(rest) => rest.to_owned(),
                None => text,
            }),
            Err(error) => {
                let good = error
                    .as_bytes()
                    .get(..error.utf8_error().valid_up_to())
                    .unwrap_or_default();
                let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
                Err(NotText { line })
            }
        };
    };
    let (pairs, rest) = bytes.get(mark..).unwrap_or_default().as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    let mut text = String::with_capacity(pairs.len());
    for decoded in char::decode_utf16(units) {
        match decoded {
            Ok(c) => text.push(c),
            Err(_) => {
                return Err(NotText {
                    line: 1 + text.matches('\n').count(),
                });
            }
        }
    }
    if rest.is_empty() {
        Ok(text)
    } else {
        Err(NotText {
            line: 1 + text.matches('\n').count(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All supported encodings decode to the same text; an error names the line of the first invalid byte (P-09).
    #[test]
    fn utf8_and_utf16_decode_to_the_same_text() {
        let text = "kind: Pod\nmetadata: {name: ä🦀}\n";
        let wide = |mark: bool, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            let mark = mark.then_some(0xfeff);
            mark.into_iter().chain(text.encode_utf16()).flat_map(bytes).collect()
        };
        for bytes in [
            text.as_bytes().to_vec(),
            format!("\u{feff}{text}").into_bytes(),
            wide(true, u16::to_le_bytes),
            wide(true, u16::to_be_bytes),
            wide(false, u16::to_le_bytes),
            wide(false, u16::to_be_bytes),
        ] {
            assert_eq!(decode_text(bytes).as_deref(), Ok(text));
        }
        assert_eq!(decode_text(b"a\nb\xff".to_vec()), Err(NotText { line: 2 }));
        assert_eq!(
            decode_text(vec![0xff, 0xfe, b'a', 0, b'\n', 0, b'b']),
            Err(NotText { line: 2 })
        );
        assert_eq!(decode_text(Vec::new()).as_deref(), Ok(""));
    }
}
