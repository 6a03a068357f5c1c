//! Pipes: the common programs that filter kubectl's output. A pipe processes the lines that a command prints
//! immediately. Standard error bypasses it, as in a shell.

mod pattern;

use podscope_api::ordered::StableSort as _;
use podscope_cluster::OutputKind;

use self::pattern::Pattern;
use super::shell::Word;
use super::{Command, CommandError};

/// A sequence of filters, empty for a command without a pipe. The last program may be a kubectl command that reads the
/// output of the filters.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pipe {
    filters: Vec<Filter>,
    next: Option<Box<PipedCommand>>,
}

/// A kubectl command at the end of a pipe: `| kubectl apply -f -`, `| xargs kubectl delete`.
#[derive(Debug, Clone, PartialEq)]
struct PipedCommand {
    /// The words after `kubectl`.
    words: Vec<Word>,
    /// Whether the input is appended as words instead of being the standard input (`xargs`).
    is_xargs: bool,
    pipe: Pipe,
}

/// A program between pipes with its parsed options; it filters lines.
#[derive(Debug, Clone, PartialEq)]
enum Filter {
    Cat,
    Grep {
        pattern: Pattern,
        invert: bool,
        count: bool,
        number: bool,
    },
    /// `head`: the first N lines, or all but the last N.
    Head(LineCount),
    /// `tail`: the last N lines, or all from line N on.
    Tail(LineCount),
    Wc {
        lines: bool,
        words: bool,
        bytes: bool,
    },
    Sort {
        /// Number of the field to sort by, from 1; `None` sorts by the whole line.
        key: Option<usize>,
        reverse: bool,
        numeric: bool,
        unique: bool,
    },
}

/// Line count of `head` or `tail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineCount {
    /// Number of lines to print: `head -n 3`, `tail -n 3`.
    Plain(usize),
    /// With a sign: `head -n -3` omits the last 3 lines, `tail -n +3` starts at line 3.
    Signed(usize),
}

/// Programs that may follow a `|`.
pub(super) const PROGRAMS: &[&str] = &["cat", "grep", "head", "kubectl", "sort", "tail", "wc", "xargs"];

/// Returns the list of programs for an error message. The last one, `xargs`, runs kubectl.
fn program_list() -> String {
    let (last, others) = PROGRAMS.split_last().expect("there are programs");
    format!("{} or {last} kubectl", others.join(", "))
}

impl Pipe {
    /// Parses the words after each `|`. `column` is the end of the line, for the error about a missing program.
    pub(super) fn parse(parts: &[Vec<Word>], column: u32) -> Result<Pipe, CommandError> {
        let mut pipe = Pipe::default();
        for (at, words) in parts.iter().enumerate() {
            let Some((program, rest)) = words.split_first() else {
                let message = format!("a pipe leads to a command: {}", program_list());
                return Err(CommandError::for_unfinished_command(column, message));
            };
            let (rest, is_xargs) = match (program.text.as_str(), rest) {
                ("kubectl" | "k", rest) => (rest, false),
                ("xargs", [kubectl, rest @ ..]) if matches!(kubectl.text.as_str(), "kubectl" | "k") => (rest, true),
                _ => {
                    pipe.filters.push(parse_filter(program, rest)?);
                    continue;
                }
            };
            let next = PipedCommand {
                words: rest.to_vec(),
                is_xargs,
                pipe: Pipe::parse(parts.get(at + 1..).unwrap_or_default(), column)?,
            };
            if !is_xargs {
                // Parse the command now, so that its errors are reported before the first command of the pipe runs.
                next.parse_command(&[])?;
            }
            pipe.next = Some(Box::new(next));
            break;
        }
        Ok(pipe)
    }

    /// Returns the kubectl command at the end of the pipe, with `lines` as its input, and the pipe for its output.
    ///
    /// # Errors
    /// The words are not a valid command.
    pub fn next_command(&self, lines: &[(OutputKind, String)]) -> Option<Result<(Command, Pipe), CommandError>> {
        let next = self.next.as_ref()?;
        Some(next.parse_command(lines).map(|command| (command, next.pipe.clone())))
    }

