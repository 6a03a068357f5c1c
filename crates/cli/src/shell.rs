//! `podscope shell`: the console on the command line, for people and for programs.

use std::cell::RefCell;
use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;
use std::rc::Rc;

use clap::Args;
use podscope_cluster::Span;
use podscope_kubectl::command;
use podscope_messages::t;
use podscope_session::shell::{Answer, Shell, TypedLine, parse_typed_line};
use podscope_session::timeline::Session;
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Config, Context, Editor, Helper};
use serde_json::{Value, json};

use crate::{args, interrupt};

/// Type kubectl, fault and app commands at a prompt, or read them from a pipe
///
/// `wait 30s` and `until 2m` move time.
#[derive(Debug, Args)]
pub(crate) struct ShellArgs {
    /// Files or folders with the cluster; without them it is three zones of two nodes
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// Read one JSON object a line, {"run": CMD, "stdin": TEXT?, "wait": SECONDS?} or {"advance": SECONDS}, and answer
    /// each with {"t": SECONDS, "lines": [[is_error, text]…], "refused": TEXT|null}
    #[arg(long)]
    json: bool,
}

impl ShellArgs {
    pub(crate) fn is_machine_readable(&self) -> bool {
        self.json
    }
}

pub(crate) fn run(given: &ShellArgs) -> ExitCode {
    let shell = match open_shell(&given.files) {
        Ok(shell) => shell,
        Err(status) => return status,
    };
    let result = if given.json {
        run_json(shell)
    } else if std::io::stdin().is_terminal() {
        prompt(shell)
    } else {
        read_pipe(shell)
    };
    result.unwrap_or_else(|error| {
        args::print_error(format_args!("podscope: {error}"));
        ExitCode::from(args::BAD_INPUT_STATUS)
    })
}

fn open_shell(names: &[String]) -> Result<Shell, ExitCode> {
    let session = Session::new(args::load(names)?).map_err(|problems| args::print_problems(&problems))?;
    for notice in &session.loaded().notices {
        args::print_error(notice);
    }
    Ok(Shell::with_stop_condition(session, interrupt::is_interrupted))
}

/// Reads one JSON object per line, and answers each with one JSON object.
fn run_json(mut shell: Shell) -> std::io::Result<ExitCode> {
    let mut stdout = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = answer_json(&mut shell, &line).unwrap_or_else(|message| Answer {
            at: shell.session().now(),
            lines: Vec::new(),
            refused: Some(message),
        });
        let value = json!({
            "t": answer.at.0 as f64 / 1e6,
            "lines": answer.lines.iter().map(|(kind, text)| (kind.is_stderr(), text)).collect::<Vec<_>>(),
            "refused": answer.refused,
        });
        if let Err(error) = writeln!(stdout, "{value}").and_then(|()| stdout.flush()) {
            args::exit_on_write_error(Err(error));
            // The program that reads the answers has closed the pipe.
            break;
        }
        if interrupt::is_interrupted() {
            return Ok(interrupt::interrupted_status());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Answers a JSON request.
///
/// # Errors
/// The line is not a valid request.
fn answer_json(shell: &mut Shell, line: &str) -> Result<Answer, String> {
    let request: Value = serde_json::from_str(line).map_err(|error| format!("the request is not JSON: {error}"))?;
    let text = |name: &str| match request.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(other) => Err(format!("{name}: a text is wanted, not {other}")),
    };
    let span = |name: &str| match request.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_f64() {
            // At most a hundred years, the range of simulated time.
            Some(seconds) if (0.0..=3.2e9).contains(&seconds) => Ok(Some(Span((seconds * 1e6).round() as i64))),
            _ => Err(format!("{name}: seconds are wanted, not {value}")),
        },
    };
    match (text("run")?, span("advance")?) {
        (Some(command), None) => Ok(shell.run(command, text("stdin")?, span("wait")?.unwrap_or(Span::ZERO))),
        (None, Some(length)) => Ok(shell.advance(length)),
        _ => Err("a request is {\"run\": COMMAND} or {\"advance\": SECONDS}".to_owned()),
    }
}

/// Runs the typed line and prints the answer.
fn run_typed(shell: &mut Shell, typed: TypedLine) {
    let answer = match typed {
        TypedLine::Blank => return,
        TypedLine::Wait(span) => shell.advance(span),
        TypedLine::Until(at) => {
            let now = shell.session().now();
            if at < now {
                args::print_error(format_args!(
                    "error: it is {now} already; time does not run backwards here"
                ));
                return;
            }
            shell.advance(at - now)
        }
        TypedLine::Command(command, pipe) => shell.run_parsed(*command, &pipe, Span::ZERO),
    };
    print_answer(&answer);
}

fn print_answer(answer: &Answer) {
    for (kind, line) in &answer.lines {
        if kind.is_stderr() {
            args::print_error(line);
        } else {
            args::print_text(&format!("{line}\n"));
        }
    }
    if let Some(refused) = &answer.refused {
        args::print_error(refused);
    }
}

/// Reads lines from a pipe or a file.
fn read_pipe(mut shell: Shell) -> std::io::Result<ExitCode> {
    let mut text = String::new();
    for line in std::io::stdin().lock().lines() {
        text.push_str(&line?);
        match parse_typed_line(&text) {
            Err(error) if error.is_unfinished => {
                text.push('\n');
                continue;
            }
            Err(error) => args::print_error(error),
            Ok(typed) => run_typed(&mut shell, typed),
        }
        text.clear();
        if interrupt::is_interrupted() {
            return Ok(interrupt::interrupted_status());
        }
    }
    if !text.is_empty()
        && let Err(error) = parse_typed_line(&text)
    {
        args::print_error(error);
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads lines interactively.
fn prompt(shell: Shell) -> std::io::Result<ExitCode> {
    let shell = Rc::new(RefCell::new(shell));
    let config = Config::builder().auto_add_history(true).build();
    let mut editor: Editor<LineHelper, DefaultHistory> = Editor::with_config(config).map_err(std::io::Error::other)?;
    editor.set_helper(Some(LineHelper(Rc::clone(&shell))));
    args::print_error(t!(cli_shell::welcome));
    loop {
        let now = shell.borrow().session().now();
        match editor.readline(&format!("{now} $ ")) {
            Ok(line) => match parse_typed_line(&line) {
                Ok(typed) => {
                    run_typed(&mut shell.borrow_mut(), typed);
                    // Ctrl-C has ended the command; the prompt continues.
                    interrupt::clear_interrupt();
                }
                Err(error) => args::print_error(error),
            },
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => return Ok(ExitCode::SUCCESS),
            Err(error) => return Err(std::io::Error::other(error)),
        }
    }
}

/// Helper of the prompt's editor: completes a line, and checks whether it is complete.
struct LineHelper(Rc<RefCell<Shell>>);

impl Completer for LineHelper {
    type Candidate = Pair;
    fn complete(&self, line: &str, cursor: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let shell = self.0.borrow();
        let ((start, _), choices) = command::complete(line, cursor, shell.session().world().objects());
        let pairs = choices.into_iter().map(|choice| Pair {
            display: choice.text.clone(),
            replacement: choice.text,
        });
        Ok((start, pairs.collect()))
    }
}

impl Validator for LineHelper {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match parse_typed_line(context.input()) {
            Err(error) if error.is_unfinished => ValidationResult::Incomplete,
            _ => ValidationResult::Valid(None),
        })
    }
}

impl Hinter for LineHelper {
    type Hint = String;
}

impl Highlighter for LineHelper {}
impl Helper for LineHelper {}
