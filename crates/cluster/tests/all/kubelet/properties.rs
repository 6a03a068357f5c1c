//! Properties of random pods under random interleavings of deletions, shortened grace periods, forced deletions,
//! crashes, restarts, power losses, partitions and heals (L-01, L-09 to L-13, F-01). A failed assertion prints the
//! seed; set `SEEDS` to this seed alone to reproduce the failure.

use podscope_api::ordered;

use podscope_api::NodeName;
use podscope_cluster::fault::{Fault, Targets};
use podscope_cluster::{NodeShorthand, Record, Rng, Setup, SimTime, Span, What};
use serde_json::{Value, json};

use crate::common::partition;
use crate::kubelet::lab::{Lab, number_field, pod, text_field};

const SEEDS: std::ops::Range<u64> = 0..60;
const POD_NAMES: [&str; 4] = ["p0", "p1", "p2", "p3"];
const NODE_NAMES: [&str; 2] = ["a-1", "a-2"];
/// Interval in seconds at which the kubelets are observed.
const OBSERVATION_INTERVAL: f64 = 0.1;

fn pick_random<'a>(rng: &mut Rng, among: &[&'a str]) -> &'a str {
    among[rng.below(among.len() as u64) as usize]
}

fn random_pod(name: &str, rng: &mut Rng) -> Value {
    let grace = rng.below(20) as i64;
    let policy = pick_random(rng, &["Always", "OnFailure", "Never"]);
    let mut containers: Vec<(&str, Value, String)> = Vec::new();
    for container in ["init", "side", "app", "other"].iter().take(2 + rng.below(3) as usize) {
        let mut extra = json!({});
        match *container {
            "init" => extra["init"] = json!(true),
            "side" => {
                extra["init"] = json!(true);
                extra["restartPolicy"] = json!("Always");
            }
            _ => {}
        }
        let mut behavior = vec![format!("sigterm={}", pick_random(rng, &["0s", "1s", "4s", "ignore"]))];
        if *container != "init" && rng.below(3) == 0 {
            behavior.push(format!("run={}", pick_random(rng, &["1s", "15s", "40s"])));
            behavior.push(format!("exit={}", pick_random(rng, &["0", "1"])));
        }
        if *container != "init" && rng.below(3) == 0 {
            extra["lifecycle"] = json!({"preStop": {"exec": {"command": ["stop"]}}});
            behavior.push(format!(
                "prestop={}",
                pick_random(rng, &["1s", "2500ms", "hang", "fail", "30s"])
            ));
        }
        if *container == "app" && rng.below(4) == 0 {
            extra["livenessProbe"] = json!({"exec": {"command": ["ok"]}, "periodSeconds": 2});
            behavior.push("liveness=fail@20s..30s".into());
        }
        containers.push((container, extra, behavior.join(", ")));
    }
    if containers.len() == 2 {
        containers.push(("app", json!({}), String::new()));
    }
    let list: Vec<(&str, Value, &str)> = containers
        .iter()
        .map(|(name, extra, behavior)| (*name, extra.clone(), behavior.as_str()))
        .collect();
    // The scheduler chooses the node.
    let spec = json!({"nodeName": null, "terminationGracePeriodSeconds": grace, "restartPolicy": policy});
    pod(name, spec, &list)
}

/// A run with random faults, and the terminations that were observed in it.
struct RandomFaultsRun {
    seed: u64,
    lab: Lab,
    /// Grace period in the spec of each pod, in seconds, by UID.
    own_grace: ordered::Map<String, i64>,
    /// The shortest grace period observed for the deletion of each pod, in seconds, and since when it applied, by UID.
    shortest: ordered::Map<String, (i64, SimTime)>,
    /// When a kubelet was first observed to terminate each pod, by UID.
    terminating: ordered::Map<String, SimTime>,
}

impl RandomFaultsRun {
    /// Runs until second `until`, and observes pods and kubelets at short intervals.
    fn run_until(&mut self, until: f64) {
        let mut at = (self.lab.world.now() - SimTime::ZERO).0 as f64 / 1e6;
        while at < until {
            at = (at + OBSERVATION_INTERVAL).min(until);
            self.lab.run(at);
            for name in POD_NAMES {
                let now = self.lab.world.now();
                let Some(pod) = self.lab.pod(name) else { continue };
                let uid = pod.metadata.uid.clone();
                if let Some(seconds) = pod.metadata.deletion_grace_period_seconds {
                    let known = self.shortest.entry(uid.to_string()).or_insert((seconds, now));
                    if seconds < known.0 {
                        *known = (seconds, now);
                    }
                }
                let is_terminating =
                    |(_, kubelet): (_, &podscope_cluster::kubelet::Kubelet)| kubelet.termination(&uid).is_some();
                if self.lab.world.kubelets().any(is_terminating) {
                    self.terminating.entry(uid.to_string()).or_insert(self.lab.world.now());
                }
            }
        }
    }

