//! What the inspector shows (U-06).

use podscope_api::ordered::StableSort as _;
use podscope_api::untyped::{list, text};
use podscope_api::{ConditionStatus, Event, Kind, Node, NodeName, Object, ObjectKey, Pod, Time};
use podscope_cluster::{SimTime, World};

use super::differences;
use super::nodes::{MachineState, Machines};
use crate::timeline::Session;
use podscope_kubectl::{PodRow, event_times, node_status, pod_row};
use podscope_protocol::{ConditionLine, ContainerDetail, Detail, EventLine, Mark, SubjectRef};

/// The detail of a subject at the cursor.
pub(crate) fn detail(session: &Session, subject: &SubjectRef, marks: &[Mark]) -> Detail {
    match subject {
        SubjectRef::Pod { key, uid } => pod(session, key, uid, marks),
        SubjectRef::Node { name } => node(session, name),
        SubjectRef::Object { kind, key } => object(session, kind, key),
        SubjectRef::Invariant { name } => invariant(session, name),
    }
}

fn split(key: &str) -> ObjectKey {
    match key.split_once('/') {
        Some((namespace, name)) => ObjectKey::new(namespace, name),
        None => ObjectKey::cluster(key),
    }
}

fn events(session: &Session, kind: &str, key: &ObjectKey, uid: &str) -> Vec<EventLine> {
    let start = session.world().start();
    let mut lines: Vec<EventLine> = session
        .world()
        .objects()
        .list::<Event>()
        .filter(|event| {
            let about = &event.involved_object;
            &*about.kind == kind
                && about.name == key.name
                && (uid.is_empty() || about.uid.is_empty() || about.uid == uid || kind == "Node")
        })
        .map(|event| {
            let (_, last, count) = event_times(event);
            let at = last.unwrap_or(start);
            let (from, _) = event.emitter();
            EventLine {
                at: at.0 - start.0,
                is_warning: &*event.kind == "Warning",
                reason: event.reason.to_string(),
                count,
                from: from.to_string(),
                message: event.message.to_string(),
            }
        })
        .collect();
    lines.stable_sort_by_key(|line| std::cmp::Reverse(line.at));
    lines
}

fn micros(session: &Session, at: Option<Time>) -> i64 {
    at.map_or(0, |at| at.0 - session.world().start().0)
}

/// A condition: type, status, reason and message, and since when it is so.
fn condition(
    session: &Session,
    status: ConditionStatus,
    [kind, reason, message]: [&str; 3],
    since: Option<Time>,
) -> ConditionLine {
    ConditionLine {
        kind: kind.to_owned(),
        status,
        reason: reason.to_owned(),
        message: message.to_owned(),
        since: micros(session, since),
    }
}

fn yaml(object: &Object) -> String {
    podscope_api::print_yaml(&podscope_kubectl::shown(object, false))
}

fn pod(session: &Session, key: &str, uid: &str, marks: &[Mark]) -> Detail {
    let world = session.world();
    let machines = Machines::of(world);
    let object_key = split(key);
    let found = world
        .objects()
        .get::<Pod>(&object_key)
        .filter(|pod| uid.is_empty() || pod.metadata.uid == uid);
    let bars = |uid: &str| {
        marks
            .iter()
            .filter(|mark| mark.lane == podscope_protocol::Lane::Terminations)
            .filter(|mark| matches!(&mark.subject, Some(SubjectRef::Pod { uid: own, .. }) if own == uid))
            .cloned()
            .collect()
    };
    let Some(pod) = found else {
        return forgotten(session, &object_key, uid, &machines, bars(uid));
    };
    let now = Time(world.start().0 + world.now().0);
    let row = pod_row(pod, now);
    let node = pod
        .spec
        .node_name
        .as_ref()
        .map_or_else(String::new, ToString::to_string);
    let machine = machines.get(&node);
    Detail {
        title: object_key.name.to_string(),
        subtitle: format!("{} · priority {}", object_key.namespace, pod.priority()),
        sentence: pod_sentence(pod, &row, &node, machine.is_some_and(|machine| machine.is_dark)),
        conditions: pod
            .status
            .conditions
            .iter()
            .map(|one| {
                let words = [&*one.kind, &one.reason, &one.message];
                condition(session, one.status.clone(), words, one.last_transition_time)
            })
            .collect(),
        containers: containers(pod, machine),
        events: events(session, "Pod", &object_key, &pod.metadata.uid),
        owners: owners(world, pod),
        volumes: pod
            .spec
            .volumes
            .iter()
            .map(|volume| (volume.name.to_string(), volume_words(volume)))
            .collect(),
        bars: bars(&pod.metadata.uid),
        yaml: yaml(&Object::Pod(pod.clone())),
        ..Detail::default()
    }
}

