//! Prints JSON trees as kubectl does: YAML with sorted keys, quoted so that YAML 1.1 parsers read the same strings, and
//! JSON indented by four spaces.

use crate::ordered::{StableSort as _, go_sort};
use serde_json::Value;

use crate::tree::Data;
use crate::visible::{is_hidden, visible};
use crate::yaml_scalar::resolve_plain;

/// Maximum column after which a long line is broken at the next space, as in Go's emitter.
const MAX_LINE_WIDTH: usize = 80;

/// Prints a value as `kubectl get -o yaml` does.
pub fn print_yaml(value: &Value) -> String {
    let mut out = YamlEmitter::default();
    match value {
        Value::Object(map) if !map.is_empty() => out.put_mapping(map, 0, false),
        Value::Array(items) if !items.is_empty() => out.put_sequence(items, 0, false),
        scalar => {
            out.put_scalar(scalar, 2);
            out.put_newline();
        }
    }
    out.text
}

/// Prints a value as `kubectl get -o json` does: sorted keys, four spaces of indentation, a final newline.
pub fn print_json(value: &Value) -> String {
    let mut out = String::new();
    put_json_value(value, 0, &mut out);
    out.push('\n');
    out
}

/// Compares two map keys in the order of Go's YAML encoder: letters after other characters, numbers by value.
pub(crate) fn compare_keys_as_go(a: &str, b: &str) -> std::cmp::Ordering {
    use std::cmp::Ordering;
    let (left, right): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let Some(at) = left.iter().zip(&right).position(|(a, b)| a != b) else {
        return left.len().cmp(&right.len());
    };
    let (a_char, b_char) = (left[at], right[at]);
    match (a_char.is_alphabetic(), b_char.is_alphabetic()) {
        (true, true) => return a_char.cmp(&b_char),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    let number = |text: &[char]| {
        let digits: Vec<char> = text.iter().copied().take_while(char::is_ascii_digit).collect();
        let value = digits.iter().fold(0_u64, |value, digit| {
            value.wrapping_mul(10).wrapping_add(u64::from(*digit) - u64::from('0'))
        });
        (value, digits.len())
    };
    number(&left[at..]).cmp(&number(&right[at..])).then(a_char.cmp(&b_char))
}

#[derive(Default)]
struct YamlEmitter {
    text: String,
    column: usize,
}

impl YamlEmitter {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
        self.column += text.chars().count();
    }

    fn put_newline(&mut self) {
        self.text.push('\n');
        self.column = 0;
    }

    fn put_indent(&mut self, indent: usize) {
        for _ in 0..indent {
            self.text.push(' ');
        }
        self.column = indent;
    }

    /// Prints a map at `indent`; `inline` if its first key follows `- ` on the same line.
    fn put_mapping(&mut self, map: &serde_json::Map<String, Value>, indent: usize, inline: bool) {
        let mut entries: Vec<(&String, &Value)> = map.iter().collect();
        go_sort(&mut entries, |a, b| compare_keys_as_go(a.0, b.0).is_lt());
        let mut inline = inline;
        for (key, value) in entries {
            if !inline {
                self.put_indent(indent);
            }
            inline = false;
            // A long key is written as `? key` with its value on the next line.
            let long = key.len() > 128 || key.contains('\n');
            if long {
                self.put("? ");
                self.put_string(key, indent + 2, false);
                self.put_newline();
                self.put_indent(indent);
            } else {
                self.put_string(key, indent + 2, true);
            }
            match value {
                Value::Object(inner) if !inner.is_empty() => {
                    if long {
                        self.put(": ");
                    } else {
                        self.put(":");
                        self.put_newline();
                    }
                    self.put_mapping(inner, indent + 2, long);
                }
                Value::Array(items) if !items.is_empty() => {
                    if long {
                        self.put(": ");
                        self.put_sequence(items, indent + 2, true);
                    } else {
                        self.put(":");
                        self.put_newline();
                        self.put_sequence(items, indent, false);
                    }
                }
                scalar => {
                    self.put(": ");
                    self.put_scalar(scalar, indent + 2);
                    self.put_newline();
                }
            }
        }
    }

    fn put_sequence(&mut self, items: &[Value], indent: usize, inline: bool) {
        let mut inline = inline;
        for item in items {
            if !inline {
                self.put_indent(indent);
            }
            inline = false;
            self.put("- ");
            match item {
                Value::Object(inner) if !inner.is_empty() => self.put_mapping(inner, indent + 2, true),
                Value::Array(inner) if !inner.is_empty() => self.put_sequence(inner, indent + 2, true),
                scalar => {
                    self.put_scalar(scalar, indent + 2);
                    self.put_newline();
                }
            }
        }
    }

    /// Prints a value on the current line, without a final newline.
    fn put_scalar(&mut self, value: &Value, indent: usize) {
        match value {
            Value::Null => self.put("null"),
            Value::Bool(value) => self.put(if *value { "true" } else { "false" }),
            Value::Number(number) => self.put(&number_text(number)),
            Value::String(text) => self.put_string(text, indent, false),
            Value::Array(_) => self.put("[]"),
            Value::Object(_) => self.put("{}"),
        }
    }

    fn put_string(&mut self, text: &str, indent: usize, is_key: bool) {
        let shape = ScalarStyles::allowed_for(text);
        let may_be_plain = resolve_plain(text).is_none() && !may_be_read_as_another_type(text);
        if text.contains('\n') && shape.block && !is_key {
            self.put_literal_block(text, indent);
        } else if may_be_plain && shape.plain && !text.contains('\n') {
            self.put_folded_text(text, indent, is_key, |emitter, letter| emitter.put_char(letter));
        } else if may_be_plain && shape.single && !text.contains('\n') {
            self.put("'");
            self.put_folded_text(text, indent, is_key, |emitter, letter| {
                if letter == '\'' {
                    emitter.put_char('\'');
                }
                emitter.put_char(letter);
            });
            self.put("'");
        } else {
            self.put_double_quoted(text, indent, is_key);
        }
    }

    fn put_char(&mut self, letter: char) {
        self.text.push(letter);
        self.column += 1;
    }

    /// Writes a text character by character. Beyond the maximum width, a single space becomes a line break.
    fn put_folded_text(&mut self, text: &str, indent: usize, is_key: bool, write: impl Fn(&mut Self, char)) {
        let letters: Vec<char> = text.chars().collect();
        for (at, letter) in letters.iter().enumerate() {
            let lone_blank = *letter == ' '
                && at > 0
                && letters[at - 1] != ' '
                && letters.get(at + 1).is_some_and(|next| *next != ' ');
            if lone_blank && !is_key && self.column > MAX_LINE_WIDTH {
                self.put_newline();
                self.put_indent(indent);
            } else {
                write(self, *letter);
            }
        }
    }

    fn put_double_quoted(&mut self, text: &str, indent: usize, is_key: bool) {
        self.put("\"");
        let letters: Vec<char> = text.chars().collect();
        let mut after_blank = false;
        for (at, letter) in letters.iter().enumerate() {
            let escape = match letter {
                '"' => Some("\\\"".to_owned()),
                '\\' => Some("\\\\".to_owned()),
                '\0' => Some("\\0".to_owned()),
                '\u{7}' => Some("\\a".to_owned()),
                '\u{8}' => Some("\\b".to_owned()),
                '\t' => Some("\\t".to_owned()),
                '\n' => Some("\\n".to_owned()),
                '\u{b}' => Some("\\v".to_owned()),
                '\u{c}' => Some("\\f".to_owned()),
                '\r' => Some("\\r".to_owned()),
                '\u{1b}' => Some("\\e".to_owned()),
                '\u{85}' => Some("\\N".to_owned()),
                '\u{a0}' => Some("\\_".to_owned()),
                '\u{2028}' => Some("\\L".to_owned()),
                '\u{2029}' => Some("\\P".to_owned()),
                letter if !is_printable(at.checked_sub(1).map(|at| letters[at]), *letter) => {
                    Some(match u32::from(*letter) {
                        code @ 0..=0xFF => format!("\\x{code:02X}"),
                        code @ 0x100..=0xFFFF => format!("\\u{code:04X}"),
                        code => format!("\\U{code:08X}"),
                    })
                }
                _ => None,
            };
            if let Some(escape) = escape {
                self.put(&escape);
                after_blank = false;
            } else if *letter == ' ' {
                let inside = at > 0 && at + 1 < letters.len();
                if !is_key && !after_blank && self.column > MAX_LINE_WIDTH && inside {
                    self.put_newline();
                    self.put_indent(indent);
                    if letters[at + 1] == ' ' {
                        self.put("\\");
                    }
                } else {
                    self.put_char(' ');
                }
                after_blank = true;
            } else {
                self.put_char(*letter);
                after_blank = false;
            }
        }
        self.put("\"");
    }

    /// Prints a `|` block, without a newline after its last line.
    fn put_literal_block(&mut self, text: &str, indent: usize) {
        self.put("|");
        if text.starts_with([' ', '\n']) {
            self.put("2");
        }
        let body = match text.strip_suffix('\n') {
            None => {
                self.put("-");
                text
            }
            Some(body) => {
                if body.is_empty() || body.ends_with('\n') {
                    self.put("+");
                }
                body
            }
        };
        for line in body.split('\n') {
            self.put_newline();
            if !line.is_empty() {
                self.put_indent(indent);
                self.put(line);
            }
        }
    }
}

