//! `cargo xtask bench`: runs the benchmarks, prints their results and writes `target/bench.json`.
//!
//! Each benchmark is a row of [`BENCHES`]. A benchmark that runs as another process reports its results as lines of the
//! form `figure: NAME = VALUE UNIT`; its other output is passed on.

use crate::run::{Fallible, Run};
use crate::tools::{self, Tool, ToolPaths};
use crate::{decisions, flags, host, site, size};

/// A benchmark of `cargo xtask bench`.
struct Benchmark {
    name: &'static str,
    about: &'static str,
    tools: &'static [Tool],
    /// Whether the benchmark needs the release site.
    needs_site: bool,
    /// Whether the benchmark takes so long that it runs only if it is named.
    is_slow: bool,
    run: fn(&ToolPaths) -> Fallible<Vec<Figure>>,
}

/// A measured value with its name and unit.
pub(crate) struct Figure {
    name: String,
    value: f64,
    unit: String,
}

impl Figure {
    pub(crate) fn new(name: String, value: f64, unit: &str) -> Self {
        let unit = unit.to_owned();
        Self { name, value, unit }
    }

    /// Returns the figure with the prefix `GROUP: ` before its name.
    pub(crate) fn with_group(self, group: &str) -> Self {
        let name = format!("{group}: {}", self.name);
        Self { name, ..self }
    }
}

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:<40} {:>12.1} {}", self.name, self.value, self.unit)
    }
}