/// What is told of a pod that the API does not have: which processes of it still run.
fn forgotten(session: &Session, object_key: &ObjectKey, uid: &str, machines: &Machines, bars: Vec<Mark>) -> Detail {
    let processes: Vec<_> = machines
        .0
        .iter()
        .flat_map(|(node, state)| {
            state
                .machine
                .processes()
                .into_iter()
                .map(move |process| (node, process))
        })
        .filter(|(_, process)| process.uid.as_str() == uid || (uid.is_empty() && process.pod == *object_key))
        .collect();
    let node = processes.first().map(|(node, _)| node.to_string()).unwrap_or_default();
    Detail {
        title: object_key.name.to_string(),
        subtitle: if processes.is_empty() {
            "gone".into()
        } else {
            format!("ghost on {node}")
        },
        sentence: if processes.is_empty() {
            format!("{object_key} is gone: the API has no such pod, and no process of it runs.")
        } else {
            format!(
                "{object_key} still runs on {node}, but the API has forgotten it. Its kubelet will end it when it hears of the deletion."
            )
        },
        containers: processes
            .iter()
            .map(|(_, process)| ContainerDetail {
                name: process.container.to_string(),
                role: "app".into(),
                state: "unknown to the API".into(),
                machine: machine_words(process.started_at, &process.signals),
                differs: true,
                ..ContainerDetail::default()
            })
            .collect(),
        events: events(session, "Pod", object_key, uid),
        bars,
        ..Detail::default()
    }
}

fn containers(pod: &Pod, machine: Option<&MachineState>) -> Vec<ContainerDetail> {
    pod.spec
        .init_containers
        .iter()
        .map(|container| (container, if container.is_sidecar() { "sidecar" } else { "init" }))
        .chain(pod.spec.containers.iter().map(|container| (container, "app")))
        .map(|(container, role)| {
            let status = pod.status.status_of(&container.name);
            let process = machine.and_then(|machine| {
                machine
                    .machine
                    .processes()
                    .into_iter()
                    .find(|process| process.uid == pod.metadata.uid && process.container == container.name)
            });
            ContainerDetail {
                name: container.name.to_string(),
                role: role.into(),
                state: status.map_or_else(|| "no status yet".into(), |status| state_words(&status.state)),
                differs: status.is_some_and(|status| status.state.running.is_some()) != process.is_some(),
                machine: process.map_or_else(
                    || "no process".into(),
                    |process| machine_words(process.started_at, &process.signals),
                ),
                restarts: status.map_or(0, |status| status.restart_count),
                ready: status.is_some_and(|status| status.ready),
                image: container.image.to_string(),
                restarted: (pod.restarted(container)).map_or_else(String::new, |restarted| restarted.to_string()),
            }
        })
        .collect()
}

/// Who controls the pod, and who controls that: kinds and names.
fn owners(world: &World, pod: &Pod) -> Vec<(String, String)> {
    let mut owners = Vec::new();
    let mut owner = pod.metadata.controller_ref().cloned();
    while let Some(reference) = owner {
        if owners.len() > 8 {
            break;
        }
        owners.push((
            reference.kind.to_string(),
            format!("{}/{}", pod.metadata.namespace, reference.name),
        ));
        owner = world
            .objects()
            .by_uid(&reference.uid)
            .and_then(|above| above.metadata().controller_ref().cloned());
    }
    owners
}

fn pod_sentence(pod: &Pod, row: &PodRow, node: &str, is_dark: bool) -> String {
    let cause = differences::deletion_cause(pod);
    if pod.metadata.is_terminating() {
        format!(
            "Being terminated: {cause}.{}",
            if is_dark {
                " Its node cannot be reached, so nobody can confirm that its processes ended."
            } else {
                ""
            }
        )
    } else if node.is_empty() {
        // The scheduler's own words stand beside its decision.
        "Not bound to a node yet.".into()
    } else if is_dark {
        format!(
            "The API says {}, but {node} cannot be reached: this is the last that was heard.",
            row.status
        )
    } else {
        format!(
            "{} on {node}, {}/{} containers ready.",
            row.status, row.ready, row.total
        )
    }
}

fn machine_words(started: SimTime, signals: &[podscope_api::Str]) -> String {
    let mut words = format!("runs since {}", podscope_protocol::clock::instant(started.0));
    if !signals.is_empty() {
        words.push_str(&format!(", received {}", signals.join(", ")));
    }
    words
}

fn state_words(state: &podscope_api::ContainerState) -> String {
    match (&state.waiting, &state.running, &state.terminated) {
        (Some(waiting), ..) => format!("waiting: {}", waiting.reason),
        (_, Some(_), _) => "running".into(),
        (_, _, Some(ended)) => format!("ended: {}, exit code {}", ended.reason, ended.exit_code),
        _ => "waiting".into(),
    }
}

