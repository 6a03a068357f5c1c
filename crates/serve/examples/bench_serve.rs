//! Benchmark of the server, printed by `cargo xtask bench serve`; each result is one line.
//!
//! Server and clients are threads of this process. Processor time includes only the server's threads.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "native only: a measurement needs a clock; nothing simulated sees it"
)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use podscope_serve::{Options, Server, Speed};
use podscope_session::scenario;
use podscope_session::timeline::Session;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};

mod common;

use common::{Connection, memory_mib, print_figure};

/// Number of listed pods.
const PODS: usize = 10_000;
/// Number of list requests of each form that are measured.
const LIST_REQUESTS: usize = 11;
/// Number of created objects. Invariant: at most the number of commands that a session can record (`docs/limits.md`).
const CREATED_OBJECTS: usize = 8_000;
/// Number of connections that create objects.
const CREATOR_CONNECTIONS: usize = 16;
/// Number of watches that are open at the same time.
const WATCHERS: usize = 1_000;
/// Number of changes per second in the measurement of watches.
const CHANGES_PER_SECOND: usize = 100;
/// Duration of the measurement of watches, in seconds.
const WATCH_SECONDS: usize = 10;
/// Number of connections that make the changes.
const WRITER_CONNECTIONS: usize = 4;
/// Name of the threads that belong to clients.
const CLIENT_THREAD: &str = "client";

fn main() {
    measure_lists();
    measure_creates("configmaps", |number| {
        format!("{{\"metadata\": {{\"name\": \"c-{number}\"}}, \"data\": {{\"key\": \"value\"}}}}")
    });
    measure_creates("pods", |number| {
        let container = "{\"name\": \"c\", \"image\": \"nginx\", \"resources\": {\"requests\": {\"cpu\": \"1m\"}}}";
        format!("{{\"metadata\": {{\"name\": \"p-{number}\"}}, \"spec\": {{\"containers\": [{container}]}}}}")
    });
    measure_watches();
}

fn start_server(scenario: &str, speed: Speed) -> Server {
    let loaded = scenario::load(&[("bench.yaml".to_owned(), scenario.to_owned())]).expect("it loads");
    let options = Options {
        speed,
        ..Options::default()
    };
    Server::start(Session::new(loaded).expect("it starts"), &options).expect("a port is free")
}

/// Processor time of each thread of the server when a measurement started. `seconds` returns the time used since then;
/// threads that have ended meanwhile are not counted.
struct ProcessorTime(BTreeMap<OsString, u64>);

impl ProcessorTime {
    fn start() -> ProcessorTime {
        ProcessorTime(nanoseconds_by_thread())
    }

    fn seconds(&self) -> f64 {
        let since = |(thread, now): (OsString, u64)| now - self.0.get(&thread).copied().unwrap_or(0);
        nanoseconds_by_thread().into_iter().map(since).sum::<u64>() as f64 / 1e9
    }
}

/// Returns the processor time of each thread of the server; empty if the system does not provide it.
fn nanoseconds_by_thread() -> BTreeMap<OsString, u64> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let of_thread = |thread: fs::DirEntry| {
        let name = fs::read_to_string(thread.path().join("comm")).ok()?;
        let is_main = thread.file_name() == *std::process::id().to_string();
        if is_main || name.trim() == CLIENT_THREAD {
            return None;
        }
        let account = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        Some((thread.file_name(), account.split(' ').next()?.parse().ok()?))
    };
    threads.filter_map(of_thread).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Returns a scenario with a thousand nodes and a Deployment of [`PODS`] pods.
fn scenario_with_many_pods() -> String {
    format!(
        "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: bench}}\nspec:\n  cluster: {{zones: [a, b, c, d], nodesPerZone: 250}}\n\
         ---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec: {{replicas: {PODS}, selector: {{matchLabels: {{app: web}}}}, \
         template: {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{{name: c, image: i, resources: {{requests: {{cpu: 100m}}}}}}]}}}}}}\n"
    )
}

fn measure_lists() {
    let server = start_server(&scenario_with_many_pods(), Speed::Manual);
    let mut connection = Connection::open(server.address());
    let until = format!(
        "{{\"until\": {{\"object\": \"Deployment default/web\", \"path\": \".status.readyReplicas\", \"equals\": {PODS}}}}}"
    );
    let answer = connection.send_ok("POST", "/podscope/v1/advance", &until);
    assert!(
        answer.ends_with(b"\"met\":true}\n"),
        "{}",
        String::from_utf8_lossy(&answer)
    );
    for (name, path) in [
        ("list of 10 000 pods", "/api/v1/pods"),
        ("page of 500 pods", "/api/v1/pods?limit=500"),
        (
            "list of one node's pods",
            "/api/v1/pods?fieldSelector=spec.nodeName%3Da-1",
        ),
    ] {
        let (mut walls, mut processors, mut size) = (Vec::new(), Vec::new(), 0);
        for _ in 0..LIST_REQUESTS {
            let (wall, processor) = (Instant::now(), ProcessorTime::start());
            size = connection.send_ok("GET", path, "").len();
            walls.push(wall.elapsed().as_secs_f64() * 1e3);
            processors.push(processor.seconds() * 1e3);
        }
        print_figure(&format!("{name}, {} KiB, first", size / 1024), walls[0], "ms");
        print_figure(&format!("{name}, first, processor"), processors[0], "ms");
        print_figure(&format!("{name}, median"), median(walls), "ms");
        print_figure(&format!("{name}, median, processor"), median(processors), "ms");
    }
    print_figure("memory with 10 000 pods", memory_mib(), "MiB");
}

