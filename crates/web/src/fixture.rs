//! A recorded session in the engine's place, to look at the page's regions without an engine.
//! Built with the feature `fixture` only; never part of a release.

use std::cell::RefCell;

use podscope_session::protocol::*;
use wasm_bindgen::JsValue;
use yew::Callback;

use crate::engine::Heard;

const S: i64 = 1_000_000;

/// Answers from the recording.
pub(crate) struct Engine {
    heard: Callback<Heard>,
    frame: RefCell<Frame>,
}

impl Engine {
    pub(crate) fn start(heard: Callback<Heard>) -> Result<Engine, JsValue> {
        Ok(Engine {
            heard,
            frame: RefCell::new(Frame::default()),
        })
    }

    fn say(&self, update: Update) {
        let heard = self.heard.clone();
        gloo_timers::callback::Timeout::new(0, move || heard.emit(Heard::Update(Box::new(update)))).forget();
    }

    pub(crate) fn send(&self, request: &Request) -> Result<(), JsValue> {
        match request {
            Request::Open { source } => {
                let big = matches!(source, Source::Lesson { name } if name == "big");
                let free = matches!(source, Source::Lesson { name } if name == "free");
                self.say(Update::Hello {
                    version: "0.1.0".into(),
                    lessons: lessons(),
                });
                self.say(Update::Opened(Box::new(if free {
                    Opened {
                        story: vec![],
                        ..opened()
                    }
                } else {
                    opened()
                })));
                let frame = if big { big_frame() } else { first() };
                *self.frame.borrow_mut() = Frame {
                    now: frame.now,
                    horizon: frame.horizon,
                    playing: frame.playing,
                    speed_per_mille: frame.speed_per_mille,
                    achieved_per_mille: frame.achieved_per_mille,
                    ..Frame::default()
                };
                self.say(Update::Frame(Box::new(frame)));
                self.say(Update::Console { lines: vec![
                    ConsoleLine { at: 29 * S, kind: "input".into(), text: "fault partition b-1".into() },
                    ConsoleLine { at: 83 * S, kind: "input".into(), text: "kubectl delete pod web-0 --grace-period=0 --force".into() },
                    ConsoleLine { at: 83 * S, kind: "error".into(), text: "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.".into() },
                    ConsoleLine { at: 83 * S, kind: "output".into(), text: "pod \"web-0\" force deleted from default namespace".into() },
                ] });
            }
            Request::Inspect { subject: Some(subject) } => self.say(Update::Detail(Box::new(detail(subject)))),
            Request::Explain { pod, uid, .. } => self.say(Update::Explanation {
                pod: pod.clone(),
                uid: uid.clone(),
                attempts: vec![
                    AttemptInfo {
                        id: 1,
                        at: 60 * S,
                        outcome: "unschedulable".into(),
                        text: "0/6 nodes".into(),
                    },
                    AttemptInfo {
                        id: 3,
                        at: 91_900_000,
                        outcome: "bound".into(),
                        text: "c-1".into(),
                    },
                ],
                attempt: 3,
                explanation: explanation().to_string(),
            }),
            Request::WhatWouldHelp { pod } => self.say(Update::Help {
                pod: pod.clone(),
                per_mille: 1000,
                done: true,
                remedies: vec![
                    Remedy {
                        text: "Uncordon c-2".into(),
                        command: "kubectl uncordon c-2".into(),
                        nodes: vec!["c-2".into()],
                    },
                    Remedy {
                        text: "Tolerate dedicated=db".into(),
                        command: "kubectl patch …".into(),
                        nodes: vec!["a-2".into()],
                    },
                    Remedy {
                        text: "Request 500m instead of 800m".into(),
                        command: "kubectl patch …".into(),
                        nodes: vec!["a-1".into()],
                    },
                ],
            }),
            Request::Share { .. } => self.say(Update::Link {
                fragment: format!("s1:{}", "x".repeat(1040)),
                notices: vec![],
            }),
            Request::Command { line } => self.say(Update::Console {
                lines: vec![ConsoleLine {
                    at: 92 * S,
                    kind: "input".into(),
                    text: line.clone(),
                }],
            }),
            Request::Complete { line, cursor } => self.say(Update::Completions {
                line: line.clone(),
                replace: (cursor.saturating_sub(0), *cursor),
                choices: ["get", "describe", "delete"]
                    .map(|t| Completion {
                        text: t.into(),
                        hint: "command".into(),
                    })
                    .to_vec(),
            }),
            Request::Play => {
                self.frame.borrow_mut().playing = true;
                self.next();
            }
            Request::Pause => {
                self.frame.borrow_mut().playing = false;
                self.next();
            }
            Request::Seek { at } => {
                self.frame.borrow_mut().now = *at;
                self.next();
            }
            Request::FrameDone if self.frame.borrow().playing => {
                self.frame.borrow_mut().now += 16_000 * 10;
                self.next();
            }
            Request::StoryStep { step } => {
                let mut f = self.frame.borrow().clone();
                f.story = Some(StoryState {
                    step: *step,
                    reached: 3,
                    goals: vec![],
                });
                self.say(Update::Frame(Box::new(f)));
            }
            Request::Check { revision, .. } => self.say(Update::Checked {
                revision: *revision,
                problems: vec![Problem {
                    file: "editor.yaml".into(),
                    document: 1,
                    line: 3,
                    column: 3,
                    path: "spec.replicas".into(),
                    message: "Invalid value: -1: must be greater than or equal to 0".into(),
                }],
                advice: vec![],
            }),
            _ => {}
        }
        Ok(())
    }

