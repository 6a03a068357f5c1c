//! Sentences that the engine sends: messages with their arguments. The receiver formats a sentence when it shows it, so
//! the engine needs no language, and sentences sent earlier are shown anew when the user changes the language.
//!
//! A sentence carries the compiled English pattern of its message. The page therefore contains no messages that only
//! the engine uses.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use crate::{Argument, CURRENT_LOCALE, File, Locale, format_in, list as messages};

/// A message with its arguments, created by [`sentence!`](crate::sentence); or a text that is not a message: a text of
/// a lesson, or an error of the API server, which is the same in every language.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Sentence {
    /// Index of the message among all messages; `None` for a text that is not a message.
    message: Option<usize>,
    /// The compiled English pattern of the message, or the text that is not a message.
    english: Cow<'static, str>,
    arguments: Vec<Value>,
}

/// An argument of a [`Sentence`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Value {
    /// A name, a time, or another text that is the same in every language.
    Text(String),
    /// A whole number. It may select a plural form.
    Number(i64),
    Sentence(Sentence),
    /// Several values, printed with the separator of the language.
    List(Vec<Value>),
}

/// An argument that selects a plural form: a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count(i64);

impl Sentence {
    /// Creates a sentence from the message with this index in a file; the arguments are in the order of the pattern.
    pub(crate) fn of(file: &File, index: usize, arguments: Vec<Value>) -> Self {
        Self {
            message: Some(file.first + index),
            english: Cow::Borrowed(file.pattern(index)),
            arguments,
        }
    }

    /// Returns the English text, which traces, JSON and other machine-readable output contain.
    #[must_use]
    pub fn english(&self) -> String {
        let mut text = String::new();
        self.write(None, &mut text);
        text
    }

    /// Returns whether the sentence was created from a message.
    #[must_use]
    pub fn is_message(&self) -> bool {
        self.message.is_some()
    }

    /// Returns whether the sentence is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.english.is_empty()
    }

    fn write(&self, language: Option<&Locale>, into: &mut String) {
        if self.message.is_none() {
            let translation = language.and_then(|locale| locale.translation_of(&self.english));
            into.push_str(translation.unwrap_or(&self.english));
            return;
        }
        let values: Vec<ValueInLanguage<'_>> = self
            .arguments
            .iter()
            .map(|value| ValueInLanguage(value, language))
            .collect();
        let arguments: Vec<Argument<'_>> = (values.iter())
            .map(|value| match value.0 {
                Value::Number(number) => Argument::Number(number),
                _ => Argument::Text(value),
            })
            .collect();
        format_in(language, self.message, || &self.english, &arguments, into);
    }
}

impl fmt::Display for Sentence {
    /// Writes the sentence in the current language.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        CURRENT_LOCALE.with_borrow(|current| self.write(current.as_ref(), &mut text));
        f.write_str(&text)
    }
}

/// Prints a value in a language; `None` is English.
struct ValueInLanguage<'a>(&'a Value, Option<&'a Locale>);

impl fmt::Display for ValueInLanguage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value, language) = self;
        match value {
            Value::Text(text) => f.write_str(text),
            Value::Number(number) => number.fmt(f),
            Value::Sentence(sentence) => {
                let mut text = String::new();
                sentence.write(*language, &mut text);
                f.write_str(&text)
            }
            Value::List(values) => {
                let mut separator = String::new();
                messages::separator.sentence().write(*language, &mut separator);
                for (at, value) in values.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { &separator })?;
                    ValueInLanguage(value, *language).fmt(f)?;
                }
                Ok(())
            }
        }
    }
}

/// Joins texts with the separator of the current language.
#[must_use]
pub fn listed<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    let separator = messages::separator.text();
    let mut list = String::new();
    for (at, text) in texts.into_iter().enumerate() {
        list.push_str(if at == 0 { "" } else { &separator });
        list.push_str(text.as_ref());
    }
    list
}

