//! `cargo xtask test`: runs a list of named, timed steps. A failed step does not stop the others, and a summary is
//! printed at the end.

use crate::background::BackgroundSteps;
use crate::run::{Counts, Fallible, Run};
use crate::tools::{self, Tool, ToolPaths};
use crate::{changed, decisions, golden, host, package, site, size, spec, stories};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// One step of the test suite.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    tools: &'static [Tool],
    /// Name of the step that must pass before this one, and that is selected together with it.
    after: Option<&'static str>,
    /// The step has no tests and keeps only one core busy most of the time, so it may run beside the steps before it.
    is_background: bool,
    run: fn(&ToolPaths) -> (Fallible, Counts),
}

/// Crates of the page and the npm package, which are built only for wasm.
pub(crate) const BROWSER_CRATES: [&str; 2] = ["podscope-web", "podscope-js"];

/// Feature that enables the page's tests that run in a browser.
pub(crate) const IN_BROWSER_FEATURE: [&str; 2] = ["--features", "podscope-web/in-browser"];

/// All steps, in the order of execution. The steps in the background are started at the beginning, and waited for where
/// they stand.
pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        about: "rustfmt changes nothing",
        tools: &[Tool::Toolchain],
        after: None,
        is_background: false,
        run: |_| run_without_counts(Run::cargo().args(["fmt", "--all", "--check"])),
    },
    Step {
        name: "clippy",
        about: "no warnings in the native crates and tests",
        tools: &[Tool::Toolchain],
        after: None,
        is_background: false,
        run: |_| {
            let all = native_cargo("clippy").args(["--keep-going", "--all-targets", "--", "-D", "warnings"]);
            // `cargo install` builds the command line with the features that it asks for itself, not with those of the
            // whole workspace.
            let alone = Run::cargo().args(["check", "--package", "podscope"]);
            (all.status().and_then(|()| alone.status()), Counts::default())
        },
    },
    Step {
        name: "clippy-wasm",
        about: "no warnings in the browser's crates",
        tools: &[Tool::Toolchain],
        after: None,
        is_background: false,
        run: |_| {
            let run = Run::cargo().args(["clippy", "--target", "wasm32-unknown-unknown"]);
            let run = run.args(browser_selection());
            run_without_counts(run.args(["--keep-going", "--all-targets", "--", "-D", "warnings"]))
        },
    },
    Step {
        name: "native",
        about: "unit, conformance, golden and architecture tests, natively",
        tools: &[Tool::Toolchain],
        after: None,
        is_background: false,
        run: |_| tested_cargo("test").args(["--no-fail-fast"]).count_tests(),
    },
    Step {
        name: "conformance",
        about: "the command line's decisions equal kube-scheduler's on both corpora",
        tools: &[Tool::Toolchain],
        after: None,
        is_background: false,
        run: run_conformance,
    },
    Step {
        name: "kubectl",
        about: "the official kubectl works with the server of `podscope serve`",
        tools: &[Tool::Toolchain, Tool::Kubectl],
        after: None,
        is_background: false,
        run: |paths| integration_tests("kubectl::").tools(paths).count_tests(),
    },
    Step {
        name: "clients",
        about: "helm, a kopf operator and the Python and Node clients work with the server of `podscope serve`",
        tools: &[Tool::Toolchain, Tool::Node, Tool::Clients],
        after: None,
        is_background: false,
        run: |paths| integration_tests("clients::").tools(paths).count_tests(),
    },
    Step {
        name: "instructions",
        about: "instructions per scheduling decision, counted by callgrind",
        tools: &[Tool::Toolchain],
        after: None,
        is_background: false,
        run: |_| decisions::count_instructions(),
    },
    Step {
        name: "wasm",
        about: "wasm-pack tests in headless Chromium, including equality with native traces",
        tools: &[Tool::Toolchain, Tool::WasmBindgen, Tool::WasmPack, Tool::Browser],
        after: None,
        is_background: false,
        run: run_browser_tests,
    },
    Step {
        name: "docs",
        about: "rustdoc builds without warnings",
        tools: &[Tool::Toolchain],
        after: None,
        is_background: false,
        run: |_| {
            run_without_counts(
                native_cargo("doc")
                    .args(["--no-deps"])
                    .env("RUSTDOCFLAGS", "-D warnings"),
            )
        },
    },
    Step {
        name: "deny",
        about: "licences, banned packages and sources of all dependencies; notices are current",
        tools: &[Tool::Deny],
        after: None,
        is_background: false,
        run: |paths| {
            let deny = Run::new("cargo-deny").args(["--workspace", "--all-features", "check"]);
            let deny = deny.args(["--hide-inclusion-graph", "licenses", "bans", "sources"]);
            (
                deny.tools(paths).status().and_then(|()| golden::check_notices()),
                Counts::default(),
            )
        },
    },
    Step {
        name: "spec",
        about: "rows of the specification and facts with their tests; unknown IDs are errors",
        tools: &[],
        after: None,
        is_background: false,
        run: |_| (spec::report(&["--missing".to_string()]), Counts::default()),
    },
    Step {
        name: "site",
        about: "the release site builds",
        tools: tools::SITE_TOOLS,
        after: None,
        is_background: true,
        run: |paths| (site::build_with(paths), Counts::default()),
    },
    Step {
        name: "serve",
        about: "the development server serves the page with live reload",
        tools: tools::SITE_TOOLS,
        after: None,
        is_background: false,
        run: |paths| (site::check_serve(paths), Counts::default()),
    },
    Step {
        name: "size",
        about: "a first visit and the engine stay within their budgets",
        tools: &[Tool::Node],
        after: Some("site"),
        is_background: false,
        run: |_| (size::report(), Counts::default()),
    },
    Step {
        name: "npm",
        about: "the npm package builds",
        tools: package::TOOLS,
        after: None,
        is_background: true,
        run: |paths| (package::build_with(paths).map(|_| ()), Counts::default()),
    },
    Step {
        name: "package",
        about: "the npm package, installed: Node, Chromium, TypeScript (P-06)",
        tools: &[Tool::Node, Tool::Playwright, Tool::TypeScript, Tool::Browser],
        after: Some("npm"),
        is_background: false,
        run: |paths| match package::built_tarball() {
            Ok(tarball) => Run::new("node")
                .args(["tests/package/run.mjs"])
                .args([tarball])
                .tools(paths)
                .count_tests(),
            Err(message) => (Err(message), Counts::default()),
        },
    },
    Step {
        name: "e2e",
        about: "stories on the release site in Chromium: screenshots, axe",
        tools: &[Tool::Node, Tool::Playwright, Tool::Browser],
        after: Some("site"),
        is_background: false,
        // A failed story is run once more, and both outcomes are reported.
        run: |paths| stories::command(paths, &["--retries=1".to_owned()]).count_tests(),
    },
];

