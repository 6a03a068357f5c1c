//! Objects that every namespace has: the ConfigMap with the cluster's CA certificate (root-ca-cert-publisher) and the
//! ServiceAccount `default` (serviceaccount-controller). The controller recreates them after a deletion. It also
//! maintains the Service of the API server in the namespace `default`, which the API server does itself in a real
//! cluster.

use podscope_api::ordered;
use podscope_api::well_known::label;
use std::sync::Arc;

use podscope_api::{
    ConfigMap, Endpoint, EndpointAddress, EndpointConditions, EndpointPort, EndpointSlice, EndpointSubset, Endpoints,
    IntOrString, Kind, Namespace, Object, ObjectKey, ObjectMeta, ROOT_CA_CONFIG_MAP, Service, ServiceAccount,
    ServicePort, ServiceSpec, Str,
};

use podscope_sim::{Change, Request};

use super::controller::{Controller, ControllerContext};
use super::plan::{Accept, Action, Plan};
use super::queue::Key;

/// Name of the ServiceAccount that every namespace has.
const DEFAULT_SERVICE_ACCOUNT: &str = "default";
/// Placeholder for the cluster's CA certificate; no component of the simulation uses TLS.
const CA_CERTIFICATE: &str =
    "-----BEGIN CERTIFICATE-----\nUG9kc2NvcGUgaGFzIG5vIGNlcnRpZmljYXRl\n-----END CERTIFICATE-----\n";

/// Name of the API server's Service.
const API_SERVER_SERVICE: &str = "kubernetes";
/// Address of the API server.
const API_SERVER_IP: &str = "10.0.255.254";
const API_SERVER_PORT: i32 = 6443;

/// Returns the API server's Service, with its Endpoints and EndpointSlice.
fn api_server_service_objects() -> Vec<Object> {
    let labelled = |labels: &[(&str, &str)]| ObjectMeta {
        name: API_SERVER_SERVICE.into(),
        namespace: "default".into(),
        labels: Arc::new(
            labels
                .iter()
                .map(|(key, value)| (Str::from(*key), Str::from(*value)))
                .collect(),
        ),
        ..ObjectMeta::default()
    };
    let service = Service {
        metadata: labelled(&[("component", "apiserver"), ("provider", "kubernetes")]),
        spec: ServiceSpec {
            cluster_ip: "10.96.0.1".into(),
            cluster_ips: vec!["10.96.0.1".into()],
            internal_traffic_policy: Some("Cluster".into()),
            ip_families: vec!["IPv4".into()],
            ip_family_policy: "SingleStack".into(),
            kind: "ClusterIP".into(),
            session_affinity: "None".into(),
            ports: vec![ServicePort {
                name: "https".into(),
                port: 443,
                protocol: "TCP".into(),
                target_port: Some(IntOrString::Int(API_SERVER_PORT)),
                ..ServicePort::default()
            }],
            ..ServiceSpec::default()
        },
        ..Service::default()
    };
    let port = EndpointPort {
        name: Some("https".into()),
        port: Some(API_SERVER_PORT),
        protocol: Some("TCP".into()),
        ..EndpointPort::default()
    };
    let endpoints = Endpoints {
        metadata: labelled(&[("endpointslice.kubernetes.io/skip-mirror", "true")]),
        subsets: vec![EndpointSubset {
            addresses: vec![EndpointAddress {
                ip: API_SERVER_IP.into(),
                ..EndpointAddress::default()
            }],
            ports: vec![port.clone()],
            ..EndpointSubset::default()
        }],
        ..Endpoints::default()
    };
    let slice = EndpointSlice {
        metadata: labelled(&[(label::SERVICE_NAME, API_SERVER_SERVICE)]),
        address_type: "IPv4".into(),
        endpoints: vec![Endpoint {
            addresses: vec![API_SERVER_IP.into()],
            conditions: EndpointConditions {
                ready: Some(true),
                ..EndpointConditions::default()
            },
            ..Endpoint::default()
        }],
        ports: vec![port],
        ..EndpointSlice::default()
    };
    vec![
        Object::Service(Arc::new(service)),
        Object::Endpoints(Arc::new(endpoints)),
        Object::EndpointSlice(Arc::new(slice)),
    ]
}

