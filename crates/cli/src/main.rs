//! The `podscope` command line: reads arguments and files, prints results.
//! What is simulated, and how, is the engine's.
//!
//! Exit status: 0 fine; 1 an expectation failed, or an invariant broke with
//! `cause: bug`; 2 bad input or usage, or an output that cannot be written; 130 interrupted.

mod args;
mod bench;
mod explain;
mod explain_cases;
mod interrupt;
mod link;
mod progress;
mod run;
mod search;
mod shell;

use std::process::ExitCode;

const HELP: &str = "\
podscope: a simulated Kubernetes cluster, headless

usage:
  podscope run FILE.yaml… [--seed N] [--until 5m] [--at 45s] [-o summary|objects|processes|trace|events]
      Runs a scenario and checks its expectations. Several files are read as one, in order; without a
      Scenario document the cluster is three zones of two nodes. --until is the end (default: the last
      timeline or expect instant + 60 s). --at chooses the instant that objects, processes and events
      are shown at (default: the end).
        summary     verdicts, broken invariants, counts, and the trace's hash (the default)
        objects     a v1 List in YAML: what `kubectl get -o yaml` of all kinds would show
        processes   JSON: the containers that really run, ghosts included
        trace       JSON Lines: everything that happened, in order
        events      the events, as `kubectl get events -A` prints them
  podscope run FILE.yaml… --play solution|nothing|bypass:N [--seed N] [--until 5m]
      Plays a lesson without a reader: when each step showed, what became of each goal, prediction, keep
      and mistake. Status 0: the solution reaches everything, anything else no final goal. Bypasses count
      from 1 in the file's order, `wrong` after them; bypass:0 is `wrong`.
  podscope check FILE.yaml…
      Reads and admits the files without running them; prints every problem, and advice.
  podscope explain --cases FILE.jsonl[.gz] [--check]
      One scheduling decision a line, in the form of its `expect`; --check compares and counts.
  podscope explain --cluster FILE.yaml --pod NS/NAME [-o text|json]
      Decides the pod on the objects of the file and says why: every node, every score, preemption.
  podscope search [FILE.yaml…] --seeds N [--from SEED] [--invariant NAME] [--history SWITCH]…
      One run a seed: with files, faults as their spec.search says; without, a cluster, workloads,
      commands and faults are all drawn, and only bugs of the engine count unless an invariant is named.
      Prints the shortest run that breaks an invariant as a scenario, with its link in the last line;
      what broke how often goes to stderr. Seeds count from --from, else the scenario's, else 0.
      --history turns a switch on in drawn runs, to see the checks find what it breaks.
  podscope link encode FILE.yaml… [--seed N]
      Prints the fragment of a share link that opens the files.
  podscope link decode URL
      Prints the scenario that a link holds, its commands in the timeline.
  podscope shell [FILE.yaml…] [--json]
      The console: a prompt, or lines of a pipe, answered as kubectl prints. `wait 30s` and `until 2m` move
      time. With --json one JSON object a line, {\"run\": CMD, \"stdin\": TEXT?, \"wait\": SECONDS?} or
      {\"advance\": SECONDS}, answered with {\"t\": SECONDS, \"lines\": [[is_error, text]…], \"refused\": TEXT|null}.
  podscope bench basic|softspread|spread|anti|affinity|preempt [--nodes 5000] [--pods 5000] [--decisions 1000]
                 [--templates 1] [--deletions]
      Measures scheduling decisions; `podscope bench invariants [--nodes 100] [--pods 1000]` measures what
      the invariants cost of twenty simulated minutes. --templates and --deletions vary the pods so that nothing can be reused.

Errors go to stderr as FILE:LINE:COL: field.path: message; stdout holds only what was asked for.
Exit status: 0 fine; 1 an expectation failed, or an invariant broke because of a bug of the engine;
2 bad input or usage, or an output that cannot be written; 130 interrupted by Ctrl-C, with what there was by then.
";

fn main() -> ExitCode {
    interrupt::listen();
    let mut parser = lexopt::Parser::from_env();
    let command = match parser.next() {
        Ok(Some(lexopt::Arg::Value(value))) => value.to_string_lossy().into_owned(),
        Ok(Some(lexopt::Arg::Long("help") | lexopt::Arg::Short('h'))) => {
            args::out(HELP);
            return ExitCode::SUCCESS;
        }
        Ok(Some(lexopt::Arg::Long("version") | lexopt::Arg::Short('V'))) => {
            args::out(concat!("podscope ", env!("CARGO_PKG_VERSION"), "\n"));
            return ExitCode::SUCCESS;
        }
        Ok(Some(other)) => return args::usage(other.unexpected()),
        Ok(None) => return args::usage("a command is missing"),
        Err(error) => return args::usage(error),
    };
    let done = match command.as_str() {
        "run" => run::run(parser),
        "check" => run::check(parser),
        "bench" => bench::run(parser),
        "link" => link::link(parser),
        "search" => search::run(parser),
        "shell" => shell::run(parser),
        "explain" => explain(parser),
        "help" => {
            args::out(HELP);
            Ok(ExitCode::SUCCESS)
        }
        other => Err(format!("there is no command {other:?}").into()),
    };
    done.unwrap_or_else(args::usage)
}

fn explain(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let (mut cases, mut check) = (None, false);
    let (mut cluster, mut pod, mut json) = (None, None, false);
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Long("cases") => cases = Some(parser.value()?.to_string_lossy().into_owned()),
            lexopt::Arg::Long("check") => check = true,
            lexopt::Arg::Long("cluster") => cluster = Some(parser.value()?.to_string_lossy().into_owned()),
            lexopt::Arg::Long("pod") => pod = Some(parser.value()?.to_string_lossy().into_owned()),
            lexopt::Arg::Short('o') => match &*parser.value()?.to_string_lossy() {
                "text" => json = false,
                "json" => json = true,
                other => return Err(format!("-o is text or json, not {other:?}").into()),
            },
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::help(HELP)),
            other => return Err(other.unexpected()),
        }
    }
    match (cases, cluster, pod) {
        (Some(file), None, None) => Ok(explain_cases::run(&file, check)),
        (None, Some(file), Some(pod)) => Ok(explain::run(&file, &pod, json)),
        _ => Err("explain needs --cases FILE, or --cluster FILE and --pod NS/NAME".into()),
    }
}
