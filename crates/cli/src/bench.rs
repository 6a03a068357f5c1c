//! `podscope bench`: measures microseconds per decision of a workload, or the cost of the invariant checks.

// A measurement needs the wall clock; no simulated component reads it.
#![allow(clippy::disallowed_types)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use podscope_cluster::SimTime;
use podscope_scheduler::bench::{Bench, Size, Workload};
use podscope_session::scenario;
use podscope_session::timeline::Session;

use crate::args;

/// Reads the arguments, measures, and prints one line.
pub(crate) fn run(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let (mut workload, mut size, mut decisions) = (None, Size::default(), 1000_usize);
    let (mut measures_invariants, mut nodes, mut pods) = (false, None, None);
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Long("nodes") => nodes = Some(number(&mut parser)?),
            lexopt::Arg::Long("pods") => pods = Some(number(&mut parser)?),
            lexopt::Arg::Long("decisions") => decisions = number(&mut parser)?,
            lexopt::Arg::Long("templates") => size.templates = number(&mut parser)?.max(1),
            lexopt::Arg::Long("deletions") => size.deletions = true,
            lexopt::Arg::Value(name) if workload.is_none() && name == "invariants" => measures_invariants = true,
            lexopt::Arg::Value(name) if workload.is_none() => {
                let name = name.to_string_lossy().into_owned();
                match Workload::from_name(&name) {
                    Some(known) => workload = Some((known, name)),
                    None => return Err(format!("there is no workload {name:?}").into()),
                }
            }
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::print_help(crate::HELP)),
            other => return Err(other.unexpected()),
        }
    }
    if measures_invariants {
        return Ok(
            measure_invariants(nodes.unwrap_or(100).max(1), pods.unwrap_or(1000)).unwrap_or_else(|status| status)
        );
    }
    size.nodes = nodes.unwrap_or(size.nodes);
    size.pods = pods.unwrap_or(size.pods);
    let Some((workload, name)) = workload else {
        let names: Vec<&str> = Workload::ALL.iter().map(|(_, name)| *name).collect();
        return Err(format!("bench needs a workload: {}, invariants", names.join(", ")).into());
    };
    if size.nodes == 0 || decisions == 0 {
        return Err("--nodes and --decisions must be at least 1".into());
    }
    let mut bench = Bench::new(workload, size);
    let existing = bench.existing();
    // The first decisions fill caches; in a running scheduler they are already filled.
    let warm_up = (decisions / 10).clamp(1, 100);
    let mut spent = Vec::with_capacity(decisions);
    for index in 0..warm_up + decisions {
        bench.prepare(index);
        let start = Instant::now();
        let attempt = bench.decide();
        if index >= warm_up {
            spent.push(start.elapsed());
        }
        match attempt {
            Some(attempt) => bench.settle(&attempt),
            None => return Err("the scheduler had nothing to decide".into()),
        }
    }
    let mean_of_round = |round: &[Duration]| round.iter().sum::<Duration>().as_secs_f64() * 1e6 / round.len() as f64;
    let microseconds = spent.chunks(ROUND).map(mean_of_round).fold(f64::MAX, f64::min);
    args::print_text(&format!(
        "{name} nodes={} existing={existing} decisions={decisions}  {microseconds:.1} us/decision\n",
        size.nodes
    ));
    Ok(ExitCode::SUCCESS)
}

/// Decisions per round. The fastest round counts, because other processes of the machine slow down the rest.
const ROUND: usize = 50;

fn number(parser: &mut lexopt::Parser) -> Result<usize, lexopt::Error> {
    let text = parser.value()?.to_string_lossy().into_owned();
    text.parse().map_err(|_| format!("{text:?} is not a number").into())
}

/// Scenario with Deployments of ten pods each, on a cluster with rolling restarts, a drain and a network partition
/// within twenty minutes.
fn busy_scenario(nodes: usize, pods: usize) -> String {
    let mut text = format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: bench}}\nspec:\n  seed: 1\n  \
         cluster: {{zones: [a], nodesPerZone: {nodes}}}\n  timeline:\n"
    );
    let deployments = pods.div_ceil(10);
    for number in 0..deployments {
        let at = 60 + 600 * number / deployments.max(1);
        text.push_str(&format!(
            "  - {{at: {at}s, run: \"kubectl rollout restart deployment/web{number}\"}}\n"
        ));
    }
    text.push_str("  - {at: 100s, run: \"kubectl drain a-1 --ignore-daemonsets --timeout=5m\"}\n");
    text.push_str("  - {at: 300s, run: \"fault partition a-1\"}\n  - {at: 800s, run: \"fault heal a-1\"}\n");
    for number in 0..deployments {
        text.push_str(&format!(
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web{number}}}\nspec: {{replicas: 10, \
             selector: {{matchLabels: {{app: web{number}}}}}, template: {{metadata: {{labels: {{app: web{number}}}}}, \
             spec: {{containers: [{{name: web, image: web, resources: {{requests: {{cpu: 50m}}}}}}]}}}}}}\n"
        ));
    }
    text
}

/// Simulated seconds per measured slice.
const SLICE: i64 = 10;
/// Number of runs. Per slice the fastest run counts, because other processes of the machine slow down the rest.
const RUNS: usize = 5;

/// Runs the same scenario alternately with and without invariant checks, and prints both times.
fn measure_invariants(nodes: usize, pods: usize) -> Result<ExitCode, ExitCode> {
    let files = [("bench.yaml".to_owned(), busy_scenario(nodes, pods))];
    let loaded = scenario::load(&files).map_err(|problems| args::print_problems(&problems))?;
    let mut records = 0;
    let mut run = |has_checks: bool, fastest: &mut Vec<Duration>| -> Result<(), ExitCode> {
        let mut session = Session::new(loaded.clone()).map_err(|problems| args::print_problems(&problems))?;
        if !has_checks {
            session.disable_invariants();
        }
        for (slice, fastest) in (1..).zip(fastest) {
            let start = Instant::now();
            session.advance(SimTime::from_seconds(slice * SLICE), u64::MAX);
            *fastest = start.elapsed().min(*fastest);
        }
        records = session.trace().len();
        Ok(())
    };
    let slices = usize::try_from(1200 / SLICE).unwrap_or(1);
    let (mut with, mut without) = (vec![Duration::MAX; slices], vec![Duration::MAX; slices]);
    for _ in 0..RUNS {
        run(false, &mut without)?;
        run(true, &mut with)?;
    }
    let milliseconds = |slices: &[Duration]| slices.iter().sum::<Duration>().as_secs_f64() * 1e3;
    let (with, without) = (milliseconds(&with), milliseconds(&without));
    args::print_text(&format!(
        "invariants nodes={nodes} pods={pods} records={records}  {with:.0} ms with, {without:.0} ms without: {:.1} % of the simulation\n",
        100.0 * (with - without) / without,
    ));
    Ok(ExitCode::SUCCESS)
}