    /// Returns whether a kubectl command follows the filters. With `xargs`, its arguments are known only when it runs.
    #[must_use]
    pub fn has_next_command(&self) -> bool {
        self.next.is_some()
    }

    /// Returns whether there are neither filters nor a next command.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.filters.is_empty() && self.next.is_none()
    }

    /// Runs the filters on printed texts, which may contain several lines each. Returns standard error first, then the
    /// filtered lines.
    #[must_use]
    pub fn run(&self, printed: Vec<(OutputKind, String)>) -> Vec<(OutputKind, String)> {
        if self.is_empty() {
            return printed;
        }
        let (mut bypassed, mut lines) = (Vec::new(), Vec::new());
        for (kind, text) in printed {
            let blank = text.is_empty().then_some("");
            let single_lines = text.lines().chain(blank).map(str::to_owned);
            if kind.is_stderr() {
                bypassed.extend(single_lines.map(|line| (kind, line)));
            } else {
                lines.extend(single_lines);
            }
        }
        for filter in &self.filters {
            lines = filter.run(lines);
        }
        bypassed.extend(lines.into_iter().map(|line| (OutputKind::Output, line)));
        bypassed
    }
}

impl PipedCommand {
    /// Parses the kubectl command, with `lines` (without standard error) as its input.
    fn parse_command(&self, lines: &[(OutputKind, String)]) -> Result<Command, CommandError> {
        let text: String = lines
            .iter()
            .filter(|(kind, _)| !kind.is_stderr())
            .flat_map(|(_, line)| [line.as_str(), "\n"])
            .collect();
        if !self.is_xargs {
            return super::parse::parse_kubectl(&self.words, Some(text), None);
        }
        let column = self.words.last().map_or(1, |word| word.column);
        let more = text.split_whitespace().map(|word| Word {
            text: word.to_owned(),
            column,
        });
        let words: Vec<Word> = self.words.iter().cloned().chain(more).collect();
        super::parse::parse_kubectl(&words, None, None)
    }
}

impl Filter {
    /// Returns the lines that the program prints for these input lines.
    fn run(&self, mut lines: Vec<String>) -> Vec<String> {
        match self {
            Filter::Cat => {}
            Filter::Grep {
                pattern,
                invert,
                count,
                number,
            } => {
                let found = lines.into_iter().enumerate();
                let found = found.filter(|(_, line)| pattern.is_found_in(line) != *invert);
                let found: Vec<String> = found
                    .map(|(at, line)| if *number { format!("{}:{line}", at + 1) } else { line })
                    .collect();
                return if *count { vec![found.len().to_string()] } else { found };
            }
            Filter::Head(LineCount::Plain(n)) => lines.truncate(*n),
            Filter::Head(LineCount::Signed(n)) => lines.truncate(lines.len().saturating_sub(*n)),
            Filter::Tail(LineCount::Plain(n)) => drop(lines.drain(..lines.len().saturating_sub(*n))),
            Filter::Tail(LineCount::Signed(n)) => drop(lines.drain(..n.saturating_sub(1).min(lines.len()))),
            Filter::Wc {
                lines: count_lines,
                words,
                bytes,
            } => return vec![wc_line(&lines, [*count_lines, *words, *bytes])],
            Filter::Sort {
                key,
                reverse,
                numeric,
                unique,
            } => {
                let sort_key = |line: &str| match key {
                    Some(field) => line.split_whitespace().nth(field - 1).unwrap_or_default().to_owned(),
                    None => line.to_owned(),
                };
                let number = |line: &String| if *numeric { leading_number(&sort_key(line)) } else { 0 };
                lines.stable_sort_by(|a, b| (number(a), sort_key(a), a).cmp(&(number(b), sort_key(b), b)));
                if *unique {
                    lines.dedup();
                }
                if *reverse {
                    lines.reverse();
                }
            }
        }
        lines
    }
}

