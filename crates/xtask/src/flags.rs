//! `cargo xtask bench flags`: what the engine weighs and how fast it decides when it is built otherwise; the first row
//! is the committed choice. What came of it, and when, is under "What was tried" in docs/measurements.md.

use crate::bench::{Figure, figures};
use crate::decisions::{WASM, built_for_browsers, timer};
use crate::run::{Fallible, Run};
use crate::size;
use crate::tools::Paths;
use std::fs;

/// A way to build.
struct Variant {
    name: &'static str,
    /// Cargo's `--config`, over the profile of the workspace.
    config: &'static [&'static str],
    /// `wasm-opt`'s levels, each applied to the same module; none is the module as it is.
    levels: &'static [&'static str],
}

const SCHEDULER_S: &str = "profile.release.package.podscope-scheduler.opt-level=\"s\"";
const SCHEDULER_3: &str = "profile.release.package.podscope-scheduler.opt-level=3";

const VARIANTS: &[Variant] = &[
    Variant {
        name: "as it is",
        config: &[],
        levels: &["-O2", "-Os", "-Oz", "-O3", ""],
    },
    Variant {
        name: "scheduler s",
        config: &[SCHEDULER_S],
        levels: &["-O2"],
    },
    Variant {
        name: "scheduler 3",
        config: &[SCHEDULER_3],
        levels: &["-O2"],
    },
    Variant {
        name: "all s",
        config: &["profile.release.opt-level=\"s\""],
        levels: &["-O2"],
    },
    Variant {
        name: "all 3",
        config: &["profile.release.opt-level=3"],
        levels: &["-O2", "-O3"],
    },
    Variant {
        name: "thin LTO",
        config: &["profile.release.lto=\"thin\"", "profile.release.codegen-units=16"],
        levels: &["-O2"],
    },
    Variant {
        name: "panic unwind",
        config: &["profile.release.panic=\"unwind\""],
        levels: &["-O2"],
    },
];

/// For each variant: the whole engine's bytes, and microseconds of a decision in headless Chromium.
pub(crate) fn measure(paths: &Paths) -> Fallible<Vec<Figure>> {
    let mut rows = Vec::new();
    for variant in VARIANTS {
        let out = built_for_browsers(paths, "worker,bench", variant.config)?;
        let wasm = out.join(WASM);
        let plain = out.join("before.wasm");
        fs::copy(&wasm, &plain).map_err(|e| format!("{}: {e}", wasm.display()))?;
        for level in variant.levels {
            match *level {
                "" => fs::copy(&plain, &wasm)
                    .map(drop)
                    .map_err(|e| format!("{}: {e}", wasm.display()))?,
                level => Run::new("wasm-opt")
                    .args([level, "-o"])
                    .args([&wasm, &plain])
                    .tools(paths)
                    .status()?,
            }
            let name = match *level {
                "" => format!("{}, without wasm-opt", variant.name),
                level => format!("{}, {level}", variant.name),
            };
            let sizes = size::brotli(&out, &[WASM.to_owned()])?;
            let (_, brotli) = sizes.first().ok_or("no size")?;
            let mut row = vec![Figure::new(format!("{name}: engine"), *brotli as f64 / 1024.0, "KiB")];
            for figure in figures(timer(paths, &out).args(["basic", "spread"]))? {
                row.push(figure.of(&name));
            }
            // It takes long: what is known is told.
            for figure in &row {
                eprintln!("{figure}");
            }
            rows.extend(row);
        }
    }
    Ok(rows)
}