/// All benchmarks, in the order of execution.
const BENCHES: &[Benchmark] = &[
    Benchmark {
        name: "size",
        about: "bytes of a first visit, brotli",
        tools: &[Tool::Node],
        needs_site: true,
        is_slow: false,
        run: measure_first_visit_size,
    },
    Benchmark {
        name: "decisions",
        about: "native time of a scheduling decision, with its limit (1/20 of kube-scheduler's time)",
        tools: &[Tool::Toolchain],
        needs_site: false,
        is_slow: false,
        run: |_| {
            let figure = |(name, value, unit)| Figure { name, value, unit };
            Ok(decisions::measure_decisions()?.into_iter().map(figure).collect())
        },
    },
    Benchmark {
        name: "dra",
        about: "native time of a decision with a claim, on 1 000 nodes of 8 devices (2 ms)",
        tools: &[Tool::Toolchain],
        needs_site: false,
        is_slow: false,
        run: |_| {
            let figure = |(name, value, unit)| Figure { name, value, unit };
            Ok(decisions::measure_device_decisions()?.into_iter().map(figure).collect())
        },
    },
    Benchmark {
        name: "chromium",
        about: "time of a scheduling decision in headless Chromium, with its limit (1/10 of kube-scheduler's time)",
        tools: decisions::CHROMIUM_TOOLS,
        needs_site: false,
        is_slow: false,
        run: |paths| run_for_figures(decisions::chromium_run(paths)?),
    },
    Benchmark {
        name: "page",
        about: "the release site in Chromium: first paint, engine ready, frame times during simulation",
        tools: &[Tool::Node, Tool::Playwright, Tool::Browser],
        needs_site: true,
        is_slow: false,
        run: |paths| run_for_figures(Run::new("node").args(["tests/e2e/bench.mjs"]).tools(paths)),
    },
    Benchmark {
        name: "frames",
        about: "main-thread CPU time per frame while 1 000 and 10 000 pods run at 10x",
        tools: &[Tool::Node, Tool::Playwright, Tool::Browser],
        needs_site: true,
        is_slow: false,
        run: |paths| run_for_figures(Run::new("node").args(["tests/e2e/frames.mjs"]).tools(paths)),
    },
    Benchmark {
        name: "engine",
        about: "the release site's engine in its worker: loading the 25 MB dump (5 s), seeks as in `timeline`, speed of a lesson (5 000x)",
        tools: &[Tool::Node, Tool::Playwright, Tool::Browser],
        needs_site: true,
        is_slow: false,
        run: |paths| run_engine_benchmarks(paths, &["load", "lesson", "large"]),
    },
    Benchmark {
        name: "timeline",
        about: "seek to any instant of half an hour, in a lesson (50 ms) and with 1 000 nodes (300 ms); memory of the checkpoints",
        tools: &[],
        needs_site: false,
        is_slow: false,
        run: |_| run_native_benchmark("timeline"),
    },
    Benchmark {
        name: "frame",
        about: "native engine time per frame while 10 000 pods on 1 000 nodes run at 10x: building the frame and encoding it",
        tools: &[],
        needs_site: false,
        is_slow: false,
        run: |_| run_native_benchmark("frame"),
    },
    Benchmark {
        name: "serve",
        about: "`podscope serve`: list of 10 000 pods (150 ms), creates (2 000 a second), 1 000 watches with 100 changes a second; memory",
        tools: &[],
        needs_site: false,
        is_slow: false,
        run: |_| {
            let run = Run::cargo().args(["run", "--quiet", "--profile", "native", "--package", "podscope-serve"]);
            run_for_figures(run.args(["--example", "bench_serve"]))
        },
    },
    Benchmark {
        name: "chaos",
        about: "memory of `podscope serve` under a client that writes, watches and breaks things, for PODSCOPE_MINUTES of the cluster (60)",
        tools: &[],
        needs_site: false,
        is_slow: true,
        run: |_| {
            let run = Run::cargo().args(["run", "--quiet", "--profile", "native", "--package", "podscope-serve"]);
            run_for_figures(run.args(["--example", "bench_chaos"]))
        },
    },
    Benchmark {
        name: "load",
        about: "native loading of a 25 MB dump of a live cluster, and finding what is wrong in it",
        tools: &[],
        needs_site: false,
        is_slow: false,
        run: |_| run_native_benchmark("load"),
    },
    Benchmark {
        name: "huge",
        about: "5 000 nodes with 50 000 pods, natively: until all pods run, and ten minutes more",
        tools: &[],
        needs_site: false,
        is_slow: true,
        run: |_| run_native_benchmark("huge"),
    },
    Benchmark {
        name: "engine-huge",
        about: "the same as `huge` in the release site's engine: ten minutes at 20x, 400 MB of wasm memory",
        tools: &[Tool::Node, Tool::Playwright, Tool::Browser],
        needs_site: true,
        is_slow: true,
        run: |paths| run_engine_benchmarks(paths, &["huge"]),
    },
    Benchmark {
        name: "help",
        about: "computing what would help a pod on 1 000 nodes (1 s), and the longest step of it",
        tools: &[],
        needs_site: false,
        is_slow: false,
        run: |_| run_native_benchmark("help"),
    },
    Benchmark {
        name: "long",
        about: "an hour of cluster time on 100 nodes with random clicks and commands: no error, no leak over 50 MB, no lost session",
        tools: &[Tool::Node, Tool::Playwright, Tool::Browser],
        needs_site: true,
        is_slow: true,
        run: |paths| run_for_figures(Run::new("node").args(["tests/e2e/long.mjs"]).tools(paths)),
    },
    Benchmark {
        name: "flags",
        about: "the engine with other build flags: bytes (brotli), decisions in Chromium; only when named (half an hour)",
        tools: decisions::CHROMIUM_TOOLS,
        needs_site: false,
        is_slow: true,
        run: flags::measure,
    },
];