/// Returns the number at the beginning of a text in thousandths; 0 if there is none, as for `sort -n`.
fn leading_number(text: &str) -> i64 {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'))
        .unwrap_or(text.len());
    let number: f64 = text.get(..end).and_then(|head| head.parse().ok()).unwrap_or(0.0);
    (number * 1000.0) as i64
}

/// Formats the output of `wc`: the wanted ones of the numbers of lines, words and bytes. Several numbers are padded to
/// seven columns, as `wc` does for standard input.
fn wc_line(lines: &[String], wants_lines_words_bytes: [bool; 3]) -> String {
    let words = lines.iter().map(|line| line.split_whitespace().count()).sum();
    let bytes = lines.iter().map(|line| line.len() + 1).sum();
    let all = [lines.len(), words, bytes];
    let shown: Vec<usize> = all
        .into_iter()
        .zip(wants_lines_words_bytes)
        .filter_map(|(n, is_wanted)| is_wanted.then_some(n))
        .collect();
    match shown.as_slice() {
        [one] => one.to_string(),
        many => many.iter().map(|n| format!("{n:7}")).collect::<Vec<_>>().join(" "),
    }
}

/// Parses the options and operands of a filter program.
fn parse_filter(program: &Word, rest: &[Word]) -> Result<Filter, CommandError> {
    let name = program.text.as_str();
    let mut options = FilterOptions::new(name, rest);
    let filter = match name {
        "cat" => Filter::Cat,
        "grep" | "egrep" => parse_grep(program, &mut options)?,
        "head" => Filter::Head(parse_count(&mut options, '-')?),
        "tail" => Filter::Tail(parse_count(&mut options, '+')?),
        "wc" => parse_wc(&mut options)?,
        "sort" => parse_sort(&mut options)?,
        other => {
            let message = format!("{other}: a pipe leads to {} here", program_list());
            return Err(CommandError::new(program.column, message));
        }
    };
    match options.next_operand() {
        None => Ok(filter),
        // `-` stands for standard input, as in `cat -`.
        Some(dash) if dash == "-" => Ok(filter),
        Some(file) => Err(CommandError::new(
            program.column,
            format!("{name}: {file}: there are no files here"),
        )),
    }
}

fn parse_grep(program: &Word, options: &mut FilterOptions<'_>) -> Result<Filter, CommandError> {
    let (mut invert, mut count, mut number) = (false, false, false);
    let (mut any_case, mut extended, mut fixed, mut whole) = (false, program.text == "egrep", false, false);
    let mut pattern = None;
    while let Some(flag) = options.next_flag()? {
        match flag {
            'v' => invert = true,
            'c' => count = true,
            'n' => number = true,
            'i' => any_case = true,
            'E' => extended = true,
            'F' => fixed = true,
            'w' => whole = true,
            'e' => pattern = Some(options.value()?),
            other => return Err(options.unknown_option_error(other)),
        }
    }
    let text = match pattern.or_else(|| options.next_operand()) {
        Some(text) => text,
        None => return Err(CommandError::new(program.column, "grep wants a pattern")),
    };
    let read = Pattern::parse(&text, extended, fixed);
    let mut pattern = read.map_err(|why| CommandError::new(program.column, format!("grep: {why}")))?;
    (pattern.any_case, pattern.whole_words) = (any_case, whole);
    Ok(Filter::Grep {
        pattern,
        invert,
        count,
        number,
    })
}

/// Parses the line count of `head` or `tail`. The sign `-` (for `head`) or `+` (for `tail`) gives
/// [`LineCount::Signed`].
fn parse_count(options: &mut FilterOptions<'_>, sign: char) -> Result<LineCount, CommandError> {
    let mut count = LineCount::Plain(10);
    while let Some(flag) = options.next_flag()? {
        count = match flag {
            'n' => {
                let text = options.value()?;
                match text.strip_prefix(sign) {
                    Some(rest) => LineCount::Signed(options.parse_number(rest)?),
                    None => LineCount::Plain(options.parse_number(&text)?),
                }
            }
            digit if digit.is_ascii_digit() => {
                let text = format!("{digit}{}", options.remaining_letters());
                LineCount::Plain(options.parse_number(&text)?)
            }
            other => return Err(options.unknown_option_error(other)),
        };
    }
    Ok(count)
}

