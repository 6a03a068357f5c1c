//! Parses JSON text (RFC 8259) to a [`Tree`]. Duplicate keys are reported; numbers keep their text.

use std::borrow::Cow;

use crate::limits;
use crate::ordered;
use crate::tree::{Data, Entry, Tree};
use crate::yaml::put_entry;

/// A syntax error with its position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TextError {
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) message: String,
    pub(crate) kind: TextErrorKind,
}

/// The category of a syntax error, for callers that reword the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextErrorKind {
    /// The text is malformed.
    Syntax,
    /// A tab is used for indentation.
    Tab,
    /// The map already has this key.
    Duplicate,
    /// A map key is not a scalar value.
    Key,
    /// An anchored value contains an alias of itself.
    Recursion,
    /// A tag, alias or merge key is invalid. Go's decoder reports such errors without a line number.
    Meaning,
}

/// The text of one item of a list, with the position of its first character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JsonItem<'t> {
    pub(crate) text: &'t str,
    line: u32,
    column: u32,
}

/// Callback that receives the texts of a list's items, to be parsed with [`read_item`]; returns None if one cannot be
/// parsed.
type OnItems<'e, 't> = &'e mut dyn FnMut(&[JsonItem<'t>]) -> Option<()>;

/// Parses one item of a list; returns None if its text is not exactly one JSON value without duplicate keys. The limit
/// on the number of values applies to each item.
pub(crate) fn read_item<'t>(item: &JsonItem<'t>) -> Option<Tree<'t>> {
    let mut reader = JsonReader::new(item.text, item.line);
    reader.counted = (0, item.column);
    let value = reader.read_value_at_depth(LIST_ITEM_DEPTH).ok()?;
    reader.skip_space();
    (reader.pos == item.text.len() && reader.duplicates.is_empty()).then_some(value)
}

/// Nesting depth of a list's items: they are inside an array, which is inside an object.
const LIST_ITEM_DEPTH: usize = 2;

/// Parses a sequence of JSON values.
pub(crate) struct JsonReader<'t> {
    bytes: &'t [u8],
    text: &'t str,
    pos: usize,
    line: u32,
    line_start: usize,
    /// The byte position and the column of the last column lookup. The next lookup continues from there, so that the
    /// characters of a long line are counted only once.
    counted: (usize, u32),
    n_values: usize,
    /// Duplicate keys, at most [`limits::LISTED_PROBLEMS`]; they do not stop the parser.
    pub(crate) duplicates: Vec<TextError>,
}

impl<'t> JsonReader<'t> {
    /// Creates a reader for `text`, whose first line has the number `line`.
    pub(crate) fn new(text: &'t str, line: u32) -> Self {
        Self {
            bytes: text.as_bytes(),
            text,
            pos: 0,
            line,
            line_start: 0,
            counted: (0, 1),
            n_values: 0,
            duplicates: Vec::new(),
        }
    }

    /// Creates a second reader that starts at the current position.
    pub(crate) fn fork(&mut self) -> Self {
        let mut fork = Self::new(&self.text[self.pos..], self.line);
        fork.counted = (0, self.column());
        fork
    }

    /// Skips white space and `---` lines. Returns whether there is more text.
    pub(crate) fn skip_to_next_value(&mut self) -> bool {
        loop {
            self.skip_space();
            if self.pos == self.line_start && self.text[self.pos..].starts_with("---") {
                self.pos += 3;
            } else {
                return self.pos < self.bytes.len();
            }
        }
    }

    /// Returns the remaining text and the number of its first line.
    pub(crate) fn rest_with_line(&self) -> (&'t str, u32) {
        (&self.text[self.pos..], self.line)
    }

