//! Endpoints: the addresses of a Service in one object. The API is older than EndpointSlices, and v1 clients still read
//! it.

use podscope_api::ordered::StableSort as _;
use podscope_api::well_known::label;
use std::sync::Arc;

use podscope_api::{
    EndpointAddress, EndpointPort, EndpointSubset, Endpoints, Kind, Object, ObjectMeta, ObjectReference, Pod, Service,
};

use podscope_sim::{Change, DeleteOptions, Part, Request};

use super::controller::{Controller, ControllerContext};
use super::endpointslice::{enqueue_services, hostname_in_service, ports_of};
use super::plan::{Accept, Action, Plan};
use super::queue::Key;
use super::template::set_entry;
use super::trigger_time::{TRIGGER_TIME_ANNOTATION, TriggerTimes};

const MANAGED_BY_LABEL: (&str, &str) = ("endpoints.kubernetes.io/managed-by", "endpoint-controller");
/// Maximum number of addresses in one Endpoints object; further addresses are omitted.
const MAX_ADDRESSES: usize = 1000;

#[derive(Debug, Clone, Default)]
pub(super) struct EndpointsController {
    times: TriggerTimes,
}

impl Controller for EndpointsController {
    fn name(&self) -> &'static str {
        "endpoint-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::Service, Kind::Pod, Kind::Endpoints]
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        match change.object() {
            // Another client deleted or changed the Endpoints.
            Some(Object::Endpoints(endpoints)) if change.old.is_some() => {
                cx.enqueue((Kind::Service, endpoints.metadata.key()));
            }
            _ => enqueue_services(change, cx),
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let old = cx.objects.get::<Endpoints>(&key.1).cloned();
        let Some(service) = cx.objects.get::<Service>(&key.1).cloned() else {
            self.times.forget(&key.1);
            let is_ours = old.is_some_and(|old| old.metadata.label(MANAGED_BY_LABEL.0) == Some(MANAGED_BY_LABEL.1));
            let delete = Request::Delete {
                kind: Kind::Endpoints,
                key: key.1.clone(),
                options: DeleteOptions::default(),
            };
            return match is_ours {
                true => Plan::one(Action::from(delete).accept(Accept::OrNotFound)),
                false => Plan::default(),
            };
        };
        if service.spec.selector.is_none()
            || service.metadata.is_terminating()
            || cx.objects.assumed().is_left_alone(&service.metadata.uid)
            // If an imported Service has no Endpoints, the import left them out, so they are not created here.
            || (old.is_none() && cx.existed_at_start(&service.metadata))
        {
            return Plan::default();
        }
        let publish_not_ready = service.spec.publish_not_ready_addresses == Some(true);
        let objects = cx.objects.clone();
        let pods: Vec<&Pod> = objects
            .pods_selected_by(&service)
            .filter(|pod| !pod.is_terminal() && !pod.status.pod_ip.is_empty())
            .filter(|pod| publish_not_ready || !pod.metadata.is_terminating())
            .collect();
        let trigger_time = self.times.update(&service, &pods);
        let mut wanted = old.as_deref().cloned().unwrap_or_else(|| Endpoints {
            metadata: ObjectMeta {
                name: service.metadata.name.clone(),
                namespace: service.metadata.namespace.clone(),
                ..ObjectMeta::default()
            },
            ..Endpoints::default()
        });
        wanted.subsets = endpoint_subsets(&service, &pods, publish_not_ready);
        wanted.metadata.labels = service.metadata.labels.clone();
        set_entry(&mut wanted.metadata.labels, MANAGED_BY_LABEL.0, MANAGED_BY_LABEL.1);
        if &*service.spec.cluster_ip == "None" {
            set_entry(&mut wanted.metadata.labels, label::HEADLESS_SERVICE, "");
        }
        let unchanged = old
            .as_ref()
            .is_some_and(|old| old.subsets == wanted.subsets && old.metadata.labels == wanted.metadata.labels);
        if unchanged {
            return Plan::default();
        }
        match trigger_time {
            Some(at) => drop(set_entry(
                &mut wanted.metadata.annotations,
                TRIGGER_TIME_ANNOTATION,
                &at.to_string(),
            )),
            None if wanted.metadata.annotation(TRIGGER_TIME_ANNOTATION).is_none() => {}
            None => drop(Arc::make_mut(&mut wanted.metadata.annotations).remove(TRIGGER_TIME_ANNOTATION)),
        }
        let wanted = Object::Endpoints(Arc::new(wanted));
        match old {
            Some(_) => Plan::one(Request::Update(wanted, Part::Main)),
            None => Plan::one(Action::from(Request::Create(wanted)).accept(Accept::OrNamespaceTerminating)),
        }
    }
}