/// Returns whether YAML 1.1 parsers may read the string as another type: sexagesimal numbers, dates, `.inf`, binary and
/// octal numbers, `=` and `<<`.
fn may_be_read_as_another_type(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(first) = bytes.first() else { return true };
    if matches!(text, "=" | "<<") {
        return true;
    }
    if !(first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.')) {
        return false;
    }
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let lower = body.to_ascii_lowercase();
    if matches!(lower.as_str(), ".inf" | ".nan") {
        return true;
    }
    // Sexagesimal numbers: `190:20:30`, `190:20:30.15`.
    let sexagesimal = body.contains(':')
        && body.starts_with(|digit: char| digit.is_ascii_digit())
        && body
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'_'));
    // Dates and timestamps: `2001-12-14` and longer. Go's own decoder turns timestamps back into strings; other
    // decoders do not.
    let date = bytes.len() >= 8
        && bytes[4] == b'-'
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes.iter().all(|byte| {
            byte.is_ascii_digit() || matches!(byte, b'-' | b':' | b'.' | b'+' | b' ' | b'T' | b't' | b'Z' | b'z')
        });
    // Other numbers: `1_000`, `0b1_0`, `0x_1`, `0o17`, and digits with a malformed exponent that some parsers accept.
    let number = body.starts_with(|digit: char| digit.is_ascii_digit() || digit == '.')
        && body.contains('_')
        && body
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'_' | b'.' | b'x' | b'o' | b'b' | b'+' | b'-'));
    sexagesimal || date || number
}