    fn next(&self) {
        self.say(Update::Frame(Box::new(self.frame.borrow().clone())));
    }
}

fn lessons() -> Vec<LessonInfo> {
    let l = |name: &str, title: &str, group: &str| LessonInfo {
        name: name.into(),
        title: title.into(),
        group: group.into(),
        summary: "A sentence about what this lesson shows, and what breaks.".into(),
    };
    vec![
        l("first-pod", "Your first pod", "Scheduling"),
        l("spread-by-zone", "Spread by zone", "Scheduling"),
        l("force-delete-split-brain", "Two web-0", "Pod safety"),
        l("big", "A big cluster", "Pod safety"),
        l("free", "Free", "Pod safety"),
    ]
}

fn opened() -> Opened {
    let step = |text: &str, command: Option<&str>, goal: Option<&str>| StoryStep {
        text: text.into(),
        highlight: vec!["node/b-1".into()],
        try_command: command.map(str::to_string),
        goal: goal.map(str::to_string),
    };
    Opened {
        title: "Two web-0".into(),
        lesson: Some("force-delete-split-brain".into()),
        seed: 42,
        story: vec![
            step("A", None, Some("See two web-0 processes")),
            step("B", None, None),
            step(
                "# Force delete breaks the lock\n\nThe node **b-1** is cut off. The API server still lists **web-0** there, so the StatefulSet waits: better no member than two.\n\nYou force-deleted it. The object is gone, the *name* is free, and a new web-0 has started on a-1. But nobody has told the machine.\n\nHeal the link and watch which web-0 survives. How long do both run?",
                Some("fault heal b-1"),
                Some("Bring back at most one"),
            ),
            step("D", None, Some("Now do it without a force delete")),
            step("E", None, None),
        ],
        text: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n".into(),
        ..Opened::default()
    }
}

fn pod(key: &str, short: &str, owner: &str, node: &str, mark: PodMark) -> PodView {
    PodView {
        id: format!("u-{key}-{node}"),
        key: format!("default/{key}"),
        uid: format!("u-{key}-{node}"),
        short: short.into(),
        owner: owner.into(),
        node: node.into(),
        mark,
        phase: "Running".into(),
        status: "Running".into(),
        containers: vec!["running".into()],
        ..PodView::default()
    }
}

fn node(name: &str, cpu: i64, mem: f64) -> NodeView {
    NodeView {
        name: name.into(),
        zone: name[..1].into(),
        registered: true,
        ready: "True".into(),
        cpu: (cpu, 4000),
        memory: ((mem * f64::from(1 << 30)) as i64, 8 << 30),
        pods: (4, 110),
        labels: [
            ("rack".to_string(), "r1".to_string()),
            ("topology.kubernetes.io/region".to_string(), "r".to_string()),
        ]
        .into(),
        machine: MachineView {
            exists: true,
            powered: true,
            kubelet: true,
            runtime: true,
            ..MachineView::default()
        },
        ..NodeView::default()
    }
}

