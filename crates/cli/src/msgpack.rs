//! Converts SimKube traces from MessagePack to JSON. Written by hand, because only maps, lists, strings, numbers and
//! booleans occur, and a dependency would be larger.

use serde_json::{Map, Number, Value};

/// Maximum nesting depth, as for other input.
const MAX_DEPTH: usize = podscope_api::limits::NESTING_DEPTH;

/// Keys with which a trace can begin.
const FIRST_TRACE_KEYS: [&str; 3] = ["version", "config", "events"];

/// Converts a trace to JSON text; None if the bytes are not a trace.
///
/// # Errors
/// The bytes begin like a trace, but are truncated or contain unexpected values.
pub(crate) fn trace_as_json(bytes: &[u8]) -> Option<Result<String, String>> {
    let first = bytes
        .first()
        .filter(|first| matches!(first, 0x80..=0x8f | 0xde | 0xdf))?;
    let header = match first {
        0xde => 3,
        0xdf => 5,
        _ => 1,
    };
    let key = Reader {
        rest: bytes.get(header..)?,
    }
    .read_value(MAX_DEPTH)?;
    if !FIRST_TRACE_KEYS.contains(&key.as_str()?) {
        return None;
    }
    let mut reader = Reader { rest: bytes };
    let value = reader.read_value(0).filter(|_| reader.rest.is_empty());
    let place = bytes.len() - reader.rest.len();
    Some(match value {
        Some(value) => Ok(value.to_string()),
        None => Err(format!(
            "byte {place}: this SimKube trace (MessagePack) is truncated or broken"
        )),
    })
}

struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    fn take_bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    /// Reads an unsigned integer of `bytes` bytes.
    fn read_unsigned(&mut self, bytes: usize) -> Option<u64> {
        let taken = self.take_bytes(bytes)?;
        Some(taken.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }

    /// Reads a signed integer of `bytes` bytes.
    fn read_signed(&mut self, bytes: usize) -> Option<i64> {
        let unused = 64 - 8 * u32::try_from(bytes).ok()?;
        Some((self.read_unsigned(bytes)?.cast_signed() << unused) >> unused)
    }

    fn read_length(&mut self, bytes: usize) -> Option<usize> {
        usize::try_from(self.read_unsigned(bytes)?).ok()
    }

    fn read_value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        let first = *self.take_bytes(1)?.first()?;
        let low = |bits: u8| usize::from(first & bits);
        match first {
            0x00..=0x7f => Some(first.into()),
            0x80..=0x8f => self.read_map(low(0x0f), depth),
            0x90..=0x9f => self.read_list(low(0x0f), depth),
            0xa0..=0xbf => self.read_text(low(0x1f)),
            0xc0 => Some(Value::Null),
            0xc2 | 0xc3 => Some((first == 0xc3).into()),
            0xca => float_value(f64::from(f32::from_bits(u32::try_from(self.read_unsigned(4)?).ok()?))),
            0xcb => float_value(f64::from_bits(self.read_unsigned(8)?)),
            0xcc..=0xcf => Some(self.read_unsigned(1 << low(0x03))?.into()),
            0xd0..=0xd3 => Some(self.read_signed(1 << low(0x03))?.into()),
            0xd9..=0xdb => {
                let count = self.read_length(1 << (low(0x03) - 1))?;
                self.read_text(count)
            }
            0xdc | 0xdd => {
                let count = self.read_length(2 << low(0x01))?;
                self.read_list(count, depth)
            }
            0xde | 0xdf => {
                let count = self.read_length(2 << low(0x01))?;
                self.read_map(count, depth)
            }
            0xe0..=0xff => Some(first.cast_signed().into()),
            _ => None,
        }
    }

    fn read_text(&mut self, count: usize) -> Option<Value> {
        let bytes = self.take_bytes(count)?.to_vec();
        String::from_utf8(bytes).ok().map(Value::String)
    }

    fn read_list(&mut self, count: usize, depth: usize) -> Option<Value> {
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(self.read_value(depth + 1)?);
        }
        Some(Value::Array(items))
    }

    /// Reads a map with `count` entries. Numeric keys become strings.
    fn read_map(&mut self, count: usize, depth: usize) -> Option<Value> {
        let mut fields = Map::new();
        for _ in 0..count {
            let key = match self.read_value(depth + 1)? {
                Value::String(text) => text,
                other => other.to_string(),
            };
            fields.insert(key, self.read_value(depth + 1)?);
        }
        Some(Value::Object(fields))
    }
}

fn float_value(number: f64) -> Option<Value> {
    Number::from_f64(number).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A trace that contains every type that can occur.
    const TRACE: &[u8] = b"\x84\xa7version\x03\xa6events\x91\x81\xa2ts\xce\x69\x5c\xdd\xe0\xa5index\x81\x05\xc3\xa1n\
        \x94\xd1\xff\x00\xff\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00\xd9\x01x";

    /// Shows: P-15
    #[test]
    fn trace_is_converted_to_json() {
        let json = trace_as_json(TRACE).expect("a trace").expect("a whole trace");
        let wanted =
            "{\"version\":3,\"events\":[{\"ts\":1767693792}],\"index\":{\"5\":true},\"n\":[-256,-1,1.5,\"x\"]}";
        assert_eq!(json, wanted);
    }

    /// Shows: P-04, P-15
    #[test]
    fn truncated_trace_is_an_error_other_bytes_are_none() {
        for end in 9..TRACE.len() {
            assert!(matches!(trace_as_json(&TRACE[..end]), Some(Err(_))), "{end}");
        }
        for other in [
            &b"apiVersion: v1\n"[..],
            b"",
            b"\x84",
            b"\x81\xa4kind\xa3Pod",
            b"\xff\xfe{\0",
        ] {
            assert!(trace_as_json(other).is_none(), "{other:?}");
        }
    }
}