/// Returns whether a character can be printed unescaped. In addition to what Go's emitter escapes, hidden characters
/// are escaped, so that the displayed text is the real text (Q-04).
fn is_printable(previous: Option<char>, letter: char) -> bool {
    !(letter != '\n' && is_hidden(previous, letter))
        && matches!(letter, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
}

/// The YAML styles in which a string can be written.
struct ScalarStyles {
    plain: bool,
    single: bool,
    block: bool,
}

impl ScalarStyles {
    fn allowed_for(text: &str) -> Self {
        let letters: Vec<char> = text.chars().collect();
        if letters.is_empty() {
            return Self {
                plain: false,
                single: true,
                block: false,
            };
        }
        let is_break = |letter: char| matches!(letter, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
        let blank_or_end = |at: usize| {
            letters
                .get(at)
                .is_none_or(|letter| matches!(letter, ' ' | '\t') || is_break(*letter))
        };
        let mut indicators = text.starts_with("---") || text.starts_with("...");
        let (mut special, mut breaks) = (false, false);
        let (mut break_space, mut space_break) = (false, false);
        for (at, letter) in letters.iter().copied().enumerate() {
            let follows_blank = at == 0 || blank_or_end(at - 1);
            let before_blank = blank_or_end(at + 1);
            indicators |= if at == 0 {
                match letter {
                    '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => {
                        true
                    }
                    '?' | ':' | '-' => before_blank,
                    _ => false,
                }
            } else {
                match letter {
                    ':' => before_blank,
                    '#' => follows_blank,
                    _ => false,
                }
            };
            special |= !is_printable(at.checked_sub(1).map(|at| letters[at]), letter);
            breaks |= is_break(letter);
            if at > 0 {
                break_space |= letter == ' ' && is_break(letters[at - 1]);
                space_break |= is_break(letter) && letters[at - 1] == ' ';
            }
        }
        let edge = |at: usize| letters[at] == ' ' || is_break(letters[at]);
        let trailing_space = letters[letters.len() - 1] == ' ';
        let edges = edge(0) || edge(letters.len() - 1);
        Self {
            plain: !(edges || break_space || space_break || special || breaks || indicators),
            single: !(break_space || space_break || special),
            block: !(trailing_space || space_break || special),
        }
    }
}

/// Prints a number as Go's YAML encoder does.
fn number_text(number: &serde_json::Number) -> String {
    if number.is_i64() || number.is_u64() {
        return number.to_string();
    }
    match number.as_f64().map(crate::yaml_scalar::go_float) {
        Some(Data::Number(text)) => text.into(),
        Some(Data::Int(whole)) => whole.to_string(),
        _ => number.to_string(),
    }
}

fn put_json_value(value: &Value, indent: usize, out: &mut String) {
    let line = |out: &mut String, indent: usize| {
        out.push('\n');
        for _ in 0..indent {
            out.push_str("    ");
        }
    };
    match value {
        Value::Object(map) if !map.is_empty() => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.stable_sort();
            out.push('{');
            for (at, key) in keys.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(out, indent + 1);
                put_json_string(key, out);
                out.push_str(": ");
                if let Some(value) = map.get(key) {
                    put_json_value(value, indent + 1, out);
                }
            }
            line(out, indent);
            out.push('}');
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(out, indent + 1);
                put_json_value(item, indent + 1, out);
            }
            line(out, indent);
            out.push(']');
        }
        Value::Object(_) => out.push_str("{}"),
        Value::Array(_) => out.push_str("[]"),
        Value::String(text) => put_json_string(text, out),
        Value::Number(number) => out.push_str(&number_text(number)),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Null => out.push_str("null"),
    }
}

/// Prints a string as Go's JSON encoder does, with `<`, `>` and `&` escaped.
fn put_json_string(text: &str, out: &mut String) {
    out.push('"');
    let mut before = None;
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' | '\u{0}'..='\u{1f}' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            letter if is_hidden(before, letter) => out.push_str(&visible(letter.encode_utf8(&mut [0; 4]))),
            letter => out.push(letter),
        }
        before = Some(letter);
    }
    out.push('"');
}
