//! Resolves YAML scalars as the API server's YAML 1.1 library does: booleans, numbers and null (VA-246 to VA-253).

use std::borrow::Cow;

use saphyr_parser::{ScalarStyle, Tag};

use crate::tree::Data;

/// Converts a map key to a JSON key (VA-253).
pub(crate) fn key_text(data: Data<'_>) -> Result<Cow<'_, str>, String> {
    Ok(match data {
        Data::String(text) | Data::Number(text) => text,
        Data::Bool(value) => value.to_string().into(),
        Data::Int(number) => number.to_string().into(),
        Data::Null => return Err("unsupported map key of type: null".into()),
        Data::Seq(_) | Data::Map(_) => return Err("unsupported map key: a map or list".into()),
    })
}

pub(crate) fn resolve_scalar<'t>(
    text: Cow<'t, str>,
    style: ScalarStyle,
    tag: Option<&Tag>,
) -> Result<Data<'t>, String> {
    let Some(tag) = tag else {
        return Ok(if style == ScalarStyle::Plain {
            plain_scalar(text)
        } else {
            Data::String(text)
        });
    };
    if !tag.is_yaml_core_schema() {
        return Ok(Data::String(text));
    }
    let wrong = |found: &Data<'_>| {
        let found = match found {
            Data::Null => "null",
            Data::Bool(_) => "bool",
            Data::Int(_) => "int",
            Data::Number(_) => "float",
            _ => "str",
        };
        format!("cannot decode !!{found} `{text}` as a !!{}", tag.suffix)
    };
    let resolved = plain_scalar(text.clone());
    match (tag.suffix.as_str(), &resolved) {
        ("bool", Data::Bool(_)) | ("int", Data::Int(_)) | ("float", Data::Number(_) | Data::Int(_)) => Ok(resolved),
        ("null", Data::Null) => Ok(resolved),
        ("bool" | "int" | "float" | "null", _) => Err(wrong(&resolved)),
        _ => Ok(Data::String(text)),
    }
}

/// Converts a plain (unquoted) scalar to the type that its text implies (VA-246 to VA-252).
pub(crate) fn plain_scalar(text: Cow<'_, str>) -> Data<'_> {
    resolve_plain(&text).unwrap_or(Data::String(text))
}

/// Converts a plain scalar to a number, boolean or null; returns None if it is a string.
pub(crate) fn resolve_plain(text: &str) -> Option<Data<'static>> {
    match text.as_bytes().first() {
        None => return Some(Data::Null),
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            return match text {
                "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
                    Some(Data::Bool(true))
                }
                "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
                    Some(Data::Bool(false))
                }
                "~" | "null" | "Null" | "NULL" => Some(Data::Null),
                _ => None,
            };
        }
        Some(b'+' | b'-' | b'0'..=b'9' | b'.') => {}
        Some(_) => return None,
    }
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    match body.as_bytes() {
        [b'.', b'0'..=b'9', ..] | [b'0'..=b'9', ..] => {}
        // `.inf` and `.nan` have no JSON form: Go's encoder refuses them; this parser reads them as strings.
        _ => return None,
    }
    if is_date_like(text) {
        return None;
    }
    let plain: Cow<'_, str> = if text.contains('_') && !text.starts_with('.') {
        Cow::Owned(text.replace('_', ""))
    } else {
        Cow::Borrowed(text)
    };
    parse_integer(&plain).or_else(|| parse_float(&plain))
}

/// Returns whether a scalar looks like a date (`YYYY-…`). Dates stay strings, because Go's decoder turns timestamps
/// back into text.
fn is_date_like(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > 4 && bytes[4] == b'-' && bytes[..4].iter().all(u8::is_ascii_digit)
}

