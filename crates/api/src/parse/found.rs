//! What a text held: objects with their places, and problems with theirs.

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use serde_json::Value;

use crate::json::JsonReader;
use crate::tree::{Data, Tree};
use crate::{Object, Str, yaml};

/// Everything a text held. Objects keep the order of the text.
#[derive(Debug, Default)]
pub struct Parsed {
    /// Objects of kinds with behaviour.
    pub objects: Vec<Located<Object>>,
    /// Objects without behaviour (CRDs, kinds that are not simulated): kept and listed, never dropped.
    pub others: Vec<Located<Unknown>>,
    /// Scenario and component configuration documents, as trees.
    pub configs: Vec<Located<Config>>,
    /// Everything that is wrong, in the order of the text.
    pub problems: Vec<Problem>,
}

/// A value and the place it was read from.
#[derive(Debug, Clone, PartialEq)]
pub struct Located<T> {
    pub value: T,
    /// Its place.
    pub at: Location,
}

/// The place of an object in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Location {
    /// Number of the document, from 1.
    pub document: u32,
    /// Line of its first character, from 1.
    pub line: u32,
    /// Column of its first character, from 1.
    pub column: u32,
}

/// An object of a kind without behaviour.
#[derive(Debug, Clone, PartialEq)]
pub struct Unknown {
    /// `apiVersion`.
    pub api_version: Str,
    /// `kind`.
    pub kind: Str,
    /// `metadata.namespace`, or empty.
    pub namespace: Str,
    /// `metadata.name`, or empty.
    pub name: Str,
    /// The whole object.
    pub raw: Arc<Value>,
}

/// A document that configures the program: `Scenario`, `KubeSchedulerConfiguration`, `KubeletConfiguration`.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// `apiVersion`.
    pub api_version: Str,
    /// `kind`.
    pub kind: Str,
    /// The document, for [`crate::decode`].
    pub tree: Tree<'static>,
}

/// One thing that is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Number of the document, from 1; 0 for the text as a whole.
    pub document: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The field, as `spec.containers[0].image`; empty where it is not one field.
    pub path: String,
    /// What is wrong, in the API server's words where it has some.
    pub message: String,
    /// What is wrong, for those who do more than show it.
    pub kind: ProblemKind,
}

/// What is wrong, for those who do more than show the message: who wants to know reads this, not the words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ProblemKind {
    /// What its message says, and no more.
    #[default]
    Other,
    /// The text is neither YAML nor JSON; the words are the reader's.
    Syntax,
    /// The type has no such field.
    UnknownField,
    /// A text has to stand there.
    NoText,
    /// A value of another type has to stand there.
    OtherType,
    NoQuantity,
    /// Something has to stand there.
    Required,
    /// None of the values that are known.
    Unsupported,
    /// What is told apart by it is there already.
    Duplicate,
    /// A name with letters that it may not have, or in places where they may not be.
    NoName,
    /// A selector that does not find the pods of its own template.
    Selector,
    /// A kind that the API server does not serve, or not in this version.
    Unserved {
        /// `apiVersion`.
        api_version: String,
        /// `kind`.
        kind: String,
    },
}

impl std::fmt::Display for Problem {
    /// `LINE:COL: field.path: message`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: ", self.line, self.column)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

impl Problem {
    /// A problem of a field of an object that was read before; `text` is what it was read from.
    pub fn of_field(text: &str, at: &Location, path: &str, message: impl Into<String>) -> Self {
        let (line, column) = at.position(text, path);
        Self {
            document: at.document,
            line,
            column,
            path: path.to_owned(),
            message: message.into(),
            kind: ProblemKind::Other,
        }
    }
}

impl Location {
    /// Line and column of a field of the object at this place, or of its nearest parent that is written down.
    ///
    /// `text` is the text it was read from; only the object itself is read again.
    pub fn position(&self, text: &str, path: &str) -> (u32, u32) {
        self.tree(text)
            .map_or((self.line, self.column), |node| node.position(path))
    }

    /// The object at this place as a tree, read again.
    pub fn tree(&self, text: &str) -> Option<Tree<'static>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let before = self.line.checked_sub(1)?;
        let mut offset = 0;
        for _ in 0..before {
            offset += text[offset..].find('\n')? + 1;
        }
        self.tree_from(text, offset)
    }

    /// The same where it is known at which byte the object's line begins.
    fn tree_from(&self, text: &str, offset: usize) -> Option<Tree<'static>> {
        let before = self.line.checked_sub(1)?;
        let line = text[offset..].lines().next()?;
        let column = usize::try_from(self.column.checked_sub(1)?).ok()?;
        let start = offset + line.char_indices().nth(column).map(|(at, _)| at)?;
        let body = &text[start..];
        if body.starts_with('{') {
            let mut reader = JsonReader::new(body, self.line);
            if let Ok(mut node) = reader.value() {
                shift_first_line(&mut node, self.line, self.column - 1);
                return Some(node.owned());
            }
        }
        // Blanks in place of what stands before it keep the indentation of its first line.
        let indent = " ".repeat(column);
        let indented = format!("{indent}{}", until_outdented(body, column));
        yaml::read_first(&indented, before).or_else(|| {
            // Lines inside brackets and quotes may be less indented than the object.
            let all = format!("{indent}{}", until_outdented(body, 0));
            yaml::read_first(&all, before)
        })
    }
}

/// Where the lines of a text begin: for many positions in a long text.
#[derive(Debug)]
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Looks for the lines once.
    pub fn new(text: &'t str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self {
            text,
            starts: std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect(),
        }
    }

    /// [`Location::tree`] without reading the lines before it.
    pub fn tree(&self, at: &Location) -> Option<Tree<'static>> {
        let line = usize::try_from(at.line.checked_sub(1)?).ok()?;
        at.tree_from(self.text, *self.starts.get(line)?)
    }
}

/// Moves the columns of what stands on the first line; the reader saw the line cut.
fn shift_first_line(node: &mut Tree<'_>, line: u32, by: u32) {
    if node.line == line {
        node.column += by;
    }
    match &mut node.data {
        Data::Seq(items) => items.iter_mut().for_each(|item| shift_first_line(item, line, by)),
        Data::Map(entries) => {
            for entry in entries {
                if entry.line == line {
                    entry.column += by;
                }
                shift_first_line(&mut entry.value, line, by);
            }
        }
        _ => {}
    }
}

/// The lines of a block that starts at column `indent`: up to the next line that is less indented.
fn until_outdented(body: &str, indent: usize) -> &str {
    let mut end = 0;
    for (number, line) in body.split_inclusive('\n').enumerate() {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let outdented = blanks < indent && !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let marker = line.starts_with("---") || line.starts_with("...");
        if number > 0 && (outdented || (indent == 0 && marker)) {
            break;
        }
        end += line.len();
    }
    &body[..end]
}
