//! Measurements printed by `cargo xtask bench`: `timeline`, `load`, `help`, `frame`, `huge`; each figure is one line.
//! `inputs DIRECTORY` writes the files that the browser's measurements open.
#![allow(clippy::disallowed_types)] // a measurement needs a clock; nothing simulated sees it

use std::fs;
use std::path::Path;
use std::time::Instant;

use podscope_api::{ObjectKey, Pod};
use podscope_cluster::{Rng, SimTime, Span};
use podscope_protocol::{Request, SessionSource, Update, pack};
use podscope_scheduler::what_would_help::WhatWouldHelp;
use podscope_session::host::{Host, NextWork};
use podscope_session::timeline::{Session, Slice};
use podscope_session::whatif::FitRun;
use podscope_session::{export, lessons, scenario, triage};
use podscope_tests::dump::{Size, dump};

/// Simulated duration of a measured session: half an hour.
const SESSION_DURATION: SimTime = SimTime::from_seconds(1800);
/// Number of measured seeks.
const MEASURED_SEEKS: u64 = 100;
/// Number of pods of Deployments in the largest measured cluster.
const HUGE_PODS: u64 = 50_000;
const LARGE_POD: &str = "large";

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if let [what, directory] = names.as_slice()
        && what == "inputs"
    {
        return write_inputs(Path::new(directory));
    }
    for (name, run) in [
        ("timeline", measure_seeks as fn()),
        ("load", measure_dump_loading),
        ("help", measure_remedy_search),
        ("frame", measure_frame_creation),
        ("huge", measure_largest_cluster),
    ] {
        // The largest cluster takes minutes, so it runs only on request.
        if (names.is_empty() && name != "huge") || names.iter().any(|wanted| wanted == name) {
            run();
        }
    }
}

fn print_figure(name: &str, value: f64, unit: &str) {
    println!("figure: {name} = {value:.1} {unit}");
}

/// A stopwatch: real time and processor time since its start.
struct Stopwatch {
    wall: Instant,
    processor_millis: Option<f64>,
}

impl Stopwatch {
    fn start() -> Stopwatch {
        Stopwatch {
            wall: Instant::now(),
            processor_millis: processor_millis(),
        }
    }

    /// Milliseconds since the start. Long durations are processor time, so that other processes do not affect them; for
    /// short ones the system's accounting is too coarse.
    fn millis(&self) -> f64 {
        let wall = self.wall.elapsed().as_secs_f64() * 1000.0;
        match (self.processor_millis, processor_millis()) {
            (Some(began), Some(now)) if wall > 20.0 => (now - began).min(wall),
            _ => wall,
        }
    }
}

/// Processor time of this thread in milliseconds; `None` if the system does not provide it.
fn processor_millis() -> Option<f64> {
    let account = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = account.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e6)
}

/// Returns a memory value of this process in MiB; 0 if the system does not provide the value.
fn memory_mib(name: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.trim_start_matches(':').split_whitespace().next()?.parse().ok());
    kib.unwrap_or(0.0) / 1024.0
}

/// A session with a thousand nodes, three thousand pods, and events over its whole duration.
fn large_session() -> Session {
    let mut text = "\
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: large}
spec:
  cluster: {zones: [a, b, c, d], nodesPerZone: 250}
  timeline:
"
    .to_owned();
    for (at, run) in [
        (60, "fault partition a-1 a-2 a-3 a-4 a-5"),
        (300, "fault heal --all"),
        (400, "kubectl rollout restart deploy/web"),
        (900, "fault partition --zone b"),
        (1300, "fault heal --all"),
        (1400, "kubectl scale deploy/web --replicas=2000"),
    ] {
        text.push_str(&format!("  - {{at: {at}s, run: {run}}}\n"));
    }
    text.push_str(
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3000, selector: {matchLabels: {app: web}}, \
         template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 500m}}}]}}}\n",
    );
    let loaded = scenario::load(&[("large.yaml".to_owned(), text)]).expect("it loads");
    Session::new(loaded).expect("it starts")
}