/// Parses an integer as Go's `strconv.ParseInt(text, 0, 64)`, or `ParseUint` for larger values.
fn parse_integer(text: &str) -> Option<Data<'static>> {
    let (sign, body) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let lower = body.get(..2).map(str::to_ascii_lowercase);
    let (radix, digits) = match lower.as_deref() {
        Some("0x") => (16, &body[2..]),
        Some("0b") => (2, &body[2..]),
        Some("0o") => (8, &body[2..]),
        Some(_) if body.starts_with('0') => (8, &body[1..]),
        _ => (10, body),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let value = i128::from_str_radix(digits, radix).ok();
    match value {
        Some(value) => {
            let value = if sign == "-" { -value } else { value };
            match i64::try_from(value) {
                Ok(number) => Some(Data::Int(number)),
                Err(_) => Some(Data::Number(value.to_string().into())),
            }
        }
        None if radix == 10 => Some(Data::Number(format!("{sign}{}", digits.trim_start_matches('0')).into())),
        None => None,
    }
}

/// Parses a decimal number with a point or exponent.
fn parse_float(text: &str) -> Option<Data<'static>> {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match body.find(['e', 'E']) {
        Some(at) => (&body[..at], Some(&body[at + 1..])),
        None => (body, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if digits.is_empty() || !all_digits(digits) {
            return None;
        }
    }
    let number: f64 = text.parse().ok()?;
    if !number.is_finite() {
        return None;
    }
    Some(go_float(number))
}

/// Converts a float as Go's JSON encoder does: to an integer if it is one and exactly representable.
pub(crate) fn go_float(number: f64) -> Data<'static> {
    const EXACT_INTEGER_MAX: f64 = 9_007_199_254_740_992.0;
    if number.trunc() == number && number.abs() <= EXACT_INTEGER_MAX {
        #[allow(clippy::cast_possible_truncation)]
        return Data::Int(number as i64);
    }
    let magnitude = number.abs();
    let text = if (1e-6..1e21).contains(&magnitude) {
        format!("{number}")
    } else {
        let text = format!("{number:e}");
        match text.split_once('e') {
            Some((mantissa, exponent)) if !exponent.starts_with('-') => format!("{mantissa}e+{exponent:0>2}"),
            Some((mantissa, exponent)) => format!("{mantissa}e-{}", exponent.trim_start_matches('-')),
            None => text,
        }
    };
    Data::Number(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows: VA-246, VA-247, VA-248, VA-249, VA-250, VA-251, VA-252
    #[test]
    fn plain_scalars_resolve_as_in_the_api_server() {
        let number = |text: &'static str| Data::Number(text.into());
        for (text, expected) in [
            ("yes", Data::Bool(true)),
            ("Off", Data::Bool(false)),
            ("n", Data::Bool(false)),
            ("yEs", Data::String("yEs".into())),
            ("0777", Data::Int(511)),
            ("0o777", Data::Int(511)),
            ("0x1F", Data::Int(31)),
            ("0b11", Data::Int(3)),
            ("1_0", Data::Int(10)),
            ("-0x10", Data::Int(-16)),
            ("1e3", Data::Int(1000)),
            ("30.0", Data::Int(30)),
            ("1.10", number("1.1")),
            ("0888", Data::Int(888)),
            (".5", number("0.5")),
            ("1.", Data::Int(1)),
            ("~", Data::Null),
            ("null", Data::Null),
            ("", Data::Null),
            ("2001-01-01", Data::String("2001-01-01".into())),
            ("12:30:45", Data::String("12:30:45".into())),
            ("60:30", Data::String("60:30".into())),
            ("1.2.3", Data::String("1.2.3".into())),
            ("10m", Data::String("10m".into())),
            ("-", Data::String("-".into())),
            ("3000000000", Data::Int(3_000_000_000)),
            ("18446744073709551615", number("18446744073709551615")),
            ("1e25", number("1e+25")),
            ("0", Data::Int(0)),
        ] {
            assert_eq!(plain_scalar(text.into()), expected, "{text}");
        }
    }
}
