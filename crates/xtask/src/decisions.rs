//! What a scheduling decision costs: time natively (`cargo xtask bench decisions`) and in Chromium
//! (`cargo xtask bench chromium`), and instructions, which are the same on a busy machine
//! (`cargo xtask test instructions`).

use crate::host;
use crate::run::{Counts, Fallible, Run};
use crate::steps;
use crate::tools::{Paths, Tool};
use std::path::{Path, PathBuf};

/// A workload of `podscope bench`.
struct Workload {
    name: &'static str,
    /// Microseconds kube-scheduler v1.34.1 takes for a decision (5 000 nodes, 5 000 pods, 2 cores).
    reference: f64,
    /// Instructions a decision takes with 500 nodes and 500 pods in a development build. Crates below the scheduler are
    /// not optimised there, and lend it the generic code that they happen to use (`Range::contains` of `i64` in one of
    /// them cost 13 to 25 %): a jump without a change of the scheduler is looked for there.
    instructions: u64,
}

const WORKLOADS: [Workload; 5] = [
    Workload {
        name: "basic",
        reference: 1040.0,
        instructions: 306_922,
    },
    Workload {
        name: "softspread",
        reference: 2070.0,
        instructions: 551_467,
    },
    Workload {
        name: "spread",
        reference: 2710.0,
        instructions: 376_747,
    },
    Workload {
        name: "anti",
        reference: 10_300.0,
        instructions: 377_376,
    },
    Workload {
        name: "affinity",
        reference: 7300.0,
        instructions: 431_376,
    },
];

/// How much a count may differ from the one that is written down, in percent: toolchains differ a little.
const TOLERANCE: u64 = 8;

/// Name, value and unit of each measurement: the five workloads and `preempt` at the reference's size, the same
/// with 200 templates and deletions, and how a decision's cost grows with nodes and with pods.
pub(crate) fn times() -> Fallible<Vec<(String, f64, String)>> {
    Run::cargo()
        .args(["build", "--quiet", "--profile", "native", "--package", "podscope"])
        .status()?;
    let podscope = host::target().join("native").join("podscope");
    let mut rows = Vec::new();
    let mut measure = |name: String, limit: Option<f64>, args: &[&str]| -> Fallible {
        let value = decision(&podscope, args)?;
        let unit = limit.map_or_else(|| "us".to_owned(), |limit| format!("us of {limit:.0}"));
        rows.push((name, value, unit));
        Ok(())
    };
    for workload in &WORKLOADS {
        let limit = Some(workload.reference / 20.0);
        measure(workload.name.to_owned(), limit, &[workload.name])?;
        let args = [workload.name, "--templates", "200", "--deletions"];
        measure(format!("{}, 200 templates, deletions", workload.name), limit, &args)?;
    }
    measure("preempt".to_owned(), Some(20_000.0), &["preempt", "--decisions", "50"])?;
    for workload in &WORKLOADS {
        for (nodes, pods) in [
            ("100", "100"),
            ("100", "1000"),
            ("1000", "1000"),
            ("1000", "10000"),
            ("5000", "50000"),
            ("15000", "15000"),
            ("15000", "150000"),
        ] {
            let args = [workload.name, "--nodes", nodes, "--pods", pods, "--decisions", "500"];
            measure(format!("{}, {nodes} nodes, {pods} pods", workload.name), None, &args)?;
        }
    }
    Ok(rows)
}

/// What [`in_chromium`] takes.
pub(crate) const BROWSER: &[Tool] = &[
    Tool::Toolchain,
    Tool::WasmBindgen,
    Tool::WasmOpt,
    Tool::Node,
    Tool::Playwright,
    Tool::Browser,
];

/// Builds `podscope-js` with these features as the site's engine is built, but for what `config` (cargo's
/// `--config`) says; the directory that has the module, before `wasm-opt`.
pub(crate) fn built_for_browsers(paths: &Paths, features: &str, config: &[&str]) -> Fallible<PathBuf> {
    Run::cargo()
        .args(["build", "--release", "--target", "wasm32-unknown-unknown"])
        .args([
            "--package",
            "podscope-js",
            "--no-default-features",
            "--features",
            features,
        ])
        .args(config.iter().flat_map(|entry| ["--config", entry]))
        .status()?;
    let built = host::target().join("wasm32-unknown-unknown/release/podscope_js.wasm");
    let out = host::target().join("bench-wasm");
    Run::new("wasm-bindgen")
        .args(["--target", "web", "--no-typescript", "--out-dir"])
        .args([&out, &built])
        .tools(paths)
        .status()?;
    Ok(out)
}

