//! Compares Podscope with a real control plane: `tests/conformance/live` holds commands and their recorded answers.
//! Each command is run again in-process by the shell of a simulated cluster; both answers are normalised
//! ([`normalise`]) and compared.

mod corpora;
mod excused;
pub mod normalise;
mod stories;

use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use podscope_cluster::Span;
use podscope_session::scenario;
use podscope_session::shell::{Answer, Shell};
use podscope_session::timeline::Session;
use serde::de::DeserializeOwned;

pub use corpora::{compare_api_cases, compare_defaults_cases, compare_kubectl_cases, compare_watch_cases};
pub use excused::excused_names;
pub use stories::{StoryComparisons, compare_stories};

/// Result of comparing one case.
#[derive(Debug, Clone)]
pub struct CaseComparison {
    /// Name of the case, unique within its corpus.
    pub name: String,
    /// One entry for each part that differs: name of the part, recorded text, text of Podscope.
    pub differences: Vec<(&'static str, String, String)>,
}

impl CaseComparison {
    /// Keeps the parts whose recorded text (second) differs from Podscope's text (third).
    fn new(name: String, parts: impl IntoIterator<Item = (&'static str, String, String)>) -> Self {
        let mut differences: Vec<_> = parts.into_iter().collect();
        differences.retain(|(_, recorded, ours)| recorded != ours);
        Self { name, differences }
    }
}

/// Path of a file in `tests/conformance/live`.
fn live_file(name: &str) -> PathBuf {
    crate::root().join("tests/conformance/live").join(name)
}

/// Reads the cases of a corpus: gzipped JSON Lines.
fn read_corpus<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let file = File::open(live_file(name)).expect("the corpus exists");
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .expect("gzip of UTF-8");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a case"))
        .collect()
}

/// Creates the simulated cluster with which every case starts.
fn new_cluster() -> Session {
    let text = std::fs::read_to_string(live_file("scenario.yaml")).expect("the scenario exists");
    let loaded = scenario::load(&[("scenario.yaml".into(), text)]).expect("the scenario loads");
    Session::new(loaded).expect("the objects of the scenario are admitted")
}

fn span_of_seconds(seconds: f64) -> Span {
    Span((seconds.max(0.0) * 1e6).round() as i64)
}

/// Returns what an answer printed to stdout and to stderr.
fn stdout_and_stderr(answer: &Answer) -> (String, String) {
    let (mut out, mut err) = (String::new(), String::new());
    for (kind, line) in &answer.lines {
        let to = if kind.is_stderr() { &mut err } else { &mut out };
        to.push_str(line);
        to.push('\n');
    }
    if let Some(refused) = &answer.refused {
        err.push_str(refused);
        err.push('\n');
    }
    (out, err)
}

/// Runs each case in its own shell, on two threads; the results are in the order of the cases.
fn run_cases<T: Sync, R: Send>(cases: &[T], run: impl Fn(&T, Shell) -> R + Sync) -> Vec<R> {
    let start = new_cluster();
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let start = start.clone();
            scope.spawn(|| {
                let start = start;
                while let Some((at, case)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    cases.get(at).map(|case| (at, case))
                } {
                    let result = run(case, Shell::new(start.clone()));
                    done.lock().expect("no thread panicked").push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no thread panicked");
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Appends `(#2)`, `(#3)` … to names that occurred before.
fn number_duplicates(mut cases: Vec<CaseComparison>) -> Vec<CaseComparison> {
    let mut seen = podscope_api::ordered::Map::new();
    for case in &mut cases {
        let times = seen.entry(case.name.clone()).or_insert(0);
        *times += 1;
        if *times > 1 {
            let _ = write!(case.name, " (#{times})");
        }
    }
    cases
}

/// Checks that no case differs that agreed before. `tests/conformance/live/differing/CORPUS.txt` lists the cases that
/// are known to differ; `cargo xtask bless` writes the list. `PODSCOPE_SHOW=TEXT` prints the differences of each case
/// whose name contains the text.
///
/// # Panics
/// If a case differs that is neither listed nor excused, or if an excused case agrees.
pub fn check_against_known_differences(corpus: &str, cases: &[CaseComparison]) {
    let differing: Vec<&CaseComparison> = cases.iter().filter(|case| !case.differences.is_empty()).collect();
    let agreeing = cases.len() - differing.len();
    println!("{corpus}: {} cases, {agreeing} agree", cases.len());
    // Only tests read environment variables; the engine never does.
    if let Ok(filter) = std::env::var("PODSCOPE_SHOW") {
        for case in differing.iter().filter(|case| case.name.contains(&filter)) {
            println!("{}", format_differences(case));
        }
    }
    let excused = excused_names(corpus);
    for name in &excused {
        let is_needed = differing.iter().any(|case| case.name == *name);
        assert!(
            is_needed,
            "{corpus}: {name:?} is excused, but it agrees or does not exist"
        );
    }
    let names: Vec<&str> = differing
        .iter()
        .map(|case| case.name.as_str())
        .filter(|name| !excused.contains(name))
        .collect();
    let list = live_file("differing").join(format!("{corpus}.txt"));
    let text: String = names
        .iter()
        .map(|name| format!("{}\n", serde_json::Value::from(*name)))
        .collect();
    if std::env::var_os("PODSCOPE_BLESS").is_some() {
        std::fs::write(&list, text).expect("the list can be written");
        return;
    }
    let known = std::fs::read_to_string(&list).unwrap_or_default();
    let known: Vec<String> = known
        .lines()
        .map(|line| serde_json::from_str(line).expect("a name"))
        .collect();
    let newly_differing: Vec<&&CaseComparison> = differing
        .iter()
        .filter(|case| !known.contains(&case.name) && !excused.contains(&case.name.as_str()))
        .collect();
    if let Some(first) = newly_differing.first() {
        let names: Vec<&str> = newly_differing.iter().map(|case| case.name.as_str()).collect();
        panic!(
            "{corpus}: {} cases differ that agreed before: {names:#?}\n{}",
            newly_differing.len(),
            format_differences(first)
        );
    }
    if names.len() < known.len() {
        println!(
            "{corpus}: {} listed cases agree now; run `cargo xtask bless`",
            known.len() - names.len()
        );
    }
}

fn format_differences(case: &CaseComparison) -> String {
    let mut out = format!("### {} (- recorded, + podscope)\n", case.name);
    for (what, recorded, ours) in &case.differences {
        let _ = writeln!(out, "  {what}");
        let (recorded, ours): (Vec<&str>, Vec<&str>) = (recorded.lines().collect(), ours.lines().collect());
        let equal_at_start = recorded.iter().zip(&ours).take_while(|(a, b)| a == b).count();
        let rest = recorded[equal_at_start..]
            .iter()
            .rev()
            .zip(ours[equal_at_start..].iter().rev());
        let equal_at_end = rest.take_while(|(a, b)| a == b).count();
        for line in &recorded[equal_at_start..recorded.len() - equal_at_end] {
            let _ = writeln!(out, "    -{line}");
        }
        for line in &ours[equal_at_start..ours.len() - equal_at_end] {
            let _ = writeln!(out, "    +{line}");
        }
    }
    out
}
