//! `podscope practice`: generates a task, asks its question, and checks the answer.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use podscope_course::schedule::{NextTask, Schedule};
use podscope_course::{Family, MAX_LEVEL, Task};
use podscope_messages::{localized, t};
use podscope_session::link::Link;
use serde_json::json;

use crate::args;

/// Output format of a task.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum TaskFormat {
    Text,
    Json,
    /// The task as a scenario, for the page
    Scenario,
    /// The task as a link to the page
    Link,
}

/// List the practice families, draw a task of one, or ask what is due
///
/// A seed and a level name a task. The engine plays it and judges the answer, an option or its number. Status 1: the
/// answer is wrong.
#[derive(Debug, Args)]
pub(crate) struct PracticeArgs {
    /// A built-in family, or a file; without it the families are listed
    #[arg(value_name = "NAME|FILE")]
    family: Option<String>,
    /// Seed of the task
    #[arg(long, default_value = "1", value_parser = args::parse_seed)]
    seed: u64,
    /// Level of difficulty
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_LEVEL)))]
    level: u32,
    /// The answer, instead of a question at the terminal
    #[arg(long, value_name = "TEXT")]
    answer: Option<String>,
    /// Ask what is due: families return by the SM-2 rule, sooner after mistakes; the file keeps the days
    #[arg(long, value_name = "FILE", conflicts_with_all = ["family", "seed", "level", "output"])]
    progress: Option<PathBuf>,
    /// Output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: TaskFormat,
}

impl PracticeArgs {
    pub(crate) fn is_machine_readable(&self) -> bool {
        self.output != TaskFormat::Text
    }
}

pub(crate) fn run(given: PracticeArgs) -> ExitCode {
    if let Some(file) = given.progress {
        return practise_next_task(&file, given.answer).unwrap_or_else(|status| status);
    }
    let Some(name) = given.family else {
        print_families();
        return ExitCode::SUCCESS;
    };
    let task = match read_family(&name).and_then(|family| {
        Task::draw(&family, given.seed, given.level).map_err(|problems| args::print_problems(&problems))
    }) {
        Ok(task) => task,
        Err(status) => return status,
    };
    match given.output {
        TaskFormat::Scenario => {
            args::print_data(&task.text);
            ExitCode::SUCCESS
        }
        TaskFormat::Link => {
            let link = Link::of_files(vec![(format!("{name}.yaml"), task.text.clone())], 1);
            args::print_text(&format!("#{}\n", link.encode()));
            ExitCode::SUCCESS
        }
        TaskFormat::Text => match ask_and_check(&task, given.answer) {
            Some(false) => ExitCode::from(1),
            Some(true) | None => ExitCode::SUCCESS,
        },
        TaskFormat::Json => print_json(&task, given.answer.as_deref()),
    }
}

/// Asks the task that is next in the schedule of a progress file, records the result, and prints when each family is
/// due.
fn practise_next_task(file: &Path, answer: Option<String>) -> Result<ExitCode, ExitCode> {
    let bad = |error: std::io::Error| {
        args::print_error(format_args!("{}: {error}", file.display()));
        ExitCode::from(args::BAD_INPUT_STATUS)
    };
    let mut schedule = match std::fs::read_to_string(file) {
        Ok(text) => Schedule::read(&text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Schedule::default(),
        Err(error) => return Err(bad(error)),
    };
    let today = days_since_1970();
    let Some(next) = schedule.next(podscope_course::families(), today) else {
        return Ok(ExitCode::SUCCESS);
    };
    let NextTask {
        family: name,
        seed,
        level,
        ..
    } = &next;
    let family = read_family(name)?;
    let task = Task::draw(&family, *seed, *level).map_err(|problems| args::print_problems(&problems))?;
    let Some(is_right) = ask_and_check(&task, answer) else {
        return Ok(ExitCode::SUCCESS);
    };
    schedule.record(&next, is_right, today);
    std::fs::write(file, schedule.write()).map_err(bad)?;
    args::print_text(&format!("\n{}\n", t!(cli_practice::next)));
    for (name, one) in schedule.iter() {
        let due = t!(cli_practice::due, days = one.due.saturating_sub(today));
        let level = t!(cli_practice::level, level = one.level);
        args::print_text(&format!("  {name:28}{level}   {due}\n"));
    }
    Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Returns the days since 1970 by the clock of this machine.
#[expect(
    clippy::disallowed_types,
    reason = "the day on which somebody practises, outside of the simulation"
)]
fn days_since_1970() -> u32 {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    u32::try_from(since.as_secs() / 86_400).unwrap_or_default()
}

