//! EndpointSlices: the addresses behind a Service with their readiness (CT-114 to CT-116). They direct traffic; they do
//! not fence a node (CT-117).

use podscope_api::ordered;
use podscope_api::well_known::label;
use std::sync::Arc;

use podscope_api::{
    Endpoint, EndpointConditions, EndpointPort, EndpointSlice, IntOrString, Kind, Labels, Node, Object, ObjectMeta,
    ObjectReference, Pod, Service, ServicePort, Str, Time,
};

use podscope_sim::{Change, DeleteOptions, Objects, Part, Request, Span};

use super::controller::{Controller, ControllerContext};
use super::owner::{self, controller_ref};
use super::plan::{Accept, Action, Plan};
use super::queue::{Key, key_of};
use super::template::{fnv_hash, set_entry};
use super::trigger_time::{TRIGGER_TIME_ANNOTATION, TriggerTimes};

const MANAGED_BY_LABEL: (&str, &str) = (
    "endpointslice.kubernetes.io/managed-by",
    "endpointslice-controller.k8s.io",
);
/// Maximum number of endpoints in one slice.
const MAX_ENDPOINTS: usize = 100;

#[derive(Debug, Clone, Default)]
pub(super) struct EndpointSliceController {
    times: TriggerTimes,
}

/// Returns what an endpoint takes from its pod: the IP, whether the pod is ready, terminating and finished, and its
/// node. A change of anything else does not affect endpoints.
fn endpoint_properties(pod: &Pod) -> (&Str, bool, bool, bool, Option<&str>) {
    let meta = &pod.metadata;
    (
        &pod.status.pod_ip,
        pod.is_ready(),
        meta.is_terminating(),
        pod.is_terminal(),
        pod.spec.node_name.as_deref(),
    )
}

/// Enqueues the Services whose endpoints are affected by a change of a Service or pod.
pub(super) fn enqueue_services(change: &Change, cx: &mut ControllerContext<'_, '_>) {
    match change.object() {
        Some(Object::Service(service)) => cx.enqueue(key_of(&**service)),
        Some(Object::Pod(_)) => {
            let affected = services_of_change(change, cx);
            affected.into_iter().for_each(|key| cx.enqueue(key));
        }
        _ => {}
    }
}

/// Returns the keys of the Services whose endpoints are affected by a change of a pod.
fn services_of_change(change: &Change, cx: &ControllerContext<'_, '_>) -> ordered::Set<Key> {
    let (old, new) = owner::pods_of_change(change);
    if let (Some(old), Some(new)) = (old, new)
        && endpoint_properties(old) == endpoint_properties(new)
        && old.metadata.labels == new.metadata.labels
    {
        return ordered::Set::new();
    }
    let pods = [old, new].into_iter().flatten();
    let affected = pods.flat_map(|pod| cx.objects.services_selecting(pod));
    affected.map(key_of).collect()
}

/// Returns the hostname of a pod under the Service, if the pod's subdomain is the Service's name.
pub(super) fn hostname_in_service(service: &Service, pod: &Pod) -> Option<Str> {
    let is_shown = !pod.spec.hostname.is_empty() && pod.spec.subdomain == service.metadata.name;
    is_shown.then(|| pod.spec.hostname.clone())
}

/// Returns the Service's ports, resolved in a pod. A named port that no container declares is omitted; `None` if none
/// of the Service's ports can be resolved.
pub(super) fn ports_of(service: &Service, pod: &Pod) -> Option<Vec<EndpointPort>> {
    let found: Vec<EndpointPort> = service
        .spec
        .ports
        .iter()
        .filter_map(|one| resolve_port(one, pod))
        .collect();
    (service.spec.ports.is_empty() || !found.is_empty()).then_some(found)
}

impl Controller for EndpointSliceController {
    fn name(&self) -> &'static str {
        "endpoint-slice-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::Service, Kind::Pod, Kind::EndpointSlice]
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match change.object() {
            // Another client deleted or changed one of the controller's slices.
            Some(Object::EndpointSlice(slice)) if change.old.is_some() => {
                if let Some(service) = slice.metadata.label(label::SERVICE_NAME) {
                    cx.enqueue((
                        Kind::Service,
                        podscope_api::ObjectKey::new(slice.metadata.namespace.clone(), service),
                    ));
                }
            }
            _ => enqueue_services(change, cx),
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(service) = cx.objects.get::<Service>(&key.1).cloned() else {
            self.times.forget(&key.1);
            return Plan::default();
        };
        if cx.objects.assumed().is_left_alone(&service.metadata.uid) {
            return Plan::default();
        }
        if service.metadata.is_terminating() || service.spec.selector.as_ref().is_none_or(ordered::Map::is_empty) {
            return Plan::default();
        }
        let objects = cx.objects.clone();
        let pods: Vec<&Pod> = objects.pods_selected_by(&service).collect();
        let trigger_time = self.times.update(&service, &pods);
        let (wanted, lacks_node) = group_endpoints(&service, &pods, &objects);
        // The pod's node may not be in the cache yet, so try again soon (CT-115).
        reconcile_slices(&service, wanted, trigger_time, cx).requeue_after(lacks_node.then_some(Span::seconds(1)))
    }
}