/// A session with five thousand nodes and fifty thousand pods with probes, the size limits of Kubernetes.
fn huge_session() -> Session {
    let mut text = "\
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: huge}
spec:
  cluster: {zones: [a, b, c, d], nodesPerZone: 1250, node: {cpu: 16, memory: 64Gi}}
"
    .to_owned();
    for at in 0..HUGE_PODS / 1000 {
        text.push_str(&format!(
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: app-{at}}}\nspec: {{replicas: 1000, selector: {{matchLabels: {{app: app-{at}}}}}, \
             template: {{metadata: {{labels: {{app: app-{at}}}}}, spec: {{containers: [{{name: c, image: i, resources: {{requests: {{cpu: 500m, memory: 256Mi}}}}, \
             readinessProbe: {{httpGet: {{port: 80}}}}, livenessProbe: {{httpGet: {{port: 80}}}}}}]}}}}}}\n"
        ));
    }
    // A pod with larger requests; about 25 000 copies of it fit into the cluster.
    text.push_str(&format!(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {LARGE_POD}}}\nspec: {{containers: [{{name: c, image: i, resources: \
         {{requests: {{cpu: 2, memory: 8Gi}}}}}}]}}\n"
    ));
    let loaded = scenario::load(&[("huge.yaml".to_owned(), text)]).expect("it loads");
    Session::new(loaded).expect("it starts")
}

/// A session of a lesson without its story, because a question would stop time.
fn lesson_session() -> Session {
    let name = "rolling-update-bad-image";
    let solution = lessons::load(name).expect("a lesson").scenario.solution;
    let bare = lessons::text_without_story(name).expect("a lesson");
    let loaded = scenario::load(&[("lesson.yaml".to_owned(), bare)]).expect("it loads");
    let mut session = Session::new(loaded).expect("it starts");
    session.schedule(solution);
    session
}

/// Writes the sessions and the dump as files, which the browser's measurements open.
fn write_inputs(directory: &Path) {
    fs::create_dir_all(directory).expect("a directory");
    let write = |name: &str, text: String| fs::write(directory.join(name), text).expect("a writable directory");
    let yaml = dump(Size::FULL_DUMP);
    write("dump.json", yaml_to_json(&yaml));
    write("dump.yaml", yaml);
    write("lesson.yaml", export::scenario(&lesson_session()));
    write("large.yaml", export::scenario(&large_session()));
    write("huge.yaml", export::scenario(&huge_session()));
}

/// Converts YAML objects to JSON as printed by `kubectl get -o json`.
fn yaml_to_json(yaml: &str) -> String {
    let value = podscope_api::read_yaml(yaml).expect("YAML").to_value();
    serde_json::to_string_pretty(&value).expect("JSON")
}

/// Measures seeks within half an hour. Targets: 50 ms for a lesson, 300 ms for a thousand nodes.
fn measure_seeks() {
    for (name, make) in [
        ("lesson", lesson_session as fn() -> Session),
        ("1000 nodes", large_session),
    ] {
        let before = memory_mib("VmRSS");
        let began = Stopwatch::start();
        let mut session = make();
        session.advance(SESSION_DURATION, u64::MAX);
        let run_millis = began.millis();
        print_figure(&format!("run 30 min, {name}"), run_millis, "ms");
        print_figure(
            &format!("speed, {name}"),
            SESSION_DURATION.0 as f64 / 1000.0 / run_millis,
            "x",
        );
        print_figure(
            &format!("checkpoints, {name}"),
            session.branch().checkpoint_count() as f64,
            "",
        );
        print_figure(
            &format!("session with checkpoints, {name}"),
            memory_mib("VmRSS") - before,
            "MiB",
        );
        print_figure(
            &format!("events, {name}"),
            session.world().pending_and_processed_events().1 as f64,
            "",
        );
        print_figure(&format!("records, {name}"), session.trace().len() as f64, "");
        let mut rng = Rng::split(1, "seeks");
        let mut times: Vec<f64> = (0..MEASURED_SEEKS)
            .map(|_| {
                let to = SimTime(i64::try_from(rng.below(SESSION_DURATION.0.unsigned_abs())).unwrap_or(0));
                let began = Stopwatch::start();
                session.seek(to);
                session.advance(to, u64::MAX);
                began.millis()
            })
            .collect();
        times.sort_unstable_by(f64::total_cmp);
        print_figure(&format!("seek, median, {name}"), times[times.len() / 2], "ms");
        print_figure(&format!("seek, slowest, {name}"), times[times.len() - 1], "ms");
    }
}

