//! Parses flags like kubectl: `--long=value`, `--long value`, `-n value`, `-nvalue`, `-A` (KC-119).

use podscope_cluster::Span;

use super::CommandError;
use super::custom::CustomKinds;
use super::shell::Word;
use crate::duration::parse_duration;

/// Whether a flag takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlagTakes {
    /// No value, or `=true` / `=false`.
    Bool,
    Value,
    /// An optional value `=value`; without it, the flag has this default.
    Maybe(&'static str),
}

/// A flag: long name, short letter (`-` for none), type of value.
pub(crate) type Flag = (&'static str, char, FlagTakes);

/// Flags of every kubectl verb. Except `namespace` they are accepted and ignored: there is only one cluster and one
/// user, and requests are neither timed nor traced.
const GLOBAL_FLAGS: &[Flag] = &[
    ("as", '-', FlagTakes::Value),
    ("as-group", '-', FlagTakes::Value),
    ("as-uid", '-', FlagTakes::Value),
    ("cluster", '-', FlagTakes::Value),
    ("context", '-', FlagTakes::Value),
    ("kubeconfig", '-', FlagTakes::Value),
    ("namespace", 'n', FlagTakes::Value),
    ("request-timeout", '-', FlagTakes::Value),
    ("server", 's', FlagTakes::Value),
    ("token", '-', FlagTakes::Value),
    ("user", '-', FlagTakes::Value),
    ("v", 'v', FlagTakes::Value),
    ("warnings-as-errors", '-', FlagTakes::Bool),
];

/// Flags of every verb that has `-o`. `allow-missing-template-keys` has no effect: templates print nothing for missing
/// keys.
const PRINTING_FLAGS: &[Flag] = &[
    ("allow-missing-template-keys", '-', FlagTakes::Bool),
    ("show-managed-fields", '-', FlagTakes::Bool),
];

/// Parses an integer like Go: with an optional base prefix (`0x1f`, `0b1`, `017`), which also allows `_` between
/// digits.
fn parse_go_int(text: &str) -> Result<i64, &'static str> {
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

/// Returns all flags of a verb: its own, the global flags, and the printing flags if it has `-o`.
pub(super) fn flags_with_global(own: &[Flag], is_kubectl: bool) -> impl Iterator<Item = &Flag> {
    let global = if is_kubectl { GLOBAL_FLAGS } else { &[] };
    let has_output = own.iter().any(|(name, ..)| *name == "output");
    let printing = if has_output { PRINTING_FLAGS } else { &[] };
    own.iter().chain(global).chain(printing)
}

fn is_global_flag(name: &str) -> bool {
    GLOBAL_FLAGS.iter().any(|(global, ..)| *global == name)
}

/// The parsed arguments of a command.
#[derive(Debug, Clone, Default)]
pub(crate) struct Args {
    /// Command name for the usage hints in errors: `kubectl get`.
    pub(crate) command: String,
    pub(crate) positional: Vec<Word>,
    /// Arguments after `--`, for verbs that pass them to a container.
    pub(crate) passthrough_args: Option<Vec<String>>,
    /// Name, short letter, value and column of each flag.
    flags: Vec<(&'static str, char, String, u32)>,
    /// Names of the verb's own flags that have the name of a global flag. Unlike the global flag, such a flag has an
    /// effect.
    own: Vec<&'static str>,
    pub(crate) stdin: Option<String>,
    /// The custom kinds that the cluster serves; `None` if the parser does not know them.
    pub(crate) custom: Option<CustomKinds>,
    /// Column just after the last word.
    pub(crate) end: u32,
    pub(crate) help: bool,
}

/// Parses the words of a command into [`Args`].
struct ArgsParser<'a> {
    /// The flags of the verb.
    specs: &'a [Flag],
    words: std::slice::Iter<'a, Word>,
    args: Args,
}

impl<'a> ArgsParser<'a> {
    /// Parses all words. With `has_passthrough`, the words after `--` are kept unparsed.
    fn parse(mut self, has_passthrough: bool) -> Result<Args, CommandError> {
        let mut only_positional = false;
        while let Some(word) = self.words.next() {
            let text = word.text.as_str();
            let is_flag = text.starts_with('-') && text != "-";
            match text {
                _ if only_positional && is_flag => {
                    // Refuse the argument: in the canonical text it would be parsed as a flag, and no valid name begins
                    // with `-`.
                    return Err(CommandError::new(
                        word.column,
                        format!("error: invalid argument {text:?}: no name begins with '-'"),
                    ));
                }
                _ if !is_flag => self.args.positional.push(word.clone()),
                "--" if has_passthrough => {
                    let rest = self.words.by_ref().map(|word| word.text.clone());
                    self.args.passthrough_args = Some(rest.collect());
                }
                "--" => only_positional = true,
                "--help" | "-h" => self.args.help = true,
                _ => match text.strip_prefix("--") {
                    Some(long) => self.parse_long_flag(word, long)?,
                    None => self.parse_short_flags(word)?,
                },
            }
        }
        Ok(self.args)
    }

    /// Returns all flags that the command accepts.
    fn flags(&self) -> impl Iterator<Item = &'a Flag> {
        flags_with_global(self.specs, self.args.command.starts_with("kubectl"))
    }

    /// Returns an error about a flag, with kubectl's usage hint.
    fn flag_error(&self, word: &Word, why: &str) -> CommandError {
        let command = &self.args.command;
        CommandError::new(word.column, format!("error: {why}\nSee '{command} --help' for usage."))
    }

    /// Consumes the word after a flag and returns it as the flag's value.
    fn take_value(&mut self) -> Option<String> {
        self.words.next().map(|next| next.text.clone())
    }

    /// Parses `--name`, `--name=value`, `--name value`.
    fn parse_long_flag(&mut self, word: &Word, long: &str) -> Result<(), CommandError> {
        let (name, inline) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (long, None),
        };
        let Some((known, short, takes)) = self.flags().find(|(known, ..)| *known == name) else {
            return Err(self.flag_error(word, &format!("unknown flag: --{name}")));
        };
        let value = match (takes, inline) {
            (_, Some(value)) => value,
            (FlagTakes::Bool, None) => "true".into(),
            (FlagTakes::Maybe(default), None) => (*default).into(),
            (FlagTakes::Value, None) => match self.take_value() {
                Some(value) => value,
                None => return Err(self.flag_error(word, &format!("flag needs an argument: --{name}"))),
            },
        };
        self.args.flags.push((known, *short, value, word.column));
        Ok(())
    }

    /// Parses `-A`, `-Aw`, `-n value`, `-nvalue`, `-n=value`.
    fn parse_short_flags(&mut self, word: &Word) -> Result<(), CommandError> {
        let text = &word.text;
        let mut rest = text.trim_start_matches('-').chars();
        while let Some(letter) = rest.next() {
            let flag = self.flags().find(|(_, short, _)| *short == letter && letter != '-');
            let Some((known, _, takes)) = flag else {
                return Err(self.flag_error(word, &format!("unknown shorthand flag: '{letter}' in {text}")));
            };
            let inline = rest.as_str();
            if *takes == FlagTakes::Bool && !inline.starts_with('=') {
                self.args.flags.push((known, letter, "true".into(), word.column));
                continue;
            }
            let value = match inline {
                "" => match self.take_value() {
                    Some(value) => value,
                    None => return Err(self.flag_error(word, &format!("flag needs an argument: '{letter}' in {text}"))),
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
    /// Returns the positional arguments without their columns.
    pub(crate) fn positional_texts(&self) -> Vec<&str> {
        self.positional.iter().map(|word| word.text.as_str()).collect()
    }

    pub(crate) fn parse(
        command: &str,
        specs: &[Flag],
        words: &[Word],
        stdin: Option<String>,
        has_passthrough: bool,
    ) -> Result<Args, CommandError> {
        let args = Args {
            command: command.to_owned(),
            stdin,
            own: specs
                .iter()
                .map(|(name, ..)| *name)
                .filter(|name| is_global_flag(name))
                .collect(),
            end: words
                .last()
                .map_or(1, |word| word.column + word.text.chars().count() as u32),
            ..Args::default()
        };
        let words = words.iter();
        ArgsParser { specs, words, args }.parse(has_passthrough)
    }

    /// Returns the arguments without the flags in `names`.
    pub(crate) fn without(&self, names: &[&str]) -> Args {
        let mut args = self.clone();
        args.flags.retain(|(name, ..)| !names.contains(name));
        args
    }

    /// Returns the last value of a flag with its column.
    fn last_value_and_column(&self, name: &str) -> Option<(&str, u32)> {
        self.flags
            .iter()
            .rev()
            .find(|(known, ..)| *known == name)
            .map(|(_, _, value, column)| (value.as_str(), *column))
    }

    /// Returns the last value of a flag.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        self.last_value_and_column(name).map(|(value, _)| value.to_owned())
    }

    /// Returns all values of a flag.
    pub(crate) fn values(&self, name: &str) -> Vec<String> {
        self.flags
            .iter()
            .filter(|(known, ..)| *known == name)
            .map(|(_, _, value, _)| value.clone())
            .collect()
    }

    /// Returns the flags that have an effect, with their values, in the order of the command line.
    pub(crate) fn effective_flags(&self) -> Vec<(&'static str, String)> {
        let has_effect = |name: &str| name == "namespace" || self.own.contains(&name) || !is_global_flag(name);
        self.flags
            .iter()
            .filter(|(name, ..)| has_effect(name))
            .map(|(name, _, value, _)| (*name, value.clone()))
            .collect()
    }

    /// Returns the column of a flag; the end of the line if the flag is absent.
    pub(crate) fn column(&self, name: &str) -> u32 {
        self.last_value_and_column(name).map_or(self.end, |(_, column)| column)
    }

    /// Returns the name of a flag as errors print it: `-w, --watch`.
    fn full_flag_name(&self, name: &str) -> String {
        match self.flags.iter().rev().find(|(known, ..)| *known == name) {
            Some((_, short, ..)) if *short != '-' => format!("-{short}, --{name}"),
            _ => format!("--{name}"),
        }
    }

    /// Returns kubectl's error about an invalid value of a flag.
    fn invalid_value(&self, name: &str, value: &str, column: u32, why: String) -> CommandError {
        CommandError::new(
            column,
            format!(
                "error: invalid argument {value:?} for \"{}\" flag: {why}\nSee '{} --help' for usage.",
                self.full_flag_name(name),
                self.command
            ),
        )
    }

    /// Parses the value of a boolean flag; returns `default` if the flag is absent.
    pub(crate) fn bool(&self, name: &str, default: bool) -> Result<bool, CommandError> {
        match self.last_value_and_column(name) {
            None => Ok(default),
            Some(("true" | "1" | "t" | "T" | "TRUE" | "True", _)) => Ok(true),
            Some(("false" | "0" | "f" | "F" | "FALSE" | "False", _)) => Ok(false),
            Some((value, column)) => {
                let why = format!("strconv.ParseBool: parsing {value:?}: invalid syntax");
                Err(self.invalid_value(name, value, column, why))
            }
        }
    }

    /// Parses the value of an integer flag; `None` if the flag is absent.
    pub(crate) fn int(&self, name: &str) -> Result<Option<i64>, CommandError> {
        self.last_value_and_column(name)
            .map(|(value, column)| {
                parse_go_int(value).map_err(|why| {
                    self.invalid_value(
                        name,
                        value,
                        column,
                        format!("strconv.ParseInt: parsing {value:?}: {why}"),
                    )
                })
            })
            .transpose()
    }

    /// Parses the value of a duration flag; `None` if the flag is absent.
    pub(crate) fn duration(&self, name: &str) -> Result<Option<Span>, CommandError> {
        self.last_value_and_column(name)
            .map(|(value, column)| parse_duration(value).map_err(|why| self.invalid_value(name, value, column, why)))
            .transpose()
    }

    /// Returns an error with the hint `See '… -h' for help and examples` (KC-086).
    pub(crate) fn usage_error(&self, column: u32, message: impl std::fmt::Display) -> CommandError {
        CommandError::new(
            column,
            format!("error: {message}\nSee '{} -h' for help and examples", self.command),
        )
    }

    /// Returns an error without a usage hint.
    pub(crate) fn error(&self, column: u32, message: impl std::fmt::Display) -> CommandError {
        CommandError::new(column, format!("error: {message}"))
    }
}
