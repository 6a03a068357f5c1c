//! `cargo xtask bench`: runs the committed measurements, prints their figures and writes
//! `target/bench.json`.
//!
//! A measurement is a row of [`BENCHES`]. What runs in another process reports by lines of the
//! form `figure: NAME = VALUE UNIT`; everything else it prints is passed on.

use crate::run::{Fallible, Run};
use crate::tools::{self, Paths, Tool};
use crate::{decisions, flags, host, site, size};

struct Bench {
    name: &'static str,
    about: &'static str,
    tools: &'static [Tool],
    /// Whether it looks at the release site.
    site: bool,
    /// Whether it takes so long that it must be asked for by name.
    long: bool,
    run: fn(&Paths) -> Fallible<Vec<Figure>>,
}

/// One measured value.
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

    /// The same as one of `group`.
    pub(crate) fn of(self, group: &str) -> Self {
        let name = format!("{group}: {}", self.name);
        Self { name, ..self }
    }
}

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:<40} {:>12.1} {}", self.name, self.value, self.unit)
    }
}

const BENCHES: &[Bench] = &[
    Bench {
        name: "size",
        about: "bytes of a first visit, brotli",
        tools: &[Tool::Node],
        site: true,
        long: false,
        run: sizes,
    },
    Bench {
        name: "decisions",
        about: "time of a scheduling decision, natively, against its limit (1/20 of kube-scheduler's)",
        tools: &[Tool::Toolchain],
        site: false,
        long: false,
        run: |_| {
            let figure = |(name, value, unit)| Figure { name, value, unit };
            Ok(decisions::times()?.into_iter().map(figure).collect())
        },
    },
    Bench {
        name: "chromium",
        about: "time of a scheduling decision in headless Chromium, against its limit (1/10 of kube-scheduler's)",
        tools: decisions::BROWSER,
        site: false,
        long: false,
        run: |paths| figures(decisions::in_chromium(paths)?),
    },
    Bench {
        name: "page",
        about: "the release site in Chromium: first paint, engine ready, frames while it computes",
        tools: &[Tool::Node, Tool::Playwright, Tool::Browser],
        site: true,
        long: false,
        run: |paths| figures(Run::new("node").args(["tests/e2e/bench.mjs"]).tools(paths)),
    },
    Bench {
        name: "frames",
        about: "CPU time of the page's thread a frame while 1 000 and 10 000 pods play at 10x",
        tools: &[Tool::Node, Tool::Playwright, Tool::Browser],
        site: true,
        long: false,
        run: |paths| figures(Run::new("node").args(["tests/e2e/frames.mjs"]).tools(paths)),
    },
    Bench {
        name: "engine",
        about: "the release site's engine in its worker: the 25 MB dump (5 s), seeks as in `timeline`, a lesson's speed (5 000x)",
        tools: &[Tool::Node, Tool::Playwright, Tool::Browser],
        site: true,
        long: false,
        run: |paths| engine(paths, &["load", "lesson", "large"]),
    },
    Bench {
        name: "timeline",
        about: "seek to any instant of half an hour: a lesson (50 ms), 1 000 nodes (300 ms); memory with checkpoints",
        tools: &[],
        site: false,
        long: false,
        run: |_| native("timeline"),
    },
    Bench {
        name: "frame",
        about: "what a frame costs the engine while 10 000 pods on 1 000 nodes play at 10x, natively: made, and as bytes",
        tools: &[],
        site: false,
        long: false,
        run: |_| native("frame"),
    },
    Bench {
        name: "load",
        about: "the 25 MB dump of a live cluster, natively",
        tools: &[],
        site: false,
        long: false,
        run: |_| native("load"),
    },
    Bench {
        name: "huge",
        about: "5 000 nodes with 50 000 pods, natively: until all run, and ten minutes more",
        tools: &[],
        site: false,
        long: true,
        run: |_| native("huge"),
    },
    Bench {
        name: "engine-huge",
        about: "the same in the release site's engine: ten minutes at 20 times real time, 400 MB of wasm memory",
        tools: &[Tool::Node, Tool::Playwright, Tool::Browser],
        site: true,
        long: true,
        run: |paths| engine(paths, &["huge"]),
    },
    Bench {
        name: "help",
        about: "what would help a pod on 1 000 nodes (1 s), and its longest step",
        tools: &[],
        site: false,
        long: false,
        run: |_| native("help"),
    },
    Bench {
        name: "long",
        about: "an hour of cluster time on 100 nodes, clicked and typed at by a seed: no error, no leak over 50 MB, no lost session",
        tools: &[Tool::Node, Tool::Playwright, Tool::Browser],
        site: true,
        long: true,
        run: |paths| figures(Run::new("node").args(["tests/e2e/long.mjs"]).tools(paths)),
    },
    Bench {
        name: "flags",
        about: "the engine built otherwise: bytes (brotli), decisions in Chromium; only when named (half an hour)",
        tools: decisions::BROWSER,
        site: false,
        long: true,
        run: flags::measure,
    },
];