/// Measures loading the 25 MB dump and finding its problems natively. The target in a browser is three seconds.
fn measure_dump_loading() {
    let yaml = dump(Size::FULL_DUMP);
    let json = yaml_to_json(&yaml);
    for (name, text) in [("dump.yaml", yaml), ("dump.json", json)] {
        print_figure(name, text.len() as f64 / 1e6, "MB");
        // Reset the peak memory, so that generating the dump does not count.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let began = Stopwatch::start();
        let loaded = scenario::load(&[(name.to_owned(), text)]).expect("it loads");
        print_figure(&format!("read, {name}"), began.millis(), "ms");
        let began = Stopwatch::start();
        let session = Session::new(loaded).expect("it starts");
        print_figure(&format!("start its cluster, {name}"), began.millis(), "ms");
        print_figure(&format!("process memory at most, {name}"), memory_mib("VmHWM"), "MiB");
        let began = Stopwatch::start();
        let findings = triage::triage(&session, &triage::Scope::default());
        print_figure(&format!("what is wrong, {name}"), began.millis(), "ms");
        print_figure(&format!("problems, {name}"), findings.len() as f64, "");
        assert_eq!(session.world().objects().list::<Pod>().count(), 5000);
    }
}

/// Measures the largest cluster until all of its pods run, and for ten more minutes. Targets in a browser: twenty times
/// real time, at most 400 MB.
fn measure_largest_cluster() {
    let before = memory_mib("VmRSS");
    let began = Stopwatch::start();
    let mut session = huge_session();
    print_figure("start, huge", began.millis(), "ms");
    let began = Stopwatch::start();
    while n_running_pods(&session) < HUGE_PODS && session.now() < SESSION_DURATION {
        if session.advance(session.now() + Span::seconds(10), u64::MAX) == Slice::Limit {
            break;
        }
    }
    print_figure("pods that run, huge", n_running_pods(&session) as f64, "");
    print_figure("full at, huge", session.now().0 as f64 / 1e6, "s");
    print_figure("fill, huge", began.millis(), "ms");
    print_figure(
        "events, huge",
        session.world().pending_and_processed_events().1 as f64,
        "",
    );
    print_figure("records, huge", session.trace().len() as f64, "");
    print_figure("checkpoints, huge", session.branch().checkpoint_count() as f64, "");
    print_figure("session when it is full, huge", memory_mib("VmRSS") - before, "MiB");
    measure_fitting_pods(&session);
    let began = Stopwatch::start();
    session.advance(session.now() + Span::seconds(600), u64::MAX);
    print_figure("speed, huge", 600_000.0 / began.millis(), "x");
    print_figure("session with checkpoints, huge", memory_mib("VmRSS") - before, "MiB");
    print_figure(
        "events at last, huge",
        session.world().pending_and_processed_events().1 as f64,
        "",
    );
}

/// Measures how long it takes to count how many more pods of two shapes fit (limit 5 s).
fn measure_fitting_pods(session: &Session) {
    let pods = session.world().objects().list::<Pod>();
    let small = pods.map(|pod| &*pod.metadata.name).find(|name| *name != LARGE_POD);
    for (shape, name) in [("large", Some(LARGE_POD)), ("small", small)] {
        let key = ObjectKey::new("default", name.expect("a pod"));
        let began = Stopwatch::start();
        let mut counting = FitRun::of_pod(session, &key, 0).expect("it is there");
        while !counting.work(usize::MAX) {}
        print_figure(&format!("count more {shape} pods, huge"), began.millis(), "ms");
        print_figure(&format!("more {shape} pods fit, huge"), counting.n_placed() as f64, "");
    }
}