/// Prints the built-in families.
fn print_families() {
    for name in podscope_course::families() {
        let text = podscope_course::family_text(name).unwrap_or_default();
        let title = Family::read(name, text).map_or_else(|_| String::new(), |family| localized(&family.title));
        args::print_text(&format!("{name:28}{title}\n"));
    }
}

/// Reads a built-in family by name, or another family from a file.
fn read_family(name: &str) -> Result<Family, ExitCode> {
    if let Some(text) = podscope_course::family_text(name) {
        return Family::read(name, text).map_err(|problems| args::print_problems(&problems));
    }
    if !name.ends_with(".yaml") && !name.ends_with(".yml") {
        args::print_error(format_args!(
            "podscope: there is no practice family {name:?}; `podscope practice` lists them"
        ));
        return Err(ExitCode::from(args::BAD_INPUT_STATUS));
    }
    let files = args::read_files(&[name.to_owned()])?;
    let text = files.first().map(|(_, text)| text.as_str()).unwrap_or_default();
    Family::read(name, text).map_err(|problems| args::print_problems(&problems))
}

/// Prints the task, reads an answer, and prints the result. Returns whether the answer is right; None if there is no
/// answer.
fn ask_and_check(task: &Task, answer: Option<String>) -> Option<bool> {
    let answer = match answer {
        Some(answer) => answer,
        None => {
            let family = &task.family;
            let head = t!(
                cli_practice::task,
                title = localized(&family.title),
                seed = task.seed,
                level = task.level
            );
            args::print_text(&format!("{head}\n\n{}\n", task.translated_question()));
            for (index, option) in task.options.iter().enumerate() {
                args::print_text(&format!("  {}. {option}\n", index + 1));
            }
            if !std::io::stdin().is_terminal() {
                return None;
            }
            args::print_text("> ");
            let mut line = String::new();
            match std::io::stdin().read_line(&mut line) {
                Ok(length) if length > 0 => line,
                _ => return None,
            }
        }
    };
    let judged = task.check(&answer);
    if judged.is_right {
        args::print_text(&format!(
            "{}\n",
            t!(cli_practice::right, why = task.translated(&judged.why))
        ));
    } else {
        let lines = [
            t!(cli_practice::wrong, why = task.translated(&judged.why)),
            t!(
                cli_practice::right_answer,
                answer = task.answer,
                why = task.translated(&task.check(&task.answer).why)
            ),
            t!(cli_practice::rule, rule = localized(&task.family.rule)),
        ];
        args::print_text(&format!("{}\n", lines.join("\n")));
    }
    Some(judged.is_right)
}

fn print_json(task: &Task, answer: Option<&str>) -> ExitCode {
    let mut value = json!({
        "family": task.family.name,
        "seed": task.seed,
        "level": task.level,
        "question": task.question(),
        "options": task.options,
    });
    let mut status = ExitCode::SUCCESS;
    if let Some(answer) = answer {
        let judged = task.check(answer);
        value["given"] = answer.into();
        value["right"] = judged.is_right.into();
        value["why"] = judged.why.english().into();
        value["answer"] = task.answer.clone().into();
        if !judged.is_right {
            status = ExitCode::from(1);
        }
    }
    args::print_data(&format!("{value:#}\n"));
    status
}
