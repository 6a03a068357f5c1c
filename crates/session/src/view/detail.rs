//! The content of the page's inspector (U-06): details of the selected object.

use podscope_api::ordered::StableSort as _;
use podscope_api::untyped::{list, text};
use podscope_api::well_known::label;
use podscope_api::{ConditionStatus, Event, Kind, Node, NodeName, Object, ObjectKey, Pod, Quantity, Time};
use podscope_cluster::machine::EmptyDirData;
use podscope_cluster::{SimTime, World};

use super::differences;
use super::nodes::{MachineState, Machines};
use super::requests::SelectedFailures;
use crate::timeline::Session;
use podscope_kubectl::{PodRow, event_times_and_count, node_status, pod_row};
use podscope_protocol::{
    ConditionLine, ContainerDetail, ContainerRole, ContainerState, EmptyDirDataView, EventLine, InspectorContent, Lane,
    Mark, MarkKind, ProcessView, SubjectRef, Subtitle, Summary, VolumeView, failures_title,
};

/// Returns the details of the selected object at the cursor.
pub(crate) fn detail(session: &Session, subject: &SubjectRef, marks: &[Mark]) -> InspectorContent {
    match subject {
        SubjectRef::Pod { key, uid } => pod_detail(session, key, uid, marks),
        SubjectRef::Node { name } => node_detail(session, name),
        SubjectRef::Object { kind, key } => object_detail(session, kind, key),
        SubjectRef::Invariant { name } => invariant_detail(session, name),
        SubjectRef::FailedRequests {
            service,
            endpoint,
            record,
        } => {
            let selected = SelectedFailures {
                service,
                endpoint: endpoint.as_deref(),
                record: *record,
            };
            let found = selected.find(session, marks);
            InspectorContent {
                title: failures_title(service),
                subtitle: Subtitle::FailedRequests,
                summary: Summary::FailedRequests(found.map(|(failed, _)| Box::new(failed))),
                ..InspectorContent::default()
            }
        }
    }
}

fn parse_key(key: &str) -> ObjectKey {
    match key.split_once('/') {
        Some((namespace, name)) => ObjectKey::new(namespace, name),
        None => ObjectKey::cluster(key),
    }
}

fn event_lines(session: &Session, kind: &str, key: &ObjectKey, uid: &str) -> Vec<EventLine> {
    let start = session.world().start_time();
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
            let (_, last, count) = event_times_and_count(event);
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

fn sim_micros(session: &Session, at: Option<Time>) -> i64 {
    at.map_or(0, |at| session.world().sim_time(at).0)
}

/// Creates a line of the inspector about a condition. `since` is the condition's last transition time.
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
        since: sim_micros(session, since),
    }
}

fn yaml(object: &Object) -> String {
    podscope_api::print_yaml(&podscope_kubectl::printed_value(object, false))
}

fn pod_detail(session: &Session, key: &str, uid: &str, marks: &[Mark]) -> InspectorContent {
    let world = session.world();
    let machines = Machines::of(world);
    let object_key = parse_key(key);
    let found = world
        .objects()
        .get::<Pod>(&object_key)
        .filter(|pod| uid.is_empty() || pod.metadata.uid == uid);
    let bars = |uid: &str| {
        marks
            .iter()
            .filter(|mark| mark.lane == Lane::Terminations)
            .filter(|mark| matches!(mark.kind, MarkKind::PreStop | MarkKind::Sigterm | MarkKind::Killed))
            .filter(|mark| matches!(&mark.subject, Some(SubjectRef::Pod { uid: own, .. }) if own == uid))
            .cloned()
            .collect()
    };
    let Some(pod) = found else {
        return deleted_pod_detail(session, &object_key, uid, &machines, bars(uid));
    };
    let now = world.wall_time();
    let row = pod_row(pod, now);
    let node = pod
        .spec
        .node_name
        .as_ref()
        .map_or_else(String::new, ToString::to_string);
    let machine = machines.get(&node);
    let written = world.empty_dir_contents(&NodeName::from(&*node), &pod.metadata.uid);
    InspectorContent {
        title: object_key.name.to_string(),
        subtitle: Subtitle::Pod {
            namespace: object_key.namespace.to_string(),
            priority: pod.priority(),
        },
        summary: pod_summary(pod, row, node.clone(), machine.is_some_and(|machine| machine.is_silent)),
        conditions: pod
            .status
            .conditions
            .iter()
            .map(|one| {
                let texts = [&*one.kind, &one.reason, &one.message];
                condition(session, one.status.clone(), texts, one.last_transition_time)
            })
            .collect(),
        containers: containers(pod, machine),
        events: event_lines(session, "Pod", &object_key, &pod.metadata.uid),
        owners: owner_chain(world, pod),
        volumes: pod
            .spec
            .volumes
            .iter()
            .map(|volume| (volume.name.to_string(), volume_view(volume, &written)))
            .collect(),
        bars: bars(&pod.metadata.uid),
        yaml: yaml(&Object::Pod(pod.clone())),
        ..InspectorContent::default()
    }
}

