//! Memory of the server under random load, printed by `cargo xtask bench chaos`: objects are created, deleted, scaled
//! and patched, watches are opened and dropped, machines and the control plane fail. It takes `PODSCOPE_MINUTES` of
//! simulated time, by default an hour.
//!
//! The run is recorded, so its trace grows all the time; the memory per record must not grow. All choices are
//! generated from a seed, but the order in which the client threads run is not deterministic. Answers are counted by
//! status. An answer is unexpected if neither a missing or existing object nor a fault explains it.
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "native only: a measurement needs a clock; nothing simulated sees it"
)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use podscope_serve::{Options, Server, Speed};
use podscope_session::scenario;
use podscope_session::timeline::Session;

mod common;

use common::{Connection, memory_mib, print_figure};

const DEFAULT_MINUTES: u64 = 60;
/// Speed of the cluster as a multiple of real time.
const SIMULATION_SPEED: f64 = 10.0;
/// Number of memory measurements after the start: one for each quarter of the run.
const MEMORY_MEASUREMENTS: u64 = 4;
/// Expected statuses of answers: success, object missing, object already exists, control plane failed. 0 means that the
/// connection was closed without an answer, as by a crashed API server.
const EXPECTED_STATUSES: [u16; 8] = [200, 201, 404, 409, 0, 500, 503, 504];
/// Number of threads that write.
const WRITER_THREADS: u64 = 4;
/// Pause of a writing thread after each request.
const WRITE_PAUSE: Duration = Duration::from_millis(100);
/// Number of threads that list and watch.
const READER_THREADS: u64 = 8;
/// Time between a fault and its repair, and between a repair and the next fault.
const PAUSE_BETWEEN_FAULTS: Duration = Duration::from_secs(3);
/// Number of different object names for each kind, so that requests often meet existing objects.
const OBJECT_NAMES_PER_KIND: u64 = 40;

const CLUSTER: &str = "apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: chaos}
spec:
  cluster: {zones: [a, b, c], nodesPerZone: 4, node: {cpu: 8, memory: 16Gi, pods: 110}}
";

/// A random number generator (SplitMix64).
struct Random(u64);

impl Random {
    fn random_below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn choose<'o, T>(&mut self, options: &'o [T]) -> &'o T {
        &options[self.random_below(options.len() as u64) as usize]
    }
}

/// State that the client threads share.
struct Chaos {
    address: SocketAddr,
    is_over: AtomicBool,
    watches: AtomicU64,
    /// Number of answers by status; 0 means that the connection was closed without an answer.
    answers: Mutex<BTreeMap<u16, u64>>,
}

impl Chaos {
    /// Sends a request on a connection and counts the answer. Returns whether there was an answer.
    fn send(&self, connection: &mut Connection, method: &str, path: &str, body: &str) -> bool {
        let status = connection.try_send(method, path, body).map_or(0, |(status, _)| status);
        *self.lock_answers().entry(status).or_default() += 1;
        status != 0
    }

    fn lock_answers(&self) -> MutexGuard<'_, BTreeMap<u16, u64>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn main() {
    let minutes = std::env::var("PODSCOPE_MINUTES").ok();
    let minutes = minutes.map_or(DEFAULT_MINUTES, |text| text.parse().expect("a number of minutes"));
    let loaded = scenario::load(&[("chaos.yaml".to_owned(), CLUSTER.to_owned())]).expect("it loads");
    let recording = std::env::temp_dir().join(format!("podscope-chaos-{}.yaml", std::process::id()));
    let options = Options {
        speed: Speed::Times(SIMULATION_SPEED),
        record: Some(recording.clone()),
        ..Options::default()
    };
    let server = Server::start(Session::new(loaded).expect("it starts"), &options).expect("a port is free");
    let chaos = Arc::new(Chaos {
        address: server.address(),
        is_over: AtomicBool::new(false),
        watches: AtomicU64::new(0),
        answers: Mutex::default(),
    });
    let start = |seed: u64, act: fn(&Chaos, &mut Random)| {
        let chaos = chaos.clone();
        std::thread::spawn(move || {
            let mut random = Random(seed);
            while !chaos.is_over.load(Ordering::Relaxed) {
                act(&chaos, &mut random);
            }
        })
    };
    let mut threads: Vec<_> = (0..WRITER_THREADS).map(|seed| start(seed, write_randomly)).collect();
    threads.extend((0..READER_THREADS).map(|seed| start(100 + seed, read_randomly)));
    threads.push(start(200, cause_and_repair_fault));

    let began = Instant::now();
    for interval in 0..=MEMORY_MEASUREMENTS {
        let due = Duration::from_secs(minutes * 60 * interval / MEMORY_MEASUREMENTS).div_f64(SIMULATION_SPEED);
        std::thread::sleep(due.saturating_sub(began.elapsed()));
        print_figures(&server, &chaos);
    }
    chaos.is_over.store(true, Ordering::Relaxed);
    for thread in threads {
        thread.join().expect("a thread of the client does not panic");
    }
    // If the removal fails, a file stays in the temporary directory.
    let _ = std::fs::remove_file(recording);
}

