//! Monkey tests (Q-03): after random requests in random order, a session still answers.

use podscope_protocol::{ExportKind, Request, SessionSource, SubjectRef, Update};
use podscope_session::host::{Host, NextWork};

const CLUSTER: &str = r#"
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: monkey}
spec: {title: Monkey, seed: 36, cluster: {zones: [a, b, c, d], nodesPerZone: 4}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 20
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "web:1", resources: {requests: {cpu: 100m, memory: 64Mi}}}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 3
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: "db:1", resources: {requests: {cpu: 100m, memory: 64Mi}}}]}
"#;

/// A host that gets random requests, with the state of their random generator.
struct Monkey {
    state: u64,
    host: Host,
    clock: f64,
    now: i64,
}

impl Monkey {
    fn new(seed: u64) -> Monkey {
        Monkey {
            state: seed,
            host: Host::new(),
            clock: 0.0,
            now: 0,
        }
    }

    /// Asserts that a seek to one second after the cursor reaches its target.
    fn assert_seek_works(&mut self, what: &str) {
        self.send(Request::Pause, 5_000.0);
        let at = self.now + 1_000_000;
        self.send(Request::Seek { at }, 5_000.0);
        assert_eq!(self.now, at, "{what}: the seek arrives");
    }

    /// Returns a random number below `bound`.
    fn random_below(&mut self, bound: u64) -> u64 {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % bound
    }

    fn apply(&mut self, updates: Vec<Update>) {
        for update in updates {
            if let Update::Frame(frame) = update {
                self.now = frame.now;
                let more = self.host.handle(Request::FrameDone, self.clock);
                self.apply(more);
            }
        }
    }

    /// Sends a request, and lets the host work for at most `millis` milliseconds.
    fn send(&mut self, request: Request, millis: f64) {
        let updates = self.host.handle(request, self.clock);
        self.apply(updates);
        let until = self.clock + millis;
        while self.clock < until {
            match self.host.next_work() {
                NextWork::AfterRequest => break,
                NextWork::Now => self.clock += 0.5,
                NextWork::At(at) => self.clock = at.max(self.clock + 0.5),
            }
            let updates = self.host.work(self.clock);
            self.apply(updates);
        }
    }

    /// Returns the random name of a node, which may not exist.
    fn random_node(&mut self) -> String {
        let zone = char::from(b'a' + self.random_below(4) as u8);
        format!("{zone}-{}", 1 + self.random_below(4))
    }

    /// Returns a random command line.
    fn random_line(&mut self) -> String {
        let node = self.random_node();
        match self.random_below(16) {
            0 => format!("fault partition {node}"),
            1 => "fault heal --all".to_owned(),
            2 => format!("fault poweroff {node}"),
            3 => format!("fault boot {node}"),
            4 => format!("kubectl scale deploy/web --replicas={}", 5 + self.random_below(40)),
            5 => format!("kubectl cordon {node}"),
            6 => format!("kubectl uncordon {node}"),
            7 => "kubectl get pods -o wide -w".to_owned(),
            8 => "kubectl rollout restart deploy/web".to_owned(),
            9 => "kubectl delete pod -l app=web --wait=false".to_owned(),
            10 => format!("fault crash kubelet {node}"),
            11 => "fault restart controller-manager".to_owned(),
            12 => "kubectl delete pod db-0 --force --grace-period=0".to_owned(),
            13 => format!("kubectl drain {node} --ignore-daemonsets --force"),
            14 => format!("kubectl delete node {node}"),
            _ => "kubectl rollout undo deploy/web".to_owned(),
        }
    }