/// Groups the endpoints of a Service by ports; returns also whether a pod was left out because its node is missing.
fn group_endpoints(service: &Service, pods: &[&Pod], objects: &Objects) -> (Vec<EndpointGroup>, bool) {
    let publish_not_ready = service.spec.publish_not_ready_addresses == Some(true);
    let mut wanted: Vec<EndpointGroup> = Vec::new();
    let mut lacks_node = false;
    for pod in pods {
        if pod.is_terminal() || pod.status.pod_ip.is_empty() {
            continue;
        }
        let node = pod.spec.node_name.as_ref();
        let node = node.and_then(|name| objects.named::<Node>(name));
        if node.is_none() && !publish_not_ready {
            lacks_node = true;
            continue;
        }
        let ports = ports_of(service, pod).unwrap_or_default();
        let endpoint = new_endpoint(service, pod, node.map(|node| &**node), publish_not_ready);
        let at = wanted.iter().position(|group| group.ports == ports);
        let at = at.unwrap_or_else(|| {
            wanted.push(EndpointGroup {
                ports,
                endpoints: ordered::Map::new(),
            });
            wanted.len() - 1
        });
        if let Some(group) = wanted.get_mut(at) {
            group.endpoints.insert(pod.metadata.uid.0.clone(), endpoint);
        }
    }
    (wanted, lacks_node)
}

/// Returns the slices that the controller would have created for an imported Service without slices (P-09).
pub(super) fn missing_slices(service: &Service, objects: &Objects) -> Vec<Object> {
    let meta = &service.metadata;
    let has_slices = objects.slices_of(&meta.namespace, &meta.name).next().is_some();
    let has_selector = service
        .spec
        .selector
        .as_ref()
        .is_some_and(|selector| !selector.is_empty());
    if has_slices || !has_selector || meta.is_terminating() || objects.assumed().is_left_alone(&meta.uid) {
        return Vec::new();
    }
    let pods: Vec<&Pod> = objects.pods_selected_by(service).collect();
    let (groups, _) = group_endpoints(service, &pods, objects);
    let mut chunks: Vec<(Vec<EndpointPort>, Vec<Endpoint>)> = Vec::new();
    for EndpointGroup { ports, endpoints } in groups {
        let endpoints: Vec<Endpoint> = endpoints.into_values().collect();
        chunks.extend(
            endpoints
                .chunks(MAX_ENDPOINTS)
                .map(|part| (ports.clone(), part.to_vec())),
        );
    }
    if chunks.is_empty() {
        chunks.push((Vec::new(), Vec::new()));
    }
    let labels = slice_labels(service);
    let slices = chunks.into_iter().enumerate().map(|(at, (ports, endpoints))| {
        let mut slice = new_slice(service, &labels, ports, endpoints, None);
        let suffix = fnv_hash(&format!("{} {at}", meta.uid), None);
        slice.metadata.name = format!("{}-{}", meta.name, suffix.get(..5).unwrap_or(&suffix)).into();
        slice.metadata.generate_name = Str::default();
        slice.metadata.generation = Some(1);
        Object::EndpointSlice(Arc::new(slice))
    });
    slices.collect()
}

/// Endpoints with the same ports, by pod UID.
struct EndpointGroup {
    ports: Vec<EndpointPort>,
    endpoints: ordered::Map<Str, Endpoint>,
}

fn new_endpoint(service: &Service, pod: &Pod, node: Option<&Node>, publish_not_ready: bool) -> Endpoint {
    let serving = pod.is_ready();
    let terminating = pod.metadata.is_terminating();
    Endpoint {
        addresses: vec![pod.status.pod_ip.clone()],
        conditions: EndpointConditions {
            ready: Some(publish_not_ready || (serving && !terminating)),
            serving: Some(serving),
            terminating: Some(terminating),
        },
        target_ref: Some(ObjectReference {
            kind: "Pod".into(),
            namespace: pod.metadata.namespace.clone(),
            name: pod.metadata.name.clone(),
            uid: pod.metadata.uid.clone(),
            ..ObjectReference::default()
        }),
        node_name: pod.spec.node_name.as_ref().map(|node| node.0.clone()),
        zone: node.and_then(|node| node.metadata.labels.get(label::ZONE)).cloned(),
        hostname: hostname_in_service(service, pod),
    }
}