    /// Injects a fault. An impossible fault (booting a machine that is on) is refused and changes nothing.
    fn try_fault(&mut self, fault: &Fault) {
        let _ = self.lab.world.apply_fault(fault, &mut self.lab.trace);
    }
}

/// Runs random pods under random faults, repairs all faults and deletes all pods.
fn run_random_faults(seed: u64) -> RandomFaultsRun {
    let mut rng = Rng::split(seed, "properties");
    let pods: Vec<Value> = POD_NAMES.iter().map(|name| random_pod(name, &mut rng)).collect();
    let setup = Setup {
        seed,
        nodes: NodeShorthand {
            zones: vec!["a".into()],
            ..NodeShorthand::default()
        },
        ..Setup::default()
    };
    let lab = Lab::with_setup(&pods, setup);
    let own = |name: &&str| {
        let pod = lab.pod(name)?;
        Some((pod.metadata.uid.to_string(), pod.spec.termination_grace_period_seconds?))
    };
    let mut run = RandomFaultsRun {
        seed,
        own_grace: POD_NAMES.iter().filter_map(own).collect(),
        lab,
        shortest: ordered::Map::new(),
        terminating: ordered::Map::new(),
    };
    let mut at = 0.0;
    for _ in 0..14 {
        at += 0.2 + rng.below(12_000) as f64 / 1000.0;
        run.run_until(at);
        let name = pick_random(&mut rng, &POD_NAMES);
        let node: NodeName = pick_random(&mut rng, &NODE_NAMES).into();
        match rng.below(12) {
            0 | 1 => run.lab.delete_pod(name, None),
            2 | 3 => run.lab.delete_pod(name, Some(rng.below(10) as i64 + 1)),
            4 => run.lab.delete_pod(name, Some(0)),
            5 => run.try_fault(&Fault::Kubelet { node, up: false }),
            6 => run.try_fault(&Fault::Kubelet { node, up: true }),
            7 => run.try_fault(&partition(&[node])),
            8 | 9 => run.try_fault(&Fault::Heal(Targets::All)),
            10 => run.try_fault(&Fault::Power {
                node,
                on: rng.below(2) == 0,
            }),
            _ => run.try_fault(&Fault::Runtime {
                node,
                up: rng.below(2) == 0,
            }),
        }
    }
    // Repair everything, then delete all pods.
    run.try_fault(&Fault::Heal(Targets::All));
    for node in NODE_NAMES.map(NodeName::from) {
        for fault in [
            Fault::Power {
                node: node.clone(),
                on: true,
            },
            Fault::Runtime {
                node: node.clone(),
                up: true,
            },
            Fault::Kubelet { node, up: true },
        ] {
            run.try_fault(&fault);
        }
    }
    run.run_until(at + 60.0);
    for name in POD_NAMES {
        if run.lab.pod(name).is_some() {
            run.lab.delete_pod(name, None);
        }
    }
    run.run_until(at + 400.0);
    run
}

fn uid_of(record: &Record) -> Option<String> {
    Some(record.object.as_ref()?.uid.to_string())
}

/// A kill of a pod or of one of its containers, as the trace shows it.
#[derive(Debug)]
struct ObservedKill {
    /// When the first hook or signal was recorded.
    began: SimTime,
    /// Grace period when the kill began, in seconds.
    grace: i64,
    /// Containers that got a hook or signal and have not exited.
    left: ordered::Set<String>,
    /// When the last container exited.
    ended_at: SimTime,
}

impl RandomFaultsRun {
    /// Returns the records about a pod, for failure messages.
    fn records_of_pod(&self, uid: &str) -> String {
        let own = self.lab.trace.records.iter().filter(|record| {
            record.what() == What::Fault || record.what() == What::Healed || uid_of(record).as_deref() == Some(uid)
        });
        own.map(Record::to_json_line).collect::<Vec<_>>().join("\n")
    }

