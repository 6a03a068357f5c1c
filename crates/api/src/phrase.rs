//! Texts for people that are made in one place and told in another: what changes in one crosses beside it, by name, so
//! that whoever tells it can do so in another language.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A text with places for what is told in it: `{node} is not Ready again`. Made by [`phrase!`](crate::phrase), which
/// compares the places with the names when it is compiled; or of a word that stands for itself, which has no places.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Phrase {
    text: String,
    args: Vec<(String, Arg)>,
}

/// What stands in a place of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arg {
    /// A name, a number, a time.
    Word(String),
    /// A text of its own.
    Phrase(Phrase),
    /// Several, told one after another.
    List(Vec<Arg>),
}

impl Phrase {
    /// A text and what stands in its places.
    pub fn new(text: &str, args: impl IntoIterator<Item = (&'static str, Arg)>) -> Phrase {
        Phrase {
            text: text.to_owned(),
            args: args.into_iter().map(|(name, arg)| (name.to_owned(), arg)).collect(),
        }
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.text.as_str();
        // What stands for itself may hold braces.
        if self.args.is_empty() {
            return f.write_str(rest);
        }
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            f.write_str(before)?;
            if let Some((_, arg)) = self.args.iter().find(|(known, _)| known == name) {
                arg.fmt(f)?;
            }
            rest = after;
        }
        f.write_str(rest)
    }
}

impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Phrase(phrase) => phrase.fmt(f),
            Self::List(list) => {
                for (at, one) in list.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { ", " })?;
                    one.fmt(f)?;
                }
                Ok(())
            }
        }
    }
}

impl<T: Into<String>> From<T> for Phrase {
    fn from(word: T) -> Phrase {
        Phrase::new(&word.into(), [])
    }
}

impl From<Phrase> for Arg {
    fn from(phrase: Phrase) -> Arg {
        Arg::Phrase(phrase)
    }
}

impl From<Vec<String>> for Arg {
    fn from(words: Vec<String>) -> Arg {
        Arg::List(words.into_iter().map(Arg::Word).collect())
    }
}

macro_rules! words {
    ($($type:ty),*) => {$(
        impl From<$type> for Arg {
            fn from(word: $type) -> Arg {
                Arg::Word(word.to_string())
            }
        }
    )*};
}
words!(String, &str, i32, i64, u32, usize);

/// A [`Phrase`](crate::Phrase): its text, and each of its places with what stands there.
#[macro_export]
macro_rules! phrase {
    ($text:literal $(, $name:ident = $value:expr)* $(,)?) => {{
        // The compiler compares the places with the names.
        let _ = ::core::format_args!($text $(, $name = "")*);
        $crate::Phrase::new($text, [$((stringify!($name), $crate::Arg::from($value))),*])
    }};
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_changes_stands_in_its_place() {
        let where_it_is = phrase!("on {node} since {at}", node = "a-1", at = "0:02.1");
        let told = phrase!(
            "{pod} runs {place}, {count} times: {all}",
            all = vec!["x".to_owned(), "y".to_owned()],
            count = 2_usize,
            place = where_it_is,
            pod = "web-0"
        );
        assert_eq!(told.to_string(), "web-0 runs on a-1 since 0:02.1, 2 times: x, y");
        let line = "kubectl patch pod p -p '{\"a\": 1}'";
        assert_eq!(
            crate::Phrase::from(line).to_string(),
            line,
            "a word that stands for itself"
        );
    }
}
