//! Cost of a scheduling decision: native time (`cargo xtask bench decisions`), time in Chromium
//! (`cargo xtask bench chromium`), and number of instructions (`cargo xtask test instructions`), which does not depend
//! on the load of the machine.

use crate::host;
use crate::run::{Counts, Fallible, Run};
use crate::steps;
use crate::tools::{Tool, ToolPaths};
use std::path::{Path, PathBuf};

/// A workload of `podscope bench`, with the costs to which measurements are compared.
struct Workload {
    name: &'static str,
    /// Time of kube-scheduler v1.34.1 per decision, in microseconds (5 000 nodes, 5 000 pods, 2 cores).
    reference: f64,
    /// Instructions per decision with 500 nodes and 500 pods in a development build. In such a build, the scheduler
    /// shares generic code with its dependencies, which are not optimised; for example, `Range::contains` of `i64` in
    /// one of them cost 13 to 25 %. This can change the number although the scheduler has not changed.
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

/// Accepted deviation from the recorded number of instructions, in percent: toolchains differ slightly.
const TOLERANCE_PERCENT: u64 = 8;

/// Returns name, value and unit of each measurement: the five workloads and `preempt` at the size of the reference, the
/// workloads with 200 templates and deletions, and the workloads with other numbers of nodes and pods, to see how the
/// cost grows.
pub(crate) fn measure_decisions() -> Fallible<Vec<(String, f64, String)>> {
    Run::cargo()
        .args(["build", "--quiet", "--profile", "native", "--package", "podscope"])
        .status()?;
    let podscope = host::target().join("native").join("podscope");
    let mut rows = Vec::new();
    let mut measure = |name: String, limit: Option<f64>, args: &[&str]| -> Fallible {
        let value = microseconds_per_decision(&podscope, args)?;
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

/// Returns the time of a decision about a pod with a claim of one device, and about one without claims in the same
/// cluster.
pub(crate) fn measure_device_decisions() -> Fallible<Vec<(String, f64, String)>> {
    Run::cargo()
        .args(["build", "--quiet", "--profile", "native", "--package", "podscope"])
        .status()?;
    let podscope = host::target().join("native").join("podscope");
    let mut rows = Vec::new();
    for (workload, unit) in [("dra", "us of 2000"), ("basic", "us")] {
        let args = [workload, "--nodes", "1000", "--pods", "1000"];
        let value = microseconds_per_decision(&podscope, &args)?;
        rows.push((format!("{workload}, 1000 nodes of 8 devices"), value, unit.to_owned()));
    }
    Ok(rows)
}

/// Tools that [`chromium_run`] needs.
pub(crate) const CHROMIUM_TOOLS: &[Tool] = &[
    Tool::Toolchain,
    Tool::WasmBindgen,
    Tool::WasmOpt,
    Tool::Node,
    Tool::Playwright,
    Tool::Browser,
];

/// Builds `podscope-js` with these features like the engine of the site, except for the settings in `config` (cargo's
/// `--config`). Returns the directory with the module; `wasm-opt` has not been applied.
pub(crate) fn build_for_browsers(paths: &ToolPaths, features: &str, config: &[&str]) -> Fallible<PathBuf> {
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

/// File name of the module in the directory that [`build_for_browsers`] returns.
pub(crate) const ENGINE_WASM_FILE: &str = "podscope_js_bg.wasm";

/// Returns a run of `tests/e2e/decisions.mjs`, which measures decisions in headless Chromium with the engine built as
/// for the site. The limit is a tenth of kube-scheduler's time.
pub(crate) fn chromium_run(paths: &ToolPaths) -> Fallible<Run> {
    let out = build_for_browsers(paths, "bench", &[])?;
    let wasm = out.join(ENGINE_WASM_FILE);
    Run::new("wasm-opt")
        .args(["-O2", "-o"])
        .args([&wasm, &wasm])
        .tools(paths)
        .status()?;
    let limit = |workload: &Workload| format!("{}={:.0}", workload.name, workload.reference / 10.0);
    Ok(run_of_decision_timing(paths, &out)
        .args(WORKLOADS.iter().map(limit))
        .args(["preempt"]))
}

/// Returns a run of the script that measures decisions; its arguments are the names of workloads.
pub(crate) fn run_of_decision_timing(paths: &ToolPaths, directory: &Path) -> Run {
    let run = Run::new("node").args(["tests/e2e/decisions.mjs"]);
    run.env("PODSCOPE_BENCH", directory).tools(paths)
}

/// Returns the microseconds per decision that `podscope bench` prints.
fn microseconds_per_decision(podscope: &Path, args: &[&str]) -> Fallible<f64> {
    let text = Run::new(podscope).args(["bench"]).args(args).output()?;
    let value = text
        .trim()
        .strip_suffix(" us/decision")
        .and_then(|rest| rest.rsplit(' ').next());
    value
        .and_then(|value| value.parse().ok())
        .ok_or_else(|| format!("`podscope bench` printed {text:?}"))
}

/// Counts the instructions per decision of each workload with callgrind, if valgrind is installed.
pub(crate) fn count_instructions() -> (Fallible, Counts) {
    let mut counts = Counts::default();
    if host::which("valgrind").is_none() {
        println!("skipped: valgrind is not on PATH (apt-get install valgrind)");
        return (Ok(()), counts);
    }
    let podscope = match steps::build_program("", "podscope") {
        Ok(program) => program,
        Err(message) => return (Err(message), counts),
    };
    let mut changed = Vec::new();
    for workload in &WORKLOADS {
        match instructions_per_decision(&podscope, workload.name) {
            Ok(found) => {
                let tolerance = workload.instructions * TOLERANCE_PERCENT / 100;
                let is_expected = found.abs_diff(workload.instructions) <= tolerance;
                println!(
                    "{:<12} {found:>9} instructions per decision; {} ± {TOLERANCE_PERCENT} % expected",
                    workload.name, workload.instructions
                );
                counts.add(Counts {
                    passed: u64::from(is_expected),
                    failed: u64::from(!is_expected),
                    ..Counts::default()
                });
                if !is_expected {
                    changed.push(workload.name);
                }
            }
            Err(message) => return (Err(message), counts),
        }
    }
    let result = match changed.as_slice() {
        [] => Ok(()),
        names => Err(format!(
            "the cost of a decision has changed: {} (crates/xtask/src/decisions.rs)",
            names.join(", ")
        )),
    };
    (result, counts)
}

/// Returns the instructions per decision, from the difference of two runs of different length, because setting up the
/// cluster takes more instructions than the decisions.
fn instructions_per_decision(podscope: &Path, workload: &str) -> Fallible<u64> {
    // A run makes 10 % more decisions than requested, to warm up, so the two runs differ by 110 decisions.
    let short = total_instructions(podscope, workload, "100")?;
    let long = total_instructions(podscope, workload, "200")?;
    Ok(long.saturating_sub(short) / 110)
}

/// Returns the instructions that callgrind counts for a run with this number of decisions.
fn total_instructions(podscope: &Path, workload: &str, decisions: &str) -> Fallible<u64> {
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