    /// Phases never go back, whoever writes them, except to Pending for a new sandbox (LC-002, LC-071, LC-100, LC-103).
    fn assert_phases_only_go_forward(&self) {
        let mut reached: ordered::Map<String, usize> = ordered::Map::new();
        let mut has_new_sandbox: ordered::Set<String> = ordered::Set::new();
        for record in &self.lab.trace.records {
            if record.what() == What::Event && text_field(record, "reason") == "SandboxChanged" {
                has_new_sandbox.extend(uid_of(record));
            }
            if record.what() != What::Updated {
                continue;
            }
            let (Some(uid), phase) = (uid_of(record), text_field(record, "phase")) else {
                continue;
            };
            let rank = match phase.as_str() {
                "Pending" => 0,
                "Running" => 1,
                "Succeeded" => 2,
                "Failed" => 3,
                _ => continue,
            };
            let before = reached.insert(uid.clone(), rank).unwrap_or(0);
            let restarts_in_new_sandbox = before == 1 && rank == 0 && has_new_sandbox.contains(&uid);
            let is_forward = (rank > before && before < 2) || restarts_in_new_sandbox;
            assert!(is_forward, "seed {}: {uid} at {}: {phase}", self.seed, record.at);
        }
    }

    /// A pod runs on one node only, with at most one instance of each container at a time (LC-001).
    fn assert_pod_runs_on_one_node(&self) {
        let mut node: ordered::Map<String, String> = ordered::Map::new();
        let mut running: ordered::Map<(String, String), SimTime> = ordered::Map::new();
        for record in &self.lab.trace.records {
            let (Some(uid), Some(container)) = (uid_of(record), record.container.as_ref()) else {
                continue;
            };
            let process = (uid.clone(), container.to_string());
            match record.what() {
                What::ContainerStarted => {
                    let before = running.insert(process.clone(), record.at);
                    assert!(before.is_none(), "seed {}: {process:?} runs twice", self.seed);
                    let here = record.actor.to_string();
                    let first = node.entry(uid).or_insert_with(|| here.clone());
                    assert_eq!(*first, here, "seed {}: {process:?}", self.seed);
                }
                What::ContainerExited => {
                    running.remove(&process);
                }
                _ => {}
            }
        }
    }

    /// SIGKILL comes no earlier than the whole grace period (1 s for a forced deletion) after the first action of a
    /// kill, and no earlier than two seconds after the stop signal. A crash restarts the grace period (LC-004, LC-138,
    /// LC-140, LC-167).
    fn assert_no_early_sigkill(&self) {
        let mut grace: ordered::Map<String, i64> = ordered::Map::new();
        let mut kills: ordered::Map<String, ObservedKill> = ordered::Map::new();
        let mut signalled: ordered::Map<(String, String), SimTime> = ordered::Map::new();
        let mut place: ordered::Map<String, String> = ordered::Map::new();
        for record in &self.lab.trace.records {
            let Some(uid) = uid_of(record) else { continue };
            // A kill continues while its node is cut off, and begins again after any other fault of the node.
            if record.what() == What::Fault && text_field(record, "fault") != "partition" {
                let node = record.object.as_ref().map(|object| object.key.name.to_string());
                let is_elsewhere = |uid: &String| place.get(uid) != node.as_ref();
                kills.retain(|uid, _| is_elsewhere(uid));
                signalled.retain(|(uid, _), _| is_elsewhere(uid));
            }
            let container = record.container.as_deref().unwrap_or_default().to_owned();
            let key = (uid.clone(), container.clone());
            match record.what() {
                What::DeletionRequested | What::Updated => {
                    if let Some(seconds) = number_field(record, "grace") {
                        grace.insert(uid, seconds);
                    }
                }
                What::ContainerStarted => {
                    let actor = record.actor.to_string();
                    let node = actor.rsplit('/').next().unwrap_or_default();
                    place.insert(uid, node.to_owned());
                }
                // After a forced deletion, perhaps during a termination, the remaining processes are orphans (LC-061).
                What::Deleted => {
                    grace.insert(uid, 0);
                }
                What::ContainerExited => {
                    signalled.remove(&key);
                    if let Some(kill) = kills.get_mut(&uid) {
                        kill.left.remove(&container);
                        kill.ended_at = record.at;
                    }
                }
                What::SignalSent if text_field(record, "signal") == "SIGKILL" => {
                    let signalled_at = signalled.get(&key).copied();
                    let signalled_at =
                        signalled_at.unwrap_or_else(|| panic!("seed {}: SIGKILL before SIGTERM: {key:?}", self.seed));
                    let kill = kills.get(&uid).expect("a signal begins the kill");
                    // If a deletion shortened the grace period before the kill began, the trace has no record with the
                    // shorter value.
                    let shorter = self
                        .shortest
                        .get(&uid)
                        .filter(|(_, since)| *since <= kill.began + Span::seconds(1));
                    let grace = shorter.map_or(kill.grace, |(seconds, _)| kill.grace.min(*seconds));
                    let earliest = (kill.began + Span::seconds(grace.max(1))).max(signalled_at + Span::seconds(2));
                    assert!(
                        record.at >= earliest,
                        "seed {}: {key:?}: {kill:?}, SIGTERM {signalled_at}, SIGKILL {}
                        {}",
                        self.seed,
                        record.at,
                        self.records_of_pod(&uid)
                    );
                }
                What::SignalSent | What::HookStarted if text_field(record, "hook") != "postStart" => {
                    // The next container in order gets its signal at the instant at which the previous one exited.
                    let is_over = |kill: &ObservedKill| kill.left.is_empty() && kill.ended_at < record.at;
                    if kills.get(&uid).is_none_or(is_over) {
                        let seconds = grace.get(&uid).or_else(|| self.own_grace.get(&uid));
                        let kill = ObservedKill {
                            began: record.at,
                            grace: seconds.copied().unwrap_or(0),
                            left: ordered::Set::new(),
                            ended_at: record.at,
                        };
                        kills.insert(uid.clone(), kill);
                    }
                    if let Some(kill) = kills.get_mut(&uid) {
                        kill.left.insert(container);
                    }
                    if record.what() == What::SignalSent {
                        signalled.insert(key, record.at);
                    }
                }
                _ => {}
            }
        }
    }