/// Returns `cargo COMMAND` for all crates that run natively.
fn native_cargo(command: &str) -> Run {
    let excluded = BROWSER_CRATES.iter().flat_map(|name| ["--exclude", name]);
    Run::cargo().args([command, "--workspace"]).args(excluded)
}

/// Returns `cargo COMMAND` for all crates that are tested natively: the pure parts of the page are, the JavaScript
/// interface of the engine is not. All native tests and programs are built with this selection: with another one, their
/// dependencies would get other features and be compiled again.
fn tested_cargo(command: &str) -> Run {
    Run::cargo().args([command, "--workspace", "--exclude", "podscope-js"])
}

/// Returns the arguments of cargo that select the browser's crates with their tests in the browser.
fn browser_selection() -> impl Iterator<Item = &'static str> {
    let packages = BROWSER_CRATES.iter().flat_map(|name| ["--package", *name]);
    packages.chain(IN_BROWSER_FEATURE)
}

/// Returns the run of the integration tests whose name contains `filter`.
fn integration_tests(filter: &str) -> Run {
    tested_cargo("test").args(["--test", "all", filter])
}

/// Runs a process whose output contains no test results.
fn run_without_counts(run: Run) -> (Fallible, Counts) {
    (run.status(), Counts::default())
}

/// Builds a program of the workspace and returns its path.
pub(crate) fn build_program(kind: &str, name: &str) -> Fallible<PathBuf> {
    // Building an example makes cargo enable the features of dev-dependencies, as for the tests.
    let build = tested_cargo("build").args(["--bin", "podscope", "--example", "hashes"]);
    build.status()?;
    let dir = host::target().join("debug").join(kind);
    Ok(dir.join(tools::exe_name(name)))
}

