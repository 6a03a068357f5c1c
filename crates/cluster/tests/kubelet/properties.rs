//! What holds for random pods under random interleavings of deletions and
//! faults (issue 5, point 7). A failure names the seed: run it alone with
//! `PODSCOPE_SEED` replaced in `SEEDS`.

use podscope_api::ordered::BTreeMap;

use podscope_api::NodeName;
use podscope_cluster::fault::{CutFrom, Direction, Fault, Targets};
use podscope_cluster::{Record, Rng, SimTime, Span, What};
use serde_json::{Value, json};

use crate::lab::{Lab, pod, text};

const SEEDS: std::ops::Range<u64> = 0..60;
const N_PODS: usize = 3;

fn pick<'a>(rng: &mut Rng, among: &[&'a str]) -> &'a str {
    among[rng.below(among.len() as u64) as usize]
}

fn random_pod(name: &str, rng: &mut Rng) -> Value {
    let grace = rng.below(20) as i64;
    let policy = pick(rng, &["Always", "OnFailure", "Never"]);
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
        let mut behavior = vec![format!("sigterm={}", pick(rng, &["0s", "1s", "4s", "ignore"]))];
        if *container != "init" && rng.below(3) == 0 {
            behavior.push(format!("run={}", pick(rng, &["1s", "15s", "40s"])));
            behavior.push(format!("exit={}", pick(rng, &["0", "1"])));
        }
        if *container != "init" && rng.below(3) == 0 {
            extra["lifecycle"] = json!({"preStop": {"exec": {"command": ["stop"]}}});
            behavior.push(format!(
                "prestop={}",
                pick(rng, &["1s", "2500ms", "hang", "fail", "30s"])
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
    pod(
        name,
        json!({"terminationGracePeriodSeconds": grace, "restartPolicy": policy}),
        &list,
    )
}

fn run(seed: u64) -> Lab {
    let mut rng = Rng::split(seed, "properties");
    let names: Vec<String> = (0..N_PODS).map(|idx| format!("p{idx}")).collect();
    let pods: Vec<Value> = names.iter().map(|name| random_pod(name, &mut rng)).collect();
    let mut lab = Lab::with(
        &pods,
        podscope_cluster::Setup {
            seed,
            ..podscope_cluster::Setup::default()
        },
    );
    let node: NodeName = "a-1".into();
    let mut at = 0.0;
    for _ in 0..12 {
        at += 0.2 + rng.below(12_000) as f64 / 1000.0;
        lab.run(at);
        let name = names[rng.below(names.len() as u64) as usize].clone();
        let fault = match rng.below(11) {
            0 | 1 => {
                lab.delete_pod(&name, None);
                continue;
            }
            2 => {
                lab.delete_pod(&name, Some(rng.below(10) as i64 + 1));
                continue;
            }
            3 => {
                lab.delete_pod(&name, Some(0));
                continue;
            }
            4 => Fault::Kubelet {
                node: node.clone(),
                up: false,
            },
            5 => Fault::Kubelet {
                node: node.clone(),
                up: true,
            },
            6 => Fault::Partition {
                targets: Targets::Nodes(vec![node.clone()]),
                from: CutFrom::Everything,
                direction: Direction::Both,
            },
            7 | 8 => Fault::Heal(Targets::All),
            9 => Fault::Power {
                node: node.clone(),
                on: rng.below(2) == 0,
            },
            _ => Fault::Runtime {
                node: node.clone(),
                up: rng.below(2) == 0,
            },
        };
        // Impossible faults (booting what is on) are refused and change nothing.
        let _ = lab.world.apply_fault(&fault, &mut lab.trace);
    }
    // Everything is repaired; every pod is to go.
    for fault in [
        Fault::Heal(Targets::All),
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
        let _ = lab.world.apply_fault(&fault, &mut lab.trace);
    }
    lab.run(at + 60.0);
    for name in &names {
        if lab.pod(name).is_some() {
            lab.delete_pod(name, None);
        }
    }
    lab.run(at + 400.0);
    for name in &names {
        assert!(
            lab.pod(name).is_none(),
            "seed {seed}: the deletion of {name} completes: {:#?}",
            lab.pod(name).map(|pod| &pod.status)
        );
    }
    let machine = lab.world.machine(&"a-1".into()).expect("a machine");
    assert!(machine.processes().is_empty(), "seed {seed}: {:?}", machine.processes());
    lab
}

type Process = (String, String);

fn process(record: &Record) -> Option<Process> {
    let uid = record.object.as_ref()?.uid.to_string();
    Some((uid, record.container.as_ref()?.to_string()))
}

#[test]
fn under_any_interleaving() {
    for seed in SEEDS {
        let lab = run(seed);
        let records = &lab.trace.records;
        let mut running: BTreeMap<Process, SimTime> = BTreeMap::new();
        let mut asked_to_stop: BTreeMap<Process, SimTime> = BTreeMap::new();
        let mut ended: BTreeMap<String, SimTime> = BTreeMap::new();
        for record in records {
            let Some(process) = process(record) else { continue };
            match record.what {
                What::ContainerStarted => {
                    let before = running.insert(process.clone(), record.at);
                    assert!(before.is_none(), "seed {seed}: {process:?} runs twice");
                    // LC-082: nothing is started once the pod's own termination began. A liveness kill stops one
                    // container, not its pod; so only pods whose deletion completed its kill are looked at here.
                    assert!(
                        !ended.contains_key(&process.0),
                        "seed {seed}: {process:?} started after its pod ended"
                    );
                }
                What::ContainerExited => {
                    running.remove(&process);
                    asked_to_stop.remove(&process);
                }
                What::SignalSent if text(record, "signal") == "SIGKILL" => {
                    let asked = asked_to_stop.get(&process);
                    let asked = asked.unwrap_or_else(|| panic!("seed {seed}: SIGKILL before SIGTERM for {process:?}"));
                    // LC-140: the floor holds on every path.
                    assert!(
                        record.at - *asked >= Span::seconds(2),
                        "seed {seed}: {process:?} had {}",
                        record.at - *asked
                    );
                }
                What::SignalSent => {
                    asked_to_stop.insert(process, record.at);
                }
                _ => {}
            }
        }
        // A pod's removal (by its kubelet) comes after all its processes ended, unless it was forced.
        let mut requested: BTreeMap<String, bool> = BTreeMap::new();
        let mut alive: BTreeMap<String, i32> = BTreeMap::new();
        for record in records {
            let Some(object) = &record.object else { continue };
            let uid = object.uid.to_string();
            match record.what {
                What::ContainerStarted => *alive.entry(uid).or_default() += 1,
                What::ContainerExited => *alive.entry(uid).or_default() -= 1,
                What::DeletionRequested => {
                    let grace = record
                        .fields
                        .iter()
                        .find(|(name, _)| *name == "grace")
                        .and_then(|(_, value)| value.as_i64());
                    requested.insert(uid, grace == Some(0));
                }
                What::Deleted if record.actor.to_string().starts_with("kubelet/") => {
                    let forced = requested.get(&uid).copied().unwrap_or(true);
                    assert!(
                        forced || alive.get(&uid).copied().unwrap_or(0) == 0,
                        "seed {seed}: {uid} was removed while it ran"
                    );
                    ended.insert(uid, record.at);
                }
                _ => {}
            }
        }
    }
}
