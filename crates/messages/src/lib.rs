//! The user-visible texts of Podscope, as messages with named arguments.
//!
//! A message is defined in `locales/LANGUAGE/FILE.ftl`, in Fluent's syntax. `build.rs` compiles these files: each
//! English message becomes an item in the module of its file, so an unknown message or argument is a compile error.
//! [`t!`] formats a message in the current language. A message that the current language lacks is shown in English.
//!
//! The engine does not know the user's language. It sends a [`Sentence`]: a message with its arguments, created by
//! [`sentence!`]. The page and the command line print it in their language; traces and JSON hold its English text
//! ([`Sentence::english`]).
//!
//! English is part of the program. The page loads the file of another language when the user selects it; the command
//! line contains the same files. Both call [`set`] with the plural rules of the language: the page uses those of the
//! browser, the command line those of a crate. Texts of lessons and the glossary are not messages: their translations
//! are looked up by a digest of the English text ([`translated`]).
//!
//! The runtime of Fluent (`fluent-bundle` 0.16) was measured: it adds 42 KiB of brotli-compressed wasm to the page and
//! parses at each start. This crate adds its few functions only; `fluent-syntax` parses at build time.

mod pattern;
mod sentence;

use std::cell::RefCell;
use std::fmt;

/// The generated items: messages by file, and the list of languages.
#[allow(non_upper_case_globals, non_camel_case_types, missing_docs)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}

pub use generated::*;
pub use sentence::{Count, InEnglish, Sentence, Value, as_english, listed};

/// All English messages in compiled form.
#[cfg(feature = "all")]
pub const ENGLISH: &str = include_str!(concat!(env!("OUT_DIR"), "/en.txt"));

/// Files whose messages the engine sends as plain English texts; the page looks up their translations by the English
/// text.
#[cfg(feature = "all")]
pub const ENGINE_MESSAGE_FILES: [&str; 2] = ["invariant", "plugin"];

/// The English messages of one file of `locales/en`. A program contains only the files of which it uses a message.
#[derive(Debug, PartialEq, Eq)]
struct File {
    /// Index of the file's first message among all messages.
    first: usize,
    /// Compiled patterns, each with a NUL at its end.
    english: &'static str,
}

impl File {
    /// Returns the English pattern of the message with this index in the file.
    fn pattern(&self, index: usize) -> &'static str {
        self.english.split('\0').nth(index).unwrap_or_default()
    }
}

/// Formats a message in the current language: `t!(time::paused)`, `t!(time::skip, event = name, seconds = 42)`.
#[macro_export]
macro_rules! t {
    ($file:ident :: $id:ident) => { $crate::$file::$id.text() };
    ($file:ident :: $id:ident, $($name:ident = $value:expr),+ $(,)?) => {
        $crate::$file::$id { $($name: &$value),+ }.text()
    };
}

/// Creates the [`Sentence`] of a message, which the receiver can format in its own language: `sentence!(seen::too_many,
/// pods = 3, node = "a-1")`. Arguments are names, whole numbers, other sentences, and lists.
#[macro_export]
macro_rules! sentence {
    ($file:ident :: $id:ident) => { $crate::$file::$id.sentence() };
    ($file:ident :: $id:ident, $($name:ident = $value:expr),+ $(,)?) => {
        $crate::$file::sentences::$id { $($name: $value.into()),+ }.sentence()
    };
}

/// A message without arguments: its file, and its index in that file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message(&'static File, usize);

impl Message {
    /// Returns the text in the current language.
    #[must_use]
    pub fn text(self) -> String {
        format(self.0, self.1, &[])
    }

    /// Returns the message as a [`Sentence`], which any receiver can format in its own language.
    #[must_use]
    pub fn sentence(self) -> Sentence {
        Sentence::of(self.0, self.1, Vec::new())
    }

    /// Returns the English text. The engine sends it; the page looks up its translation ([`translated`]).
    #[must_use]
    pub fn english(self) -> &'static str {
        self.0.pattern(self.1)
    }
}

/// An argument that may select a plural form.
pub trait Number {
    /// Returns the number as it is printed.
    fn display(&self) -> &dyn fmt::Display;
    /// Returns the absolute value, which selects the plural form.
    fn magnitude(&self) -> u64;
}

macro_rules! impl_number {
    ($($type:ty: $magnitude:expr),*) => {
        $(impl Number for $type {
            fn display(&self) -> &dyn fmt::Display {
                self
            }

            fn magnitude(&self) -> u64 {
                let magnitude: fn($type) -> u64 = $magnitude;
                magnitude(*self)
            }
        })*
    };
}

