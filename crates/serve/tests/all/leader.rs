//! Leader election with a Lease, as in client-go: two candidates, restarts of the API server, and a crash of the
//! leader.
//!
//! A leader acts by creating a ConfigMap. The resourceVersions give the order in which the API server accepted the
//! acts, so two simultaneous leaders would show as alternating acts.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use podscope_serve::{Options, Server, Speed};
use podscope_session::scenario;
use podscope_session::timeline::Session;
use serde_json::{Value, json};

use crate::client::{get, post, send};

const LEASES_PATH: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const CONFIG_MAPS_PATH: &str = "/api/v1/namespaces/default/configmaps";
/// Time without a renewal after which another candidate may take the lease.
const LEASE_DURATION: Duration = Duration::from_millis(2000);
/// Time without a renewal after which the leader stops.
const RENEW_DEADLINE: Duration = Duration::from_millis(1200);
const RETRY_PERIOD: Duration = Duration::from_millis(100);
/// Timeout of every wait in this test.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A candidate that behaves like `leaderelection.LeaderElector` of client-go.
struct Candidate {
    name: &'static str,
    server: SocketAddr,
    /// The lease as last observed, and when it was last seen to change.
    observed: (Value, Instant),
    acts: u32,
}

impl Candidate {
    fn run(mut self, has_crashed: &AtomicBool) {
        while !has_crashed.load(Ordering::Relaxed) {
            let mut renewed = Instant::now();
            if !self.try_acquire_or_renew() {
                sleep(RETRY_PERIOD);
                continue;
            }
            while renewed.elapsed() < RENEW_DEADLINE && !has_crashed.load(Ordering::Relaxed) {
                self.acts += 1;
                let name = format!("act-{}-{}", self.name, self.acts);
                let act = json!({"metadata": {"name": name, "labels": {"by": self.name}}});
                post(self.server, CONFIG_MAPS_PATH, &act.to_string());
                sleep(RETRY_PERIOD);
                let begun = Instant::now();
                if self.try_acquire_or_renew() {
                    renewed = begun;
                }
            }
        }
    }

    /// Returns whether the candidate holds the lease now.
    fn try_acquire_or_renew(&mut self) -> bool {
        let path = format!("{LEASES_PATH}/operator");
        let found = get(self.server, &path);
        let own = |transitions: i64| json!({"holderIdentity": self.name, "leaseDurationSeconds": 2, "leaseTransitions": transitions});
        let mut lease = match found.status {
            200 => found.json(),
            404 => {
                let lease = json!({"metadata": {"name": "operator"}, "spec": own(0)});
                return post(self.server, LEASES_PATH, &lease.to_string()).status == 201;
            }
            _ => return false,
        };
        if self.observed.0 != lease {
            self.observed = (lease.clone(), Instant::now());
        }
        let is_own = lease["spec"]["holderIdentity"] == self.name;
        if !is_own && self.observed.1.elapsed() < LEASE_DURATION {
            return false;
        }
        let transitions = lease["spec"]["leaseTransitions"].as_i64().unwrap_or(0);
        lease["spec"] = own(transitions + i64::from(!is_own));
        // The renew time makes every renewal a change of the lease, as in client-go.
        lease["spec"]["renewTime"] = json!(format!("2026-01-01T00:00:00.{:06}Z", self.acts));
        // If two candidates write the lease at once, its resourceVersion lets only one of them succeed.
        let kind = [("Content-Type".to_owned(), "application/json".to_owned())];
        send(self.server, "PUT", &path, &kind, lease.to_string().as_bytes()).status == 200
    }
}

