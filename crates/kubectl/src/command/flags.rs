//! Flags as kubectl reads them (KC-119): `--long=value`, `--long value`, `-n value`, `-nvalue`, `-A`.

use podscope_cluster::Span;

use super::CommandError;
use super::shell::Word;
use crate::duration::parse_duration;

/// What follows a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing, or `=true` / `=false`.
    Bool,
    Value,
    /// Nothing (then this value) or `=value`.
    Maybe(&'static str),
}

/// One flag: long name, short letter (or `-` for none), what it takes.
pub(crate) type Flag = (&'static str, char, Takes);

/// Flags of every verb. There is one cluster and one user here, and nothing to be timed or traced about a request:
/// they are read, and change nothing.
const GLOBAL: &[Flag] = &[
    ("as", '-', Takes::Value),
    ("as-group", '-', Takes::Value),
    ("as-uid", '-', Takes::Value),
    ("cluster", '-', Takes::Value),
    ("context", '-', Takes::Value),
    ("kubeconfig", '-', Takes::Value),
    ("namespace", 'n', Takes::Value),
    ("request-timeout", '-', Takes::Value),
    ("server", 's', Takes::Value),
    ("token", '-', Takes::Value),
    ("user", '-', Takes::Value),
    ("v", 'v', Takes::Value),
    ("warnings-as-errors", '-', Takes::Bool),
];

/// Flags of every verb that prints objects with `-o`: a template says nothing of keys that are missing here either way.
const PRINTING: &[Flag] = &[
    ("allow-missing-template-keys", '-', Takes::Bool),
    ("show-managed-fields", '-', Takes::Bool),
];

/// A whole number as Go reads it: its base may stand before it (`0x1f`, `0b1`, `017`), and `_` between its digits.
fn go_int(text: &str) -> Result<i64, &'static str> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase();
    let (base, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, lower.get(2..)),
        [b'0', b'b', ..] => (2, lower.get(2..)),
        [b'0', b'o', ..] => (8, lower.get(2..)),
        [b'0', _, ..] => (8, lower.get(1..)),
        _ => (10, Some(lower.as_str())),
    };
    let digits = digits.unwrap_or_default();
    let digits = if base == 10 {
        digits.to_owned()
    } else {
        digits.replace('_', "")
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return Err("invalid syntax");
    }
    i64::from_str_radix(&format!("{sign}{digits}"), base).map_err(|_| "value out of range")
}

/// The flags there are: the verb's own, and those of others like it.
pub(super) fn flags_of(own: &[Flag], is_kubectl: bool) -> impl Iterator<Item = &Flag> {
    let of_all = if is_kubectl { GLOBAL } else { &[] };
    let prints = own.iter().any(|(name, ..)| *name == "output");
    let of_printing = if prints { PRINTING } else { &[] };
    own.iter().chain(of_all).chain(of_printing)
}

fn is_global(name: &str) -> bool {
    GLOBAL.iter().any(|(global, ..)| *global == name)
}

/// Parsed words of a command.
#[derive(Debug, Clone, Default)]
pub(crate) struct Args {
    /// `kubectl get`, for the hints of errors.
    pub(crate) command: String,
    pub(crate) positional: Vec<Word>,
    /// What follows `--`, of verbs that hand it on.
    pub(crate) handed_on: Option<Vec<String>>,
    flags: Vec<(&'static str, char, String, u32)>,
    /// Flags of the verb itself that are named as one of every verb is: they mean something.
    own: Vec<&'static str>,
    pub(crate) stdin: Option<String>,
    /// Column just after the last word.
    pub(crate) end: u32,
    pub(crate) help: bool,
}

/// The words of a command on their way into its arguments.
struct Reader<'a> {
    /// The verb's own flags.
    specs: &'a [Flag],
    words: std::slice::Iter<'a, Word>,
    args: Args,
}

