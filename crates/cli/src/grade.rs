//! `podscope grade`: replays the runs that students handed in, and prints the results.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use podscope_course::course::Course;
use podscope_course::grade::{self, CourseResult, FrequentMistake, GradedRun};
use podscope_course::xapi;
use podscope_messages::{Message, cli_grade, localized, t};
use podscope_protocol::markdown::escape_cell;
use podscope_session::columns;

use crate::args::{self, UsageError};

/// Format of the output.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum GradeFormat {
    Table,
    Csv,
    Markdown,
    /// Statements for a learning record store
    Xapi,
}

/// Replay what students have handed in, and print who did what
///
/// Prints goals, answers, hints, and what a file claims but the run does not show; then the most frequent wrong answer
/// of each question.
#[derive(Debug, Args)]
pub(crate) struct GradeArgs {
    /// JSON files of kind HandIn, or files with links, one a line
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// Print the points of each student in this course, too, and whether they pass: a built-in course, or a file
    #[arg(long, value_name = "NAME|FILE")]
    course: Option<String>,
    /// Address of the site, which names the lessons in xAPI statements
    #[arg(long, value_name = "URL")]
    site: Option<String>,
    /// Output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: GradeFormat,
}

impl GradeArgs {
    pub(crate) fn is_machine_readable(&self) -> bool {
        matches!(self.output, GradeFormat::Csv | GradeFormat::Xapi)
    }
}

pub(crate) fn run(given: &GradeArgs) -> Result<ExitCode, UsageError> {
    let format = given.output;
    let site = match (format, given.site.as_deref()) {
        (GradeFormat::Xapi, None) => return Err("-o xapi needs --site URL: lessons are named by their address".into()),
        (GradeFormat::Xapi, Some(site)) if !site.starts_with("http://") && !site.starts_with("https://") => {
            return Err(format!("--site is an address (https://…), not {site:?}").into());
        }
        (GradeFormat::Xapi, site) => site.unwrap_or_default(),
        (_, Some(_)) => return Err("--site belongs to -o xapi".into()),
        (_, None) => "",
    };
    let course = match given.course.as_deref().map(crate::course::read_course) {
        Some(Err(status)) => return Ok(status),
        Some(Ok((course, _))) => Some(course),
        None => None,
    };
    Ok(grade_files(&given.files, format, course.as_ref(), site))
}

/// Grades files. Returns status 2 if a file cannot be read; the others are graded all the same.
fn grade_files(names: &[String], format: GradeFormat, course: Option<&Course>, site: &str) -> ExitCode {
    let mut status = ExitCode::SUCCESS;
    let mut runs = Vec::new();
    for name in names {
        let Ok(text) = std::fs::read_to_string(name) else {
            args::print_error(format_args!("{name}: the file cannot be read as text"));
            status = ExitCode::from(args::BAD_INPUT_STATUS);
            continue;
        };
        match grade::read(name, &text) {
            Ok(hand_in) => runs.extend(grade::grade(&hand_in)),
            Err(problems) => status = args::print_problems(&problems),
        }
    }
    let results = course.map_or_else(Vec::new, |course| grade::results(course, &runs));
    let rows = table_rows(&runs);
    let words = || {
        let mistakes = grade::frequent_mistakes(&runs);
        mistakes
            .iter()
            .map(mistake_line)
            .chain(results.iter().map(course_result_line))
            .collect::<String>()
    };
    args::print_text(&match format {
        GradeFormat::Table => columns::table(&rows, "   ") + &words(),
        GradeFormat::Csv => rows.iter().map(csv_line).collect(),
        GradeFormat::Markdown => markdown_table(&rows) + &words(),
        GradeFormat::Xapi => {
            let mut statements = xapi::run_statements(&runs, site);
            statements.extend(course.map_or_else(Vec::new, |course| xapi::course_statements(course, &results, site)));
            format!("{:#}\n", serde_json::Value::from(statements))
        }
    });
    status
}

/// Formats a line of the course results.
fn course_result_line(one: &CourseResult) -> String {
    let (student, percent, missing) = (&one.student, format!("{:.0}", one.percent), one.missing);
    let line = if one.is_passed {
        t!(
            cli_grade::passed,
            student = student,
            percent = percent,
            missing = missing
        )
    } else {
        t!(
            cli_grade::not_passed,
            student = student,
            percent = percent,
            missing = missing
        )
    };
    format!("\n{line}\n")
}

const TABLE_HEADER: [Message; 9] = [
    cli_grade::student,
    cli_grade::lesson,
    cli_grade::finished,
    cli_grade::goals,
    cli_grade::answers,
    cli_grade::hints,
    cli_grade::shown,
    cli_grade::minutes,
    cli_grade::check,
];

type Row = Vec<String>;

fn table_rows(runs: &[GradedRun]) -> Vec<Row> {
    let row = |run: &GradedRun| {
        let (right, asked) = run.right_answers();
        let yes = |is: bool| if is { cli_grade::yes } else { cli_grade::no }.text();
        let handed = &run.handed;
        vec![
            run.student.clone(),
            run.lesson.clone(),
            yes(run.is_finished),
            format!("{}/{}", run.goals.0, run.goals.1),
            format!("{right}/{asked}"),
            handed.hints.map_or_else(|| "-".to_owned(), |hints| hints.to_string()),
            yes(handed.is_shown),
            handed
                .minutes
                .map_or_else(|| "-".to_owned(), |minutes| format!("{minutes:.1}")),
            if run.complaints.is_empty() {
                t!(cli_grade::replayed)
            } else {
                run.complaints
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join("; ")
            },
        ]
    };
    let header = TABLE_HEADER.iter().map(|word| word.text()).collect();
    std::iter::once(header).chain(runs.iter().map(row)).collect()
}

fn csv_line(row: &Row) -> String {
    let cell = |cell: &String| {
        // A spreadsheet evaluates a cell that begins like a formula.
        let is_formula = cell.starts_with(['=', '+', '@', '\t']) || cell.len() > 1 && cell.starts_with('-');
        let cell = if is_formula { format!("'{cell}") } else { cell.clone() };
        if cell.contains([',', '"', '\n']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell
        }
    };
    format!("{}\n", row.iter().map(cell).collect::<Vec<_>>().join(","))
}

fn markdown_table(rows: &[Row]) -> String {
    let line = |row: &Row| {
        let cells = row.iter().map(|cell| escape_cell(cell));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let mut lines = rows.iter().map(line);
    let header = lines.next().unwrap_or_default();
    format!(
        "{header}|{}\n{}",
        " --- |".repeat(TABLE_HEADER.len()),
        lines.collect::<String>()
    )
}

fn mistake_line(one: &FrequentMistake) -> String {
    let (count, of) = one.count;
    let line = t!(
        cli_grade::mistake,
        count = count,
        of = of,
        wrong = localized(&one.wrong),
        right = localized(&one.right)
    );
    format!("\n{}: {}\n  {line}\n", one.lesson, localized(&one.ask))
}