fn first() -> Frame {
    use PodMark::*;
    let (web, api, batch) = ("StatefulSet default/web", "Deployment default/api", "Job default/batch");
    let mut nodes = vec![
        node("a-1", 3500, 4.1),
        node("a-2", 1200, 1.8),
        node("b-1", 800, 1.4),
        node("b-2", 1800, 3.2),
        node("c-1", 1000, 2.5),
        node("c-2", 2400, 4.6),
    ];
    nodes[1].taints = vec!["dedicated=db:NoSchedule".into()];
    nodes[2].machine.cuts = vec!["control-plane".into()];
    nodes[2].machine.last_heartbeat = 10 * S;
    nodes[2].ready = "Unknown".into();
    nodes[2].machine.differs = vec!["The machine still runs web-0. The API has forgotten it.".into()];
    nodes[5].cordoned = true;
    let term = |stage: &str, since: i64, until: Option<i64>| {
        Some(TerminationView {
            stage: stage.into(),
            since: since * S,
            until: until.map(|u| u * S),
            next: "SIGKILL in 11 s".into(),
        })
    };
    let mut crash = pod("batch-2", "b2", batch, "b-2", CrashLoop);
    crash.countdown = Some(110 * S);
    let mut sidecar = pod("api-3", "api", api, "b-2", Ready);
    sidecar.containers = vec!["running".into(), "done".into(), "waiting".into()];
    sidecar.priority = 1000;
    sidecar.ticks = 3;
    let mut queued = pod("batch-9", "b9", batch, "", Pending);
    queued.nominated = "c-2".into();
    queued.queue = Some(QueueView {
        pool: "unschedulable".into(),
        waits_for: "waits for room: a pod that ends, a node that joins".into(),
        until: Some(252 * S),
        fit: Some((0, 6)),
        message: "0/6".into(),
    });
    let pods = vec![
        pod("web-0", "w0", web, "a-1", Ready),
        pod("api-0", "api", api, "a-1", Ready),
        pod("api-1", "api", api, "a-1", Ready),
        pod("batch-1", "b1", batch, "a-1", Ready),
        pod("web-1", "w1", web, "a-2", Ready),
        pod("api-2", "api", api, "a-2", NotReady),
        PodView {
            termination: term("sigterm", 73, Some(103)),
            ..pod("api-7", "api", api, "b-1", Terminating)
        },
        PodView {
            ..pod("web-0", "w0", web, "b-1", Ghost)
        },
        pod("api-8", "api", api, "b-1", Unconfirmed),
        sidecar,
        crash,
        pod("batch-3", "b3", batch, "b-2", Succeeded),
        pod("batch-4", "b4", batch, "b-2", Failed),
        pod("web-2", "w2", web, "c-1", Ready),
        pod("batch-7", "b7", batch, "c-1", Starting),
        PodView {
            termination: term("preStop", 83, Some(113)),
            ..pod("api-5", "api", api, "c-2", Terminating)
        },
        pod("api-6", "api", api, "c-2", Ready),
        queued,
    ];
    let group = |name: &str, pods: u32, ghosts: u32| GroupView {
        name: name.into(),
        nodes: vec![format!("{name}-1"), format!("{name}-2")],
        counts: vec![SpreadCount {
            owner: web.into(),
            pods,
            ghosts,
            max_skew: Some(1),
        }],
    };
    let owner = |id: &str, name: &str, hue: u8| OwnerView {
        id: id.into(),
        name: name.into(),
        hue,
    };
    let mut id = 0;
    let mut mark = |lane: Lane, from: f64, to: Option<f64>, kind: &str, label: &str| {
        id += 1;
        Mark {
            id,
            lane,
            from: (from * 1e6) as i64,
            to: to.map(|t| (t * 1e6) as i64),
            kind: kind.into(),
            label: label.into(),
            subject: None,
        }
    };
    let marks = vec![
        mark(Lane::Faults, 26.0, None, "cut", "b-1 cut from control plane"),
        mark(Lane::Commands, 12.0, Some(12.0), "command", "kubectl apply"),
        mark(Lane::Commands, 26.0, Some(26.0), "command", "fault partition b-1"),
        mark(
            Lane::Commands,
            80.0,
            Some(80.0),
            "command",
            "kubectl delete pod web-0 --grace-period=0 --force",
        ),
        mark(Lane::Decisions, 7.0, Some(7.0), "bound", "web-0 → b-1"),
        mark(Lane::Decisions, 10.0, Some(10.0), "bound", "web-1 → a-2"),
        mark(Lane::Decisions, 13.0, Some(13.0), "bound", "web-2"),
        mark(Lane::Decisions, 48.0, Some(48.0), "unschedulable", "batch-9"),
        mark(Lane::Decisions, 82.0, Some(82.0), "preempting", "web-0"),
        mark(Lane::Decisions, 91.9, Some(91.9), "bound", "batch-7 → c-1"),
        mark(Lane::Terminations, 58.0, Some(68.0), "preStop", "preStop"),
        mark(Lane::Terminations, 68.0, None, "sigterm", "SIGTERM api"),
        mark(Lane::Terminations, 83.0, None, "preStop", "preStop api-5"),
        mark(Lane::Invariants, 84.1, None, "broken", "2 × web-0"),
    ];
    Frame {
        now: 92_400_000,
        horizon: 92_400_000,
        playing: false,
        speed_per_mille: 10_000,
        achieved_per_mille: 10_000,
        reset: true,
        groups: Some(vec![group("a", 2, 0), group("b", 0, 1), group("c", 1, 0)]),
        nodes,
        pods,
        marks,
        owners: Some(vec![
            owner(api, "api", 0),
            owner(web, "web", 1),
            owner(batch, "batch", 2),
        ]),
        control_plane: Some(ControlPlaneView {
            components: ["API server", "etcd", "scheduler", "controller-manager"]
                .map(|n| (n.to_string(), true, String::new()))
                .to_vec(),
            broken: vec![BrokenInvariant {
                name: "at-most-one".into(),
                at: 84_100_000,
                cause: "command".into(),
                by: "kubectl delete pod web-0 --force".into(),
                text: "Of each StatefulSet member at most one has live processes: two processes of web-0 run.".into(),
            }],
        }),
        branches: Some(vec![BranchView {
            id: 0,
            from: 0,
            parent: None,
            label: String::new(),
            current: true,
        }]),
        story: Some(StoryState {
            step: 2,
            reached: 3,
            goals: vec![Some(true), None, Some(false), Some(false), None],
        }),
        announcements: vec![
            "web-0 was bound to a-1.".into(),
            "b-1: no heartbeat for 82 s. The API server cannot know whether its pods still run.".into(),
        ],
        ..Frame::default()
    }
}