/// Compares decisions of the scheduler with the recorded decisions of kube-scheduler, for each corpus.
fn run_conformance(_: &ToolPaths) -> (Fallible, Counts) {
    let mut counts = Counts::default();
    let mut result = Ok(());
    let podscope = match build_program("", "podscope") {
        Ok(podscope) => podscope,
        Err(message) => return (Err(message), counts),
    };
    for corpus in ["decisions", "configured", "dra"] {
        let cases = format!("tests/conformance/{corpus}.jsonl.gz");
        let run = Run::new(&podscope).args(["explain", "--check", "--cases", &cases]);
        let (step_result, found) = run.count_tests();
        counts.add(found);
        result = result.and(step_result);
    }
    (result, counts)
}

/// Runs the browser tests of both crates. One wasm-pack builds them with the same features, so that the engine is
/// compiled once.
fn run_browser_tests(paths: &ToolPaths) -> (Fallible, Counts) {
    // Hashes of the native engine's traces; the wasm engine must produce the same.
    let hashes = match build_program("examples", "hashes").and_then(|hashes| Run::new(hashes).output()) {
        Ok(text) => text.lines().collect::<Vec<_>>().join(";"),
        Err(message) => return (Err(message), Counts::default()),
    };
    let mut run = Run::new("wasm-pack").args(["test", "--headless", "--chrome", "--mode", "no-install"]);
    if let Some(driver) = paths.var("PODSCOPE_CHROMEDRIVER") {
        run = run.args(["--chromedriver"]).args([driver]);
    }
    let run = run.args(["crates/web"]).args(browser_selection());
    run.env("PODSCOPE_TRACE_HASHES", &hashes).tools(paths).count_tests()
}

/// Result of a step of the test suite.
pub(crate) struct StepOutcome {
    pub(crate) name: &'static str,
    pub(crate) seconds: f64,
    pub(crate) counts: Counts,
    pub(crate) result: Fallible,
}

/// `cargo xtask step NAME`: runs one step without heading and summary, for [`BackgroundSteps`].
pub(crate) fn run_one(args: &[String]) -> Fallible {
    let step = STEPS.iter().find(|step| args == [step.name]);
    let step = step.ok_or("`step` is for the test suite: use `cargo xtask test STEP`")?;
    let (result, _) = (step.run)(&tools::ensure(step.tools)?);
    result
}