fn resolve_port(port: &ServicePort, pod: &Pod) -> Option<EndpointPort> {
    let protocol: Str = if port.protocol.is_empty() {
        "TCP".into()
    } else {
        port.protocol.clone()
    };
    let number = match &port.target_port {
        None | Some(IntOrString::Int(0)) => port.port,
        Some(IntOrString::Int(number)) => *number,
        Some(IntOrString::String(name)) => {
            let declared = pod.spec.containers.iter().flat_map(|container| &container.ports);
            let mut named = declared.filter(|one| {
                let of = if one.protocol.is_empty() { "TCP" } else { &*one.protocol };
                *one.name == **name && *of == *protocol
            });
            named.next()?.container_port
        }
    };
    Some(EndpointPort {
        name: Some(port.name.clone()),
        protocol: Some(protocol),
        port: Some(number),
        app_protocol: port.app_protocol.clone(),
    })
}

/// Keeps existing endpoints in their slices, fills slices that have space, and creates and deletes slices. Reuses a
/// slice that is no longer needed instead of creating a new one.
fn reconcile_slices(
    service: &Service,
    wanted: Vec<EndpointGroup>,
    trigger_time: Option<Time>,
    cx: &ControllerContext<'_, '_>,
) -> Plan {
    let meta = &service.metadata;
    let ours = |slice: &&Arc<EndpointSlice>| slice.metadata.label(MANAGED_BY_LABEL.0) == Some(MANAGED_BY_LABEL.1);
    let slices = cx.objects.slices_of(&meta.namespace, &meta.name);
    let old: Vec<Arc<EndpointSlice>> = slices.filter(ours).cloned().collect();
    let (mut kept, mut reusable, mut new) = (Vec::new(), Vec::new(), Vec::new());
    for slice in &old {
        if !wanted.iter().any(|group| group.ports == slice.ports) {
            reusable.push((**slice).clone());
        }
    }
    for EndpointGroup { ports, mut endpoints } in wanted {
        let mut matching: Vec<EndpointSlice> = Vec::new();
        for slice in old.iter().filter(|slice| slice.ports == ports) {
            let mut slice = (**slice).clone();
            slice.endpoints = slice
                .endpoints
                .iter()
                .filter_map(|endpoint| endpoints.remove(&endpoint.target_ref.as_ref()?.uid.0))
                .collect();
            matching.push(slice);
        }
        let mut remaining = endpoints.into_values();
        for slice in &mut matching {
            let room = MAX_ENDPOINTS.saturating_sub(slice.endpoints.len());
            slice.endpoints.extend(remaining.by_ref().take(room));
        }
        let (emptied, filled): (Vec<_>, Vec<_>) = matching.into_iter().partition(|slice| slice.endpoints.is_empty());
        reusable.extend(emptied);
        kept.extend(filled);
        let remaining: Vec<Endpoint> = remaining.collect();
        new.extend(
            remaining
                .chunks(MAX_ENDPOINTS)
                .map(|endpoints| (ports.clone(), endpoints.to_vec())),
        );
    }
    // A Service without endpoints still has one slice, without ports.
    if kept.is_empty() && new.is_empty() {
        new.push((Vec::new(), Vec::new()));
    }
    let labels = slice_labels(service);
    let mut reusable = reusable.into_iter();
    let mut step = Vec::new();
    for (ports, endpoints) in new {
        match reusable.next() {
            Some(slice) => kept.push(EndpointSlice {
                ports,
                endpoints,
                ..slice
            }),
            None => step.push(create_slice(service, &labels, ports, endpoints, trigger_time)),
        }
    }
    for slice in reusable {
        let delete = Request::Delete {
            kind: Kind::EndpointSlice,
            key: slice.metadata.key(),
            options: DeleteOptions::default(),
        };
        step.push(Action::from(delete).accept(Accept::OrNotFound));
    }
    for mut slice in kept {
        slice.metadata.labels = labels.clone();
        let before = old.iter().find(|old| old.metadata.uid == slice.metadata.uid);
        if before.is_some_and(|before| **before == slice) {
            continue;
        }
        match trigger_time {
            Some(at) => drop(set_entry(
                &mut slice.metadata.annotations,
                TRIGGER_TIME_ANNOTATION,
                &at.to_string(),
            )),
            None if slice.metadata.annotation(TRIGGER_TIME_ANNOTATION).is_none() => {}
            None => drop(Arc::make_mut(&mut slice.metadata.annotations).remove(TRIGGER_TIME_ANNOTATION)),
        }
        step.push(Request::Update(Object::EndpointSlice(Arc::new(slice)), Part::Main).into());
    }
    Plan::default().then(step)
}

/// Returns the Service's labels and the labels that the controller adds.
fn slice_labels(service: &Service) -> Labels {
    let mut labels = service.metadata.labels.clone();
    set_entry(&mut labels, label::SERVICE_NAME, &service.metadata.name);
    set_entry(&mut labels, MANAGED_BY_LABEL.0, MANAGED_BY_LABEL.1);
    if &*service.spec.cluster_ip == "None" {
        set_entry(&mut labels, label::HEADLESS_SERVICE, "");
    }
    labels
}