/// Implemented by sentences and options of sentences, which [`as_english`] serializes as their English text.
pub trait InEnglish {
    type Text: Serialize;
    fn in_english(&self) -> Self::Text;
}

impl InEnglish for Sentence {
    type Text = String;

    fn in_english(&self) -> String {
        self.english()
    }
}

impl<T: InEnglish> InEnglish for Option<T> {
    type Text = Option<T::Text>;

    fn in_english(&self) -> Self::Text {
        self.as_ref().map(InEnglish::in_english)
    }
}

/// Serialises a sentence as its English text, for JSON: `#[serde(serialize_with = "podscope_messages::as_english")]`.
///
/// # Errors
/// Returns the errors of the serializer.
pub fn as_english<T: InEnglish, S: Serializer>(sentences: &T, serializer: S) -> Result<S::Ok, S::Error> {
    sentences.in_english().serialize(serializer)
}

/// Converts a text that is not a message to a sentence. It is translated if it is a text of a lesson
/// ([`crate::translated`]).
impl<T: Into<String>> From<T> for Sentence {
    fn from(text: T) -> Self {
        Self {
            message: None,
            english: Cow::Owned(text.into()),
            arguments: Vec::new(),
        }
    }
}

impl From<Sentence> for Value {
    fn from(sentence: Sentence) -> Self {
        Self::Sentence(sentence)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<&Arc<str>> for Value {
    fn from(text: &Arc<str>) -> Self {
        Self::Text(text.to_string())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&[Arc<str>]> for Value {
    fn from(names: &[Arc<str>]) -> Self {
        Self::List(names.iter().map(Into::into).collect())
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

macro_rules! impl_from_integer {
    ($($type:ty),*) => {$(
        impl From<$type> for Count {
            fn from(number: $type) -> Self {
                Self(i64::try_from(number).unwrap_or(i64::MAX))
            }
        }

        impl From<$type> for Value {
            fn from(number: $type) -> Self {
                Count::from(number).into()
            }
        }
    )*};
}

impl_from_integer!(u8, u16, u32, u64, usize, i32, i64);

impl From<Count> for Value {
    fn from(count: Count) -> Self {
        Self::Number(count.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{N_MESSAGES, Plural, set};

    static FILE: File = File {
        first: 0,
        english: "\u{1}0 runs \u{1}1\0on \u{1}0\0",
    };

    /// Spanish with translations of both messages, which have their arguments in another order.
    fn spanish_locale() -> Option<Locale> {
        let file = format!("\u{1}1 ejecuta \u{1}0\0en \u{1}0\0{}", "\0".repeat(N_MESSAGES - 2));
        Locale::new("es", file, Plural::english)
    }

    #[test]
    fn sentence_is_printed_in_the_current_language_or_in_english() {
        let place = Sentence::of(&FILE, 1, vec![Value::from("a-1")]);
        let sentence = Sentence::of(&FILE, 0, vec!["web-0".into(), place.into()]);
        let sent = serde_json::to_string(&sentence).expect("it is serialised");
        let sentence: Sentence = serde_json::from_str(&sent).expect("it is read again");
        assert_eq!(sentence.to_string(), "web-0 runs on a-1");
        set(spanish_locale());
        assert_eq!(sentence.to_string(), "en a-1 ejecuta web-0");
        assert_eq!(sentence.english(), "web-0 runs on a-1");
        set(None);
    }

    #[test]
    fn text_without_message_keeps_argument_marks() {
        let text = "0/3 nodes \u{1}0 {are} available";
        assert_eq!(Sentence::from(text).to_string(), text);
    }

    #[test]
    fn list_values_are_joined_by_separators() {
        let list = vec![Value::from(1_u32), Value::from("x"), Value::from(vec!["y", "z"])];
        let sentence = Sentence::of(&FILE, 1, vec![list.into()]);
        assert_eq!(sentence.to_string(), "on 1, x, y, z");
        assert_eq!(listed(["x", "y"]), "x, y");
    }
}
