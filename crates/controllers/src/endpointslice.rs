//! EndpointSlices: the addresses behind a Service, with their readiness
//! (CT-114 to CT-116). Traffic hygiene, not fencing (CT-117).

use podscope_api::ordered;
use std::sync::Arc;

use podscope_api::{
    Endpoint, EndpointConditions, EndpointPort, EndpointSlice, Kind, Node, Object, ObjectMeta, ObjectReference, Pod,
    Service, ServicePort, Str,
};

use podscope_sim::{Change, DeleteOptions, Part, Request, Span};

use super::controller::{Controller, ControllerContext};
use super::owner::{self, controller_ref};
use super::plan::{Accept, Action, Plan};
use super::queue::{Key, key_of};
use super::template::set_entry;

const SERVICE: &str = "kubernetes.io/service-name";
const MANAGED_BY: (&str, &str) = (
    "endpointslice.kubernetes.io/managed-by",
    "endpointslice-controller.k8s.io",
);
const ZONE: &str = "topology.kubernetes.io/zone";
/// Endpoints of one slice.
const MAX: usize = 100;

#[derive(Debug, Clone, Default)]
pub(super) struct EndpointSlices;

impl EndpointSlices {
    pub(super) fn boxed() -> Box<dyn Controller> {
        Box::new(Self)
    }
}

fn selects(service: &Service, pod: &Pod) -> bool {
    let selector = service.spec.selector.as_ref();
    selector.is_some_and(|selector| {
        !selector.is_empty()
            && selector
                .iter()
                .all(|(key, value)| pod.metadata.labels.get(key) == Some(value))
    })
}

/// What of a pod an endpoint shows.
fn shown(pod: &Pod) -> (&Str, bool, bool, bool, Option<&str>) {
    let meta = &pod.metadata;
    (
        &pod.status.pod_ip,
        pod.is_ready(),
        meta.is_terminating(),
        pod.is_terminal(),
        pod.spec.node_name.as_deref(),
    )
}

impl Controller for EndpointSlices {
    fn name(&self) -> &'static str {
        "endpoint-slice-controller"
    }
    fn watches(&self) -> &'static [Kind] {
        &[Kind::Service, Kind::Pod, Kind::EndpointSlice]
    }
    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match change.object() {
            Some(Object::Service(service)) => cx.enqueue(key_of(&**service)),
            Some(Object::Pod(pod)) => {
                let (old, new) = owner::pods_of_change(change);
                if let (Some(old), Some(new)) = (old, new)
                    && shown(old) == shown(new)
                    && old.metadata.labels == new.metadata.labels
                {
                    return;
                }
                let services = cx.objects.list_in::<Service>(&pod.metadata.namespace);
                let concerned =
                    services.filter(|service| [old, new].into_iter().flatten().any(|pod| selects(service, pod)));
                let keys: Vec<Key> = concerned.map(|service| key_of(&**service)).collect();
                keys.into_iter().for_each(|key| cx.enqueue(key));
            }
            // Somebody else removed or changed a slice of ours.
            Some(Object::EndpointSlice(slice)) if change.old.is_some() => {
                if let Some(service) = slice.metadata.label(SERVICE) {
                    cx.enqueue((
                        Kind::Service,
                        podscope_api::ObjectKey::new(slice.metadata.namespace.clone(), service),
                    ));
                }
            }
            _ => {}
        }
    }
    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(service) = cx.objects.get::<Service>(&key.1).cloned() else {
            return Plan::default();
        };
        if cx.objects.assumed().is_left_alone(&service.metadata.uid) {
            return Plan::default();
        }
        if service.metadata.is_terminating() || service.spec.selector.as_ref().is_none_or(ordered::Map::is_empty) {
            return Plan::default();
        }
        let publish = service.spec.publish_not_ready_addresses == Some(true);
        let mut wanted: ordered::Map<Str, Endpoint> = ordered::Map::new();
        let mut misses_node = false;
        for pod in cx
            .objects
            .list_in::<Pod>(&key.1.namespace)
            .filter(|pod| selects(&service, pod))
        {
            if pod.is_terminal() || pod.status.pod_ip.is_empty() {
                continue;
            }
            let node = pod
                .spec
                .node_name
                .as_ref()
                .and_then(|name| cx.objects.named::<Node>(name));
            if node.is_none() && !publish {
                misses_node = true;
                continue;
            }
            wanted.insert(
                pod.metadata.uid.0.clone(),
                endpoint(pod, node.map(|node| &**node), publish),
            );
        }
        // A node that is not in the cache yet may come (CT-115).
        self.reconcile(&service, wanted, cx)
            .requeue_after(misses_node.then_some(Span::seconds(1)))
    }
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