fn create_slice(
    service: &Service,
    labels: &Labels,
    ports: Vec<EndpointPort>,
    endpoints: Vec<Endpoint>,
    trigger_time: Option<Time>,
) -> Action {
    let slice = new_slice(service, labels, ports, endpoints, trigger_time);
    let create = Request::Create(Object::EndpointSlice(Arc::new(slice)));
    Action::from(create).accept(Accept::OrNamespaceTerminating)
}

fn new_slice(
    service: &Service,
    labels: &Labels,
    ports: Vec<EndpointPort>,
    endpoints: Vec<Endpoint>,
    trigger_time: Option<Time>,
) -> EndpointSlice {
    let meta = &service.metadata;
    let mut metadata = ObjectMeta {
        generate_name: format!("{}-", meta.name).into(),
        namespace: meta.namespace.clone(),
        owner_references: vec![controller_ref(service)],
        labels: labels.clone(),
        ..ObjectMeta::default()
    };
    if let Some(at) = trigger_time {
        set_entry(&mut metadata.annotations, TRIGGER_TIME_ANNOTATION, &at.to_string());
    }
    EndpointSlice {
        metadata,
        address_type: "IPv4".into(),
        endpoints,
        ports,
        ..EndpointSlice::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::lab::Lab;
    use super::*;

    /// Returns all slices except those of the Service `kubernetes`.
    fn slices(lab: &Lab) -> impl Iterator<Item = &Arc<EndpointSlice>> {
        let all = lab.objects().list::<EndpointSlice>();
        all.filter(|slice| &*slice.metadata.name != "kubernetes")
    }

    /// Returns the conditions ready, serving and terminating of each endpoint.
    fn ready_serving_terminating(lab: &Lab) -> Vec<(bool, bool, bool)> {
        let flag = |value: Option<bool>| value == Some(true);
        let endpoints = slices(lab).flat_map(|slice| slice.endpoints.clone());
        endpoints
            .map(|endpoint| {
                (
                    flag(endpoint.conditions.ready),
                    flag(endpoint.conditions.serving),
                    flag(endpoint.conditions.terminating),
                )
            })
            .collect()
    }

    /// Endpoints have the conditions ready, serving and terminating. A pod on a lost node stays listed as not ready; a
    /// finished pod is removed.
    /// Shows: CT-114, CT-115, CT-116
    #[test]
    fn endpoints_follow_readiness_and_termination_of_pods() {
        let web = "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: 1, selector: {matchLabels: {app: web}}, \
            template: {metadata: {labels: {app: web}}, spec: {tolerations: [{operator: Exists}], containers: [{name: web, image: web}]}}}}\n---\n\
            {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}}";
        let mut lab = Lab::new(&["a-1", "b-1"], web);
        lab.run(Span::millis(500));
        assert_eq!(
            ready_serving_terminating(&lab),
            [],
            "without an address there is one empty slice"
        );
        assert_eq!(slices(&lab).count(), 1);
        lab.run(Span::seconds(2));
        assert_eq!(ready_serving_terminating(&lab), [(true, true, false)]);
        let pod = lab.pods()[0].clone();
        let node = lab.get::<Pod>(&pod).unwrap().spec.node_name.clone().unwrap();
        lab.partition(&node);
        lab.run(Span::seconds(70));
        assert_eq!(
            ready_serving_terminating(&lab),
            [(false, false, false)],
            "the lost node sets the pod's Ready condition to False"
        );
        lab.delete(Kind::Pod, &pod, None);
        lab.run(Span::seconds(3));
        let mut now = ready_serving_terminating(&lab);
        now.sort_unstable();
        assert_eq!(now, [(false, false, true), (true, true, false)]);
        lab.delete(Kind::Pod, &pod, Some(0));
        lab.run(Span::seconds(1));
        assert_eq!(ready_serving_terminating(&lab), [(true, true, false)]);
    }

    /// A slice holds at most 100 endpoints.
    /// Shows: CT-114
    #[test]
    fn slice_holds_at_most_100_endpoints() {
        let web = "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: 250, selector: {matchLabels: {app: web}}, \
            template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}}}\n---\n\
            {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}";
        let mut lab = Lab::new(&["a-1"], web);
        lab.run(Span::seconds(5));
        let mut sizes: Vec<usize> = slices(&lab).map(|slice| slice.endpoints.len()).collect();
        sizes.sort_unstable();
        assert_eq!(sizes.iter().sum::<usize>(), 250, "{sizes:?}");
        assert!(sizes.iter().all(|size| *size <= 100), "{sizes:?}");
    }
}