impl<'a> Reader<'a> {
    fn read(mut self, hands_on: bool) -> Result<Args, CommandError> {
        let mut only_positional = false;
        while let Some(word) = self.words.next() {
            let text = word.text.as_str();
            let is_flag = text.starts_with('-') && text != "-";
            match text {
                _ if only_positional && is_flag => {
                    // Kept, it would print as a flag; and no name begins so.
                    return Err(CommandError::new(
                        word.column,
                        format!("error: invalid argument {text:?}: no name begins with '-'"),
                    ));
                }
                _ if !is_flag => self.args.positional.push(word.clone()),
                "--" if hands_on => {
                    let rest = self.words.by_ref().map(|word| word.text.clone());
                    self.args.handed_on = Some(rest.collect());
                }
                "--" => only_positional = true,
                "--help" | "-h" => self.args.help = true,
                _ => match text.strip_prefix("--") {
                    Some(long) => self.long(word, long)?,
                    None => self.letters(word)?,
                },
            }
        }
        Ok(self.args)
    }

    fn flags(&self) -> impl Iterator<Item = &'a Flag> {
        flags_of(self.specs, self.args.command.starts_with("kubectl"))
    }

    fn refuse(&self, word: &Word, why: &str) -> CommandError {
        let command = &self.args.command;
        CommandError::new(word.column, format!("error: {why}\nSee '{command} --help' for usage."))
    }

    /// The word behind a flag, which is its value.
    fn value(&mut self) -> Option<String> {
        self.words.next().map(|next| next.text.clone())
    }

    /// `--name`, `--name=value`, `--name value`.
    fn long(&mut self, word: &Word, long: &str) -> Result<(), CommandError> {
        let (name, inline) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (long, None),
        };
        let Some((known, short, takes)) = self.flags().find(|(known, ..)| *known == name) else {
            return Err(self.refuse(word, &format!("unknown flag: --{name}")));
        };
        let value = match (takes, inline) {
            (_, Some(value)) => value,
            (Takes::Bool, None) => "true".into(),
            (Takes::Maybe(default), None) => (*default).into(),
            (Takes::Value, None) => match self.value() {
                Some(value) => value,
                None => return Err(self.refuse(word, &format!("flag needs an argument: --{name}"))),
            },
        };
        self.args.flags.push((known, *short, value, word.column));
        Ok(())
    }

    /// `-A`, `-Aw`, `-n value`, `-nvalue`, `-n=value`.
    fn letters(&mut self, word: &Word) -> Result<(), CommandError> {
        let text = &word.text;
        let mut rest = text.trim_start_matches('-').chars();
        while let Some(letter) = rest.next() {
            let flag = self.flags().find(|(_, short, _)| *short == letter && letter != '-');
            let Some((known, _, takes)) = flag else {
                return Err(self.refuse(word, &format!("unknown shorthand flag: '{letter}' in {text}")));
            };
            let inline = rest.as_str();
            if *takes == Takes::Bool && !inline.starts_with('=') {
                self.args.flags.push((known, letter, "true".into(), word.column));
                continue;
            }
            let value = match inline {
                "" => match self.value() {
                    Some(value) => value,
                    None => return Err(self.refuse(word, &format!("flag needs an argument: '{letter}' in {text}"))),
                },
                inline => inline.strip_prefix('=').unwrap_or(inline).to_owned(),
            };
            self.args.flags.push((known, letter, value, word.column));
            break;
        }
        Ok(())
    }
}

impl Args {
    /// Texts of what stands between the flags.
    pub(crate) fn words(&self) -> Vec<&str> {
        self.positional.iter().map(|word| word.text.as_str()).collect()
    }

    pub(crate) fn parse(
        command: &str,
        specs: &[Flag],
        words: &[Word],
        stdin: Option<String>,
        hands_on: bool,
    ) -> Result<Args, CommandError> {
        let args = Args {
            command: command.to_owned(),
            stdin,
            own: specs
                .iter()
                .map(|(name, ..)| *name)
                .filter(|name| is_global(name))
                .collect(),
            end: words
                .last()
                .map_or(1, |word| word.column + word.text.chars().count() as u32),
            ..Args::default()
        };
        let words = words.iter();
        Reader { specs, words, args }.read(hands_on)
    }