    /// No container starts after a kubelet began to terminate the pod (LC-054, LC-082).
    fn assert_nothing_starts_during_termination(&self) {
        for record in self
            .lab
            .trace
            .records
            .iter()
            .filter(|record| record.what() == What::ContainerStarted)
        {
            let Some(uid) = uid_of(record) else { continue };
            if let Some(since) = self.terminating.get(&uid) {
                assert!(
                    record.at <= *since,
                    "seed {}: {uid} terminates since {since}, but a container started at {}",
                    self.seed,
                    record.at
                );
            }
        }
    }

    /// A kubelet removes a pod object only when none of its containers runs, except after a forced deletion (LC-005,
    /// LC-171).
    fn assert_kubelets_remove_only_ended_pods(&self) {
        let mut forced: ordered::Map<String, bool> = ordered::Map::new();
        let mut alive: ordered::Map<String, i32> = ordered::Map::new();
        for record in &self.lab.trace.records {
            let Some(uid) = uid_of(record) else { continue };
            match record.what() {
                What::ContainerStarted => *alive.entry(uid).or_default() += 1,
                What::ContainerExited => *alive.entry(uid).or_default() -= 1,
                What::DeletionRequested => {
                    forced.insert(uid, number_field(record, "grace") == Some(0));
                }
                What::Deleted if record.actor.to_string().starts_with("kubelet/") => {
                    let is_forced = forced.get(&uid).copied().unwrap_or(true);
                    let n_alive = alive.get(&uid).copied().unwrap_or(0);
                    assert!(
                        is_forced || n_alive == 0,
                        "seed {}: {uid} was removed while a container ran",
                        self.seed
                    );
                }
                _ => {}
            }
        }
    }

    /// Every deletion completes once the nodes are repaired, and no process is left (LC-005, LC-208).
    fn assert_all_deletions_complete(&self) {
        for name in POD_NAMES {
            let left = self.lab.pod(name).map(|pod| &pod.status);
            assert!(left.is_none(), "seed {}: {name} still exists: {left:#?}", self.seed);
        }
        for node in NODE_NAMES.map(NodeName::from) {
            let processes = self
                .lab
                .world
                .machine(&node)
                .map(podscope_cluster::machine::Machine::processes);
            assert_eq!(processes, Some(Vec::new()), "seed {}: {node}", self.seed);
        }
    }
}

/// Shows: L-01, L-09, L-10, L-12, L-13
#[test]
fn termination_rules_hold_under_random_faults() {
    for seed in SEEDS {
        let run = run_random_faults(seed);
        run.assert_phases_only_go_forward();
        run.assert_pod_runs_on_one_node();
        run.assert_no_early_sigkill();
        run.assert_nothing_starts_during_termination();
        run.assert_kubelets_remove_only_ended_pods();
        run.assert_all_deletions_complete();
    }
}