fn big_frame() -> Frame {
    let mut frame = Frame {
        groups: Some(vec![]),
        nodes: vec![],
        pods: vec![],
        marks: vec![],
        ..first()
    };
    let zones = ["a", "b", "c"];
    let mut groups = Vec::new();
    for zone in zones {
        let mut names = Vec::new();
        for i in 1..=333 {
            let name = format!("{zone}-{i}");
            let mut view = node(&name, 2000, 4.0);
            if i % 41 == 0 {
                view.ready = "Unknown".into();
            }
            frame.nodes.push(view);
            for k in 0..10 {
                let mark = match (i + k) % 37 {
                    0 => PodMark::NotReady,
                    1 => PodMark::Starting,
                    2 => PodMark::Terminating,
                    3 => PodMark::Ghost,
                    _ => PodMark::Ready,
                };
                frame.pods.push(pod(
                    &format!("p-{zone}{i}-{k}"),
                    "p",
                    ["Deployment default/api", "StatefulSet default/web", "Job default/batch"][(i + k) % 3],
                    &name,
                    mark,
                ));
            }
            names.push(name);
        }
        groups.push(GroupView {
            name: zone.into(),
            nodes: names,
            counts: vec![],
        });
    }
    frame.groups = Some(groups);
    frame
}

fn detail(subject: &SubjectRef) -> Detail {
    let title = match subject {
        SubjectRef::Pod { key, .. } | SubjectRef::Object { key, .. } => {
            key.rsplit('/').next().unwrap_or(key).to_string()
        }
        SubjectRef::Node { name } | SubjectRef::Invariant { name } => name.clone(),
    };
    let bar = |id: u64, from: i64, to: Option<i64>, kind: &str, label: &str| Mark {
        id,
        lane: Lane::Terminations,
        from: from * S,
        to: to.map(|t| t * S),
        kind: kind.into(),
        label: label.into(),
        subject: None,
    };
    Detail {
        title,
        subtitle: "default · Job batch · priority 100".into(),
        sentence: "It starts on c-1: the image is being pulled.".into(),
        conditions: vec![
            (
                "PodScheduled".into(),
                "True".into(),
                String::new(),
                String::new(),
                91 * S,
            ),
            (
                "Ready".into(),
                "False".into(),
                "ContainersNotReady".into(),
                "containers with unready status: [app]".into(),
                91 * S,
            ),
        ],
        containers: vec![ContainerDetail {
            name: "app".into(),
            role: "app".into(),
            state: "Waiting: ContainerCreating".into(),
            machine: "pulling the image".into(),
            restarts: 1,
            ready: false,
            image: "registry.example/batch:1".into(),
        }],
        events: vec![
            EventLine {
                at: 91 * S,
                kind: "Normal".into(),
                reason: "Scheduled".into(),
                count: 1,
                from: "default-scheduler".into(),
                message: "Successfully assigned default/batch-7 to c-1".into(),
            },
            EventLine {
                at: 60 * S,
                kind: "Warning".into(),
                reason: "FailedScheduling".into(),
                count: 2,
                from: "default-scheduler".into(),
                message: "0/6 nodes are available: 1 Insufficient cpu.".into(),
            },
        ],
        owners: vec![("Job".into(), "default/batch".into())],
        volumes: vec![("data".into(), "attached to c-1".into())],
        bars: vec![
            bar(1, 60, Some(70), "preStop", "app"),
            bar(2, 70, None, "sigterm", "app"),
            bar(3, 60, Some(61), "sigterm", "log"),
        ],
        yaml:
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: batch-7\n  labels:\n    app: batch\nspec:\n  nodeName: c-1\n"
                .into(),
        actions: vec![],
    }
}