/// Runs the named measurements, or all; those of the page on the release site.
pub(crate) fn bench(args: &[String]) -> Fallible {
    if let Some(unknown) = args.iter().find(|a| BENCHES.iter().all(|b| b.name != a.as_str())) {
        let names: Vec<&str> = BENCHES.iter().map(|b| b.name).collect();
        return Err(format!("no measurement `{unknown}`; there are {}", names.join(", ")));
    }
    let chosen: Vec<&Bench> = BENCHES
        .iter()
        .filter(|b| args.is_empty() && !b.long || args.iter().any(|a| a == b.name))
        .collect();
    if chosen.iter().any(|b| b.site) {
        site::build_with(&tools::ensure(tools::SITE)?)?;
    }
    let mut rows = Vec::new();
    for bench in chosen {
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

/// `tests/examples/bench.rs`.
fn example() -> Run {
    let run = Run::cargo().args(["run", "--quiet", "--profile", "native", "--package", "podscope-tests"]);
    run.args(["--example", "bench", "--"])
}

/// A measurement of it.
fn native(name: &str) -> Fallible<Vec<Figure>> {
    figures(example().args([name]))
}

/// The measurements of the engine in a browser, on files that the native ones write.
fn engine(paths: &Paths, rows: &[&str]) -> Fallible<Vec<Figure>> {
    let inputs = host::target().join("bench").display().to_string();
    example().args(["inputs", &inputs]).status()?;
    figures(
        Run::new("node")
            .args(["tests/e2e/engine.mjs", &inputs])
            .args(rows)
            .tools(paths),
    )
}

fn sizes(_: &Paths) -> Fallible<Vec<Figure>> {
    let files = size::first_visit()?;
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

/// Runs a process and reads its figures.
pub(crate) fn figures(run: Run) -> Fallible<Vec<Figure>> {
    let mut found = Vec::new();
    for line in run.output()?.lines() {
        match figure_of(line) {
            Some(figure) => found.push(figure),
            None => println!("{line}"),
        }
    }
    Ok(found)
}

fn figure_of(line: &str) -> Option<Figure> {
    let (name, rest) = line.strip_prefix("figure: ")?.split_once(" = ")?;
    let (value, unit) = rest.split_once(' ')?;
    let plain = |text: &str| !text.contains(['"', '\\']);
    (plain(name) && plain(unit)).then_some(())?;
    Some(Figure {
        name: name.into(),
        value: value.parse().ok()?,
        unit: unit.trim().into(),
    })
}

#[cfg(test)]
mod tests {
    use super::figure_of;

    #[test]
    fn figures_are_read_and_other_lines_are_not() {
        assert_eq!(figure_of("figure: steps = 7.0 ").map(|figure| figure.value), Some(7.0));
        let figure = figure_of("figure: first paint = 41.5 ms").expect("a figure");
        assert_eq!(
            (figure.name.as_str(), figure.value, figure.unit.as_str()),
            ("first paint", 41.5, "ms")
        );
        assert!(figure_of("first paint = 41.5 ms").is_none());
        assert!(figure_of("figure: \"x\" = 1 ms").is_none());
    }
}