/// Returns the details of a pod that was deleted from the API but whose processes are still running.
fn deleted_pod_detail(
    session: &Session,
    object_key: &ObjectKey,
    uid: &str,
    machines: &Machines,
    bars: Vec<Mark>,
) -> InspectorContent {
    let world = session.world();
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
    let written = processes
        .first()
        .map_or_else(Vec::new, |(node, process)| world.empty_dir_contents(node, &process.uid));
    let pod = object_key.to_string();
    InspectorContent {
        title: object_key.name.to_string(),
        subtitle: if processes.is_empty() {
            Subtitle::Gone
        } else {
            Subtitle::Ghost { node: node.clone() }
        },
        summary: if processes.is_empty() {
            Summary::GonePod { pod }
        } else {
            Summary::GhostPod { pod, node }
        },
        containers: processes
            .iter()
            .map(|(_, process)| ContainerDetail {
                name: process.container.to_string(),
                state: ContainerState::Forgotten,
                process: Some(process_view(process.started_at, &process.signals)),
                differs: true,
                ..ContainerDetail::default()
            })
            .collect(),
        // The volumes of the deleted pod are not known any more, but the machine still has the emptyDirs to which
        // containers wrote data.
        volumes: (written.chunk_by(|one, next| one.volume == next.volume))
            .filter_map(|of_one| Some((of_one.first()?.volume.to_string(), empty_dir_view(of_one))))
            .collect(),
        events: event_lines(session, "Pod", object_key, uid),
        bars,
        ..InspectorContent::default()
    }
}

fn containers(pod: &Pod, machine: Option<&MachineState>) -> Vec<ContainerDetail> {
    pod.spec
        .init_containers
        .iter()
        .map(|container| match container.is_sidecar() {
            true => (container, ContainerRole::Sidecar),
            false => (container, ContainerRole::Init),
        })
        .chain((pod.spec.containers.iter()).map(|container| (container, ContainerRole::App)))
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
                role,
                state: status.map_or(ContainerState::NoStatus, |status| container_state(&status.state)),
                differs: status.is_some_and(|status| status.state.running.is_some()) != process.is_some(),
                process: process.map(|process| process_view(process.started_at, &process.signals)),
                restarts: status.map_or(0, |status| status.restart_count),
                ready: status.is_some_and(|status| status.ready),
                image: container.image.to_string(),
                restarted: pod.restart_reason(container).map(|restarted| restarted.sentence()),
            }
        })
        .collect()
}

/// Returns kind and name of the pod's controller, of that controller's controller, and so on.
fn owner_chain(world: &World, pod: &Pod) -> Vec<(String, String)> {
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

fn pod_summary(pod: &Pod, row: PodRow, node: String, is_node_unreachable: bool) -> Summary {
    let status = row.status;
    if pod.metadata.is_terminating() {
        let cause = differences::deletion_cause(pod);
        Summary::Terminating {
            cause,
            is_dark: is_node_unreachable,
        }
    } else if node.is_empty() {
        Summary::Unbound
    } else if is_node_unreachable {
        Summary::LastHeard { status, node }
    } else {
        Summary::Bound {
            status,
            node,
            ready: row.ready,
            containers: row.total,
        }
    }
}

fn process_view(started: SimTime, signals: &[podscope_api::Str]) -> ProcessView {
    ProcessView {
        since: started.0,
        signals: signals.iter().map(ToString::to_string).collect(),
    }
}

fn container_state(state: &podscope_api::ContainerState) -> ContainerState {
    match (&state.waiting, &state.running, &state.terminated) {
        (Some(waiting), ..) => ContainerState::Waiting(Some(waiting.reason.to_string())),
        (_, Some(_), _) => ContainerState::Running,
        (_, _, Some(ended)) => ContainerState::Ended {
            reason: ended.reason.to_string(),
            exit_code: ended.exit_code,
        },
        _ => ContainerState::Waiting(None),
    }
}

/// Converts an emptyDir with the data that was written to it.
fn empty_dir_view<'a>(written: impl IntoIterator<Item = &'a EmptyDirData>) -> VolumeView {
    let views = written.into_iter().map(|written| EmptyDirDataView {
        size: Quantity::from_bytes(written.bytes).to_string(),
        container: written.container.to_string(),
        since: written.since.0,
    });
    VolumeView::Scratch(views.collect())
}