/// Returns the objects that the controller creates in a new namespace. In `default`, the API server's Service and its
/// endpoints are among them.
#[must_use]
pub fn initial_namespace_objects(namespace: &str) -> Vec<Object> {
    let metadata = |name: &str| ObjectMeta {
        name: name.into(),
        namespace: namespace.into(),
        ..ObjectMeta::default()
    };
    let mut map = ConfigMap {
        metadata: metadata(ROOT_CA_CONFIG_MAP),
        data: ordered::Map::from([(Str::from("ca.crt"), Str::from(CA_CERTIFICATE))]),
        ..ConfigMap::default()
    };
    let why = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";
    Arc::make_mut(&mut map.metadata.annotations).insert("kubernetes.io/description".into(), why.into());
    let account = ServiceAccount {
        metadata: metadata(DEFAULT_SERVICE_ACCOUNT),
        ..ServiceAccount::default()
    };
    let mut objects = vec![
        Object::ConfigMap(Arc::new(map)),
        Object::ServiceAccount(Arc::new(account)),
    ];
    if namespace == "default" {
        objects.extend(api_server_service_objects());
    }
    objects
}

/// Returns whether the controller maintains the object in its namespace.
fn is_maintained(kind: Kind, meta: &ObjectMeta) -> bool {
    match kind {
        Kind::ConfigMap => &*meta.name == ROOT_CA_CONFIG_MAP,
        Kind::ServiceAccount => &*meta.name == DEFAULT_SERVICE_ACCOUNT,
        Kind::Service | Kind::Endpoints | Kind::EndpointSlice => {
            &*meta.name == API_SERVER_SERVICE && &*meta.namespace == "default"
        }
        _ => false,
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct NamespaceObjects;

impl Controller for NamespaceObjects {
    fn name(&self) -> &'static str {
        "serviceaccount-controller"
    }

    fn watches(&self) -> &'static [Kind] {
        &[
            Kind::Namespace,
            Kind::ConfigMap,
            Kind::ServiceAccount,
            Kind::Service,
            Kind::Endpoints,
            Kind::EndpointSlice,
        ]
    }

    fn changed(&mut self, change: &Change, cx: &mut ControllerContext<'_, '_>) {
        let Some(object) = change.object() else { return };
        let meta = object.metadata();
        match object.kind() {
            Kind::Namespace if change.old.is_none() => cx.enqueue((Kind::Namespace, meta.key())),
            kind if change.new.is_none() && is_maintained(kind, meta) => {
                cx.enqueue((Kind::Namespace, ObjectKey::cluster(meta.namespace.clone())));
            }
            _ => {}
        }
    }

    fn sync(&mut self, key: &Key, cx: &mut ControllerContext<'_, '_>) -> Plan {
        let Some(namespace) = cx.objects.get::<Namespace>(&key.1) else {
            return Plan::default();
        };
        // If such an object is missing in an imported namespace, the import left it out, so it is not created here.
        if namespace.metadata.is_terminating() || cx.existed_at_start(&namespace.metadata) {
            return Plan::default();
        }
        let missing = initial_namespace_objects(&namespace.metadata.name)
            .into_iter()
            .filter(|object| cx.objects.get_kind(object.kind(), &object.key()).is_none())
            .map(|object| Action::from(Request::Create(object)).accept(Accept::Anything));
        Plan::default().then(missing.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::lab::Lab;
    use super::*;
    use podscope_sim::Span;

    /// The API server's Service, Endpoints and EndpointSlice exist only in `default`.
    #[test]
    fn api_server_service_exists_only_in_default_namespace() {
        let kinds = |namespace: &str| -> Vec<Kind> {
            let own = initial_namespace_objects(namespace).into_iter();
            own.filter(|object| &*object.metadata().name == API_SERVER_SERVICE)
                .map(|object| object.kind())
                .collect()
        };
        assert_eq!(kinds("default"), [Kind::Service, Kind::Endpoints, Kind::EndpointSlice]);
        assert_eq!(kinds("demo"), []);
    }

    /// The ConfigMap and the ServiceAccount are created with the namespace, and recreated after a deletion.
    #[test]
    fn ca_config_map_and_default_account_are_recreated() {
        let mut lab = Lab::new(&["a-1"], "{apiVersion: v1, kind: Namespace, metadata: {name: demo}}");
        lab.run(Span::seconds(1));
        let keys = || {
            initial_namespace_objects("demo")
                .into_iter()
                .map(|object| (object.kind(), object.key()))
                .collect::<Vec<_>>()
        };
        let are_there = |lab: &Lab| {
            keys()
                .iter()
                .all(|(kind, key)| lab.objects().get_kind(*kind, key).is_some())
        };
        assert!(are_there(&lab));
        for (kind, key) in keys() {
            let options = podscope_sim::DeleteOptions::default();
            let answer = lab.serve(&podscope_sim::Actor::Client(1), &Request::Delete { kind, key, options });
            assert!(answer.is_ok(), "{answer:?}");
        }
        lab.run(Span::seconds(1));
        assert!(are_there(&lab));
    }
}