/// Runs the named steps, or all steps; with `--changed`, those that a change affects.
pub(crate) fn test(args: &[String]) -> Fallible {
    if args == ["--changed"] {
        return changed::run();
    }
    if args.iter().any(|a| a == "--list") {
        for step in STEPS {
            println!("{:<12} {}", step.name, step.about);
        }
        return Ok(());
    }
    if let Some(unknown) = args.iter().find(|a| STEPS.iter().all(|s| s.name != a.as_str())) {
        return Err(format!("no step `{unknown}`; `cargo xtask test --list` lists them"));
    }
    let is_selected = |name: &str| args.is_empty() || args.iter().any(|a| a == name);
    let steps: Vec<&Step> = STEPS
        .iter()
        .filter(|s| is_selected(s.name) || STEPS.iter().any(|t| is_selected(t.name) && t.after == Some(s.name)))
        .collect();

    let mut wanted: Vec<Tool> = steps.iter().flat_map(|s| s.tools).copied().collect();
    wanted.sort();
    wanted.dedup();
    let paths = tools::ensure(&wanted)?;

    let suite_began = Instant::now();
    // A step in the background shows no progress, so it runs in the foreground if no other step runs meanwhile.
    let n_leading = steps.iter().take_while(|step| step.is_background).count();
    let in_background = steps[n_leading..].iter().filter(|step| step.is_background);
    let background = BackgroundSteps::start(in_background.map(|step| step.name).collect());
    let mut outcomes: Vec<StepOutcome> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        eprintln!("\n== {}: {}", step.name, step.about);
        let blocked = step
            .after
            .filter(|name| outcomes.iter().any(|o| o.name == *name && o.result.is_err()));
        let (result, counts, seconds) = match blocked {
            Some(name) => (Err(format!("not run: `{name}` failed")), Counts::default(), 0.0),
            None if step.is_background && index >= n_leading => {
                let (result, seconds) = background.wait(step.name);
                (result, Counts::default(), seconds)
            }
            None => {
                let began = Instant::now();
                let (result, counts) = (step.run)(&paths);
                (result, counts, began.elapsed().as_secs_f64())
            }
        };
        if let Err(message) = &result {
            eprintln!("{message}");
        }
        eprintln!(
            "== {} {} ({seconds:.1} s)",
            step.name,
            if result.is_ok() { "ok" } else { "FAILED" }
        );
        outcomes.push(StepOutcome {
            name: step.name,
            seconds,
            counts,
            result,
        });
    }
    print_summary(&outcomes, suite_began.elapsed(), "cargo xtask test STEP")
}

/// Prints the summary. Each step and each test counts as one. The whole run took `time`. `repeat_command` is the command
/// that repeats a step, with STEP as a placeholder for its name.
pub(crate) fn print_summary(outcomes: &[StepOutcome], time: Duration, repeat_command: &str) -> Fallible {
    let mut total = Counts::default();
    println!("\nstep              time   tests");
    for o in outcomes {
        let verdict = if o.result.is_ok() { "ok    " } else { "FAILED" };
        let tests = o.counts.passed + o.counts.failed;
        let tests = if tests > 0 { tests.to_string() } else { String::new() };
        let flaky = match o.counts.flaky {
            0 => String::new(),
            n => format!("  {n} only when run again"),
        };
        println!("{:<12} {:>7.1} s {tests:>7}  {verdict}{flaky}", o.name, o.seconds);
        total.add(o.counts);
        let is_ok = o.result.is_ok();
        total.add(Counts {
            passed: u64::from(is_ok),
            failed: u64::from(!is_ok),
            flaky: 0,
        });
    }
    println!("time {:.1} min", time.as_secs_f64() / 60.0);
    for o in outcomes {
        if let Err(message) = &o.result {
            println!("FAILED {}: {message}", o.name);
            println!("       again: {}", repeat_command.replace("STEP", o.name));
        }
    }
    println!("{} passed, {} failed", total.passed, total.failed);
    if outcomes.iter().all(|o| o.result.is_ok()) {
        Ok(())
    } else {
        Err(String::new())
    }
}

#[cfg(test)]
mod tests {
    use super::STEPS;
    use crate::{host, site};

    #[test]
    fn workflow_runs_every_step_in_one_job() {
        let workflow = host::root().join(".github/workflows/test.yml");
        let text = site::read(&workflow).expect("the workflow exists");
        let lists = text.lines().filter_map(|line| line.split_once("steps: \""));
        let run: Vec<&str> = lists
            .flat_map(|(_, list)| list.trim_end_matches([' ', '}', '"']).split(' '))
            .collect();
        for step in STEPS {
            assert_eq!(
                run.iter().filter(|name| **name == step.name).count(),
                1,
                "{}",
                step.name
            );
        }
        assert_eq!(run.len(), STEPS.len(), "{run:?}");
    }
}