fn explanation() -> serde_json::Value {
    let refused = |name: &str, plugin: &str, reason: &str, words: &str| serde_json::json!({"name": name, "verdict": "refused", "plugin": plugin, "reasons": [reason], "words": words});
    serde_json::json!({
        "pod": "default/batch-7", "schedulerName": "default-scheduler", "priority": 100, "verdict": "scheduled", "chosen": "c-1", "hosts": ["c-1"],
        "sentence": "2 of 6 nodes fit; c-1 scored highest.", "why": "It has the most room, and zone c has the fewest web pods.",
        "plugins": [{"name": "TaintToleration", "about": "t", "weight": 3}, {"name": "PodTopologySpread", "about": "s", "weight": 2}, {"name": "NodeResourcesFit", "about": "r", "weight": 1}, {"name": "NodeResourcesBalancedAllocation", "about": "b", "weight": 1}],
        "nodes": [refused("a-1", "NodeResourcesFit", "Insufficient cpu", "asks for 800m cpu, 500m are free"), refused("a-2", "TaintToleration", "node(s) had untolerated taint {dedicated: db}", "it does not tolerate dedicated=db"),
            refused("b-1", "TaintToleration", "node(s) had untolerated taint {node.kubernetes.io/unreachable: }", "it is unreachable"), refused("c-2", "NodeUnschedulable", "node(s) were unschedulable", "it is cordoned"),
            {"name": "b-2", "verdict": "fits", "words": "", "scores": [300, 48, 52, 63], "total": 463}, {"name": "c-1", "verdict": "fits", "words": "", "scores": [300, 66, 71, 75], "total": 512}],
        "spread": [{"index": 0, "topologyKey": "topology.kubernetes.io/zone", "hard": true, "maxSkew": 1, "min": 0, "own": 1, "domains": [{"value": "a", "count": 2, "skew": 3, "allowed": false}, {"value": "b", "count": 0, "skew": 1, "allowed": true}, {"value": "c", "count": 1, "skew": 2, "allowed": false}]}],
        "message": "Successfully assigned default/batch-7 to c-1",
    })
}