    /// Returns the number of bytes read, including the current one: the offset that Go reports in errors.
    pub(crate) fn offset(&self) -> usize {
        self.pos + 1
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => {
                    self.pos += 1;
                    self.line += 1;
                    self.line_start = self.pos;
                }
                b' ' | b'\t' | b'\r' => self.pos += 1,
                _ => break,
            }
        }
    }

    fn column(&mut self) -> u32 {
        if self.counted.0 < self.line_start {
            self.counted = (self.line_start, 1);
        }
        let chars = self.text[self.counted.0..self.pos].chars().count();
        let column = self.counted.1.saturating_add(u32::try_from(chars).unwrap_or(u32::MAX));
        self.counted = (self.pos, column);
        column
    }

    fn error_here(&mut self, message: impl Into<String>) -> TextError {
        let column = self.column();
        TextError {
            line: self.line,
            column,
            message: message.into(),
            kind: TextErrorKind::Syntax,
        }
    }

    /// Parses the next value. If it is an object with a list `items`, the texts of the items are passed to the callback
    /// and omitted from the result. Returns None if a value cannot be parsed; the caller must then discard the items it
    /// received.
    pub(crate) fn read_value_splitting_items(&mut self, on_items: OnItems<'_, 't>) -> Option<Tree<'t>> {
        self.skip_space();
        if self.peek() != Some(b'{') {
            return self.read_value().ok();
        }
        let (line, column) = (self.line, self.column());
        let data = self.parse_object(0, Some(on_items)).ok()?;
        Some(Tree { line, column, data })
    }

    /// Parses the next value.
    ///
    /// # Errors
    /// The first syntax error.
    pub(crate) fn read_value(&mut self) -> Result<Tree<'t>, TextError> {
        self.read_value_at_depth(0)
    }

    fn unexpected_character(&mut self, context: &str) -> TextError {
        match self.text[self.pos..].chars().next() {
            None => self.error_here("unexpected end of JSON input"),
            Some(found) => self.error_here(format!("invalid character {found:?} {context}")),
        }
    }

    fn read_value_at_depth(&mut self, depth: usize) -> Result<Tree<'t>, TextError> {
        self.skip_space();
        if depth > limits::NESTING_DEPTH {
            return Err(self.error_here(format!("nested deeper than {} levels", limits::NESTING_DEPTH)));
        }
        self.n_values += 1;
        if self.n_values > limits::VALUES {
            return Err(self.error_here(format!("more than {} values", limits::VALUES)));
        }
        let (line, column) = (self.line, self.column());
        let data = match self.peek() {
            Some(b'{') => self.parse_object(depth, None)?,
            Some(b'[') => self.parse_array(depth)?,
            Some(b'"') => Data::String(self.parse_string()?),
            Some(b'-' | b'0'..=b'9') => self.parse_number()?,
            _ => {
                let known = [
                    ("true", Data::Bool(true)),
                    ("false", Data::Bool(false)),
                    ("null", Data::Null),
                ]
                .into_iter()
                .find(|(word, _)| word.bytes().next() == self.peek());
                let Some((word, data)) = known else {
                    return Err(self.unexpected_character("looking for beginning of value"));
                };
                for letter in word.bytes() {
                    if self.peek() != Some(letter) {
                        let context = format!("in literal {word} (expecting {:?})", char::from(letter));
                        return Err(self.unexpected_character(&context));
                    }
                    self.pos += 1;
                }
                data
            }
        };
        Ok(Tree { line, column, data })
    }

    fn parse_object(&mut self, depth: usize, mut on_items: Option<OnItems<'_, 't>>) -> Result<Data<'t>, TextError> {
        let mut entries: Vec<Entry<'t>> = Vec::new();
        let (mut index, mut merged) = (ordered::Map::new(), Vec::new());
        self.pos += 1;
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.pos += 1;
            return Ok(Data::Map(entries));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.unexpected_character("looking for beginning of object key string"));
            }
            let (line, column) = (self.line, self.column());
            let key = self.parse_string()?;
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.unexpected_character("after object key"));
            }
            self.pos += 1;
            self.skip_space();
            let splitting_callback = match (&*key, self.peek()) {
                ("items", Some(b'[')) => on_items.take(),
                _ => None,
            };
            let value = match splitting_callback {
                Some(on_items) => self.split_items(on_items)?,
                None => self.read_value_at_depth(depth + 1)?,
            };
            let entry = Entry {
                key,
                line,
                column,
                value,
            };
            if let Some(key) = put_entry(&mut entries, &mut index, &mut merged, entry, false)
                && self.duplicates.len() < limits::LISTED_PROBLEMS
            {
                self.duplicates.push(TextError {
                    line,
                    column,
                    message: format!("duplicate field {key:?}"),
                    kind: TextErrorKind::Duplicate,
                });
            }
            self.skip_space();
            match self.peek() {
                Some(b',') => self.pos += 1,
                Some(b'}') => {
                    self.pos += 1;
                    return Ok(Data::Map(entries));
                }
                _ => return Err(self.unexpected_character("after object key:value pair")),
            }
        }
    }

    /// Splits the list `items` of an object into the texts of its items and passes them to the callback.
    fn split_items(&mut self, on_items: OnItems<'_, 't>) -> Result<Tree<'t>, TextError> {
        let (line, column) = (self.line, self.column());
        let mut items = Vec::new();
        self.pos += 1;
        self.skip_space();
        let mut is_end = self.peek() == Some(b']');
        while !is_end {
            self.skip_space();
            let start = self.pos;
            let (line, column) = (self.line, self.column());
            self.skip_item();
            let text = &self.text[start..self.pos];
            items.push(JsonItem { text, line, column });
            match self.peek() {
                Some(b',') => self.pos += 1,
                Some(_) => is_end = true,
                None => return Err(self.unexpected_character("after array element")),
            }
        }
        self.pos += 1;
        if on_items(&items).is_none() {
            return Err(self.error_here("an item cannot be read"));
        }
        Ok(Tree {
            line,
            column,
            data: Data::Seq(Vec::new()),
        })
    }

    /// Moves to the comma or bracket after a list item, or to the end of the text. Looks only at strings and brackets:
    /// errors are found when the item is parsed.
    fn skip_item(&mut self) {
        let (mut depth, mut is_in_string) = (0_usize, false);
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => {
                    self.line += 1;
                    self.line_start = self.pos + 1;
                }
                b'"' => is_in_string = !is_in_string,
                // The next character belongs to the escape.
                b'\\' if is_in_string => self.pos += 1,
                _ if is_in_string => {}
                b'{' | b'[' => depth += 1,
                b',' | b']' if depth == 0 => return,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.pos = self.bytes.len().min(self.pos + 1);
        }
    }

    fn parse_array(&mut self, depth: usize) -> Result<Data<'t>, TextError> {
        let mut items = Vec::new();
        self.pos += 1;
        self.skip_space();
        if self.peek() == Some(b']') {
            self.pos += 1;
            return Ok(Data::Seq(items));
        }
        loop {
            items.push(self.read_value_at_depth(depth + 1)?);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.pos += 1,
                Some(b']') => {
                    self.pos += 1;
                    return Ok(Data::Seq(items));
                }
                _ => return Err(self.unexpected_character("after array element")),
            }
        }
    }

    fn parse_number(&mut self) -> Result<Data<'t>, TextError> {
        let start = self.pos;
        let digits = |reader: &mut Self| {
            let from = reader.pos;
            while reader.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                reader.pos += 1;
            }
            reader.pos > from
        };
        if self.peek() == Some(b'-') {
            self.pos += 1;
        }
        let leading = self.pos;
        if !digits(self) || (self.bytes[leading] == b'0' && self.pos > leading + 1) {
            return Err(self.unexpected_character("in numeric literal"));
        }
        if self.peek() == Some(b'.') {
            self.pos += 1;
            if !digits(self) {
                return Err(self.unexpected_character("after decimal point in numeric literal"));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.pos += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.pos += 1;
            }
            if !digits(self) {
                return Err(self.unexpected_character("in exponent of numeric literal"));
            }
        }
        let text = &self.text[start..self.pos];
        Ok(match text.parse::<i64>() {
            Ok(number) => Data::Int(number),
            Err(_) => Data::Number(text.into()),
        })
    }

    fn parse_string(&mut self) -> Result<Cow<'t, str>, TextError> {
        self.pos += 1;
        // A string without escapes borrows from the text.
        let mut out = Cow::Borrowed("");
        loop {
            let from = self.pos;
            while self
                .peek()
                .is_some_and(|byte| byte != b'"' && byte != b'\\' && byte >= b' ')
            {
                self.pos += 1;
            }
            out += &self.text[from..self.pos];
            match self.peek() {
                Some(b'"') => {
                    self.pos += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.pos += 1;
                    let Some(escape) = self.peek() else {
                        return Err(self.unexpected_character("in string literal"));
                    };
                    let plain = match escape {
                        b'"' | b'\\' | b'/' => char::from(escape),
                        b'b' => '\u{8}',
                        b'f' => '\u{c}',
                        b'n' => '\n',
                        b'r' => '\r',
                        b't' => '\t',
                        b'u' => {
                            self.pos += 1;
                            let letter = self.parse_unicode_escape()?;
                            out.to_mut().push(letter);
                            continue;
                        }
                        _ => return Err(self.unexpected_character("in string escape code")),
                    };
                    self.pos += 1;
                    out.to_mut().push(plain);
                }
                _ => return Err(self.unexpected_character("in string literal")),
            }
        }
    }

    /// Parses the four digits after `\u`, and a second escape if they are half of a surrogate pair.
    fn parse_unicode_escape(&mut self) -> Result<char, TextError> {
        let first = self.parse_hex4()?;
        if !(0xD800..0xE000).contains(&first) {
            return Ok(char::from_u32(first).unwrap_or('\u{FFFD}'));
        }
        if first < 0xDC00 && self.text[self.pos..].starts_with("\\u") {
            let back = self.pos;
            self.pos += 2;
            let second = self.parse_hex4()?;
            if (0xDC00..0xE000).contains(&second) {
                let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                return Ok(char::from_u32(code).unwrap_or('\u{FFFD}'));
            }
            self.pos = back;
        }
        Ok('\u{FFFD}')
    }

    fn parse_hex4(&mut self) -> Result<u32, TextError> {
        let digits = self.text.get(self.pos..self.pos + 4);
        match digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit())) {
            Some(digits) => {
                self.pos += 4;
                Ok(u32::from_str_radix(digits, 16).unwrap_or(0xFFFD))
            }
            None => Err(self.unexpected_character("in \\u hexadecimal character escape")),
        }
    }
}
