//! Podscope beside a real control plane: the recorded answers of `tests/conformance/live`, asked again of a simulated
//! cluster through the shell, in-process, and compared after [`normalise`].

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

pub use corpora::{api, defaults, kubectl, watches};
pub use excused::excused;
pub use stories::{Stories, stories};

/// What was compared of one case.
#[derive(Debug, Clone)]
pub struct Compared {
    /// The case, unique within its corpus.
    pub name: String,
    /// Where ours is not what was recorded: what, the recorded, ours. Empty where they agree.
    pub differences: Vec<(&'static str, String, String)>,
}

impl Compared {
    fn new(name: String, pairs: impl IntoIterator<Item = (&'static str, String, String)>) -> Self {
        let mut differences: Vec<_> = pairs.into_iter().collect();
        differences.retain(|(_, recorded, ours)| recorded != ours);
        Self { name, differences }
    }
}

/// A file of the recorded answers.
fn path(name: &str) -> PathBuf {
    crate::root().join("tests/conformance/live").join(name)
}

/// The lines of a corpus.
fn lines_of<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let file = File::open(path(name)).expect("the corpus is there");
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .expect("gzip of UTF-8");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a case"))
        .collect()
}

/// The cluster that every case begins with.
fn cluster() -> Session {
    let text = std::fs::read_to_string(path("scenario.yaml")).expect("the scenario is there");
    let loaded = scenario::load(&[("scenario.yaml".into(), text)]).expect("it reads well");
    Session::new(loaded).expect("it is admitted")
}

fn seconds(seconds: f64) -> Span {
    Span((seconds.max(0.0) * 1e6).round() as i64)
}

/// What an answer printed to stdout and to stderr.
fn printed(answer: &Answer) -> (String, String) {
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

/// Runs each case on a shell of its own, on two threads; the answers are in the order of the cases.
fn each<T: Sync, R: Send>(cases: &[T], run: impl Fn(&T, Shell) -> R + Sync) -> Vec<R> {
    let start = cluster();
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

/// Gives cases of the same name a number.
fn numbered(mut cases: Vec<Compared>) -> Vec<Compared> {
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

/// Holds a corpus to what agreed before: `tests/conformance/live/differing/CORPUS.txt` lists the cases that differ, and
/// `cargo xtask bless` writes it. `PODSCOPE_SHOW=TEXT` prints the differences of the cases whose name has the text.
///
/// # Panics
/// A case differs that is neither in that list nor excused, or an excused one agrees.
pub fn hold(corpus: &str, cases: &[Compared]) {
    let differing: Vec<&Compared> = cases.iter().filter(|case| !case.differences.is_empty()).collect();
    let agree = cases.len() - differing.len();
    println!("{corpus}: {} cases, {agree} agree", cases.len());
    // Only tests look at the environment: the engine never does.
    if let Ok(wanted) = std::env::var("PODSCOPE_SHOW") {
        for case in differing.iter().filter(|case| case.name.contains(&wanted)) {
            println!("{}", difference(case));
        }
    }
    let excused = excused(corpus);
    for name in &excused {
        let is_needed = differing.iter().any(|case| case.name == *name);
        assert!(is_needed, "{corpus}: {name:?} is excused, and agrees or is no case");
    }
    let names: Vec<&str> = differing
        .iter()
        .map(|case| case.name.as_str())
        .filter(|name| !excused.contains(name))
        .collect();
    let list = path("differing").join(format!("{corpus}.txt"));
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
    let worse: Vec<&&Compared> = differing
        .iter()
        .filter(|case| !known.contains(&case.name) && !excused.contains(&case.name.as_str()))
        .collect();
    if let Some(first) = worse.first() {
        let names: Vec<&str> = worse.iter().map(|case| case.name.as_str()).collect();
        panic!(
            "{corpus}: {} agreed before: {names:#?}\n{}",
            worse.len(),
            difference(first)
        );
    }
    if names.len() < known.len() {
        println!(
            "{corpus}: {} more agree than are listed: cargo xtask bless",
            known.len() - names.len()
        );
    }
}

fn difference(case: &Compared) -> String {
    let mut out = format!("### {} (- recorded, + podscope)\n", case.name);
    for (what, recorded, ours) in &case.differences {
        let _ = writeln!(out, "  {what}");
        let (recorded, ours): (Vec<&str>, Vec<&str>) = (recorded.lines().collect(), ours.lines().collect());
        let front = recorded.iter().zip(&ours).take_while(|(a, b)| a == b).count();
        let rest = recorded[front..].iter().rev().zip(ours[front..].iter().rev());
        let back = rest.take_while(|(a, b)| a == b).count();
        for line in &recorded[front..recorded.len() - back] {
            let _ = writeln!(out, "    -{line}");
        }
        for line in &ours[front..ours.len() - back] {
            let _ = writeln!(out, "    +{line}");
        }
    }
    out
}