fn endpoint(pod: &Pod, node: Option<&Node>, publish: bool) -> Endpoint {
    let serving = pod.is_ready();
    let terminating = pod.metadata.is_terminating();
    Endpoint {
        addresses: vec![pod.status.pod_ip.clone()],
        conditions: EndpointConditions {
            ready: Some(publish || (serving && !terminating)),
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
        zone: node.and_then(|node| node.metadata.labels.get(ZONE)).cloned(),
    }
}

fn port(port: &ServicePort) -> EndpointPort {
    let target = port
        .target_port
        .as_ref()
        .and_then(|target| target.to_string().parse().ok())
        .filter(|number| *number != 0);
    EndpointPort {
        name: Some(port.name.clone()),
        protocol: Some(if port.protocol.is_empty() {
            "TCP".into()
        } else {
            port.protocol.clone()
        }),
        port: Some(target.unwrap_or(port.port)),
    }
}

impl EndpointSlices {
    /// Keeps each endpoint in its slice, fills free places, adds and removes slices.
    fn reconcile(
        &self,
        service: &Service,
        mut wanted: ordered::Map<Str, Endpoint>,
        cx: &ControllerContext<'_, '_>,
    ) -> Plan {
        let meta = &service.metadata;
        let ours = |slice: &&Arc<EndpointSlice>| {
            slice.metadata.label(SERVICE) == Some(&*meta.name)
                && slice.metadata.label(MANAGED_BY.0) == Some(MANAGED_BY.1)
        };
        let ports: Vec<EndpointPort> = service.spec.ports.iter().map(port).collect();
        let old: Vec<Arc<EndpointSlice>> = cx
            .objects
            .list_in::<EndpointSlice>(&meta.namespace)
            .filter(ours)
            .cloned()
            .collect();
        let mut slices: Vec<EndpointSlice> = Vec::new();
        for slice in &old {
            let mut kept = (**slice).clone();
            kept.ports = ports.clone();
            kept.endpoints = slice
                .endpoints
                .iter()
                .filter_map(|endpoint| wanted.remove(&endpoint.target_ref.as_ref()?.uid.0))
                .collect();
            slices.push(kept);
        }
        let mut rest = wanted.into_values();
        for slice in &mut slices {
            let room = MAX.saturating_sub(slice.endpoints.len());
            slice.endpoints.extend(rest.by_ref().take(room));
        }
        let mut step = Vec::new();
        let mut left = slices.len();
        for (slice, before) in slices.into_iter().zip(&old) {
            if slice.endpoints.is_empty() && left > 1 {
                left -= 1;
                let delete = Request::Delete {
                    kind: Kind::EndpointSlice,
                    key: slice.metadata.key(),
                    options: DeleteOptions::default(),
                };
                step.push(Action::from(delete).accept(Accept::OrNotFound));
            } else if slice != **before {
                step.push(Request::Update(Object::EndpointSlice(Arc::new(slice)), Part::Main).into());
            }
        }
        let rest: Vec<Endpoint> = rest.collect();
        let chunks: Vec<&[Endpoint]> = if rest.is_empty() && old.is_empty() {
            vec![&[]]
        } else {
            rest.chunks(MAX).collect()
        };
        for endpoints in chunks {
            let mut metadata = ObjectMeta {
                generate_name: format!("{}-", meta.name).into(),
                namespace: meta.namespace.clone(),
                owner_references: vec![controller_ref(service)],
                ..ObjectMeta::default()
            };
            set_entry(&mut metadata.labels, SERVICE, &meta.name);
            set_entry(&mut metadata.labels, MANAGED_BY.0, MANAGED_BY.1);
            let slice = EndpointSlice {
                metadata,
                address_type: "IPv4".into(),
                endpoints: endpoints.to_vec(),
                ports: ports.clone(),
                ..EndpointSlice::default()
            };
            let create = Request::Create(Object::EndpointSlice(Arc::new(slice)));
            step.push(Action::from(create).accept(Accept::OrNamespaceTerminating));
        }
        Plan::default().then(step)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lab::Lab;
    use super::*;

    fn state(lab: &Lab) -> Vec<(bool, bool, bool)> {
        let flag = |value: Option<bool>| value == Some(true);
        let endpoints = lab
            .objects()
            .list::<EndpointSlice>()
            .flat_map(|slice| slice.endpoints.clone());
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

    /// CT-114, CT-115, CT-116: ready, serving and terminating; what is lost stays listed, what is finished does not.
    #[test]
    fn endpoints_carry_ready_serving_and_terminating() {
        let web = "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: 1, selector: {matchLabels: {app: web}}, \
            template: {metadata: {labels: {app: web}}, spec: {tolerations: [{operator: Exists}], containers: [{name: web, image: web}]}}}}\n---\n\
            {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}}";
        let mut lab = Lab::new(&["a-1", "b-1"], web);
        lab.run(Span::millis(500));
        assert_eq!(state(&lab), [], "no address yet, and one empty slice");
        assert_eq!(lab.objects().list::<EndpointSlice>().count(), 1);
        lab.run(Span::seconds(2));
        assert_eq!(state(&lab), [(true, true, false)]);
        let pod = lab.pods()[0].clone();
        let node = lab.get::<Pod>(&pod).unwrap().spec.node_name.clone().unwrap();
        lab.partition(&node);
        lab.run(Span::seconds(70));
        assert_eq!(state(&lab), [(false, false, false)], "a lost node acts through Ready");
        lab.delete(Kind::Pod, &pod, None);
        lab.run(Span::seconds(3));
        let mut now = state(&lab);
        now.sort_unstable();
        assert_eq!(now, [(false, false, true), (true, true, false)]);
        lab.delete(Kind::Pod, &pod, Some(0));
        lab.run(Span::seconds(1));
        assert_eq!(state(&lab), [(true, true, false)]);
    }

    /// CT-114: no more than a hundred in a slice.
    #[test]
    fn a_slice_holds_a_hundred_endpoints() {
        let web = "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: 250, selector: {matchLabels: {app: web}}, \
            template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}}}\n---\n\
            {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}";
        let mut lab = Lab::new(&["a-1"], web);
        lab.run(Span::seconds(5));
        let mut sizes: Vec<usize> = lab
            .objects()
            .list::<EndpointSlice>()
            .map(|slice| slice.endpoints.len())
            .collect();
        sizes.sort_unstable();
        assert_eq!(sizes.iter().sum::<usize>(), 250, "{sizes:?}");
        assert!(sizes.iter().all(|size| *size <= 100), "{sizes:?}");
    }
}