fn volume_words(volume: &podscope_api::Volume) -> String {
    if let Some(claim) = &volume.persistent_volume_claim {
        format!("claim {}", claim.claim_name)
    } else if volume.empty_dir.is_some() {
        "scratch space that lives as long as the pod".into()
    } else if let Some(map) = &volume.config_map {
        format!("ConfigMap {}", map.name)
    } else if let Some(secret) = &volume.secret {
        format!("Secret {}", secret.secret_name)
    } else if volume.nfs.is_some() {
        "NFS: does not keep a second writer out".into()
    } else if volume.host_path.is_some() {
        "a directory of the node".into()
    } else {
        "volume".into()
    }
}

fn node(session: &Session, name: &str) -> Detail {
    let world = session.world();
    let machines = Machines::of(world);
    let node_name = NodeName::from(name);
    let state = machines.get(name);
    let heartbeat = world.heartbeats().last_renewal(&node_name, world.now());
    let found = world.objects().named::<Node>(name);
    let differs = state.map_or_else(Vec::new, |state| {
        let ghosts = super::pods::ghosts(world, &state.machine, &super::Owners::default());
        differences::differs(world, &node_name, state, heartbeat, &ghosts)
    });
    let differs: Vec<String> = differs.iter().map(ToString::to_string).collect();
    let title = name.to_owned();
    match found {
        Some(node) => Detail {
            title,
            subtitle: node
                .metadata
                .label(super::ZONE)
                .map_or_else(String::new, |zone| format!("zone {zone}")),
            sentence: if differs.is_empty() {
                format!("{}. API and machine agree.", node_status(node))
            } else {
                differs.join(" ")
            },
            conditions: node
                .status
                .conditions
                .iter()
                .map(|one| {
                    let words = [&*one.kind, &one.reason, &one.message];
                    condition(session, one.status.clone(), words, one.last_transition_time)
                })
                .collect(),
            events: events(session, "Node", &ObjectKey::cluster(name), ""),
            volumes: node
                .status
                .volumes_attached
                .iter()
                .map(|volume| (volume.name.to_string(), "attached".to_owned()))
                .collect(),
            yaml: yaml(&Object::Node(node.clone())),
            ..Detail::default()
        },
        None => Detail {
            title,
            subtitle: "no Node object".into(),
            sentence: if state.is_some() {
                format!(
                    "There is a machine {name}, but the API has no Node for it. {}",
                    differs.join(" ")
                )
            } else {
                format!("{name} is gone.")
            },
            events: events(session, "Node", &ObjectKey::cluster(name), ""),
            ..Detail::default()
        },
    }
}

fn object(session: &Session, kind: &str, key: &str) -> Detail {
    let found = Kind::named(kind).and_then(|known| session.world().objects().get_kind(known, &split(key)));
    let Some(object) = found else {
        return Detail {
            title: key.to_owned(),
            subtitle: kind.to_owned(),
            sentence: format!("The API has no {kind} {key}."),
            ..Detail::default()
        };
    };
    let value = object.typed_value();
    let conditions = list(value.pointer("/status/conditions"))
        .map(|(_, one)| {
            let since = podscope_api::parse_rfc3339(text(one, "lastTransitionTime")).map(Time);
            let words = ["type", "reason", "message"].map(|field| text(one, field));
            condition(session, ConditionStatus::from(text(one, "status")), words, since)
        })
        .collect();
    Detail {
        title: object.metadata().name.to_string(),
        subtitle: kind.to_owned(),
        replicas: value.pointer("/spec/replicas").and_then(serde_json::Value::as_i64),
        conditions,
        events: events(session, kind, &object.key(), &object.metadata().uid),
        owners: object
            .metadata()
            .owner_references
            .iter()
            .map(|owner| {
                (
                    owner.kind.to_string(),
                    format!("{}/{}", object.metadata().namespace, owner.name),
                )
            })
            .collect(),
        yaml: yaml(&object),
        ..Detail::default()
    }
}

fn invariant(session: &Session, name: &str) -> Detail {
    let breaks: Vec<_> = session
        .violations()
        .filter_map(|record| Some((record.at, record.violation()?)))
        .filter(|(_, violation)| *violation.invariant == *name)
        .collect();
    let sentence = match breaks.first() {
        None => format!("{name} holds."),
        Some((at, first)) => super::told(*at, first).sentence(),
    };
    Detail {
        title: name.to_owned(),
        subtitle: "invariant".into(),
        sentence,
        events: breaks
            .iter()
            .rev()
            .take(200)
            .map(|(at, violation)| EventLine {
                at: at.0,
                is_warning: true,
                reason: violation.cause.as_str().to_owned(),
                count: 1,
                from: violation.by.who.clone(),
                message: violation.message.clone(),
            })
            .collect(),
        ..Detail::default()
    }
}
