//! `cargo xtask fuzz`: runs mutated inputs against all targets for some minutes, or one input again.
//!
//! `fuzz --minutes N [--inputs N] [--seed S] [--target NAME] [--log FILE]`, `fuzz TARGET FILE`: runs until the time is
//! up, or until N inputs were run. An input that panics, exceeds its target's budget of work, or takes longer than
//! [`MAX_INPUT_TIME`], is saved in `target/fuzz-findings/`, and the exit status is 1.
#![allow(clippy::disallowed_types)] // a measurement needs a clock; nothing simulated sees it

use std::fmt::Write;
use std::fs;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use podscope_tests::fuzz::{Cost, Depth, Fuzzer, TARGETS, Target, run_input, save_finding, target};

/// Maximum processor time of one input, in an optimised build.
const MAX_INPUT_TIME: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [name, file] if !name.starts_with("--") => run_file(name, file),
        args => match Options::parse(args) {
            Some(options) => run_fuzzers(&options),
            None => {
                eprintln!("fuzz --minutes N [--inputs N] [--seed S] [--target NAME] [--log FILE]\nfuzz TARGET FILE");
                ExitCode::from(2)
            }
        },
    }
}

#[derive(Debug)]
struct Options {
    minutes: f64,
    inputs: u64,
    seed: u64,
    only: Option<&'static Target>,
    log: Option<String>,
}

impl Options {
    fn parse(args: &[String]) -> Option<Self> {
        let mut options = Self {
            minutes: 1.0,
            inputs: u64::MAX,
            seed: 1,
            only: None,
            log: None,
        };
        for pair in args.chunks(2) {
            let [flag, value] = pair else { return None };
            match flag.as_str() {
                "--minutes" => options.minutes = value.parse().ok()?,
                "--inputs" => options.inputs = value.parse().ok()?,
                "--seed" => options.seed = value.parse().ok()?,
                "--target" => options.only = Some(target(value)?),
                "--log" => options.log = Some(value.clone()),
                _ => return None,
            }
        }
        Some(options)
    }
}

/// Runs the input in `file` against the target `name`; prints duration, cost and result.
fn run_file(name: &str, file: &str) -> ExitCode {
    let (Some(target), Ok(text)) = (target(name), fs::read_to_string(file)) else {
        eprintln!("no target {name} or no file {file}");
        return ExitCode::from(2);
    };
    let began = Instant::now();
    let (answer, cost) = run_input(target, &text, Depth::Whole);
    println!("{:.3} s, {cost:?}: {answer:?}", began.elapsed().as_secs_f64());
    ExitCode::from(u8::from(answer.is_err()))
}

/// Statistics of a target.
#[derive(Debug, Default)]
struct TargetStats {
    executions: u64,
    processor_time: Duration,
    slowest: Duration,
    slowest_text: String,
    /// Maximum work and memory that one input needed.
    max_cost: Cost,
    findings: u64,
}

fn run_fuzzers(options: &Options) -> ExitCode {
    let targets: Vec<&'static Target> = match options.only {
        Some(only) => vec![only],
        None => TARGETS.iter().collect(),
    };
    let mut runs: Vec<(Fuzzer, TargetStats)> = targets
        .iter()
        .map(|target| (Fuzzer::new(target, options.seed), TargetStats::default()))
        .collect();
    for (fuzzer, stats) in &mut runs {
        for text in fuzzer.corpus() {
            run_and_record_input(fuzzer, stats, &text);
        }
    }
    let current = Arc::new(Mutex::new((Instant::now(), "", String::new())));
    start_watchdog(&current);
    let began = Instant::now();
    let end = Duration::from_secs_f64(options.minutes * 60.0);
    let memory_after_corpus = memory_kib("VmRSS");
    let mut lines = String::new();
    let mut next_line = Duration::from_secs(300);
    let n_executions = |runs: &[(Fuzzer, TargetStats)]| runs.iter().map(|(_, stats)| stats.executions).sum::<u64>();
    while began.elapsed() < end && n_executions(&runs) < options.inputs {
        for (at, (fuzzer, stats)) in runs.iter_mut().enumerate() {
            let (turn, worked) = (Instant::now(), processor_time());
            let left = end
                .saturating_sub(began.elapsed())
                .min(Duration::from_secs(targets[at].turn));
            while turn.elapsed() < left {
                let text = fuzzer.next_input();
                if let Ok(mut current) = current.lock() {
                    *current = (Instant::now(), targets[at].name, text.clone());
                }
                run_and_record_input(fuzzer, stats, &text);
            }
            stats.processor_time += processor_time().saturating_sub(worked);
        }
        if began.elapsed() >= next_line {
            next_line += Duration::from_secs(300);
            let executions = n_executions(&runs);
            let line = format!(
                "{:>5.0} min  {executions:>9} executions  {:>5} MiB in use  {:>5} MiB at most\n",
                began.elapsed().as_secs_f64() / 60.0,
                memory_kib("VmRSS") / 1024,
                memory_kib("VmHWM") / 1024
            );
            eprint!("{line}");
            lines.push_str(&line);
        }
    }
    if let Ok(mut current) = current.lock() {
        current.1 = "";
    }
    let report = format_report(options, &targets, &runs, began.elapsed(), memory_after_corpus, &lines);
    print!("{report}");
    if let Some(path) = &options.log
        && let Err(error) = fs::write(path, &report)
    {
        eprintln!("{path}: {error}");
        return ExitCode::from(2);
    }
    ExitCode::from(u8::from(runs.iter().any(|(_, stats)| stats.findings > 0)))
}