    /// Returns a random request.
    fn random_request(&mut self) -> Request {
        match self.random_below(28) {
            0..=5 => Request::Command {
                line: self.random_line(),
            },
            6..=8 => Request::Play,
            9 => Request::Pause,
            10 => Request::Speed {
                per_mille: 100 << self.random_below(11),
            },
            11 => Request::Step,
            12 => Request::NextDecision,
            13..=15 => Request::Seek {
                at: (self.now - 30_000_000 + self.random_below(90_000_000) as i64).max(0),
            },
            16 => Request::Seek {
                at: self.random_below(600_000_000) as i64,
            },
            17 => Request::Fork,
            18 | 19 => Request::Branch {
                branch: self.random_below(8) as u32,
            },
            20 => Request::Undo,
            21 => Request::Inspect {
                subject: match self.random_below(3) {
                    0 => None,
                    1 => Some(SubjectRef::Node {
                        name: self.random_node(),
                    }),
                    _ => Some(SubjectRef::Pod {
                        key: format!("default/db-{}", self.random_below(3)),
                        uid: String::new(),
                    }),
                },
            },
            22 => Request::WhatWouldHelp {
                pod: format!("default/db-{}", self.random_below(3)),
            },
            23 => Request::GroupBy {
                key: ["topology.kubernetes.io/zone", "kubernetes.io/hostname", "none"][self.random_below(3) as usize]
                    .to_owned(),
            },
            24 | 25 => Request::CompareBranch {
                branch: self.random_below(8) as u32,
            },
            26 => Request::Compare { other: None },
            _ => Request::Export {
                what: [ExportKind::Trace, ExportKind::Picture][self.random_below(2) as usize],
                anonymise: self.random_below(2) == 0,
            },
        }
    }
}

impl Monkey {
    /// Returns a random request of the reader of a lesson.
    fn lesson_request(&mut self) -> Request {
        let step = self.random_below(6) as usize;
        match self.random_below(14) {
            0..=2 => Request::StoryStep { step },
            3 => Request::Predict { step, answer: None },
            4 => {
                let answer = ["a-1", "2", "10s", "nothing of the kind"][self.random_below(4) as usize];
                Request::Predict {
                    step,
                    answer: Some(answer.to_owned()),
                }
            }
            5 | 6 => Request::ShowMe,
            7 | 8 => Request::SkipAhead { to: None },
            9 => Request::Undo,
            _ => self.random_request(),
        }
    }
}

#[test]
fn lesson_answers_after_random_requests() {
    let names: Vec<String> = podscope_session::lessons::names().map(str::to_owned).collect();
    assert!(names.len() >= 64, "{}", names.len());
    let rounds = (0..n_seeds().div_ceil(3)).flat_map(|_| names.iter());
    for (seed, name) in (0..).zip(rounds) {
        let mut monkey = Monkey::new(seed);
        monkey.send(
            Request::Open {
                source: SessionSource::Lesson {
                    name: name.clone(),
                    seed: None,
                },
            },
            1000.0,
        );
        for _ in 0..25 {
            let request = monkey.lesson_request();
            let millis = (10 + monkey.random_below(300)) as f64;
            monkey.send(request, millis);
        }
        // An unanswered question of the lesson may prevent seeks, so the test only requires that the host answers.
        let line = "kubectl get po".to_owned();
        let request = Request::Complete {
            cursor: line.len(),
            line,
        };
        let answer = monkey.host.handle(request, monkey.clock);
        assert!(!answer.is_empty(), "{name}: the host completes a command line");
    }
}

/// Returns the number of seeds with which sessions are tested. The environment variable MONKEY_SEEDS sets it.
fn n_seeds() -> u64 {
    let given = std::env::var("MONKEY_SEEDS").ok();
    given.and_then(|n| n.parse().ok()).unwrap_or(3)
}

/// Regression test: in the fourth run, sorting pods with inconsistent ages panicked.
#[test]
fn session_answers_after_random_requests() {
    for seed in 0..n_seeds() {
        let mut monkey = Monkey::new(seed);
        let files = vec![("monkey.yaml".to_owned(), CLUSTER.to_owned())];
        let source = SessionSource::Files { files };
        monkey.send(Request::Open { source }, 1000.0);
        for _ in 0..300 {
            let request = monkey.random_request();
            let millis = (10 + monkey.random_below(300)) as f64;
            monkey.send(request, millis);
        }
        monkey.assert_seek_works(&format!("seed {seed}"));
    }
}
