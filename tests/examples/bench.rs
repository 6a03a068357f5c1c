//! Measurements that `cargo xtask bench` prints: `timeline`, `load`, `help`, `frame`, `huge`; each figure is a line.
//! `inputs DIRECTORY` writes what the browser's measurements open.
#![allow(clippy::disallowed_types)] // a measurement needs a clock; nothing simulated sees it

use std::fs;
use std::path::Path;
use std::time::Instant;

use podscope_api::{ObjectKey, Pod};
use podscope_cluster::{Rng, SimTime, Span};
use podscope_protocol::{Request, Source, Update, pack};
use podscope_scheduler::what_would_help::WhatWouldHelp;
use podscope_session::host::{Host, Wants};
use podscope_session::timeline::{Session, Slice};
use podscope_session::{export, lessons, scenario};
use podscope_tests::dump::{Size, dump};

/// Half an hour.
const SESSION: SimTime = SimTime::from_seconds(1800);
/// Instants that are sought.
const SEEKS: u64 = 100;
/// Pods of the largest cluster.
const HUGE_PODS: u64 = 50_000;

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    if let [what, directory] = names.as_slice()
        && what == "inputs"
    {
        return inputs(Path::new(directory));
    }
    for (name, run) in [
        ("timeline", timeline as fn()),
        ("load", load),
        ("help", help),
        ("frame", frame),
        ("huge", huge_runs),
    ] {
        // The largest cluster takes minutes: only who asks for it waits for it.
        if (names.is_empty() && name != "huge") || names.iter().any(|wanted| wanted == name) {
            run();
        }
    }
}

fn figure(name: &str, value: f64, unit: &str) {
    println!("figure: {name} = {value:.1} {unit}");
}

/// A time that has begun.
struct Watch {
    wall: Instant,
    worked: Option<f64>,
}

impl Watch {
    fn start() -> Watch {
        Watch {
            wall: Instant::now(),
            worked: worked(),
        }
    }

    /// Milliseconds since. Long ones are of the processor's time, so that what else the machine does is left out;
    /// for short ones the system's account of it is too coarse.
    fn millis(&self) -> f64 {
        let wall = self.wall.elapsed().as_secs_f64() * 1000.0;
        match (self.worked, worked()) {
            (Some(began), Some(now)) if wall > 20.0 => (now - began).min(wall),
            _ => wall,
        }
    }
}

/// Milliseconds that this thread has computed; none where the system does not tell.
fn worked() -> Option<f64> {
    let account = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = account.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e6)
}

/// A figure of this process in MiB; 0 where the system does not tell.
fn memory(name: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.trim_start_matches(':').split_whitespace().next()?.parse().ok());
    kib.unwrap_or(0.0) / 1024.0
}