    /// The same words without some flags.
    pub(crate) fn without(&self, names: &[&str]) -> Args {
        let mut args = self.clone();
        args.flags.retain(|(name, ..)| !names.contains(name));
        args
    }

    fn last(&self, name: &str) -> Option<(&str, u32)> {
        self.flags
            .iter()
            .rev()
            .find(|(known, ..)| *known == name)
            .map(|(_, _, value, column)| (value.as_str(), *column))
    }

    /// The last value of a flag.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        self.last(name).map(|(value, _)| value.to_owned())
    }

    /// All values of a flag.
    pub(crate) fn values(&self, name: &str) -> Vec<String> {
        self.flags
            .iter()
            .filter(|(known, ..)| *known == name)
            .map(|(_, _, value, _)| value.clone())
            .collect()
    }

    /// The flags of the verb with their values, in order, without those that change nothing.
    pub(crate) fn given(&self) -> Vec<(&'static str, String)> {
        let means = |name: &str| name == "namespace" || self.own.contains(&name) || !is_global(name);
        self.flags
            .iter()
            .filter(|(name, ..)| means(name))
            .map(|(name, _, value, _)| (*name, value.clone()))
            .collect()
    }

    pub(crate) fn column(&self, name: &str) -> u32 {
        self.last(name).map_or(self.end, |(_, column)| column)
    }

    /// `-w, --watch`, as errors name a flag.
    fn full_name(&self, name: &str) -> String {
        match self.flags.iter().rev().find(|(known, ..)| *known == name) {
            Some((_, short, ..)) if *short != '-' => format!("-{short}, --{name}"),
            _ => format!("--{name}"),
        }
    }

    fn invalid(&self, name: &str, value: &str, column: u32, why: String) -> CommandError {
        CommandError::new(
            column,
            format!(
                "error: invalid argument {value:?} for \"{}\" flag: {why}\nSee '{} --help' for usage.",
                self.full_name(name),
                self.command
            ),
        )
    }

    pub(crate) fn bool(&self, name: &str, default: bool) -> Result<bool, CommandError> {
        match self.last(name) {
            None => Ok(default),
            Some(("true" | "1" | "t" | "T" | "TRUE" | "True", _)) => Ok(true),
            Some(("false" | "0" | "f" | "F" | "FALSE" | "False", _)) => Ok(false),
            Some((value, column)) => {
                let why = format!("strconv.ParseBool: parsing {value:?}: invalid syntax");
                Err(self.invalid(name, value, column, why))
            }
        }
    }

    pub(crate) fn int(&self, name: &str) -> Result<Option<i64>, CommandError> {
        self.last(name)
            .map(|(value, column)| {
                go_int(value).map_err(|why| {
                    self.invalid(
                        name,
                        value,
                        column,
                        format!("strconv.ParseInt: parsing {value:?}: {why}"),
                    )
                })
            })
            .transpose()
    }

    pub(crate) fn duration(&self, name: &str) -> Result<Option<Span>, CommandError> {
        self.last(name)
            .map(|(value, column)| parse_duration(value).map_err(|why| self.invalid(name, value, column, why)))
            .transpose()
    }

    /// An error of use: KC-086's `See '… -h' for help and examples`.
    pub(crate) fn usage(&self, column: u32, message: impl std::fmt::Display) -> CommandError {
        CommandError::new(
            column,
            format!("error: {message}\nSee '{} -h' for help and examples", self.command),
        )
    }

    pub(crate) fn plain(&self, column: u32, message: impl std::fmt::Display) -> CommandError {
        CommandError::new(column, format!("error: {message}"))
    }
}
