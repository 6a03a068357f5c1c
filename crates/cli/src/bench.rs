//! `podscope bench`: microseconds per decision of one workload.

// A measurement needs a clock; nothing simulated sees it.
#![allow(clippy::disallowed_types)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use podscope_scheduler::bench::{Bench, Size, Workload};

/// Reads the arguments, measures, prints one line.
pub(crate) fn run(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let (mut workload, mut size, mut decisions) = (None, Size::default(), 1000_usize);
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Long("nodes") => size.nodes = number(&mut parser)?,
            lexopt::Arg::Long("pods") => size.pods = number(&mut parser)?,
            lexopt::Arg::Long("decisions") => decisions = number(&mut parser)?,
            lexopt::Arg::Long("templates") => size.templates = number(&mut parser)?.max(1),
            lexopt::Arg::Long("deletions") => size.deletions = true,
            lexopt::Arg::Value(name) if workload.is_none() => {
                let name = name.to_string_lossy().into_owned();
                match Workload::from_name(&name) {
                    Some(known) => workload = Some((known, name)),
                    None => return Err(format!("there is no workload {name:?}").into()),
                }
            }
            other => return Err(other.unexpected()),
        }
    }
    let Some((workload, name)) = workload else {
        let names: Vec<&str> = Workload::ALL.iter().map(|(_, name)| *name).collect();
        return Err(format!("bench needs a workload: {}", names.join(", ")).into());
    };
    if size.nodes == 0 || decisions == 0 {
        return Err("--nodes and --decisions must be at least 1".into());
    }
    let mut bench = Bench::new(workload, size);
    let existing = bench.existing();
    let mut spent = Duration::ZERO;
    // The first decisions fill caches that a running scheduler has.
    let warm_up = (decisions / 10).clamp(1, 100);
    for index in 0..warm_up + decisions {
        bench.prepare(index);
        let start = Instant::now();
        let attempt = bench.decide();
        if index >= warm_up {
            spent += start.elapsed();
        }
        match attempt {
            Some(attempt) => bench.settle(&attempt),
            None => return Err("the scheduler had nothing to decide".into()),
        }
    }
    let each = spent.as_secs_f64() * 1e6 / decisions as f64;
    println!(
        "{name} nodes={} existing={existing} decisions={decisions}  {each:.1} us/decision",
        size.nodes
    );
    Ok(ExitCode::SUCCESS)
}

fn number(parser: &mut lexopt::Parser) -> Result<usize, lexopt::Error> {
    let text = parser.value()?.to_string_lossy().into_owned();
    text.parse().map_err(|_| format!("{text:?} is not a number").into())
}