/// The module's name in that directory.
pub(crate) const WASM: &str = "podscope_js_bg.wasm";

/// Has `tests/e2e/decisions.mjs` time decisions in headless Chromium, built as the site's engine. The limit is a
/// tenth of kube-scheduler's time.
pub(crate) fn in_chromium(paths: &Paths) -> Fallible<Run> {
    let out = built_for_browsers(paths, "bench", &[])?;
    let wasm = out.join(WASM);
    Run::new("wasm-opt")
        .args(["-O2", "-o"])
        .args([&wasm, &wasm])
        .tools(paths)
        .status()?;
    let limit = |workload: &Workload| format!("{}={:.0}", workload.name, workload.reference / 10.0);
    Ok(timer(paths, &out).args(WORKLOADS.iter().map(limit)).args(["preempt"]))
}

/// The script that times them; its arguments are workloads.
pub(crate) fn timer(paths: &Paths, directory: &Path) -> Run {
    let run = Run::new("node").args(["tests/e2e/decisions.mjs"]);
    run.env("PODSCOPE_BENCH", directory).tools(paths)
}

/// Microseconds of one decision, as `podscope bench` prints them.
fn decision(podscope: &Path, args: &[&str]) -> Fallible<f64> {
    let text = Run::new(podscope).args(["bench"]).args(args).output()?;
    let value = text
        .trim()
        .strip_suffix(" us/decision")
        .and_then(|rest| rest.rsplit(' ').next());
    value
        .and_then(|value| value.parse().ok())
        .ok_or_else(|| format!("`podscope bench` printed {text:?}"))
}

/// Counts the instructions of a decision of each workload with callgrind, where valgrind is installed.
pub(crate) fn instructions() -> (Fallible, Counts) {
    let mut counts = Counts::default();
    if host::which("valgrind").is_none() {
        println!("skipped: valgrind is not on PATH (apt-get install valgrind)");
        return (Ok(()), counts);
    }
    let podscope = match steps::program("", "podscope") {
        Ok(program) => program,
        Err(message) => return (Err(message), counts),
    };
    let mut wrong = Vec::new();
    for workload in &WORKLOADS {
        match instructions_of(&podscope, workload.name) {
            Ok(found) => {
                let room = workload.instructions * TOLERANCE / 100;
                let fits = found.abs_diff(workload.instructions) <= room;
                println!(
                    "{:<12} {found:>9} instructions a decision; {} ± {TOLERANCE} % expected",
                    workload.name, workload.instructions
                );
                counts.add(Counts {
                    passed: u64::from(fits),
                    failed: u64::from(!fits),
                });
                if !fits {
                    wrong.push(workload.name);
                }
            }
            Err(message) => return (Err(message), counts),
        }
    }
    let done = match wrong.as_slice() {
        [] => Ok(()),
        names => Err(format!(
            "the cost of a decision has changed: {} (crates/xtask/src/decisions.rs)",
            names.join(", ")
        )),
    };
    (done, counts)
}

/// Setting the cluster up costs more than the decisions: what 110 of them add to a run is counted.
fn instructions_of(podscope: &Path, workload: &str) -> Fallible<u64> {
    // A run makes a tenth more decisions than asked for, to warm up.
    let short = collected(podscope, workload, "100")?;
    let long = collected(podscope, workload, "200")?;
    Ok(long.saturating_sub(short) / 110)
}

fn collected(podscope: &Path, workload: &str, decisions: &str) -> Fallible<u64> {
    let out: PathBuf = host::target().join("callgrind.out");
    let mut option = std::ffi::OsString::from("--callgrind-out-file=");
    option.push(&out);
    Run::new("valgrind")
        .args(["--tool=callgrind", "--quiet"])
        .args([option])
        .args([podscope])
        .args([
            "bench",
            workload,
            "--nodes",
            "500",
            "--pods",
            "500",
            "--decisions",
            decisions,
        ])
        .output()?;
    let text = std::fs::read_to_string(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let total = text.lines().find_map(|line| line.strip_prefix("summary: "));
    total
        .and_then(|total| total.trim().parse().ok())
        .ok_or_else(|| format!("{}: no summary", out.display()))
}
