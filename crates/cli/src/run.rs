//! `podscope run` and `podscope check`.

use std::fmt::Write;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use podscope_api::{Kind, ObjectKey};
use podscope_cluster::{Happening, SimTime};
use podscope_messages::{localized, t};
use podscope_session::play::Attempt;
use podscope_session::scenario::{self, Loaded};
use podscope_session::timeline::{Session, Slice};
use podscope_session::{causes, columns, report, triage};

use crate::args::UsageError;
use crate::progress::Progress;
use crate::{args, interrupt};

/// Number of events that are simulated between two checks for Ctrl-C.
const EVENTS_PER_SLICE: u64 = 5_000;

/// What `podscope run` prints.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum RunOutput {
    /// Verdicts, broken invariants, counts, and the trace's hash
    Summary,
    /// A v1 List in YAML: what `kubectl get -o yaml` of all kinds would print
    Objects,
    /// JSON: the containers that really run, ghosts included; what emptyDirs of their pods hold
    Processes,
    /// JSON Lines: everything that happened, in order
    Trace,
    /// The events, as `kubectl get events -A` prints them
    Events,
    /// What led to each record about --object: chains, a record a line, each below and indented under its cause
    Causes,
    /// Requests to Services: where they went and how many failed
    Requests,
}

/// Run a scenario and check its expectations
///
/// Several files are read as one, in order; without a Scenario document the cluster is three zones of two nodes.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Files or folders; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// Seed of the run, instead of the scenario's
    #[arg(long, value_parser = args::parse_seed)]
    seed: Option<u64>,
    /// End of the run, by default a minute after the last instant of the timeline and the expectations
    #[arg(long, value_name = "DURATION", value_parser = args::parse_time_since_start)]
    until: Option<SimTime>,
    /// Instant at which objects, processes, events and causes are shown, by default the end
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = args::parse_time_since_start)]
    at: Option<SimTime>,
    /// What to print
    #[arg(short, long, value_name = "WHAT", default_value = "summary")]
    output: RunOutput,
    /// The object of `-o causes`, such as "Pod default/web-0"
    #[arg(long, value_name = "KIND NAMESPACE/NAME", value_parser = scenario::parse_object_ref)]
    object: Option<(Kind, ObjectKey)>,
    /// Play a lesson without a reader: solution, nothing or bypass:N
    ///
    /// Prints when each step showed, and what became of each goal, prediction, keep and mistake. Status 0: the solution
    /// reaches everything, anything else no final goal. Bypasses count from 1 in the file's order, `wrong` after them;
    /// bypass:0 is `wrong`.
    #[arg(long, value_name = "ATTEMPT", value_parser = Attempt::parse, conflicts_with_all = ["at", "output", "object"])]
    play: Option<Attempt>,
}

/// Read and admit files without running them
///
/// Prints every problem and advice, and of a dump what `podscope why` prints.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Files or folders; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
}

impl RunArgs {
    pub(crate) fn is_machine_readable(&self) -> bool {
        matches!(
            self.output,
            RunOutput::Objects | RunOutput::Processes | RunOutput::Trace
        )
    }
}

fn load(names: &[String], seed: Option<u64>) -> Result<Loaded, ExitCode> {
    let mut loaded = args::load(names)?;
    if let Some(seed) = seed {
        loaded.setup.seed = seed;
    }
    Ok(loaded)
}

pub(crate) fn run(given: RunArgs) -> Result<ExitCode, UsageError> {
    match (given.output == RunOutput::Causes, &given.object) {
        (true, None) => return Err("-o causes needs --object, e.g. --object \"Pod default/web-0\"".into()),
        (false, Some(_)) => return Err("--object goes with -o causes".into()),
        _ => {}
    }
    let result = match given.play {
        Some(attempt) => print_played_lesson(&given.files, given.seed, given.until, attempt),
        None => run_files(&given),
    };
    Ok(result.unwrap_or_else(|status| status))
}

/// Plays a lesson without a page, and prints a report.
fn print_played_lesson(
    names: &[String],
    seed: Option<u64>,
    until: Option<SimTime>,
    attempt: Attempt,
) -> Result<ExitCode, ExitCode> {
    let loaded = load(names, seed)?;
    let played =
        podscope_session::play::play(loaded, attempt, until).map_err(|problems| args::print_problems(&problems))?;
    args::print_text(&played.report());
    let is_bug = played.session.progress().bug_count() > 0;
    Ok(ExitCode::from(u8::from(is_bug || !played.behaves_as_intended())))
}

