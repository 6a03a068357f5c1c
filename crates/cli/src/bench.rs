//! `podscope bench`: microseconds per decision of one workload, or what the invariants cost.

// A measurement needs a clock; nothing simulated sees it.
#![allow(clippy::disallowed_types)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use podscope_cluster::SimTime;
use podscope_scheduler::bench::{Bench, Size, Workload};
use podscope_session::scenario;
use podscope_session::timeline::Session;

use crate::args;

/// Reads the arguments, measures, prints one line.
pub(crate) fn run(mut parser: lexopt::Parser) -> Result<ExitCode, lexopt::Error> {
    let (mut workload, mut size, mut decisions) = (None, Size::default(), 1000_usize);
    let (mut of_invariants, mut nodes, mut pods) = (false, None, None);
    while let Some(arg) = parser.next()? {
        match arg {
            lexopt::Arg::Long("nodes") => nodes = Some(number(&mut parser)?),
            lexopt::Arg::Long("pods") => pods = Some(number(&mut parser)?),
            lexopt::Arg::Long("decisions") => decisions = number(&mut parser)?,
            lexopt::Arg::Long("templates") => size.templates = number(&mut parser)?.max(1),
            lexopt::Arg::Long("deletions") => size.deletions = true,
            lexopt::Arg::Value(name) if workload.is_none() && name == "invariants" => of_invariants = true,
            lexopt::Arg::Value(name) if workload.is_none() => {
                let name = name.to_string_lossy().into_owned();
                match Workload::from_name(&name) {
                    Some(known) => workload = Some((known, name)),
                    None => return Err(format!("there is no workload {name:?}").into()),
                }
            }
            lexopt::Arg::Long("help") | lexopt::Arg::Short('h') => return Ok(args::help(crate::HELP)),
            other => return Err(other.unexpected()),
        }
    }
    if of_invariants {
        return Ok(invariants(nodes.unwrap_or(100).max(1), pods.unwrap_or(1000)).unwrap_or_else(|status| status));
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
    // The first decisions fill caches that a running scheduler has.
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
    let mean = |round: &[Duration]| round.iter().sum::<Duration>().as_secs_f64() * 1e6 / round.len() as f64;
    let each = spent.chunks(ROUND).map(mean).fold(f64::MAX, f64::min);
    args::out(&format!(
        "{name} nodes={} existing={existing} decisions={decisions}  {each:.1} us/decision\n",
        size.nodes
    ));
    Ok(ExitCode::SUCCESS)
}

/// Decisions of a round. The shortest round counts, so that what else the machine does is left out.
const ROUND: usize = 50;

fn number(parser: &mut lexopt::Parser) -> Result<usize, lexopt::Error> {
    let text = parser.value()?.to_string_lossy().into_owned();
    text.parse().map_err(|_| format!("{text:?} is not a number").into())
}

/// Deployments of ten pods each on a cluster that is rolled, drained and partitioned for twenty minutes.
fn busy(nodes: usize, pods: usize) -> String {
    let mut text = format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: bench}}\nspec:\n  seed: 1\n  \
         cluster: {{zones: [a], nodesPerZone: {nodes}}}\n  timeline:\n"
    );
    let sets = pods.div_ceil(10);
    for number in 0..sets {
        let at = 60 + 600 * number / sets.max(1);
        text.push_str(&format!(
            "  - {{at: {at}s, run: \"kubectl rollout restart deployment/web{number}\"}}\n"
        ));
    }
    text.push_str("  - {at: 100s, run: \"kubectl drain a-1 --ignore-daemonsets --timeout=5m\"}\n");
    text.push_str("  - {at: 300s, run: \"fault partition a-1\"}\n  - {at: 800s, run: \"fault heal a-1\"}\n");
    for number in 0..sets {
        text.push_str(&format!(
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web{number}}}\nspec: {{replicas: 10, \
             selector: {{matchLabels: {{app: web{number}}}}}, template: {{metadata: {{labels: {{app: web{number}}}}}, \
             spec: {{containers: [{{name: web, image: web, resources: {{requests: {{cpu: 50m}}}}}}]}}}}}}\n"
        ));
    }
    text
}

/// Simulated seconds of one measurement.
const SLICE: i64 = 10;
/// How often each is repeated; the shortest counts, so that what else the machine does is left out.
const REPEATED: usize = 5;

/// Runs the same with and without the invariants, in turns.
fn invariants(nodes: usize, pods: usize) -> Result<ExitCode, ExitCode> {
    let files = [("bench.yaml".to_owned(), busy(nodes, pods))];
    let loaded = scenario::load(&files).map_err(|problems| args::complain(&problems))?;
    let mut records = 0;
    let mut run = |checked: bool, shortest: &mut Vec<Duration>| -> Result<(), ExitCode> {
        let mut session = Session::new(loaded.clone()).map_err(|problems| args::complain(&problems))?;
        if !checked {
            session.leave_unchecked();
        }
        for (slice, shortest) in (1..).zip(shortest) {
            let start = Instant::now();
            session.advance(SimTime::from_seconds(slice * SLICE), u64::MAX);
            *shortest = start.elapsed().min(*shortest);
        }
        records = session.trace().len();
        Ok(())
    };
    let slices = usize::try_from(1200 / SLICE).unwrap_or(1);
    let (mut with, mut without) = (vec![Duration::MAX; slices], vec![Duration::MAX; slices]);
    for _ in 0..REPEATED {
        run(false, &mut without)?;
        run(true, &mut with)?;
    }
    let milliseconds = |slices: &[Duration]| slices.iter().sum::<Duration>().as_secs_f64() * 1e3;
    let (with, without) = (milliseconds(&with), milliseconds(&without));
    args::out(&format!(
        "invariants nodes={nodes} pods={pods} records={records}  {with:.0} ms with, {without:.0} ms without: {:.1} % of the simulation\n",
        100.0 * (with - without) / without,
    ));
    Ok(ExitCode::SUCCESS)
}
