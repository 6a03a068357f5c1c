//! `podscope practice`: draws a task, asks it, and judges the answer.

use std::io::IsTerminal;
use std::process::ExitCode;

use podscope_course::schedule::{Next, Schedule};
use podscope_course::{Family, MAX_LEVEL, Task};
use podscope_session::link::Link;
use serde_json::json;

use crate::args;

/// Output format of a task.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Text,
    Json,
    Scenario,
    Link,
}

pub(crate) fn run(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let (mut name, mut seed, mut level, mut answer, mut shown) = (None, 1_u64, 1_u32, None, Shown::Text);
    let mut progress = None;
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Value(value) if name.is_none() => name = Some(value.to_string_lossy().into_owned()),
            lexopt::Arg::Long("seed") => {
                let text = parser.value()?.to_string_lossy().into_owned();
                seed = text
                    .parse()
                    .map_err(|_| format!("--seed takes a number, not {text:?}"))?;
            }
            lexopt::Arg::Long("level") => {
                let text = parser.value()?.to_string_lossy().into_owned();
                level = text
                    .parse()
                    .ok()
                    .filter(|level| (1..=MAX_LEVEL).contains(level))
                    .ok_or(format!("--level takes a number from 1 to {MAX_LEVEL}, not {text:?}"))?;
            }
            lexopt::Arg::Long("progress") => progress = Some(std::path::PathBuf::from(parser.value()?)),
            lexopt::Arg::Long("answer") => answer = Some(parser.value()?.to_string_lossy().into_owned()),
            lexopt::Arg::Short('o') => {
                shown = match &*parser.value()?.to_string_lossy() {
                    "text" => Shown::Text,
                    "json" => Shown::Json,
                    "scenario" => Shown::Scenario,
                    "link" => Shown::Link,
                    other => return Err(format!("-o is text, json, scenario or link, not {other:?}").into()),
                }
            }
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::print_help(crate::HELP)),
            other => return Err(other.unexpected()),
        }
    }
    if let Some(file) = progress {
        return match name {
            None => Ok(practise(&file, answer).unwrap_or_else(|status| status)),
            Some(_) => Err("--progress chooses the family by itself".into()),
        };
    }
    let Some(name) = name else {
        list();
        return Ok(ExitCode::SUCCESS);
    };
    let task = match family(&name)
        .and_then(|family| Task::draw(&family, seed, level).map_err(|problems| args::print_problems(&problems)))
    {
        Ok(task) => task,
        Err(status) => return Ok(status),
    };
    Ok(match shown {
        Shown::Scenario => {
            args::print_data(&task.text);
            ExitCode::SUCCESS
        }
        Shown::Link => {
            let link = Link::of_files(vec![(format!("{name}.yaml"), task.text.clone())], 1);
            args::print_text(&format!("#{}\n", link.encode()));
            ExitCode::SUCCESS
        }
        Shown::Text => match ask(&task, answer) {
            Some(false) => ExitCode::from(1),
            Some(true) | None => ExitCode::SUCCESS,
        },
        Shown::Json => print_json(&task, answer.as_deref()),
    })
}

/// Asks the task that the schedule of a progress file chooses, records the answer, and prints when each family is due.
fn practise(file: &std::path::Path, answer: Option<String>) -> Result<ExitCode, ExitCode> {
    let bad = |error: std::io::Error| {
        args::print_error(format_args!("{}: {error}", file.display()));
        ExitCode::from(args::BAD_INPUT)
    };
    let mut schedule = match std::fs::read_to_string(file) {
        Ok(text) => Schedule::read(&text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Schedule::default(),
        Err(error) => return Err(bad(error)),
    };
    let today = today();
    let Some(next) = schedule.next(podscope_course::families(), today) else {
        return Ok(ExitCode::SUCCESS);
    };
    let Next {
        family: name,
        seed,
        level,
        ..
    } = &next;
    let family = family(name)?;
    let task = Task::draw(&family, *seed, *level).map_err(|problems| args::print_problems(&problems))?;
    let Some(is_right) = ask(&task, answer) else {
        return Ok(ExitCode::SUCCESS);
    };
    schedule.record(&next, is_right, today);
    std::fs::write(file, schedule.write()).map_err(bad)?;
    args::print_text("\nNext (by SM-2):\n");
    for (name, one) in schedule.iter() {
        let days = one.due.saturating_sub(today);
        let when = match days {
            0 => "today".to_owned(),
            1 => "tomorrow".to_owned(),
            days => format!("in {days} days"),
        };
        args::print_text(&format!("  {name:28}level {}   {when}\n", one.level));
    }
    Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Days since 1970 by the clock of this machine.
#[expect(
    clippy::disallowed_types,
    reason = "the day on which somebody practises, outside of the simulation"
)]
fn today() -> u32 {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    u32::try_from(since.as_secs() / 86_400).unwrap_or_default()
}

/// Prints the built-in families.
fn list() {
    for name in podscope_course::families() {
        let text = podscope_course::family_text(name).unwrap_or_default();
        let title = Family::read(name, text).map_or_else(|_| String::new(), |family| family.title);
        args::print_text(&format!("{name:28}{title}\n"));
    }
}

/// Reads a family: a built-in one by its name, any other one by its file.
fn family(name: &str) -> Result<Family, ExitCode> {
    if let Some(text) = podscope_course::family_text(name) {
        return Family::read(name, text).map_err(|problems| args::print_problems(&problems));
    }
    if !name.ends_with(".yaml") && !name.ends_with(".yml") {
        args::print_error(format_args!(
            "podscope: there is no practice family {name:?}; `podscope practice` lists them"
        ));
        return Err(ExitCode::from(args::BAD_INPUT));
    }
    let files = args::files(&[name.to_owned()])?;
    let text = files.first().map(|(_, text)| text.as_str()).unwrap_or_default();
    Family::read(name, text).map_err(|problems| args::print_problems(&problems))
}

/// Prints the task, takes an answer, and prints the judgement: whether the answer is right. None: there is none.
fn ask(task: &Task, answer: Option<String>) -> Option<bool> {
    let answer = match answer {
        Some(answer) => answer,
        None => {
            let family = &task.family;
            args::print_text(&format!(
                "{} (seed {}, level {})\n\n{}\n",
                family.title, task.seed, task.level, task.question
            ));
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
    let judged = task.judge(&answer);
    if judged.is_right {
        args::print_text(&format!("Right. {}\n", judged.why));
    } else {
        let right = task.judge(&task.answer);
        args::print_text(&format!(
            "Wrong. {}\nThe right answer is {}. {}\nRule: {}\n",
            judged.why, task.answer, right.why, task.family.rule
        ));
    }
    Some(judged.is_right)
}

fn print_json(task: &Task, answer: Option<&str>) -> ExitCode {
    let mut value = json!({
        "family": task.family.name,
        "seed": task.seed,
        "level": task.level,
        "question": task.question,
        "options": task.options,
    });
    let mut status = ExitCode::SUCCESS;
    if let Some(answer) = answer {
        let judged = task.judge(answer);
        value["given"] = answer.into();
        value["right"] = judged.is_right.into();
        value["why"] = judged.why.into();
        value["answer"] = task.answer.clone().into();
        if !judged.is_right {
            status = ExitCode::from(1);
        }
    }
    args::print_data(&format!("{value:#}\n"));
    status
}