/// Returns the name of the candidate that made each act (created a ConfigMap), in the order in which the API server
/// accepted the acts.
fn candidate_of_each_act(server: SocketAddr) -> Vec<String> {
    let list = get(server, &format!("{CONFIG_MAPS_PATH}?labelSelector=by"));
    if list.status != 200 {
        return Vec::new();
    }
    let list = list.json();
    let found = list["items"].as_array().into_iter().flatten().map(|act| {
        let version = act["metadata"]["resourceVersion"].as_str().unwrap_or_default();
        let by = act["metadata"]["labels"]["by"].as_str().unwrap_or_default();
        (version.parse::<u64>().expect("a version"), by.to_owned())
    });
    let mut found: Vec<_> = found.collect();
    found.sort();
    found.into_iter().map(|(_, by)| by).collect()
}

/// Waits until a candidate other than `except` has made `min_acts` acts, not counting the first `skipped_acts` acts of
/// all candidates. Returns the name of the candidate.
fn wait_for_leader(server: SocketAddr, skipped_acts: usize, min_acts: usize, except: &str) -> String {
    let begun = Instant::now();
    loop {
        let all = candidate_of_each_act(server);
        if let Some(last) = all.last().filter(|last| **last != except)
            && all[skipped_acts..].iter().filter(|by| *by == last).count() >= min_acts
        {
            return last.clone();
        }
        assert!(begun.elapsed() < TIMEOUT, "nobody leads: {all:?}");
        sleep(RETRY_PERIOD);
    }
}

fn run_fault_command(server: SocketAddr, arguments: &str) {
    let answer = post(
        server,
        "/podscope/v1/command",
        &json!({"run": format!("fault {arguments}")}).to_string(),
    );
    assert!(answer.json()["refused"].is_null(), "{}", answer.body);
}

/// Shows: HT-079
#[test]
fn only_the_elected_leader_acts_across_crashes() {
    let options = Options {
        speed: Speed::Times(10.0),
        ..Options::default()
    };
    let session = Session::new(scenario::load(&[]).expect("the cluster of no file")).expect("it starts");
    let served = Server::start(session, &options).expect("a port is free");
    let server = served.address();
    let start = |name: &'static str| -> (&'static str, Arc<AtomicBool>, JoinHandle<()>) {
        let has_crashed = Arc::new(AtomicBool::new(false));
        let (own, observed) = (has_crashed.clone(), (Value::Null, Instant::now()));
        let candidate = Candidate {
            name,
            server,
            observed,
            acts: 0,
        };
        (name, has_crashed, std::thread::spawn(move || candidate.run(&own)))
    };
    let candidates = [start("one"), start("two")];
    let first = wait_for_leader(server, 0, 3, "");

    // A short outage: the leader keeps the lease, or loses it if the machine is slow.
    run_fault_command(server, "crash apiserver");
    sleep(RETRY_PERIOD);
    run_fault_command(server, "restart apiserver");
    wait_for_leader(server, 3, 3, "");

    // A long outage: the leader stops, and one of the two leads afterwards.
    run_fault_command(server, "crash apiserver");
    sleep(LEASE_DURATION + RENEW_DEADLINE);
    run_fault_command(server, "restart apiserver");
    let second = wait_for_leader(server, 6, 3, "");

    // The leader crashes and cannot release the lease: the other candidate acquires it.
    for (name, has_crashed, _) in &candidates {
        has_crashed.store(*name == second, Ordering::Relaxed);
    }
    let third = wait_for_leader(server, 9, 3, &second);
    for (_, has_crashed, candidate) in candidates {
        has_crashed.store(true, Ordering::Relaxed);
        candidate.join().expect("a candidate does not panic");
    }

    let lease = get(server, &format!("{LEASES_PATH}/operator")).json();
    assert_eq!(lease["spec"]["holderIdentity"], third.as_str());
    let mut terms = candidate_of_each_act(server);
    assert_eq!(terms.first(), Some(&first));
    terms.dedup();
    // A leader may lose the lease before its first act, so there can be more transitions than changes of the acting
    // candidate.
    let transitions = lease["spec"]["leaseTransitions"].as_u64().expect("a number");
    assert!(
        terms.len() as u64 - 1 <= transitions,
        "{transitions} transitions: {terms:?}"
    );
}
