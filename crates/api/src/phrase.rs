//! Texts for people that can be translated: a template and its named arguments travel together, so that another crate
//! can print them in another language.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A template such as `{node} is not Ready again` with its arguments. Made by [`phrase!`](crate::phrase), which checks
/// the placeholders at compile time; or from a plain string, which has no placeholders.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Phrase {
    text: String,
    args: Vec<(String, Arg)>,
}

/// The argument of a placeholder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arg {
    /// Plain text: a name, a number, a time.
    Word(String),
    /// A nested phrase.
    Phrase(Phrase),
    /// Several arguments, printed with commas between them.
    List(Vec<Arg>),
}

impl Phrase {
    /// A template with its arguments by placeholder name.
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
        // A plain string may contain braces.
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
                for (index, arg) in list.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    arg.fmt(f)?;
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

/// Makes a [`Phrase`](crate::Phrase) from a template and one value for each of its placeholders.
#[macro_export]
macro_rules! phrase {
    ($text:literal $(, $name:ident = $value:expr)* $(,)?) => {{
        // The compiler checks that placeholders and names match.
        let _ = ::core::format_args!($text $(, $name = "")*);
        $crate::Phrase::new($text, [$((stringify!($name), $crate::Arg::from($value))),*])
    }};
}

#[cfg(test)]
mod tests {
    #[test]
    fn phrase_display_fills_in_placeholders() {
        let place = phrase!("on {node} since {at}", node = "a-1", at = "0:02.1");
        let phrase = phrase!(
            "{pod} runs {place}, {count} times: {all}",
            all = vec!["x".to_owned(), "y".to_owned()],
            count = 2_usize,
            place = place,
            pod = "web-0"
        );
        assert_eq!(phrase.to_string(), "web-0 runs on a-1 since 0:02.1, 2 times: x, y");
        let line = "kubectl patch pod p -p '{\"a\": 1}'";
        assert_eq!(
            crate::Phrase::from(line).to_string(),
            line,
            "a plain string keeps its braces"
        );
    }
}