fn print_figures(server: &Server, chaos: &Chaos) {
    let counts = server.ask(|session| (session.trace().len(), session.command_count(), session.now()));
    let (records, commands, now) = counts.expect("the server runs");
    let minutes = now.0 / 60_000_000;
    let answers = chaos.lock_answers().clone();
    let requests: u64 = answers.values().sum();
    println!(
        "after {now}: {records} records, {commands} commands, {requests} requests, {} watches; answers {answers:?}",
        chaos.watches.load(Ordering::Relaxed),
    );
    let unexpected = answers.iter().filter(|(status, _)| !EXPECTED_STATUSES.contains(status));
    let unexpected: u64 = unexpected.map(|(_, count)| *count).sum();
    print_figure(
        &format!("unexpected answers after {minutes} min"),
        unexpected as f64,
        "",
    );
    print_figure(&format!("memory after {minutes} min"), memory_mib(), "MiB");
}

/// Creates, changes, scales or deletes an object. The request may be refused.
fn write_randomly(chaos: &Chaos, random: &mut Random) {
    let number = random.random_below(OBJECT_NAMES_PER_KIND);
    let resource = *random.choose(&["pods", "configmaps", "deployments"]);
    let (path, create, patch) = match resource {
        "pods" => (
            "/api/v1/namespaces/default/pods",
            format!(
                "{{\"metadata\": {{\"name\": \"n-{number}\"}}, \"spec\": {{\"containers\": [{{\"name\": \"c\", \"image\": \"i\"}}]}}}}"
            ),
            format!(
                "{{\"metadata\": {{\"labels\": {{\"n\": \"{}\"}}}}}}",
                random.random_below(1000)
            ),
        ),
        "configmaps" => (
            "/api/v1/namespaces/default/configmaps",
            format!(
                "{{\"metadata\": {{\"name\": \"n-{number}\"}}, \"data\": {{\"key\": \"{}\"}}}}",
                "x".repeat(1000)
            ),
            format!("{{\"data\": {{\"key\": \"{}\"}}}}", random.random_below(1000)),
        ),
        _ => (
            "/apis/apps/v1/namespaces/default/deployments",
            format!(
                "{{\"metadata\": {{\"name\": \"n-{number}\"}}, \"spec\": {{\"replicas\": 2, \"selector\": {{\"matchLabels\": {{\"n\": \"{number}\"}}}}, \
                 \"template\": {{\"metadata\": {{\"labels\": {{\"n\": \"{number}\"}}}}, \"spec\": {{\"containers\": [{{\"name\": \"c\", \"image\": \"i\"}}]}}}}}}}}"
            ),
            format!("{{\"spec\": {{\"replicas\": {}}}}}", random.random_below(5)),
        ),
    };
    let one = format!("{path}/n-{number}");
    let scale = format!("{one}/scale");
    let (method, path, body) = match random.random_below(4) {
        0 => ("POST", path, create),
        1 => ("PATCH", one.as_str(), patch),
        2 if resource == "deployments" => ("PATCH", scale.as_str(), patch),
        _ => ("DELETE", one.as_str(), String::new()),
    };
    // Each write opens a new connection: the server must free the memory of the old ones.
    let mut connection = Connection::open(chaos.address);
    for _ in 0..=random.random_below(3) {
        if !chaos.send(&mut connection, method, path, &body) {
            break;
        }
    }
    std::thread::sleep(WRITE_PAUSE);
}

/// Lists objects, or watches them for a while and then closes the connection.
fn read_randomly(chaos: &Chaos, random: &mut Random) {
    let path = *random.choose(&[
        "/api/v1/pods",
        "/api/v1/events",
        "/apis/apps/v1/deployments",
        "/api/v1/nodes",
    ]);
    if random.random_below(3) == 0 {
        chaos.send(&mut Connection::open(chaos.address), "GET", path, "");
        return std::thread::sleep(WRITE_PAUSE);
    }
    let stream = TcpStream::connect(chaos.address).expect("it listens");
    stream.set_read_timeout(Some(WRITE_PAUSE)).expect("a socket option");
    let head = format!("GET {path}?watch=true HTTP/1.1\r\nHost: {}\r\n\r\n", chaos.address);
    if (&stream).write_all(head.as_bytes()).is_err() {
        return;
    }
    chaos.watches.fetch_add(1, Ordering::Relaxed);
    let until = Instant::now() + WRITE_PAUSE * random.random_below(50) as u32;
    let (mut reader, mut line) = (BufReader::new(&stream), Vec::new());
    // One watch in four does not read, so that the server has to limit its buffer.
    if random.random_below(4) == 0 {
        std::thread::sleep(until.saturating_duration_since(Instant::now()));
    }
    while Instant::now() < until && !chaos.is_over.load(Ordering::Relaxed) {
        line.clear();
        // A read timeout does not end the watch.
        if reader.read_until(b'\n', &mut line).is_ok_and(|read| read == 0) {
            break;
        }
    }
    // Fails if the server has already closed the connection.
    let _ = stream.shutdown(Shutdown::Both);
}

/// Causes a random fault and repairs it.
fn cause_and_repair_fault(chaos: &Chaos, random: &mut Random) {
    let node = format!("{}-{}", random.choose(&["a", "b", "c"]), 1 + random.random_below(4));
    let (fault, repair) = match random.random_below(5) {
        0 => ("crash apiserver".to_owned(), "restart apiserver".to_owned()),
        1 => ("etcd down".to_owned(), "etcd up".to_owned()),
        2 => (format!("poweroff {node}"), format!("boot {node}")),
        3 => (format!("partition {node}"), format!("heal {node}")),
        _ => (format!("crash kubelet {node}"), format!("restart kubelet {node}")),
    };
    for command in [fault, repair] {
        let body = format!("{{\"run\": \"fault {command}\"}}");
        Connection::open(chaos.address).send_ok("POST", "/podscope/v1/command", &body);
        std::thread::sleep(PAUSE_BETWEEN_FAULTS);
    }
}
