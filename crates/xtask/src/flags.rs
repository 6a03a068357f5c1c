//! `cargo xtask bench flags`: size and speed of the engine with other build flags. The first row has the committed
//! flags. Results are recorded under "What was tried" in docs/measurements.md.

use crate::bench::{Figure, run_for_figures};
use crate::decisions::{ENGINE_WASM_FILE, build_for_browsers, run_of_decision_timing};
use crate::run::{Fallible, Run};
use crate::size;
use crate::tools::ToolPaths;
use std::fs;

/// A set of build flags to measure.
struct BuildFlags {
    name: &'static str,
    /// Cargo's `--config` arguments, which override the profile of the workspace.
    config: &'static [&'static str],
    /// Levels of `wasm-opt`, each applied to the same module; an empty level leaves the module unchanged.
    levels: &'static [&'static str],
}

const SCHEDULER_OPT_LEVEL_S: &str = "profile.release.package.podscope-scheduler.opt-level=\"s\"";
const SCHEDULER_OPT_LEVEL_3: &str = "profile.release.package.podscope-scheduler.opt-level=3";

/// The measured sets of build flags; the first one is the committed set.
const MEASURED_BUILD_FLAGS: &[BuildFlags] = &[
    BuildFlags {
        name: "as it is",
        config: &[],
        levels: &["-O2", "-Os", "-Oz", "-O3", ""],
    },
    BuildFlags {
        name: "scheduler s",
        config: &[SCHEDULER_OPT_LEVEL_S],
        levels: &["-O2"],
    },
    BuildFlags {
        name: "scheduler 3",
        config: &[SCHEDULER_OPT_LEVEL_3],
        levels: &["-O2"],
    },
    BuildFlags {
        name: "all s",
        config: &["profile.release.opt-level=\"s\""],
        levels: &["-O2"],
    },
    BuildFlags {
        name: "all 3",
        config: &["profile.release.opt-level=3"],
        levels: &["-O2", "-O3"],
    },
    BuildFlags {
        name: "thin LTO",
        config: &["profile.release.lto=\"thin\"", "profile.release.codegen-units=16"],
        levels: &["-O2"],
    },
    BuildFlags {
        name: "panic unwind",
        config: &["profile.release.panic=\"unwind\""],
        levels: &["-O2"],
    },
];

/// Measures for each variant the bytes of the engine, and the microseconds per decision in headless Chromium.
pub(crate) fn measure(paths: &ToolPaths) -> Fallible<Vec<Figure>> {
    let mut rows = Vec::new();
    for variant in MEASURED_BUILD_FLAGS {
        let out = build_for_browsers(paths, "worker,bench", variant.config)?;
        let wasm = out.join(ENGINE_WASM_FILE);
        let unoptimised = out.join("before.wasm");
        fs::copy(&wasm, &unoptimised).map_err(|e| format!("{}: {e}", wasm.display()))?;
        for level in variant.levels {
            match *level {
                "" => fs::copy(&unoptimised, &wasm)
                    .map(drop)
                    .map_err(|e| format!("{}: {e}", wasm.display()))?,
                level => Run::new("wasm-opt")
                    .args([level, "-o"])
                    .args([&wasm, &unoptimised])
                    .tools(paths)
                    .status()?,
            }
            let name = match *level {
                "" => format!("{}, without wasm-opt", variant.name),
                level => format!("{}, {level}", variant.name),
            };
            let sizes = size::brotli_sizes(&out, &[ENGINE_WASM_FILE.to_owned()])?;
            let (_, brotli) = sizes.first().ok_or("no size")?;
            let mut row = vec![Figure::new(format!("{name}: engine"), *brotli as f64 / 1024.0, "KiB")];
            for figure in run_for_figures(run_of_decision_timing(paths, &out).args(["basic", "spread"]))? {
                row.push(figure.with_group(&name));
            }
            // Printed at once, because the whole benchmark takes long.
            for figure in &row {
                eprintln!("{figure}");
            }
            rows.extend(row);
        }
    }
    Ok(rows)
}