/// Groups the addresses by ports, with ready and unready addresses separate.
fn endpoint_subsets(service: &Service, pods: &[&Pod], publish_not_ready: bool) -> Vec<EndpointSubset> {
    let mut by_ports: Vec<(Vec<EndpointPort>, EndpointSubset)> = Vec::new();
    let mut sorted = pods.to_vec();
    sorted.stable_sort_by_key(|pod| ip_octets(&pod.status.pod_ip));
    for pod in sorted.into_iter().take(MAX_ADDRESSES) {
        let Some(ports) = ports_of(service, pod) else { continue };
        let at = by_ports.iter().position(|(known, _)| *known == ports);
        let at = at.unwrap_or_else(|| {
            let subset = EndpointSubset {
                ports: ports.clone(),
                ..EndpointSubset::default()
            };
            by_ports.push((ports, subset));
            by_ports.len() - 1
        });
        let Some((_, subset)) = by_ports.get_mut(at) else {
            continue;
        };
        let list = match publish_not_ready || pod.is_ready() {
            true => &mut subset.addresses,
            false => &mut subset.not_ready_addresses,
        };
        list.push(endpoint_address(service, pod));
    }
    by_ports.into_iter().map(|(_, subset)| subset).collect()
}

/// Returns the numbers of an IPv4 address, by which addresses are sorted.
fn ip_octets(ip: &str) -> Vec<u32> {
    ip.split('.').filter_map(|part| part.parse().ok()).collect()
}

fn endpoint_address(service: &Service, pod: &Pod) -> EndpointAddress {
    EndpointAddress {
        ip: pod.status.pod_ip.clone(),
        hostname: hostname_in_service(service, pod).unwrap_or_default(),
        node_name: pod.spec.node_name.as_ref().map(|node| node.0.clone()),
        target_ref: Some(ObjectReference {
            kind: "Pod".into(),
            namespace: pod.metadata.namespace.clone(),
            name: pod.metadata.name.clone(),
            uid: pod.metadata.uid.clone(),
            ..ObjectReference::default()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::lab::Lab;
    use super::*;
    use podscope_sim::Span;

    /// Endpoints contain the pod addresses and the resolved numbers of named ports, and are deleted with the Service.
    #[test]
    fn service_gets_endpoints_object_that_is_deleted_with_it() {
        let web = "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: 2, selector: {matchLabels: {app: web}}, \
            template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web, ports: [{name: http, containerPort: 8080}]}]}}}}\n---\n\
            {apiVersion: v1, kind: Service, metadata: {name: web, labels: {app: web}}, spec: {selector: {app: web}, ports: [{port: 80, targetPort: http}]}}";
        let mut lab = Lab::new(&["a-1"], web);
        lab.run(Span::seconds(5));
        let endpoints = lab.get::<Endpoints>("web").expect("there are endpoints");
        let numbers: Vec<_> = endpoints.subsets[0].ports.iter().map(|port| port.port).collect();
        assert_eq!((endpoints.subsets.len(), numbers), (1, vec![Some(8080)]));
        assert_eq!(endpoints.subsets[0].addresses.len(), 2);
        assert_eq!(endpoints.metadata.label(MANAGED_BY_LABEL.0), Some(MANAGED_BY_LABEL.1));
        assert!(endpoints.metadata.annotation(TRIGGER_TIME_ANNOTATION).is_some());
        lab.delete(Kind::Service, "web", None);
        lab.run(Span::seconds(1));
        assert!(lab.get::<Endpoints>("web").is_none());
    }
}