fn measure_creates(resource: &str, body: fn(usize) -> String) {
    let server = start_server("", Speed::Times(1.0));
    let (next, began, processor) = (Arc::new(AtomicUsize::new(0)), Instant::now(), ProcessorTime::start());
    let creators: Vec<_> = (0..CREATOR_CONNECTIONS)
        .map(|_| {
            let (next, address) = (next.clone(), server.address());
            let path = format!("/api/v1/namespaces/default/{resource}");
            let create = move || {
                let mut connection = Connection::open(address);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= CREATED_OBJECTS {
                        return;
                    }
                    connection.send_ok("POST", &path, &body(number));
                }
            };
            std::thread::Builder::new()
                .name(CLIENT_THREAD.to_owned())
                .spawn(create)
                .expect("a thread")
        })
        .collect();
    for creator in creators {
        creator.join().expect("every object is created");
    }
    let seconds = began.elapsed().as_secs_f64();
    print_figure(
        &format!("{resource} created"),
        CREATED_OBJECTS as f64 / seconds,
        "per s",
    );
    let processor = processor.seconds() * 1e6 / CREATED_OBJECTS as f64;
    print_figure(&format!("{resource}: processor per create"), processor, "µs");
}

/// Reads the events of a watch and returns the delay of each, in milliseconds. The annotation `at` of an object is the
/// time at which the object was changed.
async fn read_watch_delays(address: SocketAddr, clock: Instant, opened: Arc<AtomicUsize>) -> Vec<f64> {
    let stream = tokio::net::TcpStream::connect(address).await.expect("it listens");
    let mut reader = tokio::io::BufReader::new(stream);
    let path = "/api/v1/namespaces/default/pods?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan";
    let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    reader.get_mut().write_all(head.as_bytes()).await.expect("it is sent");
    let (mut line, mut delays) = (String::new(), Vec::new());
    while reader.read_line(&mut line).await.is_ok_and(|read| read > 0) {
        if line == "\r\n" && delays.is_empty() {
            opened.fetch_add(1, Ordering::Relaxed);
        }
        if let Some((_, rest)) = line.split_once("\"at\":\"") {
            let at: f64 = rest.split('"').next().and_then(|at| at.parse().ok()).expect("a time");
            delays.push(clock.elapsed().as_secs_f64() * 1e3 - at);
            if delays.len() == CHANGES_PER_SECOND * WATCH_SECONDS {
                break;
            }
        }
        line.clear();
    }
    delays
}

fn measure_watches() {
    let server = start_server("", Speed::Times(1.0));
    let address = server.address();
    let mut connection = Connection::open(address);
    for number in 0..CHANGES_PER_SECOND {
        let container = "{\"name\": \"c\", \"image\": \"nginx\", \"resources\": {\"requests\": {\"cpu\": \"1m\"}}}";
        let pod =
            format!("{{\"metadata\": {{\"name\": \"p-{number}\"}}, \"spec\": {{\"containers\": [{container}]}}}}");
        connection.send_ok("POST", "/api/v1/namespaces/default/pods", &pod);
    }
    connection.send_ok("POST", "/podscope/v1/advance", "{\"seconds\": 60}");
    let (clock, opened, without) = (Instant::now(), Arc::new(AtomicUsize::new(0)), memory_mib());
    let told = opened.clone();
    let read_all = move || -> Vec<Vec<f64>> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let tasks: Vec<_> = (0..WATCHERS)
                .map(|_| tokio::spawn(read_watch_delays(address, clock, told.clone())))
                .collect();
            let mut all = Vec::new();
            for task in tasks {
                all.push(task.await.expect("a watch"));
            }
            all
        })
    };
    let readers = std::thread::Builder::new()
        .name(CLIENT_THREAD.to_owned())
        .spawn(read_all)
        .expect("a thread");
    while opened.load(Ordering::Relaxed) < WATCHERS {
        std::thread::yield_now();
    }
    print_figure(
        "memory of a watch",
        (memory_mib() - without) * 1024.0 / WATCHERS as f64,
        "KiB",
    );

    let (began, processor) = (Instant::now(), ProcessorTime::start());
    let writers: Vec<_> = (0..WRITER_CONNECTIONS)
        .map(|writer| {
            let write = move || {
                let mut connection = Connection::open(address);
                for change in (writer..CHANGES_PER_SECOND * WATCH_SECONDS).step_by(WRITER_CONNECTIONS) {
                    let due = Duration::from_secs_f64(change as f64 / CHANGES_PER_SECOND as f64);
                    std::thread::sleep(due.saturating_sub(began.elapsed()));
                    let at = clock.elapsed().as_secs_f64() * 1e3;
                    let patch = format!("{{\"metadata\": {{\"annotations\": {{\"at\": \"{at}\"}}}}}}");
                    let path = format!("/api/v1/namespaces/default/pods/p-{}", change % CHANGES_PER_SECOND);
                    connection.send_ok("PATCH", &path, &patch);
                }
            };
            let thread = std::thread::Builder::new().name(CLIENT_THREAD.to_owned());
            thread.spawn(write).expect("a thread")
        })
        .collect();
    for writer in writers {
        writer.join().expect("every change is made");
    }
    let mut delays: Vec<f64> = Vec::new();
    for of_watch in readers.join().expect("the readers end") {
        assert_eq!(
            of_watch.len(),
            CHANGES_PER_SECOND * WATCH_SECONDS,
            "a watch ended early"
        );
        delays.extend(of_watch);
    }
    let seconds = began.elapsed().as_secs_f64();
    delays.sort_by(f64::total_cmp);
    let rate = delays.len() as f64 / seconds;
    print_figure("events delivered to 1 000 watches", rate, "per s");
    print_figure("delay of an event, median", delays[delays.len() / 2], "ms");
    print_figure("delay of an event, 99 %", delays[delays.len() / 100 * 99], "ms");
    print_figure("processors in use meanwhile", processor.seconds() / seconds, "");
}