fn run_and_record_input(fuzzer: &mut Fuzzer, stats: &mut TargetStats, text: &str) {
    let began = Instant::now();
    let answer = fuzzer.run_input(text);
    let mut took = began.elapsed();
    stats.executions += 1;
    if took > stats.slowest && answer.is_ok() {
        // The machine may have been busy: repeat the input and measure its processor time.
        let began = processor_time();
        let _ = run_input(fuzzer.target(), text, Depth::Whole);
        took = processor_time().saturating_sub(began);
    }
    if took > stats.slowest {
        stats.slowest = took;
        stats.slowest_text = text.to_owned();
        if took > Duration::from_millis(500) {
            save_finding(fuzzer.name(), "slow", text);
        }
    }
    let cost = answer.as_ref().copied().unwrap_or_default();
    stats.max_cost.work = stats.max_cost.work.max(cost.work);
    if cost.bytes > stats.max_cost.bytes {
        stats.max_cost.bytes = cost.bytes;
        if cost.bytes > 300 << 20 {
            save_finding(fuzzer.name(), "large", text);
        }
    }
    if let Err(panic) = answer {
        stats.findings += 1;
        eprintln!(
            "{}: {panic}: {}",
            fuzzer.name(),
            save_finding(fuzzer.name(), "broken", text)
        );
    } else if took > MAX_INPUT_TIME {
        stats.findings += 1;
        eprintln!(
            "{}: {took:?}: {}",
            fuzzer.name(),
            save_finding(fuzzer.name(), "hang", text)
        );
    }
}

/// Starts a thread that ends the process if an input takes too long. `current` holds the start, the target's name and
/// the text of the running input; an empty name means that no input runs.
fn start_watchdog(current: &Arc<Mutex<(Instant, &'static str, String)>>) {
    let current = current.clone();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(5));
            if let Ok(current) = current.lock()
                && !current.1.is_empty()
                && current.0.elapsed() > 15 * MAX_INPUT_TIME
            {
                eprintln!("{}: hangs: {}", current.1, save_finding(current.1, "hang", &current.2));
                std::process::exit(1);
            }
        }
    });
}

/// Processor time of this thread, which other processes do not affect.
fn processor_time() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split_whitespace().next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

/// A memory value of this process in KiB; 0 if the system does not provide it.
fn memory_kib(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.trim_start_matches(':').split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

fn format_report(
    options: &Options,
    targets: &[&'static Target],
    runs: &[(Fuzzer, TargetStats)],
    took: Duration,
    memory_after_corpus: u64,
    lines: &str,
) -> String {
    let mut report = format!(
        "cargo xtask fuzz --minutes {} --inputs {} --seed {}\n{} inputs in {:.1} minutes, one process\n\n",
        options.minutes,
        options.inputs,
        options.seed,
        runs.iter().map(|(_, stats)| stats.executions).sum::<u64>(),
        took.as_secs_f64() / 60.0
    );
    let _ = writeln!(
        report,
        "{:<12} {:>11} {:>9} {:>8} {:>11} {:>10} {:>11} {:>9} {:>9}",
        "target", "executions", "a second", "answers", "slowest ms", "most work", "budget", "most MiB", "findings"
    );
    for (target, (fuzzer, stats)) in targets.iter().zip(runs) {
        let _ = writeln!(
            report,
            "{:<12} {:>11} {:>9.0} {:>8} {:>11.0} {:>10} {:>11} {:>9.1} {:>9}",
            target.name,
            stats.executions,
            stats.executions as f64 / stats.processor_time.as_secs_f64().max(0.001),
            fuzzer.n_answer_kinds(),
            stats.slowest.as_secs_f64() * 1000.0,
            stats.max_cost.work,
            target.budget,
            stats.max_cost.bytes as f64 / f64::from(1 << 20),
            stats.findings
        );
    }
    let _ = writeln!(
        report,
        "\nmemory: {} MiB in use after the corpus, {} MiB at the end, {} MiB at most\n{lines}",
        memory_after_corpus / 1024,
        memory_kib("VmRSS") / 1024,
        memory_kib("VmHWM") / 1024
    );
    for (target, (_, stats)) in targets.iter().zip(runs) {
        let text: String = stats.slowest_text.chars().take(300).collect();
        let _ = writeln!(
            report,
            "slowest of {}: {} bytes, {text:?}",
            target.name,
            stats.slowest_text.len()
        );
    }
    report
}