fn parse_wc(options: &mut FilterOptions<'_>) -> Result<Filter, CommandError> {
    let (mut lines, mut words, mut bytes) = (false, false, false);
    while let Some(flag) = options.next_flag()? {
        match flag {
            'l' => lines = true,
            'w' => words = true,
            'c' => bytes = true,
            other => return Err(options.unknown_option_error(other)),
        }
    }
    let all = !(lines || words || bytes);
    Ok(Filter::Wc {
        lines: lines || all,
        words: words || all,
        bytes: bytes || all,
    })
}

fn parse_sort(options: &mut FilterOptions<'_>) -> Result<Filter, CommandError> {
    let (mut key, mut reverse, mut numeric, mut unique) = (None, false, false, false);
    while let Some(flag) = options.next_flag()? {
        match flag {
            'r' => reverse = true,
            'n' => numeric = true,
            'u' => unique = true,
            'k' => {
                let text = options.value()?;
                key = Some(options.parse_number(&text)?.max(1));
            }
            other => return Err(options.unknown_option_error(other)),
        }
    }
    Ok(Filter::Sort {
        key,
        reverse,
        numeric,
        unique,
    })
}

/// Parses options in the style of getopt: letters may be combined, and a value may be a separate word.
struct FilterOptions<'a> {
    program: &'a str,
    column: u32,
    words: std::slice::Iter<'a, Word>,
    letters: Vec<char>,
    operands: Vec<String>,
    /// Whether `--` has ended the options.
    has_ended: bool,
}

impl<'a> FilterOptions<'a> {
    fn new(program: &'a str, words: &'a [Word]) -> Self {
        Self {
            program,
            column: words.first().map_or(1, |word| word.column),
            words: words.iter(),
            letters: Vec::new(),
            operands: Vec::new(),
            has_ended: false,
        }
    }

    /// Returns the next option letter. Words that are not options are stored for [`FilterOptions::next_operand`].
    fn next_flag(&mut self) -> Result<Option<char>, CommandError> {
        loop {
            if !self.letters.is_empty() {
                return Ok(Some(self.letters.remove(0)));
            }
            let Some(word) = self.words.next() else { return Ok(None) };
            self.column = word.column;
            match word.text.strip_prefix('-') {
                Some("-") if !self.has_ended => self.has_ended = true,
                Some(long) if long.starts_with('-') && !self.has_ended => {
                    return Err(CommandError::new(
                        word.column,
                        format!("{}: unrecognized option '-{long}'", self.program),
                    ));
                }
                Some(letters) if !letters.is_empty() && !self.has_ended => self.letters = letters.chars().collect(),
                _ => self.operands.push(word.text.clone()),
            }
        }
    }

    /// Consumes and returns the remaining letters of the current word.
    fn remaining_letters(&mut self) -> String {
        std::mem::take(&mut self.letters).into_iter().collect()
    }

    /// Consumes and returns the value of the current option.
    fn value(&mut self) -> Result<String, CommandError> {
        match self.remaining_letters() {
            rest if !rest.is_empty() => Ok(rest),
            _ => match self.words.next() {
                Some(word) => Ok(word.text.clone()),
                None => Err(CommandError::new(
                    self.column,
                    format!("{}: this option wants a value", self.program),
                )),
            },
        }
    }

    /// Consumes and returns the next operand.
    fn next_operand(&mut self) -> Option<String> {
        for word in self.words.by_ref() {
            self.operands.push(word.text.clone());
        }
        (!self.operands.is_empty()).then(|| self.operands.remove(0))
    }

    fn parse_number(&self, text: &str) -> Result<usize, CommandError> {
        let message = format!("{}: invalid number of lines: {text:?}", self.program);
        text.parse().map_err(|_| CommandError::new(self.column, message))
    }