impl_number! {
    u8: u64::from,
    u16: u64::from,
    u32: u64::from,
    u64: u64::from,
    usize: |n| u64::try_from(n).unwrap_or(u64::MAX),
    i32: |n| u64::from(n.unsigned_abs()),
    i64: i64::unsigned_abs
}

/// A value of an argument of a message.
pub enum Argument<'a> {
    /// A name, a duration, or another text.
    Text(&'a dyn fmt::Display),
    /// A number that selects a plural form.
    Number(&'a dyn Number),
}

/// Plural categories of Unicode's CLDR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plural {
    Zero,
    One,
    Two,
    Few,
    Many,
    Other,
}

impl Plural {
    /// The categories with their names in CLDR and in Fluent files.
    const NAMES: [(Self, &str); 6] = [
        (Self::Zero, "zero"),
        (Self::One, "one"),
        (Self::Two, "two"),
        (Self::Few, "few"),
        (Self::Many, "many"),
        (Self::Other, "other"),
    ];

    /// Returns the category with this name, or `Other` if there is none.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let found = Self::NAMES.iter().find(|(_, known)| *known == name);
        found.map_or(Self::Other, |(plural, _)| *plural)
    }

    fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(plural, _)| *plural == self);
        found.map_or("other", |(_, name)| name)
    }

    /// Returns the category of a whole number in English.
    #[must_use]
    pub fn english(n: u64) -> Self {
        if n == 1 { Self::One } else { Self::Other }
    }
}

/// A loaded language.
pub struct Locale {
    code: String,
    file: String,
    /// Start and end of each message in the file, as byte indices.
    text_ranges: Vec<(usize, usize)>,
    /// Digest of the English text, and start and end of its translation in the file. Invariant: in the order of the
    /// digests.
    texts: Vec<(u64, (usize, usize))>,
    plural: Box<dyn Fn(u64) -> Plural>,
}

impl Locale {
    /// Reads the file of a language: the compiled messages, then pairs of a digest (16 hexadecimal digits) and a
    /// translated text, sorted by digest. Each of these ends with a NUL. `plural` gives the plural category of a
    /// whole number. Returns `None` if the file has another format or belongs to another version.
    #[must_use]
    pub fn new(code: &str, file: String, plural: impl Fn(u64) -> Plural + 'static) -> Option<Self> {
        let mut parts = text_ranges(&file);
        if parts.len() < N_MESSAGES || !file.ends_with('\0') {
            return None;
        }
        let tail = parts.split_off(N_MESSAGES.min(parts.len()));
        let texts = tail.chunks_exact(2).filter_map(|pair| {
            let digest = file.get(pair[0].0..pair[0].1)?;
            Some((u64::from_str_radix(digest, 16).ok()?, pair[1]))
        });
        Some(Self {
            code: code.to_owned(),
            texts: texts.collect(),
            text_ranges: parts,
            file,
            plural: Box::new(plural),
        })
    }

    /// Returns the pattern of the message with this index among all messages; `None` if the language lacks the message.
    fn pattern(&self, number: usize) -> Option<&str> {
        let &(start, end) = self.text_ranges.get(number)?;
        self.file.get(start..end).filter(|pattern| !pattern.is_empty())
    }

    /// Looks up the translation of a complete English text, such as one of a lesson, which has no message ID.
    fn translation_of(&self, english: &str) -> Option<&str> {
        let digest = digest(english);
        let at = self.texts.partition_point(|(known, _)| *known < digest);
        let (_, (start, end)) = *self.texts.get(at).filter(|(known, _)| *known == digest)?;
        self.file.get(start..end)
    }
}

/// Returns the byte ranges of the texts of a file, each of which ends with a NUL.
fn text_ranges(file: &str) -> Vec<(usize, usize)> {
    let mut start = 0;
    let ends = file.bytes().enumerate().filter(|(_, byte)| *byte == 0);
    ends.map(|(end, _)| (std::mem::replace(&mut start, end + 1), end))
        .collect()
}

thread_local! {
    /// The current language of this thread; `None` is English.
    static CURRENT_LOCALE: RefCell<Option<Locale>> = const { RefCell::new(None) };
}

/// Sets the language of this thread; `None` is English.
pub fn set(locale: Option<Locale>) {
    CURRENT_LOCALE.with_borrow_mut(|current| *current = locale);
}