/// Runs the named benchmarks, or all that are not slow. Builds the release site if one needs it.
pub(crate) fn bench(args: &[String]) -> Fallible {
    if let Some(unknown) = args.iter().find(|a| BENCHES.iter().all(|b| b.name != a.as_str())) {
        let names: Vec<&str> = BENCHES.iter().map(|b| b.name).collect();
        return Err(format!("no measurement `{unknown}`; there are {}", names.join(", ")));
    }
    let selected: Vec<&Benchmark> = BENCHES
        .iter()
        .filter(|b| args.is_empty() && !b.is_slow || args.iter().any(|a| a == b.name))
        .collect();
    if selected.iter().any(|b| b.needs_site) {
        site::build_with(&tools::ensure(tools::SITE_TOOLS)?)?;
    }
    let mut rows = Vec::new();
    for bench in selected {
        eprintln!("\n== {}: {}", bench.name, bench.about);
        for figure in (bench.run)(&tools::ensure(bench.tools)?)? {
            println!("{figure}");
            rows.push(format!(
                "  {{\"bench\": \"{}\", \"name\": \"{}\", \"value\": {}, \"unit\": \"{}\"}}",
                bench.name, figure.name, figure.value, figure.unit
            ));
        }
    }
    let out = host::target().join("bench.json");
    site::write(&out, &format!("[\n{}\n]\n", rows.join(",\n")))?;
    println!("written to {}", out.display());
    Ok(())
}

/// Returns the command that runs `tests/examples/bench.rs`.
fn native_benchmark_program() -> Run {
    let run = Run::cargo().args(["run", "--quiet", "--profile", "native", "--package", "podscope-tests"]);
    run.args(["--example", "bench", "--"])
}

/// Runs one benchmark of `tests/examples/bench.rs`.
fn run_native_benchmark(name: &str) -> Fallible<Vec<Figure>> {
    run_for_figures(native_benchmark_program().args([name]))
}

/// Runs benchmarks of the engine in a browser. A native program writes their input files first.
fn run_engine_benchmarks(paths: &ToolPaths, rows: &[&str]) -> Fallible<Vec<Figure>> {
    let inputs = host::target().join("bench").display().to_string();
    native_benchmark_program().args(["inputs", &inputs]).status()?;
    run_for_figures(
        Run::new("node")
            .args(["tests/e2e/engine.mjs", &inputs])
            .args(rows)
            .tools(paths),
    )
}

/// Measures the compressed size of the files that a first visit loads.
fn measure_first_visit_size(_: &ToolPaths) -> Fallible<Vec<Figure>> {
    let files = size::first_visit_files()?;
    let figure = |name: &str, bytes: u64| Figure::new(name.to_string(), bytes as f64 / 1024.0, "KiB");
    let wasm = files
        .iter()
        .filter(|f| f.name.ends_with(".wasm"))
        .map(|f| f.brotli)
        .sum();
    Ok(vec![
        figure("wasm", wasm),
        figure("first visit", files.iter().map(|f| f.brotli).sum()),
    ])
}

/// Runs a process and parses the figures in its output.
pub(crate) fn run_for_figures(run: Run) -> Fallible<Vec<Figure>> {
    let mut found = Vec::new();
    for line in run.output()?.lines() {
        match parse_figure(line) {
            Some(figure) => found.push(figure),
            None => println!("{line}"),
        }
    }
    Ok(found)
}

fn parse_figure(line: &str) -> Option<Figure> {
    let (name, rest) = line.strip_prefix("figure: ")?.split_once(" = ")?;
    let (value, unit) = rest.split_once(' ')?;
    let needs_no_escape = |text: &str| !text.contains(['"', '\\']);
    (needs_no_escape(name) && needs_no_escape(unit)).then_some(())?;
    Some(Figure {
        name: name.into(),
        value: value.parse().ok()?,
        unit: unit.trim().into(),
    })
}

#[cfg(test)]
mod tests {
    use super::parse_figure;

    #[test]
    fn only_figure_lines_are_parsed() {
        assert_eq!(
            parse_figure("figure: steps = 7.0 ").map(|figure| figure.value),
            Some(7.0)
        );
        let figure = parse_figure("figure: first paint = 41.5 ms").expect("a figure");
        assert_eq!(
            (figure.name.as_str(), figure.value, figure.unit.as_str()),
            ("first paint", 41.5, "ms")
        );
        assert!(parse_figure("first paint = 41.5 ms").is_none());
        assert!(parse_figure("figure: \"x\" = 1 ms").is_none());
    }
}
