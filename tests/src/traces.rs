//! Runs whose traces must be byte for byte equal natively and in wasm. Each trace is reduced to a hash;
//! `cargo xtask test wasm` passes the native hashes to the wasm test.

use podscope_api::fault::ControlPlaneProcess;
use podscope_api::hash::{self, fnv1a};
use podscope_api::{NodeName, ObjectKey, Rate, parse};
use podscope_cluster::fault::{Fault, Targets};
use podscope_cluster::{
    GivenCommand, OutputLine, Record, RequestClient, Setup, SimTime, Sink, StartTraffic, TrafficCommand, World,
};

/// A simulated run: the manifests of its objects, and its faults, each with the second at which it is injected.
struct Run {
    name: &'static str,
    text: &'static str,
    faults: fn() -> Vec<(i64, Fault)>,
}

const RUN_SECONDS: i64 = 900;
const RUN_SEEDS: [u64; 3] = [1, 42, u64::MAX];

const TRACED_RUNS: &[Run] = &[
    Run {
        name: "requests",
        text: include_str!("../scenarios/requests-connections.yaml"),
        faults: || {
            vec![
                (8, start_requests("kept", RequestClient::Nodes, true)),
                (8, start_requests("sticky", RequestClient::Node("a-1".into()), false)),
                (9, start_requests("db", RequestClient::Zone("b".into()), false)),
                (60, partition_fault("b-1")),
                (
                    200,
                    Fault::Power {
                        node: node_name("a-2"),
                        on: false,
                    },
                ),
                (400, Fault::Heal(Targets::All)),
            ]
        },
    },
    Run {
        name: "partition-statefulset",
        text: include_str!("../scenarios/partition-statefulset.yaml"),
        faults: || vec![(10, partition_fault("a-1")), (700, Fault::Heal(Targets::All))],
    },
    Run {
        name: "partition-replicaset",
        text: include_str!("../scenarios/partition-replicaset.yaml"),
        faults: || vec![(20, partition_fault("b-1")), (400, Fault::Heal(Targets::All))],
    },
    Run {
        name: "crashes",
        text: include_str!("../scenarios/drain-pdb.yaml"),
        faults: || {
            let process = ControlPlaneProcess::ControllerManager;
            let kubelet = |up| Fault::Kubelet {
                node: node_name("a-2"),
                up,
            };
            vec![
                (5, kubelet(false)),
                (30, Fault::ControlPlane { process, up: false }),
                (
                    60,
                    Fault::Power {
                        node: node_name("c-1"),
                        on: false,
                    },
                ),
                (90, kubelet(true)),
                (120, Fault::ControlPlane { process, up: true }),
                (
                    500,
                    Fault::Power {
                        node: node_name("c-1"),
                        on: true,
                    },
                ),
            ]
        },
    },
];

fn node_name(name: &str) -> NodeName {
    NodeName(name.into())
}

fn partition_fault(name: &str) -> Fault {
    Fault::Partition {
        targets: Targets::Nodes(vec![node_name(name)]),
        from: None,
        one_way: None,
    }
}

/// Starts clients that send 70 requests per second to a Service.
fn start_requests(service: &str, client: RequestClient, keep_alive: bool) -> Fault {
    Fault::Traffic(TrafficCommand::Start(StartTraffic {
        service: ObjectKey::new("default", service),
        rate: Rate {
            requests: 70,
            micros: 1_000_000,
        },
        client,
        timeout: None,
        keep_alive,
        retries: 0,
    }))
}

/// A trace sink that counts the lines of the trace and hashes them (FNV-1a).
struct HashSink {
    state: u64,
    lines: u64,
}

impl Sink for HashSink {
    fn record(&mut self, record: Record) {
        self.lines += 1;
        self.state = fnv1a(self.state, record.to_json_line().bytes().chain([b'\n']));
    }

    fn output(&mut self, _: OutputLine) {}

    fn finished(&mut self, _command: u32, _at: SimTime, _status: u8) {}
}

/// Returns one row for each run and seed: `name/seed`, the number of trace lines, and the hash of the trace.
///
/// # Panics
/// If the objects of a run are refused.
#[must_use]
pub fn trace_hashes() -> Vec<String> {
    let mut rows = Vec::new();
    for run in TRACED_RUNS {
        for seed in RUN_SEEDS {
            let mut hash = HashSink {
                state: hash::EMPTY,
                lines: 0,
            };
            let parsed = parse(run.text);
            assert!(parsed.problems.is_empty(), "{}: {:?}", run.name, parsed.problems);
            let objects = parsed.objects.into_iter().map(|located| located.value).collect();
            let mut world = World::new(
                Setup {
                    seed,
                    objects,
                    ..Setup::default()
                },
                &mut hash,
            )
            .unwrap_or_else(|refused| panic!("{}: {refused:?}", run.name));
            for (second, fault) in (run.faults)() {
                world.run_before(SimTime(second * 1_000_000), &mut hash);
                // A refused fault (for example: no such node) is recorded, too.
                let refused = world.apply_fault(&fault, &mut hash).err();
                let given = GivenCommand {
                    text: run.name,
                    number: 1,
                };
                world.record_command(given, refused.as_deref(), &mut hash);
            }
            world.run_until(SimTime(RUN_SECONDS * 1_000_000), &mut hash);
            rows.push(format!("{}/{seed} {} {:016x}", run.name, hash.lines, hash.state));
        }
    }
    rows
}