fn volume_view(volume: &podscope_api::Volume, written: &[EmptyDirData]) -> VolumeView {
    if let Some(claim) = &volume.persistent_volume_claim {
        VolumeView::Claim(claim.claim_name.to_string())
    } else if volume.empty_dir.is_some() {
        empty_dir_view(written.iter().filter(|written| written.volume == volume.name))
    } else if let Some(map) = &volume.config_map {
        VolumeView::ConfigMap(map.name.to_string())
    } else if let Some(secret) = &volume.secret {
        VolumeView::Secret(secret.secret_name.to_string())
    } else if volume.nfs.is_some() {
        VolumeView::Nfs
    } else if volume.host_path.is_some() {
        VolumeView::HostPath
    } else {
        VolumeView::Other
    }
}

fn node_detail(session: &Session, name: &str) -> InspectorContent {
    let world = session.world();
    let machines = Machines::of(world);
    let node_name = NodeName::from(name);
    let state = machines.get(name);
    let found = world.objects().named::<Node>(name);
    let heartbeat = super::nodes::last_heartbeat(world, &node_name, found.map(|node| &**node));
    let differs = state.map_or_else(Vec::new, |state| {
        let ghosts = super::pods::ghost_pods(world, &state.machine, &super::Owners::default());
        differences::node_differences(world, &node_name, state, heartbeat, &ghosts)
    });
    let title = name.to_owned();
    match found {
        Some(node) => InspectorContent {
            title,
            subtitle: Subtitle::Zone(node.metadata.label(label::ZONE).unwrap_or_default().to_owned()),
            summary: if differs.is_empty() {
                Summary::Agrees {
                    status: node_status(node),
                }
            } else {
                Summary::Differs(differs)
            },
            conditions: node
                .status
                .conditions
                .iter()
                .map(|one| {
                    let texts = [&*one.kind, &one.reason, &one.message];
                    condition(session, one.status.clone(), texts, one.last_transition_time)
                })
                .collect(),
            events: event_lines(session, "Node", &ObjectKey::cluster(name), ""),
            volumes: node
                .status
                .volumes_attached
                .iter()
                .map(|volume| (volume.name.to_string(), VolumeView::Attached))
                .collect(),
            yaml: yaml(&Object::Node(node.clone())),
            ..InspectorContent::default()
        },
        None => InspectorContent {
            subtitle: Subtitle::NoNode,
            summary: if state.is_some() {
                let node = title.clone();
                Summary::MachineAlone { node, differs }
            } else {
                Summary::GoneNode { node: title.clone() }
            },
            title,
            events: event_lines(session, "Node", &ObjectKey::cluster(name), ""),
            ..InspectorContent::default()
        },
    }
}

fn object_detail(session: &Session, kind: &str, key: &str) -> InspectorContent {
    let found = Kind::named(kind).and_then(|known| session.world().objects().get_kind(known, &parse_key(key)));
    let Some(object) = found else {
        return InspectorContent {
            title: key.to_owned(),
            subtitle: Subtitle::Kind(kind.to_owned()),
            summary: Summary::GoneObject {
                kind: kind.to_owned(),
                key: key.to_owned(),
            },
            ..InspectorContent::default()
        };
    };
    let value = object.typed_value();
    let conditions = list(value.pointer("/status/conditions"))
        .map(|(_, one)| {
            let since = podscope_api::parse_rfc3339(text(one, "lastTransitionTime")).map(Time);
            let texts = ["type", "reason", "message"].map(|field| text(one, field));
            condition(session, ConditionStatus::from(text(one, "status")), texts, since)
        })
        .collect();
    InspectorContent {
        title: object.metadata().name.to_string(),
        subtitle: Subtitle::Kind(kind.to_owned()),
        replicas: value.pointer("/spec/replicas").and_then(serde_json::Value::as_i64),
        conditions,
        events: event_lines(session, kind, &object.key(), &object.metadata().uid),
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
        ..InspectorContent::default()
    }
}

fn invariant_detail(session: &Session, name: &str) -> InspectorContent {
    let violations: Vec<_> = session
        .violations()
        .filter_map(|record| Some((record.at, record.violation()?)))
        .filter(|(_, violation)| *violation.invariant == *name)
        .collect();
    let summary = match violations.first() {
        None => Summary::Holds {
            invariant: name.to_owned(),
        },
        Some((at, first)) => Summary::Broken(super::broken_invariant(session, *at, first)),
    };
    InspectorContent {
        title: name.to_owned(),
        subtitle: Subtitle::Invariant,
        summary,
        breaks: violations
            .iter()
            .rev()
            .take(200)
            .map(|(at, violation)| super::broken_invariant(session, *at, violation))
            .collect(),
        ..InspectorContent::default()
    }
}