    fn unknown_option_error(&self, letter: char) -> CommandError {
        CommandError::new(self.column, format!("{}: invalid option -- '{letter}'", self.program))
    }
}

#[cfg(test)]
mod tests {
    use podscope_cluster::OutputKind;

    use super::super::parse_piped;

    /// Input of the pipes in these tests.
    const TABLE: &str = "NAME READY\nweb-10 1/1\nweb-2 0/1\ndb-0 1/1";

    /// Returns what a pipe prints for the lines of [`TABLE`] and a warning, or the error of parsing the pipe.
    fn output_of(pipe: &str) -> String {
        let line = format!("kubectl get pods {pipe}");
        match parse_piped(&line, None) {
            Err(error) => error.message,
            Ok((_, pipe)) => {
                let out = pipe.run(vec![
                    (OutputKind::Output, TABLE.to_owned()),
                    (OutputKind::Warning, "warned".to_owned()),
                ]);
                assert_eq!(out.first().map(|(kind, _)| *kind), Some(OutputKind::Warning), "{line}");
                let lines: Vec<String> = out.into_iter().skip(1).map(|(_, text)| text).collect();
                lines.join("/")
            }
        }
    }

    #[test]
    fn pipe_filters_print_like_the_real_programs() {
        for (pipe, want) in [
            ("| cat", "NAME READY/web-10 1/1/web-2 0/1/db-0 1/1"),
            ("| grep web", "web-10 1/1/web-2 0/1"),
            ("|grep -v web|wc -l", "2"),
            ("| grep -vc WEB", "4"),
            ("| grep -ic WEB", "2"),
            ("| grep -n '^db'", "4:db-0 1/1"),
            ("| grep '0/1$'", "web-2 0/1"),
            ("| grep -E 'db|web-1'", "web-10 1/1/db-0 1/1"),
            ("| grep 'db\\|NAME'", "NAME READY/db-0 1/1"),
            ("| grep -E 'web-[0-9]+ 1'", "web-10 1/1"),
            ("| grep 'web-[^1]'", "web-2 0/1"),
            ("| grep -F .", ""),
            ("| grep w.*0/", "web-2 0/1"),
            ("| grep -w web-1", ""),
            ("| head -2", "NAME READY/web-10 1/1"),
            ("| head -n 1", "NAME READY"),
            ("| head -n -3", "NAME READY"),
            ("| tail -n +4", "db-0 1/1"),
            ("| tail -n1", "db-0 1/1"),
            ("| tail -n +2 | sort", "db-0 1/1/web-10 1/1/web-2 0/1"),
            ("| tail -n +2 | sort -rk2 | head -1", "web-10 1/1"),
            ("| wc", "      4       8      41"),
            ("| wc -lw", "      4       8"),
        ] {
            assert_eq!(output_of(pipe), want, "{pipe}");
        }
    }

    #[test]
    fn unsupported_pipe_programs_and_options_are_errors() {
        for (pipe, want) in [
            (
                "| jq .",
                "jq: a pipe leads to cat, grep, head, kubectl, sort, tail, wc or xargs kubectl here",
            ),
            (
                "|",
                "a pipe leads to a command: cat, grep, head, kubectl, sort, tail, wc or xargs kubectl",
            ),
            ("| grep", "grep wants a pattern"),
            ("| grep x file", "grep: file: there are no files here"),
            ("| head -x", "head: invalid option -- 'x'"),
            ("| head -n x", "head: invalid number of lines: \"x\""),
            ("| grep '['", "grep: a [ is never closed"),
        ] {
            assert_eq!(output_of(pipe), want, "{pipe}");
        }
        assert!(
            super::super::parse("kubectl get pods | cat").is_err(),
            "a timeline has no pipes"
        );
        assert!(parse_piped("k get pods || true", None).is_err());
        assert!(parse_piped("kubectl get pods -o jsonpath='{.a|b}'", None).is_ok_and(|(_, pipe)| pipe.is_empty()));
    }
}