/// A thousand nodes, three thousand pods, and things that go on happening to them.
fn large() -> Session {
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

/// Five thousand nodes and fifty thousand pods with probes: a cluster as large as Kubernetes promises to carry.
fn huge() -> Session {
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
    let loaded = scenario::load(&[("huge.yaml".to_owned(), text)]).expect("it loads");
    Session::new(loaded).expect("it starts")
}

/// A lesson without its story: at a question time would wait for an answer.
fn lesson() -> Session {
    let name = "rolling-update-bad-image";
    let solution = lessons::load(name).expect("a lesson").scenario.solution;
    let bare = lessons::bare(name).expect("a lesson");
    let loaded = scenario::load(&[("lesson.yaml".to_owned(), bare)]).expect("it loads");
    let mut session = Session::new(loaded).expect("it starts");
    session.schedule(solution);
    session
}

/// The same sessions and the same dump as files.
fn inputs(directory: &Path) {
    fs::create_dir_all(directory).expect("a directory");
    let write = |name: &str, text: String| fs::write(directory.join(name), text).expect("a writable directory");
    let yaml = dump(Size::FULL);
    write("dump.json", as_json(&yaml));
    write("dump.yaml", yaml);
    write("lesson.yaml", export::scenario(&lesson()));
    write("large.yaml", export::scenario(&large()));
    write("huge.yaml", export::scenario(&huge()));
}

/// The same objects as `kubectl get -o json` prints them.
fn as_json(yaml: &str) -> String {
    let value = podscope_api::read_yaml(yaml).expect("YAML").to_value();
    serde_json::to_string_pretty(&value).expect("JSON")
}

/// Seeks anywhere in half an hour: a lesson within 50 ms, a thousand nodes within 300 ms.
fn timeline() {
    for (name, make) in [("lesson", lesson as fn() -> Session), ("1000 nodes", large)] {
        let before = memory("VmRSS");
        let began = Watch::start();
        let mut session = make();
        session.advance(SESSION, u64::MAX);
        let ran = began.millis();
        figure(&format!("run 30 min, {name}"), ran, "ms");
        figure(&format!("speed, {name}"), SESSION.0 as f64 / 1000.0 / ran, "x");
        figure(
            &format!("checkpoints, {name}"),
            session.branch().checkpoint_count() as f64,
            "",
        );
        figure(
            &format!("session with checkpoints, {name}"),
            memory("VmRSS") - before,
            "MiB",
        );
        figure(&format!("events, {name}"), session.world().queue_stats().1 as f64, "");
        figure(&format!("records, {name}"), session.trace().len() as f64, "");
        let mut rng = Rng::split(1, "seeks");
        let mut times: Vec<f64> = (0..SEEKS)
            .map(|_| {
                let to = SimTime(i64::try_from(rng.below(SESSION.0.unsigned_abs())).unwrap_or(0));
                let began = Watch::start();
                session.seek(to);
                session.advance(to, u64::MAX);
                began.millis()
            })
            .collect();
        times.sort_unstable_by(f64::total_cmp);
        figure(&format!("seek, median, {name}"), times[times.len() / 2], "ms");
        figure(&format!("seek, slowest, {name}"), times[times.len() - 1], "ms");
    }
}

/// The 25 MB dump of a live cluster, natively; a browser may take three seconds.
fn load() {
    let yaml = dump(Size::FULL);
    let json = as_json(&yaml);
    for (name, text) in [("dump.yaml", yaml), ("dump.json", json)] {
        figure(name, text.len() as f64 / 1e6, "MB");
        // What was needed to write the dump is not what it takes to read it.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let began = Watch::start();
        let loaded = scenario::load(&[(name.to_owned(), text)]).expect("it loads");
        figure(&format!("read, {name}"), began.millis(), "ms");
        let began = Watch::start();
        let session = Session::new(loaded).expect("it starts");
        figure(&format!("start its cluster, {name}"), began.millis(), "ms");
        figure(&format!("process memory at most, {name}"), memory("VmHWM"), "MiB");
        assert_eq!(session.world().objects().list::<Pod>().count(), 5000);
    }
}

/// A cluster of the largest size, until all of its pods run and for ten minutes more: at least twenty times real
/// time in a browser, in at most 400 MB.
fn huge_runs() {
    let before = memory("VmRSS");
    let began = Watch::start();
    let mut session = huge();
    figure("start, huge", began.millis(), "ms");
    let began = Watch::start();
    while running(&session) < HUGE_PODS && session.now() < SESSION {
        if session.advance(session.now() + Span::seconds(10), u64::MAX) == Slice::Limit {
            break;
        }
    }
    figure("pods that run, huge", running(&session) as f64, "");
    figure("full at, huge", session.now().0 as f64 / 1e6, "s");
    figure("fill, huge", began.millis(), "ms");
    figure("events, huge", session.world().queue_stats().1 as f64, "");
    figure("records, huge", session.trace().len() as f64, "");
    figure("checkpoints, huge", session.branch().checkpoint_count() as f64, "");
    figure("session when it is full, huge", memory("VmRSS") - before, "MiB");
    let began = Watch::start();
    session.advance(session.now() + Span::seconds(600), u64::MAX);
    figure("speed, huge", 600_000.0 / began.millis(), "x");
    figure("session with checkpoints, huge", memory("VmRSS") - before, "MiB");
    figure("events at last, huge", session.world().queue_stats().1 as f64, "");
}

/// A thousand nodes with ten thousand pods, of which fifty are rolled every four seconds.
fn rollouts() -> String {
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

/// What a frame costs the engine while that plays at 10×: it is made, and it becomes bytes.
fn frame() {
    let (mut host, mut clock) = (Host::new(), 0.0);
    // Works until the host rests, or until that much time of the clock is over.
    let settle = |host: &mut Host, clock: &mut f64, until: f64| {
        while *clock < until {
            match host.wants() {
                Wants::Rest => break,
                Wants::Now => *clock += 0.1,
                Wants::At(at) => *clock = at.max(*clock + 0.1),
            }
            host.work(*clock);
            host.handle(Request::FrameDone, *clock);
        }
    };
    let files = vec![("rollouts.yaml".to_owned(), rollouts())];
    let source = Source::Files { files };
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
        let began = worked();
        let updates = host.handle(Request::Pause, clock);
        for update in &updates {
            bytes += pack(update).map_or(0, |bytes| bytes.len());
            frames += u32::from(matches!(update, Update::Frame(_)));
        }
        spent += worked().zip(began).map_or(0.0, |(now, began)| now - began);
    }
    figure(
        "a frame is made, 1000 nodes 10000 pods",
        spent / f64::from(frames),
        "ms",
    );
    figure("its bytes", bytes as f64 / f64::from(frames), "");
}

fn running(session: &Session) -> u64 {
    let runs = |pod: &&std::sync::Arc<Pod>| pod.status.phase == Some(podscope_api::PodPhase::Running);
    session.world().objects().list::<Pod>().filter(runs).count() as u64
}

/// What would help a pod on a thousand nodes: within a second, in steps that can be cancelled.
fn help() {
    let mut session = large();
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
    let began = Watch::start();
    let scheduler = session.world().scheduler().expect("a scheduler");
    let mut search = WhatWouldHelp::new(scheduler, &found, &[]);
    let mut longest = began.millis();
    let mut steps = 0_u32;
    while !search.progress().finished {
        let step = Watch::start();
        search.step();
        longest = longest.max(step.millis());
        steps += 1;
    }
    figure("what would help, 1000 nodes", began.millis(), "ms");
    figure("longest step of it", longest, "ms");
    figure("steps", f64::from(steps), "");
}