fn run_files(given: &RunArgs) -> Result<ExitCode, ExitCode> {
    let output = given.output;
    let loaded = load(&given.files, given.seed)?;
    let until = given.until.unwrap_or_else(|| loaded.default_until());
    let mut session = Session::new(loaded).map_err(|problems| args::print_problems(&problems))?;
    // The summary contains the notices. With other outputs they are printed to stderr, so that stdout contains only the
    // output.
    if output != RunOutput::Summary {
        for notice in &session.loaded().notices {
            args::print_error(notice);
        }
    }
    let shown = given.at.unwrap_or(until).min(until);
    let mut progress = Progress::of_time(until);
    let mut advance = |session: &mut Session, to: SimTime| loop {
        match session.advance(to, EVENTS_PER_SLICE) {
            Slice::Done => break Ok(()),
            Slice::More if interrupt::is_interrupted() => break Ok(()),
            Slice::More => progress.update(session.now().0.unsigned_abs(), || {
                format!("{} records, at {}", session.trace().len(), session.now())
            }),
            Slice::Limit => {
                args::print_error(format_args!(
                    "podscope: the run wrote more records than a run may ({})",
                    podscope_session::timeline::MAX_RECORDS
                ));
                break Err(ExitCode::from(args::BAD_INPUT_STATUS));
            }
        }
    };
    advance(&mut session, shown)?;
    let text = match output {
        RunOutput::Objects => Some(report::objects(&session)),
        RunOutput::Processes => Some(report::processes(&session)),
        RunOutput::Events => Some(report::events(&session)),
        RunOutput::Requests => Some(report::request_table(&session)),
        RunOutput::Causes => {
            (given.object.as_ref()).map(|(kind, key)| causes::chains_text(&causes::cause_chains(&session, *kind, key)))
        }
        RunOutput::Summary | RunOutput::Trace => None,
    };
    advance(&mut session, until)?;
    drop(progress);
    if interrupt::is_interrupted() {
        args::print_error(format_args!(
            "podscope: interrupted at {}: this is what there is",
            session.now()
        ));
    }
    let text = match output {
        RunOutput::Trace => report::trace(session.trace()),
        RunOutput::Summary => summary_text(&session),
        _ => text.unwrap_or_default(),
    };
    match output {
        RunOutput::Summary | RunOutput::Events | RunOutput::Causes | RunOutput::Requests => args::print_text(&text),
        RunOutput::Objects | RunOutput::Processes | RunOutput::Trace => args::print_data(&text),
    }
    let progress = session.progress();
    let failed = progress.expectations().contains(&Some(false));
    for (expect, verdict) in session.loaded().scenario.expect.iter().zip(progress.expectations()) {
        if *verdict == Some(false) {
            let found = state_found_by_expectation(&session, &expect.text);
            let message = format!("expectation failed: {}: found {found}", expect.text);
            args::print_error(format_args!("{}", expect.place.problem(message)));
        }
    }
    if interrupt::is_interrupted() && progress.bug_count() == 0 {
        return Ok(interrupt::interrupted_status());
    }
    Ok(ExitCode::from(u8::from(failed || progress.bug_count() > 0)))
}

/// Returns the state that was found instead of the one that the failed expectation `text` requires.
fn state_found_by_expectation(session: &Session, text: &str) -> String {
    let last_found = session.trace().rev().find_map(|record| match &record.happening {
        Happening::Expectation {
            expect,
            ok: false,
            found,
        } if expect == text => Some(found.clone()),
        _ => None,
    });
    last_found.unwrap_or_else(|| "nothing".to_owned())
}

fn summary_text(session: &Session) -> String {
    let mut out = String::new();
    let loaded = session.loaded();
    let scenario = &loaded.scenario;
    let title = if scenario.title.is_empty() {
        &scenario.name
    } else {
        &scenario.title
    };
    let title = if title.is_empty() {
        t!(cli_run::no_scenario)
    } else {
        localized(title)
    };
    let head = t!(
        cli_run::head,
        title = title,
        seed = loaded.setup.seed,
        time = session.now()
    );
    let _ = writeln!(out, "{head}");
    for notice in &loaded.notices {
        let _ = writeln!(out, "{}", t!(cli_run::note, notice = notice));
    }
    let labels = [t!(cli_run::held), t!(cli_run::failed), t!(cli_run::skipped)];
    let width = columns::widest(&labels);
    let [held, failed, skipped] = labels;
    for (expect, verdict) in scenario.expect.iter().zip(session.progress().expectations()) {
        let label = match (verdict, expect.timing) {
            (Some(true), _) | (None, scenario::Timing::Always) => &held,
            (Some(false), _) => &failed,
            (None, _) => &skipped,
        };
        let _ = writeln!(out, "{label}{} {}", columns::cell_padding(label, width), expect.text);
    }
    for record in session.trace() {
        if let Happening::Command {
            command,
            error: Some(error),
        } = &record.happening
        {
            let line = command.lines().next().unwrap_or_default();
            let refused = t!(cli_run::refused, time = record.at, command = line, error = error);
            let _ = writeln!(out, "{refused}");
        }
    }
    for record in session.violations() {
        let Some(violation) = record.violation() else { continue };
        let broken = t!(
            cli_run::broken,
            invariant = violation.invariant,
            time = record.at,
            cause = violation.cause.as_str(),
            by = violation.by.sentence()
        );
        let _ = writeln!(out, "{broken}");
    }
    let counts = report::object_counts(session.world().objects());
    let objects = if counts.is_empty() {
        t!(cli_run::no_objects)
    } else {
        t!(cli_run::objects, counts = counts)
    };
    let (records, hash) = (session.trace().len(), session.trace_hash());
    let trace = t!(cli_run::trace, records = records, hash = hash);
    let _ = writeln!(out, "{objects}\n{trace}");
    out
}

pub(crate) fn check(given: &CheckArgs) -> ExitCode {
    let checked = load(&given.files, None)
        .and_then(|loaded| Session::new(loaded).map_err(|problems| args::print_problems(&problems)));
    match checked {
        Ok(session) => {
            args::print_notices(session.loaded(), session.world().objects());
            // Advice is part of the answer, not an error, so it goes to stdout.
            for advice in &session.loaded().advice {
                args::print_text(&format!("{advice}\n"));
            }
            // Objects with UIDs come from a dump of a live cluster: lists its problems.
            let objects = session.loaded().setup.objects.iter();
            if objects.clone().any(|object| !object.metadata().uid.is_empty()) {
                let findings = triage::triage(&session, &triage::Scope::default());
                args::print_text(&triage::plain_text(&findings, session.now().0));
            }
            ExitCode::SUCCESS
        }
        Err(status) => status,
    }
}