/// Returns the code of the current language.
#[must_use]
pub fn language_code() -> String {
    CURRENT_LOCALE.with_borrow(|current| {
        current
            .as_ref()
            .map_or_else(|| "en".to_owned(), |locale| locale.code.clone())
    })
}

/// Returns whether the current language is English.
#[must_use]
pub fn is_english() -> bool {
    CURRENT_LOCALE.with_borrow(Option::is_none)
}

/// Formats the message with this index in a file, in the current language.
fn format(file: &File, index: usize, arguments: &[Argument<'_>]) -> String {
    let mut text = String::new();
    CURRENT_LOCALE.with_borrow(|current| {
        let number = file.first + index;
        format_in(
            current.as_ref(),
            Some(number),
            || file.pattern(index),
            arguments,
            &mut text,
        );
    });
    text
}

/// Appends a message in a language; in English if `language` is `None` or lacks the message. `number` is the index of
/// the message among all messages.
fn format_in<'e>(
    language: Option<&Locale>,
    number: Option<usize>,
    english: impl FnOnce() -> &'e str,
    arguments: &[Argument<'_>],
    into: &mut String,
) {
    let translation = language.and_then(|locale| Some((locale, locale.pattern(number?)?)));
    match translation {
        Some((locale, pattern)) => pattern::format(pattern, arguments, &*locale.plural, into),
        None => pattern::format(english(), arguments, &Plural::english, into),
    }
}

/// Looks up the translation of a text of a lesson or of the glossary. Returns `None` if the current language is English
/// or lacks the translation.
#[must_use]
pub fn translated(english: &str) -> Option<String> {
    CURRENT_LOCALE.with_borrow(|current| Some(current.as_ref()?.translation_of(english)?.to_owned()))
}

/// Translates a text that the engine sent in English; returns it unchanged if it has no translation.
#[must_use]
pub fn localized(english: &str) -> String {
    translated(english).unwrap_or_else(|| english.to_owned())
}

/// Returns the digest of an English text without surrounding white space: FNV-1a, 64 bits. Each translation stores the
/// digest of its original, so that a changed original is detected.
#[must_use]
pub fn digest(english: &str) -> u64 {
    let bytes = english.trim().bytes();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ukrainian with its plural forms, one message and one text.
    fn ukrainian_locale() -> Locale {
        let plural = |n: u64| match (n % 10, n % 100) {
            (1, tens) if tens != 11 => Plural::One,
            (2..=4, tens) if !(12..=14).contains(&tens) => Plural::Few,
            _ => Plural::Many,
        };
        let pattern = "\u{2}0one\u{3}\u{1}0 вузол\u{4}few\u{3}\u{1}0 вузли\u{4}\u{3}\u{1}0 вузлів\u{4}\u{5}";
        let mut file = format!("{pattern}\0{}", "\0".repeat(N_MESSAGES - 1));
        file.push_str(&format!("{:016x}\0Под чекає.\0", digest("A pod waits.")));
        Locale::new("uk", file, plural).expect("a language's file")
    }

    const FILE: File = File {
        first: 0,
        english: "\u{2}0one\u{3}1 node\u{4}\u{3}\u{1}0 nodes\u{4}\u{5}\0plain\0",
    };

    #[test]
    fn messages_have_the_plural_forms_of_their_language() {
        let nodes = |n: u64| format(&FILE, 0, &[Argument::Number(&n)]);
        assert_eq!([nodes(1), nodes(5)], ["1 node", "5 nodes"]);
        set(Some(ukrainian_locale()));
        assert_eq!(
            [nodes(1), nodes(3), nodes(12), nodes(21)],
            ["1 вузол", "3 вузли", "12 вузлів", "21 вузол"]
        );
        // A message that the language lacks is shown in English.
        assert_eq!(format(&FILE, 1, &[]), "plain");
        set(None);
        assert!(is_english());
    }

    #[test]
    fn locale_refuses_files_in_other_formats() {
        for text in ["", "<!doctype html>", "a\0b\0"] {
            assert!(Locale::new("es", text.to_owned(), Plural::english).is_none(), "{text}");
        }
    }

    #[test]
    fn translations_are_found_by_trimmed_english_text() {
        assert_eq!(translated("A pod waits."), None);
        set(Some(ukrainian_locale()));
        assert_eq!(localized("A pod waits.\n"), "Под чекає.");
        assert_eq!(localized("A pod runs."), "A pod runs.");
        assert_eq!(language_code(), "uk");
        set(None);
    }
}
