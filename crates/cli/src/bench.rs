//! `podscope bench`: measures microseconds per decision of a workload, or the cost of the invariant checks.

// A measurement needs the wall clock; no simulated component reads it.
#![allow(clippy::disallowed_types)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::PossibleValuesParser;
use podscope_cluster::SimTime;
use podscope_scheduler::bench::{Bench, BenchOptions, Workload};
use podscope_session::scenario;
use podscope_session::timeline::Session;

use crate::args::{self, UsageError};

/// Measure scheduling decisions, or what the invariants cost of twenty simulated minutes
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    #[arg(value_parser = workload_parser())]
    workload: String,
    /// Number of nodes; 5000 by default, and 100 for invariants
    #[arg(long, value_name = "N", value_parser = at_least_one_parser())]
    nodes: Option<u64>,
    /// Number of pods that run before; 5000 by default, and 1000 for invariants
    #[arg(long, value_name = "N")]
    pods: Option<usize>,
    /// Number of measured decisions
    #[arg(long, value_name = "N", default_value = "1000", value_parser = at_least_one_parser())]
    decisions: u64,
    /// Number of different pod templates, so that less can be reused
    #[arg(long, value_name = "N", default_value = "1", value_parser = at_least_one_parser())]
    templates: u64,
    /// Delete a running pod before every decision
    #[arg(long)]
    deletions: bool,
}

/// Name of the workload that measures the invariants.
const INVARIANTS_WORKLOAD: &str = "invariants";

fn workload_parser() -> PossibleValuesParser {
    let names = Workload::ALL.iter().map(|(_, name)| *name);
    names.chain([INVARIANTS_WORKLOAD]).collect::<Vec<_>>().into()
}

fn at_least_one_parser() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=1_000_000)
}

/// Measures a workload and prints one line.
pub(crate) fn run(given: &BenchArgs) -> Result<ExitCode, UsageError> {
    let BenchArgs { workload: name, .. } = given;
    let number = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    let nodes = given.nodes.map(number);
    let Some(workload) = Workload::from_name(name) else {
        let measured = measure_invariants(nodes.unwrap_or(100), given.pods.unwrap_or(1000));
        return Ok(measured.unwrap_or_else(|status| status));
    };
    let usual = BenchOptions::default();
    let options = BenchOptions {
        nodes: nodes.unwrap_or(usual.nodes),
        pods: given.pods.unwrap_or(usual.pods),
        templates: number(given.templates),
        deletions: given.deletions,
        ..usual
    };
    let decisions = number(given.decisions);
    let mut bench = Bench::new(workload, options);
    let existing = bench.running_pod_count();
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
            Some(attempt) => bench.carry_out(&attempt),
            None => return Err("the scheduler had nothing to decide".into()),
        }
    }
    let mean_of_round = |round: &[Duration]| round.iter().sum::<Duration>().as_secs_f64() * 1e6 / round.len() as f64;
    let microseconds = spent
        .chunks(DECISIONS_PER_ROUND)
        .map(mean_of_round)
        .fold(f64::MAX, f64::min);
    args::print_text(&format!(
        "{name} nodes={} existing={existing} decisions={decisions}  {microseconds:.1} us/decision\n",
        options.nodes
    ));
    Ok(ExitCode::SUCCESS)
}

/// Number of decisions per round. Only the fastest round counts, because other processes slow down some rounds.
const DECISIONS_PER_ROUND: usize = 50;

/// Returns a scenario with Deployments of ten pods each, and with rolling restarts, a drain and a network partition
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

/// Length of a measured slice, in simulated seconds.
const MEASURED_SLICE_SECONDS: i64 = 10;
/// Number of runs. For each slice only the fastest run counts, because other processes slow down some runs.
const RUNS_PER_MEASUREMENT: usize = 5;

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
            session.advance(SimTime::from_seconds(slice * MEASURED_SLICE_SECONDS), u64::MAX);
            *fastest = start.elapsed().min(*fastest);
        }
        records = session.trace().len();
        Ok(())
    };
    let slices = usize::try_from(1200 / MEASURED_SLICE_SECONDS).unwrap_or(1);
    let (mut with, mut without) = (vec![Duration::MAX; slices], vec![Duration::MAX; slices]);
    for _ in 0..RUNS_PER_MEASUREMENT {
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