/// A scenario with a thousand nodes and ten thousand pods. Every four seconds a rolling update of fifty pods begins.
fn rollouts_scenario() -> String {
    let mut text = "\
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: rollouts}
spec:
  cluster: {zones: [a, b, c, d], nodesPerZone: 250, node: {cpu: 8, memory: 16Gi}}
  timeline:
"
    .to_owned();
    for at in 0..40 {
        let seconds = 70 + at * 4;
        text.push_str(&format!(
            "  - {{at: {seconds}s, run: \"kubectl rollout restart deployment/d{at}\"}}\n"
        ));
    }
    for at in 0..200 {
        text.push_str(&format!(
            "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d{at}}}\nspec: {{replicas: 50, selector: {{matchLabels: {{app: d{at}}}}}, \
             template: {{metadata: {{labels: {{app: d{at}}}}}, spec: {{terminationGracePeriodSeconds: 5, \
             containers: [{{name: c, image: \"app:1\", resources: {{requests: {{cpu: 100m, memory: 64Mi}}}}}}]}}}}}}\n"
        ));
    }
    text
}

/// Measures the cost of creating and packing a frame while the scenario of [`rollouts_scenario`] plays at 10×.
fn measure_frame_creation() {
    let (mut host, mut clock) = (Host::new(), 0.0);
    // Runs the host until it is idle or until the clock reaches `until`.
    let settle = |host: &mut Host, clock: &mut f64, until: f64| {
        while *clock < until {
            match host.next_work() {
                NextWork::AfterRequest => break,
                NextWork::Now => *clock += 0.1,
                NextWork::At(at) => *clock = at.max(*clock + 0.1),
            }
            host.work(*clock);
            host.handle(Request::FrameDone, *clock);
        }
    };
    let files = vec![("rollouts.yaml".to_owned(), rollouts_scenario())];
    let source = SessionSource::Files { files };
    for request in [Request::Open { source }, Request::Seek { at: 70_000_000 }] {
        host.handle(request, clock);
        settle(&mut host, &mut clock, f64::INFINITY);
    }
    host.handle(Request::Speed { per_mille: 10_000 }, clock);
    let (mut spent, mut bytes, mut frames) = (0.0, 0, 0_u32);
    for _ in 0..300 {
        host.handle(Request::Play, clock);
        let until = clock + 33.0;
        settle(&mut host, &mut clock, until);
        let began = processor_millis();
        let updates = host.handle(Request::Pause, clock);
        for update in &updates {
            bytes += pack(update).map_or(0, |bytes| bytes.len());
            frames += u32::from(matches!(update, Update::Frame(_)));
        }
        spent += processor_millis().zip(began).map_or(0.0, |(now, began)| now - began);
    }
    print_figure(
        "a frame is made, 1000 nodes 10000 pods",
        spent / f64::from(frames),
        "ms",
    );
    print_figure("its bytes", bytes as f64 / f64::from(frames), "");
}

fn n_running_pods(session: &Session) -> u64 {
    let runs = |pod: &&std::sync::Arc<Pod>| pod.status.phase == Some(podscope_api::PodPhase::Running);
    session.world().objects().list::<Pod>().filter(runs).count() as u64
}

/// Measures the search of remedies for a pod on a thousand nodes. Targets: one second, in steps that can be cancelled.
fn measure_remedy_search() {
    let mut session = large_session();
    session.advance(SimTime::from_seconds(50), u64::MAX);
    let zone = "topology.kubernetes.io/zone";
    let pod = format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: waits, labels: {{app: web}}}}\nspec:\n  containers: [{{name: c, image: i, resources: {{requests: {{cpu: 500m}}}}}}]\n  \
         affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: {zone}, labelSelector: {{matchLabels: {{app: web}}}}}}]}}}}\n"
    );
    let line = format!("kubectl apply -f - <<EOF\n{pod}EOF");
    session
        .command(podscope_kubectl::command::parse(&line).expect("a command"))
        .expect("room");
    session.advance(SimTime::from_seconds(60), u64::MAX);
    let key = ObjectKey::new("default", "waits");
    let found = session.world().objects().get::<Pod>(&key).expect("the pod").clone();
    let began = Stopwatch::start();
    let scheduler = session.world().scheduler().expect("a scheduler");
    let mut search = WhatWouldHelp::new(scheduler, &found, &[]);
    let mut longest = began.millis();
    let mut steps = 0_u32;
    while !search.progress().finished {
        let step = Stopwatch::start();
        search.step();
        longest = longest.max(step.millis());
        steps += 1;
    }
    print_figure("what would help, 1000 nodes", began.millis(), "ms");
    print_figure("longest step of it", longest, "ms");
    print_figure("steps", f64::from(steps), "");
}
